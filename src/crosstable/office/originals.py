"""The files of an event as they came in, and the members that only they know more of."""

from sqlalchemy import select

from crosstable.office import tables
from crosstable.office.database import Office
from crosstable.office.ledger.acts import Deed
from crosstable.office.ledger.facts import Record
from crosstable.office.members import Imported, import_members
from crosstable.office.newcomers import members_of_report
from crosstable.office.submissions import Document, document_of_bytes, event_of
from crosstable.office.views import known


def originals(record: Record, event_id: str) -> list[Document]:
    """Every file that came in about an event, oldest first."""
    event_of(record, event_id)
    table = tables.document
    query = select(table.c.content, table.c.name).where(table.c.event_id == event_id, table.c.act <= record.through)
    rows = record.connection.execute(query.order_by(table.c.act)).all()
    return [document_of_bytes(bytes(content), name) for content, name in rows]


def add_newcomers(office: Office, deed: Deed, event_id: str) -> Imported:
    """Add the members that an event's newest file names and the office does not know, for a section that is held."""
    with office.reading() as connection:
        record = known(connection).record
        report = originals(record, event_id)[-1].reading.report._replace(event_id=event_id)
        people, _ = members_of_report(record, report, takes_openings=False)
    return import_members(office, deed, people)
