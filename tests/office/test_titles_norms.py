"""Norms and titles from postings (official facts §1), and that a title once awarded stays (readings 62).

Four wins against 1500 make a norm of the third category: C at 1400 is 0.375 a game against 1500 (less than 0.4 against
what is left of it after the loss), so the margin is 2.4 or more; at 1600 it is 0.75 or more, the margin at most 1.0.
Two hundred points up, or six hundred, everything moves by as much: 1700 gives the second category, 2100 a candidate
master's norm.
"""

from datetime import date, timedelta

import pytest

from crosstable.errors import OfficeError
from crosstable.office.corrections import withdraw
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.members import NewStartingRating, merge_members
from crosstable.office.titles import TitleKind, norms_of, titles_of
from crosstable.terms import Report
from tests.engine.wallcharts import Played
from tests.office.made_office import (
    AUTHOR,
    OTBR,
    HandClock,
    enter,
    join,
    member_id,
    opening,
    person,
    report,
    run,
    section,
)

FIRST = date(2026, 1, 10)
# Opponents, four for every section, all of one rating.
LEVELS = {100: 1500.0, 200: 1700.0, 600: 2100.0}
SECTIONS = 7


def newcomers(*openings: NewStartingRating) -> list[NewStartingRating]:
    """The openings of the members under test, and of all their opponents."""
    found = list(openings)
    for first, rating in LEVELS.items():
        found += [opening(first + at, rating, 60.0) for at in range(4 * SECTIONS)]
    return found


def begin(office: Office, *openings: NewStartingRating) -> None:
    """Members 1 and 2, and the opponents."""
    numbers = [1, 2, *(first + at for first in LEVELS for at in range(4 * SECTIONS))]
    join(office, [person(number) for number in numbers], newcomers(*openings))


def day(at: int) -> date:
    return FIRST + timedelta(days=7 * at)


def wins(at: int, against: int, games: int = 4, member: int = 1) -> Report:
    """The section of week ``at``: a member beats so many opponents of one level, each once."""
    rows = [f"1 ={member} | {' '.join(f'W{number}' for number in range(2, games + 2))}"]
    for number in range(2, games + 2):
        cells = ["U"] * games
        cells[number - 2] = "L1"
        rows.append(f"{number} ={against + 4 * at + number - 2} | {' '.join(cells)}")
    return report(f"week{at}-{member}", section("\n".join(rows), Played(start=day(at))))


def titles(office: Office, number: int = 1, known_on: date | None = None) -> dict[TitleKind, date]:
    with office.reading() as connection:
        return {title.kind: title.earned for title in titles_of(connection, member_id(number), known_on)}


def codes(office: Office, number: int = 1, known_on: date | None = None) -> str:
    with office.reading() as connection:
        return "".join(norm.code for norm in norms_of(connection, member_id(number), known_on))


def test_five_norms_make_a_title_once_the_rating_is_established(office: Office) -> None:
    """Five sections of four games on 5 make 25 games, which is not established; one more game is."""
    begin(office, opening(1, 1400.0, 5.0))
    enter(office, *(wins(at, 100) for at in range(5)))
    made = run(office)
    assert made is not None
    assert codes(office) == "33333"
    assert titles(office) == {}
    enter(office, wins(5, 100, games=1))
    run(office)
    assert codes(office) == "33333"  # one game makes no norm
    assert titles(office) == {TitleKind.FOURTH_CATEGORY: day(5), TitleKind.THIRD_CATEGORY: day(5)}
    with office.reading() as connection:
        norm = norms_of(connection, member_id(1))[0]
    assert (norm.level, norm.title, norm.event_id, norm.run) == (1400, TitleKind.THIRD_CATEGORY, "week0-1", made.act)


def test_a_higher_norm_counts_at_every_lower_level(office: Office) -> None:
    """Four norms of the third category and one of the second: five at 1400 and below, one at 1600."""
    begin(office, opening(1, 1500.0, 30.0))
    enter(office, *(wins(at, 100) for at in range(4)))
    run(office)
    assert titles(office) == {}
    enter(office, wins(4, 200))
    run(office)
    assert codes(office) == "33332"
    assert titles(office) == {TitleKind.FOURTH_CATEGORY: day(4), TitleKind.THIRD_CATEGORY: day(4)}


