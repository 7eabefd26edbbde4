"""``crosstable lab sweep``: many rule sets on one history, chosen on its earlier span and judged on its later one."""

import argparse
import json
import os
import sys
import tomllib
from typing import TYPE_CHECKING, Any

from crosstable.cli.files import FAULTY, USAGE, Help
from crosstable.cli.lab_judging import count, day
from crosstable.cli.progress import counting, waiting
from crosstable.cli.rule_option import add_rules_option

if TYPE_CHECKING:
    from crosstable.lab.plans import Plan
    from crosstable.lab.sweeping import Sweep

_BACKENDS = ("threads", "processes", "dask", "ray")
_METRICS = ("deviance", "brier")


def add_sweep(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command that searches among rule sets."""
    made = commands.add_parser(
        "sweep",
        formatter_class=Help,
        help="try many rule sets on a history: choose the best on its earlier span, judge it on its later one",
        description="Replay an archive by every rule set of a plan, choose the one that predicts the earlier span "
        "best, and judge it on the later span beside the official rules, with a 95 % interval from drawing sections "
        "anew. Results are kept as they arrive; the same command goes on where it was stopped. docs/lab.md, Sweeps, "
        "describes plans, clusters and what is written.",
    )
    made.add_argument("archive", metavar="ARCHIVE", help="the folder of the archive")
    made.add_argument("--out", required=True, metavar="DIR", help="where results are kept, and the report")
    _add_plan(made)
    _add_spans(made)
    _add_means(made)
    made.set_defaults(run=_sweep, needs=("numpy", "polars", "numba", "joblib"))


def _add_plan(made: argparse.ArgumentParser) -> None:
    plan = made.add_argument_group("what is tried: a plan, or options")
    plan.add_argument("--plan", metavar="FILE", help="a plan (TOML): what to start from, and a grid or random draws")
    plan.add_argument(
        "--grid",
        action="append",
        default=[],
        metavar="NAME=V,V,…",
        help="every one of these values of a constant; may be given several times",
    )
    add_rules_option(
        plan,
        what="what --grid or --random start from: a rule set (TOML, docs/rule-sets.md), or the rules of a day for "
        "every section (default: the official rules; a plan says it itself)",
    )
    plan.add_argument("--random", type=count, metavar="N", help="N random draws of what --vary names")
    plan.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="NAME=LOW:HIGH[:log]",
        help="draw a constant between two numbers; may be given several times",
    )


def _add_spans(made: argparse.ArgumentParser) -> None:
    spans = made.add_argument_group("spans, by the day on which sections start")
    spans.add_argument(
        "--choose-until",
        type=day,
        metavar="DATE",
        help="choose up to this day, judge after it (default: the day by which two thirds of the games are played)",
    )
    spans.add_argument("--from", dest="start", type=day, metavar="DATE", help="leave out sections before it")
    spans.add_argument("--to", dest="end", type=day, metavar="DATE", help="leave out sections after it")
    spans.add_argument(
        "--metric", choices=_METRICS, default=_METRICS[0], help="by which the best is chosen (default: deviance)"
    )
    spans.add_argument("--judge-all", action="store_true", help="score every rule set on the later span too")
    spans.add_argument("--seed", type=count, default=1, metavar="N", help="the seed of all draws (default: 1)")
    spans.add_argument("--draws", type=count, default=500, metavar="N", help="draws of sections (default: 500)")


def _add_means(made: argparse.ArgumentParser) -> None:
    means = made.add_argument_group("where it runs")
    means.add_argument("--jobs", type=count, default=0, metavar="N", help="tasks at a time (default: one per core)")
    means.add_argument(
        "--backend", choices=_BACKENDS, default=_BACKENDS[0], help="threads, processes, or a cluster (default: threads)"
    )
    means.add_argument(
        "--scheduler",
        default="",
        metavar="ADDRESS",
        help="of the Dask or Ray cluster (default: workers on this machine)",
    )
    means.add_argument("--restart", action="store_true", help="throw away the results that --out holds")
    means.add_argument("--json", action="store_true", help="print crosstable-sweep/1")


def _sweep(options: argparse.Namespace) -> int:
    from crosstable.errors import HistoryError, NoEditionError, RuleSetError
    from crosstable.history.archive_checks import ArchiveError

    fault = _why_not(options)
    if fault:
        sys.stderr.write(f"crosstable lab sweep: {fault}\n")
        return USAGE
    try:
        return _tell(options, _swept(options))
    except RuleSetError as error:
        for one in error.faults:
            sys.stderr.write(f"{error.where}: {one.place}: {one.message}\n")
        sys.stderr.write(f"    {error.faults[0].remedy}\n")
    except ArchiveError as error:
        for one in error.faults:
            sys.stderr.write(f"{options.archive}: {one.place}: {one.message}\n")
    except (HistoryError, NoEditionError) as error:
        sys.stderr.write(f"crosstable lab sweep: {error}\n")
    return FAULTY


def _why_not(options: argparse.Namespace) -> str:
    """What is wrong with the options taken together."""
    ways = [options.plan is not None, bool(options.grid), options.random is not None]
    if sum(ways) != 1:
        return "give a --plan, or --grid, or --random with --vary"
    if bool(options.vary) != (options.random is not None):
        return "--random and --vary go together"
    days = [day for day in (options.start, options.choose_until, options.end) if day]
    if days != sorted(days):
        return "the days of --from, --choose-until and --to should come in this order"
    if options.plan is not None and options.rules is not None:
        return "a --plan says itself what all rule sets start from; leave out --rules"
    given = (*options.grid, *options.vary)
    unread = [text for text in given if "=" not in text]
    if unread:
        return f"{unread[0]!r} should be written as NAME=…"
    names = [text.partition("=")[0].strip() for text in given]
    twice = [name for name in names if names.count(name) > 1]
    return f"{twice[0]} is given twice; give all of its values at once" if twice else ""


def _plan(options: argparse.Namespace) -> "Plan":
    from crosstable.lab.plans import plan_from, read_plan
    from crosstable.rules.rule_files import rule_set, rules_text

    if options.plan is not None:
        return read_plan(options.plan, options.seed)
    # The rule set to start from is the part of a plan that its own file is.
    base = {} if options.rules is None else tomllib.loads(rules_text(rule_set(options.rules)))
    if options.grid:
        lines = {name.strip(): said for name, said in (text.split("=", 1) for text in options.grid)}
        grid = {name: [_value(one) for one in said.split(",")] for name, said in lines.items()}
        return plan_from({**base, "grid": grid}, "--grid")
    ranges = {name.strip(): _range(said) for name, said in (text.split("=", 1) for text in options.vary)}
    return plan_from({**base, "random": {"count": options.random, **ranges}}, "--vary", options.seed)


def _value(text: str) -> Any:  # noqa: ANN401 (a number, a truth value or a word)
    """A value as TOML reads it; whatever else is a word."""
    try:
        return tomllib.loads(f"value = {text.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()


def _range(text: str) -> dict[str, Any]:
    low, _, rest = text.partition(":")
    high, _, scale = rest.partition(":")
    return {"from": _value(low), "to": _value(high), **({"scale": scale} if scale else {})}


def _swept(options: argparse.Namespace) -> "Sweep":
    plan = _plan(options)
    from crosstable.history.kernel.compiling import is_cached
    from crosstable.history.warming import warm_up
    from crosstable.lab.measures import Draws
    from crosstable.lab.sweep_tasks import Days, Where
    from crosstable.lab.sweeping import SweepOptions, sweep

    if not is_cached():
        with waiting("compiling the formulas (once)"):
            warm_up()
    wanted = SweepOptions(
        Days(options.start, options.choose_until, options.end),
        options.metric,
        Draws(options.seed, options.draws, len(os.sched_getaffinity(0))),
        options.judge_all,
        options.restart,
    )
    with counting("trying rule sets") as bar:

        def progress(done: int, total: int) -> None:
            bar.start(total)
            bar.done(done)

        where = Where(options.backend, options.jobs, options.scheduler)
        return sweep(options.archive, plan, options.out, options=wanted, where=where, progress=progress)


def _tell(options: argparse.Namespace, found: "Sweep") -> int:
    from crosstable.lab.sweeping import sweep_document, sweep_text, write_sweep

    write_sweep(found, options.out)
    if options.json:
        sys.stdout.write(json.dumps(sweep_document(found), ensure_ascii=False, allow_nan=False) + "\n")
        return 0
    if found.resumed:
        sys.stderr.write(f"{found.resumed:,} of {len(found.tried):,} rule sets were finished before\n")
    sys.stdout.write(f"{sweep_text(found)}\n  written to {options.out}\n")
    return 0
