"""Reading TRFs: every record, column and result code of the format."""

from datetime import date

import pytest

from crosstable.errors import FormatError
from crosstable.formats import trf
from crosstable.terms import Background, OutsideRating, ReportedCell, Result, SectionType
from tests.formats.trf_samples import (
    FILE,
    columns,
    errors,
    file,
    only,
    player,
    players,
    quad,
    read,
    read_clean,
    warnings,
)


def test_one_file_is_one_section_with_all_its_players() -> None:
    report = read_clean(*quad())
    (section,) = report.sections
    assert (report.name, report.event_id, report.place) == ("Summer Quads", "", FILE)
    assert (section.number, section.name, section.place) == (1, "Summer Quads", FILE)
    assert [each.number for each in section.players] == [1, 2, 3, 4]
    assert section.kind is SectionType.SWISS
    assert not section.is_online
    assert section.systems == ()


def test_the_tournament_lines_are_kept_under_their_names() -> None:
    report = read_clean(*quad())
    assert (report.start, report.end) == (date(2026, 8, 29), date(2026, 8, 30))
    assert (report.sections[0].start, report.sections[0].end) == (None, None)
    assert report.details == {
        "city": "Springfield",
        "federation": "USA",
        "tournament_type": "Individual: Swiss-System",
        "chief_arbiter": "Arbiter, Alice",
        "deputy_arbiters": "Deputy, Dora; Deputy, Emil",
        "allotted_time": "G/60;d5",
        "rounds": "2",
    }


def test_the_tournament_records_of_trf26_are_kept_under_their_names() -> None:
    lines = (
        "142 2",
        "152 B",
        "162  W 1.0    D 0.5    L 0.0",
        "172 USA NIDOF",
        "182 Some Pairing Program",
        "192 FIDE_DUTCH_2026",
        "202 BH/C1,BH,SB",
        "212 PTS,BH",
        "222 5400+30",
        "352 WBWB",
        "362 TW 2.0   TD 1.0   TL 0.0",
    )
    report = read_clean(*lines, player({}))
    assert report.details == {
        "rounds": "2",
        "first_colour": "B",
        "points": "W 1.0    D 0.5    L 0.0",
        "ranking_method": "USA NIDOF",
        "program": "Some Pairing Program",
        "tournament_type_code": "FIDE_DUTCH_2026",
        "tie_breaks": "BH/C1,BH,SB",
        "standings_tie_breaks": "PTS,BH",
        "coded_time_control": "5400+30",
        "board_colours": "WBWB",
        "team_points": "TW 2.0   TD 1.0   TL 0.0",
    }


def test_every_column_of_a_player_line_is_read() -> None:
    found = only(
        {
            5: "9999",
            10: "w",
            11: "WGM",
            15: "A" * 33,
            49: "2345",
            54: "USA",
            58: "12345678901",
            70: "2001/12/31",
            81: "11.5",
            86: "1234",
            92: "9998 b =",
        }
    )
    assert found.number == 9999
    assert found.name == "A" * 33
    assert found.background == Background(fide=OutsideRating(2345.0, None), birth_date=date(2001, 12, 31))
    assert found.total == 11.5
    assert found.cells == (ReportedCell("9998 b =", Result.DRAW, 9998, "b"),)
    assert found.details == {
        "sex": "w",
        "title": "WGM",
        "federation": "USA",
        "fide_id": "12345678901",
        "rank": "1234",
    }
    assert found.place == "club.trf, line 1 (player 9999)"
    assert (found.member_id, found.pairing_rating, found.state) == ("", None, "")


def test_a_short_line_and_blank_fields_leave_everything_else_open() -> None:
    found = only({})
    assert found.background == Background()
    assert (found.total, found.cells, found.details) == (None, (), {})


def test_a_rating_of_zero_is_no_rating() -> None:
    assert only({49: "   0"}).background.fide is None


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("1", Result.WIN),
        ("=", Result.DRAW),
        ("0", Result.LOSS),
        ("+", Result.FORFEIT_WIN),
        ("-", Result.FORFEIT_LOSS),
        ("W", Result.FORFEIT_WIN),
        ("D", Result.FORFEIT_DRAW),
        ("L", Result.FORFEIT_LOSS),
        ("w", Result.FORFEIT_WIN),
        ("d", Result.FORFEIT_DRAW),
        ("l", Result.FORFEIT_LOSS),
    ],
)
def test_results_against_an_opponent_keep_him_and_how_they_were_written(code: str, result: Result) -> None:
    assert only({92: f"  26 w {code}"}).cells == (ReportedCell(f"26 w {code}", result, 26, "w"),)


