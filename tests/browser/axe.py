"""A page under examination: axe by all its rules in every width and scheme, and nothing that runs off the side.

Very long tables and lists are cut: their other rows are made by the same lines of a template.
"""

from collections.abc import Iterator
from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

WIDTHS = (360, 768, 1280)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
MOST_ROWS = 60
# Everything that can be opened is open, and a row more or less teaches nothing.
PREPARED = """most => {
  document.querySelectorAll('details').forEach(one => one.open = true);
  document.querySelectorAll('tbody, main ul, main ol').forEach(
    list => [...list.children].slice(most).forEach(one => one.remove()));
  [...document.querySelectorAll('main > section')].slice(most + 1).forEach(one => one.remove());
}"""
ASKED = """() => axe.run({preload: false, resultTypes: ['violations']}).then(
  found => found.violations.map(one => [one.id, one.nodes[0].html.slice(0, 200)]))"""


def complaints(page: Page) -> list[Any]:
    """What is wrong with a page in any width and scheme."""
    page.evaluate(PREPARED, MOST_ROWS)
    found = []
    for width, scheme in looks(page):
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append((width, scheme, "runs off the side"))
        found += [(width, scheme, one) for one in violations(page)]
    return found


def violations(page: Page) -> list[Any]:
    """What axe has against a page as it is."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
    found: list[Any] = page.evaluate(ASKED)
    return found


def looks(page: Page) -> Iterator[tuple[int, str]]:
    """The page in every width and scheme, one after the other; it is loaded only once."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            yield width, scheme
