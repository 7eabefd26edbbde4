"""One section over arrays, compiled: gather standings, the five steps, outcomes, and the new standings.

This is the engine's ``rate`` in another form: it moves numbers between arrays and formulas and states no rule itself.
Every system is computed from the standings before the section and only then stored, so that neither half of a
dual-rated section sees the other's result.
"""

import math
from typing import NamedTuple

import numpy as np

from crosstable.formulas.floors import Level
from crosstable.formulas.initial import SOURCES
from crosstable.formulas.matches import years_before
from crosstable.formulas.norms import NO_NORM, highest_norm
from crosstable.formulas.outcome import MatchPast, Outcome, is_above_floors, outcome, standing_floor
from crosstable.formulas.standard import may_earn_bonus
from crosstable.formulas.steps import Field, PassColumns, Sheet, five_steps, formula_for, past_of
from crosstable.formulas.tally import Share, Tally, games_counted, merits_of, tally_after
from crosstable.history.kernel.arrays import (
    AFTER,
    BEFORE,
    GAMES_AFTER,
    NO_COUNT,
    STANDING,
    SYSTEMS,
    Array,
    History,
    Standings,
    Tables,
    whole,
)
from crosstable.history.kernel.compiling import inner
from crosstable.history.kernel.starting import start_in
from crosstable.rules.constants import Constants
from crosstable.rules.editions import PEAKS_COUNT_FROM
from crosstable.terms import FloorKind, KRule, Past, RatingSystem

# The kinds of sections as archives number them.
KIND_MATCH = 2
PEAKS_FROM = PEAKS_COUNT_FROM.toordinal()
REGULAR = RatingSystem.OTBR.value
MIXED = Past.MIXED.value

# Why a section has no results.
SOUND, NO_DOCUMENT, NOT_FOUND = 0, 1, 2


class Weighed(NamedTuple):
    """A competitor's computed rating with the record before the section and what it adds."""

    before: Tally
    share: Share
    computed: float
    is_new: bool


class Scratch(NamedTuple):
    """Room to work in, as large as the largest section; one per thread."""

    numbers: Array
    sides: Array
    past: Array
    flags: Array
    first: Array
    sources: Array
    pending: Array


# Columns of ``numbers``.
PRIOR, GAMES, SCORE, EFFECTIVE, STRENGTH, ODDS = 0, 1, 2, 3, 4, 5
FOURTH, FIFTH = 6, 11
FINAL, PRIOR_ODDS, NUMBERS = 16, 17, 18
AT_ZERO, BONUS, IS_NEW, FLAGS = 0, 1, 2, 3


def scratch_for(competitors: int, sides: int) -> Scratch:
    """Room for sections of at most so many competitors and sides of games."""
    return Scratch(
        numbers=np.zeros((NUMBERS, competitors)),
        sides=np.zeros(sides),
        past=np.zeros(competitors, dtype=np.int64),
        flags=np.zeros((FLAGS, competitors), dtype=np.bool_),
        first=np.zeros(competitors + 1, dtype=np.int64),
        sources=np.zeros((5, SOURCES)),
        pending=np.zeros((SYSTEMS, competitors), dtype=STANDING),
    )


@inner
def floor_kind(number: int) -> FloorKind:
    """A kind of floor from its number."""
    if number == FloorKind.LIFE_MASTER.value:
        return FloorKind.LIFE_MASTER
    if number == FloorKind.MONEY.value:
        return FloorKind.MONEY
    return FloorKind.OFFICE


@inner
def k_rule_of(section: Array, system: int) -> KRule:
    """The K rule of a section in one system, as ``engine.rating.k_rule`` has it."""
    if section.is_half_k:
        return KRule.HALF
    if section.is_dual_control and system == REGULAR:
        return KRule.DUAL
    return KRule.FULL


@inner
def known_count(count: int) -> float:
    """A count as formulas read it."""
    return math.nan if count == NO_COUNT else float(count)


@inner
def stored_count(count: float) -> int:
    """A count as the arrays hold it."""
    return NO_COUNT if math.isnan(count) else int(count)


@inner
def tally_at(standings: Standings, one: Array) -> Tally:
    """A member's record in one system."""
    lowered = math.inf
    if one.decided > 0:
        lowered = standings.decided[one.decided].lowered_floor
    return Tally(
        one.rating,
        one.games,
        known_count(one.wins),
        known_count(one.draws),
        known_count(one.losses),
        known_count(one.events),
        one.peak,
        one.peak_since_2010,
        whole(one.games_at_2200),
        lowered,
    )


