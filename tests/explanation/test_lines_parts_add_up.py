"""§1 to §7: the numbers of an explanation add up to the rating that is posted.

Whoever re-adds the lines must arrive where the engine did; floats are added in the same order or nearly, so 1e-9 is
the room for the last digits. The special formula may stop within ε = 1e-7 of its equation (§4.1), but as its pieces
are straight it ends on the zero itself.
"""

import math
import re
from typing import Any

import pytest

from crosstable.engine import RatedSection
from crosstable.explanation import Line, explain
from crosstable.terms import Formula
from tests.explanation.sample import everybody, who_played

TOLERANCE = 1e-9
CITED = re.compile(r"§\d(\.\d)?|node \d|norms")


def values(lines: tuple[Line, ...], part: str, name: str, *sections: str) -> list[float]:
    """The numbers of some lines, by part, name and, where needed, the section cited."""
    return [
        line.value
        for line in lines
        if line.part == part and line.name == name and (not sections or line.section in sections)
    ]


def value(lines: tuple[Line, ...], part: str, name: str, *sections: str) -> float:
    """The number of the only such line."""
    (found,) = values(lines, part, name, *sections)
    return found


def passes(rated: RatedSection) -> tuple[str, ...]:
    """The parts in which a rating is computed."""
    return ("Foreign event",) if rated.section.kind.is_foreign else ("Step 4", "Step 5")


def test_every_line_cites_a_section_or_is_an_assumption() -> None:
    """§1: nothing is said without saying where it stands."""
    for _, _, player, lines in who_played():
        for line in lines:
            if line.key in ("assumed", "rules.document", "rules.rows"):
                assert line.section == line.document == ""
                assert line.key != "assumed" or line.text.removesuffix(".") in player.assumed
            else:
                assert CITED.fullmatch(line.section), line
                assert line.document or line.section == "norms"
            assert line.text.endswith("."), line


def test_the_standard_formula_re_adds() -> None:
    """§4.2: the expectancies are E, and R0 + K(S - E) + bonus is the rating."""
    seen = 0
    for _, rated, player, lines in who_played():
        if player.formula is not Formula.STANDARD:
            continue
        prior = player.start.initial.rating if player.start else value(lines, "Step 1", "prior")
        for part in passes(rated):
            k, score, expected = (value(lines, part, name) for name in ("k", "score", "expected"))
            change, bonus = value(lines, part, "change"), value(lines, part, "bonus")
            assert math.fsum(values(lines, part, "expectancy")) == pytest.approx(expected, abs=TOLERANCE)
            assert k * (score - expected) == pytest.approx(change, abs=TOLERANCE)
            assert prior + change + bonus == pytest.approx(value(lines, part, "rating", "§4.2"), abs=TOLERANCE)
            seen += 1
    assert seen > 500


def test_the_special_formula_solves_its_equation() -> None:
    """§4.1: N'·PWe(M, R0') and the expectancies of the games add up to S'; 2700 is the most."""
    seen = 0
    for _, rated, player, lines in who_played():
        first = ("Step 3",) if values(lines, "Step 3", "strength") else ()
        special = passes(rated) if player.formula is Formula.SPECIAL else ()
        for part in (*first, *special):
            attained = value(lines, part, "adjusted_score")
            assert math.fsum(values(lines, part, "expectancy")) == pytest.approx(attained, abs=TOLERANCE)
            capped = min(value(lines, part, "uncapped"), 2700.0)
            assert value(lines, part, "rating", "§4.1") == capped
            seen += 1
    assert seen > 500


def test_games_are_met_at_what_the_opponents_own_explanations_say() -> None:
    """§1: Step 4 meets priors or first estimates, Step 5 the results of Step 4; texts show four decimals."""
    seen = 0
    by_place = {(id(told.rated), told.player.number): told.lines for told in everybody()}
    for _, rated, _, lines in who_played():
        for line in lines:
            met = re.match(r"Round \d+: .* player (\d+), met at (-?[\d.]+), ", line.text)
            if met and line.part in ("Step 4", "Step 5"):
                expected = strength_told(by_place[id(rated), int(met[1])], line.part)
                assert expected is None or float(met[2]) == pytest.approx(expected, abs=5.1e-5)
                seen += expected is not None
    assert seen > 500


