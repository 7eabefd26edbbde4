"""The files of SwissSys 11, read only: the tournament file (``.sjson``) and the web report (JSON).

Only what a rating report needs is looked at: addresses, telephone numbers, birth dates and passcodes stay in the file.
An unfinished section is read as far as it got: results not yet entered and rounds not yet paired are blank, and byes
asked for in rounds to come stand where they will be. A player without results, as in an entry list, has blanks.

A section of double rounds (``Blitz``) holds a cell for each game: two cells in a row with the same opponent. A FIDE
event may hold FIDE's id and rating first and those of US Chess second (``ID2``, ``Rating2``); where the second ids have
the eight digits of US Chess and first ones have not, the second ones are read.

The web report of SwissSys 11 (JSON), as it is sent to sites that show pairings and standings; read only. A player's
number is their place in the list. Each player brings a result, a colour and an opponent for every round. The lists of
pairings beside them leave games out where a board is used twice, so they are read only where the opponents do not
agree: one program lists the players by standings and numbers the opponents otherwise. The file names the first day
alone, no time control, and ratings that SwissSys estimated (``post``), which are not read.
"""

from collections.abc import Mapping, Sequence
from datetime import date

from crosstable.errors import FormatError
from crosstable.faults import fault
from crosstable.formats import FaultList, Reading
from crosstable.formats.dates import read_day
from crosstable.formats.json_fields import Fields, load_json
from crosstable.limits import HIGHEST_RATING, MEMBER_ID_DIGITS
from crosstable.notation import read_member_id
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
_SWISS = 0
_ROUND_ROBINS = (1, 3)
_BREAKS = str.maketrans("\t\r\n", "   ")
BLANK = ReportedCell("", Result.BLANK, 0, "")
_LONGEST_CELL = 40
_LONGEST_NUMBER = 5

_WEB_RESULTS = {letter: Result(letter) for letter in "WLDXFBHU"}
_IDS = ("id1", "id2")


def looks_like(data: bytes) -> bool:
    """Whether these bytes are the JSON of a SwissSys tournament."""
    starts = data[:100].removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")
    return starts and b'"Overview"' in data and b'"Sections"' in data


def read(data: bytes, name: str) -> Reading:
    """Read a tournament; raises ``FormatError`` where it is no JSON or too large."""
    if len(data) > LARGEST_FILE:
        message = f"The file is larger than {LARGEST_FILE // 1_000_000} MB."
        raise FormatError(fault("not-readable", name, message))
    value, found = load_json(data, name, strict=False)
    faults = FaultList(found)
    root = Entry(value, "", faults)
    if "Overview" not in root or "Sections" not in root:
        raise FormatError(fault("not-readable", name, "The file is no SwissSys tournament."))
    overview = Entry(root.raw("Overview"), "the overview", faults)
    report = Report(
        event_id="",
        name=overview.text("Tournament title"),
        start=overview.calendar_day("Starting date", "start-not-read", "Ending date"),
        end=overview.calendar_day("Ending date", "end-not-read", "Starting date"),
        sections=_sections(root.items("Sections"), overview.text("Tournament time controls"), name, faults),
        place=name,
        details=known(program=overview.text("Program"), format_version=_version(overview)),
    )
    return Reading(report, faults.closed(name))


class Entry(Fields):
    """An object of the file; its place is told in words."""

    def at(self, name: str) -> str:
        """The place of a field."""
        return f"{self.place}, {name}" if self.place else name

    def calendar_day(self, name: str, code: str, other: str = "") -> date | None:
        """A date as the director typed it; the other date of the event may show the order of day and month."""
        value = self.raw(name)
        if value is None or value == "":
            return None
        try:
            return read_day(str(value), like=str(self.raw(other) or ""))
        except ValueError as error:
            self.report(code, name, str(error))
            return None

    def raw(self, name: str) -> object:
        """The value; line breaks and tabulators within a text are blanks."""
        value = super().raw(name)
        return value.translate(_BREAKS) if isinstance(value, str) else value

    def player_name(self, name: str) -> str:
        """A name, with one blank after its comma."""
        last, comma, first = self.text(name).partition(", ")
        return f"{last}{comma}{first.strip()}"

    def inside(self, words: str, value: object) -> "Entry":
        """An object within this one."""
        return Entry(value, f"{self.place}, {words}", self._faults)


def _version(overview: Entry) -> str:
    exact = overview.text("VersionString")
    number = overview.raw("Version")
    return exact or (str(number)[:20] if isinstance(number, int | float) else "")


def known(**details: str) -> dict[str, str]:
    """The details that hold something."""
    return {name: text for name, text in details.items() if text}


