"""What a rule set does to ratings: points that bonus and floors create, inflation, and how soon a strength shows."""

from typing import NamedTuple

import numpy as np
import polars as pl

from crosstable.history.kernel.arrays import Array
from crosstable.history.kernel.compiling import compiled
from crosstable.lab.drawing import (
    Clusters,
    Draws,
    Estimate,
    Table,
    compared,
    drawn_table,
    estimates,
    joined,
    means,
    over_replicates,
    summed,
    weights_of,
)
from crosstable.lab.measures import AGES, ERA_NAMES, NOT_KNOWN, bands, era_of, of_age
from crosstable.lab.predictions import Brought, Floats, People, Truths, Whole
from crosstable.rules.editions import EDITIONS
from crosstable.terms import RatingSystem, SectionType

_MATCH = tuple(SectionType).index(SectionType.MATCH)
# The columns of sums.
ROWS, EARNERS, BONUS, FLOORED, FLOOR_POINTS, CHANGE = range(6)
# Those that are told for each rating.
_SHARED = [EARNERS, BONUS, FLOOR_POINTS, CHANGE]


class Points(NamedTuple):
    """Points of one group: of its ratings, how many earned a bonus or were held by a floor, and points a rating.

    ``change`` is everything that ratings after sections exceed those before, unrated players from their starts.
    """

    grouping: str
    group: str
    ratings: int
    bonus_earners: int
    bonus_points: float
    floored: int
    floor_points: float
    earning_share: Estimate
    bonus_a_rating: Estimate
    floors_a_rating: Estimate
    change_a_rating: Estimate


def points_table(
    people: People, brought: Brought, sections: Array, kept: Truths, drawn: tuple[Clusters, Draws]
) -> Table:
    """Points by era and by system, for the rows that are kept."""
    rows = np.flatnonzero(kept & brought.is_rated)
    clusters, draws = drawn
    columns = _columns(people, brought, sections, rows)
    section = people.section[rows].astype(np.int64)
    kinds = {
        "all": (("all",), np.zeros(len(rows), dtype=np.int64)),
        "era": (ERA_NAMES, era_of(sections["start"][:-1])[section].astype(np.int64)),
        "system": (tuple(system.name for system in RatingSystem), people.system[rows].astype(np.int64)),
    }
    tables = []
    for name, (groups, label) in kinds.items():
        parts = (
            summed(clusters.who[rows], clusters.people, label, columns, len(groups)),
            summed(clusters.block[section], clusters.blocks, label, columns, len(groups)),
        )
        spoken = np.bincount(np.unique(section * len(groups) + label) % len(groups), minlength=len(groups))
        tables.append(drawn_table(parts, [(name, group) for group in groups], spoken, draws))
    return joined(tables)


def _columns(people: People, brought: Brought, sections: Array, rows: Array) -> Array:
    bonus = np.nan_to_num(brought.bonus[rows])
    is_match = sections["kind"][people.section[rows]] == _MATCH
    # What a match's own limits left of a change is not kept, so its floors cannot be told from them.
    level = np.where(is_match, -np.inf, brought.floor_level[rows])
    lifted = np.where(np.isfinite(level), np.maximum(level - brought.computed[rows], 0.0), 0.0)
    change = brought.after[rows] - brought.prior[rows]
    return np.stack((np.ones(len(rows)), bonus > 0.0, bonus, lifted > 0.0, lifted, change), axis=1)


def points_from(table: Table, against: Table | None = None) -> list[Points]:
    """The points of every group that has ratings; with ``against``, how much they differ from another table's."""
    whole = table.whole if against is None else table.whole - against.whole
    shares = compared(table, against, lambda sums: means(sums)[..., _SHARED])
    return [
        Points(
            *names,
            int(table.whole[at, ROWS]),
            int(whole[at, EARNERS]),
            float(whole[at, BONUS]),
            int(whole[at, FLOORED]),
            float(whole[at, FLOOR_POINTS]),
            *(share[at] for share in shares),
        )
        for at, names in enumerate(table.names)
        if table.whole[at, ROWS]
    ]


COHORTS = (*bands(AGES), NOT_KNOWN)
# More games than these make a rating established in every official edition (§1).
ESTABLISHED = max(edition.constants.established_above for edition in EDITIONS)
_EPOCH = np.datetime64("0001-01-01") - np.timedelta64(1, "D")
# The first column of sums; the change and the true change follow.
PLAYERS = 0


