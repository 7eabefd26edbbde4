"""Published lists as files: all six systems side by side, with the heading by which a list can be checked.

Ratings, games and marks on the lists are those that ``supplements`` froze; what is tested here is how they are written
(official facts §4): one file with full name, all six ratings and the FIDE id.
"""

import csv
import io
import sys
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import polars
import pytest
from python_calamine import CalamineWorkbook

from crosstable.errors import FormatError, OfficeError
from crosstable.formats import dbf
from crosstable.formats.rating_lists import opened
from crosstable.office.database import Office
from crosstable.office.list_files import (
    ListTable,
    columns,
    list_csv,
    list_dbf,
    list_parquet,
    list_table,
    list_text,
    list_tsv,
    list_xlsx,
    top_csv,
    top_parquet,
    top_text,
    top_xlsx,
)
from crosstable.office.published import Month
from crosstable.office.supplements import Basis, publish, supplements
from crosstable.office.top_lists import TopList, TopRow
from crosstable.terms import PlayerRating, RatingSystem
from tests.engine.wallcharts import Played
from tests.office.conftest import CopyOf
from tests.office.made_office import AUTHOR, enter, join, member_id, opening, person, quad, run

MONTH = "2026-12"
HOSTILE = "=cmd|' /C calc'!A0\u202egnp.exe\x07"


def fill(office: Office) -> None:
    """Three members with ratings in several systems, one unrated, one with a name that would do harm; a list."""
    people = [
        person(1, state="NY", fide_id="2000001", birth_date=date(1980, 1, 1)),
        person(2, state="NJ"),
        person(3)._replace(name=HOSTILE, state="@x", fide_id="-1"),
        person(4),
    ]
    openings = [
        opening(1, 1641.5, 17.0),
        opening(1, 1794.49, 120.0, system=RatingSystem.OTBQ),
        opening(1, 1200.0, 3.0, system=RatingSystem.OTBB),
        opening(2, 2001.2, None, system=RatingSystem.OLB),
        opening(3, 1500.0, 8.5),
    ]
    join(office, people, openings)
    run(office)
    publish(office, AUTHOR, Month(2026, 12), Basis.NOW)


@pytest.fixture
def listed(copy_of: CopyOf) -> Office:
    return copy_of(fill)


@pytest.fixture
def table(listed: Office) -> ListTable:
    with listed.reading() as connection:
        return list_table(connection, MONTH)


def sheet(data: bytes, name: str) -> list[list[object]]:
    return [list(row) for row in CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_name(name).to_python()]


def test_a_row_per_member_with_all_six_systems(table: ListTable) -> None:
    """1641.5 is published as 1642, halves up; 3 games are not published (official facts §3)."""
    rows = list(csv.DictReader(io.StringIO(list_csv(table).decode("utf-8-sig"))))
    assert list(rows[0]) == columns()
    by_id = {row["member_id"]: row for row in rows}
    assert by_id.keys() == {member_id(1), member_id(2), member_id(3)}
    one = by_id[member_id(1)]
    assert (one["name"], one["state"], one["fide_id"]) == ("Member, Boris 1", "NY", "2000001")
    assert (one["OTBR_rating"], one["OTBR_games"], one["OTBR_provisional"]) == ("1642", "17", "P")
    assert (one["OTBQ_rating"], one["OTBQ_games"], one["OTBQ_provisional"]) == ("1794", "120", "")
    assert (one["OTBB_rating"], one["OTBB_games"], one["OTBB_provisional"]) == ("", "", "")
    two = by_id[member_id(2)]
    assert (two["OLB_rating"], two["OLB_games"]) == ("2001", "")  # established, the count is not known
    assert by_id[member_id(3)]["OTBR_games"] == "8.5"


@pytest.mark.parametrize(("form", "name"), [(list_dbf, "TARATSUP.DBF"), (list_tsv, "RS2612T.TXT")])
def test_pairing_programs_load_the_list(
    table: ListTable, form: Callable[[ListTable], bytes], name: str, tmp_path: Path
) -> None:
    """Read by our reader of those files: whole numbers, games behind provisional ratings, no memberships."""
    path = tmp_path / name
    path.write_bytes(form(table))
    found = opened(str(path)).of([member_id(number) for number in (1, 2, 3, 4)])
    assert found.faults == ()
    assert found.backgrounds[member_id(1)].standings == {
        RatingSystem.OTBR: PlayerRating(1642.0, 17.0),
        RatingSystem.OTBQ: PlayerRating(1794.0),
    }
    assert found.backgrounds[member_id(2)].standings == {RatingSystem.OLB: PlayerRating(2001.0)}
    assert (found.names[member_id(1)], found.details[member_id(1)].state) == ("Member, Boris 1", "NY")
    assert found.details[member_id(1)].member_until is None
    if form is list_dbf:
        assert found.details[member_id(1)].fide_id == "2000001"
        fields = dbf.layout(path.read_bytes(), name)[0]
        assert [fields[at].name for at in (0, 1, 2, 7, 10)] == [
            *("MEM_ID", "MEM_NAME", "EXPIRED", "R_LPB_RAT", "Q_LPB_RAT"),
        ]


