"""The checks that look at a whole section or event: what each finds, and what it must leave alone."""

import json
from typing import Any

import pytest

from crosstable.checks import check
from crosstable.errors import Severity
from crosstable.formats import event_json
from tests.checks.provoked import abroad, pair, sound, with_event, with_player, with_section
from tests.event_files import EventFile, event_file, player, record


def codes(event: EventFile) -> list[str]:
    """The codes of all faults of an event file that was read without one."""
    reading = event_json.read(json.dumps(event).encode(), "event.json")
    assert reading.faults == ()
    return [found.code for found in check(reading.report).faults]


def messages(event: EventFile, code: str) -> list[str]:
    """The messages of the faults of one code."""
    report = event_json.read(json.dumps(event).encode(), "event.json").report
    return [found.message for found in check(report).faults if found.code == code]


def three(one: str, two: str, last: str, **section: object) -> EventFile:
    """Three established players with these rounds."""
    event = event_file(player(1, one, 1700.0), player(2, two, 1650.0), player(3, last, 1600.0))
    event["sections"][0].update(section)
    return event


def re_entered(*rounds: str) -> EventFile:
    """Rows with these rounds, of which the first two are one member's."""
    rows = [player(number, cells, 1500.0) for number, cells in enumerate(rounds, start=1)]
    rows[1].update(member_id=rows[0]["member_id"], name=rows[0]["name"])
    return event_file(*rows)


# Twice in a round


def test_whom_two_rows_name_is_paired_twice() -> None:
    (message,) = messages(three("W2", "L1", "W2"), "paired-twice")
    assert message == "Players 1 and 3 both show a game against player 2."


def test_a_row_that_only_names_the_wrong_opponent_is_not_mirrored_but_not_paired_twice_itself() -> None:
    """Row 3 was paired with 4 and names 2: players 1 and 3 then both show player 2; nobody else is named twice."""
    rows = [player(1, "W2", 1700.0), player(2, "L1", 1700.0), player(3, "W2", 1700.0), player(4, "L3", 1700.0)]
    found = codes(event_file(*rows))
    assert sorted(found) == ["not-mirrored", "not-mirrored", "paired-twice"]


def test_a_one_sided_result_pairs_nobody() -> None:
    """Readings 92: N, R and S are rated on their own row alone, even beside another game of the opponent."""
    assert codes(three("W2", "L1", "N2")) == ["one-sided"]


def test_the_columns_of_a_round_robin_may_be_opponents() -> None:
    """In column 1 of such a chart everybody shows the game against player 1."""
    assert codes(three("* W2 D3", "L1 * W3", "D1 L2 *", type="round_robin")) == []


def test_a_re_entry_may_play_the_same_round_again_in_another_schedule() -> None:
    """Merged schedules: official crosstables hold members with two games in a round, on two rows; they are rated."""
    found = codes(re_entered("L3", "W4", "W1", "L2"))
    assert sorted(found) == ["re-entry", "re-entry-same-round"]


def test_a_re_entry_in_a_later_round_is_only_a_re_entry() -> None:
    assert codes(re_entered("L3 U", "U W4", "W1 U", "U L2")) == ["re-entry"]


# Matches


@pytest.mark.parametrize(
    ("event", "is_match"),
    [
        (pair("W2 W2", "L1 L1"), True),
        (pair("W2 W2", "L1 L1", type="round_robin"), True),
        (pair("W2 N2", "L1 U"), True),
        (pair("W2", "L1"), False),
        (pair("W2 X2", "L1 F1"), False),
        (pair("W2 W2", "L1 L1", type="match"), False),
        (three("W2 W2", "L1 L1", "U U"), False),
        (re_entered("L3 U", "U W3", "W1 L2"), True),
        (re_entered("L3 U", "U B", "W1 U"), False),
    ],
)
def test_two_members_and_more_than_one_game_are_a_match(event: EventFile, is_match: bool) -> None:
    """§7, readings 77: two or more rated games of two people who are alone; forfeits are no games."""
    assert ("two-player-section" in codes(event)) is is_match


# Points and rounds


@pytest.mark.parametrize(
    ("rounds", "total", "is_right"),
    [
        ("W2 D3 L2 H B X F U Z *", 4.0, True),
        ("W2 D3 L2 H B X F U Z *", 3.5, False),
        ("N2 R3 S2", 1.5, True),
        ("W2 D3", 1.505, True),
        ("W2 D3", 1.52, False),
        ("", 0.0, True),
        ("W2 Q", 9.0, True),
    ],
)
def test_the_total_is_the_sum_of_the_results(rounds: str, total: float, is_right: bool) -> None:
    """Wins, full byes and forfeit wins 1, draws and half byes ½; nothing is said where a result is not known."""
    event = with_player(rounds=rounds.split(), total=total)
    assert ("total-disagrees" not in codes(event)) is is_right


@pytest.mark.parametrize(("total", "is_right"), [(1.5, True), (3.0, True), (2.0, False), (2.5, False)])
def test_byes_of_rounds_that_nobody_has_reached_may_be_in_the_total_or_not(total: float, is_right: bool) -> None:
    """SwissSys shows the byes that were asked for in later rounds beside the points so far."""
    event = with_player(rounds=["W2w", "D3b", "U", "H", "B"], total=total)
    assert ("total-disagrees" not in codes(event)) is is_right


