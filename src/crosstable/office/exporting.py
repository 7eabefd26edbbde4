"""Everything that an office stores about one person, for that person: what a request for access is answered with."""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from sqlalchemy import Connection, Table, or_, select

from crosstable.office import account_tables, tables
from crosstable.office.ledger.facts import Record
from crosstable.office.ledger.journal import EntryKind, last_act_of
from crosstable.office.ledger.postings import is_current
from crosstable.office.persons import Person, jobs_about
from crosstable.terms import RatingSystem

FORMAT = "crosstable-office-person/1"
# Tables with a column of the person's id, as the export calls them; each row says which journal entry wrote it.
_OWN: Mapping[str, Table] = {
    "particulars": tables.member,
    "outside_ratings": tables.outside_rating,
    "starting_ratings": tables.opening,
    "decisions": tables.decision,
    "results": tables.entry,
    "supplements": tables.supplement_row,
    "rating_changes": tables.ripple,
}


def everything_about(connection: Connection, member_id: str) -> dict[str, Any]:
    """Every row about a person under any of their ids. Files of events are only named: others are in them."""
    person = Person(Record(connection, last_act_of(connection, None)), member_id)
    ids = person.ids
    found: dict[str, Any] = {"format": FORMAT, "member_id": ids[0], "other_ids": list(ids[1:])}
    for name, table in _OWN.items():
        query = select(table).where(table.c.member_id.in_(ids)).order_by(*table.primary_key.columns)
        found[name] = [_object(row) for row in connection.execute(query).mappings()]
    posting = tables.posting
    rated = (
        select(posting)
        .where(posting.c.member_id.in_(ids), is_current())
        .order_by(posting.c.ended, posting.c.posting_id)
    )
    found["ratings"] = [_object(row) for row in connection.execute(rated).mappings()]
    found["merges"] = _rows(
        connection, tables.merge, or_(tables.merge.c.member_id.in_(ids), tables.merge.c.into_id.in_(ids))
    )
    found["journal"] = _journal(connection, person)
    found["findings"] = _findings(connection, person)
    events = sorted({row["event_id"] for row in found["results"]})
    document = tables.document
    files = select(document.c.event_id, document.c.act, document.c.name).where(document.c.event_id.in_(events))
    found["files"] = [_object(row) for row in connection.execute(files.order_by(document.c.act)).mappings()]
    proposal = account_tables.proposal
    about = or_(*(proposal.c.wish.contains(one, autoescape=True) for one in ids))
    found["proposals"] = _rows(connection, proposal, about)
    log = account_tables.security_log
    found["security_log"] = _rows(connection, log, log.c.subject.in_(ids))
    found["jobs"] = [_job(row) for row in jobs_about(connection, person)]
    return found


def _journal(connection: Connection, person: Person) -> list[dict[str, Any]]:
    """Entries about the person, and those that name them."""
    act = tables.act
    told = (act.c.reason, act.c.before, act.c.after)
    where = or_(act.c.subject.in_(person.ids), person.said_in(told)) & (act.c.kind != EntryKind.FOUNDED.value)
    rows = _rows(connection, act, where)
    names = [column.name for column in told]
    return [
        row for row in rows if row["subject"] in person.ids or person.is_said_in("\n".join(row[name] for name in names))
    ]


def _findings(connection: Connection, person: Person) -> list[dict[str, Any]]:
    """What checks of sections said of the person."""
    section = tables.section.c
    query = select(section.event_id, section.number, section.act, section.faults).where(
        person.said_in([section.faults])
    )
    return [
        {"event_id": event_id, "section": number, "entry": act, "finding": one}
        for event_id, number, act, faults in connection.execute(query.order_by(section.act, section.number))
        for one in json.loads(faults)
        if person.is_said_in(" ".join(map(str, one.values())))
    ]


def _job(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A job whose file or result speaks of the person; others may be in both."""
    told = {name: row[name] for name in ("job_id", "kind", "state", "made", "ended")}
    return {**told, "name": json.loads(row["wish"]).get("name", ""), "has_file": row["content"] is not None}


def _rows(connection: Connection, table: Table, where: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    query = select(table).where(where).order_by(*table.primary_key.columns)
    return [_object(row) for row in connection.execute(query).mappings()]


_INTERNAL = frozenset({"salt", "digest", "previous"})


def _object(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A row as JSON has it, without salts and hashes; ``entry`` is the journal entry that wrote it."""
    said = {"entry" if name == "act" else name: _plain(value) for name, value in row.items() if name not in _INTERNAL}
    if isinstance(system := said.get("system"), int):
        said["system"] = RatingSystem(system).name
    return said


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else value
