"""``crosstable fetch``, ``audit`` and ``verify``: official events, and computed ratings beside posted ones."""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from crosstable.cli.event_files import CALENDAR, STANDARD_INPUT, read_given
from crosstable.cli.options import Parser, Takes, command_parser, flag, option, take
from crosstable.cli.printing import Bar, fault_text, faults_text, print_json, refuse_to_replace, write_files
from crosstable.errors import FAULTY, FetchError, FormatError, NotThereError, RefusedError
from crosstable.formats import file_bytes
from crosstable.formats.detect import Input, inputs
from crosstable.record_rows import MemberPage
from crosstable.rules.editions import Calendar
from crosstable.terms import Report

if TYPE_CHECKING:
    from crosstable.formats import Reading
    from crosstable.uschess import FetchOptions, RatingsApi
    from crosstable.verification import Page


# US Chess numbers events with twelve digits, the first eight of them their last day, and members with eight.
EVENT_DIGITS = 12
MEMBER_DIGITS = 8


def add_api_options(made: Takes) -> None:
    """How the API is asked."""
    option(made, "--api URL", "the address of the API; otherwise CROSSTABLE_API, or that of US Chess", default="")
    option(made, "--key KEY", "a key for version 2 of the API; otherwise CROSSTABLE_API_KEY", default="")
    option(made, "--cache FOLDER", "where answers are kept (otherwise a folder of your own cache)", default="")
    flag(made, "--offline", "ask nobody: use only what was fetched before")
    flag(made, "--fresh", "ask anew, also for what was fetched in the last 24 hours")


def _add_counts(made: Takes) -> None:
    flag(made, "--counts", "of an event id: also count the games of established players for whom the number matters")


def api_options(options: argparse.Namespace) -> "FetchOptions":
    """The same as the client takes it."""
    from crosstable.uschess import FetchOptions

    return FetchOptions(options.api, options.cache, options.key, options.offline, options.fresh)


def fetch_parser() -> Parser:
    """What ``crosstable fetch`` takes."""
    made = command_parser("fetch", _fetch)
    made.epilog = (
        "An event id has 12 digits, a member id 8. An event becomes an event file with its posted ratings, for rate, "
        "verify and explain; members become a members file, for rate --members. Answers are kept for 24 hours, so a "
        "fetch that was interrupted goes on where it stopped."
    )
    option(made, "ids ID", "an event id, or member ids", nargs="*")
    option(
        made,
        "--list FILE",
        "a file with an event id at the beginning of each line (in a Markdown page of some lines); "
        "writes one file for each to --out",
    )
    take(made, "--out", "--force", out="write to this file (with --list, to this folder)")
    _add_counts(made)
    add_api_options(made)
    return made


def audit_parser() -> Parser:
    """What ``crosstable audit`` takes."""
    made = command_parser("audit", _audit)
    made.epilog = (
        "Verdicts: reproduced (the rules give the posted number), explained (they do with a floor, a limit of matches, "
        "a start that the section settles or the rules of another day), differs (nothing that is unknown can give it), "
        "unknown. Exit code 0 whatever the verdict is."
    )
    option(made, "source ID|PAGE|FILE", "an event id, a saved page, a file with posted ratings, or - for pasted text")
    option(made, "--player NUMBER", "only this player, by pairing number, with the whole working", type=int)
    take(made, "--section", "--control", "--start", "--end", "--json", json="print crosstable-audit/1")
    option(made, "--html OUT", "write a web page to send or print to this file")
    take(made, "--force")
    _add_counts(made)
    add_api_options(made)
    return made


def _audit(options: argparse.Namespace) -> int:
    """Is a posted rating right? Rate posted sections again and compare.

    Give an event id of US Chess, a saved crosstable page, pasted text or any event file with posted ratings. Where a
    posted rating differs, likely reasons are tried: another result, bonus, count, order of events, floor or start.
    """
    from crosstable.pipeline.auditing import audit_reports
    from crosstable.pipeline.reading import completed, of_reading

    name = options.source
    if _is_id(name, EVENT_DIGITS) and not os.path.exists(name):
        from crosstable.cli import require
        from crosstable.uschess import RatingsApi

        require(("httpx",), "uschess")
        with RatingsApi(api_options(options)) as api:
            report = of_reading(_event(api, name, counts=options.counts))
    else:
        report = read_given(inputs([name])[0])
    report = completed(report, options.control, options.start, options.end, override=False)
    with Bar("auditing") as bar:
        audited = audit_reports([(name, report)], options.section or (), lambda done, total: bar.done(done))
    sys.stderr.writelines(fault_text(one, fault) for one, fault in audited.faults)
    if not audited.rows:
        raise RefusedError("there are no posted ratings that can be compared", FAULTY)
    if options.json:
        print_json(audited.to_dict())
        return FAULTY if audited.faults else 0
    from crosstable.output.audit_text import audit_page, audit_text

    if options.player is not None and all(row.number != options.player for row in audited.rows):
        raise RefusedError(f"there is no posted rating of a player {options.player}")
    if options.html:
        write_files({options.html: audit_page(audited, options.player).encode()}, is_forced=options.force)
    else:
        sys.stdout.write(audit_text(audited, options.player))
    return FAULTY if audited.faults else 0


