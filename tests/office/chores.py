"""What children do in an office: submit, rate, hold the office, all at once with others."""

import json
import os
import resource
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from crosstable.errors import OfficeBusyError, OfficeError
from crosstable.office import jobs
from crosstable.office.audit import Kept, verify
from crosstable.office.backups import backup
from crosstable.office.database import Office
from crosstable.office.founding import found_office
from crosstable.office.ledger.journal import Author
from crosstable.office.ledger.rerate import rerate
from crosstable.office.ledger.runs import Watch
from crosstable.office.published import Month
from crosstable.office.submissions import Status, submit
from crosstable.office.supplements import Basis, publish
from crosstable.office.upgrading import upgrade_office
from crosstable.office.worker import Worker
from tests.office.crowd import Turn, file_of
from tests.office.made_office import AUTHOR, HandClock
from tests.office.small_season import TODAY, file_number

_MANY_FILES = 20
_FOR_EVER = 3600.0

# Offices by address: what was compiled once is there for every child.
_offices: dict[str, Office] = {}


def office_at(address: str) -> Office:
    """An office, the same one for every call of this process and of its children."""
    if address not in _offices:
        _offices[address] = Office(address, HandClock())
    return _offices[address]


def warm(address: str) -> None:
    """Submit and rate the first event, so that what is imported and compiled is there for all children.

    Polars starts threads when it is first used, which no child would inherit; so a child rates.
    """
    import crosstable.office.bulk.run  # noqa: F401

    for number in range(_MANY_FILES):
        file_number(number)
    done = submit(office_at(address), AUTHOR, file_number(0), TODAY)
    assert done.status is Status.ACCEPTED, done
    office_at(address).close()
    child = os.fork()
    if child == 0:
        rerate(office_at(address), AUTHOR)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def submit_and_rate(address: str, first: int, end: int) -> None:
    """Submit one event after the other and rate after each."""
    office = office_at(address)
    for number in range(first, end):
        done = submit(office, AUTHOR, file_number(number), TODAY)
        assert done.status is Status.ACCEPTED, done
        rerate(office, AUTHOR)


def rate_then_go_on(address: str, first: int, end: int) -> None:
    """Finish what is pending, then go on as above."""
    rerate(office_at(address), AUTHOR)
    submit_and_rate(address, first, end)


def submit_in_small_files(address: str, number: int, most: int) -> None:
    """Submit an event while no file may be written beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        done = submit(office_at(address), AUTHOR, file_number(number), TODAY)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))  # what is printed may go into a file, too
    assert done.status is Status.ACCEPTED, done


def rate_at(address: str, who: str, moment: float, patience: float, answer: str) -> None:
    """Start a run at a moment and write down what came of it."""
    time.sleep(max(0.0, moment - time.monotonic()))
    try:
        run = rerate(office_at(address), Author(who, "two at once"), patience=patience)
        told = "nothing to rate" if run is None else "rated"
    except OfficeBusyError as error:
        told = str(error)
    Path(answer).write_text(told, encoding="utf-8")


def found_at(address: str, who: str, moment: float, answer: str) -> None:
    """Found an office at a moment and write down what came of it."""
    time.sleep(max(0.0, moment - time.monotonic()))
    try:
        found_office(address, "Office", Author(who, "two at once")).close()
        told = "founded"
    except OfficeError as error:
        told = str(error)
    Path(answer).write_text(told, encoding="utf-8")


def hold(address: str, who: str, sign: str) -> None:
    """Be in the middle of a run and never get on; the file ``sign`` says that it has begun."""

    def stay(done: int) -> None:
        Path(sign).touch()
        time.sleep(_FOR_EVER)

    rerate(office_at(address), Author(who, "holds"), stay)


def submit_with_others(address: str, plan: str, answer: str) -> None:
    """Be several clients at once, one per thread; the file ``answer`` gets what each was told."""
    office = office_at(address)
    told: list[tuple[int, int, str]] = []
    failures: list[BaseException] = []

    def client(turns: Sequence[Turn]) -> None:
        try:
            for turn in turns:
                done = submit(office, AUTHOR, file_of(turn), TODAY)
                told.append((*turn, done.status.value))
        except BaseException as error:
            failures.append(error)
            raise

    planned = json.loads(Path(plan).read_text(encoding="utf-8"))
    threads = [threading.Thread(target=client, args=([Turn(*turn) for turn in turns],)) for turns in planned]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    Path(answer).write_text(json.dumps(told), encoding="utf-8")


def keep_rating(address: str, runs: int, pause: float) -> None:
    """Rate what has come in, now and then."""
    for _ in range(runs):
        time.sleep(pause)
        rerate(office_at(address), AUTHOR)


def publish_one(address: str, year: int, month: int) -> None:
    """Publish a supplement of everything that is rated."""
    publish(office_at(address), AUTHOR, Month(year, month), Basis.NOW)


def back_up(address: str, path: str) -> None:
    """Write the office into a file."""
    backup(office_at(address), path)


def take_archive(address: str, folder: str) -> None:
    """Import an archive into an office that was only just made."""
    from crosstable.office.bulk.archive_in import import_archive

    import_archive(office_at(address), AUTHOR, folder)


def verify_from(address: str, notes: str) -> None:
    """Verify, and go on where a verify was stopped."""
    assert verify(address, Kept(resume=notes)).findings == ()


def bring_up_to_date(address: str) -> None:
    """Upgrade an older office."""
    upgrade_office(address, AUTHOR, HandClock())


def rate_in_parts(address: str, sign: str) -> None:
    """Be in the middle of a compiled run that hands over two sections at a time, and never get on."""
    from crosstable.office.bulk import checkpoints, compiled

    compiled.BLOCK = 2
    office = office_at(address)
    folder = Path(checkpoints.folder_of(office))

    def stay(done: int) -> None:
        if len([*folder.glob("*/*.zip")]) > 1:
            Path(sign).touch()
            time.sleep(_FOR_EVER)

    rerate(office, AUTHOR, watch=Watch(stay, long=0))


def do_jobs(address: str, minutes: int) -> None:
    """Be a worker, some minutes after the others, until nothing waits."""
    office, clock = office_at(address), HandClock()
    clock.go(minutes=minutes)
    office.clock = clock
    jobs.MOST_TRIES = 1_000_000
    worker = Worker(office)
    while worker.step():
        pass


CHORES: dict[str, Callable[..., None]] = {
    chore.__name__: chore
    for chore in (
        submit_and_rate,
        rate_then_go_on,
        submit_in_small_files,
        rate_at,
        found_at,
        hold,
        submit_with_others,
        keep_rating,
        publish_one,
        back_up,
        take_archive,
        verify_from,
        bring_up_to_date,
        rate_in_parts,
        do_jobs,
    )
}
