"""Sections one after the other: each rated in its systems, and the rating records of members carried on."""

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from crosstable.engine.competitors import competitors
from crosstable.engine.rating import rate_competitors
from crosstable.engine.records import RatedSection
from crosstable.rules.amending import Edition
from crosstable.terms import Background, PlayerRating, RatingSystem, Section

Member = TypeVar("Member")


def rate_systems(section: Section, backgrounds: Mapping[int, Background], edition: Edition) -> tuple[RatedSection, ...]:
    """A section rated in each of its systems from what the players brought; neither sees the other's result."""
    who = competitors(section, backgrounds)
    return tuple(rate_competitors(section, system, who, edition) for system in section.systems)


class Replay(Generic[Member]):
    """The rating records of members, by system, as they are after the last section or adjustment."""

    def __init__(self) -> None:
        self.records: dict[Member, dict[RatingSystem, PlayerRating]] = {}

    def of(self, member: Member) -> Mapping[RatingSystem, PlayerRating]:
        """A member's rating records."""
        return self.records.get(member, {})

    def put(self, member: Member, system: RatingSystem, record: PlayerRating) -> None:
        """Set a member's rating record."""
        self.records.setdefault(member, {})[system] = record

    def carry(self, rated: Sequence[RatedSection], member_of: Callable[[str], Member | None]) -> None:
        """Set the records after a section of everybody who played in it; ``member_of`` tells by id whom to carry."""
        for one in rated:
            for player in one.players:
                # Whoever did not play keeps their record, and with it the day it is of.
                member = member_of(player.member_id) if player.games else None
                if member is not None and player.after is not None:
                    self.put(member, one.system, player.after)
