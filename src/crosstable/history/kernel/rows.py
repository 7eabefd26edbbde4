"""What each row of results is about, for writing them out."""

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
