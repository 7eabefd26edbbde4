"""What stands below a crosstable: norms, floors, where ratings come from, what was assumed.

Findings are not among them: a crosstable is for the wall, and they are for the director.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.output.by_place import Row, Table
from crosstable.output.words import printable
from crosstable.pipeline.rating import RatedEvent
from crosstable.rules.editions import LAW_SEEN_THROUGH
from crosstable.sentences import american, spans
from crosstable.terms import NORM_CODES, Formula

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


LEGEND = (
    "W won, L lost, D drew, with the opponent's number and w for White, b for Black; N, R, S won, drew, lost where the "
    "two sides disagree; X won by forfeit, F lost by forfeit, B full-point bye, H half-point bye, U or Z not played."
)
RATINGS = "1500P12 is a provisional rating on 12 games. An asterisk marks results that rest on something assumed."
COMPUTED = f"Ratings are computed, not official. The rules were seen through the text of {american(LAW_SEEN_THROUGH)}."
ORIGINS, ASSUMED = "Ratings not from the report", "Assumed"
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
        "Floors and limits": _limits(results),
        ORIGINS: _grouped(results, lambda player: [player.origin] if player.origin else []),
        ASSUMED: _grouped(results, lambda player: player.assumed),
        RANGES: _ranges(event, results),
    }
    found = {heading: tuple(map(printable, lines)) for heading, lines in kinds.items()}
    return [Notes(heading, lines) for heading, lines in found.items() if lines]


def floor_text(player: RatedPlayer) -> str:
    """The floor that acted, with its level: ``peak 1700``; nothing where none did."""
    if player.formula is Formula.NONE or not player.outcome.floor_kind:
        return ""
    return f"{player.outcome.floor_kind.name.lower().replace('_', ' ')} {player.outcome.floor_level:g}"


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


def _limits(results: Sequence[_Result]) -> Iterator[str]:
    for result in results:
        player = result.player
        if player.formula is Formula.NONE:
            continue
        start = f"{result.place}, {result.rated.system.title}"
        if not math.isnan(player.outcome.limited_change):
            yield f"{start}: the limits of match play leave a change of {player.outcome.limited_change:+.2f}."
        if floor := floor_text(player):
            yield f"{start}: held at the floor, {floor}."
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
