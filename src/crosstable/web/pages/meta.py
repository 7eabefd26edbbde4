"""What programs ask of any site: robots.txt, a map of its pages, an icon, a manifest."""

import base64
from collections.abc import Iterator

from fastapi import Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

from crosstable.web.gate import reading_of
from crosstable.web.reading import Snapshot
from crosstable.web.routes import Policy, Route
from crosstable.web.templating import SITE_LINKS, address

# A map of a site may name no more (sitemaps.org).
MOST_ADDRESSES = 50_000
ICON = "/static/mark.svg"
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
    name = reading_of(request).name
    icon = {"src": ICON, "sizes": "any", "type": "image/svg+xml"}
    said = {"name": name, "short_name": name[:12], "start_url": "/", "display": "standalone", "icons": [icon]}
    colors = {"background_color": "#fbfaf6", "theme_color": "#1f5c4a"}
    return JSONResponse({**said, **colors}, media_type="application/manifest+json")


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
    Route("/identity.css", identity_style, Policy.PUBLIC),
    Route("/logo.png", logo, Policy.PUBLIC),
    Route("/robots.txt", robots, Policy.PUBLIC),
    Route("/sitemap.xml", sitemap, Policy.PUBLIC),
    Route("/manifest.webmanifest", manifest, Policy.PUBLIC),
    Route("/favicon.ico", icon, Policy.PUBLIC),
)
