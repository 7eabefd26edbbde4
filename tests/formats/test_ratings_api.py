"""The ratings API's JSON: standings alone or with their section and event, and members."""

import json
from datetime import date
from typing import Any

import pytest

from crosstable.errors import FormatError
from crosstable.formats import Reading, ratings_api
from crosstable.terms import Floor, FloorKind, OutsideRating, PlayerRating, Posted, RatingSystem, Result, SectionType
from tests.formats.mutations import Shape, must_read_or_refuse, mutations
from tests.formats.reports import players, texts

OTBR, OTBQ = RatingSystem.OTBR, RatingSystem.OTBQ


def outcome(
    round_number: int, result: str, opponent: int = 0, colour: str = "Unknown", **more: object
) -> dict[str, Any]:
    return {
        "id": f"r{round_number}",
        "roundNumber": round_number,
        "outcome": result,
        "color": colour,
        "opponentOrdinal": opponent,
        "opponentPairingNumber": opponent,
        "opponentPlayerId": f"p{opponent}" if opponent else "",
        "opponentMemberId": None,
        **more,
    }


def rating(system: str, pre: float | None, post: float, games: int | None = None) -> dict[str, Any]:
    """A rating to two decimals and as a whole number; before the section nothing where the player was unrated."""
    before = {} if pre is None else {"preRating": int(pre + 0.5), "preRatingDecimal": pre}
    count = {} if games is None else {"postProvisionalGameCount": games}
    after = {"postRating": int(post + 0.5), "postRatingDecimal": post}
    return {**before, **after, "ratingSystem": system, **count}


def standing(number: int, name: str, score: float, outcomes: list[object], ratings: list[object]) -> dict[str, Any]:
    return {
        "ordinal": number,
        "pairingNumber": number,
        "playerId": f"p{number}",
        "memberId": f"1234567{number}",
        "firstName": name,
        "lastName": "Player",
        "stateRep": "TX",
        "score": score,
        "roundOutcomes": outcomes,
        "ratings": ratings,
    }


ITEMS = [
    standing(
        1,
        "One",
        2.5,
        [outcome(1, "Win", 2, "White"), outcome(2, "Draw", 3, "Black"), outcome(3, "ByeFull")],
        [rating("R", 554.22, 656.85), rating("Q", 546.49, 650.17, 24)],
    ),
    standing(
        2,
        "Two",
        1.0,
        [outcome(1, "Loss", 1, "Black"), outcome(2, "WinForfeit", 4), outcome(3, "Unpaired")],
        [rating("R", 445.28, 500.21, 24)],
    ),
    standing(
        3,
        "Three",
        1.0,
        [outcome(1, "ByeHalf"), outcome(2, "Draw", 1, "White"), outcome(3, "NotReported")],
        [rating("R", None, 750.0, 1)],
    ),
    standing(4, "Four", 0.0, [outcome(2, "Forfeit", 2), outcome(3, "ReportNoResult")], []),
]
PAGE = {"items": ITEMS, "offset": 0, "pageSize": 100, "hasPreviousPage": False, "hasNextPage": False}
SECTION = {
    "id": "s5",
    "number": 5,
    "name": "Reserve",
    "playerCount": 4,
    "roundCount": 3,
    "startDate": "2026-08-29",
    "endDate": "2026-08-30",
    "format": "Swiss",
    "timeControl": "G/25;d5",
    "ratingSystem": "D",
    "isOnline": False,
    "shouldSubmitToFide": True,
    "firstRatedDate": "2026-09-01",
    "lastRatedDate": "2026-09-15",
}
EVENT = {
    "id": "202608300103",
    "name": "Summer Quads",
    "startDate": "2026-08-29",
    "endDate": "2026-08-30",
    "affiliate": {"id": "A6000001", "name": "Some Club"},
    "city": "Springfield",
    "stateCode": "TX",
    "zipCode": "73301",
    "countryCode": "USA",
    "firstRatedDate": "2026-09-01",
    "lastRatedDate": "2026-09-01",
    "sectionCount": 1,
}
WHOLE = {"event": EVENT, "section": SECTION, "standings": PAGE}


def read(value: object) -> Reading:
    return ratings_api.read(json.dumps(value).encode(), "standings.json")


def test_standings_are_recognised() -> None:
    assert ratings_api.looks_like(json.dumps(PAGE).encode())
    assert ratings_api.looks_like(b"\xef\xbb\xbf  " + json.dumps(ITEMS).encode())
    assert not ratings_api.looks_like(b'{"format": "crosstable-event/1"}')
    assert not ratings_api.looks_like(b'"roundOutcomes"')


