"""Lists from postings: what stood after any run, for a supplement that is published and for one that is verified."""

from datetime import date
from typing import Any

import numpy as np
import polars as pl
from sqlalchemy import Connection, select

from crosstable.office import tables
from crosstable.office.bulk.frames import portions_of, schema_of, write_frame
from crosstable.office.bulk.hashes import digest_of_lines, lines_of
from crosstable.office.bulk.steps import KEY
from crosstable.office.published import Month
from crosstable.rules.editions import edition_for
from crosstable.terms import RatingSystem

Array = Any
_LISTED = ("posting_id", "run", "supersedes", "member_id", "system", *KEY, "rating_after", "games_after")
_NAMED = ("member_id", "act", "name", "state")
# The columns of a list, as a supplement shows them.
ROW = ("member_id", "system", "name", "state", "rating", "games", "is_provisional")
_NEVER = np.iinfo(np.int32).max


class PostedRatings:
    """Every posting that was ever made and every name, from which the list of any run is made.

    Ids are kept as numbers: a member has many postings.
    """

    def __init__(self) -> None:
        self._ids, self._events = (pl.Categorical(pl.Categories.random()) for _ in range(2))
        self._postings: list[pl.DataFrame] = []
        self._people: list[pl.DataFrame] = []
        self._is_sorted = False

    def take_postings(self, frame: pl.DataFrame) -> None:
        """Take some postings."""
        coded = (pl.col("member_id").cast(self._ids), pl.col("event_id").cast(self._events))
        self._postings.append(frame.select(_LISTED).with_columns(coded))

    def take_people(self, frame: pl.DataFrame) -> None:
        """Take some rows about members."""
        self._people.append(frame.select(_NAMED).with_columns(pl.col("member_id").cast(self._ids)))

    def read(self, connection: Connection, through: int, since: int = 0) -> None:
        """Take all postings and names of entries from one on up to another."""
        for table, names, entry, take in (
            (tables.posting, _LISTED, "run", self.take_postings),
            (tables.member, _NAMED, "act", self.take_people),
        ):
            query = select(*(table.c[name] for name in names)).where(table.c[entry] <= through, table.c[entry] > since)
            for portion in portions_of(connection, query, schema_of(table, names)):
                take(portion)

    def _sort(self) -> None:
        """Postings in the order of the replay, and names in that of the journal."""
        empty = pl.DataFrame(
            schema={**schema_of(tables.posting, _LISTED), "member_id": self._ids, "event_id": self._events}
        )
        frame = pl.concat([empty, *self._postings])
        self._postings.clear()
        ends = frame.select(pl.col("supersedes").alias("posting_id"), pl.col("run").alias("until")).drop_nulls()
        ends = ends.unique("posting_id", keep="first")
        frame = (
            frame.drop("supersedes")
            .join(ends, on="posting_id", how="left")
            .filter(pl.col("rating_after").is_not_null())
        )
        frame = frame.sort(*KEY).drop("posting_id", "started", "event_id", "section")
        who = frame["member_id"].to_physical().to_numpy().astype(np.int64)
        self._place = who * len(RatingSystem) + frame["system"].to_numpy()
        self._run, self._until = frame["run"].to_numpy(), frame["until"].fill_null(_NEVER).to_numpy()
        self._ended = frame["ended"].to_physical().to_numpy()
        self._shown = frame.select("member_id", "system", "rating_after", "games_after")
        named = {**schema_of(tables.member, _NAMED), "member_id": self._ids}
        self._named = pl.concat([pl.DataFrame(schema=named), *self._people]).sort("act", maintain_order=True)
        self._people.clear()
        self._is_sorted = True

    def at(self, run: int, month: Month, until: date | None) -> pl.DataFrame:
        """The list of a month: each member's last posting after a run, from 4 games on, rounded half up.

        With ``until`` only what was played by a day counts.
        """
        if not self._is_sorted:
            self._sort()
        is_there = (self._run <= run) & (self._until > run)
        if until is not None:
            is_there &= self._ended <= (until - date(1970, 1, 1)).days
        rows = np.flatnonzero(is_there)
        last = np.full(int(self._place.max(initial=-1)) + 1, -1, dtype=np.int64)
        np.maximum.at(last, self._place[rows], rows)
        edition, games = edition_for(month.first_day), pl.col("games_after")
        found = self._shown[last[last >= 0]]
        found = found.filter(games.is_null() | (games >= edition.lists.fewest_games)).select(
            "member_id",
            "system",
            (pl.col("rating_after") + 0.5).floor().cast(pl.Int32).alias("rating"),
            games.alias("games"),
            (games <= edition.constants.established_above).fill_null(value=False).alias("is_provisional"),
        )
        people = self._named.filter(pl.col("act") <= run).unique("member_id", keep="last").drop("act")
        found = found.join(people, on="member_id", how="left").with_columns(pl.col("member_id").cast(pl.String))
        return found.select(ROW).sort("member_id", "system")


def digest_of_list(month: str, rows: pl.DataFrame) -> str:
    """The digest of a list, as ``journal.digest_of_rows`` has it."""
    return digest_of_lines(lines_of(rows.select(pl.lit(month).alias("month"), *ROW)))


def write_list(connection: Connection, month: str, entry: int, rows: pl.DataFrame) -> None:
    """Put the rows of a list into the record."""
    write_frame(connection, tables.supplement_row, rows.select(pl.lit(month).alias("month"), *ROW), entry)
