"""The command line without what Windows lacks: python -m tests.cli.as_on_windows rate FILE.

Only Windows can show that the program runs there. This shows that it asks for nothing that only Linux or macOS has. The
lock of a file is Windows' own there; here the lock of Linux stands behind Windows' name for it.
"""

import errno
import os
import shutil  # noqa: F401  (it and the next ask the system when they are imported)
import subprocess  # noqa: F401
import sys
from types import ModuleType

MODULES = ("resource", "pwd", "grp", "termios", "tty", "pty", "syslog")
FUNCTIONS = """
    sched_getaffinity sched_setaffinity fork forkpty nice pread pwrite getuid geteuid getgid getegid killpg setsid
    getpgid mkfifo chown fchown fchmod statvfs sysconf getloadavg posix_fadvise openpty O_TMPFILE O_DIRECTORY
    O_NOFOLLOW O_CLOEXEC O_NONBLOCK O_DSYNC O_SYNC
"""
open_file, end_process = os.open, os.kill


def take_away() -> None:
    """Make this process as poor as one on Windows."""
    sys.modules["msvcrt"] = windows_locks()
    for name in (*MODULES, "fcntl"):
        sys.modules[name] = None  # type: ignore[assignment]
    for name in FUNCTIONS.split():
        if hasattr(os, name):
            delattr(os, name)
    os.supports_dir_fd.clear()
    os.open, os.kill = _open, _kill  # type: ignore[assignment]


def windows_locks() -> ModuleType:
    """The lock of a file as Windows calls it."""
    import fcntl

    made = ModuleType("msvcrt")

    def locking(handle: int, mode: int, count: int) -> None:
        assert (mode, count) == (2, 1)
        assert os.lseek(handle, 0, os.SEEK_CUR) > os.fstat(handle).st_size, "Windows lets nobody read what is locked"
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise PermissionError(errno.EACCES, "Permission denied") from error

    made.LK_NBLCK, made.locking = 2, locking  # type: ignore[attr-defined]
    return made


def _open(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
    if os.path.isdir(path):
        raise PermissionError(errno.EACCES, "Permission denied", path)
    return open_file(path, flags, mode, dir_fd=dir_fd)


def _kill(process: int, number: int) -> None:
    assert number, "on Windows this ends the process"
    end_process(process, number)


if __name__ == "__main__":
    take_away()
    os.environ.setdefault("USERNAME", "director")  # every session there has one
    from crosstable.cli import entry

    entry()
