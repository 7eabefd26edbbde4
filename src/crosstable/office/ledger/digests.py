"""Digests of rows: SHA-256 over one binary encoding of any table's columns, the same for one row and for many at once.

A row is a mask with a bit for every column that holds nothing, then eight bytes for every column (reals as doubles with
one zero, whole numbers and truths as they are, days counted from 1970, of texts and contents their length), then the
texts in UTF-8; all numbers with the lowest byte first. ``bulk.hashes`` has the same bytes from frames.

Columns that a table did not have at first are no part of this. Where the last of them that holds something is number n,
the number n follows, and the first n of them as a row of their own. So a row that uses none of them has the bytes that
it had before they came.
"""

import hashlib
import json
import struct
from collections.abc import Iterable, Sequence
from datetime import date
from functools import lru_cache
from operator import index
from typing import Any, NamedTuple

from sqlalchemy import Column, Date, Float, LargeBinary, String

EPOCH = date(1970, 1, 1)
BYTES = 32
_MODULUS = 1 << (8 * BYTES)


class Layout(NamedTuple):
    """The columns of a row: which of them are reals, days, texts; the others are whole numbers or truths.

    ``added`` are the places of those that came later.
    """

    kinds: tuple[str, ...]
    packed: struct.Struct
    added: tuple[int, ...] = ()

    def encoded(self, row: Iterable[Any]) -> bytes:
        """The bytes of a row."""
        if not self.added:
            return _encoded(self.packed, self.kinds, row)
        values = [value for _, value in zip(self.kinds, row, strict=True)]
        first = self.first.encoded([values[at] for at in self.places])
        used = [number for number, at in enumerate(self.added, start=1) if values[at] is not None]
        if not used:
            return first
        last = used[-1]
        return first + last.to_bytes(8, "little") + self.later(last).encoded([values[at] for at in self.added[:last]])

    @property
    def places(self) -> list[int]:
        """The places of the columns that were there at first."""
        return [at for at in range(len(self.kinds)) if at not in self.added]

    @property
    def first(self) -> "Layout":
        """The layout of the columns that were there at first."""
        return Layout(tuple(self.kinds[at] for at in self.places), self.packed)

    def later(self, number: int) -> "Layout":
        """The layout of so many of the columns that came later."""
        kinds = tuple(self.kinds[at] for at in self.added[:number])
        return Layout(kinds, _packed(kinds))

    def digest(self, row: Iterable[Any]) -> bytes:
        """The digest of a row."""
        return hashlib.sha256(self.encoded(row)).digest()


def layout_of(columns: Sequence[Column[Any]]) -> Layout:
    """The layout of a table's columns, of at most 64."""
    kinds = tuple(_kind_of(column) for column in columns)
    added = tuple(at for at, column in enumerate(columns) if "added" in column.info)
    first = (kind for at, kind in enumerate(kinds) if at not in added)
    return Layout(kinds, _packed(first), added)


def _packed(kinds: Iterable[str]) -> struct.Struct:
    return struct.Struct("<Q" + "".join("d" if kind == "real" else "q" for kind in kinds))


def _encoded(packed: struct.Struct, kinds: Sequence[str], row: Iterable[Any]) -> bytes:
    mask, cells, texts = 0, [], []
    for at, (kind, value) in enumerate(zip(kinds, row, strict=True)):
        if value is None:
            mask |= 1 << at
            cells.append(0)
            continue
        if kind in ("text", "bytes"):
            texts.append(str.encode(value) if kind == "text" else memoryview(value).tobytes())
            value = len(texts[-1])
        elif kind == "day":
            value = _days(value)
        cells.append(value + 0.0 if kind == "real" else index(value))
    return packed.pack(mask, *cells) + b"".join(texts)


def _kind_of(column: Column[Any]) -> str:
    for kind, types in (("real", Float), ("day", Date), ("text", String), ("bytes", LargeBinary)):
        if isinstance(column.type, types):
            return kind
    return "whole"


@lru_cache(maxsize=20_000)
def _days(day: date | str) -> int:
    """The number of a day; SQLite keeps days as texts, in one spelling."""
    found = date.fromisoformat(day) if isinstance(day, str) else day
    if isinstance(day, str) and found.isoformat() != day:
        raise ValueError(day)
    return (found - EPOCH).days


def canonical(value: object) -> str:
    """JSON with one spelling, so that equal values have equal hashes."""
    return _CANONICAL.encode(value)


def _plain(value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{value!r} has no place in the record")


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_plain)


def text_of(total: int) -> str:
    """A sum as the record holds it."""
    return f"{total % _MODULUS:064x}"
