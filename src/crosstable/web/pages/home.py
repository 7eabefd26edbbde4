"""Home, and search: by name, by id, by a pasted list."""

from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, Field

from crosstable.office.ledger.facts import State
from crosstable.office.public_index import ListedEvent
from crosstable.web.reading import Snapshot
from crosstable.web.replies import Paging, View, as_of, paged
from crosstable.web.routes import Page
from crosstable.web.search import MOST_QUERY, Answer, Found

MOST_EVENTS = 8


class FoundMember(BaseModel):
    """A member that a search found; ``near`` means that the name is only like what was asked for."""

    member_id: str
    name: str
    state: str
    also: tuple[str, ...]
    near: bool


class SearchView(View):
    """What a search found; ``missing`` are ids of a pasted list that nobody has."""

    query: str
    members: list[FoundMember]
    missing: tuple[str, ...]
    is_cut: bool
    paging: Paging


class EventLine(BaseModel):
    """An event in a list, with the day on which it came in and the one on which the last of its sections was rated."""

    event_id: str
    name: str
    started: str | None
    ended: str | None
    sections: int
    players: int
    state: str = Field(
        description="submitted: held until its errors are put right; accepted: to be rated with the next run; rated; "
        "withdrawn."
    )
    submitted: str
    rated: str | None


class HomeView(View):
    """The office at a glance."""

    office: str
    members: int
    events: int
    newest_list: str | None
    recent: list[EventLine]


Text = Annotated[str, Query(max_length=MOST_QUERY, description="A name, an id, or a pasted list of ids.")]
PageNumber = Annotated[int, Query(ge=1, le=1_000_000, description="Which page.")]
Size = Annotated[int, Query(ge=1, le=500, description="Rows on a page, at most 500.")]


def home(read: Snapshot) -> HomeView:
    """The office at a glance: how large it is, its newest list and events."""
    return HomeView(
        as_of=as_of(read),
        office=read.name,
        members=len(read.members),
        events=len(read.events),
        newest_list=read.lists[-1].month if read.lists else None,
        recent=[event_line(read, event) for event in read.events[:MOST_EVENTS]],
    )


def event_line(read: Snapshot, event: ListedEvent) -> EventLine:
    """An event in a list."""
    standing = [one for one in event.sections if one.state is not State.WITHDRAWN]
    accepted = [one for one in standing if one.state is State.ACCEPTED]
    days = [read.rated_on(one.accepted) for one in accepted]
    state = "rated" if all(days) else "accepted"
    if not accepted:
        state = "submitted" if standing else "withdrawn"
    return EventLine(
        event_id=event.event_id,
        name=event.name,
        started=None if event.started is None else event.started.isoformat(),
        ended=None if event.ended is None else event.ended.isoformat(),
        sections=len(standing),
        players=sum(one.entries for one in standing),
        state=state,
        submitted=event.submitted.isoformat(),
        rated=max(day.isoformat() for day in days if day) if state == "rated" else None,
    )


def search(read: Snapshot, q: Text = "", page: PageNumber = 1, size: Size = 50) -> SearchView:
    """Members by name (accents, typos and word order do not matter), by id, or by a pasted list of ids; else all."""
    answer = read.index.search(q) if q.strip() else Answer(())
    if q.strip():
        some, paging = paged(list(answer.found), page, size)
    else:
        everybody, paging = paged(read.members, page, size)
        some = [Found(member) for member in everybody]
    return SearchView(
        as_of=as_of(read),
        query=q.strip(),
        members=[_found(one) for one in some],
        missing=answer.missing,
        is_cut=answer.is_cut,
        paging=paging,
    )


def _found(one: Found) -> FoundMember:
    member = one.member
    return FoundMember(
        member_id=member.member_id, name=member.name, state=member.state, also=member.also, near=one.is_near
    )


PAGES = (
    Page("/", home, "home.html", api="/office", summary="The office at a glance", tag="office"),
    Page("/search", search, "search.html", api="/members", summary="Search members", tag="members"),
)
