"""Runs: what one did and which was the last, as they are recorded, and how one is watched while it goes on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from time import perf_counter
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from crosstable.engine import RatedSection
from crosstable.office import tables
from crosstable.office.ledger.postings import Key
from crosstable.terms import PlayerRating, RatingSystem

# How postings are encoded for their digests; runs of before wrote nothing and took JSON.
DIGESTS = 2


class RatingChange(NamedTuple):
    """What a run did to one member's rating in one system: the record before and after, by which sections and why."""

    member_id: str
    system: RatingSystem
    before: PlayerRating | None
    after: PlayerRating | None
    sections: tuple[tuple[str, int], ...]
    causes: tuple[int, ...]


class Run(NamedTuple):
    """A run as it was posted."""

    act: int
    sections: int
    postings: int
    ripple: Sequence[RatingChange]
    unratable: Mapping[Key, str]


def last_run(connection: Connection, through: int | None = None) -> int:
    """The journal entry of the newest run, or of the newest up to an entry; 0 where none was."""
    query = select(func.max(tables.run.c.act))
    return connection.execute(query if through is None else query.where(tables.run.c.act <= through)).scalar() or 0


Progress = Callable[[int], None]
# A run that reaches more steps than this is compiled, where the compiled code is there or can be made.
LONG = 600
# Where the compiled code is there already, of more steps than this: it reads what is posted about everybody.
SOME = 300
# Where it is not there yet: compiling takes 20 s of processor time, in which more steps than this are interpreted.
UNCOMPILED = 2_000


def can_compile() -> bool:
    """Whether the compiler is installed; an office without it interprets everything."""
    return find_spec("numba") is not None


def in_silence(done: int) -> None:
    """Progress that nobody watches."""


# A section in each of its systems.
RatedInSystems = tuple[RatedSection, ...]


class StageClock:
    """Seconds by stage; what is timed inside a stage counts there and not around it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inside = 0.0

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Time a stage."""
        began, around = perf_counter(), self._inside
        self._inside = 0.0
        yield
        whole = perf_counter() - began
        self.seconds[name] = self.seconds.get(name, 0.0) + whole - self._inside
        self._inside = around + whole


class Watch(NamedTuple):
    """Who is told how far a run has come and how long it took, and after how many steps it is compiled.

    ``checked`` has sections that were rated just now; they are not rated again where they bring the same. A run that is
    ``is_alone`` in its transaction keeps what it works out, for whoever takes it up if it is interrupted.
    """

    progress: Progress = in_silence
    clock: StageClock = StageClock()
    long: int = LONG
    checked: Sequence[RatedInSystems] = ()
    is_alone: bool = False