def test_the_upper_titles_also_need_a_rating_of_their_level(office: Office) -> None:
    """A ceiling of 1950 keeps a player with five candidate master's norms below 2000."""
    begin(office, opening(1, 1900.0, 30.0))
    act = decide(office, AUTHOR, Ruling(DecisionKind.CEILING, member_id(1), OTBR, FIRST - timedelta(days=1), 1950.0))
    enter(office, *(wins(at, 600) for at in range(5)))
    run(office)
    assert codes(office) == "CCCCC"
    found = titles(office)
    assert TitleKind.FIRST_CATEGORY in found
    assert TitleKind.CANDIDATE_MASTER not in found
    decide(office, AUTHOR, Ruling(DecisionKind.REVOKE, details={"act": act}))
    run(office)
    assert titles(office)[TitleKind.CANDIDATE_MASTER] == day(4)


@pytest.mark.parametrize(
    ("rating", "games", "is_master"),
    [(2199.49, 40.0, False), (2199.5, 40.0, True), (2250.0, 25.0, False), (2250.0, 26.0, True), (2200.0, None, True)],
)
def test_a_national_master_has_had_an_established_rating_of_2200(
    office: Office, rating: float, games: float | None, is_master: bool
) -> None:
    begin(office, opening(1, rating, games))
    run(office)
    assert (TitleKind.NATIONAL_MASTER in titles(office)) is is_master


def test_a_title_that_was_awarded_stays_when_its_event_is_withdrawn(office: Office, clock: HandClock) -> None:
    begin(office, opening(1, 2180.0, 40.0))
    before = clock.today
    clock.go(days=1)
    enter(office, wins(0, 600))
    made = run(office)
    assert made is not None
    assert titles(office) == {TitleKind.NATIONAL_MASTER: day(0)}
    clock.go(days=1)
    withdraw(office, AUTHOR, "week0-1")
    run(office)
    assert codes(office) == ""
    assert titles(office) == {TitleKind.NATIONAL_MASTER: day(0)}
    with office.reading() as connection:
        (title,) = titles_of(connection, member_id(1))
    assert (title.act, title.event_id, title.section) == (made.act, "week0-1", 1)
    assert titles(office, known_on=before) == {}
    assert codes(office, known_on=before + timedelta(days=1)) == "C"


def test_an_original_life_master_by_games_or_by_decision(office: Office) -> None:
    """300 games at 2200 or more (readings 69); 297 and 4 are enough, and the office may award it itself."""
    begin(office, opening(1, 2300.0, 400.0, games_at_2200=297), opening(2, 1800.0, 400.0))
    run(office)
    assert TitleKind.ORIGINAL_LIFE_MASTER not in titles(office)
    enter(office, wins(0, 600))
    run(office)
    assert titles(office)[TitleKind.ORIGINAL_LIFE_MASTER] == day(0)
    act = decide(office, AUTHOR, Ruling(DecisionKind.LIFE_MASTER, member_id(2), effective=FIRST))
    assert titles(office, 2) == {TitleKind.ORIGINAL_LIFE_MASTER: FIRST}
    with office.reading() as connection:
        assert titles_of(connection, member_id(2))[0].act == act
    decide(office, AUTHOR, Ruling(DecisionKind.REVOKE, details={"act": act}))
    assert titles(office, 2) == {}


def test_a_merged_member_keeps_the_titles_of_both_ids(office: Office) -> None:
    begin(office, opening(1, 2180.0, 40.0), opening(2, 1500.0, 40.0))
    enter(office, wins(0, 600), *(wins(at, 100, member=2) for at in range(5)))
    run(office)
    assert titles(office) == {TitleKind.NATIONAL_MASTER: day(0)}
    merge_members(office, AUTHOR, member_id(2), member_id(1))
    run(office)
    kinds = {TitleKind.NATIONAL_MASTER, TitleKind.FOURTH_CATEGORY, TitleKind.THIRD_CATEGORY}
    assert titles(office).keys() == titles(office, 2).keys() == kinds


def test_somebody_unknown_is_an_error(office: Office) -> None:
    with office.reading() as connection:
        for ask in (titles_of, norms_of):
            with pytest.raises(OfficeError, match="member 5 is not known"):
                ask(connection, "5")
