"""Pages in Spanish, and in a language of accents under which nothing may be said without one."""

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import urljoin

import pytest

from crosstable.app.answering import PAGES, Files, Request, reply_to
from crosstable.web.languages import accepted_language
from tests.office.made_office import quad
from tests.verification.made_pages import line, raw_page
from tests.verification.made_pages import quad as posted_quad
from tests.verification.planted import turned
from tests.web import people, pseudo
from tests.web.client import TestClient
from tests.web.people import TODAY, event_file
from tests.web.site import BIDI_MEMBER, HOSTILE_EVENT, HOSTILE_MEMBER, HOSTILE_SECTION, client, made_file

ACCENTS = {"Accept-Language": pseudo.CODE}
SPANISH = {"Accept-Language": "es-US,es;q=0.9,en;q=0.5"}
# Names of people, events and sections, what somebody typed, ids, digests, and functions of formulas.
DATA = re.compile(
    r"Member,? \w+ \d+(?: [A-Z]\w+)*|Player, \d+|Crosstable|Abbott, Ruth|Autumn Open|Summer Quads"
    r"|\b\w+\.(?:bin|html|json)\b|Event [\w-]+(?:, Section \d)?(?= · |, )"
    r"|(?:own|other)(?:-late)?(?:, Section 1)?|\[sections\S*\]|\b(?:min|max|floor|ceil)\b|estimate(?:\.xx\.html)?\?\S+"
    r"|\b[0-9a-f]{12,}\b|“(?:abc|foo)”|\b(?:abc|foo|zzzz|anna|boris|tina|otto|clara|rosa|machine)\b|\w+@example\.org"
    + "".join(f"|{re.escape(one)}" for one in (HOSTILE_EVENT, HOSTILE_SECTION, HOSTILE_MEMBER, BIDI_MEMBER))
)
# A few addresses to which no link leads.
STARTS = (
    *(
        "/",
        "/search?q=member",
        "/search?q=zzzz",
        "/rules/changes?since=2010-01-01&until=2026-01-01",
        "/login",
        "/nothing",
    ),
    *("/members/999", "/estimate?rating=U&age=12&game=W900,L1200,D1050&steps=1", "/estimate?rating=abc&game=foo"),
    *("/estimate?rating=1512&game=W1640,D1720,T1800&target=1550&next=1700&steps=1", "/rate", "/audit", "/upload"),
    *("/calculator?rating=1512&game=W1640", "/machine/any", "/events/202607040001/sections/1/players/4?system=OTBQ"),
)
# Addresses of one kind are alike; so many of each are looked at.
EACH = 1
OWN_PAGES = r"/(desk|account|my-events|events/[^/]+/correction)"


def forgotten(page: str) -> list[str]:
    """What a page says that no catalogue knows."""
    return [text for text in pseudo.outside(page) if pseudo.WORD.search(DATA.sub("", text))]


def crawled(site: TestClient, starts: tuple[str, ...], within: str = "/") -> Iterator[tuple[str, str]]:
    """Pages that links lead to, a few of each kind."""
    seen: set[str] = set()
    kinds: dict[str, int] = {}
    waiting = list(starts)
    while waiting:
        path = waiting.pop()
        kind = re.sub(r"\d[\w-]*|[A-Z]\d+", "N", path.partition("?")[0])
        if (
            path in seen
            or (kinds.get(kind, 0) >= EACH and path not in starts)
            or path.startswith(("/api/", "/static/", "/logout"))
        ):
            continue
        seen.add(path)
        kinds[kind] = kinds.get(kind, 0) + 1
        found = site.get(path, headers=ACCENTS)
        assert found.status_code < 500, path
        if not found.headers.get("content-type", "").startswith("text/html"):
            continue
        yield path, found.text
        links = (urljoin(path, unescape(one)).partition("#")[0] for one in re.findall(r'href="([^"#]*)"', found.text))
        waiting += [one for one in links if re.match(within, one) and "lang=" not in one]


@pytest.fixture
def accents(monkeypatch: pytest.MonkeyPatch) -> None:
    pseudo.speak(monkeypatch)


@pytest.fixture(scope="module")
def office_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_file(tmp_path_factory.mktemp("languages"))


@pytest.mark.usefixtures("accents")
def test_nothing_that_anybody_reads_is_untranslated(office_path: Path) -> None:
    with client(office_path) as site:
        bad = {(text, path) for path, page in crawled(site, STARTS) for text in forgotten(page)}
    assert not sorted(bad)


@pytest.mark.usefixtures("accents")
@pytest.mark.parametrize("who", ["anna", "tina"])
def test_nothing_that_directors_and_the_office_read_is_untranslated(who: str, tmp_path: Path) -> None:
    starts = (
        "/administration",
        "/administration/decisions",
        "/administration/members",
        "/administration/events/own-late",
        "/account",
        "/my-events",
    )
    with people.site(tmp_path) as here:
        mark = here.come_in(who)
        here.client.headers.update(ACCENTS)
        bad = {(text, path) for path, page in crawled(here.client, starts, OWN_PAGES) for text in forgotten(page)}
        made = quad("new", TODAY)
        wrong = made._replace(sections=(made.sections[0]._replace(players=made.sections[0].players[:3]),))
        replies = {
            "upload": here.client.post("/upload", files=[event_file(made)]),
            "wrong": here.client.post("/upload", files=[event_file(wrong)]),
            "rate": here.client.post("/rate", files=[event_file(wrong)]),
            "no file": here.client.post("/upload", data={"mark": mark}),
            "audit": here.client.post("/audit", data={"pasted": "abc", "mark": mark}),
            "why": here.client.post("/rate", data={"why": "1:1"}, files=[event_file(made)]),
            "no form": here.client.post("/administration/rate", data={}),
        }
        bad |= {(text, name) for name, reply in replies.items() for text in forgotten(reply.text)}
    assert not sorted(bad)


