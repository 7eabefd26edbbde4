"""Rating records as numbers, for compiled arrays and for formulas: nothing has a number of its own, and back again."""

from datetime import date

import pytest

from crosstable.engine.records import NUMBERS, numbers_of, put_numbers, with_numbers
from crosstable.terms import PlayerRating

BARE = PlayerRating(1512.5)
WHOLE = PlayerRating(1650.25, 40, 20, 5, 15, 9, peak=1700.0, as_of=date(2026, 6, 14))


@pytest.mark.parametrize("record", [BARE, WHOLE], ids=["bare", "whole"])
def test_a_record_in_numbers_is_the_same_written_at_once_and_field_by_field(record: PlayerRating) -> None:
    written = numbers_of(PlayerRating(99.0, 1, as_of=date(2001, 1, 1)))
    put_numbers(written, record, NUMBERS)
    at_once = numbers_of(record)
    assert {name: getattr(written, name) for name in NUMBERS} == {name: getattr(at_once, name) for name in NUMBERS}
    assert with_numbers(PlayerRating(100.0), written, NUMBERS) == record


def test_only_the_fields_that_are_named_are_written() -> None:
    written = numbers_of(WHOLE)
    put_numbers(written, BARE, ["rating"])
    assert with_numbers(WHOLE, written, NUMBERS) == WHOLE._replace(rating=1512.5)
