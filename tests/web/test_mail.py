"""Notices that reach a director: by mail, through a small SMTP server of the test's own, and as an Atom feed."""

import asyncio
import logging
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from email import message_from_bytes, policy
from smtplib import SMTPNotSupportedError
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from crosstable.errors import OfficeError
from crosstable.office.accounts import mail_address, set_disabled, set_mail_address
from crosstable.office.mail_server import PREFIX, SITE, MailServer, mail_server
from crosstable.web.app import _mail
from crosstable.web.mail import send_due
from tests.office.made_office import report, run, section, send
from tests.web.people import OTHER, OWN, TODAY, Site, belonging, site
from tests.web.told import told

ATOM = "{http://www.w3.org/2005/Atom}"
SENDER, ADDRESS = "ratings@example.org", "https://ratings.example.org"


class Postman(socketserver.StreamRequestHandler):
    """The SMTP of one connection (RFC 5321), without extensions; nobody@example.org is not known."""

    def handle(self) -> None:
        letters: list[bytes] = self.server.letters  # type: ignore[attr-defined]
        self.wfile.write(b"220 here\r\n")
        for line in self.rfile:
            command = line[:4].upper()
            if command == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                letters.append(b"".join(iter(self.rfile.readline, b".\r\n")))
            is_unknown = command == b"RCPT" and b"nobody@" in line
            done = b"550 unknown\r\n" if is_unknown else b"250 ok\r\n"
            self.wfile.write(b"221 bye\r\n" if command == b"QUIT" else done)


@contextmanager
def post_office(port: int = 0) -> Iterator[tuple[MailServer, list[Any]]]:
    """A mail server that runs, and the letters it was given."""
    socketserver.ThreadingTCPServer.allow_reuse_address = True
    with socketserver.ThreadingTCPServer(("127.0.0.1", port), Postman) as server:
        letters: list[Any] = []
        server.letters = letters  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield MailServer("127.0.0.1", server.server_address[1], "none", SENDER, ADDRESS), letters
        server.shutdown()


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("HOST", "127.0.0.1"), ("FROM", SENDER), ("TLS", "none")):
            patch.setenv(f"{PREFIX}{name}", value)
        patch.setenv(SITE, ADDRESS)
        with site(tmp_path_factory.mktemp("mail")) as made:
            yield made


def sent(here: Site, event_id: str, affiliate: str, chart: str, name: str) -> None:
    """An event comes in and is not yet rated."""
    send(here.office, belonging(report(event_id, section(chart, TODAY), name=name), affiliate))
    here.clock.now += timedelta(seconds=1)


def test_news_of_their_events_are_mailed_to_directors_who_gave_an_address(here: Site) -> None:
    mark = here.come_in("tina")
    assert "Mail address" in here.client.get("/account").text
    assert here.client.post("/account/mail", data={"mark": mark, "mail": "no address"}).status_code == 409
    reply = here.client.post("/account/mail", data={"mark": mark, "mail": "tina@example.org"})
    assert reply.headers["location"] == "/account#mail"
    assert 'value="tina@example.org"' in here.client.get("/account").text
    set_mail_address(here.office, "host", "otto", "nobody@example.org")
    with post_office() as (server, letters):
        assert send_due(here.office, server) == 0  # what was done before is no news
        sent(here, "mailed", OWN, "1 =1 | W2\n2 =2 | L1", "Öpen, Bcc: all@example.org")
        assert send_due(here.office, server, settled=5.0) == 0  # it may be rated in a second
        assert send_due(here.office, server) == 1
        assert send_due(here.office, server) == 0
        first = message_from_bytes(letters[0], policy=policy.default)
        assert (first["From"], first["To"], first["Bcc"]) == (SENDER, "tina@example.org", None)
        text = first.get_content()
        assert first["Subject"] == "Öpen, Bcc: all@example.org: waiting"
        assert "submitted event mailed, 1 section" in text
        assert f"{ADDRESS}/my-events/mailed" in text
        run(here.office)
        here.clock.now += timedelta(seconds=1)
        assert send_due(here.office, server) == 1  # it was waiting when it was told of
        assert ": rated" in message_from_bytes(letters[1], policy=policy.default)["Subject"]
        sent(here, "one", OWN, "1 =3 | W2\n2 =4 | L1", "")
        sent(here, "two", OWN, "1 =5 | W2\n2 =6 | L1", "")
        send_due(here.office, server)
        assert message_from_bytes(letters[2], policy=policy.default)["Subject"] == "News of 2 events"
        set_disabled(here.office, "host", "tina", is_disabled=True)
        sent(here, "three", OWN, "1 =7 | W2\n2 =8 | L1", "")
        assert (send_due(here.office, server), len(letters)) == (0, 3)
        set_disabled(here.office, "host", "tina", is_disabled=False)
        set_mail_address(here.office, "host", "tina", "")


