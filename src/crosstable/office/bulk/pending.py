"""What the journal entries since the last run touch: sections, and members from a day on."""

from collections.abc import Iterable, Iterator
from datetime import date
from typing import NamedTuple

import polars as pl
from sqlalchemy import Connection, Table, and_, func, select, union_all

from crosstable.office import tables
from crosstable.office.bulk.frames import asked, frame_of, schema_of
from crosstable.office.bulk.steps import KEY
from crosstable.office.ledger.facts import Record, State
from crosstable.office.ledger.postings import is_current
from crosstable.replaying import DAWN, Decision, DecisionKind

_SECTION = {"event_id": pl.String(), "section": pl.Int32(), "act": pl.Int32()}
_SINCE = {"member_id": pl.String(), "day": pl.Date(), "act": pl.Int32()}
_POSTED = schema_of(tables.posting, ("member_id", *KEY))


class Pending(NamedTuple):
    """Which entry touches which section, and which touches which member from which day on.

    ``first`` is the day from which anything may change. ``posted`` is where members are posted who play, or played, in
    sections that are touched. Members have the ids under which they are rated; merged ids stand beside them.
    """

    first: date
    sections: pl.DataFrame
    members: pl.DataFrame
    posted: pl.DataFrame


def pending_since(record: Record, run: int) -> Pending | None:
    """What the entries after a run touch; nothing where there are none that could matter."""
    sections, members = _sections(record, run), _members(record, run)
    if not sections.height and not members.height:
        return None
    posted = _posted(record, sections) if run else pl.DataFrame(schema=_POSTED)
    days = [members["day"].min(), posted["ended"].min(), _first_section(record, run, sections)]
    found = [day for day in days if isinstance(day, date)]
    return Pending(min(found, default=date.max), sections, members, posted)


def sections_since(connection: Connection, day: date) -> int:
    """How many sections do not end before a day, in all their versions: few are old."""
    section = tables.section
    query = select(func.count()).select_from(section).where(section.c.ended >= day)
    return connection.execute(query).scalar_one()


def _sections(record: Record, run: int) -> pl.DataFrame:
    """Sections that entries wrote anew, and matches whose floor was decided."""
    table = tables.section
    query = select(table.c.event_id, table.c.number, table.c.act)
    query = query.where(table.c.act > run, table.c.act <= record.through, table.c.state != State.REQUESTED.value)
    granted = [
        (decision.event_id, decision.section, act)
        for act, decision in _decisions(record, run)
        if decision.kind is DecisionKind.GRANT_MATCH_FLOOR and decision.section is not None
    ]
    written = frame_of(record.connection, query, _SECTION)
    return pl.concat([written, pl.DataFrame(granted, schema=_SECTION, orient="row")])


def _decisions(record: Record, run: int) -> Iterator[tuple[int, Decision]]:
    """Decisions after a run with the entry that matters: a revocation stands for what it revokes."""
    for decision in record.decisions_where(tables.decision.c.act > run):
        said: Decision | None = decision
        if decision.kind is DecisionKind.REVOKE:
            said = record.decision(decision.details["act"])
        assert said is not None
        yield decision.act, said


def _first_section(record: Record, run: int, sections: pl.DataFrame) -> object:
    """The first day on which one of the sections ends, in any version of it: most have one."""
    if not run:
        return record.connection.execute(select(func.min(tables.section.c.ended))).scalar()
    table, wanted = tables.section, asked(record.connection, sections.select("event_id", "section"))
    same = and_(table.c.event_id == wanted.c.event_id, table.c.number == wanted.c.section)
    return record.connection.execute(select(func.min(table.c.ended)).join_from(table, wanted, same)).scalar()


def _posted(record: Record, sections: pl.DataFrame) -> pl.DataFrame:
    posting, wanted = tables.posting, asked(record.connection, sections.select("event_id", "section").unique())
    same = and_(posting.c.event_id == wanted.c.event_id, posting.c.section == wanted.c.section)
    query = select(*(posting.c[name] for name in _POSTED)).join_from(posting, wanted, same).where(is_current())
    return frame_of(record.connection, query, _POSTED).unique()


