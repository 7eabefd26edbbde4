"""Wallcharts as people keep them by hand: a row of titles, a row per player, a column per round; read from CSV or TSV.

Lines ``key: value`` may stand above the table (``Event``, ``Start``, ``End``, ``Section``, ``Time control``, ``Type``,
``Online`` …). A line ``Section:`` opens the next section; what stands above the first one belongs to the event or, a
time control for example, to every section that says nothing else. Case and punctuation of titles and keys do not
matter. Lines that begin with ``Note:`` are for people. In a round robin a cell may hold the mere result (``W``, ``1``,
``1/2``): the column is the opponent.

What a rating column is taken for: ``Rating`` is the rating used for pairing and never a rating to start from, unless a
column ``Games`` stands beside it. ``Pre-event rating`` is always one, in the system that the line ``Systems`` names
first, else in the Regular system where the time control is 30 minutes or more. ``Quick rating``, ``OTBB rating`` and
their like name their system themselves.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date

from crosstable.errors import FormatError, TimeControlError
from crosstable.faults import fault
from crosstable.formats import FaultList, Reading
from crosstable.formats.columns import (
    OTHER_LINES,
    OUTSIDE,
    SECTION,
    SYSTEM_WORDS,
    brings_ratings,
    has_ratings,
    opens_table,
    rounds_of,
    title_score,
    titles_of,
    with_numbered_grids,
)
from crosstable.formats.dates import read_day, read_span
from crosstable.formats.game_list import expanded
from crosstable.formats.game_list import title_score as games_score
from crosstable.formats.json_fields import LONGEST_TEXT, in_short
from crosstable.formats.pages import UTF_16, decoded
from crosstable.formats.refused_columns import refuse_unnamed, settled
from crosstable.formats.sheet_rows import Row, csv_rows, flag_of, separator_of, tidy_title
from crosstable.formats.wallchart_players import Table, dialect_of, empty_of, numbered, pending_of
from crosstable.rules.time_controls import parse_time_control, split_schedule
from crosstable.terms import (
    NOT_GIVEN,
    PAIRING_GAMES,
    RATINGS,
    UNNAMED,
    PlayerRating,
    RatingSystem,
    Report,
    ReportedPlayer,
    ReportedSection,
    SectionType,
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
"Time control: 40/90,SD/30;d5"
No,Name,ID,Rating,Rd 1
1,"Player, Five",12345682,1803,D2
2,"Player, Six",12345683,1790,D1
"""

LARGEST = 5_000_000
MOST_ROWS = 10_000
REGULAR_FROM = 30
EVENT_DETAILS = (
    *("affiliate", "city", "state", "zip", "country", "chief td", "assistant td", "other tds", "send crosstable"),
    *("chief arbiter", "deputy arbiters", "federation", "tournament type", "program", "format version"),
)
SECTION_DETAILS = (
    *("chief td", "assistant td", "system code", "type code", "scholastic level", "grand prix", "grand prix points"),
    *("fide", "last pair"),
)
_LOOKED_AT = 100_000
_FEWEST_CELLS = 3
_LONGEST_HEADING = 40
EVENT_KEYS = {
    **dict.fromkeys(("event", "event name", "tournament", "tournament name"), "event"),
    "event id": "event id",
}
SECTION_KEYS = {
    "time control": "time control",
    "time controls": "time control",
    "type": "type",
    "online": "online",
    "systems": "systems",
    "system": "systems",
    "k factor": "k factor",
    "match waiver": "match waiver",
    "section number": "number",
    "start": "start",
    "start date": "start",
    "end": "end",
    "end date": "end",
    **dict.fromkeys(("date", "dates", "event date", "event dates"), "dates"),
}
_OTHER_KEYS = ("section", "note")
_OWN_ALONE = ("number", "start", "end", "dates")
_FIRST_LINE = "from the tournament database of chess results"
KINDS = {kind.value.replace("_", " "): kind for kind in SectionType} | {"rr": SectionType.ROUND_ROBIN}
_WITHDRAWN = re.compile(r"\((?:withdrawn|withdrew|w/d|wd)\)", re.IGNORECASE)
_BYES = ("", "H", "B", "Z")  # what an entry list may have in its rounds
_KEY = re.compile(r"\s*([A-Za-z][A-Za-z ()-]{1,30}?)\s*:\s*(.*)", re.DOTALL)


