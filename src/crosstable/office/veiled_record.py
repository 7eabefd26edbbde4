"""The veils of a whole record: every section once, in the order of the fold, with what is hidden before and after it.

A section that nobody's birth date reaches is clear, and is not even rated for this. What is hidden passes from section
to section: a span until it has become too narrow to matter, decimals for good.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from sqlalchemy import Connection, select

from crosstable.engine import RatedSection
from crosstable.office import tables
from crosstable.office.ledger.chains import Chains
from crosstable.office.ledger.facts import DecisionKind, Heading, Opening, Record, State
from crosstable.office.ledger.fold import Progress, Step, Walk, in_silence, portions, steps_of
from crosstable.office.ledger.postings import Posting, PostingKey
from crosstable.office.published import cut_off_day, month_of
from crosstable.office.supplements import Basis, Supplement
from crosstable.office.veils import CLEAR, Span, Spans, Veil, veil_of
from crosstable.terms import RatingSystem

MemberSystem = tuple[str, RatingSystem]


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


class RecordVeils:
    """Veils of all sections and postings of a record, as it was known to a run."""

    def __init__(self, connection: Connection, run: int, progress: Progress = in_silence) -> None:
        """Walk the whole record once; ``progress`` is told how many steps are done."""
        self.record = record = Record(connection, run)
        self.postings: dict[PostingKey, Hidden] = {}
        self.sections: dict[tuple[str, int, RatingSystem], Veil] = {}
        self._spans: dict[MemberSystem, Span] = {}
        self._blurred: set[MemberSystem] = set()
        posting = tables.posting.c
        rows = connection.execute(select(posting.member_id).where(posting.run <= run).distinct())
        self._members = sorted(row[0] for row in rows)
        self._chains = Chains(connection, run)
        self._walk = Walk(record, self._chains.before)
        self._go(progress)

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
        return [
            (rated, self.veil(heading.event_id, heading.number, rated.system)) for rated in self._walk.rated(heading)
        ]

    # the walk

    def _go(self, progress: Progress) -> None:
        by_place = self._posted()
        done = 0
        for portion in portions(steps_of(self.record)):
            self._walk.prepare(portion)
            for step in portion:
                self._take(step, by_place.get((step.key.event_id, step.key.section), []))
            done += len(portion)
            progress(done)

    def _posted(self) -> dict[tuple[str, int], list[Posting]]:
        """All postings, by the place they stand at."""
        self._chains.load(self._members)
        found: dict[tuple[str, int], list[Posting]] = {}
        for member in self._members:
            for posting in self._chains.postings(member):
                found.setdefault((posting.event_id, posting.section), []).append(posting)
        return found

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
