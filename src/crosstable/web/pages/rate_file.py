"""Rate a file: every finding and every rating of somebody's own event, by the ratings in the file, nothing stored.

The answer is the one that the command line, the API and the library give. The page carries the file along, so that the
working of a player is a second look at the same file.
"""

import re
from collections.abc import Iterable
from datetime import date
from itertools import groupby
from typing import NamedTuple

from fastapi import Request, Response
from starlette.datastructures import FormData

from crosstable.engine import RatedSection
from crosstable.errors import Fault
from crosstable.explanation import Line, explain, usual_document
from crosstable.pipeline.explaining import chosen
from crosstable.pipeline.rating import Options, RatedEvent, rate
from crosstable.pipeline.reading import of_reading
from crosstable.remedies import Reader, for_reader
from crosstable.web.forms import files_queue, in_queue, page
from crosstable.web.gate import form_of, text_of
from crosstable.web.problems import Problem
from crosstable.web.routes import Policy, Route
from crosstable.web.uploads import Upload, carried_files, files_of, uploads_of

TEMPLATE = "rate.html"
MOST_FAULTS = 500
# Section and player, and the system where one is meant.
_WHY = re.compile(r"(\d{1,6}):(\d{1,6})(?::([A-Z]{3,4}))?", re.ASCII)


class Working(NamedTuple):
    """The calculation of one player in one system."""

    system: str
    name: str
    document: str
    parts: tuple[tuple[str, tuple[Line, ...]], ...]


class RatedFile(NamedTuple):
    """A file as the page shows it."""

    name: str
    event: RatedEvent | None
    errors: list[Fault]
    warnings: list[Fault]
    carried: str
    working: tuple[Working, ...] = ()


class Given(NamedTuple):
    """What the form completes a file with."""

    pairing: bool
    control: str
    start: date | None
    end: date | None


async def rate_page(request: Request) -> Response:
    """The form to choose a file with."""
    return page(request, TEMPLATE, given=Given(False, "", None, None), shown=[], wrong="")


async def rate_upload(request: Request) -> Response:
    """Rate the files of the form and show everything that was found."""
    form = await form_of(request)
    try:
        given = given_of(form)
    except ValueError as error:
        return page(request, TEMPLATE, 422, given=Given(False, "", None, None), shown=[], wrong=str(error))
    given_along = form.get("carried")
    carried = given_along if isinstance(given_along, str) else ""
    files = carried_files(carried) if carried else await files_of(form)
    if not files:
        return page(request, TEMPLATE, 400, given=given, shown=[], wrong="Choose a file.")
    why = _WHY.fullmatch(text_of(form, "why"))

    def shown() -> Response:
        found = [_rated(upload, given, why) for upload in uploads_of(files)]
        return page(request, TEMPLATE, given=given, shown=found, wrong="")

    return await in_queue(files_queue(request), shown)


def given_of(form: FormData) -> Given:
    """What a form completes a file with; raises ``ValueError`` with a sentence where a day is none."""
    return Given(
        bool(text_of(form, "pairing")),
        text_of(form, "control"),
        _day(text_of(form, "start")),
        _day(text_of(form, "end")),
    )


def _day(text: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"“{text[:20]}” is no date; write it as YYYY-MM-DD.") from None


def _rated(upload: Upload, given: Given, why: re.Match[str] | None) -> RatedFile:
    if upload.document is None:
        assert upload.fault is not None
        return RatedFile(upload.name, None, list(for_reader([upload.fault], Reader.PAGE)), [], "")
    options = Options(
        pairing_ratings=given.pairing, control=given.control, start=given.start, end=given.end, reader=Reader.PAGE
    )
    event = rate(of_reading(upload.document.reading), **options)
    errors = [found for found in event.faults if found.severity.stops]
    warnings = [found for found in event.faults if not found.severity.stops]
    working = _working(event, int(why[1]), int(why[2]), why[3]) if why else ()
    return RatedFile(upload.name, event, errors[:MOST_FAULTS], warnings[:MOST_FAULTS], upload.carried, working)


def _working(event: RatedEvent, section: int, player: int, system: str | None) -> tuple[Working, ...]:
    try:
        found = chosen(event, player, section, system)
    except LookupError as error:
        raise Problem(404, f"{str(error.args[0]).capitalize()}.") from error
    return tuple(
        Working(rated.system.name, _name(rated, player), usual_document(lines), _parts(lines))
        for rated in found
        for lines in (explain(rated, player),)
    )


def _parts(lines: Iterable[Line]) -> tuple[tuple[str, tuple[Line, ...]], ...]:
    return tuple((part, tuple(some)) for part, some in groupby(lines, key=lambda line: line.part))


def _name(rated: RatedSection, number: int) -> str:
    entry = next(entry for entry in rated.section.entries if entry.number == number)
    return entry.name or entry.member_id or f"Player {number}"


ROUTES = (
    Route("/rate", rate_page, Policy.LIMITED),
    Route("/rate", rate_upload, Policy.LIMITED, ("POST",)),
)
