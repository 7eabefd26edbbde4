"""How an office stands: what is in it, what waits for a run or for a confirmation, and whether its store is sound.

``status`` tells all of it for the command line. The page of the administration is opened again and again, so
``administration_status`` reads no more rows than it shows, but for counts.

With it goes what the record asks its office: money floors whose event is gone or changed, prizes, ceilings, CFC
ratings. A question changes no rating. The office answers with a decision, and each question says which.
"""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import NamedTuple

from sqlalchemy import Connection, Table, func, select

from crosstable.limits import CLOCK_BEHIND
from crosstable.office import tables
from crosstable.office.comparing import prizes_in
from crosstable.office.database import SCHEMA, Office
from crosstable.office.ledger.facts import Decision, DecisionKind, Heading, Record, State, latest
from crosstable.office.ledger.journal import AT_REST, JournalEntry, act_of, acts, head
from crosstable.office.ledger.postings import is_current
from crosstable.office.ledger.rerate import is_pending, last_run
from crosstable.office.sections import reported_section
from crosstable.office.views import member_view
from crosstable.sentences import american
from crosstable.terms import RatingSystem

# As the findings of a section hold it.
_PRIZE, _CFC = '%"money-prize"%', '%"cfc-notice"%'


class Question(NamedTuple):
    """A question about a member: what it is, and what to do. ``entry`` is the decision it is about, if any."""

    member_id: str
    event_id: str
    message: str
    remedy: str
    entry: int | None = None


def questions(record: Record, since: date | None = None) -> list[Question]:
    """Every open question; of prizes and CFC ratings those of sections that ended since a day."""
    money = {(one.member_id, one.event_id): one for one in record.decisions(kinds=(DecisionKind.MONEY_FLOOR,))}
    return [*_money_floors(record, money), *_prizes(record, since), *_ceilings(record), *_cfc(record, since)]


def about_event(record: Record, event_id: str) -> list[Question]:
    """The questions about the money floors of one event, for whoever withdraws or changes it."""
    money = record.decisions(kinds=(DecisionKind.MONEY_FLOOR,))
    return list(_money_floors(record, {(one.member_id, event_id): one for one in money if one.event_id == event_id}))


def _money_floors(record: Record, money: dict[tuple[str, str], Decision]) -> Iterator[Question]:
    """Floors of prizes that were won in events which are withdrawn, or changed since; of each the newest decision."""
    for (member_id, event_id), one in money.items():
        standing = [each for each in record.headings_of(event_id) if each.state is State.ACCEPTED]
        ids, entries = record.same_member(member_id), record.entries(standing)
        played = [each for each in standing if any(row.member_id in ids for row in entries[each.event_id, each.number])]
        why = ""
        if event_id and not played:
            why = "is withdrawn, or no longer has the player"
        elif event_id and (newest := max(each.act for each in played)) > one.act:
            why = f"was changed since (entry {newest})"
        if why:
            yield Question(
                member_id,
                event_id,
                f"The money floor of {one.value:g} rests on a prize in event {event_id}, which {why}.",
                f"To end the floor: crosstable office decide revoke --entry {one.act}. To keep it, decide it again.",
                one.act,
            )


def _prizes(record: Record, since: date | None) -> Iterator[Question]:
    """Prizes that set a floor, in sections that are rated, about which nothing was decided."""
    decision = tables.decision.c
    for heading in _told(record, _PRIZE, since):
        assert heading.ended is not None
        decided = record.decisions_where(
            (decision.event_id == heading.event_id) & (decision.kind == DecisionKind.MONEY_FLOOR.value)
        )
        done = {record.one_id(one.member_id) for one in decided}
        yield from _prizes_of(record, heading, heading.ended, done)


def _told(record: Record, finding: str, since: date | None) -> Iterator[Heading]:
    """The rated sections with a finding that ended since a day."""
    section = tables.section.c
    where = [section.faults.like(finding), *([] if since is None else [section.ended >= since])]
    told = record.standing_sections(*where).with_only_columns(section.event_id, section.number)
    for event_id, number in sorted({(row[0], row[1]) for row in record.connection.execute(told)}):
        heading = record.heading(event_id, number)
        if heading is not None and heading.state is State.ACCEPTED and heading.ended is not None:
            yield heading


def _prizes_of(record: Record, heading: Heading, end: date, done: set[str]) -> Iterator[Question]:
    section = reported_section(heading, record.entries([heading])[heading.event_id, heading.number])
    for won in prizes_in(section, end):
        member_id = record.one_id(won.player.member_id)
        if member_id not in done:
            prize = f"${won.amount:,.0f} under {won.limit:g} in event {heading.event_id}"
            yield Question(
                member_id,
                heading.event_id,
                f"{won.player.name} won {prize}, which sets a money floor of {won.level:g}.",
                f"To set it: crosstable office decide money-floor --member {member_id} --event {heading.event_id} "
                f"--prize {won.amount:g} --limit {won.limit:g}",
            )


def _ceilings(record: Record) -> Iterator[Question]:
    """Ceilings below a floor of the same member: the ceiling holds (decision 0008)."""
    last: dict[tuple[str, RatingSystem | None], Decision] = {}
    for one in record.decisions(kinds=(DecisionKind.CEILING,)):
        last[record.one_id(one.member_id), one.system] = one
    for (member_id, system), one in last.items():
        for view in member_view(record.connection, member_id).systems:
            if view.system is system and one.value is not None and one.value < view.floor.level:
                kind = view.floor.kind.name.lower().replace("_", " ")
                yield Question(
                    member_id,
                    "",
                    f"The ceiling of {one.value:g} in {system.name} is below the {kind} floor of {view.floor.level:g}; "
                    "the ceiling holds.",
                    f"To end the ceiling: crosstable office decide revoke --entry {one.act}.",
                    one.act,
                )


def _cfc(record: Record, since: date | None) -> Iterator[Question]:
    """CFC ratings that directors tell of and nobody entered (§2.2, footnote 2)."""
    for heading in _told(record, _CFC, since):
        for player in reported_section(heading, record.entries([heading])[heading.event_id, heading.number]).players:
            member_id, cfc = record.one_id(player.member_id), player.background.cfc
            person = record.people([member_id]).get(member_id)
            if cfc is not None and person is not None and not person.cfc:
                day = cfc.as_of or heading.ended
                yield Question(
                    member_id,
                    heading.event_id,
                    f"{person.name} has a CFC rating of {cfc.rating:g}, says the report of event {heading.event_id}.",
                    f"To enter it: crosstable office decide fact --member {member_id} cfc-rating={cfc.rating:g}@{day} "
                    "--reason WHY, and the same with canadian-resident=yes if they live in Canada.",
                )


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
