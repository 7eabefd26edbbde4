"""Jobs: rating runs, submissions, supplements, imports, backups and verifications that wait for a worker.

A queue of our own, in the tables of the accounts, because it has to work on both stores (decision 0009). Whoever takes
a job holds it by a lease, which ends unless it is renewed: the jobs of a worker that was killed are taken by the next.
A job whose effect is in the record has a row there, written in the same transaction, so no effect comes twice.
"""

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, func, insert, or_, select, update

from crosstable.errors import OfficeError
from crosstable.office import account_tables as tables
from crosstable.office.accounts import PATIENCE, instant
from crosstable.office.database import Office
from crosstable.office.ledger.commitments import head_in
from crosstable.office.ledger.journal import Author

# So long nobody else takes a job whose worker does not answer.
LEASE = timedelta(seconds=30)
# A job whose worker ended so often in the middle of it is given up.
MOST_TRIES = 5
# Jobs that ended are forgotten after so many days; the record keeps what they did.
KEPT_DAYS = 100


class JobKind(StrEnum):
    """What a worker can do."""

    SUBMIT = "submit"
    RATE = "rate"
    PUBLISH = "publish"
    IMPORT = "import"
    BACKUP = "backup"
    VERIFY = "verify"


# Those that write the record, one after the other; the others run beside them.
WRITING = (JobKind.SUBMIT, JobKind.RATE, JobKind.PUBLISH, JobKind.IMPORT)
READING = (JobKind.BACKUP, JobKind.VERIFY)


