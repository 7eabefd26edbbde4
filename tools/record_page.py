"""The page about the rating record, and its shape in the event file's schema: both from the one list of its fields."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from crosstable.history.archive_tables import TABLES
from crosstable.history.kernel.arrays import RECORD
from crosstable.limits import HIGHEST_RATING
from crosstable.office import tables
from crosstable.record_rows import POSTED, posted_name
from crosstable.rules.editions import LOWEST_FLOOR
from crosstable.terms import RECORD_FIELDS, FieldKind, Kept

SCHEMA = Path(__file__).resolve().parent.parent / "src" / "crosstable" / "formats" / "event.schema.json"
_MOST = 1_000_000
_ORIGINS = ("money", "life_master", "office")
_INTRODUCTION = """# The rating record

{note}

What is known of a player in one rating system, before or after a section. The fields are listed once, in
`crosstable.terms.PlayerRating`; the shapes below follow from that list. A field is not known where it is empty or
`null`, in arrays where it is NaN, infinite, -1 or 0 by its kind.

| field | meaning | event file | sheet column | archive | database | compiled replay |
|---|---|---|---|---|---|---|
"""


def record_page(note: str) -> str:
    """The page as Markdown."""
    archive = {column.name: column for column in TABLES["openings"]}
    lines = []
    for name, kept in RECORD_FIELDS.items():
        told = kept.in_files or name
        column = archive[name]
        kind = str(column.dtype).lower()
        posted = f", `posting.{posted_name(name)}`" if name in POSTED else ""
        array = f"`{name}`, {RECORD[name]}" if name in (RECORD.names or ()) else "beside the record"
        lines.append(
            f"| `{name}` | {kept.meaning} | `{told}` | `OTBR {told.replace('_', ' ')}` "
            f"| `{name}`, {kind}{'?' if column.may_be_null else ''} "
            f"| `opening.{name}` {tables.opening.c[name].type}{posted} | {array} |\n"
        )
    return _INTRODUCTION.format(note=note) + "".join(lines)


def event_schema() -> str:
    """The event file's schema with the rating record as the list of fields has it."""
    schema = json.loads(SCHEMA.read_text("utf-8"))
    schema["$defs"]["standing"]["properties"] = {
        kept.in_files or name: _property(name, kept) for name, kept in RECORD_FIELDS.items()
    }
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def _property(name: str, kept: Kept) -> dict[str, Any]:
    said = {"description": kept.meaning}
    if kept.kind is FieldKind.FLOORS:
        level = {"level": _number("number", LOWEST_FLOOR, HIGHEST_RATING), "origin": {"enum": list(_ORIGINS)}}
        floor = {"type": "object", "required": ["level"], "properties": level, "additionalProperties": False}
        number = _number(["number", "null"], LOWEST_FLOOR, HIGHEST_RATING)
        return {**said, "anyOf": [number, floor, {"type": "array", "items": floor}]}
    if kept.kind is FieldKind.CHANGES:
        change = {"date": _DAY | {"type": "string"}, "change": _number("number", -HIGHEST_RATING, HIGHEST_RATING)}
        item = {"type": "object", "required": ["date", "change"], "additionalProperties": False, "properties": change}
        return {**said, "type": ["array", "null"], "items": item}
    return {**said, **_PLAIN[kept.kind](name)}


def _number(kind: str | list[str], least: float, most: float) -> dict[str, Any]:
    return {"type": kind, "minimum": int(least), "maximum": int(most)}


_DAY = {"type": ["string", "null"], "format": "date", "pattern": r"^\d{4}-\d{2}-\d{2}$"}
_PLAIN: Mapping[FieldKind, Callable[[str], dict[str, Any]]] = {
    FieldKind.RATING: lambda name: _number("number" if name == "rating" else ["number", "null"], 0, HIGHEST_RATING),
    FieldKind.GAMES: lambda _: _number(["number", "null"], 0, _MOST),
    FieldKind.COUNT: lambda _: _number(["integer", "null"], 0, _MOST),
    FieldKind.LEVEL: lambda _: _number(["number", "null"], LOWEST_FLOOR, HIGHEST_RATING),
    FieldKind.DAY: lambda _: _DAY,
}