def _sections(values: Sequence[object], time_control: str, name: str, faults: FaultList) -> tuple[ReportedSection, ...]:
    found = filled_sections(values, name, faults, ("Players", "Results"))
    fide_first = is_fide_first([row for _, rows in found for row in rows])
    return tuple(
        _section(entry, rows, at, time_control, fide_first=fide_first) for at, (entry, rows) in enumerate(found, 1)
    )


def filled_sections(
    values: Sequence[object], name: str, faults: FaultList, fields: tuple[str, str]
) -> list[tuple["Entry", list[object]]]:
    """The sections that have players, each with its rows; raises where they are more than an event can have."""
    if len(values) > MOST_SECTIONS:
        raise FormatError(fault("not-readable", name, f"{len(values)} sections are more than an event can have."))
    entries = [Entry(value, f"section {at}", faults) for at, value in enumerate(values, 1)]
    found = [(entry, entry.items(fields[0], needed=True)) for entry in entries]
    results = [_length(row.get(fields[1])) for _, rows in found for row in rows if isinstance(row, dict)]
    if sum(len(rows) for _, rows in found) > MOST_PLAYERS or sum(results) > MOST_RESULTS:
        raise FormatError(fault("not-readable", name, "There are more players or results than an event can have."))
    for entry, rows in found:
        if not rows and entry.raw("Number of players") in (None, 0):
            faults.append(fault("ignored-record", entry.place, "The section has no players and was left out."))
    return [(entry, rows) for entry, rows in found if rows or entry.raw("Number of players") not in (None, 0)]


def is_fide_first(rows: Sequence[object], ids: tuple[str, str] = ("ID", "ID2")) -> bool:
    """Whether the first ids and ratings are FIDE's: more of the second ids than of the first are shaped as ours."""
    both = [row for row in rows if isinstance(row, Mapping) and row.get(ids[1])]
    first, second = (sum(_is_member_id(row.get(name)) for row in both) for name in ids)
    return second > first


def _is_member_id(value: object) -> bool:
    return isinstance(value, str) and len(value) == MEMBER_ID_DIGITS and value.isascii() and value.isdigit()


def _length(value: object) -> int:
    return len(value) if isinstance(value, list) else 0


def _section(
    entry: Entry, rows: Sequence[object], number: int, event_control: str, *, fide_first: bool
) -> ReportedSection:
    name = entry.text("Section name") or entry.text("Section title")
    entry.place = f"section {number} ({name})" if name else f"section {number}"
    kind = entry.whole("Type")
    control = entry.text("Section time control") or event_control
    final = entry.whole("Final round", most=MOST_ROUNDS) or 0
    paired = entry.whole("Rounds paired", most=MOST_ROUNDS) or 0
    cells = max(final, paired)
    inside = [entry.inside(f"row {at}", row) for at, row in enumerate(rows, 1)]
    players = [_player(row, cells, fide_first=fide_first) for row in inside]
    rounds = max((len(player.cells) for player in players), default=0)
    _check_number(entry, players)
    if entry.flag("Blitz") and not _are_single_games(players):
        message = "The section is played with two games a round, and its cells do not stand in pairs, one a game."
        entry.report("bad-value", "Blitz", f"{message} Export the DBF files instead.")
    return ReportedSection(
        number=number,
        name=name,
        kind=SectionType.ROUND_ROBIN if kind in _ROUND_ROBINS else SectionType.SWISS,
        is_online=False,
        time_controls=split_schedule(control) if control else (),
        systems=(),
        start=None,
        end=None,
        players=tuple(padded(player, rounds) for player in players),
        place=entry.place,
        details=known(
            rounds=str(final or rounds),
            rounds_paired=str(paired),
            rounds_played=str(entry.whole("Rounds played", most=MOST_ROUNDS) or 0),
            type_code=str(kind) if kind not in (None, _SWISS, *_ROUND_ROBINS) else "",
        ),
    )


def _check_number(entry: Entry, players: Sequence[ReportedPlayer]) -> None:
    """The announced number of players against the rows: a waiting list's is often out of date, a cut file's is too."""
    announced = entry.whole("Number of players")
    if announced == len(players):
        return
    message = f"{'No' if announced is None else announced} players are announced, but {len(players)} are listed"
    listed = {player.number for player in players}
    is_whole = (
        bool(players)
        and listed == set(range(1, len(players) + 1))
        and all(cell.opponent in listed for player in players for cell in player.cells if cell.opponent)
    )
    entry.report("number-of-players" if is_whole else "damaged-file", "Number of players", f"{message}.")


def _are_single_games(players: Sequence[ReportedPlayer]) -> bool:
    """Whether the cells of a section of double rounds hold a game each: pairs of them have the same opponent."""
    pairs = [pair for player in players for pair in zip(player.cells[::2], player.cells[1::2], strict=False)]
    return all(len(player.cells) % 2 == 0 for player in players) and all(
        first.opponent == second.opponent for first, second in pairs
    )


