"""The interpreted replay of the sections that a change really reaches, while it goes from one to the next.

A section is rated again if it is touched itself, or if a rating record that it reads is another now than what is posted
before it. What is posted of every other section stands, and of its players nothing is read. Many sections come after a
change, and few are reached: most of those who play in them have met nobody whose rating is another.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from heapq import heappop, heappush, nsmallest
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from sqlalchemy import Connection, and_, select

from crosstable.office import tables
from crosstable.office.bulk.causes import Pending
from crosstable.office.bulk.due import POSTING, Take
from crosstable.office.bulk.frames import asked, frame_of, read_ahead
from crosstable.office.bulk.interpreted import TOLD_EVERY, Engine, due_of, ratings_of
from crosstable.office.bulk.record import Known
from crosstable.office.bulk.steps import (
    KEY,
    STORED,
    Steps,
    current_since,
    members_of,
    numbered,
    placed,
    records_before,
)
from crosstable.office.ledger.postings import Posting, posting_from
from crosstable.office.ledger.runs import Progress, Watch
from crosstable.replaying import DAWN, DecisionKind, Key
from crosstable.terms import PlayerRating, RatingSystem

Array = Any
# A member and a system; what was posted about them in the order of the replay, each with its position.
Place = tuple[int, RatingSystem]
Chain = list[tuple[int, Posting]]
# Positions are odd at a step (twice its number and one), and even just before it; of before the span it is this one.
_BEFORE = -1
# For so many steps what they need is read at once.
_TOGETHER = 30
# What was posted about more members than this is read by two sessions.
_SEVERAL = 50


class Reading(NamedTuple):
    """Where a change is looked for: a connection, what is known from the first day on that it may concern, the steps.

    In the first run of an office nothing is posted yet.
    """

    connection: Connection
    known: Known
    steps: Steps
    pending: Pending
    is_first: bool


class Affected:
    """A replay of the steps that are touched, and of those that read a record which is no longer what is posted.

    ``old`` is what is posted at these steps, or at none any more; ``kept`` what is posted at the others, as far as it
    was read, and ``before`` what was posted before all of them. ``is_over`` says when a replay of everything is
    quicker: then this one is given up, and is not ``is_done``.
    """

    def __init__(self, span: Reading, watch: Watch, is_over: Callable[[int], bool]) -> None:
        self.span, self._watch, self._is_over = span, watch, is_over
        self.unratable: dict[int, str] = {}
        self._posted = _Posted(span)
        self._touched: set[int] = set()
        self._queue: list[int] = []
        self._queued: set[int] = set()
        self._moved: set[int] = set()
        self._steps: list[int] = []
        self._due: list[tuple[int, Posting]] = []
        self.is_done = all(self._touch(part) for part in (self._sections, self._about)) and self._go()

    @cached_property
    def _inside(self) -> "_Inside":
        return _Inside(self.span.known, self.span.steps)

    @cached_property
    def _engine(self) -> Engine:
        made = Engine(self.span.known, self.span.steps, self._watch.checked)
        made.unratable = self.unratable
        return made

    @property
    def steps(self) -> Sequence[int]:
        """The steps that were rated."""
        return self._steps

    @property
    def members(self) -> int:
        """Of how many members it was read what is posted about them."""
        return len(self._posted.members)

    def _touch(self, steps: Callable[[], Iterable[Iterable[int]]]) -> bool:
        """Note steps that are touched, unless they are too many."""
        if self._is_over(0):
            return False
        for some in steps():
            self._touched.update(some)
            if self._is_over(len(self._touched)):
                return False
        return True

    def _sections(self) -> Iterator[Iterable[int]]:
        """Sections that entries wrote."""
        places = self.span.steps.frame.select("event_id", "section", "step")
        yield places.join(self.span.pending.sections, on=["event_id", "section"], how="semi")["step"]

    def _about(self) -> Iterator[Iterable[int]]:
        """Everything that members play whom entries are about."""
        span = self.span
        about = numbered(span.pending.members, span.known).drop_nulls("who").select("who", "day")
        granted = numbered(_granted(span), span.known).drop_nulls("who")["who"]
        for who, day in (*about.iter_rows(), *((who, DAWN) for who in granted)):
            yield self._inside.steps_of(who, span.steps.since(day) - 1)

    def _go(self) -> bool:
        """Rate what is reached, in the order of the replay."""
        self._queue, self._queued = sorted(self._touched), {*self._touched}
        with self._watch.clock.timed("read postings"):
            self._follow(self._posted.begin())
        while self._queue:
            if self._is_over(len(self._queued)):
                return False
            step = heappop(self._queue)
            if self._is_reached(step):
                self._rate(step)
            else:
                self._queued.discard(step)
        return True

    def _is_reached(self, step: int) -> bool:
        """Whether a step is touched, or reads a record that is another now."""
        position = 2 * step + 1
        who = self._moved.intersection(self._inside.members_of([step]))
        return step in self._touched or any(self._posted.differs(one, position) for one in who)

    def _rate(self, step: int) -> None:
        own = self._inside.members_of([step])
        if not self._posted.has(own):
            with self._watch.clock.timed("read postings"):
                members = self._inside.members_of([step, *self._next()])
                self._follow(self._posted.read(members, self.span.steps.key_of(step)))
        with self._watch.clock.timed("rate"):
            if not self._engine.has(step):
                self._engine.prepare([step, *self._next()])
            self._engine.hold({one: self._posted.records(one, 2 * step + 1) for one in own})
            made = [*self._engine.rate(step)]
        self._steps.append(step)
        self._due += [(step, posting) for _, posting in made]
        self._follow((who, 2 * step + 2) for who in self._posted.renew(step, made))
        if len(self._steps) % TOLD_EVERY == 0:
            self._watch.progress(len(self._steps))

    def _next(self) -> list[int]:
        """What is rated next: it waits, and is as good as certain to be reached."""
        return nsmallest(_TOGETHER, self._queue)

    def _follow(self, moved: Iterable[tuple[int, int]]) -> None:
        """Those whose record is another after a position: what they play next is reached."""
        for who, position in moved:
            self._moved.add(who)
            for step in self._inside.steps_of(who, position // 2 - 1):
                if step not in self._queued:
                    self._queued.add(step)
                    heappush(self._queue, step)

    # what a run takes of it

    def go(self, take: Take, progress: Progress) -> None:
        """Hand over what is due."""
        progress(len(self._steps))
        take(due_of(self.span.known, self._due, self._engine.rated, self.span.steps.frame.height))

    @property
    def before(self) -> pl.DataFrame:
        """What was posted before the span about those whose records were read."""
        return numbered(pl.concat([self._posted.nothing, *self._posted.before]), self.span.known)

    def old(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """What is posted at the steps that were rated, or at none any more; and what is posted at others."""
        nothing = placed(self._posted.nothing, self.span.known, self.span.steps)
        whole = pl.concat([nothing, *self._posted.inside]).sort("step", "posting_id")
        is_here = pl.col("is_moved") | pl.col("step").is_in(pl.Series(self._steps, dtype=pl.Int64).implode())
        return whole.filter(is_here), whole.filter(~is_here)

    def record(self, who: int, system: RatingSystem) -> PlayerRating | None:
        """A member's rating record in a system at the end."""
        return self._posted.records(who, 2 * self.span.steps.frame.height + 1).get(system)

    def ratings(self, who: Array, system: Array) -> tuple[pl.Series, pl.Series]:
        """The ratings and games of members at the end."""
        return ratings_of(self.record, who, system)


