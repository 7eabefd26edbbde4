"""A player's standing before and after a section: counts, peaks, floors, match record (§5, §7)."""

import math
from datetime import date

from crosstable.engine.competitors import Competitor
from crosstable.engine.records import Assumption
from crosstable.formulas.effective import most_effective_games
from crosstable.formulas.floors import Level, higher, is_life_master_game, level_below
from crosstable.formulas.matches import HALF_YEAR_DAYS
from crosstable.formulas.outcome import MatchPast, Merits
from crosstable.rules.constants import Constants
from crosstable.terms import FloorKind, MatchChange, Section, SectionType, Standing

PEAKS_COUNT_FROM = date(2010, 4, 1)
NO_FLOOR = Level(FloorKind.OFFICE, -math.inf)


def newcomer(credited_games: float) -> Standing:
    """The standing of a player who was unrated: no rating, no results, the games credited in Step 1 (§2)."""
    return Standing(rating=math.nan, games=credited_games, wins=0, draws=0, losses=0, events=0)


def known_games(standing: Standing) -> float:
    """N of a standing, infinite where it is established with a count that is not known."""
    return math.inf if standing.games is None else standing.games


def is_established(constants: Constants, standing: Standing) -> bool:
    """Whether a rating is based on more than 25 games (§1)."""
    return known_games(standing) > constants.established_above


def merits(constants: Constants, standing: Standing, competitor: Competitor) -> Merits:
    """What floors look at: counts with this section's, peaks without it (readings 62, 97)."""
    established = is_established(constants, standing)
    peak = standing.rating if standing.peak is None else standing.peak
    since_2010 = peak if standing.peak_since_2010 is None else standing.peak_since_2010
    return Merits(
        wins=(standing.wins or 0) + competitor.wins,
        draws=(standing.draws or 0) + competitor.draws,
        events=(standing.events or 0) + (len(competitor.sides) >= constants.personal_event_games),
        is_established=established,
        peak=peak if established else math.nan,
        peak_since_2010=since_2010 if established else math.nan,
        lowered_floor=math.inf if standing.lowered_floor is None else standing.lowered_floor,
        games_at_2200=standing.games_at_2200,
    )


def decided_floor(standing: Standing) -> Level:
    """The highest floor set by a decision (§5: money, Original Life Master, office)."""
    best = NO_FLOOR
    for floor in standing.floors:
        best = higher(best, Level(floor.kind, floor.level))
    return best


def match_past(section: Section, standing: Standing) -> MatchPast:
    """Net match changes in the windows that end with this section (§7; readings 74, 107)."""
    three_years_ago = _years_before(section.end, 3)
    half_year = three_years = 0.0
    for past in standing.match_changes:
        if past.on <= section.end and (section.end - past.on).days <= HALF_YEAR_DAYS:
            half_year += past.change
        if three_years_ago <= past.on <= section.end:
            three_years += past.change
    return MatchPast(section.kind is SectionType.MATCH, half_year, three_years)


def _years_before(day: date, years: int) -> date:
    if (day.month, day.day) == (2, 29):
        return day.replace(year=day.year - years, day=28)
    return day.replace(year=day.year - years)


def standing_after(
    constants: Constants, section: Section, competitor: Competitor, standing: Standing, rating: float
) -> Standing:
    """The new standing: N grows by m, counts by the results, peaks by the rating (§7; readings 60, 62, 65)."""
    played = len(competitor.sides)
    added = played / 2.0 if section.is_half_k else float(played)
    after = standing._replace(
        rating=rating,
        games=None if standing.games is None else standing.games + added,
        wins=_plus(standing.wins, competitor.wins),
        draws=_plus(standing.draws, competitor.draws),
        losses=_plus(standing.losses, competitor.losses),
        events=_plus(standing.events, int(played >= constants.personal_event_games)),
        as_of=section.end,
    )
    if is_life_master_game(constants, standing.rating, known_games(standing)):
        after = after._replace(games_at_2200=standing.games_at_2200 + played)
    if section.kind is SectionType.MATCH and not math.isnan(standing.rating):
        change = MatchChange(section.end, rating - standing.rating)
        after = after._replace(match_changes=(*standing.match_changes, change))
    return _with_peaks(constants, section, standing, after)


def _with_peaks(constants: Constants, section: Section, before: Standing, after: Standing) -> Standing:
    """Peaks of all time and since 2010-04-01, of established ratings; a new peak ends a lowered floor."""
    if not is_established(constants, after):
        return after
    was_established = is_established(constants, before)
    peak = before.peak
    if peak is None and was_established:  # the pre-event rating was itself an established one
        peak = before.rating
    since_2010 = before.peak_since_2010
    is_known = since_2010 is not None or not was_established
    if is_known and section.end >= PEAKS_COUNT_FROM:
        since_2010 = _higher(since_2010, after.rating)
    is_new_peak = peak is None or after.rating > peak
    return after._replace(
        peak=_higher(peak, after.rating),
        peak_since_2010=since_2010,
        lowered_floor=None if is_new_peak else before.lowered_floor,
    )


def _plus(count: int | None, more: int) -> int | None:
    return None if count is None else count + more


def _higher(peak: float | None, rating: float) -> float:
    return rating if peak is None else max(peak, rating)


def assumptions(constants: Constants, standing: Standing) -> list[str]:
    """What the standing before the section leaves open and the calculation had to assume."""
    assumed: list[str] = []
    fewest_established = constants.established_above + 1.0
    if standing.games is None and most_effective_games(constants, standing.rating) > fewest_established:
        assumed.append(Assumption.GAMES)
    if None in (standing.wins, standing.draws, standing.losses, standing.events):
        assumed.append(Assumption.COUNTS)
    if is_established(constants, standing) and standing.peak is None:
        assumed.append(Assumption.PEAK)
    elif _newer_peak_is_missing(constants, standing):
        assumed.append(Assumption.PEAK_SINCE_2010)
    return assumed


def _newer_peak_is_missing(constants: Constants, standing: Standing) -> bool:
    """Whether only the peak of all time is given, and it lies where the peak since 2010 decides (readings 94)."""
    if standing.peak is None or standing.peak_since_2010 is not None:
        return False
    return constants.peak_lowest_since_2010 <= level_below(constants, standing.peak) < constants.peak_lowest
