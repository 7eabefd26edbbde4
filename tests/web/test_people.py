"""What players ask of the ten years' demonstration: find somebody, their games, what comes next; its seed holds."""

import json
import os
import random
import re
import subprocess
import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from datetime import date
from html import unescape
from pathlib import Path

import pytest

from crosstable.calculator.estimate import estimate
from crosstable.calculator.reading import read_link
from crosstable.calculator.what_if import events_to, outcomes, paths_to, score_chances
from crosstable.cli import main
from crosstable.errors import OfficeError
from crosstable.formulas.standard import odds, winning_expectancy
from crosstable.office.audit import audit
from crosstable.office.database import Office, open_office
from crosstable.office.demonstration import ACCOUNTS, PASSWORD, make_demo
from crosstable.office.ledger.postings import current_of_section
from crosstable.office.settings import contrast_with_white, show_as
from crosstable.web.pages.explanations import played_section
from crosstable.web.pages.sections import rated_section, require_section
from crosstable.web.reading import Reading
from tests.amounts import IS_SOAK, amount
from tests.office.made_office import AUTHOR
from tests.waiting import until
from tests.web.client import TestClient
from tests.web.site import HandClock, client, made_file

DAY = date(2026, 11, 16)


# On a fresh machine that has the compiler: the demonstration is unpacked, a player's first rating changes, and all
# that follows from it is rated again.
CHANGED = """
import sys
from datetime import date
from crosstable.office.bulk.run import is_worth_compiling
from crosstable.office.database import Office
from crosstable.office.decisions import Ruling, decide
from crosstable.office.demonstration import make_demo
from crosstable.office.ledger.facts import DecisionKind
from crosstable.office.ledger.journal import Author
from crosstable.office.ledger.rerate import rerate
from crosstable.office.ledger.runs import LONG, UNCOMPILED, can_compile
from crosstable.terms import RatingSystem

make_demo(sys.argv[1])
office, author = Office(sys.argv[1]), Author("office", "test")
decide(office, author, Ruling(DecisionKind.FLOOR, "90000107", RatingSystem.OTBR, date(2016, 9, 2), 1900.0))
run = rerate(office, author)
print(can_compile(), run.sections > LONG, "numba" in sys.modules)
print(is_worth_compiling(UNCOMPILED), is_worth_compiling(UNCOMPILED + 1))
"""


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demonstration") / "office.db"
    make_demo(str(path))
    return path


@pytest.fixture(scope="module")
def site(office: Path) -> Iterator[TestClient]:
    with client(office, is_demo=True) as made:
        until(lambda: made.get("/index.json").status_code == 200 or None)  # the record is read while the site answers
        yield made


