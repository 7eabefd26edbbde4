"""A site that is served by the real command, on a demonstration office."""

import re
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from enum import Enum
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError

from crosstable.office.database import open_office
from crosstable.office.ledger.journal import clock_days, head
from tests.waiting import until

PROGRAM = (sys.executable, "-m", "crosstable")


class State(Enum):
    """What came of starting a server."""

    ANSWERS = 1
    TAKEN = 2


class Served(NamedTuple):
    """Where a site answers, and the link by which the person at its machine comes in."""

    address: str
    machine_link: str
    office: Path | str


def free_port() -> int:
    """A port that nobody listens on."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def served(office: Path | str, *options: str, said: Path | None = None) -> Iterator[Served]:
    """Serve an office until the end of the block; what the server says goes into a file, beside it where it is one."""
    _confirm_clock(office)
    said = said or Path(office).with_suffix(".log")
    while True:
        address = f"http://127.0.0.1:{free_port()}"
        command = [*PROGRAM, "serve", "--database", str(office), "--port", address.rpartition(":")[2], *options]
        with said.open("w") as log, subprocess.Popen(command, stderr=log) as server:
            try:
                if until(partial(_state, address, server, said)) is State.TAKEN:
                    continue
                link = re.search(r"http://\S*/machine/\S+", said.read_text())
                yield Served(address, link[0] if link else "", office)
                return
            finally:
                server.terminate()
                server.wait()


def _confirm_clock(office: Path | str) -> None:
    """The days of made offices are fixed and the clock goes on: once it is far ahead, do what an operator would."""
    with closing(open_office(str(office))) as there, there.reading() as connection:
        last = head(connection)
        assert last is not None
        is_likely = (there.clock() - last.at).days <= clock_days(connection)
    if not is_likely:
        subprocess.run([*PROGRAM, "office", "clock", "--confirm", "--database", str(office)], check=True)


def _state(address: str, server: "subprocess.Popen[bytes]", said: Path) -> State | None:
    """Whether the site answers, or somebody took its port before it; one that stops for another reason is a failure."""
    if server.poll() is not None:
        assert "address already in use" in said.read_text().lower(), said.read_text()
        return State.TAKEN
    try:
        with urllib.request.urlopen(address):
            return State.ANSWERS
    except (URLError, ConnectionError):
        return None


def chromium() -> str:
    """The browser; ``make test`` installs it."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    assert found, "Chromium is not installed: `make browser` does that"
    return found
