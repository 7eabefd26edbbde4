"""A site that is served by the real command, on a demonstration office."""

import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError

PATIENCE = 60.0
SHORT = 0.05
PROGRAM = (sys.executable, "-m", "crosstable.cli")


class Served(NamedTuple):
    """Where a site answers, and the link by which the person at its machine comes in."""

    address: str
    machine_link: str
    office: Path


def free_port() -> int:
    """A port that nobody listens on."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def served(office: Path, *options: str) -> Iterator[Served]:
    """Serve an office until the end of the block."""
    port = free_port()
    command = [*PROGRAM, "serve", "--demo", "--database", str(office), "--port", str(port), *options]
    said = office.with_suffix(".log")
    with said.open("w") as log, subprocess.Popen(command, stderr=log) as server:
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(address, server)
            link = re.search(r"http://\S*/machine/\S+", said.read_text())
            yield Served(address, link[0] if link else "", office)
        finally:
            server.terminate()
            server.wait(PATIENCE)


def _wait_for(address: str, server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert server.poll() is None, "the server stopped"
        try:
            with urllib.request.urlopen(address, timeout=PATIENCE):
                return
        except URLError:
            time.sleep(SHORT)
    raise AssertionError("the site does not answer")


def chromium() -> str:
    """The browser; ``make test`` installs it."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    assert found, "Chromium is not installed: `make browser` does that"
    return found
