"""Citations: every place of a page or a rating document that the project's files name, and whether it exists.

Code, tests and pages cite ``readings 62``, ``official facts §1``, ``rules history §13``, ``2015 text §2.6``, ``decision
0004``; a § alone is one of the 2025 text.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from crosstable.rules.documents import SECTIONS

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = {
    "readings": tuple(DOCS / f"readings-{part}.md" for part in ("dates", "starts", "steps", "floors", "results")),
    "official facts": (DOCS / "official-facts.md",),
    "rules history": (DOCS / "rules-history.md",),
}
NEWEST = "2025 text"
FOLDERS = ("src", "tests", "docs", "tools", "benchmarks", "examples")
PART = "Part 1"

_NUMBER = r"\d{1,2}(?:\.\d)?(?!\d)"
_MARKS = rf"§\s?{_NUMBER}(?:(?:\s*,\s*(?:and\s+)?|\s+(?:and|to|or)\s+)§{_NUMBER}|\s*[-–]\s*§?{_NUMBER})*"
_SECTION = re.compile(
    rf"(?:\b(?P<before>official\s+facts|rules\s+history|20\d\d\s+text),?\s+)?(?P<marks>{_MARKS})"
    r"(?:\s+of\s+the\s+(?P<after>20\d\d\s+text))?",
    re.IGNORECASE,
)
_READING = re.compile(
    r"\breadings?,?\s+(?:(?P<part>part\s+1)\b|(?P<marks>\d+(?:(?:\s*,\s*(?:and\s+)?|\s+(?:and|to)\s+|\s*[-–]\s*)\d+\b)*))",
    re.IGNORECASE,
)
_DECISION = re.compile(r"\bdecisions?[ /](?P<marks>\d{4})\b")
_RANGE = re.compile(rf"({_NUMBER}|\d+)(?:\s*(?:to|[-–])\s*§?({_NUMBER}|\d+))?")
# What may stand before a § that no name owns; any other word there names a document that nobody has.
_CONNECTING = frozenset(["to", "of", "and", "by", "from", "in", "is", "or", "that", "the", "cites", "see", "with"])
_BARE = re.compile(r"\b(?:readings(?!\.md)|official\s+facts|rules\s+history)\b", re.IGNORECASE)
_CODE = re.compile(r"\b[RIS](?!0)\d{1,2}\b")
_HINT = re.compile(rf"§|readings?\b|\bdecisions?\b|{_BARE.pattern}|{_CODE.pattern}", re.IGNORECASE)
_STRING_OR_COMMENTS = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|#[^\n]*(?:\n[ \t]*#[^\n]*)*', re.DOTALL
)


class Citation(NamedTuple):
    """Where something is cited (file, line), what (a page or a text), and its place there."""

    file: str
    line: int
    source: str
    place: str


class Prose(NamedTuple):
    """Some text of a file: its first line, and whether only people read it (comments, docstrings, pages)."""

    line: int
    text: str
    is_for_people: bool


def citations(file: str, text: str) -> Iterator[Citation]:
    """Everything that a file cites."""
    for prose in prose_of(file, text):
        for match, source, marks in _matches(prose):
            line = prose.line + prose.text.count("\n", 0, match.start("marks") if marks else match.start())
            for place in _places(marks) if marks else (PART,):
                yield Citation(file, line, source, place)


def strays(file: str, text: str) -> Iterator[str]:
    """What looks like a citation and names no place: unknown documents, pages without a number, codes such as R-11."""
    for prose in prose_of(file, text):
        found = [(match, source) for match, source, _ in _matches(prose)]
        taken = [match.span() for match, _ in found]
        for match, source in found:
            word = re.search(r"([\w.]+)\s+$", prose.text[: match.start()])
            if source == NEWEST and match[0].startswith("§") and word and word[1].lower() not in _CONNECTING:
                yield _at(file, prose, word.start(), f"{word[1]} {match[0]}")
        if not (prose.is_for_people and file.endswith(".py")):
            continue
        for match in _BARE.finditer(prose.text):
            if not any(begin <= match.start() < end for begin, end in taken):
                yield _at(file, prose, match.start(), match[0])
        for match in _CODE.finditer(prose.text):
            yield _at(file, prose, match.start(), match[0])


def _at(file: str, prose: Prose, offset: int, what: str) -> str:
    words = " ".join(what.split())
    return f"{file}:{prose.line + prose.text.count(chr(10), 0, offset)}: {words}"


def _matches(prose: Prose) -> Iterator[tuple[re.Match[str], str, str]]:
    """Each citation in a text: the match, what is cited, and the numbers as written. Data cites by name only."""
    for match in _SECTION.finditer(prose.text):
        if owner := match["after"] or match["before"] or (NEWEST if prose.is_for_people else ""):
            yield match, " ".join(owner.lower().split()), match["marks"]
    for match in _READING.finditer(prose.text):
        yield match, "readings", match["marks"] or ""
    for match in _DECISION.finditer(prose.text):
        yield match, "decision", match["marks"]


def _places(marks: str) -> Iterator[str]:
    """The numbers of a list; a range of whole numbers stands for all of them."""
    for first, last in _RANGE.findall(marks):
        if last and "." not in first + last:
            yield from map(str, range(int(first), int(last) + 1))
        else:
            yield from filter(None, (first, last))


def prose_of(file: str, text: str) -> Iterator[Prose]:
    """The comments and strings of a module, comments that follow each other as one; a page without its headings."""
    if not file.endswith(".py"):
        yield Prose(1, re.sub(r"^#.*", "", text, flags=re.MULTILINE), is_for_people=True)
        return
    for match in _STRING_OR_COMMENTS.finditer(text) if _HINT.search(text) else ():
        is_for_people = match[0].startswith(('"""', "#"))
        words = re.sub(r"^[ \t]*#:?", "", match[0], flags=re.MULTILINE) if match[0].startswith("#") else match[0]
        yield Prose(1 + text.count("\n", 0, match.start()), words, is_for_people)


