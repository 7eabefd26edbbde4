"""Performance ratings: what rating a score against these opponents stands for, by every method people use.

The linear method and the algorithm of 400 are one formula: the average opponent plus 800 times what the score exceeds
one half by. The logarithm is what the old calculator page calls "FIDE"; FIDE itself reads a table, dp. The method of
the rating system is the special formula with no games before (§4.1), which a player's first rating follows.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from crosstable.formulas.rounding import official_rating
from crosstable.formulas.special import special_rating
from crosstable.rules.constants import Constants
from crosstable.terms import Past, total

# Neither a full score nor none has a logarithm; FIDE's table ends at 800 (readings 88, 114).
FULL_SCORE_DIFFERENCE = 800.0
# FIDE Rating Regulations, table 8.1.1: dp for a score of 50, 51 … 100 per cent; below one half it is the negative.
FIDE_DP = (
    *(0, 7, 14, 21, 29, 36, 43, 50, 57, 65),
    *(72, 80, 87, 95, 102, 110, 117, 125, 133, 141),
    *(149, 158, 166, 175, 184, 193, 202, 211, 220, 230),
    *(240, 251, 262, 273, 284, 296, 309, 322, 336, 351),
    *(366, 383, 401, 422, 444, 470, 501, 538, 589, 677),
    800,
)


class PerformanceRatings(NamedTuple):
    """A performance by every method; ``is_limit`` says that the score was full or none, where 800 points are used."""

    average: float
    score: float
    played: int
    logarithmic: float
    linear: float
    algorithm_of_400: float
    fide_table: int
    special: float
    is_limit: bool


def logarithmic_performance(average: float, score: float, played: int) -> float:
    """The old page's "FIDE method": average + 400 log10(S / (N - S)), and 800 at a full score or none."""
    if score <= 0.0:
        return average - FULL_SCORE_DIFFERENCE
    if score >= played:
        return average + FULL_SCORE_DIFFERENCE
    return average + 400.0 * math.log10(score / (played - score))


def linear_performance(average: float, score: float, played: int) -> float:
    """The linear method: average + 8 (S% - 50)."""
    return average + 8.0 * (100.0 * score / played - 50.0)


def algorithm_of_400(opponents: Sequence[float], wins: int, losses: int) -> float:
    """(sum of opponents + 400 (wins - losses)) / games: the linear method in other words."""
    return (total(opponents) + 400.0 * (wins - losses)) / len(opponents)


def fide_difference(score: float, played: int) -> int:
    """FIDE's dp for a score, its fraction rounded to whole per cent, halves up."""
    per_cent = math.floor(100.0 * score / played + 0.5)
    return FIDE_DP[per_cent - 50] if per_cent >= 50 else -FIDE_DP[50 - per_cent]


def fide_performance(average: float, score: float, played: int) -> int:
    """FIDE's own performance rating: the average opponent, rounded, plus dp from the table."""
    return official_rating(average) + fide_difference(score, played)


def special_performance(constants: Constants, opponents: Sequence[float], score: float) -> float:
    """The rating at which the special formula, with no games before, expects just this score (§4.1)."""
    start = total(opponents) / len(opponents)
    return special_rating(constants, start, 0.0, Past.MIXED, score, opponents).uncapped


def performance_ratings(
    constants: Constants, opponents: Sequence[float], scores: Sequence[float]
) -> PerformanceRatings:
    """The performance against these opponents, a score per game, by every method."""
    played = len(opponents)
    score = total(scores)
    average = total(opponents) / played
    wins, losses = list(scores).count(1.0), list(scores).count(0.0)
    return PerformanceRatings(
        average,
        score,
        played,
        logarithmic_performance(average, score, played),
        linear_performance(average, score, played),
        algorithm_of_400(opponents, wins, losses),
        fide_performance(average, score, played),
        special_performance(constants, opponents, score),
        score in (0.0, float(played)),
    )
