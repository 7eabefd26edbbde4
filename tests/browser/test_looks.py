"""Every page, in light and dark, narrow and wide: axe finds nothing, nothing runs off the side, no noise."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from starlette.routing import compile_path

from crosstable.web.app import STATIC, all_routes
from crosstable.web.problems import Problem
from crosstable.web.templating import FOLDER, Site, Templates
from tests.amounts import IS_SOAK
from tests.browser.axe import complaints, violations
from tests.browser.conftest import WIDE, Watched, come_in, context_of, watch
from tests.browser.served import Served
from tests.browser.visits import NO_PAGE, VISITS, WALKS

# Of what every page is made; no page by themselves.
PARTS = {
    *("base.html", "parts.html", "crosstable.html", "estimate_answer.html"),
    *("administration/parts.html", "administration/said.html"),
}
# Pages of the browser application alone; tests/browser/test_app.py looks at them.
OF_THE_APP = {"verify.html", "app/home.html"}
# The suite takes pictures of the main pages, for people to look at; `make screenshots` puts them into docs/images.
PICTURED = ("home", "member", "section", "explanation", "estimate", "upload")
# A share of the pages is looked at in Spanish too: those for players, and the workbench; in a soak every page.
IN_SPANISH: tuple[str, ...] = (
    *("home", "member", "section", "explanation", "estimate", "top list", "upload", "sign in without accounts"),
)
if IS_SOAK:
    IN_SPANISH = tuple(VISITS)
FORMS = ((1280, "light"), (360, "dark"))
PICTURES = os.environ.get("CROSSTABLE_SCREENSHOTS", "")


class People:
    """Visitors of both sites, each with a page of their own that is used again and again."""

    def __init__(self, browser: Browser, site: Served, office: Served, language: str = "en") -> None:
        self.browser = browser
        self.sites = {"visitor": site.address}
        self.office = office.address
        self.language = language
        self.pages: dict[str, Page] = {}
        self.seen: dict[str, Watched] = {}

    def __call__(self, who: str) -> Page:
        """The page of somebody, who is logged in if they have an account."""
        if who not in self.pages:
            address = self.sites.get(who, self.office)
            context = context_of(self.browser, base_url=address, viewport=WIDE, locale="en-US")
            page = self.pages[who] = context.new_page()
            self.seen[who] = watch(page, address)
            if who not in ("visitor", "nobody"):
                come_in(page, who)
            page.goto(f"/about?lang={self.language}")
        return self.pages[who]

    def noise(self) -> list[str]:
        """What any page did since the last look that no page should do."""
        taken = [one.taken() for one in self.seen.values()]
        return [text for one in taken for text in (*one.errors, *one.foreign)]


@pytest.fixture(scope="module")
def people(browser: Browser, site: Served, office: Served) -> Iterator[People]:
    made = People(browser, site, office)
    yield made
    for page in made.pages.values():
        page.context.close()


def title_of(template: str) -> str:
    """What the title of a page must look like, by its template."""
    block = re.search(r"{% block title %}(.*?){% endblock %}", (FOLDER / template).read_text(), re.DOTALL)
    assert block
    if "{%" in block[1]:  # one title or another
        return ".+ · .+"
    return ".+".join(map(re.escape, re.split(r"{{.*?}}", block[1]))) + " · .+"


@pytest.mark.parametrize("name", VISITS)
def test_axe_finds_nothing_and_nothing_runs_off_the_side(
    name: str, people: People, there: dict[str, Any], tmp_path: Path
) -> None:
    visit = VISITS[name]
    page = people(visit.who)
    reply = page.goto(visit.address.format_map(there))
    assert reply is not None
    assert reply.status == visit.status
    if name in PICTURED:
        take_pictures(page, name, Path(PICTURES or tmp_path))
    assert re.fullmatch(title_of(visit.template), page.title())
    assert complaints(page) == []
    # The browser itself notes on its console that a page came with an error's status.
    noted = f"Failed to load resource: the server responded with a status of {visit.status} "
    assert [text for text in people.noise() if visit.status == 200 or not text.startswith(noted)] == []


@pytest.fixture(scope="module")
def in_spanish(browser: Browser, site: Served, office: Served) -> Iterator[People]:
    """People who chose Spanish."""
    made = People(browser, site, office, "es")
    yield made
    for page in made.pages.values():
        page.context.close()


@pytest.fixture(scope="module")
def spanish(browser: Browser, site: Served) -> Iterator[Page]:
    """A visitor whose browser asks for Spanish."""
    context = context_of(browser, base_url=site.address, viewport=WIDE, locale="es-US")
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", IN_SPANISH)
def test_pages_in_spanish_are_as_sound(name: str, in_spanish: People, there: dict[str, Any]) -> None:
    visit = VISITS[name]
    page = in_spanish(visit.who)
    page.goto(visit.address.format_map(there))
    assert page.locator("html").get_attribute("lang") == "es"
    assert complaints(page) == []
    assert [text for text in in_spanish.noise() if not text.startswith("Failed to load resource: ")] == []


def test_scripts_speak_the_language_of_the_page(spanish: Page, there: dict[str, Any], tmp_path: Path) -> None:
    spanish.goto(VISITS["member"].address.format_map(there))
    expect(spanish.locator("svg.live")).to_have_attribute("aria-label", re.compile("Gráfico de ratings"))
    expect(spanish.locator(".graph .told")).to_have_text("Señale la línea, tóquela o use las teclas de flecha.")
    bands = [text for text in spanish.locator("svg.live text").all_text_contents() if text[0] in "CEMNS"]
    assert bands
    assert all(text.startswith(("Clase ", "Experto", "Maestro ")) for text in bands), bands
    spanish.goto("/upload")
    file = tmp_path / "games.csv"
    file.write_text("Name,Rating,Rd 1\nDoe,1500,W2\nRoe,1400,L3\n")
    spanish.locator("input[type=file]").first.set_input_files(file)
    expect(spanish.locator("#found")).to_contain_text("Por corregir: La sección no tiene control de tiempo.")
    spanish.get_by_role("link", name="English").click()
    expect(spanish.locator("html")).to_have_attribute("lang", "en")


def take_pictures(page: Page, name: str, folder: Path) -> None:
    for width, scheme in FORMS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        picture = folder / f"{name}-{width}-{scheme}.png"
        page.screenshot(path=picture, animations="disabled")
        assert picture.stat().st_size > 10_000, "an empty page"


@pytest.mark.parametrize("name", WALKS)
def test_pages_behind_forms_are_as_sound(name: str, people: People, tmp_path: Path) -> None:
    walk = WALKS[name]
    stops = 0
    for page, template in zip(walk.go(people, tmp_path), walk.stops, strict=True):
        assert re.fullmatch(title_of(template), page.title())
        noise = [text for text in people.noise() if "status of 422" not in text]  # a refused file, on its page
        assert (template, complaints(page), noise) == (template, [], [])
        stops += 1
    assert stops == len(walk.stops)


@pytest.mark.parametrize("status", [429, 500])
def test_pages_about_errors_that_are_hard_to_come_by_are_as_sound(status: int, people: People) -> None:
    """They are made from their template here, and put in the place of a reply."""
    context = {"problem": Problem(status, "What went wrong, in words.").body("/made"), "here": "/made", "twin": ""}
    templates = Templates(Site(is_demo=True)).environment
    page = people("visitor")
    made = templates.get_template("problem.html").render(context)
    page.route("**/made", lambda route: route.fulfill(status=200, content_type="text/html", body=made))
    page.goto("/made")
    assert (complaints(page), people.noise()) == ([], [])


_JOB = SimpleNamespace(
    job_id=3, title="rate", done=2, error="", author="anna", reason="", made="2026-11-14T12:00:00+00:00"
)
_JOB.kind, _JOB.state, _JOB.is_open = SimpleNamespace(value="rate"), SimpleNamespace(value="running"), True
_JOB.result = {"run": 5, "findings": ["one"]}
_OFFICE = SimpleNamespace(is_office=True, is_known=False)
_ERASED = SimpleNamespace(members=["10000001"], act=7, documents=2, remains=["an event"])
_CODE: dict[str, Any] = {
    "codes": (),
    "wrong": "Not right.",
    "otpauth": "otpauth://totp/anna",
    "onward": "/administration",
}
# Pages that only somebody in the middle of something sees.
MADE: dict[str, dict[str, Any]] = {
    "administration/job.html": {"job": _JOB, "faults": [], "may_change": True, "actor": _OFFICE},
    "administration/erased.html": {"made": _ERASED},
    "administration/second_factor.html": {**_CODE, "key": "ABCDEFGH"},
}


@pytest.mark.parametrize("template", MADE)
def test_pages_in_the_middle_of_something_are_as_sound(template: str, people: People) -> None:
    context = {"here": "/made", "twin": "", "actor": None, "mark": "0" * 64, "session_mark": "", **MADE[template]}
    templates = Templates(Site(is_demo=True)).environment
    page = people("visitor")
    made = templates.get_template(template).render(context)
    page.route("**/made", lambda route: route.fulfill(status=200, content_type="text/html", body=made))
    page.goto("/made")
    assert (complaints(page), people.noise()) == ([], [])
    page.unroute("**/made")


def test_every_template_is_looked_at() -> None:
    on_disk = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.html")}
    visited = {visit.template for visit in VISITS.values()} | {one for walk in WALKS.values() for one in walk.stops}
    assert visited == on_disk - PARTS - OF_THE_APP - MADE.keys()


def test_every_address_of_a_page_is_looked_at() -> None:
    shown = [
        route.path
        for route in all_routes()
        if "GET" in route.methods and not route.path.endswith(".json") and not route.path.startswith("/api/")
    ]
    paths = [re.split(r"[?#]", visit.address)[0].replace("{", "").replace("}", "") for visit in VISITS.values()]
    unseen = [path for path in shown if not any(compile_path(path)[0].match(one) for one in paths)]
    assert set(unseen) == {*NO_PAGE, "/login/code", "/jobs/{job}"}  # these two are among those made from templates


def test_the_dark_scheme_changes_colours_only() -> None:
    """Therefore axe need not ask everything twice."""
    style = (STATIC / "site.css").read_text()
    blocks = re.findall(r"@media \(prefers-color-scheme: dark\) {\s*:root {(.*?)}\s*}", style, re.DOTALL)
    assert len(blocks) == style.count("prefers-color-scheme") == 1
    colour = re.compile(r"--[a-z-]+: #[0-9a-f]{3,6}")
    assert all(colour.fullmatch(one.strip()) for one in blocks[0].split(";") if one.strip())


def test_the_style_sheet_knows_one_width_only() -> None:
    """Therefore colours at 768 px are those at 1280 px."""
    widths = set(re.findall(r"\((m[a-z]+-width: [^)]*)\)", (STATIC / "site.css").read_text()))
    assert widths == {"max-width: 46rem", "min-width: 46.01rem"}


def test_axe_would_find_what_is_wrong(page: Page) -> None:
    page.goto("/about")
    page.evaluate("document.querySelector('main').insertAdjacentHTML('beforeend', '<img src=\"/static/mark.svg\">')")
    assert [one[0] for one in violations(page)] == ["image-alt"]
    page.evaluate("""() => {
      const main = document.querySelector('main');
      main.style.maxWidth = 'none'; main.style.width = '2000px';
      main.querySelectorAll('p').forEach(one => one.style.color = 'var(--rule)');
    }""")
    wrong = complaints(page)
    assert {one[0] for one in wrong if one[2] == "runs off the side"} == {360, 768, 1280}
    assert {one[1] for one in wrong if one[2][0] == "color-contrast"} == {"light", "dark"}


@pytest.mark.parametrize("name", ["member", "section", "estimate", "explanation"])
def test_pages_print_without_what_is_only_for_screens(name: str, page: Page, there: dict[str, Any]) -> None:
    page.goto(VISITS[name].address.format_map(there))
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
