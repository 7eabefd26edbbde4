"""The record as it was known at an act: people, sections with their entries, openings, decisions, merges.

Every fact carries the act that wrote it; of several about one thing the newest not after the asked act is the one that
was known. Nothing here computes a rating.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import Column, ColumnElement, Connection, Select, Table, and_, func, select

from crosstable.errors import OfficeError
from crosstable.formats.event_json import read_cell
from crosstable.office import tables
from crosstable.office.ledger.postings import chunks
from crosstable.record_rows import rating_from
from crosstable.replaying import Decision as Decision
from crosstable.replaying import DecisionKind as DecisionKind
from crosstable.replaying import Key
from crosstable.replaying import StartingRating as StartingRating
from crosstable.terms import OutsideRating, RatingSystem, ReportedCell, SectionType

NO_CELL = "-"


class State(StrEnum):
    """What has become of a section: rated, held for its faults, asked for by a director, or taken back."""

    ACCEPTED = "accepted"
    HELD = "held"
    REQUESTED = "requested"
    WITHDRAWN = "withdrawn"


class Person(NamedTuple):
    """A member as the office knows them; the birth date never leaves the office's own views.

    ``birth_year`` serves where no birth date is kept. ``age_lists`` is what the member asked about lists by age group:
    to be on them, to be left out, or nothing.
    """

    member_id: str
    name: str
    state: str = ""
    birth_date: date | None = None
    adult: bool | None = None
    canadian_resident: bool = False
    fide_id: str = ""
    cfc_id: str = ""
    fide_flag: str = ""
    member_until: date | None = None
    birth_year: int | None = None
    age_lists: bool | None = None
    fide: tuple[OutsideRating, ...] = ()
    cfc: tuple[OutsideRating, ...] = ()


PERSON_COLUMNS = [tables.member.c[name] for name in Person._fields[:-2]]


class Heading(NamedTuple):
    """A section without its entries."""

    event_id: str
    number: int
    act: int
    state: State
    name: str
    kind: SectionType
    is_online: bool
    time_controls: tuple[str, ...]
    asked_systems: tuple[RatingSystem, ...]
    systems: tuple[RatingSystem, ...]
    is_dual_control: bool
    is_half_k: bool
    match_waiver: str
    started: date | None
    ended: date | None
    details: Mapping[str, str]
    faults: Sequence[Mapping[str, str]]
    digest: str

    @property
    def key(self) -> Key:
        """Where the section stands in the fold; only a section with dates is ever rated."""
        assert self.ended is not None
        assert self.started is not None
        return Key(self.ended, self.started, self.event_id, self.number)


class EntryFact(NamedTuple):
    """A row of a section as it was submitted."""

    row: int
    number: int | None
    member_id: str
    name: str
    cells: tuple[ReportedCell, ...]
    extra: Mapping[str, Any]


def latest(table: Table, keys: Sequence[str], through: int, *where: ColumnElement[bool]) -> Select[Any]:
    """The newest row about each thing that was written by an act not after ``through``."""
    columns: list[Column[Any]] = [table.c[name] for name in keys]
    newest = (
        select(*columns, func.max(table.c.act).label("newest"))
        .where(table.c.act <= through, *where)
        .group_by(*columns)
        .subquery()
    )
    same = and_(*(table.c[name] == newest.c[name] for name in keys), table.c.act == newest.c.newest)
    return select(table).join(newest, same)


class Record:
    """The facts of an office, as known at an act; each is read when it is first asked for."""

    def __init__(self, connection: Connection, through: int) -> None:
        self.connection = connection
        self.through = through
        self._people: dict[str, Person | None] = {}
        self._aliases: dict[str, str] | None = None

    # people

    def people(self, ids: Iterable[str]) -> dict[str, Person]:
        """The members with these ids, those that are known."""
        missing = sorted({one for one in ids if one not in self._people})
        for some in chunks(missing):
            self._people.update(dict.fromkeys(some))
            self._people.update(self._read_people(some))
        return {one: person for one in ids if (person := self._people[one]) is not None}

    def _read_people(self, ids: Sequence[str]) -> dict[str, Person]:
        members, outside = tables.member, tables.outside_rating
        ratings: dict[tuple[str, str], list[OutsideRating]] = {}
        rows = self.connection.execute(
            latest(outside, ("member_id", "body", "as_of"), self.through, outside.c.member_id.in_(ids)).order_by(
                outside.c.as_of
            )
        ).mappings()
        for row in rows:
            ratings.setdefault((row["member_id"], row["body"]), []).append(OutsideRating(row["rating"], row["as_of"]))
        found = {}
        for row in self.connection.execute(
            latest(members, ("member_id",), self.through, members.c.member_id.in_(ids))
        ).mappings():
            fields = {column.name: row[column.name] for column in PERSON_COLUMNS}
            fide, cfc = (tuple(ratings.get((row["member_id"], body), ())) for body in ("FIDE", "CFC"))
            found[row["member_id"]] = Person(**fields, fide=fide, cfc=cfc)
        return found

    def member_ids(self) -> list[str]:
        """Every member id, merged ones included."""
        member = tables.member
        rows = self.connection.execute(select(member.c.member_id).where(member.c.act <= self.through).distinct())
        return sorted(row[0] for row in rows)

    # merges

    def aliases(self) -> Mapping[str, str]:
        """Member ids that are merged into others, with the id that each now stands for."""
        if self._aliases is None:
            self._aliases = aliases_of(merges(self.connection, self.through))
        return self._aliases

    def one_id(self, member_id: str) -> str:
        """The id under which a member is rated."""
        return self.aliases().get(member_id, member_id)

    # sections

    def standing_sections(self, *where: ColumnElement[bool]) -> Select[Any]:
        """The newest version of each section; one that is only asked for does not stand yet."""
        stands = tables.section.c.state != State.REQUESTED.value
        return latest(tables.section, ("event_id", "number"), self.through, stands, *where)

    def requests(self, event_id: str) -> list[Heading]:
        """Versions of an event's sections that are asked for and newer than those that stand."""
        standing = {one.number: one.act for one in self.headings_of(event_id)}
        table = tables.section
        where = table.c.event_id == event_id
        rows = self.connection.execute(latest(table, ("event_id", "number"), self.through, where)).mappings()
        found = [heading_from(row) for row in rows]
        return [one for one in found if one.state is State.REQUESTED and one.act > standing.get(one.number, 0)]

    def waiting(self, state: State, most: int) -> tuple[tuple[Heading, ...], int]:
        """The first sections whose newest version is held, or asked for; and how many are.

        Those that are held come by event and number, those that somebody asks for in the order of asking.
        """
        table, newer = tables.section, tables.section.alias()
        same = and_(newer.c.event_id == table.c.event_id, newer.c.number == table.c.number)
        is_newer = and_(same, newer.c.act > table.c.act, newer.c.act <= self.through)
        if state is not State.REQUESTED:  # what is only asked for takes no place yet
            is_newer = and_(is_newer, newer.c.state != State.REQUESTED.value)
        waits = and_(
            table.c.state == state.value, table.c.act <= self.through, ~select(newer.c.act).where(is_newer).exists()
        )
        first = [table.c.act] if state is State.REQUESTED else []
        query = select(table).where(waits).order_by(*first, table.c.event_id, table.c.number).limit(most)
        total = self.connection.execute(select(func.count()).select_from(table).where(waits)).scalar() or 0
        return tuple(heading_from(row) for row in self.connection.execute(query).mappings()), total

    def heading(self, event_id: str, number: int) -> Heading | None:
        """One section."""
        found = [one for one in self.headings_of(event_id) if one.number == number]
        return found[0] if found else None

    def headings_of(self, event_id: str) -> list[Heading]:
        """The sections of an event, by number."""
        rows = self.connection.execute(self.standing_sections(tables.section.c.event_id == event_id)).mappings()
        return sorted((heading_from(row) for row in rows), key=lambda one: one.number)

    def headings_on(self, ended: date) -> list[Heading]:
        """The sections that ended on a day, by event and number."""
        rows = self.connection.execute(self.standing_sections(tables.section.c.ended == ended)).mappings()
        return sorted((heading_from(row) for row in rows), key=lambda one: (one.event_id, one.number))

    def entries(self, headings: Iterable[Heading]) -> dict[tuple[str, int], list[EntryFact]]:
        """The entries of sections, in the order of their rows."""
        table = tables.entry
        wanted = {(one.event_id, one.number): one.act for one in headings}
        found: dict[tuple[str, int], list[EntryFact]] = {key: [] for key in wanted}
        for some in chunks(sorted({event_id for event_id, _ in wanted})):
            query = select(table).where(table.c.event_id.in_(some)).order_by(table.c.row)
            for row in self.connection.execute(query).mappings():
                key = row["event_id"], row["section"]
                if wanted.get(key) == row["act"]:
                    found[key].append(entry_from(row))
        return found

    def sections_of(self, members: Iterable[str]) -> set[tuple[str, int]]:
        """The sections in whose present entries any of these ids stands."""
        entry = tables.entry
        present = self.standing_sections().subquery()
        found: set[tuple[str, int]] = set()
        for some in chunks(sorted(members)):
            joined = and_(
                present.c.event_id == entry.c.event_id,
                present.c.number == entry.c.section,
                present.c.act == entry.c.act,
            )
            query = select(entry.c.event_id, entry.c.section).join(present, joined).where(entry.c.member_id.in_(some))
            found.update((row[0], row[1]) for row in self.connection.execute(query))
        return found

    # openings and decisions

    def openings(self, members: Iterable[str] | None = None) -> list[StartingRating]:
        """Starting ratings of some members or of all, in one order wherever their rows lie."""
        found = [_opening(row) for row in self._of_members(tables.opening, ("member_id", "system"), members)]
        return sorted(found, key=lambda one: (one.member_id, one.system))

    def decisions(
        self, members: Iterable[str] | None = None, kinds: Iterable[DecisionKind] = tuple(DecisionKind)
    ) -> list[Decision]:
        """Decisions that stand: those that were revoked are left out."""
        table = tables.decision
        revoked = {
            json.loads(row[0])["act"]
            for row in self.connection.execute(
                select(table.c.details).where(table.c.kind == DecisionKind.REVOKE.value, table.c.act <= self.through)
            )
        }
        rows = self._of_members(table, ("act",), members)
        wanted = {kind.value for kind in kinds} - {DecisionKind.REVOKE.value}
        found = [_decision(row) for row in rows if row["act"] not in revoked and row["kind"] in wanted]
        return sorted((self._placed(one) for one in found), key=lambda one: one.act)

    def _placed(self, decision: Decision) -> Decision:
        """A decision; one that grants a lower floor goes with its match wherever it is, and waits without it."""
        if decision.kind is not DecisionKind.GRANT_MATCH_FLOOR:
            return decision
        match = self.heading(decision.event_id, decision.section or 0)
        is_rated = match is not None and match.state is State.ACCEPTED
        return decision._replace(effective=match.ended if match and match.ended and is_rated else date.max)

    def decision(self, act: int) -> Decision | None:
        """One decision, revoked or not."""
        return next(iter(self.decisions_where(tables.decision.c.act == act)), None)

    def decisions_where(self, condition: ColumnElement[bool]) -> list[Decision]:
        """Decisions, revoked or not, and revocations, by their acts."""
        table = tables.decision
        query = select(table).where(condition).order_by(table.c.act)
        return [_decision(row) for row in self.connection.execute(query).mappings()]

    def _of_members(self, table: Table, keys: Sequence[str], members: Iterable[str] | None) -> Iterator[Any]:
        """The newest rows about members."""
        if members is None:
            yield from self.connection.execute(latest(table, keys, self.through)).mappings()
            return
        for some in chunks(sorted(members)):
            query = latest(table, keys, self.through, table.c.member_id.in_(some))
            yield from self.connection.execute(query).mappings()

    def same_member(self, member_id: str) -> set[str]:
        """Every id that stands for the same member as this one."""
        root = self.one_id(member_id)
        return {root, *(one for one, other in self.aliases().items() if other == root)}


