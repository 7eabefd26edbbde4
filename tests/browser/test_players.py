"""What a player does: finds their page, sees why their rating moved, estimates the next event."""

import json
import re
from collections.abc import Iterator
from datetime import date
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from crosstable.calculator.estimate import estimate
from crosstable.calculator.reading import read_link
from crosstable.calculator.requests import Opponent
from crosstable.calculator.what_if import next_game
from tests.browser.conftest import WIDE, Watched, context_of, watch
from tests.browser.served import Served
from tests.browser.visits import press
from tests.waiting import until

# Of somebody who types with ten fingers, but not fast: 40 words of five letters.
KEYS_A_MINUTE = 200


@pytest.fixture(params=["with scripts", "without scripts"])
def either(request: pytest.FixtureRequest, browser: Browser, site: Served) -> Iterator[Page]:
    """A page with scripts, and one without."""
    scripts = request.param == "with scripts"
    context = context_of(browser, base_url=site.address, viewport=WIDE, java_script_enabled=scripts)
    made = context.new_page()
    seen = watch(made, site.address)
    yield made
    context.close()
    assert seen == Watched([], [])


def test_a_player_finds_himself_by_a_misspelt_name_and_sees_why_his_rating_moved(
    either: Page, there: dict[str, Any]
) -> None:
    page, member = either, there["member"]
    page.goto(f"/members/{member}")
    name = page.get_by_role("heading", level=1).inner_text().strip()
    surname = re.split(r"[ ,]", name)[-1 if "," not in name else 0]
    page.goto("/")
    box = page.get_by_role("main").get_by_label("Find a player")
    box.fill(surname[:-1] + ("x" if surname[-1] != "x" else "y"))
    box.press("Enter")
    page.get_by_role("main").get_by_role("link", name=name).first.click()
    expect(page).to_have_url(re.compile(rf"/members/{member}$"))
    page.get_by_role("main").locator("a[href*='players/']").first.click()
    expect(page).to_have_url(re.compile(r"/sections/\d+/players/\d+"))
    expect(page.get_by_role("main")).to_contain_text("§")


def test_an_estimate_gives_what_the_engine_gives_and_its_link_repeats_it(either: Page) -> None:
    page = either
    page.goto("/estimate")
    page.get_by_label("Your rating").fill("1512/40")
    page.get_by_label("Results and opponents").fill("W1640 D1720 L1600")
    press(page.get_by_role("button", name="Estimate"))
    link = page.locator("main a[href^='/estimate?']").last.get_attribute("href")
    assert link is not None
    request = read_link(link, date(2026, 11, 15)).request
    assert request is not None
    due = estimate(request).official
    heading = page.get_by_role("heading", name=re.compile(rf"1512 → {due}\b"))
    expect(heading).to_be_visible()
    page.goto(link)
    expect(heading).to_be_visible()


def test_what_if_shows_the_next_game_as_the_calculator_has_it(page: Page) -> None:
    address = "/estimate?rating=1512/40&game=W1640,D1720,L1600&next=1700"
    page.goto(address)
    link = page.locator("main a[href^='/estimate?']").last.get_attribute("href")
    assert link is not None
    request = read_link(link, date(2026, 11, 15)).request
    assert request is not None
    due = next_game(request, Opponent(1700.0, (None,)))
    shown = page.get_by_role("main").inner_text()
    for rating in (due.win, due.draw, due.loss):
        assert f"{rating.official}" in shown


def test_wrong_input_is_answered_field_by_field(browser: Browser, site: Served) -> None:
    context = context_of(browser, base_url=site.address, viewport=WIDE)
    page = context.new_page()
    reply = page.goto("/estimate?rating=x&game=q")
    assert reply is not None
    assert reply.status == 422  # which the browser notes on its console
    main = page.get_by_role("main").inner_text().casefold()
    assert "rating" in main
    assert "game" in main
    assert page.get_by_label("Your rating").input_value() == "x"
    assert page.get_by_label("Results and opponents").input_value() == "q"
    context.close()


def test_from_my_rating_to_the_game_that_cost_most_in_two_clicks(page: Page, there: dict[str, Any]) -> None:
    """Three are allowed: the rating, why, and the game; why and the game stand on one page."""
    page.goto(f"/members/{there['member']}")
    page.locator(".big a, .systems a.why, a[href*='players/']").first.click()  # 1: the rating itself
    expect(page.locator(".sum p")).to_have_count(3)
    table = page.get_by_role("table").first
    assert {"Expected", "Points", "Their points"} <= set(table.locator("thead th").all_inner_texts())
    assert "Posted change" in table.inner_text()
    points = [
        float(text.replace("\N{MINUS SIGN}", "-") or 0)
        for text in table.locator("tbody td:nth-child(6)").all_inner_texts()
    ]
    worst = table.locator("tbody tr").nth(points.index(min(points)))
    if min(points) < 0:
        expect(page.locator(".sum")).to_contain_text(f"{worst.locator('th').inner_text()} cost most")
    worst.locator("a.why").click()  # 2: the game that cost most, from the other side
    expect(page.get_by_role("heading", level=1)).to_contain_text("Why this rating")


