"""The place of directors: the workbench over an office, the same tournament twice, names that do not fit, My events."""

import html
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crosstable.limits import LARGE_CHANGE
from crosstable.office.views import ripple
from crosstable.pipeline.workbench import draft_of
from crosstable.terms import Report
from tests.office.made_office import club_members, document, member_id, posted, quad, report, section
from tests.web.people import EARLY, OWN, TODAY, Site, belonging, event_file, site

# Three results that nobody has had in this office, and somebody who has never played.
NEW = "1 =1 | W2 D3 U\n2 =2 | L1 U W3\n3 =8 | U D1 L2"
OTHER = "1 =5 | W2 D3 U\n2 =6 | L1 U L3\n3 =7 | U D1 W2"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with site(tmp_path_factory.mktemp("site")) as made:
        yield made


def own(event_id: str, chart: str, name: str = "") -> Report:
    return belonging(report(event_id, section(chart, TODAY), name=name or event_id), OWN)


def misnamed(event: Report) -> Report:
    """The event with another name on its first row."""
    (one,) = event.sections
    rows = (one.players[0]._replace(name="Quite, Another"), *one.players[1:])
    return event._replace(sections=(one._replace(players=rows),))


def known_as(number: int) -> str:
    """The name of a member of the office."""
    people, _ = club_members()
    return next(one.name for one in people if one.member_id == member_id(number))


def strangers(event: Report) -> Report:
    """The event with ids that nobody here has."""
    (one,) = event.sections
    rows = tuple(player._replace(member_id=f"3177000{at}") for at, player in enumerate(one.players))
    return event._replace(sections=(one._replace(players=rows),))


def checked(made: Site, who: str, draft: dict[str, Any]) -> Any:
    made.come_in(who)
    reply = made.client.post("/upload/check", json=draft)
    assert reply.status_code == 200, reply.text
    return reply.json()


def sent(made: Site, who: str, event: Report, **fields: Any) -> str:
    """Submit a file; the page that says what became of it."""
    data = {"mark": made.come_in(who), **fields}
    reply = made.client.post("/upload/submit", data=data, files=[event_file(event)], follow_redirects=True)
    return " ".join(html.unescape(reply.text).split())


def states(made: Site, event_id: str) -> list[str]:
    made.client.app.state.reading.renew()  # type: ignore[attr-defined]
    return [one["state"] for one in made.client.get(f"/events/{event_id}.json").json()["sections"]]


def test_a_directors_draft_is_rated_as_it_is_posted_a_second_later(here: Site) -> None:
    draft = draft_of(own("to-the-decimal", NEW))
    found = checked(here, "tina", draft)
    assert found["strict"]
    players = found["sections"][0]["systems"]["OTBR"]["players"]
    assert players[2]["pre"] is None
    mark = here.come_in("tina")
    reply = here.client.post("/upload/submit", data={"mark": mark, "draft": json.dumps(draft)})
    assert reply.status_code == 303
    made = posted(here.office).items()
    after = {about.member_id: one.rating_after for about, one in made if about.event_id == "to-the-decimal"}
    assert after == {member_id(number): player["post"] for number, player in zip((1, 2, 8), players, strict=True)}
    shown = here.client.get(reply.headers["location"]).text
    assert all(f"{player['post']:.2f}" in shown for player in players)


def test_two_dual_rated_sections_with_the_same_players_are_posted_as_the_preview_says(tmp_path: Path) -> None:
    dual = TODAY._replace(control="G/45;d5")
    first = section(NEW, dual)
    second = section("1 =8 | W2 D3 U\n2 =1 | L1 U W3\n3 =6 | U D1 L2", dual, number=2)
    draft = draft_of(belonging(report("chained", first, second, name="chained"), OWN))
    with site(tmp_path) as made:
        found = checked(made, "tina", draft)["sections"]
        mark = made.come_in("tina")
        assert made.client.post("/upload/submit", data={"mark": mark, "draft": json.dumps(draft)}).status_code == 303
        after = {
            (about.section, about.system.name, about.member_id): one.rating_after
            for about, one in posted(made.office).items()
            if about.event_id == "chained"
        }
    previewed = {
        (one["number"], system, player["member_id"]): player["post"]
        for one in found
        for system, rated in one["systems"].items()
        for player in rated["players"]
    }
    assert len(previewed) == 12
    assert after == previewed
    # The unrated player of both sections brings into the second what the first gave them.
    ones = {(one["number"], system): rated["players"] for one in found for system, rated in one["systems"].items()}
    assert ones[1, "OTBQ"][2]["pre"] is None
    assert ones[2, "OTBQ"][0]["pre"] == ones[1, "OTBQ"][2]["post"]


