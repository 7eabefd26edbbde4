"""The current postings as files of columns beside the record: a long run reads them instead of rows of a database.

There is a file for each month in which sections end, and a list of the files. The list names the run after which they
held, the head of the journal before it, and the state of the office after it, which is the sum of the digests of all
current postings. It counts only where the record says the same; what runs have posted since is read from the database.
Postings are never changed, so nothing else can come between. A file whose hash is not that of the list is not used.
Whoever owns the office may delete all of this: the next long run makes it anew (decision 0014).
"""

import hashlib
import io
import json
import logging
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from polars.exceptions import PolarsError
from sqlalchemy import Connection, select

from crosstable import __version__
from crosstable.office import tables
from crosstable.office.bulk.checkpoints import folder_of
from crosstable.office.bulk.frames import frame_of
from crosstable.office.bulk.steps import STORED, current_since
from crosstable.office.database import Office
from crosstable.office.ledger.journal import JournalEntry, act_of

LOG = logging.getLogger("crosstable.office")
Array = Any
# The folder of the files ends so.
COLUMNS = ".columns"
# For fewer rows of players, reading the database is as quick.
MANY = 50_000
_UNREADABLE = (PolarsError, LookupError, TypeError, ValueError, OSError)
_LIST = re.compile(r"list-(\d+)\.json")
# Another version of the program, or another layout, begins anew.
_LAYOUT = hashlib.sha256(f"{__version__} {[*STORED.items()]}".encode()).hexdigest()


class File(NamedTuple):
    """A file of one month, and its hash."""

    name: str
    digest: str


class Columns(NamedTuple):
    """The files of an office that count: the run after which they held, the first month that they have, the months."""

    folder: str
    run: int
    first: int
    months: Mapping[int, File]

    def since(self, connection: Connection, day: date) -> "Since | None":
        """The current postings from a day on; nothing where the files do not have them or cannot be used."""
        month = month_of(day)
        if month < self.first:
            return None
        moved = _moved_since(connection, self.run)
        files = {month: _nothing()}
        try:
            files |= {one: self.read(one) for one in sorted(self.months) if one >= month}
        except _UNREADABLE as error:
            LOG.warning("a file of postings cannot be used, so they are read from the database: %s", error)
            return None
        is_later, is_here = pl.col("ended") >= day, _month_of(moved["ended"]) == month
        earlier = _as_moved(files[month].filter(~is_later), moved.filter(is_here & (moved["ended"] < day)), moved)
        files[month] = files[month].filter(is_later)
        return Since(_as_moved(pl.concat(files.values()), moved.filter(is_later), moved), earlier, moved)

    def read(self, month: int) -> pl.DataFrame:
        """The postings of a month as they were after the run."""
        file = self.months[month]
        with open(os.path.join(self.folder, file.name), "rb") as opened:
            content = opened.read()
        if hashlib.sha256(content).hexdigest() != file.digest:
            raise ValueError(f"{file.name} is not the file that was written")
        return pl.read_ipc(io.BytesIO(content))


class Since(NamedTuple):
    """Current postings from a day on, and those of earlier days of its month.

    ``moved`` is all that was posted since the files were written, with the days of what that superseded; nothing where
    there are no files.
    """

    rows: pl.DataFrame
    earlier: pl.DataFrame
    moved: pl.DataFrame | None


def month_of(day: date) -> int:
    """A month as a number."""
    return 12 * day.year + day.month - 1


def _month_of(days: pl.Series) -> pl.Series:
    return days.dt.year() * 12 + days.dt.month().cast(pl.Int32) - 1


