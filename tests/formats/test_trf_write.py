"""Writing TRFs: exact columns, and everything that was read comes back."""

from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstable.errors import FormatError
from crosstable.formats import trf, trf_write
from crosstable.terms import (
    Background,
    OutsideRating,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    Result,
    SectionType,
)
from tests.formats.trf_samples import FILE, columns, file, player, quad, read, without_places

FULL = quad(
    columns({1: "USA", 5: "   1", 11: " NM", 49: "2411", 54: "IL", 58: "   12345678"}),
    columns({1: "USA", 5: "   4", 58: "   87654321"}),
    columns({1: "CAN", 5: "   2", 49: "1650", 58: "     123456"}),
    columns({1: "CAN", 5: "   3", 58: "     654321"}),
    columns({1: "013", 5: "Springfield", 37: "   1    3"}),
    columns({1: "013", 5: "Shelbyville", 37: "   2"}),
    "DAT 0004 GROUP   Ogdenville",
    columns({1: "132", 92: "26/08/29", 102: "26/08/30"}),
    "152 W",
    "162  W 1.0    D 0.5    P 0.5",
    "172 USA NIDOF",
    "182 A program",
    "192 FIDE_DUTCH_2026",
    "202 BH/C1,SB",
    "212 PTS,BH",
    "222 3600+30",
    "352 WBWB",
    "362 TW 2.0   TD 1.0",
    "XXS W=1 D=.5",
    "XXS PAB=1",
    "XXC rank",
    "BBW  1.0",
    "BBU  0.5",
)


def lines_of(report: Report, version: int = 26) -> list[str]:
    """The lines written for a report; every one of them must end in CR LF."""
    text = trf_write.write(report, version).decode()
    assert text.endswith("\r\n")
    lines = text.split("\r\n")[:-1]
    assert not any("\r" in line or "\n" in line for line in lines)
    return lines


SECTION = ReportedSection(1, "", SectionType.SWISS, False, (), (), None, None, (), "section 1")


def report_of(*players: ReportedPlayer, section: ReportedSection = SECTION) -> Report:
    """A report such as another kind of file gives."""
    sections = (section._replace(players=players),)
    return Report("202608300103", "Summer Quads", None, None, sections, "event.json")


def entry(number: int | None, *cells: ReportedCell) -> ReportedPlayer:
    """A player such as another kind of file gives."""
    return ReportedPlayer(number, "", f"Player {number}", cells, Background(), "row")


def test_a_player_line_has_every_field_at_its_columns() -> None:
    fields = {
        5: "   7",
        10: "w",
        11: "WGM",
        15: "Adams, Ann",
        49: "2345",
        54: "USA",
        58: "    2000001",
        70: "2001/12/31",
        81: " 1.5",
        86: "  12",
        92: "   2 w 1",
        102: "0000 - H",
    }
    written = lines_of(read(player(fields)).report)
    assert [line for line in written if line.startswith("001")] == [player(fields)]


def test_a_national_record_has_every_field_at_its_columns() -> None:
    fields = {1: "USA", 5: "   1", 11: " NM", 49: " 998", 54: "IL", 58: "   12345678"}
    written = lines_of(read(*quad(columns(fields))).report)
    assert [line for line in written if line.startswith("USA")] == [columns(fields)]


def test_a_team_record_has_every_field_at_its_columns() -> None:
    line = columns({1: "013", 5: "Springfield", 37: "   1", 42: "   3"})
    assert line in lines_of(read(*quad(line)).report)


def test_round_dates_and_points_stand_at_their_columns() -> None:
    dates = columns({1: "132", 92: "26/08/29", 112: "2070/01/01"})
    points = columns({1: "162", 6: "W 3.0", 15: "D 1.0"})
    written = lines_of(read(dates, points, player({})).report)
    assert dates in [line.rstrip() for line in written]
    assert points in written


def test_the_numbers_of_players_rated_players_and_teams_are_counted() -> None:
    written = lines_of(read(*FULL).report)
    assert [line for line in written if line[:3] in ("062", "072", "082")] == ["062 4", "072 2", "082 2"]


