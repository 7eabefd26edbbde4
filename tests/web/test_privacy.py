"""Everything that anybody can ask of the demonstration: no birth date, no age, no number of a start by age.

Every public route of the route table is asked with every value that the record has for its parameters; files are
opened. What is looked for is computed from the record itself, where birth dates and starts are kept in full.
"""

import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import polars
import pytest

from crosstable.engine import RatedPlayer
from crosstable.explanation import explain
from crosstable.office.database import open_office
from crosstable.office.erasing import ERASED, erase_member
from crosstable.office.ledger.facts import Record, State
from crosstable.office.ledger.journal import Author, act_of
from crosstable.office.public import PublicOffice
from crosstable.office.settings import PUBLIC_DECIMALS, switch
from crosstable.office.views import known, section_view
from crosstable.terms import Source
from crosstable.web.app import _renewed, all_routes
from crosstable.web.routes import API, Policy, Route
from tests.amounts import IS_SOAK
from tests.office.made_office import headings_of, member_id
from tests.web.client import TestClient
from tests.web.people import site
from tests.web.site import client

Values = Mapping[str, list[dict[str, Any]]]
# Of the operations of the API, which give what the twins of the pages give, so many are asked for each.
SOME = 12
# Of the rows of sections in which nobody started by age, those of every so manieth section; all in a soak.
LEAP = 1 if IS_SOAK else 3
MONTH_FORMS = ("csv", "xlsx", "parquet")


class Kept(NamedTuple):
    """What the record keeps and nobody may see: its secret, texts that would tell it, and who started by age where."""

    secret: str
    texts: frozenset[str]
    starts: tuple[tuple[str, int, RatedPlayer], ...]
    values: Values


