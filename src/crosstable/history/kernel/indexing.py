"""Laying a history out as arrays: rows of one member become one competitor, games become sides (readings 104, 106)."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from crosstable.history.kernel.arrays import COMPETITOR, TOP_LEVEL, WINDOW, Array, fresh, whole
from crosstable.history.kernel.compiling import compiled

# A result in the archive: half points of the first player, and this where it counts on his row alone.
ONE_SIDED = 4
WIN, DRAW = 2, 1
# So many sections are laid out in two parts, on two threads.
WORTH_SHARING = 10_000
# What a section that plain code rates counts for, in levels.
SLOW_LEVELS = 80


class Games(NamedTuple):
    """Games of an archive, by section, round and first player."""

    section: Array
    first: Array
    second: Array
    result: Array


class Rows(NamedTuple):
    """The entries of an archive, by section and row; ``member`` is never negative here."""

    section: Array
    member: Array


class Part(NamedTuple):
    """Some sections after each other, with numbers from the first of them on.

    ``first`` says where the rows of each section begin and ``begin`` where its competitors do; ``position`` is each
    row's competitor in its section, ``sides`` how many sides of games each row has; while games are laid out, where
    its next one goes among those of its competitor.
    """

    section: int
    first: Array
    position: Array
    member: Array
    begin: Array
    sides: Array


@compiled
def first_of(column: Array, sections: int, base: int) -> Array:
    """Where each section from ``base`` on begins in a column of section numbers, and where the last one ends."""
    first = np.zeros(sections + 1, dtype=np.int64)
    for at in range(len(column)):
        first[whole(column[at]) - base + 1] += 1
    for number in range(sections):
        first[number + 1] += first[number]
    return first


@compiled
def competitors_of(member_of: Array, first: Array, members: int) -> tuple[Array, Array, Array]:
    """Each row's competitor in its section, each competitor's member, and where each section's competitors begin."""
    sections = len(first) - 1
    seen = np.full(members, -1, dtype=np.int32)
    place = np.empty(members, dtype=np.uint16)
    position = np.empty(len(member_of), dtype=np.uint16)
    member = np.empty(len(member_of), dtype=np.int32)
    begin = np.zeros(sections + 1, dtype=np.int64)
    count = 0
    for number in range(sections):
        begin[number] = count
        for row in range(first[number], first[number + 1]):
            who = member_of[row]
            if seen[who] != number:
                seen[who] = number
                place[who] = count - begin[number]
                member[count] = who
                count += 1
            position[row] = place[who]
    begin[sections] = count
    return position, member[:count], begin


@compiled
def count_sides(games: Games, part: Part) -> None:
    """Count the sides that games give to each row."""
    for at in range(len(games.section)):
        base = part.first[whole(games.section[at]) - part.section]
        part.sides[base + games.first[at]] += 1
        if games.result[at] < ONE_SIDED:
            part.sides[base + games.second[at]] += 1


@compiled
def lay_rows(part: Part, competitors: Array, side: int) -> None:
    """Where the sides of each competitor go, from ``side`` on; then where those of each row begin among his.

    The latter takes the place of the counts in ``part.sides``: a history is large, and fresh memory takes its time.
    """
    sections = len(part.first) - 1
    taken = np.zeros(widest(part.begin), dtype=np.int32)
    for number in range(sections):
        taken[: part.begin[number + 1] - part.begin[number]] = 0
        for row in range(part.first[number], part.first[number + 1]):
            own, sides = whole(part.position[row]), part.sides[row]
            competitors[part.begin[number] + own].first += sides
            part.sides[row] = taken[own]
            taken[own] += sides
    for at in range(len(part.member)):
        sides = competitors[at].first
        competitors[at].member, competitors[at].first = part.member[at], side
        side += sides


@compiled
def widest(begin: Array) -> int:
    """The most competitors that a section has."""
    most = 0
    for number in range(len(begin) - 1):
        most = max(most, begin[number + 1] - begin[number])
    return most


