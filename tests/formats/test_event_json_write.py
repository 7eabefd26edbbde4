"""The event file is written so that reading it again gives the same report, and no more is written than is known."""

import json
from datetime import date
from importlib.resources import files

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosstable.errors import FormatError
from crosstable.formats import Reading, event_json
from crosstable.formats.event_json import read_cell
from crosstable.formats.event_json_write import write, written_cell
from crosstable.terms import (
    Background,
    Floor,
    FloorKind,
    GivenStart,
    MatchChange,
    OutsideRating,
    PlayerRating,
    Posted,
    RatingSystem,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    Result,
    SectionType,
)
from tests.formats.mutations import Shape, must_read_or_refuse, mutations
from tests.formats.reports import without_places

# The event of the interface description, with everything that may be left out left out.
EVENT = {
    "format": "crosstable-event/1",
    "event": {
        "id": "202608300103",
        "name": "Summer Quads",
        "start_date": "2026-08-30",
        "end_date": "2026-08-30",
        "details": {"city": "Springfield", "chief_td": "12345678"},
    },
    "sections": [
        {
            "number": 5,
            "name": "Reserve",
            "type": "swiss",
            "online": False,
            "time_control": "G/25;d5",
            "systems": ["OTBR", "OTBQ"],
            "k_factor": "half",
            "start_date": "2026-08-30",
            "end_date": "2026-08-30",
            "match_waiver": "the office agreed",
            "details": {"system_code": "D"},
            "players": [
                {
                    "number": 1,
                    "member_id": "12345678",
                    "name": "Player, Óne",
                    "state": "TX",
                    "birth_date": "2014-02-03",
                    "adult": False,
                    "canadian_resident": True,
                    "rate": True,
                    "member": True,
                    "fide_opt_in": False,
                    "pairing_rating": 554,
                    "ratings": {
                        "OTBR": {
                            "rating": 554.22,
                            "games": 120,
                            "as_of": "2026-07-01",
                            "wins": 60,
                            "draws": 5,
                            "losses": 55,
                            "events": 30,
                            "peak": 701.5,
                            "peak_since_2010": 700,
                            "games_at_2200": 3,
                            "floor": 300,
                            "ceiling": 2000,
                            "lowered_floor": 1200,
                            "published": 550,
                            "match_changes": [{"date": "2026-05-01", "change": -12.5}],
                        },
                        "OTBQ": {
                            "rating": 546,
                            "floor": [{"level": 400, "origin": "money"}, {"level": 2200, "origin": "life_master"}],
                        },
                        "FIDE": {"rating": 1420, "as_of": "2026-08-01"},
                        "CFC": {"rating": 1300},
                    },
                    "fide_flag": "",
                    "rounds": ["W2", "D2b", "H", "X", "", "N2"],
                    "total": 4.5,
                    "posted": {"OTBR": {"rating": 656.85, "games": 123}, "OTBQ": {"rating": 650}},
                    "details": {"norm": "2", "title": "NM"},
                },
                {"number": 2, "start": {"rating": 750, "games": 0}, "rounds": []},
            ],
        },
        {
            "name": "Blitz",
            "type": "round_robin",
            "online": True,
            "time_control": ["G/5;d0", "G/3;+2"],
            "players": [],
        },
    ],
}


def read(data: bytes) -> Reading:
    return event_json.read(data, "event.json")


def test_what_is_read_is_written_with_the_same_names_and_values() -> None:
    reading = read(json.dumps(EVENT).encode())
    assert reading.faults == ()
    assert json.loads(write(reading.report)) == EVENT


def test_the_names_stand_in_the_order_of_the_interface_description() -> None:
    written = json.loads(write(read(json.dumps(EVENT, sort_keys=True).encode()).report))
    assert list(written) == ["format", "event", "sections"]
    assert list(written["event"]) == list(EVENT["event"])
    section = EVENT["sections"][0]  # type: ignore[index]
    assert list(written["sections"][0]) == list(section)
    assert list(written["sections"][0]["players"][0]) == list(section["players"][0])


def test_a_player_stands_on_one_line() -> None:
    lines = write(read(json.dumps(EVENT).encode()).report).decode().splitlines()
    assert sum('"rounds"' in line for line in lines) == 2


