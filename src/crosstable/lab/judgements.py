"""What a back-test found, as records, as text, as tables and as JSON."""

import math
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any, NamedTuple

import polars as pl

from crosstable import __version__
from crosstable.lab import effects
from crosstable.lab.documents import plain, write_folder
from crosstable.lab.drawing import CONFIDENCE, UNSEEN, Draws, Estimate
from crosstable.lab.known_systems import OtherSystem
from crosstable.lab.measures import CROSSED, ESTABLISHED, METRICS, NO_UNRATED, Bin, Measure
from crosstable.rules.editions import LAW_SEEN_THROUGH
from crosstable.rules.rule_sets import RuleSet, document_of


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


# What a truth beside an archive says: it is a simulated one.
ONE_DRAW = "One simulated federation is one draw of many; --seeds N judges whole federations, and their intervals hold."
# Metrics of which each says by its sign which of two predicts better, and what they are called.
SIDES = {
    "deviance": "deviance",
    "clipped": "clipped deviance",
    "recalibrated": "deviance with the best slope",
    "brier": "Brier score",
    "gap": "error of rating differences",
}


# Groups whose metrics are compared with each other, and how a warning begins with them.
COMPARED = {"all": "All games", NO_UNRATED: "No unrated player", ESTABLISHED: "Both established"}


def warnings_of(differences: Differences, name: str = "the first") -> list[str]:
    """Where metrics, or all games and those of rated players, disagree about who predicts better."""
    sides: set[str] = set()
    told = []
    for one in (one for one in differences.measures if one.group in COMPARED):
        found: dict[str, list[str]] = {}
        for metric, called in SIDES.items():
            gap: Estimate = getattr(one, metric)
            if gap.high < 0.0 or gap.low > 0.0:
                found.setdefault("better" if gap.high < 0.0 else "worse", []).append(called)
        said = [f"{side} by {_listing(names)}" for side, names in sorted(found.items())]
        told += [f"{COMPARED[one.group]}: {'; '.join(said)}."] if said else []
        sides |= set(found)
    return [f"Warning: metrics disagree about {name}. {' '.join(told)}"] if len(sides) > 1 else []


def _listing(names: Sequence[str]) -> str:
    if len(names) == len(SIDES):
        return "all metrics"
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


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
        lines += [f"  {warning}" for warning in warnings_of(rival.differences)]
        lines += [*_measure_lines(rival.differences.measures), *_points_lines(rival.differences.points)]
        lines += _cohort_lines(rival.differences.cohorts)
    return "\n".join(lines) + "\n"


def _heading(found: Backtest) -> Iterator[str]:
    days = [None if day is None else f"{word} {day}" for word, day in (("from", found.start), ("to", found.end))]
    span = " ".join(filter(None, days)) or "of all days"
    yield f"{found.archive} ({found.archive_digest[:16]})"
    yield f"{found.games:,} predictions in {found.sections:,} sections {span}"
    if found.draws.federations:
        yield f"means of {found.draws.federations} federations, with 95 % intervals from how they differ"
        return
    yield f"95 % intervals from {found.draws.replicates} draws of members and of times, seed {found.draws.seed}"
    if found.best is not None:
        yield ONE_DRAW


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
    truth = f"{'bias':>8} {'spread':>8} {'gap':>8}" if has_truth else ""
    columns = f"{'deviance':<28}{'clipped':<9}{'fitted':<9}{'slope':<7}{'Brier score':<28}{'surplus':<28}"
    yield f"  {'':<8} {'':<22} {'games':>9}  {columns}{truth}".rstrip()
    last = ""
    for one in measures:
        if one.grouping == CROSSED:
            continue
        name = "" if one.grouping == last else one.grouping
        last = one.grouping
        error = f"{one.bias.value:>8.1f} {one.spread.value:>8.1f} {one.gap.value:>8.1f}" if has_truth else ""
        others = f"{one.clipped.value:<9.4f}{one.recalibrated.value:<9.4f}{one.slope.value:<7.2f}"
        numbers = f"{one.deviance!s:<28}{others}{one.brier!s:<28}{one.surplus!s:<28}"
        yield f"  {name:<8} {one.group:<22} {one.games:>9,}  {numbers}{error}".rstrip()


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
        "draws": {
            "seed": found.draws.seed,
            "replicates": found.draws.replicates,
            "federations": found.draws.federations,
            "confidence": CONFIDENCE,
        },
        "judged": _judged_document(found.judged),
        "against": [
            {
                **_judged_document(one.judged),
                "differences": plain(one.differences),
                "warnings": warnings_of(one.differences),
            }
            for one in found.rivals
        ],
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
