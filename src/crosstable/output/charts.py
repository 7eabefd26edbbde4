"""Charts as inline SVG, without scripts: ratings over time, lines over an axis, rows of values, bars.

All but bars are drawn twice, for wide and for narrow screens, because text in an SVG shrinks with it; the style sheet
of the page shows one of them. Series differ in colour, those of plots in the form of their marks too.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import NamedTuple


class Point(NamedTuple):
    """A value at a place of the axis, with its interval where it has one, and what the pointer is told of it."""

    at: float
    value: float
    low: float = math.nan
    high: float = math.nan
    label: str = ""

    @property
    def ends(self) -> tuple[float, ...]:
        """Everything that has to fit into the plot."""
        return tuple(one for one in (self.value, self.low, self.high) if math.isfinite(one))


class Series(NamedTuple):
    """A line: its name, its points in order, its class in the style sheet; a plain one is there to compare with."""

    name: str
    points: tuple[Point, ...]
    style: str = ""
    is_plain: bool = False


class Row(NamedTuple):
    """A row of a plot: its label, and a point for each series, NaN where it has none."""

    label: str
    points: tuple[Point, ...]


class Axes(NamedTuple):
    """What a plot shows, in a sentence, and what its axes are; ``level`` is a line to compare with.

    ``first`` is the number of the first series, so that one keeps its colour in plots without those before it.
    """

    title: str
    across: str
    up: str = ""
    level: float = math.nan
    is_diagonal: bool = False
    first: int = 0


class Frame(NamedTuple):
    """The size of a drawing, in its own units."""

    style: str
    width: int
    height: int
    left: int
    right: int
    top: int = 26
    bottom: int = 44


WIDE, NARROW = Frame("wide", 760, 320, 58, right=26), Frame("narrow", 328, 280, 50, right=20)
RATING_FRAMES = (
    Frame("wide", 760, 260, 44, right=14, top=12, bottom=28),
    Frame("narrow", 340, 220, 40, right=10, top=12, bottom=28),
)
# One drawing for wide and narrow columns alike; the style sheet keeps its numbers legible.
SCORES_FRAME = Frame("scores", 540, 300, 66, right=16, top=14, bottom=34)
# A shorter time has days below it, not months.
DAYS_FOR_MONTHS = 200
# A shorter axis of games or scores is marked at half points too.
HALF, HALVES = 0.5, 8.0
# So many points of a line are drawn smaller; of more than these in all there are lines alone.
MANY, MOST_DOTS = 40, 80
ROW_HEIGHT, SERIES_HEIGHT = 14, 12
# Intervals of more lines than these would lie upon each other; the table below has them.
MOST_INTERVALS = 4
# So wide is a letter of a tick and of a label, about.
TICK_WIDTH, LABEL_WIDTH = 8.5, 7.0
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_RATING_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10000)


class Scale(NamedTuple):
    """From values to places of the drawing."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Where a value lies."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def places(self, values: Iterable[float]) -> list[str]:
        """Where values lie, as a drawing says it; a career has hundreds of them."""
        low, span, start, length = self.low, self.high - self.low, self.start, self.end - self.start
        return [f"{start + (value - low) / span * length:.1f}" for value in values]


# All estimates of so many games have the same scores.
@lru_cache(maxsize=64)
def _places(scale: Scale, values: tuple[float, ...]) -> list[str]:
    return scale.places(values)


def rating_chart(
    series: Sequence[Series], title: str, *, is_by_date: bool, frames: Sequence[Frame] = RATING_FRAMES
) -> str:
    """Ratings by date or by games or scores, in every frame; nothing where there is nothing to draw."""
    drawn = [one for one in series if one.points]
    if not drawn:
        return ""
    places = [point.at for one in drawn for point in one.points]
    values = [point.value for one in drawn for point in one.points]
    reach = min(places), max(places)
    if reach[1] - reach[0] < 1:
        reach = reach[0] - 1, reach[1] + 1
    levels = _rating_levels(min(values), max(values))
    texts = tuple([f"{level:g}" for level in levels])
    has_dots = len(values) <= MOST_DOTS
    labels = [[escape(point.label) if point.label else "" for point in one.points] if has_dots else [] for one in drawn]
    found = []
    for frame in frames:
        across = Scale(*reach, frame.left, frame.width - frame.right)
        up = Scale(levels[0], levels[-1], frame.height - frame.bottom, frame.top)
        parts = [_levels(frame, up, levels, texts), _marked(frame, across, is_by_date)]
        parts += [_rating_line(one, told, across, up) for one, told in zip(drawn, labels, strict=True)]
        found.append(_svg("chart", frame, title, parts))
    return "".join(found)


