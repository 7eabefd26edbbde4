"""Backups: a whole office in one file that either database can be restored from.

A zip with a manifest and one file of JSON lines per table, read in one snapshot while others go on writing. The
manifest holds the schema, the head of the record, and the hash of every part; a restore checks them all before it
stores anything.

The record is in it, and with it accounts, tokens, proposals and jobs that wait: passwords and tokens only as their
hashes. Sessions are not. With a key a backup is encrypted. One that an older program wrote is restored and brought up
to the schema of this one.
"""

import base64
import hashlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from datetime import date
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

from sqlalchemy import Column, ColumnElement, Connection, Date, LargeBinary, MetaData, Table, func, insert, select, text

from crosstable.errors import NoOfficeError, OfficeError
from crosstable.office import account_tables, tables
from crosstable.office.complete_files import Sealing, complete_file, is_sealed, unseal
from crosstable.office.database import KNOWN_SCHEMAS, SCHEMA, Clock, Office, schema_in, system_clock
from crosstable.office.erasure_list import ListedErasure, erase_again
from crosstable.office.former import broken_links, former_head
from crosstable.office.founding import migrate
from crosstable.office.jobs import OPEN
from crosstable.office.ledger.journal import NO_HASH, Author, head
from crosstable.office.ledger.runs import Progress, in_silence
from crosstable.office.proof import proof
from crosstable.office.upgrading import COMMITTED, bring_up, note_upgrade

FORMAT = "crosstable-office-backup/1"
_MANIFEST = "manifest.json"
_PORTION = 2000
# Tables of a backup: the record, and who may work on it.
KEPT = (
    *tables.metadata.sorted_tables,
    *(account_tables.account, account_tables.token, account_tables.proposal, account_tables.security_log),
    *(account_tables.second_factor, account_tables.finished_job, account_tables.job),
)
# Tables that may be in one; those of older programs had one more.
_TABLES = {name: name for name in (*(table.name for table in KEPT), "current_posting")}
# What reading a zip raises where bytes of it are not what they were: flags, sizes and streams can all be wrong.
_DAMAGED = (
    AttributeError,
    KeyError,
    TypeError,
    ValueError,
    EOFError,
    OSError,
    RuntimeError,
    zlib.error,
    zipfile.BadZipFile,
)


class Backup(NamedTuple):
    """What a backup holds."""

    head: str
    acts: int
    rows: Mapping[str, int]
    # how many people were erased again by a restore
    erased: int = 0
    # where accounts of an office are now that was at the address before
    aside: str = ""


