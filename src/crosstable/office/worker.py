"""The worker: takes jobs one after the other, does them, and writes down what came of them.

``crosstable serve`` starts one beside the site, ``crosstable office worker`` is one by itself. A worker may be killed
at any time: what it was doing is rolled back, or is in the record with the job's mark, and the next one takes it up.
"""

import logging
import os
import secrets
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from crosstable.errors import CrosstableError, Fault, FormatError, OfficeBusyError, OfficeError
from crosstable.formats import members as members_format
from crosstable.office.address import KEY_VARIABLE
from crosstable.office.audit import NOTHING_KEPT, verify
from crosstable.office.backups import backup
from crosstable.office.checking import Sender
from crosstable.office.consent import is_consent_on
from crosstable.office.database import Office
from crosstable.office.effects import submit_first
from crosstable.office.jobs import (
    LEASE,
    READING,
    WRITING,
    FinishedError,
    Job,
    JobKind,
    JobState,
    LostJobError,
    NewJob,
    add_job,
    claim,
    content_of,
    end,
    once,
    put_back,
    renew,
)
from crosstable.office.late_facts import divided
from crosstable.office.ledger.journal import Author, act_of
from crosstable.office.ledger.rerate import rerate
from crosstable.office.ledger.runs import Progress, StageClock, Watch
from crosstable.office.members import import_members
from crosstable.office.members_files import StartingRatingOptions, birth_faults, taken, without_ratings
from crosstable.office.published import month_of
from crosstable.office.schedules import due_jobs
from crosstable.office.submissions import Document, Status, Submission, SubmitOptions, document_of_bytes
from crosstable.office.supplements import Basis, publish, require_publishable
from crosstable.office.views import known
from crosstable.pipeline.results import fault_object
from crosstable.sentences import counted

LOG = logging.getLogger("crosstable.worker")
# How long a job waits for another writer before it goes back into the queue, in seconds.
PATIENCE = 5.0
# So often one looks for a job where nobody says that there is one, and whether a schedule is due, in seconds.
EVERY = 0.5
SCHEDULES_EVERY = 30.0
MOST_FINDINGS = 50


class Told(NamedTuple):
    """What came of a job, and what follows from it; with ``error`` it has failed, for good."""

    result: Mapping[str, Any] | None
    error: str = ""
    then: NewJob | None = None


Work = Callable[[Office, Job, Progress], Told]


def _submit(office: Office, job: Job, progress: Progress) -> Told:
    wish, content = job.wish, content_of(office, job.job_id)
    assert content is not None
    document = of_affiliate(document_of_bytes(content, wish["name"]), wish["affiliate"])
    names = frozenset((section, number) for section, number in wish["names"])
    sender = Sender(wish["is_director"], names, frozenset(wish.get("newcomers", ())))
    options = SubmitOptions(wish["adds_members"], wish["takes_openings"], sender)
    made = submit_first(once(office, job, PATIENCE), job.by(), document, office.clock().date(), options)
    result = {
        "status": made.status.value,
        "event": made.event_id,
        "name": made.event_name,
        "entry": made.act or None,
        "accepted": made.accepted,
        "held": [one.number for one in made.held],
        "faults": [fault_object(one) for one in made.faults],
    }
    if made.status is Status.REFUSED:
        return Told(result, "the event has errors; nothing was stored")
    if made.status is Status.DIFFERS:
        return Told(result, made.message)
    return Told(result, then=_run_after(job, made))


def submission_wish(document: Document, affiliate: str, options: SubmitOptions) -> dict[str, Any]:
    """What a job has to know of a submission beside the file."""
    return {
        "name": document.name,
        "affiliate": affiliate,
        "is_director": options.sender.is_director,
        "names": sorted(options.sender.names),
        "newcomers": sorted(options.sender.newcomers),
        "adds_members": options.adds_members,
        "takes_openings": options.takes_openings,
    }


def of_affiliate(document: Document, affiliate: str) -> Document:
    """A file as an affiliate's, where it names none."""
    report = document.reading.report
    if not affiliate or report.details.get("affiliate"):
        return document
    changed = report._replace(details={**report.details, "affiliate": affiliate})
    return document._replace(reading=document.reading._replace(report=changed))


def _run_after(job: Job, made: Submission | None) -> NewJob | None:
    """What was stored is rated next; of a job that was killed after it had stored, nobody knows more."""
    if made is not None and not made.accepted:
        return None
    return NewJob(JobKind.RATE, Author(job.author, f"after job {job.job_id}"), affiliate=job.affiliate)


