"""TRFs that are old, foreign, slipped, damaged or hostile: read exactly, or with a fault that names the place."""

import re

import pytest

from crosstable.errors import FormatError
from crosstable.formats import Reading, trf, trf_write
from crosstable.formats.trf_heading import LARGEST_FILE, MOST_FAULTS, MOST_LINES
from tests.formats.mutations import Shape, must_read_or_refuse, mutations
from tests.formats.test_trf_write import FULL
from tests.formats.trf_samples import FILE, columns, errors, file, player, players, quad, read, without_places


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_every_kind_of_line_end_gives_the_same_report(end: str) -> None:
    plain = trf.read(file(*quad()), FILE)
    assert trf.read(file(*quad(), end=end), FILE) == plain


def test_trailing_blanks_tabs_empty_lines_and_an_end_mark_change_nothing() -> None:
    plain = read(*quad())
    assert trf.read(file(*(f"{line}  \t " for line in quad()), "", "", "\x1a"), FILE) == plain
    assert trf.read(file(*quad()).rstrip(), FILE) == plain
    assert trf.read(b"\xef\xbb\xbf" + file(*quad()), FILE) == plain


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "cp1252"])
def test_columns_are_counted_in_characters_in_every_encoding(encoding: str) -> None:
    line = player({15: "Müller-Ångström, Zoë", 49: "1800", 92: "   2 w 1"})
    (found,) = players(trf.read(file("022 Málaga", line, encoding=encoding), FILE).report)
    assert found.name == "Müller-Ångström, Zoë"
    assert found.background.fide is not None
    assert found.cells[0].text == "2 w 1"


def test_letters_of_windows_are_not_control_characters() -> None:
    reading = trf.read(file(player({15: "Žižek, Šime"}), encoding="cp1252"), FILE)
    assert reading.faults == ()
    assert players(reading.report)[0].name == "Žižek, Šime"


def test_a_hard_blank_is_a_blank() -> None:
    reading = trf.read(file(player({15: "Adams,\u00a0Ann"})), FILE)
    assert reading.faults == ()
    assert players(reading.report)[0].name == "Adams, Ann"


def test_utf_16_is_refused_with_what_to_do() -> None:
    for encoding in ("utf-16-le", "utf-16-be"):
        bom = "\ufeff".encode(encoding)
        with pytest.raises(FormatError) as refusal:
            trf.read(bom + file(*quad(), encoding=encoding), FILE)
        assert refusal.value.fault.remedy == "Save it as UTF-8."


@pytest.mark.parametrize(
    ("bad", "column"),
    [("\0", 20), ("\x1b", 20), ("\u202e", 20), ("\u2066", 20), ("\x07", 20), ("\t", 20), ("\x85", 20)],
)
def test_characters_that_nobody_can_see_in_a_name_are_faults(bad: str, column: int) -> None:
    reading = read(player({15: f"Adams{bad}Ann"}))
    assert errors(reading) == [("bad-value", f"line 1, column {column}")]
    assert players(reading.report)[0].name == "Adams\N{REPLACEMENT CHARACTER}Ann"


def test_a_tab_in_a_tournament_line_is_a_blank() -> None:
    reading = read("022 New\tYork", player({}))
    assert reading.faults == ()
    assert reading.report.details["city"] == "New York"


@pytest.mark.parametrize("column", [9, 14, 48, 53, 57, 69, 80, 85, 90, 91])
def test_every_column_between_fields_must_be_blank(column: int) -> None:
    line = player({})
    slipped = f"{line:<{column - 1}}"[: column - 1] + "x" + f"{line:<{column}}"[column:]
    reading = read(slipped)
    assert errors(reading) == [("bad-value", f"line 1 (player 1), column {column} (between two fields)")]


@pytest.mark.parametrize("column", [96, 98, 100, 101, 106, 108, 110, 111])
def test_every_column_between_the_parts_of_a_round_must_be_blank(column: int) -> None:
    line = f"{player({92: '   2 w 1', 102: '   3 b 0'}):<111}"
    reading = read(line[: column - 1] + "x" + line[column:])
    round_number = (column - 92) // 10 + 1
    assert errors(reading) == [("bad-value", f"line 1 (player 1), column {column} (round {round_number})")]


@pytest.mark.parametrize(
    ("fields", "code", "place"),
    [
        ({5: "  1x"}, "wrong-type", "line 1, columns 5-8 (starting rank)"),
        ({5: "    "}, "missing-field", "line 1, columns 5-8 (starting rank)"),
        ({5: "0000"}, "missing-field", "line 1, columns 5-8 (starting rank)"),
        ({5: "   ²"}, "wrong-type", "line 1, columns 5-8 (starting rank)"),
        ({15: " "}, "missing-field", "line 1 (player 1), columns 15-47 (name)"),
        ({49: "18x0"}, "wrong-type", "line 1 (player 1), columns 49-52 (FIDE rating)"),
        ({49: "-100"}, "wrong-type", "line 1 (player 1), columns 49-52 (FIDE rating)"),
        ({49: "4001"}, "bad-value", "line 1 (player 1), columns 49-52 (FIDE rating)"),
        ({70: "1990/02/29"}, "bad-date", "line 1 (player 1), columns 70-79 (birth date)"),
        ({70: "yesterday"}, "bad-date", "line 1 (player 1), columns 70-79 (birth date)"),
        ({81: "-1.0"}, "bad-value", "line 1 (player 1), columns 81-84 (points)"),
        ({81: "1..5"}, "bad-value", "line 1 (player 1), columns 81-84 (points)"),
        ({86: "1st"}, "wrong-type", "line 1 (player 1), columns 86-89 (rank)"),
        ({92: " 2x4 w 1"}, "bad-value", "line 1 (player 1), columns 92-95 (round 1)"),
        ({92: "1  2 w 1"}, "bad-value", "line 1 (player 1), columns 92-95 (round 1)"),
        ({92: "   ² w 1"}, "bad-value", "line 1 (player 1), columns 92-95 (round 1)"),
        ({102: "   2 x 1"}, "bad-value", "line 1 (player 1), column 107 (round 2)"),
    ],
)
def test_a_field_that_cannot_be_read_is_a_fault_with_line_and_column(
    fields: dict[int, str], code: str, place: str
) -> None:
    reading = read(player(fields))
    assert errors(reading) == [(code, place)]
    assert len(players(reading.report)) == 1


