"""Digests of rows: one encoding, from a row and from a frame, and every value in it counts."""

import hashlib
import struct
from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Boolean, Column, Date, Float, Integer, LargeBinary, String

from crosstable.office.bulk import hashes
from crosstable.office.bulk.stored import framed
from crosstable.office.ledger import digests
from crosstable.office.ledger.digests import layout_of
from crosstable.office.tables import ADDED

LAYOUT = layout_of(
    [Column("a", Float), Column("b", Integer), Column("c", Date), Column("d", String), Column("e", Boolean)]
)
SCHEMA = {"a": pl.Float64(), "b": pl.Int32(), "c": pl.Date(), "d": pl.String(), "e": pl.Boolean()}
TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
ROWS = st.tuples(
    st.none() | st.floats(allow_nan=False) | st.just(-0.0),
    st.none() | st.integers(-(2**31), 2**31 - 1),
    st.none() | st.dates(),
    st.none() | TEXTS,
    st.none() | st.booleans(),
)


def test_the_bytes_are_those_that_are_documented() -> None:
    """A mask, eight bytes a column, then the texts; written out by hand."""
    row = (1512.25, -3, date(1970, 1, 11), "é!", None)
    expected = struct.pack("<Qdqqqq", 0b10000, 1512.25, -3, 10, 3, 0) + b"\xc3\xa9!"
    assert LAYOUT.encoded(row) == expected
    assert LAYOUT.digest(row) == hashlib.sha256(expected).digest()


@given(st.lists(ROWS, max_size=12))
def test_a_frame_gives_the_digests_of_its_rows(rows: list[tuple[object, ...]]) -> None:
    found = hashes.digests_of(pl.DataFrame(rows, schema=SCHEMA, orient="row"), LAYOUT)
    assert found == [LAYOUT.digest(row) for row in rows]
    total = sum(int.from_bytes(one, "big") for one in found)
    assert digests.text_of(hashes.sum_of(found[::-1])) == digests.text_of(total)


@given(ROWS, ROWS)
def test_different_rows_have_different_bytes(one: tuple[object, ...], other: tuple[object, ...]) -> None:
    assert (LAYOUT.encoded(one) == LAYOUT.encoded(other)) == (plain(one) == plain(other))


# The same columns, and three that came later, one of them among the others.
GROWN = layout_of(
    [Column("a", Float), Column("b", Integer), Column("x", Float, info=ADDED), Column("c", Date), Column("d", String),
     Column("e", Boolean), Column("y", String, info=ADDED), Column("z", Date, info=ADDED)]
)  # fmt: skip
GROWN_SCHEMA = {**dict.fromkeys("abxcdeyz"), **SCHEMA, "x": pl.Float64(), "y": pl.String(), "z": pl.Date()}
ADDITIONS = st.tuples(st.none() | st.floats(allow_nan=False), st.none() | TEXTS, st.none() | st.dates())


def grown(row: tuple[object, ...], added: tuple[object, ...]) -> tuple[object, ...]:
    """A row with what came later in its places."""
    return (*row[:2], added[0], *row[2:], *added[1:])


@given(ROWS)
def test_rows_that_use_no_later_column_have_the_bytes_of_before(row: tuple[object, ...]) -> None:
    assert GROWN.encoded(grown(row, (None, None, None))) == LAYOUT.encoded(row)


def test_later_columns_stand_behind_the_others_as_documented() -> None:
    """The number of the last that is used, then a row of as many; a fourth that comes one day changes nothing."""
    row = (1512.25, -3, date(1970, 1, 11), "é!", None)
    behind = struct.pack("<QQdq", 2, 0b01, 0.0, 2) + b"ok"
    assert GROWN.encoded(grown(row, (None, "ok", None))) == LAYOUT.encoded(row) + behind
    with pytest.raises(ValueError, match="zip"):
        GROWN.encoded(row)


@given(st.lists(st.builds(grown, ROWS, ADDITIONS), max_size=12))
def test_a_frame_with_later_columns_gives_the_digests_of_its_rows(rows: list[tuple[object, ...]]) -> None:
    found = hashes.digests_of(pl.DataFrame(rows, schema=GROWN_SCHEMA, orient="row"), GROWN)
    assert found == [GROWN.digest(row) for row in rows]


@given(st.builds(grown, ROWS, ADDITIONS), st.builds(grown, ROWS, ADDITIONS))
def test_every_later_value_counts(one: tuple[object, ...], other: tuple[object, ...]) -> None:
    assert (GROWN.encoded(one) == GROWN.encoded(other)) == (one == other)


def plain(row: tuple[object, ...]) -> str:
    """A row as a text, with one zero."""
    return repr(row).replace("(-0.0,", "(0.0,")


def test_texts_do_not_run_into_each_other() -> None:
    layout = layout_of([Column("a", String), Column("b", LargeBinary)])
    assert layout.encoded(("ab", b"c")) != layout.encoded(("a", b"bc"))
    assert layout.encoded(("", None)) != layout.encoded((None, b""))


def test_a_frame_without_texts() -> None:
    layout = layout_of([Column("b", Integer)])
    assert hashes.digests_of(pl.DataFrame({"b": [1, None]}), layout) == [layout.digest([1]), layout.digest([None])]


def test_forty_games_are_forty_games_however_they_are_kept() -> None:
    layout = layout_of([Column("a", Float)])
    assert layout.digest([40]) == layout.digest([40.0])
    with pytest.raises(ValueError, match="zip"):
        layout.digest([40, 1])


@pytest.mark.parametrize(
    ("column", "value"),
    [("a", "1.5"), ("a", b"1"), ("b", 1.0), ("b", "1"), ("b", 2**31), ("c", "2026-1-05"), ("c", "2026-01-05x"),
     ("c", 5), ("d", 5), ("d", b"x"), ("e", 2), ("e", "1")],
)  # fmt: skip
def test_a_stored_value_of_another_kind_or_spelling_is_refused(column: str, value: object) -> None:
    """SQLite keeps whatever its file says; turned into the right kind it would have the digest of what was there."""
    sound = {"a": 1.5, "b": 1, "c": "2026-01-05", "d": "x", "e": 1}
    assert framed([tuple(sound.values())], SCHEMA).row(0) == (1.5, 1, date(2026, 1, 5), "x", True)
    with pytest.raises((TypeError, ValueError, pl.exceptions.PolarsError)):
        framed([tuple({**sound, column: value}.values())], SCHEMA)
