"""One section over arrays, compiled: what its players bring, the five steps, and what becomes of their rating records.

This is the engine's ``rate`` in another form: the same formulas over rows of arrays. Every system is computed from the
rating records before the section and only then are any changed, so that neither half of a dual-rated section sees the
other's result.
"""

import math
from typing import NamedTuple

from crosstable.formulas.foreign import NOBODY, foreign_pass, is_eligible, opponent_strength, without_conversion
from crosstable.formulas.initial import (
    NO_DAY,
    SOURCES,
    Initial,
    Sources,
    Unrated,
    age_start,
    carried_fide,
    given_start,
    initial_rating,
    is_counted,
    lay_source,
    no_sources,
)
from crosstable.formulas.norms import highest_norm
from crosstable.formulas.outcome import Level, MatchPast
from crosstable.formulas.section import (
    Limits,
    SectionFacts,
    Share,
    count_section,
    k_rule,
    lay_rated,
    lay_results,
    lay_unrated,
    no_limits,
    section_outcome,
    share_of,
    with_match,
)
from crosstable.formulas.steps import Field, PassColumns, Sheet, five_steps, formula_for
from crosstable.history.kernel.arrays import (
    AFTER,
    AT_ZERO,
    BEFORE,
    BONUS,
    EFFECTIVE,
    FIFTH,
    FINAL,
    FOURTH,
    GAMES,
    GAMES_AFTER,
    ODDS,
    OUTSIDE_CFC,
    OUTSIDE_FIDE,
    PRIOR,
    PRIOR_ODDS,
    RATED,
    SCORE,
    STRENGTH,
    SYSTEMS,
    Array,
    RecordArrays,
    Scratch,
    Tables,
    whole,
)
from crosstable.history.kernel.compiling import inner
from crosstable.rules.constants import Constants
from crosstable.rules.editions import PEAKS_COUNT_FROM
from crosstable.terms import FloorKind, Formula, RatingSystem, Source

FIDE, CFC = Source.FIDE.value, Source.CFC.value


class Starter(NamedTuple):
    """An unrated competitor: the section, the position in it, and the system to start in."""

    number: int
    at: int
    system: int


@inner
def sources_of(room: Array) -> Sources:
    """Room for what sources say."""
    return Sources(room[0], room[1], room[2], room[3])


@inner
def lay_sources(tables: Tables, member: int, section: Array, sources: Sources, who: Unrated) -> bool:
    """What a member's sources say: rating records, and the outside ratings in force (§2). False: there is none."""
    person = tables.history.people[member]
    found = False
    rated = tables.standings.rated[member]
    source = -1
    while rated != 0:
        source += 1
        is_rated = rated & 1
        rated >>= 1
        if is_rated == 0:
            continue
        one = tables.standings.standings[tables.history.place_of[member, source]]
        if not math.isnan(one.rating):
            found = True
            lay_source(sources, source, one.rating, one.games, whole(one.as_of), who)
    for at in range(person.outside, person.outside_end):
        known = tables.history.outside[at]
        if known.body == OUTSIDE_FIDE and known.as_of <= section.start:
            lay_source(sources, FIDE, known.rating, math.inf, whole(known.as_of), who)
        elif known.body == OUTSIDE_CFC and known.as_of <= section.end:
            lay_source(sources, CFC, known.rating, math.inf, whole(known.as_of), who)
    return found or person.outside < person.outside_end


@inner
def lay_told(told: Array, sources: Sources, who: Unrated) -> bool:
    """The FIDE rating that the report carries, where no other is in force. False: there is none."""
    if math.isnan(told.fide):
        return False
    lay_source(sources, FIDE, told.fide, math.inf, whole(told.fide_as_of), who)
    return True


