"""axe on a page: injected once, asked for violations alone, in every width and scheme."""

from collections.abc import Iterator
from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

WIDTHS = (360, 768, 1280)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def violations(page: Page) -> list[Any]:
    """What axe has against a page as it is."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
    found: list[Any] = page.evaluate(
        "axe.run({resultTypes: ['violations']}).then(found => found.violations.map("
        "one => [one.id, one.nodes[0].html.slice(0, 200)]))"
    )
    return found


def looks(page: Page) -> Iterator[tuple[int, str]]:
    """The page in every width and scheme, one after the other."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            yield width, scheme
