"""Kill -9 of the backend that rates, and of the whole PostgreSQL server, with everything flushed to disk.

No half event, every changed row under its act, a message that is no stack of calls, and after the recovery the next
run gives what the fold from zero gives.
"""

import os
import signal
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import psycopg

from crosstable.office.ledger.rerate import rerate
from tests.amounts import amount
from tests.office.children import REFUSED, Children
from tests.office.chores import office_at
from tests.office.made_office import AUTHOR, club, derived, posted
from tests.office.postgres import Server, connected
from tests.office.small_season import progress_of, states_from_zero
from tests.office.wholeness import flaws_of
from tests.waiting import until

BACKENDS = amount(6, 1000)
SERVERS = amount(2, 200)
# More than a child can get through before it is killed.
EVENTS = 24
LONGEST = 0.2
AT_WORK = "SELECT pid FROM pg_stat_activity WHERE application_name LIKE '%is at work%' AND state <> 'idle'"


class Season:
    """An office on a server that does not live long, however often its season begins anew."""

    def __init__(self, folder: Path, server: Server, children: Children) -> None:
        self.server = server
        self.children = children
        self.due = states_from_zero(folder / "oracle.db", EVENTS)
        self._databases = 0
        self.begin()

    def begin(self) -> None:
        """A new database with the club before its first event."""
        self._databases += 1
        self.address = self.server.new_database(f"season{self._databases}")
        club(self.address).close()
        self.events = 0

    def start(self) -> int:
        """A child that goes on with the season."""
        if self.events > EVENTS // 2:
            self.begin()
        return self.children.start("submit_and_rate", self.address, self.events, EVENTS)

    def check(self) -> None:
        """When the server is back: only whole deeds are stored, and every run gave what the fold gives."""
        connected(self.address).close()
        assert flaws_of(self.address) == []
        self.events, states = progress_of(self.address)
        for events, state in states:
            assert state == self.due[events], f"a run after {events} events"

    def finish(self) -> None:
        """The last run equals the fold."""
        office = office_at(self.address)
        rerate(office, AUTHOR)
        self.check()
        assert posted(office) == derived(office)
        office.close()


def test_no_kill_of_a_backend_or_of_the_server_leaves_half_an_event(tmp_path: Path) -> None:
    chance = Random(3)
    with Server(is_safe=True) as server, Children() as children:
        season = Season(tmp_path, server, children)
        for kill, times in ((kill_backend, BACKENDS), (kill_server, SERVERS)):
            for _ in range(times):
                assert ending(season, kill, chance) == REFUSED, "a client was not told what happened and what to do"
        season.finish()


def ending(season: Season, kill: Callable[[Season, int, float], None], chance: Random) -> int:
    """How a child ended whose server was killed under it; one that had finished before is followed by another."""

    def ended() -> int:
        child = season.start()
        kill(season, child, chance.uniform(0.0, LONGEST))
        code = season.children.wait(child)
        season.check()
        return code

    return until(ended)


def kill_backend(season: Season, child: int, after: float) -> None:
    """Kill the session that writes; the server then ends all others, this one too, and recovers."""
    with closing(connected(season.address)) as watching:
        pids: list[tuple[object, ...]] = []
        while not pids and not season.children.is_over(child):
            time.sleep(after)
            pids = watching.execute(AT_WORK).fetchall()
        if not pids:
            return
        os.kill(int(str(pids[0][0])), signal.SIGKILL)
        until(lambda: not _answers(watching))  # before that, it may give others connections that do not last


def _answers(connection: psycopg.Connection[tuple[object, ...]]) -> bool:
    try:
        connection.execute("SELECT 1")
    except psycopg.OperationalError:
        return False
    return True


def kill_server(season: Season, child: int, after: float) -> None:
    """Kill the postmaster; its backends notice and go, and a new one starts only when they are gone."""
    time.sleep(after)
    process = season.server.process
    backends = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split()
    process.kill()
    process.wait()
    until(lambda: not any(Path(f"/proc/{backend}").exists() for backend in backends))
    season.server.start()
