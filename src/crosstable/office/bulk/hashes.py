"""Digests of many rows at once: the same bytes from a frame as ``ledger.digests`` has for one row."""

import hashlib
from collections.abc import Sequence
from functools import reduce

import numpy as np
import polars as pl
from sqlalchemy import Table

from crosstable.office.ledger import commitments
from crosstable.office.ledger.commitments import NO_HASH, SALT, row_layout
from crosstable.office.ledger.digests import BYTES, Layout

_WORD = 4
_ERASED = len(NO_HASH)


def digests_of(frame: pl.DataFrame, layout: Layout) -> list[bytes]:
    """The digest of every row of a frame whose columns are those of a layout."""
    return [hashlib.sha256(row).digest() for row in _encoded(frame, layout)]


def _encoded(frame: pl.DataFrame, layout: Layout) -> list[bytes]:
    """The bytes of every row."""
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
    fixed = [rows[at : at + width] for at in range(0, len(rows), width)]
    if not texts:
        return fixed
    joined = frame.select(pl.concat_str(pl.col(texts).fill_null("")).cast(pl.Binary)).to_series()
    return [row + text for row, text in zip(fixed, joined.to_list(), strict=True)]


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