@inner
def start_in(constants: Constants, tables: Tables, starter: Starter, room: Array) -> Initial:
    """Where an unrated competitor starts (§2); ``room`` keeps what the sources say.

    Somebody who neither plays nor is met needs no start, so none is asked of documents that were not found.
    """
    history = tables.history
    section = history.sections[starter.number]
    competitor = history.competitors[section.first + starter.at]
    sources = sources_of(room)
    no_sources(sources)
    if competitor.is_met == 0 and history.competitors[section.first + starter.at + 1].first == competitor.first:
        return age_start(constants, Unrated(NO_DAY, whole(section.start), whole(section.end), False, False))
    told = history.told[section.told + starter.at if section.told > 0 else 0]
    if not math.isnan(told.start_rating[starter.system]):
        return given_start(told.start_rating[starter.system], told.start_games[starter.system])
    who = unrated_in(tables, section, competitor)
    has_sources = lay_sources(tables, competitor.member, section, sources, who)
    if section.told > 0:
        has_sources = lay_told(told, sources, who) or has_sources
    if not has_sources:
        return age_start(constants, who)
    return initial_rating(constants, starter.system, who, sources, room[4])


@inner
def unrated_in(tables: Tables, section: Array, competitor: Array) -> Unrated:
    """An unrated competitor of a section."""
    person = tables.history.people[competitor.member]
    start, end = whole(section.start), whole(section.end)
    return Unrated(whole(person.born), start, end, person.is_adult != 0, person.is_canadian != 0)


@inner
def fide_in(tables: Tables, section: Array, competitor: Array, told: Array) -> tuple[float, int]:
    """The FIDE rating that a start may use, and the day of its list: the one in force, or the one of the report."""
    rating, day = told.fide, whole(told.fide_as_of)
    person = tables.history.people[competitor.member]
    for at in range(person.outside, person.outside_end):
        known = tables.history.outside[at]
        if known.body == OUTSIDE_FIDE and known.as_of <= section.start:
            rating, day = known.rating, whole(known.as_of)
    return rating, day


@inner
def keep_start(constants: Constants, tables: Tables, starter: Starter, start: Initial, room: Array, out: Array) -> None:
    """Keep where an unrated competitor started, and from what (§2)."""
    section = tables.history.sections[starter.number]
    competitor = tables.history.competitors[section.first + starter.at]
    who = unrated_in(tables, section, competitor)
    counted = 0
    for source in range(SOURCES):
        if is_counted(constants, starter.system, who, sources_of(room), start, source):
            counted |= 1 << source
    out.source, out.total_weight, out.mean = start.source, start.total_weight, start.mean
    out.rating, out.games, out.counted, out.is_new = start.rating, start.games, counted, 1
    if counted >> FIDE & 1:
        told = tables.history.told[section.told + starter.at if section.told > 0 else 0]
        rating, day = fide_in(tables, section, competitor, told)
        out.is_undated = day == NO_DAY
        out.is_carried = carried_fide(rating, day, whole(section.start)) != rating


# The kinds of sections as archives number them; from the second one on events abroad.
KIND_MATCH, FIRST_ABROAD, KIND_YOUTH = 2, 3, 4
PEAKS_FROM = PEAKS_COUNT_FROM.toordinal()
REGULAR = RatingSystem.OTBR.value
STANDARD = Formula.STANDARD.value

# Why a section has no results.
SOUND, NO_DOCUMENT, NOT_FOUND = 0, 1, 2


class Turn(NamedTuple):
    """A section in one of its systems: number, system, which of the section's it is; where rows and results begin."""

    number: int
    facts: SectionFacts
    rank: int
    low: int
    high: int
    row: int
    kept: int


@inner
def turn_in(tables: Tables, number: int, system: int, rank: int) -> Turn:
    """A section in one of its systems."""
    section = tables.history.sections[number]
    low, high = section.first, tables.history.sections[number + 1].first
    is_match, counts_since_2010 = section.kind == KIND_MATCH, section.end >= PEAKS_FROM
    facts = SectionFacts(system, is_match, section.is_half_k != 0, whole(section.end), counts_since_2010)
    row = section.row + rank * (high - low)
    return Turn(number, facts, rank, low, high, row, row - tables.results.records.base)


@inner
def share_in(facts: SectionFacts, competitor: Array) -> Share:
    """What a section brings to a competitor's record."""
    return share_of(facts, whole(competitor.wins), whole(competitor.draws), whole(competitor.losses))


