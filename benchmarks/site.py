"""The site of an office of 100,000 members under load: two workers, the load generator (wrk) on the same machine."""

import json
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError

from benchmarks.start_up import event
from crosstable.history.archive import write
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from crosstable.office.bulk.archive_in import import_archive
from crosstable.office.database import open_office
from crosstable.office.founding import found_office
from crosstable.office.ledger.acts import Deed
from crosstable.office.ledger.rerate import rerate
from crosstable.office.published import Month
from crosstable.office.supplements import Basis, publish

DEED = Deed("benchmark", "measuring")
MEMBERS, SECTIONS = 100_000, 20_000
CONNECTIONS, SECONDS, ROUNDS = 16, 8, 3
ADDRESSES = 20_000
MEMBER_PAGES, ESTIMATES, SLOWEST, PREVIEW = 1000.0, 2000.0, 50.0, 2.0
UPLOADED = 200
SETTLING = 30.0
SCRIPT = """
local addresses = {}
for line in io.lines("%s") do addresses[#addresses + 1] = line end
math.randomseed(tonumber(tostring({}):sub(8), 16) or 1)
request = function() return wrk.format("GET", addresses[math.random(#addresses)]) end
"""


class Load(NamedTuple):
    """What one load gave: replies per second, the 99th percentile in milliseconds, replies that were not found good."""

    per_second: float
    p99: float
    wrong: int


def site() -> str:
    """Requests per second and the slowest hundredth, for pages of members and for estimates; and a large preview."""
    with tempfile.TemporaryDirectory() as folder:
        office = _office(folder)
        addresses = {name: _listed(folder, name, lines) for name, lines in _addresses(office).items()}
        with _served(office) as base:
            loads: dict[str, list[Load]] = {name: [] for name in addresses}
            previews = []
            for _ in range(ROUNDS):
                for name, script in addresses.items():
                    loads[name].append(_load(base, script))
                previews.append(_preview(base))
    return _table({name: max(found, key=lambda one: one.per_second) for name, found in loads.items()}, min(previews))


def _office(folder: str) -> str:
    archive, office = str(Path(folder, "archive")), str(Path(folder, "office.db"))
    write(simulate(Federation(members=MEMBERS, sections=SECTIONS, seed=1)), archive)
    made = found_office(office, "Benchmark", DEED)
    import_archive(made, DEED, archive)
    rerate(made, DEED)
    publish(made, DEED, Month(2026, 12), Basis.NOW)
    made.close()
    return office


def _addresses(office: str) -> dict[str, list[str]]:
    rng = random.Random(1)
    with closing(open_office(office)) as opened, opened.reading() as connection:
        ids = [row[0] for row in connection.exec_driver_sql("SELECT DISTINCT member_id FROM current_posting")]
    members = [f"/members/{one}" for one in rng.sample(ids, min(ADDRESSES, len(ids)))]
    estimates = []
    for _ in range(ADDRESSES):
        own, games = rng.randint(600, 2300), ",".join(f"{rng.choice('WDL')}{rng.randint(600, 2400)}" for _ in range(5))
        estimates.append(f"/estimate?rating={own}/{rng.randint(1, 200)}&game={games}&control=G/60;d5&date=2026-11-01")
    return {"member page": members, "estimate page": estimates, "estimate, JSON": [_twin(one) for one in estimates]}


def _twin(address: str) -> str:
    path, _, query = address.partition("?")
    return f"/api/v1{path}?{query}"


def _listed(folder: str, name: str, lines: Sequence[str]) -> str:
    listed = Path(folder, f"{name.replace(' ', '-')}.txt")
    listed.write_text("\n".join(lines))
    script = listed.with_suffix(".lua")
    script.write_text(SCRIPT % listed)
    return str(script)


@contextmanager
def _served(office: str) -> Iterator[str]:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "crosstable.cli", "serve", "--database", office, "--port", str(port)]
    with subprocess.Popen([*command, "--workers", "2"], stderr=subprocess.DEVNULL) as server:
        base = f"http://127.0.0.1:{port}"
        try:
            _wait_for(base)
            time.sleep(SETTLING)  # the other worker may still be reading the record
            yield base
        finally:
            server.terminate()


def _wait_for(base: str, patience: float = 300.0) -> None:
    """Until both workers have read the record."""
    deadline, good = time.monotonic() + patience, 0
    while good < 20:
        try:
            with urllib.request.urlopen(f"{base}/", timeout=60) as reply:
                good = good + 1 if reply.status == 200 else 0
        except URLError:
            good = 0
            time.sleep(0.2)
        if time.monotonic() > deadline:
            raise TimeoutError("the site does not answer")


def _load(base: str, script: str) -> Load:
    command = ["wrk", "-t", "1", "-c", str(CONNECTIONS), "-d", f"{SECONDS}s", "--latency", "-s", script, base]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    speed, slowest = re.search(r"Requests/sec:\s+([\d.]+)", said), re.search(r"99%\s+([\d.]+)(us|ms|s)", said)
    assert speed, said
    assert slowest, said
    wrong = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    scale = {"us": 0.001, "ms": 1.0, "s": 1000.0}[slowest[2]]
    return Load(float(speed[1]), float(slowest[1]) * scale, int(wrong[1]) if wrong else 0)


def _preview(base: str) -> float:
    """Seconds of one check and preview of a large event, nothing stored."""
    body = json.dumps(event("G/90;d5", UPLOADED, 7)).encode()
    asked = urllib.request.Request(f"{base}/api/v1/rate", body, {"Content-Type": "application/json"})
    began = time.perf_counter()
    with urllib.request.urlopen(asked, timeout=60) as reply:
        reply.read()
    return time.perf_counter() - began


def _table(loads: dict[str, Load], preview: float) -> str:
    limits = {"member page": MEMBER_PAGES, "estimate page": ESTIMATES, "estimate, JSON": ESTIMATES}
    lines = [f"The site of {MEMBERS:,} members, two workers, {CONNECTIONS} connections, best of {ROUNDS}:"]
    for name, load in loads.items():
        lines.append(
            f"  {name:<16}{load.per_second:9,.0f} requests/s   limit {limits[name]:,.0f}   "
            f"99 % within {load.p99:6.1f} ms   limit {SLOWEST:g}"
            + (f"   {load.wrong} replies were errors" if load.wrong else "")
        )
    lines.append(f"  preview of {UPLOADED} players {preview:9.2f} s   limit {PREVIEW:g}")
    return "\n".join(lines) + "\n"
