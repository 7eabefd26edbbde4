"""The back-test: replay a history by a rule set and judge what it predicted of every section before it was played.

    from crosstable.lab import backtest, rule_set
    found = backtest("archive", rules=rule_set(bonus_threshold=12), against="official")
    print(found)
    found.frame

``frame`` and ``calibration_frame`` give the results as tables for further work.
"""

import os
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosstable.errors import HistoryError
from crosstable.history.archive import Archive, digest, read
from crosstable.history.index import Index
from crosstable.history.replay import in_silence
from crosstable.lab.backtest_results import Backtest, Differences, Judged, Rival
from crosstable.lab.effects import clocks_of, cohort_table, cohorts_from, points_from, points_table, showing_of
from crosstable.lab.measures import (
    BINS,
    Draws,
    Grouping,
    Measure,
    Table,
    bins_of,
    calibration_error,
    groupings,
    measures_of,
    table_of,
)
from crosstable.lab.other_systems import OtherSystem, is_other_system, other_system, predicted_by
from crosstable.lab.predictions import (
    Brought,
    Floats,
    Games,
    Losses,
    People,
    Progress,
    Span,
    Truths,
    games_of,
    in_span,
    index_beside,
    losses_of,
    people_of,
    rated_by,
)
from crosstable.lab.simulate import read_truth
from crosstable.rules.rule_files import rule_set
from crosstable.rules.rule_sets import OFFICIAL, RuleSet

Day = date | str | None
Against = str | RuleSet | OtherSystem


class History(NamedTuple):
    """A history opened for judging: its people, and which rows of results are in the span of days."""

    archive: Archive
    indexed: Index
    people: People
    kept: Truths
    has_truth: bool
    days: Span

    @property
    def no_error(self) -> Floats:
        """What is known of errors where there are no ratings to hold against true strengths."""
        return np.full(len(self.people.strength), np.nan)

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
    against: Against | Sequence[Against] | None = None,
    *,
    span: tuple[Day, Day] = (None, None),
    draws: Draws | None = None,
    progress: Progress = in_silence,
) -> Backtest:
    """Judge a rule set on an archive, alone or against others: rule sets, or other systems as ``elo``, ``glicko2``.

    Everything is replayed from the beginning; ``span`` says which sections are judged, by the day they start. Bands of
    ratings and games are those of the first rule set compared with, so that all are judged on the same players.
    """
    folder = os.fspath(archive)
    chosen, rivals = rule_set(rules), [_rival(one) for one in _listed(against)]
    days = (_day(span[0]), _day(span[1]))
    draws = draws or Draws(threads=len(os.sched_getaffinity(0)))
    history = opened_history(folder, days)
    every = [chosen, *(one for one in rivals if isinstance(one, RuleSet))]
    brought = [rated_by(history.archive, history.indexed, one, draws.threads, progress) for one in every]
    games = _predicted(games_of(history.archive, history.indexed, days), brought)
    ways = groupings(games, history.people, brought[min(1, len(brought) - 1)], history.start)
    arena = _Arena(history, games, ways, draws)
    ruled = iter([_judged(arena, one, made) for one, made in zip(every, brought, strict=True)])
    first = next(ruled)
    found = [next(ruled) if isinstance(one, RuleSet) else _other(arena, one, brought) for one in rivals]
    return Backtest(
        archive=folder,
        archive_digest=digest(folder),
        start=days[0],
        end=days[1],
        games=len(games.one),
        sections=len(np.unique(games.section)),
        draws=draws,
        judged=first.judged,
        rivals=tuple(Rival(one.judged, _differences(first, one)) for one in found),
        best=_best(history, games, ways[0], draws) if history.has_truth else None,
    )


def _listed(against: Against | Sequence[Against] | None) -> Sequence[Against]:
    if against is None:
        return ()
    is_one = isinstance(against, str | RuleSet | OtherSystem)
    return (against,) if is_one else against  # type: ignore[return-value]


def _rival(given: Against) -> RuleSet | OtherSystem:
    if isinstance(given, OtherSystem):
        return given
    if isinstance(given, str) and is_other_system(given):
        return other_system(given)
    return rule_set(given)


def _day(day: Day) -> date | None:
    return date.fromisoformat(day) if isinstance(day, str) else day


def opened_history(folder: str, days: Span) -> History:
    """Read an archive, with the truth beside it where there is one."""
    archive = read(folder)
    index = index_beside(archive, folder)
    strength = read_truth(archive, folder)
    people = people_of(archive, index, strength)
    kept = in_span(index.history.sections["start"][people.section], days)
    return History(archive, index, people, kept, strength is not None, days)


def _predicted(games: Games, brought: list[Brought]) -> Games:
    """Those of some games that every rule set predicts."""
    is_rated = np.logical_and.reduce([one.is_rated for one in brought])
    found = games.where(is_rated[games.one] & is_rated[games.other])
    if not len(found.one):
        raise HistoryError("there is no game to judge: the archive has none that can be predicted in this span")
    return found


class _Arena(NamedTuple):
    """Where everybody is judged: the history, the games, their groups, the draws."""

    history: History
    games: Games
    ways: list[Grouping]
    draws: Draws


class _Found(NamedTuple):
    judged: Judged
    measures: Table
    points: Table | None = None
    cohorts: Table | None = None


def _judged(arena: _Arena, rules: RuleSet, brought: Brought) -> _Found:
    """Everything about one rule set."""
    history, games, ways, draws = arena
    people, end, kept = history.people, history.end, history.kept
    losses = losses_of(games, brought.prior)
    error = brought.prior - people.strength
    table, calibrated = (table_of(games, losses, ways, error, draws, bins=bins) for bins in (1, BINS))
    measures = measures_of(table)
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


def _other(arena: _Arena, system: OtherSystem, brought: list[Brought]) -> _Found:
    """How well another system predicts; it learns from all games that rule sets predict, whatever the span."""
    history, games, ways, draws = arena
    whole = _predicted(games_of(history.archive, history.indexed, (None, None)), brought)
    system, predicted = predicted_by(system, whole, history.people, history.end)
    judged_too = in_span(history.start[whole.section], history.days)
    losses = Losses(*(column[judged_too] for column in predicted))
    table, calibrated = (table_of(games, losses, ways, history.no_error, draws, bins=bins) for bins in (1, BINS))
    measures = measures_of(table)
    error = calibration_error(calibrated, measures[0].sections)
    judged = Judged(system, measures, bins_of(calibrated, ways), error, [], [], None)
    return _Found(judged, table)


def _differences(one: _Found, other: _Found) -> Differences:
    measures = measures_of(one.measures, other.measures)
    if other.points is None or other.cohorts is None or one.points is None or one.cohorts is None:
        return Differences(measures, [], [])
    return Differences(measures, points_from(one.points, other.points), cohorts_from(one.cohorts, other.cohorts))


def _best(history: History, games: Games, everything: Grouping, draws: Draws) -> Measure:
    """How well true strengths predict the same games."""
    losses = losses_of(games, history.people.strength)
    return measures_of(table_of(games, losses, [everything], history.no_error, draws))[0]
