"""Wallcharts in workbooks: read and written like CSV, and never made to swell, run or point elsewhere."""

import io
import re
import zipfile
from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import partial

import pytest
import xlsxwriter  # type: ignore[import-untyped]
from python_calamine import CalamineWorkbook

from crosstable.errors import FormatError
from crosstable.formats import Reading, bundles, wallchart, wallchart_xlsx
from crosstable.formats.wallchart_xlsx import read, write
from crosstable.formats.workbook import LARGEST, MOST_CELLS, MOST_ELEMENTS, MOST_ENTRIES, parts_of, sheets_of
from tests.formats.mutations import Shape, must_read_or_refuse, mutations, share
from tests.formats.reports import players, texts, without_places

REPORT = wallchart.read(wallchart.TEMPLATE.encode(), "chart.csv").report
DATA = write(REPORT)


def opened(data: bytes) -> Reading:
    return read(data, "chart.xlsx")


def workbook(sheets: Mapping[str, list[list[object]]]) -> bytes:
    """A workbook as a spreadsheet program makes it: numbers are numbers, days are days."""
    made = io.BytesIO()
    with xlsxwriter.Workbook(made, {"in_memory": True, "default_date_format": "yyyy-mm-dd"}) as book:
        for title, rows in sheets.items():
            sheet = book.add_worksheet(title)
            for at, row in enumerate(rows):
                for column, value in enumerate(row):
                    if value is not None:
                        sheet.write(at, column, value)
    return made.getvalue()


