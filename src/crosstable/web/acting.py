"""What people do through the site, by page or by program: submit, correct, decide; two people where it takes two.

Directors and clubs act for their own affiliate. What the office does to a published period is proposed first; the
person at the machine of an office without accounts is its host and does it at once.
"""

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import date
from typing import NamedTuple, TypeVar

from crosstable.errors import OfficeBusyError, OfficeError
from crosstable.office.checking import affiliate_of
from crosstable.office.comparing import birth_differences, public_differences
from crosstable.office.consent import is_by_two
from crosstable.office.corrections import Correction, RequestPolicy, correct_by_file
from crosstable.office.credentials import proven_by_session
from crosstable.office.database import Office
from crosstable.office.effects import MOST_AHEAD, submit_first
from crosstable.office.jobs import Job, JobKind, NewJob, add_job, jobs
from crosstable.office.ledger.facts import Record, State
from crosstable.office.ledger.journal import Author
from crosstable.office.ledger.rerate import Run, rerate, sections_ahead
from crosstable.office.ledger.runs import RatedInSystems, StageClock, Watch
from crosstable.office.proposals import (
    ProposedAction,
    approve,
    carry_out,
    carry_out_alone,
    correction_needs_two,
    needs_two,
    note_proposed,
    propose,
    propose_request,
)
from crosstable.office.security_log import SecurityKind, note_apart
from crosstable.office.submissions import (
    NO_OPTIONS,
    Document,
    Status,
    Submission,
    SubmitOptions,
    answered_already,
    event_of,
)
from crosstable.office.views import known
from crosstable.office.worker import submission_wish
from crosstable.terms import Report
from crosstable.web.policies import Actor, may, sender_of
from crosstable.web.problems import Problem
from crosstable.web.reading import Reading
from crosstable.web.routes import Policy
from crosstable.web.uploads import for_affiliate

# A person sits before the page; a writer who takes longer is named to them.
PATIENCE = 10.0
# Where somebody has been writing for so long, in seconds, a submission is a job, and so is a run.
AT_ONCE = 0.4
Correct = Callable[[Author, RequestPolicy], Correction]
Done = TypeVar("Done")
LOG = logging.getLogger("crosstable.web")


class Rated(NamedTuple):
    """The run that rated what was stored, or the job that will."""

    run: Run | None
    job: Job | None = None


class Submitted(NamedTuple):
    """A file that was submitted, and the run that rated it, or the job that will store or rate it."""

    submission: Submission
    run: Run | None
    job: Job | None = None


class Corrected(NamedTuple):
    """A correction: stored, asked for, or proposed to a second person."""

    correction: Correction
    proposal: int | None
    run: Run | None


class Outcome(NamedTuple):
    """What became of a wish: a journal entry and the run that rated it, or a proposal that waits for somebody else."""

    act: int | None
    proposal: int | None
    run: Run | None = None


def submit_for(
    reading: Reading,
    actor: Actor,
    document: Document,
    reason: str = "",
    wishes: SubmitOptions = NO_OPTIONS,
    *,
    waits: bool = True,
) -> Submitted:
    """Submit a file and rate what it brings: at once where nobody is writing and somebody waits, else as a job."""
    office = reading.office
    document = _owned(actor, document)
    author = Author(actor.name, reason)
    wishes = wishes._replace(sender=sender_of(actor, wishes.sender.names, wishes.sender.newcomers))
    try:
        if not waits:
            raise OfficeBusyError("nobody waits for it")
        today = office.clock().date()
        made = soon(office, lambda at_most: submit_first(at_most, author, document, today, wishes))
    except OfficeBusyError:
        return _queued(office, actor, author, document, wishes)
    if actor.is_office:
        with office.reading() as connection:
            private = birth_differences(known(connection).record, document.reading.report)
        made = made._replace(faults=(*made.faults, *private))
        if private:
            note_apart(office, SecurityKind.BIRTH_DATE_READ, actor.name, f"event {made.event_id}", by="submission")
    if made.status is not Status.ACCEPTED or not made.accepted:
        return Submitted(made, None)
    after = Author(actor.name, f"after submitting {document.name}")
    return Submitted(made, *_rated(office, after, made.checked, actor.affiliate))


def soon(office: Office, do: Callable[[Office], Done]) -> Done:
    """Do something as soon as others who write only a little are done.

    Raises where somebody is in a long run, and where the workers have jobs to do: what is queued comes after those.
    """
    ends = time.monotonic() + PATIENCE
    _require_short(office)
    while True:
        try:
            return do(office.guarded(_nothing_more, AT_ONCE))
        except OfficeBusyError:
            if time.monotonic() > ends or jobs(office, is_open=True, most=1):
                raise
            _require_short(office)


def _require_short(office: Office) -> None:
    with office.reading() as connection:
        if office.store.held_for(connection) >= AT_ONCE:
            raise OfficeBusyError("somebody is in a long run")


def _nothing_more(connection: object) -> AbstractContextManager[None]:
    return nullcontext()


def _queued(office: Office, actor: Actor, author: Author, document: Document, wishes: SubmitOptions) -> Submitted:
    """A submission for the worker; what the record refuses as it is now is refused at once."""
    with office.reading() as connection:
        found = answered_already(connection, document, office.clock().date(), wishes)
    if found is not None:
        return Submitted(found, None)
    report = document.reading.report
    wish = submission_wish(document, affiliate_of(report), wishes)
    job = add_job(office, NewJob(JobKind.SUBMIT, author, wish, document.content, actor.affiliate))
    return Submitted(Submission(document.name, Status.QUEUED, report.event_id, report.name), None, job)


