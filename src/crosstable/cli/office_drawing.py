"""Tables of the office: drawn with rich on a terminal, plain columns in a file or a pipe; and ratings as people write.

Every text that a file or a person brought is made printable first: nothing in it can write on the terminal.
"""

import json
import math
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from crosstable.cli.files import faults_text
from crosstable.errors import Fault
from crosstable.formulas.rounding import official_rating
from crosstable.output.words import printable, rating_text
from crosstable.rules.editions import EDITIONS
from crosstable.terms import PlayerRating

GAP = "  "


class Column(NamedTuple):
    """The title of a column, whether its cells stand to the right, and whether they may be broken on a terminal."""

    title: str
    is_right: bool = False
    is_broken: bool = False


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """A table; a column in which nothing stands is left out."""
    kept = [at for at in range(len(columns)) if any(row[at] for row in rows)]
    shown = [[printable(row[at]) for at in kept] for row in rows]
    chosen = [columns[at] for at in kept]
    if sys.stdout.isatty():
        _draw(chosen, shown)
    else:
        sys.stdout.write(plain_table(chosen, shown))


def plain_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> str:
    """A table of plain columns."""
    titles = [column.title for column in columns]
    widths = [max(map(len, cells)) for cells in zip(titles, *rows, strict=True)]
    lines = []
    for row in (titles, *rows):
        cells = [
            cell.rjust(width) if column.is_right else cell.ljust(width)
            for cell, width, column in zip(row, widths, columns, strict=True)
        ]
        lines.append(GAP.join(cells).rstrip() + "\n")
    return "".join(lines)


def _draw(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column.title, justify="right" if column.is_right else "left", no_wrap=not column.is_broken)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console(highlight=False, markup=False, emoji=False)
    if any(column.is_broken for column in columns):
        console.print(table)
        return
    needed = Measurement.get(console, console.options.update(width=10_000), table).maximum
    Console(highlight=False, markup=False, emoji=False, width=max(console.width, needed)).print(table)


def say(text: str) -> None:
    """A line on standard output."""
    sys.stdout.write(f"{printable(text)}\n")


def warn(text: str) -> None:
    """A line on standard error."""
    sys.stderr.write(f"{printable(text)}\n")


def warn_of_faults(name: str, faults: Sequence[Fault]) -> None:
    """Every fault with its place and remedy on standard error, errors first."""
    in_order = sorted(faults, key=lambda fault: not fault.severity.stops)
    for line in faults_text(name, in_order).splitlines():
        warn(line)


def print_json(document: dict[str, Any]) -> None:
    """A document for programs, in one line."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, allow_nan=False, default=str) + "\n")


def standing_text(rating: float | None, games: float | None) -> str:
    """A rating as crosstables print it: ``1641P17``."""
    return "" if rating is None else rating_text(EDITIONS[-1].constants, PlayerRating(rating, games))


def rating_figure(rating: float | None) -> str:
    """A rating to the hundredth."""
    return "" if rating is None else f"{rating:.2f}"


def change_text(before: float | None, after: float | None) -> str:
    """By how much a rating moved."""
    if after is None:
        return "gone"
    return "new" if before is None else f"{after - before:+.2f}"


def games_count(games: float | None) -> float | int | None:
    """N for programs: a whole number where it is one."""
    return games if games is None or games != int(games) else int(games)


def rating_object(rating: float | None, games: float | None) -> dict[str, Any] | None:
    """A rating for programs, in full and rounded."""
    if rating is None or math.isnan(rating):
        return None
    return {"rating": rating, "rounded": official_rating(rating), "games": games_count(games)}


def counted(number: int, one: str, several: str = "") -> str:
    """A number with its noun: ``1 section``, ``2,000 sections``."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"
