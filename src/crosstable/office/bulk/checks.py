"""What the rows of a record say, against one another: looked at while every table is read once.

The rows of sections against the digests that their submissions had; postings, of which the state of the office is the
sum; and every supplement against its digest, the head it names, and what was posted when it was made.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import polars as pl
from sqlalchemy import Connection, Table

from crosstable.office import tables
from crosstable.office.bulk.due import POSTING
from crosstable.office.bulk.entry_rows import section_starts
from crosstable.office.bulk.hashes import digest_of_lines, digests_of, lines_of, sum_of
from crosstable.office.bulk.listing import NEVER, ROW, PostedRatings, digest_of_list, ends_in
from crosstable.office.ledger.commitments import ERASED, NO_HASH
from crosstable.office.ledger.facts import State
from crosstable.office.ledger.postings import LAYOUT
from crosstable.office.proof import Finding, Look, Span
from crosstable.office.published import month_of
from crosstable.office.supplements import Supplement, last_played

# So many rows of sections are looked at together.
_TOGETHER = 20_000
# What a section's digest covers, as ``sections.section_rows`` has it.
_HEADING = ("event_id", "number", "name", "kind", "is_online", "time_controls", "asked_systems", "systems",
            "is_dual_control", "is_half_k", "match_waiver", "started", "ended", "details")  # fmt: skip
_ENTRY = ("event_id", "section", "row", "number", "member_id", "name", "rounds", "extra")
_PLACE = ("event_id", "section", "act")
_IS_ERASED = (pl.col("salt").str.len_bytes() == len(NO_HASH)).alias("is_erased")


class _Sections:
    """Sections whose rows are no longer what was submitted; of what was erased the digest cannot be made again."""

    _headings: list[pl.DataFrame]
    _known: pl.DataFrame | None

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget what was seen."""
        self._headings, self._known = [], None

    def take(self, frame: pl.DataFrame) -> None:
        """See some headings."""
        line = lines_of(frame.select(_HEADING)).alias("line")
        made = frame.select("event_id", pl.col("number").alias("section"), "act", "state", "digest", _IS_ERASED)
        self._headings.append(made.with_columns(line))

    def known(self) -> pl.DataFrame:
        """Every heading with its number here."""
        if self._known is None:
            schema = {"event_id": pl.String, "section": pl.Int32, "act": pl.Int32, "state": pl.String,
                      "digest": pl.String, "is_erased": pl.Boolean, "line": pl.String}  # fmt: skip
            self._known = pl.concat([pl.DataFrame(schema=schema), *self._headings]).with_row_index("at")
        return self._known


class _Entries:
    """The rows of sections, in the order of these."""

    def __init__(self, sections: _Sections) -> None:
        self._sections = sections
        self.begin()

    def begin(self) -> None:
        """Forget what was seen."""
        self.findings: list[Finding] = []
        self._waiting: list[pl.DataFrame] = []
        self._height = 0
        self._seen: list[int] = []

    def take(self, frame: pl.DataFrame) -> None:
        """See some rows; the last section may go on in those that follow."""
        self._waiting.append(frame.select(*_ENTRY, "act", _IS_ERASED))
        self._height += frame.height
        if self._height >= _TOGETHER:
            rows = pl.concat(self._waiting)
            cut = int(section_starts(rows)[-1])
            self._check(rows[:cut])
            self._waiting, self._height = [rows[cut:]], rows.height - cut

    def finish(self) -> None:
        """What is left, and sections that have no rows any more."""
        if self._waiting:
            self._check(pl.concat(self._waiting))
        known = self._sections.known()
        for heading in known.filter(~pl.col("at").is_in(self._seen)).iter_rows(named=True):
            self._compare(heading, [], is_erased=False)

    def _check(self, rows: pl.DataFrame) -> None:
        if not rows.height:
            return
        starts, lines = section_starts(rows), lines_of(rows.select(_ENTRY)).to_list()
        is_erased = np.logical_or.reduceat(rows["is_erased"].fill_null(value=False).to_numpy(), starts).tolist()
        places = rows[starts].select(_PLACE).join(self._sections.known(), on=_PLACE, how="left", maintain_order="left")
        ends = [*starts[1:].tolist(), rows.height]
        for heading, start, end, erased in zip(
            places.iter_rows(named=True), starts.tolist(), ends, is_erased, strict=True
        ):
            if heading["at"] is not None:
                self._seen.append(heading["at"])
                self._compare(heading, lines[start:end], is_erased=erased)

    def _compare(self, heading: Mapping[str, object], lines: list[str], *, is_erased: bool) -> None:
        if is_erased or heading["is_erased"] or heading["state"] == State.WITHDRAWN.value:
            return
        if digest_of_lines([str(heading["line"]), *lines]) != heading["digest"]:
            event_id, number, act = heading["event_id"], heading["section"], heading["act"]
            what = f"event {event_id}, section {number}: the rows are no longer what was submitted"
            assert isinstance(act, int)
            self.findings.append(Finding(what, act, tables.section.name, f"{event_id} {number}"))


