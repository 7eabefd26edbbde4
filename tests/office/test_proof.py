"""Whatever is changed behind the journal's back is found: by hand, by an attacker who hashes anew, by chance."""

import os
import random
import shutil
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, Connection, Executable, Table, select, text, update

from crosstable.errors import FormatError, OfficeError, ReplacedOfficeError
from crosstable.faults import fault
from crosstable.formats import Reading as FileReading
from crosstable.formats.detect import read_data
from crosstable.office import originals, tables
from crosstable.office.accounts import NewAccount, Role, add_account
from crosstable.office.audit import Audit, Kept, audit
from crosstable.office.backups import backup
from crosstable.office.corrections import ChangedResult, correct_result
from crosstable.office.credentials import NewToken, add_token, bearer_of
from crosstable.office.database import Office, open_office
from crosstable.office.founding import found_office
from crosstable.office.guards import store_findings
from crosstable.office.ledger.commitments import COMMITTED, NO_HASH, commit, row_layout
from crosstable.office.ledger.facts import Record
from crosstable.office.ledger.journal import head, last_act_of
from crosstable.office.list_files import FORMS, list_table
from crosstable.office.proof import journal_digests, proof, recommitted
from crosstable.office.published import Month
from crosstable.office.sections import rows_of
from crosstable.office.supplements import Basis, publish
from crosstable.web.problems import Problem
from crosstable.web.reading import Reading
from tests.amounts import amount
from tests.office.conftest import CopyOf
from tests.office.faults import address_of
from tests.office.kept_offices import TODAY
from tests.office.made_office import AUTHOR, enter, quad, run, unguarded
from tests.office.postgres import connected
from tests.office.test_audit import with_everything
from tests.waiting import until

EVERY_GUARD = sorted(tables.metadata.tables)


def with_more(office: Office) -> None:
    """Every kind of fact, a corrected event, and one that is not rated yet."""
    with_everything(office)
    correct_result(office, AUTHOR, "q", ChangedResult(1, 1, 1, "D2"), TODAY)
    run(office)
    enter(office, quad("s"))


@pytest.fixture
def full(copy_of: CopyOf) -> Office:
    return copy_of(with_more)


def tampered(office: Office, *statements: str) -> Audit:
    with office.writing("nobody", "tampering") as connection, unguarded(connection, *EVERY_GUARD):
        for statement in statements:
            assert connection.execute(text(statement)).rowcount, statement
    return audit(office)


WIN_TO_LOSS = "UPDATE entry SET rounds = 'L2 D3 W4' WHERE number = 1 AND act = (SELECT max(act) FROM entry)"
HAND_MADE = {
    "T1 a result of an event that is not rated": (WIN_TO_LOSS, "UPDATE section SET digest = 'x' WHERE event_id = 's'"),
    "T2 a result of a rated event": ("UPDATE entry SET rounds = 'L2 D3 W4' WHERE number = 1 AND event_id = 'q'",),
    "T3 the affiliate of an event": ('UPDATE event SET details = \'{"affiliate":"A9999999"}\'',),
    "T4 every original": ("DELETE FROM document",),
    "T5 rating changes": ("UPDATE ripple SET rating_after = rating_after + 500, causes = '[1]'",),
    "T6 rated sections": ("UPDATE rated_section SET edition = '1999'",),
    "T6 both emptied": ("DELETE FROM ripple", "DELETE FROM rated_section"),
    "T9 the version of the engine": ("UPDATE run SET engine_version = '0'",),
    "T9 the state before a run": ("UPDATE run SET state_before = state_after",),
    "T10 a version that was superseded": (
        "UPDATE entry SET rounds = 'D2 D3 D4' WHERE number = 1 AND act = (SELECT min(act) FROM entry)",
    ),
    "T13 who wrote an entry": ("UPDATE act SET actor = 'somebody else' WHERE seq = 4",),
    "T14 the head of a supplement": (f"UPDATE supplement SET head = '{NO_HASH}'",),
    "T14 the cut-off of a supplement": ("UPDATE supplement SET cut_off = '2020-01-01T00:00:00+00:00'",),
    "T15 supplements deleted": ("DELETE FROM supplement", "DELETE FROM supplement_row"),
    "T16 an event deleted": tuple(f"DELETE FROM {name} WHERE event_id = 's'" for name in ("entry", "section", "event")),
    "T17 the newest entry cut off": ("DELETE FROM act WHERE seq = (SELECT max(seq) FROM act)",),
    "a row more": ("INSERT INTO merge VALUES (3, '10000001', '10000002', false)",),
}


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_every_change_behind_the_journals_back_is_found_and_named(full: Office) -> None:
    """T1 to T17, and one value of one row anywhere in the record: the entry and the table are told."""
    chance = random.Random(amount(24, 2024))
    every = [*COMMITTED, tables.act, tables.commitment]
    values = [(table, row, name) for table in every for row in rows_in(full, table) for name in row]
    with full.writing("nobody", "tampering") as connection, unguarded(connection, *EVERY_GUARD):
        for what, statements in HAND_MADE.items():
            assert touched(statements) <= changed(connection, *map(text, statements)), what
        for table, row, name in chance.sample(values, amount(20, 2000)):
            key = [table.c[column.name] == row[column.name] for column in table.primary_key]
            other = another(row[name], table.c[name], chance)
            found = changed(connection, update(table).where(*key).values({name: other}))
            told = {"act", "commitment"} if table is tables.commitment else {table.name}
            assert found & told, (table.name, name, row[name], other, found)
        assert not changed(connection)


