"""Jobs: queued, taken by a lease, done once whatever happens to the worker, canceled, tried again, scheduled."""

import json
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select

from crosstable.errors import OfficeError
from crosstable.office import account_tables, tables, worker
from crosstable.office.backups import backup, restore
from crosstable.office.bulk.archive_out import export_archive
from crosstable.office.database import Office
from crosstable.office.jobs import (
    KEPT_DAYS,
    LEASE,
    MOST_TRIES,
    WRITING,
    Job,
    JobKind,
    JobState,
    LostJobError,
    NewJob,
    add_job,
    cancel,
    claim,
    content_of,
    end,
    job_of,
    jobs,
    renew,
    retry,
    waiting,
)
from crosstable.office.ledger.journal import EntryKind, acts
from crosstable.office.ledger.rerate import last_run, rerate
from crosstable.office.ledger.runs import Progress
from crosstable.office.schedules import due_jobs, schedules, set_schedule
from crosstable.office.submissions import NO_OPTIONS, Document, SubmitOptions
from crosstable.office.worker import Told, Worker, submission_wish
from tests.office.conftest import CopyOf
from tests.office.made_office import AUTHOR, HandClock, club_members, document, enter, founded, join, quad


def a_club(office: Office) -> None:
    join(office, *club_members())


@pytest.fixture
def club(copy_of: CopyOf) -> Office:
    return copy_of(a_club)


def submission(sent: Document, options: SubmitOptions = NO_OPTIONS, affiliate: str = "") -> NewJob:
    wish = submission_wish(sent, affiliate, options)
    return NewJob(JobKind.SUBMIT, AUTHOR, wish, sent.content, affiliate)


def state_of(office: Office, job: Job) -> Job:
    found = job_of(office, job.job_id)
    assert found is not None
    return found


def entries(office: Office) -> list[EntryKind]:
    with office.reading() as connection:
        return [entry.kind for entry in acts(connection)]


def done(office: Office) -> Worker:
    """A worker that did all there is."""
    made = Worker(office)
    while made.step():
        pass
    return made


def test_a_submission_is_stored_and_rated_by_a_worker(club: Office) -> None:
    job = add_job(club, submission(document(quad("q")), affiliate="A1234567"))
    assert (job.state, job.tries, job.is_open) == (JobState.QUEUED, 0, True)
    assert content_of(club, job.job_id) == document(quad("q")).content
    before = len(entries(club))
    done(club)
    found = state_of(club, job)
    assert (found.state, found.error, found.result and found.result["accepted"]) == (JobState.DONE, None, [1])
    assert content_of(club, job.job_id) is None
    assert entries(club)[before:] == [EntryKind.SUBMIT, EntryKind.RATE]
    run = jobs(club)[0] if jobs(club)[0].kind is JobKind.RATE else jobs(club)[1]
    assert run.result is not None
    with club.reading() as connection:
        assert run.result["run"] == last_run(connection)
        details = connection.execute(select(tables.event.c.details)).scalar_one()
    assert json.loads(details)["affiliate"] == "A1234567"
    assert waiting(club) == {"done": 2}


def test_a_refused_submission_says_why_and_stores_nothing(club: Office) -> None:
    bad = document(quad("an event"))  # which cannot be an id
    job, before = add_job(club, submission(bad)), entries(club)
    done(club)
    found = state_of(club, job)
    assert found.state is JobState.FAILED
    assert found.error == "the event has errors; nothing was stored"
    assert found.result is not None
    assert found.result["faults"]
    assert entries(club) == before


def test_the_same_file_twice_is_known_and_nothing_is_rated_again(club: Office, clock: HandClock) -> None:
    first = add_job(club, submission(document(quad("q"))))
    clock.now += timedelta(seconds=1)
    second = add_job(club, submission(document(quad("q"))))
    done(club)
    said = [state_of(club, one).result for one in (first, second)]
    assert [one and one["status"] for one in said] == ["accepted", "known"]
    assert entries(club).count(EntryKind.SUBMIT) == 1


def test_a_worker_that_was_killed_before_it_stored_anything_is_replaced(club: Office, clock: HandClock) -> None:
    job = add_job(club, submission(document(quad("q"))))
    assert claim(club, "killed", WRITING) is not None
    assert not Worker(club).step(), "it has a lease"
    clock.now += LEASE
    done(club)
    assert state_of(club, job).state is JobState.DONE
    assert state_of(club, job).tries == 2
    assert entries(club).count(EntryKind.SUBMIT) == 1


