"""The lines of a member's history, and the graph of them."""

from collections.abc import Iterator, Sequence
from datetime import date

from markupsafe import Markup
from pydantic import BaseModel

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


def history_chart(rows: Sequence[HistoryRow], axis: str) -> Markup:
    """The graph of a history, a line per system, over dates or over games."""
    is_by_date = axis == "date"
    by_system: dict[str, list[HistoryRow]] = {system.name: [] for system in RatingSystem}
    for row in rows:
        by_system[row.system].append(row)
    series = [
        Series(SYSTEM_NAMES[system], tuple(_points(some, is_by_date=is_by_date)), system.lower())
        for system, some in by_system.items()
    ]
    shown = ", ".join(one.name for one in series if one.points)
    over = "over time" if is_by_date else "by games played"
    title = f"Ratings {over}: {shown}. The table of sections below has the same numbers."
    return Markup(rating_chart(series, title, is_by_date=is_by_date))  # its texts are escaped


def _points(rows: Sequence[HistoryRow], *, is_by_date: bool) -> Iterator[Point]:
    """The points of one system."""
    played = 0.0
    for row in rows:
        if row.after is None:
            continue
        played += row.played or 0
        at = day_number(date.fromisoformat(row.ended)) if is_by_date else played
        yield Point(at, row.after.rating, label=f"{row.ended}: {row.after.text}")