def _members(record: Record, run: int) -> pl.DataFrame:
    """Members whose facts, merges, starting ratings or decisions are new; of facts only those of players matter."""
    merges = record.connection.execute(select(tables.merge).where(tables.merge.c.act > run)).all()
    facts = [pair for table in (tables.member, tables.outside_rating) for pair in _written(record, table, run)]
    merged = {one for row in merges for one in (row.member_id, row.into_id)}
    first = _first_days(record, run, {one for one, _ in facts}, merged)
    about = [(one, first[record.one_id(one)], act) for one, act in facts if record.one_id(one) in first]
    about += [*_started(record, run), *_decided(record, run)]
    said = [(record.one_id(one), day, act) for one, day, act in about]
    for row in merges:  # what either of them played was, or is now, the other's too
        pair = {row.member_id, row.into_id, record.one_id(row.member_id), record.one_id(row.into_id)}
        day = min(first.get(record.one_id(one), date.max) for one in pair)
        said += [(one, day, row.act) for one in pair]
    return pl.DataFrame(said, schema=_SINCE, orient="row").unique(maintain_order=True)


def _decided(record: Record, run: int) -> Iterator[tuple[str, date, int]]:
    for act, decision in _decisions(record, run):
        if decision.member_id and decision.kind is not DecisionKind.REFUSE_MATCH_FLOOR:
            yield decision.member_id, decision.effective, act


def _written(record: Record, table: Table, run: int) -> Iterable[tuple[str, int]]:
    query = select(table.c.member_id, table.c.act).where(table.c.act > run, table.c.act <= record.through).distinct()
    return [(row[0], row[1]) for row in record.connection.execute(query)]


def _first_days(record: Record, run: int, facts: set[str], merged: set[str]) -> dict[str, date]:
    """By member: the day of their first section; of those that were merged, of the first thing known of them."""
    ids, merged = _ids_of(record, facts | merged), _ids_of(record, merged)
    if not run:  # everything is new
        return {record.one_id(one): DAWN for one in ids}
    wanted = asked(record.connection, pl.DataFrame({"member_id": sorted(ids)}, schema={"member_id": pl.String()}))
    entry, section, opening, decision = tables.entry.c, tables.section.c, tables.opening.c, tables.decision.c
    same = and_(entry.event_id == section.event_id, entry.section == section.number, entry.act == section.act)
    plays = select(entry.member_id, section.ended.label("day")).join_from(tables.entry, tables.section, same)
    played = plays.where(entry.member_id.in_(select(wanted.c.member_id)), section.ended.is_not(None))
    told = [
        select(table.member_id, day.label("day")).where(table.member_id.in_(sorted(merged)))
        for table, day in ((opening, opening.as_of), (decision, decision.effective))
    ]
    found = union_all(played, *told).subquery()
    rows = record.connection.execute(select(found.c.member_id, func.min(found.c.day)).group_by(found.c.member_id))
    first: dict[str, date] = {}
    for one, day in rows:
        root = record.one_id(one)
        first[root] = min(first.get(root, date.max), day)
    return first


def _ids_of(record: Record, ids: set[str]) -> set[str]:
    """Ids, and all that stand for the same members."""
    roots = {record.one_id(one) for one in ids}
    return ids | roots | {one for one, root in record.aliases().items() if root in roots}


def _started(record: Record, run: int) -> Iterator[tuple[str, date, int]]:
    """Members whose starting rating is new, from the day of the new one and from that of the one it replaces."""
    table = tables.opening
    query = select(table.c.member_id, table.c.system, table.c.act, table.c.as_of).where(table.c.act > run)
    fresh = record.connection.execute(query).all()
    replaced = Record(record.connection, run).openings({row[0] for row in fresh}) if run else ()
    days = {(one.member_id, int(one.system)): one.key.ended for one in replaced}
    for member_id, system, act, as_of in fresh:
        yield member_id, min(as_of, days.get((member_id, system), as_of)), act
