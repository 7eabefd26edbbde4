"""The back-test: replay a history by a rule set and judge what it predicted of every section before it was played.

    from crosstable.lab import backtest, rule_set
    found = backtest("archive", rules=rule_set(bonus_threshold=12), against="official")
    print(found)
    found.frame

``frame`` and ``calibration_frame`` give the results as tables for further work.
"""

import os
from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from crosstable.errors import HistoryError
from crosstable.history.archive import Archive, digest, read
from crosstable.history.index import Index
from crosstable.history.replay import in_silence
from crosstable.history.running import index_of
from crosstable.lab.bands import Grouping, groupings
from crosstable.lab.bootstrap import Draws, Estimate, Table
from crosstable.lab.calibration import Bin, bins_of, calibration_error, calibration_table
from crosstable.lab.cohorts import Cohort, cohort_table, cohorts_from
from crosstable.lab.lag import Showing, clocks_of, showing_of
from crosstable.lab.measures import METRICS, Measure, measures_of, table_of
from crosstable.lab.metrics import Losses, errors_of, losses_of
from crosstable.lab.points import Points, points_from, points_table
from crosstable.lab.predictions import Brought, Games, People, Progress, Truths, games_of, people_of, rated_by
from crosstable.lab.truth import read_truth
from crosstable.rules.rule_files import rule_set
from crosstable.rules.rule_sets import OFFICIAL, RuleSet

Day = date | str | None


class Judged(NamedTuple):
    """What one rule set made of a history: how well it predicted, what it did to ratings.

    ``showing`` is how long a changed strength took to show, where the truth is known.
    """

    rules: RuleSet
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


class Backtest(NamedTuple):
    """A back-test: of which archive and span, how intervals were drawn, what was found.

    With ``against``, ``differences`` are those of the first rule set to it, game by game, from paired draws: a
    negative difference of deviance says that the first predicts better. ``best`` is how well true strengths would have
    predicted the same games, where they are known.
    """

    archive: str
    archive_digest: str
    start: date | None
    end: date | None
    games: int
    sections: int
    draws: Draws
    judged: Judged
    against: Judged | None
    differences: Differences | None
    best: Measure | None

    def __str__(self) -> str:
        """The whole back-test in words, as the command prints it."""
        from crosstable.lab.backtest_text import backtest_text

        return backtest_text(self)

    def __repr__(self) -> str:
        """What a notebook shows of it: the rules and the figure that counts most."""
        against = "" if self.against is None else f" against {self.against.rules.name}"
        deviance = self.judged.overall.deviance
        return f"<Backtest of {self.judged.rules.name}{against}: {self.games} predictions, deviance {deviance}>"

    @property
    def frame(self) -> pl.DataFrame:
        """Every measure as a long table: a row per rule set, group and metric."""
        parts = {self.judged.rules.name: self.judged.measures}
        if self.against is not None:
            parts[self.against.rules.name] = self.against.measures
            assert self.differences is not None
            parts["difference"] = self.differences.measures
        return _long(parts)

    @property
    def calibration_frame(self) -> pl.DataFrame:
        """The calibration tables: what was expected and what was scored, bin by bin, for a plot."""
        both = [self.judged] if self.against is None else [self.judged, self.against]
        rows = [
            {"rules": one.rules.name, **found._asdict(), **_ends("expected", found.expected)}
            | _ends("scored", found.scored)
            for one in both
            for found in one.calibration
        ]
        return pl.DataFrame(rows)


