"""``crosstable lab backtest``: how well a rule set predicts, and what it does to ratings."""

import argparse
import json
import os
import sys
from datetime import date

from crosstable.cli.files import FAULTY, USAGE, Help
from crosstable.cli.progress import counting, waiting
from crosstable.cli.rule_option import add_rules_option, chosen_rules


def add_backtest(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command that judges rule sets."""
    made = commands.add_parser(
        "backtest",
        formatter_class=Help,
        help="how well a rule set predicts a history, alone or against another one",
        description="Replay an archive and judge every section's results as they were predicted before it: binomial "
        "deviance, Brier score and calibration, by era, system and bands of rating, age and games, with 95 % "
        "intervals from drawing sections anew; what bonus and floors create, and inflation as cohorts show it. "
        "docs/lab.md explains the figures.",
    )
    made.add_argument("archive", metavar="ARCHIVE", help="the folder of the archive")
    add_rules_option(made)
    add_rules_option(made, "--against", "another rule set, or official: judge both, and how they differ")
    made.add_argument(
        "--from", dest="start", type=_day, metavar="DATE", help="judge sections that start on it or later"
    )
    made.add_argument("--to", dest="end", type=_day, metavar="DATE", help="judge sections that start on it or before")
    made.add_argument("--seed", type=_count, default=1, metavar="N", help="the seed of the draws (default: 1)")
    made.add_argument("--draws", type=_count, default=500, metavar="N", help="how many draws (default: 500)")
    made.add_argument("--threads", type=_count, metavar="N", help="how many threads (default: one per core)")
    made.add_argument("--json", action="store_true", help="print crosstable-backtest/1")
    made.add_argument("--out", metavar="DIR", help="write the report into a folder too: JSON, text and tables")
    made.set_defaults(run=_backtest, needs=("numpy", "polars", "numba"))


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date; write it as YYYY-MM-DD") from None


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 1")
    return int(text)


def _backtest(options: argparse.Namespace) -> int:
    from crosstable.errors import HistoryError
    from crosstable.history.archive_checks import ArchiveError

    if options.start and options.end and options.start > options.end:
        sys.stderr.write("crosstable lab backtest: --from is after --to\n")
        return USAGE
    try:
        return _judge(options)
    except ArchiveError as error:
        for fault in error.faults:
            sys.stderr.write(f"{options.archive}: {fault.place}: {fault.message}\n")
    except HistoryError as error:
        sys.stderr.write(f"crosstable lab backtest: {error}\n")
    return FAULTY


def _judge(options: argparse.Namespace) -> int:
    rules = chosen_rules(options.rules)
    against = chosen_rules(options.against)
    if rules is None or against is None:
        return FAULTY
    from crosstable.history.kernel.compiling import is_cached
    from crosstable.history.warming import warm_up
    from crosstable.lab.backtest_document import backtest_document, write_backtest
    from crosstable.lab.backtest_text import backtest_text
    from crosstable.lab.backtesting import backtest
    from crosstable.lab.bootstrap import Draws

    if not is_cached():
        with waiting("compiling the formulas (once)"):
            warm_up()
    threads = options.threads or len(os.sched_getaffinity(0))
    with counting("judging sections") as bar:
        found = backtest(
            options.archive,
            rules,
            None if options.against is None else against,
            span=(options.start, options.end),
            draws=Draws(options.seed, options.draws, threads),
            progress=bar.done,
        )
    if options.out is not None:
        write_backtest(found, options.out)
    if options.json:
        sys.stdout.write(json.dumps(backtest_document(found), ensure_ascii=False, allow_nan=False) + "\n")
    else:
        sys.stdout.write(backtest_text(found))
    return 0
