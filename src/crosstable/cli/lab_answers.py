"""``crosstable lab compare``, ``committee`` and ``uncertainty``: answers about US Chess, and what options share."""

import argparse
import os
import sys
import tomllib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from crosstable.cli.history import chosen_rules, compile_once
from crosstable.cli.options import Commands, add_command, count, file_or_day, flag, option, several, take
from crosstable.cli.printing import Bar, print_answer, refuse_to_replace
from crosstable.errors import RefusedError
from crosstable.machine import processors

if TYPE_CHECKING:
    from crosstable.lab.known_systems import OtherSystem
    from crosstable.lab.posted_pages import Resemblance
    from crosstable.rules.rule_sets import RuleSet
    from crosstable.terms import Report

NEEDS = ("numpy", "polars", "numba")
COMPARISON = "crosstable-comparison/1"
FEWEST_MEMBERS = 20
LEAST_RATING, GREATEST_RATING = 100, 3000
# An interval needs so many federations.
FEWEST_SEEDS = 3
FITTED = ("quick-growth", "long-growth", "growth-and-decline")
_SYSTEMS = ("elo", "glicko", "glicko2", "standard")


def members(text: str) -> int:
    """How many members are asked for."""
    if count(text) < FEWEST_MEMBERS:
        raise argparse.ArgumentTypeError(f"{text} members are too few; give at least {FEWEST_MEMBERS}")
    return int(text)


def file_day_or_system(text: str) -> str:
    """The name of a file, a day, or another rating system."""
    return text if _is_system(text) else file_or_day(text)


def _is_system(text: str) -> bool:
    return (kind := text.partition(":")[0]) in _SYSTEMS or kind.endswith(".py")


def rival(text: str) -> "RuleSet | OtherSystem":
    """The rule set or the system that a text asks for."""
    if not _is_system(text):
        return chosen_rules(text)
    from crosstable.lab.known_systems import other_system

    return other_system(text)


def add_compare(commands: Commands) -> None:
    """The command that compares a federation with official figures."""
    made = add_command(commands, "compare", "compare a simulated federation with official crosstables", _compare)
    take(
        made, "archive", "--threads", "--json", json="print the comparison, or the distances from the targets, as JSON"
    )
    option(made, "--pages FOLDER", "compare with the crosstables with posted ratings in this folder")
    words = "judge so many federations that differ from this simulated one only in their seed"
    option(made, "--seeds N", words, type=count, default=0)
    half = made.add_mutually_exclusive_group()
    flag(half, "--fitted-half", "use the half of the events that federations were fitted on")


def _compare(options: argparse.Namespace) -> None:
    """Replay an archive under the official rules and compare it with official figures.

    Without --pages: with the targets that come with the program, each with its standard error and its distance. With
    --pages: its crosstables with a folder of official ones; the figures are ratings and experience of players,
    sections, draws by rating, and scores of the lower rated by difference, and sections of the archive are weighted to
    match the pages by year and system. docs/lab-federation.md explains the figures, and what pages cannot show.
    """
    if options.pages is None:
        _measure(options)
        return
    from crosstable.lab.posted_pages import resemblance_text

    found = _compared(options)
    print_answer(_comparison(found), resemblance_text(found), as_json=options.json)


def _measure(options: argparse.Namespace) -> None:
    """Compare an archive with the targets, or federations that differ from it only in their seed."""
    from crosstable.history.archive import read
    from crosstable.lab.backtesting import federation_of
    from crosstable.lab.simulate import simulated
    from crosstable.lab.targets import HALVES, distances, distances_document, distances_text, packaged, seen_archive

    known = packaged(HALVES[0 if options.fitted_half else 1])
    archive = read(options.archive)
    every = [archive]
    compile_once()
    threads = options.threads or processors()
    with Bar("rating federations", max(options.seeds, 1)) as bar:
        if options.seeds:
            made = federation_of(archive, options.archive)
            seeds = range(made.seed, made.seed + options.seeds)
            every = (simulated(made._replace(seed=seed)).archive for seed in seeds)  # type: ignore[assignment]
        seen = []
        for one in every:
            seen.append(seen_archive(one, threads))
            bar.done(len(seen))
    found = distances(seen, known)
    print_answer(distances_document(found, known, len(seen)), distances_text(found), as_json=options.json)


def _compared(options: argparse.Namespace) -> "Resemblance":
    from crosstable.errors import HistoryError
    from crosstable.history.archive import read
    from crosstable.history.index import build
    from crosstable.lab.posted_pages import observed_archive, observed_pages, resemblance

    with Bar("reading pages"):
        official = observed_pages(_reports(options.pages))
    if official.pages.is_empty():
        raise HistoryError(f"there is no crosstable with posted ratings in {options.pages}")
    compile_once()
    archive = read(options.archive)
    threads = options.threads or processors()
    with Bar("rating sections") as bar:
        simulated = observed_archive(archive, build(archive), threads, bar.done)
    return resemblance(official, simulated)


def _reports(folder: str) -> Iterator["Report"]:
    """The reports of a folder: archives of crosstables, or one in each file."""
    from crosstable.cli.posted import files_in, reports_in
    from crosstable.errors import HistoryError

    if not os.path.isdir(folder):
        raise HistoryError(f"{folder} is not a folder of crosstables")
    for path in files_in([folder]):
        if not os.path.isdir(path):
            yield from reports_in(path)


