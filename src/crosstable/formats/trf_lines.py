"""The lines of a TRF: bytes to records with columns, and everything found wrong on the way.

A TRF is text with one record a line: a code of three characters, a blank, then fields at fixed columns. Columns
are counted from 1 and in characters, not bytes.
"""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from crosstable.errors import Fault, FormatError
from crosstable.faults import fault

LARGEST_FILE = 4_000_000  # the most players a TRF can number (9,999) over thirty rounds
MOST_FAULTS = 1_000
MOST_LINES = 100_000
LONGEST_LINE = 12_000  # a player line with the most rounds a TRF can number (999) has 10,080
LONGEST_TEXT = 500
PLAYER = "001"

_LINE_END = re.compile(r"\r\n|\r|\n")
_CODE = re.compile(r"(?:[0-9]{3}|[A-Z]{3})(?: |$)")
_NUMBER = re.compile(r"[0-9]+")
# Where Latin-1 has control characters, Windows has letters and quotation marks, and Windows is what wrote the file.
_WINDOWS = {byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0xA0)}
_NOT_PRINTABLE = "\N{REPLACEMENT CHARACTER}"


class Line(NamedTuple):
    """A record: the file it is in, its line number, its text, and whose it is where that is known."""

    file: str
    number: int
    text: str
    owner: str = ""

    @property
    def code(self) -> str:
        """The three characters that say what kind of record this is."""
        return self.text[:3]

    @property
    def content(self) -> str:
        """What stands after the code."""
        return self.text[4:].strip()

    @property
    def place(self) -> str:
        """Where the record is, in words."""
        owner = f" ({self.owner})" if self.owner else ""
        return f"{self.file}, line {self.number}{owner}"

    def columns(self, first: int, last: int) -> str:
        """The field at these columns, without the blanks around it; empty where the line is too short."""
        return self.text[first - 1 : last].strip()

    def at(self, first: int, last: int, what: str) -> str:
        """The place of a field."""
        where = f"column {first}" if first == last else f"columns {first}-{last}"
        return f"{self.place}, {where} ({what})"


class Findings:
    """Everything found wrong in one file: faults, and the kinds of records that were left out."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._faults: list[Fault] = []
        self._left_out: dict[str, tuple[Line, str, int]] = {}

    def report(self, code: str, place: str, message: str, remedy: str = "") -> None:
        """Collect a fault; a file with very many is refused, because it is no TRF or a badly damaged one."""
        self._faults.append(fault(code, place, message, remedy))
        if len(self._faults) + len(self._left_out) > MOST_FAULTS:
            message = f"More than {MOST_FAULTS} things are wrong with the file, the first at {self._faults[0].place}."
            raise FormatError(fault("damaged-file", self._file, message))

    def leave_out(self, kind: str, line: Line, why: str) -> None:
        """Note that a record of this kind is not used; each kind is reported once, with how many there were."""
        first, said, count = self._left_out.get(kind, (line, why, 0))
        self._left_out[kind] = first, said, count + 1

    def faults(self) -> tuple[Fault, ...]:
        """All faults, then one warning for each kind of record that was left out."""
        for kind, (first, why, count) in self._left_out.items():
            records = f"{count} records" if count > 1 else "One record"
            self.report("ignored-record", first.place, f"{records} of the kind {kind}: {why}.")
        self._left_out.clear()
        return tuple(self._faults)


def read_lines(data: bytes, file: str, findings: Findings) -> list[Line]:
    """The records of a file; comments, empty lines and rulers are passed over, lines that are no record reported."""
    if len(data) > LARGEST_FILE:
        message = f"The file is larger than {LARGEST_FILE // 1_000_000} MB, more than any tournament needs."
        raise FormatError(fault("not-readable", file, message))
    lines = []
    for number, text in enumerate(_LINE_END.split(_text(data, file)), start=1):
        text = text.rstrip(" \t")
        if not text or text.startswith("#") or _is_ruler(text):
            continue
        line = _printable(_of_length(Line(file, number, text), findings), findings)
        if _CODE.match(line.text):
            lines.append(line)
        else:
            message = f"{line.text[:4]!r} begins no record: three digits or capital letters and a blank do."
            findings.report("bad-value", line.at(1, 4, "kind of record"), message, "Correct or remove the line.")
        if len(lines) > MOST_LINES:
            message = f"The file has more than {MOST_LINES} records, more than any tournament needs."
            raise FormatError(fault("damaged-file", file, message))
    return lines


def _is_ruler(text: str) -> bool:
    """Whether a line counts the columns, as samples do: ``1234567890…``, or the tens."""
    whole, rest = divmod(len(text), 10)
    ones, tens = "1234567890" * (whole + 1), "".join(f"{ten:>10}" for ten in range(1, whole + 1))
    return whole > 0 and (text == ones[: len(text)] or (not rest and text == tens))


def _of_length(line: Line, findings: Findings) -> Line:
    if len(line.text) <= LONGEST_LINE:
        return line
    message = f"The line has {len(line.text)} characters; at most {LONGEST_LINE} are read."
    findings.report("bad-value", line.place, message, "Shorten it.")
    return line._replace(text=line.text[:LONGEST_LINE])


def _text(data: bytes, file: str) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError(fault("not-readable", file, "The file is UTF-16 text.", "Save it as UTF-8."))
    data = data.rstrip(b" \r\n\t").removesuffix(b"\x1a")  # the end mark of old systems
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1").translate(_WINDOWS)


def _printable(line: Line, findings: Findings) -> Line:
    """The line with odd blanks made plain; a character nobody can see is a fault and marked, columns kept."""
    if line.text.isprintable():
        return line
    tidy = "".join([_tidy(char, line.code == PLAYER) for char in line.text])
    column = next((at for at, char in enumerate(tidy, start=1) if char != line.text[at - 1] and char != " "), 0)
    if column:
        char = line.text[column - 1]
        message = f"The line holds the character U+{ord(char):04X}, which cannot be printed."
        findings.report("bad-value", f"{line.place}, column {column}", message, "Remove the character.")
    return line._replace(text=tidy)


@lru_cache(maxsize=4096)
def _tidy(char: str, is_player: bool) -> str:
    if char.isprintable():
        return char
    # A tab is a blank where text stands, but a player's columns cannot be counted across one.
    is_blank = unicodedata.category(char) == "Zs" or (char == "\t" and not is_player)
    return " " if is_blank else _NOT_PRINTABLE


def whole_number(line: Line, columns: tuple[int, int], what: str, findings: Findings) -> int | None:
    """The whole number at these columns; ``None`` where they are blank, or hold something else (a fault)."""
    text = line.columns(*columns)
    if not text:
        return None
    if not _NUMBER.fullmatch(text):
        findings.report("wrong-type", line.at(*columns, what), f"{text!r} is not a whole number.")
        return None
    return int(text)


def numbers_from(line: Line, column: int, findings: Findings) -> list[int]:
    """Starting ranks in fields of four columns, five columns apart, from this column on."""
    found = (whole_number(line, (at, at + 3), "starting rank", findings) for at in range(column, len(line.text) + 1, 5))
    return [number for number in found if number]
