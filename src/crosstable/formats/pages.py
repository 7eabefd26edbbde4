"""Pages as a reader sees them: the text of one that may be HTML or plain, and its tables with the headings before them.

Pages come from anywhere and are often broken. Attributes, comments and scripts are cut away before the parser of the
text sees them, so that its work grows with the length of the page and with nothing else. In a table, a tag that is
never closed ends where the next begins, and a cell ends where the next one starts. Vega writes a round as parts of a
cell (``res``, ``cw``, ``cb``, ``cf``): they are put together as ``6b1`` or ``1/2 bye``.
"""

import re
from collections import Counter
from html import unescape
from html.parser import HTMLParser
from typing import NamedTuple

from crosstable.errors import FormatError
from crosstable.faults import fault

LONGEST_TAG = 1000
_TAG_OF_A_TABLE = re.compile(rf"<(/?)([a-zA-Z][a-zA-Z0-9]*)([^<>]{{0,{LONGEST_TAG}}})>?")
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


UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # "Unicode text" of Excel
_LOOKED_AT = 400
LARGEST_PAGE = 5_000_000
MOST_TAGS = 200_000
_TAG = re.compile(rf"<(/?[a-zA-Z][a-zA-Z0-9]*)\b[^<>]{{0,{LONGEST_TAG}}}>")
_DECLARATION = re.compile(rf"<[!?][^<>]{{0,{LONGEST_TAG}}}>")
_ANGLE = re.compile(r"<(?!/?[a-zA-Z][a-zA-Z0-9]*>)")
_BREAKS = frozenset(
    {
        *("html", "body", "title", "table", "tr", "td", "th", "div", "p", "pre", "br", "hr", "center", "form"),
        *("ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6"),
    }
)
_HIDDEN = ("script", "style")


class PageText(NamedTuple):
    """The lines of a page, and whether it was HTML that ends before its end."""

    lines: tuple[str, ...]
    is_html: bool
    is_cut_off: bool


def page_text(data: bytes, name: str) -> PageText:
    """The lines of a page; raises where it is no text or too large for one."""
    text = decoded_page(data, name).replace("\N{NO-BREAK SPACE}", " ")
    found = {tag.lower() for tag in _TAG.findall(text)}
    if not found & {"html", "body", "pre", "table", "/html", "/pre"}:
        return PageText(lines_of(text), is_html=False, is_cut_off=False)
    bare, is_cut_off = _harmless(text)
    tags = Counter(tag.lower() for tag in _TAG.findall(bare))
    is_cut_off |= any(tags[tag] != tags[f"/{tag}"] for tag in ("html", "pre"))
    parser = _Lines()
    parser.feed(bare)
    parser.close()
    lines = lines_of("".join(parser.pieces).replace("\N{NO-BREAK SPACE}", " "))
    return PageText(lines, is_html=True, is_cut_off=is_cut_off)


def decoded_page(data: bytes, name: str) -> str:
    """The text of a page, tags and all; raises where it is no text or too large for a page."""
    if len(data) > LARGEST_PAGE:
        message = f"The page is larger than {LARGEST_PAGE // 1_000_000} MB."
        raise FormatError(fault("not-readable", name, message))
    text = decoded(data, name)
    if text.count("<") > MOST_TAGS:
        raise FormatError(fault("not-readable", name, f"The page has more than {MOST_TAGS} tags."))
    return text


def decoded(data: bytes, name: str) -> str:
    """Text as UTF-8, as UTF-16, or, as old pages and programs write it, Windows-1252; else raises."""
    for encoding in _encodings(data):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise FormatError(fault("not-readable", name, "The file is not text.", "Save it as UTF-8 text."))


def as_utf8(data: bytes) -> bytes:
    """The same text as UTF-8 where it is UTF-16; anything else as it is."""
    encoding = _encodings(data)[0]
    try:
        return data.decode(encoding).encode() if encoding.startswith("utf-16") else data
    except UnicodeError:
        return data


def _encodings(data: bytes) -> tuple[str, ...]:
    """UTF-16 has a mark, or, where a program wrote none, a zero beside most letters of an American text."""
    if data.startswith(UTF_16):
        return ("utf-16",)
    first, second = data[:_LOOKED_AT:2].count(0), data[1:_LOOKED_AT:2].count(0)
    if max(first, second) > 0.8 * len(data[1:_LOOKED_AT:2]) and not min(first, second):
        return ("utf-16-le" if second else "utf-16-be",)
    return ("utf-8-sig", "cp1252")


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a text, whatever ends them; rarer separators stay inside, where they are seen as damage."""
    return tuple(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


class _Lines(HTMLParser):
    """Collects the text; a tag that breaks the line becomes a line break, any other nothing."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BREAKS:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _BREAKS:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)


def _harmless(text: str) -> tuple[str, bool]:
    """The page with bare tags only: no comments, scripts, declarations, attributes or stray angle brackets.

    Also, whether something of it never ended.
    """
    text, is_cut_off = without_hidden(text)
    text = _TAG.sub(r"<\1>", _DECLARATION.sub("", text))
    return _ANGLE.sub("&lt;", text), is_cut_off


def without_hidden(text: str) -> tuple[str, bool]:
    """The page without comments, scripts and styles, and whether one of them never ended."""
    is_cut_off = False
    for start, end in (("<!--", "-->"), *((f"<{tag}", f"</{tag}>") for tag in _HIDDEN)):
        text, never_ended = _without(text, start, end)
        is_cut_off |= never_ended
    return text, is_cut_off


def _without(text: str, start: str, end: str) -> tuple[str, bool]:
    """The text without every stretch from a start to its end, and whether one never ended and took the rest along."""
    pieces = []
    lower, at = text.lower(), 0
    if len(lower) != len(text):  # a letter whose small form is longer: places would no longer agree
        lower = text
    while (found := lower.find(start, at)) >= 0:
        pieces.append(text[at:found])
        close = lower.find(end, found)
        if close < 0:
            return "".join(pieces), True
        at = close + len(end)
    return "".join([*pieces, text[at:]]), False


def read_page(data: bytes, name: str) -> Page:
    """The tables of a page; raises where it is no text or too large."""
    page, _ = without_hidden(decoded_page(data, name))
    reader = _Reader()
    at = 0
    for tag in _TAG_OF_A_TABLE.finditer(page):
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
