"""Archives: written and read back, opened lazily, walked section by section, documented."""

import json
import os
import re
import shutil
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from crosstable import __version__
from crosstable.checks.report import check_section
from crosstable.history.archive import Archive, digest, empty_table, opened, read, table_of, write
from crosstable.history.archive_contents import sections_of, unplayed_cell
from crosstable.history.archive_tables import FORMAT, OPTIONAL, TABLES, file_of, schema_of
from crosstable.terms import Background, Cell, GivenStart, OutsideRating, RatingSystem, Report, Result, SectionType
from tests.architecture.source import ROOT
from tests.documents import valid
from tests.history.small_archives import merged_archive, small_archive
from tools.archive_reports import reported

DOCUMENT = ROOT / "docs" / "archive.md"


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A folder in which the small archive was written."""
    path = str(tmp_path / "archive")
    write(small_archive(), path)
    return path


def test_what_was_written_is_read_back(folder: str) -> None:
    wrote, found = small_archive(), read(folder)
    for name in TABLES:
        assert found.tables[name].equals(wrote.tables[name]), name
        assert dict(found.tables[name].schema) == schema_of(name)
    assert found.source == {"written": "by hand"}


def test_optional_tables_and_columns_are_read_back(folder: str) -> None:
    """Written into the place of an archive without them, and the other way round."""
    wrote = merged_archive()
    write(wrote, folder)
    found = read(folder)
    for name, columns in TABLES.items():
        assert found.tables[name].equals(wrote.tables[name]), name
        assert found.tables[name].columns == [column.name for column in columns], name
    assert found.openings.equals(wrote.openings)
    write(small_archive(), folder)
    assert sorted(os.listdir(folder)) == ["archive.json", *sorted(file_of(name) for name in TABLES.keys() - OPTIONAL)]


def test_a_reader_of_the_older_shape_finds_what_it_looks_for(folder: str) -> None:
    """The seven tables with their columns, a row for every member who is rated, one opening for each system."""
    write(merged_archive(), folder)
    for name in TABLES.keys() - OPTIONAL:
        theirs = pl.read_parquet(os.path.join(folder, file_of(name))).select(*schema_of(name))
        if name == "members":  # of whom one is now known by year only
            theirs = theirs.with_columns(small_archive().members["birth_date"])
        assert theirs.equals(small_archive().tables[name]), name


def test_an_optional_column_that_says_nothing_is_left_out(folder: str) -> None:
    silent = small_archive().sections.with_columns(details=pl.lit(None, dtype=pl.String))
    write(small_archive()._replace(sections=silent), folder)
    assert read(folder).sections.equals(small_archive().sections)


def test_an_optional_file_that_the_heading_does_not_count_is_not_of_the_archive(folder: str, tmp_path: Path) -> None:
    """A program that knows only the older shape writes over the seven files and leaves others where they are."""
    before = digest(folder)
    other = str(tmp_path / "other")
    write(merged_archive(), other)
    shutil.copy(os.path.join(other, "merged.parquet"), folder)
    assert read(folder).merged.is_empty()
    assert digest(folder) == before


def test_the_heading_says_what_there_is(folder: str) -> None:
    heading = valid(json.loads(Path(folder, "archive.json").read_text("utf-8")))
    assert heading["format"] == FORMAT == "crosstable-archive/1"
    assert heading["made_by"] == f"crosstable {__version__}"
    assert heading["rows"] == {name: frame.height for name, frame in small_archive().tables.items() if frame.height}


def test_an_archive_without_any_row_is_an_archive(tmp_path: Path) -> None:
    tables: dict[str, Any] = {name: empty_table(name) for name in TABLES.keys() - OPTIONAL}
    nothing = Archive(**tables)
    write(nothing, str(tmp_path))
    assert all(frame.is_empty() for frame in read(str(tmp_path)).tables.values())
    assert list(sections_of(nothing)) == []


def test_an_archive_is_opened_without_reading_its_rows(folder: str) -> None:
    found = opened(folder)
    assert found.rows["games"] == 8
    assert found.source == {"written": "by hand"}
    rounds = found.table("games").select("round").collect()
    assert rounds["round"].to_list() == [1, 1, 2, 3, 3, 1, 2, 1]


def test_an_older_archive_is_written_over(folder: str) -> None:
    write(small_archive()._replace(source={"written": "again"}), folder)
    assert read(folder).source == {"written": "again"}


def test_a_write_that_breaks_off_leaves_no_archive(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old heading goes before the first table is touched, the new one comes after the last."""

    def breaks(*arguments: object, **more: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", breaks)
    with pytest.raises(OSError, match="no space"):
        write(small_archive(), folder)
    assert not os.path.exists(os.path.join(folder, "archive.json"))


# The digest


def test_the_digest_depends_on_the_rows_alone(folder: str, tmp_path: Path) -> None:
    again = str(tmp_path / "again")
    write(small_archive()._replace(source={"written": "elsewhere"}), again)
    assert digest(again) == digest(folder) == opened(folder).digest


@pytest.mark.parametrize("name", TABLES)
def test_the_digest_changes_with_every_table(folder: str, tmp_path: Path, name: str) -> None:
    archive = merged_archive()
    write(archive, folder)
    field = name.removeprefix("earlier_")
    tables: dict[str, Any] = {field: getattr(archive, field).tail(-1)}
    other = archive._replace(**tables)
    changed = str(tmp_path / "changed")
    write(other, changed)
    assert digest(changed) != digest(folder)


# Tables


def test_a_table_is_made_from_the_columns_that_are_known() -> None:
    made = table_of("games", {"colour": [0], "section": [1], "round": [2], "first": [3], "second": [4], "result": [2]})
    assert made.row(0) == (1, 2, 3, 4, 2, 0)
    assert dict(made.schema) == schema_of("games")
    assert table_of("entries", {"section": [0], "number": [1], "member": [0]})["unplayed"].to_list() == [None]


def test_a_table_is_not_made_without_a_column_that_is_needed() -> None:
    with pytest.raises(pl.exceptions.ColumnNotFoundError, match="second"):
        table_of("games", {"section": [1], "round": [2], "first": [3], "result": [2], "colour": [0]})


# Section by section


def test_sections_are_what_the_tables_say() -> None:
    """Every cell written out by hand from ``small_archives``."""
    swiss, match, abroad = sections_of(small_archive())
    rows = [" ".join(f"{c.result.value}{c.opponent or ''}{c.colour}" for c in e.cells) for e in swiss.section.entries]
    assert rows == ["W3w D2b N2", "W4 D1w R1", "L1b H X4", "L2 B F3"]
    assert (swiss.section.event_id, swiss.section.number, swiss.said["time_control"]) == ("202102070001", 1, "G/60;d5")
    assert swiss.section.systems == (RatingSystem.OTBR, RatingSystem.OTBQ)
    assert swiss.section.is_dual_control
    assert [entry.name for entry in swiss.section.entries[1:3]] == ["Member, Boris", "Member, C."]
    assert swiss.section.entries[3].background.given_start == GivenStart(1450.0, 5.0)
    assert match.section.kind is SectionType.MATCH
    assert [entry.member_id for entry in match.section.entries] == ["10000001", "10000002"]
    assert [entry.is_rated for entry in abroad.section.entries] == [True, False]
    assert abroad.section.entries[1].member_id == ""
    assert abroad.section.entries[1].background.fide == OutsideRating(2300.0, date(2021, 4, 1))


def test_the_cells_that_are_no_games() -> None:
    assert unplayed_cell("H") == Cell(Result.HALF_BYE, 0, "")
    assert unplayed_cell("X12") == Cell(Result.FORFEIT_WIN, 12, "")
    assert unplayed_cell("F7b") == Cell(Result.FORFEIT_LOSS, 7, "b")


def test_a_section_as_a_report_passes_the_checks_it_should() -> None:
    """The report says what the archive says: its one-sided result is told, its control is read, nothing is an error."""
    swiss = next(iter(sections_of(small_archive())))
    section = reported(swiss, lambda archived, at: Background())
    faults, checked = check_section(Report("", "", date(2021, 2, 7), date(2021, 2, 7), (section,), ""), 0)
    assert sorted(fault.code for fault in faults) == ["one-sided", "one-sided"]
    assert checked is not None
    assert checked.section.systems == swiss.section.systems
    assert checked.section.is_dual_control == swiss.section.is_dual_control
    assert checked.section.with_backgrounds(swiss.section.backgrounds).entries == swiss.section.entries


def test_several_controls_stand_in_one_text() -> None:
    match = list(sections_of(small_archive()))[1]
    assert reported(match, lambda archived, at: Background()).time_controls == ("G/90;d5", "G/60;d30")


# The page for outsiders


# Columns that a table does not share with the one whose columns it has.
_NOT_IN = {"merged": ("is_year_only",)}


def test_the_page_names_every_column_with_its_type() -> None:
    """Columns and types are taken from the page, so a change of either without the other is found."""
    words = {"text": pl.String, "date": pl.Date, "boolean": pl.Boolean, "float64": pl.Float64, "int32": pl.Int32}
    words |= {"uint8": pl.UInt8, "uint16": pl.UInt16, "uint32": pl.UInt32}
    parts = re.split(r"^## ", DOCUMENT.read_text("utf-8"), flags=re.MULTILINE)
    tables = {part.splitlines()[0]: part for part in parts}
    for name, columns in TABLES.items():
        same = re.search(r"^The columns of `(\w+)`", tables[name], flags=re.MULTILINE)
        text = tables[name] if same is None else tables[same[1]] + tables[name]
        documented = re.findall(r"^\| `(\w+)` \| (\w+)(\??)( optional)? \|", text, flags=re.MULTILINE)
        found = [(column, words[kind](), bool(null), bool(more)) for column, kind, null, more in documented]
        assert [one for one in found if one[0] not in _NOT_IN.get(name, ())] == [tuple(column) for column in columns]


def test_the_python_of_the_page_reads_the_tables(folder: str) -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```$", DOCUMENT.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    named: dict[str, Any] = {}
    exec(block.replace("ARCHIVE", folder), named)
    assert named["games"].equals(small_archive().games)


def test_the_files_are_the_ones_that_the_page_names(folder: str) -> None:
    write(merged_archive(), folder)
    assert sorted(os.listdir(folder)) == sorted(["archive.json", *(file_of(name) for name in TABLES)])
