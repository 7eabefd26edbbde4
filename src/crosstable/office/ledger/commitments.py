"""What a journal entry commits to: every row it wrote, table by table, and the entry before it.

The digest of a row is SHA-256 over its columns in binary (``digests``). Personal values enter it only through a hash
with the row's own salt: whoever erases them keeps that hash in the place of the salt, and the proof still holds. The
digest of an entry covers the digest before it, the entry itself, and the number and the sorted digests of the rows it
wrote into every table. A transaction commits to its entries at its end.
"""

import hashlib
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, insert, select

from crosstable.office import tables
from crosstable.office.ledger.digests import BYTES, Layout, canonical, layout_of

NO_HASH = "0" * 64
# What stands for a name that was erased.
ERASED = "(erased)"
# The number and the digest of an entry.
Head = tuple[int, str]
NOTHING: Head = (0, NO_HASH)
# What is said of an entry's rows in a table: how many there are, and the hash of their sorted digests.
Summary = list[int | str]
# Bytes of a salt: nobody tries names and birth dates against so many.
SALT = 12
# From so many rows on, digests are sorted as arrays.
_MANY = 10_000
_KEY = "crosstable-written"


class RowLayout(NamedTuple):
    """How the rows of a table are hashed: the places of plain columns, of personal ones, and of the salt."""

    names: tuple[str, ...]
    plain: tuple[int, ...]
    personal: tuple[int, ...]
    plain_layout: Layout
    personal_layout: Layout

    @property
    def is_salted(self) -> bool:
        """Whether rows have personal values, and so a salt."""
        return bool(self.personal)

    def digest(self, row: Sequence[Any]) -> bytes:
        """The digest of a row, whose values stand in the order of ``names``; the salt is the last."""
        encoded = self.plain_layout.encoded([row[at] for at in self.plain])
        return hashlib.sha256(encoded + self.hidden(row) if self.personal else encoded).digest()

    def hidden(self, row: Sequence[Any]) -> bytes:
        """What personal values enter with: their hash with the salt, or what an erasure left of it."""
        salt: str = row[-1]
        if len(salt) == len(NO_HASH):
            return bytes.fromhex(salt)
        return hashlib.sha256(salt.encode() + self.personal_layout.encoded([row[at] for at in self.personal])).digest()


@cache
def row_layout(table: Table) -> RowLayout:
    """The layout of a table, from its definition."""
    columns = [column for column in table.columns if column.name != "salt"]
    personal = [at for at, column in enumerate(columns) if "personal" in column.info]
    plain = [at for at in range(len(columns)) if at not in personal]
    names = [column.name for column in columns] + ["salt"] * bool(personal)
    layouts = (layout_of([columns[at] for at in places]) for places in (plain, personal))
    return RowLayout(tuple(names), tuple(plain), tuple(personal), *layouts)


def entry_column(table: Table) -> str | None:
    """The column that says which entry wrote a row; the rows of a supplement go with the supplement."""
    return next((name for name in ("act", "run") if name in table.c), None)


# Every table whose rows entries commit to: all but the journal and the commitments themselves.
COMMITTED = tuple(table for table in tables.metadata.sorted_tables if table not in (tables.act, tables.commitment))


class _Written:
    """What a transaction has written so far: the digests of its entries, and of rows by entry and table."""

    def __init__(self) -> None:
        self.entries: dict[int, bytes] = {}
        self.rows: dict[int, dict[str, bytearray]] = {}
        self.head: Head | None = None
        # Whether the time of entries must be likely.
        self.is_timed = False

    def note(self, entry: int, table: str, digests: bytes) -> None:
        self.rows.setdefault(entry, {}).setdefault(table, bytearray()).extend(digests)


# Random bytes, in hexadecimal digits; tests that compare two offices draw the same for both.
draw: Callable[[int], str] = secrets.token_hex


def new_salt() -> str:
    """A salt for the personal values of a row."""
    return draw(SALT)


def _written(connection: Connection) -> _Written:
    found = connection.info[_KEY]
    assert isinstance(found, _Written)
    return found


