"""Compiling once: whoever waits is told, and afterwards nothing is compiled any more."""

import json
import os
import subprocess
import sys
from pathlib import Path

from crosstable.history.archive import write
from crosstable.history.index import build
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from tests.history.test_index import with_starts_by_hand

# In a process of its own, where nothing else was compiled: a signature that was not warmed up shows.
REPLAY = """
import json, sys
from numba.core.registry import CPUDispatcher
from crosstable.history.kernel import indexing, replaying
from crosstable.history.running import replay_archive
from crosstable.history.running import warm_up

def signatures():
    found = {}
    for module in (indexing, replaying):
        for name, value in vars(module).items():
            if isinstance(value, CPUDispatcher):
                found[name] = sorted(map(str, value.signatures))
    return found

warm_up()
before = signatures()
replay_archive(*sys.argv[1:])
print(json.dumps({name: found for name, found in signatures().items() if before[name] != found}))
"""


def test_a_replay_needs_nothing_that_was_not_compiled_before(tmp_path: Path) -> None:
    archive, out = str(tmp_path / "archive"), str(tmp_path / "out")
    history = with_starts_by_hand(simulate(Federation(members=120, sections=80, seed=4)), 5)
    assert (build(history).history.sections["told"] > 0).sum() > 10
    write(history, archive)
    command = [sys.executable, "-c", REPLAY, archive, out]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == {}


def test_reading_an_archive_is_not_taken_for_compiling_everything(tmp_path: Path) -> None:
    """It compiles what checks entries and games, and nothing else."""
    folder = str(tmp_path / "archive")
    write(simulate(Federation(members=30, sections=10, seed=4)), folder)
    code = (
        "import sys; from crosstable.history.archive import read; from crosstable.history.kernel import compiling\n"
        "print(compiling.is_cached()); read(sys.argv[1]); print(compiling.is_cached())\n"
        "compiling.say_cached(); print(compiling.is_cached())"
    )
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-c", code, folder]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    assert done.stdout.split() == ["False", "False", "True"]
