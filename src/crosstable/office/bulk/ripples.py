"""The ripple of a long run: who changed, from where to where, through which sections, by which acts."""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any, overload

import numpy as np
import polars as pl

from crosstable.history.recording import Recorder
from crosstable.history.standings import ArrayStandings
from crosstable.office.bulk.causes import Sets
from crosstable.office.bulk.record import mapped
from crosstable.office.bulk.steps import KEY
from crosstable.office.ledger.acts import canonical
from crosstable.office.ledger.postings import Posting, posting_from
from crosstable.office.ledger.rerate import RippleLine
from crosstable.terms import PlayerRating, RatingSystem

Array = Any
_PLACE = ["who", "system"]


class Ripple(Sequence[RippleLine]):
    """The lines of a ripple, each made when it is asked for."""

    def __init__(self, ids: pl.Series, old: pl.DataFrame, recorder: Recorder, lines: pl.DataFrame) -> None:
        """``lines`` have the member and system of each, its sections and causes as texts."""
        self._old, self._lines = old, lines
        place_of = recorder.index.history.place_of
        self._members = recorder.index.members
        self._after = ArrayStandings(recorder.standings, place_of)
        self._before = ArrayStandings(recorder.at_first, place_of)
        last = (
            old.with_row_index("row")
            .join(lines, on=_PLACE, how="semi")
            .sort(*KEY)
            .unique(_PLACE, keep="last", maintain_order=True)
        )
        found = lines.join(last.select(*_PLACE, "row"), on=_PLACE, how="left", maintain_order="left")
        self._lines = found.with_columns(ids.gather(lines["who"]).alias("member_id"))

    def __len__(self) -> int:
        return self._lines.height

    @overload
    def __getitem__(self, at: int) -> RippleLine: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[RippleLine]: ...
    def __getitem__(self, at: int | slice) -> RippleLine | Sequence[RippleLine]:
        if isinstance(at, slice):
            return [self._line(place) for place in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        return self._line(at)

    def _line(self, at: int) -> RippleLine:
        line = self._lines.row(at, named=True)
        who, system = line["who"], RatingSystem(line["system"])
        before: PlayerRating | None
        if line["row"] is None:
            before = self._standing(self._before, who, system)
        else:
            before = posting_from(self._old.select(*Posting._fields).row(line["row"])).standing
        sections = tuple((event_id, section) for event_id, section in json.loads(line["sections"]))
        causes = tuple(json.loads(line["causes"]))
        return RippleLine(line["member_id"], system, before, self._standing(self._after, who, system), sections, causes)

    def _standing(self, arrays: ArrayStandings, who: int, system: RatingSystem) -> PlayerRating | None:
        return None if who >= self._members else arrays.of(who).get(system)

    def rows(self, run: int) -> pl.DataFrame:
        """The lines as the table holds them."""
        lines = self._lines
        old = self._old.select("rating_after", "games_after").with_row_index("row")
        joined = lines.join(old, on="row", how="left", maintain_order="left")
        first, last = (self._ratings(arrays) for arrays in (self._before, self._after))
        is_old = lines["row"].is_not_null()
        before = [
            pl.select(pl.when(is_old).then(joined[name]).otherwise(other)).to_series()
            for name, other in zip(("rating_after", "games_after"), first, strict=True)
        ]
        return lines.select(
            pl.lit(run, dtype=pl.Int32).alias("run"),
            "member_id",
            "system",
            before[0].alias("rating_before"),
            before[1].alias("games_before"),
            last[0].alias("rating_after"),
            last[1].alias("games_after"),
            "sections",
            "causes",
        )

    def _ratings(self, arrays: ArrayStandings) -> tuple[pl.Series, pl.Series]:
        who, system = self._lines["who"].to_numpy(), self._lines["system"].to_numpy()
        is_member = who < self._members
        places = arrays.place_of[np.where(is_member, who, 0), system] if self._members else np.zeros(0, dtype=int)
        rows = arrays.arrays.standings[np.where(is_member, places, 0)]
        games = np.where(np.isinf(rows["games"]) | np.isnan(rows["rating"]), np.nan, rows["games"])
        return pl.Series(rows["rating"]).fill_nan(None), pl.Series(games).fill_nan(None)


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
