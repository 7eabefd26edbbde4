"""An upload before it is submitted: every finding, and what each player's rating would be, with nothing stored.

It is checked and rated exactly as a submission would be. Whoever is not of the office sees sections that hang on birth
dates as ``made_up`` has them: nothing from which a birth date can be computed, however many files are made up.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import date
from typing import NamedTuple

from sqlalchemy import select

from crosstable.engine import RatedSection
from crosstable.errors import Fault, OfficeError
from crosstable.office import tables
from crosstable.office.checking import CheckedSubmission, check_submission
from crosstable.office.differences import public_differences
from crosstable.office.ledger.chains import Chains
from crosstable.office.ledger.facts import Heading, Record, State
from crosstable.office.ledger.postings import Key
from crosstable.office.ledger.rerate import last_run
from crosstable.office.made_up import Ends, MadeUp, made_up, seen_by_all
from crosstable.office.public import PublicRow, public_rows
from crosstable.office.submissions import (
    Document,
    Status,
    as_version_of,
    event_like,
    new_event_id,
    version_differences,
)
from crosstable.office.veiled_record import RecordVeils
from crosstable.office.veils import CLEAR, Span
from crosstable.pipeline.rating import RatedEvent
from crosstable.terms import RatingSystem

# Findings about results: what they say, and that they are there, hangs on computed ratings.
_ABOUT_RESULTS = frozenset({"far-from-performance", "bonus-lost", "match-limited", "floor-requested"})
MemberSystem = tuple[str, RatingSystem]


class OutlookSection(NamedTuple):
    """What would become of a section."""

    number: int
    name: str
    state: State
    players: int


class PreviewedSection(NamedTuple):
    """A section as it would be posted in one system."""

    number: int
    name: str
    system: RatingSystem
    edition: str
    is_clear: bool
    rows: tuple[PublicRow, ...]


class Preview(NamedTuple):
    """What would become of a file; ``differences`` where the event is in the record and the file says otherwise."""

    name: str
    status: Status
    event_id: str = ""
    event_name: str = ""
    is_new: bool = True
    sections: tuple[OutlookSection, ...] = ()
    faults: tuple[Fault, ...] = ()
    differences: tuple[str, ...] = ()
    rated: tuple[PreviewedSection, ...] = ()


class ChangedMeanwhileError(OfficeError):
    """The record has grown while a preview was made; ask again."""


def preview(record: Record, document: Document, today: date, veils: RecordVeils | None) -> Preview:
    """What a submission would do now. ``veils``: as the public would see it; without them, as the office does."""
    report = document.reading.report
    if not report.sections:
        return Preview(document.name, Status.REFUSED, report.event_id, report.name, faults=document.reading.faults)
    known = event_like(record, report)
    event_id = known.event_id if known else report.event_id or new_event_id(record, report)
    version = as_version_of(report, known) if known else report._replace(event_id=event_id)
    checked = check_submission(record, version, document.reading.faults, today)
    found = tuple(version_differences(record, checked)) if known else ()
    status = Status.REFUSED if checked.is_refused else Status.ACCEPTED
    if _came_in(record, document) or (known and not found):
        status = Status.KNOWN
    elif known:
        status = Status.DIFFERS
    rated = tuple(_previewed(record, checked.rated, veils))
    return Preview(
        name=document.name,
        status=status,
        event_id=event_id if known or report.event_id else "",
        event_name=report.name,
        is_new=known is None,
        sections=tuple(_outlook(checked)),
        faults=_without_results(checked, {section.number for section in rated if not section.is_clear}),
        differences=found if veils is None else tuple(public_differences(found)),
        rated=rated,
    )


def _came_in(record: Record, document: Document) -> bool:
    table = tables.document
    query = select(table.c.act).where(table.c.digest == document.digest, table.c.act <= record.through)
    return record.connection.execute(query).first() is not None


def _outlook(checked: CheckedSubmission) -> Iterator[OutlookSection]:
    for one in checked.sections:
        yield OutlookSection(one.number, one.rows.heading["name"], one.state, len(one.rows.entries))


def faults_outside(record: Record, checked: CheckedSubmission, veils: RecordVeils | None) -> tuple[Fault, ...]:
    """The findings of a submission, or a correction, as somebody outside the office may see them.

    A finding about results names ratings that everybody else may see as a range, so it is told where a preview would
    tell it. Without veils, or where the record has grown since they were made, none is.
    """
    if veils is not None:
        with suppress(ChangedMeanwhileError):
            rated = _previewed(record, checked.rated, veils)
            return _without_results(checked, {section.number for section in rated if not section.is_clear})
    return _without_results(checked, {section.number for section in checked.sections})


def posted_faults(heading: Heading, veils: RecordVeils | None, run: int) -> list[Mapping[str, str]]:
    """The findings that the record keeps of a section, as somebody outside may see them while ``run`` is the newest."""
    is_clear = (
        veils is not None
        and heading.act <= veils.record.through == run
        and all(veils.veil(heading.event_id, heading.number, system).is_clear for system in heading.systems)
    )
    return [one for one in heading.faults if is_clear or one["code"] not in _ABOUT_RESULTS]


def _without_results(checked: CheckedSubmission, hidden: Collection[int]) -> tuple[Fault, ...]:
    """Every finding; where results are hidden, nothing about results: that there is a finding would tell of them."""
    gone = {
        one
        for section in checked.sections
        if section.number in hidden
        for one in section.faults
        if one.code in _ABOUT_RESULTS
    }
    return tuple(one for one in checked.faults if one not in gone)


def _previewed(record: Record, event: RatedEvent, veils: RecordVeils | None) -> Iterator[PreviewedSection]:
    hiding = None if veils is None else _Hiding(record, event, veils)
    order = sorted(event.rated, key=lambda one: _key(event, one[0]))
    shown = []
    for by_system in order:
        found = [None if hiding is None else hiding.made_up(_key(event, rated), rated) for rated in by_system]
        for rated, hidden in zip(by_system, found, strict=True):
            section = rated.section
            rows = public_rows(rated, CLEAR) if hidden is None else hidden.rows
            shown.append(
                PreviewedSection(section.number, section.name, rated.system, rated.edition.name, hidden is None, rows)
            )
            if hiding is not None:  # a dual-rated section is two folds: neither sees the other's result
                hiding.remember(rated, hidden)
    yield from sorted(shown, key=lambda one: (one.number, one.system))


def _key(event: RatedEvent, rated: RatedSection) -> Key:
    section = rated.section
    return Key(section.end, section.start, event.report.event_id, section.number)


class _Hiding:
    """What is hidden of the standings that a made-up or real event starts from, and what it hands on itself."""

    def __init__(self, record: Record, event: RatedEvent, veils: RecordVeils) -> None:
        # A later run may have rated a posting anew under the same key: what was hidden of it then says nothing now.
        if last_run(record.connection) != veils.record.through:
            raise ChangedMeanwhileError("the record has just changed; please ask again in a moment")
        self._veils = veils
        self._chains = Chains(record.connection)
        self._members = {player.member_id for one in event.rated for rated in one for player in rated.players}
        self._chains.load(sorted(self._members))
        self._adults = {member for member, one in record.people(self._members).items() if one.adult}
        self._earlier: dict[MemberSystem, Ends] = {}

    def made_up(self, key: Key, rated: RatedSection) -> MadeUp | None:
        """A section at its place as anybody may see it, nothing where it is seen in full."""
        spans: dict[MemberSystem, Span] = {}
        for player in rated.players:
            for system in RatingSystem if player.start is not None else (rated.system,):
                span = self._before(player.member_id, system, key)
                if span is not None:
                    spans[player.member_id, system] = span
        return made_up(rated, spans, self._earlier, self._adults)

    def _before(self, member: str, system: RatingSystem, key: Key) -> Span | None:
        """A standing with something hidden, as anybody may see it."""
        if (member, system) in self._earlier:
            return self._earlier[member, system].span
        earlier = [one for one in self._chains.postings(member) if one.system is system and one.key < key]
        if not earlier:
            return None
        last = earlier[-1]
        hidden = self._veils.postings[last.about]
        if last.rating_after is None or (hidden.is_clear and hidden.after is None):
            return None
        return seen_by_all(last.rating_after, last.games_after, hidden.after)

    def remember(self, rated: RatedSection, hidden: MadeUp | None) -> None:
        """What a section of this event hands on to its later ones."""
        for player in rated.players:
            if player.played:
                self._earlier.pop((player.member_id, rated.system), None)
        self._earlier |= {} if hidden is None else hidden.after
