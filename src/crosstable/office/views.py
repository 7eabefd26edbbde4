"""Questions to an office, each answered as known now or on a past day: ratings, histories, sections, log, changes.

These are the office's own views; ``public`` says what of them may leave it.
"""

import json
import math
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import NamedTuple

from sqlalchemy import Connection, func, or_, select

from crosstable.engine import RatedSection
from crosstable.engine.after import decided_floor
from crosstable.engine.records import numbers_of
from crosstable.errors import OfficeError
from crosstable.formulas.outcome import (
    Level,
    Merits,
    life_master_floor,
    peak_floor,
    personal_absolute_floor,
    standing_floor,
)
from crosstable.formulas.section import Share, merits_of
from crosstable.office import tables
from crosstable.office.ledger.backgrounds import MemberDecisions, postings_of_member
from crosstable.office.ledger.facts import Heading, Person, Record
from crosstable.office.ledger.journal import JournalEntry, acts, last_act_of
from crosstable.office.ledger.postings import DAWN, OWN, Key, Posting
from crosstable.office.sections import EventFact
from crosstable.office.submissions import event_of
from crosstable.rules.constants import Constants
from crosstable.rules.editions import EDITIONS, edition_for
from crosstable.terms import FloorKind, PlayerRating, RatingSystem

KnownOn = date | datetime | None
NOTHING_MORE = Share(0, 0, 0, 0, 0.0)
# A place after everything.
END = Key(date.max, DAWN, "", 0)


class Known(NamedTuple):
    """The record and the newest run as they were known."""

    record: Record
    run: int


class OfficialRating(NamedTuple):
    """A rating as the newest list has it."""

    month: str
    rating: int
    games: float | None
    is_provisional: bool


class FloorView(NamedTuple):
    """A floor of a member: its level now and before it was lowered, its origin, since when, by which entries.

    ``entry`` set it and ``lowered_by`` lowered it; nothing where it follows from play, or nobody lowered it.
    """

    origin: FloorKind
    level: float
    was: float
    since: date | None = None
    entry: int | None = None
    lowered_by: int | None = None


class SystemView(NamedTuple):
    """A member in one system: the live standing, the floor and where it comes from, the rating of the newest list.

    ``floors`` are all that they have, the highest first.
    """

    system: RatingSystem
    standing: PlayerRating
    floor: Level
    last: Posting
    official: OfficialRating | None
    floors: tuple[FloorView, ...] = ()


class MemberView(NamedTuple):
    """A member with every id that stands for them, and their standings."""

    person: Person
    member_id: str
    other_ids: tuple[str, ...]
    systems: tuple[SystemView, ...]


class HistoryLine(NamedTuple):
    """One posting of a member with the names of its event and section; decisions and openings say what they are."""

    posting: Posting
    event_name: str
    section_name: str


class SectionView(NamedTuple):
    """A section of the record, rated as the posted standings have it."""

    event: EventFact
    heading: Heading
    rated: tuple[RatedSection, ...]


class StoredChange(NamedTuple):
    """A stored rating change of a run."""

    run: int
    member_id: str
    name: str
    system: RatingSystem
    rating_before: float | None
    rating_after: float | None
    sections: tuple[tuple[str, int], ...]
    causes: tuple[int, ...]

    @property
    def change(self) -> float:
        """By how much the rating moved; NaN where there was none before or is none after."""
        if self.rating_before is None or self.rating_after is None:
            return math.nan
        return self.rating_after - self.rating_before


def known(connection: Connection, known_on: KnownOn = None) -> Known:
    """What was known by the end of a day, by an instant, or now."""
    through = last_act_of(connection, known_on)
    run = tables.run
    newest = connection.execute(select(func.max(run.c.act)).where(run.c.act <= through)).scalar()
    return Known(Record(connection, through), newest or 0)


