"""Checking a report against the record: every check of a file, and those that only an office can make."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from difflib import SequenceMatcher
from typing import NamedTuple

from crosstable.catalogue import fault
from crosstable.checks import CheckedEvent, CheckedSection
from crosstable.checks.places import section_number, section_place
from crosstable.checks.plausibility import plausibility
from crosstable.checks.report import birth_faults, check_section
from crosstable.checks.whole_report import report_faults
from crosstable.errors import Fault, Severity
from crosstable.explain.rounding import half_up
from crosstable.office.ledger.chains import Chains
from crosstable.office.ledger.facts import Record, State
from crosstable.office.ledger.fold import Walk
from crosstable.office.ledger.postings import OWN, Key
from crosstable.office.published import list_in_force, published_before
from crosstable.office.sections import SectionRows, section_rows
from crosstable.terms import Background, Report, ReportedPlayer, ReportedSection, SectionType
from crosstable.whole_event import RatedEvent, rate_event

LONGEST_ID = 40
# Names less alike than this are probably two people.
ALIKE = 0.45
# What a preview for the public says of somebody whose birth date it does without.
WITHHELD = "birth_date: what the office knows is not public, so a preview does without it"
# What a birth date alone decides: told of what the report says itself, never of what the office knows.
_OF_BIRTH_DATES = frozenset({"birth-date", "birth-date-early"})


class CheckedRows(NamedTuple):
    """A section of a submission: whether it is accepted or held, and its rows."""

    number: int
    state: State
    rows: SectionRows
    faults: tuple[Fault, ...]


class CheckedSubmission(NamedTuple):
    """A whole report as the office would store it, and as it would be rated now."""

    report: Report
    sections: tuple[CheckedRows, ...]
    faults: tuple[Fault, ...]
    rated: RatedEvent
    is_refused: bool


def check_submission(
    record: Record, report: Report, read: Sequence[Fault], today: date | None, public_places: int | None = None
) -> CheckedSubmission:
    """Check a report section by section. Errors of the whole report refuse it; those of a section hold that section.

    No finding quotes a birth date that only the office knows. With ``public_places`` players bring what is public of
    them, ratings to so many places: whoever made events up could otherwise read the rest off the results.
    """
    known = _Known(record, report, public_places)
    filled = report._replace(sections=tuple(known.filled(at) for at in range(len(report.sections))))
    found: list[list[Fault]] = []
    checked: list[CheckedSection | None] = []
    for at in range(len(filled.sections)):
        faults, section = check_section(filled, at, today)
        own = [one for one in faults if one.code not in _OF_BIRTH_DATES]
        found.append([*own, *known.faults(at), *known.unpublished(at, filled.sections[at], section)])
        checked.append(section)
    general = [*_event_id_faults(report), *report_faults(filled)]
    for one in read:
        place = _section_at(report, one)
        (general if place is None else found[place]).append(one)
    rated = _rated(filled, checked, found)
    sections = tuple(_rows(report, at, checked[at], found[at]) for at in range(len(report.sections)))
    every = (*general, *(one for section in found for one in section))
    is_refused = any(one.severity is Severity.ERROR for one in general)
    return CheckedSubmission(report, sections, every, rated, is_refused)


def _in_public(known: Background, own: Background, places: int) -> Background:
    """What is public of a member: posted ratings, and the birth date that the report itself gives, if any."""
    standings = {system: one._replace(rating=half_up(one.rating, places)) for system, one in known.standings.items()}
    bare = known._replace(standings=standings, birth_date=own.birth_date, birth_year=own.birth_year, adult=own.adult)
    is_withheld = known.born not in (None, own.born) or known.adult not in (None, own.adult)
    return bare._replace(assumed=(*known.assumed, WITHHELD)) if is_withheld and not standings else bare


def _event_id_faults(report: Report) -> list[Fault]:
    given = report.event_id
    plain = given.isprintable() and not any(character.isspace() for character in given)
    if given and (len(given) > LONGEST_ID or given.startswith(OWN) or not plain):
        return [fault("event-id-shape", "event", f"The event id {given!r} cannot be used.")]
    return []


def _section_at(report: Report, found: Fault) -> int | None:
    """The section that a fault of reading belongs to, nothing where it concerns the whole file."""
    for at, section in enumerate(report.sections):
        rest = found.place.removeprefix(section.place)
        if section.place and rest != found.place and not rest[:1].isdigit():
            return at
    return None


def _has_errors(faults: Iterable[Fault]) -> bool:
    return any(one.severity is Severity.ERROR for one in faults)


def _rated(report: Report, checked: Sequence[CheckedSection | None], found: list[list[Fault]]) -> RatedEvent:
    """The event as it would be rated now; what only the result shows is added to the faults of its section."""
    sound = {at: section for at, section in enumerate(checked) if section is not None and not _has_errors(found[at])}
    ids = frozenset(player.member_id for section in report.sections for player in section.players if player.member_id)
    rated = rate_event(CheckedEvent(report, tuple(sound.values()), ()), ids, with_ranges=False)
    by_number = {section.section.number: at for at, section in sound.items()}
    for one in rated.faults:
        number = int(one.place.removeprefix("section ").split(",")[0])
        found[by_number[number]].append(one)
    for by_system in rated.sections:
        for one_rated in by_system:
            at = by_number[one_rated.section.number]
            found[at] += plausibility(one_rated, report.sections[at])
    return rated


def _rows(report: Report, at: int, checked: CheckedSection | None, faults: Sequence[Fault]) -> CheckedRows:
    section = report.sections[at]
    state = State.HELD if checked is None or _has_errors(faults) else State.ACCEPTED
    number = section_number(section, at)
    days = section.start or report.start, section.end or report.end
    return CheckedRows(number, state, section_rows(report.event_id, number, section, checked, days), tuple(faults))


class _Known:
    """What the record knows of the people of a report."""

    def __init__(self, record: Record, report: Report, public_places: int | None) -> None:
        self.record = record
        self.public_places = public_places
        self.report = report
        ids = {player.member_id for section in report.sections for player in section.players if player.member_id}
        roots = {record.one_id(one) for one in ids}
        self.people = record.people([*ids, *roots])
        chains = Chains(record.connection)
        chains.load(roots)
        self.walk = Walk(record, chains.before)
        self.walk.meet(roots)
        self.openings: dict[str, date] = {}
        for opening in record.openings({other for one in roots for other in record.same_member(one)}):
            assert opening.standing.as_of is not None
            root = record.one_id(opening.member_id)
            self.openings[root] = min(opening.standing.as_of, self.openings.get(root, date.max))

    def filled(self, at: int) -> ReportedSection:
        """A section whose players bring what the office knows of them, not what the report says."""
        section = self.report.sections[at]
        start, end = section.start or self.report.start, section.end or self.report.end
        if start is None or end is None:
            return section
        key = Key(end, start, self.report.event_id, section_number(section, at))
        return section._replace(players=tuple(self._brings(player, section, key) for player in section.players))

    def _brings(self, player: ReportedPlayer, section: ReportedSection, key: Key) -> ReportedPlayer:
        own = player.background
        member = self.record.one_id(player.member_id)
        if player.member_id not in self.people:
            return player._replace(background=Background(fide=own.fide, given_start=own.given_start))
        known = self.walk.background(member, key)
        if self.public_places is not None:
            known = _in_public(known, own, self.public_places)
        if section.kind is SectionType.MATCH:
            known = self._with_published(member, known, key)
        opted = player.has_opted_in
        if section.kind.is_foreign and not opted:
            opted = self.walk.circumstances.has_opted_in(member, key.started)
        return player._replace(
            member_id=member,
            background=known._replace(fide=known.fide or own.fide, given_start=own.given_start),
            has_opted_in=opted,
            pairing_rating=None,
        )

    def _with_published(self, member: str, known: Background, key: Key) -> Background:
        standings = {
            system: standing._replace(published=published_before(self.record, member, system, key.started))
            for system, standing in known.standings.items()
        }
        return known._replace(standings=standings)

    def faults(self, at: int) -> list[Fault]:
        """What only the office can find in a section."""
        section = self.report.sections[at]
        place = section_place(section, at)
        end = section.end or self.report.end
        found: list[Fault] = [] if end is None else birth_faults(section, place, end)
        for row, player in enumerate(section.players):
            where = place.row(player, row)
            if section.kind.is_foreign and not player.is_rated:
                continue
            if not player.member_id:
                found.append(fault("id-needed", where, f"{player.name or 'The player'} has no member id."))
            elif player.member_id not in self.people:
                found.append(fault("member-not-known", where, f"Nobody here has the id {player.member_id}."))
            else:
                found += self._about(player, where, end)
        return found

    def unpublished(self, at: int, filled: ReportedSection, checked: CheckedSection | None) -> list[Fault]:
        """Players of a match who are not on the list in force when it began (§7; readings 73, 108)."""
        if checked is None or filled.kind is not SectionType.MATCH or filled.match_waiver:
            return []
        place = section_place(filled, at)
        found = []
        for row, player in enumerate(filled.players):
            for system in checked.section.systems:
                standing = player.background.standings.get(system)
                if standing is not None and standing.published is None:
                    month = list_in_force(checked.section.start)
                    message = f"The player has no {system.name} rating on the list of {month}, which was in force."
                    found.append(fault("match-not-eligible", place.row(player, row), message))
        return found

    def _about(self, player: ReportedPlayer, where: str, end: date | None) -> list[Fault]:
        found = []
        known = self.people[player.member_id]
        if player.name and known.name and likeness(player.name, known.name) < ALIKE:
            message = f"The report says {player.name}, the office {known.name} for {player.member_id}."
            found.append(fault("other-name", where, message))
        opened = self.openings.get(self.record.one_id(player.member_id))
        if opened is not None and end is not None and end < opened:
            found.append(fault("before-opening", where, f"The standings of {known.name} are as of {opened}."))
        return found


def likeness(one: str, other: str) -> float:
    """How much two names are alike, 0 to 1, whatever their order and case."""
    first, second = (" ".join(sorted(name.casefold().replace(",", " ").split())) for name in (one, other))
    return SequenceMatcher(None, first, second).ratio()


def members_in(reports: Iterable[Report]) -> Mapping[str, str]:
    """The ids and names in reports."""
    return {
        player.member_id: player.name
        for report in reports
        for section in report.sections
        for player in section.players
        if player.member_id
    }
