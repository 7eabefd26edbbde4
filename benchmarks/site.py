"""The site of an office of 100,000 members under load: two workers, the load generator (wrk) on the same machine.

The preview is that of the page: a file of the office's own members is uploaded by somebody who is logged in, read in a
child, checked against the record and rated; what comes back is the whole page with everybody's rating.
"""

import json
import math
import os
import random
import re
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import URLError
from urllib.parse import quote, urlencode

from sqlalchemy import Connection

from benchmarks.start_up import event
from crosstable.history.archive import write
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from crosstable.office.accounts import NewAccount, Role, add_account
from crosstable.office.bulk.archive_in import import_archive
from crosstable.office.credentials import open_session
from crosstable.office.database import open_office
from crosstable.office.founding import found_office
from crosstable.office.ledger.facts import Record
from crosstable.office.ledger.journal import Author
from crosstable.office.ledger.rerate import last_run, rerate
from crosstable.office.published import Month
from crosstable.office.supplements import Basis, publish
from crosstable.web.gate import SESSION_COOKIE

AUTHOR = Author("benchmark", "measuring")
MEMBERS, SECTIONS = 100_000, 20_000
CONNECTIONS, SECONDS, ROUNDS = 16, 8, 3
ADDRESSES = 20_000
MEMBER_PAGES, SUGGESTIONS, ESTIMATES, PREVIEW = 1000, 1000, 2000, 2.0
# The 99th percentile, in milliseconds.
SLOWEST, SLOWEST_SUGGESTION = 50.0, 30.0
UPLOADED = 200
WHO = {"office": NewAccount("anna", Role.OFFICE), "director": NewAccount("tina", Role.TD, "A1111111")}
SETTLING = 30.0
SCRIPT = """
local addresses = {}
for line in io.lines("%s") do addresses[#addresses + 1] = line end
math.randomseed(tonumber(tostring({}):sub(8), 16) or 1)
request = function() return wrk.format("GET", addresses[math.random(#addresses)]) end
"""


class Load(NamedTuple):
    """What one load gave: replies per second, the 99th percentile in milliseconds, replies that were not found good.

    ``cpu`` is the processor time of all processes of the server for one reply, in milliseconds: it holds on a busy
    machine too.
    """

    per_second: float
    p99: float
    wrong: int
    cpu: float


def site() -> str:
    """Requests per second and the slowest hundredth, for pages of members and for estimates; and a large preview."""
    with tempfile.TemporaryDirectory() as folder:
        office = _office(folder)
        uploads = {name: _Upload(office, who) for name, who in WHO.items()}
        addresses = {name: _listed(folder, name, lines) for name, lines in _addresses(office).items()}
        with _served(office) as (base, pid):
            loads: dict[str, list[Load]] = {name: [] for name in addresses}
            previews: dict[str, list[float]] = {name: [] for name in uploads}
            for _ in range(ROUNDS):
                for name, script in addresses.items():
                    loads[name].append(_load(base, script, pid))
                for name, upload in uploads.items():
                    previews[name].append(upload.preview(base))
    best = {name: max(found, key=lambda one: one.per_second) for name, found in loads.items()}
    return _table(best, {name: min(found) for name, found in previews.items()})


def _office(folder: str) -> str:
    archive, office = str(Path(folder, "archive")), str(Path(folder, "office.db"))
    write(simulate(Federation(members=MEMBERS, sections=SECTIONS, seed=1)), archive)
    made = found_office(office, "Benchmark", AUTHOR)
    import_archive(made, AUTHOR, archive)
    rerate(made, AUTHOR)
    publish(made, AUTHOR, Month(2026, 12), Basis.NOW)
    made.close()
    return office


def _addresses(office: str) -> dict[str, list[str]]:
    rng = random.Random(1)
    with closing(open_office(office)) as opened, opened.reading() as connection:
        ids = [row[0] for row in connection.exec_driver_sql("SELECT DISTINCT member_id FROM posting")]
        names = [row[0] for row in connection.exec_driver_sql("SELECT DISTINCT name FROM member")]
    members = [f"/members/{one}" for one in rng.sample(ids, min(ADDRESSES, len(ids)))]
    typed = [f"/api/v1/suggest?q={quote(name[: rng.randint(2, 8)])}" for name in rng.sample(names, ADDRESSES)]
    estimates, asked = [], []
    for _ in range(ADDRESSES):
        own = f"{rng.randint(600, 2300)}/{rng.randint(1, 200)}"
        games = [f"{rng.choice('WDL')}{rng.randint(600, 2400)}" for _ in range(5)]
        estimates.append(f"/estimate?rating={own}&game={','.join(games)}&control=G/60;d5&date=2026-11-01")
        # as the script of the page writes the fields of its form
        fields = {"rating": own, "game": " ".join(games), "control": "G/60;d5"}
        asked.append(f"/estimate/answer?{urlencode(fields)}")
    return {
        "member page": members,
        "suggestion": typed,
        "estimate, typing": asked,
        "estimate page": estimates,
        "estimate, JSON": [_twin(one) for one in estimates],
    }


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
def _served(office: str) -> Iterator[tuple[str, int]]:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "crosstable", "serve", "--database", office, "--port", str(port)]
    with subprocess.Popen([*command, "--workers", "2"], stderr=subprocess.DEVNULL) as server:
        base = f"http://127.0.0.1:{port}"
        try:
            _wait_for(base)
            time.sleep(SETTLING)  # the other worker may still be reading the record
            yield base, server.pid
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


