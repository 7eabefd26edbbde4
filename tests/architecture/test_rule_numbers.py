"""A number of the rules stands in rules/ and nowhere else: code reads it from the edition, sentences print it so.

Docstrings may quote a document; code and texts may not. Where the same number means something else, the list below says
what.
"""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.architecture.source import PACKAGE, Module, modules, snippet

# Numbers of the rating document and of older ones that mean little else: 25 games and one more, the personal floor, the
# days of match play, the spread and the gap, starts, K, floors, effective games and the special formula.
RULE_NUMBERS = frozenset(
    {25, 26, 150, 180, 400, 750, 800, 1200, 1300, 1400, 2100, 2150, 2200, 2355, 2500, 2569, 2700, 6.5, 0.0025, 0.662}
)
# Rules as words spell them.
RULE_WORDS = re.compile(r"\b(eight games|twenty-five games|three times, or twice|ten times the root)\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.#/:-])\d+(?:\.\d+)?(?![\w%-])")
# rules/ is their place; the calculation's own words live in explanation/ and have a test of their own.


class Allowed(NamedTuple):
    """Numbers that a module may hold, and what they are there."""

    numbers: frozenset[float]
    reason: str


def allowed(reason: str, *numbers: float) -> Allowed:
    """Some numbers with their reason; none stands for all."""
    return Allowed(frozenset(numbers or RULE_NUMBERS), reason)


# module, or a folder of them → why.
ALLOWED: dict[str, Allowed] = {
    "crosstable.calculator.figures": allowed(
        "classes (official facts §2), FIDE's table, the old page's arithmetic, the bands of measured errors",
        *(26, 400, 800, 1200, 1400, 2200),
    ),
    "crosstable.calculator.texts": allowed("examples, and the list of classes", 6.5, 400, 800, 1200, 1400),
    "crosstable.calculator.reading": allowed("the most fields of a link", 150),
    "crosstable.calculator.requests": allowed("the last year that is taken", 2100),
    "crosstable.calculator.uncertainty": allowed("levels of the fitted deviations", 1400, 2200),
    "crosstable.cli.calculator": allowed("the name of a method, the algorithm of 400", 400),
    "crosstable.cli.estimate": allowed("the name of a method, the algorithm of 400", 400),
    "crosstable.cli.lab": allowed("years of a federation", 25),
    "crosstable.formats": allowed(
        "columns of files, versions of TRF, letters of columns, examples", 26, 400, 1300, 1400, 2150
    ),
    "crosstable.formulas.outcome": allowed("the leap years of the calendar", 400),
    "crosstable.formulas.norms": allowed("norms (official facts §1), which are no part of the document"),
    "crosstable.formulas.standard": allowed("the scale of the winning expectancy, the same in every text (§4.2)", 400),
    "crosstable.lab": allowed("made-up people, bands of ratings and ages, sizes of drawings"),
    "crosstable.limits": allowed("the last year that a year of birth can be", 2100),
    "crosstable.office.bulk.compiled": allowed("how far a peak lies above all that matters", 400),
    "crosstable.office.published": allowed("the last year of a list", 2200),
    "crosstable.office.titles": allowed("the National Master's title (official facts §1)", 2200),
    "crosstable.output.charts": allowed("sizes of drawings, steps of axes", 25, 26),
    "crosstable.output.crosstable_html": allowed("the weight of a font", 400),
    "crosstable.output.tie_breaks": allowed("the performance of the rulebook's 34E10", 400),
    "crosstable.web": allowed("the HTTP status of a bad request", 400),
}


def found_in(module: Module) -> Iterator[tuple[int, float]]:
    """The lines of a module that hold a number of the rules, docstrings apart."""
    docstrings = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr):
                docstrings.add(id(first.value))
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Constant) or id(node) in docstrings:
            continue
        if type(node.value) in (int, float) and node.value in RULE_NUMBERS:
            yield node.lineno, float(str(node.value))
        elif isinstance(node.value, str):
            yield from ((node.lineno, number) for number in numbers_in(node.value))


