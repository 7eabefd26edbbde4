"""The tournament file of SwissSys 11 (``.sjson``), read only.

Only what a rating report needs is looked at: addresses, telephone numbers, birth dates and passcodes stay in the file.
An unfinished section is read as far as it got: results not yet entered and rounds not yet paired are blank, and byes
asked for in rounds to come stand where they will be.
"""

from collections.abc import Sequence
from datetime import date

from crosstable.catalogue import fault
from crosstable.errors import FormatError
from crosstable.formats import Reading
from crosstable.formats.dates import read_day
from crosstable.formats.findings import FaultList
from crosstable.formats.json_fields import Fields, load_json
from crosstable.formats.uschess_rows import tidy_name
from crosstable.limits import HIGHEST_RATING
from crosstable.rules.time_controls import split_schedule
from crosstable.terms import Background, Report, ReportedCell, ReportedPlayer, ReportedSection, Result, SectionType

LARGEST_FILE = 4_000_000
MOST_SECTIONS = 99
MOST_PLAYERS = 10_000
MOST_ROUNDS = 99
MOST_RESULTS = 250_000

_RESULTS = {
    "+": Result.WIN,
    "-": Result.LOSS,
    "=": Result.DRAW,
    "X": Result.FORFEIT_WIN,
    "F": Result.FORFEIT_LOSS,
    "B": Result.FULL_BYE,
    "H": Result.HALF_BYE,
    "U": Result.UNPAIRED,
    "Z": Result.ZERO_BYE,
    "~": Result.BLANK,
    "": Result.BLANK,
}
_SWISS, _ROUND_ROBIN = 0, 1
_NOBODY = "00000000"
_BLANK = ReportedCell("", Result.BLANK, 0, "")
_LONGEST_CELL = 40
_LONGEST_NUMBER = 5


def looks_like(data: bytes) -> bool:
    """Whether these bytes are the JSON of a SwissSys tournament."""
    starts = data[:100].removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")
    return starts and b'"Overview"' in data and b'"Sections"' in data


def read(data: bytes, name: str) -> Reading:
    """Read a tournament; raises ``FormatError`` where it is no JSON or too large."""
    if len(data) > LARGEST_FILE:
        message = f"The file is larger than {LARGEST_FILE // 1_000_000} MB."
        raise FormatError(fault("not-readable", name, message))
    value, found = load_json(data, name)
    faults = FaultList(found)
    root = _Entry(value, "", faults)
    if "Overview" not in root or "Sections" not in root:
        raise FormatError(fault("not-readable", name, "The file is no SwissSys tournament."))
    overview = _Entry(root.raw("Overview"), "the overview", faults)
    report = Report(
        event_id="",
        name=overview.text("Tournament title"),
        start=overview.calendar_day("Starting date", "start-not-read", "Ending date"),
        end=overview.calendar_day("Ending date", "end-not-read", "Starting date"),
        sections=_sections(root.items("Sections"), overview.text("Tournament time controls"), name, faults),
        place=name,
        details=_known(program=overview.text("Program"), format_version=_version(overview)),
    )
    return Reading(report, faults.closed(name))


class _Entry(Fields):
    """An object of the file; its place is told in words."""

    def at(self, name: str) -> str:
        return f"{self.place}, {name}" if self.place else name

    def calendar_day(self, name: str, code: str, other: str) -> date | None:
        """A date as the director typed it; the other date of the event may show the order of day and month."""
        value = self.raw(name)
        if value is None or value == "":
            return None
        try:
            return read_day(str(value), like=str(self.raw(other)))
        except ValueError as error:
            self.report(code, name, str(error))
            return None

    def player_name(self) -> str:
        """The player's name, tidied."""
        value = self.raw("Name")
        tidy = tidy_name(value) if isinstance(value, str) else value
        return _Entry({"Name": tidy}, self.place, self._faults).text("Name")

    def inside(self, words: str, value: object) -> "_Entry":
        """An object within this one."""
        return _Entry(value, f"{self.place}, {words}", self._faults)


def _version(overview: _Entry) -> str:
    exact = overview.text("VersionString")
    number = overview.raw("Version")
    return exact or (str(number)[:20] if isinstance(number, int | float) else "")


def _known(**details: str) -> dict[str, str]:
    return {name: text for name, text in details.items() if text}


def _sections(values: Sequence[object], time_control: str, name: str, faults: FaultList) -> tuple[ReportedSection, ...]:
    if len(values) > MOST_SECTIONS:
        raise FormatError(fault("not-readable", name, f"{len(values)} sections are more than an event can have."))
    entries = [_Entry(value, f"section {at}", faults) for at, value in enumerate(values, 1)]
    players = [entry.items("Players") for entry in entries]
    results = [_length(row.get("Results")) for rows in players for row in rows if isinstance(row, dict)]
    if sum(map(len, players)) > MOST_PLAYERS or sum(results) > MOST_RESULTS:
        raise FormatError(fault("not-readable", name, "There are more players or results than an event can have."))
    sections: list[ReportedSection] = []
    for entry, rows in zip(entries, players, strict=True):
        announced = entry.whole("Number of players")
        if announced == 0 and not rows:
            faults.append(fault("ignored-record", entry.place, "The section has no players and was left out."))
            continue
        if announced != len(rows):
            message = f"{'No' if announced is None else announced} players are announced, but {len(rows)} are listed."
            faults.append(fault("damaged-file", entry.at("Number of players"), message))
        sections.append(_section(entry, rows, len(sections) + 1, time_control))
    return tuple(sections)


