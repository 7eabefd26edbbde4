"""How far scores lie from what uncertain ratings expect: by this the ± of a rating is fitted, and counted."""

import math
from typing import NamedTuple

import numpy as np

from crosstable.calculator.uncertainty import FITTED, Deviations, deviation
from crosstable.lab.predictions import Floats, Games

_Q = math.log(10.0) / 400.0
# Of equal opponents with a mean rating of 600 so many draw, and so many more for each thousand points (posted pages).
_DRAWS, _DRAWS_A_THOUSAND, _DRAWS_FROM, _FEWEST_DRAWS, _MOST_DRAWS = 0.08, 0.14, 600.0, 0.04, 0.4


def deviations_of(rating: Floats, games: Floats, constants: Deviations = FITTED) -> Floats:
    """The standard deviations of the errors of ratings on so many games."""
    return np.array([deviation(*one, constants) for one in zip(rating.tolist(), games.tolist(), strict=True)])


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
