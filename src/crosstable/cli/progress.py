"""A progress bar on a terminal, and silence when the output is piped."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """A function to tell how much is done; it draws only where somebody watches."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)


class Counting:
    """A bar whose length is not known at first."""

    def __init__(self, start: Callable[[int], None], done: Callable[[int], None]) -> None:
        self.start = start
        self.done = done


@contextmanager
def counting(title: str) -> Iterator[Counting]:
    """A bar that is told its length when that is known; it draws only where somebody watches."""
    if not sys.stderr.isatty():
        yield Counting(lambda total: None, lambda done: None)
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield Counting(lambda total: bar.update(task, total=total), lambda done: bar.update(task, completed=done))


@contextmanager
def waiting(title: str) -> Iterator[None]:
    """A spinner while something takes a while, where somebody watches."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{title} …"):
        yield
