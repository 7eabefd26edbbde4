"""Templates: Jinja2 with everything escaped, and the few words that every page needs.

In every template: ``view`` (what the page says), ``read`` (the snapshot), ``site`` (version, demo), ``office`` (its
name), ``actor`` (who asks, if known), ``here`` (the path), ``twin`` (the address of the JSON form, or nothing),
``names`` (systems by code), ``address(…)`` (a path from parts, quoted), ``page_address(n)``. Filters: ``plain`` (a
name, made visible and of its own direction), ``figure``, ``signed``, ``places``, ``day``, ``month``, ``counted``.
"""

from collections.abc import Mapping
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from crosstable import __version__
from crosstable.office.rounding import DECIMALS
from crosstable.office.settings import Identity
from crosstable.output.words import printable
from crosstable.sentences import american, american_days, counted
from crosstable.web.shapes import SYSTEM_NAMES

FOLDER = Path(__file__).parent / "templates"
MINUS = "\N{MINUS SIGN}"
SITE_LINKS = {
    "/events": "Events",
    "/lists": "Lists",
    "/estimate": "Estimate",
    "/rules": "Rules",
    "/changes": "Changes",
    "/rate": "Rate",
    "/upload": "Upload",
    "/about": "About",
}


class Site:
    """What every page says of the site."""

    def __init__(self, *, is_demo: bool) -> None:
        self.is_demo = is_demo
        self.version = __version__


class Templates:
    """The compiled templates."""

    def __init__(self, site: Site) -> None:
        self.environment = Environment(
            loader=FileSystemLoader(FOLDER),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=visible,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self.environment.filters.update(
            plain=plain, signed=signed, day=day, counted=counted, figure=figure, places=places, month=month
        )
        from crosstable.calculator.what_if import norm_title
        from crosstable.office import demonstration
        from crosstable.web import rows
        from crosstable.web.pages.member_history import history_chart

        # where nobody asks for a page by an address
        self.environment.globals.update(office="Crosstable", canonical="", identity=Identity())
        self.environment.globals["demonstration"] = demonstration if site.is_demo else None
        self.environment.globals.update(site=site, address=address, names=SYSTEM_NAMES, history_chart=history_chart)
        self.environment.globals.update(days=days, day_of=day_of)
        self.environment.globals.update(
            site_links=site_links,
            history_rows=rows.history_rows,
            game_rows=rows.game_rows,
            outcome_rows=rows.outcome_rows,
            norm_rows=rows.norm_rows,
            norm_title=norm_title,
            spark=rows.spark,
        )

    def page(self, request: Request, template: str, context: Mapping[str, Any]) -> bytes:
        """A whole page."""
        from crosstable.web.gate import mark_of
        from crosstable.web.replies import page_address

        actor = getattr(request.state, "actor", None)
        known = {
            "actor": actor,
            "session_mark": mark_of(actor.secret) if actor and actor.secret else "",
            "here": request.url.path,
            "twin": twin_of(request) if "view" in context else "",
            "page_address": lambda number: page_address(request, number),
            "request": request,
            "read": None,
            "office": request.app.state.reading.name,
            "identity": request.app.state.reading.identity,
            "canonical": f"{request.url.scheme}://{request.url.netloc}{quote(request.url.path)}",
        }
        return self.environment.get_template(template).render({**known, **context}).encode()


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


def visible(value: object) -> object:
    """Whatever a template prints: no text of a file can turn the direction of a line or hide in it."""
    return printable(value) if type(value) is str and not value.isprintable() else value


def twin_of(request: Request) -> str:
    """The address of the JSON form of a page."""
    path = "/index" if request.url.path == "/" else request.url.path
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{quote(path)}.json{query}"


def address(*parts: object) -> str:
    """A path from its parts, each quoted: ``address("events", id, "sections", 3)``."""
    return "/" + "/".join(quote(str(part), safe="") for part in parts)


def plain(text: str) -> Markup:
    """A name from a file: escaped, its control characters visible, its direction its own."""
    return Markup(f"<bdi>{escape(text if text.isprintable() else printable(text))}</bdi>")


def signed(value: float, digits: int = 0) -> str:
    """A change with its sign; no change has none."""
    text = f"{abs(value):.{digits}f}"
    if float(text) == 0:
        return "0" if digits == 0 else text
    return f"+{text}" if value > 0 else f"{MINUS}{text}"


def places(value: float) -> int:
    """How many places a change is printed to: two where the office shows decimals, else none."""
    return 0 if value == int(value) else DECIMALS


def figure(value: float | None, digits: int = 2) -> str:
    """A number with so many digits; nothing where there is none."""
    return "" if value is None else f"{value:.{digits}f}"


def days(start: str | None, end: str) -> str:
    """The days of an event as people say them: June 14 to 16, 2026."""
    last = date.fromisoformat(end)
    return american_days(date.fromisoformat(start) if start else last, last)


def day_of(iso: str) -> str:
    """A day as people say it."""
    return american(date.fromisoformat(iso))


@lru_cache(maxsize=4096)
def day(value: date | datetime | str) -> Markup:
    """A day, or a minute of one, as Americans write it, that a machine can read too."""
    iso = value if isinstance(value, str) else value.isoformat()
    at = datetime.fromisoformat(iso)
    clock = f", {at:%H:%M}" if "T" in iso else ""
    return Markup(f'<time datetime="{escape(iso)}">{at:%b} {at.day}, {at.year}{clock}</time>')


@lru_cache(maxsize=1024)
def month(value: str) -> str:
    """The month of a list in words: October 2026."""
    return f"{date.fromisoformat(f'{value}-01'):%B %Y}"


__all__ = ["Markup", "Site", "Templates", "address", "escape", "plain"]
