"""What directors and the office do: upload, preview, submit, posted; correction, second person, run, ripple."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from playwright.sync_api import Browser, Page, expect

from crosstable.formats.event_json_write import write as write_json
from crosstable.formats.trf_write import write as write_trf
from crosstable.formats.uschess_write import write as write_dbf
from crosstable.formats.uschess_write import write_zip
from crosstable.formats.wallchart_write import write as write_csv
from crosstable.formats.wallchart_xlsx import write as write_xlsx
from crosstable.terms import Report
from tests.amounts import amount
from tests.architecture.source import ROOT
from tests.browser.conftest import WIDE, Watched, come_in, context_of, watch
from tests.browser.samples import FAULTY, GOOD, PLAYED, saved
from tests.browser.served import Served
from tests.browser.visits import press, send, send_plainly
from tests.office.made_office import quad
from tests.pipeline.test_workbench import BROKEN, TORN, put
from tests.pipeline.test_workbench import quad as faultless


class Guest(Protocol):
    """Lets somebody in, and gives their page."""

    def __call__(self, name: str, *, scripts: bool = True) -> Page:
        """The page of somebody who is logged in."""


@pytest.fixture
def guest(browser: Browser, office: Served) -> Iterator[Guest]:
    """Pages of people who are logged in by the form, each in a browser of their own, with scripts or without."""
    seen: list[Watched] = []
    contexts = []

    def let_in(name: str, *, scripts: bool = True) -> Page:
        context = context_of(browser, base_url=office.address, viewport=WIDE, java_script_enabled=scripts)
        contexts.append(context)
        page = context.new_page()
        seen.append(watch(page, office.address))
        come_in(page, name)
        return page

    yield let_in
    for context in contexts:
        context.close()
    assert all(one == Watched([], []) for one in seen), seen


@pytest.mark.parametrize("scripts", [True, False])
def test_a_director_uploads_sees_the_preview_submits_and_it_is_posted(
    guest: Guest, tmp_path: Path, *, scripts: bool
) -> None:
    event = "with-scripts" if scripts else "without-scripts"
    page = guest("tina", scripts=scripts)
    chart = GOOD if scripts else GOOD.replace("D3", "W3").replace("D1", "L1")  # the same again would have to wait
    (send if scripts else send_plainly)(page, saved(tmp_path, event, chart))
    expect(page.get_by_text("Everything is ready").first).to_be_visible()
    previewed = page.locator("td.result b" if scripts else "td[data-label=After] b").all_inner_texts()
    page.get_by_role("button", name=re.compile("Submit")).click()
    expect(page.get_by_text("1 section accepted and rated")).to_be_visible()
    press(page.get_by_role("link", name="See the event"))
    press(page.get_by_role("main").get_by_role("link", name="Section 1"))
    shown = page.get_by_role("main").inner_text()
    assert len(previewed) == 4
    assert all(rating in shown for rating in previewed)


def test_every_mistake_is_marked_in_its_cell_and_mended_by_a_click(guest: Guest, tmp_path: Path) -> None:
    page = guest("tina")
    send(page, saved(tmp_path, "faulty", FAULTY))
    found = page.locator("#found")
    expect(found).to_contain_text("Nobody here has the id 10000088")
    expect(found).to_contain_text("Nobody here has the id 10000089")
    expect(found).to_contain_text("1 times W against player 2, who shows 0 times L against player 1")
    expect(page.get_by_label("Member ID of Member, Irene 88")).to_have_attribute("aria-invalid", "true")
    found.get_by_role("button", name=re.compile("^Member, Boris 1 is right")).click()
    expect(found).not_to_contain_text("1 times W")
    page.get_by_label("Member ID of Member, Irene 88").fill("10000002")
    page.get_by_label("Member ID of Member, Irene 88").press("Tab")
    expect(found).not_to_contain_text("10000088")
    page.reload()
    expect(page.get_by_label("Member ID of Member, Irene 88")).to_have_value("10000002")


# One person in two rows then plays themselves, and days of the last weekend go by the clock; the event has one name.
NOT_SIDE_BY_SIDE = ("re-entry-differs", "duplicate-name", "event-id-date", "section-outside-event", "rating-not-known")


def many_mistakes() -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """A draft with a section for each kind of mistake, and what to click for each."""
    draft, clicks = faultless(), list[tuple[str, str]]()
    (quad_section,) = draft["event"]["sections"]
    draft["event"]["sections"] = []
    kinds = {code: (changes, label) for changes, code, _, label in reversed(BROKEN) if code not in NOT_SIDE_BY_SIDE}
    for at, (code, (changes, label)) in enumerate([*kinds.items()][:: amount(5, 1)]):
        made = json.loads(json.dumps({**quad_section, "number": at + 1, "name": f"Quad {at + 1}"}))
        for row, player in enumerate(made["players"]):
            player.update(member_id=f"{31_000_000 + 10 * at + row}", name=f"{player['name']} {at + 1}")
        for path, value in changes.items():
            steps = [int(step) if step.isdigit() else step for step in path.removeprefix("/").split()]
            put(made, steps, [{**TORN, "place": ""}] if code == "damaged-file" else value)
        draft["event"]["sections"].append(made)
        clicks.append((code, re.sub("(Adams, Ann|Baker, Bo)", rf"\1 {at + 1}", label)))
    return json.loads(json.dumps(draft).replace("2026-11", "2024-03")), clicks


def test_every_kind_of_mistake_is_mended_by_its_click(page: Page) -> None:
    draft, clicks = many_mistakes()
    page.goto("/upload")
    kept = {"many": {"name": "Many", "at": 1, "draft": draft}}
    page.evaluate("kept => localStorage.setItem('crosstable.drafts', JSON.stringify(kept))", kept)
    page.goto("/upload#draft-many")
    page.reload()
    found = page.locator("#found > details")
    for at, (code, label) in enumerate(clicks, start=1):
        group = found.filter(has=page.locator("code", has_text=re.compile(f"^{code}$")))
        row = group.get_by_role("listitem").filter(has_text=re.compile(f"^Section {at}(,|The| )"))
        expect(group).to_have_count(1)
        group.evaluate("group => [group, ...group.querySelectorAll('details')].forEach((one) => (one.open = true))")
        wanted = re.escape(label.replace("November", "March").replace("2026", "2024")).replace("/", r"\/")
        row.first.get_by_role("button", name=re.compile(f"^{wanted}")).first.click()
        expect(row).to_have_count(0)
    assert len(clicks) == amount(5, 23)
    expect(page.locator("#sum")).to_contain_text("Everything is ready")
    page.reload()
    expect(page.locator("#sum")).to_contain_text(f"{len(clicks)} sections rated")


def test_a_correction_goes_through_two_people_a_run_and_shows_its_ripple(guest: Guest) -> None:
    anna, boris = guest("anna"), guest("boris")
    anna.goto("/events/own/sections/1")
    anna.locator("#s1p1 td a[href^='#']").first.click()
    press(anna.get_by_role("link", name="Correct this result"))
    form = anna.locator("form", has=anna.get_by_label("Round"))
    expect(form.get_by_label("Number of the player")).to_have_value("1")
    form.get_by_label("Correct result").fill("L2")
    press(form.get_by_role("button", name="Show the rating changes"))
    expect(anna.get_by_role("region", name="Rating changes")).to_contain_text("Member, Boris 1")
    form.get_by_label("Why").fill("the slip says so")
    press(form.get_by_role("button", name="Correct", exact=True))
    anna.go_back()
    expect(form.get_by_label("Correct result")).to_have_value("L2")
    anna.go_forward()
    expect(anna.get_by_text("takes two people")).to_be_visible()
    anna.goto("/administration")
    expect(anna.get_by_text("waits for somebody else")).to_be_visible()
    boris.goto("/administration")
    press(boris.get_by_role("link", name=re.compile("event own as it was asked for")))
    expect(boris.get_by_text("later events included")).to_be_visible()
    press(boris.get_by_role("button", name="Approve"))
    expect(boris.get_by_text("Ratings are up to date")).to_be_visible()
    link = boris.get_by_role("link", name="See whose ratings moved")
    address = link.get_attribute("href")
    assert address is not None
    boris.goto(address)
    expect(boris.get_by_role("main")).to_contain_text("Member, Boris 1")
    expect(boris.get_by_role("main")).to_contain_text("anna, approved by boris")


def rated_quad() -> Report:
    """An event of players whom nobody here knows, with pairing ratings."""
    made = quad("", PLAYED, "1 =901 | W2 D3 W4\n2 =902 | L1 L4 L3\n3 =903 | L4 D1 W2\n4 =904 | W3 W2 L1")
    (one,) = made.sections
    rated = tuple(row._replace(pairing_rating=1500.0 + 10 * at) for at, row in enumerate(one.players))
    return made._replace(sections=(one._replace(players=rated),))


# The examples of the repository with the players whom they rate; three have no ratings, which one click settles.
EXAMPLES = {"club-autumn-swiss.csv": 11, "club-blitz.csv": 8, "club-championship.trf": 8, "club-quick-night.json": 12}


def test_files_of_every_kind_give_anybody_ratings_with_a_click_at_most(page: Page, tmp_path: Path) -> None:
    made = rated_quad()
    kinds = {"a.zip": write_zip(made), "a.csv": write_csv(made), "a.xlsx": write_xlsx(made), "a.json": write_json(made)}
    kinds |= {f"a{version}.trf": write_trf(made, version) for version in (16, 26)}
    for name, content in kinds.items():
        (tmp_path / name).write_bytes(content)
    found, clicks = {}, 0
    for path in (*sorted(tmp_path.iterdir()), *(ROOT / "examples" / name for name in EXAMPLES)):
        send(page, str(path))
        if "to put right" in page.locator("#sum").inner_text().replace("Nothing to put right", ""):
            page.get_by_role("button", name=re.compile("^All of them are unrated")).first.click()
            clicks += 1
        expect(page.locator("#sum")).to_contain_text("Everything is ready")
        found[path.name] = page.locator("td.result b").count()
    assert found == {**dict.fromkeys(kinds, 4), **EXAMPLES}
    assert clicks == 3


def test_the_files_of_a_report_give_anybody_ratings_and_an_export(page: Page, tmp_path: Path) -> None:
    """No account, and no player whom this office knows: drop, mend, export; three clicks beside the choice of files."""
    for name, content in write_dbf(rated_quad()).items():
        (tmp_path / name).write_bytes(content)
    page.goto("/upload")
    page.get_by_label("Files of one or more events").set_input_files(sorted(tmp_path.iterdir()))
    expect(page.locator("#sum")).to_contain_text("Everything is ready")
    assert page.locator("td.result b").count() == 4
    expect(page.locator(".before small").first).to_have_text("pairing rating")
    cell = page.locator('[data-at="0/0/0"]')
    cell.fill("L2")
    cell.press("Enter")
    expect(cell).to_have_attribute("aria-invalid", "true")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#sum")).to_contain_text("Everything is ready")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export as DBF").click()
    assert download.value.suggested_filename.endswith(".zip")
