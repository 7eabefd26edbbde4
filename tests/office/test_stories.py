"""Stories that once went wrong, shrunk to what is needed; each runs on both stores.

Wherever ratings are concerned the oracle is the fold from zero (``Claims``).
"""

from datetime import date

import pytest

from crosstable.errors import OfficeError
from crosstable.office.corrections import ChangedResult, correct_by_file, correct_result
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide, set_fact
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.members import NewStartingRating, import_members, merge_members
from crosstable.terms import Floor, FloorKind, PlayerRating, SectionType
from tests.engine.wallcharts import Played
from tests.office.claims import Claims
from tests.office.made_office import (
    AUTHOR,
    NOW,
    OTBR,
    QUAD,
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
    report,
    run,
    section,
    send,
    standing,
)

TODAY = NOW.date()
OTHER_QUAD = QUAD.replace("W2 D3 W4", "L2 D3 W4").replace("L1 L4 L3", "W1 L4 L3")


def test_the_first_file_may_be_right_after_all(office: Office) -> None:
    """The same file cannot be kept twice; the correction back to it failed on that."""
    join(office, *club_members())
    first = quad("q")
    enter(office, first)
    run(office)
    before = posted(office)
    assert correct_by_file(office, AUTHOR, "q", document(quad("q", wallchart=OTHER_QUAD)), TODAY).is_stored
    run(office)
    assert posted(office) != before
    assert correct_by_file(office, AUTHOR, "q", document(first), TODAY).is_stored
    run(office)
    assert posted(office) == before
    Claims(office).after_everything()


def test_a_rating_adjusted_with_a_whole_number_of_games_keeps_the_state_the_sum(office: Office) -> None:
    """30 games went into the fingerprint, 30.0 came back from the database."""
    join(office, *club_members(2))
    ruling = Ruling(DecisionKind.ADJUST, member_id(1), OTBR, date(2024, 5, 1), 1450.0, details={"games": 30})
    decide(office, AUTHOR, ruling)
    run(office)
    Claims(office).after_everything()


def test_a_fact_about_the_id_that_others_were_merged_into_is_rated(office: Office) -> None:
    """The id itself had never played, so the birth date was taken for one that no rating rests on."""
    join(office, *club_members(12))
    enter(office, quad("q"))
    run(office)
    merge_members(office, AUTHOR, member_id(4), member_id(12))
    run(office)
    before = rating_of(office, 12)
    set_fact(office, AUTHOR, member_id(12), {"birth_date": date(2010, 1, 1)})
    run(office)
    assert rating_of(office, 12) != before
    Claims(office).after_everything()


def test_the_floor_of_an_opening_ends_with_the_opening_that_is_replaced(office: Office) -> None:
    """The decision gives the same rating on the same games, so the first event after it stayed as it was."""
    join(office, [person(number) for number in (1, 2, 3, 4)], [opening(number, 1500.0, 50.0) for number in (2, 3, 4)])
    adjusted = Ruling(DecisionKind.ADJUST, member_id(1), OTBR, date(2024, 1, 1), 1500.0, details={"games": 30})
    decide(office, AUTHOR, adjusted)
    brought = PlayerRating(1500.0, 30.0, as_of=date(2024, 2, 1), floors=(Floor(FloorKind.OFFICE, 1480.0),))
    import_members(office, AUTHOR, [], [NewStartingRating(member_id(1), OTBR, brought, "an older list")])
    won = "1 | W2 D3 D4\n2 | L1 D3 D4\n3 | D1 D2 D4\n4 | D1 D2 D3"
    lost = "1 | L2 L3 L4\n2 | W1 D3 D4\n3 | W1 D2 D4\n4 | W1 D2 D3"
    enter(office, quad("a", Played(start=date(2024, 3, 1)), won), quad("b", Played(start=date(2024, 4, 1)), lost))
    run(office)
    assert rating_of(office, 1) == 1480.0
    later = brought._replace(as_of=date(2024, 6, 1))
    import_members(office, AUTHOR, [], [NewStartingRating(member_id(1), OTBR, later, "an older list")])
    run(office)
    Claims(office).after_everything()


def test_ceilings_of_merged_openings_count_in_the_order_of_their_days(office: Office) -> None:
    """The order in which a database returned them decided."""
    join(office, [person(number) for number in range(1, 6)])
    for number, day, ceiling in ((2, date(2024, 2, 1), 1600.0), (1, date(2024, 1, 1), 1500.0)):
        import_members(office, AUTHOR, [], [opening(number, 1590.0, ceiling=ceiling, as_of=day)])
    import_members(office, AUTHOR, [], [opening(number, 1800.0) for number in (3, 4, 5)])
    merge_members(office, AUTHOR, member_id(2), member_id(1))
    enter(office, quad("q", wallchart="1 =1 | W2 W3 W4\n2 =3 | L1 D3 D4\n3 =4 | L1 D2 D4\n4 =5 | L1 D2 D3"))
    run(office)
    assert rating_of(office, 1) == 1600.0
    Claims(office).after_everything()


def test_nobody_plays_himself_under_two_ids_that_are_one(office: Office) -> None:
    join(office, *club_members())
    merge_members(office, AUTHOR, member_id(4), member_id(8))
    done = send(office, quad("q", wallchart="1 =4 | W2 D3 W4\n2 =8 | L1 L4 L3\n3 =2 | L4 D1 W2\n4 =1 | W3 W2 L1"))
    assert [held.number for held in done.held] == [1]
    assert "plays-self" in {fault.code for fault in done.faults}


@pytest.mark.parametrize(("kind", "why"), [(SectionType.SWISS, "is no match"), (SectionType.MATCH, "more than")])
def test_a_waiver_waives_nothing_but_the_conditions_of_a_match(office: Office, kind: SectionType, why: str) -> None:
    """A section held because nobody knew a player was accepted with the waiver."""
    join(office, *club_members())
    stranger = section("1 =99 | W2 W2\n2 =5 | L1 L1", Played(kind=kind))
    assert send(office, report("m", stranger)).held
    with pytest.raises(OfficeError, match=why):
        decide(office, AUTHOR, Ruling(DecisionKind.WAIVE_MATCH, event_id="m", section=1))


def test_a_section_that_is_held_keeps_nobody_from_correcting_another(office: Office) -> None:
    join(office, *club_members())
    unknown = section("1 =99 | W2\n2 =5 | L1", number=2)
    assert [held.number for held in send(office, report("q", section(QUAD), unknown)).held] == [2]
    assert correct_result(office, AUTHOR, "q", ChangedResult(1, 1, 1, "L2"), TODAY).is_stored
    wrong = correct_result(office, AUTHOR, "q", ChangedResult(2, 1, 1, "D2"), TODAY)
    assert not wrong.is_stored
    assert "member-not-known" in {fault.code for fault in wrong.faults}


def test_nobody_opens_a_standing_who_is_not_known(office: Office) -> None:
    with pytest.raises(OfficeError, match="10000009 is not known"):
        import_members(office, AUTHOR, [person(8)], [opening(8, 1500.0), opening(9, 1500.0)])
    given = NewStartingRating(member_id(9), OTBR, standing(1500.0), "an older list")
    assert import_members(office, AUTHOR, [person(9)], [given]).openings == 1
