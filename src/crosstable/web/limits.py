"""How much anybody may ask: the length of a body before it is read, calls a minute from one address, and queues."""

import threading
import time
from collections import OrderedDict
from typing import NamedTuple

from anyio import CapacityLimiter
from anyio.lowlevel import RunVar
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crosstable.web.problems import MEDIA_TYPE, Problem

CALLS_A_MINUTE = 60
_MINUTE = 60.0
# So many addresses are remembered; the one that was quiet longest is forgotten first.
_MOST_ADDRESSES = 20_000
# A form has more around its files than the files themselves.
ENVELOPE = 64 * 1024
# A longer body is more work: each so many bytes count as one more call.
BYTES_A_CALL = 256 * 1024


def cost_of(length: int) -> int:
    """As how many calls a request counts whose body is so long."""
    return 1 + length // BYTES_A_CALL


class Queue:
    """Work that takes a processor, or memory, for a while: so much at a time in each process, and so much waiting."""

    def __init__(self, name: str, at_a_time: int, longest: int) -> None:
        self.at_a_time = at_a_time
        self.longest = longest
        self._limiter: RunVar[CapacityLimiter] = RunVar(name)

    def turns(self) -> CapacityLimiter:
        """Who gives the turns; a problem where too many wait for one already."""
        found = self._limiter.get(None)
        if found is None:
            found = CapacityLimiter(self.at_a_time)
            self._limiter.set(found)
        if found.statistics().tasks_waiting >= self.longest:
            raise Problem(503, "Too many wait for this just now; please ask again.", headers={"Retry-After": "10"})
        return found


# Files of people whom we know never wait behind those of anybody else.
FILES = Queue("files", at_a_time=2, longest=100)
FILES_OF_ANYBODY = Queue("files of anybody", at_a_time=1, longest=10)
# A hash takes 64 MB while it is made.
PASSWORDS = Queue("passwords", at_a_time=2, longest=50)


class Allowance(NamedTuple):
    """What is left of a limit."""

    limit: int
    left: int
    seconds: int
    is_granted: bool

    @property
    def headers(self) -> dict[str, str]:
        """The limit as replies state it."""
        said = {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.left),
            "RateLimit-Reset": str(self.seconds),
        }
        return said if self.is_granted else {**said, "Retry-After": str(self.seconds)}


class Limiter:
    """Calls a minute from one address, counted in this process."""

    def __init__(self, most: int = CALLS_A_MINUTE) -> None:
        self.most = most
        self._seen: OrderedDict[str, tuple[float, int]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, address: str, cost: int = 1) -> Allowance:
        """Count a call; says what is left, and whether it may be answered."""
        now = time.monotonic()
        with self._lock:
            began, used = self._seen.pop(address, (now, 0))
            if now - began >= _MINUTE:
                began, used = now, 0
            is_granted = used + cost <= self.most
            used += cost if is_granted else 0
            self._seen[address] = began, used
            while len(self._seen) > _MOST_ADDRESSES:
                self._seen.popitem(last=False)
        return Allowance(self.most, self.most - used, max(1, round(began + _MINUTE - now)), is_granted)


class _TooLongError(Exception):
    pass


class BodyLimit:
    """Refuses a body that is too long: by what it says of itself, or by counting where it says nothing.

    What is left of an allowance goes on the reply, whoever makes it.
    """

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        said = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
        if said.isdigit() and int(said) > self.most + ENVELOPE:
            await self._refuse(send)
            return
        read, is_answered = 0, False

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self.most + ENVELOPE:
                raise _TooLongError
            return message

        async def watched(message: Message) -> None:
            nonlocal is_answered
            is_answered = True
            allowance = scope.get("state", {}).get("allowance")
            if message["type"] == "http.response.start" and allowance is not None:
                said = [(name.lower().encode(), value.encode()) for name, value in allowance.headers.items()]
                message = {**message, "headers": [*message["headers"], *said]}
            await send(message)

        try:
            await self.app(scope, counted, watched)
        except _TooLongError:
            if not is_answered:
                await self._refuse(send)
        finally:
            form = scope.get("state", {}).get("form")
            if form is not None:  # its files lie in memory or on the disk until then
                await form.close()

    async def _refuse(self, send: Send) -> None:
        problem = Problem(413, f"A request may be at most {self.most // (1024 * 1024)} MB long.")
        body = problem.body().model_dump_json(exclude_none=True).encode()
        headers = [
            (b"content-type", MEDIA_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        await send({"type": "http.response.start", "status": problem.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
