"""The administration: what waits, corrections and decisions, two people for published periods, runs, lists."""

import html
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from crosstable.errors import OfficeBusyError
from crosstable.office import accounts
from crosstable.office.accounts import proven
from crosstable.office.audit import audit
from crosstable.office.corrections import ChangedResult, correct_result, withdraw
from crosstable.office.credentials import bearer_of, tokens
from crosstable.office.ledger.journal import Author, EntryKind, JournalEntry, act_of, head
from crosstable.office.members import import_members
from crosstable.office.proposals import ProposalState, proposals
from crosstable.office.status import administration_status, status
from crosstable.office.views import known
from tests.office.made_office import member_id, person, posted, quad, send
from tests.web.people import OWN, PASSWORD, TODAY, Site, belonging, site

WRONG_RESULT = {"section": "1", "player": "1", "round": "1", "result": "L2", "reason": "the slip says so"}


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


def did(made: Site, who: str, path: str, **fields: str) -> tuple[int, str]:
    """What somebody's form gives."""
    mark = made.come_in(who)
    reply = made.after(made.client.post(path, data={"mark": mark, **fields}))
    return reply.status_code, html.unescape(reply.headers.get("location") or reply.text)


def saw(made: Site, who: str, path: str) -> str:
    made.come_in(who)
    reply = made.client.get(path)
    assert reply.status_code == 200, reply.text
    return html.unescape(reply.text)


def newest_entry(made: Site) -> JournalEntry:
    """The newest entry of the journal that is no rating run."""
    with made.office.reading() as connection:
        act = head(connection)
        while act is not None and act.kind is EntryKind.RATE:
            act = act_of(connection, act.seq - 1)
    assert act is not None
    return act


def newest_actor(made: Site) -> tuple[str, str]:
    act = newest_entry(made)
    return act.kind.value, act.author


def test_the_desk_shows_what_waits(here: Site) -> None:
    page = saw(here, "anna", "/administration")
    for words in ("everything is rated", "None open", "November 2026"):
        assert words in page
    send(here.office, quad("held", TODAY, "1 =1 | W2\n2 =77 | L1"))
    send(here.office, quad("fine", TODAY))
    page = saw(here, "anna", "/administration")
    assert "2 journal entries wait" in page
    assert 'href="/administration/events/held"' in page
    assert "(1 error)" in page
    assert "Nobody here has the id 10000077" in saw(here, "anna", "/administration/events/held")
    mark = here.come_in("anna")
    assert here.client.get("/administration/event?id=held").headers["location"] == "/administration/events/held"
    assert here.client.get("/administration/events/nowhere").status_code == 409
    assert mark