@pytest.mark.parametrize("opponent", ["0000", "    ", "   0"])
@pytest.mark.parametrize("colour", ["-", " "])
@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("H", Result.HALF_BYE),
        ("F", Result.FULL_BYE),
        ("U", Result.FULL_BYE),
        ("Z", Result.ZERO_BYE),
        ("h", Result.HALF_BYE),
        ("f", Result.FULL_BYE),
        ("u", Result.FULL_BYE),
        ("z", Result.ZERO_BYE),
        ("+", Result.FORFEIT_WIN),
        ("-", Result.FORFEIT_LOSS),
    ],
)
def test_byes_have_no_opponent_however_none_is_written(opponent: str, colour: str, code: str, result: Result) -> None:
    assert only({92: f"{opponent} {colour} {code}"}).cells == (ReportedCell(f"0000 - {code}", result, 0, ""),)


def test_a_blank_round_before_a_played_one_is_a_blank_cell() -> None:
    cells = only({102: "   2 b 1", 112: "0000 -"}).cells
    assert cells == (ReportedCell("", Result.BLANK, 0, ""), ReportedCell("2 b 1", Result.WIN, 2, "b"))


def test_a_pairing_without_a_result_keeps_opponent_and_colour() -> None:
    assert only({92: "   2 w"}).cells == (ReportedCell("2 w", Result.BLANK, 2, "w"),)


def test_a_result_nobody_knows_is_left_to_the_checks() -> None:
    assert only({92: "   2 w ?"}).cells == (ReportedCell("2 w ?", None, 2, "w"),)


def test_colours_are_read_in_either_case() -> None:
    cells = only({92: "   2 W 1", 102: "   3 B 0"}).cells
    assert [cell.colour for cell in cells] == ["w", "b"]


def test_points_that_do_not_add_up_are_kept_and_not_judged() -> None:
    assert only({81: " 7.0", 92: "   2 w 1"}).total == 7.0
    assert only({81: " 7,5"}).total == 7.5
    assert only({81: "   7"}).total == 7.0


@pytest.mark.parametrize("text", ["1988", "1988/00/00", "1988/07/00", "1988-00-00"])
def test_a_birth_year_alone_is_no_birth_date_but_is_kept(text: str) -> None:
    found = only({70: text})
    assert found.background.birth_date is None
    assert found.details == {"birth_date": text}


@pytest.mark.parametrize("text", ["0000/00/00", "    /  /", "0000"])
def test_an_empty_birth_date_is_none(text: str) -> None:
    assert only({70: text}).details == {}


def test_a_birth_date_with_a_two_digit_year_is_a_fault() -> None:
    reading = read(player({70: "88/07/14"}))
    assert errors(reading) == [("bad-date", "line 1 (player 1), columns 70-79 (birth date)")]


@pytest.mark.parametrize("text", ["2026/08/29", "2026-08-29", "26/08/29", "29.08.2026", "2026/8/29", " 2026/08/29  "])
def test_dates_are_read_as_programs_write_them(text: str) -> None:
    assert read_clean(f"042 {text}", player({})).start == date(2026, 8, 29)


def test_two_digit_years_from_70_on_are_of_the_last_century() -> None:
    report = read_clean("042 69/12/31", "052 70/01/01", player({}))
    assert (report.start, report.end) == (date(2069, 12, 31), date(1970, 1, 1))


@pytest.mark.parametrize("text", ["09/08/2026", "2026/02/30", "0026/08/29", "30.02.2026", "August 2026", "2026/08-29"])
def test_dates_that_are_none_or_can_mean_two_days_are_faults(text: str) -> None:
    reading = read(f"052 {text}", player({}))
    assert errors(reading) == [("end-not-read", f"line 1, columns 5-{4 + len(text)} (date)")]
    assert reading.report.end is None


def test_round_dates_stand_from_column_92_on() -> None:
    line = columns({1: "132", 92: "26/08/29", 112: "26/08/30"})
    assert read_clean(line, player({})).details == {"round_dates": "2026-08-29 - 2026-08-30"}
    assert read_clean("132", player({})).details == {}
    assert read_clean(columns({1: "132", 92: "2026/08/29"}), player({})).details == {"round_dates": "2026-08-29"}


