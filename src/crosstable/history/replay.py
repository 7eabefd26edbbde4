"""Replay: a whole history rated by the compiled walk, with the same bits as the plain engine.

Sections are walked in stretches of one edition. Where something rare happens (an opening standing, a decision, a
foreign event, a start set by hand) the walk stops, plain code does it on the same standings, and the walk goes on.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from crosstable.history.index import Index
from crosstable.history.kernel.arrays import (
    MATCH_CHANGE,
    RESULT,
    WORKING,
    Array,
    Results,
    Standings,
    Tables,
    unrated,
)
from crosstable.history.kernel.compiling import constants_for
from crosstable.history.kernel.section import Scratch, scratch_for
from crosstable.history.kernel.walk import walk_share
from crosstable.history.standings import no_limits
from crosstable.rules.constants import Constants
from crosstable.rules.editions import EDITIONS

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
    """A history while it is walked: standings now, and every result so far."""

    def __init__(
        self,
        index: Index,
        threads: int | None = None,
        *,
        keeps_working: bool = False,
        constants: Constants | None = None,
    ) -> None:
        """A walk over an index; with ``constants`` everything is rated by those, whatever its date."""
        self.index = index
        self._always = None if constants is None else constants_for(constants)
        self.threads = threads or len(os.sched_getaffinity(0))
        self.standings = Standings(
            unrated(index.standings), no_limits(0), np.zeros(index.match_slots + 1, dtype=MATCH_CHANGE)
        )
        rows = np.zeros(index.rows, dtype=RESULT)
        rows["after"] = np.nan
        working = np.zeros(index.rows if keeps_working else 0, dtype=WORKING)
        working["norm"] = -1
        self.results = Results(rows, working, np.zeros(index.sections, dtype=np.uint8))
        self._done = np.zeros(index.sections, dtype=np.uint8)
        widest, longest = _largest(index)
        self._scratch: Sequence[Scratch] = [scratch_for(widest, longest) for _ in range(self.threads)]
        self._constants: dict[int, Array] = {}

    def walk(self, stops: Sequence[Stop] = (), progress: Progress = in_silence, first: int = 0) -> None:
        """Rate everything from a section on, stopping where something rare happens."""
        with ThreadPoolExecutor(self.threads) as pool:
            at = first
            for stop in (*stops, None):
                end = self.index.sections if stop is None else stop.before
                for first, last in self._stretches(at, end):
                    self._go(pool, first, last)
                    progress(last)
                at = max(at, end)
                if stop is not None:
                    stop.act(self)

    def _stretches(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Sections of one edition after each other, without those that plain code rates."""
        part = self.index.history.sections[first:last]
        changes = np.flatnonzero(np.diff(part["edition"]) | np.diff(part["is_slow"])) + 1
        for begin, end in zip([0, *changes], [*changes, last - first], strict=True):
            if begin < end and not part[begin]["is_slow"]:
                for leg in range(int(begin), int(end), LEG):
                    yield first + leg, first + min(leg + LEG, int(end))

    def _go(self, pool: ThreadPoolExecutor, first: int, last: int) -> None:
        constants = self.constants_at(first)
        tables = Tables(self.index.history, self.standings, self.results)
        threads = self.threads if last - first >= WORTH_SHARING else 1

        def share(thread: int) -> None:
            span = np.array([first, last, thread, threads], dtype=np.int64)
            walk_share(constants, tables, span, self._done, self._scratch[thread])

        if threads == 1:
            share(0)
        else:
            list(pool.map(share, range(threads)))

    def constants_at(self, section: int) -> Array:
        """The numbers of the edition of a section."""
        if self._always is not None:
            return self._always
        edition = int(self.index.history.sections[section]["edition"])
        if edition not in self._constants:
            self._constants[edition] = constants_for(EDITIONS[edition].constants)
        return self._constants[edition]


def _largest(index: Index) -> tuple[int, int]:
    sections, competitors = index.history.sections, index.history.competitors
    widest = int(np.diff(sections["first"]).max(initial=1))
    sides = np.diff(competitors["first"][sections["first"]])
    return widest, int(sides.max(initial=1))
