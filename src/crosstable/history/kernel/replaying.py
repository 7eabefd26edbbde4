"""Many sections in the order of the replay, on several threads, with the results of one.

A section may be rated once every competitor's section before it is. Threads take the next few sections in the order
that ``lay_order`` gives and wait for those they depend on; everything a section depends on comes earlier, so the first
section that is not done can always go on. Each section reads the same numbers whoever rates it, so the results do not
depend on the threads.
"""

import math
from typing import NamedTuple

import numpy as np

from crosstable.history.kernel.arrays import WINDOW, Array, History, Tables, whole
from crosstable.history.kernel.compiling import compiled, inner, walking
from crosstable.history.kernel.processor import fetch, give_way, read_flag, set_flag, take_number
from crosstable.history.kernel.section import Scratch, rate_section

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
