"""Upload: the page of the workbench, and the same without scripts: a table to edit, Check, export, submit."""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from fastapi import Request, Response
from starlette.datastructures import FormData

from crosstable.errors import Fault, UnratableSectionError
from crosstable.office.checking import Sender
from crosstable.office.comparing import public_differences
from crosstable.office.database import Office
from crosstable.office.effects import Preview, preview
from crosstable.office.submissions import Status, SubmitOptions
from crosstable.office.views import known
from crosstable.pipeline.rating import rate
from crosstable.pipeline.reading import of_reading
from crosstable.pipeline.results import SectionResult
from crosstable.pipeline.submitting import EXTENSIONS, exported, written
from crosstable.pipeline.workbench import report_of
from crosstable.remedies import Reader, for_reader
from crosstable.terms import Report
from crosstable.web.acting import Submitted, correct_by_file_for, submit_for
from crosstable.web.child_reading import File
from crosstable.web.forms import PRIVATE, actor_in, files_queue, in_queue, page, read_anew, went
from crosstable.web.gate import form_of, office_of, reading_of, text_of
from crosstable.web.pages.my_events import told_of_correction
from crosstable.web.policies import Actor, may, sender_of
from crosstable.web.problems import Problem
from crosstable.web.routes import Policy, Route
from crosstable.web.templating import address
from crosstable.web.uploads import Upload, carried_files, confirmed, files_of, uploads_of

MOST_FAULTS = 500
EXPORTS = {"dbf": "DBF", "trf26": "TRF", "csv": "CSV", "xlsx": "Excel", "json": "JSON"}


class Shown(NamedTuple):
    """One event of an upload as the page shows it."""

    upload: Upload
    preview: Preview | None
    errors: Sequence[Fault]
    warnings: Sequence[Fault]
    carried: str = ""
    text: str = ""
    rated: tuple[SectionResult, ...] = ()


async def upload_page(request: Request) -> Response:
    """The form to choose files with."""
    return page(request, "administration/upload.html", **_context(actor_in(request)))


