"""The pieces a report is made of: numbers, tables, figures and sections, as HTML that loads nothing."""

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from crosstable.lab.bootstrap import UNSEEN, Estimate

_MINUS = "\N{MINUS SIGN}"


class Part(NamedTuple):
    """A section of the page: its anchor, its heading, its content."""

    anchor: str
    heading: str
    content: str


class Table(NamedTuple):
    """A table: what it is, its columns, and its rows, whose first cell names them; cells are HTML already."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def signed(text: str) -> str:
    """A number with a true minus sign."""
    return text.replace("-", _MINUS)


def number(value: float, decimals: int = 4) -> str:
    """A number alone; a dash where nobody knows it."""
    if not math.isfinite(value):
        return "–"
    return signed(f"{value:,.{decimals}f}" if round(value, decimals) else f"{0.0:.{decimals}f}")


def decimals_of(found: Estimate) -> int:
    """As many decimals as the interval of a difference deserves, four to seven."""
    width = found.high - found.low
    if not (math.isfinite(width) and width > 0.0):
        return 4
    return min(max(4, 1 - math.floor(math.log10(width))), 7)


def estimate(found: Estimate, decimals: int = 4) -> str:
    """A number and, smaller, its interval where it has one."""
    value, low, high = (UNSEEN if math.isinf(one) else number(one, decimals) for one in found)
    if not math.isfinite(found.low):
        return value
    return f"{value} <small>{low} to {high}</small>"


def paragraph(text: str, style: str = "") -> str:
    """A paragraph of plain text."""
    return f"<p{_class(style)}>{escape(text)}</p>"


def _class(style: str) -> str:
    return f' class="{style}"' if style else ""


def table(shown: Table) -> str:
    """A table that scrolls by itself where it is wider than the screen."""
    head = "".join(f'<th scope="col">{escape(column)}</th>' if column else "<td></td>" for column in shown.columns)
    body = "".join(_row(row) for row in shown.rows)
    caption = escape(shown.caption)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}"><table>'
        f"<caption><span>{caption}</span></caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _row(cells: Sequence[str]) -> str:
    first, *others = cells
    return f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in others)}</tr>'


def folded(shown: Table, summary: str = "The numbers") -> str:
    """A table behind a line that opens it: the twin of a plot."""
    return f"<details><summary>{escape(summary)}</summary>{table(shown)}</details>"


def figure(drawn: str, caption: str, legend: str = "") -> str:
    """A plot with its words; nothing where nothing was drawn."""
    if not drawn:
        return ""
    return f"<figure><figcaption>{escape(caption)}</figcaption>{legend}{drawn}</figure>"


def definitions(pairs: Iterable[tuple[str, str]]) -> str:
    """Words and what they stand for."""
    return "<dl>" + "".join(f"<dt>{escape(word)}</dt><dd>{escape(said)}</dd>" for word, said in pairs) + "</dl>"


def code(text: str) -> str:
    """Something to copy."""
    return f'<pre tabindex="0"><code>{escape(text)}</code></pre>'


def section(part: Part) -> str:
    """A section of the page."""
    return f'<section id="{part.anchor}"><h2>{escape(part.heading)}</h2>{part.content}</section>'
