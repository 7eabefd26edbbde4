"""Two rating runs started at once.

The second waits, or is refused with the name of the first; nothing is rated twice, and nobody holds the office after
their death.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from crosstable.errors import OfficeBusyError
from crosstable.office.database import Office
from crosstable.office.ledger.journal import Author
from crosstable.office.ledger.rerate import Run, rerate
from crosstable.office.submissions import submit
from tests.amounts import amount
from tests.office.children import Children
from tests.office.faults import address_of, raw
from tests.office.made_office import AUTHOR, club_members, derived, join, posted
from tests.office.small_season import TODAY, file_number
from tests.office.wholeness import flaws_of
from tests.waiting import FOR_EVER, until

# Both get up at this distance from the order, so that they really start at once.
AHEAD = 0.015
AT_ONCE = 0.0
LONG_ENOUGH = FOR_EVER
PAIRS = {"sqlite": amount(12, 800), "postgresql": amount(5, 200)}
NAMES = ("Ada", "Boris")


@pytest.fixture(scope="module")
def children() -> Iterator[Children]:
    with Children() as made:
        yield made


@pytest.fixture
def season(office: Office) -> Office:
    """A club with its first event submitted."""
    join(office, *club_members())
    submit(office, AUTHOR, file_number(1), TODAY)
    return office


def test_a_second_run_is_refused_with_the_name_of_the_first(season: Office) -> None:
    other = Office(address_of(season), season.clock)
    refused: list[str] = []

    def meanwhile(done: int) -> None:
        with pytest.raises(OfficeBusyError) as refusal:
            rerate(other, Author("Boris", "impatient"), patience=AT_ONCE)
        refused.append(str(refusal.value))

    assert rerate(season, Author("Ada", "first"), meanwhile) is not None
    assert len(refused) == 1
    assert "Ada is at work (rating run, process " in refused[0]
    assert rerate(other, Author("Boris", "impatient"), patience=AT_ONCE) is None, (
        "everything is rated, and nobody is at work"
    )


def test_a_second_run_waits_and_finds_nothing_left_to_rate(season: Office) -> None:
    found: list[Run | None] = []
    second = threading.Thread(target=lambda: found.append(rerate(season, Author("Boris", "patient"))))

    def meanwhile(done: int) -> None:
        second.start()
        second.join(0.2)
        assert second.is_alive(), "the second run did not wait"

    assert rerate(season, Author("Ada", "first"), meanwhile) is not None
    second.join()
    assert found == [None]


@pytest.mark.parametrize("patience", [LONG_ENOUGH, AT_ONCE], ids=["waiting", "impatient"])
def test_of_two_runs_started_at_once_one_rates(
    store: str, patience: float, season: Office, tmp_path: Path, children: Children
) -> None:
    told: Counter[str] = Counter()
    address = address_of(season)
    children.warm(address)
    for pair in count():
        is_enough = pair >= PAIRS[store]
        # An impatient one is refused sooner or later; on a busy machine two that start at once seldom meet.
        if is_enough and (len(told) > 2 or patience > AT_ONCE):
            break
        submit(season, AUTHOR, file_number(2 + pair), TODAY)
        answers = both_at_once(children, address, patience, tmp_path)
        told.update(answers.values())
        assert list(answers.values()).count("rated") == 1, answers
        for answer in answers.values():
            if answer not in ("rated", "nothing to rate"):
                assert patience == AT_ONCE
                # the other one, or one of the pair before whose connection the server has not yet let go
                assert any(f"{name} is at work (rating run" in answer for name in NAMES), answer
    assert told["rated"] == pair
    assert posted(season) == derived(season)
    assert flaws_of(address) == []


def both_at_once(children: Children, address: str, patience: float, folder: Path) -> dict[str, str]:
    """Start two runs at once in two processes; returns what each was told."""
    moment = time.monotonic() + AHEAD
    started = [children.start("rate_at", address, name, moment, patience, str(folder / name)) for name in NAMES]
    assert [children.wait(child) for child in started] == [0, 0]
    return {name: (folder / name).read_text(encoding="utf-8") for name in NAMES}


def test_threads_of_one_process_rate_one_after_the_other(season: Office) -> None:
    start = threading.Barrier(2)

    def rate() -> bool:
        start.wait()
        return rerate(season, AUTHOR) is not None

    with ThreadPoolExecutor(2) as threads:
        for pair in range(amount(5, 100)):
            submit(season, AUTHOR, file_number(2 + pair), TODAY)
            started = [threads.submit(rate) for _ in NAMES]
            assert sorted(one.result() for one in started) == [False, True]
    assert flaws_of(address_of(season)) == []


def test_the_office_is_free_again_when_its_holder_is_killed(season: Office, tmp_path: Path, children: Children) -> None:
    sign = tmp_path / "holding"
    child = children.start("hold", address_of(season), "Ada", str(sign))
    until(sign.exists)
    with pytest.raises(OfficeBusyError, match="Ada is at work"):
        rerate(season, AUTHOR, patience=AT_ONCE)
    assert children.stop(child, 0.0) < 0
    # A server learns of the death through the socket; a file's lock is gone with the process.
    patience = AT_ONCE if "://" not in address_of(season) else LONG_ENOUGH
    assert rerate(season, AUTHOR, patience=patience) is not None
    assert posted(season) == derived(season)


def test_of_two_who_found_an_office_at_once_one_does(address: str, tmp_path: Path, children: Children) -> None:
    moment = time.monotonic() + AHEAD
    started = [children.start("found_at", address, name, moment, str(tmp_path / name)) for name in NAMES]
    assert [children.wait(child) for child in started] == [0, 0]
    told = sorted((tmp_path / name).read_text(encoding="utf-8") for name in NAMES)
    assert told[0] == "founded"
    assert "there is an office" in told[1]
    with raw(address) as connection:
        assert connection.rows("SELECT kind FROM act") == [("founded",)]
