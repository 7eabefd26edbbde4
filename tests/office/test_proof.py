"""Whatever is changed behind the journal's back is found: by hand, by an attacker who hashes anew, by chance."""

import random
import shutil
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import Connection, select, text, update

from crosstable.office import tables
from crosstable.office.audit import Audit, Kept, audit, verify
from crosstable.office.corrections import ChangedResult, correct_result
from crosstable.office.database import Office
from crosstable.office.ledger.commitments import NO_HASH, commit, row_layout
from crosstable.office.list_files import FORMS, list_table
from crosstable.office.proof import journal_digests, recommit_digests
from crosstable.office.published import Month
from crosstable.office.supplements import Basis, publish
from tests.amounts import amount
from tests.office.conftest import CopyOf
from tests.office.kept_offices import TODAY
from tests.office.made_office import AUTHOR, enter, quad, run, unguarded
from tests.office.test_audit import with_everything

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
    with office.writing("nobody", "tampering") as connection:
        for name in EVERY_GUARD:
            unguard(connection, name)
        for statement in statements:
            assert connection.execute(text(statement)).rowcount, statement
    return audit(office)


def unguard(connection: Connection, name: str) -> None:
    for guard in (f"{name}_keeps_update", f"{name}_keeps_delete"):
        connection.execute(text(f"DROP TRIGGER {guard}"))


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


@pytest.mark.parametrize("what", HAND_MADE)
def test_what_is_changed_by_hand_is_found_and_named(full: Office, what: str) -> None:
    found = tampered(full, *HAND_MADE[what])
    tables_changed = {statement.split("SET")[0].split()[-1] for statement in HAND_MADE[what] if "SET" in statement}
    tables_changed |= {statement.split()[2] for statement in HAND_MADE[what] if "SET" not in statement}
    named = {one.table for one in found.findings if one.entry is not None}
    assert tables_changed <= named, found.findings


def test_a_supplement_that_is_published_again_after_it_was_deleted_is_found(full: Office) -> None:
    """T15: the new one is sound in itself; the entry of the old one misses its rows."""
    tampered(full, "DELETE FROM supplement", "DELETE FROM supplement_row")
    publish(full, AUTHOR, Month(2026, 12), Basis.NOW)
    assert any("that it wrote into supplement missing" in one.what for one in audit(full).findings)


def test_guards_that_were_dropped_are_found(full: Office) -> None:
    with full.writing("nobody", "tampering") as connection:
        unguard(connection, "posting")
    assert [one.what for one in audit(full).findings] == [
        f"the trigger posting_keeps_{deed} is missing, or it is another one" for deed in ("delete", "update")
    ]


def rehashed(connection: Connection) -> None:
    """What an attacker does who knows how entries commit to rows, and may write everything."""
    connection.execute(tables.commitment.delete())
    commit(connection, journal_digests(connection), recommit_digests(connection))


def test_an_attacker_who_hashes_everything_anew_is_found_by_what_others_kept(full: Office, tmp_path: Path) -> None:
    """Nothing inside an office can tell that all of it was rewritten: a kept head can, and so can a kept supplement."""
    head = audit(full).head
    files = kept_files(full, tmp_path)
    for path in files:
        assert audit(full, kept=Kept(head, str(path))).findings == (), path
    statements = ("UPDATE supplement_row SET name = 'Other, Name' WHERE member_id = '10000001'",)
    tampered(full, *statements)
    with full.writing("nobody", "tampering") as connection:
        rehashed(connection)
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
    with full.writing("nobody", "tampering") as connection:
        rehashed(connection)
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


def test_bytes_that_change_by_chance_are_found(tmp_path: Path, copy_of: CopyOf) -> None:
    """One to eight bytes anywhere in the file; what SQLite itself reads as before is no change."""
    sound = tmp_path / "sound.db"
    shutil.copy(copy_of(with_more).url.removeprefix("sqlite:///"), sound)
    before, raw, chance = dumped(sound), sound.read_bytes(), random.Random(amount(24, 2024))
    assert verify(str(sound), Kept()).findings == ()
    changed = 0
    while changed < amount(50, 10_000):
        bad, data = tmp_path / "bad.db", bytearray(raw)
        at = chance.randrange(100, len(raw) - 8)
        for place in range(at, at + chance.randrange(1, 9)):
            data[place] ^= chance.randrange(1, 256)
        bad.write_bytes(data)
        for side in ("-wal", "-shm"):
            Path(f"{bad}{side}").unlink(missing_ok=True)
        if dumped(bad) != before:
            changed += 1
            assert verify(str(bad), Kept()).findings, f"{at}: {data[at : at + 8].hex()}"


def dumped(path: Path) -> Sequence[str] | None:
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            return list(connection.iterdump())
    except (sqlite3.Error, UnicodeError):
        return None
