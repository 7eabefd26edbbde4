"""The JSON Schema of the event file says what the reader reads: the same names, the same kinds of values."""

import json
import math
import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from crosstable.formats import event_json
from crosstable.formats.json_fields import Fields
from tests.architecture.source import ROOT
from tests.checks.provoked import CASES, Provoked, sound
from tests.checks.test_event_reader import edge_values, json_values, places_in, replaced
from tests.engine.random_events import random_event
from tests.event_files import EventFile

SCHEMA: dict[str, Any] = json.loads(files("crosstable.formats").joinpath("event.schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER)
SHAPE_CODES = {"wrong-type", "missing-field", "unknown-field", "bad-value", "bad-date"}
SYSTEMS = ("OTBR", "OTBQ", "OTBB", "OLR", "OLQ", "OLB")


def schema_faults(event: object) -> list[str]:
    """What the schema has against a file."""
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(event)]


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_the_example_is_valid() -> None:
    example = json.loads((ROOT / "examples" / "summer-quads.json").read_text("utf-8"))
    assert schema_faults(example) == []


def test_random_events_and_the_sound_file_are_valid() -> None:
    assert schema_faults(sound()) == []
    for seed in range(300):
        assert schema_faults(random_event(seed)[0]) == [], seed


def is_about_text(message: str) -> bool:
    """Whether a fault is about characters or lengths of a text, which the schema leaves to the reader."""
    return "too long or" in message


def reader_faults(event: object) -> list[str]:
    """What the reader has against the shape of a file, texts apart."""
    faults = event_json.read(json.dumps(event).encode(), "event.json").faults
    return [fault.message for fault in faults if not is_about_text(fault.message)]


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.code in SHAPE_CODES and reader_faults(case.event)],
    ids=lambda case: f"{case.code}-{case.places[0]}",
)
def test_what_the_reader_finds_wrong_in_the_shape_is_invalid(case: Provoked) -> None:
    assert schema_faults(case.event)


# The same names


def full_event() -> EventFile:
    """An event file with every object that the reader knows."""
    event = sound()
    record = {"rating": 1500, "match_changes": [{"date": "2025-01-01", "change": 1.0}], "floor": {"level": 1200}}
    player = event["sections"][0]["players"][0]
    player["ratings"] = {name: dict(record) for name in SYSTEMS} | {"FIDE": {"rating": 1500}, "CFC": {"rating": 1500}}
    player["ratings"]["OTBQ"]["floor"] = [{"level": 1200}]
    player |= {"posted": {name: {"rating": 1500} for name in SYSTEMS}, "start": {"rating": 1500, "games": 0}}
    player["start"] |= {name: {"rating": 1400, "games": 2} for name in SYSTEMS}
    for each in (event["event"], event["sections"][0], player):
        each["details"] = {"city": "Reno"}
    return event


def schema_names(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, frozenset[str]]]:
    """The path of every object that the schema describes, and the names it may have."""
    if "$ref" in schema:
        yield from schema_names(SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]], path)
    for choice in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from schema_names(choice, path)
    if "items" in schema:
        yield from schema_names(schema["items"], f"{path}[]")
    if "properties" in schema:
        yield path, frozenset(schema["properties"])
        for name, inner in schema["properties"].items():
            yield from schema_names(inner, f"{path}.{name}" if path else name)


def test_the_reader_and_the_schema_know_the_same_names(monkeypatch: pytest.MonkeyPatch) -> None:
    read: dict[str, frozenset[str]] = {}

    def remember(self: Fields, *, also: Sequence[str] = (), **how: str) -> None:
        path = re.sub(r"\[\d+\]", "[]", self.place)
        read[path] = read.get(path, frozenset()) | {*self._seen, *also}

    monkeypatch.setattr(Fields, "warn_of_unknown", remember)
    event_json.read(json.dumps(full_event()).encode(), "event.json")
    described: dict[str, frozenset[str]] = {}
    for path, names in schema_names(SCHEMA):
        described[path] = described.get(path, frozenset()) | names
    # A floor may be a number, an object or a list of objects; only two of the systems show one of the two each.
    for name in SYSTEMS:
        path = f"sections[].players[].ratings.{name}.floor"
        if described[path] == described[f"{path}[]"]:
            described.pop(f"{path}[]" if path in read else path)
    assert read == described


# The same values


@settings(max_examples=400)
@given(st.integers(0, 3000), st.integers(0, 10**6), json_values | edge_values)
def test_what_the_schema_accepts_the_reader_reads_without_a_fault(seed: int, at: int, value: object) -> None:
    """But for 8.0: an integer to JSON Schema, and to the reader a count but no id."""
    assume(not any(isinstance(inner, float) and inner == int(inner) for inner in leaves(value)))
    event, _ = random_event(seed)
    places = places_in(event)
    other = replaced(event, places[at % len(places)], value)
    assert schema_faults(json.loads(json.dumps(other))) or reader_faults(other) == []


def leaves(value: object) -> Iterator[object]:
    """The finite values at the bottom of a JSON value."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)
    elif not isinstance(value, float) or math.isfinite(value):
        yield value
