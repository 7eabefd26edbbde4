"""``crosstable lab``: made-up federations, rule sets, how they predict, and how much they resemble official results."""

import argparse
import os
import sys
import tomllib
from collections.abc import Callable
from typing import TYPE_CHECKING

from crosstable.cli.history import chosen_rules, compile_once
from crosstable.cli.lab_answers import (
    FITTED,
    NEEDS,
    add_committee,
    add_compare,
    add_uncertainty,
    file_day_or_system,
    members,
    rival,
)
from crosstable.cli.options import (
    Commands,
    Parser,
    add_command,
    add_commands,
    command_parser,
    count,
    day,
    file_or_day,
    flag,
    option,
    several,
    take,
)
from crosstable.cli.printing import Bar, print_answer, print_json, refuse_to_replace
from crosstable.errors import FAULTY, RefusedError
from crosstable.machine import processors
from crosstable.sentences import counted

if TYPE_CHECKING:
    from crosstable.lab.judgements import Backtest
    from crosstable.lab.plans import Plan
    from crosstable.lab.population import Federation
    from crosstable.lab.sweeping import Sweep

INTO_FOLDER = "write into a folder that is not empty"
MOST_YEARS = 40
MOST_REGIONS = 44
# Without a number of sections: five for six members, which gives a member about as many games as official pages show.
SECTIONS_A_MEMBER = 5 / 6
_BACKENDS = ("threads", "processes", "dask", "ray")
_METRICS = ("rated", "deviance", "brier")


def parser() -> Parser:
    """What the command takes."""
    words = "Simulate federations, change the rules, and see how well they predict results."
    made = command_parser("lab", description=words, epilog="For options, type crosstable lab COMMAND --help.")
    made.set_defaults(needs=NEEDS)
    commands = add_commands(made)
    _add_simulate(commands)
    add_command(commands, "parameters", "list the parameters of a simulated federation", _list)
    add_compare(commands)
    _add_rules(commands)
    _add_backtest(commands)
    _add_report(commands)
    add_committee(commands)
    _add_sweep(commands)
    _add_pages(commands)
    add_uncertainty(commands)
    return made


def _add_simulate(commands: Commands) -> None:
    made = add_command(commands, "simulate", "simulate a federation and write it as an archive", _simulate)
    made.epilog = "For what --set can change, type crosstable lab parameters."
    option(made, "--members N", "how many members join in total", type=members, required=True)
    words = "one that is fitted to figures of US Chess (docs/lab-federation.md)"
    made.add_argument("--federation", choices=FITTED, help=words)
    much = made.add_mutually_exclusive_group()
    option(much, "--sections N", "about how many sections are played (default: 5 for 6 members)", type=count)
    option(much, "--games N", "about how many games are played, instead of --sections", type=count)
    option(made, "--years N", "how many years from 2001 (default: 25)", type=_at_most(MOST_YEARS, "years"), default=25)
    take(made, "--seed")
    option(made, "--returners SHARE", "members who pause for years (default: 0.15)", type=_share)
    option(made, "--sandbaggers SHARE", "adults who hold back (default: 0.01)", type=_share)
    words = "how many regions, at most 44 (default: one per 2,500 members)"
    option(made, "--regions N", words, type=_at_most(MOST_REGIONS, "regions"))
    option(made, "--national SHARE", "sections open to all regions (default: 0.1)", type=_share)
    gap = made.add_mutually_exclusive_group()
    words = "hardly any play over the board (default: 2020-03-01 2021-06-30)"
    gap.add_argument("--pandemic", type=day, nargs=2, metavar=("FROM", "TO"), help=words)
    gap.add_argument("--no-pandemic", action="store_true", help="the halls never close")
    several(made, "--set NAME=VALUE", "set any other parameter (repeatable)")
    take(made, "--out!", "--force", out="the folder where the archive is written", force=INTO_FOLDER)


def _at_most(most: int, things: str) -> Callable[[str], int]:
    def number(text: str) -> int:
        if count(text) > most:
            raise argparse.ArgumentTypeError(f"{text} {things} are too many; give at most {most}")
        return int(text)

    return number


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return value


