"""What SQLite (one file, WAL) and PostgreSQL (psycopg 3) do differently; all else of an office is written once."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote
from weakref import finalize

from sqlalchemy import Connection, Engine, NullPool, create_engine, event
from sqlalchemy.engine import RootTransaction
from sqlalchemy.exc import DBAPIError

from crosstable.errors import OfficeError
from crosstable.office import account_tables
from crosstable.office.locks import (
    Holder,
    advisory_lock_held_for,
    give_advisory_lock_back,
    held_file,
    held_file_for,
    take_accounts_lock,
    take_advisory_lock,
)
from crosstable.office.plain_errors import plain_os_errors

if TYPE_CHECKING:
    import psycopg

# SQLite before this version can damage a WAL file when two connections write and checkpoint at once.
_SOUND_SQLITE = (3, 51, 3)


class Store(Protocol):
    """What SQLite and PostgreSQL do differently."""

    def reader(self) -> Engine:
        """An engine whose transactions each see one state."""

    def writing(self, holder: Holder, patience: float) -> Iterator[Connection]:
        """One transaction of the only writer."""

    def hurry(self, seconds: float) -> None:
        """Let readers that begin from now on wait no longer than that for tables which somebody has to themselves."""

    def is_there(self) -> bool:
        """Whether a database can be opened at all."""

    def writing_accounts(self, holder: Holder, patience: float) -> Iterator[Connection]:
        """One transaction over the accounts and jobs, which never waits for the writer of the record."""

    def held_for(self, connection: Connection) -> float:
        """For how many seconds the present writer has had the record, 0 where there is none."""

    def place(self) -> tuple[int, ...] | None:
        """Which files it is, whatever their names; a server has none."""

    def cautions(self) -> tuple[str, ...]:
        """What an operator should know of this store."""

    def scrub(self) -> bool:
        """Overwrite what was deleted; whether nothing of it can be left in the store's own files."""

    def close(self) -> None:
        """Let go of the writer's connection, where one is kept."""