def test_the_file_keeps_to_the_shipped_schema() -> None:
    schema = json.loads(files("crosstable.formats").joinpath("event.schema.json").read_text(encoding="utf-8"))
    event = json.loads(json.dumps(EVENT))
    event["sections"] = event["sections"][:1]  # a section without players is a fault, not a shape
    jsonschema.validate(json.loads(write(read(json.dumps(event).encode()).report)), schema)


def test_nothing_that_is_not_known_is_written() -> None:
    player = ReportedPlayer(None, "", "", (), Background(), "")
    section = ReportedSection(None, "", SectionType.SWISS, False, (), (), None, None, (player,), "")
    written = json.loads(write(Report("", "", None, None, (section,), "")))
    assert written["event"] == {}
    assert written["sections"] == [{"type": "swiss", "online": False, "players": [{"rounds": []}]}]
    assert json.loads(write(Report("", "", None, None, (), "")))["sections"] == []


def test_details_are_texts_with_short_printable_names() -> None:
    details = {"city": "Springfield", "rounds": 5, "empty": "", "": "x", "a\nb": "x", "n" * 61: "x", "bad": ["x"]}
    document = {"format": "crosstable-event/1", "event": {"details": details}, "sections": []}
    reading = read(json.dumps(document).encode())
    assert reading.report.details == {"city": "Springfield", "rounds": "5", "": "x"}
    assert [fault.code for fault in reading.faults] == ["bad-value", "bad-value", "wrong-type"]
    assert "event.details.bad" in reading.faults[-1].place


@pytest.mark.parametrize("value", ["x", 5, ["x"]])
def test_details_that_are_no_object_are_a_fault(value: object) -> None:
    document = {"format": "crosstable-event/1", "event": {"details": value}, "sections": []}
    (fault,) = read(json.dumps(document).encode()).faults
    assert (fault.code, fault.place) == ("wrong-type", "event.details")


@pytest.mark.parametrize(
    ("written", "text"),
    [("w 04 B", "W4b"), (" d2", "D2"), ("x", "X"), ("H0", "H"), ("*", "*"), ("", ""), ("  ", ""), ("Bw", "Bw")],
)
def test_a_cell_is_tidied(written: str, text: str) -> None:
    cell = read_cell(written)
    assert (cell.text, written_cell(cell)) == (text, text)
    assert read_cell(text) == cell


@pytest.mark.parametrize("text", ["4", "Q4", "W4x", "W1234567", "win", "0-1", "\N{ARABIC-INDIC DIGIT FOUR}", "W\u0664"])
def test_what_is_no_result_stays_as_it_is(text: str) -> None:
    cell = read_cell(text)
    assert (cell.result, cell.text) == (None, text)
    assert written_cell(cell) == text


def test_an_unknown_cell_that_looks_like_a_result_never_becomes_one() -> None:
    """Another format may call unknown what would be a win here."""
    assert written_cell(ReportedCell("W4", None, 0, "")) == "?W4"
    assert read_cell("?W4").result is None


def test_cells_that_are_no_texts_are_unknown_and_stay_so() -> None:
    players = [{"number": 1, "rounds": [4, 4.5, True, [["W4"]], {"W": 4}, None, 10**30]}]
    document = {"format": "crosstable-event/1", "event": {}, "sections": [{"players": players}]}
    report = read(json.dumps(document).encode()).report
    cells = report.sections[0].players[0].cells
    assert [cell.result for cell in cells] == [None] * 5 + [Result.BLANK, None]
    assert [cell.text for cell in cells[:3]] == ["4", "4.5", "True"]
    assert read(write(report)).report == report._replace(place="event.json")


def test_half_a_character_is_written_as_its_escape() -> None:
    cell = ReportedCell("?\ud800", None, 0, "")
    player = ReportedPlayer(1, "", "Óne", (cell,), Background(), "")
    section = ReportedSection(1, "", SectionType.SWISS, False, (), (), None, None, (player,), "")
    report = Report("", "", None, None, (section,), "")
    assert without_places(read(write(report)).report) == without_places(report)


