"""Lists from postings: what stood after any run, for a supplement that is published and for one that is verified."""

from datetime import date
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from sqlalchemy import Connection, select

from crosstable.office import tables
from crosstable.office.bulk.frames import frame_of, portions_of, schema_of, write_frame
from crosstable.office.bulk.hashes import digest_of_lines, lines_of
from crosstable.office.bulk.steps import KEY
from crosstable.office.published import Month
from crosstable.rules.editions import edition_for
from crosstable.terms import RatingSystem

Array = Any
_LISTED = ("posting_id", "run", "member_id", "system", *KEY, "rating_after", "games_after")
_NAMED = ("member_id", "act", "name", "state")
# The columns of a list, as a supplement shows them.
ROW = ("member_id", "system", "name", "state", "rating", "games", "is_provisional")
# Until when what still stands was posted.
NEVER = np.iinfo(np.int32).max
# So many postings are looked through at a time, and so many rows of a list are spelled.
_TOGETHER = 1_000_000
_SPELLED = 20_000
_EPOCH = date(1970, 1, 1)


class Ends(NamedTuple):
    """The postings that others took the place of, in their order, and the runs that did so."""

    postings: Array
    runs: Array

    def at(self, postings: Array) -> Array:
        """The runs until which postings stood; those that still stand have the highest of all numbers."""
        near = np.searchsorted(self.postings[:-1], postings)
        return np.where(self.postings[near] == postings, self.runs[near], NEVER).astype(np.int32)


def ends_in(connection: Connection, through: int | None) -> Ends:
    """The postings that runs superseded, up to one of them or all."""
    posting = tables.posting.c
    query = select(posting.supersedes, posting.run).where(posting.supersedes.is_not(None))
    query = query if through is None else query.where(posting.run <= through)
    found = frame_of(connection, query, {"supersedes": pl.Int64(), "run": pl.Int32()}).sort("supersedes", "run")
    found = found.unique("supersedes", keep="first", maintain_order=True)
    return Ends(*(np.append(found[name].to_numpy(), -1) for name in found.columns))  # -1 is nobody's number


class _Ids:
    """Ids as numbers, each text kept once."""

    def __init__(self) -> None:
        self._kind = pl.Categorical(pl.Categories.random())
        self._is_known = np.zeros(0, dtype=np.bool_)
        self._numbers: list[Array] = []
        self._texts: list[pl.Series] = []
        self._held: pl.Series | None = None  # texts lose their numbers when no column has them any more

    def numbers(self, ids: pl.Series) -> Array:
        """The numbers of ids."""
        coded = ids.cast(self._kind)
        self._held = coded if self._held is None else self._held
        found = coded.to_physical().to_numpy().astype(np.int64)
        more = int(found.max(initial=-1)) + 1 - len(self._is_known)
        if more > 0:
            self._is_known = np.append(self._is_known, np.zeros(more + len(self._is_known), dtype=np.bool_))
        new = np.flatnonzero(~self._is_known[found])
        if len(new):
            numbers, first = np.unique(found[new], return_index=True)
            self._is_known[numbers] = True
            self._numbers.append(numbers)
            self._texts.append(ids.gather(new[first]))
        return found

    def texts(self) -> pl.Series:
        """The ids by number."""
        numbers = np.concatenate([np.zeros(0, dtype=np.int64), *self._numbers])
        places = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=np.int64)
        places[numbers] = np.arange(len(numbers))
        return pl.concat([pl.Series(dtype=pl.String), *(one.alias("") for one in self._texts)]).gather(places)


class _Part(NamedTuple):
    """Postings: whose each is in which system, the run that made it and the one until which it stood, its step."""

    place: Array
    run: Array
    until: Array
    step: Array
    rating: Array
    games: Array


_KINDS = _Part(np.uint32, np.int32, np.int32, np.uint32, np.int32, np.float64)