class Cohort(NamedTuple):
    """Players of one age band who played in a year and in the next: how their ratings changed between its ends.

    ``added_up`` are the changes since the first year. ``true_change`` and ``true_added_up`` are those of true
    strengths, NaN where nobody knows them.
    """

    age: str
    year: int
    players: int
    change: Estimate
    added_up: Estimate
    true_change: float
    true_added_up: float


def cohort_table(
    people: People, brought: Brought, end: Array, kept: Truths, draws: Draws, system: RatingSystem = RatingSystem.OTBR
) -> Table:
    """The cohorts of a history in one system; ``end`` is the last day of each section."""
    chosen = kept & (people.system == system) & (people.member >= 0)
    years = _years(end[people.section[chosen]])
    pairs = repeated(year_ends(people, brought, end, chosen & brought.is_rated))
    first, count = (int(years.min()), int(years.max() - years.min()) + 1) if len(years) else (0, 0)
    label = of_age(pairs["age"].to_numpy()).astype(np.int64) * count + (pairs["year"].to_numpy() - first)
    columns = np.stack([np.ones(pairs.height), pairs["change"].to_numpy(), pairs["true_change"].to_numpy()], axis=1)
    names = [(age, str(year)) for age in COHORTS for year in range(first, first + count)]
    every = np.unique(people.member[chosen])
    member = np.searchsorted(every, pairs["member"].to_numpy())
    cells = summed(member, len(every), label, columns, max(1, len(names)))
    return drawn_table((cells,), names, np.bincount(cells.group, minlength=len(names)), draws)


def _years(days: Array) -> Whole:
    return np.asarray((_EPOCH + days.astype("m8[D]")).astype("M8[Y]").astype(np.int64) + 1970)


def year_ends(people: People, brought: Brought, end: Array, chosen: Truths) -> pl.DataFrame:
    """The last rating of every member in every year in which they played."""
    rows = np.flatnonzero(chosen)
    frame = pl.DataFrame(
        {
            "member": people.member[rows],
            "year": _years(end[people.section[rows]]),
            "rating": brought.after[rows],
            "games": brought.games_after[rows],
            "age": people.age[rows],
            "strength": people.strength[rows],
        }
    )
    return frame.group_by("member", "year", maintain_order=True).last()


def repeated(ends: pl.DataFrame) -> pl.DataFrame:
    """Those who played in a year and in the next, and how they changed; the year is the first of the two."""
    later = ends.select("member", year=pl.col("year") - 1, rating_after="rating", strength_after="strength")
    found = ends.filter(pl.col("games") > ESTABLISHED).join(later, on=["member", "year"], maintain_order="left")
    return found.select(
        "member",
        "year",
        "age",
        change=pl.col("rating_after") - pl.col("rating"),
        true_change=pl.col("strength_after") - pl.col("strength"),
    )


def cohorts_from(table: Table, against: Table | None = None) -> list[Cohort]:
    """The cohorts of a table; with ``against``, how much they differ from another table's, where both have players."""
    years = len(table.names) // len(COHORTS)
    change, true_change, added, true_added = compared(table, against, lambda sums: _changes(sums, years))
    tables = (table,) if against is None else (table, against)
    return [
        Cohort(
            age,
            int(year),
            int(table.whole[at, PLAYERS]),
            change[at],
            added[at],
            true_change[at].value,
            true_added[at].value,
        )
        for at, (age, year) in enumerate(table.names)
        if all(one.whole[at, PLAYERS] for one in tables)
    ]


def _changes(sums: Floats, years: int) -> Floats:
    """Mean changes, and the same added up within each age band; a year without players changes nothing."""
    mean = means(sums)
    # Players are there or not; what nobody knows of them stays unknown.
    filled = np.where(np.isnan(mean[..., :1]), 0.0, mean)[..., 1:]
    by_band = filled.reshape(*mean.shape[:-2], len(COHORTS), years, 2)
    return np.concatenate((mean[..., 1:], np.cumsum(by_band, axis=-2).reshape(filled.shape)), axis=-1)


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
        """The time by which half have shown, infinite where that is never seen; who stops counts until then."""
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
