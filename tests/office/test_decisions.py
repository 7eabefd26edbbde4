"""Decisions: floors, ceilings, titles, match floors, adjustments, opting in; each with its reason, each revocable."""

from datetime import date, timedelta
from typing import Any

import pytest

from crosstable.errors import OfficeError
from crosstable.office.corrections import correct_by_file, withdraw
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide, set_fact
from crosstable.office.ledger.facts import Decision, DecisionKind
from crosstable.office.ledger.journal import Author, EntryKind, head
from crosstable.office.members import merge_members, unmerge_members
from crosstable.office.views import member_view
from crosstable.terms import FloorKind, RatingSystem, SectionType
from tests.engine.wallcharts import Played
from tests.office.claims import Claims, last_of
from tests.office.conftest import CopyOf
from tests.office.made_office import (
    AUTHOR,
    NOW,
    OPENED,
    OTBR,
    club_members,
    document,
    enter,
    join,
    member_id,
    opening,
    person,
    posted,
    quad,
    rating_of,
    record_of,
    report,
    run,
    section,
)

SPRING, SUMMER, AUTUMN = date(2026, 3, 1), date(2026, 7, 4), date(2026, 9, 1)
LOST_BY_2 = "1 | W2 D3 W4\n2 | L1 L3 L4\n3 | D1 W2 D4\n4 | L1 W2 D3"
MATCH = Played(start=SUMMER, kind=SectionType.MATCH)


@pytest.fixture
def rated(copy_of: CopyOf) -> Office:
    return copy_of(two_quads)


def two_quads(office: Office) -> None:
    """Member 2 (1400) loses three games in July 2026, and three more in September."""
    join(office, *club_members())
    for day, event_id in ((SUMMER, "july"), (AUTUMN, "september")):
        enter(office, quad(event_id, Played(start=day), LOST_BY_2))
    run(office)


def about(kind: DecisionKind, value: float | None = None, effective: date = SPRING, **more: Any) -> Ruling:
    return Ruling(kind, member_id(2), OTBR, effective, value)._replace(**more)


def decided(office: Office, act: int) -> Decision:
    with office.reading() as connection:
        found = record_of(connection).decision(act)
    assert found is not None
    return found


def chain(office: Office) -> list[float]:
    """Member 2's ratings after July and after September."""
    found = {one.event_id: one.rating_after or 0.0 for one in posted(office).values() if one.member_id == member_id(2)}
    return [found["july"], found["september"]]


PRIZE = {"prize": 4000.0, "limit": 2000.0}


@pytest.mark.parametrize(
    ("ruling", "why"),
    [
        (about(DecisionKind.LIFE_MASTER, effective=date(1990, 1, 1)), "life-master: "),  # older than the oldest rules
        (about(DecisionKind.MONEY_FLOOR, effective=date(1990, 1, 1), details=PRIZE), "money-floor: "),
        (about(DecisionKind.MONEY_FLOOR, effective=date.max, details=PRIZE), "no day from which it could hold"),
        (about(DecisionKind.FLOOR, 1390.0, date.min), "no day from which it could hold"),
        (about(DecisionKind.FLOOR, 1390.0, NOW.date() + timedelta(days=367)), "no day from which it could hold"),
    ],
)
def test_a_decision_holds_from_a_day_that_can_be_meant(rated: Office, ruling: Ruling, why: str) -> None:
    with pytest.raises(OfficeError, match=why):
        decide(rated, AUTHOR, ruling)
    assert decide(rated, AUTHOR, about(DecisionKind.FLOOR, 1390.0, NOW.date() + timedelta(days=366)))


@pytest.mark.parametrize("born", [date.min, date(1849, 12, 31), NOW.date() + timedelta(days=1), date.max])
def test_nobody_is_born_tomorrow_or_in_antiquity(rated: Office, born: date) -> None:
    with pytest.raises(OfficeError, match="could be born"):
        set_fact(rated, AUTHOR, member_id(2), {"birth_date": born})
    assert set_fact(rated, AUTHOR, member_id(2), {"birth_date": NOW.date()})


