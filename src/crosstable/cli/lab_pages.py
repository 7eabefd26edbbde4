"""``crosstable lab pages``: posted crosstables as an archive."""

import argparse
import os
import sys

from crosstable.cli.files import FAULTY, Help
from crosstable.cli.progress import waiting


def add_pages(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command that makes an archive of posted pages."""
    made = commands.add_parser(
        "pages",
        formatter_class=Help,
        help="make an archive of posted crosstables",
        description="Make an archive of a folder of posted crosstables (*.jsonl.gz): every page becomes a section, "
        "whose players bring the ratings that were posted before it. docs/lab.md says what such an archive can show.",
    )
    made.add_argument("folder", metavar="FOLDER", help="the folder of posted crosstables")
    made.add_argument(
        "--carried",
        action="store_true",
        help="take posted ratings from a member's first page only, and carry on what the replay makes of them",
    )
    made.add_argument("--out", required=True, metavar="FOLDER", help="where the archive is written")
    made.add_argument("--force", action="store_true", help="write into a folder that is not empty")
    made.set_defaults(run=_pages, needs=("numpy", "polars", "numba"))


def _pages(options: argparse.Namespace) -> int:
    from crosstable.errors import FormatError, HistoryError
    from crosstable.history.archive import write
    from crosstable.lab.posted_pages import history_of, pages_in

    if os.path.exists(options.out) and not (os.path.isdir(options.out) and (options.force or _is_empty(options.out))):
        sys.stderr.write(f"crosstable lab pages: {options.out} is not an empty folder; give another one, or --force\n")
        return FAULTY
    try:
        with waiting("reading pages"):
            pages = pages_in(options.folder)
            archive = history_of(pages, is_carried=options.carried)
    except (HistoryError, FormatError) as error:
        sys.stderr.write(f"crosstable lab pages: {error}\n")
        return FAULTY
    write(archive, options.out)
    sys.stdout.write(f"written to {options.out}: {len(pages):,} pages, {archive.entries.height:,} rows\n")
    return 0


def _is_empty(folder: str) -> bool:
    return not os.listdir(folder)
