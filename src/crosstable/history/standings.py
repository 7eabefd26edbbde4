"""Standings in arrays as the plain engine takes them, and back: for what plain code does while a history is walked."""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np

from crosstable.engine.after import NO_FLOOR, decided_floor, tally_of
from crosstable.history.kernel.arrays import DECIDED, NO_COUNT, NO_DAY, Array, Standings
from crosstable.terms import Floor, MatchChange, PlayerRating, RatingSystem

Pair = tuple[int, RatingSystem]


def no_limits(rows: int) -> Array:
    """Room for what is decided of so many members and systems; place 0 stands for everybody else."""
    made = np.zeros(rows + 1, dtype=DECIDED)
    made["floor_kind"] = NO_FLOOR.kind.value
    made["floor_level"], made["ceiling"], made["lowered_floor"] = -math.inf, math.inf, math.inf
    return made


class ArrayStandings:
    """Reads and writes single standings of the arrays."""

    def __init__(self, arrays: Standings, place_of: Array) -> None:
        self.arrays = arrays
        self.place_of = place_of

    def _row(self, member: int, system: RatingSystem) -> Array:
        return self.arrays.standings[self.place_of[member, int(system)]]

    def of(self, member: int) -> Mapping[RatingSystem, PlayerRating]:
        """A member's standings in the systems he is rated in, without what decisions say of floors."""
        found = {}
        rated = int(self.arrays.rated[member])
        for system in RatingSystem:
            if not rated >> int(system) & 1:
                continue
            row = self._row(member, system)
            if not math.isnan(row["rating"]):
                found[system] = self._standing(row)
        return found

    def _standing(self, row: Array) -> PlayerRating:
        lowered = float(self.arrays.decided[row["decided"]]["lowered_floor"])
        games = float(row["games"])
        return PlayerRating(
            rating=float(row["rating"]),
            games=None if math.isinf(games) else games,
            wins=_count(row["wins"]),
            draws=_count(row["draws"]),
            losses=_count(row["losses"]),
            events=_count(row["events"]),
            peak=_known(row["peak"]),
            peak_since_2010=_known(row["peak_since_2010"]),
            games_at_2200=int(row["games_at_2200"]),
            match_changes=self.match_changes(int(row["match"])),
            as_of=None if row["as_of"] == NO_DAY else date.fromordinal(int(row["as_of"])),
            lowered_floor=None if math.isinf(lowered) else lowered,
        )

    def match_changes(self, newest: int) -> tuple[MatchChange, ...]:
        """Match changes from the oldest to the one at a place."""
        found = []
        while newest > 0:
            row = self.arrays.match_changes[newest]
            found.append(MatchChange(date.fromordinal(int(row["day"])), float(row["change"])))
            newest = int(row["earlier"])
        return tuple(reversed(found))

    def put(self, member: int, system: RatingSystem, standing: PlayerRating) -> None:
        """Write a standing; its match changes and what is decided stay where they are."""
        row = self._row(member, system)
        self.arrays.rated[member] |= 1 << int(system)
        tally = tally_of(standing)
        row["rating"], row["games"] = tally.rating, tally.games
        row["peak"], row["peak_since_2010"] = tally.peak, tally.peak_since_2010
        for name, value in (("wins", standing.wins), ("draws", standing.draws), ("losses", standing.losses)):
            row[name] = NO_COUNT if value is None else value
        row["events"] = NO_COUNT if standing.events is None else standing.events
        row["games_at_2200"] = standing.games_at_2200
        row["as_of"] = NO_DAY if standing.as_of is None else standing.as_of.toordinal()
        if row["decided"] > 0:
            self.arrays.decided[row["decided"]]["lowered_floor"] = tally.lowered_floor

    def put_match_changes(self, member: int, system: RatingSystem, changes: Mapping[int, MatchChange]) -> None:
        """Write the match changes that an opening brings, into the places that were kept for them, oldest first."""
        row = self._row(member, system)
        newest = 0
        for place, change in changes.items():
            self.arrays.match_changes[place] = (change.on.toordinal(), newest, change.change)
            newest = place
        row["match"] = newest

    def add_match_change(self, member: int, system: RatingSystem, place: int, change: MatchChange) -> None:
        """Write the newest match change of a member, into the place that was kept for it."""
        row = self._row(member, system)
        self.arrays.match_changes[place] = (change.on.toordinal(), row["match"], change.change)
        row["match"] = place


class Limits(NamedTuple):
    """Floors and ceiling of one member in one system, from the section whose results begin at ``since``."""

    pair: Pair
    since: int
    floors: tuple[Floor, ...]
    ceiling: float | None


def _count(value: int) -> int | None:
    return None if value == NO_COUNT else int(value)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


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


def keep_places(arrays: Standings, place_of: Array, pairs: Sequence[Pair]) -> None:
    """Let the standing of each member and system about whom something is ever decided point to it."""
    for place, (member, system) in enumerate(pairs, 1):
        arrays.standings[place_of[member, int(system)]]["decided"] = place


__all__ = ["ArrayStandings", "Limits", "Pair", "decided_rows", "keep_places", "no_limits"]
