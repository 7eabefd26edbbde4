"""Every page of the site and how a browser comes to it: by an address, or by a walk through forms.

A test compares this list with the templates and with the routes, so a page that nobody looks at fails the suite.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.request import urlopen

from playwright.sync_api import Locator, Page

from tests.architecture.source import ROOT
from tests.browser.samples import FAULTY, GOOD, saved
from tests.verification.planted import turned


class Guests(Protocol):
    """The pages of people, each logged in once."""

    def __call__(self, who: str) -> Page:
        """The page of a visitor of the demonstration, of nobody at the office, or of somebody with an account."""


class Visit(NamedTuple):
    """A page with an address, which may name things of the demonstration: ``{event}``, ``{member}``, …"""

    template: str
    address: str
    who: str = "visitor"
    status: int = 200


class Walk(NamedTuple):
    """A way through forms, with the templates of the pages where it stops."""

    stops: tuple[str, ...]
    go: Callable[[Guests, Path], Iterator[Page]]


ESTIMATE = "/estimate?rating=1512/40&game=W1640,D1720,L1600,T1800&control=G/60;d5&next=1700&target=1550"
VISITS = {
    "home": Visit("home.html", "/"),
    "search": Visit("search.html", "/search?q=fa"),
    "member": Visit("member.html", "/members/{member}"),
    "games": Visit("games.html", "/members/{member}/games"),
    "head to head": Visit("against.html", "/members/{member}/against/{opponent}"),
    "member by games": Visit("member.html", "/members/{member}?axis=games"),
    "member who moved without playing": Visit("member.html", "/members/{moved}"),
    "club": Visit("place.html", "/clubs/A6000000"),
    "state": Visit("place.html", "/states/AQ"),
    "director": Visit("place.html", "/directors/{member}"),
    "events": Visit("events.html", "/events"),
    "event": Visit("event.html", "/events/{event}"),
    "section": Visit("section.html", "/events/{event}/sections/{section}"),
    "explanation": Visit("explanation.html", "/events/{event}/sections/{section}/players/{player}"),
    "lists": Visit("lists.html", "/lists"),
    "list": Visit("list.html", "/lists/{month}?size=12"),
    "top list": Visit("top.html", "/lists/{month}/top?top=12"),
    "rules": Visit("rules.html", "/rules"),
    "edition": Visit("edition.html", "/rules/2025-01-01"),
    "changed rules": Visit("rules_changed.html", "/rules/changes"),
    "changes": Visit("changes.html", "/changes?size=12"),
    "change": Visit("change.html", "/changes/{act}"),
    "ripples": Visit("ripples.html", "/ripples"),
    "ripple": Visit("ripple.html", "/ripples/{run}?size=12"),
    "estimate form": Visit("estimate.html", "/estimate"),
    "estimate": Visit("estimate.html", ESTIMATE),
    "estimate of nothing": Visit("estimate.html", "/estimate?rating=x&game=q", status=422),
    "calculator": Visit("calculator.html", "/calculator?rating=1512&game=W1640"),
    "why calculators differ": Visit("differences.html", "/why-calculators-differ"),
    "about": Visit("about.html", "/about"),
    "api": Visit("api.html", "/api"),
    "rate a file": Visit("rate.html", "/rate"),
    "audit": Visit("audit.html", "/audit"),
    "upload": Visit("administration/upload.html", "/upload"),
    "sign in without accounts": Visit("administration/login.html", "/login"),
    "machine": Visit("administration/machine.html", "/machine/any"),
    "nothing there": Visit("problem.html", "/nothing-here", status=404),
    "sign in": Visit("administration/login.html", "/login", "nobody"),
    "crosstables": Visit("crosstables.html", "/events/{event}/crosstables"),
    "members in the administration": Visit("administration/members.html", "/administration/members", "anna"),
    "my events": Visit("administration/my_events.html", "/my-events", "tina"),
    "my event": Visit("administration/my_event.html", "/my-events/own-late", "tina"),
    "administration": Visit("administration/administration.html", "/administration", "anna"),
    "event in the administration": Visit("administration/event.html", "/administration/events/own-late", "anna"),
    "done": Visit("administration/done.html", "/administration/done?entry=2", "anna"),
    "no proposal": Visit("problem.html", "/administration/proposals/999", "anna", 404),
    "decisions": Visit("administration/decisions.html", "/administration/decisions", "anna"),
    "jobs": Visit("administration/jobs.html", "/administration/jobs", "anna"),
    "security log": Visit("administration/security.html", "/administration/security", "anna"),
    "account of the office": Visit("administration/account.html", "/account", "anna"),
    "account of a club": Visit("administration/account.html", "/account", "clara"),
    "correction": Visit("administration/request.html", "/events/own/correction", "tina"),
    "not allowed": Visit("problem.html", "/administration", "tina", 403),
}
# Answers with a GET, and shows no page: files, a part of a page, and a way to another address.
NO_PAGE = (
    *("/healthz", "/readyz", "/metrics"),
    *("/events/{event_id}/files/{to}", "/lists/{month}/ratings.{form}", "/identity.css", "/logo.png"),
    *("/robots.txt", "/sitemap.xml", "/manifest.webmanifest", "/favicon.ico", "/feeds/{secret}"),
    *("/administration/event", "/administration/export", "/estimate/answer"),
)


def of_demo(address: str) -> dict[str, Any]:
    """What the visits name: the correction of the demonstration, and a section that changed many ratings."""
    ask = partial(_asked, address)
    act = ask("/changes.json?kind=correct")["acts"][0]
    run = ask(f"/changes/{act['act']}.json")["run"]
    place, row = next(_rows(ask))
    return {
        "act": act["act"],
        "run": run,
        "moved": ask(f"/ripples/{run}.json")["lines"][0]["member_id"],
        "month": ask("/lists.json")["lists"][0]["month"],
        "event": place["event_id"],
        "section": place["number"],
        "player": row["number"],
        "member": row["member_id"],
        "opponent": ask(f"/members/{row['member_id']}/games.json")["opponents"][0]["member_id"],
    }


def _asked(address: str, path: str) -> Any:
    with urlopen(address + path) as reply:
        return json.load(reply)


def _rows(ask: Callable[[str], Any]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Rows of sections in which somebody's rating moved, those with many such rows first; in the end any row."""
    spare = []
    for event in ask("/events.json")["events"]:
        for one in ask(f"/events/{event['event_id']}.json")["sections"]:
            section = ask(f"/events/{event['event_id']}/sections/{one['number']}.json")
            moved = [row for row in section["rows"] if any(own["change"] for own in row["ratings"])]
            spare += [(section, row) for row in moved[:1]]
            if len(moved) > 5:
                yield section, moved[0]
    yield from spare


