"""Kill -9 of a worker at any moment of its jobs: another one takes them up, nothing is lost, nothing comes twice."""

import signal
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import func, select

from crosstable.office import account_tables
from crosstable.office.audit import audit
from crosstable.office.database import Office
from crosstable.office.jobs import JobKind, JobState, NewJob, add_job, jobs
from crosstable.office.ledger.journal import EntryKind, acts
from crosstable.office.submissions import NO_OPTIONS
from crosstable.office.worker import submission_wish
from tests.amounts import amount
from tests.office.children import Children
from tests.office.conftest import Cluster
from tests.office.made_office import AUTHOR, HandClock, club, derived, posted
from tests.office.small_season import file_number, new_season
from tests.office.wholeness import flaws_of

EVENTS = 8


@pytest.fixture(scope="module")
def children() -> Iterator[Children]:
    with Children() as made:
        yield made


def queue_all(office: Office) -> None:
    """Every event of the season as a job."""
    for number in range(EVENTS):
        sent = file_number(number)
        add_job(office, NewJob(JobKind.SUBMIT, AUTHOR, submission_wish(sent, "", NO_OPTIONS), sent.content))


def check_all_done(address: str) -> None:
    """Each event came once, each job is done, and the ratings are those that follow from the record."""
    with closing(Office(address, HandClock())) as office:
        assert [one.state for one in jobs(office) if one.state is not JobState.DONE] == []
        with office.reading() as connection:
            found = list(acts(connection))
            effects = connection.execute(select(func.count()).select_from(account_tables.finished_job)).scalar()
        submitted = [entry.subject for entry in found if entry.kind is EntryKind.SUBMIT]
        assert sorted(submitted) == [f"event-{number:04}" for number in range(EVENTS)]
        assert effects == EVENTS
        assert found[-1].kind is EntryKind.RATE
        assert posted(office) == derived(office)
        assert audit(office).findings == ()


def test_a_killed_worker_loses_nothing_and_nothing_comes_twice(
    store: str, tmp_path: Path, children: Children, request: pytest.FixtureRequest
) -> None:
    chance, kills, rounds = Random(25), 0, 0
    children.warm(str(new_season(tmp_path / "warm.db")))
    longest = 0.0
    while kills < (amount(3, 100) if store == "sqlite" else amount(1, 30)):
        rounds += 1
        address = str(tmp_path / f"office-{rounds}.db")
        if store == "postgresql":
            cluster: Cluster = request.getfixturevalue("cluster")
            address = cluster.empty()
        with closing(club(address)) as office:
            queue_all(office)
        minutes, is_over = 0, False
        if not longest:  # how long a worker needs on this machine just now
            began = time.monotonic()
            assert children.wait(children.start("do_jobs", address, minutes)) == 0
            longest = time.monotonic() - began
            check_all_done(address)
            continue
        while not is_over:
            minutes += 1
            child = children.start("do_jobs", address, minutes)
            ended = children.stop(child, chance.uniform(0.0, longest), signal.SIGKILL)
            assert ended in (0, -signal.SIGKILL)
            kills += ended != 0
            assert flaws_of(address) == []
            is_over = ended == 0
        check_all_done(address)
