"""The spec map: every section of the document has a function and a test."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tools.make_docs import SECTIONS, marked, pages, spec_map

GENERATED = sorted(pages().items())


@pytest.mark.parametrize(("path", "make"), GENERATED, ids=[path.name for path, _ in GENERATED])
def test_the_generated_page_is_what_the_code_says_now(path: Path, make: Callable[[], str]) -> None:
    assert path.read_text("utf-8") == make(), "run make docs"


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_of_the_document_is_implemented_and_tested(section: str) -> None:
    code = [name for _, name, marks in marked("src/crosstable") if section in marks]
    tests = [name for _, name, marks in marked("tests") if section in marks and name.startswith("test_")]
    assert code, f"no function cites §{section}"
    assert tests, f"no test cites §{section}"


def test_a_section_that_nobody_cites_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SECTIONS, "9.9", "A section that does not exist")
    assert "**nothing implements it**" in spec_map()
