"""What each row of results is about, for writing them out."""

import math
from typing import NamedTuple

import numpy as np

from crosstable.history.kernel.arrays import SYSTEMS, Array, History
from crosstable.history.kernel.compiling import compiled


@compiled
def standing_places(sections: Array, competitors: Array, members: int) -> tuple[Array, Array, int]:
    """The place of every row's standing, the same by member and system, and how many places there are.

    Places are given in the order in which members are first rated; the first is nobody's.
    """
    place_of = np.zeros((members, SYSTEMS), dtype=np.int32)
    last = len(sections) - 1
    places = np.empty(sections[last].row, dtype=np.int32)
    used = 1
    for number in range(last):
        row = sections[number].row
        for system in range(SYSTEMS):
            if sections[number].systems & (1 << system) == 0:
                continue
            for at in range(sections[number].first, sections[number + 1].first):
                member = competitors[at].member
                if place_of[member, system] == 0:
                    place_of[member, system] = used
                    used += 1
                places[row] = place_of[member, system]
                row += 1
    return places, place_of, used


@compiled
def row_places(sections: Array, competitors: Array, first: int) -> tuple[Array, Array, Array]:
    """Section, member and system of every row of results from a section on."""
    last = len(sections) - 1
    base = sections[first].row
    rows = sections[last].row - base
    section = np.empty(rows, dtype=np.uint32)
    member = np.empty(rows, dtype=np.int32)
    system = np.empty(rows, dtype=np.uint8)
    for number in range(first, last):
        row = sections[number].row - base
        for one in range(SYSTEMS):
            if sections[number].systems & (1 << one) == 0:
                continue
            for at in range(sections[number].first, sections[number + 1].first):
                section[row] = number
                member[row] = competitors[at].member
                system[row] = one
                row += 1
    return section, member, system


class RatedRows(NamedTuple):
    """The rows of results that say something of a member, column by column."""

    section: Array
    member: Array
    system: Array
    before: Array
    after: Array
    games_after: Array


def rated_rows(history: History, results: Array, members: int, first: int) -> RatedRows:
    """What was found of members from a section on, with the section, member and system of each row."""
    rows = len(results) - int(history.sections[first]["row"])
    kinds = (np.uint32, np.int32, np.uint8, np.float64, np.float64, np.float64)
    columns = RatedRows(*(np.empty(rows, dtype=kind) for kind in kinds))
    count = lay_rated(history, results, members, first, columns)
    return RatedRows(*(column[:count] for column in columns))


@compiled
def lay_rated(history: History, results: Array, members: int, first: int, out: RatedRows) -> int:
    """Lay rows out as columns, without those that are not rated and of people who are no members; how many."""
    sections, competitors = history.sections, history.competitors
    count = 0
    for number in range(first, len(sections) - 1):
        row = sections[number].row
        for one in range(SYSTEMS):
            if sections[number].systems & (1 << one) == 0:
                continue
            for at in range(sections[number].first, sections[number + 1].first):
                result = results[row]
                row += 1
                if math.isnan(result.after) or competitors[at].member >= members:
                    continue
                out.section[count] = number
                out.member[count] = competitors[at].member
                out.system[count] = one
                out.before[count] = result.before
                out.after[count] = result.after
                out.games_after[count] = result.games_after
                count += 1
    return count


@compiled
def standing_owners(place_of: Array, members: int, places: int) -> Array:
    """Whose each standing is: the member's number times six, plus the system; -1 for nobody's."""
    owners = np.full(places, -1, dtype=np.int64)
    for member in range(members):
        for system in range(SYSTEMS):
            if place_of[member, system] > 0:
                owners[place_of[member, system]] = member * SYSTEMS + system
    return owners


@compiled
def changed_standings(standings: Array, owners: Array, since: int) -> Array:
    """The places of members' ratings that changed on a day or later."""
    found = np.empty(len(standings), dtype=np.int64)
    count = 0
    for place in range(len(standings)):
        if owners[place] >= 0 and not math.isnan(standings[place].rating) and standings[place].as_of >= since:
            found[count] = place
            count += 1
    return found[:count]
