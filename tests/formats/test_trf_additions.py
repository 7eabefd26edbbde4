"""What TRF records beside the player lines say of players: federations, Tornelo, pairing programs, teams, byes."""

from datetime import date

import pytest

from crosstable.terms import OutsideRating, ReportedCell, Result
from tests.formats.trf_samples import columns, errors, player, players, quad, read, read_clean, warnings


def test_the_us_record_gives_the_pairing_rating_the_member_id_and_the_state() -> None:
    line = columns({1: "USA", 5: "   2", 11: " NM", 49: "1650", 54: "IL", 58: "   12345678"})
    found = players(read_clean(*quad(line)))
    assert (found[1].pairing_rating, found[1].member_id, found[1].state) == (1650.0, "12345678", "IL")
    assert found[1].details == {"sex": "w", "federation": "CAN", "rank": "4", "national_title": "NM"}
    assert found[1].background.fide == OutsideRating(1702.0)
    assert (found[0].pairing_rating, found[0].member_id) == (None, "")


def test_the_us_record_gives_a_birth_date_that_the_player_line_lacks() -> None:
    born = {70: "1988/07/14"}
    lines = [columns({1: "USA", 5: f"   {number}", 49: "1500", **born}) for number in (2, 3, 4)]
    found = players(read_clean(*quad(*lines)))
    assert [each.background.birth_date for each in found] == [
        None,
        date(1990, 2, 28),
        date(1988, 7, 14),
        date(1988, 7, 14),
    ]
    assert all("birth_date" not in each.details for each in found)


def test_a_birth_year_of_the_us_record_does_not_stand_beside_a_birth_date() -> None:
    lines = [columns({1: "USA", 5: f"   {number}", 49: "1500", 70: "1991"}) for number in (2, 3, 4)]
    found = players(read_clean(*quad(*lines)))
    assert [each.details.get("birth_date", "") for each in found] == ["", "", "1988", "1991"]


def test_other_federations_are_kept_with_one_warning_each() -> None:
    lines = (
        columns({1: "CAN", 5: "   1", 49: "2400", 58: "     123456"}),
        columns({1: "CAN", 5: "   2", 49: "1600"}),
        columns({1: "ENG", 5: "   1", 49: "2405"}),
        columns({1: "ENG", 5: "   2", 58: "    654321A"}),
    )
    reading = read(*quad(*lines))
    found = players(reading.report)
    assert found[0].details["national_rating"] == "CAN 2400; ENG 2405"
    assert found[0].details["national_id"] == "CAN 123456"
    assert found[1].details["national_rating"] == "CAN 1600"
    assert found[1].details["national_id"] == "ENG 654321A"
    assert [each.pairing_rating for each in found] == [None] * 4
    assert errors(reading) == []
    assert warnings(reading) == [
        "2 records of the kind CAN: another federation's ratings, kept but not used.",
        "2 records of the kind ENG: another federation's ratings, kept but not used.",
    ]


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ([{5: "   9", 49: "1500"}], "line 19, columns 5-8 (starting rank)"),
        ([{5: "   1", 49: "1500"}, {5: "   1", 49: "1600"}], "line 20 (player 1)"),
        ([{5: "   1", 49: "4001"}], "line 19 (player 1), columns 49-52 (rating of USA)"),
        ([{5: "   1", 47: "15001"}], "line 19 (player 1), column 48 (between two fields)"),
    ],
)
def test_a_us_record_that_fits_no_player_or_its_columns_is_a_fault(lines: list[dict[int, str]], place: str) -> None:
    reading = read(*quad(*(columns({1: "USA", **fields}) for fields in lines)))
    assert ("bad-value", place) in errors(reading)


def test_a_us_record_of_player_zero_is_a_fault() -> None:
    reading = read(*quad(columns({1: "USA", 5: "0000", 49: "1500"})))
    assert errors(reading) == [("missing-field", "line 19, columns 5-8 (starting rank)")]


def test_tornelos_lines_give_the_member_id_and_keep_no_addresses() -> None:
    lines = (
        "DAT 0001 ID:USCF 12345678",
        "DAT 2 ID:USCF    23456789",
        "DAT 0002 GROUP   Springfield Elementary",
        "DAT 0003 GROUP",
        "DAT 0001 EMAIL   someone@example.com",
        "DAT 0002 EMAIL   another@example.com",
    )
    reading = read(*quad(*lines))
    found = players(reading.report)
    assert [each.member_id for each in found] == ["12345678", "23456789", "", ""]
    assert found[1].details["group"] == "Springfield Elementary"
    assert "group" not in found[2].details
    assert warnings(reading) == ["2 records of the kind DAT EMAIL: rating does not need it."]
    assert errors(reading) == []
    assert "example.com" not in str(reading)