def member_view(connection: Connection, member_id: str, known_on: KnownOn = None) -> MemberView:
    """A member and their standings."""
    record, run = known(connection, known_on)
    root = record.one_id(member_id)
    person = record.people([root]).get(root)
    if person is None:
        raise OfficeError(f"member {member_id} is not known")
    decisions = MemberDecisions(record)
    decisions.know([root])
    by_system: dict[RatingSystem, list[Posting]] = {}
    for posting in postings_of_member(connection, root, run):
        by_system.setdefault(posting.system, []).append(posting)
    systems = tuple(_system_view(record, decisions, by_system[one], root) for one in sorted(by_system))
    return MemberView(person, root, tuple(sorted(record.same_member(root) - {root})), systems)


def _system_view(record: Record, decisions: MemberDecisions, postings: Sequence[Posting], member: str) -> SystemView:
    last = postings[-1]
    standing, floor = standing_floor_of(decisions, last, member)
    floors = _floors(decisions, postings, member, standing)
    official = _official(record, member, last.system)
    return SystemView(last.system, standing, floor, last, official, tuple(sorted(floors, key=lambda one: -one.level)))


def _floors(
    decisions: MemberDecisions, postings: Sequence[Posting], member: str, standing: PlayerRating
) -> Iterator[FloorView]:
    """Every floor of a member in a system: those that follow from play, and those that were set (§5)."""
    last = postings[-1]
    constants, merits = _merits(last, standing)
    yield FloorView(FloorKind.ABSOLUTE, constants.absolute_floor, constants.absolute_floor)
    if constants.personal_floor_is_used and not last.system.is_online:
        personal = personal_absolute_floor(constants, merits.wins, merits.draws, merits.events)
        yield FloorView(FloorKind.PERSONAL, personal, personal)
    played = {
        FloorKind.PEAK: peak_floor(constants, merits.peak, merits.peak_since_2010),
        FloorKind.LIFE_MASTER: life_master_floor(constants, merits.games_at_2200),
    }
    enough = constants.life_master_games
    days = {
        FloorKind.PEAK: [one.ended for one in postings if one.peak == standing.peak],
        FloorKind.LIFE_MASTER: [one.ended for one in postings if (one.games_at_2200 or 0) >= enough],
    }
    for origin, level in played.items():
        if math.isinf(level) or (origin is FloorKind.LIFE_MASTER and last.system is not RatingSystem.OTBR):
            continue
        is_lowered = merits.lowered_floor < level
        by = decisions.lowered_by(member, last.system, standing.lowered_floor) if is_lowered else None
        yield FloorView(origin, min(level, merits.lowered_floor), level, min(days[origin], default=None), None, by)
    for one in decisions.floors(member, last.system, END):
        yield FloorView(one.floor.kind, one.floor.level, one.was, one.since, one.act, one.lowered_by)


def _merits(last: Posting, standing: PlayerRating) -> tuple[Constants, Merits]:
    """What floors look at after a member's last posting, and the rules of its day."""
    day = last.started if last.started != DAWN else last.ended
    # an opening may be older than the oldest rules that are known; its floor is that of those
    constants = edition_for(max(day, EDITIONS[0].effective)).constants
    numbers = numbers_of(standing)
    return constants, merits_of(constants, numbers, NOTHING_MORE, numbers.lowered_floor)


def standing_floor_of(decisions: MemberDecisions, last: Posting, member: str) -> tuple[PlayerRating, Level]:
    """A member's standing after their last posting with all that is decided about them, and the floor that holds it."""
    standing = last.standing
    assert standing is not None
    standing = decisions.decided(member, last.system, standing, END)
    constants, merits = _merits(last, standing)
    return standing, standing_floor(constants, last.system, merits, decided_floor(standing))


def _official(record: Record, member: str, system: RatingSystem) -> OfficialRating | None:
    supplement, row = tables.supplement, tables.supplement_row
    newest = record.connection.execute(
        select(func.max(supplement.c.month)).where(supplement.c.act <= record.through)
    ).scalar()
    if newest is None:
        return None
    query = select(row.c.month, row.c.rating, row.c.games, row.c.is_provisional).where(
        row.c.month == newest, row.c.member_id.in_(record.same_member(member)), row.c.system == int(system)
    )
    found = record.connection.execute(query).first()
    return None if found is None else OfficialRating(*found)


