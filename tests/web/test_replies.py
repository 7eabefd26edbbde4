"""ETags, kept pages, problem bodies, headers, and who may call under which name."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.routing import APIRoute

from crosstable.office.database import open_office
from crosstable.office.ledger.facts import Person
from crosstable.web.app import all_routes
from crosstable.web.cache import Kept, PageCache
from crosstable.web.routes import Policy
from tests.engine.wallcharts import Played
from tests.office.made_office import HandClock, join, quad, run, send
from tests.web.client import TestClient
from tests.web.site import LATER, client, made_file

MEMBER = "/members/10000001"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with client(made_file(tmp_path_factory.mktemp("site"))) as made:
        yield made


@pytest.mark.parametrize("path", [MEMBER, f"{MEMBER}.json", f"/api/v1{MEMBER}"])
def test_an_unchanged_answer_is_not_sent_again(site: TestClient, path: str) -> None:
    first = site.get(path)
    again = site.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304
    assert again.content == b""
    assert again.headers["etag"] == first.headers["etag"]
    assert site.get(path, headers={"If-None-Match": '"another"'}).status_code == 200


def test_every_address_has_an_etag_of_its_own(site: TestClient) -> None:
    tags = {site.get(path).headers["etag"] for path in (MEMBER, f"{MEMBER}.json", f"{MEMBER}?axis=games", "/events")}
    assert len(tags) == 4


def test_a_kept_page_is_the_same_page(site: TestClient) -> None:
    made, kept = site.get("/events"), site.get("/events")
    assert kept.content == made.content
    assert kept.headers["content-type"] == made.headers["content-type"]
    assert kept.headers["content-security-policy"] == made.headers["content-security-policy"]


def test_a_question_with_a_cookie_is_not_answered_from_kept_pages(site: TestClient) -> None:
    cache = site.app.state.cache  # type: ignore[attr-defined]
    before = cache.bytes
    assert site.get("/rules/2020-01-01", headers={"Cookie": "crosstable_session=x"}).status_code == 200
    assert cache.bytes == before


def test_head_is_get_without_a_body(site: TestClient) -> None:
    found = site.head(MEMBER)
    assert found.status_code == 200
    assert found.content == b""
    assert found.headers["etag"] == site.get(MEMBER).headers["etag"]


def test_a_problem_is_a_page_for_people_and_a_document_for_programs(site: TestClient) -> None:
    page = site.get("/members/99999999")
    assert page.status_code == 404
    assert page.headers["content-type"].startswith("text/html")
    assert "There is no member with this id." in page.text
    for path in ("/members/99999999.json", "/api/v1/members/99999999"):
        found = site.get(path)
        assert found.status_code == 404
        assert found.headers["content-type"] == "application/problem+json"
        assert found.json() == {
            "type": "/api#problem-404",
            "title": "Not found",
            "status": 404,
            "detail": "There is no member with this id.",
            "instance": path,
        }


def test_a_wrong_question_lists_every_error(site: TestClient) -> None:
    found = site.get("/api/v1/log?page=0&size=501")
    assert found.status_code == 422
    assert {error["where"] for error in found.json()["errors"]} == {"query.page", "query.size"}


def test_a_foreign_name_of_the_host_is_refused(site: TestClient) -> None:
    """A page elsewhere whose name points to this machine must not read from it (DNS rebinding)."""
    found = site.get("/", headers={"Host": "evil.example"})
    assert found.status_code == 421
    assert site.get("/", headers={"Host": "localhost:8000"}).status_code == 200
    assert site.get("/", headers={"Host": "[::1]:8000"}).status_code == 200


@pytest.mark.parametrize("path", ["/", f"{MEMBER}.json", "/nothing", "/static/site.css", "/api/v1/openapi.json"])
def test_every_reply_has_the_headers(site: TestClient, path: str) -> None:
    found = site.get(path).headers
    policy = found["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert found["x-content-type-options"] == "nosniff"
    assert found["referrer-policy"] == "same-origin"


def test_every_route_of_the_application_is_in_the_table_with_a_policy(site: TestClient) -> None:
    table = {(route.path, method): route.policy for route in all_routes() for method in route.methods}
    assert all(isinstance(policy, Policy) for policy in table.values())
    served = {
        (route.path, method)
        for route in site.app.routes  # type: ignore[attr-defined]
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    }
    assert served == table.keys()


def test_the_description_of_the_api_is_openapi_3_1(site: TestClient) -> None:
    document = site.get("/api/v1/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    assert all(path.startswith("/api/v1/") for path in document["paths"])
    for wanted in (
        "members",
        "members/{member_id}",
        "events",
        "lists",
        "rules",
        "log",
        "ripples/{run}",
        "estimate",
        "rate",
        "check",
    ):
        assert f"/api/v1/{wanted}" in document["paths"]
    names = [operation["operationId"] for item in document["paths"].values() for operation in item.values()]
    assert len(names) == len(set(names))
    page = site.get("/api").text
    assert all(path in page for path in document["paths"])


def test_no_page_loads_anything_from_elsewhere(site: TestClient) -> None:
    for path in ("/", MEMBER, "/estimate", "/api", "/about"):
        text = re.sub(r'<link rel="canonical"[^>]*>', "", site.get(path).text)  # which names the page itself
        loaded = re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="([^"]*)"', text)
        assert loaded
        assert all(address.startswith("/") for address in loaded)


def test_the_style_sheet_is_small() -> None:
    from crosstable.web.app import STATIC

    assert (STATIC / "site.css").stat().st_size <= 24 * 1024


def test_pages_follow_the_record(tmp_path: Path) -> None:
    """A new event is there as soon as the snapshot is renewed; what was kept before is not served any more."""
    path = made_file(tmp_path)
    with client(path, watch_every=3600.0) as site:
        assert site.get("/events.json").json()["paging"]["total"] == 3
        old = site.get("/events").headers["etag"]
        office = open_office(str(path), HandClock())
        send(office, quad("202610100001", Played(start=LATER.start, control="G/90;d5")))
        pending = site.app.state.reading.renew()  # type: ignore[attr-defined]
        assert pending.run < pending.head.seq
        assert site.get("/events.json").json()["paging"]["total"] == 4
        assert "with the next rating run" in site.get("/events/202610100001/sections/1").text
        run(office)
        office.close()
        site.app.state.reading.renew()  # type: ignore[attr-defined]
        assert len(site.get("/events/202610100001/sections/1.json").json()["rows"]) == 4
        assert site.get("/events", headers={"If-None-Match": old}).status_code == 200


def test_the_cache_lets_the_oldest_pages_go() -> None:
    cache = PageCache(10_000)
    scopes = [{"path": f"/{number}", "query_string": b""} for number in range(30)]
    for scope in scopes:
        cache.keep(scope, Kept.of("1", '"x"', {}, b"x" * 600))
        assert cache.bytes <= 10_000
    assert cache.find(scopes[0], "1") is None
    assert cache.find(scopes[-1], "1") is not None
    assert cache.find(scopes[-1], "2") is None
    cache.keep({"path": "/" + "a" * 500, "query_string": b""}, Kept.of("1", '"x"', {}, b"x"))
    assert cache.find({"path": "/" + "a" * 500, "query_string": b""}, "1") is None


def test_a_member_page_says_what_moved_a_rating_and_how_far(tmp_path: Path) -> None:
    """Though no game was played: the ripple of the correction has the same line."""
    with client(made_file(tmp_path)) as site:
        notice = site.get(f"{MEMBER}.json").json()["notices"][0]
        assert notice["causes"][0]["kind"] == "correct"
        lines = site.get(f"/ripples/{notice['run']}.json").json()["lines"]
        (line,) = [one for one in lines if one["member_id"] == "10000001" and one["system"] == notice["system"]]
        assert (notice["before"], notice["after"], notice["change"]) == (line["before"], line["after"], line["change"])
        assert notice["change"]


def test_what_no_act_touched_is_taken_over(tmp_path: Path) -> None:
    path = made_file(tmp_path)
    with client(path, watch_every=3600.0) as site:
        reading = site.app.state.reading  # type: ignore[attr-defined]
        first = reading.now
        office = open_office(str(path), HandClock())
        send(office, quad("202610100001", Played(start=LATER.start)))
        second = reading.renew()
        assert second.index is first.index
        assert second.events is not first.events
        join(office, [Person("30000001", "Fresh, Face")])
        third = reading.renew()
        office.close()
        assert third.events is second.events
        assert site.get("/search.json?q=fresh").json()["members"][0]["member_id"] == "30000001"