def strength_told(lines: tuple[Line, ...], part: str) -> float | None:
    """What a player's own explanation says they are met at; nothing where they played no rated game themselves."""
    if part == "Step 5":
        found = values(lines, "Step 4", "rating")  # the last one is that after the limit of 100
        return found[-1] if found else None
    for name in ("strength", "prior", "rating"):
        for step in ("Step 3", "Step 1"):
            if found := values(lines, step, name, *(("§2",) if name == "rating" else ())):
                return found[-1]
    return None


def test_the_sources_of_a_blend_average_to_its_start() -> None:
    """§2: W = G·S, R0 the weighted average rounded, N the sum of weights, at most 10, rounded up."""
    seen = 0
    for _, _, player, lines in who_played():
        weights = values(lines, "Step 1", "weight")
        if not weights or not values(lines, "Step 1", "total_weight") or player.start is None:
            continue
        factors = zip(values(lines, "Step 1", "game_factor"), values(lines, "Step 1", "staleness_factor"), strict=True)
        assert weights == pytest.approx([factor * staleness for factor, staleness in factors], abs=TOLERANCE)
        total = math.fsum(weights)
        converted = values(lines, "Step 1", "converted")
        mean = math.fsum(w * x for w, x in zip(weights, converted, strict=True)) / total
        assert total == pytest.approx(value(lines, "Step 1", "total_weight"), abs=TOLERANCE)
        assert mean == pytest.approx(value(lines, "Step 1", "mean"), abs=TOLERANCE)
        assert value(lines, "Step 1", "rating") == math.floor(value(lines, "Step 1", "mean") + 0.5)
        assert value(lines, "Step 1", "games") == max(1, math.ceil(min(10.0, total) - TOLERANCE))
        seen += 1
    assert seen > 30


def test_limits_floors_ceilings_and_storage_explain_the_rating_that_stands() -> None:
    """§5, §7: from the result of the last pass to the posted rating by nothing but what the lines say."""
    seen: set[str] = set()
    for section, rated, player, lines in who_played():
        computed = values(lines, passes(rated)[-1], "rating", "§4.1", "§4.2")[-1]
        row = next(row for row in section["players"] if row["number"] == player.number)
        record = row["ratings"].get(rated.system.name, {})
        arrived, why = re_added(lines, computed, record)
        assert player.after is not None
        assert value(lines, "Result", "rating") == player.after.rating
        assert arrived == pytest.approx(player.after.rating, abs=TOLERANCE), lines
        assert value(lines, "Result", "official") == math.floor(player.after.rating + 0.5)
        seen |= why
    assert seen == {"match", "floor", "ceiling", "stored", "first"}


def re_added(lines: tuple[Line, ...], computed: float, record: dict[str, Any]) -> tuple[float, set[str]]:
    """The rating that the lines lead to, and which limits they name on the way."""
    why = set()
    rating = computed
    if changes := values(lines, "Result", "limited_change"):
        assert value(lines, "Result", "computed") == pytest.approx(computed - record["rating"], abs=TOLERANCE)
        rating = record["rating"] + changes[0]
        why.add("match")
    if floors := values(lines, "Result", "floor"):
        assert rating < floors[0]
        rating = floors[0]
        why.add("floor")
    if any("ceiling" in line.text for line in lines):
        assert rating > record["ceiling"]
        rating = record["ceiling"]
        why.add("ceiling")
    if any("whole numbers were stored" in line.text for line in lines):
        why.add("stored" if record else "first")
        rating = stored(rating, record.get("rating"))
    return rating, why


def stored(rating: float, before: float | None) -> float:
    """Readings 81: whole numbers, up on a gain, down on a loss, a new rating to the nearest."""
    if before is None:
        return math.floor(rating + 0.5 + TOLERANCE)
    return math.ceil(rating - TOLERANCE) if rating > before else math.floor(rating + TOLERANCE)


def test_who_did_not_play_is_told_so() -> None:
    """§7, readings 40: one line about the rules and one about the result, at least."""
    seen = 0
    for told in everybody():
        if told.player.formula is Formula.NONE:
            assert {line.part for line in told.lines} - {"Foreign event"} == {"Rules", "Result"}
            (said,) = (line for line in told.lines if line.name == "post")
            assert said.text.endswith(", so the rating is untouched.")
            seen += 1
    assert seen > 20


def test_nobody_can_be_explained_who_is_not_there() -> None:
    with pytest.raises(KeyError):
        explain(everybody()[0].rated, 9999)
