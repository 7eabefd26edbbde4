"""Every kind of page, in light and dark, narrow and wide: axe finds nothing, nothing runs off the side, no noise."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.axe import looks, violations

MEMBER, SECTION = "/members/10000008", "/events/202512280001/sections/1"
ESTIMATE = "/estimate?rating=1512/40&game=W1640,D1720,L1600,T1800&control=G/60;d5&next=1700&target=1550"
PAGES = {
    "home": "/",
    "search": "/search?q=fab",
    "member": MEMBER,
    "member by games": f"{MEMBER}?axis=games",
    "events": "/events",
    "event": "/events/202512280001",
    "section": SECTION,
    "explanation": f"{SECTION}/players/1",
    "lists": "/lists",
    "list": "/lists/2026-10",
    "top list": "/lists/2026-10/top",
    "rules": "/rules",
    "edition": "/rules/2025-01-01",
    "changed rules": "/rules/changes",
    "changes": "/changes",
    "ripples": "/ripples",
    "estimate form": "/estimate",
    "estimate": ESTIMATE,
    "calculator": "/calculator?rating=1512&game=W1640",
    "why calculators differ": "/why-calculators-differ",
    "about": "/about",
    "api": "/api",
    "upload": "/upload",
    "sign in": "/login",
}
# The suite takes pictures of the main pages, for people to look at; `make screenshots` puts them into docs/images.
PICTURED = ("home", "member", "section", "explanation", "estimate", "upload")
FORMS = ((1280, "light"), (360, "dark"))
PICTURES = os.environ.get("CROSSTABLE_SCREENSHOTS", "")


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_and_nothing_runs_off_the_side(name: str, page: Page, tmp_path: Path) -> None:
    page.goto(PAGES[name])
    wrong = []
    for width, scheme in looks(page):
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name} at {width} px"
        wrong += [(width, scheme, one) for one in violations(page)]
        if name in PICTURED and (width, scheme) in FORMS:
            picture = Path(PICTURES or tmp_path, f"{name}-{width}-{scheme}.png")
            page.screenshot(path=picture, animations="disabled")
            assert picture.stat().st_size > 10_000, "an empty page"
    assert not wrong


def test_a_page_that_is_not_there_is_as_sound_as_the_others(page: Page) -> None:
    reply = page.request.get("/nothing-here")
    assert reply.status == 404
    page.set_content(reply.text())
    assert violations(page) == []


@pytest.mark.parametrize("name", ["member", "section", "estimate", "explanation"])
def test_pages_print_without_what_is_only_for_screens(name: str, page: Page) -> None:
    page.goto(PAGES[name])
    page.emulate_media(media="print")
    assert not page.get_by_role("navigation", name="Site").is_visible()
    assert page.get_by_role("heading", level=1).is_visible()
    assert page.pdf(format="Letter").startswith(b"%PDF")


def test_keyboard_users_can_skip_to_the_content(page: Page) -> None:
    page.goto("/about")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent").strip().casefold().startswith("skip")
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") != ""