@pytest.mark.parametrize(
    "controls",
    [("G/60;d5",), ("Round 1: G/45;d5",), ("G/60;d5", "G/60;d5"), ("x" * 400, "G/5;d0"), ("a: b",)],
)
def test_time_controls_are_read_back_as_they_were(controls: tuple[str, ...]) -> None:
    section = ReportedSection(1, "", SectionType.SWISS, False, controls, (), None, None, (), "")
    assert read(write(Report("", "", None, None, (section,), ""))).report.sections[0].time_controls == controls


def test_a_list_of_time_controls_says_what_is_wrong_with_its_items() -> None:
    controls = ["G/60;d5", 5, "", "a\nb", " G/30;d5 "]
    document = {"format": "crosstable-event/1", "event": {}, "sections": [{"time_control": controls, "players": []}]}
    reading = read(json.dumps(document).encode())
    assert reading.report.sections[0].time_controls == ("G/60;d5", "G/30;d5")
    assert [(fault.code, fault.place) for fault in reading.faults] == [
        ("wrong-type", "sections[0].time_control[1]"),
        ("bad-value", "sections[0].time_control[3]"),
    ]


def test_a_schedule_longer_than_any_other_text_is_read_round_by_round() -> None:
    text = ", ".join(f"Round {number}: G/60;d5" for number in range(1, 41))
    document = {"format": "crosstable-event/1", "event": {}, "sections": [{"time_control": text, "players": []}]}
    assert read(json.dumps(document).encode()).report.sections[0].time_controls == ("G/60;d5",) * 40


_TEXTS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), max_size=12)
_DAYS = st.none() | st.dates(date(1900, 1, 1), date(2100, 1, 1))
_RATINGS = st.floats(1, 4000)  # rating lists write 0 for unrated
_COUNTS = st.none() | st.integers(0, 10**6)
_LEVELS = st.floats(100, 4000)
_FLAGS = st.none() | st.booleans()
_DETAILS = st.dictionaries(_TEXTS, _TEXTS.filter(bool), max_size=3)
_CELLS = st.builds(
    lambda letter, number, colour: read_cell(f"{letter}{number}{colour}"),
    st.sampled_from([result.value for result in Result if result.value] + ["?", "Q"]),
    st.integers(0, 10**6 - 1),
    st.sampled_from(["", "w", "b"]),
)
_KINDS = [FloorKind.MONEY, FloorKind.LIFE_MASTER, FloorKind.OFFICE]
_STANDINGS = st.builds(
    PlayerRating,
    rating=_RATINGS,
    games=st.none() | st.floats(0, 10**6),
    wins=_COUNTS,
    draws=_COUNTS,
    losses=_COUNTS,
    events=_COUNTS,
    peak=st.none() | _RATINGS,
    peak_since_2010=st.none() | _RATINGS,
    games_at_2200=st.integers(0, 10**6),
    match_changes=st.lists(st.builds(MatchChange, _DAYS.filter(bool), st.floats(-4000, 4000)), max_size=2).map(tuple),
    as_of=_DAYS,
    floors=st.lists(st.builds(Floor, st.sampled_from(_KINDS), _LEVELS), max_size=2).map(tuple),
    ceiling=st.none() | _LEVELS,
    lowered_floor=st.none() | _LEVELS,
    published=st.none() | _RATINGS,
)
_OUTSIDE = st.none() | st.builds(OutsideRating, _RATINGS, _DAYS)
_BACKGROUNDS = st.builds(
    Background,
    standings=st.dictionaries(st.sampled_from(RatingSystem), _STANDINGS, max_size=3),
    fide=_OUTSIDE,
    cfc=_OUTSIDE,
    birth_date=_DAYS,
    birth_year=st.none() | st.integers(1850, 2100),
    adult=_FLAGS,
    canadian_resident=st.booleans(),
    given_start=st.none()
    | st.builds(
        GivenStart,
        _RATINGS,
        st.floats(0, 10),
        st.dictionaries(st.sampled_from(RatingSystem), st.tuples(_RATINGS, st.floats(0, 10)), max_size=2),
        st.just(False),  # an office alone hides starts
    ),
    origin=st.just(""),
    assumed=st.just(()),
)
_PLAYERS = st.builds(
    ReportedPlayer,
    number=st.none() | st.integers(1, 99999),
    member_id=_TEXTS,
    name=_TEXTS,
    cells=st.lists(_CELLS, max_size=4).map(tuple),
    background=_BACKGROUNDS,
    place=st.just(""),
    state=_TEXTS,
    pairing_rating=st.none() | _RATINGS,
    posted=st.dictionaries(
        st.sampled_from(RatingSystem), st.builds(Posted, _RATINGS, st.none() | st.floats(0, 10**6)), max_size=2
    ),
    is_rated=_FLAGS,
    fide_flag=st.none() | _TEXTS,
    is_member=_FLAGS,
    has_opted_in=_FLAGS,
    total=st.none() | st.floats(0, 10**6),
    details=_DETAILS,
)
_SECTIONS = st.builds(
    ReportedSection,
    number=st.none() | st.integers(1, 9999),
    name=_TEXTS,
    kind=st.sampled_from(SectionType),
    is_online=st.booleans(),
    time_controls=st.lists(_TEXTS.filter(bool), max_size=3).map(tuple),
    systems=st.lists(st.sampled_from(RatingSystem), unique=True, max_size=3).map(tuple),
    start=_DAYS,
    end=_DAYS,
    players=st.lists(_PLAYERS, max_size=3).map(tuple),
    place=st.just(""),
    is_half_k=st.booleans(),
    match_waiver=_TEXTS,
    details=_DETAILS,
)
REPORTS = st.builds(
    Report,
    event_id=_TEXTS,
    name=_TEXTS,
    start=_DAYS,
    end=_DAYS,
    sections=st.lists(_SECTIONS, max_size=3).map(tuple),
    place=st.just(""),
    details=_DETAILS,
    faults=st.just(()),
)


