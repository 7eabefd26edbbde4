"""The whole answer to a request, as both doors show it: the estimate and everything that stands beside it."""

from collections.abc import Iterator
from typing import NamedTuple

from crosstable.calculator.badges import Badge, badge
from crosstable.calculator.estimate import Estimate, estimate
from crosstable.calculator.links import link_of
from crosstable.calculator.measured import Measured, typical_error
from crosstable.calculator.old_page import OldPage, old_page
from crosstable.calculator.performance import PerformanceRatings, performance_ratings
from crosstable.calculator.requests import EstimateRequest, OpponentsAt
from crosstable.engine.records import Assumption
from crosstable.explain.lines import FLOOR_NAMES
from crosstable.formulas.rounding import official_rating
from crosstable.terms import FloorKind, Formula, Past

# What the old page is given for an established player whose count is not known: K = 16 and no bonus.
PAGE_ESTABLISHED = 50.0


class Answer(NamedTuple):
    """An estimate, the performance, the badge, the link that reproduces it, and how far such estimates are off.

    ``old_page`` is what the old calculator page makes of the same games; it has nothing to say about unrated players,
    and neither has ``typical_error``, because the starts of newcomers are not published.
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


def headline(found: Estimate) -> str:
    """The answer in one line: ``1512 → 1538 (+26), stays Class C``."""
    after = found.official
    if found.before is None:
        return f"Unrated → {after} on {_games(found.games_after)}, {found.class_after.title}"
    before = official_rating(found.before)
    assert found.class_before is not None
    change = "unchanged" if after == before else f"{after - before:+d}"
    moved = "stays" if found.class_after == found.class_before else f"{found.class_before.title} →"
    return f"{before} → {after} ({change}), {moved} {found.class_after.title}"


def _games(games: float | None) -> str:
    return "an unknown number of games" if games is None else f"{games:g} game{'' if games == 1 else 's'}"


def sentences(found: Estimate) -> tuple[str, ...]:
    """What made the result, in plain words: start, expectation, K, bonus, floor, games."""
    parts = (_start(found), _surplus(found), _weight(found), _bonus(found), *_limits(found))
    return tuple(text for text in parts if text)


def _start(found: Estimate) -> str:
    if found.start is None:
        return ""
    initial = found.start.initial
    sources = ", ".join(working.source.name for working in found.start.sources)
    origin = f"from {sources}" if sources else "by age"
    return f"You start at {initial.rating:.0f} on {_games(initial.games)}, {origin}."


def _surplus(found: Estimate) -> str:
    surplus = found.score - found.expected
    than = "more" if surplus > 0.0 else "less"
    made = f"you made {abs(surplus):.2f} {than}" if abs(surplus) >= 0.005 else "you made just that"
    return f"You scored {found.score:g} of {found.played}; the ratings led to expect {found.expected:.2f}, so {made}."


def _weight(found: Estimate) -> str:
    if found.formula is Formula.SPECIAL:
        games = f" and {found.effective_games:.2f} games before" if found.effective_games else " alone"
        why = _why_special(found)
        return (
            f"{why}: the special formula looks for the rating that explains these results{games}. "
            "It has no K and no bonus."
        )
    assert found.k is not None
    assert found.change is not None
    return (
        f"Your rating counts for {found.effective_games:.2f} games, so one point of score is worth K = {found.k:.2f}: "
        f"{found.change:+.2f}."
    )


def _why_special(found: Estimate) -> str:
    if found.start is not None:
        return "This is your first event"
    if found.player.past is Past.MIXED:
        return "You have eight games or fewer"
    return f"All your games so far were {'wins' if found.player.past is Past.ALL_WINS else 'losses'}"


def _bonus(found: Estimate) -> str:
    if not found.bonus:
        return ""
    constants = found.rated.edition.constants
    rounds = max(float(found.played), constants.bonus_least_games)
    return (
        f"That is more than {constants.bonus_threshold:g}√{rounds:g} = "
        f"{constants.bonus_threshold * rounds**0.5:.2f}, and the rest counts twice: bonus {found.bonus:+.2f}."
    )


def _limits(found: Estimate) -> Iterator[str]:
    if found.limited_change is not None:
        yield f"A match may not move a rating that far: the change is held at {found.limited_change:+g}."
    if found.floor_level is not None:
        floor = f"{FLOOR_NAMES[found.floor_kind]} holds it at {found.floor_level:g}"
        yield f"It would be {found.computed:.0f}, but the {floor}."


def notes(found: Estimate) -> tuple[str, ...]:
    """What the estimate had to assume and what would make it better, in plain words; only what may matter here."""
    return tuple(_notes(found))


def _notes(found: Estimate) -> Iterator[str]:
    if Assumption.GAMES in found.assumed:
        yield "The number of your games is not known; it matters above about 1900. Give it for a better estimate."
    if Assumption.COUNTS in found.assumed and found.games_before is not None and not _is_established(found):
        yield "If all your games so far were wins, or all losses, the result is another: give your record."
    if found.floor_kind is FloorKind.NONE and Assumption.PEAK in found.assumed and found.gain < 0.0:
        yield "If your highest rating was higher than this one, a floor may hold your rating: give it."
    if Assumption.NOT_ADULT in found.assumed:
        yield "Your age is not known, so you start as a young player (750): give it, or say that you are an adult."
    if Assumption.AS_OF in found.assumed:
        yield "A rating that you start from has no date; it was taken as one of the day of the event."
    for number, opponent in enumerate(found.request.opponents, start=1):
        if opponent.rating is None and found.kind is not OpponentsAt.AFTER:
            yield f"Opponent {number} is unrated; his rating after the event would make the estimate much better."
    if found.request.games_to_come:
        yield "Games to come are not in this estimate; the range of outcomes shows what they can bring."
    if found.request.is_match:
        yield "Earlier matches are not known; their changes count towards the limits too."
    if len(found.systems) > 1:
        other = next(system for system in found.systems if system is not found.system)
        yield f"The section also counts for {other.title}: ask again with the system {other.name} and that rating."


def _is_established(found: Estimate) -> bool:
    return found.games_before is None or found.games_before > found.rated.edition.constants.established_above
