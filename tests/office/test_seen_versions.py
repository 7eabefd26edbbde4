"""What somebody accepts is what they were shown: versions, the event itself, its sections, new members."""

from datetime import date

import pytest

from crosstable.errors import OfficeError
from crosstable.office import proposals as deeds
from crosstable.office.comparing import public_differences
from crosstable.office.corrections import (
    ChangedResult,
    Correction,
    Seen,
    confirm,
    correct_by_file,
    correct_result,
    waiting_of,
)
from crosstable.office.credentials import Proven
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling
from crosstable.office.ledger.facts import DecisionKind, State
from crosstable.office.ledger.journal import Author, act_of, head
from crosstable.office.members import read_person, written_person
from crosstable.office.originals import newcomers_waiting
from crosstable.office.proposals import ProposalState, approve, confirmation, proposals, propose, refuse, withdrawal
from crosstable.office.public import public_act
from crosstable.office.published import Month
from crosstable.office.submissions import event_of
from crosstable.office.supplements import Basis, publish
from crosstable.terms import OutsideRating, RatingSystem, Report
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
    person,
    record_of,
    report,
    run,
    section,
    send,
)

TODAY = NOW.date()
ANNA = Author("anna", "the director wrote")
BORIS = Proven("boris", "session 1234")
SECOND = section("1 =5 | W2 D2\n2 =6 | L1 D1\n3 =8 | U U", number=2)
TWO = report("q", section(QUAD), SECOND)
HELD = "1 =5 | W2 D2\n2 =77 | L1 D1\n3 =8 | U U"


@pytest.fixture
def store() -> str:
    """Nothing here hangs on the store."""
    return "sqlite"


@pytest.fixture
def rated(copy_of: CopyOf) -> Office:
    return copy_of(two_sections)


def two_sections(office: Office) -> None:
    join(office, *club_members())
    enter(office, TWO)
    run(office)


@pytest.fixture
def members(copy_of: CopyOf) -> Office:
    return copy_of(only_members)


def only_members(office: Office) -> None:
    join(office, *club_members())


def asks(office: Office, cell: str, author: Author = AUTHOR) -> None:
    assert correct_result(office, author, "q", ChangedResult(1, 1, 1, cell), TODAY, is_request=True).is_requested


def sends(office: Office, made: Report) -> Correction:
    return correct_by_file(office, AUTHOR, "q", document(made), TODAY, is_request=True)


def states(office: Office) -> dict[int, State]:
    with office.reading() as connection:
        return {one.number: one.state for one in record_of(connection).headings_of("q")}


def last_act(office: Office) -> int:
    with office.reading() as connection:
        newest = head(connection)
    assert newest is not None
    return newest.seq


# Versions.


