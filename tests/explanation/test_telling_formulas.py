"""§1 to §7: every formula that an explanation prints gives the number beside it, and the text prints that number."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, groupby
from typing import Any

import pytest

from crosstable.engine import RatedSection
from crosstable.explanation import explain
from crosstable.explanation.words import WORDS
from crosstable.pipeline.explaining import line_objects
from tests.amounts import amount
from tests.engine.by_file import rated_file
from tests.event_files import event_file, player
from tests.explanation.checker import IN_FORMULA, NUMBER, Case, Checker
from tests.explanation.formulas import evaluated
from tests.explanation.sample import SEEDS, everybody, rated_from, told_from

MUTATED = amount(3, 40)


def case_of(section: dict[str, Any], rated: RatedSection) -> Case:
    """What the checker sees beside the lines."""
    results = [
        {
            "number": player.number,
            "merged_with": player.merged_with,
            "assumed": player.assumed,
            "pre": None if player.before is None else player.before.rating,
            "post": None if player.after is None else player.after.rating,
            "initial": None if player.start is None else [player.start.initial.rating, player.start.initial.games],
            "met at": [player.strength, player.intermediate.rating],
        }
        for player in rated.players
    ]
    days = (rated.section.start, rated.section.end)
    return Case(section, results, days, rated.edition, rated.system.name)


def test_every_explanation_can_be_recomputed() -> None:
    """Over random sections of all editions, systems, starts and kinds: what the checker asks of every line."""
    more = (rated for seed in range(SEEDS, amount(SEEDS, 5000)) for rated in rated_from(seed))
    seen: Counter[str] = Counter()
    for _, together in groupby(chain(everybody(), told_from(more)), key=lambda told: id(told.rated)):
        everyone = tuple(together)
        case = case_of(everyone[0].section, everyone[0].rated)
        for told in everyone:
            lines = line_objects(told.lines)
            problems = Checker(case, told.player.number).problems(lines)
            assert not problems, "\n".join(problems)
            seen.update(line["key"] for line in lines if line["formula"] is not None)
    assert seen.total() > 20_000
    assert len(seen) > 50


def mutations(line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A line with any one of the numbers of its text, of its formula and of its value changed."""
    if line["value"] is not None:
        yield {**line, "value": line["value"] + 0.37}
    for name, numbers in (("text", NUMBER), ("formula", IN_FORMULA)):
        for found in numbers.finditer(line[name] or ""):
            changed = repr(float(found[0]) * 1.01 + (0.3713 if name == "text" else 0.0) or 0.37)
            yield {**line, name: f"{line[name][: found.start()]}{changed}{line[name][found.end() :]}"}


def test_any_number_that_is_changed_is_found_out() -> None:
    """The checker itself: of each sentence of the sample some lines, and of them every number that is printed."""
    seen: Counter[str] = Counter()
    tried = 0
    for told in everybody():
        if all(seen[line.key] >= MUTATED for line in told.lines):
            continue
        checker = Checker(case_of(told.section, told.rated), told.player.number)
        for line in line_objects(told.lines):
            if seen[line["key"]] < MUTATED:
                seen[line["key"]] += 1
                for mutated in mutations(line):
                    tried += 1
                    assert any(checker.about(mutated)), mutated
            assert not list(checker.about(line))
    assert tried > 1000


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
