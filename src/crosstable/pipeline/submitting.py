"""What a report needs before it is written as a rating report: played sections without errors, and a word on losses."""

from crosstable.catalogue import fault
from crosstable.checks.places import section_place
from crosstable.checks.report import check
from crosstable.errors import Fault
from crosstable.terms import Report, ReportedPlayer, ReportedSection


def for_submission(report: Report) -> tuple[Report, list[Fault]]:
    """The report with the sections that were played, and every finding about it, errors included.

    Waiting lists and the like go: US Chess takes no section without a game. An event without any game stays whole.
    """
    played = [_has_games(section) for section in report.sections]
    left_out = [
        fault("not-written:section", section_place(section, at).whole)
        for at, section in enumerate(report.sections)
        if any(played) and not played[at]
    ]
    kept = [section for section, is_played in zip(report.sections, played, strict=True) if is_played or not any(played)]
    if left_out:
        kept = [section._replace(number=number) for number, section in enumerate(kept, 1)]
    report = report._replace(sections=tuple(kept))
    losses = [found for at in range(len(kept)) for found in _losses(report, at)]
    return report, [*left_out, *losses, *check(report).faults]


def _has_games(section: ReportedSection) -> bool:
    return any(cell.result is not None and cell.result.is_game for player in section.players for cell in player.cells)


def _losses(report: Report, at: int) -> list[Fault]:
    """What rating uses and the files cannot carry."""
    section = report.sections[at]
    place = section_place(section, at).whole
    said = {"online": section.is_online, "systems": bool(section.systems), "half_k": section.is_half_k}
    found = [fault(f"not-written:{what}", place) for what, is_said in said.items() if is_said]
    if count := sum(map(_brings_ratings, section.players)):
        found.append(fault("not-written:ratings", place, count=count))
    return found


def _brings_ratings(player: ReportedPlayer) -> bool:
    own = player.background
    return bool(own.standings or own.fide or own.cfc or own.given_start)
