"""What an operator looks at: whether the site lives and is ready, its figures, and a line in the log per request.

Every request has an id, its own or the one that a proxy gave it. The reply carries it, and so does every line that is
logged meanwhile.
"""

import ipaddress
import logging
import os
import re
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import Request, Response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import REGISTRY
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crosstable import log_lines
from crosstable.errors import OfficeError
from crosstable.log_lines import REQUEST_ID
from crosstable.machine import is_running
from crosstable.office.jobs import JobState, waiting
from crosstable.web.problems import Problem
from crosstable.web.reading import Reading
from crosstable.web.routes import Policy, Route
from crosstable.web.settings import Settings

ACCESS = logging.getLogger("crosstable.access")
# Programs ask here under whatever name or address they reach the machine; nothing personal is told.
PATHS = frozenset({"/healthz", "/readyz", "/metrics"})
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
# Where the worker processes put their figures together (the name is the library's).
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_ID = re.compile(r"[A-Za-z0-9_.-]{8,64}")
_OTHER = "other"

REQUESTS = Counter("crosstable_requests", "Requests answered.", ("part", "method", "status"))
SECONDS = Histogram(
    "crosstable_request_seconds",
    "How long replies took, by part of the site.",
    ("part",),
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0),
)
OPEN = Gauge("crosstable_requests_open", "Requests being answered.", multiprocess_mode="livesum")
ENTRY = Gauge("crosstable_journal_entry", "The newest journal entry that is served.", multiprocess_mode="max")
JOBS = Gauge("crosstable_jobs", "Jobs by state.", ("state",), multiprocess_mode="mostrecent")
ERRORS = Counter("crosstable_errors", "Errors of our own: each has a traceback in the log.")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Observed:
    """Gives every request its id, counts it, and logs it."""

    def __init__(self, app: ASGIApp, parts: Sequence[str]) -> None:
        self.app = app
        self.parts = frozenset(parts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = _given_id(scope) or secrets.token_hex(8)
        token = REQUEST_ID.set(request_id)
        status, sent, begun = 500, 0, time.perf_counter()

        async def told(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], (b"x-request-id", request_id.encode())]}
            else:
                sent += len(message.get("body", b""))
            await send(message)

        OPEN.inc()
        try:
            await self.app(scope, receive, told)
        finally:
            OPEN.dec()
            self._told(scope, status, sent, time.perf_counter() - begun)
            REQUEST_ID.reset(token)

    def _told(self, scope: Scope, status: int, sent: int, seconds: float) -> None:
        path: str = scope["path"]
        part = path.split("/", 2)[1].removesuffix(".json")
        part = (part or "home") if part in self.parts else _OTHER
        method = scope["method"] if scope["method"] in _METHODS else _OTHER
        _requests(part, method, status).inc()
        _seconds(part).observe(seconds)
        if ACCESS.isEnabledFor(logging.INFO):
            fields = {
                "client": scope["client"][0] if scope.get("client") else "",
                "method": scope["method"],
                "path": path,
                "status": status,
                "bytes": sent,
                "ms": round(seconds * 1000, 1),
            }
            said = '{client} "{method} {path}" {status} {bytes} {ms} ms'.format_map(fields)
            ACCESS.info(_one_line(said), extra={"fields": fields})


@lru_cache(maxsize=1024)
def _requests(part: str, method: str, status: int) -> Counter:
    return REQUESTS.labels(part, method, str(status))


@lru_cache(maxsize=256)
def _seconds(part: str) -> Histogram:
    return SECONDS.labels(part)


def _given_id(scope: Scope) -> str:
    given = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"").decode("latin-1")
    return given if _ID.fullmatch(given) else ""


def _one_line(said: str) -> str:
    """What came from outside cannot begin a line of its own."""
    return said if said.isprintable() else said.encode("unicode_escape").decode("ascii")


# The log.


class _Counting(logging.Handler):
    """Counts errors of our own wherever they are logged."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            ERRORS.inc()


def log_settings(is_json: bool, has_access: bool) -> dict[str, Any]:
    """How every process of the site logs: as all do; errors are counted, too."""
    made = log_lines.settings(is_json)
    made["handlers"]["errors"] = {"()": _Counting, "level": "ERROR"}
    made["root"]["handlers"].append("errors")
    return {**made, "loggers": {ACCESS.name: {"level": "INFO" if has_access else "WARNING"}}}


# Health and figures.


async def health(request: Request) -> Response:
    """The process lives and answers."""
    return PlainTextResponse("ok\n")


class Readiness(NamedTuple):
    """Whether the site can serve, up to which journal entry, and what is in the way."""

    is_ready: bool
    entry: int | None
    why: str


async def readiness(request: Request) -> Response:
    """Whether the record has been read and the database answers; a proxy sends people elsewhere meanwhile."""
    found = await run_in_threadpool(_readiness, request.app.state.reading)
    body = {"ready": found.is_ready, "entry": found.entry, "why": found.why or None}
    return JSONResponse(body, 200 if found.is_ready else 503, {"Cache-Control": "no-store"})


def _readiness(reading: Reading) -> Readiness:
    entry = reading.entry
    if entry is None:
        return Readiness(False, None, "the record is being read")
    try:
        reading.ask()
    except OfficeError as error:
        return Readiness(False, entry, str(error))
    return Readiness(True, entry, "")


async def metrics(request: Request) -> Response:
    """The figures, as Prometheus reads them, for this machine and the networks that were named."""
    settings: Settings = request.app.state.settings
    client = request.client.host if request.client else ""
    if not is_within(client, settings.metrics_from):
        raise Problem(403, "Figures are told to this machine, and to the networks named by --metrics-from.")
    ENTRY.set(request.app.state.reading.entry or 0)
    await run_in_threadpool(_count_jobs, request.app.state.reading)
    return Response(await run_in_threadpool(_figures), media_type=MEDIA_TYPE)


def _count_jobs(reading: Reading) -> None:
    """How many jobs there are; figures that cannot be read now are those of before."""
    with suppress(OfficeError):
        found = waiting(reading.office)
        for state in JobState:
            JOBS.labels(state.value).set(found.get(state.value, 0))


def _figures() -> bytes:
    folder = os.environ.get(SHARED_FOLDER)
    if not folder:
        return generate_latest(REGISTRY)
    for path in Path(folder).glob("gauge_livesum_*.db"):
        pid = path.stem.rpartition("_")[2]
        if not is_running(int(pid)):  # what a killed worker had begun is not being answered
            mark_process_dead(pid)  # type: ignore[no-untyped-call]
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


def is_within(address: str, networks: Sequence[str]) -> bool:
    """Whether an address is this machine's, or in one of the networks."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return found.is_loopback or any(found in ipaddress.ip_network(one, strict=False) for one in networks)


ROUTES = (
    Route("/healthz", health, Policy.PUBLIC),
    Route("/readyz", readiness, Policy.PUBLIC),
    Route("/metrics", metrics, Policy.PUBLIC),
)
