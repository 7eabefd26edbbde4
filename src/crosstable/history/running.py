"""``history replay``: an archive in, ratings out, stage by stage with the time of each.

``warm_up`` compiles everything on a history of one game, so that whoever waits can be told what for.
"""

import gc
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date
from typing import NamedTuple

from crosstable.errors import HistoryError
from crosstable.history import index as indexing
from crosstable.history.adjustments import Adjustments
from crosstable.history.archive import Archive, empty_table, opened, read_for_replay, table_of
from crosstable.history.archive_checks import content_faults
from crosstable.history.index import Index, build
from crosstable.history.kernel.compiling import is_cached, say_cached
from crosstable.history.replay import Checkpoint, Progress, Replayer, in_silence
from crosstable.history.results import (
    HEADING,
    RATINGS,
    STANDINGS,
    Snapshot,
    SnapshotWriter,
    changed_frame,
    checked_snapshot,
    load_snapshots,
    owners_in,
    ratings_frame,
    records_frame,
    snapshots_of,
    write_heading,
    write_table,
)
from crosstable.rules.editions import EDITIONS
from crosstable.rules.rule_sets import OFFICIAL, RuleSet, document_of


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
