"""Sweeps: what a rule set costs among a hundred, against a replay by one, on the same history and cores.

Replays and sweeps run in turn, each in a process of its own, and the best of each counts. A sweep is timed whole, from
opening the archive to the judgement, and divided by its rule sets. ``--small`` takes a history of a tenth.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any, NamedTuple

from benchmarks.replays import Run, _best, _made, _peak_gigabytes, child
from crosstable.history.running import warm_up
from crosstable.lab import SweepOptions, Where, sweep

ROUNDS = 3
SIZE, SMALL = (200_000, 100_000), (20_000, 10_000)
RULE_SETS, FEW = 100, 20
RATIO, GIGABYTES = 0.75, 3.0
# What is swept: values of constants that move nearly every rating.
THRESHOLDS, NUMERATORS = 10, 10


class Swept(NamedTuple):
    """One sweep: its rule sets, seconds and memory."""

    rule_sets: int
    seconds: float
    peak_gigabytes: float

    @property
    def each(self) -> float:
        """Seconds a rule set."""
        return self.seconds / self.rule_sets


def sweep_of_a_hundred() -> str:
    """The table of ratios."""
    is_small = "--small" in sys.argv
    count = FEW if is_small else RULE_SETS
    with tempfile.TemporaryDirectory() as folder:
        archive = _made(folder, *(SMALL if is_small else SIZE))
        child(archive, folder)
        _swept(archive, 2, "--judge-all")  # compiles, and keeps the index
        replays: list[Run] = []
        whole: list[Swept] = []
        chosen: list[Swept] = []
        for _ in range(ROUNDS):
            replays.append(child(archive, folder))
            whole.append(_swept(archive, count, "--judge-all"))
            chosen.append(_swept(archive, count))
    return _table(_best(replays), min(whole, key=lambda one: one.seconds), min(chosen, key=lambda one: one.seconds))


def _swept(archive: str, count: int, *options: str) -> Swept:
    command = [sys.executable, "-m", "benchmarks.sweep", archive, str(count), *options]
    return Swept(**json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def _table(replay: Run, whole: Swept, chosen: Swept) -> str:
    cores = len(os.sched_getaffinity(0))
    lines = [
        f"Sweep of {whole.rule_sets} rule sets over {replay.games / 1e6:.1f} M games on {cores} cores, "
        f"best of {ROUNDS}:",
        f"  one replay on {cores} threads: rating alone {replay.kernel:.3f} s, files to files {replay.pipeline:.3f} s",
    ]
    for said, one in (("every rule set through both spans", whole), ("only the best through the later", chosen)):
        lines.append(
            f"  {said}: {one.seconds:.1f} s, {one.each:.3f} s a rule set; against rating alone "
            f"{one.each / replay.kernel:.2f}, against the whole replay {one.each / replay.pipeline:.2f}   limit {RATIO}"
        )
    peak = max(whole.peak_gigabytes, chosen.peak_gigabytes)
    lines.append(f"  peak memory {peak:.2f} GB   limit {GIGABYTES:g} GB")
    return "\n".join(lines) + "\n"


def _plan(count: int) -> dict[str, Any]:
    """So many rule sets of a grid."""
    thresholds = [6 + at for at in range(THRESHOLDS)]
    numerators = [600 + 40 * at for at in range(-(-count // THRESHOLDS))]
    return {"grid": {"bonus_threshold": thresholds[: min(count, THRESHOLDS)], "k_numerator": numerators}}


def main() -> None:
    """Sweep one archive and print what it took, as JSON."""
    archive, count = sys.argv[1], int(sys.argv[2])
    warm_up()
    began = time.perf_counter()
    found = sweep(archive, _plan(count), options=SweepOptions(judges_all="--judge-all" in sys.argv), where=Where())
    seconds = time.perf_counter() - began
    print(json.dumps(Swept(len(found.tried), seconds, _peak_gigabytes())._asdict()))


if __name__ == "__main__":
    main()