def test_the_graph_answers_to_keys_and_pointer_and_opens_a_section(page: Page, there: dict[str, Any]) -> None:
    page.goto(f"/members/{there['member']}")
    graph, told = page.locator("svg.live"), page.locator(".told")
    graph.focus()
    page.keyboard.press("End")
    last = told.inner_text()
    assert re.match(r"\w+ \d+, \d{4}: ", last)
    page.keyboard.press("ArrowLeft")
    assert told.inner_text() != last
    page.get_by_role("button", name="1 year").click()
    graph.hover()
    expect(told).to_contain_text(re.compile(r"\d{4}: "))
    toggle = page.locator(".toggles button").first
    toggle.click()
    assert toggle.get_attribute("aria-pressed") == "false"
    toggle.click()
    graph.focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/events/.+/sections/\d+"))


def test_the_next_event_from_an_entry_list_of_ten_and_results_by_tap(page: Page, there: dict[str, Any]) -> None:
    """The rows come from the list, a tap changes the answer, and the link says the same."""
    page.goto("/search.json?size=11")
    members = json.loads(page.locator("body").inner_text())["members"]
    listed = [one for one in members if one["member_id"] != there["member"]][:10]
    names = [one["member_id"] for one in listed]
    page.goto(f"/estimate?me={there['member']}")
    typed = "\n".join(one["name"] for one in listed)
    assert len(typed) <= KEYS_A_MINUTE
    page.get_by_label("Entry list").press_sequentially(typed)
    press(page.get_by_role("button", name="Estimate"))
    expect(page.locator("ol.games > li")).to_have_count(11)
    page.locator("ol.games > li").first.get_by_text("Won").click()
    headline = page.locator("#result")
    expect(headline).to_be_visible()
    won = headline.inner_text()
    page.locator("ol.games > li").first.get_by_text("Lost").click()
    expect(headline).not_to_have_text(won)
    expect(page).to_have_url(re.compile(rf"game=L{names[0]}"))


def test_names_come_while_typing_and_the_keys_choose_one(page: Page, there: dict[str, Any]) -> None:
    page.goto(f"/members/{there['member']}")
    name = page.get_by_role("heading", level=1).inner_text()
    page.goto("/")
    page.get_by_role("main").get_by_label("Find a player").press_sequentially(name[:8])
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/members/\w+$"))


def test_on_a_phone_a_tap_on_a_name_changes_no_result_and_the_answer_is_pointed_at(
    browser: Browser, site: Served, there: dict[str, Any]
) -> None:
    """The list of names lies over the results of its game; a finger that chooses a name must not reach them."""
    context = context_of(browser, base_url=site.address, viewport={"width": 360, "height": 740}, has_touch=True)
    page = context.new_page()
    page.goto("/search.json?size=3")
    names = [one["name"] for one in json.loads(page.locator("body").inner_text())["members"]]
    page.goto(f"/estimate?me={there['member']}")
    rows = page.locator("ol.games > li")
    for at, name in enumerate(names):
        rows.nth(at).get_by_role("combobox").press_sequentially(name)
        rows.nth(at).get_by_role("option").first.tap()
        expect(rows.nth(at)).to_have_attribute("data-id", re.compile(r"\d+"))  # the click comes after the tap
        expect(rows.nth(at).get_by_label("Won")).to_be_checked()
    pointer, result = page.locator("a.pointer"), page.locator("#result")
    until(lambda: pointer.text_content() == result.text_content())  # both change with every answer that comes
    pointer.tap()
    expect(result).to_be_in_viewport()
    expect(pointer).to_be_hidden()
    context.close()


def test_names_that_come_after_the_choice_are_not_shown(browser: Browser, site: Served, there: dict[str, Any]) -> None:
    """On a slow line the answer to the last letter may come when a name was chosen from the answer before it."""
    context = context_of(browser, base_url=site.address, viewport=WIDE)
    page = context.new_page()
    page.goto(f"/members/{there['member']}")
    name = page.get_by_role("heading", level=1).inner_text()
    page.goto("/estimate")
    slow: list[Route] = []
    asked = f"q={quote(name)}&"

    def hold(route: Route) -> None:
        slow.append(route)

    page.route(lambda url: asked in url, hold)
    first, second = page.locator("ol.games > li").first, page.locator("ol.games > li").nth(1)
    first.get_by_role("combobox").press_sequentially(name[:-1])
    expect(first.get_by_role("option", name=name).first).to_be_visible()
    with page.expect_request(lambda request: asked in request.url):
        first.get_by_role("combobox").press_sequentially(name[-1])
    first.get_by_role("option", name=name).first.click()
    second.get_by_role("combobox").focus()
    with page.expect_response(lambda reply: asked in reply.url) as late:
        slow[0].continue_()
    late.value.finished()
    second.get_by_role("combobox").press_sequentially(name[:6])  # the answer to this is shown after the late one
    expect(second.get_by_role("option").first).to_be_visible()
    expect(first.get_by_role("option")).to_have_count(0)
    context.close()


