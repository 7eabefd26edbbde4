"""``office init``, ``status``, ``verify``, ``backup``, ``restore``, ``upgrade``: making and keeping an office."""

import argparse
import os
from typing import TYPE_CHECKING

from crosstable.cli import require
from crosstable.cli.office_access import author_of, database_of, login_name, office_command, opened
from crosstable.cli.options import Parser, flag, option, take
from crosstable.cli.printing import Bar, print_json, refuse_to_replace, say, shown_address, warn
from crosstable.errors import FAULTY
from crosstable.office.address import KEY_VARIABLE
from crosstable.office.database import system_clock
from crosstable.office.plain_errors import plain_os_errors
from crosstable.office.security_log import SecurityKind, note_apart
from crosstable.office.status import OfficeStatus, status
from crosstable.sentences import american, counted

if TYPE_CHECKING:
    from crosstable.office.audit import Audit
    from crosstable.office.backups import Backup
    from crosstable.office.ledger.facts import Heading

MOST_FINDINGS = 200
MOST_FAULTS = 3


def add_init(made: Parser) -> None:
    """What ``office init`` takes."""
    office_command(made, _init, "--by", "--reason")
    made.add_argument("--name", default="Rating office", help="the name of the office, for example of a club")


def _init(options: argparse.Namespace) -> None:
    from crosstable.office.founding import found_office

    url = database_of(options)
    office = found_office(url, options.name, author_of(options, "the office was founded"), system_clock)
    office.close()
    say(f"{options.name}: a new office at {shown_address(url)}")
    _tell_aside(office.aside)
    for caution in office.store.cautions():
        warn(f"note: {caution}")
    say("next: crosstable office members import FILE, or crosstable office submit FILE --new-members")


def _tell_aside(path: str) -> None:
    """Where the accounts of an office are that was here before."""
    if path:
        warn(f"note: accounts and security log of an office that was here before are kept in {path}")


def add_status(made: Parser) -> None:
    """What ``office status`` takes."""
    office_command(made, _status, "--json")


def _status(options: argparse.Namespace) -> None:
    with opened(options) as office:
        found = status(office)
    if options.json:
        print_json(_status_document(found))
        return
    say(f"{found.name}, at {shown_address(database_of(options))}, schema {found.schema}")
    say(
        f"{counted(found.members, 'member')}, {counted(found.events, 'event')}, "
        f"{counted(found.sections, 'accepted section')}, {counted(found.ratings, 'rating')}"
    )
    say(f"supplements: {', '.join(found.lists) or 'none published'}")
    say(f"head of the journal: entry {found.newest.seq}, {found.newest.digest}")
    if found.pending:
        noun = counted(len(found.pending), "journal entry waits", "journal entries wait")
        say(f"{noun} for a rating run: crosstable office rerate")
    for one in found.held:
        say(f"held: {_section_name(one)}")
        for fault in [fault for fault in one.faults if fault["severity"] != "warning"][:MOST_FAULTS]:
            say(f"    {fault['place']}: {fault['message']} [{fault['code']}]")
    for one in found.requested:
        say(f"requested: {_section_name(one)} (crosstable office confirm {one.event_id} --section {one.number})")
    for question in found.questions:
        say(f"member {question.member_id}: {question.message}")
        say(f"    {question.remedy}")
    for caution in found.cautions:
        warn(f"note: {caution}")


def _section_name(heading: "Heading") -> str:
    return f"event {heading.event_id}, section {heading.number}{f' {heading.name}' if heading.name else ''}"


def _status_document(found: OfficeStatus) -> dict[str, object]:
    def sections(headings: tuple["Heading", ...]) -> list[dict[str, object]]:
        return [
            {"event": one.event_id, "section": one.number, "name": one.name, "faults": list(one.faults)}
            for one in headings
        ]

    same = ("name", "schema", "members", "events", "sections", "ratings", "lists")
    return {
        "format": "crosstable-office-status/1",
        **{name: getattr(found, name) for name in same},
        "last_run": found.last_run or None,
        "pending": [act.seq for act in found.pending],
        "held": sections(found.held),
        "requested": sections(found.requested),
        "head": {"act": found.newest.seq, "digest": found.newest.digest},
        "cautions": found.cautions,
        "questions": [
            {"member": one.member_id, "event": one.event_id or None, "message": one.message, "remedy": one.remedy}
            for one in found.questions
        ],
    }


def add_verify(made: Parser) -> None:
    """What ``office verify`` takes."""
    epilog = (
        "Exit code 1: something differs. Every difference is a line. Keep the head that is printed, or a published "
    )
    epilog += "supplement, outside the office: only what is kept elsewhere shows that everything was not rewritten. "
    epilog += "With --since and that head the next time takes less; what was verified before is not looked at again."
    office_command(made, _verify, "--json", epilog=epilog)
    option(made, "--head HASH", "a head of the journal that somebody kept: it must be in the record", default="")
    since = "a head up to which everything was verified: only what was written after it is looked at"
    option(made, "--since HASH", since, default="")
    resume = "a file in which it notes how far it has come: after a stop the same command goes on from there"
    option(made, "--resume FILE", resume, default="")
    option(
        made, "--supplement FILE", "a published supplement that somebody kept, in any form that is written", default=""
    )


def _verify(options: argparse.Namespace) -> int:
    from crosstable.office.audit import Kept, verify

    with Bar("recomputing", 0) as bar:
        head, since = (one.strip().lower() for one in (options.head, options.since))
        found = verify(database_of(options), Kept(head, options.supplement, since, options.resume), bar.done)
    if options.json:
        findings = [
            {"entry": one.entry, "table": one.table, "row": one.row, "what": one.what} for one in found.findings
        ]
        said = {"format": "crosstable-office-verified/2", "ok": not findings, **found._asdict(), "findings": findings}
        print_json(said)
        return FAULTY if findings else 0
    return _tell_verified(found)