def test_records_stand_in_the_order_of_their_codes_tournament_first() -> None:
    codes = [line[:3] for line in lines_of(read(*FULL).report)]
    assert codes == [
        *("012", "022", "032", "042", "052", "062", "072", "082", "092", "102", "112", "112", "122", "132"),
        *("142", "152", "162", "172", "182", "192", "202", "212", "222", "352", "362"),
        *("XXS", "XXS", "XXC", "BBW", "BBU", "001", "001", "001", "001"),
        *("USA", "USA", "CAN", "CAN", "013", "013", "DAT"),
    ]


def test_trf16_has_no_tournament_record_of_trf26() -> None:
    written = lines_of(read(*FULL).report, version=16)
    assert all(line[:3] <= "132" for line in written if line[:3].isdigit())
    assert "XXR 2" in written


@pytest.mark.parametrize(
    "lines",
    [
        FULL,
        quad(),
        (player({}),),
        ("012", player({10: "m"})),
        ("112 One; Two", "112 ;", "BBW 1;0", "BBD", player({81: "155."})),
        (player({}), columns({1: "CAN", 5: "   1", 58: "  ;  654321"})),
    ],
    ids=["everything", "TRF16", "one player", "no name", "odd texts", "odd number"],
)
def test_what_was_read_is_read_again_from_what_is_written(lines: tuple[str, ...]) -> None:
    report = read(*lines).report
    again = trf.read(trf_write.write(report), FILE)
    assert without_places(again.report) == without_places(report)
    assert not [found for found in again.faults if found.severity == "error"]


def test_trf16_keeps_everything_but_what_only_trf26_can_say() -> None:
    report = read(*FULL).report
    again = trf.read(trf_write.write(report, version=16), FILE).report
    lost = (
        *("first_colour", "points", "ranking_method", "program", "tournament_type_code", "tie_breaks"),
        *("standings_tie_breaks", "coded_time_control", "board_colours", "team_points"),
    )
    kept = {name: text for name, text in report.details.items() if name not in lost}
    # Record 122 says 60 minutes with a delay, 222 an increment; the code stood first, so its control is announced.
    assert kept.pop("allotted_time") == "G/60;d5"
    assert again.details == {**kept, "allotted_time": "G/60;+30"}
    assert without_places(again).sections == without_places(report).sections


def test_a_round_robin_is_one_again_in_either_version() -> None:
    coded = read("092 Quad", "192 FIDE_ROUNDROBIN", player({})).report
    for version in (16, 26):
        assert trf.read(trf_write.write(coded, version), FILE).report.sections[0].kind is SectionType.ROUND_ROBIN
    changed = coded._replace(sections=(coded.sections[0]._replace(kind=SectionType.SWISS),))
    assert trf.read(trf_write.write(changed), FILE).report.sections[0].kind is SectionType.SWISS


_CODES = st.sampled_from("1=0+-WDLHFUZwdlhfuz?")
_CELLS = st.one_of(
    st.just(""),
    st.builds("   {} {} {}".format, st.integers(2, 9), st.sampled_from("wb-"), _CODES),
    st.builds("{} {} {}".format, st.sampled_from(["0000", "    "]), st.sampled_from("- "), _CODES),
    st.builds("   {} {}".format, st.integers(2, 9), st.sampled_from("wb-")),
)
_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=30)


@given(
    name=_WORDS,
    born=st.sampled_from(["", "1988", "1988/00/00", "1988/07/14"]),
    points=st.sampled_from(["", " 0.0", "12.5", "   3"]),
    cells=st.lists(_CELLS, max_size=6),
    arbiters=st.lists(_WORDS, max_size=3),
    version=st.sampled_from([16, 26]),
)
def test_any_player_that_can_be_read_is_read_again(
    name: str, born: str, points: str, cells: list[str], arbiters: list[str], version: int
) -> None:
    rounds = {92 + 10 * at: cell for at, cell in enumerate(cells)}
    lines = (*(f"112 {arbiter}" for arbiter in arbiters), player({15: name, 70: born, 81: points, **rounds}))
    report = read(*lines).report
    assert without_places(trf.read(trf_write.write(report, version), FILE).report) == without_places(report)