def test_an_office_does_not_rate_a_row_under_another_name_unless_somebody_says_so(here: Site) -> None:
    """An id may be anybody's where a draft is not sent; an office's word counts for rows that it knows by name too."""
    draft = draft_of(misnamed(own("other-people", OTHER)))
    draft["event"]["sections"][0]["players"][0]["pairing_rating"] = 1234
    found = checked(here, "nobody", draft)
    first, *others = found["sections"][0]["systems"]["OTBR"]["players"]
    assert (first["pre"], first["rating_from"]) == (1234.0, "pairing rating")
    assert all(one["rating_from"] == "office" for one in others)
    (told,) = [one for one in found["findings"] if one["code"] == "other-name"]
    assert "is not taken" in told["remedy"]
    (fix,) = [one for one in told["fixes"] if one["label"] == f"This is {known_as(5)}"]
    assert (told["severity"], told["asks"]) == ("warning", "director")  # not ready before it is said
    draft["names"] = {fix["changes"][0]["path"][-1]: "yes"}
    found = checked(here, "nobody", draft)
    assert found["sections"][0]["systems"]["OTBR"]["players"][0]["rating_from"] == "office"
    assert "other-name" not in [one["code"] for one in found["findings"]]


def test_what_reading_found_is_put_right_before_a_draft_is_sent(here: Site) -> None:
    draft = draft_of(own("torn", OTHER))
    torn = {"code": "damaged-file", "severity": "error", "place": "", "message": "It is torn.", "remedy": "Mend it."}
    draft["event"]["sections"][0]["read"] = [torn]
    reply = here.client.post("/upload/submit", data={"mark": here.come_in("tina"), "draft": json.dumps(draft)})
    assert reply.status_code == 422
    assert "It is torn." in reply.text
    reply = here.client.post("/upload/check", json={**draft, "event": {**draft["event"], "sections": [{"read": 1}]}})
    assert reply.status_code == 422


def test_an_event_says_with_which_list_it_became_official_and_what_a_result_may_have_been(here: Site) -> None:
    here.come_in("tina")
    page = " ".join(here.client.get("/my-events").text.split())
    assert page.count("Official since the November 2026 list.") == 1  # own; own-late was played after the cut-off
    assert "official since the November 2026 list" in here.client.get("/my-events/own").text
    assert "become official with the" in here.client.get("/my-events/own-late").text
    chosen = html.unescape(here.client.get("/events/own-late/correction?cell=1:1:1").text)
    offered = re.findall(r'result=(\w+)#correct">(?:<bdi>)?([^<]+)', chosen)
    now = re.search(r"round 1: <b>(\w)2", chosen)
    assert now is not None
    games = {"W": "a win against", "D": "a draw with", "L": "a loss to", "X": "a forfeit by", "F": "a forfeit to"}
    names = [words.removeprefix(games[one[0]]).strip() for one, words in offered if one[0] in games]
    assert [one for one, _ in offered] == [*(f"{one}2" for one in games if one != now[1]), "U", "H", "B"]
    assert len(set(names)) == 1
    changes = html.unescape(
        here.client.get(f"/events/own-late/correction?try=yes&section=1&player=1&round=1&result={offered[0][0]}").text
    )
    assert "What the correction would change" in changes


