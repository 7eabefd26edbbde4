"""The tasks of a sweep and where they run: threads of this process, processes, a Dask or a Ray cluster, through joblib.

A worker opens the archive by its path, once, and scores a few rule sets at a time. Nothing but paths, days and rules
goes to a worker, and nothing but sums comes back; what is wrong comes back as a value, so that every backend tells it
alike. A worker that dies takes its tasks with it; they are given to others, and only when that happens again and again
does the sweep give up. Whatever the backend, the scores are the same.
"""

import hashlib
import logging
import os
import socket
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

import crosstable
from crosstable import __version__
from crosstable.errors import CrosstableError, HistoryError, install_line
from crosstable.history.adjustments import Adjustments
from crosstable.history.archive import digest, read
from crosstable.history.index import Index
from crosstable.history.kernel.compiling import sources_digest
from crosstable.lab.known_systems import OtherSystem
from crosstable.lab.predictions import games_of, in_span, index_beside
from crosstable.lab.sweep_lanes import (
    BRIER,
    CHOOSING,
    COLUMNS,
    DEVIANCE,
    GAMES,
    JUDGING,
    NOT_SCORED,
    RATED,
    RATED_GAMES,
    SPANS,
    Company,
    Predicted,
    Sums,
    predicted_games,
)
from crosstable.lab.sweep_systems import Learning, learning_from
from crosstable.machine import processors
from crosstable.rules.rule_sets import RuleSet

# What scores depend on beside what is compiled: how a history is laid out, which games are predicted, what is summed.
_LAB = ("predictions", "systems", "known_systems", "sweep_lanes", "sweep_systems", "sweep_tasks")
SCORING = ("history", "replaying.py", *(f"lab/{name}.py" for name in _LAB))


@cache
def code_digest() -> str:
    """A hash of the version, of every source that the scores depend on, and of the compiler."""
    return hashlib.sha256(f"{crosstable.__version__}\0{sources_digest(*SCORING)}".encode()).hexdigest()[:16]


# Where no day is given, so much of all games is for choosing.
CHOOSING_SHARE = 2.0 / 3.0


class Days(NamedTuple):
    """The spans by the days on which sections start: the first that counts, the last for choosing, the last of all."""

    first: date | None = None
    choose_until: date | None = None
    last: date | None = None


class Job(NamedTuple):
    """What is the same for every task of a sweep.

    ``judges_all``: whether every rule set goes through the later span too, or only those that are judged. ``code`` is
    the digest of the code that scores, of whoever gives out the tasks.
    """

    folder: str
    archive: str
    days: Days
    judges_all: bool
    lanes: int
    code: str


class Scores(NamedTuple):
    """What a rule set scored in a span: how many games, deviance and Brier score a game; NaN where there are none.

    ``rated`` is the deviance of games without an unrated player.
    """

    games: int
    deviance: float
    brier: float
    rated: float


NO_SCORES = Scores(0, *[float("nan")] * 3)


class Scored(NamedTuple):
    """The scores of one rule set; those of the later span are of no games where it was not replayed."""

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
        self._archive = archive
        self._learning: Learning | None = None
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
        span = np.where(in_span(self.start, (None, until or date.min)), CHOOSING, JUDGING)
        return np.where(in_span(self.start, (first, last)), span, NOT_SCORED).astype(np.int8)

    def end_of(self, span: int) -> int:
        """The section after the last one of a span, in the order of the replay."""
        inside = np.flatnonzero(self.predicted.span == span)
        return int(inside[-1]) + 1 if len(inside) else 0

    def games_in(self, span: int) -> int:
        """How many games are predicted in a span."""
        return int(np.diff(self.predicted.first)[self.predicted.span == span].sum())

    def sums(self, tried: Sequence[RuleSet | OtherSystem], end: int) -> list[Sums]:
        """Lead rule sets and other systems up to a section."""
        ruled = iter(self._ruled([one for one in tried if isinstance(one, RuleSet)], end))
        return [next(ruled) if isinstance(one, RuleSet) else self._learned(one, end) for one in tried]

    def _learned(self, system: OtherSystem, end: int) -> Sums:
        with self._lock:  # made by the first that needs it
            self._learning = self._learning or learning_from(self._archive, self.index, self.predicted.span)
        return self._learning.sums(system, end)

    def _ruled(self, rules: Sequence[RuleSet], end: int) -> list[Sums]:
        if not rules:
            return []
        with self._company() as company:
            parts = [rules[at : at + company.width] for at in range(0, len(rules), company.width)]
            return [one for part in parts for one in company.scored(part, end)]

    @contextmanager
    def _company(self) -> Iterator[Company]:
        with self._lock:  # checkpoints are made from the archive's tables, by one thread at a time
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


def score(job: Job, task: int, rules: Sequence[RuleSet | OtherSystem]) -> Done:
    """Score some rule sets or systems, or say why that cannot be."""
    try:
        return Done(task, _scored(job, rules), "")
    except (CrosstableError, OSError) as error:
        return Done(task, (), str(error) or type(error).__name__)


