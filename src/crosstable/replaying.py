"""What every replay of a record shares: the order of its steps, decisions, starting ratings, outside ratings.

The office replays its database, a history its archive; both take the same steps in the same order and read decisions
the same way, because both read them here. Sees the engine and below.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from enum import StrEnum
from typing import Any, Generic, NamedTuple, TypeVar

from crosstable.terms import Floor, FloorKind, OutsideRating, PlayerRating, RatingSystem
from crosstable.terms import Key as Key

# Starting ratings and decisions come before the sections that end on their day, under the member's id with a mark
# that no event id has, so that two of them never share a place.
OWN = "@"
DAWN = date(1, 1, 1)


class DecisionKind(StrEnum):
    """What an office may decide about a member's ratings."""

    MONEY_FLOOR = "money-floor"
    LIFE_MASTER = "life-master"
    FLOOR = "floor"
    CEILING = "ceiling"
    LOWER_FLOOR = "lower-floor"
    GRANT_MATCH_FLOOR = "grant-match-floor"
    REFUSE_MATCH_FLOOR = "refuse-match-floor"
    WAIVE_MATCH = "waive-match"
    ADJUST = "adjust"
    OPT_IN = "opt-in"
    OPT_OUT = "opt-out"
    FACT = "fact"
    REVOKE = "revoke"


# Decisions that themselves change a rating record, and so have a place in the replay and make a posting.
MOVING = frozenset({DecisionKind.LOWER_FLOOR, DecisionKind.ADJUST})
# Decisions that lower the floors a member has.
LOWERING = frozenset({DecisionKind.LOWER_FLOOR, DecisionKind.GRANT_MATCH_FLOOR})
FLOORS = {
    DecisionKind.MONEY_FLOOR: FloorKind.MONEY,
    DecisionKind.LIFE_MASTER: FloorKind.LIFE_MASTER,
    DecisionKind.FLOOR: FloorKind.OFFICE,
}


class StartingRating(NamedTuple):
    """A rating record that a member brought when they came into the office's record (rules history §13)."""

    act: int
    member_id: str
    system: RatingSystem
    standing: PlayerRating
    source: str

    @property
    def key(self) -> Key:
        """It stands before the sections that end on its day."""
        assert self.standing.as_of is not None
        return Key(self.standing.as_of, DAWN, f"{OWN}{self.member_id}", self.act)


class Decision(NamedTuple):
    """A decision of an office."""

    act: int
    kind: DecisionKind
    member_id: str
    system: RatingSystem | None
    effective: date
    value: float | None
    event_id: str
    section: int | None
    details: Mapping[str, Any]

    @property
    def key(self) -> Key:
        """It stands before the sections that end on its day."""
        return Key(self.effective, DAWN, f"{OWN}{self.member_id}", self.act)

    @property
    def floor(self) -> Floor | None:
        """The floor that the decision sets."""
        if self.kind not in FLOORS or self.value is None:
            return None
        return Floor(FLOORS[self.kind], self.value)


class SetFloor(NamedTuple):
    """A floor that a starting rating or a decision set: its entry, since when, and its level before it was lowered.

    ``lowered_by`` is the entry of the decision that lowered it, nothing where none did.
    """

    floor: Floor
    since: date
    act: int
    was: float
    lowered_by: int | None = None


def _lowered(floor: Floor, since: date, act: int, lowering: Iterable[Decision]) -> SetFloor:
    made = SetFloor(floor, since, act, floor.level)
    for one in lowering:
        if (one.effective, one.act) > (since, act) and one.value is not None and one.value < made.floor.level:
            made = made._replace(floor=floor._replace(level=one.value), lowered_by=one.act)
    return made


Member = TypeVar("Member", int, str)


