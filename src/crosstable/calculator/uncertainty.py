"""How uncertain a Regular rating is: a ± by rating and games, fitted on official results.

Nobody sees the true strength of a player, but everybody sees how they score next. If ratings have these deviations, the
score in a section, from the ratings that all players brought, lies within an interval 95 times of a hundred. The
constants are those with which this holds, group by group, on one half of the official events; tools/fit_uncertainty.py
finds them and counts on the other half. How long ago somebody was last seen on a page was tried too and added nothing;
forms that know more of the opponents did not hold better on the other half (docs/lab-committee.md).
"""

import math
from itertools import pairwise
from typing import NamedTuple

from crosstable.rules.editions import EDITIONS

CONFIDENCE_ERRORS = 1.96
LEVELS = (1000.0, 1400.0, 1800.0, 2200.0)
# A rating on more games is established.
ESTABLISHED_ABOVE = EDITIONS[-1].constants.established_above


class Deviations(NamedTuple):
    """Deviations of established ratings at the levels, and what a rating on one game has beside that."""

    settled: tuple[float, ...]
    beginner: float


FITTED = Deviations(settled=(241.0, 241.0, 130.0, 87.0), beginner=838.0)


def deviation(rating: float, games: float, constants: Deviations = FITTED) -> float:
    """The standard deviation of the error of a rating on so many games (infinite: established)."""
    few = 0.0
    if games <= ESTABLISHED_ABOVE:
        few = 1.0 / max(games, 1.0) - 1.0 / (ESTABLISHED_ABOVE + 1.0)
    return math.sqrt(_settled(rating, constants.settled) ** 2 + constants.beginner**2 * few)


def _settled(rating: float, deviations: tuple[float, ...]) -> float:
    """Straight between the levels, the same below the first and above the last."""
    for (low, at_low), (high, at_high) in pairwise(zip(LEVELS, deviations, strict=True)):
        if rating < high:
            return at_low + (at_high - at_low) * max(rating - low, 0.0) / (high - low)
    return deviations[-1]


def plus_minus(rating: float, games: float) -> float:
    """By how many points a rating may be off, 95 times of a hundred."""
    return CONFIDENCE_ERRORS * deviation(rating, games)
