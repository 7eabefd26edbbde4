"""Replay: a whole history rated by compiled code, with the same bits as the engine one section after the other.

Where something happens that is no section (a starting rating, a decision) the replay halts at a checkpoint, plain code
does it on the same rating records, and the replay goes on. A ``Recorder`` also keeps the whole rating record before and
after every section, and how unrated players started.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import date
from typing import NamedTuple

import numpy as np
import polars as pl

from crosstable.engine.after import NO_LIMITS, decided_floor
from crosstable.engine.foreign import not_found_abroad
from crosstable.engine.records import NUMBERS, put_numbers, with_numbers
from crosstable.engine.starts import not_found
from crosstable.history.index import Index
from crosstable.history.kernel.arrays import (
    DECIDED,
    MATCH_CHANGE,
    Array,
    RecordArrays,
    Results,
    Scratch,
    Tables,
    no_ratings,
    records_for,
    scratch_for,
    unrated,
    working_for,
)
from crosstable.history.kernel.compiling import constants_for
from crosstable.history.kernel.replaying import Stretch, lay_order, replay_share
from crosstable.history.kernel.section import FIRST_ABROAD, KIND_YOUTH, NOT_FOUND
from crosstable.history.record_frames import IN_ROW
from crosstable.machine import processors
from crosstable.replaying import Decision, StartingRating
from crosstable.rules.constants import Initialisation
from crosstable.rules.editions import EDITIONS
from crosstable.rules.rule_sets import OFFICIAL, RuleSet
from crosstable.terms import Floor, MatchChange, PlayerRating, RatingSystem, Source

Pair = tuple[int, RatingSystem]
# The number of a rating record that lies with what is decided.
IN_DECIDED = tuple(name for name in NUMBERS if name in (DECIDED.names or ()))


def no_limits(rows: int) -> Array:
    """Room for what is decided of so many members and systems; place 0 stands for everybody else."""
    made = np.zeros(rows + 1, dtype=DECIDED)
    made["floor_kind"] = NO_LIMITS.decided.kind.value
    made["floor_level"], made["ceiling"], made["lowered_floor"] = -math.inf, math.inf, math.inf
    return made


class ArrayRecords:
    """Reads and writes single rating records of the arrays."""

    def __init__(self, arrays: RecordArrays, place_of: Array) -> None:
        self.arrays = arrays
        self.place_of = place_of

    def _row(self, member: int, system: RatingSystem) -> Array:
        return self.arrays.standings.view(np.recarray)[self.place_of[member, int(system)]]

    def _decided(self, row: Array) -> Array:
        return self.arrays.decided.view(np.recarray)[row.decided]

    def of(self, member: int) -> Mapping[RatingSystem, PlayerRating]:
        """A member's rating records, without what decisions say of floors."""
        found = {}
        rated = int(self.arrays.rated[member])
        for system in RatingSystem:
            if not rated >> int(system) & 1:
                continue
            row = self._row(member, system)
            if not math.isnan(row.rating):
                blank = PlayerRating(math.nan, match_changes=self.match_changes(int(row.match)))
                found[system] = with_numbers(with_numbers(blank, row, IN_ROW), self._decided(row), IN_DECIDED)
        return found

    def match_changes(self, newest: int) -> tuple[MatchChange, ...]:
        """Match changes from the oldest to the one at a place."""
        found = []
        while newest > 0:
            row = self.arrays.match_changes[newest]
            found.append(MatchChange(date.fromordinal(int(row["day"])), float(row["change"])))
            newest = int(row["earlier"])
        return tuple(reversed(found))

    def put(self, member: int, system: RatingSystem, record: PlayerRating) -> None:
        """Write a rating record; its match changes and what is decided stay where they are."""
        row = self._row(member, system)
        self.arrays.rated[member] |= 1 << int(system)
        put_numbers(row, record, IN_ROW)
        if row.decided > 0:
            put_numbers(self._decided(row), record, IN_DECIDED)

    def put_match_changes(self, member: int, system: RatingSystem, changes: Mapping[int, MatchChange]) -> None:
        """Write the match changes of a starting rating into the places that were kept for them, oldest first."""
        row = self._row(member, system)
        newest = 0
        for place, change in changes.items():
            self.arrays.match_changes[place] = (change.on.toordinal(), newest, change.change)
            newest = place
        row.match = newest


