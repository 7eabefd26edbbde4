"""``crosstable check``: every fault and warning of event files, with place and remedy."""

import argparse
import json
import sys

from crosstable.cli.files import (
    FAULTY,
    Help,
    add_accept_option,
    add_file_options,
    display_name,
    faults_text,
    rated_files,
)
from crosstable.cli.rule_option import take_rules
from crosstable.pipeline.checking import CheckedReport


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    made = argparse.ArgumentParser(
        prog="crosstable check",
        formatter_class=Help,
        description="Every fault and warning of event files, with its place and what would be right.",
        epilog="Exit code 1: at least one error. Warnings do not change the exit code.",
    )
    made.add_argument("files", nargs="+", metavar="FILE", help="an event file, a folder with the three DBF files, or -")
    made.add_argument("--json", action="store_true", help="print crosstable-checked/1, one document a line")
    add_file_options(made)
    add_accept_option(made)
    made.set_defaults(entry_lists=True)
    return made


def run(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    if not take_rules(options):
        return FAULTY
    code = 0
    for given, event in rated_files(options.files, options):
        checked = CheckedReport(event, display_name(given))
        code = FAULTY if checked.has_errors else code
        if options.json:
            sys.stdout.write(json.dumps(checked.to_dict(), ensure_ascii=False) + "\n")
        else:
            _print(checked)
    return code


def _print(checked: CheckedReport) -> None:
    sys.stdout.write(faults_text(checked.file, checked.faults))
    for kept in checked.accepted:
        sys.stdout.write(f"{checked.file}: accepted: {kept.fault.place}: {kept.fault.message} ({kept.reason})\n")
    accepted = f", {len(checked.accepted)} accepted" if checked.accepted else ""
    counted = (_counted(checked.errors, "error"), _counted(len(checked.faults) - checked.errors, "warning"))
    sys.stdout.write(f"{checked.file}: {', '.join(counted)}{accepted}\n")


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
