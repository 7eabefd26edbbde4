"""A rating run: what is touched is found, the span from there on is read, replayed, compared with what is posted.

The replay is interpreted while few steps are reached, and compiled where they are many; that is the only choice. What
differs from what is posted is written; the rating changes and the journal entry come last, all in one transaction.
``Post`` writes: numbers, digests, the state of the office.
"""

import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import date
from functools import cache, partial
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from sqlalchemy import Connection, Table, func, select, text

from crosstable import __version__
from crosstable.history.compiled_folders import has_compiled
from crosstable.office import tables
from crosstable.office.bulk.affected import Affected, Reading
from crosstable.office.bulk.causes import (
    Causes,
    Events,
    Pending,
    RatingChanges,
    lines_of,
    pending_since,
    place_of,
    sections_since,
)
from crosstable.office.bulk.checkpoints import Part, Parts, folder_of
from crosstable.office.bulk.columns import COLUMNS, MANY, Columns, Renewal, Since, columns_of, month_of, stored_since
from crosstable.office.bulk.due import POSTING, RATED, Due, Replay, Span, span_of
from crosstable.office.bulk.frames import portions_of, read_ahead, write_frame
from crosstable.office.bulk.hashes import digests_of, rows_of, spelled, sum_of
from crosstable.office.bulk.record import known_since
from crosstable.office.bulk.steps import KEY, STORED, Steps, current_since, placed, records_before, steps_of
from crosstable.office.database import Office
from crosstable.office.ledger.commitments import write_rows
from crosstable.office.ledger.digests import text_of
from crosstable.office.ledger.facts import Record
from crosstable.office.ledger.journal import Author, Change, EntryKind, JournalEntry, act_of, append, head
from crosstable.office.ledger.postings import LAYOUT, Posting
from crosstable.office.ledger.runs import (
    DIGESTS,
    LONG,
    SOME,
    UNCOMPILED,
    Run,
    StageClock,
    Watch,
    can_compile,
    last_run,
)
from crosstable.record_rows import POSTED, posted_name
from crosstable.replaying import DAWN, Key

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


LOG = logging.getLogger("crosstable.office")
Array = Any
# Of so many times as many sections as are interpreted at most, so many are reached that everything is replayed.
_CERTAINLY = 10
# So many rating changes are made at once.
_MADE_AT_ONCE = 1000
_RECORD = [posted_name(name) for name in POSTED]
_WORKING = [name for name in Posting._fields[4:] if name not in _RECORD]
_LEFT_EMPTY = Posting._fields[6:]


class Plan(NamedTuple):
    """What a run works on: a span, how it is replayed, what is behind its changes, and what is posted there now.

    ``kept`` is posted at steps that it does not rate. A run that is large also has what is posted from its first day
    on, as it was read.
    """

    span: Span
    replay: Replay
    causes: Causes
    old: pl.DataFrame
    kept: pl.DataFrame
    since: date
    posted: Since | None

    @property
    def is_large(self) -> bool:
        """Whether it is compiled."""
        return self.posted is not None


def run_pending(office: Office, connection: Connection, author: Author, watch: Watch) -> Run | None:
    """Rate everything that the entries since the last run may have changed, and post what differs."""
    last = head(connection)
    assert last is not None
    record = Record(connection, last.seq)
    run = last_run(connection)
    with watch.clock.timed("find what is touched"):
        pending = pending_since(record, run)
    if pending is None:
        return None
    columns = columns_of(office, connection) if watch.is_alone else None
    plan = planned(record, pending, watch, columns, is_first=not run)
    parts = Parts(folder_of(office), last.digest) if plan.is_large and watch.is_alone else None
    with Post(connection, is_large=plan.is_large) as post:
        posting = _Posting(post, plan, watch.clock, parts)
        if parts is not None and plan.span.known.archive.entries.height >= MANY:
            posting.keep(folder_of(office, COLUMNS), last, columns)
        with watch.clock.timed("rate"):
            plan.replay.go(posting.take, watch.progress)
        if parts is not None and parts.kept:
            LOG.info("this run goes on from one that was interrupted: %d of its parts are taken up", parts.kept)
        return posting.posted(office, author)


