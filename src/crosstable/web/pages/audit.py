"""Is a posted rating right? A saved or pasted crosstable is rated again and compared, row by row; nothing is stored."""

from functools import partial

from fastapi import Request, Response

from crosstable.app.showing import AUDIT, Typed, audited_file, given_of, typed_of
from crosstable.web.child_reading import File
from crosstable.web.forms import files_queue, in_queue, page
from crosstable.web.gate import form_of, text_of
from crosstable.web.routes import Policy, Route
from crosstable.web.uploads import files_of, uploads_of


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
    Route("/audit", audit_page, Policy.LIMITED),
    Route("/audit", audit_upload, Policy.LIMITED, ("POST",)),
)
