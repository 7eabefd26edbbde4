"""Every citation in code, tests and pages leads to a place that exists, and every reading is held by a test."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from crosstable.rules.documents import SECTIONS
from tools.citations import Citation, all_citations, citations, existing, files, readings, strays
from tools.sentence_map import TITLES

# This file and the finder hold what they look for.
EXAMPLES = ("tests/architecture/test_citations.py", "tools/citations.py")
UNTESTED = "*Not tested"


def lost(found: Iterator[Citation] | tuple[Citation, ...]) -> list[str]:
    """Citations of places that do not exist."""
    return [f"{one.file}:{one.line}: {one.source} {one.place}" for one in found if one[2:] not in existing()]


def anchors(page: str) -> set[str]:
    """What links may point to in a page: its headings as GitHub names them, and places that have a name."""
    headings = re.findall(r"^#+ (.*)$", page, flags=re.MULTILINE)
    plain = [re.sub(r"<[^>]*>|[^\w\s-]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", one)).strip() for one in headings]
    return {one.lower().replace(" ", "-") for one in plain} | set(re.findall(r'id="([^"]+)"', page))


def dead_links(name: str, page: str) -> Iterator[str]:
    """Links of a page to files or headings that do not exist."""
    pages = files()
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```|`[^`\n]*`", "", page, flags=re.DOTALL)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (Path(name).parent / path).resolve().relative_to(Path.cwd()).as_posix() if path else name
        if (path and not Path(there).exists()) or (
            anchor and anchor not in anchors(pages.get(there, "") if path else page)
        ):
            yield f"{name}: {target}"


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).resolve().parents[2])


def test_every_citation_leads_to_a_place_that_exists() -> None:
    found = tuple(one for one in all_citations() if one.file not in EXAMPLES)
    sources = {one.source for one in found}
    assert sources >= {"readings", "official facts", "rules history", "decision", "2004 text", "2015 text", "2020 text"}
    assert lost(found) == []


def test_nothing_cites_a_document_that_is_not_here() -> None:
    assert [stray for name, text in files().items() if name not in EXAMPLES for stray in strays(name, text)] == []


def test_every_reading_is_cited_by_a_test_or_says_why_not() -> None:
    tests = [one for one in all_citations() if one.file.startswith("tests/") and one.file not in EXAMPLES]
    held = {one.place for one in tests if one.source == "readings"}
    excused = {number for number, said in readings().items() if UNTESTED in said}
    assert set(readings()) - held == excused


def test_readings_are_numbered_from_1_without_a_gap_and_say_what_they_are_about() -> None:
    assert list(readings()) == [str(number) for number in range(1, len(readings()) + 1)]
    assert [
        number for number, said in readings().items() if not re.search(r"\*Text:\* .*\*Confidence:\* ", said, re.DOTALL)
    ] == []


def test_every_link_of_the_pages_leads_somewhere() -> None:
    pages = {name: text for name, text in files().items() if name.endswith(".md")}
    assert len(pages) > 20
    assert [dead for name, text in pages.items() for dead in dead_links(name, text)] == []


def test_the_spec_map_has_the_sections_of_the_document() -> None:
    assert set(TITLES) == SECTIONS


# What the finder finds


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("(§5; readings 62, 63 and 94)", ["2025 text 5", "readings 62", "readings 63", "readings 94"]),
        ("Readings 46 to 48: by hand", ["readings 46", "readings 47", "readings 48"]),
        ("readings\n    27-29, 33", ["readings 27", "readings 28", "readings 29", "readings 33"]),
        ("readings, Part 1; readings part 1", ["readings Part 1", "readings Part 1"]),
        ("§8, rules history §1 and §2", ["2025 text 8", "rules history 1", "rules history 2"]),
        (
            "Rules history §5-7; 2025 text §2.1, §6",
            [*(f"rules history {n}" for n in "567"), "2025 text 2.1", "2025 text 6"],
        ),
        ("Official facts §1: by hand", ["official facts 1"]),
        ("§2.1 to §2.5 of the 2015 text", ["2015 text 2.1", "2015 text 2.5"]),
        ("(decision 0004), docs/decisions/0006", ["decision 0004", "decision 0006"]),
        ("12 readings, §5, 4000 dollars", ["2025 text 5"]),
    ],
)
def test_citations_are_found_in_every_spelling(text: str, cited: list[str]) -> None:
    found = citations("a.py", f'def one():\n    """{text}."""\n')
    assert sorted(f"{one.source} {one.place}" for one in found) == sorted(cited)


def test_a_citation_knows_its_line_and_comments_are_read_as_one() -> None:
    text = 'X = "2015 text §2.6"\n# One line (official\n# facts §3).\nY = "§77 of some data"\n'
    found = list(citations("a.py", text))
    assert found == [Citation("a.py", 1, "2015 text", "2.6"), Citation("a.py", 3, "official facts", "3")]


@pytest.mark.parametrize("text", ["readings 116", "rules history §17", "§9", "decision 9999", "2015 text §8", "§2.6"])
def test_a_citation_of_nothing_is_found(text: str) -> None:
    assert len(lost(citations("a.py", f'"""One ({text})."""'))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "design §3",
        "reliability.md §5",
        "more facts §2",
        "as the readings say",
        "(rules history)",
        "hostile names (S3)",
        "R11: a flip",
    ],
)
def test_a_citation_of_a_document_that_is_not_here_is_found(text: str) -> None:
    assert len(list(strays("a.py", f'"""One {text}."""'))) == 1


def test_what_is_cited_well_is_no_stray() -> None:
    assert (
        list(strays("a.py", '"""R0 of §2 and §3, see §4.1 (official facts §1; readings 62; docs/readings.md)."""'))
        == []
    )


@pytest.mark.parametrize(
    "link", ["no-such-page.md", "readings-results.md#r116", "#no-such-heading", "rules-history.md#5-cfc"]
)
def test_a_dead_link_is_found(link: str) -> None:
    assert (
        len(list(dead_links("docs/lab.md", f"# Lab\n\nSee [this]({link}) and [that](readings-results.md#r115).\n")))
        == 1
    )
