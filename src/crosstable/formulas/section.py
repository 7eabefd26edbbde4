"""§1, §5, §7: what a section does to one player's rating record, the same for one section and for a whole history.

Step 1 lays out what a player brings; after the five steps ``section_outcome`` says what becomes of the computed rating,
and ``count_section`` brings the record up to date: games, results, peaks, games at 2200.

A rating record is changed in place: an object when formulas are interpreted, a row of an array when they are compiled.
A rating of NaN is that of an unrated player, a peak of NaN is not known, nor is a count of -1; an established rating
whose count is not known has infinitely many games; a floor that nobody lowered is infinite.
"""

import math
from typing import Protocol

from crosstable.formulas.initial import Initial
from crosstable.formulas.outcome import (
    Level,
    MatchPast,
    Merits,
    Outcome,
    higher,
    is_above_floors,
    is_established,
    is_life_master_game,
    outcome,
    standing_floor,
    years_before,
)
from crosstable.formulas.standard import may_earn_bonus
from crosstable.formulas.steps import Field, past_of
from crosstable.rules.constants import Constants
from crosstable.terms import FloorKind, KRule, Past, RatingSystem
from crosstable.tuples import NamedTuple

NO_COUNT = -1


class RatingNumbers(Protocol):
    """A member's rating record in one system, in numbers; days are counted from the beginning of the calendar."""

    rating: float
    games: float
    peak: float
    peak_since_2010: float
    wins: int
    draws: int
    losses: int
    events: int
    games_at_2200: int
    as_of: int


class FloorRecord(Protocol):
    """Where the level is kept to which the office lowered a member's peak floor."""

    lowered_floor: float


class SectionFacts(NamedTuple):
    """What of a section the calculation of every player reads: the system, its kind, and when it ended."""

    system: int
    is_match: bool
    is_half_k: bool
    end: int
    counts_since_2010: bool


class Share(NamedTuple):
    """What one section brings to a record: games played and their results, and the games that N grows by."""

    played: int
    wins: int
    draws: int
    losses: int
    counted: float


def games_counted(played: int, is_half_k: bool) -> float:
    """What N grows by: the games played, half of them in a half-K section (2004 text; rules history §8)."""
    return played / 2.0 if is_half_k else float(played)


def share_of(section: SectionFacts, wins: int, draws: int, losses: int) -> Share:
    """What a section brings to the record of a player with these results."""
    played = wins + draws + losses
    return Share(played, wins, draws, losses, games_counted(played, section.is_half_k))


def has_established(constants: Constants, record: RatingNumbers) -> bool:
    """Whether a record holds an established rating; an unrated player has none, whatever the games of the start."""
    return not math.isnan(record.rating) and is_established(constants, record.games)


def or_none(count: int) -> float:
    """A count, or 0 where it is not known: floors credit only what is on record (readings 97)."""
    # Nobody is credited with what nobody has on record.
    return 0.0 if count == NO_COUNT else float(count)


def or_else(value: float, other: float) -> float:
    """A number, or another where it is not known."""
    return other if math.isnan(value) else value


def events_in(constants: Constants, share: Share) -> int:
    """Whether a section is an event that the personal floor counts, as 0 or 1 (§5; readings 65)."""
    return 1 if share.played >= constants.personal_event_games else 0


def merits_of(constants: Constants, record: RatingNumbers, share: Share, lowered_floor: float) -> Merits:
    """What floors look at: counts with this section's, peaks without it (readings 62, 97)."""
    established = has_established(constants, record)
    # Without a peak on record the rating itself is the highest that is known, and it is listed as assumed.
    peak = or_else(record.peak, record.rating)
    since_2010 = or_else(record.peak_since_2010, peak)
    return Merits(
        or_none(record.wins) + share.wins,
        or_none(record.draws) + share.draws,
        or_none(record.events) + events_in(constants, share),
        established,
        peak if established else math.nan,
        since_2010 if established else math.nan,
        lowered_floor,
        record.games_at_2200,
    )


def grown(count: int, more: int) -> int:
    """A count with those of a section; what is not known stays so."""
    return count if count == NO_COUNT else count + more