def padded(player: ReportedPlayer, rounds: int) -> ReportedPlayer:
    """The row with blanks up to the last round of its section."""
    return player._replace(cells=player.cells + (BLANK,) * (rounds - len(player.cells)))


def _player(entry: Entry, rounds: int, *, fide_first: bool) -> ReportedPlayer:
    number = entry.whole("Pair number", least=1, most=99999)
    if number is None:
        entry.report("missing-field", "Pair number", "The player has no pairing number.")
    else:
        entry.place = f"{entry.place.rpartition(',')[0]}, player {number}"
    has_second = fide_first and "ID2" in entry
    member_id = entry.text("ID2" if has_second else "ID")
    rating = entry.whole("Rating2" if has_second else "Rating", most=int(HIGHEST_RATING))
    return ReportedPlayer(
        number=number,
        member_id=read_member_id(member_id),
        name=entry.player_name("Name"),
        cells=_cells(entry, rounds),
        background=Background(),
        place=entry.place,
        state=entry.text("State"),
        pairing_rating=float(rating) if rating else None,
        details=known(
            title=entry.text("Player title"),
            team=entry.text("Team"),
            fide_id=entry.text("ID") if has_second else "",
            withdrew="yes" if entry.flag("Withdrew") else "",
        ),
    )


def _cells(entry: Entry, rounds: int) -> tuple[ReportedCell, ...]:
    """A cell per round so far, then the byes asked for in the rounds to come."""
    results = entry.items("Results")
    if len(results) > MOST_ROUNDS:
        entry.report("bad-value", "Results", f"{len(results)} results are more than a section can have.")
    cells = [_cell(value) for value in results[:MOST_ROUNDS]]
    byes = reserved_byes(entry, "Reserved byes")
    cells += [byes.get(at, BLANK) for at in range(len(cells) + 1, rounds + 1)]
    return tuple(cells)


def _cell(value: object) -> ReportedCell:
    """A cell such as ``+;9;B;1;9;9;0``: result, opponent, colour, board, two logical opponents, game points."""
    text = "".join(letter if letter.isprintable() else "?" for letter in str(value)[:_LONGEST_CELL]).strip()
    code, opponent, colour, *_ = *(part.strip() for part in text.upper().split(";")), "", "", ""
    result = _RESULTS.get(code)
    if not isinstance(value, str) or result is None or not _is_number(opponent):
        return ReportedCell(text, None, 0, "")
    if result is Result.BLANK:
        return BLANK
    number = max(int(opponent or 0), 0)
    colour = colour.lower() if colour in ("W", "B") else ""
    return ReportedCell(f"{result.value}{number or ''}{colour}", result, number, colour)


def _is_number(text: str) -> bool:
    """Whether a text is a number, -1 for nobody, or nothing at all."""
    digits = text.removeprefix("-")
    return not text or (digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST_NUMBER)


def reserved_byes(entry: Entry, field: str) -> dict[int, ReportedCell]:
    """The byes asked for, by round: ``1 2 4z`` are half-point byes in rounds 1 and 2 and a zero-point bye in 4."""
    byes = {}
    for word in entry.text(field).replace(",", " ").split():
        number = word.rstrip("zZ")
        if number.isascii() and number.isdigit() and len(number) <= _LONGEST_NUMBER and len(word) - len(number) < 2:
            result = Result.HALF_BYE if number == word else Result.ZERO_BYE
            byes[int(number)] = ReportedCell(result.value, result, 0, "")
        else:
            entry.report("ignored-record", field, f"{word[:_LONGEST_CELL]!r} is no round; it was left out.")
    return byes


def looks_like_web(data: bytes) -> bool:
    """Whether these bytes are the web report of a SwissSys tournament."""
    return all(name in data for name in (b'"tournament"', b'"sections"', b'"rounds_paired"'))


def read_web(data: bytes, name: str) -> Reading:
    """Read a web report; raises ``FormatError`` where it is no JSON or too large."""
    if len(data) > LARGEST_FILE:
        raise FormatError(fault("not-readable", name, f"The file is larger than {LARGEST_FILE // 1_000_000} MB."))
    value, found = load_json(data, name, strict=False)
    faults = FaultList(found)
    root = Entry(value, "", faults)
    sections = filled_sections(root.items("sections", needed=True), name, faults, ("players", "results"))
    fide_first = is_fide_first([row for _, rows in sections for row in rows], _IDS)
    report = Report(
        event_id="",
        name=root.text("tournament"),
        start=root.calendar_day("date", "start-not-read"),
        end=None,
        sections=tuple(
            _web_section(entry, rows, at, fide_first=fide_first) for at, (entry, rows) in enumerate(sections, 1)
        ),
        place=name,
        details=known(city=root.text("city"), state=root.text("state"), country=root.text("country")),
    )
    return Reading(report, faults.closed(name))


