"""A site with people: an office with accounts of every role, and clients that are logged in as one of them.

Two affiliates have an event each: ``own`` belongs to that of the director and the club, ``other`` to another one. The
first event lies in a published period, the second does not.
"""

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from crosstable.office import accounts
from crosstable.office.accounts import NewAccount, Role, add_account
from crosstable.office.credentials import NewToken, Scope, add_token, open_session
from crosstable.office.database import Office
from crosstable.office.published import Month
from crosstable.office.supplements import Basis, publish
from crosstable.terms import Report
from crosstable.web.app import create_app
from crosstable.web.gate import FORM_COOKIE, SESSION_COOKIE, mark_of
from crosstable.web.settings import Settings
from tests.engine.wallcharts import Played
from tests.office.made_office import AUTHOR, HandClock, club_members, document, enter, join, put_filled, quad, run
from tests.web.client import HOST, TestClient

PASSWORD = "correct horse battery"
OWN, OTHER = "A1111111", "B2222222"
PEOPLE = {
    "anna": NewAccount("anna", Role.OFFICE),
    "boris": NewAccount("boris", Role.OFFICE),
    "tina": NewAccount("tina", Role.TD, OWN),
    "otto": NewAccount("otto", Role.TD, OTHER),
    "clara": NewAccount("clara", Role.CLUB, OWN),
    "rosa": NewAccount("rosa", Role.RESEARCH),
}
EARLY, LATE, TODAY = Played(start=date(2026, 7, 4)), Played(start=date(2026, 11, 7)), Played(start=date(2026, 11, 14))
MARK = re.compile(r'name="mark" value="([0-9a-f]{64})"')
VERSION = re.compile(r'name="version" value="(\d+:\d+)"')


def belonging(made: Report, affiliate: str) -> Report:
    """An event of an affiliate."""
    return made._replace(details={"affiliate": affiliate})


def a_club(office: Office) -> None:
    """Members, an event of each affiliate, and a list between the two."""
    join(office, *club_members())
    enter(office, belonging(quad("own", EARLY), OWN), belonging(quad("other", EARLY), OTHER))
    run(office)
    publish(office, AUTHOR, Month(2026, 11), Basis.PLAYED)
    enter(office, belonging(quad("own-late", LATE), OWN))
    run(office)


def with_people(office: Office) -> None:
    """The same with accounts, whose hashes cost little."""
    a_club(office)
    cheap = accounts.PASSES, accounts.MEMORY_KIB
    accounts.PASSES, accounts.MEMORY_KIB = 1, 1024
    for person in PEOPLE.values():
        add_account(office, "host", person, PASSWORD)
    accounts.PASSES, accounts.MEMORY_KIB = cheap


class Site:
    """A running site and its office."""

    def __init__(self, client: TestClient, office: Office, clock: HandClock) -> None:
        self.client = client
        self.office = office
        self.clock = clock

    def come_in(self, name: str) -> str:
        """Log in without the form; returns the mark of the session. The empty name is the person at the machine."""
        self.client.cookies.clear()
        if name == "nobody":
            return ""
        secret = open_session(self.office, "" if name == "machine" else name)
        self.client.cookies.set(SESSION_COOKIE, secret)
        return mark_of(secret)

    def accept(self, name: str, event_id: str, **fields: str) -> tuple[int, str]:
        """Accept what waits of an event as its page shows it."""
        mark = self.come_in(name)
        shown = VERSION.findall(self.client.get(f"/administration/events/{event_id}").text)
        given = {"mark": mark, "version": shown, "reason": "seen", **fields}
        reply = self.after(self.client.post(f"/administration/events/{event_id}/confirm", data=given))
        return reply.status_code, html.unescape(reply.text)

    def after(self, reply: Any) -> Any:
        """The page that says what became of something, where a reply leads there; else the reply itself."""
        location = reply.headers.get("location", "")
        return self.client.get(location) if location.startswith(("/administration/done", "/my-events/")) else reply

    def form_mark(self) -> str:
        """The mark of a form that is given to somebody who is not logged in."""
        self.client.cookies.clear()
        self.client.get("/login")
        return mark_of(self.client.cookies[FORM_COOKIE])

    def token(self, owner: str, scope: Scope = Scope.SUBMIT, affiliate: str = "") -> dict[str, str]:
        """The header of a program with a new token."""
        self.client.cookies.clear()
        _, secret = add_token(self.office, "host", NewToken(owner, scope, affiliate))
        return {"Authorization": f"Bearer {secret}"}


@contextmanager
def site(folder: Path, *, has_accounts: bool = True) -> Iterator[Site]:
    """A site on a copy of the office, with a clock that is set by hand."""
    path = folder / "office.db"
    put_filled(with_people if has_accounts else a_club, path)
    app = create_app(Settings(str(path), hosts=(HOST,), watch_every=0.2))
    clock = HandClock()
    app.state.reading.office.clock = clock
    app.state.limiter.most = 100_000
    app.state.limiter.clock = lambda: 1000.0  # calls of one minute, however long they take here
    with TestClient(app, follow_redirects=False, raise_server_exceptions=False) as client:
        app.state.reading.renew()  # a busy machine may not have read the record when the site starts
        yield Site(client, app.state.reading.office, clock)


def event_file(made: Report) -> tuple[str, tuple[str, bytes]]:
    """An event as a form sends it."""
    return "files", (f"{made.event_id}.json", document(made).content)
