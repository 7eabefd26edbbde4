"""Wallcharts kept by hand, as text with commas, semicolons or tabs: what is read, what is refused, what is written."""

import csv
import io
from datetime import date

import pytest
from hypothesis import given, settings

from crosstable.errors import FormatError
from crosstable.formats import Reading, wallchart, wallchart_write
from crosstable.formats.columns import title_score
from crosstable.formats.event_json import read_cell
from crosstable.formats.sheet_rows import defused, undefused
from crosstable.formats.wallchart import TEMPLATE
from crosstable.terms import (
    PAIRING_GAMES,
    RATINGS,
    UNNAMED,
    Floor,
    FloorKind,
    GivenStart,
    MatchChange,
    OutsideRating,
    PlayerRating,
    Posted,
    RatingSystem,
    Report,
    ReportedPlayer,
    SectionType,
)
from tests.formats.mutations import Shape, must_read_or_refuse, mutations
from tests.formats.reports import errors, players, texts, without_places
from tests.formats.test_event_json_write import REPORTS

OTBR, OTBQ = RatingSystem.OTBR, RatingSystem.OTBQ
HEAD = "No,Name,ID,Rating,Rd 1,Total\n"
ROW = '1,"Player, One",12345678,1500,W2,1\n'


def read(text: str | bytes) -> Reading:
    return wallchart.read(text.encode() if isinstance(text, str) else text, "chart.csv")


def codes(reading: Reading) -> list[tuple[str, str]]:
    return [(fault.code, fault.place.removeprefix("chart.csv, ")) for fault in reading.faults]


def again(report: Report) -> Reading:
    return wallchart.read(wallchart_write.write(report), "chart.csv")


def test_the_template_is_read_without_a_fault() -> None:
    reading = read(TEMPLATE)
    assert reading.faults == ()
    report = reading.report
    assert (report.event_id, report.name) == ("202608300103", "Summer Quads")
    assert (report.start, report.end) == (date(2026, 8, 30), date(2026, 8, 30))
    assert report.details == {"city": "Springfield"}
    reserve, opening = report.sections
    assert (reserve.number, reserve.name, reserve.kind) == (1, "Reserve", SectionType.SWISS)
    assert (reserve.time_controls, opening.time_controls) == (("G/25;d5",), ("40/90,SD/30;d5",))
    one, _, three, four = reserve.players
    assert (one.number, one.name, one.member_id, one.state) == (1, "Player, One", "12345678", "TX")
    assert (one.pairing_rating, one.total, texts(one)) == (554.0, 2.0, ["W4w", "D2b", "H"])
    assert one.background.standings == {OTBR: PlayerRating(554.22, 120.0)}
    assert one.background.birth_date == date(2014, 2, 3)
    assert (three.pairing_rating, three.background.standings) == (None, {})
    assert four.background.standings == {OTBR: PlayerRating(572.53, None)}
    assert one.place == "chart.csv, line 14 (number 1)"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separator_byte_mark_and_line_end_change_nothing(separator: str, mark: str, end: str) -> None:
    rows = list(csv.reader(io.StringIO(TEMPLATE, newline="")))
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, lineterminator=end).writerows(rows)
    reading = read(mark + text.getvalue())
    assert reading.faults == ()
    assert without_places(reading.report) == without_places(read(TEMPLATE).report)


def test_windows_letters_are_read() -> None:
    (player,) = players(read((HEAD + '1,"Müller, Zoë",12345678,,W2,1\n').encode("cp1252")))
    assert player.name == "Müller, Zoë"


@pytest.mark.parametrize(
    "head",
    [
        "No,Name,ID,State,Rating,Rd 1,Total",
        "#,PLAYER,uscf id,ST,Rtg,Round 1,Score",
        "No.,Player Name,Member ID,state,RATING,R1,Pts.",
        "Pair No.,name,US Chess ID,St.,rtg.,1,Points",
        "Number,Name,Member No,State,Pairing rating,Rd. 01,Total Pts",
        "Pair,Name,USCF,State,Rating,Rnd 1,total",
    ],
)
def test_titles_are_known_in_every_usual_spelling(head: str) -> None:
    reading = read(f"{head}\n7,Ann,12345678,TX,1500,W2,1\n")
    assert reading.faults == ()
    (player,) = players(reading)
    assert (player.number, player.name, player.member_id, player.state) == (7, "Ann", "12345678", "TX")
    assert (player.pairing_rating, texts(player), player.total) == (1500.0, ["W2"], 1.0)


