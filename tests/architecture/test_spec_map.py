"""The spec map: every section of the document has a function and a test."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tools.make_docs import NOTE, pages
from tools.source_pages import COMPUTING, TITLES, by_place, spec_map, within

GENERATED = sorted(pages().items())


@pytest.mark.parametrize(("path", "make"), GENERATED, ids=[path.name for path, _ in GENERATED])
def test_the_generated_page_is_what_the_code_says_now(path: Path, make: Callable[[], str]) -> None:
    assert path.read_text("utf-8") == make(), "run make docs"


@pytest.mark.parametrize("section", TITLES)
def test_every_section_of_the_document_is_implemented_and_tested(section: str) -> None:
    cited = by_place()["2025 text", section]
    assert within(cited, *COMPUTING), f"no function cites this section: {section}"
    assert within(cited, "tests/spec/", "tests/rules/", "tests/editions/"), f"no test cites this section: {section}"


def test_a_section_that_nobody_cites_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TITLES, "9.9", "A section that does not exist")
    assert "**nothing implements it**" in spec_map(NOTE)


def test_sections_of_other_pages_are_not_sections_of_the_document() -> None:
    """The tests of norms cite official facts §1 alone, so no section of the document may list them."""
    assert "test_norms.py" not in spec_map(NOTE)
