"""The back-test: replay a history by a rule set and judge what it predicted of every section before it was played.

    from crosstable.lab import backtest, rule_set
    found = backtest("archive", rules=rule_set(bonus_threshold=12), against="official")
    print(found)
    found.frame

``frame`` and ``calibration_frame`` give the results as tables for further work; ``write_backtest`` writes all of it.
"""

import math
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosstable.errors import HistoryError
from crosstable.history.archive import Archive, digest, read
from crosstable.history.index import Index, build
from crosstable.history.replay import in_silence
from crosstable.lab import effects, predictions
from crosstable.lab.drawing import Draws, Estimate, Table, clusters_of
from crosstable.lab.judgements import Backtest, Differences, Judged, Rival
from crosstable.lab.known_systems import OtherSystem, is_other_system, other_system
from crosstable.lab.measures import (
    BINS,
    CROSSED,
    Arena,
    Measure,
    bins_of,
    calibration_error,
    groupings,
    measures_of,
    table_of,
)
from crosstable.lab.population import Federation, changed, written
from crosstable.lab.seeds import merged
from crosstable.lab.simulate import read_truth, simulated, strengths_of
from crosstable.lab.systems import OwnSystem, course_of, predicted_by
from crosstable.machine import processors
from crosstable.rules.rule_files import rule_set
from crosstable.rules.rule_sets import OFFICIAL, RuleSet

Day = date | str | None
Against = str | RuleSet | OtherSystem | OwnSystem
# Of the ways in which games are grouped, so many are looked at in brief.
BRIEFLY = 3


class History(NamedTuple):
    """A history opened for judging: its people, and which rows of results are in the span of days."""

    archive: Archive
    indexed: Index
    people: predictions.People
    kept: predictions.Truths
    has_truth: bool
    days: predictions.Span

    @property
    def no_error(self) -> predictions.Floats:
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
    progress: predictions.Progress = in_silence,
) -> Backtest:
    """Judge a rule set on an archive, alone or against others: rule sets, ``elo``, ``glicko2``, your own system.

    Everything is replayed from the beginning; ``span`` says which sections are judged, by the day they start. Bands of
    ratings and games are those of the first rule set compared with, so that all are judged on the same players.
    ``Draws(federations=20)`` judges twenty simulated federations that differ from the archive in nothing but luck.
    """
    folder = os.fspath(archive)
    asked = Asked(rule_set(rules), [rival_of(one) for one in _listed(against)], (day_of(span[0]), day_of(span[1])))
    draws = draws or Draws(threads=processors())
    if not draws.federations:
        return judged_history(opened_history(folder, asked.days), asked, draws, (folder, digest(folder)), progress)
    made = federation_of(read(folder), folder)
    return over_federations(made, asked, draws, (folder, digest(folder)), progress)


class Asked(NamedTuple):
    """What is to be judged, against what, in which span of days.

    ``in_brief``: predictions alone, of all games and of those without unrated or provisional players.
    """

    rules: RuleSet
    rivals: Sequence[RuleSet | OtherSystem]
    days: predictions.Span
    in_brief: bool = False


def judged_in_brief(
    folder: str, rules: RuleSet, rival: RuleSet | OtherSystem, days: predictions.Span, draws: Draws
) -> Backtest:
    """Compare the predictions of two, and nothing else."""
    asked = Asked(rules, [rival], days, in_brief=True)
    return judged_history(opened_history(folder, days), asked, draws, (folder, ""), in_silence)


def federation_of(archive: Archive, folder: str) -> Federation:
    """The federation that a simulated archive was made from."""
    said = archive.source.get("simulated")
    if not isinstance(said, Mapping):
        raise HistoryError(f"{folder} is not a simulated federation, and has only one history; leave out --seeds")
    known = {name: value for name, value in said.items() if name in Federation._fields}
    return changed(Federation(), [f"{name}={written(value)}" for name, value in known.items()])


