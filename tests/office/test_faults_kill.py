"""Kill -9 at any moment of submitting and rating, and Ctrl-C.

No half event, every changed row under its act, and the next run finishes and gives what the fold from zero gives.
"""

import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from crosstable.office.audit import audit
from crosstable.office.ledger.rerate import rerate
from tests.amounts import amount
from tests.office.children import INTERRUPTED, Children
from tests.office.chores import office_at
from tests.office.faults import put_copy
from tests.office.made_office import AUTHOR, derived, posted
from tests.office.small_season import new_season, progress_of, states_from_zero
from tests.office.wholeness import flaws_of

EVENTS = 12
# So many children are ended before it is measured again how long one may live: the machine may be busier by then.
MEASURED_EVERY = 50
CHORES = ("submit_and_rate", "rate_then_go_on")


class Season:
    """An office whose season is played over and over by children that do not live long."""

    def __init__(self, folder: Path, children: Children) -> None:
        self.path = folder / "office.db"
        self.address = str(self.path)
        self.children = children
        self.due = states_from_zero(folder / "oracle.db", EVENTS)
        self._original = new_season(folder / "original.db")
        self._begin()
        children.warm(self.address)
        self._begin()
        self.events = 0
        self.last = ""
        self.lives = 0
        self.longest = 0.0

    def _begin(self) -> None:
        put_copy(self._original, self.path)

    def interrupt(self, chance: Random, with_signal: int) -> int:
        """Let a child work on the season, end it at a random moment, and look at what it left; returns how it ended."""
        if self.lives % MEASURED_EVERY == 0:
            self.longest = self._time_of_an_event()
        self.lives += 1
        if self.events == EVENTS:
            self._begin()
            self.events = 0
        child = self.children.start(chance.choice(CHORES), self.address, self.events, EVENTS)
        ended = self.children.stop(child, chance.uniform(0.0, self.longest), with_signal)
        lock = Path(f"{self.address}.lock")
        self.last = lock.read_text(encoding="utf-8") if lock.exists() else ""
        self.check()
        return ended

    def _time_of_an_event(self) -> float:
        """How long a submission and a run take on this machine just now; a child lives about as long."""
        self._begin()
        began = time.monotonic()
        assert self.children.wait(self.children.start("submit_and_rate", self.address, 0, EVENTS)) == 0
        self.events = EVENTS
        return (time.monotonic() - began) / EVENTS

    def check(self) -> None:
        """Only whole deeds are stored, and every run that finished gave what the fold gives."""
        assert flaws_of(self.address) == []
        self.events, states = progress_of(self.address)
        for events, state in states:
            assert state == self.due[events], f"a run after {events} events"


@pytest.fixture(scope="module")
def children() -> Iterator[Children]:
    with Children() as made:
        yield made


@pytest.mark.parametrize("seed", range(2))
def test_no_kill_leaves_half_an_event_and_the_next_run_equals_the_fold(
    seed: int, tmp_path: Path, children: Children
) -> None:
    season = Season(tmp_path, children)
    chance = Random(seed)
    doing: Counter[str] = Counter()
    kills = amount(60, 5000)
    while doing.total() < kills or min(doing["rating"], doing["submitting"]) <= kills // 10:
        if season.interrupt(chance, signal.SIGKILL) == -signal.SIGKILL:
            # The lock file still says what the dead were doing when they died; nothing between two deeds.
            doing[season.last.partition("(")[2].split(" ")[0]] += 1
    office = office_at(season.address)
    rerate(office, AUTHOR)
    season.check()
    assert posted(office) == derived(office)
    assert audit(office).findings == ()
    office.close()


def test_ctrl_c_leaves_a_state_from_which_the_next_run_goes_on(tmp_path: Path, children: Children) -> None:
    season = Season(tmp_path, children)
    chance = Random(7)
    office = office_at(season.address)
    endings: Counter[int] = Counter()
    while endings.total() < amount(24, 600) or endings[INTERRUPTED] <= amount(8, 200):
        endings[season.interrupt(chance, signal.SIGINT)] += 1
        rerate(office, AUTHOR, patience=0.0)  # whoever the lock file may still name, the lock is free
        season.check()
        assert rerate(office, AUTHOR) is None
    assert posted(office) == derived(office)
    office.close()
    assert set(endings) <= {0, INTERRUPTED}
