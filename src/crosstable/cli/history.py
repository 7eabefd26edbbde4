"""``crosstable history``: a whole history in seconds: replay an archive, take one out of an office or into one."""

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from crosstable.cli.options import Parser, add_command, add_commands, command_parser, flag, option, take
from crosstable.cli.printing import Bar
from crosstable.sentences import counted

if TYPE_CHECKING:
    from crosstable.rules.rule_sets import RuleSet


def parser() -> Parser:
    """What the command takes."""
    words = "Rate whole histories. An archive is a folder of Parquet files, described in docs/archive.md."
    made = command_parser("history", description=words)
    commands = add_commands(made)
    replay = add_command(commands, "replay", "rate an archive from its beginning", _replay)
    take(replay, "archive", "--out!", "--rules", "--threads", out="the folder for the results")
    option(replay, "--from-year YEAR", "start from the snapshot of this year in --out", type=int)
    flag(replay, "--no-snapshots", "write no snapshots")
    flag(replay, "--no-index", "do not use or keep an index next to the archive")
    export = add_command(commands, "export", "write an office's record as an archive", _export)
    take(export, "--out!", "--known-on", "--database", out="the folder for the archive")
    brought = add_command(commands, "import", "bring an archive into an empty office", _import)
    take(brought, "archive", "--database", "--by", "--reason")
    return made


def chosen_rules(text: str | None) -> "RuleSet":
    """The rule set of ``--rules``, or the official rules."""
    from crosstable.rules.rule_files import rule_set
    from crosstable.rules.rule_sets import OFFICIAL

    return OFFICIAL if text is None else rule_set(text)


def compile_once() -> None:
    """Compile the formulas, where no earlier run has."""
    from crosstable.history.kernel.compiling import is_cached
    from crosstable.history.running import warm_up

    if not is_cached():
        with Bar("compiling the formulas (once)"):
            warm_up()


def _replay(options: argparse.Namespace) -> None:
    """Rate every section of an archive in order, with the same results as rating them one by one.

    Writes a rating after every section (ratings.parquet), the rating records at the end (standings.parquet) and a
    snapshot of every year (snapshots/).
    """
    from crosstable.history.running import ReplayOptions, replay_archive

    wishes = ReplayOptions(
        threads=options.threads,
        keeps_index=not options.no_index,
        keeps_snapshots=not options.no_snapshots,
        from_year=options.from_year,
        rules=chosen_rules(options.rules),
    )
    compile_once()
    with Bar("rating sections") as bar:
        done = replay_archive(options.archive, options.out, wishes, bar.done, bar.start)
    sys.stdout.write(
        f"{counted(done.sections, 'section')} rated, {counted(done.rows, 'rating')}; rules: {done.rules}\n"
    )
    if done.unratable:
        sys.stdout.write(
            f"{counted(done.unratable, 'section')} could not be rated: the rules of the time are not known\n"
        )
    _print_stages(done.stages)


def _export(options: argparse.Namespace) -> None:
    """Write everything that an office's ratings follow from as an archive.

    That is: members with birth dates, merged ids, sections, games, starting ratings and decisions. The archive holds no
    ratings; history replay computes the ones that the office posts.
    """
    from crosstable.cli.office_access import login_name, opened
    from crosstable.office.bulk.archive_out import export_archive
    from crosstable.office.security_log import SecurityKind, note_apart

    with opened(options) as office, Bar("reading the record"):
        note_apart(office, SecurityKind.BIRTH_DATE_READ, login_name(), "everybody", by="history export")
        done = export_archive(office, options.out, options.known_on)
    counts = ", ".join(
        (counted(done.members, "member"), counted(done.sections, "section"), counted(done.games, "game"))
    )
    left_out = ", ".join(f"{count:,} {state}" for state, count in done.left_out.items())
    more = f"sections that are not rated were left out: {left_out}\n" if left_out else ""
    sys.stdout.write(f"{options.out}: {counts}\n{more}")
    _print_stages(done.stages)


def _import(options: argparse.Namespace) -> None:
    """Bring an archive into a new, empty office; crosstable office rerate then computes the ratings."""
    from crosstable.cli.office_access import author_of, opened
    from crosstable.office.bulk.archive_in import import_archive

    with opened(options) as office, Bar("bringing in sections") as bar:
        author = author_of(options, "an archive brought in")
        done = import_archive(office, author, options.archive, bar.done, bar.start)
    sections = f"{counted(done.sections, 'section')} of {counted(done.events, 'event')}"
    counts = f"{counted(done.members, 'member')}, {sections}, {counted(done.games, 'game')}"
    sys.stdout.write(f"{counts}; to compute the ratings: crosstable office rerate\n")
    _print_stages(done.stages)


def _print_stages(seconds: Mapping[str, float]) -> None:
    width = max(8, *(len(name) for name in seconds))
    sys.stdout.writelines(f"  {name:<{width}} {spent:8.2f} s\n" for name, spent in seconds.items())
