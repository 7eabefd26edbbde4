"""A replay that also keeps the whole rating record before and after every section, and how unrated players started."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import polars as pl

from crosstable.formulas.norms import NO_NORM
from crosstable.history.index import Index
from crosstable.history.kernel.arrays import WORKING, Array, RecordArrays, Records, records_for
from crosstable.history.replay import Checkpoint, Replayer
from crosstable.replaying import Decision, StartingRating
from crosstable.rules.constants import Initialisation
from crosstable.terms import PlayerRating

BLEND = Initialisation.BLEND.value


class Moved(NamedTuple):
    """A starting rating or a decision that changed a member's rating record."""

    what: StartingRating | Decision
    member: int
    before: PlayerRating | None
    after: PlayerRating


class OpenedRows(NamedTuple):
    """Starting ratings of one day, rows of the archive's table, and the rating records that were there before."""

    rows: pl.DataFrame
    before: Array


class Block(NamedTuple):
    """What happened from one section up to another, and what else happened between them."""

    first: int
    last: int
    records: Records
    moved: list[Moved]
    opened: list[OpenedRows]


Take = Callable[[Block], None]


class Recorder(Replayer):
    """A replay that hands over what it recorded, block by block, from a section on."""

    def __init__(self, index: Index, first: int, threads: int | None = None) -> None:
        super().__init__(index, threads)
        self.first = first
        self.at_first: RecordArrays = self.standings  # as they are where the recording begins
        self._block: Block | None = None

    def blocks(self, sections: int, take: Take) -> list[Checkpoint]:
        """Stops of the replay that hand over a block and begin the next, every so many sections."""
        places = [*range(self.first, self.index.sections, sections)] or [self.first]
        ends = [*places[1:], self.index.sections]
        return [
            Checkpoint(first, 0, 0, lambda replayer, span=(first, last): self._begin(span, take))  # type: ignore[misc]
            for first, last in zip(places, ends, strict=True)
        ]

    def finish(self, take: Take) -> None:
        """Hand over the last block."""
        if self._block is not None:
            take(self._block)
            self._block = None

    def _begin(self, span: tuple[int, int], take: Take) -> None:
        if self._block is None:
            self.at_first = RecordArrays(*(array.copy() for array in self.standings))
            self._keep_working(int(self.index.history.sections[span[0]]["row"]))
        self.finish(take)
        sections = self.index.history.sections
        base = int(sections[span[0]]["row"])
        records = records_for(base, int(sections[span[1]]["row"]) - base)
        self.results = self.results._replace(records=records)
        self._block = Block(*span, records, [], [])

    def _keep_working(self, base: int) -> None:
        """Keep the working from a row on; memory for those before is never touched."""
        working = np.zeros(self.index.rows, dtype=WORKING)
        working["norm"][base:] = NO_NORM
        self.results = self.results._replace(working=working)

    def note_openings(self, rows: pl.DataFrame, before: Array) -> None:
        """Keep starting ratings of a day."""
        if self._block is not None:
            self._block.opened.append(OpenedRows(rows, before))

    def note_move(
        self, what: StartingRating | Decision, member: int, before: PlayerRating | None, after: PlayerRating
    ) -> None:
        """Keep what changed a rating record."""
        if self._block is not None:
            self._block.moved.append(Moved(what, member, before, after))


__all__ = ["BLEND", "Block", "Moved", "OpenedRows", "Recorder", "Records"]
