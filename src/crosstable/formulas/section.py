"""§1, §5, §7: what a section does to one player's rating record, the same for one section and for a whole history.

Step 1 lays out what a player brings; after the five steps ``section_outcome`` says what becomes of the computed rating,
and ``tally.count_section`` brings the record up to date.
"""

import math
from typing import NamedTuple

from crosstable.formulas.floors import Level, higher
from crosstable.formulas.initial import Initial
from crosstable.formulas.matches import years_before
from crosstable.formulas.outcome import MatchPast, Outcome, is_above_floors, outcome, standing_floor
from crosstable.formulas.standard import may_earn_bonus
from crosstable.formulas.steps import Field, past_of
from crosstable.formulas.tally import NO_COUNT, RatingNumbers, SectionFacts, Share, merits_of
from crosstable.rules.constants import Constants
from crosstable.terms import FloorKind, KRule, Past, RatingSystem


class Limits(NamedTuple):
    """What holds a member's rating beside the peaks: decided floor and ceiling, a lowered floor, earlier matches."""

    decided: Level
    ceiling: float
    lowered_floor: float
    match: MatchPast


def no_limits() -> Limits:
    """The limits of a member of whom nothing is decided, outside of matches."""
    return Limits(Level(FloorKind.OFFICE, -math.inf), math.inf, math.inf, MatchPast(False, 0.0, 0.0))


def k_rule(is_half_k: bool, is_dual_control: bool, system: int) -> KRule:
    """Half K where the section asks for it; the dual K for Regular ratings at dual-rated controls (§4.2)."""
    if is_half_k:
        return KRule.HALF
    if is_dual_control and system == RatingSystem.OTBR:
        return KRule.DUAL
    return KRule.FULL


def lay_rated(field: Field, i: int, record: RatingNumbers) -> None:
    """What a rated player brings: the rating, its games, and what those were (§1, Step 1)."""
    past = Past.MIXED.value
    if record.wins != NO_COUNT and record.losses != NO_COUNT:
        past = past_of(record.games, float(record.wins), float(record.draws), float(record.losses)).value
    field.prior[i] = record.rating
    field.games[i] = record.games
    field.past[i] = past
    field.starts_at_zero[i] = False


def lay_unrated(field: Field, i: int, start: Initial) -> None:
    """What an unrated player brings: the start of §2 (§1, Step 1)."""
    field.prior[i] = start.rating
    field.games[i] = start.games
    field.past[i] = Past.MIXED.value
    field.starts_at_zero[i] = start.games == 0.0


def lay_results(
    constants: Constants, section: SectionFacts, field: Field, i: int, share: Share, most_meetings: int
) -> None:
    """A player's score, and whether it may earn a bonus: never in matches (§7), else by games and repeats (§4.2)."""
    field.score[i] = share.wins + 0.5 * share.draws
    field.earns_bonus[i] = not section.is_match and may_earn_bonus(constants, share.played, most_meetings)


def with_match(constants: Constants, past: MatchPast, end: int, day: int, change: float) -> MatchPast:
    """Net match changes in the windows that end with this match, with one more earlier match (§7; readings 74, 107)."""
    half_year = past.net_half_year
    three_years = past.net_three_years
    if day <= end and end - day <= constants.match_half_year_days:
        half_year += change
    if years_before(end, constants.match_years) <= day <= end:
        three_years += change
    return MatchPast(True, half_year, three_years)


def section_outcome(
    constants: Constants, section: SectionFacts, record: RatingNumbers, share: Share, computed: float, limits: Limits
) -> Outcome:
    """What becomes of a computed rating: match limits, floors, ceiling, storage (§5, §7)."""
    floor = Level(FloorKind.NONE, -math.inf)
    if section.is_match or not is_above_floors(
        constants, computed, record.rating, record.peak, record.peak_since_2010, record.games_at_2200
    ):
        merits = merits_of(constants, record, share, limits.lowered_floor)
        floor = standing_floor(constants, section.system, merits, limits.decided)
    else:
        floor = higher(floor, limits.decided)
    return outcome(constants, record.rating, computed, limits.match, floor, limits.ceiling)
