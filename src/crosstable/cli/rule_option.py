"""``--rules``: rate by a rule set instead of the official rules of each section's day."""

import argparse
import os
import sys
from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosstable.rules.rule_sets import RuleSet


def add_rules_option(
    parser: "argparse.ArgumentParser | argparse._ArgumentGroup",
    flag: str = "--rules",
    what: str = "rate by a rule set (TOML, docs/rule-sets.md), or everything by the rules of a day (default: the "
    "official rules of each section's own day)",
) -> None:
    """An option that names a rule set."""
    parser.add_argument(flag, type=file_or_day, metavar="FILE|DATE", help=what)


def file_or_day(text: str) -> str:
    """An argument that is a file, a day or ``official``."""
    try:
        date.fromisoformat(text)
    except ValueError:
        if text != "official" and not os.path.exists(text):
            raise argparse.ArgumentTypeError(
                f"{text!r} is neither a file nor a day; write a day as YYYY-MM-DD"
            ) from None
    return text


def take_rules(options: argparse.Namespace) -> bool:
    """Put the rule set that was asked for into ``options.rule_set``; whether there is one that can be used."""
    options.rule_set = None if options.rules is None else chosen_rules(options.rules)
    return options.rules is None or options.rule_set is not None


def chosen_rules(text: str | None) -> "RuleSet | None":
    """The rule set that was asked for; one that has faults is told with all of them, and is none."""
    from crosstable.errors import NoEditionError, RuleSetError
    from crosstable.rules.rule_sets import OFFICIAL

    if text is None:
        return OFFICIAL
    from crosstable.rules.rule_files import rule_set

    try:
        return rule_set(text)
    except RuleSetError as error:
        for fault in error.faults:
            sys.stderr.write(f"{error.where}: {fault.place}: {fault.message}\n")
        sys.stderr.write(f"    {error.faults[0].remedy}\n")
    except NoEditionError as error:
        sys.stderr.write(f"crosstable: --rules: {error}\n")
    return None
