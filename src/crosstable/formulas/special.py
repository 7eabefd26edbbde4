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

from crosstable.rules.constants import Constants
from crosstable.terms import Past
from crosstable.tuples import NamedTuple

# ε of the text: it compares values of f, not ratings (readings 50).
TOLERANCE = 1e-7
# (R + 400) - R need not be 400 in floating point; without slack the count p goes wrong (readings 47).
SPREAD_SLACK = 1e-6
# Straight pieces that are looked at before the walk is walked: nearly always one or two are enough.
LOOKS = 6


class SpecialRating(NamedTuple):
    """The working of one special rating (§4.1); the last field is the result."""

    adjusted_prior: float
    adjusted_score: float
    converged: bool
    uncapped: float
    rating: float


def provisional_expectancy(rating: float, opponent: float, spread: float) -> float:
    """PWe, the provisional winning expectancy (§4.1)."""
    # A straight line between its two ends, not a curve: so f consists of straight pieces, which can be solved exactly.
    linear = 0.5 + (rating - opponent) / (2.0 * spread)
    if linear <= 0.0:
        return 0.0
    if linear >= 1.0:
        return 1.0
    return linear


def adjusted_prior(constants: Constants, prior: float, past: int) -> float:
    """R0': 400 lower after nothing but wins, 400 higher after nothing but losses (§4.1; readings 39, 51)."""
    # For every N: the 2025 text adds "regardless of N" to the older wording (readings 39).
    if past == Past.ALL_WINS:
        return prior - constants.special_spread
    if past == Past.ALL_LOSSES:
        return prior + constants.special_spread
    return prior


def adjusted_score(score: float, effective: float, past: int) -> float:
    """S': the score with that of the effective games before (§4.1)."""
    if past == Past.ALL_WINS:
        return score + effective
    if past == Past.ALL_LOSSES:
        return score
    # A mixed past counts as one half of the games before, as if they had been played at R0 itself.
    return score + effective / 2.0


class Piece(NamedTuple):
    """What the walk sees at M: f, the knots next to it (z_a, z_b), and how f slopes towards each (§4.1)."""

    surplus: float
    below: float
    above: float
    slope_below: float
    slope_above: float


def surplus(
    guess: float, prior: float, effective: float, target: float, opponents: Sequence[float], spread: float
) -> float:
    """f(R), expected minus attained score of a player rated ``guess`` (§4.1)."""
    return piece_at(guess, prior, effective, target, opponents, spread).surplus


def piece_at(
    guess: float, prior: float, effective: float, target: float, opponents: Sequence[float], spread: float
) -> Piece:
    """The value f(M) at ``guess``, and the straight pieces that meet there (§4.1, steps 2a and 3a).

    Below ends at z_a, the largest knot below, above at z_b, the smallest knot above; f slopes by 1/800 for each
    opponent whose 400 points a piece lies within, and by N'/800 for R0'.
    """
    # R0' counts like N' opponents of its strength.
    low = prior - spread
    high = prior + spread
    total = effective * provisional_expectancy(guess, prior, spread)
    below = high if high < guess else low if low < guess else -math.inf
    above = low if low > guess else high if high > guess else math.inf
    # On a knot f bends, so the slopes on its two sides are kept apart.
    falling = effective if low < guess <= high else 0.0
    rising = effective if low <= guess < high else 0.0
    for opponent in opponents:
        low = opponent - spread
        high = opponent + spread
        total += provisional_expectancy(guess, opponent, spread)
        if low < guess:
            below = max(below, high if high < guess else low)
            if guess <= high:
                falling += 1.0
        if high > guess:
            above = min(above, low if low > guess else high)
            if guess >= low:
                rising += 1.0
    return Piece(total - target, below, above, falling / (2.0 * spread), rising / (2.0 * spread))


def toward_zero(guess: float, piece: Piece) -> float:
    """One move of the walk: to the zero of the straight piece, or to its knot if that comes first (§4.1, 2b, 3b)."""
    # Expected more than was scored: M is too high, so the walk goes down; else up.
    if piece.surplus > 0.0:
        # Where f is flat as far as the knot there is nothing to solve for; dividing by its slope would leave the piece.
        if piece.slope_below * (guess - piece.below) < TOLERANCE or piece.slope_below == 0.0:
            return piece.below
        return max(guess - piece.surplus / piece.slope_below, piece.below)
    if piece.slope_above * (piece.above - guess) < TOLERANCE or piece.slope_above == 0.0:
        return piece.above
    return min(guess - piece.surplus / piece.slope_above, piece.above)


def is_anchored(guess: float, prior: float, opponents: Sequence[float], spread: float) -> bool:
    """Whether p > 0: somebody, or R0', is within 400 points of the solution (§4.1, step 4)."""
    # Without the slack 52 of 40,000 random cases went wrong, by as much as 800 points (readings 47).
    if math.fabs(guess - prior) <= spread + SPREAD_SLACK:
        return True
    for opponent in opponents:
        if math.fabs(guess - opponent) <= spread + SPREAD_SLACK:
            return True
    return False


