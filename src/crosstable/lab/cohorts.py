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
from crosstable.lab.bootstrap import Draws, Estimate, clusters_in, estimates, replicated, totals
from crosstable.lab.metrics import Cells
from crosstable.lab.points import summed
from crosstable.lab.predictions import Brought, Floats, People, Truths
from crosstable.terms import RatingSystem

COHORTS = (*bands(AGES), NOT_KNOWN)
# More games than these make a rating established in every official edition (§1).
ESTABLISHED = 25
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


def cohorts_of(
    people: People, brought: Brought, end: Array, kept: Truths, draws: Draws, system: RatingSystem = RatingSystem.OTBR
) -> list[Cohort]:
    """The cohorts of a history in one system; ``end`` is the last day of each section."""
    pairs = _repeated(_year_ends(people, brought, end, kept, system))
    if not pairs.height:
        return []
    year = pairs["year"].to_numpy()
    first, years = int(year.min()), int(year.max() - year.min()) + 1
    label = of_age(pairs["age"].to_numpy()).astype(np.int64) * years + (year - first)
    columns = np.stack(
        [np.ones(pairs.height), pairs["change"].to_numpy(), pairs["true_change"].fill_nan(0.0).to_numpy()], axis=1
    )
    cells = summed(pairs["member"].to_numpy().astype(np.int64), label, columns, years * len(COHORTS))
    has_truth = not bool(pairs["true_change"].is_nan().any())
    return _cohorts(cells, first, years, draws, has_truth=has_truth)


def _year_ends(people: People, brought: Brought, end: Array, kept: Truths, system: RatingSystem) -> pl.DataFrame:
    """The last rating of every member in every year in which he played."""
    rows = np.flatnonzero(kept & brought.is_rated & (people.system == system) & (people.member >= 0))
    days = _EPOCH + end[people.section[rows]].astype("m8[D]")
    frame = pl.DataFrame(
        {
            "member": people.member[rows],
            "year": days.astype("M8[Y]").astype(np.int64) + 1970,
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


def _cohorts(cells: Cells, first: int, years: int, draws: Draws, *, has_truth: bool) -> list[Cohort]:
    groups = years * len(COHORTS)
    whole, clusters = totals(cells, groups), clusters_in(cells, groups)
    drawn = replicated(cells, groups, draws)
    with np.errstate(invalid="ignore"):
        means = whole[:, CHANGE] / whole[:, PLAYERS]
        drawn_means = drawn[:, :, CHANGE] / drawn[:, :, PLAYERS]
        true = whole[:, TRUE_CHANGE] / whole[:, PLAYERS]
    changes = estimates(means, drawn_means, clusters)
    added = estimates(_added(means, years), _added(drawn_means, years), clusters)
    true_added = _added(true, years)
    return [
        Cohort(
            COHORTS[at // years],
            first + at % years,
            int(whole[at, PLAYERS]),
            changes[at],
            added[at],
            float(true[at]) if has_truth else np.nan,
            float(true_added[at]) if has_truth else np.nan,
        )
        for at in range(groups)
        if whole[at, PLAYERS]
    ]


def _added(means: Floats, years: int) -> Floats:
    """Changes added up within each age band; a year without players changes nothing."""
    by_band = np.nan_to_num(means).reshape(*means.shape[:-1], -1, years)
    return np.asarray(np.cumsum(by_band, axis=-1).reshape(means.shape))
