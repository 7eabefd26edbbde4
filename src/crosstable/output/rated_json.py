"""``crosstable-rated/1``: what ``crosstable rate --json`` prints."""

import math
from typing import Any

from crosstable.engine import RatedPlayer, RatedSection, Start
from crosstable.errors import Fault
from crosstable.formulas.rounding import official_rating
from crosstable.rules.editions import LAW_SEEN_THROUGH
from crosstable.terms import FloorKind, Formula, Source
from crosstable.whole_event import Ranges, RatedEvent

FORMAT = "crosstable-rated/1"


def rated_document(event: RatedEvent) -> dict[str, Any]:
    """The whole document; an event with errors has no sections in it, only its faults."""
    sections = [] if event.has_errors else [_section(by_system, event.ranges) for by_system in event.sections]
    return {
        "format": FORMAT,
        "event": event.report.event_id,
        "law_seen_through": LAW_SEEN_THROUGH.isoformat(),
        "sections": sections,
        "faults": [fault_object(fault) for fault in event.faults],
    }


def fault_object(fault: Fault) -> dict[str, str]:
    """A fault as programs read it."""
    return {
        "code": fault.code,
        "severity": fault.severity.value,
        "place": fault.place,
        "message": fault.message,
        "remedy": fault.remedy,
    }


def _section(by_system: tuple[RatedSection, ...], ranges: Ranges) -> dict[str, Any]:
    section = by_system[0].section
    return {
        "number": section.number,
        "name": section.name,
        "systems": {
            rated.system.name: {
                "edition": rated.edition.name,
                "players": [
                    _player(player, ranges.get((section.number, rated.system, player.number)))
                    for player in rated.players
                ],
            }
            for rated in by_system
        },
    }


def _player(player: RatedPlayer, result_range: tuple[float, float] | None) -> dict[str, Any]:
    after = player.after
    is_standard = player.formula is Formula.STANDARD
    played = player.formula is not Formula.NONE
    result = {
        "number": player.number,
        "member_id": player.member_id,
        "name": player.name,
        "pre": None if player.before is None else player.before.rating,
        "games_before": None if player.before is None else _count(player.before.games),
        "initial": _initial(player.start) if player.start is not None and played else None,
        "post": None if after is None else after.rating,
        "rounded": None if after is None else official_rating(after.rating),
        "games_after": None if after is None else _count(after.games),
        "formula": player.formula.name.lower() if played else None,
        "effective_games": player.effective if played else None,
        "k": player.final.k if is_standard else None,
        "score": player.score,
        "expected": player.final.expected if is_standard else None,
        "bonus": player.final.bonus if is_standard else None,
        "floor": _floor(player),
        "norm": player.norm,
        "assumed": [str(note) for note in player.assumed],
    }
    if player.origin:
        result["rating_from"] = player.origin
    if result_range is not None:
        result["range"] = list(result_range)
    if player.merged_with:
        result["merged_with"] = list(player.merged_with)
    if played and not math.isnan(player.outcome.requested_floor):
        result["floor_requested"] = player.outcome.requested_floor
    return result


def _count(games: float | None) -> float | int | None:
    """N as people write it: a whole number, but for the halves of half-K sections."""
    if games is None:
        return None
    return int(games) if games == int(games) else games


def _floor(player: RatedPlayer) -> dict[str, Any] | None:
    kind = player.outcome.floor_kind
    if player.formula is Formula.NONE or kind is FloorKind.NONE:
        return None
    return {"name": kind.name.lower(), "level": _count(player.outcome.floor_level)}


def _initial(start: Start) -> dict[str, Any]:
    initial = start.initial
    return {
        "rating": initial.rating,
        "games": _count(initial.games),
        "sources": [
            {
                "source": working.source.name,
                "rating": working.rating,
                "games": _count(working.games),
                "as_of": working.as_of.isoformat(),
                "converted": working.weight.converted,
                "weight": working.weight.weight if initial.total_weight else None,
            }
            for working in start.sources
        ]
        or [{"source": Source(initial.source).name, "age": None if math.isnan(start.age) else start.age}],
    }