def _rate(office: Office, job: Job, progress: Progress) -> Told:
    run = rerate(office, job.by(), patience=PATIENCE, watch=Watch(progress, StageClock()))
    if run is None:
        return Told({"run": None})
    found = {"run": run.act, "sections": run.sections, "postings": run.postings, "changes": len(run.ripple)}
    return Told({**found, "unratable": len(run.unratable)})


def _require_alone(office: Office, what: str) -> None:
    """A worker is nobody's second person."""
    with office.reading() as connection:
        if is_consent_on(connection, office.clock()):
            raise OfficeError(f"consent is on, and {what} takes two people; propose it with an account")


def _publish(office: Office, job: Job, progress: Progress) -> Told:
    _require_alone(office, f"the supplement of {job.wish['month']}")
    basis = Basis(job.wish.get("basis", Basis.RULE.value))
    month = month_of(job.wish["month"])
    require_publishable(office, month, basis, anyway=job.wish.get("anyway", False))
    made = publish(once(office, job, PATIENCE), job.by(), month, basis)
    return Told({"month": made.month, "entry": made.act, "rows": made.rows})


def _import(office: Office, job: Job, progress: Progress) -> Told:
    if "archive" in job.wish:
        return _import_archive(office, job, progress)
    content = content_of(office, job.job_id)
    assert content is not None
    name = job.wish["name"]
    found = members_format.read(content, name)
    faults = [*found.faults, *birth_faults(found, office.clock().date())]
    if any(one.severity.stops for one in faults):
        return Told({"faults": [fault_object(one) for one in faults]}, f"{name} has errors; nothing was stored")
    if not job.wish.get("takes_ratings", True):
        found = without_ratings(found)
    as_of = date.fromisoformat(job.wish["as_of"]) if "as_of" in job.wish else None
    with office.reading() as connection:
        record = known(connection).record
        what = taken(record, found, name, StartingRatingOptions(as_of))
        by_two = divided(record, what.people).by_two
    if what.openings:
        _require_alone(office, "starting ratings")
    if by_two:
        _require_alone(office, "what is new about members who were rated in a published period")
    made = import_members(once(office, job, PATIENCE), job.by(), what.people, what.openings)
    result = {"entry": made.act, "new": made.new, "changed": made.changed, "unchanged": made.unchanged}
    return Told(result, then=_run_after(job, None) if made.act else None)


def _import_archive(office: Office, job: Job, progress: Progress) -> Told:
    """A whole archive into an office that is empty still: the longest import there is."""
    from crosstable.office.bulk.archive_in import import_archive

    _require_alone(office, "an archive with its starting ratings")
    made = import_archive(once(office, job, PATIENCE), job.by(), job.wish["archive"], progress)
    result = {"members": made.members, "events": made.events, "sections": made.sections, "games": made.games}
    return Told(result, then=_run_after(job, None))


def _backup(office: Office, job: Job, progress: Progress) -> Told:
    path = os.path.join(job.wish["folder"], f"office-{office.clock():%Y%m%d-%H%M%S}.zip")
    made = backup(office, path, progress, os.environ.get(KEY_VARIABLE, ""))
    return Told({"file": path, "entries": made.acts, "head": made.head})


def _verify(office: Office, job: Job, progress: Progress) -> Told:
    found = verify(office.url, NOTHING_KEPT, progress)
    result = {
        "entries": found.acts,
        "head": found.head,
        "findings": [one.what for one in found.findings[:MOST_FINDINGS]],
    }
    error = f"{counted(len(found.findings), 'difference')} found; crosstable office verify shows all"
    return Told(result, error if found.findings else "")


WORK: Mapping[JobKind, Work] = {
    JobKind.SUBMIT: _submit,
    JobKind.RATE: _rate,
    JobKind.PUBLISH: _publish,
    JobKind.IMPORT: _import,
    JobKind.BACKUP: _backup,
    JobKind.VERIFY: _verify,
}


class _Held:
    """A job that is being done: a thread renews its lease, and the work stops where it shall not go on."""

    def __init__(self, office: Office, job: Job, lease: timedelta, stop: threading.Event) -> None:
        self.office, self.job, self.lease, self.stop = office, job, lease, stop
        self.done = 0
        self.lost: LostJobError | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._renew, name=f"job {job.job_id}", daemon=True)

    def __enter__(self) -> "_Held":
        self._thread.start()
        return self

    def __exit__(self, *what: object) -> None:
        self._over.set()
        self._thread.join()

    def _renew(self) -> None:
        while not self._over.wait(self.lease.total_seconds() / 3):
            try:
                renew(self.office, self.job, self.done, self.lease)
            except LostJobError as error:
                self.lost = error
                return
            except OfficeError as error:  # it is tried again; if it stays so, another worker takes over
                LOG.warning("the lease of job %s could not be renewed: %s", self.job.job_id, error)

    def progress(self, done: int) -> None:
        """Say how far the work is; raises where it shall not go on."""
        self.done = done
        if self.lost is not None:
            raise self.lost
        if self.stop.is_set():
            raise _StoppedError


