"""A walk that also keeps the whole standing before and after every section, and how newcomers started.

The compiled walk keeps what a replay is asked for: ratings. An office posts more of a section than that, so each
stretch is walked a second time from the same standings: not to rate it again, but to carry the records along.
"""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from crosstable.engine import RatedSection
from crosstable.folding import Decision, Opening
from crosstable.formulas.initial import SOURCES, Newcomer, Sources, initial_rating, is_source
from crosstable.formulas.norms import NO_NORM
from crosstable.formulas.tally import tally_after
from crosstable.history.index import Index
from crosstable.history.kernel.arrays import AFTER, STANDING, SYSTEMS, WORKING, Array, Standings, Tables, whole
from crosstable.history.kernel.compiling import compiled, inner
from crosstable.history.kernel.section import (
    PEAKS_FROM,
    SOUND,
    Scratch,
    keep,
    newcomer_tally,
    scratch_for,
    share_in,
    store,
    tally_at,
)
from crosstable.history.kernel.starting import age_in, lay_sources
from crosstable.history.replay import Stop, Walker
from crosstable.rules.constants import Constants, Initialisation
from crosstable.terms import PlayerRating, Source

BLEND = Initialisation.BLEND.value
AGE = Source.AGE.value

# How somebody who was unrated started: the source taken, those that counted as a set, and what they gave (§2).
START = np.dtype(
    [
        ("source", "i8"),
        ("total_weight", "f8"),
        ("mean", "f8"),
        ("rating", "f8"),
        ("games", "f8"),
        ("counted", "u1"),
        ("is_new", "u1"),
    ]
)
LOWERED = np.dtype([("before", "f8"), ("after", "f8")])


class Records(NamedTuple):
    """What is kept of a block of sections: a row per row of results from ``base`` on."""

    base: int
    before: Array
    after: Array
    lowered: Array
    starts: Array


def records_for(base: int, rows: int) -> Records:
    """Room for so many rows."""
    return Records(
        base,
        np.zeros(rows, dtype=STANDING),
        np.zeros(rows, dtype=STANDING),
        np.zeros(rows, dtype=LOWERED),
        np.zeros(rows, dtype=START),
    )


@inner
def lowered_floor(standings: Standings, one: Array) -> float:
    """The floor that was lowered for a member, infinite where none was."""
    return float(standings.decided[one.decided].lowered_floor) if one.decided > 0 else math.inf


@inner
def lay_nothing(room: Array) -> None:
    """The sources of somebody of whom nothing is asked."""
    for source in range(SOURCES):
        room[0, source] = math.nan
        room[1, source] = math.inf
        room[2, source] = 0.0
        room[3, source] = math.nan


class Starter(NamedTuple):
    """Somebody unrated in a section; a start is needed if he plays or is met."""

    section: int
    member: int
    is_needed: bool


@inner
def record_start(constants: Constants, tables: Tables, who: Starter, system: int, room: Array, start: Array) -> None:
    """Where somebody who was unrated started, and from what (§2)."""
    section = tables.history.sections[who.section]
    newcomer = Newcomer(math.nan, False, False)
    if who.is_needed:
        lay_sources(tables, who.member, section, room)
        person = tables.history.people[who.member]
        newcomer = Newcomer(age_in(person.born, section.end), person.is_adult != 0, person.is_canadian != 0)
    else:
        lay_nothing(room)
    initial = initial_rating(constants, system, newcomer, Sources(room[0], room[1], room[2], room[3]), room[4])
    counted = 0
    if constants.initialisation == BLEND:
        for source in range(SOURCES):
            if source != system and is_source(constants, newcomer, source, room[0, source]):
                counted |= 1 << source
    elif initial.source != AGE:
        counted = 1 << initial.source
    start.source, start.total_weight, start.mean = initial.source, initial.total_weight, initial.mean
    start.rating, start.games, start.counted, start.is_new = initial.rating, initial.games, counted, 1


class Turn(NamedTuple):
    """A section in one of its systems, the system by its number and by its rank among those of the section."""

    section: int
    system: int
    rank: int


@inner
def record_before(constants: Constants, tables: Tables, turn: Turn, records: Records, scratch: Scratch) -> None:
    """The standings before a section in one system, and the records after it, not stored yet."""
    number, system, rank = turn.section, turn.system, turn.rank
    section = tables.history.sections[number]
    low, high = section.first, tables.history.sections[number + 1].first
    for at in range(high - low):
        competitor = tables.history.competitors[low + at]
        played = whole(tables.history.competitors[low + at + 1].first - competitor.first)
        row = section.row + rank * (high - low) + at
        one = tables.standings.standings[tables.history.places[row]]
        records.before[row - records.base] = one
        records.lowered[row - records.base].before = lowered_floor(tables.standings, one)
        start = records.starts[row - records.base]
        is_new = math.isnan(one.rating)
        if is_new:
            is_needed = played > 0 or competitor.is_met != 0
            who = Starter(number, competitor.member, is_needed)
            record_start(constants, tables, who, system, scratch.sources, start)
        if played > 0:
            before = newcomer_tally(start.games) if is_new else tally_at(tables.standings, one)
            rating = tables.results.ratings[AFTER, row]
            share = share_in(section, competitor, played)
            after = tally_after(constants, before, share, rating, section.end >= PEAKS_FROM)
            keep(scratch.pending[rank, at], one, after, section.end, is_new)


