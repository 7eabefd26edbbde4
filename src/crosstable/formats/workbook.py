"""XLSX workbooks: cells as they were stored, from parts that were checked before anything is read from them.

A workbook is a zip of XML files, and both can be made to swell or quietly to lose rows: sizes are checked before
anything is unpacked, then each part is walked through: it must be sound XML, its cells must stand in their order and
within bounds, and what it announces must be there.
"""

import io
import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from xml.etree import ElementTree
from xml.parsers import expat

from crosstable.errors import FormatError
from crosstable.faults import fault

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


LARGEST = 10_000_000
MOST_ENTRIES = 200
LARGEST_UNPACKED = 50_000_000
LARGEST_PART = 10_000_000
MOST_RATIO = 100
MOST_ROWS = 10_000
MOST_CELLS = 100_000
MOST_ELEMENTS = 300_000

_WORKBOOK = "xl/workbook.xml"
_NEEDED = re.compile(
    r"\[Content_Types\]\.xml|_rels/\.rels|xl/(?:[\w-]+|_rels/[\w.-]+|worksheets/[\w.-]+)\.(?:xml|rels)"
)
_LISTED = b"PK\x01\x02"
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_PLACE = re.compile(r"([A-Z]{1,3})(\d{1,7})", re.ASCII)
_NUMBER = re.compile(r"\d{1,7}", re.ASCII)
_CHILDREN = {1: ("row",), 2: ("c", "extLst")}
_REMEDY = "Save the wallchart anew as an XLSX workbook, or as CSV."


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


def refused(name: str, message: str) -> FormatError:
    """The error that a workbook is not read."""
    return FormatError(fault("not-readable", name, message, _REMEDY))


def parts_of(data: bytes, name: str) -> dict[str, bytes]:
    """The parts of a workbook by name, after every check; raises ``FormatError`` where one fails."""
    if len(data) > LARGEST:
        raise refused(name, f"The workbook is larger than {LARGEST // 1_000_000} MB.")
    if data.count(_LISTED) > MOST_ENTRIES:  # before the list is read: a long one would take its time
        raise refused(name, f"The workbook has more than {MOST_ENTRIES} parts.")
    wrong = (zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, ValueError, OverflowError, RuntimeError)
    parts: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in _checked(archive.infolist(), len(data), name):
                with archive.open(member) as file:
                    part = file.read(member.file_size)
                _Reader(name).through(part)
                parts[member.filename] = part
    except wrong as error:
        raise refused(name, "The workbook is damaged.") from error
    return parts


def _checked(members: Sequence[zipfile.ZipInfo], size: int, name: str) -> list[zipfile.ZipInfo]:
    unpacked = sum(member.file_size for member in members)
    compressed = sum(member.compress_size for member in members)
    if unpacked > LARGEST_UNPACKED or unpacked > MOST_RATIO * max(compressed, 1) or compressed > size:
        raise refused(name, "The workbook would swell beyond all measure when it is unpacked.")
    if any(member.flag_bits & _ENCRYPTED or member.compress_type not in _METHODS for member in members):
        raise refused(name, "The workbook is protected by a password or packed in a way that is not read.")
    names = [member.filename for member in members]
    if _WORKBOOK not in names or len(set(names)) < len(names):
        raise refused(name, "The file is no XLSX workbook.")
    return [member for member in members if _NEEDED.fullmatch(member.filename)]


class _Reader:
    """A walk through one part: every element is seen, and nothing is kept."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.elements = self.depth = self.texts = 0
        self.announced: int | None = None
        self.row = self.column = self.widest = 0
        self.sheet_depth = -1

    def through(self, part: bytes) -> None:
        """Walk, and raise ``FormatError`` at the first thing that no wallchart has."""
        if len(part) > LARGEST_PART or b"\0" in part:
            raise refused(self.name, "A part of the workbook is larger than any wallchart, or no text.")
        parser = expat.ParserCreate("utf-8")  # as every program writes them, whatever the part says
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._doctype
        try:
            parser.Parse(part, True)
        except expat.ExpatError as error:
            raise self._wrong("is no sound XML") from error
        if self.announced is not None and self.announced != self.texts:
            raise self._wrong("announces another number of texts than it has")

    def _wrong(self, what: str) -> FormatError:
        return refused(self.name, f"A part of the workbook {what}.")

    def _doctype(self, *_: object) -> None:
        raise self._wrong("declares entities")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.elements += 1
        self.depth += 1
        element = tag.rpartition(":")[2]
        if self.elements > MOST_ELEMENTS:
            raise self._wrong("has more elements than any wallchart")
        if "count" in attributes or "uniqueCount" in attributes:
            self._check_counts(attributes)
        if element == "sst" and "uniqueCount" in attributes:
            self.announced = int(attributes["uniqueCount"])
        elif element == "si":
            self.texts += 1
        elif element == "sheetData":
            self.sheet_depth = self.depth
        elif self.sheet_depth >= 0:
            self._in_sheet(element, attributes.get("r"))

    def _check_counts(self, attributes: dict[str, str]) -> None:
        """Room is made for what is announced, however much that is."""
        for name in ("count", "uniqueCount"):
            count = attributes.get(name, "0")
            if not _NUMBER.fullmatch(count) or int(count) > MOST_CELLS:
                raise self._wrong("announces more than any wallchart has")

    def _in_sheet(self, element: str, place: str | None) -> None:
        below = self.depth - self.sheet_depth
        if element not in _CHILDREN.get(below, (element,)):
            raise self._wrong("has something else where rows and cells should be")
        if below == 1:
            self._take_row(place)
        elif below == 2 and element == "c":
            self._take_cell(place)

    def _take_row(self, place: str | None) -> None:
        number = place or str(self.row + 1)
        if not _NUMBER.fullmatch(number) or not self.row < int(number) <= MOST_ROWS:
            raise self._wrong(f"has rows out of their order, or more than {MOST_ROWS}")
        self.row, self.column = int(number), 0

    def _take_cell(self, place: str | None) -> None:
        found = _PLACE.fullmatch(place) if place else None
        if place and (found is None or int(found[2]) != self.row):
            raise self._wrong("has cells that are not in their row")
        column = column_of(found[1]) if found else self.column + 1
        if column <= self.column:
            raise self._wrong("has cells out of their order")
        self.column, self.widest = column, max(self.widest, column)
        if self.row * self.widest > MOST_CELLS:
            raise self._wrong(f"has more than {MOST_CELLS} cells")

    def _end(self, _: str) -> None:
        if self.depth == self.sheet_depth:
            self.sheet_depth = -1
        self.depth -= 1


def column_of(letters: str) -> int:
    """The number of a column: A is 1."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number
