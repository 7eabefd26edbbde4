"""One browser and one site per process; every page is watched for errors and for requests to other hosts."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    ViewportSize,
    expect,
    sync_playwright,
)

from crosstable.office.demonstration import make_demo
from tests.browser.served import Served, chromium, served
from tests.browser.visits import of_demo, press
from tests.office.made_office import put_filled
from tests.web.people import PASSWORD, with_people

WIDE: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 360, "height": 740}
MILLISECONDS = 600_000
expect.set_options(timeout=MILLISECONDS)
# Chromium asks hosts of its own for this and that unless it is told not to.
QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)


class Watched(NamedTuple):
    """What a page did that no page should do."""

    errors: list[str]
    foreign: list[str]

    def taken(self) -> "Watched":
        """What was seen since the last look."""
        seen = Watched([*self.errors], [*self.foreign])
        self.errors.clear()
        self.foreign.clear()
        return seen


@pytest.fixture(scope="session")
def demo(demonstration: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An office with a season of events; pictures for the documentation are those of the demonstration itself."""
    path = tmp_path_factory.mktemp("demo") / "office.db"
    if os.environ.get("CROSSTABLE_SCREENSHOTS"):
        make_demo(str(path))
    else:
        path.write_bytes(demonstration)
    return path


@pytest.fixture(scope="session")
def site(demo: Path) -> Iterator[Served]:
    with served(demo, "--demo") as running:
        yield running


@pytest.fixture(scope="session")
def there(site: Served) -> dict[str, Any]:
    """What is to be seen in the demonstration."""
    return of_demo(site.address)


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An office with accounts, a published list, and an event of each of two affiliates."""
    path = tmp_path_factory.mktemp("people") / "office.db"
    put_filled(with_people, path)
    with served(path, "--demo") as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=list(QUIET))
        yield started
        started.close()


def context_of(browser: Browser, **options: Any) -> BrowserContext:
    """A browser's window that waits for what must come, however busy the machine is."""
    context = browser.new_context(**options)
    context.set_default_timeout(MILLISECONDS)
    return context


@pytest.fixture
def page(browser: Browser, site: Served) -> Iterator[Page]:
    """A page of the site; at the end of the test it must have been a good guest of this machine."""
    context = context_of(browser, base_url=site.address, viewport=WIDE, locale="en-US")
    made = context.new_page()
    seen = watch(made, site.address)
    yield made
    context.close()
    assert seen == Watched([], [])


def watch(page: Page, address: str) -> Watched:
    """Note errors on the console, scripts that fail, and requests that leave the site."""
    seen = Watched([], [])

    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            seen.errors.append(message.text)

    def on_request(request: Request) -> None:
        if not request.url.startswith((address, "data:", "blob:")):
            seen.foreign.append(request.url)

    page.on("console", on_console)
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    page.on("request", on_request)
    return seen


def come_in(page: Page, name: str) -> None:
    """Log in by the form."""
    page.goto("/login")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    press(page.get_by_role("button", name="Log in"))
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Log in")
