"""Rating and checking a file without storing anything: the same answers as ``crosstable rate`` and ``check`` print.

The file is the asker's own, so they get all of it back; ``form=public`` gives what may be shown to anybody.
"""

import json
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import Query, Request, Response

from crosstable.checks import check
from crosstable.checks.report import CheckedEvent
from crosstable.errors import FormatError, Severity
from crosstable.office.public import public_document
from crosstable.output.rated_json import fault_object, rated_document
from crosstable.preview import missing_ratings, with_pairing_ratings
from crosstable.web.child_reading import File, read_in_child
from crosstable.web.forms import files_queue, in_queue
from crosstable.web.gate import reading_of
from crosstable.web.problems import RESPONSES, Problem
from crosstable.web.replies import JSON
from crosstable.web.routes import Policy, Route
from crosstable.whole_event import RatedEvent, rate_event, with_plausibility

Form = Annotated[Literal["own", "public"], Query(description="As the file's owner sees it, or as anybody may.")]
Name = Annotated[str, Query(max_length=100, description="What the file is called, for messages.")]
Pairing = Annotated[bool, Query(description="Take the ratings that the file carries for pairing.")]


async def rate_file(request: Request, form: Form = "own", name: Name = "report", pairing: Pairing = False) -> Response:
    """Rate a report of any known format: crosstable-rated/1 with every player's rating before and after."""
    content = await _content(request)
    places = reading_of(request).places

    def made() -> dict[str, Any]:
        event = _rated(_checked(content, name), is_pairing=pairing)
        document = rated_document(event)
        return public_document(document, event, places) if form == "public" else document

    return _reply(await in_queue(files_queue(request), made))


async def check_file(request: Request, name: Name = "report") -> Response:
    """Every fault and warning of a report, with its place and remedy: crosstable-checked/1."""
    content = await _content(request)

    def made() -> dict[str, Any]:
        checked = _checked(content, name)
        event = with_plausibility(rate_event(checked))
        errors = sum(one.severity is Severity.ERROR for one in event.faults)
        return {
            "format": "crosstable-checked/1",
            "event": event.report.event_id,
            "file": name,
            "errors": errors,
            "warnings": len(event.faults) - errors,
            "faults": [fault_object(one) for one in event.faults],
        }

    return _reply(await in_queue(files_queue(request), made))


async def _content(request: Request) -> bytes:
    content = await request.body()
    if not content:
        raise Problem(400, "The body is empty; send a tournament report.")
    return content


def _checked(content: bytes, name: str) -> CheckedEvent:
    """The report, read in a process of its own, and checked; one that cannot be read is a problem with its fault."""
    try:
        reading = read_in_child([File(name, content)])
    except FormatError as error:
        raise Problem(422, f"{error.fault.message} {error.fault.remedy}", faults=[fault_object(error.fault)]) from error
    checked = check(reading.report, today=datetime.now(tz=UTC).date())
    return checked._replace(faults=(*reading.faults, *checked.faults))


def _rated(checked: CheckedEvent, *, is_pairing: bool) -> RatedEvent:
    if any(player.pairing_rating for section in checked.report.sections for player in section.players):
        if is_pairing:
            checked = with_pairing_ratings(checked)
        else:
            checked = checked._replace(faults=(*checked.faults, *missing_ratings(checked)))
    return with_plausibility(rate_event(checked))


def _reply(document: dict[str, Any]) -> Response:
    body = json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
    return Response(body, media_type=JSON, headers={"Cache-Control": "no-store"})


_BODY = {
    "requestBody": {
        "required": True,
        "description": "A report of any known format: the event file (JSON), TRF, the DBF files zipped, CSV, …",
        "content": {
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
            JSON: {"schema": {"type": "object"}},
        },
    }
}
_PROBLEMS = {
    **{status: RESPONSES[status] for status in (422,)},
    400: {**RESPONSES[422], "description": "The body is empty."},
    413: {**RESPONSES[422], "description": "The body is longer than is taken here."},
    401: {**RESPONSES[422], "description": "The token is not known here, or no longer."},
    408: {**RESPONSES[422], "description": "The body came too slowly."},
    429: {**RESPONSES[422], "description": "Too many calls from one address; Retry-After says when."},
    503: {**RESPONSES[422], "description": "Too many files wait already; ask again."},
}


def _options(name: str, summary: str) -> dict[str, Any]:
    answer = {200: {"description": summary, "content": {JSON: {"schema": {"type": "object"}}}}}
    return {
        "summary": summary,
        "tags": ["files"],
        "operation_id": name,
        "responses": {**answer, **_PROBLEMS},
        "openapi_extra": _BODY,
    }


ROUTES = (
    Route("/api/v1/rate", rate_file, Policy.LIMITED, ("POST",), True, _options("rate_file", "Rate a file")),
    Route("/api/v1/check", check_file, Policy.LIMITED, ("POST",), True, _options("check_file", "Check a file")),
)
