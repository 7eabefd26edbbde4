"""Erasing a person: no byte of the name and the birth date is left, and every rating, supplement and proof holds.

The office is that of ``kept_offices.story``: member 9 is a child who starts by age in a dual-rated section, member 8
has a birth date that arrived late and a second id that was merged, both are on a published supplement.
"""

import json
import re
import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import select, text

from crosstable.errors import OfficeError
from crosstable.formats import members
from crosstable.office import tables
from crosstable.office.audit import audit, kept_list
from crosstable.office.backups import backup, restore
from crosstable.office.bulk.archive_in import import_archive
from crosstable.office.bulk.archive_out import export_archive
from crosstable.office.credentials import open_session
from crosstable.office.database import Office
from crosstable.office.erasing import ERASED, erase_member, erased_members, unguarded
from crosstable.office.erasure_list import lists_for, read_list, write_list
from crosstable.office.ledger.commitments import row_layout
from crosstable.office.ledger.journal import Author
from crosstable.office.ledger.postings import all_current
from crosstable.office.ledger.rerate import rerate
from crosstable.office.ledger.runs import Watch
from crosstable.office.list_files import FORMS, list_table
from crosstable.office.members_files import StartingRatingOptions, taken
from crosstable.office.persons import everything_about
from crosstable.office.proof import Finding
from crosstable.office.proposals import fact_wish, propose, refuse
from crosstable.office.public import PublicOffice
from crosstable.office.retention import Keep, let_go, set_kept_days
from crosstable.office.security_log import SecurityKind, note_apart, security_entries
from crosstable.office.supplements import ListRow, published_rows
from crosstable.office.views import known
from crosstable.terms import RatingSystem, SectionType
from tests.engine.wallcharts import Played
from tests.office.conftest import CopyOf
from tests.office.kept_offices import story
from tests.office.made_office import (
    AUTHOR,
    HandClock,
    club_members,
    enter,
    founded,
    join,
    member_id,
    opening,
    person,
    report,
    run,
    section,
)

CHILD, ADULT = member_id(9), member_id(8)
ASKED = Author("anna", "asked to be erased")
RATINGS = ("rating_before", "rating_after", "games_after", "prior", "computed", "k", "expected")


@pytest.fixture
def club(copy_of: CopyOf) -> Office:
    return copy_of(story)


def ratings(office: Office) -> dict[object, list[object]]:
    with office.reading() as connection:
        found = all_current(connection)
    return {key: [getattr(one.posting, name) for name in RATINGS] for key, one in found.items()}


def every_text(office: Office) -> str:
    """Everything that the tables hold, as one text; contents of files as Latin-1, so that no byte is lost."""
    found = []
    with office.reading() as connection:
        for table in tables.metadata.sorted_tables:
            for row in connection.execute(select(table)):
                found += [
                    bytes(one).decode("latin-1") if isinstance(one, bytes | memoryview) else str(one) for one in row
                ]
        found += [str(row) for row in connection.execute(text("SELECT * FROM proposal"))]
    return "\n".join(found)


# Both databases, for this one is about storing.
ON_BOTH = pytest.mark.parametrize("store", ["sqlite", "postgresql"])


def is_named(said: str, name: str) -> bool:
    """Another member is called almost the same, with a digit more."""
    return re.search(rf"{re.escape(name)}(?!\d)", said) is not None


@ON_BOTH
@pytest.mark.parametrize(
    ("member", "name", "born"), [(CHILD, "Member, Jonas 9", "2014-03-09"), (ADULT, "Member, Irene 8", "1971-02-03")]
)
def test_nothing_of_a_person_is_left_and_everything_holds(club: Office, member: str, name: str, born: str) -> None:
    assert audit(club).findings == ()
    propose(club, ASKED, fact_wish(member, f"birth-date={born}"))
    before, lists = ratings(club), published(club)
    assert name in every_text(club)
    assert born in every_text(club)
    made = erase_member(club, ASKED, member)
    said = every_text(club)
    assert not is_named(said, name)
    assert not is_named(said, " ".join(reversed(name.split(", "))))
    assert born not in said
    assert made.remains == ()
    assert ratings(club) == before
    assert published(club) == [row._replace(name=ERASED, state="") if row.member_id == member else row for row in lists]
    assert audit(club).findings == ()
    assert run(club) is None
    with club.reading() as connection:
        assert PublicOffice(connection, None).member(member).name == ERASED


