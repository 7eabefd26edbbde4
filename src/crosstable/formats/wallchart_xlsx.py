"""Wallcharts in XLSX workbooks: the rows of ``wallchart``, on one sheet or a sheet per section.

A workbook is a zip of XML files, and both can be made to swell: sizes are checked before anything is unpacked, and the
cells a sheet claims before it is opened. The library that opens it sees a copy packed here. Formulas are never
evaluated: a formula cell counts for the value that was stored with it.
"""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING

from crosstable.catalogue import fault
from crosstable.errors import FormatError
from crosstable.formats import Reading
from crosstable.formats.findings import FaultList
from crosstable.formats.sheet_rows import Row, as_text, defused, undefused
from crosstable.formats.wallchart import MOST_ROWS, read_rows
from crosstable.formats.wallchart_players import title_score
from crosstable.formats.wallchart_write import rows_of
from crosstable.terms import Report

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

LARGEST = 10_000_000
MOST_ENTRIES = 200
LARGEST_UNPACKED = 50_000_000
MOST_RATIO = 100
MOST_CELLS = 200_000
LARGEST_PART = 10_000_000
MOST_SHEETS = 50

_ZIP = b"PK\x03\x04"
_WORKBOOK = "xl/workbook.xml"
_LISTED = b"PK\x01\x02"
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_NEEDED = re.compile(
    r"\[Content_Types\]\.xml|_rels/\.rels|xl/(?:[\w-]+|_rels/[\w.-]+|worksheets/[\w.-]+)\.(?:xml|rels)"
)
_PLACE = re.compile(rb"""\br\s*=\s*["']\s*([A-Za-z]{0,8})(\d{1,9})\s*["']""")
_COUNT = re.compile(rb"""\b(?:uniqueCount|count)\s*=\s*["']([^"']*)["']""")
_CELL = re.compile(rb"<(?:\w+:)?(?:c|row|si|mergeCell)[\s>/]")
_REMEDY = "Save the wallchart anew as an XLSX workbook, or as CSV."


def looks_like(data: bytes) -> bool:
    """Whether this is an XLSX workbook."""
    return data.startswith(_ZIP) and b"xl/workbook.xml" in data


def read(data: bytes, name: str) -> Reading:
    """Read a wallchart from a workbook; raises ``FormatError`` where it cannot be opened or breaks a limit."""
    sheets = _sheets(_repacked(data, name), name)
    faults = FaultList()
    rows: list[Row] = []
    for title, sheet in sheets:
        found = [at for at, row in enumerate(sheet) if title_score(row.cells)]
        has_heading = any(row.cells and row.cells[0].strip().lower().startswith("section") for row in sheet)
        if not found:
            message = f"The sheet {title} has no row of titles and was left out."
            faults.append(fault("ignored-record", f"{name}, sheet {title}", message))
        elif has_heading or len(sheets) == 1:
            rows += sheet
        else:  # the sheet is a section, called after it
            rows += [*sheet[: found[0]], Row(sheet[found[0]].place, (f"Section: {title}",)), *sheet[found[0] :]]
    if not rows:
        message = "No row of the workbook names its columns."
        raise FormatError(fault("not-readable", name, message, "Add a row of titles: No, Name, ID …"))
    reading = read_rows(rows, name)
    return reading._replace(faults=(*faults.closed(name), *reading.faults))


def _repacked(data: bytes, name: str) -> bytes:
    """The workbook packed anew, after its sizes were checked: what a lying size hides is not carried over."""
    if len(data) > LARGEST:
        raise _refused(name, f"The workbook is larger than {LARGEST // 1_000_000} MB.")
    if data.count(_LISTED) > MOST_ENTRIES:  # before the list is read: a long one would take its time
        raise _refused(name, f"The workbook has more than {MOST_ENTRIES} parts.")
    wrong = (zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, ValueError, OverflowError, RuntimeError)
    packed = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(packed, "w") as copy:
            for member in _checked(archive.infolist(), len(data), name):
                with archive.open(member) as file:
                    part = file.read(member.file_size)
                _check_part(part, name)
                copy.writestr(zipfile.ZipInfo(member.filename), part)
    except wrong as error:
        raise _refused(name, "The workbook is damaged.") from error
    return packed.getvalue()


