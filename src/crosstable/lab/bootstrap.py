"""Intervals by drawing clusters anew: sections for predictions, members for cohorts.

Each replicate has a seed of its own, made of the given one and its number, so the same seed gives the same numbers on
any number of threads, and two rule sets that are compared are drawn the same clusters.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from crosstable.history.kernel.arrays import Array
from crosstable.history.kernel.compiling import compiled
from crosstable.lab.metrics import Cells
from crosstable.lab.predictions import Floats, Whole

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