class _Inside:
    """Who is in which step."""

    def __init__(self, known: Known, steps: Steps) -> None:
        pairs = members_of(known, steps).with_columns(pl.col("who").cast(pl.Int64))
        by_who, by_step = pairs.sort("who", "step"), pairs.sort("step")
        self._by_who = by_who["who"].to_numpy(), by_who["step"].to_numpy()
        self._by_step = by_step["step"].to_numpy(), by_step["who"].to_numpy()

    def steps_of(self, who: int, after: int) -> list[int]:
        """The steps of a member after one."""
        found = _part(*self._by_who, who)
        later: list[int] = found[np.searchsorted(found, after, side="right") :].tolist()
        return later

    def members_of(self, steps: Iterable[int]) -> set[int]:
        """The members of steps."""
        return {one for step in steps for one in _part(*self._by_step, step).tolist()}


def _part(keys: Array, values: Array, key: int) -> Array:
    low, high = np.searchsorted(keys, [key, key + 1])
    return values[low:high]


class _Posted:
    """What is posted about members, and what it becomes: of each a chain of postings in every system."""

    def __init__(self, span: Reading) -> None:
        self.span = span
        self.nothing = pl.DataFrame(schema={"posting_id": pl.Int64(), **POSTING})
        self.before: list[pl.DataFrame] = []
        self.inside: list[pl.DataFrame] = []
        self._old: dict[Place, Chain] = {}
        self._new: dict[Place, Chain] = {}
        self._at: dict[int, list[Place]] = {}
        self.members: set[int] = set()

    def begin(self) -> list[tuple[int, int]]:
        """Read of those whom entries are about; those who were posted where no step is any more, and the positions."""
        ids = [frame.select("member_id") for frame in (self.span.pending.members, self.span.pending.posted)]
        about = numbered(pl.concat(ids), self.span.known).drop_nulls("who")["who"]
        return self.read(set(about), Key(self.span.pending.first, DAWN, "", 0))

    def has(self, members: Iterable[int]) -> bool:
        """Whether what is posted about members was read."""
        return self.members.issuperset(members)

    def read(self, members: Iterable[int], key: Key) -> list[tuple[int, int]]:
        """Read what was last posted about members before a key, and all since; who was posted where no step is."""
        fresh = sorted({*members} - self.members)
        self.members.update(fresh)
        if self.span.is_first or not fresh:
            return []
        first, connection = self.span.pending.first, self.span.connection
        ids = pl.DataFrame({"member_id": self.span.known.ids["member_id"].gather(fresh)})
        starts = ids.with_columns(
            pl.lit(value).cast(POSTING[name]).alias(name) for name, value in key._asdict().items()
        )
        theirs = tables.posting.c.member_id.in_(select(asked(connection, ids).c.member_id))
        query = current_since(first, theirs)
        with read_ahead(connection, query, STORED, is_likely=len(fresh) > _SEVERAL) as since:
            last = records_before(connection, starts).filter(pl.col("ended") < first)
            inside = placed(since(), self.span.known, self.span.steps)
        self.before.append(last)
        self.inside.append(inside)
        return self._chained(numbered(last, self.span.known), inside)

    def _chained(self, last: pl.DataFrame, inside: pl.DataFrame) -> list[tuple[int, int]]:
        moved, positions = [], dict[Key, int]()
        for who, posting in _rows(last):
            self._new[who, posting.system] = [(_BEFORE, posting)]
            self._old[who, posting.system] = [(_BEFORE, posting)]
        ordered = inside.sort(*KEY)
        for (who, posting), step, is_moved in zip(_rows(ordered), ordered["step"], ordered["is_moved"], strict=True):
            place = who, posting.system
            position = 2 * step + 1
            if is_moved:
                if posting.key not in positions:
                    positions[posting.key] = 2 * self.span.steps.before(posting.key)
                position = positions[posting.key]
            self._old.setdefault(place, []).append((position, posting))
            if is_moved:
                moved.append((who, position))
            else:
                self._new.setdefault(place, []).append((position, posting))
                self._at.setdefault(step, []).append(place)
        return moved

    def renew(self, step: int, made: Iterable[tuple[int, Posting]]) -> set[int]:
        """Put what a step makes in the place of what is posted there; those whose record is another after it."""
        position = 2 * step + 1
        places = self._at.get(step, [])
        for place in places:
            chain = self._new[place]
            del chain[_at(chain, position)]
        fresh = {(who, posting.system): posting for who, posting in made}
        for place, posting in fresh.items():
            chain = self._new.setdefault(place, [])
            chain.insert(_at(chain, position), (position, posting))
        return {place[0] for place in {*places, *fresh} if self._is_other(place, position + 1)}

    def differs(self, who: int, position: int) -> bool:
        """Whether a member has another record before a position than what is posted."""
        return any(self._is_other((who, system), position) for system in RatingSystem)

    def _is_other(self, place: Place, position: int) -> bool:
        return _last(self._old.get(place, []), position) != _last(self._new.get(place, []), position)

    def records(self, who: int, position: int) -> dict[RatingSystem, PlayerRating]:
        """The rating records of a member before a position."""
        found = {}
        for system in RatingSystem:
            last = _last(self._new.get((who, system), []), position)
            if last is not None:
                assert last[1].standing is not None
                found[system] = last[1].standing
        return found


def _rows(frame: pl.DataFrame) -> Iterator[tuple[int, Posting]]:
    """Members and their postings."""
    return zip(frame["who"].to_list(), map(posting_from, frame.select(*Posting._fields).iter_rows()), strict=True)


def _at(chain: Chain, position: int) -> int:
    """Where a position stands, or would stand, in a chain."""
    return bisect_left(chain, position, key=itemgetter(0))


def _last(chain: Chain, position: int) -> tuple[int, Posting] | None:
    """The last posting before a position."""
    at = _at(chain, position)
    return chain[at - 1] if at else None


def _granted(span: Reading) -> pl.DataFrame:
    """Members whose floors the request of a match that is touched has lowered: that holds where the match stands."""
    decision, wanted = tables.decision.c, asked(span.connection, span.pending.sections.select("event_id", "section"))
    same = and_(decision.event_id == wanted.c.event_id, decision.section == wanted.c.section)
    query = select(decision.member_id).join_from(tables.decision, wanted, same)
    query = query.where(decision.kind == DecisionKind.GRANT_MATCH_FLOOR.value)
    return frame_of(span.connection, query, {"member_id": pl.String()})
