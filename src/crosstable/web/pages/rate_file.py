"""Rate a file: every finding and every rating of somebody's own event, by the ratings in the file, nothing stored.

The answer is the one that the command line, the API and the library give. The page carries the file along, so that the
working of a player is a second look at the same file.
"""

from functools import partial

from fastapi import Request, Response

from crosstable.app.showing import NOTHING, RATE, given_of, rated_file
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


ROUTES = (
    Route("/rate", rate_page, Policy.LIMITED),
    Route("/rate", rate_upload, Policy.LIMITED, ("POST",)),
)
