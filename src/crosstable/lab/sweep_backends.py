"""Where the tasks of a sweep run: threads of this process, processes, a Dask or a Ray cluster; all through joblib.

A worker that dies takes its tasks with it; they are given to others, and only when that happens again and again does
the sweep give up. Whatever the backend, the scores are the same.
"""

import logging
import os
import socket
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from crosstable.errors import HistoryError
from crosstable.lab.sweep_tasks import Done, Job, score
from crosstable.rules.rule_sets import RuleSet

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


Tasks = Mapping[int, Sequence[RuleSet]]


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
            f"{' and '.join(missing)} is not installed, which --backend {where.backend} needs: "
            f"pip install 'crosstable[{extra}]'"
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
    return where.jobs or len(os.sched_getaffinity(0))


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