def columns_of(office: Office, connection: Connection) -> Columns | None:
    """The newest files that the record agrees with."""
    folder = folder_of(office, COLUMNS)
    for run in sorted(_lists(folder), reverse=True):
        try:
            with open(os.path.join(folder, _list_of(run)), encoding="utf-8") as opened:
                said = json.load(opened)
            months = {int(month): File(*file) for month, file in said["months"].items()}
            claims, first = (said["layout"], said["head"], said["state"]), int(said["first"])
        except _UNREADABLE as error:
            LOG.warning("a list of files of postings cannot be read: %s", error)
            continue
        state = connection.execute(select(tables.run.c.state_after).where(tables.run.c.act == run)).scalar()
        before = act_of(connection, run - 1)
        if before is not None and claims == (_LAYOUT, before.digest, state):
            return Columns(folder, run, first, months)
    return None


def _lists(folder: str) -> list[int]:
    with suppress(OSError):
        return [int(found[1]) for name in os.listdir(folder) if (found := _LIST.fullmatch(name))]
    return []


def _list_of(run: int) -> str:
    return f"list-{run}.json"


def stored_since(connection: Connection, day: date, rows: pl.DataFrame) -> Since:
    """What the database said of the days from one on, with the earlier ones of its month."""
    query = current_since(day.replace(day=1), tables.posting.c.ended < day)
    return Since(rows, frame_of(connection, query, STORED), None)


def _nothing() -> pl.DataFrame:
    return pl.DataFrame(schema=STORED)


def _moved_since(connection: Connection, run: int) -> pl.DataFrame:
    """What runs after one have posted, and the day of what each row superseded."""
    posting, old = tables.posting, tables.posting.alias("old")
    query = select(*(posting.c[name] for name in STORED), posting.c.supersedes, old.c.ended.label("was"))
    query = query.outerjoin_from(posting, old, old.c.posting_id == posting.c.supersedes).where(posting.c.run > run)
    return frame_of(connection, query, {**STORED, "supersedes": pl.Int64(), "was": pl.Date()})


def _as_moved(rows: pl.DataFrame, fresh: pl.DataFrame, moved: pl.DataFrame) -> pl.DataFrame:
    """Rows without those that were superseded, and with those that came since and stand."""
    gone = moved["supersedes"].drop_nulls()
    whole = pl.concat([rows, fresh.filter(pl.col("rating_after").is_not_null()).select(rows.columns)])
    return whole.filter(~pl.col("posting_id").is_in(gone.implode())) if gone.len() else whole


