"""The cells of a section: known codes, opponents who exist, every game on both rows (§7; readings 82, 92)."""

from collections import Counter
from collections.abc import Mapping

from crosstable.checks.places import SectionPlace
from crosstable.errors import Fault
from crosstable.faults import fault
from crosstable.sentences import Said
from crosstable.terms import (
    GAME_SCORES,
    MIRRORED,
    ONE_SIDED,
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
