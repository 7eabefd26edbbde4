"""The web report of SwissSys 11 (JSON), as it is sent to sites that show pairings and standings; read only.

A player's number is their place in the list. Each player brings a result, a colour and an opponent for every round.
The lists of pairings beside them leave games out where a board is used twice, so they are read only where the opponents
do not agree: one program lists the players by standings and numbers the opponents otherwise. The file names the first
day alone, no time control, and ratings that SwissSys estimated (``post``), which are not read.
"""

from collections.abc import Mapping, Sequence

from crosstable.errors import FormatError
from crosstable.faults import fault
from crosstable.formats import Reading
from crosstable.formats.findings import FaultList
from crosstable.formats.json_fields import load_json
from crosstable.formats.swisssys import (
    BLANK,
    LARGEST_FILE,
    MOST_ROUNDS,
    Entry,
    filled_sections,
    is_fide_first,
    known,
    padded,
    reserved_byes,
)
from crosstable.limits import HIGHEST_RATING
from crosstable.notation import read_member_id
from crosstable.terms import Background, Report, ReportedCell, ReportedPlayer, ReportedSection, Result, SectionType

_RESULTS = {letter: Result(letter) for letter in "WLDXFBHU"}
_IDS = ("id1", "id2")


def looks_like(data: bytes) -> bool:
    """Whether these bytes are the web report of a SwissSys tournament."""
    return all(name in data for name in (b'"tournament"', b'"sections"', b'"rounds_paired"'))


def read(data: bytes, name: str) -> Reading:
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
            _section(entry, rows, at, fide_first=fide_first) for at, (entry, rows) in enumerate(sections, 1)
        ),
        place=name,
        details=known(city=root.text("city"), state=root.text("state"), country=root.text("country")),
    )
    return Reading(report, faults.closed(name))


def _section(entry: Entry, rows: list[object], number: int, *, fide_first: bool) -> ReportedSection:
    name = entry.text("section")
    entry.place = f"section {number} ({name})" if name else f"section {number}"
    paired = entry.whole("rounds_paired", most=MOST_ROUNDS) or 0
    players = [
        _player(entry.inside(f"player {at}", row), at, paired, fide_first=fide_first) for at, row in enumerate(rows, 1)
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


def _player(entry: Entry, number: int, rounds: int, *, fide_first: bool) -> ReportedPlayer:
    second = fide_first and "id2" in entry
    member_id = entry.text("id2" if second else "id1")
    rating = entry.whole("rating2" if second else "rating", most=int(HIGHEST_RATING))
    return ReportedPlayer(
        number=number,
        member_id=read_member_id(member_id),
        name=entry.player_name("name"),
        cells=_cells(entry, rounds),
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


def _cells(entry: Entry, rounds: int) -> tuple[ReportedCell, ...]:
    """A cell per round so far, then the byes asked for in the rounds to come."""
    columns = [entry.items(field)[:MOST_ROUNDS] for field in ("results", "colors", "ops")]
    if len({len(column) for column in columns}) > 1:
        entry.report("damaged-file", "results", "There are not as many results as colours and opponents.")
    cells = [_cell(*parts) for parts in zip(*columns, strict=False)]
    byes = reserved_byes(entry, "byes")
    cells += [byes.get(at, BLANK) for at in range(len(cells) + 1, max(rounds, *byes, 0) + 1)]
    return tuple(cells)


def _cell(code: object, colour: object, opponent: object) -> ReportedCell:
    letter = code.strip() if isinstance(code, str) else None
    if letter == "":
        return BLANK
    result = _RESULTS.get(letter or "")
    if result is None or not isinstance(opponent, int) or isinstance(opponent, bool):
        return ReportedCell(repr(code)[1:20], None, 0, "")
    number = max(opponent, 0)
    side = {"W": "w", "B": "b"}.get(str(colour), "") if number else ""
    return ReportedCell(f"{result.value}{number or ''}{side}", result, number, side)
