"""The rows of sections of a record as entries and games of an archive: all that rows say, or what a replay needs.

A compiled replay of a whole record reads no texts. Whole sections are then read together and made into games at once,
so that the texts of millions of rows are never all there.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from sqlalchemy import ColumnElement, and_, select

from crosstable.history.archive import table_of
from crosstable.history.archive_tables import NO_MEMBER
from crosstable.office import tables
from crosstable.office.bulk.cells import Rows, games_of, parsed, unplayed_of
from crosstable.office.bulk.frames import portions_of, schema_of
from crosstable.office.ledger.facts import Record
from crosstable.office.ledger.journal import canonical
from crosstable.terms import SectionType

Array = Any
# So many rows are taken apart at a time; where no texts are kept, so many.
_TOGETHER, _LEAN_TOGETHER = 500_000, 100_000
# Of what a row says beside its columns, only this matters for ratings.
_TELLING = ('"rate"', '"fide', '"start"')
_ENTRY = ("event_id", "section", "act", "row", "number", "member_id", "name", "rounds", "extra")
_PLACE = ("event_id", "section", "act")
_ABROAD = (SectionType.FOREIGN_FIDE.value, SectionType.FOREIGN_FIDE_YOUTH.value)
_LEAN_ENTRY, _LEAN_GAME = ("number", "member"), ("first", "second", "result")
_EXTRAS: Mapping[str, pl.DataType] = {
    "rate": pl.Boolean(),
    "fide": pl.Float64(),
    "fide_as_of": pl.String(),
    "fide_flag": pl.String(),
    "fide_opt_in": pl.Boolean(),
    "start_rating": pl.Float64(),
    "start_games": pl.Float64(),
    "other_starts": pl.String(),
}


class Placed(NamedTuple):
    """The rows of an archive's sections: entries, games, and the cells of entries as they were submitted.

    ``told`` are the entries of sections of which more is told, where the others have been left without it.
    """

    entries: pl.DataFrame
    games: pl.DataFrame
    rounds: pl.Series
    told: pl.DataFrame | None = None


def placed_rows(parts: Iterable[pl.DataFrame], sections: pl.DataFrame, ids: pl.DataFrame, names: pl.Series) -> Placed:
    """The rows of sections that count, in order, with all that they say; ``names`` are those of members."""
    placed = _placed(parts, sections, ids, names)
    return Placed(*_entries(placed), placed["rounds"])


def lean_rows(record: Record, sections: pl.DataFrame, ids: pl.DataFrame) -> Placed:
    """The same of a whole record without texts."""
    places = sections.select("event_id", pl.col("number").alias("section"), "act", "kind").with_row_index("at")
    entries, games, told = list[pl.DataFrame](), list[pl.DataFrame](), list[pl.DataFrame]()
    for rows in _whole_parts(record):
        joined = rows.join(places, on=_PLACE).join(ids, on="member_id", how="left").sort("at", "row")
        placed = joined.with_columns(pl.col("at").alias("section"), pl.col("member").fill_null(NO_MEMBER))
        own = Rows(placed["section"].to_numpy(), placed["number"].to_numpy())
        entries.append(placed.select("section", *_LEAN_ENTRY))
        games.append(games_of(parsed(placed["rounds"]), own).select("section", *_LEAN_GAME))
        told.append(_told(placed))
    nothing = table_of("entries", {name: [] for name in ("section", *_LEAN_ENTRY)})
    return Placed(
        _in_sections(entries, sections.height, nothing.select("section", *_LEAN_ENTRY)),
        _in_sections(games, sections.height, table_of("games", _no_games()).select("section", *_LEAN_GAME)),
        pl.Series("rounds", [], dtype=pl.String),
        pl.concat([nothing, *told], how="diagonal").sort("section", maintain_order=True),
    )


def section_starts(rows: pl.DataFrame) -> Array:
    """Where sections begin in rows of which those of a section follow upon each other."""
    is_other = pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift()) for name in _PLACE)
    found = rows.select(is_other).to_series().to_numpy()
    return np.flatnonzero(np.concatenate([[True], found[1:]]))


def _told(placed: pl.DataFrame) -> pl.DataFrame:
    """All that is said of the rows of those sections of which more is told."""
    tells = placed["extra"].is_not_null() | placed["kind"].is_in(_ABROAD)
    rows = placed.filter(placed["section"].is_in(placed["section"].filter(tells).unique().implode()))
    return table_of("entries", {**rows.select("section", *_LEAN_ENTRY).to_dict(), **_extras(rows["extra"]).to_dict()})


def _in_sections(parts: list[pl.DataFrame], sections: int, nothing: pl.DataFrame) -> pl.DataFrame:
    """Parts with whole sections as one frame by section; of the parts nothing is left."""
    counts = np.zeros(sections, dtype=np.int64)
    for part in parts:
        more = np.bincount(part["section"].to_numpy(), minlength=sections)
        if ((counts > 0) & (more > 0)).any():  # as a damaged store may give them
            raise ValueError("the rows of a section do not follow upon each other")
        counts += more
    starts = np.cumsum(counts) - counts
    made = {name: np.empty(int(counts.sum()), nothing[name].to_numpy().dtype) for name in nothing.columns[1:]}
    while parts:
        part = parts.pop()
        section = part["section"].to_numpy()
        places = starts[section] + np.arange(len(section)) - np.searchsorted(section, section)
        for name, column in made.items():
            column[places] = part[name].to_numpy()
    return pl.DataFrame({"section": np.repeat(np.arange(sections, dtype=np.uint32), counts), **made})


def _whole_parts(record: Record) -> Iterator[pl.DataFrame]:
    """All rows that may count, in parts that have whole sections."""
    table, names = tables.entry, [name for name in _ENTRY if name != "name"]
    query = select(*(table.c[name] for name in names)).order_by(*(table.c[name] for name in _PLACE))
    query = query.where(table.c.act <= record.through, table.c.number.is_not(None))
    waiting, height = list[pl.DataFrame](), 0
    for portion in portions_of(record.connection, query, schema_of(table, names)):
        waiting.append(_telling(portion))
        height += portion.height
        if height >= _LEAN_TOGETHER:
            rows = pl.concat(waiting)
            cut = int(section_starts(rows)[-1])
            yield rows[:cut]
            waiting, height = [rows[cut:]], rows.height - cut
    if waiting:
        yield pl.concat(waiting)


def _entries(rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows of sections and their games."""
    number = rows["number"].to_numpy()
    section = rows["section"].to_numpy()
    unplayed, games = [pl.Series("text", [], dtype=pl.String)], [table_of("games", _no_games())]
    for first, last in whole_sections(section):
        cells = parsed(rows["rounds"][first:last])
        part = Rows(section[first:last], number[first:last])
        games.append(games_of(cells, part))
        unplayed.append(unplayed_of(cells))
    extras = _extras(rows["extra"])
    columns = {name: rows[name] for name in ("section", "number", "member", "name")}
    made = table_of("entries", {**columns, **extras.to_dict(), "unplayed": pl.concat(unplayed)})
    return made, pl.concat(games, rechunk=True)


