"""``crosstable rate``, ``check``, ``explain``, ``convert``: event files rated, judged, rewritten."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from crosstable.cli import require
from crosstable.cli.options import Parser, command_parser, count, flag, option, several, take
from crosstable.cli.printing import (
    fault_text,
    faults_text,
    github_text,
    print_answer,
    print_json,
    sections_text,
    write_files,
)
from crosstable.errors import FAULTY, AcceptanceError, Fault, FormatError, RefusedError
from crosstable.formats.detect import Input, inputs
from crosstable.pipeline.rating import Options, RatedEvent, rate, unreadable
from crosstable.pipeline.reading import read
from crosstable.rules.editions import Calendar
from crosstable.sentences import counted
from crosstable.terms import Report

if TYPE_CHECKING:
    from crosstable.engine import RatedSection
    from crosstable.explanation import Line
    from crosstable.formats.members import MemberSource
    from crosstable.pipeline.checking import CheckedReport

STANDARD_INPUT = "-"
COMPLETING = ("--control", "--start", "--end", "--override", "--exclude")
CALENDAR: dict[str, Any] = {
    "choices": [calendar.value for calendar in Calendar],
    "default": Calendar.LISTED.value,
    "help": "which rules: those of the 2025 list for the day a section starts (listed, the default), or those "
    "announced at the time for the day it ends (announced)",
}
FORMATS = {
    "json": "our event file",
    "dbf": "the three US Chess DBF files, zipped (or into a folder with --out FOLDER)",
    "trf16": "FIDE TRF16",
    "trf26": "FIDE TRF26",
    "csv": "a CSV wallchart",
    "xlsx": "an XLSX wallchart",
}
BINARY = ("dbf", "xlsx")
ACCEPT = "accept every finding of this code that is a warning or to be confirmed; the reason is kept (repeatable)"
MEMBERS = (
    "ratings before the event: a members file (see crosstable schema members), a rating list, a saved page of a "
    "member, or uschess for the US Chess ratings API; repeatable, the last wins"
)
USCHESS = "uschess"
ERRORS = "Exit code 1: a file has errors; all are printed."


def _add_rating_options(made: Parser) -> None:
    """The options that complete a file, say where ratings come from, and by which rules it is rated."""
    several(made, "--members FILE", MEMBERS)
    flag(made, "--pairing-ratings", "use the pairing rating of a player who has no other; the rest is assumed")
    take(made, *COMPLETING)
    option(made, "--after-round N", "rate the event as it stood after round N", type=count)
    made.add_argument("--calendar", **CALENDAR)
    take(made, "--rules")
    several(made, "--accept CODE=REASON", ACCEPT)


def read_given(given: Input) -> Report:
    """The report of one input; ``-`` is standard input."""
    if given.paths == (STANDARD_INPUT,):
        return read(sys.stdin.buffer.read(), "standard input")
    return read(given.paths[0]) if len(given.paths) == 1 else read(given.paths)


def rated_files(paths: Sequence[str], options: argparse.Namespace) -> list[tuple[Input, RatedEvent]]:
    """Every event that paths stand for, read, checked and rated; one that cannot be read has that one finding."""
    try:
        settings = _settings(options)
    except FormatError as error:
        return [(given, unreadable(given.name, error.fault)) for given in inputs(paths)]
    return [(given, _rated(given, settings)) for given in inputs(paths)]


def _rated(given: Input, settings: Options) -> RatedEvent:
    try:
        return rate(read_given(given), **settings)
    except FormatError as error:
        return unreadable(given.name, error.fault)
    except AcceptanceError as error:
        raise RefusedError(f"--accept: {error}") from error


def _settings(options: argparse.Namespace) -> Options:
    """What the command was given, as the pipeline takes it."""
    members, rules = [_members_of(path) for path in options.members], None
    if options.rules is not None:
        from crosstable.rules.rule_files import rule_set

        rules = rule_set(options.rules)
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
        accept=_reasons(options),
        calendar=Calendar(options.calendar),
        rules=rules,
        entry_lists=getattr(options, "entry_lists", False),
    )


def _members_of(path: str) -> "MemberSource":
    if path == USCHESS:
        from crosstable.uschess import ApiMembers, FetchOptions

        require(("httpx",), "uschess")
        return ApiMembers(FetchOptions())
    from crosstable.formats.rating_lists import opened

    return opened(path)


def _reasons(options: argparse.Namespace) -> dict[str, str]:
    """The codes that are accepted, each with its reason."""
    return dict(text.partition("=")[::2] for text in options.accept)


def _print_findings(name: str, event: RatedEvent) -> None:
    """Every finding with its place and remedy on standard error, errors first, and what was not rated."""
    faults = event.faults
    errors_first = sorted(faults, key=lambda fault: not fault.severity.stops)
    sys.stderr.write(faults_text(name, errors_first, can_accept=True))
    for kept in event.accepted:
        sys.stderr.write(f"{name}: accepted: {kept.fault.place}: {kept.fault.message} ({kept.reason})\n")
    errors = len([fault for fault in faults if fault.severity.stops])
    if errors:
        sys.stderr.write(f"{name}: {counted(errors, 'error')}; {_not_rated(event)}\n")


def _not_rated(event: RatedEvent) -> str:
    if not event.rated:
        return "nothing was rated"
    numbers = [section.number for section in event.examined if not section.rated]
    return f"{sections_text(numbers)} {'was' if len(numbers) == 1 else 'were'} not rated"


def _display_name(given: Input) -> str:
    """What messages call an input."""
    return "standard input" if given.paths == (STANDARD_INPUT,) else given.name


def rate_parser() -> Parser:
    """What ``crosstable rate`` takes."""
    made = command_parser("rate", _rate, epilog=f"{ERRORS} Sections without errors are still rated.")
    take(made, "files")
    form = made.add_mutually_exclusive_group()
    take(form, "--json", json="print crosstable-rated/1, one document per line")
    flag(form, "--text", "print plain text in the style of US Chess crosstables")
    flag(form, "--html", "print a web page, ready for a browser or a printer")
    flag(form, "--csv", "print a table for a spreadsheet")
    option(form, "--xlsx OUT", "write an Excel workbook to this file, a sheet to print for each section")
    flag(form, "--each-round", "print every player's rating after each round")
    flag(made, "--standings", "rank by points and tie-breaks, and show them (not with --json, --text, --each-round)")
    words = "a tie-break instead of the usual ones, like solkoff (repeatable; see docs/directors-more.md)"
    option(made, "--tie-break METHOD", words, type=_tie_break, action="append", default=[])
    take(made, "--event-name", "--out", "--force", out="write what would be printed to this file")
    take(made, "--section")
    _add_rating_options(made)
    return made


def _tie_break(text: str) -> str:
    from crosstable.output.tie_breaks import METHODS

    if text not in METHODS:
        raise argparse.ArgumentTypeError(f"{text!r} is no tie-break; there are {', '.join(METHODS)}")
    return text


def _rate(options: argparse.Namespace) -> int:
    """Rate event files and print each section's crosstable with ratings before and after.

    Any known format will do; crosstable looks at the content. Give the three US Chess DBF files together, as a
    folder or a zip file.
    """
    code = 0
    if (options.standings or options.tie_break) and (options.json or options.text or options.each_round):
        raise RefusedError("standings are for the terminal, --html, --csv and --xlsx")
    if options.out and not (options.html or options.text or options.csv):
        raise RefusedError("--out goes with --html, --text or --csv")
    events = rated_files(options.files, options)
    if len(events) > 1 and (options.html or options.csv or options.xlsx or options.out):
        raise RefusedError("--html, --csv, --xlsx and --out take one event at a time")
    for given, found in events:
        event = found._replace(report=_named(found.report, options))
        if event.has_errors:
            code = FAULTY
        if options.json:
            print_json(event.to_dict())
            continue
        _print_findings(_display_name(given), event)
        if event.rated:
            try:
                _print_rated(event, given, options)
            except FormatError as error:
                sys.stderr.write(fault_text(_display_name(given), error.fault))
                return FAULTY
    return code


def _named(report: Report, options: argparse.Namespace) -> Report:
    return report._replace(name=options.event_name or report.name)


def _print_rated(event: RatedEvent, given: Input, options: argparse.Namespace) -> None:
    tie_breaks = options.tie_break if options.standings or options.tie_break else None
    if options.text:
        from crosstable.output.crosstable_text import crosstable_text

        _print_or_write(crosstable_text(event), options)
    elif options.html:
        from crosstable.output.crosstable_html import crosstable_page

        _print_or_write(crosstable_page(event, tie_breaks), options)
    elif options.csv:
        from crosstable.output.crosstable_sheets import crosstable_csv

        _print_or_write(crosstable_csv(event, tie_breaks), options)
    elif options.xlsx:
        from crosstable.output.crosstable_sheets import crosstable_xlsx

        write_files({options.xlsx: crosstable_xlsx(event, tie_breaks)}, is_forced=options.force)
    elif options.each_round:
        _print_each_round(event, given, options)
    else:
        from crosstable.output.crosstable_text import print_crosstables

        print_crosstables(event, tie_breaks)


def _print_or_write(text: str, options: argparse.Namespace) -> None:
    if options.out:
        write_files({options.out: text.encode("utf-8", "backslashreplace")}, is_forced=options.force)
    else:
        sys.stdout.write(text)


def _print_each_round(event: RatedEvent, given: Input, options: argparse.Namespace) -> None:
    """The event rated anew as it stood after every round: ratings are never added up round by round."""
    from crosstable.output.crosstable_text import each_round_text

    rounds = max(len(player.cells) for section in event.report.sections for player in section.players)
    stages = [
        rated_files(given.paths, argparse.Namespace(**{**vars(options), "after_round": last}))[0][1]
        for last in range(1, rounds + 1)
    ]
    sys.stdout.write(each_round_text(event, stages))


def check_parser() -> Parser:
    """What ``crosstable check`` takes."""
    made = command_parser("check", _check, epilog=f"{ERRORS} Warnings do not change the exit code.")
    take(made, "files", "--section")
    form = made.add_mutually_exclusive_group()
    take(form, "--json", json="print crosstable-checked/1, one document per line")
    words = "how to print findings: for people (text, the default), or as commands of a GitHub workflow (github)"
    form.add_argument("--format", choices=("text", "github"), default="text", help=words)
    _add_rating_options(made)
    made.set_defaults(entry_lists=True)
    return made


def _check(options: argparse.Namespace) -> int:
    """List every error and warning in event files, each with its place and its remedy."""
    from crosstable.pipeline.checking import CheckedReport

    code = 0
    for given, event in rated_files(options.files, options):
        checked = CheckedReport(event, _display_name(given))
        code = FAULTY if checked.has_errors else code
        if options.json:
            print_json(checked.to_dict())
        elif options.format == "github":
            sys.stdout.write(github_text(checked.file, checked.faults))
        else:
            sys.stdout.write(_checked_text(checked))
    return code


def _checked_text(checked: "CheckedReport") -> str:
    kept = "".join(
        f"{checked.file}: accepted: {one.fault.place}: {one.fault.message} ({one.reason})\n" for one in checked.accepted
    )
    accepted = f", {len(checked.accepted)} accepted" if checked.accepted else ""
    counts = (counted(checked.errors, "error"), counted(len(checked.faults) - checked.errors, "warning"))
    found = faults_text(checked.file, checked.faults, can_accept=True)
    return f"{found}{kept}{checked.file}: {', '.join(counts)}{accepted}\n"


def explain_parser() -> Parser:
    """What ``crosstable explain`` takes."""
    made = command_parser("explain", _explain)
    take(made, "files", files="an event file, or the three DBF files")
    option(made, "--section S", "the section's number (default: the only one)", type=int)
    option(made, "--player N|ID|NAME", "the player: number in the section, member id, or name", required=True)
    take(made, "--system", "--json", json="print crosstable-explained/1, with all digits")
    _add_rating_options(made)
    return made


def _explain(options: argparse.Namespace) -> int:
    """Show one player's whole calculation, step by step, with the section of the rating document for each line."""
    from crosstable.explanation import explain
    from crosstable.pipeline.explaining import chosen, explained_document, player_of

    given, event = rated_files(options.files, options)[0]
    _print_findings(_display_name(given), event)
    if not event.rated:
        return FAULTY
    try:
        number, within = player_of(event, options.player, options.section)
        rated = chosen(event, number, within, options.system)
    except LookupError as error:
        raise RefusedError(error.args[0]) from error
    for section in rated:
        lines = explain(section, number)
        document = explained_document(section, number, lines)
        print_answer(document, explained_text(section, number, lines), as_json=options.json)
    return FAULTY if event.has_errors else 0


