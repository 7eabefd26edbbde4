"""§8 of the 2025 text: the calendar of the announcements, what was known when, and days that are in doubt."""

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstable.errors import NoEditionError
from crosstable.explanation import explain
from crosstable.formulas.standard import effective_games
from crosstable.rules.amending import Edition
from crosstable.rules.amendments import AMENDMENTS
from crosstable.rules.constants import Initialisation
from crosstable.rules.editions import (
    Calendar,
    announced_edition_for,
    doubts,
    edition_by,
    edition_for,
    edition_known_on,
)
from crosstable.terms import RatingSystem
from tests.engine.wallcharts import Played, rate_wallchart

OTBB, OLR, OLQ, OLB = RatingSystem.OTBB, RatingSystem.OLR, RatingSystem.OLQ, RatingSystem.OLB


def curve(edition: Edition) -> object:
    """N' of the text's example, 26.7 by the old curve and 20.0 by the new (§3)."""
    return round(effective_games(edition.constants, 1700.0, 30.0), 1)


def whole(edition: Edition) -> object:
    """Whether whole numbers are stored."""
    return edition.constants.stores_whole_numbers


def low_floors(edition: Edition) -> object:
    """The lowest floor that a peak of today earns."""
    return edition.constants.peak_lowest_since_2010


def threshold(edition: Edition) -> object:
    """B, the bonus threshold."""
    return edition.constants.bonus_threshold


def has(system: RatingSystem) -> Callable[[Edition], object]:
    """Whether a system is there."""
    return lambda edition: system in edition.systems


@pytest.mark.parametrize(
    ("start", "end", "question", "listed", "announced"),
    [
        # Notice of 2013-05-13: tournaments ending Saturday 18 May 2013.
        (date(2013, 5, 8), date(2013, 5, 17), curve, 20.0, 26.7),
        (date(2013, 5, 8), date(2013, 5, 18), curve, 20.0, 20.0),
        (date(2013, 5, 7), date(2013, 5, 18), curve, 26.7, 20.0),
        (date(2013, 5, 7), date(2013, 5, 17), curve, 26.7, 26.7),
        # Frequently asked questions: events that ended on 18 September 2014 or later.
        (date(2014, 9, 1), date(2014, 9, 17), whole, False, True),
        (date(2014, 9, 1), date(2014, 9, 18), whole, False, False),
        (date(2014, 8, 31), date(2014, 9, 18), whole, True, False),
        # The programmer: events that ended on or after 2010-04-01.
        (date(2010, 3, 30), date(2010, 3, 31), low_floors, float("inf"), float("inf")),
        (date(2010, 3, 30), date(2010, 4, 1), low_floors, float("inf"), 1200.0),
        (date(2010, 4, 1), date(2010, 4, 1), low_floors, 1200.0, 1200.0),
        # Announced 2023-10-30: events that ended on or after 1 February 2023.
        (date(2023, 1, 28), date(2023, 1, 31), threshold, 14.0, 14.0),
        (date(2023, 1, 28), date(2023, 2, 1), threshold, 14.0, 12.0),
        (date(2023, 2, 1), date(2023, 2, 1), threshold, 12.0, 12.0),
        # Readings 3: official results of May 2017 show June 1, so the announcement's May 1 is not used.
        (date(2017, 5, 1), date(2017, 5, 31), threshold, 12.0, 12.0),
        (date(2017, 5, 30), date(2017, 6, 1), threshold, 12.0, 14.0),
        # Readings 98: the one official section that straddles a change follows its end.
        (date(2014, 3, 17), date(2014, 4, 7), threshold, 8.0, 10.0),
        # Notice of 2013-03-02: events that START on or after 2013-03-01.
        (date(2013, 2, 28), date(2013, 3, 3), has(OTBB), False, False),
        (date(2013, 3, 1), date(2013, 3, 3), has(OTBB), True, True),
        # New systems begin with the start of a section.
        (date(2014, 9, 30), date(2014, 10, 2), has(OLB), False, False),
        (date(2015, 2, 28), date(2015, 3, 2), has(OLQ), False, False),
        (date(2020, 5, 31), date(2020, 6, 2), has(OLR), False, False),
        (date(2020, 6, 1), date(2020, 6, 2), has(OLR), True, True),
    ],
)
def test_the_two_calendars(
    start: date, end: date, question: Callable[[Edition], object], listed: object, announced: object
) -> None:
    """§8, rules history §2, readings 1 and 98: by the start of the section, or as announced, mostly by its end."""
    assert question(edition_by(Calendar.LISTED, start, end)) == listed
    assert question(edition_by(Calendar.ANNOUNCED, start, end)) == announced


