"""What many people, or few who ask for much, can do to others: kept files, long work, places in queues, cookies."""

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from starlette.types import Message

from crosstable.web import bodies, kept_files
from crosstable.web.bodies import BodyLimit
from crosstable.web.gate import FORM_COOKIE, SESSION_COOKIE
from crosstable.web.kept_files import KeptFiles, OpenFile
from crosstable.web.limits import Queue, address_of
from crosstable.web.pages.estimate import MANY_GAMES
from crosstable.web.pages.lists import program
from crosstable.web.problems import Problem
from crosstable.web.reading import Snapshot
from tests.office.made_office import quad
from tests.office.test_time_limits import SLOW
from tests.web.people import TODAY, Site, event_file, site
from tests.web.test_limits import Sender, scope_of, takes_all
from tests.web.told import told

TEMPLATES = Path(kept_files.__file__).parent / "templates"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with site(tmp_path_factory.mktemp("crowds")) as made:
        yield made


@pytest.fixture
def kept(tmp_path: Path) -> KeptFiles:
    return KeptFiles(f"sqlite:///{tmp_path / 'office.db'}")


def state_of(made: Site) -> Any:
    return made.client.app.state  # type: ignore[attr-defined]


# Kept files.


def test_a_kept_file_is_sent_though_it_is_let_go_meanwhile(kept: KeptFiles) -> None:
    for found in (kept.keep("a", lambda: b"x" * 600_000), kept.find("a")):
        assert found is not None
        assert not isinstance(found, bytes)
        (kept.folder / "a").unlink(missing_ok=True)
        sent: list[Message] = []

        async def send(message: Message, sent: list[Message] = sent) -> None:
            sent.append(message)

        reply = OpenFile(found, "text/csv", {})
        told(reply({"type": "http"}, None, send))  # type: ignore[arg-type]
        assert b"".join(message.get("body", b"") for message in sent) == b"x" * 600_000
        assert (reply.headers["content-length"], found.closed) == ("600000", True)
        kept.keep("a", lambda: b"x" * 600_000).close()  # type: ignore[union-attr]


def test_a_file_that_cannot_be_written_leaves_nothing_behind(kept: KeptFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    assert kept.keep("a", lambda: b"list") == b"list"
    assert list(kept.folder.iterdir()) == []


def test_files_are_kept_by_their_bytes_and_who_is_asked_for_stays(
    kept: KeptFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_files, "MOST_BYTES", 100)
    for number in range(2):
        kept.keep(f"{number}", lambda: b"x" * 40).close()  # type: ignore[union-attr]
        os.utime(kept.folder / f"{number}", (number, number))
    found = kept.find("0")
    assert found is not None
    found.close()
    kept.keep("2", lambda: b"x" * 40).close()  # type: ignore[union-attr]
    assert {path.name for path in kept.folder.iterdir()} == {"0", "2"}


def test_a_file_that_must_be_made_costs_something_and_a_kept_one_nothing(here: Site) -> None:
    here.come_in("nobody")
    made, again = (here.client.get("/lists/2026-11/ratings.csv") for _ in range(2))
    assert (made.status_code, made.headers["ratelimit-cost"]) == (200, "5")
    assert (again.content, "ratelimit-cost" in again.headers) == (made.content, False)


def test_what_is_kept_hangs_on_every_module_that_makes_it(tmp_path: Path) -> None:
    module = ModuleType("made")
    module.__file__ = str(tmp_path / "made.py")
    found = set()
    for text in ("one", "another"):
        Path(module.__file__).write_text(text)
        found.add(program(module))
    assert len(found | {program()}) == 3


# Long work.


def lock_is_free(read: Snapshot) -> bool:
    free: list[bool] = []

    def ask() -> None:
        free.append(read.lock.acquire(blocking=False))
        if free[0]:
            read.lock.release()

    asking = threading.Thread(target=ask)
    asking.start()
    asking.join()
    return free[0]


@pytest.mark.parametrize(
    ("path", "work"),
    [
        ("/lists/2026-11", "list_table"),
        ("/lists/2026-11/top", "top_list"),
        ("/ripples", "runs"),
        ("/ripples/{run}", "ripple"),
    ],
)
def test_what_takes_long_is_read_while_others_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, work: str
) -> None:
    from crosstable.web import reading

    with site(tmp_path) as made:
        read = state_of(made).reading.now
        read.is_small = False
        original, was_free = getattr(reading, work), []

        def watched(*given: Any) -> Any:
            was_free.append(lock_is_free(read))
            return original(*given)

        monkeypatch.setattr(reading, work, watched)
        for size in (3, 4):  # the second one is no kept page
            assert made.client.get(f"{path.format(run=read.run)}.json?size={size}").status_code == 200
        assert was_free == [True]
        with pytest.raises(Problem, match="being read"):  # nobody does it under the lock
            read.listing("2026-10")


