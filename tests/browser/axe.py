"""A page under examination: axe in every width and scheme, and nothing that runs off the side.

What costs most are the rules about colours. The dark scheme changes colours and nothing else, and the style sheet knows
one width only, between phones and all others (tests see to both): so in the dark axe asks about colours alone, and not
twice on the same side of that width. Long tables and lists are cut to their first rows: the others are made by the same
lines of a template.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

WIDTHS = (360, 768, 1280)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
Rules = Mapping[str, Any]
ALL: Rules = {}
ABOUT_COLOURS = ("color-contrast", "link-in-text-block")
COLOURS_AT = (360, 1280)
# By scheme, and whether the width is one at which colours are looked at.
RULES: Mapping[tuple[str, bool], Rules | None] = {
    ("light", True): ALL,
    ("light", False): {"rules": {name: {"enabled": False} for name in ABOUT_COLOURS}},
    ("dark", True): {"runOnly": list(ABOUT_COLOURS)},
    ("dark", False): None,
}
MOST_ROWS = 5
# Everything that can be opened is open, and a row more or less teaches nothing.
PREPARED = """most => {
  document.querySelectorAll('details').forEach(one => one.open = true);
  document.querySelectorAll('tbody, main ul, main ol').forEach(
    list => [...list.children].slice(most).forEach(one => one.remove()));
  [...document.querySelectorAll('main > section')].slice(most + 1).forEach(one => one.remove());
}"""
ASKED = """rules => axe.run({preload: false, resultTypes: ['violations'], ...rules}).then(
  found => found.violations.map(one => [one.id, one.nodes[0].html.slice(0, 200)]))"""


def complaints(page: Page) -> list[Any]:
    """What is wrong with a page in any width and scheme."""
    page.evaluate(PREPARED, MOST_ROWS)
    found = []
    for width, scheme in looks(page):
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append((width, scheme, "runs off the side"))
        rules = RULES[scheme, width in COLOURS_AT]
        found += [(width, scheme, one) for one in violations(page, rules)] if rules is not None else []
    return found


def violations(page: Page, rules: Rules = ALL) -> list[Any]:
    """What axe has against a page as it is, by all of its rules or by some."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
    found: list[Any] = page.evaluate(ASKED, rules)
    return found


def looks(page: Page) -> Iterator[tuple[int, str]]:
    """The page in every width and scheme, one after the other; it is loaded only once."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            yield width, scheme
