"""The crosstable for spreadsheets: a row for every player, section and system; numbers are numbers, texts are texts."""

import csv
import io
import re
import sys
import zipfile

import pytest
from python_calamine import CalamineWorkbook

from crosstable.errors import FormatError
from crosstable.output.crosstable import NUMBERING, STARS, tables_of
from crosstable.output.crosstable_sheets import crosstable_csv, crosstable_xlsx, sheet_name
from crosstable.pipeline.rating import RatedEvent
from crosstable.terms import RatingSystem
from tests.checks.provoked import abroad
from tests.event_files import quad
from tests.output.rated_events import SAMPLE, decorated, official, rated, renamed

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "'=1"]


def rows_of(event: RatedEvent) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(crosstable_csv(event), newline=""), strict=True))


def sheets_of(event: RatedEvent) -> dict[str, list[dict[str, object]]]:
    """The rows of each sheet under their titles; above those of a section stand four lines."""
    workbook = CalamineWorkbook.from_filelike(io.BytesIO(crosstable_xlsx(event)))
    sheets = {name: workbook.get_sheet_by_name(name).to_python() for name in workbook.sheet_names}
    tables = {name: rows if name == "Data" else rows[4:] for name, rows in sheets.items()}
    return {name: [dict(zip(map(str, rows[0]), row, strict=True)) for row in rows[1:]] for name, rows in tables.items()}


def test_the_quad_is_written_by_rank() -> None:
    """§1: the quad of readings, Part 1: 1860.75, 1825.31 on 3 games, 1580.74 on 15, 1654.79."""
    rows = rows_of(rated(quad()))
    assert [row["name"] for row in rows] == ["Player, 1", "Player, 4", "Player, 3", "Player, 2"]
    assert [row["number"] for row in rows] == ["1", "4", "3", "2"]
    assert rows[2] == {
        **{"section": "1", "section_name": "Open", "system": "OTBR", "rank": "3", "number": "3"},
        **{"member_id": "10000003", "name": "Player, 3", "state": "", "total": "1.5"},
        **{"round_1": "L4", "round_2": "D1", "round_3": "W2"},
        **{"pre": "1500", "games_before": "12", "post": "1580.74", "rounded": "1581", "games_after": "15"},
        **{"norm": "", "floor": "", "assumed": "", "rating_from": "", "range_low": "", "range_high": ""},
    }
    assert [rows[1][column] for column in ("pre", "games_before", "post", "games_after")] == ["", "", "1825.31", "3"]


def test_a_dual_section_has_two_rows_for_a_player() -> None:
    """The published section of 2026, to its two decimals."""
    rows = rows_of(rated(official()))
    assert [(row["number"], row["system"], row["pre"], row["post"]) for row in rows[:4]] == [
        ("1", "OTBR", "554.22", "656.85"),
        ("1", "OTBQ", "546.49", "650.17"),
        ("2", "OTBR", "445.28", "500.21"),
        ("2", "OTBQ", "440.05", "494.78"),
    ]
    assert rows[0]["games_before"] == ""
    assert rows[0]["assumed"].startswith("wins, draws, losses, events: not given")


def test_sections_of_different_length_share_the_columns_of_the_longest() -> None:
    rows = rows_of(rated(SAMPLE))
    assert [row["round_4"] for row in rows if row["section"] == "1"] == [""] * 8
    assert [row["round_4"] for row in rows if row["section"] == "2"] == ["W5w", "W3b", "L2w", "U", "L1b"]


def test_norms_floors_and_ranges_have_columns() -> None:
    event = rated(decorated())._replace(ranges={(1, RatingSystem.OTBR, 5): (1700.0, 1701.256)})
    first, second, *_ = rows_of(event)
    assert (first["norm"], first["floor"], first["range_low"]) == ("2", "", "")
    assert (second["name"], second["floor"]) == ("Player, 5", "peak 1700")
    assert (second["range_low"], second["range_high"]) == ("1700.00", "1701.26")


def test_an_opponent_abroad_has_no_figures() -> None:
    """§6: they are there as an opponent only."""
    member, opponent = rows_of(rated(abroad()))
    assert member["pre"] == "2100"
    assert {opponent[column] for column in ("pre", "games_before", "post", "rounded", "games_after")} == {""}


@pytest.mark.parametrize("name", FORMULAS)
def test_no_text_begins_a_formula(name: str) -> None:
    """As our other sheets: an apostrophe before it."""
    event = quad(name=name)
    event["sections"][0]["players"][0]["name"] = name
    row = rows_of(rated(event))[0]
    assert row["name"] == row["section_name"] == f"'{name}"
    (first, *_), (data, *_) = sheets_of(rated(event)).values()
    assert first["Player"] == data["name"] == f"'{name}"


@pytest.mark.parametrize("name", ["\t=1", "\r=1"])
def test_no_text_begins_with_a_character_that_cannot_be_seen(name: str) -> None:
    shown = f"\\u{ord(name[0]):04x}=1"
    event = renamed(rated(quad()), name)
    assert rows_of(event)[0]["name"] == shown
    (first, *_), (data, *_) = sheets_of(event).values()
    assert first["Player"] == data["name"] == shown


