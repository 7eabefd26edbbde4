"""The fold: every rating of an office, derived from its facts in the one order that counts (readings 83).

A step is a section, an opening standing, or a decision that moves a rating. ``Walk`` says what one step gives when the
members' standings before it are known; ``fold`` takes all steps from the beginning. ``rerate`` takes only those that
changed, with the same ``Walk``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from crosstable.checks.eligibility import why_not_abroad
from crosstable.checks.players import OWN_RECORD
from crosstable.engine import RatedSection, rate
from crosstable.errors import NoEditionError
from crosstable.folding import DAWN, MOVING, Decision, Key, Opening, bare, decided, has_opted_in, in_force, moved
from crosstable.office.ledger.facts import (
    EntryFact,
    Heading,
    Person,
    Record,
    State,
)
from crosstable.office.ledger.postings import (
    Posting,
    PostingKey,
    posting_of_standing,
    postings_of,
)
from crosstable.office.ledger.watching import Progress, in_silence
from crosstable.rules.editions import edition_for
from crosstable.rules.law import Edition
from crosstable.terms import (
    Background,
    Cell,
    Entry,
    GivenStart,
    OutsideRating,
    PlayerRating,
    RatingSystem,
    ReportedPlayer,
    Result,
    Section,
)

Step = Heading | Opening | Decision
Standings = Mapping[RatingSystem, PlayerRating]
# So many sections are read from the database at a time.
PORTION = 200


class Taken(NamedTuple):
    """What a step gave: its postings, the rated sections behind them, and why a section could not be rated."""

    postings: Sequence[Posting]
    rated: Sequence[RatedSection] = ()
    unratable: str = ""


class Folded(NamedTuple):
    """Every posting that follows from the facts, and the sections that no known rule can rate."""

    postings: Mapping[PostingKey, Posting]
    standings: Mapping[str, Standings]
    unratable: Mapping[Key, str]


def steps_of(record: Record, headings: Sequence[Heading] | None = None, *, since: date = DAWN) -> list[Step]:
    """All steps of the record that do not end before a day, in the order of the fold."""
    moving = [one for one in record.decisions() if one.kind in MOVING and one.effective >= since]
    sections = record.headings(since) if headings is None else headings
    found: list[Step] = [*sections, *record.openings(since=since), *moving]
    return sorted(found, key=lambda step: step.key)


class Circumstances:
    """What decisions and openings say of members: floors, ceilings, granted match floors, opting in."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._known: set[str] = set()
        self._decisions: dict[str, list[Decision]] = {}
        self._openings: dict[str, list[Opening]] = {}

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

    def decided(self, member: str, system: RatingSystem, standing: PlayerRating, key: Key) -> PlayerRating:
        """A standing with the floors and the ceiling that stand at a place of the fold."""
        return decided(standing, system, key, self._openings.get(member, ()), self._decisions.get(member, ()))

    def has_opted_in(self, member: str, day: date) -> bool:
        """Whether a member wants foreign events rated."""
        return has_opted_in(self._decisions.get(member, ()), day)


