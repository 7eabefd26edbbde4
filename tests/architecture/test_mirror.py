"""``tests`` mirrors ``src``: a test file has the name of the module it is about, and may add what of it."""

from pathlib import Path

from tests.architecture.source import PACKAGE, ROOT

TESTS = ROOT / "tests"
# ``tests/spec`` and ``tests/second_engine`` follow the sections of the rating document, and so stand for ``formulas``.
MIRRORED = ("calculator", "engine", "explanation", "history", "lab", "rules")
# Tests of pages and of a notebook, which no module is.
OF_PAGES = frozenset({"tests/lab/test_notebook.py", "tests/lab/test_tutorial.py"})


def is_about(test: Path, modules: set[str]) -> bool:
    """Whether a test file is named after one of these modules."""
    name = test.stem.removeprefix("test_")
    return any(name == module or name.startswith(f"{module}_") for module in modules)


def test_every_test_file_is_named_after_a_module() -> None:
    for package in MIRRORED:
        modules = {path.stem for path in (PACKAGE / package).rglob("*.py")}
        tests = sorted((TESTS / package).glob("test_*.py"))
        assert tests
        assert {str(path.relative_to(ROOT)) for path in tests if not is_about(path, modules)} <= OF_PAGES


def test_a_name_that_is_of_no_module_is_found() -> None:
    assert not is_about(TESTS / "lab" / "test_commands.py", {"backtesting", "comm"})
    assert is_about(TESTS / "rules" / "test_editions_calendars.py", {"editions"})
