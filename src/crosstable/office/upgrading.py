"""Bringing an older office up to the newest schema: its tables, its proof, and the entry that says so.

In one transaction everything is derived anew from the record and held against what is there; what differs is written
into the entry of the upgrade. Entries of before schema 0005 commit to nothing yet: they do so now, and the chain of
before is kept as evidence. Later ones have committed to their rows when they were written, and go on from there.
"""

from contextlib import closing, nullcontext
from typing import Any

from sqlalchemy import Connection, Table, insert, inspect, text

from crosstable.errors import OfficeError
from crosstable.office.account_tables import APART
from crosstable.office.audit import record_findings
from crosstable.office.database import KNOWN_SCHEMAS, SCHEMA, Clock, Office, schema_of, system_clock
from crosstable.office.former import former_head, keep_chain, recommit
from crosstable.office.founding import migrate
from crosstable.office.ledger.commitments import head_in
from crosstable.office.ledger.journal import Author, Change, EntryKind, append

# From this schema on entries commit to the rows they wrote.
COMMITTED = "0005"
# From this schema on the accounts of a SQLite office have a file of their own, and before it they were with the record.
APART_SINCE = "0008"


def upgrade_office(url: str, author: Author, clock: Clock = system_clock) -> tuple[str, str]:
    """Bring an older office up to the newest schema, in one transaction; returns the schema before and after."""
    with closing(Office(url, clock)) as office:
        found = schema_of(office) if office.store.is_there() else None
        if found is None:
            raise OfficeError(f"there is no office at {url}")
        if found not in KNOWN_SCHEMAS:
            raise OfficeError(
                f"the office at {url} has schema {found}, which is newer than this program knows ({SCHEMA})"
            )
        if found != SCHEMA:
            with office.writing(author.actor, "upgrade") as connection:
                accounts = office.new_accounts(connection) if found < APART_SINCE else nullcontext(connection)
                with accounts as apart:
                    bring_up(connection, apart, found)
                note_upgrade(connection, clock, author, found)
    return found, SCHEMA


def bring_up(connection: Connection, apart: Connection, found: str) -> None:
    """Bring the tables up to the newest schema; ``apart`` is where accounts go that were with the record."""
    if found < APART_SINCE:
        migrate(connection, KNOWN_SCHEMAS[KNOWN_SCHEMAS.index(APART_SINCE) - 1])
        moved = _accounts_in(connection) if apart is not connection else {}
        migrate(connection, APART_SINCE)
        for table, rows in moved.items():
            apart.execute(insert(table), rows)
    migrate(connection, SCHEMA)


def note_upgrade(connection: Connection, clock: Clock, author: Author, found: str) -> None:
    """Commit to what is there where nobody has, derive everything anew, and write the entry that says what differs."""
    is_older = found < COMMITTED
    wrong = [*(recommit(connection) if is_older else ()), *record_findings(connection)]
    head = former_head(connection) if is_older else head_in(connection)[1]
    about = {"from": found, "to": SCHEMA, "head": head, "findings": [one.what for one in wrong]}
    entry = append(connection, clock, author, Change(EntryKind.UPGRADE, SCHEMA, about))
    if is_older:
        keep_chain(connection, entry)


def _accounts_in(connection: Connection) -> dict[Table, list[dict[str, Any]]]:
    """Every row of the accounts that stands with the record, as all did once."""
    there = inspect(connection).get_table_names()
    found = {
        table: [dict(row) for row in connection.execute(text(f"SELECT * FROM {table.name}")).mappings()]
        for table in APART
        if table.name in there
    }
    return {table: rows for table, rows in found.items() if rows}