def _ends(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _long(parts: Mapping[str, list[Measure]]) -> pl.DataFrame:
    rows = [
        (name, one.grouping, one.group, one.games, one.sections, metric, *getattr(one, metric))
        for name, measures in parts.items()
        for one in measures
        for metric in METRICS
    ]
    columns = ("rules", "grouping", "group", "games", "sections", "metric", "value", "low", "high")
    return pl.DataFrame(rows, schema=columns, orient="row").filter(~pl.col("value").is_nan())


class History(NamedTuple):
    """A history opened for judging: its games, its people, and which rows of results are in the span."""

    archive: Archive
    indexed: Index
    games: Games
    people: People
    kept: Truths
    has_truth: bool

    @property
    def start(self) -> NDArray[np.int32]:
        """The first day of every section."""
        return np.asarray(self.indexed.history.sections["start"][:-1])

    @property
    def end(self) -> NDArray[np.int32]:
        """The last day of every section."""
        return np.asarray(self.indexed.history.sections["end"][:-1])


def backtest(
    archive: str | os.PathLike[str],
    rules: str | RuleSet = OFFICIAL,
    against: str | RuleSet | None = None,
    *,
    span: tuple[Day, Day] = (None, None),
    draws: Draws | None = None,
    progress: Progress = in_silence,
) -> Backtest:
    """Judge a rule set on an archive, alone or against another one.

    Everything is replayed from the beginning; ``span`` says which sections are judged, by the day they start. With
    ``against``, bands of ratings and games are those of that rule set, so that both are judged on the same players.
    """
    folder = os.fspath(archive)
    chosen = [rule_set(one) for one in (rules, against) if one is not None]
    days = (_day(span[0]), _day(span[1]))
    draws = draws or Draws(threads=len(os.sched_getaffinity(0)))
    history = opened_history(folder, days)
    brought = [rated_by(history.archive, history.indexed, one, draws.threads, progress) for one in chosen]
    games = _predicted(history, brought)
    ways = groupings(games, history.people, brought[-1], history.start)
    found = [_judged(history, games, one, made, ways, draws) for one, made in zip(chosen, brought, strict=True)]
    best = _best(history, games, ways[0], draws) if history.has_truth else None
    differences = _differences(*found, has_truth=history.has_truth) if against is not None else None
    return Backtest(
        archive=folder,
        archive_digest=digest(folder),
        start=days[0],
        end=days[1],
        games=len(games.one),
        sections=len(np.unique(games.section)),
        draws=draws,
        judged=found[0].judged,
        against=found[1].judged if against is not None else None,
        differences=differences,
        best=best,
    )


def _day(day: Day) -> date | None:
    return date.fromisoformat(day) if isinstance(day, str) else day


def opened_history(folder: str, days: tuple[date | None, date | None]) -> History:
    """Read an archive, with the truth beside it where there is one."""
    archive = read(folder)
    index = index_of(archive, folder, keeps=True)
    strength = read_truth(archive, folder)
    games, people = games_of(archive, index, days), people_of(archive, index, strength)
    start = index.history.sections["start"][people.section]
    low, high = (day.toordinal() if day else end for day, end in zip(days, (0, 10**7), strict=True))
    return History(archive, index, games, people, (start >= low) & (start <= high), strength is not None)


def _predicted(history: History, brought: list[Brought]) -> Games:
    """The games that every rule set predicts."""
    games = history.games
    is_rated = np.logical_and.reduce([one.is_rated for one in brought])
    found = games.where(is_rated[games.one] & is_rated[games.other])
    if not len(found.one):
        raise HistoryError("there is no game to judge: the archive has none that can be predicted in this span")
    return found


class _Found(NamedTuple):
    judged: Judged
    measures: Table
    points: Table
    cohorts: Table


def _judged(
    history: History, games: Games, rules: RuleSet, brought: Brought, ways: list[Grouping], draws: Draws
) -> _Found:
    """Everything about one rule set."""
    people = history.people
    losses = losses_of(games, brought.prior)
    error = errors_of(brought.prior, people.strength)
    table = table_of(games, losses, ways, error, draws)
    calibrated = calibration_table(games, losses, ways, draws)
    measures = measures_of(table, has_truth=history.has_truth)
    end, kept = history.end, history.kept
    points = points_table(people, brought, history.indexed.history.sections, kept, draws)
    cohorts = cohort_table(people, brought, end, kept, draws)
    judged = Judged(
        rules,
        measures,
        bins_of(calibrated, ways),
        calibration_error(calibrated, measures[0].sections),
        points_from(points),
        cohorts_from(cohorts),
        showing_of(clocks_of(people, brought, end, kept), draws) if history.has_truth else None,
    )
    return _Found(judged, table, points, cohorts)


def _differences(one: _Found, other: _Found, *, has_truth: bool) -> Differences:
    return Differences(
        measures_of(one.measures, has_truth=has_truth, against=other.measures),
        points_from(one.points, other.points),
        cohorts_from(one.cohorts, other.cohorts),
    )


def _best(history: History, games: Games, everything: Grouping, draws: Draws) -> Measure:
    """How well true strengths predict the same games."""
    losses: Losses = losses_of(games, history.people.strength)
    error = np.zeros((2, len(history.people.strength)))
    table = table_of(games, losses, [everything], error, draws)
    return measures_of(table, has_truth=False)[0]
