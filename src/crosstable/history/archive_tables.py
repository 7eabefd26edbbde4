"""The tables of an archive, as data: their columns, what each may hold, and what its small numbers stand for.

Row numbers are references: ``member`` is a row of ``members``, ``section`` a row of ``sections``, both counted from 0.
``docs/archive.md`` says the same for people who read archives with other tools; a test holds the two together.
"""

import json
from collections.abc import Container, Mapping
from typing import NamedTuple

import polars as pl

from crosstable.record_rows import is_needed, starts_by_system
from crosstable.terms import RECORD_FIELDS, FieldKind, RatingSystem, Result, SectionType

FORMAT = "crosstable-archive/1"
HEADING = "archive.json"

# What the numbers in ``kind`` and ``body`` stand for: positions in these lists.
KINDS = tuple(SectionType)
# From this kind on events abroad.
FIRST_ABROAD = KINDS.index(SectionType.FOREIGN_FIDE)
FIDE, CFC = range(2)
BODIES = ("FIDE", "CFC")
NO_MEMBER = -1
# Added to a result that counts on the row of ``first`` alone.
ONE_SIDED = 4
# By ``result``: what the row of ``first`` shows, and what the row of ``second`` shows.
RESULTS: Mapping[int, tuple[Result, Result | None]] = {
    0: (Result.LOSS, Result.WIN),
    1: (Result.DRAW, Result.DRAW),
    2: (Result.WIN, Result.LOSS),
    ONE_SIDED: (Result.LOSS_ONE_SIDED, None),
    ONE_SIDED + 1: (Result.DRAW_ONE_SIDED, None),
    ONE_SIDED + 2: (Result.WIN_ONE_SIDED, None),
}
# By ``colour``: the colour of ``first`` and of ``second``.
COLOURS = (("", ""), ("w", "b"), ("b", "w"))
# Several time controls of one section, a control per round, stand in one text with this between them.
BETWEEN_CONTROLS = "|"


class Column(NamedTuple):
    """A column of a table; one that may be null is null where nothing is known or nothing applies.

    An optional column is left out, in files and in memory, where it would be null in every row.
    """

    name: str
    dtype: pl.DataType
    may_be_null: bool = False
    is_optional: bool = False


def _columns(**columns: str) -> tuple[Column, ...]:
    """Columns from their types as they are documented; a question mark says that nulls are allowed."""
    made = []
    for name, text in columns.items():
        words = text.split()
        made.append(Column(name, _TYPES[words[0].removesuffix("?")], words[0].endswith("?"), "optional" in words))
    return tuple(made)


_TYPES: Mapping[str, pl.DataType] = {
    "text": pl.String(),
    "date": pl.Date(),
    "boolean": pl.Boolean(),
    "float64": pl.Float64(),
    "int32": pl.Int32(),
    "uint8": pl.UInt8(),
    "uint16": pl.UInt16(),
    "uint32": pl.UInt32(),
}

_MEMBER = _columns(
    member_id="text",
    name="text",
    state="text",
    birth_date="date?",
    adult="boolean?",
    canadian_resident="boolean",
    fide_id="text",
    cfc_id="text",
    fide_flag="text",
    member_until="date?",
    birth_year="int32? optional",
    age_lists="boolean? optional",
)
_RECORD: Mapping[FieldKind, str] = {
    FieldKind.RATING: "float64",
    FieldKind.GAMES: "float64",
    FieldKind.COUNT: "int32",
    FieldKind.DAY: "date",
    FieldKind.LEVEL: "float64",
    FieldKind.FLOORS: "text",
    FieldKind.CHANGES: "text",
}
# A starting rating is a rating record with its day.
_OPENING = _columns(
    member="uint32",
    system="uint8",
    **{
        name: _RECORD[kept.kind] + ("" if is_needed(name) or name == "as_of" else "?")
        for name, kept in RECORD_FIELDS.items()
    },
    source="text",
    act="int32",
    member_id="text? optional",
)

TABLES: Mapping[str, tuple[Column, ...]] = {
    "members": (*_MEMBER, *_columns(is_year_only="boolean? optional")),
    "outside": _columns(member="uint32", body="uint8", as_of="date", rating="float64"),
    "openings": _OPENING,
    "decisions": _columns(
        act="int32",
        kind="text",
        member="int32",
        system="uint8?",
        effective="date",
        value="float64?",
        event_id="text",
        section="int32?",
        details="text",
        member_id="text? optional",
    ),
    "sections": _columns(
        event_id="text",
        number="int32",
        event_name="text",
        name="text",
        start="date",
        end="date",
        kind="uint8",
        is_online="boolean",
        time_control="text",
        asked_systems="uint8",
        systems="uint8",
        is_dual_control="boolean",
        is_half_k="boolean",
        match_waiver="text",
        details="text? optional",
    ),
    "entries": _columns(
        section="uint32",
        number="int32",
        member="int32",
        name="text?",
        rate="boolean?",
        fide="float64?",
        fide_as_of="date?",
        fide_flag="text?",
        fide_opt_in="boolean?",
        start_rating="float64?",
        start_games="float64?",
        unplayed="text?",
        other_starts="text? optional",
        member_id="text? optional",
        rounds="text? optional",
        extra="text? optional",
    ),
    "games": _columns(section="uint32", round="uint8", first="uint16", second="uint16", result="uint8", colour="uint8"),
    "merged": (*_MEMBER, *_columns(into_id="text", outside="text?")),
    "earlier_openings": _OPENING,
    "events": _columns(event_id="text", start="date?", end="date?", details="text"),
}
# Tables that an archive has only where they have rows.
OPTIONAL = frozenset({"merged", "earlier_openings", "events"})

# What a compiled replay reads of entries.
LEAN_ENTRIES = ("section", "number", "member")


def other_starts(text: str | None) -> dict[RatingSystem, tuple[float, float]]:
    """Starts set by hand of systems in which they are other ones, from their JSON."""
    return starts_by_system(json.loads(text or "{}"))


def schema_of(table: str) -> dict[str, pl.DataType]:
    """The names and types of the columns that a table always has."""
    return {column.name: column.dtype for column in TABLES[table] if not column.is_optional}


def columns_in(table: str, present: Container[str]) -> list[str]:
    """The columns of a table among those that are present, and those that must be."""
    return [column.name for column in TABLES[table] if not column.is_optional or column.name in present]


def file_of(table: str) -> str:
    """The name of a table's file."""
    return f"{table}.parquet"
