"""Events: all of them, newest first, and one as a file."""

from typing import Annotated, Literal

from fastapi import Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from crosstable.errors import UnratableSectionError
from crosstable.office.ledger.facts import Heading, State
from crosstable.office.public import public_rows
from crosstable.office.public_index import ListedEvent
from crosstable.office.sections import reported_section
from crosstable.office.submissions import event_of
from crosstable.output.words import cell_text
from crosstable.pipeline.results import fault_object
from crosstable.pipeline.submitting import Exported, exported
from crosstable.terms import (
    Background,
    Posted,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
)
from crosstable.web.gate import reading_of
from crosstable.web.pages.home import EventLine, event_line
from crosstable.web.problems import RESPONSES, Problem
from crosstable.web.reading import Snapshot
from crosstable.web.replies import Paging, View, as_of, paged
from crosstable.web.routes import API, Page, Policy, Route
from crosstable.web.search import folded

STATES = {
    State.ACCEPTED: "rated",
    State.HELD: "held: waits for the office",
    State.WITHDRAWN: "withdrawn",
    State.REQUESTED: "asked for",
}
MONTHS_SHOWN = 6
WAITS = "accepted, to be rated with the next rating run"


class EventsView(View):
    """Events, newest first."""

    query: str
    month: str
    months: list[str]
    events: list[EventLine]
    paging: Paging


FileFormat = Annotated[
    Literal["csv", "xlsx", "trf16", "trf26", "dbf", "json"], Path(description="The format of the file.")
]
MEDIA = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "trf16": "text/plain; charset=utf-8",
    "trf26": "text/plain; charset=utf-8",
    "dbf": "application/zip",
    "json": "application/json",
}
# What a file says of an event beside its sections; contacts stay with the office.
PUBLIC_DETAILS = frozenset({"affiliate", "city", "state", "country", "federation"})
EventId = Annotated[str, Path(max_length=48, description="The number of the event.")]


def events(
    read: Snapshot,
    q: Annotated[str, Query(max_length=200, description="A part of the name.")] = "",
    month: Annotated[str, Query(pattern=r"^(\d{4}-\d{2})?$", description="Only events that ended in it.")] = "",
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    size: Annotated[int, Query(ge=1, le=500)] = 50,
) -> EventsView:
    """Every event of the record, newest first; with ``q`` those whose names hold it, or of one month."""
    wanted = folded(q.strip())
    chosen = [
        event
        for event in read.events
        if (not wanted or wanted in folded(event.name) or wanted == event.event_id)
        and (not month or _month(event) == month)
    ]
    some, paging = paged(chosen, page, size)
    lines = [event_line(read, one) for one in some]
    return EventsView(
        as_of=as_of(read), query=q.strip(), month=month, months=_months(read, month), events=lines, paging=paging
    )


def _month(event: ListedEvent) -> str:
    return "" if event.ended is None else f"{event.ended:%Y-%m}"


def _months(read: Snapshot, month: str) -> list[str]:
    """The newest months with events, or those around one."""
    found = sorted({_month(event) for event in read.events} - {""}, reverse=True)
    at = next((at for at, one in enumerate(found) if one <= month), 0) if month else 0
    return found[max(0, at - MONTHS_SHOWN // 2) :][:MONTHS_SHOWN]


def public_report(read: Snapshot, event_id: str) -> Report:
    """A rated event as a report that anybody may have: rows, results, and the ratings that are posted."""
    fact = event_of(read.record, event_id)
    kept = {name: text for name, text in fact.details.items() if name in PUBLIC_DETAILS}
    headings = [one for one in read.public.record.headings_of(event_id) if one.state is State.ACCEPTED]
    sections = tuple(_public_section(read, one) for one in headings)
    return Report(event_id, fact.name, fact.started, fact.ended, sections, "", kept)


def _public_section(read: Snapshot, heading: Heading) -> ReportedSection:
    rated = read.public.rated(heading)
    rows = {one.system: {row.number: row for row in public_rows(one, read.public.places)} for one in rated}
    players = []
    for entry in rated[0].section.entries if rated else ():
        own = {system: by_number[entry.number] for system, by_number in rows.items()}
        first, known = own[rated[0].system], read.index.by_id.get(entry.member_id)
        players.append(
            ReportedPlayer(
                entry.number,
                entry.member_id,
                entry.name,
                tuple(ReportedCell(cell_text(cell), cell.result, cell.opponent, cell.colour) for cell in entry.cells),
                Background(),
                "",
                "" if known is None else known.state,
                None if first.before is None else first.before.rating,
                {system: Posted(row.after.rating, row.after.games) for system, row in own.items() if row.after},
            )
        )
    whole = reported_section(heading, ())
    return whole._replace(players=tuple(players), details={}, match_waiver="")


async def event_file(request: Request, event_id: EventId, to: FileFormat) -> Response:
    """A rated event as a file: its crosstables with the posted ratings."""
    reading = reading_of(request)

    def made() -> Exported:
        read = reading.now
        with read.asking():
            read.event(event_id)
            report = public_report(read, event_id)
        try:
            return exported(report, to)
        except UnratableSectionError as error:
            said = f"This event cannot be written as {to}: {error.faults[0].message}"
            raise Problem(409, said, faults=[fault_object(one) for one in error.faults]) from error

    found = await run_in_threadpool(made)
    headers = {"Content-Disposition": f'attachment; filename="{found.name}"', "Cache-Control": "no-cache"}
    return Response(found.content, media_type=MEDIA[to], headers=headers)


ROUTES = (
    Route(
        f"{API}/events/{{event_id}}/files/{{to}}",
        event_file,
        Policy.PUBLIC,
        ("GET",),
        True,
        {
            "summary": "An event as a file",
            "tags": ["events"],
            "operation_id": "event_file",
            "response_class": Response,
            "responses": {**RESPONSES, 409: {**RESPONSES[422], "description": "This format cannot carry the event."}},
        },
    ),
    Route("/events/{event_id}/files/{to}", event_file, Policy.PUBLIC),
)
PAGES = (Page("/events", events, "events.html", api="/events", summary="Events, newest first", tag="events"),)
