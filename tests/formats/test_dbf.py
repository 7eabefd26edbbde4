"""The dBASE III container: what is read, what is refused, and what an independent library makes of what we write."""

from datetime import date
from pathlib import Path

import dbf as independent  # type: ignore[import-untyped]
import pytest

from crosstable.errors import FormatError
from crosstable.formats import dbf
from crosstable.formats.dbf import Field
from tests.formats.dbf_builder import Layout, table, with_bytes

LAYOUT: Layout = [("NAME", "C", 10), ("BORN", "D", 8), ("GAMES", "N", 4)]
ROWS = [
    {"NAME": "ANNA", "BORN": "20100203", "GAMES": "  12"},
    {"NAME": "BERT", "BORN": "", "GAMES": "   0"},
    {"NAME": "  CLEO", "BORN": "20110405"},
]
DATA = table(LAYOUT, ROWS)
START = 32 + 3 * 32 + 1
WIDTH = 1 + 10 + 8 + 4


def values(data: bytes, code_page: str = "") -> list[list[str]]:
    return [list(record.values.values()) for record in dbf.read(data, "X.DBF", code_page).records]


def refusal(data: bytes, code_page: str = "") -> tuple[str, str, str]:
    with pytest.raises(FormatError) as caught:
        dbf.read(data, "X.DBF", code_page)
    return caught.value.fault.code, caught.value.fault.place, caught.value.fault.message


def test_values_are_read_without_their_padding_whichever_side_it_is_on() -> None:
    assert values(DATA) == [["ANNA", "20100203", "12"], ["BERT", "", "0"], ["CLEO", "20110405", ""]]


def test_the_fields_are_read_with_kind_and_width() -> None:
    read = dbf.read(DATA, "X.DBF")
    assert read.fields == (Field("NAME", "C", 10), Field("BORN", "D", 8), Field("GAMES", "N", 4))
    assert [record.number for record in read.records] == [1, 2, 3]
    assert read.code_page == "ascii"
    assert not read.is_guess


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(table(LAYOUT, ROWS, head=b"\x03\x1a\x04\x04"), id="year 26 for 2026"),
        pytest.param(table(LAYOUT, ROWS, head=b"\x03\x00\x00\x00"), id="no date"),
        pytest.param(table(LAYOUT, ROWS, junk=bytes(range(1, 18)) + bytes(3)), id="junk in the reserved bytes"),
        pytest.param(table(LAYOUT, ROWS, after_fields=b"\r\0"), id="a zero after the end mark"),
        pytest.param(DATA[:-1], id="no end-of-file mark"),
        pytest.param(DATA + b"\x1a" * 40, id="end-of-file marks to the end of a block"),
        pytest.param(DATA.replace(b"NAME\0\0\0\0\0\0\0", b"name\0junk\0\0"), id="lower case and junk after a name"),
    ],
)
def test_what_writers_do_differently_is_read_alike(data: bytes) -> None:
    assert values(data) == values(DATA)


def test_a_deleted_record_keeps_its_place_and_its_mark() -> None:
    read = dbf.read(table(LAYOUT, ROWS, deleted=[2]), "X.DBF")
    assert [record.is_deleted for record in read.records] == [False, True, False]


def test_a_value_padded_with_zero_bytes_is_read() -> None:
    assert values(table([("NAME", "C", 10)], [{"NAME": b"ANNA\0\0\0\0\0\0"}])) == [["ANNA"]]


def test_a_table_without_records_is_read() -> None:
    assert values(table(LAYOUT, [])) == []


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b"", "not-readable", "no dBASE III table"),
        (b"\x83" + DATA[1:], "not-readable", "no dBASE III table"),
        (DATA[:40], "damaged-file", "ends within its header"),
        (DATA[: START + WIDTH], "damaged-file", "69 bytes of records are announced, but only 23"),
        (DATA[: START - 20], "damaged-file", "no end"),
        (DATA[: START - 1] + b" " + DATA[START:], "damaged-file", "no end"),
        (with_bytes(DATA, 4, b"\x02"), "damaged-file", "more in the file"),
        (with_bytes(DATA, 4, b"\x04"), "damaged-file", "are announced"),
        (with_bytes(DATA, 4, b"\xff\xff\xff\xff"), "damaged-file", "are announced"),
        (with_bytes(DATA, 8, b"\xff\xff"), "damaged-file", "header's length"),
        (with_bytes(DATA, 8, b"\x21\x00"), "damaged-file", "no end"),
        (with_bytes(DATA, 8, b"\x00\x00"), "damaged-file", "header's length"),
        (with_bytes(DATA, 10, b"\x18"), "damaged-file", "do not add up"),
        (with_bytes(DATA, 10, b"\x00\x00"), "damaged-file", "do not add up"),
        (with_bytes(DATA, 32 + 16, b"\x0b"), "damaged-file", "do not add up"),
        (with_bytes(DATA, 32 + 16, b"\x00"), "damaged-file", "width of 0"),
        (with_bytes(DATA, 64 + 16, b"\x09"), "damaged-file", "width of 9"),
        (with_bytes(DATA, 32 + 11, b"M"), "damaged-file", "a kind that"),
        (with_bytes(DATA, 32, b"\0AME"), "damaged-file", "no name"),
        (with_bytes(DATA, 32, b"N\xc3ME"), "damaged-file", "no name"),
        (with_bytes(DATA, 32, b"BORN"), "damaged-file", "same name"),
        (with_bytes(DATA, START, b"x"), "damaged-file", "does not begin with"),
        (DATA + b"\x1ajunk", "damaged-file", "more in the file"),
        (DATA + bytes(dbf.LARGEST_TABLE), "not-readable", "larger than 2 MB"),
        (table([("A", "C", 1)], [{}] * 10_001), "not-readable", "more than an event can have"),
        (table([(f"A{n}", "C", 1) for n in range(256)], []), "damaged-file", "no end"),
    ],
)
def test_a_table_whose_figures_disagree_is_refused(data: bytes, code: str, words: str) -> None:
    found, _, message = refusal(data)
    assert found == code
    assert words in message


