"""The interpreted replay of a span of the record, step by step; the measure of the compiled one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from crosstable.checks.players import OWN_RECORD
from crosstable.history.archive import Archive
from crosstable.history.archive_contents import (
    ArchivedSection,
    Decided,
    Opened,
    Row,
    decisions_of,
    openings_of,
    sections_of,
)
from crosstable.history.archive_tables import NO_MEMBER
from crosstable.history.plain import PlainSections, Taken, key_of
from crosstable.office.bulk.due import POSTING, RATED, Due, Take, frame_of_postings
from crosstable.office.bulk.record import Known
from crosstable.office.bulk.steps import KEY, Steps
from crosstable.office.ledger.commitments import ERASED
from crosstable.office.ledger.postings import Posting, PostingKey, posting_from, posting_of_standing, postings_of
from crosstable.office.ledger.watching import CheckedResult, Progress
from crosstable.replaying import Decision, Key, StartingRating, bare, moved
from crosstable.terms import Background, Cell, PlayerRating, RatingSystem, Result, Section

Array = Any
# Progress is told after so many steps.
TOLD_EVERY = 200


class OfficeSections(PlainSections):
    """Sections of an office's archive: what somebody brings comes from the office's own record."""

    checked: Mapping[tuple[str, int], CheckedResult] = {}

    def _brings(self, row: Row, key: Key) -> Background:
        """What somebody brings; a start that was kept when they were erased rests on their age and is not public."""
        found = super()._brings(row, key)._replace(origin=OWN_RECORD)
        if found.given_start is None or row.member == NO_MEMBER or self._person(row.member)["name"] != ERASED:
            return found
        return found._replace(given_start=found.given_start._replace(is_hidden=True))

    def take(self, archived: ArchivedSection) -> Taken:
        """A section as it is rated from the records of now; not again where it was rated from the same before."""
        section = archived.section
        before = self.checked.get((archived.event_id, section.number))
        if before is None or section.kind.is_foreign or _rated_from(before.section) != _rated_from(section):
            return super().take(archived)
        key = key_of(archived)
        rows = zip(section.entries, archived.rows, strict=True)
        backgrounds = {entry.number: self._brings(row, key) for entry, row in rows}
        if backgrounds != before.backgrounds:
            return super().take(archived)
        return Taken(archived, backgrounds, before.rated)


def _rated_from(section: Section) -> tuple[Any, ...]:
    """What of a section its ratings follow from."""
    entries = [(entry.number, entry.member_id, entry.is_rated, _games(entry.cells)) for entry in section.entries]
    kept = section._replace(name="", time_control=None, entries=())
    return (*kept, entries)


def _games(cells: Sequence[Cell]) -> list[tuple[int, Result, int]]:
    rounds = enumerate(cells)
    return [(at, cell.result, cell.opponent) for at, cell in rounds if cell.result is not Result.BLANK]


class Interpreted:
    """A replay by the interpreted engine: of every step, from the records of before the first."""

    def __init__(self, known: Known, steps: Steps, checked: Sequence[CheckedResult] = ()) -> None:
        self.known, self.steps = known, steps
        self.archive = archive = known.archive
        self.ids = archive.members["member_id"]
        self.records: dict[int, dict[RatingSystem, PlayerRating]] = {}
        self.before = pl.DataFrame(schema={"who": pl.Int32(), **POSTING})
        self.unratable: dict[int, str] = {}
        self.rated: list[tuple[Any, ...]] = []
        told = archive._replace(openings=pl.concat([known.earlier, archive.openings], how="vertical_relaxed"))
        openings, decisions = openings_of(told), decisions_of(archive)
        self._rates = OfficeSections(archive, self._records_of, openings, decisions)
        self._rates.checked = {(one.event_id, one.section.number): one for one in checked}
        self._moves = _moves(openings, decisions)
        self._rows = steps.frame.select("archived", "member", *KEY, "system")
        self._sections: Iterator[ArchivedSection] = iter(())

    def _records_of(self, member: int) -> Mapping[RatingSystem, PlayerRating]:
        return self.records.get(member, {})

    def go(self, take: Take, progress: Progress) -> None:
        """Rate everything, and hand over what is due."""
        take(self.due([*self.postings(progress)]))

    def due(self, made: Sequence[tuple[int, Posting]], old: pl.DataFrame | None = None) -> Due:
        """What steps made as it is handed over, with what is posted there."""
        postings = frame_of_postings(self.known, [one for _, one in made], [step for step, _ in made])
        rated = pl.DataFrame(self.rated, schema={"step": pl.Int64(), **RATED}, orient="row")
        return Due(0, self.steps.frame.height, lambda: (postings, rated), old)

    def postings(self, progress: Progress) -> Iterator[tuple[int, Posting]]:
        """Rate everything: steps, and a posting that each makes."""
        every = range(self.steps.frame.height)
        self.begin(every)
        for step in every:
            yield from ((step, posting) for _, posting in self.rate(step))
            if (step + 1) % TOLD_EVERY == 0 or step + 1 == len(every):
                progress(step + 1)

    def begin(self, steps: Sequence[int]) -> None:
        """Take the sections of steps out of the archive: each of these is then rated or left, in their order."""
        numbers = self._rows["archived"].gather(list(steps)).to_list()
        own = [number for number in numbers if number is not None and number >= 0]
        self._sections = sections_of(part_of(self.archive, own))

    def leave(self, step: int) -> None:
        """Go past a step."""
        archived = self._rows["archived"][step]
        if archived is not None and archived >= 0:
            next(self._sections)

    def rate(self, step: int) -> list[tuple[int, Posting]]:
        """Rate a step: the members and the postings that it makes."""
        archived, member, *key, system = self._rows.row(step)
        if member is not None:
            return [*self._moved(self._moves[(*key[2:], system)], member, Key(*key))]
        return [*self._section(step, archived, next(self._sections))] if archived >= 0 else []

    def _moved(self, what: StartingRating | Decision, member: int, key: Key) -> Iterator[tuple[int, Posting]]:
        own = self.records.setdefault(member, {})
        assert what.system is not None
        before = own.get(what.system)
        after = bare(what.standing) if isinstance(what, StartingRating) else moved(what, before)
        if after is not None:
            own[what.system] = after
            about = PostingKey(self.ids[member], what.system, key.event_id, key.section)
            yield member, posting_of_standing(about, key, before, after)

    def _section(self, step: int, number: int, archived: ArchivedSection) -> Iterator[tuple[int, Posting]]:
        taken = self._rates.take(archived)
        section = archived.section
        key = Key(section.end, section.start, archived.event_id, section.number)
        if taken.unratable:
            self.unratable[number] = taken.unratable
        members = {entry.member_id: row.member for entry, row in zip(section.entries, archived.rows, strict=True)}
        for rated in taken.rated:
            self.rated.append((step, *key[2:], int(rated.system), rated.edition.name))
            for posting in postings_of(rated, key):
                assert posting.standing is not None
                who = members[posting.member_id]
                self.records.setdefault(who, {})[posting.system] = posting.standing
                yield who, posting

    def record(self, who: int, system: RatingSystem) -> PlayerRating | None:
        """A member's rating record in a system at the end."""
        return self.records.get(who, {}).get(system)

    def ratings(self, who: Array, system: Array) -> tuple[pl.Series, pl.Series]:
        """The ratings and games of members at the end."""
        found = [self.record(one, RatingSystem(of)) for one, of in zip(who.tolist(), system.tolist(), strict=True)]
        ratings = [None if one is None else one.rating for one in found]
        games = [None if one is None else one.games for one in found]
        return pl.Series(ratings, dtype=pl.Float64()), pl.Series(games, dtype=pl.Float64())