def test_a_decision_is_an_act_with_its_reason(rated: Office) -> None:
    act = decide(rated, Author("director", "prize of the open"), about(DecisionKind.FLOOR, 1390.0))
    with rated.reading() as connection:
        last = head(connection)
    assert last is not None
    assert (last.seq, last.kind, last.actor, last.reason) == (act, EntryKind.DECIDE, "director", "prize of the open")
    assert (last.subject, last.after["value"]) == (member_id(2), 1390.0)
    with pytest.raises(OfficeError, match="needs a reason"):
        decide(rated, Author("director", ""), about(DecisionKind.FLOOR, 1390.0))


@pytest.mark.parametrize(
    ("ruling", "ratings"),
    [
        (about(DecisionKind.FLOOR, 1390.0), (1390.0, 1390.0)),
        (about(DecisionKind.FLOOR, 1350.0, SUMMER), (1350.0, 1350.0)),
        (about(DecisionKind.CEILING, 1200.0), (1200.0, None)),
        (about(DecisionKind.CEILING, 1200.0, AUTUMN), (None, 1200.0)),
    ],
)
def test_floors_and_ceilings_hold_from_their_day_on(
    rated: Office, ruling: Ruling, ratings: tuple[float | None, ...]
) -> None:
    """None: as without the decision, or as the engine then gives it, which the fold checks."""
    decide(rated, AUTHOR, ruling)
    run(rated)
    for found, wanted in zip(chain(rated), ratings, strict=True):
        assert wanted is None or found == wanted
    Claims(rated).after_a_run()


def test_a_money_floor_stands_from_the_day_after_the_event_it_was_won_in(rated: Office) -> None:
    """§5: 4000 or more (since 2013), the class limit of the section, at most 2000; readings 67, 68."""
    won = about(DecisionKind.MONEY_FLOOR, event_id="july", details={"prize": 4000, "limit": 1400})
    found = decided(rated, decide(rated, AUTHOR, won))
    assert (found.value, found.effective, found.system) == (1400.0, date(2026, 7, 5), OTBR)
    assert found.floor is not None
    assert found.floor.kind is FloorKind.MONEY
    before = chain(rated)
    run(rated)
    assert chain(rated) == [before[0], 1400.0]
    by_day = won._replace(event_id="", effective=date(2026, 1, 10), system=None)
    assert decided(rated, decide(rated, AUTHOR, by_day)).effective == date(2026, 1, 11)
    run(rated)
    assert chain(rated) == [1400.0, 1400.0]
    Claims(rated).after_a_run()


def test_a_title_sets_a_regular_floor_of_2200(office: Office) -> None:
    join(office, [person(1), person(2)], [opening(1, 2205.0, peak=2205.0), opening(2, 2205.0)])
    join(office, [person(3)], [opening(3, 2205.0)])
    enter(office, report("q", section("1 | L2 L3 D2\n2 | W1 U D1\n3 | U W1 U", Played(start=SUMMER))))
    decide(office, AUTHOR, Ruling(DecisionKind.LIFE_MASTER, member_id(1), effective=SPRING))
    run(office)
    found = last_of(posted(office).values())[member_id(1), OTBR]
    assert (found.rating_after, found.floor_kind) == (2200.0, FloorKind.LIFE_MASTER)


def test_a_rating_is_adjusted_with_or_without_its_games(rated: Office) -> None:
    first = decide(rated, AUTHOR, about(DecisionKind.ADJUST, 1500.0))
    run(rated)
    found = next(one for one in posted(rated).values() if one.section == first)
    assert (found.rating_before, found.rating_after, found.games_after) == (1400.0, 1500.0, 40.0)
    second = decide(rated, AUTHOR, about(DecisionKind.ADJUST, 1510.0, SPRING, details={"games": 8}))
    new = decide(rated, AUTHOR, about(DecisionKind.ADJUST, 700.0, system=RatingSystem.OLB))
    run(rated)
    by_act = {one.section: one for one in posted(rated).values()}
    assert (by_act[second].rating_before, by_act[second].games_after) == (1500.0, 8.0)
    assert (by_act[new].rating_before, by_act[new].rating_after, by_act[new].games_after) == (None, 700.0, None)
    Claims(rated).after_a_run()


