"""What SQLite (one file, WAL) and PostgreSQL (psycopg 3) do differently; all else of an office is written once."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Protocol
from weakref import finalize

from sqlalchemy import Connection, Engine, NullPool, create_engine, event
from sqlalchemy.engine import RootTransaction
from sqlalchemy.exc import DBAPIError

from crosstable.errors import OfficeError
from crosstable.office.locks import Holder, give_advisory_lock_back, held_file, take_advisory_lock
from crosstable.office.plain_errors import plain_os_errors

# SQLite before this version can damage a WAL file when two connections write and checkpoint at once.
_SOUND_SQLITE = (3, 51, 3)


class Store(Protocol):
    """What SQLite and PostgreSQL do differently."""

    def reader(self) -> Engine:
        """An engine whose transactions each see one state."""

    def writing(self, holder: Holder, patience: float) -> Iterator[Connection]:
        """One transaction of the only writer."""

    def is_there(self) -> bool:
        """Whether a database can be opened at all."""

    def place(self) -> tuple[int, int] | None:
        """Which file it is, whatever its name; a server has none."""

    def cautions(self) -> tuple[str, ...]:
        """What an operator should know of this store."""

    def close(self) -> None:
        """Let go of the writer's connection, where one is kept."""


class Sqlite:
    """One file. A lock file beside it names the writer, so that a second one can say for whom it waits."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.path = url.removeprefix("sqlite:///")

    def is_there(self) -> bool:
        """Whether the file is there."""
        return os.path.isfile(self.path)

    def place(self) -> tuple[int, int] | None:
        """The device and the number of the file."""
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino

    def cautions(self) -> tuple[str, ...]:
        """What is known to be wrong with the library in use."""
        if sqlite3.sqlite_version_info >= _SOUND_SQLITE:
            return ()
        return (
            f"SQLite {sqlite3.sqlite_version} is older than 3.51.3 and can damage a file that two programs write to at "
            "once; this office lets one write at a time. Offices with many writers use PostgreSQL.",
        )

    def reader(self) -> Engine:
        """Transactions that see one state of the file and never write it."""
        engine = create_engine(self.url)
        _prepare_sqlite(engine, "BEGIN", "PRAGMA wal_autocheckpoint=0")
        return engine

    @cached_property
    def _writer(self) -> Engine:
        """Kept for the statements it has compiled; the file is open only while it is written."""
        engine = create_engine(self.url, poolclass=NullPool)
        _prepare_sqlite(engine, "BEGIN IMMEDIATE", "PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL")
        return engine

    def writing(self, holder: Holder, patience: float) -> Iterator[Connection]:
        """One transaction under the lock of the file beside the office."""
        if not self.is_there():
            _create(self.path)
        with (
            held_file(f"{self.path}.lock", holder, patience),
            self._writer.connect() as connection,
            _begun(connection),
        ):
            yield connection

    def close(self) -> None:
        """Nothing is kept open."""


def _create(path: str) -> None:
    """An empty file that only its owner may read; what SQLite puts beside it has the same rights."""
    with plain_os_errors(path):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _prepare_sqlite(engine: Engine, begin: str, *pragmas: str) -> None:
    """Transactions begin when we say so, not when the driver guesses; readers never checkpoint."""

    @event.listens_for(engine, "connect")
    def connected(connection: sqlite3.Connection, record: object) -> None:
        connection.isolation_level = None
        try:
            for pragma in ("PRAGMA busy_timeout=30000", *pragmas):
                connection.execute(pragma)
        except sqlite3.Error:
            connection.close()  # nobody else has it yet
            raise

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        connection.exec_driver_sql(begin)


class Postgres:
    """A server. An advisory lock holds one writer at a time; the session's name says who that is."""

    def __init__(self, url: str) -> None:
        self.url = url

    def is_there(self) -> bool:
        """A server says so itself when it is asked something."""
        return True

    def place(self) -> tuple[int, int] | None:
        """What is behind an address is for the server to know."""
        return None

    def cautions(self) -> tuple[str, ...]:
        """Nothing is known against it."""
        return ()

    def reader(self) -> Engine:
        """Transactions that see one state of the database."""
        return create_engine(self.url, isolation_level="REPEATABLE READ", pool_pre_ping=True)

    @cached_property
    def _writer(self) -> Engine:
        """One session is kept, for a new one costs as much as a submission; any number may wait for the lock."""
        engine = create_engine(
            self.url, isolation_level="SERIALIZABLE", pool_size=1, max_overflow=-1, pool_pre_ping=True
        )
        finalize(self, engine.dispose)
        return engine

    def writing(self, holder: Holder, patience: float) -> Iterator[Connection]:
        """One transaction under the lock, which is taken before it: what it sees must be newer than the lock."""
        with self._writer.connect() as connection:
            try:
                take_advisory_lock(connection, holder, patience)
                with _begun(connection):
                    yield connection
            finally:
                give_advisory_lock_back(connection)

    def close(self) -> None:
        """End the session that is kept."""
        if "_writer" in self.__dict__:
            self._writer.dispose()


@contextmanager
def _begun(connection: Connection) -> Iterator[None]:
    """A transaction. After a failure the connection is either rolled back or dropped, never in between."""
    transaction = connection.begin()
    try:
        yield
        _commit(transaction)
    except BaseException:
        _undo(connection, transaction)
        raise


def _undo(connection: Connection, transaction: RootTransaction) -> None:
    """Roll back. SQLAlchemy does not after a commit that failed, and SQLite has already when the disk is full."""
    if not transaction.is_active:
        connection.invalidate()
        return
    try:
        transaction.rollback()
    except DBAPIError:
        connection.invalidate()


def _commit(transaction: RootTransaction) -> None:
    """Store it. Who loses the connection just now cannot know on which side of the commit that was."""
    try:
        transaction.commit()
    except DBAPIError as error:
        if not error.connection_invalidated:
            raise
        raise OfficeError(
            f"the database says: {str(error.orig).strip()}; the connection was lost while this was being stored, and "
            "it may be in the record or not. crosstable office log shows it; look there before you try again."
        ) from error
