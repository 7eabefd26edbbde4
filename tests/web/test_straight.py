"""The straight way and the long way give the same reply: an ETag that is not ours sends a question the long way."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.web.client import TestClient
from tests.web.site import STRANGERS, client, made_file

LONG_WAY = {"If-None-Match": '"another"'}
ESTIMATE = "rating=1512/40&game=W1640,D1720,L1600&control=G/60;d5"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with client(made_file(tmp_path_factory.mktemp("site"))) as made:
        made.app.state.cache.most_bytes = 0  # type: ignore[attr-defined]
        yield made


@pytest.mark.parametrize(
    "path",
    [
        *(f"/members/{number}" for number in (10000001, 10000005, 10000012, STRANGERS[0].member_id)),
        "/members/nobody",
        "/members/10000001/nothing",
        f"/members/{'9' * 41}",
        "/members/",
        f"/estimate?{ESTIMATE}",
        f"/estimate?{ESTIMATE}&date=2026-11-01",
        "/estimate",
        "/estimate?rating=x&game=W1600",
        f"/estimate/answer?{ESTIMATE}&date=2026-11-01",
        "/estimate/answer?rating=x&game=W1600",
        f"/estimate.json?{ESTIMATE}&date=2026-11-01&range=1&norms=1",
        f"/api/v1/estimate?{ESTIMATE}",
        "/api/v1/estimate?rating=x&game=W1600",
        f"/api/v1/estimate?rating=1500&game={'W1600,' * 2000}",
    ],
)
def test_both_ways_give_the_same(site: TestClient, path: str) -> None:
    straight, long = site.get(path), site.get(path, headers=LONG_WAY)
    assert straight.status_code == long.status_code
    assert len({one.headers.pop("x-request-id") for one in (straight, long)}) == 2
    assert straight.headers == long.headers
    assert straight.content == long.content


def test_a_snapshot_that_somebody_holds_is_waited_for_elsewhere(site: TestClient) -> None:
    """The way through the routes waits in a thread of its own; here nobody may wait, or all would."""
    read = site.app.state.reading.now  # type: ignore[attr-defined]
    with ThreadPoolExecutor(1) as beside:
        with read.lock:
            member = beside.submit(site.get, "/members/10000001")
            for _ in range(2):
                assert site.get(f"/estimate?{ESTIMATE}").status_code == 200
            assert not member.done()
        assert member.result().status_code == 200
