"""Which journal entries are behind a change: those that touch a step, and those behind what moved before it."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from crosstable.office.bulk.pending import Pending
from crosstable.office.bulk.record import Known
from crosstable.office.bulk.steps import Steps, members_of, numbered
from crosstable.terms import RatingSystem

Array = Any
_SYSTEMS = len(RatingSystem)
# Of so many entries a run says which are behind each change; of more it names those that touch a step themselves.
MOST_FOLLOWED = 500


class Events(NamedTuple):
    """What was posted about a member in a system, where, and whether that changed; a ghost has causes of its own.

    Positions are odd at a place of the fold (twice its number and one), and even just before it.
    """

    place: Array
    position: Array
    is_changed: Array
    ghost: Array


def place_of(who: Array, system: Array) -> Array:
    """A member and a system in one number."""
    return who.astype(np.int64) * _SYSTEMS + system.astype(np.int64)


class Sets(NamedTuple):
    """Sets of acts, and by code (a place of the fold, or behind those a ghost) which set is behind a change there."""

    sets: Sequence[Sequence[int]]
    of_code: Array


class Causes:
    """The acts behind the changes at places of the fold; sets of them are whole numbers, a bit for every act."""

    def __init__(self, known: Known, steps: Steps, pending: Pending) -> None:
        members = numbered(pending.members, known).drop_nulls("who")
        self.known, self.steps, self.pending = known, steps, pending._replace(members=members)
        self._members = members_of(known, steps)
        acts = pl.concat([pending.sections["act"], pending.members["act"]]).unique().sort()
        self.acts: list[int] = acts.to_list()
        self._bit = {act: 1 << at for at, act in enumerate(self.acts)}

    def sets(self, wanted: Array, ghosts: pl.DataFrame, events: Callable[[], Events]) -> Sets:
        """The acts behind changes at some places and at ghosts.

        Of more acts than a run follows, those alone that touch the place itself.
        """
        codes = self.steps.frame.height + ghosts.height
        if len(self.acts) == 1:
            return Sets([self.acts], np.zeros(codes, dtype=np.int32))
        follows = len(self.acts) <= MOST_FOLLOWED
        found = self.followed(wanted, events()) if follows else {}
        found.update(enumerate(self.of_ghosts(ghosts), self.steps.frame.height))
        numbers: dict[int, int] = {0: 0}
        of_code = np.zeros(codes, dtype=np.int32)
        for code, bits in found.items():
            of_code[code] = numbers.setdefault(bits, len(numbers))
        sets = [self._numbers(bits) for bits in numbers]
        return Sets(sets if follows else self._directly(wanted, sets, of_code), of_code)

    def _directly(self, wanted: Array, sets: list[list[int]], of_code: Array) -> list[list[int]]:
        """The acts that touch places themselves, with those sets that are there already."""
        texts = (
            self._pairs(wanted)
            .sort("step", "act")
            .group_by("step", maintain_order=True)
            .agg(pl.col("act").cast(pl.String).str.join(","))
        )
        different = texts.select(pl.col("act").unique(maintain_order=True)).with_row_index("set", offset=len(sets))
        joined = texts.join(different, on="act")
        of_code[joined["step"].to_numpy()] = joined["set"].to_numpy()
        return [*sets, *([int(act) for act in text.split(",")] for text in different["act"])]

    def _pairs(self, wanted: Array) -> pl.DataFrame:
        """Places and the acts that touch them themselves."""
        steps = self.steps.frame
        asked = pl.DataFrame({"step": wanted}, schema={"step": pl.Int64})
        touched = steps.select("event_id", "section", "step").join(asked, on="step")
        touched = touched.join(self.pending.sections, on=["event_id", "section"])
        about = self._members.join(asked, on="step").join(self.pending.members, on="who")
        about = about.join(steps.select("step", "ended"), on="step").filter(pl.col("day") <= pl.col("ended"))
        return pl.concat([part.select("step", "act") for part in (touched, about)]).unique()

    def _bits(self, pairs: pl.DataFrame) -> dict[int, int]:
        """By the first column: the acts of the second."""
        found: dict[int, int] = {}
        for about, act in pairs.iter_rows():
            found[about] = found.get(about, 0) | self._bit[act]
        return found

    def of_ghosts(self, ghosts: pl.DataFrame) -> list[int]:
        """The acts behind postings whose place is no more: those that moved a section, or touched a member."""
        asked = self.steps.frame.select("event_id", "section", "step").join(ghosts, on="step", how="semi")
        moved = self._bits(asked.join(self.pending.sections, on=["event_id", "section"]).select("step", "act"))
        touched = self._bits(self.pending.members.join(ghosts, on="who", how="semi").select("who", "act"))
        pairs = zip(ghosts["step"].to_list(), ghosts["who"].to_list(), strict=True)
        return [moved.get(step, 0) if step >= 0 else touched.get(who, 0) for step, who in pairs]

    def followed(self, wanted: Array, events: Events) -> dict[int, int]:
        """By place: the acts that touch it, and those behind every standing that it reads and that moved before."""
        found = self._bits(self._pairs(wanted))
        place, position, is_changed, ghost = _ordered(events)
        for step, source in self._edges(wanted, place, position, is_changed):
            own = ghost[source] or found.get(int(position[source]) // 2, 0)
            found[step] = found.get(step, 0) | own
        return found

    def reached(self, wanted: Array, events: Events) -> set[int]:
        """Those of some places that an act touches, or that read a standing which moved before."""
        place, position, is_changed, _ = _ordered(events)
        edges = self._edges(wanted, place, position, is_changed)
        return {*self._pairs(wanted)["step"], *(step for step, _ in edges)}

    def _edges(self, wanted: Array, place: Array, position: Array, is_changed: Array) -> list[tuple[int, int]]:
        """Places and the events just before them that changed a standing which they read, in the order of places."""
        moving = np.unique(place[is_changed])
        asked = self._members.join(pl.DataFrame({"step": wanted}, schema={"step": pl.Int64}), on="step")
        step = np.repeat(asked["step"].to_numpy(), _SYSTEMS)
        places = np.repeat(asked["who"].to_numpy().astype(np.int64) * _SYSTEMS, _SYSTEMS)
        places += np.tile(np.arange(_SYSTEMS), asked.height)
        kept = np.isin(places, moving)
        step, places = step[kept], places[kept]
        most = 2 * self.steps.frame.height + 2
        before = np.searchsorted(place * most + position, places * most + 2 * step + 1) - 1
        sound = (before >= 0) & (place[before] == places) & is_changed[before]
        pairs = np.unique(step[sound] * len(place) + before[sound])
        return [divmod(pair, len(place)) for pair in pairs.tolist()]

    def _numbers(self, bits: int) -> list[int]:
        return [act for at, act in enumerate(self.acts) if bits >> at & 1]


def _ordered(events: Events) -> Events:
    """By member and system, and there by position."""
    order = np.lexsort((events.position, events.place))
    return Events(*(column[order] for column in events))
