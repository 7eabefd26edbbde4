"""The rating report that US Chess sent to tournament directors as plain text: one line a player.

    12345678    1 DOE, JANE          TX 1641/17 1657/24 W--12 D---9 H---0  2.0

Id, pairing number, name, state, rating before and after, a cell per round with dashes for blanks, the score. ``*``
after a rating means established, ``/17`` provisional on 17 games. A line like ``Section 2 - RESERVE`` or one that
says how many rounds and players follow opens a section. The lines do not name a rating system: unless the section's
header does (``Rating Sys: Q``), they are taken for Regular.
"""

import re

from crosstable.errors import Fault, FormatError
from crosstable.faults import fault
from crosstable.formats import FaultList, Reading
from crosstable.formats.event_json import read_cell
from crosstable.formats.json_fields import LONGEST_TEXT
from crosstable.formats.msa_header import SYSTEMS, Header, described, heading, states_size
from crosstable.formats.pages import LARGEST_PAGE, decoded, lines_of
from crosstable.limits import HIGHEST_RATING
from crosstable.notation import read_rating
from crosstable.sentences import counted
from crosstable.terms import (
    Background,
    PlayerRating,
    Posted,
    RatingSystem,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    SectionType,
)

_LONGEST_LINE = 3000
_FEWEST_WORDS = 6
_ROW = re.compile(rb"^[ \t]{0,20}\d{8}[ \t]{1,20}\d{1,5}[ \t].{1,400}[ \t][A-Z*]-+\d{1,4}[ \t\r\n]", re.MULTILINE)
_ID = re.compile(r"\d{8}", re.ASCII)
_NUMBER = re.compile(r"\d{1,5}", re.ASCII)
_CELL = re.compile(r"[A-Z*](?:-{1,5}\d{0,4}|\d{3,4})", re.ASCII)
# A name may end in two capitals as well: only these are states, provinces and the like.
_STATES = frozenset(
    {
        *("AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "DC", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY"),
        *("LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND", "OH"),
        *("OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY", "PR", "VI", "GU"),
        *("AS", "MP", "AA", "AE", "AP", "AB", "BC", "MB", "NB", "NL", "NS", "ON", "PE", "QC", "SK", "NT", "NU", "YT"),
    }
)
_SCORE = re.compile(r"\d{1,3}(?:\.\d{1,2})?", re.ASCII)


def looks_like(data: bytes) -> bool:
    """Whether some line begins with an id and a pairing number and has cells like ``W--14``."""
    return _ROW.search(data[:LARGEST_PAGE]) is not None


def read(data: bytes, name: str) -> Reading:
    """Read a rating report; raises ``FormatError`` where no line of it is a player's."""
    if len(data) > LARGEST_PAGE:
        message = f"The file is larger than {LARGEST_PAGE // 1_000_000} MB."
        raise FormatError(fault("not-readable", name, message))
    page = _Page(name)
    for at, line in enumerate(lines_of(decoded(data, name)), start=1):
        page.take(line.replace("\t", " "), f"{name}, line {at}")
    sections = [part for part in page.parts if part.rows]
    if not sections:
        raise FormatError(fault("not-readable", name, "No line of the file is a player of a rating report."))
    event_id, title = page.event.identity()
    start, end = page.event.days()
    found = tuple(_section(part, at + 1, page) for at, part in enumerate(sections))
    report = Report(event_id, title, start, end, found, name, page.event.details())
    return Reading(report, page.faults.closed(name))


class _Line:
    """A player's line cut into its words."""

    def __init__(self, words: list[str], place: str) -> None:
        self.words, self.place = words, place


class _Part:
    """One section while the lines are read."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self.rows: list[_Line] = []


class _Page:
    """The report while its lines are read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.faults = FaultList()
        self.event = Header()
        self.parts: list[_Part] = []

    def take(self, line: str, place: str) -> None:
        """Take in one line: a heading, a player, or a line of a header."""
        words = line[:_LONGEST_LINE].split()
        if opened := heading(line):
            self.parts.append(_Part(opened))
        elif words and (_ID.fullmatch(words[0]) or sum(map(_is_cell, words)) > 1):
            if not self.parts:
                self.parts.append(_Part(Header()))
            if not line.isprintable():
                message = "The line holds characters that cannot be printed."
                self.faults.append(fault("bad-value", place, message))
            self.parts[-1].rows.append(_Line(words, place))
        elif not self.parts and not states_size(line):
            self.event.take(line)
        else:
            if not self.parts or (self.parts[-1].rows and states_size(line)):
                self.parts.append(_Part(Header()))
            if not self.parts[-1].rows:
                self.parts[-1].header.take(line)


def _is_cell(word: str) -> bool:
    return _CELL.fullmatch(word) is not None


def _section(part: _Part, order: int, page: _Page) -> ReportedSection:
    place = f"{page.name}, section {part.header.number or order}"
    size = part.header.size
    if size is not None and size.players != len(part.rows):
        message = f"The section says that it has {counted(size.players, 'player')}; the report lists {len(part.rows)}."
        page.faults.append(fault("damaged-file", place, message))
    system = SYSTEMS.get(part.header.code("system_code"), RatingSystem.OTBR)
    players = tuple(_player(line, system, page.faults) for line in part.rows)
    empty = ReportedSection(order, "", SectionType.SWISS, False, (), (), None, None, players, place)
    section = described(empty, part.header)
    return section if section.systems else section._replace(systems=(system,))


def _player(line: _Line, system: RatingSystem, faults: list[Fault]) -> ReportedPlayer:
    """The player of a line, read from both its ends; a line that does not fit is a fault and an empty player."""
    words = list(line.words)
    total = float(words.pop()) if _SCORE.fullmatch(words[-1]) and len(words) >= _FEWEST_WORDS else None
    cells: list[ReportedCell] = []
    while words and _is_cell(words[-1]):
        cells.insert(0, _cell(words.pop()))
    figures = [_figures(word) for word in words[-2:]]
    is_whole = len(words) >= _FEWEST_WORDS - 1 and _ID.fullmatch(words[0]) and _NUMBER.fullmatch(words[1])
    if not is_whole or total is None or None in figures:
        message = "The line is not id, pairing number, name, state, two ratings, a cell per round, and the score."
        faults.append(fault("bad-value", line.place, message))
        return ReportedPlayer(None, "", "", tuple(cells), Background(), line.place)
    (before, after), names = figures, words[2:-2]
    has_state = len(names) > 1 and names[-1] in _STATES and not names[-2].endswith(",")
    state = names.pop() if has_state else ""
    name = " ".join(names)
    if len(name) > LONGEST_TEXT:
        faults.append(fault("bad-value", line.place, "The name is too long."))
    return ReportedPlayer(
        number=int(words[1]) or None,
        member_id=words[0],
        name=name if name.isprintable() else "",
        cells=tuple(cells),
        background=Background({system: PlayerRating(*before)} if before else {}),
        place=f"{line.place}, pairing number {words[1]}",
        state=state,
        posted={system: Posted(*after)} if after else {},
        total=total,
    )


def _figures(word: str) -> tuple[float, float | None] | tuple[()] | None:
    """A rating and its games: empty where the player was unrated, ``None`` where the word is no rating."""
    try:
        found = read_rating(word)
    except ValueError:
        return None
    if found.rating is not None and found.rating > HIGHEST_RATING:
        return None
    return (found.rating, found.games) if found.rating else ()


def _cell(word: str) -> ReportedCell:
    return read_cell(word.replace("-", ""))
