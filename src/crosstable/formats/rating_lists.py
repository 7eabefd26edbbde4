"""Rating lists of any size (``--members FILE``): indexed once, then only the rows of an event's players are read.

US Chess: the tab-separated list ``rtglist.txt``, the monthly supplements without titles (``RS2608T.TXT``), the DBF
tables that pairing programs load (``TARATSUP.DBF``, ``uscffide.dbf``), and any text with separators whose titles a
members file may have. FIDE: the list with columns of fixed width. Canada: ``tdlist.txt``. The last two are looked up by
FIDE and CFC ids. No row of US Chess's lists was seen: the layouts are those of programs that load them.
"""

import csv
import os
import re
from array import array
from bisect import bisect_left
from calendar import monthrange
from collections.abc import Callable, Collection, Sequence
from typing import BinaryIO, NamedTuple

from crosstable.errors import FormatError
from crosstable.faults import fault
from crosstable.formats import dbf, file_bytes
from crosstable.formats.dates import day_of
from crosstable.formats.members import MembersFile, column_of_members, read, read_table, title_score
from crosstable.formats.sheet_rows import SEPARATORS, Row, tidy_title
from crosstable.limits import MEMBER_ID_DIGITS

_LOOKED_AT = 65_536
_LONGEST_ROW = 10_000
_ZIP = b"PK\x03\x04"
# Smaller lists are indexed anew each time, and smaller tables with titles are read whole.
_FEWEST_KEPT = 2_000_000
# A number of the index: the id, then where its row stands.
_OFFSET_BITS = 33
_IDS = 1 << 31
_LONGEST_ID = 10
_OFFSETS = (1 << _OFFSET_BITS) - 1
_SIX = ("OTBR rating", "OTBQ rating", "OTBB rating", "OLR rating", "OLQ rating", "OLB rating")
# rtglist.txt: what stands in its columns, of 15 or of 19 and more; the others are not known.
_ALL_RATINGS = {0: "Member ID", 1: "Name", 2: "State", 6: "FIDE id", 7: "FIDE flag"}
_FEWEST_WIDE = 19
_SUPPLEMENT = ("Name", "Member ID", "Member until", "State", *_SIX)
_BLITZ_SUPPLEMENT = re.compile(r"RSB\d", re.IGNORECASE)  # Blitz stands where the others have Quick
_CFC = {"cfc no": "Member ID", "rating": "CFC rating", "last": "Name", "fide number": "FIDE id"}
_FIDE_RATING = re.compile(r"SRtng|[A-Z]{3}\d\d", re.IGNORECASE)
_LIFE = ("LIFE", "9999")
_MONTH = re.compile(r"(0[1-9]|1[0-2])(\d\d)", re.ASCII)


class _Layout(NamedTuple):
    """How the rows of a list are taken: the titles that matter, the cells under them, and quickly the id alone."""

    titles: tuple[str, ...]
    cells: Callable[[bytes], Sequence[str]]
    number: Callable[[bytes], bytes]
    start: int
    width: int = 0  # of a record; 0: a row is a line
    federation: str = ""

    @property
    def key(self) -> int:
        """Which cell holds the id."""
        return self.titles.index("Member ID")


class RatingList:
    """A rating list on disk; ``of`` gives the rows of some ids, ``federation`` says whose ids they are."""

    def __init__(self, path: str, layout: _Layout) -> None:
        self.name, self.federation = path, layout.federation
        self._layout = layout
        self._index: Sequence[int] | None = None

    def of(self, ids: Collection[str]) -> MembersFile:
        """What the list says of these ids."""
        if self._index is None:
            self._index = _index(self.name, self._layout)
        rows = self._rows(ids, self._index)
        if rows is None:  # the index that was kept is damaged
            self._index = _made(self.name, self._layout)
            rows = self._rows(ids, self._index) or []
        return read_table([Row(self.name, self._layout.titles), *rows], self.name)

    def _rows(self, ids: Collection[str], index: Sequence[int]) -> list[Row] | None:
        """The rows of these ids; nothing where the index leads to another row."""
        rows = []
        with open(self.name, "rb") as file:
            for one in sorted(filter(_is_indexed, ids)):
                at = bisect_left(index, int(one) << _OFFSET_BITS)
                while at < len(index) and index[at] >> _OFFSET_BITS == int(one):
                    file.seek(index[at] & _OFFSETS)
                    raw = _taken(file, self._layout)
                    number = self._layout.number(raw).strip()
                    if not number.isdigit() or int(number) != int(one):
                        return None
                    rows.append(self._row(one, self._layout.cells(raw)))
                    at += 1
        return rows

    def _row(self, one: str, cells: Sequence[str]) -> Row:
        made = [_tidy(title, cell.strip()) for title, cell in zip(self._layout.titles, cells, strict=True)]
        made[self._layout.key] = one
        return Row(f"{self.name}, member {one}", tuple(made))


