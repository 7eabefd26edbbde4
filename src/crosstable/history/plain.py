"""The interpreted replay of an archive: every section rated in order by the engine, rating records carried along.

This is the measure of every faster way: the compiled replay must give the same bits. It is meant for archives small
enough for Python.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from crosstable.engine import RatedSection
from crosstable.engine.rating import Replay, rate_systems
from crosstable.errors import NoEditionError
from crosstable.formulas.foreign import is_eligible
from crosstable.history.archive import Archive
from crosstable.history.archive_contents import ArchivedSection, Decided, Opened, Outside, Row, outside_of
from crosstable.history.archive_tables import NO_MEMBER
from crosstable.replaying import Decision, Key, StartingRating, bare, decided, has_opted_in, in_force, moved
from crosstable.rules.amending import Edition
from crosstable.rules.editions import edition_for
from crosstable.rules.rule_sets import OFFICIAL, RuleSet
from crosstable.terms import Background, Entry, PlayerRating, RatingSystem, is_of_usa

ORIGIN = "archive"

RecordArrays = Mapping[RatingSystem, PlayerRating]
Progress = Callable[[int], None]


class Taken(NamedTuple):
    """A section as it was rated: what each row brought, the result in each system, or why there is none."""

    archived: ArchivedSection
    backgrounds: Mapping[int, Background]
    rated: tuple[RatedSection, ...]
    unratable: str = ""


def rows_of(archived: ArchivedSection) -> Iterator[tuple[Entry, Row]]:
    """Each entry with what the archive says of its row."""
    return zip(archived.section.entries, archived.rows, strict=True)


def members_of(archived: ArchivedSection) -> dict[str, int]:
    """The members of a section by their ids."""
    return {entry.member_id: row.member for entry, row in rows_of(archived) if row.member != NO_MEMBER}


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
        self._decided: dict[int, list[Decision]] = {}
        for member, decision in decisions:
            self._decided.setdefault(member, []).append(decision)
        self._opened: dict[int, list[StartingRating]] = {}
        for member, opening in openings:
            if opening.standing.floors or opening.standing.ceiling is not None:
                self._opened.setdefault(member, []).append(opening)

    def take(self, archived: ArchivedSection) -> Taken:
        """A section as it is rated from the rating records of now."""
        key = key_of(archived)
        backgrounds = {entry.number: self._brings(row, key) for entry, row in rows_of(archived)}
        try:
            edition = self.rules.edition(edition_for(key.started))
            section = archived.section
            if section.kind.is_foreign:
                entries = tuple(
                    entry._replace(is_rated=self._is_rated_abroad(row, key, backgrounds[entry.number], edition))
                    for entry, row in rows_of(archived)
                )
                section = section._replace(entries=entries)
            rated = rate_systems(section, backgrounds, edition)
        except NoEditionError as error:
            return Taken(archived, backgrounds, (), str(error))
        return Taken(archived, backgrounds, rated)

    def limits(self, member: int, system: RatingSystem, standing: PlayerRating, key: Key) -> PlayerRating:
        """A rating record with the floors and the ceiling that stand at a place of the replay."""
        if member not in self._opened and member not in self._decided:
            return standing
        return decided(standing, system, key, self._opened.get(member, ()), self._decided.get(member, ()))

    @cached_property
    def _outside(self) -> Mapping[int, Outside]:
        return outside_of(self.archive)

    def _person(self, member: int) -> Mapping[str, Any]:
        if member not in self._people:
            self._people[member] = self.archive.members.row(member, named=True)
        return self._people[member]

    def _brings(self, row: Row, key: Key) -> Background:
        if row.member == NO_MEMBER:
            return Background(fide=row.fide, given_start=row.given_start, origin=ORIGIN)
        person = self._person(row.member)
        fide, cfc = self._outside.get(row.member, ((), ()))
        return Background(
            standings={
                system: self.limits(row.member, system, standing, key)
                for system, standing in self._standings_of(row.member).items()
            },
            fide=in_force(fide, key.started) or row.fide,
            cfc=in_force(cfc, key.ended),
            birth_date=None if person.get("is_year_only") else person["birth_date"],
            birth_year=person.get("birth_year"),
            adult=person["adult"],
            canadian_resident=person["canadian_resident"],
            given_start=row.given_start,
            origin=ORIGIN,
        )

    def _is_rated_abroad(self, row: Row, key: Key, background: Background, edition: Edition) -> bool:
        """Whether a foreign event updates this player: marked in the report, and eligible by the record (§6)."""
        standing = background.standings.get(RatingSystem.OTBR)
        if not row.is_marked or standing is None or row.member == NO_MEMBER:
            return False
        person = self._person(row.member)
        until = person["member_until"]
        if until is not None and until < key.ended:
            return False
        return is_eligible(
            edition.constants,
            math.inf if standing.games is None else standing.games,
            math.nan if background.fide is None else background.fide.rating,
            is_of_usa(person["fide_flag"] or row.fide_flag),
            has_opted_in(self._decided.get(row.member, ()), key.started) or bool(row.has_opted_in),
        )


def key_of(archived: ArchivedSection) -> Key:
    """Where a section stands in the replay."""
    section = archived.section
    return Key(section.end, section.start, archived.event_id, section.number)
