"""The proof of a record: what every journal entry commits to against what the tables hold, both ways.

Rows are read as the store gives them, and whatever cannot be read or is of another kind than its column is a finding.
"""

import hashlib
import json
import sqlite3
import struct
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, select
from sqlalchemy.exc import SQLAlchemyError

from crosstable.office import tables
from crosstable.office.ledger.commitments import (
    COMMITTED,
    NO_HASH,
    RowLayout,
    entry_column,
    entry_digest,
    row_layout,
    summary,
)
from crosstable.sentences import counted

# What reading and hashing a value raises that is not what its column holds.
_OF_ANOTHER_KIND = (TypeError, ValueError, AttributeError, OverflowError, struct.error)
# What reading a damaged store raises; SQLite quotes damaged texts, which are not always UTF-8.
UNREADABLE = (SQLAlchemyError, sqlite3.Error, UnicodeError)


class Finding(NamedTuple):
    """Something that is not as the record says: the journal entry, the table and the row concerned, where known."""

    what: str
    entry: int | None = None
    table: str | None = None
    row: str | None = None


class Commitment(NamedTuple):
    """What an entry commits to, as it stands in its table."""

    seq: int
    rows: str
    previous: str
    digest: str


class Read(NamedTuple):
    """The digests of a table's rows by the entry that wrote them, and what was wrong with reading them."""

    digests: Mapping[Hashable, bytearray]
    findings: Sequence[Finding]


def read_table(connection: Connection, table: Table, entries: Mapping[str, int]) -> Read:
    """Hash a table row by row; ``entries`` are those of the supplements by month."""
    layout, column = row_layout(table), entry_column(table)
    place = layout.names.index(column or "month")
    found: dict[Hashable, bytearray] = {}
    try:
        for row in stored_rows(connection, table, layout):
            entry = row[place] if column else entries.get(row[place], 0)
            found.setdefault(entry, bytearray()).extend(_digest(layout, row))
    except UNREADABLE as error:
        connection.rollback()
        return Read(found, [Finding(f"{table.name} cannot be read: {one_line(error)}", table=table.name)])
    return Read(found, ())


def one_line(error: Exception) -> str:
    """What was wrong, in one line."""
    return " ".join(str(getattr(error, "orig", None) or error).split())[:300] or type(error).__name__


def _digest(layout: RowLayout, row: Sequence[Any]) -> bytes:
    try:
        return layout.digest(row)
    except _OF_ANOTHER_KIND:
        return hashlib.sha256(repr(row).encode("utf-8", "backslashreplace")).digest()


def stored_rows(connection: Connection, table: Table, layout: RowLayout) -> Iterator[Sequence[Any]]:
    """The rows of a table in the order of a layout, with no value turned into another."""
    query = select(*(table.c[name] for name in layout.names))
    if connection.dialect.name == "postgresql":
        yield from connection.execute(query.execution_options(stream_results=True, max_row_buffer=10_000))
        return
    connection.execute(select(1))  # the transaction has begun
    driver: Any = connection.connection.driver_connection
    driver.text_factory = _text
    try:
        yield from driver.execute(str(query.compile(connection)))
    finally:
        driver.text_factory = str


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogateescape")


def journal_digests(connection: Connection) -> dict[int, bytes]:
    """The digest of every journal entry."""
    layout = row_layout(tables.act)
    return {row[0]: _digest(layout, row) for row in stored_rows(connection, tables.act, layout)}


def months(connection: Connection) -> dict[str, int]:
    """The journal entries that published supplements, by month."""
    layout = row_layout(tables.supplement)
    return {row[0]: row[1] for row in stored_rows(connection, tables.supplement, layout)}


def proof(connection: Connection) -> Iterator[Finding]:
    """Every place where the tables are not what the entries commit to."""
    try:
        journal = journal_digests(connection)
        layout = row_layout(tables.commitment)
        committed = {row[0]: Commitment(*row) for row in stored_rows(connection, tables.commitment, layout)}
        entries = months(connection)
    except UNREADABLE as error:
        connection.rollback()
        yield Finding(f"the journal cannot be read: {one_line(error)}", table=tables.act.name)
        return
    yield from _chain(journal, committed)
    said = {seq: _said(one) for seq, one in committed.items()}
    for table in COMMITTED:
        read = read_table(connection, table, entries)
        yield from read.findings
        yield from _rows(connection, table, read.digests, said)


def _chain(journal: Mapping[int, bytes], committed: Mapping[int, Commitment]) -> Iterator[Finding]:
    """The entries against one another."""
    previous, numbers = NO_HASH, journal.keys() | committed.keys()
    last = max((number for number in numbers if type(number) is int), default=0)
    for number in numbers - set(range(1, last + 1)):
        yield Finding(f"{number!r} is no number of a journal entry", table=tables.act.name)
    for number in range(1, last + 1):
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
    found: Mapping[Hashable, bytearray],
    said: Mapping[int, Mapping[str, Sequence[Any]]],
) -> Iterator[Finding]:
    """The rows of a table against what entries say of them: none missing, none more, none changed."""
    for entry in sorted(found.keys() | said.keys(), key=repr):
        there, wanted = found.get(entry, b""), said.get(entry, {}).get(table.name, None)  # type: ignore[call-overload]
        number = len(there) // hashlib.sha256().digest_size
        if wanted == summary(there) or (wanted is None and not number):
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


def recommit_digests(connection: Connection) -> dict[int, dict[str, bytearray]]:
    """The digests of all rows by entry and table, for an office that has not committed to them yet."""
    entries = months(connection)
    found: dict[int, dict[str, bytearray]] = {}
    for table in COMMITTED:
        if table is tables.former_chain:
            continue
        for entry, digests in read_table(connection, table, entries).digests.items():
            found.setdefault(int(str(entry)), {})[table.name] = digests
    return found