def count_section(
    constants: Constants, section: SectionFacts, record: RatingNumbers, floor: FloorRecord, share: Share, rating: float
) -> None:
    """Bring a record up to the end of a section: N grows by m, counts by the results (§7; readings 60, 65)."""
    # The rating that a player came with decides whether the games count toward the title (readings 69).
    was_established = has_established(constants, record)
    if was_established and is_life_master_game(constants, record.rating, record.games):
        is_new_title = section.system == RatingSystem.OTBR and record.games_at_2200 < constants.life_master_games
        record.games_at_2200 += share.played
        if is_new_title and record.games_at_2200 >= constants.life_master_games:
            end_lowering(floor)
    # By m, also where a floor or the limit of a match cut the change (readings 60).
    record.games += share.counted
    record.wins = grown(record.wins, share.wins)
    record.draws = grown(record.draws, share.draws)
    record.losses = grown(record.losses, share.losses)
    record.events = grown(record.events, events_in(constants, share))
    # With the new N: the section that makes a rating established can already set a peak.
    if is_established(constants, record.games):
        count_peak(record, floor, rating, was_established, section.counts_since_2010)
    record.rating = rating
    record.as_of = section.end


def count_peak(
    record: RatingNumbers, floor: FloorRecord, rating: float, was_established: bool, counts_since_2010: bool
) -> None:
    """Let a new established rating count as a peak: of all time and, if it is one, since 2010-04-01 (readings 62, 115).

    A new peak of all time ends a lowered floor, and so does a new title (readings 71).
    """
    if was_established and math.isnan(record.peak):  # the pre-event rating was itself an established one
        record.peak = record.rating
    # A newer peak that is not known stays so: the rating of today could be lower than one that nobody reported.
    is_known = not math.isnan(record.peak_since_2010) or not was_established
    if is_known and counts_since_2010:
        record.peak_since_2010 = max(rating, or_else(record.peak_since_2010, rating))
    if math.isnan(record.peak) or rating > record.peak:
        record.peak = rating
        end_lowering(floor)


def end_lowering(floor: FloorRecord) -> None:
    """A floor that is earned anew is no longer lowered; nothing is written where nothing was lowered."""
    if not math.isinf(floor.lowered_floor):
        floor.lowered_floor = math.inf


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
    # Quick has the full K (15 of 15 official results), and so has online Regular (readings 57, 99).
    if is_dual_control and system == RatingSystem.OTBR:
        return KRule.DUAL
    return KRule.FULL


def lay_rated(field: Field, i: int, record: RatingNumbers) -> None:
    """What a rated player brings: the rating, its games, and what those were (§1, Step 1)."""
    past = Past.MIXED.value
    # A past that is not known is taken as mixed, and listed as assumed.
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
    # Both windows end with this match; an archive may hold later ones, which do not count yet.
    if day <= end and end - day <= constants.match_half_year_days:
        half_year += change
    if years_before(end, constants.match_years) <= day <= end:
        three_years += change
    return MatchPast(True, half_year, three_years)


def is_held(
    constants: Constants, section: SectionFacts, record: RatingNumbers, computed: float, limits: Limits
) -> bool:
    """Whether anything can hold a computed rating: a match limit, a floor, a ceiling, storage (§5, §7)."""
    # What nothing holds stands as it was computed, which is quicker to know than to work out.
    if section.is_match or constants.stores_whole_numbers:
        return True
    if computed < limits.decided.level or computed > limits.ceiling:
        return True
    return not is_above_floors(
        constants, computed, record.rating, record.peak, record.peak_since_2010, record.games_at_2200
    )


def section_outcome(
    constants: Constants, section: SectionFacts, record: RatingNumbers, share: Share, computed: float, limits: Limits
) -> Outcome:
    """What becomes of a computed rating: match limits, floors, ceiling, storage (§5, §7)."""
    floor = Level(FloorKind.NONE, -math.inf)
    # Most ratings are far above every floor, and none has to be worked out. After a match the limits are applied first.
    if section.is_match or not is_above_floors(
        constants, computed, record.rating, record.peak, record.peak_since_2010, record.games_at_2200
    ):
        merits = merits_of(constants, record, share, limits.lowered_floor)
        floor = standing_floor(constants, section.system, merits, limits.decided)
    else:
        floor = higher(floor, limits.decided)
    return outcome(constants, record.rating, computed, limits.match, floor, limits.ceiling)
