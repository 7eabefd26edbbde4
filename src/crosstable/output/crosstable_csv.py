"""A rated event as one table for spreadsheets and programs: a row for every player, section and system."""

import csv
import io
from collections.abc import Sequence

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.formats.sheet_rows import as_text, defused
from crosstable.formulas.outcome import official_rating
from crosstable.output.by_place import Row, Table, tables_of
from crosstable.output.crosstable_notes import floor_text
from crosstable.output.words import cell_text, printable
from crosstable.pipeline.rating import RatedEvent
from crosstable.terms import RatingSystem

Value = str | float | None
TWO_DECIMALS = frozenset({"post", "range_low", "range_high"})
RULES = "rules"
_WHO = ("section", "section_name", "system", "rank", "number", "member_id", "name", "state", "total")
_FIGURES = (
    *("pre", "games_before", "post", "rounded", "games_after", "norm", "floor"),
    *("assumed", "rating_from", "range_low", "range_high"),
)


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
