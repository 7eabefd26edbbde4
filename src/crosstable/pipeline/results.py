"""The results of a rated event, one record for each player, as ``crosstable-rated/1`` and the library show them.

What the JSON documents of the pipeline share: findings, accepted warnings, and the rule set that was used.
"""

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from crosstable.checks.findings import Accepted
from crosstable.engine import RatedPlayer, RatedSection, Start
from crosstable.errors import Fault
from crosstable.faults import level_of
from crosstable.formulas.outcome import official_rating
from crosstable.terms import FloorKind, Formula, RatingSystem, Source
from crosstable.tuples import NamedTuple

if TYPE_CHECKING:
    from crosstable.rules.rule_sets import RuleSet


# Fields that a document leaves out where nothing is known.
_OPTIONAL = ("rating_from", "range", "merged_with", "floor_requested", "rank")


class PlayerResult(NamedTuple):
    """A player's result in one section and system.

    ``pre`` is ``None`` for an unrated player. ``games_before`` is ``None`` for an unrated player, and also for an
    established rating whose number of games is not known. ``initial`` is the initial rating of an unrated player.
    ``post`` is the rating after the section with all decimals, ``rounded`` the official whole number. ``formula`` is
    ``special``, ``standard`` or ``None`` (no rated game). Only the standard formula has ``k``, ``expected`` and
    ``bonus``. ``floor`` is the floor that applied. ``range`` is the lowest and the highest result, if an assumption can
    change it. ``rank`` is the player's row on a posted crosstable.
    """

    number: int
    member_id: str
    name: str
    pre: float | None
    games_before: float | None
    initial: Mapping[str, Any] | None
    post: float | None
    rounded: int | None
    games_after: float | None
    formula: str | None
    effective_games: float | None
    k: float | None
    score: float
    expected: float | None
    bonus: float | None
    floor: Mapping[str, Any] | None
    norm: str | None
    assumed: tuple[str, ...]
    rating_from: str | None = None
    range: tuple[float, float] | None = None
    merged_with: tuple[int, ...] | None = None
    floor_requested: float | None = None
    rank: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The player as the document has them."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in zip(self._fields, self, strict=True)
            if value is not None or name not in _OPTIONAL
        }


class SystemResult(NamedTuple):
    """A section's results in one rating system. ``edition`` names the rules that applied."""

    system: str
    edition: str
    players: tuple[PlayerResult, ...]


class SectionResult(NamedTuple):
    """A section's results by rating system: ``systems["OTBR"].players[0].post``."""

    number: int
    name: str
    systems: Mapping[str, SystemResult]

    def to_dict(self) -> dict[str, Any]:
        """The section as the document has it."""
        systems = {
            name: {"edition": rated.edition, "players": [player.to_dict() for player in rated.players]}
            for name, rated in self.systems.items()
        }
        return {"number": self.number, "name": self.name, "systems": systems}


def section_result(
    by_system: tuple[RatedSection, ...], ranges: Mapping[tuple[int, RatingSystem, int], tuple[float, float]]
) -> SectionResult:
    """The results of one section."""
    section, ranks = by_system[0].section, ranked(by_system[0])
    systems = {
        rated.system.name: SystemResult(
            rated.system.name,
            rated.edition.name,
            tuple(
                _player(player, ranges.get((section.number, rated.system, player.number)), ranks[at])
                for at, player in enumerate(rated.players)
            ),
        )
        for rated in by_system
    }
    return SectionResult(section.number, section.name, systems)


def ranked(rated: RatedSection) -> dict[int, int]:
    """Ranks by row, first the first: by points, then by the rating after the section (official facts §4).

    Of a dual-rated section this is the Regular rating, as on posted crosstables.
    """
    entries, players = rated.section.entries, rated.players
    after = [-1.0 if player.after is None else player.after.rating for player in players]
    order = sorted(range(len(entries)), key=lambda at: (-entries[at].points, -after[at], entries[at].number))
    return {at: rank for rank, at in enumerate(order, start=1)}


def _player(player: RatedPlayer, result_range: tuple[float, float] | None, rank: int) -> PlayerResult:
    before, after = player.before, player.after
    is_standard = player.formula is Formula.STANDARD
    played = player.formula is not Formula.NONE
    requested = player.outcome.requested_floor
    return PlayerResult(
        number=player.number,
        member_id=player.member_id,
        name=player.name,
        pre=None if before is None else before.rating,
        games_before=None if before is None else _count(before.games),
        initial=_initial(player.start) if player.start is not None and played else None,
        post=None if after is None else after.rating,
        rounded=None if after is None else official_rating(after.rating),
        games_after=None if after is None else _count(after.games),
        formula=player.formula.name.lower() if played else None,
        effective_games=player.effective if played else None,
        k=player.final.k if is_standard else None,
        score=player.score,
        expected=player.final.expected if is_standard else None,
        bonus=player.final.bonus if is_standard else None,
        floor=_floor(player),
        norm=player.norm,
        assumed=tuple(str(note) for note in player.assumed),
        rating_from=player.origin or None,
        range=result_range,
        merged_with=player.merged_with or None,
        floor_requested=requested if played and not math.isnan(requested) else None,
        rank=rank,
    )


def _count(games: float | None) -> float | int | None:
    """N as people write it: a whole number, but for the halves of half-K sections."""
    if games is None:
        return None
    return int(games) if games == int(games) else games


def _floor(player: RatedPlayer) -> dict[str, Any] | None:
    """The floor that holds the rating; none does where a ceiling below it wins."""
    kind = FloorKind.NONE if player.outcome.is_at_ceiling else player.outcome.floor_kind
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


def fault_object(fault: Fault) -> dict[str, str]:
    """A finding as programs read it."""
    return {
        "code": fault.code,
        "severity": fault.severity.value,
        "level": level_of(fault).value,
        "place": fault.place,
        "message": fault.message,
        "remedy": fault.remedy,
    }


def fault_objects(faults: Iterable[Fault]) -> list[dict[str, str]]:
    """Findings as programs read them."""
    return [fault_object(fault) for fault in faults]


def accepted_objects(accepted: Iterable[Accepted]) -> list[dict[str, str]]:
    """Warnings that were accepted, each with its reason."""
    return [
        {"code": one.fault.code, "place": one.fault.place, "message": one.fault.message, "reason": one.reason}
        for one in accepted
    ]


def rules_of(rules: "RuleSet | None") -> dict[str, Any]:
    """The field ``rules`` of a document, where a rule set was asked for."""
    if rules is None:
        return {}
    from crosstable.rules.rule_sets import document_of

    return {"rules": document_of(rules)}
