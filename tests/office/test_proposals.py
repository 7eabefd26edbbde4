"""What two people have to agree on: lists, ratings by hand, what reaches into a published period (decision 0006)."""

from datetime import date

import pytest

from crosstable.errors import OfficeError
from crosstable.office.corrections import ChangedResult, correct_result, withdraw
from crosstable.office.credentials import Proven
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.ledger.journal import Author, act_of
from crosstable.office.proposals import (
    Proposal,
    ProposalState,
    ProposedAction,
    approve,
    confirmation,
    correction_needs_two,
    fact_wish,
    merging,
    needs_two,
    proposals,
    propose,
    publication,
    published_through,
    refuse,
    ruling_wish,
    withdrawal,
)
from crosstable.office.published import Month
from crosstable.office.supplements import Basis, publish
from crosstable.terms import RatingSystem
from tests.engine.wallcharts import Played
from tests.office.conftest import CopyOf
from tests.office.made_office import (
    AUTHOR,
    QUAD,
    HandClock,
    club_members,
    enter,
    join,
    member_id,
    person,
    posted,
    quad,
    record_of,
    run,
    send,
)

ANNA, BORIS = Author("anna", "the director wrote"), Proven("boris", "session 1234")
EARLY, LATE = Played(start=date(2026, 7, 4)), Played(start=date(2026, 11, 14))


def with_a_list(office: Office) -> None:
    """Two events, of which the first is in the published period: the list of November is cut off in October."""
    join(office, *club_members())
    enter(office, quad("early", EARLY), quad("late", LATE))
    run(office)
    publish(office, AUTHOR, Month(2026, 11), Basis.PLAYED)


@pytest.fixture
def club(copy_of: CopyOf) -> Office:
    return copy_of(with_a_list)


def floor(effective: date, kind: DecisionKind = DecisionKind.FLOOR) -> Ruling:
    return Ruling(kind, member_id(1), RatingSystem.OTBR, effective, 1400.0)


def asked_for(office: Office, event_id: str) -> ProposedAction:
    """Somebody asks for another result of an event."""
    change = ChangedResult(1, 1, 1, "L2")
    assert correct_result(office, ANNA, event_id, change, date(2026, 11, 15), is_request=True).is_requested
    with office.reading() as connection:
        return confirmation(record_of(connection), event_id)


def one(office: Office) -> Proposal:
    (found,) = proposals(office)
    return found


def test_the_published_period_ends_with_the_cut_off_of_the_newest_list(club: Office, new_office: CopyOf) -> None:
    """The cut-off of the list of November 2026 is the third Wednesday of October (official facts §3)."""
    with club.reading() as connection:
        assert published_through(connection) == date(2026, 10, 21)
    with new_office().reading() as connection:
        assert published_through(connection) is None


def test_what_reaches_into_the_published_period_takes_two(club: Office) -> None:
    assert needs_two(club, asked_for(club, "early"))
    assert not needs_two(club, asked_for(club, "late"))
    assert needs_two(club, withdrawal("early"))
    assert not needs_two(club, withdrawal("late"))
    assert needs_two(club, merging(member_id(1), member_id(2)))
    assert needs_two(club, fact_wish(member_id(1), "birth-date=2014-02-03"))
    assert not needs_two(club, fact_wish(member_id(8), "birth-date=2014-02-03"))
    assert needs_two(club, publication("2026-12"))
    with pytest.raises(OfficeError, match="is not a date"):
        fact_wish(member_id(1), "birth-date=soon")


def test_an_event_that_is_known_takes_two_whatever_became_of_it(club: Office) -> None:
    """Held, withdrawn, or moved: only an event that nobody knows yet may come late."""
    held = QUAD.replace("1 |", "1 =77 |")
    assert send(club, quad("held-early", EARLY, held)).held
    assert send(club, quad("held-late", LATE, held)).held
    with club.reading() as connection:
        waiting = {event_id: confirmation(record_of(connection), event_id) for event_id in ("held-early", "held-late")}
    assert needs_two(club, waiting["held-early"])
    assert not needs_two(club, waiting["held-late"])
    for event_id in ("early", "late"):
        withdraw(club, AUTHOR, event_id)
    with club.reading() as connection:
        record = record_of(connection)
        assert correction_needs_two(record, "early")
        assert not correction_needs_two(record, "late")
        assert not correction_needs_two(record, "late", [date(2026, 10, 22)])
        assert correction_needs_two(record, "late", [date(2026, 11, 1), date(2026, 10, 21)])
        assert not correction_needs_two(record, "unknown")


