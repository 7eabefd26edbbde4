"""Submissions: a director's file into the record. Checks first; a section with errors is held while the others go on.

The same file twice is answered, not repeated. Another file about an event that is known is no submission but a possible
correction: its differences are told and nothing is stored.
"""

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import Connection, select

from crosstable import __version__
from crosstable.errors import Fault, FormatError, OfficeError
from crosstable.formats import Reading, file_bytes
from crosstable.formats.detect import Input, read_data, read_input
from crosstable.office import tables
from crosstable.office.checking import OFFICE, CheckedSubmission, Sender, check_submission
from crosstable.office.comparing import differences, event_differences
from crosstable.office.consent import is_consent_on, late_faults
from crosstable.office.database import Office
from crosstable.office.erased import NOT_KEPT, erased_in
from crosstable.office.ledger import commitments
from crosstable.office.ledger.commitments import ERASED, write_rows
from crosstable.office.ledger.facts import Heading, Record, State, latest
from crosstable.office.ledger.journal import Author, Change, EntryKind, act_of, append, canonical, head
from crosstable.office.ledger.runs import RatedInSystems
from crosstable.office.members import import_into, members_of_report
from crosstable.office.sections import EventFact, SectionRows, rows_of, write_section
from crosstable.terms import Report

# Serial numbers of the event ids that an office gives: eight digits of the end date, three of the serial, one more.
_MOST_EVENTS_A_DAY = 999


class Status(StrEnum):
    """What became of a file."""

    ACCEPTED = "accepted"
    KNOWN = "known"
    DIFFERS = "differs"
    REFUSED = "refused"
    QUEUED = "queued"


class Held(NamedTuple):
    """A section that is held, with its faults."""

    number: int
    name: str
    faults: tuple[Fault, ...]


class Submission(NamedTuple):
    """What became of a file: the event, its sections, every fault, and what to do next.

    ``checked`` has what the sections were rated to while they were checked, for the run that follows.
    """

    name: str
    status: Status
    event_id: str = ""
    event_name: str = ""
    act: int = 0
    accepted: tuple[int, ...] = ()
    held: tuple[Held, ...] = ()
    faults: tuple[Fault, ...] = ()
    differences: tuple[str, ...] = ()
    message: str = ""
    checked: tuple[RatedInSystems, ...] = ()


class Document(NamedTuple):
    """A file as it came in, and what reading it gave."""

    name: str
    content: bytes
    reading: Reading
    # What stands for the content hash of a file that is not kept.
    instead: str = ""

    @property
    def digest(self) -> str:
        """The content hash under which the original is kept."""
        return self.instead or hashlib.sha256(self.content).hexdigest()


class SubmitOptions(NamedTuple):
    """What a submission may do beside the usual: add members that are not known, take their ratings as openings.

    ``sender`` says who sends it: what a director sends is looked at more closely. ``changes`` is how many ratings it
    was seen to change (``late``).
    """

    adds_members: bool = False
    takes_openings: bool = False
    sender: Sender = OFFICE
    changes: int = 0


NO_OPTIONS = SubmitOptions()


def document_of(given: Input) -> Document:
    """Read an input; several files that belong together are kept as one zip. Raises ``FormatError``."""
    paths = _paths(given)
    reading = read_input(given)
    if len(paths) == 1 and not os.path.isdir(given.paths[0]):
        return Document(given.name, file_bytes(paths[0]), reading)
    return Document(given.name, zipped([(os.path.basename(path), file_bytes(path)) for path in paths]), reading)


def document_of_bytes(content: bytes, name: str) -> Document:
    """Read one file that is in memory. Raises ``FormatError``."""
    return Document(name, content, read_data(content, name))


def _paths(given: Input) -> list[str]:
    first = given.paths[0]
    if not os.path.isdir(first):
        return list(given.paths)
    try:
        names = sorted(os.listdir(first))
    except OSError as error:
        raise OfficeError(f"{first}: {error.strerror}") from error
    return [os.path.join(first, name) for name in names if name.lower().endswith(".dbf")]


