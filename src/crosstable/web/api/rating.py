"""Rating and checking a file without storing anything: the same answers as ``crosstable rate`` and ``check`` print.

The file is the asker's own, so they get all of it back; ``form=public`` gives what may be shown to anybody.
"""

import json
from datetime import date
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import Depends, Query, Request, Response
from pydantic import BaseModel, Field

from crosstable.errors import FormatError
from crosstable.office.public import public_document
from crosstable.pipeline.checking import check
from crosstable.pipeline.explaining import chosen, explained_document
from crosstable.pipeline.rating import Options, RatedEvent, rate
from crosstable.pipeline.reading import of_reading
from crosstable.pipeline.results import fault_object
from crosstable.remedies import Reader, for_reader
from crosstable.terms import RatingSystem, Report
from crosstable.web.api.described import reply_shape
from crosstable.web.child_reading import File, read_in_child
from crosstable.web.forms import files_queue, in_queue
from crosstable.web.gate import reading_of
from crosstable.web.problems import RESPONSES, Problem
from crosstable.web.replies import JSON
from crosstable.web.routes import Policy, Route
from crosstable.web.uploads import sent_files

Form = Annotated[Literal["own", "public"], Query(description="As the file's owner sees it, or as anybody may.")]
Name = Annotated[str, Query(max_length=100, description="What the file is called, for messages.")]
_SYSTEMS = "|".join(RatingSystem.__members__)
SystemName = Annotated[str | None, Query(pattern=f"^({_SYSTEMS})$", description="Only this system.")]


class Asked(NamedTuple):
    """What a call asks about a file."""

    files: tuple[File, ...]
    name: str
    options: Options


class Completion(BaseModel):
    """What completes a file that lacks it."""

    pairing: bool = Field(False, description="Take the ratings that the file carries for pairing.")
    control: str = Field("", max_length=100, description="Time control of sections that name none, like G/60;d5.")
    start: date | None = Field(None, description="Start date of sections that have none.")
    end: date | None = Field(None, description="End date of sections that have none.")
    override: bool = Field(False, description="Whether control, start and end replace what the file says.")


async def asked(request: Request, given: Annotated[Completion, Query()], name: Name = "report") -> Asked:
    """The file of a call and what completes it."""
    options = Options(
        pairing_ratings=given.pairing,
        control=given.control,
        start=given.start,
        end=given.end,
        override=given.override,
        reader=Reader.API,
    )
    return Asked(tuple(await sent_files(request, name)), name, options)


AskedFile = Annotated[Asked, Depends(asked)]


async def rate_file(request: Request, given: AskedFile, form: Form = "own") -> Response:
    """Rate a report of any known format: crosstable-rated/1 with every player's rating before and after."""
    places = reading_of(request).places

    def made() -> dict[str, Any]:
        event = _rated(given)
        document = event.to_dict()
        return public_document(document, event, places) if form == "public" else document

    return _reply(await in_queue(files_queue(request), made))


async def check_file(request: Request, given: AskedFile) -> Response:
    """Every fault and warning of a report, with its place and remedy: crosstable-checked/1.

    A report without a game is read as an entry list, as ``crosstable check`` does.
    """

    def made() -> dict[str, Any]:
        return check(_read(given), given.name, **given.options).to_dict()

    return _reply(await in_queue(files_queue(request), made))


async def explain_file(
    request: Request,
    given: AskedFile,
    player: Annotated[int, Query(ge=1, description="The player's number in the section.")],
    section: Annotated[int | None, Query(ge=1, description="The section's number; not needed for one section.")] = None,
    system: SystemName = None,
) -> Response:
    """The whole calculation of one player of a report: a list of crosstable-explained/1, one for each system."""

    def made() -> list[dict[str, Any]]:
        try:
            found = chosen(_rated(given), player, section, system)
        except LookupError as error:
            raise Problem(404, f"{str(error.args[0]).capitalize()}.") from error
        return [explained_document(rated, player) for rated in found]

    return _reply(await in_queue(files_queue(request), made))


def _rated(given: Asked) -> RatedEvent:
    return rate(_read(given), **given.options)


def _read(given: Asked) -> Report:
    """The report, read in a process of its own; one that cannot be read is a problem with its fault."""
    try:
        reading = read_in_child(given.files)
    except FormatError as error:
        (found,) = for_reader([error.fault], Reader.API)
        raise Problem(422, f"{found.message} {found.remedy}", faults=[fault_object(found)]) from error
    return of_reading(reading)


def _reply(document: object) -> Response:
    body = json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
    return Response(body, media_type=JSON, headers={"Cache-Control": "no-store"})


FILES_SCHEMA = {
    "type": "object",
    "required": ["files"],
    "properties": {
        "files": {
            "type": "array",
            "minItems": 1,
            "maxItems": 10,
            "items": {"type": "string", "format": "binary"},
            "description": "The file of one event; the three DBF files of a report go together.",
        }
    },
}
BODY = {
    "requestBody": {
        "required": True,
        "description": "A report of any known format: the event file (JSON), TRF, the DBF files zipped, CSV, …",
        "content": {
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
            JSON: {"schema": {"type": "object"}},
            "multipart/form-data": {"schema": FILES_SCHEMA},
        },
    }
}
PROBLEMS = {
    **{status: RESPONSES[status] for status in (422,)},
    400: {**RESPONSES[422], "description": "The body is empty."},
    413: {**RESPONSES[422], "description": "The body is longer than is taken here."},
    401: {**RESPONSES[422], "description": "The token is not known here, or no longer."},
    408: {**RESPONSES[422], "description": "The body came too slowly."},
    429: {**RESPONSES[422], "description": "Too many calls from one address; Retry-After says when."},
    503: {**RESPONSES[422], "description": "Too many files wait already; ask again."},
}


def _options(name: str, summary: str, shape: dict[str, Any]) -> dict[str, Any]:
    answer = {200: {"description": summary, "content": {JSON: {"schema": shape}}}}
    return {
        "summary": summary,
        "tags": ["files"],
        "operation_id": name,
        "responses": {**answer, **PROBLEMS},
        "openapi_extra": BODY,
    }


_RATE = _options("rate_file", "Rate a file", reply_shape("rated"))
_EXPLAIN = _options("explain_file", "Explain a file", {"type": "array", "items": reply_shape("explained")})
_EXPLAIN["responses"][404] = {**RESPONSES[422], "description": "There is no such rated section, system or player."}
_CHECK = _options("check_file", "Check a file", reply_shape("checked"))
ROUTES = (
    Route("/api/v1/rate", rate_file, Policy.LIMITED, ("POST",), True, _RATE),
    Route("/api/v1/explain", explain_file, Policy.LIMITED, ("POST",), True, _EXPLAIN),
    Route("/api/v1/check", check_file, Policy.LIMITED, ("POST",), True, _CHECK),
)
