"""``crosstable rate``: rate event files and print the crosstable, or JSON, text, HTML, CSV."""

import argparse
import json
import sys

from crosstable.cli.files import (
    FAULTY,
    USAGE,
    Help,
    add_accept_option,
    add_file_options,
    display_name,
    fault_text,
    print_faults,
    rated_files,
)
from crosstable.cli.rule_option import take_rules
from crosstable.errors import FormatError
from crosstable.formats.detect import Input
from crosstable.pipeline.rating import RatedEvent


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    made = argparse.ArgumentParser(
        prog="crosstable rate",
        formatter_class=Help,
        description="Rate event files of any known format and print each section's crosstable with ratings before "
        "and after. The format is found by content; the three US Chess DBF files are given together, as a folder or "
        "zipped.",
        epilog="Exit code 1: a file has errors; all of them are printed. Sections without an error are rated.",
    )
    made.add_argument("files", nargs="+", metavar="FILE", help="an event file, a folder with the three DBF files, or -")
    form = made.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print crosstable-rated/1, one document a line")
    form.add_argument("--text", action="store_true", help="print plain text in the style of US Chess crosstables")
    form.add_argument("--html", action="store_true", help="print a page for a browser or a printer")
    form.add_argument("--csv", action="store_true", help="print a table for spreadsheets")
    form.add_argument("--xlsx", metavar="OUT", help="write a workbook to this file")
    form.add_argument("--each-round", action="store_true", help="print every player's rating after each round")
    add_file_options(made)
    add_accept_option(made)
    return made


def run(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    if not take_rules(options):
        return FAULTY
    code = 0
    events = rated_files(options.files, options)
    if len(events) > 1 and (options.html or options.csv or options.xlsx):
        sys.stderr.write("crosstable rate: a page, a table or a workbook holds one event; give one at a time\n")
        return USAGE
    for given, event in events:
        if event.has_errors:
            code = FAULTY
        if options.json:
            sys.stdout.write(json.dumps(event.to_dict(), ensure_ascii=False, allow_nan=False) + "\n")
            continue
        print_faults(display_name(given), event)
        if event.rated:
            try:
                _print(event, given, options)
            except FormatError as error:
                sys.stderr.write(fault_text(display_name(given), error.fault))
                return FAULTY
    return code


def _print(event: RatedEvent, given: Input, options: argparse.Namespace) -> None:
    if options.text:
        from crosstable.output.crosstable_text import crosstable_text

        sys.stdout.write(crosstable_text(event))
    elif options.html:
        from crosstable.output.crosstable_html import crosstable_page

        sys.stdout.write(crosstable_page(event))
    elif options.csv:
        from crosstable.output.crosstable_csv import crosstable_csv

        sys.stdout.write(crosstable_csv(event))
    elif options.xlsx:
        from crosstable.output.crosstable_xlsx import crosstable_xlsx

        with open(options.xlsx, "wb") as file:
            file.write(crosstable_xlsx(event))
    elif options.each_round:
        _print_each_round(event, given, options)
    else:
        from crosstable.output.terminal import print_crosstables

        print_crosstables(event)


def _print_each_round(event: RatedEvent, given: Input, options: argparse.Namespace) -> None:
    """The event rated anew as it stood after every round: ratings are never added up round by round."""
    from crosstable.output.each_round import each_round_text

    rounds = max(len(player.cells) for section in event.report.sections for player in section.players)
    stages = [
        rated_files(given.paths, argparse.Namespace(**{**vars(options), "after_round": last}))[0][1]
        for last in range(1, rounds + 1)
    ]
    sys.stdout.write(each_round_text(event, stages))