@cache
def files() -> dict[str, str]:
    """The project's modules, templates and pages by name, with their text; the made lines of pages are left out."""
    every = [
        path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".md", ".html"}
    ]
    every += ROOT.glob("*.md")
    names = sorted(path.relative_to(ROOT).as_posix() for path in every if "__pycache__" not in path.parts)
    return {name: (ROOT / name).read_text("utf-8") for name in names}


@cache
def all_citations() -> tuple[Citation, ...]:
    """Everything that the project cites."""
    return tuple(found for name, text in files().items() for found in citations(name, text))


@cache
def existing() -> frozenset[tuple[str, str]]:
    """Every place that can be cited."""
    found = {("readings", PART)} | {("readings", number) for number in readings()}
    for source in ("official facts", "rules history"):
        numbers = re.findall(r"^## §(\d+) ", PAGES[source][0].read_text("utf-8"), flags=re.MULTILINE)
        found |= {(source, number) for number in numbers}
    found |= {("decision", path.name[:4]) for path in (DOCS / "decisions").glob("[0-9]*.md")}
    lists = {f"2.{number}" for number in range(1, 7)}
    found |= {(text, place) for text in (NEWEST, "2020 text") for place in SECTIONS}
    found |= {("2015 text", place) for place in SECTIONS - {"8"} | lists}
    return frozenset(found | {("2004 text", place) for place in SECTIONS - {"8"}})


def readings() -> dict[str, str]:
    """What each reading says, by its number."""
    text = "".join(page.read_text("utf-8") for page in PAGES["readings"])
    parts = re.split(r'^### <a id="r(\d+)"></a>', text, flags=re.MULTILINE)[1:]
    return {
        number: re.split(r"^##? ", said, flags=re.MULTILINE)[0]
        for number, said in zip(parts[::2], parts[1::2], strict=True)
    }


@cache
def page_of_readings() -> dict[str, str]:
    """The page that each reading is on."""
    found = {page: re.findall(r'<a id="r(\d+)"></a>', page.read_text("utf-8")) for page in PAGES["readings"]}
    return {number: page.name for page, numbers in found.items() for number in numbers}


@cache
def definitions(file: str) -> tuple[tuple[int, int, str], ...]:
    """First line, last line and name of every function and class of a module, inner ones after outer ones."""
    nodes = ast.walk(ast.parse(files()[file]))
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return tuple((node.lineno, node.end_lineno or node.lineno, node.name) for node in nodes if isinstance(node, kinds))


def holder(citation: Citation) -> str:
    """The function or class in which something is cited; nothing for a module's own text."""
    names = [name for first, last, name in definitions(citation.file) if first <= citation.line <= last]
    return names[-1] if names else ""
