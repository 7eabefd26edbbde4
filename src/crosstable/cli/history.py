"""``crosstable history``: a whole history in seconds: replay an archive, take one out of an office or into one."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from crosstable.cli.files import FAULTY, Help
from crosstable.cli.progress import counting, waiting
from crosstable.cli.rule_option import add_rules_option, chosen_rules
from crosstable.errors import HistoryError, OfficeError

if TYPE_CHECKING:
    from crosstable.history.archive_checks import ArchiveError
    from crosstable.history.running import Replayed


def run(arguments: Sequence[str]) -> int:
    """Run one of the history commands."""
    options = parser().parse_args(arguments)
    try:
        code: int = options.run(options)
    except (HistoryError, OfficeError) as error:
        sys.stderr.write(f"crosstable: {error}\n")
        return FAULTY
    return code


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    made = argparse.ArgumentParser(
        prog="crosstable history",
        description="Rates whole histories. An archive is a folder of Parquet files; docs/archive.md describes it.",
        formatter_class=Help,
    )
    commands = made.add_subparsers(metavar="COMMAND", required=True)
    _add_replay(commands.add_parser("replay", help="rate an archive from its beginning", formatter_class=Help))
    _add_export(commands.add_parser("export", help="write an office's record as an archive", formatter_class=Help))
    _add_import(commands.add_parser("import", help="bring an archive into an empty office", formatter_class=Help))
    return made


def _add_export(made: argparse.ArgumentParser) -> None:
    made.description = (
        "Writes everything that ratings follow from in an office, as it is known now or was on a day, as an archive: "
        "members with their birth dates, merged ids, sections, games, starting ratings and decisions. Ratings are not "
        "in it; history replay gives the ones that the office posts."
    )
    _add_database(made)
    made.add_argument("--out", required=True, metavar="DIR", help="the folder for the archive")
    made.add_argument("--known-on", type=_day, metavar="DATE", help="as the office knew it at the end of this day")
    made.set_defaults(run=_export)


def _add_import(made: argparse.ArgumentParser) -> None:
    made.description = (
        "Brings an archive into an office that was only just made, all of it in one transaction. Ratings follow with "
        "crosstable office rerate."
    )
    made.add_argument("archive", metavar="ARCHIVE", help="the folder of the archive")
    _add_database(made)
    made.add_argument("--by", metavar="NAME", help="who does this (default: your login name)")
    made.add_argument("--reason", metavar="WHY", default="", help="why; it stays in the record")
    made.set_defaults(run=_import)


def _add_database(made: argparse.ArgumentParser) -> None:
    made.add_argument(
        "--database",
        metavar="URL",
        help="the office: a file, or postgresql://… (default: that of the office commands)",
    )


def _add_replay(made: argparse.ArgumentParser) -> None:
    made.description = (
        "Rates every section of an archive in order, with the same results as rating them one by one, and writes a "
        "rating after every section (ratings.parquet), the standings at the end (standings.parquet) and a snapshot of "
        "every year (snapshots/)."
    )
    made.add_argument("archive", metavar="ARCHIVE", help="the folder of the archive")
    made.add_argument("--out", required=True, metavar="DIR", help="the folder for the results")
    add_rules_option(made)
    made.add_argument("--from-year", type=int, metavar="YEAR", help="start from the snapshot of this year in DIR")
    made.add_argument("--threads", type=int, metavar="N", help="how many threads rate (default: one per core)")
    made.add_argument("--no-snapshots", action="store_true", help="write no snapshots")
    made.add_argument("--no-index", action="store_true", help="neither use nor keep an index beside the archive")
    made.set_defaults(run=_replay)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date; write it as YYYY-MM-DD") from None


def _replay(options: argparse.Namespace) -> int:
    from crosstable.history.archive_checks import ArchiveError
    from crosstable.history.kernel.compiling import is_cached
    from crosstable.history.running import Wishes, replay_archive

    rules = chosen_rules(options.rules)
    if rules is None:
        return FAULTY
    wishes = Wishes(
        threads=options.threads,
        keeps_index=not options.no_index,
        keeps_snapshots=not options.no_snapshots,
        from_year=options.from_year,
        rules=rules,
    )
    try:
        if not is_cached():
            with waiting("compiling the formulas (once)"):
                _warm_up()
        with counting("rating sections") as bar:
            done = replay_archive(options.archive, options.out, wishes, bar.done, bar.start)
    except ArchiveError as error:
        return _tell_faults(options.archive, error)
    sys.stdout.write(_summary(done))
    return 0


def _export(options: argparse.Namespace) -> int:
    from crosstable.cli.office_desk import opened
    from crosstable.office.bulk.archive_out import export_archive

    with opened(options) as office, waiting("reading the record"):
        done = export_archive(office, options.out, options.known_on)
    counts = f"{done.members:,} members, {done.sections:,} sections, {done.games:,} games"
    left_out = ", ".join(f"{count:,} {state}" for state, count in done.left_out.items())
    more = f"sections that are not rated stay in the office: {left_out}\n" if left_out else ""
    sys.stdout.write(f"{options.out}: {counts}\n{more}{_stages(done.stages)}")
    return 0


def _import(options: argparse.Namespace) -> int:
    from crosstable.cli.office_desk import deed_of, opened
    from crosstable.history.archive_checks import ArchiveError
    from crosstable.office.bulk.archive_in import import_archive

    try:
        with opened(options) as office, counting("bringing in sections") as bar:
            deed = deed_of(options, "an archive brought in")
            done = import_archive(office, deed, options.archive, bar.done, bar.start)
    except ArchiveError as error:
        return _tell_faults(options.archive, error)
    counts = f"{done.members:,} members, {done.sections:,} sections of {done.events:,} events, {done.games:,} games"
    sys.stdout.write(f"{counts}; ratings follow with the next run: crosstable office rerate\n{_stages(done.stages)}")
    return 0


def _tell_faults(archive: str, error: "ArchiveError") -> int:
    for fault in error.faults:
        sys.stderr.write(f"{archive}: {fault.place}: {fault.message}\n")
    return FAULTY


def _stages(seconds: Mapping[str, float]) -> str:
    width = max(8, *(len(name) for name in seconds))
    return "".join(f"  {name:<{width}} {spent:8.2f} s\n" for name, spent in seconds.items())


def _warm_up() -> None:
    """Compile everything on the smallest history."""
    from crosstable.history.warming import warm_up

    warm_up()


def _summary(done: "Replayed") -> str:
    lines = [f"{done.sections:,} sections rated, {done.rows:,} ratings; rules: {done.rules}"]
    if done.unratable:
        lines.append(f"{done.unratable:,} sections could not be rated: a document of their time was not found")
    return "".join(f"{line}\n" for line in lines) + _stages(done.stages)