@inner
def field_of(tables: Tables, turn: Turn, scratch: Scratch) -> Field:
    """The section's columns, cut to its size."""
    competitors = tables.history.competitors
    rank, n = turn.rank, turn.high - turn.low
    sides = tables.history.opponents[competitors[turn.low].first : competitors[turn.high].first]
    return Field(
        scratch.numbers[rank, PRIOR, :n],
        scratch.numbers[rank, GAMES, :n],
        scratch.past[rank, :n],
        scratch.flags[rank, AT_ZERO, :n],
        scratch.numbers[rank, SCORE, :n],
        scratch.flags[rank, BONUS, :n],
        scratch.first[: n + 1],
        sides,
    )


@inner
def pass_of(numbers: Array, begin: int, n: int) -> PassColumns:
    """The columns of one pass."""
    part = numbers[begin : begin + 5, :n]
    return PassColumns(part[0], part[1], part[2], part[3], part[4])


@inner
def sheet_of(scratch: Scratch, turn: Turn, sides: int) -> Sheet:
    """The sheet that the five steps write on."""
    numbers, n = scratch.numbers[turn.rank], turn.high - turn.low
    return Sheet(
        numbers[EFFECTIVE, :n],
        numbers[STRENGTH, :n],
        pass_of(numbers, FOURTH, n),
        pass_of(numbers, FIFTH, n),
        numbers[PRIOR_ODDS, :n],
        numbers[ODDS, :n],
        scratch.sides[:sides],
    )


@inner
def lay_first(tables: Tables, number: int, scratch: Scratch) -> None:
    """Where the sides of each competitor begin."""
    competitors = tables.history.competitors
    low, high = tables.history.sections[number].first, tables.history.sections[number + 1].first
    for at in range(high - low + 1):
        scratch.first[at] = competitors[low + at].first - competitors[low].first


@inner
def gather(constants: Constants, tables: Tables, turn: Turn, field: Field, scratch: Scratch) -> float:
    """Lay out what everybody brings to the five steps; the FIDE rating of a start that nobody can convert, else NaN."""
    for at in range(turn.high - turn.low):
        competitor = tables.history.competitors[turn.low + at]
        record = tables.standings.standings[tables.history.places[turn.row + at]]
        share = share_in(turn.facts, competitor)
        lay_results(constants, turn.facts, field, at, share, competitor.most_meetings)
        scratch.flags[turn.rank, RATED, at] = share.played > 0
        if not math.isnan(record.rating):
            lay_rated(field, at, record)
            continue
        starter = Starter(turn.number, at, turn.facts.system)
        start = start_in(constants, tables, starter, scratch.sources)
        if math.isnan(start.rating):
            return float(scratch.sources[0, FIDE])
        lay_unrated(field, at, start)
        if len(tables.results.records.starts) > 0:
            out = tables.results.records.starts[turn.kept + at]
            keep_start(constants, tables, starter, start, scratch.sources, out)
    return math.nan


@inner
def rate_abroad(constants: Constants, tables: Tables, turn: Turn, field: Field, sheet: Sheet, is_rated: Array) -> float:
    """The columns of a foreign event, with the updates of those it rates (§6); returns as ``gather`` does."""
    history, standings = tables.history, tables.standings.standings
    section = history.sections[turn.number]
    for at in range(turn.high - turn.low):
        competitor = history.competitors[turn.low + at]
        told = history.told[section.told + at]
        share = share_in(turn.facts, competitor)
        record = standings[history.places[turn.row + at]]
        regular = standings[history.place_of[competitor.member, REGULAR]]
        lay_rated(field, at, record)
        lay_results(constants, turn.facts, field, at, share, competitor.most_meetings)
        fide = carried_fide(told.fide, whole(told.fide_as_of), whole(section.start))
        sheet.strength[at] = opponent_strength(constants, fide, section.kind == KIND_YOUTH)
        is_rated[at] = (
            share.played > 0
            and not math.isnan(record.rating)
            and not math.isnan(regular.rating)
            and is_eligible(constants, regular.games, told.automatic_fide, True, told.has_opted_in != 0)
        )
    missing = without_conversion(field, sheet, is_rated)
    if missing != NOBODY:
        return float(history.told[section.told + missing].fide)
    foreign_pass(constants, field, sheet, is_rated)
    return math.nan


