"""Settings of every test run, and what all processes of a run share."""

import fcntl
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The same examples on every machine, and no stopwatch: two busy cores say nothing about a formula.
settings.register_profile(
    "crosstable",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
    database=None,
    print_blob=True,
)
settings.load_profile("crosstable")


@pytest.fixture(scope="session")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of the demonstration office, made by the first process that needs it."""
    from crosstable.cli.demo_office import make_demo

    own = tmp_path_factory.getbasetemp()
    folder = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    path = folder / "demonstration.db"
    with Path(f"{path}.made").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            begun = path.with_suffix(".begun")
            make_demo(str(begun))
            begun.rename(path)
        return path.read_bytes()