def opened(path: str) -> MembersFile | RatingList:
    """A members file, or a rating list; raises ``FormatError`` where it is neither."""
    try:
        with open(path, "rb") as file:
            head = file.read(_LOOKED_AT)
            size = os.fstat(file.fileno()).st_size
    except OSError:
        return read(file_bytes(path), path)  # which says why it cannot be opened
    if head.startswith(_ZIP):
        remedy = "Unpack it, and give the list or the members file inside; save a workbook as CSV."
        raise FormatError(fault("not-readable", path, "This is a zip or a workbook.", remedy))
    layout, is_titled = _layout_of(head, os.path.basename(path))
    if layout is None or (is_titled and size < _FEWEST_KEPT):
        return read(file_bytes(path), path)
    if is_titled:
        first = read(head[: head.rfind(b"\n") + 1], path)
        if any(one.code == "rating-column-not-known" for one in first.faults):
            return first
    return RatingList(path, layout)


def is_list(data: bytes, name: str) -> bool:
    """Whether a text is a rating list whose layout is known, other than a table with titles."""
    layout, is_titled = _layout_of(data[:_LOOKED_AT], name)
    return layout is not None and not is_titled


def _layout_of(head: bytes, name: str) -> tuple[_Layout | None, bool]:
    """The layout of a list by its first bytes, and whether it is a table that a members file may be."""
    if dbf.looks_like(head):
        return _of_dbf(head, name), False
    first = head.partition(b"\n")[0] + b"\n"
    line = _text(first).strip("\ufeff\r\n")
    start = len(first)
    if line.startswith("ID Number ") and " Fed " in line and any(map(_FIDE_RATING.fullmatch, line.split())):
        return _of_fide(line, start), False
    tabs = line.split("\t")
    if {"rtglistdate", "rtgreg"} <= {title.strip().lower() for title in tabs}:
        ratings = range(9, 21, 2) if len(tabs) >= _FEWEST_WIDE else range(9, 15)
        return _separated({**_ALL_RATINGS, **dict(zip(ratings, _SIX, strict=True))}, "\t", start), False
    if len(tabs) > len(_SUPPLEMENT) - len(_SIX) and _is_id(tabs[1]):
        titles = dict(enumerate(_SUPPLEMENT[: len(tabs)]))
        if _BLITZ_SUPPLEMENT.match(name):
            titles[5] = titles.pop(6, "OTBB rating")
        return _separated(titles, "\t", 0), False
    if line.startswith("CFC#,"):
        found = {at: _CFC.get(tidy_title(title), "") for at, title in enumerate(line.replace('"', "").split(","))}
        return _separated({at: title for at, title in found.items() if title}, ",", start, "CFC"), False
    for separator in SEPARATORS:
        named = _parts(line, separator)
        if title_score(named):
            return _separated(_known(named), separator, start), True
    return None, False


def _parts(text: str, separator: str) -> list[str]:
    """The cells of a line."""
    if '"' not in text:
        return text.split(separator)
    return next(csv.reader([text.replace("\r", " ").replace("\n", " ")], delimiter=separator), [])


def _known(names: Sequence[str]) -> dict[int, str]:
    """Where the columns stand that a members file has, by their titles; the first of two that say the same."""
    first: dict[str, int] = {}
    for at, name in enumerate(names):
        first.setdefault(column_of_members(name), at)
    return {at: "Member ID" if column == "member id" else names[at] for column, at in first.items() if column}


def _separated(columns: dict[int, str], separator: str, start: int, federation: str = "") -> _Layout:
    """A layout of lines with separators; the quotes of Canada's list do not close, so they count for nothing."""

    def cells(line: bytes) -> list[str]:
        text = _text(line).rstrip("\r\n")
        parts = [cell.strip(' "') for cell in text.split(separator)] if federation else _parts(text, separator)
        return [parts[at] if at < len(parts) else "" for at in columns]

    titles = tuple(columns.values())
    key, between = list(columns)[titles.index("Member ID")], separator.encode()

    def number(line: bytes) -> bytes:
        if b'"' in line:
            return cells(line)[titles.index("Member ID")].encode()
        return b"".join(line.split(between, key + 1)[key : key + 1])

    return _Layout(titles, cells, number, start, 0, federation)


