"""From the result of Step 5 to the rating that stands: match limits (§7), floors (§5), ceiling and storage (§7).

The order is that of readings 45, 72, 75 and 81: a match's limits act on the computed change, floors once on what
is left, then the ceiling, then, before 2014-09, the rounding to whole numbers. Ratings are computed as floats; the
official figure is the nearest whole number, halves up.

A player's peak is their highest post-event rating on more than 25 games. Two peaks are kept, of all time and since
2010-04-01, because the floors at 1200 and 1300 count only the newer ones (readings 94, 115). A match's changes are held
to so many points a match, so many net in 180 days and in three years; "net" is the signed sum (readings 74). Before
2006 fewer limits were in force (rules history §11).
"""

import math

from crosstable.rules.constants import Constants
from crosstable.terms import FloorKind, RatingSystem
from crosstable.tuples import NamedTuple

# A computed rating this close to a whole number is that number: sums of floats miss it by less.
WHOLE_SLACK = 1e-9


def official_rating(rating: float) -> int:
    """The whole number shown and published: halves go up (§1, §7)."""
    # Never half to even: an official answer shows 1999.50 as 2000 (readings 80).
    return math.floor(rating + 0.5)


def is_established(constants: Constants, games: float) -> bool:
    """Whether a rating is based on more than 25 games (§1; readings 61)."""
    # Credited games count as played ones do.
    return games > constants.established_above


def fewest_established(constants: Constants) -> float:
    """The fewest games played that make a rating established (§1)."""
    return math.floor(constants.established_above) + 1.0


def stored_whole(pre_event: float, post_event: float) -> float:
    """The whole number stored before 2014-09: up on a gain, down on a loss (2004 text; readings 81)."""
    # Of the results of those years that can be explained, 99.5 % are exact this way.
    if post_event > pre_event:
        return float(math.ceil(post_event - WHOLE_SLACK))
    return float(math.floor(post_event + WHOLE_SLACK))


def stored_first(post_event: float) -> float:
    """The whole number stored before 2014-09 for a brand-new rating: the nearest (readings 81)."""
    return float(math.floor(post_event + 0.5 + WHOLE_SLACK))


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
    # With the section just rated: 125 first results lie exactly on this floor (readings 97).
    earned = constants.personal_per_win * wins + constants.personal_per_draw * draws
    earned += constants.personal_per_event * events
    return min(constants.absolute_floor + earned, constants.personal_floor_top)


def level_below(constants: Constants, peak: float) -> float:
    """The hundred at or just below a peak less 200, the peak rounded first (§5)."""
    lowered = float(official_rating(peak)) - constants.peak_drop
    return math.floor(lowered / constants.peak_step) * constants.peak_step


def peak_floor(constants: Constants, peak: float, peak_since_2010: float) -> float:
    """The floor a peak has earned, minus infinity for none (§5; readings 62 to 64, 94, 95). A missing peak is NaN."""
    # From the lowest of the older floors on any peak counts; below that only one that was reached since 2010-04-01.
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
    # The text says "above 2200", the rulebook "2200 or higher".
    return is_established(constants, games) and official_rating(rating) >= constants.life_master_level


def life_master_floor(constants: Constants, games_at_2200: int) -> float:
    """2200 for an Original Life Master, Regular over the board only; minus infinity otherwise (§5; readings 70)."""
    return constants.life_master_level if games_at_2200 >= constants.life_master_games else -math.inf


def money_floor(constants: Constants, prize: float, limit: float) -> float:
    """The floor a prize sets in an under-``limit`` context, minus infinity for none (§5; readings 68)."""
    # The lowest hundred that shuts the winner out next time: a prize under 1850 sets 1900.
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
    # The ceiling last: the text only says that a rating may not rise above it (readings 72).
    raised = max(rating, floor.level)
    return Limited(kind, level, raised > ceiling, min(raised, ceiling))


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
    # A sum that is already beyond the limit lets a change in its direction count nothing, and one the other way count.
    most = max(0.0, limit - net_before)
    least = min(0.0, -limit - net_before)
    return min(max(change, least), most)


def match_change(constants: Constants, change: float, net_half_year: float, net_three_years: float) -> MatchLimits:
    """The change of a rating in a match (§7; readings 74, 107)."""
    # The text gives the numbers and not their order: the shortest time first, each on what the one before left.
    within_match = held(change, 0.0, constants.match_change)
    within_half_year = held(within_match, net_half_year, constants.match_half_year)
    within_three_years = held(within_half_year, net_three_years, constants.match_three_years)
    return MatchLimits(change, within_match, within_half_year, within_three_years)


def first_day_of(year: int) -> int:
    """The day on which a year that begins in March begins."""
    return 365 * year + year // 4 - year // 100 + year // 400 - DAYS_TO_MARCH


def years_before(day: int, years: int) -> int:
    """The same day of the calendar so many years before, 28 February for the 29th (§7; readings 107)."""
    # Years are counted as years, whatever leap days lie between; days, of the shorter time, as days (readings 107).
    since_march = day + DAYS_TO_MARCH
    of_400_years = since_march % DAYS_OF_400_YEARS
    leap_days = of_400_years // 1460 - of_400_years // 36524 + of_400_years // 146096
    year = 400 * (since_march // DAYS_OF_400_YEARS) + (of_400_years - leap_days) // 365
    return first_day_of(year - years) + min(day - first_day_of(year), 364)


def may_play_match(constants: Constants, games: float, published_gap: float) -> bool:
    """Whether a player may play a rated match: established since 2006, published ratings within 400 (§7)."""
    if constants.match_needs_established and not is_established(constants, games):
        return False
    # "Not to exceed" includes the limit itself (readings 73).
    return math.fabs(published_gap) <= constants.match_published_gap


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
    # Never online, at any date: 45 online players with wins or draws ended on the absolute floor (readings 66, 97).
    if constants.personal_floor_is_used and system < RatingSystem.OLR:
        personal = personal_absolute_floor(constants, merits.wins, merits.draws, merits.events)
        best = higher(best, Level(FloorKind.PERSONAL, personal))
    # In all six systems, each from its own peak; official results show it in five (readings 64, 95).
    if merits.is_established:
        earned = peak_floor(constants, merits.peak, merits.peak_since_2010)
        best = higher(best, Level(FloorKind.PEAK, min(earned, merits.lowered_floor)))
    # Seen in Regular over the board only, in 112 official results (readings 95).
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
    # A peak is rounded before the drop is taken, which can raise its floor by half a point.
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
    # The limits are on the change, floors on the result, so limits come first (readings 75). A first rating has no
    # change.
    if match.is_match and not math.isnan(pre_event):
        limits = match_change(constants, computed - pre_event, match.net_half_year, match.net_three_years)
        if limits.change != limits.computed:
            value = pre_event + limits.change
            change = limits.change
    # Here and not before: floors already in Step 4 would raise the largest error on the crosstable of 2015 from 0.74 to
    # 3.6 points (readings 45).
    held = limited(value, floor, ceiling)
    rating = held.rating
    # Last of all, because the next section started from what was stored.
    if constants.stores_whole_numbers and math.isnan(pre_event):
        rating = stored_first(rating)
    elif constants.stores_whole_numbers:
        rating = stored_whole(pre_event, rating)
    request = requested_floor(constants, match, held.kind, held.level)
    return Outcome(change, held.kind, held.level, request, held.is_at_ceiling, rating)
