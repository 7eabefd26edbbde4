"""How well games were predicted: deviance, Brier score and calibration by group, each with its interval.

Intervals come from drawing clusters anew: sections for predictions, members for cohorts. Each replicate has a seed of
its own, made of the given one and its number, so the same seed gives the same numbers on any number of threads, and two
rule sets that are compared are drawn the same clusters.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosstable.history.kernel.arrays import Array
from crosstable.history.kernel.compiling import compiled
from crosstable.lab.predictions import Brought, Floats, Games, Losses, People, Whole
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
# An era begins where one of these changed, which move nearly every rating.
_MOVING = ("bonus_threshold", "effective_base", "effective_slope", "initialisation")


class Grouping(NamedTuple):
    """Groups of one kind: their names, and the number of each game's or each row's group."""

    name: str
    groups: tuple[str, ...]
    labels: Labels
    of_players: bool

    @property
    def lowest(self) -> float:
        """The least that is expected: of a favourite one half."""
        return 0.0 if self.of_players else 0.5


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
        "unrated",
    )
    return [
        Grouping("all", ("all",), whole, of_players=False),
        Grouping("era", ERA_NAMES, era_of(start)[games.section], of_players=False),
        Grouping("system", tuple(system.name for system in RatingSystem), games.system, of_players=False),
        Grouping("rating", rating, of_rating(brought.prior), of_players=True),
        Grouping("age", age, of_age(people.age), of_players=True),
        Grouping("games", count, of_games(brought, people.counted), of_players=True),
    ]


# The columns of sums: how many, what was expected and scored, losses, and the error against true strength.
COUNT, EXPECTED, SCORED, DEVIANCE, BRIER, ERROR, SQUARE, COLUMNS = range(8)
BINS = 10
# Sums are made for so many numbers at a time.
_ROOM = 1 << 22
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


class Cells(NamedTuple):
    """Sums of one section, or whatever is drawn anew together, in one group; ordered by cluster."""

    cluster: Whole
    group: Whole
    sums: Floats


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
    player. ``bias`` and ``rms`` are the mean error of ratings against true strengths and the root of its mean
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


class Bin(NamedTuple):
    """Games of a group in which about the same was expected: between which expectancies, what was scored.

    For everything, eras and systems the player is the favourite, and bins go from one half to 1; in bands of players it
    is the player of the band, and bins go from 0 to 1.
    """

    grouping: str
    group: str
    at_least: float
    games: int
    sections: int
    expected: Estimate
    scored: Estimate


def table_of(
    games: Games, losses: Losses, ways: Sequence[Grouping], error: Floats, draws: Draws, *, bins: int = 1
) -> Table:
    """Sum up losses by section and group, or by bins of expectancies in each group, and draw the sections anew.

    ``error`` is that of ratings against true strengths, by row of results; NaN where nobody knows.
    """
    cells = [_cells(games, losses, way, error, bins) for way in ways]
    names = [(way.name, group) for way in ways for group in way.groups for _ in range(bins)]
    merged = merged_cells(cells, [len(way.groups) * bins for way in ways])
    return drawn_table(merged, names, np.unique(games.section), draws)


def _cells(games: Games, losses: Losses, way: Grouping, error: Floats, bins: int) -> Cells:
    """The cells that are not empty, of games that are ordered by section; some sections are summed up at a time."""
    sections, groups = int(games.section[-1]) + 1, len(way.groups) * bins
    columns = COLUMNS if bins == 1 else SCORED + 1
    room = min(sections, max(1, _ROOM // (groups * columns)))
    parts = []
    for first in range(0, sections, room):
        at = slice(*np.searchsorted(games.section, (first, first + room)).tolist())
        section, label, values = _values(games, losses, way, error, at)
        if bins > 1:
            label = label * bins + bin_of(values[EXPECTED], way.lowest)
        key = (section - first) * groups + label
        sums: Floats = np.stack([np.bincount(key, one, room * groups) for one in values[:columns]], axis=1)
        kept = np.flatnonzero(sums[:, COUNT])
        parts.append(Cells(kept // groups + first, kept % groups, sums[kept]))
    return Cells(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _values(
    games: Games, losses: Losses, way: Grouping, error: Floats, at: slice
) -> tuple[Whole, Whole, Sequence[Floats]]:
    """What is summed up of some games, by section and label: once, of the favourite, or once for each player."""
    section, score = games.section[at].astype(np.int64), games.score[at]
    expected, *costs = (column[at] for column in losses)
    players = np.stack((games.one[at], games.other[at]), axis=1)
    wrong = np.stack((error[players], error[players] ** 2))
    if way.of_players:
        own = (np.stack((one, 1.0 - one), axis=1).ravel() for one in (expected, score))
        twice = (np.repeat(one, 2) for one in costs)
        label = way.labels[players].ravel().astype(np.int64)
        return np.repeat(section, 2), label, (np.ones(len(label)), *own, *twice, *wrong.reshape(2, -1))
    own = (np.where(expected < 0.5, 1.0 - one, one) for one in (expected, score))
    return section, way.labels[at].astype(np.int64), (np.ones(len(score)), *own, *costs, *wrong.mean(axis=2))


def bin_of(expected: Floats, lowest: float) -> Whole:
    """The bins of expectancies, of those from the lowest to 1."""
    return np.minimum(((expected - lowest) / (1.0 - lowest) * BINS).astype(np.int64), BINS - 1)


def merged_cells(cells: list[Cells], groups: list[int]) -> Cells:
    """Several tables of cells as one; the groups of each come after those of the one before."""
    before = np.cumsum([0, *groups[:-1]])
    group = np.concatenate([one.group + first for one, first in zip(cells, before, strict=True)])
    cluster = np.concatenate([one.cluster for one in cells])
    order = np.argsort(cluster, kind="stable")
    sums = np.concatenate([one.sums for one in cells])
    return Cells(cluster[order], group[order], sums[order])


def means(sums: Floats) -> Floats:
    """Sums divided by the first of them, which counts."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums / sums[..., :1])


