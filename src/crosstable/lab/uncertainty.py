"""How uncertain a Regular rating is: a ± by rating and games, fitted on official results.

Nobody sees the true strength of a player, but everybody sees how they score next. If ratings have these deviations, the
score in a section, from the ratings that all players brought, lies within an interval 95 times of a hundred. The
constants are those with which this holds, group by group, on one half of the official events; tools/fit_uncertainty.py
finds them and counts on the other half. How long ago somebody was last seen on a page was tried too and added nothing.
"""

import math
from typing import NamedTuple

import numpy as np

from crosstable.lab.measures import PROVISIONAL
from crosstable.lab.predictions import Floats, Games

CONFIDENCE_ERRORS = 1.96
LEVELS = (1000.0, 1400.0, 1800.0, 2200.0)
_Q = math.log(10.0) / 400.0
# Of equal opponents with a mean rating of 600 so many draw, and so many more for each thousand points (posted pages).
_DRAWS, _DRAWS_A_THOUSAND, _DRAWS_FROM, _FEWEST_DRAWS, _MOST_DRAWS = 0.08, 0.14, 600.0, 0.04, 0.4


class Deviations(NamedTuple):
    """Deviations of established ratings at the levels, and what a rating on one game has beside that."""

    settled: tuple[float, ...]
    beginner: float


FITTED = Deviations(settled=(241.0, 241.0, 130.0, 87.0), beginner=838.0)


def deviation(rating: Floats, games: Floats, constants: Deviations = FITTED) -> Floats:
    """The standard deviation of the error of ratings on so many games."""
    settled = np.interp(rating, LEVELS, constants.settled) ** 2
    few = np.where(games <= PROVISIONAL, 1.0 / np.maximum(games, 1.0) - 1.0 / (PROVISIONAL + 1.0), 0.0)
    return np.asarray(np.sqrt(settled + constants.beginner**2 * few))


def plus_minus(rating: float, games: float) -> float:
    """By how many points a rating may be off, 95 times of a hundred."""
    found = deviation(np.array([rating]), np.array([games]))
    return CONFIDENCE_ERRORS * float(found[0])


class Scores(NamedTuple):
    """What players scored in sections, in how many games, and how far that is from what was expected, in errors."""

    scored: Floats
    played: Floats
    errors: Floats


def scores_of(games: Games, rating: Floats, error: Floats) -> Scores:
    """Scores by row of results; an expectancy is the less sure the more uncertain both ratings are (as in Glicko)."""
    one, other, count = games.one, games.other, len(rating)
    flat = 1.0 / np.sqrt(1.0 + 3.0 * _Q**2 * (error[one] ** 2 + error[other] ** 2) / math.pi**2)
    expected = 1.0 / (1.0 + 10.0 ** (-flat * (rating[one] - rating[other]) / 400.0))
    spread = expected * (1.0 - expected)
    drawn = _DRAWS + _DRAWS_A_THOUSAND * ((rating[one] + rating[other]) / 2.0 - _DRAWS_FROM) / 1000.0
    luck = spread * (1.0 - np.clip(drawn, _FEWEST_DRAWS, _MOST_DRAWS))
    steep = spread * _Q * flat

    def summed(mine: Floats, theirs: Floats) -> Floats:
        return np.asarray(np.bincount(one, mine, count) + np.bincount(other, theirs, count))

    # The own error is the same in all games of a section; what it adds to each of them is in their luck already.
    together = (summed(steep, steep) ** 2 - summed(steep**2, steep**2)) * error**2
    scored = summed(games.score, 1.0 - games.score)
    ones = np.ones(len(one))
    far = (scored - summed(expected, 1.0 - expected)) / np.sqrt(np.maximum(summed(luck, luck) + together, 1e-9))
    return Scores(scored, summed(ones, ones), far)
