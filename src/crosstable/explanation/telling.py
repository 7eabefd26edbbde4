"""Saying one sentence: the edition's constants and the section's numbers put into its words."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from crosstable.engine import RatedPlayer, RatedSection
from crosstable.explanation.figures import EXACTLY, Figures, InFormula, kinds_in, readable
from crosstable.explanation.words import WORDS
from crosstable.rules.constants import Constants
from crosstable.rules.documents import PRIORITY_LIST, cited

_NOTHING: Mapping[str, Any] = MappingProxyType({})
# Left out where a formula is its value already: one weight, one game, a limit that is none.
_EQUALS = "{formula} = "


class Line(NamedTuple):
    """One sentence of an explanation: its part, the §, the words, and the number it speaks of (NaN: none).

    ``key`` names its template and ``values`` what was put in; ``document`` is the text whose § is cited. ``formula`` is
    the number in Python's arithmetic, with every digit; ``None`` where nothing is computed or the number is rounded.
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
