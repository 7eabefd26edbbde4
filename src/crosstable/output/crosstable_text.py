"""A rated event as plain text in the style of the crosstables that US Chess published until 2025.

A player takes two lines, one more for every further system, as ``formats.msa`` describes and reads them, behind a
column with the rank. Figures are
whole numbers; the half game of a half-K section is not shown. What such a crosstable has no place for stands below.
"""

import math
import re
from collections.abc import Iterator, Mapping
from datetime import date

from crosstable.engine import RatedSection
from crosstable.formulas.outcome import official_rating
from crosstable.formulas.section import is_established
from crosstable.output.crosstable import Row, Table, notes_of, tables_of
from crosstable.output.words import particulars, printable
from crosstable.pipeline.rating import RatedEvent
from crosstable.sentences import counted
from crosstable.terms import Cell, PlayerRating, RatingSystem, Report, SectionType

SYSTEM_CODES: Mapping[tuple[RatingSystem, ...], str] = {
    (RatingSystem.OTBR,): "R",
    (RatingSystem.OTBQ,): "Q",
    (RatingSystem.OTBB,): "B",
    (RatingSystem.OLR,): "OR",
    (RatingSystem.OLQ,): "OQ",
    (RatingSystem.OLB,): "OB",
    (RatingSystem.OTBR, RatingSystem.OTBQ): "D",
}
TYPE_CODES: Mapping[SectionType, str] = {
    SectionType.SWISS: "S",
    SectionType.ROUND_ROBIN: "R",
    SectionType.MATCH: "M",
    SectionType.FOREIGN_FIDE: "O",
    SectionType.FOREIGN_FIDE_YOUTH: "O",
}
_NAME_WIDTH = 32
_CELL_WIDTH = 5
_EVENT_ID = re.compile(r"\d{12}", re.ASCII)
_STATE = re.compile(r"[A-Za-z]{2,3}", re.ASCII)
# What would end a column or begin a tag where the text is read again.
_ESCAPED = str.maketrans({"|": "\\u007c", "<": "\\u003c"})


def crosstable_text(event: RatedEvent) -> str:
    """The whole text; the event has no errors."""
    tables = tables_of(event)
    lines = [*_event_lines(event.report, tables)]
    for table in tables:
        lines += ["", *_section_lines(table)]
    lines += ["", tables[0].numbering]
    for notes in notes_of(event, tables):
        lines += ["", f"{notes.heading}:", *(f"  {line.translate(_ESCAPED)}" for line in notes.lines)]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return " ".join(printable(text).translate(_ESCAPED).split())


def _event_lines(report: Report, tables: tuple[Table, ...]) -> Iterator[str]:
    is_official = _EVENT_ID.fullmatch(report.event_id)
    yield f"Event: {_plain(report.name) or '(unnamed)'}" + (f" ({report.event_id})" if is_official else "")
    if report.event_id and not is_official:
        yield f"Id: {_plain(report.event_id)}"
    for label, text in particulars(report):
        yield f"{label}: {_plain(text)}"
    if report.start and report.end:
        yield f"Event Date(s): {_days(report.start, report.end)}"
    players = sum(len(table.rows) for table in tables)
    yield f"Stats: {len(tables)} Section(s), {counted(players, 'Player')}"


def _days(start: date, end: date) -> str:
    return f"{start}" if start == end else f"{start} thru {end}"


def _section_lines(table: Table) -> Iterator[str]:
    section = table.section
    yield f"Section {section.number} - {_plain(section.name) or '(unnamed)'}"
    yield f"Section Date(s): {_days(section.start, section.end)}"
    yield _stats(table)
    names = [_plain(row.entry.name) for row in table.rows]
    width = max([_NAME_WIDTH, *(len(name) + 1 for name in names)])
    rule = "-" * (width + 21 + (_CELL_WIDTH + 1) * len(table.columns))
    numbers = "".join(f"{column:^5}|" for column in table.columns)
    yield rule
    yield f"Rank | Pair | {'Player Name':<{width}}|Total|" + "Round|" * len(table.columns)
    yield f"     | Num  | {'USCF ID / Rtg (Pre->Post)':<{width}}| Pts |" + numbers
    yield rule
    for row, name in zip(table.rows, names, strict=True):
        yield from _row_lines(table, row, name, width)
        yield rule


def _stats(table: Table) -> str:
    section = table.section
    code = SYSTEM_CODES.get(tuple(rated.system for rated in table.by_system))
    parts = [
        f"{counted(len(table.columns), 'Round')}, {counted(len(table.rows), 'Player')}; "
        f"K Factor: {'H' if section.is_half_k else 'F'}",
        f"Rating Sys: {code}" if code else "",
        f"Tnmt Type: {TYPE_CODES[section.kind]}",
        f"Time Control: {_plain(table.time_control)}" if table.time_control else "",
    ]
    return "  ".join(filter(None, parts))


def _row_lines(table: Table, row: Row, name: str, width: int) -> Iterator[str]:
    results = "".join(f"{_result(cell)}|" for cell in row.cells)
    yield f"{row.rank:>4} |{row.entry.number:>5} | {name:<{width}}|{row.entry.points:<5.1f}|" + results
    state = row.state if _STATE.fullmatch(row.state) else ""
    norm = next((f"N:{player.norm}" for player in row.players if player.norm), "")
    colours = "".join(f"{cell.colour.upper() if cell.opponent else '':<5}|" for cell in row.cells)
    first, *further = _ratings(table, row)
    yield f"     |{state:>5} | {f'{_plain(row.entry.member_id):>8} / {first}':<{width}}|{norm:<5}|{colours}"
    for line in further:
        yield f"     |      | {f'{line:>{len(line) + 11}}':<{width}}|     |" + "     |" * len(table.columns)


def _result(cell: Cell) -> str:
    """Letter and opponent, five wide: ``W  12``."""
    return f"{cell.result.value:<1}{cell.opponent or '':>4}"


def _ratings(table: Table, row: Row) -> list[str]:
    """``R: 1641P17->1657P24``, one for each system; an opponent abroad, who is not rated, has none."""
    if not row.entry.is_rated:
        return [""]
    return [
        f"{SYSTEM_CODES[(rated.system,)]}: {_rating(rated, player.before)}->{_rating(rated, player.after)}"
        for rated, player in zip(table.by_system, row.players, strict=True)
    ]


def _rating(rated: RatedSection, standing: PlayerRating | None) -> str:
    if standing is None:
        return "Unrated"
    constants = rated.edition.constants
    is_provisional = standing.games is not None and not is_established(constants, standing.games)
    games = f"P{math.floor(standing.games)}" if standing.games is not None and is_provisional else ""
    return f"{official_rating(standing.rating):>4}{games:<3}"