@inner
def newcomer_tally(games: float) -> Tally:
    """The record of somebody who was unrated: the games credited in Step 1 and nothing else (§2)."""
    return Tally(math.nan, games, 0.0, 0.0, 0.0, 0.0, math.nan, math.nan, whole(0), math.inf)


@inner
def gather(constants: Constants, tables: Tables, number: int, system: int, rank: int, scratch: Scratch) -> bool:
    """The columns that the five steps read; false where a start needs a document that was not found."""
    competitors = tables.history.competitors
    section = tables.history.sections[number]
    low, high = section.first, tables.history.sections[number + 1].first
    base = competitors[low].first
    may_have_bonus = section.kind != KIND_MATCH
    row = section.row + rank * (high - low)
    for at in range(high - low):
        competitor = competitors[low + at]
        played = competitors[low + at + 1].first - competitor.first
        one = tables.standings.standings[tables.history.places[row + at]]
        rating, games = one.rating, one.games
        is_new = math.isnan(rating)
        past = MIXED
        if is_new:
            rating, games = 0.0, 0.0
            if played > 0 or competitor.is_met:
                rating, games = start_in(constants, tables, competitor.member, section, system, scratch.sources)
                if math.isnan(rating):
                    return False
        elif one.wins != NO_COUNT and one.losses != NO_COUNT:
            past = past_of(games, float(one.wins), float(one.draws), float(one.losses)).value
        scratch.flags[IS_NEW, at] = is_new
        scratch.past[at] = past
        scratch.numbers[PRIOR, at] = rating
        scratch.numbers[GAMES, at] = games
        scratch.flags[AT_ZERO, at] = is_new and games == 0.0
        scratch.numbers[SCORE, at] = competitor.wins + 0.5 * competitor.draws
        scratch.flags[BONUS, at] = may_have_bonus and may_earn_bonus(constants, played, competitor.most_meetings)
        scratch.first[at] = competitor.first - base
    scratch.first[high - low] = competitors[high].first - base
    return True


@inner
def field_of(history: History, number: int, scratch: Scratch) -> Field:
    """The section's columns, cut to its size."""
    low, high = history.sections[number].first, history.sections[number + 1].first
    n = high - low
    sides = history.opponents[history.competitors[low].first : history.competitors[high].first]
    return Field(
        scratch.numbers[PRIOR, :n],
        scratch.numbers[GAMES, :n],
        scratch.past[:n],
        scratch.flags[AT_ZERO, :n],
        scratch.numbers[SCORE, :n],
        scratch.flags[BONUS, :n],
        scratch.first[: n + 1],
        sides,
    )


@inner
def pass_of(scratch: Scratch, begin: int, n: int) -> PassColumns:
    """The columns of one pass."""
    numbers = scratch.numbers
    return PassColumns(
        numbers[begin, :n],
        numbers[begin + 1, :n],
        numbers[begin + 2, :n],
        numbers[begin + 3, :n],
        numbers[begin + 4, :n],
    )


@inner
def sheet_of(scratch: Scratch, n: int, sides: int) -> Sheet:
    """The sheet that the five steps write on."""
    return Sheet(
        scratch.numbers[EFFECTIVE, :n],
        scratch.numbers[STRENGTH, :n],
        pass_of(scratch, FOURTH, n),
        pass_of(scratch, FIFTH, n),
        scratch.numbers[PRIOR_ODDS, :n],
        scratch.numbers[ODDS, :n],
        scratch.sides[:sides],
    )


@inner
def match_past_of(constants: Constants, standings: Standings, section: Array, one: Array) -> MatchPast:
    """Net match changes in the windows that end with this section (§7; readings 74, 107)."""
    half_year = three_years = 0.0
    years_ago = years_before(section.end, constants.match_years)
    for back in range(changes_back(standings, one.match) - 1, -1, -1):  # the oldest first, as the engine adds
        at = one.match
        for _ in range(back):
            at = standings.match_changes[at].earlier
        past = standings.match_changes[at]
        if past.day <= section.end and section.end - past.day <= constants.match_half_year_days:
            half_year += past.change
        if years_ago <= past.day <= section.end:
            three_years += past.change
    return MatchPast(True, half_year, three_years)


@inner
def changes_back(standings: Standings, newest: int) -> int:
    """How many match changes a member has."""
    count = 0
    while newest > 0:
        count += 1
        newest = standings.match_changes[newest].earlier
    return count