def _list(options: argparse.Namespace) -> None:
    """List every parameter of a simulated federation: name, default and meaning.

    To change one, use lab simulate --set NAME=VALUE.
    """
    from crosstable.lab.population import Federation, parameter_lines

    sys.stdout.writelines(f"{line}\n" for line in parameter_lines(Federation()))


def _simulate(options: argparse.Namespace) -> None:
    """Simulate a federation.

    Members join, improve, play, pause and leave, in their own regions; a few hold back; a pandemic closes the
    halls. True strengths decide the games. Writes an archive (docs/archive.md) and the true strengths
    (truth.parquet), without ratings. The same numbers give the same archive. The defaults resemble official results
    (docs/lab.md).
    """
    _refuse_full(options.out, is_forced=options.force)
    federation = _federation(options)
    from crosstable.lab.simulate import simulated, summary_of, write_with_truth

    with Bar("playing", federation.sections) as bar:
        archive, truth = simulated(federation, bar.done)
    write_with_truth(archive, truth, options.out)
    sys.stdout.write(f"written to {options.out}\n{summary_of(archive)}")


def _federation(options: argparse.Namespace) -> "Federation":
    """The federation that the options ask for."""
    from crosstable.errors import HistoryError
    from crosstable.lab.federations import preset
    from crosstable.lab.population import Federation, changed
    from crosstable.lab.simulate import GAMES_A_SECTION

    sections = options.sections or max(1, round(options.members * SECTIONS_A_MEMBER))
    federation = Federation(options.members, sections, years=options.years, seed=options.seed)
    if options.federation:
        federation = preset(options.federation, options.members, years=options.years, seed=options.seed)
    if options.sections:
        federation = federation._replace(sections=options.sections)
    if options.games:
        federation = federation._replace(sections=max(1, round(options.games / GAMES_A_SECTION)))
    given = {name: getattr(options, name) for name in ("returners", "sandbaggers", "regions", "national")}
    federation = federation._replace(**{name: value for name, value in given.items() if value is not None})
    if options.no_pandemic:
        federation = federation._replace(pandemic_from=None, pandemic_to=None)
    if options.pandemic:
        if options.pandemic[0] > options.pandemic[1]:
            raise HistoryError("the pandemic ends before it begins")
        federation = federation._replace(pandemic_from=options.pandemic[0], pandemic_to=options.pandemic[1])
    return changed(federation, options.set)


def _refuse_full(folder: str, *, is_forced: bool) -> None:
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise RefusedError(f"{folder} is a file; give a folder", FAULTY)
    if os.path.isdir(folder) and os.listdir(folder) and not is_forced:
        raise RefusedError(f"{folder} is not empty; give another folder, or --force to write into it", FAULTY)


def _add_rules(commands: Commands) -> None:
    made = add_command(commands, "rules", "check a rule set and print what it changes", _rules)
    option(made, "rules FILE|DATE", "the rule set, or a day", type=file_or_day)
    take(made, "--on", "--json", on="compare with the official rules of this day", json="print crosstable-rules/1")
    made.set_defaults(needs=())


def _rules(options: argparse.Namespace) -> None:
    """Check a rule set (TOML, see docs/rule-sets.md) and print how it differs from the official rules."""
    from crosstable.rules.rule_files import differences
    from crosstable.rules.rule_sets import document_of

    rules = chosen_rules(options.rules)
    found = differences(rules, options.on)
    base = "the edition of each section's day" if rules.base is None else f"the edition of {rules.base_name}"
    against = "" if options.on is None else f" of {options.on}"
    lines = [f"{one.rule}: {one.official} -> {one.changed} (since {one.since})\n" for one in found]
    text = "".join(lines) or f"Nothing differs from the official rules{against}.\n"
    changed = [{**one._asdict(), "since": one.since.isoformat()} for one in found]
    document = {"format": "crosstable-rules/1", **document_of(rules), "differences": changed}
    print_answer(document, f"{rules.title}, on {base}\n{text}", as_json=options.json)


