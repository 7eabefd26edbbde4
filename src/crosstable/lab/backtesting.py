"""The back-test: replay a history by a rule set and judge what it predicted of every section before it was played.

    from crosstable.lab import backtest, rule_set
    found = backtest("archive", rules=rule_set(bonus_threshold=12), against="official")
    print(found)
    found.frame

``frame`` and ``calibration_frame`` give the results as tables for further work; ``write_backtest`` writes all of it.
"""

import math
import os
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from crosstable import __version__
from crosstable.errors import HistoryError
from crosstable.history.archive import Archive, digest, read
from crosstable.history.index import Index
from crosstable.history.replay import in_silence
from crosstable.lab import effects, predictions
from crosstable.lab.documents import plain, write_folder
from crosstable.lab.measures import (
    BINS,
    CONFIDENCE,
    METRICS,
    UNSEEN,
    Bin,
    Draws,
    Estimate,
    Grouping,
    Measure,
    Table,
    bins_of,
    calibration_error,
    groupings,
    measures_of,
    table_of,
)
from crosstable.lab.predictions import OtherSystem, is_other_system, other_system, predicted_by
from crosstable.lab.simulate import read_truth
from crosstable.rules.editions import LAW_SEEN_THROUGH
from crosstable.rules.rule_files import rule_set
from crosstable.rules.rule_sets import OFFICIAL, RuleSet, document_of


class Judged(NamedTuple):
    """What one rule set made of a history: how well it predicted, what it did to ratings.

    ``showing`` is how long a changed strength took to show, where the truth is known. Of another rating system only
    predictions are judged: it has no points, no cohorts and no error against the truth.
    """

    rules: RuleSet | OtherSystem
    measures: list[Measure]
    calibration: list[Bin]
    calibration_error: Estimate
    points: list[effects.Points]
    cohorts: list[effects.Cohort]
    showing: effects.Showing | None

    @property
    def overall(self) -> Measure:
        """The measure of everything."""
        return self.measures[0]


class Differences(NamedTuple):
    """How much one rule set differs from another, from paired draws: values of the first less those of the second."""

    measures: list[Measure]
    points: list[effects.Points]
    cohorts: list[effects.Cohort]

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
        return _table(self, "calibration")


def difference_name(judged: Judged, rival: Rival) -> str:
    """How tables name a difference."""
    return f"{judged.rules.name} less {rival.judged.rules.name}"


def _table(found: Backtest, field: str) -> pl.DataFrame:
    """Records of everyone as one table: an estimate is three columns."""
    rows = []
    for one in found.everyone:
        for record in getattr(one, field):
            row: dict[str, Any] = {"rules": one.rules.name}
            for name, value in record._asdict().items():
                if isinstance(value, Estimate):
                    row |= {name: value.value, f"{name}_low": value.low, f"{name}_high": value.high}
                else:
                    row[name] = value
            rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


def _long(parts: Sequence[tuple[str, list[Measure]]]) -> pl.DataFrame:
    rows = [
        (name, one.grouping, one.group, one.games, one.sections, metric, *getattr(one, metric))
        for name, measures in parts
        for one in measures
        for metric in METRICS
    ]
    columns = ("rules", "grouping", "group", "games", "sections", "metric", "value", "low", "high")
    return pl.DataFrame(rows, schema=columns, orient="row").filter(~pl.col("value").is_nan())


# Strength itself hardly changes at this age, so changes of ratings are inflation.
SETTLED = "25 to 49"


def backtest_text(found: Backtest) -> str:
    """The whole text."""
    lines = [*_heading(found)]
    if found.best is not None:
        best = f"a deviance of {found.best.deviance}, a Brier score of {found.best.brier}"
        lines.append(f"true strengths would have predicted with {best}")
    for judged in found.everyone:
        kind = "Another system" if isinstance(judged.rules, OtherSystem) else "Rules"
        lines += ["", f"{kind}: {judged.rules.title}", "", *_judged_lines(judged)]
    for rival in found.rivals:
        lines += [
            "",
            f"Differences, {difference_name(found.judged, rival)}; deviance and Brier score below zero: the first "
            "predicts better",
            "",
        ]
        lines += [*_measure_lines(rival.differences.measures), *_points_lines(rival.differences.points)]
        lines += _cohort_lines(rival.differences.cohorts)
    return "\n".join(lines) + "\n"


def _heading(found: Backtest) -> Iterator[str]:
    days = [None if day is None else f"{word} {day}" for word, day in (("from", found.start), ("to", found.end))]
    span = " ".join(filter(None, days)) or "of all days"
    yield f"{found.archive} ({found.archive_digest[:16]})"
    yield f"{found.games:,} predictions in {found.sections:,} sections {span}"
    yield f"95 % intervals from {found.draws.replicates} draws of sections, seed {found.draws.seed}"


