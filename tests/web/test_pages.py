"""Every public page and its JSON twin, on an office that went through what offices go through."""

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from html import unescape
from pathlib import Path

import pytest

from crosstable.app.answering import Request, reply_to
from crosstable.calculator.answers import answer
from crosstable.calculator.reading import read_link
from crosstable.calculator.uncertainty import plus_minus
from crosstable.formulas.outcome import official_rating
from crosstable.office.database import open_office
from crosstable.office.ledger.journal import Author
from crosstable.office.settings import UNCERTAINTY, switch
from crosstable.office.top_lists import AGE_BANDS
from crosstable.rules.amendments import AMENDMENTS
from crosstable.rules.editions import edition_for
from crosstable.rules.statements import statements
from crosstable.terms import RatingSystem
from tests.office.made_office import last_posting, member_id, posted
from tests.web.client import TestClient
from tests.web.site import HOSTILE_EVENT, TODAY, client, made_file

OTBR, OTBQ = RatingSystem.OTBR, RatingSystem.OTBQ
PAGES = (
    "/",
    "/search",
    "/search?q=member",
    "/members/10000001",
    "/members/10000001?axis=games",
    "/members/10000012",
    "/members/20000001",
    "/events",
    "/events?q=autumn",
    "/events/202607040001",
    "/events/202607040001/sections/1",
    "/events/202607040001/sections/1/players/1",
    "/events/202607040001/sections/1/players/1?system=OTBQ",
    "/events/202609050001/sections/1/players/1",
    "/lists",
    "/lists/2026-12",
    "/lists/2026-12?sort=OTBR&state=NY",
    "/lists/2026-12/top",
    "/lists/2026-12/top?system=OTBQ&provisional=true&age=21-49",
    "/rules",
    "/rules/2026-07-04",
    "/rules/changes?since=2023-01-01&until=2026-01-01",
    "/changes",
    "/changes?kind=correct",
    "/changes/1",
    "/ripples",
    "/calculator?rating=1512/40&game=W1640+D1720",
    "/why-calculators-differ",
    "/about",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with client(made_file(tmp_path_factory.mktemp("site"))) as made:
        yield made


@pytest.fixture(scope="module")
def office_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(made_file(tmp_path_factory.mktemp("office")))


def twin(path: str) -> str:
    plain, mark, query = path.partition("?")
    return f"{'/index' if plain == '/' else plain}.json{mark}{query}"


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_whole_html_with_one_heading_and_its_twin_is_json(site: TestClient, path: str) -> None:
    page = site.get(path)
    assert page.status_code == 200, page.text
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert len(re.findall(r"<h1[ >]", page.text)) == 1
    assert '<main id="main"' in page.text
    assert " style=" not in page.text
    assert f'href="{twin(path).replace("&", "&amp;")}"' in page.text
    found = site.get(twin(path))
    assert found.status_code == 200
    assert found.headers["content-type"] == "application/json"
    assert found.json()["as_of"]["act"] > 0


def test_the_member_page_shows_what_is_posted_and_what_is_official(site: TestClient, office_path: str) -> None:
    office = open_office(office_path)
    postings = posted(office).values()
    office.close()
    view = site.get("/members/10000001.json").json()
    systems = {one["system"]: one for one in view["systems"]}
    for system in (OTBR, OTBQ):
        live = last_posting(postings, member_id(1), system)
        assert official_rating(systems[system.name]["live"]["rating"]) == official_rating(live.rating_after or 0.0)
        assert systems[system.name]["official_month"] == "2026-12"
    shown = {(row["system"], row["place"] and row["place"]["event"]) for row in view["history"]}
    assert ("OTBR", "202607040001") in shown
    assert ("OTBQ", "202607040001") in shown
    assert ("OTBR", None) in shown  # the opening


def test_the_page_says_how_uncertain_a_regular_rating_is_where_the_office_wants_that(
    site: TestClient, office_path: str, tmp_path: Path
) -> None:
    """The ± of docs/lab-committee.md for the live rating and its games; nothing before the office switches it on."""
    assert {one["plus_minus"] for one in site.get("/members/10000001.json").json()["systems"]} == {None}
    assert "±" not in site.get("/members/10000001").text
    path = tmp_path / "office.db"
    path.write_bytes(Path(office_path).read_bytes())
    with closing(open_office(str(path))) as office:
        switch(office, Author("host", ""), UNCERTAINTY, on=True)
    with client(path) as here:
        for address in ("/members/10000001.json", "/api/v1/members/10000001"):
            systems = {one["system"]: one for one in here.get(address).json()["systems"]}
            live = systems["OTBR"]["live"]
            assert systems["OTBR"]["plus_minus"] == round(plus_minus(live["rating"], live["games"])) > 100
            assert systems["OTBQ"]["plus_minus"] is None
        assert f"± {systems['OTBR']['plus_minus']}" in here.get("/members/10000001").text


def test_a_floor_says_why_it_is_there(site: TestClient) -> None:
    """Member 3 brought a peak of 1500 (the opening), so their floor is 1300: less 200, down to the hundred (§5)."""
    systems = {one["system"]: one for one in site.get("/members/10000003.json").json()["systems"]}
    assert systems["OTBR"]["floor"]["level"] == 1300.0
    assert "less 200 points" in systems["OTBR"]["floor"]["why"]


def test_a_member_who_did_not_play_is_told_why_his_rating_moved(site: TestClient) -> None:
    """The correction took half a point from member 1; their rating, and those of whom they met since, moved."""
    view = site.get("/members/10000001.json").json()
    notice = next(one for one in view["notices"] if one["system"] == "OTBR")
    assert notice["causes"][0]["kind"] == "correct"
    assert notice["causes"][0]["reason"] == "The score sheet says draw."
    page = site.get("/members/10000001").text
    assert "No game was played, yet the Regular rating moved" in page
    assert "The score sheet says draw." in page
    assert f'href="/ripples/{notice["run"]}"' in page


def test_the_ripple_of_a_correction_names_those_who_moved(site: TestClient) -> None:
    runs = site.get("/ripples.json").json()["runs"]
    view = site.get(f"/ripples/{runs[0]['run']}.json").json()
    assert [cause["kind"] for cause in view["causes"]] == ["correct"]
    moved = {line["member_id"] for line in view["lines"]}
    assert {member_id(1), member_id(2)} <= moved
    assert member_id(5) not in moved


def test_a_dual_rated_section_shows_both_systems(site: TestClient) -> None:
    view = site.get("/events/202607040001/sections/1.json").json()
    assert view["systems"] == ["OTBR", "OTBQ"]
    assert [row["row"] for row in view["rows"]] == [1, 2, 3, 4]
    points = [row["points"] for row in view["rows"]]
    assert points == sorted(points, reverse=True)
    page = site.get("/events/202607040001/sections/1").text
    assert all(f">{name}<span class=unseen>, before and after</span>" in page for name in ("Regular", "Quick"))
    assert "href=1/players/1?system=OTBQ>" in page


def test_rounds_name_opponents_by_their_rows(site: TestClient) -> None:
    rows = site.get("/events/202607040001/sections/1.json").json()["rows"]
    by_row = {row["row"]: row for row in rows}
    won = {"W": "L", "L": "W", "D": "D"}
    for row in rows:
        for at, cell in enumerate(row["rounds"]):
            assert by_row[int(cell[1])]["rounds"][at][0] == won[cell[0]]


def test_the_page_and_its_cells_name_opponents_by_the_numbers_of_the_report(site: TestClient) -> None:
    view = site.get("/events/202607040001/sections/1.json").json()
    by_number = {row["number"]: row for row in view["rows"]}
    won = {"W": "L", "L": "W", "D": "D"}
    assert view["columns"] == [1, 2, 3]
    page = site.get("/events/202607040001/sections/1").text
    for row in view["rows"]:
        for at, cell in enumerate(row["cells"]):
            assert by_number[int(cell[1])]["cells"][at][0] == won[cell[0]]
            assert f"<td><a href=#s1p{row['opponents'][at]}>{cell}</a>" in page
        assert f"<tr id=s1p{row['number']}>" in page


def test_where_somebody_started_by_age_points_are_made_of_posted_ratings(site: TestClient) -> None:
    """Member 8 was unrated and has a birth date: the working is made again of posted numbers (decision 0004)."""
    view = site.get("/events/202608010001/sections/1/players/1.json?system=OTBR").json()
    (one,) = view["systems"]
    steps = {step["name"]: step for part in one["parts"] for step in part["steps"] if step["name"]}
    points = [game["points"] for game in one["games"]]
    assert all(found == int(found) for found in points)
    assert sum(points) + steps["bonus"]["value"] == pytest.approx(one["change"], abs=3.0)
    assert abs(steps["from_posted"]["value"] - steps["official"]["value"]) <= 3.0
    assert "made of posted ratings" in site.get("/events/202608010001/sections/1/players/1?system=OTBR").text


def test_steps_call_opponents_by_name(site: TestClient) -> None:
    """A crosstable numbers its rows by points, so the number of a report would point at somebody else."""
    view = site.get("/events/202608010001/sections/1/players/1.json?system=OTBR").json()
    (one,) = view["systems"]
    steps = [step["text"] for part in one["parts"] for step in part["steps"]]
    for game in one["games"]:
        assert any(text.startswith(f"Round {game['round']}: ") and game["opponent_name"] in text for text in steps)
    assert not any(re.search(r"player \d", text) for text in steps)


def test_a_section_with_a_start_by_age_shows_its_working(site: TestClient) -> None:
    """For the player who started by age and for who met them, made of posted numbers."""
    for player in (1, 2, 3, 4):
        (one,) = site.get(f"/events/202609050001/sections/1/players/{player}.json").json()["systems"]
        assert {"Step 4", "Step 5", "Result"} <= {part["part"] for part in one["parts"]}
        assert any(step["name"] == "from_posted" for part in one["parts"] for step in part["steps"])


def test_an_explanation_of_a_row_that_is_not_there_is_not_found(site: TestClient) -> None:
    assert site.get("/events/202607040001/sections/1/players/77").status_code == 404
    assert site.get("/events/202607040001/sections/9").status_code == 404
    assert site.get("/events/nothing").status_code == 404
    assert site.get("/events/202607040001/sections/1/players/1?system=OLB").status_code == 404


def test_the_lists_page_and_its_files_have_the_same_members(site: TestClient) -> None:
    rows = site.get("/lists/2026-12.json?size=500").json()["members"]
    text = site.get("/lists/2026-12/ratings.csv").text
    assert len(text.strip().splitlines()) == len(rows) + 1
    assert site.get("/lists/2026-12/ratings.xlsx").content.startswith(b"PK")
    assert site.get("/lists/2026-12/ratings.parquet").content.startswith(b"PAR1")
    assert site.get("/lists/2026-12/ratings.exe").status_code == 422


def test_a_top_list_is_in_order_and_names_its_band(site: TestClient) -> None:
    view = site.get("/lists/2026-12/top.json?top=3").json()
    ratings = [row["rating"] for row in view["rows"]]
    assert ratings == sorted(ratings, reverse=True)
    assert len(ratings) == 3
    assert site.get("/lists/2026-12/top?age=forty").status_code == 422
    assert site.get("/lists/2026-10").status_code == 404


def test_the_timeline_has_every_amendment(site: TestClient) -> None:
    assert len(site.get("/rules.json").json()["amendments"]) == len(AMENDMENTS)
    page = site.get("/rules").text
    assert all(f'href="/rules/{one.effective}"' in page for one in AMENDMENTS)


def test_the_rules_of_a_day_are_told_in_the_words_of_the_command_line(site: TestClient) -> None:
    """§4.2, §8: the same sentences, with their sections; one text on both."""
    page = unescape(site.get("/rules/2010-05-01").text)
    found = site.get("/rules/2010-05-01.json").json()["statements"]
    edition = edition_for(date(2010, 5, 1))
    assert [one["text"] for one in found] == [one.sentence.text for one in statements(edition)]
    assert all(one["text"] in page for one in found)
    (bonus,) = [one for one in found if "B√m" in one["text"]]
    assert (bonus["section"], bonus["since"]) == ("§4.2", "2008-06-06")
    assert "with B = 6 and m" in bonus["text"]


def test_rules_between_two_days_say_what_changed(site: TestClient) -> None:
    """The bonus threshold went from 12 to 10 on 2025-01-01 (§8)."""
    days = "since=2024-12-31&until=2025-01-01"
    found = site.get(f"/rules/changes.json?{days}").json()
    changed, page = found["changed"], unescape(site.get(f"/rules/changes?{days}").text)
    (bonus,) = [one for one in found["statements"] if one["section"] == "§4.2"]
    assert "with B = 12 and m" in bonus["before"]
    assert "with B = 10 and m" in bonus["after"]
    assert all(one["before"] in page and one["after"] in page for one in found["statements"])
    threshold = next(one for one in changed if one["name"] == "bonus_threshold")
    assert (threshold["before"], threshold["after"]) == ("12", "10")
    assert site.get("/rules/1999-01-01").status_code == 404


def test_the_log_is_newest_first_and_in_pages(site: TestClient) -> None:
    first = site.get("/changes.json?size=2")
    acts = [act["act"] for act in first.json()["acts"]]
    assert acts == sorted(acts, reverse=True)
    assert first.headers["x-total-count"] == str(first.json()["paging"]["total"])
    assert 'rel="next"' in first.headers["link"]
    assert "page=2" in first.headers["link"]
    assert site.get("/changes?page=9999").status_code == 404
    correction = site.get("/changes.json?kind=correct").json()["acts"][0]
    view = site.get(f"/changes/{correction['act']}.json").json()
    assert any("round 1" in one for one in view["differences"])
    assert view["event"] == "202607040001"


def test_names_from_files_are_shown_and_never_run(site: TestClient) -> None:
    for path in (
        "/members/20000001",
        "/search?q=eve",
        "/events",
        "/events/202608010001",
        "/events/202608010001/sections/1",
    ):
        page = site.get(path).text
        assert "<script>alert" not in page
        assert "<img src=x" not in page
    assert "&lt;script&gt;alert" in site.get("/members/20000001").text
    assert site.get("/events/202608010001.json").json()["name"] == HOSTILE_EVENT


def test_direction_marks_in_names_are_made_visible(site: TestClient) -> None:
    page = site.get("/members/20000002").text
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in page
    assert "\\u202e" in page


def test_the_estimate_page_answers_from_its_address(site: TestClient) -> None:
    """The numbers are the calculator's, which are the engine's."""
    link = "/estimate?date=2026-11-15&rating=1512&games=40&game=W1640,D1720,L1600"
    request = read_link(link, TODAY).request
    assert request is not None
    expected = answer(request)
    page = site.get(link)
    assert page.status_code == 200
    assert f"1512 → {expected.estimate.official}" in page.text
    for address in (link.replace("/estimate?", "/estimate.json?"), f"/api/v1{link}"):
        assert site.get(address).json()["estimate"]["post"] == expected.estimate.rating
    body = {"date": "2026-11-15", "rating": "1512", "games": 40, "game": ["W1640", "D1720", "L1600"]}
    assert site.post("/api/v1/estimate", json=body).json()["estimate"]["post"] == expected.estimate.rating


def test_what_if_stands_beside_the_estimate(site: TestClient) -> None:
    found = site.get("/estimate.json?rating=1512/40&game=W1640,T1700&next=1800&target=1550&range=1&norms=1").json()
    assert {"estimate", "next_game", "outcomes", "target", "norms"} <= found.keys()
    assert found["next_game"]["win"]["post"] > found["next_game"]["loss"]["post"]
    only_next = site.get("/estimate?rating=1641P17&next=1800")
    assert only_next.status_code == 200
    assert "The next game, against 1800" in only_next.text


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize(
    "query",
    [
        "rating=1512/40&game=W1640,D1720,L1600,T1800&next=1700&target=1550&steps=1",
        "rating=1641P17&next=1800",
        "rating=x&game=q",
        "rating=1500&game=L10000005&entries=Nobody Here",
        "",
    ],
)
def test_what_somebody_sees_while_typing_is_the_answer_of_the_whole_page(
    site: TestClient, query: str, language: str
) -> None:
    headers = {"Accept-Language": language}
    page, part = (site.get(f"{path}?{query}", headers=headers) for path in ("/estimate", "/estimate/answer"))
    assert part.status_code == page.status_code
    whole = page.text.partition('<div id="answer" aria-live="polite">')[2].partition("</div>\n</main>")[0]
    assert part.text.strip() == whole.strip()
    assert part.text.strip()
    assert part.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_application_answers_its_page_in_part_too(language: str) -> None:
    query = [("rating", "1512/40"), ("game", "W1640 D1720 L1600 T1800"), ("target", "1550")]
    page, part = (
        reply_to(Request("GET", path, query, language=language)) for path in ("/estimate", "/estimate/answer")
    )
    assert (page.status, part.status) == (200, 200)
    assert part.body.strip() in page.body
    assert 'id="result"' in part.body
    assert reply_to(Request("GET", "/estimate/answer", [("rating", "x"), ("game", "q")])).status == 422


def test_an_estimate_that_cannot_be_made_says_everything_that_is_wrong(site: TestClient) -> None:
    page = site.get("/estimate?rating=99999&game=Q12")
    assert page.status_code == 422
    assert "no game" in page.text
    found = site.get("/api/v1/estimate?rating=99999&game=Q12")
    assert found.status_code == 422
    assert {fault["place"] for fault in found.json()["faults"]} >= {"rating", "game 1"}
    assert site.get("/api/v1/estimate").status_code == 422
    assert site.post("/api/v1/estimate", content=b"{not json").status_code == 400
    assert site.get("/estimate").status_code == 200
    assert site.get("/estimate?rating=1512&system=OTBR").status_code == 200  # a link that only fills in the form


def test_the_form_of_an_estimate_keeps_everything_its_link_says(site: TestClient) -> None:
    link = (
        "/estimate?date=2026-08-01&rating=1512&games=8&floor=1400&opponents=before&control=G/60;d5&dual=1&cfc=1600"
        "&other=OTBQ:1450/12&other=OTBB:1300&game=W1640,D1720&next=1700&target=1550"
    )
    page = site.get(link).text
    sent = []
    for tag in re.findall(r"<input[^>]*>", page.split("data-estimate")[1].split("</form>")[0]):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        is_sent = 'type="checkbox"' not in tag or "checked" in tag
        if name and value and value[1] and is_sent:
            sent.append((name[1], unescape(value[1])))
    assert dict(sent)["rating"] == "1512/8"
    again = site.get("/api/v1/estimate", params=sent).json()
    assert "estimate" in again, again
    assert again["estimate"]["post"] == site.get(f"/api/v1{link}").json()["estimate"]["post"]
    assert [text for name, text in sent if name == "other"] == ["OTBQ:1450/12", "OTBB:1300"]
    shown = re.search(r'This estimate has a link: <a href="([^"]*)"', page)
    assert shown
    assert unescape(shown[1]).endswith("&next=1700&target=1550")


def test_the_page_of_a_member_shows_their_places_on_age_lists_and_no_other_age(site: TestClient) -> None:
    """Exactly what the public list of a group says of them."""
    named = {
        (row["member_id"], band.name, row["rank"])
        for band in AGE_BANDS
        for row in site.get(f"/lists/2026-12/top.json?top=500&age={band.name}").json()["rows"]
    }
    assert named
    members = {row["member_id"] for row in site.get("/lists/2026-12.json?size=500").json()["members"]}
    shown = {one: site.get(f"/members/{one}.json").json()["systems"] for one in members}
    assert named == {
        (member, one["age"], one["rank"])
        for member, systems in shown.items()
        for system in systems
        for one in (system["age_ranks"] if system["system"] == "OTBR" else ())
    }
    member, age, rank = min(named)
    text = site.get(f"/members/{member}").text
    link = f'/lists/2026-12/top?system=OTBR&amp;age={age.replace(" ", "%20")}">{rank}</a>'
    assert re.search(rf"<dt>Rank, age {age}</dt><dd><a href=.{re.escape(link)}</dd>", text)
