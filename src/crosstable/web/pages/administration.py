"""The administration: what waits, what was asked for, what takes a second person; rating and publishing."""

import logging
import queue
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Annotated, NamedTuple
from urllib.parse import urlencode

from fastapi import Path, Request, Response
from starlette.responses import StreamingResponse

from crosstable.errors import OfficeError
from crosstable.office.database import Office
from crosstable.office.effects import Foreseen, foreseen
from crosstable.office.ledger.facts import Heading
from crosstable.office.ledger.journal import Author
from crosstable.office.ledger.journal import act_of as entry_of
from crosstable.office.ledger.rerate import Run, rerate, sections_ahead
from crosstable.office.proposals import (
    Proposal,
    ProposalKind,
    ProposalState,
    ProposedAction,
    carry_out,
    proposal_of,
    proposals,
    publication,
    refuse,
)
from crosstable.office.public import public_act
from crosstable.office.sections import EventFact
from crosstable.office.security_log import SecurityKind, note_apart
from crosstable.office.status import MOST_SHOWN, AdministrationStatus, administration_status
from crosstable.office.submissions import event_of
from crosstable.office.supplements import Basis
from crosstable.office.views import known
from crosstable.web.acting import PATIENCE, Outcome, act_on, approve_for
from crosstable.web.forms import (
    PRIVATE,
    actor_in,
    in_office,
    in_queue,
    local_path,
    page,
    read_anew,
    refusal,
    renew_quickly,
    went,
)
from crosstable.web.gate import form_of, number_of, office_of, reading_of, text_of
from crosstable.web.limits import FILES
from crosstable.web.problems import Problem
from crosstable.web.reading import Reading
from crosstable.web.replies import HTML, render
from crosstable.web.routes import Policy, Route
from crosstable.web.shapes import JournalEntryShape, act_of

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
    events: dict[str, EventFact]


class Filter(NamedTuple):
    """Which part of what waits is asked for: a pile, or all of them; a text, or any."""

    pile: str = ""
    text: str = ""

    def takes(self, *texts: str) -> bool:
        """Whether the text is somewhere in some others."""
        return any(self.text in one.casefold() for one in texts)


MOST_SETTLED = 8
MOST_OPEN = 100
MOST_PAGES = 1_000
# Of what waits so many are looked through for a text.
MOST_SEARCHED = 2_000
PILES = {
    "waiting": "waiting to be rated",
    "proposals": "proposals",
    "questions": "to be decided",
    "asked": "corrections asked for",
    "held": "held for their errors",
}


async def administration_page(request: Request) -> Response:
    """What waits; of proposals the newest, and those before on pages of their own."""
    said = request.query_params.get("page", "1")
    if not said.isdecimal() or not 1 <= (number := int(said[:7])) <= MOST_PAGES:
        raise Problem(404, "There is no such page.")
    query = request.query_params
    pile = text_of(query, "pile", 20)
    chosen = Filter(pile if pile in PILES else "", text_of(query, "q", 60).casefold())
    lying = await in_office(_found, office_of(request), number, chosen)
    return page(
        request, "administration/administration.html", work=lying, bases=list(Basis), piles=PILES, chosen=chosen
    )


def _found(office: Office, number: int, chosen: Filter) -> Administration:
    found = administration_status(office, MOST_SEARCHED if chosen.text else MOST_SHOWN)
    waiting = proposals(office, is_open=True, most=number * MOST_OPEN + 1)[(number - 1) * MOST_OPEN :]
    settled = proposals(office, is_open=False, most=MOST_SETTLED)
    shown, has_older = waiting[:MOST_OPEN], len(waiting) > MOST_OPEN
    events = _events(office, (*found.held.first, *found.requested.first))
    if chosen.text:
        shown = [one for one in shown if chosen.takes(one.wish.summary, one.reason, one.proposed_by)]
        asked = tuple(one for one in found.questions if chosen.takes(one.member_id, one.message))
        found = found._replace(questions=asked)
        events = {key: one for key, one in events.items() if chosen.takes(key, one.name, str(one.details))}
    held, requested = _by_event(found.held.first, events), _by_event(found.requested.first, events)
    return Administration(found, shown, number, has_older, settled, held, requested, events)


def _events(office: Office, headings: Iterable[Heading]) -> dict[str, EventFact]:
    with office.reading() as connection:
        record = known(connection).record
        return {one: event_of(record, one) for one in dict.fromkeys(heading.event_id for heading in headings)}


def _by_event(headings: Iterable[Heading], events: Iterable[str]) -> dict[str, list[Heading]]:
    found: dict[str, list[Heading]] = {}
    for one in headings:
        if one.event_id in events:
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
    wish = await in_office(publication, text_of(form, "month"), Basis(basis), anyway=bool(text_of(form, "anyway")))
    reason = text_of(form, "reason") or f"the list of {text_of(form, 'month')}"
    return await told(request, await in_office(act_on, office, actor, wish, reason), "/administration")


