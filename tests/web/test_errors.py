"""Errors of our own, and what anybody could do to cause them: odd forms, crowds, a record that cannot be read anew."""

import html
import logging
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from crosstable.errors import OfficeBusyError
from crosstable.office import accounts
from crosstable.office.accounts import Account
from crosstable.web.headers import ON_EVERY_REPLY
from crosstable.web.limits import FILES_OF_ANYBODY, cost_of
from crosstable.web.reading import Reading
from tests.office.made_office import failures, quad
from tests.waiting import FOR_EVER
from tests.web.people import OWN, PASSWORD, TODAY, Site, belonging, event_file, site

FORM = b'--x\r\nContent-Disposition: form-data; name="mark"\r\n\r\na-!\r\n--x--\r\n'
MEGABYTE = 1024 * 1024


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(accounts, "PASSES", 1)
    monkeypatch.setattr(accounts, "MEMORY_KIB", 1024)
    with site(tmp_path) as made:
        yield made


def broken(*given: object, **named: object) -> None:
    raise RuntimeError("a secret detail")


def test_an_error_of_our_own_has_every_header_and_no_detail(
    here: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("crosstable.web.sessions.has_accounts", broken)
    monkeypatch.setattr("crosstable.web.api.rating.read_in_child", broken)
    page = here.client.get("/login")
    program = here.client.post("/api/v1/check", content=b"{}")
    bare = here.client.head("/login")
    for reply in (page, program, bare):
        assert reply.status_code == 500
        assert {name.decode(): value.decode() for name, value in ON_EVERY_REPLY}.items() <= dict(reply.headers).items()
        assert "secret detail" not in reply.text
        assert "Nothing was stored" not in reply.text
    assert "An error of our own" in page.text
    assert program.headers["content-type"] == "application/problem+json"
    assert bare.content == b""
    assert [one.levelno for one in caplog.records if "error of our own" in one.message] == [logging.ERROR] * 3


def test_a_run_that_breaks_says_so_and_ends(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page grows while the run goes on; without a last word it would never end."""
    monkeypatch.setattr("crosstable.web.pages.administration.rerate", broken)
    reply = here.client.post("/administration/rate", data={"mark": here.come_in("anna")})
    assert reply.status_code == 200
    assert 'class="error">The run met an error' in reply.text
    assert reply.text.rstrip().endswith("</html>")


# Forms.


@pytest.mark.parametrize("charset", ["punycode", "utf-7", "unicode_escape", "undefined", "idna", "latin-1", "nothing"])
@pytest.mark.parametrize("path", ["/upload", "/login", "/machine"])
def test_a_form_in_another_charset_is_refused(here: Site, path: str, charset: str) -> None:
    kind = f"multipart/form-data; boundary=x; charset={charset}"
    reply = here.client.post(path, content=FORM, headers={"Content-Type": kind})
    assert (reply.status_code, "send it as UTF-8" in reply.text) == (400, True)


@pytest.mark.parametrize("charset", ["utf-8", '"UTF-8"', "utf8"])
def test_a_form_that_says_its_charset_is_read(here: Site, charset: str) -> None:
    kind = f"multipart/form-data; boundary=x; charset={charset}"
    assert here.client.post("/login", content=FORM, headers={"Content-Type": kind}).status_code == 403
    assert "Choose at least one" in here.client.post("/upload", content=FORM, headers={"Content-Type": kind}).text


# Crowds.


def test_however_many_try_at_once_ten_are_looked_at_and_two_at_a_time(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hash takes 64 MB, so forty at once would take 2.5 GB."""
    lock, running, most = threading.Lock(), [0], [0]

    def slow(office: object, name: str, password: str) -> Account | None:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.05)
        with lock:
            running[0] -= 1
        return None

    monkeypatch.setattr("crosstable.web.sessions.proven", slow)
    form = {"mark": here.form_mark(), "name": "anna", "password": "a wrong password"}
    with ThreadPoolExecutor(16) as crowd:
        codes = list(crowd.map(lambda _: here.client.post("/login", data=form).status_code, range(16)))
    assert sorted(codes) == [401] * 10 + [429] * 6
    assert most[0] <= 2


def test_who_logs_in_rightly_may_do_so_as_often_as_he_likes(here: Site) -> None:
    for _ in range(12):
        form = {"mark": here.form_mark(), "name": "anna", "password": PASSWORD}
        assert here.client.post("/login", data=form).status_code == 303
    assert failures(here.office) == 0


def test_a_crowd_of_strangers_does_not_hold_up_a_director(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FILES_OF_ANYBODY, "longest", -1)  # as many are there as may
    file = event_file(belonging(quad("new", TODAY), OWN))
    reply = here.client.post("/upload", files=[file])
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "10")
    assert here.client.post("/api/v1/rate", content=file[1][1]).status_code == 503
    here.come_in("tina")
    assert here.client.post("/upload", files=[file]).status_code == 200