def _scored(job: Job, rules: Sequence[RuleSet | OtherSystem]) -> tuple[Scored, ...]:
    history = opened(job)
    if job.judges_all:
        return tuple(scored_from(one) for one in history.sums(rules, history.index.sections))
    # Spans go by the day a section starts, the replay by the day it ends: it meets some of the later span on its way,
    # and a score of a fragment would look like one of the whole.
    found = [scored_from(one) for one in history.sums(rules, history.end_of(CHOOSING))]
    return tuple(one._replace(judging=NO_SCORES) for one in found)


def scored_from(sums: Sums) -> Scored:
    """Scores a game, of both spans."""
    assert sums.totals.shape == (SPANS, COLUMNS)
    return Scored(*(_scores(row) for row in sums.totals.tolist()))


def _scores(row: list[float]) -> Scores:
    games = int(row[GAMES])
    if not games:
        return NO_SCORES
    rated = row[RATED] / row[RATED_GAMES] if row[RATED_GAMES] else float("nan")
    return Scores(games, row[DEVIANCE] / games, row[BRIER] / games, rated)


THREADS, PROCESSES, DASK, RAY = "threads", "processes", "dask", "ray"
BACKENDS = (THREADS, PROCESSES, DASK, RAY)
# What a backend needs beside the laboratory, and the extra that brings it.
_NEEDS = {
    THREADS: ("joblib", "history"),
    PROCESSES: ("joblib", "history"),
    DASK: ("distributed", "lab-dask"),
    RAY: ("ray", "lab-ray"),
}
# So often tasks are given to others after a worker died.
ATTEMPTS = 3
# Seconds after which a scheduler that does not answer is taken for unreachable.
PATIENCE = 10.0
_RAY_AUTO = "auto"
# No scheduler greets with so many bytes; text, taken for a number, is larger.
LONGEST_GREETING = 1 << 20
_REMEDY = (
    "start one (dask scheduler, ray start --head), check the address and the firewall, or leave out --scheduler to "
    "start workers on this machine"
)


class Where(NamedTuple):
    """Where a sweep runs: a backend, how many tasks at a time (0: as many as there is room for), a scheduler."""

    backend: str = THREADS
    jobs: int = 0
    scheduler: str = ""


class Workers(NamedTuple):
    """Workers that are ready: how joblib calls them, and how many tasks they are given at a time (0: all)."""

    options: Mapping[str, Any]
    at_a_time: int = 0


Tasks = Mapping[int, Sequence[RuleSet | OtherSystem]]


def check_where(where: Where) -> None:
    """Whether a backend can be used as asked; raises with a remedy where it cannot."""
    if where.backend not in BACKENDS:
        raise HistoryError(f"there is no backend {where.backend!r}; choose one of {', '.join(BACKENDS)}")
    if where.scheduler and where.backend not in (DASK, RAY):
        raise HistoryError(
            f"the backend {where.backend} has no scheduler; give --backend dask or --backend ray with it"
        )
    library, extra = _NEEDS[where.backend]
    missing = [name for name in dict.fromkeys(("joblib", library)) if find_spec(name) is None]
    if missing:
        raise HistoryError(
            f"{' and '.join(missing)} is not installed, which --backend {where.backend} needs: {install_line(extra)}"
        )
    if where.scheduler and where.scheduler != _RAY_AUTO:
        _knock(where.scheduler, is_dask=where.backend == DASK)


