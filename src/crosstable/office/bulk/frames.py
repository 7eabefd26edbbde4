"""Tables of an office as frames and back, many rows at a time, on the connection and in the transaction of the caller.

A server sends each row as one text, which takes half the time of sending values; SQLite has no faster way than rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from sqlalchemy import BigInteger, Boolean, Column, Connection, Date, Float, Integer, Select, SmallInteger, Table, text

# So many rows are taken from a database at a time, and given to one.
PORTION = 100_000
# What stands between values and between rows of a text, which no name or id has in it, and what stands for nothing.
_BETWEEN, _END, _NOTHING = "\x1f", "\x1e", r"\N"
_Schema = Mapping[str, pl.DataType]
# SQLite keeps days as texts and truth as numbers.
_KEPT_BY_SQLITE: Mapping[type[pl.DataType], pl.DataType] = {pl.Date: pl.String(), pl.Boolean: pl.Int8()}
_TYPES: Sequence[tuple[type, pl.DataType]] = (
    (Boolean, pl.Boolean()),
    (Date, pl.Date()),
    (Float, pl.Float64()),
    (SmallInteger, pl.UInt8()),
    (BigInteger, pl.Int64()),
    (Integer, pl.Int32()),
)


def dtype_of(column: Column[Any]) -> pl.DataType:
    """The type of a column in a frame."""
    return next((dtype for kind, dtype in _TYPES if isinstance(column.type, kind)), pl.String())


def schema_of(table: Table, names: Sequence[str] | None = None) -> dict[str, pl.DataType]:
    """The names and types of a table's columns, or of some of them."""
    return {name: dtype_of(table.c[name]) for name in names or table.c.keys()}


def frame_of(connection: Connection, query: Select[Any], schema: _Schema) -> pl.DataFrame:
    """What a query finds, as a frame; the schema names its columns in their order."""
    empty = pl.DataFrame(schema=dict(schema))
    return pl.concat([empty, *portions_of(connection, query, schema)], rechunk=True)


def portions_of(connection: Connection, query: Select[Any], schema: _Schema) -> Iterator[pl.DataFrame]:
    """The same in portions, in the order in which the database finds them."""
    statement = str(query.compile(connection, compile_kwargs={"literal_binds": True}))
    read = _texts if connection.dialect.name == "postgresql" else _rows
    yield from read(connection, statement, schema)


def _rows(connection: Connection, statement: str, schema: _Schema) -> Iterator[pl.DataFrame]:
    raw = {name: _KEPT_BY_SQLITE.get(type(dtype), dtype) for name, dtype in schema.items()}
    days = [name for name, dtype in schema.items() if isinstance(dtype, pl.Date)]
    truths = [name for name, dtype in schema.items() if isinstance(dtype, pl.Boolean)]
    cursor = connection.connection.cursor()
    cursor.execute(statement)
    while rows := cursor.fetchmany(PORTION):
        frame = pl.DataFrame(rows, schema=raw, orient="row")
        yield frame.with_columns(pl.col(days).str.to_date("%Y-%m-%d"), pl.col(truths).cast(pl.Boolean))


def _texts(connection: Connection, statement: str, schema: _Schema) -> Iterator[pl.DataFrame]:
    names = [f"c{at}" for at in range(len(schema))]
    values = ", ".join(f"coalesce({name}::text, '{_NOTHING}')" for name in names)
    whole = f"SELECT concat_ws(E'\\x1f', {values}) FROM ({statement}) AS asked({', '.join(names)})"
    truths = [name for name, dtype in schema.items() if isinstance(dtype, pl.Boolean)]
    raw = {name: pl.String() if name in truths else dtype for name, dtype in schema.items()}
    driver: Any = connection.connection.driver_connection
    with driver.cursor("crosstable_bulk") as cursor:
        cursor.execute(whole)
        while rows := cursor.fetchmany(PORTION):
            frame = pl.read_csv(
                _END.join([row[0] for row in rows]).encode(),
                has_header=False,
                schema=raw,
                separator=_BETWEEN,
                eol_char=_END,
                quote_char=None,
                null_values=_NOTHING,
                empty_string_is_null=False,
            )
            yield frame.with_columns(pl.col(truths) == "true")


def write_frame(connection: Connection, table: Table, frame: pl.DataFrame) -> None:
    """Put rows into a table; columns that the frame does not have stay empty."""
    names = ", ".join(f'"{name}"' for name in frame.columns)
    if connection.dialect.name == "postgresql":
        driver: Any = connection.connection.driver_connection
        with driver.cursor() as cursor, cursor.copy(f'COPY "{table.name}" ({names}) FROM STDIN (FORMAT csv)') as copy:
            for part in frame.iter_slices(PORTION):
                copy.write(part.write_csv(include_header=False).encode())
        return
    places = ", ".join("?" for _ in frame.columns)
    plain = frame.with_columns(pl.col(pl.Date).cast(pl.String), pl.col(pl.Boolean).cast(pl.Int8))
    statement = f'INSERT INTO "{table.name}" ({names}) VALUES ({places})'
    rows: Any = plain.iter_rows(buffer_size=PORTION)
    connection.connection.cursor().executemany(statement, rows)


def write_json_rows(connection: Connection, table: Table, names: Sequence[str], rows: Sequence[str]) -> None:
    """Put rows into a table of a server, each the values of a JSON list: its CSV is that, but for three words."""
    driver: Any = connection.connection.driver_connection
    columns = ", ".join(f'"{name}"' for name in names)
    form = r"(FORMAT csv, NULL 'null', ESCAPE '\')"
    with driver.cursor() as cursor, cursor.copy(f'COPY "{table.name}" ({columns}) FROM STDIN {form}') as copy:
        for at in range(0, len(rows), PORTION):
            copy.write("".join([f"{row}\n" for row in rows[at : at + PORTION]]).encode())


def give_room(connection: Connection) -> None:
    """Let a server sort and index in memory for the rest of the transaction, and plan for all rows of a cursor.

    Otherwise it plans for the first of them, and takes minutes for the rest.
    """
    if connection.dialect.name == "postgresql":
        for name, value in (("work_mem", "256MB"), ("maintenance_work_mem", "512MB"), ("cursor_tuple_fraction", "1")):
            connection.execute(text(f"SET LOCAL {name} = '{value}'"))
