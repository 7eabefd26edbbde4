"""Which list is in force on a day, when it was cut off, and who was on it (official facts §3; readings 108, 109)."""

from datetime import UTC, date, datetime

import pytest
from sqlalchemy import event

from crosstable.errors import OfficeError
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.members import merge_members
from crosstable.office.public_index import has_few_postings
from crosstable.office.published import (
    Month,
    Published,
    cut_off,
    cut_off_day,
    list_in_force,
    month_of,
    published_before,
)
from crosstable.office.supplements import Basis, publish, published_rows, supplements
from crosstable.terms import RatingSystem
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
    quad,
    record_of,
    run,
)


def test_a_month_is_written_one_way() -> None:
    assert (month_of("2026-12"), str(Month(2026, 2))) == (Month(2026, 12), "2026-02")
    for wrong in ("2026-13", "2026-0", "12-2026", "2026-00", "now"):
        with pytest.raises(OfficeError, match="write it as 2026-12"):
            month_of(wrong)


@pytest.mark.parametrize(
    ("month", "day"),
    [
        # the third Wednesday of the month before, by the calendar
        (Month(2026, 12), date(2026, 11, 18)),
        (Month(2026, 7), date(2026, 6, 17)),
        (Month(2026, 1), date(2025, 12, 17)),
        (Month(2025, 11), date(2025, 10, 15)),
    ],
)
def test_a_list_is_cut_off_on_the_third_wednesday_before_it(month: Month, day: date) -> None:
    assert cut_off_day(month) == day


def test_a_cut_off_is_a_quarter_to_midnight_in_central_time() -> None:
    assert cut_off(Month(2026, 12)) == datetime(2026, 11, 19, 5, 45, tzinfo=UTC)  # UTC-6 in winter
    assert cut_off(Month(2026, 7)) == datetime(2026, 6, 18, 4, 45, tzinfo=UTC)  # UTC-5 in summer


@pytest.mark.parametrize("month", [Month(2000, 12), Month(2002, 4)])
def test_where_no_document_says_when_there_is_no_cut_off(month: Month) -> None:
    with pytest.raises(OfficeError, match=f"the cut-off of the list of {month} is not known"):
        cut_off(month)


@pytest.mark.parametrize(
    ("day", "month"),
    [
        (date(2026, 7, 4), Month(2026, 7)),
        # every other month before 2007, the even ones
        (date(2005, 4, 30), Month(2005, 4)),
        (date(2005, 5, 1), Month(2005, 4)),
        (date(2005, 1, 15), Month(2004, 12)),
    ],
)
def test_the_list_of_a_day(day: date, month: Month) -> None:
    assert list_in_force(day) == month


@pytest.fixture
def played(copy_of: CopyOf) -> Office:
    return copy_of(june_and_july)


def june_and_july(office: Office) -> None:
    """A quad before the cut-off of July's list, one after it."""
    join(office, *club_members())
    enter(office, quad("june", Played(start=date(2026, 6, 17))), quad("later", Played(start=date(2026, 6, 18))))
    run(office)


def on_list(office: Office, number: int, day: date, system: RatingSystem = OTBR) -> float | None:
    with office.reading() as connection:
        return published_before(record_of(connection), member_id(number), system, day)


def test_without_a_list_the_rating_of_its_cut_off_stands_for_it(played: Office) -> None:
    """Rounded half up; a rating on fewer than four games is not published."""
    with played.reading() as connection:
        record = record_of(connection)
        assert published_before(record, member_id(1), OTBR, date(2026, 6, 30)) == 1300.0
    assert on_list(played, 1, date(2026, 7, 1)) == 1429.0  # 1428.64 after the first quad
    august = on_list(played, 1, date(2026, 8, 1))
    assert august is not None
    assert august > 1429.0
    assert on_list(played, 4, date(2026, 7, 1)) is None  # three games
    assert on_list(played, 4, date(2026, 8, 1)) is not None  # six
    assert on_list(played, 1, date(2026, 7, 1), RatingSystem.OTBQ) is None