@pytest.mark.parametrize(
    ("result", "code"),
    [
        (Result.WIN, "1"),
        (Result.DRAW, "="),
        (Result.LOSS, "0"),
        (Result.WIN_ONE_SIDED, "1"),
        (Result.DRAW_ONE_SIDED, "="),
        (Result.LOSS_ONE_SIDED, "0"),
        (Result.FORFEIT_WIN, "+"),
        (Result.FORFEIT_LOSS, "-"),
        (Result.FULL_BYE, "F"),
        (Result.HALF_BYE, "H"),
        (Result.ZERO_BYE, "Z"),
        (Result.UNPAIRED, "Z"),
    ],
)
def test_results_of_other_files_are_written_by_their_meaning(result: Result, code: str) -> None:
    with_opponent = entry(1, ReportedCell(f"{result.value}12B", result, 12, "b"))
    without = entry(2, ReportedCell(f"{result.value}0", result, 0, ""))
    rows = [line[91:] for line in lines_of(report_of(with_opponent, without)) if line.startswith("001")]
    assert rows == [f"  12 b {code}", f"0000 - {code}"]


def test_an_own_column_and_a_blank_are_written_blank() -> None:
    cells = (ReportedCell("*", Result.OWN_COLUMN, 0, ""), ReportedCell("", Result.BLANK, 0, ""))
    (row,) = [line for line in lines_of(report_of(entry(1, *cells))) if line.startswith("001")]
    assert row[91:].strip() == ""


def test_points_and_ranks_are_counted_where_another_file_gave_none() -> None:
    win, loss = ReportedCell("W2", Result.WIN, 2, ""), ReportedCell("L1", Result.LOSS, 1, "")
    half = ReportedCell("H0", Result.HALF_BYE, 0, "")
    rows = (
        entry(1, win, half),
        entry(2, loss, half),
        entry(3, half, half),
        entry(4)._replace(total=0.5),
        entry(5)._replace(total=2.25),
    )
    written = [line[80:89] for line in lines_of(report_of(*rows)) if line.startswith("001")]
    assert written == [" 1.5    2", " 0.5    4", " 1.0    3", " 0.5    4", "2.25    1"]


def test_names_are_cut_to_their_columns_and_cannot_break_the_line() -> None:
    rows = (entry(1)._replace(name="A" * 40), entry(2)._replace(name="Eve\r\n001    3      Mallory"))
    written = lines_of(report_of(*rows))
    assert [line[14:47] for line in written if line.startswith("001")] == [
        "A" * 33,
        "Eve  001    3      Mallory",
    ]


def test_ratings_are_rounded_half_up() -> None:
    row = entry(1)._replace(background=Background(fide=OutsideRating(1999.5)), pairing_rating=1512.49)
    written = lines_of(report_of(row))
    assert [line[48:52] for line in written if line[:3] in ("001", "USA")] == ["2000", "1512"]


@pytest.mark.parametrize(
    ("controls", "written"),
    [
        (("G/90;+30",), ["122 G/90;+30", "222 5400+30"]),
        (("G/90 inc 30",), ["122 G/90 inc 30", "222 5400+30"]),
        (("40/100,SD/15;+30",), ["122 40/100,SD/15;+30", "222 40/6000+30:900+30"]),
        (("G/5;d0",), ["122 G/5;d0", "222 300"]),
        (("G/60;d5",), ["122 G/60;d5"]),
        (("G/60",), ["122 G/60"]),
        (("40/100;+0,SD/15;+30",), ["122 40/100;+0,SD/15;+30"]),
        (("40/2,SD/1;d0",), ["122 40/2,SD/1;d0", "222 40/7200:3600"]),
        (("whatever",), ["122 whatever"]),
        (("G/25;d5", "G/60;d5"), ["122 Round 1: G/25;d5, Round 2: G/60;d5"]),
        ((), []),
    ],
)
def test_a_time_control_is_coded_only_where_the_code_says_the_same(
    controls: tuple[str, ...], written: list[str]
) -> None:
    lines = lines_of(report_of(entry(1), section=SECTION._replace(time_controls=controls)))
    assert [line for line in lines if line[:3] in ("122", "222")] == written