@pytest.mark.parametrize(
    "line", ["Event: Open, 2026", '"Event: Open, 2026"', 'Event,"Open, 2026"', 'EVENT:,"Open, 2026",,,']
)
def test_a_key_stands_with_its_value_in_one_cell_or_two(line: str) -> None:
    assert read(f"{line}\n{HEAD}{ROW}").report.name == "Open, 2026"


def test_separators_within_a_value_without_quotes_are_taken_for_what_they_are() -> None:
    assert read(f"Time control: 40/90,SD/30;d5\n{HEAD}{ROW}").report.sections[0].time_controls == ("40/90,SD/30;d5",)
    text = f"Time control: 40/90,SD/30;d5;;;\n{HEAD.replace(',', ';')}"
    assert read(text).report.sections[0].time_controls == ("40/90,SD/30;d5",)


def test_what_stands_above_all_sections_holds_for_all() -> None:
    above = "Time control: G/60;d5\nOnline: yes\nType: RR\nSystems: online regular\n"
    text = f"{above}{HEAD}{ROW}Section: B\nOnline: no\n{HEAD}{ROW}"
    first, second = read(text).report.sections
    assert first.time_controls == second.time_controls == ("G/60;d5",)
    assert (first.is_online, second.is_online) == (True, False)
    assert first.kind is second.kind is SectionType.ROUND_ROBIN
    assert first.systems == (RatingSystem.OLR,)


def test_a_section_has_its_own_dates_number_and_directors() -> None:
    text = (
        "Start: 8/29/2026\nEnd: 2026-08-30\nSection: A\nSection number: 7\nStart date: 2026-08-30\n"
        f"Chief TD: 12345678\nK factor: half\nMatch waiver: agreed\n{HEAD}{ROW}"
    )
    report = read(text).report
    (section,) = report.sections
    assert (report.start, section.start, section.end) == (date(2026, 8, 29), date(2026, 8, 30), None)
    assert (section.number, section.details, section.is_half_k) == (7, {"chief_td": "12345678"}, True)
    assert section.match_waiver == "agreed"


def test_tables_below_each_other_are_sections() -> None:
    assert [len(section.players) for section in read(f"{HEAD}{ROW}\n{HEAD}{ROW}{ROW}").report.sections] == [1, 2]


@pytest.mark.parametrize("name", ["Name", "Player", "ID"])
def test_a_player_may_be_called_like_a_column(name: str) -> None:
    reading = read(f"{HEAD}1,{name},12345678,1500,W2,1\n2,Ann,12345679,1500,L1,0\n")
    assert [player.name for player in players(reading)] == [name, "Ann"]


def test_rows_without_numbers_are_numbered_in_their_order() -> None:
    found = players(read("Name,ID,Rd 1\nAnn,12345671,W2\nBea,12345672,L1\n"))
    assert [player.number for player in found] == [1, 2]


@pytest.mark.parametrize(
    ("head", "row", "pairing", "standings"),
    [
        ("Rating", "1500", 1500.0, {}),
        ("Rating", "1500P17", 1500.0, {}),
        ("Rating", "unr.", None, {}),
        ("Pre", "1500/17", None, {OTBR: PlayerRating(1500.0, 17.0)}),
        ("Pre-event rating", "1500*", None, {OTBR: PlayerRating(1500.0, None)}),
        ("Pre,Games", "1500,20", None, {OTBR: PlayerRating(1500.0, 20.0)}),
        ("Rating,Games", "1500,20", None, {OTBR: PlayerRating(1500.0, 20.0)}),
        ("Rating,Games", "1500,", None, {OTBR: PlayerRating(1500.0, None)}),
        ("Rating,Pre", "1480,1500", 1480.0, {OTBR: PlayerRating(1500.0, None)}),
        ("Pre,Regular rating", "1500,1510.5", None, {OTBR: PlayerRating(1510.5, None)}),
        ("Pre", "Unrated", None, {}),
    ],
)
def test_the_pairing_rating_is_no_rating_unless_the_titles_say_so(
    head: str, row: str, pairing: float | None, standings: dict[RatingSystem, PlayerRating]
) -> None:
    reading = read(f"Time control: G/60;d5\nNo,Name,{head}\n1,Ann,{row}\n")
    assert reading.faults == ()
    (player,) = players(reading)
    assert (player.pairing_rating, dict(player.background.standings)) == (pairing, standings)


