"""A rating run over everything from some day on, through the compiled replay, with what the plain run would give.

The record is read whole, replayed, and compared with what is posted, a block of sections at a time; what differs is
written as it is found. The state, the ripple and the act come last, all in the caller's transaction.
"""

from collections.abc import Iterator
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from sqlalchemy import Connection

from crosstable.folding import DAWN, Key
from crosstable.history import index as indexing
from crosstable.history.happenings import Happenings
from crosstable.history.index import Index
from crosstable.history.plain import PlainSections
from crosstable.history.recording import Block, Recorder
from crosstable.office import tables
from crosstable.office.bulk.causes import Causes, Events, place_of
from crosstable.office.bulk.due import POSTING, Due
from crosstable.office.bulk.frames import schema_of, write_frame
from crosstable.office.bulk.pending import pending_since
from crosstable.office.bulk.posting import Post
from crosstable.office.bulk.record import Known, known_at
from crosstable.office.bulk.ripples import Ripple, lines_of
from crosstable.office.bulk.signatures import Signatures
from crosstable.office.bulk.steps import KEY, Steps, old_postings, steps_of
from crosstable.office.bulk.texts import rows_of, spelled
from crosstable.office.database import Office
from crosstable.office.ledger.acts import Deed, head
from crosstable.office.ledger.facts import Record
from crosstable.office.ledger.fold import Progress
from crosstable.office.ledger.postings import Posting
from crosstable.office.ledger.rerate import Run
from crosstable.office.ledger.watching import StageClock, Watch

Array = Any
# So many sections are compared and posted at a time.
BLOCK = 10_000
# So many lines of a ripple are made at once.
_FEW = 1000
_COMPARED = [name for name in Posting._fields if name not in ("member_id", "system", "event_id", "section")]
_LEFT_EMPTY = Posting._fields[6:]


class Plan(NamedTuple):
    """What a long run works on."""

    known: Known
    steps: Steps
    causes: Causes
    old: pl.DataFrame
    first: int
    first_step: int


def long_run(office: Office, connection: Connection, deed: Deed, run: int, watch: Watch) -> Run:
    """Rate everything that the acts after a run may have changed, and post what differs."""
    last = head(connection)
    assert last is not None
    record = Record(connection, last.seq)
    clock = watch.clock
    with clock.timed("read the record"):
        known = known_at(record, {})
    with clock.timed("find what is touched"):
        pending = pending_since(record, known, run)
        steps = steps_of(known)
    with clock.timed("index"):
        index = indexing.build(known.archive)
    ends = index.history.sections["end"][:-1]
    first = int(np.searchsorted(ends, pending.first.toordinal()))
    day = date.fromordinal(int(ends[first - 1]) + 1) if first else DAWN
    with clock.timed("read postings"):
        old = old_postings(connection, known, steps, day).sort("step", "posting_id")
    plan = Plan(known, steps, Causes(known, steps, pending), old, first, steps.since(day))
    replay = _Replay(connection, plan, index, clock)
    with clock.timed("rate"):
        replay.go(watch.progress)
    return replay.posted(office, deed, last.digest)


