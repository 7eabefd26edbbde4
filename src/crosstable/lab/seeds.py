"""Several simulated federations as one answer: each is a draw by itself, and intervals come from how they differ."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from crosstable.lab.drawing import CONFIDENCE, Draws, Estimate
from crosstable.lab.heavy_tails import tail_ends
from crosstable.lab.judgements import Backtest, Differences, Judged, Rival

# Student's quantile for 95 %, by degrees of freedom from 1 on; beyond the table by Cornish and Fisher's series.
_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)
_NORMAL = 1.959964
# An interval needs so many federations that know the figure.
FEWEST = 3
# Below this skewness nothing is bent, as the formula would divide by it.
NO_SKEW = 1e-6


def quantile_of(freedom: int) -> float:
    """Student's quantile for an interval of 95 %."""
    assert CONFIDENCE == 0.95
    if freedom <= len(_STUDENT):
        return _STUDENT[freedom - 1]
    z = _NORMAL
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def interval_of(values: Sequence[float]) -> Estimate:
    """The mean of federations, and an interval for what it would be over ever more of them.

    Each end is the farthest of three: Student's, Student's bent by the skewness of the values (P. Hall, On the removal
    of skewness by transformation, 1992), and that of a heavy tail, where there is one. A rule that matters much in few
    federations would otherwise be told too surely: Student's ends too soon on the side of the few, the bent one, where
    the few happen to be many, on the other, and both too soon where none of the few was seen.
    """
    known = [one for one in values if math.isfinite(one)]
    if not known:
        return Estimate(math.nan, math.nan, math.nan)
    mean = math.fsum(known) / len(known)
    if len(known) < FEWEST:
        return Estimate(mean, math.nan, math.nan)
    count, spread = len(known), float(np.std(known, ddof=1))
    if not spread:
        return Estimate(mean, mean, mean)
    skew = math.fsum(((one - mean) / spread) ** 3 for one in known) * count / ((count - 1) * (count - 2))
    far = quantile_of(count - 1) / math.sqrt(count)
    below, above = tail_ends(np.array(known), skew) or (far, far)
    low = mean - spread * max(far, bent(far, skew, count), below)
    high = mean + spread * max(far, -bent(-far, skew, count), above)
    return Estimate(mean, low, high)


def bent(end: float, skew: float, count: int) -> float:
    """The inverse of Hall's transformation: how many standard deviations from the mean an end lies."""
    if abs(skew) < NO_SKEW:
        return end
    return 3.0 / skew * (math.cbrt(1.0 + skew * (end - skew / (6.0 * count))) - 1.0)


def merged(found: Sequence[Backtest], draws: Draws) -> Backtest:
    """Back-tests of several federations as one."""
    first = found[0]
    rivals = [
        Rival(_judged([one.rivals[at].judged for one in found]), _gap([one.rivals[at].differences for one in found]))
        for at in range(len(first.rivals))
    ]
    best = _records([[one.best] for one in found if one.best is not None])
    return first._replace(
        games=int(np.sum([one.games for one in found])),
        sections=int(np.sum([one.sections for one in found])),
        draws=draws,
        judged=_judged([one.judged for one in found]),
        rivals=tuple(rivals),
        best=best[0] if best else None,
    )


def _judged(found: Sequence[Judged]) -> Judged:
    lists = {name: _records([getattr(one, name) for one in found]) for name in _LISTS}
    error = interval_of([one.calibration_error.value for one in found])
    showing = _records([[one.showing] for one in found if one.showing is not None])
    return found[0]._replace(calibration_error=error, showing=showing[0] if showing else None, **lists)  # type: ignore[arg-type]


def _gap(found: Sequence[Differences]) -> Differences:
    return Differences(*(_records([getattr(one, name) for one in found]) for name in Differences._fields))


_LISTS = ("measures", "calibration", "points", "cohorts")
# What names a record; other numbers are counts, which add up, or figures, which have a mean and an interval.
_NAMES = ("grouping", "group", "at_least", "age", "year")


def _records(lists: Sequence[Sequence[Any]]) -> list[Any]:
    """Records of federations put together by their names, in the order in which they are first seen."""
    by_name: dict[tuple[Any, ...], list[Any]] = {}
    for records in lists:
        for one in records:
            by_name.setdefault(tuple(getattr(one, name, None) for name in _NAMES), []).append(one)
    return [_record(records) for records in by_name.values()]


def _record(records: Sequence[Any]) -> Any:  # noqa: ANN401 (one of several records)
    first = records[0]
    values: dict[str, Any] = {}
    for name in first._fields:
        column = [getattr(one, name) for one in records]
        if isinstance(column[0], Estimate):
            values[name] = interval_of([one.value for one in column])
        elif name not in _NAMES and isinstance(column[0], float):
            values[name] = math.fsum(column) / len(column)
        elif name not in _NAMES:
            values[name] = int(np.sum(column))
    return first._replace(**values)
