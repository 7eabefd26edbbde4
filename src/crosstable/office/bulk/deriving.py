"""Ratings derived anew by the interpreted replay: all of them, or one section from what was posted before it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl
from sqlalchemy import Connection, select

from crosstable.engine import RatedSection
from crosstable.history.archive_contents import decisions_of, openings_of, sections_of
from crosstable.office import tables
from crosstable.office.bulk.due import POSTING, Due, Replay, span_of
from crosstable.office.bulk.frames import frame_of, schema_of
from crosstable.office.bulk.hashes import digests_of, sum_of
from crosstable.office.bulk.interpreted import Interpreted, OfficeSections, everything, records_of
from crosstable.office.bulk.record import known_at, known_of_section
from crosstable.office.bulk.run import compiled_replay
from crosstable.office.bulk.steps import KEY, records_before, steps_of
from crosstable.office.ledger.facts import Heading, Record, State, latest
from crosstable.office.ledger.postings import LAYOUT, Key, Posting, PostingKey
from crosstable.office.ledger.watching import LONG, Progress, can_compile, in_silence
from crosstable.office.published import month_of
from crosstable.office.supplements import Basis, ListRow, Supplement, last_day
from crosstable.rules.editions import edition_for


class Derived(NamedTuple):
    """Every posting that follows from the record, and the sections that no known rule can rate."""

    postings: Mapping[PostingKey, Posting]
    unratable: Mapping[Key, str]


def derived(record: Record, progress: Progress = in_silence) -> Derived:
    """Every posting of an office, from nothing, by the interpreted engine."""
    known = known_at(record, {})
    steps = steps_of(known)
    nothing = pl.DataFrame(schema={"posting_id": pl.Int64(), **POSTING})
    replay = Interpreted(span_of(known, steps, nothing), everything(steps))
    postings = {posting.about: posting for _, posting in replay.postings(progress)}
    rows = known.archive.sections.select("end", "start", "event_id", "number")
    return Derived(postings, {Key(*rows.row(at)): why for at, why in replay.unratable.items()})


def sum_due(record: Record, progress: Progress = in_silence) -> int:
    """The sum of the digests of every posting that follows from the record, from nothing, compiled where it is long."""
    known = known_at(record, {})
    steps = steps_of(known)
    span = span_of(known, steps, pl.DataFrame(schema={"posting_id": pl.Int64(), **POSTING}))
    is_long = can_compile() and steps.frame.height > LONG
    replay: Replay = compiled_replay(span) if is_long else Interpreted(span, everything(steps))
    total = 0

    def take(due: Due) -> None:
        nonlocal total
        total += sum_of(digests_of(due.postings.select(*POSTING), LAYOUT))

    replay.go(take, progress)
    return total


def every_posting(connection: Connection) -> pl.DataFrame:
    """Every posting that was ever made, with its run, the run that superseded it, and what a supplement shows of it."""
    frame = frame_of(
        connection, select(*(tables.posting.c[name] for name in _LISTED)), schema_of(tables.posting, _LISTED)
    )
    ends = frame.select(pl.col("supersedes").alias("posting_id"), pl.col("run").alias("until")).drop_nulls()
    return frame.join(ends, on="posting_id", how="left").drop("posting_id", "supersedes")


_LISTED = ("posting_id", "run", "supersedes", "member_id", "system", *KEY, "rating_after", "games_after")


def is_list(rows: Sequence[ListRow], postings: pl.DataFrame, record: Record, made: Supplement) -> bool:
    """Whether rows are the list of what was current after a run, as ``supplements.rows_from`` makes it."""
    is_there = (pl.col("run") <= made.run) & (pl.col("until").is_null() | (pl.col("until") > made.run))
    there = postings.filter(is_there & pl.col("rating_after").is_not_null())
    if made.basis is Basis.PLAYED:
        there = there.filter(pl.col("ended") <= last_day(month_of(made.month)))
    edition, games = edition_for(month_of(made.month).first_day), pl.col("games_after")
    last = there.sort(*KEY).unique(["member_id", "system"], keep="last")
    last = last.filter(games.is_null() | (games >= edition.lists.fewest_games)).select(
        "member_id",
        pl.col("system").cast(pl.Int64),
        (pl.col("rating_after") + 0.5).floor().cast(pl.Int64).alias("rating"),
        games.alias("games"),
        (games <= edition.constants.established_above).fill_null(value=False).alias("is_provisional"),
    )
    schema = {"member_id": pl.String(), "name": pl.String(), "state": pl.String()}
    query = latest(tables.member, ("member_id",), record.through)
    names = frame_of(record.connection, query.with_only_columns(*(tables.member.c[one] for one in schema)), schema)
    wanted = last.join(names, on="member_id", how="left").sort("member_id", "system").select(*ListRow._fields)
    shown = pl.DataFrame([(row[0], int(row[1]), *row[2:]) for row in rows], schema=wanted.schema, orient="row")
    return wanted.equals(shown.sort("member_id", "system"))


def rated_again(record: Record, run: int, heading: Heading) -> tuple[RatedSection, ...]:
    """A section in each of its systems, from what a run had posted before it; nothing where it is not accepted."""
    if heading.state is not State.ACCEPTED:
        return ()
    known = known_of_section(record, heading)
    starts = known.archive.members.select("member_id").with_columns(
        pl.lit(value).cast(POSTING[name]).alias(name) for name, value in zip(KEY, heading.key, strict=True)
    )
    span = span_of(known, steps_of(known), records_before(record.connection, starts, run=run))
    records, archive = records_of(span.before), span.known.archive
    rates = OfficeSections(archive, lambda who: records.get(who, {}), openings_of(archive), decisions_of(archive))
    return rates.take(next(sections_of(archive))).rated
