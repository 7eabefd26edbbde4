"""Reading ahead: a second session of a server reads what is long, while the first one reads other things."""

import logging
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

import polars as pl
from sqlalchemy import Connection, Select
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from crosstable.office.bulk.frames import frame_of, give_room

LOG = logging.getLogger("crosstable.office")
# After so many seconds a server is told once more to stop.
_AGAIN = 0.5


@contextmanager
def read_ahead(
    connection: Connection, query: Select[Any], schema: Mapping[str, pl.DataType], *, is_likely: bool
) -> Iterator[Callable[[], pl.DataFrame]]:
    """What a query finds, when it is asked for; where that is likely, it is read from now on by another session.

    That session sees what this one saw at its beginning. No other session sees what a transaction has written, and
    SQLite has no sessions: there it is read when it is asked for.
    """
    snapshot = _snapshot(connection) if is_likely and connection.dialect.name == "postgresql" else None
    if snapshot is None:
        yield lambda: frame_of(connection, query, schema)
        return
    try:
        opened = connection.engine.connect().execution_options(isolation_level="REPEATABLE READ")
    except (OperationalError, PoolTimeoutError) as error:  # then this session reads it itself, later
        LOG.warning("no second session: %s", str(error).partition("\n")[0])
        yield lambda: frame_of(connection, query, schema)
        return
    with opened as other, ThreadPoolExecutor(1) as beside:
        other.exec_driver_sql(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
        give_room(other)
        found = beside.submit(frame_of, other, query, schema)
        try:
            yield found.result
        finally:
            _end(other, found)


def _snapshot(connection: Connection) -> str | None:
    """What another session needs to see the same; nothing where this one has written something."""
    written = connection.exec_driver_sql("SELECT txid_current_if_assigned()").scalar()
    return None if written else str(connection.exec_driver_sql("SELECT pg_export_snapshot()").scalar())


def _end(other: Connection, found: Future[pl.DataFrame]) -> None:
    """Stop reading what nobody has asked for."""
    driver: Any = other.connection.driver_connection
    while not found.done():  # the statement may not have begun when the server is told
        driver.cancel_safe()
        wait([found], timeout=_AGAIN)
