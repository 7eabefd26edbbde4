"""The rating record has one list of fields: a line in it is enough for every shape that follows from it."""

import shutil
import subprocess
import sys
from pathlib import Path

import crosstable
from crosstable.engine.records import NUMBERS
from crosstable.formulas.section import FloorRecord, RatingNumbers
from crosstable.history.record_frames import IN_ROW
from crosstable.office.ledger.postings import Posting
from crosstable.record_rows import POSTED, posted_name
from crosstable.terms import RECORD_FIELDS, PlayerRating
from tests.architecture.source import ROOT

LINE = '    abroad: Annotated[int | None, Kept(FieldKind.COUNT, "Sections abroad.")] = None\n'
AFTER = "    losses: Annotated["
USED = """
import json
from datetime import date
import numpy as np
import polars as pl
from crosstable.engine.records import numbers_of, put_numbers, with_numbers
from crosstable.formats import Reading
from crosstable.formats.event_json import read
from crosstable.formats.event_json_write import write
from crosstable.formats.columns import column_of, columns_for
from crosstable.history.archive_contents import openings_of
from crosstable.history.archive_tables import schema_of
from crosstable.history.kernel.arrays import RECORD, unrated
from crosstable.history.record_frames import IN_ROW, columns_of, lay_records
from crosstable.office import tables
from crosstable.office.bulk.due import POSTING
from crosstable.office.ledger.postings import Key, PostingKey, posting_of_standing
from crosstable.record_rows import POSTED, posted_name, rating_from, row_of
from crosstable.terms import PlayerRating, RatingSystem
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
assert with_numbers(PlayerRating(0.0), numbers_of(standing), ("abroad",)).abroad == 3

about = PostingKey("1", RatingSystem.OTBR, "e", 1)
posting = posting_of_standing(about, Key(date(2026, 1, 1), date(2026, 1, 1), "e", 1), None, standing)
assert posting.abroad == 3 and posting.standing == standing and "abroad" in POSTING
rows = pl.DataFrame([posting], schema=posting._fields, orient="row", infer_schema_length=None)
rows = rows.with_columns(as_of=pl.lit(date(2026, 1, 1)))
table = unrated(3)
assert RECORD.itemsize % 64 == 0
lay_records(table, np.array([2]), rows, {name: posted_name(name) for name in IN_ROW})
assert table["abroad"].tolist() == [0, 0, 3]
assert columns_of(table[2:])["abroad"].to_list() == [3]
put_numbers(table.view(np.recarray)[1], standing, IN_ROW)
assert table["abroad"].tolist() == [0, 3, 3]
assert "Sections abroad." in event_schema() and "Sections abroad." in record_page("")
print("followed")
"""


def test_a_field_is_one_line(tmp_path: Path) -> None:
    """A field that is added to the list is read, written, kept, replayed and documented."""
    package = tmp_path / "crosstable"
    shutil.copytree(Path(crosstable.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    text = (package / "terms.py").read_text("utf-8")
    assert text.count(AFTER) == 1
    (package / "terms.py").write_text(text.replace(AFTER, LINE + AFTER), "utf-8")
    shutil.copytree(ROOT / "tools", tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "crosstable").symlink_to(package)
    ran = subprocess.run(
        [sys.executable, "-c", USED], cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert ran.stdout == "followed\n", ran.stderr


def test_types_are_spelled_for_every_field() -> None:
    """Where attributes of a record are read, the type checker knows all of them."""
    assert {*RatingNumbers.__annotations__, *FloorRecord.__annotations__} == set(NUMBERS)
    assert {posted_name(name) for name in POSTED} < set(Posting._fields)
    assert set(IN_ROW) | {"lowered_floor"} == set(NUMBERS)


def test_every_field_says_what_it_means() -> None:
    """Every field has a meaning, and names in files and in postings are told apart."""
    assert tuple(RECORD_FIELDS) == PlayerRating._fields
    assert all(kept.meaning.endswith(".") for kept in RECORD_FIELDS.values())
    told = [kept.in_files or name for name, kept in RECORD_FIELDS.items()]
    assert len(set(told)) == len(told)
    assert len({posted_name(name) for name in POSTED}) == len(POSTED)