def history(connection: Connection, member_id: str, known_on: KnownOn = None) -> list[HistoryLine]:
    """Everything that moved a member's ratings, in the order of the fold."""
    record, run = known(connection, known_on)
    root = record.one_id(member_id)
    if root not in record.people([root]):
        raise OfficeError(f"member {member_id} is not known")
    names: dict[tuple[str, int], tuple[str, str]] = {}
    lines = []
    for posting in postings_of_member(connection, root, run):
        place = posting.event_id, posting.section
        if place not in names:
            names[place] = _names(record, posting)
        lines.append(HistoryLine(posting, *names[place]))
    return lines


def _names(record: Record, posting: Posting) -> tuple[str, str]:
    if posting.event_id.startswith(OWN):
        decision = record.decision(posting.section)
        return ("opening standing" if decision is None else f"decision: {decision.kind.value}"), ""
    heading = record.heading(posting.event_id, posting.section)
    return event_of(record, posting.event_id).name, "" if heading is None else heading.name


def section_view(connection: Connection, event_id: str, number: int, known_on: KnownOn = None) -> SectionView:
    """A section rated again from the standings that were posted before it; it must give what was posted."""
    record, run = known(connection, known_on)
    event = event_of(record, event_id)
    heading = record.heading(event_id, number)
    if heading is None:
        raise OfficeError(f"event {event_id} has no section {number}")
    return SectionView(event, heading, rated_section(record, run, heading))


def rated_section(record: Record, run: int, heading: Heading) -> tuple[RatedSection, ...]:
    """A section rated again in each of its systems, from what a run had posted before it."""
    from crosstable.office.bulk.deriving import rated_again

    return rated_again(record, run, heading)


def log(
    connection: Connection, known_on: KnownOn = None, *, subject: str = "", kinds: Sequence[str] = ()
) -> list[JournalEntry]:
    """The acts of an office, oldest first; of one event or member, or of some kinds, where asked for."""
    through = last_act_of(connection, known_on)
    return [
        act
        for act in acts(connection)
        if act.seq <= through and (not subject or act.subject == subject) and (not kinds or act.kind.value in kinds)
    ]


def ripple(
    connection: Connection, run: int | None = None, *, member_id: str = "", most: int | None = None
) -> list[StoredChange]:
    """The ripple of a run (of the newest without one), or everything that moved one member; largest change first.

    ``most`` keeps it to so many lines of those that changed most.
    """
    record = known(connection).record
    table = tables.ripple
    query = select(table)
    if member_id:
        query = query.where(or_(*(table.c.member_id == one for one in record.same_member(member_id))))
    elif run is None:
        newest = connection.execute(select(func.max(tables.run.c.act))).scalar()
        query = query.where(table.c.run == (newest or 0))
    if run is not None:
        query = query.where(table.c.run == run)
    if most is not None:
        change = func.abs(table.c.rating_after - table.c.rating_before)
        query = query.order_by(func.coalesce(change, 0.0).desc()).limit(most)
    rows = connection.execute(query.order_by(table.c.run, table.c.member_id, table.c.system)).mappings().all()
    people = record.people({row["member_id"] for row in rows})
    found = [
        StoredChange(
            row["run"],
            row["member_id"],
            people[row["member_id"]].name if row["member_id"] in people else "",
            RatingSystem(row["system"]),
            row["rating_before"],
            row["rating_after"],
            tuple((event_id, section) for event_id, section in json.loads(row["sections"])),
            tuple(json.loads(row["causes"])),
        )
        for row in rows
    ]
    return sorted(found, key=lambda line: (line.run, -abs(line.change) if line.change == line.change else 0.0))


def ripple_size(connection: Connection, run: int) -> tuple[int, int]:
    """How many ratings a run posted anew, and how many of them are new or not what they were."""
    table = tables.ripple
    is_changed = table.c.rating_before.is_distinct_from(table.c.rating_after)
    query = select(func.count(), func.count().filter(is_changed)).where(table.c.run == run)
    lines, changed = connection.execute(query).one()
    return lines, changed