@pytest.mark.parametrize(
    ("keys", "system"),
    [
        ("Systems: OTBQ and OTBR", OTBQ),
        ("Systems: blitz\nTime control: G/60;d5", RatingSystem.OTBB),
        ("Time control: G/25;d5", OTBR),
        ("Time control: G/90;+30\nOnline: yes", RatingSystem.OLR),
    ],
)
def test_pre_event_ratings_are_of_the_system_of_the_section(keys: str, system: RatingSystem) -> None:
    (player,) = players(read(f"{keys}\nNo,Name,Pre\n1,Ann,1500\n"))
    assert list(player.background.standings) == [system]


@pytest.mark.parametrize("keys", ["Time control: G/5;d0", "Note: nothing", "Time control: fast"])
def test_pre_event_ratings_of_an_unknown_system_are_kept_for_the_control_to_tell(keys: str) -> None:
    reading = read(f"{keys}\nNo,Name,Rating,Games\n1,Ann,1500,20\n")
    (section,) = reading.report.sections
    assert (reading.faults, section.details) == ((), {RATINGS: UNNAMED})
    assert (section.players[0].pairing_rating, section.players[0].details) == (1500.0, {PAIRING_GAMES: "20"})


def test_everything_a_player_brings_has_a_column() -> None:
    head = (
        "No,Name,OTBR rating,OTBR games,OTBR as of,OTBR wins,OTBR draws,OTBR losses,OTBR events,OTBR peak,"
        "OTBR peak since 2010,OTBR games at 2200,OTBR floor,OTBR ceiling,OTBR lowered floor,OTBR published,"
        "OTBR match changes,Quick,FIDE rating,FIDE as of,CFC,DOB,Adult,Canadian resident,Start rating,Start games,"
        "OTBR posted,OTBR posted games,Rate,FIDE flag,Member,FIDE opt in,Title,Norm"
    )
    row = (
        "1,Ann,1500.25,120,2026-07-01,60,5,55,30,1600,1590,3,1400 money / 2200 life master / 1300,2000,1200,1500,"
        "2026-05-01 +12.5 / 2026-06-01 -3,1400,1450,2026-08-01,1390,2/3/1961,yes,yes,1300,4,1510,123,"
        "yes,USA,yes,no,NM,2"
    )
    reading = read(f"{head}\n{row}\n")
    assert reading.faults == ()
    (player,) = players(reading)
    floors = (Floor(FloorKind.MONEY, 1400.0), Floor(FloorKind.LIFE_MASTER, 2200.0), Floor(FloorKind.OFFICE, 1300.0))
    assert player.background.standings[OTBR] == PlayerRating(
        rating=1500.25,
        games=120.0,
        wins=60,
        draws=5,
        losses=55,
        events=30,
        peak=1600.0,
        peak_since_2010=1590.0,
        games_at_2200=3,
        match_changes=(MatchChange(date(2026, 5, 1), 12.5), MatchChange(date(2026, 6, 1), -3.0)),
        as_of=date(2026, 7, 1),
        floors=floors,
        ceiling=2000.0,
        lowered_floor=1200.0,
        published=1500.0,
    )
    assert player.background.standings[OTBQ] == PlayerRating(1400.0)
    assert player.background.fide == OutsideRating(1450.0, date(2026, 8, 1))
    assert player.background.cfc == OutsideRating(1390.0, None)
    assert (player.background.birth_date, player.background.adult) == (date(1961, 2, 3), True)
    assert (player.background.canadian_resident, player.background.given_start) == (True, GivenStart(1300.0, 4.0))
    assert player.posted == {OTBR: Posted(1510.0, 123.0)}
    assert (player.is_rated, player.fide_flag, player.is_member, player.has_opted_in) == (True, "USA", True, False)
    assert player.details == {"title": "NM", "norm": "2"}
    assert without_places(again(reading.report).report) == without_places(reading.report)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("w 12 B", "W12b"),
        ("+12", "W12"),
        ("=b5", "D5b"),
        ("-7w", "L7w"),
        ("'+12", "W12"),
        ("h", "H"),
        ("", ""),
        ("X3", "X3"),
    ],
)
def test_cells_are_read_in_every_usual_spelling(written: str, text: str) -> None:
    assert texts(players(read(f"{HEAD}1,Ann,12345678,,{written},1\n"))[0]) == [text]


