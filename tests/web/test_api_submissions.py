"""Submitting by program: tokens, what comes back, and what does not open."""

import json
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from crosstable.office.credentials import Scope, revoke_token, tokens
from crosstable.office.ledger.journal import head
from crosstable.office.members import import_members
from tests.engine.wallcharts import Played
from tests.office.made_office import AUTHOR, member_id, person, posted, quad, report, run, section
from tests.web.people import OTHER, OWN, TODAY, Site, belonging, event_file, site

SUBMISSIONS, CORRECTIONS = "/api/v1/submissions", "/api/v1/corrections"


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Site]:
    with site(tmp_path) as made:
        yield made


def sent(made: Site, headers: dict[str, str], *files: Any) -> tuple[int, dict[str, Any]]:
    reply = made.client.post(SUBMISSIONS, files=list(files), headers=headers)
    return reply.status_code, reply.json()


def acts_of(made: Site) -> int:
    with made.office.reading() as connection:
        newest = head(connection)
    assert newest is not None
    return newest.seq


def test_an_event_is_submitted_rated_and_looked_up(here: Site) -> None:
    headers = here.token("tina")
    code, body = sent(here, headers, event_file(quad("new", TODAY)))
    assert (code, body["status"], body["accepted"], body["held"]) == (201, "accepted", [1], [])
    assert body["run"] == body["submission"] + 1
    assert any(about.event_id == "new" for about in posted(here.office))
    found = here.client.get(f"{SUBMISSIONS}/{body['submission']}", headers=headers).json()
    assert (found["event"], found["by"]) == ("new", "tina")
    assert [(one["state"], one["is_rated"]) for one in found["sections"]] == [("accepted", True)]
    assert sent(here, headers, event_file(quad("new", TODAY)))[0] == 200  # the same file again


def test_held_sections_and_their_faults_come_back(here: Site) -> None:
    made = report("mixed", section("1 | W2\n2 | L1", TODAY), section("1 =3 | W2\n2 =77 | L1", TODAY, number=2))
    headers = here.token("tina")
    code, body = sent(here, headers, event_file(made))
    assert (code, body["accepted"], body["held"]) == (201, [1], [2])
    assert "member-not-known" in {one["code"] for one in body["faults"]}
    state = here.client.get(f"{SUBMISSIONS}/{body['submission']}", headers=headers).json()
    assert [one["state"] for one in state["sections"]] == ["accepted", "held"]
    assert state["sections"][1]["faults"]


def told(folder: Path, birth_date: date) -> list[str]:
    """What anybody, and a director, is told of an event on 11 March 2016 with a member born on some day."""
    folder.mkdir()
    made = quad("early", Played(start=date(2016, 3, 11)), "1 =60 | W2\n2 =61 | L1")
    with site(folder) as here:
        import_members(here.office, AUTHOR, [person(60, birth_date=birth_date), person(61)])
        run(here.office)
        here.client.app.state.reading.renew()  # type: ignore[attr-defined]
        here.come_in("nobody")
        pages = [here.client.post("/upload", files=[event_file(made)]).text]
        headers = here.token("tina")
        code, body = sent(here, headers, event_file(made))
        assert code == 201
        state = here.client.get(f"{SUBMISSIONS}/{body['submission']}", headers=headers)
        return [*pages, json.dumps(body), state.text]


def test_nobody_is_told_whether_a_member_was_born_by_then(tmp_path: Path) -> None:
    """Neither before a submission nor after it; by many days anybody would find the birthday."""
    before, after = (told(tmp_path / str(day), date(2016, 3, day)) for day in (10, 12))
    assert before == after
    assert "accepted" in before[1]


# Member 1 beats people far above them; member 7 loses to newcomers, whose ratings hang on their birth dates.
UPSETS = "1 =1 | W2 W3 W4\n2 =5 | L1 H H\n3 =6 | H L1 H\n4 =7 | H H L1"
BY_NEWCOMERS = """
    1 =7  | L2 L3 L4 H
    2 =60 | W1 L5 L6 L7
    3 =61 | L5 W1 L7 L6
    4 =62 | L6 L7 W1 L5
    5 =1  | W3 W2 H W4
    6 =2  | W4 H W2 W3
    7 =3  | H W4 W3 W2
"""


def test_the_director_of_an_event_is_told_every_finding_and_no_stored_birth_date(here: Site) -> None:
    """Of results against players who started by age too: the director of an event sees all of it (decision 0004)."""
    born = date(2014, 2, 3)
    import_members(here.office, AUTHOR, [person(number, birth_date=born) for number in (60, 61, 62)])
    run(here.office)
    made = report("new", section(UPSETS, TODAY), section(BY_NEWCOMERS, TODAY, number=2))
    headers = here.token("tina")
    code, body = sent(here, headers, event_file(made))
    assert (code, body["accepted"]) == (201, [1, 2])
    state = here.client.get(f"{SUBMISSIONS}/{body['submission']}", headers=headers).json()
    far = {one["place"][: len("section 1")] for one in body["faults"] if one["code"] == "far-from-performance"}
    assert far == {"section 1", "section 2"}
    codes = [{one["code"] for one in section["faults"]} for section in state["sections"]]
    assert ["far-from-performance" in found for found in codes] == [True, True]
    assert "2014" not in json.dumps([body, state])


