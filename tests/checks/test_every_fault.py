"""§6, §7, §8: every fault that an event file can have, each provoked by a small file, with its place.

An error anywhere means that nothing is rated; a warning informs, and the event is rated.
"""

import json
import re
from datetime import date

import pytest

from crosstable.catalogue import CATALOGUE
from crosstable.checks import check
from crosstable.checks.plausibility import plausibility
from crosstable.errors import FormatError, Severity
from crosstable.faults import fault
from crosstable.formats import event_json
from crosstable.pipeline.checking import check as check_report
from crosstable.pipeline.rating import RatedEvent, rate
from crosstable.pipeline.reading import read
from tests.checks.provoked import (
    CASES,
    Provoked,
    abroad,
    long_series,
    match,
    newcomer_of_fide,
    pair,
    published,
    sound,
    two_days,
    with_section,
)
from tests.event_files import EventFile, Ratings, event_file, player, record

# Codes of other formats, and of those alone.
NOT_FROM_EVENT_FILES = {
    *("damaged-file", "ignored-record", "code-page-guessed", "start-not-read", "end-not-read", "no-ratings"),
    *("fide-ratings-only", "rating-column-not-known", "result-missing", "number-of-players", "similar-names"),
    "rounds-missing",
}
# Codes of writing; tests/formats/test_uschess_write.py and tests/cli/test_convert_to_dbf.py provoke them.
OF_WRITING = {"shortened", "respelled", "not-written", "report-incomplete"}
# Codes that need more than the file: today's date, bytes that are no file at all, the rated result, the command line.
AFTER_RATING = {"bonus-lost", "far-from-performance", "match-limited", "floor-requested", "ceiling-below-floor"}
PROVOKED_BELOW = {"in-the-future", "not-readable", "no-game", *AFTER_RATING}
# tests/pipeline provokes what only options and members files bring.
PROVOKED_AT_THE_DOOR = {
    *(
        "rating-not-known",
        "waits-for-section",
        "no-such-section",
        "not-used",
        "all-unrated",
        "not-in-members-file",
    ),
}
# tests/checks/test_entries.py provokes these.
BEFORE_ROUND_1 = {"duplicate-entry", "over-limit", "unrated-player", "memberships-not-checked", "odd-one-out"}
# Only an office knows its members; tests/office/test_submissions.py and test_who_may_say_what.py provoke these.
PROVOKED_IN_AN_OFFICE = {
    *("member-not-known", "id-needed", "before-opening", "other-name", "event-id-shape", "late-report", "not-a-member"),
    *("played-before", "late-submission", "new-member", "other-affiliate", "erased-member"),
    *("systems-named", "fide-not-on-record", "record-differs", "cfc-notice", "money-prize"),
}


def rated(event: object, today: date | None = None) -> RatedEvent:
    """An event file, read, checked on a day, and rated as far as it may be."""
    return rate(read(json.dumps(event).encode(), "event.json"), today=today)


def words(place: str) -> str:
    """A place in a director's words, without the player's name and without where the file has it."""
    return re.sub(r" \([^)]*\)| \[.*\]$", "", place)


def long_match(loser: Ratings) -> EventFile:
    """A match of eight games, all lost by a player with this record to one of 1700."""
    lost = player(1, "L2 " * 8, ratings={"OTBR": loser})
    won = player(2, "W1 " * 8, ratings={"OTBR": published(1700.0)})
    return event_file(lost, won, type="match")


def with_ceiling(ceiling: float) -> EventFile:
    """A player with a floor of 1700, from a peak of 1941, and a ceiling."""
    return event_file(
        player(1, "W2", ratings={"OTBR": record(1705.0, peak=1941.0, ceiling=ceiling)}), player(2, "L1", 1700.0)
    )


def codes(event: RatedEvent) -> list[str]:
    """The codes of all faults."""
    return [found.code for found in event.faults]


@pytest.mark.parametrize("case", CASES, ids=[f"{at}-{case.code}" for at, case in enumerate(CASES)])
def test_the_fault_is_reported_where_it_is(case: Provoked) -> None:
    """§7: its code, its places, nothing but what follows from it; errors stop the rating, warnings do not."""
    event = rated(case.event)
    places = tuple(words(found.place) for found in event.faults if found.code == case.code)
    assert places == case.places
    assert {found.code for found in event.faults} - {case.code} == case.follows
    stops = any(CATALOGUE[code].severity.stops for code in {case.code, *case.follows})
    assert event.has_errors is stops
    assert bool(event.to_dict()["sections"]) is not stops


@pytest.mark.parametrize("case", CASES, ids=[f"{at}-{case.code}" for at, case in enumerate(CASES)])
def test_the_fault_says_what_is_wrong_and_what_would_be_right(case: Provoked) -> None:
    for found in rated(case.event).faults:
        assert found.severity is CATALOGUE[found.code].severity
        assert found.message.endswith("."), found
        assert found.remedy.endswith((".", "…", "Z.")), found
        assert found.message.isprintable()
        assert found.place.isprintable()


