"""Crosstables as US Chess published them until November 2025: the saved page, or its text.

A player takes two lines, one more for every further system:

    pair | NAME                            |Total|W  12|H    |      letter and opponent's number, one column a round
      ST | 12345678 / R: 1641P17->1657P24  |N:2  |W    |     |      rating before and after; norm; colours
         |            Q: 1540   ->1555     |     |     |     |

``P17`` is a provisional rating on 17 games; without it the rating is established and its games are not published. The
ratings before are ratings, the ratings after are what was posted. A page says how many players each section has. Our
own text has a column ``Rank`` before the first.
"""

import re

from crosstable.errors import FormatError
from crosstable.faults import fault
from crosstable.formats import FaultList, Reading
from crosstable.formats.event_json import read_cell
from crosstable.formats.json_fields import LONGEST_TEXT, in_short
from crosstable.formats.msa_header import SYSTEMS, Header, described, heading, states_size
from crosstable.formats.pages import page_text
from crosstable.notation import read_rating
from crosstable.sentences import counted
from crosstable.terms import (
    POINTS,
    Background,
    PlayerRating,
    Posted,
    RatingSystem,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    Result,
    SectionType,
    total,
)

_SPACES = rb"(?:[ \t]|\xc2\xa0){0,20}"  # copied text often has no-break spaces
_SECOND_LINE = re.compile(rb"\|" + _SPACES + rb"\d{8}" + _SPACES + rb"/")
_MOST_CELLS = 250
_FEWEST_CELLS = 4
_LONGEST_NUMBER = 5
_RULE = re.compile(r"-{10,}")
_MEMBER = re.compile(r"\s*(\d{0,10})\s*/", re.ASCII)
_FIGURE = r"(Unrated|\d{1,4}(?:\.\d{1,4})?\s{0,9}(?:P\s?\d{1,3})?)"
_RATING = re.compile(rf"\b(OR|OQ|OB|R|Q|B)\s?:\s{{0,9}}{_FIGURE}\s{{0,9}}->\s{{0,9}}{_FIGURE}(?![\d.])", re.ASCII)
_STATE = re.compile(r"[A-Za-z]{2,3}", re.ASCII)
_TOTAL = re.compile(r"\d{1,3}(?:\.\d{1,2})?", re.ASCII)
# A forfeit with the result, or the colour, before the opponent: F W10. The letters alone do not tell which it is.
_FORFEIT = re.compile(r"([XF])([WLDB])(\d{1,5})", re.ASCII | re.IGNORECASE)
_NORM = re.compile(r"N:\s?([0-9A-Z])", re.ASCII)


def looks_like(data: bytes) -> bool:
    """Whether this is a published crosstable: some line has a member id and a slash in its second column."""
    return _SECOND_LINE.search(data) is not None


def read(data: bytes, name: str) -> Reading:
    """Read a crosstable; raises ``FormatError`` where the page holds none."""
    text = page_text(data, name)
    page = _Page(name)
    for line in text.lines:
        page.take(line)
    tables = [table for table in page.tables if table.rows]
    if not tables:
        raise FormatError(fault("not-readable", name, "The page holds no crosstable.", "Save the page of a section."))
    if text.is_cut_off:
        page.faults.append(fault("damaged-file", name, "The page ends before its end.", "Save the whole page again."))
    if page.event.sections is not None and len(tables) not in (1, page.event.sections):
        message = f"The page shows {counted(len(tables), 'section')} of {page.event.sections}."
        page.faults.append(fault("damaged-file", name, message, "Save the whole page again."))
    report = _report(page, tables, is_html=text.is_html)
    return Reading(report, page.faults.closed(name))


class _Row:
    """One player while the lines are read."""

    def __init__(self, number: int, place: str) -> None:
        self.number, self.place = number, place
        self.name = self.state = self.norm = ""
        self.member_id: str | None = None
        self.total: float | None = None
        self.cells: list[str] = []
        self.colours: list[str] = []
        self.standings: dict[RatingSystem, PlayerRating] = {}
        self.posted: dict[RatingSystem, Posted] = {}


