"""An upload before it is submitted: every finding, and what each player's rating would be, with nothing stored.

It is checked and rated exactly as a submission would be. Whoever is not of the office sees what the public would see
after it was posted: nothing from which a birth date can be computed (``veils``), however the file is made up.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from sqlalchemy import select

from crosstable.catalogue import CATALOGUE
from crosstable.engine import RatedSection
from crosstable.errors import Fault, OfficeError
from crosstable.office import tables
from crosstable.office.checking import CheckedSubmission, check_submission
from crosstable.office.ledger.chains import Chains
from crosstable.office.ledger.facts import Record, State
from crosstable.office.ledger.postings import Key
from crosstable.office.public import PublicRow, public_rows
from crosstable.office.submissions import Document, Status, event_like, new_event_id, version_differences
from crosstable.office.veiled_record import RecordVeils
from crosstable.office.veils import CLEAR, Span, Veil, veil_of
from crosstable.terms import RatingSystem
from crosstable.whole_event import RatedEvent

# Findings about results: their words hold computed ratings.
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
    checked = check_submission(record, report._replace(event_id=event_id), document.reading.faults, today)
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
        faults=_shown_faults(checked.faults, is_clear=all(section.is_clear for section in rated)),
        differences=found,
        rated=rated,
    )


def _came_in(record: Record, document: Document) -> bool:
    table = tables.document
    query = select(table.c.act).where(table.c.digest == document.digest, table.c.act <= record.through)
    return record.connection.execute(query).first() is not None


def _outlook(checked: CheckedSubmission) -> Iterator[OutlookSection]:
    for one in checked.sections:
        yield OutlookSection(one.number, one.rows.heading["name"], one.state, len(one.rows.entries))


def _shown_faults(faults: Sequence[Fault], *, is_clear: bool) -> tuple[Fault, ...]:
    """Every finding; where results are hidden, those about results say what they mean and no number."""
    if is_clear:
        return tuple(faults)
    return tuple(
        one._replace(message=CATALOGUE[one.code].meaning) if one.code in _ABOUT_RESULTS else one for one in faults
    )


def _previewed(record: Record, event: RatedEvent, veils: RecordVeils | None) -> Iterator[PreviewedSection]:
    hiding = None if veils is None else _Hiding(record, event, veils)
    order = sorted(event.sections, key=lambda one: _key(event, one[0]))
    shown = []
    for by_system in order:
        hidden = [CLEAR if hiding is None else hiding.veil(_key(event, rated), rated) for rated in by_system]
        for rated, veil in zip(by_system, hidden, strict=True):
            section = rated.section
            rows = public_rows(rated, veil)
            shown.append(
                PreviewedSection(section.number, section.name, rated.system, rated.edition.name, veil.is_clear, rows)
            )
            if hiding is not None:  # a dual-rated section is two folds: neither sees the other's result
                hiding.remember(rated, veil)
    yield from sorted(shown, key=lambda one: (one.number, one.system))


def _key(event: RatedEvent, rated: RatedSection) -> Key:
    section = rated.section
    return Key(section.end, section.start, event.report.event_id, section.number)


class _Hiding:
    """What is hidden of the standings that a made-up or real event starts from, and what it hands on itself."""

    def __init__(self, record: Record, event: RatedEvent, veils: RecordVeils) -> None:
        self._veils = veils
        self._chains = Chains(record.connection)
        self._members = {player.member_id for one in event.sections for rated in one for player in rated.players}
        self._chains.load(sorted(self._members))
        self._spans: dict[MemberSystem, Span | None] = {}
        self._blurred: set[MemberSystem] = set()

    def veil(self, key: Key, rated: RatedSection) -> Veil:
        """The veil of a section at its place."""
        spans: dict[MemberSystem, Span] = {}
        is_blurred = False
        for player in rated.players:
            for system in RatingSystem:
                span, blurred = self._before(player.member_id, system, key)
                if span is not None:
                    spans[player.member_id, system] = span
                is_blurred |= blurred and (system is rated.system or player.start is not None)
        return veil_of(rated, spans, has_hidden_decimals=is_blurred)

    def _before(self, member: str, system: RatingSystem, key: Key) -> tuple[Span | None, bool]:
        place = member, system
        if place in self._spans:
            return self._spans[place], place in self._blurred
        earlier = [one for one in self._chains.postings(member) if one.system is system and one.key < key]
        if not earlier:
            return None, False
        hidden = self._veils.postings.get(earlier[-1].about)
        if hidden is None:
            raise ChangedMeanwhileError("the record has just changed; please ask again in a moment")
        return hidden.after, not hidden.is_clear

    def remember(self, rated: RatedSection, veil: Veil) -> None:
        """What a section of this event hands on to its later ones."""
        for player in rated.players:
            if player.played:
                place = player.member_id, rated.system
                self._spans[place] = veil.after.get(player.number)
                if not veil.is_clear:
                    self._blurred.add(place)
