"""Previews: what a submission would do, to the decimal, with nothing stored and no birth date told."""

from datetime import date

import pytest

from crosstable.office.database import Office
from crosstable.office.decisions import set_fact
from crosstable.office.ledger.acts import head
from crosstable.office.members import import_members
from crosstable.office.previews import ChangedMeanwhileError, Preview, posted_faults, preview
from crosstable.office.submissions import Status
from crosstable.office.veiled_record import RecordVeils
from crosstable.office.views import known
from crosstable.terms import Report
from tests.engine.wallcharts import Played
from tests.office.conftest import CopyOf
from tests.office.made_office import (
    DEED,
    club_members,
    document,
    enter,
    join,
    member_id,
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
    import_members(office, DEED, children)
    enter(office, quad("early", EARLY))
    run(office)


@pytest.fixture
def club(copy_of: CopyOf) -> Office:
    return copy_of(with_children)


def seen(office: Office, made: Report, veils: RecordVeils | None = None, *, in_public: bool = False) -> Preview:
    with office.reading() as connection:
        record, last = known(connection)
        veils = RecordVeils(connection, last) if in_public else veils
        return preview(record, document(made), TODAY, veils)


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


def test_children_are_hidden_from_the_public_and_so_is_what_they_hand_on(club: Office) -> None:
    """In the second section of the same event too, and in a later event once the first is posted."""
    second = section("1 =60 | W2\n2 =61 | L1", LATE, number=2)
    made = report("trap", section(CHILDREN, LATE), second)
    found = seen(club, made, in_public=True)
    assert [one.is_clear for one in found.rated] == [False, False]
    assert all(row.after and row.after.between for one in found.rated for row in one.rows)
    assert all(row.working is None for one in found.rated for row in one.rows)
    office = seen(club, made)
    assert all(one.is_clear for one in office.rated)
    enter(club, report("first", section(CHILDREN, EARLY)))
    run(club)
    found = seen(club, quad("later", LATE, "1 =60 | W2\n2 =1 | L1"), in_public=True)
    (row,) = [row for row in found.rated[0].rows if row.member_id == member_id(60)]
    assert row.before is not None
    assert row.before.between is not None
    assert found.rated[0].is_clear is False


def test_a_finding_about_hidden_results_is_not_told(club: Office) -> None:
    """Who beats all of much stronger players performs far above the rating; that it is 600 points tells of them all.

    The same of a section without children is told.
    """
    far = "1 =1 | W2 W3 W4\n2 =60 | L1 W4 W3\n3 =7 | W4 L1 L2\n4 =6 | L3 L2 L1"
    both = report("far", section(far, LATE), section("1 =2 | W2 W2 W2\n2 =5 | L1 L1 L1", LATE, number=2))
    private, public = ([one.place for one in seen(club, both, in_public=hides).faults] for hides in (False, True))
    assert {place[: len("section 1")] for place in private} == {"section 1", "section 2"}
    assert public == [place for place in private if place.startswith("section 2")]


def test_a_record_that_grew_meanwhile_is_told_and_nothing_is_shown(club: Office) -> None:
    """The veils are of an older run than the postings: what is hidden of the new ones is not known yet."""
    with club.reading() as connection:
        veils = RecordVeils(connection, known(connection).run)
    enter(club, report("first", section(CHILDREN, EARLY)))
    run(club)
    with pytest.raises(ChangedMeanwhileError):
        seen(club, quad("later", LATE, "1 =60 | W2\n2 =1 | L1"), veils)


def test_a_posting_that_was_rated_again_is_not_shown_by_what_was_hidden_before(club: Office) -> None:
    """A birth date that arrives late moves a posting under the same key: older veils would call it clear."""
    join(club, [person(9)])
    enter(club, quad("start", EARLY, "1 =9 | L2 D3 W4\n2 | W1 L4 L3\n3 | L4 D1 W2\n4 | W3 W2 L1"))
    run(club)
    with club.reading() as connection:
        veils = RecordVeils(connection, known(connection).run)
        heading = known(connection).record.headings_of("start")[0]
    told = {"code": "bonus-lost", "message": "a rating"}
    assert posted_faults(heading._replace(faults=[told]), veils, veils.record.through) == [told]
    made_up = quad("later", LATE, "1 =9 | L2\n2 =3 | W1")
    assert seen(club, made_up, veils).rated[0].is_clear
    set_fact(club, DEED, member_id(9), {"birth_date": date(2015, 3, 9)})
    last = run(club)
    assert last is not None
    with pytest.raises(ChangedMeanwhileError):
        seen(club, made_up, veils)
    assert posted_faults(heading._replace(faults=[told]), veils, last.act) == []
