"""What no game of an archive may be: twenty million rows, so each is looked at once."""

from typing import NamedTuple

from crosstable.history.kernel.arrays import Array, whole
from crosstable.history.kernel.compiling import compiled
from crosstable.history.kernel.indexing import ONE_SIDED

# What may be wrong with a game.
RESULT, COLOUR, ROUND, HIMSELF, ORDER, SECTION, ROW = range(7)
KINDS = 7
_TOP_RESULT, _TOP_COLOUR = ONE_SIDED + 2, 2
_BEFORE_ALL = -1


class Played(NamedTuple):
    """Games as their table has them."""

    section: Array
    round: Array
    first: Array
    second: Array
    result: Array
    colour: Array


@compiled
def place_of(games: Played, at: int) -> int:
    """Where a game stands, as one number: section, round, row of ``first``."""
    place: int = (whole(games.section[at]) << 24) | (whole(games.round[at]) << 16) | whole(games.first[at])
    return place


@compiled
def count_broken(games: Played, before: int, rows: Array, counts: Array, firsts: Array) -> None:
    """Count what is wrong, kind by kind, with the first game of each; ``rows`` says how many each section has.

    ``before`` is the place of the game before the first of these.
    """
    for at in range(len(games.section)):
        section, result = whole(games.section[at]), games.result[at]
        first, second = games.first[at], games.second[at]
        place = place_of(games, at)
        is_known = section < len(rows)
        fits = is_known and max(first, second) < rows[section]
        is_result = result <= _TOP_RESULT and result != ONE_SIDED - 1
        is_colour = games.colour[at] <= _TOP_COLOUR
        is_sound = is_result and is_colour and games.round[at] > 0 and first != second and place > before and fits
        if not is_sound:
            note(RESULT, not is_result, at, counts, firsts)
            note(COLOUR, not is_colour, at, counts, firsts)
            note(ROUND, games.round[at] == 0, at, counts, firsts)
            note(HIMSELF, first == second, at, counts, firsts)
            note(ORDER, place <= before, at, counts, firsts)
            note(SECTION, not is_known, at, counts, firsts)
            note(ROW, is_known and not fits, at, counts, firsts)
        before = place


@compiled
def note(kind: int, is_broken: bool, at: int, counts: Array, firsts: Array) -> None:
    """One more game that is broken, if it is."""
    if is_broken:
        if counts[kind] == 0:
            firsts[kind] = at
        counts[kind] += 1


def place_before(games: Played | None) -> int:
    """The place of the last of some games; of none, the one before all."""
    return _BEFORE_ALL if games is None else int(place_of(games, len(games.section) - 1))