def test_a_lowered_floor_lets_a_rating_fall_further(office: Office) -> None:
    """§7, item 4: peak 1700 gives a floor of 1500; lowered to 1400 the rating falls through it."""
    join(office, [person(number) for number in (1, 2, 3, 4)], [opening(number, 1500.0) for number in (1, 3, 4)])
    join(office, [], [opening(2, 1505.0, peak=1700.0)])
    enter(office, quad("july", Played(start=SUMMER), LOST_BY_2))
    run(office)
    assert rating_of(office, 2) == 1500.0
    act = decide(office, AUTHOR, about(DecisionKind.LOWER_FLOOR, 1400.0))
    decide(office, AUTHOR, about(DecisionKind.LOWER_FLOOR, 1400.0, system=RatingSystem.OTBQ))  # no rating: no effect
    run(office)
    assert 1400.0 < rating_of(office, 2) < 1500.0
    with office.reading() as connection:
        (system,) = member_view(connection, member_id(2)).systems
    floors = {one.origin: one for one in system.floors}
    assert floors[FloorKind.PEAK] == (FloorKind.PEAK, 1400.0, 1500.0, OPENED, None, act)
    assert (floors[FloorKind.ABSOLUTE].level, floors[FloorKind.PERSONAL].level) == (100.0, 150.0)  # 13 wins are 52
    Claims(office).after_a_run()


def test_lowering_acts_on_the_floors_that_are_there_and_on_no_later_ones(office: Office) -> None:
    """§7, item 4, readings 71: a prize's floor of 1500 is lowered for good; the next prize's holds in full."""
    join(office, [person(number) for number in (1, 2, 3, 4)], [opening(number, 1500.0) for number in (1, 3, 4)])
    join(office, [], [opening(2, 1505.0)])
    won = {"prize": 4000, "limit": 1500}
    decide(office, AUTHOR, about(DecisionKind.MONEY_FLOOR, details=won, effective=date(2026, 1, 10)))
    enter(office, quad("july", Played(start=SUMMER), LOST_BY_2))
    run(office)
    assert rating_of(office, 2) == 1500.0
    decide(office, AUTHOR, about(DecisionKind.LOWER_FLOOR, 1400.0))
    run(office)
    assert 1400.0 < rating_of(office, 2) < 1500.0
    Claims(office).after_a_run()
    enter(office, quad("august", Played(start=date(2026, 8, 1)), LOST_BY_2))  # a run that begins after the decision
    run(office)
    assert rating_of(office, 2) < 1500.0
    decide(office, AUTHOR, about(DecisionKind.MONEY_FLOOR, details=won, effective=date(2026, 9, 1)))
    enter(office, quad("october", Played(start=date(2026, 10, 3)), LOST_BY_2))
    run(office)
    assert rating_of(office, 2) == 1500.0
    Claims(office).after_a_run()


@pytest.fixture
def asked(office: Office) -> Office:
    """A match that takes member 2 to the floor of 1500, which asks for one of 1400 (§7, item 4; readings 76)."""
    join(office, [person(1), person(2)], [opening(1, 1500.0), opening(2, 1505.0, peak=1700.0)])
    run(office)
    enter(office, report("m", section("1 | W2 W2 W2\n2 | L1 L1 L1", MATCH)))
    run(office)
    return office


def test_a_match_floor_that_is_granted_lowers_the_floor_of_that_match(asked: Office) -> None:
    assert rating_of(asked, 2) == 1500.0
    granted = decide(asked, AUTHOR, Ruling(DecisionKind.GRANT_MATCH_FLOOR, member_id(2), event_id="m", section=1))
    assert decided(asked, granted).value == 1400.0
    run(asked)
    assert rating_of(asked, 2) == 1455.0  # 1505 less the 50 that a match may take
    Claims(asked).after_a_run()
    decide(asked, AUTHOR, Ruling(DecisionKind.REVOKE, details={"act": granted}))
    run(asked)
    assert rating_of(asked, 2) == 1500.0
    Claims(asked).after_a_run()


