"""``office jobs``, ``office schedule``, ``office worker``: what is done beside the site, and who does it."""

import argparse
import os
import signal
import threading
from logging.config import dictConfig
from types import FrameType
from typing import Any

from crosstable import log_lines
from crosstable.cli.office_access import author_of, login_name, office_command, opened
from crosstable.cli.options import Parser, add_command, add_commands, day, option
from crosstable.cli.printing import columns, print_table, say
from crosstable.errors import FAULTY, OfficeError, RefusedError
from crosstable.office.jobs import Job, JobKind, JobState, NewJob, add_job, cancel, job_of, jobs, retry
from crosstable.sentences import counted

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
