"""§8 of the 2025 text: every dated change of the rules, on the day before, on the day, and on the day after.

Dates and values are written here by hand from rules history §1, so that a slip in the list of amendments shows.
"""

import math
from collections.abc import Callable
from datetime import date, timedelta
from typing import NamedTuple

import pytest

from crosstable.errors import NoEditionError, TimeControlError
from crosstable.formulas.foreign import is_eligible, opponent_strength
from crosstable.formulas.initial import (
    Sources,
    Unrated,
    age_based_rating,
    cfc_games,
    converted_rating,
    fide_games,
    initial_rating,
)
from crosstable.formulas.outcome import (
    Level,
    MatchPast,
    Merits,
    match_change,
    may_play_match,
    money_floor,
    outcome,
    peak_floor,
    requested_floor,
    standing_floor,
)
from crosstable.formulas.standard import dual_k_factor, effective_games, may_earn_bonus
from crosstable.rules.amending import Amendment, Edition, Knowledge, amended, fold
from crosstable.rules.amendments import AMENDMENTS, FIRST_EDITION
from crosstable.rules.editions import EDITIONS, LAW_SEEN_THROUGH, edition_for
from crosstable.rules.time_controls import parse_time_control, systems_for
from crosstable.terms import FloorKind, RatingSystem, Source

OTBR, OTBQ, OTBB, OLR, OLQ, OLB = RatingSystem
DAY = timedelta(days=1)
NO_EDITION = "no edition"
NOT_RATABLE = "not ratable"
NOT_KNOWN = "not known"
NO_FLOOR = "no floor"
FRIDAY, WEDNESDAY = 4, 2

Answer = object
Question = Callable[[Edition], Answer]


# Questions


def threshold(edition: Edition) -> Answer:
    """B, the bonus threshold."""
    return edition.constants.bonus_threshold


def systems(edition: Edition) -> Answer:
    """The systems there are."""
    return " ".join(sorted(system.name for system in edition.systems))


def has(system: RatingSystem) -> Question:
    """Whether a system is there."""
    return lambda edition: system in edition.systems


def classes(text: str, *, is_online: bool = False) -> Question:
    """The systems of a control over the board, or online."""

    def ask(edition: Edition) -> Answer:
        try:
            found = systems_for(parse_time_control(text), is_online=is_online, ranges=edition.controls)
        except TimeControlError:
            return NOT_RATABLE
        return " ".join(system.name for system in found)

    return ask


def number(value: float, nothing: str) -> Answer:
    """A number, or a word where there is none."""
    return nothing if math.isnan(value) or math.isinf(value) else pytest.approx(value, abs=1e-9)


def fide(rating: float) -> Question:
    """A FIDE rating on the US Chess scale."""
    return lambda edition: number(converted_rating(edition.constants.fide, rating), NOT_KNOWN)


def youth(rating: float) -> Question:
    """A FIDE rating on the US Chess scale in a youth event."""
    return lambda edition: number(opponent_strength(edition.constants, rating, is_youth=True), NOT_KNOWN)


def cfc(rating: float) -> Question:
    """A CFC rating on the US Chess scale."""
    return lambda edition: number(converted_rating(edition.constants.cfc, rating), NOT_KNOWN)


def age(years: float) -> Question:
    """The rating that age alone gives somebody who is not known as an adult."""
    return lambda edition: age_based_rating(edition.constants, years, is_adult=False)


