"""The cells of a section: known codes, opponents who exist, every game on both rows (§7; readings 82, 92)."""

from collections import Counter
from collections.abc import Mapping

from crosstable.catalogue import fault
from crosstable.checks.places import SectionPlace
from crosstable.errors import Fault
from crosstable.terms import GAME_SCORES, ONE_SIDED, ReportedCell, ReportedPlayer, ReportedSection, Result, SectionType

MIRROR = {Result.WIN: Result.LOSS, Result.LOSS: Result.WIN, Result.DRAW: Result.DRAW}


def game_faults(section: ReportedSection, place: SectionPlace) -> list[Fault]:
    """Every fault of a section's cells."""
    rows = {player.number: player for player in section.players if player.number is not None}
    faults = []
    for player in section.players:
        for at, cell in enumerate(player.cells):
            if cell.result is None or cell.result in GAME_SCORES:
                code, message = _cell_fault(player, cell, rows)
                if code:
                    faults.append(fault(code, place.cell(player, at), message))
    if section.kind is SectionType.ROUND_ROBIN:
        faults += _unmatched_pairs(section, rows, place)
    else:
        faults += _unmirrored(section, rows, place)
    return faults


def _cell_fault(player: ReportedPlayer, cell: ReportedCell, rows: Mapping[int, ReportedPlayer]) -> tuple[str, str]:
    """The code and the message of what is wrong with a cell by itself, or two empty texts."""
    if cell.result is None:
        return "unknown-code", f"{cell.text!r} is no known result."
    if cell.opponent == 0:
        return "no-opponent", f"{cell.text!r} is a game without an opponent."
    if cell.opponent == player.number:
        return "plays-self", f"{cell.text!r} pairs the player with himself."
    opponent = rows.get(cell.opponent)
    if opponent is None:
        return "opponent-missing", f"{cell.text!r}: there is no player {cell.opponent} in the section."
    if player.member_id and opponent.member_id == player.member_id:
        return "plays-self", f"{cell.text!r} pairs two rows of member {player.member_id}."
    if cell.result in ONE_SIDED:
        return "one-sided", f"{cell.text!r} is rated on this row alone."
    return "", ""


def _is_sound(cell: ReportedCell, rows: Mapping[int, ReportedPlayer]) -> bool:
    """Whether a cell is a game whose other side can be looked up."""
    return cell.result in MIRROR and cell.opponent in rows


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
            if other is None or not shown or other.result is not MIRROR.get(cell.result or Result.BLANK):
                faults.append(_not_mirrored(cell, other, place.cell(player, at), at + 1))
            elif cell.colour and cell.colour == other.colour and (player.number or 0) < cell.opponent:
                message = f"Players {player.number} and {cell.opponent} both have {_COLOURS[cell.colour]}."
                faults.append(fault("same-colour", place.cell(player, at), message))
    return faults


_COLOURS = {"w": "White", "b": "Black"}


def _not_mirrored(cell: ReportedCell, other: ReportedCell | None, here: str, round_number: int) -> Fault:
    shows = f"{other.text!r}" if other is not None and other.text else "nothing"
    message = f"{cell.text!r}, but player {cell.opponent} shows {shows} in round {round_number}."
    return fault("not-mirrored", here, message)


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
        shown = games[other, one, MIRROR[result]]
        if count != shown:
            message = (
                f"{count} times {result.value} against player {other}, who shows {shown} times "
                f"{MIRROR[result].value} against player {one}."
            )
            faults.append(fault("not-mirrored", place.row(rows[one]), message))
    return faults
