"""From the result of Step 5 to the rating that stands: match limits (§7), floors (§5), ceiling, storage (§7).

The order is that of readings 45, 72, 75 and 81: a match's limits act on the computed change, floors once on what
is left, then the ceiling, then, before 2014-09, the rounding to whole numbers.
"""

import math
from typing import NamedTuple

from crosstable.formulas.floors import Level, higher, life_master_floor, limited, peak_floor, personal_absolute_floor
from crosstable.formulas.matches import match_change
from crosstable.formulas.rounding import stored_first, stored_whole
from crosstable.rules.constants import Constants
from crosstable.terms import FloorKind, RatingSystem


class Merits(NamedTuple):
    """What a player's record says about floors: counts include the section just rated (readings 97).

    ``lowered_floor`` is the level to which the office lowered the floors that follow from play, of the peak and of an
    Original Life Master, infinite for none (§7; readings 71). Decided floors come lowered.
    """

    wins: float
    draws: float
    events: float
    is_established: bool
    peak: float
    peak_since_2010: float
    lowered_floor: float
    games_at_2200: int


class MatchPast(NamedTuple):
    """Net match changes of the last 180 days and three years (§7)."""

    is_match: bool
    net_half_year: float
    net_three_years: float


class Outcome(NamedTuple):
    """What became of a computed rating; the last field is the rating that stands.

    ``limited_change`` is NaN unless a match limit acted, ``floor_level`` minus infinity unless a floor did,
    ``requested_floor`` NaN unless the result of a match asks for a lower floor (§7, item 4; readings 76).
    """

    limited_change: float
    floor_kind: FloorKind
    floor_level: float
    requested_floor: float
    is_at_ceiling: bool
    rating: float


def standing_floor(constants: Constants, system: int, merits: Merits, decided: Level) -> Level:
    """The highest floor of a player: absolute, personal, peak, Original Life Master, or decided (§5)."""
    best = Level(FloorKind.ABSOLUTE, constants.absolute_floor)
    if constants.personal_floor_is_used and system < RatingSystem.OLR:
        personal = personal_absolute_floor(constants, merits.wins, merits.draws, merits.events)
        best = higher(best, Level(FloorKind.PERSONAL, personal))
    if merits.is_established:
        earned = peak_floor(constants, merits.peak, merits.peak_since_2010)
        best = higher(best, Level(FloorKind.PEAK, min(earned, merits.lowered_floor)))
    if system == RatingSystem.OTBR:
        title = life_master_floor(constants, merits.games_at_2200)
        best = higher(best, Level(FloorKind.LIFE_MASTER, min(title, merits.lowered_floor)))
    return higher(best, decided)


def is_above_floors(
    constants: Constants, rating: float, pre_event: float, peak: float, peak_since_2010: float, games_at_2200: int
) -> bool:
    """Whether a rating is above every floor that a record can have earned, decided ones aside (§5).

    A peak floor lies below its peak, rounded, by the drop or more; without a peak on record the pre-event rating is
    it. Then no floor has to be worked out.
    """
    reach = 0.5 - constants.peak_drop
    if rating <= pre_event + reach or rating <= peak + reach or rating <= peak_since_2010 + reach:
        return False
    if rating <= constants.absolute_floor or rating <= constants.personal_floor_top:
        return False
    return games_at_2200 < constants.life_master_games


def requested_floor(constants: Constants, match: MatchPast, kind: FloorKind, level: float) -> float:
    """The floor that a match result asks for, 100 points below the one it met; NaN for none (§7, item 4)."""
    can_be_lowered = kind != FloorKind.NONE and kind < FloorKind.ABSOLUTE
    if match.is_match and can_be_lowered and constants.floor_request_drop > 0.0:
        return level - constants.floor_request_drop
    return math.nan


def outcome(
    constants: Constants, pre_event: float, computed: float, match: MatchPast, floor: Level, ceiling: float
) -> Outcome:
    """The rating that stands after a section; ``pre_event`` is NaN for a player who was unrated (§5, §7)."""
    value = computed
    change = math.nan
    if match.is_match and not math.isnan(pre_event):
        limits = match_change(constants, computed - pre_event, match.net_half_year, match.net_three_years)
        if limits.change != limits.computed:
            value = pre_event + limits.change
            change = limits.change
    held = limited(value, floor, ceiling)
    rating = held.rating
    if constants.stores_whole_numbers and math.isnan(pre_event):
        rating = stored_first(rating)
    elif constants.stores_whole_numbers:
        rating = stored_whole(pre_event, rating)
    request = requested_floor(constants, match, held.kind, held.level)
    return Outcome(change, held.kind, held.level, request, held.is_at_ceiling, rating)
