"""``crosstable lab sweep``: many rule sets on one history, chosen on its earlier span and judged on its later one."""

import argparse
import os
import sys
import tomllib
from typing import TYPE_CHECKING, Any

from crosstable.cli import RefusedError
from crosstable.cli.history import compile_once
from crosstable.cli.options import Commands, Parser, add_command, count, day, flag, option, several, take
from crosstable.cli.printing import Bar, print_json

if TYPE_CHECKING:
    from crosstable.lab.plans import Plan
    from crosstable.lab.sweeping import Sweep

_BACKENDS = ("threads", "processes", "dask", "ray")
_METRICS = ("deviance", "brier")


def add_sweep(commands: Commands) -> None:
    """The command that searches among rule sets."""
    made = add_command(commands, "sweep", "try many rule sets and judge the best one", _sweep)
    made.set_defaults(needs=("numpy", "polars", "numba", "joblib"))
    take(made, "archive", "--out!", out="the folder for results and the report")
    _add_plan(made)
    _add_spans(made)
    _add_means(made)


def _add_plan(made: Parser) -> None:
    plan = made.add_argument_group("rule sets to try: a plan, or options")
    option(plan, "--plan FILE", "a plan (TOML): a base, and a grid or random draws")
    several(plan, "--grid NAME=V,V,…", "try each of these values of a constant (repeatable)")
    words = "the base of --grid or --random: a rule set (TOML), or the rules of one day (default: the official rules)"
    take(plan, "--rules", rules=words)
    option(plan, "--random N", "draw the constants of --vary N times", type=count)
    several(plan, "--vary NAME=LOW:HIGH[:log]", "draw a constant between two numbers (repeatable)")


def _add_spans(made: Parser) -> None:
    spans = made.add_argument_group("spans, by the day sections start")
    option(
        spans,
        "--choose-until DATE",
        "choose up to this day, judge after it (default: at 2/3 of the games)",
        type=day,
    )
    take(spans, "--from", "--to")
    spans.add_argument(
        "--metric", choices=_METRICS, default=_METRICS[0], help="choose the best by this (default: deviance)"
    )
    flag(spans, "--judge-all", "also score every rule set on the later span")
    take(spans, "--seed", "--draws", draws="how many draws of sections (default: 500)")


def _add_means(made: Parser) -> None:
    means = made.add_argument_group("where it runs")
    option(means, "--jobs N", "tasks at a time (default: one per core)", type=count, default=0)
    means.add_argument(
        "--backend", choices=_BACKENDS, default=_BACKENDS[0], help="threads, processes, or a cluster (default: threads)"
    )
    where = "address of the Dask or Ray cluster (default: this machine)"
    option(means, "--scheduler ADDRESS", where, default="")
    flag(means, "--restart", "discard the results in --out")
    take(means, "--json", json="print crosstable-sweep/1")


def _sweep(options: argparse.Namespace) -> None:
    """Replay an archive under every rule set of a plan and choose the one that predicts the earlier span best.

    It is then judged on the later span against the official rules, with a 95 % bootstrap interval. Results are kept as
    they arrive; the same command continues where it stopped. docs/lab.md describes plans, clusters and output.
    """
    if fault := _why_not(options):
        raise RefusedError(fault)
    found = _swept(options)
    from crosstable.lab.sweeping import sweep_document, sweep_text, write_sweep

    write_sweep(found, options.out)
    if options.json:
        print_json(sweep_document(found))
        return
    if found.resumed:
        sys.stderr.write(f"{found.resumed:,} of {len(found.tried):,} rule sets were already done\n")
    sys.stdout.write(f"{sweep_text(found)}\n  written to {options.out}\n")


def _why_not(options: argparse.Namespace) -> str:
    """What is wrong with the options taken together."""
    ways = [options.plan is not None, bool(options.grid), options.random is not None]
    if sum(ways) != 1:
        return "give a --plan, or --grid, or --random with --vary"
    if bool(options.vary) != (options.random is not None):
        return "--random and --vary go together"
    days = [day for day in (options.start, options.choose_until, options.end) if day]
    if days != sorted(days):
        return "--from, --choose-until and --to must be in this order"
    if options.plan is not None and options.rules is not None:
        return "a --plan has its own base; leave out --rules"
    given = (*options.grid, *options.vary)
    unread = [text for text in given if "=" not in text]
    if unread:
        return f"{unread[0]!r} must be written as NAME=…"
    names = [text.partition("=")[0].strip() for text in given]
    twice = [name for name in names if names.count(name) > 1]
    return f"{twice[0]} is given twice; give all its values at once" if twice else ""


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
    from crosstable.lab.measures import Draws
    from crosstable.lab.sweep_tasks import Days, Where
    from crosstable.lab.sweeping import SweepOptions, sweep

    compile_once()
    wanted = SweepOptions(
        Days(options.start, options.choose_until, options.end),
        options.metric,
        Draws(options.seed, options.draws, len(os.sched_getaffinity(0))),
        options.judge_all,
        options.restart,
    )
    with Bar("trying rule sets") as bar:

        def progress(done: int, total: int) -> None:
            bar.start(total)
            bar.done(done)

        where = Where(options.backend, options.jobs, options.scheduler)
        return sweep(options.archive, plan, options.out, options=wanted, where=where, progress=progress)