def test_tornelos_line_about_nobody_is_a_warning() -> None:
    reading = read(*quad("DAT 0009 ID:USCF 12345678", "DAT nobody"))
    assert len(warnings(reading)) == 2
    assert errors(reading) == []


def test_two_member_ids_for_one_player_are_a_fault() -> None:
    national = columns({1: "USA", 5: "   1", 49: "1500", 58: "   12345678"})
    assert errors(read(*quad(national, "DAT 0001 ID:USCF 12345678"))) == []
    reading = read(*quad(national, "DAT 0001 ID:USCF 12345679"))
    assert errors(reading) == [("bad-value", "line 20 (player 1)")]
    assert players(reading.report)[0].member_id == "12345678"


def test_the_extensions_of_pairing_programs_are_kept_or_left_out_with_one_warning_a_kind() -> None:
    lines = ("XXS W=3 D=1", "XXS PAB=3", "XXC rank", "XXC white1", "BBW  3.0", "BBD  1.0")
    for_pairing = ("XXZ 1 2", "XXZ 3", "XXA    1  1.0  0.5", "XXP 1 2")
    reading = read(*lines, player({}), *for_pairing, "XXR 5", "### a comment", "")
    assert reading.report.details == {
        "javafo_points": "W=3 D=1; PAB=3",
        "javafo_settings": "rank; white1",
        "bbp_points": "BBW 3.0; BBD 1.0",
        "rounds": "5",
    }
    assert warnings(reading) == [
        "2 records of the kind XXZ: absent players, which rating does not need.",
        "One record of the kind XXA: accelerated rounds, which rating does not need.",
        "One record of the kind XXP: players who may not be paired, which rating does not need.",
    ]


def test_the_records_of_a_team_event_leave_all_players_in_one_section() -> None:
    lines = (
        columns({1: "013", 5: "Springfield", 37: "   1    3"}),
        columns({1: "310", 5: "  1", 9: "Springfield", 42: "SPR", 74: "   1", 79: "   3"}),
        columns({1: "310", 5: "  2", 9: "Shelbyville", 42: "SHE", 74: "   2", 79: "   4"}),
        "240 H   1    1",
        "299 W  1.0         1   1",
        "300   1   1   2    1    3",
        "320  1.0  2.0",
        "330 +-   1   1   2",
        "801   1 SPR",
        "802   1 SPR",
        "802   2 SHE",
    )
    reading = read(*(line for line in quad() if not line.startswith("082")), *lines)
    assert [each.details["team"] for each in players(reading.report)] == [
        "Springfield",
        "Shelbyville",
        "Springfield",
        "Shelbyville",
    ]
    assert errors(reading) == []
    kinds = [message.split("kind ")[1][:3] for message in warnings(reading)]
    assert kinds == ["240", "299", "300", "320", "330", "801", "802"]


def test_a_team_with_an_unknown_player_is_a_warning() -> None:
    reading = read(*quad(columns({1: "013", 5: "Springfield", 37: "   9"}), "013", "013 Nobody"))
    assert warnings(reading) == ["The team Springfield has a player 9, who is not in the file."]


def test_byes_of_their_own_records_fill_blank_rounds() -> None:
    lines = (
        player({5: "   1", 92: "   2 w 1", 102: "   3 b 1"}),
        player({5: "   2", 92: "   1 b 0"}),
        player({5: "   3"}),
    )
    byes = ("240 H   1    3", "240 Z   2    2", "240 f   1    3")
    reading = read("082 0", *lines, *byes, "240 H   3    1", "240 H   1    1    9", "240 W   1    3", "240 H   x    1")
    cells = [[cell.text for cell in each.cells] for each in players(reading.report)]
    assert cells == [["2 w 1", "3 b 1"], ["1 b 0", "0000 - Z"], ["0000 - H"]]
    assert players(reading.report)[1].cells[1] == ReportedCell("0000 - Z", Result.ZERO_BYE, 0, "")
    assert warnings(reading) == [
        "Player 3 has a result there.",
        "Player 1 has a result there.",
        "There is no player 9.",
        "'W' is no bye; F, H and Z are.",
        "2 records of the kind 240: byes of rounds that are not played yet.",
    ]


def test_a_bye_that_the_player_line_shows_too_is_no_contradiction() -> None:
    reading = read("082 0", player({92: "0000 - H"}), "240 H   1    1")
    assert reading.faults == ()


@pytest.mark.parametrize("line", ["352 WBWB", "362 TW 2.0", "082 2", "310   1 Springfield"])
def test_bye_records_of_team_events_name_teams_and_are_left_out(line: str) -> None:
    reading = read(line, player({92: "   2 w 1"}), player({5: "   2"}), "240 H   1    2")
    assert players(reading.report)[1].cells == ()
    assert warnings(reading) == ["One record of the kind 240: byes of teams."]
