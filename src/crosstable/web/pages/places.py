"""Where events are held and by whom: clubs, states, directors, each with its events."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from heapq import nlargest
from typing import Annotated

from fastapi import Path
from pydantic import BaseModel
from sqlalchemy import select

from crosstable.office import tables
from crosstable.office.public_index import ListedEvent
from crosstable.terms import RatingSystem
from crosstable.web.pages.home import EventLine, FoundMember, PageNumber, Size, event_line, found_members
from crosstable.web.pages.members import MemberId, require_member
from crosstable.web.problems import not_found
from crosstable.web.reading import Snapshot
from crosstable.web.replies import Paging, View, as_of, paged
from crosstable.web.routes import Page
from crosstable.web.search import STATES, Found
from crosstable.web.templating import address

# A club's best players are taken from those who played at its events in the year before its newest one.
YEAR = timedelta(days=365)
MOST_PLAYERS = 10


class Link(BaseModel):
    """Something else to look at, with how many events it has."""

    name: str
    href: str
    events: int


class PlaceView(View):
    """A club, a state or a director: what goes with it, and its events, newest first."""

    kind: str
    key: str
    name: str
    where: str
    clubs: list[Link]
    directors: list[Link]
    players: list[FoundMember]
    events: list[EventLine]
    paging: Paging


ClubId = Annotated[str, Path(max_length=40, description="The number of the affiliate.")]
StateCode = Annotated[str, Path(max_length=40, description="The state.")]


def club(read: Snapshot, club_id: ClubId, page: PageNumber = 1, size: Size = 50) -> PlaceView:
    """A club, its directors and its events."""
    held = [event for event in read.events if event.affiliate == club_id]
    return _view(read, ("club", club_id), held, page, size)


def state(read: Snapshot, state_code: StateCode, page: PageNumber = 1, size: Size = 50) -> PlaceView:
    """A state, its clubs and its events."""
    held = [event for event in read.events if event.state == state_code]
    return _view(read, ("state", state_code), held, page, size)


def director(read: Snapshot, member_id: MemberId, page: PageNumber = 1, size: Size = 50) -> PlaceView:
    """A member as a chief director: clubs and events."""
    listed = require_member(read, member_id)
    held = [event for event in read.events if event.director and read.member(event.director) == listed]
    return _view(read, ("director", listed.member_id), held, page, size)


def _view(read: Snapshot, what: tuple[str, str], held: list[ListedEvent], page: int, size: int) -> PlaceView:
    kind, key = what
    if not held and kind != "director":
        raise not_found(f"No event of this {kind} is in the record.")
    some, paging = paged(held, page, size)
    member = read.member(key) if kind == "director" else None
    name = member.name if member else (held[0].club or key) if kind == "club" else STATES.get(key, key)
    return PlaceView(
        as_of=as_of(read),
        kind=kind,
        key=key,
        name=name,
        where=held[0].where if kind == "club" else "",
        clubs=[] if kind == "club" else _counted(read, "clubs", ((one.affiliate, one.club) for one in held)),
        directors=[] if kind == "director" else _counted(read, "directors", ((one.director, "") for one in held)),
        players=_best(read, held) if kind == "club" else [],
        events=[event_line(read, one) for one in some],
        paging=paging,
    )


def _best(read: Snapshot, held: Sequence[ListedEvent]) -> list[FoundMember]:
    """Who has the highest Regular ratings of the newest list among those who played here in a year."""
    ended = [one.ended for one in held if one.ended]
    recent = [one.event_id for one in held if one.ended and one.ended > max(ended) - YEAR]
    entry = tables.entry.c
    played = read.connection.execute(select(entry.member_id).where(entry.event_id.in_(recent)).distinct()).scalars()
    listed = {member.member_id: member for one in played if (member := read.member(one))}
    rated = [(read.ranks.first[one], one) for one in listed if one in read.ranks.first]
    regular = [(rating, one) for (system, rating, _), one in rated if system is RatingSystem.OTBR]
    return found_members(read, [Found(listed[one]) for _, one in nlargest(MOST_PLAYERS, regular)])


def _counted(read: Snapshot, path: str, pairs: Iterable[tuple[str, str]]) -> list[Link]:
    """What stands with most events first."""
    found: dict[str, list[str]] = {}
    for key, name in pairs:
        if key:
            found.setdefault(key, []).append(name)
    links = []
    for key, names in found.items():
        member = read.member(key) if path == "directors" else None
        if path == "clubs" or member:
            name = member.name if member else names[0] or key
            links.append(Link(name=name, href=address(path, key), events=len(names)))
    return sorted(links, key=lambda one: (-one.events, one.name))


PAGES = (
    Page("/clubs/{club_id}", club, "place.html", "/clubs/{club_id}", "A club and its events", "events"),
    Page("/states/{state_code}", state, "place.html", "/states/{state_code}", "A state and its events", "events"),
    Page("/directors/{member_id}", director, "place.html", "/directors/{member_id}", "A director's events", "events"),
)
