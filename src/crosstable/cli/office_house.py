"""``office init``, ``status``, ``verify``, ``backup``, ``restore``, ``upgrade``: founding an office and keeping it."""

import argparse
import os
import sys
from typing import TYPE_CHECKING

from crosstable.cli.files import FAULTY
from crosstable.cli.office_desk import (
    add_act_options,
    add_command,
    add_question_options,
    database_of,
    deed_of,
    opened,
    shown_address,
)
from crosstable.cli.office_drawing import counted, print_json, say, warn
from crosstable.cli.progress import progress
from crosstable.office.database import system_clock
from crosstable.office.status import OfficeStatus, status

if TYPE_CHECKING:
    from crosstable.cli.office_desk import Commands
    from crosstable.office.ledger.facts import Heading

MOST_FINDINGS = 200
MOST_FAULTS = 3


def add_founding(commands: "Commands") -> None:
    """The commands that come first."""
    init = add_command(commands, "init", "make a new office", _init)
    init.add_argument("--name", default="Rating office", help="what the office is called, for example a club's name")
    add_act_options(init)
    shown = add_command(commands, "status", "what is in the office, and what waits to be done", _status)
    add_question_options(shown, known_on=False)


def add_keeping(commands: "Commands") -> None:
    """The commands that keep an office sound."""
    verify = add_command(commands, "verify", "recompute everything from the record and compare, list by list", _verify)
    verify.epilog = "Exit code 1: something differs; every difference is a line."
    add_question_options(verify, known_on=False)
    backup = add_command(commands, "backup", "write the whole office into one file", _backup)
    backup.add_argument("file", metavar="FILE", help="the file to write, for example office-2026-11-15.zip")
    restore = add_command(commands, "restore", "make an office from a backup, where there is none yet", _restore)
    restore.add_argument("file", metavar="FILE", help="a file that office backup wrote, from SQLite or PostgreSQL")
    upgrade = add_command(commands, "upgrade", "bring the tables of an older office up to this program", _upgrade)
    nothing = "does nothing since schema 0004: nothing is kept beside the record"
    upgrade.add_argument("--rebuild", action="store_true", help=nothing)
    add_act_options(upgrade)


def _init(options: argparse.Namespace) -> int:
    from crosstable.office.founding import found_office

    url = database_of(options)
    office = found_office(url, options.name, deed_of(options, "the office was founded"), system_clock)
    office.close()
    say(f"{options.name}: a new office at {shown_address(url)}")
    for caution in office.store.cautions():
        warn(f"note: {caution}")
    say("next: crosstable office members import FILE, or crosstable office submit FILE --new-members")
    return 0


def _status(options: argparse.Namespace) -> int:
    with opened(options) as office:
        found = status(office)
    if options.json:
        print_json(_status_document(found))
        return 0
    say(f"{found.name}, at {shown_address(database_of(options))}, schema {found.schema}")
    say(
        f"{counted(found.members, 'member')}, {counted(found.events, 'event')}, "
        f"{counted(found.sections, 'accepted section')}, {counted(found.ratings, 'rating')}"
    )
    say(f"lists: {', '.join(found.lists) or 'none published'}")
    say(f"head of the record: act {found.newest.seq}, {found.newest.digest}")
    if found.pending:
        noun = counted(len(found.pending), "act waits", "acts wait")
        say(f"{noun} for a rating run: crosstable office rerate")
    for one in found.held:
        say(f"held: {_section_name(one)}")
        for fault in [fault for fault in one.faults if fault["severity"] != "warning"][:MOST_FAULTS]:
            say(f"    {fault['place']}: {fault['message']} [{fault['code']}]")
    for one in found.requested:
        say(f"asked for: {_section_name(one)} (crosstable office confirm {one.event_id} --section {one.number})")
    for caution in found.cautions:
        warn(f"note: {caution}")
    return 0


def _section_name(heading: "Heading") -> str:
    return f"event {heading.event_id}, section {heading.number}{f' {heading.name}' if heading.name else ''}"


def _status_document(found: OfficeStatus) -> dict[str, object]:
    def sections(headings: tuple["Heading", ...]) -> list[dict[str, object]]:
        return [
            {"event": one.event_id, "section": one.number, "name": one.name, "faults": list(one.faults)}
            for one in headings
        ]

    return {
        "format": "crosstable-office-status/1",
        "name": found.name,
        "schema": found.schema,
        "members": found.members,
        "events": found.events,
        "sections": found.sections,
        "ratings": found.ratings,
        "lists": list(found.lists),
        "last_run": found.last_run or None,
        "pending": [act.seq for act in found.pending],
        "held": sections(found.held),
        "requested": sections(found.requested),
        "head": {"act": found.newest.seq, "digest": found.newest.digest},
        "cautions": list(found.cautions),
    }


def _verify(options: argparse.Namespace) -> int:
    from crosstable.office.audit import audit, sections_to_check

    with opened(options) as office:
        total = 0
        if sys.stderr.isatty():
            with office.reading() as connection:
                total = sections_to_check(connection)
        with progress("recomputing", total) as tell:
            found = audit(office, tell)
    if options.json:
        print_json({"format": "crosstable-office-verified/1", **found._asdict()})
        return FAULTY if found.findings else 0
    for finding in found.findings[:MOST_FINDINGS]:
        say(finding)
    if len(found.findings) > MOST_FINDINGS:
        say(f"and {len(found.findings) - MOST_FINDINGS:,} more")
    say(
        f"{counted(found.acts, 'act')}, {counted(found.sections, 'section')}, {counted(found.postings, 'posting')}, "
        f"{counted(found.lists, 'list')} compared: "
        + (counted(len(found.findings), "difference") if found.findings else "everything follows from the record")
    )
    return FAULTY if found.findings else 0


def _backup(options: argparse.Namespace) -> int:
    from crosstable.office import tables
    from crosstable.office.backups import backup

    with opened(options) as office, progress("backing up", len(tables.metadata.tables)) as tell:
        made = backup(office, options.file, tell)
    size = os.path.getsize(options.file)
    say(f"{options.file}: {counted(made.acts, 'act')}, {counted(sum(made.rows.values()), 'row')}, {size:,} bytes")
    say(f"head of the record: {made.head}")
    return 0


def _restore(options: argparse.Namespace) -> int:
    from crosstable.office import tables
    from crosstable.office.backups import restore

    url = database_of(options)
    with progress("restoring", len(tables.metadata.tables)) as tell:
        made = restore(options.file, url, system_clock, tell)
    say(f"{shown_address(url)}: {counted(made.acts, 'act')}, {counted(sum(made.rows.values()), 'row')} restored")
    say(f"head of the record: {made.head}")
    return 0


def _upgrade(options: argparse.Namespace) -> int:
    from crosstable.office.founding import upgrade_office

    url = database_of(options)
    before, after = upgrade_office(url, deed_of(options), system_clock)
    say(
        f"{shown_address(url)}: the schema is {after} already"
        if before == after
        else f"{shown_address(url)}: from schema {before} to {after}"
    )
    if options.rebuild:
        say("nothing is kept beside the record since schema 0004, so there is nothing to make anew")
    return 0