def altered(name: str, change: Callable[[bytes], bytes], data: bytes = DATA, method: int = zipfile.ZIP_STORED) -> bytes:
    """The workbook with one part changed."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(made, "w", method) as copy:
        for member in archive.infolist():
            part = archive.read(member)
            copy.writestr(member.filename, change(part) if member.filename.endswith(name) else part)
    return made.getvalue()


def test_a_workbook_is_recognised_and_is_no_bundle_of_files() -> None:
    assert wallchart_xlsx.looks_like(DATA)
    assert not bundles.looks_like(DATA)
    assert not wallchart_xlsx.looks_like(b"PK\x03\x04")
    assert not wallchart_xlsx.looks_like(wallchart.TEMPLATE.encode())


def test_what_was_read_is_written_and_read_again_as_it_was() -> None:
    reading = opened(DATA)
    assert reading.faults == ()
    assert without_places(reading.report) == without_places(REPORT)
    assert reading.report.sections[0].players[0].place == "chart.xlsx, sheet Wallchart, row 12 (number 1)"


def test_the_same_report_gives_the_same_bytes() -> None:
    assert write(REPORT) == DATA


def test_numbers_and_days_of_a_spreadsheet_are_read_as_they_are_shown() -> None:
    rows: list[list[object]] = [
        ["Event", "Summer Quads"],
        ["Start", date(2026, 8, 30)],
        ["Time control:", "G/60;d5"],
        ["Online", False],
        ["No", "Name", "ID", "DOB", "Pre", "Games", 1, 2, "Total"],
        [1, "Ann", 12345678, datetime(2014, 2, 3, 12), 1512.5, 17, "W2", "H", 1.5],  # noqa: DTZ001
        [2, "Bea", "12345679", None, "unr", None, "L1", -1, "=1+1"],
    ]
    reading = opened(workbook({"Chart": rows}))
    assert reading.faults == ()
    report = reading.report
    assert (report.name, report.start) == ("Summer Quads", date(2026, 8, 30))
    ann, bea = players(reading)
    assert (ann.number, ann.member_id, ann.background.birth_date) == (1, "12345678", date(2014, 2, 3))
    assert [(s.rating, s.games) for s in ann.background.standings.values()] == [(1512.5, 17.0)]
    assert texts(bea) == ["L1", "L1"]
    assert bea.total == 0.0  # what is stored with the formula; it is not evaluated


def test_a_number_in_a_round_is_no_result() -> None:
    """A spreadsheet makes 12 of +12: the sign is lost, and nobody guesses it."""
    reading = opened(workbook({"Chart": [["No", "Name", 1], [1, "Ann", 12]]}))
    assert players(reading)[0].cells[0].result is None


def test_each_sheet_is_a_section_called_after_it() -> None:
    table: list[list[object]] = [["No", "Name", "Rd 1"], [1, "Ann", "H"]]
    sheets: dict[str, list[list[object]]] = {
        "Open": [["Event: Summer Quads"], *table],
        "Reserve": table,
        "Notes": [["Bring a clock"]],
        "Empty": [],
    }
    reading = opened(workbook(sheets))
    assert [(section.name, len(section.players)) for section in reading.report.sections] == [
        ("Open", 1),
        ("Reserve", 1),
    ]
    assert reading.report.name == "Summer Quads"
    assert [(fault.code, fault.place) for fault in reading.faults] == [("ignored-record", "chart.xlsx, sheet Notes")]


def test_a_sheet_that_names_its_sections_is_taken_at_its_word() -> None:
    table: list[list[object]] = [["Section: A"], ["No", "Name", "Rd 1"], [1, "Ann", "H"]]
    sections = opened(workbook({"One": [*table, *table], "Two": table})).report.sections
    assert [section.name for section in sections] == ["A", "A", "A"]


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "@SUM(1)", "-Ann", "+Ann", "'=Ann", "https://example.org"])
def test_no_cell_is_written_as_a_formula_or_a_link(name: str) -> None:
    section = REPORT.sections[0]
    hostile = section._replace(players=(section.players[0]._replace(name=name),))
    data = write(REPORT._replace(sections=(hostile,)))
    assert players(opened(data))[0].name == name
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert b"<f>" not in archive.read("xl/worksheets/sheet1.xml")
        assert b"hyperlink" not in archive.read("xl/worksheets/sheet1.xml")
        texts_ = re.findall(rb"<t[^>]*>([^<]*)", archive.read("xl/sharedStrings.xml"))
    assert not [text for text in texts_ if text[:1] in (b"=", b"+", b"-", b"@", b"\t", b"\r")]


def _bomb(size: int, entries: int = 1) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for at in range(entries):
            archive.writestr("xl/workbook.xml" if at == 0 else f"xl/media/{at}.bin", b"\0" * size)
    return made.getvalue()


def _overlapping() -> bytes:
    """Two entries of the list that share the same bytes: the sizes add up to more than the file."""
    data = bytearray(DATA)
    at = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    listed = bytes(data[at:end])
    entries = re.split(rb"(?=PK\x01\x02)", listed)[1:]
    biggest = max(entries, key=lambda entry: int.from_bytes(entry[20:24], "little"))
    extra = [biggest.replace(b"xl/", b"xm/").replace(b"styles", b"sty%03d" % number) for number in range(100)]
    total = len(entries) + len(extra)
    middle = b"".join([*entries, *extra])
    tail = bytearray(data[end:])
    tail[8:10] = tail[10:12] = total.to_bytes(2, "little")
    tail[12:16] = len(middle).to_bytes(4, "little")
    return bytes(data[:at]) + middle + bytes(tail)


def _sheet(change: Callable[[bytes], bytes]) -> bytes:
    return altered("sheet1.xml", change)


REFUSED: dict[str, bytes] = {
    "nothing": b"",
    "no zip": b"PK\x03\x04xl/workbook.xml",
    "another zip": _bomb(10).replace(b"xl/workbook.xml", b"xl/workbooq.xml"),
    "ratio": _bomb(40_000_000),
    "size": _bomb(30_000_000, 2),
    "entries": _bomb(1, MOST_ENTRIES + 1),
    "too large": b"PK\x03\x04" + b"x" * LARGEST,
    "overlap": _overlapping(),
    "doctype": _sheet(lambda part: part.replace(b"<worksheet", b"<!DOCTYPE x [<!ENTITY a 'b'>]><worksheet")),
    "utf-16": _sheet(lambda part: part.decode().encode("utf-16")),
    "far row": _sheet(lambda part: part.replace(b'r="A2"', b'r="A1048576"')),
    "far column": _sheet(lambda part: part.replace(b'r="A12"', b"r = 'XFD12'")),
    "far by row": _sheet(lambda part: part.replace(b'<row r="2"', b'<row r="99999999"')),
    "wide and high": _sheet(
        lambda part: part.replace(b"</sheetData>", b'<row r="9999"><c r="ZZ9999"/></row></sheetData>')
    ),
    "many cells": _sheet(lambda part: part.replace(b"</sheetData>", b"<c/>" * (MOST_CELLS + 1) + b"</sheetData>")),
    "announced": altered(
        "sharedStrings.xml", lambda part: re.sub(rb'uniqueCount="\d+"', b'uniqueCount="999999999"', part)
    ),
    "announced oddly": altered("sharedStrings.xml", lambda part: part.replace(b'uniqueCount="', b'uniqueCount="+')),
    "large part": _sheet(lambda part: part + b" " * 10_000_001),
    "broken xml": _sheet(lambda part: part.replace(b"</row>", b"</wor>")),
    "no such text": _sheet(lambda part: part.replace(b"<v>0</v>", b"<v>99999999</v>")),
    "no titles": workbook({"Notes": [["Bring a clock"]]}),
    "empty": workbook({"Empty": []}),
    "many sheets": workbook({f"S{at}": [] for at in range(51)}),
    "same sheet twice": altered("workbook.xml", lambda part: re.sub(rb"(<sheet [^>]*>)", rb"\1\1", part)),
    "encrypted": re.sub(rb"(PK\x01\x02....)\x00", lambda found: found[1] + b"\x01", DATA, flags=re.DOTALL),
    "rows out of order": _sheet(lambda part: part.replace(b'<row r="3"', b'<row r="2"')),
    "cells out of order": _sheet(lambda part: part.replace(b'r="B12"', b'r="A12"')),
    "cell in another row": _sheet(lambda part: part.replace(b'r="B12"', b'r="B13"')),
    "no row": _sheet(lambda part: re.sub(rb"<row (r=.13.*?)</row>", rb"<raw \1</raw>", part)),
    "no cell": _sheet(lambda part: re.sub(rb"<c (r=.A13.*?)</c>", rb"<b \1</b>", part)),
    "text lost": altered("sharedStrings.xml", lambda part: part.replace(b"<si><t>Name</t></si>", b"")),
    "deep": _sheet(lambda part: part.replace(b"</sheetData>", b"<a>" * 1_000_000 + b"</sheetData>")),
    "long": _sheet(lambda part: part.replace(b"<sheetData>", b"<a/>" * MOST_ELEMENTS + b"<sheetData>")),
    "another method": DATA.replace(b"\x08\x00\x00\x00\x21\x00", b"\x0e\x00\x00\x00\x21\x00"),
    "wrong sum": DATA[:60] + bytes([DATA[60] ^ 255]) + DATA[61:],
    "cut off": DATA[:-40],
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_workbook_made_to_do_harm_is_refused(name: str) -> None:
    data = REFUSED[name]
    assert must_read_or_refuse(opened, opened(DATA), data) is None
    with pytest.raises(FormatError) as refusal:
        opened(data)
    assert refusal.value.fault.code == "not-readable"


@pytest.mark.parametrize(
    "change",
    [
        lambda part: re.sub(rb'<dimension ref="[^"]*"/>', b'<dimension ref="A1:XFD1048576"/>', part),
        lambda part: part.replace(
            b"</sheetData>", b'</sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'
        ),
        lambda part: re.sub(rb'spans="[^"]*"', b'spans="1:16384"', part),
        lambda part: re.sub(rb' r="[A-Z]*\d+"', b"", part),
    ],
)
def test_a_sheet_that_only_claims_to_be_large_is_read(change: Callable[[bytes], bytes]) -> None:
    reading = must_read_or_refuse(opened, opened(DATA), _sheet(change))
    assert reading is None or without_places(reading.report) == without_places(REPORT)


@pytest.mark.parametrize("name", ["../../etc/x.xml", "/abs/x.xml", "xl/../../x.xml"])
def test_a_part_with_a_path_leads_nowhere(name: str) -> None:
    made = io.BytesIO(DATA)
    with zipfile.ZipFile(made, "a") as archive:
        archive.writestr(name, b"<x/>")
    assert opened(made.getvalue()).report == opened(DATA).report


@pytest.mark.parametrize("bad", ["A\u202eB", "A\u2066B", "A\x7fB", "A\nB", "A" * 501])
def test_a_character_that_cannot_be_printed_is_a_fault(bad: str) -> None:
    reading = opened(workbook({"Chart": [["No", "Name", 1], [1, bad, "H"]]}))
    assert [(fault.code, fault.place) for fault in reading.faults] == [
        ("bad-value", "chart.xlsx, sheet Chart, row 2, column Name")
    ]


def test_without_the_library_the_remedy_is_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "xlsxwriter", None)
    with pytest.raises(FormatError) as refusal:
        write(REPORT)
    assert refusal.value.fault.remedy == "Type: pip install xlsxwriter"


@pytest.mark.parametrize("is_late", [False, True], ids=["from 1900", "from 1904"])
def test_cells_are_what_another_reader_finds(is_late: bool) -> None:
    """Expected: python-calamine, which shares nothing with ours."""
    made = io.BytesIO()
    with xlsxwriter.Workbook(made, {"in_memory": True, "date_1904": is_late}) as book:
        day, clock = book.add_format({"num_format": "m/d/yy"}), book.add_format({"num_format": '0.0" d"'})
        sheet, bold = book.add_worksheet("First"), book.add_format({"bold": True})
        sheet.write_row(0, 1, ["text", " blanks ", 1512.25, 3, True, False, "'=1+1"])
        sheet.write_rich_string(2, 0, "one ", bold, "two", " three")
        sheet.write_datetime(3, 2, datetime(2026, 6, 14, 9, 30), day)  # noqa: DTZ001
        sheet.write_datetime(3, 3, datetime(1999, 2, 28), day)  # noqa: DTZ001
        sheet.write_number(3, 4, 12.5, clock)
        sheet.write_formula(4, 0, "=1+1", None, 2)
        sheet.write_formula(4, 1, '="a"&"b"', None, "ab")
        book.add_worksheet("Second & last").write(1, 1, "x")
        book.add_worksheet("Empty")
    ours = list(sheets_of(parts_of(made.getvalue(), "x.xlsx")))
    theirs = CalamineWorkbook.from_filelike(io.BytesIO(made.getvalue()))
    assert [one.title for one in ours] == theirs.sheet_names
    for one in ours:
        expected = theirs.get_sheet_by_name(one.title).to_python(skip_empty_area=False)
        as_days = [
            [datetime(v.year, v.month, v.day) if type(v) is date else v for v in row]  # noqa: DTZ001
            for row in expected
        ]
        assert one.rows == as_days


def _stated(data: bytes) -> Shape | None:
    """Rows of the sheet by a way of its own: the texts of the first column, looked up and counted."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            listed = re.findall(r"<si><t[^>]*>([^<]*)</t></si>", archive.read("xl/sharedStrings.xml").decode())
            sheet = archive.read("xl/worksheets/sheet1.xml").decode()
        firsts = [listed[int(at)] for at in re.findall(r'<c r="A\d+"[^>]*><v>(\d+)</v>', sheet)]
    except (zipfile.BadZipFile, ValueError, LookupError, OSError, RuntimeError, NotImplementedError, EOFError):
        return None
    return Shape(sum(first.startswith("Section:") for first in firsts), sum(first.isdigit() for first in firsts))


def test_damaged_workbooks_are_read_or_refused() -> None:
    original = opened(DATA)
    assert _stated(DATA) == Shape(2, 6)
    for mutated in mutations(DATA, seed=3):
        must_read_or_refuse(opened, original, mutated, _stated)


@pytest.mark.parametrize("name", ["sheet1.xml", "sharedStrings.xml", "workbook.xml", "workbook.xml.rels", "styles.xml"])
def test_workbooks_with_a_damaged_part_are_read_or_refused(name: str) -> None:
    """The zip is sound, so the damage reaches the XML; with every change a part gets a fifth of the usual count."""
    original = opened(DATA)
    with zipfile.ZipFile(io.BytesIO(DATA)) as archive:
        part = next(archive.read(member) for member in archive.namelist() if member.endswith(f"/{name}"))
    for mutated in mutations(part, seed=17, count=share(5)):
        must_read_or_refuse(opened, original, altered(f"/{name}", partial(_instead, mutated)), _stated)


def _instead(new: bytes, _: bytes) -> bytes:
    return new