def compared(table: Table, against: Table | None, of: Callable[[Floats], Floats]) -> list[list[Estimate]]:
    """What a function makes of sums, column by column and group by group, less what it makes of another table's."""
    values, drawn = of(table.whole), of(table.drawn)
    if against is not None:
        values, drawn = values - of(against.whole), drawn - of(against.drawn)
    return [estimates(values[:, at], drawn[:, :, at], table.clusters) for at in range(values.shape[1])]


def measures_of(table: Table, against: Table | None = None) -> list[Measure]:
    """The measures of every group that has games; with ``against``, how much they differ from another table's."""
    found = compared(table, against, _metrics)
    return [
        Measure(*names, int(table.whole[at, COUNT]), int(table.clusters[at]), *(metric[at] for metric in found))
        for at, names in enumerate(table.names)
        if table.whole[at, COUNT]
    ]


def _metrics(sums: Floats) -> Floats:
    """Every metric from sums, by group or by replicate and group."""
    mean = means(sums)
    surplus = mean[..., SCORED] - mean[..., EXPECTED]
    bias, rms = mean[..., ERROR], np.sqrt(mean[..., SQUARE])
    return np.stack((mean[..., DEVIANCE], mean[..., BRIER], surplus, bias, rms), axis=-1)


def bins_of(table: Table, ways: Sequence[Grouping]) -> list[Bin]:
    """The calibration of every group, bin by bin."""
    lowest = {way.name: way.lowest for way in ways}
    found = compared(table, None, lambda sums: means(sums)[..., [EXPECTED, SCORED]])
    return [
        Bin(
            grouping,
            group,
            round(lowest[grouping] + at % BINS * (1.0 - lowest[grouping]) / BINS, 2),
            int(table.whole[at, COUNT]),
            int(table.clusters[at]),
            *(column[at] for column in found),
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