def published(office: Office) -> list[ListRow]:
    with office.reading() as connection:
        return list(published_rows(connection, "2026-11"))


def test_who_is_erased_stays_erased(club: Office) -> None:
    with pytest.raises(OfficeError, match="there is no member 99"):
        erase_member(club, ASKED, "99")
    with pytest.raises(OfficeError, match="say why"):
        erase_member(club, Author("anna", ""), CHILD)
    erase_member(club, ASKED, member_id(10))  # the other id of member 8
    with club.reading() as connection:
        assert erased_members(connection) == {ADULT, member_id(10)}
        found = members.read(f"id,name\n{ADULT},Member Irene\n{CHILD},Member Jonas\n".encode(), "new.csv")
        what = taken(known(connection).record, found, "new.csv", StartingRatingOptions())
    assert ([one.member_id for one in what.people], what.erased) == ([CHILD], 1)
    with pytest.raises(OfficeError, match="is erased already"):
        erase_member(club, ASKED, ADULT)


def changed(office: Office, statement: str) -> list[str]:
    """What verify says after a change behind the office's back."""
    with office.writing("a test", "tampering") as connection, unguarded(connection, tables.metadata.sorted_tables):
        connection.execute(text(statement))
    return [one.what for one in audit(office).findings]


def test_a_change_is_not_passed_off_as_an_erasure(club: Office) -> None:
    """The hash of a row's personal values in the place of its salt makes any values fit its commitment."""
    with club.reading() as connection:
        layout = row_layout(tables.member)
        query = select(*(tables.member.c[name] for name in layout.names)).where(
            tables.member.c.member_id == member_id(1)
        )
        hidden = layout.hidden(connection.execute(query).one()).hex()
    found = changed(club, f"UPDATE member SET name = 'Another', salt = '{hidden}' WHERE member_id = '{member_id(1)}'")
    assert found[0] == "a row of member looks erased, and no journal entry erased it"


def test_what_an_erasure_left_cannot_be_changed(club: Office) -> None:
    made = erase_member(club, ASKED, CHILD)
    found = changed(club, f"UPDATE member SET name = 'Another' WHERE member_id = '{CHILD}' AND act < {made.act}")
    assert found[0] == f"journal entry {made.act}: what it left of a row of member was changed"


def test_what_was_erased_does_not_come_back(club: Office) -> None:
    with club.reading() as connection:
        (row,) = connection.execute(select(tables.member).where(tables.member.c.member_id == CHILD)).mappings()
        name, born, salt = row["name"], row["birth_date"], row["salt"]
    made = erase_member(club, ASKED, CHILD)
    back = f"UPDATE member SET name = '{name}', birth_date = '{born}', salt = '{salt}'"
    found = changed(club, f"{back} WHERE member_id = '{CHILD}' AND act < {made.act}")
    assert found[0] == f"journal entry {made.act}: a row of member that it erased is missing, or it is back"


# Files: the database, supplements that were handed out, backups.


def test_no_byte_is_left_in_the_files_of_the_database(copy_of: CopyOf, tmp_path: Path) -> None:
    club = copy_of(story)
    path = Path(club.url.removeprefix("sqlite:///"))
    assert b"Jonas 9" in path.read_bytes()
    erase_member(club, ASKED, CHILD)
    assert club.store.scrub()
    files = [one for one in tmp_path.iterdir() if one.is_file()]
    assert path in files
    for one in files:
        assert not re.search(rb"Jonas 9(?!\d)", one.read_bytes()), one
        assert b"2014-03-09" not in one.read_bytes()


def test_whoever_reads_the_file_keeps_old_bytes_in_it(copy_of: CopyOf) -> None:
    """An erasure says so then; nothing is wrong with the record."""
    club = copy_of(story)
    other = sqlite3.connect(club.url.removeprefix("sqlite:///"))
    other.execute("BEGIN")
    other.execute("SELECT count(*) FROM act").fetchone()
    erase_member(club, ASKED, CHILD)
    assert not club.store.scrub()
    other.close()
    assert club.store.scrub()