def test_a_file_with_event_section_and_standings_is_read_whole() -> None:
    reading = read(WHOLE)
    assert reading.faults == ()
    report = reading.report
    assert (report.event_id, report.name) == ("202608300103", "Summer Quads")
    assert (report.start, report.end) == (date(2026, 8, 29), date(2026, 8, 30))
    assert report.details == {
        "city": "Springfield",
        "state": "TX",
        "zip": "73301",
        "country": "USA",
        "affiliate": "A6000001",
        "rated": "2026-09-01",
    }
    (section,) = report.sections
    assert (section.number, section.name, section.kind) == (5, "Reserve", SectionType.SWISS)
    assert (section.systems, section.time_controls, section.is_online) == ((OTBR, OTBQ), ("G/25;d5",), False)
    assert (section.start, section.end) == (date(2026, 8, 29), date(2026, 8, 30))
    assert section.details == {
        "system_code": "D",
        "type_code": "Swiss",
        "rounds": "3",
        "fide": "Y",
        "counts": "after",
        "rated": "2026-09-01",
        "re_rated": "2026-09-15",
    }


def test_a_standing_is_a_player() -> None:
    one, two, three, four = players(read(WHOLE))
    assert (one.number, one.member_id, one.name, one.state, one.total) == (1, "12345671", "Player, One", "TX", 2.5)
    assert texts(one) == ["W2w", "D3b", "B"]
    assert texts(two) == ["L1b", "X4", "U"]
    assert texts(three) == ["H", "D1w", ""]
    assert texts(four) == ["", "F2", ""]
    assert one.posted == {OTBR: Posted(656.85), OTBQ: Posted(650.17, 24.0)}
    assert three.posted == {OTBR: Posted(750.0, 1.0)}
    assert three.background.standings == {}
    assert one.details == {"rank": "1"}


def test_the_games_before_are_those_after_without_those_of_the_section() -> None:
    """Player 1 has two rated games, player 2 one: 24 - 2 and 24 - 1; an established count is not published."""
    one, two, *_ = players(read(WHOLE))
    assert one.background.standings == {OTBR: PlayerRating(554.22, None), OTBQ: PlayerRating(546.49, 22.0)}
    assert two.background.standings == {OTBR: PlayerRating(445.28, 23.0)}


def test_the_games_of_both_rows_of_one_member_are_taken_off() -> None:
    again = {**standing(2, "Two", 1.0, [outcome(1, "Win", 3)], [rating("R", 445.28, 500.21, 24)]), "pairingNumber": 5}
    again |= {"ordinal": 5, "playerId": "p5"}
    first, *_, second = players(read([ITEMS[1], *ITEMS[2:], again]))
    assert first.background.standings[OTBR] == second.background.standings[OTBR] == PlayerRating(445.28, 22.0)


def test_a_count_that_cannot_be_is_not_taken() -> None:
    (player,) = players(read([standing(1, "One", 1.0, [outcome(1, "Win", 2)] * 3, [rating("R", 500.0, 510.0, 2)])]))
    assert player.background.standings == {OTBR: PlayerRating(500.0, None)}


def test_whole_ratings_serve_where_there_are_no_decimals() -> None:
    item = standing(1, "One", 0.0, [], [{"preRating": 1500, "postRating": 1510, "ratingSystem": "OB"}])
    (player,) = players(read([item]))
    assert player.background.standings == {RatingSystem.OLB: PlayerRating(1500.0)}
    assert player.posted == {RatingSystem.OLB: Posted(1510.0)}


def test_ratings_of_other_kinds_are_left_out() -> None:
    (player,) = players(read([standing(1, "One", 0.0, [], [rating("C", 1500, 1510), rating("F", 1500, 1510)])]))
    assert (player.background.standings, player.posted) == ({}, {})


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("Win", Result.WIN),
        ("Loss", Result.LOSS),
        ("Draw", Result.DRAW),
        ("WinAsym", Result.WIN_ONE_SIDED),
        ("LossAsym", Result.LOSS_ONE_SIDED),
        ("DrawAsym", Result.DRAW_ONE_SIDED),
        ("WinForfeit", Result.FORFEIT_WIN),
        ("Forfeit", Result.FORFEIT_LOSS),
        ("DrawForfeit", Result.FORFEIT_DRAW),
        ("ByeFull", Result.FULL_BYE),
        ("ByeHalf", Result.HALF_BYE),
        ("Unpaired", Result.UNPAIRED),
        ("NotReported", Result.BLANK),
        ("ReportNoResult", Result.BLANK),
    ],
)
def test_every_outcome_has_its_letter(name: str, result: Result) -> None:
    (player,) = players(read([standing(1, "One", 0.0, [outcome(1, name, 2)], [])]))
    assert player.cells[0].result is result
    assert player.cells[0].opponent == (0 if result is Result.BLANK else 2)


