"""Numbers in sentences and formulas: what kind each one is, and how many decimals that kind is printed with.

A place such as ``{prior:r}`` says that a rating is put in; ``{change:+p}`` are points with their sign. Several
numbers in one place are added, numbers in a group within it multiplied.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache
from string import Formatter
from typing import Any

from crosstable.sentences import american

# Constants and counts are always exact; the other kinds are rounded to so many decimals, what ratings are multiplied or
# divided by to more, so that a pocket calculator gives the printed ratings.
EXACT = "c"
FULL: Mapping[str, int] = {
    "r": 4,  # ratings
    "p": 4,  # points that a rating gains or loses
    "k": 6,  # K
    "e": 6,  # expectancies
    "n": 6,  # effective games
    "w": 6,  # ages, weights and what they are made of
}


def plain(number: float, digits: int | None) -> str:
    """A number without exponent and without zeros at its end; ``None`` digits are all of them."""
    if math.isinf(number):
        return "no limit"
    if digits is None:  # as many as tell this number from its neighbours
        mantissa, _, exponent = repr(float(number)).partition("e-")
        digits = len(mantissa.partition(".")[2]) + int(exponent or 0)
    text = f"{number:.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


@lru_cache(maxsize=1024)
def pieces_of(template: str) -> tuple[tuple[str, str | None, str | None, str | None], ...]:
    """A template taken apart: words, the place after them, and the kind of its number."""
    return tuple(Formatter().parse(template))


class _Filling(Formatter):
    """A formatter that takes each template apart only once."""

    def vformat(self, format_string: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """A template with its places filled."""
        return "".join(
            words if name is None else words + self.format_field(kwargs[name], kind or "")
            for words, name, kind, _ in pieces_of(format_string)
        )


class Figures(_Filling):
    """Puts numbers into sentences, each kind with its decimals."""

    def __init__(self, digits: Mapping[str, int] = FULL) -> None:
        self.digits = digits

    def format_field(self, value: Any, format_spec: str) -> str:  # noqa: ANN401 (what the base class takes)
        """One number, or several that are added; texts and dates as they are."""
        if isinstance(value, tuple):
            return " + ".join(" × ".join(self.parts(one, format_spec)) for one in value)
        if not format_spec:
            return american(value) if isinstance(value, date) else str(value)
        digits = self.digits.get(format_spec[-1])
        text = plain(value, digits)
        return f"+{text}" if format_spec[0] == "+" and not text.startswith("-") else text

    def parts(self, value: Any, format_spec: str) -> list[str]:  # noqa: ANN401 (a number or a group of them)
        """The factors of one of the numbers that are added."""
        return [self.format_field(one, format_spec) for one in (value if isinstance(value, tuple) else (value,))]

    def rounded(self, value: Any, kind: str) -> Any:  # noqa: ANN401 (whatever a place holds)
        """A value with no more decimals than are printed."""
        if isinstance(value, tuple):
            return tuple(self.rounded(one, kind) for one in value)
        digits = self.digits.get(kind[-1:])
        if digits is None or not isinstance(value, float) or not math.isfinite(value):
            return value
        return float(plain(value, digits))


class InFormula(Figures):
    """The same for a formula that is read: a negative number that others stand before is put in brackets."""

    def format_field(self, value: Any, format_spec: str) -> str:  # noqa: ANN401 (what the base class takes)
        """One number, in brackets where it is negative."""
        text = super().format_field(value, format_spec.lstrip("+"))
        return f"({text})" if text.startswith("-") and not isinstance(value, tuple) else text


class Exactly(_Filling):
    """Puts numbers into formulas that programs evaluate: with every digit they have."""

    def format_field(self, value: Any, format_spec: str) -> str:  # noqa: ANN401 (what the base class takes)
        """One number, or the sum of several."""
        if isinstance(value, tuple):
            terms = [" * ".join(map(self._number, one if isinstance(one, tuple) else (one,))) for one in value]
            return f"sum(({', '.join(terms)}{',' if len(terms) == 1 else ''}))"
        return self._number(value)

    @staticmethod
    def _number(value: float) -> str:
        return f"({value!r})" if value < 0 else repr(value)


EXACTLY = Exactly()


@lru_cache(maxsize=1024)
def kinds_in(*templates: str) -> Mapping[str, str]:
    """The places of some templates, each with the kind of its number."""
    pieces = [piece for template in templates for piece in pieces_of(template)]
    return {name: kind or "" for _, name, kind, _ in pieces if name is not None}


@lru_cache(maxsize=1024)
def readable(formula: str) -> str:
    """A formula as people write it; what only makes up for the last digits of floats is left out."""
    for old, new in (
        *((" ** 2", "²"), ("10 ** ", "10^"), (" * ", " × "), ("sqrt(", "√("), ("exp(", "e^(")),
        *((" + {slack:c}", ""), (" - {slack:c}", "")),
    ):
        formula = formula.replace(old, new)
    return formula