def _tell_verified(found: "Audit") -> int:
    for finding in found.findings[:MOST_FINDINGS]:
        say(finding.what)
    if len(found.findings) > MOST_FINDINGS:
        say(f"and {len(found.findings) - MOST_FINDINGS:,} more")
    for held in found.held:
        say(held)
    say(
        f"{_entries(found.acts)}, {counted(found.sections, 'section')}, {counted(found.postings, 'posting')}, "
        f"{counted(found.lists, 'supplement')} compared: "
        + (counted(len(found.findings), "difference") if found.findings else "everything follows from the record")
    )
    if found.findings:
        return FAULTY
    say(f"verified to entry {found.acts}, head {found.head}")
    return 0


def _entries(number: int) -> str:
    return counted(number, "journal entry", "journal entries")


def add_clock(made: Parser) -> None:
    """What ``office clock`` takes."""
    epilog = "A wrong clock stamps everything after it. An entry that is more days after the last one than the setting "
    epilog += "clock-days says, or a day before it, is refused until the clock is set, or confirmed with this command. "
    epilog += "After a confirmation the journal goes on from the clock's time, also where earlier entries are ahead."
    office_command(made, _clock, "--by", "--reason", epilog=epilog)
    flag(made, "--confirm", "record that the clock of this machine is right")


def _clock(options: argparse.Namespace) -> None:
    from crosstable.office.settings import confirm_clock

    with opened(options) as office:
        newest = status(office).newest
        for what, at in ((f"entry {newest.seq}, the last one", newest.at), ("the clock", office.clock())):
            say(f"{what}: {american(at.date())}, {at:%H:%M} UTC")
        if options.confirm:
            entry = confirm_clock(office, author_of(options, "the clock is right"))
            say(f"the clock is right: the journal goes on from there (entry {entry})")


def add_backup(made: Parser) -> None:
    """What ``office backup`` takes."""
    office_command(made, _backup)
    option(made, "file FILE", "the file to write, for example office-2026-11-15.zip")
    option(made, "--key-file KEY", _KEY_HELP, default="")
    take(made, "--force")


def _backup(options: argparse.Namespace) -> None:
    from crosstable.office.backups import KEPT, backup

    refuse_to_replace([options.file], is_forced=options.force)
    key = _key(options)
    with opened(options) as office, Bar("backing up", len(KEPT)) as bar:
        note_apart(office, SecurityKind.BIRTH_DATE_READ, login_name(), "everybody", by="office backup")
        made = backup(office, options.file, bar.done, key)
    if not key:
        warn(f"note: {options.file} is not encrypted; --key-file KEY encrypts it")
    _tell_backup(options.file, made, f", {os.path.getsize(options.file):,} bytes")


_KEY_HELP = f"a file with the key of an encrypted backup, 16 characters or more; otherwise {KEY_VARIABLE} says it"


def _key(options: argparse.Namespace) -> str:
    key = os.environ.get(KEY_VARIABLE, "")
    if options.key_file:
        with plain_os_errors(options.key_file), open(options.key_file, encoding="utf-8") as file:
            key = file.read().strip()
    if key:
        require(("cryptography",), "encryption")
    return key


def _tell_backup(where: str, made: "Backup", more: str) -> None:
    say(f"{where}: {_entries(made.acts)}, {counted(sum(made.rows.values()), 'row')}{more}")
    say(f"head of the journal: {made.head}")


def add_restore(made: Parser) -> None:
    """What ``office restore`` takes."""
    office_command(made, _restore)
    option(made, "file FILE", "a file written by office backup, from SQLite or PostgreSQL")
    option(made, "--key-file KEY", _KEY_HELP, default="")
    words = "a list of people who were erased since the backup (default: the files that end in .erasures beside it)"
    option(made, "--erasures FILE", words, action="append", default=[])


def _restore(options: argparse.Namespace) -> None:
    from crosstable.office.backups import KEPT, restore
    from crosstable.office.database import full_url
    from crosstable.office.erasure_list import lists_for, read_list

    url = database_of(options)
    lists = options.erasures or lists_for(full_url(url), options.file)
    listed = [one for path in lists for one in read_list(path)]
    with Bar("restoring", len(KEPT)) as bar:
        made = restore(options.file, url, system_clock, bar.done, _key(options), listed)
    _tell_backup(shown_address(url), made, " restored")
    _tell_aside(made.aside)
    if lists:
        say(f"{counted(made.erased, 'person', 'people')} erased again, by {', '.join(lists)}")


def add_upgrade(made: Parser) -> None:
    """What ``office upgrade`` takes."""
    office_command(made, _upgrade, "--by", "--reason")
    flag(made, "--rebuild", "does nothing since schema 0004, which keeps nothing to rebuild")


def _upgrade(options: argparse.Namespace) -> int:
    from crosstable.office.audit import Kept, verify
    from crosstable.office.upgrading import upgrade_office

    url = database_of(options)
    before, after = upgrade_office(url, author_of(options), system_clock)
    done = f"the schema is {after} already" if before == after else f"upgraded from schema {before} to {after}"
    say(f"{shown_address(url)}: {done}")
    if options.rebuild:
        say("since schema 0004 there is nothing to rebuild")
    if before == after:
        return 0
    with Bar("recomputing", 0) as bar:
        return _tell_verified(verify(url, Kept(), bar.done))
