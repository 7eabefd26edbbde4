"""A column that is added to tables of offices that exist: old rows keep their digests, new values are committed to."""

import shutil
import subprocess
import sys
from pathlib import Path

import crosstable
from crosstable.office.database import SCHEMA
from tests.architecture.source import ROOT
from tests.architecture.test_rating_record import AFTER, LINE

REVISION = """
import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "{new}", "{last}", None, None


def upgrade() -> None:
    for table in ("opening", "posting"):
        op.add_column(table, sa.Column("abroad", sa.Integer()))
"""
USED = """
import sys
from sqlalchemy import select, text
from crosstable.office import tables
from crosstable.office.audit import audit
from crosstable.office.database import Office, open_office
from crosstable.office.upgrading import upgrade_office
from tests.office.kept_offices import place
from tests.office.made_office import AUTHOR, HandClock, join, opening, person, run, unguarded

address = sys.argv[1]
place(address, "0007")
upgrade_office(address, AUTHOR)
office = open_office(address, HandClock())
assert audit(office).findings == (), audit(office).findings  # by the digests of before
with office.reading() as connection:
    assert set(connection.execute(select(tables.posting.c.abroad)).scalars()) == {None}
join(office, [person(77)], [opening(77, 1500.0, abroad=3)])
assert run(office) is not None
assert audit(office).findings == (), audit(office).findings
with office.reading() as connection:
    assert 3 in set(connection.execute(select(tables.posting.c.abroad)).scalars())
for table in ("opening", "posting"):
    with office.writing("nobody", "tampering") as connection, unguarded(connection, table):
        connection.execute(text(f"UPDATE {table} SET abroad = 4 WHERE abroad = 3"))
    found = [one.what for one in audit(office).findings]
    assert any(f"{table} was changed" in one for one in found), found
print("committed")
"""


def test_an_office_of_before_verifies_with_a_column_more_and_commits_to_its_values(tmp_path: Path) -> None:
    package = tmp_path / "crosstable"
    shutil.copytree(Path(crosstable.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    added = LINE.replace('"Sections abroad."', '"Sections abroad.", is_added=True')
    terms = (package / "terms.py").read_text("utf-8")
    (package / "terms.py").write_text(terms.replace(AFTER, added + AFTER), "utf-8")
    new = f"{int(SCHEMA) + 1:04}"
    revision = package / f"office/migrations/versions/revision_{new}.py"
    revision.write_text(REVISION.format(new=new, last=SCHEMA), "utf-8")
    database = package / "office/database.py"
    text = database.read_text("utf-8").replace(f'SCHEMA = "{SCHEMA}"', f'SCHEMA = "{new}"')
    database.write_text(text.replace(f'"{SCHEMA}")', f'"{SCHEMA}", "{new}")'), "utf-8")
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    ran = subprocess.run(
        [sys.executable, "-c", USED, str(tmp_path / "office.db")], cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.stdout == "committed\n", ran.stderr
