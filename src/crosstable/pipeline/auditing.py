"""``audit``: is a posted rating right? Reports with posted ratings in, the document ``crosstable-audit/1`` out."""

import math
from collections.abc import Callable, Iterable
from datetime import date
from typing import Any, NamedTuple

from crosstable.errors import Fault
from crosstable.formulas.standard import most_effective_games
from crosstable.pipeline.verifying import posted_pages
from crosstable.rules.editions import edition_for
from crosstable.terms import Report
from crosstable.verification.audit import AuditedRow, AuditVerdict, audit

FORMAT = "crosstable-audit/1"


class AuditedEvent(NamedTuple):
    """The audited rows of some reports; ``faults`` are those of sections that could not be compared."""

    rows: tuple[AuditedRow, ...]
    faults: tuple[tuple[str, Fault], ...] = ()

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
    return AuditedEvent(tuple(rows), posted.faults)


def count_matters(start: date, rating: float) -> bool:
    """Whether the game count of an established rating can move a section that began on a day (§3)."""
    constants = edition_for(start).constants
    return most_effective_games(constants, rating) > math.floor(constants.established_above) + 1.0


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
