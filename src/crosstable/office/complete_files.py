"""Files that are complete, or not there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

# Where Linux shows a program its open files; a file without a name gets one through it.
_OPEN_FILES = "/proc/self/fd"


@contextmanager
def complete_file(path: str) -> Iterator[IO[bytes]]:
    """A file to write that only its owner may read, and that takes its place when it is complete.

    Until then it has no name where the system can do that, so that nothing is left when the program is killed;
    elsewhere it ends in ``.partial``, and the next one cleans it up.
    """
    partial, folder = f"{path}.partial", os.path.dirname(path) or "."
    with suppress(FileNotFoundError):
        os.remove(partial)
    unnamed = getattr(os, "O_TMPFILE", 0) if os.path.isdir(_OPEN_FILES) else 0
    try:
        handle = os.open(folder, unnamed | os.O_RDWR, 0o600)
    except OSError:  # a folder is opened like this only where files without a name can be
        unnamed, handle = 0, os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    directory = os.open(folder, os.O_RDONLY)
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if unnamed:
                os.link(f"{_OPEN_FILES}/{file.fileno()}", partial, src_dir_fd=directory)
        os.replace(partial, path)
        with suppress(OSError):
            os.fsync(directory)  # the name outlasts a power cut
    finally:
        os.close(directory)
        with suppress(FileNotFoundError):
            os.remove(partial)
