"""What directors and the office do: upload, preview, submit, posted; correction, second person, run, ripple."""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Protocol

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import looks, violations
from tests.browser.conftest import WIDE, Watched, watch
from tests.browser.served import Served, served
from tests.engine.wallcharts import Played
from tests.office.made_office import document, filled, quad
from tests.web.people import PASSWORD, with_people

# Long past on any machine's clock, so that no event of the tests lies in the future.
PLAYED = Played(start=date(2024, 3, 2))


class Guest(Protocol):
    """Lets somebody in, and gives his page."""

    def __call__(self, name: str, *, scripts: bool = True) -> Page:
        """The page of somebody who is logged in."""


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An office with accounts, a published list, and an event of each of two affiliates."""
    path = tmp_path_factory.mktemp("people") / "office.db"
    path.write_bytes(filled(with_people))
    with served(path) as running:
        yield running


@pytest.fixture
def guest(browser: Browser, office: Served) -> Iterator[Guest]:
    """Pages of people who are logged in by the form, each in a browser of his own, with scripts or without."""
    seen: list[Watched] = []
    contexts = []

    def come_in(name: str, *, scripts: bool = True) -> Page:
        context = browser.new_context(base_url=office.address, viewport=WIDE, java_script_enabled=scripts)
        contexts.append(context)
        page = context.new_page()
        seen.append(watch(page, office.address))
        page.goto("/login")
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", level=1)).not_to_have_text("Log in")
        return page

    yield come_in
    for context in contexts:
        context.close()
    assert all(one == Watched([], []) for one in seen), seen


def saved(folder: Path, event_id: str, wallchart: str) -> str:
    path = folder / f"{event_id}.json"
    path.write_bytes(document(quad(event_id, PLAYED, wallchart)).content)
    return str(path)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_director_uploads_sees_the_preview_submits_and_it_is_posted(
    guest: Guest, tmp_path: Path, *, scripts: bool
) -> None:
    event = "with-scripts" if scripts else "without-scripts"
    page = guest("tina", scripts=scripts)
    page.goto("/upload")
    page.get_by_label("Files of one or more events").set_input_files(
        saved(tmp_path, event, "1 =1 | W2 D3 W4\n2 =2 | L1 L4 L3\n3 =3 | L4 D1 W2\n4 =5 | W3 W2 L1")
    )
    page.get_by_role("button", name="Check and preview").click()
    expect(page.get_by_text("Everything is ready")).to_be_visible()
    previewed = page.locator("tbody tr td[data-label=After] b").all_inner_texts()
    page.get_by_role("button", name=re.compile("Submit")).click()
    expect(page.get_by_text("1 section accepted and rated")).to_be_visible()
    page.get_by_role("link", name="See the event").click()
    page.get_by_role("main").get_by_role("link", name="Section 1").click()
    shown = page.get_by_role("main").inner_text()
    assert len(previewed) == 4
    assert all(rating in shown for rating in previewed)


def test_every_mistake_of_a_file_is_shown_with_its_place_and_remedy(guest: Guest, tmp_path: Path) -> None:
    page = guest("tina")
    page.goto("/upload")
    page.get_by_label("Files of one or more events").set_input_files(
        saved(tmp_path, "faulty", "1 =1 | W2 D3\n2 =88 | W1 L3\n3 =89 | D1 W2")
    )
    page.get_by_role("button", name="Check and preview").click()
    table = page.locator("table.findings").first
    expect(table).to_contain_text("Nobody here has the id 10000088")
    expect(table).to_contain_text("Nobody here has the id 10000089")
    expect(table).to_contain_text("1 times W against player 2, who shows 0 times L against player 1")


def test_a_correction_goes_through_two_people_a_run_and_shows_its_ripple(guest: Guest) -> None:
    anna, boris = guest("anna"), guest("boris")
    anna.goto("/desk/events/own")
    form = anna.locator("form", has=anna.get_by_label("Round"))
    for label, value in (("Section", "1"), ("Number of the player", "1"), ("Round", "1"), ("Right is", "L2")):
        form.get_by_label(label).fill(value)
    form.get_by_label("Why").fill("the slip says so")
    form.get_by_role("button").click()
    expect(anna.get_by_text("takes two people")).to_be_visible()
    anna.goto("/desk")
    expect(anna.get_by_text("waits for somebody else")).to_be_visible()
    assert anna.get_by_role("button", name="Approve").count() == 0
    boris.goto("/desk")
    boris.get_by_role("button", name="Approve").click()
    expect(boris.get_by_text("It is in the record as act")).to_be_visible()
    boris.goto("/desk")
    boris.get_by_role("button", name="Rate now").click()
    link = boris.get_by_role("link", name=re.compile(r"run \d+"))
    expect(link).to_be_visible()
    address = link.get_attribute("href")
    assert address is not None
    for _ in range(40):  # the site reads the record anew within a second or so
        if boris.request.get(address).ok:
            break
        boris.wait_for_timeout(250)
    boris.goto(address)
    expect(boris.get_by_role("main")).to_contain_text("Member, Boris 1")
    expect(boris.get_by_role("main")).to_contain_text("anna, approved by boris")


DESK = {
    "desk": "/desk",
    "event": "/desk/events/own-late",
    "decisions": "/desk/decisions",
    "account": "/account",
    "correction": "/events/other/correction",
}


@pytest.mark.parametrize("name", DESK)
def test_the_desk_is_sound_in_every_width_and_scheme(name: str, guest: Guest) -> None:
    page = guest("anna")
    page.goto(DESK[name])
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    wrong = []
    for width, scheme in looks(page):
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name} at {width} px"
        wrong += [(width, scheme, one) for one in violations(page)]
    assert not wrong
