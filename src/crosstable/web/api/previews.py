"""Previewing a file against the office by program: what would become of it, with nothing stored.

Directors and the office, by their tokens, see results in full; anybody else sees them from posted ratings, and without
birth dates that only the office knows (decision 0004). ``assumed`` says where that matters.
"""

from typing import Annotated, Any

from fastapi import Query, Request, Response
from pydantic import BaseModel, Field

from crosstable.office.effects import Preview, PreviewedSection
from crosstable.office.public import PublicRow
from crosstable.pipeline.results import fault_object
from crosstable.remedies import Reader, for_reader
from crosstable.web.api.rating import BODY, PROBLEMS
from crosstable.web.forms import PRIVATE, actor_in, files_queue, in_queue
from crosstable.web.gate import office_of, reading_of
from crosstable.web.pages.upload import previewed
from crosstable.web.policies import may
from crosstable.web.problems import Problem
from crosstable.web.replies import JSON
from crosstable.web.routes import API, Policy, Route
from crosstable.web.shapes import Rating, change_of, rating_of
from crosstable.web.uploads import sent_files, uploads_of

FORMAT = "crosstable-preview/1"


class PreviewedRow(BaseModel):
    """A player's result as it would be posted."""

    number: int
    member_id: str
    name: str
    score: float
    played: int
    before: Rating | None
    after: Rating | None
    change: float | None
    formula: str | None
    norm: str | None
    assumed: list[str]


class PreviewedIn(BaseModel):
    """A section in one system."""

    section: int
    name: str
    system: str
    edition: str
    players: list[PreviewedRow]


class SectionOutlook(BaseModel):
    """What would become of a section: accepted, or held until its errors are put right."""

    section: int
    name: str
    state: str
    players: int


class PreviewBody(BaseModel):
    """What would become of a file."""

    format: str
    status: str = Field(description="accepted, refused, known (nothing new), or differs from what is in the record.")
    event: str
    name: str
    is_new: bool
    is_exact: bool = Field(description="Whether results are those that would be posted, or made from posted ratings.")
    sections: list[SectionOutlook]
    rated: list[PreviewedIn]
    differences: list[str]
    faults: list[dict[str, str]]


Name = Annotated[str, Query(max_length=100, description="What the file is called, for messages.")]


async def preview_file(request: Request, name: Name = "report") -> Response:
    """What would become of a report of any known format: every finding, and every rating as it would be posted."""
    files = await sent_files(request, name)
    actor, places = actor_in(request), reading_of(request).now.public.places

    def made() -> PreviewBody:
        uploads = uploads_of(files)
        if len(uploads) != 1:
            raise Problem(422, "Send the file of one event, or the three DBF files of one report.")
        upload = uploads[0]
        if upload.fault is not None:
            (fault,) = for_reader([upload.fault], Reader.API)
            raise Problem(422, f"{fault.message} {fault.remedy}", faults=[fault_object(fault)])
        found = previewed(office_of(request), upload, places, actor)
        assert found is not None
        return _body(found, is_exact=may(Policy.TD, actor))

    body = await in_queue(files_queue(request), made)
    return Response(body.model_dump_json(), media_type=JSON, headers=dict(PRIVATE))


def _body(found: Preview, *, is_exact: bool) -> PreviewBody:
    document = {
        "format": FORMAT,
        "status": found.status.value,
        "event": found.event_id,
        "name": found.event_name,
        "is_new": found.is_new,
        "is_exact": is_exact,
        "sections": [
            SectionOutlook(section=one.number, name=one.name, state=one.state.value, players=one.players)
            for one in found.sections
        ],
        "rated": [_section(one) for one in found.rated],
        "differences": found.differences,
        "faults": [fault_object(one) for one in for_reader(found.faults, Reader.API)],
    }
    return PreviewBody.model_validate(document)


def _section(one: PreviewedSection) -> PreviewedIn:
    players = [_row(row) for row in one.rows]
    return PreviewedIn(section=one.number, name=one.name, system=one.system.name, edition=one.edition, players=players)


def _row(row: PublicRow) -> PreviewedRow:
    before, after = rating_of(row.before), rating_of(row.after)
    return PreviewedRow(
        number=row.number,
        member_id=row.member_id,
        name=row.name,
        score=row.score,
        played=row.played,
        before=before,
        after=after,
        change=change_of(before, after),
        formula=row.formula,
        norm=row.norm,
        assumed=list(row.assumed),
    )


_SUMMARY = "Preview a file against the office"
_OPTIONS: dict[str, Any] = {
    "summary": _SUMMARY,
    "tags": ["files"],
    "operation_id": "preview_file",
    "response_model": PreviewBody,
    "responses": PROBLEMS,
    "openapi_extra": BODY,
}
ROUTES = (Route(f"{API}/previews", preview_file, Policy.LIMITED, ("POST",), True, _OPTIONS),)
