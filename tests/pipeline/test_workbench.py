"""The workbench: files become drafts, every finding has its place in the draft, and its fixes put it right."""

import base64
import copy
import json
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from typing import Any

import pytest

from crosstable.errors import Fault, FormatError
from crosstable.formats.detect import read_data
from crosstable.formats.event_json_write import written_cell
from crosstable.pipeline.rating import rate
from crosstable.pipeline.reading import of_reading, read
from crosstable.pipeline.workbench import Tools, answer
from crosstable.terms import NOT_GIVEN, RATINGS, Report

Draft = dict[str, Any]
TODAY = date(2026, 11, 16)
NAMES = ("Adams, Ann", "Baker, Bo", "Clark, Cy", "Davis, Di")
ROUNDS = (["W2w", "D3b", "W4w"], ["L1b", "L4w", "L3b"], ["W4w", "D1w", "W2w"], ["L3b", "W2b", "L1b"])
LIST = "Member ID,Name,Regular rating,Regular games\n12345678,Adams Ann,1700,80\n12345769,Baker Bo,1500,60\n"


def read_files(files: Sequence[tuple[str, bytes]]) -> list[Report | Fault]:
    found: list[Report | Fault] = []
    for name, content in files:
        try:
            found.append(of_reading(read_data(content, name)))
        except FormatError as error:
            found.append(error.fault)
    return found


TOOLS = Tools(read_files, TODAY)


def quad(**more: Any) -> Draft:
    """A draft of a quad without a fault; its players bring pairing ratings."""
    players = [
        {
            "number": row + 1,
            "member_id": f"1234567{row + 6}" if row > 1 else ("12345678", "12345679")[row],
            "name": name,
            "pairing_rating": 1600 + 50 * row,
            "rounds": list(rounds),
        }
        for row, (name, rounds) in enumerate(zip(NAMES, ROUNDS, strict=True))
    ]
    players[2]["member_id"], players[3]["member_id"] = "12345680", "12345681"
    section = {
        "number": 1,
        "name": "Quad",
        "type": "swiss",
        "time_control": "G/90;d5",
        "start_date": "2026-11-07",
        "end_date": "2026-11-07",
        "players": players,
    }
    event = {"format": "crosstable-event/1", "event": {"name": "Fall Quads"}, "sections": [section]}
    return {"event": event, "members": [], "ratings": {}, "accept": {}, "read": [], **more}


def put(draft: Draft, path: Sequence[str | int], value: object) -> None:
    """Change a draft as the page does."""
    at: Any = draft
    for step, after in pairwise(path):
        at = at.setdefault(step, [] if isinstance(after, int) else {}) if isinstance(at, dict) else at[step]
    if value is not None:
        at[path[-1]] = value
    elif isinstance(at, dict):
        at.pop(path[-1], None)
    else:
        del at[path[-1]]


def codes(reply: dict[str, Any]) -> list[str]:
    return [one["code"] for one in reply["findings"]]


def section(draft: Draft) -> Any:
    return draft["event"]["sections"][0]


def player(draft: Draft, row: int) -> Any:
    return section(draft)["players"][row]


def second_section(draft: Draft, **more: object) -> None:
    draft["event"]["sections"].append(copy.deepcopy(section(draft)) | {"number": 2, "name": "Other"} | more)
    for at, one in enumerate(draft["event"]["sections"][1]["players"]):
        one.update(member_id=f"2234567{at}", name=f"Other, {at}")


