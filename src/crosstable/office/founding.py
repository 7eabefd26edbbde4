"""Founding an office; its tables are made by Alembic revisions."""

import secrets

from sqlalchemy import Connection

from crosstable.errors import OfficeError
from crosstable.office.database import SCHEMA, Clock, Office, schema_in, system_clock
from crosstable.office.ledger.journal import Author, Change, EntryKind, append


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
