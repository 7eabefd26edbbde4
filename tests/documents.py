"""Documents against their published schemas: what a command printed or wrote is valid, or the test fails."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator

from crosstable import schemas

PREFIX = "crosstable-"


@cache
def validator(name: str) -> Draft202012Validator:
    """What checks documents of a format."""
    if name == "event":
        found = json.loads(files("crosstable.formats").joinpath("event.schema.json").read_text("utf-8"))
    else:
        found = schemas.schema(name)
    return Draft202012Validator(found, format_checker=Draft202012Validator.FORMAT_CHECKER)


def name_of(tag: str) -> str:
    """The name of a format: ``rated`` of ``crosstable-rated/1``."""
    return tag.removeprefix(PREFIX).rpartition("/")[0]


def faults_of(document: Any) -> list[str]:
    """What the schema of its format has against a document."""
    check = validator(name_of(document["format"]))
    return [f"{error.json_path}: {error.message}" for error in check.iter_errors(json.loads(json.dumps(document)))]


def valid(document: Any) -> Any:
    """The document, which its schema must accept."""
    assert faults_of(document) == []
    return document


def printed(out: str) -> list[Any]:
    """The documents with a format that a command printed, each of which its schema must accept."""
    found = []
    for line in _texts(out):
        document = json.loads(line)
        if isinstance(document, dict) and str(document.get("format", "")).startswith(PREFIX):
            found.append(valid(document))
    return found


def _texts(out: str) -> list[str]:
    """A document in each line, or one in many lines (the event file)."""
    if out.startswith("{\n"):
        return [out]
    return [line for line in out.splitlines() if line.startswith('{"format": "')]
