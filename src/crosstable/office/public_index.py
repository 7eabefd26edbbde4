"""What a door needs to find things by: every member by name, every event by date; nothing that is not public."""

import json
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import date
from heapq import nsmallest
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from crosstable.office import tables
from crosstable.office.ledger.facts import Record, State, latest
from crosstable.office.ledger.journal import JournalEntry, act_of, acts
from crosstable.office.ledger.postings import chunks, is_current
from crosstable.terms import RatingSystem


class Listed(NamedTuple):
    """A member as search lists them; ``also`` are ids that were merged into theirs."""

    member_id: str
    name: str
    state: str
    also: tuple[str, ...] = ()
    fide_id: str = ""


class ListedSection(NamedTuple):
    """A section of an event: its number, name, systems, and whether it is accepted, held or withdrawn.

    ``accepted`` is the act that first accepted it, 0 where none did: the first run after it rated the section.
    """

    number: int
    name: str
    state: State
    systems: str
    entries: int
    accepted: int


class ListedEvent(NamedTuple):
    """An event with its sections, in the order of their numbers, and the day on which it came in."""

    event_id: str
    name: str
    started: date | None
    ended: date | None
    sections: tuple[ListedSection, ...]
    submitted: date
    affiliate: str = ""
    club: str = ""
    city: str = ""
    state: str = ""
    director: str = ""

    @property
    def where(self) -> str:
        """The town and the state."""
        return ", ".join(one for one in (self.city, self.state) if one)


# What the details of an event say of where it was held, and by whom.
_PLACE = ("affiliate", "affiliate_name", "city", "state", "chief_td")


def listed_members(record: Record) -> list[Listed]:
    """Every member, merged ids under the one they stand for, by name."""
    table = tables.member
    found = latest(table, ("member_id",), record.through).subquery()
    rows = record.connection.execute(select(found.c.member_id, found.c.name, found.c.state, found.c.fide_id)).all()
    merged: dict[str, list[str]] = {}
    for one, other in record.aliases().items():
        if one != other:
            merged.setdefault(other, []).append(one)
    gone = {one for others in merged.values() for one in others}
    members = [
        Listed(member_id, name, state, tuple(sorted(merged.get(member_id, ()))), fide_id)
        for member_id, name, state, fide_id in rows
        if member_id not in gone
    ]
    return sorted(members, key=lambda member: (member.name.casefold(), member.member_id))


def players_of(connection: Connection, event_ids: Sequence[str]) -> list[str]:
    """The ids under which people are entered in events."""
    entry = tables.entry.c
    return list(connection.execute(select(entry.member_id).where(entry.event_id.in_(event_ids)).distinct()).scalars())


def listed_events(record: Record) -> list[ListedEvent]:
    """Every event, the newest first; an event whose sections were all withdrawn stays readable."""
    event = latest(tables.event, ("event_id",), record.through).subquery()
    sections, came_in = _sections(record), _came_in(record)
    found = [
        ListedEvent(
            row.event_id,
            row.name,
            row.started,
            row.ended,
            tuple(sections.get(row.event_id, ())),
            came_in[row.event_id],
            *_place(row.details),
        )
        for row in record.connection.execute(
            select(event.c.event_id, event.c.name, event.c.started, event.c.ended, event.c.details)
        )
    ]
    return sorted(found, key=lambda one: (one.ended or date.min, one.event_id), reverse=True)


def _place(details: str) -> Iterator[str]:
    known = json.loads(details)
    return (str(known.get(name, "")).strip() for name in _PLACE)


def _came_in(record: Record) -> dict[str, date]:
    """The day (UTC) on which each event came in."""
    table, act = tables.event, tables.act
    first = (
        select(table.c.event_id, func.min(table.c.act).label("act"))
        .where(table.c.act <= record.through)
        .group_by(table.c.event_id)
        .subquery()
    )
    rows = record.connection.execute(select(first.c.event_id, act.c.at).join(act, act.c.seq == first.c.act))
    return {event_id: day_of(at) for event_id, at in rows}


def day_of(at: str) -> date:
    """The day (UTC) of an act's time as its table holds it."""
    return date.fromisoformat(at[:10])


