"""Bodies of requests while they arrive: how long they may be, how slow, and how many at once.

A body that trickles in holds a connection and memory but no thread, so that readers do not notice it; that it does not
do so for ever, and not too often, is seen to here, before anybody looks at what is in it.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crosstable.web.limits import address_of
from crosstable.web.problems import MEDIA_TYPE, Problem

# A form has more around its files than the files themselves.
ENVELOPE = 64 * 1024
# A body has so many seconds, and one more for each so many bytes that have come.
FIRST_SECONDS = 30.0
BYTES_A_SECOND = 16 * 1024
# So many longer bodies may arrive at once, in each process and from one address; short ones are not counted.
MOST_AT_ONCE = 100
MOST_OF_ONE = 20
# So many more of people whom we know, however many others there are.
MOST_OF_KNOWN = 50
_KNOWN = "known"
OnProblem = Callable[[Request, Problem], Response]
IsKnown = Callable[[Request], Awaitable[bool]]


def as_document(request: Request, problem: Problem) -> Response:
    """A problem as programs read it."""
    content = problem.body(request.url.path).model_dump_json(exclude_none=True)
    return Response(content, problem.status, media_type=MEDIA_TYPE, headers=problem.headers)


async def nobody_is(request: Request) -> bool:
    """Where there are no accounts, nobody is known."""
    return False


class _RefusedError(Exception):
    pass


class BodyLimit:
    """Refuses a body that is too long, by what it says of itself or by counting, too slow, or one too many."""

    def __init__(
        self, app: ASGIApp, most: int, on_problem: OnProblem = as_document, is_known: IsKnown = nobody_is
    ) -> None:
        self.app = app
        self.most = most
        self.on_problem = on_problem
        self.is_known = is_known
        self.first_seconds = FIRST_SECONDS
        self._arriving: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        body = _Body(self, scope, receive, send)
        if await self._is_welcome(body):
            try:
                await self.app(scope, body.receive, body.send)
            except _RefusedError:
                pass  # told below
            finally:
                body.leave()
                form = scope.get("state", {}).get("form")
                if form is not None:  # its files lie in memory or on the disk until then
                    await form.close()
        await body.tell()

    async def _is_welcome(self, body: "_Body") -> bool:
        """Whether a body may come in; from now on it is counted."""
        if body.problem is None and body.is_counted:
            if self._is_full(body.address) and await self.is_known(Request(body.scope)):
                body.address = _KNOWN
            if self._is_full(body.address):
                said = "Too many files are being sent just now; please send it again in a moment."
                body.problem = Problem(503, said, headers={"Retry-After": "30"})
            else:
                self._arriving[body.address] += 1
        return body.problem is None

    def _is_full(self, address: str) -> bool:
        known = self._arriving[_KNOWN]
        if address == _KNOWN:
            return known >= MOST_OF_KNOWN
        return self._arriving[address] >= MOST_OF_ONE or self._arriving.total() - known >= MOST_AT_ONCE

    def gone(self, address: str) -> None:
        """A body has arrived, or is no longer waited for."""
        self._arriving[address] -= 1
        if self._arriving[address] <= 0:
            del self._arriving[address]


class _Body:
    """One body on its way; ``problem`` is why it was refused."""

    def __init__(self, limit: BodyLimit, scope: Scope, receive: Receive, send: Send) -> None:
        self.limit = limit
        self.scope = scope
        self.address = address_of(scope)
        self.problem: Problem | None = None
        self.is_answered = False
        self._receive, self._send = receive, send
        headers = dict(scope["headers"])
        said = headers.get(b"content-length", b"")
        length = int(said) if said.isdigit() else None
        self.is_whole = length is None and b"transfer-encoding" not in headers
        self.is_counted = not self.is_whole and (length is None or length > ENVELOPE)
        if length is not None and length > limit.most + ENVELOPE:
            self.problem = self._too_long()
        self._read = 0
        self._began = asyncio.get_running_loop().time()

    def _too_long(self) -> Problem:
        return Problem(413, f"A request may be at most {self.limit.most // (1024 * 1024)} MB long.")

    async def receive(self) -> Message:
        """The next piece of the body; afterwards, that the other side has gone."""
        if self.is_whole:
            return await self._receive()
        patience = self.limit.first_seconds + self._read / BYTES_A_SECOND
        try:
            async with asyncio.timeout_at(self._began + patience):
                message = await self._receive()
        except TimeoutError as error:
            said = f"The body came too slowly: {BYTES_A_SECOND // 1024} KB a second are the least."
            self.problem = Problem(408, said)
            raise _RefusedError from error
        self._read += len(message.get("body", b""))
        if self._read > self.limit.most + ENVELOPE:
            self.problem = self._too_long()
            raise _RefusedError
        if message["type"] != "http.request" or not message.get("more_body", False):
            self.is_whole = True
            self.leave()
        return message

    def leave(self) -> None:
        """Make room for the next one."""
        if self.is_counted:
            self.is_counted = False
            self.limit.gone(self.address)

    async def send(self, message: Message) -> None:
        """A piece of the reply; what is said about a body that was refused, others say."""
        if self.problem is not None:
            return
        self.is_answered = True
        if message["type"] == "http.response.start" and not self.is_whole:  # nobody reads the rest
            message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
        await self._send(message)

    async def tell(self) -> None:
        """Why it was refused, if it was; and the connection ends, for nobody reads what is still to come."""
        if self.problem is None or self.is_answered:
            return
        reply = self.limit.on_problem(Request(self.scope), self.problem)
        reply.headers["Connection"] = "close"
        await reply(self.scope, self._receive, self._send)