def changed(connection: Connection, *statements: Executable) -> set[str | None]:
    """The tables in which a change is found, which is then undone."""
    with connection.begin_nested() as point:
        for statement in statements:
            assert connection.execute(statement).rowcount, statement
        found = {one.table for one in proof(connection) if one.entry is not None}
        point.rollback()
    return found


def touched(statements: Sequence[str]) -> set[str]:
    """The tables that statements change."""
    return {one.split("SET")[0].split()[-1] if "SET" in one else one.split()[2] for one in statements}


def test_a_supplement_that_is_published_again_after_it_was_deleted_is_found(full: Office) -> None:
    """T15: the new one is sound in itself; the entry of the old one misses its rows."""
    tampered(full, "DELETE FROM supplement", "DELETE FROM supplement_row")
    publish(full, AUTHOR, Month(2026, 12), Basis.NOW)
    assert any("that it wrote into supplement missing" in one.what for one in audit(full).findings)


def test_guards_that_were_dropped_are_found(full: Office, store: str) -> None:
    wanted = ["the trigger that guards posting is missing, or it is another one"]
    if store == "sqlite":
        wanted = [f"the trigger posting_keeps_{deed} is missing, or it is another one" for deed in ("delete", "update")]
    with full.writing("nobody", "tampering") as connection:
        if store == "sqlite":
            with unguarded(connection, "posting"):
                pass
        else:
            connection.execute(text("ALTER TABLE posting DISABLE TRIGGER posting_keeps"))
    assert [one.what for one in audit(full).findings] == wanted
    if store == "postgresql":  # another test will have this database
        with full.writing("nobody", "mending") as connection:
            connection.execute(text("ALTER TABLE posting ENABLE TRIGGER posting_keeps"))


# What changes, hides or lets through rows on a server, and what is told of it.
ON_A_SERVER = {
    "CREATE OR REPLACE FUNCTION keep_rows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF false THEN "
    "RAISE EXCEPTION 'append-only: %', TG_TABLE_NAME; END IF; RETURN NULL; END $$": "the trigger that guards posting",
    "ALTER TABLE posting DISABLE TRIGGER posting_keeps": "the trigger that guards posting",
    "CREATE TRIGGER more BEFORE INSERT ON posting EXECUTE FUNCTION keep_rows()": "the trigger more is none",
    "CREATE RULE less AS ON INSERT TO ripple DO INSTEAD NOTHING": "the rule less is none",
    "ALTER TABLE act ENABLE ROW LEVEL SECURITY": "the row security of act is none",
    "ALTER TABLE posting ADD CONSTRAINT few CHECK (rating_after < 9999)": "the constraint few is none",
    "CREATE VIEW all_postings AS SELECT * FROM posting": "the view all_postings is none",
    "ALTER TABLE posting ALTER COLUMN bonus SET DEFAULT 5": "the tables are not those that this program makes",
    "ALTER TABLE posting DROP CONSTRAINT posting_pkey": "the primary key of posting is missing",
    "ALTER TABLE posting SET UNLOGGED": "the unlogged table posting is none",
    "ALTER FUNCTION keep_rows() SET session_replication_role = replica": "the trigger that guards posting",
}


def test_a_second_version_of_the_tables_is_found(full: Office) -> None:
    with full.writing("nobody", "tampering") as connection:
        connection.execute(text("INSERT INTO alembic_version VALUES ('9999')"))
        assert "the office says 2 times which schema it has" in [one.what for one in store_findings(connection)]
        connection.execute(text("DELETE FROM alembic_version WHERE version_num = '9999'"))