class JobState(StrEnum):
    """How far a job is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELED = "canceled"


OPEN = (JobState.QUEUED.value, JobState.RUNNING.value)


class Job(NamedTuple):
    """A job as it stands."""

    job_id: str
    kind: JobKind
    wish: Mapping[str, Any]
    author: str
    reason: str
    affiliate: str
    state: JobState
    made: datetime
    due: datetime
    begun: datetime | None
    ended: datetime | None
    tries: int
    worker: str | None
    done: int
    is_canceled: bool
    result: Mapping[str, Any] | None
    error: str | None

    @property
    def is_open(self) -> bool:
        """Whether it waits or is being done."""
        return self.state.value in OPEN

    @property
    def title(self) -> str:
        """What it is called: a file by its name, anything else by what is done."""
        return str(self.wish.get("name", self.kind.value))

    @property
    def about(self) -> str:
        """What it is about: a file, a month, a folder; nothing where that is the whole office."""
        return next((str(self.wish[name]) for name in ("name", "month", "folder", "archive") if name in self.wish), "")

    def by(self) -> Author:
        """Who asked for it, and why."""
        return Author(self.author, self.reason)


class NewJob(NamedTuple):
    """A job to be queued; ``slot`` is the time of a schedule that it is for, which has one job at most."""

    kind: JobKind
    author: Author
    wish: Mapping[str, Any] = {}
    content: bytes | None = None
    affiliate: str = ""
    slot: str | None = None
    due: datetime | None = None


_COLUMNS = [tables.job.c[name] for name in Job._fields]


def add_job(office: Office, wanted: NewJob) -> Job:
    """Queue a job. A run rates everything that waits, so one that waits already is all that is needed."""
    with office.writing_accounts(wanted.author.actor, "a job", PATIENCE) as connection:
        return add_into(connection, office.clock(), wanted)


def add_into(connection: Connection, now: datetime, wanted: NewJob) -> Job:
    """The same inside a transaction over the accounts."""
    table = tables.job
    same: list[ColumnElement[bool]] = []
    if wanted.kind is JobKind.RATE:
        same.append((table.c.kind == wanted.kind.value) & (table.c.state == JobState.QUEUED.value))
    if wanted.slot is not None:
        same.append(table.c.slot == wanted.slot)
    if same and (found := connection.execute(_select().where(or_(*same)).limit(1)).mappings().first()):
        return _job(found)
    job_id = secrets.token_hex(6)
    row = {
        "job_id": job_id,
        "kind": wanted.kind.value,
        "wish": json.dumps(dict(wanted.wish)),
        "content": wanted.content,
        "author": wanted.author.actor,
        "reason": wanted.author.reason,
        "affiliate": wanted.affiliate,
        "slot": wanted.slot,
        "state": JobState.QUEUED.value,
        "made": instant(now),
        "due": instant(wanted.due or now),
        "tries": 0,
        "done": 0,
        "is_canceled": False,
    }
    connection.execute(insert(table), row)
    return _one(connection, job_id)


def _select() -> Select[Any]:
    return select(*_COLUMNS)


def _job(row: Mapping[Any, Any]) -> Job:
    fields = {name: row[name] for name in Job._fields}
    fields["kind"], fields["state"] = JobKind(row["kind"]), JobState(row["state"])
    for name in ("made", "due", "begun", "ended"):
        fields[name] = row[name] and datetime.fromisoformat(row[name])
    for name in ("wish", "result"):
        fields[name] = row[name] and json.loads(row[name])
    return Job(**fields)


def _one(connection: Connection, job_id: str) -> Job:
    found = connection.execute(_select().where(tables.job.c.job_id == job_id)).mappings().first()
    if found is None:
        raise OfficeError(f"there is no job {job_id}; crosstable office jobs list shows them")
    return _job(found)


def job_of(office: Office, job_id: str) -> Job | None:
    """One job, nothing where there is none."""
    with office.reading() as connection:
        found = connection.execute(_select().where(tables.job.c.job_id == job_id[:16])).mappings().first()
    return None if found is None else _job(found)


def jobs(office: Office, *, affiliate: str | None = None, is_open: bool = False, most: int = 100) -> list[Job]:
    """The newest jobs: of everybody or of one affiliate, all or those that are not at their end."""
    table = tables.job
    query = _select().order_by(table.c.made.desc(), table.c.job_id).limit(most)
    if affiliate is not None:
        query = query.where(table.c.affiliate == affiliate)
    if is_open:
        query = query.where(table.c.state.in_(OPEN))
    with office.reading() as connection:
        return [_job(row) for row in connection.execute(query).mappings()]


def waiting(office: Office) -> dict[str, int]:
    """How many jobs there are by state."""
    table = tables.job
    with office.reading() as connection:
        counted = connection.execute(select(table.c.state, func.count()).group_by(table.c.state))
        return {row[0]: row[1] for row in counted}


def content_of(office: Office, job_id: str) -> bytes | None:
    """The file that came with a job."""
    with office.reading() as connection:
        found = connection.execute(_content(job_id)).scalar()
    return None if found is None else bytes(found)


def _content(job_id: str) -> Select[Any]:
    return select(tables.job.c.content).where(tables.job.c.job_id == job_id)


def cancel(office: Office, who: str, job_id: str) -> Job:
    """Cancel a job: one that waits is never begun, one that runs is asked to stop, and stores nothing."""
    table, now = tables.job, office.clock()
    with office.writing_accounts(who, f"canceling job {job_id}", PATIENCE) as connection:
        job = _one(connection, job_id)
        if not job.is_open:
            raise OfficeError(f"job {job_id} is {job.state.value}; there is nothing to cancel")
        values: dict[str, Any] = {"is_canceled": True}
        if job.state is JobState.QUEUED:
            values |= {"state": JobState.CANCELED.value, "ended": instant(now), "error": f"canceled by {who}"}
        connection.execute(update(table).where(table.c.job_id == job_id).values(values))
        return _one(connection, job_id)


def retry(office: Office, who: str, job_id: str) -> Job:
    """Queue a job again that failed or was canceled."""
    table = tables.job
    with office.writing_accounts(who, f"job {job_id} again", PATIENCE) as connection:
        job = _one(connection, job_id)
        if job.state not in (JobState.FAILED, JobState.CANCELED):
            raise OfficeError(f"job {job_id} is {job.state.value}; only one that failed or was canceled is tried again")
        if "name" in job.wish and connection.execute(_content(job_id)).scalar() is None:
            raise OfficeError(f"the file of job {job_id} is no longer kept; send it again")
        again = {"state": JobState.QUEUED.value, "tries": 0, "due": instant(office.clock()), "is_canceled": False}
        empty = dict.fromkeys(("begun", "ended", "worker", "lease", "result", "error"))
        connection.execute(update(table).where(table.c.job_id == job_id).values({**again, **empty, "done": 0}))
        return _one(connection, job_id)


# What a worker does with them.


def _is_free(now: datetime, kinds: Sequence[JobKind]) -> ColumnElement[bool]:
    table = tables.job
    waits = and_(table.c.state == JobState.QUEUED.value, table.c.due <= instant(now))
    is_left = and_(table.c.state == JobState.RUNNING.value, table.c.lease <= instant(now))
    return and_(table.c.kind.in_([kind.value for kind in kinds]), or_(waits, is_left))


def claim(office: Office, worker: str, kinds: Sequence[JobKind], lease: timedelta = LEASE) -> Job | None:
    """Take the job that has waited longest, one whose worker no longer answers included; nothing where none waits."""
    table, now = tables.job, office.clock()
    query = _select().where(_is_free(now, kinds)).order_by(table.c.made, table.c.job_id).limit(1)
    with office.reading() as connection:  # usually there is nothing, and nobody has to be locked out to see that
        if connection.execute(query).first() is None:
            return None
    with office.writing_accounts(worker, "taking a job", PATIENCE) as connection:
        found = connection.execute(query).mappings().first()
        if found is None:
            return None
        values: dict[str, Any] = {
            "state": JobState.RUNNING.value,
            "worker": worker[:100],
            "lease": instant(now + lease),
            "begun": instant(now),
            "tries": found["tries"] + 1,
        }
        is_given_up = found["tries"] >= MOST_TRIES or found["is_canceled"]
        if is_given_up:
            said = "canceled" if found["is_canceled"] else f"its worker ended {MOST_TRIES} times in the middle of it"
            state = JobState.CANCELED if found["is_canceled"] else JobState.FAILED
            values = {"state": state.value, "error": said, "ended": instant(now), "lease": None}
        connection.execute(update(table).where(table.c.job_id == found["job_id"]).values(values))
        return None if is_given_up else _one(connection, found["job_id"])


class LostJobError(OfficeError):
    """A job is no longer this worker's: it was canceled, or another one has taken it over."""


