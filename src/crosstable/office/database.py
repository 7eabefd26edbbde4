"""Opening an office: its database, one writer at a time, one snapshot per reader, and the version of its schema.

SQLite (the default, one file, WAL) and PostgreSQL (psycopg 3) hold the same tables. Where the two need different words,
``Store`` has two bodies; everything else in this room is written once.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from typing import NamedTuple, Protocol

from sqlalchemy import Connection, Engine, NullPool, create_engine, event, inspect, text
from sqlalchemy.engine import RootTransaction
from sqlalchemy.exc import DBAPIError, OperationalError

from crosstable.errors import NoOfficeError, OfficeBusyError, OfficeError, SchemaError

Clock = Callable[[], datetime]

# The newest migration this program knows, and all it can bring up to it.
SCHEMA = "0001"
KNOWN_SCHEMAS = ("0001",)
DEFAULT = "office.db"
# How long a writer waits for another one, in seconds.
PATIENCE = 30.0
_GLANCE = 0.02
# How long one who is refused looks for the name of a holder that has only just taken the lock, in seconds.
_NAMING = 0.5
# One lock per PostgreSQL database; the number only has to be ours.
_ADVISORY_KEY = 0x6372_6F73_7374
_LOCK_NOT_AVAILABLE = "55P03"
# So often one who waited in vain tries again when nobody holds the lock any more.
_LOOKS = 5
# SQLite before this version can damage a WAL file when two connections write and checkpoint at once.
_SOUND_SQLITE = (3, 51, 3)


def system_clock() -> datetime:
    """The time of this machine, in UTC."""
    return datetime.now(tz=UTC)


class Holder(NamedTuple):
    """Who is writing in the office."""

    who: str
    doing: str


class Store(Protocol):
    """What SQLite and PostgreSQL do differently."""

    def reader(self) -> Engine:
        """An engine whose transactions each see one state."""

    def writing(self, holder: Holder, patience: float) -> Iterator[Connection]:
        """One transaction of the only writer."""

    def is_there(self) -> bool:
        """Whether a database can be opened at all."""

    def cautions(self) -> tuple[str, ...]:
        """What an operator should know of this store."""


class Office:
    """An opened office: where facts are read from and written to."""

    def __init__(self, url: str, clock: Clock = system_clock) -> None:
        self.url = full_url(url)
        self.clock = clock
        self.store: Store = _Sqlite(self.url) if self.url.startswith("sqlite") else _Postgres(self.url)
        self._reader: Engine | None = None
        self._opening = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one state of the record, whatever is written meanwhile."""
        with self._opening:
            reader = self._reader = self._reader or self.store.reader()
        with _plain_errors(), reader.connect() as connection:
            yield connection

    @contextmanager
    def writing(self, who: str, doing: str, patience: float = PATIENCE) -> Iterator[Connection]:
        """One transaction, held by one writer: everything in it is stored, or nothing."""
        with _plain_errors(), contextmanager(self.store.writing)(Holder(who, doing), patience) as connection:
            yield connection

    def close(self) -> None:
        """Let go of every connection."""
        if self._reader is not None:
            self._reader.dispose()
            self._reader = None


def full_url(given: str) -> str:
    """A database address: a plain path is a SQLite file; PostgreSQL is reached through psycopg 3."""
    if "://" not in given:
        return f"sqlite:///{given}"
    scheme, rest = given.split("://", 1)
    if scheme in ("postgres", "postgresql"):
        return f"postgresql+psycopg://{rest}"
    if scheme in ("sqlite", "postgresql+psycopg"):
        return given
    raise OfficeError(f"an office lives on sqlite or postgresql, not on {scheme!r}")


