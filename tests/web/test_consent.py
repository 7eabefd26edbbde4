"""Consent switched on: what reaches into a published period or sets a rating by hand takes two people.

The first version let one person pass by five ways; each is a test that it would fail:

1. an invented event of the past: ``test_bypass_1_one_of_the_office_does_not_invent_an_event_of_the_past``
2. the token of a director: ``test_bypass_2_a_token_of_a_director_rates_no_event_of_the_past``
3. a floor: ``test_bypass_3_a_floor_is_a_rating_by_hand``
4. a name that looks like an approval: ``tests/cli/test_office_consent.py``,
   ``test_bypass_4_a_name_does_not_look_like_an_approval``
5. a second account that nobody sees made: the same file, ``test_bypass_5_accounts_of_the_office_take_two_as_well``
"""

import html
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from crosstable.office import accounts
from crosstable.office.account_tables import account
from crosstable.office.audit import audit
from crosstable.office.consent import switch_consent
from crosstable.office.credentials import session_name
from crosstable.office.ledger.journal import Author
from crosstable.office.ledger.journal import head as newest
from crosstable.office.proposals import proposals
from crosstable.office.security_log import security_entries
from tests.engine.wallcharts import Played
from tests.office.made_office import member_id, posted, quad
from tests.web.people import OWN, Site, belonging, event_file, site

HOST = Author("host", "two of us")
INVENTED = Played(start=date(2024, 3, 4))
DRAWN = "1 =1 | D2 D3\n2 =2 | D1 W3\n3 =3 | D1 L2"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(accounts, "PASSES", 1)
    monkeypatch.setattr(accounts, "MEMORY_KIB", 1024)
    with site(tmp_path) as made:
        switch_consent(made.office, HOST, on=True)
        yield made


def posted_events(made: Site) -> set[str]:
    return {about.event_id for about in posted(made.office)}


def did(made: Site, who: str, path: str, **fields: str) -> str:
    reply = made.after(made.client.post(path, data={"mark": made.come_in(who), "reason": "x", **fields}))
    return html.unescape(reply.text)


def sent(made: Site, who: str, played: Played, event_id: str = "invented") -> str:
    file = event_file(belonging(quad(event_id, played, DRAWN), OWN))
    fields = {"mark": made.come_in(who)}
    return html.unescape(made.client.post("/upload/submit", data=fields, files=[file], follow_redirects=True).text)


def test_bypass_1_one_of_the_office_does_not_invent_an_event_of_the_past(here: Site) -> None:
    before = posted(here.office)
    assert "held" in sent(here, "anna", INVENTED)
    assert posted(here.office) == before
    code, said = here.accept("anna", "invented")
    assert (code, "takes two people" in said) == (200, True)
    assert posted(here.office) == before
    here.come_in("boris")
    shown = html.unescape(here.client.get("/administration/proposals/1").text)
    assert "would change" in shown
    assert "Member, Boris 1" in shown  # whose rating changes is seen before anybody agrees
    did(here, "boris", "/administration/proposals/1/approve")
    assert "invented" in posted_events(here)


def test_bypass_2_a_token_of_a_director_rates_no_event_of_the_past(here: Site) -> None:
    headers, before = here.token("tina"), posted(here.office)
    _, (name, content) = event_file(belonging(quad("invented", INVENTED, DRAWN), OWN))
    reply = here.client.post(f"/api/v1/submissions?name={name}", content=content, headers=headers)
    assert (reply.status_code, reply.json()["status"], reply.json()["run"]) == (202, "held", None)
    (found,) = [one for one in reply.json()["faults"] if one["code"] == "late-submission"]
    assert found["message"] == (
        "The section ended on March 4, 2024; supplements are published through October 21, 2026: "
        "986 days ago (limit 60)."
    )
    assert posted(here.office) == before


def test_a_director_does_not_accept_a_late_event_by_correcting_it(here: Site) -> None:
    sent(here, "tina", INVENTED)
    other = event_file(belonging(quad("invented", INVENTED), OWN))
    fields = {"mark": here.come_in("tina"), "event": "invented", "reason": "the slip"}
    here.client.post("/upload/submit", data=fields, files=[other])
    assert "invented" not in posted_events(here)


def test_bypass_3_a_floor_is_a_rating_by_hand(here: Site) -> None:
    floor = {"member": member_id(2), "system": "OTBR", "level": "2200", "effective": "2026-10-22"}
    assert "takes two people" in did(here, "anna", "/administration/decisions/floor", **floor)
    assert "takes two people" in did(
        here, "anna", "/administration/decisions/floor", **{**floor, "effective": "2026-11-20"}
    )
    assert "takes two people" in did(here, "anna", "/administration/decisions/life-master", member=member_id(2))
    assert [one.wish.kind.value for one in proposals(here.office)] == ["decide"] * 3


def test_an_approval_names_the_session_that_gave_it(here: Site) -> None:
    did(here, "anna", "/administration/events/own/withdraw")
    mark = here.come_in("boris")
    session = session_name(here.client.cookies["crosstable_session"])
    here.client.post("/administration/proposals/1/approve", data={"mark": mark})
    with here.office.reading() as connection:
        entries = security_entries(connection)
        made = next(one for one in entries if one.kind == "approved")
        assert newest(connection) is not None
    assert (made.actor, made.subject, made.details["credential"]) == ("boris", "proposal 1", f"session {session}")
    logins = [one.details["session"] for one in entries if one.kind == "office login"]
    assert session in logins  # and the login is in the same chain
    assert audit(here.office).findings == ()


def test_a_club_of_one_works_alone(here: Site) -> None:
    """Nobody else is there to ask; and consent that one person switched off holds for a week."""
    with here.office.writing_accounts("a test", "one leaves") as connection:
        connection.execute(account.delete().where(account.c.name == "boris"))
    switch_consent(here.office, HOST, on=False)
    here.clock.go(days=6)
    assert "takes two people" in did(here, "anna", "/administration/events/own/withdraw")
    did(here, "anna", "/administration/proposals/1/refuse")
    here.clock.go(days=2)
    assert "It is in the record" in did(here, "anna", "/administration/events/own/withdraw")
    assert "own" not in posted_events(here)
