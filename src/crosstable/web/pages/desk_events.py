"""One event on the desk: its sections with every finding, what was asked for, and how it is put right."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from fastapi import Request, Response
from starlette.datastructures import FormData

from crosstable.office.corrections import (
    ChangedResult,
    Correction,
    asked_differences,
    correct_member,
    correct_result,
)
from crosstable.office.database import Office
from crosstable.office.differences import differences, public_differences
from crosstable.office.ledger.acts import Deed, act_of
from crosstable.office.ledger.facts import Heading
from crosstable.office.originals import add_newcomers
from crosstable.office.proposals import confirmation, withdrawal
from crosstable.office.sections import EventFact, rows_of
from crosstable.office.submissions import event_of, present_rows
from crosstable.office.views import known
from crosstable.web.acting import (
    Corrected,
    Outcome,
    act_on,
    correct_for,
    event_affiliate,
    require_event,
    today_of,
)
from crosstable.web.forms import actor_in, in_office, page, went
from crosstable.web.gate import form_of, office_of, reading_of, text_of
from crosstable.web.pages.desk import told
from crosstable.web.policies import Actor
from crosstable.web.problems import Problem
from crosstable.web.reading import Reading
from crosstable.web.routes import Policy, Route
from crosstable.web.templating import address


class Asked(NamedTuple):
    """A version that somebody asks for, and how it differs from what stands."""

    heading: Heading
    by: str
    reason: str
    differences: list[str]


class OnDesk(NamedTuple):
    """An event as the office sees it."""

    event: EventFact
    affiliate: str
    sections: list[Heading]
    asked: list[Asked]
    players: dict[int, list[str]]


def on_desk(office: Office, event_id: str) -> OnDesk:
    """An event with its sections and what was asked for."""
    with office.reading() as connection:
        record = known(connection).record
        event = event_of(record, event_id)
        standing = present_rows(record, event_id)
        requests = record.requests(event_id)
        entries = record.entries(requests)
        asked = []
        for one in requests:
            asked_for = entries[one.event_id, one.number]
            version = rows_of(one, asked_for) if asked_for else None  # without players it is to be withdrawn
            act = act_of(connection, one.act)
            assert act is not None
            found = [*asked_differences(record, event, one), *differences(standing.get(one.number), version)]
            asked.append(Asked(one, act.actor, act.reason, found))
        players = {number: [_numbered(row) for row in rows.entries] for number, rows in standing.items()}
        return OnDesk(event, event_affiliate(record, event_id), record.headings_of(event_id), asked, players)


def _numbered(row: Mapping[str, Any]) -> str:
    """A player by the number of the report, which corrections go by."""
    return f"{row['number']} {row['name'] or row['member_id']}"


async def find_event(request: Request) -> Response:
    """Open an event by its number."""
    return went(address("desk", "events", request.query_params.get("id", "").strip()[:60] or "none"))


async def event_page(request: Request, event_id: str) -> Response:
    """An event on the desk."""
    found = await in_office(on_desk, office_of(request), event_id)
    return page(request, "desk/event.html", found=found)


async def confirm_sections(request: Request, event_id: str) -> Response:
    """Accept what is held or was asked for, or propose it; players who are not known are added where asked."""
    form = await form_of(request)
    office, actor = office_of(request), actor_in(request)
    outcome = await in_office(_confirm, office, actor, event_id, form)
    return told(request, outcome, address("desk", "events", event_id))


def _confirm(office: Office, actor: Actor, event_id: str, form: FormData) -> Outcome:
    reason = text_of(form, "reason") or "as it was asked for"
    if text_of(form, "new_members"):
        add_newcomers(office, Deed(actor.name, f"new in event {event_id}"), event_id)
    with office.reading() as connection:
        wish = confirmation(known(connection).record, event_id, numbers_of(form))
    return act_on(office, actor, wish, reason)


async def withdraw_sections(request: Request, event_id: str) -> Response:
    """Take an event, or sections of it, out of the ratings, or propose it."""
    form = await form_of(request)
    wish = withdrawal(event_id, numbers_of(form))
    outcome = await in_office(act_on, office_of(request), actor_in(request), wish, text_of(form, "reason"))
    return told(request, outcome, address("desk", "events", event_id))


def numbers_of(form: FormData) -> tuple[int, ...]:
    """The sections that a form names; none means all."""
    given = [value for value in form.getlist("section") if isinstance(value, str) and value]
    if not all(value.isdecimal() and len(value) < 7 for value in given):
        raise Problem(422, "A section has a number.")
    return tuple(int(value) for value in given)


# Corrections: by the office on the desk, by directors as a request.


async def correct_event(request: Request, event_id: str) -> Response:
    """Put one result or one member id right."""
    form = await form_of(request)
    corrected = await in_office(correct_as_asked, reading_of(request), actor_in(request), event_id, form)
    return page(
        request,
        "desk/submitted.html",
        200 if corrected.correction.is_stored else 422,
        upload=None,
        submitted=None,
        corrected=corrected,
    )


def correct_as_asked(reading: Reading, actor: Actor, event_id: str, form: FormData) -> Corrected:
    """A correction as a form, or a program, describes it."""
    office = reading.office
    today = today_of(office)
    wrong, right = text_of(form, "wrong", 40), text_of(form, "right", 40)

    def by_member(deed: Deed, is_request: bool) -> Correction:
        return correct_member(office, deed, event_id, (wrong, right), today, is_request=is_request)

    def by_result(deed: Deed, is_request: bool) -> Correction:
        return correct_result(office, deed, event_id, _changed(form), today, is_request=is_request)

    how = by_member if wrong or right else by_result
    return correct_for(reading, actor, event_id, how, text_of(form, "reason"))


def _changed(form: FormData) -> ChangedResult:
    numbers = []
    for name in ("section", "player", "round"):
        value = text_of(form, name, 6)
        if not value.isdecimal():
            raise Problem(422, f"Say which {name}: a number.")
        numbers.append(int(value))
    return ChangedResult(numbers[0], numbers[1], numbers[2], text_of(form, "result", 12))


async def request_page(request: Request, event_id: str) -> Response:
    """The form in which a director asks for a correction of an event of the own affiliate."""
    office, actor = office_of(request), actor_in(request)
    await in_office(require_event, office, actor, event_id)
    found = await in_office(on_desk, office, event_id)
    if not actor.is_office:
        asked = [one._replace(differences=public_differences(one.differences)) for one in found.asked]
        found = found._replace(asked=asked)
    return page(request, "desk/request.html", found=found)


ROUTES = (
    Route("/desk/event", find_event, Policy.OFFICE),
    Route("/desk/events/{event_id}", event_page, Policy.OFFICE),
    Route("/desk/events/{event_id}/confirm", confirm_sections, Policy.OFFICE, ("POST",)),
    Route("/desk/events/{event_id}/withdraw", withdraw_sections, Policy.OFFICE, ("POST",)),
    Route("/events/{event_id}/correction", request_page, Policy.TD),
    Route("/events/{event_id}/correction", correct_event, Policy.TD, ("POST",)),
)