class _Postings:
    """Postings: the sum of the digests of those that are current, and what supplements are made from."""

    def __init__(self, connection: Connection, span: Span) -> None:
        self._ends = ends_in(connection, span.through)
        self._connection, self._since = connection, span.since
        self.begin()

    def begin(self) -> None:
        """Forget what was seen."""
        self.total = self.number = 0
        self.posted = PostedRatings(self._ends)
        if self._since:
            self.posted.read(self._connection, self._since)

    def forget(self) -> None:
        """Let go of what supplements are made from."""
        self.posted = PostedRatings(self._ends)

    def take(self, frame: pl.DataFrame) -> None:
        """See some postings."""
        self.posted.take_postings(frame)
        stands = pl.Series(self._ends.at(frame["posting_id"].to_numpy()) == NEVER)
        current = frame.filter(stands & pl.col("rating_after").is_not_null())
        self.number += current.height
        self.total += sum_of(digests_of(current.select(*POSTING), LAYOUT))


class _People:
    """Members, whose names supplements show."""

    def __init__(self, postings: _Postings) -> None:
        self._postings = postings
        self._parts: list[pl.DataFrame] = []

    def begin(self) -> None:
        """Forget what was seen."""
        self._parts = []

    def take(self, frame: pl.DataFrame) -> None:
        """See some rows about members."""
        self._parts.append(frame.select("member_id", "act", "name", "state"))

    def hand_over(self) -> None:
        """Let names be known, once the postings are."""
        for part in self._parts:
            self._postings.posted.take_people(part)
        self._parts = []


class _Lists:
    """Supplements, one after the other."""

    def __init__(
        self, made: Sequence[Supplement], heads: Mapping[int, set[str]], posted: Callable[[], PostedRatings]
    ) -> None:
        self._made, self._heads, self._posted = {one.month: one for one in made}, heads, posted
        self.begin()

    def begin(self) -> None:
        """Forget what was seen."""
        self.findings: list[Finding] = []
        self._left = dict(self._made)
        self._month = ""
        self._rows: list[pl.DataFrame] = []

    def take(self, frame: pl.DataFrame) -> None:
        """See some rows; months follow upon each other."""
        for part in [frame] if frame["month"].n_unique() == 1 else frame.partition_by("month", maintain_order=True):
            if part["month"][0] != self._month:
                self._check()
                self._month = part["month"][0]
            self._rows.append(part.select(ROW))

    def finish(self) -> None:
        """The last one, and those that have no rows."""
        for month in (self._month, *self._left):
            self._month = month
            self._check()

    def _check(self) -> None:
        made = self._left.pop(self._month, None)
        if made is None:
            self._rows = []
            return
        wanted = self._posted().at(made.run, month_of(made.month), last_played(made.basis, month_of(made.month)))
        rows = pl.concat([wanted[:0], *self._rows]).sort("member_id", "system")
        self._rows = []
        self.findings += _wrong_list(made, rows, wanted, self._heads[made.act])


def _wrong_list(made: Supplement, rows: pl.DataFrame, wanted: pl.DataFrame, heads: set[str]) -> Iterator[Finding]:
    where = made.act, tables.supplement.name, made.month
    is_whole = not (rows["name"] == ERASED).any()  # rows of an erased person are bound by their commitments alone
    if rows.height != made.rows or (is_whole and digest_of_list(made.month, rows) != made.digest):
        yield Finding(f"the supplement of {made.month} is no longer what was published", *where)
        return
    if made.head not in heads:
        yield Finding(f"the supplement of {made.month} names a head that the journal did not have", *where)
    if not wanted.equals(rows):
        what = f"the supplement of {made.month} does not follow from what was posted at journal entry {made.run}"
        yield Finding(what, *where)


class _Guarded:
    """A look that may fail on damaged rows: what was wrong is kept, and it looks no more."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self.error: Exception | None = None

    def begin(self) -> None:
        """Forget what was seen."""
        self.error = None
        self._look.begin()

    def take(self, frame: pl.DataFrame) -> None:
        """See some rows."""
        if self.error is None:
            try:
                self._look.take(frame)
            except Exception as error:
                self.error = error


class RowChecks:
    """Everything that is checked while the tables are read once.

    ``heads`` are those that entries had before them. Nothing may be asked of a server while it sends rows.
    """

    def __init__(
        self, connection: Connection, made: Sequence[Supplement], heads: Mapping[int, set[str]], span: Span
    ) -> None:
        self._sections, self._postings = _Sections(), _Postings(connection, span)
        self._entries, self._people = _Entries(self._sections), _People(self._postings)
        self._lists = _Lists([one for one in made if span.has(one.act)], heads, self._names_known)
        looks: dict[Table, Look] = {
            tables.section: self._sections,
            tables.entry: self._entries,
            tables.posting: self._postings,
            tables.member: self._people,
            tables.supplement_row: self._lists,
        }
        self.looks = {table.name: _Guarded(look) for table, look in looks.items()}

    def _names_known(self) -> PostedRatings:
        self._people.hand_over()
        return self._postings.posted

    def finish(self, part: Sequence[Table]) -> list[Finding]:
        """What was found in tables that were read together; raises what went wrong on the way."""
        for table in part:
            error = self.looks[table.name].error if table.name in self.looks else None
            if error is not None:
                raise error
        if tables.entry in part:
            self._entries.finish()
            self._sections.begin()  # what follows takes room
            return self._entries.findings
        if tables.supplement_row in part:
            self._lists.finish()
            self._postings.forget()
            return self._lists.findings
        return []

    @property
    def postings(self) -> int:
        """How many current postings were seen."""
        return self._postings.number

    @property
    def state(self) -> int:
        """The sum of the digests of current postings."""
        return self._postings.total
