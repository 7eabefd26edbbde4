"""Rows of a server by COPY: all of them, and what the server says when it fails in the middle; reading ahead."""

from collections.abc import Iterator

import polars as pl
import pytest
from sqlalchemy import Connection, Engine, Select, literal_column, select, text
from sqlalchemy.exc import DBAPIError, OperationalError

from crosstable.office.bulk import frames
from crosstable.office.bulk.frames import frame_of, read_ahead
from crosstable.office.database import Office
from tests.waiting import FOR_EVER

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


PIDS: Select[tuple[int]] = select(literal_column("pg_backend_pid()")).select_from(text("scratch"))


@pytest.fixture
def engine(office: Office) -> Iterator[Engine]:
    """Sessions of others, and a table of three rows."""
    made = office.store.reader()
    with made.begin() as other:
        other.execute(text("CREATE TABLE scratch AS SELECT generate_series(1, 3) AS n"))
    yield made
    with made.begin() as other:
        other.execute(text("DROP TABLE scratch"))
    made.dispose()


def test_another_session_reads_ahead_and_sees_the_same(office: Office, engine: Engine) -> None:
    with office.reading() as connection:
        own = connection.execute(text("SELECT pg_backend_pid()")).scalar()
        with engine.begin() as other:
            other.execute(text("INSERT INTO scratch VALUES (4)"))
        with read_ahead(connection, PIDS, SCHEMA, is_likely=True) as asked_for:
            found = asked_for()["found"].to_list()
        assert len(found) == 3
        assert own not in found
        with read_ahead(connection, PIDS, SCHEMA, is_likely=False) as asked_for:
            assert asked_for()["found"].to_list() == [own] * 3
        connection.execute(text("INSERT INTO scratch VALUES (5)"))  # which no other session sees
        with read_ahead(connection, PIDS, SCHEMA, is_likely=True) as asked_for:
            assert asked_for()["found"].to_list() == [own] * 4


def test_a_server_without_a_session_to_spare_is_read_by_the_one_there_is(
    office: Office, engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(_engine: Engine) -> Connection:
        raise OperationalError("", None, Exception("sorry, too many clients already"))

    with office.reading() as connection:
        own = connection.execute(text("SELECT pg_backend_pid()")).scalar()
        monkeypatch.setattr(Engine, "connect", full)
        with read_ahead(connection, PIDS, SCHEMA, is_likely=True) as asked_for:
            assert asked_for()["found"].to_list() == [own] * 3
        monkeypatch.undo()
    assert "too many clients" in caplog.text


def test_what_is_not_asked_for_is_not_read_to_its_end(office: Office) -> None:
    sleeping = text(f"generate_series(1, 3) AS n, pg_sleep({FOR_EVER})")  # read to its end, the test would time out
    long: Select[tuple[int]] = select(literal_column("n")).select_from(sleeping)
    with office.reading() as connection:
        with read_ahead(connection, long, SCHEMA, is_likely=True):
            pass
        assert frame_of(connection, numbers("n"), SCHEMA).height == 1000