@pytest.mark.parametrize("store", ["postgresql"])
def test_what_changes_hides_or_lets_through_rows_on_a_server_is_found(full: Office) -> None:
    with full.writing("nobody", "tampering") as connection:
        assert [*store_findings(connection)] == []
        for statement, told in ON_A_SERVER.items():
            with connection.begin_nested() as point:
                connection.exec_driver_sql(statement.replace("%", "%%"))
                assert any(told in one.what for one in store_findings(connection)), statement
                point.rollback()


def rehashed(office: Office) -> None:
    """What an attacker does who knows how entries commit to rows, and may write everything."""
    with office.writing("nobody", "tampering") as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SET LOCAL session_replication_role = replica"))
        connection.execute(tables.commitment.delete())
        commit(connection, journal_digests(connection), recommitted(connection))


def test_an_attacker_who_hashes_everything_anew_is_found_by_what_others_kept(full: Office, tmp_path: Path) -> None:
    """Nothing inside an office can tell that all of it was rewritten: a kept head can, and so can a kept supplement."""
    head = audit(full).head
    files = kept_files(full, tmp_path)
    for path in files:
        assert audit(full, kept=Kept(head, str(path))).findings == (), path
    statements = ("UPDATE supplement_row SET name = 'Other, Name' WHERE member_id = '10000001'",)
    tampered(full, *statements)
    rehashed(full)
    assert "the journal never had the head" in " ".join(one.what for one in audit(full, kept=Kept(head)).findings)
    for path in files:
        found = audit(full, kept=Kept("", str(path))).findings
        assert f"{path} is no supplement that this office published" in [one.what for one in found]


def kept_files(office: Office, folder: Path) -> list[Path]:
    """A published supplement in every form."""
    with office.reading() as connection:
        table = list_table(connection, "2026-12")
    made = []
    for form, written in FORMS.items():
        content = written(table)
        made.append(folder / f"kept{form}")
        made[-1].write_bytes(content.encode() if isinstance(content, str) else content)
    return made


def test_an_attacker_who_hashes_rows_anew_must_also_know_what_follows_from_them(full: Office) -> None:
    """T1 with every digest anew: the ratings that are posted no longer follow from the results."""
    tampered(full, "UPDATE entry SET rounds = 'L2 D3 W4' WHERE number = 1 AND event_id = 'q'")
    rehashed(full)
    assert any("follows from the record" in one.what for one in audit(full).findings)


def test_a_person_can_be_erased_and_the_proof_holds(full: Office) -> None:
    """What is left of a name and a birth date is their hash with a salt that is gone."""
    with full.writing("the office", "erasing") as connection:
        for name in ("member", "entry"):
            table, layout = tables.metadata.tables[name], row_layout(tables.metadata.tables[name])
            with unguarded(connection, name):
                for row in connection.execute(select(table).where(table.c.member_id == "10000004")).all():
                    values = [row._mapping[column] for column in layout.names]
                    blank: dict[str, str | None] = {"name": "", "salt": layout.hidden(values).hex()}
                    blank |= {"birth_date": None, "adult": None, "state": ""} if name == "member" else {}
                    key = [column == row._mapping[column.name] for column in table.primary_key]
                    connection.execute(update(table).where(*key).values(blank))
    found = {one.what for one in audit(full).findings}
    assert not any("wrote into" in what for what in found), found


