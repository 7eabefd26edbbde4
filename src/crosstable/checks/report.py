"""``check``: a report in, checked sections and all faults out."""

from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from crosstable.checks.controls import Timing, timing
from crosstable.checks.games import game_faults
from crosstable.checks.pairings import pairing_faults
from crosstable.checks.places import SectionPlace, section_number, section_place
from crosstable.checks.players import brought, low_rating_faults, player_faults
from crosstable.checks.whole_report import report_faults
from crosstable.errors import Fault, NoEditionError, Severity
from crosstable.faults import fault
from crosstable.limits import EARLIEST_BIRTH, LONGEST_SECTION
from crosstable.rules.editions import EDITIONS, Calendar, edition_by, edition_for
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

# From the official edition of a section to the one by which it is rated.
Ruling = Callable[[Edition], Edition]


def officially(edition: Edition) -> Edition:
    """The ruling of everybody who does not ask for a rule set."""
    return edition


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
        return any(found.severity.stops for found in self.faults)


def check(
    report: Report,
    *,
    today: date | None = None,
    calendar: Calendar = Calendar.LISTED,
    ruled: Ruling = officially,
    is_posted: bool = False,
) -> CheckedEvent:
    """Check a whole report; with ``today`` a section that ends later is a fault.

    ``ruled`` makes of each section's official edition the one by which it is rated; ``is_posted`` says that the results
    are posted, so that the systems named are those of the posted ratings.
    """
    faults = report_faults(report)
    sections: list[CheckedSection] = []
    for at in range(len(report.sections)):
        found, checked = check_section(report, at, today, calendar, ruled, is_posted=is_posted)
        faults += found
        stopping = {Severity.ERROR} if is_posted else {Severity.ERROR, Severity.CONFIRM}
        if checked is not None and not any(f.severity in stopping for f in found):
            sections.append(checked)
    return CheckedEvent(report, tuple(sections), tuple(faults))


def check_section(
    report: Report,
    at: int,
    today: date | None = None,
    calendar: Calendar = Calendar.LISTED,
    ruled: Ruling = officially,
    *,
    is_posted: bool = False,
) -> tuple[list[Fault], CheckedSection | None]:
    """Every fault of one section, and the section as it can be rated where its dates and rules are known."""
    section = report.sections[at]
    place = section_place(section, at)
    here = place.whole
    faults = [*player_faults(section, place), *game_faults(section, place), *pairing_faults(section, place)]
    start, end = section.start or report.start, section.end or report.end
    if start is None or end is None:
        faults += _control_faults_without_dates(section, here, start or end)
        missing = "start" if end is not None else "end" if start is not None else "start and no end"
        return [*faults, fault("no-dates", here, missing=missing)], None
    faults += _date_faults(section, place, start, end, today)
    try:
        edition = ruled(edition_by(calendar, start, end))
    except NoEditionError as error:
        return [*faults, fault("no-rules", here, f"{str(error).capitalize()}.")], None
    if section.is_half_k and not edition.constants.half_k_is_allowed:
        faults.append(fault("half-k", here, start=start))
    faults += low_rating_faults(section, place, edition.constants)
    when, found = timing(section, here, edition, is_posted=is_posted)
    faults += found
    if section.kind.is_foreign or section.kind is SectionType.MATCH:
        from crosstable.checks.eligibility import eligible

        when, found = eligible(section, place, edition, when)
        faults += found
    backgrounds = {
        player.number: brought(section, player, edition.constants, when)
        for player in section.players
        if player.number is not None
    }
    checked = _section(section, section_number(section, at), when, (start, end))
    return faults, CheckedSection(checked, edition, backgrounds, section)


def _control_faults_without_dates(section: ReportedSection, place: str, known: date | None) -> list[Fault]:
    """Faults of the time control by the rules of the date that is known, or of today's text where none is."""
    is_in_scope = known is not None and known >= EDITIONS[0].effective
    edition = edition_for(known) if known is not None and is_in_scope else EDITIONS[-1]
    return timing(section, place, edition)[1]


def _date_faults(
    section: ReportedSection, place: SectionPlace, start: date, end: date, today: date | None
) -> list[Fault]:
    faults = []
    here = place.whole
    if end < start:
        faults.append(fault("dates-reversed:section", here, start=start, end=end))
    if today is not None and end > today:
        faults.append(fault("in-the-future", here, end=end))
    days = (end - start).days
    if days > LONGEST_SECTION:
        faults.append(fault("long-section", here, start=start, end=end, days=days))
    return [*faults, *birth_faults(section, place, end), *_list_faults(section, place, start, end)]


def _list_faults(section: ReportedSection, place: SectionPlace, start: date, end: date) -> list[Fault]:
    """Outside ratings of lists that came out too late: the one in force at the start counts (§2.1; readings 105)."""
    faults = []
    for at, player in enumerate(section.players):
        for federation, outside in (("FIDE", player.background.fide), ("CFC", player.background.cfc)):
            if outside is None or outside.as_of is None or outside.as_of <= start:
                continue
            if outside.as_of > end:
                late = {"federation": federation, "as_of": outside.as_of, "end": end}
                faults.append(fault("list-after-end", place.row(player, at), **late))
            elif federation == "FIDE":
                faults.append(fault("list-after-start", place.row(player, at), as_of=outside.as_of, start=start))
    return faults


def birth_faults(section: ReportedSection, place: SectionPlace, end: date) -> list[Fault]:
    """Birth dates that cannot be, as the players of a section bring them."""
    faults = []
    for at, player in enumerate(section.players):
        born = player.background.birth_date
        if born is not None and born > end:
            faults.append(fault("birth-date", place.row(player, at), number=player.number, born=born))
        elif born is not None and born.year < EARLIEST_BIRTH:
            faults.append(fault("birth-date-early:player", place.row(player, at), number=player.number, born=born))
    return faults


def _section(section: ReportedSection, number: int, when: Timing, days: tuple[date, date]) -> Section:
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
