"""§3: effective games, and §4.2: the standard formula, for players with more than eight games and a mixed past.

=========  =======================================================================
symbol     here
=========  =======================================================================
N, N*      ``games`` (infinite where not known), ``most_effective_games``
N', m      ``effective``, ``played``
R0         ``prior``
K          ``k``
S, E       ``score``, ``expected``
We         ``winning_expectancy``
B, m'      ``bonus_threshold``, the larger of m and 4
=========  =======================================================================

Expectancies use q(R) = 10^(R/400): We(R, Ri) = q(R) / (q(R) + q(Ri)), one exponential per player and pass.
"""

import math
from collections.abc import Sequence

from crosstable.rules.constants import Constants
from crosstable.tuples import NamedTuple


def most_effective_games(constants: Constants, prior: float) -> float:
    """N*, the games a rating of this height can be worth (§3, equation 1)."""
    # Above the limit N* is at its cap, which the curve would leave again; the text prints it as a case of its own.
    if prior > constants.effective_limit:
        return constants.effective_cap
    below = constants.effective_centre - prior
    spread = constants.effective_base + constants.effective_slope * (below * below)
    return constants.effective_cap / math.sqrt(spread)


def effective_games(constants: Constants, prior: float, games: float) -> float:
    """N', the smaller of N and N* (§3)."""
    # Not rounded: on the crosstable of 2015 rounding lets the error grow from 0.35 to 0.95 points (readings 44).
    return min(games, most_effective_games(constants, prior))


# So many points are odds of ten to one: the definition of the rating scale.
RATING_SCALE = 400.0
ODDS_SCALE = math.log(10.0) / RATING_SCALE
# Odds grow no further than e to this power, which no rating comes near to: two such can still be added.
MOST_ODDS = 700.0


class StandardUpdate(NamedTuple):
    """The working of one standard update (§4.2); the last field is the result."""

    k: float
    expected: float
    change: float
    bonus: float
    rating: float


def odds(rating: float) -> float:
    """q(R) = 10^(R/400), the scale on which expectancies are ratios (§4.2); as e^(R ln 10 / 400), which is quicker."""
    return math.exp(min(rating * ODDS_SCALE, MOST_ODDS))


def winning_expectancy(own_odds: float, opponent_odds: float) -> float:
    """We, the standard winning expectancy, from the odds of the two (§4.2)."""
    return own_odds / (own_odds + opponent_odds)


def expected_score(own_odds: float, odds_of: Sequence[float], opponents: Sequence[int]) -> float:
    """E, the total winning expectancy against the players at these positions (§4.2)."""
    # In the order of the games, so that interpreted and compiled sums have the same bits.
    total = 0.0
    for opponent in opponents:
        total += winning_expectancy(own_odds, odds_of[opponent])
    return total


def k_factor(constants: Constants, effective: float, played: float) -> float:
    """K of a full-K section (§4.2); the weight of N' is 1 in every edition (readings 103)."""
    # The weight is there for a fault that was never a rule: online pages last rated by 2021-06-16 took 2N'. No edition
    # limits K; rule sets may.
    return min(constants.k_numerator / (constants.k_effective_weight * effective + played), constants.k_cap)


def half_k_factor(constants: Constants, effective: float, played: float) -> float:
    """K of a half-K section, an organiser's option until 2006 (2004 text; rules history §8)."""
    # Half K also halves what the section adds to N, hence the half of m below the line.
    return min((constants.k_numerator / 2.0) / (effective + played / 2.0), constants.k_cap)


def dual_k_factor(constants: Constants, prior: float, effective: float, played: float) -> float:
    """K of a Regular rating in a dual-rated section: smaller above 2200 (§4.2; readings 56 to 58, 99)."""
    # R0 decides in both passes, above the level and not at it (readings 56).
    if not constants.dual_k_is_reduced or prior <= constants.dual_k_above:
        return k_factor(constants, effective, played)
    if prior >= constants.dual_k_flat_from:
        return min(constants.dual_k_flat / (effective + played), constants.k_cap)
    # At its lower end the share is 1, which is full K; at its upper end it meets the flat K.
    share = constants.dual_k_base - constants.dual_k_slope * prior
    return min(constants.k_numerator * share / (effective + played), constants.k_cap)


def may_earn_bonus(constants: Constants, played: int, most_meetings: int) -> bool:
    """Whether the bonus term applies: enough games and nobody met too often (§4.2; readings 41, 42, 91)."""
    # A third meeting never earns one; on three games not even a second: 4 of 4 official cases deny it (readings 91).
    if played < constants.bonus_games or most_meetings > constants.bonus_meetings:
        return False
    return played > constants.bonus_games or most_meetings <= constants.bonus_meetings_in_three


def bonus_points(constants: Constants, change: float, played: float) -> float:
    """What a change exceeds the threshold B√m' by (§4.2)."""
    # The threshold grows with the root of the games, and three of them count as four.
    rounds = max(played, constants.bonus_least_games)
    return max(0.0, change - constants.bonus_threshold * math.sqrt(rounds))


def standard_update(
    constants: Constants, prior: float, k: float, score: float, opponents_odds: Sequence[float], earns_bonus: bool
) -> StandardUpdate:
    """The standard rating of a player against these opponents (§4.2)."""
    expected = expected_score(odds(prior), opponents_odds, range(len(opponents_odds)))
    return updated(constants, prior, k, score - expected, expected, float(len(opponents_odds)) if earns_bonus else 0.0)


def updated(
    constants: Constants, prior: float, k: float, surplus: float, expected: float, bonus_games: float
) -> StandardUpdate:
    """The standard rating from S - E (§4.2); ``bonus_games`` is m, or 0 where no bonus may be earned."""
    # In both passes: without the bonus in Step 4 the error on the crosstable of 2015 is 3.15 points, not 0.35
    # (readings 43).
    change = k * surplus
    bonus = bonus_points(constants, change, bonus_games) if bonus_games > 0.0 else 0.0
    return StandardUpdate(k, expected, change, bonus, prior + change + bonus)
