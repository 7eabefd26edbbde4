"""Inflation, as cohorts show it: the same players, of one age, from the end of a year to the end of the next.

The median of a pool says little: newcomers pull it down whatever the rules do. So of every year and age band only those
are compared who had an established rating at its end and played in the next year too. The mean changes, added up year
by year, show inflation where strength itself hardly changes, in the bands from 25 on; juniors improve, so theirs show
both. Where true strengths are known, what they changed stands beside it, and the rest is inflation at any age.
"""

from typing import NamedTuple

import numpy as np
import polars as pl

from crosstable.history.kernel.arrays import Array
from crosstable.lab.bands import AGES, NOT_KNOWN, bands, of_age
from crosstable.lab.bootstrap import Draws, Estimate, Table, drawn_table, estimates
from crosstable.lab.points import summed
from crosstable.lab.predictions import Brought, Floats, People, Truths, Whole
from crosstable.rules.editions import EDITIONS
from crosstable.terms import RatingSystem

COHORTS = (*bands(AGES), NOT_KNOWN)
# More games than these make a rating established in every official edition (§1).
ESTABLISHED = max(edition.constants.established_above for edition in EDITIONS)
_EPOCH = np.datetime64("0001-01-01") - 1
# The columns of sums.
PLAYERS, CHANGE, TRUE_CHANGE = range(3)


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
    pairs = _repeated(_year_ends(people, brought, end, chosen & brought.is_rated))
    first, count = (int(years.min()), int(years.max() - years.min()) + 1) if len(years) else (0, 0)
    label = of_age(pairs["age"].to_numpy()).astype(np.int64) * count + (pairs["year"].to_numpy() - first)
    columns = np.stack([np.ones(pairs.height), pairs["change"].to_numpy(), pairs["true_change"].to_numpy()], axis=1)
    cells = summed(pairs["member"].to_numpy().astype(np.int64), label, columns, count * len(COHORTS))
    names = [(age, str(year)) for age in COHORTS for year in range(first, first + count)]
    return drawn_table(cells, names, np.unique(people.member[chosen]).astype(np.int64), draws)


def _years(days: Array) -> Whole:
    return np.asarray((_EPOCH + days.astype("m8[D]")).astype("M8[Y]").astype(np.int64) + 1970)


def _year_ends(people: People, brought: Brought, end: Array, chosen: Truths) -> pl.DataFrame:
    """The last rating of every member in every year in which he played."""
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


def _repeated(ends: pl.DataFrame) -> pl.DataFrame:
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
    values, drawn, is_there = _means(table.whole), _means(table.drawn), table.whole[:, PLAYERS] > 0
    added, drawn_added = _added(values, years), _added(drawn, years)
    if against is not None:
        others, others_drawn = _means(against.whole), _means(against.drawn)
        values, drawn, is_there = values - others, drawn - others_drawn, is_there & (against.whole[:, PLAYERS] > 0)
        added, drawn_added = added - _added(others, years), drawn_added - _added(others_drawn, years)
    changes = estimates(values[:, CHANGE], drawn[:, :, CHANGE], table.clusters)
    indices = estimates(added[:, CHANGE], drawn_added[:, :, CHANGE], table.clusters)
    return [
        Cohort(
            age,
            int(year),
            int(table.whole[at, PLAYERS]),
            changes[at],
            indices[at],
            float(values[at, TRUE_CHANGE]),
            float(added[at, TRUE_CHANGE]),
        )
        for at, (age, year) in enumerate(table.names)
        if is_there[at]
    ]


def _means(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums / sums[..., PLAYERS : PLAYERS + 1])


def _added(means: Floats, years: int) -> Floats:
    """Changes added up within each age band; a year without players changes nothing."""
    if not years:
        return means
    # Players are there or not; what nobody knows of them stays unknown.
    filled = np.where(np.isnan(means[..., PLAYERS : PLAYERS + 1]), 0.0, means)
    by_band = filled.reshape(*means.shape[:-2], -1, years, means.shape[-1])
    return np.asarray(np.cumsum(by_band, axis=-2).reshape(means.shape))
