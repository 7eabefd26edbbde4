"""``check``: every finding of a report, the same that rating it gives, and the document ``crosstable-checked/1``."""

from typing import Any, NamedTuple, Unpack

from crosstable.checks.findings import Accepted
from crosstable.errors import Fault
from crosstable.pipeline.rating import Options, RatedEvent, rate
from crosstable.pipeline.results import accepted_objects, fault_objects, rules_of
from crosstable.terms import Report

FORMAT = "crosstable-checked/1"


class CheckedReport(NamedTuple):
    """Every finding about a report. ``event`` has the ratings that the sections would get."""

    event: RatedEvent
    file: str

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Every finding, in the order of the report."""
        return self.event.faults

    @property
    def accepted(self) -> tuple[Accepted, ...]:
        """The warnings that were accepted, each with its reason."""
        return self.event.accepted

    @property
    def errors(self) -> int:
        """How many findings stop a section, or the whole event, from being rated."""
        return len([found for found in self.faults if found.severity.stops])

    @property
    def has_errors(self) -> bool:
        """Whether anything stops a section from being rated."""
        return self.errors > 0

    def to_dict(self) -> dict[str, Any]:
        """The document ``crosstable-checked/1``."""
        return {
            "format": FORMAT,
            "event": self.event.report.event_id,
            "file": self.file,
            "errors": self.errors,
            "warnings": len(self.faults) - self.errors,
            "faults": fault_objects(self.faults),
            "accepted": accepted_objects(self.accepted),
            **rules_of(self.event.rules),
        }


def check(report: Report, file: str = "", **options: Unpack[Options]) -> CheckedReport:
    """Check a report; ``file`` is what the document calls it."""
    options.setdefault("entry_lists", True)
    return CheckedReport(rate(report, **options), file or report.place)