def _context(actor: Actor, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    usual = {"may_submit": may(Policy.TD, actor), "shown": [], "wrong": "", "exports": EXPORTS}
    return {**usual, "row_named": _row_named, **more}


async def preview_upload(request: Request) -> Response:
    """Read the files and show what would become of them; nothing is stored."""
    files = await _files_in(await form_of(request))
    actor = actor_in(request)
    if not files:
        return page(request, "administration/upload.html", 400, **_context(actor, wrong="Choose at least one file."))
    places, may_submit = reading_of(request).now.public.places, may(Policy.TD, actor)

    def shown() -> Response:  # a long event makes a long page
        found = [
            _shown(one, previewed(office_of(request), one, places, actor), one.carried if may_submit else "")
            for one in uploads_of(files)
        ]
        return page(request, "administration/upload.html", **_context(actor, shown=found))

    return await in_queue(files_queue(request), shown)


async def _files_in(form: FormData) -> list[File]:
    """The files of a form, or the table that stands in it."""
    text = form.get("text")
    given = await files_of(form)
    return [File("table.csv", text.encode())] if isinstance(text, str) and text.strip() and not given else given


async def export_upload(request: Request) -> Response:
    """The table of the form as a file of another format."""
    form = await form_of(request)
    files, to = await _files_in(form), text_of(form, "to")
    if to not in EXTENSIONS or not files:
        raise Problem(422, "to: one of the formats that can be written, and a table, are needed.")

    def made() -> tuple[str, bytes]:
        upload = uploads_of(files)[0]
        if upload.document is None:
            assert upload.fault is not None
            raise Problem(422, upload.fault.message, faults=[upload.fault._asdict()])
        try:
            found = exported(of_reading(upload.document.reading), to)
        except UnratableSectionError as error:
            said = [one._asdict() for one in for_reader(error.faults, Reader.PAGE)]
            raise Problem(422, "It cannot be written in this format yet.", faults=said) from error
        return found.name, found.content

    name, content = await in_queue(files_queue(request), made)
    headers = {**PRIVATE, "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type="application/octet-stream", headers=headers)


def previewed(office: Office, upload: Upload, places: int, actor: Actor) -> Preview | None:
    """What would become of a file: directors and the office see results in full, others from what is public."""
    if upload.document is None:
        return None
    public_places = None if may(Policy.TD, actor) else places
    with office.reading() as connection:
        record, today = known(connection).record, office.clock().date()
        made = preview(record, upload.document, today, public_places, sender_of(actor))
    if actor.is_office:
        return made
    return made._replace(differences=tuple(public_differences(made.differences)))  # of an event of somebody else's


def _shown(upload: Upload, made: Preview | None, carried: str) -> Shown:
    if made is None:
        assert upload.fault is not None
        return Shown(upload, None, [upload.fault], [])
    faults = for_reader(made.faults, Reader.PAGE)
    assert upload.document is not None
    report = of_reading(upload.document.reading)
    event = None
    if made.faults and _knows_nobody(report, made.faults):  # rated by what the file says
        event = rate(report, pairing_ratings=True, entry_lists=True, reader=Reader.PAGE)
        faults = event.faults
    errors = [one for one in faults if one.severity.stops]
    warnings = [one for one in faults if not one.severity.stops]
    text = written(report, "csv", []).decode()
    rated = () if event is None else event.sections
    return Shown(upload, made, errors[:MOST_FAULTS], warnings[:MOST_FAULTS], carried, text, rated)


def _knows_nobody(report: Report, faults: Sequence[Fault]) -> bool:
    ids = sum(bool(player.member_id) for section in report.sections for player in section.players)
    return sum(one.code in ("member-not-known", "id-needed") for one in faults) >= max(ids, 1)


async def submit_upload(request: Request) -> Response:
    """Submit what was previewed, or send it as a correction of an event that is known."""
    form = await form_of(request)
    actor, reading, queue = actor_in(request), reading_of(request), files_queue(request)
    uploads = await in_queue(queue, _uploads, form, await files_of(form))
    if len(uploads) != 1:
        raise Problem(400, "Submit one event at a time.")
    upload = uploads[0]
    if upload.document is None:
        assert upload.fault is not None
        raise Problem(422, upload.fault.message, faults=[upload.fault._asdict()])
    if text_of(form, "event"):
        corrected = await in_queue(
            queue, correct_by_file_for, reading, actor, text_of(form, "event"), upload.document, text_of(form, "reason")
        )
        return await told_of_correction(request, corrected, upload)
    wishes = _wishes(form, actor)
    submitted = await in_queue(queue, submit_for, reading, actor, upload.document, text_of(form, "reason"), wishes)
    return await _told(request, upload, submitted)


def _uploads(form: FormData, files: Sequence[File]) -> list[Upload]:
    """What is submitted: the draft of the workbench, what a page carried along, or files."""
    draft, carried = form.get("draft"), form.get("carried")
    if isinstance(draft, str) and draft:
        try:
            report, _ = report_of(json.loads(draft))
        except (ValueError, RecursionError) as error:
            raise Problem(422, "The draft cannot be read; load the page again.") from error
        if stops := [one for one in report.faults if one.severity.stops]:
            told = for_reader(stops, Reader.PAGE)
            raise Problem(422, f"Put this right first: {told[0].message}", faults=[one._asdict() for one in told])
        return uploads_of([File("draft.json", written(report, "json", []))])
    return uploads_of(carried_files(carried) if isinstance(carried, str) and carried else files)


def _row_named(place: str) -> str:
    """The row that a finding is about, as a form names it: ``1:3``."""
    found = re.match(r"section (\d+), player (\d+)", place)
    return f"{found[1]}:{found[2]}" if found else ""


def _wishes(form: FormData, actor: Actor) -> SubmitOptions:
    """Only the office may add members while it submits."""
    adds = actor.is_office and bool(text_of(form, "new_members"))
    sender = Sender(names=names_in(form), newcomers=newcomers_in(form))
    return SubmitOptions(adds, adds and bool(text_of(form, "openings")), sender)


def names_in(form: FormData) -> frozenset[tuple[int, int]]:
    """The rows whose names a director confirms, by section and number: ``1:3``; a draft has its own."""
    return confirmed(_said_in(form, "names"))


def newcomers_in(form: FormData) -> frozenset[str]:
    """The ids that nobody has here and that are reported as those of new members; a draft has its own."""
    return frozenset(_said_in(form, "newcomers", "new_members"))


def _said_in(form: FormData, field: str, of_draft: str = "") -> list[str]:
    """The values of a field of the form, and the keys of what a draft has by that name."""
    draft = form.get("draft")
    given = [str(value) for value in form.getlist(field)]
    if isinstance(draft, str) and draft:
        said = json.loads(draft).get(of_draft or field, {})
        given += [str(key) for key in said] if isinstance(said, dict) else []
    return given


async def _told(request: Request, upload: Upload, submitted: Submitted) -> Response:
    """What became of it; the site reads the record anew first where that is quick."""
    await read_anew(request)
    made = submitted.submission
    if made.status is Status.QUEUED and submitted.job is not None:
        return went(address("jobs", submitted.job.job_id))
    if made.status is Status.ACCEPTED:
        run = 0 if submitted.run is None else submitted.run.act
        return went(f"{address('my-events', made.event_id)}?entry={made.act}&run={run}")
    status = 200 if made.status is Status.KNOWN else 422
    return page(request, "administration/submitted.html", status, upload=upload, submitted=submitted, corrected=None)


ROUTES = (
    Route("/upload", upload_page, Policy.LIMITED),
    Route("/upload", preview_upload, Policy.LIMITED, ("POST",)),
    Route("/upload/export", export_upload, Policy.LIMITED, ("POST",)),
    Route("/upload/submit", submit_upload, Policy.TD, ("POST",)),
)
