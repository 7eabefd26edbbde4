"""``crosstable lab compare``: how much a federation resembles official crosstables."""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from crosstable.cli.files import FAULTY, Help
from crosstable.cli.progress import counting, waiting

if TYPE_CHECKING:
    from crosstable.lab.resemblance import Resemblance
    from crosstable.terms import Report

FORMAT = "crosstable-comparison/1"


def add_compare(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command that compares a federation with official pages."""
    made = commands.add_parser(
        "compare",
        formatter_class=Help,
        help="how much a federation resembles official crosstables",
        description="Replay an archive by the official rules and compare what its crosstables would show with what a "
        "folder of official ones shows: ratings and experience of entrants, sections, draws by rating, scores of the "
        "lower rated by difference. Sections of the archive count as often as the folder has pages of their year and "
        "system. docs/lab.md explains the figures, and what a sample of pages cannot show.",
    )
    made.add_argument("archive", metavar="ARCHIVE", help="the folder of the archive")
    made.add_argument(
        "--pages", required=True, metavar="FOLDER", help="a folder of crosstables with posted ratings, as verify takes"
    )
    made.add_argument("--threads", type=_count, metavar="N", help="how many threads (default: one per core)")
    made.add_argument("--json", action="store_true", help=f"print {FORMAT}")
    made.set_defaults(run=_compare, needs=("numpy", "polars", "numba"))


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 1")
    return int(text)


def _compare(options: argparse.Namespace) -> int:
    from crosstable.errors import FormatError, HistoryError
    from crosstable.history.archive_checks import ArchiveError

    try:
        found = _compared(options)
    except ArchiveError as error:
        for fault in error.faults:
            sys.stderr.write(f"{options.archive}: {fault.place}: {fault.message}\n")
        return FAULTY
    except (HistoryError, FormatError) as error:
        sys.stderr.write(f"crosstable lab compare: {error}\n")
        return FAULTY
    if options.json:
        sys.stdout.write(json.dumps(_document(found), allow_nan=False) + "\n")
    else:
        from crosstable.lab.resemblance import resemblance_text

        sys.stdout.write(resemblance_text(found))
    return 0


def _compared(options: argparse.Namespace) -> "Resemblance":
    from crosstable.errors import HistoryError
    from crosstable.history.archive import read
    from crosstable.history.index import build
    from crosstable.history.kernel.compiling import is_cached
    from crosstable.history.warming import warm_up
    from crosstable.lab.resemblance import observed_archive, observed_pages, resemblance

    with waiting("reading pages"):
        official = observed_pages(_reports(options.pages))
    if official.pages.is_empty():
        raise HistoryError(f"there is no crosstable with posted ratings in {options.pages}")
    if not is_cached():
        with waiting("compiling the formulas (once)"):
            warm_up()
    archive = read(options.archive)
    threads = options.threads or len(os.sched_getaffinity(0))
    with counting("rating sections") as bar:
        simulated = observed_archive(archive, build(archive), threads, bar.done)
    return resemblance(official, simulated)


def _reports(folder: str) -> Iterator["Report"]:
    """The reports of a folder: archives of crosstables, or one in each file."""
    from crosstable.errors import HistoryError
    from crosstable.formats import archive, file_bytes
    from crosstable.formats.detect import Input, read_input

    if not os.path.isdir(folder):
        raise HistoryError(f"{folder} is no folder of crosstables")
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.startswith(".") or os.path.isdir(path):
            continue
        data = file_bytes(path)
        if archive.looks_like(data):
            yield from archive.read(data, name)
        else:
            yield read_input(Input(path, (path,))).report


def _document(found: "Resemblance") -> dict[str, object]:
    """The comparison as JSON; a figure that one side does not have is null."""
    figures = [
        {name: None if value != value else value for name, value in row.items()}
        for row in found.frame.iter_rows(named=True)
    ]
    counts = {name: getattr(found, name) for name in ("pages", "rows", "sections", "matched")}
    return {"format": FORMAT, **counts, "figures": figures}