def _rating_levels(low: float, high: float) -> tuple[float, ...]:
    """Round levels, three to six of them, that hold a range."""
    span = max(high - low, 20.0)
    step = next((step for step in _RATING_STEPS if span / step <= 5), _RATING_STEPS[-1])
    return tuple([number * float(step) for number in range(int(low // step), int(high // step) + 2)])


# Most charts of ratings have one of few ranges.
@lru_cache(maxsize=1024)
def _marked(frame: Frame, across: Scale, is_by_date: bool) -> str:
    """A few marks below: first, last and between."""
    span = across.high - across.low
    count = 3 if frame.style == "narrow" else 5
    values = [across.low + span * number / (count - 1) for number in range(count)]
    if not is_by_date:
        unit = HALF if span < HALVES else 1.0
        values = sorted({round(value / unit) * unit for value in values[1:-1]} | {values[0], values[-1]})
    anchors = ["start", *["middle"] * (len(values) - 2), "end"]
    return "".join(
        _text("tick", across(value), frame.height - 8, _day(value, span) if is_by_date else f"{value:g}", anchor)
        for value, anchor in zip(values, anchors, strict=True)
    )


@lru_cache(maxsize=4096)
def _day(value: float, span: float) -> str:
    day = date(2000, 1, 1) + timedelta(days=round(value))
    return f"{day:%b %Y}" if span >= DAYS_FOR_MONTHS else f"{day.day} {day:%b %y}"


def day_number(day: date) -> float:
    """A day on the axis."""
    return float((day - date(2000, 1, 1)).days)


def _rating_line(one: Series, labels: Sequence[str], across: Scale, up: Scale) -> str:
    xs, ys = (
        _places(across, tuple([point.at for point in one.points])),
        up.places([point.value for point in one.points]),
    )
    path = " ".join([f"{x},{y}" for x, y in zip(xs, ys, strict=True)])
    radius = 2.6 if len(xs) > MANY else 3.4
    dots = [
        f'<circle cx="{x}" cy="{y}" r="{radius}"><title>{label}</title></circle>'
        for x, y, label in zip(xs, ys, labels, strict=False)  # many points have no labels, and no dots
    ]
    return f'<g class="series {one.style}"><polyline class="line" points="{path}"/>{"".join(dots)}</g>'


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round values that hold a range, at most so many and two."""
    span = (high - low) or max(abs(high), 1.0) * 0.1
    rough = span / most
    power = math.pow(10.0, math.floor(math.log10(rough)))
    step = next(one * power for one in _STEPS if one * power >= rough * (1.0 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [number * step for number in range(first, max(last, first + 1) + 1)]


def written(values: Sequence[float]) -> list[str]:
    """Values of an axis with as many decimals as their step needs."""
    step = values[1] - values[0]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if abs(round(step, decimals) - step) > step * 1e-6:
        decimals += 1
    return [f"{value + 0.0:,.{decimals}f}".replace("-", "\N{MINUS SIGN}") for value in values]


def line_plot(series: Sequence[Series], axes: Axes, *, is_by_year: bool = False) -> str:
    """Lines over an axis, in both sizes; nothing where there is nothing to draw."""
    points = [point for one in series for point in one.points if math.isfinite(point.value)]
    if not points:
        return ""
    ends = [end for point in points for end in point.ends]
    ends += [axes.level] if math.isfinite(axes.level) else []
    across = (min(point.at for point in points), max(point.at for point in points))
    return "".join(_lines(series, axes, frame, across, ends, is_by_year) for frame in (WIDE, NARROW))


def _lines(
    series: Sequence[Series],
    axes: Axes,
    frame: Frame,
    reach: tuple[float, float],
    ends: list[float],
    is_by_year: bool,
) -> str:
    count = 6 if frame.style == "wide" else 4
    rising = ticks(min(ends), max(ends), 5)
    room = 0.0 if is_by_year else 0.04 * (reach[1] - reach[0])
    low, high = (reach[0] - room, reach[1] + room) if reach[1] > reach[0] else (reach[0] - 1, reach[0] + 1)
    across = Scale(low, high, frame.left, frame.width - frame.right)
    up = Scale(rising[0], rising[-1], frame.height - frame.bottom, frame.top)
    marks = [one for one in ticks(*reach, count) if low <= one <= high]
    if is_by_year:
        marks = [one for one in marks if abs(one - round(one)) < 1e-6]
    if reach[0] == reach[1]:  # round values beside the only one say nothing
        marks = [reach[0]]
    parts = [
        _levels(frame, up, tuple(rising), tuple(written(rising))),
        _below(frame, across, marks, is_by_year),
        _titles(frame, axes),
    ]
    if axes.is_diagonal:
        low, high = max(across.low, up.low), min(across.high, up.high)
        parts.append(_segment("compare", across(low), up(low), across(high), up(high)))
    if math.isfinite(axes.level):
        parts.append(_segment("compare", across.start, up(axes.level), across.end, up(axes.level)))
    has_room = sum(not one.is_plain for one in series) <= MOST_INTERVALS
    parts += [_line(number, one, across, up, has_room) for number, one in enumerate(series, axes.first)]
    return _svg("plot", frame, axes.title, parts)


def _line(number: int, one: Series, across: Scale, up: Scale, has_intervals: bool) -> str:
    known = [point for point in one.points if math.isfinite(point.value)]
    path = " ".join(f"{across(point.at):.1f},{up(point.value):.1f}" for point in known)
    line = f'<polyline class="line" points="{path}"/>'
    if one.is_plain:
        return f'<g class="plain">{line}</g>'
    marks = "".join(
        (_interval_up(across(point.at), point, up) if has_intervals else "")
        + mark(number, across(point.at), up(point.value))
        for point in known
    )
    return f'<g class="s{number % 6}">{line}{marks}</g>'


def _interval_up(x: float, point: Point, up: Scale) -> str:
    if not math.isfinite(point.low):
        return ""
    return _segment("range", x, up(point.low), x, up(point.high))


def row_plot(rows: Sequence[Row], axes: Axes) -> str:
    """Values with their intervals, a row for each label and in it a line for each series, in both sizes."""
    ends = [end for row in rows for point in row.points for end in point.ends]
    if not ends:
        return ""
    ends += [axes.level] if math.isfinite(axes.level) else []
    return "".join(_rows(rows, axes, frame, ends) for frame in (WIDE, NARROW))


def _rows(rows: Sequence[Row], axes: Axes, frame: Frame, ends: list[float]) -> str:
    is_wide = frame.style == "wide"
    frame = frame._replace(left=170 if is_wide else 124, top=10)
    values = ticks(min(ends), max(ends), 6 if is_wide else 3)
    marks = ROW_HEIGHT + SERIES_HEIGHT * max(len(row.points) for row in rows)
    # Labels stand beside their marks, or above them where one of them is too long for that.
    above = 0
    if max(len(row.label) for row in rows) * LABEL_WIDTH > frame.left - 14:
        above, frame = SERIES_HEIGHT, frame._replace(left=26)
    height = frame.top + (above + marks) * len(rows) + frame.bottom
    frame = frame._replace(height=height)
    across = Scale(values[0], values[-1], frame.left, frame.width - frame.right)
    parts = [_upright(frame, across, values), _titles(frame, axes._replace(up=""))]
    if math.isfinite(axes.level):
        parts.append(_segment("compare", across(axes.level), frame.top, across(axes.level), height - frame.bottom))
    for number, row in enumerate(rows):
        top = frame.top + number * (above + marks)
        parts.append(_label(row.label, frame, (top, above + marks), is_above=above > 0))
        parts.append(_marks(row, across, top + above + marks / 2, axes.first))
    return _svg("plot", frame, axes.title, parts)


def _label(label: str, frame: Frame, place: tuple[float, float], *, is_above: bool) -> str:
    top, height = place
    if not is_above:
        return _text("label", frame.left - 10, top + height / 2 + 4, label, "end")
    return _text("label", 12, top + SERIES_HEIGHT + 2, shortened(label, frame.width - 24), "start")


def _marks(row: Row, across: Scale, middle: float, first: int) -> str:
    """The marks of a row, one below the other, about its middle."""
    found = []
    top = middle - SERIES_HEIGHT * (len(row.points) - 1) / 2
    for number, point in enumerate(row.points):
        if not math.isfinite(point.value):
            continue
        y = top + number * SERIES_HEIGHT
        interval = ""
        if math.isfinite(point.low):
            interval = _segment("range", across(point.low), y, across(point.high), y)
        drawn = mark(first + number, across(point.value), y)
        found.append(f'<g class="s{(first + number) % 6}">{interval}{drawn}</g>')
    return "".join(found)


def shortened(label: str, room: float) -> str:
    """A label that fits into its room, with its middle left out if need be."""
    most = int(room / LABEL_WIDTH)
    return label if len(label) <= most else f"{label[: most // 2 - 1]}…{label[-(most // 2) :]}"


def mark(number: int, x: float, y: float) -> str:
    """The mark of a series: a circle, a square, a diamond, a triangle, and so on."""
    form = number % 4
    if form == 0:
        return f'<circle class="mark" cx="{x:.1f}" cy="{y:.1f}" r="3.8"/>'
    corners = (
        ((-3.4, -3.4), (3.4, -3.4), (3.4, 3.4), (-3.4, 3.4)),
        ((0, -4.8), (4.8, 0), (0, 4.8), (-4.8, 0)),
        ((0, -4.6), (4.4, 3.6), (-4.4, 3.6)),
    )[form - 1]
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon class="mark" points="{points}"/>'


def legend(names: Iterable[str], plain: str = "", first: int = 0) -> str:
    """The marks with the names of their series, and of the line of comparison if it has one."""
    return f'<ul class="legend">{"".join(_legend(names, plain, first))}</ul>'


def _legend(names: Iterable[str], plain: str, first: int) -> Iterator[str]:
    for number, name in enumerate(names, first):
        drawn = f'<svg class="key s{number % 6}" viewBox="0 0 12 12" aria-hidden="true">{mark(number, 6, 6)}</svg>'
        yield f"<li>{drawn}{escape(name)}</li>"
    if plain:
        drawn = '<svg class="key plain" viewBox="0 0 12 12" aria-hidden="true">' + _segment("line", 0, 6, 12, 6)
        yield f"<li>{drawn}</svg>{escape(plain)}</li>"


def chart_style() -> str:
    """The style sheet of plots; with it a page needs nothing else to show them."""
    return Path(__file__).with_suffix(".css").read_text("utf-8")


def picture(drawn: str) -> str:
    """A plot as a file of its own: the wide drawing with the style sheet in it."""
    wide = drawn[: drawn.index("</svg>") + len("</svg>")]
    head, rest = wide.split(">", 1)
    return f'{head} xmlns="http://www.w3.org/2000/svg"><style>{chart_style()}</style>{rest}\n'


def _svg(kind: str, frame: Frame, title: str, parts: Iterable[str]) -> str:
    return (
        f'<svg class="{kind} {frame.style}" viewBox="0 0 {frame.width} {frame.height}" role="img" '
        f'aria-label="{escape(title)}">{"".join(parts)}</svg>'
    )


@lru_cache(maxsize=1024)
def _levels(frame: Frame, up: Scale, values: tuple[float, ...], texts: tuple[str, ...]) -> str:
    return "".join(
        _segment("grid", frame.left, up(value), frame.width - frame.right, up(value))
        + _text("tick", frame.left - 8, up(value) + 4, text, "end")
        for value, text in zip(values, texts, strict=True)
    )


def _below(frame: Frame, across: Scale, values: Sequence[float], is_by_year: bool) -> str:
    is_plain = is_by_year or len(values) == 1
    texts = [f"{value:g}" for value in values] if is_plain else written(values)
    return "".join(
        _text("tick", across(value), frame.height - frame.bottom + 18, text, "middle")
        for value, text in zip(values, texts, strict=True)
    )


def _upright(frame: Frame, across: Scale, values: Sequence[float]) -> str:
    bottom = frame.height - frame.bottom
    texts = written(values)
    # Where all of them would touch, every other one is written.
    every = 1 if max(len(text) for text in texts) * TICK_WIDTH * len(texts) < across.end - across.start else 2
    return "".join(
        _segment("grid", across(value), frame.top, across(value), bottom)
        + (_text("tick", across(value), bottom + 18, text, "middle") if number % every == 0 else "")
        for number, (value, text) in enumerate(zip(values, texts, strict=True))
    )


def _titles(frame: Frame, axes: Axes) -> str:
    middle = (frame.left + frame.width - frame.right) / 2
    found = _text("axis", middle, frame.height - 8, axes.across, "middle")
    return found + (_text("axis", 8, 15, axes.up, "start") if axes.up else "")


def _segment(style: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{style}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(style: str, x: float, y: float, text: str, anchor: str) -> str:
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def bar_chart(bins: Sequence[tuple[float, int]], label: str) -> str:
    """Bars of the counts; heights are square roots, so that the few large errors can be seen beside the many small."""
    highest = math.sqrt(max(count for _, count in bins) or 1)
    width, height, bar = 660, 120, 660 / len(bins)
    parts = []
    for at, (error, count) in enumerate(bins):
        tall = height * math.sqrt(count) / highest
        middle = (at + 0.5) * bar
        parts.append(
            f'<rect x="{at * bar + 1:.1f}" y="{height + 14 - tall:.1f}" width="{bar - 2:.1f}" height="{tall:.1f}" '
            f'fill="#2b6cb0"><title>{error:+.2f}: {count}</title></rect>'
        )
        if count:
            parts.append(_bar_text(middle, height + 10 - tall, str(count), 10))
        if error == int(error):
            parts.append(_bar_text(middle, height + 28, f"{error:+.0f}" if error else "0", 11))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + 34}" role="img" '
        f'aria-label="{label}" font-family="sans-serif">{"".join(parts)}</svg>'
    )


def _bar_text(x: float, y: float, text: str, size: int) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" font-size="{size}" fill="currentColor">{text}</text>'
