"""Questions to an office, answered as known now and as known on a past day."""

import math
from datetime import UTC, date, datetime

import pytest

from crosstable.errors import OfficeError
from crosstable.office.corrections import ChangedResult, correct_result, withdraw
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.members import merge_members
from crosstable.office.published import Month
from crosstable.office.status import status
from crosstable.office.supplements import Basis, publish
from crosstable.office.views import history, log, member_view, ripple, section_view
from crosstable.terms import FloorKind, RatingSystem
from tests.engine.wallcharts import Played
from tests.office.conftest import CopyOf
from tests.office.made_office import (
    AUTHOR,
    OTBR,
    HandClock,
    club_members,
    enter,
    join,
    member_id,
    opening,
    posted,
    quad,
    rating_of,
    report,
    run,
    section,
    send,
)

APRIL, JUNE = datetime(2026, 4, 1, 12, tzinfo=UTC), datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def told(copy_of: CopyOf, clock: HandClock) -> Office:
    """An event in March, rated on 1 April, published, corrected and rated again on 1 June."""
    office = copy_of(march)
    clock.now = JUNE
    correct_result(office, AUTHOR, "march", ChangedResult(1, 1, 1, "L2"), JUNE.date())
    run(office)
    return office


def march(office: Office) -> None:
    office.clock = HandClock(APRIL)
    join(office, *club_members())
    enter(office, quad("march", Played(start=date(2026, 3, 1))))
    run(office)
    publish(office, AUTHOR, Month(2026, 5), Basis.NOW)


def test_a_member_is_seen_with_his_standings_floors_and_official_ratings(told: Office) -> None:
    with told.reading() as connection:
        found = member_view(connection, member_id(1))
    (regular,) = found.systems
    assert (found.person.name, found.member_id, found.other_ids) == ("Member, Boris 1", member_id(1), ())
    assert (regular.system, regular.standing.rating) == (OTBR, rating_of(told, 1))
    assert (regular.floor.kind, regular.floor.level) == (FloorKind.PERSONAL, 150.0)
    assert regular.official is not None
    assert (regular.official.month, regular.official.games, regular.official.is_provisional) == ("2026-05", 43.0, False)
    assert regular.official.rating != round(regular.standing.rating)  # the list came before the correction


def test_a_member_can_be_seen_as_he_was_known_on_a_day(told: Office) -> None:
    with told.reading() as connection:
        now = member_view(connection, member_id(1)).systems[0].standing
        then = member_view(connection, member_id(1), date(2026, 5, 31)).systems[0].standing
        at_noon = member_view(connection, member_id(1), APRIL).systems
        for nobody, day in (("99", None), (member_id(1), date(2026, 3, 31))):
            with pytest.raises(OfficeError, match="is not known"):
                member_view(connection, nobody, day)
    assert then.rating > now.rating
    assert at_noon == ()  # members came in at noon; they were rated a moment later


def test_a_member_without_a_list_has_no_official_rating(copy_of: CopyOf) -> None:
    office = copy_of(unpublished)
    with office.reading() as connection:
        assert member_view(connection, member_id(1)).systems[0].official is None
        assert member_view(connection, member_id(4)).systems == ()


def unpublished(office: Office) -> None:
    join(office, *club_members())
    run(office)


def test_a_dual_section_is_two_lines_of_a_history(told: Office) -> None:
    enter(told, quad("dual", Played(start=date(2026, 5, 5), control="G/45;d5")))
    run(told)
    with told.reading() as connection:
        lines = history(connection, member_id(1))
    assert [(line.event_name, line.posting.system.name) for line in lines[-2:]] == [
        ("Event dual", "OTBR"),
        ("Event dual", "OTBQ"),
    ]


def test_a_newcomer_below_four_games_is_on_no_list(told: Office) -> None:
    with told.reading() as connection:
        assert member_view(connection, member_id(4)).systems[0].official is None


def test_a_history_names_every_event_and_decision_in_order(told: Office) -> None:
    decide(told, AUTHOR, Ruling(DecisionKind.ADJUST, member_id(1), OTBR, date(2026, 2, 1), 1310.0))
    run(told)
    with told.reading() as connection:
        lines = history(connection, member_id(1))
        then = history(connection, member_id(1), date(2026, 4, 30))
        with pytest.raises(OfficeError, match="is not known"):
            history(connection, "99")
    assert [line.event_name for line in lines] == ["opening standing", "decision: adjust", "Event march"]
    assert lines[2].section_name == "Section 1"
    assert [line.event_name for line in then] == ["opening standing", "Event march"]
    assert then[1].posting.rating_before == 1300.0


