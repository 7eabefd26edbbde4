"""An event: where and by whom it was held, its sections with who came first, and what the office did about it."""

from pydantic import BaseModel, Field

from crosstable.office.ledger.facts import State
from crosstable.office.public import public_act
from crosstable.office.public_index import ListedEvent, acts_about
from crosstable.terms import RatingSystem
from crosstable.web.pages.events import STATES, WAITS
from crosstable.web.pages.sections import (
    CrosstableRow,
    EventHead,
    EventId,
    head_of,
    rated_section,
    require_section,
    rows_of,
)
from crosstable.web.reading import Snapshot
from crosstable.web.replies import View, as_of
from crosstable.web.routes import Page
from crosstable.web.shapes import JournalEntryShape, act_of

# So many are named who came first, and of an event with more players than these nobody: that would take too long.
FIRST, MOST_PLAYERS = 3, 200


class First(BaseModel):
    """Somebody who came first in a section, with the rating in its first system after it."""

    place: int
    number: int
    member_id: str
    name: str
    points: float
    before: str | None
    after: str | None


class SectionLine(BaseModel):
    """A section of an event."""

    number: int
    name: str
    state: str
    is_rated: bool
    systems: list[str]
    players: int
    first: list[First] = Field(description="Who came first, where the event is no large one.")


class EventView(View):
    """An event, its sections, and everything the office did about it."""

    event_id: str
    name: str
    started: str | None
    ended: str | None
    head: EventHead
    sections: list[SectionLine]
    acts: list[JournalEntryShape]


def event(read: Snapshot, event_id: EventId) -> EventView:
    """An event with its sections and its public log."""
    found = read.event(event_id)
    return EventView(
        as_of=as_of(read),
        event_id=found.event_id,
        name=found.name,
        started=None if found.started is None else found.started.isoformat(),
        ended=None if found.ended is None else found.ended.isoformat(),
        head=head_of(read, event_id),
        sections=_sections(read, found),
        acts=[act_of(public_act(act)) for act in acts_about(read.connection, event_id)],
    )


def _sections(read: Snapshot, found: ListedEvent) -> list[SectionLine]:
    seen = {one.number for one in read.public.record.headings_of(found.event_id) if one.state is State.ACCEPTED}
    is_small = sum(one.entries for one in found.sections) <= MOST_PLAYERS
    lines = []
    for one in found.sections:
        is_rated = one.state is State.ACCEPTED and one.number in seen
        lines.append(
            SectionLine(
                number=one.number,
                name=one.name,
                state=WAITS if one.state is State.ACCEPTED and one.number not in seen else STATES[one.state],
                is_rated=is_rated,
                systems=[name for name in one.systems.split() if name in RatingSystem.__members__],
                players=one.entries,
                first=_first(read, found.event_id, one.number) if is_rated and is_small else [],
            )
        )
    return lines


def _first(read: Snapshot, event_id: str, number: int) -> list[First]:
    """Who came first in a section, by points and tie-breaks."""
    rows = rows_of(rated_section(read, require_section(read, event_id, number)))
    return [_line(row) for row in sorted(rows, key=lambda row: (row.place, row.row))[:FIRST]]


def _line(row: CrosstableRow) -> First:
    before, after = row.ratings[0].before, row.ratings[0].after
    return First(
        place=row.place,
        number=row.number,
        member_id=row.member_id,
        name=row.name,
        points=row.points,
        before=None if before is None else before.text,
        after=None if after is None else after.text,
    )


PAGES = (Page("/events/{event_id}", event, "event.html", api="/events/{event_id}", summary="An event", tag="events"),)