def looks_like(data: bytes) -> bool:
    """Whether one of the first rows of this text names the columns of a wallchart."""
    try:
        return bool(separator_of(decoded(_first(data), ""), table_score))
    except FormatError:
        return False


def _first(data: bytes) -> bytes:
    """The first part of a file, cut where no letter of UTF-8 or UTF-16 is."""
    cut = data[:_LOOKED_AT]
    return cut if len(data) <= _LOOKED_AT or data.startswith(UTF_16) else cut[: cut.rfind(b"\n") + 1] or cut


def table_score(cells: Sequence[str]) -> int:
    """How many columns of a wallchart or of a list of games a row names; 0 where it names none."""
    return title_score(cells) or games_score(cells)


def read(data: bytes, name: str) -> Reading:
    """Read a wallchart with commas, semicolons or tabs; raises ``FormatError`` where no row names its columns."""
    if len(data) > LARGEST:
        raise FormatError(fault("not-readable", name, f"The file is larger than {LARGEST // 1_000_000} MB."))
    return read_rows(csv_rows(data, name, table_score, MOST_ROWS), name)


def read_rows(rows: Sequence[Row], name: str) -> Reading:
    """Read a wallchart from its rows."""
    chart = _Chart(name)
    for row in with_numbered_grids(expanded(rows, chart.faults)):
        if not row.is_blank:
            chart.take(row)
            chart.last = row
    return Reading(chart.report(), chart.faults.closed(name))


