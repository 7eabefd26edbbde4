"""The lines of a member's history, and the graph of them."""

import json
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from markupsafe import Markup
from pydantic import BaseModel

from crosstable.calculator.figures import CLASSES
from crosstable.explanation.words import FLOOR_NAMES
from crosstable.office.ledger.postings import OWN, Posting
from crosstable.office.public import PublicPosting
from crosstable.output.charts import Point, Series, day_number, rating_chart
from crosstable.terms import FloorKind, RatingSystem
from crosstable.web.reading import Snapshot
from crosstable.web.shapes import SYSTEM_NAMES, Place, Rating, change_of, place_of, rating_of


class HistoryRow(BaseModel):
    """One thing that moved a rating: a section, an opening, or a decision of the office."""

    ended: str
    place: Place | None
    what: str
    system: str
    player: int | None
    before: Rating | None
    after: Rating | None
    change: float | None
    score: float | None
    played: int | None
    norm: str | None
    notes: list[str]


def history_row(read: Snapshot, posted: PublicPosting) -> HistoryRow:
    """A posting as a line of a history."""
    one = posted.posting
    is_own = one.event_id.startswith(OWN)
    before, after = rating_of(posted.before), rating_of(posted.after)
    return HistoryRow(
        ended=one.ended.isoformat(),
        place=None if is_own else place_of(read, one.event_id, one.section),
        what=_own_words(read, one) if is_own else read.section_name(one.event_id, one.section),
        system=one.system.name,
        player=None if is_own else one.number,
        before=before,
        after=after,
        change=change_of(before, after),
        score=one.score,
        played=one.played,
        norm=one.norm,
        notes=list(_notes(one)),
    )


def _own_words(read: Snapshot, one: Posting) -> str:
    decision = read.files.decision(one.section)
    if decision is None:
        return "Rating brought from elsewhere"
    return f"Decision of the office: {decision.kind.value.replace('_', ' ')}"


def _notes(one: Posting) -> Iterator[str]:
    if one.floor_kind is not None:
        yield f"held by the {FLOOR_NAMES[FloorKind(one.floor_kind)]}, {one.floor_level:g}"
    if one.requested_floor is not None:
        yield f"counts as a request for the floor {one.requested_floor:g}"
    if one.norm:
        yield f"norm {one.norm}"


def history_chart(rows: Sequence[HistoryRow], axis: str, systems: Sequence[Any]) -> Markup:
    """The graph of a history, a line per system; what a script needs to draw it anew stands beside it."""
    by_system: dict[str, list[HistoryRow]] = {system.name: [] for system in RatingSystem}
    for row in rows:
        if row.after is not None:
            by_system[row.system].append(row)
    is_by_date = axis == "date"
    series = [
        Series(SYSTEM_NAMES[name], tuple(_points(some, is_by_date=is_by_date)), name.lower())
        for name, some in by_system.items()
    ]
    shown = ", ".join(one.name for one in series if one.points)
    over = "over time" if is_by_date else "by games played"
    title = f"Ratings {over}: {shown}. The table of sections below has the same numbers."
    drawn = rating_chart(series, title, is_by_date=is_by_date)  # its texts are escaped
    if not is_by_date:
        return Markup(drawn)
    places: dict[tuple[Any, ...], int] = {}
    drawn_systems = [_drawn(one, by_system[one.system], places) for one in systems]
    data = {"systems": drawn_systems, "places": list(places), "classes": _CLASSES}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return Markup(f'{drawn}<script type="application/json" data-history>{text}</script>')


# Days are counted as scripts count them.
EPOCH = date(1970, 1, 1)
_CLASSES = [[one.lowest, one.title] for one in CLASSES]


def _points(rows: Sequence[HistoryRow], *, is_by_date: bool) -> Iterator[Point]:
    """The points of one system."""
    played = 0.0
    for row in rows:
        assert row.after is not None
        played += row.played or 0
        at = day_number(date.fromisoformat(row.ended)) if is_by_date else played
        yield Point(at, row.after.rating, label=f"{row.ended}: {row.after.text}")


def _short(change: float | None) -> float | None:
    """A change as its digits need it: a career has hundreds of them."""
    return int(change) if change is not None and change == int(change) else change


def _drawn(one: Any, rows: Sequence[HistoryRow], places: dict[tuple[Any, ...], int]) -> dict[str, Any]:  # noqa: ANN401
    """A system for the script: its points with their days, ratings, changes, and the number of the place of each."""
    points = []
    for row in rows:
        place = (row.what, row.place.event, row.place.section) if row.place else (row.what,)
        day, text = (date.fromisoformat(row.ended) - EPOCH).days, row.after and row.after.text
        points.append([day, text, _short(row.change), places.setdefault(place, len(places))])
    floor = None if one.floor is None else one.floor.level
    return {"code": one.system.lower(), "name": one.name, "floor": floor, "points": points}
