"""The spec map: every sentence of the rating documents, where it is computed, and which tests hold it.

The sentences are data (``tools/sentences``), a line each, in our own words: id, sentence, code, tests, sources (numbers
of docs/readings.md; of decisions with a d before them), and what overrules it. An id is the section and a number. Code
and tests are named by their functions.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from os.path import relpath
from pathlib import Path
from typing import NamedTuple

from crosstable.rules.documents import SECTIONS
from tools.citations import DOCS, ROOT, existing, files, page_of_readings

DATA = Path(__file__).resolve().parent / "sentences"
TITLES = {
    "1": "Structure of the rating algorithm",
    "2": "Initializing ratings",
    "2.1": "FIDE conversions",
    "2.2": "CFC conversions",
    "2.3": "Age-based ratings",
    "3": "Effective number of games",
    "4": "Main rating algorithm",
    "4.1": "Special rating formula",
    "4.2": "Standard rating formula",
    "5": "Rating floors",
    "6": "Foreign FIDE events",
    "7": "Miscellaneous details",
    "8": "Historical changes",
}
DOCUMENTS = {
    "2025": "The text of July 26, 2025",
    "2020": "The proposal of September 2, 2020, where it differs",
    "2015": "The text of June 1, 2015, where it differs",
    "page": "The claims of a calculator page",
}
OWN_TITLES = {
    "2025": {"0": "Introduction", "fn1": "Footnote 1: time controls", **TITLES},
    "2020": TITLES,
    "2015": {
        **TITLES,
        "0": "Introduction",
        "2.1": "Initializing Regular ratings",
        "2.2": "Initializing Quick ratings",
        "2.3": "Initializing Blitz ratings",
        "2.4": "Initializing online Quick ratings",
        "2.5": "Initializing online Blitz ratings",
        "2.6": "Conversions and age",
    },
    "page": {
        "0": "About the calculator",
        "1": "How ratings work",
        "2": "K",
        "3": "Rating change",
        "4": "Bonus",
        "5": "Badges",
        "6": "Performance",
        "7": "Classes",
        "8": "Requirements",
        "9": "Disclaimer and links",
    },
}
OUT_OF_SCOPE = "Out of scope:"
_DEFINED = re.compile(r"^(?:(?:async )?def|class) (\w+)|^([A-Z_]+)(?:: [^=\n]+)? = ", re.MULTILINE)
_TEST = re.compile(r"^(?:async )?def test_(\w+)", re.MULTILINE)


class Sentence(NamedTuple):
    """A sentence, number or table of a document, and everything that answers it."""

    document: str
    place: str
    said: str
    code: tuple[str, ...]
    tests: tuple[str, ...]
    sources: tuple[str, ...]
    note: str

    @property
    def section(self) -> str:
        """The section of its document."""
        return self.place.rpartition("-")[0]


@cache
def sentences() -> tuple[Sentence, ...]:
    """Every sentence of every document, in order."""
    return tuple(one for document in DOCUMENTS for one in read(document, (DATA / f"{document}.txt").read_text("utf-8")))


def read(document: str, text: str) -> Iterator[Sentence]:
    """The sentences of a file of them."""
    for line in text.splitlines():
        if not line.startswith("#"):
            place, said, code, tests, sources, note = (part.strip() for part in line.split("|"))
            yield Sentence(document, place, said, _listed(code), _listed(tests), _listed(sources), note)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(filter(None, re.split(r",\s*", text)))


def unanswered(sentence: Sentence) -> Iterator[str]:
    """What a sentence lacks: code and tests that exist, or a reading or decision that puts it out of scope."""
    where = f"{sentence.document} {sentence.place}"
    if sentence.note.startswith(OUT_OF_SCOPE):
        if not sentence.sources:
            yield f"{where}: out of scope by no reading or decision"
    elif not sentence.code or not sentence.tests:
        yield f"{where}: no {'code' if sentence.tests else 'test'}"
    for found, names in ((files_of_code, sentence.code), (files_of_test, sentence.tests)):
        for name in names:
            if len(found(name)) != 1:
                yield f"{where}: {name} is in {len(found(name))} files"
    for source in sentence.sources:
        if _citation(source) not in existing():
            yield f"{where}: there is no {source}"


def _citation(source: str) -> tuple[str, str]:
    if source == "part-1":
        return "readings", "Part 1"
    return ("decision", source[1:]) if source.startswith("d") else ("readings", source)


@cache
def _index() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The files in which each function, class or constant of the program, and each test, is defined."""
    code: dict[str, list[str]] = defaultdict(list)
    tests: dict[str, list[str]] = defaultdict(list)
    for name, text in files().items():
        if name.startswith("src/") and name.endswith(".py"):
            for match in _DEFINED.finditer(text):
                code[match[1] or match[2]].append(name)
        elif name.startswith("tests/") and name.endswith(".py"):
            for found in _TEST.findall(text):
                tests[found].append(name)
    return code, tests