def test_a_bad_record_is_named_by_its_number() -> None:
    assert refusal(with_bytes(DATA, START + WIDTH, b"x"))[1] == "X.DBF, record 2"


@pytest.mark.parametrize(
    ("raw", "page", "text"),
    [
        ("José".encode(), "utf-8", "José"),
        ("José".encode("cp1252"), "cp1252", "José"),
        (b"Jos\x81", "cp437", "Josü"),
    ],
    ids=["utf-8 first", "then Windows", "then DOS, where Windows has no letter"],
)
def test_without_a_declared_code_page_the_likeliest_that_fits_is_taken_as_a_guess(
    raw: bytes, page: str, text: str
) -> None:
    read = dbf.read(table([("NAME", "C", 10)], [{"NAME": raw}]), "X.DBF")
    assert (read.code_page, read.is_guess, read.records[0].values["NAME"]) == (page, True, text)


def test_a_declared_code_page_is_no_guess() -> None:
    """Byte 29 of the header: 1 is DOS, 3 is Windows."""
    data = table([("NAME", "C", 10)], [{"NAME": b"Jos\x82"}], junk=bytes(17) + b"\x01" + bytes(2))
    read = dbf.read(data, "X.DBF")
    assert (read.code_page, read.is_guess, read.records[0].values["NAME"]) == ("cp437", False, "José")


def test_a_chosen_code_page_stands_above_all_others() -> None:
    data = table([("NAME", "C", 10)], [{"NAME": b"Jos\xc3\xa9"}], junk=bytes(17) + b"\x01" + bytes(2))
    assert values(data, "cp1252") == [["JosÃ©"]]


@pytest.mark.parametrize("page", ["ascii", "utf-8", "klingon"])
def test_a_chosen_code_page_that_does_not_fit_is_refused(page: str) -> None:
    code, _, message = refusal(table([("NAME", "C", 10)], [{"NAME": b"Jos\xe9"}]), page)
    assert code == "not-readable"
    assert page in message


@pytest.mark.parametrize("data", [b"", b"\x03", b"PK\x03\x04" * 40, b"{}", bytes(200), b"\x03" * 200])
def test_other_bytes_do_not_look_like_a_table(data: bytes) -> None:
    assert not dbf.looks_like(data)
    assert dbf.looks_like(DATA)


FIELDS = [Field("NAME", "C", 10), Field("NOTE", "C", 255)]


def test_what_is_written_reads_back() -> None:
    rows = [{"NAME": "ANNA", "NOTE": "x" * 255}, {"NAME": "BERT"}]
    data = dbf.write("X.DBF", FIELDS, rows, date(2026, 4, 4))
    assert values(data) == [["ANNA", "x" * 255], ["BERT", ""]]


def test_what_is_written_is_what_the_layout_says_byte_for_byte() -> None:
    rows = [{"NAME": "ANNA"}, {"NAME": "BERT", "NOTE": "y"}]
    layout = [("NAME", "C", 10), ("NOTE", "C", 255)]
    assert dbf.write("X.DBF", FIELDS, rows, date(2026, 4, 4)) == table(layout, rows)


@pytest.mark.parametrize(("name", "page"), [("ANNA", "ascii"), ("José", "cp1252")], ids=["ascii", "what is not ascii"])
def test_an_independent_library_opens_what_is_written(tmp_path: Path, name: str, page: str) -> None:
    path = tmp_path / "x.dbf"
    path.write_bytes(dbf.write("X.DBF", FIELDS, [{"NAME": name, "NOTE": "x" * 255}], date(2026, 4, 4)))
    with independent.Table(str(path)) as opened:
        assert opened.codepage.name.startswith(page)
        assert opened.last_update == date(2026, 4, 4)
        assert [(row.name.strip(), row.note) for row in opened] == [(name, "x" * 255)]


def test_what_an_independent_library_writes_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.dbf"
    made = independent.Table(str(path), "name C(10); born D; games N(4,0)", codepage="cp1252")
    made.open(independent.READ_WRITE)
    made.append(("José", date(2010, 2, 3), 12))
    made.append(("BERT", None, 0))
    with made[1] as record:
        independent.delete(record)
    made.close()
    read = dbf.read(path.read_bytes(), "X.DBF")
    assert [list(record.values.values()) for record in read.records] == [["José", "20100203", "12"], ["BERT", "", "0"]]
    assert [record.is_deleted for record in read.records] == [False, True]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("A NAME TOO LONG", "'A NAME TOO LONG' has 15 characters; the field holds 10."),
        ("Ł", "'Ł', which the file cannot carry"),
        ("AN\tNA", "cannot be printed"),
        ("AN\N{RIGHT-TO-LEFT OVERRIDE}NA", "cannot be printed"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_its_place(name: str, words: str) -> None:
    with pytest.raises(FormatError) as caught:
        dbf.write("X.DBF", FIELDS, [{"NAME": "ANNA"}, {"NAME": name}], date(2026, 4, 4))
    assert caught.value.fault.place == "X.DBF, record 2, field NAME"
    assert words in caught.value.fault.message


@pytest.mark.parametrize(("day", "year"), [(date(1899, 1, 2), 0), (date(2026, 1, 2), 126), (date(2999, 1, 2), 255)])
def test_the_year_of_the_header_stays_within_its_byte(day: date, year: int) -> None:
    assert dbf.write("X.DBF", FIELDS, [], day)[1:4] == bytes([year, 1, 2])
