"""The API, described on a page of our own: made from the same OpenAPI document that programs read.

Also what programs ask of any site: robots.txt, a map of its pages, an icon, a manifest.
"""

import base64
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from fastapi import Request, Response
from fastapi.responses import JSONResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool

from crosstable.office.ledger.facts import State
from crosstable.web.api.described import SAMPLES, localized
from crosstable.web.gate import reading_of
from crosstable.web.problems import REMEDIES, TITLES
from crosstable.web.reading import Snapshot
from crosstable.web.replies import HTML, render
from crosstable.web.routes import Policy, Route
from crosstable.web.templating import SITE_LINKS, address

METHODS = ("get", "post", "put", "patch", "delete")


class Parameter(NamedTuple):
    """A parameter of an operation."""

    name: str
    where: str
    is_required: bool
    kind: str
    words: str


class Operation(NamedTuple):
    """An operation as the page shows it."""

    method: str
    path: str
    summary: str
    words: str
    parameters: tuple[Parameter, ...]
    has_body: bool
    statuses: tuple[str, ...]
    example: str


async def api_docs(request: Request) -> Response:
    """Every operation of the API, by subject."""
    document, base, there = request.app.openapi(), str(request.base_url), await run_in_threadpool(_there, request)
    groups: dict[str, list[Operation]] = {}
    for tag, operation in operations(document):
        groups.setdefault(tag, []).append(operation._replace(example=localized(operation.example, base, there)))
    return Response(
        render(request, "api.html", groups=groups, problems={one: (TITLES[one], REMEDIES[one]) for one in TITLES}),
        media_type=HTML,
        headers={"Cache-Control": "no-cache"},
    )


def _there(request: Request) -> dict[str, str]:
    """What this office has, for examples that answer; nothing while its record is read for the first time."""
    reading = reading_of(request)
    if reading.tag is None:
        return {}
    read = reading.now
    found = [("member_id", one.member_id) for one in read.members[:1]]
    found += [("other_id", one.member_id) for one in read.members[1:2]]
    found += [("month", one.month) for one in read.lists[-1:]]
    found += [(f"{one.kind}_{'code' if one.kind == 'state' else 'id'}", one.key) for one in read.places]
    found += [
        ("event_id", one) for one in islice((one.event_id for one in read.events if _is_rated(read, one.event_id)), 1)
    ]
    return {name: value for name, value in [*found, ("run", str(read.run))] if name in SAMPLES}


def _is_rated(read: Snapshot, event_id: str) -> bool:
    first = [one for one in read.public.record.headings_of(event_id) if one.number == 1]
    return any(one.state is State.ACCEPTED and one.act <= read.run for one in first)


def operations(document: Mapping[str, Any]) -> Iterator[tuple[str, Operation]]:
    """The operations of an OpenAPI document, with their subjects."""
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                found = item[method]
                yield (found.get("tags") or ["other"])[0], _operation(method, path, found)


def _operation(method: str, path: str, found: Mapping[str, Any]) -> Operation:
    return Operation(
        method.upper(),
        path,
        found.get("summary", ""),
        found.get("description", ""),
        tuple(_parameter(one) for one in found.get("parameters", ())),
        "requestBody" in found,
        tuple(found.get("responses", ())),
        found["x-codeSamples"][0]["source"],
    )


def _parameter(one: Mapping[str, Any]) -> Parameter:
    schema = one.get("schema", {})
    choices = schema.get("enum")
    kind = " | ".join(str(choice) for choice in choices if choice != "") if choices else schema.get("type", "")
    return Parameter(one["name"], one["in"], bool(one.get("required")), str(kind), one.get("description", ""))


# A map of a site may name no more (sitemaps.org).
MOST_ADDRESSES = 50_000
ICON = "/static/mark.svg"
# So many letters of a name stand below the icon of a phone.
SHORT_NAME = 12
# Pages for people who act, and what only programs read.
CLOSED = ("/administration", "/account", "/login", "/machine", "/feeds", "/my-events", "/upload", "/api/")


async def robots(request: Request) -> Response:
    """What crawlers may read: everything that is public but for twins and forms."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in CLOSED), "Disallow: /*.json$"]
    return Response("\n".join([*lines, f"Sitemap: {request.base_url}sitemap.xml", ""]), media_type="text/plain")


async def sitemap(request: Request) -> Response:
    """The pages of the site: its parts, events, clubs and states, then members."""
    base = str(request.base_url).rstrip("/")
    paths = list(_paths(reading_of(request).now))[:MOST_ADDRESSES]
    rows = "".join(f"<url><loc>{base}{path}</loc></url>\n" for path in paths)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return Response(f"{head}{rows}</urlset>\n", media_type="application/xml")


def _paths(read: Snapshot) -> Iterator[str]:
    yield "/"
    yield from (*SITE_LINKS, "/rate", "/audit", "/about", "/api")
    yield from (address(f"{one.kind}s", one.key) for one in read.places)
    yield from (address("members", one.member_id) for one in read.members)


async def manifest(request: Request) -> Response:
    """What a phone needs to put the site beside its applications."""
    reading = reading_of(request)
    name, identity = reading.name, reading.identity
    icons = [{"src": ICON, "sizes": "any", "type": "image/svg+xml"}, {"src": "/static/mark.png", "sizes": "512x512"}]
    if identity.logo:
        icons = [{"src": "/logo.png", "type": "image/png"}]
    said = {"name": name, "short_name": _short(name), "start_url": "/", "display": "standalone", "icons": icons}
    colors = {"background_color": "#fbfaf6", "theme_color": identity.color or "#1f5c4a"}
    return JSONResponse({**said, **colors}, media_type="application/manifest+json")


def _short(name: str) -> str:
    """As many words of a name as stand below an icon; at least the first, whole."""
    first, *others = name.split() or [name]
    for word in others:
        if len(f"{first} {word}") > SHORT_NAME:
            break
        first = f"{first} {word}"
    return first


async def icon(request: Request) -> Response:
    """The icon, for browsers that ask for it by its old name."""
    return RedirectResponse(ICON, 301)


async def identity_style(request: Request) -> Response:
    """The office's own color; nothing where it has none."""
    color = reading_of(request).identity.color
    return Response(f":root {{ --accent: {color}; }}\n" if color else "", media_type="text/css")


async def logo(request: Request) -> Response:
    """The office's own picture, or the program's."""
    found = reading_of(request).identity.logo
    return Response(base64.b64decode(found), media_type="image/png") if found else RedirectResponse(ICON, 303)


ROUTES = (
    Route("/api", api_docs, Policy.PUBLIC),
    Route("/identity.css", identity_style, Policy.PUBLIC),
    Route("/logo.png", logo, Policy.PUBLIC),
    Route("/robots.txt", robots, Policy.PUBLIC),
    Route("/sitemap.xml", sitemap, Policy.PUBLIC),
    Route("/manifest.webmanifest", manifest, Policy.PUBLIC),
    Route("/favicon.ico", icon, Policy.PUBLIC),
)