def test_anybodys_draft_takes_what_is_public_and_the_file_for_the_others(here: Site) -> None:
    draft = draft_of(own("anybody", "1 =1 | W2\n2 =88 | L1"))
    draft["event"]["sections"][0]["players"][1]["pairing_rating"] = 1500
    found = checked(here, "nobody", draft)
    players = found["sections"][0]["systems"]["OTBR"]["players"]
    assert not found["strict"]
    assert [one["rating_from"] for one in players] == ["office", "pairing rating"]
    assert players[0]["pre"] == round(players[0]["pre"])  # decimals are not public
    draft["ratings"]["office"] = False
    without = checked(here, "nobody", draft)
    assert without["sections"][0]["systems"]["OTBR"]["players"][0]["pre"] is None


def test_the_same_tournament_under_another_name_waits_for_the_office(here: Site) -> None:
    again = belonging(quad("again", EARLY)._replace(name="Entirely Other Name"), OWN)
    page = sent(here, "tina", again)
    assert "1 section held" in page
    assert "has the same players with the same results on July 4, 2026" in page
    assert states(here, "again") == ["held: waits for the office"]
    assert here.accept("anna", "again")[0] == 200
    page = sent(here, "anna", belonging(quad("office-again", EARLY), OWN))
    assert "1 section accepted and rated" in page
    assert "has the same players" in page


def test_a_name_that_does_not_fit_its_id_is_confirmed_row_by_row(here: Site) -> None:
    strange = misnamed(own("strange", OTHER))
    fixes = checked(here, "tina", draft_of(strange))["findings"]
    (found,) = [one for one in fixes if one["code"] == "other-name"]
    assert (found["severity"], found["row"]) == ("confirm", 0)
    (fix,) = [one for one in found["fixes"] if one["label"] == f"This is {known_as(5)}"]
    assert fix["changes"] == [{"path": ["names", "1:1"], "value": "yes"}]
    assert fix["single"]
    said = checked(here, "tina", {**draft_of(strange), "names": {"1:1": "yes"}})["findings"]
    (found,) = [one for one in said if one["code"] == "other-name"]
    assert (found["severity"], found["asks"]) == ("warning", "")
    assert "1 section held" in sent(here, "tina", strange)
    otherwise = OTHER.replace("W2 D3", "W2 W3").replace("U D1", "U L1")
    assert "1 section accepted and rated" in sent(here, "tina", misnamed(own("strange-2", otherwise)), names="1:1")


def test_a_large_change_under_another_name_waits_though_it_is_confirmed(here: Site) -> None:
    """Six wins against players who are rated far higher are worth more than the limit."""
    people, openings = club_members()
    low = min(openings, key=lambda one: one.standing.rating)
    number = next(at for at, one in enumerate(people, 1) if one.member_id == low.member_id)
    high = max(range(1, len(people) + 1), key=lambda at: openings[at - 1].standing.rating if at <= len(openings) else 0)
    wins = misnamed(own("upset", f"1 ={number} | {' '.join(['W2'] * 8)}\n2 ={high} | {' '.join(['L1'] * 8)}\n3 =3 | U"))
    (found,) = [
        one
        for one in checked(here, "tina", {**draft_of(wins), "names": {"1:1": "yes"}})["findings"]
        if one["code"] == "other-name"
    ]
    assert (found["severity"], found["asks"]) == ("confirm", "office")
    page = sent(here, "tina", wins, names="1:1")
    assert "the office looks at it first" in page
    assert LARGE_CHANGE == 100


def findings(some: Any) -> list[tuple[str, str, str]]:
    return sorted((one["code"], one["severity"], one["message"]) for one in some)


@pytest.mark.parametrize(
    ("event_id", "change"),
    [
        ("as-strangers", strangers),
        ("as-misnamed", misnamed),
        ("as-one-stranger", lambda event: event._replace(sections=strangers(event).sections[:1])),
        ("bad id", lambda event: event._replace(sections=misnamed(event).sections)),
    ],
)
def test_a_directors_draft_is_told_exactly_what_submitting_it_is_told(here: Site, event_id: str, change: Any) -> None:
    event = change(own(event_id, "1 =1 | W2 D3 U\n2 =4 | L1 U W3\n3 =8 | U D1 L2"))
    told = findings(checked(here, "tina", draft_of(event))["findings"])
    header = here.token("tina")
    reply = here.client.post("/api/v1/submissions", headers=header, content=document(event).content)
    faults = reply.json()["faults"]
    assert told == findings(faults)
    assert told


