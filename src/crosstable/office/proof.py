"""The proof of a record: what every journal entry commits to against what the tables hold, both ways.

Rows are read as the store gives them, and whatever cannot be read or is of another kind than its column is a finding.
"""

import hashlib
import json
import re
import sqlite3
import struct
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from sqlalchemy import ColumnElement, Connection, LargeBinary, Select, Table, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from crosstable.office import tables
from crosstable.office.ledger.commitments import (
    COMMITTED,
    NO_HASH,
    RowLayout,
    Summary,
    entry_column,
    entry_digest,
    row_layout,
    summary,
)
from crosstable.sentences import counted

if TYPE_CHECKING:
    import polars as pl
    import psycopg
    from psycopg.abc import Buffer

# So many rows are taken one by one before they are summed.
_SOME = 1000
# What reading and hashing a value raises that is not what its column holds.
_OF_ANOTHER_KIND = (TypeError, ValueError, AttributeError, OverflowError, struct.error)
# What reading a damaged store raises; SQLite quotes damaged texts, which are not always UTF-8.
UNREADABLE = (SQLAlchemyError, sqlite3.Error, UnicodeError)
# Classes of what a server says of damaged data (XX, 22) or of tables that are not those of an office (42).
_DAMAGE = ("XX", "22", "42")


class Finding(NamedTuple):
    """Something that is not as the record says: the journal entry, the table and the row concerned, where known."""

    what: str
    entry: int | None = None
    table: str | None = None
    row: str | None = None


class Span(NamedTuple):
    """The journal entries whose rows are looked at: those after one, and up to another where one is named."""

    since: int = 0
    through: int | None = None

    def has(self, entry: Hashable) -> bool:
        """Whether an entry is one of them; what is no number of one is looked at wherever it stands."""
        if type(entry) is not int:
            return True
        return self.since < entry and (self.through is None or entry <= self.through)

    def of(self, column: ColumnElement[int]) -> list[ColumnElement[bool]]:
        """The same as conditions of a query."""
        return [column > self.since] * bool(self.since) + ([] if self.through is None else [column <= self.through])


EVERYTHING = Span()


class Commitment(NamedTuple):
    """What an entry commits to, as it stands in its table."""

    seq: int
    rows: str
    previous: str
    digest: str


class Look(Protocol):
    """Whoever looks at the rows of a table while they are read: from the beginning, where that begins anew."""

    def begin(self) -> None:
        """Forget what was seen."""

    def take(self, frame: "pl.DataFrame") -> None:
        """See some rows, with the columns of the table's layout."""


class Read(NamedTuple):
    """What there is of a table's rows by the entry that wrote them, and what was wrong with reading them."""

    summaries: Mapping[Hashable, Summary]
    findings: Sequence[Finding]


class _Summing:
    """Digests of rows on their way into summaries; those of an entry that is over are not kept."""

    def __init__(self, *, is_in_order: bool) -> None:
        self.is_in_order = is_in_order
        self.digests: dict[Hashable, bytearray] = {}
        self.done: dict[Hashable, Summary] = {}

    def add(self, entries: Sequence[Hashable], digests: Sequence[bytes]) -> None:
        """Add rows, each with the entry that wrote it, or all with one."""
        if len(entries) == 1:
            self.digests.setdefault(entries[0], bytearray()).extend(b"".join(digests))
        else:
            for entry, digest in zip(entries, digests, strict=True):
                self.digests.setdefault(entry, bytearray()).extend(digest)
        for entry in [one for one in self.digests if self.is_in_order and one != entries[-1]]:
            self.done[entry] = summary(self.digests.pop(entry))

    def summaries(self) -> dict[Hashable, Summary]:
        """All of them; the digests are gone then."""
        while self.digests:
            entry, digests = self.digests.popitem()
            self.done[entry] = summary(digests)
        return self.done


# Tables that are read in an order: what belongs together follows upon each other.
_ORDER = {"entry": ("event_id", "section", "act"), "supplement_row": ("month",)}


