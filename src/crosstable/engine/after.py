"""A player's standing before and after a section: counts, peaks, floors, match record (§5, §7)."""

import math

from crosstable.engine.competitors import Competitor
from crosstable.engine.records import Assumption
from crosstable.formulas.effective import most_effective_games
from crosstable.formulas.floors import Level, higher, level_below
from crosstable.formulas.matches import years_before
from crosstable.formulas.outcome import MatchPast, Merits
from crosstable.formulas.tally import Share, Tally, games_counted, is_established, merits_of, tally_after
from crosstable.rules.constants import Constants
from crosstable.rules.editions import PEAKS_COUNT_FROM
from crosstable.terms import FloorKind, MatchChange, PlayerRating, Section, SectionType

NO_MATCH = MatchPast(is_match=False, net_half_year=0.0, net_three_years=0.0)
NO_FLOOR = Level(FloorKind.OFFICE, -math.inf)


def newcomer(credited_games: float) -> PlayerRating:
    """The standing of a player who was unrated: no rating, no results, the games credited in Step 1 (§2)."""
    return PlayerRating(rating=math.nan, games=credited_games, wins=0, draws=0, losses=0, events=0)


def known_games(standing: PlayerRating) -> float:
    """N of a standing, infinite where it is established with a count that is not known."""
    return math.inf if standing.games is None else standing.games


def tally_of(standing: PlayerRating) -> Tally:
    """A standing in numbers, as formulas read it."""
    return Tally(
        rating=standing.rating,
        games=known_games(standing),
        wins=_or_nan(standing.wins),
        draws=_or_nan(standing.draws),
        losses=_or_nan(standing.losses),
        events=_or_nan(standing.events),
        peak=_or_nan(standing.peak),
        peak_since_2010=_or_nan(standing.peak_since_2010),
        games_at_2200=standing.games_at_2200,
        lowered_floor=math.inf if standing.lowered_floor is None else standing.lowered_floor,
    )


def with_tally(standing: PlayerRating, tally: Tally) -> PlayerRating:
    """A standing with new numbers."""
    return standing._replace(
        rating=tally.rating,
        games=None if math.isinf(tally.games) else tally.games,
        wins=_or_nothing(tally.wins),
        draws=_or_nothing(tally.draws),
        losses=_or_nothing(tally.losses),
        events=_or_nothing(tally.events),
        peak=None if math.isnan(tally.peak) else tally.peak,
        peak_since_2010=None if math.isnan(tally.peak_since_2010) else tally.peak_since_2010,
        games_at_2200=tally.games_at_2200,
        lowered_floor=None if math.isinf(tally.lowered_floor) else tally.lowered_floor,
    )


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _or_nothing(count: float) -> int | None:
    return None if math.isnan(count) else int(count)


def share_of(section: Section, competitor: Competitor) -> Share:
    """What a section brings to a competitor's record."""
    played = len(competitor.sides)
    counted = games_counted(played, section.is_half_k)
    return Share(played, float(competitor.wins), float(competitor.draws), float(competitor.losses), counted)


def merits(constants: Constants, standing: PlayerRating, section: Section, competitor: Competitor) -> Merits:
    """What floors look at, of a standing."""
    return merits_of(constants, tally_of(standing), share_of(section, competitor))


def decided_floor(standing: PlayerRating) -> Level:
    """The highest floor set by a decision (§5: money, Original Life Master, office)."""
    best = NO_FLOOR
    for floor in standing.floors:
        best = higher(best, Level(floor.kind, floor.level))
    return best


def match_past(constants: Constants, section: Section, standing: PlayerRating) -> MatchPast:
    """Net match changes in the windows that end with this section (§7; readings 74, 107)."""
    if section.kind is not SectionType.MATCH:
        return NO_MATCH
    end = section.end.toordinal()
    half_year = three_years = 0.0
    for past in standing.match_changes:
        day = past.on.toordinal()
        if day <= end and end - day <= constants.match_half_year_days:
            half_year += past.change
        if years_before(end, constants.match_years) <= day <= end:
            three_years += past.change
    return MatchPast(True, half_year, three_years)


def standing_after(
    constants: Constants, section: Section, competitor: Competitor, standing: PlayerRating, rating: float
) -> PlayerRating:
    """The new standing: the record after the section, its date, and the change of a match (§7)."""
    counts_since_2010 = section.end >= PEAKS_COUNT_FROM
    tally = tally_after(constants, tally_of(standing), share_of(section, competitor), rating, counts_since_2010)
    after = with_tally(standing, tally)._replace(as_of=section.end)
    if section.kind is SectionType.MATCH and not math.isnan(standing.rating):
        change = MatchChange(section.end, rating - standing.rating)
        after = after._replace(match_changes=(*standing.match_changes, change))
    return after


def assumptions(constants: Constants, standing: PlayerRating) -> list[str]:
    """What the standing before the section leaves open and the calculation had to assume."""
    assumed: list[str] = []
    fewest_established = constants.established_above + 1.0
    if standing.games is None and most_effective_games(constants, standing.rating) > fewest_established:
        assumed.append(Assumption.GAMES)
    if None in (standing.wins, standing.draws, standing.losses, standing.events):
        assumed.append(Assumption.COUNTS)
    if is_established(constants, known_games(standing)) and standing.peak is None:
        assumed.append(Assumption.PEAK)
    elif _newer_peak_is_missing(constants, standing):
        assumed.append(Assumption.PEAK_SINCE_2010)
    return assumed


def _newer_peak_is_missing(constants: Constants, standing: PlayerRating) -> bool:
    """Whether only the peak of all time is given, and it lies where the peak since 2010 decides (readings 94)."""
    if standing.peak is None or standing.peak_since_2010 is not None:
        return False
    return constants.peak_lowest_since_2010 <= level_below(constants, standing.peak) < constants.peak_lowest
