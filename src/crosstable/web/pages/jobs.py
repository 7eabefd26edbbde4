"""Jobs: how far one is, by page and by program. The office sees all, starts, cancels and retries them."""

from typing import Any

from fastapi import Request, Response
from pydantic import BaseModel, Field

from crosstable.office.database import Office
from crosstable.office.jobs import Job, JobKind, NewJob, add_job, cancel, job_of, jobs, retry
from crosstable.office.ledger.journal import Author
from crosstable.web.api.submissions import SECURED, FaultBody, json_reply, problems_of
from crosstable.web.forms import actor_in, in_office, page, went
from crosstable.web.gate import form_of, office_of, text_of
from crosstable.web.policies import Actor
from crosstable.web.problems import Problem
from crosstable.web.routes import API, Policy, Route
from crosstable.web.templating import address

# What the office starts from its page; backups name a folder of the host, and are started there.
STARTED = (JobKind.RATE, JobKind.VERIFY)
MOST = 100


class JobBody(BaseModel):
    """A job as it stands."""

    job: str
    kind: str = Field(description="submit, rate, publish, import, backup or verify.")
    state: str = Field(description="queued, running, done, failed or canceled.")
    by: str
    made: str
    begun: str | None
    ended: str | None
    done: int = Field(description="How far it is: for a run, the sections that are rated.")
    error: str | None
    event: str | None = Field(description="The event of a submission.")
    entry: int | None = Field(description="The journal entry that it wrote: of a submission, its number.")
    accepted: list[int]
    held: list[int]
    run: int | None = Field(description="The rating run that it made.")
    faults: list[FaultBody]


class JobsBody(BaseModel):
    """Jobs, newest first."""

    jobs: list[JobBody]


def job_body(job: Job) -> JobBody:
    """A job as programs read it."""
    said = job.result or {}
    return JobBody(
        job=job.job_id,
        kind=job.kind.value,
        state=job.state.value,
        by=job.author,
        made=job.made.isoformat(timespec="seconds"),
        begun=None if job.begun is None else job.begun.isoformat(timespec="seconds"),
        ended=None if job.ended is None else job.ended.isoformat(timespec="seconds"),
        done=job.done,
        error=job.error,
        event=said.get("event"),
        entry=said.get("entry"),
        accepted=list(said.get("accepted", ())),
        held=list(said.get("held", ())),
        run=said.get("run"),
        faults=[FaultBody(**one) for one in said.get("faults", ())],
    )


def own_job(office: Office, actor: Actor, job_id: str) -> Job:
    """A job that somebody may see: the office all, others those of their affiliate; the rest are not there."""
    found = job_of(office, job_id)
    if found is None or not (actor.is_office or (actor.affiliate and found.affiliate == actor.affiliate)):
        raise Problem(404, "There is no job with this number.")
    return found


def _changeable(office: Office, actor: Actor, job_id: str) -> Job:
    """A job that somebody may cancel or try again: a director those that they submitted."""
    found = own_job(office, actor, job_id)
    if not actor.is_office and found.kind is not JobKind.SUBMIT:
        raise Problem(403, "Only the office cancels a rating run.")
    return found


def own_jobs(office: Office, actor: Actor) -> list[Job]:
    """The newest jobs that somebody may see."""
    return jobs(office, affiliate=None if actor.is_office else actor.affiliate, most=MOST)


def _cancel(office: Office, actor: Actor, job_id: str) -> Job:
    return cancel(office, actor.name, _changeable(office, actor, job_id).job_id)


def _retry(office: Office, actor: Actor, job_id: str) -> Job:
    return retry(office, actor.name, _changeable(office, actor, job_id).job_id)


# Pages.


async def job_page(request: Request, job: str) -> Response:
    """One job; the page asks again by itself while the job is not at its end."""
    actor = actor_in(request)
    found = await in_office(own_job, office_of(request), actor, job)
    reply = page(
        request, "administration/job.html", job=found, faults=_faults(found), may_change=_may_change(actor, found)
    )
    if found.is_open:
        reply.headers["Refresh"] = "2"
    return reply


def _faults(job: Job) -> list[FaultBody]:
    return [FaultBody(**one) for one in (job.result or {}).get("faults", ())]


def _may_change(actor: Actor, job: Job) -> bool:
    return actor.is_office or job.kind is JobKind.SUBMIT


async def cancel_job(request: Request, job: str) -> Response:
    """Cancel a job."""
    await form_of(request)
    found = await in_office(_cancel, office_of(request), actor_in(request), job)
    return went(address("jobs", found.job_id))


async def retry_job(request: Request, job: str) -> Response:
    """Queue a job again that failed."""
    await form_of(request)
    found = await in_office(_retry, office_of(request), actor_in(request), job)
    return went(address("jobs", found.job_id))


async def jobs_page(request: Request) -> Response:
    """The newest jobs, for the office."""
    found = await in_office(own_jobs, office_of(request), actor_in(request))
    return page(request, "administration/jobs.html", jobs=found, started=STARTED)


async def start_job(request: Request) -> Response:
    """Queue a run or a verification."""
    kind = text_of(await form_of(request), "kind")
    if kind not in STARTED:
        raise Problem(422, "kind: rate or verify.")
    author = Author(actor_in(request).name, "asked for on the page of jobs")
    found = await in_office(add_job, office_of(request), NewJob(JobKind(kind), author))
    return went(address("jobs", found.job_id))


# By program.


async def jobs_listed(request: Request) -> Response:
    """The newest jobs of your affiliate."""
    found = await in_office(own_jobs, office_of(request), actor_in(request))
    return json_reply(JobsBody(jobs=[job_body(one) for one in found]))


async def job_state(request: Request, job: str) -> Response:
    """A job of your affiliate as it stands now."""
    found = await in_office(own_job, office_of(request), actor_in(request), job)
    reply = json_reply(job_body(found))
    if found.is_open:
        reply.headers["Retry-After"] = "2"
    return reply


async def job_canceled(request: Request, job: str) -> Response:
    """Cancel a job of your affiliate; one that runs is asked to stop, and stores nothing."""
    return json_reply(job_body(await in_office(_cancel, office_of(request), actor_in(request), job)))


def _described(summary: str, name: str, model: type[BaseModel], *statuses: tuple[int, str]) -> dict[str, Any]:
    return {
        "summary": summary,
        "tags": ["submissions"],
        "response_model": model,
        "operation_id": name,
        "openapi_extra": SECURED,
        "responses": problems_of(*statuses),
    }


_NONE = (404, "There is no such job.")
_ENDED = (409, "The job is at its end already.")
ROUTES = (
    Route("/jobs/{job}", job_page, Policy.TD),
    Route("/jobs/{job}/cancel", cancel_job, Policy.TD, ("POST",)),
    Route("/jobs/{job}/retry", retry_job, Policy.TD, ("POST",)),
    Route("/administration/jobs", jobs_page, Policy.OFFICE),
    Route("/administration/jobs", start_job, Policy.OFFICE, ("POST",)),
    Route(
        f"{API}/jobs",
        jobs_listed,
        Policy.TD,
        in_schema=True,
        options=_described("Jobs, newest first", "jobs_listed", JobsBody),
    ),
    Route(
        f"{API}/jobs/{{job}}",
        job_state,
        Policy.TD,
        in_schema=True,
        options=_described("A job as it stands now", "job_state", JobBody, _NONE),
    ),
    Route(
        f"{API}/jobs/{{job}}/cancel",
        job_canceled,
        Policy.TD,
        ("POST",),
        in_schema=True,
        options=_described("Cancel a job", "job_canceled", JobBody, _NONE, _ENDED),
    ),
)