@inner
def limits_of(standings: Standings, section: Array, one: Array) -> Array:
    """What is decided of a member when a section is rated."""
    at = one.decided
    later = standings.decided[at].later
    while later > 0 and standings.decided[later].since <= section.row:
        at = later
        later = standings.decided[at].later
    return standings.decided[at]


@inner
def outcome_in(
    constants: Constants, tables: Tables, section: Array, one: Array, weighed: Weighed, system: int
) -> Outcome:
    """What becomes of a computed rating: match limits, floors, ceiling, storage (§5, §7)."""
    before = weighed.before
    if (
        section.kind != KIND_MATCH
        and one.decided <= 0
        and is_above_floors(
            constants, weighed.computed, before.rating, before.peak, before.peak_since_2010, before.games_at_2200
        )
    ):
        nothing = Level(FloorKind.NONE, -math.inf)
        return outcome(constants, before.rating, weighed.computed, MatchPast(False, 0.0, 0.0), nothing, math.inf)
    decided = Level(FloorKind.OFFICE, -math.inf)
    ceiling = math.inf
    if one.decided > 0 and not weighed.is_new:  # what is decided holds from the first rating on
        limits = limits_of(tables.standings, section, one)
        decided = Level(floor_kind(limits.floor_kind), limits.floor_level)
        ceiling = limits.ceiling
    merits = merits_of(constants, weighed.before, weighed.share)
    floor = standing_floor(constants, system, merits, decided)
    past = MatchPast(False, 0.0, 0.0)
    if section.kind == KIND_MATCH:
        past = match_past_of(constants, tables.standings, section, one)
    return outcome(constants, weighed.before.rating, weighed.computed, past, floor, ceiling)


@inner
def keep(pending: Array, one: Array, after: Tally, day: int, is_new: bool) -> None:
    """A new standing, in its place or kept until every system of the section is computed."""
    pending.rating = after.rating
    pending.games = after.games
    pending.peak = after.peak
    pending.peak_since_2010 = after.peak_since_2010
    pending.wins = stored_count(after.wins)
    pending.draws = stored_count(after.draws)
    pending.losses = stored_count(after.losses)
    pending.events = stored_count(after.events)
    pending.games_at_2200 = after.games_at_2200
    pending.as_of = day
    pending.match = one.match
    pending.decided = one.decided
    if one.decided > 0 and not is_new and math.isinf(after.lowered_floor):
        pending.decided = -one.decided  # a new peak ends a lowered floor


@inner
def keep_working(working: Array, constants: Constants, scratch: Scratch, at: int, result: Outcome) -> None:
    """The working of the final pass."""
    games = scratch.numbers[GAMES, at]
    working.prior = scratch.numbers[PRIOR, at]
    working.start_games = games if scratch.flags[IS_NEW, at] else math.nan
    working.effective = scratch.numbers[EFFECTIVE, at]
    working.k = scratch.numbers[FIFTH, at]
    working.expected = scratch.numbers[FIFTH + 1, at]
    working.bonus = scratch.numbers[FIFTH + 2, at]
    working.computed = scratch.numbers[FIFTH + 3, at]
    working.floor_level = result.floor_level
    working.requested_floor = result.requested_floor
    working.floor_kind = result.floor_kind.value
    working.formula = formula_for(constants, games, scratch.past[at]).value


@inner
def share_in(section: Array, competitor: Array, played: int) -> Share:
    """What a section brings to a competitor's record."""
    counted = games_counted(played, section.is_half_k != 0)
    return Share(played, float(competitor.wins), float(competitor.draws), float(competitor.losses), counted)


@inner
def settle(standings: Standings, section: Array, one: Array, before: float, slot: int) -> None:
    """What a new standing means beside itself: a lowered floor that ends, and the change of a match."""
    if one.decided < 0:
        one.decided = -one.decided
        standings.decided[one.decided].lowered_floor = math.inf
    if section.kind == KIND_MATCH and not math.isnan(before):
        change = standings.match_changes[slot]
        change.day = section.end
        change.change = one.rating - before
        change.earlier = one.match
        one.match = slot