@pytest.mark.parametrize("written", ["12", "won", "1-0", "Q5"])
def test_a_cell_that_is_no_result_is_unknown_and_kept(written: str) -> None:
    cell = players(read(f"{HEAD}1,Ann,12345678,,{written},1\n"))[0].cells[0]
    assert (cell.result, cell.text) == (None, written)


def test_in_a_round_robin_a_mere_result_is_against_the_player_of_the_column() -> None:
    rows = "1,Ann,,1,½,W3\n2,Bea,0,*,D,\n3,Cy,1/2,=,x,b\n"
    reading = read(f"Type: round robin\nNo,Name,1,2,3,4\n{rows}")
    assert [texts(player) for player in players(reading)] == [
        ["*", "W2", "D3", "W3"],
        ["L1", "*", "D3", ""],
        ["D1", "D2", "*", "B"],
    ]


@pytest.mark.parametrize(("text", "total"), [("2½", 2.5), ("½", 0.5), ("3.5", 3.5), ("0", 0.0), ("", None)])
def test_totals_are_read_with_halves(text: str, total: float | None) -> None:
    assert players(read(f"{HEAD}1,Ann,12345678,,W2,{text}\n"))[0].total == total


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        (f"{HEAD}1,Ann\x07,12345678,,W2,1\n", "bad-value", "line 2, column Name"),
        (f"{HEAD}1,Ann\u202e,12345678,,W2,1\n", "bad-value", "line 2, column Name"),
        (f'{HEAD}1,"Ann\nBea",12345678,,W2,1\n', "bad-value", "line 2, column Name"),
        (f'{HEAD}1,"Ann\tBea",12345678,,W2,1\n', "bad-value", "line 2, column Name"),
        (f"{HEAD}1,{'A' * 501},12345678,,W2,1\n", "bad-value", "line 2, column Name"),
        (f"{HEAD}x,Ann,12345678,,W2,1\n", "wrong-type", "line 2, column No"),
        (f"{HEAD}0,Ann,12345678,,W2,1\n", "bad-value", "line 2, column No"),
        (f"{HEAD}1.5,Ann,12345678,,W2,1\n", "wrong-type", "line 2, column No"),
        (f"{HEAD}1,Ann,12345678,abc,W2,1\n", "wrong-type", "line 2, column Rating"),
        (f"{HEAD}1,Ann,12345678,9999,W2,1\n", "bad-value", "line 2, column Rating"),
        (f"{HEAD}1,Ann,12345678,,W2,1,left over\n", "bad-value", "line 2, column 7"),
        ("No,Name,,Rd 1\n1,Ann,what,W2\n", "bad-value", "line 2, column 3"),
        ("No,Name,DOB\n1,Ann,2026-02-30\n", "bad-date", "line 2, column DOB"),
        ("No,Name,Adult\n1,Ann,perhaps\n", "wrong-type", "line 2, column Adult"),
        ("No,Name,Quick games\n1,Ann,5\n", "missing-field", "line 2, column Quick games"),
        ("No,Name,Quick,Quick floor\n1,Ann,1500,14 money\n", "bad-value", "line 2, column Quick floor"),
        (
            "No,Name,Quick,Quick match changes\n1,Ann,1500,yesterday 5\n",
            "bad-value",
            "line 2, column Quick match changes",
        ),
        ("No,Name,Start rating\n1,Ann,1500\n", "missing-field", "line 2, column Start rating"),
        ("No,Name,ID,ID\n1,Ann,12345678,12345678\n", "bad-value", "line 1"),
        ("No,Name,Rd 1,Rd 3\n1,Ann,W2,W3\n", "missing-field", "line 1"),
        ("No,Name,Hair colour\n1,Ann,brown\n", "unknown-field", "line 1"),
        (f"Something else\n{HEAD}{ROW}", "unknown-field", "line 1"),
        (f"1,Ann,12345678\n{HEAD}{ROW}", "bad-value", "line 1"),
        (f"{HEAD}{ROW}Sektion: B\n{ROW}", "bad-value", "line 3"),
        (f"{HEAD}{ROW}Sektion: B\n", "ignored-record", "line 3"),
        (f"Grand prix: yes\n{HEAD}{ROW}", "unknown-field", "line 1"),
        (f"Event: {'A' * 501}\n{HEAD}{ROW}", "bad-value", "line 1"),
        (f"Start: soon\n{HEAD}{ROW}", "start-not-read", ""),
        (f"Section: A\nStart: soon\n{HEAD}{ROW}", "start-not-read", "line 1"),
        (f"Section: A\n{HEAD}{ROW}Section: B\n", "missing-field", "line 4"),
        (f"Section: A\nType: knockout\n{HEAD}{ROW}", "bad-value", "line 1"),
        (f"Section: A\nOnline: maybe\n{HEAD}{ROW}", "wrong-type", "line 1"),
        (f"Section: A\nSystems: OTBR, chess\n{HEAD}{ROW}", "bad-value", "line 1"),
        (f"Section: A\nSystems: FIDE\n{HEAD}{ROW}", "bad-value", "line 1"),
        (f"Section: A\nK factor: double\n{HEAD}{ROW}", "bad-value", "line 1"),
        (f"Section: A\nSection number: first\n{HEAD}{ROW}", "wrong-type", "line 1"),
    ],
)
def test_what_is_wrong_is_a_fault_with_its_place(text: str, code: str, place: str) -> None:
    found = [(code, place.removeprefix("chart.csv")) for code, place in codes(read(text))]
    assert found == [(code, place)]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"just a letter\n",
        b"Name\nAnn\n",
        b"\0\0\0",
        b"\xff\xfeN\0o\0",
        (HEAD + '1,"Ann,12345678,,W2,1\n').encode(),
        (HEAD + '1,"Ann"x,12345678,,W2,1\n').encode(),
        (HEAD + f"1,{'A' * 140_000},12345678,,W2,1\n").encode(),
        (HEAD + ROW * (wallchart.MOST_ROWS + 1)).encode(),
        (HEAD + "\n" * 200_000).encode(),
        (HEAD + "," * 600 + "x\n").encode(),
        b"x" * (wallchart.LARGEST + 1),
    ],
)
def test_what_is_no_wallchart_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError) as refusal:
        read(data)
    assert refusal.value.fault.place.startswith("chart.csv")


