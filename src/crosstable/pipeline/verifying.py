"""``verify``: computed against posted, over reports with posted figures, and the document ``crosstable-verify/1``."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from crosstable.checks import check
from crosstable.errors import Fault, Severity
from crosstable.record_rows import MemberPage
from crosstable.rules.editions import Calendar
from crosstable.terms import Report
from crosstable.verification import Page, Row, Tally, Verification, by_era, pages_of, tally, unexplained
from crosstable.verification import verify as verify_pages
from crosstable.verification.whole import FITTED_START, NormTally, exactness, inputs_known, norm_rows, norm_tally

FORMAT = "crosstable-verify/1"


def _in_silence(_: int) -> None:
    pass


class PostedPages(NamedTuple):
    """The posted sections of some reports, and the errors of sections that could not be compared."""

    pages: tuple[Page, ...]
    faults: tuple[tuple[str, Fault], ...]


class VerifiedEvents(NamedTuple):
    """How well the computed ratings agree with the posted ones.

    ``faults`` lists errors in posted sections that could not be compared, each with the name of its file.
    """

    found: Verification
    norms: NormTally
    faults: tuple[tuple[str, Fault], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The document ``crosstable-verify/1``."""
        return verify_document(self.found, self.norms)


def posted_pages(reports: Iterable[tuple[str, Report]], calendar: Calendar = Calendar.LISTED) -> PostedPages:
    """Every posted section of some reports, each given with the name of its file."""
    pages: list[Page] = []
    faults: list[tuple[str, Fault]] = []
    for name, report in reports:
        found = list(pages_of(report, calendar))
        pages += found
        if len({page.checked.section.number for page in found}) < _posted_sections(report):
            faults += [(name, one) for one in check(report, is_posted=True).faults if one.severity is Severity.ERROR]
    return PostedPages(tuple(pages), tuple(faults))


def _posted_sections(report: Report) -> int:
    """How many sections of a report carry posted figures."""
    return sum(any(player.posted for player in section.players) for section in report.sections)


def verify(
    pages: Iterable[Page],
    *,
    online_fault: bool = False,
    tell: Callable[[int], None] = _in_silence,
    members: Iterable[MemberPage] = (),
) -> VerifiedEvents:
    """Rate every page and compare; ``online_fault`` rates old online pages with the fault they were rated with.

    ``members`` are pages of members, which fill gaps of what earlier sections show.
    """
    compared = list(pages)
    if online_fault:
        from crosstable.verification.pages import with_online_fault

        compared = [with_online_fault(page) for page in compared]
    found = verify_pages(compared, tell, members)
    return VerifiedEvents(found, norm_tally(row for page in compared for row in norm_rows(page)))


def verify_document(found: Verification, norms: NormTally) -> dict[str, Any]:
    """The whole document; ``total`` takes each section alone, ``carried`` uses what earlier pages show."""
    total, carried = tally(found.alone), tally(found.carried)
    return {
        "format": FORMAT,
        "total": {"rows": total.rows, **_with_settled(total, found.settled[0]), "within_001": total.within_001},
        "carried": {**_with_settled(carried, found.settled[1]), "floors_predicted": carried.floors_predicted},
        "apart": {name: found.apart[name] for name in ("online_fault", "corrected_since", FITTED_START)},
        "exact_before_2014_09": exactness(found.carried)._asdict(),
        "inputs_known": _counts(tally(inputs_known(found.carried))),
        "norms": {
            "rows": norms.rows,
            "agree": norms.agree,
            "few_games_with_code": norms.few_games_with_code,
            "few_games_agree": norms.few_games_agree,
        },
        "fitted": {
            "sections": len(found.fitted),
            "rows": sum(fit.rows for fit in found.fitted),
            "within_1": sum(fit.within for fit in found.fitted),
            "at_floor": sum(fit.at_floor for fit in found.fitted),
            "free_numbers": sum(fit.free_numbers for fit in found.fitted),
        },
        "all_posted": {"rows": found.all_posted, "explained": found.all_explained},
        "by": [
            {"era": era, "system": system.name, **_counts(tally(rows)), "within_001": tally(rows).within_001}
            for (era, system), rows in by_era(found.alone).items()
        ],
        "unexplained": [_row(row) for row in unexplained(found.alone)],
        "unexplained_with_carried_state": [_row(row) for row in unexplained(found.carried)],
    }


def _counts(counted: Tally) -> dict[str, int]:
    return {
        "clean_rows": counted.clean_rows,
        "within_1": counted.within_1,
        "at_floor": counted.at_floor,
        "unexplained": counted.unexplained,
    }


def _with_settled(counted: Tally, facts: int) -> dict[str, int]:
    return {**_counts(counted), "settled_rows": counted.settled_rows, "settled_facts": facts}


def _row(row: Row) -> dict[str, Any]:
    return {
        "event": row.event,
        "section": row.section,
        "system": row.system.name,
        "number": row.number,
        "pre": row.pre,
        "computed": row.computed,
        "posted": row.posted,
        "cause": row.cause,
        "hypotheses": [{"what": what, "gives": gives} for what, gives in row.tried],
    }
