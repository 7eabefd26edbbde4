"""What the tests of several formats ask of a reading: its errors, its players, and the report without its places."""

from crosstable.errors import Fault, Severity
from crosstable.formats import Reading
from crosstable.terms import Report, ReportedPlayer


def without_places(report: Report) -> Report:
    """The report as another file would give it: every place taken out."""
    sections = tuple(
        section._replace(place="", players=tuple(player._replace(place="") for player in section.players))
        for section in report.sections
    )
    return report._replace(place="", sections=sections)


def errors(reading: Reading) -> list[Fault]:
    """The faults that are more than warnings."""
    return [fault for fault in reading.faults if fault.severity is Severity.ERROR]


def players(reading: Reading) -> list[ReportedPlayer]:
    """The players of all sections."""
    return [player for section in reading.report.sections for player in section.players]


def texts(player: ReportedPlayer) -> list[str]:
    """The cells of a player as texts."""
    return [cell.text for cell in player.cells]
