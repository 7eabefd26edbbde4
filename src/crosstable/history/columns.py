"""Columns of tables as arrays that compiled code reads."""

from collections.abc import Iterator, Sequence

import polars as pl

from crosstable.history.kernel.arrays import Array


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
