"""What a report is made of: numbers as it writes them, tables, and parts whose blocks a template turns into a page."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from crosstable.lab.measures import UNSEEN, Estimate

# A block of a page: a macro of report.html and what it is given.
Block = tuple[str, tuple[Any, ...]]
# What opens the table that is the twin of a plot.
NUMBERS = "The numbers"


class Part(NamedTuple):
    """A section of the page: its anchor, its heading, its content."""

    anchor: str
    heading: str
    blocks: list[Block]


class Table(NamedTuple):
    """A table: what it is, its columns, and its rows, whose first cell names them."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def paragraph(text: str, style: str = "") -> Block:
    """A paragraph of plain text."""
    return "paragraph", (text, style)


def table(shown: Table, summary: str = "") -> Block:
    """A table; with a summary, behind a line that opens it."""
    return "table", (shown, summary)


def figure(drawn: str, caption: str, legend: str = "") -> Block:
    """A plot with its words; nothing where nothing was drawn."""
    return "figure", (drawn, caption, legend)


def number(value: float, decimals: int = 4) -> str:
    """A number alone, with a true minus sign; a dash where nobody knows it."""
    if not math.isfinite(value):
        return "–"
    text = f"{value:,.{decimals}f}" if round(value, decimals) else f"{0.0:.{decimals}f}"
    return text.replace("-", "\N{MINUS SIGN}")


def decimals_of(found: Estimate) -> int:
    """As many decimals as the interval of a difference deserves, four to seven."""
    width = found.high - found.low
    if not (math.isfinite(width) and width > 0.0):
        return 4
    return min(max(4, 1 - math.floor(math.log10(width))), 7)


def estimate(found: Estimate, decimals: int = 4) -> Markup:
    """A number and, smaller, its interval where it has one."""
    value, low, high = (UNSEEN if math.isinf(one) else number(one, decimals) for one in found)
    if not math.isfinite(found.low):
        return Markup(value)
    return Markup(f"{value} <small>{low} to {high}</small>")


def difference(gap: Estimate) -> Markup:
    """A difference with the decimals that it deserves."""
    return estimate(gap, decimals_of(gap))
