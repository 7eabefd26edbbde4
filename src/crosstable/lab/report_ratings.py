"""The parts of a report about ratings: inflation, points created, the error against the truth and its lag."""

import math
from html import escape

from crosstable.lab.backtest_text import SETTLED
from crosstable.lab.bootstrap import Estimate
from crosstable.lab.cohorts import Cohort
from crosstable.lab.judged import Backtest, Judged
from crosstable.lab.plots import Axes, Point, Row, Series, legend, line_plot, row_plot
from crosstable.lab.report_measures import names_of, point
from crosstable.lab.report_parts import Part, Table, estimate, figure, folded, number, paragraph, table

JUNIORS = ("under 9", "9 to 11", "12 to 14", "15 to 17")


def with_ratings(found: Backtest) -> list[Judged]:
    """Those that make ratings of their own here: rule sets, not other systems."""
    return [one for one in found.everyone if one.points]


def inflation(found: Backtest) -> Part:
    """Cohorts of the same players over time."""
    judged = with_ratings(found)
    content = paragraph(
        "Regular ratings of the same players, from the end of a year to the end of the next, added up: the median of a "
        "pool would say who enters it. Adults hardly change in strength, so what they gain or lose is inflation or "
        "deflation.",
        "quiet",
    )
    content += _cohorts(judged, SETTLED, f"Adults of {SETTLED}: changes of the same players, added up")
    gained = "; the dashed line is what they truly gained" if found.best is not None else ""
    content += "<h3>Juniors</h3>" + paragraph(f"Juniors improve, so their ratings should rise{gained}.", "quiet")
    content += "".join(_cohorts(judged, age, f"Aged {age}: changes of the same players, added up") for age in JUNIORS)
    return Part("inflation", "Inflation", content)


def _cohorts(judged: list[Judged], age: str, caption: str) -> str:
    by_one = [[cohort for cohort in one.cohorts if cohort.age == age] for one in judged]
    if not any(by_one):
        return ""
    series = [
        Series(one.rules.name, tuple(point(cohort.year + 1, cohort.added_up) for cohort in cohorts))
        for one, cohorts in zip(judged, by_one, strict=True)
    ]
    first = by_one[0]
    has_truth = any(math.isfinite(cohort.true_added_up) for cohort in first)
    if has_truth:
        true = tuple(Point(cohort.year + 1, cohort.true_added_up) for cohort in first)
        series.append(Series("true strength", true, is_plain=True))
    axes = Axes(caption, "end of year", "rating points since the first year", level=0.0)
    drawn = line_plot(series, axes, is_by_year=True)
    key = legend(names_of(judged), "true strength" if has_truth else "")
    return figure(drawn, caption, key) + folded(_cohort_table(judged, by_one, caption, has_truth=has_truth))


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
    judged = with_ratings(found)
    by_one = [{one.group: one for one in each.points if one.grouping == "era"} for each in judged]
    rows = [
        Row(
            era, tuple(_bonus(of_era[era].bonus_a_rating) if era in of_era else Point(0, math.nan) for of_era in by_one)
        )
        for era in by_one[0]
    ]
    title = "Bonus points a rating, by era"
    drawn = row_plot(rows, Axes(title, "bonus points for each rating of a section", level=0.0))
    content = figure(drawn, title, legend(names_of(judged)) if len(judged) > 1 else "")
    cells = [
        [
            f"{escape(each.rules.name)}, {escape(one.group)}" if len(judged) > 1 else escape(one.group),
            f"{one.ratings:,}",
            f"{one.bonus_earners:,}",
            number(100.0 * one.earning_share.value, 1),
            estimate(one.bonus_a_rating, 3),
            estimate(one.floors_a_rating, 3),
            estimate(one.change_a_rating, 3),
        ]
        for each in judged
        for one in each.points
    ]
    columns = ["", "ratings", "bonus earners", "in %", "bonus", "floors", "change"]
    caption = "Points a rating that bonus and floors create, and everything by which ratings changed"
    return Part("points", "Points created by bonus and floors", content + folded(Table(caption, columns, cells)))


def _bonus(found: Estimate) -> Point:
    return point(0, found)


def truth(found: Backtest) -> Part | None:
    """The error against true strength, and how long a changed strength takes to show; nothing where nobody knows."""
    judged = [one for one in with_ratings(found) if one.showing is not None]
    if not judged:
        return None
    by_one = [{one.group: one for one in each.measures if one.grouping == "age"} for each in judged]
    rows = [
        Row(age, tuple(point(0, one[age].bias) if age in one else Point(0, math.nan) for one in by_one))
        for age in by_one[0]
    ]
    title = "Rating less true strength, by age"
    drawn = row_plot(rows, Axes(title, "rating points; left of the line: underrated", level=0.0))
    content = figure(drawn, title, legend(names_of(judged)) if len(judged) > 1 else "")
    content += folded(_errors(judged)) + "<h3>How long a changed strength takes to show</h3>" + table(_lags(judged))
    return Part("truth", "Against the truth", content)


def _errors(judged: list[Judged]) -> Table:
    rows = [
        [
            f"{escape(each.rules.name)}, {escape(one.group)}",
            f"{one.games:,}",
            estimate(one.bias, 1),
            estimate(one.rms, 1),
        ]
        for each in judged
        for one in each.measures
        if one.grouping == "age"
    ]
    return Table("Rating less true strength, by age", ["", "games", "mean", "root mean square"], rows)


def _lags(judged: list[Judged]) -> Table:
    rows = [
        [
            escape(each.rules.name),
            f"{shown.rises:,}",
            f"{shown.shown:,}",
            estimate(shown.median_days, 0),
            estimate(shown.median_games, 0),
        ]
        for each in judged
        if (shown := each.showing) is not None
    ]
    caption = "Rises of true strength past a full hundred, and the time by which half of them had shown"
    return Table(caption, ["", "rises", "seen to show", "days", "games"], rows)