def test_wallcharts_are_recognised_by_their_titles() -> None:
    assert wallchart.looks_like(TEMPLATE.encode())
    assert wallchart.looks_like(b"\xef\xbb\xbfName;ID;1;2\n")
    assert not wallchart.looks_like(b"Name\nAnn\n")
    assert not wallchart.looks_like(b"PK\x03\x04\0\0")
    assert title_score(["Quick", "Blitz"]) == 0


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "=HYPERLINK(1)", "'=1", "''@x"])
def test_a_text_that_a_spreadsheet_would_run_is_defused_and_read_as_it_was(text: str) -> None:
    assert defused(text) == f"'{text}"
    assert undefused(defused(text)) == text


@pytest.mark.parametrize("text", ["", "'", "O'Brien", "'tis", "1+1", "W2"])
def test_a_harmless_text_stays_as_it_is(text: str) -> None:
    assert defused(text) == undefused(text) == text


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "@SUM(1)", "-Ann", "+Ann", "'=Ann"])
def test_no_written_cell_begins_a_formula(name: str) -> None:
    report = read(f'{HEAD}1,"{name}",12345678,,W2,1\n').report
    section = report.sections[0]
    hostile = section._replace(players=(section.players[0]._replace(name=name, state=name),))
    data = wallchart_write.write(report._replace(sections=(hostile,)))
    cells = [cell for row in csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")) for cell in row]
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "-", "@", "\t", "\r")]
    (player,) = players(wallchart.read(data, "chart.csv"))
    assert (player.name, player.state) == (name, name)


