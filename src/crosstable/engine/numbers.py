"""Rating records in numbers, as formulas read and change them; and back.

What is written here with attributes holds for the objects of this module and for the rows of the replay's arrays alike.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any

from crosstable.formulas.initial import NO_DAY
from crosstable.formulas.section import NO_COUNT
from crosstable.terms import RECORD_FIELDS, FieldKind, PlayerRating

# Rows of compiled arrays have no None, so each kind of field has a number that stands for it.
# A kind of field in numbers: what stands for nothing known or set, how a value is written and read.
Form = tuple[float, Callable[[Any], float], Callable[[Any], object]]
FORMS: Mapping[FieldKind, Form] = {
    FieldKind.RATING: (math.nan, float, float),
    FieldKind.GAMES: (math.inf, float, float),
    FieldKind.LEVEL: (math.inf, float, float),
    FieldKind.COUNT: (NO_COUNT, int, int),
    FieldKind.DAY: (NO_DAY, date.toordinal, date.fromordinal),
}
# The fields that are numbers. What follows from decisions, and match changes, are kept elsewhere.
NUMBERS = {name: FORMS[kept.kind] for name, kept in RECORD_FIELDS.items() if kept.is_posted and kept.kind in FORMS}


class Numbers:
    """A rating record in numbers."""

    __slots__ = tuple(NUMBERS)
    rating: float
    games: float
    wins: int
    draws: int
    losses: int
    events: int
    peak: float
    peak_since_2010: float
    games_at_2200: int
    as_of: int
    lowered_floor: float


def numbers_of(record: PlayerRating) -> Numbers:
    """A rating record in numbers."""
    made = Numbers()
    put_numbers(made, record, NUMBERS)
    return made


def put_numbers(numbers: Any, record: PlayerRating, names: Iterable[str]) -> None:  # noqa: ANN401 (see above)
    """Write some fields of a rating record."""
    for name in names:
        value, (nothing, written, _) = getattr(record, name), NUMBERS[name]
        setattr(numbers, name, nothing if value is None else written(value))


def with_numbers(record: PlayerRating, numbers: Any, names: Iterable[str]) -> PlayerRating:  # noqa: ANN401 (see above)
    """A rating record with some other fields."""
    changed: dict[str, Any] = {}
    for name in names:
        value, (nothing, _, read) = getattr(numbers, name), NUMBERS[name]
        changed[name] = None if value == nothing or value != value else read(value)
    return record._replace(**changed)


def known_games(record: PlayerRating) -> float:
    """N of a rating record, infinite where it is established with a count that is not known."""
    return math.inf if record.games is None else record.games