@pytest.mark.parametrize("store", ["sqlite"])
def test_an_office_that_is_put_in_the_place_of_another_is_refused(full: Office, tmp_path: Path) -> None:
    """An older copy moved over the file, and an older copy written into it: neither is read nor written (A4)."""
    path = Path(full.url.removeprefix("sqlite:///"))
    full.close()
    for deed in (os.replace, overwritten):
        shutil.copy(path, older := tmp_path / "older.db")
        with closing(open_office(str(path))) as opened:
            enter(opened, quad(f"n-{deed.__name__}"))
            with opened.reading() as connection:
                assert head(connection) is not None
            opened.close()
            deed(older, path)
            with pytest.raises(ReplacedOfficeError, match="was replaced by another or an older one"), opened.reading():
                pass
            with pytest.raises(ReplacedOfficeError, match="nothing was stored"):
                enter(opened, quad("t"))
    assert audit(full).findings == ()


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_a_site_stops_when_an_older_office_is_written_over_its_own(full: Office, store: str, tmp_path: Path) -> None:
    """A4 in place, on both databases: the site does not go on with what it read, and no token counts any more."""
    path, older = Path(full.url.removeprefix("sqlite:///")), tmp_path / "older.db"
    full.close()
    if store == "sqlite":
        shutil.copy(path, older)
    add_account(full, "host", NewAccount("tina", Role.TD, "A1234567"), "correct horse battery")
    secret = add_token(full, "tina", NewToken("tina"))[1]
    enter(full, quad("newer"))
    opened = open_office(full.url, full.clock)
    with closing(Reading(opened)) as reading:
        reading.renew()
        assert reading.now.event("newer")
        assert bearer_of(opened, secret) is not None
        full.close()
        if store == "sqlite":
            overwritten(older, path)
        else:
            with full.writing("nobody", "restoring") as connection, unguarded(connection):
                for table in ("commitment", "act"):
                    connection.execute(text(f"DELETE FROM {table} WHERE seq = (SELECT max(seq) FROM {table})"))
        with pytest.raises(ReplacedOfficeError):
            reading.renew()  # which the watch of a site does every second
        with pytest.raises(Problem, match="was replaced"):
            reading.now  # noqa: B018
        with pytest.raises(ReplacedOfficeError):
            bearer_of(opened, secret)
        with pytest.raises(ReplacedOfficeError, match="nothing was stored"):
            enter(opened, quad("t"))


