"""Writing a report in a format, and what a rating report needs first: played sections without errors."""

import re
from collections.abc import Collection
from typing import NamedTuple

from crosstable.checks.findings import section_place
from crosstable.checks.report import check
from crosstable.errors import Fault, FormatError, Severity, UnratableSectionError
from crosstable.faults import fault
from crosstable.terms import PAIRING_GAMES, Report, ReportedCell, ReportedPlayer, ReportedSection

EXTENSIONS = {"json": "json", "dbf": "zip", "trf16": "trf", "trf26": "trf", "csv": "csv", "xlsx": "xlsx"}
_BY_RATINGS = "match-not-eligible"  # which the files do not carry, so they cannot tell


def for_submission(report: Report) -> tuple[Report, list[Fault]]:
    """The report with the sections that were played, and every finding about it, errors included.

    Waiting lists and the like go: US Chess takes no section without a game. An event without any game is an error.
    """
    played = [_has_games(section) for section in report.sections]
    if not any(played):
        places = [section_place(section, at).whole for at, section in enumerate(report.sections)]
        return report, [*(fault("no-game", place) for place in places), *check(report).faults]
    left_out = [
        fault("not-written:section", section_place(section, at).whole)
        for at, section in enumerate(report.sections)
        if not played[at]
    ]
    kept = [section for section, is_played in zip(report.sections, played, strict=True) if is_played]
    report = report._replace(sections=tuple(kept))
    found = [one for one in check(report).faults if one.code != _BY_RATINGS]
    losses = [*_lacking(report), *(loss for at in range(len(kept)) for loss in _losses(report, at))]
    if any(one.severity is Severity.ERROR for one in found):
        return report, [*left_out, *losses, *found]
    sections = tuple(_numbered(section)._replace(number=number) for number, section in enumerate(kept, 1))
    starts = [section.start for section in sections if section.start is not None]
    ends = [section.end for section in sections if section.end is not None]
    start, end = report.start or min(starts, default=None), report.end or max(ends, default=None)
    return report._replace(sections=sections, start=start, end=end), [*left_out, *losses, *found]


def _numbered(section: ReportedSection) -> ReportedSection:
    """The section with its players numbered from 1 on, as the files need it."""
    numbers = {player.number: number for number, player in enumerate(section.players, 1)}
    if sorted(numbers, key=lambda number: number or 0) == list(range(1, len(section.players) + 1)):
        return section

    def renumbered(cell: ReportedCell) -> ReportedCell:
        if not cell.opponent or cell.result is None:
            return cell
        opponent = numbers.get(cell.opponent, 0)
        return ReportedCell(f"{cell.result.value}{opponent}{cell.colour}", cell.result, opponent, cell.colour)

    players = [
        player._replace(number=numbers[player.number], cells=tuple(map(renumbered, player.cells)))
        for player in section.players
    ]
    return section._replace(players=tuple(players))


def _has_games(section: ReportedSection) -> bool:
    return any(cell.result is not None and cell.result.is_game for player in section.players for cell in player.cells)


# What the head of a rating report has to say, by its name among the details of an event.
ASKED_FOR = ("affiliate", "city", "state", "chief_td")


def _lacking(report: Report) -> list[Fault]:
    """What US Chess asks for beside the sections and the event does not say; directors may stand with the sections."""
    of_sections = {"chief_td": all(section.details.get("chief_td", "").strip() for section in report.sections)}
    return [
        fault(f"report-incomplete:{name}", "event")
        for name in ASKED_FOR
        if not report.details.get(name, "").strip() and not of_sections.get(name, False)
    ]


def _losses(report: Report, at: int) -> list[Fault]:
    """What rating uses and the files cannot carry."""
    section = report.sections[at]
    place = section_place(section, at).whole
    numbers = sorted(player.number or 0 for player in section.players)
    said = {
        "numbers": numbers != list(range(1, len(numbers) + 1)),
        "online": section.is_online,
        "systems": bool(section.systems),
        "half_k": section.is_half_k,
        "waiver": bool(section.match_waiver),
    }
    found = [fault(f"not-written:{what}", place) for what, is_said in said.items() if is_said]
    if count := sum(map(_brings_ratings, section.players)):
        found.append(fault("not-written:ratings", place, count=count))
    if count := sum(PAIRING_GAMES in player.details for player in section.players):
        found.append(fault("not-written:games", place, count=count))
    return found


def _brings_ratings(player: ReportedPlayer) -> bool:
    own = player.background
    return bool(own.standings or own.fide or own.cfc or own.given_start)


class Exported(NamedTuple):
    """A file that was written, and what had to be changed or left out."""

    name: str
    content: bytes
    faults: tuple[Fault, ...]


def exported(report: Report, to: str, accepted: Collection[str] = ()) -> Exported:
    """A report as a file of a format; raises ``UnratableSectionError`` with what keeps it from being written.

    A rating report must be one that US Chess accepts; ``accepted`` are codes that somebody has confirmed.
    """
    found: list[Fault] = []
    if to == "dbf":
        report, found = for_submission(report)
    if stops := [one for one in found if one.severity.stops and one.code not in accepted]:
        raise UnratableSectionError(stops)
    changes: list[Fault] = []
    try:
        content = written(report, to, changes)
    except FormatError as error:
        raise UnratableSectionError([error.fault]) from error
    name = f"{re.sub('[^A-Za-z0-9]+', '-', report.name).strip('-') or 'event'}.{EXTENSIONS[to]}"
    return Exported(name, content, (*found, *changes))


def written(report: Report, name: str, changes: list[Fault]) -> bytes:
    """A report in a format, as bytes; what had to be changed to fit is added to ``changes``."""
    from crosstable.formats import (
        event_json_write,
        trf_write,
        uschess_write,
        wallchart_write,
        wallchart_xlsx,
    )

    if name == "dbf":
        return uschess_write.write_zip(report, changes)
    if name in ("trf16", "trf26"):
        return trf_write.write(report, int(name.removeprefix("trf")))
    writers = {"json": event_json_write.write, "csv": wallchart_write.write, "xlsx": wallchart_xlsx.write}
    return writers[name](report)