@pytest.fixture(scope="module")
def demo(demonstration: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    path.write_bytes(demonstration)
    return path


@pytest.fixture(scope="module")
def kept(demo: Path) -> Kept:
    """Read from the office itself."""
    with closing(open_office(str(demo))) as office, office.reading() as connection:
        record = known(connection).record
        public = PublicOffice(connection)
        people = record.people(record.member_ids()).values()
        births = [person.birth_date for person in people if person.birth_date is not None]
        assert len(births) > 50
        texts = {text for day in births for text in _ways(day)}
        starts = []
        for heading in headings_of(record):
            if heading.state is not State.ACCEPTED:
                continue
            for rated in public.rated(heading):
                for player in rated.players:
                    start = player.start
                    if start is None or start.age != start.age:
                        continue
                    texts |= {f"{start.age:.{places}f}" for places in range(3, 7)} | {repr(start.age)}
                    if start.initial.source == Source.AGE:
                        starts.append((heading.event_id, heading.number, player))
                        for number in (player.prior, player.strength):
                            forms = {f"{number:.{places}f}" for places in range(1, 7)} | {repr(number)}
                            texts |= {form for form in forms if not form.rstrip("0").endswith(".")}
        assert len(starts) > 10
        values = _values(record, {(event, section) for event, section, _ in starts})
        founding = act_of(connection, 1)
    assert founding is not None
    return Kept(founding.after["secret"], frozenset(texts), tuple(starts), values)


def _ways(day: Any) -> Iterator[str]:
    """The usual notations of a date."""
    yield from (f"{day:{form}}" for form in ("%Y-%m-%d", "%m/%d/%Y", "%Y%m%d", "%d.%m.%Y", "%Y/%m/%d", "%d/%m/%Y"))
    yield from (f"{day.month}/{day.day}/{day.year}", f"{day:%B} {day.day}, {day.year}", f"{day.day} {day:%b %Y}")
    yield f"{day:%b} {day.day}, {day.year}"


def _values(record: Record, by_age: set[tuple[str, int]]) -> Values:
    """For each parameter, or group of parameters, of a public path what the record has."""
    from crosstable.office.ledger.journal import acts
    from crosstable.office.public_index import runs
    from crosstable.office.supplements import supplements
    from crosstable.rules.editions import EDITIONS

    headings = headings_of(record)
    places: list[dict[str, Any]] = [{"event_id": one.event_id, "number": one.number} for one in headings]
    events = sorted({one.event_id for one in headings})
    entries = record.entries(headings)
    rows = [
        {"event_id": event, "number": section, "player": entry.number}
        for at, ((event, section), some) in enumerate(entries.items())
        for entry in some
        if at % LEAP == 0 or (event, section) in by_age
    ]
    months = [{"month": one.month} for one in supplements(record.connection)]
    return {
        "member_id": [{"member_id": one} for one in record.member_ids()],
        "member_id other_id": [
            {"member_id": entries[0].member_id, "other_id": entries[1].member_id}
            for entries in record.entries(headings).values()
            if len(entries) > 1
        ],
        "club_id": [{"club_id": "A6000000"}],
        "state_code": [{"state_code": "AQ"}],
        "event_id": [{"event_id": one} for one in events],
        "event_id to": [{"event_id": one, "to": to} for one, to in product(events[::LEAP], ("json", "csv", "xlsx"))],
        "event_id number": places,
        "event_id number player": rows,
        "seq": [{"seq": act.seq} for act in acts(record.connection)],
        "run": [{"run": one.run} for one in runs(record.connection)],
        "month": months,
        "month form": [{**month, "form": form} for month, form in product(months[-1:], MONTH_FORMS)],
        "day": [{"day": one.name} for one in EDITIONS],
        "": [{}],
    }


# The link by which the person at the machine comes in, and the feed of a director.
OF_OWNERS = ("/machine/{link}", "/feeds/{secret}")


def public_routes() -> list[Route]:
    """Routes that anybody may GET, but for links that only their owners know."""
    return [
        one
        for one in all_routes()
        if one.policy in (Policy.PUBLIC, Policy.LIMITED) and "GET" in one.methods and one.path not in OF_OWNERS
    ]


def addresses(values: Values, step: int = 1) -> Iterator[str]:
    """Every address; of pages whose twin is asked for everything, and of the API, fewer."""
    for route in public_routes():
        names = " ".join(re.findall(r"\{(\w+)\}", route.path))
        assert names in values, f"{route.path}: nobody has said which values its parameters take"
        some, is_twin = values[names], route.path.endswith(".json")
        if names and not is_twin and "form" not in names:
            some = some[:: max(1, len(some) // SOME)]
        yield from (route.path.format(**one) for one in some[::step])
    for month in values["month"][-2:]:
        for age in ("8 and under", "15-16", "20 and under", "21-49", "65 and over"):
            yield f"/lists/{month['month']}/top.json?age={age}&provisional=true"


def said(site: TestClient, address: str) -> str:
    """What an address answers, as text; of a file what stands in it, of a drawing its words."""
    found = site.get(address)
    if address == "/metrics":  # told to the machine alone
        assert found.status_code == 403
        return str(found.text)
    if found.status_code not in (200, 422):  # a drawing, or the second half of a login that nobody has begun
        assert found.headers["location"].startswith(("/static/", "/login")), address
    content = found.content
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as book:
            return "\n".join(book.read(name).decode() for name in book.namelist())
    if content.startswith(b"PAR1"):
        heading = polars.read_parquet_metadata(io.BytesIO(content))
        return polars.read_parquet(io.BytesIO(content)).write_csv() + json.dumps(heading)
    text = content.decode("utf-8", errors="replace")
    return re.sub(r"<svg.*?</svg>", _words, text, flags=re.DOTALL)


def _words(drawn: re.Match[str]) -> str:
    return " ".join(re.findall(r"<title>.*?</title>", drawn[0]))


# Numbers and dates of a text, in whatever notation.
TOKENS = re.compile(r"[A-Z][a-z]+ \d{1,2}, \d{4}|\d{1,2} [A-Z][a-z]{2} \d{4}|\d[\d./-]*\d")


@pytest.fixture(scope="module")
def crawled(demo: Path, kept: Kept) -> dict[str, str]:
    with client(demo, is_demo=True) as site:
        return {address: said(site, address) for address in addresses(kept.values)}


def test_nothing_that_anybody_can_ask_tells_a_birth_date_an_age_or_a_start(crawled: dict[str, str], kept: Kept) -> None:
    assert len(crawled) > 1000
    sought = kept.texts.difference(TOKENS.findall(crawled["/rules.json"]))  # days on which rules changed
    assert len(sought) > 1000
    for address, text in crawled.items():
        assert kept.secret not in text, address  # with which birth dates could be tried against heads
        if not address.startswith(("/rules", f"{API}/rules")):
            assert not sought.intersection(TOKENS.findall(text)), address
        assert "the age at" not in text, address


def test_an_erasure_makes_no_start_public(demo: Path, kept: Kept, tmp_path: Path) -> None:
    """A start that is kept for the ratings' sake is told no more than before: only name and state differ."""
    event, section, player = kept.starts[0]
    path = tmp_path / "office.db"
    path.write_bytes(demo.read_bytes())
    with closing(open_office(str(path))) as office:
        erase_member(office, Author("host", "asked for it"), player.member_id)
    rows = [
        one for one in kept.values["event_id number player"] if (one["event_id"], one["number"]) == (event, section)
    ]
    assert len(rows) > 2
    places = [f"/events/{event}/sections/{section}/players/{one['player']}.json" for one in rows]
    seen = []
    for office_file in (demo, path):
        with client(office_file, is_demo=True) as site:
            texts = [said(site, address).replace(player.name, ERASED) for address in places]
            seen.append([{**json.loads(text), "as_of": None} for text in texts])
    assert seen[1] == seen[0]


# Everywhere a name of the office of ``tests/web/people.py`` stands.
NAMED = (
    *("/lists/2026-11", "/lists/2026-11.json", "/lists/2026-11/top", "/lists/2026-11/top.json"),
    *(f"/lists/2026-11/ratings.{form}" for form in MONTH_FORMS),
    *("/members/10000001", "/members/10000001.json", "/api/v1/members?q=Boris"),
    *("/events/own/sections/1", "/events/own/sections/1.json", "/events/own/files/json", "/events/own/files/csv"),
    *("/ripples/5", "/ripples/5.json"),
)


def test_a_running_site_forgets_whom_it_erased(tmp_path: Path) -> None:
    """Lists, changes and files that it keeps at hand named them; none does after the erasure."""
    member, name = member_id(1), "Boris 1"
    with site(tmp_path) as here:

        def naming() -> set[str]:
            here.client.cookies.clear()
            return {place for place in NAMED if re.search(rf"{name}(?!\d)", said(here.client, place))}

        assert naming() == set(NAMED)
        fields = {"mark": here.come_in("anna"), "member": member, "again": member, "reason": "asked for it"}
        assert here.client.post("/administration/erase", data=fields).status_code == 200
        assert naming() == set()
        _renewed(here.client.app)  # type: ignore[arg-type]  # as the watch of the site does every second
        files = [*Path(f"{tmp_path}/office.db.lists").iterdir()]
        assert len(files) == len(MONTH_FORMS)
        for path in files:
            assert name.encode() not in path.read_bytes(), path


def test_the_crawl_asks_every_public_route(crawled: dict[str, str]) -> None:
    for route in public_routes():
        kind = re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(route.path)))
        assert any(kind.fullmatch(address.partition("?")[0]) for address in crawled), route.path


def test_what_is_looked_for_is_in_the_office_s_own_explanations(demo: Path, kept: Kept) -> None:
    """The crawl can fail: the office itself prints ages and starts in these very notations."""
    event, section, player = next(one for one in kept.starts if one[2].prior % 1.0)
    with closing(open_office(str(demo))) as office, office.reading() as connection:
        view = section_view(connection, event, section)
    told = [
        line.text
        for rated in view.rated
        for one in rated.players
        if one.number == player.number
        for line in explain(rated, one.number)
    ]
    assert kept.texts.intersection(TOKENS.findall("\n".join(told)))


RATING = re.compile(r"(?<![\d.])\d{3,}\.(\d+)")


def most_places(text: str) -> int:
    """The most decimals of a number that could be a rating; a year has 365.25 days (§2)."""
    return max((len(found.rstrip("0")) for found in RATING.findall(text.replace("365.25", ""))), default=0)


OF_THE_RECORD = (
    *("/members", "/events", "/lists", "/ripples", "/changes"),
    *(f"{API}/{one}" for one in ("members", "events", "lists", "ripples", "log")),
)


def test_ratings_are_whole_numbers_until_the_office_shows_decimals(
    crawled: dict[str, str], demo: Path, kept: Kept, tmp_path: Path
) -> None:
    own = {address: text for address, text in crawled.items() if address.startswith(OF_THE_RECORD)}
    assert {address for address, text in own.items() if most_places(text) > 0} == set()
    path = tmp_path / "office.db"
    path.write_bytes(demo.read_bytes())
    with closing(open_office(str(path))) as office:
        switch(office, Author("host", ""), PUBLIC_DECIMALS, on=True)
    with client(path, is_demo=True) as site:
        shown = {
            address: most_places(said(site, address))
            for address in addresses(kept.values, step=11)
            if address.startswith(OF_THE_RECORD)
        }
    assert max(shown.values()) == 2
    for address, places in shown.items():
        if "ratings." in address or "/top" in address:
            assert places == 0, address  # official ratings are whole numbers


def test_every_section_of_the_demonstration_shows_its_working(crawled: dict[str, str], kept: Kept) -> None:
    """Both passes, or the one of a foreign event, for everybody who played; and no rating is a range."""
    played = 0
    for one in kept.values["event_id number player"]:
        address = "/events/{event_id}/sections/{number}/players/{player}.json".format(**one)
        for system in json.loads(crawled[address])["systems"]:
            parts = {part["part"] for part in system["parts"]}
            if system["games"]:
                played += 1
                assert {"Step 4", "Step 5", "Result"} <= parts or "Foreign event" in parts, address
    assert played > 500 // LEAP
    ratings = [
        rating["text"]
        for address, text in crawled.items()
        if re.fullmatch(r"/members/\w+\.json", address)
        for system in json.loads(text)["systems"]
        for rating in (system["live"], system["official"])
        if rating is not None
    ]
    assert len(ratings) > 200
    assert [text for text in ratings if not re.fullmatch(r"\d+(P\d+(\.5)?)?", text)] == []


def test_what_each_game_brought_adds_up_to_the_posted_change(crawled: dict[str, str], kept: Kept) -> None:
    """The points of the games, the bonus, floors and rounding are the posted change, exactly as they are shown.

    Under the standard formula (§4.2) the games and the bonus alone come as near as rounding allows.
    """
    by_age = {(event, section) for event, section, _ in kept.starts}
    seen = {"by age": 0, "whole": 0, "exact": 0, "in turn": 0}
    for one in kept.values["event_id number player"]:
        address = "/events/{event_id}/sections/{number}/players/{player}.json".format(**one)
        for system in json.loads(crawled[address])["systems"]:
            points = [game["points"] for game in system["games"] if game["points"] is not None]
            others = {other["name"]: other["points"] for other in system["others"]}
            if not points:
                continue
            assert sum(points) + sum(others.values()) == pytest.approx(system["change"], abs=1e-6), address
            is_whole = all(found == int(found) for found in points)
            seen["in turn" if system["is_in_turn"] else "whole" if is_whole else "exact"] += 1
            if (one["event_id"], one["number"]) in by_age:
                assert is_whole, address
                seen["by age"] += 1
            elif not system["is_in_turn"] and not {"Floor", "Ceiling", "Limit of match play"} & others.keys():
                slack = 1.0 + (0.5 * (len(points) + 1) if is_whole else 0.01 * len(points))
                assert sum(points) + others.get("Bonus", 0.0) == pytest.approx(system["change"], abs=slack), address
    assert min(seen.values()) > 10, seen


def test_the_points_of_both_sides_are_those_of_each_and_head_to_head_is_symmetric(
    crawled: dict[str, str], demo: Path, kept: Kept
) -> None:
    both = 0
    for one in kept.values["event_id number player"]:
        path = "/events/{event_id}/sections/{number}/players/{player}.json"
        for system in json.loads(crawled[path.format(**one)])["systems"]:
            for game in system["games"]:
                there = crawled.get(path.format(**{**one, "player": game["opponent"]}))
                if there is None:
                    continue
                theirs = next(each for each in json.loads(there)["systems"] if each["system"] == system["system"])
                back = next(each for each in theirs["games"] if each["round"] == game["round"])
                assert (back["opponent"], back["points"]) == (one["player"], game["opponent_points"])
                assert back["score"] + game["score"] == 1.0
                both += 1
    assert both > 900 // LEAP
    met = 0
    with client(demo) as site:
        for one in kept.values["member_id other_id"]:
            here = json.loads(crawled["/members/{member_id}/against/{other_id}.json".format(**one)])
            there = site.get("/members/{other_id}/against/{member_id}.json".format(**one)).json()
            assert (here["one"], here["other"]) == (there["other"], there["one"])
            turned = [{**game, "score": 1.0 - game["score"]} for game in there["games"]]
            assert [(game["place"], game["round"], game["score"], game["own"]) for game in here["games"]] == [
                (game["place"], game["round"], game["score"], game["opponent"]) for game in turned
            ]
            for mine, theirs in zip(here["scores"], there["scores"], strict=True):
                assert mine["score"]["wins"] == theirs["score"]["losses"]
                assert mine["expected"] + theirs["expected"] == pytest.approx(mine["counted"], abs=0.02)
            met += len(here["games"])
    assert met > 10


def test_who_started_by_age_shows_no_first_estimate_and_no_strength_of_the_first_pass(
    crawled: dict[str, str], kept: Kept
) -> None:
    for event, section, player in kept.starts:
        view = json.loads(crawled[f"/events/{event}/sections/{section}/players/{player.number}.json"])
        for system in view["systems"]:
            steps = {part["part"]: part["steps"] for part in system["parts"]}
            assert "Step 3" not in steps
            assert any("not public" in step["text"] for step in steps["Step 1"])
            assert not {step["name"] for step in steps["Step 1"]} & {"age", "age_based", "rating", "mean"}
