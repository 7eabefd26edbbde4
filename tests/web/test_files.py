"""Rating and checking a file over the API: the same as at the other door, and nothing is stored."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from crosstable.cli import main
from crosstable.formats.event_json_write import write
from crosstable.schemas import components
from crosstable.terms import Background, PlayerRating, ReportedPlayer
from tests.documents import valid
from tests.office.made_office import OTBR, quad
from tests.web.client import TestClient
from tests.web.site import JUNIOR_BORN, client, made_file

PLACE = "#/components/schemas/"
DOCUMENTS = {"rate": "rated", "check": "checked", "explain": "explained", "estimate": "estimate"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with client(made_file(tmp_path_factory.mktemp("site"))) as made:
        yield made


@pytest.fixture(scope="module")
def event() -> bytes:
    """A quad whose players bring ratings, but for the last, who brings a birth date."""
    made = quad("202607040009")
    (section,) = made.sections
    players = tuple(_with_background(at, player) for at, player in enumerate(section.players))
    return write(made._replace(sections=(section._replace(players=players),)))


def _with_background(at: int, player: ReportedPlayer) -> ReportedPlayer:
    brought = (
        Background(standings={OTBR: PlayerRating(1400.0 + 100.0 * at, 40.0)})
        if at < 3
        else Background(birth_date=JUNIOR_BORN)
    )
    return player._replace(background=brought)


def test_a_file_is_rated_as_at_the_other_door(
    site: TestClient, event: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "event.json"
    path.write_bytes(event)
    assert main(["rate", "--json", str(path)]) == 0
    assert site.post("/api/v1/rate", content=event).json() == json.loads(capsys.readouterr().out)


def test_the_public_form_has_whole_numbers_and_no_start_by_age(site: TestClient, event: bytes) -> None:
    rows = site.post("/api/v1/rate?form=public", content=event).json()["sections"][0]["systems"]["OTBR"]["players"]
    newcomer = next(row for row in rows if row["pre"] is None)
    assert newcomer["initial"]["rating"] is None
    names = ("pre", "post", "bonus")
    assert all(row[name] is None or row[name] == int(row[name]) for row in rows for name in names)
    assert any(row["k"] for row in rows)


def test_documents_are_valid_by_the_schemas_that_the_description_refers_to(site: TestClient, event: bytes) -> None:
    valid(site.post("/api/v1/rate", content=event).json())
    valid(site.post("/api/v1/rate?form=public", content=event.replace(b'"W2', b'"W9', 1)).json())
    valid(site.get("/api/v1/estimate?rating=1700/30&game=W1600,T1800&next=1900&target=1750&range=1&norms=1").json())
    assert [valid(one)["player"] for one in site.post("/api/v1/explain?player=4", content=event).json()] == [4]
    described = site.get("/api/v1/openapi.json").json()
    assert described["components"]["schemas"].items() >= components(DOCUMENTS.values(), PLACE).items()
    for path, name in DOCUMENTS.items():
        for operation in described["paths"][f"/api/v1/{path}"].values():
            shape = operation["responses"]["200"]["content"]["application/json"]["schema"]
            assert shape.get("items", shape) == {"$ref": f"{PLACE}{name}"}


def test_checking_names_every_finding_with_its_remedy(site: TestClient, event: bytes) -> None:
    wrong = event.replace(b'"W2', b'"W9', 1)
    assert wrong != event
    found = valid(site.post("/api/v1/check?name=quad.json", content=wrong).json())
    assert found["format"] == "crosstable-checked/1"
    assert found["errors"] >= 1
    assert all(fault["remedy"] for fault in found["faults"])
    assert site.post("/api/v1/check", content=event).json()["errors"] == 0


@pytest.mark.parametrize("content", [b"", b"nothing known", b"{}", b"\x00" * 100, b"PK\x03\x04 no zip"])
def test_what_is_no_report_is_a_problem_and_no_error_of_ours(site: TestClient, content: bytes) -> None:
    for path in ("/api/v1/rate", "/api/v1/check"):
        found = site.post(path, content=content)
        assert found.status_code in (200, 400, 422)
        if found.status_code == 200:
            assert found.json()["faults"]
        else:
            assert found.headers["content-type"] == "application/problem+json"


def test_a_body_that_is_too_long_is_refused(site: TestClient) -> None:
    assert site.post("/api/v1/check", content=b"x" * (11 * 1024 * 1024)).status_code == 413


def test_work_for_strangers_has_an_allowance(site: TestClient, event: bytes) -> None:
    headers = site.post("/api/v1/check", content=event).headers
    assert int(headers["ratelimit-limit"]) > int(headers["ratelimit-remaining"]) >= 0


def test_nothing_is_stored(site: TestClient, event: bytes) -> None:
    before = site.get("/changes.json").json()["paging"]["total"]
    site.post("/api/v1/rate", content=event)
    site.app.state.reading.renew()  # type: ignore[attr-defined]
    assert site.get("/changes.json").json()["paging"]["total"] == before
