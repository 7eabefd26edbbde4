"""The interpreted replay of an archive: every section rated in order by the engine, rating records carried along.

This is the measure of every faster way: the compiled replay must give the same bits. It is meant for archives small
enough for Python.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from crosstable.engine import RatedSection
from crosstable.engine.rating import Replay, rate_systems
from crosstable.formulas.foreign import is_eligible
from crosstable.history.archive import Archive
from crosstable.history.archive_contents import ArchivedSection, Decided, Opened, Outside, outside_of
from crosstable.history.archive_tables import NO_MEMBER
from crosstable.replaying import Decision, Decisions, Key, StartingRating, bare, in_force, moved
from crosstable.rules.amending import Edition
from crosstable.rules.editions import edition_for
from crosstable.rules.rule_sets import OFFICIAL, RuleSet
from crosstable.terms import Background, Entry, PlayerRating, RatingSystem, Section, is_of_usa

ORIGIN = "archive"

RecordArrays = Mapping[RatingSystem, PlayerRating]
Progress = Callable[[int], None]


def members_of(archived: ArchivedSection) -> dict[str, int]:
    """The members of a section by their ids."""
    return {entry.member_id: member for entry, member in archived.rows if member != NO_MEMBER}


class PlainReplay(Replay[int]):
    """The rating records of members between sections, without what decisions say: ``PlainSections`` adds that."""

    def put(self, member: int, system: RatingSystem, record: PlayerRating) -> None:
        """Set a member's rating record."""
        super().put(member, system, bare(record))

    def move(self, member: int, what: StartingRating | Decision) -> PlayerRating | None:
        """Set what a starting rating or a moving decision makes of a record, and return it; nothing where none does."""
        assert what.system is not None
        after = moved(what, self.of(member).get(what.system))
        if after is not None:
            self.put(member, what.system, after)
        return after


class PlainSections:
    """Rates single sections of an archive by the interpreted engine, from rating records that somebody else keeps."""

    def __init__(
        self,
        archive: Archive,
        standings_of: Callable[[int], RecordArrays],
        openings: Iterable[Opened],
        decisions: Iterable[Decided],
        rules: RuleSet = OFFICIAL,
    ) -> None:
        self.archive = archive
        self.rules = rules
        self._standings_of = standings_of
        self._people: dict[int, Mapping[str, Any]] = {}
        self._decisions = Decisions[int]([*openings, *decisions])

    def take(self, archived: ArchivedSection) -> tuple[RatedSection, ...]:
        """A section as it is rated from the rating records of now; raises ``NoEditionError`` where no rule is known."""
        section, key = archived.section, archived.section.key
        edition = self.rules.edition(edition_for(section.start))
        entries = [entry._replace(background=self._brings(entry, member, key)) for entry, member in archived.rows]
        if section.kind.is_foreign:
            rows = zip(entries, archived.members, strict=True)
            entries = [one._replace(is_rated=self._is_rated_abroad(one, who, key, edition)) for one, who in rows]
        return self._rated(section._replace(entries=tuple(entries)), edition)

    def _rated(self, section: Section, edition: Edition) -> tuple[RatedSection, ...]:
        return rate_systems(section, edition)

    @cached_property
    def _outside(self) -> Mapping[int, Outside]:
        return outside_of(self.archive)

    def know(self, members: Iterable[int]) -> None:
        """Take what is known of members out of the table, many at once."""
        fresh = sorted({*members} - {NO_MEMBER} - self._people.keys())
        self._people.update(zip(fresh, self.archive.members[fresh].iter_rows(named=True), strict=True))

    def _person(self, member: int) -> Mapping[str, Any]:
        if member not in self._people:
            self._people[member] = self.archive.members.row(member, named=True)
        return self._people[member]

    def _brings(self, entry: Entry, member: int, key: Key) -> Background:
        said = entry.background
        if member == NO_MEMBER:
            return said._replace(origin=ORIGIN)
        person = self._person(member)
        fide, cfc = self._outside.get(member, ((), ()))
        return Background(
            standings={
                system: self._decisions.decided(member, system, standing, key)
                for system, standing in self._standings_of(member).items()
            },
            fide=in_force(fide, key.started) or said.fide,
            cfc=in_force(cfc, key.ended),
            birth_date=None if person.get("is_year_only") else person["birth_date"],
            birth_year=person.get("birth_year"),
            adult=person["adult"],
            canadian_resident=person["canadian_resident"],
            given_start=said.given_start,
            origin=ORIGIN,
        )

    def _is_rated_abroad(self, entry: Entry, member: int, key: Key, edition: Edition) -> bool:
        """Whether a foreign event updates this player: marked in the report, and eligible by the record (§6)."""
        standing, fide = entry.background.standings.get(RatingSystem.OTBR), entry.background.fide
        if not entry.is_rated or standing is None or member == NO_MEMBER:
            return False
        person = self._person(member)
        until = person["member_until"]
        if until is not None and until < key.ended:
            return False
        return is_eligible(
            edition.constants,
            math.inf if standing.games is None else standing.games,
            math.nan if fide is None else fide.rating,
            is_of_usa(person["fide_flag"] or entry.fide_flag),
            self._decisions.has_opted_in(member, key.started) or bool(entry.has_opted_in),
        )