def _accepted(record: Record) -> dict[tuple[str, int], int]:
    """The act that first accepted each section."""
    table = tables.section
    query = (
        select(table.c.event_id, table.c.number, func.min(table.c.act))
        .where(table.c.state == State.ACCEPTED.value, table.c.act <= record.through)
        .group_by(table.c.event_id, table.c.number)
    )
    return {(event_id, number): act for event_id, number, act in record.connection.execute(query)}


def _sections(record: Record) -> dict[str, list[ListedSection]]:
    table, entry = tables.section, tables.entry
    stands = table.c.state != State.REQUESTED.value
    newest = latest(table, ("event_id", "number"), record.through, stands).subquery()
    counts = (
        select(entry.c.event_id, entry.c.section, entry.c.act, func.count().label("entries"))
        .group_by(entry.c.event_id, entry.c.section, entry.c.act)
        .subquery()
    )
    same = (
        (counts.c.event_id == newest.c.event_id)
        & (counts.c.section == newest.c.number)
        & (counts.c.act == newest.c.act)
    )
    query = select(
        newest.c.event_id, newest.c.number, newest.c.name, newest.c.state, newest.c.systems, counts.c.entries
    ).select_from(newest.outerjoin(counts, same))
    accepted = _accepted(record)
    found: dict[str, list[ListedSection]] = {}
    for event_id, number, name, state, systems, entries in record.connection.execute(query):
        one = ListedSection(number, name, State(state), systems, entries or 0, accepted.get((event_id, number), 0))
        found.setdefault(event_id, []).append(one)
    return {event_id: sorted(some) for event_id, some in found.items()}


class Rank(NamedTuple):
    """A place among established ratings: ties share it; ``below`` is the share of the others with less, in percent."""

    rank: int
    of: int
    below: float


MOST_LEADERS = 10


