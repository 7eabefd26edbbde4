"""Events: all of them, newest first, and one with its sections."""

from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel

from crosstable.office.ledger.facts import State
from crosstable.office.public import public_act
from crosstable.office.public_index import ListedEvent, acts_about
from crosstable.terms import RatingSystem
from crosstable.web.pages.home import EventLine, event_line
from crosstable.web.reading import Snapshot
from crosstable.web.replies import Paging, View, as_of, paged
from crosstable.web.routes import Page
from crosstable.web.search import folded
from crosstable.web.shapes import JournalEntryShape, act_of

STATES = {
    State.ACCEPTED: "rated",
    State.HELD: "held: waits for the office",
    State.WITHDRAWN: "withdrawn",
    State.REQUESTED: "asked for",
}
MONTHS_SHOWN = 6
WAITS = "accepted, to be rated with the next rating run"


class EventsView(View):
    """Events, newest first."""

    query: str
    month: str
    months: list[str]
    events: list[EventLine]
    paging: Paging


class SectionLine(BaseModel):
    """A section of an event."""

    number: int
    name: str
    state: str
    is_rated: bool
    systems: list[str]
    players: int


class EventView(View):
    """An event, its sections, and everything the office did about it."""

    event_id: str
    name: str
    started: str | None
    ended: str | None
    sections: list[SectionLine]
    acts: list[JournalEntryShape]


EventId = Annotated[str, Path(max_length=48, description="The number of the event.")]


def events(
    read: Snapshot,
    q: Annotated[str, Query(max_length=200, description="A part of the name.")] = "",
    month: Annotated[str, Query(pattern=r"^(\d{4}-\d{2})?$", description="Only events that ended in it.")] = "",
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    size: Annotated[int, Query(ge=1, le=500)] = 50,
) -> EventsView:
    """Every event of the record, newest first; with ``q`` those whose names hold it, or of one month."""
    wanted = folded(q.strip())
    chosen = [
        event
        for event in read.events
        if (not wanted or wanted in folded(event.name) or wanted == event.event_id)
        and (not month or _month(event) == month)
    ]
    some, paging = paged(chosen, page, size)
    lines = [event_line(read, one) for one in some]
    return EventsView(
        as_of=as_of(read), query=q.strip(), month=month, months=_months(read, month), events=lines, paging=paging
    )


def _month(event: ListedEvent) -> str:
    return "" if event.ended is None else f"{event.ended:%Y-%m}"


def _months(read: Snapshot, month: str) -> list[str]:
    """The newest months with events, or those around one."""
    found = sorted({_month(event) for event in read.events} - {""}, reverse=True)
    at = next((at for at, one in enumerate(found) if one <= month), 0) if month else 0
    return found[max(0, at - MONTHS_SHOWN // 2) :][:MONTHS_SHOWN]


def event(read: Snapshot, event_id: EventId) -> EventView:
    """An event with its sections and its public log."""
    found = read.event(event_id)
    seen = {one.number for one in read.public.record.headings_of(event_id) if one.state is State.ACCEPTED}
    return EventView(
        as_of=as_of(read),
        event_id=found.event_id,
        name=found.name,
        started=None if found.started is None else found.started.isoformat(),
        ended=None if found.ended is None else found.ended.isoformat(),
        sections=[
            SectionLine(
                number=one.number,
                name=one.name,
                state=WAITS if one.state is State.ACCEPTED and one.number not in seen else STATES[one.state],
                is_rated=one.state is State.ACCEPTED and one.number in seen,
                systems=[name for name in one.systems.split() if name in RatingSystem.__members__],
                players=one.entries,
            )
            for one in found.sections
        ],
        acts=[act_of(public_act(act)) for act in acts_about(read.connection, event_id)],
    )


PAGES = (
    Page("/events", events, "events.html", api="/events", summary="Events, newest first", tag="events"),
    Page("/events/{event_id}", event, "event.html", api="/events/{event_id}", summary="An event", tag="events"),
)
