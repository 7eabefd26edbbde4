"""Submitting and correcting by program, with a token: files in, what became of them out."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Body, Request, Response
from pydantic import AfterValidator, BaseModel, Field

from crosstable.errors import Fault, OfficeError, Severity
from crosstable.office.comparing import public_differences
from crosstable.office.corrections import ChangedResult, Correction, RequestPolicy, correct_member, correct_result
from crosstable.office.database import Office
from crosstable.office.jobs import Job
from crosstable.office.ledger.facts import State
from crosstable.office.ledger.journal import Author, EntryKind, JournalEntry, act_of
from crosstable.office.ledger.rerate import last_run
from crosstable.office.submissions import Status, Submission
from crosstable.office.views import known
from crosstable.pipeline.results import fault_object
from crosstable.remedies import Reader, for_reader
from crosstable.web.acting import Corrected, Submitted, correct_for, require_event, submit_for, today_of
from crosstable.web.api.rating import BODY
from crosstable.web.forms import PRIVATE, actor_in, files_queue, in_office, in_queue
from crosstable.web.gate import charge_account, reading_of
from crosstable.web.limits import FILES
from crosstable.web.policies import Actor
from crosstable.web.problems import MEDIA_TYPE, Problem
from crosstable.web.reading import Reading
from crosstable.web.replies import JSON
from crosstable.web.routes import API, Policy, Route
from crosstable.web.uploads import Upload, sent_files, uploads_of


class FaultBody(BaseModel):
    """A finding: a stable code, how grave it is, where, what is wrong, and what would be right."""

    code: str
    severity: str
    level: str
    place: str
    message: str
    remedy: str


class JobLink(BaseModel):
    """A job that does what could not be done at once."""

    job: str
    state: str
    address: str = Field(description="Where to ask how far it is.")


class SubmissionBody(BaseModel):
    """What became of a file. ``submission`` is its number, under which it can be looked up."""

    submission: int = Field(description="The act of the record that holds it; 0 while it is queued.")
    event: str
    name: str
    status: str = Field(
        description="accepted; held, or partly held, until errors are put right or the office agrees; known: the "
        "same file came in before; or queued: a job will store and rate it."
    )
    accepted: list[int] = Field(description="Sections that are rated.")
    held: list[int] = Field(description="Sections that wait until their errors are put right, or the office agrees.")
    run: int | None = Field(description="The rating run that posted them.")
    faults: list[FaultBody]
    job: JobLink | None = Field(default=None, description="The job that will store or rate it, where that waits.")


class SectionState(BaseModel):
    """A section of a submission, as it stands now."""

    section: int
    name: str
    state: str = Field(description="accepted, held or withdrawn.")
    is_rated: bool
    faults: list[FaultBody]


class SubmissionState(BaseModel):
    """A submission as it stands now."""

    submission: int
    event: str
    by: str
    at: str
    sections: list[SectionState]


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("there are characters in it that cannot be printed")
    return text


Line = Annotated[str, AfterValidator(_printable)]


class ChangeOfResult(BaseModel):
    """One result put right."""

    section: int = Field(ge=1, le=1_000_000)
    player: int = Field(ge=1, le=1_000_000, description="The player's number in the section.")
    round: int = Field(ge=1, le=1000)
    result: Line = Field(min_length=1, max_length=12, description="As the cell should read: W7, L7b, D3, X, H …")


class ChangeOfMember(BaseModel):
    """One member id put right wherever it stands in the event."""

    wrong: Line = Field(min_length=1, max_length=40)
    right: Line = Field(min_length=1, max_length=40)


class CorrectionAsked(BaseModel):
    """A correction: of one result, or of one member id."""

    event: Line = Field(min_length=1, max_length=60)
    reason: Line = Field(min_length=1, max_length=500)
    result: ChangeOfResult | None = None
    member: ChangeOfMember | None = None


class CorrectionBody(BaseModel):
    """What became of a correction."""

    correction: int
    event: str
    is_requested: bool = Field(description="Whether the office has to accept it first; otherwise it is stored.")
    differences: list[str]
    faults: list[FaultBody]


# Written out by hand: a declared file would be read before anybody asks for the token.
_FILES = BODY
# RFC 7240: nobody waits for the answer.
_RESPOND_ASYNC = "respond-async"


async def submit_event(request: Request) -> Response:
    """Submit one event of your affiliate. It is checked, stored and rated; sections with errors are held.

    While somebody else is writing, and where the header says ``Prefer: respond-async``, the answer is 202 with a job
    that will do it.
    """
    upload = await _one_upload(request)
    if upload.document is None:
        assert upload.fault is not None
        raise _faulty("The file cannot be read; nothing was stored.", [upload.fault])
    waits = _RESPOND_ASYNC not in request.headers.get("prefer", "").lower()
    made = await in_queue(
        files_queue(request), submit_for, reading_of(request), actor_in(request), upload.document, waits=waits
    )
    if made.submission.status is Status.REFUSED:
        raise _faulty("The event has errors; nothing was stored.", made.submission.faults)
    if made.submission.status is Status.DIFFERS:
        said = f"Event {made.submission.event_id} is in the record and this file differs; ask for a correction."
        found = public_differences(made.submission.differences)  # the event may be somebody else's
        raise Problem(409, said, errors=[{"where": "file", "what": text} for text in found])
    status = 201 if made.submission.status is Status.ACCEPTED else 200
    if made.submission.status is Status.QUEUED or (status == 201 and not made.submission.accepted):
        status = 202  # stored, or it will be, and it waits
    reply = json_reply(_submission_body(made), status)
    if made.submission.status is Status.QUEUED and made.job is not None:
        reply.headers["Location"] = job_address(made.job)
        if not waits:
            reply.headers["Preference-Applied"] = _RESPOND_ASYNC
    return reply


def job_address(job: Job) -> str:
    """Where a program asks for a job."""
    return f"{API}/jobs/{job.job_id}"


async def _one_upload(request: Request) -> Upload:
    name = request.query_params.get("name", "report")
    uploads = await in_queue(files_queue(request), uploads_of, await sent_files(request, name))
    if len(uploads) != 1:
        raise Problem(422, "Send the file of one event, or the three DBF files of one report.")
    return uploads[0]


def _submission_body(made: Submitted) -> SubmissionBody:
    one = made.submission
    return SubmissionBody(
        submission=one.act,
        event=one.event_id,
        name=one.event_name,
        status=_status(one),
        accepted=list(one.accepted),
        held=[held.number for held in one.held],
        run=made.run.act if made.run else None,
        faults=[_fault(fault) for fault in for_reader(one.faults, Reader.API)],
        job=made.job and JobLink(job=made.job.job_id, state=made.job.state.value, address=job_address(made.job)),
    )


def _status(one: Submission) -> str:
    """What became of the sections: a file is accepted only where none of them is held."""
    if not one.held:
        return one.status.value
    return "partly held" if one.accepted else "held"


def _fault(fault: Fault) -> FaultBody:
    return FaultBody(**fault_object(fault))


def _stored(found: Mapping[str, str]) -> FaultBody:
    """A finding as the record keeps it."""
    return _fault(Fault(**{**found, "severity": Severity(found["severity"])}))  # type: ignore[arg-type]


def _faulty(said: str, faults: Any) -> Problem:  # noqa: ANN401
    return Problem(422, said, faults=[_fault(one).model_dump() for one in for_reader(faults, Reader.API)])


def json_reply(body: BaseModel, status: int = 200) -> Response:
    """A reply to one program, kept by nobody."""
    return Response(body.model_dump_json(), status, media_type=JSON, headers=dict(PRIVATE))


async def submission_state(request: Request, number: int) -> Response:
    """A submission of your affiliate as it stands now."""
    return json_reply(await in_office(_state, reading_of(request), actor_in(request), number))


def _state(reading: Reading, actor: Actor, number: int) -> SubmissionState:
    office = reading.office
    act = _own_act(office, actor, number, EntryKind.SUBMIT)
    with office.reading() as connection:
        record, run = known(connection).record, last_run(connection)
        sections = [
            SectionState(
                section=one.number,
                name=one.name,
                state=one.state.value,
                is_rated=one.state is State.ACCEPTED and one.act <= run,
                faults=[_stored(fault) for fault in one.faults],
            )
            for one in record.headings_of(act.subject)
        ]
    at = act.at.isoformat(timespec="seconds")
    return SubmissionState(submission=act.seq, event=act.subject, by=act.actor, at=at, sections=sections)


def _own_act(office: Office, actor: Actor, number: int, kind: EntryKind) -> JournalEntry:
    """An act about an event of one's own; others' are as if they were not there."""
    with office.reading() as connection:
        act = act_of(connection, number) if 0 < number < 2**31 else None
    if act is None or act.kind is not kind:
        raise Problem(404, f"There is no {kind.value} with this number.")
    require_event(office, actor, act.subject)
    return act


async def ask_correction(request: Request, asked: Annotated[CorrectionAsked, Body()]) -> Response:
    """Ask for a correction of an event of your affiliate; before anybody is rated by it, it is stored at once."""
    if (asked.result is None) == (asked.member is None):
        raise Problem(422, "Give either a result or a member to put right.")
    actor = actor_in(request)
    charge_account(request, actor)
    made = await in_queue(FILES, _correct, reading_of(request), actor, asked)
    if not made.correction.is_stored:
        if made.correction.differences:
            raise _faulty("As corrected, the event has errors; nothing was stored.", made.correction.faults)
        raise Problem(409, "Nothing differs from what the record says; nothing was stored.")
    body = CorrectionBody(
        correction=made.correction.act,
        event=asked.event,
        is_requested=made.correction.is_requested,
        differences=list(made.correction.differences),
        faults=[_fault(one) for one in for_reader(made.correction.faults, Reader.API)],
    )
    return json_reply(body, 202 if made.correction.is_requested else 201)


def _correct(reading: Reading, actor: Actor, asked: CorrectionAsked) -> Corrected:
    office = reading.office
    today = today_of(office)

    def how(author: Author, asking: RequestPolicy) -> Correction:
        if asked.member is not None:
            swap = asked.member.wrong, asked.member.right
            return correct_member(office, author, asked.event, swap, today, is_request=asking)
        one = asked.result
        if one is None:
            raise OfficeError("there is nothing to put right")
        change = ChangedResult(one.section, one.player, one.round, one.result)
        return correct_result(office, author, asked.event, change, today, is_request=asking)

    return correct_for(reading, actor, asked.event, how, " ".join(asked.reason.split()))


def problems_of(*statuses: tuple[int, str]) -> dict[int | str, dict[str, Any]]:
    """What can go wrong, as the schema says it."""
    shape = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemBody"}}}
    always = (
        (401, "No token, or one that is not valid."),
        (403, "The token may not do this, or the event belongs to another affiliate."),
        (503, "Somebody else is writing, or too many files wait already; ask again."),
    )
    return {status: {"description": said, "content": shape} for status, said in (*always, *statuses)}


SECURED: dict[str, Any] = {"security": [{"token": []}]}
ROUTES = (
    Route(
        f"{API}/submissions",
        submit_event,
        Policy.TD,
        ("POST",),
        in_schema=True,
        options={
            "summary": "Submit an event",
            "tags": ["submissions"],
            "status_code": 201,
            "response_model": SubmissionBody,
            "operation_id": "submit_event",
            "openapi_extra": {**SECURED, **_FILES},
            "responses": {
                200: {"description": "The same file came in before.", "model": SubmissionBody},
                202: {"description": "Stored, and every section is held; or queued as a job.", "model": SubmissionBody},
                **problems_of(
                    (400, "The form cannot be read."),
                    (408, "The files came too slowly."),
                    (409, "The event is in the record and the file differs."),
                    (413, "The files are too long, or too many."),
                    (422, "The file has errors; every one is listed."),
                ),
            },
        },
    ),
    Route(
        f"{API}/submissions/{{number}}",
        submission_state,
        Policy.TD,
        in_schema=True,
        options={
            "summary": "A submission as it stands now",
            "tags": ["submissions"],
            "response_model": SubmissionState,
            "operation_id": "submission_state",
            "openapi_extra": SECURED,
            "responses": problems_of((404, "There is no such submission."), (422, "That is no number.")),
        },
    ),
    Route(
        f"{API}/corrections",
        ask_correction,
        Policy.TD,
        ("POST",),
        in_schema=True,
        options={
            "summary": "Ask for a correction",
            "tags": ["submissions"],
            "status_code": 202,
            "response_model": CorrectionBody,
            "operation_id": "ask_correction",
            "openapi_extra": SECURED,
            "responses": {
                201: {"description": "Stored: nobody was rated by the event.", "model": CorrectionBody},
                **problems_of(
                    (409, "Nothing differs, or the record has no such event or row."),
                    (408, "The body came too slowly."),
                    (413, "The body is too long."),
                    (422, "The correction has errors; every one is listed."),
                    (429, "Too many corrections of one account; Retry-After says when."),
                ),
            },
        },
    ),
)
