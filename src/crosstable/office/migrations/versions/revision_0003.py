"""Years of birth and wishes about age lists beside what is known of members; what was worked out about ranges goes.

The table that goes is no part of the record. The new columns are empty in rows that are there, so no hash changes.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the tables; no row of the record is touched."""
    op.drop_table("kept_veils", if_exists=True)  # the first programs of schema 0002 did not make it yet
    op.add_column("member", sa.Column("birth_year", sa.Integer(), nullable=True))
    op.add_column("member", sa.Column("age_lists", sa.Boolean(), nullable=True))


def downgrade() -> None:
    """Nobody goes back: an older program refuses the newer schema, and a backup restores the record."""
    raise NotImplementedError("restore a backup with the older program instead")