def test_an_address_that_is_refused_is_not_tried_again_and_none_is_no_mail(
    here: Site, caplog: pytest.LogCaptureFixture
) -> None:
    set_mail_address(here.office, "host", "otto", "nobody@example.org")
    sent(here, "refused", OTHER, "1 =1 | W2\n2 =2 | L1", "")
    with post_office() as (server, letters):
        assert [send_due(here.office, server) for _ in "12"] == [0, 0]
        assert caplog.text.count("mail to otto was refused") == 1
        sent(here, "secret", OTHER, "1 =3 | W2\n2 =4 | L1", "")
        with pytest.raises(SMTPNotSupportedError):  # never in clear where it was to be secret
            send_due(here.office, server._replace(security="starttls"))
        set_mail_address(here.office, "host", "otto", "")
        assert (mail_address(here.office, "otto"), send_due(here.office, server), letters) == ("", 0, [])
    mark = here.come_in("rosa")
    assert "Mail address" not in here.client.get("/account").text
    assert here.client.post("/account/mail", data={"mark": mark, "mail": "a@example.org"}).status_code == 403


def test_a_mail_server_that_is_down_is_told_in_the_log_and_the_mail_comes_later(
    here: Site, caplog: pytest.LogCaptureFixture
) -> None:
    set_mail_address(here.office, "host", "tina", "tina@example.org")
    sent(here, "later", OWN, "1 =1 | W2\n2 =2 | L1", "")
    here.clock.now += timedelta(seconds=1)
    with post_office() as (server, _):
        pass  # the port is free again, and nobody listens
    state = SimpleNamespace(
        settings=SimpleNamespace(mail_every=0.01), mail_server=server, reading=SimpleNamespace(office=here.office)
    )

    async def story() -> list[Any]:
        task = asyncio.create_task(_mail(SimpleNamespace(state=state)))  # type: ignore[arg-type]
        with caplog.at_level(logging.WARNING):
            while "is tried again" not in caplog.text:
                await asyncio.sleep(0.01)
        with post_office(server.port) as (_, letters):
            while not letters:
                await asyncio.sleep(0.01)
        task.cancel()
        return letters

    assert len(told(story())) == 1


GOOD = {"HOST": "mail.example.org", "FROM": SENDER}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"FROM": ""}, "mail needs CROSSTABLE_SMTP_FROM"),
        ({"TLS": "yes"}, "starttls, tls or none"),
        ({"PORT": "smtp"}, "no port"),
        ({"TLS": "none", "PASSWORD": "secret"}, "in clear"),
    ],
)
def test_half_a_setting_of_mail_is_refused(more: dict[str, str], said: str) -> None:
    given = {f"{PREFIX}{name}": value for name, value in {**GOOD, **more}.items()}
    with pytest.raises(OfficeError, match=said):
        mail_server({**given, SITE: ADDRESS})
    assert mail_server({}) is None
    whole = {f"{PREFIX}{name}": value for name, value in {**GOOD, "USER": "u", "PASSWORD": "p"}.items()}
    assert mail_server({**whole, SITE: f"{ADDRESS}/"}) == MailServer(
        "mail.example.org", 587, "starttls", SENDER, ADDRESS, "u", "p"
    )


def test_a_feed_has_the_notices_of_my_events_for_whoever_has_its_address(here: Site) -> None:
    mark = here.come_in("tina")
    made = here.client.post("/my-events/feed", data={"mark": mark}).text
    address = made.partition("<code>")[2].partition("</code>")[0]
    here.come_in("nobody")
    reply = here.client.get(address)
    assert (reply.headers["content-type"], reply.headers["cache-control"]) == ("application/atom+xml", "no-store")
    entries = ElementTree.fromstring(reply.content).findall(f"{ATOM}entry")
    titles = [one.findtext(f"{ATOM}title") for one in entries]
    assert any("own-late: registrar submitted event own-late" in str(title) for title in titles)
    assert not any("other" in str(title) for title in titles)
    assert all(one.findtext(f"{ATOM}author/{ATOM}name") and one.findtext(f"{ATOM}updated") for one in entries)
    assert here.client.get(f"{address}x").status_code == 404
    mark = here.come_in("tina")
    here.client.post("/my-events/feed", data={"mark": mark})
    assert here.client.get(address).status_code == 404  # a new one ends the one before
    mark = here.come_in("anna")
    assert here.client.post("/my-events/feed", data={"mark": mark}).headers["location"] == "/administration"