def numbers_in(text: str) -> Iterator[float]:
    """Numbers of the rules in a text; a rule in words counts as 0, which is allowed nowhere."""
    yield from (float(found) for found in _NUMBER.findall(text) if float(found) in RULE_NUMBERS)
    if RULE_WORDS.search(text):
        yield 0.0


def reason_for(name: str) -> Allowed | None:
    """What the list says of a module or of the folder it is in."""
    parts = name.split(".")
    names = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((ALLOWED[one] for one in names if one in ALLOWED), None)


def number_faults(module: Module) -> Iterator[str]:
    """Numbers of the rules in a module that the list does not allow, as sentences."""
    may_hold = reason_for(module.name)
    for line, number in found_in(module):
        if may_hold is None or number not in may_hold.numbers:
            yield f"{module.name}:{line} holds {number:g}, a number of the rules: read it from the edition"


def ours() -> list[Module]:
    """Every module but those whose matter the rules are."""
    return [module for module in modules() if not module.name.startswith("crosstable.rules")]


def test_no_number_of_the_rules_stands_outside_of_them() -> None:
    assert len(ours()) > 300
    faults = [fault for module in ours() for fault in number_faults(module)]
    assert not faults, "\n".join(faults)


def test_no_template_of_the_site_holds_one() -> None:
    """The text of a page; figures of drawings and lengths of fields stand in tags. An algorithm has 400 in its name."""
    pages = sorted((PACKAGE / "web" / "templates").rglob("*.html"))
    assert len(pages) > 20
    found = [
        (page.name, number)
        for page in pages
        for number in numbers_in(re.sub(r"<[^>]*>|\{[%{#].*?[%}#]\}", " ", page.read_text("utf-8"), flags=re.DOTALL))
    ]
    assert found == [("calculator.html", 400.0)]


def test_no_finding_has_a_number_of_its_own() -> None:
    """What the catalogue says of rules comes from an edition, what it says of our checks from ``limits``."""
    catalogue = [module for module in modules() if module.name in ("crosstable.catalogue", "crosstable.finding_kinds")]
    assert len(catalogue) == 2
    examples = re.compile(r"A1234567|G/60;d5|1, 2, 3 …|\bd0\b|\{[^}]*\}")
    texts = [node.value for module in catalogue for node in ast.walk(module.tree) if isinstance(node, ast.Constant)]
    found = [text for text in texts if isinstance(text, str) and re.search(r"\d", examples.sub("", text))]
    assert found == []


def test_every_reason_is_still_needed() -> None:
    used: dict[str, set[float]] = {name: set() for name in ALLOWED}
    for module in ours():
        for _, number in found_in(module):
            reason = reason_for(module.name)
            (name,) = [one for one, given in ALLOWED.items() if given is reason]
            used[name].add(number)
    assert not [name for name, numbers in used.items() if not numbers]
    assert not [
        (name, sorted(given.numbers - used[name]))
        for name, given in ALLOWED.items()
        if given.numbers != RULE_NUMBERS and given.numbers - used[name]
    ]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("ESTABLISHED_ABOVE = 25.0", 25),
        ("def f(games):\n    return games < 26", 26),
        ("x = 'K = 800/(N + m)'", 800),
        ("x = f'{gap:.0f} points apart; 400 is the most.'", 400),
        ("x = 'K is smaller above 2200'", 2200),
        ("x = 'On eight games or fewer'", 0),
    ],
)
def test_a_number_of_the_rules_is_found(text: str, number: float) -> None:
    (fault,) = number_faults(snippet("crosstable.checks.new", text))
    assert fault.startswith(f"crosstable.checks.new:{text.count(chr(10)) + 1} holds {number:g},")


@pytest.mark.parametrize(
    "text",
    [
        '"""Established above 25 games."""',
        "def f():\n    '''Cap 2700 (§4.1).'''",
        "x = '2025-04-25'",
        "x = 'G/60;d5 1500P12 #400'",
        "x = 24",
    ],
)
def test_what_only_quotes_or_means_something_else_passes(text: str) -> None:
    assert list(number_faults(snippet("crosstable.checks.new", text))) == []