class _Part:
    """A section, or the event above all sections, while the rows are read."""

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
        self.is_chess_results = False
        self.parts: list[_Part] = []
        self.last: Row | None = None

    def take(self, row: Row) -> None:
        """Take in one row that is not blank: a key with its value, the titles, or a player."""
        table = self.parts[-1] if self.parts and self.parts[-1].columns is not None else None
        key, value = _key(row, in_table=table is not None)
        if key and not (value.isprintable() and len(value) <= LONGEST_TEXT):
            message = "The line is too long or holds characters that cannot be printed."
            self.faults.append(fault("bad-value", row.place, message))
            value = ""
        if key == "section":
            self.parts.append(_Part(row.place, value))
        elif key:
            self._take_value(key, value, row)
        elif table is not None and row.is_alone and OTHER_LINES.fullmatch(tidy_title(row.cells[0])):
            pass
        elif title_score(row.cells) if table is None else opens_table(row.cells):
            self._take_titles(row)
        elif table is not None and not (_KEY.fullmatch(row.cells[0]) and self._is_heading(row)):
            table.rows.append(row)
        elif not self._is_heading(row):
            self._refuse(row, is_loss=sum(bool(cell.strip()) for cell in row.cells) >= _FEWEST_CELLS)

    def _refuse(self, row: Row, *, is_loss: bool) -> None:
        message = f"{_first_text(row)} is neither a key that is known nor part of a table."
        remedy = "Write Section: before the name of a section, Note: before a remark."
        self.faults.append(fault("bad-value" if is_loss else "unknown-field", row.place, message, remedy))

    def _is_heading(self, row: Row) -> bool:
        """Whether a line above a table is one of chess-results, whose second line is the event's name."""
        first = tidy_title(row.cells[0])
        if not self.parts and first.startswith(_FIRST_LINE):
            self.is_chess_results = True
        elif self.is_chess_results and not self.parts and "event" not in self.event.values:
            self.event.values["event"] = row.cells[0].strip()
        return (not self.parts and self.is_chess_results and row.is_alone) or OTHER_LINES.fullmatch(first) is not None

    def _take_titles(self, row: Row) -> None:
        if not self.parts or self.parts[-1].columns is not None:
            self.parts.append(_Part(row.place, self._heading()))
        part = self.parts[-1]
        part.titles, part.columns = row.cells, titles_of(row, self.faults)

    def _heading(self) -> str:
        """The name of a section that stands alone between the players of the last one and the titles."""
        last = self.parts[-1] if self.parts else None
        if last is None or self.last is None or not last.rows or last.rows[-1] is not self.last:
            return ""
        row, text = self.last, self.last.cells[0].strip()
        if not (row.is_alone and _is_remark(row, last)) or len(text) > _LONGEST_HEADING or ":" in text:
            return ""
        last.rows.pop()
        return text

    def _take_value(self, key: str, value: str, row: Row) -> None:
        part = self.parts[-1] if self.parts else self.event
        known = SECTION_DETAILS if self.parts else EVENT_DETAILS
        if key in EVENT_KEYS:
            self.event.values[EVENT_KEYS[key]] = value
        elif key in SECTION_KEYS:
            part.values[SECTION_KEYS[key]] = value
        elif key in known:
            part.details |= {key.replace(" ", "_"): value} if value else {}
        elif key != "note":
            message = f"{key} is not a key of {'a section' if self.parts else 'an event'}."
            self.faults.append(fault("unknown-field", row.place, message))

    def report(self) -> Report:
        """The report of everything that was taken in."""
        event = self.event
        return Report(
            event_id=event.values.get("event id", ""),
            name=event.values.get("event", ""),
            start=self.day(event, "start"),
            end=self.day(event, "end"),
            sections=tuple(_section(self, part, at) for at, part in enumerate(self._parts(), start=1)),
            place=self.name,
            details=event.details,
        )

    def _parts(self) -> list[_Part]:
        """The sections: those that lines name, each split where a column says who plays in which."""
        for at, part in enumerate(self.parts, start=1):
            is_last = at == len(self.parts) or self.parts[at].name
            while part.rows and _is_remark(part.rows[-1], part):
                row = part.rows.pop()
                if is_last:
                    message = f"{_first_text(row)} was taken for a remark."
                    self.faults.append(fault("ignored-record", row.place, message))
                else:
                    self._refuse(row, is_loss=True)
            for row in (row for row in part.rows if _KEY.fullmatch(row.cells[0])):
                self._refuse(row, is_loss=True)
            part.rows = [row for row in part.rows if not _KEY.fullmatch(row.cells[0])]
        return [split for part in self.parts for split in _by_section(part, self.faults)]

    def value(self, part: _Part, key: str) -> str:
        """What a section says under a key, or what the event says for all of them."""
        return part.values.get(key) or ("" if key in _OWN_ALONE else self.event.values.get(key, ""))

    def bad(self, part: _Part, code: str, message: str) -> None:
        """Collect a fault about a section."""
        self.faults.append(fault(code, part.place, message))

    def day(self, part: _Part, key: str) -> date | None:
        """The day under a key."""
        text = part.values.get(key, "")
        other = part.values.get("end" if key == "start" else "start", "")
        both = part.values.get("dates", "")
        try:
            if both and not text:
                return read_span(both)[key == "end"]
            return read_day(text, like=other) if text else None
        except ValueError as error:
            self.bad(part, f"{key}-not-read", f"{key.capitalize()}: {error}")
            return None


def _key(row: Row, *, in_table: bool) -> tuple[str, str]:
    """The key of a line ``key: value``, in one cell or two, and its value; nothing where the row is no such line.

    Above a table the colon may be missing.
    """
    found = _KEY.fullmatch(row.cells[0])
    key = tidy_title(found[1] if found else row.cells[0])
    if not _is_key(key):
        return "", ""
    pieces = [found[2] if found else "", *row.cells[1:]]
    while pieces and not pieces[-1].strip():
        pieces.pop()
    if found is None and (in_table or len(pieces) > 2):
        return "", ""
    if pieces and not pieces[0].strip():
        pieces.pop(0)
    return key, (row.separator or " ").join(pieces).strip()


def _first_text(row: Row) -> str:
    return in_short(next(cell for cell in row.cells if cell.strip()))