def test_new_members_are_reported_with_one_click_and_the_office_adds_them(here: Site) -> None:
    draft = draft_of(strangers(own("all-new", OTHER)))
    found = checked(here, "tina", draft)["findings"]
    assert [one["code"] for one in found if one["asks"]] == ["member-not-known"] * 3
    labels = [{fix["label"] for fix in one["fixes"] if not fix["single"]} for one in found if one["asks"]]
    assert "Report as a new member" in set.intersection(*labels)
    draft["new_members"] = {f"3177000{at}": "yes" for at in range(3)}
    found = checked(here, "tina", draft)["findings"]
    assert [(one["code"], one["asks"]) for one in found if one["asks"]] == [("new-member", "office")] * 3
    mark = here.come_in("tina")
    reply = here.client.post("/upload/submit", data={"mark": mark, "draft": json.dumps(draft)}, follow_redirects=True)
    page = html.unescape(reply.text)
    assert "1 section held" in " ".join(page.split())
    assert "--" not in re.sub(r"<!--.*?-->", "", page)
    assert "office members import" not in page
    assert "[sections" not in page
    status, page = here.accept("anna", "all-new", new_members="yes")
    assert status == 200, page
    assert states(here, "all-new") == ["rated"]


def test_an_event_of_another_affiliate_is_sent_for_the_own_one_by_a_click(here: Site) -> None:
    draft = draft_of(belonging(report("of-others", section(OTHER, TODAY), name="Others"), "B2222222"))
    (found,) = [one for one in checked(here, "tina", draft)["findings"] if one["code"] == "other-affiliate"]
    assert found["message"] == "This event belongs to affiliate B2222222; you act for A1111111."
    (fix,) = found["fixes"]
    assert fix["label"] == "Send it for A1111111"
    assert [(one["path"], one["value"]) for one in fix["changes"]] == [
        (["event", "event", "details", "affiliate"], "A1111111"),
        (["event", "event", "details", "affiliate_name"], None),
    ]
    draft["event"]["event"]["details"]["affiliate"] = "A1111111"
    assert "other-affiliate" not in [one["code"] for one in checked(here, "tina", draft)["findings"]]
    assert "other-affiliate" not in [one["code"] for one in checked(here, "anna", draft)["findings"]]


def test_my_events_say_what_became_of_them_and_every_page_says_who_is_in(here: Site) -> None:
    here.come_in("tina")
    page = html.unescape(here.client.get("/my-events").text)
    assert "own-late" in page
    assert "other" not in page.split("<h2")[1]
    assert "Look at the ratings" in page
    for path in ("/events", "/my-events", "/upload"):
        assert "Log out" in here.client.get(path).text
    assert here.client.get("/my-events/other").status_code == 403
    here.come_in("nobody")
    assert "Log in" in here.client.get("/events").text
    assert here.client.get("/my-events").headers["location"] == "/login?next=/my-events"


def test_programs_send_files_as_they_like_and_read_from_any_site(here: Site) -> None:
    here.come_in("nobody")
    content = document(own("by-program", NEW)).content
    raw = here.client.post("/api/v1/check", content=content).json()
    form = here.client.post("/api/v1/check", files=[("files", ("event.json", content))]).json()
    assert raw["faults"] == form["faults"]
    token = here.token("tina")
    unknown = document(own("held", "1 =1 | W2\n2 =77 | L1")).content
    held = here.client.post("/api/v1/submissions", content=unknown, headers=token)
    assert (held.status_code, held.json()["status"], held.json()["held"]) == (202, "held", [1])
    read = here.client.get("/api/v1/log?since=3&size=9", headers={"Accept-Encoding": "gzip"})
    assert [one["act"] for one in read.json()["acts"]] == list(range(4, 13))
    assert read.headers["access-control-allow-origin"] == "*"
    assert read.headers["content-encoding"] == "gzip"
    assert "access-control-allow-origin" not in here.client.get("/my-events").headers
    assert here.client.get("/api/v1/members/none").json()["type"] == "/api#problem-404"


