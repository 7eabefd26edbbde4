"""Veils that go on from those of an earlier run are those of a walk from the beginning, whatever happened between."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import Connection

from crosstable.office import veiled_record
from crosstable.office.corrections import ChangedResult, correct_result, withdraw
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide
from crosstable.office.ledger.facts import DecisionKind, Person
from crosstable.office.ledger.postings import all_current
from crosstable.office.members import merge_members
from crosstable.office.veiled_record import RecordVeils
from crosstable.terms import SectionType
from tests.engine.wallcharts import Played
from tests.office.made_office import (
    DEED,
    OTBR,
    club_members,
    enter,
    founded,
    join,
    member_id,
    opening,
    quad,
    report,
    run,
    section,
)

CHILD = 21
SECOND_CHILD = 22
TODAY = date(2026, 11, 15)
WITH_CHILD = f"1 ={CHILD} | L2 L3 L4\n2 =1 | W1 W4 D3\n3 =2 | D4 W1 D2\n4 =3 | D3 L2 W1"
WITH_BOTH = f"1 ={CHILD} | W2 L3 L4\n2 ={SECOND_CHILD} | L1 W4 L3\n3 =5 | D4 W1 W2\n4 =6 | D3 L2 W1"


GROWN_UP = Person(member_id(23), "Member, Dmitri 23", "NY", adult=True)
WITH_GROWN_UP = "1 =23 | L2 L3 L4\n2 =1 | W1 W4 D3\n3 =2 | D4 W1 D2\n4 =3 | D3 L2 W1"


def child(number: int, born: date | None) -> Person:
    return Person(member_id(number), f"Member, {('Boris', 'Clara')[number - CHILD]} {number}", "NY", birth_date=born)


def swiss(event_id: str, day: date, rows: str) -> Callable[[Office], None]:
    played = Played(start=day, kind=SectionType.SWISS, control="G/45;d5")
    return lambda office: enter(office, report(event_id, section(rows, played)))


def mended(office: Office) -> None:
    assert correct_result(office, DEED, "202603010001", ChangedResult(1, 1, 1, "D2"), TODAY).is_stored


# What happens, a run after each; every one touches another part of the record.
STORY: tuple[Callable[[Office], object], ...] = (
    lambda office: enter(office, quad("202601100001", Played(start=date(2026, 1, 10)))),
    lambda office: join(office, [child(CHILD, date(2014, 2, 3))]),
    swiss("202603010001", date(2026, 3, 1), WITH_CHILD),
    lambda office: enter(office, quad("202604040001", Played(start=date(2026, 4, 4)))),
    lambda office: join(office, [child(SECOND_CHILD, date(2012, 9, 9))]),
    swiss("202605050001", date(2026, 5, 5), WITH_BOTH),
    lambda office: enter(office, quad("202602020001", Played(start=date(2026, 2, 2)))),  # late, in the midst
    mended,
    lambda office: decide(office, DEED, Ruling(DecisionKind.FLOOR, member_id(3), OTBR, date(2026, 3, 1), 1400.0)),
    lambda office: join(office, [child(CHILD, date(2010, 7, 7))]),  # another birth date for the same child
    lambda office: join(office, [], [opening(8, 1900.0, as_of=date(2026, 1, 1))]),
    lambda office: withdraw(office, DEED, "202604040001"),
    lambda office: merge_members(office, DEED, member_id(7), member_id(8)),
    lambda office: enter(office, quad("202606060001", Played(start=date(2026, 6, 6)))),
    lambda office: join(office, [GROWN_UP]),
    swiss("202607070001", date(2026, 7, 7), WITH_GROWN_UP),
    lambda office: enter(office, quad("202608080001", Played(start=date(2026, 8, 8)))),
    # Just over the age from which everybody starts alike: no posting changes, but now one hangs on a birth date.
    lambda office: join(office, [GROWN_UP._replace(birth_date=date(2000, 1, 2))]),
)


def same(connection: Connection, resumed: RecordVeils, whole: RecordVeils) -> None:
    current = all_current(connection, whole.record.through)
    assert {about: resumed.postings[about] for about in current} == {about: whole.postings[about] for about in current}
    for place, veil in whole.sections.items():
        assert resumed.veil(*place) == veil
    assert resumed.spans_by(None) == whole.spans_by(None)
    assert resumed._blurred == whole._blurred


def test_resumed_veils_are_those_of_a_whole_walk(tmp_path: Path) -> None:
    office = founded(str(tmp_path / "office.db"))
    join(office, *club_members())
    done = run(office)
    assert done is not None
    with office.reading() as connection:
        start = last = RecordVeils(connection, done.act)
    hidden = 0
    for happens in STORY:
        happens(office)
        done = run(office)
        if done is None:
            continue
        with office.reading() as connection:
            whole = RecordVeils(connection, done.act)
            last = RecordVeils(connection, done.act, before=last)
            same(connection, last, whole)
            same(connection, RecordVeils(connection, done.act, before=start), whole)
            same(connection, last.on(connection), whole)
            hidden = max(hidden, len(whole.spans_by(None)))
    office.close()
    assert hidden > 1


def test_an_event_at_the_end_is_all_that_is_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    office = founded(str(tmp_path / "office.db"))
    join(office, *club_members())
    for happens in STORY[:6]:
        happens(office)
    first = run(office)
    enter(office, quad("202610100001", Played(start=date(2026, 10, 10))))
    second = run(office)
    assert first is not None
    assert second is not None
    walked: list[int] = []
    with office.reading() as connection:
        before = RecordVeils(connection, first.act)
        whole = RecordVeils(connection, second.act, walked.append)
        resumed = RecordVeils(connection, second.act, walked.append, before=before)
        same(connection, resumed, whole)
    office.close()
    assert walked[0] > 10
    assert walked[1:] == [1]


def test_marks_are_close_at_the_end_and_wide_before() -> None:
    assert veiled_record._marks(0) == set()
    assert veiled_record._marks(1) == {1}
    assert sorted(veiled_record._marks(100)) == [50, 75, 88, 94, 97, 99, 100]
