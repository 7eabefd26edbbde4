"""What happens in a history beside sections: starting ratings and decisions, at checkpoints of a replay."""

from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl

from crosstable.history.archive import Archive
from crosstable.history.archive_contents import Decided, Opened, decisions_of, openings_of
from crosstable.history.archive_tables import NO_MEMBER
from crosstable.history.index import Index
from crosstable.history.record_frames import lay_records
from crosstable.history.replay import (
    DECIDING,
    ArrayRecords,
    Checkpoint,
    Limits,
    Pair,
    Replayer,
    decided_rows,
    keep_places,
)
from crosstable.record_rows import MORE_THAN_NUMBERS
from crosstable.replaying import MOVING, Decision, DecisionKind, Decisions, Key, StartingRating, moved
from crosstable.terms import MatchChange, PlayerRating, RatingSystem

# Decisions that change a rating record; the others limit what a section may make of it.
_CHANGING = frozenset({*MOVING, DecisionKind.GRANT_MATCH_FLOOR})


class Adjustment(NamedTuple):
    """Something that happens to one member in one system before a section."""

    before: int
    key: Key
    member: int
    what: StartingRating | Decision


class Adjustments:
    """The adjustments of an archive, as checkpoints of a replay."""

    def __init__(self, archive: Archive, index: Index) -> None:
        self.archive = archive
        self.index = index
        self.decisions = decisions_of(archive)
        deciding = {member for member, _ in self.decisions}
        frame = archive.openings.with_row_index("at")
        says_more = pl.any_horizontal(pl.col(name).is_not_null() for name in MORE_THAN_NUMBERS)
        is_one_of_two = pl.struct("member", "system").is_duplicated()  # as in an office that merged two ids
        telling = frame.filter(says_more | is_one_of_two)["member"].to_list()
        special = pl.col("member").is_in([*deciding, *telling])  # all of a member, so that they keep order
        self.plain = frame.filter(~special)
        self.openings = openings_of(archive._replace(openings=frame.filter(special).drop("at")))
        self.pairs = _pairs(self.openings, self.decisions)
        self._ends = index.history.sections["end"][:-1].astype(np.int64)  # as numbers that are looked for in it are
        self._extra = sum(len(opened.opening.standing.match_changes) for opened in self.openings)

    def prepare(self, replayer: Replayer) -> None:
        """Make room in the arrays for what will be decided, and for match changes that starting ratings bring."""
        arrays = replayer.standings
        changes = np.concatenate([arrays.match_changes, np.zeros(self._extra, dtype=arrays.match_changes.dtype)])
        replayer.standings = arrays._replace(decided=decided_rows(self.pairs, self._limits()), match_changes=changes)
        keep_places(replayer.standings, replayer.index.history.place_of, self.pairs)

    def checkpoints(self) -> list[Checkpoint]:
        """Every checkpoint in the order of the replay."""
        found = [*self._plain_openings(), *self._moves()]
        return sorted(found, key=lambda checkpoint: checkpoint.place)  # sorting keeps the order of equal places

    def _limits(self) -> list[Limits]:
        """Floors and ceilings after each adjustment: they follow from what is decided, not from ratings."""
        decisions = Decisions[int]([*self.openings, *self.decisions])
        rows = self.index.history.sections["row"]
        found = []
        for adjustment in sorted(self._adjustments(), key=lambda one: one.key):
            system, key = adjustment.what.system, adjustment.key
            assert system is not None
            after = Key(key.ended, key.started, key.event_id, key.section + 1)
            standing = decisions.decided(adjustment.member, system, PlayerRating(0.0), after)
            pair = adjustment.member, system
            found.append(Limits(pair, int(rows[self._place(key.ended)]), standing.floors, standing.ceiling))
        return found

    def _place(self, day: date) -> int:
        """The first section that does not end before a day."""
        return int(np.searchsorted(self._ends, day.toordinal()))

    def _plain_openings(self) -> Iterator[Checkpoint]:
        """Starting ratings that bring numbers alone, all of a day at once."""
        for (day,), rows in self.plain.group_by("as_of", maintain_order=True):
            assert isinstance(day, date)
            yield Checkpoint(self._place(day), day.toordinal(), DECIDING, partial(_open_all, rows=rows))

    def _adjustments(self) -> list[Adjustment]:
        """Starting ratings that say more than numbers, and decisions, in the order of the replay."""
        found = []
        for opened in self.openings:
            standing = opened.opening.standing
            assert standing.as_of is not None
            found.append(Adjustment(self._place(standing.as_of), opened.opening.key, opened.member, opened.opening))
        for member, decision in self.decisions:
            if decision.system is not None and member != NO_MEMBER:  # opting in or out moves no rating
                found.append(Adjustment(self._place_of(decision), decision.key, member, decision))
        return sorted(found, key=lambda one: (one.before, one.key))

    def _moves(self) -> Iterator[Checkpoint]:
        """Those that change a rating record; floors and ceilings are laid out beforehand."""
        slot = 1 + self.index.match_slots
        slots = {}
        for opened in self.openings:
            slots[opened.opening.key, opened.opening.system] = slot
            slot += len(opened.opening.standing.match_changes)
        for adjustment in self._adjustments():
            if isinstance(adjustment.what, StartingRating) or adjustment.what.kind in _CHANGING:
                yield Checkpoint(adjustment.before, self._day(adjustment), DECIDING, _Step(adjustment, slots).act)

    def _place_of(self, decision: Decision) -> int:
        if decision.kind is DecisionKind.GRANT_MATCH_FLOOR:
            return self._section_at(decision)
        return self._place(decision.effective)

    def _day(self, adjustment: Adjustment) -> int:
        """The day of an adjustment; a match floor is granted for the day of its match."""
        what = adjustment.what
        if isinstance(what, Decision) and what.kind is DecisionKind.GRANT_MATCH_FLOOR:
            return int(self.index.history.sections[adjustment.before]["end"])
        return adjustment.key.ended.toordinal()

    def _section_at(self, decision: Decision) -> int:
        frame = self.archive.sections
        mask = (frame["event_id"] == decision.event_id) & (frame["number"] == decision.section)
        found = mask.arg_true()
        return int(found[0]) if len(found) else self.index.sections


