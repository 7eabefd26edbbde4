"""Whom an erasure or an export is about, where the record speaks of them, and which jobs do.

``everything_about`` is what an office stores about one person, which a request for access is answered with.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Protocol

from sqlalchemy import Column, Connection, String, Table, or_, select, update

from crosstable.errors import CrosstableError, OfficeError
from crosstable.formats import members as members_format
from crosstable.formats.detect import read_data
from crosstable.office import account_tables, tables
from crosstable.office.account_tables import job
from crosstable.office.accounts import instant
from crosstable.office.erased import erased_members
from crosstable.office.jobs import OPEN, JobKind, JobState
from crosstable.office.ledger.commitments import ERASED
from crosstable.office.ledger.facts import Record
from crosstable.office.ledger.journal import EntryKind, last_act_of
from crosstable.office.ledger.postings import is_current
from crosstable.sentences import american
from crosstable.terms import RatingSystem

# Shorter names would be found in other words.
_SHORTEST = 4


class Person:
    """One person: all ids, every spelling of the name, every birth date that was known."""

    def __init__(self, record: Record, member_id: str) -> None:
        connection, member = record.connection, tables.member.c
        if member_id not in record.people([member_id]):
            raise OfficeError(f"there is no member {member_id}")
        root = record.one_id(member_id)
        self.ids = (root, *sorted(record.same_member(member_id) - {root}))
        rows = connection.execute(select(member.name, member.birth_date).where(member.member_id.in_(self.ids))).all()
        entry, listed = tables.entry.c, tables.supplement_row.c
        names = {row[0] for row in rows}
        for column, of in ((entry.name, entry.member_id), (listed.name, listed.member_id)):
            names |= set(connection.execute(select(column).where(of.in_(self.ids)).distinct()).scalars())
        self.names = sorted(_spellings(names - {ERASED, ""}), key=len, reverse=True)
        self.days = sorted({text for _, born in rows if born is not None for text in _written(born)}, key=len)[::-1]
        self.is_erased = set(self.ids) <= erased_members(connection)

    def said_in(self, columns: Iterable[Column[Any]]) -> Any:  # noqa: ANN401
        """Whether any of some columns says the name or an id of the person."""
        words = (*self.names, *self.ids)
        return or_(*(column.icontains(word, autoescape=True) for column in columns for word in words))

    def without(self, said: str) -> str:
        """A text without the name; where it is about the person, without the birth date too."""
        is_about = any(one in said for one in self.ids)
        for name in self.names:
            said, number = re.subn(rf"(?<!\w){re.escape(name)}(?!\w)", ERASED, said, flags=re.IGNORECASE)
            is_about = is_about or number > 0
        for day in self.days if is_about else ():
            said = said.replace(day, ERASED)
        return said

    def remains(self, connection: Connection) -> Iterator[str]:
        """Places that are no personal values of the record and still say the name."""
        columns = [column for table in tables.metadata.sorted_tables for column in table.columns]
        yield from self.said_at(connection, [one for one in columns if "personal" not in one.info])

    def said_at(self, connection: Connection, columns: Iterable[Column[Any]]) -> Iterator[str]:
        """Which of some columns say the name."""
        for column in columns:
            if isinstance(column.type, String) and self.names:
                says = or_(*(column.icontains(name, autoescape=True) for name in self.names))
                if connection.execute(select(column).where(says).limit(1)).first() is not None:
                    yield f"{column.table.name}.{column.name}"

    def is_said_in(self, said: str) -> bool:
        """Whether a text names the person; an id of one or two digits may be any number."""
        words = (*self.names, *(one for one in self.ids if len(one) >= _SHORTEST))
        return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said, re.IGNORECASE) for word in words)


def _spellings(names: Iterable[str]) -> set[str]:
    """Names as they are and turned around: "Last, First" and "First Last".

    SQLite knows capitals of the English alphabet only, so names with other letters are looked for in capitals, too.
    """
    found = set()
    for name in names:
        last, comma, first = name.partition(",")
        turned = (
            {f"{first.strip()} {last.strip()}", f"{last.strip()},{first.strip()}"} if comma and first.strip() else set()
        )
        found |= {one for one in (name.strip(), *turned) if len(one) >= _SHORTEST}
    return found | {one.upper() for one in found if not one.isascii()}


def _written(born: date) -> set[str]:
    """A day as files and texts write it."""
    plain = f"{born.month}/{born.day}/{born.year}", f"{born:%m/%d/%Y}", f"{born:%Y/%m/%d}", f"{born:%Y%m%d}"
    return {born.isoformat(), american(born), *plain}


_TEXTS = ("author", "reason", "error")
_JSON = ("wish", "result")


class Whom(Protocol):
    """Who is erased."""

    @property
    def ids(self) -> Sequence[str]:
        """Under which they are known."""

    @property
    def names(self) -> Sequence[str]:
        """Every spelling of the name."""

    def without(self, said: str) -> str:
        """A text without the name."""


def require_none_waits(connection: Connection, person: Whom) -> None:
    """Refuse while the file of a job that waits names the person: it would bring the name back when it is stored."""
    waiting = [row["job_id"] for row in jobs_about(connection, person) if row["state"] in OPEN]
    if waiting:
        raise OfficeError(
            f"a file that waits names member {person.ids[0]}: job {', '.join(waiting)}. Let a worker store it first, "
            f"or cancel it (crosstable office jobs cancel {waiting[0]}); nothing was erased"
        )


def cancel_waiting(connection: Connection, person: Whom, now: datetime) -> None:
    """Cancel jobs of a restored office whose files name somebody who was erased since."""
    said = "its file names a person who was erased; send it again without them"
    values = {"state": JobState.CANCELED.value, "ended": instant(now), "lease": None, "error": said}
    for row in jobs_about(connection, person):
        if row["state"] in OPEN:
            connection.execute(update(job).where(job.c.job_id == row["job_id"]).values(values))


def clear_ended(connection: Connection, person: Whom) -> None:
    """Drop the files of jobs that are over and name the person, and the name from what the jobs say."""
    for row in jobs_about(connection, person):
        if row["state"] not in OPEN:
            values = {name: row[name] and person.without(row[name]) for name in _TEXTS}
            values |= {name: row[name] and json.dumps(_cleared(json.loads(row[name]), person)) for name in _JSON}
            connection.execute(update(job).where(job.c.job_id == row["job_id"]).values(content=None, **values))


def _cleared(value: Any, person: Whom) -> Any:  # noqa: ANN401
    if isinstance(value, str):
        return person.without(value)
    if isinstance(value, list):
        return [_cleared(one, person) for one in value]
    return {name: _cleared(one, person) for name, one in value.items()} if isinstance(value, dict) else value


def jobs_about(connection: Connection, person: Whom) -> Iterator[Mapping[Any, Any]]:
    """Jobs that speak of a person."""
    for row in connection.execute(select(job)).mappings().all():
        told = [*(row[name] or "" for name in _TEXTS), *(str(json.loads(row[name] or "{}")) for name in _JSON)]
        if row["content"] is not None:
            told += _said(JobKind(row["kind"]), json.loads(row["wish"])["name"], bytes(row["content"]), person)
        said = "\n".join(told).casefold()
        if any(word.casefold() in said for word in (*person.ids, *person.names)):
            yield row


def _said(kind: JobKind, name: str, content: bytes, person: Whom) -> list[str]:
    """What a file says; one that cannot be read may say anything."""
    try:
        read: object = members_format.read(content, name) if kind is JobKind.IMPORT else read_data(content, name)
    except CrosstableError:
        return [person.ids[0]]
    return [repr(read), content.decode("latin-1")]


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