# Walks. Each leaves alone what the others need; the office is there for them only.


def press(thing: Locator) -> None:
    """Send a form or follow a link, and wait until the page that answers has come: it may look like the one before."""
    with thing.page.expect_navigation():
        thing.click()


def send(page: Page, path: str) -> None:
    """Choose a file, and wait until it was looked at."""
    page.goto("/upload")
    page.get_by_label("Files of one or more events").set_input_files(path)
    page.locator("#sum", has_text="rated").or_(page.locator(".benchnews", has_text="cannot be")).or_(
        page.locator(".benchnews", has_text="no format")
    ).first.wait_for()


def send_plainly(page: Page, path: str) -> None:
    """The same where there are no scripts."""
    page.goto("/upload")
    page.get_by_label("Files of one or more events").set_input_files(path)
    press(page.get_by_role("button", name="Check and preview"))


def rating_a_file(guests: Guests, folder: Path) -> Iterator[Page]:
    """Anybody's own file: what cannot be read, what has mistakes, what is rated; and why a player's rating is so."""
    page = guests("nobody")
    unreadable = folder / "unreadable.bin"
    unreadable.write_bytes(b"\x00\x01 nothing")
    for path in (str(unreadable), saved(folder, "faulty", FAULTY), str(ROOT / "examples" / "summer-quads.json")):
        page.goto("/rate")
        page.get_by_label("The file of an event").set_input_files(path)
        press(page.get_by_role("button", name="Check and rate"))
        yield page
    press(page.get_by_role("button", name="Why").first)
    yield page


