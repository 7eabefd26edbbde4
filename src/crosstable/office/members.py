"""Members: who they are, what became known of them and when, merges and their undoing, starting ratings.

Also how people write a late fact (``birth-date=2014-02-03``), and members made from the report that first names them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection

from crosstable.errors import OfficeError
from crosstable.formats.dates import iso_day
from crosstable.formats.sheet_rows import flag_of
from crosstable.limits import HIGHEST_RATING
from crosstable.office import tables
from crosstable.office.database import Office
from crosstable.office.ledger.commitments import write_rows
from crosstable.office.ledger.facts import Person, Record
from crosstable.office.ledger.journal import Author, Change, EntryKind, append, digest_of_rows, head
from crosstable.office.ledger.postings import OWN
from crosstable.record_rows import row_of
from crosstable.terms import OutsideRating, PlayerRating, RatingSystem, Report, ReportedPlayer

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
    return known is None or joined(known, person) != known


def joined(known: Person, person: Person) -> Person:
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
        after = person if before is None else joined(before, person)
        rows.append({name: getattr(after, name) for name in _PLAIN_FIELDS})
        for body, now, then in (
            ("FIDE", after.fide, () if before is None else before.fide),
            ("CFC", after.cfc, () if before is None else before.cfc),
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


def members_of_report(
    record: Record, report: Report, *, takes_openings: bool
) -> tuple[list[Person], list[NewStartingRating]]:
    """New members, and with ``takes_openings`` the ratings they bring, as of the day before their first section."""
    rows: dict[str, tuple[ReportedPlayer, date]] = {}
    for section in report.sections:
        start = section.start or report.start
        for player in section.players:
            if player.member_id and start is not None and start < rows.get(player.member_id, (player, date.max))[1]:
                rows[player.member_id] = player, start
    known = record.people(list(rows))
    people, openings = [], []
    for member_id, (player, start) in rows.items():
        if member_id in known:
            continue
        people.append(_person(player, start))
        if takes_openings:
            openings += _openings(player, start, report.event_id)
    return people, openings


def _person(player: ReportedPlayer, start: date) -> Person:
    """A new member; a birth date that cannot be is a finding of the report, and is not kept."""
    background = player.background
    return Person(
        member_id=player.member_id,
        name=player.name,
        state=player.state,
        birth_date=background.birth_date if could_be_born(background.birth_date, start) else None,
        birth_year=background.birth_year if could_be_born_in(background.birth_year, start) else None,
        adult=background.adult,
        canadian_resident=background.canadian_resident,
        fide_flag=player.fide_flag or "",
        fide=_outside_ratings(background.fide, start),
        cfc=_outside_ratings(background.cfc, start),
    )


def _outside_ratings(rating: OutsideRating | None, start: date) -> tuple[OutsideRating, ...]:
    return () if rating is None else (OutsideRating(rating.rating, rating.as_of or start),)


def _openings(player: ReportedPlayer, start: date, event_id: str) -> list[NewStartingRating]:
    eve = start - timedelta(days=1)
    return [
        NewStartingRating(
            player.member_id,
            system,
            standing._replace(as_of=min(standing.as_of or eve, eve)),
            f"report of event {event_id}",
        )
        for system, standing in player.background.standings.items()
    ]


def written_person(person: Person) -> dict[str, Any]:
    """A new member as JSON, so that a proposal can hold them."""
    return {
        name: value.isoformat() if isinstance(value, date) else value
        for name, value in person._asdict().items()
        if name not in ("fide", "cfc")
    } | {name: [[one.rating, _written(one.as_of)] for one in getattr(person, name)] for name in ("fide", "cfc")}


def read_person(said: Mapping[str, Any]) -> Person:
    """The same back again."""
    days = {name: _read(said[name]) for name in ("birth_date", "member_until")}
    outside = {name: tuple(OutsideRating(rating, _read(day)) for rating, day in said[name]) for name in ("fide", "cfc")}
    return Person(**{**said, **days, **outside})


def _written(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _read(day: str | None) -> date | None:
    return None if day is None else date.fromisoformat(day)


def read_fact(text: str) -> tuple[str, Any]:
    """A fact as it was typed, by the name the office knows it under; raises ``ValueError``."""
    name, equals, value = text.partition("=")
    name = name.strip().lower().replace("-", "_")
    if not equals:
        raise ValueError(f"{text!r}: write NAME=VALUE")
    return name, _READERS.get(name, str)(value.strip())


def _day(value: str) -> date | None:
    found = iso_day(value)
    if value and found is None:
        raise ValueError(f"{value!r} is not a date; write it as YYYY-MM-DD")
    return found


def _year(value: str) -> int | None:
    if value and not (value.isdecimal() and len(value) == len("2014")):
        raise ValueError(f"{value!r} is no year; write it as YYYY")
    return int(value) if value else None


def _flag(value: str) -> bool | None:
    found = flag_of(value)
    if value and found is None:
        raise ValueError(f"{value!r} is neither yes nor no")
    return found


def _is_set(value: str) -> bool:
    return bool(_flag(value))


def _outside(value: str) -> OutsideRating:
    rating, _, on = value.partition("@")
    as_of = iso_day(on)
    if as_of is None or not rating.isdecimal() or not 0 < int(rating) < HIGHEST_RATING:
        raise ValueError(f"{value!r} is no rating of a list; write it as 1850@2026-05-01")
    return OutsideRating(float(rating), as_of)


_READERS: Mapping[str, Callable[[str], Any]] = {
    "birth_date": _day,
    "birth_year": _year,
    "member_until": _day,
    "adult": _flag,
    "age_lists": _flag,
    "canadian_resident": _is_set,
    "fide_rating": _outside,
    "cfc_rating": _outside,
}
