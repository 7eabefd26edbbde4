"""The straight way to what is asked for most: a member by their id alone, an estimate by its address.

Finding a route among all, checking parameters that are not there and changing threads would cost more than the answer
itself. So a plain question of anybody (no cookie of ours, no token, no ETag) is answered here, by the same functions
that answer it at the routes, problems too, so that nothing is tried or counted twice; whatever is out of the ordinary
goes the long way.
"""

from collections.abc import Awaitable, Callable, Mapping

from fastapi import Request, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from crosstable.web.cache import has_our_cookie
from crosstable.web.pages.estimate import estimate_answer, estimate_by_address, estimate_page
from crosstable.web.pages.members import MEMBER, MOST_ID
from crosstable.web.problems import Problem
from crosstable.web.reading import Reading
from crosstable.web.replies import PAGE, kept, made, problem_reply

# How long a statement may take here.
BRIEF_SECONDS = 0.2
TOO_SLOW = 503
# A file answers at once.
_FILE = "sqlite"
_MEMBERS = "/members/"
_ESTIMATES: Mapping[str, Callable[[Request], Awaitable[Response]]] = {
    "/estimate": estimate_page,
    "/estimate/answer": estimate_answer,
    "/estimate.json": estimate_by_address,
    "/api/v1/estimate": estimate_by_address,
}
_OUT_OF_THE_ORDINARY = frozenset({b"authorization", b"if-none-match"})


class Straight:
    """Answers plain questions; every other goes on to the routes."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and scope["method"] == "GET" and _is_plain(scope):
            try:
                response = await _answer(scope)
            except Problem as problem:
                response = problem_reply(Request(scope), problem)
            if response is not None:
                await response(scope, receive, send)
                return
        await self.app(scope, receive, send)


def _is_plain(scope: Scope) -> bool:
    return all(name not in _OUT_OF_THE_ORDINARY for name, _ in scope["headers"]) and not has_our_cookie(scope)


async def _answer(scope: Scope) -> Response | None:
    path: str = scope["path"]
    if path in _ESTIMATES:
        return await _ESTIMATES[path](Request(scope))
    if path.startswith(_MEMBERS) and not scope["query_string"]:
        return _member(Request(scope), path.removeprefix(_MEMBERS))
    return None


def _member(request: Request, member_id: str) -> Response | None:
    """The page of a member; not while somebody else holds the snapshot, nor where a server would be waited for.

    Nobody else is answered meanwhile, so what takes longer than a moment is begun anew in a thread of its own.
    """
    reading: Reading = request.app.state.reading
    read = reading.now
    if len(member_id) > MOST_ID or read.member(member_id) is None or read.connection.dialect.name != _FILE:
        return None
    if not read.lock.acquire(blocking=False):
        return None
    usual = read.limit.seconds
    read.limit.seconds = min(usual, BRIEF_SECONDS)
    try:
        body, headers = made(request, read, MEMBER, PAGE, {"member_id": member_id})
    except Problem as problem:
        if problem.status == TOO_SLOW:
            return None
        raise
    finally:
        read.limit.seconds = usual
        read.lock.release()
    return kept(request, read, body, PAGE.media_type, headers)
