"""``crosstable check``: every fault and warning of event files, with place and remedy."""

import argparse
import json
import sys
from typing import Any

from crosstable.cli.files import (
    FAULTY,
    Help,
    add_accept_option,
    add_file_options,
    chosen_inputs,
    fault_text,
    gathered,
    with_accepted,
)
from crosstable.cli.rule_option import take_rules
from crosstable.errors import Severity
from crosstable.output.rated_json import fault_object
from crosstable.preview import missing_ratings
from crosstable.whole_event import rate_event, with_plausibility


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    made = argparse.ArgumentParser(
        prog="crosstable check",
        formatter_class=Help,
        description="Every fault and warning of event files, with its place and what would be right.",
        epilog="Exit code 1: at least one error. Warnings do not change the exit code.",
    )
    made.add_argument("files", nargs="+", metavar="FILE", help="an event file, or a folder with the three DBF files")
    made.add_argument("--json", action="store_true", help="print crosstable-checked/1, one document a line")
    add_file_options(made)
    add_accept_option(made)
    return made


def run(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    if not take_rules(options):
        return FAULTY
    code = 0
    for given in chosen_inputs(options.files):
        checked, chained = gathered(given, options)
        event, accepted = with_accepted(with_plausibility(rate_event(checked, chained)), options)
        errors = sum(fault.severity is Severity.ERROR for fault in event.faults)
        warnings = len(event.faults) - errors
        if errors:
            code = FAULTY
        if options.json:
            document: dict[str, Any] = {
                "format": "crosstable-checked/1",
                "event": event.report.event_id,
                "file": given.name,
                "faults": [fault_object(fault) for fault in event.faults],
                "accepted": accepted,
            }
            if options.rule_set is not None:
                from crosstable.rules.rule_sets import document_of

                document["rules"] = document_of(options.rule_set)
            sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
            continue
        for fault in event.faults:
            sys.stdout.write(fault_text(given.name, fault))
        for kept in accepted:
            sys.stdout.write(f"{given.name}: accepted: {kept['place']}: {kept['message']} ({kept['reason']})\n")
        if any(player.pairing_rating for section in event.report.sections for player in section.players):
            for missing in missing_ratings(checked):
                sys.stdout.write(f"{given.name}: to rate it: {missing.place}: {missing.message} {missing.remedy}\n")
        kept_too = f", {len(accepted)} accepted" if accepted else ""
        sys.stdout.write(f"{given.name}: {errors} errors, {warnings} warnings{kept_too}\n")
    return code
