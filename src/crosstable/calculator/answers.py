"""The whole answer to a request: the estimate and all that stands beside it, in words and as plain objects for JSON."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from crosstable.calculator.estimate import Estimate, estimate
from crosstable.calculator.figures import (
    LABEL,
    MEASURED_ON,
    PAGE_ESTABLISHED,
    SOURCE,
    Badge,
    Measured,
    OldPage,
    PerformanceRatings,
    badge,
    old_page,
    performance_ratings,
    typical_error,
)
from crosstable.calculator.reading import NAMES, fields_of, link_of
from crosstable.calculator.requests import EstimateRequest, OpponentsAt
from crosstable.calculator.texts import Difference
from crosstable.calculator.what_if import NextGame, NormChances, Outcomes, Possibility
from crosstable.engine import Start
from crosstable.engine.records import Assumption
from crosstable.explanation.words import FLOOR_NAMES
from crosstable.formulas.outcome import fewest_established, is_established, official_rating
from crosstable.rules.constants import Constants
from crosstable.rules.editions import LAW_SEEN_THROUGH
from crosstable.rules.in_words import match_limits
from crosstable.sentences import Template
from crosstable.terms import FloorKind, Formula, Past, Source

# A difference of score that two decimals do not show.
LEAST_SURPLUS = 0.005


class Answer(NamedTuple):
    """An estimate, the performance, the badge, the link that reproduces it, and how far such estimates are off.

    ``old_page`` is what the old calculator page makes of the same games; it has nothing to say about unrated players,
    and neither has ``typical_error``, because the starts of unrated players are not published.
    """

    estimate: Estimate
    performance: PerformanceRatings
    badge: Badge
    old_page: OldPage | None
    link: str
    typical_error: Measured | None


def answer(request: EstimateRequest) -> Answer:
    """The answer to a request; raises ``UnratableSectionError`` with every fault if there is none."""
    found = estimate(request)
    opponents = [game.met_at for game in found.points]
    scores = [game.score for game in found.points]
    by_page = None
    if found.before is not None:
        games = PAGE_ESTABLISHED if found.games_before is None else found.games_before
        by_page = old_page(found.before, games, opponents, scores)
    return Answer(
        estimate=found,
        performance=performance_ratings(found.rated.edition.constants, opponents, scores),
        badge=badge(found.score, found.expected, found.played),
        old_page=by_page,
        link=link_of(request),
        typical_error=None if found.before is None else typical_error(found.kind, found.formula, found.before),
    )


_SAYS: Mapping[str, str] = {
    "headline-unrated": "Unrated → {after} on {games}, {class_after}",
    "headline": "{before} → {after} ({change}), {moved} {class_after}",
    "start": "You start at {rating:.0f} on {games}, {origin}.",
    "as-expected": "You scored {score:g} of {played}; the ratings led to expect {expected:.2f}, so you made just that.",
    "surplus": "You scored {score:g} of {played}; the ratings led to expect {expected:.2f}, so you made "
    "{surplus:.2f} {than}.",
    "special": "{why}: the special formula looks for the rating that explains these results{games}. It has no K and no "
    "bonus.",
    "first-event": "This is your first event",
    "few-games": "You have {special_games:g} games or fewer",
    "one-result": "All your games so far were {results}",
    "k": "Your rating counts for {effective:.2f} games, so one point of score is worth K = {k:.2f}: {change:+.2f}.",
    "bonus": "That is more than {bonus_threshold:g}√{rounds:g} = {threshold:.2f}, and the rest counts twice: bonus "
    "{bonus:+.2f}.",
    "match-limit": "A match may not move a rating that far: the change is held at {limit:+g}.",
    "floor": "It would be {computed:.0f}, but the {floor} holds it at {level:g}.",
    "no-count": "The number of your games is not known; it matters above about {matters_above:.0f}. Give it for a "
    "better estimate.",
    "no-record": "If all your games so far were wins, or all losses, the result is another: give your record.",
    "no-peak": "If your highest rating was higher than this one, a floor may hold your rating: give it.",
    "no-age": "Your age is not known, so you start as a young player ({unknown_start:g}): give it, or say that you are "
    "an adult.",
    "no-date": "A rating that you start from has no date; it was taken as one of the day of the event.",
    "unrated-opponent": "Opponent {number} is unrated; their rating after the event would make the estimate much "
    "better.",
    "to-come": "Games to come are not in this estimate; the range of outcomes shows what they can bring.",
    "match": "Earlier matches are not known; their changes count towards the limits too: {limits}.",
    "other-system": "The section also counts for {title}: ask again with the system {name} and that rating.",
}


_TEMPLATES = {key: Template(f"estimate:{key}", text) for key, text in _SAYS.items()}


def _say(key: str, **values: object) -> str:
    return _TEMPLATES[key].say(**values).text


def headline(found: Estimate) -> str:
    """The answer in one line: ``1512 → 1538 (+26), stays Class C``."""
    after, title = found.official, found.class_after.title
    if found.before is None:
        return _say("headline-unrated", after=after, games=_games(found.games_after), class_after=title)
    before = official_rating(found.before)
    assert found.class_before is not None
    change = "unchanged" if after == before else f"{after - before:+d}"
    moved = "stays" if found.class_after == found.class_before else f"{found.class_before.title} →"
    return _say("headline", before=before, after=after, change=change, moved=moved, class_after=title)


def _games(games: float | None) -> str:
    return "an unknown number of games" if games is None else f"{games:g} game{'' if games == 1 else 's'}"


def sentences(found: Estimate) -> tuple[str, ...]:
    """What made the result, in plain words: start, expectation, K, bonus, floor, games."""
    return (*_start(found), _surplus(found), _weight(found), *_bonus(found), *_limits(found))


def _start(found: Estimate) -> Iterator[str]:
    if found.start is not None:
        initial = found.start.initial
        sources = ", ".join(working.source.name for working in found.start.sources)
        origin = f"from {sources}" if sources else "by age"
        yield _say("start", rating=initial.rating, games=_games(initial.games), origin=origin)


def _surplus(found: Estimate) -> str:
    surplus = found.score - found.expected
    values = {"score": found.score, "played": found.played, "expected": found.expected}
    if abs(surplus) < LEAST_SURPLUS:
        return _say("as-expected", **values)
    return _say("surplus", surplus=abs(surplus), than="more" if surplus > 0.0 else "less", **values)


def _weight(found: Estimate) -> str:
    if found.formula is Formula.SPECIAL:
        games = f" and {found.effective_games:.2f} games before" if found.effective_games else " alone"
        return _say("special", why=_why_special(found), games=games)
    return _say("k", effective=found.effective_games, k=found.k, change=found.change)


def _why_special(found: Estimate) -> str:
    if found.start is not None:
        return _say("first-event")
    if found.player.past is Past.MIXED:
        return _say("few-games", special_games=found.rated.edition.constants.special_games)
    return _say("one-result", results="wins" if found.player.past is Past.ALL_WINS else "losses")


def _bonus(found: Estimate) -> Iterator[str]:
    if found.bonus:
        constants = found.rated.edition.constants
        rounds = max(float(found.played), constants.bonus_least_games)
        values = {"bonus_threshold": constants.bonus_threshold, "rounds": rounds, "bonus": found.bonus}
        yield _say("bonus", threshold=constants.bonus_threshold * rounds**0.5, **values)


def _limits(found: Estimate) -> Iterator[str]:
    if found.limited_change is not None:
        yield _say("match-limit", limit=found.limited_change)
    if found.floor_level is not None:
        name = FLOOR_NAMES[found.floor_kind]
        yield _say("floor", computed=found.computed, floor=name, level=found.floor_level)


def notes(found: Estimate) -> tuple[str, ...]:
    """What the estimate had to assume and what would make it better, in plain words; only what may matter here."""
    return tuple(_notes(found))


def _notes(found: Estimate) -> Iterator[str]:
    constants = found.rated.edition.constants
    if Assumption.GAMES in found.assumed:
        yield _say("no-count", matters_above=count_matters_above(constants))
    games = found.games_before
    if Assumption.COUNTS in found.assumed and games is not None and not is_established(constants, games):
        yield _say("no-record")
    if found.floor_kind is FloorKind.NONE and Assumption.PEAK in found.assumed and found.gain < 0.0:
        yield _say("no-peak")
    if Assumption.NOT_ADULT in found.assumed:
        yield _say("no-age", unknown_start=constants.unknown_start)
    if Assumption.AS_OF in found.assumed:
        yield _say("no-date")
    for number, opponent in enumerate(found.request.opponents, start=1):
        if opponent.rating is None and found.kind is not OpponentsAt.AFTER:
            yield _say("unrated-opponent", number=number)
    if found.request.games_to_come:
        yield _say("to-come")
    if found.request.is_match:
        yield _say("match", limits=match_limits(constants))
    if len(found.systems) > 1:
        other = next(system for system in found.systems if system is not found.system)
        yield _say("other-system", title=other.title, name=other.name)


def count_matters_above(constants: Constants) -> float:
    """The rating above which the count of an established player matters: N* is the least established count (§3)."""
    spread = (constants.effective_cap / fewest_established(constants)) ** 2 - constants.effective_base
    return constants.effective_centre - math.sqrt(max(0.0, spread) / constants.effective_slope)


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
    fields = fields_of(request)
    every = {name: [text for other, text in fields if other == name] for name, _ in fields}
    return {name: texts if NAMES[name].is_list else texts[0] for name, texts in every.items()}


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
    return found._asdict()


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
    return dict(zip(("score", "post", "rounded", "change", "bonus"), found, strict=True))


def next_game_object(found: NextGame) -> dict[str, Any]:
    """The next game, won, drawn and lost."""
    return {"now": found.now} | {way: possibility_object(getattr(found, way)) for way in ("win", "draw", "loss")}


def outcomes_object(found: Outcomes) -> dict[str, Any]:
    """The whole range of outcomes."""
    *numbers, ways = found
    told = dict(zip(("pre", "score", "played", "to_come"), numbers, strict=True))
    return {**told, "possibilities": [possibility_object(each) for each in ways]}


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
