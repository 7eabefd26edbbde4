"""Erasing a person of whom jobs speak: files that wait, files and findings of jobs that are over, jobs of a backup."""

import re
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select

from crosstable.errors import OfficeError
from crosstable.office import account_tables
from crosstable.office.accounts import NewAccount, Role, add_account
from crosstable.office.backups import backup, restore
from crosstable.office.database import Office
from crosstable.office.erasing import ERASED, erase_member, erased_members
from crosstable.office.erasure_list import read_list, write_list
from crosstable.office.jobs import (
    Job,
    JobKind,
    JobState,
    NewJob,
    add_job,
    cancel,
    claim,
    content_of,
    end,
    job_of,
    retry,
)
from crosstable.office.submissions import NO_OPTIONS
from crosstable.office.worker import submission_wish
from crosstable.terms import SectionType
from tests.engine.wallcharts import Played
from tests.office.conftest import CopyOf
from tests.office.kept_offices import story
from tests.office.made_office import AUTHOR, HandClock, document, member_id, person, report, section
from tests.office.test_erasing import ASKED, CHILD, ON_BOTH


@pytest.fixture
def club(copy_of: CopyOf) -> Office:
    return copy_of(story)


def queued(office: Office, name: str, number: int, kind: JobKind = JobKind.SUBMIT) -> Job:
    """A job whose file names a member."""
    chart = f"1 =1 | W2 D3 W4\n2 =2 | L1 W4 L3\n3 =3 | W4 D1 W2\n4 ={number} | L3 L2 L1"
    sent = document(report(name, section(chart, Played(kind=SectionType.ROUND_ROBIN))))
    if kind is JobKind.IMPORT:
        content = f"id,name,birth date\n{member_id(number)},{person(number).name},2014-03-09\n".encode()
        return add_job(office, NewJob(kind, AUTHOR, {"name": f"{name}.csv"}, content))
    return add_job(office, NewJob(kind, AUTHOR, submission_wish(sent, "", NO_OPTIONS), sent.content))


def job_bytes(office: Office) -> bytes:
    with office.reading() as connection:
        rows = connection.execute(select(account_tables.job)).all()
    return repr([tuple(bytes(one) if isinstance(one, memoryview) else one for one in row) for row in rows]).encode()


@ON_BOTH
@pytest.mark.parametrize("kind", [JobKind.SUBMIT, JobKind.IMPORT])
def test_nobody_is_erased_whom_a_file_that_waits_names(club: Office, kind: JobKind) -> None:
    job, other = queued(club, "waits", 9, kind), queued(club, "apart", 5)
    with pytest.raises(OfficeError, match=f"a file that waits names member {CHILD}: job {job.job_id}. Let a worker"):
        erase_member(club, ASKED, CHILD)
    with club.reading() as connection:
        assert erased_members(connection) == frozenset()
    cancel(club, "anna", job.job_id)
    assert CHILD.encode() in job_bytes(club)
    erase_member(club, ASKED, CHILD)
    for gone in (CHILD.encode(), b"Jonas 9", b"2014-03-09"):
        assert gone not in job_bytes(club)
    with pytest.raises(OfficeError, match=f"the file of job {job.job_id} is no longer kept; send it again"):
        retry(club, "anna", job.job_id)
    assert content_of(club, other.job_id) is not None, "it names others only"


def test_what_a_failed_job_said_of_an_erased_person_goes(club: Office) -> None:
    """A file that cannot be read may name anybody; the findings of one that was refused may too."""
    unreadable = add_job(club, NewJob(JobKind.SUBMIT, AUTHOR, {"name": "jonas 9, member.json"}, b"{"))
    with pytest.raises(OfficeError, match="a file that waits names member"):
        erase_member(club, ASKED, CHILD)
    taken_up = claim(club, "a worker", [JobKind.SUBMIT])
    assert taken_up is not None
    found = {"faults": [{"message": "Member, Jonas 9 plays twice", "rows": [1, None]}]}
    end(club, taken_up, JobState.FAILED, found, "Member, Jonas 9 plays twice")
    erase_member(club, ASKED, CHILD)
    job = job_of(club, unreadable.job_id)
    assert job is not None
    assert (job.error, job.result) == (
        f"{ERASED} plays twice",
        {"faults": [{"message": f"{ERASED} plays twice", "rows": [1, None]}]},
    )


def test_a_name_that_an_account_has_is_told(club: Office) -> None:
    add_account(club, "anna", NewAccount("jonas", Role.TD, "A1234567", "Jonas 9 Member"), "a long password, indeed")
    assert erase_member(club, ASKED, CHILD).remains == ("account.full_name",)


def test_a_file_that_waits_in_a_backup_does_not_bring_back_who_was_erased_since(club: Office, tmp_path: Path) -> None:
    waits, other = queued(club, "waits", 9), queued(club, "apart", 5)
    backup(club, str(tmp_path / "backup.zip"))
    cancel(club, "anna", waits.job_id)
    erase_member(club, ASKED, CHILD)
    write_list(club, str(tmp_path / "list.erasures"))
    listed = read_list(str(tmp_path / "list.erasures"))
    restore(str(tmp_path / "backup.zip"), str(tmp_path / "restored.db"), HandClock(), listed=listed)
    for path in tmp_path.glob("restored.db*"):
        if path.is_file():
            assert not re.search(rb"Jonas 9(?!\d)", path.read_bytes()), path
    with closing(Office(str(tmp_path / "restored.db"), HandClock())) as restored:
        jobs = [job_of(restored, one.job_id) for one in (waits, other)]
    assert [job and job.state for job in jobs] == [JobState.CANCELED, JobState.QUEUED]
    assert jobs[0] is not None
    assert jobs[0].error == "its file names a person who was erased; send it again without them"