def nearest_to_prior(guess: float, prior: float, adjusted: float, opponents: Sequence[float], spread: float) -> float:
    """Step 4b of §4.1: with p = 0, R0 held between the two knots around the solution (readings 48)."""
    # From R0' this is never reached in exact arithmetic; it is kept because the text has it, and compares R0, not R0'.
    piece = piece_at(guess, adjusted, 0.0, 0.0, opponents, spread)
    return min(max(prior, piece.below), piece.above)


class Straight(NamedTuple):
    """The straight piece of f around a rating (§4.1): the zero of its line, and whether it is f's only one.

    ``is_sound`` says that the piece slopes, and that no knot is near the rating at which it was looked at.
    """

    zero: float
    is_sound: bool


def straight_through(
    guess: float, prior: float, effective: float, target: float, opponents: Sequence[float], spread: float
) -> Straight:
    """The zero of the line that f follows at ``guess``: whom one expects to beat counts 1, who is within 400 a part."""
    # So near to a knot f changes by less than the walk's tolerance, which could stop it there.
    clear = 2.0 * spread * TOLERANCE
    within = spread - clear
    beyond = spread + clear
    ahead = guess - prior
    is_inside = math.fabs(ahead) < within
    weight = effective if is_inside else 0.0
    total = effective * prior if is_inside else 0.0
    beaten = effective if ahead > beyond else 0.0
    is_clear = is_inside or math.fabs(ahead) > beyond
    for opponent in opponents:
        ahead = guess - opponent
        if -within < ahead < within:
            weight += 1.0
            total += opponent
        elif ahead > beyond:
            beaten += 1.0
        elif ahead >= -beyond:
            is_clear = False
    if weight < 1.0:
        return Straight(math.nan, False)
    zero = (total + 2.0 * spread * (target - beaten - 0.5 * weight)) / weight
    is_off_start = math.fabs(zero - prior) > clear  # at R0' itself the walk would stop
    return Straight(zero, is_off_start and is_clear)


def only_zero(prior: float, effective: float, target: float, opponents: Sequence[float], spread: float) -> float:
    """The zero of f where f rises through it, which is then the only one and the end of the walk; NaN if not found.

    Each look gives the zero of one straight piece; one that lies on its own piece is the zero of f. The first look is
    for the piece on which everybody is within 400 points: there most zeros lie. Whatever comes near a knot or R0',
    where the walk's tolerance may stop it, is left to the walk.
    """
    weight = effective
    total = effective * prior
    for opponent in opponents:
        weight += 1.0
        total += opponent
    if weight < 1.0:
        return math.nan
    guess = (total + 2.0 * spread * (target - 0.5 * weight)) / weight
    # Newton's method, which is exact on a function of straight pieces as soon as it hits the right one.
    for _ in range(LOOKS):
        piece = straight_through(guess, prior, effective, target, opponents, spread)
        if piece.zero == guess:
            return guess if piece.is_sound else math.nan
        if math.isnan(piece.zero):
            break
        guess = piece.zero
    return math.nan


class Solution(NamedTuple):
    """Where the search ended, and whether at a zero of f."""

    rating: float
    converged: bool


def walk(
    prior: float, start: float, effective: float, target: float, opponents: Sequence[float], spread: float
) -> Solution:
    """The walk of §4.1, steps 1 to 4: from R0' along the straight pieces of f to its zero."""
    # From R0', not from the weighted mean that the older texts print: the mean fails in 1,018 of 40,000 random cases
    # (readings 46).
    guess = start
    converged = False
    # Each move reaches the next knot or the zero before it, and there are 2m + 2 knots.
    for _ in range(4 * len(opponents) + 16):
        piece = piece_at(guess, start, effective, target, opponents, spread)
        if math.fabs(piece.surplus) <= TOLERANCE:
            converged = True
            break
        guess = toward_zero(guess, piece)
        if piece.below < guess < piece.above:  # the zero of a straight piece
            converged = True
            break
    # Step 4: with nobody within reach f is zero on a whole stretch, and the text takes the point nearest to R0.
    if not is_anchored(guess, start, opponents, spread):
        guess = nearest_to_prior(guess, prior, start, opponents, spread)
    return Solution(guess, converged)


def special_rating(
    constants: Constants, prior: float, effective: float, past: int, score: float, opponents: Sequence[float]
) -> SpecialRating:
    """The special rating of a player against these opponents, at most 2700 (§4.1; readings 52)."""
    spread = constants.special_spread
    start = adjusted_prior(constants, prior, past)
    target = adjusted_score(score, effective, past)
    # The quick way first; whatever it cannot settle is left to the walk of the text.
    found = only_zero(start, effective, target, opponents, spread)
    converged = True
    if math.isnan(found):
        walked = walk(prior, start, effective, target, opponents, spread)
        found = walked.rating
        converged = walked.converged
    # The cap holds each time the formula runs, in Step 3 too; the standard formula has none (readings 52).
    return SpecialRating(start, target, converged, found, min(found, constants.special_cap))