def test_a_round_date_that_is_none_names_its_round() -> None:
    reading = read(columns({1: "132", 92: "26/08/29", 102: "26/13/01"}), player({}))
    assert errors(reading) == [("bad-date", "line 1, columns 102-109 (date of round 2)")]


@pytest.mark.parametrize(
    ("coded", "control"),
    [
        ("5400+30", "G/90;+30"),
        ("40/6000+30:900+30", "40/100,SD/15;+30"),
        ("40/6000+30:20/3000+30:1500+30", "40/100,20/50,SD/25;+30"),
        ("300", "G/5;d0"),
        ("180+2", "G/3;+2"),
        ("40/6000:900+30", "40/100;+0,SD/15;+30"),
    ],
)
def test_the_coded_time_control_is_told_in_our_notation(coded: str, control: str) -> None:
    report = read_clean(f"222 {coded}", "122 something else", player({}))
    assert report.sections[0].time_controls == (control,)


@pytest.mark.parametrize("coded", ["W300-B240", "90+30", "5430", "3600:900", "40/", "40/7200:180", "xx", "5400+30:"])
def test_a_coded_time_control_without_a_meaning_here_is_a_fault_and_the_text_is_used(coded: str) -> None:
    reading = read(f"222 {coded}", "122 G/90;+30", player({}))
    assert errors(reading) == [("bad-value", f"line 1, columns 5-{4 + len(coded)} (coded time control)")]
    assert reading.report.sections[0].time_controls == ("G/90;+30",)


@pytest.mark.parametrize(
    ("text", "controls"),
    [
        ("G/60;d5", ("G/60;d5",)),
        ("40/90,SD/30;d5", ("40/90,SD/30;d5",)),
        ("90+30", ("90+30",)),
        ("90'+30\"", ("90'+30\"",)),
        ("40/120, 60", ("40/120, 60",)),
        ("Round 1: G/25;d5, Round 2: G/60;d5", ("G/25;d5", "G/60;d5")),
        ("moves/time, increment", ()),
        ("90 min + 30 sec from move 40", ("90 min + 30 sec from move 40",)),
        ("", ()),
    ],
)
def test_an_announced_time_control_is_taken_as_it_stands_if_it_has_a_number(
    text: str, controls: tuple[str, ...]
) -> None:
    assert read_clean(f"122 {text}", player({})).sections[0].time_controls == controls


@pytest.mark.parametrize(
    "line",
    ["092 Individual: Round Robin", "092 Round-robin (Berger)", "192 FIDE_ROUNDROBIN", "192 BERGER_DOUBLEROUNDROBIN"],
)
def test_a_round_robin_is_one_where_the_file_says_so(line: str) -> None:
    assert read_clean(line, player({})).sections[0].kind is SectionType.ROUND_ROBIN


def test_an_unknown_kind_of_record_is_one_warning() -> None:
    reading = read(*quad("999 one", "999 two", "ZZZ three", "QQQ    1 four"))
    assert errors(reading) == []
    assert warnings(reading) == [
        "2 records of the kind 999: this kind is not known.",
        "One record of the kind ZZZ: this kind is not known.",
        "One record of the kind QQQ: this kind is not known.",
    ]


def test_the_number_of_players_must_be_the_number_of_player_lines() -> None:
    reading = read("012 Club", "062 3", player({5: "   1"}), player({5: "   2"}))
    assert errors(reading) == [("bad-value", "line 2, column 5 (number of players)")]
    assert len(players(reading.report)) == 2
    assert errors(read("062 two", player({}))) == [("wrong-type", "line 1, columns 5-7 (number)")]


def test_a_player_line_has_no_more_rounds_than_the_tournament() -> None:
    results = {92: "   2 w 1", 102: "0000 - Z"}
    assert errors(read("142 2", player(results))) == []
    assert errors(read("XXR 1", player(results))) == [("bad-value", "line 2 (player 1)")]


def test_records_that_contradict_each_other_are_faults_and_the_first_stands() -> None:
    reading = read("012 Club", "012 Club", "012 Other club", "142 5", "XXR 6", player({}))
    assert errors(reading) == [("bad-value", "line 3"), ("bad-value", "line 5")]
    assert reading.report.name == "Club"
    assert reading.report.details["rounds"] == "5"


