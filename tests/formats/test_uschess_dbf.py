"""Reading a rating report of format 2C: every field, every sum, every fault with its place."""

from collections.abc import Mapping
from datetime import date

import pytest

from crosstable.errors import FormatError, Severity
from crosstable.formats import Reading, uschess_dbf
from crosstable.terms import ReportedCell, ReportedPlayer, ReportedSection, Result, SectionType
from tests.formats.dbf_builder import table
from tests.formats.uschess_event import (
    EVENT,
    PLAYERS,
    SECTION,
    SECTIONS,
    event_row,
    one_section,
    player_layout,
    player_row,
    section_row,
    tables,
)


def read(files: Mapping[str, bytes]) -> Reading:
    return uschess_dbf.read(files, "spring")


def clean(files: Mapping[str, bytes]) -> tuple[ReportedSection, ...]:
    reading = read(files)
    assert reading.faults == ()
    return reading.report.sections


def faults(files: Mapping[str, bytes]) -> list[tuple[str, str, str]]:
    return [(found.code, found.place, found.message) for found in read(files).faults]


def refusal(files: Mapping[str, bytes]) -> tuple[str, str]:
    with pytest.raises(FormatError) as caught:
        read(files)
    return caught.value.fault.code, caught.value.fault.message


def player(files: Mapping[str, bytes], number: int = 1) -> ReportedPlayer:
    return clean(files)[0].players[number - 1]


def with_player(number: int, **changes: str | bytes) -> dict[str, bytes]:
    """The event with one player of section 1 changed."""
    rows = [{**row, **changes} if at == number else row for at, row in enumerate(PLAYERS, 1)]
    return tables(players=rows)


def with_section(number: int, **changes: str) -> dict[str, bytes]:
    return tables(sections=[{**row, **changes} if at == number else row for at, row in enumerate(SECTIONS, 1)])


def test_the_event_is_read() -> None:
    report = read(tables(event_row(H_EVENT_ID="202604050012"))).report
    assert (report.event_id, report.name, report.place) == ("202604050012", "Spring Open", "spring")
    assert (report.start, report.end) == (date(2026, 4, 4), date(2026, 4, 5))
    assert report.details == {
        "format_version": "2C",
        "program": "SWISSSYS11",
        "affiliate": "A1234567",
        "city": "Springfield",
        "state": "OR",
        "zip": "97000",
        "country": "USA",
        "send_crosstable": "N",
        "chief_td": "20000001",
        "assistant_td": "20000002",
        "other_tds": "20000003,20000004",
    }


def test_the_sections_are_read() -> None:
    first, second = clean(tables())
    assert (first.number, first.name, first.kind) == (1, "Section 1", SectionType.SWISS)
    assert (first.time_controls, first.systems, first.is_online) == (("G/60;d5",), (), False)
    assert (first.start, first.end) == (date(2026, 4, 4), date(2026, 4, 5))
    assert first.details == {
        "system_code": "R",
        "chief_td": "20000001",
        "type_code": "S",
        "rounds": "3",
        "last_pair": "4",
        "scholastic_level": "N",
        "grand_prix": "N",
        "grand_prix_points": "10",
        "fide": "N",
    }
    assert (second.start, second.end) == (None, None), "blank dates fall back to the event's"
    assert second.details["system_code"] == "D", "the code is kept but decides nothing"
    assert second.systems == ()


def test_the_players_are_read_with_their_places() -> None:
    first = clean(tables())[0].players[0]
    assert (first.number, first.member_id, first.name, first.state) == (1, "30000101", "PLAYER, A", "OR")
    assert first.pairing_rating == 1951.0
    assert first.background.standings == {}, "the rating used for pairing is no standing"
    assert first.place == "TDEXPORT.DBF, record 1 (section 1, pairing number 1)"
    assert clean(tables())[1].place == "TSEXPORT.DBF, record 2 (section 2)"


