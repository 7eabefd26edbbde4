"""A stranger walks through the whole site: every link answers, and nothing tells a birth date."""

import re
from collections.abc import Iterator
from datetime import date
from html import unescape
from pathlib import Path
from urllib.parse import urljoin

import pytest

from crosstable.office.database import open_office
from crosstable.web import operations
from crosstable.web.app import all_routes
from crosstable.web.routes import Policy
from tests.office.made_office import record_of
from tests.web.client import TestClient
from tests.web.site import JUNIOR_BORN, LATER, client, made_file

# Pages that need somebody, forms that need input, and addresses outside.
NOT_FOLLOWED = ("/administration", "/login", "/logout", "/machine", "/upload", "http://", "https://", "mailto:", "#")
MOST = 2000
# This office has no club, director, state, feed or look of its own; the crawl of tests/web/test_privacy.py has. No page
# leads to what operators ask.
NOT_HERE = {
    *operations.PATHS,
    "/estimate/answer",  # a part of the estimate page, which the script of that page asks for
    *("/identity.css", "/logo.png", "/feeds/[^/]+"),
    *(f"/{kind}/[^/]+{form}" for kind in ("clubs", "directors", "states") for form in ("", ".json")),
}


@pytest.fixture(scope="module")
def office_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_file(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def site(office_path: Path) -> Iterator[TestClient]:
    with client(office_path) as made:
        yield made


@pytest.fixture(scope="module")
def crawled(site: TestClient) -> dict[str, str]:
    """Every address that can be reached by links from home, with what it says."""
    seen: dict[str, str] = {}
    waiting = ["/", "/search?q=member", "/rules/changes", "/api/v1/openapi.json", "/api/v1/members?q=member&size=500"]
    waiting += ["/robots.txt", "/sitemap.xml", "/favicon.ico"]  # nobody links to what machines ask for
    while waiting and len(seen) < MOST:
        path = waiting.pop()
        if path in seen:
            continue
        found = site.get(path)
        if found.status_code == 303 and found.headers["location"].startswith("/login"):
            seen[path] = ""
            continue
        if found.status_code == 301:  # an address that only machines ask for
            seen[path] = ""
            waiting.append(found.headers["location"])
            continue
        assert found.status_code == 200, f"{path}: {found.status_code}"
        if not found.headers["content-type"].startswith("text/html"):
            seen[path] = found.content.decode("utf-8", errors="replace")
            continue
        seen[path] = found.text
        waiting += list(_links(path, found.text))
    assert not waiting, "the site has more pages than the crawl takes"
    return seen


def _links(path: str, page: str) -> Iterator[str]:
    for address in re.findall(r'(?:href|src)="([^"]*)"', page):
        plain = unescape(address)
        if not plain.startswith("#"):
            plain = urljoin(path, plain)
        if not plain.startswith(NOT_FOLLOWED) and "lang=" not in plain:  # the same page; see test_languages
            yield plain.partition("#")[0]


def test_the_crawl_reaches_every_kind_of_page(crawled: dict[str, str]) -> None:
    kinds = {
        re.sub(r"\{[^}]*\}", "[^/]+", route.path)
        for route in all_routes()
        if route.policy is Policy.PUBLIC and not route.path.startswith(("/api/v1", *NOT_FOLLOWED[:5]))
    }
    reached = {kind for kind in kinds if any(re.fullmatch(kind, path.partition("?")[0]) for path in crawled)}
    assert {
        "/members/[^/]+",
        "/events/[^/]+/sections/[^/]+/players/[^/]+",
        "/ripples/[^/]+",
        "/changes/[^/]+",
    } <= reached
    assert kinds - reached == NOT_HERE


def test_no_birth_date_is_said_anywhere(crawled: dict[str, str], office_path: Path) -> None:
    office = open_office(str(office_path))
    with office.reading() as connection:
        record = record_of(connection)
        people = record.people(record.member_ids()).values()
    office.close()
    born = {person.birth_date for person in people if person.birth_date is not None}
    assert JUNIOR_BORN in born
    written = {text for day in born for text in _ways(day)}
    for path, said in crawled.items():
        assert not [text for text in written if text in said], path
        assert "birth_date" not in said.replace("birth_date ", ""), path


def _ways(day: date) -> tuple[str, ...]:
    return day.isoformat(), f"{day:%m/%d/%Y}", f"{day:%Y%m%d}", f"{day:%d.%m.%Y}"


def test_an_unrated_player_who_started_by_age_is_shown_as_posted(site: TestClient) -> None:
    """Who loses to far stronger players keeps the start of 50 points a year of age (§2.3, §4.1)."""
    (one,) = site.get("/members/10000012.json").json()["systems"]
    start = 50.0 * (LATER.start - JUNIOR_BORN).days / 365.25
    assert one["live"] == {"text": f"{start:.0f}P3", "rating": round(start), "games": 3.0, "provisional": True}


def test_nothing_foreign_is_linked_but_the_official_pages(crawled: dict[str, str]) -> None:
    foreign = {
        (path, address)
        for path, said in crawled.items()
        for address in re.findall(r'(?:href|src|action)="(https?://[^"]*)"', said)
        if not address.startswith("http://testserver/")  # the canonical address of the page itself
    }
    assert {path for path, _ in foreign} <= {"/about"}
    assert all("uschess.org" in address for _, address in foreign)
