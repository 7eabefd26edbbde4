"""The files of an event as they came in, and the members that only they know more of."""

from collections.abc import Callable, Collection

from sqlalchemy import select

from crosstable.formats import Reading
from crosstable.formats.detect import read_data
from crosstable.office import tables
from crosstable.office.corrections import waiting_of
from crosstable.office.ledger.facts import Heading, Person, Record
from crosstable.office.ledger.journal import act_of
from crosstable.office.new_members import members_of_report
from crosstable.office.submissions import Document, as_version_of, document_of_bytes, event_of

Read = Callable[[bytes, str], Reading]


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
