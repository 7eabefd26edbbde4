"""What public output gives away of birth dates, by a solver that tries them all (§2.3).

The suite takes some sections, ``make solver`` 500. The bar: of the birth dates that the posted whole numbers leave, all
public output leaves half in the median, and never fewer than 30 unless the posted numbers alone do.
"""

from datetime import timedelta
from typing import Any

import pytest

from crosstable.engine import RatedSection
from crosstable.explanation import explain
from crosstable.explanation.lines import started_by_age
from tests.amounts import amount
from tools.solve_birth_dates import (
    SOUGHT,
    Left,
    birth_dates,
    days_left,
    measured,
    posted,
    public,
    random_case,
    rated_with,
    solved,
)

SEEDS = range(amount(10, 100))


def test_public_output_leaves_what_the_posted_numbers_leave() -> None:
    found = [solved(random_case(seed)) for seed in SEEDS]
    assert all(1 <= left.public <= left.posted for left in found)
    assert measured(found).is_enough, str(measured(found))


def everything(rated: RatedSection) -> tuple[Any, ...]:
    """What would be seen if the whole working were public."""
    return tuple(line.text for player in rated.players for line in explain(rated, player.number))


def test_the_solver_finds_the_day_where_everything_is_shown() -> None:
    """The same solver, the same sections, but the explanations of the office: it is no blunt tool."""
    for seed in (0, 1, 4):
        case = random_case(seed)
        every = birth_dates(case)
        truth = next(at for at, one in enumerate(every) if one.born <= case.born < one.born + timedelta(days=one.days))
        assert days_left(case, everything, every, truth) == every[truth].days


@pytest.mark.parametrize("seed", [0, 10])
def test_halving_finds_what_trying_every_day_finds(seed: int) -> None:
    """Every hundredth birth date is tried; those found by halving are the same."""
    case = random_case(seed)
    every = birth_dates(case)[::100]
    truth = len(every) // 2
    for seen in (posted, public):
        true = seen(rated_with(case, every[truth].born))
        tried = sum(one.days for one in every if seen(rated_with(case, one.born)) == true)
        assert days_left(case, seen, every, truth) == tried


def test_the_sections_are_what_they_should_be() -> None:
    """Under old and new editions, with one and with several players who started by age, blends among them."""
    cases = [random_case(seed) for seed in range(200)]
    rated = [rated_with(case, case.born) for case in cases]
    assert all(started_by_age(one, one.players[SOUGHT - 1]) or one.players[0].start.sources for one in rated)  # type: ignore[union-attr]
    assert len({one.edition.effective for one in rated}) > 15
    assert sum(sum(player.start is not None for player in one.players) > 1 for one in rated) > 40
    assert sum(bool(one.players[0].start and one.players[0].start.sources) for one in rated) > 10


def test_too_much_given_away_is_seen() -> None:
    assert not measured([Left(1000, 400), Left(1000, 400), Left(1000, 1000)]).is_enough
    assert not measured([Left(1000, 1000), Left(1000, 1000), Left(1000, 29)]).is_enough
    assert measured([Left(20, 2), Left(1000, 500), Left(30, 30)]).is_enough
