"""A PostgreSQL of the tests' own: a cluster in a temporary folder, reached through a socket, gone with the tests.

initdb refuses to run as root, so root lends the folder to another user. The server is a direct child, not started
through pg_ctl, so that tests may kill it and reap it.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Self

import psycopg

from tests.waiting import until

_DEBIAN = Path("/usr/lib/postgresql")
# What a server says while it starts or recovers; it will answer soon.
_NOT_YET = ("starting up", "in recovery mode", "not yet accepting", "shutting down", "closed the connection")


def connected(address: str) -> psycopg.Connection[tuple[object, ...]]:
    """A connection, as soon as the server gives one: after a crash it refuses them until it has recovered."""

    def tried() -> psycopg.Connection[tuple[object, ...]] | None:
        try:
            return psycopg.connect(address, autocommit=True)
        except psycopg.OperationalError as error:
            if not any(sign in str(error) for sign in _NOT_YET):
                raise
            return None

    return until(tried)


def program(name: str) -> str:
    """The path of a program of PostgreSQL."""
    found = shutil.which(name)
    if found:
        return found
    beside = sorted(_DEBIAN.glob(f"*/bin/{name}"))
    if not beside:
        raise RuntimeError(f"{name} is not installed; `make test` installs Debian's postgresql")
    return str(beside[-1])


def _other_user() -> str:
    """Somebody who is not root: the server's own user where Debian made one."""
    known = {one.pw_name for one in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


_NONE: Mapping[str, str] = {}


class Server:
    """A running PostgreSQL."""

    def __init__(self, *, is_safe: bool = False, settings: Mapping[str, str] = _NONE) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="crosstable-pg-"))
        self._user = _other_user() if os.geteuid() == 0 else None
        if self._user:
            who = pwd.getpwnam(self._user)
            os.chown(self.folder, who.pw_uid, who.pw_gid)
        usual = dict.fromkeys(() if is_safe else ("fsync", "synchronous_commit", "full_page_writes"), "off")
        self._settings = [part for name, value in {**usual, **settings}.items() for part in ("-c", f"{name}={value}")]
        made = [program("initdb"), "-D", str(self.data), "-U", "office", "-A", "trust", "-E", "UTF8", "--locale=C"]
        self._run([*made, "--data-checksums"])
        self.process = self.start()

    @property
    def data(self) -> Path:
        """Where the cluster lies."""
        return self.folder / "data"

    def _run(self, command: list[str]) -> None:
        done = subprocess.run(command, user=self._user, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed: {done.stderr}")

    def start(self) -> subprocess.Popen[bytes]:
        """Start the server and wait until it answers."""
        command = [
            program("postgres"),
            "-D",
            str(self.data),
            "-k",
            str(self.folder),
            "-c",
            "listen_addresses=",
            "-c",
            "max_connections=200",
            *self._settings,
        ]
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(command, user=self._user, cwd=self.folder, stdout=log, stderr=log)
        log.close()
        until(self._is_ready)
        return self.process

    def _is_ready(self) -> bool:
        if self.process.poll() is not None:
            raise RuntimeError((self.folder / "log").read_text())
        asked = subprocess.run([program("pg_isready"), "-h", str(self.folder), "-q"], cwd=self.folder, check=False)
        return asked.returncode == 0

    def url(self, database: str = "postgres") -> str:
        """The address of a database."""
        return f"postgresql://office@/{database}?host={self.folder}"

    def new_database(self, name: str) -> str:
        """Make a database and return its address."""
        with connected(self.url()) as connection:
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
        return self.url(name)

    def stop(self) -> None:
        """Stop the server at once and remove everything."""
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()
