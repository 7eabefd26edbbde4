"""``crosstable check``: every fault and warning of event files, with place and remedy."""

import argparse
import json
import sys

from crosstable.cli.files import FAULTY, Help, add_file_options, checked_file
from crosstable.errors import Severity
from crosstable.output.rated_json import fault_object
from crosstable.whole_event import rate_event


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    made = argparse.ArgumentParser(
        prog="crosstable check",
        formatter_class=Help,
        description="Every fault and warning of event files, with its place and what would be right.",
        epilog="Exit code 1: at least one error. Warnings do not change the exit code.",
    )
    made.add_argument("files", nargs="+", metavar="FILE", help="an event file")
    made.add_argument("--json", action="store_true", help="print crosstable-checked/1, one document a line")
    add_file_options(made)
    return made


def run(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    code = 0
    for path in options.files:
        event = rate_event(checked_file(path, options))
        errors = sum(fault.severity is Severity.ERROR for fault in event.faults)
        warnings = len(event.faults) - errors
        if errors:
            code = FAULTY
        if options.json:
            faults = [fault_object(fault) for fault in event.faults]
            document = {
                "format": "crosstable-checked/1",
                "event": event.report.event_id,
                "file": path,
                "faults": faults,
            }
            sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
            continue
        for fault in event.faults:
            sys.stdout.write(
                f"{path}: {fault.severity.value}: {fault.place}: {fault.message}\n    {fault.remedy} [{fault.code}]\n"
            )
        sys.stdout.write(f"{path}: {errors} errors, {warnings} warnings\n")
    return code
