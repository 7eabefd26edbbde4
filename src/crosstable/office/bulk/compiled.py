"""The compiled replay of a span of the record: every section of it, with the same postings as the interpreted one."""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
import polars as pl

from crosstable.engine.after import assumptions
from crosstable.engine.records import Assumption
from crosstable.errors import ConvergenceError
from crosstable.formulas.initial import carried_fide
from crosstable.formulas.norms import NO_NORM
from crosstable.history import index as indexing
from crosstable.history.adjustments import Adjustments
from crosstable.history.archive_tables import FIRST_ABROAD, NO_MEMBER
from crosstable.history.index import Index
from crosstable.history.kernel.arrays import AFTER, NO_COUNT, Records
from crosstable.history.kernel.compiling import say_cached
from crosstable.history.kernel.section import NOT_FOUND, SOUND
from crosstable.history.record_frames import IN_ROW, column_of, columns_of, lay_records
from crosstable.history.replay import BLEND, ArrayRecords, Block, Moved, OpenedRows, Recorder
from crosstable.office.bulk.due import DUE, RATED, Due, Span, Take, frame_of_postings
from crosstable.office.bulk.entry_rows import whole_sections
from crosstable.office.bulk.record import without_rows
from crosstable.office.ledger.journal import canonical
from crosstable.office.ledger.postings import PostingKey, posting_of_standing
from crosstable.office.ledger.runs import Progress
from crosstable.record_rows import changes_text, posted_name
from crosstable.replaying import OWN
from crosstable.rules.constants import Constants
from crosstable.rules.editions import EDITIONS
from crosstable.terms import NORM_CODES, FieldKind, FloorKind, Formula, PlayerRating, RatingSystem, Source

