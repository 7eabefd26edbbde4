"""The generated pages, and the spec map: every sentence of the documents is computed somewhere and held by a test."""

import re
from collections import Counter
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import pytest

from crosstable.rules.documents import SECTIONS
from crosstable.rules.editions import EDITIONS
from crosstable.rules.in_words import DESCRIBED
from tools.citations import citations, readings
from tools.make_docs import NOTE, pages
from tools.sentence_map import DOCUMENTS, OWN_TITLES, Sentence, earlier_map, read, sentences, spec_map, unanswered

GENERATED = sorted(pages().items())
# What the four documents say, counted by hand; a sentence that is dropped is missed here.
COUNTED = {"2025": 199, "2020": 15, "2015": 62, "page": 61}
# The games of a CFC rating until 2020 (2015 text), no base of 50 x age, "twice", the lowest floor until 2010 (§8), and
# a cap of K, which no edition has.
NOT_PRINTED = {"cfc_split", "age_base", "bonus_meetings", "peak_lowest", "k_cap"}


@pytest.mark.parametrize(("path", "make"), GENERATED, ids=[path.name for path, _ in GENERATED])
def test_the_generated_page_is_what_the_code_says_now(path: Path, make: Callable[[], str]) -> None:
    kept, made = path.read_text("utf-8"), make()
    if path.name.startswith("commands"):  # argparse breaks lines at other places in another Python
        kept, made = " ".join(kept.split()), " ".join(made.split())
    assert kept == made, "run make docs"


def test_every_sentence_of_the_documents_has_code_and_a_test() -> None:
    assert [fault for one in sentences() for fault in unanswered(one)] == []


def test_sentences_are_numbered_section_by_section_and_none_is_lost() -> None:
    assert Counter(one.document for one in sentences()) == COUNTED
    for (document, section), own in groupby(sentences(), key=lambda one: (one.document, one.section)):
        assert section in OWN_TITLES[document]
        assert [one.place for one in own] == [f"{section}-{at + 1}" for at in range(len(list_of(document, section)))]
    assert {one.section for one in sentences() if one.document == "2025"} - {"0", "fn1"} == SECTIONS


def list_of(document: str, section: str) -> list[Sentence]:
    return [one for one in sentences() if (one.document, one.section) == (document, section)]


def test_every_reading_stands_behind_a_sentence_of_a_section_that_it_is_about() -> None:
    behind = {(f"{one.document} text", one.section, source) for one in sentences() for source in one.sources}
    behind |= {(text, "1", source) for text, section, source in behind if section == "fn1"}
    lost = []
    for number, said in readings().items():
        about = re.search(r"\*Text:\*(.*?)\*Confidence", said, flags=re.DOTALL)
        cited = {(one.source, one.place) for one in citations("readings.md", about[1] if about else "")}
        if cited and {source for source, _ in cited} <= {f"{year} text" for year in DOCUMENTS}:
            lost += [] if any((source, place, number) in behind for source, place in cited) else [number]
    assert lost == []


def test_every_number_of_the_rules_stands_in_a_sentence_of_its_section() -> None:
    """Numbers as the newest text prints them; 1e-7 stands as 0.0000001, and 7.39e-06 as 0.00000739."""
    constants = EDITIONS[-1].constants
    lost = []
    for name, described in DESCRIBED.items():
        value = getattr(constants, name)
        if type(value) not in (int, float) or name in NOT_PRINTED:
            continue
        printed = f"{value:.10f}".rstrip("0").rstrip(".")
        own = [one.said for one in sentences() if one.document == "2025" and one.section == described.paragraph]
        if not any(re.search(rf"(?<![\d.]){re.escape(printed)}(?![\d]|\.\d)", said.replace(",", "")) for said in own):
            lost.append(f"{name} = {printed}, §{described.paragraph}")
    assert lost == []


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("5-1 | No rating is below 100. | standing_floor | | 45 |", "no test"),
        ("5-1 | No rating is below 100. | | no_step_gives_less_than_100 | 45 |", "no code"),
        ("5-1 | No rating is below 100. | standing_floor | no_such_test | 45 |", "no_such_test is in 0 files"),
        (
            "5-1 | None is below 100. | no_such_code | no_step_gives_less_than_100 | |",
            "no_such_code is in 0 files",
        ),
        ("5-1 | No rating is below 100. | one_pass | no_step_gives_less_than_100 | |", "one_pass is in 2 files"),
        ("5-1 | No rating is below 100. | standing_floor | no_step_gives_less_than_100 | 999 |", "there is no 999"),
        ("5-1 | No rating is below 100. | | | | Out of scope: so be it.", "out of scope by no reading or decision"),
    ],
)
def test_a_sentence_that_nothing_answers_is_found(line: str, fault: str) -> None:
    (one,) = read("2025", f"# a comment\n{line}\n")
    assert [found.partition(": ")[2] for found in unanswered(one)] == [fault]


def test_the_page_links_each_sentence_to_its_code_tests_and_readings() -> None:
    page = spec_map(NOTE) + earlier_map(NOTE)
    assert all(f"\n## {title}\n" in page for title in DOCUMENTS.values())
    row = next(line for line in page.splitlines() if 'id="s2025-4.1-25"' in line)
    for link in (
        "[`special_rating`](../src/crosstable/formulas/special.py)",
        "[a special rating is at most 2700](../tests/spec/test_s4_1_special.py)",
        "[52](readings-steps.md#r52)",
    ):
        assert link in row
    assert "**" not in page