def test_cells_are_letter_opponent_and_colour() -> None:
    found = [cell for row in clean(tables())[0].players for cell in row.cells]
    assert [(cell.result, cell.opponent, cell.colour) for cell in found] == [
        *((Result.WIN, 4, "b"), (Result.WIN, 2, "w"), (Result.DRAW, 3, "b")),
        *((Result.WIN, 3, "w"), (Result.LOSS, 1, "b"), (Result.HALF_BYE, 0, "")),
        *((Result.LOSS, 2, "b"), (Result.FORFEIT_WIN, 0, ""), (Result.DRAW, 1, "w")),
        *((Result.LOSS, 1, "w"), (Result.FORFEIT_LOSS, 0, ""), (Result.UNPAIRED, 0, "")),
    ]


def test_a_shorter_section_is_trimmed_to_its_rounds() -> None:
    assert [[cell.result for cell in row.cells] for row in clean(tables())[1].players] == [
        [Result.WIN, Result.FULL_BYE],
        [Result.LOSS, Result.DRAW],
        [Result.FORFEIT_DRAW, Result.DRAW],
    ]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("N2W", (Result.WIN_ONE_SIDED, 2, "w")),
        ("R2", (Result.DRAW_ONE_SIDED, 2, "")),
        ("S2B", (Result.LOSS_ONE_SIDED, 2, "b")),
        ("W   2W", (Result.WIN, 2, "w")),
        ("w2b", (Result.WIN, 2, "b")),
        ("*", (Result.OWN_COLUMN, 0, "")),
        ("", (Result.BLANK, 0, "")),
        ("Q2W", (None, 0, "")),
        ("Z2W", (Result.FORFEIT_DRAW, 2, "w")),
        ("Y2W", (None, 0, "")),
        ("W2X", (None, 0, "")),
    ],
)
def test_other_cells_are_read_or_left_unknown(cell: str, expected: tuple[Result | None, int, str]) -> None:
    rows = [player_row("1", "1", "x", D_RND01=cell), player_row("1", "2", "L1B")]
    section = section_row("1", "2", S_TOT_RNDS="1")
    found = clean(tables(event_row(H_TOT_SECT="1"), [section], rows, 1))[0].players[0].cells[0]
    assert (found.result, found.opponent, found.colour) == expected


def test_an_unknown_member_is_nobody() -> None:
    section = clean(tables())[0]
    assert [row.member_id for row in section.players] == ["30000101", "30000102", "", ""]
    assert [row.pairing_rating for row in section.players] == [1951.0, 1500.0, 1500.0, None]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("S", SectionType.SWISS),
        ("R", SectionType.ROUND_ROBIN),
        ("M", SectionType.MATCH),
        ("C", SectionType.SWISS),
        ("2", SectionType.SWISS),
        ("O", SectionType.SWISS),
        ("", SectionType.SWISS),
    ],
)
def test_the_type_is_read_and_its_code_kept(code: str, kind: SectionType) -> None:
    (section,) = clean(one_section(["W2W", "L1B"], 1, S_TRN_TYPE=code))
    assert section.kind is kind
    assert section.details.get("type_code", "") == code
    assert "games_per_round" not in section.details


def test_the_columns_of_a_round_robin_are_opponents_where_they_hold_games() -> None:
    """A quad: three rounds, four columns, the own one unplayed."""
    quad = ["U0 W2W W3B D4W", "L1B U0 W3W W4B", "L1W L2B U0 W4W", "D1B L2W L3B U0"]
    (section,) = clean(one_section(quad, 3, S_TRN_TYPE="R"))
    assert section.kind is SectionType.ROUND_ROBIN
    assert [len(row.cells) for row in section.players] == [4, 4, 4, 4]
    assert section.details["rounds"] == "3"


def test_the_rounds_of_a_round_robin_are_rounds_where_the_columns_end_with_them() -> None:
    quad = ["W2W W3B D4W U0", "L1B W4W W3B U0", "W4B L1W L2W U0", "L3W L2B D1B U0"]
    (section,) = clean(one_section(quad, 3, S_TRN_TYPE="R"))
    assert [len(row.cells) for row in section.players] == [3, 3, 3, 3]


