"""Numbers with intervals: clusters are drawn anew, again and again, and what is computed of each draw is ranked.

A game belongs to both of its players and to its time, and the same players with the same errors play on. So members are
drawn, and blocks of time; a game counts 1 + (a − 1) + (b − 1) + (t − 1) times, where a, b and t say how often its
players and its block were drawn. Each replicate has a seed of its own, made of the given one and its number, so the
same seed gives the same numbers on any number of threads, and two rule sets that are compared are drawn the same
clusters.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosstable.history.kernel.arrays import Array
from crosstable.history.kernel.compiling import compiled
from crosstable.lab.predictions import Floats, People, Whole

# The share of replicates between the two ends of an interval.
CONFIDENCE = 0.95
# An interval from fewer sections than this would promise too much.
FEWEST_CLUSTERS = 30
# How a time is told by which half of those who are looked at had not shown.
UNSEEN = "more than was seen"
# So many replicates are summed up in one look at the cells.
AT_ONCE = 64
# A block of time is at most so many days long, and shorter where a span would have fewer than thirty.
BLOCK_DAYS = 91


class Draws(NamedTuple):
    """How clusters are drawn anew; with ``federations``, so many simulated federations are drawn instead."""

    seed: int = 1
    replicates: int = 500
    threads: int = 1
    federations: int = 0


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
    """Sums of whatever is drawn anew together, in one group; ``clusters`` is how many clusters there are at all."""

    cluster: Array
    group: Array
    sums: Floats
    clusters: int


class Clusters(NamedTuple):
    """To whom and to which time rows of results belong: a number for each, and how many numbers there are."""

    who: NDArray[np.int32]
    people: int
    block: NDArray[np.int32]
    blocks: int


def clusters_of(people: People, start: NDArray[np.int32], judged: Array) -> Clusters:
    """The clusters of rows of results; somebody without an id is somebody new each time.

    ``start`` is by section; the sections that are ``judged`` are spread over the blocks.
    """
    member = people.member.astype(np.int64)
    strangers = np.flatnonzero(member < 0)
    members = int(member.max(initial=-1)) + 1
    member[strangers] = members + np.arange(len(strangers))
    inside = start[judged]
    low, high = int(inside.min()), int(inside.max())
    blocks = max(FEWEST_CLUSTERS, -(-(high - low + 1) // BLOCK_DAYS))
    block = np.clip((start.astype(np.int64) - low) * blocks // (high - low + 1), 0, blocks - 1)
    return Clusters(member.astype(np.int32), members + len(strangers), block.astype(np.int32), blocks)


@compiled
def weighted_sums(weights: Array, cluster: Array, group: Array, sums: Array, out: Array) -> None:
    """The sums of each group when every cluster counts as often as it was drawn, for several replicates at once."""
    for at in range(len(cluster)):
        for column in range(sums.shape[1]):
            value = sums[at, column]
            for replicate in range(out.shape[2]):
                out[group[at], column, replicate] += weights[cluster[at], replicate] * value


def weights_of(draws: Draws, replicate: int, clusters: int, part: int = 0) -> Floats:
    """How often each cluster is drawn in a replicate: as many are drawn as there are."""
    rng = np.random.Generator(np.random.PCG64([draws.seed, replicate, part] if part else [draws.seed, replicate]))
    drawn = rng.integers(0, clusters, clusters)
    return np.bincount(drawn, minlength=clusters).astype(np.float64)


class Table(NamedTuple):
    """Sums by group, each named by its grouping and itself: of everything, and of every replicate.

    ``clusters`` is how many sections, or members, speak of each group.
    """

    names: tuple[tuple[str, str], ...]
    whole: Floats
    drawn: Floats
    clusters: Whole


def drawn_table(parts: Sequence[Cells], names: Sequence[tuple[str, str]], clusters: Whole, draws: Draws) -> Table:
    """Sum up cells by group and draw their clusters anew; of several parts the last has everything once.

    What several parts add to a replicate is added up: how far each draw of its clusters is from all of them.
    """
    groups = len(names)
    whole = totals(parts[-1], groups)
    drawn = np.zeros((draws.replicates, *whole.shape)) + whole
    for part, cells in enumerate(parts):
        if cells.clusters > 1:
            # The variance of a draw of n is short of the true one by the nth part.
            short = np.sqrt(cells.clusters / (cells.clusters - 1.0))
            drawn += short * (replicated(cells, groups, draws, part) - totals(cells, groups))
    return Table(tuple(names), whole, drawn, clusters)


def joined(tables: Sequence[Table]) -> Table:
    """Several tables as one, one below the other."""
    names, whole, drawn, clusters = zip(*tables, strict=True)
    every = tuple(name for some in names for name in some)
    return Table(every, np.concatenate(whole), np.concatenate(drawn, axis=1), np.concatenate(clusters))


def replicated(cells: Cells, groups: int, draws: Draws, part: int = 0) -> Floats:
    """The sums of every group in every replicate: replicates by groups by columns."""
    columns = cells.sums.shape[1]
    out = np.zeros((draws.replicates, groups, columns))

    def fill(replicates: range) -> None:
        # Small numbers: there are as many as members, for each of these replicates.
        weights = np.empty((cells.clusters, len(replicates)), dtype=np.uint8)
        for at, one in enumerate(replicates):
            weights[:, at] = weights_of(draws, one, cells.clusters, part)
        sums = np.zeros((groups, columns, len(replicates)))
        weighted_sums(weights, cells.cluster, cells.group, cells.sums, sums)
        out[replicates.start : replicates.stop] = np.moveaxis(sums, 2, 0)

    if len(cells.cluster):
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


def summed(cluster: Array, clusters: int, label: Array, columns: Floats, groups: int) -> Cells:
    """Rows summed up by cluster and label."""
    key, inverse = np.unique(cluster.astype(np.int64) * groups + label, return_inverse=True)
    sums = np.stack([np.bincount(inverse, column, len(key)) for column in columns.T], axis=1).astype(np.float64)
    return Cells(key // groups, key % groups, sums, clusters)


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