def test_every_example_of_the_api_can_be_typed_as_it_stands(here: Site) -> None:
    here.come_in("nobody")
    here.client.app.state.reading.renew()  # type: ignore[attr-defined]
    page = html.unescape(here.client.get("/api").text)
    examples = re.findall(r"<details class=\"operation\"[^>]*>.*?<code>(curl [^<]*)</code>", page, re.DOTALL)
    assert len(examples) > 30
    event = document(own("by-example", NEW)).content
    replies = {}
    for one in examples:
        asked = shlex.split(one)
        address = asked[-1].removeprefix("http://testserver").removeprefix(str(here.client.base_url))
        if "Bearer" in one or "/states/" in one:
            continue  # what these bring about is tested above; nobody here is of a state
        if "--data-binary" in asked:
            reply = here.client.post(address, content=event)
        elif "-d" in asked:
            reply = here.client.post(address, json=json.loads(asked[asked.index("-d") + 1]))
        else:
            reply = here.client.get(address)
        replies[one] = reply.status_code
    assert {one: status for one, status in replies.items() if status != 200} == {}


def test_pages_of_other_sites_may_ask_whether_something_changed_and_programs_get_short_replies(here: Site) -> None:
    asking = {"Origin": "https://club.example", "Access-Control-Request-Method": "GET"}
    reply = here.client.options(
        "/api/v1/members", headers={**asking, "Access-Control-Request-Headers": "if-none-match"}
    )
    assert (reply.status_code, reply.headers["access-control-allow-origin"]) == (204, "*")
    assert "If-None-Match" in reply.headers["access-control-allow-headers"]
    refused = here.client.options("/api/v1/submissions", headers={**asking, "Access-Control-Request-Method": "POST"})
    assert (refused.status_code, refused.json()["detail"]) == (405, "This address takes POST.")
    assert "access-control-allow-origin" not in refused.headers
    here.come_in("nobody")
    content = document(own("by-program", NEW)).content
    reply = here.client.post("/api/v1/rate", content=content, headers={"Accept-Encoding": "gzip"})
    assert reply.headers["content-encoding"] == "gzip"


def test_an_event_is_downloaded_without_what_is_not_public(here: Site) -> None:
    here.come_in("nobody")
    here.client.app.state.reading.renew()  # type: ignore[attr-defined]
    found = here.client.get("/events/own/files/json")
    assert found.headers["content-disposition"] == 'attachment; filename="Event-own.json"'
    row = found.json()["sections"][0]["players"][0]
    assert set(row) == {"number", "member_id", "name", "state", "pairing_rating", "rounds", "posted"}
    assert here.client.get("/events/own/files/dbf").content.startswith(b"PK")


def test_the_office_adds_members_on_the_site_and_they_are_found_at_once(here: Site) -> None:
    mark = here.come_in("anna")
    one = {"mark": mark, "member": "30000001", "name": "Fresh, Ann", "state": "NY"}
    reply = here.client.post("/administration/members", data=one)
    assert reply.headers["location"] == "/administration/members?new=1&changed=0&unchanged=0"
    assert "1 added" in here.client.get(reply.headers["location"]).text
    table = "Member ID,Name,Regular rating\n30000001,Fresh Ann,1500\n30000002,Fresh Bo,1600\n"
    reply = here.client.post("/administration/members", data={"mark": mark, "text": table})
    assert reply.headers["location"] == "/administration/members?new=1&changed=1&unchanged=0"
    here.client.app.state.reading.renew()  # type: ignore[attr-defined]  # after many writes the next reading waits
    assert here.client.get("/members/30000002.json").json()["systems"] == []
    bad = here.client.post("/administration/members", data={"mark": mark, "text": "no table"})
    assert (bad.status_code, "Nothing was stored" in bad.text) == (422, True)
    here.come_in("tina")
    assert here.client.get("/administration/members").status_code == 403


