"""What a change really reaches: steps that it touches, and later ones of everybody whose posting became another.

Who met whom says how far a change may go, and that is much more than it does: most of those who met somebody with
another rating keep their own. So a few steps are read ahead by who met whom, rated in order, and held against what is
posted there; it goes on from those for whom that differs.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from sqlalchemy import Connection

from crosstable.office.bulk.due import POSTING, Take
from crosstable.office.bulk.interpreted import Interpreted, records_of
from crosstable.office.bulk.pending import Pending
from crosstable.office.bulk.record import Known
from crosstable.office.bulk.steps import KEY, Steps, current_at, members_of, numbered, placed, records_before
from crosstable.office.ledger.postings import Posting, posting_from
from crosstable.office.ledger.watching import Progress, Watch
from crosstable.replaying import Key
from crosstable.terms import RatingSystem

Array = Any
# So many steps are read at a time.
TOGETHER = 60
_START = {"member_id": pl.String(), **{name: POSTING[name] for name in KEY}}
_END = Key(date.max, date.max, "", 0)
_TOLD = ("who", *Posting._fields)


class Gone(NamedTuple):
    """A posting that is no more: about whom, where it stood, and the first step behind that."""

    step: int
    who: int
    system: int
    key: Key


class Start(NamedTuple):
    """Where a change begins: steps that are touched, members who are from a step on, postings that are no more.

    ``members``, in the order of steps, are those whose records a step reads, or about whom something is posted there;
    ``first`` says by step where they begin.
    """

    touched: frozenset[int]
    since: Mapping[int, int]
    gone: Sequence[Gone]
    members: Array
    first: Array

    @property
    def height(self) -> int:
        """How many steps there are."""
        return len(self.first) - 1

    def of(self, step: int) -> list[int]:
        """The members of a step."""
        found: list[int] = self.members[self.first[step] : self.first[step + 1]].tolist()
        return found


class Limit(NamedTuple):
    """How many steps are followed at most, and how many may be reached by who met whom.

    Who is thorough goes on from everybody in a step that was rated, whatever is posted there.
    """

    most: int
    may_reach: int
    is_thorough: bool


def start_of(known: Known, steps: Steps, pending: Pending, ghosts: pl.DataFrame) -> Start:
    """The beginning of what entries touch; ``ghosts`` are the postings whose step is no more, or moved."""
    places = steps.frame.select("event_id", "section", "step")
    touched = places.join(pending.sections, on=["event_id", "section"], how="semi")["step"]
    since: dict[int, int] = {}
    for who, day in numbered(pending.members, known).drop_nulls("who").select("who", "day").iter_rows():
        since[who] = min(since.get(who, steps.frame.height), steps.since(day))
    rows = ghosts.select("position", "who", "system", *KEY).sort("position").iter_rows()
    gone = [Gone(position // 2, who, system, Key(*key)) for position, who, system, *key in rows]
    posted = numbered(pending.posted, known).join(places, on=["event_id", "section"]).select("step", "who")
    inside = pl.concat([members_of(known, steps), posted.drop_nulls()]).sort("step")
    first = np.searchsorted(inside["step"].to_numpy(), np.arange(steps.frame.height + 1))
    return Start(frozenset(touched), since, gone, inside["who"].to_numpy(), first)


class Reach:
    """Whom a change has reached so far: by member the systems, as bits, in which their last posting is another."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self.changed: dict[int, int] = {}

    def is_due(self, step: int) -> bool:
        """Whether a step has to be rated."""
        return step in self.start.touched or self._meets(step, self.changed)

    def _meets(self, step: int, reached: Mapping[int, int] | set[int]) -> bool:
        since = self.start.since
        return any(who in reached or (who in since and since[who] <= step) for who in self.start.of(step))

    def note(self, who: int, system: int, *, is_changed: bool) -> None:
        """Say whether what a step posts about a member is another than what is posted there."""
        bits = self.changed.get(who, 0)
        bits = bits | 1 << system if is_changed else bits & ~(1 << system)
        if bits:
            self.changed[who] = bits
        else:
            self.changed.pop(who, None)

    def between(self, low: int, high: int) -> list[Gone]:
        """The postings that are no more from one step up to another."""
        return [one for one in self.start.gone if low <= one.step < high]

    def ahead(self, low: int, most: int) -> tuple[list[int], int]:
        """The next steps that it may reach by who met whom, at most so many, and where it goes on after them."""
        found: list[int] = []
        reached = set(self.changed)
        gone = iter(self.between(low, self.start.height))
        next_gone = next(gone, None)
        for step in range(low, self.start.height):
            while next_gone is not None and next_gone.step <= step:
                reached.add(next_gone.who)
                next_gone = next(gone, None)
            if step in self.start.touched or self._meets(step, reached):
                if len(found) == most:
                    return found, step
                found.append(step)
                reached.update(self.start.of(step))
        return found, self.start.height