@pytest.mark.parametrize(
    ("details", "is_right"),
    [
        ({"rounds": "3"}, True),
        ({"rounds": "2"}, False),
        ({"rounds": "two"}, True),
        ({"rounds": ""}, True),
        ({"rounds": "2", "games_per_round": "2"}, True),
        ({"rounds": "1", "games_per_round": "2"}, False),
    ],
)
def test_games_stand_in_announced_rounds(details: dict[str, str], is_right: bool) -> None:
    """The sound file has a game in its third column; a round of two games has two columns."""
    found = codes(with_section(details=details))
    assert found == ([] if is_right else ["round-not-announced"])


def test_unplayed_cells_after_the_last_round_are_nothing() -> None:
    assert codes(three("W2 U H", "L1 U B", "U U", details={"rounds": "1"})) == []


# Dates and ids


@pytest.mark.parametrize(
    ("end", "found"),
    [("2025-09-14", []), ("2025-09-15", []), ("2025-09-16", ["long-section"])],
)
def test_a_section_may_last_45_days(end: str, found: list[str]) -> None:
    """From 1 August: 30 days to the end of the month, 15 more to 15 September."""
    assert codes(with_event(end_date=end)) == found


def test_reversed_dates_of_an_event_are_told_though_its_sections_have_their_own() -> None:
    event = with_section(start_date="2025-08-01", end_date="2025-08-01")
    event["event"].update(start_date="2025-08-02", end_date="2025-08-01")
    assert codes(event) == ["dates-reversed"]


def test_reversed_dates_that_a_section_takes_over_are_told_once() -> None:
    assert codes(with_event(start_date="2025-08-02")) == ["dates-reversed"]


@pytest.mark.parametrize(
    ("event_id", "found"),
    [
        ("202508010011", []),
        ("202508020011", ["event-id-date"]),
        ("20250802001", []),
        ("2025080200112", []),
        ("20250802001x", []),
        ("", []),
    ],
)
def test_an_official_event_id_begins_with_the_last_day(event_id: str, found: list[str]) -> None:
    """Official facts §6: YYYYMMDD of the end date and four digits; an id of another shape is not an official one."""
    assert codes(with_event(id=event_id)) == found


def test_an_event_without_dates_has_no_day_to_begin_its_id_with() -> None:
    event = with_section(start_date="2025-08-01", end_date="2025-08-01")
    event["event"] = {"id": "202508020011", "name": "Test"}
    assert codes(event) == []


@pytest.mark.parametrize(
    ("details", "found"),
    [
        ({"affiliate": "A1234567", "chief_td": "12345678", "assistant_td": "12345678,23456789"}, []),
        ({"affiliate": "A123456"}, ["affiliate-id-shape"]),
        ({"affiliate": "11234567"}, ["affiliate-id-shape"]),
        ({"affiliate": "É1234567"}, ["affiliate-id-shape"]),
        ({"chief_td": "00000000", "assistant_td": ""}, []),
        ({"chief_td": "1234567A"}, ["director-id-shape"]),
        ({"assistant_td": "12345678,1,2"}, ["director-id-shape", "director-id-shape"]),
    ],
)
def test_affiliates_and_directors_have_ids_of_their_shape(details: dict[str, str], found: list[str]) -> None:
    """Official facts §6: a letter and seven digits; eight digits; zeros and blanks are none given."""
    assert codes(with_event(details=details)) == found


def test_directors_of_sections_are_looked_at_too() -> None:
    assert codes(with_section(details={"chief_td": "1"})) == ["director-id-shape"]


@pytest.mark.parametrize(
    ("born", "found"), [("1899-12-31", ["birth-date-early"]), ("1900-01-01", []), ("2025-08-01", [])]
)
def test_nobody_is_born_before_1900(born: str, found: list[str]) -> None:
    assert codes(with_player(birth_date=born)) == found


# Members


def test_one_player_without_an_id_is_named() -> None:
    event = with_player(member_id="")
    assert codes(event) == ["no-member-id"]
    assert messages(event, "no-member-id") == ["The player has no member id."]


def test_a_section_without_any_ids_is_told_once() -> None:
    event = sound()
    for row in event["sections"][0]["players"]:
        row["member_id"] = ""
    assert messages(event, "no-member-id") == ["None of the 3 players has a member id."]


def test_opponents_abroad_need_no_id() -> None:
    """§6: only the players marked to be rated are members."""
    event = abroad(ratings={"OTBR": record(2300.0), "FIDE": {"rating": 2300}})
    event["sections"][0]["players"][1]["member_id"] = ""
    assert codes(event) == []
    event["sections"][0]["players"][0]["member_id"] = ""
    assert codes(event) == ["no-member-id"]


