"""What a long run has worked out so far, kept beside the record until the run is stored.

A run is one transaction: whoever is killed in it leaves nothing in the record. What was rated, compared and hashed is
kept part by part, under the head of the record that it follows from; who takes the run up while that is still the head
reads these parts and only writes them. A part holds member ids and ratings, no names; its owner alone may read it. All
of them go when the run is stored, and when a run of another head begins.
"""

import hashlib
import io
import json
import logging
import os
import shutil
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import polars as pl
from polars.exceptions import PolarsError

from crosstable import __version__
from crosstable.office.database import Office

LOG = logging.getLogger("crosstable.office")
_SQLITE = "sqlite:///"
# The folder of parts ends so.
PARTS = ".run"
_UNREADABLE = (zipfile.BadZipFile, zlib.error, PolarsError, KeyError, ValueError, EOFError, OSError)


class Part(NamedTuple):
    """A part of a run: postings that enter, sections that were rated, who is touched where, the sum of the digests."""

    entering: pl.DataFrame
    rated: pl.DataFrame
    touched: pl.DataFrame
    total: int


def folder_of(office: Office, ending: str = PARTS) -> str:
    """Where files of an office are that may be deleted: beside its own or, of one on a server, in the user's cache."""
    if office.url.startswith(_SQLITE):
        return office.url.removeprefix(_SQLITE) + ending
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, "crosstable", hashlib.sha256(office.url.encode()).hexdigest()[:16] + ending)


class Parts:
    """The parts of one run, in their order."""

    def __init__(self, folder: str, head: str) -> None:
        self.folder = os.path.join(folder, hashlib.sha256(f"{__version__} {head}".encode()).hexdigest()[:32])
        self.kept = self._at = 0
        self._is_kept = True
        with suppress(FileNotFoundError):
            for other in os.listdir(folder):  # of a record that has moved on
                if other != os.path.basename(self.folder):
                    shutil.rmtree(os.path.join(folder, other), ignore_errors=True)

    def next(self, make: Callable[[], Part]) -> Part:
        """The next part: as a run before this one left it, or made, and kept."""
        path = os.path.join(self.folder, f"{self._at:06}.zip")
        self._at += 1
        try:
            with open(path, "rb") as file:
                found = _read(file.read())
        except FileNotFoundError:
            return self._kept(path, make())
        except _UNREADABLE as error:
            LOG.warning("a part of a run that was interrupted cannot be read, and is made anew: %s", error)
            return self._kept(path, make())
        self.kept += 1
        return found

    def _kept(self, path: str, part: Part) -> Part:
        """A part, kept where that can be done: it saves time, and no run needs it."""
        if self._is_kept:
            try:
                os.makedirs(self.folder, mode=0o700, exist_ok=True)
                handle = os.open(f"{path}.partial", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                with os.fdopen(handle, "wb") as file:
                    file.write(_written(part))
                os.replace(f"{path}.partial", path)
            except OSError as error:
                self._is_kept = False
                LOG.warning("a part of this run cannot be kept; if the run is interrupted, it begins anew: %s", error)
        return part


def let_go(office: Office) -> None:
    """Drop what is kept: the run is stored."""
    shutil.rmtree(folder_of(office), ignore_errors=True)


def _written(part: Part) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        for name, frame in zip(Part._fields, part[:3], strict=False):
            with archive.open(name, "w") as file:
                frame.write_ipc(file, compression="lz4")
        archive.writestr("total", json.dumps(part.total))
    return made.getvalue()


def _read(content: bytes) -> Part:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entering, rated, touched = (pl.read_ipc(io.BytesIO(archive.read(name))) for name in Part._fields[:3])
        return Part(entering, rated, touched, json.loads(archive.read("total")))
