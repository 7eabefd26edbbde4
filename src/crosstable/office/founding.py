"""Founding an office and bringing its schema up to date, by Alembic revisions."""

import secrets
from contextlib import closing

from sqlalchemy import Connection

from crosstable.errors import OfficeError
from crosstable.office.database import KNOWN_SCHEMAS, SCHEMA, Clock, Office, schema_in, schema_of, system_clock
from crosstable.office.former import former_head, keep_chain, recommit
from crosstable.office.ledger.journal import Author, Change, EntryKind, append

# From this schema on entries commit to the rows they wrote.
COMMITTED = "0005"


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
                bring_up(connection, clock, author, found)
    return found, SCHEMA


def bring_up(connection: Connection, clock: Clock, author: Author, found: str) -> None:
    """Bring the tables up to the newest schema, and commit to what is in them where nobody has."""
    migrate(connection, SCHEMA)
    if found >= COMMITTED:
        return
    wrong = recommit(connection)
    about = {"from": found, "to": SCHEMA, "head": former_head(connection), "findings": [one.what for one in wrong]}
    keep_chain(connection, append(connection, clock, author, Change(EntryKind.UPGRADE, SCHEMA, about)))


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
