"""The postings that follow from the record, from what a recorder kept: the same columns, bit for bit, as the fold's."""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
import polars as pl

from crosstable.engine.after import assumptions
from crosstable.engine.records import Assumption
from crosstable.errors import ConvergenceError
from crosstable.folding import OWN
from crosstable.formulas.norms import NO_NORM
from crosstable.history.archive_tables import NO_MEMBER
from crosstable.history.kernel.arrays import AFTER, NO_COUNT, NO_DAY
from crosstable.history.kernel.section import NOT_FOUND, SOUND
from crosstable.history.recording import BLEND, Block, Moved, OpenedRows, Recorder, Records
from crosstable.history.standings import ArrayStandings
from crosstable.office import tables
from crosstable.office.bulk.frames import schema_of
from crosstable.office.bulk.record import Known
from crosstable.office.bulk.steps import Steps
from crosstable.office.ledger.acts import canonical
from crosstable.office.ledger.postings import (
    Posting,
    PostingKey,
    posting_of_standing,
)
from crosstable.record_rows import changes_text
from crosstable.rules.constants import Constants
from crosstable.rules.editions import EDITIONS
from crosstable.terms import NORM_CODES, FloorKind, Formula, PlayerRating, RatingSystem, Source

Array = Any
_EPOCH = date(1970, 1, 1).toordinal()
POSTING = schema_of(tables.posting, Posting._fields)
DUE = {"step": pl.Int64(), "who": pl.Int32(), **POSTING}
# What the engine looks at to say what it assumed, in this order.
_ASSUMED_FROM = ("rating", "games", "peak", "peak_since_2010", "wins", "draws", "losses", "events")
# A peak this much above the lowest level that floors reach since long cannot be the one that 2010 decides.
_FAR_ABOVE = 400.0


def _systems_by_rank() -> Array:
    """By set of systems and rank: the system."""
    made = np.zeros((1 << len(RatingSystem), len(RatingSystem)), dtype=np.uint8)
    for mask in range(len(made)):
        for rank, system in enumerate(one for one in RatingSystem if mask >> one & 1):
            made[mask, rank] = system
    return made


_SYSTEMS = _systems_by_rank()
_SOURCES = [canonical([one.name for one in Source if one <= Source.CFC and mask >> one & 1]) for mask in range(256)]