def auditing(guests: Guests, folder: Path) -> Iterator[Page]:
    """A pasted crosstable whose posted ratings follow from a result that was turned."""
    page = guests("nobody")
    page.goto("/audit")
    page.get_by_label("The crosstable as text").fill(json.dumps(turned()))
    press(page.get_by_role("button", name="Check the ratings"))
    page.get_by_role("heading", name="Some posted ratings differ from what the rules give.").wait_for()
    page.get_by_text("Possible reasons").first.click()
    yield page


def uploading(guests: Guests, folder: Path) -> Iterator[Page]:
    """A director's upload: what cannot be read, what has mistakes, what is ready; and what became of the last two."""
    page = guests("tina")
    unreadable = folder / "unreadable.bin"
    unreadable.write_bytes(b"\x00\x01 nothing")
    send(page, str(unreadable))
    yield page
    for event, chart in (("looked-faulty", FAULTY), ("looked", GOOD)):
        send(page, saved(folder, event, chart))
        yield page
        press(page.get_by_role("button", name=re.compile("Submit")))
        yield page


def correcting(guests: Guests, _folder: Path) -> Iterator[Page]:
    """A director asks; the office proposes, somebody else looks at the administration, approves and rates."""
    tina, anna, boris = guests("tina"), guests("anna"), guests("boris")
    tina.goto("/events/own-late/correction")
    correct(tina, "L2")
    yield tina
    anna.goto("/administration/events/own-late")
    yield anna
    anna.goto("/administration/events/own")
    correct(anna, "L2")
    yield anna
    anna.goto("/administration")
    form = anna.locator("form", has=anna.get_by_label("Month"))
    form.get_by_label("Month").fill("2026-12")
    press(form.get_by_role("button"))
    yield anna
    boris.goto("/administration")
    yield boris
    press(boris.get_by_role("link", name=re.compile("event own as it was asked for")))
    yield boris
    press(boris.get_by_role("button", name="Approve"))
    yield boris
    boris.goto("/administration")
    boris.get_by_role("button", name="Rate now").click()
    boris.get_by_text("Nothing to rate").wait_for()
    yield boris


def correcting_nothing(guests: Guests, _folder: Path) -> Iterator[Page]:
    """A correction that changes nothing is not stored."""
    page = guests("clara")
    page.goto("/events/own-late/correction")
    correct(page, "W2")
    yield page


def correct(page: Page, result: str) -> None:
    """Fill in the form for a result of the first player's first round."""
    form = page.locator("form", has=page.get_by_label("Round"))
    for label, value in (("Section", "1"), ("Number of the player", "1"), ("Round", "1"), ("Correct result", result)):
        form.get_by_label(label).fill(value)
    form.get_by_label("Why").fill("the slip says so")
    press(form.get_by_role("button", name=re.compile("^(Send|Correct)$")))


def making_a_token(guests: Guests, _folder: Path) -> Iterator[Page]:
    """A club makes a token, which is shown once."""
    page = guests("clara")
    page.goto("/account")
    press(page.get_by_role("button", name="Make a token"))
    yield page


_UPLOAD, _SUBMITTED, _DONE = "administration/upload.html", "administration/submitted.html", "administration/done.html"
_OWN = "administration/my_event.html"
WALKS = {
    "rating a file": Walk(("rate.html",) * 4, rating_a_file),
    "auditing a page": Walk(("audit.html",), auditing),
    "uploading": Walk((_UPLOAD, _UPLOAD, _OWN, _UPLOAD, _OWN), uploading),
    "correcting": Walk(
        (
            _OWN,
            "administration/event.html",
            _OWN,
            _DONE,
            "administration/administration.html",
            "administration/proposal.html",
            _DONE,
            "administration/rating.html",
        ),
        correcting,
    ),
    "a correction of nothing": Walk((_SUBMITTED,), correcting_nothing),
    "making a token": Walk(("administration/account.html",), making_a_token),
}
