"""What if: the next game won, drawn or lost; every score that is still possible; the score that a target rating needs.

Every answer is the engine's own, a row of one section per outcome, with opponents where the request has them: at the
rating after the event where it is given, else before it. With opponents held so, only the total score counts, not who
was beaten, and no row moves another.
"""

from typing import NamedTuple

from crosstable.calculator.estimate import RowResult, checked, final_rating, rate_row, rate_ways, rating_before
from crosstable.calculator.one_row import results_worth
from crosstable.calculator.requests import EstimateRequest, Opponent, OpponentsAt, Timing, kind_of
from crosstable.errors import UnratableSectionError
from crosstable.faults import fault
from crosstable.formulas.rounding import official_rating
from crosstable.terms import GAME_SCORES, Result, total

# What a range of outcomes may ask of the engine at once.
MOST_TO_COME = 40


class Possibility(NamedTuple):
    """One way things may go: the total score, the rating it gives, and the difference to the rating now."""

    score: float
    rating: float
    official: int
    change: float
    bonus: float


class NextGame(NamedTuple):
    """The next game: the rating now, and what a win, a draw or a loss makes of it.

    ``now`` is the estimate of the games so far; without any, the rating before the event, or an unrated player's start.
    """

    now: float
    win: Possibility
    draw: Possibility
    loss: Possibility


class Outcomes(NamedTuple):
    """Every total score that is possible, lowest first, with what it gives; ``change`` counts from before the event.

    ``score`` and ``played`` are the games that are over, ``to_come`` those that vary; where none is to come all vary.
    """

    before: float
    score: float
    played: int
    to_come: int
    possibilities: tuple[Possibility, ...]


def _held(request: EstimateRequest) -> OpponentsAt:
    return OpponentsAt.BEFORE if kind_of(request) is OpponentsAt.BEFORE else OpponentsAt.AFTER


def _possibility(result: RowResult, since: float) -> Possibility:
    score, rating, bonus = result
    return Possibility(score, rating, official_rating(rating), rating - since, bonus)


def _rating_now(request: EstimateRequest, timing: Timing) -> float:
    """The estimate of the games so far, or where the player stands before the first."""
    if not request.games_with_result:
        return rating_before(request, timing)
    return final_rating(rate_row(request, timing, _held(request))[1])


def next_game(request: EstimateRequest, opponent: Opponent) -> NextGame:
    """What a win, a draw and a loss in one more game bring; its results are not looked at."""
    longer = request._replace(opponents=(*request.opponents, opponent._replace(results=(Result.DRAW,))))
    timing = checked(longer)
    now = _rating_now(request, timing)
    over = [each for one in request.opponents for each in one.results if each is not None]
    ways = [[*over, result] for result in (Result.WIN, Result.DRAW, Result.LOSS)]
    found = rate_ways(_without_open(longer), ways, timing, _held(longer))
    return NextGame(now, *(_possibility(result, now) for result in found))


def _without_open(request: EstimateRequest) -> EstimateRequest:
    """The request with the games that are over; whoever was not met yet stays as a row without a game."""
    over = tuple(
        one._replace(results=tuple(each for each in one.results if each is not None)) for one in request.opponents
    )
    return request._replace(opponents=over)


def outcomes(request: EstimateRequest) -> Outcomes:
    """The rating for every score that the games to come can bring; for all games where none is to come."""
    timing = checked(request)
    asked = request if request.games_to_come else _all_to_come(request)
    if asked.games_to_come > MOST_TO_COME:
        message = f"{asked.games_to_come} games can vary; a range of outcomes takes at most {MOST_TO_COME}."
        raise UnratableSectionError([fault("bad-value", "game", message, "Give results for some of the games.")])
    fixed = [GAME_SCORES[result] for opponent in asked.opponents for result in opponent.results if result is not None]
    kind = _held(request)
    before = rating_before(request, timing)
    ways = [_with_score(asked, half / 2.0) for half in range(2 * asked.games_to_come + 1)]
    found = tuple(_possibility(result, before) for result in rate_ways(asked, ways, timing, kind))
    return Outcomes(before, total(fixed), len(fixed), asked.games_to_come, found)


def _all_to_come(request: EstimateRequest) -> EstimateRequest:
    open_games = tuple(opponent._replace(results=(None,) * len(opponent.results)) for opponent in request.opponents)
    return request._replace(opponents=open_games)


def _with_score(request: EstimateRequest, score: float) -> list[Result]:
    """The results of all games, with those to come such that they add up to a score."""
    results = results_worth(score, request.games_to_come)
    return [next(results) if each is None else each for opponent in request.opponents for each in opponent.results]


def score_needed(found: Outcomes, target: float) -> Possibility | None:
    """The least score whose official rating reaches a target; ``None`` where no score does."""
    return next((each for each in found.possibilities if each.official >= target), None)