def renew(office: Office, job: Job, done: int, lease: timedelta = LEASE) -> None:
    """Keep a job a while longer, and say how far it is; raises ``LostJobError`` where it shall not go on."""
    table = tables.job
    with office.writing_accounts(job.worker or "", "a job", PATIENCE) as connection:
        until = instant(office.clock() + lease)
        mine = _is_mine(job)
        if not connection.execute(update(table).where(mine).values(lease=until, done=done)).rowcount:
            raise LostJobError(f"job {job.job_id} was taken over by another worker")
        is_canceled = connection.execute(select(table.c.is_canceled).where(mine)).scalar()
    if is_canceled:
        raise LostJobError(f"job {job.job_id} was canceled")


def _is_mine(job: Job) -> ColumnElement[bool]:
    table = tables.job
    is_same = (table.c.worker == job.worker) & (table.c.tries == job.tries)
    return (table.c.job_id == job.job_id) & is_same & (table.c.state == JobState.RUNNING.value)


def end(
    office: Office,
    job: Job,
    state: JobState,
    result: Mapping[str, Any] | None,
    error: str = "",
    then: NewJob | None = None,
) -> None:
    """Write down what came of a job, and queue what follows from it; nothing where it is somebody else's by now."""
    table, now = tables.job, office.clock()
    values = {
        "state": state.value,
        "ended": instant(now),
        "lease": None,
        "result": None if result is None else json.dumps(dict(result)),
        "error": error or None,
    }
    if state is JobState.DONE:
        values["content"] = None  # the record has it
    with office.writing_accounts(job.worker or "", "a job", PATIENCE) as connection:
        if not connection.execute(update(table).where(_is_mine(job)).values(values)).rowcount:
            return
        if then is not None:
            add_into(connection, now, then)
        old = instant(now - timedelta(days=KEPT_DAYS))
        connection.execute(table.delete().where(table.c.ended <= old))


def put_back(office: Office, job: Job) -> None:
    """Let a job wait again, where it was: somebody else was writing, or this worker was told to stop."""
    table = tables.job
    values = {"state": JobState.QUEUED.value, "lease": None, "tries": job.tries - 1}
    with office.writing_accounts(job.worker or "", "a job", PATIENCE) as connection:
        connection.execute(update(table).where(_is_mine(job)).values(values))


# One effect a job.


class FinishedError(Exception):
    """The effect of a job is in the record already: it was killed after it had stored it."""

    def __init__(self, act: int) -> None:
        super().__init__(act)
        self.act = act


def once(office: Office, job: Job, patience: float) -> Office:
    """The office for one job: what its transaction writes is marked as the job's, and is not written a second time."""
    table = tables.finished_job

    @contextmanager
    def guard(connection: Connection) -> Iterator[None]:
        found = connection.execute(select(table.c.act).where(table.c.job_id == job.job_id)).scalar()
        if found is not None:
            raise FinishedError(found)
        before = head_in(connection)[0]
        yield
        if head_in(connection)[0] > before:
            connection.execute(insert(table), {"job_id": job.job_id, "act": before + 1})

    return office.guarded(guard, patience)