def _length(value: object) -> int:
    return len(value) if isinstance(value, list) else 0


def _section(entry: _Entry, rows: Sequence[object], number: int, event_control: str) -> ReportedSection:
    name = entry.text("Section name") or entry.text("Section title")
    entry.place = f"section {number} ({name})" if name else f"section {number}"
    if entry.flag("Blitz"):
        message = "The section is played with two games a round, whose results this file does not tell apart."
        entry.report("bad-value", "Blitz", f"{message} Export the DBF files instead.")
    kind = entry.whole("Type")
    control = entry.text("Section time control") or event_control
    final = entry.whole("Final round", most=MOST_ROUNDS) or 0
    paired = entry.whole("Rounds paired", most=MOST_ROUNDS) or 0
    players = [_player(entry.inside(f"row {at}", row), max(final, paired)) for at, row in enumerate(rows, 1)]
    rounds = max((len(player.cells) for player in players), default=0)
    return ReportedSection(
        number=number,
        name=name,
        kind=SectionType.ROUND_ROBIN if kind == _ROUND_ROBIN else SectionType.SWISS,
        is_online=False,
        time_controls=split_schedule(control) if control else (),
        systems=(),
        start=None,
        end=None,
        players=tuple(_padded(player, rounds) for player in players),
        place=entry.place,
        details=_known(
            rounds=str(final or rounds),
            rounds_paired=str(paired),
            rounds_played=str(entry.whole("Rounds played", most=MOST_ROUNDS) or 0),
            type_code=str(kind) if kind not in (None, _SWISS, _ROUND_ROBIN) else "",
        ),
    )


def _padded(player: ReportedPlayer, rounds: int) -> ReportedPlayer:
    return player._replace(cells=player.cells + (_BLANK,) * (rounds - len(player.cells)))


def _player(entry: _Entry, rounds: int) -> ReportedPlayer:
    number = entry.whole("Pair number", least=1, most=99999)
    if number is None:
        entry.report("missing-field", "Pair number", "The player has no pairing number.")
    else:
        entry.place = f"{entry.place.rpartition(',')[0]}, player {number}"
    member_id = entry.text("ID")
    rating = entry.whole("Rating", most=int(HIGHEST_RATING))
    return ReportedPlayer(
        number=number,
        member_id="" if member_id == _NOBODY else member_id,
        name=entry.player_name(),
        cells=_cells(entry, rounds),
        background=Background(),
        place=entry.place,
        state=entry.text("State"),
        pairing_rating=float(rating) if rating else None,
        details=_known(
            title=entry.text("Player title"),
            team=entry.text("Team"),
            withdrew="yes" if entry.flag("Withdrew") else "",
        ),
    )


def _cells(entry: _Entry, rounds: int) -> tuple[ReportedCell, ...]:
    """A cell per round so far, then the byes asked for in the rounds to come."""
    results = entry.items("Results", needed=True)
    if len(results) > MOST_ROUNDS:
        entry.report("bad-value", "Results", f"{len(results)} results are more than a section can have.")
    cells = [_cell(value) for value in results[:MOST_ROUNDS]]
    byes = _reserved_byes(entry)
    cells += [byes.get(at, _BLANK) for at in range(len(cells) + 1, rounds + 1)]
    return tuple(cells)


def _cell(value: object) -> ReportedCell:
    """A cell such as ``+;9;B;1;9;9;0``: result, opponent, colour, board, two logical opponents, game points."""
    text = "".join(letter if letter.isprintable() else "?" for letter in str(value)[:_LONGEST_CELL]).strip()
    code, opponent, colour, *_ = *(part.strip() for part in text.upper().split(";")), "", "", ""
    result = _RESULTS.get(code)
    if not isinstance(value, str) or result is None or not _is_number(opponent):
        return ReportedCell(text, None, 0, "")
    if result is Result.BLANK:
        return _BLANK
    number = max(int(opponent or 0), 0)
    colour = colour.lower() if colour in ("W", "B") else ""
    return ReportedCell(f"{result.value}{number or ''}{colour}", result, number, colour)


def _is_number(text: str) -> bool:
    """Whether a text is a number, -1 for nobody, or nothing at all."""
    digits = text.removeprefix("-")
    return not text or (digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST_NUMBER)


def _reserved_byes(entry: _Entry) -> dict[int, ReportedCell]:
    """The byes asked for, by round: ``1 2 4z`` are half-point byes in rounds 1 and 2 and a zero-point bye in 4."""
    byes = {}
    for word in entry.text("Reserved byes").split():
        number = word.rstrip("zZ")
        if number.isascii() and number.isdigit() and len(number) <= _LONGEST_NUMBER and len(word) - len(number) < 2:
            result = Result.HALF_BYE if number == word else Result.ZERO_BYE
            byes[int(number)] = ReportedCell(result.value, result, 0, "")
        else:
            entry.report("ignored-record", "Reserved byes", f"{word[:_LONGEST_CELL]!r} is no round; it was left out.")
    return byes
