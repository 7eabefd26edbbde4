"""The parts of a report: predictions, calibration, groups, inflation, points, the truth, and a sweep.

A part is a list of blocks, which the template ``report.html`` turns into a page.
"""

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from crosstable.errors import HistoryError
from crosstable.lab.drawing import UNSEEN, Estimate
from crosstable.lab.effects import Cohort
from crosstable.lab.judgements import SETTLED, Backtest, Judged, Rival, warnings_of
from crosstable.lab.measures import Measure
from crosstable.lab.sweep_folder import DOCUMENT
from crosstable.lab.sweeping import FORMAT
from crosstable.output.charts import Axes, Point, Row, Series, legend, line_plot, row_plot

# A block of a page: a macro of report.html and what it is given.
Block = tuple[str, tuple[Any, ...]]
# What opens the table that is the twin of a plot.
NUMBERS = "The numbers"


class Part(NamedTuple):
    """A section of the page: its anchor, its heading, its content."""

    anchor: str
    heading: str
    blocks: list[Block]


class Table(NamedTuple):
    """A table: what it is, its columns, and its rows, whose first cell names them."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def paragraph(text: str, style: str = "") -> Block:
    """A paragraph of plain text."""
    return "paragraph", (text, style)


def table(shown: Table, summary: str = "") -> Block:
    """A table; with a summary, behind a line that opens it."""
    return "table", (shown, summary)


def figure(drawn: str, caption: str, legend: str = "") -> Block:
    """A plot with its words; nothing where nothing was drawn."""
    return "figure", (drawn, caption, legend)


def number(value: float, decimals: int = 4) -> str:
    """A number alone, with a true minus sign; a dash where nobody knows it."""
    if not math.isfinite(value):
        return "–"
    text = f"{value:,.{decimals}f}" if round(value, decimals) else f"{0.0:.{decimals}f}"
    return text.replace("-", "\N{MINUS SIGN}")


def decimals_of(found: Estimate) -> int:
    """As many decimals as the interval of a difference deserves, four to seven."""
    width = found.high - found.low
    if not (math.isfinite(width) and width > 0.0):
        return 4
    return min(max(4, 1 - math.floor(math.log10(width))), 7)


def estimate(found: Estimate, decimals: int = 4) -> Markup:
    """A number and, smaller, its interval where it has one."""
    value, low, high = (UNSEEN if math.isinf(one) else number(one, decimals) for one in found)
    if not math.isfinite(found.low):
        return Markup(value)
    return Markup(f"{value} <small>{low} to {high}</small>")


def difference(gap: Estimate) -> Markup:
    """A difference with the decimals that it deserves."""
    return estimate(gap, decimals_of(gap))


GROUPINGS = {
    "unrated": ("Players", "With and without a player who had no rating"),
    "status": ("Status", "Both players established, or not"),
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
JUNIORS = ("under 9", "9 to 11", "12 to 14", "15 to 17")
# So many rule sets of a sweep are drawn, and so many stand in the table; the folder has all.
DRAWN, LISTED = 12, 50
SPANS = {"choosing": "earlier span", "judging": "later span"}


def parts_of(found: Backtest) -> list[Part]:
    """The parts about a back-test."""
    every = [overall(found), calibration(found), groups(found), inflation(found), points(found), truth(found)]
    return [part for part in every if part is not None]


def capital(name: str) -> str:
    """A name at the beginning of a sentence."""
    return name[:1].upper() + name[1:]


def _point(at: float, found: Estimate | None) -> Point:
    """An estimate as a point of a plot; NaN where there is none."""
    return Point(at, math.nan) if found is None else Point(at, *found)


def _legend(found: Sequence[Judged], plain: str = "") -> str:
    return legend([one.rules.name for one in found], plain)


def _legend_of_several(found: Sequence[Judged]) -> str:
    return _legend(found) if len(found) > 1 else ""


def _label(one: Judged, group: str, *, is_named: bool = True) -> str:
    """The name of a row: of whom, where several are judged, and of which group."""
    return f"{one.rules.name}, {group}" if is_named else group


# predictions


def overall(found: Backtest) -> Part:
    """Everybody side by side, and what can be said about the differences."""
    told = found.rivals if len(found.rivals) <= MOST_TOLD else ()
    name = found.judged.rules.name
    said = [line for one in told for line in (verdict(found, one), *warnings_of(one.differences, name))]
    blocks = [*(paragraph(line, "finding") for line in said), table(_side_by_side(found))]
    if found.rivals:
        rows = [Row(one.judged.rules.name, (_point(0, one.differences.overall.deviance),)) for one in found.rivals]
        title = f"Deviance of {name} less that of each other one"
        drawn = row_plot(rows, Axes(title, "difference of deviance, a game", level=0.0))
        caption = f"{title}, with 95 % intervals from paired draws; left of the line {name} is better"
        paired = [
            [one.judged.rules.name, *map(difference, (one.differences.overall.deviance, one.differences.overall.brier))]
            for one in found.rivals
        ]
        shown = Table(f"{name} less each other one", ["", "deviance", "Brier score"], paired)
        blocks += [figure(drawn, caption), table(shown, NUMBERS)]
    return Part("predictions", "Which predicts better", blocks)


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


def _between(gap: Estimate, sign: int) -> str:
    low, high = (number(end, decimals_of(gap)) for end in sorted((sign * gap.low, sign * gap.high)))
    return f"95\N{NO-BREAK SPACE}% interval {low} to {high}"


def _side_by_side(found: Backtest) -> Table:
    has_truth = found.best is not None
    columns = ["", "deviance", "Brier score", "calibration error", *(("bias", "rms error") if has_truth else ())]
    rows = []
    for one in found.everyone:
        measure = one.overall
        cells = [estimate(each) for each in (measure.deviance, measure.brier, one.calibration_error)]
        errors = (number(measure.bias.value, 1), number(measure.rms.value, 1)) if has_truth else ()
        rows.append([one.rules.name, *cells, *errors])
    if found.best is not None:
        rows.append(["true strengths", estimate(found.best.deviance), estimate(found.best.brier), "–", "0.0", "0.0"])
    caption = f"All {found.games:,} predictions; lower is better; always expecting one half has a deviance of 0.693"
    return Table(caption, columns, rows)


def calibration(found: Backtest) -> Part:
    """What favourites scored where so much was expected of them."""
    series, rows = [], []
    for one in found.everyone:
        bins = [each for each in one.calibration if each.grouping == one.overall.grouping]
        series.append(Series(one.rules.name, tuple(_point(each.expected.value, each.scored) for each in bins)))
        for each in bins:
            cells = (f"{each.games:,}", number(each.expected.value), estimate(each.scored))
            rows.append([_label(one, f"from {each.at_least:.2f}"), *cells])
    axes = Axes("Calibration: what favourites scored by what was expected", "expected", "scored", is_diagonal=True)
    caption = "Favourites by what was expected of them and what they scored; on the dashed line both are the same"
    shown = Table("Calibration of favourites", ["", "games", "expected", "scored"], rows)
    key = _legend(found.everyone, "as expected")
    return Part("calibration", "Calibration", [figure(line_plot(series, axes), caption, key), table(shown, NUMBERS)])


def groups(found: Backtest) -> Part:
    """Every way of grouping games."""
    blocks = [block for name, words in GROUPINGS.items() for block in _grouped(found, name, *words)]
    return Part("groups", "Where it is predicted well, and where not", blocks)


def _grouped(found: Backtest, name: str, heading: str, caption: str) -> Iterable[Block]:
    measures = _by_group(found.judged.measures, name)
    yield "heading", (heading,)
    if found.rivals:
        by_rival = [_by_group(rival.differences.measures, name) for rival in found.rivals]
        title = f"{caption}: deviance of {found.judged.rules.name} less that of others"
        axes = Axes(title, "difference of deviance, a game", level=0.0, first=1)
        key = legend([one.judged.rules.name for one in found.rivals], first=1)
        yield figure(row_plot(_rows(measures, by_rival, "deviance"), axes), title, key)
    else:
        title = f"{caption}: deviance"
        yield figure(row_plot(_rows(measures, [measures], "deviance"), Axes(title, "deviance, a game")), title)
    if name in OF_PLAYERS:
        by_one = [_by_group(one.measures, name) for one in found.everyone]
        drawn = row_plot(_rows(measures, by_one, "surplus"), Axes(f"{caption}: {SURPLUS}", SURPLUS, level=0.0))
        yield figure(
            drawn, f"{caption}: what players scored less what was expected", _legend_of_several(found.everyone)
        )
    if found.rivals:
        yield table(_paired_groups(found, name, caption), "The differences")
    yield table(_group_table(found, name, caption), NUMBERS)


def _by_group(records: Sequence[Any], name: str) -> dict[str, Any]:
    """Records of one grouping, by their group."""
    return {one.group: one for one in records if one.grouping == name}


def _rows(labels: Iterable[str], by_one: Sequence[Mapping[str, Any]], field: str) -> list[Row]:
    """A row of a plot for every group, with the same field of each that has it."""
    return [
        Row(label, tuple(_point(0, getattr(one[label], field) if label in one else None) for one in by_one))
        for label in labels
    ]


def _paired_groups(found: Backtest, name: str, caption: str) -> Table:
    """The numbers of the plot of differences: of the one that is judged less each other one, from paired draws."""
    rows = [
        [_label(rival.judged, group), f"{each.games:,}", difference(each.deviance), difference(each.brier)]
        for rival in found.rivals
        for group, each in _by_group(rival.differences.measures, name).items()
    ]
    title = f"{caption}: {found.judged.rules.name} less each other one"
    return Table(title, ["", "games", "deviance", "Brier score"], rows)


def _group_table(found: Backtest, name: str, caption: str) -> Table:
    rows = [
        [
            _label(one, each.group, is_named=bool(found.rivals)),
            f"{each.games:,}",
            f"{each.sections:,}",
            *(estimate(metric) for metric in (each.deviance, each.brier, each.surplus)),
        ]
        for one in found.everyone
        for each in _of_grouping(one.measures, name)
    ]
    return Table(caption, ["", "games", "sections", "deviance", "Brier score", "surplus"], rows)


def _of_grouping(measures: Sequence[Measure], name: str) -> list[Measure]:
    return [one for one in measures if one.grouping == name]


# ratings


def _with_ratings(found: Backtest) -> list[Judged]:
    """Those that make ratings of their own here: rule sets, not other systems."""
    return [one for one in found.everyone if one.points]


def inflation(found: Backtest) -> Part:
    """Cohorts of the same players over time."""
    judged = _with_ratings(found)
    said = (
        "Regular ratings of the same players, from the end of a year to the end of the next, added up: the median of a "
        "pool would say who enters it. Adults hardly change in strength, so what they gain or lose is inflation or "
        "deflation."
    )
    gained = "; the dashed line is what they truly gained" if found.best is not None else ""
    blocks = [
        paragraph(said, "quiet"),
        *_cohorts(judged, SETTLED, f"Adults of {SETTLED}: changes of the same players, added up"),
        ("heading", ("Juniors",)),
        paragraph(f"Juniors improve, so their ratings should rise{gained}.", "quiet"),
    ]
    for age in JUNIORS:
        blocks += _cohorts(judged, age, f"Aged {age}: changes of the same players, added up")
    return Part("inflation", "Inflation", blocks)


def _cohorts(judged: list[Judged], age: str, caption: str) -> list[Block]:
    by_one = [[cohort for cohort in one.cohorts if cohort.age == age] for one in judged]
    if not any(by_one):
        return []
    series = [
        Series(one.rules.name, tuple(_point(cohort.year + 1, cohort.added_up) for cohort in cohorts))
        for one, cohorts in zip(judged, by_one, strict=True)
    ]
    first = by_one[0]
    has_truth = any(math.isfinite(cohort.true_added_up) for cohort in first)
    if has_truth:
        true = tuple(Point(cohort.year + 1, cohort.true_added_up) for cohort in first)
        series.append(Series("true strength", true, is_plain=True))
    axes = Axes(caption, "end of year", "rating points since the first year", level=0.0)
    key = _legend(judged, "true strength" if has_truth else "")
    shown = _cohort_table(judged, by_one, caption, has_truth=has_truth)
    return [figure(line_plot(series, axes, is_by_year=True), caption, key), table(shown, NUMBERS)]


def _cohort_table(judged: list[Judged], by_one: list[list[Cohort]], caption: str, *, has_truth: bool) -> Table:
    columns = ["to the end of", "players"]
    columns += [f"{one.rules.name}, {what}" for one in judged for what in ("change", "added up")]
    columns += ["true change", "true, added up"] if has_truth else []
    of_year = [{cohort.year: cohort for cohort in cohorts} for cohorts in by_one]
    rows = []
    for cohort in by_one[0]:
        cells = [str(cohort.year + 1), f"{cohort.players:,}"]
        for cohorts in of_year:
            there = cohorts.get(cohort.year)
            cells += ["–", "–"] if there is None else [estimate(there.change, 1), estimate(there.added_up, 1)]
        true = (cohort.true_change, cohort.true_added_up)
        rows.append([*cells, *((number(one, 1) for one in true) if has_truth else ())])
    return Table(caption, columns, rows)


def points(found: Backtest) -> Part:
    """What bonus and floors create."""
    judged = _with_ratings(found)
    by_one = [_by_group(each.points, "era") for each in judged]
    title = "Bonus points a rating, by era"
    axes = Axes(title, "bonus points for each rating of a section", level=0.0)
    rows = [
        [
            _label(each, one.group, is_named=len(judged) > 1),
            f"{one.ratings:,}",
            f"{one.bonus_earners:,}",
            number(100.0 * one.earning_share.value, 1),
            *(estimate(share, 3) for share in (one.bonus_a_rating, one.floors_a_rating, one.change_a_rating)),
        ]
        for each in judged
        for one in each.points
    ]
    columns = ["", "ratings", "bonus earners", "in %", "bonus", "floors", "change"]
    caption = "Points a rating that bonus and floors create, and everything by which ratings changed"
    drawn = figure(row_plot(_rows(by_one[0], by_one, "bonus_a_rating"), axes), title, _legend_of_several(judged))
    blocks = [drawn, table(Table(caption, columns, rows), NUMBERS)]
    return Part("points", "Points created by bonus and floors", blocks)


def truth(found: Backtest) -> Part | None:
    """The error against true strength, and how long a changed strength takes to show; nothing where nobody knows."""
    judged = [one for one in _with_ratings(found) if one.showing is not None]
    if not judged:
        return None
    by_one = [_by_group(each.measures, "age") for each in judged]
    title = "Rating less true strength, by age"
    axes = Axes(title, "rating points; left of the line: underrated", level=0.0)
    rows = [
        [_label(each, one.group), f"{one.games:,}", estimate(one.bias, 1), estimate(one.rms, 1)]
        for each in judged
        for one in _of_grouping(each.measures, "age")
    ]
    blocks = [
        figure(row_plot(_rows(by_one[0], by_one, "bias"), axes), title, _legend_of_several(judged)),
        table(Table(title, ["", "games", "mean", "root mean square"], rows), NUMBERS),
        ("heading", ("How long a changed strength takes to show",)),
        table(_lags(judged)),
    ]
    return Part("truth", "Against the truth", blocks)


def _lags(judged: list[Judged]) -> Table:
    rows = [
        [each.rules.name, f"{shown.rises:,}", f"{shown.shown:,}"]
        + [estimate(median, 0) for median in (shown.median_days, shown.median_games)]
        for each in judged
        if (shown := each.showing) is not None
    ]
    caption = "Rises of true strength past a full hundred, and the time by which half of them had shown"
    return Table(caption, ["", "rises", "seen to show", "days", "games"], rows)


# a sweep


def read_sweep(folder: str) -> Mapping[str, Any]:
    """The results of a sweep that is finished."""
    path = os.path.join(folder, DOCUMENT)
    try:
        with open(path, encoding="utf-8") as file:
            found: Mapping[str, Any] = json.load(file)
    except FileNotFoundError:
        raise HistoryError(f"{folder} holds no finished sweep ({DOCUMENT} is not there)") from None
    except (OSError, ValueError) as error:
        raise HistoryError(f"{path} cannot be read: {error}") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise HistoryError(f"{path} is not {FORMAT}")
    try:
        sweep_part(found, "")
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise HistoryError(f"{path} does not hold what {FORMAT} has: {type(error).__name__} {error}") from error
    return found


def sweep_part(found: Mapping[str, Any], archive_digest: str) -> Part:
    """What a sweep tried, the best of it, and how that did on the later span."""
    days, best, metric = found["days"], found["best"], found["metric"]
    tried = found["tried"]
    gap = _estimate_of(found["differences"]["judging"][metric])
    said = (
        f"Of {len(tried):,} rule sets {best['name']} predicted best up to {days['choose_until']}, by "
        f"{_said(metric)}; after that its {_said(metric)} was {'lower' if gap.value < 0.0 else 'higher'} "
        f"than that of the official rules by {number(abs(gap.value), 5)} a game "
        f"(95\N{NO-BREAK SPACE}% interval of the difference {number(gap.low, 5)} to {number(gap.high, 5)})."
    )
    blocks = [paragraph(said, "finding")]
    if found["archive"]["digest"] != archive_digest:
        blocks.append(paragraph(f"The sweep was made on another archive, {found['archive']['folder']}.", "quiet"))
    blocks += [_drawn(found, metric), table(_differences(found), NUMBERS)]
    blocks.append(table(_tried(tried), "Everything that was tried"))
    return Part("sweep", "The sweep", blocks)


def _known(value: float | None) -> float:
    return math.nan if value is None else value


def _estimate_of(ends: Mapping[str, float | None]) -> Estimate:
    return Estimate(*(_known(ends[name]) for name in Estimate._fields))


def _said(metric: str) -> str:
    return "deviance without unrated players" if metric == "rated" else metric


def _drawn(found: Mapping[str, Any], metric: str) -> Block:
    names = found["plan"]["varies"]
    tried = found["tried"]
    if len(names) == 1 and all(isinstance(one["values"].get(names[0]), int | float) for one in tried):
        return _by_value(tried, names[0], metric)
    title = f"The best of the sweep: {_said(metric)} on the earlier span, and on the later one where it was judged"
    rows = [Row(one["name"], tuple(Point(0, _known(one[span][metric])) for span in SPANS)) for one in tried[:DRAWN]]
    return figure(row_plot(rows, Axes(title, f"{_said(metric)}, a game")), title, legend(SPANS.values()))


def _by_value(tried: Sequence[Mapping[str, Any]], name: str, metric: str) -> Block:
    """One constant was varied: the metric over its values."""
    ordered = sorted(tried, key=lambda one: float(one["values"][name]))
    series = [
        Series(said, tuple(Point(float(one["values"][name]), _known(one[span][metric])) for one in ordered))
        for span, said in SPANS.items()
        if any(one[span][metric] is not None for one in ordered)
    ]
    title = f"{capital(_said(metric))} by {name}"
    drawn = line_plot(series, Axes(title, name, f"{_said(metric)}, a game"))
    return figure(drawn, title, legend([one.name for one in series]))


def _differences(found: Mapping[str, Any]) -> Table:
    rows = [
        [
            f"{said}, {_said(metric)}",
            *(number(_known(found[name][span][metric]), 5) for name in ("best", "official")),
            estimate(_estimate_of(gap), 5),
        ]
        for span, said in SPANS.items()
        for metric, gap in found["differences"][span].items()
    ]
    return Table(f"{found['best']['name']} against the official rules", ["", "best", "official", "difference"], rows)


def _tried(tried: Sequence[Mapping[str, Any]]) -> Table:
    both = [(span, metric) for span in SPANS for metric in ("deviance", "brier")]
    rows = [[one["name"], *(number(_known(one[span][metric]), 5) for span, metric in both)] for one in tried[:LISTED]]
    caption = "The best first" if len(tried) <= LISTED else f"The best {LISTED} of {len(tried):,}"
    return Table(caption, ["", *(f"{SPANS[span]}, {metric}" for span, metric in both)], rows)