@compiled
def record_stretch(numbers: Array, tables: Tables, span: Array, records: Records, scratch: Scratch) -> None:
    """Carry the records through the sections from ``span[0]`` up to ``span[1]``, whose ratings are known."""
    for number in range(span[0], span[1]):
        section = tables.history.sections[number]
        constants = numbers[section.edition]
        if tables.results.faults[number] != SOUND or tables.history.sections[number + 1].first == section.first:
            continue
        systems = 0
        for system in range(SYSTEMS):
            if section.systems & (1 << system) != 0:
                record_before(constants, tables, Turn(number, system, systems), records, scratch)
                systems += 1
        for rank in range(systems):
            store(tables, number, rank, scratch)
        for row in range(section.row, tables.history.sections[number + 1].row):
            one = tables.standings.standings[tables.history.places[row]]
            records.after[row - records.base] = one
            records.lowered[row - records.base].after = lowered_floor(tables.standings, one)


class Moved(NamedTuple):
    """An opening or a decision that moved a member's standing."""

    what: Opening | Decision
    member: int
    before: PlayerRating | None
    after: PlayerRating


class PlainlyRated(NamedTuple):
    """A section that the plain engine rated, or could not rate."""

    section: int
    rated: Sequence[RatedSection]
    unratable: str


class OpenedRows(NamedTuple):
    """Openings of one day, rows of the archive's table, and the standings that were there before."""

    rows: pl.DataFrame
    before: Array


class Block(NamedTuple):
    """What happened from one section up to another, and what else happened between them."""

    first: int
    last: int
    records: Records
    moved: list[Moved]
    opened: list[OpenedRows]
    plainly: list[PlainlyRated]


Take = Callable[[Block], None]


class Recorder(Walker):
    """A walker that hands over what it recorded, block by block, from a section on."""

    keeps_order = True

    def __init__(self, index: Index, first: int, threads: int | None = None) -> None:
        super().__init__(index, threads)
        self.first = first
        self.at_first: Standings = self.standings  # as they are where the recording begins
        self.why_not: Callable[[Walker, int], str] | None = None
        self.reasons: dict[int, str] = {}  # of sections that could not be rated, where somebody can say why
        self._block: Block | None = None
        scratch: Any = self._scratch
        self._room: Scratch = scratch[0] if scratch else scratch_for(1, 1)

    def blocks(self, sections: int, take: Take) -> list[Stop]:
        """Stops of the walk that hand over a block and begin the next, every so many sections."""
        places = [*range(self.first, self.index.sections, sections)] or [self.first]
        ends = [*places[1:], self.index.sections]
        return [
            Stop(first, 0, 0, lambda walker, span=(first, last): self._begin(span, take))  # type: ignore[misc]
            for first, last in zip(places, ends, strict=True)
        ]

    def finish(self, take: Take) -> None:
        """Hand over the last block."""
        if self._block is not None:
            take(self._block)
            self._block = None

    def _begin(self, span: tuple[int, int], take: Take) -> None:
        if self._block is None:
            self.at_first = Standings(*(array.copy() for array in self.standings))
            self._keep_working(int(self.index.history.sections[span[0]]["row"]))
        self.finish(take)
        sections = self.index.history.sections
        base = int(sections[span[0]]["row"])
        records = records_for(base, int(sections[span[1]]["row"]) - base)
        self._block = Block(*span, records, [], [], [])

    def _keep_working(self, base: int) -> None:
        """Keep the working from a row on; memory for those before is never touched."""
        working = np.zeros(self.index.rows, dtype=WORKING)
        working["norm"][base:] = NO_NORM
        self.results = self.results._replace(working=working)

    def _go(self, pool: ThreadPoolExecutor, first: int, last: int) -> None:
        if self._block is None:
            super()._go(pool, first, last)
            return
        history, arrays = self.index.history, self.standings
        rows = slice(int(history.sections[first]["row"]), int(history.sections[last]["row"]))
        places = np.unique(history.places[rows])
        standings, decided = arrays.standings[places], arrays.decided.copy()
        for fault in self._faults(pool, first, last):  # once more up to there, to see from what it was to be rated
            arrays.standings[places], arrays.decided[:] = standings, decided
            self._done[first:last] = 0
            super()._go(pool, first, fault)
            if self.why_not is not None:
                self.reasons[fault] = self.why_not(self, fault)
        arrays.standings[places], arrays.decided[:] = standings, decided
        span = np.array([first, last], dtype=np.int64)
        tables = Tables(history, arrays, self.results)
        record_stretch(self.constants, tables, span, self._block.records, self._room)

    def _faults(self, pool: ThreadPoolExecutor, first: int, last: int) -> list[int]:
        """Rate a stretch; the sections of it that could not be rated."""
        super()._go(pool, first, last)
        found: list[int] = (first + np.flatnonzero(self.results.faults[first:last] != SOUND)).tolist()
        return found

    def note_openings(self, rows: pl.DataFrame, before: Array) -> None:
        """Keep openings of a day."""
        if self._block is not None:
            self._block.opened.append(OpenedRows(rows, before))

    def note_move(
        self, what: Opening | Decision, member: int, before: PlayerRating | None, after: PlayerRating
    ) -> None:
        """Keep what moved a standing."""
        if self._block is not None:
            self._block.moved.append(Moved(what, member, before, after))

    def note_rated(self, section: int, rated: Sequence[RatedSection], unratable: str) -> None:
        """Keep what the plain engine found."""
        if self._block is not None:
            self._block.plainly.append(PlainlyRated(section, rated, unratable))
