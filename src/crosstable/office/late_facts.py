"""Facts about a member that arrive late, or were wrong, as people write them: ``birth-date=2014-02-03``."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from crosstable.formats.dates import iso_day
from crosstable.formats.sheet_rows import flag_of
from crosstable.limits import HIGHEST_RATING
from crosstable.terms import OutsideRating


def read_fact(text: str) -> tuple[str, Any]:
    """A fact as it was typed, by the name the office knows it under; raises ``ValueError``."""
    name, equals, value = text.partition("=")
    name = name.strip().lower().replace("-", "_")
    if not equals:
        raise ValueError(f"{text!r}: write NAME=VALUE")
    return name, _READERS.get(name, str)(value.strip())


def _day(value: str) -> date | None:
    found = iso_day(value)
    if value and found is None:
        raise ValueError(f"{value!r} is not a date; write it as YYYY-MM-DD")
    return found


def _year(value: str) -> int | None:
    if value and not (value.isdecimal() and len(value) == len("2014")):
        raise ValueError(f"{value!r} is no year; write it as YYYY")
    return int(value) if value else None


def _flag(value: str) -> bool | None:
    found = flag_of(value)
    if value and found is None:
        raise ValueError(f"{value!r} is neither yes nor no")
    return found


def _is_set(value: str) -> bool:
    return bool(_flag(value))


def _outside(value: str) -> OutsideRating:
    rating, _, on = value.partition("@")
    as_of = iso_day(on)
    if as_of is None or not rating.isdecimal() or not 0 < int(rating) < HIGHEST_RATING:
        raise ValueError(f"{value!r} is no rating of a list; write it as 1850@2026-05-01")
    return OutsideRating(float(rating), as_of)


_READERS: Mapping[str, Callable[[str], Any]] = {
    "birth_date": _day,
    "birth_year": _year,
    "member_until": _day,
    "adult": _flag,
    "age_lists": _flag,
    "canadian_resident": _is_set,
    "fide_rating": _outside,
    "cfc_rating": _outside,
}
