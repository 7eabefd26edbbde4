"""Who approved an entry, what was erased of it, and a security log that is chained like the journal."""

import sqlalchemy as sa
from alembic import op

from crosstable.office.migrations.versions.revision_0001 import guard

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "authorship",
        sa.Column("act", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("login", sa.Text(), nullable=False),
        sa.Column("proposal", sa.Integer(), nullable=True),
        sa.Column("approved_by", sa.String(length=40), nullable=True),
        sa.Column("credential", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("act"),
    )
    op.create_table(
        "erasure",
        sa.Column("act", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("of_table", sa.String(length=24), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("left", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("act", "of_table", "key"),
    )
    op.create_table(
        "security_log",
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=24), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("salt", sa.String(length=64), nullable=False),
        sa.Column("previous", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("seq"),
    )
    for table in ("authorship", "erasure", "security_log"):
        guard(table)


def downgrade() -> None:
    """Nobody goes back: an older program refuses the newer schema, and a backup restores the record."""
    raise NotImplementedError("restore a backup with the older program instead")
