"""Where unrated players start (§2), over arrays: what their sources say, and Step 1."""

import math
from typing import NamedTuple

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
from crosstable.history.kernel.arrays import OUTSIDE_CFC, OUTSIDE_FIDE, Array, Tables, whole
from crosstable.history.kernel.compiling import inner
from crosstable.rules.constants import Constants
from crosstable.terms import Source

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
    if not math.isnan(told.start_rating):
        return given_start(told.start_rating, told.start_games)
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
