"""A whole checked event, rated: every section in every system it belongs to.

Dual-rated sections are rated twice, each time from what the players brought; neither sees the other's result.
"""

from typing import NamedTuple

from crosstable.catalogue import fault
from crosstable.checks import CheckedEvent
from crosstable.engine import RatedSection, rate
from crosstable.errors import Fault, Severity, UnsupportedEditionError
from crosstable.terms import Report


class RatedEvent(NamedTuple):
    """An event's report, its rated sections by section and system, and every fault and warning."""

    report: Report
    sections: tuple[tuple[RatedSection, ...], ...]
    faults: tuple[Fault, ...]

    @property
    def has_errors(self) -> bool:
        """Whether any fault stopped a section from being rated."""
        return any(found.severity is Severity.ERROR for found in self.faults)


def rate_event(checked: CheckedEvent) -> RatedEvent:
    """Rate every section that passed its checks; a rule that is missing becomes a fault of its section."""
    faults = list(checked.faults)
    sections: list[tuple[RatedSection, ...]] = []
    for section, edition, backgrounds, _ in checked.sections:
        try:
            sections.append(tuple(rate(section, system, backgrounds, edition) for system in section.systems))
        except UnsupportedEditionError as error:
            text = str(error)
            faults.append(fault("rule-not-found", f"section {section.number}", f"{text[0].upper()}{text[1:]}."))
    return RatedEvent(checked.report, tuple(sections), tuple(faults))