def test_strangers_wait_for_each_other_and_the_last_are_sent_away(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """One is at work until the fourth was sent away, and two wait."""
    monkeypatch.setattr(FILES_OF_ANYBODY, "longest", 2)
    sent_away = threading.Event()

    def slow(*given: object) -> list[object]:
        assert sent_away.wait(FOR_EVER)
        return []

    def ask(_: int) -> int:
        code: int = here.client.post("/upload", files=[event_file(quad("new", TODAY))]).status_code
        if code == 503:
            sent_away.set()
        return code

    monkeypatch.setattr("crosstable.web.pages.upload.uploads_of", slow)
    with ThreadPoolExecutor(4) as crowd:
        assert sorted(crowd.map(ask, range(4))) == [200, 200, 200, 503]


def test_a_long_file_counts_as_several_calls(here: Site) -> None:
    assert [cost_of(length) for length in (0, 200_000, 10 * MEGABYTE)] == [1, 1, 41]
    here.client.app.state.limiter.most = 60  # type: ignore[attr-defined]
    reply = here.client.post("/upload", files=[("files", ("a.json", b" " * MEGABYTE))])
    assert reply.headers["ratelimit-remaining"] == "55"
    unsaid = here.client.post("/api/v1/check", content=iter([b"{}"]))  # it could be as long as is allowed
    assert unsaid.headers["ratelimit-remaining"] == "14"
    assert here.client.post("/api/v1/check", content=iter([b"{}"])).status_code == 429


# After something was stored.


def submitted(made: Site) -> str:
    file = event_file(quad("new", TODAY))
    reply = made.client.post("/upload/submit", data={"mark": made.come_in("tina")}, files=[file], follow_redirects=True)
    assert reply.status_code == 200, reply.text
    return html.unescape(reply.text)


def test_what_is_stored_is_told_though_the_record_cannot_be_read_anew(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Reading, "renew", broken)
    assert "1 section accepted and rated" in submitted(here)


def test_what_is_stored_is_told_while_the_record_is_read_for_the_first_time(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as at_first:
        at_first.setattr(Reading, "renew", broken)
        at_first.setattr(here.client.app.state.reading, "_now", None)  # type: ignore[attr-defined]
        assert here.client.get("/events").status_code == 503
        assert "1 section accepted and rated" in submitted(here)


def test_what_is_accepted_and_not_yet_rated_is_not_called_rated(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(office: object, author: object, **more: object) -> None:
        raise OfficeBusyError("somebody is writing")

    monkeypatch.setattr("crosstable.web.acting.rerate", busy)
    monkeypatch.setattr("crosstable.web.acting.PATIENCE", 0.05)
    assert "it is rated with the next run" in submitted(here)
    event = here.client.get("/events/new.json").json()
    assert [(one["state"], one["is_rated"]) for one in event["sections"]] == [
        ("accepted, to be rated with the next rating run", False)
    ]
    section = here.client.get("/events/new/sections/1").text
    assert "This section is accepted, to be rated with the next rating run." in section


# Pages of lists.


def test_lists_by_name_go_on_and_lists_by_time_go_back(here: Site) -> None:
    by_name, by_time = (here.client.get(path).text for path in ("/search?q=Member&size=1", "/events?size=1"))
    assert "Next \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}" in by_name
    assert "Older" not in by_name
    assert "Older \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}" in by_time
    assert "Next" not in by_time
