"""Intervals where a few values decide the mean: a tail by hand, and how often the interval holds the truth."""

import math

import numpy as np
import pytest

from crosstable.lab.heavy_tails import Tail, heavy_tail, tail_ends
from crosstable.lab.seeds import interval_of
from tests.amounts import amount


def with_top(*logarithms: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Twenty-five values: 1 and below, and five above it, of these logarithms."""
    return np.array([*np.linspace(-1.0, 1.0, 25 - len(logarithms)), *(math.exp(one) for one in logarithms)])


def test_a_tail_by_hand() -> None:
    """Of 25 values the five largest tell the tail: Hill's exponent is 5 over the sum of their logarithms, here 5 / 3.6.

    Two fifths of the five are drawn, above the third largest. The mean of Pareto's distribution is the threshold times
    the exponent, over the exponent less one.
    """
    tail = heavy_tail(with_top(0.2, 0.4, 0.6, 1.0, 1.4))
    assert tail == pytest.approx((math.exp(0.6), 5.0 / 3.6, 2))
    assert Tail(2.0, 1.5, 2).mean == pytest.approx(6.0)


def test_the_exponent_has_a_limit_on_either_side() -> None:
    """5 / 3.4 is below 1.5, 5 / 3.3 is above it and no heavy tail; 5 / 5 would have no mean and is taken as 1.2."""
    heavy = heavy_tail(with_top(0.2, 0.4, 0.6, 0.9, 1.3))
    assert heavy is not None
    assert heavy.exponent == pytest.approx(5.0 / 3.4)
    assert heavy_tail(with_top(0.2, 0.4, 0.6, 0.9, 1.2)) is None
    heaviest = heavy_tail(with_top(0.2, 0.8, 1.0, 1.4, 1.6))
    assert heaviest is not None
    assert heaviest.exponent == 1.2


def test_too_few_values_and_equal_ones_have_no_tail() -> None:
    values = with_top(0.2, 0.8, 1.0, 1.4, 1.6)
    assert heavy_tail(values[-20:]) is not None
    assert heavy_tail(values[-19:]) is None
    assert heavy_tail(np.zeros(25)) is None


def test_a_tail_lengthens_its_own_side_and_moves_with_the_values() -> None:
    """The same tail downwards gives the same interval turned round, and values that are all 7 higher one 7 higher."""
    values = with_top(0.4, 0.8, 1.0, 1.4, 1.6)
    found = tail_ends(values, 1.0)
    assert found is not None
    below, above = found
    assert above > 2.0 * below > 0.0
    mean, low, high = interval_of(values.tolist())
    assert high == pytest.approx(mean + above * values.std(ddof=1))
    assert interval_of((-values).tolist()) == pytest.approx((-mean, -high, -low))
    assert interval_of((values + 7.0).tolist()) == pytest.approx((mean + 7.0, low + 7.0, high + 7.0))


def test_intervals_of_a_heavy_tail_hold_the_truth_nine_times_in_ten() -> None:
    """Pareto's distribution of the second kind with an exponent of 1.5 has a mean of 2 and no variance.

    Without an end of its own for the tail, 87 of a hundred intervals of thirty hold the mean.
    """
    drawn = np.random.default_rng(26).pareto(1.5, (amount(400), 30))
    held = [low <= 2.0 <= high for _, low, high in (interval_of(one.tolist()) for one in drawn)]
    assert 0.90 <= float(np.mean(held)) <= 0.97
