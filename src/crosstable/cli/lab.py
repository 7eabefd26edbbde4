"""``crosstable lab``: made-up federations, and what can be learned from them."""

import argparse
import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from crosstable.cli.files import FAULTY, Help
from crosstable.cli.lab_backtest import add_backtest
from crosstable.cli.lab_rules import add_rules
from crosstable.cli.progress import progress

if TYPE_CHECKING:
    from crosstable.lab.summary import Summary

FEWEST_MEMBERS = 20
MOST_YEARS = 40
# Without a number of sections: so many members to one, as in a federation of a million.
MEMBERS_A_SECTION = 2


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    made = argparse.ArgumentParser(
        prog="crosstable lab",
        formatter_class=Help,
        description="A laboratory for rating systems: federations made from a seed, rule sets, and how they predict.",
        epilog="crosstable lab COMMAND --help says what a command takes.",
    )
    commands = made.add_subparsers(metavar="COMMAND", required=True, title="commands")
    _add_simulate(commands)
    add_rules(commands)
    add_backtest(commands)
    return made


def _add_simulate(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    made = commands.add_parser(
        "simulate",
        formatter_class=Help,
        help="make a federation from a seed and write it as an archive",
        description="Make a federation from a seed: members join, improve, play and leave; their true strengths decide "
        "the games. Everything is written as an archive (docs/archive.md), with the true strengths beside it "
        "(truth.parquet), and nothing is rated. The same numbers give the same archive.",
    )
    made.add_argument("--members", type=_members, required=True, metavar="N", help="how many members join in all")
    much = made.add_mutually_exclusive_group()
    much.add_argument("--sections", type=_count, metavar="N", help="about how many sections are played")
    much.add_argument(
        "--games", type=_count, metavar="N", help="about how many games are played (default: 20 a member)"
    )
    made.add_argument("--years", type=_years, default=25, metavar="N", help="how many years from 2001 on (default: 25)")
    made.add_argument(
        "--seed", type=_count, default=1, metavar="N", help="another seed, another federation (default: 1)"
    )
    made.add_argument("--out", required=True, metavar="FOLDER", help="where the archive is written")
    made.add_argument("--force", action="store_true", help="write into a folder that is not empty")
    made.set_defaults(run=_simulate, needs=("numpy", "polars", "numba"))


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 1")
    return int(text)


def _members(text: str) -> int:
    if _count(text) < FEWEST_MEMBERS:
        raise argparse.ArgumentTypeError(f"{text} members are no federation; give at least {FEWEST_MEMBERS}")
    return int(text)


def _years(text: str) -> int:
    if _count(text) > MOST_YEARS:
        raise argparse.ArgumentTypeError(f"{text} years are more than can be played; give at most {MOST_YEARS}")
    return int(text)


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


def _simulate(options: argparse.Namespace) -> int:
    fault = _why_not(options.out, is_forced=options.force)
    if fault:
        sys.stderr.write(f"crosstable lab simulate: {fault}\n")
        return FAULTY
    from crosstable.history.archive import write
    from crosstable.lab.population import Federation
    from crosstable.lab.simulate import GAMES_A_SECTION, simulated
    from crosstable.lab.summary import summary_of
    from crosstable.lab.truth import write_truth

    sections = options.sections or max(1, options.members // MEMBERS_A_SECTION)
    if options.games:
        sections = max(1, round(options.games / GAMES_A_SECTION))
    federation = Federation(options.members, sections, years=options.years, seed=options.seed)
    with progress("playing", sections) as tell:
        archive, truth = simulated(federation, tell)
    write(archive, options.out)
    write_truth(truth, options.out)
    sys.stdout.write(f"written to {options.out}\n{_summary_text(summary_of(archive))}")
    return 0


def _why_not(folder: str, *, is_forced: bool) -> str:
    """Why an archive is not written into a folder."""
    if os.path.exists(folder) and not os.path.isdir(folder):
        return f"{folder} is a file; give a folder"
    if os.path.isdir(folder) and os.listdir(folder) and not is_forced:
        return f"{folder} is not empty; give another folder, or --force to write into it"
    return ""


def _summary_text(found: "Summary") -> str:
    per_section = found.games / found.sections if found.sections else 0.0
    drawn = 100.0 * found.draws / found.games if found.games else 0.0
    when = f"from {found.first} to {found.last}" if found.first else "no section"
    kinds = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in found.by_kind.items())
    lines = [
        f"  members    {found.members:>11,}  of whom {found.members_who_played:,} played",
        f"  events     {found.events:>11,}  {when}",
        f"  sections   {found.sections:>11,}  {kinds}",
        f"  entries    {found.entries:>11,}",
        f"  games      {found.games:>11,}  {per_section:.1f} a section, {drawn:.1f} % drawn",
        f"  decisions  {found.decisions:>11,}",
    ]
    for system, (sections, games) in found.by_system.items():
        lines.append(f"  {system.name:<9}  {games:>11,}  games in {sections:,} sections, {system.title}")
    return "".join(f"{line}\n" for line in lines)