def test_supplements_that_were_handed_out_still_verify(club: Office, tmp_path: Path) -> None:
    """Members 3 and 11 are on it; names that a form may cut are not compared, everybody else is."""
    files = {form: tmp_path / f"list{form}" for form in FORMS}
    with club.reading() as connection:
        for form, path in files.items():
            made = FORMS[form](list_table(connection, "2026-11"))
            path.write_bytes(made.encode() if isinstance(made, str) else made)
    erase_member(club, ASKED, member_id(3))
    erase_member(club, ASKED, member_id(11))
    with club.reading() as connection:
        for form, path in files.items():
            assert kept_list(connection, str(path)) == f"{path} is the supplement of 2026-11, published by entry 25"
            if form in (".xlsx", ".parquet"):
                continue
            wrong = b"Boris 1" if form in (".txt", ".dbf") else b"Dmitri 3"
            assert wrong in path.read_bytes()
            path.write_bytes(path.read_bytes().replace(wrong, wrong[:-1] + b"7"))
            assert kept_list(connection, str(path)) == Finding(
                f"{path} is no supplement that this office published", table="supplement"
            )
    assert audit(club).findings == ()


def test_a_restore_erases_who_was_erased_since(club: Office, tmp_path: Path) -> None:
    file, target = tmp_path / "backup.zip", tmp_path / "restored.db"
    backup(club, str(file))
    erase_member(club, ASKED, CHILD)
    erase_member(club, ASKED, member_id(10))
    assert write_list(club, str(tmp_path / "list.erasures")) == 2
    assert write_list(club, str(tmp_path / "list.erasures")) == 2
    listed = read_list(str(tmp_path / "list.erasures"))
    assert [one.members for one in listed] == [(CHILD,), (ADULT, member_id(10))]
    made = restore(str(file), str(target), HandClock(), listed=listed)
    assert made.erased == 2
    content = target.read_bytes()
    assert not re.search(rb"Jonas 9(?!\d)", content)
    assert b"Irene 8" not in content
    assert b"2014-03-09" not in content
    with closing(Office(str(target), HandClock())) as restored:
        assert audit(restored).findings == ()
        assert ratings(restored) == ratings(club)
        again = tmp_path / "again.zip"
        backup(restored, str(again))
    assert restore(str(again), str(tmp_path / "third.db"), HandClock(), listed=listed).erased == 0


def test_a_list_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "list.erasures"
    for content in (
        "",
        "[]",
        "{}",
        '{"format": "crosstable-office-backup/1"}',
        '{"format": "crosstable-office-erasures/1"}',
    ):
        path.write_text(content)
        with pytest.raises(OfficeError, match="is no list of erasures"):
            read_list(str(path))
    assert lists_for("postgresql+psycopg://host/db", str(tmp_path / "list")) == [str(path)]


# What a person may have, and what is kept no longer.


def test_a_person_gets_everything_that_is_stored_about_them(club: Office) -> None:
    propose(club, ASKED, fact_wish(ADULT, "birth-date=1971-02-03"))
    note_apart(club, SecurityKind.BIRTH_DATE_READ, "anna", ADULT)
    with club.reading() as connection:
        found = everything_about(connection, member_id(10))
        with pytest.raises(OfficeError, match="there is no member 99"):
            everything_about(connection, "99")
    json.dumps(found)
    assert (found["member_id"], found["other_ids"]) == (ADULT, [member_id(10)])
    assert [one["birth_date"] for one in found["particulars"] if one["member_id"] == ADULT] == [
        "1980-01-09",
        "1971-02-03",
    ]
    assert {one["event_id"] for one in found["results"]} == {one["event_id"] for one in found["files"]}
    with club.reading() as connection:
        listed = everything_about(connection, member_id(3))["supplements"]
    assert [(one["month"], one["system"], one["rating"]) for one in listed] == [("2026-11", "OTBR", 1500)]
    assert [one["kind"] for one in found["journal"]] == ["merge", "members"]
    assert (found["findings"], found["jobs"]) == ([], [])
    assert [one["kind"] for one in found["security_log"]] == ["birth date read"]
    assert len(found["proposals"]) == len(found["merges"]) == 1
    with club.reading() as connection:
        mine = set(
            connection.execute(select(tables.posting.c.posting_id).where(tables.posting.c.member_id == ADULT)).scalars()
        )
    assert {one["posting_id"] for one in found["ratings"]} <= mine


