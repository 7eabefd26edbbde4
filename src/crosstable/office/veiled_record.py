"""The veils of a whole record: every section once, in the order of the fold, with what is hidden before and after it.

A section that nobody's birth date reaches is clear, and is not even rated for this. What is hidden passes from section
to section: a span until it has become too narrow to matter, decimals for good.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from datetime import date
from typing import NamedTuple

from sqlalchemy import Connection, select

from crosstable.engine import RatedSection
from crosstable.office import tables
from crosstable.office.ledger.chains import Chains
from crosstable.office.ledger.facts import DecisionKind, Heading, Opening, Person, Record, State
from crosstable.office.ledger.fold import Progress, Step, Walk, in_silence, portions, steps_of
from crosstable.office.ledger.postings import Key, Posting, PostingKey
from crosstable.office.published import cut_off_day, month_of
from crosstable.office.supplements import Basis, Supplement
from crosstable.office.veils import CLEAR, Span, Spans, Veil, veil_of
from crosstable.terms import RatingSystem

MemberSystem = tuple[str, RatingSystem]
# How many places of a walk are remembered: of the first one, and of those that went on from it.
OLD_CHECKPOINTS = 10
NEW_CHECKPOINTS = 4


class Hidden(NamedTuple):
    """What is hidden of one posting: the ratings before and after, and whether the decimals and the working are."""

    is_clear: bool
    before: Span | None = None
    after: Span | None = None


IN_FULL = Hidden(is_clear=True)


def spans_on_list(connection: Connection, listed: Supplement, progress: Progress = in_silence) -> Spans:
    """The spans of the ratings on a published list that are hidden."""
    until = cut_off_day(month_of(listed.month)) if listed.basis is Basis.PLAYED else None
    return RecordVeils(connection, listed.run, progress).spans_by(until)


class Checkpoint(NamedTuple):
    """What is hidden after a place of the fold: a later walk can begin there."""

    after: Key
    spans: Mapping[MemberSystem, Span]
    blurred: frozenset[MemberSystem]


class Walked(NamedTuple):
    """Everything that a walk through a record, as it was known to a run, found; ``last`` stands at its end."""

    run: int
    postings: Mapping[PostingKey, Hidden]
    sections: Mapping[tuple[str, int, RatingSystem], Veil]
    last: Checkpoint


def first_touched(record: Record, since: int, chains: Chains) -> Key | None:
    """The first place of the fold that is not as it was after an earlier run; nothing where all is."""
    connection, through = record.connection, record.through
    posting, old, section = tables.posting.c, tables.posting.alias("old").c, tables.section.c
    is_fresh = (posting.run > since) & (posting.run <= through)
    written = select(posting.ended, posting.started, posting.event_id, posting.section).where(is_fresh)
    replaced = select(old.ended, old.started, old.event_id, old.section).where(
        is_fresh, old.posting_id == posting.supersedes
    )
    versions = select(section.ended, section.started, section.event_id, section.number).where(
        section.act > since, section.act <= through, section.started.is_not(None), section.ended.is_not(None)
    )
    places = [Key(*row) for query in (written, replaced, versions) for row in connection.execute(query)]
    for member, day in _told_since(record, since):
        chains.load([member])
        places += [one.key for one in chains.postings(member) if one.ended >= day]
    return min(places, default=None)


def _told_since(record: Record, since: int) -> Iterator[tuple[str, date]]:
    """Members of whom something was told after an act that a start may rest on, and from which day on it counts.

    What they were told to have changes postings too, nearly always; a birth date may change a veil and no posting.
    """
    connection = record.connection
    for table in (tables.member, tables.outside_rating):
        query = select(table.c.member_id).where(table.c.act > since, table.c.act <= record.through).distinct()
        ids = [row[0] for row in connection.execute(query)]
        then, now = Record(connection, since).people(ids), record.people(ids)
        for one in ids:
            if one not in then or _start_of(then[one]) != _start_of(now[one]):
                yield record.one_id(one), date.min
    for table, day in ((tables.decision, tables.decision.c.effective), (tables.opening, tables.opening.c.as_of)):
        query = select(table.c.member_id, day).where(table.c.act > since, table.c.act <= record.through)
        for member_id, begins in connection.execute(query):
            yield record.one_id(member_id), begins


def _start_of(person: Person) -> tuple[object, ...]:
    return person.birth_date, person.adult, person.canadian_resident, person.fide, person.cfc


def _marks(steps: int) -> set[int]:
    """After how many steps a walk is marked: at the end, and half as often the further back."""
    found = {steps}
    left = steps
    while left > 1 and len(found) < OLD_CHECKPOINTS:
        left //= 2
        found.add(steps - left)
    return found - {0}


class RecordVeils:
    """Veils of all sections and postings of a record, as it was known to a run."""

    def __init__(
        self,
        connection: Connection,
        run: int,
        progress: Progress = in_silence,
        *,
        before: "RecordVeils | None" = None,
    ) -> None:
        """Walk the whole record once; ``progress`` is told how many steps are done.

        From the veils of an earlier run only what was touched since is walked again, and everything after it.
        """
        self.record = record = Record(connection, run)
        self.postings: dict[PostingKey, Hidden] = {}
        self.sections: dict[tuple[str, int, RatingSystem], Veil] = {}
        self._spans: dict[MemberSystem, Span] = {}
        self._blurred: set[MemberSystem] = set()
        self._checkpoints: list[Checkpoint] = []
        posting = tables.posting.c
        rows = connection.execute(select(posting.member_id).where(posting.run <= run).distinct())
        self._members = sorted(row[0] for row in rows)
        self._chains = Chains(connection, run)
        self._walk = Walk(record, self._chains.before)
        steps = steps_of(record)
        self._go(steps if before is None else self._resumed(before, steps), progress)

    @classmethod
    def restored(cls, connection: Connection, found: Walked) -> "RecordVeils":
        """What an earlier walk found, without walking again."""
        made = cls.__new__(cls)
        made.record = Record(connection, found.run)
        made.postings, made.sections = dict(found.postings), dict(found.sections)
        made._spans, made._blurred = dict(found.last.spans), set(found.last.blurred)
        made._checkpoints = [found.last]
        made._members = sorted({one.member_id for one in found.postings})
        made._chains = Chains(connection, found.run)
        made._walk = Walk(made.record, made._chains.before)
        return made

    @property
    def walked(self) -> Walked | None:
        """What the walk found, to be kept; nothing where there was nothing to walk."""
        if not self._checkpoints:
            return None
        return Walked(self.record.through, self.postings, self.sections, self._checkpoints[-1])

    def on(self, connection: Connection) -> "RecordVeils":
        """The same on another connection, without the chains that only the walk needed: they are most of it."""
        other = copy(self)
        run = self.record.through
        other.record = Record(connection, run)
        other._chains = Chains(connection, run)
        other._walk = Walk(other.record, other._chains.before)
        return other

    def veil(self, event_id: str, number: int, system: RatingSystem) -> Veil:
        """The veil of a section in one system."""
        return self.sections.get((event_id, number, system), CLEAR)

    def hidden(self, posting: Posting) -> Hidden:
        """What is hidden of a posting."""
        return self.postings[posting.about]

    def span_of(self, member_id: str, system: RatingSystem) -> Span | None:
        """The span of a member's rating after everything, where it is hidden."""
        return self._spans.get((member_id, system))

    def spans_by(self, day: date | None) -> dict[MemberSystem, Span]:
        """The spans of all ratings that are hidden, after everything that ended by a day (or after everything)."""
        if day is None:
            return dict(self._spans)
        found = {}
        self._chains.load(self._members)
        for member in self._members:
            last: dict[RatingSystem, Posting] = {}
            for posting in self._chains.postings(member):
                if posting.ended <= day:
                    last[posting.system] = posting
            for system, posting in last.items():
                span = self.postings[posting.about].after
                if span is not None:
                    found[member, system] = span
        return found

    def rated(self, heading: Heading) -> list[tuple[RatedSection, Veil]]:
        """A section as it is rated, each system with its veil."""
        self._walk.prepare([heading])
        self._chains.load(self._walk.members_of(heading))
        return [
            (rated, self.veil(heading.event_id, heading.number, rated.system)) for rated in self._walk.rated(heading)
        ]

    # the walk

    def _resumed(self, before: "RecordVeils", steps: Sequence[Step]) -> Sequence[Step]:
        """Take over what an earlier walk found; returns the steps that are left."""
        first = first_touched(self.record, before.record.through, self._chains)
        sound = [one for one in before._checkpoints if first is None or one.after < first]
        if not sound:
            return steps
        start = sound[-1]
        self.postings, self.sections = dict(before.postings), dict(before.sections)
        self._spans, self._blurred = dict(start.spans), set(start.blurred)
        self._checkpoints = [*sound[:OLD_CHECKPOINTS], *sound[OLD_CHECKPOINTS:][-NEW_CHECKPOINTS:]]
        return [step for step in steps if step.key > start.after]

    def _go(self, steps: Sequence[Step], progress: Progress) -> None:
        by_place: dict[tuple[str, int], list[Posting]] = {}
        met: set[str] = set()
        done = 0
        marks = _marks(len(steps))
        for portion in portions(steps):
            self._walk.prepare(portion)
            fresh = {member for step in portion for member in self._walk.members_of(step)} - met
            met |= fresh
            self._chains.load(fresh)
            for member in sorted(fresh):
                for posting in self._chains.postings(member):
                    by_place.setdefault((posting.event_id, posting.section), []).append(posting)
            for step in portion:
                self._take(step, by_place.get((step.key.event_id, step.key.section), []))
                done += 1
                if done in marks and (done == len(steps) or steps[done].key > step.key):
                    self._checkpoints.append(Checkpoint(step.key, dict(self._spans), frozenset(self._blurred)))
            progress(done)

    def _take(self, step: Step, postings: Sequence[Posting]) -> None:
        if isinstance(step, Heading):
            if step.state is State.ACCEPTED:
                self._section(step, postings)
            return
        is_set_anew = isinstance(step, Opening) or step.kind is DecisionKind.ADJUST
        for posting in (one for one in postings if one.system is step.system):
            place = posting.member_id, posting.system
            span, is_blurred = self._spans.get(place), place in self._blurred
            if is_set_anew:
                self._spans.pop(place, None)
                self._blurred.discard(place)
            after = None if is_set_anew else span
            self.postings[posting.about] = Hidden(not is_blurred, span, after)

    def _section(self, heading: Heading, postings: Sequence[Posting]) -> None:
        rated: Mapping[RatingSystem, RatedSection] | None = None
        found: list[tuple[RatingSystem, Veil]] = []
        for system in heading.systems:
            mine = [posting for posting in postings if posting.system is system]
            has_hidden_decimals = any(place in self._blurred for one in mine for place in self._stands_on(one))
            if any(self._may_hang(posting) for posting in mine):
                rated = rated or {one.system: one for one in self._walk.rated(heading)}
                veil = veil_of(rated[system], self._spans, has_hidden_decimals=has_hidden_decimals)
            else:
                veil = Veil(is_clear=not has_hidden_decimals, before={}, after={})
            found.append((system, veil))
        for system, veil in found:  # a dual-rated section is two folds: neither sees the other's result
            self.sections[heading.event_id, heading.number, system] = veil
            self._note(veil, [posting for posting in postings if posting.system is system])

    def _stands_on(self, posting: Posting) -> Iterator[MemberSystem]:
        """The standings that a posting was computed from: the one before, or the sources of a start."""
        if posting.rating_before is not None:
            yield posting.member_id, posting.system
            return
        for system in RatingSystem:
            if system.name in (posting.start_sources or ""):
                yield posting.member_id, system

    def _may_hang(self, posting: Posting) -> bool:
        if any(place in self._spans for place in self._stands_on(posting)):
            return True
        if posting.rating_before is not None:
            return False
        person = self.record.people([posting.member_id]).get(posting.member_id)
        return person is not None and person.birth_date is not None

    def _note(self, veil: Veil, postings: Sequence[Posting]) -> None:
        for posting in postings:
            place = posting.member_id, posting.system
            number = posting.number or 0
            self.postings[posting.about] = Hidden(veil.is_clear, veil.before.get(number), veil.after.get(number))
            self._spans.pop(place, None)
            if number in veil.after:
                self._spans[place] = veil.after[number]
            if not veil.is_clear:
                self._blurred.add(place)
