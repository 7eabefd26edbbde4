"""A file of somebody: rated by the ratings in it, with every finding, or held against what was posted; nothing stored.

The answer is the one that the command line, the API and the library give. The page carries the file along, so that the
working of a player is a second look at the same file.
"""

from functools import partial

from fastapi import Request, Response

from crosstable.app.showing import AUDIT, NOTHING, RATE, Typed, audited_file, given_of, rated_file, typed_of
from crosstable.web.child_reading import File
from crosstable.web.forms import files_queue, in_queue, page
from crosstable.web.gate import form_of, text_of
from crosstable.web.problems import Problem
from crosstable.web.routes import Policy, Route
from crosstable.web.uploads import carried_files, files_of, uploads_of


async def rate_page(request: Request) -> Response:
    """The form to choose a file with."""
    return page(request, RATE, given=NOTHING, shown=[], wrong="")


async def rate_upload(request: Request) -> Response:
    """Rate the files of the form and show everything that was found."""
    form = await form_of(request)
    try:
        given = given_of(partial(text_of, form))
    except ValueError as error:
        return page(request, RATE, 422, given=NOTHING, shown=[], wrong=str(error))
    given_along = form.get("carried")
    carried = given_along if isinstance(given_along, str) else ""
    files = carried_files(carried) if carried else await files_of(form)
    if not files:
        return page(request, RATE, 400, given=given, shown=[], wrong="Choose a file.")

    def shown() -> Response:
        try:
            found = [
                rated_file(one.name, one.found, given, text_of(form, "why"), one.carried) for one in uploads_of(files)
            ]
        except LookupError as error:
            raise Problem(404, f"{str(error.args[0]).capitalize()}.") from error
        return page(request, RATE, given=given, shown=found, wrong="")

    return await in_queue(files_queue(request), shown)


async def audit_page(request: Request) -> Response:
    """The form to paste a page into."""
    return page(request, AUDIT, shown=[], typed=Typed(), wrong="")


async def audit_upload(request: Request) -> Response:
    """Audit what was pasted or chosen."""
    form = await form_of(request)
    text = form.get("pasted")
    typed = typed_of(partial(text_of, form), text if isinstance(text, str) else "")
    try:
        given = given_of(partial(text_of, form))
    except ValueError as error:
        return page(request, AUDIT, 422, shown=[], typed=typed, wrong=str(error))
    files = await files_of(form)
    if typed.pasted:
        files = [*files, File("pasted text", typed.pasted.encode())]
    if not files:
        return page(request, AUDIT, 400, shown=[], typed=typed, wrong="Paste a crosstable, or choose a file.")

    def shown() -> Response:
        found = [audited_file(one.name, one.found, given) for one in uploads_of(files)]
        return page(request, AUDIT, shown=found, typed=typed, wrong="")

    return await in_queue(files_queue(request), shown)


ROUTES = (
    Route("/rate", rate_page, Policy.LIMITED),
    Route("/rate", rate_upload, Policy.LIMITED, ("POST",)),
    Route("/audit", audit_page, Policy.LIMITED),
    Route("/audit", audit_upload, Policy.LIMITED, ("POST",)),
)