def records_of(before: pl.DataFrame) -> dict[int, dict[RatingSystem, PlayerRating]]:
    """The rating records after postings, by member and system."""
    found: dict[int, dict[RatingSystem, PlayerRating]] = {}
    for who, row in zip(before["who"].to_list(), before.select(*Posting._fields).iter_rows(), strict=True):
        posting = posting_from(row)
        assert posting.standing is not None
        found.setdefault(who, {})[posting.system] = posting.standing
    return found


def part_of(archive: Archive, numbers: Sequence[int]) -> Archive:
    """The archive with some of its sections only, numbered anew."""
    if len(numbers) == archive.sections.height:
        return archive
    places = pl.DataFrame({"section": numbers}, schema={"section": pl.UInt32()}).with_row_index("new")

    def renumbered(frame: pl.DataFrame) -> pl.DataFrame:
        joined = frame.join(places, on="section", maintain_order="left")
        return joined.with_columns(section=pl.col("new")).drop("new")

    return archive._replace(
        sections=archive.sections[list(numbers)], entries=renumbered(archive.entries), games=renumbered(archive.games)
    )


def _moves(
    openings: Iterable[Opened], decisions: Iterable[Decided]
) -> dict[tuple[str, int, int], StartingRating | Decision]:
    """Starting ratings and decisions by the key of their step and their system."""
    whats: list[StartingRating | Decision] = [*(one.opening for one in openings), *(one.decision for one in decisions)]
    return {(what.key.event_id, what.key.section, int(what.system)): what for what in whats if what.system is not None}