class _Table:
    """One section while the lines are read."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self.columns: int | None = None
        self.rows: list[_Row] = []
        self.is_open = False


class _Page:
    """The whole page while its lines are read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.faults = FaultList()
        self.event = Header()
        self.tables: list[_Table] = []
        self.in_titles = self.has_ranks = False

    def take(self, line: str) -> None:
        """Take in one line: a line of the table, a heading, or a line of a header."""
        if "|" in line:
            cells = line.split("|", _MOST_CELLS)
            first = cells[0].strip().lower()
            self.has_ranks = first == "rank" or (self.has_ranks and first != "pair")
            self._take_cells(cells[1:] if self.has_ranks else cells)
        elif opened := heading(line):
            self.tables.append(_Table(opened))
        elif not self.tables and not states_size(line):
            self.event.take(line)
        else:
            table = self._with_room() if states_size(line) else self.tables[-1]
            if _RULE.fullmatch(line.strip()):
                table.is_open = False
            elif not table.rows:
                table.header.take(line)

    def _with_room(self) -> _Table:
        """The table that a header opens: the last one while it has no rows, else a new one without a heading."""
        if not self.tables or self.tables[-1].rows:
            self.tables.append(_Table(Header()))
        return self.tables[-1]

    def _take_cells(self, cells: list[str]) -> None:
        first = cells[0].strip()
        is_second = first.lower() == "num"
        if self.in_titles != is_second:  # the two lines of titles stand together or not at all
            self._stray()
        self.in_titles = first.lower() == "pair"
        if self.in_titles:
            if self.tables and self.tables[-1].is_open:
                self._stray()
            self._with_room().columns = sum(bool(cell.strip()) for cell in cells[3:])
        elif is_second or not self._is_whole(cells):
            return  # the second line of the titles, links with bars between them, or the stump of a line
        elif first.isascii() and first.isdigit() and len(first) <= _LONGEST_NUMBER:
            self._first_line(self.tables[-1] if self.tables else self._with_room(), int(first), cells)
        elif self.tables and self.tables[-1].is_open:
            self._further_line(self.tables[-1].rows[-1], cells)
        elif self.tables and (self.tables[-1].rows or self.tables[-1].columns is not None):
            self._stray()

    def _stray(self) -> None:
        rows = self.tables[-1].rows if self.tables else []
        place = rows[-1].place if rows else self.name
        message = "A line of the table stands where it belongs to nobody, or ends too early."
        self.faults.append(fault("damaged-file", place, message, "Save the whole page again."))

    def _is_whole(self, cells: list[str]) -> bool:
        """Whether a line has enough cells for one of a table; within a table, one that has not is damage."""
        is_whole = len(cells) >= _FEWEST_CELLS
        table = self.tables[-1] if self.tables else _Table(Header())
        has_begun = table.columns is not None and cells[0].strip().isdigit()
        if not is_whole and (table.is_open or has_begun):
            self._stray()
        return is_whole

    def _first_line(self, table: _Table, number: int, cells: list[str]) -> None:
        section = table.header.number or len(self.tables)
        row = _Row(number, f"{self.name}, section {section}, pairing number {number}")
        table.rows.append(row)
        table.is_open = True
        row.cells = cells[3:] if cells[-1].strip() else cells[3:-1]
        if table.columns is None:
            table.columns = len(row.cells)
        if len(row.cells) != table.columns:
            message = f"The row has {len(row.cells)} columns for rounds, the table has {table.columns}."
            self.faults.append(fault("damaged-file", row.place, message))
        row.name = " ".join(part for part in cells[1].split(" ") if part)
        if not row.name.isprintable() or len(row.name) > LONGEST_TEXT:
            self._bad(row, "The name is too long or holds characters that cannot be printed.")
            row.name = ""
        total = cells[2].strip()
        if _TOTAL.fullmatch(total):
            row.total = float(total)
        elif total:
            self._bad(row, f"The total {in_short(total)} is no number.")

    def _further_line(self, row: _Row, cells: list[str]) -> None:
        state, middle = cells[0].strip(), cells[1]
        if _STATE.fullmatch(state) and not row.state:
            row.state = state
        elif state:
            self._bad(row, f"{in_short(state)} is no state.")
        if member := _MEMBER.match(middle):
            row.member_id, middle = member[1], middle[member.end() :]
        for rating in _RATING.finditer(middle):
            self._take_rating(row, rating)
        if left := _RATING.sub("", middle).strip():
            self._bad(row, f"{in_short(left)} is no rating like 'R: 1641P17->1657P24'.")
        self._take_marks(row, cells[2:])

    def _take_rating(self, row: _Row, found: re.Match[str]) -> None:
        system = SYSTEMS[found[1]]
        before, after = read_rating(found[2]), read_rating(found[3])
        if system in row.standings or system in row.posted:
            self._bad(row, f"The {system.title} rating stands twice.")
            return
        if before.rating is not None:
            row.standings[system] = PlayerRating(before.rating, before.games)
        if after.rating is not None:
            row.posted[system] = Posted(after.rating, after.games)

    def _take_marks(self, row: _Row, cells: list[str]) -> None:
        """The norm under the total, the colours under the rounds."""
        norm = cells[0].strip()
        if found := _NORM.fullmatch(norm):
            row.norm = found[1]
        colours = [cell.strip() for cell in cells[1:]]
        if (norm and not found) or not set(colours) <= {"", "W", "B"}:
            message = "A mark under the total or a round is neither a norm nor a colour."
            self.faults.append(fault("ignored-record", row.place, message))
        if any(colours) and not row.colours:
            row.colours = colours

    def _bad(self, row: _Row, message: str) -> None:
        self.faults.append(fault("bad-value", row.place, message))


