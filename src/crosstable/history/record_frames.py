"""Rating records between frames and the arrays of a replay: each field of the one list by its kind."""

from collections.abc import Mapping
from datetime import date

import numpy as np
import polars as pl

from crosstable.engine.records import NUMBERS
from crosstable.history.kernel.arrays import NO_COUNT, NO_DAY, RECORD, Array
from crosstable.terms import RECORD_FIELDS, FieldKind

_EPOCH = date(1970, 1, 1).toordinal()
# Where the numbers of a rating record lie.
IN_ROW = tuple(name for name in NUMBERS if name in (RECORD.names or ()))


def lay_records(table: Array, at: Array, frame: pl.DataFrame, named: Mapping[str, str] = {}) -> None:
    """Write the rows of a frame into rating records at some places; ``named`` says which columns have other names."""
    for name in IN_ROW:
        column = frame[named.get(name, name)]
        column = column.to_physical() + _EPOCH if column.dtype == pl.Date else column
        table[name][at] = column.fill_null(NUMBERS[name][0]).to_numpy()


def columns_of(records: Array) -> dict[str, pl.Series]:
    """Rating records as columns: what is not known, or not set, is nothing."""
    return {name: column_of(RECORD_FIELDS[name].kind, records[name]) for name in IN_ROW}


def column_of(kind: FieldKind, values: Array) -> pl.Series:
    """The values of a field of some kind: what is not known, or not set, is nothing."""
    match kind:
        case FieldKind.RATING:
            return pl.Series(values).fill_nan(None)
        case FieldKind.COUNT:
            return pl.select(pl.when(pl.Series(values) != NO_COUNT).then(pl.Series(values))).to_series()
        case FieldKind.DAY:
            days = pl.Series(values.astype(np.int32) - np.int32(_EPOCH)).cast(pl.Date)
            return pl.select(pl.when(pl.Series(values != NO_DAY)).then(days)).to_series()
        case _:
            return pl.Series(np.where(np.isinf(values), np.nan, values)).fill_nan(None)
