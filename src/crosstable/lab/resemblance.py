"""How much a federation resembles official crosstables: the same figures of both, side by side.

Official pages are a sample, with more of some years and systems than of others. Sections of the archive therefore count
as often as pages of their year and system are in the sample; everything else is left as it is.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from crosstable.errors import HistoryError
from crosstable.lab.observed import ESTABLISHED, PROVISIONAL, UNRATED, Observed
from crosstable.terms import RatingSystem

Floats = NDArray[np.float64]

DECILES = tuple(range(10, 100, 10))
QUARTILES = (10, 25, 50, 75, 90)
# A system has figures of its own from so many rated rows on.
ENOUGH_ROWS = 500
MEANS = (600, 800, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400)
DIFFERENCES = (0, 50, 100, 150, 200, 250, 300, 400, 500, 600, 800)
WIDE_DIFFERENCES = (0, 100, 200, 300, 400, 600, 800)
WEIGHT = "weight"


class Figure(NamedTuple):
    """A figure of the official pages and of the archive; ``seen`` is on how many official rows or games it rests.

    ``digits`` says how many digits after the point are worth printing.
    """

    group: str
    name: str
    official: float
    simulated: float
    seen: int
    digits: int

    @property
    def difference(self) -> float:
        """By how much the archive's figure exceeds the official one."""
        return self.simulated - self.official


class Resemblance(NamedTuple):
    """Figures side by side; ``matched`` is the share of the pages whose year and system the archive has too."""

    pages: int
    rows: int
    sections: int
    matched: float
    figures: list[Figure]

    @property
    def frame(self) -> pl.DataFrame:
        """Every figure as a row of a table."""
        columns = [*Figure._fields[:4], "difference", "seen"]
        return pl.DataFrame([{name: getattr(one, name) for name in columns} for one in self.figures])


# A figure of one side: its name, its value, how much it rests on and its digits.
Found = tuple[str, float, int, int]
Side = Callable[[Observed], Iterator[Found]]
# A band: its name, where it begins, where the next one does.
Band = tuple[str, float, float]


def resemblance(official: Observed, simulated: Observed) -> Resemblance:
    """Compare what an archive would show with what official pages show."""
    official = official._replace(pages=official.pages.with_columns(pl.lit(1.0).alias(WEIGHT)))
    weighted = _weighted(official.pages, simulated)
    figures = []
    for group, side in _groups(official):
        ours = {name: value for name, value, _, _ in side(weighted)}
        figures += [
            Figure(group, name, value, ours.get(name, math.nan), seen, digits)
            for name, value, seen, digits in side(official)
        ]
    matched = official.pages.join(weighted.pages, on=["year", "system"], how="semi").height / official.pages.height
    return Resemblance(official.pages.height, official.rows.height, weighted.pages.height, matched, figures)


def _weighted(official: pl.DataFrame, simulated: Observed) -> Observed:
    """An archive whose sections count as often as pages of their year and system."""
    kinds = ["year", "system"]
    due, there = official.group_by(kinds).len("due"), simulated.pages.group_by(kinds).len("there")
    shares = due.join(there, on=kinds).select(*kinds, (pl.col("due") / pl.col("there")).alias(WEIGHT))
    pages = simulated.pages.join(shares, on=kinds, maintain_order="left")
    if pages.is_empty():
        raise HistoryError("the archive has no section of a year and system of the pages")
    return simulated._replace(pages=pages)


def _groups(official: Observed) -> Iterator[tuple[str, Side]]:
    """The groups of figures; systems with few official rows have none of their own."""
    rated = official.rows.filter(pl.col("status") > UNRATED).join(official.pages, on="page")
    counts = dict(rated["system"].value_counts().iter_rows())
    systems = [system for system in RatingSystem if counts.get(int(system), 0) >= ENOUGH_ROWS]
    for name, side in (("ratings", _ratings), ("experience", _experience)):
        yield f"{name} of entrants, all systems", side
        for system in systems:
            yield f"{name} of entrants, {system.title}", partial(_of_system, side, system)
    yield "sections", _sections
    yield "rating differences in games", _distances
    yield "draws, both established, by mean rating", partial(_draws, ESTABLISHED)
    title = "score of the lower rated, {}, by difference"
    yield title.format("both established"), partial(_upsets, ESTABLISHED, DIFFERENCES)
    yield title.format("somebody provisional"), partial(_upsets, PROVISIONAL, WIDE_DIFFERENCES)


