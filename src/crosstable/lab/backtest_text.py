"""A back-test as text for people."""

import math
from collections.abc import Iterator, Sequence

from crosstable.lab.bootstrap import UNSEEN, Estimate
from crosstable.lab.cohorts import Cohort
from crosstable.lab.judged import Backtest, Judged, difference_name
from crosstable.lab.measures import Measure
from crosstable.lab.other_systems import OtherSystem
from crosstable.lab.points import Points

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


def _points_lines(points: Sequence[Points]) -> Iterator[str]:
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


def _cohort_lines(cohorts: Sequence[Cohort]) -> Iterator[str]:
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