def open_office(url: str, clock: Clock = system_clock) -> Office:
    """An office that is there and whose schema this program knows."""
    office = Office(url, clock)
    if not office.store.is_there():
        raise NoOfficeError(f"there is no office at {url}; make one with: crosstable office init --database {url}")
    found = schema_of(office)
    if found is None:
        raise NoOfficeError(f"{url} holds no office; make one with: crosstable office init --database {url}")
    if found not in KNOWN_SCHEMAS:
        raise SchemaError(
            f"the office at {url} has schema {found}, which is newer than this program knows ({SCHEMA}); "
            "use the program that made it, or a newer one"
        )
    if found != SCHEMA:
        raise SchemaError(
            f"the office at {url} has the older schema {found}; bring it up to {SCHEMA} with: "
            f"crosstable office upgrade --database {url}"
        )
    return office


def schema_of(office: Office) -> str | None:
    """The schema of a database, nothing where it is not an office; one that cannot be read is an error."""
    with office.reading() as connection:
        return schema_in(connection)


def schema_in(connection: Connection) -> str | None:
    """The same inside a transaction that is already open."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Faults of the store as sentences that say what to do; everything was rolled back by then."""
    try:
        yield
    except DBAPIError as error:
        said = str(error.orig)
        remedy = _LOST if error.connection_invalidated else _remedy(said)
        if remedy is None:
            raise
        raise OfficeError(f"the database says: {said.strip()}; nothing was stored. {remedy}") from error


def _remedy(said: str) -> str | None:
    for part, remedy in _REMEDIES.items():
        if part in said.lower():
            return remedy
    return None


_LOST = "The connection was lost; check that the server runs, and try again."
_REMEDIES = {
    "disk is full": "Make room on the disk and try again.",
    "no space left": "Make room on the disk and try again.",
    "disk i/o error": "The disk failed, or it is full; check it and try again.",
    "not a database": "The file is not an office, or it is damaged: restore a backup.",
    "malformed": "The file is damaged: restore a backup (crosstable office restore).",
    "readonly": "The file may not be written to; check its owner and its folder.",
    "unable to open": "Check the path and the rights of its folder.",
    "password authentication": "Check the name and the password in the address.",
    "connection refused": "Check that the server runs and that the address is right.",
    "could not connect": "Check that the server runs and that the address is right.",
    "connection failed": "Check that the server runs and that the address is right.",
    "does not exist": "Check the name of the database and of the user.",
    "database is locked": "Another program is writing; try again.",
    "append-only": "The record is never changed; write a correction or a decision instead.",
}


