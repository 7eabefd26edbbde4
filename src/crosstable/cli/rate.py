"""``crosstable rate``: rate event files and print the crosstable, or JSON."""

import argparse
import json
import sys

from crosstable.cli.files import FAULTY, Help, add_file_options, checked_file, print_faults
from crosstable.output.rated_json import rated_document
from crosstable.whole_event import RatedEvent, rate_event


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    made = argparse.ArgumentParser(
        prog="crosstable rate",
        formatter_class=Help,
        description="Rate event files and print each section's crosstable with ratings before and after.",
        epilog="Exit code 1: a file has faults; all of them are printed and nothing is rated.",
    )
    made.add_argument("files", nargs="+", metavar="FILE", help="an event file")
    made.add_argument("--json", action="store_true", help="print crosstable-rated/1, one document a line")
    add_file_options(made)
    return made


def run(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    code = 0
    for path in options.files:
        event = rate_event(checked_file(path, options))
        if event.has_errors:
            code = FAULTY
        if options.json:
            sys.stdout.write(json.dumps(rated_document(event), ensure_ascii=False, allow_nan=False) + "\n")
        else:
            _print(event, path)
    return code


def _print(event: RatedEvent, path: str) -> None:
    print_faults(path, event.faults)
    if not event.has_errors:
        from crosstable.output.terminal import print_crosstables

        print_crosstables(event)
