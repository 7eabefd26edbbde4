"""Whole federations as the unit: means over seeds, and intervals that hold what they promise."""

import math
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from crosstable.errors import HistoryError
from crosstable.history.archive import write
from crosstable.lab import Draws, backtest, other_system, rule_set
from crosstable.lab.judgements import backtest_text, warnings_of
from crosstable.lab.known_systems import OtherSystem
from crosstable.lab.measures import NO_UNRATED
from crosstable.lab.population import Federation
from crosstable.lab.seeds import interval_of, quantile_of
from crosstable.lab.simulate import simulated
from crosstable.rules.rule_sets import RuleSet
from tests.amounts import amount
from tools.study_coverage import CONTRASTS as STUDIED
from tools.study_coverage import FIGURES, differences_of, held, table

SMALL = Federation(members=40, sections=20, years=1, start=date(2015, 1, 1), seed=5, founders=0.5)
CONTRASTS = [
    rule_set(name="K", k_numerator=600.0),
    rule_set(name="B", bonus_threshold=6.0),
    rule_set(name="floors", peak_drop=0.0),
    rule_set(name="starts", adult_start=1000.0),
]


def test_quantiles_are_those_of_printed_tables() -> None:
    """Fisher and Yates, Statistical Tables, III: t of 5 % for 1, 4, 15, 20, 29 and 120 degrees of freedom."""
    found = [quantile_of(freedom) for freedom in (1, 4, 15, 20, 29, 120)]
    assert found == pytest.approx([12.706, 2.776, 2.131, 2.086, 2.045, 1.980], abs=0.0006)


def test_an_interval_by_hand_and_none_from_two() -> None:
    """1, 2 and 3 have a mean of 2 and a standard deviation of 1; no skewness: 2 ± 4.303 / √3."""
    assert interval_of([1.0, 2.0, 3.0, math.nan]) == pytest.approx((2.0, 2.0 - 2.4844, 2.0 + 2.4844), abs=1e-4)
    assert math.isnan(interval_of([1.0, 2.0]).low)
    assert interval_of([1.0, 1.0, 1.0]) == (1.0, 1.0, 1.0)
    assert math.isnan(interval_of([math.nan]).value)


def test_intervals_of_skewed_figures_hold_the_truth_as_often_as_they_promise() -> None:
    """Exponential numbers have a skewness of 2 and a mean of 1; 93 to 97 of a hundred intervals of thirty hold it.

    No end lies nearer than Student's, 2.0452 standard errors away.
    """
    drawn = np.random.default_rng(26).exponential(1.0, (amount(1000), 30))
    held = [low <= 1.0 <= high for _, low, high in (interval_of(one.tolist()) for one in drawn)]
    assert 0.93 <= float(np.mean(held)) <= 0.97
    far = 2.0452 * drawn[0].std(ddof=1) / math.sqrt(30)
    mean, low, high = interval_of(drawn[0].tolist())
    assert low == pytest.approx(mean - far, rel=1e-4)
    assert high > mean + 1.05 * far


def interpreted(name: str) -> OtherSystem:
    """A built-in system that is walked by Python, as compiling would take longer than these few games."""
    system = other_system(name).system
    functions = {one: getattr(system, one).py_func for one in ("start", "predict", "update")}
    return other_system(SimpleNamespace(__name__=name, parameters=system.parameters, **functions))  # type: ignore[arg-type]


def test_federations_that_differ_in_luck_alone_are_judged_together(tmp_path: Path) -> None:
    """The study of docs/lab.md at a small size: six contrasts, of which every figure is the mean of the federations.

    Intervals of three federations, for each contrast and figure: 85 to 100 of a hundred hold the truth, which is the
    mean of all federations. Floors are higher than the official ones, which so few members do not meet in a year.
    """
    count = amount(12, 360)
    contrasts: list[RuleSet | OtherSystem] = [*CONTRASTS, interpreted("elo"), interpreted("glicko2")]
    values = np.array([differences_of(SMALL._replace(seed=SMALL.seed + at), contrasts) for at in range(count)])
    assert float(held(values, 3).pooled.mean()) >= 85.0
    write(simulated(SMALL).archive, str(tmp_path))
    found = backtest(tmp_path, against=contrasts, draws=Draws(federations=4))
    for at, rival in enumerate(found.rivals):
        known = {one.group: one for one in rival.differences.measures}
        for figure, one in enumerate((known["all"].deviance, known[NO_UNRATED].deviance, known["all"].bias)):
            assert one == pytest.approx(interval_of(values[:4, at, figure].tolist()), abs=1e-9)
    assert "means of 4 federations" in backtest_text(found)


def test_the_table_of_the_study_has_a_row_for_every_figure() -> None:
    """Three intervals, by hand 0 ± 2.48 twice and 41 ± 2.48: none holds the mean of all, which is 13.7."""
    values = np.zeros((9, len(STUDIED), len(FIGURES)))
    values[:] = np.array([-1.0, 0.0, 1.0, -1.0, 0.0, 1.0, 40.0, 41.0, 42.0])[:, None, None]
    found = held(values, 3)
    assert found.pooled == pytest.approx([0.0] * len(FIGURES))
    assert [line.split(" | ")[0] for line in table(found).splitlines()[2:]] == [f"| {name}" for name in FIGURES]


def test_a_history_that_was_not_simulated_is_one_alone(tmp_path: Path) -> None:
    write(simulated(SMALL).archive._replace(source={}), str(tmp_path))
    with pytest.raises(HistoryError, match="is not a simulated federation, and has only one history"):
        backtest(tmp_path, draws=Draws(federations=3))


def test_metrics_that_disagree_are_told(tmp_path: Path) -> None:
    write(simulated(SMALL).archive, str(tmp_path))
    gap = backtest(tmp_path, against=CONTRASTS[0], draws=Draws(replicates=0)).rivals[0].differences
    assert warnings_of(gap) == []
    sure = gap.overall._replace(deviance=interval_of([1.0, 1.1, 0.9]), brier=interval_of([-1.0, -1.1, -0.9]))
    (said,) = warnings_of(gap._replace(measures=[sure, *gap.measures[1:]]))
    assert said == "Warning: metrics disagree about the first. All games: better by Brier score; worse by deviance."
