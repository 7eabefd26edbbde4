"""A section of more than two hundred, dual-rated: the page is light on the wire, and its rows are all there."""

import random
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from crosstable.office.database import Office
from crosstable.terms import RatingSystem
from tests.engine.wallcharts import Played
from tests.office.made_office import enter, join, opening, person, put_filled, report, run, section
from tests.web.client import TestClient
from tests.web.site import client

PLAYERS, ROUNDS = 220, 7
ADDRESS = "/events/202607040001/sections/1"
KB = 1024
COMPRESSED = {"Accept-Encoding": "gzip"}


def wallchart() -> str:
    """A Swiss without byes: everybody meets somebody else in every round, with colors."""
    rng = random.Random(1)
    rows: list[list[str]] = [[] for _ in range(PLAYERS)]
    for _ in range(ROUNDS):
        order = rng.sample(range(PLAYERS), PLAYERS)
        for white, black in zip(order[::2], order[1::2], strict=True):
            mine, theirs = rng.choice(("WL", "LW", "DD"))
            rows[white].append(f"{mine}{black + 1}w")
            rows[black].append(f"{theirs}{white + 1}b")
    return "\n".join(f"{number} | {' '.join(cells)}" for number, cells in enumerate(rows, start=1))


def fill(office: Office) -> None:
    people = [person(number, birth_date=date(1980, 1, 1), state="NY") for number in range(1, PLAYERS + 1)]
    rated = [number for number in range(1, PLAYERS + 1) if number % 12]
    openings = [
        opening(number, 700.0 + 6.5 * number, 12.0 if number % 5 == 0 else 40.0, system=system)
        for number in rated
        for system in (RatingSystem.OTBR, RatingSystem.OTBQ)
    ]
    join(office, people, openings)
    enter(office, report("202607040001", section(wallchart(), Played(start=date(2026, 7, 4), control="G/45;d5"))))
    run(office)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    path: Path = tmp_path_factory.mktemp("large") / "office.db"
    put_filled(fill, path)
    with client(path) as made:
        yield made


@pytest.mark.parametrize("address", [ADDRESS, "/events/202607040001/crosstables", f"{ADDRESS}/players/7"])
def test_a_large_section_is_light_as_it_is_sent(site: TestClient, address: str) -> None:
    """Browsers ask for compressed pages; so sent, page, styles and scripts stay below the limit."""
    page = site.get(address, headers=COMPRESSED)
    assert page.status_code == 200
    assert page.headers["content-encoding"] == "gzip"
    linked = re.findall(r'(?:rel="stylesheet" href|src)="(/static/[^"]+\.(?:css|js))"', page.text)
    assert linked
    replies = [page, *(site.get(one, headers=COMPRESSED) for one in set(linked))]
    assert sum(int(one.headers["content-length"]) for one in replies) < 60 * KB


def test_all_of_its_rows_are_there(site: TestClient) -> None:
    page = site.get(ADDRESS).text
    assert len(re.findall(r"<tr id=s1p\d+>", page)) == PLAYERS
    assert len(re.findall(r"<td><a href=1/players/\d+\?system=OTB[RQ]>", page)) == 2 * PLAYERS
