"""A crosstable before it is drawn: its rows in the order in which US Chess posts them, and the notes below them.

A player has one number everywhere: that of the report. The rank is the row's place in this order, or, in standings, the
place by points and tie-breaks (official facts §4).

What stands below a crosstable: norms, floors, where ratings come from, what was assumed. Findings are not among them:
a crosstable is for the wall, and they are for the director.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.output.tie_breaks import METHODS, Placed, field_of, standings, usual_methods
from crosstable.output.words import (
    KINDS,
    controls_text,
    post_text,
    pre_text,
    printable,
    rests_on_assumption,
    rules_text,
)
from crosstable.pipeline.rating import RatedEvent
from crosstable.pipeline.results import ranked
from crosstable.rules.editions import LAW_SEEN_THROUGH
from crosstable.sentences import american, american_days, counted, spans
from crosstable.terms import NORM_CODES, Cell, Entry, Formula, ReportedSection, Result, Section

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


# The seven levels of norms (official facts §1).
NORM_TITLES: Mapping[str, str] = {
    "4": "Fourth Category",
    "3": "Third Category",
    "2": "Second Category",
    "1": "First Category",
    "C": "Candidate Master",
    "M": "Life Master",
    "S": "Life Senior Master",
}

CODES: Mapping[Result, str] = {
    Result.WIN: "W won",
    Result.LOSS: "L lost",
    Result.DRAW: "D drew",
    Result.WIN_ONE_SIDED: "N won, which the opponent's row does not show",
    Result.DRAW_ONE_SIDED: "R drew, which the opponent's row does not show",
    Result.LOSS_ONE_SIDED: "S lost, which the opponent's row does not show",
    Result.FORFEIT_WIN: "X won by forfeit",
    Result.FORFEIT_LOSS: "F lost by forfeit",
    Result.FORFEIT_DRAW: "Y drew by forfeit",
    Result.FULL_BYE: "B full-point bye",
    Result.HALF_BYE: "H half-point bye",
    Result.UNPAIRED: "U not paired",
    Result.ZERO_BYE: "Z zero-point bye",
}
OPPONENTS, COLOURS = "the number is the opponent's", ", w is White, b is Black"
_PROVISIONAL = re.compile(r"\d+P(\d+)")
STARS = "An asterisk marks results that rest on something assumed."
COMPUTED = f"Ratings are computed, not official. The rules were seen through the text of {american(LAW_SEEN_THROUGH)}."
FLOORS, ORIGINS, ASSUMED = "Floors", "Ratings not from the report", "Assumed"
RANGES = "Results that an assumption may change"
WORKING = (ORIGINS, ASSUMED, RANGES)


class Notes(NamedTuple):
    """Notes of one kind, under their heading; those on the working are for the director, not for the wall."""

    heading: str
    lines: tuple[str, ...]

    @property
    def is_working(self) -> bool:
        """Whether they say how the numbers came about."""
        return self.heading in WORKING


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


def legend(tables: Sequence[Table]) -> list[str]:
    """Sentences: what the codes and marks that stand in these tables mean, and no others."""
    rows = [(table, row) for table in tables for row in table.rows]
    cells = [cell for _, row in rows for cell in row.cells]
    texts = [text for code, text in CODES.items() if any(cell.result is code for cell in cells)]
    colours = COLOURS if any(cell.colour for cell in cells) else ""
    ratings = [
        text(rated.edition.constants, player)
        for table, row in rows
        for rated, player in zip(table.by_system, row.players, strict=True)
        for text in (pre_text, post_text)
    ]
    said = (
        tables[0].numbering,
        f"{', '.join(texts)}; {OPPONENTS}{colours}.",
        next(map(_provisional, filter(None, map(_PROVISIONAL.fullmatch, ratings))), ""),
        STARS if any(rests_on_assumption(player) for _, row in rows for player in row.players) else "",
        COMPUTED,
    )
    return [text for text in said if text]


def _provisional(found: re.Match[str]) -> str:
    """What a provisional rating of the table means, whatever number of games makes one established."""
    return f"{found[0]} is a provisional rating on {counted(int(found[1]), 'game')}."


class _Result(NamedTuple):
    table: Table
    rated: RatedSection
    row: Row
    player: RatedPlayer

    @property
    def place(self) -> str:
        """The player in the words of a note."""
        return f"Section {self.table.section.number}, player {self.row.entry.number}, {self.row.entry.name}"


def notes_of(event: RatedEvent, tables: Sequence[Table]) -> list[Notes]:
    """Every kind of note that has something to say; nothing in them is markup, and all of it can be printed."""
    results = [
        _Result(table, rated, row, row.players[at])
        for table in tables
        for row in table.rows
        for at, rated in enumerate(table.by_system)
    ]
    kinds: Mapping[str, Iterator[str] | Sequence[str]] = {
        "Rules": _rules(tables),
        "Norms": _norms(results),
        FLOORS: _floors(results),
        "Limits": _limits(results),
        ORIGINS: _grouped(results, lambda player: [player.origin] if player.origin else []),
        ASSUMED: _grouped(results, lambda player: player.assumed),
        RANGES: _ranges(event, results),
    }
    found = {heading: tuple(map(printable, lines)) for heading, lines in kinds.items()}
    return [Notes(heading, lines) for heading, lines in found.items() if lines]


def floor_text(player: RatedPlayer) -> str:
    """The floor that acted, with its level: ``peak floor 1700``; nothing where none did."""
    if player.formula is Formula.NONE or not player.outcome.floor_kind:
        return ""
    return f"{player.outcome.floor_kind.name.lower().replace('_', ' ')} floor {player.outcome.floor_level:g}"


def _rules(tables: Sequence[Table]) -> Iterator[str]:
    """The rule set by which sections were rated, where it was not the official rules."""
    titles = dict.fromkeys(table.by_system[0].edition.title for table in tables if table.by_system[0].edition.ruled)
    for title in titles:
        yield f"Not rated by the official rules, but by those of {title}."


def _norms(results: Sequence[_Result]) -> Iterator[str]:
    """A line for every section and level, highest first, with the players who earned it."""
    earned: dict[tuple[int, int], list[str]] = {}
    for result in results:
        if norm := result.player.norm:
            who = f"{result.row.entry.name} (No. {result.row.entry.number})"
            earned.setdefault((result.table.section.number, NORM_CODES.index(norm)), []).append(who)
    for (section, level), names in sorted(earned.items(), key=lambda item: (item[0][0], -item[0][1])):
        yield f"Section {section}, norm {NORM_CODES[level]}, {NORM_TITLES[NORM_CODES[level]]}: {'; '.join(names)}."


def _floors(results: Sequence[_Result]) -> Iterator[str]:
    for result in results:
        if floor := floor_text(result.player):
            yield f"{result.place}, {result.rated.system.title}: held at the {floor}."


def _limits(results: Sequence[_Result]) -> Iterator[str]:
    for result in results:
        player = result.player
        if player.formula is Formula.NONE:
            continue
        start = f"{result.place}, {result.rated.system.title}"
        if not math.isnan(player.outcome.limited_change):
            yield f"{start}: the limits of match play leave a change of {player.outcome.limited_change:+.2f}."
        if not math.isnan(player.outcome.requested_floor):
            yield f"{start}: counts as a request for a floor of {player.outcome.requested_floor:g}."
        if player.outcome.is_at_ceiling:
            yield f"{start}: held at a ceiling."


def _grouped(results: Sequence[_Result], texts: Callable[[RatedPlayer], Sequence[str]]) -> Iterator[str]:
    """Each text once for a section, with the players it concerns."""
    players: dict[tuple[int, str], list[int]] = {}
    for result in results:
        for text in texts(result.player):
            players.setdefault((result.table.section.number, str(text)), []).append(result.row.entry.number)
    for (section, text), numbers in players.items():
        yield f"Section {section}, {'players' if len(set(numbers)) > 1 else 'player'} {spans(numbers)}: {text}."


def _ranges(event: RatedEvent, results: Sequence[_Result]) -> Iterator[str]:
    for result in results:
        key = (result.table.section.number, result.rated.system, result.player.number)
        if key in event.ranges:
            least, most = event.ranges[key]
            yield f"{result.place}, {result.rated.system.title}: between {least:.2f} and {most:.2f}."
