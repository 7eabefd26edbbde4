"""Processes that a test may kill: forked from one that is warm, so that each costs milliseconds.

The test's own process may have threads, and forking those is not safe. So one more process is started, which does
nothing but fork (``python -m tests.office.children``): it reads orders as lines of JSON and answers each with a line.
"""

import gc
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from argparse import Namespace
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from crosstable.cli import interruptible
from crosstable.errors import OfficeError
from tests.office.chores import CHORES, warm

REFUSED = 3
INTERRUPTED = 130
FAILED = 1


class Children:
    """Starts chores in processes of their own, and ends them."""

    def __init__(self) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, "-m", "tests.office.children"],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def warm(self, address: str) -> None:
        """Let the process from which children are forked do everything once in a trial office."""
        self._order("warm", address)

    def load(self, *modules: str) -> None:
        """Let that process import modules, so that no child has to."""
        self._order("load", *modules)

    def start(self, chore: str, *given: Any) -> int:
        """Begin a chore and return its process."""
        return int(self._order("start", chore, *given))

    def stop(self, child: int, after: float, with_signal: int = signal.SIGKILL) -> int:
        """Send a signal to a child some seconds from now; returns how it ended, as ``wait`` does."""
        return int(self._order("stop", child, after, int(with_signal)))

    def wait(self, child: int) -> int:
        """How a child ended: 0, a code of this module, or the number of the signal below zero."""
        return int(self._order("wait", child))

    def is_over(self, child: int) -> bool:
        """Whether a child has ended; ``wait`` says how."""
        return bool(self._order("is_over", child))

    def _order(self, *order: Any) -> Any:
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.write(json.dumps(order) + "\n")
        self._parent.stdin.flush()
        answer = self._parent.stdout.readline()
        assert answer, "the parent of all children is gone"
        return json.loads(answer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        os.killpg(self._parent.pid, signal.SIGKILL)  # and every child that a failed test left behind
        self._parent.wait()
        self._parent.stdin.close()
        self._parent.stdout.close()


def main() -> None:
    """Carry out orders until there are no more."""
    for line in sys.stdin:
        order, *given = json.loads(line)
        sys.stdout.write(json.dumps(_ORDERS[order](*given)) + "\n")
        sys.stdout.flush()


def _load(*modules: str) -> None:
    for name in modules:
        import_module(name)


def _start(chore: str, *given: Any) -> int:
    gc.freeze()  # a child that looks through what it inherits would copy it
    child = os.fork()
    if child == 0:
        os._exit(_done(chore, *given))
    return child


def _done(chore: str, *given: Any) -> int:
    """Do a chore in the child; the way it ends is the child's exit code."""
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # one that came meanwhile is raised here
        interruptible(lambda _: CHORES[chore](*given))(Namespace())
    except KeyboardInterrupt:
        return INTERRUPTED
    except OfficeError as error:
        sys.stderr.write(f"{error}\n")
        return REFUSED
    except BaseException:
        traceback.print_exc()
        return FAILED
    return 0


def _stop(child: int, after: float, with_signal: int) -> int:
    time.sleep(after)
    os.kill(child, with_signal)
    return _wait(child)


def _wait(child: int) -> int:
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def _is_over(child: int) -> bool:
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


_ORDERS: dict[str, Callable[..., Any]] = {
    "warm": warm,
    "load": _load,
    "start": _start,
    "stop": _stop,
    "wait": _wait,
    "is_over": _is_over,
}

if __name__ == "__main__":
    main()
