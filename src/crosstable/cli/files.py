"""What the commands share about event files: options, reading, checking, printing faults."""

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from crosstable.checks import CheckedEvent, check
from crosstable.errors import Fault, FormatError, Severity
from crosstable.formats import read_file
from crosstable.rules.editions import Calendar
from crosstable.terms import Report

FAULTY = 1


class Help(argparse.HelpFormatter):
    """Help of a fixed width: asking the terminal for its own would load more than rating an event does."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=100)


def add_file_options(parser: argparse.ArgumentParser) -> None:
    """The options that say how a file is read and by which calendar it is rated."""
    parser.add_argument(
        "--calendar",
        choices=[calendar.value for calendar in Calendar],
        default=Calendar.LISTED.value,
        help="which dates pick the rules: the 2025 list by the day a section starts (default), or the "
        "announcements of the time by the day it ends",
    )


def checked_file(path: str, options: argparse.Namespace) -> CheckedEvent:
    """Read and check one file; a file that cannot be read gives an event with that one fault."""
    try:
        reading = read_file(path)
    except FormatError as error:
        return CheckedEvent(Report("", "", None, None, (), path), (), (error.fault,))
    today = datetime.now(tz=UTC).date()
    checked = check(reading.report, today=today, calendar=Calendar(options.calendar))
    return checked._replace(faults=(*reading.faults, *checked.faults))


def print_faults(name: str, faults: Sequence[Fault]) -> None:
    """Every fault with its place and remedy on standard error, errors first."""
    for fault in sorted(faults, key=lambda fault: fault.severity is not Severity.ERROR):
        sys.stderr.write(
            f"{name}: {fault.severity.value}: {fault.place}: {fault.message}\n    {fault.remedy} [{fault.code}]\n"
        )
    errors = sum(fault.severity is Severity.ERROR for fault in faults)
    if errors:
        sys.stderr.write(f"{name}: {errors} error{'s' if errors > 1 else ''}; nothing was rated\n")