def _knock(address: str, *, is_dask: bool) -> None:
    """Whether somebody listens at the address of a scheduler, and speaks as a Dask scheduler does."""
    try:
        parts = urlsplit(address if "://" in address else f"tcp://{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or not port:
        raise HistoryError(f"{address!r} is no address of a scheduler; write it as tcp://HOST:PORT, or HOST:PORT")
    try:
        with socket.create_connection((host, port), PATIENCE) as line:
            is_right = not is_dask or parts.scheme != "tcp" or _greets(line)
    except OSError as error:
        raise HistoryError(f"no scheduler answers at {address}: {error.strerror or error}; {_REMEDY}") from error
    if not is_right:
        raise HistoryError(f"what answers at {address} is no Dask scheduler; {_REMEDY}")


def _greets(line: socket.socket) -> bool:
    """Whether the other side says how long its greeting is, as a Dask scheduler does before it is asked anything."""
    said = line.recv(8, socket.MSG_WAITALL)
    return len(said) == 8 and int.from_bytes(said, "little") <= LONGEST_GREETING


def finished(job: Job, tasks: Tasks, where: Where) -> Iterator[Done]:
    """What every task gave, as each is finished."""
    left = dict(tasks)
    with ExitStack() as stack:
        workers = stack.enter_context(_WORKERS[where.backend](where))
        for _ in range(ATTEMPTS):
            try:
                for done in _round(job, left, workers):
                    del left[done.task]
                    yield done
            except _lost(where.backend) as error:
                fault = str(error).splitlines()[0] if str(error) else type(error).__name__
            if not left:
                return
    raise HistoryError(
        f"workers were lost {ATTEMPTS} times ({fault}); what was finished is kept: look whether they have enough "
        "memory, then run the same command again to go on"
    )


def _round(job: Job, tasks: Tasks, workers: Workers) -> Iterator[Done]:
    joblib = import_module("joblib")
    numbers = list(tasks)
    if not workers.at_a_time:
        parallel = joblib.Parallel(**workers.options, batch_size=1, return_as="generator_unordered")
        yield from parallel(joblib.delayed(score)(job, one, tasks[one]) for one in numbers)
        return
    room = workers.at_a_time
    for first in range(0, len(numbers), room):
        parallel = joblib.Parallel(**workers.options, batch_size=1)
        yield from parallel(joblib.delayed(score)(job, one, tasks[one]) for one in numbers[first : first + room])


def _cores(where: Where) -> int:
    return where.jobs or processors()


@contextmanager
def _threads(where: Where) -> Iterator[Workers]:
    yield Workers({"backend": "threading", "n_jobs": _cores(where)})


@contextmanager
def _processes(where: Where) -> Iterator[Workers]:
    loky = import_module("joblib.externals.loky")
    if _cores(where) == 1:  # joblib then does the work here, and has no processes to end
        yield Workers({"backend": "loky", "n_jobs": 1})
        return
    try:
        yield Workers({"backend": "loky", "n_jobs": _cores(where)})
    finally:
        loky.get_reusable_executor(reuse=True).terminate(kill_workers=True)  # joblib would keep them for others


@contextmanager
def _dask(where: Where) -> Iterator[Workers]:
    """Workers of a Dask cluster, or of one that is started here for the time of the sweep."""
    distributed = import_module("distributed")
    joblib = import_module("joblib")
    with ExitStack() as stack:
        address = where.scheduler
        if not address:
            local = distributed.LocalCluster(
                n_workers=_cores(where), threads_per_worker=1, dashboard_address=None, silence_logs=logging.ERROR
            )
            address = stack.enter_context(local)
        try:
            client = stack.enter_context(distributed.Client(address, timeout=PATIENCE, set_as_default=False))
        except (OSError, TimeoutError) as error:
            raise HistoryError(f"the Dask scheduler at {where.scheduler} does not answer as one: {error}") from error
        count = sum(client.nthreads().values())
        if not count:
            raise HistoryError(f"the Dask scheduler at {where.scheduler} has no workers; start some with dask worker")
        stack.enter_context(joblib.parallel_config(backend="dask", client=client))
        # A cluster takes all that it has room for, however many jobs joblib asks for.
        yield Workers({"n_jobs": where.jobs or -1}, where.jobs if where.scheduler else 0)


@contextmanager
def _ray(where: Where) -> Iterator[Workers]:
    """Workers of a Ray cluster, or of one that is started here for the time of the sweep."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anybody
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", (DeprecationWarning, FutureWarning))  # Ray's own, while it is imported
        ray, joining = import_module("ray"), import_module("ray.util.joblib")
    logging.getLogger("ray").setLevel(logging.ERROR)
    _join_ray(ray, where)
    try:
        joining.register_ray()
        count = where.jobs or int(ray.cluster_resources().get("CPU", 1))
        # With one worker joblib would do the work here. Ray answers when all are done, so it is given a few at a time.
        yield Workers({"backend": "ray", "n_jobs": max(2, count)}, 2 * count if count > 1 else 1)
    finally:
        ray.shutdown()


def _join_ray(ray: Any, where: Where) -> None:  # noqa: ANN401 (a library that is imported where it is used)
    """Join a Ray cluster, or start one: twice, as a busy machine may need longer for it than Ray waits."""
    how: dict[str, Any] = {"address": where.scheduler}
    if not where.scheduler:
        how = {"address": "local", "num_cpus": max(2, _cores(where)), "include_dashboard": False}
    for attempt in (1, 2):
        try:
            ray.init(log_to_driver=False, configure_logging=False, **how)
        except Exception as error:  # what Ray raises when a node does not come up is of no narrower kind
            ray.shutdown()
            if attempt == 1 and not where.scheduler:
                continue
            place = f"at {where.scheduler}" if where.scheduler else "on this machine"
            raise HistoryError(f"there is no Ray cluster {place}: {str(error).splitlines()[0]}") from error
        return


_WORKERS: Mapping[str, Callable[[Where], Any]] = {THREADS: _threads, PROCESSES: _processes, DASK: _dask, RAY: _ray}


def _lost(backend: str) -> tuple[type[BaseException], ...]:
    """How a backend says that it lost a worker."""
    if backend == PROCESSES:
        return (import_module("joblib.externals.loky.process_executor").BrokenProcessPool,)
    if backend == DASK:
        distributed = import_module("distributed")
        return (distributed.scheduler.KilledWorker, distributed.CancelledError, distributed.comm.CommClosedError)
    if backend == RAY:
        return (import_module("ray").exceptions.RayError,)
    return ()
