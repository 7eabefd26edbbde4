"""Rows of cells, as a spreadsheet or a text with separators holds them, and typed access to a row by its columns.

A cell that a spreadsheet would run as a formula is written with an apostrophe before it, and read without.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import islice
from typing import NamedTuple

from crosstable.errors import Fault, FormatError
from crosstable.faults import fault
from crosstable.formats.dates import day_of
from crosstable.formats.json_fields import LONGEST_TEXT, in_short
from crosstable.formats.pages import decoded
from crosstable.limits import HIGHEST_RATING
from crosstable.notation import WrittenRating, read_rating

SEPARATORS = ("\t", ";", ",", "|")
MOST_COLUMNS = 500
MOST_BLANKS = 10
LONGEST_TITLE = 60
_RULE = " -:="  # between the titles and the rows of a table with bars
_LOOKED_AT = 200
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_DEFUSED = re.compile(r"'+[=+\-@\t\r]")
_PUNCTUATION = re.compile(r"[\W_]+")
_NUMBER = re.compile(r"[+-]?\d{1,9}(?:\.\d{0,17})?(?:e-?\d{1,3})?", re.ASCII)
_WITH_FIDE = re.compile(r"(?<=\d)\s+\(\d{3,4}\)$", re.ASCII)  # 2200 (1965): SwissSys writes the FIDE rating behind
_YES = frozenset({"yes", "y", "true", "1", "x"})
_NO = frozenset({"no", "n", "false", "0"})


class Row(NamedTuple):
    """One row: where it stands, its cells, and what stood between them (nothing in a spreadsheet)."""

    place: str
    cells: tuple[str, ...]
    separator: str = ""

    @property
    def is_alone(self) -> bool:
        """Whether nothing stands behind the first cell."""
        return bool(self.cells[0].strip()) and not any(cell.strip() for cell in self.cells[1:])

    @property
    def is_blank(self) -> bool:
        """Whether nothing stands in the row."""
        return not any(cell.strip() for cell in self.cells)


def defused(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def undefused(text: str) -> str:
    """The text that was meant."""
    return text[1:] if _DEFUSED.match(text) else text


def tidy_title(title: str) -> str:
    """A title without case and punctuation; ``#`` stands for a number."""
    return _PUNCTUATION.sub(" ", title[:LONGEST_TITLE].lower().replace("#", " no ")).strip()


Score = Callable[[Sequence[str]], int]


def csv_rows(data: bytes, name: str, score: Score, most: int) -> list[Row]:
    """The rows of a text with separators that are not blank.

    Raises ``FormatError`` where no row scores, where the quotes do not close, or where there are too many rows.
    """
    text = decoded(data, name)
    if text.count("\n") + text.count("\r") > MOST_BLANKS * most:
        raise _too_many(name, most)
    separator = separator_of(text, score)
    if not separator:
        remedy = "Add a row of titles: No, Name, ID …"
        raise FormatError(fault("not-readable", name, "No row of the file names its columns.", remedy))
    rows = list(islice(_rows(text, name, separator), most + 1))
    if len(rows) > most:
        raise _too_many(name, most)
    return rows


def _too_many(name: str, most: int) -> FormatError:
    return FormatError(fault("not-readable", name, f"The file has more than {most} rows."))


def separator_of(text: str, score: Score) -> str:
    """The separator with which one of the first rows scores most, or nothing."""
    best, most = "", 0
    for separator in SEPARATORS:
        try:
            for row in islice(_rows(text, "", separator), _LOOKED_AT):
                if (points := score(row.cells)) > most:
                    best, most = separator, points
        except FormatError:
            continue  # said again, with its place, when this separator is chosen
    return best


def _rows(text: str, name: str, separator: str) -> Iterator[Row]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    line = 1
    try:
        for cells in reader:
            if len(cells) > MOST_COLUMNS:
                message = f"The row has more than {MOST_COLUMNS} cells."
                raise FormatError(fault("not-readable", f"{name}, line {line}", message))
            if separator == "|" and len(cells) > 2 and not cells[0].strip() and not cells[-1].strip():
                cells = cells[1:-1]
            if any(cell.strip(_RULE if separator == "|" else None) for cell in cells):
                yield Row(f"{name}, line {line}", tuple(map(undefused, cells)), separator)
            line = reader.line_num + 1
    except csv.Error as error:
        message = f"From here on the file cannot be read: {error}."
        raise FormatError(fault("damaged-file", f"{name}, line {line}", message, "Check the quotes.")) from error


