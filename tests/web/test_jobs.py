"""While somebody writes the record: people log in and out, and submissions are taken, stored and rated later."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from crosstable.office import worker
from crosstable.office.jobs import JobKind, JobState, NewJob, add_job, cancel, job_of, jobs
from crosstable.office.ledger.journal import Author, EntryKind, acts
from crosstable.office.ledger.rerate import last_run
from crosstable.office.worker import Worker
from crosstable.web import acting
from tests.office.made_office import document, quad
from tests.web.people import OWN, PASSWORD, TODAY, Site, event_file, site


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(acting, "AT_ONCE", 0.02)
    with site(tmp_path) as found:
        yield found


@contextmanager
def a_long_run(here: Site) -> Iterator[None]:
    """Somebody holds the record, as long as this lasts."""
    with here.office.writing("registrar", "a long run"):
        yield


def kinds(here: Site) -> list[EntryKind]:
    with here.office.reading() as connection:
        return [entry.kind for entry in acts(connection)]


def work(here: Site) -> None:
    one = Worker(here.office)
    while one.step():
        pass


def test_people_log_in_and_out_while_the_record_is_held(here: Site) -> None:
    with a_long_run(here):
        mark = here.form_mark()
        reply = here.client.post("/login", data={"mark": mark, "name": "tina", "password": PASSWORD})
        assert (reply.status_code, reply.headers["location"]) == (303, "/my-events")
        assert here.client.get("/account").status_code == 200
        mark = here.come_in("tina")
        assert here.client.post("/logout", data={"mark": mark}).status_code == 303
        assert here.client.get("/account").status_code == 303
        assert here.client.get("/").status_code == 200


def test_a_submission_is_taken_while_the_record_is_held_and_rated_afterwards(here: Site) -> None:
    token, content = here.token("tina"), document(quad("late", TODAY)).content
    before = kinds(here)
    with a_long_run(here):
        reply = here.client.post("/api/v1/submissions?name=late.json", content=content, headers=token)
        assert reply.status_code == 202
        told = reply.json()
        assert (told["status"], told["submission"], told["run"]) == ("queued", 0, None)
        address = reply.headers["location"]
        assert address == told["job"]["address"]
        state = here.client.get(address, headers=token)
        assert (state.json()["state"], state.headers["retry-after"]) == ("queued", "2")
        assert kinds(here) == before
    work(here)
    state = here.client.get(address, headers=token)
    assert (state.json()["state"], state.json()["event"], state.json()["accepted"]) == ("done", "late", [1])
    assert "retry-after" not in state.headers
    found = here.client.get(f"/api/v1/submissions/{state.json()['entry']}", headers=token).json()
    assert [one["is_rated"] for one in found["sections"]] == [True]
    assert kinds(here) == [*before, EntryKind.SUBMIT, EntryKind.RATE]
    listed = here.client.get("/api/v1/jobs", headers=token).json()["jobs"]
    assert {one["kind"] for one in listed} == {"submit", "rate"}


def test_who_does_not_want_to_wait_says_so(here: Site) -> None:
    headers, content = {**here.token("tina"), "Prefer": "respond-async"}, document(quad("late", TODAY)).content
    reply = here.client.post("/api/v1/submissions?name=late.json", content=content, headers=headers)
    assert (reply.status_code, reply.headers["preference-applied"]) == (202, "respond-async")
    work(here)
    again = here.client.post("/api/v1/submissions?name=late.json", content=content, headers=headers)
    assert (again.status_code, again.json()["status"]) == (200, "known")
    wrong = document(quad("an event")).content
    refused = here.client.post("/api/v1/submissions?name=wrong.json", content=wrong, headers=headers)
    assert (refused.status_code, refused.json()["faults"][0]["code"]) == (422, "event-id-shape")


def test_a_submission_that_is_stored_while_the_next_run_must_wait_names_the_job(
    here: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acting, "MOST_AHEAD", -1)
    reply = here.client.post(
        "/api/v1/submissions?name=late.json", content=document(quad("late", TODAY)).content, headers=here.token("tina")
    )
    assert (reply.status_code, reply.json()["run"], reply.json()["job"]["state"]) == (201, None, "queued")
    work(here)
    assert kinds(here)[-1] is EntryKind.RATE


def test_the_page_of_a_job_shows_how_it_goes(here: Site) -> None:
    mark = here.come_in("tina")
    with a_long_run(here):
        reply = here.client.post("/upload/submit", data={"mark": mark}, files=[event_file(quad("late", TODAY))])
        assert reply.status_code == 303
        place = reply.headers["location"]
        assert place.startswith("/jobs/")
        shown = here.client.get(place)
        assert (shown.status_code, shown.headers["refresh"]) == (200, "2")
        assert "Queued" in shown.text
        assert place in here.client.get("/my-events").text
    work(here)
    shown = here.client.get(place)
    assert "refresh" not in shown.headers
    assert "/my-events/late" in shown.text
    assert here.client.get("/my-events/late").status_code == 200
    assert place not in here.client.get("/my-events").text


def test_a_job_is_seen_and_canceled_by_its_affiliate_and_the_office_alone(here: Site) -> None:
    mark = here.come_in("tina")
    with a_long_run(here):
        place = here.client.post(
            "/upload/submit", data={"mark": mark}, files=[event_file(quad("late", TODAY))]
        ).headers["location"]
    job = place.rpartition("/")[2]
    for name, status in (("otto", 404), ("anna", 200), ("clara", 200)):
        here.come_in(name)
        assert here.client.get(place).status_code == status, name
    mark = here.come_in("otto")
    assert here.client.post(f"{place}/cancel", data={"mark": mark}).status_code == 404
    mark = here.come_in("tina")
    assert here.client.post(f"{place}/cancel", data={"mark": mark}).status_code == 303
    assert "Canceled" in here.client.get(place).text
    assert here.client.post(f"{place}/cancel", data={"mark": mark}).status_code == 409
    work(here)
    assert kinds(here)[-1] is not EntryKind.SUBMIT
    assert here.client.post(f"{place}/retry", data={"mark": mark}).status_code == 303
    found = job_of(here.office, job)
    assert found is not None
    assert found.state is JobState.QUEUED
    told = here.client.post(f"/api/v1/jobs/{job}/cancel", headers=here.token("tina")).json()
    assert told["state"] == "canceled"


def test_a_director_cancels_no_run(here: Site) -> None:
    job = add_job(here.office, NewJob(JobKind.RATE, Author("tina", ""), affiliate=OWN))
    mark = here.come_in("tina")
    assert here.client.get(f"/jobs/{job.job_id}").status_code == 200
    assert here.client.post(f"/jobs/{job.job_id}/cancel", data={"mark": mark}).status_code == 403
    cancel(here.office, "anna", job.job_id)


def test_the_office_starts_a_run_and_a_verification(here: Site) -> None:
    mark = here.come_in("anna")
    assert "None." in here.client.get("/administration/jobs").text
    for kind in ("rate", "verify"):
        place = here.client.post("/administration/jobs", data={"mark": mark, "kind": kind}).headers["location"]
        assert here.client.get(place).status_code == 200
    assert here.client.post("/administration/jobs", data={"mark": mark, "kind": "backup"}).status_code == 422
    work(here)
    assert [one.state for one in jobs(here.office)] == [JobState.DONE] * 2
    assert "done" in here.client.get("/administration/jobs").text
    with here.office.reading() as connection:
        assert last_run(connection)


def test_the_figures_count_jobs(here: Site) -> None:
    add_job(here.office, NewJob(JobKind.VERIFY, Author("anna", "")))
    found = here.client.get("/metrics").text
    if "crosstable_jobs" in found:  # a test client has no address, so it may be refused
        assert 'crosstable_jobs{state="queued"} 1.0' in found
    assert worker.WORK.keys() == set(JobKind)


NEWCOMER = b"id,name,OTBR rating,OTBR as of\n20000001,Newcomer Nora,1500,2026-01-01\n"


def test_members_of_the_form_are_imported_by_a_job_while_the_record_is_held(here: Site) -> None:
    mark = here.come_in("anna")
    with a_long_run(here):
        reply = here.client.post("/administration/members", data={"mark": mark, "text": NEWCOMER.decode()})
        assert (reply.status_code, reply.headers["location"][:6]) == (303, "/jobs/")
    work(here)
    shown = here.client.get(reply.headers["location"]).text
    assert "Done" in shown
    assert "1 new member" in shown
    assert kinds(here)[-1] is EntryKind.MEMBERS, "and no starting rating, which takes two people on a site"
