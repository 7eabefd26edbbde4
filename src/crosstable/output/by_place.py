"""The rows of a crosstable in published order: by points, then by the rating after the section, never by tie-break.

Published crosstables number their rows in that order, so a row is numbered by its standing here, and every opponent is
named by their row (official facts §4). The pairing number of the report stays in the row's entry.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.output.words import total_points
from crosstable.pipeline.rating import RatedEvent
from crosstable.terms import Cell, Entry, ReportedSection, Result, Section

NUMBERING = "Rows are numbered by points, then by the rating after the section; rounds name opponents by these numbers."
_NO_CELL = Cell(Result.BLANK, 0, "")


class Row(NamedTuple):
    """One row: its number by standing, the entry of the report, cells that name rows, a result for each system."""

    number: int
    entry: Entry
    state: str
    total: float
    cells: tuple[Cell, ...]
    players: tuple[RatedPlayer, ...]


class Table(NamedTuple):
    """A section as a crosstable: its results by system, the time controls as written, and its rows."""

    by_system: tuple[RatedSection, ...]
    time_control: str
    rounds: int
    rows: tuple[Row, ...]

    @property
    def section(self) -> Section:
        """The section itself."""
        return self.by_system[0].section


def tables_of(event: RatedEvent) -> tuple[Table, ...]:
    """Every section of a rated event, rows by standing."""
    reported = {
        at if section.number is None else section.number: section
        for at, section in enumerate(event.report.sections, start=1)
    }
    return tuple(_table(by_system, reported[by_system[0].section.number]) for by_system in event.rated)


def _table(by_system: tuple[RatedSection, ...], reported: ReportedSection) -> Table:
    section = by_system[0].section
    states = {player.number: player.state for player in reported.players}
    rounds = max((len(entry.cells) for entry in section.entries), default=0)
    order = sorted(range(len(section.entries)), key=lambda at: _standing(section.entries[at], by_system[0].players[at]))
    entries = [section.entries[at] for at in order]
    cells = [(*entry.cells, *[_NO_CELL] * (rounds - len(entry.cells))) for entry in entries]
    columns = columns_of(cells, rounds)
    numbers = {entry.number: number for number, entry in enumerate(entries, start=1)}
    rows = tuple(
        Row(
            number,
            entry,
            states[entry.number],
            total_points(entry),
            tuple(renamed(cells[number - 1][column], numbers) for column in columns),
            tuple(rated.players[order[number - 1]] for rated in by_system),
        )
        for number, entry in enumerate(entries, start=1)
    )
    return Table(by_system, _time_control(section, reported.time_controls), rounds, rows)


def _standing(entry: Entry, player: RatedPlayer) -> tuple[float, float, int]:
    after = -1.0 if player.after is None else player.after.rating
    return -total_points(entry), -after, entry.number


def columns_of(rows: Sequence[Sequence[Cell]], rounds: int) -> list[int]:
    """The columns in order: as played, but where each belongs to one player (their own has a star)."""
    own = [[at for at, cell in enumerate(cells) if cell.result is Result.OWN_COLUMN] for cells in rows]
    first = [columns[0] for columns in own if len(columns) == 1]
    return first if len(rows) == rounds and sorted(first) == list(range(rounds)) else list(range(rounds))


def renamed(cell: Cell, numbers: dict[int, int]) -> Cell:
    """A cell that names its opponent by their row."""
    return cell._replace(opponent=numbers.get(cell.opponent, 0))


def _time_control(section: Section, controls: tuple[str, ...]) -> str:
    """The control as written, or, where rounds differ, each of them."""
    if len(set(controls)) > 1:
        return ", ".join(f"Round {at}: {control}" for at, control in enumerate(controls, start=1))
    return section.time_control.text if section.time_control else "".join(controls[:1])


def spans(numbers: Iterable[int]) -> str:
    """Numbers in short: ``1-4, 7``."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in runs)
