"""The rows of a crosstable in the order in which US Chess posts them: by points, then by the rating after the section.

A player has one number everywhere: that of the report. The rank is the row's place in this order, or, in standings, the
place by points and tie-breaks (official facts §4).
"""

from collections.abc import Sequence
from typing import NamedTuple

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.output.tie_breaks import METHODS, Placed, field_of, standings, usual_methods
from crosstable.output.words import KINDS, controls_text, post_text, pre_text, rests_on_assumption, rules_text
from crosstable.pipeline.rating import RatedEvent
from crosstable.pipeline.results import ranked
from crosstable.sentences import american_days, counted
from crosstable.terms import Cell, Entry, ReportedSection, Result, Section

NUMBERING = "Ranks go by points, then by the rating after the section, as US Chess posts them."
_NO_CELL = Cell(Result.BLANK, 0, "")


class Row(NamedTuple):
    """One row: its rank, the entry of the report, a cell for each column, a result for each system, tie-breaks."""

    rank: int
    entry: Entry
    state: str
    cells: tuple[Cell, ...]
    players: tuple[RatedPlayer, ...]
    tie_breaks: tuple[float, ...] = ()


class Table(NamedTuple):
    """A section as a crosstable: its results by system, the section as reported, columns by number, and its rows."""

    by_system: tuple[RatedSection, ...]
    reported: ReportedSection
    columns: tuple[int, ...]
    rows: tuple[Row, ...]
    methods: tuple[str, ...] = ()

    @property
    def tie_breaks(self) -> tuple[str, ...]:
        """The titles of the tie-breaks of standings."""
        return tuple(METHODS[name].title for name in self.methods)

    @property
    def section(self) -> Section:
        """The section itself."""
        return self.by_system[0].section

    @property
    def ratings(self) -> dict[str, int]:
        """The columns of ratings by their title, each a place in ``by_system``: systems that say the same are one."""
        titles = [rated.system.title.capitalize() for rated in self.by_system]
        same = len(titles) > 1 and all(len({_said(*one) for one in self._rated(row)}) == 1 for row in self.rows)
        return {" and ".join(titles): 0} if same else {title: at for at, title in enumerate(titles)}

    def _rated(self, row: Row) -> list[tuple[RatedSection, RatedPlayer]]:
        return list(zip(self.by_system, row.players, strict=True))

    @property
    def time_control(self) -> str:
        """The control as written, or, where rounds differ, each of them."""
        controls, read = self.reported.time_controls, self.section.time_control
        return read.text if read and len(set(controls)) < 2 else controls_text(controls)

    @property
    def about(self) -> str:
        """How the section was played and rated."""
        section, systems = self.section, " and ".join(rated.system.title for rated in self.by_system)
        parts = (
            KINDS[section.kind],
            american_days(section.start, section.end),
            counted(len(self.columns), "round"),
            counted(len(self.rows), "player"),
            self.time_control,
            f"rated {systems}{', half K' if section.is_half_k else ''}",
            rules_text(self.by_system[0].edition),
        )
        return " · ".join(filter(None, parts))

    @property
    def numbering(self) -> str:
        """How rows are ranked, in a sentence."""
        if not self.methods:
            return NUMBERING
        return f"Ranks go by points, then by {', '.join(METHODS[name].name for name in self.methods)}."


def _said(rated: RatedSection, player: RatedPlayer) -> str:
    """What a row says of a rating; norms are of one system and stand in a column for both."""
    constants = rated.edition.constants
    return f"{pre_text(constants, player)} {post_text(constants, player)} {rests_on_assumption(player)}"


def tables_of(event: RatedEvent, tie_breaks: Sequence[str] | None = None) -> tuple[Table, ...]:
    """Every section of a rated event; with ``tie_breaks`` as standings, by the usual ones where it names none."""
    return tuple(_table(one.rated, one.report, tie_breaks) for one in event.examined if one.rated)


def _table(by_system: tuple[RatedSection, ...], reported: ReportedSection, tie_breaks: Sequence[str] | None) -> Table:
    section = by_system[0].section
    methods = () if tie_breaks is None else tuple(tie_breaks) or usual_methods(section.kind)
    at = {entry.number: index for index, entry in enumerate(section.entries)}
    if tie_breaks is None:
        order = [Placed(rank, section.entries[index].number, ()) for index, rank in ranked(by_system[0]).items()]
    else:
        order = standings(field_of(by_system[0]), methods)
    rounds = max((len(entry.cells) for entry in section.entries), default=0)
    cells = [padded(section.entries[at[one.number]], rounds) for one in order]
    columns = columns_of(cells, rounds)
    states = {player.number: player.state for player in reported.players}
    rows = tuple(
        Row(
            one.place,
            section.entries[at[one.number]],
            states[one.number],
            tuple(row[column] for column in columns),
            tuple(rated.players[at[one.number]] for rated in by_system),
            one.values,
        )
        for one, row in zip(order, cells, strict=True)
    )
    return Table(by_system, reported, tuple(column + 1 for column in columns), rows, methods)


def padded(entry: Entry, rounds: int) -> tuple[Cell, ...]:
    """The cells of a row, blank where it has fewer than there are rounds."""
    return (*entry.cells, *[_NO_CELL] * (rounds - len(entry.cells)))


def columns_of(rows: Sequence[Sequence[Cell]], rounds: int) -> list[int]:
    """The columns in order: as played, or as the rows stand where each is one player's (their own has a star)."""
    own = [[at for at, cell in enumerate(cells) if cell.result is Result.OWN_COLUMN] for cells in rows]
    first = [columns[0] for columns in own if len(columns) == 1]
    return first if len(rows) == rounds and sorted(first) == list(range(rounds)) else list(range(rounds))
