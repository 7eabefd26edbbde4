"""``office verify`` recomputes everything, and finds whatever somebody changed behind the record's back."""

from collections.abc import Callable
from datetime import date

import pytest
from sqlalchemy import Connection, text

from crosstable.office import tables
from crosstable.office.audit import audit
from crosstable.office.corrections import withdraw
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide, set_fact
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.members import merge_members
from crosstable.office.published import Month
from crosstable.office.supplements import Basis, publish
from crosstable.terms import OutsideRating
from tests.office.conftest import CopyOf
from tests.office.made_office import AUTHOR, OTBR, club_members, enter, join, member_id, person, quad, run, unguarded
from tests.office.random_federation import federation


@pytest.fixture
def full(copy_of: CopyOf) -> Office:
    return copy_of(with_everything)


def with_everything(office: Office) -> None:
    """Every kind of fact that an office can hold."""
    people, openings = club_members()
    join(office, [*people, person(9, fide=(OutsideRating(1800.0, date(2025, 1, 1)),))], openings)
    enter(office, quad("q"), quad("r"))
    decide(office, AUTHOR, Ruling(DecisionKind.FLOOR, member_id(2), OTBR, date(2026, 1, 1), 1390.0))
    set_fact(office, AUTHOR, member_id(4), {"adult": True})
    merge_members(office, AUTHOR, member_id(9), member_id(8))
    run(office)
    publish(office, AUTHOR, Month(2026, 12), Basis.NOW)
    withdraw(office, AUTHOR, "r")
    run(office)
    publish(office, AUTHOR, Month(2026, 8), Basis.PLAYED)


def test_an_office_that_was_left_alone_has_no_findings(full: Office) -> None:
    seen: list[int] = []
    found = audit(full, seen.append)
    assert found.findings == ()
    assert (found.sections, found.lists) == (2, 2)
    assert found.acts > 10
    assert seen


def test_acts_that_are_not_rated_yet_are_no_finding(full: Office) -> None:
    enter(full, quad("s"))
    assert audit(full).findings == ()


def test_an_office_without_anything_in_it_is_sound(office: Office) -> None:
    found = audit(office)
    assert (found.acts, found.postings, found.findings) == (1, 0, ())


TAMPERED = {
    "act": ("UPDATE act SET actor = 'nobody' WHERE seq = 2", "journal entry 2 was changed after it was written"),
    "member": ("UPDATE member SET state = 'TX' WHERE member_id = '10000001'", "that it wrote into"),
    "outside_rating": ("UPDATE outside_rating SET rating = 1801", "that it wrote into"),
    "opening": ("UPDATE opening SET rating = 1301 WHERE member_id = '10000001'", "that it wrote into"),
    "decision": ("UPDATE decision SET value = 1380", "that it wrote into"),
    "merge": ("UPDATE merge SET into_id = '10000007'", "that it wrote into"),
    "entry": (
        "UPDATE entry SET rounds = 'D2 D3 W4' WHERE number = 1 AND event_id = 'q'",
        "event q, section 1: the rows",
    ),
    "document": ("UPDATE document SET content = :other WHERE event_id = 'q'", "original file q.json is damaged"),
    "posting": (
        "UPDATE posting SET rating_after = rating_after + 1 WHERE member_id = '10000001' AND event_id = 'q'",
        "is posted",
    ),
    "run": ("UPDATE run SET state_after = state_before", "is not the one that the run wrote down"),
    "what a posting supersedes": (
        "UPDATE posting SET supersedes = 1 WHERE event_id = 'q' AND member_id = '10000002'",
        "follows from the record and is not posted",
    ),
    "supplement_row": (
        "UPDATE supplement_row SET rating = rating + 1 WHERE month = '2026-12'",
        "supplement of 2026-12",
    ),
    "supplement": ("UPDATE supplement SET run = 1 WHERE month = '2026-12'", "does not follow from what was posted"),
}


@pytest.mark.parametrize("table", TAMPERED)
def test_what_was_changed_behind_the_records_back_is_found(full: Office, table: str) -> None:
    statement, told = TAMPERED[table]

    def tamper(connection: Connection) -> None:
        assert connection.execute(text(statement), {"other": b"x"} if ":other" in statement else {}).rowcount

    change(full, table, tamper)
    assert any(told in finding.what for finding in audit(full).findings), audit(full).findings


def change(office: Office, table: str, how: Callable[[Connection], None]) -> None:
    guarded = table if table in tables.metadata.tables else "posting"
    with office.writing("nobody", "tampering") as connection, unguarded(connection, guarded):
        how(connection)


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("DELETE FROM posting WHERE event_id = 'q' AND member_id = '10000001'", "follows from the record and is not"),
        ("DELETE FROM decision", "that it wrote into"),
        ("DELETE FROM section WHERE event_id = 'q'", "is posted and does not follow from the record"),
    ],
)
def test_what_was_taken_away_is_found(full: Office, statement: str, told: str) -> None:
    def tamper(connection: Connection) -> None:
        assert connection.execute(text(statement)).rowcount

    change(full, statement.split()[2], tamper)
    assert any(told in finding.what for finding in audit(full).findings), audit(full).findings


def test_a_random_federation_is_sound(office: Office) -> None:
    federation(8, 10, 6).settle(office)
    run(office)
    publish(office, AUTHOR, Month(2026, 12), Basis.NOW)
    assert audit(office).findings == ()
