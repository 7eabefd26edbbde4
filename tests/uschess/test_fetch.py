"""The client of the ratings API against a stand-in: events, members, pages, and everything that can go wrong."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import crosstable as ct
from crosstable.cli import main
from crosstable.errors import FetchError
from crosstable.terms import RatingSystem, Result
from crosstable.uschess import FetchOptions, RatingsApi, event_of, games_before, member_of
from crosstable.uschess import client as client_module
from tests.uschess.stand_in import StandIn, api_of, busy, cut_short, hung_up, slow

EVENT_ID = "202608300103"
QUAD: dict[str, Any] = {
    "format": "crosstable-event/1",
    "event": {"id": EVENT_ID, "name": "Summer Quads", "start_date": "2026-08-30", "end_date": "2026-08-30"},
    "sections": [
        {
            "number": 1,
            "name": "Quad 1",
            "time_control": "G/45;d5",
            "players": [
                {
                    "number": at,
                    "member_id": f"9000000{at}",
                    "name": f"Player, Number {at}",
                    "ratings": {"OTBR": {"rating": rating + 0.25}, "OTBQ": {"rating": rating - 20.5}},
                    "rounds": rounds,
                }
                for at, (rating, rounds) in enumerate(
                    [
                        (1512, ["W4", "D2", "W3"]),
                        (1640, ["W3", "D1", "W4"]),
                        (1388, ["L2", "W4", "L1"]),
                        (1455, ["L1", "L3", "L2"]),
                    ],
                    start=1,
                )
            ],
        }
    ],
}
MEMBER = {
    "id": "90000365",
    "firstName": "Ann",
    "lastName": "Example",
    "status": "Active",
    "ratings": [
        {"rating": 1060, "ratingSystem": "R", "isProvisional": False, "floor": 150},
        {"ratingSystem": "B", "isProvisional": True},
    ],
}
# The shape of an item of /members/ID/sections, as an answer of March 2026 has it; the figures are invented.
PLAYED = {
    "id": "x",
    "sectionNumber": 3,
    "sectionName": "Under 1400",
    "startDate": "2026-03-20",
    "endDate": "2026-03-20",
    "format": "Swiss",
    "ratingSystem": "D",
    "ratingRecords": [
        {
            "preRating": 1237,
            "preRatingDecimal": 1237.36,
            "postRating": 1227,
            "postRatingDecimal": 1227.41,
            "ratingSource": "R",
        },
        {
            "preRating": None,
            "postRating": 1259,
            "postRatingDecimal": 0,
            "ratingSource": "Q",
            "postProvisionalGameCount": 4,
        },
    ],
    "event": {"id": "202603200473", "name": "An Event", "startDate": "2026-03-20", "endDate": "2026-03-20"},
}
GAME = {
    "section": {"id": "s", "number": 3, "name": "Under 1400"},
    "event": {"id": "202603200473"},
    "ratingSystem": "R",
    "player": {"color": "White", "outcome": "Win"},
    "opponent": {"id": "90000001", "firstName": "Bo", "lastName": "Other", "color": "Black", "outcome": "Loss"},
}
ANSWERS: dict[str, Any] = {
    **api_of(QUAD),
    "members/90000365": MEMBER,
    "members/90000365/sections": [{**PLAYED, "sectionNumber": at} for at in range(1, 251)],
    "members/90000365/games": [GAME],
    "members/90000365/rating-supplements": [
        {
            "ratingSupplementDate": "2026-04-01",
            "ratings": [{"source": "R", "rating": 1227}, {"source": "Q", "rating": None}],
        }
    ],
    "members/90000365/norms": {
        "items": [
            {
                "level": "Fourth",
                "status": "Earned",
                "score": 3.5,
                "expected": 2.4,
                "games": 4,
                "sectionNumber": 3,
                "event": {"id": "202603200473"},
            }
        ]
    },
    "rated-events": [
        {
            "id": EVENT_ID,
            "name": "Summer Quads",
            "startDate": "2026-08-30",
            "endDate": "2026-08-30",
            "sectionCount": 1,
            "playerCount": 4,
        }
    ],
}


@pytest.fixture
def server() -> Iterator[StandIn]:
    """A stand-in that knows one event and one member."""
    with StandIn(ANSWERS) as made:
        yield made


def api(server: StandIn, folder: Path, **options: Any) -> RatingsApi:
    """A client that does not wait."""
    return RatingsApi(FetchOptions(server.address, str(folder), pause=0.0, **options), wait=lambda _: None)


def test_an_event_is_fetched_with_its_posted_ratings_and_rates_to_them(server: StandIn, tmp_path: Path) -> None:
    """The posted figures are our own calculation to two decimals, so this says that nothing is lost on the way."""
    with api(server, tmp_path) as asked:
        reading = event_of(asked, EVENT_ID)
    assert not reading.faults
    posted = reading.report.sections[0].players[0].posted
    direct = ct.rate(ct.read(QUAD)).sections[0].systems
    assert posted[RatingSystem.OTBR].rating == round(direct["OTBR"].players[0].post or 0, 2)
    again = ct.rate(reading.report)
    for system in ("OTBR", "OTBQ"):
        fetched = [player.post for player in again.sections[0].systems[system].players]
        assert fetched == [player.post for player in direct[system].players]


def test_rows_without_decimals_have_whole_ratings(tmp_path: Path) -> None:
    """Old rows carry 0 where the decimals would be."""
    with StandIn(api_of(QUAD, decimals=False)) as server, api(server, tmp_path) as asked:
        player = event_of(asked, EVENT_ID).report.sections[0].players[0]
    assert player.background.standings[RatingSystem.OTBR].rating == 1512.0
    assert player.posted[RatingSystem.OTBR].rating == round(player.posted[RatingSystem.OTBR].rating) > 1000


def test_everything_about_a_member_comes_as_records(server: StandIn, tmp_path: Path) -> None:
    with api(server, tmp_path) as asked:
        member = member_of(asked, "90000365")
        sections = asked.member_sections("90000365")
        game = asked.member_games("90000365", "90000001")[0]
        listed = asked.supplements("90000365")[0]
        norm = asked.norms("90000365")[0]
        event = asked.rated_events("2026-08-01", "2026-08-31")[0]
    assert (member.name, member.background.standings[RatingSystem.OTBR].rating) == ("Example, Ann", 1060.0)
    assert [one.number for one in sections] == list(range(1, 251))  # three pages of at most 100
    first, second = sections[0].changes
    assert (first.system, first.before, first.after, first.games_after) == (RatingSystem.OTBR, 1237.36, 1227.41, None)
    assert (second.before, second.after, second.games_after) == (None, 1259.0, 4.0)
    assert (game.opponent_name, game.result, game.colour) == ("Other, Bo", Result.WIN, "w")
    assert (listed.on, [one.rating for one in listed.ratings]) == (date(2026, 4, 1), [1227.0])
    assert (norm.level, norm.score, norm.expected, norm.games) == ("Fourth", 3.5, 2.4, 4)
    assert (event.event_id, event.players) == (EVENT_ID, 4)
    assert all("Offset=" in path and "Size=100" in path for path in server.asked if "/sections?" in path)
    assert any("OpponentId=90000001" in path for path in server.asked)


def test_what_was_fetched_is_not_asked_for_again_and_works_without_a_network(server: StandIn, tmp_path: Path) -> None:
    with api(server, tmp_path) as asked:
        whole = event_of(asked, EVENT_ID)
    count = len(server.asked)
    with api(server, tmp_path) as asked:
        assert event_of(asked, EVENT_ID) == whole
    assert len(server.asked) == count
    with api(server, tmp_path, is_offline=True) as asked:
        assert event_of(asked, EVENT_ID) == whole
        with pytest.raises(FetchError, match="never fetched here"):
            asked.member("90000365")
    with api(server, tmp_path, is_fresh=True) as asked:
        event_of(asked, EVENT_ID)
    assert len(server.asked) == 2 * count


def test_a_key_is_sent_to_version_2(server: StandIn, tmp_path: Path) -> None:
    with api(server, tmp_path, key="secret") as asked:
        asked.member("90000365")
    assert server.asked == ["/api/v2/members/90000365"]
    assert server.keys == ["secret"]


def test_a_busy_server_is_asked_again_after_the_time_it_names(server: StandIn, tmp_path: Path) -> None:
    waits: list[float] = []
    server.troubles = [busy(429, Retry_After="7"), busy(503), hung_up]
    with RatingsApi(FetchOptions(server.address, str(tmp_path), pause=0.0), wait=waits.append) as asked:
        assert asked.member("90000365") == MEMBER
    assert waits == [7.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("troubles", "said"),
    [
        ([busy(429)] * 4, "asks to come back later (status 429)"),
        ([busy(500)] * 4, "has a fault (500)"),
        ([busy(403)], "asks for a key"),
        ([busy(418)], "status 418"),
        ([cut_short], "not JSON, or was cut short"),
        ([lambda handler: handler.say(200, [1, 2])], "shape that is not known: an object was expected"),
        ([lambda handler: handler.say(200, {"id": EVENT_ID})], "has no sections"),
    ],
)
def test_a_failure_is_one_sentence_and_nothing_is_written(
    server: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    troubles: list[Any], said: str,
) -> None:  # fmt: skip
    monkeypatch.setattr("time.sleep", lambda _: None)
    server.troubles = list(troubles)
    out = tmp_path / "event.json"
    command = ["fetch", EVENT_ID, "--api", server.address, "--cache", str(tmp_path / "kept"), "--out", str(out)]
    assert main(command) == 1
    printed = capsys.readouterr().err
    assert said in printed
    assert "Traceback" not in printed
    assert len(printed.strip().splitlines()) == 1
    assert not list(tmp_path.glob("event.json*"))


def test_a_server_that_does_not_answer_and_one_that_is_not_there(
    server: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "PATIENCE", 0.05)
    monkeypatch.setattr(client_module, "TRIES", 2)
    server.troubles = [slow(0.3), slow(0.3)]
    with api(server, tmp_path) as asked, pytest.raises(FetchError, match="did not answer within"):
        asked.member("90000365")
    gone = RatingsApi(FetchOptions("http://127.0.0.1:9", str(tmp_path), pause=0.0), wait=lambda _: None)
    with gone, pytest.raises(FetchError, match="cannot be reached"):
        gone.member("90000365")


def test_a_changed_shape_is_named(tmp_path: Path) -> None:
    moved = {**GAME, "player": {"color": "White", "outcome": "Adjudicated"}}
    answers = {
        "members/1/rating-supplements": [{"ratings": []}],
        "members/1/games": {"rows": []},
        "members/2/games": [moved],
        "rated-events/1": {"id": "1", "sections": [{"number": None}]},
    }
    with StandIn(answers) as server, api(server, tmp_path) as asked:
        with pytest.raises(FetchError, match="ratingSupplementDate is needed"):
            asked.supplements("1")
        with pytest.raises(FetchError, match="has no items"):
            asked.member_games("1")
        with pytest.raises(FetchError, match="'Adjudicated' is no outcome"):
            asked.member_games("2")
        with pytest.raises(FetchError, match="has no section numbers"):
            event_of(asked, "1")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"roundOutcomes": None}, "roundOutcomes is needed"),
        ({"ratings": "none"}, "ratings is needed"),
        ({"ratings": [{"system": "R", "after": 1500}]}, "ratingSystem is needed"),
        ({"ratings": [{"ratingSystem": "R", "after": 1500}]}, "postRating is needed"),
    ],
)
def test_standings_of_another_shape_are_never_taken_for_a_section_without_ratings(
    tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    path = f"rated-events/{EVENT_ID}/sections/1/standings"
    answers = {**ANSWERS, path: [{**row, **changed} for row in ANSWERS[path]]}
    with StandIn(answers) as server, api(server, tmp_path) as asked, pytest.raises(FetchError, match=said):
        event_of(asked, EVENT_ID)


def test_an_answer_of_another_shape_is_not_kept(server: StandIn, tmp_path: Path) -> None:
    """A repeat asks again for what was wrong, and only for that."""
    server.troubles = [lambda handler: handler.say(200, [1]), lambda handler: handler.say(200, {"id": EVENT_ID})]
    for said in ("an object was expected", "it has no sections"):
        with api(server, tmp_path) as asked, pytest.raises(FetchError, match=said):
            event_of(asked, EVENT_ID)
    with api(server, tmp_path) as asked:
        assert event_of(asked, EVENT_ID).report.event_id == EVENT_ID


def test_game_counts_of_established_players_are_counted_from_their_sections(tmp_path: Path) -> None:
    """Above about 1928 the number of games matters (2025 text §3); the API shows counts of provisional ratings only.

    The member had 20 games after section 1 of the oldest event, played 3 and 4 games in two more, and then this one.
    """
    event = json.loads(json.dumps(QUAD))
    event["sections"][0]["players"][0]["ratings"] = {"OTBR": {"rating": 2250.5, "games": 27}}
    ids = [EVENT_ID, "202607120011", "202606140012", "202605030013"]
    counts = (None, None, None, 20)
    sections = [
        {
            **PLAYED,
            "sectionNumber": 1,
            "event": {"id": one},
            "ratingRecords": [{"ratingSource": "R", "postRating": 2200, "postProvisionalGameCount": count}],
        }
        for one, count in zip(ids, counts, strict=True)
    ]
    games = [
        {**GAME, "section": {"number": 1}, "event": {"id": one}}
        for one, played in zip(ids, (3, 3, 4, 20), strict=True)
        for _ in range(played)
    ]
    answers = {**api_of(event), "members/90000001/sections": sections, "members/90000001/games": games}
    out = tmp_path / "event.json"
    with StandIn(answers) as server:
        ends = ["--api", server.address, "--cache", str(tmp_path / "kept")]
        assert main(["fetch", EVENT_ID, "--counts", "--out", str(out), *ends]) == 0
        assert not any("/members/9000000" in path for path in server.asked if "90000001" not in path)
        assert any("RatingSource=R" in path for path in server.asked)
        with RatingsApi(FetchOptions(server.address, str(tmp_path / "kept"))) as asked:
            assert games_before(asked, "90000001", RatingSystem.OTBR, ("202605030013", 1)) is None
    players = json.loads(out.read_text())["sections"][0]["players"]
    assert players[0]["ratings"]["OTBR"]["games"] == 27  # 20 + 3 + 4
    assert "games" not in players[1]["ratings"]["OTBR"] or players[1]["ratings"]["OTBR"]["games"] is None


def test_an_answer_that_was_cut_short_on_disk_is_asked_for_again(server: StandIn, tmp_path: Path) -> None:
    with api(server, tmp_path) as asked:
        asked.member("90000365")
        for damaged in (b'{"addr', b"[]", b'{"address": 1}'):
            next(tmp_path.glob("*.json")).write_bytes(damaged)
            assert asked.member("90000365") == MEMBER
    assert len(server.asked) == 4


def test_the_command_writes_files_that_rate_takes(
    server: StandIn, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    ends = ["--api", server.address, "--cache", str(tmp_path / "kept")]
    members, listed, folder = tmp_path / "members.json", tmp_path / "wanted.txt", tmp_path / "events"
    assert main(["fetch", EVENT_ID, *ends]) == 0
    assert json.loads(capsysbinary.readouterr().out)["event"]["id"] == EVENT_ID
    assert main(["fetch", "90000365", *ends, "--out", str(members)]) == 0
    listed.write_text(f"# wanted\n{EVENT_ID}  2026, quads\n")
    page = tmp_path / "wanted.md"
    page.write_text(f"# Wanted\n\nPages that would help:\n\n```\n{EVENT_ID}  quads\n202608300999  not there\n```\n")
    assert main(["fetch", "--list", str(page), "--out", str(folder), *ends]) == 1  # one is not there, the other is
    assert b"202608300999 was not found" in capsysbinary.readouterr().err
    assert [one.name for one in folder.iterdir()] == [f"{EVENT_ID}.json"]
    assert main(["fetch", "--list", str(listed), "--out", str(folder), *ends]) == 0
    assert main(["verify", str(folder / f"{EVENT_ID}.json"), "--json"]) == 0
    told = json.loads(capsysbinary.readouterr().out)
    assert told["total"]["within_1"] == told["total"]["clean_rows"] == 8
    assert main(["rate", str(folder / f"{EVENT_ID}.json"), "--members", str(members), "--json"]) == 0


@pytest.mark.parametrize("ids", [[], ["123"], [EVENT_ID, EVENT_ID], ["90000365", EVENT_ID]])
def test_other_ids_are_refused(ids: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fetch", *ids]) == 2
    assert "give one event id (12 digits) or member ids (8 digits)" in capsys.readouterr().err


def test_a_list_with_something_else_in_it_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = tmp_path / "wanted.txt"
    listed.write_text("202608300103\nhello\n")
    assert main(["fetch", "--list", str(listed), "--out", str(tmp_path)]) == 2
    assert "hello is no event id" in capsys.readouterr().err
    assert main(["fetch", "--list", str(listed)]) == 2


def test_rate_takes_ratings_before_the_event_from_the_api(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Members that the API does not know are named, as those that a members file does not have."""
    bare = json.loads(json.dumps(QUAD))
    for player in bare["sections"][0]["players"]:
        del player["ratings"]
    path = tmp_path / "bare.json"
    path.write_text(json.dumps(bare))
    known = {f"members/9000000{at}": {**MEMBER, "id": f"9000000{at}"} for at in (1, 2, 3)}
    with StandIn(known) as server:
        monkeypatch.setenv("CROSSTABLE_API", server.address)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        monkeypatch.setattr("time.sleep", lambda _: None)
        main(["rate", str(path), "--members", "uschess", "--json"])
        told = json.loads(capsys.readouterr().out)
        assert main(["fetch", "90000004", "--api", server.address]) == 1
    assert "has no member 90000004" in capsys.readouterr().err
    rows = told["sections"][0]["systems"]["OTBR"]["players"]
    assert [row["pre"] for row in rows] == [1060.0, 1060.0, 1060.0, None]
    assert any(fault["code"] == "not-in-members-file" for fault in told["faults"])
