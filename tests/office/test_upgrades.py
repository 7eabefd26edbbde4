"""Offices that older programs made: each is brought up to the newest schema and goes on as one that was made today."""

from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import select, text

from crosstable.errors import OfficeError, SchemaError
from crosstable.office import account_tables, backups, tables
from crosstable.office.audit import audit
from crosstable.office.corrections import ChangedResult, correct_result
from crosstable.office.database import KNOWN_SCHEMAS, SCHEMA, Office, open_office, schema_of
from crosstable.office.ledger.journal import EntryKind, acts
from crosstable.office.members import unmerge_members
from crosstable.office.published import Month
from crosstable.office.supplements import Basis, publish
from crosstable.office.upgrading import upgrade_office
from crosstable.web.app import create_app
from crosstable.web.settings import Settings
from tests.engine.wallcharts import Played
from tests.office.conftest import CopyOf
from tests.office.faults import raw
from tests.office.kept_offices import SCHEMAS, TODAY, backed_up, head_kept, place, rows_kept, story
from tests.office.made_office import AUTHOR, HandClock, enter, member_id, posted, quad, run, unguarded
from tests.office.test_proof_flips import content_of
from tests.office.test_schema import whole
from tests.web.client import HOST, TestClient

EVERY_SCHEMA = pytest.mark.parametrize("schema", SCHEMAS)


def test_an_office_of_every_earlier_schema_is_kept() -> None:
    assert set(SCHEMAS) >= set(KNOWN_SCHEMAS) - {SCHEMA}
    assert set(SCHEMAS) <= set(KNOWN_SCHEMAS)


def upgraded(address: str, schema: str) -> Office:
    """A kept office, brought up to the newest schema."""
    place(address, schema)
    if schema != SCHEMA:
        with pytest.raises(
            SchemaError, match=f"has the older schema {schema}; bring it up to {SCHEMA} with: crosstable"
        ):
            open_office(address)
    assert upgrade_office(address, AUTHOR) == (schema, SCHEMA)
    return open_office(address, HandClock())


@EVERY_SCHEMA
def test_an_older_office_is_upgraded_with_everything_in_it(address: str, schema: str) -> None:
    """Every journal entry and posting is what it was, and the site shows the pages it showed."""
    with closing(upgraded(address, schema)) as office:
        kept = rows_kept(schema)
        with office.reading() as connection:
            context = MigrationContext.configure(connection, opts={"compare_type": True})
            assert compare_metadata(context, whole(connection)) == []
            chain = connection.execute(select(tables.former_chain).order_by(tables.former_chain.c.seq)).mappings()
            old, is_committed = list(acts(connection)), "commitment" in kept
            assert [one["digest"] for one in chain] == [row["digest"] for row in kept["act"] if not is_committed]
            said = {"from": schema, "to": SCHEMA, "head": head_kept(kept), "findings": []}
            assert (old[-1].kind, old.pop().after) == (EntryKind.UPGRADE, said)
            assert [one.reason for one in old] == [row["reason"] for row in kept["act"]]
            accounts = connection.execute(select(account_tables.account.c.name)).scalars().all()
        assert accounts == [row["name"] for row in kept.get("account", [])]
        assert_as_posted(office, kept)
        assert audit(office).findings == ()
    with TestClient(create_app(Settings(address, hosts=(HOST,))), follow_redirects=False) as site:
        pages = ("/", f"/members/{member_id(9)}", "/events/q/sections/1", "/events/q/sections/1/players/1")
        for path in (*pages, "/lists/2026-11", "/lists/2026-11/top?age=21-49", "/changes"):
            assert site.get(path).status_code == 200, path


WIN_TO_LOSS = "UPDATE entry SET rounds = 'L2' || substr(rounds, 3) WHERE event_id = 'z' AND number = 1"
OTHER_NAME = "UPDATE member SET name = 'Other, Name' WHERE member_id = '10000003'"
MOVED = "UPDATE posting SET rating_after = rating_after + 1 WHERE posting_id = (SELECT max(posting_id) FROM posting)"


