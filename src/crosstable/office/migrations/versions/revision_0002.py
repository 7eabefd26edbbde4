"""Who may come in (accounts, tokens, sessions, failed tries to log in, proposals), and veils that are kept at hand.

None of these tables is append-only.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables; the record is not touched."""
    _accounts()
    _sessions()
    op.create_table(
        "proposal",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("wish", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("proposed_by", sa.String(length=40), nullable=False),
        sa.Column("proposed_at", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("settled_by", sa.String(length=40), nullable=True),
        sa.Column("settled_at", sa.String(length=32), nullable=True),
        sa.Column("act", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_table(
        "kept_veils",
        sa.Column("run", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("program", sa.String(length=64), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("run"),
    )


def downgrade() -> None:
    """Nobody goes back: an older program refuses the newer schema, and a backup restores the record."""
    raise NotImplementedError("restore a backup with the older program instead")


def _accounts() -> None:
    op.create_table(
        "account",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("full_name", sa.Text(), nullable=False),
        sa.Column("role", sa.String(length=12), nullable=False),
        sa.Column("affiliate", sa.String(length=16), nullable=False),
        sa.Column("password", sa.String(length=200), nullable=False),
        sa.Column("is_disabled", sa.Boolean(), nullable=False),
        sa.Column("made", sa.String(length=32), nullable=False),
        sa.Column("last_login", sa.String(length=32), nullable=True),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "token",
        sa.Column("token_id", sa.String(length=12), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("owner", sa.String(length=40), nullable=False),
        sa.Column("scope", sa.String(length=12), nullable=False),
        sa.Column("affiliate", sa.String(length=16), nullable=False),
        sa.Column("made", sa.String(length=32), nullable=False),
        sa.Column("expires", sa.String(length=32), nullable=False),
        sa.Column("last_used", sa.String(length=32), nullable=True),
        sa.Column("revoked", sa.String(length=32), nullable=True),
        sa.PrimaryKeyConstraint("token_id"),
    )
    op.create_index("token_by_digest", "token", ["digest"], unique=True)


def _sessions() -> None:
    op.create_table(
        "session",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("expires", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_index("session_of_account", "session", ["account"], unique=False)
    op.create_table(
        "failed_login",
        sa.Column("failure_id", sa.String(length=32), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("address", sa.String(length=48), nullable=False),
        sa.PrimaryKeyConstraint("failure_id"),
    )
    op.create_index("failed_login_by_time", "failed_login", ["at"], unique=False)
