"""Limits, and that replies state them: calls, sizes, slow and crowded bodies, statements that take too long."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from crosstable.web import bodies
from crosstable.web.bodies import ENVELOPE, BodyLimit
from crosstable.web.pages.estimate import LONGEST_BODY, MOST_GAMES_OF_ANYBODY
from tests.office.made_office import quad, run
from tests.office.test_time_limits import SLOW
from tests.web.people import OWN, TODAY, Site, belonging, event_file, site
from tests.web.told import told

STATED = ("ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "ratelimit-cost")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with site(tmp_path_factory.mktemp("limits")) as made:
        yield made


# What replies state.


def stated(reply: Any) -> list[int]:
    return [int(reply.headers[name]) for name in STATED]


def test_every_reply_of_the_api_states_cost_and_allowance(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    limiter = here.client.app.state.limiter  # type: ignore[attr-defined]
    monkeypatch.setattr(limiter, "most", 60)
    limiter.forget()
    here.come_in("nobody")
    first = here.client.get("/api/v1/events")
    free = [
        *(first, here.client.get("/api/v1/events")),  # the second one is a kept page
        here.client.get("/api/v1/events", headers={"If-None-Match": first.headers["etag"]}),
        here.client.get("/events.json"),
        here.client.get("/api/v1/estimate?rating=1500/40&game=W1500&date=2026-11-01"),
        here.client.get("/api/v1/events/nothing"),
        here.client.get("/api/v1/events?page=x"),
        here.client.get("/api/v1/nothing"),
        here.client.post("/api/v1/submissions"),
        here.client.head("/api/v1/events"),
    ]
    assert [reply.status_code for reply in free] == [200, 200, 304, 200, 200, 404, 422, 404, 401, 200]
    assert [stated(reply) for reply in free] == [[60, 60, 0, 0]] * len(free)
    work = here.client.post("/api/v1/check", content=event_file(quad("new", TODAY))[1][1])
    assert stated(work)[:2] == [60, 59]
    assert stated(work)[3] == 1
    long = here.client.post("/api/v1/check", content=b" " * (1024 * 1024))
    assert (stated(long)[1], stated(long)[3]) == (54, 5)
    for _ in range(54):
        limiter.take("testclient")
    refused = here.client.post("/api/v1/estimate", json={"rating": "1500/40", "game": ["W1500"]})
    assert (refused.status_code, stated(refused)[1], stated(refused)[3]) == (429, 0, 1)
    assert refused.headers["retry-after"] == refused.headers["ratelimit-reset"]
    assert stated(here.client.get("/api/v1/events"))[1] == 0
    limiter.forget()


def test_the_description_names_the_headers_and_every_status_of_a_body(here: Site) -> None:
    paths = here.client.get("/api/v1/openapi.json").json()["paths"]
    for operations in paths.values():
        for operation in operations.values():
            for response in operation["responses"].values():
                assert {name.lower() for name in response["headers"]} == set(STATED)
    assert {"408", "413", "422", "429", "503"} <= paths["/api/v1/estimate"]["post"]["responses"].keys()


def test_anybody_estimates_so_many_games_and_who_is_known_more(here: Site) -> None:
    here.come_in("nobody")
    games = ["W1500"] * (MOST_GAMES_OF_ANYBODY + 1)
    asked = {"rating": "1500/40", "game": games}
    for reply in (
        here.client.post("/api/v1/estimate", json=asked),
        here.client.get(f"/api/v1/estimate?rating=1500/40&game={','.join(games)}"),
        here.client.get(f"/estimate.json?rating=1500/40&game=T1500&game={','.join(games)}"),
    ):
        assert reply.status_code == 413
        assert f"at most {MOST_GAMES_OF_ANYBODY} games" in reply.json()["detail"]
        assert "it may have 100" in reply.json()["detail"]
    assert here.client.get(f"/estimate?rating=1500/40&game={','.join(games)}").status_code == 413
    fewer = here.client.post("/api/v1/estimate", json={**asked, "game": games[1:]})
    assert fewer.status_code == 200
    assert here.client.post("/api/v1/estimate", json=asked, headers=here.token("tina")).status_code == 200
    here.come_in("nobody")
    long = here.client.post("/api/v1/estimate", content=b" " * (LONGEST_BODY + 1))
    assert (long.status_code, "at most 64 KB" in long.json()["detail"]) == (413, True)


# Statements.


def test_a_page_that_takes_too_long_to_look_up_is_a_problem_and_the_next_one_is_answered(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = here.client.app.state.reading.now  # type: ignore[attr-defined]
    assert read.limit.seconds == 2.0
    here.come_in("nobody")

    def slow(*given: object) -> None:
        read.connection.exec_driver_sql(SLOW["sqlite"]).all()

    with monkeypatch.context() as while_slow:
        while_slow.setattr(read.limit, "seconds", 0.05)
        while_slow.setattr("crosstable.web.pages.events.paged", slow)
        for path in ("/api/v1/events?size=7", "/events?size=7"):
            reply = here.client.get(path)
            assert (reply.status_code, reply.headers["retry-after"]) == (503, "30")
            assert "longer than 0.05 seconds" in reply.text
    assert here.client.get("/api/v1/events?size=7").status_code == 200


# Bodies while they arrive.


def scope_of(length: int, address: str = "10.0.0.1") -> Scope:
    headers = [(b"content-length", str(length).encode())]
    return {
        "type": "http",
        "method": "POST",
        "path": "/upload",
        "headers": headers,
        "client": (address, 1),
        "state": {},
    }


async def takes_all(scope: Scope, receive: Receive, send: Send) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"taken"})


async def hides_errors(scope: Scope, receive: Receive, send: Send) -> None:
    """As FastAPI does it where a body is declared."""
    try:
        await takes_all(scope, receive, send)
    except Exception:
        await send({"type": "http.response.start", "status": 400, "headers": []})
        await send({"type": "http.response.body", "body": b""})


async def answers_at_once(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 429, "headers": []})
    await send({"type": "http.response.body", "body": b""})


class Sender:
    """Sends a body piece by piece; the last piece comes only when it is told to finish."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = list(pieces)
        self.finish = asyncio.Event()
        self.told: list[Message] = []

    async def receive(self) -> Message:
        if self.pieces:
            return {"type": "http.request", "body": self.pieces.pop(0), "more_body": True}
        await self.finish.wait()
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(self, message: Message) -> None:
        self.told.append(message)

    @property
    def status(self) -> int:
        return int(self.told[0]["status"])

    @property
    def headers(self) -> dict[bytes, bytes]:
        return dict(self.told[0]["headers"])


