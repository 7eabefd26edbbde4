"""Corrections: new versions of sections, asked for or made; withdrawals; the old versions stay readable."""

from datetime import date

import pytest

from crosstable.errors import OfficeError
from crosstable.office.comparing import differences
from crosstable.office.corrections import (
    ChangedResult,
    confirm,
    correct_by_file,
    correct_member,
    correct_result,
    withdraw,
)
from crosstable.office.database import Office
from crosstable.office.ledger.facts import Record, State
from crosstable.office.ledger.journal import EntryKind, head
from crosstable.office.sections import SectionRows
from crosstable.office.status import administration_status, status
from crosstable.office.submissions import event_of, present_rows
from crosstable.terms import Report
from tests.engine.wallcharts import Played
from tests.office.claims import Claims
from tests.office.conftest import CopyOf
from tests.office.made_office import (
    AUTHOR,
    NOW,
    QUAD,
    club_members,
    document,
    enter,
    join,
    member_id,
    posted,
    rating_of,
    record_of,
    report,
    run,
    section,
)

TODAY = NOW.date()
TWO = report("q", section(QUAD), section("1 =5 | W2 D2\n2 =6 | L1 D1\n3 =8 | U U", number=2))


@pytest.fixture
def rated(copy_of: CopyOf) -> Office:
    return copy_of(two_sections)


def two_sections(office: Office) -> None:
    join(office, *club_members())
    enter(office, TWO)
    run(office)


def cells(office: Office, number: int = 1, through: int | None = None) -> list[list[str]]:
    with office.reading() as connection:
        record = record_of(connection) if through is None else Record(connection, through)
        heading = record.heading("q", number)
        assert heading is not None
        return [[cell.text for cell in entry.cells] for entry in record.entries([heading])["q", number]]


def test_a_result_is_put_right_on_both_rows(rated: Office) -> None:
    before = rating_of(rated, 1)
    done = correct_result(rated, AUTHOR, "q", ChangedResult(1, 1, 1, "L2"), TODAY)
    assert done.differences == (
        "section 1: player 1 (Member, Boris 1): round 1 was W2 and is L2",
        "section 1: player 2 (Member, Clara 2): round 1 was L1 and is W1",
    )
    assert [row[0] for row in cells(rated)[:2]] == ["L2", "W1"]
    with rated.reading() as connection:
        act = head(connection)
    assert act is not None
    assert (act.kind, act.subject, act.after["differences"]) == (EntryKind.CORRECT, "q", list(done.differences))
    run(rated)
    assert rating_of(rated, 1) < before
    assert [row[0] for row in cells(rated, through=act.seq - 1)[:2]] == ["W2", "L1"]
    Claims(rated).after_a_run()


def test_the_other_side_follows_the_corrected_one(rated: Office) -> None:
    """A result that says nothing of the colour keeps the one the game had."""
    for cell, mine, other in (
        ("D2", "D2", "D1"),
        ("W2b", "W2b", "L1w"),
        ("X2", "X2b", "F1w"),
        ("F2w", "F2w", "X1b"),
        ("L2", "L2w", "W1b"),
    ):
        assert correct_result(rated, AUTHOR, "q", ChangedResult(1, 1, 1, cell), TODAY).is_stored
        assert [row[0] for row in cells(rated)[:2]] == [mine, other]


def test_a_result_may_become_one_that_nobody_else_sees(rated: Office) -> None:
    """A bye on one row alone leaves the other side's game unmirrored: an error that is told, and nothing is stored."""
    done = correct_result(rated, AUTHOR, "q", ChangedResult(1, 1, 1, "H"), TODAY)
    assert not done.is_stored
    assert "not-mirrored" in {fault.code for fault in done.faults}
    assert correct_result(rated, AUTHOR, "q", ChangedResult(1, 1, 2, "N3"), TODAY).faults


def test_a_correction_of_what_is_not_there_is_refused(rated: Office) -> None:
    for change, why in (
        (ChangedResult(1, 1, 1, "?"), "is no result"),
        (ChangedResult(1, 9, 1, "W2"), "section 1 has no player 9"),
        (ChangedResult(1, 1, 1, "W9"), "section 1 has no player 9"),
        (ChangedResult(1, 1, 4, "W2"), "player 1 has no round 4"),
        (ChangedResult(1, 1, 0, "W2"), "player 1 has no round 0"),
        (ChangedResult(3, 1, 1, "W2"), "event q has no section 3"),
    ):
        with pytest.raises(OfficeError, match=why):
            correct_result(rated, AUTHOR, "q", change, TODAY)


