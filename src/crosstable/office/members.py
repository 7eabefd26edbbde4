"""Members: who they are, what became known of them and when, merges and their undoing, opening standings."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from sqlalchemy import Connection

from crosstable.errors import OfficeError
from crosstable.office import tables
from crosstable.office.database import Office
from crosstable.office.ledger.commitments import write_rows
from crosstable.office.ledger.facts import Person, Record
from crosstable.office.ledger.journal import Author, Change, EntryKind, append, digest_of_rows, head
from crosstable.office.ledger.postings import OWN
from crosstable.record_rows import row_of
from crosstable.terms import OutsideRating, PlayerRating, RatingSystem

LONGEST_ID = 40
# Nobody who plays was born before this day, nor after today.
FIRST_BIRTH = date(1850, 1, 1)
_PLAIN_FIELDS = Person._fields[:-2]


class NewStartingRating(NamedTuple):
    """A rating record that a member brings into the office's record, and who vouches for it."""

    member_id: str
    system: RatingSystem
    standing: PlayerRating
    source: str


class Imported(NamedTuple):
    """What an import did."""

    act: int | None
    new: int
    changed: int
    unchanged: int
    openings: int


def import_members(
    office: Office, author: Author, people: Sequence[Person], openings: Sequence[NewStartingRating] = ()
) -> Imported:
    """Add members and what became known of them; an import that says nothing new writes nothing."""
    with office.writing(author.actor, "members import") as connection:
        return import_into(office, connection, author, people, openings)


def import_into(
    office: Office,
    connection: Connection,
    author: Author,
    people: Sequence[Person],
    openings: Sequence[NewStartingRating] = (),
) -> Imported:
    """The same inside a transaction that is already open."""
    today = office.clock().date()
    for person in people:
        _check_id(person.member_id)
        if not could_be_born(person.birth_date, today):
            raise OfficeError(f"member {person.member_id} cannot be born on {person.birth_date}; nothing was stored")
        if not could_be_born_in(person.birth_year, today):
            raise OfficeError(f"member {person.member_id} cannot be born in {person.birth_year}; nothing was stored")
    record = Record(connection, _newest(connection))
    known = record.people([person.member_id for person in people])
    _check_opened(record, openings, {person.member_id for person in people})
    fresh = [person for person in people if _says_more(known.get(person.member_id), person)]
    new = sum(person.member_id not in known for person in fresh)
    openings = _new_openings(record, openings)
    counted = Imported(None, new, len(fresh) - new, len(people) - len(fresh), len(openings))
    if not fresh and not openings:
        return counted
    rows, ratings = _person_rows(known, fresh)
    standings = [_opening_row(one) for one in openings]
    after = {
        "members": digest_of_rows(rows),
        "outside": digest_of_rows(ratings),
        "openings": digest_of_rows(standings),
        "new": new,
        "changed": len(fresh) - new,
        "opened": len(openings),
    }
    kind = EntryKind.MEMBERS if fresh else EntryKind.OPENING
    act = append(connection, office.clock, author, Change(kind, _subject(fresh, openings), after))
    for table, written in ((tables.member, rows), (tables.outside_rating, ratings), (tables.opening, standings)):
        write_rows(connection, table, [{**row, "act": act} for row in written])
    return counted._replace(act=act)


def could_be_born(born: date | None, today: date) -> bool:
    """Whether a member may have a birth date, or none."""
    return born is None or FIRST_BIRTH <= born <= today


def could_be_born_in(year: int | None, today: date) -> bool:
    """Whether a member may have a year of birth, or none."""
    return year is None or FIRST_BIRTH.year <= year <= today.year


def _newest(connection: Connection) -> int:
    last = head(connection)
    assert last is not None
    return last.seq


def _check_id(member_id: str) -> None:
    if not member_id or len(member_id) > LONGEST_ID or not member_id.isprintable() or member_id.startswith(OWN):
        raise OfficeError(f"{member_id!r} cannot be a member id; use up to {LONGEST_ID} letters and digits")
    if any(character.isspace() for character in member_id):
        raise OfficeError(f"the member id {member_id!r} has a space in it")


def _check_opened(record: Record, openings: Sequence[NewStartingRating], coming: set[str]) -> None:
    opened = {one.member_id for one in openings} - coming
    unknown = sorted(opened - record.people(opened).keys())
    if unknown:
        raise OfficeError(f"member {unknown[0]} is not known and cannot have an opening standing")


def _subject(people: Sequence[Person], openings: Sequence[NewStartingRating]) -> str:
    ids = list(dict.fromkeys([*(one.member_id for one in people), *(one.member_id for one in openings)]))
    return ids[0] if len(ids) == 1 else f"{len(ids)} members"


def _says_more(known: Person | None, person: Person) -> bool:
    return known is None or _joined(known, person) != known


def _joined(known: Person, person: Person) -> Person:
    """What is known of a member with what is now said: silence changes nothing."""
    said = {name: value for name in _PLAIN_FIELDS if (value := getattr(person, name)) is not None and value != ""}
    if not person.canadian_resident:
        del said["canadian_resident"]
    return known._replace(**said, fide=_dated(known.fide, person.fide), cfc=_dated(known.cfc, person.cfc))


