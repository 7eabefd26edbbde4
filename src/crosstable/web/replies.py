"""One view, two forms: a page at its address, JSON at the same address with ``.json``; both with an ETag.

To add a page: write ``make(read, …) -> View`` and a template, and put a ``Page`` into the module's ``PAGES``; ``app``
names the module. Parameters after ``read`` are path and query parameters, typed as FastAPI wants them. In the template
the view is ``view``; see ``templating`` for what else is there. Forms and files write their own endpoints (a ``Route``)
and answer with ``render`` or ``Problem``.
"""

import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from typing import Any, NamedTuple

from anyio import to_thread
from fastapi import Request, Response
from pydantic import BaseModel, ConfigDict
from starlette.concurrency import run_in_threadpool

from crosstable import __version__
from crosstable.web.cache import ANY, Kept, PageCache, has_our_cookie, is_named
from crosstable.web.gate import actor_of
from crosstable.web.languages import code_of
from crosstable.web.limits import LIST_FILES, address_of
from crosstable.web.problems import MEDIA_TYPE, RESPONSES, Problem
from crosstable.web.reading import Reading, Snapshot
from crosstable.web.routes import API, Page, Route
from crosstable.web.templating import Templates, page_base

HTML = "text/html; charset=utf-8"
JSON = "application/json"
# Sites may keep a page, but ask each time whether it still stands.
REVALIDATE = "no-cache"
VARY = "Accept-Language, Cookie"


class AsOf(BaseModel):
    """Which state of the record an answer shows: its newest act, and the newest rating run."""

    act: int
    at: str
    run: int


class View(BaseModel):
    """What a page or an operation says. Subclasses add what they are about."""

    model_config = ConfigDict(frozen=True)
    as_of: AsOf

    @property
    def opens(self) -> str:
        """The address of another page that a browser is sent to; most views stay where they are."""
        return ""