def test_a_correction_that_changes_nothing_is_not_stored(rated: Office) -> None:
    done = correct_result(rated, AUTHOR, "q", ChangedResult(1, 1, 1, "W2"), TODAY)
    assert (done.is_stored, done.differences) == (False, ())


def test_a_wrong_member_id_is_put_right_wherever_it_stands(rated: Office) -> None:
    done = correct_member(rated, AUTHOR, "q", (member_id(2), member_id(7)), TODAY)
    assert done.differences == ("section 1: player 2 (Member, Clara 2): the member id was 10000002 and is 10000007",)
    run(rated)
    assert not [about for about in posted(rated) if (about.member_id, about.event_id) == (member_id(2), "q")]
    with pytest.raises(OfficeError, match="has no player with the id 10000002"):
        correct_member(rated, AUTHOR, "q", (member_id(2), member_id(7)), TODAY)
    Claims(rated).after_a_run()


def test_another_file_takes_the_place_of_what_was_submitted(rated: Office) -> None:
    """Sections that it does not have are withdrawn, new ones come in, dates may move."""
    day = date(2026, 2, 1)
    other = report("q", section(QUAD, Played(start=day)), section("1 =5 | W2\n2 =7 | L1", Played(start=day), number=3))
    done = correct_by_file(rated, AUTHOR, "q", document(other), TODAY)
    assert done.differences == (
        "the start of the event was 2026-07-04 and is 2026-02-01",
        "the end of the event was 2026-07-04 and is 2026-02-01",
        "section 1: the start was 2026-07-04 and is 2026-02-01",
        "section 1: the end was 2026-07-04 and is 2026-02-01",
        "section 2 is no longer there (3 players)",
        "section 3 is new (2 players)",
    )
    run(rated)
    places = {(one.section, one.ended) for one in posted(rated).values() if one.event_id == "q"}
    assert places == {(1, day), (3, day)}
    Claims(rated).after_a_run()


def event_now(office: Office) -> tuple[str, date | None]:
    """What the event is called now, and when it ended."""
    with office.reading() as connection:
        event = event_of(record_of(connection), "q")
    return event.name, event.ended


def test_a_correction_may_be_asked_for_and_confirmed(rated: Office) -> None:
    """Until then it does nothing; what it drops goes with what is confirmed of it, section by section."""
    before, called = posted(rated), event_now(rated)
    only_first = report("q", section(QUAD.replace("W2 D3 W4", "D2 D3 W4").replace("L1 L4", "D1 L4")), name="Right")
    asked = correct_by_file(rated, AUTHOR, "q", document(only_first), TODAY, is_request=True)
    assert (asked.is_stored, asked.is_requested) == (True, True)
    assert "the name of the event was Event q and is Right" in asked.differences
    assert run(rated) is None
    assert (posted(rated), event_now(rated)) == (before, called)
    found = status(rated)
    assert [(one.number, one.state) for one in found.requested] == [(1, State.REQUESTED), (2, State.REQUESTED)]
    assert administration_status(rated, 1).requested == (found.requested[:1], 2)
    assert found.pending == ()  # no rating follows from it yet
    done = confirm(rated, AUTHOR, "q", TODAY, [1])
    assert done.differences == ("section 1 is confirmed",)
    assert event_now(rated)[0] == "Right"
    run(rated)
    assert posted(rated) != before
    assert {about.section for about in posted(rated) if about.event_id == "q"} == {1, 2}
    assert confirm(rated, AUTHOR, "q", TODAY).differences == ("section 2 is withdrawn",)
    assert status(rated).requested == ()
    run(rated)
    assert {about.section for about in posted(rated) if about.event_id == "q"} == {1}
    with pytest.raises(OfficeError, match="nothing of event q waits"):
        confirm(rated, AUTHOR, "q", TODAY, [2])
    Claims(rated).after_a_run()


def test_a_request_moves_the_event_itself_as_the_host_would(rated: Office) -> None:
    """The name alone, or all its days: confirmed it stands as if one person had corrected it at once."""
    named = TWO._replace(name="Another name")
    assert correct_by_file(rated, AUTHOR, "q", document(named), TODAY, is_request=True).is_stored
    before, days = posted(rated), event_now(rated)[1]
    assert confirm(rated, AUTHOR, "q", TODAY).is_stored
    run(rated)
    assert event_now(rated) == ("Another name", days)
    assert posted(rated) == before
    day = Played(start=date(2026, 2, 1))
    moved = report("q", section(QUAD, day), section("1 =5 | W2\n2 =6 | L1", day, number=2), name="Another name")
    assert correct_by_file(rated, AUTHOR, "q", document(moved), TODAY, is_request=True).is_stored
    assert event_now(rated)[1] == days
    assert confirm(rated, AUTHOR, "q", TODAY).is_stored
    assert event_now(rated)[1] == day.start
    run(rated)
    assert {one.ended for one in posted(rated).values() if one.event_id == "q"} == {day.start}
    Claims(rated).after_a_run()


