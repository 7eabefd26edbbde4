"""Making the site: settings in, an ASGI application out. Every route comes from the tables named here."""

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import cache, partial
from importlib import import_module
from logging.config import dictConfig
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from crosstable import __version__
from crosstable.errors import OfficeError
from crosstable.office.database import open_office
from crosstable.office.mail_server import mail_server
from crosstable.web.api.described import described
from crosstable.web.bodies import BodyLimit
from crosstable.web.cache import FromCache, PageCache
from crosstable.web.forms import refusal
from crosstable.web.gate import guards, is_from_known
from crosstable.web.headers import Compressed, HostGuard
from crosstable.web.kept_files import KeptFiles
from crosstable.web.languages import InLanguages
from crosstable.web.lean_files import LeanFiles
from crosstable.web.limits import Limiter, Stated
from crosstable.web.mail import send_due
from crosstable.web.operations import PATHS, Observed, log_settings
from crosstable.web.problems import Problem
from crosstable.web.reading import Reading
from crosstable.web.replies import problem_reply, routes_of
from crosstable.web.routes import API, Page, Route
from crosstable.web.settings import Settings, handed_over
from crosstable.web.straight import Straight
from crosstable.web.templating import Site, Templates

STATIC = Path(__file__).parent / "static"
# Modules with PAGES (each a page, its twin and perhaps an operation) and with ROUTES (anything else).
PAGE_MODULES = (
    *("home", "games", "members", "events", "event", "sections", "explanations", "lists", "rules", "changes"),
    *("calculator", "places"),
)
ROUTE_MODULES: tuple[str, ...] = (
    "operations",
    "pages.events",
    "pages.lists",
    "pages.estimate",
    "pages.api_docs",
    "api.rating",
    "api.previews",
    "sessions",
    "pages.rate_file",
    "pages.workbench",
    "pages.upload",
    "pages.my_events",
    "pages.administration",
    "pages.administration_events",
    "pages.administration_members",
    "pages.administration_decisions",
    "pages.administration_accounts",
    "api.submissions",
    "pages.jobs",
)
# Shorter replies are sent as they are; a little is gained quickly, the rest slowly.
SHORT, QUICK = 1024, 3
# Small records are read before the first request is served, large ones while a page says so.
PATIENCE_AT_START = 5.0
# A mail server that does not answer is asked again after so many seconds at most.
LONGEST_WAIT = 600.0
MOST_CONNECTIONS = 16_384
LOG = logging.getLogger("crosstable.web")


def all_routes() -> Iterator[Route]:
    """Every route of the site, in the order in which they are tried."""
    for name in PAGE_MODULES:
        pages: tuple[Page, ...] = import_module(f"crosstable.web.pages.{name}").PAGES
        for page in pages:
            yield from routes_of(page)
    for name in ROUTE_MODULES:
        routes: tuple[Route, ...] = import_module(f"crosstable.web.{name}").ROUTES
        yield from routes


def create_app(settings: Settings, after_reading: Callable[[], object] = lambda: None) -> FastAPI:
    """The whole site on one office; ``after_reading`` is called whenever it has read a record that has grown."""
    cache, limiter = PageCache(settings.cache_bytes), Limiter(shared=settings.counts_file)
    app: FastAPI = FastAPI(
        title="Crosstable",
        version=__version__,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_life,
        middleware=[
            Middleware(Observed, parts=_parts()),
            Middleware(Compressed, minimum_size=SHORT, compresslevel=QUICK),
            Middleware(Stated, limiter=limiter),
            Middleware(InLanguages),
            Middleware(HostGuard, hosts=settings.allowed_hosts, free=PATHS, on_error=_on_error),
            Middleware(BodyLimit, most=settings.body_bytes, on_problem=problem_reply, is_known=is_from_known),
            Middleware(FromCache, cache=cache, tag=lambda: app.state.reading.tag),
            Middleware(Straight),
        ],
    )
    app.state.settings = settings
    app.state.cache = cache
    app.state.limiter = limiter
    app.state.after_reading = after_reading
    app.state.templates = Templates(Site(is_demo=settings.is_demo))
    app.state.reading = Reading(open_office(settings.database))
    app.state.mail_server = mail_server()
    app.state.kept_files = KeptFiles(app.state.reading.office.url)
    app.router.routes.extend(_made_routes())
    app.mount("/static", LeanFiles(directory=STATIC), name="static")
    app.openapi = partial(described, app)  # type: ignore[method-assign]
    app.add_exception_handler(Problem, _on_problem)  # type: ignore[arg-type]
    app.add_exception_handler(OfficeError, _on_office)  # type: ignore[arg-type]
    app.add_exception_handler(HTTPException, _on_refusal)  # type: ignore[arg-type]
    app.add_exception_handler(RequestValidationError, _on_wrong_question)  # type: ignore[arg-type]
    return app


def from_environment() -> FastAPI:
    """The site as a worker process makes it: the process and its collector are the site's alone."""
    _open_many()
    settings = handed_over()
    dictConfig(log_settings(settings.has_json_log, settings.has_access_log))
    return create_app(settings, _leave_out_of_collection)


