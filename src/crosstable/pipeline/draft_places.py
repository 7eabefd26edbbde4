"""Places of a draft: where a finding stands, what is around it, and changes that put it right."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from crosstable.checks.findings import section_number
from crosstable.formats.event_json import read_cell
from crosstable.terms import MIRRORED, Report, ReportedCell

Path = tuple[str | int, ...]
Change = tuple[Path, Any]
_IN_FILE = re.compile(r"sections\[(\d+)\](?:\.players\[(\d+)\])?(?:\.rounds\[(\d+)\])?")
_ROUND = re.compile(r", round (\d+)(?: \[[^][]*(?:\[\d+\][^][]*)*\])?$")
_SECTION = re.compile(r"section (\d+)")


class Spot(NamedTuple):
    """A place of the draft, counted from 0: a section, a row of it, a round of the row."""

    section: int
    row: int | None
    round: int | None


class Fix(NamedTuple):
    """What a button says and what it changes; ``is_single``: it is said of one finding at a time, never of many."""

    label: str
    changes: tuple[Change, ...]
    is_single: bool = False


class Affiliate(NamedTuple):
    """An affiliate by its id and, where that is known, its name."""

    affiliate_id: str = ""
    name: str = ""


class Neighbors(NamedTuple):
    """The event of a draft, who is called like a name (ids and names), the day and the affiliate of whoever asks."""

    event: Mapping[str, Any]
    find: Callable[[str], Sequence[tuple[str, str]]]
    today: date
    own: Affiliate = Affiliate()

    def section(self, spot: Spot) -> Mapping[str, Any]:
        """The section of a place."""
        found: Mapping[str, Any] = self.event["sections"][spot.section]
        return found

    def player(self, spot: Spot) -> Mapping[str, Any]:
        """The row of a place."""
        found: Mapping[str, Any] = self.section(spot)["players"][spot.row]
        return found

    def cell(self, spot: Spot) -> ReportedCell:
        """The cell of a place; one that is not there is blank."""
        rounds = self.player(spot).get("rounds", [])
        text = rounds[spot.round] if spot.round is not None and spot.round < len(rounds) else ""
        return read_cell(text if isinstance(text, str) else "")

    def row_of(self, spot: Spot, number: int) -> Spot | None:
        """The cell of another player in the same round."""
        for row, player in enumerate(self.section(spot)["players"]):
            if player.get("number") == number:
                return spot._replace(row=row)
        return None

    def naming(self, spot: Spot) -> Iterator[tuple[Spot, ReportedCell]]:
        """The games of other rows in the same round that name the player of this one."""
        number = self.player(spot).get("number")
        for row in range(len(self.section(spot)["players"])):
            other = spot._replace(row=row)
            cell = self.cell(other)
            if row != spot.row and cell.result in MIRRORED and cell.opponent == number:
                yield other, cell


def spot_of(place: str, report: Report) -> Spot | None:
    """Which section, row and round of the draft a place names, each counted from 0."""
    within = _IN_FILE.search(place.rpartition(" [")[2] if " [sections[" in place else place)
    if within is None:
        named = _SECTION.match(place)
        numbers = {section_number(one, at): at for at, one in enumerate(report.sections)}
        at = numbers.get(int(named[1])) if named else None
        return None if at is None else Spot(at, None, None)
    section, row, cell = (None if part is None else int(part) for part in within.groups())
    round_number = _ROUND.search(place)
    if section is None or section >= len(report.sections):
        return None
    if row is not None and row >= len(report.sections[section].players):
        return None
    return Spot(section, row, int(round_number[1]) - 1 if round_number else cell)
