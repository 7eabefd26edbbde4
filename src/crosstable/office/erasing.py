"""Erasing a person: name, birth date, ids elsewhere and originals go; ratings, supplements and proofs stay.

Personal values enter the digests of the record only through a salted hash (``ledger.commitments``). Erasing puts that
hash in the place of the salt and other values in the place of the personal ones; the journal entry that does it commits
to what it leaves (``tables.erasure``), so nobody can pass a change off as an erasure. Where a birth date or an age
entered a start, the section gets a version in which that start is set by hand: the replay gives the same ratings.

What is in other columns (names of events, of authors) is no personal value of the record and stays; ``Erased.remains``
names such places.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from sqlalchemy import Column, Connection, String, Table, and_, false, func, or_, select, text, update

from crosstable.errors import Fault, OfficeError, Severity
from crosstable.office import account_tables, tables
from crosstable.office.database import Office
from crosstable.office.erased import NOT_KEPT, named_again
from crosstable.office.erased import erased_members as erased_members
from crosstable.office.ledger import commitments
from crosstable.office.ledger.commitments import ERASED as ERASED
from crosstable.office.ledger.commitments import NO_HASH, RowLayout, row_layout, write_rows
from crosstable.office.ledger.facts import PERSON_COLUMNS, Record, entry_from, heading_from
from crosstable.office.ledger.journal import Author, Change, EntryKind, append, canonical, last_act_of
from crosstable.office.ledger.postings import is_current
from crosstable.office.ledger.rerate import rate_pending
from crosstable.office.ledger.runs import Watch
from crosstable.office.persons import Person, clear_ended, require_none_waits
from crosstable.office.proof import Finding
from crosstable.office.sections import rows_of, write_section
from crosstable.office.security_log import SecurityKind, note
from crosstable.rules.constants import Initialisation
from crosstable.rules.editions import edition_for
from crosstable.terms import RatingSystem

# Columns of a member that are emptied; the others say nothing of who it is and may enter a rating.
_OF_MEMBER = {
    "name": ERASED,
    "state": "",
    "fide_id": "",
    "cfc_id": "",
    "birth_date": None,
    "birth_year": None,
    "adult": None,
}
# What a row of a report says of a person beside the results.
_OF_ENTRY = ("state", "details")
# Values of a person in what a journal entry says.
_OF_JSON = ("name", "state", "birth_date", "birth_year", "fide_id", "cfc_id", "adult")


class Erased(NamedTuple):
    """What was erased: the journal entry, the ids of the person, how many rows and files, where the name remains.

    ``person`` is who it was, for whoever has more to erase.
    """

    act: int
    members: tuple[str, ...]
    rows: Mapping[str, int]
    documents: int
    remains: tuple[str, ...]
    person: "Person"


def erase_member(office: Office, author: Author, member_id: str) -> Erased:
    """Erase a person, or what came back of one; raises ``OfficeError`` where there is none, or nothing to erase."""
    if not author.reason:
        raise OfficeError("say why; the journal keeps the reason, so write no name into it")
    with office.writing(author.actor, f"erasing {member_id}") as connection:
        require_none_waits(connection, Person(Record(connection, last_act_of(connection, None)), member_id))
        made = erase_in(office, connection, author, member_id)
    with office.writing_accounts(author.actor, f"erasing {member_id}") as connection:
        clear_ended(connection, made.person)
        kept = made.person.said_at(connection, [account_tables.account.c.full_name])
        made = made._replace(remains=(*made.remains, *kept))
        note(connection, office.clock(), SecurityKind.ERASED, author.actor, made.members[0], entry=made.act)
    return made


def erase_in(office: Office, connection: Connection, author: Author, member_id: str) -> Erased:
    """The same inside a transaction that is already open."""
    record = Record(connection, last_act_of(connection, None))
    person = Person(record, member_id)
    starts = _starts_by_age(record, person)
    change = Change(EntryKind.ERASE, person.ids[0], {"members": list(person.ids)})
    act = append(connection, office.clock, author, change)
    work = _Work(connection, act, person)
    with unguarded(connection, [*_SALTED, account_tables.proposal]):
        work.do()
    if person.is_erased and not work.counts and not work.proposals:
        raise OfficeError(f"member {member_id} is erased already, and nothing of them is back")
    _write_persons(connection, act, person.ids)
    _keep_starts(connection, act, starts, person.ids)
    rate_pending(office, connection, Author(author.actor, f"after erasing member {person.ids[0]}"), Watch())
    return Erased(act, person.ids, dict(work.counts), work.documents, tuple(person.remains(connection)), person)


_SALTED = tuple(table for table in tables.metadata.sorted_tables if row_layout(table).is_salted)


class _Nobody:
    """Nobody in particular: where only files go."""

    ids: tuple[str, ...] = ()
    names: Sequence[str] = ()
    days: Sequence[str] = ()

    def said_in(self, columns: Iterable[Column[Any]]) -> Any:  # noqa: ANN401
        """No row is about nobody."""
        return false()

    def without(self, said: str) -> str:
        """A text as it is."""
        return said


# The starts that rest on an age.


# By system: rating and games.
Starts = dict[RatingSystem, tuple[float, float]]


def _starts_by_age(record: Record, person: Person) -> dict[tuple[str, int], Starts]:
    """Sections in which the age of the person may have entered their start, and what it was in each system."""
    if not any((one.birth_date or one.birth_year or one.adult) for one in record.people(person.ids).values()):
        return {}
    posting = tables.posting.c
    columns = (posting.event_id, posting.section, posting.system, posting.prior, posting.start_games, posting.started)
    query = select(*columns, posting.start_sources).where(
        posting.member_id == person.ids[0], posting.start_sources.is_not(None), is_current()
    )
    found: dict[tuple[str, int], Starts] = {}
    for event_id, section, system, prior, games, started, sources in record.connection.execute(query):
        is_blend = edition_for(started).constants.initialisation == Initialisation.BLEND
        if sources == "[]" or is_blend:
            found.setdefault((event_id, section), {})[RatingSystem(system)] = prior, games
    return found


def _write_persons(connection: Connection, act: int, ids: Iterable[str]) -> None:
    """What is known of them from now on, so that whoever looks for news finds it."""
    people = Record(connection, act).people(list(ids)).values()
    rows = [{column.name: getattr(one, column.name) for column in PERSON_COLUMNS} for one in people]
    write_rows(connection, tables.member, [{**row, "act": act} for row in rows])


def _by_hand(starts: Starts) -> dict[str, Any]:
    """Starts of a section as an entry says them: the first system's, and those of others where they differ."""
    first = starts[min(starts)]
    others = {one.name: list(start) for one, start in starts.items() if start != first}
    return {"start": list(first), **({"starts": others} if others else {})}


