"""What members bring to a place of the replay: their rating records there, what is decided about them, who they are."""

from collections.abc import Iterable
from datetime import date

from sqlalchemy import Connection

from crosstable.checks.players import OWN_RECORD
from crosstable.office.ledger.facts import Record
from crosstable.office.ledger.postings import Posting, current_of_members, last_of_members
from crosstable.replaying import (
    LOWERING,
    Decision,
    Key,
    SetFloor,
    StartingRating,
    decided,
    has_opted_in,
    in_force,
    set_floors,
)
from crosstable.terms import Background, PlayerRating, RatingSystem


def postings_of_member(connection: Connection, member: str, run: int | None = None) -> list[Posting]:
    """A member's postings in all systems, in the order of the replay: the current ones, or those after a run."""
    found = (stored.posting for stored in current_of_members(connection, [member], run))
    return sorted(found, key=lambda posting: (posting.key, posting.system))


class MemberDecisions:
    """What decisions and starting ratings say of members: floors, ceilings, granted match floors, opting in."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._known: set[str] = set()
        self._decisions: dict[str, list[Decision]] = {}
        self._openings: dict[str, list[StartingRating]] = {}

    def know(self, members: Iterable[str]) -> None:
        """Read what is decided about members, before it is asked for."""
        fresh = {other for one in members if one not in self._known for other in self.record.same_member(one)}
        if not fresh:
            return
        self._known |= fresh
        for decision in self.record.decisions(fresh):
            self._decisions.setdefault(self.record.one_id(decision.member_id), []).append(decision)
        for opening in sorted(self.record.openings(fresh), key=lambda one: one.key):
            if opening.standing.floors or opening.standing.ceiling is not None:
                self._openings.setdefault(self.record.one_id(opening.member_id), []).append(opening)

    def decided(self, member: str, system: RatingSystem, rating: PlayerRating, key: Key) -> PlayerRating:
        """A rating record with the floors and the ceiling in force at a place of the replay."""
        return decided(rating, system, key, self._openings.get(member, ()), self._decisions.get(member, ()))

    def floors(self, member: str, system: RatingSystem, key: Key) -> list[SetFloor]:
        """The floors that were set for a member by a place of the replay, and what lowered them."""
        return set_floors(system, key, self._openings.get(member, ()), self._decisions.get(member, ()))

    def lowered_by(self, member: str, system: RatingSystem, level: float | None) -> int | None:
        """The entry of the last decision that lowered a member's floors to a level."""
        found = [
            one.act
            for one in self._decisions.get(member, ())
            if one.kind in LOWERING and one.system is system and one.value == level
        ]
        return max(found, default=None)

    def has_opted_in(self, member: str, day: date) -> bool:
        """Whether a member wants foreign events rated."""
        return has_opted_in(self._decisions.get(member, ()), day)


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
