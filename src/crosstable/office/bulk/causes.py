"""Which journal entries are behind a change: those that touch a step, and those behind what moved before it.

With them the rating changes of a run: whose rating, from where to where, through which sections, by which entries.
"""

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, overload

import numpy as np
import polars as pl

from crosstable.office.bulk.due import Replay
from crosstable.office.bulk.pending import Pending
from crosstable.office.bulk.record import Known, mapped
from crosstable.office.bulk.steps import KEY, Steps, members_of, numbered
from crosstable.office.ledger.journal import canonical
from crosstable.office.ledger.postings import Posting, posting_from
from crosstable.office.ledger.runs import RatingChange
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


_PLACE = ["who", "system"]


class RatingChanges(Sequence[RatingChange]):
    """The rating changes of a run, each made when it is asked for."""

    def __init__(self, ids: pl.Series, old: pl.DataFrame, replay: Replay, lines: pl.DataFrame) -> None:
        """``lines`` have the member and system of each, its sections and causes as texts; ``old`` what was posted."""
        self._replay = replay
        last = (
            old.join(lines, on=_PLACE, how="semi").sort(*KEY).unique(_PLACE, keep="last", maintain_order=True)
        ).with_row_index("row")
        self._old = last
        found = lines.join(last.select(*_PLACE, "row"), on=_PLACE, how="left", maintain_order="left")
        self._lines = found.with_columns(ids.gather(lines["who"]).alias("member_id"))

    def __len__(self) -> int:
        return self._lines.height

    @overload
    def __getitem__(self, at: int) -> RatingChange: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[RatingChange]: ...
    def __getitem__(self, at: int | slice) -> RatingChange | Sequence[RatingChange]:
        if isinstance(at, slice):
            return [self._line(place) for place in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        return self._line(at)

    def _line(self, at: int) -> RatingChange:
        line = self._lines.row(at, named=True)
        system, before = RatingSystem(line["system"]), None
        if line["row"] is not None:
            before = posting_from(self._old.select(*Posting._fields).row(line["row"])).standing
        sections = tuple((event_id, section) for event_id, section in json.loads(line["sections"]))
        after = self._replay.record(line["who"], system)
        return RatingChange(line["member_id"], system, before, after, sections, tuple(json.loads(line["causes"])))

    def rows(self, run: int) -> pl.DataFrame:
        """The lines as the table holds them."""
        old = self._old.select("row", rating_before="rating_after", games_before="games_after")
        joined = self._lines.join(old, on="row", how="left", maintain_order="left")
        rating, games = self._replay.ratings(joined["who"].to_numpy(), joined["system"].to_numpy())
        return joined.select(
            pl.lit(run, dtype=pl.Int32).alias("run"),
            *("member_id", "system", "rating_before", "games_before"),
            rating.alias("rating_after"),
            games.alias("games_after"),
            *("sections", "causes"),
        )


def lines_of(entered: pl.DataFrame, texts: pl.Series, behind: Sets) -> pl.DataFrame:
    """A line per member and system whose postings are new, in the order of the first of each.

    ``texts`` are the sections by the code of their place, as JSON.
    """
    code = entered["code"].to_numpy()
    rows = entered.select(*_PLACE, texts.gather(code).alias("text"), pl.Series("set", behind.of_code[code]))
    lines = rows.group_by(_PLACE, maintain_order=True).agg(
        pl.concat_str(pl.lit("["), pl.col("text").str.join(","), pl.lit("]")).alias("sections"),
        pl.col("set").unique().sort().cast(pl.String).str.join(",").alias("sets"),
    )
    return lines.select(*_PLACE, "sections", mapped(lines["sets"], partial(_causes, behind.sets)).alias("causes"))


def _causes(sets: Sequence[Sequence[int]], numbers: str) -> str:
    """The acts of some sets together, as the table holds them."""
    return canonical(sorted({act for number in numbers.split(",") for act in sets[int(number)]}))