def over_federations(
    made: Federation, asked: Asked, draws: Draws, named: tuple[str, str], progress: predictions.Progress
) -> Backtest:
    """Judge federations that differ only in their seed: the given one and those after it, each a draw by itself."""
    found = []
    for at in range(draws.federations):
        archive, truth = simulated(made._replace(seed=made.seed + at))
        history = history_of(archive, build(archive), strengths_of(archive, truth), asked.days)
        found.append(judged_history(history, asked, Draws(replicates=0, threads=draws.threads), named, in_silence))
        progress(at + 1)
    return merged(found, draws)


def judged_history(
    history: History, asked: Asked, draws: Draws, named: tuple[str, str], progress: predictions.Progress
) -> Backtest:
    """Judge everybody on one history."""
    every = [asked.rules, *(one for one in asked.rivals if isinstance(one, RuleSet))]

    def rated(rules: RuleSet) -> predictions.Brought:
        return predictions.rated_by(history.archive, history.indexed, rules, draws.threads, progress)

    ground = _ground(history, every, draws, rated)
    if asked.in_brief:
        ground = ground._replace(arena=ground.arena._replace(ways=ground.arena.ways[:BRIEFLY]), in_brief=True)
    # A replay costs less than room for what every rule set made: each is replayed again when it is judged.
    ruled = iter([_judged(ground, one, rated(one)) for one in every])
    first = next(ruled)
    found = [next(ruled) if isinstance(one, RuleSet) else _other(ground, one) for one in asked.rivals]
    games = ground.arena.games
    return Backtest(
        archive=named[0],
        archive_digest=named[1],
        start=asked.days[0],
        end=asked.days[1],
        games=len(games.one),
        sections=len(np.unique(games.section)),
        draws=draws,
        judged=first.judged,
        rivals=tuple(Rival(one.judged, _differences(first, one)) for one in found),
        best=_best(ground) if history.has_truth else None,
    )


def _listed(against: Against | Sequence[Against] | None) -> Sequence[Against]:
    if against is None:
        return ()
    is_several = isinstance(against, Sequence) and not isinstance(against, str | RuleSet | OtherSystem)
    return against if is_several else (against,)  # type: ignore[return-value]


def rival_of(given: Against) -> RuleSet | OtherSystem:
    """A rule set or another system, however it was asked for."""
    if isinstance(given, OtherSystem):
        return given
    if hasattr(given, "predict") or (isinstance(given, str) and is_other_system(given)):
        return other_system(given)  # type: ignore[arg-type]
    return rule_set(given)


def day_of(day: Day) -> date | None:
    """A day, however it is written."""
    return date.fromisoformat(day) if isinstance(day, str) else day


def opened_history(folder: str, days: predictions.Span) -> History:
    """Read an archive, with the truth beside it where there is one."""
    archive = read(folder)
    return history_of(archive, predictions.index_beside(archive, folder), read_truth(archive, folder), days)


def history_of(archive: Archive, index: Index, strength: predictions.Floats | None, days: predictions.Span) -> History:
    """A history for judging; ``strength`` is by entry."""
    people = predictions.people_of(archive, index, strength)
    kept = predictions.in_span(index.history.sections["start"][people.section], days)
    return History(archive, index, people, kept, strength is not None, days)


class _Ground(NamedTuple):
    """Where everybody is judged: the games that every rule set predicts, and where the judged one starts people."""

    history: History
    arena: Arena
    is_rated: predictions.Truths
    starts: predictions.Floats
    in_brief: bool = False

    def found(self, rules: RuleSet | OtherSystem, losses: predictions.Losses, error: predictions.Floats) -> "_Found":
        """How well somebody predicts: every group, and its bins; groups of three kinds at once have no bins."""
        table = table_of(self.arena, losses, error)
        measures = measures_of(table)
        if self.in_brief:
            return _Found(Judged(rules, measures, [], Estimate(*[math.nan] * 3), [], [], None), table)
        ways = [way for way in self.arena.ways if way.name != CROSSED]
        calibrated = table_of(self.arena._replace(ways=ways), losses, error, bins=BINS)
        far = calibration_error(calibrated, measures[0].sections)
        return _Found(Judged(rules, measures, bins_of(calibrated, ways), far, [], [], None), table)