def test_a_list_that_was_published_is_what_counts(played: Office, clock: HandClock) -> None:
    clock.now = datetime(2026, 11, 15, tzinfo=UTC)
    publish(played, AUTHOR, Month(2026, 7), Basis.NOW)
    with played.reading() as connection:
        rows = {row.member_id: row.rating for row in published_rows(connection, "2026-07")}
        earlier = record_of(connection).through - 1
    assert on_list(played, 1, date(2026, 7, 1)) == rows[member_id(1)]
    assert rows[member_id(1)] != 1429
    decide(played, AUTHOR, Ruling(DecisionKind.ADJUST, member_id(1), OTBR, date(2026, 1, 1), 2000.0))
    merge_members(played, AUTHOR, member_id(1), member_id(8))
    run(played)
    assert on_list(played, 8, date(2026, 7, 1)) == rows[member_id(1)]
    with played.reading() as connection:
        record = record_of(connection)
        record.through = earlier
        assert published_before(record, member_id(2), OTBR, date(2026, 7, 1)) != rows[member_id(2)]
    assert on_list(played, 4, date(2026, 7, 2)) == rows[member_id(4)]


def test_before_2007_the_eve_of_the_list_stands_for_its_cut_off(copy_of: CopyOf) -> None:
    office = copy_of(long_ago)
    assert on_list(office, 1, date(2005, 4, 1)) == 1400.0
    assert on_list(office, 1, date(2003, 4, 1)) is None


def long_ago(office: Office) -> None:
    join(office, club_members()[0], [opening(1, 1400.0, as_of=date(2005, 3, 31))])
    run(office)


def test_a_list_by_the_rule_waits_for_its_cut_off(played: Office, clock: HandClock) -> None:
    """And holds what was rated by then, whatever is rated later."""
    clock.now = datetime(2026, 11, 19, 5, 44, tzinfo=UTC)
    with pytest.raises(OfficeError, match="Wednesday, 18 November 2026, 23:45 Central, which is still to come"):
        publish(played, AUTHOR, Month(2026, 12))
    clock.now = datetime(2026, 11, 19, 5, 45, tzinfo=UTC)
    enter(played, quad("november", Played(start=date(2026, 11, 1))))
    clock.go(minutes=1)
    run(played)
    made = publish(played, AUTHOR, Month(2026, 12))
    with played.reading() as connection:
        rows = {row.member_id: row for row in published_rows(connection, "2026-12")}
        assert supplements(connection) == [made]
    assert rows[member_id(1)].games == 46.0  # without November
    assert (rows[member_id(4)].games, rows[member_id(4)].is_provisional) == (6.0, True)
    assert not rows[member_id(1)].is_provisional


def test_a_list_before_anything_was_rated_is_empty(office: Office) -> None:
    made = publish(office, AUTHOR, Month(2026, 11))
    assert (made.rows, made.run) == (0, 0)


def test_of_several_members_everything_is_read_at_once(played: Office) -> None:
    """A submission asks about each of its players; however many they are, the record is read as often."""
    days = (date(2026, 7, 1), date(2026, 8, 1))
    expected = [on_list(played, number, day) for number in range(1, 5) for day in days]
    with played.reading() as connection:
        said: list[str] = []
        event.listen(connection, "before_cursor_execute", lambda *given: said.append(given[2]))
        together = Published(record_of(connection), map(member_id, range(1, 5)))
        found = [together.before(member_id(number), OTBR, day) for number in range(1, 5) for day in days]
    assert found == expected
    assert len([one for one in said if "FROM posting" in one]) == 1
    assert len([one for one in said if "FROM supplement" in one]) == len(days)


def test_how_large_an_office_is_is_not_counted_to_the_end(played: Office) -> None:
    """Two quads of the same four players make at least eight postings."""
    with played.reading() as connection:
        current = sum(1 for most in range(40) if not has_few_postings(connection, most))
        assert not has_few_postings(connection, current - 1)
        assert has_few_postings(connection, current)
        assert current >= 8
