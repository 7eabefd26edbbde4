"""While somebody writes the record for a while: logins, submissions and readers of a site that is served as ever.

On SQLite the record is held, one process serves and starts the worker of jobs. On PostgreSQL, with fsync, two processes
serve, and a job worker of its own rates a whole federation for the first time; its size is ``CROSSTABLE_HELD_MEMBERS``.
"""

import json
import math
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import date, timedelta
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

from benchmarks.start_up import event
from crosstable.formats import event_json
from crosstable.history.archive import write
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from crosstable.office.accounts import NewAccount, Role, add_account
from crosstable.office.bulk.archive_in import import_archive
from crosstable.office.credentials import NewToken, add_token
from crosstable.office.database import Office, open_office
from crosstable.office.founding import found_office
from crosstable.office.jobs import JobKind, JobState, NewJob, add_job, job_of, jobs
from crosstable.office.ledger.facts import Record
from crosstable.office.ledger.journal import Author
from crosstable.office.members import import_into, members_of_report
from tests.office.postgres import Server
from tests.waiting import until

AUTHOR = Author("bench", "measuring")
MEMBERS = int(os.environ.get("CROSSTABLE_HELD_MEMBERS", "100000"))
SECONDS = float(os.environ.get("CROSSTABLE_HELD", "60"))
PORT = 8731
PASSWORD = "correct horse battery"
LIMITS = {"login": 0.5, "submission": 1.0, "page, p99": 0.15}


def held_record() -> str:
    """The slowest login and submission, and the 99th of a hundred pages, while the record is held."""
    return _sqlite() + _postgres()


def _sqlite() -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "office.db")
        found_office(path, "Bench", AUTHOR).close()
        with closing(open_office(path)) as office:
            token = _people(office)
            with _running("serve", "--database", path, "--port", str(PORT)):
                _wait()
                ends = time.monotonic() + SECONDS
                with office.writing("bench", "a long run"):
                    times = _measure(token, lambda: time.monotonic() < ends)
                _all_done(office)
    return f"record held for {SECONDS:g} s on SQLite: {_told(times)}"


def _postgres() -> str:
    with tempfile.TemporaryDirectory() as folder, Server(is_safe=True) as server:
        url, archive = server.new_database("office"), str(Path(folder, "archive"))
        write(simulate(Federation(members=MEMBERS, sections=MEMBERS // 2, seed=1)), archive)
        with closing(found_office(url, "Bench", AUTHOR)) as office:
            import_archive(office, AUTHOR, archive)
            token = _people(office)
            with (
                _running("serve", "--database", url, "--port", str(PORT), "--workers", "2", "--no-worker"),
                _running("office", "worker", "--database", url),
            ):
                _wait()
                run = add_job(office, NewJob(JobKind.RATE, AUTHOR)).job_id
                until(lambda: _state(office, run) is JobState.RUNNING)
                began = time.monotonic()
                times = _measure(token, lambda: _state(office, run) is JobState.RUNNING)
                held = time.monotonic() - began
                _all_done(office)
    whose = f"first rating of {MEMBERS:,} members on PostgreSQL, two web workers and a job worker"
    return f"{whose}, {held:.0f} s: {_told(times)}"


def _people(office: Office) -> str:
    """The players of the events that are sent, their director and the director's token."""
    report = event_json.read(json.dumps(event("G/45;d5", 20, 4)).encode(), "event.json").report
    with office.writing("bench", "members") as connection:
        people, openings = members_of_report(Record(connection, 1), report, takes_openings=True)
        import_into(office, connection, Author("bench", "members"), people, openings)
    add_account(office, "bench", NewAccount("tina", Role.TD, "A1234567"), PASSWORD)
    return add_token(office, "tina", NewToken("tina"))[1]


@contextmanager
def _running(*words: str) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-m", "crosstable", *words], stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def _state(office: Office, job_id: str) -> JobState:
    job = job_of(office, job_id)
    assert job is not None
    return job.state


def _told(times: dict[str, list[float]]) -> str:
    said = {name: sorted(found)[min(len(found) - 1, math.ceil(0.99 * len(found)) - 1)] for name, found in times.items()}
    parts = [f"{name} {said[name]:.3f} s of {len(times[name])}   limit {most:g} s" for name, most in LIMITS.items()]
    return "; ".join(parts) + "; every submission rated afterwards\n"


def _measure(token: str, is_held: Callable[[], bool]) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in LIMITS}
    is_over = threading.Event()
    reading = threading.Thread(target=_read, args=(times["page, p99"], is_over))
    reading.start()
    number = 0
    while is_held():
        number += 1
        began = time.monotonic()
        _log_in()
        times["login"].append(time.monotonic() - began)
        made = event("G/45;d5", 20, 4)
        day = date(2026, 1, 1) + timedelta(days=number)
        made["event"] |= {"id": f"{day:%Y%m%d}0010", "name": f"Event {number}"}
        for one in (made["event"], *made["sections"]):
            one |= {"start_date": day.isoformat(), "end_date": day.isoformat()}
        began = time.monotonic()
        status, told = _asked(
            "POST", "/api/v1/submissions?name=e.json", json.dumps(made), {"Authorization": f"Bearer {token}"}
        )
        times["submission"].append(time.monotonic() - began)
        assert status == 202 or not is_held(), told  # the run may end while the file is looked at
        time.sleep(1.0)
    is_over.set()
    reading.join()
    return times


def _asked(method: str, path: str, body: str = "", headers: dict[str, str] | None = None) -> tuple[int, str]:
    with closing(HTTPConnection("127.0.0.1", PORT, timeout=60)) as connection:
        connection.request(method, path, body or None, headers or {})
        reply = connection.getresponse()
        return reply.status, reply.read().decode()


def _log_in() -> None:
    with closing(HTTPConnection("127.0.0.1", PORT, timeout=60)) as connection:
        connection.request("GET", "/login")
        reply = connection.getresponse()
        cookie = str(reply.headers["Set-Cookie"]).partition(";")[0]
        mark = re.findall(r'name="mark" value="([0-9a-f]{64})"', reply.read().decode())[0]
        form = urlencode({"mark": mark, "name": "tina", "password": PASSWORD})
        headers = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
        connection.request("POST", "/login", form, headers)
        reply = connection.getresponse()
        reply.read()
        assert reply.status == 303, reply.status


def _read(times: list[float], is_over: threading.Event) -> None:
    while not is_over.is_set():
        for path in ("/", "/events", "/changes", "/rules", "/lists"):
            began = time.monotonic()
            status, _ = _asked("GET", path)
            times.append(time.monotonic() - began)
            assert status == 200, (path, status)
        time.sleep(0.2)


def _wait() -> None:
    def is_ready() -> bool:
        try:
            return _asked("GET", "/readyz")[0] == 200
        except OSError:
            return False

    until(is_ready)


def _all_done(office: Office) -> None:
    until(lambda: not jobs(office, is_open=True), 0.2)
    assert all(one.state is JobState.DONE for one in jobs(office)), jobs(office)
