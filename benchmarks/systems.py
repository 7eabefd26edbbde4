"""Rating systems of one's own: how quick a new one is, four of them tuned, and the memory of a back-test.

The system that is timed is the one of docs/lab.md, as it stands there. Tuning is timed whole, from opening the archive
to the judgement. ``--small`` takes a history of a twentieth, ``--whole`` measures memory on one of 20 million games.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.replays import _made, _peak_gigabytes
from crosstable.history.running import warm_up
from crosstable.lab import Draws, backtest, other_system, sweep
from crosstable.lab.backtesting import opened_history
from crosstable.lab.predictions import games_of, rated_by
from crosstable.lab.systems import course_of, expected_by
from crosstable.rules.rule_sets import OFFICIAL

SIZE, SMALL, WHOLE = (200_000, 100_000, 9), (10_000, 5_000, 1), (1_000_000, 500_000, 44)
ROUNDS = 3
LINES, SPEED, MINUTES, GIGABYTES = 30, 1e6, 10.0, 6.0
# Four systems and what is tried of each: twelve trials.
TUNED = {
    "elo:same_starts=1": {"k": [8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80]},
    "glicko:same_starts=1": {"c": [10, 20, 30, 40], "initial_rd": [200, 275, 350]},
    "glicko2:same_starts=1": {"tau": [0.3, 0.6], "initial_sigma": [0.03, 0.06], "initial_rd": [200, 275, 350]},
    "standard:same_starts=1": {"k_numerator": [600, 800, 1000], "bonus_threshold": [8, 10, 12, 14]},
}


def own_system() -> str:
    """The system of docs/lab.md."""
    found = re.search(r"```python\n(import numba\n.*?)```", Path("docs", "lab.md").read_text(encoding="utf-8"), re.S)
    assert found is not None, "docs/lab.md shows a system"
    return found[1]


def systems() -> str:
    """The table of figures."""
    size = SMALL if "--small" in sys.argv else SIZE
    with tempfile.TemporaryDirectory() as folder:
        archive = _made(folder, *size)
        lines = [*_told(_child("speed", archive)), *_told(_child("tuned", archive))]
        lines += _told(_child("memory", _made(folder, *WHOLE) if "--whole" in sys.argv else archive))
    return "\n".join(["Rating systems of one's own, and the memory of back-tests:", *lines]) + "\n"


def _child(what: str, archive: str) -> list[str]:
    """One figure in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.systems", what, archive]
    found: list[str] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def _told(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def speed(archive: str) -> list[str]:
    """How many games a second a new system predicts and learns from."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mine.py")
        path.write_text(own_system(), encoding="utf-8")
        system = other_system(str(path))
        history = opened_history(archive, (None, None))
        brought = rated_by(history.archive, history.indexed, OFFICIAL, 1)
        games = games_of(history.archive, history.indexed, (None, None))
        games = games.where(brought.is_rated[games.one] & brought.is_rated[games.other])
        course = course_of(history.indexed, history.people, brought.prior)
        expected_by(system, games.where(slice(1000)), course)  # compiles
        seconds = []
        for _ in range(ROUNDS):
            began = time.process_time()
            expected_by(system, games, course)
            seconds.append(time.process_time() - began)
    code = [line for line in own_system().splitlines() if line.strip()]
    rate = len(games.one) / min(seconds)
    return [
        f"a new system of {len(code)} lines (limit {LINES}): {rate / 1e6:.1f} M games/s on one core, "
        f"{len(games.one) / 1e6:.1f} M games   limit {SPEED / 1e6:g}"
    ]


def tuned(archive: str) -> list[str]:
    """How long four systems take to be tuned."""
    warm_up()
    lines, whole = [], 0.0
    for name, grid in TUNED.items():
        began, spent = time.perf_counter(), time.process_time()
        found = sweep(archive, {"system": name, "grid": grid})
        seconds, spent = time.perf_counter() - began, time.process_time() - spent
        whole += seconds
        best = found.judgement.best.varied.rules.name
        lines.append(f"{found.plan.tried}: {seconds:.0f} s, {spent:.0f} s of processors; best {best}")
    peak = f"peak memory {_peak_gigabytes():.2f} GB"
    return [*lines, f"all four tuned and judged in {whole / 60.0:.1f} min   limit {MINUTES:g}; {peak}"]


def memory(archive: str) -> list[str]:
    """How much room a back-test of two rule sets takes, with 500 draws on two threads."""
    warm_up()
    began = time.process_time()
    found = backtest(archive, against="official", draws=Draws(threads=2))
    played = opened_history(archive, (None, None)).archive.games.height
    spent, peak = time.process_time() - began, _peak_gigabytes()
    each = f"{peak * 1e9 / played:.0f} bytes a game"
    return [
        f"back-test of two rule sets, {played / 1e6:.1f} M games, {found.games / 1e6:.1f} M predictions: peak memory "
        f"{peak:.2f} GB, {each}, {spent:.0f} s of processors   limit {GIGABYTES:g} GB at 20 M games"
    ]


def main() -> None:
    """Measure one thing and print its lines as JSON."""
    what = {"speed": speed, "tuned": tuned, "memory": memory}[sys.argv[1]]
    print(json.dumps(what(sys.argv[2])))


if __name__ == "__main__":
    main()
