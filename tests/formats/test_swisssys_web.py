"""The web report of SwissSys 11: a small one, written out by hand."""

import json
from copy import deepcopy
from datetime import date
from typing import Any

import pytest

from crosstable.errors import FormatError
from crosstable.formats import Reading, swisssys
from crosstable.formats.detect import read_data
from crosstable.terms import Result
from tests.formats.mutations import Shape, must_read_or_refuse, mutations


def player(number: int, results: str, colours: str, opponents: list[int], **more: object) -> dict[str, object]:
    return {
        "name": f"Player, {'ABCD'[number - 1]}",
        "id1": f"3000000{number}",
        "rating": 1600 - 100 * number,
        "rating2": 0,
        "state": "MA",
        "results": list(results),
        "colors": list(colours),
        "ops": opponents,
        "boards": [1] * len(results),
        **more,
    }


REPORT: dict[str, Any] = {
    "NACHEventPasscode": "s3cret",
    "tournament": "Spring Open",
    "date": "2026-04-04",
    "city": "Springfield",
    "state": "MA",
    "country": "USA",
    "td": "Somebody Else",
    "sections": [
        {
            "section": "Open",
            "rounds_paired": 3,
            "rounds_played": 2,
            "standings": [1, 2, 3, 4],
            "rounds": [],
            "players": [
                player(1, "WX ", "W-W", [2, 3, 4], post=1811),
                player(2, "LH ", "B--", [1, 0, 0], rating=0),
                player(3, "DF ", "W--", [4, 1, 0], byes="4,5z"),
                player(4, "DBU", "B--", [3, -1, 0]),
            ],
        },
        {"section": "Reserve", "rounds_paired": 0, "rounds_played": 0, "rounds": [], "players": []},
    ],
}


def read(report: dict[str, Any]) -> Reading:
    return swisssys.read_web(json.dumps(report).encode(), "open.json")


def rows(reading: Reading) -> list[list[str]]:
    return [[cell.text for cell in player.cells] for player in reading.report.sections[0].players]


def test_the_report_is_read() -> None:
    reading = read(REPORT)
    report = reading.report
    assert (report.name, report.start, report.end) == ("Spring Open", date(2026, 4, 4), None)
    assert report.details == {"city": "Springfield", "state": "MA", "country": "USA"}
    assert [(found.code, found.place) for found in reading.faults] == [("ignored-record", "section 2")]
    (section,) = report.sections
    assert (section.name, section.time_controls) == ("Open", ())
    assert section.details == {"rounds_paired": "3", "rounds_played": "2"}
    first, second, *_ = section.players
    assert (first.number, first.member_id, first.name, first.state) == (1, "30000001", "Player, A", "MA")
    assert (first.pairing_rating, second.pairing_rating) == (1500.0, None)
    assert "1811" not in repr(report), "an estimate of SwissSys is no posted rating"
    assert "s3cret" not in repr(report)


def test_each_player_brings_cells_and_byes_to_come() -> None:
    assert rows(read(REPORT)) == [
        ["W2w", "X3", "", "", ""],
        ["L1b", "H", "", "", ""],
        ["D4w", "F1", "", "H", "Z"],
        ["D3b", "B", "U", "", ""],
    ]


@pytest.mark.parametrize("code", ["Q", "WW", 7, None])
def test_a_code_that_is_not_known_stays_unknown(code: object) -> None:
    report = deepcopy(REPORT)
    report["sections"][0]["players"][0]["results"][0] = code
    assert read(report).report.sections[0].players[0].cells[0].result is None


def test_the_pairings_tell_the_opponents_where_the_players_are_listed_by_standings() -> None:
    report = deepcopy(REPORT)
    section = report["sections"][0]
    section["players"] = [
        player(1, "W", "B", [3]),  # pairing number 4, who beat number 3: the third row of the list is another player
        player(2, "D", "W", [1]),
        player(3, "D", "B", [2]),
        player(4, "L", "W", [4]),
    ]
    section["rounds"] = [{"pairings": [{"white": 4, "black": 1}, {"white": 2, "black": 3}]}]
    assert rows(read(report)) == [["W4b", "", ""], ["D3w", "", ""], ["D2b", "", ""], ["L1w", "", ""]]
    section["rounds"] = [{"pairings": [{"white": 4, "black": 1}]}, {"pairings": 7}, 7]
    assert rows(read(report))[0][0] == "W3b", "pairings that leave somebody out settle nothing"


def test_lists_of_different_lengths_are_damage() -> None:
    report = deepcopy(REPORT)
    del report["sections"][0]["players"][0]["ops"][2]
    assert ("damaged-file", "section 1 (Open), player 1, results") in [
        (found.code, found.place) for found in read(report).faults
    ]


def test_a_lost_player_is_damage() -> None:
    report = deepcopy(REPORT)
    del report["sections"][0]["players"][3]
    assert ("damaged-file", "section 1 (Open), standings") in [
        (found.code, found.place) for found in read(report).faults
    ]


def test_the_second_id_is_read_where_the_first_is_of_fide() -> None:
    report = deepcopy(REPORT)
    for at, row in enumerate(report["sections"][0]["players"], 1):
        row.update({"id1": f"20000{at}", "id2": f"1200000{at}", "rating2": 2000 + at})
    first = read(report).report.sections[0].players[0]
    assert (first.member_id, first.pairing_rating, first.details["fide_id"]) == ("12000001", 2001.0, "200001")


def test_it_is_known_by_its_content_and_may_hold_line_breaks() -> None:
    data = json.dumps({**REPORT, "bye_message": "See#T.D."}).replace("#", "\n\t").encode()
    assert read_data(data, "open.json").report.sections[0].players[0].cells[0].result is Result.WIN
    assert not swisssys.looks_like_web(b'{"tournament": "x", "sections": []}')


def test_what_is_too_large_or_no_json_is_refused() -> None:
    for data, words in ((b"{", "not valid JSON"), (b" " * 4_000_001, "larger than 4 MB")):
        with pytest.raises(FormatError, match=words):
            swisssys.read_web(data, "open.json")


def stated(data: bytes) -> Shape | None:
    """The sections with players, and the players, of a file as another reader of JSON sees it."""
    try:
        rows = [section["players"] for section in json.loads(data, strict=False)["sections"]]
    except (ValueError, TypeError, LookupError):
        return None
    return Shape(sum(bool(players) for players in rows), sum(len(players) for players in rows))


def test_a_damaged_report_is_read_as_it_was_or_refused() -> None:
    data = json.dumps(REPORT, indent=1).encode()
    original = swisssys.read_web(data, "open.json")
    for damaged in mutations(data, seed=11):
        must_read_or_refuse(lambda data: swisssys.read_web(data, "open.json"), original, damaged, stated)
