"""The crosstable for spreadsheets: a row for every player, section and system; numbers are numbers, texts are texts."""

import csv
import io
import sys
import zipfile

import pytest
from python_calamine import CalamineWorkbook

from crosstable.errors import FormatError
from crosstable.output.by_place import tables_of
from crosstable.output.crosstable_csv import crosstable_csv
from crosstable.output.crosstable_xlsx import crosstable_xlsx, sheet_name
from crosstable.pipeline.rating import RatedEvent
from crosstable.terms import RatingSystem
from tests.checks.provoked import abroad
from tests.event_files import quad
from tests.output.rated_events import SAMPLE, decorated, official, rated, renamed

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "'=1"]


def rows_of(event: RatedEvent) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(crosstable_csv(event), newline=""), strict=True))


def sheets_of(event: RatedEvent) -> dict[str, list[dict[str, object]]]:
    workbook = CalamineWorkbook.from_filelike(io.BytesIO(crosstable_xlsx(event)))
    sheets = {name: workbook.get_sheet_by_name(name).to_python() for name in workbook.sheet_names}
    return {name: [dict(zip(map(str, rows[0]), row, strict=True)) for row in rows[1:]] for name, rows in sheets.items()}


def test_the_quad_is_written_by_standing() -> None:
    """§1: the quad of readings, Part 1: 1860.75, 1825.31 on 3 games, 1580.74 on 15, 1654.79."""
    rows = rows_of(rated(quad()))
    assert [row["name"] for row in rows] == ["Player, 1", "Player, 4", "Player, 3", "Player, 2"]
    assert [row["pairing_number"] for row in rows] == ["1", "4", "3", "2"]
    assert rows[2] == {
        **{"section": "1", "section_name": "Open", "system": "OTBR", "number": "3", "pairing_number": "3"},
        **{"member_id": "10000003", "name": "Player, 3", "state": "", "total": "1.5"},
        **{"round_1": "L2", "round_2": "D1", "round_3": "W4"},
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
    ((first, *_),) = sheets_of(rated(event)).values()
    assert first["name"] == f"'{name}"


@pytest.mark.parametrize("name", ["\t=1", "\r=1"])
def test_no_text_begins_with_a_character_that_cannot_be_seen(name: str) -> None:
    shown = f"\\u{ord(name[0]):04x}=1"
    event = renamed(rated(quad()), name)
    assert rows_of(event)[0]["name"] == shown
    ((first, *_),) = sheets_of(event).values()
    assert first["name"] == shown


def test_a_workbook_has_a_sheet_for_each_section_with_numbers_as_numbers() -> None:
    """§1: as in the table of the quad; the sample's first section is that quad, rated twice."""
    sheets = sheets_of(rated(SAMPLE))
    assert list(sheets) == ["1 Quad A", "2 Blitz"]
    assert len(sheets["1 Quad A"]) == 8
    first = sheets["1 Quad A"][0]
    assert "section" not in first
    assert (first["number"], first["total"], first["pre"], first["rounded"]) == (1.0, 2.5, 1850.0, 1861.0)
    assert first["post"] == pytest.approx(1860.75, abs=0.005)  # readings, Part 1; the sheet has two decimals
    assert (first["member_id"], first["round_1"], first["norm"]) == ("10000001", "W4w", "")


def test_a_workbook_holds_no_formula_and_its_head_stays_in_sight() -> None:
    event = quad(name="=1+1")
    event["sections"][0]["players"][0]["name"] = '=HYPERLINK("x")'
    parts = zipfile.ZipFile(io.BytesIO(crosstable_xlsx(rated(event))))
    sheet = parts.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert "hyperlink" not in sheet.lower()
    assert 'state="frozen"' in sheet
    assert 'ySplit="1"' in sheet


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
    with pytest.raises(FormatError, match=r"Install crosstable\[sheets\]"):
        crosstable_xlsx(rated(quad()))
