"""Many sections in the order of the replay, on several threads, with the results of one; and the rows of those results.

A section may be rated once every competitor's section before it is. Threads take the next few sections in the order
that ``lay_order`` gives and wait for those they depend on; everything a section depends on comes earlier, so the first
section that is not done can always go on. Each section reads the same numbers whoever rates it, so the results do not
depend on the threads.
"""

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from crosstable.history.kernel.arrays import (
    AFTER,
    RATING_COLUMNS,
    SYSTEMS,
    WINDOW,
    Array,
    History,
    Scratch,
    Tables,
    fresh,
    whole,
)
from crosstable.history.kernel.compiling import (
    compiled,
    fetch,
    give_way,
    inner,
    read_flag,
    set_flag,
    take_number,
    walking,
)
from crosstable.history.kernel.section import rate_section

# So many competitors, members or records ahead what is read of them is asked for.
AHEAD = 24


@compiled
def record_places(sections: Array, member_of: Array, members: int) -> tuple[Array, Array, int]:
    """The place of every row's rating record, the same by member and system, and how many places there are.

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
def record_owners(place_of: Array, members: int, places: int) -> Array:
    """Whose each rating record is: the member's number times six, plus the system; -1 for nobody's."""
    owners = np.full(places, -1, dtype=np.int32)
    for member in range(members):
        for system in range(SYSTEMS):
            if place_of[member, system] > 0:
                owners[place_of[member, system]] = member * SYSTEMS + system
    return owners


@compiled
def changed_records(standings: Array, owners: Array, since: int) -> Array:
    """The places of members' ratings that changed on a day or later."""
    found = np.empty(len(standings), dtype=np.int64)
    count = 0
    for place in range(len(standings)):
        if owners[place] >= 0 and not math.isnan(standings[place].rating) and standings[place].as_of >= since:
            found[count] = place
            count += 1
    return found[:count]


@compiled
def rated_records(standings: Array, place_of: Array, members: int) -> tuple[Array, Array]:
    """Whose each rating is, as ``record_owners`` says it, by member and system; and its place."""
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


# A thread that looked so often in vain lets others have the processor.
PATIENCE = 200
# Sections that a thread takes at a time.
TURN = 6
# So many of its sections ahead rating records are asked for, and then what the starts of unrated players are made of.
FAR, NEAR = 6, 3
# Competitors that are sure to touch every line of the cache that holds them.
TO_A_LINE = 2


@compiled
def lay_order(history: History, first: int, last: int, order: Array) -> None:
    """The sections of a stretch in the order in which they are taken: within each window level by level."""
    sections = history.sections
    ends = np.zeros(WINDOW + 1, dtype=np.int64)
    begin = first
    while begin < last:
        end = min(last, begin - begin % WINDOW + WINDOW)
        ends[:] = 0
        for number in range(begin, end):
            ends[sections[number].level + 1] += 1
        for level in range(WINDOW):
            ends[level + 1] += ends[level]
        for number in range(begin, end):
            level = sections[number].level
            order[begin + ends[level]] = number
            ends[level] += 1
        begin = end


class Stretch(NamedTuple):
    """Sections after each other, which several threads rate together.

    ``span`` holds how many turns were taken, the first section, the one after the last, and how many threads rate;
    ``order`` and ``done`` are those of the whole history.
    """

    span: Array
    order: Array
    done: Array


@walking
def replay_share(numbers: Array, tables: Tables, stretch: Stretch, scratch: Scratch) -> None:
    """Rate sections as long as there are any, together with other threads that have the same stretch."""
    span, order, done = stretch.span, stretch.order, stretch.done
    first, last, workers = span[1], span[2], span[3]
    turn = first + TURN * take_number(span)
    while turn < last:
        following = first + TURN * take_number(span)  # taken ahead, so that what is fetched is this thread's own
        for place in range(turn, min(turn + TURN, last)):
            fetch_records(tables, whole(order[ahead(place + FAR, turn, following, last)]))
            fetch_unrated(tables, whole(order[ahead(place + NEAR, turn, following, last)]))
            number: int = whole(order[place])
            if workers > 1:
                wait_for(tables.history, number, first, done)
            rate_section(numbers[tables.history.sections[number].edition], tables, number, scratch)
            if workers > 1:
                set_flag(done, number)
        turn = following


@inner
def ahead(place: int, turn: int, following: int, last: int) -> int:
    """A place of this turn, or of the one that follows it."""
    if place >= turn + TURN:
        place += following - turn - TURN
    return min(place, last - 1)


@inner
def fetch_records(tables: Tables, number: int) -> None:
    """Ask for the rating records of a section that is rated soon, and for its competitors."""
    sections = tables.history.sections
    for at in range(sections[number].first, sections[number + 1].first, TO_A_LINE):
        fetch(tables.history.competitors, whole(at))
    for row in range(sections[number].row, sections[number + 1].row):
        fetch(tables.standings.standings, whole(tables.history.places[row]))


@inner
def fetch_unrated(tables: Tables, number: int) -> None:
    """Ask for what starts are made of, of those in a section who have no rating yet."""
    sections = tables.history.sections
    low, high = sections[number].first, sections[number + 1].first
    at = low
    for row in range(sections[number].row, sections[number + 1].row):
        if math.isnan(tables.standings.standings[tables.history.places[row]].rating):
            member = np.int64(tables.history.competitors[at].member)
            fetch(tables.history.people, member)
            if tables.standings.rated[member] != 0:
                fetch(tables.history.place_of, member)
        at = low if at + 1 == high else at + 1  # rows go through the competitors once in each system


@inner
def wait_for(history: History, number: int, first: int, done: Array) -> None:
    """Wait until every competitor's section before is rated."""
    for at in range(history.sections[number].first, history.sections[number + 1].first):
        before = history.competitors[at].previous
        if before >= first:
            spins = 0
            while read_flag(done, np.int64(before)) == 0:
                spins += 1
                if spins > PATIENCE:
                    give_way()