class _Sqlite:
    """One file. A lock file beside it names the writer, so that a second one can say for whom it waits."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.path = url.removeprefix("sqlite:///")

    def is_there(self) -> bool:
        return os.path.isfile(self.path)

    def cautions(self) -> tuple[str, ...]:
        if sqlite3.sqlite_version_info >= _SOUND_SQLITE:
            return ()
        return (
            f"SQLite {sqlite3.sqlite_version} is older than 3.51.3 and can damage a file that two programs write to at "
            "once; this office lets one write at a time. Offices with many writers use PostgreSQL.",
        )

    def reader(self) -> Engine:
        engine = create_engine(self.url)
        _prepare_sqlite(engine, "BEGIN", "PRAGMA wal_autocheckpoint=0")
        return engine

    @cached_property
    def _writer(self) -> Engine:
        """Kept for the statements it has compiled; it holds no connection between two transactions."""
        engine = create_engine(self.url, poolclass=NullPool)
        _prepare_sqlite(engine, "BEGIN IMMEDIATE", "PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL")
        return engine

    def writing(self, holder: Holder, patience: float) -> Iterator[Connection]:
        with (
            _locked(f"{self.path}.lock", _name(holder), patience),
            self._writer.connect() as connection,
            _begun(connection),
        ):
            yield connection


@contextmanager
def _locked(path: str, name: str, patience: float) -> Iterator[None]:
    """The lock of a file, which the system takes back when the process ends in whatever way."""
    with _plain_os_errors(path):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _wait_for(handle, time.monotonic() + patience)
        with _plain_os_errors(path):
            os.ftruncate(handle, 0)
            os.pwrite(handle, name.encode(), 0)
        try:
            yield
        finally:
            os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def _wait_for(handle: int, deadline: float) -> None:
    """Wait in no queue, but who has waited longer looks more often, so that nobody is always too late."""
    began = time.monotonic()
    while not _try_flock(handle):
        now = time.monotonic()
        if now >= deadline:
            holder = os.pread(handle, 1000, 0).decode(errors="replace")
            if holder or now > deadline + _NAMING:
                raise OfficeBusyError(_busy(holder))
        time.sleep(_GLANCE / (1 + now - began))


@contextmanager
def _plain_os_errors(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        said = f"{path}: {error.strerror}; nothing was stored."
        raise OfficeError(f"{said} {_remedy(said) or 'Check the path and the rights of its folder.'}") from error


def _try_flock(handle: int) -> bool:
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _prepare_sqlite(engine: Engine, begin: str, *pragmas: str) -> None:
    """Transactions begin when we say so, not when the driver guesses; readers never checkpoint."""

    @event.listens_for(engine, "connect")
    def connected(connection: sqlite3.Connection, record: object) -> None:
        connection.isolation_level = None
        for pragma in ("PRAGMA busy_timeout=30000", *pragmas):
            connection.execute(pragma)

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        connection.exec_driver_sql(begin)


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


def _busy(holder: str) -> str:
    return f"the office is busy: {holder or 'another program is writing'}; try again when that is done"


def _name(holder: Holder) -> str:
    return f"{holder.who} is at work ({holder.doing}, process {os.getpid()})"


class _Postgres:
    """A server. An advisory lock holds one writer at a time; the session's name says who that is."""

    def __init__(self, url: str) -> None:
        self.url = url

    def is_there(self) -> bool:
        return True

    def cautions(self) -> tuple[str, ...]:
        return ()

    def reader(self) -> Engine:
        return create_engine(self.url, isolation_level="REPEATABLE READ")

    @cached_property
    def _writer(self) -> Engine:
        """Kept for the statements it has compiled; it holds no connection between two transactions."""
        return create_engine(self.url, poolclass=NullPool, isolation_level="SERIALIZABLE")

    def writing(self, holder: Holder, patience: float) -> Iterator[Connection]:
        # The lock belongs to the session: it is taken before the transaction, whose snapshot must be newer, and it is
        # gone when the connection is, however that ends.
        with self._writer.connect() as connection:
            _take_advisory_lock(connection, holder, patience)
            try:
                with _begun(connection):
                    yield connection
            finally:
                if not connection.invalidated:
                    _give_advisory_lock_back(connection)


def _take_advisory_lock(connection: Connection, holder: Holder, patience: float) -> None:
    """Stand in the server's queue for the lock, as long as patience lasts."""
    connection.execute(text("SELECT set_config('application_name', :name, false)"), {"name": _name(holder)[:60]})
    connection.commit()
    other = ""
    for _ in range(_LOOKS):
        if _gets_advisory_lock(connection, patience):
            return
        other = _advisory_holder(connection)
        connection.rollback()
        if other:  # otherwise it has just become free
            break
    raise OfficeBusyError(_busy(other))


def _gets_advisory_lock(connection: Connection, patience: float) -> bool:
    wait = f"{max(1, round(1000 * patience))}ms"  # 0 would mean for ever
    connection.execute(text("SELECT set_config('lock_timeout', :wait, true)"), {"wait": wait})
    try:
        connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _ADVISORY_KEY})
    except OperationalError as error:
        connection.rollback()
        if getattr(error.orig, "sqlstate", None) != _LOCK_NOT_AVAILABLE:
            raise
        return False
    connection.commit()
    return True


def _give_advisory_lock_back(connection: Connection) -> None:
    """At once: a server that is only told that the session ends frees the lock some time later."""
    try:
        connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _ADVISORY_KEY})
        connection.commit()
    except DBAPIError:
        connection.invalidate()


def _advisory_holder(connection: Connection) -> str:
    found = connection.execute(
        text(
            "SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid "
            "WHERE l.locktype = 'advisory' AND l.granted AND l.classid = :high AND l.objid = :low AND l.database = "
            "(SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1"
        ),
        {"high": _ADVISORY_KEY >> 32, "low": _ADVISORY_KEY & 0xFFFF_FFFF},
    ).scalar()
    return found or ""