def _pairs(openings: Sequence[Opened], decisions: Sequence[Decided]) -> list[Pair]:
    found: dict[Pair, None] = {}
    for member, opening in openings:
        found[member, opening.system] = None
    for member, decision in decisions:
        if decision.system is not None and member != NO_MEMBER:
            found[member, decision.system] = None
    return list(found)


def _open_all(replayer: Replayer, rows: pl.DataFrame) -> None:
    """Starting ratings of one day that bring numbers alone."""
    table = replayer.standings.standings
    members, systems = rows["member"].to_numpy(), rows["system"].to_numpy()
    at = replayer.index.history.place_of[members, systems]
    np.bitwise_or.at(replayer.standings.rated, members, np.uint8(1) << systems)
    replayer.note_openings(rows, table[at])
    lay_records(table, at, rows)
    table["match"][at] = 0  # match changes of a past that the starting rating replaces


class _Step:
    """One starting rating or decision, done on the arrays."""

    def __init__(self, adjustment: Adjustment, slots: dict[tuple[Key, RatingSystem], int]) -> None:
        self.adjustment = adjustment
        self.slots = slots

    def act(self, replayer: Replayer) -> None:
        """Do it."""
        arrays = ArrayRecords(replayer.standings, replayer.index.history.place_of)
        member, what = self.adjustment.member, self.adjustment.what
        assert what.system is not None
        before = arrays.of(member).get(what.system)
        if isinstance(what, Decision) and what.kind is DecisionKind.GRANT_MATCH_FLOOR:
            if before is not None:
                arrays.put(member, what.system, before._replace(lowered_floor=what.value))
            return
        after = moved(what, before)
        if after is None:
            return
        replayer.note_move(what, member, before, after)
        arrays.put(member, what.system, after)
        if isinstance(what, StartingRating):
            arrays.put_match_changes(member, what.system, self._changes(what))

    def _changes(self, opening: StartingRating) -> dict[int, MatchChange]:
        first = self.slots[opening.key, opening.system]
        return {first + at: change for at, change in enumerate(opening.standing.match_changes)}
