"""Coming in and going out: passwords, sessions, the link of the machine, and everything that must not open."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from crosstable.office import accounts
from crosstable.office.accounts import MOST_TRIES
from crosstable.office.credentials import make_link, session_of
from crosstable.office.second_factor import begin_enrolling, code_of, step_at
from crosstable.office.settings import TOTP, switch
from crosstable.web.forms import local_path
from crosstable.web.gate import FORM_COOKIE, KNOWN_COOKIE, SESSION_COOKIE, mark_of
from crosstable.web.limits import Limiter
from crosstable.web.settings import Settings
from tests.office.made_office import AUTHOR, failures
from tests.web.client import TestClient
from tests.web.people import PASSWORD, Site, site


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(accounts, "PASSES", 1)
    monkeypatch.setattr(accounts, "MEMORY_KIB", 1024)
    with site(tmp_path) as made:
        yield made


@pytest.fixture
def lonely(tmp_path: Path) -> Iterator[Site]:
    with site(tmp_path, has_accounts=False) as made:
        yield made


def log_in(here: Site, name: str, password: str = PASSWORD, **more: str) -> tuple[int, str]:
    mark = here.form_mark()
    reply = here.client.post("/login", data={"mark": mark, "name": name, "password": password, **more})
    return reply.status_code, reply.headers.get("location") or reply.text


def test_who_logs_in_comes_to_his_work(here: Site) -> None:
    assert log_in(here, "anna") == (303, "/administration")
    assert here.client.get("/administration").status_code == 200
    assert log_in(here, " TINA ") == (303, "/my-events")
    assert log_in(here, "tina", next="/events/own/correction") == (303, "/events/own/correction")
    assert here.client.get("/events/own/correction").status_code == 200
    assert here.client.get("/administration").status_code == 403


def test_a_page_asks_to_log_in_and_remembers_where_one_was_going(here: Site) -> None:
    reply = here.client.get("/administration/events/own")
    assert (reply.status_code, reply.headers["location"]) == (303, "/login?next=/administration/events/own")
    assert 'name="next" value="/administration/events/own"' in here.client.get(reply.headers["location"]).text


@pytest.mark.parametrize(
    "given", ["//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", "evil", "/a\\b", ""]
)
def test_nobody_is_sent_to_another_site_after_logging_in(here: Site, given: str) -> None:
    assert log_in(here, "anna", next=given) == (303, "/administration")
    assert local_path(given, "/home") == "/home"


def test_the_cookie_of_a_session_is_kept_from_scripts_and_other_sites(here: Site) -> None:
    mark = here.form_mark()
    reply = here.client.post("/login", data={"mark": mark, "name": "anna", "password": PASSWORD})
    cookie = next(one for one in reply.headers.get_list("set-cookie") if one.startswith(SESSION_COOKIE))
    parts = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"httponly", "samesite=lax", "path=/", "max-age=43200"} <= parts
    assert "secure" not in parts  # plain http, on the machine itself
    safe = TestClient(here.client.app, base_url="https://testserver", follow_redirects=False)
    given = safe.get("/login")
    assert all("Secure" in one and one.startswith("__Host-") for one in given.headers.get_list("set-cookie"))
    assert given.headers["strict-transport-security"] == "max-age=31536000"
    assert "strict-transport-security" not in reply.headers
    mark = mark_of(safe.cookies[f"__Host-{FORM_COOKIE}"])
    came = safe.post("/login", data={"mark": mark, "name": "anna", "password": PASSWORD})
    assert came.status_code == 303
    assert safe.get("/administration").status_code == 200
    assert safe.post("/logout", data={"mark": mark_of(safe.cookies[f"__Host-{SESSION_COOKIE}"])}).status_code == 303
    assert safe.get("/administration").status_code == 303


def test_a_wrong_name_and_a_wrong_password_get_the_same_answer(here: Site) -> None:
    answers = {
        re.sub(r'value="[^"]*"', "", log_in(here, name, "a wrong password")[1]) for name in ("anna", "nobody", "")
    }
    assert len(answers) == 1
    assert "The name or the password is not right." in answers.pop()
    assert log_in(here, "anna", "")[0] == 401


def test_the_eleventh_try_in_fifteen_minutes_is_not_looked_at(here: Site) -> None:
    for _ in range(10):
        assert log_in(here, "anna", "a wrong password")[0] == 401
    status, text = log_in(here, "anna")  # even with the right one
    assert (status, "Too many wrong passwords" in text) == (429, True)
    assert log_in(here, "boris")[0] == 429  # the same address
    form = {"mark": here.form_mark(), "name": "boris", "password": PASSWORD}
    assert here.client.post("/login", data=form).headers["retry-after"] == "900"
    here.clock.go(minutes=15)
    assert log_in(here, "anna")[0] == 303


def test_nobody_else_locks_a_browser_out_that_somebody_logged_in_with(here: Site) -> None:
    """Wrong passwords from the same address, for the same name, as fast as they are let: the right person comes in."""
    assert log_in(here, "anna")[0] == 303
    known = here.client.cookies[KNOWN_COOKIE]
    for _ in range(MOST_TRIES):
        assert log_in(here, "anna", "a wrong password")[0] == 401
    assert log_in(here, "anna")[0] == 429
    found = {}
    for name in ("boris", "anna"):  # it is anna's
        form = {"mark": here.form_mark(), "name": name, "password": PASSWORD}
        here.client.cookies.set(KNOWN_COOKIE, known)
        reply = here.client.post("/login", data=form)
        found[name] = reply.status_code, KNOWN_COOKIE in reply.cookies
    assert found == {"boris": (429, False), "anna": (303, False)}


def test_logging_in_needs_the_form_that_we_gave(here: Site) -> None:
    """Login CSRF: a foreign page could log a victim in as somebody else."""
    good = here.form_mark()
    here.client.cookies.clear()
    for mark in (good, "", "0" * 64):
        reply = here.client.post("/login", data={"mark": mark, "name": "anna", "password": PASSWORD})
        assert reply.status_code == 403
        assert SESSION_COOKIE not in here.client.cookies


def test_a_session_that_was_planted_is_not_the_one_that_opens(here: Site) -> None:
    """Session fixation: whatever the browser sends, logging in makes a new secret, and the old one opens nothing."""
    here.come_in("tina")
    planted = here.client.cookies[SESSION_COOKIE]
    here.client.get("/login")
    mark = re.search(r'name="mark" value="(\w+)"', here.client.get("/login").text)
    assert mark
    reply = here.client.post("/login", data={"mark": mark[1], "name": "anna", "password": PASSWORD})
    assert reply.status_code == 303
    fresh = reply.cookies[SESSION_COOKIE]
    assert fresh != planted
    assert session_of(here.office, planted) is None
    for invented in ("x" * 43, "", "a" * 5000):
        here.client.cookies.clear()
        here.client.cookies.set(SESSION_COOKIE, invented)
        assert here.client.get("/administration").status_code == 303


def test_a_session_ends_when_one_logs_out_and_after_twelve_hours(here: Site) -> None:
    mark = here.come_in("anna")
    secret = here.client.cookies[SESSION_COOKIE]
    assert here.client.post("/logout", data={"mark": mark}).headers["location"] == "/"
    here.client.cookies.set(SESSION_COOKIE, secret)
    assert here.client.get("/administration").status_code == 303
    here.come_in("anna")
    here.clock.go(hours=12)
    assert here.client.get("/administration").status_code == 303


def test_who_is_shut_out_is_out_at_once(here: Site) -> None:
    here.come_in("tina")
    assert here.client.get("/account").status_code == 200
    accounts.set_disabled(here.office, "host", "tina", is_disabled=True)
    assert here.client.get("/account").status_code == 303
    assert log_in(here, "tina")[0] == 401


# The person at the machine.


def test_the_link_of_the_machine_works_once_and_looking_at_it_uses_nothing_up(lonely: Site) -> None:
    link = make_link(lonely.office)
    for _ in range(3):
        page = lonely.client.get(f"/machine/{link}")
        assert page.status_code == 200
    mark = re.search(r'name="mark" value="(\w+)"', page.text)
    assert mark
    reply = lonely.client.post("/machine", data={"mark": mark[1], "link": link})
    assert (reply.status_code, reply.headers["location"]) == (303, "/administration")
    assert lonely.client.get("/administration").status_code == 200
    mine = lonely.form_mark()
    assert lonely.client.post("/machine", data={"mark": mine, "link": link}).status_code == 403
    assert lonely.client.post("/machine", data={"mark": mine, "link": "guess"}).status_code == 403
    assert lonely.client.post("/machine", data={"mark": "0" * 64, "link": make_link(lonely.office)}).status_code == 403


def test_without_accounts_the_login_page_says_how_one_comes_in(lonely: Site) -> None:
    page = lonely.client.get("/login").text
    assert "Nobody has an account here yet" in page
    assert "crosstable office users add" in page


def test_a_link_that_is_too_old_opens_nothing(lonely: Site) -> None:
    link = make_link(lonely.office)
    lonely.clock.now += timedelta(minutes=30)
    mark = lonely.form_mark()
    assert lonely.client.post("/machine", data={"mark": mark, "link": link}).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "testserver.evil"])
def test_another_host_name_is_refused(lonely: Site, host: str) -> None:
    """DNS rebinding: a foreign name that leads to this machine gets nothing, not even a public page."""
    for path in ("/", "/login", "/administration", "/api/v1/office"):
        assert lonely.client.get(path, headers={"Host": host}).status_code == 421


def test_names_of_this_machine_are_its_own() -> None:
    assert {"127.0.0.1", "localhost", "[::1]"} <= Settings("office.db").allowed_hosts


# Limits.


def test_a_wrong_old_password_counts_as_a_try_to_log_in(here: Site) -> None:
    """Whoever finds an open browser does not find the password in it, however often they try."""
    mark = here.come_in("tina")
    for _ in range(MOST_TRIES - 1):
        form = {"mark": mark, "old": "not the password", "new": "another password"}
        assert here.client.post("/account/password", data=form).status_code == 403
    right = {"mark": mark, "old": PASSWORD, "new": PASSWORD + "!"}
    assert here.client.post("/account/password", data={**right, "old": "nor this one"}).status_code == 403
    refused = here.client.post("/account/password", data=right)
    assert (refused.status_code, "Try again in 15 minutes" in refused.text) == (429, True)
    assert refused.headers["retry-after"] == "900"
    here.clock.go(minutes=16)
    assert here.client.post("/account/password", data=right).status_code == 303
    assert failures(here.office) == 0


def test_sixty_calls_a_minute_from_an_address_and_the_reply_says_so(here: Site) -> None:
    here.client.app.state.limiter.most = 60  # type: ignore[attr-defined]
    here.client.cookies.clear()
    left = []
    for _ in range(60):
        reply = here.client.post("/upload", data={"nothing": "at all"})
        assert reply.status_code == 400
        left.append(int(reply.headers["ratelimit-remaining"]))
    assert left == list(range(59, -1, -1))
    refused = here.client.post("/upload", data={"nothing": "at all"})
    assert refused.status_code == 429
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert refused.headers["ratelimit-limit"] == "60"
    here.come_in("tina")  # who is known may ask more
    assert here.client.post("/upload", data={"nothing": "at all"}).status_code == 400


def test_a_limiter_begins_anew_each_minute_and_forgets_old_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("crosstable.web.limits._MOST_ADDRESSES", 2)
    limiter = Limiter(2, lambda: now[0])
    assert [limiter.take("a").is_granted for _ in range(3)] == [True, True, False]
    now[0] += 59.9
    assert not limiter.take("a").is_granted
    now[0] += 0.1
    assert limiter.take("a").is_granted
    for other in ("b", "c"):
        now[0] += 1.0
        assert limiter.take(other).left == 1
    assert limiter.take("a").left == 1  # forgotten, for two others came since


def test_workers_count_calls_together(tmp_path: Path) -> None:
    """Two that have the same file are as one; another file is another count."""
    one, other = (Limiter(60, shared=str(tmp_path / "counts")) for _ in range(2))
    assert sum(limiter.take("192.0.2.1").is_granted for _ in range(75) for limiter in (one, other)) == 60
    assert other.take("192.0.2.2").left == 59
    assert one.look("192.0.2.1") == other.look("192.0.2.1")
    assert (tmp_path / "counts").stat().st_mode & 0o077 == 0
    assert Limiter(60, shared=str(tmp_path / "others")).take("192.0.2.1").left == 59


@pytest.mark.parametrize("path", ["/upload", "/login", "/api/v1/submissions", "/administration/rate"])
def test_a_body_that_is_too_long_is_not_read(here: Site, path: str) -> None:
    headers = {"Content-Length": str(11 * 1024 * 1024), "Content-Type": "application/octet-stream"}
    reply = here.client.post(path, content=b"x", headers=headers)
    assert reply.status_code == 413
    assert "at most 10 MB" in reply.text
    if path.startswith("/api/"):
        assert reply.json()["instance"] == path
    else:
        assert reply.headers["content-type"].startswith("text/html")


def test_a_body_that_does_not_say_how_long_it_is_is_counted(here: Site) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(12 * 16):
            yield b"x" * 65_536

    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    assert here.client.post("/upload", content=endless(), headers=headers).status_code in (400, 413)
    here.token("tina")
    assert here.client.post("/upload", content=endless(), headers={"Content-Type": "text/plain"}).status_code == 400


# The second factor.


def with_password(here: Site, name: str = "anna", onward: str = "") -> str:
    """Log in with the password; where that leads to."""
    form = {"mark": here.form_mark(), "name": name, "password": PASSWORD, "next": onward}
    return str(here.client.post("/login", data=form).headers["location"])


def with_code(here: Site, code: str, onward: str = "") -> Any:
    mark = mark_of(here.client.cookies[FORM_COOKIE])
    return here.client.post("/login/code", data={"mark": mark, "code": code, "next": onward})


def test_the_office_logs_in_with_a_second_factor_when_that_is_switched_on(here: Site) -> None:
    switch(here.office, AUTHOR, TOTP, on=True)
    assert with_password(here, "tina") == "/my-events", "directors need none"
    assert with_password(here, onward="/administration/members") == "/login/code?next=%2Fadministration%2Fmembers"
    assert here.client.get("/administration").status_code == 303, "a password alone opens nothing"
    page = here.client.get("/login/code")
    key = begin_enrolling(here.office, "anna")
    assert " ".join(key[at : at + 4] for at in range(0, len(key), 4)) in page.text
    assert "otpauth://totp/" in page.text
    assert with_code(here, "000000").status_code == 401
    reply = with_code(here, code_of(key, step_at(here.clock.now)), "/administration/members")
    codes = re.findall(r"<code>([0-9a-f]{5}-[0-9a-f]{5})</code>", reply.text)
    assert (reply.status_code, len(codes)) == (200, 10)
    assert "/administration/members" in reply.text
    assert here.client.get("/administration").status_code == 200
    assert with_password(here) == "/login/code"
    assert key not in here.client.get("/login/code").text
    assert with_code(here, code_of(key, step_at(here.clock.now))).status_code == 401, "it was used"
    assert with_code(here, codes[0]).headers["location"] == "/administration"
    assert here.client.get("/administration").status_code == 200


def test_codes_cannot_be_tried_without_end_nor_without_the_password(here: Site) -> None:
    switch(here.office, AUTHOR, TOTP, on=True)
    here.form_mark()
    assert here.client.get("/login/code").headers["location"] == "/login"
    assert with_code(here, "000000").headers["location"] == "/login"
    assert with_password(here) == "/login/code"
    here.client.get("/login/code")
    replies = [with_code(here, "000000").status_code for _ in range(11)]
    assert replies == [401] * 10 + [429]
    here.clock.go(minutes=20)
    assert with_code(here, "000000").headers["location"] == "/login", "half a login does not last"
