"""Jobs, schedules and the worker from the command line."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from crosstable.cli import office_upkeep, serve
from crosstable.errors import OfficeError
from crosstable.office.database import open_office
from crosstable.office.jobs import JobKind, JobState, NewJob, add_job, jobs
from crosstable.office.ledger.journal import Author
from crosstable.office.worker import Worker
from tests.cli.club import CHAMPIONSHIP, Desk
from tests.waiting import until


def work(folder: Path) -> None:
    with closing(open_office(str(folder / "office.db"))) as office:
        one = Worker(office)
        while one.step():
            pass


def job_in(said: str) -> str:
    found = re.search(r"job ([0-9a-f]{12})", said)
    assert found is not None
    return found[1]


def test_jobs_are_queued_shown_canceled_and_tried_again(club: Desk) -> None:
    assert club.done("jobs", "list").strip() == "there are no jobs"
    job = job_in(club.done("jobs", "add", "verify", "--reason", "as every week"))
    assert re.search(rf"{job} +verify +queued", club.done("jobs", "list"))
    assert club.done("jobs", "cancel", job).strip() == f"job {job} is canceled"
    assert "nothing to cancel" in club.refused("jobs", "cancel", job)
    assert club.done("jobs", "retry", job).strip() == f"job {job} is queued again"
    work(club.folder)
    shown = club.done("jobs", "show", job)
    assert "verify, done" in shown
    assert "head: " in shown
    assert "there is no job nothing" in club.refused("jobs", "show", "nothing")


def test_a_job_that_failed_says_why(club: Desk) -> None:
    job = job_in(club.done("jobs", "add", "publish", "--month", "2199-12"))
    work(club.folder)
    shown = club("jobs", "show", job)
    assert shown.code == 1
    assert "publish, failed" in shown.out
    assert "is not a month" in club.refused("jobs", "add", "publish")


def test_a_supplement_is_published_by_a_job_as_by_hand(club: Desk) -> None:
    """The same options as ``office publish``: nothing empty, and nothing that would be without what waits."""
    asked = ("jobs", "add", "publish", "--month")

    def published(month: str, *more: str) -> str:
        job = job_in(club.done(*asked, month, *more))
        work(club.folder)
        return club("jobs", "show", job).out

    assert "nothing was rated by its cut-off on May 20, 2026" in published("2026-06")
    club.done("withdraw", CHAMPIONSHIP, "--reason", "played twice")
    assert "(--anyway)" in published("2026-06", "--cut-off", "played")
    assert "publish, done" in published("2026-06", "--cut-off", "played", "--anyway")
    assert "played" in club.done("supplements")


def test_a_backup_needs_a_folder(club: Desk) -> None:
    assert "needs a folder that is there" in club.refused("jobs", "add", "backup", "--folder", "nowhere")
    job = job_in(club.done("jobs", "add", "backup", "--folder", "."))
    work(club.folder)
    found = re.search(r"file: (\S+)", club.done("jobs", "show", job))
    assert found is not None
    assert Path(found[1]).is_file()


def test_members_and_archives_are_imported_by_a_job(club: Desk, tmp_path: Path) -> None:
    """A members file goes with its job, an archive stays where it is; the run that follows is queued by the import."""
    assert "an import needs a members file, --file FILE, or an archive" in club.refused("jobs", "add", "import")
    assert "there is no such folder" in club.refused("jobs", "add", "import", "--folder", "nowhere")
    file = tmp_path / "new.csv"
    file.write_text("id,name,OTBR\n,Nobody,1500\n")
    assert "nothing was queued" in club("jobs", "add", "import", "--file", str(file)).err
    file.write_text("id,name,OTBR rating\n20000001,Newcomer Nora,1500\n")
    job = job_in(club.done("jobs", "add", "import", "--file", str(file), "--ratings-as-of", "2026-01-01"))
    file.unlink()
    assert re.search(rf"{job} +import +queued.*new.csv", club.done("jobs", "list"))
    work(club.folder)
    assert "new: 1" in club.done("jobs", "show", job)
    assert "1500" in club.done("members", "show", "20000001")
    full = job_in(club.done("jobs", "add", "import", "--folder", str(tmp_path)))
    work(club.folder)
    assert "import, failed" in club("jobs", "show", full).out


def test_schedules_are_set_shown_and_ended(club: Desk) -> None:
    assert club.done("schedule").strip() == "nothing is scheduled"
    assert club.done("schedule", "rate", "tuesday", "06:00").strip() == "rate: tuesday 06:00"
    assert "publish: cut-off" in club.done("schedule", "publish", "cut-off")
    assert f"backup: 03:00 into {os.getcwd()}" in club.done("schedule", "backup", "03:00", "--folder", ".")
    assert club.done("schedule", "rate", "off").splitlines()[0] == "publish: cut-off"
    assert "no time of a schedule" in club.refused("schedule", "verify", "noon")


def test_the_worker_ends_with_a_signal_and_with_its_parent(club: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own it does what waits, and SIGTERM ends it with 0; what fails is a line of its log."""
    failing = job_in(club.done("jobs", "add", "publish", "--month", "2199-12"))
    job = job_in(club.done("jobs", "add", "rate"))
    path = str(club.folder / "office.db")
    command = [sys.executable, "-m", "crosstable", "office", "worker", "--database", path, "--log", "json"]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as child, closing(open_office(path)) as office:
        until(lambda: not jobs(office, is_open=True) or None)
        child.send_signal(signal.SIGTERM)
        assert child.wait() == 0
        assert child.stderr is not None
        (line,) = [json.loads(line) for line in child.stderr.read().splitlines()]
    assert (line["level"], line["logger"]) == ("warning", "crosstable.worker")
    assert line["message"].startswith(f"job {failing} (publish) failed: the cut-off of the list of 2199-12 is ")
    assert "rate, done" in club.done("jobs", "show", job)
    stop = threading.Event()
    monkeypatch.setattr(office_upkeep, "_LOOK_EVERY", 0.01)
    monkeypatch.setenv(office_upkeep.PARENT, "1" if os.getppid() != 1 else "2")
    office_upkeep._watch_parent(stop)
    assert stop.is_set()


