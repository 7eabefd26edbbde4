"""``history replay``: an archive in, ratings out, stage by stage with the time of each.

``warm_up`` compiles everything on a history of one game, so that whoever waits can be told what for.

It leaves a rating after every section, the rating records at the end, and a snapshot of every year. A snapshot holds
what changed in its year, so that all of them together are little more than the results, and the rating records at the
end of a year are those of its snapshot over those before it.
"""

import gc
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from crosstable import __version__
from crosstable.errors import HistoryError
from crosstable.history import index as indexing
from crosstable.history.adjustments import Adjustments
from crosstable.history.archive import Archive, empty_table, opened, read_for_replay, table_of
from crosstable.history.archive_checks import content_faults
from crosstable.history.index import Index, build, layout
from crosstable.history.kernel.arrays import RECORD, SYSTEMS, Array, fresh
from crosstable.history.kernel.compiling import is_cached, say_cached
from crosstable.history.kernel.replaying import (
    RecordColumns,
    changed_records,
    lay_columns,
    rated_records,
    rated_rows,
    record_owners,
)
from crosstable.history.replay import CLOSING, Checkpoint, Progress, Replayer, in_silence
from crosstable.rules.editions import EDITIONS
from crosstable.rules.rule_sets import OFFICIAL, RuleSet, document_of

FORMAT = "crosstable-replay/1"
HEADING = "replay.json"
RATINGS, STANDINGS = "ratings.parquet", "standings.parquet"
_COLUMNS = ("before", "after", "games_after")
_EPOCH = date(1970, 1, 1).toordinal()


class Snapshot(NamedTuple):
    """The end of a year: the first section after it, and a hash of everything before that."""

    year: int
    before: int
    prefix: str


def ratings_frame(replayer: Replayer, first: int = 0) -> pl.DataFrame:
    """A row per section, member and system: the rating before and after, the games after.

    The replayer's ratings become the columns, and it has none any more.
    """
    index, found = replayer.index, replayer.results.ratings
    if found.shape[1] != index.rows:
        raise ValueError("the ratings of this replay were already taken")
    replayer.results = replayer.results._replace(ratings=found[:, :0])
    parts = [
        pl.DataFrame({**about._asdict(), **dict(zip(_COLUMNS, ratings, strict=True))})
        for about, ratings in rated_rows(index.history, found, index.members, first)
    ]
    return pl.concat(parts, rechunk=False).with_columns(pl.col("before").fill_nan(None))


def records_frame(replayer: Replayer) -> pl.DataFrame:
    """The rating records of members who are rated, by member and system."""
    owners, places = rated_records(
        replayer.standings.standings, replayer.index.history.place_of, replayer.index.members
    )
    return _frame_of(replayer, owners, places)


def owners_in(replayer: Replayer) -> Array:
    """Whose each rating record of a replay is."""
    index = replayer.index
    owners: Array = record_owners(index.history.place_of, index.members, index.standings)
    return owners


def changed_frame(replayer: Replayer, owners: Array, since: int) -> pl.DataFrame:
    """The rating records of members that changed on a day or later, in the order of their places."""
    places = changed_records(replayer.standings.standings, owners, since)
    return _frame_of(replayer, owners[places], places)


