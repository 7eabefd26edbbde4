"""Crosstables on a terminal, drawn with rich, the way a director knows them: ``1641P17 -> 1657P24``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from crosstable.engine import RatedSection
from crosstable.formulas.outcome import official_rating
from crosstable.output.crosstable import ASSUMED, ORIGINS, Row, Table, notes_of, tables_of
from crosstable.output.words import about_event, cell_text, printable, rating_line, section_title
from crosstable.pipeline.rating import RatedEvent

if TYPE_CHECKING:
    from rich.table import Table as Drawn


def print_crosstables(event: RatedEvent, tie_breaks: Sequence[str] | None = None) -> None:
    """Print the event's name and every section's crosstable, then what was assumed."""
    from rich.console import Console
    from rich.measure import Measurement
    from rich.text import Text

    # Nothing that a file says is markup, and :B: is no emoji.
    console = Console(highlight=False, markup=False, emoji=False)
    tables = tables_of(event, tie_breaks)
    console.print(Text(_heading(event), style="bold"), soft_wrap=True)
    for table in tables:
        drawn = _drawn(table, event)
        # A crosstable is never squeezed: a line that runs over is readable, a lost column is not.
        needed = Measurement.get(console, console.options.update(width=10_000), drawn).maximum
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
            "\n".join(_rating(event, table, row)),
        )
    return drawn


def _rating(event: RatedEvent, table: Table, row: Row) -> list[str]:
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