def _comparison(found: "Resemblance") -> dict[str, object]:
    """The comparison as JSON; a figure that one side does not have is null."""
    figures = [
        {name: None if value != value else value for name, value in row.items()}
        for row in found.frame.iter_rows(named=True)
    ]
    counts = {name: getattr(found, name) for name in ("pages", "rows", "sections", "matched")}
    return {"format": COMPARISON, **counts, "figures": figures}


def add_committee(commands: Commands) -> None:
    """The command that says what a change would do."""
    made = add_command(commands, "committee", "say what a change of the rules would do", _committee)
    words = "the proposed rules: a rule set (TOML), those of one day, or a system (default: the official rules)"
    option(made, "--rules FILE|DATE|SYSTEM", words, type=file_day_or_system)
    several(made, "--change NAME=VALUE", "change a constant of the proposed rules (repeatable)")
    words = "the rules they are compared with (default: the official rules)"
    option(made, "--against FILE|DATE|SYSTEM", words, type=file_day_or_system)
    several(made, "--now NAME=VALUE", "change a constant of the rules they are compared with (repeatable)")
    words = "only in this fitted federation (repeatable; default: in all)"
    made.add_argument("--federation", choices=FITTED, action="append", help=words)
    option(made, "--members N", "members of each federation (default: 3000)", type=members, default=3000)
    option(made, "--seeds N", "federations of each kind (default: 10)", type=_several_seeds, default=10)
    take(made, "--seed", "--threads", seed="the first seed (default: 1)")
    take(made, "--json", json="print the report as JSON")
    take(made, "--out", "--force", out="also write one web page to this file")
    made.set_defaults(needs=(*NEEDS, "jinja2"))


def _several_seeds(text: str) -> int:
    if count(text) < FEWEST_SEEDS:
        raise argparse.ArgumentTypeError(
            f"{text} federations are too few for an interval; give at least {FEWEST_SEEDS}"
        )
    return int(text)


def _committee(options: argparse.Namespace) -> None:
    """Say what a proposed change of the rules would do, over several seeds of every fitted federation.

    Drift of adults, juniors, floors, sandbaggers, online and Quick ratings, provisional ratings, points created,
    predictions: what moves, by how much, how sure. Without a file: --change bonus_threshold=14 --now
    bonus_threshold=10. docs/lab-committee.md explains the figures.
    """
    if options.out is not None:
        refuse_to_replace([options.out], is_forced=options.force)
    rules, against = (
        _changed_rules(chosen_rules(None) if text is None else rival(text), changes)
        for text, changes in ((options.rules, options.change), (options.against, options.now))
    )
    if rules == against:
        raise RefusedError("both rule sets are the same; give --rules FILE or --change NAME=VALUE")
    from crosstable.lab.committee import Size, committee, committee_document
    from crosstable.lab.committee_page import write_page

    compile_once()
    kinds = options.federation or list(FITTED)
    threads = options.threads or processors()
    size = Size(options.members, options.seeds, options.seed, threads)
    with Bar("rating federations", options.seeds * len(kinds)) as bar:
        found = committee(rules, against, kinds, size, bar.done)
    if options.out is not None:
        write_page(found, options.out)
    print_answer(committee_document(found), str(found), as_json=options.json)


def _changed_rules(rules: "RuleSet | OtherSystem", changes: list[str]) -> "RuleSet | OtherSystem":
    """A rule set with some constants changed, each written as NAME=VALUE."""
    from crosstable.rules.rule_files import rule_set
    from crosstable.rules.rule_sets import RuleSet

    if not changes:
        return rules
    if not isinstance(rules, RuleSet):
        raise RefusedError(f"{rules.name} is no rule set; write its parameters after it, as standard:k_cap=32")
    said: dict[str, object] = {}
    for change in changes:
        name, is_set, text = change.partition("=")
        try:
            said[name.strip()] = tomllib.loads(f"value = {text.strip()}")["value"]
        except tomllib.TOMLDecodeError:
            is_set = ""
        if not is_set:
            raise RefusedError(f"{change!r} changes nothing; write it as NAME=VALUE, as bonus_threshold=14")
    return rule_set(rules, **said)  # type: ignore[arg-type]


def add_uncertainty(commands: Commands) -> None:
    """The command that tells the ± of a rating."""
    made = add_command(commands, "uncertainty", "say how uncertain a Regular rating is", _uncertainty)
    option(made, "rating RATING", "the rating", type=float)
    option(made, "--games N", "on how many games it rests (default: established)", type=count)


def _uncertainty(options: argparse.Namespace) -> None:
    """Say by how many points a Regular rating may be off, 95 times of a hundred.

    The numbers come from official results: docs/lab-committee.md says how they were found and how often they hold.
    """
    from crosstable.calculator.uncertainty import plus_minus

    if not LEAST_RATING <= options.rating <= GREATEST_RATING:
        raise RefusedError(f"the rating should be from {LEAST_RATING} to {GREATEST_RATING}")
    points = plus_minus(options.rating, float("inf") if options.games is None else options.games)
    sys.stdout.write(f"{options.rating:g} ± {points:.0f}\n")
