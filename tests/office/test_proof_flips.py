"""Bytes that change by chance in the files of a store: each change of live data is found and named, on both databases.

SQLite: one to eight bytes anywhere in the file. PostgreSQL: in the files of the record's tables, whose pages have
checksums, and in single values behind the guards; in a copy every table is damaged at one place.
"""

import gc
import random
import re
import sqlite3
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import Boolean, Column, SmallInteger, Table

from crosstable.cli import main
from crosstable.errors import FAULTY
from crosstable.office import tables
from crosstable.office.ledger.commitments import COMMITTED
from tests.amounts import amount
from tests.office.conftest import Cluster, CopyOf
from tests.office.faults import address_of
from tests.office.postgres import Server, connected
from tests.office.test_proof import with_more

# So many, each part with a seed of its own: 50, and 10,000 in a soak.
PARTS = range(amount(1, 20))
FLIPS = amount(50, 500)
LONGEST = 8
# What SQLite keeps about the file itself stands before this.
HEADER = 100
# So many days two bytes tell apart.
DAYS = 1 << 16
Content = Mapping[str, object]


def flipped(raw: bytes, at: int, chance: random.Random) -> bytes:
    """The same with one to eight bytes changed from a place on."""
    data = bytearray(raw)
    for place in range(at, min(at + chance.randrange(1, LONGEST + 1), len(raw))):
        data[place] ^= chance.randrange(1, 256)
    return bytes(data)


# SQLite


def content_of(path: Path) -> Content | None:
    """Everything that SQLite reads in a file; nothing where it cannot."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            connection.text_factory = bytes
            made = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
            names = [name.decode() for kind, name, *_ in made if kind == b"table"]
            return {"": made} | {name: connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}
    except (sqlite3.Error, UnicodeError, AttributeError):
        return None


class FlippedFiles:
    """Copies of a SQLite office in which something that is read has changed."""

    def __init__(self, office: Path, folder: Path, chance: random.Random) -> None:
        self.raw, self.before, self.chance = office.read_bytes(), content_of(office), chance
        self.bad = folder / "bad.db"

    def make(self) -> str:
        """The next one; what SQLite reads as before is none."""
        while True:
            for side in ("-wal", "-shm"):
                Path(f"{self.bad}{side}").unlink(missing_ok=True)
            self.bad.write_bytes(flipped(self.raw, self.chance.randrange(HEADER, len(self.raw)), self.chance))
            if content_of(self.bad) != self.before:
                return str(self.bad)


@pytest.fixture(autouse=True)
def _collecting() -> Iterator[None]:
    """A command switches the collector off for its short life."""
    yield
    gc.enable()


Verified = Callable[[str], tuple[int, str]]


@pytest.fixture
def verified(capsys: pytest.CaptureFixture[str]) -> Verified:
    """What the command says of an office: its exit code and all that it prints."""

    def ask(address: str) -> tuple[int, str]:
        code = main(("office", "verify", "--database", address))
        return code, "".join(capsys.readouterr())

    return ask


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("store", ["sqlite"])
def test_bytes_of_a_file_that_change_by_chance_are_found(
    tmp_path: Path, copy_of: CopyOf, verified: Verified, part: int
) -> None:
    sound = Path(copy_of(with_more).url.removeprefix("sqlite:///"))
    assert verified(str(sound))[0] == 0
    flips = FlippedFiles(sound, tmp_path, random.Random(amount(24, 2400 + part)))
    for number in range(FLIPS):
        code, said = verified(flips.make())
        assert (code, "Traceback" in said) == (FAULTY, False), (number, said)


# PostgreSQL

# What is wrong with these may keep all the rest from being looked at. Which of the two it is nobody can say.
ALONE = (tables.act, tables.commitment)
WORDS = {table.name: f"(journal entry|{table.name})" for table in ALONE}
_FILES = (
    "SELECT c.relname, c.relfilenode, t.relfilenode FROM pg_class c LEFT JOIN pg_class t ON t.oid = c.reltoastrelid "
    "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind = 'r'"
)
Database = psycopg.Connection[tuple[object, ...]]


class FlippedDatabases:
    """Copies of an office on a server, made file by file, in which bytes change."""

    def __init__(self, server: Server, address: str, chance: random.Random) -> None:
        self.server, self.chance, self.numbers = server, chance, count(1)
        self.sound = database_in(address)
        with connected(address) as connection:
            files = connection.execute(_FILES.encode()).fetchall()
            self.before = rows_at(connection)
        self.files = {str(name): [str(one) for one in found if one] for name, *found in files}
        self.filled = [table for table in COMMITTED if self.before[table.name]]

    def chosen(self) -> Sequence[Table]:
        """Tables to damage: one of those that are damaged alone now and then, or all the others."""
        is_alone = self.chance.random() < len(ALONE) / len(self.filled)
        return [self.chance.choice(ALONE)] if is_alone else self.filled

    def copied(self) -> tuple[str, Path]:
        """The address and the folder of a new copy, of which the server has read nothing yet."""
        name = f"flipped{next(self.numbers)}"
        with connected(self.server.url()) as connection:
            statement = f'CREATE DATABASE "{name}" TEMPLATE "{self.sound}" STRATEGY FILE_COPY'
            connection.execute(statement.encode())
            asked = connection.execute(b"SELECT oid FROM pg_database WHERE datname = %s", [name]).fetchone()
        assert asked is not None
        return self.server.url(name), self.server.data / "base" / f"{asked[0]}"

    def flip_files(self, chosen: Sequence[Table]) -> str:
        """A copy with bytes changed anywhere in the file of each of some tables, or in that of its long values."""
        address, folder = self.copied()
        for table in chosen:
            paths = [folder / name for name in self.files[table.name]]
            path = self.chance.choice([one for one in paths if one.stat().st_size])
            raw = path.read_bytes()
            path.write_bytes(flipped(raw, self.chance.randrange(len(raw)), self.chance))
        return address

    def flip_values(self, chosen: Sequence[Table]) -> str:
        """A copy with bytes changed in one value of each of some tables, which stays of its column's kind."""
        address, _ = self.copied()
        with connected(address) as connection:
            connection.execute(b"SET session_replication_role = replica")  # the guards look away
            for table in chosen:
                while not self._flip_value(connection, table):
                    pass
        return address

    def _flip_value(self, connection: Database, table: Table) -> bool:
        names = [column.name for column in table.columns]
        listed = ", ".join(f'"{name}"' for name in names)
        row = self.chance.choice(connection.execute(f'SELECT {listed} FROM "{table.name}"'.encode()).fetchall())
        column = self.chance.choice(table.columns.values())
        other = another(row[names.index(column.name)], column, self.chance)
        keys = [one.name for one in table.primary_key]
        where = " AND ".join(f'"{name}" = %s' for name in keys)
        statement = f'UPDATE "{table.name}" SET "{column.name}" = %s WHERE {where}'
        try:
            connection.execute(statement.encode(), [other, *(row[names.index(name)] for name in keys)])
        except psycopg.Error:  # a key that another row has, or a text that is none
            return False
        return other != row[names.index(column.name)]

    def changed(self, address: str) -> set[str]:
        """The tables that the server reads otherwise than those of the office, or cannot read."""
        with connected(address) as connection:
            return {name for name, rows in rows_at(connection).items() if rows != self.before[name]}

    def drop(self, address: str) -> None:
        """Make room for the next one."""
        with connected(self.server.url()) as connection:
            connection.execute(f'DROP DATABASE "{database_in(address)}" WITH (FORCE)'.encode())