class ElsewhereError(Exception):
    """What was asked for is a page of its own."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


class Paging(BaseModel):
    """Where in a long list an answer stands."""

    page: int
    size: int
    total: int

    @property
    def last(self) -> int:
        """The number of the last page."""
        return max(1, -(-self.total // self.size))


class Form(NamedTuple):
    """A form in which a view is given."""

    suffix: str
    media_type: str


PAGE, TWIN = Form("", HTML), Form(".json", JSON)


def paged(rows: list[Any], page: int, size: int) -> tuple[list[Any], Paging]:
    """The rows of one page; a page after the last one is not there."""
    paging = Paging(page=page, size=size, total=len(rows))
    if page > paging.last:
        raise Problem(404, f"There are {paging.last} pages; there is no page {page}.")
    return rows[(page - 1) * size : page * size], paging


def as_of(read: Snapshot) -> AsOf:
    """The state of the record that a snapshot shows."""
    return AsOf(act=read.head.seq, at=read.head.at.replace(second=0, microsecond=0).isoformat(), run=read.run)


def routes_of(page: Page) -> Iterator[Route]:
    """The routes of a page: the twin first, because a path parameter would swallow its suffix."""
    twin = "/index" if page.path == "/" else page.path
    if page.template:
        yield Route(f"{twin}.json", _endpoint(page, TWIN), page.policy)
    if page.api:
        options = {
            "summary": page.summary,
            "tags": [page.tag],
            "response_model": inspect.signature(page.make).return_annotation,
            "responses": RESPONSES,
            "operation_id": page.make.__name__,
        }
        yield Route(f"{API}{page.api}", _endpoint(page, TWIN), page.policy, in_schema=True, options=options)
    if page.template:
        yield Route(page.path, _endpoint(page, PAGE), page.policy)


def _endpoint(page: Page, form: Form) -> Callable[..., Any]:
    """The function that FastAPI calls: it asks for what ``make`` asks for, but for the record."""

    async def answer(request: Request, **asked: Any) -> Response:  # noqa: ANN401
        return await reply(request, page, form, asked)

    asked = list(inspect.signature(page.make).parameters.values())[1:]
    request = inspect.Parameter("request", inspect.Parameter.KEYWORD_ONLY, annotation=Request)
    keyword = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in asked]
    answer.__signature__ = inspect.Signature([request, *keyword])  # type: ignore[attr-defined]
    answer.__name__ = f"{page.make.__name__}{'_page' if form is PAGE else ''}"
    answer.__doc__ = page.make.__doc__
    return answer


async def reply(request: Request, page: Page, form: Form, asked: dict[str, Any]) -> Response:
    """Make the view and show it in a form; what is public is kept for the next who asks."""
    reading: Reading = request.app.state.reading
    read = reading.now
    is_somebody = has_our_cookie(request.scope) and form is PAGE
    if is_somebody and not hasattr(request.state, "actor"):
        request.state.actor = await actor_of(request)
    named = "" if has_our_cookie(request.scope) else request.headers.get("if-none-match", "")
    wanted = named.strip().encode("latin-1")
    tag = etag(read, request)
    unchanged = {"ETag": tag, "Cache-Control": REVALIDATE, "Vary": VARY}
    if wanted != ANY and is_named(wanted, tag.encode()):
        return Response(status_code=304, headers=unchanged)
    if page.prepare is not None and (work := page.prepare(read, asked)) is not None:
        with LIST_FILES.of(address_of(request.scope)).place() as turns:
            await to_thread.run_sync(work, limiter=turns)
    try:
        body, headers = await run_in_threadpool(made, request, read, page, form, asked)
    except ElsewhereError as there:
        return Response(status_code=303, headers={"Location": there.address, "Cache-Control": REVALIDATE})
    if wanted == ANY:  # only now is it known that there is something
        return Response(status_code=304, headers=unchanged)
    return kept(request, read, body, form.media_type, headers)


def kept(request: Request, read: Snapshot, body: bytes, media_type: str, more: Mapping[str, str]) -> Response:
    """A reply that everybody gets who asks the same of this state of the record, so it is kept for the next."""
    tag = etag(read, request)
    headers = {"ETag": tag, "Cache-Control": REVALIDATE, "Vary": VARY, **more}
    if not has_our_cookie(request.scope):
        cache: PageCache = request.app.state.cache
        cache.keep(request.scope, Kept.of(read.tag, tag, {**headers, "Content-Type": media_type}, body))
    return Response(body, media_type=media_type, headers=headers)


def made(
    request: Request, read: Snapshot, page: Page, form: Form, asked: dict[str, Any]
) -> tuple[bytes, dict[str, str]]:
    """A view in a form, and the headers that say where in a list it stands."""
    with read.asking() if page.holds_record else nullcontext():
        view: View = page.make(read, **asked)
    if form is PAGE and view.opens:
        raise ElsewhereError(view.opens)
    headers = dict(_links(request, view))
    if form is TWIN:
        return view.model_dump_json().encode(), headers
    return render(request, page.template, view=view, read=read), headers


def render(request: Request, template: str, **context: Any) -> bytes:  # noqa: ANN401
    """A page from a template, with the office, the actor who asks, and the address in its context."""
    templates: Templates = request.app.state.templates
    return templates.page(request, template, context)


def _links(request: Request, view: View) -> Iterator[tuple[str, str]]:
    """The pages before and after this one, for programs."""
    paging = getattr(view, "paging", None)
    if not isinstance(paging, Paging):
        return
    near = {"first": 1, "prev": paging.page - 1, "next": paging.page + 1, "last": paging.last}
    base = page_base(request)
    links = [f'<{base}{number}>; rel="{name}"' for name, number in near.items() if 0 < number <= paging.last]
    yield "Link", ", ".join(links)
    yield "X-Total-Count", str(paging.total)


def etag(read: Snapshot, request: Request) -> str:
    """The same for the same question to the same state of the record by the same program, in the same language."""
    whole = "\n".join((__version__, read.tag, request.url.path, request.url.query, code_of(request.scope)))
    return f'"{hashlib.sha256(whole.encode()).hexdigest()[:24]}"'


def is_for_programs(request: Request) -> bool:
    """Whether the answer is for a program: the API, the twins, and scripts that ask for JSON and nothing else."""
    path = request.url.path
    return path.startswith("/api/") or path.endswith(".json") or request.headers.get("accept") == JSON


def problem_reply(request: Request, problem: Problem) -> Response:
    """The reply that tells a problem."""
    body = problem.body(request.url.path)
    if is_for_programs(request):
        content = body.model_dump_json(exclude_none=True).encode()
        return Response(content, problem.status, media_type=MEDIA_TYPE, headers=problem.headers)
    page = render(request, "problem.html", problem=body)
    return Response(page, problem.status, media_type=HTML, headers=problem.headers)
