"""Members on the site: added one by one or from a members file; their ratings are decisions, not a file's word.

Also what the office owes people: the security log, everything about a person for that person, and erasing one.
"""

import json
from typing import Any, NamedTuple

from fastapi import Request, Response
from starlette.datastructures import FormData

from crosstable.errors import Fault, FormatError, OfficeBusyError, OfficeError
from crosstable.formats import members
from crosstable.formats.sheet_rows import csv_bytes
from crosstable.office.credentials import proven_by_session
from crosstable.office.database import Office
from crosstable.office.erasing import Erased, erase_member
from crosstable.office.erasure_list import list_path, write_list
from crosstable.office.jobs import Job, JobKind, NewJob, add_job
from crosstable.office.late_facts import Divided, divided, facts_wish
from crosstable.office.ledger.journal import Author
from crosstable.office.members import Imported, import_members
from crosstable.office.members_files import StartingRatingOptions, birth_faults, taken, without_ratings
from crosstable.office.persons import everything_about
from crosstable.office.proposals import propose
from crosstable.office.security_log import SecurityEntry, SecurityKind, note_apart, security_entries
from crosstable.office.views import known
from crosstable.web.acting import needs_second, soon
from crosstable.web.child_reading import File
from crosstable.web.forms import PRIVATE, actor_in, in_office, in_queue, page, read_anew, went
from crosstable.web.gate import form_of, office_of, text_of
from crosstable.web.limits import FILES
from crosstable.web.policies import Actor
from crosstable.web.replies import JSON
from crosstable.web.routes import Policy, Route
from crosstable.web.templating import address
from crosstable.web.uploads import files_of

TEMPLATE = "administration/members.html"
_COLUMNS = {"Member ID": "member", "Name": "name", "State": "state", "Birth date": "born", "FIDE id": "fide"}


class Proposed(NamedTuple):
    """What takes two people of a file was proposed; the rest is stored."""

    number: int


class Refused(NamedTuple):
    """Why nothing was stored."""

    faults: list[Fault]


async def members_page(request: Request) -> Response:
    """The forms, and what the last import did."""
    counts = {name: request.query_params.get(name, "") for name in ("new", "changed", "unchanged")}
    done = counts if all(one.isdecimal() and len(one) < 9 for one in counts.values()) else None
    return page(request, TEMPLATE, done=done, faults=[])


async def add_members(request: Request) -> Response:
    """Add the members of a file, of a pasted table, or one."""
    form = await form_of(request)
    office, actor = office_of(request), actor_in(request)
    file = await _file_in(form)
    reason = text_of(form, "reason") or f"members file {file.name}"
    outcome = await in_office(_import, office, actor, reason, file)
    if isinstance(outcome, Refused):
        return page(request, TEMPLATE, 422, done=None, faults=outcome.faults)
    if isinstance(outcome, Job):
        return went(address("jobs", outcome.job_id))
    if isinstance(outcome, Proposed):
        return went(address("administration", "proposals", outcome.number))
    await read_anew(request)
    return went(f"/administration/members?new={outcome.new}&changed={outcome.changed}&unchanged={outcome.unchanged}")


async def _file_in(form: FormData) -> File:
    files = await files_of(form)
    if files:
        return files[0]
    pasted = form.get("text")
    if isinstance(pasted, str) and pasted.strip():
        return File("pasted table", pasted.encode())
    row = [text_of(form, field, 100) for field in _COLUMNS.values()]
    return File("the form", csv_bytes(iter([list(_COLUMNS), row])))


def members_in(office: Office, file: File) -> members.MembersFile | Refused:
    """The members of a file, or what is wrong with it."""
    try:
        found = members.read(file.content, file.name)
    except FormatError as error:
        return Refused([error.fault])
    faults = [*found.faults, *birth_faults(found, office.clock().date())]
    return Refused(faults) if any(one.severity.stops for one in faults) or not found.backgrounds else found


def _import(office: Office, actor: Actor, reason: str, file: File) -> Imported | Job | Proposed | Refused:
    """Who the members are; what a file says of their ratings is left out. While somebody writes, a job does it.

    What a published period rests on is proposed, where somebody else has to agree.
    """
    author = Author(actor.name, reason)
    found = members_in(office, file)
    if isinstance(found, Refused):
        return found
    with office.reading() as connection:
        record = known(connection).record
        what = taken(record, without_ratings(found), file.name, StartingRatingOptions())
        people = divided(record, what.people) if needs_second(office, record, actor) else Divided(what.people, ())
    try:
        made = soon(office, lambda at_most: import_members(at_most, author, people.now))
    except OfficeBusyError:
        if people.by_two:  # a worker is nobody's second person
            raise
        return add_job(office, members_job(author, file))
    if not people.by_two:
        return made
    credential = proven_by_session(office, actor.secret).credential
    return Proposed(propose(office, author, facts_wish(people.by_two), credential))


def members_job(author: Author, file: File) -> NewJob:
    """A members file for the worker, without what it says of ratings."""
    return NewJob(JobKind.IMPORT, author, {"name": file.name, "takes_ratings": False}, file.content)


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
    Route("/administration/members", members_page, Policy.OFFICE),
    Route("/administration/members", add_members, Policy.OFFICE, ("POST",)),
    Route("/administration/security", security_page, Policy.OFFICE),
    Route("/administration/export", export_person, Policy.OFFICE),
    Route("/administration/erase", erase_person, Policy.OFFICE, ("POST",)),
)
