"""What each row of results is about, for writing them out."""

import math

import numpy as np

from crosstable.history.kernel.arrays import SYSTEMS, Array
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
