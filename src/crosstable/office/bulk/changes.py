"""The rating changes of a run: whose rating, from where to where, through which sections, by which journal entries."""

import json
from collections.abc import Sequence
from functools import partial
from typing import overload

import polars as pl

from crosstable.office.bulk.causes import Sets
from crosstable.office.bulk.due import Replay
from crosstable.office.bulk.record import mapped
from crosstable.office.bulk.steps import KEY
from crosstable.office.ledger.journal import canonical
from crosstable.office.ledger.postings import Posting, posting_from
from crosstable.office.ledger.runs import RatingChange
from crosstable.terms import RatingSystem

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
