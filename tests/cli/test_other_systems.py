"""Nothing that the program asks of its system exists on Linux alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

EXAMPLES = ROOT / "examples"
# One office from nothing; each command builds on those before it.
COMMANDS = (
    f"rate {EXAMPLES}/summer-quads.json --xlsx sheet.xlsx",
    f"convert {EXAMPLES}/summer-quads.json --to dbf --out upload.zip",
    "check upload.zip --pairing-ratings",
    "office init",
    f"office members import {EXAMPLES}/club-members.csv --ratings-as-of 2025-08-31",
    f"office submit {EXAMPLES}/club-quick-night.json --new-members",
    "office publish 2026-06 --cut-off played",
    "office backup kept.zip",
    "office restore kept.zip --database two.db",
    "office verify",
    "history export --out archive",
)
# What the site does when it starts and before it reads a stranger's file, and what a replay asks.
SITE = """
from tests.cli.as_on_windows import take_away
import fastapi, uvicorn
take_away()
from crosstable.machine import processors
from crosstable.web.app import _open_many
from crosstable.web.child_reading import _limit
_open_many()
_limit()
assert processors() > 0
"""


def ran(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A Python of its own, with nothing of the environment that Windows would not have."""
    environment = {
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
        "PATH": os.environ["PATH"],
        "USERNAME": "director",
    }
    environment |= {name: os.environ[name] for name in ("TMPDIR", "NUMBA_CACHE_DIR") if name in os.environ}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_commands_need_nothing_that_windows_lacks(tmp_path: Path) -> None:
    for typed in COMMANDS:
        done = ran(tmp_path, "-m", "tests.cli.as_on_windows", *typed.split())
        assert done.returncode == 0, f"{typed}: {done.stderr}"


def test_the_site_needs_nothing_that_windows_lacks(tmp_path: Path) -> None:
    done = ran(tmp_path, "-c", SITE)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("asked", ["os.sched_getaffinity(0)", "os.pread(0, 1, 0)", "import fcntl", "os.kill(1, 0)"])
def test_what_windows_lacks_is_found(tmp_path: Path, asked: str) -> None:
    done = ran(tmp_path, "-c", f"from tests.cli.as_on_windows import take_away\ntake_away()\nimport os\n{asked}")
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith(("AttributeError", "ModuleNotFoundError", "AssertionError"))


def test_one_who_finds_an_office_at_work_is_told_so(tmp_path: Path) -> None:
    """The lock of Windows keeps others out, and they can read who holds it."""
    held = """
from tests.cli.as_on_windows import take_away
take_away()
from crosstable.errors import OfficeBusyError
from crosstable.office.locks import Holder, held_file
with held_file("lock", Holder("Ruth", "a correction"), 0.0):
    try:
        with held_file("lock", Holder("Carl", "a run"), 0.0):
            raise SystemExit("held twice")
    except OfficeBusyError as error:
        print(error)
with held_file("lock", Holder("Carl", "a run"), 0.0):
    print("free again")
"""
    done = ran(tmp_path, "-c", held)
    assert done.returncode == 0, done.stderr
    assert "Ruth is at work (a correction, process" in done.stdout
    assert done.stdout.endswith("free again\n")
