"""Files that are made once and kept beside the record: published lists never change, and a large one takes a minute.

They lie in a folder beside the office's file, where every worker finds what another has made; for a database on a
server each process has a folder until it ends. What cannot be kept is made anew each time.
"""

import logging
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

LOG = logging.getLogger("crosstable.web")
# So many files are kept, those that were made last.
MOST_FILES = 60
_FILE = "sqlite:///"


class KeptFiles:
    """A folder of files whose names say all that they depend on; it is that of an office, by its address."""

    def __init__(self, url: str) -> None:
        self._own: tempfile.TemporaryDirectory[str] | None = None
        if url.startswith(_FILE):
            self.folder = Path(f"{url.removeprefix(_FILE)}.lists")
        else:
            self._own = tempfile.TemporaryDirectory(prefix="crosstable-lists-")
            self.folder = Path(self._own.name)

    def find(self, name: str) -> Path | None:
        """A file that was kept."""
        path = self.folder / name
        return path if path.is_file() else None

    def keep(self, name: str, make: Callable[[], bytes]) -> Path | bytes:
        """Make a file and keep it; what was made where it cannot be kept."""
        content = make()
        try:
            self.folder.mkdir(mode=0o700, exist_ok=True)
            self._let_go()
            with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as made:
                made.write(content)
            path = self.folder / name
            os.replace(made.name, path)  # whoever finds it finds all of it
        except OSError as error:
            LOG.warning("%s is not kept: %s", name, error)
            return content
        return path

    def close(self) -> None:
        """Leave nothing behind that no other process would find."""
        if self._own is not None:
            self._own.cleanup()

    def _let_go(self) -> None:
        """Make room for one more, the oldest first."""
        files = sorted(self.folder.iterdir(), key=lambda path: path.stat().st_mtime)
        for path in files[: len(files) + 1 - MOST_FILES]:
            path.unlink(missing_ok=True)
