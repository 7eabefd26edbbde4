"""The JSON Schemas of the documents that crosstable prints and writes, one file for each format.

Shapes that several formats share stand in ``shared.schema.json``. A schema as it is published holds all it refers to,
so that whoever has it needs no other file. Nothing that rates reads these files: they are for readers of documents.
"""

import json
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Any

SUFFIX = ".schema.json"
_SHARED = "shared"
_HERE = "#/$defs/"


def names() -> tuple[str, ...]:
    """Every format that has a schema here, by the name of its tag: ``rated`` for ``crosstable-rated/1``."""
    every = (one.name.removesuffix(SUFFIX) for one in files(__name__).iterdir() if one.name.endswith(SUFFIX))
    return tuple(sorted(name for name in every if name != _SHARED))


def schema(name: str) -> dict[str, Any]:
    """The schema of a format with everything that it refers to."""
    found = _read(name)
    own, shared = found.pop("$defs", {}), _read(_SHARED)["$defs"]
    known: dict[str, Any] = {}
    waiting = list(_references(found))
    while waiting:
        wanted = waiting.pop(0)
        if wanted in known:
            continue
        shape = own.get(wanted) or shared.get(wanted)
        if shape is None:  # a whole document within another
            shape = _read(wanted)
            own |= shape.pop("$defs", {})
            del shape["$schema"], shape["$comment"]
        known[wanted] = shape
        waiting += _references(shape)
    return {**found, "$defs": known} if known else found


def components(wanted: Iterable[str], place: str) -> dict[str, Any]:
    """Schemas and all their shapes side by side, by name, for a description in which they stand at ``place``."""
    found: dict[str, Any] = {}
    for name in wanted:
        one = schema(name)
        shapes = one.pop("$defs", {})
        del one["$schema"], one["$comment"]
        found |= {**shapes, name: one}
    moved = json.loads(json.dumps(found).replace(f'"$ref": "{_HERE}', f'"$ref": "{place}'))
    assert isinstance(moved, dict)
    return moved


def _read(name: str) -> dict[str, Any]:
    found = json.loads(files(__name__).joinpath(f"{name}{SUFFIX}").read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def _references(value: object) -> Iterator[str]:
    """The names of the shapes that a shape refers to, in order."""
    if isinstance(value, list):
        for inner in value:
            yield from _references(inner)
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name == "$ref":
                yield str(inner).removeprefix(_HERE)
            else:
                yield from _references(inner)