def test_a_merged_member_is_found_under_any_id(told: Office) -> None:
    merge_members(told, AUTHOR, member_id(4), member_id(8))
    run(told)
    with told.reading() as connection:
        assert member_view(connection, member_id(4)).member_id == member_id(8)
        assert member_view(connection, member_id(8)).other_ids == (member_id(4),)
        assert [line.posting.event_id for line in history(connection, member_id(4))] == ["march"]
        lines = ripple(connection, member_id=member_id(4))
    assert {line.member_id for line in lines} == {member_id(4), member_id(8)}


def test_a_section_is_rated_again_as_it_was_posted_then_and_now(told: Office) -> None:
    with told.reading() as connection:
        now = section_view(connection, "march", 1)
        then = section_view(connection, "march", 1, date(2026, 5, 1))
        with pytest.raises(OfficeError, match="event march has no section 2"):
            section_view(connection, "march", 2)
    ratings = {player.member_id: player.after for player in now.rated[0].players}
    for about, one in posted(told).items():
        if about.event_id == "march":
            found = ratings[about.member_id]
            assert found is not None
            assert found.rating == one.rating_after
    assert now.event.name == "Event march"
    assert then.rated[0].players[0].score == 2.5
    assert now.rated[0].players[0].score == 1.5


def test_a_section_that_does_not_stand_is_shown_without_ratings(told: Office) -> None:
    send(told, report("held", section("1 =5 | W2\n2 =77 | L1")))
    withdraw(told, AUTHOR, "march")
    run(told)
    with told.reading() as connection:
        assert section_view(connection, "held", 1).rated == ()
        assert section_view(connection, "march", 1).rated == ()


def test_the_log_tells_acts_by_subject_and_kind(told: Office) -> None:
    with told.reading() as connection:
        kinds = [act.kind.value for act in log(connection)]
        assert kinds == ["founded", "members", "submit", "rate", "publish", "correct", "rate"]
        assert [act.seq for act in log(connection, subject="march")] == [3, 6]
        assert [act.seq for act in log(connection, kinds=["rate", "publish"])] == [4, 5, 7]
        assert [act.seq for act in log(connection, date(2026, 5, 1))] == [1, 2, 3, 4, 5]


def test_a_ripple_shows_the_largest_change_first(told: Office) -> None:
    with told.reading() as connection:
        newest = ripple(connection)
        first = ripple(connection, 4)
        both = ripple(connection, member_id=member_id(1))
        one = ripple(connection, 4, member_id=member_id(1))
    changes = [abs(line.change) for line in newest]
    assert changes == sorted(changes, reverse=True)
    assert {line.name for line in newest} == {
        f"Member, {name}" for name in ("Boris 1", "Clara 2", "Dmitri 3", "Edith 4")
    }
    assert all(math.isnan(line.change) for line in first)
    assert [line.run for line in both] == [4, 7]
    assert [line.causes for line in one] == [(2, 3)]
    assert (one[0].system, one[0].sections) == (RatingSystem.OTBR, (("@10000001", 2), ("march", 1)))


def test_an_office_that_never_rated_has_no_ripple(office: Office) -> None:
    with office.reading() as connection:
        assert ripple(connection) == []


def test_the_status_of_an_office_is_seen_at_a_glance(told: Office) -> None:
    enter(told, quad("may", Played(start=date(2026, 5, 1))))
    found = status(told)
    assert (found.name, found.members, found.events, found.sections) == ("Office", 8, 2, 2)
    assert (found.ratings, found.lists, found.last_run) == (7, ("2026-05",), 7)
    assert [act.kind.value for act in found.pending] == ["submit"]
    assert found.newest.kind.value == "submit"


def test_an_opening_older_than_the_oldest_rules_has_the_floor_of_those(office: Office) -> None:
    """Rules history §1: the system of these documents began in 2001; an office may bring ratings from before."""
    join(office, club_members(2)[0], [opening(1, 1500.0, as_of=date(2000, 12, 31))])
    run(office)
    with office.reading() as connection:
        (system,) = member_view(connection, member_id(1)).systems
    assert system.floor.level == 100.0  # §5 of 2001: the absolute floor; a peak below 1600 earned none then
