"""Upload: choose files, see every finding and every rating as it would be posted, then submit."""

import logging
from collections.abc import Sequence
from typing import Any, NamedTuple

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from crosstable.errors import Fault
from crosstable.office.database import Office
from crosstable.office.differences import public_differences
from crosstable.office.previews import Preview, preview
from crosstable.office.submissions import Status, SubmitOptions
from crosstable.office.views import known
from crosstable.remedies import Reader, for_reader
from crosstable.web.acting import Corrected, Submitted, correct_by_file_for, submit_for
from crosstable.web.child_reading import File
from crosstable.web.forms import actor_in, files_queue, in_queue, page
from crosstable.web.gate import form_of, office_of, reading_of, text_of
from crosstable.web.policies import Actor, may
from crosstable.web.problems import Problem
from crosstable.web.reading import Reading
from crosstable.web.routes import Policy, Route
from crosstable.web.uploads import Upload, carried_files, files_of, uploads_of

MOST_FAULTS = 500
LOG = logging.getLogger("crosstable.web")


class Shown(NamedTuple):
    """One event of an upload as the page shows it."""

    upload: Upload
    preview: Preview | None
    errors: Sequence[Fault]
    warnings: Sequence[Fault]
    carried: str = ""


async def upload_page(request: Request) -> Response:
    """The form to choose files with."""
    return page(request, "desk/upload.html", **_context(actor_in(request)))


def _context(actor: Actor, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"may_submit": may(Policy.TD, actor), "shown": [], "wrong": "", **more}


async def preview_upload(request: Request) -> Response:
    """Read the files and show what would become of them; nothing is stored."""
    files = await files_of(await form_of(request))
    actor = actor_in(request)
    if not files:
        return page(request, "desk/upload.html", 400, **_context(actor, wrong="Choose at least one file."))
    places, may_submit = reading_of(request).now.public.places, may(Policy.TD, actor)

    def shown() -> Response:  # a long event makes a long page
        found = [
            _shown(one, previewed(office_of(request), one, places, actor), one.carried if may_submit else "")
            for one in uploads_of(files)
        ]
        return page(request, "desk/upload.html", **_context(actor, shown=found))

    return await in_queue(files_queue(request), shown)


def previewed(office: Office, upload: Upload, places: int, actor: Actor) -> Preview | None:
    """What would become of a file: directors and the office see results in full, others from what is public."""
    if upload.document is None:
        return None
    public_places = None if may(Policy.TD, actor) else places
    with office.reading() as connection:
        made = preview(known(connection).record, upload.document, office.clock().date(), public_places)
    if actor.is_office:
        return made
    return made._replace(differences=tuple(public_differences(made.differences)))  # of an event of somebody else's


def _shown(upload: Upload, made: Preview | None, carried: str) -> Shown:
    if made is None:
        assert upload.fault is not None
        return Shown(upload, None, [upload.fault], [])
    faults = for_reader(made.faults, Reader.PAGE)
    errors = [one for one in faults if one.severity.stops]
    warnings = [one for one in faults if not one.severity.stops]
    return Shown(upload, made, errors[:MOST_FAULTS], warnings[:MOST_FAULTS], carried)


async def submit_upload(request: Request) -> Response:
    """Submit what was previewed, or send it as a correction of an event that is known."""
    form = await form_of(request)
    actor, reading, queue = actor_in(request), reading_of(request), files_queue(request)
    uploads = await in_queue(queue, _uploads, _carried(form), await files_of(form))
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
        return await _told(request, upload, corrected=corrected)
    wishes = _wishes(form, actor)
    submitted = await in_queue(queue, submit_for, reading, actor, upload.document, text_of(form, "reason"), wishes)
    return await _told(request, upload, submitted=submitted)


def _uploads(carried: str, files: Sequence[File]) -> list[Upload]:
    return uploads_of(carried_files(carried) if carried else files)


def _carried(form: FormData) -> str:
    value = form.get("carried")
    return value if isinstance(value, str) else ""


def _wishes(form: FormData, actor: Actor) -> SubmitOptions:
    """Only the office may add members while it submits."""
    adds = actor.is_office and bool(text_of(form, "new_members"))
    return SubmitOptions(adds, adds and bool(text_of(form, "openings")))


async def _told(
    request: Request, upload: Upload, submitted: Submitted | None = None, corrected: Corrected | None = None
) -> Response:
    """What became of it; the site reads the record anew first where that is quick."""
    await _read_anew(reading_of(request))
    is_stored = corrected is not None and corrected.correction.is_stored
    is_stored |= submitted is not None and submitted.submission.status in (Status.ACCEPTED, Status.KNOWN)
    status = 200 if is_stored else 422
    return page(request, "desk/submitted.html", status, upload=upload, submitted=submitted, corrected=corrected)


async def _read_anew(reading: Reading) -> None:
    """Show at once what was stored, where that is quick; where it cannot be, it is stored all the same."""
    if reading.tag is None or not reading.now.is_small:
        return
    try:
        await run_in_threadpool(reading.renew)
    except Exception:  # the door: the watch tries again, and the reply says what is stored
        LOG.exception("the record could not be read anew")


ROUTES = (
    Route("/upload", upload_page, Policy.LIMITED),
    Route("/upload", preview_upload, Policy.LIMITED, ("POST",)),
    Route("/upload/submit", submit_upload, Policy.TD, ("POST",)),
)