class Decisions(Generic[Member]):
    """What decisions and starting ratings say of members: floors, ceilings, granted match floors, opting in."""

    def __init__(self, said: Iterable[tuple[Member, StartingRating | Decision]] = ()) -> None:
        self._openings: dict[Member, list[StartingRating]] = {}
        self._decisions: dict[Member, list[Decision]] = {}
        for member, what in said:
            self.add(member, what)

    def add(self, member: Member, what: StartingRating | Decision) -> None:
        """Take in what is said of a member; of one, the older before the newer."""
        if isinstance(what, Decision):
            self._decisions.setdefault(member, []).append(what)
        elif what.standing.floors or what.standing.ceiling is not None:
            self._openings.setdefault(member, []).append(what)

    def floors(self, member: Member, system: RatingSystem, key: Key) -> list[SetFloor]:
        """The floors that were set for a member before a place, as later decisions lowered them.

        A decision to lower a floor, or one that grants the request of a match (§7, item 4), lowers every floor set
        before it that is higher. A grant holds from the day of its match on.
        """
        said = [one for one in self._decisions.get(member, ()) if one.system is system and one.key < key]
        found = [
            (one.standing.as_of or DAWN, one.act, floor)
            for one in self._openings.get(member, ())
            if one.system is system and one.key < key
            for floor in one.standing.floors
        ]
        found += [(one.effective, one.act, one.floor) for one in said if one.floor is not None]
        lowering = [one for one in said if one.kind in LOWERING and one.value is not None]
        return [_lowered(floor, since, act, lowering) for since, act, floor in found]

    def decided(self, member: Member, system: RatingSystem, rating: PlayerRating, key: Key) -> PlayerRating:
        """A rating record with the floors and the ceiling in force at a place of the replay."""
        if member not in self._openings and member not in self._decisions:
            return rating
        ceiling: float | None = None
        for opening in self._openings.get(member, ()):
            if opening.system is system and opening.key < key:
                ceiling = opening.standing.ceiling
        lowered = rating.lowered_floor
        for decision in self._decisions.get(member, ()):
            if decision.system is not system:
                continue
            if decision.kind is DecisionKind.GRANT_MATCH_FLOOR:
                if (decision.event_id, decision.section) == (key.event_id, key.section):
                    lowered = decision.value
            elif decision.key < key and decision.kind is DecisionKind.CEILING:
                ceiling = decision.value
        floors = tuple(one.floor for one in self.floors(member, system, key))
        return rating._replace(floors=floors, ceiling=ceiling, lowered_floor=lowered)

    def lowered_by(self, member: Member, system: RatingSystem, level: float | None) -> int | None:
        """The entry of the last decision that lowered a member's floors to a level."""
        said = self._decisions.get(member, ())
        found = [one.act for one in said if one.kind in LOWERING and one.system is system and one.value == level]
        return max(found, default=None)

    def has_opted_in(self, member: Member, day: date) -> bool:
        """Whether a member wants foreign events rated (§6): their last word by that day."""
        said = [
            (one.effective, one.act, one.kind is DecisionKind.OPT_IN)
            for one in self._decisions.get(member, ())
            if one.kind in (DecisionKind.OPT_IN, DecisionKind.OPT_OUT) and one.effective <= day
        ]
        return max(said)[2] if said else False


def in_force(ratings: Sequence[OutsideRating], day: date) -> OutsideRating | None:
    """The newest outside rating whose list was in force on a day (readings 105)."""
    found = [one for one in ratings if one.as_of is not None and one.as_of <= day]
    return found[-1] if found else None


def bare(standing: PlayerRating) -> PlayerRating:
    """A rating record without what decisions say, which the replay adds where it is asked for."""
    return standing._replace(floors=(), ceiling=None, published=None)


def moved(what: StartingRating | Decision, before: PlayerRating | None) -> PlayerRating | None:
    """What a starting rating or a moving decision makes of a rating record.

    A floor cannot be lowered where there is no rating.
    """
    if isinstance(what, StartingRating):
        return bare(what.standing)
    if what.kind is DecisionKind.LOWER_FLOOR:
        return None if before is None else before._replace(lowered_floor=what.value)
    assert what.value is not None
    games = what.details.get("games")
    if before is None:
        return PlayerRating(rating=what.value, games=games, as_of=what.effective)
    return before._replace(rating=what.value, games=before.games if games is None else games, as_of=what.effective)
