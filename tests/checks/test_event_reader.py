"""§7: the event file as nobody should write it: the reader gives a reading with its faults, or says why it cannot."""

import copy
import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosstable.checks import check
from crosstable.errors import FormatError
from crosstable.formats import Reading, event_json, file_bytes
from crosstable.pipeline.rating import rate
from crosstable.pipeline.reading import of_reading
from tests.checks.provoked import sound, with_player, with_section
from tests.engine.random_events import random_event
from tests.event_files import EventFile


def reading_of(data: bytes) -> Reading | FormatError:
    """What reading gives; nothing but these two may come out of it."""
    try:
        return event_json.read(data, "event.json")
    except FormatError as error:
        return error


def text_of(event: object) -> str:
    """An event file as text."""
    return json.dumps(event)


def went_all_the_way(data: bytes) -> bool:
    """Read, check, rate and print; whether there were no errors."""
    reading = reading_of(data)
    if isinstance(reading, FormatError):
        return False
    event = rate(of_reading(reading), today=None)
    text = json.dumps(event.to_dict(), allow_nan=False)
    unsound = [section for section in event.examined if section.has_errors]
    assert len(json.loads(text)["sections"]) == (0 if event.is_refused else len(event.examined) - len(unsound))
    return not event.has_errors


# By hand


@pytest.mark.parametrize(
    ("sections", "said"),
    [
        ([{}] * (event_json.MOST_SECTIONS + 1), "There are 10,000 sections; at most 9,999 are read."),
        ([{"players": [{}] * 50_001}] * 2, "There are 100,002 players; at most 100,000 are read."),
    ],
)
def test_more_than_any_event_holds_is_refused_at_once(sections: list[EventFile], said: str) -> None:
    found = reading_of(text_of({"format": event_json.FORMAT, "event": {}, "sections": sections}).encode())
    assert isinstance(found, FormatError)
    assert (found.fault.message, found.fault.remedy) == (said, "Make a file of each event.")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xef\xbb\xbf", "not valid JSON"),
        (b"Caf\xe9", "not UTF-8"),
        (text_of(with_player(name="Muñoz")).encode().replace(b"\\u00f1", b"\xf1"), "not UTF-8"),
        (text_of(sound()).encode("utf-16"), "not UTF-8"),
        (b'{"format": "crosstable-event/1",}', "not valid JSON"),
        (b"[" * 100_000, "not JSON that an event can have"),
        (b'{"a":' * 100_000, "not JSON that an event can have"),
        (b'{"format": ' + b"9" * 5000 + b"}", "not JSON that an event can have"),
        (b"\x00" * 100, "not valid JSON"),
    ],
    ids=["only a mark", "Latin-1", "Latin-1 inside", "UTF-16", "comma", "deep list", "deep object", "digits", "zeros"],
)
def test_what_cannot_be_read_is_said_with_its_place(data: bytes, words: str) -> None:
    raised = reading_of(data)
    assert isinstance(raised, FormatError)
    assert words in raised.fault.message
    assert (raised.fault.code, raised.fault.severity.value) == ("not-readable", "error")
    assert raised.fault.place.startswith("event.json")


def test_the_place_of_broken_json_is_its_line_and_column() -> None:
    raised = reading_of(b'{\n "format": "crosstable-event/1"\n "event": {}}')
    assert isinstance(raised, FormatError)
    assert raised.fault.place == "event.json, line 3, column 2"


def test_a_byte_order_mark_does_no_harm() -> None:
    assert went_all_the_way(b"\xef\xbb\xbf" + text_of(sound()).encode())


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 400, "1e-400"])
def test_a_rating_that_is_no_number_is_a_fault(number: str) -> None:
    """§1: no infinite or missing number may reach a formula; what is nothing but small is zero."""
    reading = reading_of(text_of(sound()).replace("1700.0", number, 1).encode())
    assert isinstance(reading, Reading)
    assert {fault.code for fault in reading.faults} == (set() if number == "1e-400" else {"bad-value"})


def test_a_field_that_stands_twice_is_a_fault() -> None:
    reading = reading_of(text_of(sound()).replace('"member_id"', '"number": 7, "member_id"', 1).encode())
    assert isinstance(reading, Reading)
    assert [(fault.code, fault.message) for fault in reading.faults] == [
        ("bad-value", "The field 'number' stands twice in one object.")
    ]