def _open_many() -> None:
    """Every connection, slow ones too, needs a file of this process; few systems allow many unasked."""
    try:
        import resource
    except ImportError:  # Windows sets no such limit
        return
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS if most == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, most)
    with suppress(ValueError):  # macOS names no most, and has one
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(now, wanted), most))


@cache
def _made_routes() -> tuple[BaseRoute, ...]:
    """Every route as FastAPI reads it; none of them knows the site that it belongs to, so all sites share them."""
    router = APIRouter()
    for route in all_routes():
        router.add_api_route(
            route.path,
            route.endpoint,
            methods=list(route.methods),
            include_in_schema=route.in_schema,
            dependencies=guards(route.policy),
            **{"response_model": None, **route.options},
        )
    return tuple(router.routes)


@cache
def _parts() -> tuple[str, ...]:
    """The parts of the site by which requests are counted: the first words of its addresses."""
    return ("static", *sorted({route.path.split("/", 2)[1] for route in all_routes() if "{" not in route.path[:2]}))


# starting, watching, ending


@asynccontextmanager
async def _life(app: FastAPI) -> AsyncIterator[None]:
    reading: Reading = app.state.reading
    first = asyncio.create_task(asyncio.to_thread(_renewed, app))
    await asyncio.wait([first], timeout=PATIENCE_AT_START)
    tasks = [asyncio.create_task(_watch(app, first))]
    if app.state.mail_server is not None:
        tasks.append(asyncio.create_task(_mail(app)))
    yield
    for task in tasks:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    await asyncio.to_thread(reading.close)
    app.state.kept_files.close()


def _renewed(app: FastAPI) -> None:
    """Read the record if it has grown."""
    reading: Reading = app.state.reading
    before = reading.tag
    reading.renew()
    if reading.served is not None:
        app.state.kept_files.let_go_of_erased(reading.served.erasures)
    if reading.tag != before:
        app.state.after_reading()


def _leave_out_of_collection() -> None:
    """The collector leaves a new snapshot out, which lives long and is large.

    Walking through it again and again would keep everybody waiting who asks for a page just then.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


async def _watch(app: FastAPI, first: "asyncio.Task[Any]") -> None:
    """Make the next snapshot when the record has grown; the old one is served meanwhile."""
    await asyncio.wait([first])
    said = ""
    while True:
        try:
            await asyncio.to_thread(_renewed, app)
            said = ""
        except OfficeError as error:  # told once, not every second
            if said != str(error):
                said = str(error)
                LOG.error("the record could not be read anew: %s", said)
        except Exception:  # the door: the site goes on with what it has, and says so to its keeper
            LOG.exception("the record could not be read anew")
        await asyncio.sleep(app.state.settings.watch_every)


async def _mail(app: FastAPI) -> None:
    """Mail notices beside the requests; a mail server that does not answer is tried again after a while."""
    every: float = app.state.settings.mail_every
    wait = every
    while True:
        await asyncio.sleep(wait)
        try:
            await asyncio.to_thread(send_due, app.state.reading.office, app.state.mail_server, every)
            wait = every
        except Exception as error:  # the door: the record keeps what is to be told
            wait = min(2 * wait, LONGEST_WAIT)
            LOG.warning("mail could not be sent, and is tried again: %s", error)


# what went wrong


async def _on_problem(request: Request, problem: Problem) -> Response:
    return problem_reply(request, problem)


async def _on_office(request: Request, error: OfficeError) -> Response:
    """What the office refuses before a page is made: who asks cannot be found out."""
    return problem_reply(request, refusal(error))


async def _on_refusal(request: Request, refusal: HTTPException) -> Response:
    said = "There is nothing at this address." if refusal.status_code == 404 else str(refusal.detail)
    headers = dict(refusal.headers or {})
    if refusal.status_code == 405:
        headers["Allow"] = ", ".join(_methods_at(request))
        said = f"This address takes {headers['Allow']}."
    return problem_reply(request, Problem(refusal.status_code, said, headers=headers))


def _methods_at(request: Request) -> list[str]:
    """Everything that may be done at an address: one that is read and written has a route for each."""
    path = request.url.path
    routes = [route for route in request.app.routes if isinstance(route, APIRoute) and route.path_regex.match(path)]
    return sorted({method for route in routes for method in route.methods or ()})


async def _on_wrong_question(request: Request, wrong: RequestValidationError) -> Response:
    errors = [
        {"where": ".".join(str(part) for part in one["loc"]), "what": one["msg"], "code": one["type"]}
        for one in wrong.errors()
    ]
    said = "; ".join(f"{one['where']}: {one['what']}" for one in errors)
    return problem_reply(request, Problem(422, said, errors=errors))


def _on_error(request: Request) -> Response:
    """Nobody foresaw this: the log has the details, the reply none of them."""
    said = "The site met an error of its own. If you were storing something, look whether it is there."
    return problem_reply(request, Problem(500, said))
