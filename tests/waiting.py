"""Waiting for what must come, as long as it takes: how busy a machine is says nothing about the program.

A wait that never ends is ended by the limit of every test (``timeout`` in pyproject.toml), which shows where it hung.
"""

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")

GLANCE = 0.02
# For interfaces that demand a number of seconds: longer than the limit of a test.
FOR_EVER = 3600.0


def until(look: Callable[[], Found | None], every: float = GLANCE) -> Found:
    """What is found at last: the first answer that is true in a condition."""
    while not (found := look()):
        time.sleep(every)
    return found
