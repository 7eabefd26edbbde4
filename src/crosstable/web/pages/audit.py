"""Is a posted rating right? A saved or pasted crosstable is rated again and compared, row by row; nothing is stored."""

from itertools import groupby
from typing import NamedTuple

from fastapi import Request, Response

from crosstable.errors import Fault
from crosstable.output.audit_text import (
    SENDING,
    counts_text,
    figure,
    headline,
    names_of,
    open_rows,
    reasons,
    verdict_text,
)
from crosstable.pipeline.auditing import AuditedEvent, audit_reports
from crosstable.pipeline.completing import completed
from crosstable.pipeline.reading import of_reading
from crosstable.remedies import Reader, for_reader
from crosstable.verification.audit import AuditedRow, AuditVerdict
from crosstable.web.child_reading import File
from crosstable.web.forms import files_queue, in_queue, page
from crosstable.web.gate import form_of
from crosstable.web.pages.rate_file import Given, given_of
from crosstable.web.routes import Policy, Route
from crosstable.web.uploads import Upload, files_of, uploads_of

TEMPLATE = "audit.html"
# A page with more posted ratings would keep others waiting.
MOST_ROWS = 2000


class ShownRow(NamedTuple):
    """A posted rating as the page shows it."""

    row: AuditedRow
    gives: str
    verdict: str
    reasons: tuple[str, ...]


class AuditedSection(NamedTuple):
    """A section in one system as the page shows it: first what is not right, then everything."""

    number: int
    system: str
    counts: str
    open: tuple[ShownRow, ...]
    rows: tuple[ShownRow, ...]


class AuditedFile(NamedTuple):
    """A file as the page shows it."""

    name: str
    verdict: str
    words: str
    sections: tuple[AuditedSection, ...]
    errors: tuple[Fault, ...]
    sending: str = ""


async def audit_page(request: Request) -> Response:
    """The form to paste a page into."""
    return page(request, TEMPLATE, shown=[], wrong="")


async def audit_upload(request: Request) -> Response:
    """Audit what was pasted or chosen."""
    form = await form_of(request)
    text = form.get("pasted")
    pasted = text if isinstance(text, str) else ""
    try:
        given = given_of(form)
    except ValueError as error:
        return page(request, TEMPLATE, 422, shown=[], wrong=str(error))
    files = await files_of(form)
    if pasted.strip():
        files = [*files, File("pasted text", pasted.encode())]
    if not files:
        return page(request, TEMPLATE, 400, shown=[], wrong="Paste a crosstable, or choose a file.")

    def shown() -> Response:
        return page(request, TEMPLATE, shown=[_audited(one, given) for one in uploads_of(files)], wrong="")

    return await in_queue(files_queue(request), shown)


def _audited(upload: Upload, given: Given) -> AuditedFile:
    if upload.document is None:
        assert upload.fault is not None
        return AuditedFile(upload.name, "", "", (), for_reader([upload.fault], Reader.PAGE))
    report = completed(of_reading(upload.document.reading), given.control, given.start, given.end, override=False)
    errors = for_reader([fault for fault in report.faults if fault.severity.stops], Reader.PAGE)
    if sum(len(section.players) for section in report.sections) > MOST_ROWS:
        return AuditedFile(upload.name, "", f"This page audits at most {MOST_ROWS:,} players at a time.", (), errors)
    audited = audit_reports([(upload.name, report)])
    errors = for_reader(dict.fromkeys((*errors, *(fault for _, fault in audited.faults))), Reader.PAGE)
    if not audited.rows:
        return AuditedFile(upload.name, "", "There are no posted ratings here that can be compared.", (), errors)
    sending = SENDING if audited.verdict is AuditVerdict.DIFFERS else ""
    return AuditedFile(upload.name, audited.verdict.value, headline(audited), _sections(audited), errors, sending)


def _sections(audited: AuditedEvent) -> tuple[AuditedSection, ...]:
    found = []
    for (number, system), group in groupby(audited.rows, key=lambda row: (row.section, row.system)):
        rows, names = list(group), names_of(audited, number)
        shown = {
            row.number: ShownRow(row, figure(row.computed, row), verdict_text(row), tuple(reasons(row, names)))
            for row in rows
        }
        first = tuple(shown[row.number] for row in open_rows(rows))
        found.append(AuditedSection(number, system.name, counts_text(rows), first, tuple(shown.values())))
    return tuple(found)


ROUTES = (
    Route("/audit", audit_page, Policy.LIMITED),
    Route("/audit", audit_upload, Policy.LIMITED, ("POST",)),
)