def test_an_answer_that_comes_after_the_question_was_taken_back_is_not_shown(browser: Browser, site: Served) -> None:
    context = context_of(browser, base_url=site.address, viewport=WIDE)
    page = context.new_page()
    page.goto("/estimate?rating=1512/40&game=W1640,D1720,L1600")
    page.evaluate(
        """() => {
          window.shown = [];
          const note = () => window.shown.push(document.querySelector("#result")?.textContent ?? "");
          new MutationObserver(note).observe(document.querySelector("#answer"), { childList: true });
        }"""
    )
    slow: list[Route] = []

    def hold(route: Route) -> None:
        slow.append(route)

    page.route(lambda url: "rating=1700" in url, hold)
    rating = page.locator("#rating")
    with page.expect_request(lambda request: "rating=1700" in request.url):
        rating.fill("1700/40")
    rating.fill("")
    with page.expect_response(lambda reply: "rating=1700" in reply.url) as late:
        slow[0].continue_()
    late.value.finished()
    rating.fill("1800/40")
    page.wait_for_function("() => window.shown.some((one) => one.startsWith('1800 '))")
    assert [one for one in page.evaluate("() => window.shown") if one.startswith("1700 ")] == []
    context.close()


def test_what_is_unfolded_stays_so_while_somebody_types_and_a_refusal_is_told(browser: Browser, site: Served) -> None:
    context = context_of(browser, base_url=site.address, viewport=WIDE)  # a refusal is an error to the browser
    page = context.new_page()
    page.goto("/estimate?rating=1512/40&game=W1640,D1720,L1600")
    before = page.locator("#result").inner_text()
    page.locator("[data-fold=scores] summary").click()
    page.locator("ol.games > li").nth(1).get_by_text("Won", exact=True).click()
    expect(page.locator("#result")).not_to_have_text(before)
    expect(page.get_by_role("table", name="New rating for every score")).to_be_visible()
    field = page.get_by_label("Results and opponents")
    field.fill(" ".join(["W1640"] * 60))
    field.press("Tab")
    expect(page.locator("#answer .error")).to_contain_text("An estimate has at most 50 games")
    context.close()


def test_whose_id_was_chosen_is_said_and_a_pasted_list_has_its_own_button(page: Page, there: dict[str, Any]) -> None:
    page.goto(f"/members/{there['member']}")
    name = page.get_by_role("heading", level=1).inner_text()
    page.goto("/estimate")
    field = page.get_by_label("Your rating")
    field.press_sequentially(name[:8])
    page.get_by_role("listbox").get_by_role("option", name=name).first.click()
    expect(field).to_have_value(str(there["member"]))
    expect(page.locator("[data-chosen]")).to_have_text(name)
    page.get_by_label("Entry list").fill("10000005")
    press(page.get_by_role("button", name="Use this list"))
    expect(page.locator("#range")).to_be_visible()
    expect(page.locator("[data-chosen]")).to_have_text(name)
    page.get_by_label("Your rating").press_sequentially("1")
    expect(page.locator("[data-chosen]")).to_have_count(0)


def test_the_report_of_an_audit_can_be_copied_and_a_player_found(page: Page) -> None:
    """Two of sixteen players of a made-up page; whoever sends the report has it as text."""
    rows = "".join(
        f"{at:5} | PLAYER {at:04}                    |1.0  |{'W' if at % 2 else 'L'}{at + 1 if at % 2 else at - 1:4}|\n"
        f"   NY | 1000{at:04} / R: 1500   ->1516     |     |W    |\n"
        for at in range(1, 17)
    )
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/audit")
    page.get_by_label("The crosstable as text").fill(rows)
    page.get_by_text("If the text has no dates").click()
    page.get_by_label("Time control").fill("G/60;d5")
    page.get_by_label("First day").fill("2026-06-14")
    page.get_by_label("Last day").fill("2026-06-14")
    page.get_by_role("button", name="Check the ratings").click()
    page.get_by_label("Find a player").last.fill("player 0007")
    expect(page.locator(".audited tbody tr:visible")).to_have_count(1)
    page.get_by_role("button", name="Copy the report").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert "PLAYER 0007" in page.evaluate("navigator.clipboard.readText()")
