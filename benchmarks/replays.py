"""Whole histories: our replay against our plain engine and other libraries, and how the cost grows with the size.

Everything that is compared is run in turn, round after round, and the best of each counts: what else the machine does
then hits all of them alike. Each replay has a process of its own, so that its memory can be told; the compiled code is
made before the first round.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from crosstable.history.adjustments import Adjustments
from crosstable.history.archive import Archive, opened, read, read_for_replay, write
from crosstable.history.index import Index, build
from crosstable.history.replay import Replayer
from crosstable.history.running import ReplayOptions, replay_archive
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from tests.history.interpreted import interpreted_replay

ROUNDS = 5
# Federations of about 2, 4 and 20 million games: members, sections, and regions of about 20,000 members on average, so
# that they are of one kind. In smaller regions people play less and more of them are new. And a small one for the plain
# engine.
SIZES = ((100_000, 50_000, 5), (200_000, 100_000, 9), (1_000_000, 500_000, 44))
# How often each is rated where sizes are compared, so that all of them rate about as many games and meet as much of
# whatever else the machine does; the mean of all counts.
TIMES = (10, 5, 1)
SMALL = (1_000, 400)
PEERS = Path(".venv-peers", "bin", "python")
LARGE_ENOUGH = 0.8  # games per second of the slowest size, as a share of the quickest
TIMES_PLAIN, TIMES_RIIX, PIPELINE, GIGABYTES = 60.0, 10.0, 3.0, 3.0


class Run(NamedTuple):
    """One replay, Parquet in to Parquet out: its stages in seconds, its memory, and how much there was to rate."""

    games: int
    game_systems: int
    rows: int
    stages: dict[str, float]
    peak_gigabytes: float

    @property
    def kernel(self) -> float:
        """Seconds of rating alone."""
        return self.stages["rate"]

    @property
    def pipeline(self) -> float:
        """Seconds from files to files."""
        return sum(self.stages.values())


def replays() -> str:
    """The tables of ratios."""
    with tempfile.TemporaryDirectory() as folder:
        archives = [_made(folder, *size) for size in SIZES]
        small = read(_made(folder, *SMALL))
        child(archives[0], folder)  # compiles
        runs: list[list[Run]] = [[] for _ in archives]
        plain: list[float] = []
        riix: list[float] = []
        others: dict[str, float] = {}
        alone: list[list[Run]] = [[] for _ in archives]
        for turn in range(ROUNDS):
            for archive, done, on_one in zip(archives, runs, alone, strict=True):
                done.append(child(archive, folder))
                on_one.append(child(archive, folder, "--alone"))
            plain.append(_plain_speed(small))
            found = _peers(archives[-1], everybody=turn == 0)
            others |= found
            riix += [speed for name, speed in found.items() if name == RIIX]
        snapshots = child(archives[-1], folder, "--snapshots")
        speeds = [_speeds(archives, threads) for threads in (None, 1)]
    others |= {RIIX: max(riix)} if riix else {}
    return _tables(
        [_best(done) for done in runs], [_best(done) for done in alone], max(plain), others, snapshots, speeds
    )


RIIX = "riix Elo, batched by section"


def _made(folder: str, members: int, sections: int, regions: int = 0) -> str:
    path = os.path.join(folder, f"{members}-members")
    write(simulate(Federation(members=members, sections=sections, regions=regions, seed=1)), path)
    return path


def child(archive: str, folder: str, *options: str) -> Run:
    """One replay in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.replays", archive, os.path.join(folder, "out"), *options]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return Run(**found)


def game_systems(archive: Archive) -> int:
    """Games, each counted once per system it is rated in."""
    per_section = archive.sections["systems"].bitwise_count_ones()
    return int(per_section[archive.games["section"]].cast(int).sum())


def _plain_speed(archive: Archive) -> float:
    """Game-systems per second of the plain engine."""
    began = time.perf_counter()
    interpreted_replay(archive)
    return game_systems(archive) / (time.perf_counter() - began)


def _peers(archive: str, *, everybody: bool) -> dict[str, float]:
    if not PEERS.exists():
        return {}
    command = [str(PEERS), str(Path("benchmarks", "peers.py")), archive, *([] if everybody else [RIIX])]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def _best(runs: list[Run]) -> Run:
    """The best of each stage and of the memory."""
    stages = {name: min(run.stages[name] for run in runs) for name in runs[0].stages}
    return runs[0]._replace(stages=stages, peak_gigabytes=min(run.peak_gigabytes for run in runs))


