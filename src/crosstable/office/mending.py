"""One mistake of a report put right: a result on both rows, a member id wherever it stands."""

from typing import NamedTuple

from crosstable.errors import OfficeError
from crosstable.formats.event_json import read_cell
from crosstable.formats.event_json_write import written_cell
from crosstable.terms import Report, ReportedCell, ReportedPlayer, ReportedSection, Result

_OTHER_SIDE = {
    Result.WIN: Result.LOSS,
    Result.LOSS: Result.WIN,
    Result.DRAW: Result.DRAW,
    Result.FORFEIT_WIN: Result.FORFEIT_LOSS,
    Result.FORFEIT_LOSS: Result.FORFEIT_WIN,
    Result.FORFEIT_DRAW: Result.FORFEIT_DRAW,
}
_OTHER_COLOUR = {"w": "b", "b": "w", "": ""}


class ChangedResult(NamedTuple):
    """One result put right: the cell of a player in a round, as it should read."""

    section: int
    player: int
    round_number: int
    cell: str


def with_result(report: Report, change: ChangedResult) -> Report:
    """A report with one result changed, and its other side with it."""
    at = _section_index(report, change.section)
    section = report.sections[at]
    cell = read_cell(change.cell)
    if cell.result is None:
        raise OfficeError(f"{change.cell!r} is no result; write W7, L7b, D3, X, H …")
    players = {player.number: row for row, player in enumerate(section.players)}
    if change.player not in players:
        raise OfficeError(f"section {change.section} has no player {change.player}")
    rows = list(section.players)
    cell, text = _with_old_colour(rows[players[change.player]], change.round_number, cell)
    rows[players[change.player]] = _with_cell(rows[players[change.player]], change.round_number, text)
    if cell.opponent and cell.result in _OTHER_SIDE:
        if cell.opponent not in players:
            raise OfficeError(f"section {change.section} has no player {cell.opponent}")
        other = f"{_OTHER_SIDE[cell.result].value}{change.player}{_OTHER_COLOUR[cell.colour]}"
        rows[players[cell.opponent]] = _with_cell(rows[players[cell.opponent]], change.round_number, other)
    return _with_section(report, at, section._replace(players=tuple(rows)))


def _with_old_colour(player: ReportedPlayer, round_number: int, cell: ReportedCell) -> tuple[ReportedCell, str]:
    """A result that says nothing of the colour keeps the one the game had."""
    old = player.cells[round_number - 1] if 1 <= round_number <= len(player.cells) else cell
    if not cell.colour and old.opponent == cell.opponent:
        cell = cell._replace(colour=old.colour)
    return cell, written_cell(cell)


def _with_cell(player: ReportedPlayer, round_number: int, text: str) -> ReportedPlayer:
    cells = list(player.cells)
    if not 1 <= round_number <= len(cells):
        raise OfficeError(f"player {player.number} has no round {round_number}")
    cells[round_number - 1] = read_cell(text)
    return player._replace(cells=tuple(cells), total=None)


def _section_index(report: Report, number: int) -> int:
    for at, section in enumerate(report.sections):
        if section.number == number:
            return at
    raise OfficeError(f"event {report.event_id} has no section {number}")


def _with_section(report: Report, at: int, section: ReportedSection) -> Report:
    return report._replace(sections=(*report.sections[:at], section, *report.sections[at + 1 :]))


def with_member(report: Report, wrong: str, right: str) -> Report:
    """A report with one member id in the place of another."""
    found = False
    sections = []
    for section in report.sections:
        players = []
        for player in section.players:
            found |= player.member_id == wrong
            players.append(player._replace(member_id=right) if player.member_id == wrong else player)
        sections.append(section._replace(players=tuple(players)))
    if not found:
        raise OfficeError(f"event {report.event_id} has no player with the id {wrong}")
    return report._replace(sections=tuple(sections))
