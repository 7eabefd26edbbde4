"""Opening an office: its database, one writer at a time, one snapshot per reader, and the version of its schema.

SQLite (the default, one file, WAL) and PostgreSQL (psycopg 3) hold the same tables. Where the two need different words,
``stores`` has two bodies; everything else in this room is written once.
"""

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import copy
from datetime import UTC, datetime
from typing import NoReturn

from sqlalchemy import Connection, Engine, insert, inspect, make_url, select, text
from sqlalchemy.exc import ArgumentError

from crosstable.errors import NoOfficeError, OfficeError, ReplacedOfficeError, SchemaError
from crosstable.office import account_tables
from crosstable.office.ledger.commitments import NOTHING, Head, committing, digest_at, head_in
from crosstable.office.locks import Holder
from crosstable.office.plain_errors import plain_errors
from crosstable.office.stores import Postgres, Sqlite, Store

Clock = Callable[[], datetime]
Guard = Callable[[Connection], AbstractContextManager[None]]

# The newest migration this program knows, and all it can bring up to it.
SCHEMA = "0008"
KNOWN_SCHEMAS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008")
# How long a writer waits for another one, in seconds.
PATIENCE = 30.0


def system_clock() -> datetime:
    """The time of this machine, in UTC."""
    return datetime.now(tz=UTC)


class _Seen:
    """What is known of the office that was opened: which file it is, and its newest entry that was seen."""

    def __init__(self, place: tuple[int, ...] | None) -> None:
        self.place = place
        self.head: Head = NOTHING
        # Once another one was found in its place nothing is read any more, whatever is there later.
        self.is_replaced = False

    def refuse(self) -> NoReturn:
        """Say that another one is in its place, now and whenever it is asked for."""
        self.is_replaced = True
        raise ReplacedOfficeError(_REPLACED)


_REPLACED = (
    "the database was replaced by another or an older one while this program was running; nothing was stored. Look at "
    "the office (crosstable office verify), then stop this program and start it again"
)


