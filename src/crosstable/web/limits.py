"""How much anybody may ask: calls a minute from one address, and queues for what takes long (decision 0013)."""

import hashlib
import ipaddress
import mmap
import os
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from typing import NamedTuple, Protocol

from anyio import CapacityLimiter
from anyio.lowlevel import RunVar
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crosstable.web.problems import Problem

CALLS_A_MINUTE = 60
# The address of whoever has none.
UNKNOWN = "unknown"
_MINUTE = 60.0
# So many addresses are remembered, each in one of so many places.
_MOST_ADDRESSES = 20_000
_TRIES = 8
# An address (its hash), when its minute began, and what it used of it.
_COUNT = struct.Struct("8sdQ")
# A longer body is more work: each so many bytes count as one more call.
BYTES_A_CALL = 256 * 1024
# As how many calls it counts to have a list made as a file, and an estimate of many games.
LIST_FILE_COST = 5
MANY_GAMES_COST = 2
# Whoever has one address of IPv6 has all that begin alike.
_OWN_BITS = 64


def address_of(scope: Scope) -> str:
    """Where a request comes from, as it is counted: of IPv6, the network."""
    return _counted(scope["client"][0]) if scope.get("client") else UNKNOWN


@lru_cache(maxsize=4096)
def _counted(host: str) -> str:
    if ":" not in host:
        return host
    try:
        found = ipaddress.IPv6Address(host)
    except ValueError:
        return host
    mapped = found.ipv4_mapped
    return str(mapped or ipaddress.IPv6Network((int(found), _OWN_BITS), strict=False))


def cost_of(length: int) -> int:
    """As how many calls a request counts whose body is so long."""
    return 1 + length // BYTES_A_CALL


class Line(Protocol):
    """Where work waits its turn."""

    def place(self) -> AbstractContextManager[CapacityLimiter]:
        """A place in it, and who gives the turns."""


class Queue:
    """Work that takes a processor, or memory, for a while: so much at a time in each process, and so much waiting."""

    def __init__(self, name: str, at_a_time: int, longest: int, of_one: int | None = None) -> None:
        self.at_a_time = at_a_time
        self.longest = longest
        self.of_one = of_one
        self._by_address: Counter[str] = Counter()
        self._limiter: RunVar[CapacityLimiter] = RunVar(name)
        self._inside = 0

    @contextmanager
    def place(self) -> Iterator[CapacityLimiter]:
        """A place in the queue, and who gives the turns; a problem where too many wait for one already.

        Counted here and at once: whoever comes in asks for their turn a little later, when others may have come too.
        """
        if self._inside >= self.at_a_time + self.longest:
            raise _crowded()
        found = self._limiter.get(None)
        if found is None:
            found = CapacityLimiter(self.at_a_time)
            self._limiter.set(found)
        self._inside += 1
        try:
            yield found
        finally:
            self._inside -= 1

    def of(self, address: str) -> "Line":
        """The same for one address, which has only so many of the places."""
        return _OfOne(self, address)

    @contextmanager
    def place_of(self, address: str) -> Iterator[CapacityLimiter]:
        """A place of one address."""
        if self.of_one is not None and self._by_address[address] >= self.of_one:
            raise _crowded()
        with self.place() as found:
            self._by_address[address] += 1
            try:
                yield found
            finally:
                self._by_address[address] -= 1
                if not self._by_address[address]:
                    del self._by_address[address]


class _OfOne(NamedTuple):
    queue: Queue
    address: str

    def place(self) -> AbstractContextManager[CapacityLimiter]:
        return self.queue.place_of(self.address)


def _crowded() -> Problem:
    return Problem(503, "Too many wait for this just now; please ask again.", headers={"Retry-After": "10"})


# Files of people whom we know never wait behind those of anybody else.
FILES = Queue("files", at_a_time=2, longest=100)
FILES_OF_ANYBODY = Queue("files of anybody", at_a_time=1, longest=10)
# Estimates of many games: those of people whom we know wait for themselves too.
WHAT_IFS = Queue("what-ifs", at_a_time=1, longest=50)
WHAT_IFS_OF_ANYBODY = Queue("what-ifs of anybody", at_a_time=1, longest=50, of_one=10)
# Lists as files, and what a page of an older list has to read first.
LIST_FILES = Queue("list files", at_a_time=1, longest=20, of_one=4)
# A hash takes 64 MB while it is made.
PASSWORDS = Queue("passwords", at_a_time=2, longest=50)


