"""``crosstable lab backtest``: how well a rule set predicts, and what it does to ratings."""

import argparse
import json
import sys

from crosstable.cli.files import Help
from crosstable.cli.lab_judging import add_judging, judged


def add_backtest(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command that judges rule sets."""
    made = commands.add_parser(
        "backtest",
        formatter_class=Help,
        help="how well a rule set predicts a history, alone or against others",
        description="Replay an archive and judge every section's results as they were predicted before it: binomial "
        "deviance, Brier score and calibration, by era, system and bands of rating, age and games, with 95 % "
        "intervals from drawing sections anew; what bonus and floors create, and inflation as cohorts show it; the "
        "same games by other rule sets, or by Elo and Glicko-2. docs/lab.md explains the figures.",
    )
    add_judging(made)
    made.add_argument("--json", action="store_true", help="print crosstable-backtest/1")
    made.add_argument("--out", metavar="DIR", help="write the report into a folder too: JSON, text and tables")
    made.set_defaults(run=_backtest, needs=("numpy", "polars", "numba"))


def _backtest(options: argparse.Namespace) -> int:
    found = judged(options, "backtest")
    if isinstance(found, int):
        return found
    from crosstable.lab.backtest_results import backtest_document, backtest_text, write_backtest

    if options.out is not None:
        write_backtest(found, options.out)
    if options.json:
        sys.stdout.write(json.dumps(backtest_document(found), ensure_ascii=False, allow_nan=False) + "\n")
    else:
        sys.stdout.write(backtest_text(found))
    return 0
