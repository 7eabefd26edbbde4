"""Ratings have the same bits under every Python that is at hand, with nothing but the package installed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from crosstable.terms import total
from tests.architecture.source import ROOT
from tools.make_dist import MAIN

OLDEST = (3, 11)
SCRIPT = Path(__file__).with_name("every_python.py")


@cache
def pythons() -> dict[tuple[int, int], str]:
    """One Python of every version that can run the package, by version; this one among them."""
    found = {sys.version_info[:2]: sys.executable}
    for path in _candidates():
        asked = subprocess.run(
            [path, "-I", "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True, check=False
        )
        if asked.returncode == 0:
            major, minor = map(int, asked.stdout.split())
            found.setdefault((major, minor), path)
    return {version: path for version, path in found.items() if version >= OLDEST}


def _candidates() -> Iterator[str]:
    folders = [Path(folder) for folder in os.get_exec_path() if folder]
    folders += sorted(Path(sys.base_prefix).parent.glob("*/bin"))  # version managers keep them beside each other
    for folder in folders:
        for path in sorted(folder.glob("python3.*")):
            if path.name.removeprefix("python3.").isdigit() and os.access(path, os.X_OK):
                yield str(path)


def printed_by(python: str) -> bytes:
    """All that the script prints under a Python that sees neither our libraries nor anybody's settings."""
    environment = {"PYTHONPATH": str(ROOT / "src"), "PYTHONUTF8": "1", "PATH": os.environ["PATH"]}
    ran = subprocess.run([python, "-B", str(SCRIPT)], capture_output=True, check=False, env=environment)
    assert ran.returncode == 0, ran.stderr.decode()
    assert ran.stderr == b""
    return ran.stdout


def test_every_python_prints_the_same_bytes() -> None:
    printed = {version: printed_by(python) for version, python in pythons().items()}
    assert sys.version_info[:2] in printed
    own = printed[sys.version_info[:2]]
    assert own.count(b"crosstable-rated/1") == 12
    assert [version for version, text in printed.items() if text != own] == []


def test_floats_are_added_one_after_the_other() -> None:
    """Ten times a tenth is 0.9999999999999999 in IEEE arithmetic; the built-in sum says 1.0 since Python 3.12."""
    assert total([0.1] * 10) == 0.9999999999999999
    assert total(iter([1e16, 1.0, -1e16])) == 0.0
    assert total([]) == 0.0


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 10, 13)])
def test_the_single_file_says_which_python_it_needs(
    version: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An older Python would stop at an import, with a traceback."""
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(SystemExit, match=rf"needs Python 3\.11 or newer; this is Python {version[0]}\.{version[1]}\."):
        exec(MAIN)