class Walk:
    """One step at a time: what it gives, when the standings before it are known."""

    def __init__(self, record: Record, standings_of: Callable[[str, Key], Standings]) -> None:
        self.record = record
        self.circumstances = Circumstances(record)
        self._standings_of = standings_of
        self._entries: dict[tuple[str, int], list[EntryFact]] = {}
        self._people: dict[str, Person] = {}

    def prepare(self, steps: Sequence[Step]) -> None:
        """Read what a portion of steps needs, all at once."""
        accepted = [step for step in steps if isinstance(step, Heading) and step.state is State.ACCEPTED]
        self._entries = self.record.entries(accepted)
        ids = {entry.member_id for entries in self._entries.values() for entry in entries if entry.member_id}
        ids |= {step.member_id for step in steps if not isinstance(step, Heading)}
        self.meet({self.record.one_id(one) for one in ids})

    def members_of(self, step: Step) -> set[str]:
        """The members whose standing a step reads."""
        if not isinstance(step, Heading):
            return {self.record.one_id(step.member_id)}
        entries = self._entries.get((step.event_id, step.number), ())
        return {self.record.one_id(entry.member_id) for entry in entries if entry.member_id}

    def take(self, step: Step) -> Taken:
        """What a step gives."""
        if isinstance(step, Heading):
            return self._section(step)
        member = self.record.one_id(step.member_id)
        assert step.system is not None
        before = self._standings_of(member, step.key).get(step.system)
        about = PostingKey(member, step.system, step.key.event_id, step.key.section)
        after = bare(step.standing) if isinstance(step, Opening) else moved(step, before)
        return Taken([] if after is None else [posting_of_standing(about, step.key, before, after)])

    def _section(self, heading: Heading) -> Taken:
        if heading.state is not State.ACCEPTED:
            return Taken([])
        try:
            rated = self.rated(heading)
        except NoEditionError as error:
            return Taken([], unratable=str(error))
        return Taken([posting for one in rated for posting in postings_of(one, heading.key)], rated)

    def rated(self, heading: Heading) -> list[RatedSection]:
        """A section rated in each of its systems, each from the standings before it."""
        assert heading.started is not None
        edition = edition_for(heading.started)
        entries = [entry for entry in self._entries[heading.event_id, heading.number] if entry.number is not None]
        backgrounds = {entry.number: self._background(entry, heading.key) for entry in entries if entry.number}
        section = self._checked(heading, entries, backgrounds, edition)
        return [rate(section, system, backgrounds, edition) for system in heading.systems]

    def _checked(
        self, heading: Heading, entries: Sequence[EntryFact], backgrounds: Mapping[int, Background], edition: Edition
    ) -> Section:
        key = heading.key
        return Section(
            number=heading.number,
            name=heading.name,
            kind=heading.kind,
            is_online=heading.is_online,
            time_control=None,
            systems=heading.systems,
            start=key.started,
            end=key.ended,
            entries=tuple(
                Entry(
                    entry.number or 0,
                    self.record.one_id(entry.member_id),
                    entry.name,
                    tuple(Cell(cell.result or Result.BLANK, cell.opponent, cell.colour) for cell in entry.cells),
                    not heading.kind.is_foreign or self._is_rated_abroad(entry, heading, backgrounds, edition),
                )
                for entry in entries
            ),
            is_half_k=heading.is_half_k,
            is_dual_control=heading.is_dual_control,
        )

    def _is_rated_abroad(
        self, entry: EntryFact, heading: Heading, backgrounds: Mapping[int, Background], edition: Edition
    ) -> bool:
        """Whether a foreign event updates this player: marked in the report, and eligible by the record (§6)."""
        if not entry.extra.get("rate") or entry.number is None:
            return False
        member = self.record.one_id(entry.member_id)
        person = self._people.get(member)
        until = None if person is None else person.member_until
        flag = entry.extra.get("fide_flag") if person is None or not person.fide_flag else person.fide_flag
        player = ReportedPlayer(
            number=entry.number,
            member_id=member,
            name=entry.name,
            cells=entry.cells,
            background=backgrounds[entry.number],
            place="",
            fide_flag=flag,
            is_member=None if until is None else until >= heading.key.ended,
            has_opted_in=self.circumstances.has_opted_in(member, heading.key.started)
            or bool(entry.extra.get("fide_opt_in")),
        )
        return why_not_abroad(player, edition) is None

    def meet(self, members: Iterable[str]) -> None:
        """Read what is known of members, for ``background``."""
        self._people = self.record.people(members)
        self.circumstances.know(members)

    def _background(self, entry: EntryFact, key: Key) -> Background:
        start = entry.extra.get("start")
        found = self.background(self.record.one_id(entry.member_id), key)
        return found._replace(
            fide=found.fide or _file_rating(entry), given_start=None if start is None else GivenStart(*start)
        )

    def background(self, member: str, key: Key) -> Background:
        """What a member brings to a place of the fold; one who is not known brings nothing."""
        person = self._people.get(member)
        if person is None:
            return Background(origin=OWN_RECORD)
        standings = {
            system: self.circumstances.decided(member, system, standing, key)
            for system, standing in self._standings_of(member, key).items()
        }
        return Background(
            standings=standings,
            fide=in_force(person.fide, key.started),
            cfc=in_force(person.cfc, key.ended),
            birth_date=person.birth_date,
            birth_year=person.birth_year,
            adult=person.adult,
            canadian_resident=person.canadian_resident,
            origin=OWN_RECORD,
        )


def _file_rating(entry: EntryFact) -> OutsideRating | None:
    """The FIDE rating that the report itself carries, for opponents abroad who are no members."""
    fide = entry.extra.get("fide")
    return None if fide is None else OutsideRating(fide[0], date.fromisoformat(fide[1]) if fide[1] else None)


def portions(steps: Sequence[Step]) -> Iterator[Sequence[Step]]:
    """Steps in portions of a size that is read at once."""
    for at in range(0, len(steps), PORTION):
        yield steps[at : at + PORTION]


def fold(record: Record, progress: Progress = in_silence) -> Folded:
    """Every posting of an office, from nothing, by the plain engine."""
    standings: dict[str, dict[RatingSystem, PlayerRating]] = {}
    walk = Walk(record, lambda member, key: standings.get(member, {}))
    postings: dict[PostingKey, Posting] = {}
    unratable: dict[Key, str] = {}
    done = 0
    for portion in portions(steps_of(record)):
        walk.prepare(portion)
        for step in portion:
            result = walk.take(step)
            if result.unratable:
                unratable[step.key] = result.unratable
            for posting in result.postings:
                assert posting.standing is not None
                postings[posting.about] = posting
                standings.setdefault(posting.member_id, {})[posting.system] = posting.standing
        done += len(portion)
        progress(done)
    return Folded(postings, standings, unratable)
