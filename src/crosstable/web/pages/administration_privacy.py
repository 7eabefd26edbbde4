"""What the office owes people: the security log, everything about a person for that person, and erasing one."""

import json
from typing import Any

from fastapi import Request, Response

from crosstable.errors import OfficeError
from crosstable.office.database import Office
from crosstable.office.erasing import Erased, erase_member
from crosstable.office.erasure_list import list_path, write_list
from crosstable.office.exporting import everything_about
from crosstable.office.ledger.journal import Author
from crosstable.office.security_log import SecurityEntry, SecurityKind, note_apart, security_entries
from crosstable.web.forms import PRIVATE, actor_in, in_office, in_queue, page, read_anew
from crosstable.web.gate import form_of, office_of, text_of
from crosstable.web.limits import FILES
from crosstable.web.replies import JSON
from crosstable.web.routes import Policy, Route

# So many entries are shown, the newest first.
MOST_SHOWN = 300


async def security_page(request: Request) -> Response:
    """The security log."""
    found = await in_office(_entries, office_of(request))
    return page(request, "administration/security.html", entries=found, most=MOST_SHOWN)


def _entries(office: Office) -> list[SecurityEntry]:
    with office.reading() as connection:
        return security_entries(connection, MOST_SHOWN)[::-1]


async def export_person(request: Request) -> Response:
    """Everything that is stored about a person, as a file to hand out; who asked for it is logged."""
    member, actor = text_of(request.query_params, "member", 40), actor_in(request)
    found = await in_office(_export, office_of(request), actor.name, member)
    headers = {**PRIVATE, "Content-Disposition": 'attachment; filename="person.json"'}
    return Response(json.dumps(found, indent=1, ensure_ascii=False), media_type=JSON, headers=headers)


def _export(office: Office, who: str, member: str) -> dict[str, Any]:
    with office.reading() as connection:
        found = everything_about(connection, member)
    note_apart(office, SecurityKind.EXPORTED, who, found["member_id"])
    return found


async def erase_person(request: Request) -> Response:
    """Erase a person whose id was typed twice."""
    form = await form_of(request)
    member, again = text_of(form, "member", 40), text_of(form, "again", 40)
    author = Author(actor_in(request).name, text_of(form, "reason"))
    made = await in_queue(FILES, _erase, office_of(request), author, member, again)
    await read_anew(request)
    return page(request, "administration/erased.html", made=made)


def _erase(office: Office, author: Author, member: str, again: str) -> Erased:
    if member != again:
        raise OfficeError("the two ids differ; nobody was erased")
    made = erase_member(office, author, member)
    if path := list_path(office.url):
        write_list(office, path)
    return made


ROUTES = (
    Route("/administration/security", security_page, Policy.OFFICE),
    Route("/administration/export", export_person, Policy.OFFICE),
    Route("/administration/erase", erase_person, Policy.OFFICE, ("POST",)),
)
