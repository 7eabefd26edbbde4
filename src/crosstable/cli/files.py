"""What the commands share about event files: options, reading, checking, printing faults."""

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from crosstable.checks import CheckedEvent, check
from crosstable.checks.report import officially
from crosstable.cli.rule_option import add_rules_option
from crosstable.errors import AcceptanceError, Fault, FormatError, Severity
from crosstable.formats import file_bytes
from crosstable.formats.detect import Input, inputs, read_input
from crosstable.rules.editions import Calendar
from crosstable.terms import Report
from crosstable.whole_event import RatedEvent, rate_event, with_plausibility

FAULTY = 1
USAGE = 2


class Help(argparse.HelpFormatter):
    """Help of a fixed width: asking the terminal for its own would load more than rating an event does."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=100)


class Gathered(NamedTuple):
    """A checked event and the members whose ratings follow from section to section."""

    checked: CheckedEvent
    chained: frozenset[str]


def add_file_options(parser: argparse.ArgumentParser) -> None:
    """The options that say where ratings come from and by which calendar they are rated."""
    parser.add_argument(
        "--members",
        metavar="FILE",
        action="append",
        default=[],
        help="what members had before the event: CSV, TSV or JSON (crosstable schema members prints a template); may "
        "be given several times, a later file wins",
    )
    parser.add_argument(
        "--pairing-ratings",
        action="store_true",
        help="take the pairing rating for the rating where nothing else is known; everything else is assumed",
    )
    parser.add_argument("--after-round", type=int, metavar="N", help="the event as it stood after round N")
    parser.add_argument(
        "--calendar",
        choices=[calendar.value for calendar in Calendar],
        default=Calendar.LISTED.value,
        help="which dates pick the rules: the 2025 list by the day a section starts (default), or the "
        "announcements of the time by the day it ends",
    )
    add_rules_option(parser)


def add_accept_option(parser: argparse.ArgumentParser) -> None:
    """The option that accepts warnings."""
    parser.add_argument(
        "--accept",
        action="append",
        default=[],
        metavar="CODE=REASON",
        help="accept every warning of this code for this reason, which is kept with the result (errors cannot be)",
    )


def chosen_inputs(paths: Sequence[str]) -> list[Input]:
    """The inputs that paths stand for."""
    return inputs(paths)


def gathered(given: Input, options: argparse.Namespace) -> Gathered:
    """Read and check one input; one that cannot be read gives an event with that one fault."""
    try:
        reading = read_input(given)
        report, faults = reading.report, list(reading.faults)
        chained: frozenset[str] = frozenset()
        for path in options.members:
            report, known, found = _with_members(report, path)
            chained |= known
            faults += found
    except FormatError as error:
        return Gathered(CheckedEvent(Report("", "", None, None, (), given.name), (), (error.fault,)), frozenset())
    if options.after_round is not None:
        from crosstable.preview import after_round

        report = after_round(report, options.after_round)
    today = datetime.now(tz=UTC).date()
    ruled = officially if options.rules is None else options.rule_set.edition
    checked = check(report, today=today, calendar=Calendar(options.calendar), ruled=ruled)
    return Gathered(checked._replace(faults=(*faults, *checked.faults)), chained)


def _with_members(report: Report, path: str) -> tuple[Report, frozenset[str], list[Fault]]:
    from crosstable.formats import members
    from crosstable.preview import with_members

    found = members.read(file_bytes(path), path)
    return (
        with_members(report, found.backgrounds, f"members file {path}"),
        frozenset(found.backgrounds),
        list(found.faults),
    )


def rated_input(given: Input, options: argparse.Namespace) -> RatedEvent:
    """One input, read, checked and rated."""
    checked, chained = gathered(given, options)
    if any(player.pairing_rating for section in checked.report.sections for player in section.players):
        from crosstable.preview import missing_ratings, with_pairing_ratings

        if options.pairing_ratings:
            checked = with_pairing_ratings(checked)
        else:
            checked = checked._replace(faults=(*checked.faults, *missing_ratings(checked)))
    return with_plausibility(rate_event(checked, chained))


def with_accepted(event: RatedEvent, options: argparse.Namespace) -> tuple[RatedEvent, list[dict[str, str]]]:
    """The event without the warnings that were accepted, and those with their reasons."""
    if not options.accept:
        return event, []
    from crosstable.checks.accepted import accept

    wanted = dict(text.partition("=")[::2] for text in options.accept)
    try:
        faults, accepted = accept(event.faults, wanted)
    except AcceptanceError as error:
        sys.stderr.write(f"crosstable: --accept: {error}\n")
        raise SystemExit(USAGE) from error
    kept = [
        {"code": one.fault.code, "place": one.fault.place, "message": one.fault.message, "reason": one.reason}
        for one in accepted
    ]
    return event._replace(faults=tuple(faults)), kept


def fault_text(name: str, fault: Fault) -> str:
    """A fault as people read it: where, what, and what would be right."""
    where = f"{name}: {fault.severity.value}: {fault.place}"
    return f"{where}: {fault.message}\n    {fault.remedy} [{fault.code}]\n"


def print_faults(name: str, faults: Sequence[Fault]) -> None:
    """Every fault with its place and remedy on standard error, errors first."""
    for fault in sorted(faults, key=lambda fault: fault.severity is not Severity.ERROR):
        sys.stderr.write(fault_text(name, fault))
    errors = sum(fault.severity is Severity.ERROR for fault in faults)
    if errors:
        sys.stderr.write(f"{name}: {errors} error{'s' if errors > 1 else ''}; nothing was rated\n")