@settings(max_examples=150, deadline=None)
@given(REPORTS)
def test_every_report_is_read_back_as_it_was(report: Report) -> None:
    reading = read(write(report))
    assert reading.faults == ()
    assert without_places(reading.report) == report


def _stated(data: bytes) -> Shape | None:
    """What the mutated JSON itself says of its shape."""
    try:
        sections = json.loads(data.decode("utf-8-sig"))["sections"]
        return Shape(len(sections), sum(len(section["players"]) for section in sections))
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def test_damaged_event_files_are_read_or_refused_and_written_back_as_they_were_read() -> None:
    data = json.dumps(EVENT, indent=1).encode()
    original = read(data)
    for mutated in mutations(data, seed=41):
        reading = must_read_or_refuse(read, original, mutated, _stated)
        if reading is not None:
            assert without_places(read(write(reading.report)).report) == without_places(reading.report), mutated


@pytest.mark.parametrize(
    "data",
    [
        b'{"format": "crosstable-event/1", "event": {}, "sections": [{"players": [{"rounds": [' + b"[" * 900,
        b'{"a": 1, ' * 3000,
        b"[" * 100_000,
        b'{"rating": 1' + b"0" * 5000 + b"}",
        b"\xed\xa0\x80",
        b"",
    ],
)
def test_hostile_json_is_refused_by_its_own_error_alone(data: bytes) -> None:
    with pytest.raises(FormatError) as refusal:
        read(data)
    assert refusal.value.fault.place.startswith("event.json")


def test_what_is_no_number_is_a_fault() -> None:
    reading = read(b'{"format": "crosstable-event/1", "event": {}, "sections": [{"number": NaN, "players": []}]}')
    assert "bad-value" in [fault.code for fault in reading.faults]


def test_a_number_beyond_all_bounds_is_a_fault() -> None:
    text = '{"format": "crosstable-event/1", "event": {}, "sections": [{"number": 1%s, "players": []}]}' % ("0" * 400)
    (fault,) = read(text.encode()).faults
    assert (fault.code, fault.place) == ("bad-value", "sections[0].number")


def test_many_unknown_fields_are_answered_quickly_and_in_short() -> None:
    fields = {f"f{number}" + "x" * 500: 1 for number in range(3000)}
    text = json.dumps({"format": "crosstable-event/1", "event": {}, "sections": [], **fields})
    faults = read(text.encode()).faults
    assert len(faults) == 3000
    assert all(len(fault.message) < 120 for fault in faults)