@pytest.mark.parametrize("app", [takes_all, hides_errors])
def test_a_body_that_trickles_in_is_given_up(app: Any) -> None:
    async def story() -> Sender:
        limit, sender = BodyLimit(app, 10**7), Sender(b"x" * 100)
        limit.first_seconds = 0.05
        await limit(scope_of(10**6), sender.receive, sender.send)
        assert limit._arriving.total() == 0
        return sender

    sender = told(story())
    assert (sender.status, sender.headers[b"connection"]) == (408, b"close")
    assert b"too slowly: 16 KB a second" in sender.told[1]["body"]


def test_a_body_that_comes_steadily_has_time_for_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "BYTES_A_SECOND", 10)

    async def story() -> int:
        limit, sender = BodyLimit(takes_all, 10**7), Sender(b"x" * 300)
        limit.first_seconds = 0.01
        asked = asyncio.create_task(limit(scope_of(10**6), sender.receive, sender.send))
        await asyncio.sleep(0.1)  # ten times its first patience; it has thirty seconds more by now
        sender.finish.set()
        await asked
        return sender.status

    assert told(story()) == 200


def test_so_many_long_bodies_arrive_at_once_and_short_ones_always_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MOST_OF_ONE", 2)
    monkeypatch.setattr(bodies, "MOST_AT_ONCE", 3)

    async def story() -> list[int | None]:
        limit = BodyLimit(takes_all, 10**7)
        senders, tasks = [], []

        async def come(length: int, address: str) -> None:
            sender = Sender()
            senders.append(sender)
            tasks.append(asyncio.create_task(limit(scope_of(length, address), sender.receive, sender.send)))
            await asyncio.sleep(0.01)

        for length, address in ((10**6, "a"), (10**6, "a"), (10**6, "a"), (ENVELOPE, "a"), (10**6, "b"), (10**6, "c")):
            await come(length, address)
        waiting = [None if not sender.told else sender.status for sender in senders]
        for sender in senders:
            sender.finish.set()
        await asyncio.gather(*tasks)
        await come(10**6, "c")
        senders[-1].finish.set()
        await asyncio.gather(*tasks)
        assert limit._arriving == {}
        return [*waiting, *(sender.status for sender in senders)]

    found = told(story())
    assert found[:6] == [None, None, 503, None, None, 503]
    assert found[6:] == [200, 200, 503, 200, 200, 503, 200]


