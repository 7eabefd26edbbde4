"""The published schemas: each is one, says what every field is, and belongs to a format that one place writes."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from crosstable import schemas
from crosstable.calculator.requests import OpponentsAt
from crosstable.errors import Severity
from crosstable.lab.sweeping import METRICS
from crosstable.office.accounts import Role
from crosstable.office.credentials import Scope
from crosstable.office.ledger.journal import EntryKind
from crosstable.office.supplements import Basis
from crosstable.terms import NORM_CODES, FloorKind, Formula, RatingSystem, Source
from tests.architecture.source import PACKAGE, Module, modules, snippet
from tests.documents import name_of

TAG = re.compile(r"crosstable-[a-z-]+/\d+")
# The event file is laid out line by line for people who edit it; plain data get its tag where they are read.
EVENT = "crosstable-event/1"
ON_DISK = {path.name.removesuffix(schemas.SUFFIX) for path in (PACKAGE / "schemas").glob(f"*{schemas.SUFFIX}")}


def shapes(value: Any, place: str = "$") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object shape of a schema with its place."""
    if isinstance(value, dict):
        if isinstance(value.get("properties"), dict):
            yield place, value
        for name, inner in value.items():
            yield from shapes(inner, f"{place}.{name}")
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from shapes(inner, f"{place}[{at}]")


@pytest.mark.parametrize("name", schemas.names())
def test_a_schema_is_one_and_bears_the_tag_of_its_format(name: str) -> None:
    found = schemas.schema(name)
    Draft202012Validator.check_schema(found)
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert name_of(found["title"]) == name
    assert found["properties"]["format"]["const"] == found["title"]
    assert found["description"]
    assert found["$comment"].startswith("crosstable ")


@pytest.mark.parametrize("name", schemas.names())
def test_every_object_is_closed_and_every_field_described(name: str) -> None:
    found = list(shapes(schemas.schema(name)))
    assert found
    for place, shape in found:
        assert shape["additionalProperties"] is False, place
        assert set(shape.get("required", ())) <= shape["properties"].keys(), place
        undescribed = [field for field, inner in shape["properties"].items() if not inner.get("description")]
        assert undescribed == [], place


@pytest.mark.parametrize("name", schemas.names())
def test_a_schema_holds_what_it_refers_to_and_nothing_else(name: str) -> None:
    found = schemas.schema(name)
    assert set(schemas._references(found)) == found.get("$defs", {}).keys()


def test_a_name_of_a_shape_means_the_same_in_all_files() -> None:
    meanings: dict[str, list[Any]] = {}
    for name in sorted(ON_DISK):
        for shape, inner in schemas._read(name).get("$defs", {}).items():
            meanings.setdefault(shape, []).append(inner)
    assert [shape for shape, found in meanings.items() if len(found) > 1] == []
    assert meanings.keys() & ON_DISK == set()


def test_every_shared_shape_is_shared() -> None:
    used = Counter(shape for name in schemas.names() for shape in schemas.schema(name).get("$defs", {}))
    assert [shape for shape in schemas._read("shared")["$defs"] if used[shape] < 2] == []


def test_a_document_within_another_is_the_whole_of_it() -> None:
    """A report of the laboratory holds a back-test, whose own shapes come with it."""
    report, backtest = schemas.schema("lab-report"), schemas.schema("backtest")
    assert report["$defs"]["backtest"]["properties"] == backtest["properties"]
    assert backtest["$defs"].keys() < report["$defs"].keys()


def test_components_refer_to_one_another_in_their_place() -> None:
    place = "#/components/schemas/"
    found = schemas.components(("rated", "explained"), place)
    assert {"rated", "explained", "fault", "line"} <= found.keys()
    assert {reference.removeprefix(place) for reference in schemas._references(found)} <= found.keys()
    assert found["rated"]["properties"]["accepted"]["items"] == {"$ref": f"{place}accepted"}


# Documents made of a schema


def made_of(shape: Mapping[str, Any], shapes_by_name: Mapping[str, Any]) -> Any:
    """A document with everything that a schema knows, filled with the plainest values."""
    if "$ref" in shape:
        return made_of(shapes_by_name[shape["$ref"].rpartition("/")[2]], shapes_by_name)
    if "const" in shape or "enum" in shape:
        return shape["const"] if "const" in shape else shape["enum"][0]
    if "anyOf" in shape:
        return made_of(shape["anyOf"][0], shapes_by_name)
    kind = shape.get("type", "null")
    match kind if isinstance(kind, str) else kind[0]:
        case "object":
            return {name: made_of(inner, shapes_by_name) for name, inner in shape.get("properties", {}).items()}
        case "array":
            items = shape.get("prefixItems") or [shape["items"]] * shape.get("minItems", 1)
            return [made_of(one, shapes_by_name) for one in items]
        case "string":
            return {"date": "2026-07-04", "date-time": "2026-07-04T12:00:00Z"}.get(shape.get("format", ""), "text")
        case plain:
            return {"number": 1.5, "integer": 1, "boolean": True, "null": None}[plain]


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object of a document."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(inner)


