"""Wallcharts as people keep them by hand: a row of titles, a row per player, a column per round; read from CSV or TSV.

Lines ``key: value`` may stand above the table (``Event``, ``Start``, ``End``, ``Section``, ``Time control``, ``Type``,
``Online`` …). A line ``Section:`` opens the next section; what stands above the first one belongs to the event. Case
and punctuation of titles and keys do not matter. Lines that begin with ``Note:`` are for people.

What a rating column is taken for: ``Rating`` is the rating used for pairing and never a rating to start from, unless a
column ``Games`` stands beside it. ``Pre-event rating`` is always one, in the system that the line ``Systems`` names
first, else in the Regular system where the time control is 30 minutes or more. ``Quick rating``, ``OTBB rating`` and
their like name their system themselves.
"""

import re
from collections.abc import Mapping, Sequence

from crosstable.catalogue import fault
from crosstable.errors import FormatError, TimeControlError
from crosstable.formats import Reading
from crosstable.formats.background_columns import SYSTEM_WORDS, background_of, column_of
from crosstable.formats.event_json import read_cell
from crosstable.formats.findings import FaultList
from crosstable.formats.json_fields import shown
from crosstable.formats.sheet_rows import Cells, Row, csv_rows, day_of, flag_of, tidy_title
from crosstable.rules.time_controls import parse_time_control, split_schedule
from crosstable.terms import (
    Background,
    Posted,
    RatingSystem,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    Result,
    SectionType,
    Standing,
)

TEMPLATE = """\
Note: Replace everything by your own event. Keys above a table and columns may be left out.
Event: Summer Quads
Event ID: 202608300103
Start: 2026-08-30
End: 2026-08-30
City: Springfield
Section: Reserve
Time control: G/25;d5
Type: swiss
Online: no
Note: Cells are W L D and the opponent's number (colour w or b may follow) or X F B H U Z.
Note: Rating is the pairing rating; what a player is rated from stands in Regular rating and Regular games.
No,Name,ID,State,Rating,Birth date,Regular rating,Regular games,Rd 1,Rd 2,Rd 3,Total
1,"Player, One",12345678,TX,554,2014-02-03,554.22,120,W4w,D2b,H,2
2,"Player, Two",12345679,TX,445,2013-11-20,445.28,21,W3,D1w,B,2.5
3,"Player, Three",12345680,OK,,2015-07-01,,,L2,W4,U,1
4,"Player, Four",12345681,OK,572,2012-01-15,572.53,,L1b,L3,X,1
Section: Open
Time control: 40/90,SD/30;d5
No,Name,ID,Rating,Rd 1
1,"Player, Five",12345682,1803,D2
2,"Player, Six",12345683,1790,D1
"""