def zipped(files: Sequence[tuple[str, bytes]]) -> bytes:
    """Files in one zip that depends on nothing but them."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files):
            archive.writestr(zipfile.ZipInfo(name.lower()), content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def submit(
    office: Office, author: Author, document: Document, today: date, wishes: SubmitOptions = NO_OPTIONS
) -> Submission:
    """Submit one file. Everything it says is stored together with its act, or nothing."""
    errors = [fault for fault in document.reading.faults if fault.severity.stops]
    if errors and not document.reading.report.sections:
        return Submission(document.name, Status.REFUSED, faults=document.reading.faults)
    with office.writing(author.actor, f"submitting {document.name}") as connection:
        return submit_into(office, connection, author, document, today, wishes)


def as_kept(record: Record, document: Document) -> Document:
    """A file as the office keeps it: nothing of one that names people who were erased."""
    if not erased_in(record, document.reading.report):
        return document
    return document._replace(name=ERASED, content=b"", instead=f"{NOT_KEPT}{commitments.draw(16)}")


def answered_already(
    connection: Connection, document: Document, today: date, wishes: SubmitOptions = NO_OPTIONS
) -> Submission | None:
    """What becomes of a file that would not be stored, by what is known now; nothing where it would be."""
    errors = [fault for fault in document.reading.faults if fault.severity.stops]
    if errors and not document.reading.report.sections:
        return Submission(document.name, Status.REFUSED, faults=document.reading.faults)
    known = _known_document(connection, document)
    if known is not None:
        return known
    last = head(connection)
    assert last is not None
    record, report = Record(connection, last.seq), document.reading.report
    event = event_like(record, report)
    if event is not None:
        return _another_version(record, document, event, today)
    if wishes.adds_members:  # who is not known now will be then
        return None
    report = report._replace(event_id=report.event_id or new_event_id(record, report))
    checked = check_submission(record, report, document.reading.faults, today, None, wishes.sender)
    if checked.is_refused:
        return Submission(document.name, Status.REFUSED, report.event_id, report.name, faults=checked.faults)
    return None


def submit_into(
    office: Office, connection: Connection, author: Author, document: Document, today: date, wishes: SubmitOptions
) -> Submission:
    """The same inside a transaction that is already open."""
    known = _known_document(connection, document)
    if known is not None:
        return known
    last = head(connection)
    assert last is not None
    record = Record(connection, last.seq)
    event = event_like(record, document.reading.report)
    if event is not None:
        return _another_version(record, document, event, today)
    report = document.reading.report
    report = report._replace(event_id=report.event_id or new_event_id(record, report))
    if wishes.takes_openings and is_consent_on(connection, office.clock()):
        raise OfficeError(
            "consent is on: starting ratings take two people. Submit the event without them, and bring them in with: "
            "crosstable office members import FILE"
        )
    if wishes.adds_members:
        people, openings = members_of_report(record, report, takes_openings=wishes.takes_openings)
        import_into(office, connection, author._replace(reason=f"new in {document.name}"), people, openings)
        record = Record(connection, head(connection).seq)  # type: ignore[union-attr]
    checked = check_submission(record, report, document.reading.faults, today, None, wishes.sender)
    if checked.is_refused:
        return Submission(document.name, Status.REFUSED, report.event_id, report.name, faults=checked.faults)
    checked = _held_as_late(checked, late_faults(connection, report, office.clock(), wishes.changes))
    return _store(office, connection, author, (document.name, as_kept(record, document)), checked)


def _held_as_late(checked: CheckedSubmission, late: Mapping[int | None, Fault]) -> CheckedSubmission:
    """Sections of a published period wait for two people where the office asks for it."""
    if not late:
        return checked
    sections = tuple(
        one._replace(state=State.HELD, faults=(*one.faults, late[one.number])) if one.number in late else one
        for one in checked.sections
    )
    return checked._replace(sections=sections, faults=(*checked.faults, *late.values()))


def _known_document(connection: Connection, document: Document) -> Submission | None:
    table = tables.document
    row = connection.execute(select(table.c.act, table.c.event_id).where(table.c.digest == document.digest)).first()
    if row is None:
        return None
    act = act_of(connection, row[0])
    assert act is not None
    message = f"this file came in as event {row[1]} on {act.at:%Y-%m-%d} by {act.actor}; nothing to do"
    return Submission(document.name, Status.KNOWN, row[1], document.reading.report.name, act.seq, message=message)


def event_like(record: Record, report: Report) -> EventFact | None:
    """The event of the record that a report is about: the same id, or without one the same name and dates."""
    table = tables.event
    if report.event_id:
        where = table.c.event_id == report.event_id
    else:
        where = (table.c.name == report.name) & (table.c.started == report.start) & (table.c.ended == report.end)
    row = record.connection.execute(latest(table, ("event_id",), record.through, where)).mappings().first()
    return None if row is None else _event(dict(row))


def as_version_of(said: Report, event: EventFact) -> Report:
    """A report as another version of an event: where it says nothing of the event itself, that stays as it was."""
    return said._replace(
        event_id=event.event_id,
        name=said.name or event.name,
        start=said.start or event.started,
        end=said.end or event.ended,
        details={**event.details, **said.details},
    )


def events_of(record: Record, affiliate: str) -> list[EventFact]:
    """The events whose report names an affiliate, the newest first."""
    found = latest(tables.event, ("event_id",), record.through).subquery()
    query = select(found).where(found.c.details.contains(affiliate, autoescape=True))
    rows = record.connection.execute(query.order_by(found.c.ended.desc(), found.c.event_id.desc())).mappings()
    return [
        event for row in rows if (event := _event(dict(row))).details.get("affiliate", "").strip().upper() == affiliate
    ]


def event_of(record: Record, event_id: str) -> EventFact:
    """One event; an id that is not known is an error with the nearest ones."""
    where = tables.event.c.event_id == event_id
    row = record.connection.execute(latest(tables.event, ("event_id",), record.through, where)).mappings().first()
    if row is None:
        raise OfficeError(f"there is no event {event_id}; crosstable office log shows what came in")
    return _event(dict(row))


def _event(row: dict[str, object]) -> EventFact:
    fields = {name: row[name] for name in EventFact._fields}
    fields["details"] = json.loads(str(row["details"]))
    return EventFact(**fields)  # type: ignore[arg-type]


def new_event_id(record: Record, report: Report) -> str:
    """An id as the federation gives them: the end date, a serial number of three digits, one more digit."""
    ends = [day for day in (report.end, *(section.end for section in report.sections)) if day is not None]
    if not ends:
        return "undated"
    stem = f"{max(ends):%Y%m%d}"
    table = tables.event
    taken = {
        row[0] for row in record.connection.execute(select(table.c.event_id).where(table.c.event_id.like(f"{stem}%")))
    }
    for serial in range(1, _MOST_EVENTS_A_DAY + 1):
        if f"{stem}{serial:03}0" not in taken:
            return f"{stem}{serial:03}0"
    raise OfficeError(f"more than {_MOST_EVENTS_A_DAY} events end on {max(ends)}; give the event an id of its own")


def _another_version(record: Record, document: Document, event: EventFact, today: date) -> Submission:
    report = as_version_of(document.reading.report, event)
    found = version_differences(record, check_submission(record, report, document.reading.faults, today))
    if not found:
        message = f"event {event.event_id} is in the record already and nothing differs"
        return Submission(document.name, Status.KNOWN, event.event_id, event.name, event.act, message=message)
    message = (
        f"event {event.event_id} is in the record and this file says something else; if it is right, record it as a "
        f"correction: crosstable office correct {event.event_id} FILE --reason …"
    )
    return Submission(
        document.name, Status.DIFFERS, event.event_id, event.name, differences=tuple(found), message=message
    )


def version_differences(record: Record, checked: CheckedSubmission) -> list[str]:
    """What differs between the record and a newly checked version of the same event."""
    report = checked.report
    old = present_rows(record, report.event_id)
    new = {one.number: one.rows for one in checked.sections}
    found = event_differences(event_of(record, report.event_id), report)
    for number in sorted(old.keys() | new.keys()):
        before, after = old.get(number), new.get(number)
        if before is None or after is None or before.heading["digest"] != after.heading["digest"]:
            found += differences(before, after)
    return found


def present_rows(record: Record, event_id: str) -> dict[int, SectionRows]:
    """The sections of an event that were not withdrawn, as rows."""
    headings: list[Heading] = [one for one in record.headings_of(event_id) if one.state is not State.WITHDRAWN]
    entries = record.entries(headings)
    return {one.number: rows_of(one, entries[one.event_id, one.number]) for one in headings}


def _store(
    office: Office, connection: Connection, author: Author, file: tuple[str, Document], checked: CheckedSubmission
) -> Submission:
    """Store what was checked; ``file`` is what it was called, and what is kept of it."""
    report, (name, document) = checked.report, file
    after = {
        "event": report.event_id,
        "document": document.digest,
        "reader": __version__,
        "sections": {one.number: [one.state.value, one.rows.heading["digest"]] for one in checked.sections},
    }
    is_held = {one.number: one.state is State.HELD for one in checked.sections}
    act = append(connection, office.clock, author, Change(EntryKind.SUBMIT, report.event_id, after))
    write_document(connection, act, report.event_id, document)
    write_event(connection, act, report, document.digest)
    for one in checked.sections:
        write_section(connection, act, one.rows, one.state, one.faults)
    return Submission(
        name,
        Status.ACCEPTED,
        report.event_id,
        report.name,
        act,
        accepted=tuple(one.number for one in checked.sections if one.state is State.ACCEPTED),
        held=tuple(
            Held(one.number, one.rows.heading["name"], one.faults)
            for one in checked.sections
            if one.state is State.HELD
        ),
        faults=checked.faults,
        checked=tuple(one.rated for one in checked.rated.examined if one.rated and not is_held[one.number]),
    )


def write_document(connection: Connection, act: int, event_id: str, document: Document) -> None:
    """Keep the original file by its content hash; one that came in before is kept already."""
    table = tables.document
    if connection.execute(select(table.c.act).where(table.c.digest == document.digest)).first() is not None:
        return
    row = {
        "digest": document.digest,
        "act": act,
        "event_id": event_id,
        "name": document.name,
        "content": document.content,
    }
    write_rows(connection, table, [row])


def write_event(connection: Connection, act: int, report: Report, digest: str) -> None:
    """Write what an event is called and when it was."""
    row = {
        "event_id": report.event_id,
        "act": act,
        "name": report.name,
        "started": report.start,
        "ended": report.end,
        "details": canonical(dict(report.details)),
        "document": digest,
    }
    write_rows(connection, tables.event, [row])


__all__ = ["Document", "FormatError", "Held", "Status", "Submission", "SubmitOptions", "document_of", "submit"]
