"""The text of a page that may be HTML or plain: lines as a reader sees them, tags gone, entities decoded.

Pages come from anywhere. Attributes, comments and scripts are cut away before the parser sees them, so that its work
grows with the length of the page and with nothing else.
"""

import re
from collections import Counter
from html.parser import HTMLParser
from typing import NamedTuple

from crosstable.errors import FormatError
from crosstable.faults import fault

UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # "Unicode text" of Excel
_LOOKED_AT = 400
LARGEST_PAGE = 5_000_000
LONGEST_TAG = 1000
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