def _judged_lines(judged: Judged) -> Iterator[str]:
    yield from _measure_lines(judged.measures)
    yield ""
    yield f"  Favourites, mean distance of scored from expected {judged.calibration_error}"
    yield f"  {'':<14} {'games':>9}   expected   scored"
    for one in judged.calibration:
        if one.grouping == judged.overall.grouping:
            yield f"  from {one.at_least:<9.2f} {one.games:>9,}   {one.expected.value:.4f}     {one.scored}"
    yield from _points_lines(judged.points)
    yield from _cohort_lines(judged.cohorts)
    if judged.showing is not None:
        shown = judged.showing
        days, games = (_median(one) for one in (shown.median_days, shown.median_games))
        yield ""
        yield f"  {shown.rises:,} rises of true strength by a hundred, {shown.shown:,} seen to show"
        yield f"  half of them within {days} days; {games} games"


def _median(estimate: Estimate) -> str:
    value, low, high = (UNSEEN if math.isinf(one) else f"{one:.0f}" for one in estimate)
    return value if math.isnan(estimate.low) or low == UNSEEN else f"{value} [{low}, {high}]"


def _measure_lines(measures: Sequence[Measure]) -> Iterator[str]:
    has_truth = not math.isnan(measures[0].rms.value)
    truth = f"{'bias':>8} {'rms':>8}" if has_truth else ""
    yield f"  {'':<8} {'':<16} {'games':>9}  {'deviance':<28}{'Brier score':<28}{'surplus':<28}{truth}".rstrip()
    last = ""
    for one in measures:
        name = "" if one.grouping == last else one.grouping
        last = one.grouping
        error = f"{one.bias.value:>8.1f} {one.rms.value:>8.1f}" if has_truth else ""
        numbers = f"{one.deviance!s:<28}{one.brier!s:<28}{one.surplus!s:<28}"
        yield f"  {name:<8} {one.group:<16} {one.games:>9,}  {numbers}{error}".rstrip()


def _points_lines(points: Sequence[effects.Points]) -> Iterator[str]:
    if not points:
        return
    yield ""
    yield f"  {'Points':<8} {'':<16} {'ratings':>9}  {'bonus earners':>16} {'bonus':>9} {'floors':>9} {'change':>9}"
    last = ""
    for one in points:
        name = "" if one.grouping == last else one.grouping
        last = one.grouping
        earners = f"{one.bonus_earners:,} ({100.0 * one.earning_share.value:.1f} %)"
        numbers = (one.bonus_a_rating, one.floors_a_rating, one.change_a_rating)
        columns = " ".join(f"{number.value:>9.3f}" for number in numbers)
        yield f"  {name:<8} {one.group:<16} {one.ratings:>9,}  {earners:>16} {columns}"


def _cohort_lines(cohorts: Sequence[effects.Cohort]) -> Iterator[str]:
    settled = [one for one in cohorts if one.age == SETTLED]
    if not settled:
        return
    has_truth = any(one.true_added_up for one in settled) and not math.isnan(settled[0].true_change)
    truth = f"  {'true':>7}" if has_truth else ""
    yield ""
    yield f"  Regular ratings of the same players aged {SETTLED}, from the end of a year to the end of the next"
    yield f"  {'year':<6} {'players':>8}  {'change':>7}  {'added up':>8}{truth}"
    for one in settled:
        true = f"  {one.true_added_up:>7.1f}" if has_truth else ""
        yield f"  {one.year:<6} {one.players:>8,}  {one.change.value:>7.1f}  {one.added_up.value:>8.1f}{true}"


FORMAT = "crosstable-backtest/1"
DOCUMENT = "backtest.json"


def backtest_document(found: Backtest) -> dict[str, Any]:
    """The whole document; a number that nobody knows is null."""
    return {
        "format": FORMAT,
        "made_by": f"crosstable {__version__}",
        "law_seen_through": LAW_SEEN_THROUGH.isoformat(),
        "archive": {"folder": found.archive, "digest": found.archive_digest},
        "span": plain([found.start, found.end]),
        "games": found.games,
        "sections": found.sections,
        "draws": {"seed": found.draws.seed, "replicates": found.draws.replicates, "confidence": CONFIDENCE},
        "judged": _judged_document(found.judged),
        "against": [{**_judged_document(one.judged), "differences": plain(one.differences)} for one in found.rivals],
        "best": plain(found.best),
    }