def test_a_member_may_play_in_two_sections_and_enter_one_of_them_twice() -> None:
    rows = [{**row, "D_MEM_ID": "30000101"} if at in (4, 5) else row for at, row in enumerate(PLAYERS, 1)]
    sections = clean(tables(players=rows))
    assert [row.member_id for row in sections[0].players].count("30000101") == 2
    assert sections[1].players[0].member_id == "30000101"


def test_dates_may_be_of_the_kind_date() -> None:
    layout = [(name, "D" if name.endswith("_DATE") else kind, size) for name, kind, size in EVENT]
    files = {**tables(), "THEXPORT.DBF": table(layout, [event_row()])}
    assert read(files) == read(tables())


def test_numbers_may_stand_at_the_right_of_their_fields() -> None:
    rows = [
        {**row, "D_SEC_NUM": f" {row['D_SEC_NUM']!s}", "D_PAIR_NUM": f"   {row['D_PAIR_NUM']!s}"} for row in PLAYERS
    ]
    assert [len(section.players) for section in clean(tables(players=rows))] == [4, 3]


def test_one_version_writes_a_narrower_field_for_the_other_directors() -> None:
    layout = [(name, kind, 254 if name == "H_OTHER_TD" else size) for name, kind, size in EVENT]
    assert read({**tables(), "THEXPORT.DBF": table(layout, [event_row()])}) == read(tables())


def test_a_time_control_round_by_round_is_split() -> None:
    sections = clean(with_section(1, S_TIMECTL="Rd 1: G/45;d5, Rd 2: G/60;d5"))
    assert sections[0].time_controls == ("G/45;d5", "G/60;d5")
    assert clean(with_section(1, S_TIMECTL=""))[0].time_controls == ()


def test_a_tabulator_after_the_comma_of_a_name_is_tidied() -> None:
    assert player(with_player(1, D_NAME="PLAYER,\tANNA")).name == "PLAYER, ANNA"
    assert player(with_player(1, D_NAME="PLAYER,  ANNA")).name == "PLAYER,  ANNA"


@pytest.mark.parametrize("name", [b"AN\0NA", b"AN\x1b[2JNA", b"ANNA\tB", b"AN\xe2\x80\xaeNA", b"PLAYER,\tAN\x07NA"])
def test_a_control_character_in_a_name_is_a_fault(name: bytes) -> None:
    reading = read(with_player(2, D_NAME=name))
    (found,) = [found for found in reading.faults if found.severity is Severity.ERROR]
    assert (found.code, found.place) == (
        "bad-value",
        "TDEXPORT.DBF, record 2 (section 1, pairing number 2), field D_NAME",
    )
    assert reading.report.sections[0].players[1].name.isprintable()


def test_a_hard_blank_is_a_blank() -> None:
    reading = read(with_player(1, D_NAME="PLAYER,\N{NO-BREAK SPACE}A".encode("cp1252")))
    assert reading.report.sections[0].players[0].name == "PLAYER, A"


def test_a_guessed_code_page_is_a_warning() -> None:
    reading = read(with_player(1, D_NAME="GARCÍA, JOSÉ".encode("cp1252")))
    assert reading.report.sections[0].players[0].name == "GARCÍA, JOSÉ"
    assert [(found.severity, found.place) for found in reading.faults] == [(Severity.WARNING, "TDEXPORT.DBF")]
    assert "cp1252" in reading.faults[0].message


def test_a_chosen_code_page_is_none() -> None:
    files = with_player(1, D_NAME="MÜLLER, JOSÉ".encode("cp437"))
    reading = uschess_dbf.read(files, "spring", "cp437")
    assert reading.report.sections[0].players[0].name == "MÜLLER, JOSÉ"
    assert reading.faults == ()


@pytest.mark.parametrize(
    "names", [("c.dbf", "b.dbf", "a.dbf"), ("tdexport.dbf", "thexport.dbf", "tsexport.dbf"), ("1", "2", "3")]
)
def test_the_tables_are_known_by_content_whatever_they_are_called(names: tuple[str, str, str]) -> None:
    files = dict(zip(names, tables().values(), strict=True))
    assert len(clean(files)) == 2
    assert clean(dict(reversed(files.items())))[0].place.startswith(names[1])