def test_what_was_read_is_written_and_read_again_as_it_was() -> None:
    report = read(TEMPLATE).report
    assert again(report).faults == ()
    assert without_places(again(report).report) == without_places(report)


def test_a_schedule_of_controls_is_written_round_by_round() -> None:
    report = read(f"Time control: Round 1: G/60;d5, Round 2: G/30;d5\nSection: A\n{HEAD}{ROW}").report
    assert report.sections[0].time_controls == ("G/60;d5", "G/30;d5")
    assert without_places(again(report).report) == without_places(report)


def _numbered(report: Report) -> Report:
    """A wallchart has sections, a row that says nothing at all is no player, and a result has an opponent.

    In a round robin a bare ``W`` is a win over the player of its column.
    """
    sections = [
        section._replace(players=tuple(_plain_row(player) for player in section.players))
        for section in report.sections or read(TEMPLATE).report.sections
    ]
    return report._replace(sections=tuple(sections))


def _plain_row(player: ReportedPlayer) -> ReportedPlayer:
    cells = tuple(
        read_cell("") if cell.result is not None and cell.result.is_game and not cell.opponent else cell
        for cell in player.cells
    )
    start = player.background.given_start
    background = player.background._replace(given_start=start and start._replace(others={}))  # a chart has one column
    return player._replace(number=player.number or 1, cells=cells, background=background)


@settings(max_examples=100, deadline=None)
@given(REPORTS.map(_numbered))
def test_reading_writing_and_reading_gives_the_same_report(report: Report) -> None:
    first = again(report)
    assert without_places(again(first.report).report) == without_places(first.report)
    assert [len(section.players) for section in first.report.sections] == [len(s.players) for s in report.sections]
    for before, after in zip(report.sections, first.report.sections, strict=True):
        for one, other in zip(before.players, after.players, strict=True):
            assert other.background == one.background
            assert other.name == one.name
            assert other.cells[: len(one.cells)] == one.cells


def _stated(data: bytes) -> Shape | None:
    """Counted in a way of its own: rows of titles or lines ``Section:`` make sections, other full rows make players."""
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    best: Shape | None = None
    for separator in ",;\t|":
        sections, rows, titled = 0, 0, True
        for cells in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            if not any(map(str.strip, cells)):
                continue
            is_alone = not any(map(str.strip, cells[1:])) and not cells[0].strip()[:1].isdigit()
            if cells[0].strip().lower().startswith("section:") or cells[0].strip().lower() == "section":
                sections, titled = sections + 1, False
            elif title_score(cells) and not cells[0].lower().startswith("note") and not cells[0].strip().isdigit():
                sections += titled
                titled = True
            elif ":" not in cells[0] and sections and titled and not is_alone:
                rows += 1
        if sections and (best is None or rows > best.players):
            best = Shape(sections, rows)
    return best


def test_damaged_wallcharts_are_read_or_refused_and_written_back_as_they_were_read() -> None:
    data = TEMPLATE.encode()
    original = read(data)
    assert _stated(data) == Shape(2, 6)
    for mutated in mutations(data, seed=13):
        reading = must_read_or_refuse(read, original, mutated, _stated)
        if reading is not None and not errors(reading):
            assert without_places(again(reading.report).report) == without_places(reading.report), mutated