def test_nobody_waits_for_the_compiler_to_see_the_demonstration(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    command = [sys.executable, "-c", CHANGED, str(tmp_path / "office.db")]
    environment = os.environ | {"XDG_CACHE_HOME": str(cache)}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    assert done.stdout.split() == ["True", "True", "False", "False", "True"]
    assert not cache.exists()


def test_a_demonstration_looks_like_a_federation(site: TestClient) -> None:
    home = site.get("/index.json").json()
    assert home["members"] > 2000
    assert home["events"] > 700
    assert len(home["leaders"]) == 10
    assert all(one["member_id"].startswith("9") for one in home["leaders"])  # nobody has such an id
    months = site.get("/events.json?page=1&size=500").json()
    first = site.get("/events.json?page=2&size=500").json()["events"][-1]
    assert first["started"] < "2016-12"
    assert months["events"][0]["ended"] > "2026-07"
    assert len(site.get("/changes.json?kind=correct").json()["acts"]) >= 3
    quads = [one for one in months["events"] if one["name"].endswith("Quads")]
    assert len(quads) > 30
    assert all(one["players"] == 4 * one["sections"] for one in quads)


def test_the_login_page_of_the_demonstration_alone_names_its_accounts(site: TestClient) -> None:
    text = site.get("/login").text
    assert all(f"<b>{one.name}</b>" in text for one in ACCOUNTS)
    assert PASSWORD in text
    for path in ("/", "/about", "/estimate"):
        assert PASSWORD not in site.get(path).text


def test_other_machines_do_not_reach_the_demonstration(office: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--demo", "--database", str(office), "--host", "0.0.0.0"]) == 2
    assert "passwords" in capsys.readouterr().err
    assert main(["serve", "--demo", "--database", "postgresql://nobody@127.0.0.1:1/none"]) in (1, 2)


def test_the_ratings_of_the_seed_follow_from_its_record(office: Path) -> None:
    """Some sections are rated again from what was posted before them; a soak derives everything from nothing."""
    opened = open_office(str(office))
    if IS_SOAK:
        assert not audit(opened).findings
    reading = Reading(opened)
    read = reading.renew()
    rng = random.Random(1)
    places = [(event.event_id, one.number) for event in read.events for one in event.sections]
    rows = games = 0
    for event, number in rng.sample(places, amount(25, len(places))):
        stored = (one.posting for one in current_of_section(read.connection, event, number))
        posted = {(one.member_id, one.system): one.rating_after for one in stored}
        for one in rated_section(read, require_section(read, event, number)):
            for player in one.rated.players:
                if player.played and player.after is not None:
                    assert player.after.rating == pytest.approx(posted[player.member_id, one.rated.system], abs=1e-9)
                    rows += 1
                shown = played_section(one, player.number)
                if shown.has_points:
                    points = [game.points or 0.0 for game in shown.games] + [other.points for other in shown.others]
                    assert sum(points) == pytest.approx(shown.change, abs=1e-6)
                    games += len(shown.games)
    reading.close()
    assert rows > 100
    assert games > 200


def test_search_finds_players_events_clubs_and_states_and_one_hit_opens(site: TestClient) -> None:
    leader = site.get("/index.json").json()["leaders"][0]
    one = site.get(f"/search?q={leader['member_id']}")
    assert (one.status_code, one.headers["location"]) == (303, f"/members/{leader['member_id']}")
    found = site.get("/search.json?q=dallas").json()
    assert {place["kind"] for place in found["places"]} == {"club", "event"}
    assert site.get(f"/search?q={leader['member_id']}&against=90000107").headers["location"] == (
        f"/members/90000107/against/{leader['member_id']}"
    )
    family, given = leader["name"].split(", ")
    misspelt = f"{given} {family[:-1]}{'x' if family[-1] != 'x' else 'y'}"
    answer = site.get(f"/search.json?q={misspelt}").json()
    assert leader["name"] in [member["name"] for member in answer["members"]]
    assert next(one for one in answer["members"] if one["name"] == leader["name"])["rating"] == leader["rating"]


def test_suggestions_come_with_ratings_and_quickly(site: TestClient) -> None:
    leader = site.get("/index.json").json()["leaders"][0]
    found = site.get(f"/api/v1/suggest?q={leader['name'][:5]}").json()["found"]
    assert {"kind", "id", "name", "text", "href"} == found[0].keys()
    mine = site.get(f"/api/v1/suggest?q={leader['name']}&kind=member").json()["found"][0]
    assert (mine["id"], mine["text"]) == (leader["member_id"], f"{leader['rating']} · {leader['state']}")
    assert "state" in [one["kind"] for one in site.get("/api/v1/suggest?q=TX").json()["found"]]
    start = time.process_time()
    for letters in ("an", "ma", "sm", "jo", "wi", "ro"):
        assert site.get(f"/api/v1/suggest?q={letters}").json()["found"]
    assert time.process_time() - start < 6.0


def test_clubs_states_and_directors_have_pages_that_lead_to_each_other(site: TestClient) -> None:
    state = site.get("/states/TX.json").json()
    club = site.get(f"{state['clubs'][0]['href']}.json").json()
    assert club["paging"]["total"] == state["clubs"][0]["events"]
    director = site.get(f"{club['directors'][0]['href']}.json").json()
    assert director["clubs"]
    assert sum(one["events"] for one in state["clubs"]) == state["paging"]["total"]
    assert site.get("/states/ZZ").status_code == 404
    month = site.get("/events.json?month=2026-08").json()
    assert month["events"]
    assert all(one["ended"].startswith("2026-08") for one in month["events"])


def test_an_estimate_takes_names_ids_and_a_pasted_list(site: TestClient) -> None:
    """What the page answers with people is what it answers with their live ratings."""
    me, *others = site.get("/index.json").json()["leaders"][:4]
    live = {
        one["member_id"]: site.get(f"/members/{one['member_id']}.json").json()["systems"][0] for one in (me, *others)
    }
    paste = f"1. {others[0]['name']} {others[0]['rating']}\n{others[1]['member_id']}\nNobody, Atall"
    page = site.get("/estimate", params={"rating": me["name"], "game": f"W{others[2]['member_id']}", "entries": paste})
    assert page.status_code == 200
    assert "Nobody is called Nobody, Atall" in page.text
    assert all(one["name"] in page.text for one in others)
    games = f"W{others[2]['member_id']} T{others[0]['member_id']} T{others[1]['member_id']}"
    assert f'value="{games}"' in page.text
    link = page.text.split('This estimate has a link: <a href="')[1].split('"')[0].replace("&amp;", "&")
    request = read_link(link, DAY).request
    assert request is not None
    assert request.rating == live[me["member_id"]]["live"]["rating"]
    assert [one.rating for one in request.opponents] == [
        live[one["member_id"]]["live"]["rating"] for one in (others[2], others[0], others[1])
    ]
    assert f"→ {estimate(request).official}" in page.text
    wrong = site.get("/estimate.json?rating=1500&game=W99999999")
    assert wrong.status_code == 422
    assert "Nobody has the ID 99999999" in json.dumps(wrong.json())


def test_chances_of_scores_add_up_and_a_path_repeats_the_event() -> None:
    """By hand: two games against 1700 with a rating of 1500, a quarter of even games drawn."""
    request = read_link("/estimate?rating=1500/100&game=W1700,T1700,T1700&date=2026-11-01", DAY).request
    assert request is not None
    expected = winning_expectancy(odds(1500.0), odds(1700.0))
    draws = 0.5 * expected
    wins = expected - draws / 2
    losses = 1 - wins - draws
    by_hand = {1.0: losses**2, 1.5: 2 * draws * losses, 2.0: draws**2 + 2 * wins * losses, 2.5: 2 * wins * draws}
    assert score_chances(request) == pytest.approx({**by_hand, 3.0: wins**2})
    over = read_link("/estimate?rating=1500/100&game=W1700,D1700&date=2026-11-01", DAY).request
    assert over is not None
    path = events_to(over, 1600.0)
    assert path is not None
    assert path[0] == estimate(over).official
    second = estimate(over._replace(rating=estimate(over).rating, games=estimate(over).games_after))
    assert path[1] == second.official
    assert path[-1] >= 1600 > path[-2]
    assert events_to(over._replace(rating=2300.0), 2400.0) is None


def test_a_section_of_the_record_is_estimated_with_both_passes(site: TestClient) -> None:
    """With the results as reported it gives what the office posted, to the rounding of posted ratings."""
    differences = []
    quads = [one for one in site.get("/events.json?size=500").json()["events"] if one["players"] <= 6]
    for event in quads[::6]:
        view = site.get(f"/events/{event['event_id']}/sections/1.json").json()
        if view["kind"] == "Match" or not all(row["ratings"][0]["before"] for row in view["rows"]):
            continue  # a start is not public
        for row in view["rows"][:2]:
            posted = row["ratings"][0]
            address = f"/estimate.json?me={row['member_id']}&section={event['event_id']}/1&system={posted['system']}"
            found = site.get(address).json()["estimate"]
            differences.append(abs(found["post"] - posted["after"]["rating"]))
    assert len(differences) >= 6
    assert max(differences) <= 2.0
    assert sum(one <= 1.0 for one in differences) >= 0.8 * len(differences)


def test_what_if_in_a_section_moves_the_opponent_of_the_first_pass_too(site: TestClient) -> None:
    """Warren met two whom nobody had rated: they stand at their posted first ratings. A loss becomes a win."""
    address = "/estimate.json?me=90000357&section=202608270001/1&system=OTBR"
    rows = site.get("/events/202608270001/sections/1.json").json()["rows"]
    after = {row["number"]: row["ratings"][0]["after"]["rating"] for row in rows if not row["ratings"][0]["before"]}
    mine = next(row for row in rows if row["member_id"] == "90000357")
    as_played = site.get(address).json()["estimate"]
    assert as_played["score"] == 4.0
    turned = site.get(f"{address}&game=W1,W1,W1,W1,L1,W1").json()["estimate"]
    assert turned["score"] == 5.0
    assert turned["post"] > as_played["post"] + 15.0
    assert turned["games"][2]["met_at"] < as_played["games"][2]["met_at"] - 5.0  # Cox lost instead of winning
    for at, opponent in enumerate(mine["opponents"]):
        if opponent in after:
            assert turned["games"][at]["met_at"] == after[opponent]
    page = site.get(f"{address.replace('.json', '')}&steps=1").text
    assert "had ended otherwise" in page
    assert "Cox, Peter, met at" in page  # every step, with the numbers put in
    for wrong, status in (("&game=W1", 422), ("&system=OLB", 404), ("&me=90000001", 404)):
        assert site.get(f"{address}{wrong}").status_code == status
    assert "Say whose results" in site.get("/estimate.json?rating=1500&game=W1600&section=202608270001/1").text


def test_opponents_scores_in_a_pasted_list_bring_both_passes(site: TestClient) -> None:
    me, other = site.get("/index.json").json()["leaders"][:2]
    asked = {"rating": me["member_id"], "entries": f"{other['name']} 3.5/5"}
    page = site.get("/estimate", params=asked).text
    assert f'value="T{other["member_id"]}@3.5/5"' in page
    found = site.get(f"/estimate.json?rating={me['member_id']}&game=W{other['member_id']}@3.5/5").json()["estimate"]
    assert found["opponents_at"] == "scores"


def test_paths_to_a_target_and_how_the_answers_relate(site: TestClient) -> None:
    address = "/estimate?rating=1500/100&game=W1600,D1600,T1600&next=1700&target=1600&date=2026-11-01"
    request = read_link(address.replace("&next=1700&target=1600", ""), DAY).request
    assert request is not None
    found = outcomes(request)
    paths = paths_to(request, found, 1600.0)
    assert [len(one.ratings) for one in paths] == sorted(
        len(one.ratings) for one in paths
    )  # a lower score takes longer
    assert all(one.ratings[-1] >= 1600 > ([1500, *one.ratings])[-2] for one in paths)
    best = next(way for way in reversed(found.possibilities) if way.score == paths[0].score)
    assert paths[0].ratings[0] == best.official
    page = site.get(address).text
    assert "How these answers relate" in page
    assert "totals over all 3 games" in page
    assert "official from" in page  # when it would count


def test_what_any_program_asks_of_a_site(site: TestClient) -> None:
    assert "Disallow: /administration" in site.get("/robots.txt").text
    pages = site.get("/sitemap.xml").text
    assert pages.count("<loc>") > 3000
    manifest = site.get("/manifest.webmanifest").json()
    assert (manifest["name"], manifest["short_name"]) == ("Demonstration Chess Federation", "Demonstration")
    for one in manifest["icons"]:
        assert site.get(one["src"]).status_code == 200
    assert site.get("/favicon.ico").headers["location"] == "/static/mark.svg"
    busiest = site.get("/members/90000107").text
    assert ' name="description" content="Zhang, Matthew: Regular 823' in busiest
    assert all(f'<meta property="og:{name}"' in busiest for name in ("title", "url", "image", "description"))
    picture = re.search(r'<meta property="og:image" content="http://[^/"]*(/[^"]*)">', busiest)
    assert picture
    assert site.get(picture[1]).content.startswith(b"\x89PNG")
    assert f'<link rel="apple-touch-icon" href="{picture[1]}">' in busiest
    assert len(busiest.encode()) < 60 * 1024


# The workbench is a program for directors, and its scripts are most of it.
MOST = {"/upload": 72 * 1024}
QUAD, BUSIEST = "/events/202608230001", "/members/90000107"
HEAVY = (
    "/search?q=smith",
    "/lists/2026-09",
    "/lists/2026-09/top",
    "/lists/2026-09/top?top=500&page=4",
    "/directors/90000107",
    f"{BUSIEST}/games",
    f"{QUAD}/sections/1",
    "/events/202608270001/sections/1",  # 30 players, dual-rated
    "/events/201908170001/sections/1",  # 46 players
    "/events/202301070001/sections/1",  # 50 players
    "/events/202608270001/sections/1/players/3",
    "/events/202206120001/crosstables",  # 69 rows, most of them dual-rated
    "/events/202602010002/crosstables",
    "/estimate?rating=1512&game=W1640,D1720,T1700&target=1600&next=1700",
)


def test_no_page_of_the_demonstration_weighs_more_than_60_kb(site: TestClient) -> None:
    """HTML, styles and scripts together as they are sent to whoever takes them uncompressed; in both languages."""
    listed = re.findall(r"<loc>https?://[^/]*([^<]*)</loc>", site.get("/sitemap.xml").text)
    members, events = ([one for one in listed if one.startswith(f"/{kind}/")] for kind in ("members", "events"))
    others = [one for one in listed if not one.startswith(("/members/", "/events/"))]
    assert {"/", "/events", "/lists", "/estimate", "/rules", "/changes", "/rate", "/audit", "/about", "/api"} <= {
        *others
    }
    chance = random.Random(60)
    few = [*chance.sample(members, amount(8, len(members))), BUSIEST]
    some = [*chance.sample(events, amount(8, len(events))), QUAD]
    of_them = [*(f"{one}/games" for one in few[:-1]), *(f"{one}/crosstables" for one in some)]
    weights = {
        (path, code): _weight(site, path, code)
        for path in (*others, *few, *some, *of_them, *HEAVY)
        for code in ("en", "es")
    }
    assert {one: weight for one, weight in weights.items() if weight > MOST.get(one[0], 60 * 1024)} == {}


def _weight(site: TestClient, path: str, code: str) -> int:
    page = site.get(path, headers={"Accept-Language": code})
    assert page.status_code == 200, path
    linked = {*re.findall(r'(?:rel="stylesheet" href|src)="(/static/[^"]+\.(?:css|js))"', page.text)}
    assert {"/static/site.css", "/static/suggest.js"} <= linked
    shown = re.sub(r"<svg.*?</svg>", "", page.text, flags=re.DOTALL)
    return len(shown.encode()) + sum(len(site.get(one).content) for one in _with_taken_up(site, linked))


def _with_taken_up(site: TestClient, linked: set[str]) -> set[str]:
    """Styles and scripts, and the scripts that those take up."""
    found, todo = set[str](), [*linked]
    while todo:
        one = todo.pop()
        if one not in found:
            found.add(one)
            text = site.get(one).text if one.endswith(".js") else ""
            todo += [f"/static/{name}" for name in re.findall(r'from "\./([^"]+)"', text)]
    return found


def test_the_first_screen_says_when_a_live_rating_becomes_official(site: TestClient) -> None:
    """Where it is another than the official one; and that one on few games does not."""
    rows = site.get("/events/202608270001/sections/1.json").json()["rows"]  # rated after the cut-off of the last list
    found = dict[str, str]()
    for member in [BUSIEST, *(f"/members/{row['member_id']}" for row in rows)]:
        view = site.get(f"{member}.json").json()
        first, coming = view["systems"][0], view["coming"]
        official = first["official"] and first["official"]["text"]
        few = (first["live"]["games"] or 99) < coming["fewest_games"]
        kind = "the same" if official == first["live"]["text"] else "few" if few else "another"
        found[kind] = site.get(member).text.partition("</dl>")[0]
    assert "Live becomes official" not in found["the same"]
    assert "<dt>Live becomes official</dt><dd><time" in found["another"]


def test_names_are_not_translated(site: TestClient) -> None:
    """A section that is called Open is called so in Spanish, in titles and where only a screen reader says it too."""
    section = "/events/202206120001/sections/1"
    for path in (section, "/events/202206120001/crosstables", f"{section}/players/2", "/members/90001756/games"):
        page = site.get(path, headers={"Accept-Language": "es"}).text
        assert "Open" in page
        assert "Abrir" not in page
    assert "<title>Albany Summer Open, Open · " in site.get(section, headers={"Accept-Language": "es"}).text


def test_head_to_head_has_points_that_mirror_each_other(site: TestClient) -> None:
    one = "90000357"
    other = site.get(f"/members/{one}/games.json").json()["opponents"][0]["member_id"]
    mine = site.get(f"/members/{one}/against/{other}.json").json()["games"]
    back = site.get(f"/members/{other}/against/{one}.json").json()["games"]
    assert [(game["points"], game["opponent_points"]) for game in mine] == [
        (game["opponent_points"], game["points"]) for game in back
    ]
    assert any(game["points"] is not None for game in mine)


def test_lists_of_people_draw_their_last_year(site: TestClient) -> None:
    leader = site.get("/index.json").json()["leaders"][0]
    assert len(leader["past"]) == 13
    assert str(leader["past"][-1]) == leader["rating"]
    assert site.get("/").text.count('class="spark"') >= 8


def test_an_office_shows_its_own_name_color_picture_and_contact(tmp_path: Path) -> None:
    path = made_file(tmp_path)
    office = Office(str(path), HandClock())
    picture = b"\x89PNG\r\n\x1a\n and so on"
    shown = {"name": "Elm County <Chess>", "contact": "ratings@elm.example", "color": "#7a1f3d"}
    for setting, text in {**shown, "logo": b64encode(picture).decode()}.items():
        assert show_as(office, AUTHOR, setting, text) is not None
        assert show_as(office, AUTHOR, setting, text) is None
    for setting, wrong in {"color": "#f0c0c0", "logo": b64encode(b"GIF89a").decode(), "name": "a\nb"}.items():
        with pytest.raises(OfficeError):
            show_as(office, AUTHOR, setting, wrong)
    with pytest.raises(OfficeError, match="is not a color"):
        show_as(office, AUTHOR, "color", "red")
    assert (round(contrast_with_white("#000000"), 2), contrast_with_white("#ffffff")) == (21.0, 1.0)  # WCAG 2.2
    with client(path) as site:
        text = site.get("/").text
        assert "Elm County &lt;Chess&gt;" in text
        assert "mailto:ratings@elm.example" in text
        assert site.get("/identity.css").text == ":root { --accent: #7a1f3d; }\n"
        manifest = site.get("/manifest.webmanifest").json()
        assert (manifest["short_name"], manifest["theme_color"]) == ("Elm County", "#7a1f3d")
        assert manifest["icons"] == [{"src": "/logo.png", "type": "image/png"}]
        assert '<link rel="apple-touch-icon" href="/logo.png">' in text
        assert site.get("/logo.png").content == picture
    office.close()


def test_an_event_says_who_held_it_where_and_who_came_first(site: TestClient) -> None:
    """As its crosstables have it: the first by points and tie-breaks, and the names behind the numbers as links."""
    address = "/events/202301070001"
    view, text = site.get(f"{address}.json").json(), site.get(address).text
    sections = [site.get(f"{address}/sections/{one['number']}.json").json() for one in view["sections"]]
    for line, whole in zip(view["sections"], sections, strict=True):
        due = sorted((row["place"], row["row"], row["name"]) for row in whole["rows"])[:3]
        assert [(one["place"], one["name"]) for one in line["first"]] == [(place, name) for place, _, name in due]
        after = {row["number"]: row["ratings"][0]["after"]["text"] for row in whole["rows"]}
        assert all(one["after"] == after[one["number"]] for one in line["first"])
        assert all(f'href="/members/{one["member_id"]}"' in text for one in line["first"])
    head = view["head"]
    for page in (text, site.get(f"{address}/sections/1").text):
        for path, name in (
            (f"/clubs/{head['affiliate']}", head["club"]),
            (f"/states/{head['state']}", head["state"]),
            (f"/directors/{head['director']}", head["director_name"]),
        ):
            assert f'<a href="{path}"><bdi>{name}</bdi></a>' in page
            assert site.get(path).status_code == 200


def test_a_long_top_list_comes_in_pages_and_programs_get_all_of_it(site: TestClient) -> None:
    address = "/lists/2026-09/top?system=OTBR&state=&top=500"
    rows = site.get(address.replace("top?", "top.json?")).json()["rows"]
    assert len(rows) >= 500
    assert site.get(f"/api/v1{address}&page=2").json()["rows"] == rows
    found: list[str] = []
    after: str | None = address
    while after:
        page = site.get(after).text
        some = re.findall(r'<th scope="row"><a href="/members/([^"]*)">', page)
        assert len(some) <= 100
        found += some
        link = re.search(r'<a rel="next" href="([^"]*)"', page)
        after = unescape(link[1]) if link else None
    assert found == [row["member_id"] for row in rows]
    assert site.get(f"{address}&page=9").status_code == 404
    assert 'rel="next"' not in site.get("/lists/2026-09/top?top=50").text


def test_the_rank_of_a_member_opens_the_page_of_the_list_that_they_are_on(site: TestClient) -> None:
    rows = site.get("/lists/2026-09/top.json?top=500").json()["rows"]
    for at in (0, 250):
        text = site.get(f"/members/{rows[at]['member_id']}").text
        link = re.search(rf"<dt>Rank</dt><dd><a href=\"(/lists/2026-09/top[^\"]*)\">{rows[at]['rank']} of", text)
        assert link
        assert f'/members/{rows[at]["member_id"]}"' in site.get(unescape(link[1])).text


def test_ratings_are_spread_over_the_classes(site: TestClient) -> None:
    view = site.get("/lists.json").json()
    month = view["lists"][0]["month"]
    rows = site.get(f"/lists/{month}/top.json?top=500").json()["rows"]
    assert all(row["past"][-1] == row["rating"] for row in rows)
    assert site.get(f"/lists/{month}/top").text.count('class="spark"') > 50
    strong = [row for row in rows if row["rating"] >= 2000]
    assert sum(one["members"] for one in view["distribution"] if one["level"] >= 2000) == len(strong)
    leader = site.get(f"/members/{rows[0]['member_id']}.json").json()["systems"][0]["ranks"]
    assert [(one["state"], one["rank"]) for one in leader] == [("", 1), (rows[0]["state"], 1)]
    third = site.get(f"/members/{rows[2]['member_id']}.json").json()["systems"][0]["ranks"][0]
    assert third["rank"] == rows[2]["rank"]
    assert third["of"] == sum(one["members"] for one in view["distribution"])


@pytest.mark.parametrize(
    ("path", "says", "says_not"),
    [
        (BUSIEST, "5 years", "with White"),
        ("/events/202206120001/sections/1", "with White", "5 years"),
        ("/estimate", "To come", "5 years"),
        ("/upload", "Where ratings come from", "To come"),
        ("/audit", "Copy the report", "To come"),
    ],
)
def test_pages_in_spanish_carry_the_words_of_their_own_scripts(
    site: TestClient, path: str, says: str, says_not: str
) -> None:
    """Everything that these and the scripts that they take up say, and nothing that others say."""
    page = site.get(path, headers={"Accept-Language": "es"}).text
    found = re.search(r'<script type="application/json" id="words">(.*?)</script>', page)
    assert found
    told = json.loads(found[1])
    scripts = _with_taken_up(site, {*re.findall(r'src="(/static/[^"]+\.js)"', page)})
    spoken = {text for one in scripts for text in re.findall(r'phrase\("([^"]+)"', site.get(one).text)}
    assert says in spoken <= told.keys()
    assert says_not not in told
