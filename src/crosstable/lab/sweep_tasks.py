"""What a worker of a sweep does: open the archive by its path, once, and score a few rule sets at a time.

Nothing but paths, days and rule sets goes to a worker, and nothing but sums comes back. A process keeps what it opened
for the tasks that follow. What is wrong comes back as a value, so that every backend tells it alike.
"""

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosstable import __version__
from crosstable.errors import CrosstableError, HistoryError
from crosstable.history.adjustments import Adjustments
from crosstable.history.archive import digest, read
from crosstable.history.index import Index
from crosstable.lab.predictions import games_of, index_beside
from crosstable.lab.sweep_code import code_digest
from crosstable.lab.sweep_lanes import (
    CHOOSING,
    COLUMNS,
    GAMES,
    JUDGING,
    NOT_SCORED,
    SPANS,
    Company,
    Predicted,
    Sums,
    predicted_games,
)
from crosstable.rules.rule_sets import RuleSet

# Where no day is given, so much of all games is for choosing.
CHOOSING_SHARE = 2.0 / 3.0


class Days(NamedTuple):
    """The spans by the days on which sections start: the first that counts, the last for choosing, the last of all."""

    first: date | None = None
    choose_until: date | None = None
    last: date | None = None


class Job(NamedTuple):
    """What is the same for every task of a sweep.

    ``walks_all``: whether every rule set goes through the later span too, or only those that are judged. ``code`` is
    the digest of the code that scores, of whoever gives out the tasks.
    """

    folder: str
    archive: str
    days: Days
    walks_all: bool
    lanes: int
    code: str


class Scores(NamedTuple):
    """What a rule set scored in a span: how many games, deviance and Brier score a game; NaN where there are none."""

    games: int
    deviance: float
    brier: float


NO_SCORES = Scores(0, float("nan"), float("nan"))


class Scored(NamedTuple):
    """The scores of one rule set; those of the later span are of no games where it was not walked."""

    choosing: Scores
    judging: Scores


class Done(NamedTuple):
    """What became of a task: the scores in the order of its rule sets, or why there are none."""

    task: int
    scored: tuple[Scored, ...]
    fault: str


class Opened:
    """A history that is open for scoring, with room for as many threads as ask for it."""

    def __init__(self, job: Job) -> None:
        archive = read(job.folder)
        self.index: Index = index_beside(archive, job.folder)
        games = games_of(archive, self.index, (job.days.first, job.days.last))
        self.start: NDArray[np.int32] = np.asarray(self.index.history.sections["start"][:-1])
        self.days = self._days(job.days, games.section)
        self.predicted: Predicted = predicted_games(games, self.index, self._span())
        self._adjustments = Adjustments(archive, self.index)
        self._lanes = job.lanes
        self._idle: list[Company] = []
        self._lock = threading.Lock()

    def _days(self, days: Days, section: NDArray[np.int32]) -> Days:
        """The days with a day up to which is chosen: the one by which two thirds of all games are played."""
        if days.choose_until is not None or not len(section):
            return days
        played = np.sort(self.start[section])
        day = int(played[int((len(played) - 1) * CHOOSING_SHARE)])
        return days._replace(choose_until=date.fromordinal(day))

    def _span(self) -> NDArray[np.int8]:
        first, until, last = self.days
        span = np.full(len(self.start), JUDGING, dtype=np.int8)
        if until is not None:
            span[self.start <= until.toordinal()] = CHOOSING
        if first is not None:
            span[self.start < first.toordinal()] = NOT_SCORED
        if last is not None:
            span[self.start > last.toordinal()] = NOT_SCORED
        return span

    def end_of(self, span: int) -> int:
        """The section after the last one of a span, in the order of the fold."""
        inside = np.flatnonzero(self.predicted.span == span)
        return int(inside[-1]) + 1 if len(inside) else 0

    def games_in(self, span: int) -> int:
        """How many games are predicted in a span."""
        return int(np.diff(self.predicted.first)[self.predicted.span == span].sum())

    def sums(self, rules: Sequence[RuleSet], end: int) -> list[Sums]:
        """Walk rule sets up to a section."""
        with self._company() as company:
            parts = [rules[at : at + company.width] for at in range(0, len(rules), company.width)]
            return [one for part in parts for one in company.scored(part, end)]

    @contextmanager
    def _company(self) -> Iterator[Company]:
        with self._lock:  # stops are made from the archive's tables, by one thread at a time
            found = self._idle.pop() if self._idle else None
            company = found or Company(self.index, self._adjustments, self.predicted, self._lanes)
        yield company  # one that failed in the middle is not used again
        with self._lock:
            self._idle.append(company)


_opened: dict[Job, Opened] = {}
_opening = threading.Lock()


def opened(job: Job) -> Opened:
    """The history of a job, opened by the first task that needs it; an older one is let go."""
    with _opening:
        if job not in _opened:
            _opened.clear()
            _refuse_others(job)
            _opened[job] = Opened(job)
        return _opened[job]


def _refuse_others(job: Job) -> None:
    """Scores of another archive, or by other code, would be taken for those of this sweep."""
    code = code_digest()
    if code != job.code:
        raise HistoryError(
            f"crosstable {__version__} on {socket.gethostname()} is another one ({code}) than that of this sweep "
            f"({job.code}); every worker needs the same version, and the same Numba"
        )
    found = digest(job.folder)
    if found != job.archive:
        raise HistoryError(
            f"the archive {job.folder} on {socket.gethostname()} is another one ({found[:16]}) than the one of "
            f"this sweep ({job.archive[:16]}); every worker needs the same files under the same path"
        )


def begun(job: Job) -> tuple[Job, Opened]:
    """A job with its days settled, and its history, for whoever gives out the tasks."""
    history = opened(job)
    job = job._replace(days=history.days)
    with _opening:
        _opened[job] = history
    return job, history


def forget() -> None:
    """Let go of what was opened."""
    with _opening:
        _opened.clear()


def score(job: Job, task: int, rules: Sequence[RuleSet]) -> Done:
    """Score some rule sets."""
    return attempt(task, lambda: _scored(job, rules))


def _scored(job: Job, rules: Sequence[RuleSet]) -> tuple[Scored, ...]:
    history = opened(job)
    if job.walks_all:
        return tuple(scored_from(one) for one in history.sums(rules, history.index.sections))
    # Spans go by the day a section starts, the walk by the day it ends: it meets some of the later span on its way, and
    # a score of a fragment would look like one of the whole.
    found = [scored_from(one) for one in history.sums(rules, history.end_of(CHOOSING))]
    return tuple(one._replace(judging=NO_SCORES) for one in found)


def attempt(task: int, work: Callable[[], tuple[Scored, ...]]) -> Done:
    """What work gives, or why it gives nothing."""
    try:
        return Done(task, work(), "")
    except (CrosstableError, OSError) as error:
        return Done(task, (), str(error) or type(error).__name__)


def scored_from(sums: Sums) -> Scored:
    """Scores a game, of both spans."""
    assert sums.totals.shape == (SPANS, COLUMNS)
    return Scored(*(_scores(row) for row in sums.totals.tolist()))


def _scores(row: list[float]) -> Scores:
    games = int(row[GAMES])
    if not games:
        return NO_SCORES
    return Scores(games, row[GAMES + 1] / games, row[GAMES + 2] / games)
