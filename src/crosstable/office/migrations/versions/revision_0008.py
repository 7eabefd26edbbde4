"""Jobs and second factors; in SQLite the accounts leave the file of the record (``founding`` has read them by now)."""

import sqlalchemy as sa
from alembic import op

from crosstable.office.account_tables import APART

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables, or drop what has moved."""
    op.create_table(
        "finished_job",
        sa.Column("job_id", sa.String(length=16), nullable=False),
        sa.Column("act", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("job_id"),
    )
    bind = op.get_bind()
    if bind.dialect.name == "sqlite":
        there = sa.inspect(bind).get_table_names()
        for table in APART:
            if table.name in there:
                op.drop_table(table.name)
        return
    op.create_table(
        "job",
        sa.Column("job_id", sa.String(length=16), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("wish", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("affiliate", sa.String(length=16), nullable=False),
        sa.Column("slot", sa.String(length=60), nullable=True),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("made", sa.String(length=32), nullable=False),
        sa.Column("due", sa.String(length=32), nullable=False),
        sa.Column("begun", sa.String(length=32), nullable=True),
        sa.Column("ended", sa.String(length=32), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String(length=100), nullable=True),
        sa.Column("lease", sa.String(length=32), nullable=True),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("is_canceled", sa.Boolean(), nullable=False),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("job_id"),
    )
    op.create_index("job_by_state", "job", ["state", "due"])
    op.create_index("job_by_slot", "job", ["slot"], unique=True)
    op.create_table(
        "second_factor",
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("secret", sa.String(length=64), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("recovery", sa.Text(), nullable=False),
        sa.Column("confirmed", sa.String(length=32), nullable=True),
        sa.PrimaryKeyConstraint("account"),
    )


def downgrade() -> None:
    """Nobody goes back: an older program refuses the newer schema, and a backup restores the record."""
    raise NotImplementedError("restore a backup with the older program instead")
