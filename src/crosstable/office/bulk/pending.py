"""What the acts since the last run touch, as frames; ``ledger.touched`` says the same of a few sections."""

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

import polars as pl
from sqlalchemy import Table, and_, func, select

from crosstable.folding import DAWN, DecisionKind
from crosstable.office import tables
from crosstable.office.bulk.frames import frame_of, schema_of
from crosstable.office.bulk.record import Known
from crosstable.office.ledger.facts import Record, State, latest
from crosstable.office.ledger.touched import decisions_since

_ABOUT_MEMBERS = {"member_id": pl.String(), "act": pl.Int32()}
_SINCE = {"member_id": pl.String(), "day": pl.Date(), "act": pl.Int32()}


class Pending(NamedTuple):
    """Which act touches which section, and which act touches which member from which day on.

    ``first`` is the day from which anything may have changed. ``members`` has the numbers of ids in ``Known.ids``.
    """

    first: date
    sections: pl.DataFrame
    members: pl.DataFrame


def pending_since(record: Record, known: Known, run: int) -> Pending:
    """What the acts after a run touch."""
    sections = _sections(record, run)
    members = _members(record, known, run)
    days = [members["day"].min(), _first_section(known, sections), _first_posting(record, run)]
    found = [day for day in days if isinstance(day, date)]
    return Pending(min(found, default=date.max), sections, members)


def _sections(record: Record, run: int) -> pl.DataFrame:
    table = tables.section
    query = select(table.c.event_id, table.c.number, table.c.act)
    query = query.where(table.c.act > run, table.c.act <= record.through, table.c.state != State.REQUESTED.value)
    schema = {"event_id": pl.String(), "section": pl.Int32(), "act": pl.Int32()}
    written = frame_of(record.connection, query, schema)
    granted = [
        (decision.event_id, decision.section, act)
        for act, decision in decisions_since(record, run)
        if decision.kind is DecisionKind.GRANT_MATCH_FLOOR and decision.section is not None
    ]
    return pl.concat([written, pl.DataFrame(granted, schema=schema, orient="row")])


def _first_section(known: Known, sections: pl.DataFrame) -> object:
    keys = known.headings.select("event_id", pl.col("number").alias("section"), "ended")
    return keys.join(sections, on=["event_id", "section"], how="semi")["ended"].min()


def _first_posting(record: Record, run: int) -> object:
    """The first day on which one of the sections is posted, wherever it stands now."""
    section, current, posting = tables.section, tables.current_posting, tables.posting
    same = and_(section.c.event_id == current.c.event_id, section.c.number == current.c.section)
    joined = section.join(current, same).join(posting, posting.c.posting_id == current.c.posting_id)
    query = select(func.min(posting.c.ended)).select_from(joined).where(section.c.act > run)
    return record.connection.execute(query).scalar()


def _members(record: Record, known: Known, run: int) -> pl.DataFrame:
    """Members whose facts, merges, openings or decisions are new; of facts only those of members in sections matter."""
    facts = pl.concat([_written(record, table, run) for table in (tables.member, tables.outside_rating)])
    playing = known.archive.entries.select("member").unique()
    facts = _rooted(facts.with_columns(pl.lit(DAWN, dtype=pl.Date).alias("day")), known).join(playing, on="member")
    said = pl.DataFrame([*_merged(record, run), *_decided(record, run)], schema=_SINCE, orient="row")
    merged = pl.DataFrame([*_merged(record, run)], schema=_SINCE, orient="row")
    own = merged.join(known.ids.with_row_index("who"), on="member_id")  # a merged id has a number of its own too
    parts = [
        facts.rename({"member": "who"}),
        _rooted(pl.concat([said, _opened(record, run)]), known).rename({"member": "who"}),
        own,
    ]
    return pl.concat([part.select(pl.col("who").cast(pl.Int32), "day", "act") for part in parts]).unique()


def _rooted(frame: pl.DataFrame, known: Known) -> pl.DataFrame:
    """Rows about ids with the number of the member whose id each is."""
    return frame.join(known.ids, on="member_id")


def _merged(record: Record, run: int) -> Iterator[tuple[str, date, int]]:
    merge = tables.merge
    for row in record.connection.execute(select(merge).where(merge.c.act > run)).mappings():
        yield row["member_id"], DAWN, row["act"]
        yield row["into_id"], DAWN, row["act"]


def _decided(record: Record, run: int) -> Iterator[tuple[str, date, int]]:
    for act, decision in decisions_since(record, run):
        if decision.member_id and decision.kind is not DecisionKind.REFUSE_MATCH_FLOOR:
            yield decision.member_id, decision.effective, act


def _opened(record: Record, run: int) -> pl.DataFrame:
    """New openings, from the day of each and from that of the one it replaces."""
    table = tables.opening
    columns = [table.c[name] for name in ("member_id", "system", "act", "as_of")]
    schema = schema_of(table, [column.name for column in columns])
    fresh = frame_of(record.connection, select(*columns).where(table.c.act > run), schema)
    earlier = latest(table, ("member_id", "system"), run).with_only_columns(*columns)
    replaced = frame_of(record.connection, earlier, schema).select("member_id", "system", before="as_of")
    joined = fresh.join(replaced, on=["member_id", "system"], how="left")
    return joined.select("member_id", pl.min_horizontal("as_of", "before").alias("day"), "act")


def _written(record: Record, table: Table, run: int) -> pl.DataFrame:
    query = select(table.c.member_id, table.c.act).where(table.c.act > run, table.c.act <= record.through).distinct()
    return frame_of(record.connection, query, _ABOUT_MEMBERS)