def read_table(
    connection: Connection, table: Table, entries: Mapping[str, int], look: Look | None = None, span: Span = EVERYTHING
) -> Read:
    """Hash the rows of a table that some entries wrote; ``entries`` are those of the supplements by month.

    Many rows at once, and, where that cannot be, one by one.
    """
    layout, column = row_layout(table), entry_column(table)
    query = select(*(table.c[name] for name in layout.names))
    query = query.order_by(*(table.c[name] for name in _ORDER.get(table.name, ())))
    if column is not None:
        query = query.where(*span.of(table.c[column]))
    elif span != EVERYTHING:
        query = query.where(table.c.month.in_([month for month, entry in entries.items() if span.has(entry)]))
    place = layout.names.index(column or "month")

    def summed(read: _Reader, found: _Summing) -> Read:
        if look is not None:
            look.begin()
        for values, digests in read(connection, table, query, place, look):
            found.add(values if column else [entries.get(value, 0) for value in values], digests)
        return Read(found.summaries(), ())

    with suppress(Exception):  # whatever it is, the rows are looked at once more
        return summed(_in_portions, _Summing(is_in_order=column is None))
    found = _Summing(is_in_order=column is None)
    try:
        return summed(_one_by_one, found)
    except UNREADABLE as error:
        connection.rollback()
        return Read(found.summaries(), [Finding(f"{table.name} cannot be read: {one_line(error)}", table=table.name)])


_Rows = Iterator[tuple[Sequence[Any], Sequence[bytes]]]
_Reader = Callable[[Connection, Table, Select[Any], int, Look | None], _Rows]


def _in_portions(connection: Connection, table: Table, query: Select[Any], place: int, look: Look | None) -> _Rows:
    """The entries and digests of rows, many at once; whatever is of another kind than its column raises."""
    from crosstable.office.bulk.frames import schema_of
    from crosstable.office.bulk.hashes import row_digests
    from crosstable.office.bulk.stored import stored_portions

    names = row_layout(table).names
    if any(isinstance(table.c[name].type, LargeBinary) for name in names):
        raise TypeError("contents are read one by one")
    # on a server a failed statement must not end the transaction
    with connection.begin_nested() if connection.dialect.name == "postgresql" else nullcontext():
        for portion in stored_portions(connection, query, schema_of(table, names)):
            if look is not None:
                look.take(portion)
            writers = portion[names[place]]
            yield (writers[:1] if writers.n_unique() == 1 else writers).to_list(), row_digests(portion, table)


def _one_by_one(connection: Connection, table: Table, query: Select[Any], place: int, look: Look | None) -> _Rows:
    """The same of each row, whatever it holds."""
    from crosstable.office.bulk.frames import schema_of
    from crosstable.office.bulk.stored import likely

    layout, rows = row_layout(table), stored_rows(connection, query)
    while some := list(islice(rows, _SOME)):
        frame = None if look is None else likely(connection, some, schema_of(table, layout.names))
        if look is not None and frame is not None:  # what is no row of its table is found by its digest
            look.take(frame)
        yield [row[place] for row in some], [_digest(layout, row) for row in some]


def one_line(error: Exception) -> str:
    """What was wrong, in one line."""
    return " ".join(str(getattr(error, "orig", None) or error).split())[:300] or type(error).__name__


def unreadable(error: Exception) -> Finding | None:
    """What a server could not read, and in which table; nothing where it is not the data that is wrong."""
    cause = error if isinstance(error, DBAPIError) else error.__cause__
    if not isinstance(cause, DBAPIError) or str(getattr(cause.orig, "sqlstate", None) or "")[:2] not in _DAMAGE:
        return None
    found = re.search(r"\bFROM (\w+)", cause.statement or "")
    table = found[1] if found else "the store"
    return Finding(f"{table} cannot be read: {one_line(cause)}", table=found[1] if found else None)


def _digest(layout: RowLayout, row: Sequence[Any]) -> bytes:
    try:
        return layout.digest(row)
    except _OF_ANOTHER_KIND:
        return hashlib.sha256(repr(row).encode("utf-8", "backslashreplace")).digest()