@pytest.mark.parametrize("name", schemas.names())
def test_a_field_more_or_less_anywhere_is_a_fault(name: str) -> None:
    """Fields that may be missing are left alone; so are objects that hold whatever names there are."""
    found = schemas.schema(name)
    document, check = made_of(found, found.get("$defs", {})), Draft202012Validator(found)
    assert list(check.iter_errors(document)) == []
    required = {frozenset(shape["properties"]): set(shape.get("required", ())) for _, shape in shapes(found)}
    for one in objects(document):
        if frozenset(one) not in required:
            assert not one
            continue
        one["unheard_of"] = 1
        assert not check.is_valid(document)
        del one["unheard_of"]
        for field in required[frozenset(one)]:
            value = one.pop(field)
            assert not check.is_valid(document), field
            one[field] = value
    assert check.is_valid(document)


# Values that are the code's


def values_of(name: str, *path: str) -> set[str]:
    """The values that a schema lists at a place, null aside."""
    found: Any = schemas.schema(name)
    for step in path:
        found = found[step]
    return {value for value in found["enum"] if value is not None}


def test_lists_of_values_are_those_of_the_code() -> None:
    """A severity more than the code has is allowed: findings that must be confirmed are documented already."""
    floors = {kind.name.lower() for kind in FloorKind if kind is not FloorKind.NONE}
    player = ("$defs", "player_result", "properties")
    assert values_of("rated", "$defs", "system") == set(RatingSystem.__members__)
    assert values_of("rated", "$defs", "floor", "properties", "name") == floors
    assert values_of("rated", "$defs", "source", "properties", "source") == set(Source.__members__)
    assert values_of("rated", *player, "formula") == {kind.name.lower() for kind in Formula if kind is not Formula.NONE}
    assert values_of("rated", *player, "norm") == set(NORM_CODES)
    assert values_of("rated", "$defs", "fault", "properties", "severity") >= {one.value for one in Severity}
    estimated = ("$defs", "estimated", "properties")
    assert values_of("estimate", *estimated, "opponents_at") == {one.value for one in OpponentsAt}
    assert values_of("estimate", *estimated, "floor", "properties", "kind") == floors
    assert values_of("office-log", "$defs", "entry_kind") == {one.value for one in EntryKind}
    each = ("items", "properties")
    assert values_of("office-users", "properties", "users", *each, "role") == {one.value for one in Role}
    assert values_of("office-tokens", "properties", "tokens", *each, "scope") == {one.value for one in Scope}
    assert values_of("office-list", "properties", "basis") == {one.value for one in Basis}
    assert values_of("sweep", "properties", "metric") == set(METRICS)


# Where formats are written


def tags(found: tuple[Module, ...]) -> Counter[str]:
    """How often each tag stands in code; sentences that name a format are not counted."""
    return Counter(
        node.value
        for module in found
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and TAG.fullmatch(node.value)
    )


def writers(found: tuple[Module, ...]) -> Counter[str]:
    """How often a document with each tag is put together: ``{"format": FORMAT, …}``."""
    constants = {module.name: dict(_constants(module)) for module in found}
    return Counter(tag for module in found for tag in _written(module, constants))


def _constants(module: Module) -> Iterator[tuple[str, str]]:
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            yield from ((one.id, str(node.value.value)) for one in node.targets if isinstance(one, ast.Name))


def _written(module: Module, constants: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    names = dict(constants[module.name])
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom):
            theirs = constants.get(node.module or "", {})
            names |= {one.asname or one.name: theirs[one.name] for one in node.names if one.name in theirs}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "format":
                    said = value.value if isinstance(value, ast.Constant) else names.get(ast.unparse(value), "")
                    if TAG.fullmatch(str(said)):
                        yield str(said)


def test_every_format_has_a_schema_and_one_place_that_writes_it() -> None:
    every = {schemas.schema(name)["title"] for name in schemas.names()}
    assert tags(modules()) == Counter([*every, EVENT])
    assert writers(modules()) == Counter([*every, EVENT])


def test_a_second_writer_is_found() -> None:
    one = snippet("crosstable.one", 'FORMAT = "crosstable-x/1"\ndef f(): return {"format": FORMAT}\n')
    other = snippet(
        "crosstable.other", 'from crosstable.one import FORMAT\ndef g(): return {"a": 1, "format": FORMAT}\n'
    )
    third = snippet("crosstable.third", '"""Prints crosstable-x/1."""\nprint({"format": "crosstable-x/1"})\n')
    assert writers((one,)) == {"crosstable-x/1": 1}
    assert writers((one, other)) == {"crosstable-x/1": 2}
    assert tags((one, other)) == {"crosstable-x/1": 1}
    assert tags((one, third)) == writers((one, third)) == {"crosstable-x/1": 2}
