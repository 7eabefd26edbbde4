"""``crosstable serve``: where it listens, what a demonstration holds, and that several workers answer at once."""

import asyncio
import gc
import http.client
import multiprocessing
import os
import re
import resource
import shutil
import signal
import statistics
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from crosstable.cli import main, serve
from crosstable.office.accounts import NewAccount, Role, add_account
from crosstable.office.backups import backup, restore
from crosstable.office.credentials import NewToken, add_token
from crosstable.office.database import Office, open_office
from crosstable.office.ledger.commitments import Head, head_in
from crosstable.web.app import create_app, from_environment
from crosstable.web.settings import Settings, handed_over
from tests.amounts import IS_SOAK
from tests.browser.served import PROGRAM, free_port, served
from tests.office.made_office import enter, quad
from tests.office.postgres import Server, program
from tests.waiting import until
from tests.web.client import HOST, TestClient
from tests.web.site import made_file
from tests.web.told import told

# Without TCP_NODELAY most replies on a kept connection cost about 44 ms (uvicorn issue 3149).
TRAP_SECONDS = 0.030


def test_the_office_must_be_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--database", str(tmp_path / "nothing.db")]) == 1
    assert "there is no office" in capsys.readouterr().err


def test_without_accounts_only_this_machine_is_served(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = made_file(tmp_path)
    assert main(["serve", "--database", str(path), "--host", "0.0.0.0"]) == 2
    assert "nobody is set up to sign in" in capsys.readouterr().err
    assert serve.why_not(str(path), "127.0.0.1") == ""


def test_uvicorn_is_told_which_loop_and_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    def run(application: str, **options: Any) -> None:
        asked.update(options, application=application)

    monkeypatch.setattr("uvicorn.run", run)
    monkeypatch.setenv("CROSSTABLE_SITE", "")
    path = made_file(tmp_path)
    assert (
        main(["serve", "--database", str(path), "--workers", "2", "--port", "8123", "--name", "ratings.example"]) == 0
    )
    assert (asked["loop"], asked["http"], asked["workers"]) == ("uvloop", "httptools", 2)
    settings = handed_over()
    assert settings.database == str(path)
    assert "ratings.example" in settings.allowed_hosts
    assert asked["proxy_headers"] is False  # anybody on this machine could write X-Forwarded-For
    assert main(["serve", "--database", str(path), "--behind-proxy"]) == 0
    assert asked["proxy_headers"] is True


@pytest.mark.parametrize("given", ["fd00::7", "fd00:0::0007", "FD00::7", "[fd00::7]"])
def test_an_address_of_ipv6_is_known_as_browsers_write_it(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSTABLE_SITE", "")
    serve.hand_over("office.db", serve.parser().parse_args(["--host", given]))
    assert "[fd00::7]" in handed_over().allowed_hosts


def test_sigterm_leaves_neither_temporary_files_nor_a_worker(tmp_path: Path) -> None:
    """As a service manager stops it; a demonstration unpacks into that folder."""
    path, port = made_file(tmp_path), free_port()
    command = [*PROGRAM, "serve", "--database", str(path), "--port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(tmp_path)}) as server:
        until(lambda: answers(port) or server.poll() is not None)
        (folder,) = tmp_path.glob("crosstable-demo-*")
        server.terminate()
        assert server.wait() == 0
    assert not folder.exists()
    assert str(path) not in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout


def test_a_process_that_gets_no_turn_for_a_while_is_not_killed(tmp_path: Path) -> None:
    """A busy machine stops one for some seconds; what it was answering, a submission too, would be lost with it."""
    path, port = made_file(tmp_path), free_port()
    command = [*PROGRAM, "serve", "--database", str(path), "--port", str(port), "--workers", "2", "--no-worker"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
        try:
            until(lambda: answers(port) or server.poll() is not None)
            before = serving(server.pid)
            os.kill(before[0], signal.SIGSTOP)
            time.sleep(7)
            os.kill(before[0], signal.SIGCONT)
            until(lambda: answers(port))
            assert (len(before), serving(server.pid)) == (2, before)
        finally:
            server.terminate()


def serving(parent: int) -> list[int]:
    """The processes of a site that answer requests."""
    listed = ["ps", "-ww", "--ppid", str(parent), "-o", "pid=,stat=,args="]
    lines = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.splitlines()
    return sorted(int(line.split()[0]) for line in lines if "spawn_main" in line and "Z" not in line.split()[1])


def answers(port: int) -> bool:
    """Whether a site answers there."""
    with suppress(OSError), closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as asked:
        asked.request("GET", "/healthz")
        return asked.getresponse().status == http.HTTPStatus.OK
    return False


def test_settings_survive_the_way_to_a_worker() -> None:
    environment: dict[str, str] = {}
    settings = Settings("office.db", hosts=("one", "two"), is_demo=True)
    settings.hand_over(environment)
    assert handed_over(environment) == settings


def test_a_worker_leaves_what_it_has_read_out_of_collection(tmp_path: Path) -> None:
    """It is large and lives long; a site within another program leaves that program's collector alone."""
    made = str(made_file(tmp_path))
    with multiprocessing.get_context("spawn").Pool(1) as process:  # one that holds nothing else
        assert process.apply(frozen_objects, (made, False)) == 0
        assert process.apply(frozen_objects, (made, True)) > 0


def frozen_objects(made: str, is_worker: bool) -> int:
    """How many more objects the collector of this process leaves alone once a site of this process has answered.

    Python 3.12 leaves some of its own alone from the start.
    """
    before = gc.get_freeze_count()
    settings = Settings(made, hosts=(HOST,))
    if is_worker:
        settings.hand_over(os.environ)
    with TestClient(from_environment() if is_worker else create_app(settings)) as site:
        assert site.get("/").status_code == 200
        if is_worker:
            until(lambda: gc.get_freeze_count() > before)
        return gc.get_freeze_count() - before


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a site with two workers."""
    with served(made_file(tmp_path_factory.mktemp("site")), "--workers", "2") as site:
        yield int(site.address.rpartition(":")[2])


def test_kept_connections_to_several_workers_are_quick(port: int) -> None:
    """The trap makes most replies of a kept connection wait and none of a new one; a busy machine makes both wait."""
    times: dict[str, list[float]] = {"kept": [], "new": []}
    with closing(http.client.HTTPConnection("127.0.0.1", port)) as kept:
        for _ in range(40):
            times["kept"].append(reply_time(kept))
            with closing(http.client.HTTPConnection("127.0.0.1", port)) as new:
                times["new"].append(reply_time(new))
    quick = {name: sorted(some)[len(some) // 4] for name, some in times.items()}
    assert quick["kept"] < quick["new"] + TRAP_SECONDS, quick


def reply_time(connection: http.client.HTTPConnection) -> float:
    """How long a page takes."""
    start = time.monotonic()
    connection.request("GET", "/members/10000001")
    assert re.search(rb"<h1>", connection.getresponse().read())
    return time.monotonic() - start


def test_two_workers_grant_together_what_one_would(port: int) -> None:
    """150 calls of nobody known, each on a connection of its own: the minute's 60 are answered, whoever answers."""
    start = time.monotonic()
    answered = 0
    for _ in range(150):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("POST", "/upload", "nothing=", {"Content-Type": "application/x-www-form-urlencoded"})
        status = connection.getresponse().status
        connection.close()
        assert status in (400, 429)
        answered += status == 400
    minutes = 1 + int(time.monotonic() - start) // 60
    assert 60 <= answered <= 60 * minutes


def with_a_token(address: str) -> tuple[Head, str]:
    """The head of an office, to which a director with a token is added then."""
    with closing(Office(address)) as office:
        with office.reading() as connection:
            before = head_in(connection)
        add_account(office, "host", NewAccount("tina", Role.TD, "A1234567"), "correct horse battery")
        return before, add_token(office, "tina", NewToken("tina"))[1]


def assert_stopped(address: str, secret: str) -> None:
    """No worker goes on with what it read, and none takes a token that the database before it knew."""
    assert {asked(address, "GET", "/members/10000001", secret) for _ in range(16)} == {503}
    assert {asked(address, "POST", "/api/v1/submissions", secret) for _ in range(8)} == {503}


def test_an_older_file_in_the_place_of_the_served_one_stops_every_worker(tmp_path: Path) -> None:
    """A4, by a move; ``tests/office/test_proof.py`` has one that is written into the file."""
    path = made_file(tmp_path)
    shutil.copy(path, older := tmp_path / "older.db")
    before, secret = with_a_token(str(path))
    with served(path, "--workers", "2") as site:
        assert {asked(site.address, "GET", "/members/10000001", secret) for _ in range(8)} == {200}
        os.replace(older, path)
        assert_stopped(site.address, secret)
    with closing(open_office(str(path))) as office, office.reading() as connection:
        assert head_in(connection) == before


WAYS = {
    "over it": ("--clean", "--if-exists", "--single-transaction"),
    "table by table": ("--clean", "--if-exists"),
    "anew": (),
}


def put_back(server: Server, way: str, dump: str) -> None:
    """Put an older dump into the place of the office on a server."""
    where = ("-h", str(server.folder), "-U", "office")
    if way == "anew":
        ran(program("dropdb"), "--force", *where, "served")
        server.new_database("served")
    ran(program("pg_restore"), *where, *WAYS[way], "--no-owner", "-d", "served", dump)


def put_back_under_a_site(folder: Path, way: str) -> None:
    """A4 on PostgreSQL with its own tools: the site makes room, so that nothing waits for ever, and then stops."""
    with Server() as server:
        backup(Office(str(made_file(folder))), str(folder / "office.zip"))
        address, dump = server.new_database("served"), str(folder / "older.dump")
        restore(str(folder / "office.zip"), address)
        ran(program("pg_dump"), "-h", str(server.folder), "-U", "office", "-Fc", "-f", dump, "served")
        before, secret = with_a_token(address)
        with closing(Office(address)) as office:
            enter(office, quad("later"))
        with served(address, "--workers", "2", said=folder / "log") as site:
            assert {asked(site.address, "GET", "/members/10000001", secret) for _ in range(8)} == {200}
            put_back(server, way, dump)
            until(lambda: {asked(site.address, "GET", "/members/10000001", secret) for _ in range(16)} == {503})
            assert_stopped(site.address, secret)
        with closing(open_office(address)) as office, office.reading() as connection:
            assert head_in(connection) == before


if IS_SOAK:  # for every change tests/office/test_proof.py has what matters of it, without workers

    @pytest.mark.parametrize("way", WAYS)
    def test_an_older_dump_put_back_under_a_served_office_stops_every_worker(tmp_path: Path, way: str) -> None:
        put_back_under_a_site(tmp_path, way)


def ran(*command: str) -> None:
    """Run a program to its end."""
    subprocess.run(command, check=True, capture_output=True)


def asked(address: str, method: str, path: str, secret: str) -> int:
    """The status of a reply, on a connection of its own: any worker may answer."""
    connection = http.client.HTTPConnection(address.rpartition("/")[2])
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"} if method == "POST" else {}
    connection.request(method, path, b"{}" if method == "POST" else None, headers)
    with closing(connection):
        return connection.getresponse().status


# Slow uploads: a thousand at once, a byte now and then, while others read.
SLOW_UPLOADS = 1000
READS = 200
# Readers who had to wait for an upload would wait for ever; the long form, on a quiet machine, holds p99 to the aim.
SLOWEST_READ = 0.5 if IS_SOAK else 60.0


async def _trickle(port: int, is_over: asyncio.Event) -> None:
    """One upload that never ends by itself; whether it is refused or listened to does not matter."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    head = "POST /upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=x\r\n"
    part = '--x\r\nContent-Disposition: form-data; name="files"; filename="a.json"\r\n\r\n'
    writer.write(f"{head}Content-Length: 5000000\r\n\r\n{part}".encode())
    with suppress(OSError):
        while not is_over.is_set():
            writer.write(b" ")
            await writer.drain()
            with suppress(TimeoutError):
                await asyncio.wait_for(is_over.wait(), 1.0)
    writer.close()


def _read_times(port: int) -> list[float]:
    times = []
    for number in range(READS):
        start = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", f"/members/1000000{number % 8 + 1}?n={number}")  # never the same page twice
        assert connection.getresponse().read()
        connection.close()
        times.append(time.monotonic() - start)
    return times


def test_a_thousand_slow_uploads_do_not_keep_readers_waiting(port: int) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    async def story() -> list[float]:
        is_over = asyncio.Event()
        uploads = [asyncio.create_task(_trickle(port, is_over)) for _ in range(SLOW_UPLOADS)]
        try:
            await asyncio.sleep(0.5)
            return await asyncio.to_thread(_read_times, port)
        finally:
            is_over.set()
            await asyncio.gather(*uploads)

    assert statistics.quantiles(told(story()), n=100)[98] < SLOWEST_READ