TORN = {"code": "damaged-file", "severity": "error", "place": "sections[0]", "message": "Torn.", "remedy": ""}
ANN, BO, DI, EVENT = "players 0 ", "players 1 ", "players 3 ", "/event event "
LOW, HIGH = {"OTBR": {"rating": 50, "games": 30}}, {"OTBR": {"rating": 1600, "games": 30}}
# What breaks the draft (paths below the section, or with / below the draft), what is found, in which section, row and
# round, and the beginning of the fix that puts it right.
BROKEN: list[tuple[dict[str, object], str, tuple[int | None, ...], str]] = [
    ({ANN + "rounds 0": "L2w"}, "not-mirrored", (0, 0, 0), "Adams, Ann is right"),
    ({ANN + "rounds 0": "D2w"}, "not-mirrored", (0, 0, 0), "Baker, Bo is right"),
    ({ANN + "rounds 0": "D2w"}, "not-mirrored", (0, 0, 0), "They disagree"),
    ({ANN + "rounds 0": "W4w"}, "not-mirrored", (0, 0, 0), "Adams, Ann played Baker"),
    ({BO + "rounds 0": "Q9"}, "unknown-code", (0, 1, 0), "Baker, Bo played Adams, Ann: L1b"),
    ({BO + "rounds 0": "L"}, "no-opponent", (0, 1, 0), "Baker, Bo played Adams"),
    ({BO + "rounds 0": "L9"}, "opponent-missing", (0, 1, 0), "Baker, Bo played Adams"),
    ({BO + "rounds 0": "L2"}, "plays-self", (0, 1, 0), "Baker, Bo played Adams"),
    ({"details": {"rounds": "2"}}, "round-not-announced", (0, 0, 2), "The section has 3 rounds"),
    ({ANN + "rounds 0": "N2w", BO + "rounds 0": "S1b"}, "one-sided", (0, 0, 0), "Adams, Ann is right"),
    ({BO + "rounds 0": "L1w"}, "same-colour", (0, 0, 0), "Adams, Ann had Black"),
    ({DI + "number": None}, "no-number", (0, 3, None), "Give it number 4"),
    ({ANN + "total": 3}, "total-disagrees", (0, 0, None), "The results are right: 2.5"),
    ({ANN + "ratings": LOW}, "rating-too-low", (0, 0, None), "Unrated"),
    ({ANN + "birth_date": "2026-12-01"}, "birth-date", (0, 0, None), "Leave the birth date out"),
    ({ANN + "hand": "strong"}, "bad-value", (0, 0, None), "Unrated"),
    ({ANN + "member_id": "12345681", DI + "ratings": HIGH}, "re-entry-differs", (0, 3, None), "Take those of row 1"),
    ({ANN + "member_id": "123"}, "member-id-shape", (0, 0, None), "Leave the id out"),
    ({BO + "name": "Adams, Ann"}, "duplicate-name", (0, 1, None), "One person: 12345678"),
    ({"time_control": None}, "no-time-control", (0, None, None), "G/60;d5"),
    ({"time_control": "slow"}, "time-control-not-read", (0, None, None), "G/90;d5"),
    ({"time_control": "G/25"}, "delay-not-given", (0, None, None), "G/25;d5"),
    ({"systems": ["OTBQ"]}, "systems-disagree", (0, None, None), "Let the time control decide"),
    ({"end_date": None}, "no-dates", (0, None, None), "One day: November 7, 2026"),
    (
        {"start_date": None, "end_date": None, EVENT + "id": "202611070010"},
        "no-dates",
        (0, None, None),
        "One day: November ",
    ),
    ({"start_date": "2026-11-09"}, "dates-reversed", (0, None, None), "Swap the two dates"),
    (
        {EVENT + "start_date": "2026-11-08"},
        "section-outside-event",
        (0, None, None),
        "The event's start date is Nov",
    ),
    ({"type": "match"}, "match-players", (0, None, None), "Make it a Swiss"),
    ({"k_factor": "half"}, "half-k", (0, None, None), "Rate it with full K"),
    ({"/ratings pairing": False}, "rating-not-known", (0, None, None), "Take the file's pairing ratings"),
    ({"/read": [TORN]}, "damaged-file", (0, None, None), "I have put it right"),
    (
        {EVENT + "id": "202601010010", EVENT + "end_date": "2026-11-07"},
        "event-id-date",
        (None,) * 3,
        "Leave the event id",
    ),
]


def found_in(draft: Draft, code: str) -> Any:
    return next(one for one in answer(draft, TOOLS)["findings"] if one["code"] == code)


def settled(draft: Draft, code: str, label: str) -> dict[str, Any]:
    """What is said of a draft after one click."""
    chosen = next(one for one in found_in(draft, code)["fixes"] if one["label"].startswith(label))
    for change in chosen["changes"]:
        put(draft, change["path"], change["value"])
    after = answer(draft, TOOLS)
    assert code not in codes(after)
    return after


@pytest.mark.parametrize(("changes", "code", "place", "label"), BROKEN)
def test_every_fault_has_its_place_and_a_fix_that_puts_it_right(
    changes: dict[str, object], code: str, place: tuple[int | None, ...], label: str
) -> None:
    draft = quad()
    assert all(one["severity"] == "warning" for one in answer(draft, TOOLS)["findings"])
    for path, value in changes.items():
        at, steps = (draft, path[1:]) if path.startswith("/") else (section(draft), path)
        put(at, [int(step) if step.isdigit() else step for step in steps.split()], value)
    found = found_in(draft, code)
    assert (found["section"], found["row"], found["round"]) == place
    after = settled(draft, code, label)
    is_one_person = code in ("re-entry-differs", "duplicate-name")  # who then is paired with themselves
    assert all(one["rated"] is not is_one_person for one in after["sections"])


def test_sections_are_dropped_numbered_made_matches_and_rated_as_unrated_by_one_click() -> None:
    draft = quad()
    second_section(draft, players=[])
    assert len(settled(draft, "no-player", "Leave Other out")["sections"]) == 1
    second_section(draft, number=1)
    assert len(settled(draft, "duplicate-section", "Number the sections")["sections"]) == 2
    pair = quad()
    section(pair)["players"] = section(pair)["players"][:2]
    player(pair, 0)["rounds"], player(pair, 1)["rounds"] = ["W2", "W2"], ["L1", "L1"]
    assert settled(copy.deepcopy(pair), "two-player-section", "It is right as it is")["sections"][0]["rated"]
    assert "match-not-eligible" in codes(settled(pair, "two-player-section", "Make it a match"))
    blank = quad()
    section(blank)["details"] = {RATINGS: NOT_GIVEN}
    for one in section(blank)["players"]:
        del one["pairing_rating"]
    assert settled(blank, "no-ratings", "All of them are unrated")["sections"][0]["rated"]
    twice = quad()
    player(twice, 3)["number"] = 3
    assert settled(twice, "duplicate-number", "Give the second row")["sections"][0]["rated"]


