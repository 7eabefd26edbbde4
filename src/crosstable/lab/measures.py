"""Tables of sums become measures: the metrics of every group with their intervals, and differences of two rule sets."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from crosstable.lab.bands import Grouping
from crosstable.lab.bootstrap import Draws, Estimate, Table, drawn_table, estimates
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
    cells_by_section,
    merged_cells,
)
from crosstable.lab.predictions import Floats, Games

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
