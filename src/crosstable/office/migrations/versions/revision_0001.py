"""The first schema: acts, people, events, decisions, runs and postings, lists; only a cache may change."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# Tables whose rows are written once. ``current_posting`` alone is a cache.
APPEND_ONLY = (
    "act",
    "document",
    "member",
    "outside_rating",
    "merge",
    "event",
    "section",
    "entry",
    "opening",
    "decision",
    "run",
    "rated_section",
    "posting",
    "ripple",
    "supplement",
    "supplement_row",
)


def upgrade() -> None:
    """Make the tables and guard them."""
    _acts()
    _people()
    _events()
    _standings_and_decisions()
    _current_postings()
    _postings()
    _runs()
    _supplements()
    for table in APPEND_ONLY:
        guard(table)


def downgrade() -> None:
    """There is nothing before the first schema."""
    raise NotImplementedError("the first schema has none before it")


# What the guards of a server do.
KEEP_ROWS = "BEGIN RAISE EXCEPTION 'append-only: % is never changed', TG_TABLE_NAME; END"


def guard(table: str) -> None:
    """Refuse to change or delete a row."""
    if op.get_bind().dialect.name == "sqlite":
        for deed in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_keeps_{deed.lower()} BEFORE {deed} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, 'append-only: {table} is never changed'); END"
            )
        return
    op.execute(f"CREATE OR REPLACE FUNCTION keep_rows() RETURNS trigger LANGUAGE plpgsql AS $$ {KEEP_ROWS} $$")
    op.execute(
        f"CREATE TRIGGER {table}_keeps BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION keep_rows()"
    )


def drop_guard(table: str) -> None:
    """Let a revision change rows, until they are guarded again."""
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for name in ("keeps_update", "keeps_delete") if is_sqlite else ("keeps",):
        op.execute(f"DROP TRIGGER {table}_{name}" + ("" if is_sqlite else f" ON {table}"))


def _acts() -> None:
    op.create_table(
        "act",
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=24), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=False),
        sa.Column("after", sa.Text(), nullable=False),
        sa.Column("previous", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("seq"),
    )
    op.create_table(
        "document",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("act", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.String(length=48), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )


def _people() -> None:
    op.create_table(
        "member",
        sa.Column("member_id", sa.String(length=40), nullable=False),
        sa.Column("act", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("birth_date", sa.Date(), nullable=True),
        sa.Column("adult", sa.Boolean(), nullable=True),
        sa.Column("canadian_resident", sa.Boolean(), nullable=False),
        sa.Column("fide_id", sa.Text(), nullable=False),
        sa.Column("cfc_id", sa.Text(), nullable=False),
        sa.Column("fide_flag", sa.Text(), nullable=False),
        sa.Column("member_until", sa.Date(), nullable=True),
        sa.PrimaryKeyConstraint("member_id", "act"),
    )
    op.create_table(
        "merge",
        sa.Column("act", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("member_id", sa.String(length=40), nullable=False),
        sa.Column("into_id", sa.String(length=40), nullable=False),
        sa.Column("is_undone", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("act"),
    )
    op.create_table(
        "outside_rating",
        sa.Column("member_id", sa.String(length=40), nullable=False),
        sa.Column("body", sa.String(length=4), nullable=False),
        sa.Column("as_of", sa.Date(), nullable=False),
        sa.Column("act", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("member_id", "body", "as_of", "act"),
    )


def _events() -> None:
    op.create_table(
        "entry",
        sa.Column("event_id", sa.String(length=48), nullable=False),
        sa.Column("section", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("act", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("row", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("member_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("rounds", sa.Text(), nullable=False),
        sa.Column("extra", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("event_id", "section", "act", "row"),
    )
    op.create_index("entry_of_member", "entry", ["member_id"], unique=False)
    op.create_table(
        "event",
        sa.Column("event_id", sa.String(length=48), nullable=False),
        sa.Column("act", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("started", sa.Date(), nullable=True),
        sa.Column("ended", sa.Date(), nullable=True),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("document", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("event_id", "act"),
    )
    op.create_table(
        "section",
        sa.Column("event_id", sa.String(length=48), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("act", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("is_online", sa.Boolean(), nullable=False),
        sa.Column("time_controls", sa.Text(), nullable=False),
        sa.Column("asked_systems", sa.Text(), nullable=False),
        sa.Column("systems", sa.Text(), nullable=False),
        sa.Column("is_dual_control", sa.Boolean(), nullable=False),
        sa.Column("is_half_k", sa.Boolean(), nullable=False),
        sa.Column("match_waiver", sa.Text(), nullable=False),
        sa.Column("started", sa.Date(), nullable=True),
        sa.Column("ended", sa.Date(), nullable=True),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("faults", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("event_id", "number", "act"),
    )


def _standings_and_decisions() -> None:
    op.create_table(
        "decision",
        sa.Column("act", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=24), nullable=False),
        sa.Column("member_id", sa.String(length=40), nullable=False),
        sa.Column("system", sa.SmallInteger(), nullable=True),
        sa.Column("effective", sa.Date(), nullable=False),
        sa.Column("value", sa.Float(), nullable=True),
        sa.Column("event_id", sa.String(length=48), nullable=False),
        sa.Column("section", sa.Integer(), nullable=True),
        sa.Column("details", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("act"),
    )
    op.create_index("decision_on_member", "decision", ["member_id"], unique=False)
    op.create_table(
        "opening",
        sa.Column("member_id", sa.String(length=40), nullable=False),
        sa.Column("system", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("act", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("as_of", sa.Date(), nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("games", sa.Float(), nullable=True),
        sa.Column("wins", sa.Integer(), nullable=True),
        sa.Column("draws", sa.Integer(), nullable=True),
        sa.Column("losses", sa.Integer(), nullable=True),
        sa.Column("events", sa.Integer(), nullable=True),
        sa.Column("peak", sa.Float(), nullable=True),
        sa.Column("peak_since_2010", sa.Float(), nullable=True),
        sa.Column("games_at_2200", sa.Integer(), nullable=False),
        sa.Column("lowered_floor", sa.Float(), nullable=True),
        sa.Column("match_changes", sa.Text(), nullable=True),
        sa.Column("floors", sa.Text(), nullable=True),
        sa.Column("ceiling", sa.Float(), nullable=True),
        sa.Column("published", sa.Float(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("member_id", "system", "act"),
    )


def _current_postings() -> None:
    op.create_table(
        "current_posting",
        sa.Column("member_id", sa.String(length=40), nullable=False),
        sa.Column("system", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("event_id", sa.String(length=48), nullable=False),
        sa.Column("section", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("posting_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("member_id", "system", "event_id", "section"),
    )
    op.create_index("current_posting_by_number", "current_posting", ["posting_id"], unique=False)
    op.create_index("current_posting_of_section", "current_posting", ["event_id", "section"], unique=False)


def _postings() -> None:
    op.create_table(
        "posting",
        sa.Column(
            "posting_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("supersedes", sa.BigInteger(), nullable=True),
        sa.Column("member_id", sa.String(length=40), nullable=False),
        sa.Column("system", sa.SmallInteger(), nullable=False),
        sa.Column("event_id", sa.String(length=48), nullable=False),
        sa.Column("section", sa.Integer(), nullable=False),
        sa.Column("ended", sa.Date(), nullable=False),
        sa.Column("started", sa.Date(), nullable=False),
        sa.Column("rating_before", sa.Float(), nullable=True),
        sa.Column("games_before", sa.Float(), nullable=True),
        sa.Column("rating_after", sa.Float(), nullable=True),
        sa.Column("games_after", sa.Float(), nullable=True),
        sa.Column("wins", sa.Integer(), nullable=True),
        sa.Column("draws", sa.Integer(), nullable=True),
        sa.Column("losses", sa.Integer(), nullable=True),
        sa.Column("events", sa.Integer(), nullable=True),
        sa.Column("peak", sa.Float(), nullable=True),
        sa.Column("peak_since_2010", sa.Float(), nullable=True),
        sa.Column("games_at_2200", sa.Integer(), nullable=True),
        sa.Column("match_changes", sa.Text(), nullable=True),
        sa.Column("lowered_floor", sa.Float(), nullable=True),
        sa.Column("as_of", sa.Date(), nullable=True),
        *_working(),
        sa.PrimaryKeyConstraint("posting_id"),
    )
    op.create_index("posting_of_member", "posting", ["member_id"], unique=False)
    op.create_index("posting_of_run", "posting", ["run"], unique=False)
    op.create_index("posting_of_section", "posting", ["event_id", "section"], unique=False)


def _working() -> list[sa.Column[Any]]:
    """The working of the final pass."""
    return [
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("prior", sa.Float(), nullable=True),
        sa.Column("start_games", sa.Float(), nullable=True),
        sa.Column("start_sources", sa.Text(), nullable=True),
        sa.Column("formula", sa.SmallInteger(), nullable=True),
        sa.Column("played", sa.Integer(), nullable=True),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("effective", sa.Float(), nullable=True),
        sa.Column("k", sa.Float(), nullable=True),
        sa.Column("expected", sa.Float(), nullable=True),
        sa.Column("bonus", sa.Float(), nullable=True),
        sa.Column("computed", sa.Float(), nullable=True),
        sa.Column("floor_kind", sa.SmallInteger(), nullable=True),
        sa.Column("floor_level", sa.Float(), nullable=True),
        sa.Column("requested_floor", sa.Float(), nullable=True),
        sa.Column("norm", sa.String(length=1), nullable=True),
        sa.Column("assumed", sa.Text(), nullable=True),
    ]


def _runs() -> None:
    op.create_table(
        "rated_section",
        sa.Column("run", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("event_id", sa.String(length=48), nullable=False),
        sa.Column("section", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("system", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("edition", sa.String(length=20), nullable=False),
        sa.Column("signature", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("run", "event_id", "section", "system"),
    )
    op.create_table(
        "ripple",
        sa.Column("run", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("member_id", sa.String(length=40), nullable=False),
        sa.Column("system", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("rating_before", sa.Float(), nullable=True),
        sa.Column("games_before", sa.Float(), nullable=True),
        sa.Column("rating_after", sa.Float(), nullable=True),
        sa.Column("games_after", sa.Float(), nullable=True),
        sa.Column("sections", sa.Text(), nullable=False),
        sa.Column("causes", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run", "member_id", "system"),
    )
    op.create_table(
        "run",
        sa.Column("act", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("engine_version", sa.String(length=20), nullable=False),
        sa.Column("signature", sa.String(length=64), nullable=False),
        sa.Column("sections", sa.Integer(), nullable=False),
        sa.Column("postings", sa.Integer(), nullable=False),
        sa.Column("state_before", sa.String(length=64), nullable=False),
        sa.Column("state_after", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("act"),
    )


def _supplements() -> None:
    op.create_table(
        "supplement",
        sa.Column("month", sa.String(length=7), nullable=False),
        sa.Column("act", sa.Integer(), nullable=False),
        sa.Column("basis", sa.String(length=12), nullable=False),
        sa.Column("cut_off", sa.String(length=32), nullable=False),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("head", sa.String(length=64), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("month"),
    )
    op.create_table(
        "supplement_row",
        sa.Column("month", sa.String(length=7), nullable=False),
        sa.Column("member_id", sa.String(length=40), nullable=False),
        sa.Column("system", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("rating", sa.Integer(), nullable=False),
        sa.Column("games", sa.Float(), nullable=True),
        sa.Column("is_provisional", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("month", "member_id", "system"),
    )
