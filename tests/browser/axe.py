"""A page under examination: axe by all its rules in every width and scheme, and nothing that runs off the side.

Very long tables and lists are cut: their other rows are made by the same lines of a template.
"""

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
ASKED = """rules => axe.run({preload: false, resultTypes: ['violations'],
    ...(rules.length ? {runOnly: {type: 'rule', values: rules}} : {})}).then(
  found => found.violations.map(one => [one.id, one.nodes[0].html.slice(0, 200)]))"""
# All rules in light; what is about colours in dark, which changes nothing else (tests say so).
RULES: dict[str, list[str]] = {"light": [], "dark": ["color-contrast", "link-in-text-block"]}


def complaints(page: Page) -> list[Any]:
    """What is wrong with a page in any width and scheme; the style at 768 px is that of 1280."""
    page.evaluate(PREPARED, MOST_ROWS)
    found = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            if page.evaluate("document.documentElement.scrollWidth") > width:
                found.append((width, scheme, "runs off the side"))
            # Colors are the same in every width, so dark ones are looked at in one.
            if width == 360 or (width == 1280 and scheme == "light"):
                found += [(width, scheme, one) for one in violations(page, scheme)]
    return found


def violations(page: Page, scheme: str = "light") -> list[Any]:
    """What axe has against a page as it is."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
    found: list[Any] = page.evaluate(ASKED, RULES[scheme])
    return found