def test_a_game_whose_rows_disagree_is_one_finding_with_two_places() -> None:
    draft = quad()
    player(draft, 0)["rounds"][0] = "D2w"
    (found,) = [one for one in answer(draft, TOOLS)["findings"] if one["code"] == "not-mirrored"]
    assert found["also"] == {"section": 0, "row": 1, "round": 0}


def test_a_round_robin_is_settled_whatever_its_columns_are() -> None:
    draft = quad()
    section(draft)["type"] = "round_robin"
    player(draft, 1)["rounds"] = ["L4w", "L3b", "W1b"]
    (found,) = [one for one in answer(draft, TOOLS)["findings"] if one["code"] == "not-mirrored"]
    assert (found["row"], found["also"]["row"]) == (0, 1)
    assert settled(draft, "not-mirrored", "Adams, Ann is right: Baker, Bo L1b")["sections"][0]["rated"]


def test_ratings_come_by_hand_first_then_from_lists_then_from_the_file() -> None:
    """Every number is that of the pipeline for the same inputs given as an event file."""
    draft = quad(members=[{"name": "club.csv", "text": LIST}])
    player(draft, 2)["hand"] = "1400P12"
    player(draft, 3)["hand"] = "unrated"
    results = answer(draft, TOOLS)["sections"][0]["systems"]["OTBR"]["players"]
    assert [one.get("rating_from") for one in results] == ["club.csv", "pairing rating", "by hand", "by hand"]
    assert [one["pre"] for one in results] == [1700, 1650, 1400, None]
    plain = copy.deepcopy(draft["event"])
    rows = plain["sections"][0]["players"]
    for row, rating in enumerate(({"rating": 1700, "games": 80}, None, {"rating": 1400, "games": 12}, None)):
        rows[row].pop("hand", None)
        rows[row].pop("pairing_rating" if row != 1 else "hand", None)
        if rating:
            rows[row]["ratings"] = dict.fromkeys(("OTBR", "OTBQ", "OTBB"), rating)
    expected = rate(read(plain), pairing_ratings=True, today=TODAY).sections[0].systems["OTBR"].players
    assert [one["post"] for one in results] == [one.post for one in expected]


def test_a_member_is_chosen_by_name_and_swapped_digits_stand_first() -> None:
    draft = quad(members=[{"name": "club.csv", "text": LIST}])
    player(draft, 1).pop("pairing_rating")
    (found,) = [one for one in answer(draft, TOOLS)["findings"] if one["code"] == "not-in-members-file"]
    assert [one["label"] for one in found["fixes"]] == ["Swap two digits: Baker Bo, 12345769"]
    assert found["fixes"][0]["changes"] == [
        {"path": ["event", "sections", 0, "players", 1, "member_id"], "value": "12345769"}
    ]


def test_files_become_drafts_and_lists_and_what_is_neither_is_told() -> None:
    event = json.dumps(quad()["event"]).encode()
    files = {"quad.json": event, "club.csv": LIST.encode(), "junk.bin": b"\x01nothing"}
    sent = [{"name": name, "content": base64.b64encode(content).decode()} for name, content in files.items()]
    reply = answer({"files": sent}, TOOLS)
    assert [one["event"]["event"]["name"] for one in reply["drafts"]] == ["Fall Quads"]
    assert [one["name"] for one in reply["members"]] == ["club.csv"]
    assert [one["code"] for one in reply["unread"]] == ["not-readable"]
    assert reply["sections"][0]["rated"]
    with pytest.raises(ValueError, match="sections"):
        answer({"event": {"sections": 3}}, TOOLS)


@pytest.mark.parametrize("to", ["json", "dbf", "trf16", "trf26", "csv", "xlsx"])
def test_a_draft_is_written_in_every_format_and_read_again(to: str) -> None:
    made = answer({**quad(), "to": to}, TOOLS)["file"]
    report = of_reading(read_data(base64.b64decode(made["content"]), made["name"]))
    assert [one.name for one in report.sections[0].players] == list(NAMES)
    assert [written_cell(cell) for cell in report.sections[0].players[0].cells] == ROUNDS[0]


def test_a_faulty_draft_is_not_written_as_a_rating_report() -> None:
    draft = quad(to="dbf")
    player(draft, 0)["rounds"][0] = "L2w"
    reply = answer(draft, TOOLS)
    assert reply["file"] is None
    assert set(codes(reply)) == {"not-mirrored"}