def _rated(office: Office, author: Author, checked: Sequence[RatedInSystems] = (), affiliate: str = "") -> Rated:
    """Rate at once where that can be done; otherwise what was stored, and stays so, is rated by a job."""
    try:
        with office.reading() as connection:
            is_short = sections_ahead(connection) <= MOST_AHEAD
        if is_short:
            watch = Watch(clock=StageClock(), checked=checked)
            return Rated(soon(office, lambda at_most: rerate(at_most, author, watch=watch)))
    except OfficeBusyError:
        pass
    except OfficeError as error:
        LOG.warning("%s: %s", author.reason, error)
        return Rated(None)
    try:
        return Rated(None, add_job(office, NewJob(JobKind.RATE, author, affiliate=affiliate)))
    except OfficeError as error:  # the record is stored all the same, and the next run rates it
        LOG.warning("%s: %s", author.reason, error)
        return Rated(None)


def _owned(actor: Actor, document: Document) -> Document:
    """A director's file belongs to the director's affiliate, or it is refused."""
    if actor.is_office:
        return document
    document = for_affiliate(document, actor.affiliate)
    if not may(Policy.TD, actor, affiliate_of(document.reading.report)):
        raise Problem(403, "You may not submit events of this affiliate.")
    return document


def require_event(office: Office, actor: Actor, event_id: str) -> None:
    """Whether somebody may touch an event: the office any, others those of their affiliate."""
    with office.reading() as connection:
        affiliate = event_affiliate(known(connection).record, event_id)
    if not may(Policy.TD, actor, affiliate):
        raise Problem(403, "This event does not belong to your affiliate.")


def event_affiliate(record: Record, event_id: str) -> str:
    """The affiliate that an event of the record belongs to, empty for none."""
    details = event_of(record, event_id).details
    return str(details.get("affiliate", "")).strip().upper()


def correct_by_file_for(reading: Reading, actor: Actor, event_id: str, document: Document, reason: str) -> Corrected:
    """Another file takes the place of what was submitted."""
    office = reading.office
    require_event(office, actor, event_id)
    owned = _owned(actor, _of_event(office, event_id, document))
    today = office.clock().date()
    return correct_for(
        reading,
        actor,
        event_id,
        lambda author, asking: correct_by_file(office, author, event_id, owned, today, is_request=asking),
        reason,
    )


def _of_event(office: Office, event_id: str, document: Document) -> Document:
    """A file that names no affiliate leaves the event with the one it has."""
    if affiliate_of(document.reading.report):
        return document
    with office.reading() as connection:
        return for_affiliate(document, event_affiliate(known(connection).record, event_id))


def correct_for(reading: Reading, actor: Actor, event_id: str, correct: Correct, reason: str) -> Corrected:
    """Put an event right: at once where nobody was rated by it or the office may, else by asking or proposing."""
    if not reason:
        raise OfficeError("a correction needs a reason")
    office = reading.office
    require_event(office, actor, event_id)
    author = Author(actor.name, reason)
    made = correct(author, _asking(office, actor, author))
    if made.proposal is not None:
        note_proposed(office, proven_by_session(office, actor.secret), made.proposal)
    if not actor.is_office:
        made = made._replace(differences=tuple(public_differences(made.differences)))
    is_to_rate = made.is_stored and not made.is_requested
    run = _rated(office, Author(actor.name, f"after correcting {event_id}")).run if is_to_rate else None
    return Corrected(made, made.proposal, run)


def _asking(office: Office, actor: Actor, author: Author) -> RequestPolicy:
    """Whether somebody only asks for a correction, as the record is when it is written; the office then proposes it."""

    def is_needed(record: Record, report: Report) -> bool:
        was_rated = any(one.state is not State.HELD for one in record.headings_of(report.event_id))
        if was_rated and not actor.is_office:
            return True
        ends = [day for day in (report.end, *(section.end for section in report.sections)) if day is not None]
        return needs_second(office, record, actor) and correction_needs_two(record, report.event_id, ends)

    def follow(record: Record, act: int) -> int | None:
        return propose_request(office, record, author, act) if actor.is_office else None

    return RequestPolicy(is_needed, follow)


def needs_second(office: Office, record: Record, actor: Actor) -> bool:
    """Whether a second person has to agree; one who is the office alone cannot ask anybody."""
    return actor.needs_second and (not actor.is_office or is_by_two(record.connection, office.clock()))


def act_on(office: Office, actor: Actor, wish: ProposedAction, reason: str) -> Outcome:
    """Do what the office wishes, or propose it where a second person has to agree."""
    if not reason:
        raise OfficeError("say why; it stays in the record")
    author = Author(actor.name, reason)
    with office.reading() as connection:
        is_by_both = needs_second(office, known(connection).record, actor)
    if is_by_both and needs_two(office, wish):
        credential = proven_by_session(office, actor.secret).credential
        return Outcome(None, propose(office, author, wish, credential))
    return rated_after(office, author, (carry_out_alone if is_by_both else carry_out)(office, author, wish))


def approve_for(office: Office, actor: Actor, number: int) -> Outcome:
    """Agree to what somebody else proposed, and rate what follows from it."""
    approver = proven_by_session(office, actor.secret)
    return rated_after(
        office, Author(actor.name, f"after approving proposal {number}"), approve(office, approver, number)
    )


def rated_after(office: Office, author: Author, act: int) -> Outcome:
    """What follows from a journal entry of the office is rated at once, so that everybody sees what was decided."""
    return Outcome(act, None, _rated(office, author).run)


def today_of(office: Office) -> date:
    """The day by the office's clock."""
    return office.clock().date()
