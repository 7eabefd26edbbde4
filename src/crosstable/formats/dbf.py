"""The dBASE III table, the container of US Chess rating reports: one table read, one table written.

Lengths, sums and counts are held against each other before a record is looked at. A table whose own figures
disagree is refused whole: half a table looks like an event with fewer players.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from crosstable.errors import FormatError
from crosstable.faults import fault

# Twice what the largest event in the country has come to; more would only cost time and memory.
LARGEST_TABLE = 2_000_000
MOST_RECORDS = 10_000
MOST_VALUES = 250_000
MOST_FIELDS = 255

ASCII, UTF_8, WINDOWS, DOS = "ascii", "utf-8", "cp1252", "cp437"
CODE_PAGES = (ASCII, UTF_8, WINDOWS, DOS)

_VERSION = 0x03
_HEADER = 32
_DESCRIPTOR = 32
_END_OF_FIELDS = 0x0D
_END_OF_FILE = 0x1A
_LIVE, _DELETED = 0x20, 0x2A
_KINDS = frozenset("CNFDL")
_DATE_WIDTH = 8
_LANGUAGE = 29
# What byte 29 of the header can declare; every other value says nothing.
_LANGUAGES = {0x01: DOS, 0x03: WINDOWS}
_NAME_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


class Field(NamedTuple):
    """A column: its name, its kind (``C`` text, ``D`` date, ``N`` number), its width in bytes."""

    name: str
    kind: str
    width: int


class Record(NamedTuple):
    """A row: where it stands (from 1), whether it is marked as deleted, its values without the padding."""

    number: int
    is_deleted: bool
    values: Mapping[str, str]


class Table(NamedTuple):
    """A table as read, and the code page its text was read in; ``is_guess`` where nothing declared it."""

    name: str
    fields: tuple[Field, ...]
    records: tuple[Record, ...]
    code_page: str
    is_guess: bool

    @property
    def field_names(self) -> frozenset[str]:
        """The names of the columns."""
        return frozenset(field.name for field in self.fields)


def looks_like(data: bytes) -> bool:
    """Whether these bytes begin like a dBASE III table without memo."""
    return len(data) > _HEADER + _DESCRIPTOR and data[0] == _VERSION and data[_HEADER : _HEADER + 1].isalpha()


def read(data: bytes, name: str, code_page: str = "") -> Table:
    """Read a table; raises ``FormatError`` where it is none or its figures disagree.

    Text is ASCII, or in the given code page, or in the one the header declares; failing these UTF-8 is tried, then
    Windows' and DOS's.
    """
    if code_page and code_page not in CODE_PAGES:
        raise _not_in(code_page, name)
    _require_kind(data, name)
    count = int.from_bytes(data[4:8], "little")
    fields, start, width = layout(data, name)
    _require_size(data, name, start, count * width)
    if count > MOST_RECORDS or count * len(fields) > MOST_VALUES:
        raise _refused(name, f"{count} records of {len(fields)} fields are more than an event can have.", "")
    rows = [data[at : at + width] for at in range(start, start + count * width, width)]
    for number, row in enumerate(rows, 1):
        if row[0] not in (_LIVE, _DELETED):
            raise _damaged(f"{name}, record {number}", "The record does not begin with a blank or a deletion mark.")
    pages, is_guess = _pages(data, b"".join(rows), code_page)
    for page in pages:
        records = _records(rows, fields, page)
        if records is not None:
            return Table(name, fields, records, page, is_guess)
    raise _not_in(pages[0], name)


def layout(head: bytes, name: str) -> tuple[tuple[Field, ...], int, int]:
    """The columns of a table of any size by its first bytes, where its records start, and how wide each is."""
    start, width = int.from_bytes(head[8:10], "little"), int.from_bytes(head[10:12], "little")
    fields = _fields(head, name, start)
    if 1 + sum(field.width for field in fields) != width:
        raise _damaged(name, f"A record is said to have {width} bytes, but its fields do not add up to that.")
    return fields, start, width


def _require_kind(data: bytes, name: str) -> None:
    if len(data) > LARGEST_TABLE:
        raise _refused(name, f"The table is larger than {LARGEST_TABLE // 1_000_000} MB.", "")
    if not data or data[0] != _VERSION:
        raise _refused(name, "The file is no dBASE III table.", "Give the DBF files that the pairing program exported.")
    if len(data) <= _HEADER + _DESCRIPTOR:
        raise _damaged(name, "The file ends within its header.")


def _fields(data: bytes, name: str, start: int) -> tuple[Field, ...]:
    """The columns, from the descriptors between the header and its end mark."""
    fields: list[Field] = []
    at = _HEADER
    end = min(start, len(data))
    while at < end and data[at] != _END_OF_FIELDS:
        if at + _DESCRIPTOR >= end or len(fields) == MOST_FIELDS:
            raise _damaged(name, "The list of fields has no end.")
        fields.append(_field(data[at : at + _DESCRIPTOR], name, len(fields) + 1))
        at += _DESCRIPTOR
    # One program puts a zero byte after the end mark and counts it.
    if not fields or data[at:start] not in (b"\r", b"\r\0"):
        raise _damaged(name, "The header's length does not agree with its list of fields.")
    if len({field.name for field in fields}) < len(fields):
        raise _damaged(name, "Two fields have the same name.")
    return tuple(fields)


def _field(descriptor: bytes, table: str, number: int) -> Field:
    name = descriptor[:11].split(b"\0")[0].decode(ASCII, "replace").strip().upper()
    kind = descriptor[11:12].decode(ASCII, "replace")
    width = descriptor[16]
    place = f"{table}, field {number}"
    if not name or not _NAME_LETTERS.issuperset(name):
        raise _damaged(place, "The field's name is no name.")
    if kind not in _KINDS:
        raise _damaged(place, f"{name} is of a kind that a rating report does not have.")
    if not width or (kind == "D" and width != _DATE_WIDTH):
        raise _damaged(place, f"{name} cannot have a width of {width}.")
    return Field(name, kind, width)


def _require_size(data: bytes, name: str, start: int, size: int) -> None:
    there = len(data) - start
    if there < size:
        raise _damaged(name, f"{size} bytes of records are announced, but only {max(there, 0)} are there.")
    if data[start + size :].strip(bytes([_END_OF_FILE, 0])):
        raise _damaged(name, "There is more in the file than the records it announces.")


def _pages(data: bytes, body: bytes, code_page: str) -> tuple[Sequence[str], bool]:
    """The code pages to try, in order, and whether that is a guess."""
    if body.isascii():
        return (ASCII,), False
    declared = code_page or _LANGUAGES.get(data[_LANGUAGE], "")
    return ((declared,), False) if declared else ((UTF_8, WINDOWS, DOS), True)


def _records(rows: Sequence[bytes], fields: Sequence[Field], page: str) -> tuple[Record, ...] | None:
    """Every record in a code page, or nothing where a value is not in it."""
    slices = []
    at = 1
    for field in fields:
        slices.append((field.name, at, at + field.width))
        at += field.width
    try:
        return tuple(
            Record(number, row[0] == _DELETED, {name: row[a:b].decode(page).strip(" \0") for name, a, b in slices})
            for number, row in enumerate(rows, 1)
        )
    except UnicodeDecodeError:
        return None


def write(name: str, fields: Sequence[Field], rows: Sequence[Mapping[str, str]], updated: date) -> bytes:
    """A table of text and dates; raises ``FormatError`` where a value does not fit its field, and cuts nothing.

    Text that is not ASCII is written in Windows' code page, and the header says so.
    """
    texts = [[row.get(field.name, "") for field in fields] for row in rows]
    page = ASCII if all(text.isascii() for row in texts for text in row) else WINDOWS
    header = bytearray(_HEADER)
    header[0] = _VERSION
    header[1:4] = bytes([min(max(updated.year - 1900, 0), 255), updated.month, updated.day])
    header[4:8] = len(rows).to_bytes(4, "little")
    header[8:10] = (_HEADER + _DESCRIPTOR * len(fields) + 1).to_bytes(2, "little")
    header[10:12] = (1 + sum(field.width for field in fields)).to_bytes(2, "little")
    header[_LANGUAGE] = next((byte for byte, known in _LANGUAGES.items() if known == page), 0)
    parts = [bytes(header), *map(_descriptor, fields), bytes([_END_OF_FIELDS])]
    for number, row in enumerate(texts, 1):
        parts.append(bytes([_LIVE]))
        parts += [
            _value(text, field, page, f"{name}, record {number}, field {field.name}")
            for field, text in zip(fields, row, strict=True)
        ]
    return b"".join([*parts, bytes([_END_OF_FILE])])


def _descriptor(field: Field) -> bytes:
    descriptor = field.name.encode(ASCII).ljust(11, b"\0") + field.kind.encode(ASCII) + bytes(4) + bytes([field.width])
    return descriptor.ljust(_DESCRIPTOR, b"\0")


def _value(text: str, field: Field, page: str, place: str) -> bytes:
    if not text.isprintable():
        raise FormatError(fault("bad-value", place, f"{text!r} holds characters that cannot be printed."))
    try:
        value = text.encode(page)
    except UnicodeEncodeError as error:
        message = f"{text!r} holds {text[error.start]!r}, which the file cannot carry."
        raise FormatError(fault("bad-value", place, message, "Write it in Latin letters.")) from error
    if len(value) > field.width:
        message = f"{text!r} has {len(value)} characters; the field holds {field.width}."
        raise FormatError(fault("bad-value", place, message, "Shorten it."))
    return value.ljust(field.width)


def _not_in(page: str, name: str) -> FormatError:
    return _refused(name, f"The text is not in the code page {page!r}.", f"Choose one of {', '.join(CODE_PAGES)}.")


def _refused(place: str, message: str, remedy: str) -> FormatError:
    return FormatError(fault("not-readable", place, message, remedy))


def _damaged(place: str, message: str) -> FormatError:
    return FormatError(fault("damaged-file", place, message))
