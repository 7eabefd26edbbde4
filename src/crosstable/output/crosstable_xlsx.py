"""A rated event as a workbook: a sheet for every section, with the columns of ``crosstable_csv``.

Numbers are numbers; every text is written as text, so that nothing in a report can become a formula or a link.
"""

import io
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crosstable.errors import FormatError
from crosstable.faults import fault
from crosstable.output.by_place import Table, tables_of
from crosstable.output.crosstable_csv import TWO_DECIMALS, Value, columns_of, values_of
from crosstable.output.words import printable
from crosstable.pipeline.rating import RatedEvent

if TYPE_CHECKING:
    from xlsxwriter.format import Format  # type: ignore[import-untyped]
    from xlsxwriter.worksheet import Worksheet  # type: ignore[import-untyped]

LONGEST_SHEET_NAME = 31
_NOT_IN_SHEET_NAMES = re.compile(r"[\[\]:*?/\\]")
_CREATED = datetime(2000, 1, 1, tzinfo=UTC)  # the same event gives the same bytes
_ON_EVERY_ROW = frozenset({"section", "section_name"})
_WIDTHS = {"name": 28, "assumed": 40, "rating_from": 16, "floor": 14, "rules": 32}
_USUAL_WIDTH = 9


def crosstable_xlsx(event: RatedEvent) -> bytes:
    """The workbook; raises ``FormatError`` without xlsxwriter."""
    try:
        from xlsxwriter import Workbook  # type: ignore[import-untyped]
    except ImportError as error:
        message = "Workbooks are written with xlsxwriter, which is not installed."
        raise FormatError(fault("not-readable", "workbook", message, "Install crosstable[sheets].")) from error
    made = io.BytesIO()
    with Workbook(made, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}) as workbook:
        workbook.set_properties({"title": printable(event.report.name), "created": _CREATED})
        formats = {"title": workbook.add_format({"bold": True, "bottom": 1, "text_wrap": True})}
        formats |= {column: workbook.add_format({"num_format": "0.00"}) for column in TWO_DECIMALS}
        formats["total"] = workbook.add_format({"num_format": "0.0"})
        for table in tables_of(event):
            _fill(workbook.add_worksheet(sheet_name(table)), event, table, formats)
    return made.getvalue()


def sheet_name(table: Table) -> str:
    """The section's number and name as far as a sheet can be called so; the number keeps them apart."""
    name = _NOT_IN_SHEET_NAMES.sub(" ", f"{table.section.number} {printable(table.section.name)}")
    return name[:LONGEST_SHEET_NAME].strip(" '")


def _fill(sheet: "Worksheet", event: RatedEvent, table: Table, formats: dict[str, "Format"]) -> None:
    columns = [column for column in columns_of([table]) if column not in _ON_EVERY_ROW]
    rows = values_of(event, table)
    for at, column in enumerate(columns):
        sheet.write_string(0, at, column, formats["title"])
        sheet.set_column(at, at, _WIDTHS.get(column, _USUAL_WIDTH))
        for row, values in enumerate(rows, start=1):
            _write(sheet, row, at, values.get(column), formats.get(column))
    sheet.freeze_panes(1, columns.index("name") + 1)
    sheet.autofilter(0, 0, len(rows), len(columns) - 1)
    sheet.ignore_errors({"number_stored_as_text": f"A1:XFD{len(rows) + 1}"})
    sheet.repeat_rows(0)
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)


def _write(sheet: "Worksheet", row: int, column: int, value: Value, style: "Format | None") -> None:
    if isinstance(value, str):
        sheet.write_string(row, column, value, style)
    elif value is not None:
        sheet.write_number(row, column, value, style)
