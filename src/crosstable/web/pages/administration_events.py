"""One event on the desk: its sections with every finding, what was asked for, and how it is put right."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from fastapi import Request, Response
from starlette.datastructures import FormData

from crosstable.errors import Fault, FormatError, OfficeError
from crosstable.formats import Reading as FileReading
from crosstable.formats.event_json import read_cell
from crosstable.office.corrections import (
    ChangedResult,
    Correction,
    Effect,
    RequestPolicy,
    asked_differences,
    asked_version,
    correct_member,
    correct_result,
    effects_of,
    mended,
    sections_to_go,
    waiting_of,
)
from crosstable.office.database import Office
from crosstable.office.differences import differences, public_differences
from crosstable.office.ledger.facts import NO_CELL, Heading, Record, State
from crosstable.office.ledger.journal import Author, act_of
from crosstable.office.originals import newcomers_waiting
from crosstable.office.proposals import confirmation, withdrawal
from crosstable.office.sections import EventFact, SectionRows, rows_of
from crosstable.office.submissions import event_of, present_rows
from crosstable.office.views import known
from crosstable.remedies import Reader, for_reader
from crosstable.web.acting import (
    Corrected,
    Outcome,
    act_on,
    correct_for,
    event_affiliate,
    require_event,
    today_of,
)
from crosstable.web.child_reading import File, read_in_child
from crosstable.web.forms import actor_in, in_office, in_queue, page, went
from crosstable.web.gate import form_of, office_of, reading_of, text_of
from crosstable.web.limits import FILES
from crosstable.web.pages.administration import told
from crosstable.web.policies import Actor
from crosstable.web.problems import Problem
from crosstable.web.reading import Reading
from crosstable.web.routes import Policy, Route
from crosstable.web.templating import address


class Row(NamedTuple):
    """A row of a section as it stands: the number that corrections go by, the player, and the cells."""

    number: int
    name: str
    member_id: str
    cells: list[str]


class Asked(NamedTuple):
    """A version that somebody asks for, and how it differs from what stands."""

    heading: Heading
    by: str
    reason: str
    differences: list[str]
    players: list[str]


class EventAdministration(NamedTuple):
    """An event as the office sees it."""

    event: EventFact
    affiliate: str
    sections: list[Heading]
    asked: list[Asked]
    players: dict[int, list[Row]]
    waiting: dict[int, int]
    effects: list[Effect]


def on_desk(office: Office, event_id: str) -> EventAdministration:
    """An event with its sections and what was asked for."""
    with office.reading() as connection:
        record, run = known(connection)
        event = event_of(record, event_id)
        standing = present_rows(record, event_id)
        headings, requests = record.headings_of(event_id), record.requests(event_id)
        asked = [_asked(record, event, one, standing.get(one.number)) for one in requests]
        is_waiting = bool(requests) or any(one.state is State.HELD for one in headings)
        waiting = waiting_of(record, event_id).versions if is_waiting else {}
        effects = effects_of(record, run, asked_version(record, event_id), today_of(office))[0] if requests else []
        players = {number: [_stands(row) for row in rows.entries] for number, rows in standing.items()}
        affiliate = event_affiliate(record, event_id)
        return EventAdministration(event, affiliate, headings, asked, players, waiting, effects)


def _asked(record: Record, event: EventFact, request: Heading, standing: SectionRows | None) -> Asked:
    """A request with all that it changes; it is shown whole, for a section may be new."""
    is_to_go = bool(sections_to_go(record, [request]))
    version = None if is_to_go else rows_of(request, record.entries([request])[request.event_id, request.number])
    act = act_of(record.connection, request.act)
    assert act is not None
    found = [*asked_differences(record, event, request), *differences(standing, version)]
    return Asked(
        request, act.actor, act.reason, found, [] if version is None else [_row(one) for one in version.entries]
    )


def _numbered(row: Mapping[str, Any]) -> str:
    """A player by the number of the report, which corrections go by."""
    return f"{row['number']} {row['name'] or row['member_id']}"


def _stands(row: Mapping[str, Any]) -> Row:
    cells = ["" if cell == NO_CELL else cell for cell in row["rounds"].split()]
    return Row(row["number"], row["name"] or row["member_id"], row["member_id"], cells)


def _row(row: Mapping[str, Any]) -> str:
    """The same with their id and their results."""
    return f"{_numbered(row)} ({row['member_id'] or 'no id'}): {row['rounds']}"


async def find_event(request: Request) -> Response:
    """Open an event by its number."""
    return went(address("desk", "events", request.query_params.get("id", "").strip()[:60] or "none"))


async def event_page(request: Request, event_id: str) -> Response:
    """An event on the desk."""
    found = await in_office(on_desk, office_of(request), event_id)
    return page(request, "desk/event.html", found=found, **_chosen(request, found))


async def confirm_sections(request: Request, event_id: str) -> Response:
    """Accept what is held or was asked for, or propose it; players who are not known are added where asked."""
    form = await form_of(request)
    office, actor = office_of(request), actor_in(request)
    outcome = await in_office(_confirm, office, actor, event_id, form)
    return told(request, outcome, address("desk", "events", event_id))


def _confirm(office: Office, actor: Actor, event_id: str, form: FormData) -> Outcome:
    """What the page showed is what is accepted: it carries the version of each section."""
    reason = text_of(form, "reason") or "as it was asked for"
    shown, numbers = _versions_of(form), numbers_of(form)
    with office.reading() as connection:
        record = known(connection).record
        people = newcomers_waiting(record, event_id, numbers, _read) if text_of(form, "new_members") else []
        wish = confirmation(record, event_id, numbers, people, refuses=bool(text_of(form, "refuse")))
    if any(shown.get(number) != act for number, act in wish.arguments["versions"]):
        raise OfficeError(f"what waits of event {event_id} is no longer what the page showed; look at it again")
    return act_on(office, actor, wish, reason)


def _read(content: bytes, name: str) -> FileReading:
    try:
        return read_in_child([File(name, content)])
    except FormatError as error:
        raise OfficeError(f"the file of what waits cannot be read: {error}") from error


def _versions_of(form: FormData) -> dict[int, int]:
    """The version of each section that a page showed, as it carries them: ``1:57``."""
    found = {}
    for value in form.getlist("version"):
        section, _, act = str(value).partition(":")
        if not (section.isdecimal() and act.isdecimal() and len(section) + len(act) < 20):
            raise Problem(422, "A version is a section and an act.")
        found[int(section)] = int(act)
    return found


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


def _chosen(request: Request, found: EventAdministration) -> dict[str, Any]:
    """The cell that somebody pointed at, as the form shows it: ``?cell=1:3:2``."""
    parts = request.query_params.get("cell", "").split(":")
    if len(parts) != 3 or not all(one.isdecimal() and len(one) < 7 for one in parts):
        return {"chosen": None, "tried": None}
    section, number, round_number = map(int, parts)
    row = next((one for one in found.players.get(section, ()) if one.number == number), None)
    if row is None or not 1 <= round_number <= len(row.cells):
        return {"chosen": None, "tried": None}
    opponent = read_cell(row.cells[round_number - 1]).opponent
    results = [f"{letter}{opponent}" for letter in "WDLXF"] if opponent else ["U", "H", "B"]
    return {"chosen": Chosen(section, round_number, row, results), "tried": None}


class Chosen(NamedTuple):
    """A cell that somebody pointed at, and what it may be instead."""

    section: int
    round_number: int
    row: Row
    results: list[str]


class Tried(NamedTuple):
    """A correction that is only looked at: what it says, and what it would change."""

    fields: dict[str, str]
    effects: list[Effect]
    faults: list[Fault]


async def _try_correction(request: Request, event_id: str, form: FormData) -> Response:
    """Show what a correction would change; nothing is stored."""
    office, actor = office_of(request), actor_in(request)
    await in_office(require_event, office, actor, event_id)
    wrong, right = text_of(form, "wrong", 40), text_of(form, "right", 40)
    how = (wrong, right) if wrong or right else _changed(form)

    def made() -> tuple[list[Effect], tuple[Fault, ...]]:
        with office.reading() as connection:
            record, run = known(connection)
            return effects_of(record, run, mended(record, event_id, how), today_of(office))

    effects, faults = await in_queue(FILES, made)
    names = ("section", "player", "round", "result", "wrong", "right", "reason")
    stops = [one for one in for_reader(faults, Reader.PAGE) if one.severity.stops]
    tried = Tried({name: text_of(form, name) for name in names}, effects, stops)
    found = await in_office(on_desk, office, event_id)
    template = "desk/event.html" if actor.is_office else "desk/request.html"
    return page(request, template, found=_told_to(actor, found), chosen=None, tried=tried)


async def correct_event(request: Request, event_id: str) -> Response:
    """Put one result or one member id right, or show what that would change."""
    form = await form_of(request)
    if text_of(form, "try"):
        return await _try_correction(request, event_id, form)
    corrected = await in_queue(FILES, correct_as_asked, reading_of(request), actor_in(request), event_id, form)
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

    def by_member(author: Author, asking: RequestPolicy) -> Correction:
        return correct_member(office, author, event_id, (wrong, right), today, is_request=asking)

    def by_result(author: Author, asking: RequestPolicy) -> Correction:
        return correct_result(office, author, event_id, _changed(form), today, is_request=asking)

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
    found = _told_to(actor, await in_office(on_desk, office, event_id))
    return page(request, "desk/request.html", found=found, **_chosen(request, found))


def _told_to(actor: Actor, found: EventAdministration) -> EventAdministration:
    """The event without what only the office may read in what was asked for."""
    if actor.is_office:
        return found
    asked = [one._replace(differences=public_differences(one.differences)) for one in found.asked]
    return found._replace(asked=asked)


ROUTES = (
    Route("/desk/event", find_event, Policy.OFFICE),
    Route("/desk/events/{event_id}", event_page, Policy.OFFICE),
    Route("/desk/events/{event_id}/confirm", confirm_sections, Policy.OFFICE, ("POST",)),
    Route("/desk/events/{event_id}/withdraw", withdraw_sections, Policy.OFFICE, ("POST",)),
    Route("/events/{event_id}/correction", request_page, Policy.TD),
    Route("/events/{event_id}/correction", correct_event, Policy.TD, ("POST",)),
)