def test_what_waits_for_a_second_person_is_not_proposed_again(here: Site) -> None:
    wish = {"mark": here.come_in("anna"), "month": "2026-12", "basis": "now"}
    assert here.client.post("/administration/publish", data=wish).status_code == 303
    again = here.client.post("/administration/publish", data=wish)
    assert again.status_code == 409
    assert re.search(r"proposed already: proposal \d+, by anna", again.text, re.IGNORECASE)


FIGURES = re.compile(r'data-label="(?:Now|Would be)">(?:<b>)?([\d.]+|unrated)')


def shown_changes(page: str) -> list[str]:
    """The ratings now and then of the table of rating changes in all events."""
    return FIGURES.findall(page.partition("current rating")[2])


def run_of(made: Site, location: str) -> list[tuple[float | None, float | None]]:
    """The rating changes of the run that a page about what was done leads to."""
    (run,) = re.findall(r"run=(\d+)", location)
    with made.office.reading() as connection:
        return [(one.rating_before, one.rating_after) for one in ripple(connection, int(run))]


def figures(changes: list[tuple[float | None, float | None]]) -> list[str]:
    return ["unrated" if one is None else f"{one:.2f}" for pair in changes for one in pair]


def test_the_rating_changes_that_are_shown_first_are_those_that_come(tmp_path: Path) -> None:
    """Of a correction and of a decision, later events included, to the decimal; before proposing and approving."""
    with site(tmp_path) as made:
        mark = made.come_in("anna")
        fields = {"section": "1", "player": "1", "round": "1", "result": "L2", "reason": "the slip"}
        path = made.client.post("/events/own/correction", data={"mark": mark, **fields, "try": "yes"}).headers[
            "location"
        ]
        tried = made.client.get(path).text
        before = posted(made.office)
        own = shown_changes(tried)
        assert len(own) > 4
        assert "own-late" in tried.partition("current rating")[2]  # through the event that came after it
        made.client.post("/events/own/correction", data={"mark": mark, **fields})
        assert posted(made.office) == before
        mark = made.come_in("boris")
        assert shown_changes(made.client.get("/administration/proposals/1").text) == own
        reply = made.client.post("/administration/proposals/1/approve", data={"mark": mark})
        assert sorted(figures(run_of(made, reply.headers["location"]))) == sorted(own)
        assert "See whose ratings moved" in made.client.get(reply.headers["location"]).text
        decision = {"mark": mark, "member": "Member, Boris 1", "system": "OTBR", "level": "1990", "reason": "so"}
        path = made.client.post("/administration/decisions/floor", data={**decision, "try": "yes"}).headers["location"]
        tried = html.unescape(made.client.get(path).text)
        assert 'value="1990"' in tried
        assert shown_changes(tried) == []  # a floor acts with the next section
        by_hand = {**decision, "games": "30", "try": "yes"}
        path = made.client.post("/administration/decisions/adjust", data=by_hand).headers["location"]
        assert shown_changes(made.client.get(path).text)[-1] == "1990.00"
        path = made.client.post("/administration/merge", data={**decision, "into": "Nobody", "try": "yes"}).headers[
            "location"
        ]
        assert made.client.get(path).status_code == 422


def test_the_office_finds_what_waits_by_kind_and_by_text(here: Site) -> None:
    sent(here, "tina", own("queue-one", "1 =1 | W2\n2 =77 | L1", "Spring Quads"))
    sent(here, "tina", own("queue-two", "1 =1 | W2\n2 =78 | L1", "Summer Open"))
    here.come_in("anna")
    page = html.unescape(here.client.get("/administration?pile=held&q=spring").text)
    assert "Spring Quads" in page
    assert "Summer Open" not in page
    assert 'id="asked"' not in page
    assert "Spring Quads" not in here.client.get("/administration?pile=asked").text
    assert (
        here.client.get("/administration/event?id=queue-one").headers["location"] == "/administration/events/queue-one"
    )
    assert here.client.get("/administration/event?id=Spring+Quads").headers["location"] == "/search?q=Spring+Quads"