@pytest.mark.parametrize("what", ["another version", "taken back"])
def test_what_changes_while_an_approval_waits_for_the_lock_is_not_accepted(
    rated: Office, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    asks(rated, "D2")
    with rated.reading() as connection:
        number = propose(rated, ANNA, confirmation(record_of(connection), "q"))

    def late(office: Office, author: Author, event_id: str, today: date, *, seen: Seen) -> Correction:
        if what == "taken back":
            refuse(rated, "anna", number)
        else:
            asks(rated, "L2", Author("tina", "no, this"))
        return confirm(office, author, event_id, today, seen=seen)

    monkeypatch.setattr(deeds, "confirm", late)
    with pytest.raises(
        OfficeError, match="no open proposal" if what == "taken back" else "no longer what was proposed"
    ):
        approve(rated, BORIS, number)
    (one,) = proposals(rated)
    assert one.state is (ProposalState.REFUSED if what == "taken back" else ProposalState.OPEN)
    with rated.reading() as connection:
        assert [one.number for one in record_of(connection).requests("q")] == [1]


def test_a_wish_is_proposed_only_for_what_waits_now(rated: Office) -> None:
    asks(rated, "D2")
    with rated.reading() as connection:
        wish = confirmation(record_of(connection), "q")
    asks(rated, "L2")
    with pytest.raises(OfficeError, match="no longer what was proposed"):
        propose(rated, ANNA, wish)


def test_a_list_that_is_published_meanwhile_makes_it_take_two(rated: Office) -> None:
    wish = withdrawal("q")
    assert not deeds.needs_two(rated, wish)
    publish(rated, AUTHOR, Month(2026, 11), Basis.PLAYED)
    with pytest.raises(OfficeError, match="takes two people"):
        deeds.carry_out_alone(rated, AUTHOR, wish)
    assert set(states(rated).values()) == {State.ACCEPTED}


# What is shown.


def test_where_a_file_says_nothing_of_the_event_it_stays_and_the_rest_is_told(rated: Office) -> None:
    blank = TWO._replace(name="", start=None, end=None, details={"affiliate": "B7654321"})
    asked = sends(rated, blank)
    assert asked.differences == ("the event: detail affiliate was nothing and is B7654321",)
    assert public_differences(asked.differences) == ["the event: other particulars changed"]
    with rated.reading() as connection:
        before = event_of(record_of(connection), "q")
    assert confirm(rated, AUTHOR, "q", TODAY).is_stored
    with rated.reading() as connection:
        after = event_of(record_of(connection), "q")
    assert (after.name, after.started, after.ended) == (before.name, before.started, before.ended)
    assert after.details == {"affiliate": "B7654321"}
    assert sends(rated, TWO).differences == ()  # and a file that names none takes it away from nobody


def test_details_of_a_section_and_the_order_of_its_rows_are_told(rated: Office) -> None:
    players = SECOND.players[::-1]
    other = SECOND._replace(details={"chief_td": "12345678"}, players=players)
    found = sends(rated, TWO._replace(sections=(TWO.sections[0], other))).differences
    assert found == (
        "section 2: detail chief_td was nothing and is 12345678",
        "section 2: the rows stand in another order",
    )
    assert public_differences(found) == ["section 2: other particulars changed", found[1]]


def test_whoever_agrees_sees_all_of_a_wish() -> None:
    fact = deeds.fact_wish(member_id(1), "birth-date=2014-02-03")
    assert fact.particulars == [("member", member_id(1)), ("fact", "birth-date=2014-02-03")]
    ruling = Ruling(DecisionKind.FLOOR, member_id(1), RatingSystem.OTBR, TODAY, 1400.0, details={"title": "LM"})
    assert {("effective", "2026-11-15"), ("title", "LM"), ("value", "1400.0")} <= set(
        deeds.ruling_wish(ruling).particulars
    )


# Sections.


def test_a_change_of_the_event_alone_stands_on_an_accepted_section(members: Office) -> None:
    """Its first section is held: accepting the name does not hang on it."""
    two = report("q", section(HELD), section(QUAD, number=2))
    send(members, two)
    assert sends(members, two._replace(name="Better")).is_requested
    with members.reading() as connection:
        assert [one.number for one in record_of(connection).requests("q")] == [2]
    assert confirm(members, AUTHOR, "q", TODAY, [2]).is_stored
    assert states(members) == {1: State.HELD, 2: State.ACCEPTED}
    with members.reading() as connection:
        assert event_of(record_of(connection), "q").name == "Better"


def test_a_change_of_the_event_alone_takes_the_place_of_no_other_request(rated: Office) -> None:
    asks(rated, "D2")
    sends(rated, TWO._replace(name="Better"))
    sends(rated, TWO._replace(name="Best"))  # instead of the one before
    with rated.reading() as connection:
        waiting = waiting_of(record_of(connection), "q")
    assert sorted(waiting.headings) == [1, 2]
    assert not waiting.gone
    assert sends(rated, TWO._replace(sections=TWO.sections[:1])).is_requested  # the second is to go
    with pytest.raises(OfficeError, match="each of its sections waits"):
        sends(rated, TWO._replace(name="Good"))


def test_only_the_chosen_requests_are_accepted(rated: Office) -> None:
    asks(rated, "D2")
    sends(rated, TWO._replace(sections=TWO.sections[:1]))  # the second is to go
    assert confirm(rated, AUTHOR, "q", TODAY, [1]).differences == ("section 1 is confirmed",)
    with rated.reading() as connection:
        assert waiting_of(record_of(connection), "q").gone == {2}
    assert states(rated) == {1: State.ACCEPTED, 2: State.ACCEPTED}


def test_a_request_is_proposed_without_what_else_waits(members: Office) -> None:
    """Section 2 is held and could not be accepted; what is held is not called asked for."""
    send(members, report("q", section(QUAD), section(HELD, number=2)))
    asks(members, "D2")
    with members.writing("anna", "proposing") as connection:
        number = deeds.propose_request(members, record_of(connection), ANNA, last_act(members))
    assert proposals(members)[0].wish.summary == "accept section 1 of event q as it was asked for"
    with members.reading() as connection:
        assert "accept section 2 of event q, which is held" in confirmation(record_of(connection), "q").summary
    approve(members, BORIS, number)
    assert states(members) == {1: State.ACCEPTED, 2: State.HELD}


# New members.


def with_stranger(born: date, cell: str) -> Report:
    """Section 1 is held for a stranger who says when they were born; section 2 is sound."""
    held = section(HELD)
    last = held.players[1]
    stranger = last._replace(background=last.background._replace(birth_date=born))
    sound = section(f"1 | {cell}2\n2 | {'D' if cell == 'D' else 'L'}1", number=2)
    return report("q", held._replace(players=(held.players[0], stranger, held.players[2])), sound)


def test_new_members_come_in_with_what_is_accepted_or_not_at_all(members: Office) -> None:
    """They are described by the file of the version that is accepted, whatever a later file says of them."""
    send(members, with_stranger(date(2010, 1, 2), "W"))
    assert sends(members, with_stranger(date(2015, 3, 4), "D")).is_requested
    with members.reading() as connection:
        record = record_of(connection)
        people = newcomers_waiting(record, "q", [1])
        assert newcomers_waiting(record, "q", [2]) == []
        wish = confirmation(record, "q", [1], people)
    assert [(one.member_id, one.birth_date) for one in people] == [(member_id(77), date(2010, 1, 2))]
    assert wish.summary == "accept section 1 of event q, which is held; add 1 new member"
    name, text = wish.particulars[-1]
    assert (name, text.startswith(f"member id {member_id(77)}"), "birth date 2010-01-02" in text) == (
        "new member",
        True,
        True,
    )
    with pytest.raises(OfficeError, match="no longer"):
        confirm(members, AUTHOR, "q", TODAY, seen=Seen({1: 999}, people))
    assert not confirm(members, AUTHOR, "q", TODAY, [1], Seen(newcomers=[person(78)])).is_stored  # another one
    before = last_act(members)
    number = propose(members, ANNA, wish)
    with members.reading() as connection:
        assert record_of(connection).people([member_id(77), member_id(78)]) == {}
    assert approve(members, BORIS, number) == proposals(members)[0].act == before + 2
    with members.reading() as connection:
        assert record_of(connection).people([member_id(77)])[member_id(77)].birth_date == date(2010, 1, 2)
    assert states(members) == {1: State.ACCEPTED, 2: State.ACCEPTED}


def test_a_new_member_is_read_back_as_he_was_written() -> None:
    one = person(9, birth_date=date(2015, 3, 9))._replace(fide=(OutsideRating(1500.0, TODAY),))
    assert read_person(written_person(one)) == one


# The public log.


def test_the_log_says_of_a_request_that_it_is_one_and_of_its_acceptance_what_it_was(rated: Office) -> None:
    asked = sends(rated, report("q", section(QUAD), name="Right"))
    done = confirm(rated, AUTHOR, "q", TODAY)
    with rated.reading() as connection:
        waiting, accepted = (act_of(connection, act) for act in (asked.act, done.act))
    assert waiting is not None
    assert accepted is not None
    shown = public_act(waiting)
    assert (shown.said, shown.reason) == ({"event": "q", "requested": True}, "")
    assert public_act(accepted).said == {
        "sections": [],
        "withdrawn": [2],
        "differences": [
            "the name of the event was Event q and is Right",
            "section 2 is no longer there (3 players)",
        ],
    }
