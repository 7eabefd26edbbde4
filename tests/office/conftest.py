"""The two stores: every test that asks for an ``address`` or an ``office`` runs on SQLite and on PostgreSQL."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path

import psycopg
import pytest

from crosstable.office import account_tables, tables
from crosstable.office.database import Office
from tests.amounts import IS_SOAK, amount
from tests.office.made_office import HandClock, founded, put_filled
from tests.office.postgres import Server, connected

Fill = Callable[[Office], None]
CopyOf = Callable[..., Office]
NewOffice = Callable[..., Office]
EVERY_TABLE = [*sorted(tables.metadata.tables), *sorted(account_tables.metadata.tables), "alembic_version"]


class Cluster:
    """A PostgreSQL whose databases are used again and again: making one takes longer than most tests.

    What a function fills an office with is read once, table by table, and put into a database that is free.
    """

    def __init__(self, server: Server) -> None:
        self.server = server
        self._numbers = count(1)
        self._kept: dict[Fill, dict[str, bytes]] = {}
        self._free: list[str] = []

    def empty(self) -> str:
        """The address of a new, empty database."""
        return self.server.new_database(f"empty{next(self._numbers)}")

    def take(self, fill: Fill) -> str:
        """The address of an office as a function fills it; nobody else has it until it is given back."""
        rows = self._rows(fill)
        address = self._free.pop() if self._free else self._new()
        with connected(address) as connection, connection.transaction():
            connection.execute("SET LOCAL session_replication_role = replica")  # the guards look away
            for name, content in rows.items():
                connection.execute(f'DELETE FROM "{name}"'.encode())
                with connection.cursor().copy(f'COPY "{name}" FROM STDIN'.encode()) as copy:
                    copy.write(content)
        return address

    def give_back(self, address: str) -> None:
        """Let others have a database."""
        self._free.append(address)

    def _new(self) -> str:
        address = self.empty()
        founded(address).close()
        return address

    def _rows(self, fill: Fill) -> dict[str, bytes]:
        if fill not in self._kept:
            address = self._new()
            office = Office(address, HandClock())
            fill(office)
            office.close()
            with connected(address) as connection, connection.transaction():
                self._kept[fill] = {name: _copied(connection, name) for name in EVERY_TABLE}
        return self._kept[fill]


def _copied(connection: psycopg.Connection[tuple[object, ...]], name: str) -> bytes:
    with connection.cursor().copy(f'COPY "{name}" TO STDOUT'.encode()) as copy:
        return b"".join(bytes(part) for part in copy)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """One server for all tests of a worker."""
    with Server() as server:
        yield Cluster(server)


# What is about storing goes through both databases with every change, all else in a soak.
ON_BOTH = re.compile(
    r"test_(archiving |backups|corrections|faults|row_order|runs|schema|stories|time_limits)"
    r"|test_invariants_record.*test_i(?!16)"
    r"|test_proof test_(an_attacker|results_that|a_supplement|guards)"
    r"|test_rerate_bulk.*test_(random_histories|a_run_that_fails|blocks)"
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests that want a store run on one, or on both."""
    said = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    if "store" in metafunc.fixturenames and "store" not in said:
        is_on_both = IS_SOAK or ON_BOTH.search(f"{metafunc.module.__name__} {metafunc.function.__name__}")
        metafunc.parametrize("store", ["sqlite", "postgresql"] if is_on_both else ["sqlite"])


@pytest.fixture
def store() -> str:
    """The name of a store; ``pytest_generate_tests`` says which."""
    raise AssertionError("nobody said which")


@pytest.fixture
def seeds(store: str) -> Sequence[int]:
    """The seeds of random federations: one, and more in a soak."""
    return range(amount(1, 20 if store == "sqlite" else 10))


@pytest.fixture
def address(store: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """Where an office may be founded: nothing is there yet."""
    if store == "sqlite":
        return str(tmp_path / "office.db")
    return str(request.getfixturevalue("cluster").empty())


@pytest.fixture
def clock() -> HandClock:
    """The clock of ``office``; tests set it."""
    return HandClock()


def nothing(office: Office) -> None:
    """Fill an office with nothing: it is only just founded."""


@pytest.fixture
def copy_of(store: str, tmp_path: Path, clock: HandClock, request: pytest.FixtureRequest) -> Iterator[CopyOf]:
    """Copies of offices that a function filled; it is called once, however many tests want a copy."""
    made: list[Office] = []
    addresses: list[str] = []

    def address_of(fill: Fill) -> str:
        if store == "sqlite":
            path = tmp_path / f"office-{len(made)}.db"
            put_filled(fill, path)
            return str(path)
        addresses.append(request.getfixturevalue("cluster").take(fill))
        return addresses[-1]

    def copy(fill: Fill, its_clock: HandClock = clock) -> Office:
        made.append(Office(address_of(fill), its_clock))
        return made[-1]

    yield copy
    for office in made:
        office.close()
    for address in addresses:
        request.getfixturevalue("cluster").give_back(address)


@pytest.fixture
def new_office(copy_of: CopyOf) -> NewOffice:
    """Makes founded offices on the store under test, as many as a test wants; they may have clocks of their own."""
    return partial(copy_of, nothing)


@pytest.fixture
def office(new_office: NewOffice) -> Office:
    """A founded office without members, on the store under test."""
    return new_office()
