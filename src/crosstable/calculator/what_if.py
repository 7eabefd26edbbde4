"""More than one estimate: the next game, every score still possible, what a target or a norm needs, many players.

Opponents stand where the request has them: at the rating after the event where it is given, else before it. With
opponents held so, only the total score counts, not who was beaten: the engine rates the games once, and its formulas
say what every other score gives.

``estimated`` takes many players at once: the standard formula of §4.2 over whole arrays. Rows that need more (the
special formula, a floor) go through the calculation of a single estimate, so both always agree.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from crosstable.calculator.estimate import (
    Estimate,
    Results,
    RowResult,
    checked,
    final_rating,
    rate_row,
    rate_ways,
    rating_before,
    results_worth,
)
from crosstable.calculator.requests import (
    HIGHEST_RATING,
    LOWEST_RATING,
    MOST_COUNTED,
    EstimateRequest,
    Opponent,
    OpponentsAt,
    Timing,
    kind_of,
    timing_of,
)
from crosstable.errors import MissingLibraryError, UnratableSectionError, install_line
from crosstable.faults import fault
from crosstable.formulas.norms import MARGIN_SLACK, NORM_GAMES, NORM_LEVELS, NORM_MARGIN, NORM_MEETINGS, margin
from crosstable.formulas.outcome import is_above_floors, official_rating, stored_whole
from crosstable.formulas.standard import ODDS_SCALE, most_effective_games, odds, winning_expectancy
from crosstable.formulas.steps import section_k
from crosstable.rules.in_words import times
from crosstable.terms import GAME_SCORES, NORM_CODES, KRule, RatingSystem, Result

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

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
    wins, draws, losses = _over(request)
    ways = (wins + 1, draws, losses), (wins, draws + 1, losses), (wins, draws, losses + 1)
    found = rate_ways(*rate_row(_without_open(longer), timing, _held(longer)), ways)
    return NextGame(now, *(_possibility(result, now) for result in found))


def _over(request: EstimateRequest) -> Results:
    """Wins, draws and losses of the games that are over."""
    over = [result for opponent in request.opponents for result in opponent.results]
    return over.count(Result.WIN), over.count(Result.DRAW), over.count(Result.LOSS)


def _without_open(request: EstimateRequest) -> EstimateRequest:
    """The request with the games that are over; whoever was not met yet stays as a row without a game."""
    return request._replace(opponents=tuple(one._replace(results=one.over) for one in request.opponents))


def outcomes(request: EstimateRequest, made: Estimate | None = None) -> Outcomes:
    """The rating for every score that the games to come can bring; for all games where none is to come.

    ``made`` is the estimate of the same request, where there is one already.
    """
    timing = checked(request) if made is None else made.timing
    to_come = request.games_to_come
    is_open, games = to_come > 0, to_come or request.games_with_result
    if games > MOST_TO_COME:
        message = f"{games} games can vary; a range of outcomes takes at most {MOST_TO_COME}."
        raise UnratableSectionError([fault("bad-value", "game", message, "Give results for some of the games.")])
    fixed = _over(request) if is_open else (0, 0, 0)
    if made is not None and made.kind is _held(request) and not is_open:
        rated, player = made.rated, made.player
    else:
        rated, player = rate_row(_all_over(request), timing, _held(request))
    before = rating_before(request, timing)
    ways = [_with_score(fixed, half, games) for half in range(2 * games + 1)]
    found = tuple(_possibility(result, before) for result in rate_ways(rated, player, ways))
    return Outcomes(before, fixed[0] + 0.5 * fixed[1], fixed[0] + fixed[1] + fixed[2], games, found)


def _all_over(request: EstimateRequest) -> EstimateRequest:
    """The request as if all its games had been played; those to come count as drawn."""
    return request._replace(
        opponents=tuple(
            one._replace(results=tuple(result or Result.DRAW for result in one.results)) for one in request.opponents
        )
    )


def _with_score(fixed: Results, half_points: int, games: int) -> Results:
    """All results if the games that vary bring so many half points: wins first, at most one draw, then losses."""
    wins, draws = divmod(half_points, 2)
    return fixed[0] + wins, fixed[1] + draws, fixed[2] + games - wins - draws


def score_needed(found: Outcomes, target: float) -> Possibility | None:
    """The least score whose official rating reaches a target; ``None`` where no score does."""
    return next((each for each in found.possibilities if each.official >= target), None)


# Of games between equals so large a share is taken to be drawn; no rule says it.
EVEN_DRAWS = 0.25
# A path to a target is followed over so many events, and so many paths are told.
MOST_EVENTS, MOST_PATHS = 20, 5


def score_chances(request: EstimateRequest, found: Outcomes | None = None) -> dict[float, float]:
    """The chance of each total score, by the winning expectancies (§4.2) at the rating before the event.

    Games that are over count as they ended; where none is to come all are open. An unrated opponent counts as equal.
    ``found`` are the outcomes of the same request, where there are some already.
    """
    own = odds(rating_before(request, checked(request)) if found is None else found.before)
    has_open = request.games_to_come > 0
    over, chances = 0.0, [1.0]
    for opponent, strength in zip(request.opponents, _strengths(request), strict=True):
        expected = winning_expectancy(own, own if math.isnan(strength) else odds(strength))
        draws = EVEN_DRAWS * 2.0 * min(expected, 1.0 - expected)
        wins = expected - draws / 2.0
        for result in opponent.results:
            if has_open and result is not None:
                over += GAME_SCORES[result]
            else:
                chances = _with_game(chances, 1.0 - wins - draws, draws, wins)
    return {over + half / 2.0: chance for half, chance in enumerate(chances)}


def _with_game(chances: Sequence[float], losses: float, draws: float, wins: float) -> list[float]:
    """The chances of each number of half points with one game more."""
    won, drawn, lost = (0.0, 0.0, *chances), (0.0, *chances, 0.0), (*chances, 0.0, 0.0)
    return [two * wins + one * draws + none * losses for two, one, none in zip(won, drawn, lost, strict=True)]


class Path(NamedTuple):
    """A score that is made again and again against such opponents, and the official ratings it leads through."""

    score: float
    ratings: tuple[int, ...]


def paths_to(request: EstimateRequest, found: Outcomes, target: float) -> tuple[Path, ...]:
    """Ways to a target over several equal events, the best score first: the score of each, and the ratings after it.

    Scores that reach it at once need one event; lower ones more, until one does not lead there.
    """
    games = request.games_with_result + request.games_to_come
    paths: list[Path] = []
    for way in reversed(found.possibilities):
        if way.official >= target and way.score > 0.0 and _reaches(found, way.score - 0.5, target):
            continue
        results = iter(list(results_worth(way.score, games)))
        again = (one._replace(results=tuple(next(results) for _ in one.results)) for one in request.opponents)
        ratings = events_to(request._replace(opponents=tuple(again)), target)
        if ratings is None or len(paths) == MOST_PATHS:
            break
        paths.append(Path(way.score, ratings))
    return tuple(paths)


def _reaches(found: Outcomes, score: float, target: float) -> bool:
    return any(one.score == score and one.official >= target for one in found.possibilities)


def events_to(request: EstimateRequest, target: float) -> tuple[int, ...] | None:
    """The official ratings after each of so many equal events, the last of which reaches a target.

    Nothing where no result leads there within a number of events.
    """
    timing = checked(request)
    found: list[int] = []
    at = _without_open(request)._replace(peak=None, record=None, events=None)
    while len(found) < MOST_EVENTS:
        after = rate_row(at, timing, _held(at))[1].after
        assert after is not None
        found.append(official_rating(after.rating))
        if found[-1] >= target:
            return tuple(found)
        if len(found) > 1 and found[-1] <= found[-2]:
            return None
        at = at._replace(rating=after.rating, games=after.games)
    return None


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
    """A level (official facts §1): what a player of it is expected to score, and the least score for a norm, if any.

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