LARGEST = 5_000_000
MOST_ROWS = 20_000
MOST_ROUNDS = 200
REGULAR_FROM = 30
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "number": ("no", "number", "num", "nr", "pair", "pair no", "pair number", "pairing", "pairing no", "pairing number"),
    "name": ("name", "player", "player name"),
    "member id": ("id", "uscf id", "us chess id", "uschess id", "member id", "member no", "member number", "uscf"),
    "state": ("state", "st"),
    "rating": ("rating", "rtg", "pairing rating"),
    "pre": ("pre", "pre rating", "pre event rating", "pre event", "rating before"),
    "games": ("games", "pre games", "pre event games", "games before"),
    "total": ("total", "score", "points", "pts", "total pts", "total points"),
    "rate": ("rate",),
    "fide flag": ("fide flag",),
    "member": ("member",),
    "fide opt in": ("fide opt in",),
}
PLAYER_DETAILS = ("title", "sex", "federation", "fide id", "rank", "national rating", "team", "norm")
EVENT_DETAILS = (
    *("affiliate", "city", "state", "zip", "country", "chief td", "assistant td", "other tds", "send crosstable"),
    *("chief arbiter", "deputy arbiters", "federation", "tournament type", "program", "format version"),
)
SECTION_DETAILS = (
    *("chief td", "assistant td", "system code", "type code", "scholastic level", "grand prix", "grand prix points"),
    *("fide", "last pair"),
)
_EVENT_KEYS = {"event": "event", "event name": "event", "event id": "event id"}
_SECTION_KEYS = {
    "section number": "number",
    "time control": "time control",
    "time controls": "time control",
    "type": "type",
    "online": "online",
    "systems": "systems",
    "system": "systems",
    "k factor": "k factor",
    "match waiver": "match waiver",
}
_DATE_KEYS = {"start": "start", "start date": "start", "end": "end", "end date": "end"}
_KINDS = {kind.value.replace("_", " "): kind for kind in SectionType} | {"rr": SectionType.ROUND_ROBIN}
_TITLES = {title: column for column, titles in COLUMNS.items() for title in titles}
_ROUND = re.compile(r"(?:rd|rnd|round|r)?\s*0*(\d{1,3})", re.ASCII)
_KEY = re.compile(r"\s*([A-Za-z][A-Za-z ()-]{1,30}?)\s*:\s*(.*)", re.DOTALL)
_SIGNED = re.compile(r"([+=-])\s*([wb]?)\s*(\d{1,5})\s*([wb]?)", re.ASCII | re.IGNORECASE)
_SIGNS = {"+": "W", "=": "D", "-": "L"}
_POINTS = {"1": "W", "0": "L", "1/2": "D", "0.5": "D", "\N{VULGAR FRACTION ONE HALF}": "D", "=": "D"}
_RATING = re.compile(r"(\d{1,4}(?:\.\d{1,17})?)\s*(?:\*|[P/]\s*(\d{1,3}))?", re.ASCII | re.IGNORECASE)
_UNRATED = frozenset({"", "0", "unr", "unr.", "unrated", "nr", "new", "-", "none"})


def looks_like(data: bytes) -> bool:
    """Whether some row of this text names the columns of a wallchart."""
    try:
        csv_rows(data[:LARGEST], "", title_score)
    except FormatError:
        return False
    return True


def read(data: bytes, name: str) -> Reading:
    """Read a wallchart with commas, semicolons or tabs; raises ``FormatError`` where no row names its columns."""
    if len(data) > LARGEST:
        raise FormatError(fault("not-readable", name, f"The file is larger than {LARGEST // 1_000_000} MB."))
    return read_rows(csv_rows(data, name, title_score), name)


def read_rows(rows: Sequence[Row], name: str) -> Reading:
    """Read a wallchart from its rows."""
    if len(rows) > MOST_ROWS:
        raise FormatError(fault("not-readable", name, f"The wallchart has more than {MOST_ROWS} rows."))
    chart = _Chart(name)
    for row in rows:
        if not row.is_blank:
            chart.take(row)
    return Reading(chart.report(), chart.faults.closed(name))


def title_score(cells: Sequence[str]) -> int:
    """How many columns of a wallchart a row names; 0 where it is no row of titles."""
    found = {_column(cell) for cell in cells} - {""}
    return len(found) if len(found) > 1 and found & {"name", "member id"} else 0


def _column(title: str) -> str:
    """The name under which a column is known here: ``name``, ``round 3``, ``OTBR rating`` …, or nothing."""
    tidy = tidy_title(title)
    if found := _ROUND.fullmatch(tidy):
        return f"round {int(found[1])}" if 1 <= int(found[1]) <= MOST_ROUNDS else ""
    if tidy in PLAYER_DETAILS:
        return tidy
    return _TITLES.get(tidy) or column_of(title)


class _Part:
    """A section while its rows are read."""

    def __init__(self, place: str, name: str = "") -> None:
        self.place, self.name = place, name
        self.values: dict[str, str] = {}
        self.details: dict[str, str] = {}
        self.titles: Sequence[str] = ()
        self.columns: dict[str, int] | None = None
        self.rows: list[Row] = []


