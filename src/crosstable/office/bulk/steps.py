"""The places of the fold as numbers: sections, openings and moving decisions in their order; old postings at them."""

from datetime import date
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from sqlalchemy import Connection, select

from crosstable.folding import DAWN, MOVING, OWN
from crosstable.office import tables
from crosstable.office.bulk.frames import frame_of, schema_of
from crosstable.office.bulk.record import Known
from crosstable.office.ledger.facts import State
from crosstable.office.ledger.postings import Posting
from crosstable.terms import RatingSystem

Array = Any
_NO_SYSTEM = len(RatingSystem)
KEY = ("ended", "started", "event_id", "section")


class Steps(NamedTuple):
    """Every place of the fold, by number; ``of_section`` and ``of_opening`` give those of the archive's rows."""

    frame: pl.DataFrame
    of_section: Array
    of_opening: Array

    def since(self, day: date) -> int:
        """The first place that does not end before a day."""
        return int(self.frame["ended"].search_sorted(day))

    def before(self, key: tuple[Any, ...]) -> int:
        """How many places stand before a key."""
        is_before = pl.lit(False)
        for name, value in reversed(list(zip(KEY, key, strict=True))):
            column = pl.col(name)
            is_before = (column < value) | ((column == value) & is_before)
        return self.frame.filter(is_before).height


def steps_of(known: Known) -> Steps:
    """The places of a record."""
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
    """By row of a table: its place."""
    if name not in whole.columns:
        return np.zeros(0, dtype=np.int64)
    own = whole.filter(pl.col(name) >= 0).sort(name)
    return own["step"].to_numpy()


def old_postings(connection: Connection, known: Known, steps: Steps, day: date) -> pl.DataFrame:
    """The current postings from a day on, with the place and the number of the member of each.

    A place of -1: what was posted there is no longer a step of the fold. Ids that are merged have numbers behind those
    of members.
    """
    posting, current = tables.posting, tables.current_posting
    names = ("posting_id", *Posting._fields)
    joined = current.join(posting, posting.c.posting_id == current.c.posting_id)
    query = select(*(posting.c[name] for name in names)).select_from(joined)
    if day > DAWN:
        query = query.where(posting.c.ended >= day)
    frame = frame_of(connection, query, schema_of(posting, names))
    codes = known.ids.select("member_id").with_row_index("who").with_columns(pl.col("who").cast(pl.Int32))
    frame = frame.join(codes, on="member_id", how="left", maintain_order="left")
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
    return found.with_columns(pl.col("step").fill_null(-1), is_moved.fill_null(True).alias("is_moved")).drop(
        "asked", "start", "end"
    )
