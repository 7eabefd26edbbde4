"""The steps of a replay as numbers: sections, starting ratings, moving decisions in order; what is posted there."""

from contextlib import ExitStack
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from sqlalchemy import ColumnElement, Connection, Select, select

from crosstable.office import tables
from crosstable.office.bulk.frames import asked, frame_of, read_ahead, schema_of
from crosstable.office.bulk.record import Known
from crosstable.office.ledger.facts import State
from crosstable.office.ledger.postings import Posting, is_current, last_before
from crosstable.replaying import DAWN, MOVING, OWN, Key
from crosstable.terms import RatingSystem

Array = Any
_NO_SYSTEM = len(RatingSystem)
# The last postings of so many members are looked for by so many sessions.
_MANY, _SESSIONS = 5_000, 4
KEY = ("ended", "started", "event_id", "section")
# The columns of a stored posting.
STORED = schema_of(tables.posting, ("posting_id", *Posting._fields))


class Steps(NamedTuple):
    """Every step of a replay, by number; ``of_section`` and ``of_opening`` give those of the archive's rows."""

    frame: pl.DataFrame
    of_section: Array
    of_opening: Array

    def since(self, day: date) -> int:
        """The first step that does not end before a day."""
        return int(self.frame["ended"].search_sorted(day))

    def key_of(self, step: int) -> Key:
        """The place of a step in the replay."""
        return Key(*self.frame.select(KEY).row(step))

    def before(self, key: tuple[Any, ...]) -> int:
        """How many steps stand before a key."""
        is_before = pl.lit(False)
        for name, value in reversed(list(zip(KEY, key, strict=True))):
            column = pl.col(name)
            is_before = (column < value) | ((column == value) & is_before)
        return self.frame.filter(is_before).height


def steps_of(known: Known) -> Steps:
    """The steps of a record."""
    archive, headings = known.archive, known.headings
    accepted = headings["state"] == State.ACCEPTED.value
    sections = headings.select(
        "ended",
        "started",
        "event_id",
        pl.col("number").alias("section"),
        pl.lit(_NO_SYSTEM, dtype=pl.UInt8).alias("system"),
        pl.Series("archived", np.where(accepted, np.cumsum(accepted) - 1, -1), dtype=pl.Int64),
    )
    openings = _own(archive.openings, "as_of").with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias("opening"))
    moving = archive.decisions.filter(pl.col("kind").is_in([kind.value for kind in MOVING]))
    parts = [sections, openings, _own(moving, "effective")]
    whole = pl.concat(parts, how="diagonal").sort(*KEY, "system", maintain_order=True)
    whole = whole.with_row_index("step").with_columns(pl.col("step").cast(pl.Int64))
    return Steps(whole, *(_places(whole, name) for name in ("archived", "opening")))


def _own(frame: pl.DataFrame, day: str) -> pl.DataFrame:
    return frame.select(
        pl.col(day).alias("ended"),
        pl.lit(DAWN, dtype=pl.Date).alias("started"),
        (OWN + pl.col("member_id")).alias("event_id"),
        pl.col("act").alias("section"),
        "system",
        "member",
    ).with_columns(pl.col("member").cast(pl.Int32))


def _places(whole: pl.DataFrame, name: str) -> Array:
    """By row of a table: its step."""
    if name not in whole.columns:
        return np.zeros(0, dtype=np.int64)
    own = whole.filter(pl.col(name) >= 0).sort(name)
    return own["step"].to_numpy()


def current_since(day: date, *where: ColumnElement[bool]) -> Select[Any]:
    """A query for the current postings from a day on, those that conditions pick."""
    posting = tables.posting
    query = select(*(posting.c[name] for name in STORED)).where(is_current(), *where)
    return query.where(posting.c.ended >= day) if day > DAWN else query


def placed(frame: pl.DataFrame, known: Known, steps: Steps) -> pl.DataFrame:
    """Postings with the step and the number of the member of each, in the order of steps.

    A step of -1: what was posted there is no longer a step. Ids that are merged have numbers behind those of members.
    """
    frame = numbered(frame, known)
    is_own = pl.col("event_id").str.starts_with(OWN)
    places = steps.frame.select("event_id", "section", "system", "step", start="started", end="ended")
    asked = frame.with_columns(
        pl.when(is_own).then(pl.col("system")).otherwise(pl.lit(_NO_SYSTEM, dtype=pl.UInt8)).alias("asked")
    )
    found = asked.join(
        places, left_on=["event_id", "section", "asked"], right_on=["event_id", "section", "system"], how="left",
        maintain_order="left",
    )  # fmt: skip
    is_moved = (pl.col("start") != pl.col("started")) | (pl.col("end") != pl.col("ended"))
    found = found.with_columns(pl.col("step").fill_null(-1), is_moved.fill_null(True).alias("is_moved"))
    return found.drop("asked", "start", "end").sort("step", "posting_id")


def numbered(frame: pl.DataFrame, known: Known) -> pl.DataFrame:
    """Rows about ids with the number of each."""
    codes = known.ids.select("member_id").with_row_index("who").with_columns(pl.col("who").cast(pl.Int32))
    return frame.join(codes, on="member_id", how="left", maintain_order="left")


def records_before(
    connection: Connection, starts: pl.DataFrame, day: date | None = None, run: int | None = None
) -> pl.DataFrame:
    """The last posting of members in every system before a day, or each before a key of their own.

    Of those that are current, or that were after a run. They lie all over the disk, which serves several at once: of
    many members a few sessions of a server look for a part each.
    """
    most = max(1, starts.height if starts.height < _MANY else -(-starts.height // _SESSIONS))
    parts = [*starts.iter_slices(most)] or [starts]
    own, *others = [last_before(connection, asked(connection, part), STORED, day, run) for part in parts]
    with ExitStack() as stack:
        found = [stack.enter_context(read_ahead(connection, query, STORED, is_likely=True)) for query in others]
        return pl.concat([frame_of(connection, own, STORED), *(other() for other in found)])


def members_of(known: Known, steps: Steps) -> pl.DataFrame:
    """Steps and the members whose records they read."""
    entries = known.archive.entries.filter(pl.col("member") >= 0)
    inside = pl.DataFrame(
        {"step": steps.of_section[entries["section"].to_numpy()], "who": entries["member"]},
        schema={"step": pl.Int64, "who": pl.Int32},
    )
    own = steps.frame.filter(pl.col("member").is_not_null()).select("step", pl.col("member").alias("who"))
    return pl.concat([inside, own])
