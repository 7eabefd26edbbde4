"""The tables of a page: rows of cells as a reader sees them, each table with the headings before it.

Pages come from anywhere and are often broken: a tag that is never closed ends where the next begins, and a cell ends
where the next one starts. Vega writes a round as parts of a cell (``res``, ``cw``, ``cb``, ``cf``): they are put
together as ``6b1`` or ``1/2 bye``.
"""

import re
from html import unescape
from typing import NamedTuple

from crosstable.formats.page_text import LONGEST_TAG, decoded_page, without_hidden

_TAG = re.compile(rf"<(/?)([a-zA-Z][a-zA-Z0-9]*)([^<>]{{0,{LONGEST_TAG}}})>?")
_CLASS = re.compile(r"""\bclass\s*=\s*["']?([\w -]+)""")
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "caption", "title"})
_CELLS = frozenset({"td", "th"})
_SEPARATE = frozenset({"br", "p", "div", "li", "tr", "table", *_HEADINGS, *_CELLS})
_COLOURS = {"cw": "w", "cb": "b"}
_PARTS = frozenset({"res", "cf", "rating", "player-name-box2", *_COLOURS})
RATING_TITLE = "Rtg"


class PageTable(NamedTuple):
    """A table: the headings since the table before it, and its rows."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Page(NamedTuple):
    """The title of a page, and its tables that have rows, in the order in which they end."""

    title: str
    tables: tuple[PageTable, ...]


class _Cell:
    """A cell while it is read: its text, and the texts of the parts that say something."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.parts: dict[str, list[str]] = {}


class _Table:
    def __init__(self, headings: tuple[str, ...]) -> None:
        self.headings = headings
        self.rows: list[list[_Cell]] = []
        self.cell: _Cell | None = None


def read_page(data: bytes, name: str) -> Page:
    """The tables of a page; raises where it is no text or too large."""
    page, _ = without_hidden(decoded_page(data, name))
    reader = _Reader()
    at = 0
    for tag in _TAG.finditer(page):
        reader.take_text(page[at : tag.start()])
        reader.take_tag(tag[2].lower(), tag[3], is_end=bool(tag[1]))
        at = tag.end()
    while reader.open:
        reader.close_table()
    tables = tuple(PageTable(table.headings, _rows(table)) for table in reader.done if any(table.rows))
    return Page(reader.title, tables)


class _Reader:
    """A page while its tags are read one by one."""

    def __init__(self) -> None:
        self.open: list[_Table] = []
        self.done: list[_Table] = []
        self.headings: list[str] = []
        self.heading: list[str] | None = None
        self.title = self.part = ""

    def take_text(self, text: str) -> None:
        """Take in what stands between two tags."""
        if self.heading is not None:
            self.heading.append(text)
        elif self.open and self.open[-1].cell is not None:
            cell = self.open[-1].cell
            cell.text.append(text)
            if self.part:
                cell.parts.setdefault(self.part, []).append(text)

    def take_tag(self, tag: str, attributes: str, *, is_end: bool) -> None:
        """Take in one tag."""
        if tag in _SEPARATE:
            self.take_text(" ")
        if tag in _HEADINGS:
            if is_end and self.heading is not None:
                text = _tidy("".join(self.heading))
                if tag == "title":
                    self.title = self.title or text
                else:
                    self.headings.append(text)
            self.heading = None if is_end else []
        elif tag == "table":
            self.close_table() if is_end else self._open_table()
        elif self.open:
            self._take_inside(self.open[-1], tag, attributes, is_end=is_end)

    def _take_inside(self, table: _Table, tag: str, attributes: str, *, is_end: bool) -> None:
        if tag in _CELLS or tag == "tr":
            table.cell, self.part = None, ""
        if tag == "tr" and not is_end:
            table.rows.append([])
        elif tag in _CELLS and not is_end:
            table.cell = _Cell()
            if not table.rows:
                table.rows.append([])
            table.rows[-1].append(table.cell)
        elif tag in ("div", "span"):
            found = _CLASS.search(attributes)
            named = [name for name in found[1].split() if name in _PARTS] if found else []
            if tag == "div":
                self.part = named[0] if named and not is_end else ""

    def _open_table(self) -> None:
        self.open.append(_Table(tuple(heading for heading in self.headings if heading)))
        self.headings, self.part = [], ""

    def close_table(self) -> None:
        """The innermost table ends; one that was never begun does not."""
        if self.open:
            self.done.append(self.open.pop())


def _rows(table: _Table) -> tuple[tuple[str, ...], ...]:
    rows = [tuple(map(_text, row)) for row in table.rows if row]
    if not any("rating" in cell.parts for row in table.rows for cell in row):
        return tuple(rows)
    ratings = [
        next((_joined(cell, "rating") for cell in row if "rating" in cell.parts), "") for row in table.rows if row
    ]
    ratings[0] = ratings[0] or RATING_TITLE
    return tuple((rating, *row) for row, rating in zip(rows, ratings, strict=True))


def _text(cell: _Cell) -> str:
    """The text of a cell, put together from its parts where it has such."""
    if "player-name-box2" in cell.parts:
        return _joined(cell, "player-name-box2")
    if "cf" in cell.parts:
        return f"{_joined(cell, 'res')} {_joined(cell, 'cf')}"
    for part, colour in _COLOURS.items():
        if part in cell.parts:
            return f"{_joined(cell, part)}{colour}{_joined(cell, 'res')}"
    return _tidy("".join(cell.text))


def _joined(cell: _Cell, part: str) -> str:
    return _tidy("".join(cell.parts.get(part, ())))


def _tidy(text: str) -> str:
    return " ".join(unescape(text).replace("\N{NO-BREAK SPACE}", " ").split())