def _no_games() -> dict[str, list[int]]:
    return {name: [] for name in ("section", "round", "first", "second", "result", "colour")}


def whole_sections(section: Array) -> Sequence[tuple[int, int]]:
    """Whole sections together, about so many rows at a time."""
    if not len(section):
        return []
    starts = np.flatnonzero(np.concatenate([[True], section[1:] != section[:-1]]))
    wanted = np.arange(0, len(section), _TOGETHER)
    cuts = np.unique(starts[np.searchsorted(starts, wanted, side="right") - 1])
    return list(zip(cuts.tolist(), [*cuts[1:].tolist(), len(section)], strict=True))


def rows_where(record: Record, where: Sequence[ColumnElement[bool]]) -> pl.DataFrame:
    """The rows of sections that conditions pick, of all their versions: few are old."""
    return pl.concat([*parts_where(record, where)])


def parts_where(record: Record, where: Sequence[ColumnElement[bool]]) -> Iterator[pl.DataFrame]:
    """The same, many rows at a time; one part at least."""
    table, section = tables.entry, tables.section
    query = select(*(table.c[name] for name in _ENTRY))
    query = query.where(table.c.act <= record.through, table.c.number.is_not(None))
    if where:
        same = [table.c.event_id == section.c.event_id, table.c.section == section.c.number]
        query = query.join(section, and_(*same, table.c.act == section.c.act)).where(*where)
    schema = schema_of(table, _ENTRY)
    waiting, height = [_telling(pl.DataFrame(schema=schema))], 0
    for portion in portions_of(record.connection, query, schema):
        waiting.append(_telling(portion))
        height += portion.height
        if height >= _TOGETHER:
            yield pl.concat(waiting)
            waiting, height = waiting[:1], 0
    yield pl.concat(waiting)


def _telling(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with those of their extras that matter for ratings."""
    return rows.with_columns(
        pl.when(pl.col("extra").str.contains_any(list(_TELLING))).then(pl.col("extra")).alias("extra")
    )


def _placed(parts: Iterable[pl.DataFrame], sections: pl.DataFrame, ids: pl.DataFrame, names: pl.Series) -> pl.DataFrame:
    """The rows of sections that count, with the numbers of their sections and members, in order.

    Part by part: the ids of millions of rows take more room than all the rest.
    """
    places = sections.select("event_id", pl.col("number").alias("section"), "act").with_row_index("at")
    people = pl.DataFrame({"own": names}).with_row_index("member").with_columns(pl.col("member").cast(pl.Int32))
    made = []
    for rows in parts:
        joined = rows.join(places, on=_PLACE).join(ids, on="member_id", how="left")
        joined = joined.join(people, on="member", how="left")
        made.append(
            joined.select(
                pl.col("at").alias("section"),
                "row",
                "number",
                pl.col("member").fill_null(NO_MEMBER),
                pl.when(pl.col("name") == pl.col("own")).then(None).otherwise(pl.col("name")).alias("name"),
                "rounds",
                "extra",
            )
        )
    return pl.concat(made).sort("section", "row")


def _extras(texts: pl.Series) -> pl.DataFrame:
    """What rows say beside their columns."""
    places = np.flatnonzero(texts.is_not_null().to_numpy())
    said = pl.DataFrame([_said(json.loads(text)) for text in texts.gather(places)], schema=dict(_EXTRAS), orient="row")
    index = np.zeros(texts.len(), dtype=np.int64)
    index[places] = np.arange(1, len(places) + 1)
    nothing = pl.DataFrame({name: [None] for name in _EXTRAS}, schema=dict(_EXTRAS))
    made = pl.concat([nothing, said])[index]
    return made.with_columns(pl.col("fide_as_of").str.to_date("%Y-%m-%d"))


def _said(extra: Mapping[str, Any]) -> tuple[Any, ...]:
    fide, start = extra.get("fide") or (None, None), extra.get("start") or (None, None)
    flags = extra.get("rate"), extra.get("fide_flag"), extra.get("fide_opt_in")
    others = canonical(extra["starts"]) if "starts" in extra else None
    return (flags[0], _real(fide[0]), fide[1], flags[1], flags[2], _real(start[0]), _real(start[1]), others)


def _real(value: float | None) -> float | None:
    return None if value is None else float(value)
