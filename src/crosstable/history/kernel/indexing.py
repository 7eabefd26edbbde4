"""Laying a history out as arrays: rows of one member become one competitor, games become sides (readings 104, 106)."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from crosstable.history.kernel.arrays import COMPETITOR, TOP_LEVEL, WINDOW, Array, whole
from crosstable.history.kernel.compiling import compiled

# A result in the archive: half points of the first player, and this where it counts on his row alone.
ONE_SIDED = 4
WIN, DRAW = 2, 1
# So many sections are laid out in two parts, on two threads.
WORTH_SHARING = 10_000
# What a section that plain code rates counts for, in levels.
SLOW_LEVELS = 80


class Games(NamedTuple):
    """The games of an archive, by section, round and first player."""

    section: Array
    first: Array
    second: Array
    result: Array


class Rows(NamedTuple):
    """The entries of an archive, by section and row; ``member`` is never negative here."""

    section: Array
    member: Array


class Places(NamedTuple):
    """Where sections begin among competitors, each row's competitor, and where the next side of each row goes."""

    begin: Array
    position: Array
    cursor: Array


@compiled
def first_of(column: Array, sections: int) -> Array:
    """Where each section begins in a column of section numbers, and where the last one ends."""
    first = np.zeros(sections + 1, dtype=np.int64)
    for at in range(len(column)):
        first[column[at] + 1] += 1
    for number in range(sections):
        first[number + 1] += first[number]
    return first


@compiled
def competitors_of(rows: Rows, first: Array, members: int) -> tuple[Array, Array, Array]:
    """Each row's competitor in its section, each competitor's member, and where each section's competitors begin."""
    sections = len(first) - 1
    seen = np.full(members, -1, dtype=np.int32)
    place = np.zeros(members, dtype=np.uint16)
    position = np.zeros(len(rows.member), dtype=np.uint16)
    member = np.zeros(len(rows.member), dtype=np.int32)
    begin = np.zeros(sections + 1, dtype=np.int64)
    count = 0
    for number in range(sections):
        begin[number] = count
        for row in range(first[number], first[number + 1]):
            who = rows.member[row]
            if seen[who] != number:
                seen[who] = number
                place[who] = count - begin[number]
                member[count] = who
                count += 1
            position[row] = place[who]
    begin[sections] = count
    return position, member[:count], begin


@compiled
def sides_per_row(games: Games, first: Array, rows: int) -> Array:
    """How many sides of games each row has."""
    counts = np.zeros(rows, dtype=np.int32)
    for at in range(len(games.section)):
        base = first[games.section[at]]
        counts[base + games.first[at]] += 1
        if games.result[at] < ONE_SIDED:
            counts[base + games.second[at]] += 1
    return counts


@compiled
def lay_rows(first: Array, begin: Array, position: Array, counts: Array, competitors: Array) -> Array:
    """Where the sides of each row go: those of a competitor together, his rows in their order."""
    sections = len(first) - 1
    cursor = np.zeros(len(position), dtype=np.int64)
    for number in range(sections):
        for row in range(first[number], first[number + 1]):
            competitors[begin[number] + position[row] + 1].first += counts[row]
    for at in range(begin[sections]):
        competitors[at + 1].first += competitors[at].first
    filled = np.zeros(begin[sections], dtype=np.int32)
    for number in range(sections):
        for row in range(first[number], first[number + 1]):
            competitor = begin[number] + position[row]
            cursor[row] = competitors[competitor].first + filled[competitor]
            filled[competitor] += counts[row]
    return cursor


@compiled
def lay_games(games: Games, first: Array, places: Places, competitors: Array, opponents: Array) -> None:
    """Every side of every game, in the order of rounds."""
    for at in range(len(games.section)):
        number = games.section[at]
        one, other = first[number] + games.first[at], first[number] + games.second[at]
        half = games.result[at] & 3
        own, others = places.position[one], places.position[other]
        begin = places.begin[number]
        opponents[places.cursor[one]] = others
        places.cursor[one] += 1
        count_result(competitors[begin + own], half)
        competitors[begin + others].is_met = 1
        if games.result[at] < ONE_SIDED:
            opponents[places.cursor[other]] = own
            places.cursor[other] += 1
            count_result(competitors[begin + others], 2 - half)
            competitors[begin + own].is_met = 1