class Office:
    """An opened office: where facts are read from and written to."""

    def __init__(self, url: str, clock: Clock = system_clock) -> None:
        self.url = full_url(url)
        self.clock = clock
        self.store: Store = Sqlite(self.url) if self.url.startswith("sqlite") else Postgres(self.url)
        self._reader: Engine | None = None
        self._opening = threading.Lock()
        self._guard: Guard = lambda _: nullcontext()
        self._seen: _Seen | None = None
        self._patience = math.inf
        self._has_accounts = False
        # Where accounts were put that another office had left here.
        self.aside = ""

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one state of the record, whatever is written meanwhile."""
        self._require_accounts()
        with self._opening:
            reader = self._reader = self._reader or self.store.reader()
        self.require_same_file()
        known = None if self._seen is None else self._seen.head
        with plain_errors(), reader.connect() as connection:
            self._require_same(connection, known)
            yield connection

    @contextmanager
    def writing(self, who: str, doing: str, patience: float = PATIENCE) -> Iterator[Connection]:
        """One transaction, held by one writer: everything in it is stored, or nothing."""
        self.require_same_file()
        opened = contextmanager(self.store.writing)(Holder(who, doing), min(patience, self._patience))
        with plain_errors(), opened as connection:
            self._require_same(connection, None if self._seen is None else self._seen.head)
            if self._seen is not None:
                _require_schema_still(connection)
            with self._guard(connection), committing(connection) as written:
                written.is_timed = self._seen is not None
                yield connection
        if self._seen is not None and written.head is not None:
            self._seen.head = written.head

    @contextmanager
    def writing_accounts(self, who: str, doing: str, patience: float = PATIENCE) -> Iterator[Connection]:
        """One transaction over accounts and jobs; it waits for others like it, and never for a run (decision 0009)."""
        self._require_accounts()
        self.require_same_file()
        opened = contextmanager(self.store.writing_accounts)(Holder(who, doing), patience)
        with plain_errors(), opened as connection:
            yield connection

    @contextmanager
    def new_accounts(self, connection: Connection | None = None) -> Iterator[Connection]:
        """Inside a transaction of the record: where its accounts go, with nobody in it, stored before the record is."""
        if not isinstance(self.store, Sqlite):
            assert connection is not None
            yield connection
            return
        self.aside = self.store.put_accounts_aside(f"{self.clock():%Y%m%d-%H%M%S}")
        opened = contextmanager(self.store.writing_accounts)(Holder("the office", "accounts"), PATIENCE)
        with plain_errors(), opened as accounts:
            for metadata in (account_tables.metadata, account_tables.file_metadata):
                metadata.drop_all(accounts)
            create_accounts(accounts)
            yield accounts

    def _require_accounts(self) -> None:
        """Where a file of SQLite has no file of accounts beside it, and should, nobody has an account: it is made."""
        if self._has_accounts or not isinstance(self.store, Sqlite):
            return
        if self.store.lacks_accounts():
            opened = contextmanager(self.store.writing_accounts)(Holder("the office", "accounts"), PATIENCE)
            with plain_errors(), opened as connection:
                create_accounts(connection)
        self._has_accounts = self.store.is_there()

    def watch(self) -> None:
        """From now on every transaction must find the office that is there now, with all that was seen of it."""
        self._seen = _Seen(self.store.place())

    def require_same_file(self) -> None:
        """Refuse a file that was put in the place of the one that was opened."""
        if self._seen is not None and not self.is_same_file():
            self._seen.refuse()

    def is_same_file(self) -> bool:
        """Whether nothing was put in the place of what was opened, as far as was seen."""
        return self._seen is None or (not self._seen.is_replaced and self.store.place() == self._seen.place)

    def _require_same(self, connection: Connection, known: Head | None) -> None:
        """Refuse a record that does not have the newest entry that was seen of it."""
        if self._seen is None or known is None:
            return
        newest = head_in(connection)
        if newest != known and digest_at(connection, known[0]) != known[1]:
            self._seen.refuse()
        self._seen.head = max(self._seen.head, newest)

    def newest(self) -> int:
        """The newest journal entry, asked of the database and not of the pages that a connection of SQLite keeps."""
        known = (
            None if self._seen is None else self._seen.head
        )  # what others write from now on, this reader may not see
        with self.reading() as connection:
            if isinstance(self.store, Sqlite):
                connection.exec_driver_sql("PRAGMA shrink_memory")
            self._require_same(connection, known)
            return head_in(connection)[0]

    def hurry(self, seconds: float) -> None:
        """Readers wait no longer than that for tables which somebody has to themselves, and say so."""
        self.store.hurry(seconds)
        if self._reader is not None:
            self._reader.dispose()

    def require_schema(self) -> None:
        """Refuse an office that a newer program has upgraded while this one was running."""
        with self.reading() as connection:
            _require_schema_still(connection)

    def guarded(self, guard: Guard, patience: float = math.inf) -> "Office":
        """The same office, whose transactions go through a guard: what it refuses is not written.

        ``patience``: how long one of its writers waits for another at most, in seconds.
        """
        with self._opening:  # one set of readers for both, which this one lets go of
            self._reader = self._reader or self.store.reader()
        other = copy(self)
        other._guard, other._patience = guard, patience
        return other

    def close(self) -> None:
        """Let go of every connection; the next use opens new ones."""
        if self._reader is not None:
            self._reader.dispose()
        self.store.close()


def full_url(given: str) -> str:
    """A database address: a plain path is a SQLite file; PostgreSQL is reached through psycopg 3."""
    if "://" not in given:
        return f"sqlite:///{given}"
    scheme, rest = given.split("://", 1)
    if scheme in ("postgres", "postgresql"):
        scheme = "postgresql+psycopg"
    if scheme not in ("sqlite", "postgresql+psycopg"):
        raise OfficeError(f"an office lives on sqlite or postgresql, not on {scheme!r}")
    try:
        make_url(f"{scheme}://{rest}")
    except (ArgumentError, ValueError) as error:
        raise OfficeError(f"{given} is no address of a database: postgresql://user@host/database is one") from error
    return f"{scheme}://{rest}"


def open_office(url: str, clock: Clock = system_clock) -> Office:
    """An office that is there and whose schema this program knows."""
    office = Office(url, clock)
    try:
        _require_known_schema(office, url)
        if isinstance(office.store, Sqlite):
            _require_own_accounts(office, office.store.accounts_path)
        office.watch()
    except Exception:
        office.close()
        raise
    return office


def _require_known_schema(office: Office, url: str) -> None:
    if not office.store.is_there():
        raise NoOfficeError(
            f"there is no office at {url}; make one with: crosstable office init --database {url}, or bring one back "
            f"from a backup: crosstable office restore FILE --database {url}"
        )
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


def _require_own_accounts(office: Office, path: str) -> None:
    """The file of the accounts is that of this office."""
    table = account_tables.belongs
    with office.reading() as connection:
        founding = digest_at(connection, 1)
        found = connection.execute(select(table.c.founding)).scalar()
    if found is None:
        with office.writing_accounts("the office", "accounts") as connection:
            if connection.execute(select(table)).first() is None:
                connection.execute(insert(table), {"founding": founding})
    elif found != founding:
        raise OfficeError(
            f"{path} holds the accounts of another office; put the file of this office there, or move it away to "
            "begin without accounts"
        )


def create_accounts(connection: Connection) -> None:
    """Make the tables of the file for accounts and jobs, where they are not there."""
    account_tables.metadata.create_all(connection, account_tables.APART)
    account_tables.file_metadata.create_all(connection)


def _require_schema_still(connection: Connection) -> None:
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    if found != SCHEMA:
        raise SchemaError(
            f"the office was upgraded to schema {found} while this program, which knows {SCHEMA}, was running; nothing "
            "was stored. Stop it and start the newer one"
        )


def schema_of(office: Office) -> str | None:
    """The schema of a database, nothing where it is not an office; one that cannot be read is an error."""
    with office.reading() as connection:
        return schema_in(connection)


def schema_in(connection: Connection) -> str | None:
    """The same inside a transaction that is already open."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