class RowPlaces:
    """Of rows of results from one section up to another: section, competitor, system."""

    def __init__(self, recorder: Recorder, first: int, last: int) -> None:
        sections = recorder.index.history.sections
        numbers = np.arange(first, last)
        base = sections["row"][first]
        self.section = np.repeat(numbers, np.diff(sections["row"][first : last + 1]))
        width = np.diff(sections["first"][first : last + 1])[self.section - first]
        within = base + np.arange(len(self.section)) - sections["row"][self.section]
        self.competitor = sections["first"][self.section] + within % np.maximum(width, 1)
        self.system = self.system_of(sections["systems"][self.section], within // np.maximum(width, 1))

    @staticmethod
    def system_of(systems: Array, rank: Array) -> Array:
        """The system of a rank in sets of systems."""
        return _SYSTEMS[systems, rank]


class Due:
    """Makes frames of postings of what a recorder hands over."""

    def __init__(self, known: Known, recorder: Recorder, steps: Steps) -> None:
        self.known, self.recorder, self.steps = known, recorder, steps
        archive = known.archive
        self.ids = archive.members["member_id"]
        self._numbers = _first_numbers(archive.entries)
        unknown = archive.members["birth_date"].is_null() & archive.members["adult"].is_null()
        self._is_ageless = unknown.to_numpy()
        self._is_born_by_year = known.is_born_by_year.to_numpy()
        self._changes: dict[int, str | None] = {0: None}
        self._arrays = ArrayStandings(recorder.standings, recorder.index.history.place_of)
        self.unratable: dict[int, str] = {}

    def frame(self, block: Block) -> pl.DataFrame:
        """Every posting that is due from the steps of a block, in their order."""
        self._arrays = ArrayStandings(self.recorder.standings, self.recorder.index.history.place_of)
        self._note_faults(block)
        parts = [
            self._sections(block),
            *(self._opened(one) for one in block.opened),
            self._moved(block.moved),
        ]
        return pl.concat(parts).sort("step", maintain_order=True)

    def _note_faults(self, block: Block) -> None:
        faults = self.recorder.results.faults[block.first : block.last]
        for at in np.flatnonzero(faults != SOUND).tolist():
            if faults[at] == NOT_FOUND:
                raise ConvergenceError(f"section {block.first + at} of the record: a special rating was not found")
            self.unratable[block.first + at] = self.recorder.why_not(block.first + at)

    def _sections(self, block: Block) -> pl.DataFrame:
        history, results = self.recorder.index.history, self.recorder.results
        rows = RowPlaces(self.recorder, block.first, block.last)
        base = block.records.base
        after = results.ratings[AFTER, base : base + len(rows.section)]
        member = history.competitors["member"][rows.competitor]
        kept = np.flatnonzero(~np.isnan(after) & (member < self.recorder.index.members))
        part = Records(base, *(column[kept] for column in block.records[1:]))
        section, competitor, member = rows.section[kept], rows.competitor[kept], member[kept]
        sections = self.known.archive.sections
        columns: dict[str, Any] = {
            "step": self.steps.of_section[section],
            "who": member,
            "member_id": self.ids.gather(member),
            "system": rows.system[kept],
            "event_id": sections["event_id"].gather(section),
            "section": sections["number"].gather(section),
            "ended": sections["end"].gather(section),
            "started": sections["start"].gather(section),
            **self._standings(part),
            "number": self._numbers[competitor],
            **_working(results.working[base + kept]),
            "start_sources": _sources(part.starts),
            **_played(history.competitors, competitor),
            "assumed": self._assumed(part, section, member),
        }
        return _typed(columns)

    def _standings(self, part: Records) -> dict[str, Any]:
        before, after = part.before, part.after
        columns = standing_columns(after, part.lowered["after"])
        return {
            "rating_before": _known(before["rating"]),
            "games_before": _finite(np.where(np.isnan(before["rating"]), np.inf, before["games"])),
            "rating_after": columns["rating"],
            "games_after": columns["games"],
            **{name: column for name, column in columns.items() if name not in ("rating", "games")},
            "match_changes": self.match_changes(after["match"]),
        }

    def match_changes(self, pointers: Array) -> pl.Series:
        """Match changes as the table holds them, by the place of the newest."""
        for pointer in np.unique(pointers).tolist():
            if pointer not in self._changes:
                self._changes[pointer] = changes_text(self._arrays.match_changes(pointer))
        places = np.flatnonzero(pointers)
        made = pl.Series([None], dtype=pl.String).new_from_index(0, len(pointers))
        if not len(places):
            return made
        return made.scatter(places, [self._changes[pointer] for pointer in pointers[places].tolist()])

    def _assumed(self, part: Records, section: Array, member: Array) -> pl.Series:
        """What had to be assumed: of newcomers from what is not known of them, of others as the engine says."""
        edition = self.recorder.index.history.sections["edition"][section]
        constants = [one.constants for one in EDITIONS]
        blends = np.array([one.initialisation == BLEND for one in constants])[edition]
        is_new = part.starts["is_new"] == 1
        uses_age = is_new & (blends | (part.starts["counted"] == 0)) & (part.starts["source"] != Source.GIVEN)
        made = pl.Series([None], dtype=pl.String).new_from_index(0, len(section))
        for is_such, note in (
            (self._is_ageless, Assumption.NOT_ADULT),
            (self._is_born_by_year, Assumption.BIRTH_YEAR),
        ):
            places = np.flatnonzero(uses_age & is_such[member])
            if len(places):
                made = made.scatter(places, canonical([note]))
        open_ones = np.flatnonzero(~is_new & _leaves_open(part.before, edition))
        rows = part.before[list(_ASSUMED_FROM)][open_ones].tolist()
        editions = edition[open_ones].tolist()
        texts = [_assumptions(constants[one], row) for one, row in zip(editions, rows, strict=True)]
        return made.scatter(open_ones, texts) if len(texts) else made

    # what plain code did

    def _moved(self, moved: Sequence[Moved]) -> pl.DataFrame:
        postings, keys = [], []
        for what, member, before, after in moved:
            assert what.system is not None
            about = PostingKey(self.ids[member], what.system, what.key.event_id, what.key.section)
            postings.append(posting_of_standing(about, what.key, before, after))
            keys.append((what.key.event_id, what.key.section, int(what.system)))
        schema = {"event_id": pl.String(), "section": pl.Int32(), "system": pl.UInt8()}
        asked = pl.DataFrame(keys, schema=schema, orient="row")
        own = self.steps.frame.filter(pl.col("event_id").str.starts_with(OWN))
        joined = asked.join(own, on=list(schema), how="left", maintain_order="left")
        return self._of_postings(postings, joined["step"].to_list())

    def _of_postings(self, postings: Sequence[Posting], steps: Sequence[int]) -> pl.DataFrame:
        rows = [(*one[:1], int(one.system), *one[2:]) for one in postings]
        frame = pl.DataFrame(rows, schema=POSTING, orient="row")
        whos = self.known.ids[: self.ids.len()]
        who = frame.select("member_id").join(whos, on="member_id", how="left", maintain_order="left")["member"]
        return frame.with_columns(pl.Series("step", steps, dtype=pl.Int64), who.alias("who")).select(*DUE)

    def _opened(self, opened: OpenedRows) -> pl.DataFrame:
        rows, before = opened
        columns = {
            "step": self.steps.of_opening[rows["at"].to_numpy()],
            "who": rows["member"],
            "member_id": self.ids.gather(rows["member"]),
            "system": rows["system"],
            "event_id": OWN + rows["member_id"],
            "section": rows["act"],
            "ended": rows["as_of"],
            "started": pl.Series([date(1, 1, 1)]).new_from_index(0, rows.height),
            "rating_before": _known(before["rating"]),
            "games_before": _finite(np.where(np.isnan(before["rating"]), np.inf, before["games"])),
            "rating_after": rows["rating"],
            "games_after": rows["games"],
            **{name: rows[name] for name in ("wins", "draws", "losses", "events", "peak", "peak_since_2010")},
            "games_at_2200": rows["games_at_2200"],
            "as_of": rows["as_of"],
        }
        return _typed(columns)


def standing_columns(rows: Array, lowered: Array) -> dict[str, pl.Series]:
    """Standings as columns: what is not known, or not set, is nothing."""
    return {
        "rating": _known(rows["rating"]),
        "games": _finite(rows["games"]),
        **{name: _count(rows[name]) for name in ("wins", "draws", "losses", "events")},
        "peak": _known(rows["peak"]),
        "peak_since_2010": _known(rows["peak_since_2010"]),
        "games_at_2200": pl.Series(rows["games_at_2200"]),
        "lowered_floor": _finite(lowered),
        "as_of": _days(rows["as_of"]),
    }


def _first_numbers(entries: pl.DataFrame) -> Array:
    """The pairing number of every competitor's first row, competitors in the order of the index."""
    members = entries.filter(pl.col("member") != NO_MEMBER)
    first = members.select(pl.struct("section", "member").is_first_distinct()).to_series()
    is_first = np.ones(entries.height, dtype=np.bool_)
    is_first[entries["member"].to_numpy() != NO_MEMBER] = first.to_numpy()
    return entries["number"].to_numpy()[is_first]


def _typed(columns: Mapping[str, Any]) -> pl.DataFrame:
    """Columns with the types of the table; those that are not given are empty."""
    given = pl.DataFrame(dict(columns))
    return given.select(
        pl.col(name).cast(dtype) if name in given.columns else pl.lit(None, dtype=dtype).alias(name)
        for name, dtype in DUE.items()
    )


def _known(values: Array) -> pl.Series:
    return pl.Series(values).fill_nan(None)


def _finite(values: Array) -> pl.Series:
    return pl.Series(np.where(np.isinf(values), np.nan, values)).fill_nan(None)


def _count(values: Array) -> pl.Series:
    return pl.select(pl.when(pl.Series(values) != NO_COUNT).then(pl.Series(values))).to_series()


def _days(values: Array) -> pl.Series:
    days = pl.Series(values.astype(np.int32) - np.int32(_EPOCH)).cast(pl.Date)
    return pl.select(pl.when(pl.Series(values != NO_DAY)).then(days)).to_series()


def _working(working: Array) -> dict[str, Any]:
    is_standard = pl.Series(working["formula"] == Formula.STANDARD.value)
    has_floor = pl.Series(working["floor_kind"] != FloorKind.NONE.value)
    norms = pl.Series([*NORM_CODES, None], dtype=pl.String)
    norm = np.where(working["norm"] == NO_NORM, len(NORM_CODES), working["norm"]).astype(np.int64)
    plain = {name: working[name] for name in ("prior", "formula", "effective", "computed")}
    return {
        **plain,
        "start_games": _known(working["start_games"]),
        **{name: _where(is_standard, working[name]) for name in ("k", "expected", "bonus")},
        **{name: _where(has_floor, working[name]) for name in ("floor_kind", "floor_level")},
        "requested_floor": _known(working["requested_floor"]),
        "norm": norms.gather(norm),
    }


def _where(condition: pl.Series, values: Array) -> pl.Series:
    return pl.select(pl.when(condition).then(pl.Series(values))).to_series()


def _sources(starts: Array) -> pl.Series:
    names = pl.Series([*_SOURCES, None], dtype=pl.String)
    return names.gather(np.where(starts["is_new"] == 1, starts["counted"].astype(np.int64), len(_SOURCES)))


def _played(competitors: Array, at: Array) -> dict[str, Any]:
    one = competitors[at]
    return {
        "played": competitors["first"][at + 1] - one["first"],
        "score": one["wins"] + 0.5 * one["draws"],
    }


def _leaves_open(before: Array, edition: Array) -> Array:
    """Where something about a standing may have to be assumed; ``assumptions`` decides."""
    lowest, since = (
        np.array([getattr(one.constants, name) for one in EDITIONS])[edition]
        for name in ("peak_lowest", "peak_lowest_since_2010")
    )
    found = np.isinf(before["games"])
    for name in ("wins", "draws", "losses", "events"):
        found |= before[name] == NO_COUNT
    peak, newer = before["peak"], before["peak_since_2010"]
    found |= np.isnan(peak) & ~(before["games"] <= min(one.constants.established_above for one in EDITIONS))
    with np.errstate(invalid="ignore"):
        found |= np.isnan(newer) & (peak >= since) & (peak < lowest + _FAR_ABOVE)
    return found


def _assumptions(constants: Constants, row: tuple[Any, ...]) -> str | None:
    found = assumptions(constants, _standing(row))
    return canonical(list(found)) if found else None


def _standing(row: tuple[Any, ...]) -> PlayerRating:
    """The numbers of a standing, without match changes and floors."""
    rating, games, peak, newer = row[:4]
    wins, draws, losses, events = (None if count == NO_COUNT else count for count in row[4:])
    return PlayerRating(
        rating,
        None if math.isinf(games) else games,
        wins,
        draws,
        losses,
        events,
        peak=None if math.isnan(peak) else peak,
        peak_since_2010=None if math.isnan(newer) else newer,
    )


__all__ = ["DUE", "POSTING", "Due", "RowPlaces"]
