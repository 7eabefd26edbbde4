"""How well games were predicted: deviance, Brier score and calibration by group, each with its interval.

Intervals come from drawing clusters anew: sections for predictions, members for cohorts. Each replicate has a seed of
its own, made of the given one and its number, so the same seed gives the same numbers on any number of threads, and two
rule sets that are compared are drawn the same clusters.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosstable.history.kernel.arrays import Array
from crosstable.history.kernel.compiling import compiled
from crosstable.lab.predictions import (
    BRIER,
    COLUMNS,
    COUNT,
    DEVIANCE,
    ERROR,
    EXPECTED,
    SCORED,
    SQUARE,
    Brought,
    Cells,
    Floats,
    Games,
    Losses,
    People,
    Whole,
    add_games,
    add_sides,
    cells_by_section,
    merged_cells,
)
from crosstable.rules.constants import Constants
from crosstable.rules.editions import EDITIONS
from crosstable.terms import RatingSystem

Labels = NDArray[np.uint8]

RATINGS = (400, 800, 1000, 1200, 1400, 1600, 1800, 2000, 2200)
AGES = (9, 12, 15, 18, 25, 50, 65)
# The special formula ends after the first band, a rating is established after the second.
SPECIAL = int(EDITIONS[-1].constants.special_games)
PROVISIONAL = int(EDITIONS[-1].constants.established_above)
MANY_GAMES = 100
GAMES = (SPECIAL + 1, PROVISIONAL + 1, MANY_GAMES + 1)
NOT_KNOWN = "not known"
NEWCOMER = "newcomer"
# An era begins where one of these changed, which move nearly every rating.
_MOVING = ("bonus_threshold", "effective_base", "effective_slope", "initialisation")


class Grouping(NamedTuple):
    """Groups of one kind: their names, and the number of each game's or each row's group."""

    name: str
    groups: tuple[str, ...]
    labels: Labels
    of_players: bool


def bands(limits: tuple[int, ...]) -> tuple[str, ...]:
    """Bands in words: ``under 9``, ``9 to 11``, …, ``65 and over``."""
    between = [f"{low} to {high - 1}" for low, high in pairwise(limits)]
    return (f"under {limits[0]}", *between, f"{limits[-1]} and over")


def _eras() -> tuple[date, ...]:
    found = [EDITIONS[0].effective]
    for before, after in pairwise(EDITIONS):
        if _moves(before.constants) != _moves(after.constants):
            found.append(after.effective)
    return tuple(found)


def _moves(constants: Constants) -> tuple[object, ...]:
    return tuple(getattr(constants, name) for name in _MOVING)


ERAS = _eras()
ERA_NAMES = tuple(f"from {day}" for day in ERAS)


def era_of(start: NDArray[np.int32]) -> Labels:
    """The era of days, counted as ``date.toordinal`` does."""
    days = np.array([day.toordinal() for day in ERAS])
    found = np.searchsorted(days, start, side="right") - 1
    assert not np.any(found < 0), "no archive has sections from before the first edition"
    return found.astype(np.uint8)


def of_rating(prior: Floats) -> Labels:
    """The rating band of every row, by the rating it brought, as it is rounded for lists."""
    return np.searchsorted(np.array(RATINGS), np.floor(prior + 0.5), side="right").astype(np.uint8)


def of_age(age: Floats) -> Labels:
    """The age band of every row; the last one is not known."""
    found = np.searchsorted(np.array(AGES), age, side="right")
    return np.where(np.isnan(age), len(AGES) + 1, found).astype(np.uint8)


def of_games(brought: Brought, counted: Floats) -> Labels:
    """The band of games before the section; the last one is somebody who had no rating."""
    before = brought.games_after - counted
    found = np.searchsorted(np.array(GAMES), before, side="right")
    return np.where(np.isnan(brought.before), len(GAMES) + 1, found).astype(np.uint8)


def groupings(games: Games, people: People, brought: Brought, start: NDArray[np.int32]) -> list[Grouping]:
    """Every way in which games and their players are grouped; the first is all of them."""
    whole = np.zeros(len(games.one), dtype=np.uint8)
    rating, age = (*bands(RATINGS),), (*bands(AGES), NOT_KNOWN)
    count = (
        f"up to {SPECIAL}",
        f"{GAMES[0]} to {PROVISIONAL}",
        f"{GAMES[1]} to {MANY_GAMES}",
        f"over {MANY_GAMES}",
        NEWCOMER,
    )
    return [
        Grouping("all", ("all",), whole, of_players=False),
        Grouping("era", ERA_NAMES, era_of(start)[games.section], of_players=False),
        Grouping("system", tuple(system.name for system in RatingSystem), games.system, of_players=False),
        Grouping("rating", rating, of_rating(brought.prior), of_players=True),
        Grouping("age", age, of_age(people.age), of_players=True),
        Grouping("games", count, of_games(brought, people.counted), of_players=True),
    ]


# The share of replicates between the two ends of an interval.
CONFIDENCE = 0.95
# An interval from fewer clusters than this would promise too much: from ten normal ones it holds the truth in 90 of a
# hundred cases instead of 95, from thirty in 94; from very unequal ones in fewer.
FEWEST_CLUSTERS = 30
# How a time is told by which half of those who are looked at had not shown.
UNSEEN = "more than was seen"
# So many replicates are summed up in one look at the cells.
AT_ONCE = 16


class Draws(NamedTuple):
    """How clusters are drawn anew."""

    seed: int = 1
    replicates: int = 500
    threads: int = 1


class Estimate(NamedTuple):
    """A number with its interval; no ends where too few clusters speak."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """The number and its interval as people write them."""
        value, low, high = (UNSEEN if np.isinf(one) else f"{one:.4f}" for one in self)
        return value if np.isnan(self.low) else f"{value} [{low}, {high}]"


@compiled
def weighted_sums(weights: Array, cluster: Array, group: Array, sums: Array, out: Array) -> None:
    """The sums of each group when every cluster counts as often as it was drawn, for several replicates at once."""
    for at in range(len(cluster)):
        for column in range(sums.shape[1]):
            value = sums[at, column]
            for replicate in range(out.shape[2]):
                out[group[at], column, replicate] += weights[cluster[at], replicate] * value


def weights_of(draws: Draws, replicate: int, clusters: int) -> Floats:
    """How often each cluster is drawn in a replicate: as many are drawn as there are."""
    rng = np.random.Generator(np.random.PCG64([draws.seed, replicate]))
    drawn = rng.integers(0, clusters, clusters)
    return np.bincount(drawn, minlength=clusters).astype(np.float64)


class Table(NamedTuple):
    """Sums by group, each named by its grouping and itself: of everything, and of every replicate.

    ``clusters`` is how many clusters speak of each group.
    """

    names: tuple[tuple[str, str], ...]
    whole: Floats
    drawn: Floats
    clusters: Whole


def drawn_table(cells: Cells, names: Sequence[tuple[str, str]], every: Whole, draws: Draws) -> Table:
    """Sum up cells by group and draw the clusters anew; ``every`` names all clusters there are, in order.

    Two rule sets may have cells of different clusters; if every cluster is named, both are drawn the same ones.
    """
    groups = len(names)
    return Table(
        tuple(names),
        totals(cells, groups),
        replicated(cells, groups, every, draws),
        np.bincount(cells.group, minlength=groups),
    )


def replicated(cells: Cells, groups: int, every: Whole, draws: Draws) -> Floats:
    """The sums of every group in every replicate: replicates by groups by columns."""
    columns = cells.sums.shape[1]
    out = np.zeros((draws.replicates, groups, columns))
    cluster = np.searchsorted(every, cells.cluster)

    def fill(replicates: range) -> None:
        weights = np.stack([weights_of(draws, one, len(every)) for one in replicates], axis=1)
        sums = np.zeros((groups, columns, len(replicates)))
        weighted_sums(weights, cluster, cells.group, cells.sums, sums)
        out[replicates.start : replicates.stop] = np.moveaxis(sums, 2, 0)

    if len(every):
        over_replicates(fill, draws)
    return out


def over_replicates(fill: Callable[[range], None], draws: Draws) -> None:
    """Do something for all replicates, some of them at a time, on several threads."""
    parts = [range(at, min(at + AT_ONCE, draws.replicates)) for at in range(0, draws.replicates, AT_ONCE)]
    with ThreadPoolExecutor(draws.threads) as pool:
        list(pool.map(fill, parts))


def totals(cells: Cells, groups: int) -> Floats:
    """The sums of every group."""
    out = np.zeros((groups, cells.sums.shape[1]))
    np.add.at(out, cells.group, cells.sums)
    return out


def estimates(values: Floats, drawn: Floats, clusters: Whole) -> list[Estimate]:
    """Numbers of groups with percentile intervals; ``drawn`` holds them by replicate and group."""
    tail = (1.0 - CONFIDENCE) / 2.0
    found = []
    for group, value in enumerate(values.tolist()):
        known = drawn[:, group][~np.isnan(drawn[:, group])]
        if clusters[group] < FEWEST_CLUSTERS or not len(known):
            found.append(Estimate(value, np.nan, np.nan))
        else:
            found.append(Estimate(value, *_ends(known, tail)))
    return found


def _ends(known: Floats, tail: float) -> tuple[float, float]:
    """The quantiles at both ends; where some numbers are infinite, those that were drawn, as nothing lies between."""
    shares = np.array((tail, 1.0 - tail))
    if np.all(np.isfinite(known)):
        low, high = np.quantile(known, shares).tolist()
    else:
        low_rank, high_rank = shares * (len(known) - 1)
        low, high = np.sort(known)[[int(np.floor(low_rank)), int(np.ceil(high_rank))]].tolist()
    return low, high


METRICS = ("deviance", "brier", "surplus", "bias", "rms")


class Measure(NamedTuple):
    """How well one group was predicted; the number of its games (or of players' games) and of its sections.

    ``surplus`` is what was scored above what was expected, a game: by the favourite, or in bands of players by the
    player himself. ``bias`` and ``rms`` are the mean error of ratings against true strengths and the root of its mean
    square, NaN where nobody knows the truth.
    """

    grouping: str
    group: str
    games: int
    sections: int
    deviance: Estimate
    brier: Estimate
    surplus: Estimate
    bias: Estimate
    rms: Estimate


def table_of(games: Games, losses: Losses, groupings: Sequence[Grouping], error: Floats, draws: Draws) -> Table:
    """Sum up losses by section and group, and draw the sections anew."""
    parts = []
    for way in groupings:

        def add(part: Games, at: slice, sums: Floats, way: Grouping = way) -> None:
            inside = Losses(*(column[at] for column in losses))
            if way.of_players:
                add_sides(part, inside, way.labels, error, sums)
            else:
                add_games(part, inside, way.labels[at], error, sums)

        parts.append(cells_by_section(games, len(way.groups), COLUMNS, add))
    cells = merged_cells(parts, [len(way.groups) for way in groupings])
    names = [(way.name, group) for way in groupings for group in way.groups]
    return drawn_table(cells, names, np.unique(games.section), draws)


def metrics_of(sums: Floats, *, has_truth: bool) -> Mapping[str, Floats]:
    """Every metric from sums, by group or by replicate and group."""
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = sums / sums[..., COUNT : COUNT + 1]
    nothing = np.full(mean.shape[:-1], np.nan)
    return {
        "deviance": mean[..., DEVIANCE],
        "brier": mean[..., BRIER],
        "surplus": mean[..., SCORED] - mean[..., EXPECTED],
        "bias": mean[..., ERROR] if has_truth else nothing,
        "rms": np.sqrt(mean[..., SQUARE]) if has_truth else nothing,
    }


def measures_of(table: Table, *, has_truth: bool, against: Table | None = None) -> list[Measure]:
    """The measures of every group that has games; with ``against``, how much they differ from another table's."""
    values, drawn = (metrics_of(sums, has_truth=has_truth) for sums in (table.whole, table.drawn))
    if against is not None:
        others = [metrics_of(sums, has_truth=has_truth) for sums in (against.whole, against.drawn)]
        values = {name: values[name] - others[0][name] for name in METRICS}
        drawn = {name: drawn[name] - others[1][name] for name in METRICS}
    found = {name: estimates(values[name], drawn[name], table.clusters) for name in METRICS}
    return [
        Measure(*names, int(table.whole[at, COUNT]), int(table.clusters[at]), *(found[name][at] for name in METRICS))
        for at, names in enumerate(table.names)
        if table.whole[at, COUNT]
    ]


BINS = 10
_COLUMNS = 3


class Bin(NamedTuple):
    """Games of a group in which about the same was expected: between which expectancies, what was scored."""

    grouping: str
    group: str
    at_least: float
    games: int
    sections: int
    expected: Estimate
    scored: Estimate


@compiled
def bin_of(expected: float, lowest: float) -> int:
    """The bin of an expectancy, of those from the lowest to 1."""
    return min(int((expected - lowest) / (1.0 - lowest) * BINS), BINS - 1)


@compiled
def add_favourites(games: Games, expected: Array, label: Array, sums: Array) -> None:
    """Sum up by section, label of the game and bin of its favourite."""
    for at in range(len(games.one)):
        own, score = expected[at], games.score[at]
        if own < 0.5:
            own, score = 1.0 - own, 1.0 - score
        into = sums[games.section[at], label[at] * BINS + bin_of(own, 0.5)]
        into[COUNT] += 1.0
        into[EXPECTED] += own
        into[SCORED] += score


@compiled
def add_players(games: Games, expected: Array, label: Array, sums: Array) -> None:
    """Sum up by section, label of the player and bin of what was expected of him; each game counts for both."""
    for at in range(len(games.one)):
        own, score = expected[at], games.score[at]
        for row in (games.one[at], games.other[at]):
            into = sums[games.section[at], label[row] * BINS + bin_of(own, 0.0)]
            into[COUNT] += 1.0
            into[EXPECTED] += own
            into[SCORED] += score
            own, score = 1.0 - own, 1.0 - score


def calibration_table(games: Games, losses: Losses, ways: Sequence[Grouping], draws: Draws) -> Table:
    """Sums of every bin of every group; the bins of a group stand together."""
    parts, names = [], []
    for way in ways:

        def add(part: Games, at: slice, sums: Floats, way: Grouping = way) -> None:
            if way.of_players:
                add_players(part, losses.expected[at], way.labels, sums)
            else:
                add_favourites(part, losses.expected[at], way.labels[at], sums)

        parts.append(cells_by_section(games, len(way.groups) * BINS, _COLUMNS, add))
        names += [(way.name, group) for group in way.groups for _ in range(BINS)]
    cells = merged_cells(parts, [len(way.groups) * BINS for way in ways])
    return drawn_table(cells, names, np.unique(games.section), draws)


def bins_of(table: Table, ways: Sequence[Grouping]) -> list[Bin]:
    """The calibration of every group, bin by bin."""
    lowest = {way.name: 0.0 if way.of_players else 0.5 for way in ways}
    found = []
    for column in (EXPECTED, SCORED):
        with np.errstate(invalid="ignore"):
            values = table.whole[:, column] / table.whole[:, COUNT]
            drawn = table.drawn[:, :, column] / table.drawn[:, :, COUNT]
        found.append(estimates(values, drawn, table.clusters))
    return [
        Bin(
            grouping,
            group,
            round(lowest[grouping] + at % BINS * (1.0 - lowest[grouping]) / BINS, 2),
            int(table.whole[at, COUNT]),
            int(table.clusters[at]),
            found[0][at],
            found[1][at],
        )
        for at, (grouping, group) in enumerate(table.names)
        if table.whole[at, COUNT]
    ]


def calibration_error(table: Table, sections: int) -> Estimate:
    """How far what was scored lies from what was expected, as a mean over all games; the first group is all of them."""
    value, drawn = (_errors(sums[..., :BINS, :]) for sums in (table.whole, table.drawn))
    return estimates(value[None], drawn[:, None], np.array([sections]))[0]


def _errors(sums: Floats) -> Floats:
    gap = np.abs(sums[..., SCORED] - sums[..., EXPECTED]).sum(axis=-1)
    return np.asarray(gap / sums[..., COUNT].sum(axis=-1))