def _dated(known: Sequence[OutsideRating], said: Sequence[OutsideRating]) -> tuple[OutsideRating, ...]:
    by_day = {one.as_of: one for one in (*known, *said)}
    return tuple(by_day[day] for day in sorted(by_day, key=lambda day: day or date.min))


def _person_rows(
    known: Mapping[str, Person], fresh: Iterable[Person]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    rows, ratings = [], []
    for person in fresh:
        before = known.get(person.member_id)
        joined = person if before is None else _joined(before, person)
        rows.append({name: getattr(joined, name) for name in _PLAIN_FIELDS})
        for body, now, then in (
            ("FIDE", joined.fide, () if before is None else before.fide),
            ("CFC", joined.cfc, () if before is None else before.cfc),
        ):
            ratings += [
                {"member_id": person.member_id, "body": body, "as_of": one.as_of, "rating": one.rating}
                for one in now
                if one not in then
            ]
    return rows, ratings


def _new_openings(record: Record, openings: Sequence[NewStartingRating]) -> list[NewStartingRating]:
    """Openings that say something else than the record does."""
    known = {(one.member_id, one.system): one for one in record.openings({one.member_id for one in openings})}
    fresh = []
    for one in openings:
        before = known.get((one.member_id, one.system))
        if before is None or before.standing != one.standing:
            fresh.append(one)
    return fresh


def _opening_row(one: NewStartingRating) -> dict[str, Any]:
    standing = one.standing
    if standing.as_of is None:
        raise OfficeError(f"the opening {one.system.name} rating of member {one.member_id} has no date")
    about = {"member_id": one.member_id, "system": int(one.system), "source": one.source}
    return {**about, **row_of(standing)}


def replace_person(office: Office, connection: Connection, author: Author, person: Person) -> int:
    """Write what is now known of a member, whole: this can also take a fact back."""
    record = Record(connection, _newest(connection))
    before = record.people([person.member_id]).get(person.member_id)
    if before is None:
        raise OfficeError(f"member {person.member_id} is not known")
    row = {name: getattr(person, name) for name in _PLAIN_FIELDS}
    change = Change(EntryKind.MEMBERS, person.member_id, _said(person), _said(before))
    act = append(connection, office.clock, author, change)
    write_rows(connection, tables.member, [{**row, "act": act}])
    return act


def _said(person: Person) -> dict[str, Any]:
    return {name: getattr(person, name) for name in _PLAIN_FIELDS}


def merge_members(office: Office, author: Author, member_id: str, into_id: str) -> int:
    """From now on one id stands for another; nothing is deleted, and ``unmerge_members`` takes it back."""
    with office.writing(author.actor, "merge") as connection:
        record = Record(connection, _newest(connection))
        known = record.people([member_id, into_id])
        for one in (member_id, into_id):
            if one not in known:
                raise OfficeError(f"member {one} is not known")
        if record.one_id(member_id) == record.one_id(into_id):
            raise OfficeError(f"{member_id} and {into_id} are the same member already")
        if member_id in record.aliases():
            raise OfficeError(f"{member_id} is merged into {record.one_id(member_id)} already; unmerge it first")
        _refuse_own_games(record, member_id, into_id)
        return _write_merge(office, connection, author, (member_id, into_id), is_undone=False)


def unmerge_members(office: Office, author: Author, member_id: str) -> int:
    """Take a merge back: the id stands for itself again."""
    with office.writing(author.actor, "unmerge") as connection:
        record = Record(connection, _newest(connection))
        into = direct_merges(record).get(member_id)
        if into is None:
            raise OfficeError(f"member {member_id} is not merged into another")
        return _write_merge(office, connection, author, (member_id, into), is_undone=True)


def direct_merges(record: Record) -> dict[str, str]:
    """Merged ids and the id each was merged into, not followed further."""
    from crosstable.office.ledger.facts import merges

    into: dict[str, str] = {}
    for one in merges(record.connection, record.through):
        if one.is_undone:
            into.pop(one.member_id, None)
        else:
            into[one.member_id] = one.into_id
    return into


def _write_merge(
    office: Office, connection: Connection, author: Author, ids: tuple[str, str], *, is_undone: bool
) -> int:
    kind = EntryKind.UNMERGE if is_undone else EntryKind.MERGE
    act = append(connection, office.clock, author, Change(kind, ids[0], {"member": ids[0], "into": ids[1]}))
    row = {"act": act, "member_id": ids[0], "into_id": ids[1], "is_undone": is_undone}
    write_rows(connection, tables.merge, [row])
    return act


def _refuse_own_games(record: Record, one: str, other: str) -> None:
    """Two ids that played each other are two people."""
    mine, theirs = record.same_member(one), record.same_member(other)
    shared = record.sections_of(mine) & record.sections_of(theirs)
    headings = [heading for key in sorted(shared) if (heading := record.heading(*key)) is not None]
    for (event_id, number), entries in record.entries(headings).items():
        numbers = {entry.number for entry in entries if entry.member_id in theirs}
        met = {cell.opponent for entry in entries if entry.member_id in mine for cell in entry.cells if cell.opponent}
        if met & numbers:
            raise OfficeError(
                f"{one} and {other} played each other in event {event_id}, section {number}: they cannot be one member"
            )
