"""One event in the administration: its sections with every finding, what was asked for, and how it is put right."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fastapi import Request, Response
from starlette.datastructures import FormData

from crosstable.errors import Fault, FormatError, OfficeError
from crosstable.formats import Reading as FileReading
from crosstable.formats.event_json import read_cell
from crosstable.office.comparing import differences, public_differences
from crosstable.office.corrections import (
    ChangedResult,
    Correction,
    RequestPolicy,
    asked_differences,
    asked_version,
    correct_member,
    correct_result,
    sections_to_go,
    waiting_of,
)
from crosstable.office.database import Office
from crosstable.office.effects import Effect, Foreseen, effects_of, foreseen, mended
from crosstable.office.ledger.facts import NO_CELL, Heading, Record, State
from crosstable.office.ledger.journal import Author, act_of
from crosstable.office.originals import newcomers_waiting
from crosstable.office.proposals import ProposalKind, ProposedAction, carry_out, confirmation, withdrawal
from crosstable.office.sections import EventFact, SectionRows, rows_of
from crosstable.office.submissions import event_of, present_rows
from crosstable.office.views import known
from crosstable.remedies import Reader, for_reader
from crosstable.web.acting import Corrected, Outcome, act_on, correct_for, event_affiliate, require_event, today_of
from crosstable.web.child_reading import File, read_in_child
from crosstable.web.forms import actor_in, in_office, in_queue, page, went
from crosstable.web.gate import form_of, office_of, reading_of, text_of
from crosstable.web.limits import FILES
from crosstable.web.pages.administration import told
from crosstable.web.pages.my_events import told_of_correction
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


def event_of_office(office: Office, event_id: str) -> EventAdministration:
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
    """Open an event by its number; a name is searched for."""
    given, office = text_of(request.query_params, "id", 60), office_of(request)

    def is_known() -> bool:
        with office.reading() as connection:
            return bool(known(connection).record.headings_of(given))

    is_number = await in_office(is_known)
    return went(address("administration", "events", given) if is_number else f"/search?{urlencode({'q': given})}")


async def event_page(request: Request, event_id: str) -> Response:
    """An event in the administration."""
    given = await _asked_of(request, event_id)
    coming = await in_queue(FILES, _foreseen_of, office_of(request), given["found"])
    return page(request, "administration/event.html", coming=coming, **given)


def _foreseen_of(office: Office, found: EventAdministration) -> Foreseen | None:
    """What accepting all that waits of an event would do to ratings; nothing where it cannot be accepted as it is."""
    if not found.waiting:
        return None
    wish = ProposedAction(
        ProposalKind.CONFIRM, {"event": found.event.event_id, "versions": list(found.waiting.items())}, ""
    )
    try:
        return foreseen(office, lambda other: carry_out(other, _LOOKING, wish))
    except OfficeError:
        return None


async def confirm_sections(request: Request, event_id: str) -> Response:
    """Accept what is held or was asked for, or propose it; players who are not known are added where asked."""
    form = await form_of(request)
    office, actor = office_of(request), actor_in(request)
    outcome = await in_office(_confirm, office, actor, event_id, form)
    return await told(request, outcome, address("administration", "events", event_id))


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
    return await told(request, outcome, address("administration", "events", event_id))


def numbers_of(form: FormData) -> tuple[int, ...]:
    """The sections that a form names; none means all."""
    given = [value for value in form.getlist("section") if isinstance(value, str) and value]
    if not all(value.isdecimal() and len(value) < 7 for value in given):
        raise Problem(422, "A section has a number.")
    return tuple(int(value) for value in given)


# Corrections: by the office in the administration, by directors as a request.


class Chosen(NamedTuple):
    """A cell that somebody pointed at, and what it may be instead."""

    section: int
    round_number: int
    row: Row
    results: dict[str, str]


_AGAINST = {"W": "a win against", "D": "a draw with", "L": "a loss to", "X": "a forfeit by", "F": "a forfeit to"}
_UNPLAYED = {"U": "not played", "H": "a half-point bye", "B": "a full-point bye"}


class Tried(NamedTuple):
    """A correction that is only looked at: what it says, what it would change in its event, and in all ratings."""

    fields: Mapping[str, str]
    effects: list[Effect]
    faults: list[Fault]
    foreseen: Foreseen | None


_FIELDS = ("section", "player", "round", "result", "wrong", "right", "reason")


async def _asked_of(request: Request, event_id: str) -> dict[str, Any]:
    """The event for its form: with the cell that somebody pointed at, or with what a correction would change."""
    office, actor, query = office_of(request), actor_in(request), request.query_params
    found = _told_to(actor, await in_office(event_of_office, office, event_id))
    if not query.get("try"):
        return {"found": found, "chosen": _chosen(query.get("cell", ""), found), "tried": None}
    given = {name: text_of(query, name) for name in _FIELDS}
    return {"found": found, "chosen": None, "tried": await in_queue(FILES, _tried, office, event_id, given)}


def _chosen(cell: str, found: EventAdministration) -> Chosen | None:
    """The cell that somebody pointed at, as the form shows it: ``?cell=1:3:2``."""
    parts = cell.split(":")
    if len(parts) != 3 or not all(one.isdecimal() and len(one) < 7 for one in parts):
        return None
    section, number, round_number = map(int, parts)
    row = next((one for one in found.players.get(section, ()) if one.number == number), None)
    if row is None or not 1 <= round_number <= len(row.cells):
        return None
    shown = read_cell(row.cells[round_number - 1])
    other = next((one.name for one in found.players[section] if one.number == shown.opponent), "")
    words = {f"{letter}{shown.opponent}": f"{said} {other}" for letter, said in _AGAINST.items()} if other else {}
    words |= _UNPLAYED
    now = shown.result.value if shown.result else ""
    return Chosen(section, round_number, row, {one: said for one, said in words.items() if one[0] != now})


def _tried(office: Office, event_id: str, given: Mapping[str, str]) -> Tried:
    """What a correction would change; nothing is stored."""
    today, how = today_of(office), _corrected(event_id, given, today_of(office))
    with office.reading() as connection:
        record, run = known(connection)
        changed = (given["wrong"], given["right"]) if given["wrong"] or given["right"] else _changed(given)
        effects, faults = effects_of(record, run, mended(record, event_id, changed), today)
    stops = [one for one in for_reader(faults, Reader.PAGE) if one.severity.stops]
    return Tried(given, effects, stops, foreseen(office, lambda other: how(other, _LOOKING, None)))


_LOOKING = Author("preview", "looked at")


async def correct_event(request: Request, event_id: str) -> Response:
    """Put one result or one member id right, or show what that would change."""
    form = await form_of(request)
    office, actor = office_of(request), actor_in(request)
    if text_of(form, "try"):
        await in_office(require_event, office, actor, event_id)
        given = {name: text_of(form, name) for name in (*_FIELDS, "try")}
        return went(f"{_form_of(actor, event_id)}?{urlencode(given)}#correct")
    corrected = await in_queue(FILES, correct_as_asked, reading_of(request), actor, event_id, form)
    return await told_of_correction(request, corrected)


def _form_of(actor: Actor, event_id: str) -> str:
    return (
        address("administration", "events", event_id) if actor.is_office else address("events", event_id, "correction")
    )


def correct_as_asked(reading: Reading, actor: Actor, event_id: str, form: FormData) -> Corrected:
    """A correction as a form, or a program, describes it."""
    office = reading.office
    how = _corrected(event_id, {name: text_of(form, name, 40) for name in _FIELDS[:-1]}, today_of(office))
    return correct_for(
        reading, actor, event_id, lambda author, asking: how(office, author, asking), text_of(form, "reason")
    )


def _corrected(
    event_id: str, given: Mapping[str, str], today: date
) -> Callable[[Office, Author, RequestPolicy | None], Correction]:
    """How an office stores what a form says: one result, or one member id, put right."""
    wrong, right = given["wrong"], given["right"]

    def store(office: Office, author: Author, asking: RequestPolicy | None) -> Correction:
        is_request = asking or False
        if wrong or right:
            return correct_member(office, author, event_id, (wrong, right), today, is_request=is_request)
        return correct_result(office, author, event_id, _changed(given), today, is_request=is_request)

    return store


def _changed(given: Mapping[str, str]) -> ChangedResult:
    numbers = []
    for name in ("section", "player", "round"):
        if not given[name].isdecimal() or len(given[name]) > 6:
            raise Problem(422, f"Say which {name}: a number.")
        numbers.append(int(given[name]))
    return ChangedResult(numbers[0], numbers[1], numbers[2], given["result"][:12])


async def request_page(request: Request, event_id: str) -> Response:
    """The form in which a director asks for a correction of an event of the own affiliate."""
    office, actor = office_of(request), actor_in(request)
    await in_office(require_event, office, actor, event_id)
    return page(request, "administration/request.html", **await _asked_of(request, event_id))


def _told_to(actor: Actor, found: EventAdministration) -> EventAdministration:
    """The event without what only the office may read in what was asked for."""
    if actor.is_office:
        return found
    asked = [one._replace(differences=public_differences(one.differences)) for one in found.asked]
    return found._replace(asked=asked)


ROUTES = (
    Route("/administration/event", find_event, Policy.OFFICE),
    Route("/administration/events/{event_id}", event_page, Policy.OFFICE),
    Route("/administration/events/{event_id}/confirm", confirm_sections, Policy.OFFICE, ("POST",)),
    Route("/administration/events/{event_id}/withdraw", withdraw_sections, Policy.OFFICE, ("POST",)),
    Route("/events/{event_id}/correction", request_page, Policy.TD),
    Route("/events/{event_id}/correction", correct_event, Policy.TD, ("POST",)),
)
