"""Previews: what a submission would do, to the decimal, with nothing stored and no birth date told."""

from datetime import date

import pytest

from crosstable.formulas.outcome import official_rating
from crosstable.office.database import Office
from crosstable.office.effects import Preview, preview
from crosstable.office.ledger.journal import head
from crosstable.office.members import import_members
from crosstable.office.settings import WHOLE
from crosstable.office.submissions import Status
from crosstable.office.views import known
from crosstable.terms import Report
from tests.engine.wallcharts import Played
from tests.office.conftest import CopyOf
from tests.office.made_office import (
    AUTHOR,
    club_members,
    document,
    enter,
    join,
    person,
    posted,
    quad,
    report,
    run,
    section,
    send,
)

TODAY = date(2026, 11, 15)
EARLY, LATE = Played(start=date(2026, 7, 4)), Played(start=date(2026, 11, 14))
CHILDREN = "1 =60 | W2 D3 W4\n2 =61 | L1 L4 L3\n3 =62 | L4 D1 W2\n4 =63 | W3 W2 L1"


def with_children(office: Office) -> None:
    """A club with a rated event, and four children who never played."""
    join(office, *club_members())
    children = [person(number, birth_date=date(2016, 3, number - 50)) for number in range(60, 64)]
    import_members(office, AUTHOR, children)
    enter(office, quad("early", EARLY))
    run(office)


@pytest.fixture
def club(copy_of: CopyOf) -> Office:
    return copy_of(with_children)


def seen(office: Office, made: Report, *, in_public: bool = False) -> Preview:
    with office.reading() as connection:
        return preview(known(connection).record, document(made), TODAY, WHOLE if in_public else None)


def acts(office: Office) -> int:
    with office.reading() as connection:
        newest = head(connection)
    assert newest is not None
    return newest.seq


def after(found: Preview, number: int = 1) -> dict[str, float | None]:
    return {
        row.member_id: None if row.after is None else row.after.rating
        for one in found.rated
        if one.number == number
        for row in one.rows
    }


def test_a_preview_is_what_the_run_posts(club: Office) -> None:
    made = report(
        "two", section("1 | W2 D3\n2 | L1 W3\n3 | D1 L2", LATE), section("1 =3 | W2\n2 =5 | L1", LATE, number=2)
    )
    before = acts(club)
    found = seen(club, made)
    assert (found.status, found.is_new, acts(club)) == (Status.ACCEPTED, True, before)
    send(club, made)
    run(club)
    made_now = {about: one for about, one in posted(club).items() if about.event_id == "two"}
    for about, posting in made_now.items():
        assert after(found, about.section)[about.member_id] == posting.rating_after


def test_a_preview_without_an_id_stands_where_the_office_would_put_it(club: Office) -> None:
    """The order of the fold on one day goes by event id, so the id that the office would give counts."""
    made = quad("", LATE)._replace(name="Evening quad")
    found = seen(club, made)
    assert found.event_id == ""
    send(club, made)
    run(club)
    given = next(about.event_id for about in posted(club) if about.event_id.startswith("20261114"))
    assert {about.member_id: one.rating_after for about, one in posted(club).items() if about.event_id == given} == (
        after(found)
    )


def test_what_is_known_differs_or_is_refused_is_told(club: Office) -> None:
    assert seen(club, quad("early", EARLY)).status is Status.KNOWN
    other = quad("early", EARLY, "1 | L2 D3 W4\n2 | W1 L4 L3\n3 | L4 D1 W2\n4 | W3 W2 L1")
    found = seen(club, other)
    assert (found.status, found.is_new, len(found.differences)) == (Status.DIFFERS, False, 2)
    assert seen(club, quad("@own", LATE)).status is Status.REFUSED
    empty = Report("none", "None", TODAY, TODAY, (), "")
    assert seen(club, empty).status is Status.REFUSED


def test_in_public_results_are_whole_numbers_from_whole_numbers(club: Office) -> None:
    """Everybody brings the posted rating, so a result may be a point off; the office sees it to the decimal."""
    made = quad("later", LATE)
    (public,), (own,) = seen(club, made, in_public=True).rated, seen(club, made).rated
    for shown, exact in zip(public.rows, own.rows, strict=True):
        assert shown.before
        assert exact.before
        assert shown.after
        assert exact.after
        assert shown.before.rating == official_rating(exact.before.rating)
        assert shown.after.rating == pytest.approx(exact.after.rating, abs=1.5)
        assert shown.after.rating == int(shown.after.rating)
    assert any(row.before and row.before.rating % 1.0 for row in own.rows)


def test_in_public_children_are_rated_without_their_birth_dates(club: Office) -> None:
    """All four start alike; with their birth dates, ten days and more apart, no two do."""
    made = report("trap", section(CHILDREN, LATE))
    (public,), (own,) = seen(club, made, in_public=True).rated, seen(club, made).rated
    assert all(row.after and row.assumed for row in public.rows)
    assert [row.after for row in public.rows] != [row.after for row in own.rows]


def test_findings_about_results_are_told_in_public_as_the_public_results_give_them(club: Office) -> None:
    """Who beats all of much stronger players performs far above the rating."""
    far = "1 =1 | W2 W3 W4\n2 =60 | L1 W4 W3\n3 =7 | W4 L1 L2\n4 =6 | L3 L2 L1"
    both = report("far", section(far, LATE), section("1 =2 | W2 W2 W2\n2 =5 | L1 L1 L1\n3 =8 | U U U", LATE, number=2))
    found = seen(club, both, in_public=True).faults
    assert "section 2" in {one.place[: len("section 2")] for one in found}
    assert not any("2016" in one.message for one in found)
