"""``crosstable lab rules``: what a rule set changes."""

import argparse
import json
import sys
from datetime import date
from typing import Any

from crosstable.cli.files import FAULTY, Help
from crosstable.cli.rule_option import chosen_rules, file_or_day


def add_rules(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command that shows a rule set."""
    made = commands.add_parser(
        "rules",
        formatter_class=Help,
        help="check a rule set and print what it changes",
        description="Check a rule set (TOML, docs/rule-sets.md) and print how it differs from the official rules: in "
        "the editions that it stands on, or with --on from the rules of a day.",
    )
    made.add_argument("rules", type=file_or_day, metavar="FILE|DATE", help="the rule set, or a day")
    made.add_argument("--on", type=_day, metavar="DATE", help="compare with the official rules of this day")
    made.add_argument("--json", action="store_true", help="print crosstable-rules/1")
    made.set_defaults(run=_rules, needs=())


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date; write it as YYYY-MM-DD") from None


def _rules(options: argparse.Namespace) -> int:
    from crosstable.errors import NoEditionError
    from crosstable.rules.rule_files import Difference, differences
    from crosstable.rules.rule_sets import document_of

    rules = chosen_rules(options.rules)
    if rules is None:
        return FAULTY
    try:
        found: list[Difference] = differences(rules, options.on)
    except NoEditionError as error:
        sys.stderr.write(f"crosstable lab rules: {error}\n")
        return FAULTY
    if options.json:
        changed = [{**one._asdict(), "since": one.since.isoformat()} for one in found]
        document: dict[str, Any] = {"format": "crosstable-rules/1", **document_of(rules), "differences": changed}
        sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
        return 0
    base = "the edition of each section's day" if rules.base is None else f"the edition of {rules.base_name}"
    sys.stdout.write(f"{rules.title}, on {base}\n")
    if not found:
        against = "" if options.on is None else f" of {options.on}"
        sys.stdout.write(f"Nothing differs from the official rules{against}.\n")
    for one in found:
        sys.stdout.write(f"{one.rule}: {one.official} -> {one.changed} (since {one.since})\n")
    return 0
