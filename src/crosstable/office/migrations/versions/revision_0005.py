"""Journal entries commit to the rows they wrote; salts for what is personal; the chain of before is kept as evidence.

``founding`` commits to what is there once the tables are.
"""

import sqlalchemy as sa
from alembic import op

from crosstable.office.migrations.versions.revision_0001 import drop_guard, guard

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_SALTED = ("act", "document", "member", "event", "section", "entry", "decision", "supplement_row")


def upgrade() -> None:
    """Change the tables."""
    op.create_table(
        "commitment",
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("rows", sa.Text(), nullable=False),
        sa.Column("previous", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("seq"),
    )
    op.create_table(
        "former_chain",
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("act", sa.Integer(), nullable=False),
        sa.Column("previous", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("seq"),
    )
    op.execute(
        "INSERT INTO former_chain (seq, act, previous, digest) "
        "SELECT seq, (SELECT max(seq) + 1 FROM act), previous, digest FROM act"
    )
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    drawn = "lower(hex(randomblob(12)))" if is_sqlite else "left(replace(gen_random_uuid()::text, '-', ''), 24)"
    for table in _SALTED:
        drop_guard(table)
        op.add_column(table, sa.Column("salt", sa.String(length=64), nullable=True))
        op.execute(f"UPDATE {table} SET salt = {drawn}")
        guard(table)
    for column in ("previous", "digest"):
        op.drop_column("act", column)
    for table in ("commitment", "former_chain"):
        guard(table)


def downgrade() -> None:
    """Nobody goes back: an older program refuses the newer schema, and a backup restores the record."""
    raise NotImplementedError("restore a backup with the older program instead")