@inner
def match_past_of(constants: Constants, standings: RecordArrays, end: int, newest: int) -> MatchPast:
    """Net match changes in the windows that end with this section (§7; readings 74, 107)."""
    past = MatchPast(True, 0.0, 0.0)
    for back in range(changes_back(standings, newest) - 1, -1, -1):  # the oldest first, as the engine adds
        at = newest
        for _ in range(back):
            at = whole(standings.match_changes[at].earlier)
        one = standings.match_changes[at]
        past = with_match(constants, past, end, whole(one.day), one.change)
    return past


@inner
def changes_back(standings: RecordArrays, newest: int) -> int:
    """How many match changes a member has."""
    count = 0
    while newest > 0:
        count += 1
        newest = whole(standings.match_changes[newest].earlier)
    return count


@inner
def floor_kind(number: int) -> FloorKind:
    """A kind of floor from its number."""
    if number == FloorKind.LIFE_MASTER.value:
        return FloorKind.LIFE_MASTER
    if number == FloorKind.MONEY.value:
        return FloorKind.MONEY
    return FloorKind.OFFICE


@inner
def limits_in(constants: Constants, tables: Tables, turn: Turn, record: Array) -> Limits:
    """What limits a member's rating when a section is rated; what is decided holds from the first rating on."""
    limits = no_limits()
    if not turn.facts.is_match and record.decided == 0:
        return limits
    decided, past = tables.standings.decided, limits.match
    if turn.facts.is_match:
        past = match_past_of(constants, tables.standings, turn.facts.end, whole(record.match))
    if record.decided == 0 or math.isnan(record.rating):
        return Limits(limits.decided, limits.ceiling, limits.lowered_floor, past)
    at = whole(record.decided)
    later = decided[at].later
    while later > 0 and decided[later].since <= tables.history.sections[turn.number].row:
        at = later
        later = decided[at].later
    floor = Level(floor_kind(decided[at].floor_kind), decided[at].floor_level)
    return Limits(floor, decided[at].ceiling, decided[record.decided].lowered_floor, past)


@inner
def add_match_change(standings: RecordArrays, record: Array, place: int, change: float) -> None:
    """Keep the change of a match, which is the newest one."""
    one = standings.match_changes[place]
    one.day, one.change, one.earlier = record.as_of, change, record.match
    record.match = place


@inner
def finish(constants: Constants, tables: Tables, turn: Turn, field: Field, sheet: Sheet, scratch: Scratch) -> None:
    """From computed ratings to those that stand, and the records after them (§5, §7)."""
    results, records, standings = tables.results, tables.results.records, tables.standings
    finals = scratch.numbers[turn.rank, FINAL]
    for at in range(turn.high - turn.low):
        row, kept = turn.row + at, turn.kept + at
        record = standings.standings[tables.history.places[row]]
        before = record.rating
        results.ratings[BEFORE, kept] = before
        finals[at] = field.prior[at]
        if len(records.before) > 0:
            records.before[kept] = record
            records.lowered[kept].before = standings.decided[record.decided].lowered_floor
        if scratch.flags[turn.rank, RATED, at]:
            competitor = tables.history.competitors[turn.low + at]
            if math.isnan(before):
                standings.rated[competitor.member] |= 1 << turn.facts.system
                record.games = field.games[at]
            share = share_in(turn.facts, competitor)
            limits = limits_in(constants, tables, turn, record)
            result = section_outcome(constants, turn.facts, record, share, sheet.final.computed[at], limits)
            floor = standings.decided[record.decided]
            count_section(constants, turn.facts, record, floor, share, result.rating)
            if turn.facts.is_match and not math.isnan(before):
                section = tables.history.sections[turn.number]
                add_match_change(standings, record, section.match + row - section.row, result.rating - before)
            finals[at] = results.ratings[AFTER, kept] = result.rating
            results.ratings[GAMES_AFTER, kept] = record.games
            if len(results.working) > 0:
                working = results.working[kept]
                working.floor_kind, working.floor_level = result.floor_kind.value, result.floor_level
                working.requested_floor = result.requested_floor
        if len(records.after) > 0:
            records.after[kept] = record
            records.lowered[kept].after = standings.decided[record.decided].lowered_floor


