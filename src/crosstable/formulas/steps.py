"""§1: the five steps, over positions and sequences.

A section is a field of players at positions 0 to n-1 and a row of game sides: those of player i are the sides
``first[i]`` up to ``first[i + 1]``, each with the position of the opponent. Every quantity is a column, and the
steps write their working into the columns of a sheet, so that one text serves the explained and the compiled use.
Step 1, the initial ratings of §2, has been done before: ``prior`` and ``games`` hold its results.
"""

from collections.abc import MutableSequence, Sequence

from crosstable.formulas.special import special_rating
from crosstable.formulas.standard import (
    dual_k_factor,
    effective_games,
    expected_score,
    half_k_factor,
    k_factor,
    odds,
    updated,
)
from crosstable.rules.constants import Constants
from crosstable.terms import Formula, KRule, Past
from crosstable.tuples import NamedTuple


class Field(NamedTuple):
    """What the five steps read: a column per quantity, a position per player or per game side."""

    prior: MutableSequence[float]
    games: MutableSequence[float]
    past: MutableSequence[int]
    starts_at_zero: MutableSequence[bool]
    score: MutableSequence[float]
    earns_bonus: MutableSequence[bool]
    first: Sequence[int]
    opponent: Sequence[int]


class PassColumns(NamedTuple):
    """The working of Step 4 or Step 5, a position per player; ``rating`` is its result, at least 100."""

    k: MutableSequence[float]
    expected: MutableSequence[float]
    bonus: MutableSequence[float]
    computed: MutableSequence[float]
    rating: MutableSequence[float]


class Sheet(NamedTuple):
    """What the five steps write: N', the strengths before Step 4, two passes; and room to work in."""

    effective: MutableSequence[float]
    strength: MutableSequence[float]
    intermediate: PassColumns
    final: PassColumns
    prior_odds: MutableSequence[float]
    odds: MutableSequence[float]
    met: MutableSequence[float]


def formula_for(constants: Constants, games: float, past: int) -> Formula:
    """The formula of Step 4: special up to eight games or with all wins or all losses (§1, §4; readings 38, 54)."""
    # On N, not on N', as a note in Step 4 says (readings 54).
    if games <= constants.special_games or past != Past.MIXED:
        return Formula.SPECIAL
    return Formula.STANDARD


def past_of(games: float, wins: float, draws: float, losses: float) -> Past:
    """All wins or all losses so far; credited games are neither, and no games at all is mixed (readings 38, 93).

    Half-K sections count half in N, so wins can be more than the games. Draws may be unknown (NaN).
    """
    # Of no games any statement is true, so the words need a reading (readings 38); one draw ends an all-wins past.
    if games <= 0.0 or draws > 0.0:
        return Past.MIXED
    # Games credited at the start are neither won nor lost, so they keep a player out: 7 of 7 official cases
    # (readings 93).
    if wins >= games and losses == 0.0:
        return Past.ALL_WINS
    if losses >= games and wins == 0.0:
        return Past.ALL_LOSSES
    return Past.MIXED


def section_k(constants: Constants, rule: KRule, prior: float, effective: float, played: float) -> float:
    """K by the kind of section (§4.2)."""
    if rule == KRule.HALF:
        return half_k_factor(constants, effective, played)
    if rule == KRule.DUAL:
        return dual_k_factor(constants, prior, effective, played)
    return k_factor(constants, effective, played)


def step_2(constants: Constants, field: Field, sheet: Sheet) -> None:
    """Effective games of every player, and the odds of their prior, which both passes use (§1, Step 2)."""
    for i in range(len(field.prior)):
        sheet.effective[i] = effective_games(constants, field.prior[i], field.games[i])
        sheet.prior_odds[i] = odds(field.prior[i])


def step_3(constants: Constants, field: Field, sheet: Sheet) -> bool:
    """First estimates of players who start on no games; everybody else keeps their prior (§1, Step 3; readings 37).

    Opponents stand at their pre-event or initial ratings. Returns whether every solution was found.
    """
    converged = True
    for i in range(len(field.prior)):
        sheet.strength[i] = field.prior[i]
    for i in range(len(field.prior)):
        # Only the opponents use this, in Step 4; for themselves these players stay at N' = 0 (readings 37).
        if field.starts_at_zero[i]:
            meet(field, sheet, field.prior, i)
            opponents = sheet.met[field.first[i] : field.first[i + 1]]
            estimate = special_rating(
                constants, field.prior[i], constants.step_3_games, Past.MIXED, field.score[i], opponents
            )
            sheet.strength[i] = max(estimate.rating, constants.absolute_floor)
            converged = converged and estimate.converged
    return converged


def meet(field: Field, sheet: Sheet, strength: Sequence[float], i: int) -> None:
    """Lay out the strengths that a player meets, one for each of their games."""
    for side in range(field.first[i], field.first[i + 1]):
        sheet.met[side] = strength[field.opponent[side]]


def lay_odds(field: Field, sheet: Sheet, strength: Sequence[float]) -> None:
    """The odds of everybody's strength in a pass."""
    for i in range(len(field.prior)):
        is_prior = strength[i] == field.prior[i]
        sheet.odds[i] = sheet.prior_odds[i] if is_prior else odds(strength[i])


def one_pass(
    constants: Constants, rule: KRule, field: Field, sheet: Sheet, strength: Sequence[float], out: PassColumns
) -> bool:
    """Step 4 or Step 5: everyone is rated from their prior against the same strengths (§1; readings 43, 44, 55)."""
    converged = True
    # Strengths are those from before the pass for everybody, so the order of players does not matter.
    lay_odds(field, sheet, strength)
    for i in range(len(field.prior)):
        begin = field.first[i]
        end = field.first[i + 1]
        if begin == end:  # who did not play keeps their prior, and is met at it (readings 40)
            out.computed[i] = field.prior[i]
        elif formula_for(constants, field.games[i], field.past[i]) == Formula.SPECIAL:
            meet(field, sheet, strength, i)
            special = special_rating(
                constants, field.prior[i], sheet.effective[i], field.past[i], field.score[i], sheet.met[begin:end]
            )
            out.k[i] = 0.0
            out.expected[i] = 0.0
            out.bonus[i] = 0.0
            out.computed[i] = special.rating
            converged = converged and special.converged
        else:
            k = section_k(constants, rule, field.prior[i], sheet.effective[i], float(end - begin))
            expected = expected_score(sheet.prior_odds[i], sheet.odds, field.opponent[begin:end])
            bonus_games = float(end - begin) if field.earns_bonus[i] else 0.0
            update = updated(constants, field.prior[i], k, field.score[i] - expected, expected, bonus_games)
            out.k[i] = update.k
            out.expected[i] = update.expected
            out.bonus[i] = update.bonus
            out.computed[i] = update.rating
        # The only limit inside the steps; all other floors wait for the result (readings 45).
        out.rating[i] = max(out.computed[i], constants.absolute_floor)
    return converged


def five_steps(constants: Constants, rule: KRule, field: Field, sheet: Sheet) -> bool:
    """Steps 2 to 5 over one section; returns whether every special rating was found (§1)."""
    step_2(constants, field, sheet)
    first = step_3(constants, field, sheet)
    # Two passes: on the crosstable of 2015 the error is 0.35 points, with three 2.09, with one 9.2 (readings 44).
    fourth = one_pass(constants, rule, field, sheet, sheet.strength, sheet.intermediate)
    fifth = one_pass(constants, rule, field, sheet, sheet.intermediate.rating, sheet.final)
    return first and fourth and fifth