def test_a_section_that_is_only_asked_for_stands_nowhere_until_it_is_confirmed(rated: Office) -> None:
    more = TWO._replace(sections=(*TWO.sections, section("1 =7 | W2\n2 =8 | L1", number=3)))
    assert correct_by_file(rated, AUTHOR, "q", document(more), TODAY, is_request=True).is_stored
    with rated.reading() as connection:
        record = record_of(connection)
        assert record.heading("q", 3) is None
        assert [one.number for one in record.requests("q")] == [3]
    confirm(rated, AUTHOR, "q", TODAY)
    run(rated)
    assert {about.section for about in posted(rated) if about.event_id == "q"} == {1, 2, 3}


def test_a_withdrawn_event_rates_nobody_and_stays_readable(rated: Office) -> None:
    before = posted(rated)
    with rated.reading() as connection:
        then = record_of(connection).through
    withdraw(rated, AUTHOR, "q", [2])
    withdraw(rated, AUTHOR, "q")
    run(rated)
    assert not [about for about in posted(rated) if about.event_id == "q"]
    assert len(cells(rated, 2, through=then)) == 3
    with pytest.raises(OfficeError, match="event q is withdrawn already"):
        withdraw(rated, AUTHOR, "q")
    with pytest.raises(OfficeError, match="no section 2 that could be withdrawn"):
        withdraw(rated, AUTHOR, "q", [2])
    with pytest.raises(OfficeError, match="there is no event nowhere"):
        withdraw(rated, AUTHOR, "nowhere")
    assert correct_by_file(rated, AUTHOR, "q", document(TWO), TODAY).is_stored
    run(rated)
    assert posted(rated) == before
    Claims(rated).after_a_run()


# what differs, in sentences


def sentences(office: Office, other: Report) -> list[str]:
    """What differs between an event of the record and another version of it."""
    enter(office, other)
    with office.reading() as connection:
        record = record_of(connection)
        old, new = present_rows(record, "q")[1], present_rows(record, other.event_id)[1]
    return [one.removeprefix("section 1: ") for one in differences(old, new)]


def test_differences_are_told_as_a_director_would_say_them(rated: Office) -> None:
    one = section("1 | D2 D3 W5 H\n2 =5 | D1 L5 L3\n3 | L5 D1 W2\n5 =4 | W3 W2 L1", Played(control="G/45;d5"))
    first = one.players[0]._replace(details={"team": "A"})
    other = report("r", one._replace(players=(first, *one.players[1:]), name="Open"))
    assert sentences(rated, other) == [
        "the name was Section 1 and is Open",
        'the time control was ["G/90;d5"] and is ["G/45;d5"]',
        "the systems rated was OTBR and is OTBR OTBQ",
        "rated in two systems was False and is True",
        "player 1 (Member, Boris 1): round 1 was W2 and is D2",
        "player 1 (Member, Boris 1): round 3 was W4 and is W5",
        "player 1 (Member, Boris 1): round 4 was nothing and is H",
        "player 1 (Member, Boris 1): details was nothing and is {'team': 'A'}",
        "player 2 (Member, Farid 5): the member id was 10000002 and is 10000005",
        "player 2 (Member, Farid 5): the name was Member, Clara 2 and is Member, Farid 5",
        "player 2 (Member, Farid 5): round 1 was L1 and is D1",
        "player 2 (Member, Farid 5): round 2 was L4 and is L5",
        "player 3 (Member, Dmitri 3): round 1 was L4 and is L5",
        "player 4 (Member, Edith 4) is no longer there",
        "player 5 (Member, Edith 4) is new",
    ]


def test_a_stated_total_is_told_only_where_two_differ(rated: Office) -> None:
    """A result put right leaves no stated total, which says nothing new."""
    with rated.reading() as connection:
        rows = present_rows(record_of(connection), "q")[2]

    def stating(extra: str | None) -> SectionRows:
        return rows._replace(entries=[{**rows.entries[0], "extra": extra}, *rows.entries[1:]])

    both = stating('{"state":"NY","total":1.5}')
    assert differences(both, stating('{"state":"NY"}')) == []
    assert differences(stating('{"state":"NY"}'), both) == []
    assert differences(both, stating('{"state":"NY","total":2}')) == [
        "section 2: player 1 (Member, Farid 5): total was 1.5 and is 2"
    ]
