"""Rating graphs as inline SVG: lines by date or by game number, no scripts; the table below says the same.

Each chart is drawn twice, for wide and for narrow screens, because text in an SVG shrinks with it.
"""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from markupsafe import Markup, escape


class Point(NamedTuple):
    """A rating at a place of the axis."""

    at: float
    rating: float
    label: str


class Series(NamedTuple):
    """A line: its class in the style sheet, its name, its points in order."""

    style: str
    name: str
    points: tuple[Point, ...]


class Frame(NamedTuple):
    """The size of a drawing, in its own units."""

    width: int
    height: int
    style: str
    left: int = 44
    right: int = 14
    top: int = 12
    bottom: int = 28


FRAMES = (Frame(760, 260, "wide"), Frame(340, 220, "narrow", left=40, right=10))
# A shorter time has days below it, not months.
DAYS_FOR_MONTHS = 200
# A shorter axis of games or scores is marked at half points too.
HALF, HALVES = 0.5, 8.0
# So many points are drawn smaller.
MANY = 40
_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10000)


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
        """Where values lie, as a drawing says it."""
        low, span, start, length = self.low, self.high - self.low, self.start, self.end - self.start
        return [f"{start + (value - low) / span * length:.1f}" for value in values]


def rating_chart(series: Sequence[Series], title: str, *, is_by_date: bool) -> Markup:
    """The chart in both sizes; nothing where there is nothing to draw. Only the title and labels are texts."""
    drawn = [one for one in series if one.points]
    if not drawn:
        return Markup("")
    extent = _extent([point for one in drawn for point in one.points])
    labels = [[escape(point.label) for point in one.points] for one in drawn]
    return Markup("".join(_svg(drawn, labels, title, frame, extent, is_by_date) for frame in FRAMES))  # all escaped


class Extent(NamedTuple):
    """What a drawing has room for: from where to where it goes, and the step of its levels."""

    x_low: float
    x_high: float
    low: float
    high: float
    step: float


def _extent(points: Sequence[Point]) -> Extent:
    x_low, x_high = min(point.at for point in points), max(point.at for point in points)
    if x_high - x_low < 1:
        x_low, x_high = x_low - 1, x_high + 1
    return Extent(x_low, x_high, *_bounds(min(point.rating for point in points), max(point.rating for point in points)))


def _svg(
    series: Sequence[Series],
    labels: Sequence[Sequence[str]],
    title: str,
    frame: Frame,
    extent: Extent,
    is_by_date: bool,
) -> str:
    across = Scale(extent.x_low, extent.x_high, frame.left, frame.width - frame.right)
    up = Scale(extent.low, extent.high, frame.height - frame.bottom, frame.top)
    parts = [_levels(frame, up, extent), _ticks(frame, across, is_by_date)]
    parts += [_line(one, texts, across, up) for one, texts in zip(series, labels, strict=True)]
    head = (
        f'<svg class="chart {frame.style}" viewBox="0 0 {frame.width} {frame.height}" role="img" '
        f'aria-label="{escape(title)}">'
    )
    return head + "".join(parts) + "</svg>"


def _bounds(low: float, high: float) -> tuple[float, float, float]:
    """Round bounds, and a step that gives three to six levels."""
    span = max(high - low, 20.0)
    step = next(step for step in _STEPS if span / step <= 5 or step == _STEPS[-1])
    return (low // step) * step, (high // step + 1) * step, step


def _levels(frame: Frame, up: Scale, extent: Extent) -> str:
    levels = []
    level = extent.low
    while level <= extent.high:
        levels.append(level)
        level += extent.step
    left, right = frame.left, frame.width - frame.right
    return "".join(
        f'<line class="grid" x1="{left}" x2="{right}" y1="{y}" y2="{y}"/>'
        f'<text class="tick" x="{left - 7}" y="{y}" dy="4" text-anchor="end">{level:g}</text>'
        for level, y in zip(levels, up.places(levels), strict=True)
    )


def _ticks(frame: Frame, across: Scale, is_by_date: bool) -> str:
    """A few marks below: first, last and between."""
    span = across.high - across.low
    count = 5 if frame.style == "wide" else 3
    values = [across.low + span * number / (count - 1) for number in range(count)]
    if not is_by_date:
        unit = HALF if span < HALVES else 1.0
        values = sorted({round(value / unit) * unit for value in values[1:-1]} | {values[0], values[-1]})
    found = []
    for number, (value, x) in enumerate(zip(values, across.places(values), strict=True)):
        anchor = "start" if number == 0 else "end" if number == len(values) - 1 else "middle"
        text = _day(value, span) if is_by_date else f"{value:g}"
        found.append(f'<text class="tick" x="{x}" y="{frame.height - 8}" text-anchor="{anchor}">{text}</text>')
    return "".join(found)


@lru_cache(maxsize=4096)
def _day(value: float, span: float) -> str:
    day = date(2000, 1, 1) + timedelta(days=round(value))
    return f"{day:%b %Y}" if span >= DAYS_FOR_MONTHS else f"{day.day} {day:%b %y}"


def day_number(day: date) -> float:
    """A day on the axis."""
    return float((day - date(2000, 1, 1)).days)


def _line(one: Series, labels: Sequence[str], across: Scale, up: Scale) -> str:
    xs, ys = across.places(point.at for point in one.points), up.places(point.rating for point in one.points)
    path = " ".join(f"{x},{y}" for x, y in zip(xs, ys, strict=True))
    radius = 2.6 if len(xs) > MANY else 3.4
    dots = (
        f'<circle cx="{x}" cy="{y}" r="{radius}"><title>{label}</title></circle>'
        for x, y, label in zip(xs, ys, labels, strict=True)
    )
    return f'<g class="series {one.style}"><polyline class="line" points="{path}"/>{"".join(dots)}</g>'
