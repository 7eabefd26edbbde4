"""Who may do what, route by route: a matrix generated from the table of routes (decision 0006)."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from crosstable.office.credentials import Scope
from crosstable.web.app import all_routes, create_app
from crosstable.web.policies import REACH, Actor, ActorKind, Reach, may, reach
from crosstable.web.routes import API, Policy, Route
from crosstable.web.settings import Settings
from tests.office.made_office import put_filled
from tests.web.people import OTHER, OWN, Site, a_club, site

# What each kind of actor may do (decision 0006), by policy. A club's own lists are not kept here.
DOCUMENT: Mapping[Policy, Mapping[str, str]] = {
    Policy.PUBLIC: dict.fromkeys(ActorKind, "everything"),
    Policy.LIMITED: dict.fromkeys(ActorKind, "everything"),
    Policy.SIGNED_IN: {
        "anybody": "nothing",
        **dict.fromkeys(("td", "club", "research", "office", "machine"), "everything"),
    },
    Policy.TD: {
        "anybody": "nothing",
        "td": "own affiliate",
        "club": "own affiliate",
        "research": "nothing",
        "office": "everything",
        "machine": "everything",
    },
    Policy.OFFICE: {
        **dict.fromkeys(("anybody", "td", "club", "research"), "nothing"),
        "office": "everything",
        "machine": "everything",
    },
    Policy.HOST: dict.fromkeys(ActorKind, "nothing"),
}
ROUTES = list(all_routes())
# Whom the matrix sends: by cookie to pages, by token to the API.
BY_COOKIE = {"anybody": "nobody", "td": "tina", "club": "clara", "research": "rosa", "office": "anna"}
BY_TOKEN = {"td": "tina", "club": "clara", "office": "anna"}
SAMPLES = {
    "event_id": "own",
    "member_id": "10000001",
    "number": "1",
    "section": "1",
    "player": "1",
    "month": "2026-11",
    "kind": "opt-in",
    "name": "nobody-here",
    "change": "disable",
    "token_id": "00000000",
    "link": "no-link",
    "job": "000000000000",
}
OPEN_WRITES = {
    "/upload/check",
    "/upload/export",
    "/api/v1/workbench",
    *("/login", "/login/code", "/machine", "/upload", "/rate", "/audit"),
    *(f"{API}/{name}" for name in ("estimate", "rate", "explain", "check", "previews")),
}


def test_the_table_of_policies_is_the_one_of_the_document() -> None:
    assert {policy: {kind.value: reach(policy, kind).value for kind in ActorKind} for policy in Policy} == {
        policy: dict(found) for policy, found in DOCUMENT.items()
    }
    assert set(REACH) == set(Policy)


def test_own_is_the_same_affiliate_and_nothing_else() -> None:
    tina = Actor(ActorKind.TD, "tina", OWN)
    assert may(Policy.TD, tina, OWN)
    assert may(Policy.TD, tina)  # for some affiliate
    assert not may(Policy.TD, tina, OTHER)
    assert not may(Policy.TD, tina, "")  # what belongs to nobody is not hers
    assert not may(Policy.TD, tina._replace(affiliate=""), "")
    assert may(Policy.TD, Actor(ActorKind.OFFICE, "anna"), OTHER)
    assert reach(Policy.TD, ActorKind.RESEARCH) is Reach.NONE


def unguarded(app: FastAPI) -> list[str]:
    """Routes of an application that the table does not know, or that are not guarded as it says."""
    declared = {(route.path, method): route.policy for route in ROUTES for method in route.methods}
    wrong = []
    for route in app.routes:
        if not isinstance(route, APIRoute):
            path = str(getattr(route, "path", ""))
            wrong += [] if path in ("/static", f"{API}/openapi.json") else [path]
            continue
        for method in route.methods or ():
            policy = declared.pop((route.path, method), None)
            has_guard = bool(route.dependant.dependencies)
            if policy is None or has_guard is (policy is Policy.PUBLIC):
                wrong.append(f"{method} {route.path}")
    return wrong + [path for path, _ in declared]


def test_every_route_has_a_policy_and_is_guarded_by_it(tmp_path: Path) -> None:
    path = tmp_path / "office.db"
    put_filled(a_club, path)
    app = create_app(Settings(str(path)))
    assert unguarded(app) == []
    app.add_api_route("/administration/backdoor", lambda: "come in")  # the check can fail
    app.add_api_route("/administration/rate", lambda: "without a guard", methods=["PUT"])
    assert unguarded(app) == ["GET /administration/backdoor", "PUT /administration/rate"]
    app.state.reading.office.close()


def test_nothing_is_written_without_a_policy_that_asks_who_it_is() -> None:
    open_writes = {
        route.path for route in ROUTES if route.methods != ("GET",) and route.policy in (Policy.PUBLIC, Policy.LIMITED)
    }
    assert open_writes <= OPEN_WRITES
    assert all(route.policy is Policy.OFFICE for route in ROUTES if route.path.startswith("/administration"))
    assert all(route.policy is not Policy.PUBLIC for route in ROUTES if route.path.startswith("/account"))


class Case(NamedTuple):
    """A route and somebody who asks."""

    route: Route
    kind: str
    is_api: bool

    @property
    def is_welcome(self) -> bool:
        """What the document says."""
        return DOCUMENT[self.route.policy][self.kind] != "nothing"


def cases() -> Iterator[Case]:
    for route in ROUTES:
        is_api = route.path.startswith(API)
        if route.policy is Policy.PUBLIC:
            continue
        for kind in ("anybody", *BY_TOKEN) if is_api else BY_COOKIE:
            # a token of the office acts as a director's
            yield Case(route, "td" if is_api and kind == "office" else kind, is_api)


@pytest.fixture(scope="module")
def peopled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with site(tmp_path_factory.mktemp("site")) as made:
        yield made


@pytest.fixture(scope="module")
def lonely(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with site(tmp_path_factory.mktemp("lonely"), has_accounts=False) as made:
        yield made


def filled_path(path: str) -> str:
    return re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: SAMPLES.get(found[1], "1"), path)


def asked(made: Site, route: Route, who: str) -> int:
    """The status of a call that is right in form and empty in content."""
    mark = made.come_in(who)
    method = route.methods[0]
    reply = made.client.request(method, filled_path(route.path), data={"mark": mark} if method != "GET" else None)
    if reply.status_code == 303 and reply.headers["location"].startswith("/login?next="):
        return 401  # asked to log in first
    return int(reply.status_code)


def asked_by_token(made: Site, route: Route, owner: str) -> int:
    made.client.cookies.clear()
    affiliate = OWN if owner == "anna" else ""
    headers = made.token(owner, affiliate=affiliate) if owner else {}
    return int(made.client.request(route.methods[0], filled_path(route.path), headers=headers).status_code)


def test_the_matrix_of_routes_and_actors(peopled: Site) -> None:
    """Every route that is not public, for every kind of actor: refused where the document refuses, else not."""
    wrong, seen = [], 0
    for case in cases():
        if case.is_api:
            owner = {"anybody": "", **BY_TOKEN}[case.kind]
            status = asked_by_token(peopled, case.route, owner)
        else:
            status = asked(peopled, case.route, BY_COOKIE[case.kind])
        seen += 1
        is_refused = status in (401, 403)
        is_deeper = is_refused and case.is_welcome and case.route.path in REFUSED_INSIDE.get(case.kind, ())
        if is_refused is case.is_welcome and not is_deeper:
            wrong.append((case.route.methods[0], case.route.path, case.kind, status))
    assert wrong == []
    assert seen > 100


# Where a policy lets somebody in, and the page then finds that this account or this form is none of theirs.
_OTHERS = ("/account/others", "/account/others/{name}/{change}")
_NO_FORM = ("/login", "/login/code", "/machine")
REFUSED_INSIDE: Mapping[str, tuple[str, ...]] = {
    "anybody": _NO_FORM,
    "td": (*_OTHERS, *_NO_FORM),
    "club": (*_OTHERS, *_NO_FORM),
    "research": _NO_FORM,
    "office": (*_OTHERS, *_NO_FORM),
}


def test_the_person_at_the_machine_reaches_what_the_office_reaches(lonely: Site) -> None:
    for route in ROUTES:
        if route.policy is not Policy.PUBLIC and not route.path.startswith(API) and route.path not in _NO_FORM:
            assert asked(lonely, route, "nobody") in ((401,) if is_kept(route) else (200, 400, 422)), route.path
            found = asked(lonely, route, "machine")
            assert found not in (401,), (route.path, found)
            assert found != 403 or route.path in _OTHERS, (route.path, found)


def is_kept(route: Route) -> bool:
    return route.policy is not Policy.LIMITED


def test_a_write_needs_the_mark_of_the_own_session(peopled: Site) -> None:
    """No mark, that of another session, an invented one; from another site; each refused on every write."""
    foreign = peopled.come_in("boris")
    for route in ROUTES:
        if route.methods == ("GET",) or route.path.startswith(API) or route.policy is Policy.LIMITED:
            continue
        path = filled_path(route.path)
        mine = peopled.come_in("anna")
        for mark in ("", foreign, "0" * 64, mine[:-1]):
            reply = peopled.client.post(path, data={"mark": mark, "reason": "x"})
            assert (reply.status_code, "load the page again" in reply.text) == (403, True), (path, mark)
        for origin in ("http://evil.example", "null", "https://testserver.evil.example"):
            reply = peopled.client.post(path, data={"mark": mine}, headers={"Origin": origin})
            assert (reply.status_code, "from another site" in reply.text) == (403, True), (path, origin)


def test_a_cookie_writes_nothing_through_the_api(peopled: Site) -> None:
    peopled.come_in("anna")
    for route in ROUTES:
        if route.path.startswith(API) and route.policy not in (Policy.PUBLIC, Policy.LIMITED):
            assert peopled.client.request(route.methods[0], filled_path(route.path)).status_code == 401


def test_a_token_opens_no_page(peopled: Site) -> None:
    for path in ("/administration", "/account", "/events/own/correction"):
        headers = peopled.token("tina")
        assert peopled.client.get(path, headers=headers).status_code == 303


@pytest.mark.parametrize("event_id", ["own", "other"])
@pytest.mark.parametrize("who", ["tina", "clara", "otto", "anna"])
def test_directors_touch_events_of_their_own_affiliate_only(peopled: Site, who: str, event_id: str) -> None:
    affiliate = {"tina": OWN, "clara": OWN, "otto": OTHER}.get(who)
    is_own = affiliate is None or affiliate == {"own": OWN, "other": OTHER}[event_id]
    mark = peopled.come_in(who)
    assert peopled.client.get(f"/events/{event_id}/correction").status_code == (200 if is_own else 403)
    form = {"mark": mark, "reason": "x", "wrong": "99999999", "right": "10000001"}
    reply = peopled.client.post(f"/events/{event_id}/correction", data=form)
    assert reply.status_code == (409 if is_own else 403)  # nobody there has the wrong id
    if who == "anna":
        return
    headers = peopled.token(who)
    asks = {"event": event_id, "reason": "x", "member": {"wrong": "99999999", "right": "10000001"}}
    reply = peopled.client.post(f"{API}/corrections", json=asks, headers=headers)
    assert reply.status_code == (409 if is_own else 403)


def test_a_token_of_the_office_acts_for_one_affiliate(peopled: Site) -> None:
    headers = peopled.token("anna", affiliate=OTHER)
    asks = {"event": "own", "reason": "x", "member": {"wrong": "99999999", "right": "10000001"}}
    assert peopled.client.post(f"{API}/corrections", json=asks, headers=headers).status_code == 403
    assert (
        peopled.client.post(f"{API}/corrections", json={**asks, "event": "other"}, headers=headers).status_code == 409
    )


def test_a_token_for_reading_writes_nothing(peopled: Site) -> None:
    headers = peopled.token("tina", Scope.READ)
    asks = {"event": "own", "reason": "x", "member": {"wrong": "99999999", "right": "10000001"}}
    reply = peopled.client.post(f"{API}/corrections", json=asks, headers=headers)
    assert (reply.status_code, reply.json()["detail"]) == (403, "This token may only read.")
    assert peopled.client.get(f"{API}/submissions/999999", headers=headers).status_code == 404
