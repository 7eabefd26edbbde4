"""Replay: a whole history rated by compiled code, with the same bits as the engine one section after the other.

Where something happens that is no section (a starting rating, a decision) the replay halts at a checkpoint, plain code
does it on the same rating records, and the replay goes on.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import NamedTuple

import numpy as np
import polars as pl

from crosstable.engine.foreign import not_found_abroad
from crosstable.engine.starts import not_found
from crosstable.history.array_records import no_limits
from crosstable.history.index import Index
from crosstable.history.kernel.arrays import (
    MATCH_CHANGE,
    WORKING,
    Array,
    RecordArrays,
    Results,
    Tables,
    no_ratings,
    records_for,
    unrated,
)
from crosstable.history.kernel.compiling import constants_for
from crosstable.history.kernel.replaying import Stretch, lay_order, replay_share
from crosstable.history.kernel.section import FIRST_ABROAD, KIND_YOUTH, NOT_FOUND, Scratch, scratch_for
from crosstable.replaying import Decision, StartingRating
from crosstable.rules.editions import EDITIONS
from crosstable.rules.rule_sets import OFFICIAL, RuleSet
from crosstable.terms import PlayerRating, Source

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
        self.threads = threads or len(os.sched_getaffinity(0))
        with ThreadPoolExecutor(1) as beside:  # both are large, and memory that is written for the first time is slow
            ratings = beside.submit(no_ratings, index.rows)
            standings = unrated(index.standings)
        self.standings = RecordArrays(
            standings,
            no_limits(0),
            np.zeros(index.match_slots + 1, dtype=MATCH_CHANGE),
            np.zeros(len(index.history.people), dtype=np.uint8),
        )
        working = np.zeros(index.rows if keeps_working else 0, dtype=WORKING)
        working["norm"] = -1
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
