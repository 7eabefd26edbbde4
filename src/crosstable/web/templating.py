"""Templates: Jinja2 with everything escaped, and the few words that every page needs.

In every template: ``view`` (what the page says), ``read`` (the snapshot), ``site`` (version, demo), ``office`` (its
name), ``actor`` (who asks, if known), ``here`` (the path), ``twin`` (the address of the JSON form, or nothing),
``names`` (systems by code), ``address(…)`` (a path from parts, quoted), ``page_address(n)``. Filters: ``plain`` (a
name, made visible and of its own direction), ``figure``, ``signed``, ``places``, ``day``, ``month``, ``counted``.
What a page without an office needs of them is in ``app.templating``.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request
from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup, escape

from crosstable.app.templating import Site, address, day, environment_of, places, plain, signed
from crosstable.languages.templates import in_language
from crosstable.languages.texts import ENGLISH, LANGUAGES, language_of
from crosstable.office.settings import Identity
from crosstable.web.languages import address_in, code_of

FOLDER = Path(__file__).parent / "templates"
SITE_LINKS = {
    "/events": "Events",
    "/lists": "Lists",
    "/estimate": "Estimate",
    "/upload": "Upload",
    "/rules": "Rules",
    "/changes": "Changes",
}


class Templates:
    """The compiled templates."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.environment = self._environment()
        self._others: dict[str, Environment] = {}

    def _environment(self) -> Environment:
        """What templates are rendered with, in English."""
        made, site = environment_of(FileSystemLoader(FOLDER), self.site), self.site
        from crosstable.office import demonstration
        from crosstable.web import rows
        from crosstable.web.pages.member_history import history_chart

        # where nobody asks for a page by an address
        made.globals.update(office="Crosstable", canonical="", identity=Identity())
        made.globals["demonstration"] = demonstration if site.is_demo else None
        made.globals.update(history_chart=history_chart, history_rows=rows.history_rows, spark=rows.spark)
        made.globals.update(site_links=site_links)
        return made

    def of(self, code: str) -> Environment:
        """What templates are rendered with in a language; made when somebody first asks for it."""
        if code == ENGLISH:
            return self.environment
        if code not in self._others:
            made = self._environment()
            in_language(made, language_of(code))
            self._others[code] = made
        return self._others[code]

    def page(self, request: Request, template: str, context: Mapping[str, Any]) -> bytes:
        """A whole page."""
        from crosstable.web.gate import mark_of

        actor = getattr(request.state, "actor", None)
        code = code_of(request.scope)
        known = {
            "actor": actor,
            "session_mark": mark_of(actor.secret) if actor and actor.secret else "",
            "here": request.url.path,
            "twin": twin_of(request) if "view" in context else "",
            "page_address": lambda number: f"{page_base(request)}{number}",
            "request": request,
            "read": None,
            "office": request.app.state.reading.name,
            "identity": request.app.state.reading.identity,
            "other_languages": _other_languages(request, code),
            "canonical": f"{request.url.scheme}://{request.url.netloc}{quote(request.url.path)}",
        }
        return self.of(code).get_template(template).render({**known, **context}).encode()

    def part(self, request: Request, template: str, context: Mapping[str, Any]) -> bytes:
        """A part of a page, for its script; it says nothing of who asks."""
        return self.of(code_of(request.scope)).get_template(template).render(context).encode()


def _other_languages(request: Request, code: str) -> list[tuple[str, str, str]]:
    """The other languages of a page: code, name, address; none for what a form was answered with."""
    if request.method not in ("GET", "HEAD"):
        return []
    return [(other, name, address_in(request, other)) for other, name in LANGUAGES.items() if other != code]


def site_links(here: str) -> Markup:
    """The links to the parts of the site; the one that a path belongs to is marked."""
    current = next((path for path in SITE_LINKS if here.startswith(path)), "")
    return _site_links(current, "page" if here == current else "true")


@lru_cache(maxsize=2 * len(SITE_LINKS) + 2)
def _site_links(current: str, mark: str) -> Markup:
    marked = f' aria-current="{mark}"'
    links = (
        f'<li><a href="{path}"{marked if path == current else ""}>{word}</a></li>' for path, word in SITE_LINKS.items()
    )
    return Markup("\n".join(links))  # nothing in it comes from outside


def page_base(request: Request) -> str:
    """The address of another page of the same list, but for its number."""
    asked = [(name, value) for name, value in request.query_params.multi_items() if name != "page"]
    return f"{request.url.path}?{urlencode(asked)}{'&' if asked else ''}page="


def twin_of(request: Request) -> str:
    """The address of the JSON form of a page."""
    path = "/index" if request.url.path == "/" else request.url.path
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{quote(path)}.json{query}"


__all__ = ["Markup", "Site", "Templates", "address", "day", "escape", "places", "plain", "signed"]
