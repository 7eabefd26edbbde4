"""What the commands that judge rule sets take alike: the archive, the rules, against whom, which days, which draws."""

import argparse
import os
import sys
from datetime import date
from typing import TYPE_CHECKING

from crosstable.cli.files import FAULTY, USAGE
from crosstable.cli.progress import counting, waiting
from crosstable.cli.rule_option import add_rules_option, chosen_rules, file_or_day

if TYPE_CHECKING:
    from crosstable.lab.backtest_results import Backtest
    from crosstable.lab.other_systems import OtherSystem
    from crosstable.rules.rule_sets import RuleSet

_SYSTEMS = ("elo", "glicko2")


def add_judging(made: argparse.ArgumentParser) -> None:
    """The options."""
    made.add_argument("archive", metavar="ARCHIVE", help="the folder of the archive")
    add_rules_option(made)
    made.add_argument(
        "--against",
        type=_against,
        action="append",
        default=[],
        metavar="FILE|DATE|SYSTEM",
        help="another rule set, or official, or another system: elo, glicko2, glicko2:tau=0.3; judge it too, and how "
        "the two differ; may be given several times",
    )
    made.add_argument("--peers", default="", metavar="PYTHON", help="the interpreter that has riix, for other systems")
    made.add_argument("--from", dest="start", type=day, metavar="DATE", help="judge sections that start on it or later")
    made.add_argument("--to", dest="end", type=day, metavar="DATE", help="judge sections that start on it or before")
    made.add_argument("--seed", type=count, default=1, metavar="N", help="the seed of the draws (default: 1)")
    made.add_argument("--draws", type=count, default=500, metavar="N", help="how many draws (default: 500)")
    made.add_argument("--threads", type=count, metavar="N", help="how many threads (default: one per core)")


def _against(text: str) -> str:
    return text if text.partition(":")[0] in _SYSTEMS else file_or_day(text)


def day(text: str) -> date:
    """A day of the command line."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date; write it as YYYY-MM-DD") from None


def count(text: str) -> int:
    """A number of things, at least one, of the command line."""
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 1")
    return int(text)


def judged(options: argparse.Namespace, command: str) -> "Backtest | int":
    """The back-test that was asked for, or an exit code, after the fault was told."""
    from crosstable.errors import HistoryError
    from crosstable.history.archive_checks import ArchiveError

    if options.start and options.end and options.start > options.end:
        sys.stderr.write(f"crosstable lab {command}: --from is after --to\n")
        return USAGE
    try:
        return _judged(options)
    except ArchiveError as error:
        for fault in error.faults:
            sys.stderr.write(f"{options.archive}: {fault.place}: {fault.message}\n")
    except HistoryError as error:
        sys.stderr.write(f"crosstable lab {command}: {error}\n")
    return FAULTY


def _judged(options: argparse.Namespace) -> "Backtest | int":
    rules = chosen_rules(options.rules)
    against = [_rival(text, options.peers) for text in options.against]
    if rules is None or None in against:
        return FAULTY
    from crosstable.history.kernel.compiling import is_cached
    from crosstable.history.warming import warm_up
    from crosstable.lab.backtesting import backtest
    from crosstable.lab.measures import Draws

    if not is_cached():
        with waiting("compiling the formulas (once)"):
            warm_up()
    threads = options.threads or len(os.sched_getaffinity(0))
    with counting("judging sections") as bar:
        return backtest(
            options.archive,
            rules,
            [one for one in against if one is not None],
            span=(options.start, options.end),
            draws=Draws(options.seed, options.draws, threads),
            progress=bar.done,
        )


def _rival(text: str, peers: str) -> "RuleSet | OtherSystem | None":
    if text.partition(":")[0] not in _SYSTEMS:
        return chosen_rules(text)
    from crosstable.lab.other_systems import other_system

    return other_system(text, python=peers)
