"""Templates: Jinja2 with everything escaped, and the few words that every page needs.

In every template: ``view`` (what the page says), ``read`` (the snapshot), ``site`` (version, demo), ``office`` (its
name), ``actor`` (who asks, if known), ``here`` (the path), ``twin`` (the address of the JSON form, or nothing),
``names`` (systems by code), ``address(…)`` (a path from parts, quoted), ``page_address(n)``. Filters: ``plain`` (a
name, made visible and of its own direction), ``figure``, ``signed``, ``places``, ``day``, ``month``, ``counted``.
What a page without an office needs of them is in ``app.templating``.

The rows of the longest tables are written in one go (``history_rows``): a template asks for every cell by itself, which
is most of the work there (decision 0013). Here as there every text is escaped, and what a file holds is made visible
(``plain``).
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request
from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup, escape

from crosstable.app.templating import Site, address, change_text, day, environment_of, places, plain, signed, visible
from crosstable.languages.templates import in_language
from crosstable.languages.texts import ENGLISH, LANGUAGES, language_of
from crosstable.office.settings import Identity
from crosstable.web.languages import address_in, code_of
from crosstable.web.pages.member_history import HistoryRow, history_chart
from crosstable.web.shapes import SYSTEM_NAMES, Rating

_ARROW = '<span class="unseen">to</span><span aria-hidden="true">→</span>'
_UNRATED = '<span class="quiet">Unrated</span>'


def rating_text(one: Rating | None) -> str:
    """A rating, provisional ones with their games."""
    if one is None:
        return _UNRATED
    if not one.provisional:
        return f'<span class="rating">{one.text}</span>'
    games = "few" if one.games is None else f"{one.games:g}"
    return f'<span class="rating provisional" title="provisional, on {games} games">{one.text}</span>'


@lru_cache(maxsize=16_384)
def _section_link(event: str, section: int, name: str) -> str:
    return f'<a href="{escape(address("events", event, "sections", section))}">{plain(name)}</a>'


def history_rows(rows: Iterable[HistoryRow]) -> Markup:
    """The lines of a member's history."""
    return Markup("".join(map(_history_row, rows)))  # every text in it is escaped


def _history_row(row: HistoryRow) -> str:
    system, place = SYSTEM_NAMES[row.system], row.place
    what = escape(visible(row.what))
    section = what if place is None else _section_link(place.event, place.section, place.name)
    notes = "".join(f' <small class="tag">{escape(note)}</small>' for note in row.notes)
    score = "" if row.played is None else f"{row.score:g}/{row.played}"
    why = ""
    if row.player is not None and place is not None:
        there = escape(address("events", place.event, "sections", place.section, "players", row.player))
        why = f' <a href="{there}?system={row.system}">why<span class="unseen"> <bdi>{what}</bdi>, {system}</span></a>'
    return (
        f'<tr>\n<td>{day(row.ended)}</td>\n<th scope="row">{section}{notes}</th>\n'
        f'<td class="s"><span class="dot {row.system.lower()}" aria-hidden="true"></span>{system}</td>\n'
        f'<td class="n" data-label="Score">{score}</td>\n'
        f"<td>{rating_text(row.before)} {_ARROW} <b>{rating_text(row.after)}</b></td>\n"
        f'<td class="n">{change_text(row.change)}{why}</td>\n</tr>\n'
    )


def spark(past: Sequence[int]) -> Markup:
    """A small line of the ratings of the last lists; nothing where they say nothing."""
    if len(past) < 2:
        return Markup("")
    low, span = min(past), max(max(past) - min(past), 20)
    points = " ".join(
        f"{1 + 58 * at / (len(past) - 1):.0f},{15 - 14 * (one - low) / span:.0f}" for at, one in enumerate(past)
    )
    return Markup(f'<svg class="spark" viewBox="0 0 60 16" aria-hidden="true"><polyline points="{points}"/></svg>')


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

        # where nobody asks for a page by an address
        made.globals.update(office="Crosstable", origin="", canonical="", identity=Identity())
        made.globals["demonstration"] = demonstration if site.is_demo else None
        made.globals.update(history_chart=history_chart, history_rows=history_rows, spark=spark)
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
        origin = f"{request.url.scheme}://{request.url.netloc}"
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
            "origin": origin,
            "canonical": f"{origin}{quote(request.url.path)}",
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
