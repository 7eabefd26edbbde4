"""The workbench of the site: the interface of ``pipeline.workbench`` over this office, for pages and for programs.

A director's draft is rated as it would be posted here. Anybody else's is rated from what is public of the players this
office knows, and from the file, lists and ratings by hand of the others. Nothing is stored.
"""

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import Request, Response
from pydantic import BaseModel, ConfigDict, Field

from crosstable.errors import AcceptanceError, Fault
from crosstable.office.database import Office
from crosstable.office.effects import source_for
from crosstable.office.views import known
from crosstable.pipeline.drafts import Affiliate
from crosstable.pipeline.submitting import EXTENSIONS
from crosstable.pipeline.workbench import MOST_LISTED, Tools, answer
from crosstable.terms import Report
from crosstable.web.api.rating import PROBLEMS
from crosstable.web.child_reading import MOST_ROWS, MOST_SECTIONS, File
from crosstable.web.forms import PRIVATE, actor_in, files_queue, in_queue
from crosstable.web.gate import office_of, reading_of
from crosstable.web.languages import told_in
from crosstable.web.policies import Actor, may, sender_of
from crosstable.web.problems import Problem
from crosstable.web.reading import Reading
from crosstable.web.replies import JSON
from crosstable.web.routes import API, Policy, Route
from crosstable.web.uploads import MOST_FILES, confirmed, shown_name, uploads_of

MOST_FOUND = 20
Text = Annotated[str, Field(max_length=500)]


class SentFile(BaseModel):
    """A file by name and content, base64."""

    name: Text
    content: str


class Listed(BaseModel):
    """The text of a members file or a rating list."""

    name: Text
    text: Annotated[str, Field(max_length=MOST_LISTED)]


class Ratings(BaseModel):
    """Which ratings count beside those of lists and by hand."""

    office: bool = Field(True, description="What this office knows of the players.")
    pairing: bool = Field(True, description="The file's pairing ratings of players of whom nothing else is known.")


class ReadFault(BaseModel):
    """What reading a file found, as the reply to its upload said it."""

    code: Text
    severity: Literal["error", "confirm", "warning"]
    place: str
    message: str
    remedy: str


class WorkbenchRequest(BaseModel):
    """Files to open, a draft to check and rate, or a draft to write as a file (``to``)."""

    model_config = ConfigDict(extra="forbid")
    files: list[SentFile] | None = Field(None, max_length=MOST_FILES)
    event: dict[str, Any] | None = Field(None, description="An event file; a player may have hand, a rating by hand.")
    members: list[Listed] = Field([], max_length=MOST_FILES)
    ratings: Ratings = Field(default_factory=lambda: Ratings(office=True, pairing=True))
    accept: dict[str, str] = {}
    names: dict[str, str] = Field({}, description="Rows whose names are confirmed, by section and number: 1:3.")
    new_members: dict[str, str] = Field({}, description="Ids that the office does not know and that are new members'.")
    read: list[ReadFault] = Field([], max_length=2000)
    have: list[Text] = Field([], max_length=MOST_SECTIONS, description="Tags of the results that the caller has.")
    to: Literal[tuple(EXTENSIONS)] | None = None  # type: ignore[valid-type]


class Place(BaseModel):
    """A place of the draft, counted from 0."""

    section: int | None
    row: int | None
    round: int | None


class ChangeOfDraft(BaseModel):
    """The value that a path of the draft gets; null takes it out."""

    path: list[str | int]
    value: Any = None


class FixOfDraft(BaseModel):
    """What one click changes; ``single``: it is said of one finding at a time."""

    label: str
    changes: list[ChangeOfDraft]
    single: bool = False


class Finding(Place):
    """A finding with its place in the draft and what would put it right."""

    code: str
    severity: str
    level: str
    where: str
    message: str
    remedy: str
    field: str
    asks: Literal["director", "office", ""] = Field(
        "", description="Who has to do something before the section is rated; nobody for a warning."
    )
    fixes: list[FixOfDraft]
    also: Place | None = None


