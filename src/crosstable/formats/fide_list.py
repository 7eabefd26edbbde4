"""FIDE's monthly rating list as FIDE gives it out: text in columns or XML, by itself or in a zip.

Columns stand where the heading has them, because FIDE has moved them before. The standard rating counts, with the games
of the period; lists of rapid or blitz ratings alone have the same columns and are known by their names.
"""

import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from typing import IO, NamedTuple
from xml.etree.ElementTree import ParseError, iterparse

from crosstable.errors import FormatError
from crosstable.faults import fault

MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_MONTH = re.compile(rf"\b({'|'.join(MONTHS)})(\d\d)\b")


class ListedPlayer(NamedTuple):
    """A player of a list: FIDE id, federation (the flag), standard rating if any, and rated games in the period."""

    fide_id: str
    federation: str
    rating: float | None
    games: int


class FideList(NamedTuple):
    """A list: the month that its heading names, if it names one, and its players, read as they are asked for."""

    month: date | None
    players: Iterator[ListedPlayer]


@contextmanager
def opened(path: str) -> Iterator[FideList]:
    """A list that is a file, or the only file of a zip."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as bundle:
                names = [name for name in bundle.namelist() if name.lower().endswith((".txt", ".xml"))]
                if len(names) != 1:
                    raise _refused(path, f"The zip holds {len(names)} lists (.txt or .xml), not one.")
                with bundle.open(names[0]) as file:
                    yield _list(file, names[0])
        else:
            with open(path, "rb") as file:
                yield _list(file, path)
    except (OSError, zipfile.BadZipFile, ParseError) as error:
        raise _refused(path, f"The list cannot be read: {error}.") from error


def _list(file: IO[bytes], path: str) -> FideList:
    if re.search("rapid|blitz", path.rpartition("/")[2].lower()):
        raise _refused(path, "The list is one of rapid or blitz ratings; the standard rating counts.")
    heading = file.readline()
    if heading.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        file.seek(0)
        return FideList(None, _of_xml(file, path))
    text = heading.decode("latin-1").rstrip()
    named = _MONTH.search(text)
    month = None if named is None else date(2000 + int(named[2]), MONTHS.index(named[1]) + 1, 1)
    return FideList(month, _of_lines(file, _columns(text, path), path))


def _columns(heading: str, path: str) -> list[slice]:
    """Where id, federation, standard rating and games stand."""
    rating, games = r"SRtng\b|\b[A-Z]{3}\d\d\b", r"SGm\b|Gms\b"
    starts = [match.start() for match in re.finditer(r"ID Number|[^\s]+", heading)]
    found = []
    for name in ("ID Number", r"Fed\b", rating, games):
        match = re.search(name, heading)
        if match is None:
            raise _refused(path, "The first line is not the heading of a FIDE list with a standard rating.")
        end = next((start for start in starts if start > match.start()), len(heading))
        found.append(slice(match.start(), end))
    return found


def _of_lines(lines: Iterable[bytes], columns: list[slice], path: str) -> Iterator[ListedPlayer]:
    for number, line in enumerate(lines, 2):
        text = line.decode("latin-1").rstrip()
        if text:
            cells = [text[column].strip() for column in columns]
            if any(text[column.start - 1 : column.start].isdigit() for column in columns[1:]):
                raise _refused(f"{path}, line {number}", "The columns are not those of the heading.")
            yield _player(cells, f"{path}, line {number}")


def _of_xml(file: IO[bytes], path: str) -> Iterator[ListedPlayer]:
    for _, element in iterparse(file):
        if element.tag == "player":
            cells = [(element.findtext(name) or "").strip() for name in ("fideid", "country", "rating", "games")]
            yield _player(cells, f"{path}, FIDE id {cells[0] or 'missing'}")
            element.clear()


def _player(cells: list[str], place: str) -> ListedPlayer:
    fide_id, federation, rating, games = cells
    if not (fide_id.isdigit() and (rating or "0").isdigit() and (games or "0").isdigit() and len(federation) in (0, 3)):
        raise _refused(place, f"{', '.join(map(repr, cells))} are no FIDE id, federation, rating and games.")
    return ListedPlayer(fide_id, federation, float(rating) if int(rating or 0) else None, int(games or 0))


def _refused(place: str, message: str) -> FormatError:
    remedy = "Give the list as ratings.fide.com has it: standard or combined, TXT or XML, zipped or not."
    return FormatError(fault("not-readable", place, message, remedy))