def start(target: RatingSystem, **brought: tuple[float, float]) -> Question:
    """R0 and N of a 40-year-old from outside Canada with these ratings and games, all of today."""
    ratings, games = [math.nan] * 8, [math.inf] * 8
    for name, (rating, count) in brought.items():
        ratings[Source[name]], games[Source[name]] = rating, count
    who = Unrated(1, 1 + 40 * 1461 // 4, 1 + 40 * 1461 // 4, is_adult=True, is_canadian_resident=False)
    sources = Sources(ratings, games, [0.0] * 8, [40.0] * 8)

    def ask(edition: Edition) -> Answer:
        found = initial_rating(edition.constants, target, who, sources, [0.0] * 8)
        return found.rating, found.games

    return ask


def effective(rating: float, games: float) -> Question:
    """N' of a rating on so many games, to six decimals."""
    return lambda edition: round(effective_games(edition.constants, rating, games), 6)


def prize(dollars: float) -> Question:
    """The money floor of a prize in an under-1800 section."""
    return lambda edition: number(money_floor(edition.constants, dollars, 1800.0), NO_FLOOR)


def peak(rating: float) -> Question:
    """The floor of a peak reached today."""
    return lambda edition: number(peak_floor(edition.constants, rating, rating), NO_FLOOR)


def floor_with_30_wins(edition: Edition) -> Answer:
    """The absolute floor of somebody with 30 wins, over the board."""
    merits = Merits(30.0, 0.0, 0.0, False, math.nan, math.nan, math.inf, 0)
    return standing_floor(edition.constants, OTBR, merits, Level(FloorKind.OFFICE, -math.inf)).level


def match(change: float, net: float) -> Question:
    """What stands of a change in a match after a net change in the last months."""
    return lambda edition: match_change(edition.constants, change, net, net).change


def floor_request(edition: Edition) -> Answer:
    """The floor that is asked for after meeting 1500 in a match."""
    found = requested_floor(edition.constants, MatchPast(True, 0.0, 0.0), FloorKind.PEAK, 1500.0)
    return number(found, NO_FLOOR)


def stored(edition: Edition) -> Answer:
    """What is stored after a gain of a quarter of a point."""
    never = MatchPast(False, 0.0, 0.0)
    return outcome(edition.constants, 1500.0, 1500.25, never, Level(FloorKind.ABSOLUTE, 100.0), math.inf).rating


class Change(NamedTuple):
    """A change of the law: its day, what of the law it touches, and a question with its answers."""

    day: date
    touches: tuple[str, ...]
    question: Question
    before: Answer
    since: Answer


CHANGES = (
    Change(date(2001, 1, 1), (), systems, NO_EDITION, "OTBQ OTBR"),
    Change(date(2001, 1, 1), (), threshold, NO_EDITION, 10),
    Change(
        date(2001, 1, 1),
        ("bonus_meetings_in_three",),
        lambda edition: may_earn_bonus(edition.constants, 3, 2),
        NO_EDITION,
        False,
    ),
    Change(date(2002, 1, 1), ("controls",), classes("G/45"), "OTBR", "OTBR OTBQ"),
    Change(date(2004, 1, 1), ("controls",), classes("G/5"), NOT_RATABLE, "OTBQ"),
    Change(date(2006, 1, 1), ("match_change",), match(140.0, 0.0), 140.0, 50.0),
    Change(
        date(2006, 2, 1),
        ("match_needs_established",),
        lambda edition: may_play_match(edition.constants, 25.0, 0.0),
        True,
        False,
    ),
    Change(date(2006, 2, 1), ("match_half_year",), match(50.0, 80.0), 50.0, 20.0),
    Change(date(2006, 2, 1), ("floor_request_drop",), floor_request, NO_FLOOR, 1400.0),
    Change(date(2006, 3, 1), ("half_k_is_allowed",), lambda edition: edition.constants.half_k_is_allowed, True, False),
    Change(date(2006, 3, 1), ("money_prize",), prize(1000.0), 1800.0, NO_FLOOR),
    Change(date(2006, 7, 1), ("age_base",), age(12.0), 900.0, 600.0),
    Change(date(2006, 7, 1), ("age_youngest",), age(3.5), 1300.0, 175.0),
    Change(date(2006, 7, 1), ("age_oldest",), age(22.0), 1300.0, 1100.0),
    Change(date(2007, 2, 1), ("lists",), lambda edition: edition.lists.lists_a_year, 6, 12),
    Change(date(2008, 1, 1), ("fide",), fide(2151.0), 2201.0, 2151.0),
    Change(date(2008, 6, 6), ("bonus_threshold",), threshold, 10, 6),
    Change(date(2008, 7, 1), ("fide",), fide(1420.0), 1420.0, 1607.5),
    Change(date(2008, 7, 1), ("fide",), fide(2100.0), 2100.0, NOT_KNOWN),
    Change(date(2008, 8, 1), ("controls",), classes("G/45;+30"), "OTBR OTBQ", "OTBR"),
    Change(date(2008, 8, 7), ("personal_floor_is_used",), floor_with_30_wins, 100.0, 150.0),
    Change(date(2009, 1, 1), ("fide_youth",), youth(1500.0), NOT_KNOWN, 1700.0),
    Change(date(2010, 4, 1), ("peak_lowest_since_2010",), peak(1525.0), NO_FLOOR, 1300.0),
    Change(date(2012, 1, 1), ("controls",), classes("G/25;d5"), "OTBQ", "OTBR OTBQ"),
    Change(date(2012, 8, 3), ("bonus_threshold",), threshold, 6, 8),
    Change(date(2012, 10, 1), ("lists",), lambda edition: edition.lists[:3], (12, 1, FRIDAY), (12, 3, FRIDAY)),
    Change(date(2013, 3, 1), ("adds_systems",), has(OTBB), False, True),
    Change(date(2013, 3, 1), ("controls",), classes("G/5;d0"), "OTBQ", "OTBB"),
    Change(
        date(2013, 3, 1),
        ("priorities",),
        start(OTBQ, OTBR=(1600.0, 7.0), FIDE=(1900.0, 0.0)),
        (1907.5, 5.0),
        (1600.0, 7.0),
    ),
    Change(
        date(2013, 5, 8),
        ("effective_base", "effective_slope", "effective_centre"),
        effective(1700.0, 30.0),
        26.726124,
        20.011787,
    ),
    Change(
        date(2013, 5, 8),
        ("effective_limit",),
        effective(2300.0, 99.0),
        50.0,
        round(50 / math.sqrt(0.662 + 0.00000739 * 269**2), 6),
    ),
    Change(
        date(2013, 5, 8),
        ("dual_k_is_reduced",),
        lambda edition: dual_k_factor(edition.constants, 2400.0, 46.0, 4.0),
        16.0,
        8.0,
    ),
    Change(date(2013, 9, 1), ("lists",), lambda edition: edition.lists[:3], (12, 3, FRIDAY), (12, 3, WEDNESDAY)),
    Change(date(2014, 3, 20), ("bonus_threshold",), threshold, 8, 10),
    Change(date(2014, 9, 1), ("stores_whole_numbers",), stored, 1501.0, 1500.25),
    Change(date(2014, 10, 1), ("adds_systems",), has(OLB), False, True),
    Change(date(2015, 3, 1), ("adds_systems",), has(OLQ), False, True),
    Change(date(2015, 3, 1), ("controls",), classes("G/60;d5", is_online=True), "OLR", "OLQ"),
    Change(date(2015, 6, 1), ("bonus_threshold",), threshold, 10, 12),
    Change(date(2015, 6, 1), ("fide",), fide(1420.0), 1607.5, 1514.8),
    Change(date(2017, 1, 1), ("money_prize",), prize(2000.0), 1800.0, NO_FLOOR),
    Change(date(2017, 6, 1), ("bonus_threshold",), threshold, 12, 14),
    Change(date(2020, 3, 25), ("controls",), classes("G/25;+5", is_online=True), "OLQ", NOT_RATABLE),
    Change(date(2020, 6, 1), ("adds_systems",), has(OLR), False, True),
    Change(date(2020, 6, 1), ("controls",), classes("G/25;+5", is_online=True), NOT_RATABLE, "OLR"),
    Change(
        date(2020, 6, 1),
        ("initialisation",),
        # By hand: (10 x 1600 + 5 x 1700)/15 = 1633.33, on the most of ten games.
        start(OTBQ, OTBR=(1600.0, 30.0), OTBB=(1700.0, 30.0)),
        (1600.0, 10.0),
        (1633.0, 10.0),
    ),
    Change(date(2020, 6, 1), ("fide_split",), lambda edition: fide_games(edition.constants, 2100.0), 5.0, 10.0),
    Change(date(2020, 6, 1), ("cfc_games_below",), lambda edition: cfc_games(edition.constants, 1400.0), 0.0, 5.0),
    Change(date(2020, 6, 1), ("cfc_needs_residence",), start(OTBR, CFC=(2000.0, 0.0)), (1960.0, 5.0), (1300.0, 0.0)),
    Change(date(2020, 6, 1), ("too_young_is_adult",), age(2.0), 1300.0, 750.0),
    Change(
        date(2020, 6, 1),
        ("foreign_needs_established",),
        lambda edition: is_eligible(edition.constants, 25.0, 2300.0, True, False),
        True,
        False,
    ),
    Change(date(2023, 2, 1), ("bonus_threshold",), threshold, 14, 12),
    Change(date(2024, 3, 1), ("fide",), fide(1420.0), 1514.8, 1151.714),
    Change(date(2024, 3, 1), ("fide_youth",), youth(1500.0), 1700.0, 1447.05),
    Change(date(2025, 1, 1), ("cfc",), cfc(1000.0), 910.0, 700.0),
    Change(date(2025, 1, 1), ("bonus_threshold",), threshold, 12, 10),
)


def answer(change: Change, on: date) -> Answer:
    """What the edition of a day answers."""
    try:
        return change.question(edition_for(on))
    except NoEditionError:
        return NO_EDITION


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: f"{change.day} {' '.join(change.touches) or 'begin'}")
def test_a_change_is_in_force_from_its_day_on(change: Change) -> None:
    """§8 (2025 text), rules history §1: not the day before, but on the day and the day after (readings 12)."""
    assert change.before != change.since
    assert answer(change, change.day - DAY) == change.before
    assert answer(change, change.day) == change.since
    assert answer(change, change.day + DAY) == change.since