class PostedRatings:
    """Every posting that was ever made and every name, from which the list of any run is made.

    There are millions, so of each only some numbers are kept.
    """

    def __init__(self, ends: Ends) -> None:
        self._ends = ends
        self._ids = _Ids()
        self._parts: list[_Part] = []
        self._steps: list[pl.DataFrame] = []
        self._number_of_steps = 0
        self._people: list[pl.DataFrame] = []
        self._is_sorted = False

    def take_postings(self, frame: pl.DataFrame) -> None:
        """Take some postings; those after which nobody is rated are on no list."""
        frame = frame.filter(pl.col("rating_after").is_not_null())
        is_other = frame.select(pl.any_horizontal(pl.col(name) != pl.col(name).shift() for name in KEY)).to_series()
        is_other = is_other.fill_null(value=True)  # which the first is
        step = self._number_of_steps - 1 + np.cumsum(is_other.to_numpy())
        self._steps.append(frame.filter(is_other).select(KEY))
        self._number_of_steps += self._steps[-1].height
        found = _Part(
            self._ids.numbers(frame["member_id"]) * len(RatingSystem) + frame["system"].to_numpy(),
            frame["run"].to_numpy(),
            self._ends.at(frame["posting_id"].to_numpy()),
            step,
            np.floor(frame["rating_after"].to_numpy() + 0.5),
            frame["games_after"].to_numpy(),
        )
        self._parts.append(_Part(*(column.astype(kind) for column, kind in zip(found, _KINDS, strict=True))))

    def take_people(self, frame: pl.DataFrame) -> None:
        """Take some rows about members."""
        who = pl.Series("who", self._ids.numbers(frame["member_id"]))
        self._people.append(frame.select("act", "name", "state").with_columns(who))

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
        steps = pl.concat([pl.DataFrame(schema=schema_of(tables.posting, KEY)), *self._steps])
        self._steps.clear()
        order = steps.select(pl.arg_sort_by(*KEY)).to_series().to_numpy()
        days = steps["ended"].to_physical().to_numpy()
        rank = np.empty(len(order), dtype=np.uint32)
        rank[order] = np.arange(len(order), dtype=np.uint32)
        made = _together(self._parts)
        places = rank[made.step]
        if (places[1:] < places[:-1]).any():
            by_step = np.argsort(places, kind="stable")
            made = _Part(*(column[by_step] for column in made))
        self._posted, self._days = made, days
        self._sort_people()
        self._is_sorted = True

    def _sort_people(self) -> None:
        """Names by journal entry, and ids in their order."""
        named = {**schema_of(tables.member, _NAMED[1:]), "who": pl.Int64()}
        people = pl.concat([pl.DataFrame(schema=named), *self._people]).sort("act", maintain_order=True)
        self._people.clear()
        self._entries, self._who = people["act"].to_numpy(), people["who"].to_numpy()
        self._names = people.select("name", "state")
        self._texts = self._ids.texts()
        self._in_order = self._texts.arg_sort().to_numpy()

    def at(self, run: int, month: Month, until: date | None) -> pl.DataFrame:
        """The list of a month: each member's last posting after a run, from 4 games on, rounded half up.

        With ``until`` only what was played by a day counts.
        """
        if not self._is_sorted:
            self._sort()
        rows = self._last(run, until)
        edition, games = edition_for(month.first_day), pl.col("games")
        found = pl.DataFrame(
            {
                "who": self._posted.place[rows] // len(RatingSystem),
                "system": (self._posted.place[rows] % len(RatingSystem)).astype(np.uint8),
                "rating": self._posted.rating[rows],
                "games": pl.Series(self._posted.games[rows]).fill_nan(None),
            }
        ).filter(games.is_null() | (games >= edition.lists.fewest_games))
        newest = np.full(len(self._in_order), -1)
        known = int(np.searchsorted(self._entries, run, side="right"))
        newest[self._who[:known]] = np.arange(known)  # of several the last
        names = pl.Series(newest[found["who"].to_numpy()])
        return found.with_columns(
            self._texts.gather(found["who"]).alias("member_id"),
            (games <= edition.constants.established_above).fill_null(value=False).alias("is_provisional"),
            *self._names.select(pl.all().gather(names.set(names < 0, None))).get_columns(),
        ).select(ROW)

    def _last(self, run: int, until: date | None) -> Array:
        """The last postings after a run, by member id and system."""
        posted, systems = self._posted, len(RatingSystem)
        last = np.full(len(self._in_order) * systems, -1)
        for at in range(0, len(posted.run), _TOGETHER):
            part = _Part(*(column[at : at + _TOGETHER] for column in posted))
            is_there = (part.run <= run) & (part.until > run)
            if until is not None:
                is_there &= self._days[part.step] <= (until - _EPOCH).days
            rows = np.flatnonzero(is_there)
            last[part.place[rows]] = at + rows  # of several the last
        last = last.reshape(-1, systems)[self._in_order].ravel()
        return last[last >= 0]


def _together(parts: list[_Part]) -> _Part:
    """Parts as one, column by column; of the parts nothing is left."""
    columns = [list(column) for column in zip(*parts, strict=True)] or [list[Array]() for _ in _KINDS]
    parts.clear()
    made = list[Array]()
    for kind, column in zip(_KINDS, columns, strict=True):
        made.append(np.concatenate([np.zeros(0, dtype=kind), *column]))
        column.clear()
    return _Part(*made)


def digest_of_list(month: str, rows: pl.DataFrame) -> str:
    """The digest of a list, as ``journal.digest_of_rows`` has it."""
    whole = rows.select(pl.lit(month).alias("month"), *ROW)
    return digest_of_lines(pl.concat([lines_of(part) for part in whole.iter_slices(_SPELLED)] or [lines_of(whole)]))


def write_list(connection: Connection, month: str, entry: int, rows: pl.DataFrame) -> None:
    """Put the rows of a list into the record."""
    write_frame(connection, tables.supplement_row, rows.select(pl.lit(month).alias("month"), *ROW), entry)
