"""Digests of many rows at once: the same bytes from a frame as ``ledger.digests`` has for one row.

Also columns as the canonical JSON of the record: the same texts that ``journal.canonical`` writes. Digests of what
members and sections say are hashes of such texts, so every character counts.
"""

import hashlib
from collections.abc import Iterator, Sequence
from functools import reduce

import numpy as np
import polars as pl
from sqlalchemy import Table

from crosstable.office.ledger import commitments
from crosstable.office.ledger.commitments import NO_HASH, SALT, row_layout
from crosstable.office.ledger.digests import BYTES, Layout
from crosstable.office.ledger.journal import canonical

_WORD = 4
# So many rows are encoded at a time.
_PORTION = 8_000
_ERASED = len(NO_HASH)


def digests_of(frame: pl.DataFrame, layout: Layout) -> list[bytes]:
    """The digest of every row of a frame whose columns are those of a layout."""
    sha256 = hashlib.sha256
    return [sha256(row).digest() for row in _encoded(frame, layout)]


def _encoded(frame: pl.DataFrame, layout: Layout) -> Iterator[bytes]:
    """The bytes of every row, a portion of rows at a time, which stays in the processor's cache."""
    for part in frame.iter_slices(_PORTION):
        yield from _encoded_part(part, layout) if not layout.added else _with_added(part, layout)


def _with_added(frame: pl.DataFrame, layout: Layout) -> Iterator[bytes]:
    """The bytes of rows with columns that came later: what these add stands behind the others."""
    later = [frame.columns[at] for at in layout.added]
    used = frame.select(
        pl.max_horizontal(
            pl.when(pl.col(name).is_not_null()).then(number).otherwise(0) for number, name in enumerate(later, start=1)
        )
    ).to_series()
    rows = [*_encoded_part(frame.select(frame.columns[at] for at in layout.places), layout.first)]
    for number in sorted({*used.to_list()} - {0}):
        places = (used == number).arg_true()
        part = frame.select(later[:number])[places]
        for at, more in zip(places.to_list(), _encoded_part(part, layout.later(number)), strict=True):
            rows[at] += number.to_bytes(8, "little") + more
    return iter(rows)


def _encoded_part(frame: pl.DataFrame, layout: Layout) -> Iterator[bytes]:
    cells = np.zeros((frame.height, 1 + len(layout.kinds)), dtype="<i8")
    mask = np.zeros(frame.height, dtype="<u8")
    texts = [name for name, kind in zip(frame.columns, layout.kinds, strict=True) if kind == "text"]
    values = frame.select(map(_cell, frame.columns, layout.kinds))  # all at once: a call takes longer than a few rows
    for at, (kind, column) in enumerate(zip(layout.kinds, values.get_columns(), strict=True)):
        cells[:, 1 + at] = (column.to_numpy() + 0.0).view("<i8") if kind == "real" else column.to_numpy()
    for at, column in enumerate(frame.get_columns()):
        if column.has_nulls():
            mask |= column.is_null().to_numpy().astype("<u8") << np.uint64(at)
    cells[:, 0] = mask.view("<i8")
    rows, width = cells.tobytes(), cells.shape[1] * cells.itemsize
    places = range(0, len(rows), width)
    if not texts:
        return (rows[at : at + width] for at in places)
    joined = frame.select(pl.concat_str(texts, ignore_nulls=True).cast(pl.Binary)).to_series()
    return (rows[at : at + width] + text for at, text in zip(places, joined.to_list(), strict=True))


def _cell(name: str, kind: str) -> pl.Expr:
    """The number that stands for a value."""
    column = pl.col(name).str.len_bytes() if kind == "text" else pl.col(name)
    return column.fill_null(0.0) if kind == "real" else column.cast(pl.Int64).fill_null(0)


def salts(number: int) -> pl.Series:
    """Salts for many rows."""
    drawn, width = commitments.draw(SALT * number), 2 * SALT
    return pl.Series("salt", [drawn[at : at + width] for at in range(0, width * number, width)], dtype=pl.String)


def row_digests(frame: pl.DataFrame, table: Table) -> list[bytes]:
    """What entries commit to of rows with all columns of a table, salts or what erasures left of them among them."""
    layout, sha256 = row_layout(table), hashlib.sha256
    plain, personal = ([layout.names[at] for at in places] for places in (layout.plain, layout.personal))
    rows = _encoded(frame.select(plain), layout.plain_layout)
    if not layout.is_salted:
        return [sha256(row).digest() for row in rows]
    hidden = _encoded(frame.select(personal), layout.personal_layout)
    triples = zip(rows, frame["salt"].cast(pl.Binary).to_list(), hidden, strict=True)
    return [
        sha256(
            row + (sha256(salt + values).digest() if len(salt) != _ERASED else bytes.fromhex(salt.decode()))
        ).digest()
        for row, salt, values in triples
    ]


def sum_of(digests: Sequence[bytes]) -> int:
    """The sum of digests as numbers of 256 bits: of the same rows in any order the same."""
    words = np.frombuffer(b"".join(digests), dtype=">u4").reshape(-1, BYTES // _WORD)
    columns: list[int] = words.sum(axis=0, dtype=np.uint64).tolist()
    return reduce(lambda total, column: (total << 32) + column, columns, 0) % (1 << 8 * BYTES)


NULL = "null"
# Outside of this Python writes an exponent, and Polars does not, or writes it otherwise.
_SMALLEST_PLAIN, _LARGEST_PLAIN = 1e-4, 1e15
_END = "\n"
# So many lines are hashed at a time.
_TOGETHER = 20_000
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
        whole.update((ordered[at : at + _TOGETHER].str.join(_END).item() + _END).encode())
    return whole.hexdigest()
