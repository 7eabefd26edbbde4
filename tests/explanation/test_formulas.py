"""§1 to §7: every formula that an explanation prints gives the number beside it, and the text prints that number."""

import re

import pytest

from crosstable.explanation import Line, explain
from crosstable.explanation.words import WORDS
from tests.engine.by_file import rated_file
from tests.event_files import event_file, player
from tests.explanation.formulas import evaluated
from tests.explanation.sample import everybody

TOLERANCE = 1e-9
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")


def prints_its_value(line: Line) -> bool:
    """Whether a number of the text is the value within its own rounding."""
    return any(
        abs(float(number) - line.value) <= 0.5 * 10.0 ** -len(number.partition(".")[2]) + TOLERANCE
        for number in NUMBER.findall(line.text)
    )


def test_every_formula_gives_its_value() -> None:
    """Evaluated outside of the engine, over random sections of all editions, systems, starts and kinds."""
    seen: dict[str, int] = {}
    for told in everybody():
        for line in told.lines:
            if line.formula is not None:
                assert evaluated(line.formula) == pytest.approx(line.value, abs=TOLERANCE, rel=0.0), line
                seen[line.key] = seen.get(line.key, 0) + 1
    assert sum(seen.values()) > 20_000
    assert len(seen) > 40


def test_every_text_prints_its_value() -> None:
    """The number of a line stands in its text, rounded to the decimals printed."""
    said_otherwise = {"result.untouched", "start.no_birth_date"}
    for told in everybody():
        for line in told.lines:
            if line.name and line.key not in said_otherwise:
                assert prints_its_value(line), line


def test_a_number_that_is_computed_has_a_formula() -> None:
    """What has none is a number that was given, or stands in the rules: its text says so without an equation."""
    for key, words in WORDS.items():
        assert not words.formula or words.name, key
        assert words.formula or "{formula}" not in words.template.text, key


def test_a_text_shows_the_formula_with_rounded_numbers() -> None:
    """§3: the example of the text, 1700 on 30 games: the same formula twice, to be typed and to be read."""
    rated = rated_file(event_file(player(1, "W2", 1700.0, 30), player(2, "L1", 1700.0))).rated[0][0]
    (line,) = (line for line in explain(rated, 1) if line.symbol == "N*")
    assert line.formula == "50.0 / sqrt(0.662 + 7.39e-06 * (2569.0 - 1700.0) ** 2)"
    assert "N* = 50 / √(0.662 + 0.00000739 × (2569 - 1700)²) = 20.01" in line.text
    assert (line.document, line.section) == ("2025 text", "§3")


@pytest.mark.parametrize("text", ["x", "__import__('os')", "'a'", "1 if 1 else 2", "abs(1)", "True", "1 // 2", "~1"])
def test_what_is_no_formula_is_not_evaluated(text: str) -> None:
    with pytest.raises(ValueError, match="no formula"):
        evaluated(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [("800 / (16 + 4)", 40.0), ("sum((1, 2.5))", 3.5), ("-2 ** 2", -4.0), ("max(0, floor(2.7)) - ceil(0.2)", 1.0)],
)
def test_the_evaluator_knows_the_arithmetic_of_the_interface(text: str, number: float) -> None:
    assert evaluated(text) == number
