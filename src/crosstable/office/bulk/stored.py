"""Tables as a store holds them, in portions: no value is turned into another one on the way, or the portion is refused.

SQLite keeps whatever bytes are in its file, so every value must be of the kind of its column, in one spelling. A server
keeps to its types.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from sqlalchemy import Connection, Select, select

from crosstable.office.bulk.frames import portions_of

Schema = Mapping[str, pl.DataType]
# So many rows are taken from SQLite at a time: more are no faster.
PORTION = 10_000


def stored_portions(connection: Connection, query: Select[Any], schema: Schema) -> Iterator[pl.DataFrame]:
    """What a query for stored columns finds; raises TypeError or ValueError at a value of another kind."""
    if connection.dialect.name == "postgresql":
        yield from portions_of(connection, query, schema)
        return
    connection.execute(select(1))  # the transaction has begun
    driver: Any = connection.connection.driver_connection
    cursor = driver.execute(str(query.compile(connection, compile_kwargs={"literal_binds": True})))
    while rows := cursor.fetchmany(PORTION):
        yield framed(rows, schema)


def framed(rows: Sequence[Sequence[Any]], schema: Schema) -> pl.DataFrame:
    """Rows of SQLite as a frame, column by column."""
    columns = zip(*rows, strict=True)
    return pl.DataFrame([_column(name, dtype, next(columns)) for name, dtype in schema.items()])


def _column(name: str, dtype: pl.DataType, values: Sequence[Any]) -> pl.Series:
    if dtype == pl.Date:
        texts = pl.Series(name, values, dtype=pl.String)
        days = texts.str.to_date("%Y-%m-%d")
        _require((days.cast(pl.String) == texts).all(), name)
        return days
    if dtype == pl.Boolean:
        truths = pl.Series(name, values, dtype=pl.Int64)
        _require(truths.is_between(0, 1).all(), name)
        return truths.cast(pl.Boolean)
    return pl.Series(name, values, dtype=dtype)


def _require(is_sound: bool, name: str) -> None:
    if not is_sound:
        raise ValueError(f"{name} has a value of another kind")


def likely(connection: Connection, rows: Sequence[Sequence[Any]], schema: Schema) -> pl.DataFrame | None:
    """Rows that were taken one by one as a frame; nothing where they are none of their table."""
    try:
        if connection.dialect.name == "postgresql":
            return pl.DataFrame(rows, schema=dict(schema), orient="row")
        return framed(rows, schema)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return None