@pytest.mark.usefixtures("accents")
def test_nothing_that_the_browser_application_says_is_untranslated() -> None:
    page = raw_page(line("202401010001", "2024-01-06", posted_quad()), "Entered: 2024-01-07 &nbsp; Rated: 2024-01-08")
    quads = (Path(__file__).parents[2] / "examples" / "summer-quads.json").read_bytes()
    files: dict[str, Files] = {
        "/verify": [("page.html", page)],
        "/audit": [("wrong.json", json.dumps(turned()).encode())],
        "/rate": [("quads.json", quads), ("page.html", page[: len(page) // 2]), ("noise.bin", b"\0\1")],
    }
    asked = [Request("GET", path, language=pseudo.CODE) for path in PAGES]
    question = [("rating", "1512"), ("game", "W1640,D1720,T1800"), ("target", "1550"), ("steps", "1")]
    asked += [Request("GET", "/estimate.xx.html", question, language=pseudo.CODE)]
    asked += [Request("POST", path, files=some, language=pseudo.CODE) for path, some in files.items()]
    asked += [Request("POST", path, language=pseudo.CODE) for path in files]
    asked += [Request("POST", "/rate", fields=[("why", "1:1")], files=files["/rate"][:1], language=pseudo.CODE)]
    replies = [(one.path, reply_to(one)) for one in asked]
    assert {reply.status for _, reply in replies} == {200, 422}
    assert not sorted({(text, path) for path, reply in replies for text in forgotten(reply.body)})
    missing = json.loads(reply_to(Request("GET", "/nothing", language=pseudo.CODE)).body)
    assert missing["detail"] == pseudo.accented("There is no such page here.")
    chart = b64encode(b"Name,Rating,Rd 1\nAsh,1500,W2\nElm,1400,L3\n").decode()
    asked_of = json.dumps({"files": [{"name": "chart.csv", "content": chart}]})
    reply = json.loads(reply_to(Request("POST", "/upload/check", body=asked_of, language=pseudo.CODE)).body)
    told = [one[field] for one in reply["findings"] for field in ("message", "remedy", "where")]
    told += [fix["label"] for one in reply["findings"] for fix in one["fixes"]]
    assert len(told) > 10
    assert not [one for one in told if pseudo.WORD.search(re.sub(r"'\w+'|\b(Ash|Elm)\b|\(Rd 1\)", "", one))]


# The switch, the browser and the caches.


def test_a_page_is_in_the_language_of_the_browser_the_cookie_or_the_address(office_path: Path) -> None:
    with client(office_path) as site:
        english, spanish = site.get("/"), site.get("/", headers=SPANISH)
        assert 'lang="en"' in english.text
        assert "Newest events" in english.text
        assert 'lang="es"' in spanish.text
        assert "Torneos más recientes" in spanish.text
        assert english.headers["vary"].startswith("Accept-Language, Cookie")
        assert spanish.headers["vary"] == english.headers["vary"]
        assert english.headers["etag"] != spanish.headers["etag"]
        assert site.get("/", headers={"Accept-Language": "de"}).text == english.text
        asked = site.get("/?lang=es")
        assert asked.headers["set-cookie"].startswith("lang=es;")
        assert "Torneos más recientes" in asked.text
        assert site.get("/").text == spanish.text  # the cookie
        assert site.get("/", headers={"If-None-Match": spanish.headers["etag"]}).status_code == 304
        assert site.get("/", headers={"If-None-Match": english.headers["etag"]}).status_code == 200
        back = site.get("/?lang=en", headers=SPANISH)
        assert "Newest events" in back.text
        assert "Newest events" in site.get("/", headers=SPANISH).text


def test_kept_pages_of_two_languages_are_not_mixed(office_path: Path) -> None:
    with client(office_path) as site:
        for _ in range(2):  # the second time they are kept
            assert "since" in site.get("/members/10000001").text
            assert "desde el" in site.get("/members/10000001", headers=SPANISH).text


def test_what_programs_read_stays_english(office_path: Path) -> None:
    with client(office_path) as site:
        for path in ("/members/10000001.json", "/api/v1/members/10000001", "/events/202607040001.json"):
            assert site.get(path).json() == site.get(path, headers=SPANISH).json()
        missing = site.get("/members/1.json", headers=SPANISH).json()
        assert missing["detail"] == "There is no member with this id."
        assert "No existe ningún miembro con este ID." in site.get("/members/1", headers=SPANISH).text


@pytest.mark.parametrize(
    ("header", "code"),
    [
        (b"es", "es"),
        (b"es-MX, en;q=0.8", "es"),
        (b"en, es;q=0.8", "en"),
        (b"de, es;q=0.3, en;q=0.2", "es"),
        (b"es;q=0, en", "en"),
        (b"fr", "en"),
        (b"es;q=x", "en"),
        (b"*", "en"),
    ],
)
def test_the_browser_chooses_by_its_weights(header: bytes, code: str) -> None:
    assert accepted_language(header) == code