class _Replay:
    """The blocks of a replay, compared with what is posted."""

    def __init__(self, connection: Connection, plan: Plan, index: Index, clock: StageClock) -> None:
        self.connection, self.plan, self.clock = connection, plan, clock
        self.known, self.steps, self.old = plan.known, plan.steps, plan.old
        self.recorder = Recorder(index, plan.first)
        self.happenings = Happenings(plan.known.archive, index)
        self.due = Due(plan.known, self.recorder, plan.steps)
        archive = plan.known.archive
        limits = PlainSections(archive, lambda member: {}, self.happenings.openings, self.happenings.decisions)
        self.signatures = Signatures(plan.known, self.recorder, self.due, limits)
        self.ghosts = _ghosts(plan.old, plan.steps)
        self.post = Post(connection)
        self._next_step = plan.first_step
        self.events: list[Events] = []
        self.entered: list[pl.DataFrame] = []
        self.sections = 0

    def go(self, progress: Progress) -> None:
        """Walk everything."""
        self.happenings.prepare(self.recorder)
        blocks = self.recorder.blocks(BLOCK, self._take)
        stops = sorted([*self.happenings.stops(), *blocks], key=lambda stop: stop.place)
        self.recorder.walk(stops, progress)
        self.recorder.finish(self._take)

    def _take(self, block: Block) -> None:
        low, high = self._next_step, self._end_of(block)
        self._next_step = high
        with self.clock.timed("derive postings"):
            due = self.due.frame(block)
        with self.clock.timed("compare"):
            entering = self._compared(due, low, high)
        with self.clock.timed("sign"):
            self._sign(block, entering)
        with self.clock.timed("hash postings"):
            rows = self.post.count(entering, self.old)
        with self.clock.timed("write postings"):
            self.post.write(entering, rows)

    def _end_of(self, block: Block) -> int:
        if block.last < self.recorder.index.sections:
            return int(self.steps.of_section[block.last - 1]) + 1
        return self.steps.frame.height

    def _compared(self, due: pl.DataFrame, low: int, high: int) -> pl.DataFrame:
        """What differs from what is posted at some places: new postings, and those that are no more."""
        places = self.old["step"]
        begin, end = int(places.search_sorted(low)), int(places.search_sorted(high))
        part = self.old[begin:end].with_row_index("at")
        keys = ["step", "who", "system"]
        found = due.select(keys).join(part.select(*keys, "at"), on=keys, how="left", maintain_order="left")["at"]
        is_posted = found.is_not_null()
        new, stored = due.filter(is_posted), part[found.drop_nulls()]
        equal = pl.DataFrame([new[name].eq_missing(stored[name]) for name in _COMPARED])
        is_same = np.zeros(due.height, dtype=np.bool_)
        is_same[is_posted.to_numpy()] = equal.select(pl.all_horizontal(pl.all())).to_series().to_numpy()
        is_left = np.ones(part.height, dtype=np.bool_)
        is_left[found.drop_nulls().to_numpy()] = False
        rows = (found + begin).cast(pl.Int64)
        changed = due.with_columns(
            rows.alias("old"), pl.col("step").alias("code"), (2 * pl.col("step") + 1).alias("position")
        ).filter(~is_same)
        gone = _gone(self.old, begin + np.flatnonzero(is_left), None)
        self._note(due, is_same, gone)
        parts = [changed.drop("step"), gone, *self._gone_ghosts(low, high)]
        entering = pl.concat(parts, how="diagonal").sort("position", maintain_order=True)
        entering = entering.with_columns(self.old["posting_id"].gather(entering["old"]).alias("supersedes"))
        self.entered.append(entering.select("who", "system", "code"))
        return entering

    def _gone_ghosts(self, low: int, high: int) -> Iterator[pl.DataFrame]:
        """Postings of openings and decisions that are no more, at the places where they stood."""
        last = high if high < self.steps.frame.height else high + 1
        mine = self.ghosts.filter((pl.col("step") < 0) & pl.col("position").is_between(2 * low, 2 * last - 1))
        if mine.height:
            yield _gone(self.old, mine["row"].to_numpy(), mine.select("position", "code"))

    def _note(self, due: pl.DataFrame, is_same: Array, gone: pl.DataFrame) -> None:
        """Keep what happened to whom, for the acts behind it."""
        for frame, is_changed in ((due.with_columns(position=2 * pl.col("step") + 1), ~is_same), (gone, None)):
            place = place_of(frame["who"].to_numpy(), frame["system"].to_numpy())
            changed = np.ones(frame.height, dtype=np.bool_) if is_changed is None else is_changed
            position = frame["position"].to_numpy()
            self.events.append(Events(place, position, changed, np.zeros(frame.height, dtype=np.int8)))

    def _sign(self, block: Block, entering: pl.DataFrame) -> None:
        """Write down which sections were rated, and what went into them."""
        steps = entering.filter(pl.col("position") % 2 == 1).select(pl.col("position") // 2).to_series().unique().sort()
        archived = self.steps.frame.select("archived", "member")[steps].filter(pl.col("member").is_null())["archived"]
        self.sections += archived.len()
        sections = archived.filter(archived >= 0).to_numpy()
        sections = sections[self.recorder.results.faults[sections] == 0]
        schema = schema_of(tables.rated_section, ("event_id", "section", "system", "edition", "signature"))
        frames = [pl.DataFrame(schema=schema)]
        if len(sections):
            signed = self.signatures.of(block, sections)
            frames.append(signed.select(pl.col(name).cast(schema[name]) for name in schema))
        whole = pl.concat(frames).with_columns(pl.lit(self.post.run, dtype=pl.Int32).alias("run"))
        write_frame(self.connection, tables.rated_section, whole)

    # the end of a run

    def posted(self, office: Office, deed: Deed, signature: str) -> Run:
        """Write the ripple, what is current now, the act and the run."""
        with self.clock.timed("find causes"):
            ripple = self._ripple()
        with self.clock.timed("write the ripple"):
            write_frame(self.connection, tables.ripple, ripple.rows(self.post.run))
        with self.clock.timed("make current"):
            self.post.make_current()
        self.post.act(office, deed, signature, self.sections)
        lines = ripple if len(ripple) > _FEW else tuple(ripple)
        return Run(self.post.run, self.sections, self.post.postings, lines, self._unratable())

    def _unratable(self) -> dict[Key, str]:
        faulty = sorted(self.due.unratable)
        if not faulty:
            return {}
        steps = self.steps.of_section[np.array(faulty, dtype=np.int64)]
        reached = self.plan.causes.reached(steps, self._all_events())
        found = {}
        for section, step in zip(faulty, steps.tolist(), strict=True):
            if step in reached:
                row = self.known.archive.sections.row(section, named=True)
                key = Key(row["end"], row["start"], row["event_id"], row["number"])
                found[key] = self.due.unratable[section]
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

    def _ripple(self) -> Ripple:
        entered = pl.concat(self.entered)
        code = entered["code"].to_numpy()
        faulty = self.steps.of_section[np.array(sorted(self.due.unratable), dtype=np.int64)]
        wanted = np.union1d(code[code < self.steps.frame.height], faulty)
        behind = self.plan.causes.sets(wanted, self.ghosts, self._all_events)
        places = pl.concat([frame.select("event_id", "section") for frame in (self.steps.frame, self.ghosts)])
        texts = rows_of([spelled(places["event_id"]), spelled(places["section"])])
        return Ripple(self.known.ids["member_id"], self.old, self.recorder, lines_of(entered, texts, behind))


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
    """Postings whose place in the fold is no more, and where that was."""
    moved = old.with_row_index("row").filter(pl.col("is_moved"))
    keys = moved.select(KEY).unique()
    places = [2 * steps.before(key) for key in keys.iter_rows()]
    placed = keys.with_columns(pl.Series("position", places, dtype=pl.Int64))
    found = moved.select("row", "step", "who", "system", *KEY).join(placed, on=KEY, maintain_order="left")
    return found.with_columns((pl.int_range(pl.len(), dtype=pl.Int64) + steps.frame.height).alias("code"))