class Sqlite:
    """One file for the record, one for accounts and jobs: SQLite has one writer a file (decision 0009).

    A lock file beside each names the writer, so that a second one can say for whom it waits. Readers see both files.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.path = url.removeprefix("sqlite:///")
        self.accounts_path = f"{self.path}.accounts"

    def is_there(self) -> bool:
        """Whether the file is there."""
        return os.path.isfile(self.path)

    def hurry(self, seconds: float) -> None:
        """A file with a log beside it lets everybody read at any time."""

    def held_for(self, connection: Connection) -> float:
        """How long the lock of the file beside the office is held."""
        return held_file_for(f"{self.path}.lock")

    def put_accounts_aside(self, stamp: str) -> str:
        """Rename the accounts that an office left which is no longer here; returns where they are, nothing for none."""
        if not _has_table(self.accounts_path, account_tables.account.name):
            return ""
        with closing(sqlite3.connect(self.accounts_path)) as left:
            tables = (account_tables.account.name, account_tables.security_log.name)
            if not any(left.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone() for name in tables):
                return ""
            left.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        aside = f"{self.accounts_path}.{stamp}"
        for ending in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.replace(f"{self.accounts_path}{ending}", f"{aside}{ending}")
        return aside

    def lacks_accounts(self) -> bool:
        """Whether the file of the accounts should be there and is not."""
        has_accounts = _has_table(self.accounts_path, account_tables.belongs.name)
        return not has_accounts and _has_table(self.path, account_tables.finished_job.name)

    def place(self) -> tuple[int, ...] | None:
        """The devices and the numbers of the files."""
        try:
            found = [os.stat(path) for path in (self.path, self.accounts_path)]
        except FileNotFoundError:
            return None
        return tuple(number for one in found for number in (one.st_dev, one.st_ino))

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
        engine = create_engine(self.url, connect_args={"uri": True})
        _prepare_sqlite(engine, "BEGIN", "PRAGMA wal_autocheckpoint=0")

        self._attach(engine, "rw")
        return engine

    def _attach(self, engine: Engine, mode: str) -> None:
        """See the accounts too; an older office has them in the file of the record."""

        @event.listens_for(engine, "connect")
        def connected(connection: sqlite3.Connection, record: object) -> None:
            # An empty one was left by an upgrade that was killed; attached, nobody could make it what it should be.
            if os.path.isfile(self.accounts_path) and os.path.getsize(self.accounts_path):
                given = f"file:{quote(self.accounts_path)}?mode={mode}"
                connection.execute("ATTACH DATABASE ? AS accounts", (given,))

    @cached_property
    def _writer(self) -> Engine:
        engine = _writer_of(self.url)
        self._attach(engine, "ro")  # a transaction that writes locks every file that it could write to
        return engine

    @cached_property
    def _accounts_writer(self) -> Engine:
        return _writer_of(f"{self.url}.accounts")

    def writing(self, holder: Holder, patience: float) -> Iterator[Connection]:
        """One transaction under the lock of the file beside the office."""
        yield from _writing(self._writer, self.path, holder, patience)

    def writing_accounts(self, holder: Holder, patience: float) -> Iterator[Connection]:
        """The same on the other file."""
        yield from _writing(self._accounts_writer, self.accounts_path, holder, patience)

    def scrub(self) -> bool:
        """Write the file anew without free pages, and empty the log beside it; not while somebody else reads it."""
        for made in ("lists", "run"):  # files of published lists, and what a run that was interrupted left
            shutil.rmtree(f"{self.path}.{made}", ignore_errors=True)
        done = [_scrubbed(path) for path in (self.path, self.accounts_path) if os.path.isfile(path)]
        return all(done)

    def close(self) -> None:
        """Nothing is kept open."""


def _scrubbed(path: str) -> bool:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        try:
            for pragma in ("PRAGMA busy_timeout=1000", "PRAGMA secure_delete=ON", "VACUUM"):
                connection.execute(pragma)
            busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.OperationalError:
            return False
    return not busy


def _has_table(path: str, name: str) -> bool:
    if not os.path.isfile(path):
        return False
    try:
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone() is not None
    except sqlite3.Error:
        return False


def _writer_of(url: str) -> Engine:
    """Kept for the statements it has compiled; the file is open only while it is written."""
    engine = create_engine(url, poolclass=NullPool, connect_args={"uri": True})
    _prepare_sqlite(engine, "BEGIN IMMEDIATE", "PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL")
    return engine


def _writing(writer: Engine, path: str, holder: Holder, patience: float) -> Iterator[Connection]:
    if not os.path.isfile(path):
        _create(path)
    with held_file(f"{path}.lock", holder, patience), writer.connect() as connection, _begun(connection):
        yield connection


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
        # How long a reader waits for a table that somebody has to themselves: for ever.
        self._waits = "0"

    def is_there(self) -> bool:
        """A server says so itself when it is asked something."""
        return True

    def hurry(self, seconds: float) -> None:
        """Whoever puts a database back, or changes its tables, has these to themselves."""
        self._waits = f"{round(1000 * seconds)}ms"

    def held_for(self, connection: Connection) -> float:
        """How long the writer's transaction lasts."""
        return advisory_lock_held_for(connection)

    def place(self) -> tuple[int, ...] | None:
        """What is behind an address is for the server to know."""
        return None

    def cautions(self) -> tuple[str, ...]:
        """Nothing is known against it."""
        return ()

    def reader(self) -> Engine:
        """Transactions that see one state of the database."""
        engine = create_engine(self.url, isolation_level="REPEATABLE READ", pool_pre_ping=True)

        @event.listens_for(engine, "connect")
        def connected(connection: "psycopg.Connection[Any]", record: object) -> None:
            connection.execute("SELECT set_config('lock_timeout', %s, false)", [self._waits])
            connection.commit()

        return engine

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

    def scrub(self) -> bool:
        """A server overwrites old rows when it is told to: VACUUM FULL, and its own logs and backups later."""
        return False

    @cached_property
    def _accounts_writer(self) -> Engine:
        engine = create_engine(self.url, pool_size=1, max_overflow=-1, pool_pre_ping=True)
        finalize(self, engine.dispose)
        return engine

    def writing_accounts(self, holder: Holder, patience: float) -> Iterator[Connection]:
        """One transaction under a lock of its own, which ends with it."""
        with self._accounts_writer.connect() as connection, _begun(connection):
            take_accounts_lock(connection, holder, patience)
            yield connection

    def close(self) -> None:
        """End the sessions that are kept."""
        for name in ("_writer", "_accounts_writer"):
            if name in self.__dict__:
                self.__dict__[name].dispose()


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
