"""Look at the documentation site in ``build/docs``: dead links, and with ``--browser`` every page in Chromium.

There each page is opened from the folder, as it is offline: axe by all its rules in light and in dark, nothing that
runs off the side of a phone, no request to another host, no error; and the search finds a word.
"""

import argparse
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import Page

SITE = Path(__file__).parents[1] / "build" / "docs"
SIZES = ((360, 740), (1280, 900))
SOUGHT = "not-mirrored"


def main() -> None:
    """Print what is wrong, and fail if anything is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--browser", action="store_true", help="open every page in Chromium too")
    parser.add_argument("--pictures", type=Path, help="keep a picture of each page here")
    options = parser.parse_args()
    pages = sorted(SITE.rglob("*.html"))
    faults = [fault for page in pages for fault in dead_links(page)]
    links = sum(len(read(page).links) for page in pages)
    print(f"{len(pages)} pages, {links} links, {len(faults)} of them dead")
    if options.browser or options.pictures:
        found = list(seen(pages, options.pictures))
        print(f"{len(pages)} pages in Chromium, {len(found)} faults")
        faults += found
    sys.exit("\n".join(faults) or None)


class Read(HTMLParser):
    """What a page links to, and what can be linked to on it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = {"", "__top"}  # the theme's own name for the top of a page
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep addresses and names."""
        for name, value in attrs:
            if name in ("href", "src") and value is not None:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.names.add(value)


@cache
def read(page: Path) -> Read:
    """One page, read once."""
    return Read(page.read_text(encoding="utf-8"))


def dead_links(page: Path) -> Iterator[str]:
    """The links within the site that lead nowhere."""
    for link in read(page).links:
        to = urlsplit(link)
        if to.scheme or to.netloc:
            continue
        target = (page.parent / unquote(to.path)).resolve() if to.path else page
        name = unquote(to.fragment)
        if target.is_dir() or not target.exists():
            yield f"{page.relative_to(SITE)}: {link}: no such file"
        elif name and target.suffix == ".html" and name not in read(target).names:
            yield f"{page.relative_to(SITE)}: {link}: no such place on that page"


def seen(pages: list[Path], pictures: Path | None) -> Iterator[str]:
    """What is wrong with the pages in a browser."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import QUIET
    from tests.browser.served import chromium

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium(), args=list(QUIET))
        shown = browser.new_page()
        wrong: list[str] = []
        shown.on("request", lambda one: wrong.append(one.url) if not one.url.startswith(("file:", "data:")) else None)
        shown.on("pageerror", lambda one: wrong.append(str(one)))
        for page in pages:
            yield from (f"{page.name}: {fault}" for fault in looked_at(shown, page, pictures))
            yield from (f"{page.name}: {one}" for one in wrong)
            wrong.clear()
        yield from searched(shown)
        browser.close()


def looked_at(shown: "Page", page: Path, pictures: Path | None) -> Iterator[str]:
    """One page in both sizes, in light and in dark."""
    from tests.browser.axe import SCHEMES, violations

    for width, height in SIZES:
        shown.set_viewport_size({"width": width, "height": height})
        shown.emulate_media(color_scheme="light")
        shown.goto(page.as_uri())
        if pictures:
            pictures.mkdir(parents=True, exist_ok=True)
            shown.screenshot(path=pictures / f"{page.stem}-{width}.png", full_page=True)
        if shown.evaluate("document.documentElement.scrollWidth") > width:
            yield f"runs off the side at {width} px"
        for scheme in SCHEMES:
            shown.emulate_media(color_scheme=scheme)
            yield from (f"{width} px, {scheme}: {found}" for found in violations(shown, scheme))


def searched(shown: "Page") -> Iterator[str]:
    """Whether the search finds a word from the folder, without a server."""
    shown.set_viewport_size({"width": 1280, "height": 900})
    shown.goto((SITE / "index.html").as_uri())
    shown.click("input.md-search__input")
    shown.keyboard.type(SOUGHT)
    shown.wait_for_selector(".md-search-result__link")
    found = shown.locator(".md-search-result__link").evaluate_all("links => links.map(one => one.href)")
    if not any("checks" in link for link in found):
        yield f"the search for {SOUGHT} gives {found}"


if __name__ == "__main__":
    main()
