"""What a site keeps at hand is bounded, and long lists are cut into pages before anything is made of them."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from crosstable.web.kept_files import Few
from crosstable.web.pages import home
from crosstable.web.pages.home import FoundMember
from crosstable.web.reading import MOST_LINES, MOST_LISTED, Listing, Snapshot, nothing_found
from crosstable.web.search import Found
from tests.web.site import client, made_file


def test_the_last_few_are_kept() -> None:
    kept: Few[int, str] = Few(3)
    for number in (1, 2, 3, 1, 4):
        kept[number] = str(number)
    assert kept == {3: "3", 1: "1", 4: "4"}


def test_what_is_large_takes_the_place_of_more() -> None:
    kept: Few[str, list[int]] = Few(10, len)
    kept["a"], kept["b"], kept["c"] = [0] * 4, [0] * 4, [0] * 3
    assert [*kept] == ["b", "c"]
    kept["all"] = [0] * 99  # the newest is kept, however large
    assert [*kept] == ["all"]


def test_what_a_site_found_out_does_not_grow_for_ever() -> None:
    found = nothing_found()
    for number in range(100):
        found.tables[f"{number}"] = Listing(None, ("",) * (MOST_LISTED // 10), [])  # type: ignore[arg-type]
        found.ripples[number, 0] = [None] * (MOST_LINES // 10)  # type: ignore[list-item]
    assert len(found.tables) == 9  # each is a little more than a tenth
    assert sum(map(len, found.ripples.values())) <= MOST_LINES
    assert len(found.ripples) > 5


@pytest.mark.parametrize("address", ["/search.json", "/api/v1/members"])
def test_only_the_members_of_a_page_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    made: list[str] = []

    def counted(read: Snapshot, some: Sequence[Found]) -> list[FoundMember]:
        made.extend(one.member.member_id for one in some)
        return original(read, some)

    original = home.found_members
    monkeypatch.setattr(home, "found_members", counted)
    with client(made_file(tmp_path)) as site:
        found = site.get(f"{address}?size=3&page=2").json()
        everybody = site.get(f"{address}?size=500").json()
        assert site.get(f"{address}?size=3&page=99").status_code == 404
    assert found["paging"] == {"page": 2, "size": 3, "total": 14}
    assert found["members"] == everybody["members"][3:6]
    assert len(everybody["members"]) == 14
    assert len(made) == 3 + 14