def _frame_of(replayer: Replayer, owners: Array, places: Array) -> pl.DataFrame:
    """Rating records at some places, with whose each is."""
    columns: dict[str, Array] = {
        "member": (owners // SYSTEMS).astype(np.uint32),
        "system": (owners % SYSTEMS).astype(np.uint8),
    }
    kinds = {kind: [name for name in RECORD.names or () if RECORD[name] == kind] for kind in ("f8", "i4")}
    laid = RecordColumns(*(fresh((len(names), len(places)), kind) for kind, names in kinds.items()))
    table = replayer.standings.standings
    floats, whole = (table.view(kind).reshape(len(table), -1) for kind in kinds)  # floats come first in a record
    reals, counts = (len(names) for names in kinds.values())
    lay_columns(RecordColumns(floats[:, :reals], whole[:, 2 * reals : 2 * reals + counts]), places, laid)
    columns |= {
        name: column
        for names, part in zip(kinds.values(), laid, strict=True)
        for name, column in zip(names, part, strict=True)
    }
    columns["lowered_floor"] = replayer.standings.decided["lowered_floor"][columns.pop("decided")]
    frame = pl.DataFrame(columns)
    return frame.with_columns((pl.col("as_of") - _EPOCH).cast(pl.Date))


def write_table(frame: pl.DataFrame, path: str) -> None:
    """Write results; ratings hardly shrink by trying harder than this."""
    frame.write_parquet(path, compression="lz4", statistics=False)


def _prefixes(index: Index, archive: Archive, years: list[int], ends: list[int]) -> Iterator[str]:
    """A hash of everything that the rating records at the end of each year rest on, each built on the one before."""
    digest = hashlib.blake2b(layout().encode(), digest_size=16)
    at, day = 0, date(1, 1, 1)
    for year, end in zip(years, ends, strict=True):
        for part in _part_of(index, at, end):
            digest.update(np.ascontiguousarray(part).tobytes())
        last = date(year, 12, 31)
        for frame, column in (("outside", "as_of"), ("openings", "as_of"), ("decisions", "effective")):
            then = pl.col(column).is_between(day, last)
            digest.update(archive.tables[frame].filter(then).write_csv().encode())
        at, day = end, date(year + 1, 1, 1)
        yield digest.hexdigest()


def _part_of(index: Index, first: int, last: int) -> Iterator[Array]:
    """The sections of a year, who played in them and what is known of those, and the sides of their games."""
    history = index.history
    low, high = int(history.sections[first]["first"]), int(history.sections[last]["first"])
    yield history.sections[first:last]
    competitors = history.competitors[low:high]
    yield competitors
    for name in ("born", "is_adult", "is_canadian"):
        yield history.people[name][competitors["member"]]
    begins = history.sections["told"]
    own, later = (some[some > 0] for some in (begins[first:last], begins[last:]))
    if len(own):
        yield history.told[own[0] : later[0] if len(later) else len(history.told)]
    yield history.opponents[int(history.competitors[low]["first"]) : int(history.competitors[high]["first"])]


def snapshots_of(index: Index, archive: Archive) -> list[Snapshot]:
    """The end of every year in which a section ended, but for the last."""
    ends = index.history.sections["end"][:-1]
    if not len(ends):
        return []
    first, last = date.fromordinal(int(ends[0])).year, date.fromordinal(int(ends[-1])).year
    years = list(range(first, last))
    places = [int(np.searchsorted(ends, date(year + 1, 1, 1).toordinal())) for year in years]
    return [Snapshot(*one) for one in zip(years, places, _prefixes(index, archive, years, places), strict=True)]


class SnapshotWriter:
    """Writes a snapshot at the end of every year of a replay."""

    def __init__(self, folder: str, snapshots: list[Snapshot], first_year: int) -> None:
        self.folder = os.path.join(folder, "snapshots")
        self.snapshots = snapshots
        self.first_year = first_year  # its snapshot also holds what was brought from before
        self._owners: Array | None = None
        self.seconds = 0.0
        os.makedirs(self.folder, exist_ok=True)

    def checkpoints(self) -> list[Checkpoint]:
        """A checkpoint at the end of every year."""
        return [
            Checkpoint(one.before, date(one.year + 1, 1, 1).toordinal(), CLOSING, partial(self.write, snapshot=one))
            for one in self.snapshots
        ]

    def write(self, replayer: Replayer, snapshot: Snapshot) -> None:
        """What changed in a year, and the match changes so far."""
        began = time.perf_counter()
        is_first = snapshot.year == self.first_year
        since = 0 if is_first else date(snapshot.year, 1, 1).toordinal()
        if self._owners is None:
            self._owners = owners_in(replayer)
        frame = changed_frame(replayer, self._owners, since)
        write_table(frame, os.path.join(self.folder, f"{snapshot.year}.parquet"))
        changes = replayer.standings.match_changes
        used = np.flatnonzero(changes["day"] >= since)
        frame = pl.DataFrame({"place": used, **{name: changes[name][used] for name in ("day", "earlier", "change")}})
        frame.write_parquet(os.path.join(self.folder, f"{snapshot.year}-matches.parquet"))
        self.seconds += time.perf_counter() - began


def load_snapshots(replayer: Replayer, folder: str, year: int) -> None:
    """Put the rating records at the end of a year into a replayer."""
    table, decided = replayer.standings.standings, replayer.standings.decided
    for name in sorted(os.listdir(os.path.join(folder, "snapshots"))):
        if name.endswith("-matches.parquet") or int(name.removesuffix(".parquet")) > year:
            continue
        frame = pl.read_parquet(os.path.join(folder, "snapshots", name))
        members, systems = frame["member"].to_numpy(), frame["system"].to_numpy()
        at = replayer.index.history.place_of[members, systems]
        np.bitwise_or.at(replayer.standings.rated, members, np.uint8(1) << systems)
        for column in RECORD.names or ():
            if column == "as_of":
                table["as_of"][at] = frame["as_of"].cast(pl.Int32).to_numpy() + _EPOCH
            elif column != "decided":
                table[column][at] = frame[column].to_numpy()
        places = table["decided"][at]
        decided["lowered_floor"][places[places > 0]] = frame["lowered_floor"].to_numpy()[places > 0]
        matches = pl.read_parquet(os.path.join(folder, "snapshots", name.replace(".parquet", "-matches.parquet")))
        for column in ("day", "earlier", "change"):
            replayer.standings.match_changes[column][matches["place"].to_numpy()] = matches[column].to_numpy()


def write_heading(folder: str, snapshots: list[Snapshot], about: dict[str, Any]) -> None:
    """Say what the folder holds; written last, so that a replay that was stopped is never taken for a whole one."""
    heading = {
        "format": FORMAT,
        "engine": __version__,
        "layout": layout(),
        "snapshots": [one._asdict() for one in snapshots],
        **about,
    }
    partial = os.path.join(folder, f"{HEADING}.partial")
    with open(partial, "w", encoding="utf-8") as file:
        json.dump(heading, file, indent=1)
    os.replace(partial, os.path.join(folder, HEADING))


def checked_snapshot(folder: str, present: list[Snapshot], year: int, rules: str) -> Snapshot:
    """The snapshot of a year, if it was made of the same history by the same program and rules."""
    try:
        with open(os.path.join(folder, HEADING), encoding="utf-8") as file:
            heading = json.load(file)
    except FileNotFoundError:
        raise HistoryError(f"{folder} holds no finished replay to start from") from None
    if heading["format"] != FORMAT or heading["engine"] != __version__ or heading["layout"] != layout():
        raise HistoryError(f"the replay in {folder} was made by another version of this program; replay from the start")
    if heading["rules"] != rules:
        raise HistoryError(f"the replay in {folder} was made under other rules ({heading['rules']})")
    said = {one["year"]: Snapshot(**one) for one in heading["snapshots"]}
    now = {one.year: one for one in present}
    if year not in said or year not in now:
        raise HistoryError(f"there is no snapshot of {year}; there are {', '.join(map(str, sorted(said)))}")
    if said[year] != now[year]:
        raise HistoryError(
            f"the archive differs from the replayed one before the end of {year}; start from an earlier year"
        )
    return now[year]


__all__ = ["RATINGS", "STANDINGS", "SYSTEMS", "SnapshotWriter", "checked_snapshot", "ratings_frame", "records_frame"]


def smallest_archive() -> Archive:
    """Two members who played a game in each of two sections."""
    day = EDITIONS[-1].effective
    members = table_of(
        "members",
        {
            "member_id": ["1", "2"],
            "name": ["One", "Two"],
            "birth_date": [date(1990, 1, 1), None],
            **{name: ["", ""] for name in ("state", "fide_id", "cfc_id", "fide_flag")},
            "canadian_resident": [False, False],
        },
    )
    sections = table_of(
        "sections",
        {
            "event_id": ["1", "1"],
            "number": [1, 2],
            **{name: ["", ""] for name in ("event_name", "name", "time_control", "match_waiver")},
            "start": [day, day],
            "end": [day, day],
            "kind": [0, 0],
            "systems": [1, 1],
            "asked_systems": [1, 1],
            **{name: [False, False] for name in ("is_online", "is_dual_control", "is_half_k")},
        },
    )
    entries = table_of("entries", {"section": [0, 0, 1, 1], "number": [1, 2, 1, 2], "member": [0, 1, 0, 1]})
    game = {"round": 1, "first": 0, "second": 1, "result": 2, "colour": 0}
    games = table_of("games", {"section": [0, 1], **{name: [value, value] for name, value in game.items()}})
    outside, openings, decisions = (empty_table(name) for name in ("outside", "openings", "decisions"))
    return Archive(members, outside, openings, decisions, sections, entries, games)


def warm_up() -> None:
    """Compile the checks, the index, the replay and what writes results; from then on they are kept on disk."""
    archive = smallest_archive()
    content_faults(archive.tables)
    replayer = Replayer(build(archive), 1)
    replayer.replay()
    records_frame(replayer)
    changed_frame(replayer, owners_in(replayer), 0)
    ratings_frame(replayer)
    say_cached()


class ReplayOptions(NamedTuple):
    """How a replay is wanted."""

    threads: int | None = None
    keeps_index: bool = True
    keeps_snapshots: bool = True
    from_year: int | None = None
    rules: RuleSet = OFFICIAL


NO_OPTIONS = ReplayOptions()


class Replayed(NamedTuple):
    """What a replay did, and how long each stage took in seconds."""

    sections: int
    games: int
    rows: int
    unratable: int
    stages: dict[str, float]
    rules: str


class Stages:
    """A clock for stages."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Time a stage."""
        began = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began


@contextmanager
def without_collecting() -> Iterator[None]:
    """Let the collector of circular objects rest: a replay makes none, and looking through all it holds takes long."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@without_collecting()
def replay_archive(
    folder: str,
    out: str,
    options: ReplayOptions = NO_OPTIONS,
    progress: Progress = in_silence,
    starting: Callable[[int], None] = in_silence,
) -> Replayed:
    """Replay an archive and write what it gives; ``starting`` is told how many sections there are."""
    stages = Stages()
    with stages.timed("read"), ThreadPoolExecutor(1) as beside:
        if not is_cached():
            opened(folder)  # so that nobody waits for the compiler in vain
        loading = beside.submit(warm_up)  # compiled code is read, too
        found = opened(folder)
        archive = read_for_replay(found)
        loading.result()
    with stages.timed("index"):
        index = index_of(archive, folder, found.digest if options.keeps_index else None)
    starting(index.sections)
    rules = options.rules.title
    with stages.timed("prepare"), ThreadPoolExecutor(1) as beside:
        making = beside.submit(Replayer, index, options.threads, rules=options.rules)  # much memory, written for once
        adjustments = Adjustments(archive, index)
        checkpoints = adjustments.checkpoints()
        replayer = making.result()
        adjustments.prepare(replayer)
        plan = _plan(replayer, archive, out, options, checkpoints)
    with stages.timed("rate"):
        replayer.replay(plan.checkpoints, progress, plan.first)
    if plan.writer is not None:
        stages.seconds["snapshots"] = plan.writer.seconds
        stages.seconds["rate"] -= plan.writer.seconds
    first = plan.first
    with stages.timed("write"), ThreadPoolExecutor(1) as beside:
        standing = beside.submit(lambda: write_table(records_frame(replayer), os.path.join(out, STANDINGS)))
        frame = ratings_frame(replayer, first)
        write_table(frame, os.path.join(out, RATINGS))
        standing.result()
    write_heading(
        out,
        plan.snapshots,
        {
            "rules": rules,
            "rule_set": document_of(options.rules),
            "sections": index.sections,
            "first": plan.first,
        },
    )
    unratable = int((replayer.results.faults != 0).sum())
    return Replayed(index.sections - first, archive.games.height, frame.height, unratable, stages.seconds, rules)


class Plan(NamedTuple):
    """Where a replay begins, its checkpoints, the snapshots of its years and who writes them."""

    first: int
    checkpoints: list[Checkpoint]
    snapshots: list[Snapshot]
    writer: SnapshotWriter | None


def _plan(
    replayer: Replayer, archive: Archive, out: str, options: ReplayOptions, checkpoints: list[Checkpoint]
) -> Plan:
    """Everything from the beginning, or what comes after a snapshot."""
    os.makedirs(out, exist_ok=True)
    first = 0
    snapshots = (
        snapshots_of(replayer.index, archive) if options.keeps_snapshots or options.from_year is not None else []
    )
    if options.from_year is not None:
        start = checked_snapshot(out, snapshots, options.from_year, options.rules.title)
        load_snapshots(replayer, out, start.year)
        first = start.before
        last = first, date(start.year, 12, 31).toordinal()
        checkpoints = [one for one in checkpoints if (one.before, one.day) > last]
    heading = os.path.join(out, HEADING)
    if os.path.exists(heading):
        os.remove(heading)
    writer = None
    if options.keeps_snapshots:
        wanted = [one for one in snapshots if one.before > first or first == 0]
        writer = SnapshotWriter(out, wanted, snapshots[0].year if snapshots else 0)
        checkpoints = sorted([*checkpoints, *writer.checkpoints()], key=lambda checkpoint: checkpoint.place)
    return Plan(first, checkpoints, snapshots, writer)


def index_of(archive: Archive, folder: str, content: str | None) -> Index:
    """The index of an archive: the one that was kept for its content, or a new one; without content none is kept."""
    if content is None:
        return indexing.build(archive)
    found = indexing.saved(folder, content)
    if found is None:
        found = indexing.build(archive)
        try:
            indexing.save(found, folder, content)
        except OSError as error:
            raise HistoryError(f"the index cannot be kept in {folder}: {error.strerror}; use --no-index") from error
    return found
