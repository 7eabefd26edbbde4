"""Rows of a server by COPY: all of them, and what the server says when it fails in the middle."""

import polars as pl
import pytest
from sqlalchemy import Select, literal_column, select, text
from sqlalchemy.exc import DBAPIError

from crosstable.office.bulk import frames
from crosstable.office.bulk.frames import frame_of
from crosstable.office.database import Office

pytestmark = pytest.mark.parametrize("store", ["postgresql"])
SCHEMA = {"found": pl.Int64()}


def numbers(said: str) -> Select[tuple[int]]:
    return select(literal_column(said)).select_from(text("generate_series(1, 1000) AS n"))


def test_rows_come_in_portions_and_none_is_lost(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "_BYTES", 100)
    with office.reading() as connection:
        found = frame_of(connection, numbers("n"), SCHEMA)
    assert found["found"].to_list() == list(range(1, 1001))


def test_a_failure_after_some_rows_is_told_and_the_connection_goes_on(office: Office) -> None:
    with office.reading() as connection:
        with pytest.raises(DBAPIError, match="division by zero"), connection.begin_nested():
            frame_of(connection, numbers("12 / (n - 700)"), SCHEMA)
        assert frame_of(connection, numbers("n"), SCHEMA).height == 1000