def _cpu(pid: int) -> float:
    """Seconds of processor time of a process and its children so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + math.fsum(_cpu(int(child)) for child in children)


def _load(base: str, script: str, pid: int) -> Load:
    before = _cpu(pid)
    command = ["wrk", "-t", "1", "-c", str(CONNECTIONS), "-d", f"{SECONDS}s", "--latency", "-s", script, base]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    speed, slowest = re.search(r"Requests/sec:\s+([\d.]+)", said), re.search(r"99%\s+([\d.]+)(us|ms|s)", said)
    assert speed, said
    assert slowest, said
    wrong = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    scale = {"us": 0.001, "ms": 1.0, "s": 1000.0}[slowest[2]]
    served = re.search(r"(\d+) requests in", said)
    assert served, said
    cpu = 1000.0 * (_cpu(pid) - before) / max(int(served[1]), 1)
    return Load(float(speed[1]), float(slowest[1]) * scale, int(wrong[1]) if wrong else 0, cpu)


class _Upload:
    """A file of members of an office, and somebody who is logged in and uploads it."""

    def __init__(self, office: str, who: NewAccount) -> None:
        with closing(open_office(office)) as opened:
            add_account(opened, "host", who, secrets.token_hex(16))
            self.cookie = f"{SESSION_COOKIE}={open_session(opened, who.name)}"
            with opened.reading() as connection:
                made = _event(connection)
        self.ids = [player["member_id"] for player in made["sections"][0]["players"]]
        head = 'Content-Disposition: form-data; name="files"; filename="event.json"'
        self.body = f"--part\r\n{head}\r\n\r\n{json.dumps(made)}\r\n--part--\r\n".encode()

    def preview(self, base: str) -> float:
        """Seconds from sending the file to having the page with everybody's rating; nothing is stored."""
        headers = {"Cookie": self.cookie, "Content-Type": "multipart/form-data; boundary=part"}
        asked = urllib.request.Request(f"{base}/upload", self.body, headers)
        began = time.perf_counter()
        with urllib.request.urlopen(asked, timeout=60) as reply:
            page = reply.read().decode()
        seconds = time.perf_counter() - began
        missing = [one for one in self.ids if f"/members/{one}" not in page and one not in page]
        assert not missing, f"{len(missing)} players are not on the preview"
        return seconds


def _event(connection: Connection) -> dict[str, Any]:
    """An event of members who have a rating, after everything that they played."""
    rows = connection.exec_driver_sql("SELECT member_id, max(ended) FROM posting GROUP BY member_id").all()
    chosen = random.Random(2).sample(sorted(rows), UPLOADED)
    last = max(day for _, day in chosen)
    people = Record(connection, last_run(connection)).people([member_id for member_id, _ in chosen])
    made = event("G/90;d5", UPLOADED, 7)
    made["event"] |= {"id": "", "start_date": str(last), "end_date": str(last)}
    for player, (member_id, _) in zip(made["sections"][0]["players"], chosen, strict=True):
        player |= {"member_id": member_id, "name": people[member_id].name, "ratings": {}}
        del player["birth_date"]
    return made


def _table(loads: dict[str, Load], previews: dict[str, float]) -> str:
    limits = {
        "member page": MEMBER_PAGES,
        "suggestion": SUGGESTIONS,
        "estimate, typing": ESTIMATES,
        "estimate, JSON": ESTIMATES,
    }
    # a whole estimate page is asked for once; from then on its script asks for the answer alone, as somebody types
    lines = [f"The site of {MEMBERS:,} members, two workers, {CONNECTIONS} connections, best of {ROUNDS}:"]
    for name, load in loads.items():
        lines.append(
            f"  {name:<16}{load.per_second:9,.0f} requests/s   limit {limits.get(name, 'none')!s:>6}   "
            f"99 % within {load.p99:6.1f} ms   limit {SLOWEST_SUGGESTION if name == 'suggestion' else SLOWEST:g}   "
            f"{load.cpu:.2f} ms of processor time each" + (f"   {load.wrong} replies were errors" if load.wrong else "")
        )
    for name, seconds in previews.items():
        lines.append(f"  upload to preview of {UPLOADED} players, {name:<9}{seconds:6.2f} s   limit {PREVIEW:g}")
    return "\n".join(lines) + "\n"
