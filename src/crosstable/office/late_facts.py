"""Facts about many members at once, where they reach into a published period and two people have to agree.

A members file, FIDE's list and a rating of another federation may say of somebody what their ratings rest on. One
person records what is new; what may change a rating of a published period is proposed, as a single fact would be.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from crosstable.errors import OfficeError
from crosstable.office.consent import ProposalKind, ProposedAction, published_through
from crosstable.office.database import Office
from crosstable.office.erased import erased_members
from crosstable.office.ledger.facts import Person, Record
from crosstable.office.ledger.journal import Author
from crosstable.office.ledger.postings import current_of_members
from crosstable.office.members import import_members, joined, read_person, written_person
from crosstable.sentences import counted
from crosstable.terms import OutsideRating

# What a rating may rest on whenever it is said.
_UNDATED = ("birth_date", "birth_year", "adult", "canadian_resident")


class Divided(NamedTuple):
    """What one person may record of members, and what takes two."""

    now: tuple[Person, ...]
    by_two: tuple[Person, ...]


def divided(record: Record, people: Sequence[Person]) -> Divided:
    """What is said of members, apart: whether it may change a rating of a published period."""
    through = published_through(record.connection)
    known = record.people([one.member_id for one in people])
    may = [one.member_id for one in people if through is not None and _reaches(known.get(one.member_id), one, through)]
    ids = {member: record.one_id(member) for member in may}
    postings = (one.posting for one in current_of_members(record.connection, set(ids.values())))
    rated = {one.member_id for one in postings if through is not None and one.ended <= through}
    late = {member for member, its in ids.items() if its in rated}
    return Divided(
        tuple(one for one in people if one.member_id not in late),
        tuple(one for one in people if one.member_id in late),
    )


def _reaches(before: Person | None, said: Person, through: date) -> bool:
    """Whether something new about a member is not only about later days."""
    if before is None:
        return False
    after = joined(before, said)
    if any(getattr(before, name) != getattr(after, name) for name in _UNDATED):
        return True
    return _is_early(before.fide, after.fide, through) or _is_early(before.cfc, after.cfc, through)


def _is_early(before: Sequence[OutsideRating], after: Sequence[OutsideRating], through: date) -> bool:
    return any(one.as_of is None or one.as_of <= through for one in after if one not in before)


def facts_wish(people: Sequence[Person]) -> ProposedAction:
    """What was said of members."""
    whose = f"member {people[0].member_id}" if len(people) == 1 else counted(len(people), "member")
    arguments = {"people": [written_person(one) for one in people]}
    return ProposedAction(ProposalKind.FACTS, arguments, f"record facts about {whose}")


def record_facts(office: Office, author: Author, arguments: Mapping[str, Any]) -> int:
    """Record them, but of nobody who was erased since; returns the journal entry."""
    with office.reading() as connection:
        gone = erased_members(connection)
    people = [read_person(one) for one in arguments["people"] if one["member_id"] not in gone]
    made = import_members(office, author, people)
    if made.act is None:
        raise OfficeError("the office knows all of this already")
    return made.act
