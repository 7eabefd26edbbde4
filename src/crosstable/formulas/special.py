"""§4.1: the special rating formula, for players with eight or fewer games or with all wins or all losses.

=========  =======================================================================
symbol     here
=========  =======================================================================
R0, R0'    ``prior``, ``adjusted_prior``
N'         ``effective``
S, S'      ``score``, ``adjusted_score``
M          ``guess``
f          ``surplus``: expected minus attained score at a rating
S_z        the knots: each opponent and R0', 400 points up and down
ε          ``TOLERANCE``
=========  =======================================================================

The walk starts at R0' (readings 46) and stops at the point of the zero set of f nearest to it (readings 49).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from crosstable.rules.constants import Constants
from crosstable.terms import Past

# ε of the text: it compares values of f, not ratings (readings 50).
TOLERANCE = 1e-7
# (R + 400) - R need not be 400 in floating point; without slack the count p goes wrong (readings 47).
SPREAD_SLACK = 1e-6


class SpecialRating(NamedTuple):
    """The working of one special rating (§4.1); the last field is the result."""

    adjusted_prior: float
    adjusted_score: float
    steps: int
    converged: bool
    uncapped: float
    rating: float


def provisional_expectancy(rating: float, opponent: float, spread: float) -> float:
    """PWe, the provisional winning expectancy (§4.1)."""
    if rating <= opponent - spread:
        return 0.0
    if rating >= opponent + spread:
        return 1.0
    return 0.5 + (rating - opponent) / (2.0 * spread)


def adjusted_prior(constants: Constants, prior: float, past: Past) -> float:
    """R0': 400 lower after nothing but wins, 400 higher after nothing but losses (§4.1)."""
    if past == Past.ALL_WINS:
        return prior - constants.special_spread
    if past == Past.ALL_LOSSES:
        return prior + constants.special_spread
    return prior


def adjusted_score(score: float, effective: float, past: Past) -> float:
    """S': the score with that of the effective games before (§4.1)."""
    if past == Past.ALL_WINS:
        return score + effective
    if past == Past.ALL_LOSSES:
        return score
    return score + effective / 2.0


def surplus(
    guess: float, prior: float, effective: float, target: float, opponents: Sequence[float], spread: float
) -> float:
    """f(R), expected minus attained score of a player rated ``guess`` (§4.1)."""
    total = effective * provisional_expectancy(guess, prior, spread)
    for opponent in opponents:
        total += provisional_expectancy(guess, opponent, spread)
    return total - target


def knot_below(guess: float, prior: float, opponents: Sequence[float], spread: float) -> float:
    """z_a, the largest knot below ``guess`` (§4.1, step 2a)."""
    best = -math.inf
    for side in (-spread, spread):
        if best < prior + side < guess:
            best = prior + side
        for opponent in opponents:
            if best < opponent + side < guess:
                best = opponent + side
    return best


def knot_above(guess: float, prior: float, opponents: Sequence[float], spread: float) -> float:
    """z_b, the smallest knot above ``guess`` (§4.1, step 3a)."""
    best = math.inf
    for side in (-spread, spread):
        if guess < prior + side < best:
            best = prior + side
        for opponent in opponents:
            if guess < opponent + side < best:
                best = opponent + side
    return best


def toward_knot(guess: float, at_guess: float, knot: float, at_knot: float) -> float:
    """One move of the walk: to the zero of the straight piece, or to its knot if that comes first (§4.1, 2b, 3b)."""
    if math.fabs(at_guess - at_knot) < TOLERANCE:
        return knot
    step = guess - at_guess * ((guess - knot) / (at_guess - at_knot))
    if knot < guess:
        return max(step, knot)
    return min(step, knot)


def is_anchored(guess: float, prior: float, opponents: Sequence[float], spread: float) -> bool:
    """Whether p > 0: somebody, or R0', is within 400 points of the solution (§4.1, step 4)."""
    if math.fabs(guess - prior) <= spread + SPREAD_SLACK:
        return True
    for opponent in opponents:
        if math.fabs(guess - opponent) <= spread + SPREAD_SLACK:
            return True
    return False


def nearest_to_prior(guess: float, prior: float, adjusted: float, opponents: Sequence[float], spread: float) -> float:
    """Step 4b of §4.1: with p = 0, R0 held between the two knots around the solution (readings 48)."""
    below = knot_below(guess, adjusted, opponents, spread)
    above = knot_above(guess, adjusted, opponents, spread)
    return min(max(prior, below), above)


def special_rating(
    constants: Constants, prior: float, effective: float, past: Past, score: float, opponents: Sequence[float]
) -> SpecialRating:
    """The special rating of a player against these opponents (§4.1, steps 1 to 4)."""
    spread = constants.special_spread
    start = adjusted_prior(constants, prior, past)
    target = adjusted_score(score, effective, past)
    guess = start
    converged = False
    steps = 0
    here = surplus(guess, start, effective, target, opponents, spread)
    # Each move reaches the next knot or the zero before it, and there are 2m + 2 knots.
    for _ in range(4 * len(opponents) + 16):
        if math.fabs(here) <= TOLERANCE:
            converged = True
            break
        if here > 0.0:
            knot = knot_below(guess, start, opponents, spread)
        else:
            knot = knot_above(guess, start, opponents, spread)
        there = surplus(knot, start, effective, target, opponents, spread)
        guess = toward_knot(guess, here, knot, there)
        here = there if guess == knot else surplus(guess, start, effective, target, opponents, spread)
        steps += 1
    if not is_anchored(guess, start, opponents, spread):
        guess = nearest_to_prior(guess, prior, start, opponents, spread)
    return SpecialRating(start, target, steps, converged, guess, min(guess, constants.special_cap))
