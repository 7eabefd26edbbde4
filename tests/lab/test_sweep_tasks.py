"""Sweeps on processes, on Dask and on Ray: the same bits everywhere, and workers that die are made up for."""

import gc
import json
import logging
import os
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from crosstable.cli import main
from crosstable.errors import HistoryError
from crosstable.history import index as indexing
from crosstable.history.archive import digest, write
from crosstable.lab import Draws, Sweep, SweepOptions, Where, sweep
from crosstable.lab import sweep_tasks as backends
from crosstable.lab.population import Federation
from crosstable.lab.simulate import simulate
from crosstable.lab.sweep_tasks import Days, Done, Job, code_digest, forget, score
from crosstable.rules.rule_sets import OFFICIAL
from tests.amounts import IS_SOAK
from tests.documents import valid
from tests.waiting import FOR_EVER

OPTIONS = SweepOptions(draws=Draws(replicates=40), lanes=1)
PLAN = {"grid": {"k_numerator": [400, 800, 1200], "bonus_threshold": [8, 12]}}


@pytest.fixture(autouse=True)
def _collecting() -> Iterator[None]:
    """A command may switch the collector off for its short life; the tests live longer."""
    yield
    gc.enable()


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("clusters") / "fed")
    write(simulate(Federation(members=200, sections=150, years=4, seed=5)), folder)
    return folder


@pytest.fixture(scope="module")
def on_one_core(archive: str) -> Sweep:
    return sweep(archive, PLAN, options=OPTIONS, where=Where(jobs=1))


def same(one: Sweep, other: Sweep) -> bool:
    """Bit by bit, but for NaN, which is not equal to itself: the later span is walked for the best alone."""
    return repr(one.tried) == repr(other.tried) and one.judgement == other.judgement


def test_processes_give_the_same_bits_though_one_is_killed(archive: str, on_one_core: Sweep) -> None:
    loky = import_module("joblib.externals.loky")
    killed: list[int] = []

    def kill_one(done: int, total: int) -> None:
        if done and not killed:
            killed.append(next(iter(loky.get_reusable_executor(reuse=True)._processes)))
            os.kill(killed[0], signal.SIGKILL)

    found = sweep(archive, PLAN, options=OPTIONS, where=Where("processes", 2), progress=kill_one)
    assert killed
    assert same(found, on_one_core)


def test_a_dask_cluster_gives_the_same_bits_though_a_worker_is_killed(archive: str, on_one_core: Sweep) -> None:
    distributed = import_module("distributed")
    local = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": logging.CRITICAL}
    with distributed.LocalCluster(**local) as cluster:
        workers = [one.pid for one in cluster.workers.values()]

        def kill_one(done: int, total: int) -> None:
            if done and workers:
                os.kill(workers.pop(), signal.SIGKILL)
                workers.clear()

        where = Where("dask", scheduler=cluster.scheduler_address)
        found = sweep(archive, PLAN, options=OPTIONS, where=where, progress=kill_one)
    assert not workers
    assert same(found, on_one_core)


