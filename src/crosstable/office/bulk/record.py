"""The record of an office as the tables of an archive: what was known at a journal entry, all of it or from a day on.

An archive knows no merges: whoever is one member in the office is one row, and what is about their other ids is theirs.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any, NamedTuple

import polars as pl
from sqlalchemy import ColumnElement, Table, and_, select

from crosstable.history.archive import Archive, table_of
from crosstable.history.archive_tables import BETWEEN_CONTROLS, CFC, FIDE, KINDS, NO_MEMBER
from crosstable.office import tables
from crosstable.office.bulk.entry_rows import Placed, lean_rows, parts_where, placed_rows, rows_where
from crosstable.office.bulk.frames import asked, frame_of, give_room, schema_of
from crosstable.office.ledger.facts import PERSON_COLUMNS, DecisionKind, Heading, Record, State, latest
from crosstable.office.ledger.journal import canonical
from crosstable.replaying import DAWN, FLOORS, LOWERING, MOVING
from crosstable.terms import RatingSystem

Array = Any
# Of so many members decisions are looked for; of more all of them are read.
_FEW = 500
_HEADING = ("event_id", "number", "act", "state", "name", "kind", "is_online", "time_controls", "asked_systems",
            "systems", "is_dual_control", "is_half_k", "match_waiver", "started", "ended")  # fmt: skip


class Known(NamedTuple):
    """What an office knows: an archive of it, every section with dates whatever became of it, and the ids of members.

    ``openings`` and ``decisions`` of the archive also say under which id they were recorded. ``ids`` has members in the
    order of the archive, then merged ids. ``rounds`` are the cells of the archive's entries as they were submitted. Of
    members ``is_born_by_year`` only the year of birth is known; the archive has July 1 of it, which age counts from.
    ``earlier`` are starting ratings from before the first day, where the record is known from a day on: they may have
    set floors.
    """

    archive: Archive
    headings: pl.DataFrame
    ids: pl.DataFrame
    rounds: pl.Series
    is_born_by_year: pl.Series
    earlier: pl.DataFrame


def known_at(record: Record, source: Mapping[str, Any]) -> Known:
    """The whole record as known at its newest entry."""
    return known_since(record, DAWN, (), source)


def known_since(record: Record, since: date, also: Iterable[str], source: Mapping[str, Any]) -> Known:
    """What does not end before a day, everybody who plays in it or whom it is about, and some others."""
    give_room(record.connection)
    where = (tables.section.c.ended >= since,)
    headings = _headings(record, where)
    if since == DAWN:
        known = _known(record, since, partial(placed_rows, parts_where(record, ())), None, headings)
    else:
        rows = rows_where(record, where)
        people = _ids_among(record, [*rows["member_id"], *also, *_about(record, since)])
        known = _known(record, since, partial(placed_rows, [rows]), people, headings)
    return known._replace(archive=known.archive._replace(source=source))


def known_for_replay(record: Record) -> Known:
    """The whole record as far as a compiled replay reads it."""
    give_room(record.connection)
    headings = _headings(record, ())
    return _known(record, DAWN, lambda sections, ids, names: lean_rows(record, sections, ids), None, headings)


def known_of_section(record: Record, heading: Heading) -> Known:
    """One section, and everybody who plays in it."""
    section = tables.section.c
    where = (section.event_id == heading.event_id, section.number == heading.number)
    rows = rows_where(record, where)
    people = _ids_among(record, rows["member_id"])
    headings = _headings(record, where)
    return _known(record, heading.key.ended, partial(placed_rows, [rows]), people, headings)


# From sections, ids and the names of members: the rows of sections.
_Rows = Callable[[pl.DataFrame, pl.DataFrame, pl.Series], Placed]


def _known(record: Record, since: date, rows: _Rows, people: pl.DataFrame | None, headings: pl.DataFrame) -> Known:
    sections = headings.filter(pl.col("state") == State.ACCEPTED.value)
    members = _members(record, people)
    is_born_by_year = members["birth_date"].is_null() & members["birth_year"].is_not_null()
    members = members.with_columns(
        pl.coalesce("birth_date", pl.date("birth_year", 7, 1)).alias("birth_date"),
        is_born_by_year.set(~is_born_by_year, None).alias("is_year_only"),
    )
    ids = _ids(record, members)
    placed = rows(sections, ids, members["name"])
    openings = _openings(record, ids, people)
    is_earlier = pl.col("as_of") < since
    decisions, past = _decisions(record, ids, since, sections)
    archive = Archive(
        members=table_of("members", members.to_dict()),
        outside=_outside(record, ids, people),
        openings=openings.filter(~is_earlier),
        decisions=decisions,
        sections=_sections(sections, _event_names(record) if since == DAWN else None),
        entries=placed.entries,
        games=placed.games,
        told=placed.told,
    )
    earlier = _with_lowered(openings.filter(is_earlier), past)
    return Known(archive, headings, ids, placed.rounds, is_born_by_year, earlier)


def without_rows(known: Known) -> Known:
    """What is known but for the rows of sections and their games, which an index has."""
    archive = known.archive
    slim = archive._replace(entries=archive.entries.clear(), games=archive.games.clear(), told=None)
    return known._replace(archive=slim, rounds=known.rounds.clear())


def _about(record: Record, since: date) -> set[str]:
    """The ids of everybody about whom there is a starting rating, or a decision that moves one, from a day on."""
    opening, decision = tables.opening.c, tables.decision.c
    moving = decision.kind.in_([kind.value for kind in MOVING])
    asked = (
        select(opening.member_id).where(opening.as_of >= since),
        select(decision.member_id).where(moving, decision.effective >= since),
    )
    return {row[0] for query in asked for row in record.connection.execute(query)}


def _ids_among(record: Record, ids: Iterable[str]) -> pl.DataFrame:
    """Ids, and all that stand for the same members."""
    roots = {record.one_id(one) for one in set(ids)}
    whole = roots | {one for one, root in record.aliases().items() if root in roots}
    return pl.DataFrame({"member_id": sorted(whole)}, schema={"member_id": pl.String()})


def _among(record: Record, table: Table, people: pl.DataFrame | None) -> tuple[ColumnElement[bool], ...]:
    """A condition that picks rows about some people; none where everybody is wanted."""
    if people is None:
        return ()
    return (table.c.member_id.in_(select(asked(record.connection, people).c.member_id)),)


def _members(record: Record, people: pl.DataFrame | None) -> pl.DataFrame:
    table, names = tables.member, [column.name for column in PERSON_COLUMNS]
    found = latest(table, ("member_id",), record.through, *_among(record, table, people))
    frame = frame_of(record.connection, found.with_only_columns(*PERSON_COLUMNS), schema_of(table, names))
    merged = list(record.aliases())
    return frame.filter(~pl.col("member_id").is_in(merged)).sort("member_id")


def _ids(record: Record, members: pl.DataFrame) -> pl.DataFrame:
    """Every id and the row of its member."""
    own = members.select("member_id").with_row_index("member").select("member_id", pl.col("member").cast(pl.Int32))
    pairs = list(record.aliases().items())
    merged = pl.DataFrame(
        {"alias": [one for one, _ in pairs], "member_id": [other for _, other in pairs]},
        schema={"alias": pl.String, "member_id": pl.String},
    ).join(own, on="member_id")
    return pl.concat([own, merged.select(pl.col("alias").alias("member_id"), "member")])


def _outside(record: Record, ids: pl.DataFrame, people: pl.DataFrame | None) -> pl.DataFrame:
    table = tables.outside_rating
    names = ("member_id", "body", "as_of", "rating")
    found = latest(table, names[:3], record.through, *_among(record, table, people))
    found = found.with_only_columns(*(table.c[name] for name in names))
    frame = frame_of(record.connection, found, schema_of(table, names))
    own = ids.unique("member", keep="first", maintain_order=True)  # what is known of a member stands under their own id
    joined = frame.join(own, on="member_id").with_columns(
        body=pl.when(pl.col("body") == "FIDE").then(FIDE).otherwise(CFC)
    )
    return table_of("outside", joined.sort("member", "body", "as_of").to_dict())


def _openings(record: Record, ids: pl.DataFrame, people: pl.DataFrame | None) -> pl.DataFrame:
    table = tables.opening
    found = latest(table, ("member_id", "system"), record.through, *_among(record, table, people))
    frame = frame_of(record.connection, found, schema_of(table)).join(ids, on="member_id")
    frame = frame.sort("as_of", "member_id", "act", "system")
    return table_of("openings", frame.to_dict()).with_columns(frame["member_id"])


def _decisions(
    record: Record, ids: pl.DataFrame, since: date, sections: pl.DataFrame
) -> tuple[pl.DataFrame, list["_Lowering"]]:
    """Decisions in force; those that moved a rating before the day, or are about matches of before it, did so.

    Beside them those that lowered floors before it.
    """
    table, past = tables.decision, list[_Lowering]()
    is_revocation = table.c.kind == DecisionKind.REVOKE.value
    revoking = record.connection.execute(select(table.c.details).where(is_revocation, table.c.act <= record.through))
    revoked = [json.loads(text)["act"] for text in revoking.scalars()]
    few = ids["member_id"].to_list() if ids.height <= _FEW else None
    among = () if few is None else (table.c.member_id.in_([*few, ""]),)
    found = select(table).where(table.c.act <= record.through, ~is_revocation, *among)
    frame = frame_of(record.connection, found, schema_of(table)).sort("act")
    frame = frame.filter(~pl.col("act").is_in(revoked))
    frame = frame.join(ids, on="member_id", how="left", maintain_order="left")
    if since > DAWN:
        has_moved = pl.col("kind").is_in([kind.value for kind in MOVING]) & (pl.col("effective") < since)
        here = sections.select("event_id", section="number").with_columns(here=True)
        frame = frame.join(here, on=["event_id", "section"], how="left", maintain_order="left")
        is_past = (pl.col("kind") == DecisionKind.GRANT_MATCH_FLOOR.value) & pl.col("here").is_null()
        frame = frame.filter(pl.col("member").is_not_null())
        past = _lowering(record, frame.filter(has_moved | is_past), since)
        for one in past:  # the floors of before them that are still there
            is_set = pl.col("kind").is_in([kind.value for kind in FLOORS]) & (pl.col("value") > one.value)
            is_before = (pl.col("effective") < one.effective) | (
                (pl.col("effective") == one.effective) & (pl.col("act") < one.act)
            )
            is_such = is_set & is_before & (pl.col("member") == one.member) & (pl.col("system") == one.system)
            frame = frame.with_columns(pl.when(is_such).then(one.value).otherwise("value").alias("value"))
        frame = frame.filter(~has_moved & ~is_past)
    frame = frame.with_columns(pl.col("member").fill_null(NO_MEMBER))
    return table_of("decisions", frame.to_dict()).with_columns(frame["member_id"]), past


class _Lowering(NamedTuple):
    """A decision that lowered the floors of a member in a system."""

    member: int
    system: int
    effective: date
    act: int
    value: float


def _lowering(record: Record, decided: pl.DataFrame, since: date) -> list[_Lowering]:
    """Those of some decisions that lowered floors by a day; a granted request did on the day of its match."""
    found = []
    for row in decided.filter(pl.col("kind").is_in([kind.value for kind in LOWERING])).iter_rows(named=True):
        day: date | None = row["effective"]
        if row["kind"] == DecisionKind.GRANT_MATCH_FLOOR.value:
            match = record.heading(row["event_id"], row["section"])
            day = match.ended if match is not None and match.state is State.ACCEPTED else None
        if day is not None and day <= since:
            found.append(_Lowering(row["member"], row["system"], day, row["act"], row["value"]))
    return found


def _with_lowered(openings: pl.DataFrame, past: Sequence[_Lowering]) -> pl.DataFrame:
    """Starting ratings with their floors as they were lowered since."""
    if not past:
        return openings
    texts = []
    for row in openings.iter_rows(named=True):
        floors = json.loads(row["floors"] or "[]")
        for one in past:
            is_later = (one.effective, one.act) > (row["as_of"], row["act"])
            if is_later and (one.member, one.system) == (row["member"], row["system"]):
                floors = [[kind, min(level, one.value)] for kind, level in floors]
        texts.append(canonical(floors) if floors else None)
    return openings.with_columns(pl.Series("floors", texts, dtype=pl.String))


def _headings(record: Record, where: Sequence[ColumnElement[bool]]) -> pl.DataFrame:
    """Every section that has dates and that conditions pick, in the order of the replay."""
    table, newer = tables.section, tables.section.alias("newer")
    same = and_(newer.c.event_id == table.c.event_id, newer.c.number == table.c.number, newer.c.act > table.c.act)
    stands = State.REQUESTED.value
    later = select(newer.c.act).where(same, newer.c.act <= record.through, newer.c.state != stands)
    found = select(*(table.c[name] for name in _HEADING)).where(
        table.c.act <= record.through,
        table.c.state != stands,
        table.c.started.is_not(None),
        table.c.ended.is_not(None),
        *where,
        ~later.exists(),
    )
    frame = frame_of(record.connection, found, schema_of(table, _HEADING))
    return frame.sort("ended", "started", "event_id", "number")


def _event_names(record: Record) -> pl.DataFrame:
    table = tables.event
    found = latest(table, ("event_id",), record.through).with_only_columns(table.c.event_id, table.c.name)
    return frame_of(record.connection, found, {"event_id": pl.String(), "event_name": pl.String()})


def _sections(sections: pl.DataFrame, events: pl.DataFrame | None) -> pl.DataFrame:
    """The sections as an archive has them; the names of their events only where they are given."""
    events = events if events is not None else pl.DataFrame(schema={"event_id": pl.String(), "event_name": pl.String()})
    named = sections.join(events, on="event_id", how="left", maintain_order="left")
    kinds = {kind.value: at for at, kind in enumerate(KINDS)}
    made = named.with_columns(
        pl.col("event_name").fill_null(""),
        pl.col("started").alias("start"),
        pl.col("ended").alias("end"),
        pl.col("kind").replace_strict(kinds, return_dtype=pl.UInt8),
        mapped(named["time_controls"], _controls).alias("time_control"),
        mapped(named["asked_systems"], _mask).alias("asked_systems"),
        mapped(named["systems"], _mask).alias("systems"),
    )
    return table_of("sections", made.to_dict())


def mapped(column: pl.Series, made: Callable[[Any], str | int]) -> pl.Series:
    """A column through a function that is called once for every different value."""
    different = column.unique().to_list()
    results = [made(value) for value in different]
    known = pl.DataFrame({"value": pl.Series(different, dtype=column.dtype), "result": results})
    frame = pl.DataFrame({"value": column})
    return frame.join(known, on="value", how="left", maintain_order="left", nulls_equal=True)["result"]


def _controls(text: str) -> str:
    return BETWEEN_CONTROLS.join(json.loads(text))


def _mask(text: str) -> int:
    return sum(1 << RatingSystem[name] for name in text.split())
