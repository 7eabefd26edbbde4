"""A rated event for spreadsheets: one CSV table of all results, or a workbook with a sheet to print for every section.

Numbers are numbers; every text is written as text, so that nothing in a report can become a formula or a link.

A rated event as one table for spreadsheets and programs: a row for every player, section and system.
"""

import csv
import io
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.errors import FormatError
from crosstable.faults import fault
from crosstable.formats.sheet_rows import as_text, defused
from crosstable.formulas.outcome import official_rating
from crosstable.output.crosstable import Row, Table, floor_text, legend, tables_of
from crosstable.output.words import (
    about_event,
    cell_text,
    event_title,
    post_text,
    pre_text,
    printable,
    rests_on_assumption,
    section_name,
)
from crosstable.pipeline.rating import RatedEvent
from crosstable.terms import RatingSystem

if TYPE_CHECKING:
    from xlsxwriter import Workbook  # type: ignore[import-untyped]
    from xlsxwriter.format import Format  # type: ignore[import-untyped]
    from xlsxwriter.worksheet import Worksheet  # type: ignore[import-untyped]


LONGEST_SHEET_NAME = 31
DATA = "Data"
LETTER = 1
# In points: two lines.
HEAD_HEIGHT = 32
MARGINS = {"left": 0.4, "right": 0.4, "top": 0.5, "bottom": 0.6}
_NOT_IN_SHEET_NAMES = re.compile(r"[\[\]:*?/\\]")
_CREATED = datetime(2000, 1, 1, tzinfo=UTC)  # the same event gives the same bytes
_WIDTHS = {"name": 28, "assumed": 40, "rating_from": 16, "floor": 14, "rules": 32}
_USUAL_WIDTH = 9
_HEAD = {"bold": True, "bottom": 1, "text_wrap": True, "valign": "bottom"}
_LINE = {"bottom": 1, "bottom_color": "#BBBBBB"}
_STYLES: dict[str, dict[str, Any]] = {
    "event": {"bold": True, "font_size": 16},
    "section": {"bold": True, "font_size": 13},
    "left": {**_LINE, "indent": 1},
    "right": {**_LINE, "align": "right"},
    "points": {**_LINE, "num_format": "0.0", "bold": True},
    "assumed": {**_LINE, "align": "right", "num_format": '0"*"'},
    "head left": {**_HEAD, "align": "left", "indent": 1},
    "head right": {**_HEAD, "align": "right"},
}

Value = str | float | None


class _Column(NamedTuple):
    """A column to print: its title, what stands in it, and its style."""

    title: str
    values: Sequence[Value]
    style: str = "left"


TWO_DECIMALS = frozenset({"post", "range_low", "range_high"})
RULES = "rules"
_WHO = ("section", "section_name", "system", "rank", "number", "member_id", "name", "state", "total")
_FIGURES = (
    *("pre", "games_before", "post", "rounded", "games_after", "norm", "floor"),
    *("assumed", "rating_from", "range_low", "range_high"),
)


def crosstable_xlsx(event: RatedEvent, tie_breaks: Sequence[str] | None = None) -> bytes:
    """The workbook; raises ``FormatError`` without xlsxwriter."""
    try:
        from xlsxwriter import Workbook
    except ImportError as error:
        message = "Workbooks are written with xlsxwriter, which is not installed."
        raise FormatError(fault("not-readable", "workbook", message, "Type: pip install xlsxwriter")) from error
    made = io.BytesIO()
    with Workbook(made, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}) as workbook:
        workbook.set_properties({"title": printable(event.report.name), "created": _CREATED})
        tables = tables_of(event, tie_breaks)
        styles = {name: workbook.add_format(style) for name, style in _STYLES.items()}
        for table in tables:
            _print_sheet(workbook.add_worksheet(sheet_name(table)), event, table, styles)
        _data_sheet(workbook, event, tables)
    return made.getvalue()


def sheet_name(table: Table) -> str:
    """The section's number and name as far as a sheet can be called so; the number keeps them apart."""
    name = _NOT_IN_SHEET_NAMES.sub(" ", f"{table.section.number} {printable(table.section.name)}")
    return name[:LONGEST_SHEET_NAME].strip(" '")