def _checked(members: Sequence[zipfile.ZipInfo], size: int, name: str) -> list[zipfile.ZipInfo]:
    unpacked = sum(member.file_size for member in members)
    compressed = sum(member.compress_size for member in members)
    if unpacked > LARGEST_UNPACKED or unpacked > MOST_RATIO * max(compressed, 1) or compressed > size:
        raise _refused(name, "The workbook would swell beyond all measure when it is unpacked.")
    if any(member.flag_bits & _ENCRYPTED or member.compress_type not in _METHODS for member in members):
        raise _refused(name, "The workbook is protected by a password or packed in a way that is not read.")
    names = [member.filename for member in members]
    if _WORKBOOK not in names or len(set(names)) < len(names):
        raise _refused(name, "The file is no XLSX workbook.")
    return [member for member in members if _NEEDED.fullmatch(member.filename)]


def _check_part(part: bytes, name: str) -> None:
    """Refuse a part with more cells than a wallchart has, or cells far outside of it."""
    if len(part) > LARGEST_PART or b"\0" in part or b"<!DOCTYPE" in part or b"<!ENTITY" in part:
        raise _refused(name, "A part of the workbook is no XML that a wallchart can have.")
    if any(at > MOST_CELLS for at, _ in enumerate(_CELL.finditer(part))):
        raise _refused(name, f"A sheet has more than {MOST_CELLS} cells.")
    rows, columns = 1, 1
    for at, found in enumerate(_PLACE.finditer(part)):
        rows, columns = max(rows, int(found[2])), max(columns, _column(found[1]))
        if at > 2 * MOST_CELLS or rows > MOST_ROWS or rows * columns > MOST_CELLS:
            raise _refused(name, f"A sheet has more than {MOST_ROWS} rows or {MOST_CELLS} cells.")
    for found in _COUNT.finditer(part):  # room is made for what is announced, however much that is
        if not found[1].isdigit() or int(found[1][:10]) > MOST_CELLS:
            raise _refused(name, "The workbook announces more than a wallchart has.")


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - ord("A") + 1
    return number


def _sheets(data: bytes, name: str) -> list[tuple[str, list[Row]]]:
    """The sheets that hold anything, with their rows."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        message = "Workbooks are read with python-calamine, which is not installed."
        raise FormatError(fault("not-readable", name, message, "Install crosstable[sheets].")) from error
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
        sheets = list(_rows(workbook, name))
    except (CalamineError, OSError, ValueError) as error:
        raise _refused(name, "The workbook is damaged.") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # how the library, written in Rust, gives up; it has no base
            raise
        raise _refused(name, "The workbook is damaged.") from error
    return [(title, rows) for title, rows in sheets if any(not row.is_blank for row in rows)]


def _rows(workbook: "CalamineWorkbook", name: str) -> Iterator[tuple[str, list[Row]]]:
    if len(set(workbook.sheet_names)) < len(workbook.sheet_names) or len(workbook.sheet_names) > MOST_SHEETS:
        raise _refused(name, f"The workbook has more than {MOST_SHEETS} sheets, or two of one name.")
    for title in workbook.sheet_names:
        shown = "".join(letter for letter in title if letter.isprintable())[:80]
        values = workbook.get_sheet_by_name(title).to_python(skip_empty_area=False)
        yield (
            shown,
            [
                Row(f"{name}, sheet {shown}, row {at}", tuple(_text(value) for value in row) or ("",))
                for at, row in enumerate(values, start=1)
            ],
        )


def _text(value: object) -> str:
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, str):
        return undefused(value)
    return as_text(value) if isinstance(value, bool | int | float | date) else str(value)


def write(report: Report) -> bytes:
    """The wallchart of a report as a workbook with one sheet; raises ``FormatError`` without xlsxwriter."""
    try:
        from xlsxwriter import Workbook  # type: ignore[import-untyped]
    except ImportError as error:
        message = "Workbooks are written with xlsxwriter, which is not installed."
        raise FormatError(fault("not-readable", "workbook", message, "Install crosstable[sheets].")) from error
    made = io.BytesIO()
    with Workbook(made, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}) as workbook:
        workbook.set_properties({"created": date(2000, 1, 1)})  # the same report gives the same bytes
        sheet = workbook.add_worksheet("Wallchart")
        for at, row in enumerate(rows_of(report)):
            for column, cell in enumerate(row):
                sheet.write_string(at, column, defused(cell))
    return made.getvalue()


def _refused(name: str, message: str) -> FormatError:
    return FormatError(fault("not-readable", name, message, _REMEDY))
