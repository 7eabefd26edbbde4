"""Archives: a federation's whole record as a folder of Parquet files, written and read at once.

``opened`` looks at the heading and the columns only and lets tables be read lazily; ``read`` reads everything and holds
it against ``archive_checks``; ``read_for_replay`` keeps only what a compiled replay needs. Each raises ``ArchiveError``
with every fault it found and the place of each.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, TypeVar

import polars as pl
from polars.exceptions import PanicException, PolarsError

from crosstable import __version__
from crosstable.errors import Fault
from crosstable.history.archive_checks import (
    ArchiveError,
    archive_fault,
    are_starts,
    content_faults,
    merge_faults,
    text_faults,
    unread_faults,
)
from crosstable.history.archive_tables import (
    FIRST_ABROAD,
    FORMAT,
    HEADING,
    LEAN_ENTRIES,
    OPTIONAL,
    TABLES,
    columns_in,
    file_of,
    schema_of,
)

# So many rows stand together in a file: enough to compress, few enough for two threads to share a table.
_ROWS_TOGETHER = 1 << 19
_LARGEST_HEADING = 1 << 20
_Read = TypeVar("_Read")
# Columns of entries that a replay does not keep; each may be null, so that is nothing to look for.
UNREAD = frozenset(column.name for column in TABLES["entries"]) - frozenset(LEAN_ENTRIES)
# What is raised where a file is damaged.
UNREADABLE = (PolarsError, PanicException, OSError, ValueError)


def empty_table(name: str) -> pl.DataFrame:
    """A table without rows."""
    return pl.DataFrame(schema=schema_of(name))


class Archive(NamedTuple):
    """The tables of an archive in memory; ``source`` says where they come from, as the heading keeps it.

    ``openings`` has every starting rating; the files keep those that a later one of the same member replaces apart.
    """

    members: pl.DataFrame
    outside: pl.DataFrame
    openings: pl.DataFrame
    decisions: pl.DataFrame
    sections: pl.DataFrame
    entries: pl.DataFrame
    games: pl.DataFrame
    source: Mapping[str, Any] = {}
    told: pl.DataFrame | None = None  # with every column, but only of sections of which more is told; see ``all_told``
    merged: pl.DataFrame = empty_table("merged")
    events: pl.DataFrame = empty_table("events")

    @property
    def all_told(self) -> pl.DataFrame:
        """Entries with everything that is said of them: of all sections, or of those where it bears on ratings."""
        return self.entries if self.told is None else self.told

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """The tables of the files, by name."""
        last, earlier = _last_and_earlier(self.openings)
        apart = {"openings": last, "earlier_openings": earlier}
        return {name: apart[name] if name in apart else getattr(self, name) for name in TABLES}


def _last_and_earlier(openings: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Starting ratings, and those of them that a later one of the same member and system replaces.

    Two come together where ids are merged; they stand in the order of the replay.
    """
    is_last = openings.select(pl.struct("member", "system").is_last_distinct()).to_series()
    return openings.filter(is_last), openings.filter(~is_last)


def _archive_of(
    tables: Mapping[str, pl.DataFrame], source: Mapping[str, Any], told: pl.DataFrame | None = None
) -> Archive:
    """An archive from the tables of its files."""
    openings = [tables[name] for name in ("earlier_openings", "openings") if not tables[name].is_empty()]
    whole = pl.concat(openings, how="diagonal") if openings else tables["openings"]
    kept: dict[str, Any] = {name: frame for name, frame in tables.items() if name != "earlier_openings"}
    return Archive(**{**kept, "openings": shaped("openings", whole)}, source=source, told=told)


