"""Founding an office and bringing its schema up to date, by Alembic revisions."""

import secrets
from contextlib import closing, nullcontext
from typing import Any

from sqlalchemy import Connection, Table, insert, inspect, text

from crosstable.errors import OfficeError
from crosstable.office.account_tables import APART
from crosstable.office.database import KNOWN_SCHEMAS, SCHEMA, Clock, Office, schema_in, schema_of, system_clock
from crosstable.office.former import former_head, keep_chain, recommit
from crosstable.office.ledger.journal import Author, Change, EntryKind, append

# From this schema on entries commit to the rows they wrote.
COMMITTED = "0005"
# From this schema on the accounts of a SQLite office have a file of their own, and before it they were with the record.
APART_SINCE = "0008"


def found_office(
    url: str, name: str, author: Author, clock: Clock = system_clock, *, secret: str | None = None
) -> Office:
    """Make a new office; one that is there already is left as it is."""
    office = Office(url, clock)
    try:
        with office.writing(author.actor, "founding") as connection:
            if schema_in(connection) is not None:  # asked under the lock: two may found at once
                raise OfficeError(f"there is an office at {url} already; nothing was changed")
            migrate(connection, SCHEMA)
            with office.new_accounts(connection):
                pass  # those of an office that was here before are not those of this one
            # The secret keeps anybody from trying birth dates against the head of the record, which lists print.
            about = {"name": name, "schema": SCHEMA, "secret": secret or secrets.token_hex(16)}
            append(connection, clock, author, Change(EntryKind.FOUNDED, name, about))
    except BaseException:
        office.close()
        raise
    return office


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
                    bring_up(connection, apart, clock, author, found)
    return found, SCHEMA


def bring_up(connection: Connection, apart: Connection, clock: Clock, author: Author, found: str) -> None:
    """Bring the tables up to the newest schema, and commit to what is in them where nobody has.

    ``apart``: where accounts go that were with the record.
    """
    if found < APART_SINCE:
        migrate(connection, KNOWN_SCHEMAS[KNOWN_SCHEMAS.index(APART_SINCE) - 1])
        moved = _accounts_in(connection) if apart is not connection else {}
        migrate(connection, APART_SINCE)
        for table, rows in moved.items():
            apart.execute(insert(table), rows)
    migrate(connection, SCHEMA)
    if found >= COMMITTED:
        return
    wrong = recommit(connection)
    about = {"from": found, "to": SCHEMA, "head": former_head(connection), "findings": [one.what for one in wrong]}
    keep_chain(connection, append(connection, clock, author, Change(EntryKind.UPGRADE, SCHEMA, about)))


def _accounts_in(connection: Connection) -> dict[Table, list[dict[str, Any]]]:
    """Every row of the accounts that stands with the record, as all did once."""
    there = inspect(connection).get_table_names()
    found = {
        table: [dict(row) for row in connection.execute(text(f"SELECT * FROM {table.name}")).mappings()]
        for table in APART
        if table.name in there
    }
    return {table: rows for table, rows in found.items() if rows}


def migrate(connection: Connection, target: str) -> None:
    """Run the revisions up to a target inside the open transaction."""
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", "crosstable.office:migrations")
    config.set_main_option("path_separator", "os")
    script = ScriptDirectory.from_config(config)

    def up(revision: object, context: object) -> object:
        return script._upgrade_revs(target, revision)  # type: ignore[arg-type]

    with EnvironmentContext(config, script, fn=up, destination_rev=target) as environment:
        environment.configure(connection=connection, transactional_ddl=True, transaction_per_migration=False)
        environment.run_migrations()