@pytest.mark.parametrize(
    ("schema", "statement", "told"),
    [
        ("0003", WIN_TO_LOSS, {"section 1: the rows are no longer what was submitted", "follows from the record"}),
        ("0004", MOVED, {"what it wrote is no longer what it says", "follows from the record"}),
        ("0005", MOVED, {"a row that it wrote into posting was changed", "follows from the record"}),
        ("0007", OTHER_NAME, {"a row that it wrote into member was changed"}),
    ],
)
def test_an_upgrade_derives_everything_anew_and_says_what_differs(
    address: str, schema: str, statement: str, told: set[str]
) -> None:
    """What somebody had changed by then stands in the entry of the upgrade, and verify finds it afterwards."""
    place(address, schema)
    with closing(Office(address)) as office, office.writing("nobody", "tampering") as connection:
        table = statement.split()[1]
        with unguarded(connection, table):
            assert connection.execute(text(statement)).rowcount
        if connection.dialect.name == "sqlite":
            for verb in ("update", "delete"):
                connection.execute(text(guarding(table, verb)))
    upgrade_office(address, AUTHOR)
    with closing(open_office(address, HandClock())) as office:
        with office.reading() as connection:
            entry = list(acts(connection))[-1]
        assert entry.kind is EntryKind.UPGRADE
        found = "; ".join(entry.after["findings"])
        assert {one for one in told if one in found} == told, found
        assert audit(office).findings


def guarding(table: str, verb: str) -> str:
    """The trigger that guards a table, as the revisions make it."""
    return (
        f"CREATE TRIGGER {table}_keeps_{verb} BEFORE {verb.upper()} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, 'append-only: {table} is never changed'); END"
    )


@pytest.mark.parametrize("store", ["sqlite"])
@pytest.mark.parametrize("schema", ["0004", "0007"])
def test_an_office_that_cannot_be_read_is_not_upgraded(address: str, schema: str) -> None:
    place(address, schema)
    with raw(address) as connection:
        connection.do("DROP TRIGGER posting_keeps_update")
        connection.do("UPDATE posting SET member_id = CAST(x'ff' AS TEXT) WHERE posting_id = 2")
    before = content_of(Path(address))
    assert before is not None
    with pytest.raises(OfficeError, match=r"(office|file) is damaged: .*[Rr]estore a backup"):
        upgrade_office(address, AUTHOR)
    assert content_of(Path(address)) == before


def assert_as_posted(office: Office, kept: dict[str, list[dict[str, object]]]) -> None:
    """The current postings of an office are those that were kept."""
    superseded = {row["supersedes"] for row in kept["posting"]}
    standing = {row["posting_id"] for row in kept["posting"] if row["rating_after"] is not None}
    current = standing - superseded
    if "current_posting" in kept:  # offices of before schema 0004 kept a cache
        assert current == {row["posting_id"] for row in kept["current_posting"]}
    expected = {
        (row["member_id"], row["system"], row["event_id"], row["section"]): (row["rating_after"], row["games_after"])
        for row in kept["posting"]
        if row["posting_id"] in current
    }
    found = {
        (one.member_id, int(one.system), one.event_id, one.section): (one.rating_after, one.games_after)
        for one in posted(office).values()
    }
    assert found == expected


def test_an_office_of_the_first_programs_of_schema_0002_is_upgraded_too(address: str) -> None:
    """They did not make the table that a later revision takes away."""
    place(address, "0002")
    with closing(Office(address)) as office, office.writing("a test", "an earlier program") as connection:
        connection.execute(text("DROP TABLE kept_veils"))
    assert upgrade_office(address, AUTHOR) == ("0002", SCHEMA)
    open_office(address).close()


@EVERY_SCHEMA
def test_an_upgraded_office_goes_on_as_one_that_was_made_today(address: str, schema: str, copy_of: CopyOf) -> None:
    """A result of long ago is corrected, a merge undone, an event comes in, a list is published: all is the same."""
    today = copy_of(story)
    with closing(upgraded(address, schema)) as office:
        assert posted(office) == posted(today)
        for one in (office, today):
            correct_result(one, AUTHOR, "q", ChangedResult(1, 2, 2, "W4"), TODAY)
            unmerge_members(one, AUTHOR, member_id(10))
            enter(one, quad("new", Played(start=date(2025, 9, 6))))
            run(one)
            publish(one, AUTHOR, Month(2026, 12), Basis.NOW)
        assert posted(office) == posted(today)
        assert audit(office).findings == ()


@EVERY_SCHEMA
def test_a_backup_of_an_older_office_is_restored_into_the_newest_schema(
    address: str, schema: str, copy_of: CopyOf, tmp_path: Path
) -> None:
    """The older program wrote rows of members without the columns that came later."""
    path = str(tmp_path / "old.zip")
    backed_up(schema, path)
    backups.restore(path, address)
    with closing(open_office(address)) as restored:
        assert schema_of(restored) == SCHEMA
        assert posted(restored) == posted(copy_of(story))
        assert audit(restored).findings == ()
