"""Columns as the canonical JSON of the record, all rows at once: the same texts that ``journal.canonical`` writes.

Digests of what members and sections say are hashes of such texts, so every character counts.
"""

import hashlib
from collections.abc import Iterator, Sequence

import polars as pl

from crosstable.office.ledger.journal import canonical

NULL = "null"
# Outside of this Python writes an exponent, and Polars does not, or writes it otherwise.
_SMALLEST_PLAIN, _LARGEST_PLAIN = 1e-4, 1e15
# So many lines are hashed at a time.
_TOGETHER = 100_000
_ESCAPED = [chr(code) for code in range(32)]


def spelled_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Columns as JSON; nothing stays nothing."""
    texts = [name for name, dtype in frame.schema.items() if dtype in (pl.String, pl.Date)]
    made = _plainly(frame).with_columns(pl.all().exclude(texts).cast(pl.String))
    for name, places in _odd_places(frame):
        right = [canonical(value) for value in frame[name].gather(places).to_list()]
        made = made.with_columns(made[name].scatter(places, right))
    return made


def _plainly(frame: pl.DataFrame) -> pl.DataFrame:
    """Texts and days as JSON, and one zero only; numbers stay numbers."""
    return frame.select(_plain(name, dtype) for name, dtype in frame.schema.items())


def _plain(name: str, dtype: pl.DataType) -> pl.Expr:
    column = pl.col(name)
    if dtype == pl.Float64:
        return pl.when(column == 0.0).then(0.0).otherwise(column).alias(name)
    if dtype == pl.Date:
        column = column.cast(pl.String)
    elif dtype == pl.String:
        for character in ("\\", '"'):
            column = column.str.replace_all(character, f"\\{character}", literal=True)
    else:
        return column
    return pl.concat_str(pl.lit('"'), column, pl.lit('"')).alias(name)


def _odd_places(frame: pl.DataFrame) -> Iterator[tuple[str, pl.Series]]:
    """Columns with values that Polars does not write as Python's JSON does, and where those are."""
    odd = {name: _is_odd(name, dtype) for name, dtype in frame.schema.items() if dtype in (pl.String, pl.Float64)}
    found = frame.select(one.any() for one in odd.values())
    for name in found.columns:
        if found[name][0]:
            yield name, frame.select(odd[name].fill_null(False).arg_true()).to_series()


def _is_odd(name: str, dtype: pl.DataType) -> pl.Expr:
    column = pl.col(name)
    if dtype == pl.String:
        return column.str.contains_any(_ESCAPED)
    size = column.abs()
    is_plain = (size == 0.0) | size.is_between(_SMALLEST_PLAIN, _LARGEST_PLAIN)
    return ~is_plain | column.is_nan()


def spelled(column: pl.Series) -> pl.Series:
    """A column as JSON; nothing stays nothing."""
    return spelled_columns(column.to_frame("column")).to_series()


def joined_rows(columns: pl.DataFrame) -> pl.Series:
    """Rows as JSON lists of columns that are JSON already; nothing is ``null``."""
    inside = pl.concat_str(pl.all().fill_null(NULL), separator=",")
    return columns.select(pl.concat_str(pl.lit("["), inside, pl.lit("]"))).to_series()


def rows_of(columns: Sequence[pl.Series]) -> pl.Series:
    """The same of columns without names."""
    return joined_rows(pl.DataFrame([column.alias(f"{at}") for at, column in enumerate(columns)]))


def lines_of(frame: pl.DataFrame) -> pl.Series:
    """Rows as ``journal.digest_of_rows`` hashes them: JSON objects without what is not there, numbers as reals."""
    columns = spelled_columns(frame.with_columns(pl.selectors.integer().cast(pl.Float64)))
    parts = [pl.concat_str(pl.lit(f'"{name}":'), pl.col(name)).alias(name) for name in sorted(columns.columns)]
    whole = pl.concat_str(pl.all(), separator=",", ignore_nulls=True)
    return columns.select(parts).select(pl.concat_str(pl.lit("{"), whole, pl.lit("}"))).to_series()


def digest_of_lines(lines: Sequence[str] | pl.Series) -> str:
    """The hash of lines in whatever order, as ``journal.digest_of_rows`` has it."""
    if not isinstance(lines, pl.Series):
        return hashlib.sha256("".join([f"{line}\n" for line in sorted(lines)]).encode()).hexdigest()
    whole, ordered = hashlib.sha256(), lines.sort()  # texts have the same order in both
    for at in range(0, ordered.len(), _TOGETHER):
        whole.update("".join([f"{line}\n" for line in ordered[at : at + _TOGETHER].to_list()]).encode())
    return whole.hexdigest()
