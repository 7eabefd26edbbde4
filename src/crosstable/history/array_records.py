"""Rating records in arrays as the engine takes them, and back: for what plain code does at stops of a replay."""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np

from crosstable.engine.after import NO_LIMITS, decided_floor
from crosstable.engine.numbers import NUMBERS, put_numbers, with_numbers
from crosstable.history.kernel.arrays import DECIDED, STANDING, Array, RecordArrays
from crosstable.terms import Floor, MatchChange, PlayerRating, RatingSystem

Pair = tuple[int, RatingSystem]
# Where the numbers of a rating record lie.
IN_ROW = tuple(name for name in NUMBERS if name in (STANDING.names or ()))
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


__all__ = ["ArrayRecords", "Limits", "Pair", "decided_rows", "keep_places", "no_limits"]