def _speeds(archives: list[str], threads: int | None) -> list[float]:
    """Games per second of every size, in a process that replays them in turn: the mean of as many games of each."""
    code = f"from benchmarks.replays import print_speeds; print_speeds({archives!r}, {threads!r})"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    speeds: list[float] = json.loads(found.stdout)
    return speeds


def print_speeds(folders: list[str], threads: int | None) -> None:
    """Replay every size in turn, again and again, and print the games per second of each."""
    archives = [read_for_replay(opened(folder)) for folder in folders]
    indexes = [build(archive) for archive in archives]
    seconds = [0.0] * len(archives)
    for _ in range(ROUNDS):
        for at, times in enumerate(TIMES):
            seconds[at] += sum(_walked(archives[at], indexes[at], threads) for _ in range(times))
    rated = [ROUNDS * times * archive.games.height for times, archive in zip(TIMES, archives, strict=True)]
    print(json.dumps([games / spent for games, spent in zip(rated, seconds, strict=True)]))


def _walked(archive: Archive, index: Index, threads: int | None) -> float:
    replayer, adjustments = Replayer(index, threads), Adjustments(archive, index)
    checkpoints = adjustments.checkpoints()
    adjustments.prepare(replayer)
    began = time.perf_counter()
    replayer.replay(checkpoints)
    return time.perf_counter() - began


def _tables(
    best: list[Run],
    alone: list[Run],
    plain: float,
    others: dict[str, float],
    snapshots: Run,
    speeds: list[list[float]],
) -> str:
    large = best[-1]
    riix = others.get(RIIX, 0.0)
    speed, each = large.games / large.kernel, large.game_systems / large.kernel
    lines = [f"Replay of whole histories, six systems, on {len(os.sched_getaffinity(0))} cores, best of {ROUNDS}:"]
    lines += [
        f"  {run.games / 1e6:5.1f} M games  {run.game_systems / 1e6:5.1f} M game-systems  kernel {run.kernel:6.2f} s  "
        f"{run.games / run.kernel / 1e6:6.2f} M games/s  pipeline {run.pipeline:6.2f} s "
        f"({run.pipeline / run.kernel:.2f} kernels)  peak {run.peak_gigabytes:.2f} GB"
        for run in best
    ]
    own = alone[-1].kernel
    lines += [
        f"  the same sizes walked in turn, as many games of each: {_spread(speeds[0])}   limit {LARGE_ENOUGH}; "
        f"on one thread {_spread(speeds[1])}",
        f"  pipeline against kernel, largest: {large.pipeline / large.kernel:.2f}   limit {PIPELINE}; "
        f"against the kernel on one thread ({own:.2f} s) {large.pipeline / own:.2f}",
        f"  peak memory, largest: {large.peak_gigabytes:.2f} GB   limit {GIGABYTES:g} GB",
        "  stages, largest: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in large.stages.items()),
        f"  with a snapshot of every year: {snapshots.pipeline:.2f} s",
        f"  plain engine {plain / 1e6:.3f} M game-systems/s; replay {each / 1e6:.2f} M: "
        f"{each / plain:.0f} times   limit {TIMES_PLAIN:g}",
    ]
    if riix:
        lines.append(f"  {RIIX}: {riix / 1e6:.2f} M games/s; replay {speed / riix:.1f} times   limit {TIMES_RIIX:g}")
    lines += [
        f"  {name}: {found / 1e6:.3f} M games/s; replay {speed / found:,.0f} times"
        for name, found in others.items()
        if name != RIIX
    ]
    return "\n".join(lines) + "\n"


def _spread(speeds: list[float]) -> str:
    """Games per second of every size, and those of the slowest as a share of the quickest."""
    each = ", ".join(f"{speed / 1e6:.1f}" for speed in speeds)
    return f"{each} M games/s, the slowest {min(speeds) / max(speeds):.2f} of the quickest"


def _peak_gigabytes() -> float:
    """The most memory that this process ever held; what its parent held before it does not count."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e9


def main() -> None:
    """Replay one archive and print what it took, as JSON."""
    folder, out = sys.argv[1:3]
    threads = 1 if "--alone" in sys.argv else None
    options = ReplayOptions(threads=threads, keeps_index=False, keeps_snapshots="--snapshots" in sys.argv)
    done = replay_archive(folder, out, options)
    peak = _peak_gigabytes()
    run: dict[str, Any] = {
        "games": done.games,
        "game_systems": game_systems(read(folder)),
        "rows": done.rows,
        "stages": done.stages,
        "peak_gigabytes": peak,
    }
    print(json.dumps(run))


if __name__ == "__main__":
    main()
