"""Signatures of rated sections, many at once: the same hashes as ``rerate.signature_of`` makes of one."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from crosstable.folding import Key
from crosstable.history.archive_tables import NO_MEMBER
from crosstable.history.kernel.arrays import SYSTEMS
from crosstable.history.plain import PlainSections
from crosstable.history.recording import Block, Recorder
from crosstable.office.bulk.cells import parsed
from crosstable.office.bulk.due import Due, RowPlaces, standing_columns
from crosstable.office.bulk.record import Known
from crosstable.office.bulk.texts import hashes_of, rows_of, spelled, written
from crosstable.office.ledger.acts import canonical
from crosstable.rules.editions import EDITIONS
from crosstable.terms import PlayerRating, RatingSystem

Array = Any
_KNOWN_CELL = r"([WLDNRSXFBHUZ*])([0-9]*)([wb]?)"
_ONLY_KNOWN = r"^(([WLDNRSXFBHUZ*][0-9]*[wb]?|-)( |$))*$"
_BLANK = '["",0,""]'
_EDITIONS = pl.Series([canonical(edition.name) for edition in EDITIONS])


class Signatures:
    """Makes the signatures of sections that a recorder rated."""

    def __init__(self, known: Known, recorder: Recorder, due: Due, limits: PlainSections) -> None:
        self.known, self.recorder, self.due, self.limits = known, recorder, due, limits
        entries = known.archive.entries
        self._competitor = _competitors(entries)
        self._entry_at = np.searchsorted(entries["section"].to_numpy(), np.arange(known.archive.sections.height + 1))

    def of(self, block: Block, sections: Array) -> pl.DataFrame:
        """A row per section and system: its edition and signature. ``sections`` are numbers in their order."""
        history = self.recorder.index.history
        masks = history.sections["systems"][sections]
        ranks = np.array([bin(mask).count("1") for mask in range(1 << SYSTEMS)])[masks]
        section = np.repeat(sections, ranks)
        rank = np.arange(len(section)) - np.repeat(np.cumsum(ranks) - ranks, ranks)
        counts = self._entry_at[section + 1] - self._entry_at[section]
        pair = np.repeat(np.arange(len(section)), counts)
        entry = self._entry_at[section][pair] + np.arange(len(pair)) - (np.cumsum(counts) - counts)[pair]
        first = history.sections["first"]
        row = (
            history.sections["row"][section][pair]
            + rank[pair] * (first[section + 1] - first[section])[pair]
            + self._competitor[entry]
            - first[section][pair]
        )
        texts = pl.DataFrame({"pair": pair, "entered": self._entered(block, row, entry), "cells": self._cells(entry)})
        joined = texts.group_by("pair", maintain_order=True).agg(pl.all().str.join(","))
        edition = history.sections["edition"][section]
        system = RowPlaces.system_of(masks.repeat(ranks), rank)
        whole = (
            pl.DataFrame(
                {"edition": _EDITIONS.gather(edition), "system": pl.Series(system).cast(pl.String), **joined.to_dict()}
            )
            .select(pl.format("[{},{},[{}],[{}]]", "edition", "system", "entered", "cells"))
            .to_series()
        )
        return pl.DataFrame(
            {
                "event_id": self.known.archive.sections["event_id"].gather(section),
                "section": self.known.archive.sections["number"].gather(section),
                "system": system,
                "edition": pl.Series([one.name for one in EDITIONS]).gather(edition),
                "signature": [one.hex() for one in hashes_of(whole.to_list())],
            }
        )

    def _entered(self, block: Block, row: Array, entry: Array) -> pl.Series:
        """What each row brought: number, member, the standing before, or the start."""
        records = block.records
        used, at = np.unique(row - records.base, return_inverse=True)
        starts = records.starts[used]
        is_new = pl.Series(starts["is_new"] == 1)
        is_unrated = pl.Series(np.isnan(records.before["rating"][used]))
        before = pl.select(pl.when(is_unrated).then(None).otherwise(self._before(block, used))).to_series()
        names = ("source", "total_weight", "mean", "rating", "games")
        start = rows_of([written(pl.Series(starts[name])) for name in names])
        start = pl.select(pl.when(is_new).then(start)).to_series()
        entries = self.known.archive.entries
        member = entries["member"].gather(entry)
        ids = self.due.ids.gather(member.clip(lower_bound=0)) if self.due.ids.len() else pl.Series([""] * len(entry))
        quoted = pl.select(pl.when(member != NO_MEMBER).then(spelled(ids)).otherwise(pl.lit('""'))).to_series()
        number = entries["number"].gather(entry).cast(pl.String)
        return rows_of([number, quoted, *(column.gather(at).fill_null("null") for column in (before, start))])

    def _before(self, block: Block, used: Array) -> pl.Series:
        columns = standing_columns(block.records.before[used], block.records.lowered["before"][used])
        match_changes = self.due.match_changes(block.records.before["match"][used]).fill_null("[]")
        floors, ceilings = self._limits(block, used)
        names = ("rating", "games", "wins", "draws", "losses", "events", "peak", "peak_since_2010", "games_at_2200")
        nothing = pl.Series(["null"]).new_from_index(0, len(used))
        return rows_of(
            [
                *(written(columns[name]) for name in names),
                match_changes,
                written(columns["as_of"]),
                floors,
                written(ceilings),
                written(columns["lowered_floor"]),
                nothing,
            ]
        )

    def _limits(self, block: Block, used: Array) -> tuple[pl.Series, pl.Series]:
        """The floors and the ceiling that decisions set, of those of whom something is decided."""
        floors = pl.Series(["[]"]).new_from_index(0, len(used))
        ceilings = pl.Series([None], dtype=pl.Float64).new_from_index(0, len(used))
        places = np.flatnonzero(block.records.before["decided"][used])
        if not len(places):
            return floors, ceilings
        rows = RowPlaces(self.recorder, block.first, block.last)
        found = []
        for at in used[places].tolist():
            row = self.known.archive.sections.row(int(rows.section[at]), named=True)
            found.append(self._limited(row, rows, at))
        return (
            floors.scatter(places, [canonical(one.floors) for one in found]),
            ceilings.scatter(places, [one.ceiling for one in found]),
        )

    def _limited(self, section: Mapping[str, Any], rows: RowPlaces, at: int) -> PlayerRating:
        member = int(self.recorder.index.history.competitors["member"][rows.competitor[at]])
        key = Key(section["end"], section["start"], section["event_id"], section["number"])
        return self.limits.limits(member, RatingSystem(int(rows.system[at])), PlayerRating(0.0), key)

    def _cells(self, entry: Array) -> pl.Series:
        used, at = np.unique(entry, return_inverse=True)
        rounds = self.known.rounds.gather(used)
        known = (
            rounds.str.replace_all(_KNOWN_CELL, '["$1",$2,"$3"]')
            .str.replace_all('",,"', '",0,"', literal=True)
            .str.replace_all("-", _BLANK, literal=True)
            .str.replace_all(" ", ",", literal=True)
        )
        odd = np.flatnonzero(~rounds.str.contains(_ONLY_KNOWN).to_numpy())
        if len(odd):
            known = known.scatter(odd, [_odd_cells(rounds[place]) for place in odd.tolist()])
        numbers = self.known.archive.entries["number"].gather(used).cast(pl.String)
        return rows_of([numbers, "[" + known + "]"]).gather(at)


def _odd_cells(rounds: str) -> str:
    """Cells of which one is no known result: that one counts as a blank."""
    cells = parsed(pl.Series([rounds]))
    colours = ("", "w", "b")
    rows = zip(cells.letters.tolist(), cells.opponents.tolist(), cells.colours.tolist(), strict=True)
    return ",".join(
        canonical([chr(letter), opponent, colours[colour]]) if letter else _BLANK for letter, opponent, colour in rows
    )


def _competitors(entries: pl.DataFrame) -> Array:
    """By entry: its competitor, in the order of the index."""
    frame = entries.select(
        "section",
        pl.when(pl.col("member") == NO_MEMBER)
        .then(-2 - pl.int_range(pl.len(), dtype=pl.Int64))
        .otherwise(pl.col("member").cast(pl.Int64))
        .alias("who"),
    )
    is_first = frame.select(pl.struct("section", "who").is_first_distinct()).to_series().to_numpy()
    made = np.cumsum(is_first) - 1
    again = np.flatnonzero(~is_first)
    if len(again):
        known = frame.with_columns(pl.Series("competitor", made)).filter(is_first)
        joined = frame[again].join(known, on=["section", "who"], how="left", maintain_order="left")
        made[again] = joined["competitor"].to_numpy()
    return made
