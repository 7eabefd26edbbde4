"""An office to which anything may happen, in any order: what is stored equals rating everything from zero.

The number of stories is small enough for every change; ``make soak`` plays more, others each time.
"""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from crosstable.office.database import Office
from tests.amounts import IS_SOAK, amount
from tests.office.conftest import Cluster
from tests.office.machine import OfficeMachine, populate
from tests.office.made_office import HandClock, filled

# Offices take a file or a database each; hypothesis may find that slow, and is right.
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]

# A story that fails is made shorter for up to five minutes before it is told.

Maker = Callable[[HandClock], Office]


def play(maker: Maker, stories: int, soak: int, steps: int) -> None:
    run_state_machine_as_test(
        cast(Any, lambda: OfficeMachine(maker)),  # a maker of machines will do
        settings=settings(
            max_examples=amount(stories, soak),
            stateful_step_count=steps,
            derandomize=not IS_SOAK,
            suppress_health_check=SLOW,
            report_multiple_bugs=False,
        ),
    )


@pytest.fixture
def on_sqlite(tmp_path: Path) -> Maker:
    numbers = count(1)

    def make(clock: HandClock) -> Office:
        path = tmp_path / f"office-{next(numbers)}.db"
        path.write_bytes(filled(populate))
        return Office(str(path), clock)

    return make


@pytest.fixture
def on_postgresql(cluster: Cluster) -> Iterator[Maker]:
    taken: list[str] = []

    def make(clock: HandClock) -> Office:
        while taken:  # the office of the story before this one
            cluster.give_back(taken.pop())
        taken.append(cluster.take(populate))
        return Office(taken[-1], clock)

    yield make
    cluster.give_back(taken.pop())


def test_whatever_happens_what_is_stored_follows_from_the_facts(on_sqlite: Maker) -> None:
    play(on_sqlite, stories=2, soak=100, steps=25)


def test_whatever_happens_what_is_stored_follows_from_the_facts_on_postgresql(on_postgresql: Maker) -> None:
    play(on_postgresql, stories=1, soak=20, steps=25)
