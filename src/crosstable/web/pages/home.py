"""Home, search by name, by id, by a pasted list, and names while typing."""

from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import Query
from pydantic import BaseModel, Field

from crosstable.office.ledger.facts import State
from crosstable.office.public_index import Listed, ListedEvent, listed_ratings
from crosstable.terms import RatingSystem
from crosstable.web.reading import Snapshot
from crosstable.web.replies import Paging, View, as_of, paged
from crosstable.web.routes import Page
from crosstable.web.search import MOST_QUERY, Answer, Found, Place
from crosstable.web.shapes import SYSTEM_NAMES
from crosstable.web.templating import address

MOST_EVENTS = 8
MOST_PLACES, MOST_SUGGESTED = 20, 8


class FoundMember(BaseModel):
    """A member that a search found; ``near`` means that the name is only like what was asked for.

    ``rating`` is the first one of the newest list: ``1512``, ``1641P17``, ``1480 Quick``; ``past`` the same rating on
    the lists of the last year, oldest first.
    """

    member_id: str
    name: str
    state: str
    also: tuple[str, ...]
    near: bool
    rating: str
    past: list[int] = []


class FoundPlace(BaseModel):
    """An event, a club or a state that a search found; ``near`` as for members."""

    kind: str
    name: str
    text: str
    href: str
    near: bool


class SearchView(View):
    """What a search found; ``missing`` are ids of a pasted list that nobody has."""

    query: str
    against: str
    members: list[FoundMember]
    places: list[FoundPlace]
    missing: tuple[str, ...]
    is_cut: bool
    paging: Paging

    @property
    def opens(self) -> str:
        """The address of the only thing that was found, where it is what was asked for."""
        is_all = self.query and self.paging.total == len(self.members) == 1
        if is_all and not self.places and not self.members[0].near and not self.missing:
            return self.link(self.members[0].member_id)
        is_one = len(self.places) == 1 and not self.places[0].near
        return self.places[0].href if is_one and not self.members and not self.against else ""

    def link(self, member_id: str) -> str:
        """Where a member leads: to their page, or to their games against somebody."""
        if self.against and self.against != member_id:
            return address("members", self.against, "against", member_id)
        return address("members", member_id)


class Suggestion(BaseModel):
    """A member, an event, a club or a state whose name goes on like what was typed."""

    kind: str
    id: str
    name: str
    text: str
    href: str


class SuggestionsView(View):
    """What may be meant by the beginning of a name."""

    found: list[Suggestion]


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
    affiliate: str
    club: str
    city: str
    place_state: str


class HomeView(View):
    """The office at a glance."""

    office: str
    members: int
    events: int
    newest_list: str | None
    recent: list[EventLine]
    leaders: list[FoundMember]


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
        leaders=found_members(read, [Found(member) for one, _ in read.ranks.leaders if (member := read.member(one))]),
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
        affiliate=event.affiliate,
        club=event.club,
        city=event.city,
        place_state=event.state,
    )


def search(
    read: Snapshot,
    q: Text = "",
    page: PageNumber = 1,
    size: Size = 50,
    against: Annotated[str, Query(max_length=40, description="The page links to games against this member.")] = "",
) -> SearchView:
    """Members by name (accents, typos and word order do not matter), by id, or by a pasted list of ids; else all.

    Events, clubs and states whose names hold all words come with them.
    """
    answer = read.index.search(q) if q.strip() else Answer(())
    if q.strip():
        some, paging = paged(list(answer.found), page, size)
    else:
        everybody, paging = paged(read.members, page, size)
        some = [Found(member) for member in everybody]
    places, is_near = ([], False) if against else read.places.search(q, MOST_PLACES, _nearer(answer))
    if places and answer.found and answer.found[0].is_near:  # what is there in full, or comes nearer, is meant
        some, paging = [], Paging(page=1, size=size, total=0)
    return SearchView(
        as_of=as_of(read),
        query=q.strip(),
        against=against if read.member(against) else "",
        members=found_members(read, some),
        places=[
            FoundPlace(kind=one.kind, name=one.name, text=one.text, href=_href(one), near=is_near) for one in places
        ],
        missing=answer.missing,
        is_cut=answer.is_cut,
        paging=paging,
    )


def suggestions(
    read: Snapshot, q: Text = "", kind: Annotated[Literal["", "member"], Query(description="Members only.")] = ""
) -> SuggestionsView:
    """What may be meant by the beginning of a name, while it is typed."""
    answer = read.index.search(q, MOST_SUGGESTED)
    found = [
        Suggestion(
            kind="member",
            id=one.member.member_id,
            name=one.member.name,
            text=" · ".join(part for part in (rating_of_list(read, one.member), one.member.state) if part),
            href=address("members", one.member.member_id),
        )
        for one in answer.found
    ]
    if not kind:
        places, _ = read.places.search(q, MOST_SUGGESTED // 2, _nearer(answer))
        if places and answer.found and answer.found[0].is_near:
            found.clear()
        found += [
            Suggestion(kind=one.kind, id=one.key, name=one.name, text=one.text, href=_href(one)) for one in places
        ]
    return SuggestionsView(as_of=as_of(read), found=found)


def _nearer(answer: Answer) -> int | None:
    """How near a place must come at least to be what was meant; nothing would, where a name was found."""
    return answer.likeness if not answer.found or answer.found[0].is_near else None


def rating_of_list(read: Snapshot, member: Listed) -> str:
    """A member's first rating of the newest list."""
    first = read.ranks.first.get(member.member_id)
    if first is None:
        return ""
    system, rating, games = first
    text = f"{rating}" if games is None else f"{rating}P{games:g}"
    return text if system is RatingSystem.OTBR else f"{text} {SYSTEM_NAMES[system.name]}"


def _href(one: Place) -> str:
    return address(f"{one.kind}s", one.key)


def found_members(read: Snapshot, some: Sequence[Found]) -> list[FoundMember]:
    """Members in a list, with their ratings of the newest supplement and before."""
    months = read.months_before(read.ranks.month or "")
    past = listed_ratings(read.connection, months, [one.member.member_id for one in some])
    first = read.ranks.first
    return [
        FoundMember(
            member_id=member.member_id,
            name=member.name,
            state=member.state,
            also=member.also,
            near=is_near,
            rating=rating_of_list(read, member),
            past=past.get((member.member_id, first[member.member_id][0]), []) if member.member_id in first else [],
        )
        for member, is_near in some
    ]


PAGES = (
    Page("/", home, "home.html", api="/office", summary="The office at a glance", tag="office"),
    Page("/search", search, "search.html", api="/members", summary="Search members", tag="members"),
    Page("/suggest", suggestions, "", api="/suggest", summary="Names while typing", tag="members", holds_record=False),
)
