"""``office init``, ``status``, ``verify``, ``backup``, ``restore``, ``upgrade``: making and keeping an office.

Also ``jobs``, ``schedule`` and ``worker``: what is done beside the site, and who does it.
"""

import argparse
import os
import signal
import threading
from logging.config import dictConfig
from types import FrameType
from typing import TYPE_CHECKING, Any

from crosstable import log_lines
from crosstable.cli import require
from crosstable.cli.office_access import author_of, database_of, login_name, office_command, opened
from crosstable.cli.options import Parser, add_command, add_commands, day, flag, option, take
from crosstable.cli.printing import Bar, columns, print_json, print_table, refuse_to_replace, say, shown_address, warn
from crosstable.errors import FAULTY, OfficeError, RefusedError
from crosstable.office.address import KEY_VARIABLE
from crosstable.office.database import system_clock
from crosstable.office.jobs import Job, JobKind, JobState, NewJob, add_job, cancel, job_of, jobs, retry
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


JOB_COLUMNS = columns("Job", "Kind", "State", "By", "Queued", "What")
# What is queued from the command line; submissions come from the site.
QUEUED = (JobKind.RATE, JobKind.VERIFY, JobKind.BACKUP, JobKind.PUBLISH, JobKind.IMPORT)
# The worker that a site starts ends when this process does.
PARENT = "CROSSTABLE_PARENT"
_LOOK_EVERY = 1.0


def add_jobs(made: Parser) -> None:
    """What ``office jobs`` takes."""
    group = add_commands(made)
    office_command(add_command(group, "list", "list the newest jobs"), _list)
    shown = office_command(add_command(group, "show", "show a job: how far it is, and what came of it"), _show)
    stopped = add_command(group, "cancel", "cancel a job; one that runs stops and stores nothing")
    again = add_command(group, "retry", "queue a job again that failed or was canceled")
    for one in (shown, office_command(stopped, _cancel), office_command(again, _retry)):
        option(one, "job JOB", "the job, as jobs list shows it")
    added = office_command(add_command(group, "add", "queue a job for the worker"), _add, "--by", "--reason")
    added.add_argument("kind", choices=[kind.value for kind in QUEUED], help="what is to be done")
    words = "for a backup: where it is written; for an import: an archive, for an office that is empty still"
    option(added, "--folder FOLDER", words, default="")
    option(added, "--file FILE", "for an import: a members file", default="")
    option(added, "--ratings-as-of DATE", "the date of ratings of the file that have no 'as of' column", type=day)
    option(added, "--month MONTH", "for publish: the month, like 2026-12", default="")
    from crosstable.cli.office_supplements import add_cut_off

    add_cut_off(added.add_argument_group("for publish"))


def _list(options: argparse.Namespace) -> None:
    with opened(options) as office:
        found = jobs(office)
    print_table(JOB_COLUMNS, [_row(one) for one in found], "there are no jobs")


def _row(job: Job) -> tuple[str, ...]:
    made = f"{job.made:%Y-%m-%d %H:%M}"
    return job.job_id, job.kind.value, job.state.value, job.author, made, job.error or job.about


def _show(options: argparse.Namespace) -> int:
    with opened(options) as office:
        job = job_of(office, options.job)
    if job is None:
        raise OfficeError(f"there is no job {options.job}; crosstable office jobs list shows them")
    say(f"job {job.job_id}: {job.kind.value}, {job.state.value}, by {job.author}")
    say(f"queued {job.made:%Y-%m-%d %H:%M:%S} UTC")
    if job.begun is not None:
        ended = f", ended {job.ended:%H:%M:%S}" if job.ended else f", {counted(job.done, 'step')} so far"
        say(f"begun {job.begun:%Y-%m-%d %H:%M:%S} by {job.worker}, try {job.tries}{ended}")
    for name, value in (job.result or {}).items():
        if name != "faults" and value not in (None, []):
            say(f"{name}: {', '.join(map(str, value)) if isinstance(value, list) else value}")
    for fault in (job.result or {}).get("faults", ()):
        say(f"{fault['place']}: {fault['message']} [{fault['code']}]")
    if job.error:
        say(job.error)
    return FAULTY if job.state is JobState.FAILED else 0


def _cancel(options: argparse.Namespace) -> None:
    with opened(options) as office:
        job = cancel(office, login_name(), options.job)
    say(f"job {job.job_id} is canceled" if not job.is_open else f"job {job.job_id} is asked to stop")


def _retry(options: argparse.Namespace) -> None:
    with opened(options) as office:
        retry(office, login_name(), options.job)
    say(f"job {options.job} is queued again")