def _keep_starts(
    connection: Connection, act: int, starts: Mapping[tuple[str, int], Starts], ids: Sequence[str]
) -> None:
    """Versions of sections in which a start of these ids is set by hand that followed from an age."""
    record = Record(connection, act)
    for (event_id, number), start in sorted(starts.items()):
        heading = record.heading(event_id, number)
        assert heading is not None
        entries = record.entries([heading])[event_id, number]
        changed = [
            one._replace(extra={**one.extra, **_by_hand(start)})
            if one.member_id in ids and "start" not in one.extra
            else one
            for one in entries
        ]
        faults = [Fault(**{**one, "severity": Severity(one["severity"])}) for one in heading.faults]  # type: ignore[arg-type]
        write_section(connection, act, rows_of(heading, changed), heading.state, faults)


# The rows.


@contextmanager
def unguarded(connection: Connection, some: Sequence[Table]) -> Iterator[None]:
    """Let an erasure change rows that nobody else may; the guards are the same afterwards."""
    names = [table.name for table in some]
    if connection.dialect.name == "sqlite":
        connection.execute(text("PRAGMA secure_delete=ON"))
        found = text("SELECT name, sql, tbl_name FROM sqlite_master WHERE type = 'trigger'")
        guards = [(name, sql) for name, sql, of in connection.execute(found).all() if of in names]
        for name, _ in guards:
            connection.execute(text(f'DROP TRIGGER "{name}"'))
        yield
        for _, sql in guards:
            connection.exec_driver_sql(sql)
        return
    guarded = [name for name in names if name != account_tables.proposal.name]
    for name in guarded:
        connection.execute(text(f"ALTER TABLE {name} DISABLE TRIGGER {name}_keeps"))
    yield
    for name in guarded:
        connection.execute(text(f"ALTER TABLE {name} ENABLE TRIGGER {name}_keeps"))


Values = dict[str, Any]


def drop_originals(connection: Connection, act: int, digests: Iterable[str]) -> None:
    """Keep of some submitted files only what commits to them."""
    work = _Work(connection, act, None)
    with unguarded(connection, _SALTED):
        work.drop(tables.document.c.digest.in_(sorted(digests)))
        for table in (tables.event, tables.act):
            work.change(table, work.quoting(table), work.said)


