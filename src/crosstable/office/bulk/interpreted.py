"""The interpreted replay of those steps of a span that something reaches; the measure of the compiled one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

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
from crosstable.office.bulk.causes import Pending
from crosstable.office.bulk.due import RATED, Due, Span, Take, frame_of_postings
from crosstable.office.bulk.record import Known
from crosstable.office.bulk.steps import KEY, Steps, members_of, numbered
from crosstable.office.ledger.commitments import ERASED
from crosstable.office.ledger.postings import Posting, PostingKey, posting_from, posting_of_standing, postings_of
from crosstable.office.ledger.runs import Progress, RatedInSystems
from crosstable.replaying import DAWN, Decision, Key, StartingRating
from crosstable.rules.amending import Edition
from crosstable.terms import Background, Cell, Entry, PlayerRating, RatingSystem, Result, Section

Array = Any
# Progress is told after so many steps.
_TOLD_EVERY = 200


class Reach(NamedTuple):
    """The steps that a change may reach, and from which key on each member's rating may be another."""

    steps: Sequence[int]
    since: Mapping[int, Key]

    def starts(self, known: Known) -> pl.DataFrame:
        """The ids of members and those keys."""
        ids = known.ids["member_id"]
        rows = [(ids[who], *key) for who, key in self.since.items()]
        schema = {"member_id": pl.String(), "ended": pl.Date(), "started": pl.Date(), "event_id": pl.String()}
        return pl.DataFrame(rows, schema={**schema, "section": pl.Int32()}, orient="row")


def reach_of(known: Known, steps: Steps, pending: Pending, most: int) -> Reach | None:
    """Steps that are touched, and all later ones of everybody in them; nothing where they are more than so many.

    A rating that changes hardly ever becomes what it was, so this is about what has to be rated again.
    """
    since: dict[int, Key] = {}
    for who, day in _told(pending.members, known, "day"):
        _earlier(since, who, Key(day, DAWN, "", 0))
    for who, *place in _told(pending.posted, known, *KEY):
        _earlier(since, who, Key(*place))
    places = steps.frame.select("event_id", "section", "step")
    touched = set(places.join(pending.sections, on=["event_id", "section"], how="semi")["step"])
    members = _members_by_step(known, steps)
    found: list[int] = []
    for step, key in enumerate(steps.frame.select(KEY).iter_rows()):
        own = members.get(step, ())
        if step in touched or any(who in since and since[who] <= key for who in own):
            found.append(step)
            for who in own:
                _earlier(since, who, Key(*key))
            if len(found) > most:
                return None
    return Reach(found, since)


def everything(steps: Steps) -> Reach:
    """Every step of a record from its beginning."""
    return Reach(range(steps.frame.height), {})


def _earlier(since: dict[int, Key], who: int, key: Key) -> None:
    if who not in since or key < since[who]:
        since[who] = key


def _told(frame: pl.DataFrame, known: Known, *names: str) -> Iterable[tuple[Any, ...]]:
    return numbered(frame, known).drop_nulls("who").select("who", *names).iter_rows()


def _members_by_step(known: Known, steps: Steps) -> dict[int, list[int]]:
    """The members whose records a step reads."""
    found = members_of(known, steps).group_by("step", maintain_order=True).agg("who")
    return dict(zip(found["step"].to_list(), found["who"].to_list(), strict=True))


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


class Interpreted:
    """A replay of the steps that are reached, by the interpreted engine."""

    def __init__(self, span: Span, reach: Reach, checked: Sequence[RatedInSystems] = ()) -> None:
        self.known, self.steps = span.known, span.steps
        self._reach = reach
        archive = span.known.archive
        self.ids = archive.members["member_id"]
        self._replay = PlainReplay()
        self._replay.records = records_of(span.before)
        self._openings, self._decisions = openings_of(archive), decisions_of(archive)
        part = part_of(archive, self._sections())
        self._parts = sections_of(part)
        self._rates = OfficeSections(part, self._replay.of, self._openings, self._decisions)
        self._rates.checked = {rated[0].section.key: rated for rated in checked}
        self.unratable: dict[int, str] = {}
        self._rated: list[tuple[Any, ...]] = []

    def _sections(self) -> list[int]:
        numbers = self.steps.frame["archived"].gather(list(self._reach.steps))
        return [number for number in numbers.to_list() if number is not None and number >= 0]

    def go(self, take: Take, progress: Progress) -> None:
        """Rate everything, and hand over what is due."""
        due = [*self.postings(progress)]
        postings = frame_of_postings(self.known, [one for _, one in due], [step for step, _ in due])
        rated = pl.DataFrame(self._rated, schema={"step": pl.Int64(), **RATED}, orient="row")
        take(Due(0, self.steps.frame.height, lambda: (postings, rated)))

    def postings(self, progress: Progress) -> Iterator[tuple[int, Posting]]:
        """Rate everything: steps, and a posting that each makes."""
        moves = _moves(self._openings, self._decisions)
        rows = self.steps.frame.select("archived", "member", *KEY, "system")
        for done, step in enumerate(self._reach.steps, 1):
            archived, member, *key, system = rows.row(step)
            made: Iterable[Posting] = ()
            if member is not None:
                made = self._moved(moves[(*key[2:], system)], member, Key(*key))
            elif archived >= 0:
                made = self._section(step, archived, next(self._parts))
            yield from ((step, one) for one in made)
            if done % _TOLD_EVERY == 0 or done == len(self._reach.steps):
                progress(done)

    def _moved(self, what: StartingRating | Decision, member: int, key: Key) -> Iterator[Posting]:
        assert what.system is not None
        before = self._replay.of(member).get(what.system)
        after = self._replay.move(member, what)
        if after is not None:
            about = PostingKey(self.ids[member], what.system, key.event_id, key.section)
            yield posting_of_standing(about, key, before, after)

    def _section(self, step: int, number: int, archived: ArchivedSection) -> Iterator[Posting]:
        try:
            in_systems = self._rates.take(archived)
        except NoEditionError as error:
            self.unratable[number] = str(error)
            return
        self._replay.carry(in_systems, members_in(archived).get)
        for rated in in_systems:
            self._rated.append((step, *archived.section.key[2:], int(rated.system), rated.edition.name))
            yield from postings_of(rated)

    def record(self, who: int, system: RatingSystem) -> PlayerRating | None:
        """A member's rating record in a system at the end."""
        return self._replay.of(who).get(system)

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
