"""Wallcharts in XLSX workbooks: the rows of ``wallchart``, on one sheet or a sheet per section.

Formulas are never evaluated: a formula cell counts for the value that was stored with it. Written cells are texts, and
none of them begins a formula.
"""

import io
import re
from datetime import UTC, datetime
from xml.etree.ElementTree import ParseError

from crosstable.errors import FormatError
from crosstable.faults import fault
from crosstable.formats import OWN_TITLES, FaultList, Reading, own_output
from crosstable.formats.sheet_rows import Row, as_text, defused, undefused
from crosstable.formats.wallchart import read_rows, table_score
from crosstable.formats.wallchart_write import rows_of
from crosstable.formats.workbook import Sheet, Value, parts_of, refused, sheets_of
from crosstable.terms import Report

MOST_SHEETS = 50
_ZIP = b"PK\x03\x04"
_CREATED = datetime(2000, 1, 1, tzinfo=UTC)  # the same report gives the same bytes


# What spreadsheet programs call a sheet that nobody named, in some languages.
_UNNAMED = re.compile(r"(?:Sheet|Wallchart|Tabelle|Feuille?|Hoja)[ _]?\d{0,3}", re.IGNORECASE)


def looks_like(data: bytes) -> bool:
    """Whether this is an XLSX workbook."""
    return data.startswith(_ZIP) and b"xl/workbook.xml" in data


def read(data: bytes, name: str) -> Reading:
    """Read a wallchart from a workbook; raises ``FormatError`` where it cannot be opened or breaks a limit."""
    sheets = _sheets(data, name)
    if any(sheet[0].cells[: len(OWN_TITLES)] == OWN_TITLES for _, sheet in sheets):
        raise FormatError(own_output(name))
    faults = FaultList()
    rows: list[Row] = []
    for title, sheet in sheets:
        found = [at for at, row in enumerate(sheet) if table_score(row.cells)]
        has_heading = any(row.cells and row.cells[0].strip().lower().startswith("section") for row in sheet)
        if not found:
            message = f"The sheet {title} has no row of titles and was left out."
            faults.append(fault("ignored-record", f"{name}, sheet {title}", message))
        elif has_heading or (len(sheets) == 1 and _UNNAMED.fullmatch(title)):
            rows += sheet
        else:  # the sheet is a section, called after it
            rows += [*sheet[: found[0]], Row(sheet[found[0]].place, (f"Section: {title}",)), *sheet[found[0] :]]
    if not rows:
        message = "No row of the workbook names its columns."
        raise FormatError(fault("not-readable", name, message, "Add a row of titles: No, Name, ID …"))
    reading = read_rows(rows, name)
    return reading._replace(faults=(*faults.closed(name), *reading.faults))


def _sheets(data: bytes, name: str) -> list[tuple[str, list[Row]]]:
    """The sheets that hold anything, with their rows."""
    parts = parts_of(data, name)
    try:
        sheets = list(sheets_of(parts))
    except (ParseError, ValueError, LookupError, StopIteration, RuntimeError) as error:
        raise refused(name, "The workbook is damaged.") from error
    titles = [sheet.title for sheet in sheets]
    if len(set(titles)) < len(titles) or len(titles) > MOST_SHEETS:
        raise refused(name, f"The workbook has more than {MOST_SHEETS} sheets, or two of one name.")
    found = [_shown(sheet, name) for sheet in sheets]
    return [(title, rows) for title, rows in found if any(not row.is_blank for row in rows)]


def _shown(sheet: Sheet, name: str) -> tuple[str, list[Row]]:
    title = "".join(letter for letter in sheet.title if letter.isprintable())[:80]
    return title, [
        Row(f"{name}, sheet {title}, row {at}", tuple(_text(value) for value in row) or ("",))
        for at, row in enumerate(sheet.rows, start=1)
    ]


def _text(value: Value) -> str:
    if isinstance(value, datetime):
        return value.date().isoformat()
    return undefused(value) if isinstance(value, str) else as_text(value)


def write(report: Report) -> bytes:
    """The wallchart of a report as a workbook with one sheet; raises ``FormatError`` without xlsxwriter."""
    try:
        from xlsxwriter import Workbook  # type: ignore[import-untyped]
    except ImportError as error:
        message = "Workbooks are written with xlsxwriter, which is not installed."
        raise FormatError(fault("not-readable", "workbook", message, "Type: pip install xlsxwriter")) from error
    made = io.BytesIO()
    with Workbook(made, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}) as workbook:
        workbook.set_properties({"created": _CREATED})
        sheet = workbook.add_worksheet("Wallchart")
        for at, row in enumerate(rows_of(report)):
            for column, cell in enumerate(row):
                sheet.write_string(at, column, defused(cell))
    return made.getvalue()