class Merge(NamedTuple):
    """A merge of two member ids, or its undoing."""

    act: int
    member_id: str
    into_id: str
    is_undone: bool


def merges(connection: Connection, through: int) -> list[Merge]:
    """Merges and their undoings, in their order."""
    table = tables.merge
    rows = connection.execute(select(table).where(table.c.act <= through).order_by(table.c.act))
    return [Merge(*row) for row in rows]


def aliases_of(made: Iterable[Merge]) -> dict[str, str]:
    """Merged ids and what they stand for; a merge into an id that is itself merged is followed to its end."""
    into: dict[str, str] = {}
    for one in made:
        if one.is_undone:
            into.pop(one.member_id, None)
        else:
            into[one.member_id] = one.into_id
    found = {}
    for member_id in into:
        end, steps = into[member_id], 0
        while end in into:
            end, steps = into[end], steps + 1
            if steps > len(into):  # no office writes that: the file is damaged
                raise OfficeError(f"members are merged in a circle, {member_id} among them: crosstable office verify")
        found[member_id] = end
    return found


def _systems(text: str) -> tuple[RatingSystem, ...]:
    return tuple(RatingSystem[name] for name in text.split())


def heading_from(row: Mapping[Any, Any]) -> Heading:
    """A section from its columns."""
    fields = {name: row[name] for name in Heading._fields}
    fields["state"] = State(row["state"])
    fields["kind"] = SectionType(row["kind"])
    fields["time_controls"] = tuple(json.loads(row["time_controls"]))
    fields["asked_systems"], fields["systems"] = _systems(row["asked_systems"]), _systems(row["systems"])
    fields["details"], fields["faults"] = json.loads(row["details"]), json.loads(row["faults"])
    return Heading(**fields)


def cells_of(rounds: str) -> tuple[ReportedCell, ...]:
    """The cells of an entry as the table holds them."""
    return tuple(read_cell("" if one == NO_CELL else one) for one in rounds.split(" ")) if rounds else ()


def entry_from(row: Mapping[Any, Any]) -> EntryFact:
    """A row of a section from its columns."""
    extra = json.loads(row["extra"]) if row["extra"] else {}
    return EntryFact(row["row"], row["number"], row["member_id"], row["name"], cells_of(row["rounds"]), extra)


def _opening(row: Mapping[Any, Any]) -> StartingRating:
    return StartingRating(row["act"], row["member_id"], RatingSystem(row["system"]), rating_from(row), row["source"])


def _decision(row: Mapping[Any, Any]) -> Decision:
    fields = {name: row[name] for name in Decision._fields}
    fields["kind"] = DecisionKind(row["kind"])
    fields["system"] = None if row["system"] is None else RatingSystem(row["system"])
    fields["details"] = json.loads(row["details"])
    return Decision(**fields)
