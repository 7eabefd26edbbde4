"""Where newcomers start (§2), over arrays: what their sources say, and Step 1."""

import math

from crosstable.formulas.initial import DAYS_A_YEAR, SOURCES, Newcomer, Sources, age_start, initial_rating
from crosstable.history.kernel.arrays import NO_DAY, OUTSIDE_CFC, OUTSIDE_FIDE, Array, Tables
from crosstable.history.kernel.compiling import inner
from crosstable.rules.constants import Constants
from crosstable.terms import Source

FIDE, CFC = Source.FIDE.value, Source.CFC.value


@inner
def age_in(born: int, day: int) -> float:
    """Age on a day, as the document counts it (§2.3); NaN without a birth date."""
    return math.nan if born == NO_DAY else (day - born) / DAYS_A_YEAR


@inner
def lay_source(room: Array, source: int, rating: float, games: float, days: tuple[int, int, int]) -> None:
    """One source of a newcomer, of the day it is from, on the last day of a section, with his birthday (§2)."""
    as_of, end, born = days
    room[0, source] = rating
    room[1, source] = games
    room[2, source] = float(max(0, end - as_of))
    room[3, source] = age_in(born, as_of)


@inner
def lay_sources(tables: Tables, member: int, section: Array, room: Array) -> bool:
    """What a newcomer's sources say, a column each: his standings, and the outside ratings in force (§2).

    Of a source that he does not have nothing is read but that its rating is none. False: he has none at all.
    """
    person = tables.history.people[member]
    found = False
    for source in range(SOURCES):
        room[0, source] = math.nan
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
            day = section.end if one.as_of == NO_DAY else one.as_of
            lay_source(room, source, one.rating, one.games, (day, section.end, person.born))
    for at in range(person.outside, person.outside_end):
        known = tables.history.outside[at]
        if known.body == OUTSIDE_FIDE and known.as_of <= section.start:
            lay_source(room, FIDE, known.rating, math.inf, (known.as_of, section.end, person.born))
        elif known.body == OUTSIDE_CFC and known.as_of <= section.end:
            lay_source(room, CFC, known.rating, math.inf, (known.as_of, section.end, person.born))
    return found or person.outside < person.outside_end


@inner
def start_in(
    constants: Constants, tables: Tables, member: int, section: Array, system: int, room: Array
) -> tuple[float, float]:
    """R0 and N of an unrated member (§2)."""
    has_sources = lay_sources(tables, member, section, room)
    person = tables.history.people[member]
    newcomer = Newcomer(age_in(person.born, section.end), person.is_adult != 0, person.is_canadian != 0)
    if not has_sources:
        initial = age_start(constants, newcomer)
        return initial.rating, initial.games
    sources = Sources(room[0], room[1], room[2], room[3])
    initial = initial_rating(constants, system, newcomer, sources, room[4])
    return initial.rating, initial.games
