"""Predict games by Elo or Glicko-2 of riix: a program of its own, run by the interpreter that has riix.

``python with_riix.py GAMES.npz OUT.npy`` reads games in the order they were played, with the parameters of the system,
and writes what was expected of the first player of each before its section; it prints which riix it was. It imports
nothing of this package, because the environment that has riix need not have it.
"""

import json
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np


def model_of(kind: str, parameters: dict[str, float], players: int) -> Any:  # noqa: ANN401 (riix has no types)
    """A rating system of riix, which takes all games of a section at once."""
    model = getattr(import_module(f"riix.models.{kind}"), kind.capitalize())
    return model(list(range(players)), update_method="batched", **parameters)


def expected_of(model: Any, pairs: Any, score: Any, section: Any, step: Any) -> Any:  # noqa: ANN401 (arrays)
    """What was expected of the first player of every game, section by section, each learned from when it is over."""
    expected = np.empty(len(score))
    ends = np.append(np.flatnonzero(np.diff(section)) + 1, len(section))
    begin = 0
    for end in ends.tolist():
        inside = slice(begin, end)
        expected[inside] = model.predict(pairs[inside], time_step=int(step[begin]))
        model.update(pairs[inside], score[inside], time_step=int(step[begin]), use_cache=False)
        begin = end
    return expected


def predicted(games: Any, kind: str, parameters: dict[str, float]) -> Any:  # noqa: ANN401 (a file of arrays)
    """The expectations of all games; every rating system of the games has ratings of its own."""
    constants = dict(parameters)
    days = constants.pop("period_days", 30.0)
    found = np.full(len(games["score"]), np.nan)
    for system in np.unique(games["system"]):
        at = np.flatnonzero(games["system"] == system)
        players, pairs = np.unique(np.stack((games["one"][at], games["other"][at]), axis=1), return_inverse=True)
        day = np.maximum.accumulate(games["day"][at])
        step = ((day - day[0]) // days).astype(np.int64)
        model = model_of(kind, constants, len(players))
        pairs = pairs.reshape(-1, 2)
        found[at] = expected_of(model, pairs, games["score"][at], games["section"][at], step)
    return found


def library() -> str:
    """Which riix this is."""
    try:
        return f"riix {version('riix')}"
    except PackageNotFoundError:
        return "riix"


def main(path: str, out: str) -> None:
    """Read games, predict them, write the expectations."""
    with np.load(path) as games:
        kind = str(games["kind"])
        parameters: dict[str, float] = json.loads(str(games["parameters"]))
        np.save(out, predicted(games, kind, parameters))
    sys.stdout.write(f"{library()}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