def is_announced_otherwise(day: date) -> bool:
    """The days between a listed and an announced date (rules history §2)."""
    return date(2013, 5, 8) <= day < date(2013, 5, 18) or date(2014, 9, 1) <= day < date(2014, 9, 18)


@given(st.dates(date(2001, 1, 1), date(2030, 12, 31)))
def test_sections_of_one_day_fall_under_the_same_law_in_both_calendars(day: date) -> None:
    """§8, rules history §2: but for a few days of 2013 and 2014, start and end are one."""
    same = announced_edition_for(day, day) == edition_for(day)
    assert same is not is_announced_otherwise(day)


@pytest.mark.parametrize("day", [date(2013, 5, 8), date(2013, 5, 17), date(2014, 9, 1), date(2014, 9, 17)])
def test_the_announced_days_differ_from_the_listed_ones(day: date) -> None:
    """§8, rules history §2: the ends of the two stretches."""
    assert announced_edition_for(day, day) != edition_for(day)


@pytest.mark.parametrize("calendar", list(Calendar))
def test_no_calendar_reaches_before_2001(calendar: Calendar) -> None:
    """§8, readings 13: not even a section that ended in 2001."""
    with pytest.raises(NoEditionError, match="2000-12-30"):
        edition_by(calendar, date(2000, 12, 30), date(2001, 1, 2))
    with pytest.raises(NoEditionError, match="2000-12-30"):
        edition_known_on(date(2026, 1, 1), calendar, date(2000, 12, 30), date(2001, 1, 2))


# What was known when a page was rated


@pytest.mark.parametrize(
    ("start", "known_on", "question", "answer"),
    [
        (date(2023, 3, 4), date(2023, 10, 29), threshold, 14.0),
        (date(2023, 3, 4), date(2023, 10, 30), threshold, 12.0),
        (date(2023, 1, 31), date(2026, 1, 1), threshold, 14.0),
        (date(2025, 2, 1), date(2025, 5, 20), threshold, 12.0),
        (date(2025, 2, 1), date(2025, 6, 3), threshold, 10.0),
        (date(2020, 7, 1), date(2020, 7, 9), lambda e: e.constants.initialisation, Initialisation.PRIORITY),
        (date(2020, 7, 1), date(2021, 6, 16), lambda e: e.constants.initialisation, Initialisation.PRIORITY),
        (date(2020, 7, 1), date(2021, 6, 23), lambda e: e.constants.initialisation, Initialisation.BLEND),
        (date(2015, 6, 6), date(2015, 6, 7), threshold, 12.0),
    ],
)
@pytest.mark.parametrize("calendar", list(Calendar))
def test_a_page_follows_the_rules_known_when_it_was_rated(
    start: date, known_on: date, question: Callable[[Edition], object], answer: object, calendar: Calendar
) -> None:
    """§8, readings 111: B of 2023 became known on 2023-10-30, B of 2025 late in May, the blend in June 2021.

    31 unrated players of pages last rated by 2021-06-16 have another rating and were credited with nothing for it;
    all 197 on pages last rated since 2021-06-23 have the games of the blend (official results).
    """
    assert question(edition_known_on(known_on, calendar, start, start)) == answer


def test_announcements_that_came_after_their_day() -> None:
    """§8, rules history §1 and §2: by the notices; the blend by official results, of B in 2025 late May is known."""
    late = [(a.effective, a.announced) for a in AMENDMENTS if a.announced is not None]
    assert late == [
        (date(2013, 3, 1), date(2013, 3, 2)),
        (date(2013, 5, 8), date(2013, 5, 13)),
        (date(2013, 5, 8), date(2013, 5, 13)),
        (date(2020, 6, 1), date(2020, 6, 9)),
        (date(2020, 6, 1), date(2021, 6, 23)),
        (date(2023, 2, 1), date(2023, 10, 30)),
        (date(2025, 1, 1), date(2025, 5, 31)),
    ]


@given(st.dates(date(2001, 1, 1), date(2026, 12, 31)), st.sampled_from(Calendar))
def test_years_later_everything_is_known(day: date, calendar: Calendar) -> None:
    """§8, readings 111: no rule was announced more than a year and a half after its day."""
    assert edition_known_on(date(2030, 1, 1), calendar, day, day) == edition_by(calendar, day, day)


# Days in doubt


