"""Formulas keep to the dialect that people, the interpreter and the compiler read alike."""

import pytest

from tests.architecture.dialect import dialect_faults
from tests.architecture.source import modules, snippet

GOOD = '''
"""Initial ratings (§2). Symbols: R0 is the prior, N the games."""

import math
from collections.abc import MutableSequence, Sequence
from typing import Final, NamedTuple, Protocol

from crosstable.formulas.standard import effective_games
from crosstable.rules.constants import Constants
from crosstable.rules import constants
from crosstable.terms import Formula, RatingSystem

__all__ = ["Prior", "prior"]
BOUND: Final = 50
"""How often a solution is tried."""


class Prior(NamedTuple):
    """The working (§2)."""

    games: int
    points: tuple[float, ...]
    has_converged: bool
    rating: float


class Record(Protocol):
    """What is changed in place (§7)."""

    games: float


def count(record: Record, played: float) -> None:
    """N grows by m (§7)."""
    record.games += played


def prior(rating: float, opponents: Sequence[float], given: Constants) -> Prior:
    """The prior (§2)."""
    total = 0.0
    for opponent in opponents:
        total += math.pow(10.0, (opponent - rating) / 400.0)
    for _ in range(BOUND):
        total = total * total
        if total < 1.0:
            break
    for place, opponent in enumerate(opponents):
        total += place * opponent
    for one, other in zip(opponents, opponents):
        total += one * other
    points = tuple([point + 1.0 for point in given.points])
    return Prior(games=len(opponents), points=points, has_converged=total < 1.0, rating=max(total, 100.0))


def write_all(ratings: MutableSequence[float], systems: "Sequence[RatingSystem]") -> None:
    """Everyone (§1)."""
    if not systems:
        return
    for place in range(len(ratings)):
        ratings[place] = math.floor(ratings[place] + 0.5)


def write_twice(ratings: MutableSequence[float], systems: Sequence[RatingSystem]) -> None:
    """Twice (§1)."""
    write_all(ratings, systems)
    write_all(ratings, systems)
'''

# what is wrong, and the number of the rule that says so
BAD = [
    ("def f(x: float | None) -> float:\n    return 1.0", 1),
    ("def f(x: Optional[float]) -> float:\n    return 1.0", 1),
    ("def f(x: dict[int, float]) -> float:\n    return 1.0", 1),
    ("def f(x: Mapping[int, float]) -> float:\n    return 1.0", 1),
    ("def f(x: str) -> float:\n    return 1.0", 1),
    ("def f(x: 'Sequence[str]') -> float:\n    return 1.0", 1),
    ("def f(x: datetime.date) -> float:\n    return 1.0", 1),
    ("def f(x: typing.Any) -> float:\n    return 1.0", 1),
    ("def f(x) -> float:\n    return 1.0", 1),
    ("def f(x: float):\n    return 1.0", 1),
    ("def f(x: float) -> float | None:\n    return x", 1),
    ("def f(x: float) -> None:\n    y = x", 1),
    ("def f(x: float) -> float:\n    y = None\n    return x", 1),
    ("def f(x: float) -> float:\n    y: str\n    return x", 1),
    ("def f(x: float) -> float:\n    return float('inf')", 1),
    ("def f(x: int) -> int:\n    return {1: 2}[x]", 1),
    ("def f(x: int) -> bool:\n    return x in {1, 2}", 1),
    ("class Working:\n    rating: float", 1),
    ("class Working(NamedTuple):\n    name: str", 1),
    ("TABLE: dict[int, float] = made()", 1),
    ("CODES = 'CMS'", 1),
    ("import numpy", 2),
    ("import collections", 2),
    ("from collections import Counter", 2),
    ("from datetime import date", 2),
    ("from enum import IntEnum", 2),
    ("import logging", 2),
    ("from crosstable.rules.editions import edition_for", 2),
    ("from crosstable.errors import ConvergenceError", 2),
    ("from crosstable.terms_of_old import Result", 2),
    ("def f(x: float) -> float:\n    import math\n    return x", 2),
    ("def f(x: float) -> float:\n    return x ** 2", 3),
    ("def f(x: float) -> float:\n    x **= 2\n    return x", 3),
    ("def f(x: float) -> float:\n    return pow(x, 2)", 3),
    ("def f(x: Sequence[float]) -> float:\n    return sum(x)", 4),
    ("def f(x: Sequence[float]) -> float:\n    return math.fsum(x)", 4),
    ("def f(x: float) -> float:\n    while x > 1.0:\n        x = x / 2.0\n    return x", 5),
    ("def f(x: float) -> float:\n    for y in steps(x):\n        x = y\n    return x", 5),
    ("def f(x: float) -> float:\n    for y in map(g, (x, x)):\n        x = y\n    return x", 5),
    ("def f(x: float) -> float:\n    return f(x / 2.0)", 5),
    ("def f(x: float) -> float:\n    try:\n        return 1.0 / x\n    finally:\n        pass", 6),
    ("def f(x: float) -> float:\n    raise ValueError", 6),
    ("def f(x: float) -> float:\n    with x:\n        return x", 6),
    ("def f(x: float) -> float:\n    g = lambda y: y\n    return g(x)", 6),
    ("def f(x: float) -> float:\n    return g(f'{x}')", 6),
    ("def f(x: Sequence[float]) -> bool:\n    return any(y > 1.0 for y in x)", 6),
    ("def f(x: float = 1.0) -> float:\n    return x", 6),
    ("def f(*, x: float) -> float:\n    return x", 6),
    ("def f(*x: float) -> float:\n    return x[0]", 6),
    ("def f(x: float) -> float:\n    return g(**x)", 6),
    ("@njit()\ndef f(x: float) -> float:\n    return x", 6),
    ("def f(x: float) -> float:\n    def g(y: float) -> float:\n        return y\n    return g(x)", 6),
    ("class Working(NamedTuple):\n    rating: float = 1.0", 6),
    ("class Working(NamedTuple):\n    x: float\n\n    def f(self: float) -> float:\n        return self", 6),
    ("def f(x: float) -> float:\n    print(x)\n    return x", 6),
    ("def f(x: float) -> float:\n    return round(x)", 7),
]


def test_every_formula_keeps_to_the_dialect() -> None:
    formulas = [module for module in modules() if module.package == "formulas"]
    assert len(formulas) > 1
    faults = [fault for module in formulas for fault in dialect_faults(module)]
    assert not faults, "\n".join(faults)


def test_the_dialect_has_what_formulas_need() -> None:
    assert dialect_faults(snippet("crosstable.formulas.good", GOOD)) == []


@pytest.mark.parametrize(("text", "rule"), BAD)
def test_what_is_not_in_the_dialect_is_found(text: str, rule: int) -> None:
    faults = dialect_faults(snippet("crosstable.formulas.bad", text))
    assert {fault.split(" ")[1] for fault in faults} == {f"{rule}:"}
