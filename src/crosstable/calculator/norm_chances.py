"""Norm chances: for each of the seven levels, the score that earns a norm against the opponents (official facts §1)."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from crosstable.calculator.requests import EstimateRequest, Opponent, OpponentsAt, kind_of, timing_of
from crosstable.formulas.norms import NORM_GAMES, NORM_LEVELS, NORM_MEETINGS, highest_norm, margin
from crosstable.rules.phrases import times
from crosstable.terms import GAME_SCORES, NORM_CODES, RatingSystem, total

NORM_TITLES = (
    "4th Category",
    "3rd Category",
    "2nd Category",
    "1st Category",
    "Candidate Master",
    "Life Master",
    "Senior Life Master",
)


class NormChance(NamedTuple):
    """A level: what a player of it is expected to score, and the least score for a norm (``None``: no score is enough).

    ``from_rest`` is what the games to come must bring, 0 where the norm is safe, ``None`` where it is out of reach.
    """

    code: str
    title: str
    level: int
    expected: float
    needed: float | None
    from_rest: float | None


class NormChances(NamedTuple):
    """The chances at every level, lowest first; or none, and the reason why."""

    chances: tuple[NormChance, ...]
    reason: str
    played: int
    to_come: int
    score: float


def score_for_norm(position: int, opponents: Sequence[float], most_meetings: int) -> float | None:
    """The least score, in half points, that earns a norm at a level or a higher one; ``None`` if no score does."""
    return scores_for_norms(opponents, most_meetings)[position]


def scores_for_norms(opponents: Sequence[float], most_meetings: int) -> list[float | None]:
    """The same for every level, lowest first."""
    found: list[float | None] = []
    for half in range(2 * len(opponents) + 1):
        reached = highest_norm(half / 2.0, opponents, most_meetings)
        found += [half / 2.0] * (reached + 1 - len(found))
    return found + [None] * (len(NORM_LEVELS) - len(found))


def norm_chances(request: EstimateRequest) -> NormChances:
    """The norms that are possible against the opponents of a request, games to come included."""
    scores = [GAME_SCORES[each] for opponent in request.opponents for each in opponent.results if each is not None]
    score, to_come = total(scores), request.games_to_come
    reason = _why_none(request)
    if reason:
        return NormChances((), reason, len(scores), to_come, score)
    opponents = [
        strength
        for opponent in request.opponents
        for strength in [_strength(request, opponent)] * len(opponent.results)
    ]
    most_meetings = max(len(opponent.results) for opponent in request.opponents)
    needed = scores_for_norms(opponents, most_meetings)
    chances = tuple(_chance(at, opponents, each, score, to_come) for at, each in enumerate(needed))
    return NormChances(chances, "", len(scores), to_come, score)


def _chance(position: int, opponents: Sequence[float], needed: float | None, score: float, to_come: int) -> NormChance:
    level = NORM_LEVELS[position]
    rest = math.inf if needed is None else max(0.0, needed - score)
    return NormChance(
        code=NORM_CODES[position],
        title=NORM_TITLES[position],
        level=int(level),
        expected=0.0 - margin(level, 0.0, opponents),
        needed=needed,
        from_rest=rest if rest <= to_come else None,
    )


def _strength(request: EstimateRequest, opponent: Opponent) -> float:
    """Norms look at ratings after the event, where the request knows and wants them (official facts §1)."""
    is_after = kind_of(request) is not OpponentsAt.BEFORE
    rating = opponent.post_event if is_after and opponent.post_event is not None else opponent.rating
    return math.nan if rating is None else rating


def _why_none(request: EstimateRequest) -> str:
    """Why no norm can be earned, in a sentence; nothing where one can."""
    timing, _ = timing_of(request)
    if timing is None or timing.system is not RatingSystem.OTBR:
        return "Norms are earned with Regular ratings over the board only."
    if request.is_match:
        return "Matches give no norms."
    if request.games_with_result + request.games_to_come < NORM_GAMES:
        return f"A norm needs at least {NORM_GAMES} games in the section."
    if max(len(opponent.results) for opponent in request.opponents) > NORM_MEETINGS:
        return f"In a norm section no opponent may be met more than {times(NORM_MEETINGS)}."
    if any(math.isnan(_strength(request, opponent)) for opponent in request.opponents):
        return "An opponent is unrated: norms look at ratings after the event. Give it, after a colon: WU:1400."
    return ""


def norm_title(code: str) -> str:
    """The title that a norm with this code counts towards."""
    return NORM_TITLES[NORM_CODES.index(code)]