class Limits(NamedTuple):
    """Floors and ceiling of one member in one system, from the section whose results begin at ``since``."""

    pair: Pair
    since: int
    floors: tuple[Floor, ...]
    ceiling: float | None


def decided_rows(pairs: Sequence[Pair], limits: Sequence[Limits]) -> Array:
    """Everything that is ever decided: a row for each member and system, and those that follow it, in order."""
    rows = no_limits(len(pairs) + len(limits))
    last = {pair: place for place, pair in enumerate(pairs, 1)}
    for place, limit in enumerate(limits, 1 + len(pairs)):
        level = decided_floor(PlayerRating(math.nan, floors=limit.floors))
        rows[place]["floor_kind"], rows[place]["floor_level"] = level.kind.value, level.level
        rows[place]["ceiling"] = math.inf if limit.ceiling is None else limit.ceiling
        rows[place]["since"] = limit.since
        rows[last[limit.pair]]["later"] = place
        last[limit.pair] = place
    return rows


def keep_places(arrays: RecordArrays, place_of: Array, pairs: Sequence[Pair]) -> None:
    """Let the rating record of each member and system about whom something is ever decided point to it."""
    for place, (member, system) in enumerate(pairs, 1):
        arrays.standings[place_of[member, int(system)]]["decided"] = place


Progress = Callable[[int], None]
# Shorter stretches are not worth a second thread.
WORTH_SHARING = 64
# Progress is told after so many sections.
LEG = 20_000


def in_silence(done: int) -> None:
    """Progress that nobody watches."""


class Checkpoint(NamedTuple):
    """Something that plain code does before a section; day and rank order what is done at one place."""

    before: int
    day: int
    rank: int
    act: Callable[["Replayer"], None]

    @property
    def place(self) -> tuple[int, int, int]:
        """Where it stands among the others."""
        return self.before, self.day, self.rank


# Ranks of checkpoints on one day: the year is closed, then come starting ratings and decisions.
CLOSING, DECIDING = range(2)


class Replayer:
    """A history while it is replayed: rating records now, and every result so far."""

    # Whether results are kept until the end.
    keeps_all = True

    def __init__(
        self,
        index: Index,
        threads: int | None = None,
        *,
        keeps_working: bool = False,
        rules: RuleSet = OFFICIAL,
    ) -> None:
        """A replay of an index, by the official rules of each section's day or by a rule set."""
        self.index = index
        self.rules = rules
        self.threads = threads or processors()
        rows = index.rows if self.keeps_all else 0
        with ThreadPoolExecutor(1) as beside:  # both are large, and memory that is written for the first time is slow
            ratings = beside.submit(no_ratings, rows)
            standings = unrated(index.standings)
        self.standings = RecordArrays(
            standings,
            no_limits(0),
            np.zeros(index.match_slots + 1, dtype=MATCH_CHANGE),
            np.zeros(len(index.history.people), dtype=np.uint8),
        )
        working = working_for(rows if keeps_working else 0)
        faults, missing = np.zeros(index.sections, dtype=np.uint8), np.zeros(index.sections)
        self.results = Results(ratings.result(), working, faults, missing, records_for(0, 0))
        self._done = np.zeros(index.sections, dtype=np.uint8)
        self._order = np.zeros(index.sections, dtype=np.int32)
        widest, longest = _largest(index)
        self._scratch: Sequence[Scratch] = [scratch_for(widest, longest) for _ in range(self.threads)]
        self.constants = constants_of(rules)

    def replay(self, checkpoints: Sequence[Checkpoint] = (), progress: Progress = in_silence, first: int = 0) -> None:
        """Rate everything from a section on, stopping where something else is to be done."""
        with ThreadPoolExecutor(self.threads) as pool:
            at = first
            for checkpoint in (*checkpoints, None):
                end = self.index.sections if checkpoint is None else checkpoint.before
                for begin in range(at, end, LEG):
                    last = min(begin + LEG, end)
                    self._go(pool, begin, last)
                    progress(last)
                at = max(at, end)
                if checkpoint is not None:
                    checkpoint.act(self)

    def _go(self, pool: ThreadPoolExecutor, first: int, last: int) -> None:
        threads = self.threads if last - first >= WORTH_SHARING else 1
        lay_order(self.index.history, first, last, self._order)
        span = np.array([0, first, last, threads], dtype=np.int64)
        faults: list[BaseException] = []
        if threads == 1:
            self._share(span, 0, faults)
            return
        shares = [pool.submit(self._share, span, thread, faults) for thread in range(threads)]
        wait(shares)
        if faults:
            raise faults[0]

    def _share(self, span: Array, thread: int, faults: list[BaseException]) -> None:
        """One thread's share of a stretch. The first fault is the cause of all others: nobody goes on after it."""
        tables = Tables(self.index.history, self.standings, self.results)
        try:
            replay_share(self.constants, tables, Stretch(span, self._order, self._done), self._scratch[thread])
        except BaseException as error:
            faults.append(error)
            span[0] = span[2]  # no more turns
            self._done[span[1] : span[2]] = 1  # nobody waits for what will not come
            raise

    def why_not(self, section: int) -> str:
        """Why a section could not be rated."""
        row = self.index.history.sections[section]
        edition = self.rules.edition(EDITIONS[int(row["edition"])])
        if self.results.faults[section] == NOT_FOUND:
            return f"section {section} of the history: a special rating was not found"
        fide = float(self.results.missing[section])
        if row["kind"] >= FIRST_ABROAD:
            return not_found_abroad(edition, fide, is_youth=row["kind"] == KIND_YOUTH)
        return not_found(edition, Source.FIDE, fide)

    # What plain code did where the replay stopped; one that only rates does not listen.

    def note_openings(self, rows: pl.DataFrame, before: Array) -> None:
        """Starting ratings of one day were entered, over these rating records."""

    def note_move(
        self, what: StartingRating | Decision, member: int, before: PlayerRating | None, after: PlayerRating
    ) -> None:
        """A starting rating or a decision changed a rating record."""


