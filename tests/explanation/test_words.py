"""The words of explanations: one template for every sentence, and no number of the rules in any of them."""

import re

import pytest

from crosstable.explanation.telling import EXACTLY, FULL, Figures, InFormula, kinds_in, plain
from crosstable.explanation.words import WORDS
from crosstable.rules.constants import Constants
from crosstable.rules.documents import NODES, PRIORITY_LIST, SECTIONS

PLACE = re.compile(r"\{[^}]*\}")
NUMBER = re.compile(r"(?<![\w'])\d+(?:\.\d+)?")
# What arithmetic itself needs: halves, powers, the bounds of an expectancy, the rounding of a half.
ARITHMETIC = {"0", "0.5", "1", "2", "10"}


@pytest.mark.parametrize("key", sorted(WORDS))
def test_a_sentence_has_no_number_of_the_rules_in_its_words(key: str) -> None:
    """Numbers come in by place: constants by their own names, so that they follow the edition."""
    words = WORDS[key]
    text = re.sub(r"Step \d", "", PLACE.sub("", words.template.text))
    assert not NUMBER.findall(text), text
    assert set(NUMBER.findall(PLACE.sub("", words.formula))) <= ARITHMETIC
    assert words.template.key == key
    assert words.template.text.endswith(".")
    assert words.rule in {"", "norms", PRIORITY_LIST, *SECTIONS, *NODES}


@pytest.mark.parametrize("key", sorted(WORDS))
def test_every_place_has_a_kind_and_constants_are_exact(key: str) -> None:
    """A constant is printed as it is; every other number has a kind that says how it is rounded."""
    words = WORDS[key]
    for name, kind in kinds_in(words.template.text, words.formula).items():
        assert kind.lstrip("+") in {"", "c", *FULL}
        if name in Constants._fields:
            assert kind == "c"


@pytest.mark.parametrize(
    ("number", "digits", "text"),
    [
        (7.39e-06, None, "0.00000739"),
        (-1e-05, None, "-0.00001"),
        (0.1, None, "0.1"),
        (3, None, "3"),
        (1850.0, None, "1850"),
        (23.616612, 4, "23.6166"),
        (-0.00001, 4, "0"),
        (1687.5, 0, "1688"),
        (100.0, 0, "100"),
        (float("inf"), None, "no limit"),
    ],
)
def test_numbers_are_printed_plainly(number: float, digits: int | None, text: str) -> None:
    assert plain(number, digits) == text


def test_one_template_is_printed_three_ways() -> None:
    """A sentence, a formula to be read and one to be evaluated; several numbers are added, groups multiplied."""
    values = {"change": -1.23456, "terms": ((2.0, 1500.25), 7.0)}
    template = "{terms:r} - {change:+p}"
    assert Figures().vformat(template, (), values) == "2 × 1500.25 + 7 - -1.2346"
    assert InFormula().vformat(template, (), values) == "2 × 1500.25 + 7 - (-1.2346)"
    assert EXACTLY.vformat(template, (), values) == "sum((2.0 * 1500.25, 7.0)) - (-1.23456)"
    assert EXACTLY.vformat("{one:r}", (), {"one": (1.5,)}) == "sum((1.5,))"
    assert Figures().vformat("{change:+p}", (), {"change": 2.0}) == "+2"
