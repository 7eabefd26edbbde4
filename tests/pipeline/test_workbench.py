"""The workbench: files become drafts, every finding has its place in the draft, and its fixes put it right."""

import base64
import copy
import json
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from crosstable.catalogue import CATALOGUE
from crosstable.checks.findings import section_place
from crosstable.errors import Fault, FormatError, Severity
from crosstable.formats.detect import read_data
from crosstable.formats.event_json_write import written_cell
from crosstable.pipeline.drafts import Affiliate
from crosstable.pipeline.rating import RatedEvent, rate
from crosstable.pipeline.reading import of_reading, read
from crosstable.pipeline.workbench import Tools, answer, draft_of
from crosstable.terms import NOT_GIVEN, RATINGS, Report
from tests.checks.provoked import CASES, Provoked

Draft = dict[str, Any]
AS_IT_IS = ["It is right as it is"]
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
    last: Any = path[-1]
    if value is not None:
        if isinstance(at, list):
            at += [""] * (last + 1 - len(at))
        at[last] = value
    elif isinstance(at, dict):
        at.pop(last, None)
    else:
        del at[last]


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
    ({"start_date": None, "end_date": None}, "no-dates", (0, None, None), "November 14-15, 2026"),
    ({"start_date": None, "end_date": None}, "no-dates", (0, None, None), "Sunday, November 15, 2026"),
    ({"start_date": None, "end_date": None}, "no-dates", (0, None, None), "Monday, November 16, 2026"),
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


# Nothing of these can be mended in a draft: no event at all, an option of the command, a file that is none.
NOT_OF_DRAFTS = {"no-section", "no-such-section", "not-readable", "no-game"}
# What only reading other formats finds: any of it is settled by whoever looked at it, or by the choice that is offered.
OF_READING = {
    *("damaged-file", "rating-column-not-known", "start-not-read", "end-not-read"),
    *("rounds-missing", "similar-names", "ignored-record", "code-page-guessed", "result-missing", "number-of-players"),
}
# What only an office finds, and where; the office alone settles who was a member.
OF_OFFICES = {
    **dict.fromkeys(("member-not-known", "id-needed", "other-name", "before-opening", "fide-not-on-record"), 0),
    **dict.fromkeys(("systems-named", "played-before", "late-submission", "event-id-shape", "other-affiliate"), None),
    "new-member": 0,
}
# What a director says of a row besides mending it: the office is told, and counts it.
SAID = {
    "other-name": ("This is Adams, Angela", ["names", "1:1"], "yes"),
    "member-not-known": ("Report as a new member", ["new_members", "12345678"], "yes"),
    "new-member": ("Not a new member", ["new_members", "12345678"], None),
}
FOR_THE_OFFICE = {"not-a-member"}
# Tests below, or of the entries and of rated results, provoke these; all but the first are warnings.
ELSEWHERE = {"no-ratings", "fide-ratings-only", "rating-not-known", "in-the-future", "waits-for-section"}


def mended(draft: Draft, fix: Any) -> Draft:
    """The draft after a click; what leaves a list goes last, as on the page."""
    made = copy.deepcopy(draft)
    leaves = [one for one in fix["changes"] if one["value"] is None and isinstance(one["path"][-1], int)]
    for one in (*(one for one in fix["changes"] if one not in leaves), *leaves):
        put(made, one["path"], one["value"])
    return made


def every_click_settles(draft: Draft, code: str, tools: Tools = TOOLS, but: str = "") -> None:
    """There is something to click for a finding, and whatever is clicked, there are fewer of its kind."""
    before = codes(answer(draft, tools))
    found = next(one for one in answer(draft, tools)["findings"] if one["code"] == code)
    assert found["fixes"], f"nothing to click for {code}"
    for fix in found["fixes"]:
        if fix["label"] == but:
            continue
        after = codes(answer(mended(draft, fix), tools))
        assert after.count(code) < before.count(code), f"{code}: {fix['label']} settles nothing"


@pytest.mark.parametrize("case", [one for one in CASES if one.code not in NOT_OF_DRAFTS], ids=lambda case: case.code)
def test_whatever_an_event_file_can_have_is_settled_by_a_click(case: Provoked) -> None:
    every_click_settles(draft_of(read(json.dumps(case.event).encode(), "event.json")), case.code)


@pytest.mark.parametrize("place", ["draft", "sections[0]", "sections[0].players[1]"])
@pytest.mark.parametrize("code", sorted(OF_READING))
def test_whatever_reading_finds_is_settled_by_a_click_and_leaves_with_its_section(code: str, place: str) -> None:
    draft = quad()
    second_section(draft)
    told = {"code": code, "severity": "error", "place": place, "message": "So it is.", "remedy": ""}
    if place == "draft":
        draft["read"] = [told]
    else:
        draft["event"]["sections"][1]["read"] = [{**told, "place": place.removeprefix("sections[0]")}]
        (found,) = [one for one in answer(draft, TOOLS)["findings"] if one["code"] == code]
        assert found["section"] == 1
        without = mended(draft, {"changes": [{"path": ["event", "sections", 0], "value": None}]})
        (found,) = [one for one in answer(without, TOOLS)["findings"] if one["code"] == code]
        assert found["section"] == 0
    every_click_settles(draft, code)


class Known(NamedTuple):
    """Somebody whom an office knows."""

    name: str


