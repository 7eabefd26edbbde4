"""Birth dates sought in what is public (issue 5 §5): candidates are rated with our own engine and compared.

The bar is a year. A year of birth is what directors may know and what age lists tell (reliability §5); half of that
would be a season of birth, which with a first name and a school says who is meant.

What the office cannot hide are official ratings: whole numbers of established players. They move with the start of a
newcomer they met, mostly by less than a point a year. So where only provisional players are met nothing at all may
differ within the block of years; where established ones are met the bar holds in nearly all sections, and what was
measured stands beside the assertions.
"""

from collections.abc import Sequence
from datetime import date, timedelta

import pytest

from crosstable.formulas.rounding import official_rating
from crosstable.office.veils import YEARS, block_of
from tests.office.newcomer_sections import (
    ESTABLISHED,
    MIXED,
    NEWCOMER,
    PROVISIONAL,
    Circle,
    Shape,
    candidates,
    circle,
    is_possible,
    seen,
    span_days,
)

YEAR = 365
SHAPES = [Shape(2, 1), Shape(4, 3), Shape(6, 3), Shape(10, 4)]
SEEDS = range(8)


def decimals(made: Circle, birth_date: date) -> list[float]:
    """What would be public without any mask."""
    return [player.outcome.rating for one in seen(made, birth_date) for player in one.rated.players]


def whole_numbers(made: Circle, birth_date: date) -> list[int]:
    """What would be public if only starts and decimals were masked."""
    return [official_rating(rating) for rating in decimals(made, birth_date)]


def keeps_his_start(made: Circle) -> bool:
    """Whether the newcomer lost every game and is still where he began."""
    first = seen(made)[0].rated.players[0]
    return first.score == 0.0 and first.outcome.rating == first.prior


def around(day: date, days: int) -> list[date]:
    return [day + timedelta(days=at) for at in range(-days, days + 1)]


@pytest.mark.parametrize("shape", SHAPES[1:3])
def test_without_masks_the_birth_date_is_found_to_the_day(shape: Shape) -> None:
    """The attack works: decimals of a section's results tell the day. (A single game may hang on no start at all.)"""
    for seed in SEEDS[:3]:
        made = circle(seed, shape)
        posted = decimals(made, made.birth_date)
        left = [day for day in around(made.birth_date, 20) if decimals(made, day) == posted]
        assert left == [made.birth_date]


def test_whole_numbers_alone_tell_the_week_of_a_beginner_who_lost_every_game() -> None:
    """Why a mask of decimals is not enough: such a beginner keeps his start, 0.137 points a day (§2.3, §4.1)."""
    made = next(filter(keeps_his_start, (circle(seed, Shape(4, 3, games=ESTABLISHED)) for seed in range(200))))
    posted = whole_numbers(made, made.birth_date)
    left = [day for day in around(made.birth_date, 200) if whole_numbers(made, day) == posted]
    assert span_days(left) <= 8


@pytest.mark.parametrize("shape", [Shape(one.players, one.rounds, games=PROVISIONAL) for one in SHAPES])
def test_among_provisional_players_all_births_of_the_years_look_the_same(shape: Shape) -> None:
    """Here the attacker even knows everybody else's decimals. Rows of births four years apart are equal."""
    for seed in SEEDS:
        made = circle(seed, shape)
        rows = seen(made)[0].rows
        left = [day for day in candidates(made) if seen(made, day)[0].rows == rows]
        assert len(left) >= 0.95 * len(list(candidates(made))), seed
        assert span_days(left) >= 3 * YEAR


# Measured over 100 circles each: the share that leaves a year, the fewest days of any, the median in days.
#   others              one section           met once again       met three times again
#   mixed                99 %, 360, 1440       99 %, 360, 1440      92 %, 135, 1350
#   established only     96 %, 180, 1395       90 %,  90, 1395      76 %,  45, 1170
#   provisional only    100 %, 1395, 1440      99 %, 270, 1440      97 %,  90, 1395
# A day between two candidates (45 days) is not looked at, so up to 90 days more are left than counted.
@pytest.mark.parametrize(
    ("sections", "games", "share", "fewest_days"),
    [
        (1, MIXED, 0.95, 300),
        (1, ESTABLISHED, 0.90, 135),
        (2, MIXED, 0.95, 270),
        (2, ESTABLISHED, 0.80, 60),
        (4, MIXED, 0.80, 60),
        (4, ESTABLISHED, 0.65, 30),
    ],
)
def test_what_is_public_leaves_a_year(sections: int, games: Sequence[int], share: float, fewest_days: int) -> None:
    """The circles are small on purpose and meet the newcomer again and again: the worst that can be."""
    found = []
    for shape in SHAPES[: 4 if sections == 1 else 3]:
        for seed in SEEDS[: 8 if sections < 4 else 5]:
            made = circle(seed, Shape(shape.players, shape.rounds, sections, games))
            public = [one.rows for one in seen(made)]
            left = [day for day in candidates(made) if is_possible(made, public, day)]
            assert made.birth_date in left
            found.append(span_days(left))
    assert min(found) >= fewest_days
    assert sum(days >= YEAR for days in found) >= share * len(found), sorted(found)


def test_the_attack_on_public_rows_finds_birth_dates_where_ratings_are_not_masked() -> None:
    """The same attacker, the same circles, but the newcomer's own whole number in place of his range."""
    found = []
    for seed in SEEDS:
        made = circle(seed, Shape(4, 3, games=ESTABLISHED))
        (one,) = seen(made)
        mine = float(official_rating(one.rated.players[0].outcome.rating))
        rows = tuple(
            row._replace(after=row.after._replace(rating=mine, between=None))
            if row.number == NEWCOMER and row.after is not None
            else row
            for row in one.rows
        )
        left = [day for day in candidates(made, 15) if is_possible(made, [rows], day)]
        found.append(span_days(left))
    assert min(found) <= 15


def test_what_is_shown_holds_the_truth() -> None:
    """Ranges contain the rating they stand for, and whole numbers are its rounding."""
    for shape in (Shape(4, 3, sections=4), Shape(6, 3, sections=3, games=PROVISIONAL)):
        for seed in SEEDS:
            for one in seen(circle(seed, shape)):
                for player, row in zip(one.rated.players, one.rows, strict=True):
                    assert row.after is not None
                    if row.after.between is None:
                        assert row.after.rating == official_rating(player.outcome.rating)
                    else:
                        low, high = row.after.between
                        assert low <= player.outcome.rating <= high


def test_ranges_narrow_until_the_rating_itself_is_shown() -> None:
    """A newcomer among established players, over 48 games; only who neither wins nor draws keeps his start."""
    widths = []
    for seed in SEEDS:
        shown = [one.rows[0].after for one in seen(circle(seed, Shape(4, 3, sections=16, games=ESTABLISHED)))]
        widths.append([0 if one is None or one.between is None else one.between[1] - one.between[0] for one in shown])
    assert sum(one[0] > 0 for one in widths) > len(widths) // 2
    assert sum(one[-1] == 0 for one in widths) > len(widths) // 2
    assert all(one[-1] <= one[0] for one in widths)


@pytest.mark.parametrize("birth_date", [date(2015, 12, 31), date(2016, 1, 1), date(2019, 12, 31), date(2020, 1, 1)])
def test_blocks_are_whole_calendar_years(birth_date: date) -> None:
    first, last = block_of(birth_date)
    assert (first.month, first.day, last.month, last.day) == (1, 1, 12, 31)
    assert first <= birth_date <= last
    assert last.year - first.year == YEARS - 1
    assert first.year % YEARS == 0