@pytest.mark.parametrize("store", ["postgresql"])
def test_a_site_makes_room_for_whoever_puts_its_database_back(full: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """They need the tables for themselves, and wait for the transactions of the site: these end, and it says so.

    ``tests/web/test_serve.py`` has the same with two workers and pg_restore.
    """
    monkeypatch.setattr("crosstable.web.reading.LOCK_SECONDS", 0.05)
    newest = "(SELECT max(seq) FROM act)"
    taken, over = threading.Event(), threading.Event()

    def put_back() -> None:
        with connected(address_of(full)) as connection, connection.transaction():
            connection.execute("SET LOCAL session_replication_role = replica")
            connection.execute("LOCK TABLE commitment, act IN ACCESS EXCLUSIVE MODE")
            taken.set()
            over.wait()
            for table in ("commitment", "act"):
                connection.execute(f"DELETE FROM {table} WHERE seq = {newest}".encode())

    with closing(Reading(open_office(full.url, full.clock))) as reading, ThreadPoolExecutor(1) as beside:
        snapshot = reading.renew()
        with snapshot.asking():
            putting = beside.submit(put_back)
        with pytest.raises(OfficeError, match="Somebody is putting the database back"):
            until(lambda: reading.renew() is None)
        assert until(taken.is_set)
        with pytest.raises(OfficeError, match="Somebody is putting the database back"):
            reading.renew()
        with pytest.raises(Problem, match="is being read"), snapshot.asking():
            pass
        over.set()
        putting.result()
        with pytest.raises(ReplacedOfficeError):
            reading.renew()


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_what_is_written_while_somebody_asks_for_the_newest_entry_replaces_nothing(
    full: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader sees the state at its begin; what this program writes meanwhile is no other office."""
    with closing(open_office(full.url, full.clock)) as opened:
        before, reading = opened.newest(), opened.reading

        @contextmanager
        def overtaken() -> Iterator[Connection]:
            with reading() as connection:
                monkeypatch.undo()
                enter(opened, quad("meanwhile"))
                yield connection

        monkeypatch.setattr(opened, "reading", overtaken)
        assert opened.newest() == before
        assert opened.newest() > before


def overwritten(older: Path, path: Path) -> None:
    path.write_bytes(older.read_bytes())
    for side in ("-wal", "-shm"):
        Path(f"{path}{side}").unlink(missing_ok=True)


def test_files_of_an_office_are_for_their_owner_alone(full: Office, tmp_path: Path) -> None:
    """A new office, its lock and a backup; what a backup that was killed left behind goes."""
    found_office(str(tmp_path / "new.db"), "Club", AUTHOR).close()
    Path(tmp_path / "b.zip.partial").write_bytes(b"left by a backup that was killed")
    backup(full, str(tmp_path / "b.zip"))
    for name in ("new.db", "new.db.lock", "b.zip"):
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600, name
    assert not (tmp_path / "b.zip.partial").exists()


def rows_in(office: Office, table: Table) -> list[dict[str, Any]]:
    with office.reading() as connection:
        return [dict(row) for row in connection.execute(select(table)).mappings()]


def another(value: object, column: Column[Any], chance: random.Random) -> object:
    """Another value of a column's kind."""
    kind = column.type.python_type
    if kind is bool:
        return not value
    if kind is date:
        return (value if isinstance(value, date) else TODAY) + timedelta(days=chance.randrange(1, 400))
    if kind is bytes:
        assert isinstance(value, bytes)
        return value + b"x"
    if kind in (int, float):
        return (value if isinstance(value, int | float) else 0) + kind(chance.randrange(1000, 2000))
    text = str(value or "")
    return text[:-1] + ("x" if text[-1:] != "x" else "y")


def test_a_verify_goes_on_from_a_kept_head_and_says_what_it_leaves_out(full: Office) -> None:
    """Only what was written since is read; a full one still finds what was changed before."""
    kept = audit(full).head
    correct_result(full, AUTHOR, "q", ChangedResult(1, 1, 1, "W2"), TODAY)
    run(full)
    publish(full, AUTHOR, Month(2027, 1), Basis.NOW)
    found = audit(full, kept=Kept(since=kept))
    assert found.findings == ()
    assert (found.sections, found.lists) == (1, 1)
    assert "was not looked at again" in " ".join(found.held)
    tampered(
        full,
        "UPDATE ripple SET rating_after = rating_after + 1 WHERE run < 10",
        f"UPDATE posting SET rating_after = rating_after + 1 WHERE run = {found.acts - 1}",
    )
    quick, whole = without_guards(audit(full, kept=Kept(since=kept))), without_guards(audit(full))
    assert [one for one in quick if "ripple" in one] == []
    assert any("into posting was changed" in one for one in quick), quick
    assert any("does not follow from the record: verify without --since says more" in one for one in quick), quick
    assert any("that it wrote into ripple was changed" in one for one in whole), whole


def without_guards(found: Audit) -> list[str]:
    """What was found beside the guards that a tampering test takes away."""
    return [one.what for one in found.findings if not one.what.startswith("the trigger")]


def test_a_verify_from_a_head_that_never_was_looks_at_everything(full: Office) -> None:
    found = audit(full, kept=Kept(since="f" * 64))
    assert [one.what.split(":")[0] for one in found.findings] == [f"the journal never had the head {'f' * 64}"]
    assert found.lists == 2
    assert not any("not looked at again" in one for one in found.held)


def test_results_that_are_rewritten_with_every_digest_are_found_by_the_original_files(full: Office) -> None:
    """An event that is not rated yet: nothing follows from it, but the file that came in says something else."""
    with full.writing("nobody", "tampering") as connection, unguarded(connection, *EVERY_GUARD):
        connection.execute(text(WIN_TO_LOSS))
        record = Record(connection, last_act_of(connection, None))
        heading = record.heading("s", 1)
        assert heading is not None
        made = rows_of(heading, record.entries([heading])["s", 1])
        key = tables.section.c.event_id == "s"
        connection.execute(update(tables.section).where(key).values(digest=made.heading["digest"]))
    rehashed(full)
    wanted = f"entry {heading.act}: section 1 of event s not as the original file s.json reads"
    assert without_guards(audit(full)) == [wanted]


def test_an_original_that_another_version_read_is_told_and_no_finding(
    full: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers are mended: what an older one gave may be otherwise today."""

    def without_players(content: bytes, name: str) -> FileReading:
        reading = read_data(content, name)
        sections = tuple(one._replace(players=one.players[:-1]) for one in reading.report.sections)
        return reading._replace(report=reading.report._replace(sections=sections))

    def refusing(content: bytes, name: str) -> FileReading:
        raise FormatError(fault("not-readable", name, "It cannot be read.", "None."))

    monkeypatch.setattr(originals, "__version__", "9.9")
    with full.reading() as connection:
        assert list(originals.read_again(connection)) == []
        for read, words in ((without_players, "section 1 of event q"), (refusing, "it cannot be read any more")):
            told = list(originals.read_again(connection, read=read))
            assert len(told) == 3
            assert all(isinstance(one, str) and "another version of this program read it" in one for one in told)
            assert any(words in str(one) for one in told)


def test_an_erased_original_is_not_read(full: Office) -> None:
    layout, table = row_layout(tables.document), tables.document
    with full.writing("the office", "erasing") as connection, unguarded(connection, "document"):
        for row in connection.execute(select(table)).all():
            hidden = layout.hidden([row._mapping[name] for name in layout.names]).hex()
            same = table.c.act == row._mapping["act"]
            connection.execute(update(table).where(same).values(content=b"", name="", salt=hidden))
    with full.reading() as connection:
        assert list(originals.read_again(connection)) == []
        assert not [one.what for one in proof(connection) if one.table == "document"]
