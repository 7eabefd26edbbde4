"""Rating graphs as inline SVG: lines by date or by game number, no scripts; the table below says the same.

Each chart is drawn twice, for wide and for narrow screens, because text in an SVG shrinks with it.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from markupsafe import Markup, escape


class Point(NamedTuple):
    """A rating at a place of the axis; ``low`` and ``high`` differ where only bounds are shown."""

    at: float
    low: float
    high: float
    label: str

    @property
    def middle(self) -> float:
        """Where the line passes."""
        return (self.low + self.high) / 2


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


def rating_chart(series: Sequence[Series], title: str, *, is_by_date: bool) -> Markup:
    """The chart in both sizes; nothing where there is nothing to draw. Only the title and labels are texts."""
    drawn = [one for one in series if one.points]
    if not drawn:
        return Markup("")
    return Markup("".join(_svg(drawn, title, frame, is_by_date) for frame in FRAMES))  # all texts in it are escaped


def _svg(series: Sequence[Series], title: str, frame: Frame, is_by_date: bool) -> str:
    points = [point for one in series for point in one.points]
    low, high, step = _bounds(min(point.low for point in points), max(point.high for point in points))
    x_low, x_high = min(point.at for point in points), max(point.at for point in points)
    if x_high - x_low < 1:
        x_low, x_high = x_low - 1, x_high + 1
    across = Scale(x_low, x_high, frame.left, frame.width - frame.right)
    up = Scale(low, high, frame.height - frame.bottom, frame.top)
    parts = [_levels(frame, up, low, high, step), _ticks(frame, across, is_by_date)]
    parts += [_line(one, across, up) for one in series]
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


def _levels(frame: Frame, up: Scale, low: float, high: float, step: float) -> str:
    found = []
    level = low
    while level <= high:
        y = f"{up(level):.1f}"
        found.append(f'<line class="grid" x1="{frame.left}" x2="{frame.width - frame.right}" y1="{y}" y2="{y}"/>')
        found.append(f'<text class="tick" x="{frame.left - 7}" y="{y}" dy="4" text-anchor="end">{level:g}</text>')
        level += step
    return "".join(found)


def _ticks(frame: Frame, across: Scale, is_by_date: bool) -> str:
    """A few marks below: first, last and between."""
    count = 5 if frame.style == "wide" else 3
    found = []
    for number in range(count):
        value = across.low + (across.high - across.low) * number / (count - 1)
        anchor = ("start", "end")[number > 0] if number in (0, count - 1) else "middle"
        text = _day(value, across.high - across.low) if is_by_date else f"{round(value, 1):g}"
        found.append(
            f'<text class="tick" x="{across(value):.1f}" y="{frame.height - 8}" text-anchor="{anchor}">{text}</text>'
        )
    return "".join(found)


def _day(value: float, span: float) -> str:
    day = date(2000, 1, 1) + timedelta(days=round(value))
    return f"{day:%b %Y}" if span >= DAYS_FOR_MONTHS else f"{day.day} {day:%b %y}"


def day_number(day: date) -> float:
    """A day on the axis."""
    return float((day - date(2000, 1, 1)).days)


def _line(one: Series, across: Scale, up: Scale) -> str:
    places = [(f"{across(point.at):.1f}", f"{up(point.middle):.1f}", point) for point in one.points]
    path = " ".join(f"{x},{y}" for x, y, _ in places)
    radius = 2.6 if len(places) > MANY else 3.4
    parts = [f'<g class="series {one.style}"><polyline class="line" points="{path}"/>']
    for x, y, point in places:
        if point.high > point.low:
            ends = f'y1="{up(point.low):.1f}" y2="{up(point.high):.1f}"'
            parts.append(f'<line class="range" x1="{x}" x2="{x}" {ends}/>')
        parts.append(f'<circle cx="{x}" cy="{y}" r="{radius}"><title>{escape(point.label)}</title></circle>')
    return "".join(parts) + "</g>"