def test_a_match_floor_that_is_refused_changes_nothing(asked: Office) -> None:
    decide(asked, AUTHOR, Ruling(DecisionKind.REFUSE_MATCH_FLOOR, member_id(2), event_id="m", section=1))
    assert run(asked) is None


def test_only_what_a_match_asked_for_is_granted(asked: Office) -> None:
    for ruling, why in (
        (Ruling(DecisionKind.GRANT_MATCH_FLOOR, member_id(1), event_id="m", section=1), "asks for no lower floor"),
        (Ruling(DecisionKind.GRANT_MATCH_FLOOR, member_id(2), event_id="m", section=2), "there is no section 2"),
        (Ruling(DecisionKind.GRANT_MATCH_FLOOR, member_id(2), event_id="m"), "there is no section None"),
    ):
        with pytest.raises(OfficeError, match=why):
            decide(asked, AUTHOR, ruling)


def test_a_dual_match_may_ask_for_two_floors(office: Office) -> None:
    openings = [
        opening(number, rating, peak=1700.0, system=system)
        for system in (OTBR, RatingSystem.OTBQ)
        for number, rating in ((1, 1500.0), (2, 1505.0))
    ]
    join(office, [person(1), person(2)], openings)
    run(office)
    enter(office, report("m", section("1 | W2 W2 W2\n2 | L1 L1 L1", MATCH._replace(control="G/45;d5"))))
    run(office)
    both = Ruling(DecisionKind.GRANT_MATCH_FLOOR, member_id(2), event_id="m", section=1)
    with pytest.raises(OfficeError, match="more than one lower floor of member 10000002; say for which system"):
        decide(office, AUTHOR, both)
    decide(office, AUTHOR, both._replace(system=RatingSystem.OTBQ))
    run(office)
    assert [rating_of(office, 2, system) for system in (OTBR, RatingSystem.OTBQ)] == [1500.0, 1455.0]
    Claims(office).after_a_run()


LACKING = (
    (Ruling(DecisionKind.FLOOR, "", OTBR, None, 1200.0), r"member \(none given\) is not known"),
    (Ruling(DecisionKind.FLOOR, "99", OTBR, None, 1200.0), "member 99 is not known"),
    (about(DecisionKind.FLOOR, 1200.0, system=None), "say for which system"),
    (about(DecisionKind.FLOOR), "give a level between 100 and 4000"),
    (about(DecisionKind.CEILING, 99.0), "give a level between 100 and 4000"),
    (about(DecisionKind.ADJUST, 4001.0), "give a level between 100 and 4000"),
    (about(DecisionKind.MONEY_FLOOR), "give the prize and the rating limit"),
    (about(DecisionKind.MONEY_FLOOR, details={"prize": 3999, "limit": 1400}), "sets no floor"),
    (about(DecisionKind.MONEY_FLOOR, details={"prize": 9000, "limit": 2001}), "sets no floor"),
    (about(DecisionKind.MONEY_FLOOR, event_id="x", details={"prize": 9000, "limit": 1400}), "there is no event x"),
    (Ruling(DecisionKind.WAIVE_MATCH, event_id="x", section=1), "there is no section 1 in event x"),
    (Ruling(DecisionKind.REVOKE), "act None is no decision"),
    (Ruling(DecisionKind.REVOKE, details={"act": 1}), "act 1 is no decision"),
)


def test_a_decision_that_lacks_something_says_what(office: Office) -> None:
    join(office, *club_members())
    for ruling, why in LACKING:
        with pytest.raises(OfficeError, match=why):
            decide(office, AUTHOR, ruling)