def _web_section(entry: Entry, rows: list[object], number: int, *, fide_first: bool) -> ReportedSection:
    name = entry.text("section")
    entry.place = f"section {number} ({name})" if name else f"section {number}"
    paired = entry.whole("rounds_paired", most=MOST_ROUNDS) or 0
    players = [
        _web_player(entry.inside(f"player {at}", row), at, paired, fide_first=fide_first)
        for at, row in enumerate(rows, 1)
    ]
    if not _are_mutual(players):
        players = _as_paired(players, entry.items("rounds"))
    ranked = entry.items("standings")
    if ranked and len(ranked) != len(rows):
        entry.report("damaged-file", "standings", f"The standings rank {len(ranked)} players; {len(rows)} are listed.")
    rounds = max((len(player.cells) for player in players), default=0)
    return ReportedSection(
        number=number,
        name=name,
        kind=SectionType.SWISS,
        is_online=False,
        time_controls=(),
        systems=(),
        start=None,
        end=None,
        players=tuple(padded(player, rounds) for player in players),
        place=entry.place,
        details=known(
            rounds_paired=str(paired), rounds_played=str(entry.whole("rounds_played", most=MOST_ROUNDS) or 0)
        ),
    )


def _are_mutual(players: Sequence[ReportedPlayer]) -> bool:
    """Whether the opponent of every game names the player in the same round."""
    numbered = dict(enumerate(players, 1))
    return all(
        cell.opponent in numbered and _opponent(numbered[cell.opponent], at) == player.number
        for player in players
        for at, cell in enumerate(player.cells)
        if cell.result is not None and cell.result.is_game
    )


def _opponent(player: ReportedPlayer, at: int) -> int:
    return player.cells[at].opponent if at < len(player.cells) else 0


def _as_paired(players: list[ReportedPlayer], rounds: Sequence[object]) -> list[ReportedPlayer]:
    """The players with the opponents that the lists of pairings name; as they are where that is not everybody's."""
    paired: dict[tuple[int, int], int] = {}
    for at, one in enumerate(rounds):
        pairings = one.get("pairings") if isinstance(one, Mapping) else None
        for pairing in pairings if isinstance(pairings, list) else ():
            sides = [pairing.get("white"), pairing.get("black")] if isinstance(pairing, Mapping) else []
            match sides:
                case [int(white), int(black)]:
                    paired |= {(at, white): black, (at, black): white}
    changed = []
    for player in players:
        cells = list(player.cells)
        for at, cell in enumerate(cells):
            if cell.opponent and cell.result is not None:
                number = paired.get((at, player.number or 0), 0)
                cells[at] = ReportedCell(f"{cell.result.value}{number}{cell.colour}", cell.result, number, cell.colour)
        changed.append(player._replace(cells=tuple(cells)))
    return changed if _are_mutual(changed) else players


def _web_player(entry: Entry, number: int, rounds: int, *, fide_first: bool) -> ReportedPlayer:
    second = fide_first and "id2" in entry
    member_id = entry.text("id2" if second else "id1")
    rating = entry.whole("rating2" if second else "rating", most=int(HIGHEST_RATING))
    return ReportedPlayer(
        number=number,
        member_id=read_member_id(member_id),
        name=entry.player_name("name"),
        cells=_web_cells(entry, rounds),
        background=Background(),
        place=entry.place,
        state=entry.text("state"),
        pairing_rating=float(rating) if rating else None,
        details=known(
            title=entry.text("player_title"),
            team=entry.text("team"),
            fide_id=entry.text("id1") if second else "",
        ),
    )


def _web_cells(entry: Entry, rounds: int) -> tuple[ReportedCell, ...]:
    """A cell per round so far, then the byes asked for in the rounds to come."""
    columns = [entry.items(field)[:MOST_ROUNDS] for field in ("results", "colors", "ops")]
    if len({len(column) for column in columns}) > 1:
        entry.report("damaged-file", "results", "There are not as many results as colours and opponents.")
    cells = [_web_cell(*parts) for parts in zip(*columns, strict=False)]
    byes = reserved_byes(entry, "byes")
    cells += [byes.get(at, BLANK) for at in range(len(cells) + 1, max(rounds, *byes, 0) + 1)]
    return tuple(cells)


def _web_cell(code: object, colour: object, opponent: object) -> ReportedCell:
    letter = code.strip() if isinstance(code, str) else None
    if letter == "":
        return BLANK
    result = _WEB_RESULTS.get(letter or "")
    if result is None or not isinstance(opponent, int) or isinstance(opponent, bool):
        return ReportedCell(repr(code)[1:20], None, 0, "")
    number = max(opponent, 0)
    side = {"W": "w", "B": "b"}.get(str(colour), "") if number else ""
    return ReportedCell(f"{result.value}{number or ''}{side}", result, number, side)
