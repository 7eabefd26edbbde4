"""The postings that follow from the record as frames, and what stands at the beginning of a span of it."""

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import polars as pl

from crosstable.office import tables
from crosstable.office.bulk.frames import schema_of
from crosstable.office.bulk.record import Known
from crosstable.office.bulk.steps import Steps, numbered
from crosstable.office.ledger.journal import canonical
from crosstable.office.ledger.postings import Posting
from crosstable.office.ledger.runs import Progress
from crosstable.record_rows import MORE_THAN_NUMBERS, POSTED, posted_name
from crosstable.terms import PlayerRating, RatingSystem

Array = Any
POSTING = schema_of(tables.posting, Posting._fields)
DUE = {"step": pl.Int64(), "who": pl.Int32(), **POSTING}
_SAYS_MORE = pl.any_horizontal(pl.col(*MORE_THAN_NUMBERS).is_not_null())


class Due:
    """The postings that are due from one step up to another, and the sections there that were rated.

    They are made when they are asked for: who took a run up has some of them already.
    """

    def __init__(self, low: int, high: int, make: Callable[[], tuple[pl.DataFrame, pl.DataFrame]]) -> None:
        self.low, self.high, self._make = low, high, make

    @cached_property
    def _made(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        return self._make()

    @property
    def postings(self) -> pl.DataFrame:
        """The postings, in the order of their steps."""
        return self._made[0]

    @property
    def rated(self) -> pl.DataFrame:
        """The sections, in each of their systems."""
        return self._made[1]


class Take(Protocol):
    """Whoever takes what is due, a part of a replay at a time."""

    def __call__(self, due: Due) -> None:
        """Take it."""


class Replay(Protocol):
    """A replay of a span of the record, interpreted or compiled.

    ``unratable`` says by section of the archive why it could not be rated.
    """

    unratable: dict[int, str]

    def go(self, take: Take, progress: Progress) -> None:
        """Rate everything, and hand over what is due."""

    def record(self, who: int, system: RatingSystem) -> PlayerRating | None:
        """A member's rating record in a system at the end."""

    def ratings(self, who: Array, system: Array) -> tuple[pl.Series, pl.Series]:
        """The ratings and games of members at the end."""


RATED = schema_of(tables.rated_section, ("event_id", "section", "system", "edition"))


class Span(NamedTuple):
    """A part of the record to be replayed: what is known, its steps, and the last posting before it of each member.

    Starting ratings of the archive behind ``starts`` carry what came before: they are no steps.
    """

    known: Known
    steps: Steps
    before: pl.DataFrame
    starts: int


def span_of(known: Known, steps: Steps, before: pl.DataFrame) -> Span:
    """A span that begins with records that were posted before it."""
    before = numbered(before, known)
    limits = _limits(known.earlier)
    told = before.join(limits, left_on=["who", "system"], right_on=["member", "system"], how="left")
    told = told.filter(_SAYS_MORE).select(
        pl.col("who").alias("member").cast(pl.UInt32),
        "system",
        *(pl.col(posted_name(name)).alias(name) for name in POSTED),
        *("floors", "ceiling", pl.lit(None, dtype=pl.Float64()).alias("published")),
        *(pl.lit("").alias("source"), pl.lit(0, dtype=pl.Int32()).alias("act"), "member_id"),
    )
    archive = known.archive
    openings = pl.concat([archive.openings, told.select(archive.openings.columns)], how="vertical_relaxed")
    whole = known._replace(archive=archive._replace(openings=openings))
    return Span(whole, steps, before, archive.openings.height)


def _limits(earlier: pl.DataFrame) -> pl.DataFrame:
    """By member and system: the floors and the ceiling that starting ratings of before set."""
    setting = earlier.filter(pl.any_horizontal(pl.col("floors", "ceiling").is_not_null()))
    found: dict[tuple[int, int], tuple[list[Any], float | None]] = {}
    for member, system, floors, ceiling in setting.select("member", "system", "floors", "ceiling").iter_rows():
        told, _ = found.get((member, system), ([], None))
        found[member, system] = [*told, *json.loads(floors or "[]")], ceiling
    rows = [(*place, canonical(floors) if floors else None, ceiling) for place, (floors, ceiling) in found.items()]
    schema = {"member": pl.Int32(), "system": pl.UInt8(), "floors": pl.String(), "ceiling": pl.Float64()}
    return pl.DataFrame(rows, schema=schema, orient="row")


def frame_of_postings(known: Known, postings: Sequence[Posting], steps: Sequence[int]) -> pl.DataFrame:
    """Postings as they are due at steps."""
    rows = [(*one[:1], int(one.system), *one[2:]) for one in postings]
    frame = numbered(pl.DataFrame(rows, schema=POSTING, orient="row"), known)
    return frame.with_columns(pl.Series("step", steps, dtype=pl.Int64)).select(*DUE)