# backtest and report: what both judge by


def _add_judging(made: Parser) -> None:
    take(made, "archive", "--rules")
    words = "also judge a rule set, official, elo, glicko2:tau=0.3, or your own system in mine.py (repeatable)"
    option(
        made,
        "--against FILE|DATE|SYSTEM",
        words,
        type=file_day_or_system,
        action="append",
        default=[],
    )
    words = "judge so many federations that differ from this simulated one only in their seed"
    option(made, "--seeds N", words, type=count, default=0)
    take(made, "--from", "--to", "--seed", "--draws", "--threads")


def _judged(options: argparse.Namespace) -> "Backtest":
    from crosstable.lab.backtesting import backtest
    from crosstable.lab.drawing import Draws

    if options.start and options.end and options.start > options.end:
        raise RefusedError("--from is after --to")
    rules = chosen_rules(options.rules)
    against = [rival(text) for text in options.against]
    compile_once()
    draws = Draws(options.seed, options.draws, options.threads or processors(), options.seeds)
    span = (options.start, options.end)
    with Bar("judging federations" if options.seeds else "judging sections") as bar:
        return backtest(options.archive, rules, against, span=span, draws=draws, progress=bar.done)


def _add_backtest(commands: Commands) -> None:
    made = add_command(commands, "backtest", "judge how well a rule set predicts results", _backtest)
    _add_judging(made)
    take(made, "--json", json="print crosstable-backtest/1")
    option(made, "--out DIR", "also write JSON, text and tables to this folder")


def _backtest(options: argparse.Namespace) -> None:
    """Replay an archive and judge how well each section's results were predicted.

    You get binomial deviance, Brier score and calibration, by era, system, rating, age and games, with 95 % bootstrap
    intervals; points from bonuses and floors; and inflation by cohort. Compare with other rule sets, Elo or Glicko-2.
    docs/lab.md explains the figures.
    """
    found = _judged(options)
    from crosstable.lab.judgements import backtest_document, backtest_text, write_backtest

    if options.out is not None:
        write_backtest(found, options.out)
    print_answer(backtest_document(found), backtest_text(found), as_json=options.json)


def _add_report(commands: Commands) -> None:
    made = add_command(commands, "report", "write a back-test as one web page", _report)
    _add_judging(made)
    option(made, "--sweep DIR", "also show the results of a sweep in this folder", default="")
    take(made, "--json", json="print crosstable-lab-report/1")
    take(made, "--out", "--force", out="write the page to this file")
    made.set_defaults(needs=(*NEEDS, "jinja2"))


def _report(options: argparse.Namespace) -> None:
    """Judge a rule set as lab backtest does and write one web page.

    It has plots and tables of predictions, calibration, inflation and points, and the commands, rule files, digests and
    seeds to repeat them. The page loads nothing from elsewhere.
    """
    if options.out is None and not options.json:
        raise RefusedError("add --out FILE for the page, or --json")
    if options.out is not None and os.path.isdir(options.out):
        raise RefusedError(f"{options.out} is a folder; give a file", FAULTY)
    if options.out is not None:
        refuse_to_replace([options.out], is_forced=options.force)
    from crosstable.lab.report_content import read_sweep
    from crosstable.lab.reporting import report

    if options.sweep:
        read_sweep(options.sweep)  # told before anything is computed
    made = report(_judged(options), sweep=options.sweep)
    if options.out is not None:
        made.write(options.out, is_forced=options.force)
    print_answer(made.document, f"written to {options.out}\n", as_json=options.json)


def _add_pages(commands: Commands) -> None:
    made = add_command(commands, "pages", "make an archive from posted crosstables", _pages)
    option(made, "folder FOLDER", "the folder of posted crosstables")
    words = "use posted ratings only on a member's first page, and the replay's ratings afterwards"
    flag(made, "--carried", words)
    take(made, "--out!", "--force", out="the folder where the archive is written", force=INTO_FOLDER)