def another(value: object, column: Column[Any], chance: random.Random) -> object:
    """A value with one to eight of its bytes changed."""
    if value is None or isinstance(value, bool):
        return not value if isinstance(column.type, Boolean) else value
    if isinstance(value, float):
        return struct.unpack("<d", _somewhere(struct.pack("<d", value), chance))[0]
    if isinstance(value, int):
        width = 2 if isinstance(column.type, SmallInteger) else 4
        return int.from_bytes(_somewhere(value.to_bytes(width, "little"), chance), "little", signed=True)
    if isinstance(value, date):
        low = int.from_bytes(_somewhere((value.toordinal() % DAYS).to_bytes(2), chance))
        return date.fromordinal(value.toordinal() // DAYS * DAYS + low)
    raw = _somewhere(value.encode() if isinstance(value, str) else bytes(value), chance)  # type: ignore[call-overload]
    return raw.decode(errors="replace") if isinstance(value, str) else raw


def _somewhere(raw: bytes, chance: random.Random) -> bytes:
    return flipped(raw, chance.randrange(len(raw)), chance) if raw else raw


def database_in(address: str) -> str:
    """The name of the database in an address."""
    return address.split("@/")[1].split("?")[0]


def rows_at(connection: Database) -> dict[str, bytes]:
    """Every row of the record by table as the server writes it; what it says where it cannot."""
    found = {}
    for table in (*COMMITTED, *ALONE):
        try:
            statement = f'COPY (SELECT * FROM "{table.name}" t ORDER BY t::text) TO STDOUT'
            with connection.cursor().copy(statement.encode()) as copy:
                found[table.name] = b"".join(bytes(part) for part in copy)
        except psycopg.Error as error:
            found[table.name] = str(error).encode()
    return found


@pytest.mark.parametrize("store", ["postgresql"])
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("where", ["files", "values"])
def test_bytes_on_a_server_that_change_by_chance_are_found(
    copy_of: CopyOf, cluster: Cluster, verified: Verified, where: str, part: int
) -> None:
    """Every table in which something changed is named, whatever else is damaged beside it."""
    office = copy_of(with_more)
    sound = address_of(office)
    assert verified(sound)[0] == 0
    office.close()
    flips = FlippedDatabases(cluster.server, sound, random.Random(amount(24, 2400 + part)))
    flip = flips.flip_files if where == "files" else flips.flip_values
    number = 0
    while number < FLIPS:
        address = flip(flips.chosen() if number else [tables.commitment])  # which an office that is opened reads first
        changed = flips.changed(address)
        code, said = verified(address)
        assert (code, "Traceback" in said) == (FAULTY, False), (number, said)
        missed = [name for name in changed if not re.search(rf"\b{WORDS.get(name, name)}\b", said)]
        assert not missed, (number, missed, said)
        number += len(changed)
        flips.drop(address)
