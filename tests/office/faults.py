"""What the fault tests share: a whole state as one hash, and failures at a chosen statement."""

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.exc import OperationalError

from crosstable.office.database import Office
from tests.office.postgres import connected

Rows = list[tuple[Any, ...]]


# The whole state


class Raw:
    """A connection past the office and past SQLAlchemy, for looking at what is really stored."""

    def __init__(self, address: str) -> None:
        self.is_sqlite = "://" not in address
        self._connection: Any = sqlite3.connect(address, isolation_level=None) if self.is_sqlite else connected(address)

    def rows(self, query: str) -> Rows:
        """What a query finds."""
        return list(self._connection.execute(query).fetchall())

    def do(self, statement: str) -> None:
        """Execute a statement."""
        self._connection.execute(statement)

    def tables(self) -> list[str]:
        """The names of all tables."""
        query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        if self.is_sqlite:
            query = "SELECT name FROM sqlite_master WHERE type = 'table'"
        return sorted(name for (name,) in self.rows(query))

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()


def raw(address: str) -> closing[Raw]:
    """A raw connection, for a ``with``."""
    return closing(Raw(address))


def state_of(connection: Raw) -> dict[str, str]:
    """Everything that a database holds: for each table the hash of all its rows, and what guards them."""
    guards = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal UNION SELECT indexname FROM pg_indexes"
    if connection.is_sqlite:
        state = {name: _hash(connection.rows(f'SELECT * FROM "{name}"')) for name in connection.tables()}
        return state | {"": _hash(connection.rows("SELECT name FROM sqlite_master"))}
    whole = "SELECT '{0}', md5(string_agg(t::text, '|' ORDER BY t::text)) FROM \"{0}\" t"
    queries = [whole.format(name) for name in connection.tables()]
    state = dict(connection.rows(" UNION ALL ".join(queries))) if queries else {}
    return state | {"": _hash(connection.rows(guards))}


def _hash(rows: Rows) -> str:
    return hashlib.sha256("\n".join(sorted(map(repr, rows))).encode()).hexdigest()


def address_of(office: Office) -> str:
    """The address of an office, as it was given."""
    return office.url.removeprefix("sqlite:///").replace("+psycopg", "")


def put_copy(original: Path, path: Path) -> None:
    """Put a SQLite office where another one may have been left in any state."""
    for name in ("", ".accounts"):
        for beside in ("", "-wal", "-shm", ".lock"):
            Path(f"{path}{name}{beside}").unlink(missing_ok=True)
    for name in ("", ".accounts"):
        if os.path.exists(f"{original}{name}"):
            shutil.copyfile(f"{original}{name}", f"{path}{name}")


# Failing statements


class Failure(StrEnum):
    """How a statement fails: the database refuses it, it never gets there, or the answer never comes back."""

    REFUSED = "refused"
    INTERRUPTED = "interrupted"
    UNANSWERED = "unanswered"


class StatementFailedError(Exception):
    """The answer to a statement did not come back, or a commit did not get there."""


class _Hooks:
    """Counts the statements and commits of this process's connections and lets one of them fail."""

    def __init__(self, at: int, failure: Failure) -> None:
        self.at = at
        self.failure = failure
        self.calls = 0

    def is_time(self) -> bool:
        self.calls += 1
        return self.calls == self.at

    def before(self, connection: object, cursor: object, text: str, given: object, context: object, many: bool) -> Any:
        if self.failure is Failure.UNANSWERED or not self.is_time():
            return text, given
        if self.failure is Failure.INTERRUPTED:
            raise KeyboardInterrupt
        return "SELECT refused FROM nowhere", [()] if many else ()

    def after(self, *statement: object) -> None:
        if self.failure is Failure.UNANSWERED and self.is_time():
            raise StatementFailedError

    def commit(self, connection: object) -> None:
        if not self.is_time():
            return
        if self.failure is Failure.REFUSED:
            raise OperationalError("COMMIT", None, Exception("refused"))
        raise KeyboardInterrupt if self.failure is Failure.INTERRUPTED else StatementFailedError


@contextmanager
def failing_at(at: int, failure: Failure = Failure.REFUSED) -> Iterator[None]:
    """Let the statement or commit number ``at`` fail, counted over every connection of this process."""
    hooks = _Hooks(at, failure)
    event.listen(Engine, "before_cursor_execute", hooks.before, retval=True)
    event.listen(Engine, "after_cursor_execute", hooks.after)
    event.listen(Engine, "commit", hooks.commit)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", hooks.before)
        event.remove(Engine, "after_cursor_execute", hooks.after)
        event.remove(Engine, "commit", hooks.commit)