@pytest.mark.parametrize("amendment", AMENDMENTS, ids=lambda a: f"{a.effective} {' '.join(a.changes) or 'begin'}")
def test_every_amendment_is_asked_about(amendment: Amendment) -> None:
    """§8: whatever an amendment changes must be in the table above, on its day."""
    of_the_day = [change.touches for change in CHANGES if change.day == amendment.effective]
    asked = {name for touches in of_the_day for name in touches}
    assert of_the_day
    assert set(amendment.changes) <= asked


def test_the_table_above_asks_about_nothing_else() -> None:
    """§8: no day and no name in it that no amendment has."""
    known = {(amendment.effective, name) for amendment in AMENDMENTS for name in amendment.changes}
    assert {(change.day, name) for change in CHANGES for name in change.touches} == known


# The table of B in rules history §1, first and last day of each value.
TABLE_OF_B = (
    (date(2001, 1, 1), date(2008, 6, 5), 10.0),
    (date(2008, 6, 6), date(2012, 8, 2), 6.0),
    (date(2012, 8, 3), date(2014, 3, 19), 8.0),
    (date(2014, 3, 20), date(2015, 5, 31), 10.0),
    (date(2015, 6, 1), date(2017, 5, 31), 12.0),
    (date(2017, 6, 1), date(2023, 1, 31), 14.0),
    (date(2023, 2, 1), date(2024, 12, 31), 12.0),
    (date(2025, 1, 1), date(2035, 12, 31), 10.0),
)


