"""The rules in words: sentences with the numbers of their day, the section, and the document they are known from."""

import math
from datetime import date

import pytest

from crosstable.rules.amending import Edition
from crosstable.rules.constants import NO_LIMIT, Constants, conversion
from crosstable.rules.editions import EDITIONS, changed_on, edition_for, last_changed
from crosstable.rules.in_words import (
    DESCRIBED,
    age_based,
    bonus_repeats,
    converted_by,
    dual_k,
    games_credited,
    listed,
    match_conditions,
    match_limits,
    times,
)
from crosstable.rules.statements import Statement, changed_statements, known_from, said_of, statements

NEWEST = EDITIONS[-1]
CONSTANTS = NEWEST.constants


def of(edition: Edition, key: str) -> Statement:
    """The statement with an id."""
    (found,) = [one for one in statements(edition) if one.sentence.key == f"rules:{key}"]
    return found


@pytest.mark.parametrize(
    ("day", "key", "text"),
    [
        # 2025 text §1, footnote 1; until 2013 there is no Blitz (§8).
        (
            "2026-01-01",
            "quick",
            "Quick: more than 10, less than 30, in one sudden-death stage of at least 5 minutes.",
        ),
        ("2026-01-01", "blitz", "Blitz: 5 to 10, in one sudden-death stage of at least 3 minutes."),
        (
            "2003-01-01",
            "quick-alone",
            "Quick: 10 or more, less than 30, in one sudden-death stage of at least 5 minutes.",
        ),
        ("2003-01-01", "main-time", "The minutes of all stages decide; delay and increment do not count."),
        # Delegates' motion of August 2008: a longer delay is Regular alone.
        (
            "2009-01-01",
            "dual",
            "Regular and Quick at once (dual-rated), over the board: 30 to 60 and a delay of at most 15 seconds. "
            "Online there is no dual rating.",
        ),
        # 2025 text §4.2.
        ("2026-01-01", "k", "K = 800/(N' + m), with m games in the section."),
        (
            "2026-01-01",
            "dual-k",
            "In dual-rated sections the Regular K is smaller above 2200: 800 (6.5 - 0.0025 R)/(N' + m), and 200/(N' + "
            "m) from 2500 up.",
        ),
        ("2012-01-01", "one-k", "Dual-rated sections have the same K."),
        # 2025 text §5.
        (
            "2026-01-01",
            "personal",
            "Over the board it is 100 + 4 for a win + 2 for a draw + 1 for an event of 3 games or more, at most 150.",
        ),
        (
            "2026-01-01",
            "peak",
            "Established players have a floor at the 100-point level 200 below their highest established rating, from "
            "1400 to 2100 (from 1200 for peaks since 2010-04-01).",
        ),
        # 2025 text §2.1, §2.2, §2.3.
        (
            "2026-01-01",
            "fide",
            "A FIDE rating becomes -1073 + 1.5667 × FIDE up to 2000, 20 + 1.02 × FIDE beyond. It counts for 10 games "
            "above 2000, else for 5.",
        ),
        (
            "2026-01-01",
            "age",
            "Without any of these the age decides: 50 points for every year from 3 to 26 (days are counted), 1300 "
            "beyond.",
        ),
        # 2004 text: 300 + 50 a year from 4 to 20.
        (
            "2005-01-01",
            "age",
            "Without any of these the age decides: 300 + 50 points for every year from 4 to 20 (days are counted), "
            "1300 beyond.",
        ),
        # 2015 text §2.3: Blitz starts from an established Regular rating first.
        (
            "2016-01-01",
            "priorities-OTBB",
            "An unrated player starts in Blitz from the first of these: Regular on more than 25 games (the most "
            "games), FIDE (games by its height), CFC (games by its height), Regular on 4 games or more (its own "
            "games), Quick on 4 games or more (no games); else by age.",
        ),
        # Official facts §3: six lists a year until 2007.
        ("2001-01-01", "lists", "Official ratings appear in 6 supplements a year, from 4 games on."),
        (
            "2026-01-01",
            "lists",
            "Official ratings appear in 12 supplements a year, made on the third Wednesday of the month before, from 4 "
            "games on.",
        ),
    ],
)
def test_a_rule_is_said_with_the_numbers_of_its_day(day: str, key: str, text: str) -> None:
    """§1 to §8: each sentence against the document named beside it."""
    assert of(edition_for(date.fromisoformat(day)), key).sentence.text == text


@pytest.mark.parametrize("edition", EDITIONS, ids=[edition.name for edition in EDITIONS])
def test_every_edition_can_be_said(edition: Edition) -> None:
    """§8: every sentence is whole, its id its own, and its document no younger than the edition."""
    found = statements(edition)
    assert len({one.sentence.key for one in found}) == len(found)
    for one in found:
        assert one.sentence.text.endswith(".")
        assert "nan" not in one.sentence.text
        assert "inf" not in one.sentence.text.replace("information", "")
        known = known_from(edition, one)
        assert known.since <= edition.effective
        assert known.source
    assert [one for one in found if not one.section] == [of(edition, "lists")]


