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

# The tests that hold rules, formulas, engine and ledger to 100 % of their branches. Tracing takes longer than most of
# them, so the others run without it; `make coverage` traces all.
TRACED = ("spec", "rules", "engine", "notation", "office")
# Of these, the long ones that cover nothing which the others do not.
NOT_TRACED = (
    *("test_accounts", "test_archiving", "test_audit", "test_backups", "test_consent", "test_erasing", "test_faults"),
    *("test_invariants", "test_jobs", "test_machine", "test_proof_flips", "test_rating_properties"),
    *("test_rating_second_engine", "test_rerate_bulk", "test_row_order", "test_schema", "test_stories"),
    *(
        "test_submissions",
        "test_time_limits",
        "test_titles_norms",
        "test_upgrades",
        "test_verified_parts",
        "test_views",
    ),
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tracing to those tests that have to cover something."""
    if "crosstable" in config.getoption("cov_source", []):
        return
    here = Path(__file__).parent
    for item in items:
        if item.path.relative_to(here).parts[0] not in TRACED or item.path.name.startswith(NOT_TRACED):
            item.add_marker("no_cover")


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
