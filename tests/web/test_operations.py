"""What an operator looks at: health, readiness, figures, and the log."""

import io
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crosstable.cli import main
from crosstable.log_lines import JsonLines, TextLines
from crosstable.web import operations
from crosstable.web.operations import ACCESS, is_within, log_settings
from crosstable.web.reading import Reading
from crosstable.web.settings import handed_over
from tests.waiting import until
from tests.web.client import TestClient
from tests.web.people import Site, site
from tests.web.site import client, made_file


def reading_of(asked: TestClient) -> Reading:
    """The record as a site serves it."""
    found: Reading = asked.app.state.reading  # type: ignore[attr-defined]
    return found


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with site(tmp_path_factory.mktemp("operations")) as made:
        yield made


def test_a_site_that_answers_is_healthy_and_one_that_has_read_its_record_is_ready(here: Site) -> None:
    assert here.client.get("/healthz", headers={"Host": "10.1.2.3"}).text == "ok\n"
    found = here.client.get("/readyz", headers={"Host": "10.1.2.3"})
    assert (found.status_code, found.json()["ready"]) == (200, True)
    assert found.json()["entry"] == reading_of(here.client).entry
    assert here.client.get("/", headers={"Host": "10.1.2.3"}).status_code == 421


def test_a_site_whose_database_is_gone_is_not_ready_and_says_why(tmp_path: Path) -> None:
    path = made_file(tmp_path)
    with client(path, watch_every=3600.0) as made:
        path.rename(tmp_path / "elsewhere.db")
        path.write_text("no database")
        reading = reading_of(made)

        def is_not_ready() -> bool:
            reading.office.close()  # the watch may have taken a connection just before
            return bool(made.get("/readyz").status_code == 503)

        until(is_not_ready)
        found = made.get("/readyz")
        assert found.json()["ready"] is False
        assert found.json()["why"]
        reading._now, kept = None, reading._now
        assert made.get("/readyz").json() == {"ready": False, "entry": None, "why": "the record is being read"}
        reading._now = kept


def test_requests_are_counted_by_part_of_the_site(here: Site) -> None:
    def count(told: str) -> float:
        lines = here.client.get("/metrics").text.splitlines()
        return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(told))

    here.client = TestClient(here.client.app, client=("127.0.0.1", 50000), follow_redirects=False)
    counted = 'crosstable_requests_total{method="GET",part="rules",status="200"}'
    unknown = 'crosstable_requests_total{method="GET",part="other",status="404"}'
    before, strange = count(counted), count(unknown)
    for _ in range(3):
        assert here.client.get("/rules").status_code == 200
    assert here.client.get("/no/such/place").status_code == 404
    assert count(counted) == before + 3
    assert count(unknown) == strange + 1
    assert count("crosstable_journal_entry") == reading_of(here.client).entry
    assert count('crosstable_request_seconds_count{part="rules"}') >= 3


def test_figures_are_for_this_machine_and_for_named_networks(here: Site) -> None:
    away = TestClient(here.client.app, client=("192.0.2.7", 50000))
    assert away.get("/metrics").status_code == 403
    assert is_within("127.0.0.1", ())
    assert is_within("::1", ())
    assert is_within("192.0.2.7", ("192.0.2.0/24",))
    assert not is_within("192.0.3.7", ("192.0.2.0/24",))
    assert not is_within("testclient", ("192.0.2.0/24",))