@pytest.mark.parametrize(
    ("day", "takes_two"), [(date(2026, 10, 20), True), (date(2026, 10, 21), True), (date(2026, 10, 22), False)]
)
def test_a_decision_takes_two_until_the_day_of_the_cut_off(club: Office, day: date, *, takes_two: bool) -> None:
    assert needs_two(club, ruling_wish(floor(day))) is takes_two


def test_a_rating_by_hand_always_takes_two(club: Office) -> None:
    adjust = floor(date(2026, 11, 15), DecisionKind.ADJUST)
    assert needs_two(club, ruling_wish(adjust))
    act = decide(club, AUTHOR, adjust)
    assert needs_two(club, ruling_wish(Ruling(DecisionKind.REVOKE, details={"act": act})))
    assert not needs_two(club, ruling_wish(Ruling(DecisionKind.REVOKE, details={"act": 999})))


def test_a_decision_about_an_old_match_takes_two(club: Office) -> None:
    waived = Ruling(DecisionKind.WAIVE_MATCH, effective=date(2026, 11, 15), event_id="early", section=1)
    assert needs_two(club, ruling_wish(waived))
    assert not needs_two(club, ruling_wish(waived._replace(event_id="late")))


def test_without_a_list_only_ratings_by_hand_and_lists_take_two(new_office: CopyOf) -> None:
    office = new_office()
    join(office, *club_members())
    enter(office, quad("early", EARLY))
    run(office)
    assert not needs_two(office, asked_for(office, "early"))
    assert not needs_two(office, withdrawal("early"))
    assert not needs_two(office, ruling_wish(floor(date(2026, 7, 1))))
    assert needs_two(office, publication("2026-12"))
    assert needs_two(office, ruling_wish(floor(date(2026, 11, 15), DecisionKind.ADJUST)))


def test_a_proposal_changes_nothing_until_somebody_else_approves(club: Office) -> None:
    before = posted(club)
    wish = asked_for(club, "early")
    number = propose(club, ANNA, wish)
    assert (one(club).state, one(club).proposed_by, one(club).wish) == (ProposalState.OPEN, "anna", wish)
    assert run(club) is None
    assert posted(club) == before
    with pytest.raises(OfficeError, match="somebody else has to approve"):
        approve(club, Proven("anna", "password"), number)
    act = approve(club, BORIS, number)
    assert (one(club).state, one(club).settled_by, one(club).act) == (ProposalState.DONE, "boris", act)
    with club.reading() as connection:
        made = act_of(connection, act)
    assert made is not None
    assert (made.kind.value, made.actor, made.reason) == ("confirm", "anna", "the director wrote")
    assert (made.approved_by, made.author) == ("boris", "anna, approved by boris")
    assert run(club) is not None
    assert posted(club) != before
    assert proposals(club, is_open=True) == []


def test_a_proposal_is_approved_once(club: Office) -> None:
    number = propose(club, ANNA, withdrawal("early"))
    approve(club, BORIS, number)
    with pytest.raises(OfficeError, match="no open proposal 1"):
        approve(club, Proven("clara", "password"), number)
    with pytest.raises(OfficeError, match="no open proposal 1"):
        refuse(club, "clara", number)
    with pytest.raises(OfficeError, match="no open proposal 7"):
        approve(club, BORIS, 7)


