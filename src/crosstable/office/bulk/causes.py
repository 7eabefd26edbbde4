"""What journal entries since the last run touch, and which of them are behind a change.

Behind a change are entries that touch a step, and those behind what moved before it.
With them go the rating changes of a run: whose rating, from where to where, through which sections, by which entries.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from functools import partial
from typing import Any, NamedTuple, overload

import numpy as np
import polars as pl
from sqlalchemy import Connection, Table, and_, func, select, union_all

from crosstable.office import tables
from crosstable.office.bulk.due import Replay
from crosstable.office.bulk.frames import asked, frame_of, schema_of
from crosstable.office.bulk.record import Known, mapped
from crosstable.office.bulk.steps import KEY, Steps, members_of, numbered
from crosstable.office.ledger.facts import Record, State
from crosstable.office.ledger.journal import canonical
from crosstable.office.ledger.postings import Posting, is_current, posting_from
from crosstable.office.ledger.runs import RatingChange
from crosstable.replaying import DAWN, Decision, DecisionKind
from crosstable.terms import RatingSystem

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


Array = Any
_SYSTEMS = len(RatingSystem)
# Of so many entries a run says which are behind each change; of more it names those that touch a step themselves.
MOST_FOLLOWED = 500


class Events(NamedTuple):
    """What was posted about a member in a system, where, and whether that changed; a ghost has causes of its own.

    Positions are odd at a place of the fold (twice its number and one), and even just before it.
    """

    place: Array
    position: Array
    is_changed: Array
    ghost: Array


def place_of(who: Array, system: Array) -> Array:
    """A member and a system in one number."""
    return who.astype(np.int64) * _SYSTEMS + system.astype(np.int64)


class Sets(NamedTuple):
    """Sets of acts, and by code (a place of the fold, or behind those a ghost) which set is behind a change there."""

    sets: Sequence[Sequence[int]]
    of_code: Array


class Causes:
    """The acts behind the changes at places of the fold; sets of them are whole numbers, a bit for every act."""

    def __init__(self, known: Known, steps: Steps, pending: Pending) -> None:
        members = numbered(pending.members, known).drop_nulls("who")
        self.known, self.steps, self.pending = known, steps, pending._replace(members=members)
        self._members = members_of(known, steps)
        acts = pl.concat([pending.sections["act"], pending.members["act"]]).unique().sort()
        self.acts: list[int] = acts.to_list()
        self._bit = {act: 1 << at for at, act in enumerate(self.acts)}

    def sets(self, wanted: Array, ghosts: pl.DataFrame, events: Callable[[], Events]) -> Sets:
        """The acts behind changes at some places and at ghosts.

        Of more acts than a run follows, those alone that touch the place itself.
        """
        codes = self.steps.frame.height + ghosts.height
        if len(self.acts) == 1:
            return Sets([self.acts], np.zeros(codes, dtype=np.int32))
        follows = len(self.acts) <= MOST_FOLLOWED
        found = self.followed(wanted, events()) if follows else {}
        found.update(enumerate(self.of_ghosts(ghosts), self.steps.frame.height))
        numbers: dict[int, int] = {0: 0}
        of_code = np.zeros(codes, dtype=np.int32)
        for code, bits in found.items():
            of_code[code] = numbers.setdefault(bits, len(numbers))
        sets = [self._numbers(bits) for bits in numbers]
        return Sets(sets if follows else self._directly(wanted, sets, of_code), of_code)

    def _directly(self, wanted: Array, sets: list[list[int]], of_code: Array) -> list[list[int]]:
        """The acts that touch places themselves, with those sets that are there already."""
        texts = (
            self._pairs(wanted)
            .sort("step", "act")
            .group_by("step", maintain_order=True)
            .agg(pl.col("act").cast(pl.String).str.join(","))
        )
        different = texts.select(pl.col("act").unique(maintain_order=True)).with_row_index("set", offset=len(sets))
        joined = texts.join(different, on="act")
        of_code[joined["step"].to_numpy()] = joined["set"].to_numpy()
        return [*sets, *([int(act) for act in text.split(",")] for text in different["act"])]

    def _pairs(self, wanted: Array) -> pl.DataFrame:
        """Places and the acts that touch them themselves."""
        steps = self.steps.frame
        asked = pl.DataFrame({"step": wanted}, schema={"step": pl.Int64})
        touched = steps.select("event_id", "section", "step").join(asked, on="step")
        touched = touched.join(self.pending.sections, on=["event_id", "section"])
        about = self._members.join(asked, on="step").join(self.pending.members, on="who")
        about = about.join(steps.select("step", "ended"), on="step").filter(pl.col("day") <= pl.col("ended"))
        return pl.concat([part.select("step", "act") for part in (touched, about)]).unique()

    def _bits(self, pairs: pl.DataFrame) -> dict[int, int]:
        """By the first column: the acts of the second."""
        found: dict[int, int] = {}
        for about, act in pairs.iter_rows():
            found[about] = found.get(about, 0) | self._bit[act]
        return found

    def of_ghosts(self, ghosts: pl.DataFrame) -> list[int]:
        """The acts behind postings whose place is no more: those that moved a section, or touched a member."""
        asked = self.steps.frame.select("event_id", "section", "step").join(ghosts, on="step", how="semi")
        moved = self._bits(asked.join(self.pending.sections, on=["event_id", "section"]).select("step", "act"))
        touched = self._bits(self.pending.members.join(ghosts, on="who", how="semi").select("who", "act"))
        pairs = zip(ghosts["step"].to_list(), ghosts["who"].to_list(), strict=True)
        return [moved.get(step, 0) if step >= 0 else touched.get(who, 0) for step, who in pairs]

    def followed(self, wanted: Array, events: Events) -> dict[int, int]:
        """By place: the acts that touch it, and those behind every standing that it reads and that moved before."""
        found = self._bits(self._pairs(wanted))
        place, position, is_changed, ghost = _ordered(events)
        for step, source in self._edges(wanted, place, position, is_changed):
            own = ghost[source] or found.get(int(position[source]) // 2, 0)
            found[step] = found.get(step, 0) | own
        return found

    def reached(self, wanted: Array, events: Events) -> set[int]:
        """Those of some places that an act touches, or that read a standing which moved before."""
        place, position, is_changed, _ = _ordered(events)
        edges = self._edges(wanted, place, position, is_changed)
        return {*self._pairs(wanted)["step"], *(step for step, _ in edges)}

    def _edges(self, wanted: Array, place: Array, position: Array, is_changed: Array) -> list[tuple[int, int]]:
        """Places and the events just before them that changed a standing which they read, in the order of places."""
        moving = np.unique(place[is_changed])
        asked = self._members.join(pl.DataFrame({"step": wanted}, schema={"step": pl.Int64}), on="step")
        step = np.repeat(asked["step"].to_numpy(), _SYSTEMS)
        places = np.repeat(asked["who"].to_numpy().astype(np.int64) * _SYSTEMS, _SYSTEMS)
        places += np.tile(np.arange(_SYSTEMS), asked.height)
        kept = np.isin(places, moving)
        step, places = step[kept], places[kept]
        most = 2 * self.steps.frame.height + 2
        before = np.searchsorted(place * most + position, places * most + 2 * step + 1) - 1
        sound = (before >= 0) & (place[before] == places) & is_changed[before]
        pairs = np.unique(step[sound] * len(place) + before[sound])
        return [divmod(pair, len(place)) for pair in pairs.tolist()]

    def _numbers(self, bits: int) -> list[int]:
        return [act for at, act in enumerate(self.acts) if bits >> at & 1]


def _ordered(events: Events) -> Events:
    """By member and system, and there by position."""
    order = np.lexsort((events.position, events.place))
    return Events(*(column[order] for column in events))


_PLACE = ["who", "system"]


class RatingChanges(Sequence[RatingChange]):
    """The rating changes of a run, each made when it is asked for."""

    def __init__(self, ids: pl.Series, old: pl.DataFrame, replay: Replay, lines: pl.DataFrame) -> None:
        """``lines`` have the member and system of each, its sections and causes as texts; ``old`` what was posted."""
        self._replay = replay
        last = (
            old.join(lines, on=_PLACE, how="semi").sort(*KEY).unique(_PLACE, keep="last", maintain_order=True)
        ).with_row_index("row")
        self._old = last
        found = lines.join(last.select(*_PLACE, "row"), on=_PLACE, how="left", maintain_order="left")
        self._lines = found.with_columns(ids.gather(lines["who"]).alias("member_id"))

    def __len__(self) -> int:
        return self._lines.height

    @overload
    def __getitem__(self, at: int) -> RatingChange: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[RatingChange]: ...
    def __getitem__(self, at: int | slice) -> RatingChange | Sequence[RatingChange]:
        if isinstance(at, slice):
            return [self._line(place) for place in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        return self._line(at)

    def _line(self, at: int) -> RatingChange:
        line = self._lines.row(at, named=True)
        system, before = RatingSystem(line["system"]), None
        if line["row"] is not None:
            before = posting_from(self._old.select(*Posting._fields).row(line["row"])).standing
        sections = tuple((event_id, section) for event_id, section in json.loads(line["sections"]))
        after = self._replay.record(line["who"], system)
        return RatingChange(line["member_id"], system, before, after, sections, tuple(json.loads(line["causes"])))

    def rows(self, run: int) -> pl.DataFrame:
        """The lines as the table holds them."""
        old = self._old.select("row", rating_before="rating_after", games_before="games_after")
        joined = self._lines.join(old, on="row", how="left", maintain_order="left")
        rating, games = self._replay.ratings(joined["who"].to_numpy(), joined["system"].to_numpy())
        return joined.select(
            pl.lit(run, dtype=pl.Int32).alias("run"),
            *("member_id", "system", "rating_before", "games_before"),
            rating.alias("rating_after"),
            games.alias("games_after"),
            *("sections", "causes"),
        )


def lines_of(entered: pl.DataFrame, texts: pl.Series, behind: Sets) -> pl.DataFrame:
    """A line per member and system whose postings are new, in the order of the first of each.

    ``texts`` are the sections by the code of their place, as JSON.
    """
    code = entered["code"].to_numpy()
    rows = entered.select(*_PLACE, texts.gather(code).alias("text"), pl.Series("set", behind.of_code[code]))
    lines = rows.group_by(_PLACE, maintain_order=True).agg(
        pl.concat_str(pl.lit("["), pl.col("text").str.join(","), pl.lit("]")).alias("sections"),
        pl.col("set").unique().sort().cast(pl.String).str.join(",").alias("sets"),
    )
    return lines.select(*_PLACE, "sections", mapped(lines["sets"], partial(_causes, behind.sets)).alias("causes"))


def _causes(sets: Sequence[Sequence[int]], numbers: str) -> str:
    """The acts of some sets together, as the table holds them."""
    return canonical(sorted({act for number in numbers.split(",") for act in sets[int(number)]}))