def stored_rows(connection: Connection, query: Select[Any]) -> Iterator[Sequence[Any]]:
    """What a query for stored columns finds, with no value turned into another."""
    connection.execute(select(1))  # the transaction has begun
    driver: Any = connection.connection.driver_connection
    if connection.dialect.name == "postgresql":
        with _any_text(driver):
            yield from connection.execute(query.execution_options(stream_results=True, max_row_buffer=10_000))
        return
    driver.text_factory = _text
    try:
        yield from driver.execute(str(query.compile(connection, compile_kwargs={"literal_binds": True})))
    finally:
        driver.text_factory = str


@contextmanager
def _any_text(driver: "psycopg.Connection[Any]") -> Iterator[None]:
    """Let the driver of a server give texts as they are stored, sound or not."""
    from psycopg.adapt import Loader
    from psycopg.types.string import TextLoader

    class AnyText(Loader):
        def load(self, data: "Buffer") -> str:
            return _text(bytes(data))

    kinds = ("text", "varchar")
    for kind in kinds:
        driver.adapters.register_loader(kind, AnyText)
    try:
        yield
    finally:
        for kind in kinds:
            driver.adapters.register_loader(kind, TextLoader)


def _columns(table: Table) -> Select[Any]:
    return select(*(table.c[name] for name in row_layout(table).names))


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogateescape")


def journal_digests(connection: Connection) -> dict[int, bytes]:
    """The digest of every journal entry."""
    layout = row_layout(tables.act)
    return {row[0]: _digest(layout, row) for row in stored_rows(connection, _columns(tables.act))}


def _commitments(connection: Connection) -> dict[int, Commitment]:
    """What every entry commits to."""
    return {row[0]: Commitment(*row) for row in stored_rows(connection, _columns(tables.commitment))}


def months(connection: Connection) -> dict[str, int]:
    """The journal entries that published supplements, by month."""
    return {row[0]: row[1] for row in stored_rows(connection, _columns(tables.supplement))}


_Found = TypeVar("_Found")


def _readable(
    connection: Connection, table: Table, read: Callable[[Connection], _Found], findings: list[Finding]
) -> _Found | None:
    """What is read of a table, or nothing and a finding."""
    try:
        return read(connection)
    except UNREADABLE as error:
        connection.rollback()
        findings.append(Finding(f"{table.name} cannot be read: {one_line(error)}", table=table.name))
        return None


_TOGETHER = (tables.section, tables.entry, tables.posting, tables.member, tables.supplement_row)
# What is read together: the rows of sections are held against their headings, supplements against postings and names.
PARTS: Sequence[Sequence[Table]] = (
    (tables.section, tables.entry),
    (tables.posting, tables.member, tables.supplement_row),
    *((one,) for one in COMMITTED if one not in _TOGETHER),
)


class Proof:
    """What the entries say of one another and of their rows, read once; tables are then held against it."""

    def __init__(self, connection: Connection, span: Span = EVERYTHING) -> None:
        self._connection, self._span = connection, span
        self.findings: list[Finding] = []
        journal = _readable(connection, tables.act, journal_digests, self.findings)
        committed = _readable(connection, tables.commitment, _commitments, self.findings)
        self._entries = _readable(connection, tables.supplement, months, self.findings)
        self._said: dict[int, Mapping[str, Sequence[Any]]] | None = None
        if journal is not None and committed is not None:
            self.findings += _chain(journal, committed)
            self._said = {seq: _said(one) for seq, one in committed.items() if span.has(seq)}

    def of_table(self, table: Table, look: Look | None = None) -> Iterator[Finding]:
        """Every place where a table is not what the entries commit to."""
        if self._said is None:
            return
        if self._entries is None and entry_column(table) is None:
            yield Finding(f"{table.name} cannot be checked while supplement cannot be read", table=table.name)
            return
        read = read_table(self._connection, table, self._entries or {}, look, self._span)
        yield from read.findings
        yield from _rows(self._connection, table, read.summaries, self._said)


