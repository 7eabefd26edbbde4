"""The interpreted engine over an office's record: a step at a time, or every step of a span."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from crosstable.checks.players import OWN_RECORD
from crosstable.errors import NoEditionError
from crosstable.history.archive import Archive
from crosstable.history.archive_contents import (
    ArchivedSection,
    Decided,
    Opened,
    decisions_of,
    openings_of,
    sections_of,
)
from crosstable.history.archive_tables import NO_MEMBER
from crosstable.history.plain import PlainReplay, PlainSections
from crosstable.history.plain import members_of as members_in
from crosstable.office.bulk.due import RATED, Due, Span, Take, frame_of_postings
from crosstable.office.bulk.record import Known
from crosstable.office.bulk.steps import KEY, Steps
from crosstable.office.ledger.commitments import ERASED
from crosstable.office.ledger.postings import Posting, PostingKey, posting_from, posting_of_standing, postings_of
from crosstable.office.ledger.runs import Progress, RatedInSystems
from crosstable.replaying import Decision, Key, StartingRating
from crosstable.rules.amending import Edition
from crosstable.terms import Background, Cell, Entry, PlayerRating, RatingSystem, Result, Section

Array = Any
# Progress is told after so many steps; so many are taken out of the tables at once.
TOLD_EVERY, PREPARED = 200, 1_000


class OfficeSections(PlainSections):
    """Sections of an office's archive: what somebody brings comes from the office's own record."""

    checked: Mapping[Key, RatedInSystems] = {}

    def _brings(self, entry: Entry, member: int, key: Key) -> Background:
        """What somebody brings; a start that was kept when they were erased rests on their age and is not public."""
        found = super()._brings(entry, member, key)._replace(origin=OWN_RECORD)
        if found.given_start is None or member == NO_MEMBER or self._person(member)["name"] != ERASED:
            return found
        return found._replace(given_start=found.given_start._replace(is_hidden=True))

    def _rated(self, section: Section, edition: Edition) -> RatedInSystems:
        """A section in its systems; not rated again where it was rated from the same before."""
        before = self.checked.get(section.key)
        if before is None or section.kind.is_foreign or _rated_from(before[0].section) != _rated_from(section):
            return super()._rated(section, edition)
        return before


def _rated_from(section: Section) -> tuple[Any, ...]:
    """What of a section its ratings follow from."""
    entries = [
        (entry.number, entry.member_id, entry.is_rated, _games(entry.cells), entry.background)
        for entry in section.entries
    ]
    kept = section._replace(name="", time_control=None, entries=())
    return (*kept, entries)


def _games(cells: Sequence[Cell]) -> list[tuple[int, Result, int]]:
    rounds = enumerate(cells)
    return [(at, cell.result, cell.opponent) for at, cell in rounds if cell.result is not Result.BLANK]


class Engine:
    """The interpreted engine over the steps of a record; whoever has it rate one says what records it reads."""

    def __init__(self, known: Known, steps: Steps, checked: Sequence[RatedInSystems] = ()) -> None:
        self.known, self.steps = known, steps
        archive = known.archive
        self._ids = archive.members["member_id"]
        self._rows = steps.frame.select("archived", "member", *KEY, "system")
        self._replay = PlainReplay()
        earlier = archive._replace(openings=known.earlier)
        self._openings, self._decisions = [*openings_of(earlier), *openings_of(archive)], decisions_of(archive)
        self._moves = _moves(self._openings, self._decisions)
        self._rates = OfficeSections(archive, self._replay.of, self._openings, self._decisions)
        self._rates.checked = {rated[0].section.key: rated for rated in checked}
        self._prepared: dict[int, ArchivedSection] = {}
        self.unratable: dict[int, str] = {}
        self.rated: list[tuple[Any, ...]] = []

    def hold(self, records: dict[int, dict[RatingSystem, PlayerRating]]) -> None:
        """The records of members from which the next step is rated."""
        self._replay.records = records

    def record(self, who: int, system: RatingSystem) -> PlayerRating | None:
        """A member's rating record in a system after the last step."""
        return self._replay.of(who).get(system)

    def has(self, step: int) -> bool:
        """Whether a step can be rated as it is: its section was taken out of the tables, or it has none."""
        archived = self._rows["archived"][step]
        return step in self._prepared or archived is None or archived < 0

    def prepare(self, steps: Iterable[int]) -> None:
        """Take the sections of steps out of the tables, many at once."""
        numbers = self._rows["archived"]
        sections = sorted((numbers[step], step) for step in steps if not self.has(step))
        part = part_of(self.known.archive, [number for number, _ in sections])
        taken = [*sections_of(part)]
        self._prepared.update(zip((step for _, step in sections), taken, strict=True))
        self._rates.know(member for one in taken for member in one.members)

    def rate(self, step: int) -> Iterator[tuple[int, Posting]]:
        """Rate a step: members, and the posting that it makes of each."""
        archived, member, *key, system = self._rows.row(step)
        if member is not None:
            yield from self._moved(self._moves[(*key[2:], system)], member, Key(*key))
        elif archived >= 0:
            yield from self._section(step, archived, self._prepared.pop(step))

    def _moved(self, what: StartingRating | Decision, member: int, key: Key) -> Iterator[tuple[int, Posting]]:
        assert what.system is not None
        before = self._replay.of(member).get(what.system)
        after = self._replay.move(member, what)
        if after is not None:
            about = PostingKey(self._ids[member], what.system, key.event_id, key.section)
            yield member, posting_of_standing(about, key, before, after)

    def _section(self, step: int, number: int, archived: ArchivedSection) -> Iterator[tuple[int, Posting]]:
        try:
            in_systems = self._rates.take(archived)
        except NoEditionError as error:
            self.unratable[number] = str(error)
            return
        members = members_in(archived)
        self._replay.carry(in_systems, members.get)
        for rated in in_systems:
            self.rated.append((step, *archived.section.key[2:], int(rated.system), rated.edition.name))
            yield from ((members[one.member_id], one) for one in postings_of(rated))


