"""Pages with forms: shown to one person and kept by nobody; what the office refuses becomes a problem in words."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any, ParamSpec, TypeVar

from anyio import to_thread
from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse

from crosstable.errors import NoOfficeError, OfficeBusyError, OfficeError, ReplacedOfficeError, SchemaError
from crosstable.web.gate import mark_of
from crosstable.web.limits import FILES, FILES_OF_ANYBODY, Line, Queue
from crosstable.web.policies import NOBODY, Actor
from crosstable.web.problems import Problem, replaced
from crosstable.web.reading import Reading
from crosstable.web.replies import HTML, render

LOG = logging.getLogger("crosstable.web")
Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")
PRIVATE = {"Cache-Control": "no-store"}
# What a database says may hold its address; what the office says is written for people.
_OF_THE_STORE = "the database says"


def actor_in(request: Request) -> Actor:
    """Who asks, as the gate found out."""
    actor: Actor = getattr(request.state, "actor", NOBODY)
    return actor


def page(request: Request, template: str, status: int = 200, **context: Any) -> Response:  # noqa: ANN401
    """A page for one person; its forms carry the mark of the session."""
    actor = actor_in(request)
    known = {"mark": mark_of(actor.secret) if actor.secret else "", "actor": actor}
    body = render(request, template, **{**known, **context})
    return Response(body, status, media_type=HTML, headers=dict(PRIVATE))


def went(to: str) -> Response:
    """After a write: look at another page, so that loading this one again repeats nothing."""
    return RedirectResponse(to, 303, headers=dict(PRIVATE))


async def in_office(work: Callable[Asked, Answer], *given: Asked.args, **named: Asked.kwargs) -> Answer:
    """Do work in the office beside the other requests; what it refuses becomes a problem."""
    try:
        return await run_in_threadpool(work, *given, **named)
    except OfficeError as error:
        raise refusal(error) from error


def files_queue(request: Request) -> Queue:
    """Where the files of whoever asks wait their turn."""
    return FILES if actor_in(request).is_known else FILES_OF_ANYBODY


async def in_queue(queue: Line, work: Callable[Asked, Answer], *given: Asked.args, **named: Asked.kwargs) -> Answer:
    """The same for work that takes a processor for a while: so many at a time, the others wait their turn."""
    try:
        with queue.place() as turns:
            return await to_thread.run_sync(partial(work, *given, **named), limiter=turns)
    except OfficeError as error:
        raise refusal(error) from error


def refusal(error: OfficeError) -> Problem:
    """What the office refuses, without anything of its database's address."""
    if isinstance(error, OfficeBusyError):
        return Problem(503, _sentence(str(error)), headers={"Retry-After": "10"})
    if isinstance(error, ReplacedOfficeError):
        return replaced()
    if isinstance(error, NoOfficeError | SchemaError) or _OF_THE_STORE in str(error):
        said = "The office cannot be reached just now. If you were storing something, look whether it is there."
        return Problem(503, said, headers={"Retry-After": "60"})
    return Problem(409, _sentence(str(error)))


def _sentence(said: str) -> str:
    text = " ".join(said.split())
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "!", "?")) else ".")


async def read_anew(request: Request) -> None:
    """Show at once what was stored, where that is quick; where it cannot be, it is stored all the same."""
    await run_in_threadpool(renew_quickly, request.app.state.reading)


def renew_quickly(reading: Reading) -> None:
    """The same beside a request."""
    if reading.tag is None or not reading.now.is_small or reading.is_crowded:
        return
    try:
        reading.renew()
    except Exception:  # the door: the watch tries again, and the reply says what is stored
        LOG.exception("the record could not be read anew")


def local_path(given: str, otherwise: str) -> str:
    """A path of this site to go on to; anything else is not followed."""
    is_ours = (
        given.startswith("/") and not given.startswith(("//", "/\\")) and given.isprintable() and "\\" not in given
    )
    return given if is_ours else otherwise