def test_the_national_ranking_method_is_called_other_where_nothing_is_known_of_it() -> None:
    lines = lines_of(report_of(entry(1)._replace(member_id="12345678")))
    assert "172 USA OTHER" in lines
    assert trf.read(file(*lines), FILE).report.details == {}


def test_sections_of_other_files_bring_their_name_dates_and_rounds() -> None:
    section = SECTION._replace(
        name="Reserve",
        start=date(2026, 8, 29),
        end=date(2026, 8, 30),
        details={"rounds": "4", "type_code": "S"},
    )
    report = report_of(entry(1), section=section)
    lines = lines_of(report)
    assert lines[:3] == ["012 Summer Quads: Reserve", "042 2026/08/29", "052 2026/08/30"]
    assert "142 4" in lines
    assert not any(line.startswith("192") for line in lines)


def test_details_of_other_files_cannot_make_records_of_their_own() -> None:
    details = {
        "bbp_points": "001    9      Mallory; BBW 1.0",
        "round_dates": "never 2026-08-29",
        "rounds": "4\r001    9      Mallory",
        "chief_arbiter": "Eve\r\n001    9      Mallory",
        "javafo_settings": "rank\n001    9      Mallory",
    }
    odd = ReportedCell("2 w \ud800", None, 2, "w")
    row = entry(1, odd)._replace(details={"national_rating": "1500; CAN 1600", "sex": "Female", "team": "A\r001"})
    lines = lines_of(report_of(row)._replace(details=details))
    codes = [line[:3] for line in lines]
    assert codes == ["012", "062", "072", "082", "102", "132", "142", "172", "XXC", "BBW", "001", "CAN", "013"]
    assert lines[5].split() == ["132", "26/08/29"]
    assert lines[10][9] == "w"
    assert "XXR 4 001    9      Mallory" in lines_of(report_of(row)._replace(details=details), version=16)


def _refusal(report: Report, version: int = 26) -> str:
    with pytest.raises(FormatError) as refusal:
        trf_write.write(report, version)
    return f"{refusal.value.fault.message} {refusal.value.fault.remedy}"


def test_a_report_with_several_sections_asks_for_one() -> None:
    report = report_of(entry(1))
    message = _refusal(report._replace(sections=report.sections * 2))
    assert message == "The report has 2 sections, and a TRF holds exactly one. Choose a section."
    assert "0 sections" in _refusal(report._replace(sections=()))


@pytest.mark.parametrize(
    ("players", "words"),
    [
        ([], "no player"),
        ([entry(None)], "no number"),
        ([entry(10000)], "starting rank '10000' does not fit"),
        ([entry(1)._replace(member_id="123456789012")], "member id '123456789012' does not fit"),
        ([entry(1)._replace(total=1000.5)], "points '1000.5' does not fit"),
        ([entry(1)._replace(details={"fide_id": "1" * 12})], "FIDE number"),
        ([entry(1, ReportedCell("Q3", None, 3, ""))], "'Q3' cannot be written"),
        ([entry(1, ReportedCell("W10000", Result.WIN, 10000, ""))], "'W10000' cannot be written"),
    ],
)
def test_what_does_not_fit_is_refused(players: Sequence[ReportedPlayer], words: str) -> None:
    assert words in _refusal(report_of(*players))


def test_only_versions_16_and_26_exist() -> None:
    assert _refusal(report_of(entry(1)), version=6) == "There is no TRF6. Ask for version 16 or 26."
