"""What the acts since the last run touch: sections, members from a day on, and places of the fold that are no more."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import NamedTuple

from sqlalchemy import Table, select

from crosstable.office import tables
from crosstable.office.ledger.facts import MOVING, Decision, DecisionKind, Opening, Record, State
from crosstable.office.ledger.fold import Step
from crosstable.office.ledger.postings import (
    DAWN,
    NO_EVENT,
    OWN,
    Key,
    Stored,
    chunks,
    current_of_members,
    current_of_section,
)

BEGINNING = Key(DAWN, DAWN, NO_EVENT, 0)
END = Key(date.max, date.max, NO_EVENT, 0)
Causes = frozenset[int]


class Ghost(NamedTuple):
    """A current posting whose place in the fold is no more; ``is_gone`` where nothing takes its place elsewhere."""

    key: Key
    stored: Stored
    causes: Causes
    is_gone: bool


class Since(NamedTuple):
    """From which place of the fold on an act touches a member."""

    key: Key
    act: int


class Touched(NamedTuple):
    """Everything that has to be looked at again, and the first place of the fold where that begins."""

    first: Key
    sections: Mapping[tuple[str, int], Causes]
    members: Mapping[str, list[Since]]
    ghosts: tuple[Ghost, ...]

    @property
    def acts(self) -> Causes:
        """Every act that touches something."""
        of_members = (since.act for found in self.members.values() for since in found)
        return frozenset(of_members).union(*self.sections.values())

    def causes_of(self, step: Step, members: Iterable[str]) -> Causes:
        """The acts that touch a step by itself."""
        causes = self.sections.get((step.key.event_id, step.key.section), frozenset())
        for member in members:
            causes |= {since.act for since in self.members.get(member, ()) if since.key <= step.key}
        return causes


def touched_since(record: Record, run: int) -> Touched | None:
    """What the acts after a run touch; nothing where there are none that could matter."""
    sections = _sections(record, run)
    members = _members(record, run)
    if not sections and not members:
        return None
    ghosts = (*_moved_sections(record, sections), *_gone_steps(record, members))
    places = [since.key for found in members.values() for since in found]
    places += [ghost.key for ghost in ghosts]
    for event_id, number in sections:
        heading = record.heading(event_id, number)
        assert heading is not None
        if heading.started and heading.ended:
            places.append(heading.key)
    return Touched(min(places, default=END), sections, members, ghosts)


def _sections(record: Record, run: int) -> dict[tuple[str, int], Causes]:
    """Sections that acts wrote anew, and matches whose floor was decided."""
    table = tables.section
    found: dict[tuple[str, int], Causes] = {}
    stands = table.c.state != State.REQUESTED.value
    query = select(table.c.event_id, table.c.number, table.c.act).where(table.c.act > run, stands)
    for event_id, number, act in record.connection.execute(query):
        found[event_id, number] = found.get((event_id, number), frozenset()) | {act}
    for act, decision in decisions_since(record, run):
        if decision.kind is DecisionKind.GRANT_MATCH_FLOOR and decision.section is not None:
            place = decision.event_id, decision.section
            found[place] = found.get(place, frozenset()) | {act}
    return found


def decisions_since(record: Record, run: int) -> list[tuple[int, Decision]]:
    """Decisions after a run with the act that matters: a revocation stands for what it revokes."""
    table = tables.decision
    found = []
    for decision in record.decisions_where(table.c.act > run):
        act = decision.act
        if decision.kind is DecisionKind.REVOKE:
            revoked = record.decision(decision.details["act"])
            assert revoked is not None
            decision = revoked
        found.append((act, decision))
    return found


def _members(record: Record, run: int) -> dict[str, list[Since]]:
    found: dict[str, list[Since]] = {}

    def touch(member_id: str, key: Key, act: int) -> None:
        found.setdefault(record.one_id(member_id), []).append(Since(key, act))

    for member_id, act in _known_facts(record, run):
        touch(member_id, BEGINNING, act)
    merge = tables.merge
    for row in record.connection.execute(select(merge).where(merge.c.act > run)).mappings():
        touch(row["member_id"], BEGINNING, row["act"])
        touch(row["into_id"], BEGINNING, row["act"])
        found.setdefault(row["member_id"], []).append(Since(BEGINNING, row["act"]))
    for member_id, act, as_of in _opened(record, run):
        touch(member_id, Key(as_of, DAWN, NO_EVENT, 0), act)
    for act, decision in decisions_since(record, run):
        if decision.member_id and decision.kind is not DecisionKind.REFUSE_MATCH_FLOOR:
            touch(decision.member_id, Key(decision.effective, DAWN, NO_EVENT, 0), act)
    return found


def _opened(record: Record, run: int) -> Iterator[tuple[str, int, date]]:
    """Members whose opening standing is new, from the day of the new one and from that of the one it replaces."""
    table = tables.opening
    query = select(table.c.member_id, table.c.system, table.c.act, table.c.as_of).where(table.c.act > run)
    fresh = record.connection.execute(query).all()
    replaced = Record(record.connection, run).openings({row[0] for row in fresh})
    days = {(one.member_id, int(one.system)): one.key.ended for one in replaced}
    for member_id, system, act, as_of in fresh:
        yield member_id, act, min(as_of, days.get((member_id, system), as_of))


def _known_facts(record: Record, run: int) -> list[tuple[str, int]]:
    """Members about whom something became known that a rating may rest on; those never rated do not matter."""
    rows: set[tuple[str, int]] = set()
    for table in (tables.member, tables.outside_rating):
        rows |= _written(record, table, run)
    rated = _with_sections(record, {record.one_id(member) for member, _ in rows})
    return sorted(row for row in rows if record.one_id(row[0]) in rated)


def _written(record: Record, table: Table, run: int) -> set[tuple[str, int]]:
    query = select(table.c.member_id, table.c.act).where(table.c.act > run)
    return {(row[0], row[1]) for row in record.connection.execute(query)}


def _with_sections(record: Record, members: set[str]) -> set[str]:
    """Those of the members who stand in a section, under any of their ids."""
    entry = tables.entry
    ids = members | {one for one, other in record.aliases().items() if other in members}
    found: set[str] = set()
    for some in chunks(sorted(ids)):
        query = select(entry.c.member_id).where(entry.c.member_id.in_(some)).distinct()
        found.update(record.one_id(row[0]) for row in record.connection.execute(query))
    return found


def _moved_sections(record: Record, sections: Mapping[tuple[str, int], Causes]) -> Iterable[Ghost]:
    """Postings of sections whose dates are no longer the ones they were posted under."""
    for (event_id, number), causes in sections.items():
        heading = record.heading(event_id, number)
        assert heading is not None
        for stored in current_of_section(record.connection, event_id, number):
            if stored.posting.key != heading.key:  # what was once rated never loses its dates
                yield Ghost(stored.posting.key, stored, causes, is_gone=False)


def _gone_steps(record: Record, members: Mapping[str, list[Since]]) -> Iterable[Ghost]:
    """Postings of openings and decisions that were replaced or revoked."""
    ids = {other for member in members for other in record.same_member(member)} | set(members)
    steps: list[Opening | Decision] = [
        *record.openings(ids),
        *(one for one in record.decisions(ids) if one.kind in MOVING),
    ]
    present = {(step.key.event_id, step.act, step.system) for step in steps}
    for stored in current_of_members(record.connection, ids):
        posting = stored.posting
        is_own = posting.event_id.startswith(OWN)
        if is_own and (posting.event_id, posting.section, posting.system) not in present:
            causes = frozenset(since.act for since in members[posting.member_id])
            yield Ghost(posting.key, stored, causes, is_gone=True)