class AcceptedKind(BaseModel):
    """A code that the draft accepts, how many findings have it, and the first of them in words."""

    code: str
    count: int
    message: str


class MadeFile(BaseModel):
    """A file that was written."""

    name: str
    content: str


class WorkbenchReply(BaseModel):
    """What there is to say: drafts of the files, findings, and the results of each section by system."""

    drafts: list[dict[str, Any]] = []
    members: list[Listed] = []
    unread: list[Finding] = []
    findings: list[Finding] = []
    accepted: list[AcceptedKind] = []
    sections: list[dict[str, Any]] = Field(
        [],
        description="Each with number, rated, a tag of its results, and systems unless the caller has that tag; strict "
        "says that they are as this office would post them.",
    )
    office: bool = False
    strict: bool = Field(False, description="Whether findings are those that submitting it to this office gives.")
    file: MadeFile | None = None


async def workbench(request: Request, given: WorkbenchRequest) -> Response:
    """Open files as drafts, check and rate a draft while it is edited, or write it as a file; nothing is stored."""
    if given.files is None and given.event is None:
        raise Problem(422, "event: send files, or the event of a draft.")
    actor, reading = actor_in(request), reading_of(request)
    asked = given.model_dump(exclude_none=True)
    reply = await in_queue(files_queue(request), replied, office_of(request), reading, actor, asked)
    body = json.dumps(told_in(request, reply), ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace")
    return Response(body, media_type=JSON, headers=dict(PRIVATE))


def replied(office: Office, reading: Reading, actor: Actor, asked: dict[str, Any]) -> dict[str, Any]:
    """The reply of the workbench to somebody; what cannot be understood is a problem."""
    _require_few(asked.get("event") or {})
    is_director = may(Policy.TD, actor)
    places = None if is_director else reading.now.public.places
    index, today = reading.now.index, office.clock().date()

    def find(name: str) -> list[tuple[str, str]]:
        found = index.search(name, MOST_FOUND).found
        return [(one.member.member_id, one.member.name) for one in found]

    with office.reading() as connection:
        record = known(connection).record
        sender = sender_of(actor, confirmed(asked.get("names", {})), frozenset(asked.get("new_members", {})))
        own = Affiliate(sender.affiliate, _club_of(reading, sender.affiliate))
        tools = Tools(
            _reports, today, lambda report: source_for(record, report, today, places, sender), is_director, find, own
        )
        try:
            return answer(asked, tools)
        except (ValueError, AcceptanceError) as error:
            raise Problem(422, f"{error}") from error


def _club_of(reading: Reading, affiliate: str) -> str:
    """What the newest event of an affiliate calls it; empty where none does."""
    return next((one.club for one in reading.now.events if affiliate and one.affiliate == affiliate and one.club), "")


def _require_few(event: dict[str, Any]) -> None:
    sections = event.get("sections")
    if isinstance(sections, list):
        players = [one.get("players") for one in sections if isinstance(one, dict)]
        rows = sum(len(some) for some in players if isinstance(some, list))
        if len(sections) > MOST_SECTIONS or rows > MOST_ROWS:
            raise Problem(413, f"At most {MOST_SECTIONS:,} sections and {MOST_ROWS:,} rows are looked at here.")


def _reports(files: Sequence[tuple[str, bytes]]) -> list[Report | Fault]:
    """The events in some files, each read in a process of its own."""
    return [one.found for one in uploads_of([File(shown_name(name), content) for name, content in files])]


_OPTIONS: dict[str, Any] = {
    "summary": "Check and rate a draft, with what would put each finding right",
    "tags": ["files"],
    "operation_id": "workbench",
    "response_model": WorkbenchReply,
    "responses": PROBLEMS,
}
ROUTES = (
    Route("/upload/check", workbench, Policy.LIMITED, ("POST",)),
    Route(f"{API}/workbench", workbench, Policy.LIMITED, ("POST",), True, _OPTIONS),
)
