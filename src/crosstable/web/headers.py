"""What goes on every reply, also on one about an error of our own, and the first look at every request: its Host."""

import logging
from collections.abc import Callable, Iterable

from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crosstable.web.cache import has_our_cookie
from crosstable.web.problems import MEDIA_TYPE, Problem

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
ON_EVERY_REPLY: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"interest-cohort=()"),
)
# What a page of another site may be told it may ask: to read, also whether something changed since.
MAY_READ: tuple[tuple[bytes, bytes], ...] = (
    (b"access-control-allow-methods", b"GET, HEAD"),
    (b"access-control-allow-headers", b"Accept, If-None-Match"),
    (b"access-control-max-age", b"86400"),
)
FOR_ANY_SITE: tuple[tuple[bytes, bytes], ...] = (
    *((name, value) for name, value in ON_EVERY_REPLY if name != b"cross-origin-resource-policy"),
    (b"cross-origin-resource-policy", b"cross-origin"),
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", b"ETag, Link, X-Total-Count, RateLimit-Remaining, RateLimit-Reset, Retry-After"),
)
# Whoever came over an encrypted connection comes so again, for a year.
ONLY_ENCRYPTED = (b"strict-transport-security", b"max-age=31536000")
LOG = logging.getLogger("crosstable.web")
OnError = Callable[[Request], Response]


class HostGuard:
    """Refuses hosts that are not ours (DNS rebinding), but at ``free`` paths, and puts the headers on every reply.

    What nobody foresaw ends here too: Starlette's own handler answers outside, where no header would be added.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str], free: Iterable[str], on_error: OnError) -> None:
        self.app = app
        self.free = frozenset(free)
        self.hosts = frozenset(hosts)
        self.on_error = on_error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        is_bare = scope["method"] == "HEAD"  # the same as GET, but for the body
        is_answered = False

        async def with_headers(message: Message) -> None:
            nonlocal is_answered
            is_answered = True
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *_headers_of(scope)]}
            elif is_bare and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        if not self._is_ours(scope) and scope["path"] not in self.free:
            await _refuse(Problem(421, "This site does not go by that name."), with_headers)
            return
        if _asks_to_read(scope):
            await with_headers({"type": "http.response.start", "status": 204, "headers": list(MAY_READ)})
            await with_headers({"type": "http.response.body", "body": b""})
            return
        try:
            await self.app({**scope, "method": "GET"} if is_bare else scope, receive, with_headers)
        except Exception:
            LOG.exception("an error of our own at %s", scope["path"])
            if is_answered:  # half a reply cannot be taken back; the server ends the connection
                raise
            await self.on_error(Request(scope))(scope, receive, with_headers)

    def _is_ours(self, scope: Scope) -> bool:
        host = next((value for name, value in scope["headers"] if name == b"host"), b"").decode("latin-1")
        name = host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
        return name.casefold() in self.hosts


def _headers_of(scope: Scope) -> tuple[tuple[bytes, bytes], ...]:
    """What every reply says; what programs read may be read by pages of other sites too."""
    is_read = scope["method"] in ("GET", "HEAD") and _is_for_programs(scope)
    always = FOR_ANY_SITE if is_read or _asks_to_read(scope) else ON_EVERY_REPLY
    return (*always, ONLY_ENCRYPTED) if scope["scheme"] == "https" else always


def _is_for_programs(scope: Scope) -> bool:
    path: str = scope["path"]
    return path.startswith("/api/") or path.endswith(".json")


def _asks_to_read(scope: Scope) -> bool:
    """Whether a browser asks for a page of another site if it may read here (a preflight request)."""
    if scope["method"] != "OPTIONS" or not _is_for_programs(scope):
        return False
    wanted = next((value for name, value in scope["headers"] if name == b"access-control-request-method"), b"")
    return wanted in (b"GET", b"HEAD")


async def _refuse(problem: Problem, send: Send) -> None:
    body = problem.body().model_dump_json(exclude_none=True).encode()
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Compressed(GZipMiddleware):
    """Compresses what anybody may read, files and replies to programs; never a page that holds somebody's own mark.

    Nor one that grows while it is read.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        is_open = scope["type"] == "http" and _may_shrink(scope) and not has_our_cookie(scope)
        await (super().__call__ if is_open else self.app)(scope, receive, send)


def _may_shrink(scope: Scope) -> bool:
    return scope["method"] in ("GET", "HEAD") or scope["path"].startswith(("/api/", "/upload/check"))