def test_a_file_name_is_shown_without_its_folder_and_its_tricks() -> None:
    files = dict(zip(["../../x/THE.DBF", "C:\\TS\x1b.DBF", "\0"], tables().values(), strict=True))
    sections = clean(files)
    assert sections[0].place == "TS.DBF, record 1 (section 1)"
    assert sections[0].players[0].place.startswith("a file without a name, record 1")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("THEXPORT.DBF", "THEXPORT.DBF (the event) cannot be found"),
        ("TSEXPORT.DBF", "TSEXPORT.DBF (the sections) cannot be found"),
        ("TDEXPORT.DBF", "TDEXPORT.DBF (the players) cannot be found"),
    ],
)
def test_a_missing_table_is_named(name: str, words: str) -> None:
    files = tables()
    del files[name]
    assert refusal(files)[0] == "not-readable"
    assert words in refusal(files)[1]


def test_a_table_that_is_there_twice_is_refused() -> None:
    files = tables()
    code, message = refusal({**files, "TDEXPORT2.DBF": files["TDEXPORT.DBF"]})
    assert code == "not-readable"
    assert "TDEXPORT2.DBF and TDEXPORT.DBF both list the players" in message


def test_another_table_is_left_out_with_a_warning() -> None:
    other = table([("MEMBER", "C", 8)], [{"MEMBER": "1"}])
    assert [found[:2] for found in faults({**tables(), "OTHER.DBF": other})] == [("ignored-record", "OTHER.DBF")]


def test_a_damaged_table_is_refused() -> None:
    files = tables()
    assert refusal({**files, "TDEXPORT.DBF": files["TDEXPORT.DBF"][:-200]})[0] == "damaged-file"


def test_the_old_layout_is_refused() -> None:
    layout = [*player_layout(3), ("D_REC_SEQ", "C", 1)]
    code, message = refusal({**tables(), "TDEXPORT.DBF": table(layout, PLAYERS)})
    assert code == "not-readable"
    assert "1990s" in message


@pytest.mark.parametrize(("count", "words"), [(0, "it lists 0"), (2, "it lists 2")])
def test_a_report_of_no_event_or_of_two_is_refused(count: int, words: str) -> None:
    files = {**tables(), "THEXPORT.DBF": table(EVENT, [event_row()] * count)}
    assert words in refusal(files)[1]


def test_a_hundred_sections_are_refused() -> None:
    files = {**tables(), "TSEXPORT.DBF": table(SECTION, [section_row("1", "1")] * 100)}
    assert "100 sections" in refusal(files)[1]


def test_another_format_number_is_a_fault() -> None:
    assert faults(tables(event_row(H_FORMAT="3A")))[0][:2] == ("bad-value", "THEXPORT.DBF, record 1, field H_FORMAT")


@pytest.mark.parametrize(
    ("total", "words"), [("3", "said to have 3 sections, but 2 are listed"), ("", "said to have no sections")]
)
def test_a_wrong_number_of_sections_is_a_fault(total: str, words: str) -> None:
    ((code, place, message),) = faults(tables(event_row(H_TOT_SECT=total)))
    assert (code, place) == ("damaged-file", "THEXPORT.DBF, record 1, field H_TOT_SECT")
    assert words in message


@pytest.mark.parametrize(
    ("last", "words"),
    [
        ("5", "1 to 5; 4 players are listed, none with number 5"),
        ("3", "1 to 3; 4 players are listed, one with number 4"),
    ],
)
def test_a_wrong_number_of_players_is_a_fault(last: str, words: str) -> None:
    ((code, place, message),) = faults(with_section(1, S_LST_PAIR=last))
    assert (code, place) == ("damaged-file", "TSEXPORT.DBF, record 1 (section 1), field S_LST_PAIR")
    assert words in message


def test_a_missing_number_of_players_is_a_fault() -> None:
    assert [found[0] for found in faults(with_section(1, S_LST_PAIR=""))] == ["missing-field"]


