"""The files of an event as they came in: read again and compared with the record, and the members that only they know.

An entry says which version of the program read its file. Where the same version reads it now and finds something else
than the record has, the record was changed; where another version does, a reader may have been mended since, and that
is told but is no finding.
"""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, select

from crosstable import __version__
from crosstable.checks.findings import section_number
from crosstable.errors import FormatError
from crosstable.formats import Reading
from crosstable.formats.detect import read_data
from crosstable.office import tables
from crosstable.office.corrections import waiting_of
from crosstable.office.erased import NOT_KEPT
from crosstable.office.ledger.commitments import NO_HASH
from crosstable.office.ledger.facts import Heading, Person, Record, State
from crosstable.office.ledger.journal import act_of
from crosstable.office.members import members_of_report
from crosstable.office.proof import EVERYTHING, Finding, Span
from crosstable.office.sections import section_rows
from crosstable.office.submissions import Document, as_version_of, document_of_bytes, event_of

Read = Callable[[bytes, str], Reading]
# What checking found out about a section, which no file says.
_FOUND_OUT = frozenset({"systems", "is_dual_control", "digest"})


def originals(record: Record, event_id: str) -> list[Document]:
    """Every file that came in about an event, oldest first."""
    event_of(record, event_id)
    table = tables.document
    query = select(table.c.content, table.c.name).where(table.c.event_id == event_id, table.c.act <= record.through)
    rows = record.connection.execute(query.order_by(table.c.act)).all()
    return [
        document_of_bytes(bytes(content), name) for content, name in rows if content
    ]  # nothing is left of erased ones


def newcomers_waiting(
    record: Record, event_id: str, numbers: Collection[int] = (), read: Read = read_data
) -> list[Person]:
    """Members whom the office does not know in what waits of an event, as the files of these versions describe them."""
    event = event_of(record, event_id)
    waiting = waiting_of(record, event_id, numbers)
    by_document: dict[str, list[Heading]] = {}
    for one in waiting.headings.values():
        act = act_of(record.connection, one.act)
        digest = None if act is None else act.after.get("document")
        by_document.setdefault(digest or event.document, []).append(one)
    found: dict[str, Person] = {}
    table = tables.document
    for digest, headings in by_document.items():
        row = record.connection.execute(select(table.c.content, table.c.name).where(table.c.digest == digest)).first()
        if row is None or not row[0]:
            continue  # an archive keeps no files, an erasure neither
        report = as_version_of(read(bytes(row[0]), row[1]).report, event)
        people, _ = members_of_report(record, report, takes_openings=False)
        named = {entry.member_id for entries in record.entries(headings).values() for entry in entries}
        found |= {one.member_id: one for one in people if one.member_id in named}
    return [found[member_id] for member_id in sorted(found)]


def read_again(connection: Connection, span: Span = EVERYTHING, read: Read = read_data) -> Iterator[Finding | str]:
    """Every original that came in with some entries, against its hash and the rows that were written with it."""
    table = tables.document
    columns = table.c.digest, table.c.name, table.c.act, table.c.event_id, table.c.salt
    for digest, name, act, event_id, salt in connection.execute(select(*columns).where(*span.of(table.c.act))).all():
        if len(salt or "") == len(NO_HASH) or digest.startswith(NOT_KEPT):
            continue  # it was erased, or named somebody who was
        content = bytes(connection.execute(select(table.c.content).where(table.c.digest == digest)).scalar_one())
        if hashlib.sha256(content).hexdigest() != digest:
            yield Finding(f"the original file {name} is damaged", act, table.name, digest)
            continue
        if not event_id:
            continue  # the heading of an archive, which keeps no files of its events
        wrong = _differing(connection, act, event_id, content, name, read)
        if not wrong:
            continue
        entry = act_of(connection, act)
        what = f"entry {act}: {', '.join(wrong)} of event {event_id} not as the original file {name} reads"
        if entry is not None and entry.after.get("reader") == __version__:
            yield Finding(what, act, table.name, digest)
        else:
            yield f"{what}; another version of this program read it, which may be why"


def _differing(connection: Connection, act: int, event_id: str, content: bytes, name: str, read: Read) -> list[str]:
    """The sections that an entry wrote and that its file does not give."""
    section, entry = tables.section, tables.entry
    written = select(section).where(section.c.event_id == event_id, section.c.act == act)
    headings = connection.execute(written.where(section.c.state != State.WITHDRAWN.value)).mappings().all()
    try:
        report = as_version_of(read(content, name).report, event_of(Record(connection, act), event_id))
    except FormatError:
        return ["it cannot be read any more; the sections"]
    said = {section_number(one, at): one for at, one in enumerate(report.sections)}
    found = []
    for heading in headings:
        number = heading["number"]
        rows = select(entry).where(entry.c.event_id == event_id, entry.c.section == number, entry.c.act == act)
        stored = connection.execute(rows.order_by(entry.c.row)).mappings().all()
        one = said.get(number)
        if one is not None:
            days = one.start or report.start, one.end or report.end
            made = section_rows(event_id, number, one, None, days)
            is_same = len(stored) == len(made.entries) and _are_equal(heading, made.heading)
            if is_same and all(map(_are_equal, stored, made.entries)):
                continue
        found.append(f"section {number}")
    return found


def _are_equal(stored: Mapping[Any, Any], made: Mapping[str, Any]) -> bool:
    """Whether a row is what a file gives; of what was erased nobody can say."""
    if len(stored["salt"] or "") == len(NO_HASH):
        return True
    return all(stored[name] == value for name, value in made.items() if name not in _FOUND_OUT)