def _of_system(side: Side, system: RatingSystem, one: Observed) -> Iterator[Found]:
    return side(one._replace(pages=one.pages.filter(pl.col("system") == int(system))))


def _with_weights(frame: pl.DataFrame, pages: pl.DataFrame) -> pl.DataFrame:
    return frame.join(pages.select("page", WEIGHT), on="page")


def quantile(values: Floats, weights: Floats, share: float) -> float:
    """The least value up to which at least so great a share of the weights lies."""
    order = np.argsort(values, kind="stable")
    through = np.cumsum(weights[order])
    # Sums of many shares end a little beside the whole.
    at = int(np.searchsorted(through, share * through[-1] * (1.0 - 1e-12)))
    return float(values[order][at])


def _quantiles(frame: pl.DataFrame, column: str, shares: tuple[int, ...], name: str = "") -> Iterator[Found]:
    known = frame.filter(pl.col(column).is_not_null())
    if known.is_empty():
        return
    values, weights = known[column].cast(pl.Float64).to_numpy(), known[WEIGHT].to_numpy()
    for share in shares:
        yield f"{name}{share} %", quantile(values, weights, share / 100.0), known.height, 0


def _mean(frame: pl.DataFrame, value: pl.Expr) -> float:
    found = frame.select((value.cast(pl.Float64) * pl.col(WEIGHT)).sum() / pl.col(WEIGHT).sum()).item()
    return float(found) if found is not None else math.nan


def _ratings(one: Observed) -> Iterator[Found]:
    yield from _quantiles(_with_weights(one.rows, one.pages), "rating", DECILES)


def _experience(one: Observed) -> Iterator[Found]:
    """Shares of entrants by standing, provisional games, and what both say about the games of a member's life.

    Every member is unrated once. Where members come and go evenly, games per unrated entrant are games per member.
    """
    rows = _with_weights(one.rows, one.pages)
    for name, status in (("unrated", UNRATED), ("provisional", PROVISIONAL), ("established", ESTABLISHED)):
        yield f"{name}, %", 100.0 * _mean(rows, pl.col("status") == status), rows.height, 1
    yield from _quantiles(rows, "before", QUARTILES, "games of the provisional, ")
    yield "games an entry", _mean(rows, pl.col("played")), rows.height, 2
    newcomers = _mean(rows, pl.col("status") == UNRATED)
    for name, value in (("entries a newcomer", 1.0), ("games a newcomer", _mean(rows, pl.col("played")))):
        yield name, value / newcomers if newcomers else math.nan, rows.height, 1


def _sections(one: Observed) -> Iterator[Found]:
    for column in ("size", "games"):
        name = "players" if column == "size" else "games"
        yield from _quantiles(one.pages, column, QUARTILES, f"{name}, ")
        yield f"{name}, mean", _mean(one.pages, pl.col(column)), one.pages.height, 1


def _distances(one: Observed) -> Iterator[Found]:
    yield from _quantiles(_with_weights(one.games, one.pages), "difference", QUARTILES)


def _draws(status: int, one: Observed) -> Iterator[Found]:
    bands = [(f"under {MEANS[0]}", -math.inf, float(MEANS[0])), *_bands(MEANS)]
    yield from _by_band(status, one, ("mean", pl.col("low_score") == 0.5), bands)


def _upsets(status: int, limits: tuple[int, ...], one: Observed) -> Iterator[Found]:
    yield from _by_band(status, one, ("difference", pl.col("low_score")), _bands(limits))


def _bands(limits: tuple[int, ...]) -> list[Band]:
    between = [(f"{low} to {high - 1}", float(low), float(high)) for low, high in pairwise(limits)]
    return [*between, (f"{limits[-1]} and over", float(limits[-1]), math.inf)]


def _by_band(status: int, one: Observed, what: tuple[str, pl.Expr], bands: list[Band]) -> Iterator[Found]:
    """The mean of something in percent, in bands of a column, where the less settled of two players has a status."""
    by, value = what
    games = _with_weights(one.games.filter(pl.col("status") == status), one.pages)
    for name, low, high in bands:
        inside = games.filter((pl.col(by) >= low) & (pl.col(by) < high))
        if not inside.is_empty():
            yield name, 100.0 * _mean(inside, value), inside.height, 1
    yield "all", 100.0 * _mean(games, value), games.height, 1
