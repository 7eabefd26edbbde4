"""A rated event as text: in the style that US Chess published until 2025, drawn on a terminal, or round by round.

A player takes two lines, one more for every further system, as ``formats.msa`` describes and reads them, behind a
column with the rank. Figures are whole numbers; the half game of a half-K section is not shown. What such a crosstable
has no place for stands below. A terminal shows ratings as a director knows them: ``1641P17 -> 1657P24``. Round by round
are every player's ratings as they would stand if the event had ended there.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from crosstable.engine import RatedSection
from crosstable.formulas.outcome import is_established, official_rating
from crosstable.output.crosstable import ASSUMED, ORIGINS, Row, Table, notes_of, tables_of
from crosstable.output.words import (
    about_event,
    cell_text,
    particulars,
    pre_text,
    printable,
    rating_line,
    rating_text,
    section_title,
)
from crosstable.pipeline.rating import RatedEvent
from crosstable.sentences import counted
from crosstable.terms import Cell, PlayerRating, RatingSystem, Report, SectionType

if TYPE_CHECKING:
    from rich.table import Table as Drawn


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

WIDTH = 9


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


def print_crosstables(event: RatedEvent, tie_breaks: Sequence[str] | None = None) -> None:
    """Print the event's name and every section's crosstable, then what was assumed."""
    from rich.console import Console
    from rich.measure import Measurement
    from rich.text import Text

    # Nothing that a file says is markup, and :B: is no emoji.
    console = Console(highlight=False, markup=False, emoji=False)
    tables = tables_of(event, tie_breaks)
    heading = _heading(event)
    if heading:
        console.print(Text(heading, style="bold"), soft_wrap=True)
    for at, table in enumerate(tables):
        drawn = _drawn(table, event)
        # A crosstable is never squeezed: a line that runs over is readable, a lost column is not.
        needed = Measurement.get(console, console.options.update(width=10_000), drawn).maximum
        if at or heading:
            console.print()
        console.print(Text(printable(section_title(table.by_system))), soft_wrap=True)
        Console(highlight=False, markup=False, emoji=False, width=max(console.width, needed)).print(drawn)
    for notes in notes_of(event, tables):
        if notes.heading in (ORIGINS, ASSUMED):
            mark = " (*)" if notes.heading == ASSUMED else ""
            lines = "".join(f"\n  {line}" for line in notes.lines)
            console.print(Text(f"{notes.heading}{mark}:{lines}", style="dim"), soft_wrap=True)


def _heading(event: RatedEvent) -> str:
    report = event.report
    return printable(" · ".join(filter(None, (report.name or report.event_id, about_event(report)))))


def _drawn(table: Table, event: RatedEvent) -> "Drawn":
    from rich import box
    from rich.table import Table as Drawn
    from rich.text import Text

    drawn = Drawn(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for title, is_right in (("Rank", True), ("No", True), ("Player", False), ("Total", True)):
        drawn.add_column(title, justify="right" if is_right else "left", no_wrap=True)
    for column in table.columns:
        drawn.add_column(f"R{column}", no_wrap=True)
    for title in table.tie_breaks:
        drawn.add_column(title, justify="right", no_wrap=True)
    drawn.add_column("Ratings", no_wrap=True)
    for row in table.rows:
        drawn.add_row(
            f"{row.rank}",
            f"{row.entry.number}",
            Text(printable(row.entry.name)),
            f"{row.entry.points:.1f}",
            *map(cell_text, row.cells),
            *(f"{value:g}" for value in row.tie_breaks),
            "\n".join(_drawn_rating(event, table, row)),
        )
    return drawn


def _drawn_rating(event: RatedEvent, table: Table, row: Row) -> list[str]:
    return [
        rating_line(rated, player) + _range(event, rated, player.number)
        for rated, player in zip(table.by_system, row.players, strict=True)
    ]


def _range(event: RatedEvent, rated: RatedSection, number: int) -> str:
    """What the result may be where an assumption matters."""
    found = event.ranges.get((rated.section.number, rated.system, number))
    if found is None or official_rating(found[0]) == official_rating(found[1]):
        return ""
    return f" ({official_rating(found[0])} to {official_rating(found[1])})"


def each_round_text(event: RatedEvent, stages: Sequence[RatedEvent]) -> str:
    """A table per section and system; a stage that could not be rated leaves its column empty."""
    lines = [f"{event.report.name or event.report.event_id}, rated as it stood after each round\n"]
    for at, by_system in enumerate(event.rated):
        lines.append(f"\n{section_title(by_system)}\n")
        for system, rated in enumerate(by_system):
            lines += _table(rated, [_stage(stage, at, system) for stage in stages])
    return "".join(lines)


def _stage(stage: RatedEvent, section: int, system: int) -> RatedSection | None:
    return None if stage.has_errors else stage.rated[section][system]


def _table(rated: RatedSection, stages: Sequence[RatedSection | None]) -> list[str]:
    constants = rated.edition.constants
    names = [printable(player.name) or player.member_id for player in rated.players]
    width = max(map(len, names), default=0)
    rounds = max((len(entry.cells) for entry in rated.section.entries), default=0)
    heads = "".join(f"{f'after {number}':>{WIDTH}}" for number in range(1, rounds + 1))
    lines = [f"\n{rated.system.name}\n{'No':>4}  {'Player':<{width}}{'before':>{WIDTH}}{heads}\n"]
    for at, player in enumerate(rated.players):
        cells = "".join(
            f"{'' if stage is None else rating_text(constants, stage.players[at].after):>{WIDTH}}"
            for stage in stages[:rounds]
        )
        lines.append(f"{player.number:>4}  {names[at]:<{width}}{pre_text(constants, player):>{WIDTH}}{cells}\n")
    return lines