def _pages(options: argparse.Namespace) -> None:
    """Make an archive from a folder of posted crosstables (*.jsonl.gz).

    Every page becomes a section whose players bring their posted ratings. docs/lab.md explains what such an archive
    can show.
    """
    from crosstable.history.archive import write
    from crosstable.lab.posted_pages import history_of, pages_in

    _refuse_full(options.out, is_forced=options.force)
    with Bar("reading pages"):
        pages = pages_in(options.folder)
        archive = history_of(pages, is_carried=options.carried)
    write(archive, options.out)
    sys.stdout.write(
        f"written to {options.out}: {counted(len(pages), 'page')}, {counted(archive.entries.height, 'row')}\n"
    )


# sweep


def _add_sweep(commands: Commands) -> None:
    """The command that searches among rule sets."""
    made = add_command(commands, "sweep", "try many rule sets and judge the best one", _sweep)
    made.set_defaults(needs=(*NEEDS, "joblib"))
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
    option(plan, "--system SYSTEM", "try parameters of elo, glicko2, …, or of your own system in mine.py, instead")
    option(plan, "--random N", "draw the constants of --vary N times", type=count)
    several(plan, "--vary NAME=LOW:HIGH[:log]", "draw a constant between two numbers (repeatable)")


def _add_spans(made: Parser) -> None:
    spans = made.add_argument_group("spans, by the day sections start")
    words = "choose up to this day, judge after it (default: at 2/3 of the games)"
    option(spans, "--choose-until DATE", words, type=day)
    take(spans, "--from", "--to")
    words = "choose by this (default: rated, no unrated player)"
    spans.add_argument("--metric", choices=_METRICS, default=_METRICS[0], help=words)
    flag(spans, "--judge-all", "also score every rule set on the later span")
    take(spans, "--seed", "--draws", draws="how many draws of members and times (default: 500)")


def _add_means(made: Parser) -> None:
    means = made.add_argument_group("where it runs")
    option(means, "--jobs N", "tasks at a time (default: one per core)", type=count, default=0)
    words = "threads, processes, or a cluster (default: threads)"
    means.add_argument("--backend", choices=_BACKENDS, default=_BACKENDS[0], help=words)
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
        sys.stderr.write(f"{found.resumed:,} of {found.plan.tried} were already done\n")
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
    if options.plan is not None and (options.rules is not None or options.system is not None):
        return "a --plan has its own base; leave out --rules and --system"
    if options.system is not None and options.rules is not None:
        return "--system tries no rule sets; leave out --rules"
    given = (*options.grid, *options.vary)
    unread = [text for text in given if "=" not in text]
    if unread:
        return f"{unread[0]!r} must be written as NAME=…"
    names = [text.partition("=")[0].strip() for text in given]
    twice = [name for name in names if names.count(name) > 1]
    return f"{twice[0]} is given twice; give all its values at once" if twice else ""


def _plan(options: argparse.Namespace) -> "Plan":
    from crosstable.lab.plans import plan_in_words, read_plan
    from crosstable.rules.rule_files import rule_set, rules_text

    if options.plan is not None:
        return read_plan(options.plan, options.seed)
    base = {} if options.rules is None else tomllib.loads(rules_text(rule_set(options.rules)))
    base = base if options.system is None else {"system": options.system}
    return plan_in_words(base, options.grid, options.vary, options.random, options.seed)


def _swept(options: argparse.Namespace) -> "Sweep":
    plan = _plan(options)
    from crosstable.lab.drawing import Draws
    from crosstable.lab.sweep_tasks import Days, Where
    from crosstable.lab.sweeping import SweepOptions, sweep

    compile_once()
    wanted = SweepOptions(
        Days(options.start, options.choose_until, options.end),
        options.metric,
        Draws(options.seed, options.draws, processors()),
        options.judge_all,
        options.restart,
    )
    with Bar("trying rule sets") as bar:

        def progress(done: int, total: int) -> None:
            bar.start(total)
            bar.done(done)

        where = Where(options.backend, options.jobs, options.scheduler)
        return sweep(options.archive, plan, options.out, options=wanted, where=where, progress=progress)
