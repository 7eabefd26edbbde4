"""The cells of an XLSX workbook whose parts were checked: texts, numbers and days as they were stored."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple
from xml.etree import ElementTree

from crosstable.formats.workbook_parts import column_of

Value = str | float | bool | datetime
_MAIN = "xl/workbook.xml"
_LINKS = "xl/_rels/workbook.xml.rels"
_SPACE = re.compile(r"\{[^}]*\}")
_LETTERS = re.compile(r"[A-Z]+")
# Formats of days and times that every program knows by number, and what the others say outside of quotes and brackets.
_DAYS = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_NO_DAY = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|General', re.IGNORECASE)
_DAY = re.compile(r"[dmyhs]", re.IGNORECASE)
# Day 0; programs count a February 29, 1900, that never was, or from 1904.
_EARLY, _LATE = datetime(1899, 12, 30), datetime(1904, 1, 1)  # noqa: DTZ001 (cells know no time zone)
_FIRST_OF_MARCH = 60
_DAY_LENGTH = 86_400_000.0


class Sheet(NamedTuple):
    """A sheet: its name, and its rows from the first on, each as wide as the widest."""

    title: str
    rows: list[list[Value]]


class _Book(NamedTuple):
    texts: list[str]
    is_day: list[bool]
    start: datetime


def sheets_of(parts: Mapping[str, bytes]) -> Iterator[Sheet]:
    """The sheets in their order; raises ``ValueError`` or ``LookupError`` where something is missing or is none."""
    book = _parsed(parts[_MAIN])
    links = {
        str(one.get("Id")): posixpath.normpath(posixpath.join("xl", str(one.get("Target")))).removeprefix("/")
        for one in _parsed(parts[_LINKS])
    }
    dates = next(_all(book, "workbookPr"), None)
    is_late = dates is not None and dates.get("date1904") in ("1", "true")
    known = _Book(_texts(parts), _day_formats(parts), _LATE if is_late else _EARLY)
    for one in _all(book, "sheet"):
        link = next(value for name, value in one.attrib.items() if name.endswith("}id"))
        part = parts.get(links[link])
        if part is not None and links[link].startswith("xl/worksheets/"):
            yield Sheet(str(one.get("name")), _rows(_parsed(part), known))


def _parsed(part: bytes) -> ElementTree.Element:
    return ElementTree.fromstring(part.decode("utf-8", "strict"))


def _all(element: ElementTree.Element, tag: str) -> Iterator[ElementTree.Element]:
    return (one for one in element.iter() if _SPACE.sub("", one.tag) == tag)


def _texts(parts: Mapping[str, bytes]) -> list[str]:
    part = parts.get("xl/sharedStrings.xml")
    return [] if part is None else [_text(one) for one in _all(_parsed(part), "si")]


def _text(element: ElementTree.Element) -> str:
    """The text of a cell, whatever its fonts, without what says how it is pronounced."""
    found = []
    for one in element:
        tag = _SPACE.sub("", one.tag)
        if tag == "t":
            found.append(one.text or "")
        elif tag == "r":
            found += [part.text or "" for part in _all(one, "t")]
    return "".join(found)


def _day_formats(parts: Mapping[str, bytes]) -> list[bool]:
    """For every style of a cell, whether it shows a number as a day."""
    part = parts.get("xl/styles.xml")
    if part is None:
        return []
    styles = _parsed(part)
    codes = {int(one.get("numFmtId", "0")): one.get("formatCode", "") for one in _all(styles, "numFmt")}
    cells = next(_all(styles, "cellXfs"), ())
    numbers = [int(one.get("numFmtId", "0")) for one in cells]
    return [_DAY.search(_NO_DAY.sub("", codes[one])) is not None if one in codes else one in _DAYS for one in numbers]


def _rows(sheet: ElementTree.Element, book: _Book) -> list[list[Value]]:
    rows: list[list[Value]] = []
    for data in _all(sheet, "sheetData"):
        for row in data:
            number = int(row.get("r", len(rows) + 1))
            rows += [[] for _ in range(number - len(rows))]
            for cell in row:
                place = _LETTERS.match(cell.get("r", ""))
                column = column_of(place[0]) if place else len(rows[-1]) + 1
                rows[-1] += [""] * (column - 1 - len(rows[-1]))
                rows[-1].append(_value(cell, book))
    width = max(map(len, rows), default=0)
    return [[*row, *[""] * (width - len(row))] for row in rows]


def _value(cell: ElementTree.Element, book: _Book) -> Value:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return "".join(_text(one) for one in _all(cell, "is"))
    stored = next(_all(cell, "v"), None)
    text = "" if stored is None else stored.text or ""
    if not text or kind == "e":
        return ""
    if kind == "s":
        return book.texts[int(text)]
    if kind == "b":
        return text == "1"
    if kind != "n":
        return text
    number, style = float(text), int(cell.get("s", "0"))
    if style < len(book.is_day) and book.is_day[style]:
        return _day(number, book.start)
    return number


def _day(number: float, start: datetime) -> Value:
    """A day by its number; a time of day alone stays a number."""
    if number < 1.0:
        return number
    early = timedelta(days=1) if start == _EARLY and number < _FIRST_OF_MARCH else timedelta()
    try:
        return start + timedelta(milliseconds=round(number * _DAY_LENGTH)) + early
    except OverflowError as error:
        raise ValueError(f"{number} is no day") from error