def _judged_document(judged: Judged) -> dict[str, Any]:
    rules = judged.rules.document if isinstance(judged.rules, OtherSystem) else document_of(judged.rules)
    return {**plain(judged._replace(rules=None)), "rules": rules}  # type: ignore[arg-type]


def write_backtest(found: Backtest, folder: str) -> None:
    """Write a back-test into a folder: its tables as CSV, its text, and last the JSON document."""
    tables = {
        "measures.csv": found.frame,
        "calibration.csv": found.calibration_frame,
        "cohorts.csv": _table(found, "cohorts"),
        "points.csv": _table(found, "points"),
    }
    write_folder(folder, (DOCUMENT, backtest_document(found)), {"backtest.txt": backtest_text(found)}, tables)


Day = date | str | None
Against = str | RuleSet | OtherSystem


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
    brought = [predictions.rated_by(history.archive, history.indexed, one, draws.threads, progress) for one in every]
    games = _predicted(predictions.games_of(history.archive, history.indexed, days), brought)
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


def opened_history(folder: str, days: predictions.Span) -> History:
    """Read an archive, with the truth beside it where there is one."""
    archive = read(folder)
    index = predictions.index_beside(archive, folder)
    strength = read_truth(archive, folder)
    people = predictions.people_of(archive, index, strength)
    kept = predictions.in_span(index.history.sections["start"][people.section], days)
    return History(archive, index, people, kept, strength is not None, days)


def _predicted(games: predictions.Games, brought: list[predictions.Brought]) -> predictions.Games:
    """Those of some games that every rule set predicts."""
    is_rated = np.logical_and.reduce([one.is_rated for one in brought])
    found = games.where(is_rated[games.one] & is_rated[games.other])
    if not len(found.one):
        raise HistoryError("there is no game to judge: the archive has none that can be predicted in this span")
    return found


class _Arena(NamedTuple):
    """Where everybody is judged: the history, the games, their groups, the draws."""

    history: History
    games: predictions.Games
    ways: list[Grouping]
    draws: Draws


class _Found(NamedTuple):
    judged: Judged
    measures: Table
    points: Table | None = None
    cohorts: Table | None = None


def _judged(arena: _Arena, rules: RuleSet, brought: predictions.Brought) -> _Found:
    """Everything about one rule set."""
    history, games, ways, draws = arena
    people, end, kept = history.people, history.end, history.kept
    losses = predictions.losses_of(games, brought.prior)
    error = brought.prior - people.strength
    table, calibrated = (table_of(games, losses, ways, error, draws, bins=bins) for bins in (1, BINS))
    measures = measures_of(table)
    points = effects.points_table(people, brought, history.indexed.history.sections, kept, draws)
    cohorts = effects.cohort_table(people, brought, end, kept, draws)
    judged = Judged(
        rules,
        measures,
        bins_of(calibrated, ways),
        calibration_error(calibrated, measures[0].sections),
        effects.points_from(points),
        effects.cohorts_from(cohorts),
        effects.showing_of(effects.clocks_of(people, brought, end, kept), draws) if history.has_truth else None,
    )
    return _Found(judged, table, points, cohorts)


def _other(arena: _Arena, system: OtherSystem, brought: list[predictions.Brought]) -> _Found:
    """How well another system predicts; it learns from all games that rule sets predict, whatever the span."""
    history, games, ways, draws = arena
    whole = _predicted(predictions.games_of(history.archive, history.indexed, (None, None)), brought)
    system, predicted = predicted_by(system, whole, history.people, history.end)
    judged_too = predictions.in_span(history.start[whole.section], history.days)
    losses = predictions.Losses(*(column[judged_too] for column in predicted))
    table, calibrated = (table_of(games, losses, ways, history.no_error, draws, bins=bins) for bins in (1, BINS))
    measures = measures_of(table)
    error = calibration_error(calibrated, measures[0].sections)
    judged = Judged(system, measures, bins_of(calibrated, ways), error, [], [], None)
    return _Found(judged, table)


def _differences(one: _Found, other: _Found) -> Differences:
    measures = measures_of(one.measures, other.measures)
    if other.points is None or other.cohorts is None or one.points is None or one.cohorts is None:
        return Differences(measures, [], [])
    return Differences(
        measures, effects.points_from(one.points, other.points), effects.cohorts_from(one.cohorts, other.cohorts)
    )


def _best(history: History, games: predictions.Games, everything: Grouping, draws: Draws) -> Measure:
    """How well true strengths predict the same games."""
    losses = predictions.losses_of(games, history.people.strength)
    return measures_of(table_of(games, losses, [everything], history.no_error, draws))[0]