def test_a_member_page_that_takes_long_does_not_keep_all_others_waiting(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = state_of(here).reading.now
    here.come_in("nobody")
    limits = []

    def slow(*given: Any) -> Any:
        limits.append(read.limit.seconds)
        with read.asking():
            read.connection.exec_driver_sql(SLOW["sqlite"]).all()

    monkeypatch.setattr("crosstable.web.straight.BRIEF_SECONDS", 0.02)
    monkeypatch.setattr("crosstable.web.straight.made", slow)
    assert here.client.get("/members/10000001").status_code == 200
    assert (limits, read.limit.seconds) == ([0.02], 2.0)


def test_a_page_carries_its_files_packed_once(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    from crosstable.office.submissions import zipped

    packed = []

    def counted(files: Any) -> bytes:
        packed.append(threading.current_thread().name)
        return zipped(files)

    monkeypatch.setattr("crosstable.web.uploads.zipped", counted)
    data, file = {"mark": here.come_in("tina")}, event_file(quad("new", TODAY))
    page = here.client.post("/upload", data=data, files=[file])
    assert page.text.count('name="carried"') == 1
    assert len(packed) == 1
    here.come_in("nobody")
    assert here.client.post("/upload", files=[file]).status_code == 200
    assert len(packed) == 1  # who may not submit gets nothing to carry


# Places, and who is counted as one.


def test_one_address_has_few_of_the_places_of_a_queue() -> None:
    async def story() -> None:
        queue = Queue("test", at_a_time=1, longest=5, of_one=2)
        with ExitStack() as inside:
            for _ in range(2):
                inside.enter_context(queue.of("a").place())
            with pytest.raises(Problem, match="Too many wait"), queue.of("a").place():
                pass
            inside.enter_context(queue.of("b").place())
        with queue.of("a").place():
            assert queue._by_address == {"a": 1}

    told(story())


def test_a_network_of_ipv6_is_counted_as_one() -> None:
    def counted(host: str) -> str:
        return address_of({"client": (host, 1)})

    assert counted("2001:db8:1:2::1") == counted("2001:db8:1:2:ffff::9") == "2001:db8:1:2::/64"
    assert counted("2001:db8:1:3::1") != counted("2001:db8:1:2::1")
    assert counted("::ffff:192.0.2.7") == counted("192.0.2.7") == "192.0.2.7"
    assert address_of({"client": None}) == "unknown"


def test_people_whom_we_know_send_files_though_all_places_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MOST_AT_ONCE", 1)
    monkeypatch.setattr(bodies, "MOST_OF_KNOWN", 1)

    async def is_known(request: Any) -> bool:
        return str(request.client.host).startswith("known")

    async def story() -> list[int]:
        limit = BodyLimit(takes_all, 10**7, is_known=is_known)
        senders = [Sender() for _ in range(4)]
        tasks = []
        for sender, who in zip(senders, ("a", "b", "known 1", "known 2"), strict=True):
            tasks.append(asyncio.create_task(limit(scope_of(10**6, who), sender.receive, sender.send)))
            await asyncio.sleep(0.01)
        for sender in senders:
            sender.finish.set()
        await asyncio.gather(*tasks)
        assert limit._arriving == {}
        return [sender.status for sender in senders]

    assert told(story()) == [200, 503, 200, 503]


def test_a_known_person_is_known_by_cookie_or_token_where_places_are_short(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "MOST_AT_ONCE", 0)
    files = [("files", ("a.json", b" " * 100_000))]
    here.come_in("nobody")
    crowded = here.client.post("/upload", files=files)
    assert (crowded.status_code, crowded.headers["retry-after"]) == (503, "30")
    assert crowded.headers["content-type"].startswith("text/html")
    here.client.cookies.set(SESSION_COOKIE, "made up")
    assert here.client.post("/upload", files=files).status_code == 503
    here.come_in("tina")
    assert here.client.post("/upload", files=files).status_code == 200
    headers = here.token("tina")
    assert here.client.post("/api/v1/submissions", files=files, headers=headers).status_code == 422
    bad = here.client.post("/api/v1/submissions", files=files, headers={"Authorization": "Bearer x"})
    assert (bad.status_code, bad.json()["instance"]) == (503, "/api/v1/submissions")


def test_estimates_of_many_games_cost_something_by_address_too(here: Site) -> None:
    here.come_in("nobody")

    def cost(games: int, **headers: Any) -> str:
        path = f"/api/v1/estimate?rating=1500/40&game={','.join(['W1500'] * games)}"
        return str(here.client.get(path, **headers).headers["ratelimit-cost"])

    assert (cost(MANY_GAMES), cost(MANY_GAMES + 1)) == ("0", "2")
    assert cost(MANY_GAMES + 1, headers=here.token("tina")) == "0"


def test_corrections_have_an_allowance_of_their_account(here: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    limiter = state_of(here).limiter
    monkeypatch.setattr(limiter, "most", 1)
    limiter.forget()
    asked = {"event": "nothing", "reason": "why", "member": {"wrong": "1", "right": "2"}}
    codes = []
    for who in ("tina", "tina", "otto"):
        reply = here.client.post("/api/v1/corrections", json=asked, headers=here.token(who))
        codes.append((reply.status_code, "retry-after" in reply.headers))
    assert codes == [(409, False), (429, True), (409, False)]
    limiter.forget()


# Cookies and ETags.


def test_a_cookie_of_somebody_else_changes_nothing(here: Site) -> None:
    assert all(name.startswith("crosstable_") for name in (SESSION_COOKIE, FORM_COOKIE))
    here.come_in("nobody")
    cache = state_of(here).cache
    before = cache.bytes
    junk = {"Cookie": "theme=dark; crosstable=no"}
    first = here.client.get("/events?size=9", headers=junk)
    assert cache.bytes > before
    (key,) = (one for one in cache._pages if b"/events?size=9" in one)
    cache._pages[key] = cache._pages[key]._replace(body=b"kept")
    assert here.client.get("/events?size=9", headers=junk).content == b"kept"
    ours = here.client.get("/events?size=9", headers={"Cookie": f"theme=dark; {SESSION_COOKIE}=x"})
    assert ours.content == first.content


@pytest.mark.parametrize("path", ["/events?size=8", "/members/10000002", "/lists/2026-11/ratings.csv"])
def test_an_etag_is_found_among_others_and_as_a_weak_one(here: Site, path: str) -> None:
    here.come_in("nobody")
    cache = state_of(here).cache
    tag = here.client.get(path).headers["etag"]
    for is_kept in (True, False):
        for wanted in (tag, f"W/{tag}", f'"a", W/"b", {tag}', "*"):
            if not is_kept:
                cache._pages.clear()
            found = here.client.get(path, headers={"If-None-Match": wanted})
            assert (found.status_code, found.headers["etag"]) == (304, tag)
            assert ("csv" in path) or found.headers["vary"] == "Accept-Language, Cookie"
    assert here.client.get(path, headers={"If-None-Match": '"a", "b"'}).status_code == 200
    assert here.client.get("/members/nobody", headers={"If-None-Match": "*"}).status_code == 404


# The desk.


def test_older_proposals_are_on_pages_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosstable.web.pages.administration.MOST_OPEN", 1)
    with site(tmp_path) as made:
        mark = made.come_in("anna")
        for reason in ("the first one", "the second one"):
            path = "/administration/events/own/withdraw" if "first" in reason else "/administration/publish"
            made.client.post(path, data={"mark": mark, "reason": reason, "month": "2026-12", "basis": "now"})
        newest, older = made.client.get("/administration").text, made.client.get("/administration?page=2").text
        assert ("the second one" in newest, "the first one" in newest, "/administration?page=2#" in newest) == (
            True,
            False,
            True,
        )
        assert ("the second one" in older, "the first one" in older, "/administration?page=1#" in older) == (
            False,
            True,
            True,
        )
        assert "Older ones" not in older
        assert [made.client.get(f"/administration?page={said}").status_code for said in ("0", "x", "99999999")] == [
            404
        ] * 3


def test_every_box_that_scrolls_is_reached_by_the_keyboard_and_named() -> None:
    boxes = [
        line for path in TEMPLATES.rglob("*.html") for line in path.read_text().splitlines() if 'class="scroll"' in line
    ]
    assert len(boxes) > 10
    for line in boxes:
        assert 'role="region" aria-label="' in line
        assert 'tabindex="0"' in line
