"""Stories of several readers at once, told in a loop of their own.

A browser that was opened earlier in this process keeps a loop running in the main thread, where no second one may run.
"""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

_Told = TypeVar("_Told")


def told(story: Coroutine[Any, Any, _Told]) -> _Told:
    """What a story came to."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, story).result()