def test_one_job_is_one_task_at_a_time(
    archive: str, on_one_core: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Processes do it in this one; a cluster, which takes all that there is, is given one after the other."""
    with backends._processes(Where("processes", 1)) as workers:
        assert workers.options["n_jobs"] == 1
    assert same(sweep(archive, PLAN, options=OPTIONS, where=Where("processes", 1)), on_one_core)
    given: list[int] = []

    class Parallel:
        """As joblib's, and counts what it is given."""

        def __init__(self, **_: object) -> None:
            pass

        def __call__(self, tasks: Iterator[tuple[Any, Any, Any]]) -> list[Any]:
            done = [function(*args, **more) for function, args, more in tasks]
            given.append(len(done))
            return done

    monkeypatch.setattr("joblib.Parallel", Parallel)
    job = Job(archive, digest(archive), Days(), False, 1, code_digest())
    tasks = {0: [OFFICIAL], 1: [OFFICIAL], 2: [OFFICIAL]}
    assert len(list(backends._round(job, tasks, backends.Workers({}, 1)))) == 3
    assert given == [1, 1, 1]
    forget()


# Ray takes half a minute to come up, so it is started in a soak only; Dask's real cluster is below.
@pytest.mark.parametrize("backend", [backends.THREADS, *(["ray"] if IS_SOAK else [])])
def test_other_backends_give_the_same_bits(archive: str, on_one_core: Sweep, backend: str) -> None:
    assert same(sweep(archive, PLAN, options=OPTIONS, where=Where(backend, 2)), on_one_core)


def test_workers_that_die_again_and_again_are_a_clear_error(archive: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class LostError(Exception):
        """As a backend tells it."""

    def round_that_breaks(*_: object) -> list[Done]:
        raise LostError("a worker is gone")

    monkeypatch.setattr(backends, "_round", round_that_breaks)
    monkeypatch.setattr(backends, "_lost", lambda backend: (LostError,))
    with pytest.raises(HistoryError, match=r"lost 3 times \(a worker is gone\).*run the same command again"):
        sweep(archive, PLAN, options=OPTIONS, where=Where(jobs=1))


def test_a_worker_that_sees_another_archive_says_so(archive: str) -> None:
    done = score(Job(archive, "0" * 64, Days(), False, 1, code_digest()), 7, [OFFICIAL])
    assert (done.task, done.scored) == (7, ())
    assert "every worker needs the same files under the same path" in done.fault


def test_a_worker_with_other_code_says_so(archive: str) -> None:
    done = score(Job(archive, digest(archive), Days(), False, 1, "0" * 16), 7, [OFFICIAL])
    assert (done.task, done.scored) == (7, ())
    assert f"({code_digest()}) than that of this sweep (0000000000000000); every worker needs the same" in done.fault


def test_a_worker_that_cannot_keep_an_index_does_without(archive: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(indexing, "saved", lambda *_: None)
    monkeypatch.setattr(indexing, "save", full)
    forget()
    done = score(Job(archive, digest(archive), Days(), False, 1, code_digest()), 0, [OFFICIAL])
    forget()
    assert done.fault == ""
    assert done.scored[0].choosing.games > 0


def unused_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_a_scheduler_that_is_not_there_is_told_at_once(
    backend: str, archive: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    address = f"127.0.0.1:{unused_port()}"
    options = ("--backend", backend, "--scheduler", address, "--grid", "k_numerator=800")
    assert main(["lab", "sweep", archive, "--out", str(tmp_path / "out"), *options]) == 1
    said = capsys.readouterr()
    assert f"no scheduler answers at {address}" in said.err
    assert "leave out --scheduler" in said.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("greeting", "patience", "said"),
    [(b"HTTP/1.1 400 Bad Request", FOR_EVER, "is no Dask scheduler"), (b"", 0.3, "timed out")],
)
def test_whoever_listens_but_is_no_dask_scheduler_is_told(
    greeting: bytes, patience: float, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "PATIENCE", patience)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            line, _ = server.accept()
            with line:
                line.sendall(greeting)
                line.recv(1)  # until the other side goes

        with ThreadPoolExecutor(1) as other:
            other.submit(greet)
            with pytest.raises(HistoryError, match=said):
                backends.check_where(Where("dask", scheduler=f"tcp://127.0.0.1:{server.getsockname()[1]}"))


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (Where("dusk"), "no backend 'dusk'; choose one of threads"),
        (Where("threads", scheduler="tcp://host:1"), "has no scheduler"),
        (Where("dask", scheduler="nowhere"), "no address of a scheduler"),
        (Where("dask", scheduler="tcp://host:many"), "no address of a scheduler"),
    ],
)
def test_a_place_that_makes_no_sense_is_refused(where: Where, said: str) -> None:
    with pytest.raises(HistoryError, match=said):
        backends.check_where(where)


def test_a_missing_library_is_told_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "find_spec", lambda name: None)
    with pytest.raises(HistoryError, match=r"joblib and ray is not installed.*\[lab-ray\]"):
        backends.check_where(Where("ray"))


def test_the_command_prints_writes_and_goes_on(
    archive: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('name = "K"\n[grid]\nk_numerator = [400, 800]\n', encoding="utf-8")
    out = tmp_path / "out"
    common = ("lab", "sweep", archive, "--out", str(out), "--draws", "40", "--jobs", "1")
    capsys.readouterr()
    assert main([*common, "--plan", str(plan), "--judge-all"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "against the official rules" in said.out
    files = {"about.json", "best.toml", "lock", "results", "sweep.json", "sweep.parquet", "sweep.txt"}
    assert files == set(os.listdir(out))
    assert main([*common, "--plan", str(plan), "--judge-all"]) == 0
    assert capsys.readouterr().err == "2 of 2 rule sets were already done\n"
    drawn = ("--random", "2", "--vary", "k_numerator=400:1200", "--vary", "age_slope=10:90:log", "--restart", "--json")
    assert main([*common, *drawn]) == 0
    document = valid(json.loads(capsys.readouterr().out))
    valid(json.loads((out / "about.json").read_text("utf-8")))
    assert document["format"] == "crosstable-sweep/1"
    assert document["plan"]["varies"] == ["k_numerator", "age_slope"]
    assert len(document["tried"]) == 2


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ((), 2, "give a --plan, or --grid, or --random with --vary"),
        (("--random", "3"), 2, "--random and --vary go together"),
        (("--grid", "k_numerator"), 2, "must be written as NAME="),
        (("--grid", "k_numerator=1", "--from", "2004-01-01", "--to", "2003-01-01"), 2, "in this order"),
        (("--grid", "k_numeratr=1", "--grid", "initialisation=mix"), 1, "Did you mean k_numerator?"),
        (("--plan", "nowhere.toml"), 1, "The file cannot be read"),
        (("--grid", "k_numerator=800", "--choose-until", "2050-01-01"), 1, "--choose-until between"),
    ],
)
def test_what_cannot_be_swept_is_told(
    options: tuple[str, ...], code: int, said: str, archive: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["lab", "sweep", archive, "--out", str(tmp_path / "out"), *options]) == code
    assert said in capsys.readouterr().err


def test_a_folder_that_is_no_archive_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["lab", "sweep", str(tmp_path), "--out", str(tmp_path / "out"), "--grid", "k_numerator=800"]) == 1
    assert "so it is no archive" in capsys.readouterr().err
