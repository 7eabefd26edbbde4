"""What waits for the office: counts, and the first of everything that waits, however large the office is.

``status`` tells all of it for the command line. A page is opened again and again, so nothing here reads more rows than
it shows, but for counts.
"""

from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import Connection, Table, func, select

from crosstable.office import tables
from crosstable.office.database import Office
from crosstable.office.ledger.facts import Heading, Record, State
from crosstable.office.ledger.journal import AT_REST, JournalEntry, act_of, head
from crosstable.office.ledger.rerate import is_pending, last_run
from crosstable.office.questions import Question, questions

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
            pending=_pending(record, last_run(connection), most),
            held=Sections(*record.waiting(State.HELD, most)),
            requested=Sections(*record.waiting(State.REQUESTED, most)),
            questions=tuple(questions(record, office.clock().date() - LOOKED_BACK)[:most]),
        )


def _number(connection: Connection, table: Table, column: str) -> int:
    return connection.execute(select(func.count(table.c[column].distinct()))).scalar() or 0


def _pending(record: Record, run: int, most: int) -> WaitingEntries:
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