async def told(request: Request, outcome: Outcome, back: str) -> Response:
    """What became of a wish, on a page of its own; the site shows it at once."""
    await read_anew(request)
    run = 0 if outcome.run is None else outcome.run.act
    more = {"entry": outcome.act or 0, "proposal": outcome.proposal or 0, "run": run, "back": back}
    return went(f"/administration/done?{urlencode(more)}")


async def done_page(request: Request) -> Response:
    """A journal entry of the office, or a proposal, that was made just now."""
    query, office = request.query_params, office_of(request)

    def entry() -> JournalEntryShape | None:
        with office.reading() as connection:
            found = entry_of(connection, number_of(query, "entry"))
        return None if found is None else act_of(public_act(found))

    return page(
        request,
        "administration/done.html",
        back=local_path(text_of(query, "back"), "/administration"),
        entry=await in_office(entry),
        proposal=number_of(query, "proposal"),
        run=number_of(query, "run"),
    )


async def proposal_page(request: Request, number: Number) -> Response:
    """A proposal with the rating changes that approving it would bring."""
    office = office_of(request)
    found = await in_office(proposal_of, office, number)
    if found is None:
        raise Problem(404, "There is no such proposal.")
    if any("birth" in f"{name} {said}" for name, said in found.wish.particulars):
        who, about = actor_in(request).name, f"proposal {number}"
        await in_office(note_apart, office, SecurityKind.BIRTH_DATE_READ, who, about)
    coming = await in_queue(FILES, foreseen_of, office, found.wish) if found.state is ProposalState.OPEN else None
    return page(request, "administration/proposal.html", one=found, coming=coming)


class Coming(NamedTuple):
    """What something would do to ratings, or why the office would refuse it."""

    foreseen: Foreseen | None
    refused: str = ""


def foreseen_of(office: Office, wish: ProposedAction) -> Coming:
    """What a wish would do to ratings."""
    if wish.kind in (ProposalKind.PUBLISH, ProposalKind.CONSENT):
        return Coming(Foreseen((), {}, 0))
    try:
        return Coming(foreseen(office, lambda other: carry_out(other, Author("preview", "looked at"), wish)))
    except OfficeError as error:
        return Coming(None, refusal(error).detail)


async def approve_proposal(request: Request, number: Number) -> Response:
    """Agree to what somebody else proposed."""
    outcome = await in_queue(FILES, approve_for, office_of(request), actor_in(request), number)
    return await told(request, outcome, "/administration")


async def refuse_proposal(request: Request, number: Number) -> Response:
    """Turn a proposal down, or take one's own back."""
    await in_office(refuse, office_of(request), actor_in(request).name, number)
    return went("/administration#proposals")


# Rating, with a page that grows while it goes on.


async def rate_now(request: Request) -> Response:
    """Rate what the acts since the last run touch, and tell how far it is."""
    form = await form_of(request)
    author = Author(actor_in(request).name, text_of(form, "reason") or "rating run")
    whole = render(request, "administration/rating.html", mark="", actor=actor_in(request), progress=_HERE).decode()
    before, _, after = whole.partition(_HERE)
    told_so_far = _rating(reading_of(request), author)
    pieces = (piece.encode() for piece in _around(before, told_so_far, after))
    return StreamingResponse(pieces, media_type=HTML, headers={**PRIVATE, "X-Accel-Buffering": "no"})


def _around(before: str, lines: Iterator[str], after: str) -> Iterator[str]:
    yield before
    yield from lines
    yield after


def _rating(reading: Reading, author: Author) -> Iterator[str]:
    """A rating run, told line by line; it goes on to its end even when nobody looks any more."""
    said: queue.Queue[int | Run | Problem | None] = queue.Queue()
    office = reading.office

    def work() -> None:
        try:
            made = rerate(office, author, said.put, patience=PATIENCE)
            renew_quickly(reading)
            said.put(made)
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
    Route("/administration", administration_page, Policy.OFFICE),
    Route("/administration/rate", rate_now, Policy.OFFICE, ("POST",)),
    Route("/administration/publish", publish_list, Policy.OFFICE, ("POST",)),
    Route("/administration/done", done_page, Policy.OFFICE),
    Route("/administration/proposals/{number}", proposal_page, Policy.OFFICE),
    Route("/administration/proposals/{number}/approve", approve_proposal, Policy.OFFICE, ("POST",)),
    Route("/administration/proposals/{number}/refuse", refuse_proposal, Policy.OFFICE, ("POST",)),
)
