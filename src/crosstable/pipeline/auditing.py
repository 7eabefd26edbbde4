"""``audit``: is a posted rating right? Reports with posted ratings in, the document ``crosstable-audit/1`` out."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import Any, NamedTuple

from crosstable import __version__
from crosstable.engine import after, rate
from crosstable.errors import Fault
from crosstable.explanation import Line, explain
from crosstable.pipeline.verifying import posted_pages
from crosstable.rules.editions import edition_for
from crosstable.sentences import american
from crosstable.terms import Report
from crosstable.verification.audit import AuditedRow, AuditVerdict, audit
from crosstable.verification.pages import Page, clean_rows

FORMAT = "crosstable-audit/1"


class AuditedEvent(NamedTuple):
    """The audited rows of some reports; ``faults`` are those of sections that could not be compared.

    ``pages`` are the sections as they were read.
    """

    rows: tuple[AuditedRow, ...]
    faults: tuple[tuple[str, Fault], ...] = ()
    pages: tuple[Page, ...] = ()

    @property
    def verdict(self) -> AuditVerdict:
        """The worst of the rows."""
        verdicts = {row.verdict for row in self.rows}
        return next((one for one in AuditVerdict if one in verdicts), AuditVerdict.UNKNOWN)

    def to_dict(self) -> dict[str, Any]:
        """The document ``crosstable-audit/1``."""
        return {"format": FORMAT, "verdict": self.verdict.value, "rows": [_row(row) for row in self.rows]}


def audit_reports(
    reports: Iterable[tuple[str, Report]],
    sections: Iterable[int] = (),
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> AuditedEvent:
    """Audit every posted section of some reports, each given with its name, or only sections of some numbers."""
    posted = posted_pages(reports)
    wanted = set(sections)
    pages = [page for page in posted.pages if not wanted or page.checked.section.number in wanted]
    rows: list[AuditedRow] = []
    for done, page in enumerate(pages, start=1):
        rows += audit([page])
        tell(done, len(pages))
    return AuditedEvent(tuple(rows), posted.faults, tuple(pages))


def workings(audited: AuditedEvent, rows: Sequence[AuditedRow]) -> dict[int, tuple[Line, ...]]:
    """By number the calculation of rows of one section; none where it rests on a start that nobody knows."""
    page = next((page for page in audited.pages if _is_of(page, rows)), None)
    known = set() if page is None else clean_rows(page)
    clean = [row.number for row in rows if row.number in known]
    if page is None or not clean:
        return {}
    rated = rate(page.checked.section, page.system, page.checked.edition)
    return {number: explain(rated, number) for number in clean}


def _is_of(page: Page, rows: Sequence[AuditedRow]) -> bool:
    return any((page.event_id, page.checked.section.number, page.system) == row[:3] for row in rows[:1])


def sources(audited: AuditedEvent) -> list[str]:
    """Where the figures of every section come from, a sentence each."""
    found = []
    for page in audited.pages:
        section = page.checked.section
        rated_on = "" if page.rated_on is None else f", last rated on {american(page.rated_on)}"
        what = f"Section {section.number} of event {page.event_id or 'without a number'}, {page.system.title}{rated_on}"
        shown = "posted ratings and ratings before the event as the crosstable shows them"
        rules = f"rules in force on {american(section.start)} (edition of {page.checked.edition.name})"
        found.append(f"{what}: {shown}; {rules}; computed with Crosstable {__version__}.")
    return found


def _row(row: AuditedRow) -> dict[str, Any]:
    return {
        "event": row.event,
        "section": row.section,
        "system": row.system.name,
        "number": row.number,
        "member_id": row.member_id,
        "name": row.name,
        "pre": row.pre,
        "posted": row.posted,
        "computed": row.computed,
        "low": row.low,
        "high": row.high,
        "verdict": row.verdict.value,
        "cause": row.cause,
        "hypotheses": [{"what": one.what, "gives": one.ratings[row.number]} for one in row.hypotheses],
    }


def count_matters(start: date, rating: float) -> bool:
    """Whether the game count of an established rating can move a section that began on a day (§3)."""
    return after.count_matters(edition_for(start).constants, rating)