class Allowance(NamedTuple):
    """What is left of a limit, and what a call cost of it."""

    limit: int
    left: int
    seconds: int
    is_granted: bool = True
    cost: int = 0

    @property
    def headers(self) -> dict[str, str]:
        """The limit as replies state it."""
        said = {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.left),
            "RateLimit-Reset": str(self.seconds),
            "RateLimit-Cost": str(self.cost),
        }
        return said if self.is_granted else {**said, "Retry-After": str(self.seconds)}


class Limiter:
    """Calls a minute from one address, counted in this process or, with a file, in all processes that have it.

    The counts are a table of fixed size: an address has a few places, and takes the one that began longest ago.
    """

    def __init__(
        self, most: int = CALLS_A_MINUTE, clock: Callable[[], float] = time.monotonic, shared: str = ""
    ) -> None:
        self.most = most
        self.clock = clock
        self._lock = threading.Lock()
        size = _MOST_ADDRESSES * _COUNT.size
        self._file = shared_file(shared, size) if shared else None
        self._counts = mmap.mmap(-1 if self._file is None else self._file, size)

    def take(self, address: str, cost: int = 1) -> Allowance:
        """Count a call; says what is left, and whether it may be answered."""
        with self._alone():
            now = self.clock()
            key, at, began, used = self._found(address, now)
            is_granted = used + cost <= self.most
            used += cost if is_granted else 0
            _COUNT.pack_into(self._counts, at, key, began, used)
        return Allowance(self.most, self.most - used, self._seconds(began, now), is_granted, cost)

    def look(self, address: str) -> Allowance:
        """What is left, without counting anything."""
        with self._alone():
            now = self.clock()
            _, _, began, used = self._found(address, now)
        return Allowance(self.most, self.most - used, self._seconds(began, now) if used else 0)

    def forget(self) -> None:
        """Count anew."""
        with self._alone():
            self._counts[:] = bytes(len(self._counts))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While nobody else counts, in this process or in another."""
        with self._lock:
            if self._file is None:
                yield
                return
            import fcntl

            fcntl.flock(self._file, fcntl.LOCK_EX)  # freed by the system when a process ends, however it ends
            try:
                yield
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def _found(self, address: str, now: float) -> tuple[bytes, int, float, int]:
        """The key of an address, its place in the table, when its minute began and what it used of it."""
        key = hashlib.blake2b(address.encode(), digest_size=8).digest()
        first = int.from_bytes(key)
        places = [(first + step) % _MOST_ADDRESSES * _COUNT.size for step in range(min(_TRIES, _MOST_ADDRESSES))]
        counts = [_COUNT.unpack_from(self._counts, at) for at in places]
        for at, (found, began, used) in zip(places, counts, strict=True):
            if found == key:
                return (key, at, now, 0) if now - began >= _MINUTE else (key, at, began, used)
        oldest = min(range(len(counts)), key=lambda one: counts[one][1])
        return key, places[oldest], now, 0

    @staticmethod
    def _seconds(began: float, now: float) -> int:
        return max(1, round(began + _MINUTE - now))


def shared_file(path: str, size: int) -> int:
    """A file of that size, open as long as the process lives; made where it is not there, for this account alone."""
    number = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if os.fstat(number).st_size < size:
        os.ftruncate(number, size)  # what is added is zeros, so it does not matter who comes first
    return number


class Stated:
    """Every reply to a program says what it cost and what is left; pages say it where something was counted."""

    def __init__(self, app: ASGIApp, limiter: Limiter) -> None:
        self.app = app
        self.limiter = limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        path: str = scope["path"]
        is_for_programs = path.startswith("/api/") or path.endswith(".json")

        async def stated(message: Message) -> None:
            if message["type"] == "http.response.start":
                allowance: Allowance | None = state.get("allowance")
                if allowance is None and is_for_programs:
                    allowance = self.limiter.look(address_of(scope))
                if allowance is not None:
                    said = [(name.lower().encode(), value.encode()) for name, value in allowance.headers.items()]
                    message = {**message, "headers": [*message["headers"], *said]}
            await send(message)

        await self.app(scope, receive, stated)