def test_a_pairing_number_that_stands_twice_is_a_fault_of_the_sum() -> None:
    ((code, _, message),) = faults(with_player(4, D_PAIR_NUM="3"))
    assert code == "damaged-file"
    assert "none with number 4" in message


def test_a_deleted_player_is_left_out_with_a_warning_and_is_missed() -> None:
    files = {**tables(), "TDEXPORT.DBF": table(player_layout(3), PLAYERS, deleted=[4])}
    reading = read(files)
    assert [(found.code, found.place) for found in reading.faults] == [
        ("ignored-record", "TDEXPORT.DBF, record 4 (section 1, pairing number 4)"),
        ("damaged-file", "TSEXPORT.DBF, record 1 (section 1), field S_LST_PAIR"),
    ]
    assert len(reading.report.sections[0].players) == 3


def test_a_deleted_player_whom_nobody_misses_is_only_a_warning() -> None:
    extra = player_row("1", "5", "U0 U0 U0")
    files = {**tables(), "TDEXPORT.DBF": table(player_layout(3), [*PLAYERS, extra], deleted=[8])}
    assert [found[0] for found in faults(files)] == ["ignored-record"]


@pytest.mark.parametrize(
    ("section", "words"), [("7", "Section 7 is not in TSEXPORT.DBF"), ("", "in no section"), ("x", "in no section")]
)
def test_a_player_of_an_unknown_section_is_a_fault(section: str, words: str) -> None:
    reading = read(with_player(7, D_SEC_NUM=section))
    assert any(found.code == "bad-value" and words in found.message for found in reading.faults)
    assert [len(each.players) for each in reading.report.sections] == [4, 2]


def test_two_sections_with_one_number_are_a_fault_of_both() -> None:
    places = [place for code, place, _ in faults(with_section(2, S_SEC_NUM="1")) if place.endswith("S_SEC_NUM")]
    assert places == [
        "TSEXPORT.DBF, record 1 (section 1), field S_SEC_NUM",
        "TSEXPORT.DBF, record 2 (section 1), field S_SEC_NUM",
    ]


def test_a_section_without_a_number_is_a_fault() -> None:
    assert ("missing-field", "TSEXPORT.DBF, record 2, field S_SEC_NUM") in [
        found[:2] for found in faults(with_section(2, S_SEC_NUM=""))
    ]


@pytest.mark.parametrize(
    ("rounds", "code", "words"),
    [
        ("", "missing-field", "number of rounds is missing"),
        ("0", "missing-field", "number of rounds is missing"),
        ("9", "rounds-missing", "9 rounds are announced, but players have 3 columns"),
    ],
)
def test_a_wrong_number_of_rounds_is_a_fault(rounds: str, code: str, words: str) -> None:
    ((found, place, message),) = faults(with_section(1, S_TOT_RNDS=rounds))
    assert (found, place) == (code, "TSEXPORT.DBF, record 1 (section 1), field S_TOT_RNDS")
    assert words in message


def test_an_empty_section_needs_no_rounds() -> None:
    empty = section_row("3", "0", S_TOT_RNDS="")
    assert len(clean(tables(event_row(H_TOT_SECT="3"), [*SECTIONS, empty]))[2].players) == 0


def test_a_game_after_the_last_round_is_a_fault() -> None:
    ((code, place, message),) = faults(with_player(5, D_RND03="W2W"))
    assert (code, place) == ("bad-value", "TDEXPORT.DBF, record 5 (section 2, pairing number 1), field D_RND03")
    assert "after the section's last round, 2" in message


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"D_PAIR_NUM": "four"}, "wrong-type", "D_PAIR_NUM"),
        ({"D_RATING": "abcd"}, "wrong-type", "D_RATING"),
        ({"D_STATE": "\x1b"}, "bad-value", "D_STATE"),
        ({"D_RND01": "W\x002"}, "bad-value", "D_RND01"),
    ],
)
def test_a_field_of_the_wrong_kind_is_a_fault(changes: dict[str, str], code: str, field: str) -> None:
    found = faults(with_player(4, **changes))
    assert (code, field) in [(each[0], each[1].rpartition("field ")[2]) for each in found]