class Interpreted:
    """A replay of every step of a span by the interpreted engine; the measure of the compiled one."""

    def __init__(self, span: Span) -> None:
        archive = span.known.archive
        known = span.known._replace(archive=archive._replace(openings=archive.openings[: span.starts]))
        self.known, self._height = known, span.steps.frame.height
        self._engine = Engine(known, span.steps)
        self._engine.hold(records_of(span.before))
        self.unratable, self.record = self._engine.unratable, self._engine.record

    def go(self, take: Take, progress: Progress) -> None:
        """Rate everything, and hand over what is due."""
        take(due_of(self.known, [*self.postings(progress)], self._engine.rated, self._height))

    def postings(self, progress: Progress) -> Iterator[tuple[int, Posting]]:
        """Rate everything: steps, and a posting that each makes."""
        for step in range(self._height):
            if step % PREPARED == 0:
                self._engine.prepare(range(step, min(step + PREPARED, self._height)))
            yield from ((step, one) for _, one in self._engine.rate(step))
            done = step + 1
            if done % TOLD_EVERY == 0 or done == self._height:
                progress(done)

    def ratings(self, who: Array, system: Array) -> tuple[pl.Series, pl.Series]:
        """The ratings and games of members at the end."""
        return ratings_of(self.record, who, system)


def due_of(known: Known, made: Sequence[tuple[int, Posting]], rated: Sequence[tuple[Any, ...]], height: int) -> Due:
    """The postings that steps made, and the sections that were rated, as they are handed over."""
    postings = frame_of_postings(known, [one for _, one in made], [step for step, _ in made])
    frame = pl.DataFrame(rated, schema={"step": pl.Int64(), **RATED}, orient="row")
    return Due(0, height, lambda: (postings, frame))


def ratings_of(
    record: Callable[[int, RatingSystem], PlayerRating | None], who: Array, system: Array
) -> tuple[pl.Series, pl.Series]:
    """The ratings and games in records of members."""
    found = [record(one, RatingSystem(of)) for one, of in zip(who.tolist(), system.tolist(), strict=True)]
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
