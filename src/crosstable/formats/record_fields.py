"""Reading the plain fields of a rating record, the same bounds in event files and in sheets."""

from datetime import date
from typing import Protocol

from crosstable.limits import HIGHEST_RATING
from crosstable.rules.editions import LOWEST_FLOOR
from crosstable.terms import FieldKind, Kept


class Source(Protocol):
    """An object of an event file, or a row of a sheet: values by name, faults collected."""

    def number(self, name: str, *, least: float = 0.0, most: float = 1e6) -> float | None:
        """A number within bounds."""

    def whole(self, name: str, *, least: int = 0, most: int = 10**6) -> int | None:
        """A whole number within bounds."""

    def day(self, name: str) -> date | None:
        """A date."""


def read_field(source: Source, name: str, kept: Kept) -> float | date | None:
    """A field that is one number or one day, within the bounds of its kind."""
    match kept.kind:
        case FieldKind.COUNT:
            return source.whole(name)
        case FieldKind.DAY:
            return source.day(name)
        case FieldKind.GAMES:
            return source.number(name)
        case FieldKind.LEVEL:
            return source.number(name, least=LOWEST_FLOOR, most=HIGHEST_RATING)
        case _:
            return source.number(name, most=HIGHEST_RATING)
