"""Previews asked for again and again: no file that anybody makes up tells more of a member than is posted.

Whoever previews chooses opponents, results and days, as often as they like; every threshold that hangs on a stored
birth date, or on decimals that are not posted, would halve what they do not know. So no public preview may differ
between offices that look the same to the public.
"""

import math
from collections.abc import Callable, Iterator
from datetime import date, timedelta

import pytest

from crosstable.office.checking import WITHHELD
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.public import PublicOffice, Shown
from crosstable.terms import RatingSystem, Report, SectionType
from tests.engine.wallcharts import Played
from tests.office.made_office import (
    AUTHOR,
    club_members,
    enter,
    join,
    member_id,
    opening,
    person,
    posted,
    quad,
    report,
    run,
    section,
    send,
)
from tests.office.test_previews import seen

CHILD = 60
BORN = date(2017, 5, 6)
BIRTHS = (BORN, date(2019, 2, 3), date(2014, 1, 1))
# Established players not much stronger than a child: their results hang on its start.
WEAK = range(20, 28)
# The child loses every game and keeps the start, which moves by 50 points a year (§2.3, §4.1).
FIRST = "1 =60 | L2 L3 L4\n2 =20 | W1 D3 L4\n3 =21 | D2 W1 D4\n4 =22 | W2 D3 W1"
NewOffice = Callable[[], Office]


def with_child(office: Office, birth_date: date | None) -> Office:
    """A club and a child who never played."""
    people, openings = club_members()
    weak = [opening(number, 750.0 + 61.7 * (number - 20), 40.0, as_of=date(2015, 12, 31)) for number in WEAK]
    join(office, [*people, *map(person, WEAK), person(CHILD, birth_date=birth_date)], [*openings, *weak])
    run(office)
    return office


def chosen_by_an_attacker() -> Iterator[Report]:
    """Sections with one child, on days from before its birth on, against opponents of all strengths."""
    for day in (date(2016, 7, 9), date(2018, 11, 3), date(2020, 2, 29), date(2023, 6, 17), date(2026, 11, 14)):
        for number in WEAK:
            other = number + 1 if number + 1 in WEAK else WEAK[0]
            chart = f"1 =60 | L2 L3\n2 ={number} | W1 -\n3 ={other} | - W1"
            yield report("trap", section(chart, Played(start=day)))


def test_previews_are_the_same_for_all_births(new_office: NewOffice) -> None:
    """Whatever the birth date; the office's own previews show that every one of them hangs on it."""
    offices = [with_child(new_office(), birth_date) for birth_date in BIRTHS]
    for made in chosen_by_an_attacker():
        first, *others = (seen(office, made, in_public=True) for office in offices)
        assert others == [first, first], made.sections[0].start
    late = report("trap", section("1 =60 | L2 L3\n2 =22 | W1 -\n3 =23 | - W1", Played(start=date(2026, 11, 14))))
    private = [[row.after for row in seen(office, late).rated[0].rows] for office in offices]
    assert [len({str(one[row]) for one in private}) > 1 for row in range(3)] == [True] * 3


def test_a_preview_says_that_it_does_without_a_birth_date(new_office: NewOffice) -> None:
    """Of an unrated member whose birth date is stored, and of nobody else; they start as a player without one does."""
    office = with_child(new_office(), BORN)
    made = report("trap", section("1 =60 | L2 L3\n2 =22 | W1 -\n3 =23 | - W1", Played(start=date(2026, 11, 14))))
    (shown,) = seen(office, made, in_public=True).rated
    assert [WITHHELD in row.assumed for row in shown.rows] == [True, False, False]
    nobody = with_child(new_office(), None)
    (other,) = seen(nobody, made, in_public=True).rated
    assert [row.after for row in shown.rows] == [row.after for row in other.rows]
    assert [WITHHELD in row.assumed for row in other.rows] == [False, False, False]
    assert not any(WITHHELD in row.assumed for row in seen(office, made).rated[0].rows)


def test_a_birth_date_that_the_file_says_counts_in_a_preview(new_office: NewOffice) -> None:
    """It is the caller's own: 50 points a year of age (§2.3), kept by who loses to far stronger players (§4.1)."""
    office = with_child(new_office(), BORN)
    made = section("1 =60 | L2 L3\n2 =5 | W1 -\n3 =6 | - W1", Played(start=date(2026, 11, 14)))
    said = made.players[0]._replace(background=made.players[0].background._replace(birth_date=date(2010, 1, 1)))
    (shown,) = seen(office, report("trap", made._replace(players=(said, *made.players[1:]))), in_public=True).rated
    assert shown.rows[0].after is not None
    start = 50.0 * (date(2026, 11, 14) - date(2010, 1, 1)).days / 365.25
    assert shown.rows[0].after.rating == math.floor(start + 0.5)


