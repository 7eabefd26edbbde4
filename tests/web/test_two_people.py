"""Two people for a published period: no way around the second one (decision 0006).

The list of November 2026 is cut off on 21 October: ``own`` of July is published, ``own-late`` of November is not.
"""

import html
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from crosstable.office import accounts
from crosstable.office.corrections import withdraw
from crosstable.office.ledger.journal import Author
from crosstable.office.proposals import Proposal, ProposalState, proposals
from crosstable.office.views import known
from crosstable.terms import Report
from tests.engine.wallcharts import Played
from tests.office.made_office import member_id, person, posted, quad, report, run, section, send
from tests.web.people import EARLY, LATE, OWN, TODAY, VERSION, Site, belonging, event_file, site

FEBRUARY = Played(start=date(2026, 2, 2))
HELD = "1 =1 | W2\n2 =77 | L1"
PRIZE = {"member": member_id(1), "prize": "4000", "limit": "2000"}
LEVEL = {"member": member_id(1), "system": "OTBR", "level": "1300"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(accounts, "PASSES", 1)
    monkeypatch.setattr(accounts, "MEMORY_KIB", 1024)
    with site(tmp_path) as made:
        yield made


def did(made: Site, who: str, path: str, **fields: str) -> tuple[int, str]:
    mark = made.come_in(who)
    reply = made.after(made.client.post(path, data={"mark": mark, **fields}))
    return reply.status_code, html.unescape(reply.headers.get("location") or reply.text)


def corrected(made: Site, who: str, event: Report) -> str:
    """What becomes of a file that is sent as a correction."""
    fields = {"mark": made.come_in(who), "event": event.event_id, "reason": "the director wrote"}
    reply = made.client.post("/upload/submit", data=fields, files=[event_file(event)], follow_redirects=True)
    assert reply.status_code == 200, reply.text
    return html.unescape(reply.text)


def waiting(made: Site) -> list[Proposal]:
    return proposals(made.office, is_open=True)


def events_posted(made: Site) -> set[str]:
    return {about.event_id for about in posted(made.office)}


def test_what_two_withdrew_does_not_come_back_through_one(here: Site) -> None:
    did(here, "anna", "/administration/events/own/withdraw", reason="never played")
    did(here, "boris", "/administration/proposals/1/approve")
    did(here, "boris", "/administration/rate")
    assert "own" not in events_posted(here)
    assert "takes two people" in corrected(here, "anna", belonging(quad("own", EARLY), OWN))
    assert "own" not in events_posted(here)
    assert did(here, "boris", "/administration/proposals/2/approve")[0] == 200
    did(here, "boris", "/administration/rate")
    assert "own" in events_posted(here)


def test_a_members_file_is_no_way_around_two(here: Site) -> None:
    """A birth date of somebody who was rated in a published period is proposed; the rest of the file is stored."""
    table = "Member ID,Name,Birth date\n" + "".join(
        f'{one.member_id},"{one.name}",2014-02-03\n' for one in (person(1), person(99))
    )
    assert did(here, "anna", "/administration/members", text=table) == (303, "/administration/proposals/1")
    assert "birth date 2014-02-03" in here.client.get("/administration/proposals/1").text
    born = date(2014, 2, 3)
    with here.office.reading() as connection:
        people = known(connection).record.people([member_id(1), member_id(99)])
    assert [one.birth_date == born for one in (people[member_id(1)], people[member_id(99)])] == [False, True]
    assert did(here, "boris", "/administration/proposals/1/approve")[0] == 200
    with here.office.reading() as connection:
        assert known(connection).record.people([member_id(1)])[member_id(1)].birth_date == born


@pytest.mark.parametrize("event_id", ["own", "own-late"])
def test_what_the_office_withdrew_a_director_asks_for(here: Site, event_id: str) -> None:
    """Published or not: whoever was rated by it once would be again."""
    withdraw(here.office, Author("host", "never played"), event_id)
    run(here.office)
    played = EARLY if event_id == "own" else LATE
    assert "Asked for" in corrected(here, "tina", belonging(quad(event_id, played), OWN))
    assert event_id not in events_posted(here)


def test_an_event_is_moved_into_a_published_period_by_two(here: Site) -> None:
    before = posted(here.office)
    assert "takes two people" in corrected(here, "anna", belonging(quad("own-late", FEBRUARY), OWN))
    assert posted(here.office) == before
    assert len(waiting(here)) == 1
    did(here, "anna", "/administration/proposals/1/refuse")
    assert "Corrected" in corrected(here, "anna", belonging(quad("own-late", TODAY), OWN))  # to another day of now


def test_a_section_that_a_file_drops_goes_when_the_second_agrees(here: Site) -> None:
    """And the name that the file gives comes with it; the administration says both before anybody agrees."""
    two = report("own", *quad("own", EARLY).sections, section("1 =5 | W2\n2 =6 | L1", EARLY, number=2))
    assert "takes two people" in corrected(here, "anna", belonging(two, OWN))
    did(here, "boris", "/administration/proposals/1/approve")
    did(here, "boris", "/administration/rate")
    assert 2 in {about.section for about in posted(here.office) if about.event_id == "own"}
    assert "takes two people" in corrected(here, "anna", belonging(quad("own", EARLY)._replace(name="Right"), OWN))
    (proposal,) = waiting(here)
    assert proposal.wish.summary == "take section 2 of event own out of the ratings"
    here.come_in("boris")
    page = html.unescape(here.client.get("/administration/events/own").text)
    assert "section 2 is no longer there (2 players)" in page
    assert "and is Right" in page
    did(here, "boris", "/administration/proposals/2/approve")
    did(here, "boris", "/administration/rate")
    assert {about.section for about in posted(here.office) if about.event_id == "own"} == {1}
    here.client.app.state.reading.renew()  # type: ignore[attr-defined]
    assert here.client.get("/events/own.json").json()["name"] == "Right"
    log = html.unescape(here.client.get(f"/changes/{proposals(here.office)[0].act}").text)
    assert "withdrew sections of event own" in log
    assert "section 2 is no longer there (2 players)" in log


def test_what_a_director_asks_to_move_is_confirmed_by_two(here: Site) -> None:
    assert "Asked for" in corrected(here, "tina", belonging(quad("own-late", FEBRUARY), OWN))
    code, page = here.accept("anna", "own-late")
    assert (code, "takes two people" in page) == (200, True)


def test_a_held_section_of_a_published_period_is_confirmed_by_two(here: Site) -> None:
    send(here.office, belonging(quad("late-report", EARLY, HELD), OWN))
    code, page = here.accept("anna", "late-report", new_members="yes")
    assert (code, "takes two people" in page) == (200, True)
    with here.office.reading() as connection:  # who is new comes in when the second agrees
        assert known(connection).record.people([member_id(77)]) == {}
    fields = {"wrong": member_id(77), "right": member_id(2), "reason": "a wrong digit"}
    assert "takes two people" in did(here, "anna", "/events/late-report/correction", **fields)[1]
    assert "Asked for" in did(here, "tina", "/events/late-report/correction", **fields)[1]
    assert "late-report" not in events_posted(here)


def test_what_is_accepted_is_what_the_page_showed(here: Site) -> None:
    """A section that is new is shown whole; another request that comes in meanwhile is not accepted with it."""
    long = section("1 =7 | " + "W2 " * 70 + "\n2 =8 | " + "L1 " * 70 + "\n3 =6 | U", LATE, number=2)
    more = report("own-late", *quad("own-late", LATE).sections, long)
    assert "Asked for" in corrected(here, "tina", belonging(more, OWN))
    here.come_in("anna")
    page = html.unescape(here.client.get("/administration/events/own-late").text)
    assert "Member, Hugo 7 (10000007): W2 W2" in re.sub(r"</?bdi>", "", page)
    (shown,) = VERSION.findall(page)
    other = long._replace(players=tuple(one._replace(cells=one.cells[:1]) for one in long.players))
    corrected(here, "tina", belonging(more._replace(sections=(*more.sections[:1], other)), OWN))
    mark = here.come_in("anna")
    for version in (shown, "2:x", ""):
        given = {"mark": mark, "version": version} if version else {"mark": mark}
        reply = here.client.post("/administration/events/own-late/confirm", data=given)
        assert reply.status_code == (422 if version == "2:x" else 409)
    assert "no longer what the page showed" in html.unescape(reply.text)
    assert here.accept("anna", "own-late")[0] == 200
    corrected(here, "tina", belonging(more, OWN))  # 69 more rounds of two players: 60 lines, and the others
    here.come_in("anna")
    assert "and 78 more" in here.client.get("/administration/events/own-late").text


def test_a_correction_is_proposed_without_what_else_waits(here: Site) -> None:
    """The second person is asked about the section that the first put right, not about the one that is held."""
    held = section(HELD, EARLY, number=2)
    send(here.office, belonging(report("mixed", *quad("mixed", EARLY).sections, held), OWN))
    fields = {"section": "1", "player": "1", "round": "1", "result": "L2", "reason": "the slip"}
    assert "takes two people" in did(here, "anna", "/events/mixed/correction", **fields)[1]
    assert waiting(here)[0].wish.summary == "accept section 1 of event mixed as it was asked for"
    assert did(here, "boris", "/administration/proposals/1/approve")[0] == 200


def test_the_second_person_sees_the_fact_that_is_proposed(here: Site) -> None:
    fields = {"member": member_id(1), "fact": "birth-date", "value": "2014-02-03", "reason": "the card"}
    did(here, "anna", "/administration/facts", **fields)
    here.come_in("boris")
    assert "birth-date=2014-02-03" in here.client.get("/administration/proposals/1").text


def test_a_new_event_that_comes_late_is_rated_at_once(here: Site) -> None:
    """The run recalculates what came after it; only what is known takes two."""
    file = event_file(belonging(quad("forgotten", EARLY, "1 =1 | D2 D3\n2 =2 | D1 W3\n3 =3 | D1 L2"), OWN))
    reply = here.client.post("/upload/submit", data={"mark": here.come_in("tina")}, files=[file], follow_redirects=True)
    assert "1 section accepted and rated" in reply.text
    assert waiting(here) == []


# What cannot be carried out.


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/administration/decisions/life-master", {"member": member_id(1), "effective": "1990-01-01"}),
        ("/administration/decisions/money-floor", {**PRIZE, "effective": "0001-01-01"}),
        ("/administration/decisions/money-floor", {**PRIZE, "effective": "9999-12-31"}),
        ("/administration/decisions/floor", {**LEVEL, "effective": "2031-01-01"}),
        ("/administration/decisions/adjust", {**LEVEL, "effective": "0001-01-01"}),
        ("/administration/facts", {"member": member_id(1), "fact": "birth-date", "value": "2026-11-16"}),
        ("/administration/facts", {"member": member_id(8), "fact": "birth-date", "value": "9999-12-31"}),
        ("/administration/facts", {"member": member_id(8), "fact": "birth-date", "value": "0001-01-01"}),
        ("/administration/publish", {"month": "0000-01"}),
        ("/administration/publish", {"month": "9999-12", "basis": "now"}),
    ],
)
def test_days_that_cannot_be_meant_are_refused_before_anybody_is_asked(
    here: Site, path: str, fields: dict[str, str]
) -> None:
    code, page = did(here, "anna", path, reason="x", **fields)
    assert (code, "error of its own" in page) == (409, False)
    assert proposals(here.office) == []


