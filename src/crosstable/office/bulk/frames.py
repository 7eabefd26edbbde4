"""Tables of an office as frames and back, many rows at a time, on the connection and in the transaction of the caller.

A server gives and takes rows by COPY; SQLite has no faster way than rows. What is long, a second session of a server
reads ahead, while the first one reads other things.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from selectors import EVENT_READ, DefaultSelector
from typing import TYPE_CHECKING, Any

import polars as pl
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Date,
    Float,
    FromClause,
    Integer,
    Select,
    SmallInteger,
    Table,
    text,
)
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.types import String, TypeEngine

from crosstable.office.bulk.hashes import row_digests, salts
from crosstable.office.ledger.commitments import entry_column, note_digests, row_layout
from crosstable.office.ledger.postings import rows_asked

if TYPE_CHECKING:
    from psycopg.pq.abc import PGconn

# So many rows are taken from SQLite at a time, so many bytes from a server.
PORTION, _BYTES = 100_000, 1 << 22
# So many rows are hashed and written at a time.
_WRITTEN_TOGETHER = 8_000
# Between values of a row and between rows: no text of a record has these in it.
_BETWEEN, _END, _NOTHING = "\x1f", "\n", r"\N"
_Schema = Mapping[str, pl.DataType]
# What COPY writes for characters that mean something to it; a backslash itself goes through a mark of its own.
_WRITTEN = (("\\\\", "\x00"), ("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t"), ("\\b", "\b"), ("\\f", "\f"), ("\\v", "\v"),
            ("\\\x1f", "\x1f"), ("\x00", "\\"))  # fmt: skip
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
    read = _copied if connection.dialect.name == "postgresql" else _rows
    with _known_errors(connection):
        yield from read(connection, query, schema)


@contextmanager
def _known_errors(connection: Connection) -> Iterator[None]:
    """Faults of the driver as those of a statement, so that they are told like them."""
    dialect = connection.dialect
    errors = dialect.loaded_dbapi.Error
    try:
        yield
    except errors as error:
        is_lost = dialect.is_disconnect(error, connection.connection.dbapi_connection, None)
        told = DBAPIError.instance("", None, error, errors, connection_invalidated=is_lost, dialect=dialect)
        raise told from error


def asked(connection: Connection, frame: pl.DataFrame) -> FromClause:
    """A frame as something that a statement may join."""
    types: dict[str, TypeEngine[Any]] = {name: _SQL_TYPES.get(type(d), Integer()) for name, d in frame.schema.items()}
    return rows_asked(connection, frame.write_json(), types)


_SQL_TYPES: Mapping[type[pl.DataType], TypeEngine[Any]] = {pl.String: String(), pl.Date: Date()}


def _rows(connection: Connection, query: Select[Any], schema: _Schema) -> Iterator[pl.DataFrame]:
    raw = {name: _KEPT_BY_SQLITE.get(type(dtype), dtype) for name, dtype in schema.items()}
    days = [name for name, dtype in schema.items() if isinstance(dtype, pl.Date)]
    truths = [name for name, dtype in schema.items() if isinstance(dtype, pl.Boolean)]
    cursor: Any = connection.execute(query).cursor  # whose values nobody has turned into days and truths one by one
    while rows := cursor.fetchmany(PORTION):
        frame = pl.DataFrame(rows, schema=raw, orient="row")
        yield frame.with_columns(pl.col(days).str.to_date("%Y-%m-%d"), pl.col(truths).cast(pl.Boolean))


def _copied(connection: Connection, query: Select[Any], schema: _Schema) -> Iterator[pl.DataFrame]:
    driver: Any = connection.connection.driver_connection
    statement = str(query.compile(connection, compile_kwargs={"literal_binds": True}))
    whole = f"COPY ({statement.replace('%%', '%')}) TO STDOUT (DELIMITER E'\\x1f')"
    with driver.cursor() as cursor, cursor.copy(whole), ThreadPoolExecutor(1) as beside:
        before: Future[pl.DataFrame] | None = None
        for lines in _taken(driver.pgconn):
            read = beside.submit(_parsed, lines, schema)  # while the server sends more
            if before is not None:
                yield before.result()
            before = read
        if before is not None:
            yield before.result()


def _taken(server: "PGconn") -> Iterator[bytes]:
    """What a COPY sends, many rows at a time.

    Every row is a message. The driver waits for each in Python, which takes longer than the rows; here only for more of
    them than are there, and others may work meanwhile.
    """
    lines: list[bytes] = []
    size, length = 0, 0
    take = server.get_copy_data
    with DefaultSelector() as sockets:
        sockets.register(server.socket, EVENT_READ)
        while length >= 0:
            length, line = take(1)
            if length > 0:
                lines.append(bytes(line))
                size += length
            elif length == 0:
                sockets.select()
                server.consume_input()
            if lines and (size > _BYTES or length < 0):
                yield b"".join(lines)
                lines, size = [], 0
    _finish(server)


def _finish(server: "PGconn") -> None:
    """Take all that a server says at the end of a COPY; an error of its own is raised as the driver would."""
    from psycopg import pq
    from psycopg.errors import error_from_result

    failed = None
    while (said := server.get_result()) is not None:
        if said.status == pq.ExecStatus.FATAL_ERROR:
            failed = said
    if failed is not None:
        raise error_from_result(failed)


def _parsed(lines: bytes, schema: _Schema) -> pl.DataFrame:
    """Rows as COPY writes them: a backslash before what would be taken for something else."""
    truths = [name for name, dtype in schema.items() if isinstance(dtype, pl.Boolean)]
    raw = {name: pl.String() if name in truths else dtype for name, dtype in schema.items()}
    frame = pl.read_csv(
        lines,
        has_header=False,
        schema=raw,
        separator=_BETWEEN,
        eol_char=_END,
        quote_char=None,
        null_values=_NOTHING,
        empty_string_is_null=False,
    ).with_columns(pl.col(truths) == "t")
    return frame if lines.count(b"\\") == lines.count(b"\\N") else frame.with_columns(pl.col(pl.String).pipe(_plain))


def _plain(column: pl.Expr) -> pl.Expr:
    """Texts without the backslashes of COPY."""
    for written, meant in _WRITTEN:
        column = column.str.replace_all(written, meant, literal=True)
    return column


def write_frame(connection: Connection, table: Table, frame: pl.DataFrame, entry: int = 0) -> None:
    """Put rows of journal entries into a table, which commit to them; columns that the frame lacks stay empty.

    ``entry`` wrote the rows of a table that does not say so itself.
    """
    if not frame.height:
        return
    column = entry_column(table)
    lacking = [name for name in row_layout(table).names if name not in frame.columns]
    whole = frame.with_columns(
        *(
            salts(frame.height) if name == "salt" else pl.lit(None, dtype_of(table.c[name])).alias(name)
            for name in lacking
        )
    )
    entries = None if column is None else whole[column]
    if entries is None or entries.n_unique() == 1:
        parts = _noted(connection, table, whole, entry if entries is None else int(entries[0]))
    else:
        for one, digest in zip(entries.to_list(), row_digests(whole, table), strict=True):
            note_digests(connection, one, table, digest)
        parts = whole.iter_slices(_WRITTEN_TOGETHER)
    with _known_errors(connection):
        _write(connection, table, whole.columns, parts)


def _noted(connection: Connection, table: Table, frame: pl.DataFrame, entry: int) -> Iterator[pl.DataFrame]:
    """Rows in portions, to each of which an entry commits before it is written."""
    for part in frame.iter_slices(_WRITTEN_TOGETHER):
        note_digests(connection, entry, table, b"".join(row_digests(part, table)))
        yield part


def _write(connection: Connection, table: Table, columns: Sequence[str], parts: Iterable[pl.DataFrame]) -> None:
    """A server takes a portion while the next one is made."""
    names = ", ".join(f'"{name}"' for name in columns)
    if connection.dialect.name == "postgresql":
        from psycopg.copy import QueuedLibpqWriter

        driver: Any = connection.connection.driver_connection
        statement = f'COPY "{table.name}" ({names}) FROM STDIN (FORMAT csv)'
        with driver.cursor() as cursor, cursor.copy(statement, writer=QueuedLibpqWriter(cursor)) as copy:
            for part in parts:
                copy.write(part.write_csv(include_header=False).encode())
        return
    places = ", ".join("?" for _ in columns)
    statement = f'INSERT INTO "{table.name}" ({names}) VALUES ({places})'
    for part in parts:
        plain = part.with_columns(pl.col(pl.Date).cast(pl.String), pl.col(pl.Boolean).cast(pl.Int8))
        rows: Any = plain.iter_rows(buffer_size=_WRITTEN_TOGETHER)
        connection.connection.cursor().executemany(statement, rows)


# For the rest of a transaction: room to sort and index, hashes of what is superseded instead of a walk through all
# postings, and no compiling of statements that run once.
_FOR_MANY_ROWS = {
    "work_mem": "256MB",
    "maintenance_work_mem": "512MB",
    "enable_mergejoin": "off",
    "jit": "off",
}


def give_room(connection: Connection) -> None:
    """Let a server take many rows at once for the rest of the transaction."""
    if connection.dialect.name == "postgresql":
        for name, value in _FOR_MANY_ROWS.items():
            connection.execute(text(f"SET LOCAL {name} = '{value}'"))


LOG = logging.getLogger("crosstable.office")
# After so many seconds a server is told once more to stop.
_AGAIN = 0.5


@contextmanager
def read_ahead(
    connection: Connection, query: Select[Any], schema: Mapping[str, pl.DataType], *, is_likely: bool
) -> Iterator[Callable[[], pl.DataFrame]]:
    """What a query finds, when it is asked for; where that is likely, it is read from now on by another session.

    That session sees what this one saw at its beginning. No other session sees what a transaction has written, and
    SQLite has no sessions: there it is read when it is asked for.
    """
    snapshot = _snapshot(connection) if is_likely and connection.dialect.name == "postgresql" else None
    if snapshot is None:
        yield lambda: frame_of(connection, query, schema)
        return
    try:
        opened = connection.engine.connect().execution_options(isolation_level="REPEATABLE READ")
    except (OperationalError, PoolTimeoutError) as error:  # then this session reads it itself, later
        LOG.warning("no second session: %s", str(error).partition("\n")[0])
        yield lambda: frame_of(connection, query, schema)
        return
    with opened as other, ThreadPoolExecutor(1) as beside:
        other.exec_driver_sql(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
        give_room(other)
        found = beside.submit(frame_of, other, query, schema)
        try:
            yield found.result
        finally:
            _end(other, found)


def _snapshot(connection: Connection) -> str | None:
    """What another session needs to see the same; nothing where this one has written something."""
    written = connection.exec_driver_sql("SELECT txid_current_if_assigned()").scalar()
    return None if written else str(connection.exec_driver_sql("SELECT pg_export_snapshot()").scalar())


def _end(other: Connection, found: Future[pl.DataFrame]) -> None:
    """Stop reading what nobody has asked for."""
    driver: Any = other.connection.driver_connection
    while not found.done():  # the statement may not have begun when the server is told
        driver.cancel_safe()
        wait([found], timeout=_AGAIN)
