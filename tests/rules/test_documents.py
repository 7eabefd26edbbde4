"""§8: which text an edition is cited by, and where in it a rule stands."""

from datetime import date

import pytest

from crosstable.rules.documents import SECTIONS, cited, document_for
from crosstable.rules.editions import EDITIONS


@pytest.mark.parametrize(
    ("day", "name"),
    [
        (date(2001, 1, 1), "2015 text"),
        (date(2017, 6, 1), "2015 text"),
        (date(2020, 6, 1), "2020 text"),
        (date(2023, 2, 1), "2020 text"),
        (date(2024, 3, 1), "2025 text"),
        (date(2025, 1, 1), "2025 text"),
    ],
)
def test_an_edition_is_cited_by_the_text_of_its_time(day: date, name: str) -> None:
    """Readings 85: the oldest complete text, of 2015, stands for what was before it."""
    assert document_for(day).name == name


@pytest.mark.parametrize(
    ("day", "rule", "document", "section"),
    [
        (date(2016, 5, 1), "2.1", "2015 text", "§2.6"),
        (date(2016, 5, 1), "2.3", "2015 text", "§2.6"),
        (date(2016, 5, 1), "4.2", "2015 text", "§4.2"),
        (date(2016, 5, 1), "list OTBQ", "2015 text", "§2.2"),
        (date(2016, 5, 1), "list OLB", "2015 text", "§2.5"),
        (date(2016, 5, 1), "8", "2025 text", "§8"),
        (date(2005, 5, 1), "half-K", "2004 text", "node 5"),
        (date(2005, 5, 1), "whole-numbers", "2004 text", "node 8"),
        (date(2025, 5, 1), "2.1", "2025 text", "§2.1"),
        (date(2025, 5, 1), "list OTBQ", "2025 text", "§2"),
        (date(2025, 5, 1), "norms", "official results", "norms"),
        (date(2025, 5, 1), "", "", ""),
    ],
)
def test_a_rule_is_cited_where_the_text_has_it(day: date, rule: str, document: str, section: str) -> None:
    """All conversions are in 2015 text §2.6, a priority list for each system in 2015 text §2.1 to §2.5."""
    assert cited(day, rule) == (document, section)


def test_every_section_can_be_cited_for_every_edition() -> None:
    assert all(cited(edition.effective, rule).section for edition in EDITIONS for rule in SECTIONS)
