"""What a back-test finds, as records: how one was judged, how two differ, and the whole of it with its tables."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import polars as pl

from crosstable.lab.bootstrap import Draws, Estimate
from crosstable.lab.calibration import Bin
from crosstable.lab.cohorts import Cohort
from crosstable.lab.lag import Showing
from crosstable.lab.measures import METRICS, Measure
from crosstable.lab.other_systems import OtherSystem
from crosstable.lab.points import Points
from crosstable.rules.rule_sets import RuleSet


class Judged(NamedTuple):
    """What one rule set made of a history: how well it predicted, what it did to ratings.

    ``showing`` is how long a changed strength took to show, where the truth is known. Of another rating system only
    predictions are judged: it has no points, no cohorts and no error against the truth.
    """

    rules: RuleSet | OtherSystem
    measures: list[Measure]
    calibration: list[Bin]
    calibration_error: Estimate
    points: list[Points]
    cohorts: list[Cohort]
    showing: Showing | None

    @property
    def overall(self) -> Measure:
        """The measure of everything."""
        return self.measures[0]


class Differences(NamedTuple):
    """How much one rule set differs from another, from paired draws: values of the first less those of the second."""

    measures: list[Measure]
    points: list[Points]
    cohorts: list[Cohort]

    @property
    def overall(self) -> Measure:
        """The difference over everything."""
        return self.measures[0]


class Rival(NamedTuple):
    """Another rule set or system on the same games, and how much the judged one differs from it."""

    judged: Judged
    differences: Differences


class Backtest(NamedTuple):
    """A back-test: of which archive and span, how intervals were drawn, what was found.

    ``rivals`` are those it was compared with; their ``differences`` are those of the judged one to them, game by game,
    from paired draws: a negative difference of deviance says that the judged one predicts better. ``best`` is how well
    true strengths would have predicted the same games, where they are known.
    """

    archive: str
    archive_digest: str
    start: date | None
    end: date | None
    games: int
    sections: int
    draws: Draws
    judged: Judged
    rivals: tuple[Rival, ...]
    best: Measure | None

    def __str__(self) -> str:
        """The whole back-test in words, as the command prints it."""
        from crosstable.lab.backtest_text import backtest_text

        return backtest_text(self)

    def __repr__(self) -> str:
        """What a notebook shows of it: the rules and the figure that counts most."""
        against = "".join(
            f" {word} {one.judged.rules.name}"
            for word, one in zip(("against", *["and"] * len(self.rivals)), self.rivals, strict=False)
        )
        deviance = self.judged.overall.deviance
        return f"<Backtest of {self.judged.rules.name}{against}: {self.games} predictions, deviance {deviance}>"

    @property
    def everyone(self) -> list[Judged]:
        """The judged one and its rivals."""
        return [self.judged, *(one.judged for one in self.rivals)]

    @property
    def against(self) -> Judged | None:
        """The first rival, if there is one."""
        return self.rivals[0].judged if self.rivals else None

    @property
    def differences(self) -> Differences | None:
        """How much the judged one differs from the first rival, if there is one."""
        return self.rivals[0].differences if self.rivals else None

    @property
    def frame(self) -> pl.DataFrame:
        """Every measure as a long table: a row per rule set or difference, group and metric."""
        parts = [(one.rules.name, one.measures) for one in self.everyone]
        parts += [(difference_name(self.judged, one), one.differences.measures) for one in self.rivals]
        return _long(parts)

    @property
    def calibration_frame(self) -> pl.DataFrame:
        """The calibration tables: what was expected and what was scored, bin by bin, for a plot."""
        rows = [
            {"rules": one.rules.name, **found._asdict(), **_ends("expected", found.expected)}
            | _ends("scored", found.scored)
            for one in self.everyone
            for found in one.calibration
        ]
        return pl.DataFrame(rows)


def difference_name(judged: Judged, rival: Rival) -> str:
    """How tables name a difference."""
    return f"{judged.rules.name} less {rival.judged.rules.name}"


def _ends(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _long(parts: Sequence[tuple[str, list[Measure]]]) -> pl.DataFrame:
    rows = [
        (name, one.grouping, one.group, one.games, one.sections, metric, *getattr(one, metric))
        for name, measures in parts
        for one in measures
        for metric in METRICS
    ]
    columns = ("rules", "grouping", "group", "games", "sections", "metric", "value", "low", "high")
    return pl.DataFrame(rows, schema=columns, orient="row").filter(~pl.col("value").is_nan())