def constants_of(rules: RuleSet) -> Array:
    """The numbers of every edition under a rule set, a row each."""
    found: Array = np.concatenate([constants_for(rules.edition(edition).constants) for edition in EDITIONS])
    return found


def _largest(index: Index) -> tuple[int, int]:
    sections, competitors = index.history.sections, index.history.competitors
    widest = int(np.diff(sections["first"]).max(initial=1))
    sides = np.diff(competitors["first"][sections["first"]])
    return widest, int(sides.max(initial=1))


BLEND = Initialisation.BLEND.value


class Moved(NamedTuple):
    """A starting rating or a decision that changed a member's rating record."""

    what: StartingRating | Decision
    member: int
    before: PlayerRating | None
    after: PlayerRating


class OpenedRows(NamedTuple):
    """Starting ratings of one day, rows of the archive's table, and the rating records that were there before."""

    rows: pl.DataFrame
    before: Array


class Block(NamedTuple):
    """What happened from one section up to another, and what else happened between them."""

    first: int
    last: int
    results: Results
    moved: list[Moved]
    opened: list[OpenedRows]


Take = Callable[[Block], None]


class Recorder(Replayer):
    """A replay that hands over what it recorded, block by block; nothing of a block is kept after that."""

    keeps_all = False

    def __init__(self, index: Index, threads: int | None = None) -> None:
        super().__init__(index, threads)
        self._block: Block | None = None

    def blocks(self, sections: int, take: Take) -> list[Checkpoint]:
        """Stops of the replay that hand over a block and begin the next, every so many sections."""
        places = [*range(0, self.index.sections, sections)] or [0]
        ends = [*places[1:], self.index.sections]
        return [
            Checkpoint(first, 0, 0, lambda replayer, span=(first, last): self._begin(span, take))  # type: ignore[misc]
            for first, last in zip(places, ends, strict=True)
        ]

    def finish(self, take: Take) -> None:
        """Hand over the last block."""
        if self._block is not None:
            take(self._block)
            self._block = None

    def _begin(self, span: tuple[int, int], take: Take) -> None:
        self.finish(take)
        base, end = (int(self.index.history.sections[at]["row"]) for at in span)
        rows = end - base
        self.results = self.results._replace(
            ratings=no_ratings(rows), working=working_for(rows), records=records_for(base, rows)
        )
        self._block = Block(*span, self.results, [], [])

    def note_openings(self, rows: pl.DataFrame, before: Array) -> None:
        """Keep starting ratings of a day."""
        if self._block is not None:
            self._block.opened.append(OpenedRows(rows, before))

    def note_move(
        self, what: StartingRating | Decision, member: int, before: PlayerRating | None, after: PlayerRating
    ) -> None:
        """Keep what changed a rating record."""
        if self._block is not None:
            self._block.moved.append(Moved(what, member, before, after))