def test_a_number_that_is_too_large_is_a_fault() -> None:
    layout = [(name, kind, 9 if name == "D_PAIR_NUM" else size) for name, kind, size in player_layout(3)]
    files = {**tables(), "TDEXPORT.DBF": table(layout, [{**PLAYERS[0], "D_PAIR_NUM": "123456789"}, *PLAYERS[1:]])}
    assert "bad-value" in [found[0] for found in faults(files)]


@pytest.mark.parametrize("day", ["20260230", "2026-4-4", "202604", "tomorrow"])
def test_a_date_that_is_none_is_a_fault(day: str) -> None:
    reading = read(with_section(1, S_BEG_DATE=day))
    (found,) = reading.faults
    assert (found.code, found.place) == ("bad-date", "TSEXPORT.DBF, record 1 (section 1), field S_BEG_DATE")
    assert "YYYYMMDD" in found.remedy
    assert reading.report.sections[0].start is None


def test_a_date_of_zeros_is_a_blank() -> None:
    assert clean(with_section(1, S_BEG_DATE="00000000"))[0].start is None


def test_an_event_id_that_differs_is_a_fault_once_for_each_table() -> None:
    sections = [{**row, "S_EVENT_ID": "202601010001"} for row in SECTIONS]
    players = [{**row, "D_EVENT_ID": "202601010001"} for row in PLAYERS]
    found = faults(tables(event_row(H_EVENT_ID="202604050012"), sections, players))
    assert [each[:2] for each in found] == [
        ("bad-value", "TSEXPORT.DBF, record 1 (section 1), field S_EVENT_ID"),
        ("bad-value", "TDEXPORT.DBF, record 1 (section 1, pairing number 1), field D_EVENT_ID"),
    ]
    assert faults(tables(event_row(), sections, players)) == [], "a blank contradicts nothing"


@pytest.mark.parametrize(
    ("file", "field"), [("THEXPORT.DBF", "H_NAME"), ("TSEXPORT.DBF", "S_TIMECTL"), ("TDEXPORT.DBF", "D_MEM_ID")]
)
def test_a_missing_field_is_a_fault_and_a_strange_one_a_warning(file: str, field: str) -> None:
    files = tables()
    found = faults({**files, file: files[file].replace(field.encode(), b"X" * len(field))})
    assert found[:2] == [
        ("missing-field", file, f"The field {field} is missing."),
        ("unknown-field", f"{file}, field {'X' * len(field)}", f"{'X' * len(field)} is not known."),
    ]


def test_a_missing_column_of_rounds_is_a_fault() -> None:
    files = tables()
    found = faults({**files, "TDEXPORT.DBF": files["TDEXPORT.DBF"].replace(b"D_RND02", b"D_RNDXX")})
    assert [each[0] for each in found if each[0] != "unknown-field"] == ["rounds-missing", "rounds-missing"]


def test_ninety_nine_rounds_are_read_and_a_hundredth_column_is_not_known() -> None:
    row = {**player_row("1", "1", "U0 " * 99), "D_RND100": "U0"}
    files = tables(event_row(H_TOT_SECT="1"), [section_row("1", "1", S_TOT_RNDS="99")], [row], 100)
    assert [found[0] for found in faults(files)] == ["unknown-field"]
    assert len(read(files).report.sections[0].players[0].cells) == 99


def test_a_file_full_of_faults_names_the_first_of_them_and_counts_the_rest() -> None:
    rows = [player_row("9", "1", "U0 U0 U0")] * 700
    reading = read(tables(players=rows))
    assert len(reading.faults) == 501
    assert "more faults" in reading.faults[-1].message


def test_each_table_looks_like_one() -> None:
    assert all(uschess_dbf.looks_like(data) for data in tables().values())
    assert not uschess_dbf.looks_like(table([("MEMBER", "C", 8)], [{"MEMBER": "1"}]))
    assert not uschess_dbf.looks_like(b"H_NAME" * 40)


def test_a_cell_is_tidied() -> None:
    assert player(with_player(1, D_RND01="W  4 B")).cells[0] == ReportedCell("W4b", Result.WIN, 4, "b")