@compiled
def count_result(competitor: Array, half: int) -> None:
    """One more result, in half points."""
    if half == WIN:
        competitor.wins += 1
    elif half == DRAW:
        competitor.draws += 1
    else:
        competitor.losses += 1


@compiled
def count_meetings(member: Array, competitors: Array, opponents: Array) -> None:
    """Whose each competitor is, and how often he met whom he met most often."""
    for at in range(len(member)):
        competitor = competitors[at]
        competitor.member = member[at]
        low, high = competitor.first, competitors[at + 1].first
        most = 0
        for side in range(low, high):
            met = 0
            for other in range(low, high):
                if opponents[other] == opponents[side]:
                    met += 1
            most = max(most, met)
        competitor.most_meetings = most


@compiled
def lay_previous(begin: Array, competitors: Array, members: int) -> None:
    """Each member's section before."""
    last = np.full(members, -1, dtype=np.int32)
    for number in range(len(begin) - 1):
        for at in range(begin[number], begin[number + 1]):
            competitors[at].previous = last[competitors[at].member]
        for at in range(begin[number], begin[number + 1]):
            last[competitors[at].member] = number


@compiled
def levels_of(begin: Array, competitors: Array, is_slow: Array) -> Array:
    """How many sections of its window have to be rated before each one, one after the other.

    One that plain code rates counts for several: what comes after it is put off until it is likely to be there.
    """
    levels = np.zeros(len(begin) - 1, dtype=np.uint16)
    for number in range(len(levels)):
        window = number - number % WINDOW
        level = 0
        for at in range(begin[number], begin[number + 1]):
            before = competitors[at].previous
            if before >= window:
                level = max(level, whole(levels[before]) + (SLOW_LEVELS if is_slow[before] else 1))
        levels[number] = min(level, TOP_LEVEL)
    return levels


class Laid(NamedTuple):
    """Competitors with one more row that ends the last, the opponents of their sides, where sections begin."""

    competitors: Array
    opponents: Array
    begin: Array


def competitors_and_sides(rows: Rows, games: Games, sections: int, members: int) -> Laid:
    """A whole history laid out, its parts beside each other: only a member's section before goes through all."""
    parts = 2 if sections >= WORTH_SHARING else 1
    cuts = [len(rows.section) * part // parts for part in range(parts)]
    first = [0, *(int(rows.section[cut]) for cut in cuts[1:]), sections]
    with ThreadPoolExecutor(parts) as pool:
        spans = list(pairwise(first))
        laid = joined(list(pool.map(lambda span: _laid_part(rows, games, span, members), spans)))
    lay_previous(laid.begin, laid.competitors, members)
    return laid


def _laid_part(rows: Rows, games: Games, span: tuple[int, int], members: int) -> Laid:
    """The sections of one part, numbered from its first one on."""
    ends = np.array(span, dtype=rows.section.dtype)
    low, high = np.searchsorted(rows.section, ends)
    own = Rows(rows.section[low:high] - ends[0], rows.member[low:high])
    low, high = np.searchsorted(games.section, ends.astype(games.section.dtype))
    section = games.section[low:high] - ends[0].astype(games.section.dtype)
    played = Games(section, *(column[low:high] for column in games[1:]))
    first = first_of(own.section, span[1] - span[0])
    position, member, begin = competitors_of(own, first, members)
    counts = sides_per_row(played, first, len(own.member))
    competitors = np.zeros(len(member) + 1, dtype=COMPETITOR)
    cursor = lay_rows(first, begin, position, counts, competitors)
    opponents = np.zeros(int(competitors[-1]["first"]), dtype=np.uint16)
    lay_games(played, first, Places(begin, position, cursor), competitors, opponents)
    count_meetings(member, competitors, opponents)
    return Laid(competitors, opponents, begin)


def joined(parts: Sequence[Laid]) -> Laid:
    """Parts after each other, as if they had been laid out at once."""
    if len(parts) == 1:
        return parts[0]
    one, *others = parts
    for other in others:
        # As bytes: rows with fields are copied field by field.
        rows = [np.ascontiguousarray(part).view(np.uint8) for part in (one.competitors[:-1], other.competitors)]
        competitors = np.concatenate(rows).view(COMPETITOR)
        competitors["first"][len(one.competitors) - 1 :] += len(one.opponents)
        begin = np.concatenate([one.begin[:-1], other.begin + one.begin[-1]])
        one = Laid(competitors, np.concatenate([one.opponents, other.opponents]), begin)
    return one
