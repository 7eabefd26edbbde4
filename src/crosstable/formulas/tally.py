"""§5, §7: what a section adds to a member's record: games, results, peaks, games at 2200, and what floors look at.

Numbers that are not known are NaN; an established rating whose count is not known has infinitely many games; a floor
that nobody lowered is infinite.
"""

import math
from typing import NamedTuple

from crosstable.formulas.floors import is_life_master_game
from crosstable.formulas.outcome import Merits
from crosstable.rules.constants import Constants


class Tally(NamedTuple):
    """A member's record in one system, in numbers; ``rating`` is NaN for somebody who was unrated."""

    rating: float
    games: float
    wins: float
    draws: float
    losses: float
    events: float
    peak: float
    peak_since_2010: float
    games_at_2200: int
    lowered_floor: float


class Share(NamedTuple):
    """What one section brings to a record: games played and their results, and the games that N grows by."""

    played: int
    wins: float
    draws: float
    losses: float
    counted: float


def games_counted(played: int, is_half_k: bool) -> float:
    """What N grows by: the games played, half of them in a half-K section (2004 text; rules history §8)."""
    return played / 2.0 if is_half_k else float(played)


def is_established(constants: Constants, games: float) -> bool:
    """Whether a rating is based on more than 25 games (§1; readings 61)."""
    return games > constants.established_above


def or_none(count: float) -> float:
    """A count, or 0 where it is not known: floors credit only what is on record (readings 97)."""
    return 0.0 if math.isnan(count) else count


def or_else(value: float, other: float) -> float:
    """A number, or another where it is not known."""
    return other if math.isnan(value) else value


def merits_of(constants: Constants, before: Tally, share: Share) -> Merits:
    """What floors look at: counts with this section's, peaks without it (readings 62, 97)."""
    established = is_established(constants, before.games)
    peak = or_else(before.peak, before.rating)
    since_2010 = or_else(before.peak_since_2010, peak)
    counts_as_event = share.played >= constants.personal_event_games
    return Merits(
        or_none(before.wins) + share.wins,
        or_none(before.draws) + share.draws,
        or_none(before.events) + (1.0 if counts_as_event else 0.0),
        established,
        peak if established else math.nan,
        since_2010 if established else math.nan,
        before.lowered_floor,
        before.games_at_2200,
    )


def tally_after(constants: Constants, before: Tally, share: Share, rating: float, counts_since_2010: bool) -> Tally:
    """The record after a section: N grows by m, counts by the results, peaks by the rating (§7; readings 60, 62, 65).

    Peaks are those of established ratings, of all time and of sections that end since 2010-04-01; a new peak ends a
    lowered floor.
    """
    games = before.games + share.counted
    counts_as_event = share.played >= constants.personal_event_games
    at_2200 = before.games_at_2200
    if is_life_master_game(constants, before.rating, before.games):
        at_2200 += share.played
    peak = before.peak
    since_2010 = before.peak_since_2010
    lowered = before.lowered_floor
    if is_established(constants, games):
        was_established = is_established(constants, before.games)
        if math.isnan(peak) and was_established:  # the pre-event rating was itself an established one
            peak = before.rating
        is_known = not math.isnan(since_2010) or not was_established
        if is_known and counts_since_2010:
            since_2010 = rating if math.isnan(since_2010) else max(since_2010, rating)
        if math.isnan(peak) or rating > peak:
            peak = rating
            lowered = math.inf
    return Tally(
        rating,
        games,
        before.wins + share.wins,
        before.draws + share.draws,
        before.losses + share.losses,
        before.events + (1.0 if counts_as_event else 0.0),
        peak,
        since_2010,
        at_2200,
        lowered,
    )
