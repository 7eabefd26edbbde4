"""What is kept at hand of many things: the last few, as far as a limit goes."""

import threading
from collections.abc import Callable
from typing import TypeVar

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
