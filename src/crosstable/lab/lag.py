"""How long a changed strength takes to show, where true strengths are known.

Whenever a player's true strength passes a full hundred, a clock starts at the first section he plays with it and stops
with the first section after which his rating has passed the same hundred; one that had passed it before shows at once.
Some stop playing first, so the median is that of Kaplan and Meier, which counts them for as long as they played.
"""

from typing import NamedTuple

import numpy as np

from crosstable.history.kernel.arrays import Array
from crosstable.history.kernel.compiling import compiled
from crosstable.lab.bootstrap import Draws, Estimate, estimates, over_replicates, weights_of
from crosstable.lab.predictions import Brought, Floats, People, Truths, Whole
from crosstable.terms import RatingSystem

STEP = 100.0


class Showing(NamedTuple):
    """How long rising strengths took to show: how many rises, which share was seen to show, and medians."""

    rises: int
    shown: int
    median_days: Estimate
    median_games: Estimate


class Clocks(NamedTuple):
    """Rises of true strength: whose, how long they took in days and games, and whether they showed at all."""

    member: Whole
    days: Floats
    games: Floats
    is_shown: Truths


@compiled
def time_rises(member: Array, day: Array, played: Array, strength: Array, after: Array, out: Array) -> int:
    """The clocks of rows that are ordered by member and then by time; returns how many there are."""
    count = 0
    begin = 0
    while begin < len(member):
        end = begin
        while end < len(member) and member[end] == member[begin]:
            end += 1
        passed = np.floor(strength[begin] / STEP) * STEP
        for at in range(begin + 1, end):
            while strength[at] >= passed + STEP:
                passed += STEP
                if count == out.shape[1]:
                    return -1
                out[0, count] = member[at]
                out[3, count] = 0.0
                games = 0.0
                if after[at - 1] >= passed:
                    out[3, count] = 1.0
                    out[1, count] = 0.0
                else:
                    for later in range(at, end):
                        games += played[later]
                        out[1, count] = day[later] - day[at]
                        if after[later] >= passed:
                            out[3, count] = 1.0
                            break
                out[2, count] = games
                count += 1
        begin = end
    return count


def clocks_of(people: People, brought: Brought, end: Array, kept: Truths) -> Clocks:
    """The clocks of every Regular rating."""
    is_known = (people.member >= 0) & ~np.isnan(people.strength) & (people.system == RatingSystem.OTBR)
    rows = np.flatnonzero(kept & brought.is_rated & is_known)
    rows = rows[np.argsort(people.member[rows], kind="stable")]
    member, strength, after = people.member[rows], people.strength[rows], brought.after[rows]
    day = end[people.section[rows]].astype(np.float64)
    room = len(rows) + 16
    while True:
        out = np.zeros((4, room))
        count = time_rises(member, day, people.counted[rows], strength, after, out)
        if count >= 0:
            break
        room *= 2
    found = out[:, :count]
    return Clocks(found[0].astype(np.int64), found[1], found[2], found[3] > 0.0)


class Waiting:
    """Times that are weighed again and again: the median by which half have shown (Kaplan and Meier)."""

    def __init__(self, time: Floats, is_shown: Truths) -> None:
        self._order = np.argsort(time, kind="stable")
        self._shown = is_shown[self._order]
        self._times, self._first = np.unique(time[self._order], return_index=True)

    def median(self, weight: Floats) -> float:
        """The time by which half have shown, infinite where that is never seen; who stops counts until he does."""
        if not len(self._times):
            return float("inf")
        ordered = weight[self._order]
        showing = np.add.reduceat(np.where(self._shown, ordered, 0.0), self._first)
        leaving = np.add.reduceat(ordered, self._first)
        waiting = np.cumsum(leaving[::-1])[::-1]
        with np.errstate(invalid="ignore", divide="ignore"):
            left = np.cumprod(np.where(waiting > 0.0, 1.0 - showing / waiting, 1.0))
        under = np.flatnonzero(left <= 0.5)
        return float(self._times[under[0]]) if len(under) else float("inf")


def showing_of(clocks: Clocks, draws: Draws) -> Showing:
    """How long strengths took to show, with intervals from drawing members anew."""
    members, cluster = np.unique(clocks.member, return_inverse=True)
    waits = [Waiting(time, clocks.is_shown) for time in (clocks.days, clocks.games)]
    drawn = np.full((draws.replicates, len(waits)), np.inf)

    def fill(replicates: range) -> None:
        for one in replicates:
            weight = weights_of(draws, one, len(members))[cluster]
            drawn[one] = [wait.median(weight) for wait in waits]

    if len(members):
        over_replicates(fill, draws)
    values = np.array([wait.median(np.ones(len(cluster))) for wait in waits])
    days, games = estimates(values, drawn, np.full(len(waits), len(members)))
    return Showing(len(clocks.member), int(clocks.is_shown.sum()), days, games)
