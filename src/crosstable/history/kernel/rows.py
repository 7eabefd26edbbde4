"""What each row of results is about, for writing them out."""

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from crosstable.history.kernel.arrays import AFTER, RATING_COLUMNS, SYSTEMS, Array, History, fresh, whole
from crosstable.history.kernel.compiling import compiled
from crosstable.history.kernel.processor import fetch

# So many competitors, members or standings ahead what is read of them is asked for.
AHEAD = 24


@compiled
def standing_places(sections: Array, member_of: Array, members: int) -> tuple[Array, Array, int]:
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
                fetch(place_of, whole(member_of[min(at + AHEAD, len(member_of) - 1)]))
                member = member_of[at]
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


class About(NamedTuple):
    """What rows of results are about, column by column."""

    section: Array
    member: Array
    system: Array


def rated_rows(history: History, ratings: Array, members: int, first: int) -> Iterator[tuple[About, Array]]:
    """What was found of members from a section on, in two parts: what each row is about, and its ratings by column.

    Ratings are moved together where they lie, over those that say nothing: copies of them all would take longer.
    """
    rows, last = history.sections["row"], len(history.sections) - 1
    middle = int(np.searchsorted(rows, (rows[first] + rows[last]) // 2))
    spans = [(first, middle), (middle, last)]
    with ThreadPoolExecutor(len(spans)) as pool:
        yield from pool.map(lambda span: _rated_part(history, ratings, members, span), spans)


def _rated_part(history: History, ratings: Array, members: int, span: tuple[int, int]) -> tuple[About, Array]:
    low, high = (int(history.sections["row"][end]) for end in span)
    about = About(*(fresh(high - low, kind) for kind in (np.uint32, np.int32, np.uint8)))
    part = ratings[:, low:high]
    count = move_together(history, part, members, span, about)
    return About(*(column[:count] for column in about)), part[:, :count]


@compiled
def move_together(history: History, ratings: Array, members: int, span: tuple[int, int], about: About) -> int:
    """Leave out rows that are not rated and those of people who are no members; returns how many stay."""
    sections, competitors = history.sections, history.competitors
    row = count = 0
    for number in range(span[0], span[1]):
        for system in range(SYSTEMS):
            if sections[number].systems & (1 << system) == 0:
                continue
            for at in range(sections[number].first, sections[number + 1].first):
                member = competitors[at].member
                if not math.isnan(ratings[AFTER, row]) and member < members:
                    about.section[count], about.member[count], about.system[count] = number, member, system
                    if count < row:
                        for column in range(RATING_COLUMNS):
                            ratings[column, count] = ratings[column, row]
                    count += 1
                row += 1
    return count


@compiled
def standing_owners(place_of: Array, members: int, places: int) -> Array:
    """Whose each standing is: the member's number times six, plus the system; -1 for nobody's."""
    owners = np.full(places, -1, dtype=np.int32)
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


@compiled
def rated_standings(standings: Array, place_of: Array, members: int) -> tuple[Array, Array]:
    """Whose each rating is, as ``standing_owners`` says it, by member and system; and its place."""
    owners, places = np.empty(len(standings), dtype=np.int32), np.empty(len(standings), dtype=np.int32)
    count = 0
    for member in range(members):
        for system in range(SYSTEMS):
            fetch(standings, whole(place_of[min(member + AHEAD, members - 1), system]))
            place = place_of[member, system]
            if place > 0 and not math.isnan(standings[place].rating):
                owners[count], places[count] = member * SYSTEMS + system, place
                count += 1
    return owners[:count], places[:count]


class RecordColumns(NamedTuple):
    """Rating records by column, or columns by record: the fields that are floats, and those that are whole numbers."""

    numbers: Array
    counts: Array


@compiled
def lay_columns(records: RecordColumns, places: Array, out: RecordColumns) -> None:
    """Rating records at some places, column by column."""
    for at in range(len(places)):
        fetch(records.numbers, whole(places[min(at + AHEAD, len(places) - 1)]))
        for column in range(len(out.numbers)):
            out.numbers[column, at] = records.numbers[places[at], column]
        for column in range(len(out.counts)):
            out.counts[column, at] = records.counts[places[at], column]