class _Chart:
    """The wallchart while its rows are read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.faults = FaultList()
        self.event = _Part(name)
        self.parts: list[_Part] = []

    def take(self, row: Row) -> None:
        """Take in one row that is not blank: a key with its value, the titles, or a player."""
        key, value = _key(row)
        current = self.parts[-1] if self.parts else None
        if key == "section":
            self.parts.append(_Part(row.place, self._printable(value, row)))
        elif key:
            self._take_value(key, self._printable(value, row), row)
        elif title_score(row.cells):
            if current is None or current.columns is not None:
                self.parts.append(_Part(row.place))
            self._take_titles(self.parts[-1], row)
        elif current is not None and current.columns is not None:
            current.rows.append(row)
        else:
            message = f"{shown(next(cell for cell in row.cells if cell.strip()))} is no line 'key: value' that is known."
            self.faults.append(fault("unknown-field", row.place, message))

    def _printable(self, text: str, row: Row) -> str:
        if text.isprintable() and len(text) <= 500:
            return text
        message = "The line is too long or holds characters that cannot be printed."
        self.faults.append(fault("bad-value", row.place, message))
        return ""

    def _take_value(self, key: str, value: str, row: Row) -> None:
        part = self.parts[-1] if self.parts else self.event
        known = SECTION_DETAILS if self.parts else EVENT_DETAILS
        if key in _EVENT_KEYS:
            self.event.values[_EVENT_KEYS[key]] = value
        elif key in _DATE_KEYS:
            part.values[_DATE_KEYS[key]] = self._day(value, row)
        elif key in _SECTION_KEYS:
            part.values[_SECTION_KEYS[key]] = value
        elif key in known and value:
            part.details[key.replace(" ", "_")] = value
        elif key != "note" and key not in known:
            self.faults.append(fault("unknown-field", row.place, f"{key} is not a key that is known here."))

    def _day(self, value: str, row: Row) -> str:
        found = day_of(value)
        if value and found is None:
            self.faults.append(fault("bad-date", row.place, f"{shown(value)} is not a date."))
        return found.isoformat() if found else ""

    def _take_titles(self, part: _Part, row: Row) -> None:
        part.titles, part.columns = row.cells, {}
        for at, title in enumerate(row.cells):
            column = _column(title)
            if column and column in part.columns:
                self.faults.append(fault("bad-value", row.place, f"Two columns are called {shown(title)}."))
            elif column:
                part.columns[column] = at
            elif title.strip():
                message = f"The column {shown(title)} is not known and was ignored."
                self.faults.append(fault("unknown-field", row.place, message))
        rounds = [column for column in part.columns if column.startswith("round ")]
        missing = [number for number in range(1, len(rounds) + 1) if f"round {number}" not in rounds]
        if missing:
            self.faults.append(fault("missing-field", row.place, f"There is no column for round {missing[0]}."))

    def report(self) -> Report:
        """The report of everything that was taken in."""
        values = self.event.values
        sections = tuple(_section(self, part, at) for at, part in enumerate(self.parts, start=1))
        return Report(
            event_id=values.get("event id", ""),
            name=values.get("event", ""),
            start=day_of(values.get("start", "")),
            end=day_of(values.get("end", "")),
            sections=sections,
            place=self.name,
            details=self.event.details,
        )


def _key(row: Row) -> tuple[str, str]:
    """The key of a line ``key: value``, in one cell or two, and its value; nothing where the row is no such line."""
    filled = [cell.strip() for cell in row.cells if cell.strip()]
    found = _KEY.fullmatch(row.cells[0])
    if found is not None and _is_key(tidy_title(found[1])):
        rest = row.separator.join([found[2], *row.cells[1:]]) if row.separator else found[2] or " ".join(filled[1:])
        return tidy_title(found[1]), rest.strip().rstrip(row.separator or " ").strip()
    key = tidy_title(row.cells[0])
    if len(filled) <= 2 and _is_key(key) and filled[0] == row.cells[0].strip():
        return key, filled[1] if len(filled) == 2 else ""
    return "", ""


def _is_key(key: str) -> bool:
    known = (_EVENT_KEYS, _SECTION_KEYS, _DATE_KEYS, EVENT_DETAILS, SECTION_DETAILS, ("section", "note"))
    return any(key in names for names in known)