@compiled
def lay_games(games: Games, part: Part, competitors: Array, opponents: Array) -> None:
    """Every side of games, in the order of rounds."""
    for at in range(len(games.section)):
        number = whole(games.section[at]) - part.section
        one, other = part.first[number] + games.first[at], part.first[number] + games.second[at]
        half = games.result[at] & 3
        own, others = part.position[one], part.position[other]
        mine, theirs = competitors[part.begin[number] + own], competitors[part.begin[number] + others]
        opponents[mine.first + part.sides[one]] = others
        part.sides[one] += 1
        count_result(mine, half)
        theirs.is_met = 1
        if games.result[at] < ONE_SIDED:
            opponents[theirs.first + part.sides[other]] = own
            part.sides[other] += 1
            count_result(theirs, 2 - half)
            mine.is_met = 1


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
def count_meetings(competitors: Array, end: int, opponents: Array) -> None:
    """How often each competitor met whom he met most often; the sides of the last one end at ``end``."""
    for at in range(len(competitors)):
        low, high = competitors[at].first, competitors[at + 1].first if at + 1 < len(competitors) else end
        most = 0
        for side in range(low, high):
            met = 0
            for other in range(low, high):
                if opponents[other] == opponents[side]:
                    met += 1
            most = max(most, met)
        competitors[at].most_meetings = most


@compiled
def lay_previous(begin: Array, member: Array, members: int, competitors: Array) -> None:
    """Each member's section before."""
    last = np.full(members, -1, dtype=np.int32)
    for number in range(len(begin) - 1):
        for at in range(begin[number], begin[number + 1]):
            competitors[at].previous = last[member[at]]
        for at in range(begin[number], begin[number + 1]):
            last[member[at]] = number


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
    """Competitors with one more row that ends the last, the opponents of their sides.

    ``member`` says whose each competitor is, ``begin`` where those of each section begin. The rest is still to be laid
    out: ``parts`` with the games of each, and the first competitor and side of each.
    """

    competitors: Array
    opponents: Array
    member: Array
    begin: Array
    parts: Sequence[tuple[Part, Sequence[Games]]]
    places: Sequence[int]
    sides: Sequence[int]

    def lay(self, at: int) -> None:
        """Lay one part out; others may be laid out at the same time."""
        part, games = self.parts[at]
        own = self.competitors[self.places[at] : self.places[at + 1]]
        lay_rows(part, own, self.sides[at])
        for some in games:
            lay_games(some, part, own, self.opponents)
        count_meetings(own, self.sides[at + 1], self.opponents)


def counted(rows: Rows, games: Sequence[Games], sections: int, members: int, pool: ThreadPoolExecutor) -> Laid:
    """Room for a whole history, of which everything is counted and nothing laid out; in parts where it is long."""
    parts = 2 if min(sections, len(rows.section)) >= WORTH_SHARING else 1
    cuts = [len(rows.section) * part // parts for part in range(parts)]
    spans = list(pairwise([0, *(int(rows.section[cut]) for cut in cuts[1:]), sections]))
    played = [list(_games_of(games, span)) for span in spans]
    found = list(pool.map(lambda span, own: _counted(rows, own, span, members), spans, played))
    places = [0, *accumulate(len(part.member) for part in found)]
    sides = [0, *accumulate(int(part.sides.sum()) for part in found)]
    competitors = fresh(places[-1] + 1, COMPETITOR)
    competitors["first"][-1] = sides[-1]
    begins = [part.begin[:-1] + place for part, place in zip(found, places, strict=False)]
    return Laid(
        competitors,
        fresh(sides[-1], np.uint16),
        np.concatenate([part.member for part in found]),
        np.concatenate([*begins, np.array(places[-1:], dtype=np.int64)]),
        list(zip(found, played, strict=True)),
        places,
        sides,
    )


def _games_of(games: Sequence[Games], span: tuple[int, int]) -> Iterator[Games]:
    """The games of some sections, portion by portion as they lie."""
    for some in games:
        low, high = np.searchsorted(some.section, np.array(span, dtype=some.section.dtype))
        if low < high:
            yield Games(*(column[low:high] for column in some))


def _counted(rows: Rows, games: Sequence[Games], span: tuple[int, int], members: int) -> Part:
    low, high = np.searchsorted(rows.section, np.array(span, dtype=rows.section.dtype))
    first = first_of(rows.section[low:high], span[1] - span[0], span[0])
    position, member, begin = competitors_of(rows.member[low:high], first, members)
    part = Part(span[0], first, position, member, begin, fresh(int(high - low), np.int32))
    for some in games:
        count_sides(some, part)
    return part
