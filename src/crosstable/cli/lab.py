"""``crosstable lab``: made-up federations, and what can be learned from them."""

import argparse
import sys
from importlib.util import find_spec

from crosstable.cli.files import FAULTY, Help
from crosstable.cli.lab_backtest import add_backtest
from crosstable.cli.lab_compare import add_compare
from crosstable.cli.lab_pages import add_pages
from crosstable.cli.lab_report import add_report
from crosstable.cli.lab_rules import add_rules
from crosstable.cli.lab_simulate import add_simulate
from crosstable.cli.lab_sweep import add_sweep


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    made = argparse.ArgumentParser(
        prog="crosstable lab",
        formatter_class=Help,
        description="A laboratory for rating systems: federations made from a seed, rule sets, and how they predict.",
        epilog="crosstable lab COMMAND --help says what a command takes.",
    )
    commands = made.add_subparsers(metavar="COMMAND", required=True, title="commands")
    add_simulate(commands)
    add_compare(commands)
    add_rules(commands)
    add_backtest(commands)
    add_report(commands)
    add_sweep(commands)
    add_pages(commands)
    return made


def run(arguments: list[str]) -> int:
    """Run a command of the laboratory."""
    options = parser().parse_args(arguments)
    missing = [library for library in options.needs if find_spec(library) is None]
    if missing:
        sys.stderr.write(
            f"crosstable lab: {' and '.join(missing)} is not installed; the laboratory needs more than rating a file "
            "does: pip install 'crosstable[history]'\n"
        )
        return FAULTY
    return int(options.run(options))