class _Work:
    """Goes through the tables and puts other values in the place of personal ones."""

    def __init__(self, connection: Connection, act: int, person: "Person | _Nobody | None") -> None:
        self.connection, self.act, self.person = connection, act, person or _Nobody()
        self.counts: dict[str, int] = {}
        self.documents = self.proposals = 0
        # What stands for a hash of something that was erased.
        self.instead: dict[str, str] = {}

    def do(self) -> None:
        """All of them; hashes of rows and files are replaced where they are quoted, so these come last."""
        ids = self.person.ids
        sections = self._sections()
        self.change(tables.member, tables.member.c.member_id.in_(ids), lambda _: dict(_OF_MEMBER))
        self.change(tables.entry, self._entries(), self._entry)
        listed = tables.supplement_row
        self.change(listed, listed.c.member_id.in_(ids), lambda _: {"name": ERASED, "state": ""})
        self.drop(tables.document.c.event_id.in_(sorted({event_id for event_id, _ in sections})))
        self._section_digests(sections)
        for table in (tables.section, tables.event, tables.decision, tables.act):
            self.change(table, self.quoting(table), self.said)
        self._proposals()

    def change(self, table: Table, where: Any, made: Callable[[Values], Values]) -> None:  # noqa: ANN401
        layout = row_layout(table)
        rows = [dict(row) for row in self.connection.execute(select(table).where(where)).mappings()]
        for row in rows:
            new = made(row)
            if any(row[name] != value for name, value in new.items()):
                self._replace(table, layout, row, new)

    def _replace(self, table: Table, layout: RowLayout, row: Values, new: Values) -> None:
        hidden = layout.hidden([row[name] for name in layout.names]).hex()
        keys = list(table.primary_key.columns)
        same = and_(*(key == row[key.name] for key in keys))
        self.connection.execute(update(table).where(same).values(**new, salt=hidden))
        left = {**row, **new}
        key = canonical([left[key.name] for key in keys])
        write_rows(
            self.connection,
            tables.erasure,
            [{"act": self.act, "of_table": table.name, "key": key, "left": left_digest(layout, left)}],
        )
        self.counts[table.name] = self.counts.get(table.name, 0) + 1

    def _entries(self) -> Any:  # noqa: ANN401
        """Rows under an id of the person, and those under no member's id with their name."""
        entry = tables.entry.c
        unknown = ~select(tables.member.c.member_id).where(tables.member.c.member_id == entry.member_id).exists()
        names = self.person.names
        is_called = or_(entry.name.in_(names), func.lower(entry.name).in_([name.lower() for name in names]))
        return or_(entry.member_id.in_(self.person.ids), and_(unknown, is_called))

    def _entry(self, row: Values) -> Values:
        extra = json.loads(row["extra"]) if row["extra"] else {}
        kept = {name: value for name, value in extra.items() if name not in _OF_ENTRY}
        return {"name": ERASED if row["name"] else "", "extra": canonical(kept) if kept else None}

    def _sections(self) -> set[tuple[str, int]]:
        """Sections in any version of which the person stands."""
        entry = tables.entry.c
        query = select(entry.event_id, entry.section).where(self._entries()).distinct()
        return {(row[0], row[1]) for row in self.connection.execute(query)}

    def drop(self, where: Any) -> None:  # noqa: ANN401
        """Files: their commitments are what is left."""
        table = tables.document
        for row in [dict(row) for row in self.connection.execute(select(table).where(where)).mappings()]:
            if row["content"]:
                self.instead[row["digest"]] = f"{NOT_KEPT}{commitments.draw(16)}-{self.act}-{self.documents}"
                new = {"digest": self.instead[row["digest"]], "name": ERASED, "content": b""}
                self._replace(table, row_layout(table), row, new)
                self.documents += 1

    def _section_digests(self, sections: set[tuple[str, int]]) -> None:
        """What the rows of a version hash to now."""
        for event_id, number in sorted(sections):
            table, entry = tables.section, tables.entry
            same = (table.c.event_id == event_id) & (table.c.number == number)
            versions = [dict(row) for row in self.connection.execute(select(table).where(same)).mappings()]
            for row in versions:
                details = self.person.without(row["details"])
                query = select(entry).where(
                    entry.c.event_id == event_id, entry.c.section == number, entry.c.act == row["act"]
                )
                rows = [dict(one) for one in self.connection.execute(query.order_by(entry.c.row)).mappings()]
                made = rows_of(heading_from({**row, "details": details}), [entry_from(one) for one in rows])
                if rows and made.heading["digest"] != row["digest"]:
                    self.instead[row["digest"]] = made.heading["digest"]

    def quoting(self, table: Table) -> Any:  # noqa: ANN401
        """Rows that say the name or an id of the person, or quote the hash of something that was erased."""
        columns = [one for one in table.columns if "personal" in one.info and isinstance(one.type, String)]
        says = [self.person.said_in(columns)]
        if "member_id" in table.c:
            says.append(table.c.member_id.in_(self.person.ids))
        if table is tables.act:
            says.append(and_(table.c.subject.in_(self.person.ids), table.c.kind != EntryKind.ERASE.value))
            wrote = select(tables.member.c.act).where(tables.member.c.member_id.in_(self.person.ids))
            says.append(table.c.seq.in_(wrote))
        hashes = sorted(self.instead)
        says += [column.contains(one) for column in columns for one in hashes]
        return and_(or_(*says), table.c.seq != self.act) if table is tables.act else or_(*says)

    def said(self, row: Values) -> Values:
        """The texts of a row without what is erased."""
        found = {}
        is_own = row.get("subject") in self.person.ids
        for name, value in row.items():
            if name in ("reason", "before", "after", "details", "faults", "document", "digest") and isinstance(
                value, str
            ):
                said = self.person.without(value)
                for old, new in self.instead.items():
                    said = said.replace(old, new)
                if name in ("before", "after"):
                    said = canonical(self._json(json.loads(said), is_own=is_own))
                elif name == "reason" and is_own:
                    said = _without_days(said, self.person.days)
                found[name] = said
        return found

    def _json(self, value: Any, *, is_own: bool) -> Any:  # noqa: ANN401
        """What an entry says: of the person themselves nothing is left, of an import not its hash."""
        if not isinstance(value, dict):
            return value
        if is_own and "member_id" in value:
            return {name: None if name in _OF_JSON and inner is not None else inner for name, inner in value.items()}
        return {
            name: ERASED if name == "members" and isinstance(inner, str) else inner for name, inner in value.items()
        }

    def _proposals(self) -> None:
        """What waits, or waited, for a second person; it is no part of the record."""
        table = account_tables.proposal
        columns = [table.c[name] for name in ("wish", "summary", "reason")]
        rows = [
            dict(row) for row in self.connection.execute(select(table).where(self.person.said_in(columns))).mappings()
        ]
        for row in rows:
            new = {name: self.person.without(row[name]) for name in ("wish", "summary", "reason")}
            if all(row[name] == value for name, value in new.items()):
                continue
            self.proposals += 1
            self.connection.execute(update(table).where(table.c.number == row["number"]).values(**new))