Array = Any
# So many sections are handed over at a time: while a server takes them, the next are rated.
BLOCK = 3_000
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
# What may have to be assumed of a start, in the order in which the engine says it, and every set of them as a text.
_NOTES = (Assumption.AS_OF, Assumption.NOT_ADULT, Assumption.BIRTH_YEAR, Assumption.FIDE_CARRIED)
_OF_STARTS = pl.Series(
    [
        canonical([note for bit, note in enumerate(_NOTES) if mask >> bit & 1]) if mask else None
        for mask in range(1 << len(_NOTES))
    ],
    dtype=pl.String,
)
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
        self.system = _SYSTEMS[sections["systems"][self.section], within // np.maximum(width, 1)]


class Compiled:
    """A replay of every section of a span by compiled code."""

    def __init__(self, span: Span) -> None:
        self.known, self.steps = without_rows(span.known), span.steps
        self._starts = span.starts
        archive = span.known.archive
        index = _with_places(indexing.build(archive), span.before)
        self.recorder = Recorder(index)
        self.adjustments = Adjustments(archive, index)
        self.adjustments.prepare(self.recorder)
        _begin(self.recorder, span.before)
        self.ids = archive.members["member_id"]
        self._numbers = _first_numbers(archive.entries)
        unknown = archive.members["birth_date"].is_null() & archive.members["adult"].is_null()
        self._is_ageless = unknown.to_numpy()
        self._is_born_by_year = span.known.is_born_by_year.to_numpy()
        self._changes: dict[int, str | None] = {0: None}
        self._arrays = ArrayRecords(self.recorder.standings, index.history.place_of)
        self._next_step = 0
        self._own = span.steps.frame.filter(pl.col("event_id").str.starts_with(OWN))
        self.unratable: dict[int, str] = {}

    def go(self, take: Take, progress: Progress) -> None:
        """Rate everything, and hand over what is due."""

        def hand_over(block: Block) -> None:
            take(self._due(block))

        blocks = self.recorder.blocks(BLOCK, hand_over)
        checkpoints = sorted([*self.adjustments.checkpoints(), *blocks], key=lambda checkpoint: checkpoint.place)
        self.recorder.replay(checkpoints, progress)
        self.recorder.finish(hand_over)
        say_cached()
        self._arrays = ArrayRecords(self.recorder.standings, self.recorder.index.history.place_of)

    def record(self, who: int, system: RatingSystem) -> PlayerRating | None:
        """A member's rating record in a system at the end; an id that is merged has none."""
        return self._arrays.of(who).get(system) if who < self.ids.len() else None

    def ratings(self, who: Array, system: Array) -> tuple[pl.Series, pl.Series]:
        """The ratings and games of members at the end."""
        is_member = who < self.ids.len()
        ratings, games = np.full((2, len(who)), np.nan)
        rows = self._arrays.arrays.standings[self._arrays.place_of[who[is_member], system[is_member]]]
        ratings[is_member] = rows["rating"]
        games[is_member] = np.where(np.isinf(rows["games"]) | np.isnan(rows["rating"]), np.nan, rows["games"])
        return pl.Series(ratings).fill_nan(None), pl.Series(games).fill_nan(None)

    def _due(self, block: Block) -> Due:
        """Every posting that is due from the steps of a block, in their order."""
        self._arrays = ArrayRecords(self.recorder.standings, self.recorder.index.history.place_of)
        self._note_faults(block)
        low = self._next_step
        is_last = block.last >= self.recorder.index.sections
        self._next_step = self.steps.frame.height if is_last else int(self.steps.of_section[block.last - 1]) + 1
        return Due(low, self._next_step, lambda: (self._postings(block), self._rated(block)))

    def _postings(self, block: Block) -> pl.DataFrame:
        parts = [
            self._sections(block),
            *(self._opened(one) for one in block.opened),
            self._moved(block.moved),
        ]
        return pl.concat(parts).sort("step", maintain_order=True)

    def _rated(self, block: Block) -> pl.DataFrame:
        """The sections of a block that were rated, in each of their systems."""
        table = self.recorder.index.history.sections[block.first : block.last]
        sound = np.flatnonzero(block.results.faults[block.first : block.last] == SOUND)
        masks = table["systems"][sound]
        ranks = np.array([bin(mask).count("1") for mask in range(len(_SYSTEMS))])[masks]
        rank = np.arange(int(ranks.sum())) - np.repeat(np.cumsum(ranks) - ranks, ranks)
        at = np.repeat(sound, ranks)
        headings = self.known.archive.sections[block.first : block.last]
        found = {
            "step": self.steps.of_section[block.first + at],
            "event_id": headings["event_id"].gather(at),
            "section": headings["number"].gather(at),
            "system": _SYSTEMS[masks.repeat(ranks), rank],
            "edition": pl.Series([one.name for one in EDITIONS]).gather(table["edition"][at]),
        }
        return pl.DataFrame(found, schema={"step": pl.Int64(), **RATED})

    def _note_faults(self, block: Block) -> None:
        faults = block.results.faults[block.first : block.last]
        for at in np.flatnonzero(faults != SOUND).tolist():
            if faults[at] == NOT_FOUND:
                raise ConvergenceError(f"section {block.first + at} of the record: a special rating was not found")
            self.unratable[block.first + at] = self.recorder.why_not(block.first + at)

    def _sections(self, block: Block) -> pl.DataFrame:
        history, results = self.recorder.index.history, block.results
        rows = RowPlaces(self.recorder, block.first, block.last)
        after = results.ratings[AFTER]
        member = history.competitors["member"][rows.competitor]
        kept = np.flatnonzero(~np.isnan(after) & (member < self.recorder.index.members))
        part = Records(results.records.base, *(column[kept] for column in results.records[1:]))
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
            **self._records(part),
            "number": self._numbers[competitor],
            **_working(results.working[kept]),
            "start_sources": _sources(part.starts),
            **_played(history.competitors, competitor),
            "assumed": self._assumed(part, section, competitor),
        }
        return _typed(columns)

    def _records(self, part: Records) -> dict[str, Any]:
        before, after = part.before, part.after
        return {
            **_before(before),
            **{posted_name(name): column for name, column in columns_of(after).items()},
            "lowered_floor": column_of(FieldKind.LEVEL, part.lowered["after"]),
            "match_changes": self._match_changes(after["match"]),
        }

    def _match_changes(self, pointers: Array) -> pl.Series:
        """Match changes as the table holds them, by the place of the newest."""
        for pointer in np.unique(pointers).tolist():
            if pointer not in self._changes:
                self._changes[pointer] = changes_text(self._arrays.match_changes(pointer))
        places = np.flatnonzero(pointers)
        made = pl.Series([None], dtype=pl.String).new_from_index(0, len(pointers))
        if not len(places):
            return made
        return made.scatter(places, [self._changes[pointer] for pointer in pointers[places].tolist()])

    def _assumed(self, part: Records, section: Array, competitor: Array) -> pl.Series:
        """What had to be assumed: of unrated players from what is not known of them, of others as the engine says."""
        edition = self.recorder.index.history.sections["edition"][section]
        member = self.recorder.index.history.competitors["member"][competitor]
        constants = [one.constants for one in EDITIONS]
        blends = np.array([one.initialisation == BLEND for one in constants])[edition]
        is_new = part.starts["is_new"] == 1
        uses_age = is_new & (blends | (part.starts["counted"] == 0)) & (part.starts["source"] != Source.GIVEN)
        of_starts = np.zeros(len(section), dtype=np.int64)
        applies = (
            blends & (part.starts["is_undated"] == 1),
            uses_age & self._is_ageless[member],
            uses_age & self._is_born_by_year[member],
            part.starts["is_carried"] == 1,
        )
        for bit, is_such in enumerate(applies):  # in the order of _NOTES
            of_starts |= np.where(is_new & is_such, 1 << bit, 0)
        made = _OF_STARTS.gather(of_starts)
        from_carried = self._met_carried(section, competitor)
        open_ones = np.flatnonzero(~is_new & (_leaves_open(part.before, edition) | from_carried))
        rows = part.before[list(_ASSUMED_FROM)][open_ones].tolist()
        found = zip(edition[open_ones].tolist(), rows, from_carried[open_ones].tolist(), strict=True)
        texts = [_assumptions(constants[one], row, is_carried=is_carried) for one, row, is_carried in found]
        return made.scatter(open_ones, texts) if len(texts) else made

    def _met_carried(self, section: Array, competitor: Array) -> Array:
        """Whose opponents abroad were met at a FIDE rating of a list on another scale."""
        history = self.recorder.index.history
        found = np.zeros(len(section), dtype=np.bool_)
        for at in np.flatnonzero(history.sections["kind"][section] >= FIRST_ABROAD).tolist():
            one, first = history.sections[section[at]], history.competitors["first"][competitor[at] :][:2]
            met = history.told[int(one["told"]) + history.opponents[first[0] : first[1]]]
            days = zip(met["fide"].tolist(), met["fide_as_of"].tolist(), strict=True)
            found[at] = any(carried_fide(rating, day, int(one["start"])) != rating for rating, day in days)
        return found

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
        steps = asked.join(self._own, on=list(schema), how="left", maintain_order="left")["step"].fill_null(-1)
        return frame_of_postings(self.known, postings, steps.to_list()).filter(pl.col("step") >= 0)

    def _opened(self, opened: OpenedRows) -> pl.DataFrame:
        rows, before = opened
        is_step = (rows["at"] < self._starts).to_numpy()
        rows, before = rows.filter(is_step), before[is_step]
        columns = {
            "step": self.steps.of_opening[rows["at"].to_numpy()],
            "who": rows["member"],
            "member_id": self.ids.gather(rows["member"]),
            "system": rows["system"],
            "event_id": OWN + rows["member_id"],
            "section": rows["act"],
            "ended": rows["as_of"],
            "started": pl.Series([date(1, 1, 1)]).new_from_index(0, rows.height),
            **_before(before),
            **{posted_name(name): rows[name] for name in IN_ROW},
        }
        return _typed(columns)


