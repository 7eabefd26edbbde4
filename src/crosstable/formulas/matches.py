"""§7: individual matches. Changes are held to so many points a match, so many net in 180 days, and in three years.

The limits act on the Step 5 change, before floors (readings 75); "net" is the signed sum (readings 74). Before
2006 fewer limits were in force (rules history §11).
"""

import math
from typing import NamedTuple

from crosstable.rules.constants import Constants

# Days are counted from 1 January of the year 1; the calendar's years begin in March, so that 29 February ends one.
DAYS_TO_MARCH = 305
DAYS_OF_400_YEARS = 146097


class MatchLimits(NamedTuple):
    """The working of the match limits (§7); the last field is the change that stands."""

    computed: float
    within_match: float
    within_half_year: float
    change: float


def held(change: float, net_before: float, limit: float) -> float:
    """A change held so that the net sum stays within ± limit; a sum already beyond it forces no way back."""
    most = max(0.0, limit - net_before)
    least = min(0.0, -limit - net_before)
    return min(max(change, least), most)


def match_change(constants: Constants, change: float, net_half_year: float, net_three_years: float) -> MatchLimits:
    """The change of a rating in a match (§7; readings 74, 107)."""
    within_match = held(change, 0.0, constants.match_change)
    within_half_year = held(within_match, net_half_year, constants.match_half_year)
    within_three_years = held(within_half_year, net_three_years, constants.match_three_years)
    return MatchLimits(change, within_match, within_half_year, within_three_years)


def first_day_of(year: int) -> int:
    """The day on which a year that begins in March begins."""
    return 365 * year + year // 4 - year // 100 + year // 400 - DAYS_TO_MARCH


def years_before(day: int, years: int) -> int:
    """The same day of the calendar so many years before, 28 February for the 29th (§7; readings 107)."""
    since_march = day + DAYS_TO_MARCH
    of_400_years = since_march % DAYS_OF_400_YEARS
    leap_days = of_400_years // 1460 - of_400_years // 36524 + of_400_years // 146096
    year = 400 * (since_march // DAYS_OF_400_YEARS) + (of_400_years - leap_days) // 365
    return first_day_of(year - years) + min(day - first_day_of(year), 364)


def may_play_match(constants: Constants, games: float, published_gap: float) -> bool:
    """Whether a player may play a rated match: established since 2006, published ratings within 400 (§7)."""
    if constants.match_needs_established and games <= constants.established_above:
        return False
    return math.fabs(published_gap) <= constants.match_published_gap