def test_no_code_is_left_unprovoked() -> None:
    """A code that no file can provoke is either dead or untested."""
    provoked = {case.code for case in CASES} | PROVOKED_BELOW
    elsewhere = NOT_FROM_EVENT_FILES | OF_WRITING | PROVOKED_AT_THE_DOOR | PROVOKED_IN_AN_OFFICE | BEFORE_ROUND_1
    assert set(CATALOGUE) - provoked == elsewhere


def test_a_sound_file_has_no_fault_and_nothing_is_assumed() -> None:
    """§1: the file that the others are made from by one mistake each."""
    event = rated(sound())
    assert event.faults == ()
    assert [player.assumed for player in event.rated[0][0].players] == [(), (), ()]


def test_a_code_outside_the_catalogue_cannot_be_reported() -> None:
    with pytest.raises(KeyError):
        fault("no-such-code", "here", "Wrong.")


def test_a_section_that_ends_tomorrow_is_in_the_future() -> None:
    """The last day is still past; without a day to compare with nothing is."""
    assert codes(rated(sound(), date(2025, 8, 1))) == []
    event = rated(sound(), date(2025, 7, 31))
    assert [(found.code, words(found.place)) for found in event.faults] == [("in-the-future", "section 1")]
    assert event.to_dict()["sections"] == []


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe{}", b"not json", b'{"format": }'])
def test_what_is_no_json_is_not_readable(data: bytes) -> None:
    with pytest.raises(FormatError) as raised:
        event_json.read(data, "event.json")
    assert raised.value.fault.code == "not-readable"
    assert raised.value.fault.place.startswith("event.json")


@pytest.mark.parametrize("cells", [("U", "H"), ("X2", "F1"), ("", "")])
def test_a_section_without_a_game_is_never_rated(cells: tuple[str, str]) -> None:
    """It is an error where it is rated and an entry list where it is checked."""
    report = event_json.read(json.dumps(pair(*cells)).encode(), "event.json").report
    assert [found.code for found in rate(report, today=None).faults] == ["no-game"]
    checked = check_report(report, today=None)
    assert ([found.code for found in checked.faults], checked.event.rated) == (["entry-list"], ())


# What only the result shows


def repeated(rounds: int) -> EventFile:
    """Player 1 beats player 2 in every round, and player 3 in a last one."""
    return event_file(
        player(1, "W2 " * rounds + "W3", 1500.0),
        player(2, "L1 " * rounds + "U", 1600.0),
        player(3, "U " * rounds + "L1", 1600.0),
    )


@pytest.mark.parametrize(
    ("event", "code", "place"),
    [
        (repeated(3), "bonus-lost", "section 1, player 1, OTBR"),
        (repeated(2), "bonus-lost", "section 1, player 1, OTBR"),
        (
            event_file(
                player(1, "W2 W3 W4 W5", 1000.0),
                *(player(2 + at, ["U"] * at + ["L1"], 1700.0) for at in range(4)),
            ),
            "far-from-performance",
            "section 1, player 1, OTBR",
        ),
        (match(published(1700.0), published(2100.0)), "", ""),
        (long_match(record(1900.0, published=1900)), "match-limited", "section 1, player 1, OTBR"),
        (long_match(record(1705.0, published=1705, peak=1941.0)), "floor-requested", "section 1, player 1, OTBR"),
        (with_ceiling(1690.0), "ceiling-below-floor", "section 1, player 1, OTBR"),
    ],
)
def test_what_only_the_rated_result_shows_is_a_warning(event: EventFile, code: str, place: str) -> None:
    """§4.2, §5, §7: a repeat costs the bonus; 600 points away; 50 points a match; a floor met in a match."""
    found = [each for by_system in rated(event).rated for one in by_system for each in plausibility(one)]
    assert all(each.severity is Severity.WARNING for each in found)
    wanted = [words(each.place) for each in found if each.code == code]
    assert wanted[:1] == ([place] if code else [])
    assert {each.code for each in found} <= AFTER_RATING


# All at once


def test_every_fault_of_a_file_is_reported_at_once() -> None:
    """Seven mistakes of seven kinds in three sections: seven faults, and nothing is rated."""
    event = sound()
    event["sections"] = [
        with_section(time_control="fast", start_date="yesterday")["sections"][0],
        pair("W2 Q D9", "W1 U U", number=2)["sections"][0],
        event_file(player(1, "W1", 1700.0, member_id="12", name="Other, One", adult=3), number=3)["sections"][0],
    ]
    found = rated(event)
    assert sorted((each.code, words(each.place)) for each in found.faults) == [
        ("bad-date", "sections[0].start_date"),
        ("member-id-shape", "section 3, player 1"),
        ("not-mirrored", "section 2, player 1, round 1"),
        ("not-mirrored", "section 2, player 2, round 1"),
        ("opponent-missing", "section 2, player 1, round 3"),
        ("plays-self", "section 3, player 1, round 1"),
        ("time-control-not-read", "section 1"),
        ("unknown-code", "section 2, player 1, round 2"),
        ("wrong-type", "sections[2].players[0].adult"),
    ]
    assert found.to_dict()["sections"] == []