def explained_text(rated: "RatedSection", number: int, lines: "tuple[Line, ...]") -> str:
    """An explanation as people read it."""
    from crosstable.explanation import lines_text

    player = next(player for player in rated.players if player.number == number)
    who = player.name or player.member_id or player.number
    return f"{who}, section {rated.section.number}, {rated.system.name}\n{lines_text(lines)}\n"


def convert_parser() -> Parser:
    """What ``crosstable convert`` takes."""
    listed = ", ".join(f"{name} ({what})" for name, what in FORMATS.items())
    made = command_parser("convert", _convert)
    made.description = f"Convert an event file of any known format. It can be written as {listed}."
    made.epilog = (
        f"{ERRORS} What could be read is still printed, but no file is written. Details that the new format has no "
        "place for are left out; a value that does not fit is an error. For dbf, long texts are cut and letters "
        "respelled, each with a warning, and sections without games are left out."
    )
    take(made, "files", files="an event file, a folder, or the three DBF files")
    made.add_argument("--to", choices=list(FORMATS), required=True, help="the format to write")
    take(made, *COMPLETING, "--section")
    several(made, "--accept CODE=REASON", ACCEPT)
    take(made, "--event-name", "--out", "--force", out="write to this file (for dbf, also a folder)")
    return made


def _convert(options: argparse.Namespace) -> int:
    from crosstable.checks.findings import accept
    from crosstable.pipeline.reading import chosen, completed, is_settled

    given = inputs(options.files)
    if len(given) > 1:
        raise RefusedError("give one event at a time")
    name = given[0].name
    try:
        whole = read_given(given[0])
        report = chosen(whole, options.section, options.exclude)
        faults = [found for found in report.faults if not is_settled(found, options.start, options.end)]
        sys.stderr.write(faults_text(name, faults))
        report = completed(report, options.control, options.start, options.end, override=options.override)
        if not report.sections and whole.sections:
            raise RefusedError(f"the file has no {sections_text(options.section)}")
        has_errors = any(fault.severity.stops for fault in faults)
        if has_errors and options.out:
            raise RefusedError(f"the file has errors; {options.out} was not written", FAULTY)
        report = _named(report, options)
        if options.to == "dbf":
            from crosstable.pipeline.submitting import for_submission

            report, found = for_submission(report)
            found, _ = accept(found, _reasons(options))
            sys.stderr.write(faults_text(name, found, can_accept=True))
            if any(fault.severity.stops for fault in found):
                raise RefusedError("US Chess would not accept this; no file was written", FAULTY)
        _write(report, options)
        return FAULTY if has_errors else 0
    except FormatError as error:
        sys.stderr.write(faults_text(name, [error.fault]))
        return FAULTY
    except AcceptanceError as error:
        raise RefusedError(f"--accept: {error}") from error


def _write(report: Report, options: argparse.Namespace) -> None:
    changes: list[Fault] = []
    if options.to == "dbf" and options.out and not options.out.lower().endswith(".zip"):
        from crosstable.formats import uschess_write

        os.makedirs(options.out, exist_ok=True)
        files = {os.path.join(options.out, name): data for name, data in uschess_write.write(report, changes).items()}
    else:
        from crosstable.pipeline.submitting import written

        files = {options.out: written(report, options.to, changes)}
    sys.stderr.write(faults_text(report.place, changes))
    if options.out:
        write_files(files, is_forced=options.force)
    elif options.to in BINARY and sys.stdout.isatty():
        raise RefusedError(f"{options.to} is not text; add --out FILE")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(files[options.out])