@pytest.mark.parametrize(
    "name", ["Tab\tbed", "Bell\x07", "Null\x00", "\x1b[31mRed", "Left\u202eright", "Half\ud800", "Line\u2028break"]
)
def test_characters_that_write_on_a_terminal_are_refused(name: str) -> None:
    reading = reading_of(text_of(with_player(name=name)).encode())
    assert isinstance(reading, Reading)
    assert [fault.place for fault in reading.faults] == ["sections[0].players[0].name"]
    assert all(fault.message.isprintable() for fault in reading.faults)


@pytest.mark.parametrize("name", ["Łukasz Żółć", "山田", "O'Neil-Smith, J.", "İbrahim", "José"])
def test_names_of_the_world_are_read(name: str) -> None:
    assert went_all_the_way(json.dumps(with_player(name=name), ensure_ascii=False).encode())
    assert went_all_the_way(json.dumps(with_player(name=name), ensure_ascii=True).encode())


def test_a_misspelt_field_gets_a_hint() -> None:
    reading = reading_of(text_of(with_player(birthdate="1990-01-01")).encode())
    assert isinstance(reading, Reading)
    assert [fault.message for fault in reading.faults] == ["birthdate is not known here (did you mean birth_date?)."]


def _errors(event: EventFile) -> list[tuple[str, str]]:
    """The errors of an event, each with the last part of its place."""
    found = rate(of_reading(event_json.read(text_of(event).encode(), "event.json")), today=None)
    assert found.has_errors == (not found.rated)
    return [(one.code, one.place.rpartition(".")[2]) for one in found.faults if one.severity == "error"]


RATED = {"rating": 1512.0, "games": 40}


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"ratings": None, "rating": {"OTBR": RATED}}, "rating"),
        ({"ratings": None, "rating": "1512/40"}, "rating"),
        ({"ratings": None, "Ratings": {"OTBR": RATED}}, "Ratings"),
        ({"ratings": {}, "pre_rating": 1512}, "pre_rating"),
        ({"ratings": {}, "uscf": "1512P17"}, "uscf"),
        ({"ratings": {}, "fide_rating": 2150}, "fide_rating"),
        ({"ratings": {"OTBR": {"rating": 1512.0, "game": 17}}}, "game"),
        ({"ratings": {"OTBR": {"rating": 1512.0, "Games": 17}}}, "Games"),
        ({"ratings": {"FIDE": {"rating": 2100, "asof": "2026-01-01"}}}, "asof"),
        ({"birth_date": None, "birthDate": "2014-02-03"}, "birthDate"),
        ({"birth_date": None, "dob": "2014-02-03"}, "dob"),
        ({"birth_date": None, "birth_year": None, "yob": 2014}, "yob"),
        ({"adult": None, "Adult": True}, "Adult"),
    ],
)
def test_nobody_is_rated_without_what_stands_under_a_name_that_is_not_known(fields: EventFile, name: str) -> None:
    """A rating that is not understood is an error, never a rating of an unrated player."""
    assert _errors(with_player(**fields)) == [("bad-value", name)]


@pytest.mark.parametrize(("known", "name"), [("type", "Type"), ("k_factor", "kfactor"), ("online", "Online")])
def test_no_section_is_rated_without_what_stands_under_a_misspelt_name(known: str, name: str) -> None:
    assert _errors(with_section(**{known: None, name: "half"})) == [("bad-value", name)]


@pytest.mark.parametrize(
    "fields",
    [
        {"rating": 1512, "birthdate": "2001-01-01", "birth_date": "2001-01-01"},
        {"grade": 5, "prize": 500, "pretty": "yes", "birth_place": "Reno", "rated": True, "phone": "555"},
    ],
)
def test_beside_what_is_known_and_under_other_names_a_field_is_only_told_of(fields: EventFile) -> None:
    assert not _errors(with_player(**fields))


def test_a_very_long_name_of_a_field_gets_none_and_is_shown_in_short() -> None:
    reading = reading_of(text_of(with_player(**{"birth_date" * 10: 1})).encode())
    assert isinstance(reading, Reading)
    assert [fault.message for fault in reading.faults] == [f"{('birth_date' * 10)[:38]} is not known here."]


@pytest.mark.parametrize("control", ["x" * 501, "G/90\x07"])
def test_a_time_control_that_cannot_be_printed_or_never_ends_is_refused(control: str) -> None:
    reading = reading_of(text_of(with_section(time_control=["G/90;d5", control])).encode())
    assert isinstance(reading, Reading)
    assert [(fault.code, fault.place) for fault in reading.faults] == [("bad-value", "sections[0].time_control[1]")]