def test_one_bad_section_holds_the_whole_document_back() -> None:
    """Design: exit code 1 means that nothing was rated, though the other section was sound."""
    event = sound()
    event["sections"].append(pair("W2", "W1", number=2)["sections"][0])
    found = rated(event)
    assert [section[0].section.number for section in found.rated] == [1]
    assert [section["number"] for section in found.to_dict()["sections"]] == [1]


# Warnings rate


@pytest.mark.parametrize(
    ("one", "other", "games"),
    [("N2", "U", (1, 0)), ("R2", "U", (1, 0)), ("S2", "U", (1, 0)), ("N2", "N1", (1, 1)), ("R2", "S1", (1, 1))],
)
def test_one_sided_results_are_rated_on_their_own_row_with_a_warning(
    one: str, other: str, games: tuple[int, int]
) -> None:
    """§7, readings 92: N counts as a win, R as a draw, S as a loss, for that player alone."""
    event = rated(pair(one, other))
    assert not event.has_errors
    assert set(codes(event)) == {"one-sided"}
    rows = event.to_dict()["sections"][0]["systems"]["OTBR"]["players"]
    assert tuple(row["games_after"] - 40 for row in rows) == games
    assert rows[0]["score"] == {"N": 1.0, "R": 0.5, "S": 0.0}[one[0]]


@pytest.mark.parametrize("cell", ["X", "X2", "F", "F9", "B", "H", "U", "Z", "*", "", None, " h "])
def test_what_is_no_game_needs_no_opponent_and_no_mirror(cell: str | None) -> None:
    """§7, readings 82: games in which one player makes no move are not rated."""
    event = sound()
    event["sections"][0]["players"][0]["rounds"][2] = cell
    found = rated(event)
    assert found.faults == ()
    assert found.to_dict()["sections"][0]["systems"]["OTBR"]["players"][0]["games_after"] == 42


@pytest.mark.parametrize("cell", ["w2W", " W 2 w ", "W02w", "W2"])
def test_cells_are_read_as_people_write_them(cell: str) -> None:
    event = sound()
    event["sections"][0]["players"][0]["rounds"][0] = cell
    assert rated(event).faults == ()


def test_a_checked_event_knows_whether_it_has_errors() -> None:
    for event, has_errors in ((sound(), False), (pair("N2", "U"), False), (pair("W2", "U"), True)):
        assert check(event_json.read(json.dumps(event).encode(), "event.json").report).has_errors is has_errors


# Boundaries of eligibility


@pytest.mark.parametrize(
    ("event", "code"),
    [
        (match(published(1700.0), published(2100.0)), ""),
        (match(record(1700.0), record(2100.49)), ""),
        (match(record(1700.0), record(2100.5)), "match-not-eligible"),
        (match(published(1700.0, 26), published(1700.0, None)), ""),
        (match(published(1700.0, 25), published(1700.0, 26), "2006-01-31"), ""),
        (match(published(1700.0, 25), published(1700.0, 26), "2006-02-01"), "match-not-eligible"),
        (abroad(ratings={"OTBR": record(2100.0, 25)}, on="2020-05-31"), "opted-in"),
        (abroad(ratings={"OTBR": record(2100.0, 25)}, on="2020-06-01"), "foreign-not-eligible"),
        (abroad(ratings={"OTBR": record(2100.0, 26)}), "opted-in"),
        (abroad(ratings={"OTBR": record(2100.0), "FIDE": {"rating": 2200}}), ""),
        (abroad(fide_opt_in=False, ratings={"OTBR": record(2300.0), "FIDE": {"rating": 2200}}), ""),
        (abroad(fide_opt_in=False, ratings={"OTBR": record(2300.0), "FIDE": {"rating": 2199}}), "foreign-not-eligible"),
        (newcomer_of_fide(2000, "2008-06-30"), ""),
        (newcomer_of_fide(1999, "2008-07-01"), ""),
        (newcomer_of_fide(2000, "2015-06-01"), ""),
        (long_series(20), ""),
        (long_series(21), "match-long"),
        (long_series(32), "match-long"),
        (long_series(33), "match-too-long"),
        (long_series(33, "2006-01-31"), ""),
        (pair("W2", "L1", "2006-02-28", k_factor="half"), ""),
        # Two games of two times 180 minutes are 12 hours; a minute more is too much, unless played on two days.
        (with_section(time_control="G/175;d5"), ""),
        (with_section(time_control="G/176;d5"), "long-days"),
        (two_days(time_control="G/176;d5"), ""),
        (with_section(time_control=["G/90;d5", "G/176;d5", "G/176;d5"]), ""),
        (pair("W2", "L1", "2001-01-01"), ""),
        (pair("W2", "L1", "2013-03-01", systems=["OTBB"], time_control=None), ""),
    ],
)
def test_the_other_side_of_each_limit(event: EventFile, code: str) -> None:
    """§6, §7, §8: 400 points of published, so whole, ratings; 26 games; 2200 FIDE; first and last days of rules."""
    assert set(codes(rated(event))) == ({code} if code else set())
