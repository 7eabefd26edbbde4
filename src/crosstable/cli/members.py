"""``crosstable members for``: a members file with a row for each player of an event, filled with what is known."""

import argparse
import sys
from collections.abc import Sequence

from crosstable.cli.event_files import COMPLETING, MEMBERS, rated_files
from crosstable.cli.options import Parser, add_command, add_commands, command_parser, several, take
from crosstable.cli.printing import faults_text, warn, write_files
from crosstable.errors import FAULTY, RefusedError
from crosstable.formats.columns import columns_for, written
from crosstable.formats.members import MemberDetails
from crosstable.formats.sheet_rows import as_text, csv_bytes
from crosstable.pipeline.rating import RatedEvent
from crosstable.sentences import counted
from crosstable.terms import Background, RatingSystem, ReportedPlayer

# What is asked of every player in each system of the event, whether it is known or not.
ASKED = ("rating", "games", "peak")
WHO = ("Member ID", "Name", "State", "Member until", "FIDE id")


def parser() -> Parser:
    """What ``crosstable members`` takes."""
    made = command_parser("members", description="Members files: what players had before an event.")
    one = add_command(add_commands(made), "for", "write a members file with a row for each player of an event", _for)
    take(one, "files", "--out", "--force")
    several(one, "--members FILE", MEMBERS)
    take(one, *COMPLETING, "--section")
    one.set_defaults(pairing_ratings=False, rules=None)
    one.set_defaults(after_round=None, accept=[], calendar="listed", entry_lists=True)
    return made


def _for(options: argparse.Namespace) -> int:
    """Write a members file (CSV) with a row for each player of the events.

    Cells are filled with what the event files and the lists given with --members know. Fill in the others, and give
    the file to crosstable rate with --members.
    """
    events = rated_files(options.files, options)
    code = 0
    for given, event in events:
        broken = [found for found in event.general if found.severity.stops]
        sys.stderr.write(faults_text(given.name, broken))
        code = FAULTY if broken else code
    players = list(_players([event for _, event in events]))
    if not players:
        raise RefusedError("no player was found", FAULTY)
    data = csv_bytes(_rows(players, _systems([event for _, event in events])))
    if options.out:
        write_files({options.out: data}, is_forced=options.force)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
    if missing := sum(not player.member_id for player, _ in players):
        noun = counted(missing, "player has no member id", "players have no member id")
        warn(f"{noun}: look them up, or their rows are left out")
    return code


def _players(events: Sequence[RatedEvent]) -> list[tuple[ReportedPlayer, MemberDetails]]:
    """Everybody once, with the details of the lists; rows without an id by name."""
    found: dict[str, tuple[ReportedPlayer, MemberDetails]] = {}
    for event in events:
        for section in event.report.sections:
            for player in section.players:
                details = event.details.get(player.member_id, MemberDetails())
                found.setdefault(player.member_id or player.name, (player, details))
    return list(found.values())


def _systems(events: Sequence[RatedEvent]) -> list[str]:
    """The systems in which the events are rated; Regular and Quick where nothing tells, as most sections are dual."""
    checked = [section.checked for event in events for section in event.examined if section.checked is not None]
    systems = {system for one in checked for system in one.section.systems} or {RatingSystem.OTBR, RatingSystem.OTBQ}
    return [system.name for system in sorted(systems)]


def _rows(players: Sequence[tuple[ReportedPlayer, MemberDetails]], systems: Sequence[str]) -> list[list[str]]:
    known = [player.background if player.member_id else Background() for player, _ in players]
    asked = ["birth date", *(f"{system} {quantity}" for system in systems for quantity in ASKED)]
    columns = list(dict.fromkeys([*asked, *columns_for(known)]))
    rows = [[*WHO, *(f"{column[0].upper()}{column[1:]}" for column in columns)]]
    for (player, details), background in zip(players, known, strict=True):
        cells = written(background)
        fide = details.fide_id or player.details.get("fide_id", "")
        who = (player.member_id, player.name, player.state or details.state, as_text(details.member_until), fide)
        rows.append([*who, *(cells.get(column, "") for column in columns)])
    return rows
