"""Install the built wheel into fresh environments, with each extra and with none, and run what a user would.

Every command either does its work or says the one line to type; none ends in a traceback. ``--suite`` runs the whole
suite on each Python too, in an environment of its own.
"""

import argparse
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
MINORS = range(11, 15)
EXTRAS = ("", "site", "history", "uschess", "encryption", "all")
PORT = 8765
# A busy machine makes everybody wait, so what is held is the time that the server computed. With nothing else to do, it
# is ready no later than that.
LONGEST_START = 15.0
LONGEST_WAIT = 150.0

# What a user types, and the extra without which it says the line to type.
COMMANDS: tuple[tuple[str, str], ...] = (
    ("--version", ""),
    ("doctor", ""),
    (f"rate {EXAMPLES}/summer-quads.json", ""),
    (f"rate {EXAMPLES}/summer-quads.json --json", ""),
    (f"rate {EXAMPLES}/summer-quads.json --xlsx sheet.xlsx", ""),
    (f"rate {EXAMPLES}/summer-quads.json --html --out sheet.html", ""),
    (f"convert {EXAMPLES}/summer-quads.json --to xlsx --out chart.xlsx", ""),
    ("check chart.xlsx", ""),
    (f"explain {EXAMPLES}/summer-quads.json --player 1 --section 1", ""),
    ("estimate 1512 W1640 D1720 --games 40 --date 2026-06-14", ""),
    ("calculator about", ""),
    ("rules --on 2012-05-01", ""),
    ("schema event", ""),
    ("findings not-mirrored", ""),
    ("completion bash", ""),
    ("office init", "site"),
    (f"office members import {EXAMPLES}/club-members.csv --ratings-as-of 2025-08-31", "site"),
    (f"office submit {EXAMPLES}/club-quick-night.json --new-members", "site"),
    ("office publish 2026-06 --cut-off played", "site"),
    ("history export --out archive", "all"),
    ("office status", "site"),
    ("serve --help", "site"),
    ("lab parameters", "history"),
    ("lab simulate --members 200 --years 2 --out federation", "history"),
    ("history replay federation --out replayed", "history"),
    ("fetch --help", "uschess"),
)


def main() -> None:
    """Try every Python at hand with every extra."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", action="append", help="only this one (repeatable), like 3.13")
    parser.add_argument("--extra", action="append", help="only this extra (repeatable)")
    parser.add_argument("--suite", action="store_true", help="run the whole suite on each Python too")
    options = parser.parse_args()
    (wheel,) = (ROOT / "dist").glob("*.whl")
    faults: list[str] = []
    for version, python in pythons(options.python).items():
        for extra in options.extra or EXTRAS:
            faults += tried(version, python, extra, wheel)
        if options.suite:
            faults += suite(version, python)
    sys.exit("\n".join(faults) or None)


def pythons(wanted: list[str] | None) -> dict[str, str]:
    """The Pythons at hand by version."""
    found = {}
    for minor in MINORS:
        path = shutil.which(f"python3.{minor}")
        version = f"3.{minor}"
        if path and (not wanted or version in wanted):
            ran = subprocess.run([path, "-c", "pass"], capture_output=True, check=False)
            if ran.returncode == 0:
                found[version] = path
    if not found:
        sys.exit("No Python from 3.11 on is in the PATH under its own name, like python3.12.")
    if missing := set(wanted or ()) - set(found):
        sys.exit(f"Not in the PATH under its own name: {', '.join(f'python{one}' for one in sorted(missing))}.")
    return found


def tried(version: str, python: str, extra: str, wheel: Path) -> list[str]:
    """What is wrong with one installation."""
    name = f"Python {version}, {extra or 'no extra'}"
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        subprocess.run([python, "-m", "venv", f"{folder}/venv"], check=True)
        needed = f"crosstable[{extra}] @ {wheel.as_uri()}" if extra else str(wheel)
        subprocess.run([f"{folder}/venv/bin/python", "-m", "pip", "-qq", "install", needed], check=True)
        installed = time.monotonic() - begun
        crosstable = f"{folder}/venv/bin/crosstable"
        faults = [found for typed, needs in COMMANDS if (found := fault_of(crosstable, folder, typed, needs, extra))]
        first = served(crosstable, folder) if extra in ("site", "all") else None
        if first and first.computed > LONGEST_START:
            faults.append(f"serve --demo: no page, or the first one after {first.computed:.0f} s of processor time")
    said = f", first page of the demonstration {first}" if first else ""
    print(f"{name}: installed in {installed:.0f} s{said}, {len(COMMANDS)} commands, {len(faults)} faults", flush=True)
    print("".join(f"  {found}\n" for found in faults), end="", flush=True)
    return [f"{name}: {found}" for found in faults]


def fault_of(crosstable: str, folder: str, typed: str, needs: str, extra: str) -> str:
    """What is wrong with a command, or nothing."""
    ran = subprocess.run([crosstable, *typed.split()], cwd=folder, capture_output=True, text=True, check=False)
    is_there = not needs or extra in (needs, "all")
    if "Traceback" in ran.stderr:
        return f"{typed}: {ran.stderr.strip().splitlines()[-1]}"
    if is_there and ran.returncode:
        return f"{typed}: exit code {ran.returncode}: {ran.stderr.strip()[:200]}"
    if not is_there and ran.returncode and not re.search(r'pip install "crosstable\[', ran.stderr):
        return f"{typed}: does not say the line to type: {ran.stderr.strip()[:200]}"
    return ""


class FirstPage(NamedTuple):
    """How long the first page of the demonstration took; without an end where it never came."""

    waited: float
    computed: float
    load: float

    def __str__(self) -> str:
        return f"{self.waited:.1f} s, {self.computed:.1f} s of processor time at load {self.load:.1f}"


def served(crosstable: str, folder: str) -> FirstPage:
    """Start the demonstration as a user would and ask for its first page."""
    load = os.getloadavg()[0]
    begun = time.monotonic()
    before = used_by_children()
    with subprocess.Popen(
        [crosstable, "serve", "--demo", "--port", str(PORT)],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            waited = answered_after(server, begun)
        finally:
            server.send_signal(signal.SIGINT)
    # The processor time of a process is known once it has ended; ending takes little of it.
    return FirstPage(waited, used_by_children() - before if waited < LONGEST_WAIT else float("inf"), load)


def answered_after(server: subprocess.Popen[bytes], begun: float) -> float:
    """Seconds until the server answered, or no end of them."""
    while time.monotonic() - begun < LONGEST_WAIT and server.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/", timeout=5):
                return time.monotonic() - begun
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.1)
    return float("inf")


def used_by_children() -> float:
    """The processor time of the children that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def suite(version: str, python: str) -> list[str]:
    """Run the whole suite on one Python, in a copy of the repository."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "-q", str(ROOT), folder], check=True)
        ran = subprocess.run(["make", "test", f"PYTHON={python}"], cwd=folder, check=False)
    return [f"Python {version}: make test failed"] if ran.returncode else []


if __name__ == "__main__":
    main()
