"""The schema of an office: its revisions, what guards the record, and who may open it."""

import re
from contextlib import closing
from pathlib import Path
from types import ModuleType

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, Executable, MetaData, delete, insert, inspect, text, update

from crosstable.errors import NoOfficeError, OfficeError, SchemaError
from crosstable.office import account_tables, tables
from crosstable.office.database import SCHEMA, Office, full_url, open_office, schema_of, system_clock
from crosstable.office.founding import found_office
from crosstable.office.ledger.journal import EntryKind, acts
from crosstable.office.members import merge_members
from crosstable.office.migrations.versions import (
    revision_0001,
    revision_0002,
    revision_0003,
    revision_0004,
    revision_0005,
    revision_0006,
    revision_0007,
    revision_0008,
)
from crosstable.office.published import Month
from crosstable.office.supplements import Basis, publish
from crosstable.office.upgrading import upgrade_office
from crosstable.web.reading import Reading
from tests.office.made_office import (
    AUTHOR,
    club_members,
    enter,
    join,
    member_id,
    person,
    quad,
    run,
)

# What the revisions make: on a server everything, in SQLite all but what has a file of its own.
WITH_THE_RECORD, EVERYTHING = MetaData(), MetaData()
for one in (*tables.metadata.sorted_tables, *account_tables.WITH_THE_RECORD):
    one.to_metadata(WITH_THE_RECORD)
for one in (*tables.metadata.sorted_tables, *account_tables.metadata.sorted_tables):
    one.to_metadata(EVERYTHING)
RECORD = sorted(tables.metadata.tables)


def whole(connection: Connection) -> MetaData:
    """The tables that the revisions make on this store."""
    return WITH_THE_RECORD if connection.dialect.name == "sqlite" else EVERYTHING


def set_schema(office: Office, schema: str) -> None:
    with office.writing("a test", "another schema") as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :schema"), {"schema": schema})


def test_the_revisions_make_exactly_the_tables_that_the_program_uses(office: Office) -> None:
    """Alembic compares the database with the tables as the code declares them, types included."""
    with office.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        wanted = whole(connection)
        assert compare_metadata(context, wanted) == []
        found = {name: inspect(connection).get_pk_constraint(name)["constrained_columns"] for name in wanted.tables}
    assert found == {name: [column.name for column in one.primary_key] for name, one in wanted.tables.items()}


def test_a_difference_between_the_revisions_and_the_tables_is_found(office: Office) -> None:
    """The comparison above can fail: here there is a column more."""
    with pytest.raises(RollBackError, match="remove_column"):
        add_a_column_and_compare(office)


def add_a_column_and_compare(office: Office) -> None:
    with office.writing("a test", "a column") as connection:
        connection.execute(text("ALTER TABLE member ADD COLUMN shoe_size INTEGER"))
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        raise RollBackError(str(compare_metadata(context, whole(connection))))


class RollBackError(Exception):
    """A test has seen enough."""


def test_a_new_office_knows_who_founded_it(address: str) -> None:
    with closing(found_office(address, "Chess Club", AUTHOR)) as office:
        assert schema_of(office) == SCHEMA
        with office.reading() as connection:
            (first,) = acts(connection)
    assert (first.kind, first.actor, first.subject) == (EntryKind.FOUNDED, AUTHOR.actor, "Chess Club")
    assert {**first.after, "secret": ""} == {"name": "Chess Club", "schema": SCHEMA, "secret": ""}
    assert len(first.after["secret"]) == 32
    assert abs((system_clock() - first.at).total_seconds()) < 600
    open_office(address).close()


def test_an_office_is_founded_once(address: str) -> None:
    found_office(address, "Chess Club", AUTHOR).close()
    with pytest.raises(OfficeError, match="already; nothing was changed"):
        found_office(address, "Another Club", AUTHOR)
    assert upgrade_office(address, AUTHOR) == (SCHEMA, SCHEMA)


def test_an_older_program_refuses_a_newer_schema(office: Office) -> None:
    set_schema(office, "2031")
    with pytest.raises(SchemaError, match=rf"schema 2031, which is newer than this program knows \({SCHEMA}\)"):
        open_office(office.url)
    with pytest.raises(OfficeError, match="schema 2031, which is newer than this program knows"):
        upgrade_office(office.url, AUTHOR)


def test_the_first_revision_has_none_before_it() -> None:
    with pytest.raises(NotImplementedError):
        revision_0001.downgrade()


@pytest.mark.parametrize(
    "revision",
    [revision_0002, revision_0003, revision_0004, revision_0005, revision_0006, revision_0007, revision_0008],
)
def test_nobody_goes_back_from_a_later_revision(revision: ModuleType) -> None:
    with pytest.raises(NotImplementedError, match="restore a backup"):
        revision.downgrade()


def test_the_first_revision_guards_every_table() -> None:
    assert sorted([*revision_0001.APPEND_ONLY, "commitment", "former_chain", "authorship", "erasure"]) == RECORD


