"""Writing the postings of a long run: numbers, fingerprints, what is current now, the state and the act."""

import hashlib
from collections.abc import Sequence

import numpy as np
import polars as pl
from sqlalchemy import Connection, delete, func, insert, select

from crosstable import __version__
from crosstable.office import tables
from crosstable.office.bulk.due import POSTING
from crosstable.office.bulk.frames import write_frame, write_json_rows
from crosstable.office.bulk.texts import has_controls, hashes_of, rows_as_json, sum_of
from crosstable.office.database import Office
from crosstable.office.ledger.acts import ActKind, Change, Deed, append, head
from crosstable.office.ledger.postings import PostingKey, state_digest
from crosstable.office.ledger.rerate import newest_state

_COLUMNS = ("posting_id", "run", "supersedes", *POSTING)


def fingerprints(rows: Sequence[str]) -> list[bytes]:
    """The fingerprints of postings from their values as JSON, as ``Posting.fingerprint`` has them."""
    return hashes_of([f"[{row}]" for row in rows])


class Post:
    """Postings on their way into the tables."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        last = head(connection)
        assert last is not None
        self.run = last.seq + 1
        self.postings = 0
        highest = connection.execute(select(func.max(tables.posting.c.posting_id))).scalar()
        self._first = (highest or 0) + 1
        self._is_first = highest is None
        self._state_before = newest_state(connection)
        self._total = int(self._state_before, 16)
        self._entered = hashlib.sha256(b"[")
        if self._is_first:  # an index is made faster when all rows are there
            for table in (tables.posting, tables.current_posting):
                for index in table.indexes:
                    index.drop(connection)

    def count(self, entering: pl.DataFrame, old: pl.DataFrame) -> list[str]:
        """Add new postings to the state of the office, and take away those that they supersede.

        Returns the postings' values as JSON.
        """
        rows = rows_as_json(entering.select(*POSTING))
        hashes = fingerprints(rows)
        stands = entering["rating_after"].is_not_null().to_list()
        self._total += sum_of([one for one, is_there in zip(hashes, stands, strict=True) if is_there])
        superseded = old.select(*POSTING)[entering["old"].drop_nulls()]
        self._total -= sum_of(fingerprints(rows_as_json(superseded)))
        text = ",".join([f'["{one.hex()}"]' for one in hashes])
        if text:
            self._entered.update((("," if self.postings else "") + text).encode())
        return rows

    def write(self, entering: pl.DataFrame, rows: Sequence[str]) -> None:
        """Write new postings, to a server from the texts that are there already."""
        first = self._first + self.postings
        self.postings += entering.height
        if self.connection.dialect.name == "postgresql" and not has_controls(entering.select(*POSTING)):
            old = ["null" if one is None else one for one in entering["supersedes"].to_list()]
            whole = [f"{first + at},{self.run},{old[at]},{row}" for at, row in enumerate(rows)]
            write_json_rows(self.connection, tables.posting, _COLUMNS, whole)
            return
        numbers = pl.Series("posting_id", np.arange(first, first + entering.height), dtype=pl.Int64)
        run = pl.lit(self.run, dtype=pl.Int32).alias("run")
        write_frame(self.connection, tables.posting, entering.select(numbers, run, "supersedes", *POSTING))

    def make_current(self) -> None:
        """Put the new postings into the place of the old ones."""
        posting, current = tables.posting, tables.current_posting
        is_new = posting.c.run == self.run
        old = select(posting.c.supersedes).where(is_new, posting.c.supersedes.is_not(None))
        self.connection.execute(delete(current).where(current.c.posting_id.in_(old)))
        names = (*PostingKey._fields, "posting_id")
        fresh = select(*(posting.c[name] for name in names)).where(is_new, posting.c.rating_after.is_not(None))
        fresh = fresh.order_by(*(posting.c[name] for name in names))  # rows in the order of an index go in faster
        self.connection.execute(insert(current).from_select(names, fresh))
        if self._is_first:
            for table in (posting, current):
                for index in table.indexes:
                    index.create(self.connection)

    def act(self, office: Office, deed: Deed, signature: str, sections: int) -> None:
        """Append the act of the run, and write the run."""
        after = state_digest(self._total)
        self._entered.update(b"]")
        counts = {
            "engine": __version__,
            "sections": sections,
            "postings": self.postings,
            "entered": self._entered.hexdigest(),
            "state": after,
        }
        change = Change(ActKind.RATE, "", counts, {"state": self._state_before})
        assert append(self.connection, office.clock, deed, change) == self.run
        run = {
            "act": self.run,
            "engine_version": __version__,
            "signature": signature,
            "sections": sections,
            "postings": self.postings,
            "state_before": self._state_before,
            "state_after": after,
        }
        self.connection.execute(insert(tables.run), run)
