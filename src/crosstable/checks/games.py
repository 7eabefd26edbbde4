"""The games of a section: known codes, opponents who exist, every game on both rows, and what they say together (§7).

Nobody twice in a round, no hidden match, points that add up (readings 82, 92).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from crosstable.checks.findings import SectionPlace
from crosstable.errors import Fault
from crosstable.faults import Said, fault
from crosstable.limits import FEWEST_GAMES_OF_A_MATCH
from crosstable.terms import (
    GAME_SCORES,
    MIRRORED,
    ONE_SIDED,
    POINTS,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    Result,
    SectionType,
)


def game_faults(section: ReportedSection, place: SectionPlace) -> list[Fault]:
    """Every fault of a section's cells."""
    rows = {player.number: player for player in section.players if player.number is not None}
    faults = []
    for player in section.players:
        for at, cell in enumerate(player.cells):
            if cell.result is None or cell.result in GAME_SCORES:
                found = _cell_fault(player, cell, rows)
                if found is not None:
                    faults.append(fault(found.key, place.cell(player, at), **found.values))
    if section.kind is SectionType.ROUND_ROBIN:
        faults += _unmatched_pairs(section, rows, place)
    else:
        faults += _unmirrored(section, rows, place)
    return faults


def _cell_fault(player: ReportedPlayer, cell: ReportedCell, rows: Mapping[int, ReportedPlayer]) -> Said | None:
    """What is wrong with a cell by itself, or nothing."""
    if cell.result is None:
        return Said("unknown-code", {"cell": cell.text})
    if cell.opponent == 0:
        return Said("no-opponent", {"cell": cell.text})
    if cell.opponent == player.number:
        return Said("plays-self:number", {"cell": cell.text})
    opponent = rows.get(cell.opponent)
    if opponent is None:
        return Said("opponent-missing", {"cell": cell.text, "opponent": cell.opponent})
    if player.member_id and opponent.member_id == player.member_id:
        return Said("plays-self:member", {"cell": cell.text, "member_id": player.member_id})
    if cell.result in ONE_SIDED:
        return Said("one-sided", {"cell": cell.text})
    return None


def _is_sound(cell: ReportedCell, rows: Mapping[int, ReportedPlayer]) -> bool:
    """Whether a cell is a game whose other side can be looked up."""
    return cell.result in MIRRORED and cell.opponent in rows


def _unmirrored(section: ReportedSection, rows: Mapping[int, ReportedPlayer], place: SectionPlace) -> list[Fault]:
    """Games that the opponent's row does not show in the same round, or shows in the same colour."""
    faults = []
    for player in section.players:
        for at, cell in enumerate(player.cells):
            if not _is_sound(cell, rows) or cell.opponent == player.number:
                continue
            cells = rows[cell.opponent].cells
            other = cells[at] if at < len(cells) else None
            shown = other is not None and other.opponent == player.number
            if other is None or not shown or other.result is not MIRRORED.get(cell.result or Result.BLANK):
                faults.append(_not_mirrored(cell, other, place.cell(player, at), at + 1))
            elif cell.colour and cell.colour == other.colour and (player.number or 0) < cell.opponent:
                who = {"first": player.number, "second": cell.opponent}
                faults.append(fault("same-colour", place.cell(player, at), colour=_COLOURS[cell.colour], **who))
    return faults


_COLOURS = {"w": "White", "b": "Black"}


def _not_mirrored(cell: ReportedCell, other: ReportedCell | None, here: str, round_number: int) -> Fault:
    shows = f"{other.text!r}" if other is not None and other.text else "nothing"
    values = {"cell": cell.text, "opponent": cell.opponent, "shown": shows, "round_number": round_number}
    return fault("not-mirrored:round", here, **values)


def _unmatched_pairs(section: ReportedSection, rows: Mapping[int, ReportedPlayer], place: SectionPlace) -> list[Fault]:
    """Round robins may have opponents as columns, so games are matched pair by pair, not round by round."""
    games: Counter[tuple[int, int, Result]] = Counter()
    for player in section.players:
        for cell in player.cells:
            if player.number is not None and _is_sound(cell, rows) and cell.opponent != player.number:
                assert cell.result is not None
                games[player.number, cell.opponent, cell.result] += 1
    faults = []
    for (one, other, result), count in games.items():
        shown = games[other, one, MIRRORED[result]]
        if count != shown:
            values = {"count": count, "result": result.value, "opponent": other}
            mirrored = {"shown": shown, "mirrored": MIRRORED[result].value, "number": one}
            faults.append(fault("not-mirrored:pair", place.row(rows[one]), **values, **mirrored))
    return faults


ON_BOTH_ROWS = frozenset({Result.WIN, Result.LOSS, Result.DRAW})
# Points come in halves; what differs by less is how a program wrote them.
LEAST_DIFFERENCE = 0.01
_FORFEITS = (Result.FORFEIT_WIN, Result.FORFEIT_LOSS, Result.FORFEIT_DRAW)