def _report(page: _Page, tables: list[_Table], *, is_html: bool) -> Report:
    event_id, name = page.event.identity()
    start, end = page.event.days()
    sections = [_section(page, table, at + 1, is_html=is_html) for at, table in enumerate(tables)]
    return Report(event_id, name, start, end, tuple(sections), page.name, page.event.details())


def _section(page: _Page, table: _Table, order: int, *, is_html: bool) -> ReportedSection:
    place = f"{page.name}, section {table.header.number or order}"
    size = table.header.size
    if size is not None and size.players != len(table.rows):
        message = f"The section says that it has {counted(size.players, 'player')}; the page lists {len(table.rows)}."
        page.faults.append(fault("damaged-file", place, message, "Save the whole page again."))
    if size is None and is_html:
        message = "The section does not say how many players it has."
        page.faults.append(fault("damaged-file", place, message, "Save the whole page again."))
    for row in table.rows:
        if row.member_id is None:
            message = "The second line of the player, with the member id and the ratings, is missing."
            page.faults.append(fault("missing-field", row.place, message, "Save the whole page again."))
    players = tuple(_player(row) for row in table.rows)
    empty = ReportedSection(order, "", SectionType.SWISS, False, (), (), None, None, players, place)
    section = described(empty, table.header)
    return _with_columns_as_opponents(section) if section.kind is SectionType.ROUND_ROBIN else section


def _player(row: _Row) -> ReportedPlayer:
    return ReportedPlayer(
        number=row.number or None,
        member_id=row.member_id or "",
        name=row.name,
        cells=_cells(row),
        background=Background(row.standings),
        place=row.place,
        state=row.state,
        posted=row.posted,
        total=row.total,
        details={"norm": row.norm} if row.norm else {},
    )


def _cells(row: _Row) -> tuple[ReportedCell, ...]:
    """The cells of a row; what ``F W10`` is, lost with White or won, the player's total settles. It is not rated."""
    colours = [*row.colours, *[""] * len(row.cells)]
    lost, won = (
        tuple(_cell(cell, colour, forfeit) for cell, colour in zip(row.cells, colours, strict=False))
        for forfeit in (Result.FORFEIT_LOSS, Result.FORFEIT_WIN)
    )
    return won if lost != won and row.total == _points(won) else lost


def _points(cells: tuple[ReportedCell, ...]) -> float:
    return total(POINTS.get(cell.result or Result.BLANK, 0.0) for cell in cells)


def _cell(written: str, colour: str, forfeit: Result) -> ReportedCell:
    """A cell with the colour that stands under it; ``*****`` is the own column, ``B  YE`` a bye written out."""
    tidy = "".join(written.split())
    if found := _FORFEIT.fullmatch(tidy):
        kind, second = found[1].upper(), found[2].upper()
        letter = {"XL": "F", "FL": "F", "XD": "Y", "FD": "Y", "FW": forfeit.value}.get(kind + second, kind)
        tidy = f"{letter}{found[3]}"
    if tidy and not tidy.strip("*"):
        tidy = "*"
    cell = read_cell("B" if tidy.upper() == "BYE" else tidy)
    return read_cell(f"{cell.text}{colour}") if cell.opponent and not cell.colour else cell


def _with_columns_as_opponents(section: ReportedSection) -> ReportedSection:
    """A round robin whose games name no opponent: the column belongs to the player whose own column it is."""
    owners = {
        at: player.number
        for player in section.players
        for at, cell in enumerate(player.cells)
        if cell.result is Result.OWN_COLUMN and player.number is not None
    }
    players = []
    for player in section.players:
        cells = list(player.cells)
        for at, cell in enumerate(cells):
            owner = owners.get(at)
            if cell.result is not None and cell.result.is_game and not cell.opponent and owner:
                cells[at] = read_cell(f"{cell.text[:1]}{owner}{cell.colour}")
        players.append(player._replace(cells=tuple(cells)))
    return section._replace(players=tuple(players))