class Renewal:
    """The files of a run while it posts: of months that it changes they are written anew, the others stay.

    A month is written when nothing of it can come any more; of those that are ``late`` something may come at the end.
    Nothing counts before the run is stored, because only then the record knows its state.
    """

    def __init__(self, folder: str, head: JournalEntry, before: Columns | None, since: date, posted: Since) -> None:
        self.folder, self.head, self.run, self.first = folder, head, head.seq + 1, month_of(since)
        self.before = None if posted.moved is None else before
        self._posted, self._earlier = posted.rows, {self.first: posted.earlier}
        codes = _month_of(posted.rows["ended"]).to_numpy()
        order = np.argsort(codes, kind="stable")
        found, starts = np.unique(codes[order], return_index=True)
        ends = [*starts[1:].tolist(), len(order)]
        places = zip(found.tolist(), starts.tolist(), ends, strict=False)
        self._rows: dict[int, Array] = {month: order[first:last] for month, first, last in places}
        self._fresh: dict[int, list[pl.DataFrame]] = {}
        self._gone: dict[int, list[Array]] = {}
        self._months: dict[int, File] = {}
        self._late: set[int] = set()
        self._is_kept = True
        if self.before is not None and posted.moved is not None:
            self._go_on(self.before, posted.moved)

    def _go_on(self, before: Columns, moved: pl.DataFrame) -> None:
        """Take over the files of before, but for months in which something was posted since."""
        self._months = {**before.months}
        touched = {*_month_of(moved["ended"]), *_month_of(moved["was"].drop_nulls())}
        self._late = {month for month in touched if month >= self.first}
        try:
            for month in sorted(month for month in touched if before.first <= month < self.first):
                self._write(month, self._of_before(before, month, moved))
        except _UNREADABLE as error:
            LOG.warning("a file of postings cannot be used, so the files begin later: %s", error)
            self._months = {month: file for month, file in self._months.items() if month >= self.first}
            return
        self.first = before.first

    def _of_before(self, before: Columns, month: int, moved: pl.DataFrame) -> pl.DataFrame:
        """The postings of a month that the run does not look at, as they are now."""
        rows = before.read(month) if month in before.months else _nothing()
        return _as_moved(rows, moved.filter(_month_of(moved["ended"]) == month), moved)

    def expect(self, moved: pl.DataFrame) -> None:
        """Postings whose place has changed: something of their months may come last."""
        self._late |= {*_month_of(moved["ended"])}

    def take(self, posted: pl.DataFrame, superseded: pl.DataFrame, day: date) -> None:
        """Take what the run posts, and what that supersedes; of earlier days than this one nothing else will come."""
        stands = posted.filter(pl.col("rating_after").is_not_null())
        for month, part in _by_month(stands):
            self._fresh.setdefault(month, []).append(part.select(*STORED))
        for month, part in _by_month(superseded):
            self._gone.setdefault(month, []).append(part["posting_id"].to_numpy())
        now = month_of(day)
        for month in [one for one in {*self._fresh, *self._gone} if one < now and one not in self._late]:
            self._flush(month)

    def _flush(self, month: int) -> None:
        rows = self._posted[self._rows.pop(month, np.zeros(0, dtype=np.int64))].select(*STORED)
        rows = pl.concat([self._earlier.pop(month, _nothing()), rows])
        gone = self._gone.pop(month, [])
        if gone:
            ids = pl.Series(np.concatenate(gone), dtype=pl.Int64)
            rows = rows.filter(~pl.col("posting_id").is_in(ids.implode()))
        self._write(month, pl.concat([rows, *self._fresh.pop(month, [])]))

    def finish(self, state: str) -> None:
        """Write the months that are left, and the list with the state of the office after the run."""
        unwritten = {*self._rows, *self._earlier} if self.before is None else ()
        for month in sorted({*self._fresh, *self._gone, *self._late, *unwritten}):
            self._flush(month)
        months = {str(month): file for month, file in sorted(self._months.items())}
        claims = {"layout": _LAYOUT, "head": self.head.digest, "state": state}
        said = {**claims, "first": self.first, "months": months}
        self._put(_list_of(self.run), json.dumps(said).encode())
        if self._is_kept:
            self._drop_others()

    def _write(self, month: int, rows: pl.DataFrame) -> None:
        self._months.pop(month, None)
        if rows.height:
            content = io.BytesIO()
            rows.write_ipc(content, compression="lz4")
            name = f"{month // 12}-{month % 12 + 1:02}-{self.run}.arrow"
            self._put(name, content.getvalue())
            self._months[month] = File(name, hashlib.sha256(content.getvalue()).hexdigest())

    def _put(self, name: str, content: bytes) -> None:
        """Write a file that its owner alone may read; where that cannot be done, the run goes on without."""
        if not self._is_kept:
            return
        path = os.path.join(self.folder, name)
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            handle = os.open(f"{path}.partial", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(f"{path}.partial", path)
        except OSError as error:
            self._is_kept = False
            LOG.warning("the postings cannot be kept as columns; the next long run reads the database: %s", error)

    def _drop_others(self) -> None:
        """Remove files that neither the list of before nor the new one names."""
        named = {_list_of(self.run), *(file.name for file in self._months.values())}
        if self.before is not None:
            named |= {_list_of(self.before.run), *(file.name for file in self.before.months.values())}
        for name in os.listdir(self.folder):
            if name not in named:
                with suppress(FileNotFoundError):
                    os.remove(os.path.join(self.folder, name))


def _by_month(rows: pl.DataFrame) -> Iterable[tuple[int, pl.DataFrame]]:
    parts = rows.with_columns(_month_of(rows["ended"]).alias("month")).partition_by("month", as_dict=True)
    return ((int(key[0]), part) for key, part in parts.items())