def pairing_faults(section: ReportedSection, place: SectionPlace) -> list[Fault]:
    """Every fault that shows only when a section's games are seen together."""
    rows = {player.number: player for player in section.players if player.number is not None}
    faults = _total_faults(section, place)
    if section.kind is SectionType.SWISS:
        faults += _paired_twice(section, rows, place)
        faults += _rounds_beyond(section, place)
    if section.kind in (SectionType.SWISS, SectionType.ROUND_ROBIN):
        faults += _two_players(section, rows, place)
        faults += _pairs_alone(section, rows, place)
    return faults


def _paired_twice(section: ReportedSection, rows: Mapping[int, ReportedPlayer], place: SectionPlace) -> list[Fault]:
    """Players whom two rows name as their opponent in one round; a one-sided result names nobody (readings 92)."""
    named: dict[tuple[int, int], int] = {}
    faults = []
    for player in section.players:
        for at, cell in enumerate(player.cells):
            if cell.result not in ON_BOTH_ROWS or cell.opponent not in rows or player.number is None:
                continue
            first = named.setdefault((cell.opponent, at), player.number)
            if first != player.number:
                who = {"first": first, "second": player.number, "opponent": cell.opponent}
                faults.append(fault("paired-twice", place.cell(rows[cell.opponent], at), **who))
    return faults


def _rounds_beyond(section: ReportedSection, place: SectionPlace) -> list[Fault]:
    """The first game after the last round that the report announces."""
    announced = section.details.get("rounds", "")
    if not (announced.isascii() and announced.isdigit()):
        return []
    columns = int(announced) * (2 if section.details.get("games_per_round") == "2" else 1)
    for player in section.players:
        for at, cell in enumerate(player.cells[columns:], start=columns):
            if cell.result in GAME_SCORES:
                return [fault("round-not-announced", place.cell(player, at), cell=cell.text, rounds=columns)]
    return []


def _two_players(section: ReportedSection, rows: Mapping[int, ReportedPlayer], place: SectionPlace) -> list[Fault]:
    """Two members alone who played each other more than once (§7; readings 77)."""
    members = {player.member_id or player.number for player in section.players}
    if len(members) != 2:
        return []
    games = max(
        sum(_games(player, rows) for player in section.players if (player.member_id or player.number) == who)
        for who in members
    )
    if games < FEWEST_GAMES_OF_A_MATCH:
        return []
    return [fault("two-player-section", place.whole, games=games)]


def _pairs_alone(section: ReportedSection, rows: Mapping[int, ReportedPlayer], place: SectionPlace) -> list[Fault]:
    """Pairs among more than two players who met each other more than once and nobody else (§7; readings 77)."""
    who = {player.number: player.member_id or player.number for player in section.players}
    met: dict[str | int | None, Counter[str | int | None]] = {}
    for player in section.players:
        games = [cell for cell in player.cells if cell.result in GAME_SCORES and cell.opponent in rows]
        met.setdefault(who[player.number], Counter()).update(who[cell.opponent] for cell in games)
    first = {who[player.number]: player for player in reversed(section.players)}
    faults = []
    for one, opponents in met.items():
        other = next(iter(opponents), None)
        if len(met) < 3 or len(opponents) != 1 or opponents[other] < FEWEST_GAMES_OF_A_MATCH or other == one:
            continue
        mine, theirs = first[one], first[other]
        if set(met[other]) == {one} and section.players.index(mine) < section.players.index(theirs):
            values = {"first": mine.number, "second": theirs.number, "games": opponents[other]}
            faults.append(fault("pair-alone", place.row(mine), **values))
    return faults


def _games(player: ReportedPlayer, rows: Mapping[int, ReportedPlayer]) -> int:
    return sum(
        cell.result in GAME_SCORES and cell.opponent in rows and cell.opponent != player.number for cell in player.cells
    )


def _total_faults(section: ReportedSection, place: SectionPlace) -> list[Fault]:
    """Totals that are not those of the results; byes of rounds that nobody has reached may be counted or not."""
    reached = max((at for player in section.players for at in _games_paired(player)), default=0)
    faults = []
    for player in section.players:
        points, so_far = (_points(cell.result for cell in cells) for cells in (player.cells, player.cells[:reached]))
        if player.total is None or points is None or so_far is None:
            continue
        if min(abs(points - player.total), abs(so_far - player.total)) >= LEAST_DIFFERENCE:
            faults.append(fault("total-disagrees", place.row(player), total=player.total, points=points))
    return faults


def _games_paired(player: ReportedPlayer) -> Iterator[int]:
    """The rounds, from 1 on, in which somebody played, or would have."""
    for at, cell in enumerate(player.cells, 1):
        if cell.result in GAME_SCORES or cell.result in _FORFEITS:
            yield at


def _points(results: Iterable[Result | None]) -> float | None:
    """The points of a row, or ``None`` where a result is not known."""
    total = 0.0
    for result in results:
        if result is None:
            return None
        total += POINTS.get(result, 0.0)
    return total
