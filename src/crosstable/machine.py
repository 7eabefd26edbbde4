"""What Linux, macOS and Windows do in different ways: processors, locks of files, folders, other processes."""

import os
import sys
from importlib import import_module

# Windows keeps others from reading what is locked, so the byte that is locked there lies behind everything written.
_FAR_BEHIND = 1 << 30


def processors() -> int:
    """How many processors this process may use; only Linux knows which of them are its own."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def try_lock(handle: int) -> bool:
    """Take the lock of an open file where nobody has it; the system takes it back when the process ends."""
    try:
        import fcntl
    except ImportError:
        return _try_lock_of_windows(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _try_lock_of_windows(handle: int) -> bool:
    windows = import_module("msvcrt")
    os.lseek(handle, _FAR_BEHIND, os.SEEK_SET)
    try:
        windows.locking(handle, windows.LK_NBLCK, 1)
    except OSError:
        return False
    return True


def open_folder(path: str) -> int | None:
    """A folder as an open file, which can be flushed to the disk; None where the system has no such thing."""
    return os.open(path, os.O_RDONLY) if os.open in os.supports_dir_fd else None


def is_running(process: int) -> bool:
    """Whether a process is there; on Windows it is taken to be, because asking there would end it."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True