def test_a_statement_names_its_section_and_the_amendment_behind_it() -> None:
    """§8: the threshold of 2025, the established games of 2001, the limits of matches of 2006 whose day is assumed."""
    bonus = of(NEWEST, "bonus")
    assert (bonus.section, bonus.mark) == ("4.2", "§4.2; ")
    assert known_from(NEWEST, bonus).since == date(2025, 1, 1)
    assert known_from(NEWEST, of(NEWEST, "established")).since == date(2001, 1, 1)
    limits = known_from(NEWEST, of(NEWEST, "match-limits"))
    assert (limits.since, limits.is_assumed) == (date(2006, 2, 1), True)
    assert of(NEWEST, "lists").mark == ""
    assert known_from(NEWEST, of(NEWEST, "systems")).since == date(2020, 6, 1)


def test_the_sentences_of_one_part_stand_together() -> None:
    assert said_of(NEWEST, "Floors")[0] == "No rating is below 100."
    assert said_of(NEWEST, "no such part") == ()


def test_days_of_changes_are_those_of_the_amendments() -> None:
    """§8: peak floors at 1200 and 1300 on 2010-04-01; half-K until March 2006; the newest threshold 2025-01-01."""
    assert changed_on("peak_lowest_since_2010") == date(2010, 4, 1)
    assert changed_on("half_k_is_allowed") == date(2006, 3, 1)
    assert last_changed(NEWEST, "bonus_threshold") == date(2025, 1, 1)
    assert last_changed(NEWEST, "established_above") == date(2001, 1, 1)


def test_phrases_leave_out_what_is_not_in_force() -> None:
    """§4.2, §7: limits that are infinite, a rule that is the same for all."""
    free = CONSTANTS._replace(match_change=NO_LIMIT, match_half_year=NO_LIMIT, match_three_years=NO_LIMIT)
    assert match_limits(free) == "none"
    assert match_conditions(CONSTANTS._replace(match_published_gap=NO_LIMIT)) == (
        "Both players need established, published ratings."
    )
    assert bonus_repeats(CONSTANTS._replace(bonus_meetings_in_three=2)) == "more than twice"
    assert dual_k(CONSTANTS) == "K is smaller above 2200"
    assert dual_k(CONSTANTS._replace(dual_k_is_reduced=False)) == "K is the same"
    assert age_based(CONSTANTS._replace(age_base=300.0)) == "300 + 50 points for every year"
    assert games_credited(5.0, 5.0, 1500.0) == "5 games"


def test_small_words() -> None:
    assert [times(count) for count in (1, 2, 3)] == ["once", "twice", "3 times"]
    assert listed(["one"]) == "one"
    assert listed(["one", "two", "three"]) == "one, two and three"


def test_a_conversion_that_was_not_found_says_so() -> None:
    """Rules history §5: the upper part of July 2008 is missing."""
    lost = conversion((2000.0, False, 720.0, 0.625), (NO_LIMIT, True, math.nan, math.nan))
    assert converted_by(lost, "FIDE") == "720 + 0.625 × FIDE below 2000, a number whose formula was not found beyond"


def test_no_peak_floor_at_all_is_said() -> None:
    none = NEWEST._replace(constants=CONSTANTS._replace(peak_lowest=NO_LIMIT, peak_lowest_since_2010=NO_LIMIT))
    assert of(none, "peak").sentence.text.endswith("highest established rating, at no level.")


def test_limits_on_the_games_of_a_source_are_said() -> None:
    """2015 text §2: a line of a priority list may have a limit on both sides."""
    old = edition_for(date(2016, 1, 1))
    first = old.constants.priorities[1]
    lists = (old.constants.priorities[0], (first[0]._replace(at_most=30.0), *first[1:]), *old.constants.priorities[2:])
    changed = old._replace(constants=old.constants._replace(priorities=lists))
    assert "Regular on 4 games or more on at most 30 games" in of(changed, "priorities-OTBQ").sentence.text


def test_every_constant_is_described() -> None:
    assert set(DESCRIBED) == set(Constants._fields)


def test_what_changed_between_two_days_is_said_before_and_after() -> None:
    """2025 text §8: the bonus threshold became 10 on January 1, 2025; it had been 12."""
    before, after = edition_for(date(2024, 12, 31)), edition_for(date(2025, 1, 1))
    changed = changed_statements(before, after)
    (bonus,) = [one for one in changed if "B = " in one.after]
    assert (bonus.section, bonus.before.count("12"), bonus.after.count("10")) == ("4.2", 1, 1)
    assert all(one.before != one.after for one in changed)
    both = [{one.sentence.text for one in statements(edition)} for edition in (before, after)]
    assert {one.before for one in changed} - {""} == both[0] - both[1]
    assert {one.after for one in changed} - {""} == both[1] - both[0]
    assert changed_statements(after, after) == ()
