"""The ± of ratings: intervals hold where the truth is known."""

import math

import numpy as np
import pytest

from crosstable.calculator.uncertainty import CONFIDENCE_ERRORS, Deviations
from crosstable.lab.predictions import Games
from crosstable.lab.uncertainty import deviations_of, scores_of
from tools.fit_uncertainty import NEUTRAL, Posted, fitted


def test_one_game_between_equals() -> None:
    """Nothing is uncertain but luck: one half is expected; a win is half a point above it; draws make it narrower."""
    games = Games(np.array([0]), np.array([0]), np.array([0]), np.array([1]), np.array([1.0]))
    found = scores_of(games, np.array([1600.0, 1600.0]), np.zeros(2))
    assert found.scored.tolist() == [1.0, 0.0]
    assert found.played.tolist() == [1.0, 1.0]
    assert found.errors == pytest.approx([0.5 / math.sqrt(0.25 * (1.0 - 0.22)), -0.5 / math.sqrt(0.25 * 0.78)])


@pytest.mark.parametrize(("settled", "played"), [(87.0, 6), (240.0, 5), (130.0, 3)])
def test_intervals_hold_where_the_truth_is_known(settled: float, played: int) -> None:
    """Ratings with errors of this size, games without draws in sections of so many games: 92 to 98 of a hundred."""
    rng = np.random.default_rng(26)
    sections, people = 600, played + 1
    rating = rng.normal(1500.0, 150.0, sections * people)
    error = deviations_of(rating, np.full(len(rating), 100.0), Deviations((settled,) * 4, 0.0))
    truth = rating + rng.normal(0.0, error)
    pairs = [(one, other) for one in range(people) for other in range(one + 1, people)]
    one, other = (np.array([at * people + pair[side] for at in range(sections) for pair in pairs]) for side in (0, 1))
    expected = 1.0 / (1.0 + 10.0 ** ((truth[other] - truth[one]) / 400.0))
    # Who draws so often that luck is as much smaller as the function takes it to be.
    drawn = 0.08 + 0.14 * ((rating[one] + rating[other]) / 2.0 - 600.0) / 1000.0
    win = expected - drawn * expected * (1.0 - expected) * 2.0
    luck = rng.random(len(one))
    score = np.where(luck < win, 1.0, np.where(luck < win + 4.0 * drawn * expected * (1.0 - expected), 0.5, 0.0))
    found = scores_of(Games(one, one, one, other, score), rating, error)
    assert found.played.tolist() == [played] * len(rating)
    assert 0.92 <= float(np.mean(np.abs(found.errors) <= CONFIDENCE_ERRORS)) <= 0.98


def _posted(rng: np.random.Generator, off: float) -> Posted:
    """Sections of six players who all meet; their established ratings have errors of this size; halves by turns."""
    sections, people = 80, 6
    rating = rng.normal(1500.0, 150.0, sections * people)
    truth = rating + rng.normal(0.0, off, len(rating))
    pairs = [(one, other) for one in range(people) for other in range(one + 1, people)]
    one, other = (np.array([at * people + pair[side] for at in range(sections) for pair in pairs]) for side in (0, 1))
    score = (rng.random(len(one)) < 1.0 / (1.0 + 10.0 ** ((truth[other] - truth[one]) / 400.0))).astype(np.float64)
    section = np.repeat(np.arange(sections), people)
    return Posted(
        Games(section[one], section[one], one, other, score),
        rating,
        np.full(len(rating), 100.0),
        np.full(len(rating), np.nan),
        section,
        section % 2,
    )


def test_a_fit_knows_nothing_of_the_other_half() -> None:
    """Other scores of the rows that were not chosen change nothing; larger errors of those that were do."""
    seen = _posted(np.random.default_rng(26), 100.0)
    first = seen.half == 0
    games = seen.games
    turned = np.where(first[games.one], games.score, 1.0 - games.score)
    found = fitted(seen, first, NEUTRAL)
    assert fitted(seen._replace(games=games._replace(score=turned)), first, NEUTRAL) == found
    wider = fitted(_posted(np.random.default_rng(26), 400.0), first, NEUTRAL)
    assert wider.settled[1] > found.settled[1]