def _add(options: argparse.Namespace) -> None:
    kind, wish = JobKind(options.kind), dict[str, Any]()
    if kind is JobKind.BACKUP:
        if not os.path.isdir(options.folder):
            raise OfficeError(f"a backup needs a folder that is there, not {options.folder!r}: --folder FOLDER")
        wish = {"folder": os.path.abspath(options.folder)}
    if kind is JobKind.PUBLISH:
        from crosstable.office.published import month_of

        wish = {"month": str(month_of(options.month)), "basis": options.cut_off, "anyway": options.anyway}
    content = None
    if kind is JobKind.IMPORT:
        wish, content = _imported(options)
    with opened(options) as office:
        job = add_job(office, NewJob(kind, author_of(options, "queued on the command line"), wish, content))
    say(f"job {job.job_id}: {job.kind.value}, {job.state.value}")
    say("a worker does it (crosstable serve has one, or type crosstable office worker)")
    say(f"next: crosstable office jobs show {job.job_id}")


def _imported(options: argparse.Namespace) -> tuple[dict[str, Any], bytes | None]:
    """A members file, whose errors are told at once, or the folder of an archive."""
    file, folder, as_of = options.file, options.folder, options.ratings_as_of
    if bool(file) == bool(folder):
        raise OfficeError("an import needs a members file, --file FILE, or an archive, --folder FOLDER")
    if folder:
        if not os.path.isdir(folder):
            raise OfficeError(f"{folder}: there is no such folder")
        return {"archive": os.path.abspath(folder)}, None
    from crosstable.cli.office_members import read_members
    from crosstable.formats import file_bytes

    if read_members([file]) is None:
        raise RefusedError("nothing was queued", FAULTY)
    wish = {"name": os.path.basename(file), **({"as_of": as_of.isoformat()} if as_of else {})}
    return wish, file_bytes(file)


def add_schedule(made: Parser) -> None:
    """What ``office schedule`` takes."""
    from crosstable.office.schedules import SCHEDULED

    epilog = (
        "Times are UTC: 06:00 is every day, 'tuesday 06:00' every week. Supplements are published by their cut-off "
    )
    epilog += (
        "rule: 'cut-off'; a run comes a quarter of an hour before. 'off' ends a schedule; without a time it is shown."
    )
    office_command(made, _schedule, "--by", "--reason", epilog=epilog)
    made.add_argument("kind", nargs="?", choices=[kind.value for kind in SCHEDULED], help="what is to be done")
    option(made, "when TIME", "when: a time, a day of the week and a time, cut-off, or off", nargs="*")
    option(made, "--folder FOLDER", "for backups: where they are written", default="")


def _schedule(options: argparse.Namespace) -> None:
    from crosstable.office.schedules import schedules, set_schedule

    with opened(options) as office:
        if options.kind is not None and options.when:
            when = " ".join(options.when).lower()
            author = author_of(options, "schedules of the office")
            set_schedule(office, author, JobKind(options.kind), "" if when == "off" else when, options.folder)
        with office.reading() as connection:
            found = schedules(connection)
    for one in found:
        say(f"{one.kind.value}: {one.when}{f' into {one.folder}' if one.folder else ''}")
    if not found:
        say("nothing is scheduled")


def add_worker(made: Parser) -> None:
    """What ``office worker`` takes."""
    epilog = (
        "crosstable serve starts one by itself (--no-worker: not). Several may run; each job is done by one of them."
    )
    office_command(made, _worker, epilog=epilog)
    option(made, "--log FORM", "the form of the log: text or json", choices=("text", "json"), default="text")


def _worker(options: argparse.Namespace) -> None:
    """Do jobs until Ctrl-C or a signal to end; what is being done then goes back into the queue."""
    from crosstable.office.worker import Worker

    dictConfig(log_lines.settings(options.log == "json"))
    with opened(options) as office:
        worker = Worker(office)
        stop_with_signals(worker.stop)
        threading.Thread(target=_watch_parent, args=(worker.stop,), daemon=True).start()
        worker.run_all()


def stop_with_signals(stop: threading.Event) -> None:
    """Let SIGTERM and Ctrl-C end a worker in good order."""

    def told(number: int, frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, told)
    signal.signal(signal.SIGINT, told)


def _watch_parent(stop: threading.Event) -> None:
    """The worker of a site ends with the site, however that ended."""
    parent = os.environ.get(PARENT)
    while parent is not None and not stop.wait(_LOOK_EVERY):
        if os.getppid() != int(parent):
            stop.set()