def files_of_code(name: str) -> list[str]:
    """The files that define a name; ``special.walk`` is the one of a module."""
    module, _, own = name.rpartition(".")
    return [file for file in _index()[0].get(own, []) if file.endswith(f"/{module.replace('.', '/')}.py") or not module]


def files_of_test(name: str) -> list[str]:
    """The files that define a test; ``s5_floors.name`` is the one of a module."""
    module, _, own = name.rpartition(".")
    return [file for file in _index()[1].get(own, []) if file.endswith(f"/test_{module}.py") or not module]


def spec_map(note: str) -> str:
    """The first page: the sentences of the text in force."""
    every = sentences()
    overruled = sum(one.note.startswith("Overruled") for one in every)
    lines = [
        "# Spec map\n\n",
        note,
        f"\nThe {len(every)} sentences, numbers and tables by which the rating documents say what is computed, in our\n"
        "own words: the code that computes it, the tests that hold it, and the [readings](readings.md) and\n"
        f"[decisions](decisions/README.md) behind it. {overruled} are overruled by another text or official results.\n"
        "[The rules and their dates](rules.md) has the values by date, [rule sets](rule-sets.md) every constant.\n"
        "The suite fails on a sentence without a test. The sentences of [earlier texts and of a calculator\n"
        "page](spec-map-earlier.md) have a page of their own.\n",
    ]
    return "".join([*lines, *_document("2025")])


def earlier_map(note: str) -> str:
    """The second page: earlier texts, and the claims of a calculator page."""
    title = "# Spec map: earlier texts, a calculator page\n\n"
    lines = [title, note, "\nThe second part of the [spec map](spec-map.md).\n"]
    return "".join([*lines, *(line for document in list(DOCUMENTS)[1:] for line in _document(document))])


def _document(document: str) -> Iterator[str]:
    yield f"\n## {DOCUMENTS[document]}\n"
    for section, name in OWN_TITLES[document].items():
        own = [one for one in sentences() if (one.document, one.section) == (document, section)]
        if own:
            mark = f"§{section} " if document != "page" and section in SECTIONS | {"2.4", "2.5", "2.6"} else ""
            yield f"\n### {mark}{name}\n\n| | sentence | code | tests | see |\n|---|---|---|---|---|\n"
            yield from map(_row, own)


def _row(one: Sentence) -> str:
    said = f"{one.said} *{one.note}*" if one.note else one.said
    code = ", ".join(_link(f"`{name.rpartition('.')[2]}`", files_of_code(name)) for name in one.code)
    tests = ", ".join(_link(name.rpartition(".")[2].replace("_", " "), files_of_test(name)) for name in one.tests)
    anchor = f'<a id="s{one.document}-{one.place}"></a>{one.place}'
    return f"| {anchor} | {said} | {code} | {tests} | {', '.join(map(_source, one.sources))} |\n".replace("  ", " ")


def _link(name: str, found: list[str]) -> str:
    return f"[{name}]({relpath(ROOT / found[0], DOCS)})" if found else f"**{name}**"


def _source(source: str) -> str:
    if source.startswith("d"):
        (page,) = (DOCS / "decisions").glob(f"{source[1:]}-*.md")
        return f"[decision {source[1:]}](decisions/{page.name})"
    if source == "part-1":
        return "[Part 1](readings.md#part-1)"
    return f"[{source}]({page_of_readings()[source]}#r{source})"