def _ground(
    history: History, every: Sequence[RuleSet], draws: Draws, rated: Callable[[RuleSet], predictions.Brought]
) -> _Ground:
    """The games that all rule sets predict, in groups by what the first one compared with made of people."""
    is_rated: predictions.Truths = np.ones(history.indexed.rows, dtype=np.bool_)
    starts = banding = None
    for at, one in enumerate(every):
        brought = rated(one)
        is_rated &= brought.is_rated
        starts = brought.prior if at == 0 else starts
        banding = brought if at < 2 else banding
    del brought
    assert starts is not None
    assert banding is not None
    games = _predicted(history, is_rated, history.days)
    ways = groupings(games, history.people, banding, history.start)
    clusters = clusters_of(history.people, history.start, np.unique(games.section))
    return _Ground(history, Arena(games, ways, clusters, draws), is_rated, starts)


def _predicted(history: History, is_rated: predictions.Truths, days: predictions.Span) -> predictions.Games:
    """The games of a span whose players are rated."""
    games = predictions.games_of(history.archive, history.indexed, days)
    found = games.where(is_rated[games.one] & is_rated[games.other])
    if not len(found.one):
        raise HistoryError("there is no game to judge: the archive has none that can be predicted in this span")
    return found


class _Found(NamedTuple):
    judged: Judged
    measures: Table
    points: Table | None = None
    cohorts: Table | None = None


def _judged(ground: _Ground, rules: RuleSet, brought: predictions.Brought) -> _Found:
    """Everything about one rule set."""
    history, (games, _, clusters, draws) = ground.history, ground.arena
    people, end, kept = history.people, history.end, history.kept
    found = ground.found(rules, predictions.losses_of(games, brought.prior), brought.prior - people.strength)
    if ground.in_brief:
        return found
    points = effects.points_table(people, brought, history.indexed.history.sections, kept, (clusters, draws))
    cohorts = effects.cohort_table(people, brought, end, kept, draws)
    judged = found.judged._replace(
        points=effects.points_from(points),
        cohorts=effects.cohorts_from(cohorts),
        showing=effects.showing_of(effects.clocks_of(people, brought, end, kept), draws) if history.has_truth else None,
    )
    return _Found(judged, found.measures, points, cohorts)


def _other(ground: _Ground, system: OtherSystem) -> _Found:
    """How well another system predicts; it learns from all games that rule sets predict, whatever the span."""
    history = ground.history
    is_whole = history.days == (None, None)
    games = ground.arena.games if is_whole else _predicted(history, ground.is_rated, (None, None))
    found = predicted_by(system, games, course_of(history.indexed, history.people, ground.starts))
    losses = found.losses
    if not is_whole:
        judged_too = predictions.in_span(history.start[games.section], history.days)
        losses = predictions.Losses(*(column[judged_too] for column in losses))
    return ground.found(system, losses, found.ratings - history.people.strength)


def _differences(one: _Found, other: _Found) -> Differences:
    measures = measures_of(one.measures, other.measures)
    if other.points is None or other.cohorts is None or one.points is None or one.cohorts is None:
        return Differences(measures, [], [])
    return Differences(
        measures, effects.points_from(one.points, other.points), effects.cohorts_from(one.cohorts, other.cohorts)
    )


def _best(ground: _Ground) -> Measure:
    """How well true strengths predict the same games."""
    history, arena = ground.history, ground.arena
    losses = predictions.losses_of(arena.games, history.people.strength)
    return measures_of(table_of(arena._replace(ways=arena.ways[:1]), losses, history.no_error))[0]