def test_a_decision_is_revoked_once_and_a_revocation_never(rated: Office) -> None:
    before = chain(rated)
    act = decide(rated, AUTHOR, about(DecisionKind.ADJUST, 1900.0))
    run(rated)
    revoked = decide(rated, AUTHOR, Ruling(DecisionKind.REVOKE, details={"act": act}))
    run(rated)
    assert chain(rated) == before
    with pytest.raises(OfficeError, match=f"act {act} is revoked already"):
        decide(rated, AUTHOR, Ruling(DecisionKind.REVOKE, details={"act": act}))
    with pytest.raises(OfficeError, match="cannot be revoked"):
        decide(rated, AUTHOR, Ruling(DecisionKind.REVOKE, details={"act": revoked}))
    Claims(rated).after_a_run()


def test_a_withdrawn_match_is_not_waived(asked: Office) -> None:
    withdraw(asked, AUTHOR, "m")
    with pytest.raises(OfficeError, match="is withdrawn"):
        decide(asked, AUTHOR, Ruling(DecisionKind.WAIVE_MATCH, event_id="m", section=1))


def test_a_decision_follows_its_member_through_a_merge(rated: Office) -> None:
    decide(rated, AUTHOR, about(DecisionKind.FLOOR, 1390.0))
    merge_members(rated, AUTHOR, member_id(2), member_id(6))
    run(rated)
    assert last_of(posted(rated).values())[member_id(6), OTBR].floor_kind is None  # 1800 is far above the floor
    merge_members(rated, AUTHOR, member_id(6), member_id(8))
    run(rated)
    Claims(rated).after_a_run()


def test_a_floor_that_came_with_a_merge_goes_with_its_undoing(rated: Office) -> None:
    """The member who keeps their id has played as before; only what was decided about the other one is gone."""
    before = chain(rated)
    decide(rated, AUTHOR, about(DecisionKind.FLOOR, 1390.0, member_id=member_id(8)))
    merge_members(rated, AUTHOR, member_id(8), member_id(2))
    run(rated)
    assert chain(rated) == [1390.0, 1390.0]
    unmerge_members(rated, AUTHOR, member_id(8))
    run(rated)
    assert chain(rated) == before
    Claims(rated).after_a_run()


def test_a_granted_floor_follows_its_match_to_another_day(asked: Office) -> None:
    granted = decide(asked, AUTHOR, Ruling(DecisionKind.GRANT_MATCH_FLOOR, member_id(2), event_id="m", section=1))
    earlier = report("m", section("1 | W2 W2 W2\n2 | L1 L1 L1", MATCH._replace(start=date(2026, 5, 1))))
    assert correct_by_file(asked, AUTHOR, "m", document(earlier), NOW.date()).is_stored
    run(asked)
    assert rating_of(asked, 2) == 1455.0
    decide(asked, AUTHOR, Ruling(DecisionKind.REVOKE, details={"act": granted}))
    run(asked)
    assert rating_of(asked, 2) == 1500.0
    Claims(asked).after_a_run()


def test_opting_in_and_out_is_a_word_that_stands_until_the_next(office: Office) -> None:
    """The last word by the start of the event counts (§6)."""
    join(office, *club_members())
    run(office)
    for day, kind in ((SPRING, DecisionKind.OPT_IN), (AUTUMN, DecisionKind.OPT_OUT)):
        decide(office, AUTHOR, Ruling(kind, member_id(2), effective=day))
    abroad = Played(start=SUMMER, kind=SectionType.FOREIGN_FIDE, control="G/90;+30")
    enter(office, report("a", section("1 =2 | W2\n2 =5 | L1 | fide=1700\n3 =6 | H | rate opt fide=1900", abroad)))
    run(office)
    assert not [one for one in posted(office) if one.event_id == "a"]  # nobody who played was marked to be rated
    marked = section("1 =2 | W2 | rate\n2 =5 | L1 | fide=1700", abroad)
    enter(office, report("b", marked))
    late = abroad._replace(start=date(2026, 10, 1))
    enter(office, report("c", section("1 =2 | W2 | rate opt\n2 =5 | L1 | fide=1700", late)))
    run(office)
    assert {one.event_id for one in posted(office) if not one.event_id.startswith("@")} == {"b", "c"}
    Claims(office).after_a_run()
