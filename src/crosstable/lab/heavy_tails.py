"""Where a few federations decide a mean: how far it may lie from what was seen, if none or many of the few were seen.

A bootstrap whose upper tail is Pareto's instead of the few values that happened to be seen: R. Davidson and
E. Flachaire, Asymptotic and bootstrap inference for inequality and poverty measures, Journal of Econometrics 141, 2007.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from crosstable.lab.drawing import CONFIDENCE
from crosstable.lab.predictions import Floats

# Fewer values tell nothing of their tail.
FEWEST_FOR_TAIL = 20
# The exponent is told from the largest values, as many as the square root of their number. This share of them is drawn
# from Pareto's distribution, above a threshold that lies farther out.
TAIL_SHARE = 0.4
# Below this exponent a tail is heavy. None is taken to be lower than the least, as at 1 there is no mean. These numbers
# were chosen on federations that are in no count of docs/lab.md.
HEAVY, LEAST = 1.5, 1.2
SAMPLES = 999


class Tail(NamedTuple):
    """Pareto's distribution above a threshold: its exponent, and how many of the values are above it."""

    threshold: float
    exponent: float
    above: int

    @property
    def mean(self) -> float:
        """The mean of what lies above the threshold."""
        return self.threshold * self.exponent / (self.exponent - 1.0)


def tail_ends(values: Floats, skew: float) -> tuple[float, float] | None:
    """How many standard deviations below and above the mean an interval ends; none where no tail is heavy.

    The tail is on the side of the skewness, and its values are counted from the median.
    """
    side = math.copysign(1.0, skew)
    turned = np.sort(side * values)
    turned -= np.median(turned)
    tail = heavy_tail(turned)
    if tail is None:
        return None
    fewer, more = np.quantile(_samples(turned, tail), ((1.0 - CONFIDENCE) / 2.0, (1.0 + CONFIDENCE) / 2.0)).tolist()
    return (more, -fewer) if side > 0.0 else (-fewer, more)


def heavy_tail(turned: Floats) -> Tail | None:
    """The heavy upper tail of sorted values, by Hill's estimate of its exponent."""
    count = len(turned)
    if count < FEWEST_FOR_TAIL:
        return None
    largest = round(math.sqrt(count))
    below = float(turned[-largest - 1])
    if below <= 0.0:
        return None
    logarithms = math.fsum(math.log(one / below) for one in turned[-largest:].tolist())
    if logarithms * HEAVY <= largest:
        return None
    drawn = round(TAIL_SHARE * largest)
    return Tail(float(turned[-drawn - 1]), max(largest / logarithms, LEAST), drawn)


def _samples(turned: Floats, tail: Tail) -> Floats:
    """How far the means of samples lie above the mean they are drawn from, in standard deviations of the samples."""
    count, body = len(turned), turned[: -tail.above]
    which, where = _draws(count)
    share = tail.above / count
    drawn = np.where(
        which < share,
        tail.threshold * where ** (-1.0 / tail.exponent),
        body[np.ceil(where * len(body)).astype(np.int64) - 1],
    )
    mean = share * tail.mean + (1.0 - share) * float(body.mean())
    spread = drawn.std(axis=1, ddof=1)
    return np.asarray((drawn.mean(axis=1) - mean)[spread > 0.0] / spread[spread > 0.0])


@cache
def _draws(count: int) -> tuple[Floats, Floats]:
    """Numbers above 0 and at most 1, the same for all figures: which part a value is drawn from, and where in it."""
    rng = np.random.Generator(np.random.PCG64(count))
    return 1.0 - rng.random((SAMPLES, count)), 1.0 - rng.random((SAMPLES, count))
