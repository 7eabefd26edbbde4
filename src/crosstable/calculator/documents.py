"""Answers as programs read them: plain objects for JSON, every number in full."""

from collections.abc import Mapping
from typing import Any

from crosstable.calculator.answers import Answer, headline, notes, sentences
from crosstable.calculator.badges import Badge
from crosstable.calculator.differences import Difference
from crosstable.calculator.estimate import Estimate
from crosstable.calculator.links import fields_of
from crosstable.calculator.measured import MEASURED_ON, SOURCE, Measured
from crosstable.calculator.norm_chances import NormChances
from crosstable.calculator.old_page import LABEL, OldPage
from crosstable.calculator.requests import EstimateRequest
from crosstable.calculator.what_if import NextGame, Outcomes, Possibility
from crosstable.engine import Start
from crosstable.rules.editions import LAW_SEEN_THROUGH
from crosstable.terms import FloorKind, Source

FORMAT = "crosstable-estimate/1"


def estimate_document(parts: Mapping[str, Any]) -> dict[str, Any]:
    """The document ``crosstable-estimate/1`` of some answers, or of the faults of a question that has none."""
    return {"format": FORMAT, **parts}


def answer_object(found: Answer) -> dict[str, Any]:
    """The whole answer to a request."""
    parts = {
        "law_seen_through": LAW_SEEN_THROUGH.isoformat(),
        "headline": headline(found.estimate),
        "sentences": list(sentences(found.estimate)),
        "notes": list(notes(found.estimate)),
        "estimate": estimate_object(found.estimate),
        "performance": found.performance._asdict(),
        "badge": badge_object(found.badge),
        "old_page": None if found.old_page is None else old_page_object(found.old_page),
        "typical_error": None if found.typical_error is None else measured_object(found.typical_error),
        "request": request_object(found.estimate.request),
        "link": found.link,
    }
    return estimate_document(parts)


def request_object(request: EstimateRequest) -> dict[str, Any]:
    """A request by the names of its link; ``read_object`` reads it back."""
    found: dict[str, Any] = {}
    for name, text in fields_of(request):
        if name in ("game", "other"):
            found.setdefault(name, []).append(text)
        else:
            found[name] = text
    return found


def estimate_object(found: Estimate) -> dict[str, Any]:
    """An estimate with its working."""
    return {
        "system": found.system.name,
        "systems": [system.name for system in found.systems],
        "edition": found.edition,
        "dual_rated": found.is_dual,
        "opponents_at": found.kind.value,
        "assumes": found.kind.assumes,
        "pre": found.before,
        "games_before": found.games_before,
        "class_before": None if found.class_before is None else found.class_before.title,
        "initial": None if found.start is None else start_object(found.start),
        "formula": found.formula.name.lower(),
        "effective_games": found.effective_games,
        "k": found.k,
        "score": found.score,
        "played": found.played,
        "expected": found.expected,
        "change": found.change,
        "bonus": found.bonus,
        "computed": found.computed,
        "limited_change": found.limited_change,
        "floor": floor_object(found),
        "post": found.rating,
        "rounded": found.official,
        "gain": found.gain,
        "games_after": found.games_after,
        "class_after": found.class_after.title,
        "norm": found.norm,
        "games": [{**game._asdict(), "words": game.sentence} for game in found.points],
        "other_estimates": [{"opponents_at": other.kind.value, "post": other.rating} for other in found.others],
        "assumed": list(found.assumed),
    }


def start_object(start: Start) -> dict[str, Any]:
    """The start of an unrated player."""
    sources = [working.source.name for working in start.sources]
    return {
        "rating": start.initial.rating,
        "games": start.initial.games,
        "sources": sources or [Source(start.initial.source).name],
    }


def floor_object(found: Estimate) -> dict[str, Any] | None:
    """The floor that acted."""
    if found.floor_kind is FloorKind.NONE:
        return None
    return {"kind": found.floor_kind.name.lower(), "level": found.floor_level}


def badge_object(found: Badge) -> dict[str, Any]:
    """A badge: its name is what a screen reader says, the symbol is only for the eye."""
    return {
        "code": found.code,
        "symbol": found.symbol,
        "name": found.name,
        "colour": found.colour,
        "words": found.words,
    }


def old_page_object(found: OldPage) -> dict[str, Any]:
    """The old page's figures, labelled as such."""
    return {"label": LABEL, **found._asdict()}


def measured_object(found: Measured) -> dict[str, Any]:
    """How far such estimates were from posted results."""
    return {
        "rows": found.rows,
        "half_within": found.half,
        "nine_tenths_within": found.nine_tenths,
        "ninety_nine_of_100_within": found.ninety_nine,
        "largest": found.largest,
        "measured_on": MEASURED_ON.isoformat(),
        "source": SOURCE,
        "words": found.sentence,
    }


def possibility_object(found: Possibility) -> dict[str, Any]:
    """One way things may go."""
    return {
        "score": found.score,
        "post": found.rating,
        "rounded": found.official,
        "change": found.change,
        "bonus": found.bonus,
    }


def next_game_object(found: NextGame) -> dict[str, Any]:
    """The next game, won, drawn and lost."""
    ways = {"win": found.win, "draw": found.draw, "loss": found.loss}
    return {"now": found.now, **{name: possibility_object(way) for name, way in ways.items()}}


def outcomes_object(found: Outcomes) -> dict[str, Any]:
    """The whole range of outcomes."""
    return {
        "pre": found.before,
        "score": found.score,
        "played": found.played,
        "to_come": found.to_come,
        "possibilities": [possibility_object(each) for each in found.possibilities],
    }


def norm_chances_object(found: NormChances) -> dict[str, Any]:
    """The norms that are possible."""
    return {
        "reason": found.reason or None,
        "score": found.score,
        "played": found.played,
        "to_come": found.to_come,
        "chances": [chance._asdict() for chance in found.chances],
    }


def difference_object(found: Difference) -> dict[str, Any]:
    """One difference to other calculators."""
    return {**found._asdict(), "section": found.section or None}
