"""The office desk: what waits, what was asked for, what takes a second person; rating and publishing."""

import logging
import queue
import threading
import time
from collections.abc import Iterator
from typing import Annotated, NamedTuple

from fastapi import Path, Request, Response
from starlette.responses import StreamingResponse

from crosstable.errors import OfficeError
from crosstable.office.database import Office
from crosstable.office.ledger.facts import Heading
from crosstable.office.ledger.journal import Author
from crosstable.office.ledger.rerate import Run, rerate, sections_ahead
from crosstable.office.proposals import Proposal, approve, proposals, publication, refuse
from crosstable.office.supplements import Basis
from crosstable.office.waiting import AdministrationStatus, desk_status
from crosstable.web.acting import PATIENCE, Outcome, act_on
from crosstable.web.forms import PRIVATE, actor_in, in_office, page, read_anew, refusal, went
from crosstable.web.gate import form_of, office_of, text_of
from crosstable.web.problems import Problem
from crosstable.web.replies import HTML, render
from crosstable.web.routes import Policy, Route

# The page of a run tells how far it is so often, in seconds.
TELL_EVERY = 0.3
# Where in the page the lines of a run come.
_HERE = "@@the run@@"
# What the office's databases hold as a number.
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
LOG = logging.getLogger("crosstable.web")


class Administration(NamedTuple):
    """What waits for the office."""

    status: AdministrationStatus
    open: list[Proposal]
    page: int
    has_older: bool
    settled: list[Proposal]
    held: dict[str, list[Heading]]
    requested: dict[str, list[Heading]]


MOST_SETTLED = 8
MOST_OPEN = 100
MOST_PAGES = 1_000


async def desk_page(request: Request) -> Response:
    """What waits; of proposals the newest, and those before on pages of their own."""
    said = request.query_params.get("page", "1")
    if not said.isdecimal() or not 1 <= (number := int(said[:7])) <= MOST_PAGES:
        raise Problem(404, "There is no such page.")
    lying = await in_office(_desk, office_of(request), number)
    return page(request, "desk/desk.html", desk=lying, bases=list(Basis))


def _desk(office: Office, number: int) -> Administration:
    found = desk_status(office)
    waiting = proposals(office, is_open=True, most=number * MOST_OPEN + 1)[(number - 1) * MOST_OPEN :]
    settled = proposals(office, is_open=False, most=MOST_SETTLED)
    shown, has_older = waiting[:MOST_OPEN], len(waiting) > MOST_OPEN
    held, requested = _by_event(found.held.first), _by_event(found.requested.first)
    return Administration(found, shown, number, has_older, settled, held, requested)


def _by_event(headings: tuple[Heading, ...]) -> dict[str, list[Heading]]:
    found: dict[str, list[Heading]] = {}
    for one in headings:
        found.setdefault(one.event_id, []).append(one)
    return found


# Lists and proposals.


async def publish_list(request: Request) -> Response:
    """Publish the list of a month, or propose it."""
    form = await form_of(request)
    actor, office = actor_in(request), office_of(request)
    basis = text_of(form, "basis") or Basis.RULE.value
    if basis not in list(Basis):
        raise Problem(422, "That is no cut-off.")
    wish = await in_office(publication, text_of(form, "month"), Basis(basis))
    reason = text_of(form, "reason") or f"the list of {text_of(form, 'month')}"
    return await told(request, await in_office(act_on, office, actor, wish, reason), "/desk")


async def told(request: Request, outcome: Outcome, back: str) -> Response:
    """What became of a wish: an act, or a proposal; the site shows it at once."""
    await read_anew(request)
    return page(request, "desk/done.html", outcome=outcome, back=back)


async def approve_proposal(request: Request, number: Number) -> Response:
    """Agree to what somebody else proposed."""
    act = await in_office(approve, office_of(request), actor_in(request).name, number)
    return await told(request, Outcome(act, None), "/desk")


async def refuse_proposal(request: Request, number: Number) -> Response:
    """Turn a proposal down, or take one's own back."""
    await in_office(refuse, office_of(request), actor_in(request).name, number)
    return went("/desk#proposals")


# Rating, with a page that grows while it goes on.


async def rate_now(request: Request) -> Response:
    """Rate what the acts since the last run touch, and tell how far it is."""
    form = await form_of(request)
    author = Author(actor_in(request).name, text_of(form, "reason") or "rating run")
    whole = render(request, "desk/rating.html", mark="", actor=actor_in(request), progress=_HERE).decode()
    before, _, after = whole.partition(_HERE)
    told_so_far = _rating(office_of(request), author)
    pieces = (piece.encode() for piece in _around(before, told_so_far, after))
    return StreamingResponse(pieces, media_type=HTML, headers={**PRIVATE, "X-Accel-Buffering": "no"})


def _around(before: str, lines: Iterator[str], after: str) -> Iterator[str]:
    yield before
    yield from lines
    yield after


def _rating(office: Office, author: Author) -> Iterator[str]:
    """A rating run, told line by line; it goes on to its end even when nobody looks any more."""
    said: queue.Queue[int | Run | Problem | None] = queue.Queue()

    def work() -> None:
        try:
            said.put(rerate(office, author, said.put, patience=PATIENCE))
        except OfficeError as error:
            said.put(refusal(error))
        except Exception:  # the door: somebody waits for the last word
            LOG.exception("the rating run ended")
            said.put(Problem(500, "The run met an error of the site's own; the log on the machine has the details."))

    with office.reading() as connection:
        ahead = sections_ahead(connection)
    threading.Thread(target=work, daemon=True).start()
    spoken = time.monotonic()
    while isinstance(found := said.get(), int):
        if time.monotonic() - spoken >= TELL_EVERY:
            spoken = time.monotonic()
            yield f"<li>{found:,} of {ahead:,} places looked at</li>\n"
    yield _ended(found)


def _ended(found: Run | Problem | None) -> str:
    from markupsafe import escape

    if isinstance(found, Problem):
        return f'<li class="error">{escape(found.detail)}</li>\n'
    if found is None:
        return "<li>Nothing to rate: no act since the last run touches a rating.</li>\n"
    lines = [
        f"<li><b>Done.</b> {found.sections:,} sections rated, {len(found.ripple):,} ratings new or changed: "
        f'<a href="/ripples/{found.act}">run {found.act}</a>.</li>\n'
    ]
    for key, why in found.unratable.items():
        lines.append(f'<li class="error">Event {escape(key.event_id)}, section {key.section}: {escape(why)}</li>\n')
    return "".join(lines)


ROUTES: tuple[Route, ...] = (
    Route("/desk", desk_page, Policy.OFFICE),
    Route("/desk/rate", rate_now, Policy.OFFICE, ("POST",)),
    Route("/desk/publish", publish_list, Policy.OFFICE, ("POST",)),
    Route("/desk/proposals/{number}/approve", approve_proposal, Policy.OFFICE, ("POST",)),
    Route("/desk/proposals/{number}/refuse", refuse_proposal, Policy.OFFICE, ("POST",)),
)