def _fetch(options: argparse.Namespace) -> int:
    """Fetch an event or members from the US Chess ratings API.

    Nothing is fetched but what you ask for, at most two answers a second.
    """
    from crosstable.uschess import RatingsApi

    if options.out and not options.list:
        refuse_to_replace([options.out], is_forced=options.force)
    with RatingsApi(api_options(options)) as api:
        if options.list:
            return _fetch_list(api, options)
        ids = options.ids
        is_event = len(ids) == 1 and _is_id(ids[0], EVENT_DIGITS)
        if not is_event and not (ids and all(_is_id(one, MEMBER_DIGITS) for one in ids)):
            raise RefusedError(f"give one event id ({EVENT_DIGITS} digits) or member ids ({MEMBER_DIGITS} digits)")
        data, has_errors = _event_file(api, ids[0], options) if is_event else (_members(api, ids), False)
    _put(options.out, data)
    return FAULTY if has_errors else 0


def _fetch_list(api: "RatingsApi", options: argparse.Namespace) -> int:
    if options.ids or not options.out:
        raise RefusedError("--list takes no ids beside it, and needs --out FOLDER")
    with open(options.list, encoding="utf-8") as file:
        words = [line.split()[0].rstrip(",") for line in file if line.strip() and not line.startswith("#")]
    wanted = list(dict.fromkeys(word for word in words if _is_id(word, EVENT_DIGITS)))
    is_page = options.list.endswith(".md")  # text with event ids at the beginning of lines
    if not wanted or (len(wanted) < len(set(words)) and not is_page):
        unknown = next((word for word in words if word not in wanted), "nothing")
        raise RefusedError(f"{options.list}: {unknown} is no event id ({EVENT_DIGITS} digits)")
    os.makedirs(options.out, exist_ok=True)
    has_errors = False
    with Bar("fetching events", len(wanted)) as bar:
        for done, event_id in enumerate(wanted, start=1):
            try:
                data, is_faulty = _event_file(api, event_id, options)
            except NotThereError as error:  # the others may be there
                sys.stderr.write(f"{error}\n")
                has_errors = True
                continue
            has_errors |= is_faulty
            _put(os.path.join(options.out, f"{event_id}.json"), data)
            bar.done(done)
    return FAULTY if has_errors else 0


def _is_id(text: str, digits: int) -> bool:
    return len(text) == digits and text.isascii() and text.isdigit()


def _event(api: "RatingsApi", event_id: str, *, counts: bool) -> "Reading":
    """An event of the API, with the game counts of established players where they are asked for and matter."""
    from crosstable.uschess import event_of, with_counts

    reading = event_of(api, event_id)
    if counts:
        from crosstable.pipeline.auditing import count_matters

        reading = with_counts(api, reading, count_matters)
    return reading


def _event_file(api: "RatingsApi", event_id: str, options: argparse.Namespace) -> tuple[bytes, bool]:
    """An event as an event file, and whether it has errors."""
    from crosstable.formats.event_json_write import write

    reading = _event(api, event_id, counts=options.counts)
    sys.stderr.write(faults_text(f"event {event_id}", reading.faults))
    return write(reading.report), any(fault.severity.stops for fault in reading.faults)


def _members(api: "RatingsApi", ids: list[str]) -> bytes:
    """Members as a members file, which --members reads."""
    from crosstable.uschess import members_file

    found = members_file(api, ids)
    missing = sorted(set(ids) - {str(one.get("id")) for one in found["members"]})
    if missing:
        raise FetchError(f"{api.base} has no member {', '.join(missing)}. Check the ids.")
    return (json.dumps(found, indent=1) + "\n").encode()


def _put(path: str | None, data: bytes) -> None:
    if not path:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    begun = f"{path}.begun"
    with open(begun, "wb") as file:
        file.write(data)
    os.replace(begun, path)


def verify_parser() -> Parser:
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
