"""Watching a run: how far it has come, and how long each of its stages took."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from time import perf_counter
from typing import NamedTuple

from crosstable.office.ledger.fold import Progress, in_silence

# A run that looks at more sections than this goes through the compiled replay, which reads the record whole.
LONG = 300


# What the compiled replay needs; an office without it rates everything section by section.
NEEDED = ("numba", "polars")


def can_be_long() -> bool:
    """Whether the compiled replay is installed."""
    return all(find_spec(name) is not None for name in NEEDED)


class StageClock:
    """Seconds by stage; what is timed inside a stage counts there and not around it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inside = 0.0

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Time a stage."""
        began, around = perf_counter(), self._inside
        self._inside = 0.0
        yield
        whole = perf_counter() - began
        self.seconds[name] = self.seconds.get(name, 0.0) + whole - self._inside
        self._inside = around + whole


class Watch(NamedTuple):
    """Who is told how far a run has come and how long it took, and from how many sections on it is a long one."""

    progress: Progress = in_silence
    clock: StageClock = StageClock()
    long: int = LONG