def test_a_workbook_has_a_sheet_to_print_for_each_section_and_one_with_data() -> None:
    """§1: as in the table of the quad; the sample's first section is that quad, rated twice."""
    sheets = sheets_of(rated(SAMPLE))
    assert list(sheets) == ["1 Quad A", "2 Blitz", "Data"]
    first, second, *_ = sheets["1 Quad A"]
    assert [first[title] for title in ("Rank", "No.", "Player", "ID", "Points", "1", "2", "3")] == [
        *(1.0, 1.0, "Abbott, Ruth", "10000001", 2.5, "W2w", "D3b", "W4w"),
    ]
    assert (first["Regular before"], first["Regular after"]) == (1850.0, 1861.0)
    assert (second["Rank"], second["No."], second["Regular before"]) == (2.0, 4.0, "Unrated")
    assert second["Regular after"] == "1825P3"
    assert "Norm" not in first
    data = sheets["Data"]
    assert len(data) == 13
    assert (data[0]["number"], data[0]["total"], data[0]["pre"], data[0]["rounded"]) == (1.0, 2.5, 1850.0, 1861.0)
    assert data[0]["post"] == pytest.approx(1860.75, abs=0.005)  # readings, Part 1; the sheet has two decimals
    assert (data[0]["member_id"], data[0]["round_1"], data[0]["norm"]) == ("10000001", "W2w", "")


def test_a_sheet_to_print_has_the_head_of_the_event_and_says_what_marks_mean() -> None:
    """The published section of 2026 has no counts: its numbers stay numbers, shown with an asterisk."""
    event = official()
    event["event"] |= {"name": "Cup", "details": {"city": "Dayton", "state": "OH", "chief_td": "12345678"}}
    made = crosstable_xlsx(rated(event))
    lines = CalamineWorkbook.from_filelike(io.BytesIO(made)).get_sheet_by_index(0).to_python()
    assert [line[0] for line in lines[:3]] == [
        *("Cup", "August 30, 2026 · Dayton, OH · Chief TD ID 12345678", "Section 1: Open"),
    ]
    assert lines[5][lines[4].index("Regular after")] == 657.0
    assert [line[0] for line in lines[12:16]] == [
        NUMBERING,
        "W won, L lost, B full-point bye, H half-point bye; the number is the opponent's.",
        *("445P21 is a provisional rating on 21 games.", STARS),
    ]
    parts = zipfile.ZipFile(io.BytesIO(made))
    sheet = parts.read("xl/worksheets/sheet1.xml").decode()
    assert "0&quot;*&quot;" in parts.read("xl/styles.xml").decode()
    assert re.search(r'<pageSetup[^>]*paperSize="1"[^>]*fitToHeight="0"[^>]*orientation="landscape"', sheet)
    assert "<oddFooter>&amp;L&amp;A&amp;RPage &amp;P of &amp;N</oddFooter>" in sheet
    assert "'1 Open'!$1:$5" in parts.read("xl/workbook.xml").decode()
    widths = [float(width) for width in re.findall(r'<col min="3" max="3" width="([\d.]+)"', sheet)]
    assert widths[0] > len("Player, 1")


def test_norms_and_opponents_abroad_are_shown_on_the_sheet() -> None:
    assert sheets_of(rated(decorated()))["1 Open"][0]["Norm"] == "2"
    _, opponent, *_ = next(iter(sheets_of(rated(abroad())).values()))
    assert (opponent["Regular before"], opponent["Regular after"]) == ("not rated", "")


def test_a_workbook_holds_no_formula_and_its_head_stays_in_sight() -> None:
    event = quad(name="=1+1")
    event["sections"][0]["players"][0]["name"] = '=HYPERLINK("x")'
    parts = zipfile.ZipFile(io.BytesIO(crosstable_xlsx(rated(event))))
    for at, split in ((1, 5), (2, 1)):
        sheet = parts.read(f"xl/worksheets/sheet{at}.xml").decode()
        assert "<f>" not in sheet
        assert "hyperlink" not in sheet.lower()
        assert 'state="frozen"' in sheet
        assert f'ySplit="{split}"' in sheet


def test_the_same_event_gives_the_same_bytes() -> None:
    assert crosstable_xlsx(rated(quad())) == crosstable_xlsx(rated(quad()))


@pytest.mark.parametrize(
    ("name", "sheet"),
    [("Open", "1 Open"), ("", "1"), ("A/B: [x]*?\\", "1 A B   x"), ("x" * 40, "1 " + "x" * 29), ("O'", "1 O")],
)
def test_sheets_are_called_as_far_as_a_sheet_can_be(name: str, sheet: str) -> None:
    """Workbooks forbid seven characters, an apostrophe at the end, and more than 31 characters."""
    (table,) = tables_of(rated(quad(name=name)))
    assert sheet_name(table) == sheet


def test_without_the_library_a_workbook_is_refused_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(FormatError, match=r"pip install xlsxwriter"):
        crosstable_xlsx(rated(quad()))
