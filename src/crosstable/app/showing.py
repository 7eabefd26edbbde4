"""What the pages about a file show: every finding and rating with the working, and whether posted ratings are right.

Nothing is stored; the answers are those that the command line, the API and the library give. Whoever answers has read
the file, in whatever way is safe there: ``found`` is its report, or why there is none.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from itertools import groupby
from typing import NamedTuple

from crosstable.engine import RatedSection
from crosstable.errors import Fault
from crosstable.explanation import Line, explain, usual_document
from crosstable.output.audit_text import (
    MOST_WORKED,
    SENDING,
    Reason,
    audit_text,
    counts_text,
    figure,
    headline,
    names_of,
    open_rows,
    reasons,
    verdict_text,
    worked,
)
from crosstable.pipeline.auditing import AuditedEvent, audit_reports
from crosstable.pipeline.explaining import chosen
from crosstable.pipeline.rating import Options, RatedEvent, rate
from crosstable.pipeline.reading import completed
from crosstable.remedies import Reader, for_reader
from crosstable.terms import Report
from crosstable.verification.audit import AuditedRow, AuditVerdict

RATE, AUDIT = "rate.html", "audit.html"
MOST_FAULTS = 500
# Section and player, and the system where one is meant.
_WHY = re.compile(r"(\d{1,6}):(\d{1,6})(?::([A-Z]{3,4}))?", re.ASCII)
LACKS = "Only the dates or the time control are missing. Fill them in below, and check again."
# A page with more posted ratings would keep others waiting.
MOST_ROWS = 2000


class Working(NamedTuple):
    """The calculation of one player in one system."""

    system: str
    name: str
    document: str
    parts: tuple[tuple[str, tuple[Line, ...]], ...]


class RatedFile(NamedTuple):
    """A file as the page shows it."""

    name: str
    event: RatedEvent | None
    errors: list[Fault]
    warnings: list[Fault]
    carried: str
    working: tuple[Working, ...] = ()


class Given(NamedTuple):
    """What the form completes a file with."""

    pairing: bool
    control: str
    start: date | None
    end: date | None


NOTHING = Given(False, "", None, None)


def given_of(text: Callable[[str], str]) -> Given:
    """What the fields of a form complete a file with; raises ``ValueError`` with a sentence where a day is none."""
    return Given(
        bool(text("pairing")),
        text("control"),
        _day(text("start")),
        _day(text("end")),
    )


def _day(text: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"“{text[:20]}” is no date; write it as YYYY-MM-DD.") from None


def completed_with(report: Report, given: Given) -> Report:
    """A report with what a form adds where it has nothing."""
    return completed(report, given.control, given.start, given.end, override=False)


def rated_file(name: str, found: Report | Fault, given: Given, why: str = "", carried: str = "") -> RatedFile:
    """A file rated; ``why`` names a player whose working is wanted. Raises ``LookupError`` where there is none."""
    if isinstance(found, Fault):
        return RatedFile(name, None, list(for_reader([found], Reader.PAGE)), [], "")
    options = Options(
        pairing_ratings=given.pairing, control=given.control, start=given.start, end=given.end, reader=Reader.PAGE
    )
    event = rate(found, **options)
    errors = [one for one in event.faults if one.severity.stops]
    warnings = [one for one in event.faults if not one.severity.stops]
    asked = _WHY.fullmatch(why)
    working = _working(event, int(asked[1]), int(asked[2]), asked[3]) if asked else ()
    return RatedFile(name, event, errors[:MOST_FAULTS], warnings[:MOST_FAULTS], carried, working)


def _working(event: RatedEvent, section: int, player: int, system: str | None) -> tuple[Working, ...]:
    found = chosen(event, player, section, system)
    return tuple(
        Working(rated.system.name, _name(rated, player), usual_document(lines), _parts(lines))
        for rated in found
        for lines in (explain(rated, player),)
    )


def _parts(lines: Iterable[Line]) -> tuple[tuple[str, tuple[Line, ...]], ...]:
    return tuple((part, tuple(some)) for part, some in groupby(lines, key=lambda line: line.part))


def _name(rated: RatedSection, number: int) -> str:
    entry = next(entry for entry in rated.section.entries if entry.number == number)
    return entry.name or entry.member_id or f"Player {number}"


# Is a posted rating right?


class ShownRow(NamedTuple):
    """A posted rating as the page shows it."""

    row: AuditedRow
    gives: str
    verdict: str
    reasons: tuple[Reason, ...]
    working: tuple[str, ...] = ()


class AuditedSection(NamedTuple):
    """A section in one system as the page shows it: first what is not right, then everything."""

    number: int
    name: str
    system: str
    counts: str
    open: tuple[ShownRow, ...]
    rows: tuple[ShownRow, ...]


class Typed(NamedTuple):
    """A form about posted ratings as it was filled in, so that nobody types it twice."""

    pasted: str = ""
    control: str = ""
    start: str = ""
    end: str = ""


def typed_of(text: Callable[[str], str], pasted: str) -> Typed:
    """The form as it was filled in; pasted text keeps its lines."""
    return Typed(pasted if pasted.strip() else "", text("control"), text("start"), text("end"))


class AuditedFile(NamedTuple):
    """A file as the page shows it."""

    name: str
    verdict: str
    words: str
    sections: tuple[AuditedSection, ...]
    errors: tuple[Fault, ...]
    event: str = ""
    text: str = ""
    sending: str = ""
    lacks: bool = False


def audited_file(name: str, found: Report | Fault, given: Given) -> AuditedFile:
    """A file with posted ratings, each of them computed again."""
    if isinstance(found, Fault):
        return AuditedFile(name, "", "", (), for_reader([found], Reader.PAGE))
    report = completed_with(found, given)
    errors = for_reader([fault for fault in report.faults if fault.severity.stops], Reader.PAGE)
    if sum(len(section.players) for section in report.sections) > MOST_ROWS:
        return AuditedFile(name, "", f"This page audits at most {MOST_ROWS:,} players at a time.", (), errors)
    audited = audit_reports([(name, report)])
    errors = for_reader(dict.fromkeys((*errors, *(fault for _, fault in audited.faults))), Reader.PAGE)
    if not audited.rows:
        lacks = bool(report.sections) and not all(
            section.time_controls and (section.end or report.end) for section in report.sections
        )
        words = LACKS if lacks else "There are no posted ratings here that can be compared."
        return AuditedFile(name, "", words, (), errors, lacks=lacks)
    names = {section.number: section.name for section in report.sections if section.number is not None}
    return AuditedFile(
        name,
        audited.verdict.value,
        headline(audited),
        _sections(audited, names),
        errors,
        report.name,
        audit_text(audited),
        SENDING if audited.verdict is AuditVerdict.DIFFERS else "",
    )


def _sections(audited: AuditedEvent, titles: Mapping[int, str]) -> tuple[AuditedSection, ...]:
    found = []
    for (number, system), group in groupby(audited.rows, key=lambda row: (row.section, row.system)):
        rows, names = list(group), names_of(audited, number)
        shown = {
            row.number: ShownRow(row, figure(row.computed, row), verdict_text(row), tuple(reasons(row, names)))
            for row in rows
        }
        first = open_rows(rows)
        shown |= {
            one: shown[one]._replace(working=tuple(how.splitlines()))
            for one, how in worked(audited, first[:MOST_WORKED]).items()
        }
        found.append(
            AuditedSection(
                number,
                titles.get(number, ""),
                system.name,
                counts_text(rows),
                tuple(shown[one.number] for one in first),
                tuple(shown.values()),
            )
        )
    return tuple(found)