def told(day: date, who: str = "R: 1500/40") -> list[str]:
    """What the explanation of a section says about dates that are assumed."""
    rated = rate_wallchart(f"1 | W2 | {who} \n 2 | L1 | R: 1500/40", Played(start=day))
    return [line.text for line in explain(rated, 1) if line.text.startswith("Date assumed")]


@pytest.mark.parametrize(
    ("day", "words"),
    [
        (date(2001, 6, 2), ["30 to 60 minutes"]),
        (date(2002, 12, 31), ["30 to 60 minutes"]),
        (date(2003, 1, 1), []),
        (date(2003, 11, 26), []),
        (date(2003, 11, 27), ["5 minutes"]),
        (date(2004, 8, 1), ["5 minutes"]),
        (date(2017, 6, 3), []),
        (date(2018, 8, 31), []),
        (date(2019, 3, 2), []),
        (date(2020, 9, 3), []),
        (date(2026, 7, 4), []),
    ],
)
def test_a_section_in_a_doubtful_time_is_told_so(day: date, words: list[str]) -> None:
    """§8, readings 11: the explanation names each rule whose true date may lie on the other side."""
    texts = told(day)
    for word in words:
        assert any(word in text for text in texts), word
    if not words:
        assert texts == []


def test_a_section_of_2006_is_told_of_the_rules_of_that_year_that_touch_it() -> None:
    """§8, readings 11: no day of 2006 is certain for half-K and age; a rated player has no start to doubt."""
    rated, newcomer = "\n".join(told(date(2006, 5, 6))), "\n".join(told(date(2006, 5, 6), ""))
    assert "Half-K" in rated
    assert "50 points a year" not in rated
    assert "New match rules" not in rated
    assert "50 points a year" in newcomer
    assert "2006-??-??" in newcomer
    assert "taken from July 1, 2006" in newcomer


# The days between which the true date lies, by what rules history §1 tells of each source.
WINDOWS = (
    ("30 to 60 minutes", date(2002, 1, 1), date(2001, 1, 1), date(2002, 12, 31)),
    ("5 minutes", date(2004, 1, 1), date(2003, 11, 27), date(2004, 12, 31)),
    ("at most 50 points", date(2006, 1, 1), date(2004, 9, 22), date(2006, 1, 31)),
    ("New match rules", date(2006, 2, 1), date(2006, 1, 1), date(2006, 12, 31)),
    ("Half-K", date(2006, 3, 1), date(2006, 3, 1), date(2006, 12, 31)),
    ("$2,000", date(2006, 3, 1), date(2006, 3, 1), date(2006, 12, 31)),
    ("50 points a year", date(2006, 7, 1), date(2005, 9, 1), date(2006, 12, 31)),
    ("below 2200 taken unchanged", date(2008, 1, 1), date(2005, 1, 1), date(2008, 6, 30)),
    ("720 + 0.625", date(2008, 7, 1), date(2008, 6, 1), date(2008, 8, 31)),
    ("over 15 seconds", date(2008, 8, 1), date(2008, 8, 1), date(2009, 12, 31)),
    ("foreign youth events", date(2009, 1, 1), date(2008, 7, 1), date(2015, 5, 31)),
    ("up to 65", date(2012, 1, 1), date(2012, 1, 1), date(2013, 2, 28)),
    ("Priority lists", date(2013, 3, 1), date(2004, 9, 22), date(2015, 5, 31)),
    ("180 + 0.94", date(2015, 6, 1), date(2009, 1, 1), date(2015, 6, 1)),
    ("$4,000", date(2017, 1, 1), date(2015, 6, 1), date(2018, 8, 31)),
    ("established Regular ratings only", date(2020, 6, 1), date(2015, 6, 1), date(2020, 9, 2)),
)


@pytest.mark.parametrize(("words", "taken", "first", "last"), WINDOWS, ids=[window[0] for window in WINDOWS])
def test_a_doubt_lasts_from_the_first_to_the_last_day_it_could_be(
    words: str, taken: date, first: date, last: date
) -> None:
    """§8, readings 11: both ends included, and the placeholder is the day that is taken."""

    def doubted(day: date) -> list[date]:
        return [amendment.effective for amendment in doubts(day) if words in amendment.summary]

    assert doubted(first) == doubted(last) == [taken]
    assert doubted(last + timedelta(days=1)) == []
    if first > date(2001, 1, 1):
        assert doubted(first - timedelta(days=1)) == []


def test_there_are_no_other_doubts() -> None:
    """§8, readings 11: every assumed date is in the table above."""
    assumed = [amendment.effective for amendment in AMENDMENTS if amendment.is_uncertain]
    assert assumed == [taken for _, taken, _, _ in WINDOWS]
