"""Where rating points come from: the bonus, the floors, and what is left over."""

from typing import NamedTuple

import numpy as np

from crosstable.history.kernel.arrays import Array
from crosstable.lab.bands import ERA_NAMES, era_of
from crosstable.lab.bootstrap import Draws, Estimate, Table, drawn_table, estimates
from crosstable.lab.metrics import Cells, merged_cells
from crosstable.lab.predictions import Brought, Floats, People, Truths
from crosstable.terms import RatingSystem, SectionType

_MATCH = tuple(SectionType).index(SectionType.MATCH)
# The columns of sums.
ROWS, EARNERS, BONUS, FLOORED, FLOOR_POINTS, CHANGE = range(6)
# Those that are told for each rating.
_SHARED = (EARNERS, BONUS, FLOOR_POINTS, CHANGE)


class Points(NamedTuple):
    """Points of one group: of its ratings, how many earned a bonus or were held by a floor, and points a rating.

    ``change`` is everything that ratings after sections exceed those before, newcomers from their starts.
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


def points_table(people: People, brought: Brought, sections: Array, kept: Truths, draws: Draws) -> Table:
    """Points by era and by system, for the rows that are kept."""
    rows = np.flatnonzero(kept & brought.is_rated)
    columns = _columns(people, brought, sections, rows)
    section = people.section[rows].astype(np.int64)
    kinds = {
        "all": (("all",), np.zeros(len(rows), dtype=np.int64)),
        "era": (ERA_NAMES, era_of(sections["start"][:-1])[section].astype(np.int64)),
        "system": (tuple(system.name for system in RatingSystem), people.system[rows].astype(np.int64)),
    }
    parts, names = [], []
    for name, (groups, label) in kinds.items():
        parts.append(summed(section, label, columns, len(groups)))
        names += [(name, group) for group in groups]
    cells = merged_cells(parts, [len(groups) for groups, _ in kinds.values()])
    return drawn_table(cells, names, np.unique(people.section[kept]).astype(np.int64), draws)


def _columns(people: People, brought: Brought, sections: Array, rows: Array) -> Array:
    bonus = np.nan_to_num(brought.bonus[rows])
    is_match = sections["kind"][people.section[rows]] == _MATCH
    # What a match's own limits left of a change is not kept, so its floors cannot be told from them.
    level = np.where(is_match, -np.inf, brought.floor_level[rows])
    lifted = np.where(np.isfinite(level), np.maximum(level - brought.computed[rows], 0.0), 0.0)
    change = brought.after[rows] - brought.prior[rows]
    return np.stack((np.ones(len(rows)), bonus > 0.0, bonus, lifted > 0.0, lifted, change), axis=1)


def summed(cluster: Array, label: Array, columns: Array, groups: int) -> Cells:
    """Rows summed up by cluster and label, in order of clusters."""
    key, inverse = np.unique(cluster * groups + label, return_inverse=True)
    sums = np.stack([np.bincount(inverse, column, len(key)) for column in columns.T], axis=1).astype(np.float64)
    return Cells(key // groups, key % groups, sums)


def points_from(table: Table, against: Table | None = None) -> list[Points]:
    """The points of every group that has ratings; with ``against``, how much they differ from another table's."""
    whole = table.whole if against is None else table.whole - against.whole
    values, drawn = _a_rating(table.whole), _a_rating(table.drawn)
    if against is not None:
        values, drawn = values - _a_rating(against.whole), drawn - _a_rating(against.drawn)
    shares = [estimates(values[:, column], drawn[:, :, column], table.clusters) for column in _SHARED]
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


def _a_rating(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums / sums[..., ROWS : ROWS + 1])
