"""Rating records in numbers, as formulas read and change them; and back.

What is written here with attributes holds for the objects of this module and for the rows of the replay's arrays alike.
"""

import math
from datetime import date
from typing import Any

from crosstable.formulas.initial import NO_DAY
from crosstable.formulas.tally import NO_COUNT
from crosstable.terms import PlayerRating


class Numbers:
    """A rating record in numbers: that of an unrated player, until something else is put into it."""

    __slots__ = (
        "as_of",
        "draws",
        "events",
        "games",
        "games_at_2200",
        "losses",
        "lowered_floor",
        "peak",
        "peak_since_2010",
        "rating",
        "wins",
    )

    def __init__(self, games: float = 0.0) -> None:
        self.rating = self.peak = self.peak_since_2010 = math.nan
        self.games = games
        self.wins = self.draws = self.losses = self.events = self.games_at_2200 = 0
        self.as_of = NO_DAY
        self.lowered_floor = math.inf


def numbers_of(record: PlayerRating) -> Numbers:
    """A rating record in numbers."""
    made = Numbers()
    put_numbers(made, record)
    made.lowered_floor = math.inf if record.lowered_floor is None else record.lowered_floor
    return made


def put_numbers(numbers: Any, record: PlayerRating) -> None:  # noqa: ANN401 (an object, or a row of an array)
    """Write a rating record; floors, ceiling and match changes are kept elsewhere."""
    numbers.rating = record.rating
    numbers.games = known_games(record)
    numbers.peak = _or_nan(record.peak)
    numbers.peak_since_2010 = _or_nan(record.peak_since_2010)
    numbers.wins = _or_no_count(record.wins)
    numbers.draws = _or_no_count(record.draws)
    numbers.losses = _or_no_count(record.losses)
    numbers.events = _or_no_count(record.events)
    numbers.games_at_2200 = record.games_at_2200
    numbers.as_of = NO_DAY if record.as_of is None else record.as_of.toordinal()


def with_numbers(record: PlayerRating, numbers: Any, lowered_floor: float) -> PlayerRating:  # noqa: ANN401 (as above)
    """A rating record with other numbers."""
    return record._replace(
        rating=float(numbers.rating),
        games=None if math.isinf(numbers.games) else float(numbers.games),
        wins=_or_nothing(numbers.wins),
        draws=_or_nothing(numbers.draws),
        losses=_or_nothing(numbers.losses),
        events=_or_nothing(numbers.events),
        peak=None if math.isnan(numbers.peak) else float(numbers.peak),
        peak_since_2010=None if math.isnan(numbers.peak_since_2010) else float(numbers.peak_since_2010),
        games_at_2200=int(numbers.games_at_2200),
        as_of=None if numbers.as_of == NO_DAY else date.fromordinal(int(numbers.as_of)),
        lowered_floor=None if math.isinf(lowered_floor) else float(lowered_floor),
    )


def known_games(record: PlayerRating) -> float:
    """N of a rating record, infinite where it is established with a count that is not known."""
    return math.inf if record.games is None else record.games


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def _or_no_count(count: int | None) -> int:
    return NO_COUNT if count is None else count


def _or_nothing(count: int) -> int | None:
    return None if count == NO_COUNT else int(count)