def renamed(*rows: tuple[str, str]) -> EventFile:
    """The sound file whose players have these ids and names."""
    event = sound()
    for row, (member_id, name) in zip(event["sections"][0]["players"], rows, strict=True):
        row.update(member_id=member_id, name=name)
    return event


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([("10000001", "Lee, Ann"), ("10000002", "LEE,  ANN"), ("10000003", "Lee Ann")], ["duplicate-name"]),
        ([("10000001", "Lee, Ann"), ("10000002", "Lee, Anna"), ("10000003", "Ann, Lee")], []),
        ([("10000001", "Lee, Ann"), ("10000002", "Roe, Jo"), ("", "Lee, Ann")], ["no-member-id"]),
        ([("10000001", ""), ("10000002", ""), ("10000003", "")], []),
    ],
)
def test_a_name_with_two_ids_is_told_once(rows: list[tuple[str, str]], found: list[str]) -> None:
    """Written alike but for capitals, commas and blanks; rows without a name or an id say nothing."""
    assert codes(renamed(*rows)) == found


def test_an_id_with_two_names_is_told_once_in_the_whole_event() -> None:
    event = sound()
    for number in (2, 3):
        again = sound()["sections"][0] | {"number": number}
        again["players"][0]["name"] = "Somebody, Else"
        event["sections"].append(again)
    assert messages(event, "id-with-two-names") == [
        "Member 10000001 is Somebody, Else here, but Player, 1 on another row."
    ]


def test_a_member_may_play_in_two_sections() -> None:
    event = sound()
    event["sections"].append(sound()["sections"][0] | {"number": 2})
    assert codes(event) == []


# The letter of the system


@pytest.mark.parametrize(
    ("letter", "control", "is_right"),
    [
        ("R", "G/90;d5", True),
        ("r", "G/90;d5", True),
        ("R", "G/45;d5", True),
        ("D", "G/45;d5", True),
        ("D", "G/90;d5", True),
        ("Q", "G/90;d5", False),
        ("R", "G/20;d5", False),
        ("Q", "G/20;d5", True),
        ("Q", "G/5;d0", True),
        ("D", "G/5;d0", True),
        ("B", "G/5;d0", True),
        ("", "G/45;d5", True),
        ("?", "G/45;d5", True),
    ],
)
def test_a_letter_with_nothing_in_common_with_the_control_is_a_warning(
    letter: str, control: str, is_right: bool
) -> None:
    """Official facts §5: 95 Regular, 50 both, 25 Quick, 5 Blitz; a warning, for US Chess goes by the control.

    Pairing programs write R for a dual-rated control, and Blitz has no letter of its own (formats: S_R_SYSTEM).
    """
    event: Any = with_section(time_control=control, details={"system_code": letter})
    for row in event["sections"][0]["players"]:
        row["ratings"] = {"OTBR": record(1700.0), "OTBQ": record(1700.0), "OTBB": record(1700.0)}
    reading = event_json.read(json.dumps(event).encode(), "event.json")
    found = check(reading.report).faults
    assert [each.code for each in found] == ([] if is_right else ["system-code"])
    assert all(each.severity is Severity.WARNING for each in found)


def test_the_letter_of_an_online_section_means_the_online_system() -> None:
    """A letter has no online form in a rating report; 95 minutes online are online Regular."""
    assert codes(with_section(online=True, details={"system_code": "R"})) == []


def test_a_letter_beside_systems_that_are_named_wrong_is_told_once() -> None:
    assert codes(with_section(systems=["OTBQ"], details={"system_code": "Q"})) == ["systems-disagree"]


@pytest.mark.parametrize(
    ("facts", "is_assumed"),
    [
        ({"member": True, "fide_flag": "USA"}, False),
        ({"member": True, "fide_opt_in": True}, False),
        ({"member": True}, True),
        ({"fide_flag": "USA", "fide_opt_in": True}, True),
    ],
)
def test_eligibility_abroad_is_assumed_only_where_the_file_does_not_say_it(
    facts: dict[str, Any], is_assumed: bool
) -> None:
    """§6: a member of 2200 FIDE or more under the flag is updated without asking, others by opting in."""
    ours = {"number": 1, "rate": True, "ratings": {"OTBR": record(2400.0), "FIDE": {"rating": 2350}}, "rounds": ["W2"]}
    theirs = {"number": 2, "ratings": {"FIDE": {"rating": 2300}}, "rounds": ["L1"]}
    event: Any = with_section(type="foreign_fide", players=[{**ours, **facts}, theirs])
    checked = check(event_json.read(json.dumps(event).encode(), "event.json").report)
    [section] = checked.sections
    assert bool(section.section.backgrounds[1].assumed) is is_assumed


@pytest.mark.parametrize(("start", "end"), [("2026-02-30", "2026-03-01"), ("2026-02-30", "2026-02-30")])
def test_a_date_that_cannot_be_read_hides_no_fault_of_the_time_control(start: str, end: str) -> None:
    """Official facts §5: a main time under three minutes is not ratable, whatever else is wrong with the section."""
    event: Any = with_section(time_control="G/2;d3")
    event["event"].update(start_date=start, end_date=end)
    found = {fault.code for fault in check(event_json.read(json.dumps(event).encode(), "event.json").report).faults}
    assert {"time-control-not-rated", "no-dates"} <= found