def test_the_desk_of_a_large_office_shows_the_first_of_everything(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is read that is not shown: not what waits behind the first, not whom many acts touch."""
    for name in ("held-1", "held-2", "held-3"):
        send(here.office, quad(name, TODAY, "1 =1 | W2\n2 =77 | L1"))
    found = administration_status(here.office, 2)
    assert [one.event_id for one in found.held.first] == ["held-1", "held-2"]
    assert (found.held.total, found.pending.total, len(found.pending.first)) == (3, 3, 2)
    monkeypatch.setattr("crosstable.web.pages.administration.MOST_SHOWN", 2)
    page = saw(here, "anna", "/administration")
    assert "held-2" in page
    assert "The first 2 of 3 sections" in page
    assert 'href="/administration/events/held-3"' not in page

    def slow(*given: object) -> None:
        raise AssertionError("read everything")

    monkeypatch.setattr("crosstable.office.status.MOST_LOOKED_AT", 0)
    monkeypatch.setattr("crosstable.office.status.is_pending", slow)
    assert administration_status(here.office, 2).pending.total == 3


def test_what_waits_is_what_the_whole_status_says(here: Site) -> None:
    """A version that was asked for, held, accepted or withdrawn since does not wait any more."""
    send(here.office, quad("held", TODAY, "1 =1 | W2\n2 =77 | L1"))
    send(here.office, quad("gone", TODAY, "1 =1 | W2\n2 =77 | L1"))
    withdraw(here.office, Author("host", "never played"), "gone")
    did(here, "tina", "/events/own-late/correction", **WRONG_RESULT)
    did(here, "tina", "/events/own/correction", **WRONG_RESULT)
    whole, desk = status(here.office), administration_status(here.office)
    asked_first = tuple(sorted(whole.requested, key=lambda one: one.act))
    assert (desk.held.first, desk.requested.first) == (whole.held, asked_first)
    assert [one.event_id for one in asked_first] == ["own-late", "own"]
    assert [one.event_id for one in whole.requested] == ["own", "own-late"]
    assert (desk.name, desk.members, desk.events) == (whole.name, whole.members, whole.events)
    assert (desk.pending.first, desk.lists) == (whole.pending, whole.lists)
    here.accept("anna", "own-late")
    assert [one.event_id for one in administration_status(here.office).requested.first] == ["own"]


def test_accounts_are_searched_for_where_there_are_many(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosstable.web.pages.administration_accounts.MOST_ACCOUNTS", 2)
    page = saw(here, "anna", "/account")
    assert "2 of 4 accounts, by name" in page
    assert "Disable otto" in page
    assert "Disable tina" not in page
    page = saw(here, "anna", "/account?q=TIN")
    assert "1 of 1 account like that" in page
    assert "Disable tina" in page
    assert "Disable" not in saw(here, "clara", "/account?q=otto")  # of another affiliate
    assert "Disable" not in saw(here, "anna", "/account?q=%25")
    assert did(here, "anna", "/account/others/tina/disable")[0] == 303  # whoever is shown or not


def test_a_run_tells_how_far_it_is_and_what_it_did(here: Site) -> None:
    send(here.office, quad("fine", TODAY))
    code, page = did(here, "anna", "/administration/rate")
    assert (code, "1 sections rated" in page) == (200, True)
    assert 'href="/ripples/' in page
    with here.office.reading() as connection:
        newest = head(connection)
    assert newest is not None
    assert (newest.kind, newest.actor) == (EntryKind.RATE, "anna")
    assert "Nothing to rate" in did(here, "anna", "/administration/rate")[1]
    assert audit(here.office).findings == ()


def test_a_run_that_meets_another_writer_says_who_that_is(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosstable.web.pages.administration.PATIENCE", 0.05)
    send(here.office, quad("fine", TODAY))
    mark = here.come_in("anna")
    with here.office.writing("registrar", "a long import"):
        page = here.client.post("/administration/rate", data={"mark": mark}).text
    assert "registrar is at work (a long import" in page


# Corrections.


def test_a_director_asks_and_one_of_the_office_accepts_outside_a_published_period(here: Site) -> None:
    code, page = did(here, "tina", "/events/own-late/correction", **WRONG_RESULT)
    assert (code, "The office looks at it" in page) == (200, True)
    assert "Asked for already" in saw(here, "tina", "/events/own-late/correction")
    page = saw(here, "anna", "/administration/events/own-late")
    assert "by tina: the slip says so" in re.sub(r"</?bdi>", "", page)
    assert "round 1 was W2 and is L2" in page
    before = posted(here.office)
    code, page = here.accept("anna", "own-late")
    assert (code, "It is in the record as entry" in page) == (200, True)
    did(here, "anna", "/administration/rate")
    assert posted(here.office) != before


def test_a_correction_in_a_published_period_takes_two(here: Site) -> None:
    before = posted(here.office)
    code, page = did(here, "anna", "/events/own/correction", **WRONG_RESULT)
    assert (code, "takes two people" in page) == (200, True)
    assert posted(here.office) == before
    assert status(here.office).pending == ()
    assert "waits for somebody else" in saw(here, "anna", "/administration")
    assert "/administration/proposals/1/approve" not in saw(here, "anna", "/administration/proposals/1")
    code, page = did(here, "anna", "/administration/proposals/1/approve")
    assert (code, "somebody else has to approve" in page) == (409, True)
    assert "/administration/proposals/1/approve" in saw(here, "boris", "/administration/proposals/1")
    assert did(here, "boris", "/administration/proposals/1/approve")[0] == 200
    assert newest_actor(here) == ("confirm", "anna, approved by boris")
    did(here, "boris", "/administration/rate")
    assert posted(here.office) != before
    assert audit(here.office).findings == ()
    assert did(here, "boris", "/administration/proposals/1/approve")[0] == 409  # once


def test_what_a_director_asks_for_in_a_published_period_takes_two_of_the_office(here: Site) -> None:
    did(here, "tina", "/events/own/correction", **WRONG_RESULT)
    code, page = here.accept("anna", "own", section="1")
    assert (code, "has to approve" in page) == (200, True)
    assert did(here, "boris", "/administration/proposals/1/approve")[0] == 200


def test_a_proposal_is_refused_or_taken_back(here: Site) -> None:
    for who in ("boris", "anna"):
        did(here, "anna", "/administration/events/own/withdraw", reason="never played")
        number = proposals(here.office)[0].number
        assert did(here, who, f"/administration/proposals/{number}/refuse") == (303, "/administration#proposals")
    assert {one.state for one in proposals(here.office)} == {ProposalState.REFUSED}
    assert "Settled lately" in saw(here, "anna", "/administration")


def test_the_own_event_is_corrected_at_once_before_anybody_is_rated_by_it(here: Site) -> None:
    send(here.office, belonging(quad("held", TODAY, "1 =1 | W2\n2 =77 | L1"), OWN))
    assert "is held" in saw(here, "tina", "/events/held/correction")
    fields = {"wrong": member_id(77), "right": member_id(2), "reason": "a wrong digit"}
    code, page = did(here, "tina", "/events/held/correction", **fields)
    assert (code, "Corrected (entry" in page, "rated again" in page) == (200, True, True)
    assert any(about.event_id == "held" for about in posted(here.office))


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"reason": ""}, 409),
        ({"section": "x"}, 422),
        ({"section": ""}, 422),
        ({"player": "99"}, 409),
        ({"round": "9"}, 409),
        ({"result": "Q9"}, 409),
        ({"result": "W2"}, 422),  # nothing differs
        ({"result": "W9"}, 409),
    ],
)
def test_a_correction_that_is_none_is_told_and_not_stored(here: Site, fields: dict[str, str], code: int) -> None:
    found, page = did(here, "anna", "/events/own-late/correction", **{**WRONG_RESULT, **fields})
    assert (found, "Traceback" in page) == (code, False)
    assert newest_actor(here)[0] == "submit"  # of the office as it was made


@pytest.mark.parametrize("text", ["a\x00b", "a\u202eb", "\x1b[2J"])
def test_what_cannot_be_printed_does_not_get_into_the_record(here: Site, text: str) -> None:
    """A server refuses some of it, and a terminal obeys some of it."""
    code, page = did(here, "anna", "/events/own-late/correction", **{**WRONG_RESULT, "reason": text})
    assert (code, "cannot be printed" in page) == (422, True)
    here.come_in("anna")
    assert here.client.get("/administration/events/a%00b").status_code == 404
    asks = {"event": text, "reason": text, "member": {"wrong": text, "right": text}}
    reply = here.client.post("/api/v1/corrections", json=asks, headers=here.token("tina"))
    assert (reply.status_code, len(reply.json()["errors"])) == (422, 4)


def test_the_office_withdraws_what_is_not_published_alone(here: Site) -> None:
    assert did(here, "anna", "/administration/events/own-late/withdraw", reason="")[0] == 409
    assert did(here, "anna", "/administration/events/own-late/withdraw", reason="x", section="one")[0] == 422
    code, page = did(here, "anna", "/administration/events/own-late/withdraw", reason="never played", section="1")
    assert (code, "It is in the record" in page) == (200, True)
    assert newest_actor(here) == ("withdraw", "anna")


def test_held_sections_are_accepted_with_their_new_players(here: Site) -> None:
    send(here.office, quad("held", TODAY, "1 =1 | W2\n2 =77 | L1"))
    code, page = here.accept("anna", "held")
    assert (code, "Nobody here has the id" in page) == (409, True)
    assert here.accept("anna", "held", new_members="yes")[0] == 200
    assert newest_actor(here) == ("confirm", "anna")
    assert here.accept("anna", "held")[0] == 409  # nothing waits


# Decisions and lists.


def test_a_floor_of_today_is_decided_by_one_and_one_of_the_past_by_two(here: Site) -> None:
    floor = {"member": member_id(1), "system": "OTBR", "level": "1300", "reason": "the committee"}
    assert (
        "It is in the record"
        in did(here, "anna", "/administration/decisions/floor", **floor, effective="2026-11-15")[1]
    )
    assert (
        "takes two people" in did(here, "anna", "/administration/decisions/floor", **floor, effective="2026-07-01")[1]
    )


def test_a_rating_by_hand_takes_two(here: Site) -> None:
    adjust = {
        "member": member_id(1),
        "system": "OTBR",
        "level": "1500",
        "games": "30",
        "reason": "an error of the past",
    }
    assert "takes two people" in did(here, "anna", "/administration/decisions/adjust", **adjust)[1]
    assert did(here, "boris", "/administration/proposals/1/approve")[0] == 200
    assert newest_actor(here) == ("decide", "anna, approved by boris")
    act = newest_entry(here)
    assert (act.after["value"], act.reason) == (1500.0, "an error of the past")


@pytest.mark.parametrize(
    ("kind", "fields", "code"),
    [
        ("floor", {}, 422),
        ("floor", {"member": "1", "system": "OTB", "level": "1300"}, 422),
        ("floor", {"member": "1", "system": "OTBR", "level": "nan"}, 422),
        ("floor", {"member": "1", "system": "OTBR", "level": "1300", "effective": "tomorrow"}, 422),
        ("floor", {"member": "1", "system": "OTBR", "level": "1300"}, 409),  # nobody has this id
        ("revoke", {"act": "²"}, 422),
        ("revoke", {"act": "1"}, 409),
        ("waive-match", {"event": "own-late", "section": "1"}, 409),
        ("fact", {}, 404),
        ("nothing", {}, 404),
    ],
)
def test_a_decision_that_is_none_is_told(here: Site, kind: str, fields: dict[str, str], code: int) -> None:
    assert did(here, "anna", f"/administration/decisions/{kind}", reason="x", **fields)[0] == code
    assert did(here, "anna", "/administration/decisions/opt-in", member=member_id(1))[0] == 409  # without a reason
    assert newest_actor(here)[0] == "submit"  # of the office as it was made


def test_every_decision_has_a_form_with_its_fields(here: Site) -> None:
    page = saw(here, "anna", "/administration/decisions")
    for kind in ("floor", "money-floor", "adjust", "revoke", "waive-match", "opt-out"):
        assert f'action="/administration/decisions/{kind}"' in page


def test_a_fact_about_somebody_who_is_published_takes_two(here: Site) -> None:
    """A birth date may move the start of somebody whose rating is published."""
    fact = {"member": member_id(8), "fact": "birth-date", "value": "2014-02-03", "reason": "a letter"}
    assert "It is in the record" in did(here, "anna", "/administration/facts", **fact)[1]  # never rated
    assert "takes two people" in did(here, "anna", "/administration/facts", **{**fact, "member": member_id(1)})[1]
    assert "birth date of member 10000001" in saw(here, "boris", "/administration")
    assert did(here, "boris", "/administration/proposals/1/approve")[0] == 200
    with here.office.reading() as connection:
        people = known(connection).record.people([member_id(1), member_id(8)])
    assert [one.birth_date for one in people.values()] == [date(2014, 2, 3)] * 2
    for changed in ({"value": "soon"}, {"member": "1"}, {"reason": ""}):
        assert did(here, "anna", "/administration/facts", **{**fact, **changed})[0] == 409
    assert did(here, "anna", "/administration/facts", **{**fact, "fact": "member-id"})[0] == 422


def test_two_ids_of_one_person_are_merged_by_two_where_one_is_published(here: Site) -> None:
    import_members(here.office, Author("anna", "new"), [person(9), person(10)])
    merge = {"member": member_id(9), "into": member_id(10), "reason": "the same person"}
    assert "It is in the record" in did(here, "anna", "/administration/merge", **merge)[1]  # neither has a rating
    merge = {"member": member_id(5), "into": member_id(1), "reason": "the same person"}
    assert "takes two people" in did(here, "anna", "/administration/merge", **merge)[1]


def test_a_list_is_published_by_two(here: Site) -> None:
    code, page = did(here, "anna", "/administration/publish", month="2026-12", basis="now")
    assert (code, "takes two people" in page) == (200, True)
    assert status(here.office).lists == ("2026-11",)
    assert "publish the list of 2026-12 (now)" in saw(here, "boris", "/administration")
    did(here, "boris", "/administration/proposals/1/approve")
    assert status(here.office).lists == ("2026-11", "2026-12")
    assert newest_actor(here) == ("publish", "anna, approved by boris")
    assert did(here, "anna", "/administration/publish", month="soon")[0] == 409
    assert did(here, "anna", "/administration/publish", month="2027-01", basis="mine")[0] == 422


def test_the_person_at_the_machine_is_the_host_and_needs_nobody(lonely: Site) -> None:
    assert "It is in the record" in did(lonely, "machine", "/administration/publish", month="2026-12", basis="now")[1]
    code, page = did(lonely, "machine", "/events/own/correction", **WRONG_RESULT)
    assert (code, "Corrected (entry" in page, "rated again" in page) == (200, True, True)
    assert newest_actor(lonely) == ("correct", "the machine")


# Accounts.


def test_the_office_makes_accounts_but_none_of_its_own(here: Site) -> None:
    new = {"name": "dora", "role": "td", "affiliate": OWN, "full_name": "Dora D.", "password": PASSWORD}
    assert did(here, "anna", "/account/others", **new) == (303, "/account#others")
    assert proven(here.office, "dora", PASSWORD) is not None
    assert did(here, "anna", "/account/others", **{**new, "name": "anna2", "role": "office"})[0] == 403
    assert did(here, "anna", "/account/others", **{**new, "name": "emil", "password": "short"})[0] == 409
    assert did(here, "anna", "/account/others/boris/disable")[0] == 403
    assert did(here, "anna", "/account/others/boris/password", password="another password")[0] == 403
    assert did(here, "anna", "/account/others/dora/password", password="another password")[0] == 303
    assert did(here, "anna", "/account/others/dora/disable")[0] == 303
    assert proven(here.office, "dora", "another password") is None
    assert did(here, "anna", "/account/others/dora/enable")[0] == 303
    assert did(here, "anna", "/account/others/dora/promote")[0] == 404


def test_a_club_looks_after_its_own_directors(here: Site) -> None:
    page = saw(here, "clara", "/account")
    assert ">tina<" in page
    assert ">otto<" not in page
    new = {"name": "dora", "affiliate": "B2222222", "password": PASSWORD}
    assert did(here, "clara", "/account/others", **new)[0] == 303
    made = proven(here.office, "dora", PASSWORD)
    assert made is not None
    assert (made.role.value, made.affiliate) == ("td", OWN)  # her own affiliate, whatever the form says
    assert did(here, "clara", "/account/others", **new, role="club")[0] == 403
    assert did(here, "clara", "/account/others/tina/disable")[0] == 303
    for name in ("otto", "anna", "clara", "nobody"):
        assert did(here, "clara", f"/account/others/{name}/disable")[0] == 403
    assert did(here, "tina", "/account/others", **new)[0] == 401  # she is out


def test_a_token_is_shown_once_and_revoked(here: Site) -> None:
    code, page = did(here, "tina", "/account/tokens", days="30")
    assert code == 200
    secret = re.search(r"crosstable_[A-Za-z0-9_-]{43}", page)
    assert secret
    assert bearer_of(here.office, secret[0]) is not None
    assert secret[0] not in saw(here, "tina", "/account")
    token = tokens(here.office, "tina")[0].token_id
    assert did(here, "otto", f"/account/tokens/{token}/revoke")[0] == 409  # not theirs
    assert did(here, "tina", f"/account/tokens/{token}/revoke") == (303, "/account#tokens")
    assert bearer_of(here.office, secret[0]) is None
    assert did(here, "tina", "/account/tokens", days="366")[0] == 409
    assert did(here, "tina", "/account/tokens", days="x")[0] == 422
    assert did(here, "tina", "/account/tokens", scope="everything")[0] == 422
    assert did(here, "tina", "/account/tokens", owner="otto")[0] == 403
    assert did(here, "clara", "/account/tokens", owner="tina")[0] == 200
    assert did(here, "rosa", "/account/tokens")[0] == 409  # she acts for nobody
    assert did(here, "anna", "/account/tokens", affiliate=OWN)[0] == 200


def test_ones_own_password_is_changed_with_the_old_one(here: Site) -> None:
    code, page = did(here, "tina", "/account/password", old="wrong one", new="another password")
    assert (code, "The old password is not right" in page) == (403, True)
    assert did(here, "tina", "/account/password", old=PASSWORD)[0] == 422
    assert did(here, "tina", "/account/password", old=PASSWORD, new="short")[0] == 409
    assert did(here, "tina", "/account/password", old=PASSWORD, new="another password") == (303, "/login")
    assert here.client.get("/account").status_code == 303  # every session is over
    assert proven(here.office, "tina", "another password") is not None


def test_a_correction_that_meets_another_writer_is_stored_and_rated_later(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(office: object, author: Author, **more: object) -> None:
        raise OfficeBusyError("the office is busy")

    monkeypatch.setattr("crosstable.web.acting.rerate", busy)
    monkeypatch.setattr("crosstable.web.acting.PATIENCE", 0.05)
    code, page = did(here, "anna", "/events/own-late/correction", **WRONG_RESULT)
    assert (code, "Corrected (entry" in page, "rated again" in page) == (200, True, False)
    assert len(status(here.office).pending) == 1


def test_pages_for_one_person_are_kept_by_nobody(here: Site) -> None:
    here.come_in("anna")
    for path in (
        "/administration",
        "/account",
        "/administration/decisions",
        "/administration/events/own",
        "/upload",
        "/login",
    ):
        assert here.client.get(path).headers["cache-control"] == "no-store"


def test_a_request_of_the_office_itself_is_the_record_too(here: Site) -> None:
    """A correction that was asked for on the command line is in the administration as well."""
    change = ChangedResult(1, 1, 1, "D2")
    correct_result(here.office, Author("host", "by letter"), "own-late", change, here.clock.today, is_request=True)
    assert 'href="/administration/events/own-late"' in saw(here, "anna", "/administration")