def norm_chances(request: EstimateRequest) -> NormChances:
    """The norms that are possible against the opponents of a request, games to come included."""
    wins, draws, losses = _over(request)
    score, to_come = wins + 0.5 * draws, request.games_to_come
    strengths = _strengths(request)
    reason = _why_none(request, strengths)
    if reason:
        return NormChances((), reason, wins + draws + losses, to_come, score)
    opponents = [
        strength for opponent, strength in zip(request.opponents, strengths, strict=True) for _ in opponent.results
    ]
    chances = tuple(_chance(position, opponents, score, to_come) for position in range(len(NORM_LEVELS)))
    return NormChances(chances, "", wins + draws + losses, to_come, score)


def _chance(position: int, opponents: Sequence[float], score: float, to_come: int) -> NormChance:
    """A level: the least score, in half points, that is more than a point above what is expected of it."""
    level = NORM_LEVELS[position]
    expected = 0.0 - margin(level, 0.0, opponents)
    needed = math.floor(2.0 * (expected + NORM_MARGIN + MARGIN_SLACK)) / 2.0 + 0.5
    rest = max(0.0, needed - score)
    return NormChance(
        code=NORM_CODES[position],
        title=NORM_TITLES[position],
        level=int(level),
        expected=expected,
        needed=needed if needed <= len(opponents) else None,
        from_rest=rest if rest <= to_come and needed <= len(opponents) else None,
    )


def _strengths(request: EstimateRequest) -> list[float]:
    """Norms look at ratings after the event, where the request knows and wants them (official facts §1)."""
    if kind_of(request) is OpponentsAt.BEFORE:
        return [math.nan if one.rating is None else one.rating for one in request.opponents]
    found = [one.rating if one.post_event is None else one.post_event for one in request.opponents]
    return [math.nan if rating is None else rating for rating in found]


def _why_none(request: EstimateRequest, strengths: Sequence[float]) -> str:
    """Why no norm can be earned, in a sentence; nothing where one can."""
    timing, _ = timing_of(request)
    if timing is None or timing.system is not RatingSystem.OTBR:
        return "Norms are earned with Regular ratings over the board only."
    if request.is_match:
        return "Matches give no norms."
    if sum(len(opponent.results) for opponent in request.opponents) < NORM_GAMES:
        return f"A norm needs at least {NORM_GAMES} games in the section."
    if max(len(opponent.results) for opponent in request.opponents) > NORM_MEETINGS:
        return f"In a norm section no opponent may be met more than {times(NORM_MEETINGS)}."
    if any(map(math.isnan, strengths)):
        return "An opponent is unrated: norms look at ratings after the event. Give it, after a colon: WU:1400."
    return ""