def _print_sheet(sheet: "Worksheet", event: RatedEvent, table: Table, styles: dict[str, "Format"]) -> None:
    """A section for the wall: the head of the event on every page, the table, and what its marks mean."""
    report = event.report
    heads = [
        (event_title(report), "event"),
        (about_event(report, table.reported), ""),
        (section_name(table.section), "section"),
        (table.about, ""),
    ]
    for at, (text, style) in enumerate(heads):
        _write(sheet, at, 0, _shown(text), styles.get(style))
    columns = _columns(table)
    for at, column in enumerate(columns):
        title = styles["head left" if column.style == "left" else "head right"]
        _write(sheet, len(heads), at, column.title, title)
        words = (*column.values, *column.title.split(), column.title[len(column.title) // 2 :], "1234")
        sheet.set_column(at, at, max(len(f"{value}") for value in words) + 2.5)
        for row, value in enumerate(column.values, start=len(heads) + 1):
            has_star = isinstance(value, str) and value.endswith("*") and value[:-1].isdecimal()
            style = styles["assumed" if has_star else column.style]
            _write(sheet, row, at, float(f"{value}"[:-1]) if has_star else _shown(value), style)
    end = len(heads) + len(table.rows) + 2
    for at, text in enumerate(legend((table,))):
        sheet.write_string(end + at, 0, text)
    sheet.freeze_panes(len(heads) + 1, [column.title for column in columns].index("Player") + 1)
    sheet.set_row(len(heads), HEAD_HEIGHT)
    sheet.ignore_errors({"number_stored_as_text": f"A1:XFD{end}"})
    sheet.repeat_rows(0, len(heads))
    _set_page(sheet)


def _columns(table: Table) -> list[_Column]:
    """The columns in order; ids, states and norms only where there are any."""
    rows = table.rows
    found = [
        _Column("Rank", [row.rank for row in rows], "right"),
        _Column("No.", [row.entry.number for row in rows], "right"),
        _Column("Player", [row.entry.name for row in rows]),
        _Column("ID", [row.entry.member_id for row in rows]),
        _Column("State", [row.state for row in rows]),
        _Column("Points", [row.entry.points for row in rows], "points"),
    ]
    found += [
        _Column(title, [row.tie_breaks[at] for row in rows], "right") for at, title in enumerate(table.tie_breaks)
    ]
    for title, at in table.ratings.items():
        ratings = [_ratings(table.by_system[at], row, row.players[at]) for row in rows]
        found.append(_Column(f"{title} before", [before for before, _ in ratings], "right"))
        found.append(_Column(f"{title} after", [after for _, after in ratings], "right"))
    norms = ([player.norm for player in row.players if player.norm] for row in rows)
    found.append(_Column("Norm", ["".join(earned[:1]) for earned in norms]))
    found += [
        _Column(f"{number}", [cell_text(row.cells[at]) for row in rows]) for at, number in enumerate(table.columns)
    ]
    return [column for column in found if any(column.values) or column.title not in ("ID", "State", "Norm")]


def _ratings(rated: RatedSection, row: Row, player: RatedPlayer) -> tuple[Value, Value]:
    """Before and after, an established rating as a number; an asterisk where something is assumed."""
    if not row.entry.is_rated:
        return "not rated", ""
    before, after = pre_text(rated.edition.constants, player), post_text(rated.edition.constants, player)
    if rests_on_assumption(player):
        after += "*"
    return float(before) if before.isdecimal() else before, float(after) if after.isdecimal() else after


def _shown(value: Value) -> Value:
    return defused(printable(value)) if isinstance(value, str) else value


def _data_sheet(workbook: "Workbook", event: RatedEvent, tables: Sequence[Table]) -> None:
    """Every player, section and system in a row, with the columns of ``crosstable_csv``."""
    sheet, columns = workbook.add_worksheet(DATA), columns_of(tables)
    rows = [values for table in tables for values in values_of(event, table)]
    title = workbook.add_format(_HEAD)
    formats = {column: workbook.add_format({"num_format": "0.00"}) for column in TWO_DECIMALS}
    for at, column in enumerate(columns):
        sheet.write_string(0, at, column, title)
        sheet.set_column(at, at, _WIDTHS.get(column, _USUAL_WIDTH))
        for row, values in enumerate(rows, start=1):
            _write(sheet, row, at, values.get(column), formats.get(column))
    sheet.freeze_panes(1, columns.index("name") + 1)
    sheet.autofilter(0, 0, len(rows), len(columns) - 1)
    sheet.ignore_errors({"number_stored_as_text": f"A1:XFD{len(rows) + 1}"})
    sheet.repeat_rows(0)
    _set_page(sheet)


def _set_page(sheet: "Worksheet") -> None:
    """Letter paper on its side, one page wide, with page numbers."""
    sheet.set_landscape()
    sheet.set_paper(LETTER)
    sheet.set_margins(**MARGINS)
    sheet.fit_to_pages(1, 0)
    sheet.set_footer("&L&A&RPage &P of &N")


def _write(sheet: "Worksheet", row: int, column: int, value: Value, style: "Format | None") -> None:
    if isinstance(value, str):
        sheet.write_string(row, column, value, style)
    elif value is not None:
        sheet.write_number(row, column, value, style)


def crosstable_csv(event: RatedEvent, tie_breaks: Sequence[str] | None = None) -> str:
    """The table with commas and a row of titles; no cell of it begins a formula."""
    tables = tables_of(event, tie_breaks)
    columns = columns_of(tables)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for table in tables:
        for values in values_of(event, table):
            writer.writerow([_text(column, values.get(column)) for column in columns])
    return text.getvalue()


def columns_of(tables: Sequence[Table]) -> Sequence[str]:
    """The titles of the columns, with one for each round, and one for the rule set where one was given."""
    rounds = max((len(table.columns) for table in tables), default=0)
    tie_breaks = dict.fromkeys(title for table in tables for title in table.tie_breaks)
    rules = (RULES,) if any(rated.edition.ruled for table in tables for rated in table.by_system) else ()
    return (*_WHO, *(f"round_{number}" for number in range(1, rounds + 1)), *tie_breaks, *_FIGURES, *rules)


def values_of(event: RatedEvent, table: Table) -> list[dict[str, Value]]:
    """A section's rows, one for every player and system; texts are printable and begin no formula."""
    return [
        {
            column: defused(printable(value)) if isinstance(value, str) else value
            for column, value in (_who(table, row, rated.system) | _figures(event, table, row, at)).items()
        }
        for row in table.rows
        for at, rated in enumerate(table.by_system)
    ]


def _who(table: Table, row: Row, system: RatingSystem) -> dict[str, Value]:
    return {
        "section": table.section.number,
        "section_name": table.section.name,
        "system": system.name,
        "rank": row.rank,
        "number": row.entry.number,
        "member_id": row.entry.member_id,
        "name": row.entry.name,
        "state": row.state,
        "total": row.entry.points,
        **{f"round_{number}": cell_text(cell) for number, cell in zip(table.columns, row.cells, strict=True)},
        **dict(zip(table.tie_breaks, row.tie_breaks, strict=True)),
    }


def _figures(event: RatedEvent, table: Table, row: Row, at: int) -> dict[str, Value]:
    """What was computed; nothing for an opponent abroad, who is not rated."""
    player, system = row.players[at], table.by_system[at].system
    if not row.entry.is_rated:
        return {}
    low, high = event.ranges.get((table.section.number, system, row.entry.number), (None, None))
    return {
        **_before_and_after(player),
        "norm": player.norm,
        "floor": floor_text(player).replace(" floor", ""),
        "assumed": "; ".join(str(note) for note in player.assumed),
        "rating_from": player.origin,
        "range_low": low,
        "range_high": high,
        RULES: _rules(table.by_system[at]),
    }


def _rules(rated: RatedSection) -> Value:
    """The rule set by which a section was rated; nothing where it was the official rules."""
    ruled = rated.edition.ruled
    return None if ruled is None else f"{ruled.name} ({ruled.digest})"


def _before_and_after(player: RatedPlayer) -> dict[str, Value]:
    before, after = player.before, player.after
    return {
        "pre": None if before is None else before.rating,
        "games_before": None if before is None else before.games,
        "post": None if after is None else after.rating,
        "rounded": None if after is None else official_rating(after.rating),
        "games_after": None if after is None else after.games,
    }


def _text(column: str, value: Value) -> str:
    return f"{value:.2f}" if column in TWO_DECIMALS and value is not None else as_text(value)