class Ranks:
    """The newest list by heart: who stands where, everybody's first rating of it, and who leads it (Regular)."""

    def __init__(self, connection: Connection, month: str | None) -> None:
        self.month = month
        self._ratings: dict[tuple[RatingSystem, str], array[int]] = {}
        self.first: dict[str, tuple[RatingSystem, int, float | None]] = {}
        leaders: list[tuple[int, str]] = []
        row = tables.supplement_row.c
        query = select(row.member_id, row.system, row.state, row.rating, row.games, row.is_provisional)
        for member, number, state, rating, games, is_provisional in connection.execute(
            query.where(row.month == month).order_by(row.system)
        ):
            system = RatingSystem(number)
            self.first.setdefault(member, (system, rating, games if is_provisional else None))
            if not is_provisional:
                if system is RatingSystem.OTBR:
                    leaders.append((-rating, member))
                for where in {"", state}:
                    self._ratings.setdefault((system, where), array("i")).append(rating)
        self.leaders = [(member, -rating) for rating, member in nsmallest(MOST_LEADERS, leaders)]
        self._ratings = {key: array("i", sorted(ratings)) for key, ratings in self._ratings.items()}

    def rank(self, system: RatingSystem, rating: float, state: str = "") -> Rank | None:
        """Where a rating stands in a system, among everybody or in one state; nothing where nobody does."""
        ratings = self._ratings.get((system, state))
        if ratings is None:
            return None
        below = bisect_left(ratings, rating)
        higher = len(ratings) - bisect_right(ratings, rating)
        return Rank(higher + 1, len(ratings), 100.0 * below / max(len(ratings) - 1, 1))

    def distribution(self, system: RatingSystem, step: int) -> list[tuple[int, int]]:
        """How many established ratings lie from each multiple of a step on, the empty ones between them too."""
        ratings = self._ratings.get((system, ""), array("i"))
        if not ratings:
            return []
        levels = range(ratings[0] // step * step, ratings[-1] + 1, step)
        return [(level, bisect_left(ratings, level + step) - bisect_left(ratings, level)) for level in levels]


def listed_ratings(
    connection: Connection, months: Sequence[str], members: Sequence[str]
) -> dict[tuple[str, RatingSystem], list[int]]:
    """The ratings of some members on some published lists, oldest first."""
    row = tables.supplement_row.c
    found: dict[tuple[str, RatingSystem], list[int]] = {}
    for some in chunks(members):
        query = select(row.member_id, row.system, row.rating).where(row.month.in_(months), row.member_id.in_(some))
        for member, system, rating in connection.execute(query.order_by(row.month)):
            found.setdefault((member, RatingSystem(system)), []).append(rating)
    return found


def office_name(connection: Connection) -> str:
    """What the office is called."""
    founded: JournalEntry = next(acts(connection))
    return founded.subject


def has_few_postings(connection: Connection, most: int) -> bool:
    """Whether no more postings than so many are current; of a large office the others are not looked at."""
    some = select(tables.posting.c.posting_id).where(is_current()).limit(most + 1).subquery()
    return (connection.execute(select(func.count()).select_from(some)).scalar() or 0) <= most


def run_days(connection: Connection) -> list[tuple[int, date]]:
    """Every rating run by its act, oldest first, with its day (UTC)."""
    run, act = tables.run, tables.act
    rows = connection.execute(select(run.c.act, act.c.at).join(act, act.c.seq == run.c.act).order_by(run.c.act))
    return [(number, day_of(at)) for number, at in rows]


class RunLine(NamedTuple):
    """A rating run: its act, how many sections it rated, and how many ratings it moved."""

    run: int
    sections: int
    moved: int


def runs(connection: Connection) -> list[RunLine]:
    """Every rating run, newest first."""
    run, moved = tables.run, tables.ripple
    counts = select(moved.c.run, func.count().label("moved")).group_by(moved.c.run).subquery()
    query = (
        select(run.c.act, run.c.sections, counts.c.moved)
        .select_from(run.outerjoin(counts, counts.c.run == run.c.act))
        .order_by(run.c.act.desc())
    )
    return [RunLine(act, sections, count or 0) for act, sections, count in connection.execute(query)]


def run_line(connection: Connection, act: int) -> RunLine | None:
    """One rating run."""
    run, moved = tables.run.c, tables.ripple.c
    sections = connection.execute(select(run.sections).where(run.act == act)).scalar()
    if sections is None:
        return None
    count = connection.execute(select(func.count()).select_from(tables.ripple).where(moved.run == act)).scalar()
    return RunLine(act, sections, count or 0)


def run_after(connection: Connection, act: int) -> int | None:
    """The first run after an act: the one that took it into account."""
    run = tables.run.c
    return connection.execute(select(func.min(run.act)).where(run.act > act)).scalar()


def acts_about(connection: Connection, subject: str) -> list[JournalEntry]:
    """The acts about an event or a member, oldest first."""
    table = tables.act.c
    found = connection.execute(select(table.seq).where(table.subject == subject).order_by(table.seq)).scalars().all()
    return [act for seq in found if (act := act_of(connection, seq)) is not None]


def acts_since(connection: Connection, after: int, kinds: Sequence[str], size: int) -> tuple[list[JournalEntry], int]:
    """The first acts after one, oldest first, and how many there are."""
    table = tables.act
    where = [table.c.seq > after, *([table.c.kind.in_(kinds)] if kinds else [])]
    total = connection.execute(select(func.count()).select_from(table).where(*where)).scalar() or 0
    query = select(table.c.seq).where(*where).order_by(table.c.seq).limit(size)
    found = (act_of(connection, seq) for seq in connection.execute(query).scalars().all())
    return [act for act in found if act is not None], total


def some_acts(connection: Connection, kinds: Sequence[str], page: int, size: int) -> tuple[list[JournalEntry], int]:
    """A page of the log, newest first, and how many acts there are in all."""
    table = tables.act
    where = table.c.kind.in_(kinds) if kinds else table.c.seq > 0
    total = connection.execute(select(func.count()).select_from(table).where(where)).scalar() or 0
    query = select(table.c.seq).where(where).order_by(table.c.seq.desc()).limit(size).offset((page - 1) * size)
    found = (act_of(connection, seq) for seq in connection.execute(query).scalars().all())
    return [act for act in found if act is not None], total