def is_timed(connection: Connection) -> bool:
    """Whether entries of this transaction must have a likely time."""
    return _written(connection).is_timed


def _salted(table: Table, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "salt": new_salt()} if row_layout(table).is_salted else dict(row) for row in rows]


def write_entries(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Put entries into the journal."""
    layout = row_layout(tables.act)
    salted = _salted(tables.act, rows)
    connection.execute(insert(tables.act), salted)
    for row in salted:
        _written(connection).entries[row["seq"]] = layout.digest([row[name] for name in layout.names])


def write_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Put rows of the record into their table; the entry that wrote them commits to them."""
    if not rows:
        return
    layout, column = row_layout(table), entry_column(table)
    salted = _salted(table, rows)
    connection.execute(insert(table), salted)
    newest = max(_written(connection).entries, default=0)
    for row in salted:
        digest = layout.digest([row.get(name) for name in layout.names])
        _written(connection).note(newest if column is None else row[column], table.name, digest)


def note_digests(connection: Connection, entry: int, table: Table, digests: bytes) -> None:
    """Let an entry commit to rows that were written otherwise."""
    _written(connection).note(entry, table.name, digests)


@contextmanager
def committing(connection: Connection) -> Iterator[_Written]:
    """A transaction whose entries commit to the rows it wrote, when all are there."""
    connection.info[_KEY] = written = _Written()
    yield written
    assert not written.rows.keys() - written.entries.keys(), "rows of the record without a journal entry"
    if written.entries:
        rows = {
            seq: {name: summary(digests) for name, digests in tables.items()} for seq, tables in written.rows.items()
        }
        written.head = commit(connection, written.entries, rows)


def commit(connection: Connection, entries: Mapping[int, bytes], rows: Mapping[int, Mapping[str, Summary]]) -> Head:
    """Write what entries commit to, from their digests and what is said of their rows; returns the new head."""
    _, previous = head_in(connection)
    made = []
    for seq in sorted(entries):
        said = canonical(rows.get(seq, {}))
        digest = entry_digest(previous, entries[seq], said)
        made.append({"seq": seq, "rows": said, "previous": previous, "digest": digest})
        previous = digest
    connection.execute(insert(tables.commitment), made)
    return max(entries), previous


def head_in(connection: Connection) -> Head:
    """The newest entry and its digest."""
    table = tables.commitment.c
    found = connection.execute(select(table.seq, table.digest).order_by(table.seq.desc()).limit(1)).first()
    return NOTHING if found is None else (found[0], str(found[1]))  # in a damaged file it may be no text


def digest_at(connection: Connection, seq: int) -> str:
    """The digest of an entry; before the first there is none."""
    table = tables.commitment.c
    return connection.execute(select(table.digest).where(table.seq == seq)).scalar() or NO_HASH


def entry_digest(previous: str, entry: bytes, rows: str) -> str:
    """The digest of an entry: over the one before it, the entry and what it says of its rows."""
    return hashlib.sha256(previous.encode() + entry + rows.encode()).hexdigest()


def summary(digests: bytes | bytearray) -> Summary:
    """What is said of rows with these digests."""
    number, whole = len(digests) // BYTES, hashlib.sha256()
    for some in _sorted(digests, number):
        whole.update(some)
    return [number, whole.hexdigest()]


def _sorted(digests: bytes | bytearray, number: int) -> Iterator[bytes]:
    """Digests in their order, many at a time: those of a large entry take much room, and are not copied."""
    if number < _MANY:
        yield b"".join(sorted(bytes(digests[at : at + BYTES]) for at in range(0, len(digests), BYTES)))
        return
    import numpy as np

    words = np.frombuffer(digests, dtype=">u8").reshape(number, -1)
    order = np.argsort(first := words[:, 0].astype("u8"))
    first = first[order]
    if (first[1:] == first[:-1]).any():  # equal rows, or a chance in a million
        order = np.lexsort(words.T[::-1])
    del first
    for at in range(0, number, _MANY):
        yield words[order[at : at + _MANY]].tobytes()