def planned(
    record: Record, pending: Pending, watch: Watch, columns: Columns | None = None, *, is_first: bool = False
) -> Plan:
    """Read what a run needs, and choose how it is replayed: what is reached, step by step, or everything at once."""
    connection, clock = record.connection, watch.clock
    since = DAWN if is_first else pending.first
    most = watch.long if can_compile() else sys.maxsize
    is_long = not is_first and sections_since(connection, since) > _CERTAINLY * most
    is_asked = is_long and (columns is None or month_of(since) < columns.first)
    with read_ahead(connection, current_since(since), STORED, is_likely=is_asked) as posted_since:
        with clock.timed("read the record"):
            also = {*pending.members["member_id"], *pending.posted["member_id"]}
            known = known_since(record, since, also, {})
            steps = steps_of(known)
        with clock.timed("find what is reached"):
            is_over = partial(_is_over, most, cache(_is_compiled))
            affected = Affected(Reading(connection, known, steps, pending, is_first), watch, is_over)
        causes = Causes(known, steps, pending)
        if affected.is_done:
            span = Span(known, steps, affected.before, known.archive.openings.height)
            return Plan(span, affected, causes, *affected.old(), since, None)
        with clock.timed("read postings"):
            if is_first:
                before, posted = _nothing(), Since(_nothing(), _nothing(), None)
            else:
                before = records_before(connection, known.archive.members.select("member_id"), since)
                found = None if columns is None else columns.since(connection, since)
                posted = found or stored_since(connection, since, posted_since())
            old = placed(posted.rows, known, steps)
            span = span_of(known, steps, before)
    with clock.timed("index"):
        replay = compiled_replay(span)
    return Plan(span, replay, causes, old, old.clear(), since, posted._replace(rows=old))


def _is_over(most: int, is_compiled: Callable[[], bool], steps: int) -> bool:
    """Whether so many steps are compiled; where the compiled code is there already, fewer are."""
    if most != LONG:
        return steps > most or not most
    return steps > SOME and (steps > UNCOMPILED or is_compiled())


def is_worth_compiling(steps: int) -> bool:
    """Whether so many steps are compiled: nobody waits for the compiler where interpreting takes less."""
    return can_compile() and steps > LONG and (steps > UNCOMPILED or _is_compiled())


def _is_compiled() -> bool:
    """Whether the compiled code is there; to ask the compiler takes as long as interpreting some steps."""
    if not has_compiled():
        return False
    from crosstable.history.kernel.compiling import is_cached

    return is_cached()


def _nothing() -> pl.DataFrame:
    return pl.DataFrame(schema={"posting_id": pl.Int64(), **POSTING})


def compiled_replay(span: Span) -> Replay:
    """The compiled replay of a span; the compiler is imported when it is needed."""
    from crosstable.office.bulk.compiled import Compiled

    return Compiled(span)