def test_a_proposal_can_be_refused_and_needs_a_reason(club: Office) -> None:
    with pytest.raises(OfficeError, match="needs a reason"):
        propose(club, Author("anna", ""), withdrawal("early"))
    first = propose(club, ANNA, withdrawal("early"))
    with pytest.raises(OfficeError, match=f"proposed already: proposal {first}, by anna"):
        propose(club, Author("boris", "again"), withdrawal("early"))
    refuse(club, "boris", first)
    second = propose(club, ANNA, withdrawal("early"))
    refuse(club, "anna", second)  # her own, taken back
    assert [one.state for one in proposals(club)] == [ProposalState.REFUSED] * 2
    assert [one.number for one in proposals(club)] == [second, first]


def test_what_the_office_refuses_stays_open(club: Office, clock: HandClock) -> None:
    number = propose(club, ANNA, publication("2026-11"))
    with pytest.raises(OfficeError, match="is published"):
        approve(club, BORIS, number)
    assert (one(club).state, one(club).settled_by) == (ProposalState.OPEN, None)
    refuse(club, "boris", number)
    assert one(club).settled_at == clock.now


def test_whatever_goes_wrong_a_proposal_stays_open(club: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object) -> int:
        raise ZeroDivisionError

    number = propose(club, ANNA, withdrawal("early"))
    monkeypatch.setattr("crosstable.office.proposals.withdraw", broken)
    with pytest.raises(ZeroDivisionError):
        approve(club, BORIS, number)
    assert (one(club).state, one(club).settled_by) == (ProposalState.OPEN, None)


@pytest.mark.parametrize(
    "wish",
    [
        ruling_wish(Ruling(DecisionKind.LIFE_MASTER, member_id(1), effective=date(1990, 1, 1))),
        ruling_wish(floor(date(2027, 11, 17))),
        ruling_wish(floor(date(1, 1, 1), DecisionKind.ADJUST)),
        fact_wish(member_id(1), "birth-date=2026-11-16"),
    ],
)
def test_what_the_office_would_refuse_is_not_proposed(club: Office, wish: ProposedAction) -> None:
    with pytest.raises(OfficeError):
        propose(club, ANNA, wish)
    assert proposals(club) == []


def test_what_was_proposed_is_what_is_approved(club: Office) -> None:
    """Another version is asked for after the proposal: the second person would approve what the first never saw."""
    number = propose(club, ANNA, asked_for(club, "early"))
    change = ChangedResult(1, 1, 1, "D2")
    correct_result(club, AUTHOR, "early", change, date(2026, 11, 15), is_request=True)
    with pytest.raises(OfficeError, match="no longer what was proposed"):
        approve(club, BORIS, number)


def test_a_wish_for_nothing_is_refused(club: Office) -> None:
    with club.reading() as connection, pytest.raises(OfficeError, match="nothing of event late waits"):
        confirmation(record_of(connection), "late")


def test_a_held_section_with_errors_is_not_accepted_by_two_either(club: Office) -> None:
    """Member 77 is not known, so the section is held; the second person is told why it cannot be accepted."""
    held = send(club, quad("held", LATE, QUAD.replace("1 |", "1 =77 |")))
    assert held.held
    with club.reading() as connection:
        wish = confirmation(record_of(connection), "held", (1,))
    number = propose(club, ANNA, wish)
    with pytest.raises(OfficeError, match=r"event held cannot be accepted as it is: .*Nobody here has the id"):
        approve(club, BORIS, number)


def test_every_kind_of_proposal_is_carried_out(club: Office) -> None:
    join(club, [person(9)])
    wishes = [
        asked_for(club, "late"),
        withdrawal("early", (1,)),
        merging(member_id(9), member_id(8)),
        fact_wish(member_id(1), "birth-date=2014-02-03"),
        ruling_wish(floor(date(2026, 11, 1), DecisionKind.ADJUST)),
        publication("2026-12", Basis.NOW, anyway=True),
    ]
    for wish in wishes:
        assert wish.summary.isprintable()
        approve(club, BORIS, propose(club, ANNA, wish))
    acts = [found.act or 0 for found in proposals(club)]
    with club.reading() as connection:
        kinds = [made.kind.value for act in reversed(acts) if (made := act_of(connection, act))]
    assert kinds == ["confirm", "withdraw", "merge", "members", "decide", "publish"]