def test_a_worker_that_was_killed_after_it_had_stored_is_replaced_and_nothing_comes_twice(
    club: Office, clock: HandClock
) -> None:
    job = add_job(club, submission(document(quad("q"))))
    taken = claim(club, "killed", WRITING)
    assert taken is not None
    worker.WORK[JobKind.SUBMIT](club, taken, lambda _: None)
    before = entries(club)
    assert before[-1] is EntryKind.SUBMIT
    clock.now += LEASE
    done(club)
    found = state_of(club, job)
    assert (found.state, found.result) == (
        JobState.DONE,
        {"entry": len(before), "event": "q", "status": "accepted"},
    )
    assert entries(club) == [*before, EntryKind.RATE]
    end(club, taken, JobState.FAILED, None, "the killed one awakes")
    assert state_of(club, job) == found


@pytest.mark.parametrize("kind", [JobKind.PUBLISH, JobKind.IMPORT])
def test_other_effects_come_once_too(club: Office, clock: HandClock, kind: JobKind) -> None:
    content = b"id,name\n20000001,Newcomer Nora\n"
    wish = {"month": "2026-11", "basis": "now"} if kind is JobKind.PUBLISH else {"name": "new.csv"}
    rerate(club, AUTHOR)
    job = add_job(club, NewJob(kind, AUTHOR, wish, content))
    taken = claim(club, "killed", WRITING)
    assert taken is not None
    assert worker.WORK[kind](club, taken, lambda _: None).error == ""
    before = entries(club)
    clock.now += LEASE
    Worker(club).step()
    found = state_of(club, job)
    assert (found.state, found.result and found.result["entry"]) == (JobState.DONE, len(before))
    assert entries(club) == before


def test_a_job_whose_worker_always_dies_is_given_up(club: Office, clock: HandClock) -> None:
    job = add_job(club, NewJob(JobKind.RATE, AUTHOR))
    for _ in range(MOST_TRIES):
        assert claim(club, "killed", WRITING) is not None
        clock.now += LEASE
    assert claim(club, "killed", WRITING) is None
    found = state_of(club, job)
    assert (found.state, found.error) == (JobState.FAILED, "its worker ended 5 times in the middle of it")
    assert retry(club, "anna", job.job_id).tries == 0
    done(club)
    assert state_of(club, job).result == {"run": None} or state_of(club, job).state is JobState.DONE


def test_a_lease_is_renewed_and_lost(club: Office, clock: HandClock) -> None:
    job = add_job(club, NewJob(JobKind.RATE, AUTHOR))
    first = claim(club, "first", WRITING)
    assert first is not None
    clock.now += LEASE / 2
    renew(club, first, 7)
    assert state_of(club, job).done == 7
    clock.now += LEASE / 2
    assert claim(club, "second", WRITING) is None
    clock.now += LEASE
    assert claim(club, "second", WRITING) is not None
    with pytest.raises(LostJobError, match="taken over"):
        renew(club, first, 8)


def test_one_that_waits_is_canceled_at_once(club: Office) -> None:
    job = add_job(club, submission(document(quad("q"))))
    assert cancel(club, "anna", job.job_id).state is JobState.CANCELED
    with pytest.raises(OfficeError, match="is canceled; there is nothing to cancel"):
        cancel(club, "anna", job.job_id)
    with pytest.raises(OfficeError, match="there is no job nothing"):
        cancel(club, "anna", "nothing")
    done(club)
    assert EntryKind.SUBMIT not in entries(club)
    assert retry(club, "anna", job.job_id).state is JobState.QUEUED
    with pytest.raises(OfficeError, match="only one that failed or was canceled"):
        retry(club, "anna", job.job_id)
    done(club)
    assert EntryKind.SUBMIT in entries(club)


@contextmanager
def working(monkeypatch: pytest.MonkeyPatch, work: worker.Work, kind: JobKind = JobKind.RATE) -> Iterator[None]:
    with monkeypatch.context() as patched:
        patched.setattr(worker, "WORK", {**worker.WORK, kind: work})
        yield