@pytest.mark.parametrize("number", ["99999999999999999999", "2147483648", "0", "-1"])
def test_a_number_that_no_proposal_has_is_refused(here: Site, number: str) -> None:
    for change in ("approve", "refuse"):
        assert did(here, "anna", f"/administration/proposals/{number}/{change}")[0] == 422


def test_a_list_of_a_time_without_rules_stays_proposed(here: Site) -> None:
    assert did(here, "anna", "/administration/publish", month="1950-01", basis="now")[0] == 200
    code, page = did(here, "boris", "/administration/proposals/1/approve")
    assert (code, "There can be no list of 1950-01" in page) == (409, True)
    assert [one.state for one in proposals(here.office)] == [ProposalState.OPEN]


def test_a_proposal_whose_approval_breaks_stays_open(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object) -> int:
        raise RuntimeError("nobody foresaw this")

    did(here, "anna", "/administration/events/own/withdraw", reason="never played")
    monkeypatch.setattr("crosstable.office.proposals.withdraw", broken)
    assert did(here, "boris", "/administration/proposals/1/approve")[0] == 500
    assert [one.state for one in waiting(here)] == [ProposalState.OPEN]
    monkeypatch.undo()
    assert did(here, "boris", "/administration/proposals/1/approve")[0] == 200