@pytest.mark.parametrize(("first", "last", "b"), TABLE_OF_B)
def test_the_table_of_b(first: date, last: date, b: float) -> None:
    """§4.2, §8 (2025 text), rules history §1, readings 3 to 5 and 9: first day, second, one in between, last."""
    for day in (first, first + DAY, first + (last - first) / 2, last):
        assert edition_for(day).constants.bonus_threshold == b


# Every row of the table of dates in rules history §1: date, what it touches, and whether the day is in doubt there.
HISTORY = (
    ("new system", date(2001, 1, 1), "", False),
    ("dual rating up to 60 min", date(2002, 1, 1), "controls", True),
    ("Quick down to 5 min", date(2004, 1, 1), "controls", True),
    ("money floor $1,000 -> $2,000", date(2006, 3, 1), "money_prize", True),
    ("half-K events abolished", date(2006, 3, 1), "half_k_is_allowed", True),
    ("age formula changed", date(2006, 7, 1), "age_base", True),
    ("new match rules", date(2006, 2, 1), "match_needs_established", True),
    ("monthly official lists", date(2007, 2, 1), "lists", False),
    ("B 10 -> 6", date(2008, 6, 6), "bonus_threshold", False),
    ("personal absolute floor", date(2008, 8, 7), "personal_floor_is_used", False),
    ("new FIDE conversion of July 2008", date(2008, 7, 1), "fide", True),
    ("floors at 1200, 1300", date(2010, 4, 1), "peak_lowest_since_2010", False),
    ("mm+ss; upper dual bound 65", date(2012, 1, 1), "controls", True),
    ("B 6 -> 8", date(2012, 8, 3), "bonus_threshold", False),
    ("OTB Blitz", date(2013, 3, 1), "adds_systems", False),
    ("Quick becomes > 10", date(2013, 3, 1), "controls", False),
    ("effective-games formula", date(2013, 5, 8), "effective_base", False),
    ("reduced K over 2200 in dual events", date(2013, 5, 8), "dual_k_is_reduced", False),
    ("B 8 -> 10", date(2014, 3, 20), "bonus_threshold", False),
    ("floating-point storage", date(2014, 9, 1), "stores_whole_numbers", False),
    ("OL Blitz", date(2014, 10, 1), "adds_systems", False),
    ("OL Quick", date(2015, 3, 1), "adds_systems", False),
    ("B 10 -> 12", date(2015, 6, 1), "bonus_threshold", False),
    ("money floor $2,000 -> $4,000", date(2017, 1, 1), "money_prize", True),
    ("B 12 -> 14", date(2017, 6, 1), "bonus_threshold", False),
    ("OL Regular", date(2020, 6, 1), "adds_systems", False),
    ("blended initialisation", date(2020, 6, 1), "initialisation", False),
    ("B 14 -> 12", date(2023, 2, 1), "bonus_threshold", False),
    ("FIDE conversions", date(2024, 3, 1), "fide", False),
    ("CFC conversions", date(2025, 1, 1), "cfc", False),
    ("B 12 -> 10", date(2025, 1, 1), "bonus_threshold", False),
    ("no bonus when m = 3 and an opponent is met twice", date(2001, 1, 1), "bonus_meetings_in_three", False),
)


