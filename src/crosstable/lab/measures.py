"""Tables of sums become measures: the metrics of every group with their intervals, and differences of two rule sets."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from crosstable.lab.bands import Grouping
from crosstable.lab.bootstrap import Draws, Estimate, clusters_in, estimates, replicated, totals
from crosstable.lab.metrics import (
    BRIER,
    COLUMNS,
    COUNT,
    DEVIANCE,
    ERROR,
    EXPECTED,
    SCORED,
    SQUARE,
    Losses,
    add_games,
    add_sides,
    cells_of,
    merged_cells,
)
from crosstable.lab.predictions import Floats, Games, Whole

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


class Bin(NamedTuple):
    """Games whose favourites were expected to score about the same: what was expected and what was scored."""

    group: str
    games: int
    sections: int
    expected: Estimate
    scored: Estimate


class Table(NamedTuple):
    """Sums by group: of everything, and of every replicate."""

    names: tuple[tuple[str, str], ...]
    whole: Floats
    drawn: Floats
    clusters: Whole


def table_of(
    games: Games, losses: Losses, groupings: Sequence[Grouping], error: Floats, sections: int, draws: Draws
) -> Table:
    """Sum up losses by section and group, and draw the sections anew."""
    parts = []
    for grouping in groupings:
        sums = np.zeros((sections, len(grouping.groups), COLUMNS))
        add = add_sides if grouping.of_players else add_games
        add(games, losses, grouping.labels, error, sums)
        parts.append(cells_of(sums))
    widths = [len(grouping.groups) for grouping in groupings]
    cells = merged_cells(parts, widths)
    names = tuple((grouping.name, group) for grouping in groupings for group in grouping.groups)
    count = len(names)
    return Table(names, totals(cells, count), replicated(cells, count, draws), clusters_in(cells, count))


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


def bins_of(table: Table) -> list[Bin]:
    """The calibration table."""
    found = []
    for column in (EXPECTED, SCORED):
        with np.errstate(invalid="ignore"):
            values = table.whole[:, column] / table.whole[:, COUNT]
            drawn = table.drawn[:, :, column] / table.drawn[:, :, COUNT]
        found.append(estimates(values, drawn, table.clusters))
    return [
        Bin(group, int(table.whole[at, COUNT]), int(table.clusters[at]), found[0][at], found[1][at])
        for at, (_, group) in enumerate(table.names)
        if table.whole[at, COUNT]
    ]


def _calibration_errors(sums: Floats) -> Floats:
    gap = np.abs(sums[..., SCORED] - sums[..., EXPECTED]).sum(axis=-1)
    return np.asarray(gap / sums[..., COUNT].sum(axis=-1))


def calibration_error(table: Table, sections: int) -> Estimate:
    """How far what was scored lies from what was expected, bin by bin, as a mean over games."""
    value, drawn = (_calibration_errors(sums) for sums in (table.whole, table.drawn))
    return estimates(value[None], drawn[:, None], np.array([sections]))[0]
