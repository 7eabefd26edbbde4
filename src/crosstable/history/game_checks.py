"""What must hold of the games of an archive, looked at by compiled code, portion by portion as they were read."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, chain

import numpy as np
import polars as pl

from crosstable.history.columns import portions
from crosstable.history.kernel import checking
from crosstable.history.kernel.arrays import Array
from crosstable.history.kernel.checking import Played, count_broken, place_before

_MESSAGES = {
    checking.RESULT: "the result is none of 0, 1, 2, 4, 5 and 6",
    checking.COLOUR: "the colour is none of 0, 1 and 2",
    checking.ROUND: "rounds are counted from 1",
    checking.HIMSELF: "a player is paired with himself",
    checking.ORDER: "the game is out of order, which is section, round and row of the first player",
    checking.SECTION: "there are only {sections} sections",
    checking.ROW: "the game names a row that its section does not have",
}
Broken = tuple[str, int, int]


def broken_games(games: pl.DataFrame, rows: Array) -> list[Broken]:
    """What is wrong with games: each message with the first row and how many there are.

    ``rows`` says how many rows each section has.
    """
    portioned = [Played(*columns) for columns in portions(games, Played._fields) if len(columns[0])]
    begins = [0, *accumulate(len(one.section) for one in portioned)]
    before = [place_before(None), *(place_before(one) for one in portioned[:-1])]
    with ThreadPoolExecutor() as pool:
        found = pool.map(lambda one, last, at: _broken_in(one, last, at, rows), portioned, before, begins)
        return _together(chain.from_iterable(found), len(rows))


def _broken_in(games: Played, before: int, begin: int, rows: Array) -> Iterator[tuple[int, int, int]]:
    counts, firsts = (np.zeros(checking.KINDS, dtype=np.int64) for _ in range(2))
    count_broken(games, before, rows, counts, firsts)
    return ((kind, begin + int(firsts[kind]), int(counts[kind])) for kind in np.flatnonzero(counts).tolist())


def _together(found: Iterator[tuple[int, int, int]], sections: int) -> list[Broken]:
    firsts: dict[int, int] = {}
    counts = dict.fromkeys(_MESSAGES, 0)
    for kind, first, count in found:
        firsts.setdefault(kind, first)
        counts[kind] += count
    return [
        (message.format(sections=sections), firsts[kind], counts[kind])
        for kind, message in _MESSAGES.items()
        if counts[kind]
    ]
