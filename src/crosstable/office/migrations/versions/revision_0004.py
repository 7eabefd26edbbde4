"""A posting is current while no other supersedes it: the cache goes, indexes follow members, days and what supersedes.

Signatures of runs and sections, which nobody read, go too. No row of the record is touched.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_MEMBER = ["member_id", "system", "ended", "started", "event_id", "section"]


def upgrade() -> None:
    """Change tables and indexes."""
    op.drop_table("current_posting")
    for table in ("run", "rated_section"):
        op.drop_column(table, "signature")
    op.drop_index("posting_of_member", "posting")
    op.create_index("posting_of_member", "posting", _MEMBER, postgresql_ops={"event_id": 'COLLATE "C"'})
    op.drop_index("posting_of_run", "posting")
    op.create_index("posting_of_run", "posting", ["run"], postgresql_using="brin")
    is_there = sa.text("supersedes IS NOT NULL")
    op.create_index("posting_superseding", "posting", ["supersedes"], sqlite_where=is_there, postgresql_where=is_there)
    op.create_index("posting_by_day", "posting", ["ended"], postgresql_using="brin")
    op.create_index("section_by_day", "section", ["ended"])


def downgrade() -> None:
    """Nobody goes back: an older program refuses the newer schema, and a backup restores the record."""
    raise NotImplementedError("restore a backup with the older program instead")