def shaped(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    """A table with its columns in their order; optional ones only where they say something."""
    says = [column for column in frame.columns if frame[column].null_count() < frame.height]
    return frame.select(columns_in(name, says))


class Opened(NamedTuple):
    """An archive whose files are as they were written and have the right columns; rows are read when asked for.

    ``digest`` changes when any byte of the tables does.
    """

    folder: str
    rows: Mapping[str, int]
    source: Mapping[str, Any]
    digest: str

    def table(self, name: str) -> pl.LazyFrame:
        """A table, to be read lazily: only the columns that are selected are read."""
        if name not in self.rows:
            return empty_table(name).lazy()
        path = os.path.join(self.folder, file_of(name))
        return pl.scan_parquet(path).select(columns_in(name, pl.read_parquet_schema(path)))


def table_of(name: str, columns: Mapping[str, Any]) -> pl.DataFrame:
    """A table from its columns; a column that may be null may be left out."""
    given = pl.DataFrame(dict(columns))
    made = [
        pl.col(column.name).cast(column.dtype)
        if column.name in given.columns
        else pl.lit(None, dtype=column.dtype).alias(column.name)
        for column in TABLES[name]
        if column.name in given.columns or (column.may_be_null and not column.is_optional)
    ]
    return given.select(made).select(columns_in(name, given.columns))


def write(archive: Archive, folder: str) -> None:
    """Write an archive into a folder, over an older one if there is one.

    The heading comes last: without it the folder is no archive, so one that was only half written is never taken for a
    whole one.
    """
    os.makedirs(folder, exist_ok=True)
    heading = os.path.join(folder, HEADING)
    if os.path.exists(heading):
        os.remove(heading)
    kept = {name: frame for name, frame in archive.tables.items() if name not in OPTIONAL or frame.height}
    for name, frame in kept.items():
        path = os.path.join(folder, file_of(name))
        shaped(name, frame).write_parquet(path, compression="zstd", row_group_size=_ROWS_TOGETHER)
    for name in TABLES.keys() - kept.keys():
        with suppress(FileNotFoundError):  # of an older archive
            os.remove(os.path.join(folder, file_of(name)))
    about = {
        "format": FORMAT,
        "made_by": f"crosstable {__version__}",
        "source": dict(archive.source),
        "rows": {name: frame.height for name, frame in kept.items()},
        "sha256": {name: _hash_of(os.path.join(folder, file_of(name))) for name in kept},
    }
    with open(heading, "w", encoding="utf-8") as file:
        json.dump(about, file, ensure_ascii=False, indent=1)
        file.write("\n")


def read(folder: str) -> Archive:
    """Read a whole archive and check everything it says."""
    found = opened(folder)
    faults: list[Fault] = []
    frames = {}
    for name in TABLES:
        frame = _attempt(found.table(name).collect, file_of(name), faults)
        if frame is not None:
            frames[name] = frame
    _refuse(folder, faults)
    _refuse(folder, content_faults(frames) or merge_faults(frames))
    return _archive_of(frames, found.source)


def read_for_replay(found: Opened) -> Archive:
    """What a compiled replay needs of an archive, checked as ``read`` does.

    Most columns of entries bear on few sections; in memory they would be half of everything. Those with rules are
    looked through as they are read; all are kept for the sections where they bear on ratings.
    """
    try:
        archive = _lean(found)
    except UNREADABLE as error:
        read(found.folder)  # says which file is damaged, unless only a replay comes across it
        raise ArchiveError(found.folder, [archive_fault(found.folder, _cannot_be_read(error))]) from error
    return archive or read(found.folder)  # which says what is wrong, and where


def _lean(found: Opened) -> Archive | None:
    """The archive for a replay, if nothing is wrong with it."""
    entries = found.table("entries")
    lazy = {name: found.table(name) for name in TABLES} | {"entries": entries.select(*LEAN_ENTRIES)}
    if unread_faults(entries, UNREAD):  # first: what is kept then lies where that was
        return None
    tables = dict(zip(lazy, pl.collect_all(list(lazy.values())), strict=True))
    if content_faults(tables, UNREAD) or merge_faults(tables):
        return None
    told = _told_of(entries, tables["sections"])
    if text_faults({"entries": told}, "entries", "other_starts", are_starts):
        return None
    return _archive_of(tables, found.source, told)


def _told_of(entries: pl.LazyFrame, sections: pl.DataFrame) -> pl.DataFrame:
    """The entries of sections of which more is told: see ``telling_sections``."""
    return entries.filter(pl.col("section").is_in(telling_sections(entries, sections).implode())).collect()


def telling_sections(entries: pl.LazyFrame, sections: pl.DataFrame) -> pl.Series:
    """Sections whose entries tell more that bears on ratings: a start set by hand, a FIDE rating, all events abroad."""
    abroad = (sections["kind"] >= FIRST_ABROAD).arg_true()
    tells = pl.col("start_rating").is_not_null() | pl.col("fide").is_not_null()
    given = entries.filter(tells).select("section").collect().to_series()
    return pl.concat([abroad.cast(given.dtype), given]).unique().sort()


def opened(folder: str) -> Opened:
    """Open an archive: its format, its files, their columns and how many rows they have, but no row of them."""
    heading = _heading(folder)
    faults: list[Fault] = []
    rows: dict[str, int] = {}
    hashes: dict[str, str] = {}
    names = _tables_in(heading)
    with ThreadPoolExecutor() as pool:
        missing = list(pool.map(lambda name: _file_faults(folder, name, heading, hashes), names))
    for name, found in zip(names, missing, strict=True):
        path = os.path.join(folder, file_of(name))
        schema = None if found else _attempt(partial(pl.read_parquet_schema, path), file_of(name), found)
        if schema is not None:
            found += _column_faults(name, schema)
            rows[name] = _attempt(partial(_rows_in, path), file_of(name), found) or 0
            said = heading["rows"].get(name)
            if not found and rows[name] != said:
                found.append(archive_fault(file_of(name), f"The file has {rows[name]} rows; {HEADING} says {said}."))
        faults += found
    _refuse(folder, faults)
    return Opened(folder, rows, heading["source"], _digest_of(hashes))


def digest(folder: str) -> str:
    """A hash of everything in an archive's tables: it changes when any byte of them does."""
    heading = {**_heading(folder), "sha256": {}}
    hashes: dict[str, str] = {}
    faults = [fault for name in _tables_in(heading) for fault in _file_faults(folder, name, heading, hashes)]
    _refuse(folder, faults)
    return _digest_of(hashes)


def _tables_in(heading: Mapping[str, Any]) -> list[str]:
    """The tables that an archive has: those that every archive has, and the optional ones that it counts rows of."""
    return [name for name in TABLES if name not in OPTIONAL or name in heading["rows"]]


def _digest_of(hashes: Mapping[str, str]) -> str:
    found = [hashes[name] for name in TABLES if name in hashes]
    return hashlib.sha256("\n".join([FORMAT, *found]).encode()).hexdigest()


def _hash_of(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _file_faults(folder: str, name: str, heading: Mapping[str, Any], hashes: dict[str, str]) -> list[Fault]:
    """Whether a file is there and is the one that was written; its hash is noted.

    Damage is found here, before anything is made of the bytes.
    """
    try:
        hashes[name] = _hash_of(os.path.join(folder, file_of(name)))
    except FileNotFoundError:
        return [archive_fault(file_of(name), "The file is not there.")]
    except OSError as error:
        return [archive_fault(file_of(name), f"The file cannot be read: {error.strerror or error}.")]
    said = heading["sha256"].get(name, hashes[name])
    if said == hashes[name]:
        return []
    return [archive_fault(file_of(name), f"The file is not the one that was written: {HEADING} has another hash.")]


def _rows_in(path: str) -> int:
    return int(pl.scan_parquet(path).select(pl.len()).collect().item())


def _refuse(folder: str, faults: list[Fault]) -> None:
    if faults:
        raise ArchiveError(folder, faults)


def _attempt(reading: Callable[[], _Read], place: str, faults: list[Fault]) -> _Read | None:
    """What was read, or nothing and a fault: a damaged file is the input's fault, not the program's."""
    try:
        return reading()
    except UNREADABLE as error:
        faults.append(archive_fault(place, _cannot_be_read(error)))
        return None


def _cannot_be_read(error: BaseException) -> str:
    first = str(error).splitlines()[0] if str(error) else type(error).__name__
    return f"The file cannot be read: {first.rstrip('.')}."


def _heading(folder: str) -> Mapping[str, Any]:
    path = os.path.join(folder, HEADING)
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(_LARGEST_HEADING)
    except FileNotFoundError:
        message = f"There is no {HEADING} in {folder!r}, so it is no archive, or one that was not written to its end."
        raise ArchiveError(folder, [archive_fault(HEADING, message)]) from None
    except (OSError, UnicodeDecodeError) as error:
        message = f"It cannot be read: {error}."
        raise ArchiveError(folder, [archive_fault(HEADING, message)]) from error
    return _checked_heading(folder, text)


def _checked_heading(folder: str, text: str) -> Mapping[str, Any]:
    try:
        heading = json.loads(text)
    except (ValueError, RecursionError):
        raise ArchiveError(folder, [archive_fault(HEADING, "It is not JSON.")]) from None
    is_object = isinstance(heading, dict)
    if not is_object or heading.get("format") != FORMAT:
        said = heading.get("format") if is_object else None
        message = f"The format is {said!r}; this program reads {FORMAT!r}."
        raise ArchiveError(folder, [archive_fault(HEADING, message)])
    parts = {"rows": heading.get("rows"), "source": heading.get("source"), "sha256": heading.get("sha256", {})}
    wrong = [key for key, value in parts.items() if not isinstance(value, dict)]
    _refuse(folder, [archive_fault(HEADING, f"{key!r} is not an object.") for key in wrong])
    return parts


def _column_faults(name: str, schema: Mapping[str, pl.DataType]) -> list[Fault]:
    faults = []
    for column in TABLES[name]:
        found = schema.get(column.name)
        if found is None and not column.is_optional:
            faults.append(archive_fault(file_of(name), f"The column {column.name} is missing."))
        elif found is not None and found != column.dtype:
            message = f"The column {column.name} holds {found}; it should hold {column.dtype}."
            faults.append(archive_fault(file_of(name), message))
    return faults
