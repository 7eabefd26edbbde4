"""How long one event takes, whole process, against the bare start of the interpreter.

The commands are run in turn, round after round, and the best of each counts: what else the machine does then hits all
of them alike. Bytecode is compiled before the first round.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PLAYERS = 60
ROUNDS = 5
TURNS = 25
LIMITS = {
    "rate --json": 5.0,
    "rate --json, dual-rated": 5.0,
    "rate, drawn table": 15.0,
    "office --help": 10.0,
    "serve --help": 10.0,
}


def start_up() -> str:
    """The table of ratios."""
    with tempfile.TemporaryDirectory() as folder:
        single, dual = Path(folder, "regular.json"), Path(folder, "dual.json")
        single.write_text(json.dumps(event("G/90;d5")))
        dual.write_text(json.dumps(event("G/45;d5")))
        python, crosstable = sys.executable, str(Path(sys.executable).with_name("crosstable"))
        commands = {
            "bare interpreter": [python, "-c", "pass"],
            "rate --json": [crosstable, "rate", str(single), "--json"],
            "rate --json, dual-rated": [crosstable, "rate", str(dual), "--json"],
            "rate, drawn table": [crosstable, "rate", str(single)],
            "office --help": [crosstable, "office", "--help"],
            "serve --help": [crosstable, "serve", "--help"],
        }
        return table(best_of(commands))


def best_of(commands: dict[str, list[str]]) -> dict[str, float]:
    """The shortest time of each command over interleaved turns, in seconds."""
    best = dict.fromkeys(commands, float("inf"))
    for _ in range(TURNS):
        for name, command in commands.items():
            begun = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            best[name] = min(best[name], time.perf_counter() - begun)
    return best


def table(best: dict[str, float]) -> str:
    """Times and ratios side by side."""
    bare = best["bare interpreter"]
    lines = [f"One event of {PLAYERS} players, whole process, best of {TURNS}:"]
    for name, seconds in best.items():
        limit = f"   limit {LIMITS[name]:g}" if name in LIMITS else ""
        lines.append(f"  {name:<26}{seconds * 1000:7.1f} ms   {seconds / bare:5.2f} bare starts{limit}")
    return "\n".join(lines) + "\n"


def event(time_control: str, count: int = PLAYERS, rounds: int = ROUNDS) -> dict[str, Any]:
    """A Swiss with seeded results, most of its players established in both systems."""
    rng = random.Random(1)
    players: list[dict[str, Any]] = []
    for number in range(1, count + 1):
        rating = rng.gauss(1500, 300)
        standing = {"rating": round(rating, 2), "games": rng.choice((5, 20, 60, 200)), "as_of": "2026-01-03"}
        ratings = {"OTBR": standing, "OTBQ": {**standing, "rating": round(rating - 50, 2)}} if number % 10 else {}
        players.append(
            {
                "number": number,
                "member_id": str(20000000 + number),
                "name": f"Player, {number}",
                "birth_date": "2001-05-05",
                "ratings": ratings,
                "rounds": [],
            }
        )
    for _ in range(rounds):
        order = players[:]
        rng.shuffle(order)
        for white, black in zip(order[::2], order[1::2], strict=True):
            results = rng.choice(("WL", "LW", "DD"))
            white["rounds"].append(f"{results[0]}{black['number']}w")
            black["rounds"].append(f"{results[1]}{white['number']}b")
    return {
        "format": "crosstable-event/1",
        "event": {"id": "202602010001", "name": "Benchmark", "start_date": "2026-02-01", "end_date": "2026-02-01"},
        "sections": [{"number": 1, "name": "Open", "time_control": time_control, "players": players}],
    }
