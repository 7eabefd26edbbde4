"""What an upload, a late submission, a correction or a decision would do, before anybody sends or accepts it.

An upload is checked and rated exactly as a submission would be. For anonymous callers everybody brings what is public
of them, posted ratings and no birth date, so nothing can be computed from previews, however many files are made up.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from typing import NamedTuple

from sqlalchemy import Connection, select

from crosstable.engine import RatedSection
from crosstable.errors import Fault, OfficeBusyError
from crosstable.office import tables
from crosstable.office.checking import OFFICE, CheckedSubmission, KnownPlayers, Sender, check_submission
from crosstable.office.consent import consent_state, late_faults, published_through
from crosstable.office.database import Office
from crosstable.office.ledger.facts import Record, State
from crosstable.office.ledger.journal import Author, last_act_of
from crosstable.office.ledger.postings import OWN
from crosstable.office.ledger.rerate import rate_pending, sections_ahead
from crosstable.office.ledger.runs import RatingChange, Watch
from crosstable.office.public import PublicRow, public_rows
from crosstable.office.sections import ChangedResult, reported_event, with_member, with_result
from crosstable.office.submissions import (
    NO_OPTIONS,
    Document,
    Status,
    Submission,
    SubmitOptions,
    as_version_of,
    event_like,
    event_of,
    new_event_id,
    submit,
    version_differences,
)
from crosstable.office.views import rated_section
from crosstable.pipeline.rating import RatedEvent
from crosstable.terms import RatingSystem, Report


class OutlookSection(NamedTuple):
    """What would become of a section."""

    number: int
    name: str
    state: State
    players: int


class PreviewedSection(NamedTuple):
    """A section as it would be posted in one system."""

    number: int
    name: str
    system: RatingSystem
    edition: str
    rows: tuple[PublicRow, ...]


class Preview(NamedTuple):
    """What would become of a file; ``differences`` where the event is in the record and the file says otherwise."""

    name: str
    status: Status
    event_id: str = ""
    event_name: str = ""
    is_new: bool = True
    sections: tuple[OutlookSection, ...] = ()
    faults: tuple[Fault, ...] = ()
    differences: tuple[str, ...] = ()
    rated: tuple[PreviewedSection, ...] = ()


def preview(
    record: Record, document: Document, today: date, public_places: int | None = None, sender: Sender = OFFICE
) -> Preview:
    """What a submission would do now. ``public_places``: for the public, which sees ratings to so many places."""
    report = document.reading.report
    if not report.sections:
        return Preview(document.name, Status.REFUSED, report.event_id, report.name, faults=document.reading.faults)
    known = event_like(record, report)
    event_id = known.event_id if known else report.event_id or new_event_id(record, report)
    version = as_version_of(report, known) if known else report._replace(event_id=event_id)
    checked = check_submission(record, version, document.reading.faults, today, public_places, sender)
    found = tuple(version_differences(record, checked)) if known else ()
    status = Status.REFUSED if checked.is_refused else Status.ACCEPTED
    if _came_in(record, document) or (known and not found):
        status = Status.KNOWN
    elif known:
        status = Status.DIFFERS
    return Preview(
        name=document.name,
        status=status,
        event_id=event_id if known or report.event_id else "",
        event_name=report.name,
        is_new=known is None,
        sections=tuple(_outlook(checked)),
        faults=checked.faults,
        differences=found,
        rated=tuple(_previewed(checked.rated, public_places)),
    )


def source_for(
    record: Record, report: Report, today: date, public_places: int | None, sender: Sender = OFFICE
) -> KnownPlayers:
    """What the office knows of the players of a report that may become an event of its own, or of one it has."""
    known = event_like(record, report)
    event_id = known.event_id if known else report.event_id or new_event_id(record, report)
    return KnownPlayers(record, report._replace(event_id=event_id), public_places, today, sender)


def _came_in(record: Record, document: Document) -> bool:
    table = tables.document
    query = select(table.c.act).where(table.c.digest == document.digest, table.c.act <= record.through)
    return record.connection.execute(query).first() is not None


def _outlook(checked: CheckedSubmission) -> Iterator[OutlookSection]:
    for one in checked.sections:
        yield OutlookSection(one.number, one.rows.heading["name"], one.state, len(one.rows.entries))


def _previewed(event: RatedEvent, public_places: int | None) -> Iterator[PreviewedSection]:
    rated = [one for by_system in event.rated for one in by_system]
    for one in sorted(rated, key=lambda one: (one.section.number, one.system)):
        section = one.section
        rows = public_rows(one, public_places)
        yield PreviewedSection(section.number, section.name, one.system, one.edition.name, rows)


# A run that would look at more sections is not tried for somebody who waits before a page.
MOST_AHEAD = 20_000
MOST_FORESEEN = 500
# Nobody who only looks waits longer for a writer, in seconds.
PATIENCE = 3.0


class Effect(NamedTuple):
    """A rating that an event as it would be gives otherwise than it is posted; ``None`` where there is none."""

    section: int
    system: RatingSystem
    number: int
    name: str
    posted: float | None
    would_be: float | None


class Foreseen(NamedTuple):
    """The first rating changes that something would bring, later events included, and how many there are."""

    changes: tuple[RatingChange, ...]
    names: dict[str, str]
    total: int


class _TakenBackError(Exception):
    """Ends a transaction of which nothing is to stay."""


def foreseen(office: Office, do: Callable[[Office], object]) -> Foreseen | None:
    """Do something, rate, and take all of it back: its rating changes, and nothing is stored.

    Nothing is known while somebody else writes, and where a run would take too long to wait for.
    """
    found: list[Foreseen] = []

    @contextmanager
    def guard(connection: Connection) -> Iterator[None]:
        before = last_act_of(connection, None)
        yield
        if sections_ahead(connection) <= MOST_AHEAD:
            found.append(_after(office, connection, before))
        raise _TakenBackError

    try:
        do(office.guarded(guard, PATIENCE))
    except (_TakenBackError, OfficeBusyError):
        return found[0] if found else None
    return None


def _after(office: Office, connection: Connection, before: int) -> Foreseen:
    """The rating changes of a run that come of entries after one; others wait for a run already."""
    is_new = last_act_of(connection, None) > before
    run = rate_pending(office, connection, Author("preview", ""), Watch()) if is_new else None
    ours = [one for one in (run.ripple if run else ()) if any(cause > before for cause in one.causes)]
    first = tuple(one._replace(sections=_played(one.sections)) for one in ours[:MOST_FORESEEN])
    people = Record(connection, last_act_of(connection, None)).people({one.member_id for one in first})
    return Foreseen(first, {member: one.name for member, one in people.items()}, len(ours))


def _played(places: Sequence[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """Sections among the places of a change; what a decision did has a place of its own."""
    return tuple(place for place in places if not place[0].startswith(OWN))


def mended(record: Record, event_id: str, how: ChangedResult | tuple[str, str]) -> Report:
    """An event of the record with one result, or one member id, put right."""
    report = reported_event(record, event_of(record, event_id))
    return with_result(report, how) if isinstance(how, ChangedResult) else with_member(report, *how)


def effects_of(record: Record, run: int, report: Report, today: date) -> tuple[list[Effect], tuple[Fault, ...]]:
    """What an event as it would be changes in the ratings of its own players, and every finding about it."""
    checked = check_submission(record, report, (), today)
    seen = Record(record.connection, run)
    standing = [one for one in seen.headings_of(report.event_id) if one.state is State.ACCEPTED]
    posted = [one for heading in standing for one in rated_section(seen, run, heading)]
    before, after = _ratings(posted), _ratings([one for some in checked.rated.rated for one in some])
    found = [
        Effect(*key, (after.get(key) or before[key])[0], _rating(before.get(key)), _rating(after.get(key)))
        for key in sorted(before.keys() | after.keys())
        if _rating(before.get(key)) != _rating(after.get(key))
    ]
    return found, checked.faults


def _ratings(rated: Sequence[RatedSection]) -> dict[tuple[int, RatingSystem, int], tuple[str, float | None]]:
    return {
        (one.section.number, one.system, player.number): (
            player.name or player.member_id,
            None if player.after is None else player.after.rating,
        )
        for one in rated
        for player in one.players
    }


def _rating(found: tuple[str, float | None] | None) -> float | None:
    return None if found is None else found[1]


def submit_first(
    office: Office, author: Author, document: Document, today: date, wishes: SubmitOptions = NO_OPTIONS
) -> Submission:
    """Submit a file; where consent is on, it is tried first what a late one would do to ratings."""
    return submit(office, author, document, today, wishes._replace(changes=_changes(office, document, today, wishes)))


def _changes(office: Office, document: Document, today: date, wishes: SubmitOptions) -> int:
    report = document.reading.report
    with office.reading() as connection:
        state, through = consent_state(connection, office.clock()), published_through(connection)
        is_late_anyhow = bool(late_faults(connection, report, office.clock()))
    ends = [day for one in report.sections if (day := one.end or report.end) is not None]
    if not state.is_on or through is None or is_late_anyhow or min(ends, default=date.max) > through:
        return 0
    found = foreseen(office, lambda other: submit(other, Author("preview", "looked at"), document, today, wishes))
    return state.limits.changes + 1 if found is None else found.total  # nobody knows: two people look at it
