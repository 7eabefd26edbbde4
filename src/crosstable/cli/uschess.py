"""``crosstable fetch`` and ``audit``: official events, and whether their posted ratings are right."""

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING

from crosstable.cli.event_files import read_given
from crosstable.cli.options import Parser, Takes, command_parser, flag, option, take
from crosstable.cli.printing import Bar, fault_text, faults_text, print_json, refuse_to_replace, write_files
from crosstable.errors import FAULTY, FetchError, NotThereError, RefusedError
from crosstable.formats.detect import inputs

if TYPE_CHECKING:
    from crosstable.formats import Reading
    from crosstable.uschess import FetchOptions, RatingsApi

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
    from crosstable.pipeline.reading import completed, of_reading
    from crosstable.pipeline.verifying import audit_reports

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
        from crosstable.pipeline.verifying import count_matters

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