@pytest.mark.parametrize(("row", "day", "touched", "is_doubtful"), HISTORY, ids=[row[0] for row in HISTORY])
def test_every_row_of_rules_history_has_its_amendment(row: str, day: date, touched: str, is_doubtful: bool) -> None:
    """§8, rules history §1, readings 10 and 11: an unknown day is marked, a known one is not."""
    of_the_day = [amendment for amendment in AMENDMENTS if amendment.effective == day]
    (found,) = [a for a in of_the_day if touched in a.changes or (not touched and not a.changes)]
    assert found.is_uncertain is is_doubtful, row


def test_an_assumed_day_lies_between_the_days_it_could_be() -> None:
    """§8, readings 11: the placeholder is one of the days that the sources allow."""
    for amendment in AMENDMENTS:
        if amendment.could_be is not None:
            earliest, latest = amendment.could_be
            assert earliest <= amendment.effective <= latest
            assert earliest < latest


def test_every_amendment_says_what_where_from_and_how_known() -> None:
    """§8, readings 112: a sentence, a source, the date as stated, and text, official results or assumed."""
    for amendment in AMENDMENTS:
        assert amendment.summary.endswith(".")
        assert amendment.source
        assert amendment.stated
        assert amendment.knowledge in Knowledge
    by_results = [a.effective for a in AMENDMENTS if a.knowledge is Knowledge.RESULTS]
    assert by_results == [date(2001, 1, 1), date(2013, 5, 8)]


# The days between

EDITION_DAYS = sorted({change.day for change in CHANGES})


def test_there_is_an_edition_for_every_day_of_change_and_no_other() -> None:
    """§8: each day of change has its edition, named after its day."""
    assert [edition.effective for edition in EDITIONS] == EDITION_DAYS
    assert [edition.name for edition in EDITIONS] == [day.isoformat() for day in EDITION_DAYS]


def test_nothing_changes_between_two_days_of_change() -> None:
    """§8: on every single day since 2001 the edition is that of the last day of change."""
    last = EDITION_DAYS[0]
    for ordinal in range(date(2001, 1, 1).toordinal(), date(2027, 1, 1).toordinal()):
        day = date.fromordinal(ordinal)
        last = day if day in EDITION_DAYS else last
        assert edition_for(day) is edition_for(last)


@pytest.mark.parametrize("day", [date(2000, 12, 31), date(1991, 12, 1), date.min])
def test_before_2001_there_are_no_rules(day: date) -> None:
    """§8, readings 13: refused rather than guessed, with the day and the beginning named."""
    with pytest.raises(NoEditionError, match=rf"{day}: .* began on 2001-01-01"):
        edition_for(day)


def test_the_law_is_seen_through_the_text_of_july_2025() -> None:
    """§8, readings 113: the newest text seen is of 2025-07-26."""
    assert date(2025, 7, 26) == LAW_SEEN_THROUGH


# Folding


def test_an_amendment_with_an_unknown_name_fails_at_once() -> None:
    """§8: a slip in the list cannot pass unnoticed."""
    slip = Amendment(date(2026, 1, 1), "", "", Knowledge.TEXT, "", {"bonus_treshold": 9.0})
    with pytest.raises((TypeError, ValueError), match="bonus_treshold"):
        amended(FIRST_EDITION, slip)


def test_amendments_out_of_order_fail_at_once() -> None:
    """§8: the list is oldest first."""
    with pytest.raises(AssertionError, match="out of order"):
        fold(FIRST_EDITION, reversed(AMENDMENTS))


def test_an_edition_keeps_the_amendments_it_is_made_of() -> None:
    """§8: all up to its day."""
    for edition in EDITIONS:
        assert edition.amendments == tuple(a for a in AMENDMENTS if a.effective <= edition.effective)


def test_a_summary_prints_the_numbers_of_its_own_row() -> None:
    """§8: no summary has a place that its row does not fill, and each threshold is told as it is in force."""
    assert not [one.summary for one in AMENDMENTS if "{" in one.summary]
    told = {one.effective: one.summary for one in AMENDMENTS if "bonus_threshold" in one.changes}
    assert told[date(2008, 6, 6)] == "Bonus point threshold reduced to 6."
    for day, summary in told.items():
        assert summary.endswith(f" to {edition_for(day).constants.bonus_threshold:g}.")
