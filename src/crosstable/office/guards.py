"""What a store says of itself: its own integrity check, its tables and indexes, the triggers that guard the record."""

from collections.abc import Callable, Iterator
from functools import cache

from sqlalchemy import Connection, MetaData, create_engine, inspect, text

from crosstable.office import account_tables, tables
from crosstable.office.database import SCHEMA, Office, create_accounts, schema_in
from crosstable.office.founding import migrate
from crosstable.office.proof import UNREADABLE, Finding, one_line
from crosstable.sentences import counted

# Statistics that SQLite keeps for itself are no part of an office.
_DEFINED = "SELECT type, name, tbl_name, sql FROM {}.sqlite_master WHERE name NOT LIKE 'sqlite!_stat%' ESCAPE '!'"
_OURS = "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema()"
# Before update, delete or truncate, once a statement, and always.
_GUARDS = text(
    "SELECT c.relname, p.prosrc FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
    f"JOIN pg_proc p ON p.oid = t.tgfoid {_OURS} AND t.tgenabled IN ('O', 'A') AND t.tgqual IS NULL "
    "AND p.proconfig IS NULL AND t.tgname = c.relname || '_keeps' AND t.tgtype = 58"
)
# What changes or hides rows on a server, of which this program makes none; views of extensions are their own affair.
_STRANGERS = text(
    "SELECT 'trigger', t.tgname, c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
    f"{_OURS} AND NOT t.tgisinternal AND t.tgname <> c.relname || '_keeps' "
    "UNION ALL SELECT 'rule', r.rulename, c.relname FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class "
    f"{_OURS} AND c.relkind IN ('r', 'p') "
    "UNION ALL SELECT 'constraint', o.conname, c.relname FROM pg_constraint o JOIN pg_class c ON c.oid = o.conrelid "
    f"{_OURS} AND o.contype IN ('c', 't', 'x') "
    f"UNION ALL SELECT 'row security of', c.relname, c.relname FROM pg_class c {_OURS} "
    "AND (c.relrowsecurity OR c.relforcerowsecurity) "
    f"UNION ALL SELECT 'unlogged table', c.relname, c.relname FROM pg_class c {_OURS} "  # which a crash empties
    "AND c.relkind = 'r' AND c.relpersistence <> 'p' "
    f"UNION ALL SELECT 'view', c.relname, c.relname FROM pg_class c {_OURS} AND c.relkind IN ('v', 'm') "
    "AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') ORDER BY 1, 2, 3"
)


def store_findings(connection: Connection) -> Iterator[Finding]:
    """Whatever is wrong with the definitions of a store before anything in it is looked at."""
    yield from _told(connection, _schema)
    yield from _told(connection, _definitions if connection.dialect.name == "sqlite" else _server_definitions)


def integrity_findings(office: Office) -> list[Finding]:
    """What a store's own check of its pages and indexes says; it may run beside others who read."""
    with office.reading() as connection:
        return [*_told(connection, _integrity)]


def _told(connection: Connection, check: Callable[[Connection], Iterator[Finding]]) -> Iterator[Finding]:
    try:
        yield from check(connection)
    except UNREADABLE as error:
        connection.rollback()
        yield Finding(f"the store cannot be read: {one_line(error)}")


def _integrity(connection: Connection) -> Iterator[Finding]:
    """SQLite checks its pages and indexes; a server checks the pages it reads, and its indexes where it has amcheck."""
    if connection.dialect.name == "sqlite":
        for said in connection.execute(text("PRAGMA integrity_check(20)")).scalars():
            if said != "ok":
                yield Finding(f"SQLite says that the file is damaged: {' '.join(said.split())}")
    elif connection.execute(text("SELECT 1 FROM pg_extension WHERE extname = 'amcheck'")).first() is not None:
        for name in connection.execute(text(_TREES)).scalars().all():
            connection.execute(text("SELECT bt_index_check(to_regclass(:name))"), {"name": name})


_TREES = (
    "SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_am a ON a.oid = c.relam "
    "JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relkind = 'i' AND a.amname = 'btree' AND n.nspname = current_schema()"
)


def _schema(connection: Connection) -> Iterator[Finding]:
    found = schema_in(connection)
    if found != SCHEMA:
        yield Finding(f"the office says that its schema is {found!r}, not {SCHEMA}", table="alembic_version")
    if (rows := connection.execute(text("SELECT count(*) FROM alembic_version")).scalar_one()) != 1:
        yield Finding(f"the office says {counted(rows, 'time')} which schema it has", table="alembic_version")


def _definitions(connection: Connection) -> Iterator[Finding]:
    """Tables, indexes and triggers of both files, against those that this program makes."""
    found, wanted = _defined(connection, "main", "accounts"), _made()
    for kind, name, table, _ in sorted(wanted - found, key=repr):
        yield Finding(f"the {kind} {name} is missing, or it is another one", table=table)
    for kind, name, table, _ in sorted(found - wanted, key=repr):
        yield Finding(f"the {kind} {name} is none that this program makes", table=table)


def _defined(connection: Connection, *files: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(row) for one in files for row in connection.execute(text(_DEFINED.format(one))))


@cache
def _made() -> frozenset[tuple[str, ...]]:
    """What the revisions and the file of accounts have in an empty place."""
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        migrate(connection, SCHEMA)
        create_accounts(connection)
        found = _defined(connection, "main")
    engine.dispose()
    return found


def _server_definitions(connection: Connection) -> Iterator[Finding]:
    """The same on a server, which spells them in its own way."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from crosstable.office.migrations.versions.revision_0001 import KEEP_ROWS

    whole = MetaData()
    for one in (*tables.metadata.sorted_tables, *account_tables.metadata.sorted_tables):
        one.to_metadata(whole)
    context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
    for difference in compare_metadata(context, whole):
        yield Finding(f"the tables are not those that this program makes: {difference!r}")
    inspector = inspect(connection)
    for name, table in whole.tables.items():
        key = inspector.get_pk_constraint(name)["constrained_columns"] if inspector.has_table(name) else None
        if key is not None and key != [column.name for column in table.primary_key]:
            yield Finding(f"the primary key of {name} is missing, or it is another one", table=name)
    guarded = {name for name, body in connection.execute(_GUARDS) if body.strip() == KEEP_ROWS}
    for name in sorted({*tables.metadata.tables, account_tables.security_log.name} - guarded):
        yield Finding(f"the trigger that guards {name} is missing, or it is another one", table=name)
    for kind, name, table in connection.execute(_STRANGERS):
        yield Finding(f"the {kind} {name} is none that this program makes", table=table)
