"""The part of a report about a sweep: what was tried, what was chosen, and how that did afterwards."""

import json
import math
import os
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from crosstable.errors import HistoryError
from crosstable.lab.bootstrap import Estimate
from crosstable.lab.plots import Axes, Point, Row, Series, legend, line_plot, row_plot
from crosstable.lab.report_parts import Part, Table, estimate, figure, folded, number, paragraph
from crosstable.lab.sweep_folder import DOCUMENT
from crosstable.lab.sweep_text import FORMAT

# So many rule sets are drawn, and so many stand in the table; the folder has all.
DRAWN, LISTED = 12, 50
SPANS = {"choosing": "earlier span", "judging": "later span"}


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
    gap = Estimate(*(_known(found["differences"]["judging"][metric][end]) for end in Estimate._fields))
    said = (
        f"Of {len(tried):,} rule sets {best['name']} predicted best up to {days['choose_until']}, by {metric}; after "
        f"that its {metric} was {'lower' if gap.value < 0.0 else 'higher'} than that of the official rules by "
        f"{number(abs(gap.value), 5)} a game (95\N{NO-BREAK SPACE}% interval of the difference {number(gap.low, 5)} to "
        f"{number(gap.high, 5)})."
    )
    content = paragraph(said, "finding")
    if found["archive"]["digest"] != archive_digest:
        content += paragraph(f"The sweep was made on another archive, {found['archive']['folder']}.", "quiet")
    content += _drawn(found, metric) + folded(_differences(found)) + folded(_tried(found), "Everything that was tried")
    return Part("sweep", "The sweep", content)


def _known(value: float | None) -> float:
    return math.nan if value is None else value


def _drawn(found: Mapping[str, Any], metric: str) -> str:
    names = found["plan"]["varies"]
    tried = found["tried"]
    if len(names) == 1 and all(isinstance(one["values"].get(names[0]), int | float) for one in tried):
        return _by_value(tried, names[0], metric)
    title = f"The best of the sweep: {metric} on the earlier span, and on the later one where it was judged"
    rows = [Row(one["name"], tuple(Point(0, _known(one[span][metric])) for span in SPANS)) for one in tried[:DRAWN]]
    return figure(row_plot(rows, Axes(title, f"{metric}, a game")), title, legend(SPANS.values()))


def _by_value(tried: Sequence[Mapping[str, Any]], name: str, metric: str) -> str:
    """One constant was varied: the metric over its values."""
    ordered = sorted(tried, key=lambda one: float(one["values"][name]))
    series = [
        Series(said, tuple(Point(float(one["values"][name]), _known(one[span][metric])) for one in ordered))
        for span, said in SPANS.items()
        if any(one[span][metric] is not None for one in ordered)
    ]
    title = f"{metric.capitalize()} by {name}"
    drawn = line_plot(series, Axes(title, name, f"{metric}, a game"))
    return figure(drawn, title, legend([one.name for one in series]))


def _differences(found: Mapping[str, Any]) -> Table:
    rows = [
        [
            f"{said}, {escape(metric)}",
            number(_known(found["best"][span][metric]), 5),
            number(_known(found["official"][span][metric]), 5),
            estimate(Estimate(*(_known(gap[end]) for end in Estimate._fields)), 5),
        ]
        for span, said in SPANS.items()
        for metric, gap in found["differences"][span].items()
    ]
    return Table(f"{found['best']['name']} against the official rules", ["", "best", "official", "difference"], rows)


def _tried(found: Mapping[str, Any]) -> Table:
    tried = found["tried"]
    columns = [f"{said}, {metric}" for said in SPANS.values() for metric in ("deviance", "brier")]
    rows = [
        [
            escape(one["name"]),
            *(number(_known(one[span][metric]), 5) for span in SPANS for metric in ("deviance", "brier")),
        ]
        for one in tried[:LISTED]
    ]
    caption = "The best first" if len(tried) <= LISTED else f"The best {LISTED} of {len(tried):,}"
    return Table(caption, ["", *columns], rows)
