"""The ± of a rating: numbers by hand."""

import math

import pytest

from crosstable.calculator.uncertainty import FITTED, plus_minus


def test_by_hand() -> None:
    """At a level the deviation is its constant; between levels it is between; on one game the beginner's is added."""
    assert plus_minus(2200.0, math.inf) == pytest.approx(1.96 * FITTED.settled[-1])
    assert plus_minus(2000.0, math.inf) == pytest.approx(1.96 * (FITTED.settled[-1] + FITTED.settled[-2]) / 2.0)
    few = math.sqrt(FITTED.settled[0] ** 2 + FITTED.beginner**2 * (1.0 / 4.0 - 1.0 / 26.0))
    assert plus_minus(500.0, 4) == pytest.approx(1.96 * few)
    assert plus_minus(500.0, 26) == plus_minus(500.0, math.inf)


def test_a_rating_is_the_more_certain_the_more_games_and_points_it_has() -> None:
    by_games = [plus_minus(1500.0, games) for games in (1, 4, 12, 25, 26)]
    by_rating = [plus_minus(rating, math.inf) for rating in (900.0, 1600.0, 1900.0, 2300.0)]
    assert by_games == sorted(by_games, reverse=True)
    assert by_rating == sorted(by_rating, reverse=True)
