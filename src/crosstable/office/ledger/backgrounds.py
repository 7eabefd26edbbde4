"""What members bring to a place of the replay: their rating records there, what is decided about them, who they are."""

from collections.abc import Iterable

from sqlalchemy import Connection

from crosstable.checks.players import OWN_RECORD
from crosstable.office.ledger.facts import Record
from crosstable.office.ledger.postings import Posting, current_of_members, last_of_members
from crosstable.replaying import Decisions, Key, in_force
from crosstable.terms import Background, PlayerRating, RatingSystem


def postings_of_member(connection: Connection, member: str, run: int | None = None) -> list[Posting]:
    """A member's postings in all systems, in the order of the replay: the current ones, or those after a run."""
    found = (stored.posting for stored in current_of_members(connection, [member], run))
    return sorted(found, key=lambda posting: (posting.key, posting.system))


class MemberDecisions(Decisions[str]):
    """What the record says of members, read when it is asked for."""

    def __init__(self, record: Record) -> None:
        super().__init__()
        self.record = record
        self._known: set[str] = set()

    def know(self, members: Iterable[str]) -> None:
        """Read what is decided about members, before it is asked for."""
        fresh = {other for one in members if one not in self._known for other in self.record.same_member(one)}
        if not fresh:
            return
        self._known |= fresh
        for decision in self.record.decisions(fresh):
            self.add(self.record.one_id(decision.member_id), decision)
        for opening in sorted(self.record.openings(fresh), key=lambda one: one.key):
            self.add(self.record.one_id(opening.member_id), opening)


class Backgrounds:
    """The backgrounds of some members, as the current postings have them."""

    def __init__(self, record: Record, members: Iterable[str]) -> None:
        self._record = record
        self._people = record.people(members)
        self.decisions = MemberDecisions(record)
        self.decisions.know(members)
        self._before: dict[tuple[str, Key], dict[RatingSystem, PlayerRating]] = {}

    def know(self, members: Iterable[str], key: Key) -> None:
        """Read the rating records of members before a place of the replay, before they are asked for."""
        fresh = [one for one in dict.fromkeys(members) if (one, key) not in self._before]
        self._before |= {(one, key): {} for one in fresh}
        for posting in last_of_members(self._record.connection, fresh, key):
            assert posting.standing is not None
            self._before[posting.member_id, key][posting.system] = posting.standing

    def background(self, member: str, key: Key) -> Background:
        """What a member brings to a place of the replay."""
        person = self._people[member]
        self.know([member], key)
        return Background(
            standings={
                system: self.decisions.decided(member, system, rating, key)
                for system, rating in self._before[member, key].items()
            },
            fide=in_force(person.fide, key.started),
            cfc=in_force(person.cfc, key.ended),
            birth_date=person.birth_date,
            birth_year=person.birth_year,
            adult=person.adult,
            canadian_resident=person.canadian_resident,
            origin=OWN_RECORD,
        )