def _without_days(said: str, days: Iterable[str]) -> str:
    for day in days:
        said = said.replace(day, ERASED)
    return said


def left_digest(layout: RowLayout, row: Mapping[Any, Any]) -> str:
    """The hash of what an erasure left in the place of personal values."""
    personal = [row[layout.names[at]] for at in layout.personal]
    return hashlib.sha256(layout.personal_layout.encoded(personal)).hexdigest()


# What an erasure left, against what is there.


def erased_findings(connection: Connection) -> Iterator[Finding]:
    """Rows that look erased and are not, that were changed since, or whose personal values are back."""
    table = tables.erasure.c
    rows = connection.execute(select(table.of_table, table.key, table.left, table.act).order_by(table.act)).all()
    newest = {(of, key): (left, act) for of, key, left, act in rows}
    for salted in _SALTED:
        layout, keys = row_layout(salted), [key.name for key in salted.primary_key.columns]
        query = select(salted).where(func.length(salted.c.salt) == len(NO_HASH))
        for row in connection.execute(query).mappings():
            key = canonical([row[name] for name in keys])
            left, act = newest.pop((salted.name, key), ("", None))
            place = " ".join(str(row[name]) for name in keys)
            if act is None:
                yield Finding(
                    f"a row of {salted.name} looks erased, and no journal entry erased it", None, salted.name, place
                )
            elif left != left_digest(layout, row):
                what = f"journal entry {act}: what it left of a row of {salted.name} was changed"
                yield Finding(what, act, salted.name, place)
    for (of, key), (_, act) in newest.items():
        yield Finding(f"journal entry {act}: a row of {of} that it erased is missing, or it is back", act, of, key)
    for member_id, of, place in named_again(connection, erased_members(connection)):
        what = f"member {member_id} is erased, and a row of {of} names them again; erase them again"
        yield Finding(what, None, of, place)