def test_a_site_starts_a_worker_and_starts_it_again(club: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is killed in the middle is replaced, and all end with the site."""
    monkeypatch.setattr(serve, "WATCH_WORKER", 0.05)
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def start(command: list[str], **more: object) -> subprocess.Popen[bytes]:
        started.append(real(command, **more))  # type: ignore[call-overload]
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    path = str(club.folder / "office.db")
    with closing(open_office(path)) as office, serve.working(path):
        started[0].kill()
        until(lambda: len(started) > 1 or None)
        add_job(office, NewJob(JobKind.RATE, Author("anna", "")))
        until(lambda: jobs(office)[0].state is JobState.DONE or None)
    assert [one.poll() is not None for one in started] == [True] * len(started)


def test_a_lost_second_factor_is_taken_away_on_the_host(club: Desk) -> None:
    from crosstable.office.accounts import NewAccount, Role, add_account
    from crosstable.office.second_factor import begin_enrolling

    with closing(open_office(str(club.folder / "office.db"))) as office:
        add_account(office, "host", NewAccount("anna", Role.OFFICE), "correct horse battery")
        key = begin_enrolling(office, "anna")
        assert "anna has no second factor any more" in club.done("users", "second-factor", "anna")
        assert begin_enrolling(office, "anna") != key
    assert "bob has no second factor" in club.refused("users", "second-factor", "bob")
    assert "totp: off" in club.done("settings", "show")
    club.done("settings", "totp", "on")
    assert "totp: on" in club.done("settings", "show")
    with pytest.raises(OfficeError):
        open_office("nothing.db")
