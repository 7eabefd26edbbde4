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
    # A share of what Hypothesis tries by itself; where more is needed a test says so, and a soak tries ten times more.
    max_examples=400 if os.environ.get("CROSSTABLE_SOAK") else 40,
    database=None,
    print_blob=True,
)
settings.load_profile("crosstable")

# The tests that hold rules, formulas, engine and ledger to 100 % of their branches: whole folders, and those of the
# office that cover the ledger. Tracing makes every test of a process slower by a third, so `make test` runs these in a
# process of their own; `make coverage` traces all.
TRACED_FOLDERS = ("spec", "rules", "engine", "notation")
TRACED_OFFICE = (
    *("test_commitments", "test_corrections", "test_decisions", "test_digests", "test_exporting", "test_journal"),
    *("test_members", "test_outside_ratings", "test_proof", "test_proposals", "test_questions", "test_runs"),
    *("test_second_engine_office", "test_second_factor"),
)
# Of the folders, the long ones that cover nothing which the others do not.
NOT_TRACED = ("test_rating_properties", "test_rating_second_engine")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that have to cover something."""
    here = Path(__file__).parent
    for item in items:
        folder, name = item.path.relative_to(here).parts[0], item.path.stem
        if (folder in TRACED_FOLDERS and name not in NOT_TRACED) or (folder == "office" and name in TRACED_OFFICE):
            item.add_marker("traced")


@pytest.fixture(scope="session")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of an office with a season of events, made by the first process that needs it."""
    from tests.office.season import make_season

    own = tmp_path_factory.getbasetemp()
    folder = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    path = folder / "demonstration.db"
    with Path(f"{path}.made").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            begun = path.with_suffix(".begun")
            make_season(str(begun))
            begun.rename(path)
        return path.read_bytes()
