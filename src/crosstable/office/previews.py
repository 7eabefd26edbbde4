"""An upload before it is submitted: every finding, and what each player's rating would be, with nothing stored.

It is checked and rated exactly as a submission would be. For anonymous callers everybody brings what is public of them:
posted ratings and no birth date, so nothing can be computed from previews, however many files are made up.
"""

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from sqlalchemy import select

from crosstable.errors import Fault
from crosstable.office import tables
from crosstable.office.checking import CheckedSubmission, KnownPlayers, check_submission
from crosstable.office.ledger.facts import Record, State
from crosstable.office.public import PublicRow, public_rows
from crosstable.office.submissions import (
    Document,
    Status,
    as_version_of,
    event_like,
    new_event_id,
    version_differences,
)
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


def preview(record: Record, document: Document, today: date, public_places: int | None = None) -> Preview:
    """What a submission would do now. ``public_places``: for the public, which sees ratings to so many places."""
    report = document.reading.report
    if not report.sections:
        return Preview(document.name, Status.REFUSED, report.event_id, report.name, faults=document.reading.faults)
    known = event_like(record, report)
    event_id = known.event_id if known else report.event_id or new_event_id(record, report)
    version = as_version_of(report, known) if known else report._replace(event_id=event_id)
    checked = check_submission(record, version, document.reading.faults, today, public_places)
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


def source_for(record: Record, report: Report, today: date, public_places: int | None) -> KnownPlayers:
    """What the office knows of the players of a report that may become an event of its own, or of one it has."""
    known = event_like(record, report)
    event_id = known.event_id if known else report.event_id or new_event_id(record, report)
    return KnownPlayers(record, report._replace(event_id=event_id), public_places, today)


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
