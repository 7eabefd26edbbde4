"""Replay: a whole history rated by the compiled walk, with the same bits as the plain engine.

Where something rare happens that is no section (an opening standing, a decision) the walk stops, plain code does it on
the same standings, and the walk goes on. Rare sections (foreign events, starts set by hand) are rated by plain code, by
the thread whose turn it is; other threads go on meanwhile.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Lock
from typing import NamedTuple

import numpy as np
import polars as pl

from crosstable.engine import RatedSection
from crosstable.folding import Decision, Opening
from crosstable.history.index import Index
from crosstable.history.kernel.arrays import (
    MATCH_CHANGE,
    WORKING,
    Array,
    Results,
    Standings,
    Tables,
    no_ratings,
    unrated,
)
from crosstable.history.kernel.compiling import constants_for
from crosstable.history.kernel.section import Scratch, scratch_for
from crosstable.history.kernel.walk import NO_SECTION, NOT_YET, Stretch, lay_order, say_done, walk_share
from crosstable.history.standings import no_limits
from crosstable.rules.editions import EDITIONS
from crosstable.rules.rule_sets import OFFICIAL, RuleSet
from crosstable.terms import PlayerRating

Progress = Callable[[int], None]
# Shorter stretches are not worth a second thread.
WORTH_SHARING = 64
# Progress is told after so many sections.
LEG = 20_000


def in_silence(done: int) -> None:
    """Progress that nobody watches."""


class Stop(NamedTuple):
    """Something rare that happens before a section, done by plain code; day and rank order those of one place."""

    before: int
    day: int
    rank: int
    act: Callable[["Walker"], None]

    @property
    def place(self) -> tuple[int, int, int]:
        """Where it stands among the others."""
        return self.before, self.day, self.rank


# Ranks of stops on one day: the year is closed, then openings and decisions, then a section.
CLOSING, DECIDING, RATING = range(3)


class Walker:
    """A history while it is walked: standings now, and every result so far.

    Sections that plain code rates are rated by the thread whose turn it is, once those they depend on are done; a walk
    that ``keeps_order`` stops for each of them.
    """

    keeps_order = False

    def __init__(
        self,
        index: Index,
        threads: int | None = None,
        *,
        keeps_working: bool = False,
        rules: RuleSet = OFFICIAL,
    ) -> None:
        """A walk over an index, by the official rules of each section's day or by a rule set."""
        self.index = index
        self.rules = rules
        self.threads = threads or len(os.sched_getaffinity(0))
        with ThreadPoolExecutor(1) as beside:  # both are large, and memory that is written for the first time is slow
            ratings = beside.submit(no_ratings, index.rows)
            standings = unrated(index.standings)
        self.standings = Standings(
            standings,
            no_limits(0),
            np.zeros(index.match_slots + 1, dtype=MATCH_CHANGE),
            np.zeros(len(index.history.people), dtype=np.uint8),
        )
        working = np.zeros(index.rows if keeps_working else 0, dtype=WORKING)
        working["norm"] = -1
        self.results = Results(ratings.result(), working, np.zeros(index.sections, dtype=np.uint8))
        self._done = np.zeros(index.sections, dtype=np.uint8)
        self._order = np.zeros(index.sections, dtype=np.int32)
        widest, longest = _largest(index)
        self._scratch: Sequence[Scratch] = [scratch_for(widest, longest) for _ in range(self.threads)]
        self.constants = constants_of(rules)
        self._plain: Mapping[int, Stop] = {}
        self._plainly = Lock()

    def walk(self, stops: Sequence[Stop] = (), progress: Progress = in_silence, first: int = 0) -> None:
        """Rate everything from a section on, stopping where something rare happens."""
        self._plain = {} if self.keeps_order else {stop.before: stop for stop in stops if stop.rank == RATING}
        halts = [stop for stop in stops if self.keeps_order or stop.rank != RATING]
        with ThreadPoolExecutor(self.threads) as pool:
            at = first
            for stop in (*halts, None):
                end = self.index.sections if stop is None else stop.before
                for first, last in self._stretches(at, end):
                    self._go(pool, first, last)
                    progress(last)
                at = max(at, end)
                if stop is not None:
                    stop.act(self)

    def _stretches(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Sections after each other, without those that the walk stops for."""
        halts = self.index.history.sections["is_slow"][first:last] * np.uint8(self.keeps_order)
        changes = np.flatnonzero(np.diff(halts)) + 1
        for begin, end in zip([0, *changes], [*changes, last - first], strict=True):
            if begin < end and not halts[begin]:
                for leg in range(int(begin), int(end), LEG):
                    yield first + leg, first + min(leg + LEG, int(end))

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
        """One thread's share of a stretch; what plain code has to rate it rates where its turn comes.

        The first fault is the cause of all others: nobody goes on after it.
        """
        tables = Tables(self.index.history, self.standings, self.results)
        seat = np.array([NOT_YET, 0], dtype=np.int64)
        stretch, scratch = Stretch(span, self._order, self._done), self._scratch[thread]
        try:
            while (slow := walk_share(self.constants, tables, stretch, seat, scratch)) != NO_SECTION:
                self._rate_plainly(slow, faults)
                say_done(self._done, slow)
        except BaseException as error:
            if error not in faults:
                faults.append(error)
            span[0] = span[2]  # no more turns
            self._done[span[1] : span[2]] = 1  # nobody waits for what will not come
            raise

    def _rate_plainly(self, number: int, faults: list[BaseException]) -> None:
        """Rate a section by plain code, one thread at a time and none after a fault."""
        with self._plainly:
            if faults:
                return
            try:
                self._plain[number].act(self)
            except BaseException as error:
                faults.append(error)  # before another thread may begin
                raise

    # What plain code did where the walk stopped; a walk that only rates does not listen.

    def note_openings(self, rows: pl.DataFrame, before: Array) -> None:
        """Openings of one day were entered, over these standings."""

    def note_move(
        self, what: Opening | Decision, member: int, before: PlayerRating | None, after: PlayerRating
    ) -> None:
        """An opening or a decision moved a standing."""

    def note_rated(self, section: int, rated: Sequence[RatedSection], unratable: str) -> None:
        """A section was rated by the plain engine, or could not be."""


def constants_of(rules: RuleSet) -> Array:
    """The numbers of every edition under a rule set, a row each."""
    found: Array = np.concatenate([constants_for(rules.edition(edition).constants) for edition in EDITIONS])
    return found


def _largest(index: Index) -> tuple[int, int]:
    sections, competitors = index.history.sections, index.history.competitors
    widest = int(np.diff(sections["first"]).max(initial=1))
    sides = np.diff(competitors["first"][sections["first"]])
    return widest, int(sides.max(initial=1))