def test_the_figures_of_several_workers_are_put_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files are written by the library in processes of their own, one of which ends amid a request."""
    worker = "OPEN.inc(); REQUESTS.labels('home', 'GET', '200').inc(); os._exit(0)"
    both = f"import os\nfrom crosstable.web.operations import *\nif not os.fork(): {worker}\nos.wait(); {worker}"
    shared = {**os.environ, operations.SHARED_FOLDER: str(tmp_path)}
    subprocess.run([sys.executable, "-c", both], check=True, env=shared)
    monkeypatch.setenv(operations.SHARED_FOLDER, str(tmp_path))
    told = operations._figures().decode()
    assert 'crosstable_requests_total{method="GET",part="home",status="200"} 2.0' in told
    assert "crosstable_requests_open 2.0" not in told


@pytest.fixture
def logged() -> Iterator[dict[bool, io.StringIO]]:
    """What the access log holds as text and as JSON; the loggers are as before afterwards."""
    streams = {False: io.StringIO(), True: io.StringIO()}
    level, kept = ACCESS.level, list(ACCESS.handlers)
    for is_json, stream in streams.items():
        handler = logging.StreamHandler(stream)
        handler.setFormatter(log_settings(is_json, True)["formatters"]["lines"]["()"]())
        ACCESS.addHandler(handler)
    ACCESS.setLevel(logging.INFO)
    yield streams
    ACCESS.setLevel(level)
    ACCESS.handlers[:] = kept


def test_every_request_has_an_id_which_the_reply_and_the_log_carry(here: Site, logged: dict[bool, io.StringIO]) -> None:
    given = here.client.get("/rules", headers={"X-Request-ID": "from-a-proxy-1"})
    made = here.client.get("/rules", headers={"X-Request-ID": "no\tid; at all"})
    assert given.headers["x-request-id"] == "from-a-proxy-1"
    assert len(made.headers["x-request-id"]) == 16
    first, second = (json.loads(line) for line in logged[True].getvalue().splitlines())
    assert (first["request_id"], first["path"], first["status"]) == ("from-a-proxy-1", "/rules", 200)
    assert first["bytes"] > 0
    assert second["request_id"] == made.headers["x-request-id"]
    assert "[from-a-proxy-1]" in logged[False].getvalue().splitlines()[0]


def test_nobody_writes_a_line_of_the_log_of_their_own(here: Site, logged: dict[bool, io.StringIO]) -> None:
    here.client.get("/members/x%0a2026-11-16 ERROR made up")
    assert len(logged[False].getvalue().splitlines()) == 1
    assert len(logged[True].getvalue().splitlines()) == 1


def test_an_error_is_one_line_of_json_with_its_traceback() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    for formatter in (JsonLines(), TextLines()):
        handler.setFormatter(formatter)
        log = logging.Logger("crosstable.web")
        log.addHandler(handler)
        try:
            raise ValueError("a cause")
        except ValueError:
            log.exception("an error of our own at %s", "/here")
        log.removeHandler(handler)
    first, *rest = stream.getvalue().splitlines()
    assert json.loads(first)["message"] == "an error of our own at /here"
    assert "ValueError: a cause" in json.loads(first)["traceback"]
    assert rest[-1] == "ValueError: a cause"


def test_serve_hands_proxies_networks_and_the_log_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: dict[str, Any] = {}
    monkeypatch.setattr("uvicorn.run", lambda _, **options: asked.update(options))
    monkeypatch.setenv("CROSSTABLE_SITE", "")
    path = str(made_file(tmp_path))
    given = ["--behind-proxy", "--trusted-proxy", "10.0.0.0/8", "--metrics-from", "10.1.0.0/16", "--log", "json"]
    assert main(["serve", "--database", path, *given]) == 0
    assert asked["forwarded_allow_ips"] == ["127.0.0.1", "::1", "10.0.0.0/8"]
    assert asked["proxy_headers"] is True
    assert handed_over().metrics_from == ("10.1.0.0/16",)
    assert (handed_over().has_json_log, handed_over().has_access_log) == (True, False)
    assert log_settings(True, False)["loggers"][ACCESS.name]["level"] == "WARNING"
    assert asked["timeout_graceful_shutdown"] > 0
    assert main(["serve", "--database", path, "--trusted-proxy", "the proxy"]) == 2
    assert "'the proxy' is no address and no network" in capsys.readouterr().err


def test_passwords_that_travel_in_clear_are_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("uvicorn.run", lambda *_, **__: None)
    monkeypatch.setenv("CROSSTABLE_SITE", "")
    with site(tmp_path) as made:
        path = made.office.url.removeprefix("sqlite:///")
    for given, is_warned in (((), True), (("--trusted-proxy", "10.0.0.5"), False)):
        assert main(["serve", "--database", path, "--host", "0.0.0.0", *given]) == 0
        assert ("unencrypted" in capsys.readouterr().err) is is_warned
