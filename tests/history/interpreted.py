"""The interpreted replay of a whole archive: every section rated in order by the engine, rating records carried along.

This is the measure of every faster way: the compiled replay must give the same bits. It is meant for archives small
enough for Python.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.errors import NoEditionError
from crosstable.history.archive import Archive
from crosstable.history.archive_contents import ArchivedSection, decisions_of, openings_of, sections_of
from crosstable.history.plain import PlainReplay, PlainSections, RecordArrays, members_of
from crosstable.replaying import MOVING, Decision, StartingRating
from crosstable.rules.rule_sets import OFFICIAL, RuleSet
from crosstable.terms import RatingSystem

Progress = Callable[[int], None]


class Line(NamedTuple):
    """What a section did to one member in one system; no rating before: they were unrated in it."""

    section: int
    member: int
    system: RatingSystem
    rating_before: float | None
    games_before: float | None
    rating_after: float
    games_after: float | None
    norm: str | None


class Taken(NamedTuple):
    """A section as it was rated: the result in each system, or why there is none."""

    archived: ArchivedSection
    rated: tuple[RatedSection, ...]
    unratable: str = ""


class Interpreted(NamedTuple):
    """Every line in the order of the replay, the rating records at the end by member, the sections nobody can rate."""

    lines: list[Line]
    standings: Mapping[int, RecordArrays]
    unratable: Mapping[int, str]


def in_silence(done: int) -> None:
    """Progress that nobody watches."""


def interpreted_replay(archive: Archive, progress: Progress = in_silence, rules: RuleSet = OFFICIAL) -> Interpreted:
    """Rate an archive from nothing, by the official rules or by a rule set."""
    lines: list[Line] = []
    unratable: dict[int, str] = {}
    replay = InterpretedReplay(archive, rules)
    for taken in replay:
        at = taken.archived.at
        if taken.unratable:
            unratable[at] = taken.unratable
        members = members_of(taken.archived)
        for rated in taken.rated:
            lines += [_line(at, members[player.member_id], rated.system, player) for player in rated_members(rated)]
        progress(at + 1)
    return Interpreted(lines, replay.records, unratable)


def rated_members(rated: RatedSection) -> Iterator[RatedPlayer]:
    """The members who played a rated game; both rows of a re-entry are one."""
    seen: set[str] = set()
    for player in rated.players:
        if player.member_id and player.played and player.member_id not in seen:
            seen.add(player.member_id)
            yield player


def _line(section: int, member: int, system: RatingSystem, player: RatedPlayer) -> Line:
    before, after = player.before, player.after
    assert after is not None
    return Line(
        section,
        member,
        system,
        None if before is None else before.rating,
        None if before is None else before.games,
        after.rating,
        after.games,
        player.norm,
    )


class InterpretedReplay(PlainReplay):
    """Takes an archive section by section; ``records`` are by member what stands after the last one taken."""

    def __init__(self, archive: Archive, rules: RuleSet = OFFICIAL) -> None:
        super().__init__()
        self.archive = archive
        openings, decisions = openings_of(archive), decisions_of(archive)
        self._sections = PlainSections(archive, self.of, openings, decisions, rules)
        moving = [(member, decision) for member, decision in decisions if decision.kind in MOVING]
        self._moves: list[tuple[int, StartingRating | Decision]] = sorted(
            [*openings, *moving], key=lambda one: one[1].key
        )

    def __iter__(self) -> Iterator[Taken]:
        at = 0
        for archived in sections_of(self.archive):
            while at < len(self._moves) and self._moves[at][1].key < archived.section.key:
                self.move(*self._moves[at])
                at += 1
            yield self._taken(archived)
        for left in self._moves[at:]:
            self.move(*left)

    def _taken(self, archived: ArchivedSection) -> Taken:
        try:
            rated = self._sections.take(archived)
        except NoEditionError as error:
            return Taken(archived, (), str(error))
        self.carry(rated, members_of(archived).get)
        return Taken(archived, rated)
