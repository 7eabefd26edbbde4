"""``check``: a report in, checked sections and all faults out."""

from datetime import date
from typing import NamedTuple

from crosstable.catalogue import fault
from crosstable.checks.controls import Timing, timing
from crosstable.checks.games import game_faults
from crosstable.checks.players import brought, player_faults
from crosstable.errors import Fault, NoEditionError, Severity
from crosstable.rules.editions import Calendar, edition_by
from crosstable.rules.law import Edition
from crosstable.terms import (
    Background,
    Cell,
    Entry,
    Report,
    ReportedPlayer,
    ReportedSection,
    Result,
    Section,
    SectionType,
)


class CheckedSection(NamedTuple):
    """A section that may be rated, the edition of its day, and what each of its players brought."""

    section: Section
    edition: Edition
    backgrounds: dict[int, Background]
    report: ReportedSection


class CheckedEvent(NamedTuple):
    """Every section that may be rated and every fault of the report."""

    report: Report
    sections: tuple[CheckedSection, ...]
    faults: tuple[Fault, ...]

    @property
    def has_errors(self) -> bool:
        """Whether any fault stops the rating."""
        return any(found.severity is Severity.ERROR for found in self.faults)


def check(report: Report, *, today: date | None = None, calendar: Calendar = Calendar.LISTED) -> CheckedEvent:
    """Check a whole report; with ``today`` a section that ends later is a fault."""
    faults: list[Fault] = []
    sections: list[CheckedSection] = []
    if not report.sections:
        faults.append(fault("no-section", report.place, "The event has no section."))
    for at, section in enumerate(report.sections):
        place = place_of(section, at)
        found, checked = _check_section(report, section, place, today, calendar)
        faults += found
        faults += _number_faults(report, section, at, place)
        if checked is not None and not any(f.severity is Severity.ERROR for f in found):
            sections.append(checked)
    return CheckedEvent(report, tuple(sections), tuple(faults))


def place_of(section: ReportedSection, at: int) -> str:
    """How a section is called in a fault: by its number, or by where it stands."""
    return f"section {at + 1 if section.number is None else section.number}"


def _number_faults(report: Report, section: ReportedSection, at: int, place: str) -> list[Fault]:
    if section.number is None:
        return []
    twins = [other for other in report.sections[:at] if other.number == section.number]
    return [fault("duplicate-section", place, f"Section number {section.number} stands twice.")] if twins else []


def _check_section(
    report: Report, section: ReportedSection, place: str, today: date | None, calendar: Calendar
) -> tuple[list[Fault], CheckedSection | None]:
    faults = player_faults(section, place)
    faults += game_faults(section, place)
    start, end = section.start or report.start, section.end or report.end
    if start is None or end is None:
        return [*faults, fault("no-dates", place, "The section has no start and end date.")], None
    faults += _date_faults(section, place, start, end, today)
    try:
        edition = edition_by(calendar, start, end)
    except NoEditionError as error:
        return [*faults, fault("no-rules", place, f"{str(error).capitalize()}.")], None
    if section.is_half_k and not edition.constants.half_k_is_allowed:
        faults.append(fault("half-k", place, f"A half-K section cannot start on {start}."))
    when, found = timing(section, place, edition)
    faults += found
    if section.kind.is_foreign or section.kind is SectionType.MATCH:
        from crosstable.checks.eligibility import eligibility_faults

        faults += eligibility_faults(section, place, edition, when)
    backgrounds = {player.number: brought(section, player) for player in section.players if player.number is not None}
    checked = _section(section, place, when, (start, end))
    return faults, CheckedSection(checked, edition, backgrounds, section)


def _date_faults(section: ReportedSection, place: str, start: date, end: date, today: date | None) -> list[Fault]:
    faults = []
    if end < start:
        faults.append(fault("dates-reversed", place, f"The section starts on {start} and ends on {end}."))
    if today is not None and end > today:
        faults.append(fault("in-the-future", place, f"The section ends on {end}, which is still to come."))
    for player in section.players:
        born = player.background.birth_date
        if born is not None and born > end:
            message = f"Player {player.number} is born on {born}, after the section."
            faults.append(fault("birth-date", f"{place}, player {player.number}", message))
    return faults


def _section(section: ReportedSection, place: str, when: Timing, days: tuple[date, date]) -> Section:
    number = section.number if section.number is not None else int(place.removeprefix("section "))
    return Section(
        number=number,
        name=section.name,
        kind=section.kind,
        is_online=section.is_online,
        time_control=when.control,
        systems=when.systems,
        start=days[0],
        end=days[1],
        entries=tuple(_entry(section, player) for player in section.players if player.number is not None),
        is_half_k=section.is_half_k,
        is_dual_control=when.is_dual,
    )


def _entry(section: ReportedSection, player: ReportedPlayer) -> Entry:
    assert player.number is not None
    cells = tuple(Cell(cell.result or Result.BLANK, cell.opponent, cell.colour) for cell in player.cells)
    is_rated = bool(player.is_rated) if section.kind.is_foreign else True
    return Entry(player.number, player.member_id, player.name, cells, is_rated)
