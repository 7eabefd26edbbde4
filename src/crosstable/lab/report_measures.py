"""The parts of a report about predictions: everybody side by side, calibration, and every way of grouping games."""

import math
from collections.abc import Sequence
from html import escape

from crosstable.lab.bootstrap import Estimate
from crosstable.lab.judged import Backtest, Judged, Rival
from crosstable.lab.measures import Measure
from crosstable.lab.plots import Axes, Point, Row, Series, legend, line_plot, row_plot
from crosstable.lab.report_parts import Part, Table, decimals_of, estimate, figure, folded, number, paragraph, table

GROUPINGS = {
    "era": ("Era", "By era; one begins where a rule changed that moves nearly every rating"),
    "system": ("System", "By rating system"),
    "rating": ("Rating", "By the rating that a player brought"),
    "age": ("Age", "By the age of a player"),
    "games": ("Games", "By the games that a player's rating rested on"),
}
# Of more rivals the plot tells more than sentences.
MOST_TOLD = 4
OF_PLAYERS = ("rating", "age", "games")
SURPLUS = "Scored less expected, a game; above zero: underrated"


def names_of(found: Sequence[Judged]) -> list[str]:
    """The names of rule sets and systems."""
    return [one.rules.name for one in found]


def point(at: float, found: Estimate) -> Point:
    """An estimate as a point of a plot."""
    return Point(at, found.value, found.low, found.high)


def overall(found: Backtest) -> Part:
    """Everybody side by side, and what can be said about the differences."""
    told = found.rivals if len(found.rivals) <= MOST_TOLD else ()
    content = "".join(paragraph(verdict(found, rival), "finding") for rival in told)
    content += table(_side_by_side(found))
    if found.rivals:
        rows = [Row(one.judged.rules.name, (point(0, one.differences.overall.deviance),)) for one in found.rivals]
        title = f"Deviance of {found.judged.rules.name} less that of each other one"
        drawn = row_plot(rows, Axes(title, "difference of deviance, a game", level=0.0))
        caption = (
            f"{title}, with 95 % intervals from paired draws; left of the line {found.judged.rules.name} is better"
        )
        content += figure(drawn, caption) + folded(_paired(found))
    return Part("predictions", "Which predicts better", content)


def verdict(found: Backtest, rival: Rival) -> str:
    """Who predicts better, in a sentence."""
    other, gap = rival.judged.rules.name, rival.differences.overall.deviance
    mine = capital(found.judged.rules.name)
    if not math.isfinite(gap.low):
        return f"{mine} against {other}: too few sections for an interval."
    said = f"by {number(abs(gap.value), decimals_of(gap))} a game"
    if gap.high < 0.0:
        return f"{mine} predicts better than {other}: its deviance is lower {said} ({_between(gap, -1)})."
    if gap.low > 0.0:
        return f"{mine} predicts worse than {other}: its deviance is higher {said} ({_between(gap, 1)})."
    return (
        f"{mine} predicts no better and no worse than {other}, as far as this shows: the deviance differs by "
        f"{number(gap.value, decimals_of(gap))} a game ({_between(gap, 1)})."
    )


def capital(name: str) -> str:
    """A name at the beginning of a sentence."""
    return name[:1].upper() + name[1:]


def _between(gap: Estimate, sign: int) -> str:
    low, high = (number(end, decimals_of(gap)) for end in sorted((sign * gap.low, sign * gap.high)))
    return f"95\N{NO-BREAK SPACE}% interval {low} to {high}"


def _side_by_side(found: Backtest) -> Table:
    has_truth = found.best is not None
    columns = ["", "deviance", "Brier score", "calibration error", *(("bias", "rms error") if has_truth else ())]
    rows = []
    for one in found.everyone:
        measure = one.overall
        cells = [escape(one.rules.name), estimate(measure.deviance), estimate(measure.brier)]
        cells.append(estimate(one.calibration_error))
        rows.append([*cells, *((number(measure.bias.value, 1), number(measure.rms.value, 1)) if has_truth else ())])
    if found.best is not None:
        rows.append(["true strengths", estimate(found.best.deviance), estimate(found.best.brier), "–", "0.0", "0.0"])
    caption = f"All {found.games:,} predictions; lower is better; always expecting one half has a deviance of 0.693"
    return Table(caption, columns, rows)


def _paired(found: Backtest) -> Table:
    rows = [
        [escape(one.judged.rules.name), *(estimate(gap, decimals_of(gap)) for gap in one.differences.overall[4:6])]
        for one in found.rivals
    ]
    return Table(f"{found.judged.rules.name} less each other one", ["", "deviance", "Brier score"], rows)


