"""What the commands share about event files: options, reading, printing findings."""

import argparse
import sys
from collections.abc import Sequence
from datetime import date

from crosstable.cli.rule_option import add_rules_option
from crosstable.errors import AcceptanceError, Fault, FormatError
from crosstable.formats import file_bytes
from crosstable.formats.dates import day_of
from crosstable.formats.detect import Input, inputs
from crosstable.pipeline.rating import Options, RatedEvent, rate, unreadable
from crosstable.pipeline.reading import read
from crosstable.rules.editions import Calendar
from crosstable.terms import Report

FAULTY = 1
USAGE = 2
STANDARD_INPUT = "-"


class Help(argparse.HelpFormatter):
    """Help of a fixed width: asking the terminal for its own would load more than rating an event does."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=100)


class Overview(Help):
    """Help whose list of commands stands in one column, however long their names."""

    def add_argument(self, action: argparse.Action) -> None:
        """Make room for the names of commands, which stand further in than options."""
        super().add_argument(action)
        names = [len(inner.dest) for inner in self._iter_indented_subactions(action)]
        self._action_max_length = max([self._action_max_length, *(self._current_indent + 4 + name for name in names)])


def add_file_options(parser: argparse.ArgumentParser, *, chooses_sections: bool = True) -> None:
    """The options that complete a file, say where ratings come from, and by which calendar they are rated."""
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
    add_completing_options(parser, chooses_sections=chooses_sections)
    parser.add_argument("--after-round", type=int, metavar="N", help="the event as it stood after round N")
    parser.add_argument(
        "--calendar",
        choices=[calendar.value for calendar in Calendar],
        default=Calendar.LISTED.value,
        help="which dates pick the rules: the 2025 list by the day a section starts (default), or the "
        "announcements of the time by the day it ends",
    )
    add_rules_option(parser)


def add_completing_options(parser: argparse.ArgumentParser, *, chooses_sections: bool = True) -> None:
    """The options that fill in what a file lacks, and choose its sections."""
    parser.add_argument("--control", metavar="CONTROL", default="", help="time control of sections that name none")
    parser.add_argument("--start", type=day, metavar="DATE", help="start date of sections that have none")
    parser.add_argument("--end", type=day, metavar="DATE", help="end date of sections that have none")
    parser.add_argument(
        "--override", action="store_true", help="--control, --start and --end replace what the file says"
    )
    if chooses_sections:
        parser.add_argument(
            "--section", type=int, action="append", default=[], metavar="N", help="only this section (repeatable)"
        )
    parser.add_argument(
        "--exclude", type=int, action="append", default=[], metavar="N", help="leave this section out (repeatable)"
    )


def day(text: str) -> date:
    """An argument that is a day."""
    found = day_of(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no date; write it as 2026-06-14 or 6/14/2026")
    return found


def add_accept_option(parser: argparse.ArgumentParser) -> None:
    """The option that accepts findings."""
    parser.add_argument(
        "--accept",
        action="append",
        default=[],
        metavar="CODE=REASON",
        help="accept every finding of this code, a warning or one to confirm, for this reason, which is kept",
    )


def read_given(given: Input) -> Report:
    """The report of one input; ``-`` is standard input."""
    if given.paths == (STANDARD_INPUT,):
        return read(sys.stdin.buffer.read(), "standard input")
    return read(given.paths[0]) if len(given.paths) == 1 else read(given.paths)


def rated_files(paths: Sequence[str], options: argparse.Namespace) -> list[tuple[Input, RatedEvent]]:
    """Every event that paths stand for, read, checked and rated; one that cannot be read has that one finding."""
    try:
        settings = _options(options)
    except FormatError as error:
        return [(given, unreadable(given.name, error.fault)) for given in inputs(paths)]
    return [(given, _rated(given, settings)) for given in inputs(paths)]


def _rated(given: Input, settings: Options) -> RatedEvent:
    try:
        return rate(read_given(given), **settings)
    except FormatError as error:
        return unreadable(given.name, error.fault)
    except AcceptanceError as error:
        sys.stderr.write(f"crosstable: --accept: {error}\n")
        raise SystemExit(USAGE) from error


def _options(options: argparse.Namespace) -> Options:
    """What the command was given, as the pipeline takes it."""
    members = []
    for path in options.members:
        from crosstable.formats import members as reader

        members.append(reader.read(file_bytes(path), path))
    return Options(
        members=members,
        pairing_ratings=options.pairing_ratings,
        control=options.control,
        start=options.start,
        end=options.end,
        override=options.override,
        sections=options.section if isinstance(options.section, list) else (),
        exclude=options.exclude,
        after_round=options.after_round,
        accept=dict(text.partition("=")[::2] for text in getattr(options, "accept", [])),
        calendar=Calendar(options.calendar),
        rules=options.rule_set,
        entry_lists=getattr(options, "entry_lists", False),
    )


def fault_text(name: str, fault: Fault) -> str:
    """A finding as people read it: where, what, and what would be right."""
    where = f"{name}: {fault.severity.value}: {fault.place}"
    return f"{where}: {fault.message}\n    {fault.remedy} [{fault.code}]\n"


def faults_text(name: str, faults: Sequence[Fault]) -> str:
    """Findings as people read them: equal ones about several rows are one."""
    if not faults:
        return ""
    from crosstable.output.grouped import grouped

    return "".join(fault_text(name, fault) for fault in grouped(faults))


def print_faults(name: str, event: RatedEvent) -> None:
    """Every finding with its place and remedy on standard error, errors first, and what was not rated."""
    faults = event.faults
    sys.stderr.write(faults_text(name, sorted(faults, key=lambda fault: not fault.severity.stops)))
    for kept in event.accepted:
        sys.stderr.write(f"{name}: accepted: {kept.fault.place}: {kept.fault.message} ({kept.reason})\n")
    errors = len([fault for fault in faults if fault.severity.stops])
    if errors:
        counted = f"{errors} error{'s' if errors > 1 else ''}"
        sys.stderr.write(f"{name}: {counted}; {_not_rated(event)}\n")


def _not_rated(event: RatedEvent) -> str:
    if not event.rated:
        return "nothing was rated"
    numbers = [str(section.number) for section in event.examined if not section.rated]
    several = len(numbers) > 1
    return f"section{'s' if several else ''} {', '.join(numbers)} {'were' if several else 'was'} not rated"


def display_name(given: Input) -> str:
    """What messages call an input."""
    return "standard input" if given.paths == (STANDARD_INPUT,) else given.name