def test_no_cell_of_a_sheet_begins_a_formula(table: ListTable) -> None:
    """OWASP's rule against formulas in cells: such cells are quoted, control and direction characters are escaped."""
    for rows in (
        list(csv.reader(io.StringIO(list_csv(table).decode("utf-8-sig")))),
        sheet(list_xlsx(table), "ratings"),
    ):
        cells = [cell for row in rows for cell in row if isinstance(cell, str)]
        assert any("calc" in cell for cell in cells)
        assert not [cell for cell in cells if cell[:1] in ("=", "+", "-", "@", "\t", "\r")]
        assert all(cell.isprintable() for cell in cells)
        assert any("\\u202e" in cell and "\\u0007" in cell for cell in cells)
    assert all(line.isprintable() for line in list_text(table).splitlines())


def test_the_workbook_holds_numbers_as_numbers_and_the_heading(table: ListTable) -> None:
    made = list_xlsx(table)
    rows = sheet(made, "ratings")
    one = next(row for row in rows if row[0] == member_id(1))
    assert one[rows[0].index("OTBR_rating")] == 1642.0
    assert dict(sheet(made, "about")[1:]) == dict(table.heading)  # type: ignore[arg-type, unused-ignore]
    assert made == list_xlsx(table)  # the same list, the same bytes
    assert zipfile.ZipFile(io.BytesIO(made)).testzip() is None


def test_parquet_has_typed_columns_and_the_heading(table: ListTable) -> None:
    made = list_parquet(table)
    frame = polars.read_parquet(io.BytesIO(made))
    assert frame.columns == columns()
    assert frame.schema["OTBR_rating"] == polars.Int64
    assert frame.schema["OTBR_games"] == polars.Float64
    row = frame.row(by_predicate=polars.col("member_id") == member_id(1), named=True)
    assert (row["OTBR_rating"], row["OTBR_games"], row["OTBB_rating"]) == (1642, 17.0, None)
    kept = polars.read_parquet_metadata(io.BytesIO(made))
    assert {name: kept[name] for name, _ in table.heading} == dict(table.heading)


def test_the_text_shows_ratings_as_the_field_does(table: ListTable) -> None:
    """Official facts §4: 1641P17, 1794, Unrated."""
    text = list_text(table)
    (line,) = (line for line in text.splitlines() if member_id(1) in line)
    assert line.split()[-6:] == ["1642P17", "1794", "Unrated", "Unrated", "Unrated", "Unrated"]
    assert "1500P8.5" in text


def test_the_heading_names_month_basis_cut_off_rows_digest_and_head(listed: Office, table: ListTable) -> None:
    with listed.reading() as connection:
        (one,) = supplements(connection)
    heading = dict(table.heading)
    assert heading["month"] == MONTH
    assert heading["basis"].startswith("now")
    assert heading["ratings"] == str(one.rows) == "4"
    assert (heading["digest"], heading["head of the record"]) == (one.digest, one.head)
    text = list_text(table)
    assert all(f"{name}: {value}" in text for name, value in table.heading)


def test_a_list_stays_what_it_was_when_members_change(listed: Office) -> None:
    """The FIDE id is the one that was known when the list was published."""
    with listed.reading() as connection:
        before = list_csv(list_table(connection, MONTH))
    join(listed, [person(1, state="CT", fide_id="999")._replace(name="Renamed, Now")])
    enter(
        listed, quad("later", Played(start=date(2026, 10, 1)), "1 | W2 D3 W4\n2 | L1 L4 L3\n3 | L4 D1 W2\n4 | W3 W2 L1")
    )
    run(listed)
    with listed.reading() as connection:
        assert list_csv(list_table(connection, MONTH)) == before


def test_a_month_without_a_list_is_an_error(listed: Office) -> None:
    with listed.reading() as connection, pytest.raises(OfficeError, match="2026-11 is not published"):
        list_table(connection, "2026-11")


def test_a_top_list_in_every_form() -> None:
    rows = (
        TopRow(1, "7", "+Plus", "NY", 2201, 40.0, False),
        TopRow(1, "8", "Equal", "", 2201, None, False),
        TopRow(3, "9", "New", "", 2100, 12.0, True),
    )
    top = TopList("Top 3, Regular", MONTH, "ab" * 32, rows)
    table = list(csv.DictReader(io.StringIO(top_csv(top).decode("utf-8-sig"))))
    assert [row["rank"] for row in table] == ["1", "1", "3"]
    assert table[0]["name"] == "'+Plus"
    assert [row[4] for row in sheet(top_xlsx(top), "ratings")[1:]] == [2201.0, 2201.0, 2100.0]
    assert polars.read_parquet(io.BytesIO(top_parquet(top)))["rank"].to_list() == [1, 1, 3]
    assert "2100P12" in top_text(top)
    assert "ab" * 32 in top_text(top)


@pytest.mark.parametrize(
    ("library", "write"), [("xlsxwriter", top_xlsx), ("polars", top_parquet)], ids=["workbook", "Parquet"]
)
def test_a_missing_library_is_named(
    monkeypatch: pytest.MonkeyPatch, library: str, write: Callable[[TopList], bytes]
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(FormatError, match="which is not installed"):
        write(TopList("Top", MONTH, "", ()))