@inner
def finish(constants: Constants, tables: Tables, number: int, system: int, rank: int, scratch: Scratch) -> None:
    """From computed ratings to those that stand, and the records after them (§5, §7)."""
    section = tables.history.sections[number]
    is_last = section.systems >> (system + 1) == 0
    low, high = section.first, tables.history.sections[number + 1].first
    results = tables.results
    for at in range(high - low):
        competitor = tables.history.competitors[low + at]
        played = whole(tables.history.competitors[low + at + 1].first - competitor.first)
        row = section.row + rank * (high - low) + at
        one = tables.standings.standings[tables.history.places[row]]
        is_new = scratch.flags[IS_NEW, at]
        rating = one.rating
        results.ratings[BEFORE, row] = rating
        scratch.numbers[FINAL, at] = scratch.numbers[PRIOR, at]
        if played == 0:
            continue
        if is_new:
            tables.standings.rated[competitor.member] |= 1 << system
        before = newcomer_tally(scratch.numbers[GAMES, at]) if is_new else tally_at(tables.standings, one)
        share = share_in(section, competitor, played)
        weighed = Weighed(before, share, scratch.numbers[FIFTH + 3, at], is_new)
        result = outcome_in(constants, tables, section, one, weighed, system)
        after = tally_after(constants, before, share, result.rating, section.end >= PEAKS_FROM)
        scratch.numbers[FINAL, at] = result.rating
        if is_last:  # nothing else is computed from what was before
            keep(one, one, after, section.end, is_new)
            settle(tables.standings, section, one, rating, section.match + row - section.row)
        else:
            keep(scratch.pending[rank, at], one, after, section.end, is_new)
        results.ratings[AFTER, row] = result.rating
        results.ratings[GAMES_AFTER, row] = after.games
        if len(results.working) > 0:
            keep_working(results.working[row], constants, scratch, at, result)


@inner
def find_norms(tables: Tables, number: int, rank: int, scratch: Scratch) -> None:
    """The norms of a section (official facts §1): post-event strengths, so after everybody's outcome."""
    history = tables.history
    section = history.sections[number]
    low, high = section.first, history.sections[number + 1].first
    for at in range(high - low):
        competitor = history.competitors[low + at]
        begin, end = competitor.first, history.competitors[low + at + 1].first
        for side in range(begin, end):
            scratch.sides[side - begin] = scratch.numbers[FINAL, history.opponents[side]]
        met = scratch.sides[: end - begin]
        norm = highest_norm(scratch.numbers[SCORE, at], met, competitor.most_meetings)
        tables.results.working[section.row + rank * (high - low) + at].norm = norm


@inner
def store(tables: Tables, number: int, rank: int, scratch: Scratch) -> None:
    """Make what one system gave the standings of its competitors."""
    section = tables.history.sections[number]
    low, high = section.first, tables.history.sections[number + 1].first
    standings = tables.standings
    for at in range(high - low):
        competitor = tables.history.competitors[low + at]
        if tables.history.competitors[low + at + 1].first == competitor.first:
            continue
        row = section.row + rank * (high - low) + at
        one = standings.standings[tables.history.places[row]]
        rating = one.rating
        standings.standings[tables.history.places[row]] = scratch.pending[rank, at]
        settle(standings, section, one, rating, section.match + row - section.row)


@inner
def compute(constants: Constants, tables: Tables, number: int, scratch: Scratch) -> int:
    """Every system of a section, computed from the standings before it; returns what stood in the way."""
    section = tables.history.sections[number]
    rank = 0
    for system in range(SYSTEMS):
        if section.systems & (1 << system) == 0:
            continue
        if not gather(constants, tables, number, system, rank, scratch):
            return NO_DOCUMENT
        field = field_of(tables.history, number, scratch)
        sheet = sheet_of(scratch, len(field.prior), len(field.opponent))
        if not five_steps(constants, k_rule_of(section, system), field, sheet):
            return NOT_FOUND
        finish(constants, tables, number, system, rank, scratch)
        if system == REGULAR and section.kind != KIND_MATCH and len(tables.results.working) > 0:
            find_norms(tables, number, rank, scratch)
        rank += 1
    return SOUND


@inner
def rate_section(constants: Constants, tables: Tables, number: int, scratch: Scratch) -> None:
    """Rate one section in all its systems."""
    section = tables.history.sections[number]
    if tables.history.sections[number + 1].first == section.first:
        return
    fault = compute(constants, tables, number, scratch)
    if fault != SOUND:
        tables.results.faults[number] = fault
        for row in range(section.row, tables.history.sections[number + 1].row):
            tables.results.ratings[AFTER, row] = math.nan
        return
    rank = 0
    for system in range(SYSTEMS):
        if section.systems & (1 << system) != 0 and section.systems >> (system + 1) != 0:
            store(tables, number, rank, scratch)
            rank += 1


__all__ = ["NOT_FOUND", "NO_DOCUMENT", "NO_NORM", "SOUND", "Scratch", "rate_section", "scratch_for"]
