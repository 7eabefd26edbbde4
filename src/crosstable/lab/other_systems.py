"""Other rating systems on the same games: Elo and Glicko-2 of riix, judged as rule sets are.

riix is no part of this program: an environment of its own may have it (``make peers``), and predictions are made by
that environment's interpreter. It rates a section at a time, every system of the archive by itself, from the same games
that rule sets are judged by; everybody starts at the same rating, whatever their age or outside ratings.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crosstable.errors import HistoryError
from crosstable.history.kernel.arrays import Array
from crosstable.lab.population import written
from crosstable.lab.predictions import Floats, Games, Losses, People, losses_from

# What riix starts from; periods are ours: so many days raise a deviation of Glicko-2 once.
DEFAULTS: Mapping[str, Mapping[str, float]] = {
    "elo": {"initial_rating": 1500.0, "k": 32.0},
    "glicko2": {
        **{"initial_rating": 1500.0, "initial_rd": 350.0, "initial_sigma": 0.06, "tau": 0.5},
        "period_days": 30.0,
    },
}
TITLES = {"elo": "Elo", "glicko2": "Glicko-2"}
INTERPRETER = "CROSSTABLE_PEERS"
REMEDY = (
    "make peers makes an environment with it in a checkout; elsewhere: python3 -m venv .venv-peers && "
    f".venv-peers/bin/pip install riix, then give --peers .venv-peers/bin/python or set {INTERPRETER} to it"
)
_PROGRAM = Path(__file__).with_name("with_riix.py")


class OtherSystem(NamedTuple):
    """A rating system that is no rule set: which, with what parameters, and by which library once that is known."""

    kind: str
    parameters: Mapping[str, float]
    python: str = ""
    library: str = "riix"

    @property
    def name(self) -> str:
        """How it is asked for: its kind and the parameters that are not the usual ones."""
        usual = DEFAULTS[self.kind]
        changed = [f"{name}={written(value)}" for name, value in self.parameters.items() if value != usual[name]]
        return ":".join((self.kind, *([",".join(changed)] if changed else [])))

    @property
    def title(self) -> str:
        """How results name it."""
        said = ", ".join(f"{name} {value:g}" for name, value in self.parameters.items())
        return f"{TITLES[self.kind]} of {self.library} ({said})"

    @property
    def document(self) -> dict[str, Any]:
        """The system as JSON."""
        return {
            **{"name": self.name, "system": self.kind, "library": self.library},
            "parameters": dict(self.parameters),
        }


def is_other_system(text: str) -> bool:
    """Whether a text asks for another rating system."""
    return text.partition(":")[0] in DEFAULTS


def other_system(text: str, /, *, python: str = "", **parameters: float) -> OtherSystem:
    """The system that a text asks for, as ``elo`` or ``glicko2:tau=0.3``; ``python`` is the interpreter with riix."""
    kind, _, said = text.partition(":")
    if kind not in DEFAULTS:
        raise HistoryError(f"there is no rating system {kind!r} to compare with; there are {', '.join(DEFAULTS)}")
    given: dict[str, float | str] = {**parameters}
    for part in filter(None, said.split(",")):
        name, _, value = part.partition("=")
        given[name.strip()] = value
    usual = DEFAULTS[kind]
    for name in given:
        if name not in usual:
            raise HistoryError(f"{kind} has no parameter {name!r}; it has {', '.join(usual)}")
    return OtherSystem(kind, {**usual, **{name: _positive(kind, name, value) for name, value in given.items()}}, python)


def _positive(kind: str, name: str, value: float | str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number > 0.0):
        raise HistoryError(f"{kind}: {name} is {value!r}; it should be a number above 0")
    return number


def interpreter(system: OtherSystem) -> str:
    """The interpreter that has riix, as far as one can tell without running it."""
    if system.python or os.environ.get(INTERPRETER):
        return system.python or os.environ[INTERPRETER]
    if find_spec("riix") is not None:
        return sys.executable
    for folder in (Path.cwd(), Path(__file__).resolve().parents[3]):
        found = folder / ".venv-peers" / "bin" / "python"
        if found.exists():
            return str(found)
    raise HistoryError(f"riix is not installed, which {TITLES[system.kind]} is taken from; {REMEDY}")


def predicted_by(system: OtherSystem, games: Games, people: People, end: Array) -> tuple[OtherSystem, Losses]:
    """Predict games by another system, each before its section; ``end`` is the last day of every section.

    The system comes back with the library that it turned out to be, and what its predictions cost.
    """
    with tempfile.TemporaryDirectory(prefix="crosstable-") as folder:
        given, out = os.path.join(folder, "games.npz"), os.path.join(folder, "expected.npy")
        np.savez(
            given,
            section=games.section,
            system=games.system,
            one=_players(people, games.one),
            other=_players(people, games.other),
            score=games.score,
            day=end[games.section].astype(np.int64),
            kind=system.kind,
            parameters=json.dumps(dict(system.parameters)),
        )
        library = _run(system, given, out)
        expected: Floats = np.load(out)
    if expected.shape != games.score.shape or not np.all((expected > 0.0) & (expected < 1.0)):
        raise HistoryError(f"{library} gave no expectation between 0 and 1 for some games")
    return system._replace(library=library), losses_from(expected, games.score)


def _players(people: People, rows: Array) -> Array:
    """Who rows are about: a member, or somebody without an id, who is somebody new each time."""
    member = people.member[rows].astype(np.int64)
    return np.where(member >= 0, member, -1 - rows.astype(np.int64))


def _run(system: OtherSystem, given: str, out: str) -> str:
    """Let the interpreter with riix do it; returns which riix that was."""
    python = interpreter(system)
    # -P: what lies beside the program is not meant to be imported by it.
    command = [python, "-P", str(_PROGRAM), given, out]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise HistoryError(f"{python} cannot be run: {error.strerror}; {REMEDY}") from error
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        if "No module named 'riix" in last:
            raise HistoryError(f"{python} has no riix; {REMEDY}")
        raise HistoryError(f"{TITLES[system.kind]} by {python} failed: {last}")
    return done.stdout.strip()
