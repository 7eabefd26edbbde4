"""An office's record as an archive: facts alone, as known now or on a day; ratings follow from them.

Everything speaks of the member who is rated. What was recorded under an id that is merged into theirs says so, and
what the record holds of that id itself stands in a table of its own, so that an import makes the same record again.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from sqlalchemy import and_, or_, select

from crosstable.errors import OfficeError
from crosstable.history.archive import Archive, shaped, table_of, write
from crosstable.history.archive_tables import BODIES
from crosstable.history.running import Stages
from crosstable.office import tables
from crosstable.office.bulk.cells import Rows, rounds_of
from crosstable.office.bulk.entry_rows import whole_sections
from crosstable.office.bulk.frames import frame_of, portions_of, schema_of
from crosstable.office.bulk.record import Known, known_at, mapped
from crosstable.office.database import Office
from crosstable.office.ledger.facts import PERSON_COLUMNS, Person, Record, State, latest
from crosstable.office.ledger.journal import act_of, canonical, last_act_of
from crosstable.office.members import direct_merges

# What an archive's entries have columns for; the rest of what a row says beside its cells is kept as it is.
IN_COLUMNS = frozenset({"rate", "fide", "fide_flag", "fide_opt_in", "start", "starts"})


class Exported(NamedTuple):
    """What an export wrote, how many sections it left out by their state, and how long each stage took in seconds."""

    members: int
    sections: int
    games: int
    left_out: Mapping[str, int]
    stages: dict[str, float]


def export_archive(office: Office, folder: str, known_on: date | None = None) -> Exported:
    """Write what an office knows, or knew on a day, into a folder as an archive."""
    stages = Stages()
    with office.reading() as connection:
        through = last_act_of(connection, known_on)
        last = act_of(connection, through)
        if last is None:
            raise OfficeError(f"nothing was known on {known_on}: the office was founded later")
        source: dict[str, Any] = {"office": {"act": last.seq, "head": last.digest}}
        with stages.timed("read"):
            record = Record(connection, through)
            archive = portable(record, known_at(record, source))
            left_out = _left_out(record)
    with stages.timed("write"):
        write(archive, folder)
    return Exported(archive.members.height, archive.sections.height, archive.games.height, left_out, stages.seconds)


def portable(record: Record, known: Known) -> Archive:
    """The archive of a record, the same from every office with this record: acts are counted from 1."""
    archive = known.archive
    acts = pl.concat([archive.openings["act"], archive.decisions["act"]]).unique().sort()
    ranks = pl.DataFrame({"act": acts, "rank": pl.Series(range(1, acts.len() + 1), dtype=pl.Int32)})

    def ranked(name: str, frame: pl.DataFrame) -> pl.DataFrame:
        joined = frame.join(ranks, on="act", maintain_order="left").with_columns(pl.col("rank").alias("act"))
        return shaped(name, joined.with_columns(_other_ids(archive, joined["member"], joined["member_id"])))

    return archive._replace(
        members=shaped("members", archive.members),
        openings=ranked("openings", archive.openings.sort("member", "system", "as_of", "member_id", "act")),
        decisions=ranked("decisions", archive.decisions),
        sections=_sections(record, known),
        entries=_entries(record, known),
        merged=_merged(record),
        events=_events(record, archive.sections),
    )


def _left_out(record: Record) -> dict[str, int]:
    """How many sections are not in an archive, since they are not accepted."""
    query = record.standing_sections().with_only_columns(tables.section.c.state)
    found = Counter(record.connection.execute(query).scalars())
    found[State.REQUESTED.value] = record.waiting(State.REQUESTED, 0)[1]
    return {state.value: found[state.value] for state in State if state is not State.ACCEPTED and found[state.value]}


def _other_ids(archive: Archive, member: pl.Series, given: pl.Series) -> pl.Series:
    """The ids under which something is recorded, where they are not those of the members themselves."""
    own = pl.concat([archive.members["member_id"], pl.Series([""])])  # nobody stands last
    return given.set(given == own[member.cast(pl.Int64).to_numpy()], None).alias("member_id")


def _places(known: Known) -> pl.DataFrame:
    """The sections of the archive by event, number and the act that wrote them."""
    accepted = known.headings.filter(pl.col("state") == State.ACCEPTED.value)
    return accepted.select("event_id", "number", "act").with_row_index("section")


def _sections(record: Record, known: Known) -> pl.DataFrame:
    table = tables.section
    names = ("event_id", "number", "act", "details")
    query = select(*(table.c[name] for name in names)).where(table.c.act <= record.through, table.c.details != "{}")
    said = frame_of(record.connection, query, schema_of(table, names))
    joined = _places(known).join(said, on=names[:3], how="left", maintain_order="left")
    return shaped("sections", known.archive.sections.with_columns(joined["details"]))


def _entries(record: Record, known: Known) -> pl.DataFrame:
    """Entries with everything that was reported: other ids, what else rows say, cells that games do not give back."""
    archive = known.archive
    places = _places(known).rename({"number": "of"})
    found = [one.rename({"section": "of"}).join(places, on=["event_id", "of", "act"]) for one in _telling(record)]
    schema = {"section": pl.UInt32(), "number": pl.Int32(), "member_id": pl.String(), "extra": pl.String()}
    said = pl.concat([pl.DataFrame(schema=schema), *(one.select(*schema) for one in found)])
    said = said.with_columns(mapped(said["extra"], _rest).cast(pl.String).replace("", None).alias("extra"))
    joined = archive.entries.join(said, on=["section", "number"], how="left", maintain_order="left")
    return shaped(
        "entries",
        joined.with_columns(
            _other_ids(archive, joined["member"], joined["member_id"]),
            _other_rounds(known),
        ),
    )


def _telling(record: Record) -> Iterator[pl.DataFrame]:
    """Rows that say something beside their columns, or whose id is merged, or that of no member."""
    table, member = tables.entry, tables.member
    known = select(member.c.member_id).where(member.c.act <= record.through)
    is_nobody = and_(table.c.member_id != "", table.c.member_id.not_in(known))
    names = ("event_id", "section", "act", "number", "member_id", "extra")
    query = select(*(table.c[name] for name in names)).where(
        table.c.act <= record.through,
        table.c.number.is_not(None),
        or_(table.c.extra.is_not(None), table.c.member_id.in_(select(tables.merge.c.member_id)), is_nobody),
    )
    return portions_of(record.connection, query, schema_of(table, names))


def _rest(text: str | None) -> str:
    """What a row says beside what an archive has columns for; whole numbers are kept as they were written."""
    extra: Mapping[str, Any] = json.loads(text or "{}")
    kept = {name: value for name, value in extra.items() if name not in IN_COLUMNS or _has_whole_numbers(value)}
    return canonical(kept) if kept else ""


def _has_whole_numbers(value: object) -> bool:
    return isinstance(value, list) and any(type(one) is int for one in value)


def _other_rounds(known: Known) -> pl.Series:
    """The cells of rows as they were reported, where games and byes do not give them back letter by letter."""
    entries, games = known.archive.entries, known.archive.games
    section, of_games = entries["section"].to_numpy(), games["section"].to_numpy()
    made = [pl.Series("rounds", [], dtype=pl.String)]
    for first, last in whole_sections(section):
        low, high = np.searchsorted(of_games, [section[first], section[last - 1] + 1])
        rows = Rows(section[first:last], entries["number"][first:last].to_numpy())
        again = rounds_of(games[int(low) : int(high)], entries["unplayed"][first:last], rows)
        reported = known.rounds[first:last]
        made.append(reported.set(reported == again, None).alias("rounds"))
    return pl.concat(made)


def _merged(record: Record) -> pl.DataFrame:
    """What is known of merged ids, and which id each was merged into."""
    into = direct_merges(record)
    people = record.people(sorted(into))
    columns: dict[str, list[Any]] = {
        column.name: [getattr(person, column.name) for person in people.values()] for column in PERSON_COLUMNS
    }
    columns["into_id"] = [into[one] for one in people]
    columns["outside"] = [_outside(person) for person in people.values()]
    return shaped("merged", table_of("merged", columns))


def _outside(person: Person) -> str | None:
    pairs = ((body, one) for body, ratings in zip(BODIES, (person.fide, person.cfc), strict=True) for one in ratings)
    found = [[body, one.as_of, one.rating] for body, one in pairs]
    return canonical(found) if found else None


def _events(record: Record, sections: pl.DataFrame) -> pl.DataFrame:
    """Events of which more is known than their sections say: other days, or details."""
    table = tables.event
    names = ("event_id", "started", "ended", "details")
    query = latest(table, ("event_id",), record.through).with_only_columns(*(table.c[name] for name in names))
    said = frame_of(record.connection, query, schema_of(table, names))
    days = sections.group_by("event_id").agg(pl.col("start").min(), pl.col("end").max())
    is_as_sections = (
        pl.col("started").eq_missing(pl.col("start"))
        & pl.col("ended").eq_missing(pl.col("end"))
        & (pl.col("details") == "{}")
    )
    more = said.join(days, on="event_id").filter(~is_as_sections).sort("event_id")
    return table_of("events", more.select("event_id", "details", start="started", end="ended").to_dict())
