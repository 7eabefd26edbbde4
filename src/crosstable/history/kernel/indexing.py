"""Laying a history out as arrays, and what no row of it may be.

Rows of one member become one competitor, games become sides (readings 104, 106). There are millions of rows, so each is
checked once.
"""

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from crosstable.history.kernel.arrays import COMPETITOR, TOP_LEVEL, WINDOW, Array, fresh, whole
from crosstable.history.kernel.compiling import compiled

# A result in the archive: half points of the first player, and this where it counts on their row alone.
ONE_SIDED = 4
WIN, DRAW, LOSS = 2, 1, 0
# So many sections are laid out in two parts, on two threads.
WORTH_SHARING = 10_000
# Bits that hold how often two competitors met: no section has so many rounds.
MEETINGS = 32

_Portion = TypeVar("_Portion", "Rows", "Games")


class Games(NamedTuple):
    """Games of an archive, by section, round and first player."""

    section: Array
    first: Array
    second: Array
    result: Array


class Rows(NamedTuple):
    """Entries of an archive, by section and row; ``member`` is -1 for somebody who is no member."""

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
def lay_competitors(rows: Rows, part: Part, last: Array, seen: Array, place: Array) -> None:
    """Each row's competitor in its section, and each competitor's member, for one portion of a part after the other.

    ``last`` holds the section of the row before, how many rows and competitors there were, and the next stranger.
    """
    section, row, count, stranger = last[0], last[1], last[2], last[3]
    for at in range(len(rows.section)):
        number = whole(rows.section[at]) - part.section
        while section < number:
            section += 1
            part.first[section], part.begin[section] = row, count
        who = whole(rows.member[at])
        if who < 0:
            who = stranger
            stranger += 1
        if seen[who] != number:
            seen[who] = number
            place[who] = count - part.begin[number]
            part.member[count] = who
            count += 1
        part.position[row] = place[who]
        row += 1
    last[0], last[1], last[2], last[3] = section, row, count, stranger


class Abroad(NamedTuple):
    """By section, where what is told of the competitors of a foreign event begins, 0 for others; and FIDE ratings."""

    begin: Array
    fide: Array


@compiled
def is_met_in_vain(abroad: Abroad, section: int, opponent: int) -> bool:
    """Whether games against an opponent do not count: in a foreign event, if nothing is known of a FIDE rating (§6)."""
    return abroad.begin[section] > 0 and math.isnan(abroad.fide[abroad.begin[section] + opponent])


@compiled
def count_sides(games: Games, part: Part, abroad: Abroad) -> None:
    """Count the sides that games give to each row."""
    for at in range(len(games.section)):
        section = whole(games.section[at])
        base = part.first[section - part.section]
        one, other = base + games.first[at], base + games.second[at]
        if not is_met_in_vain(abroad, section, whole(part.position[other])):
            part.sides[one] += 1
        if games.result[at] < ONE_SIDED and not is_met_in_vain(abroad, section, whole(part.position[one])):
            part.sides[other] += 1


