"""``docs/files.md`` quotes refusals: each of them is what a file of that kind is told."""

import json
from copy import deepcopy

import pytest

from crosstable.catalogue import CATALOGUE
from crosstable.errors import FormatError
from crosstable.formats.detect import read_data
from crosstable.pipeline.checking import check
from crosstable.pipeline.rating import rate
from crosstable.pipeline.reading import of_reading
from tests.architecture.source import ROOT
from tests.formats.swisssys_event import EVENT, packed
from tests.formats.trf_samples import file, player, quad

PAGE = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")
SLIPPED = player({5: "   5", 80: "3", 81: " 0.0"})
DOUBLE = deepcopy(EVENT)
DOUBLE["Sections"][0]["Blitz"] = True


@pytest.mark.parametrize(
    "data",
    [
        b"<table><tr><td>Bd</td><td>Res</td><td>White</td><td>Res</td><td>Black</td></tr></table>",
        b"<table><tr><td>menu</td></tr></table>",
        b'[Event "Rapid"]\n[Result "1-0"]\n\n*\n',
        b'{"id": "12345678", "ratings": [{"rating": 1500}]}',
        b"\xd0\xcf\x11\xe0" + bytes(600),
        b"Ann Adams\t2000001 USA\tUnr\t12345671\t1590\tTX\n",
    ],
)
def test_the_page_quotes_why_a_file_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError) as caught:
        read_data(data, "file")
    assert f"`{caught.value.fault.message}`" in PAGE


@pytest.mark.parametrize("data", [packed(DOUBLE), file(*quad(SLIPPED))])
def test_the_page_quotes_what_is_wrong_inside_a_file(data: bytes) -> None:
    messages = [found.message for found in read_data(data, "file").faults if found.code == "bad-value"]
    assert messages
    assert f"`{messages[0]}`" in PAGE


def test_the_page_quotes_what_the_tournaments_are_told() -> None:
    entries = deepcopy(EVENT)
    for section in entries["Sections"]:
        for row in section["Players"]:
            row["Results"] = []
    report = of_reading(read_data(packed(entries), "entries.sjson"))
    assert {found.code for found in rate(report).faults if found.severity.value == "error"} == {"no-game"}
    assert {found.code for found in check(report).faults} >= {"entry-list"}
    web = {"tournament": "x", "date": "2026/4/4", "sections": [{"section": "A", "rounds_paired": 0, "players": [{}]}]}
    told = rate(of_reading(read_data(json.dumps(web).encode(), "web.json"))).faults
    empty = rate(of_reading(read_data(packed({**EVENT, "Sections": []}), "empty.sjson"))).faults
    for found in (*told, *empty):
        if found.code in ("no-time-control", "no-dates", "no-section"):
            assert f"`{found.message}`" in PAGE
    assert f"`{CATALOGUE['no-game'].meaning}`" in PAGE
