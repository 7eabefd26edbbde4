"""What no entry and no game of an archive may be: millions of rows, so each is looked at once."""

from typing import NamedTuple

from crosstable.history.kernel.arrays import Array, whole
from crosstable.history.kernel.compiling import compiled
from crosstable.history.kernel.indexing import ONE_SIDED

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