@compiled
def lay_rows(part: Part, competitors: Array, side: int) -> None:
    """Where the sides of each competitor go, from ``side`` on; then where those of each row begin among theirs.

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
def lay_games(games: Games, part: Part, abroad: Abroad, competitors: Array, opponents: Array) -> None:
    """Every side of games, in the order of rounds."""
    for at in range(len(games.section)):
        section = whole(games.section[at])
        number = section - part.section
        one, other = part.first[number] + games.first[at], part.first[number] + games.second[at]
        half = games.result[at] & 3
        own, others = part.position[one], part.position[other]
        mine, theirs = competitors[part.begin[number] + own], competitors[part.begin[number] + others]
        if not is_met_in_vain(abroad, section, whole(others)):
            opponents[mine.first + part.sides[one]] = others
            part.sides[one] += 1
            count_result(mine, half)
            theirs.is_met = 1
        if games.result[at] < ONE_SIDED and not is_met_in_vain(abroad, section, whole(own)):
            opponents[theirs.first + part.sides[other]] = own
            part.sides[other] += 1
            count_result(theirs, 2 - half)
            mine.is_met = 1


@compiled
def count_result(competitor: Array, half: int) -> None:
    """One more result, in half points; without branches, which nobody could foretell."""
    competitor.wins += half == WIN
    competitor.draws += half == DRAW
    competitor.losses += half == LOSS


@compiled
def count_meetings(competitors: Array, end: int, opponents: Array, competitors_at_most: int) -> None:
    """How often each competitor met whom they met most often; the sides of the last one end at ``end``.

    Meetings are counted on from a number of the competitor's own, so that nobody has to clear what others counted.
    """
    met = np.zeros(competitors_at_most, dtype=np.int64)
    for at in range(len(competitors)):
        low, high = competitors[at].first, competitors[at + 1].first if at + 1 < len(competitors) else end
        none = at << MEETINGS
        most = none
        for side in range(low, high):
            count = max(none, met[opponents[side]]) + 1
            met[opponents[side]] = count
            most = max(most, count)
        competitors[at].most_meetings = most - none


@compiled
def lay_previous(begin: Array, member: Array, members: int, competitors: Array) -> Array:
    """Each member's section before; returns how many sections of its window have to be rated before each one.

    One after the other, that is.
    """
    levels = np.zeros(len(begin) - 1, dtype=np.uint16)
    last = np.full(members, -1, dtype=np.int32)
    for number in range(len(levels)):
        window = number - number % WINDOW
        level = 0
        for at in range(begin[number], begin[number + 1]):
            before = last[member[at]]
            last[member[at]] = number
            competitors[at].previous = before
            if before >= window:
                level = max(level, whole(levels[before]) + 1)
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
    abroad: Abroad

    def lay(self, at: int) -> None:
        """Lay one part out; others may be laid out at the same time."""
        part, games = self.parts[at]
        own = self.competitors[self.places[at] : self.places[at + 1]]
        lay_rows(part, own, self.sides[at])
        for some in games:
            lay_games(some, part, self.abroad, own, self.opponents)
        count_meetings(own, self.sides[at + 1], self.opponents, widest(part.begin))


class People(NamedTuple):
    """How many members there are, and how many people with those who are none and are met once."""

    members: int
    everybody: int


def counted(
    rows: Sequence[Rows], games: Sequence[Games], abroad: Abroad, people: People, pool: ThreadPoolExecutor
) -> Laid:
    """Room for a whole history, of which everything is counted and nothing laid out; in parts where it is long."""
    spans = _spans(rows, len(abroad.begin))
    entered = [list(_inside(rows, span)) for span in spans]
    played = [list(_inside(games, span)) for span in spans]
    before = [0, *accumulate(_length(some) for some in entered)]
    strangers = list(accumulate((strangers_in(some) for some in entered), initial=people.members))
    member = fresh(before[-1], np.int32)

    def count(at: int) -> Part:
        part = numbered(entered[at], spans[at], people.everybody, strangers[at], member[before[at] : before[at + 1]])
        for some in played[at]:
            count_sides(some, part, abroad)
        return part

    found = list(pool.map(count, range(len(spans))))
    places = [0, *accumulate(len(part.member) for part in found)]
    for at, (part, place) in enumerate(zip(found, places, strict=False)):
        member[place : places[at + 1]] = part.member  # together: somebody who entered again is one competitor
    found = [part._replace(member=member[low:high]) for part, (low, high) in zip(found, pairwise(places), strict=True)]
    sides = [0, *accumulate(int(part.sides.sum()) for part in found)]
    competitors = fresh(places[-1] + 1, COMPETITOR)
    competitors["first"][-1] = sides[-1]
    begins = [part.begin[:-1] + place for part, place in zip(found, places, strict=False)]
    return Laid(
        competitors,
        fresh(sides[-1], np.uint16),
        member[: places[-1]],
        np.concatenate([*begins, np.array(places[-1:], dtype=np.int64)]),
        list(zip(found, played, strict=True)),
        places,
        sides,
        abroad,
    )


def _spans(rows: Sequence[Rows], sections: int) -> list[tuple[int, int]]:
    """Sections in parts that have about as many rows."""
    if min(sections, _length(rows)) < WORTH_SHARING:
        return [(0, sections)]
    half = _length(rows) // 2
    begins = accumulate((len(some.section) for some in rows), initial=0)
    (cut,) = [
        int(some.section[half - low])
        for some, low in zip(rows, begins, strict=False)
        if 0 <= half - low < len(some.section)
    ]
    return [(0, cut), (cut, sections)]


def _length(portions: Sequence[Rows | Games]) -> int:
    return sum(len(some.section) for some in portions)


def strangers_in(rows: Sequence[Rows]) -> int:
    """How many rows are of people who are no members."""
    return sum(int(np.count_nonzero(some.member < 0)) for some in rows)


def _inside(portions: Sequence[_Portion], span: tuple[int, int]) -> Iterator[_Portion]:
    """What portions have of some sections, as it lies."""
    for some in portions:
        low, high = np.searchsorted(some.section, np.array(span, dtype=some.section.dtype))
        if low < high:
            yield type(some)(*(column[low:high] for column in some))


def numbered(rows: Sequence[Rows], span: tuple[int, int], everybody: int, stranger: int, member: Array) -> Part:
    """The rows of some sections, each with its competitor; strangers have numbers from ``stranger`` on."""
    sections, length = span[1] - span[0], _length(rows)
    first, begin = (np.zeros(sections + 1, dtype=np.int64) for _ in range(2))
    part = Part(span[0], first, fresh(length, np.uint16), member, begin, fresh(length, np.int32))
    last = np.array([-1, 0, 0, stranger], dtype=np.int64)
    seen, place = np.full(everybody, -1, dtype=np.int32), np.empty(everybody, dtype=np.uint16)
    for some in rows:
        lay_competitors(some, part, last, seen, place)
    first[last[0] + 1 :], begin[last[0] + 1 :] = last[1], last[2]
    return part._replace(member=member[: last[2]])


# What may be wrong with an entry. The last is none of that, and seldom: numbers do not ascend within a section.
NO_SECTION, SECTION_ORDER, MEMBER, NUMBER, DESCENDS = range(5)
# What may be wrong with a game.
RESULT, COLOUR, ROUND, SELF_PAIRED, GAME_ORDER, SECTION, ROW = range(7)
KINDS = 7
_NO_MEMBER = -1
_TOP_RESULT, _TOP_COLOUR = ONE_SIDED + 2, 2


class Entered(NamedTuple):
    """Entries as their table has them."""

    section: Array
    number: Array
    member: Array


class Played(NamedTuple):
    """Games as their table has them."""

    section: Array
    round: Array
    first: Array
    second: Array
    result: Array
    colour: Array


class Found(NamedTuple):
    """By kind: how many rows are broken, and the first of them."""

    counts: Array
    firsts: Array


@compiled
def count_broken_entries(rows: Entered, before: tuple[int, int], sections: int, members: int, found: Found) -> None:
    """Count what is wrong, kind by kind; ``before`` are section and number of the row before the first of these."""
    last, last_number = before
    for at in range(len(rows.section)):
        section, number, member = whole(rows.section[at]), whole(rows.number[at]), whole(rows.member[at])
        is_section, is_member = section < sections, _NO_MEMBER <= member < members
        ascends = section > last or (section == last and number > last_number)
        if not (is_section and is_member and number >= 1 and ascends):
            note(NO_SECTION, not is_section, at, found)
            note(SECTION_ORDER, section < last, at, found)
            note(MEMBER, not is_member, at, found)
            note(NUMBER, number < 1, at, found)
            note(DESCENDS, not ascends, at, found)
        last, last_number = section, number


@compiled
def count_rows(section: Array, rows: Array) -> None:
    """Count the rows of every section."""
    for at in range(len(section)):
        rows[section[at]] += 1


@compiled
def game_place(games: Played, at: int) -> int:
    """Where a game stands, as one number: section, round, row of ``first``."""
    place: int = (whole(games.section[at]) << 24) | (whole(games.round[at]) << 16) | whole(games.first[at])
    return place


@compiled
def count_broken_games(games: Played, before: int, rows: Array, found: Found) -> None:
    """Count what is wrong, kind by kind; ``rows`` says how many rows each section has.

    ``before`` is the place of the game before the first of these.
    """
    for at in range(len(games.section)):
        section, result = whole(games.section[at]), games.result[at]
        first, second = games.first[at], games.second[at]
        place = game_place(games, at)
        is_known = section < len(rows)
        fits = is_known and max(first, second) < rows[section]
        is_result = result <= _TOP_RESULT and result != ONE_SIDED - 1
        is_colour = games.colour[at] <= _TOP_COLOUR
        if not (is_result and is_colour and games.round[at] > 0 and first != second and place > before and fits):
            note(RESULT, not is_result, at, found)
            note(COLOUR, not is_colour, at, found)
            note(ROUND, games.round[at] == 0, at, found)
            note(SELF_PAIRED, first == second, at, found)
            note(GAME_ORDER, place <= before, at, found)
            note(SECTION, not is_known, at, found)
            note(ROW, is_known and not fits, at, found)
        before = place


@compiled
def note(kind: int, is_broken: bool, at: int, found: Found) -> None:
    """One more row that is broken, if it is."""
    if is_broken:
        if found.counts[kind] == 0:
            found.firsts[kind] = at
        found.counts[kind] += 1