def test_blended_starts_and_what_is_built_on_them_are_the_same_too(new_office: NewOffice) -> None:
    """Age weighs in a blend (§2), and a second section of the event starts from the first one's result."""
    offices = []
    for birth_date in BIRTHS:
        office = with_child(new_office(), birth_date)
        online = [
            opening(CHILD, 700.0, 6.0, system=RatingSystem.OLB, as_of=date(2024, 1, 5)),
            opening(CHILD, 1100.0, 9.0, system=RatingSystem.OLQ, as_of=date(2021, 3, 9)),
        ]
        join(office, [person(CHILD, birth_date=birth_date)], online)
        run(office)
        offices.append(office)
    chart = "1 =60 | L2 L3\n2 =22 | W1 -\n3 =23 | - W1"
    for day in (date(2025, 3, 9), date(2026, 11, 14)):
        slow = section(chart, Played(start=day))
        quick = section(chart, Played(start=day, control="G/10;d0"), number=2)
        made = report("trap", slow, quick)
        first, *others = (seen(office, made, in_public=True) for office in offices)
        assert others == [first, first]
    private = {str(seen(office, made).rated) for office in offices}
    assert len(private) == 3


def public_histories(office: Office) -> list[tuple[Shown | None, Shown | None]]:
    with office.reading() as connection:
        public = PublicOffice(connection)
        lines = [line.posting for number in (CHILD, *WEAK) for line in public.history(member_id(number))]
    return [(line.before, line.after) for line in lines]


def test_previews_do_not_tell_decimals_that_are_not_shown(new_office: NewOffice) -> None:
    """Established players who met the child stand in whole numbers; previews among them must not find the decimals."""
    offices = []
    for days in (121, 122, 123):
        office = with_child(new_office(), BORN + timedelta(days=days))
        enter(office, quad("first", Played(start=date(2026, 7, 4)), FIRST))
        run(office)
        offices.append(office)
    public = public_histories(offices[0])
    assert all(public_histories(office) == public for office in offices)  # not a point is between them, but decimals
    ratings = [[round(one.rating_after or 0.0, 6) for one in posted(office).values()] for office in offices]
    assert ratings[0] != ratings[1] != ratings[2]
    for number in range(23, 28):
        for letters in ("WL", "LW", "DD"):
            for met in (20, 21, 22):
                chart = f"1 ={met} | {letters[0]}2\n2 ={number} | {letters[1]}1"
                made = report("trap", section(chart, Played(start=date(2026, 11, 14))))
                found = [seen(office, made, in_public=True) for office in offices]
                assert all(one == found[0] for one in found)


def test_a_preview_of_established_players_stands_within_a_point_of_what_is_posted(new_office: NewOffice) -> None:
    """It is computed from whole numbers: half a point before, and about as much through opponents, may differ."""
    office = with_child(new_office(), BORN)
    enter(office, quad("first", Played(start=date(2026, 7, 4)), FIRST))
    run(office)
    made = report(
        "next", section("1 =20 | W2 D3 -\n2 =21 | L1 - W3\n3 =22 | - D1 L2", Played(start=date(2026, 11, 14)))
    )
    (shown,) = seen(office, made, in_public=True).rated
    enter(office, made)
    run(office)
    true = {about.member_id: one.rating_after for about, one in posted(office).items() if about.event_id == "next"}
    for row in shown.rows:
        assert row.after is not None
        assert row.after.rating == pytest.approx(true[row.member_id], abs=1.5)


def test_abroad_a_rating_without_its_decimals_is_taken_too(new_office: NewOffice) -> None:
    """Opponents abroad stand at their FIDE ratings, so only the player's own decimals are missing (§6)."""
    office = with_child(new_office(), BORN)
    enter(office, quad("first", Played(start=date(2026, 7, 4)), FIRST))
    run(office)
    abroad = Played(start=date(2026, 11, 14), kind=SectionType.FOREIGN_FIDE)
    decide(office, AUTHOR, Ruling(DecisionKind.OPT_IN, member_id(20), effective=date(2026, 7, 5)))
    made = report("abroad", section("1 =20 | W2 | rate\n2 =88 | L1 | fide=1500", abroad))
    (shown,) = seen(office, made, in_public=True).rated
    enter(office, made)
    run(office)
    (true,) = (one.rating_after for about, one in posted(office).items() if about.event_id == "abroad")
    mine, other = shown.rows
    assert mine.after is not None
    assert mine.after.rating == pytest.approx(true, abs=1.0)
    assert other.after is None


@pytest.mark.parametrize("day", [date(2016, 3, 10), date(2016, 3, 11), date(2016, 3, 12)])
def test_whether_a_member_was_born_is_not_told(new_office: NewOffice, day: date) -> None:
    """The day before a birth, the day itself and the day after it: previews and submissions are all the same."""
    made = report("early", section("1 =60 | W2\n2 =20 | L1", Played(start=date(2016, 3, 11))))
    previews, sent = [], []
    for birth_date in (day, date(2016, 3, 20)):
        office = with_child(new_office(), birth_date)
        previews.append(seen(office, made, in_public=True))
        sent.append(send(office, made)._replace(checked=()))  # what the run takes over, which nobody is shown
        assert run(office) is not None
    assert previews[0] == previews[1]
    assert sent[0] == sent[1]
    assert not sent[0].held


def test_a_birth_date_that_the_report_itself_says_is_looked_at(new_office: NewOffice) -> None:
    office = with_child(new_office(), BORN)
    made = section("1 =1 | W2\n2 =2 | L1", Played(start=date(2026, 11, 14)))
    for born, codes in ((date(2026, 11, 15), ["birth-date"]), (date(1899, 1, 1), ["birth-date-early"]), (BORN, [])):
        first = made.players[0]
        said = first._replace(background=first.background._replace(birth_date=born))
        found = seen(office, report("said", made._replace(players=(said, made.players[1]))), in_public=True)
        assert [one.code for one in found.faults] == codes