def test_one_that_runs_is_asked_to_stop_and_stores_nothing(club: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(club, quad("q"))
    job, before = add_job(club, NewJob(JobKind.RATE, AUTHOR)), entries(club)
    real = worker.WORK[JobKind.RATE]

    def work(office: Office, taken: Job, progress: Progress) -> Told:
        cancel(office, "anna", taken.job_id)
        with pytest.raises(LostJobError):
            renew(office, taken, 1)

        def told(number: int) -> None:
            raise LostJobError("canceled by anna")

        return real(office, taken, told)

    with working(monkeypatch, work):
        assert Worker(club).step()
    assert state_of(club, job).state is JobState.CANCELED
    assert entries(club) == before


def test_the_thread_that_renews_the_lease_stops_a_canceled_job(club: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    job = add_job(club, NewJob(JobKind.RATE, AUTHOR))

    def work(office: Office, taken: Job, progress: Progress) -> Told:
        progress(3)
        cancel(office, "anna", taken.job_id)
        while True:  # a long run that says how far it is
            progress(3)

    with working(monkeypatch, work):
        assert Worker(club, timedelta(milliseconds=30)).step()
    found = state_of(club, job)
    assert (found.state, found.done) == (JobState.CANCELED, 3)


def test_a_worker_that_is_told_to_stop_puts_its_job_back(club: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    job = add_job(club, NewJob(JobKind.RATE, AUTHOR))
    one = Worker(club)

    def work(office: Office, taken: Job, progress: Progress) -> Told:
        one.stop.set()
        progress(1)
        raise AssertionError

    with working(monkeypatch, work):
        one.step()
    assert (state_of(club, job).state, state_of(club, job).tries) == (JobState.QUEUED, 0)
    done(club)
    assert state_of(club, job).state is JobState.DONE


def test_a_job_waits_while_somebody_writes_the_record(
    club: Office, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "PATIENCE", 0.0)
    job = add_job(club, submission(document(quad("q"))))
    clock.now += timedelta(seconds=1)
    with club.writing("registrar", "a long run"):
        later = add_job(club, submission(document(quad("r"))))
        assert not Worker(club).step()
        found = state_of(club, job)
        assert (found.state, found.tries) == (JobState.QUEUED, 0)
    clock.now += timedelta(seconds=1)
    assert Worker(club).step()
    assert state_of(club, later).state is JobState.QUEUED, "it came later"
    done(club)
    assert state_of(club, job).state is JobState.DONE


def test_an_error_of_our_own_fails_the_job_and_not_the_worker(club: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    job = add_job(club, NewJob(JobKind.RATE, AUTHOR))

    def work(office: Office, taken: Job, progress: Progress) -> Told:
        raise ZeroDivisionError

    with working(monkeypatch, work):
        assert Worker(club).step()
    assert state_of(club, job).error == "the program met an error of its own; the log of the worker has the details"


def test_runs_that_wait_are_one(club: Office) -> None:
    assert add_job(club, NewJob(JobKind.RATE, AUTHOR)).job_id == add_job(club, NewJob(JobKind.RATE, AUTHOR)).job_id
    assert claim(club, "first", WRITING) is not None
    add_job(club, NewJob(JobKind.RATE, AUTHOR))
    assert waiting(club) == {"queued": 1, "running": 1}


def test_a_backup_and_a_verification(club: Office, tmp_path: Path) -> None:
    kept = add_job(club, NewJob(JobKind.BACKUP, AUTHOR, {"folder": str(tmp_path)}))
    sound = add_job(club, NewJob(JobKind.VERIFY, AUTHOR))
    lost = add_job(club, NewJob(JobKind.BACKUP, AUTHOR, {"folder": str(tmp_path / "nowhere")}))
    assert not Worker(club).step(WRITING)
    done(club)
    result = state_of(club, kept).result
    assert result is not None
    assert Path(result["file"]).is_file()
    assert result["entries"] == len(entries(club))
    verified = state_of(club, sound)
    assert (verified.state, verified.result and verified.result["findings"]) == (JobState.DONE, [])
    assert state_of(club, lost).state is JobState.FAILED
    assert "No such file or directory" in (state_of(club, lost).error or "")


def test_jobs_that_wait_are_in_a_backup_and_are_done_where_it_is_restored(club: Office, tmp_path: Path) -> None:
    """One that was stored before the backup was made is not stored again, though nobody had written down its end."""
    ended = add_job(club, NewJob(JobKind.RATE, AUTHOR))
    done(club)
    stored = add_job(club, submission(document(quad("q"))))
    taken = claim(club, "killed", WRITING)
    assert taken is not None
    worker.WORK[JobKind.SUBMIT](club, taken, lambda _: None)
    waits = add_job(club, submission(document(quad("r"))))
    backup(club, str(tmp_path / "office.zip"))
    address = str(tmp_path / "again.db")
    restore(str(tmp_path / "office.zip"), address)
    clock = HandClock()
    clock.now += LEASE
    with closing(Office(address, clock)) as again:
        assert job_of(again, ended.job_id) is None
        done(again)
        for one in (stored, waits):
            assert state_of(again, one).state is JobState.DONE
        assert entries(again).count(EntryKind.SUBMIT) == 2


def test_jobs_that_ended_are_forgotten_when_they_are_old(club: Office, clock: HandClock) -> None:
    old = add_job(club, NewJob(JobKind.RATE, AUTHOR))
    done(club)
    clock.now += timedelta(days=KEPT_DAYS)
    add_job(club, NewJob(JobKind.RATE, AUTHOR))
    done(club)
    assert job_of(club, old.job_id) is None
    assert len(jobs(club)) == 1


def test_the_jobs_of_an_affiliate(club: Office) -> None:
    add_job(club, submission(document(quad("q")), affiliate="A1234567"))
    add_job(club, submission(document(quad("r")), affiliate="B1234567"))
    assert [one.affiliate for one in jobs(club, affiliate="A1234567")] == ["A1234567"]
    assert len(jobs(club, is_open=True)) == 2
    assert len(jobs(club, most=1)) == 1


def test_many_workers_do_every_job_once(club: Office) -> None:
    for number in range(12):
        add_job(club, submission(document(quad(f"q{number}"))))
    threads = [threading.Thread(target=done, args=(club,)) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    done(club)
    assert waiting(club).keys() == {"done"}
    assert entries(club).count(EntryKind.SUBMIT) == 12
    with club.reading() as connection:
        assert connection.execute(select(func.count()).select_from(account_tables.finished_job)).scalar() == 12


# Schedules.


def due(office: Office, clock: HandClock) -> list[tuple[JobKind, str | None]]:
    with office.reading() as connection:
        return [(one.kind, one.slot) for one in due_jobs(connection, clock.now)]


def test_a_weekly_run_is_queued_once_when_its_time_has_come(club: Office, clock: HandClock) -> None:
    clock.now = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)  # a Monday
    set_schedule(club, AUTHOR, JobKind.RATE, "tuesday 06:00")
    assert due(club, clock) == []
    clock.now = datetime(2026, 11, 17, 5, 59, tzinfo=UTC)
    assert due(club, clock) == []
    clock.now = datetime(2026, 11, 19, 8, 0, tzinfo=UTC)  # nothing ran on Tuesday
    assert due(club, clock) == [(JobKind.RATE, "rate 2026-11-17T06:00")]
    for _ in range(2):
        Worker(club).plan()
        done(club)
    assert len(jobs(club)) == 1
    clock.now = datetime(2026, 11, 24, 6, 0, tzinfo=UTC)
    assert due(club, clock) == [(JobKind.RATE, "rate 2026-11-24T06:00")]
    set_schedule(club, AUTHOR, JobKind.RATE, "")
    assert due(club, clock) == []


def test_the_supplement_comes_by_its_cut_off_rule(club: Office, clock: HandClock) -> None:
    """The December list of 2026 has its cut-off on the third Wednesday of November, 23:45 Central: 05:45 UTC."""
    clock.now = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
    for event_id in ("q", "r"):  # six games: a rating on fewer than four is on no list
        add_job(club, submission(document(quad(event_id))))
    done(club)
    set_schedule(club, AUTHOR, JobKind.PUBLISH, "cut-off")
    assert due(club, clock) == []
    clock.now = datetime(2026, 11, 19, 5, 30, tzinfo=UTC)
    assert due(club, clock) == [(JobKind.RATE, "rate before 2026-12")]
    clock.now = datetime(2026, 11, 19, 5, 45, tzinfo=UTC)
    assert due(club, clock) == [(JobKind.PUBLISH, "publish 2026-12")]
    Worker(club).plan()
    done(club)
    with club.reading() as connection:
        assert connection.execute(select(tables.supplement.c.month)).scalars().all() == ["2026-12"]
    assert due(club, clock) == []


def test_no_schedule_publishes_an_empty_list(club: Office, clock: HandClock) -> None:
    """It could never be changed; it is tried once, the failed job says why, and no later day tries that month again."""
    clock.now = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
    set_schedule(club, AUTHOR, JobKind.PUBLISH, "cut-off")
    clock.now = datetime(2026, 11, 19, 5, 45, tzinfo=UTC)
    Worker(club).plan()
    done(club)
    (failed,) = (job for job in jobs(club) if job.kind is JobKind.PUBLISH)
    with club.reading() as connection:
        assert connection.execute(select(func.count()).select_from(tables.supplement)).scalar() == 0
    assert failed.state is JobState.FAILED
    assert failed.error is not None
    assert "would be empty" in failed.error
    clock.now += timedelta(days=1)
    Worker(club).plan()
    assert [job.job_id for job in jobs(club) if job.kind is JobKind.PUBLISH] == [failed.job_id]


def test_backups_and_verifications_have_times(club: Office, clock: HandClock, tmp_path: Path) -> None:
    clock.now = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
    set_schedule(club, AUTHOR, JobKind.BACKUP, "03:00", str(tmp_path))
    set_schedule(club, AUTHOR, JobKind.VERIFY, "sunday 04:00")
    clock.now = datetime(2026, 11, 17, 2, 59, tzinfo=UTC)
    assert due(club, clock) == [(JobKind.BACKUP, "backup 2026-11-16T03:00")]
    with club.reading() as connection:
        assert [(one.kind, one.when, one.folder) for one in schedules(connection)] == [
            (JobKind.BACKUP, "03:00", str(tmp_path)),
            (JobKind.VERIFY, "sunday 04:00", ""),
        ]


@pytest.mark.parametrize(
    ("kind", "when", "said"),
    [
        (JobKind.RATE, "someday 06:00", "no time of a schedule"),
        (JobKind.RATE, "25:00", "no time of a schedule"),
        (JobKind.RATE, "cut-off", "a rate has no cut-off"),
        (JobKind.PUBLISH, "06:00", "by the cut-off rule"),
        (JobKind.BACKUP, "06:00", "need a folder"),
    ],
)
def test_a_schedule_that_makes_no_sense_is_refused(club: Office, kind: JobKind, when: str, said: str) -> None:
    before = entries(club)
    with pytest.raises(OfficeError, match=said):
        set_schedule(club, AUTHOR, kind, when)
    assert entries(club) == before


def test_a_worker_runs_until_it_is_told_to_stop(club: Office) -> None:
    one = Worker(club)
    thread = threading.Thread(target=one.run_all, args=(0.01,))
    thread.start()
    job = add_job(club, submission(document(quad("q"))))
    rated = threading.Event()
    while not rated.is_set():
        if state_of(club, job).state is JobState.DONE and not jobs(club, is_open=True):
            rated.set()
    one.stop.set()
    thread.join()
    assert entries(club)[-1] is EntryKind.RATE


def test_a_day_is_a_day() -> None:
    assert date(2026, 11, 18).weekday() == 2, "the cut-off above is a Wednesday in Chicago"


def a_season(office: Office) -> None:
    a_club(office)
    enter(office, quad("q"))


def test_an_archive_is_imported_by_a_job_and_rated_by_the_next(copy_of: CopyOf, tmp_path: Path) -> None:
    season = copy_of(a_season)
    export_archive(season, str(tmp_path / "archive"))
    with closing(founded(str(tmp_path / "new.db"))) as office:
        job = add_job(office, NewJob(JobKind.IMPORT, AUTHOR, {"archive": str(tmp_path / "archive")}))
        done(office)
        found = state_of(office, job)
        assert (found.state, found.result) == (JobState.DONE, {"members": 8, "events": 1, "sections": 1, "games": 6})
        assert entries(office)[-1] is EntryKind.RATE
        twice = add_job(office, NewJob(JobKind.IMPORT, AUTHOR, {"archive": str(tmp_path / "archive")}))
        done(office)
        assert state_of(office, twice).state is JobState.FAILED
        assert retry(office, "anna", twice.job_id).state is JobState.QUEUED