def may_reach(start: Start, most: int) -> bool:
    """Whether a change reaches no more than so many steps by who met whom."""
    return len(Reach(start).ahead(0, most + 1)[0]) <= most


class Followed(Interpreted):
    """The interpreted replay of what a change really reaches."""

    def __init__(
        self, connection: Connection, known: Known, steps: Steps, start: Start, watch: Watch, limit: Limit
    ) -> None:
        super().__init__(known, steps, watch.checked)
        self._connection, self._watch, self._limit = connection, watch, limit
        self._reach = Reach(start)
        self._keys = steps.frame.select(KEY)
        self._made: list[tuple[int, Posting]] = []
        self._steps: list[int] = []
        self._old: list[pl.DataFrame] = []
        self._before: list[pl.DataFrame] = []
        self._moved_once: set[int] = set()
        self._posted: dict[int, dict[tuple[int, int], Posting]] = {}

    def follow(self) -> bool:
        """Rate what is reached; false where that is more steps than the limit."""
        low, height = 0, self._reach.start.height
        while low < height:
            steps, high = self._reach.ahead(low, TOGETHER)
            with self._watch.clock.timed("read postings"):
                self._read(steps, low, high)
            self.begin(steps)
            for step in steps:
                self._pass(low, step + 1)
                low = step + 1
                self._take(step)
            if len(self._steps) > self._limit.most:
                return False
            self._pass(low, high)
            low = high
            self._watch.progress(len(self._steps))
        with self._watch.clock.timed("read postings"):
            self._read_ends()
        return True

    def go(self, take: Take, progress: Progress) -> None:
        """Hand over what is due; it was rated when it was followed."""
        old = pl.concat(self._old)
        is_rated = pl.col("step").is_in(self._steps)
        self.before = pl.concat([*self._before, old.filter(~is_rated).select(_TOLD)])
        take(self.due(self._made, old.filter(is_rated)))

    def _pass(self, low: int, high: int) -> None:
        """Note the postings that are no more."""
        for one in self._reach.between(low, high):
            self._note(one.who, one.system, is_changed=True)

    def _note(self, who: int, system: int, *, is_changed: bool) -> None:
        self._reach.note(who, system, is_changed=is_changed)
        if is_changed:
            self._moved_once.add(who)

    def _take(self, step: int) -> None:
        """Rate a step if it is reached, and hold it against what is posted; else go on with what is posted."""
        posted = self._posted.get(step, {})
        if not self._reach.is_due(step):
            self.leave(step)
            for (who, system), posting in posted.items():
                assert posting.standing is not None
                self.records.setdefault(who, {})[RatingSystem(system)] = posting.standing
            return
        made = {(who, int(posting.system)): posting for who, posting in self.rate(step)}
        self._made += ((step, posting) for posting in made.values())
        self._steps.append(step)
        for place in made.keys() | posted.keys():
            self._note(*place, is_changed=self._limit.is_thorough or made.get(place) != posted.get(place))

    def _read(self, steps: Sequence[int], low: int, high: int) -> None:
        """Read what is posted at steps, and the records before them of members whose own are not carried along."""
        carried = self._reach.changed
        self.records = {who: own for who, own in self.records.items() if who in carried}
        since: dict[int, Key] = {}
        for step in steps:
            key = Key(*self._keys.row(step))
            for who in self._reach.start.of(step):
                since.setdefault(who, key)
        for one in self._reach.between(low, high):
            since[one.who] = min(since.get(one.who, one.key), one.key)
        self._read_before({who: key for who, key in since.items() if who not in carried})
        places = self.steps.frame[list(steps)].select("event_id", "section").unique()
        old = placed(current_at(self._connection, places), self.known, self.steps)
        old = old.filter(pl.col("step").is_in(list(steps)))
        self._old.append(old)
        self._posted = {}
        for step, who, row in zip(old["step"], old["who"], old.select(*Posting._fields).iter_rows(), strict=True):
            posting = posting_from(row)
            self._posted.setdefault(step, {})[who, int(posting.system)] = posting

    def _read_before(self, since: Mapping[int, Key]) -> None:
        """Read the records of members before keys."""
        ids = self.known.ids["member_id"]
        starts = pl.DataFrame([(ids[who], *key) for who, key in since.items()], schema=_START, orient="row")
        before = numbered(records_before(self._connection, starts), self.known)
        self.records |= records_of(before)
        self._before.append(before.select(_TOLD))

    def _read_ends(self) -> None:
        """Read the records at the end of those whose postings are again what they were."""
        self._read_before(dict.fromkeys(self._moved_once - self._reach.changed.keys(), _END))
