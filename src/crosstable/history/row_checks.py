"""What must hold of the entries and games of an archive: looked at by compiled code, portion by portion as read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from typing import Any

import numpy as np
import polars as pl

from crosstable.history.kernel import indexing
from crosstable.history.kernel.arrays import Array
from crosstable.history.kernel.indexing import (
    Entered,
    Found,
    Played,
    count_broken_entries,
    count_broken_games,
    count_rows,
    game_place,
)


def column_of(series: pl.Series) -> Array:
    """A column as an array that nobody writes, whether it is a copy or not: compiled code takes those for two types."""
    array = series.to_numpy()
    array.flags.writeable = False
    return array


def portions(frame: pl.DataFrame, names: Sequence[str]) -> Iterator[list[Array]]:
    """Columns in portions, as they came from the file: put together they would have to be copied."""
    at = 0
    for length in frame[names[0]].chunk_lengths():
        portion = frame.slice(at, length)
        yield [column_of(portion[name]) for name in names]
        at += length


_OF_ENTRIES = {
    indexing.NO_SECTION: "there are only {sections} sections",
    indexing.SECTION_ORDER: "the row is out of order, which is by section",
    indexing.MEMBER: "there is no such member",
    indexing.NUMBER: "a pairing number is 1 or more",
}
_OF_GAMES = {
    indexing.RESULT: "the result is none of 0, 1, 2, 4, 5 and 6",
    indexing.COLOUR: "the colour is none of 0, 1 and 2",
    indexing.ROUND: "rounds are counted from 1",
    indexing.SELF_PAIRED: "a player is paired with themselves",
    indexing.GAME_ORDER: "the game is out of order, which is section, round and row of the first player",
    indexing.SECTION: "there are only {sections} sections",
    indexing.ROW: "the game names a row that its section does not have",
}
# A message with the first row that it is about, and how many there are.
Broken = tuple[str, int, int]


def broken_entries(entries: pl.DataFrame, sections: int, members: int) -> tuple[list[Broken], bool]:
    """What is wrong with entries, and whether pairing numbers ascend within each section."""
    portioned = [Entered(*columns) for columns in portions(entries, Entered._fields) if len(columns[0])]
    before = [(-1, 0), *((int(one.section[-1]), int(one.number[-1])) for one in portioned)]
    found = _looked(portioned, before, lambda rows, last, out: count_broken_entries(rows, last, sections, members, out))
    return _told(found, _OF_ENTRIES, sections), not found.counts[indexing.DESCENDS]


def rows_per_section(entries: pl.DataFrame, sections: int) -> Array:
    """How many rows each section has."""
    rows = np.zeros(sections, dtype=np.int32)
    for (section,) in portions(entries, ["section"]):
        count_rows(section, rows)
    return rows


def broken_games(games: pl.DataFrame, rows: Array) -> list[Broken]:
    """What is wrong with games; ``rows`` says how many rows each section has."""
    portioned = [Played(*columns) for columns in portions(games, Played._fields) if len(columns[0])]
    before = [-1, *(int(game_place(one, len(one.section) - 1)) for one in portioned)]
    found = _looked(portioned, before, lambda some, last, out: count_broken_games(some, last, rows, out))
    return _told(found, _OF_GAMES, len(rows))


def _nothing() -> Found:
    return Found(*(np.zeros(indexing.KINDS, dtype=np.int64) for _ in Found._fields))


def _looked(portioned: Sequence[Any], before: Sequence[Any], count: Callable[..., None]) -> Found:
    """What is found in portions, each with what came before it, as if they had been looked at as one."""

    def look(rows: Entered | Played, last: object) -> Found:
        found = _nothing()
        count(rows, last, found)
        return found

    whole = _nothing()
    begins = accumulate((len(one.section) for one in portioned), initial=0)
    with ThreadPoolExecutor() as pool:
        parts = list(pool.map(look, portioned, before))
    for begin, part in zip(begins, parts, strict=False):
        is_first = (whole.counts == 0) & (part.counts > 0)
        whole.firsts[is_first] = begin + part.firsts[is_first]
        whole.counts[:] += part.counts
    return whole


def _told(found: Found, messages: Mapping[int, str], sections: int) -> list[Broken]:
    return [
        (message.format(sections=sections), int(found.firsts[kind]), int(found.counts[kind]))
        for kind, message in messages.items()
        if found.counts[kind]
    ]