@pytest.fixture
def full_office(office: Office) -> Office:
    """An office with rows in every table."""
    people, openings = club_members()
    join(office, [person(9, fide=()), *people], openings)
    merge_members(office, AUTHOR, member_id(9), member_id(8))
    enter(office, quad("q"))
    run(office)
    publish(office, AUTHOR, Month(2026, 11), Basis.NOW)
    with office.writing("a test", "what no act here has written") as connection:
        connection.execute(
            insert(tables.outside_rating).values(
                member_id=member_id(1), body="FIDE", as_of=Month(2026, 1).first_day, act=1, rating=1900.0
            )
        )
        connection.execute(
            insert(tables.decision).values(
                act=1,
                kind="opt-in",
                member_id=member_id(1),
                effective=Month(2026, 1).first_day,
                event_id="",
                details="{}",
            )
        )
        connection.execute(insert(tables.former_chain).values(seq=1, act=1, previous="", digest=""))
        connection.execute(insert(tables.authorship).values(act=1, login="root"))
        connection.execute(insert(tables.erasure).values(act=1, of_table="member", key="", left=""))
    return office


def test_nothing_that_is_recorded_can_be_changed_or_deleted(full_office: Office) -> None:
    """Triggers refuse it in the database itself, whoever asks."""
    for name in RECORD:
        table = tables.metadata.tables[name]
        some = next(iter(table.primary_key)).name
        with full_office.reading() as connection:
            assert connection.execute(table.select()).first() is not None, f"{name} is empty"
        for statement in (update(table).values({some: table.c[some]}), delete(table)):
            with pytest.raises(OfficeError, match=f"append-only: {name} is never changed"):
                carry_out(full_office, statement)


def carry_out(office: Office, statement: Executable) -> None:
    with office.writing("a test", "a change") as connection:
        connection.execute(statement)


def test_a_table_cannot_be_emptied_at_once_either(full_office: Office, store: str) -> None:
    """SQLite has no TRUNCATE; a DELETE without a condition is what empties a table there."""
    word = "DELETE FROM" if store == "sqlite" else "TRUNCATE"
    with pytest.raises(OfficeError, match="append-only"):
        carry_out(full_office, text(f"{word} posting"))


def test_an_office_that_is_not_there_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.db"
    with pytest.raises(NoOfficeError, match=f"there is no office at {re.escape(str(path))}; make one with"):
        open_office(str(path))
    with pytest.raises(OfficeError, match="there is no office"):
        upgrade_office(str(path), AUTHOR)
    assert not path.exists()


def test_an_empty_database_holds_no_office(address: str, store: str) -> None:
    if store == "sqlite":
        Path(address).touch()
    with pytest.raises(NoOfficeError, match="holds no office; make one with: crosstable office init"):
        open_office(address)
    with pytest.raises(OfficeError, match="there is no office"):
        upgrade_office(address, AUTHOR)


def test_a_file_that_is_no_database_is_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear director, enclosed is the report of our summer quads.\n" * 40, encoding="utf-8")
    with pytest.raises(OfficeError, match="not an office, or it is damaged"):
        open_office(str(path))
    with pytest.raises(OfficeError, match="not an office, or it is damaged"):
        found_office(str(path), "Chess Club", AUTHOR)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("office.db", "sqlite:///office.db"),
        ("sqlite:///office.db", "sqlite:///office.db"),
        ("postgres://me@host/club", "postgresql+psycopg://me@host/club"),
        ("postgresql://me@host/club", "postgresql+psycopg://me@host/club"),
        ("postgresql+psycopg://me@host/club", "postgresql+psycopg://me@host/club"),
    ],
)
def test_an_address_may_be_written_the_short_way(given: str, meant: str) -> None:
    assert full_url(given) == meant


def test_an_office_lives_on_no_other_store() -> None:
    with pytest.raises(OfficeError, match="not on 'mysql'"):
        Office("mysql://me@host/club")
    with pytest.raises(OfficeError, match="is no address of a database"):
        Office("postgresql://me@host:port/club")


def test_a_program_warns_of_a_sqlite_that_can_damage_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Office("office.db").store
    monkeypatch.setattr("sqlite3.sqlite_version_info", (3, 51, 2))
    assert "can damage a file" in store.cautions()[0]
    monkeypatch.setattr("sqlite3.sqlite_version_info", (3, 51, 3))
    assert store.cautions() == ()
    assert Office("postgresql://me@host/club").store.cautions() == ()


def test_an_older_program_notices_an_upgrade(office: Office) -> None:
    """Nothing is written any more, and a site says that it is not ready, and why."""
    with closing(open_office(office.url, office.clock)) as opened, closing(Reading(opened)) as reading:
        reading.renew()
        reading.ask()
        set_schema(office, "9999")
        with pytest.raises(SchemaError, match="was upgraded to schema 9999 while this program, which knows"):
            reading.ask()
        with pytest.raises(SchemaError, match="nothing was stored"):
            enter(opened, quad("q"))