def _is_remark(row: Row, table: _Part) -> bool:
    """Whether a row below the players is a sum or a remark: others have a number and results, it has neither."""
    columns = table.columns or {}
    rounds = [place for name, place in columns.items() if name.startswith("round ")]
    held = [row.cells[at].strip() for at in (columns.get("number", -1), *rounds) if 0 <= at < len(row.cells)]
    is_apart = row.is_alone and not row.cells[0].strip()[:1].isdigit()
    return "number" in columns and bool(rounds) and (is_apart or not any(held))


def _is_key(key: str) -> bool:
    return any(key in known for known in (EVENT_KEYS, SECTION_KEYS, EVENT_DETAILS, SECTION_DETAILS, _OTHER_KEYS))


def _by_section(part: _Part, faults: FaultList) -> list[_Part]:
    """The sections of a table by its column of sections, without entries that were withdrawn."""
    columns = part.columns or {}
    nobody = [row for row in part.rows if not any("".join(row.cells[at : at + 1]).strip() for at in columns.values())]
    faults.extend(fault("ignored-record", row.place, "The row has nothing in a known column.") for row in nobody)
    part.rows = [row for row in part.rows if row not in nobody]
    rounds = [place for name, place in columns.items() if name.startswith("round ")]
    if all(cell.strip().upper() in _BYES for row in part.rows for at in rounds for cell in row.cells[at : at + 1]):
        gone = [row for row in part.rows if any(map(_WITHDRAWN.search, row.cells))]
        faults.extend(fault("ignored-record", row.place, "The entry was withdrawn and was left out.") for row in gone)
        part.rows = [row for row in part.rows if row not in gone]
    at = columns.pop(SECTION, None)
    groups: dict[str, list[Row]] = {}
    for row in part.rows:
        name = row.cells[at].strip() if at is not None and at < len(row.cells) else ""
        groups.setdefault(name, []).append(row)
    if list(groups) in ([], [""]):
        return [part]
    made = []
    for name, rows in groups.items():
        one = _Part(rows[0].place, name if name.isprintable() and len(name) <= LONGEST_TEXT else part.name)
        one.values, one.details, one.titles = part.values, dict(part.details), part.titles
        one.columns, one.rows = _own_rounds(columns, rows), rows
        made.append(one)
    return made


def _own_rounds(columns: Mapping[str, int], rows: Sequence[Row]) -> dict[str, int]:
    """The columns without the last rounds, where nobody of the section has anything: others of the table played on."""
    kept = dict(columns)
    for column in range(rounds_of(columns), 0, -1):
        at = columns.get(f"round {column}")
        if at is not None and any("".join(row.cells[at : at + 1]).strip() for row in rows):
            return kept
        kept.pop(f"round {column}", None)
    return dict(columns)


def _section(chart: _Chart, part: _Part, order: int) -> ReportedSection:
    kind, systems = _kind(chart, part), _systems(chart, part)
    is_online = flag_of(chart.value(part, "online") or "no")
    if is_online is None:
        chart.bad(part, "wrong-type", "Online is neither yes nor no.")
    control = chart.value(part, "time control")
    if part.columns is None:
        chart.bad(part, "missing-field", "The section has no row of titles, so it has no players.")
    titles, columns = settled(part.titles, part.columns or {}, part.rows, part.place, chart.faults)
    controls = split_schedule(control) if control else ()
    main = _main_system(systems, controls, is_online=bool(is_online))
    if main is None and brings_ratings(columns):
        part.details[RATINGS] = UNNAMED
    said = None if not chart.value(part, "type") else kind is SectionType.ROUND_ROBIN
    table = Table(titles, columns, part.rows, main, dialect_of(columns, part.rows, is_round_robin=said))
    if table.dialect.columns_are_opponents:
        kind = SectionType.ROUND_ROBIN
    if pending := pending_of(table):
        chart.faults.append(fault("result-missing:paired", part.place, count=pending))
    if empty := empty_of(table):
        chart.faults.append(fault("result-missing:empty", part.place, cells=empty))
    rated = set(systems) or _possible_systems(controls)
    refuse_unnamed(columns, Row(part.place, tuple(part.titles)), part.rows, rated, chart.faults)
    if part.columns is not None and not has_ratings(columns):
        part.details[RATINGS] = NOT_GIVEN
    return ReportedSection(
        number=_number(chart, part, order),
        name=part.name,
        kind=kind,
        is_online=bool(is_online),
        time_controls=controls,
        systems=systems,
        start=chart.day(part, "start"),
        end=chart.day(part, "end"),
        players=numbered(table, chart.faults),
        place=part.place,
        is_half_k=_is_half_k(chart, part),
        match_waiver=chart.value(part, "match waiver"),
        details=part.details,
    )


