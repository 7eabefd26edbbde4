"""Many estimates at once: each row a player who met opponents at the ratings they had before the event.

The standard formula of §4.2 is computed over whole arrays. Rows that need more (the special formula, a floor) go
through the same calculation as a single estimate, so both always agree.
"""

from typing import TYPE_CHECKING, NamedTuple

from crosstable.calculator.estimate import final_rating, rate_row
from crosstable.calculator.requests import (
    HIGHEST_RATING,
    LOWEST_RATING,
    MOST_COUNTED,
    EstimateRequest,
    Opponent,
    OpponentsAt,
    Timing,
)
from crosstable.errors import MissingLibraryError
from crosstable.formulas.outcome import is_above_floors, stored_whole
from crosstable.formulas.standard import ODDS_SCALE, most_effective_games
from crosstable.formulas.steps import section_k
from crosstable.terms import KRule, Result

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

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
        raise MissingLibraryError("estimates needs NumPy: pip install 'crosstable[history]'") from error
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