def test_an_outcome_that_is_not_known_is_kept_as_it_is() -> None:
    (player,) = players(read([standing(1, "One", 0.0, [outcome(1, "Adjourned", 2)], [])]))
    assert (player.cells[0].text, player.cells[0].result) == ("Adjourned", None)


def test_two_games_in_one_round_take_two_columns() -> None:
    one = standing(1, "One", 1.5, [outcome(1, "Win", 2), outcome(1, "Draw", 2), outcome(2, "Win", 3)], [])
    two = standing(2, "Two", 0.5, [outcome(1, "Loss", 1), outcome(1, "Draw", 1)], [])
    three = standing(3, "Three", 0.0, [outcome(2, "Loss", 1)], [])
    assert [texts(player) for player in players(read([one, two, three]))] == [
        ["W2", "D2", "W3"],
        ["L1", "D1", ""],
        ["", "", "L1"],
    ]


def test_rows_without_pairing_numbers_of_their_own_are_numbered_by_their_order() -> None:
    items = [{**item, "pairingNumber": 0, "roundOutcomes": []} for item in ITEMS[:2]]
    items[0]["roundOutcomes"] = [outcome(1, "Win", 2, opponentPairingNumber=9)]
    one, two = players(read(items))
    assert (one.number, two.number, texts(one)) == (1, 2, ["W2"])


def test_an_opponent_is_found_by_his_player_id_first() -> None:
    items = [{**item, "roundOutcomes": []} for item in ITEMS]
    items[0]["roundOutcomes"] = [
        outcome(1, "Win", 2, opponentPlayerId="p3"),
        outcome(2, "Win", 4, opponentPlayerId=None),
    ]
    assert texts(players(read(items))[0]) == ["W3", "W4"]


def test_sections_of_an_event_may_hold_their_standings() -> None:
    first = {**SECTION, "number": 1, "standings": ITEMS}
    second = {"name": "Open", "isOnline": True, "format": "RoundRobin", "ratingSystem": "OQ", "standings": PAGE}
    for value in ({**EVENT, "sections": [first, second]}, {"event": {**EVENT, "sections": [first, second]}}):
        reading = read(value)
        assert reading.faults == ()
        assert reading.report.event_id == "202608300103"
        one, two = reading.report.sections
        assert (one.number, two.number, len(one.players), len(two.players)) == (1, 2, 4, 4)
        assert (two.kind, two.systems, two.is_online) == (SectionType.ROUND_ROBIN, (RatingSystem.OLQ,), True)


@pytest.mark.parametrize(
    ("form", "rows", "kind"),
    [
        ("Match", 2, SectionType.MATCH),
        ("Match", 4, SectionType.SWISS),
        ("DoubleRoundRobin", 4, SectionType.ROUND_ROBIN),
        ("FideAdjustment", 4, SectionType.FOREIGN_FIDE),
        ("Other", 4, SectionType.SWISS),
    ],
)
def test_every_format_is_a_type(form: str, rows: int, kind: SectionType) -> None:
    section = {"format": form}
    assert read({"section": section, "standings": ITEMS[:rows]}).report.sections[0].kind is kind


def test_a_section_as_another_address_names_it_is_read() -> None:
    section = {"sectionNumber": 3, "sectionName": "Open"}
    (found,) = read({"section": section, "standings": ITEMS}).report.sections
    assert (found.number, found.name) == (3, "Open")


def test_one_page_of_several_is_damage() -> None:
    for page in ({**PAGE, "hasNextPage": True}, {**PAGE, "offset": 100}):
        (fault,) = read(page).faults
        assert (fault.code, fault.message) == ("damaged-file", "The standings are one page of several.")


def test_another_number_of_players_than_the_section_says_is_damage() -> None:
    (fault,) = read({**WHOLE, "standings": ITEMS[:3]}).faults
    assert (fault.code, fault.place) == ("damaged-file", "section")