def test_a_cell_that_cannot_be_read_has_no_result() -> None:
    (cell,) = players(read(player({92: " 2x4 w 1"})).report)[0].cells
    assert (cell.text, cell.result, cell.opponent, cell.colour) == ("2x4 w 1", None, 0, "")


def test_names_padded_by_bytes_are_found_by_their_slipped_columns() -> None:
    """Programs that count bytes of UTF-8 put everything after an accented name too far left."""
    slipped = player({15: "Müller, Jürgen", 92: "   2 w 1"}).replace("Jürgen  ", "Jürgen")
    assert errors(read(slipped)) == [("bad-value", "line 1 (player 1), columns 92-95 (round 1)")]


@pytest.mark.parametrize(
    "line", ["   2 w 1", "001x  1", "0x1 something", "usa    1", "26 w 1", "XXR5", "\N{EM DASH}" * 4]
)
def test_a_line_that_begins_no_record_is_an_error(line: str) -> None:
    reading = read(*quad(line))
    assert errors(reading) == [("bad-value", "line 19, columns 1-4 (kind of record)")]


@pytest.mark.parametrize("code", ["002", "101", "011", "000"])
def test_a_player_line_with_a_damaged_code_is_not_passed_over(code: str) -> None:
    lines = [line for line in quad() if not line.startswith("062")]
    lines[-1] = code + lines[-1][3:]
    assert errors(read(*lines)) == [("bad-value", "line 17, columns 1-3 (kind of record)")]


def test_a_line_with_more_rounds_than_a_trf_can_have_is_cut_with_a_fault() -> None:
    reading = read(columns({1: "001", 5: "   1", 15: "Adams, Ann", 92: "   2 w 1  " * 1000}))
    assert errors(reading) == [("bad-value", "line 1 (player 1)")]
    assert len(players(reading.report)[0].cells) == 999


def test_a_line_longer_than_any_record_is_cut_with_a_fault() -> None:
    reading = read(player({}), "013 " + " " * 12_000 + "1")
    assert errors(reading) == [("bad-value", "line 2")]


def _code_of_refusal(data: bytes) -> str:
    with pytest.raises(FormatError) as refusal:
        trf.read(data, FILE)
    return refusal.value.fault.code


def test_a_file_that_is_too_large_or_has_too_many_lines_players_or_faults_is_refused() -> None:
    assert _code_of_refusal(b"012 " + b" " * LARGEST_FILE) == "not-readable"
    assert _code_of_refusal(b"001    1      A\n" * 10_000) == "damaged-file"
    assert _code_of_refusal(file(player({}), *["?"] * (MOST_FAULTS + 1))) == "damaged-file"
    assert _code_of_refusal(file(player({}), *["112 A"] * MOST_LINES)) == "damaged-file"
    many_kinds = (f"{number} x" for number in range(400, 800))
    letters = (
        f"Q{first}{second} x" for first in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for second in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    )
    assert _code_of_refusal(file(player({}), *many_kinds, *letters)) == "damaged-file"


def test_the_largest_file_is_read_in_time_and_memory() -> None:
    rounds = {92 + 10 * at: f"{at * 37 + 1:>4} w 1" for at in range(28)}
    rows = [columns({1: "001", 5: f"{number:>4}", 15: "A", **rounds}) for number in range(1, 10_000)]
    data = file(*rows)
    assert LARGEST_FILE * 0.9 < len(data) <= LARGEST_FILE
    reading = trf.read(file(*quad()), FILE)
    large = must_read_or_refuse(_read, reading, data, _stated)
    assert large is not None
    assert len(players(large.report)) == 9999


def _read(data: bytes) -> Reading:
    return trf.read(data, FILE)


def _stated(data: bytes) -> Shape:
    """One section, and a player for every line that begins with 001."""
    lines = re.split(rb"\r\n|\r|\n", data.removeprefix(b"\xef\xbb\xbf"))
    return Shape(1, sum(line.startswith(b"001") for line in lines))


@pytest.mark.parametrize(
    ("data", "seed"),
    [
        (file(*quad()), 16),
        (file(*FULL, end="\r\n"), 26),
        (trf_write.write(_read(file(*FULL)).report), 2026),
        (file(*(line.replace("Ann", "Åsa") for line in FULL), end="\r", encoding="latin-1"), 1252),
    ],
    ids=["TRF16", "TRF26", "written", "Latin-1"],
)
def test_no_damage_makes_the_reader_fail_or_miscount(data: bytes, seed: int) -> None:
    original = _read(data)
    for mutated in mutations(data, seed):
        trf.looks_like(mutated)
        reading = must_read_or_refuse(_read, original, mutated, _stated)
        if reading is not None and not errors(reading):
            _must_be_the_same_again(reading)


def _must_be_the_same_again(reading: Reading) -> None:
    """What was read without an error can be written, and reads as the same; or does not fit and says so."""
    again = trf.read(trf_write.write(reading.report), FILE)
    assert without_places(again.report) == without_places(reading.report)
