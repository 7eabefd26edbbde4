"""The rating record has one list of fields: a line in it is enough for every shape that follows from it."""

import shutil
import subprocess
import sys
from pathlib import Path

import crosstable
from crosstable.record_rows import POSTED, posted_name
from crosstable.terms import RECORD_FIELDS, PlayerRating
from tests.architecture.source import ROOT

LINE = '    abroad: Annotated[int | None, Kept(FieldKind.COUNT, "Sections abroad.")] = None\n'
AFTER = "    losses: Annotated["
USED = """
import json
from datetime import date
from crosstable.formats import Reading
from crosstable.formats.event_json import read
from crosstable.formats.event_json_write import write
from crosstable.formats.columns import column_of, columns_for
from crosstable.history.archive_contents import openings_of
from crosstable.history.archive_tables import schema_of
from crosstable.office import tables
from crosstable.record_rows import rating_from, row_of
from crosstable.terms import PlayerRating
from tools.record_page import event_schema, record_page

player = {"number": 1, "name": "One", "rounds": ["W2"], "ratings": {"OTBR": {"rating": 1500, "abroad": 3}}}
other = {"number": 2, "name": "Two", "rounds": ["L1"]}
section = {"number": 1, "players": [player, other]}
event = {"format": "crosstable-event/1", "event": {"name": "E"}, "sections": [section]}
found = read(json.dumps(event).encode(), "event.json")
assert not found.faults, found.faults
standing = found.report.sections[0].players[0].background.standings[0]
assert standing.abroad == 3
assert b'"abroad": 3' in write(found.report)
assert column_of("OTBR abroad") == "OTBR abroad"
assert "OTBR abroad" in columns_for([found.report.sections[0].players[0].background])
assert rating_from(row_of(standing)) == standing
assert "abroad" in tables.opening.c and "abroad" in tables.posting.c
assert "abroad" in schema_of("openings")
assert "Sections abroad." in event_schema() and "Sections abroad." in record_page("")
print("followed")
"""


def test_a_field_is_one_line(tmp_path: Path) -> None:
    """A field that is added to the list is read, written, kept and documented, with no other edit."""
    package = tmp_path / "crosstable"
    shutil.copytree(Path(crosstable.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    terms = package / "terms.py"
    text = terms.read_text("utf-8")
    assert text.count(AFTER) == 1
    terms.write_text(text.replace(AFTER, LINE + AFTER), "utf-8")
    shutil.copytree(ROOT / "tools", tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "crosstable").symlink_to(package)
    ran = subprocess.run(
        [sys.executable, "-c", USED], cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert ran.stdout == "followed\n", ran.stderr


def test_every_field_says_what_it_means() -> None:
    """Every field has a meaning, and names in files and in postings are told apart."""
    assert tuple(RECORD_FIELDS) == PlayerRating._fields
    assert all(kept.meaning.endswith(".") for kept in RECORD_FIELDS.values())
    told = [kept.in_files or name for name, kept in RECORD_FIELDS.items()]
    assert len(set(told)) == len(told)
    assert len({posted_name(name) for name in POSTED}) == len(POSTED)