class Strict:
    """An office that knows the players and finds something in the first section: of a row, or of the whole."""

    chained: frozenset[str] = frozenset()
    waiting: frozenset[str] = frozenset()
    people: Mapping[str, Any] = {"12345678": Known("Adams, Angela")}

    def __init__(self, report: Report, code: str) -> None:
        self.code = code
        self.was = report

    def filled(self, report: Report) -> Report:
        return report

    def of_event(self, report: Report) -> Sequence[Fault]:
        is_found = {
            "event-id-shape": bool(report.event_id),
            "other-affiliate": report.details.get("affiliate") not in (None, "A1"),
        }
        told = Fault(self.code, Severity.ERROR, "event", "So it is.", "")
        return [told] if is_found.get(self.code) else []

    def looked_at(self, event: RatedEvent) -> RatedEvent:
        return event

    def faults(self, report: Report, at: int, _checked: object, found: Sequence[Fault]) -> Sequence[Fault]:
        section = report.sections[at]
        whole = section_place(section, at)
        row = OF_OFFICES[self.code]
        place = whole.whole if row is None else whole.row(section.players[row], row)
        ann = section.players[0]
        still = {
            "systems-named": not section.time_controls,
            **dict.fromkeys(("event-id-shape", "other-affiliate"), False),
            "fide-not-on-record": ann.background.fide is not None,
        }
        is_found = still.get(self.code, ann.member_id != "87654321") and section.name == "Quad"
        told = Fault(self.code, CATALOGUE[self.code].severity, place, "So it is.", "")
        return [*found, *([told] if is_found else [])]


@pytest.mark.parametrize("code", sorted(OF_OFFICES))
def test_whatever_an_office_finds_is_settled_by_a_click_or_waits_for_it(code: str) -> None:
    draft = quad()
    draft["event"]["event"].update(id="one", details={"affiliate": "B2"})
    player(draft, 0)["ratings"] = {"OTBR": {"rating": 1700, "games": 90}, "FIDE": {"rating": 1800}}
    second_section(draft)
    if code == "systems-named":
        section(draft).update(time_control=None, systems=["OTBR"])
    found = [("87654321", "Adams, Ann")]
    tools = TOOLS._replace(
        office=lambda report: Strict(report, code),
        is_strict=True,
        find=lambda _name: found,
        own=Affiliate("A1", "Albany Chess Club"),
    )
    reply = answer(draft, tools)
    (one,) = [one for one in reply["findings"] if one["code"] == code]
    assert reply["strict"]
    if code in SAID:
        label, path, value = SAID[code]
        (said,) = [fix for fix in one["fixes"] if fix["label"] == label]
        assert said["changes"] == [{"path": path, "value": value}]
        assert said["single"] is (code == "other-name")  # whose row it is, is said row by row
    every_click_settles(draft, code, tools, but=SAID.get(code, ("",))[0])
    is_office = CATALOGUE[code].severity is Severity.CONFIRM
    assert one["asks"] == ("office" if is_office else "director")
    # What the office must confirm is not confirmed by the director, whatever a draft says.
    if is_office:
        assert code in codes(answer({**draft, "accept": {code: "I say so"}}, tools))


def test_a_draft_of_players_whom_nobody_here_knows_tells_what_submitting_it_tells_and_is_rated_by_the_file() -> None:
    draft = quad()
    tools = TOOLS._replace(office=lambda report: Strict(report, "member-not-known"), is_strict=True)
    reply = answer(draft, tools)
    assert codes(reply).count("member-not-known") == 1
    (one,) = reply["sections"]
    assert (one["rated"], one["strict"]) == (True, False)
    assert {player["rating_from"] for player in one["systems"]["OTBR"]["players"]} == {"pairing rating"}
    # Without ratings of any kind it is told why there are none to show, besides what submitting it tells.
    draft["ratings"] = {"pairing": False}
    assert {"member-not-known", "rating-not-known"} <= set(codes(answer(draft, tools)))
    for one in section(draft)["players"]:
        one["ratings"] = HIGH
    player(draft, 0)["member_id"] = "87654321"
    assert [one["strict"] for one in answer(draft, tools)["sections"]] == [True]
    draft["ratings"] = {"office": False}
    assert [one["strict"] for one in answer(draft, tools)["sections"]] == [False]


def test_no_kind_of_finding_that_stops_a_section_is_forgotten() -> None:
    stopping = {code for code, kind in CATALOGUE.items() if kind.severity.stops}
    provoked = {case.code for case in CASES} | OF_READING | OF_OFFICES.keys() | ELSEWHERE
    assert stopping - provoked == NOT_OF_DRAFTS - {case.code for case in CASES} | FOR_THE_OFFICE


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
    late = quad()
    section(late)["end_date"] = "2027-01-03"
    assert settled(late, "in-the-future", "One day: November 7, 2026")["sections"][0]["rated"]
    waits = quad(members=[{"name": "club.csv", "text": LIST}])
    second_section(waits, start_date="2026-11-08", end_date="2026-11-08")
    waits["event"]["sections"][1]["players"][0]["member_id"] = "12345678"
    player(waits, 0)["rounds"][0] = "L2w"
    assert len(settled(waits, "waits-for-section", "Leave Other out")["sections"]) == 1


def test_what_is_accepted_is_told_and_a_reply_leaves_out_what_the_page_has() -> None:
    draft = quad()
    second_section(draft)
    player(draft, 0)["member_id"] = "123"
    draft["accept"] = {"member-id-shape": "so on the card"}
    first = answer(draft, TOOLS)
    assert [(one["code"], one["count"]) for one in first["accepted"]] == [("member-id-shape", 1)]
    player(draft, 0)["hand"] = "1900"
    second = answer({**draft, "have": [one["tag"] for one in first["sections"]]}, TOOLS)
    assert ["systems" in one for one in second["sections"]] == [True, False]
    assert second["sections"][1]["tag"] == first["sections"][1]["tag"]
    assert answer(draft, TOOLS)["sections"][1] == first["sections"][1]


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
    assert [one["label"] for one in found["fixes"]] == ["Swap two digits: Baker Bo, 12345769", *AS_IT_IS]
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