def proof(connection: Connection) -> Iterator[Finding]:
    """Every place where the tables are not what the entries commit to."""
    made = Proof(connection)
    yield from made.findings
    for part in PARTS:
        for table in part:
            yield from made.of_table(table)


def _chain(journal: Mapping[int, bytes], committed: Mapping[int, Commitment]) -> Iterator[Finding]:
    """The entries against one another."""
    previous, numbers = NO_HASH, journal.keys() | committed.keys()
    # A damaged number may be any: gaps are told where they begin, and nobody counts through them.
    sound = sorted(number for number in numbers if type(number) is int and number > 0)
    for number in numbers - set(sound):
        yield Finding(f"{number!r} is no number of a journal entry", table=tables.act.name)
    for before, number in pairwise([0, *sound]):
        if number > before + 1:
            is_one = number == before + 2
            gone = f"entry {before + 1} is" if is_one else f"entries {before + 1} to {number - 1} are"
            yield Finding(f"journal {gone} missing", before + 1, tables.act.name)
        one = committed.get(number)
        if number not in journal:
            yield Finding(f"journal entry {number} is missing", number, tables.act.name)
        if one is None:
            yield Finding(f"what journal entry {number} commits to is missing", number, tables.commitment.name)
            continue
        if one.previous != previous:
            yield Finding(f"journal entry {number} is not bound to the entry before it", number, tables.commitment.name)
        if number in journal and not _holds(one, journal[number]):
            yield Finding(f"journal entry {number} was changed after it was written", number, tables.act.name)
        previous = one.digest


def _holds(one: Commitment, entry: bytes) -> bool:
    try:
        return entry_digest(one.previous, entry, one.rows) == one.digest
    except _OF_ANOTHER_KIND:
        return False


def _said(one: Commitment) -> Mapping[str, Sequence[Any]]:
    """What an entry says of its rows; damage to that is found in the chain."""
    try:
        said = json.loads(one.rows)
    except _OF_ANOTHER_KIND:
        return {}
    return said if isinstance(said, dict) else {}


def _rows(
    connection: Connection,
    table: Table,
    found: Mapping[Hashable, Summary],
    said: Mapping[int, Mapping[str, Sequence[Any]]],
) -> Iterator[Finding]:
    """The rows of a table against what entries say of them: none missing, none more, none changed."""
    for entry in sorted(found.keys() | said.keys(), key=repr):
        wanted = said.get(entry, {}).get(table.name, None)  # type: ignore[call-overload]
        there = found.get(entry) or summary(b"")
        number = int(there[0])
        if wanted == there or (wanted is None and not number):
            continue
        of = f"journal entry {entry}"
        count = wanted[0] if isinstance(wanted, list) and wanted and isinstance(wanted[0], int) else 0
        if number == count:
            what = f"{of}: a row that it wrote into {table.name} was changed"
        elif number < count:
            what = f"{of}: {counted(count - number, 'row')} that it wrote into {table.name} missing"
        else:
            what = f"{of}: {counted(number - count, 'row')} in {table.name} that it did not write"
        yield Finding(
            what, entry if isinstance(entry, int) else None, table.name, _row(connection, table, entry, number)
        )


def _row(connection: Connection, table: Table, entry: Hashable, number: int) -> str | None:
    """The key of the only row of an entry; among several nobody knows which one it was."""
    column = entry_column(table)
    if number != 1 or column is None or not isinstance(entry, int):
        return None
    try:
        keys = connection.execute(select(*table.primary_key.columns).where(table.c[column] == entry)).first()
    except (*UNREADABLE, *_OF_ANOTHER_KIND):
        return None
    return None if keys is None else " ".join(str(key) for key in keys)


def recommitted(connection: Connection) -> dict[int, dict[str, Summary]]:
    """What there is of all rows by entry and table, for an office that has not committed to them yet."""
    entries = months(connection)
    found: dict[int, dict[str, Summary]] = {}
    for table in COMMITTED:
        if table is tables.former_chain:
            continue
        for entry, said in read_table(connection, table, entries).summaries.items():
            found.setdefault(int(str(entry)), {})[table.name] = said
    return found