def test_who_is_refused_before_the_body_came_is_not_listened_to_any_longer() -> None:
    async def story() -> Sender:
        sender = Sender()
        await BodyLimit(answers_at_once, 10**7)(scope_of(10**6), sender.receive, sender.send)
        return sender

    assert told(story()).headers == {b"connection": b"close"}


# Lists as files.


def test_a_list_is_made_once_and_who_has_it_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with site(tmp_path) as made:
        files = {}
        for form in ("csv", "xlsx", "parquet"):
            path = f"/lists/2026-11/ratings.{form}"
            first = made.client.get(path)
            assert first.status_code == 200
            again = made.client.get(path, headers={"If-None-Match": first.headers["etag"]})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
            files[path] = first
        assert len({reply.headers["etag"] for reply in files.values()}) == 3
        assert made.client.get("/lists/2026-01/ratings.csv").status_code == 404

    def broken(*given: object) -> bytes:
        raise AssertionError("made anew")

    monkeypatch.setattr("crosstable.web.reading.list_table", broken)
    kept = {path.name: path.read_bytes() for path in (tmp_path / "office.db.lists").iterdir()}
    assert len(kept) == 3
    second = tmp_path / "second"
    second.mkdir()
    (second / "office.db.lists").mkdir()
    for name, content in kept.items():
        (second / "office.db.lists" / name).write_bytes(content)
    with site(second) as made:  # another process on the same record
        for path, before in files.items():
            found = made.client.get(path)
            assert (found.content, found.headers["etag"]) == (before.content, before.headers["etag"])
            assert found.headers["content-type"] == before.headers["content-type"]
            assert found.headers["content-disposition"] == before.headers["content-disposition"]


def test_a_list_that_cannot_be_kept_is_given_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "office.db.lists").write_text("a file where the folder would be")
    with site(tmp_path) as made:
        reply = made.client.get("/lists/2026-11/ratings.csv")
        assert (reply.status_code, "member_id,name," in reply.text) == (200, True)


# Events.


def test_an_event_says_what_has_become_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Submitted while its errors hold it, accepted until a run, then rated, each with its day."""
    with site(tmp_path) as made:
        monkeypatch.setattr("crosstable.web.acting.rerate", lambda *given, **named: None)
        mark = made.come_in("anna")
        for event in (
            belonging(quad("waits", TODAY), OWN),
            belonging(quad("errs", TODAY, "1 =1 | W2\n2 =77 | L1"), OWN),
        ):
            made.client.post("/upload/submit", data={"mark": mark}, files=[event_file(event)])
        today = made.clock.today.isoformat()
        found = {one["event_id"]: one for one in made.client.get("/api/v1/events").json()["events"]}
        became = {name: (one["state"], one["submitted"], one["rated"]) for name, one in found.items()}
        assert became["waits"] == ("accepted", today, None)
        assert became["errs"] == ("submitted", today, None)
        assert became["own"][0] == "rated"
        assert became["own"][2] == became["own"][1]
        page = made.client.get("/events").text
        assert "accepted; to be rated with the next run" in page
        assert "not rated yet" in page
        monkeypatch.undo()
        made.clock.go(days=1)
        run(made.office)
        made.client.app.state.reading.renew()  # type: ignore[attr-defined]
        events = made.client.get("/api/v1/office").json()["recent"]
        waits = next(one for one in events if one["event_id"] == "waits")
        assert (waits["state"], waits["submitted"], waits["rated"]) == ("rated", today, made.clock.today.isoformat())
