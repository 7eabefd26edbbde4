"""§5: rating floors, and §7's ceilings.

Floors act once, on the result of Step 5 (readings 45). A player's peak is their highest post-event rating on more
than 25 games; two peaks are kept, of all time and since 2010-04-01, because the floors at 1200 and 1300 count only
the newer ones (readings 94, 115).
"""

import math
from typing import NamedTuple

from crosstable.formulas.rounding import official_rating
from crosstable.rules.constants import Constants
from crosstable.terms import FloorKind


class Level(NamedTuple):
    """A floor that a player has: its kind and its level, minus infinity for none."""

    kind: FloorKind
    level: float


class Limited(NamedTuple):
    """What floors and ceiling make of a rating (§5, §7); the last field is the result."""

    kind: FloorKind
    level: float
    is_at_ceiling: bool
    rating: float


def personal_absolute_floor(constants: Constants, wins: float, draws: float, events: float) -> float:
    """AF, between 100 and 150, over the board since 2008-08-07 (§5; readings 65, 66, 97)."""
    earned = constants.personal_per_win * wins + constants.personal_per_draw * draws
    earned += constants.personal_per_event * events
    return min(constants.absolute_floor + earned, constants.personal_floor_top)


def level_below(constants: Constants, peak: float) -> float:
    """The hundred at or just below a peak less 200, the peak rounded first (§5)."""
    lowered = float(official_rating(peak)) - constants.peak_drop
    return math.floor(lowered / constants.peak_step) * constants.peak_step


def peak_floor(constants: Constants, peak: float, peak_since_2010: float) -> float:
    """The floor a peak has earned, minus infinity for none (§5; readings 62 to 64, 94, 95). A missing peak is NaN."""
    if not math.isnan(peak):
        level = level_below(constants, peak)
        if level >= constants.peak_lowest:
            return min(level, constants.peak_highest)
    if not math.isnan(peak_since_2010):
        level = level_below(constants, peak_since_2010)
        if level >= constants.peak_lowest_since_2010:
            return min(level, constants.peak_highest)
    return -math.inf


def is_life_master_game(constants: Constants, rating: float, games: float) -> bool:
    """Whether games of a section count toward Original Life Master: established at 2200 or more (readings 69)."""
    return games > constants.established_above and official_rating(rating) >= constants.life_master_level


def life_master_floor(constants: Constants, games_at_2200: int) -> float:
    """2200 for an Original Life Master, Regular over the board only; minus infinity otherwise (§5; readings 70)."""
    return constants.life_master_level if games_at_2200 >= constants.life_master_games else -math.inf


def money_floor(constants: Constants, prize: float, limit: float) -> float:
    """The floor a prize sets in an under-``limit`` context, minus infinity for none (§5; readings 68)."""
    level = math.ceil(limit / constants.peak_step) * constants.peak_step
    if prize < constants.money_prize or level > constants.money_highest:
        return -math.inf
    return level


def higher(one: Level, other: Level) -> Level:
    """The higher of two floors; at equal levels the one named first in ``FloorKind``."""
    if other.level > one.level or (other.level == one.level and other.kind < one.kind):
        return other
    return one


def limited(rating: float, floor: Level, ceiling: float) -> Limited:
    """A rating held at its floor and under its ceiling (§5; readings 72)."""
    kind = floor.kind if rating < floor.level else FloorKind.NONE
    level = floor.level if rating < floor.level else -math.inf
    raised = max(rating, floor.level)
    return Limited(kind, level, raised > ceiling, min(raised, ceiling))