def backup(office: Office, path: str, progress: Progress = in_silence, key: str = "") -> Backup:
    """Write an office into a file, encrypted where a key is given; the file is complete, or it is not there."""
    with office.reading() as connection:
        # before the record is read: what is done by then has its mark there, and is not done again
        waiting = [*_lines(connection, account_tables.job, account_tables.job.c.state.in_(OPEN))]
    with (
        complete_file(path) as file,
        closing(Sealing(file, key)) if key else nullcontext(file) as target,
        office.reading() as connection,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        return _write(connection, archive, progress, waiting)


def _write(connection: Connection, archive: zipfile.ZipFile, progress: Progress, waiting: list[bytes]) -> Backup:
    rows: dict[str, int] = {}
    hashes: dict[str, str] = {}
    now = MetaData()
    now.reflect(connection)  # columns in the order of the database, whatever that of the program is
    for done, table in enumerate(KEPT, 1):
        digest = hashlib.sha256()
        count = 0
        with archive.open(f"{table.name}.jsonl", "w", force_zip64=True) as file:
            is_job = table is account_tables.job
            for line in waiting if is_job else _lines(connection, now.tables.get(table.name, table)):
                digest.update(line)
                file.write(line)
                count += 1
        rows[table.name], hashes[table.name] = count, digest.hexdigest()
        progress(done)
    last = head(connection)
    found = Backup(NO_HASH if last is None else last.digest, 0 if last is None else last.seq, rows)
    manifest = {
        "format": FORMAT,
        "schema": SCHEMA,
        "head": found.head,
        "acts": found.acts,
        "rows": rows,
        "sha256": hashes,
    }
    archive.writestr(_MANIFEST, json.dumps(manifest, indent=1))
    return found


def _lines(connection: Connection, table: Table, where: ColumnElement[bool] | None = None) -> Iterator[bytes]:
    query = select(table).order_by(*table.primary_key.columns)
    query = query if where is None else query.where(where)
    for row in connection.execution_options(stream_results=True).execute(query):
        yield json.dumps([_plain(value) for value in row], ensure_ascii=False).encode() + b"\n"


def _plain(value: object) -> object:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(value).decode()
    return value


def restore(
    path: str,
    url: str,
    clock: Clock = system_clock,
    progress: Progress = in_silence,
    key: str = "",
    listed: Sequence[ListedErasure] = (),
) -> Backup:
    """Make an office from a backup, at an address where there is none; all of it, or nothing.

    Whoever is ``listed`` was erased since, and is erased again in the same transaction.
    """
    with closing(Office(url, clock)) as office, _opened(path, key) as archive:
        manifest = _checked_manifest(archive, path)
        with office.writing("restore", f"restoring {os.path.basename(path)}") as connection:
            if schema_in(connection) is not None:  # asked under the lock: two may restore at once
                raise OfficeError(f"there is an office at {url} already; restore into an empty place")
            migrate(connection, manifest["schema"])
            then = MetaData()
            then.reflect(connection)  # the tables as they were
            with office.new_accounts(connection) as apart:
                for done, name in enumerate(manifest["rows"], 1):
                    target = connection if name in then.tables else apart
                    table = then.tables[name] if name in then.tables else account_tables.metadata.tables[name]
                    _fill(target, archive, table, manifest)
                    if target.execute(select(func.count()).select_from(text(name))).scalar() != manifest["rows"][name]:
                        raise OfficeError(
                            f"{path}: {name} has not as many rows as were backed up; nothing was restored"
                        )
                    progress(done)
                author = Author("restore", f"restored from {os.path.basename(path)}")
                bring_up(connection, apart, manifest["schema"])
                if manifest["schema"] < COMMITTED:
                    note_upgrade(connection, clock, author, manifest["schema"])
                _check_restored(connection, manifest, path)
                erased = erase_again(office, connection, apart, listed)
        if erased:
            office.close()
            office.store.scrub()
    return Backup(manifest["head"], manifest["acts"], manifest["rows"], erased, office.aside)


@contextmanager
def _opened(path: str, key: str) -> Iterator[zipfile.ZipFile]:
    with TemporaryFile() as plain, _archive(path, key, plain) as archive:
        yield archive


def _archive(path: str, key: str, plain: IO[bytes]) -> zipfile.ZipFile:
    try:
        if not is_sealed(path):
            return zipfile.ZipFile(path)
        if not key:
            raise OfficeError(f"{path} is encrypted; give its key: crosstable office restore {path} --key-file KEY")
        unseal(path, key, plain)
        return zipfile.ZipFile(plain)
    except FileNotFoundError as error:
        raise NoOfficeError(f"{path}: there is no such file") from error
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise OfficeError(f"{path} is not a backup of an office, or it is damaged") from error


def _checked_manifest(archive: zipfile.ZipFile, path: str) -> dict[str, Any]:
    try:
        manifest = json.loads(archive.read(_MANIFEST))
        if manifest["format"] != FORMAT:
            raise OfficeError(f"{path} is a {manifest['format']}; this program reads {FORMAT}")
        if manifest["schema"] not in KNOWN_SCHEMAS:
            raise OfficeError(f"{path} has schema {manifest['schema']}; this program knows {SCHEMA}")
        known = {name: manifest[name] for name in ("schema", "head", "acts", "rows", "sha256")}
        known["rows"] = {_TABLES[name]: int(count) for name, count in known["rows"].items()}
    except _DAMAGED as error:
        raise OfficeError(f"{path} is not a backup of an office, or it is damaged") from error
    return known


def _fill(connection: Connection, archive: zipfile.ZipFile, table: Table, manifest: Mapping[str, Any]) -> None:
    digest = hashlib.sha256()
    portion: list[dict[str, Any]] = []
    columns = [*table.columns]
    try:
        with archive.open(f"{table.name}.jsonl") as file:
            for line in io.BufferedReader(file):  # type: ignore[type-var]
                digest.update(line)
                portion.append(_row(columns, json.loads(line)))
                if len(portion) == _PORTION:
                    connection.execute(insert(table), portion)
                    portion = []
    except _DAMAGED as error:
        raise OfficeError(f"the backup is damaged: {table.name} cannot be read; nothing was restored") from error
    if digest.hexdigest() != manifest["sha256"].get(table.name):
        raise OfficeError(f"the backup is damaged: {table.name} is not what was backed up; nothing was restored")
    if portion:
        connection.execute(insert(table), portion)


def _row(columns: Sequence[Column[Any]], values: list[Any]) -> dict[str, Any]:
    row = {}
    for column, value in zip(columns, values, strict=True):
        if value is not None and isinstance(column.type, Date):
            value = date.fromisoformat(value)
        elif value is not None and isinstance(column.type, LargeBinary):
            value = base64.b64decode(value)
        row[column.name] = value
    return row


def _check_restored(connection: Connection, manifest: Mapping[str, Any], path: str) -> None:
    """The record holds together, and its head is the one of the backup; an older one had another chain."""
    is_older = former_head(connection) != NO_HASH and manifest["schema"] < COMMITTED
    last = head(connection)
    found = former_head(connection) if is_older else NO_HASH if last is None else last.digest
    broken = broken_links(connection) if is_older else proof(connection)
    if found != manifest["head"] or any(True for _ in broken):
        raise OfficeError(f"{path}: the record in it does not hold together; nothing was restored")