def test_a_schedule_in_words_is_read_round_by_round() -> None:
    """§1, footnote 1: as old crosstables write it; the slowest control decides."""
    rounds = ", ".join(f"Round {at}: G/{45 if at < 40 else 90};d5" for at in range(1, 41))
    reading = reading_of(text_of(with_section(time_control=rounds)).encode())
    assert isinstance(reading, Reading)
    assert len(rounds) > 500
    assert reading.faults == ()
    (section,) = check(reading.report).sections
    assert [system.name for system in section.section.systems] == ["OTBR"]


def test_ten_thousand_unknown_fields_are_reported_in_good_time() -> None:
    """A hint compares with every known name; a hostile file must not make that cost minutes."""
    fields = {f"birth_dat{at}": at for at in range(10_000)}
    before = time.process_time()
    reading = reading_of(text_of(with_player(**fields)).encode())
    assert isinstance(reading, Reading)
    assert len(reading.faults) == 10_000
    assert time.process_time() - before < 30.0


def test_a_file_of_many_players_is_read_in_good_time() -> None:
    """Five thousand rows, each with a bye: far above any section, and a second or two at most."""
    event = sound()
    event["sections"][0]["players"] += [{"number": at, "rounds": ["U"]} for at in range(4, 5004)]
    before = time.process_time()
    assert went_all_the_way(text_of(event).encode())
    assert time.process_time() - before < 60.0


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_a_file_that_cannot_be_opened_is_not_readable(name: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError) as raised:
        file_bytes(str(tmp_path / name))
    assert raised.value.fault.code == "not-readable"


def test_a_file_larger_than_any_event_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(50_000_001)
    with pytest.raises(FormatError, match="larger than 50 MB"):
        file_bytes(str(path))


# By chance


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
names = st.sampled_from(
    (
        *("format", "event", "sections", "players", "ratings", "OTBR", "FIDE", "rounds", "number", "time_control"),
        *("systems", "type", "floor", "match_changes", "posted", "details", "start", "start_date", "end_date"),
    )
)
likely_objects = st.recursive(
    json_values, lambda inner: st.dictionaries(names, inner | st.lists(inner, max_size=3), max_size=6), max_leaves=10
)


@settings(max_examples=300)
@given(json_values | likely_objects)
def test_any_json_gives_a_reading_or_a_format_error(value: object) -> None:
    went_all_the_way(json.dumps(value).encode("utf-8", "surrogatepass"))


@settings(max_examples=300)
@given(st.binary(max_size=200))
def test_any_bytes_give_a_reading_or_a_format_error(data: bytes) -> None:
    assert not went_all_the_way(data)


def places_in(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value inside a JSON value."""
    found = [path] if path else []
    if isinstance(value, dict):
        return found + [deeper for name, inner in value.items() for deeper in places_in(inner, (*path, name))]
    if isinstance(value, list):
        return found + [deeper for at, inner in enumerate(value) for deeper in places_in(inner, (*path, at))]
    return found


def replaced(event: EventFile, path: tuple[Any, ...], value: object) -> EventFile:
    """A copy of an event file with another value at one place."""
    made = copy.deepcopy(event)
    inner: Any = made
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return made


edge_values = st.sampled_from(
    ("", " ", "W", "W1w", "W99999", "9" * 30, "0001-01-01", "9999-12-31", 0, -1, 1, 2, 0.5, 1e308, -1e308, 99999, True)
)


@settings(max_examples=400)
@given(st.integers(0, 3000), st.integers(0, 10**6), json_values | edge_values)
def test_any_value_at_any_place_of_an_event_is_read_checked_and_rated_or_refused(
    seed: int, at: int, value: object
) -> None:
    """§1: whatever passes the checks can be rated and printed; whatever does not is refused with its faults."""
    event, _ = random_event(seed)
    places = places_in(event)
    went_all_the_way(json.dumps(replaced(event, places[at % len(places)], value)).encode("utf-8", "surrogatepass"))


@settings(max_examples=300)
@given(st.integers(0, 3000), st.integers(0, 10**6))
def test_damaged_bytes_of_an_event_are_read_or_refused(seed: int, damage: int) -> None:
    rng = random.Random(damage)
    data = bytearray(json.dumps(random_event(seed)[0]).encode())
    for _ in range(rng.randint(1, 8)):
        data[rng.randrange(len(data))] = rng.choice(b'{}[],:"0159eE.-\\ntu\xff\x00 W')
    went_all_the_way(bytes(data[: rng.choice((len(data), len(data) // 2, 10))]))
