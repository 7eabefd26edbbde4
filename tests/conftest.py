"""Settings of every test run, and what makes it cheaper without changing what it proves."""

import gc
import sys
from typing import Any

import pytest
from hypothesis import settings

# The same examples on every machine, and no stopwatch: two busy cores say nothing about a formula.
settings.register_profile("crosstable", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile("crosstable")

# Under the tracer of coverage everything takes twice as long. These tests are there for amounts (seeds, kills, damaged
# files, questions); the lines they go through belong to the plain tests beside them, which are traced. `make test`
# fails when too many lines, or one line of the exact rooms, are left to these alone.
FOR_AMOUNTS = (
    "tests/checks/test_event_reader.py::test_any",
    "tests/engine/test_laws.py",
    "tests/engine/test_second_engine_agrees.py",
    "tests/formats/test_mutations.py",
    "tests/formats/test_trf_damage.py::test_no_damage",
    "tests/history/test_replay.py::test_replay_gives_the_bits",
    "tests/office/test_faults_crowd.py",
    "tests/office/test_faults_disk.py",
    "tests/office/test_faults_kill.py",
    "tests/office/test_faults_server.py",
    "tests/office/test_faults_statement.py",
    "tests/office/test_invariants",
    "tests/office/test_machine.py",
    "tests/office/test_privacy_attack.py",
    "tests/office/test_privacy_previews.py",
    "tests/office/test_rerate_bulk.py::test_random",
    "tests/office/test_second_engine_office.py",
    "tests/spec/test_s4_1_special.py::test_the_walk_agrees",
    "tests/web/test_fuzz.py",
)
# PostgreSQL goes through the lines of SQLite, but for those that these tests are about.
OF_POSTGRESQL = (
    "tests/office/test_archiving",
    "tests/office/test_backups.py",
    "tests/office/test_faults_lost.py",
    "tests/office/test_faults_two_runs.py",
    "tests/office/test_rerate_bulk.py",
    "tests/office/test_runs.py",
    "tests/office/test_schema.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run without the tracer what is there for amounts, and the second of two stores."""
    for item in items:
        is_second = "[postgresql" in item.nodeid and not item.nodeid.startswith(OF_POSTGRESQL)
        is_damage = item.nodeid.startswith("tests/formats/") and "or_refused" in item.nodeid
        is_amount = item.nodeid.startswith(FOR_AMOUNTS) and not item.nodeid.endswith("[0]")  # a first part is traced
        if is_second or is_damage or is_amount:
            item.add_marker(pytest.mark.no_cover)


# Statements compiled for one office, by the name of its store: every test opens offices of its own, and an office that
# compiles all its statements anew is busy with that for a quarter of the test.
COMPILED: dict[str, "Compiled"] = {}


class Compiled(dict[Any, Any]):
    """Compiled statements for all engines of one store; the key's first part is the engine's own dialect."""

    def get(self, key: Any, default: Any = None) -> Any:
        """A statement compiled by any engine."""
        return super().get(key[1:], default)

    def __setitem__(self, key: Any, statement: Any) -> None:
        super().__setitem__(key[1:], statement)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Everything is imported: the collector need not look at it again, and offices share what they compile."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    if "sqlalchemy" in sys.modules:
        _make_offices_cheap()


def _make_offices_cheap() -> None:
    """Offices of this process share what they compile and wait for no disk; those in children do neither."""
    from sqlalchemy import Connection, Engine, NullPool, event

    @event.listens_for(Engine, "engine_connect")
    def connected(connection: Connection) -> None:
        kept = COMPILED.setdefault(connection.dialect.name, Compiled())
        connection.execution_options(compiled_cache=kept)
        if connection.dialect.name == "sqlite" and isinstance(connection.engine.pool, NullPool):  # who writes
            # Nobody pulls the plug of this machine; what a kill leaves behind is tested in children, with every flush.
            connection.connection.cursor().execute("PRAGMA synchronous=OFF")
