"""How an office stands: what is in it, what waits for a run or for a confirmation, and whether its store is sound.

``status`` tells all of it for the command line. The page of the administration is opened again and again, so
``administration_status`` reads no more rows than it shows, but for counts.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import Connection, Table, func, select

from crosstable.limits import CLOCK_BEHIND
from crosstable.office import tables
from crosstable.office.database import SCHEMA, Office
from crosstable.office.ledger.facts import Heading, Record, State, latest
from crosstable.office.ledger.journal import AT_REST, JournalEntry, act_of, acts, head
from crosstable.office.ledger.postings import is_current
from crosstable.office.ledger.rerate import is_pending, last_run
from crosstable.office.questions import Question, questions
from crosstable.sentences import american


class OfficeStatus(NamedTuple):
    """An office at a glance."""

    name: str
    schema: str
    members: int
    events: int
    sections: int
    ratings: int
    lists: tuple[str, ...]
    last_run: int
    pending: tuple[JournalEntry, ...]
    held: tuple[Heading, ...]
    requested: tuple[Heading, ...]
    newest: JournalEntry
    cautions: tuple[str, ...]
    questions: tuple[Question, ...] = ()


def status(office: Office) -> OfficeStatus:
    """How an office stands now."""
    with office.reading() as connection:
        newest = head(connection)
        assert newest is not None
        record = Record(connection, newest.seq)
        run = last_run(connection)
        standing = _sections(connection, newest.seq)
        months = connection.execute(select(tables.supplement.c.month).order_by(tables.supplement.c.month)).scalars()
        return OfficeStatus(
            name=_name(connection),
            schema=SCHEMA,
            members=len(record.member_ids()) - len(record.aliases()),
            events=len({event_id for event_id, _ in standing}),
            sections=sum(state is State.ACCEPTED for state in standing.values()),
            ratings=_ratings(connection),
            lists=tuple(months),
            last_run=run,
            pending=_pending(record, run),
            held=_in_state(record, standing, State.HELD),
            requested=_requests(record),
            newest=newest,
            cautions=(*office.store.cautions(), *_ahead(newest, office.clock())),
            questions=tuple(questions(record)),
        )


def _ahead(newest: JournalEntry, now: datetime) -> Iterator[str]:
    """A record that a fast clock stamped ahead."""
    if (newest.at - now).days >= CLOCK_BEHIND:
        yield (
            f"the newest entry is stamped {american(newest.at.date())}, after the clock of this machine. If the clock "
            "is right, type: crosstable office clock --confirm"
        )


def _pending(record: Record, run: int) -> tuple[JournalEntry, ...]:
    """The acts since the last run, where any of them touches a rating."""
    if not is_pending(record):
        return ()
    return tuple(act for act in acts(record.connection, run) if act.kind not in AT_REST)


def _name(connection: Connection) -> str:
    founded = next(acts(connection))
    return founded.subject


def _sections(connection: Connection, through: int) -> dict[tuple[str, int], State]:
    """The state of every section that stands."""
    table = tables.section
    stands = table.c.state != State.REQUESTED.value
    found = latest(table, ("event_id", "number"), through, stands).subquery()
    rows = connection.execute(select(found.c.event_id, found.c.number, found.c.state))
    return {(event_id, number): State(state) for event_id, number, state in rows}


def _ratings(connection: Connection) -> int:
    """How many members have a rating, each system counted."""
    posting = tables.posting.c
    pairs = select(posting.member_id, posting.system).where(is_current()).distinct().subquery()
    return connection.execute(select(func.count()).select_from(pairs)).scalar() or 0


def _in_state(record: Record, standing: dict[tuple[str, int], State], state: State) -> tuple[Heading, ...]:
    found = (record.heading(*place) for place, one in sorted(standing.items()) if one is state)
    return tuple(one for one in found if one is not None)


def _requests(record: Record) -> tuple[Heading, ...]:
    table = tables.section
    where = table.c.state == State.REQUESTED.value
    events = record.connection.execute(select(table.c.event_id).where(where).distinct()).scalars()
    return tuple(one for event_id in sorted(events) for one in record.requests(event_id))


# Of everything that waits so many are shown.
MOST_SHOWN = 50
# A prize that was won longer ago is told by ``status`` alone.
LOOKED_BACK = timedelta(days=366)
# With more rows since the last run than this, nobody waits until it is known which of them touch a rating.
MOST_LOOKED_AT = 5_000
_TOUCHING: tuple[Table, ...] = (
    tables.member,
    tables.outside_rating,
    tables.opening,
    tables.section,
    tables.decision,
    tables.merge,
)


class Sections(NamedTuple):
    """The first sections that wait for something, and how many do."""

    first: tuple[Heading, ...]
    total: int


class WaitingEntries(NamedTuple):
    """The first journal entries that wait for a run, and how many do."""

    first: tuple[JournalEntry, ...]
    total: int


class AdministrationStatus(NamedTuple):
    """An office as its administration page shows it."""

    name: str
    members: int
    events: int
    lists: tuple[str, ...]
    pending: WaitingEntries
    held: Sections
    requested: Sections
    questions: tuple[Question, ...] = ()


def administration_status(office: Office, most: int = MOST_SHOWN) -> AdministrationStatus:
    """How an office stands now, with at most so many of everything that waits."""
    with office.reading() as connection:
        newest = head(connection)
        assert newest is not None
        record = Record(connection, newest.seq)
        founded = act_of(connection, 1)
        month = tables.supplement.c.month
        return AdministrationStatus(
            name="" if founded is None else founded.subject,
            members=_number(connection, tables.member, "member_id") - len(record.aliases()),
            events=_number(connection, tables.event, "event_id"),
            lists=tuple(sorted(connection.execute(select(month).order_by(month.desc()).limit(most)).scalars())),
            pending=_first_pending(record, last_run(connection), most),
            held=Sections(*record.waiting(State.HELD, most)),
            requested=Sections(*record.waiting(State.REQUESTED, most)),
            questions=tuple(questions(record, office.clock().date() - LOOKED_BACK)[:most]),
        )


def _number(connection: Connection, table: Table, column: str) -> int:
    return connection.execute(select(func.count(table.c[column].distinct()))).scalar() or 0


def _first_pending(record: Record, run: int, most: int) -> WaitingEntries:
    """The acts since the last run, where any of them touches a rating, or where it would take long to find out."""
    connection, act = record.connection, tables.act
    if _rows_since(connection, run) <= MOST_LOOKED_AT and not is_pending(record):
        return WaitingEntries((), 0)
    waits = (act.c.seq > run) & act.c.kind.not_in([kind.value for kind in AT_REST])
    numbers = connection.execute(select(act.c.seq).where(waits).order_by(act.c.seq).limit(most)).scalars().all()
    total = connection.execute(select(func.count()).select_from(act).where(waits)).scalar() or 0
    return WaitingEntries(tuple(one for seq in numbers if (one := act_of(connection, seq)) is not None), total)


def _rows_since(connection: Connection, run: int) -> int:
    counts = [select(func.count()).select_from(table).where(table.c.act > run) for table in _TOUCHING]
    return sum(connection.execute(count).scalar() or 0 for count in counts)
