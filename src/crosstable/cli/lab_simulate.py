"""``crosstable lab simulate``: a federation from a seed, and ``lab parameters``: what can be changed about it."""

import argparse
import os
import sys
from typing import TYPE_CHECKING

from crosstable.cli import FAULTY
from crosstable.cli.options import Commands, add_command, count, day, several, take
from crosstable.cli.printing import Bar

if TYPE_CHECKING:
    from crosstable.lab.population import Federation
    from crosstable.lab.summary import Summary

FEWEST_MEMBERS = 20
MOST_YEARS = 40
MOST_REGIONS = 44
# Without a number of sections: five for six members, which gives a member about as many games as official pages show.
SECTIONS_A_MEMBER = 5 / 6
NEEDS = ("numpy", "polars", "numba")


def add_simulate(commands: Commands) -> None:
    """The command that makes federations."""
    made = add_command(
        commands,
        "simulate",
        "make a federation from a seed and write it as an archive",
        _simulate,
        "Make a federation from a seed: members join, improve, play, pause and leave, in regions of their own; a few "
        "hold back; a pandemic closes the halls. Their true strengths decide the games. Everything is written as an "
        "archive (docs/archive.md), with the true strengths beside it (truth.parquet), and nothing is rated. The same "
        "numbers give the same archive. Defaults resemble official results (docs/lab.md).",
    )
    made.epilog = "crosstable lab parameters lists what --set can change."
    made.set_defaults(needs=NEEDS)
    made.add_argument("--members", type=_members, required=True, metavar="N", help="how many members join in all")
    much = made.add_mutually_exclusive_group()
    much.add_argument(
        "--sections", type=count, metavar="N", help="about how many sections are played (default: 5 for 6 members)"
    )
    much.add_argument("--games", type=count, metavar="N", help="about how many games are played, instead")
    made.add_argument("--years", type=_years, default=25, metavar="N", help="how many years from 2001 on (default: 25)")
    take(made, "--seed", seed="another seed, another federation (default: 1)")
    made.add_argument("--returners", type=_share, metavar="SHARE", help="members who pause for years (default: 0.15)")
    made.add_argument(
        "--sandbaggers", type=_share, metavar="SHARE", help="settled adults who hold back (default: 0.01)"
    )
    made.add_argument(
        "--regions", type=_regions, metavar="N", help="how many regions, at most 44 (default: one for 2500 members)"
    )
    made.add_argument("--national", type=_share, metavar="SHARE", help="sections open to all regions (default: 0.1)")
    gap = made.add_mutually_exclusive_group()
    gap.add_argument(
        "--pandemic",
        type=day,
        nargs=2,
        metavar=("FROM", "TO"),
        help="when hardly anybody plays over the board (default: 2020-03-01 2021-06-30)",
    )
    gap.add_argument("--no-pandemic", action="store_true", help="the halls never close")
    several(made, "--set", "NAME=VALUE", "any other parameter; may be given several times")
    take(made, "--out!", "--force", out="the folder where the archive is written")


def add_parameters(commands: Commands) -> None:
    """The command that lists what can be changed about a federation."""
    made = add_command(
        commands,
        "parameters",
        "list the parameters of a simulated federation",
        _list,
        "List every parameter of a simulated federation: its name, its default, what it is and means. "
        "crosstable lab simulate --set NAME=VALUE changes it.",
    )
    made.set_defaults(needs=NEEDS)


def _members(text: str) -> int:
    if count(text) < FEWEST_MEMBERS:
        raise argparse.ArgumentTypeError(f"{text} members are no federation; give at least {FEWEST_MEMBERS}")
    return int(text)


def _years(text: str) -> int:
    if count(text) > MOST_YEARS:
        raise argparse.ArgumentTypeError(f"{text} years are more than can be played; give at most {MOST_YEARS}")
    return int(text)


def _regions(text: str) -> int:
    if count(text) > MOST_REGIONS:
        raise argparse.ArgumentTypeError(f"{text} regions are too many; give at most {MOST_REGIONS}")
    return int(text)


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share from 0 to 1")
    return value


def _list(options: argparse.Namespace) -> int:
    from crosstable.lab.parameters import parameter_lines
    from crosstable.lab.population import Federation

    sys.stdout.writelines(f"{line}\n" for line in parameter_lines(Federation()))
    return 0


def _simulate(options: argparse.Namespace) -> int:
    if fault := why_not_into(options.out, is_forced=options.force):
        sys.stderr.write(f"crosstable lab simulate: {fault}\n")
        return FAULTY
    federation = _federation(options)
    from crosstable.lab.simulate import simulated
    from crosstable.lab.summary import summary_of
    from crosstable.lab.truth import write_with_truth

    with Bar("playing", federation.sections) as bar:
        archive, truth = simulated(federation, bar.done)
    write_with_truth(archive, truth, options.out)
    sys.stdout.write(f"written to {options.out}\n{_summary_text(summary_of(archive))}")
    return 0


def _federation(options: argparse.Namespace) -> "Federation":
    """The federation that the options ask for."""
    from crosstable.errors import HistoryError
    from crosstable.lab.parameters import changed
    from crosstable.lab.population import Federation
    from crosstable.lab.simulate import GAMES_A_SECTION

    sections = options.sections or max(1, round(options.members * SECTIONS_A_MEMBER))
    if options.games:
        sections = max(1, round(options.games / GAMES_A_SECTION))
    federation = Federation(options.members, sections, years=options.years, seed=options.seed)
    given = {name: getattr(options, name) for name in ("returners", "sandbaggers", "regions", "national")}
    federation = federation._replace(**{name: value for name, value in given.items() if value is not None})
    if options.no_pandemic:
        federation = federation._replace(pandemic_from=None, pandemic_to=None)
    if options.pandemic:
        if options.pandemic[0] > options.pandemic[1]:
            raise HistoryError("the pandemic ends before it begins")
        federation = federation._replace(pandemic_from=options.pandemic[0], pandemic_to=options.pandemic[1])
    return changed(federation, options.set)


def why_not_into(folder: str, *, is_forced: bool) -> str:
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
