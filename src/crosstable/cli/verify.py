"""``crosstable verify``: computed against posted, on event files and archives of official results."""

import argparse
import json
import os
import sys
from collections.abc import Iterator

from crosstable.cli.files import FAULTY, Help, fault_text
from crosstable.cli.progress import progress
from crosstable.errors import FormatError
from crosstable.formats import archive, file_bytes
from crosstable.formats.detect import Input, read_input
from crosstable.pipeline.verifying import posted_pages, verify
from crosstable.rules.editions import Calendar
from crosstable.terms import Report
from crosstable.verification import Page


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    made = argparse.ArgumentParser(
        prog="crosstable verify",
        formatter_class=Help,
        description="Compare what crosstable computes with what was posted: event files with posted figures, or a "
        "folder of archived official crosstables (gzipped JSON lines). Rows whose inputs are not all known are left "
        "out; every row that differs is listed with its likely cause.",
    )
    made.add_argument(
        "paths", nargs="+", metavar="FILE|FOLDER", help="an event file, an archive file, or a folder of them"
    )
    made.add_argument("--json", action="store_true", help="print crosstable-verify/1")
    made.add_argument("--html", metavar="OUT", help="write a page with the table and plots to this file")
    calendars = [calendar.value for calendar in Calendar]
    made.add_argument("--calendar", choices=calendars, default=Calendar.LISTED.value, help="which dates pick the rules")
    made.add_argument(
        "--online-fault",
        action="store_true",
        help="rate online pages last rated by 2021-06-16 with the fault they were rated with, and compare them too",
    )
    return made


def run(arguments: list[str]) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    calendar = Calendar(options.calendar)
    pages: list[Page] = []
    code = 0
    for path in _files(options.paths):
        try:
            posted = posted_pages(((path, report) for report in _reports(path)), calendar)
        except FormatError as error:
            sys.stderr.write(fault_text(path, error.fault))
            code = FAULTY
            continue
        pages += posted.pages
        sys.stderr.writelines(fault_text(name, fault) for name, fault in posted.faults)
        code = FAULTY if posted.faults else code
    if not pages:
        if not code:
            sys.stderr.write("crosstable verify: no posted figures were found in these files\n")
        return FAULTY
    with progress("verifying", len(pages)) as tell:
        verified = verify(pages, online_fault=options.online_fault, tell=tell)
    if options.html:
        from crosstable.output.verify_html import verify_page

        with open(options.html, "w", encoding="utf-8") as file:
            file.write(verify_page(verified.found, verified.norms))
    if options.json:
        sys.stdout.write(json.dumps(verified.to_dict(), ensure_ascii=False) + "\n")
    else:
        from crosstable.output.verify_text import verify_text

        sys.stdout.write(verify_text(verified.found, verified.norms))
    return code


def _files(paths: list[str]) -> Iterator[str]:
    for path in paths:
        if os.path.isdir(path):
            yield from (os.path.join(path, name) for name in sorted(os.listdir(path)) if not name.startswith("."))
        else:
            yield path


def _reports(path: str) -> Iterator[Report]:
    if not path.lower().endswith(".gz"):
        yield read_input(Input(path, (path,))).report
        return
    data = file_bytes(path)
    if archive.looks_like(data):
        yield from archive.read(data, os.path.basename(path))
    else:
        yield read_input(Input(path, (path,))).report