def norm_title(code: str) -> str:
    """The title that a norm with this code counts towards."""
    return NORM_TITLES[NORM_CODES.index(code)]


_RESULTS = {1.0: Result.WIN, 0.5: Result.DRAW, 0.0: Result.LOSS}


class Arrays(NamedTuple):
    """The rows of a question as arrays: a rating and its games (NaN: not known), opponents and scores (NaN: none)."""

    rating: "Floats"
    games: "Floats"
    opponents: "Floats"
    scores: "Floats"


def arrays_of(rating: "ArrayLike", games: "ArrayLike | None", opponents: "ArrayLike", scores: "ArrayLike") -> Arrays:
    """The rows of a question, checked; raises ``ValueError`` with what does not fit."""
    try:
        import numpy as np
    except ImportError as error:
        raise MissingLibraryError(f"estimates needs NumPy: {install_line('history')}") from error
    own = np.atleast_1d(np.asarray(rating, dtype=np.float64))
    counts = np.full(own.shape, np.nan) if games is None else np.atleast_1d(np.asarray(games, dtype=np.float64))
    try:
        met, results = (np.atleast_2d(np.asarray(each, dtype=np.float64)) for each in (opponents, scores))
    except ValueError as error:
        raise ValueError("opponents and scores need rows of one length; fill them up with NaN") from error
    if own.ndim != 1 or counts.shape != own.shape or met.ndim != 2 or met.shape[0] != own.size:
        raise ValueError("rating and games need one value for each row, opponents one row of values for each")
    if met.shape != results.shape or (np.isnan(met) != np.isnan(results)).any():
        raise ValueError("opponents and scores must have the same shape, and NaN in the same places")
    if np.isnan(own).any():
        raise ValueError(f"row {int(np.isnan(own).argmax())} has no rating; estimate() takes unrated players")
    given = np.concatenate([own, met[~np.isnan(met)]])
    if ((given < LOWEST_RATING) | (given > HIGHEST_RATING)).any():
        raise ValueError(f"a rating lies between {LOWEST_RATING:g} and {HIGHEST_RATING:g}")
    if (counts < 0).any() or (counts > MOST_COUNTED).any():
        raise ValueError(f"a count of games lies between 0 and {MOST_COUNTED}")
    if not np.isin(results[~np.isnan(results)], list(_RESULTS)).all():
        raise ValueError("a score is 1, 0.5 or 0")
    return Arrays(own, counts, met, results)


def estimated(rows: Arrays, request: EstimateRequest, timing: Timing) -> "Floats":
    """The rating after the section of every row; ``request`` says the day, system and control for all of them."""
    import numpy as np

    constants = timing.edition.constants
    is_game = ~np.isnan(rows.opponents)
    played = is_game.sum(axis=1)
    games = np.where(np.isnan(rows.games), np.inf, rows.games)
    effective = np.minimum(games, [most_effective_games(constants, prior) for prior in rows.rating])
    rule = KRule.DUAL if timing.is_dual else KRule.FULL
    k = np.array(
        [
            section_k(constants, rule, *row) if row[2] else 0.0
            for row in zip(rows.rating, effective, played, strict=True)
        ]
    )
    difference = np.where(is_game, rows.opponents, 0.0) - rows.rating[:, np.newaxis]
    expected = np.where(is_game, 1.0 / (1.0 + np.exp(difference * ODDS_SCALE)), 0.0).sum(axis=1)
    change = k * (np.where(is_game, rows.scores, 0.0).sum(axis=1) - expected)
    threshold = constants.bonus_threshold * np.sqrt(np.maximum(played, constants.bonus_least_games))
    bonus = np.where(played >= constants.bonus_games, np.maximum(0.0, change - threshold), 0.0)
    post: Floats = rows.rating + change + bonus
    special = games <= constants.special_games
    for at in range(post.size):
        pre = float(rows.rating[at])
        if played[at] and (special[at] or not is_above_floors(constants, float(post[at]), pre, pre, pre, 0)):
            post[at] = _one(rows, at, request, timing)
        elif played[at] and constants.stores_whole_numbers:
            post[at] = stored_whole(pre, float(post[at]))
    return post


def _one(rows: Arrays, at: int, request: EstimateRequest, timing: Timing) -> float:
    """One row by the calculation of a single estimate."""
    games = float(rows.games[at])
    opponents = tuple(
        Opponent(float(rating), (_RESULTS[float(score)],))
        for rating, score in zip(rows.opponents[at], rows.scores[at], strict=True)
        if rating == rating  # a place without a game holds NaN
    )
    asked = request._replace(
        rating=float(rows.rating[at]), games=games if games == games else None, opponents=opponents
    )
    return final_rating(rate_row(asked, timing, OpponentsAt.BEFORE)[1])