def test_what_is_refused_is_told_and_not_stored(here: Site) -> None:
    headers, before = here.token("tina"), acts_of(here)
    code, body = sent(here, headers, ("files", ("a.json", b"{}")))
    assert (code, bool(body["faults"])) == (422, True)
    assert sent(here, headers, ("files", ("a.txt", b"nonsense")))[0] == 422
    assert sent(here, headers, event_file(quad("a", TODAY)), event_file(quad("b", TODAY)))[0] == 422
    changed = belonging(quad("own", TODAY), OWN)
    code, body = sent(here, headers, event_file(changed))
    assert (code, bool(body["errors"])) == (409, True)
    assert here.client.post(SUBMISSIONS, headers=headers).status_code in (400, 422)
    assert acts_of(here) == before


def test_an_event_of_another_affiliate_is_refused(here: Site) -> None:
    before = acts_of(here)
    assert sent(here, here.token("tina"), event_file(belonging(quad("new", TODAY), OTHER)))[0] == 403
    assert acts_of(here) == before
    code, body = sent(here, here.token("otto"), event_file(belonging(quad("new", TODAY), OTHER)))
    assert code == 201
    assert here.client.get(f"{SUBMISSIONS}/{body['submission']}", headers=here.token("tina")).status_code == 403
    for number in (1, 999_999, 2**40, 0):  # no submission
        assert here.client.get(f"{SUBMISSIONS}/{number}", headers=here.token("tina")).status_code == 404


def bad_headers(made: Site) -> Iterator[dict[str, str]]:
    """Tokens that must not open: revoked, expired, of a shut account, cut off, invented, none."""
    good = made.token("tina")["Authorization"]
    yield {}
    yield {"Authorization": good[:-1]}
    yield {"Authorization": good.replace("Bearer", "Basic")}
    yield {"Authorization": "Bearer"}
    yield {"Authorization": "Bearer crosstable_" + "x" * 43}
    yield {"Authorization": good + "x"}
    revoke_token(made.office, "host", tokens(made.office, "tina")[0].token_id)
    yield {"Authorization": good}
    late = made.token("otto")
    made.clock.go(days=365)
    yield late


def test_a_token_that_is_not_valid_opens_nothing(here: Site) -> None:
    before, tried = acts_of(here), 0
    asks = {"event": "own", "reason": "x", "member": {"wrong": member_id(1), "right": member_id(5)}}
    for headers in bad_headers(here):
        for reply in (
            here.client.post(SUBMISSIONS, files=[event_file(quad("new", TODAY))], headers=headers),
            here.client.get(f"{SUBMISSIONS}/4", headers=headers),
            here.client.post(CORRECTIONS, json=asks, headers=headers),
        ):
            assert reply.status_code == 401
            assert reply.headers["www-authenticate"].startswith("Bearer")
            assert reply.headers["content-type"] == "application/problem+json"
            tried += 1
    assert tried == 24
    assert acts_of(here) == before


def test_a_correction_of_a_rated_event_is_asked_for(here: Site) -> None:
    headers, before = here.token("tina"), posted(here.office)
    asks = {
        "event": "own-late",
        "reason": "reversed",
        "result": {"section": 1, "player": 1, "round": 1, "result": "L2"},
    }
    reply = here.client.post(CORRECTIONS, json=asks, headers=headers)
    assert (reply.status_code, reply.json()["is_requested"]) == (202, True)
    assert len(reply.json()["differences"]) == 2
    assert posted(here.office) == before
    reply = here.client.post(CORRECTIONS, json={**asks, "member": {"wrong": "1", "right": "2"}}, headers=headers)
    assert reply.status_code == 422
    same = {**asks, "event": "own", "result": {**asks["result"], "result": "W2"}}  # type: ignore[dict-item]
    assert here.client.post(CORRECTIONS, json=same, headers=headers).status_code == 409
    unknown = {"event": "own", "reason": "x", "member": {"wrong": member_id(1), "right": member_id(99)}}
    reply = here.client.post(CORRECTIONS, json=unknown, headers=headers)
    assert (reply.status_code, reply.json()["faults"][0]["code"]) == (422, "member-not-known")


def test_a_correction_before_anybody_is_rated_is_stored(here: Site) -> None:
    headers = here.token("clara")
    sent(here, headers, event_file(quad("held", TODAY, "1 =1 | W2\n2 =77 | L1")))
    asks = {"event": "held", "reason": "a wrong digit", "member": {"wrong": member_id(77), "right": member_id(2)}}
    reply = here.client.post(CORRECTIONS, json=asks, headers=headers)
    assert (reply.status_code, reply.json()["is_requested"]) == (201, False)
    assert any(about.event_id == "held" for about in posted(here.office))


def test_a_token_for_looking_submits_nothing(here: Site) -> None:
    headers = here.token("tina", Scope.READ)
    assert sent(here, headers, event_file(quad("new", TODAY)))[0] == 403


def test_the_operations_are_described(here: Site) -> None:
    described = here.client.get("/api/v1/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    for path, method in ((SUBMISSIONS, "post"), (SUBMISSIONS + "/{number}", "get"), (CORRECTIONS, "post")):
        operation = described["paths"][path][method]
        assert operation["security"] == [{"token": []}]
        assert {"401", "403", "422", "503"} <= operation["responses"].keys()
    token = described["components"]["securitySchemes"]["token"]
    assert (token["type"], token["scheme"]) == ("http", "bearer")
    text = json.dumps(described)
    named = set(re.findall(r'"#/components/schemas/([^"]+)"', text))
    assert "ProblemBody" in named
    assert named <= described["components"]["schemas"].keys()  # nothing is named that is not described
