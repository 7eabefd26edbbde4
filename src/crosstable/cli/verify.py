"""``crosstable verify``: computed ratings beside posted ones."""

import argparse
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from crosstable.cli.event_files import CALENDAR, STANDARD_INPUT, read_given
from crosstable.cli.options import Parser, command_parser, flag, option, take
from crosstable.cli.printing import Bar, fault_text, print_json, write_files
from crosstable.errors import FAULTY, FormatError, RefusedError
from crosstable.formats import file_bytes
from crosstable.formats.detect import Input
from crosstable.rules.editions import Calendar
from crosstable.terms import MemberPage, Report

if TYPE_CHECKING:
    from crosstable.verification import Page


def parser() -> Parser:
    """What ``crosstable verify`` takes."""
    made = command_parser("verify", _verify)
    option(made, "paths FILE|FOLDER", "an event file, an archive file, or a folder of them", nargs="+")
    take(made, "--json", json="print crosstable-verify/1")
    option(made, "--html OUT", "write a web page with tables and plots to this file")
    take(made, "--force")
    made.add_argument("--calendar", **CALENDAR)
    words = "also compare online pages last rated by June 16, 2021, with the error they were rated with"
    flag(made, "--online-fault", words)
    return made


def _verify(options: argparse.Namespace) -> int:
    """Compare computed ratings with posted ones.

    Give event files with posted ratings, or a folder of archived official crosstables (gzipped JSON lines); saved pages
    of members among them, details or tournament histories, tell of peaks and floors. Rows with unknown inputs are left
    out. Every other row that differs is listed with its likely cause.
    """
    from crosstable.pipeline.verifying import posted_pages, verify

    calendar = Calendar(options.calendar)
    pages: list[Page] = []
    members: list[MemberPage] = []
    code = 0
    for path in files_in(options.paths):
        try:
            if of_members := members_in(path):
                members += of_members
                continue
            posted = posted_pages(((path, report) for report in reports_in(path)), calendar)
        except FormatError as error:
            sys.stderr.write(fault_text(path, error.fault))
            code = FAULTY
            continue
        pages += posted.pages
        sys.stderr.writelines(fault_text(name, fault) for name, fault in posted.faults)
        code = FAULTY if posted.faults else code
    if not pages and not code:
        raise RefusedError("there are no posted ratings in these files", FAULTY)
    if not pages:
        return FAULTY
    with Bar("verifying", len(pages)) as bar:
        verified = verify(pages, online_fault=options.online_fault, tell=bar.done, members=members)
    if options.html:
        from crosstable.output.verify_html import verify_page

        write_files({options.html: verify_page(verified.found, verified.norms).encode()}, is_forced=options.force)
    if options.json:
        print_json(verified.to_dict())
    else:
        from crosstable.output.verify_text import verify_text

        sys.stdout.write(verify_text(verified.found, verified.norms))
    return code


def files_in(paths: list[str]) -> Iterator[str]:
    """The files that paths stand for: a folder for those in it."""
    for path in paths:
        if os.path.isdir(path):
            yield from (os.path.join(path, name) for name in sorted(os.listdir(path)) if not name.startswith("."))
        else:
            yield path


def members_in(path: str) -> list[MemberPage]:
    """The pages of members that a file holds; none where it is something else."""
    from crosstable.formats import member_pages

    data = b"" if path == STANDARD_INPUT or os.path.isdir(path) else file_bytes(path)
    name = os.path.basename(path)
    if member_pages.looks_like(data):
        return [member_pages.read(data, name)]
    return list(member_pages.read_archive(data, name)) if member_pages.archived(data) else []


def reports_in(path: str) -> Iterator[Report]:
    """The reports of a file: an archive of crosstables, or one event."""
    from crosstable.formats import archive
    from crosstable.formats.detect import read_input

    if path == STANDARD_INPUT:
        yield read_given(Input(path, (path,)))
        return
    data = b"" if os.path.isdir(path) else file_bytes(path)
    if archive.looks_like(data):
        yield from archive.read(data, os.path.basename(path))
    else:
        yield read_input(Input(path, (path,))).report