def csv_bytes(rows: Iterable[Sequence[str]]) -> bytes:
    """Rows as text with commas, in the encoding that spreadsheets recognise."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows([defused(cell) for cell in row] for row in rows)
    return text.getvalue().encode("utf-8-sig", "replace")


def columns_of(row: Row, column_name: Callable[[str], str], faults: list[Fault]) -> dict[str, int]:
    """Where each known column stands by a row of titles; titles that are unknown or stand twice are faults."""
    columns: dict[str, int] = {}
    for at, title in enumerate(row.cells):
        column = column_name(title)
        if column and column in columns:
            faults.append(fault("bad-value", row.place, f"Two columns are called {in_short(title)}."))
        elif column:
            columns[column] = at
        elif title.strip():
            message = f"The column {in_short(title)} is not known and was ignored."
            faults.append(fault("unknown-field", row.place, message))
    return columns


class Cells:
    """One row being read by the names of its columns: every wrong cell is a fault with its place."""

    def __init__(self, row: Row, titles: Sequence[str], columns: Mapping[str, int], faults: list[Fault]) -> None:
        self.row, self._titles, self._columns, self._faults = row, titles, columns, faults
        self._texts = [self._checked(at, cell) for at, cell in enumerate(row.cells)]

    def _checked(self, at: int, cell: str) -> str:
        if len(cell) <= LONGEST_TEXT and cell.isprintable():
            return cell.strip()
        message = "The cell is too long or holds characters that cannot be printed."
        self._faults.append(fault("bad-value", self._place(at), message))
        return ""

    def _place(self, at: int) -> str:
        title = self._titles[at].strip() if at < len(self._titles) else ""
        named = title if title.isprintable() and title else str(at + 1)
        return f"{self.row.place}, column {named[:LONGEST_TEXT]}"

    def report(self, column: str, code: str, message: str) -> None:
        """Collect a fault about a cell."""
        self._faults.append(fault(code, self._place(self._columns[column]), message))

    def report_unnamed(self) -> None:
        """A fault for every cell that stands under no title."""
        for at, text in enumerate(self._texts):
            if text and not (at < len(self._titles) and self._titles[at].strip()):
                self._faults.append(fault("bad-value", self._place(at), f"{in_short(text)} stands in no named column."))

    @property
    def systems(self) -> set[str]:
        """The first words of the columns: what need not be looked for is found here."""
        return {column.split(" ", 1)[0] for column in self._columns}

    def __contains__(self, column: str) -> bool:
        return bool(self.text(column))

    def text(self, column: str) -> str:
        """The text of a cell, empty where there is none."""
        at = self._columns.get(column)
        return "" if at is None or at >= len(self._texts) else self._texts[at]

    def number(self, column: str, *, least: float = 0.0, most: float = 1e6) -> float | None:
        """A number within bounds, or ``None``."""
        text = self.text(column)
        if not text:
            return None
        if not _NUMBER.fullmatch(text.lower()):
            self.report(column, "wrong-type", f"{in_short(text)} is no number.")
            return None
        value = float(text)
        if not least <= value <= most:
            self.report(column, "bad-value", f"{text} is not between {least:g} and {most:g}.")
            return None
        return value

    def rating(self, column: str) -> WrittenRating:
        """A rating as people write it, with its games where they stand behind it; an empty cell is unrated."""
        text = self.text(column)
        if not text:
            return WrittenRating(None)
        try:
            found = read_rating(_WITH_FIDE.sub("", text))
        except ValueError as error:
            self.report(column, "wrong-type", str(error))
            return WrittenRating(None)
        if found.rating is not None and found.rating > HIGHEST_RATING:
            self.report(column, "bad-value", f"{text} is not between 0 and {HIGHEST_RATING:g}.")
            return WrittenRating(None)
        return found

    def whole(self, column: str, *, least: int = 0, most: int = 10**6) -> int | None:
        """A whole number within bounds, or ``None``."""
        value = self.number(column, least=least, most=most)
        if value is not None and value != int(value):
            self.report(column, "wrong-type", f"{self.text(column)} is no whole number.")
            return None
        return None if value is None else int(value)

    def day(self, column: str) -> date | None:
        """A date, or ``None``."""
        text = self.text(column)
        found = day_of(text)
        if text and found is None:
            self.report(column, "bad-date", f"{in_short(text)} is not a date.")
        return found

    def flag(self, column: str) -> bool | None:
        """Yes, no, or ``None`` where nothing is said."""
        text = self.text(column)
        found = flag_of(text)
        if text and found is None:
            self.report(column, "wrong-type", f"{in_short(text)} is neither yes nor no.")
        return found


def flag_of(text: str) -> bool | None:
    """Whether a text says yes or no, or ``None``."""
    word = text.lower()
    return True if word in _YES else False if word in _NO else None


def as_text(value: object) -> str:
    """A value as a cell holds it: days as YYYY-MM-DD, yes and no, numbers without a needless point."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return value.isoformat() if isinstance(value, date) else str(value)