class _Posting:
    """What a replay hands over, compared with what is posted, and written where it differs."""

    def __init__(self, post: Post, plan: Plan, clock: StageClock, parts: Parts | None) -> None:
        self.post, self.plan, self.clock, self.parts = post, plan, clock, parts
        self.known, self.steps, self.old = plan.span.known, plan.span.steps, plan.old
        self.ghosts = _ghosts(plan.old, self.steps)
        self.renewal: Renewal | None = None
        self.events = [_events(_touched(plan.kept.with_columns(position=2 * pl.col("step") + 1), is_changed=False))]
        self.entered: list[pl.DataFrame] = []
        self.sections = 0

    def keep(self, folder: str, last: JournalEntry, columns: Columns | None) -> None:
        """Keep what is posted as columns, too."""
        posted = self.plan.posted
        assert posted is not None
        self.renewal = Renewal(folder, last, columns, self.plan.since, posted)
        self.renewal.expect(self.old.filter(pl.col("is_moved")))

    def take(self, due: Due) -> None:
        """Compare a part of the replay, and write what is new."""
        part = self._part(due) if self.parts is None else self.parts.next(lambda: self._part(due))
        self.events.append(_events(part.touched))
        self.entered.append(part.entering.select("who", "system", "code"))
        with self.clock.timed("write postings"):
            self._write_sections(part.rated, part.entering)
            written = self.post.enter(part.entering, part.total)
        if self.renewal is not None and due.low < due.high:
            with self.clock.timed("keep columns"):
                superseded = self.old.select("posting_id", "ended")[part.entering["old"].drop_nulls()]
                self.renewal.take(written, superseded, self.steps.frame["ended"][due.low])

    def _part(self, due: Due) -> Part:
        """What a part of the replay brings."""
        rows, rated = due.postings, due.rated
        with self.clock.timed("compare"):
            entering, touched = self._compared(rows, due.low, due.high)
        with self.clock.timed("hash postings"):
            return Part(entering, rated, touched, added(entering, self.old))

    def _compared(self, due: pl.DataFrame, low: int, high: int) -> tuple[pl.DataFrame, pl.DataFrame]:
        """What differs from what is posted at some steps: new postings, and those that are no more; whom it touches."""
        places = self.old["step"]
        begin, end = int(places.search_sorted(low)), int(places.search_sorted(high))
        part = self.old[begin:end].with_row_index("at")
        keys = ["step", "who", "system"]
        found = due.select(keys).join(part.select(*keys, "at"), on=keys, how="left", maintain_order="left")["at"]
        is_same = found.is_not_null().to_numpy()
        for names in (_RECORD, _WORKING):  # where many have another record, few have to be looked at twice
            rows = np.flatnonzero(is_same)
            is_same[rows] = _equal(due[rows], part[found.gather(rows)], names)
        is_left = np.ones(part.height, dtype=np.bool_)
        is_left[found.drop_nulls().to_numpy()] = False
        numbers = (found + begin).cast(pl.Int64)
        changed = due.with_columns(
            numbers.alias("old"), pl.col("step").alias("code"), (2 * pl.col("step") + 1).alias("position")
        ).filter(~is_same)
        gone = _gone(self.old, begin + np.flatnonzero(is_left), None)
        parts = [changed.drop("step"), gone, *self._gone_ghosts(low, high)]
        entering = pl.concat(parts, how="diagonal").sort("position", maintain_order=True)
        entering = entering.with_columns(self.old["posting_id"].gather(entering["old"]).alias("supersedes"))
        return entering, pl.concat(
            [_touched(due.with_columns(position=2 * pl.col("step") + 1), ~is_same), _touched(gone)]
        )

    def _gone_ghosts(self, low: int, high: int) -> Iterator[pl.DataFrame]:
        """Postings of starting ratings and decisions that are no more, where they stood."""
        last = high if high < self.steps.frame.height else high + 1
        mine = self.ghosts.filter((pl.col("step") < 0) & pl.col("position").is_between(2 * low, 2 * last - 1))
        if mine.height:
            yield _gone(self.old, mine["row"].to_numpy(), mine.select("position", "code"))

    def _write_sections(self, rated: pl.DataFrame, entering: pl.DataFrame) -> None:
        """Write down which sections were rated with another result than before."""
        steps = entering.filter(pl.col("position") % 2 == 1).select(pl.col("position") // 2).to_series().unique()
        sections = self.steps.frame.filter(pl.col("member").is_null()).select("step")
        changed = sections.filter(pl.col("step").is_in(steps.implode()))
        self.sections += changed.height
        rows = rated.join(changed, on="step", how="semi", maintain_order="left")
        run = pl.lit(self.post.run, dtype=pl.Int32).alias("run")
        self.post.write(tables.rated_section, rows.select(run, *RATED))

    # the end of a run

    def posted(self, office: Office, author: Author) -> Run:
        """Write the rating changes, the journal entry and the run."""
        with self.clock.timed("find causes"):
            ripple = self._ripple()
        with self.clock.timed("write the changes"):
            self.post.write(tables.ripple, ripple.rows(self.post.run))
        with self.clock.timed("finish"):
            state = self.post.finish(office, author, self.sections)
        if self.renewal is not None:
            with self.clock.timed("keep columns"):
                self.renewal.finish(state)
        lines = ripple if len(ripple) > _MADE_AT_ONCE else tuple(ripple)
        return Run(self.post.run, self.sections, self.post.postings, lines, self._unratable())

    def _unratable(self) -> dict[Key, str]:
        reasons = self.plan.replay.unratable
        faulty = sorted(reasons)
        if not faulty:
            return {}
        steps = self.steps.of_section[np.array(faulty, dtype=np.int64)]
        reached = self.plan.causes.reached(steps, self._all_events())
        found = {}
        for section, step in zip(faulty, steps.tolist(), strict=True):
            if step in reached:
                row = self.known.archive.sections.row(section, named=True)
                found[Key(row["end"], row["start"], row["event_id"], row["number"])] = reasons[section]
        return found

    def _all_events(self) -> Events:
        ghosts = self.ghosts
        events = Events(
            place_of(ghosts["who"].to_numpy(), ghosts["system"].to_numpy()),
            ghosts["position"].to_numpy(),
            np.ones(ghosts.height, dtype=np.bool_),
            np.array([*self.plan.causes.of_ghosts(ghosts), None], dtype=object)[:-1],
        )
        return Events(*(np.concatenate(columns) for columns in zip(*self.events, events, strict=True)))

    def _ripple(self) -> RatingChanges:
        entered = pl.concat(self.entered)
        code = entered["code"].to_numpy()
        faulty = self.steps.of_section[np.array(sorted(self.plan.replay.unratable), dtype=np.int64)]
        wanted = np.union1d(code[code < self.steps.frame.height], faulty)
        behind = self.plan.causes.sets(wanted, self.ghosts, self._all_events)
        places = pl.concat([frame.select("event_id", "section") for frame in (self.steps.frame, self.ghosts)])
        texts = rows_of([spelled(places["event_id"]), spelled(places["section"])])
        names = ("who", *Posting._fields)
        posted = pl.concat([frame.select(names) for frame in (self.plan.span.before, self.plan.kept, self.old)])
        return RatingChanges(self.known.ids["member_id"], posted, self.plan.replay, lines_of(entered, texts, behind))


def _touched(frame: pl.DataFrame, is_changed: Array | bool = True) -> pl.DataFrame:
    """What happened to whom, for the entries behind it."""
    place = place_of(frame["who"].to_numpy(), frame["system"].to_numpy())
    changed = np.broadcast_to(np.asarray(is_changed), place.shape)
    return pl.DataFrame({"place": place, "position": frame["position"], "is_changed": changed})


def _events(touched: pl.DataFrame) -> Events:
    place, position, is_changed = (touched[name].to_numpy() for name in touched.columns)
    return Events(place, position, is_changed, np.zeros(touched.height, dtype=np.int8))


def _equal(new: pl.DataFrame, old: pl.DataFrame, names: Sequence[str]) -> Array:
    """Which rows have the same in some columns."""
    equal = pl.DataFrame([new[name].eq_missing(old[name]) for name in names])
    return equal.select(pl.all_horizontal(pl.all())).to_series().to_numpy()


def _gone(old: pl.DataFrame, rows: Array, where: pl.DataFrame | None) -> pl.DataFrame:
    """Postings that say that what was posted is no more."""
    stored = old[rows]
    if where is None:
        where = stored.select((2 * pl.col("step") + 1).alias("position"), pl.col("step").alias("code"))
    gone: pl.DataFrame = stored.select("who", *Posting._fields[:6]).with_columns(
        *where.get_columns(),
        pl.Series("old", rows, dtype=pl.Int64),
        *(pl.lit(None, dtype=POSTING[name]).alias(name) for name in _LEFT_EMPTY),
    )
    return gone


def _ghosts(old: pl.DataFrame, steps: Steps) -> pl.DataFrame:
    """Postings whose step is no more, and where that was."""
    moved = old.with_row_index("row").filter(pl.col("is_moved"))
    keys = moved.select(KEY).unique()
    places = [2 * steps.before(key) for key in keys.iter_rows()]
    placed = keys.with_columns(pl.Series("position", places, dtype=pl.Int64))
    found = moved.select("row", "step", "who", "system", *KEY).join(placed, on=KEY, maintain_order="left")
    return found.with_columns((pl.int_range(pl.len(), dtype=pl.Int64) + steps.frame.height).alias("code"))