def _with_places(index: Index, before: pl.DataFrame) -> Index:
    """An index with a place for every record that was there before."""
    member, system = before["who"].to_numpy(), before["system"].to_numpy()
    place_of = index.history.place_of
    missing = np.flatnonzero(place_of[member, system] == 0)
    place_of[member[missing], system[missing]] = index.standings + np.arange(len(missing))
    return index._replace(standings=index.standings + len(missing))


def _begin(recorder: Recorder, before: pl.DataFrame) -> None:
    """Put the numbers of records of before into the arrays; what says more than numbers is laid over them."""
    table, place_of = recorder.standings.standings, recorder.index.history.place_of
    members, systems = before["who"].to_numpy(), before["system"].to_numpy()
    at = place_of[members, systems]
    np.bitwise_or.at(recorder.standings.rated, members, np.uint8(1) << systems)
    lay_records(table, at, before, {name: posted_name(name) for name in IN_ROW})


def _before(records: Array) -> dict[str, pl.Series]:
    """The rating and games before; games of an unrated player are those of no rating."""
    games = np.where(np.isnan(records["rating"]), np.inf, records["games"])
    return {
        "rating_before": _known(records["rating"]),
        "games_before": column_of(FieldKind.GAMES, games),
    }


def _first_numbers(entries: pl.DataFrame) -> Array:
    """The pairing number of every competitor's first row, competitors in the order of the index."""
    made = [np.zeros(0, dtype=np.int32)]
    for first, last in whole_sections(entries["section"].to_numpy()):
        part = entries[first:last]
        is_first = part.select(pl.struct("section", "member").is_first_distinct() | (pl.col("member") == NO_MEMBER))
        made.append(part["number"].filter(is_first.to_series()).to_numpy())
    return np.concatenate(made)


def _typed(columns: Mapping[str, Any]) -> pl.DataFrame:
    """Columns with the types of the table; those that are not given are empty."""
    given = pl.DataFrame(dict(columns))
    return given.select(
        pl.col(name).cast(dtype) if name in given.columns else pl.lit(None, dtype=dtype).alias(name)
        for name, dtype in DUE.items()
    )


def _known(values: Array) -> pl.Series:
    return column_of(FieldKind.RATING, values)


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
    """Where something about a record may have to be assumed; ``assumptions`` decides."""
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


def _assumptions(constants: Constants, row: tuple[Any, ...], *, is_carried: bool) -> str | None:
    found = [*assumptions(constants, _record(row)), *([Assumption.FIDE_CARRIED] if is_carried else [])]
    return canonical(list(found)) if found else None


def _record(row: tuple[Any, ...]) -> PlayerRating:
    """The numbers of a rating record, without match changes and floors."""
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