class _StoppedError(Exception):
    """This worker was told to stop in the middle of a job, which goes back into the queue."""


class Worker:
    """Does the jobs of an office until it is told to stop."""

    def __init__(self, office: Office, lease: timedelta = LEASE) -> None:
        self.office = office
        self.lease = lease
        self.name = f"{socket.gethostname()[:60]} process {os.getpid()} {secrets.token_hex(3)}"
        self.stop = threading.Event()

    def plan(self) -> None:
        """Queue what a schedule asks for."""
        with self.office.reading() as connection:
            due = list(due_jobs(connection, self.office.clock()))
        for one in due:
            add_job(self.office, one)

    def step(self, kinds: Sequence[JobKind] = (*WRITING, *READING)) -> bool:
        """Do one job, if there is one; whether it was done, whatever came of it."""
        job = claim(self.office, self.name, kinds, self.lease)
        if job is None:
            return False
        LOG.info("job %s (%s) begins", job.job_id, job.kind.value)
        with _Held(self.office, job, self.lease, self.stop) as held:
            return self._do(job, held)

    def _do(self, job: Job, held: _Held) -> bool:
        try:
            told = WORK[job.kind](self.office, job, held.progress)
        except FinishedError as found:
            told = self._found(job, found.act)
        except (OfficeBusyError, _StoppedError):
            put_back(self.office, job)
            return False
        except LostJobError as error:
            end(self.office, job, JobState.CANCELED, None, str(error))
            return True
        except Exception as error:  # whatever it is, the next job is done all the same
            if not isinstance(error, CrosstableError | OSError):
                LOG.exception("job %s failed", job.job_id)
            told = Told(_faults(error), _sentence(error))
        if told.error:
            LOG.warning("job %s (%s) failed: %s", job.job_id, job.kind.value, told.error)
        state = JobState.FAILED if told.error else JobState.DONE
        end(self.office, job, state, told.result, told.error, told.then)
        return True

    def _found(self, job: Job, act: int) -> Told:
        """What is known of a job whose effect was stored before its worker was killed: the journal entry."""
        with self.office.reading() as connection:
            entry = act_of(connection, act)
        assert entry is not None
        follows = job.kind in (JobKind.SUBMIT, JobKind.IMPORT)
        result = {"entry": act, "event" if job.kind is JobKind.SUBMIT else "subject": entry.subject}
        result |= {"status": Status.ACCEPTED.value} if job.kind is JobKind.SUBMIT else {}
        return Told(result, then=_run_after(job, None) if follows else None)

    def run(self, kinds: Sequence[JobKind], every: float = EVERY) -> None:
        """Do jobs until told to stop."""
        wait = 0.0
        while not self.stop.wait(wait):
            try:
                wait = 0.0 if self.step(kinds) else every
            except OfficeError as error:
                LOG.warning("the office cannot be reached, and is asked again: %s", error)
                wait = 10 * every

    def run_all(self, every: float = EVERY) -> None:
        """Do jobs that write the record and jobs that only read it beside each other, and look at the schedules."""
        lanes = [threading.Thread(target=self.run, args=(kinds, every), daemon=True) for kinds in (WRITING, READING)]
        for one in lanes:
            one.start()
        wait = 0.0
        while not self.stop.wait(wait):
            try:
                self.plan()
            except OfficeError as error:
                LOG.warning("the schedules cannot be read, and are tried again: %s", error)
            wait = SCHEDULES_EVERY
        for one in lanes:
            one.join()


def _faults(error: Exception) -> dict[str, Any] | None:
    found: list[Fault] = [error.fault] if isinstance(error, FormatError) else []
    return {"faults": [fault_object(one) for one in found]} if found else None


def _sentence(error: Exception) -> str:
    if isinstance(error, CrosstableError):
        return str(error)
    if isinstance(error, OSError):
        return f"{error.filename or 'a file'}: {error.strerror or error}"
    return "the program met an error of its own; the log of the worker has the details"