def test_repeated_starting_ranks_and_unknown_opponents_are_left_to_the_checks() -> None:
    report = read_clean(player({92: "  77 w 1"}), player({}))
    assert [each.number for each in players(report)] == [1, 1]


def test_a_tournament_text_longer_than_500_characters_is_a_fault() -> None:
    assert read_clean("022 " + "x" * 500, player({})).details["city"] == "x" * 500
    reading = read("022 " + "x" * 501, player({}))
    assert errors(reading) == [("bad-value", "line 1")]
    assert reading.report.details["city"] == "x" * 500


@pytest.mark.parametrize(
    "data",
    [
        file(*quad()),
        file(*quad(), end="\r"),
        file(*quad(), end="\r\n"),
        b"\xef\xbb\xbf" + file(*quad()),
        file("### made by a program", "", *quad()),
        file("XXR 5", player({})),
        file(player({})),
    ],
)
def test_a_trf_is_known_by_its_content(data: bytes) -> None:
    assert trf.looks_like(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x03\x7e\x08",
        b'{"format": "crosstable-event/1"}',
        b"PK\x03\x04",
        b"number,name\n001,Adams\n",
        b"<pre>\n001 Adams\n",
        b"001\n012\n",
        b"\xff\xfe0\x000\x001\x00",
    ],
)
def test_other_files_are_not_taken_for_a_trf(data: bytes) -> None:
    assert not trf.looks_like(data)


@pytest.mark.parametrize("data", [b"", b"012 Club\n", b'{"format": "crosstable-event/1"}', b"\x03\x7e\x08" * 99])
def test_a_file_without_a_player_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError) as refusal:
        trf.read(data, FILE)
    assert (refusal.value.fault.code, refusal.value.fault.place) == ("not-readable", FILE)


def test_a_date_with_slashes_is_settled_by_the_other_date_of_the_tournament() -> None:
    """24/09/2010 can only be September, so 02/10/2010 beside it is the second of October."""
    report = read_clean("042 24/09/2010", "052 02/10/2010", player({}))
    assert (report.start, report.end) == (date(2010, 9, 24), date(2010, 10, 2))


RULERS = ("         1         2         3", "12345678901234567890123456789012")


@pytest.mark.parametrize("line", ["# made by hand", "#", "###", *RULERS])
def test_comments_and_rulers_are_passed_over(line: str) -> None:
    assert read_clean(*quad(), line) == read_clean(*quad())


@pytest.mark.parametrize("line", ["123456789", "         1         3", "    " * 3 + "x"])
def test_what_only_looks_like_a_ruler_is_a_fault(line: str) -> None:
    assert [found.code for found in read(*quad(), line).faults] == ["bad-value"]


def test_a_swiss_of_lichess_is_read() -> None:
    """Dates in words, blank ranks and federations, and blank opponents of byes, as its public code writes them."""
    head = (
        "012 May Five",
        "032 Lichess",
        "042 May 29, 2020",
        "052 May 29, 2020",
        "062 3",
        "112",
        "122",
        "132",
        "XXR 2",
    )
    rows = (
        player({5: "   1", 15: "handle1", 81: " 1.5", 92: "   2 w 1", 102: "       H"}),
        player({5: "   2", 15: "handle2", 81: " 1.0", 92: "   1 b 0", 102: "       U"}),
        player({5: "   3", 15: "handle3", 81: " 0.0", 92: "       -", 102: "       Z"}),
    )
    report = read_clean(*head, *rows, "XXC white1")
    assert (report.start, report.sections[0].time_controls) == (date(2020, 5, 29), ())
    assert [[cell.result for cell in row.cells] for row in players(report)] == [
        [Result.WIN, Result.HALF_BYE],
        [Result.LOSS, Result.FULL_BYE],
        [Result.FORFEIT_LOSS, Result.ZERO_BYE],
    ]


def test_a_report_of_2006_is_read() -> None:
    """Dates as FIDE's sample of the first version has them: ``28. 07. 2005``, and birth dates ``1969.12.06``."""
    head = ("012 Open", "042 28. 07. 2005", "052 30. 07. 2005", "122 40/120, 60")
    report = read_clean(*head, player({70: "1969.12.06", 92: "0000 - U"}))
    assert (report.start, report.end) == (date(2005, 7, 28), date(2005, 7, 30))
    assert report.sections[0].time_controls == ("40/120, 60",)
    assert players(report)[0].background.birth_date == date(1969, 12, 6)
