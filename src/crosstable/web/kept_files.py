"""Files that are made once and kept beside the record: published lists never change, and a large one takes a minute.

They lie in a folder beside the office's file, where every worker finds what another has made; for a database on a
server each process has a folder until it ends. What cannot be kept is made anew each time.
``Few`` keeps in memory the last of many things.
"""

import logging
import os
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

LOG = logging.getLogger("crosstable.web")
# So many bytes are kept, of the files that were asked for last.
MOST_BYTES = 2 * 1024 * 1024 * 1024
_FILE = "sqlite:///"
_PIECE = 256 * 1024


class KeptFiles:
    """A folder of files whose names say all that they depend on; it is that of an office, by its address."""

    def __init__(self, url: str) -> None:
        self._own: tempfile.TemporaryDirectory[str] | None = None
        if url.startswith(_FILE):
            self.folder = Path(f"{url.removeprefix(_FILE)}.lists")
        else:
            self._own = tempfile.TemporaryDirectory(prefix="crosstable-lists-")
            self.folder = Path(self._own.name)
        self._erasures: int | None = None

    def name_of(self, name: str, erasures: int) -> str:
        """Under which name a file is kept that was made after so many erasures."""
        return f"{erasures}-{name}"

    def let_go_of_erased(self, erasures: int) -> None:
        """Delete what was made before the newest of so many erasures: it names who was erased."""
        if erasures == self._erasures:
            return
        self._erasures = erasures
        try:
            for path in [*self.folder.iterdir()] if self.folder.is_dir() else ():
                if not path.name.startswith(self.name_of("", erasures)):
                    path.unlink(missing_ok=True)
        except OSError as error:  # a folder that may only be read
            LOG.warning("lists that name somebody who was erased are still kept in %s: %s", self.folder, error)

    def find(self, name: str) -> BinaryIO | None:
        """A file that was kept, open: whoever lets it go meanwhile takes only its name."""
        try:
            found = (self.folder / name).open("rb")
        except (FileNotFoundError, NotADirectoryError):
            return None
        with suppress(OSError):  # a folder that may only be read; then the oldest go first
            os.utime(found.fileno())
        return found

    def keep(self, name: str, make: Callable[[], bytes]) -> BinaryIO | bytes:
        """Make a file and keep it; what was made where it cannot be kept."""
        content = make()
        try:
            self.folder.mkdir(mode=0o700, exist_ok=True)
            self._let_go(len(content))
            return self._kept(name, content)
        except OSError as error:
            LOG.warning("%s is not kept: %s", name, error)
            return content

    def _kept(self, name: str, content: bytes) -> BinaryIO:
        """The file under its name, open; whoever finds it finds all of it, even after the power went."""
        descriptor, made = tempfile.mkstemp(dir=self.folder)
        file = os.fdopen(descriptor, "w+b")
        try:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
            os.replace(made, self.folder / name)
        except BaseException:
            file.close()
            Path(made).unlink(missing_ok=True)
            raise
        file.seek(0)
        return file

    def close(self) -> None:
        """Leave nothing behind that no other process would find."""
        if self._own is not None:
            self._own.cleanup()

    def _let_go(self, needed: int) -> None:
        """Make room for so many bytes; what nobody asked for longest goes first."""
        files = []
        for path in self.folder.iterdir():
            with suppress(FileNotFoundError):  # another process has let it go
                found = path.stat()
                files.append((found.st_mtime, found.st_size, path))
        room = MOST_BYTES - needed - sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if room >= 0:
                return
            path.unlink(missing_ok=True)
            room += size


class OpenFile(Response):
    """A reply with an open file, which is closed with it."""

    def __init__(self, file: BinaryIO, media_type: str, headers: Mapping[str, str]) -> None:
        self.file = file
        length = str(os.fstat(file.fileno()).st_size)
        super().__init__(None, headers={**headers, "Content-Length": length}, media_type=media_type)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it piece by piece."""
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            while piece := await run_in_threadpool(self.file.read, _PIECE):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            self.file.close()


Name = TypeVar("Name")
Kept = TypeVar("Kept")


class Few(dict[Name, Kept]):
    """What was kept last; of what came before only as much as a limit leaves."""

    def __init__(self, most: int, size: Callable[[Kept], int] = lambda _: 1) -> None:
        super().__init__()
        self._most = most
        self._size = size
        self._writing = threading.Lock()

    def __setitem__(self, name: Name, kept: Kept) -> None:
        """Keep something, and forget the oldest until there is room for it."""
        with self._writing:
            self.pop(name, None)
            room = self._most - self._size(kept)
            for oldest in list(self):
                if sum(map(self._size, self.values())) <= room:
                    break
                self.pop(oldest)
            super().__setitem__(name, kept)
