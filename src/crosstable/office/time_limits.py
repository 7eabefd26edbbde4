"""How long one statement of a reader may take: longer ones end with an error, and the transaction goes on.

SQLite asks now and then whether it shall go on; PostgreSQL has a time-out of its own, and needs a savepoint to go back
to, because an error ends everything since.
"""

import logging
import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from sqlalchemy import Connection, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from crosstable.errors import OfficeError

LOG = logging.getLogger("crosstable.office")
# How many steps of its machine SQLite makes between two questions: some milliseconds' worth.
_STEPS = 20_000
_INTERRUPTED = "interrupted"
# PostgreSQL's code for a statement that was ended from outside.
_CANCELED = "57014"


class TooSlowError(OfficeError):
    """A statement took longer than it may."""


class TimeLimit:
    """The limit of one connection, which one thread at a time uses."""

    def __init__(self, connection: Connection, seconds: float) -> None:
        self.seconds = seconds
        self._connection = connection
        self._is_on = False

    @contextmanager
    def on(self) -> Iterator[None]:
        """Statements in here are limited; raises ``TooSlowError``."""
        with _told(self.seconds), self._apart(), self._set(is_on=True):
            yield

    @contextmanager
    def off(self) -> Iterator[None]:
        """Statements in here are not, though what is around them is."""
        with self._set(is_on=False):
            yield

    @contextmanager
    def _set(self, *, is_on: bool) -> Iterator[None]:
        before, self._is_on = self._is_on, is_on
        self._say(is_on=is_on)
        try:
            yield
            self._say(is_on=before)  # after an error the savepoint is gone back to, and the setting with it
        finally:
            self._is_on = before

    def _apart(self) -> AbstractContextManager[object]:
        """What an error in here does not take along."""
        return nullcontext()

    def _say(self, *, is_on: bool) -> None:
        """Tell whoever ends statements, where nobody looks by themselves."""

    def drop(self) -> None:
        """Nothing of it stays with the connection."""


def still_answers(connection: Connection) -> bool:
    """Whether a reader's connection still does: an error of a server, or its end, takes the transaction along."""
    try:
        connection.exec_driver_sql("SELECT 1").all()
    except SQLAlchemyError:
        LOG.warning("a connection no longer answers", exc_info=True)
        return False
    return True


def time_limit(connection: Connection, seconds: float) -> TimeLimit:
    """A limit for a connection; until it is on, nothing is limited."""
    if connection.dialect.name == "sqlite":
        return _SqliteLimit(connection, seconds)
    return _PostgresLimit(connection, seconds)


@contextmanager
def _told(seconds: float) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        is_ours = str(error.orig) == _INTERRUPTED or getattr(error.orig, "sqlstate", "") == _CANCELED
        if not is_ours:
            raise
        raise TooSlowError(f"a statement took longer than {seconds:g} seconds") from error


class _SqliteLimit(TimeLimit):
    """Each statement begins the time anew; the steps that fetch its rows count too."""

    def __init__(self, connection: Connection, seconds: float) -> None:
        super().__init__(connection, seconds)
        self._began = 0.0
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        self._driver = driver
        driver.set_progress_handler(self._is_over, _STEPS)
        event.listen(connection, "before_cursor_execute", self._begin)

    def _begin(self, *given: Any) -> None:  # noqa: ANN401 (SQLAlchemy passes six things, none of which matters)
        self._began = time.monotonic()

    def _is_over(self) -> int:
        return self._is_on and time.monotonic() - self._began > self.seconds

    def drop(self) -> None:
        """The connection goes back to others, who know nothing of the limit."""
        self._driver.set_progress_handler(None, 0)


class _PostgresLimit(TimeLimit):
    """A setting of the transaction, which ends with it, and a savepoint for each time it is on."""

    def _apart(self) -> AbstractContextManager[object]:
        return self._connection.begin_nested()

    def _say(self, *, is_on: bool) -> None:
        milliseconds = max(1, round(1000 * self.seconds)) if is_on else 0
        self._connection.exec_driver_sql(f"SET LOCAL statement_timeout = {milliseconds}")