@inner
def keep_steps(constants: Constants, tables: Tables, turn: Turn, field: Field, sheet: Sheet, is_rated: Array) -> None:
    """The working of the final pass, of those who are rated."""
    is_abroad = tables.history.sections[turn.number].kind >= FIRST_ABROAD
    for at in range(turn.high - turn.low):
        if is_rated[at]:
            working = tables.results.working[turn.kept + at]
            is_new = math.isnan(tables.standings.standings[tables.history.places[turn.row + at]].rating)
            working.prior, working.start_games = field.prior[at], field.games[at] if is_new else math.nan
            working.effective, working.computed = sheet.effective[at], sheet.final.computed[at]
            working.k, working.expected = sheet.final.k[at], sheet.final.expected[at]
            working.bonus = sheet.final.bonus[at]
            working.formula = STANDARD if is_abroad else formula_for(constants, field.games[at], field.past[at]).value


@inner
def find_norms(tables: Tables, turn: Turn, field: Field, scratch: Scratch) -> None:
    """The norms of a section (official facts §1): post-event strengths, so after everybody's outcome."""
    for at in range(turn.high - turn.low):
        begin, end = field.first[at], field.first[at + 1]
        for side in range(begin, end):
            scratch.sides[side - begin] = scratch.numbers[turn.rank, FINAL, field.opponent[side]]
        most_meetings = tables.history.competitors[turn.low + at].most_meetings
        norm = highest_norm(field.score[at], scratch.sides[: end - begin], most_meetings)
        tables.results.working[turn.kept + at].norm = norm


@inner
def compute(constants: Constants, tables: Tables, turn: Turn, scratch: Scratch) -> int:
    """One system of a section, computed from the rating records before it; returns what stood in the way."""
    section = tables.history.sections[turn.number]
    field = field_of(tables, turn, scratch)
    sheet = sheet_of(scratch, turn, len(field.opponent))
    is_rated = scratch.flags[turn.rank, RATED]
    if section.kind >= FIRST_ABROAD:
        missing = rate_abroad(constants, tables, turn, field, sheet, is_rated)
    else:
        missing = gather(constants, tables, turn, field, scratch)
    if not math.isnan(missing):
        tables.results.missing[turn.number] = missing
        return NO_DOCUMENT
    rule = k_rule(section.is_half_k != 0, section.is_dual_control != 0, turn.facts.system)
    if section.kind < FIRST_ABROAD and not five_steps(constants, rule, field, sheet):
        return NOT_FOUND
    if len(tables.results.working) > 0:
        keep_steps(constants, tables, turn, field, sheet, is_rated)
    return SOUND


@inner
def rate_section(constants: Constants, tables: Tables, number: int, scratch: Scratch) -> None:
    """Rate one section in all its systems."""
    section = tables.history.sections[number]
    if tables.history.sections[number + 1].first == section.first:
        return
    lay_first(tables, number, scratch)
    rank = 0
    for system in range(SYSTEMS):
        if section.systems & (1 << system) != 0:
            fault = compute(constants, tables, turn_in(tables, number, system, rank), scratch)
            if fault != SOUND:
                tables.results.faults[number] = fault
                return
            rank += 1
    rank = 0
    for system in range(SYSTEMS):
        if section.systems & (1 << system) != 0:
            turn = turn_in(tables, number, system, rank)
            field = field_of(tables, turn, scratch)
            finish(constants, tables, turn, field, sheet_of(scratch, turn, len(field.opponent)), scratch)
            if system == REGULAR and section.kind < KIND_MATCH and len(tables.results.working) > 0:
                find_norms(tables, turn, field, scratch)
            rank += 1