def _of_fide(line: str, start: int) -> _Layout:
    """Columns of fixed width, as the titles stand."""
    words = [(found.start(), found[0]) for found in re.finditer(r"ID Number|\S+", line)]
    named = {"ID Number": "Member ID", "Name": "Name", "Fed": "FIDE flag", "B-day": "Birth year"}
    ends = [*(at for at, _ in words[1:]), len(line)]
    columns = {
        (at, end): "FIDE rating" if _FIDE_RATING.fullmatch(word) else named.get(word, "")
        for (at, word), end in zip(words, ends, strict=True)
    }
    spans = [span for span, title in columns.items() if title]

    def cells(row: bytes) -> list[str]:
        text = _text(row)
        return [text[first:last] for first, last in spans]

    end = spans[0][1]
    return _Layout(tuple(columns[span] for span in spans), cells, lambda row: row[:end], start, 0, "FIDE")


def _of_dbf(head: bytes, name: str) -> _Layout:
    fields, start, width = dbf.layout(head, name)
    names = [field.name for field in fields]
    known = _known(names)
    if "Member ID" not in known.values() or len(known) == 1:
        message = f"No field of the table is known to hold member ids, or none ratings: {', '.join(names)}."
        raise FormatError(fault("not-readable", name, message, "Give a list with a field MEM_ID or R_MEM_ID."))
    starts = [1 + sum(field.width for field in fields[:at]) for at in range(len(fields))]
    spans = {title: slice(starts[at], starts[at] + fields[at].width) for at, title in known.items()}

    def cells(record: bytes) -> list[str]:
        return [_text(record[span]) for span in spans.values()]

    return _Layout(tuple(spans), cells, lambda record: record[spans["Member ID"]], start, width)


def _text(data: bytes) -> str:
    plain = data.replace(b"\0", b" ")
    try:
        return plain.decode()
    except UnicodeDecodeError:
        return plain.decode("cp1252", "replace")


def _is_id(text: str) -> bool:
    return len(text.strip()) == MEMBER_ID_DIGITS and text.strip().isdigit()


def _tidy(title: str, cell: str) -> str:
    """A cell as a members file has it: an expiration as a date, nothing for a life member, an unknown birth year."""
    column = column_of_members(title)
    if column == "member until":
        return _until(cell)
    if column.endswith("rating"):
        return cell.rstrip("* ") if "/" in cell else cell
    return "" if column in ("birth year", "fide id") and not cell.strip("0") else cell


def _until(text: str) -> str:
    if not text.strip("0/- ") or text.upper().startswith(_LIFE):
        return ""
    if found := _MONTH.fullmatch(text):
        year, month = 2000 + int(found[2]), int(found[1])
        return f"{year}-{month:02}-{monthrange(year, month)[1]}"
    day = day_of(text)
    return text if day is None else day.isoformat()


# The index: a number for each row, its id and where it stands, sorted.


def _index(path: str, layout: _Layout) -> Sequence[int]:
    from hashlib import blake2b
    from zlib import crc32

    state = os.stat(path)
    if state.st_size < _FEWEST_KEPT:
        return _made(path, layout)
    kept = os.path.join(_cache(), f"{blake2b(os.path.abspath(path).encode(), digest_size=12).hexdigest()}.index")
    mark = array("Q", (state.st_size, state.st_mtime_ns, crc32(repr(layout.titles).encode())))
    try:
        return _kept(kept, mark)
    except (OSError, ValueError, TypeError):  # there is none, it is of another list, or damaged
        made = _made(path, layout)
    try:
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        with open(f"{kept}.{os.getpid()}", "wb") as file:
            mark.tofile(file)
            made.tofile(file)
        os.replace(file.name, kept)
    except OSError:
        pass  # nowhere to keep it: the next time takes as long
    return made


def _kept(path: str, mark: "array[int]") -> Sequence[int]:
    import mmap

    with open(path, "rb") as file:
        view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)).cast("Q")
    if view[: len(mark)].tolist() != mark.tolist():
        raise ValueError(path)
    return view[len(mark) :]


def _made(path: str, layout: _Layout) -> "array[int]":
    found = array("Q")
    at = layout.start
    with open(path, "rb") as file:
        file.seek(at)
        for row in file if not layout.width else iter(lambda: _taken(file, layout), b""):
            number = layout.number(row).strip()
            # A record of a table that begins with * is deleted.
            if (
                number.isdigit()
                and len(number) <= _LONGEST_ID
                and int(number) < _IDS
                and not (layout.width and row.startswith(b"*"))
            ):
                found.append(int(number) << _OFFSET_BITS | at)
            at += len(row)
    return array("Q", sorted(found))


def _is_indexed(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _LONGEST_ID and int(text) < _IDS


def _taken(file: BinaryIO, layout: _Layout) -> bytes:
    """The next row; nothing where the list ends."""
    if not layout.width:
        return file.readline(_LONGEST_ROW)
    record = file.read(layout.width)
    return record if len(record) == layout.width else b""


def _cache() -> str:
    """The folder where indexes are kept."""
    home = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.environ.get("CROSSTABLE_CACHE") or os.path.join(home, "crosstable")
