"""``crosstable lab report``: a back-test as one page that needs nothing else."""

import argparse
import json
import os
import sys

from crosstable.cli.files import FAULTY, USAGE, Help
from crosstable.cli.lab_judging import add_judging, judged


def add_report(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command that makes reports."""
    made = commands.add_parser(
        "report",
        formatter_class=Help,
        help="a back-test as one page with plots, tables and the commands to repeat it",
        description="Judge a rule set as lab backtest does and write one HTML page: plots and tables of predictions, "
        "calibration, inflation and points, against other rule sets and systems, and the commands, rule files, digests "
        "and seeds to repeat it. The page loads nothing from anywhere.",
    )
    add_judging(made)
    made.add_argument("--sweep", default="", metavar="DIR", help="the folder of a sweep's results, to show them too")
    made.add_argument("--out", metavar="FILE", help="where the page is written")
    made.add_argument("--force", action="store_true", help="replace a file that is there already")
    made.add_argument("--json", action="store_true", help="print crosstable-lab-report/1")
    made.set_defaults(run=_report, needs=("numpy", "polars", "numba", "jinja2"))


def _report(options: argparse.Namespace) -> int:
    fault = _why_not(options)
    if fault:
        sys.stderr.write(f"crosstable lab report: {fault}\n")
        return USAGE if options.out is None and not options.json else FAULTY
    found = judged(options, "report")
    if isinstance(found, int):
        return found
    from crosstable.errors import HistoryError
    from crosstable.lab.reporting import report

    try:
        made = report(found, sweep=options.sweep)
        if options.out is not None:
            made.write(options.out, is_forced=options.force)
    except HistoryError as error:
        sys.stderr.write(f"crosstable lab report: {error}\n")
        return FAULTY
    if options.json:
        sys.stdout.write(json.dumps(made.document, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        sys.stdout.write(f"written to {options.out}\n")
    return 0


def _why_not(options: argparse.Namespace) -> str:
    """Why no report is made; told before anything is computed."""
    if options.sweep:
        from crosstable.errors import HistoryError
        from crosstable.lab.report_content import read_sweep

        try:
            read_sweep(options.sweep)
        except HistoryError as error:
            return str(error)
    if options.out is None:
        return "" if options.json else "give --out FILE for the page, or --json"
    if os.path.isdir(options.out):
        return f"{options.out} is a folder; give a file"
    if os.path.exists(options.out) and not options.force:
        return f"{options.out} is there already; give another file, or --force to replace it"
    return ""