@ON_BOTH
def test_the_office_lets_go_of_what_it_keeps_no_longer(club: Office, clock: HandClock) -> None:
    assert let_go(club, ASKED) == {"originals": 0, "proposals": 0, "security_log": 0, "access": 0}
    with pytest.raises(OfficeError, match="one day at least"):
        set_kept_days(club, ASKED, Keep(originals=0))
    assert set_kept_days(club, ASKED, Keep(100, 10, 20, 30)) is not None
    assert set_kept_days(club, ASKED, Keep(100, 10, 20, 30)) is None
    refuse(club, "anna", propose(club, ASKED, fact_wish(ADULT, "adult=yes")))
    open_session(club, "")
    before = ratings(club)
    clock.go(days=50)
    propose(club, ASKED, fact_wish(ADULT, "adult=yes"))
    assert let_go(club, ASKED) == {"originals": 0, "proposals": 1, "security_log": 3, "access": 1}
    clock.go(days=51)
    held, found = 1, let_go(club, ASKED)
    with club.reading() as connection:
        contents = connection.execute(select(tables.document.c.content)).scalars().all()
    assert found["originals"] == len(contents) - held  # event h waits: its file is still needed
    assert sum(bool(one) for one in contents) == held
    assert ratings(club) == before
    assert audit(club).findings == ()
    with club.reading() as connection:
        entries = security_entries(connection)
    assert [one.actor for one in entries[:3]] == ["", "", ""]
    assert entries[-1].kind == "old data cleared"


# Somebody who started with two ratings in one section: Quick weighs 10 games for online Quick and 5 for online Regular
# (§2, Game Factors), so a section that was rated in both has two starts.

TWICE = member_id(20)


def two_starts(office: Office) -> None:
    """A child with a Quick and a Blitz rating enters two online quads that were rated Regular and Quick."""
    people, openings = club_members()
    own = [opening(20, 1100.0, 15.0, system=RatingSystem.OTBQ), opening(20, 900.0, 7.0, system=RatingSystem.OTBB)]
    join(office, [*people, person(20, birth_date=date(2014, 3, 9))], [*openings, *own])
    chart = "1 =1 | W2 D3 W4\n2 =2 | L1 W4 L3\n3 =3 | W4 D1 W2\n4 =20 | L3 L2 L1"
    both = (RatingSystem.OLR, RatingSystem.OLQ)
    for event_id, day in (("both", date(2026, 7, 4)), ("later", date(2026, 8, 1))):
        played = Played(start=day, control="", is_online=True, kind=SectionType.ROUND_ROBIN)
        enter(office, report(event_id, section(chart, played, systems=both)))
    run(office)


def test_who_started_with_two_ratings_in_a_section_is_erased(copy_of: CopyOf, tmp_path: Path) -> None:
    club = copy_of(two_starts)
    with club.reading() as connection:
        starts = {
            one.posting.system: (one.posting.prior, one.posting.start_games)
            for one in all_current(connection).values()
            if one.posting.member_id == TWICE and one.posting.event_id == "both"
        }
    assert len(set(starts.values())) == len(starts) == 2
    before = ratings(club)
    erase_member(club, ASKED, TWICE)
    assert not is_named(every_text(club), "Member, Ada 20")
    assert "2014-03-09" not in every_text(club)
    assert ratings(club) == before
    assert audit(club).findings == ()
    assert run(club) is None
    # Nor is it lost where the record goes on as a file; the first run there is compiled.
    export_archive(club, str(tmp_path / "archive"))
    with closing(founded(str(tmp_path / "again.db"))) as again:
        import_archive(again, AUTHOR, str(tmp_path / "archive"))
        assert rerate(again, AUTHOR, watch=Watch(long=0)) is not None
        assert numbers_of(again) == numbers_of(club)


def numbers_of(office: Office) -> dict[tuple[str, int, str, RatingSystem], list[object]]:
    """Ratings by section, member and system: starting ratings stand under other numbers in another office."""
    with office.reading() as connection:
        found = [one.posting for one in all_current(connection).values()]
    return {
        (one.event_id, one.section, one.member_id, one.system): [getattr(one, name) for name in RATINGS]
        for one in found
        if one.number is not None
    }