@pytest.mark.parametrize(
    ("change", "code", "place"),
    [
        ({"score": "2"}, "wrong-type", "items[0].score"),
        ({"lastName": "A\u202eB"}, "bad-value", "items[0].lastName"),
        ({"memberId": ["x"]}, "wrong-type", "items[0].memberId"),
        ({"ratings": {}}, "wrong-type", "items[0].ratings"),
        ({"ratings": [{"ratingSystem": "R", "preRating": 99999}]}, "bad-value", "items[0].ratings[0].preRating"),
        ({"roundOutcomes": [{"outcome": "Win"}]}, "missing-field", "items[0].roundOutcomes[0].roundNumber"),
        ({"roundOutcomes": [{"roundNumber": 201}]}, "bad-value", "items[0].roundOutcomes[0].roundNumber"),
        ({"roundOutcomes": ["W4"]}, "wrong-type", "items[0].roundOutcomes[0]"),
    ],
)
def test_a_wrong_field_is_a_fault_with_its_place(change: dict[str, object], code: str, place: str) -> None:
    reading = read({"items": [{**ITEMS[0], **change}]})
    assert (code, place) in [(fault.code, fault.place) for fault in reading.faults]


def test_more_games_in_a_round_than_anyone_plays_are_a_fault() -> None:
    reading = read([standing(1, "One", 0.0, [outcome(1, "Win", 2)] * 6, [])])
    assert [(fault.code, fault.place) for fault in reading.faults] == [
        ("bad-value", f"standings[0].roundOutcomes[{at}].roundNumber") for at in (4, 5)
    ]
    assert texts(players(reading)[0]) == ["W2"] * 4


def test_standings_made_to_swell_are_refused() -> None:
    items = [{"ordinal": number} for number in range(1, 2001)]
    with pytest.raises(FormatError) as refusal:
        read([{"ordinal": 1, "roundOutcomes": [outcome(200, "Win", 2)]}, *items])
    assert refusal.value.fault.code == "not-readable"
    with pytest.raises(FormatError) as refusal:
        ratings_api.read(b" " * (ratings_api.LARGEST + 1), "standings.json")
    assert refusal.value.fault.code == "not-readable"


@pytest.mark.parametrize("data", [b"", b"[", b"{}", b'{"sections": [{"name": "x"}]}', b"5", b'{"event": {}}'])
def test_what_holds_no_standings_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError) as refusal:
        ratings_api.read(data, "standings.json")
    assert refusal.value.fault.code == "not-readable"


def _stated(data: bytes) -> Shape | None:
    try:
        value = json.loads(data.decode("utf-8-sig"))
        standings = value["standings"]
        return Shape(1, len(standings["items"] if isinstance(standings, dict) else standings))
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def test_damaged_standings_are_read_or_refused() -> None:
    data = json.dumps(WHOLE, indent=1).encode()
    original = read(WHOLE)
    for mutated in mutations(data, seed=5):
        must_read_or_refuse(lambda data: ratings_api.read(data, "x"), original, mutated, _stated)


MEMBER = {
    "id": "12345671",
    "firstName": "One",
    "lastName": "Player",
    "ratings": [
        {"rating": 1512, "ratingSystem": "R", "gamesPlayed": 120, "isProvisional": False, "floor": 1300},
        {"rating": 1400, "ratingSystem": "Q", "gamesPlayed": 12, "isProvisional": True, "floor": None},
        {"rating": 1450, "ratingSystem": "B", "gamesPlayed": 4, "isProvisional": False},
        {"rating": None, "ratingSystem": "OR", "gamesPlayed": 0, "isProvisional": True},
        {"rating": 1420, "ratingSystem": "F"},
        {"rating": 1390, "ratingSystem": "CFC"},
        {"rating": 1000, "ratingSystem": "C"},
    ],
}


def test_a_member_brings_his_ratings_games_and_floor() -> None:
    member = ratings_api.read_member(json.dumps(MEMBER).encode(), "member.json")
    assert member.faults == ()
    assert (member.member_id, member.name) == ("12345671", "Player, One")
    assert member.background.standings == {
        OTBR: PlayerRating(1512.0, 120.0, floors=(Floor(FloorKind.OFFICE, 1300.0),)),
        OTBQ: PlayerRating(1400.0, 12.0),
        RatingSystem.OTBB: PlayerRating(1450.0, None),  # established on four games: that is not the whole count
    }
    assert member.background.fide == OutsideRating(1420.0)
    assert member.background.cfc == OutsideRating(1390.0)


def test_a_member_without_an_id_is_a_fault() -> None:
    member = ratings_api.read_member(b'{"lastName": "Player"}', "member.json")
    assert [fault.code for fault in member.faults] == ["missing-field"]
    assert member.name == "Player"