def _possible_systems(controls: Sequence[str]) -> set[RatingSystem]:
    """The systems that a section with this time control may be rated in; none where it is not understood."""
    main = _main_system((), controls, is_online=False)
    if main is not None:
        return {RatingSystem.OTBR, RatingSystem.OLR}
    try:
        [parse_time_control(each) for each in controls]
    except (TimeControlError, ValueError):
        return set()
    return set(RatingSystem) - {RatingSystem.OTBR, RatingSystem.OLR} if controls else set()


def _number(chart: _Chart, part: _Part, order: int) -> int | None:
    text = chart.value(part, "number")
    if not text:
        return order
    if text.isascii() and text.isdigit() and 1 <= len(text) <= 4 and int(text):
        return int(text)
    chart.bad(part, "wrong-type", f"The section number {in_short(text)} is no number.")
    return None


def _kind(chart: _Chart, part: _Part) -> SectionType:
    text = chart.value(part, "type")
    kind = KINDS.get(tidy_title(text) or "swiss")
    if kind is None:
        chart.bad(part, "bad-value", f"The type {in_short(text)} is none of {', '.join(KINDS)}.")
    return kind or SectionType.SWISS


def _is_half_k(chart: _Chart, part: _Part) -> bool:
    text = chart.value(part, "k factor").lower()
    if text not in ("", "full", "half"):
        chart.bad(part, "bad-value", f"The K factor {in_short(text)} is neither full nor half.")
    return text == "half"


def _systems(chart: _Chart, part: _Part) -> tuple[RatingSystem, ...]:
    systems = []
    for word in re.split(r"[,;/+]| and ", chart.value(part, "systems")):
        name = SYSTEM_WORDS.get(tidy_title(word), "")
        if name and name not in OUTSIDE:
            systems.append(RatingSystem[name])
        elif word.strip():
            chart.bad(part, "bad-value", f"{in_short(word.strip())} is no rating system.")
    return tuple(dict.fromkeys(systems))


def with_named_system(section: ReportedSection) -> ReportedSection:
    """A section whose ratings from before the event are of the system that its time control tells, where it does."""
    system = _main_system(section.systems, section.time_controls, is_online=section.is_online)
    if system is None or section.details.get(RATINGS) != UNNAMED:
        return section
    details = {name: text for name, text in section.details.items() if name != RATINGS}
    return section._replace(players=tuple(_in_system(player, system) for player in section.players), details=details)


def _in_system(player: ReportedPlayer, system: RatingSystem) -> ReportedPlayer:
    games = player.details.get(PAIRING_GAMES, "")
    details = {name: text for name, text in player.details.items() if name != PAIRING_GAMES}
    if not player.pairing_rating:
        return player
    before = PlayerRating(player.pairing_rating, float(games) if games.isdecimal() else None)
    background = player.background._replace(standings={system: before, **player.background.standings})
    return player._replace(background=background, pairing_rating=None, details=details)


def _main_system(systems: tuple[RatingSystem, ...], controls: Sequence[str], *, is_online: bool) -> RatingSystem | None:
    """The system whose ratings a column without a system holds, where that is sure."""
    if systems:
        return systems[0]
    try:
        slowest = max(parse_time_control(each).total for each in controls)
    except (TimeControlError, ValueError):
        return None
    regular = RatingSystem.OLR if is_online else RatingSystem.OTBR
    return regular if slowest >= REGULAR_FROM else None