def calibration(found: Backtest) -> Part:
    """What favourites scored where so much was expected of them."""
    series, rows = [], []
    for one in found.everyone:
        bins = [each for each in one.calibration if each.grouping == one.overall.grouping]
        series.append(Series(one.rules.name, tuple(point(each.expected.value, each.scored) for each in bins)))
        rows += [
            [
                f"{escape(one.rules.name)}, from {each.at_least:.2f}",
                f"{each.games:,}",
                number(each.expected.value),
                estimate(each.scored),
            ]
            for each in bins
        ]
    axes = Axes("Calibration: what favourites scored by what was expected", "expected", "scored", is_diagonal=True)
    caption = "Favourites by what was expected of them and what they scored; on the dashed line both are the same"
    content = figure(line_plot(series, axes), caption, legend(names_of(found.everyone), "as expected"))
    content += folded(Table("Calibration of favourites", ["", "games", "expected", "scored"], rows))
    return Part("calibration", "Calibration", content)


def groups(found: Backtest) -> Part:
    """Every way of grouping games."""
    content = "".join(_grouped(found, name, *words) for name, words in GROUPINGS.items())
    return Part("groups", "Where it is predicted well, and where not", content)


def _grouped(found: Backtest, name: str, heading: str, caption: str) -> str:
    measures = {one.group: one for one in found.judged.measures if one.grouping == name}
    content = f"<h3>{heading}</h3>"
    if found.rivals:
        by_rival = [_by_group(rival.differences.measures, name) for rival in found.rivals]
        rows = [Row(group, tuple(_loss(one, group) for one in by_rival)) for group in measures]
        title = f"{caption}: deviance of {found.judged.rules.name} less that of others"
        axes = Axes(title, "difference of deviance, a game", level=0.0, first=1)
        names = [one.judged.rules.name for one in found.rivals]
        content += figure(row_plot(rows, axes), title, legend(names, first=1))
    else:
        rows = [Row(group, (point(0, one.deviance),)) for group, one in measures.items()]
        title = f"{caption}: deviance"
        content += figure(row_plot(rows, Axes(title, "deviance, a game")), title)
    if name in OF_PLAYERS:
        by_one = [_by_group(one.measures, name) for one in found.everyone]
        rows = [Row(group, tuple(_surplus(one, group) for one in by_one)) for group in measures]
        drawn = row_plot(rows, Axes(f"{caption}: {SURPLUS}", SURPLUS, level=0.0))
        content += figure(drawn, f"{caption}: what players scored less what was expected", _legend_of(found))
    if found.rivals:
        content += folded(_paired_groups(found, name, caption), "The differences")
    return content + folded(_group_table(found, name, caption))


def _legend_of(found: Backtest) -> str:
    return legend(names_of(found.everyone)) if found.rivals else ""


def _by_group(measures: Sequence[Measure], name: str) -> dict[str, Measure]:
    return {one.group: one for one in measures if one.grouping == name}


def _loss(measures: dict[str, Measure], group: str) -> Point:
    return point(0, measures[group].deviance) if group in measures else Point(0, math.nan)


def _surplus(measures: dict[str, Measure], group: str) -> Point:
    return point(0, measures[group].surplus) if group in measures else Point(0, math.nan)


def _paired_groups(found: Backtest, name: str, caption: str) -> Table:
    """The numbers of the plot of differences: of the one that is judged less each other one, from paired draws."""
    rows = []
    for rival in found.rivals:
        for group, each in _by_group(rival.differences.measures, name).items():
            gaps = (estimate(gap, decimals_of(gap)) for gap in (each.deviance, each.brier))
            rows.append([f"{escape(rival.judged.rules.name)}, {escape(group)}", f"{each.games:,}", *gaps])
    title = f"{caption}: {found.judged.rules.name} less each other one"
    return Table(title, ["", "games", "deviance", "Brier score"], rows)


def _group_table(found: Backtest, name: str, caption: str) -> Table:
    rows = []
    for one in found.everyone:
        for each in one.measures:
            if each.grouping == name:
                label = f"{escape(one.rules.name)}, {escape(each.group)}" if found.rivals else escape(each.group)
                metrics = (estimate(getattr(each, metric)) for metric in ("deviance", "brier", "surplus"))
                rows.append([label, f"{each.games:,}", f"{each.sections:,}", *metrics])
    return Table(caption, ["", "games", "sections", "deviance", "Brier score", "surplus"], rows)
