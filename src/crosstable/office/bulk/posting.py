"""Writing the postings of a run: numbers, digests, the state of the office and the journal entry."""

from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

import numpy as np
import polars as pl
from sqlalchemy import Connection, Table, func, select, text

from crosstable import __version__
from crosstable.office import tables
from crosstable.office.bulk.due import POSTING
from crosstable.office.bulk.frames import portions_of, write_frame
from crosstable.office.bulk.hashes import digests_of, sum_of
from crosstable.office.bulk.steps import current_since
from crosstable.office.database import Office
from crosstable.office.ledger.commitments import write_rows
from crosstable.office.ledger.digests import text_of
from crosstable.office.ledger.journal import Author, Change, EntryKind, act_of, append, head
from crosstable.office.ledger.postings import LAYOUT
from crosstable.office.ledger.runs import DIGESTS, last_run
from crosstable.replaying import DAWN

# Digests of so many postings are made one by one, which is faster than beginning with columns.
_FEW = 200
# After so many new postings, where they are more than those of before, a server looks at what it has.
_MANY = 100_000


def state_of(connection: Connection) -> int:
    """The state of an office after its last run: the sum of the digests of all current postings.

    What a run of an older program wrote down was counted from other digests, so it is counted anew.
    """
    last = act_of(connection, last_run(connection))
    if last is None:
        return 0
    if last.after.get("digests") == DIGESTS:
        return int(last.after["state"], 16)
    return sum_posted(connection)


def sum_posted(connection: Connection) -> int:
    """The sum of the digests of all current postings, counted anew."""
    portions = portions_of(connection, current_since(DAWN), {"posting_id": pl.Int64(), **POSTING})
    return sum(sum_of(digests_of(portion.select(*POSTING), LAYOUT)) for portion in portions)


def _digests(postings: pl.DataFrame) -> list[bytes]:
    rows = postings.select(*POSTING)
    return [LAYOUT.digest(row) for row in rows.iter_rows()] if rows.height <= _FEW else digests_of(rows, LAYOUT)


def added(entering: pl.DataFrame, old: pl.DataFrame) -> int:
    """What new postings add to the state of an office, without those that they supersede."""
    digests = _digests(entering)
    stands = entering["rating_after"].is_not_null().to_list()
    superseded = old[entering["old"].drop_nulls()]
    return sum_of([one for one, is_there in zip(digests, stands, strict=True) if is_there]) - sum_of(
        _digests(superseded)
    )


class Post:
    """Postings on their way into the tables; a server takes them while others are made."""

    def __init__(self, connection: Connection, *, is_large: bool) -> None:
        """A first run that is large makes its indexes when all rows are there, which is faster.

        Not on a server: whoever drops an index there locks out all readers of the table until the transaction ends.
        """
        self.connection = connection
        last = head(connection)
        assert last is not None
        self.run = last.seq + 1
        self.postings = 0
        highest = connection.execute(select(func.max(tables.posting.c.posting_id))).scalar()
        self._first = (highest or 0) + 1
        self._state_before = self._total = state_of(connection)
        is_file = connection.dialect.name == "sqlite"
        self._indexes = [*tables.posting.indexes] if highest is None and is_large and is_file else []
        for index in self._indexes:
            index.drop(connection)
        self._beside = ThreadPoolExecutor(1) if connection.dialect.name == "postgresql" else None
        self._written: Future[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._beside is not None:
            self._beside.shutdown()  # nobody else may use the connection before

    def enter(self, entering: pl.DataFrame, total: int) -> pl.DataFrame:
        """Number new postings and write them; ``total`` is what they add to the state of the office."""
        self._total += total
        first = self._first + self.postings
        self.postings += entering.height
        numbers = pl.Series("posting_id", np.arange(first, first + entering.height), dtype=pl.Int64)
        run = pl.lit(self.run, dtype=pl.Int32).alias("run")
        rows = entering.select(numbers, run, "supersedes", *POSTING)
        self.write(tables.posting, rows)
        return rows

    def write(self, table: Table, frame: pl.DataFrame) -> None:
        """Write rows, once those before are written."""
        self.wait()
        if self._beside is None:
            write_frame(self.connection, table, frame)
        else:
            self._written = self._beside.submit(write_frame, self.connection, table, frame)

    def wait(self) -> None:
        """Wait until everything is written."""
        if self._written is not None:
            self._written.result()
            self._written = None

    def finish(self, office: Office, author: Author, sections: int) -> str:
        """Append the journal entry of the run, and write the run; the state of the office after it."""
        self.wait()
        for index in self._indexes:
            index.create(self.connection)
        if self.postings > max(_MANY, self._first) and self.connection.dialect.name == "postgresql":
            # Without numbers about what is new, the next reading of a few members goes through all rows.
            self.connection.execute(text(f"ANALYZE {tables.posting.name}"))
        before, after = text_of(self._state_before), text_of(self._total)
        told = {"sections": sections, "postings": self.postings}
        counts = {
            "engine": __version__,
            "digests": DIGESTS,
            **told,
            "state": after,
        }
        change = Change(EntryKind.RATE, "", counts, {"state": before})
        assert append(self.connection, office.clock, author, change) == self.run
        run = {"act": self.run, "engine_version": __version__, **told, "state_before": before, "state_after": after}
        write_rows(self.connection, tables.run, [run])
        return after
