"""Saying one sentence: the edition's constants and the section's numbers put into its words.

A place such as ``{prior:r}`` says that a rating is put in; ``{change:+p}`` are points with their sign. The kind of a
number says how many decimals it is printed with. Several numbers in one place are added, numbers in a group within it
multiplied.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache
from string import Formatter
from types import MappingProxyType
from typing import Any, NamedTuple

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.explanation.words import WORDS
from crosstable.rules.constants import Constants
from crosstable.rules.documents import PRIORITY_LIST, cited
from crosstable.sentences import american

# Constants and counts are always exact; the other kinds are rounded to so many decimals, what ratings are multiplied or
# divided by to more, so that a pocket calculator gives the printed ratings.
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


_NOTHING: Mapping[str, Any] = MappingProxyType({})
# Left out where a formula is its value already: one weight, one game, a limit that is none.
_EQUALS = "{formula} = "


class Line(NamedTuple):
    """One sentence of an explanation: its part, the §, the text, and the number it is about (NaN if there is none).

    ``key`` names the template of the sentence, and ``values`` what was filled in. ``document`` is the rating document
    of the §. ``formula`` is how the number is computed, as Python arithmetic with every digit; it is ``None`` in a line
    that computes nothing.
    """

    part: str
    section: str
    text: str
    name: str
    value: float
    key: str = ""
    values: Mapping[str, Any] = _NOTHING
    document: str = ""
    symbol: str = ""
    formula: str | None = None


class Telling(NamedTuple):
    """Who is told about, and with how many decimals; ``is_exact`` says that nothing is held back."""

    rated: RatedSection
    player: RatedPlayer
    figures: Figures
    in_formula: InFormula
    is_exact: bool

    @property
    def constants(self) -> Constants:
        """The numbers of the rules that rated."""
        return self.rated.edition.constants

    def line(self, part: str, key: str, value: float = math.nan, /, **values: Any) -> Line:  # noqa: ANN401
        """The sentence of this id about a number, with the values of its other places."""
        words = WORDS[key]
        formula = words.formula
        kinds = kinds_in(words.template.text, formula)
        found: dict[str, Any] = {}
        for name in kinds:
            if name == "value":
                found[name] = value
            elif name != "formula":
                found[name] = getattr(self.constants, name) if name in Constants._fields else values[name]
        shown = self.in_formula.vformat(readable(formula), (), found)
        template = words.template
        if _EQUALS in template.text and shown == self.in_formula.format_field(value, kinds["value"]):
            template = template._replace(text=template.text.replace(_EQUALS, ""))
        text = template.say(self.figures, **found, formula=shown).text
        rule = f"{PRIORITY_LIST} {self.rated.system.name}" if words.rule == PRIORITY_LIST else words.rule
        place = cited(self.rated.edition.effective, rule)
        if self.is_exact:
            return Line(
                *(part, place.section, text, words.name, value, key, found, place.document, words.symbol),
                EXACTLY.vformat(formula, (), found) if formula else None,
            )
        printed = kinds_in(words.template.text)
        if "formula" in printed:
            printed = kinds
        kept = {name: self.figures.rounded(one, kinds[name]) for name, one in found.items() if name in printed}
        rounded = self.figures.rounded(value, kinds["value"]) if "value" in printed else math.nan
        return Line(part, place.section, text, words.name, rounded, key, kept, place.document, words.symbol, None)


def telling(rated: RatedSection, player: RatedPlayer, digits: Mapping[str, int] | None = None) -> Telling:
    """A telling about one player: in full, or with so many decimals of each kind of number."""
    if digits is None:
        return Telling(rated, player, Figures(), InFormula(), is_exact=True)
    return Telling(rated, player, Figures(digits), InFormula(digits), is_exact=False)
