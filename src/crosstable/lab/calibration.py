"""Calibration: games by what was expected of a player, and what he scored; for everything and for every group.

For everything, eras and systems the player is the favourite, and bins go from one half to 1; in bands of players he is
the player of the band, and bins go from 0 to 1.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crosstable.history.kernel.arrays import Array
from crosstable.history.kernel.compiling import compiled
from crosstable.lab.bands import Grouping
from crosstable.lab.bootstrap import Draws, Estimate, Table, drawn_table, estimates
from crosstable.lab.metrics import COUNT, EXPECTED, SCORED, Losses, cells_by_section, merged_cells
from crosstable.lab.predictions import Floats, Games

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
