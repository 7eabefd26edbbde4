"""``crosstable history``: a whole history in seconds: replay an archive, take one out of an office or into one."""

import argparse
import sys
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from crosstable.cli.files import FAULTY, Help
from crosstable.cli.progress import counting, waiting
from crosstable.errors import HistoryError, OfficeError

if TYPE_CHECKING:
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
    return made


def _add_replay(made: argparse.ArgumentParser) -> None:
    made.description = (
        "Rates every section of an archive in order, with the same results as rating them one by one, and writes a "
        "rating after every section (ratings.parquet), the standings at the end (standings.parquet) and a snapshot of "
        "every year (snapshots/)."
    )
    made.add_argument("archive", metavar="ARCHIVE", help="the folder of the archive")
    made.add_argument("--out", required=True, metavar="DIR", help="the folder for the results")
    made.add_argument(
        "--rules", type=_day, metavar="DATE", help="rate everything by the rules of this day (default: of its own day)"
    )
    made.add_argument("--from-year", type=int, metavar="YEAR", help="start from the snapshot of this year in DIR")
    made.add_argument("--threads", type=int, metavar="N", help="how many threads (default: one per core)")
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

    wishes = Wishes(
        threads=options.threads,
        keeps_index=not options.no_index,
        keeps_snapshots=not options.no_snapshots,
        from_year=options.from_year,
        rules_of=options.rules,
    )
    try:
        if not is_cached():
            with waiting("compiling the formulas (once)"):
                _warm_up()
        with counting("rating sections") as bar:
            done = replay_archive(options.archive, options.out, wishes, bar.done, bar.start)
    except ArchiveError as error:
        for fault in error.faults:
            sys.stderr.write(f"{options.archive}: {fault.place}: {fault.message}\n")
        return FAULTY
    sys.stdout.write(_summary(done))
    return 0


def _warm_up() -> None:
    """Compile everything on a history of two games."""
    from crosstable.history.warming import warm_up

    warm_up()


def _summary(done: "Replayed") -> str:
    lines = [f"{done.sections:,} sections rated, {done.rows:,} ratings"]
    if done.unratable:
        lines.append(f"{done.unratable:,} sections could not be rated: a document of their time was not found")
    lines += [f"  {name:<8} {seconds:8.2f} s" for name, seconds in done.stages.items()]
    return "\n".join(lines) + "\n"
