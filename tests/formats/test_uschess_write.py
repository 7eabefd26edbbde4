"""Writing a rating report of format 2C: it reads back the same, another library opens it, and nothing is cut."""

import io
import zipfile
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import dbf as independent  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstable.errors import Fault, FormatError, Severity
from crosstable.formats import dbf, uschess_dbf, uschess_write
from crosstable.formats.event_json import read_cell
from crosstable.terms import (
    Background,
    RatingSystem,
    Report,
    ReportedCell,
    ReportedPlayer,
    ReportedSection,
    Result,
    SectionType,
)
from tests.formats.uschess_event import (
    EVENT,
    PLAYERS,
    SECTION,
    SECTIONS,
    event_row,
    one_section,
    player_layout,
    tables,
)


def without_places(report: Report) -> Report:
    sections = tuple(
        section._replace(place="", players=tuple(player._replace(place="") for player in section.players))
        for section in report.sections
    )
    return report._replace(place="", sections=sections)


def read(files: Mapping[str, bytes]) -> Report:
    reading = uschess_dbf.read(files, "spring")
    assert reading.faults == ()
    return without_places(reading.report)


def player(number: int, cells: str, **changes: object) -> ReportedPlayer:
    made = ReportedPlayer(
        number, f"3000000{number}", f"PLAYER, {number}", tuple(map(read_cell, cells.split())), Background(), "row"
    )
    return made._replace(**changes)  # type: ignore[arg-type]


def section(*players: ReportedPlayer, **changes: object) -> ReportedSection:
    made = ReportedSection(1, "Open", SectionType.SWISS, False, ("G/60;d5",), (), None, None, players, "section 1")
    return made._replace(**changes)  # type: ignore[arg-type]


def report(*sections: ReportedSection, **changes: object) -> Report:
    made = Report("", "Spring", date(2026, 4, 4), date(2026, 4, 5), sections, "spring")
    return made._replace(**changes)  # type: ignore[arg-type]


PAIR = (player(1, "W2w"), player(2, "L1b"))


def values(made: Report, file: str) -> list[dict[str, str]]:
    return [dict(record.values) for record in dbf.read(uschess_write.write(made)[file], file).records]


def refusal(made: Report) -> tuple[str, str]:
    with pytest.raises(FormatError) as caught:
        uschess_write.write(made)
    return caught.value.fault.place, caught.value.fault.message


QUAD = ["* W2W W3B D4W", "L1B * W3W W4B", "L1W L2B * W4W", "D1B L2W L3B *"]


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(tables(), id="two sections"),
        pytest.param(tables(event_row(H_EVENT_ID="LOCAL", H_COUNTRY="", H_SENDCROS="", H_PROGRAM="")), id="blanks"),
        pytest.param(one_section(QUAD, 3, S_TRN_TYPE="R"), id="a round robin by opponents"),
        pytest.param(one_section(["$2W #2B W2W", "L1B D1W W1B"], 3, S_TRN_TYPE="2"), id="double games"),
        pytest.param(one_section(["W2W X0", "W1B F0"], 2, S_TRN_TYPE="2"), id="double games by type alone"),
        pytest.param(one_section(["%2W Q5", "%1B H"], 2, S_TRN_TYPE="S"), id="double games by code alone"),
        pytest.param(one_section(["W2W", "L1B"], 1, S_TRN_TYPE="2"), id="a column for each game"),
        pytest.param(one_section(["N2W", "S1B"], 1, S_TRN_TYPE="M"), id="one-sided results"),
        pytest.param(one_section(["Q2W", "w1b"], 1), id="an unknown code and a loose spelling"),
        pytest.param(one_section(["W2W", "L1B"], 1, S_TIMECTL="Rd 1: G/45;d5, Rd 2: G/60"), id="a schedule"),
    ],
)
def test_what_was_read_is_written_and_read_again_the_same(files: Mapping[str, bytes]) -> None:
    first = read(files)
    assert read(uschess_write.write(first)) == first


def test_the_files_of_a_pairing_program_are_written_byte_for_byte() -> None:
    written = uschess_write.write(read(tables()))
    # What a player without an id has in that field is the one thing that can be written in two ways.
    players = [{**row, "D_MEM_ID": str(row["D_MEM_ID"]).replace("00000000", "")} for row in PLAYERS]
    assert written == {name: data[:1] + b"\x7e\x04\x05" + data[4:] for name, data in tables(players=players).items()}


@given(st.data())
def test_any_wallchart_reads_back_the_same(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 6))
    rounds = data.draw(st.integers(1, 5))
    games = st.builds(
        lambda r, o, c: f"{r}{o}{c}",
        st.sampled_from("WLDNRSXF"),
        st.integers(1, count),
        st.sampled_from(["", "w", "b"]),
    )
    cells = st.one_of(games, st.sampled_from(["B", "H", "U", "Y", "X", "F"]))
    rows = [" ".join(data.draw(st.lists(cells, min_size=rounds, max_size=rounds))) for _ in range(count)]
    made = report(section(*(player(at, row) for at, row in enumerate(rows, 1))))
    once = read(uschess_write.write(made))
    assert [row.cells for row in once.sections[0].players] == [row.cells for row in made.sections[0].players]
    assert read(uschess_write.write(once)) == once


def test_an_independent_library_reads_what_is_written(tmp_path: Path) -> None:
    layouts = {"THEXPORT.DBF": EVENT, "TSEXPORT.DBF": SECTION, "TDEXPORT.DBF": player_layout(3)}
    rows = {"THEXPORT.DBF": [event_row()], "TSEXPORT.DBF": SECTIONS, "TDEXPORT.DBF": PLAYERS}
    for name, data in uschess_write.write(read(tables())).items():
        (tmp_path / name).write_bytes(data)
        with independent.Table(str(tmp_path / name)) as opened:
            assert list(opened.structure()) == [f"{field} {kind}({width})" for field, kind, width in layouts[name]]
            for record, row in zip(opened, rows[name], strict=True):
                for field, _, _ in layouts[name]:
                    expected = str(row.get(field, "")).replace("00000000", "")
                    assert record[field].strip() == expected, (name, field)


def test_what_an_independent_library_writes_is_read(tmp_path: Path) -> None:
    """The same event through the other library's writer, with dates of the kind date."""
    files = {}
    for name, layout, rows in (
        ("THEXPORT.DBF", EVENT, [event_row()]),
        ("TSEXPORT.DBF", SECTION, SECTIONS),
        ("TDEXPORT.DBF", player_layout(3), PLAYERS),
    ):
        fields = [f"{field} D" if field.endswith("_DATE") else f"{field} C({width})" for field, _, width in layout]
        made = independent.Table(str(tmp_path / name), "; ".join(fields), dbf_type="db3")
        made.open(independent.READ_WRITE)
        for row in rows:
            values = [row.get(field, "") for field, _, _ in layout]
            dated = [
                independent.Date.strptime(value, "%Y%m%d") if field.endswith("_DATE") and value else value or None
                for (field, _, _), value in zip(layout, values, strict=True)
            ]
            made.append(tuple(dated))
        made.close()
        files[name] = (tmp_path / name).read_bytes()
    assert read(files) == read(tables())


def test_the_zip_holds_the_three_files_and_is_the_same_each_time() -> None:
    made = report(section(*PAIR))
    packed = uschess_write.write_zip(made)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == uschess_write.write(made)
    assert uschess_write.write_zip(made) == packed


@pytest.mark.parametrize("day", [None, date(1970, 1, 1), date(2026, 4, 4), date(2200, 1, 1)])
def test_a_zip_can_be_written_for_any_day(day: date | None) -> None:
    assert uschess_write.write_zip(report(section(*PAIR), start=day, end=None)).startswith(b"PK")


def test_an_event_from_elsewhere_gets_what_the_format_needs() -> None:
    made = report(
        section(*PAIR, details={"type_code": "0", "rounds": "7"}), details={"program": "A long name of a program"}
    )
    (event,) = values(made, "THEXPORT.DBF")
    assert (event["H_FORMAT"], event["H_PROGRAM"], event["H_TOT_SECT"]) == ("2C", "CROSSTABLE", "1")
    assert (event["H_BEG_DATE"], event["H_END_DATE"]) == ("20260404", "20260405")
    assert (event["H_COUNTRY"], event["H_SENDCROS"]) == ("USA", "N")
    (row,) = values(made, "TSEXPORT.DBF")
    assert (row["S_TRN_TYPE"], row["S_TOT_RNDS"], row["S_LST_PAIR"]) == ("S", "1", "2")
    assert (row["S_GR_PRIX"], row["S_FIDE"]) == ("N", "N")
    assert (row["S_BEG_DATE"], row["S_END_DATE"]) == ("20260404", "20260405")  # those of the event


@pytest.mark.parametrize(
    ("systems", "code"),
    [
        ((), "D"),  # as its time control says
        ((RatingSystem.OTBR,), "R"),
        ((RatingSystem.OTBR, RatingSystem.OTBQ), "D"),
        ((RatingSystem.OTBQ,), "Q"),
        ((RatingSystem.OLQ,), "Q"),
        ((RatingSystem.OTBB,), "D"),
    ],
)
def test_the_code_of_the_system_follows_the_systems(systems: tuple[RatingSystem, ...], code: str) -> None:
    (row,) = values(report(section(*PAIR, systems=systems)), "TSEXPORT.DBF")
    assert row["S_R_SYSTEM"] == code


def test_shorter_sections_are_padded_as_unpaired() -> None:
    made = report(section(player(1, "W2w W2b"), player(2, "L1b L1w")), section(*PAIR, number=2))
    assert [row["D_RND02"] for row in values(made, "TDEXPORT.DBF")] == ["W2B", "L1W", "U0", "U0"]


@pytest.mark.parametrize(
    ("cells", "written"),
    [
        ("H", "H0"),
        ("Z", "U0"),
        ("Y", "Z0"),
        ("Y2b", "Z2B"),
        ("X", "X0"),
        ("X2", "X2"),
        ("*", "U0"),
        ("D2", "D2"),
        ("W2b", "W2B"),
    ],
)
def test_cells_are_written_as_pairing_programs_write_them(cells: str, written: str) -> None:
    made = report(section(player(1, cells), PAIR[1]))
    assert values(made, "TDEXPORT.DBF")[0]["D_RND01"] == written


def test_a_round_without_a_result_stays_blank() -> None:
    blank = player(1, "")._replace(cells=(ReportedCell("", Result.BLANK, 0, ""),))
    assert values(report(section(blank, PAIR[1])), "TDEXPORT.DBF")[0]["D_RND01"] == ""


def test_ratings_are_rounded_and_unrated_players_have_none() -> None:
    made = report(section(player(1, "W2", pairing_rating=1512.5), player(2, "L1")))
    assert [row["D_RATING"] for row in values(made, "TDEXPORT.DBF")] == ["1513", "0"]


def test_sections_without_numbers_are_numbered_in_order() -> None:
    made = report(section(*PAIR, number=None), section(*PAIR, number=None))
    assert [row["S_SEC_NUM"] for row in values(made, "TSEXPORT.DBF")] == ["1", "2"]
    assert [row["D_SEC_NUM"] for row in values(made, "TDEXPORT.DBF")] == ["1", "1", "2", "2"]


def test_an_event_without_players_is_written() -> None:
    made = report(section(details={"rounds": "4"}), start=None, end=None)
    assert values(made, "TSEXPORT.DBF")[0]["S_TOT_RNDS"] == "4"
    assert values(made, "TDEXPORT.DBF") == []


def test_double_games_from_elsewhere_are_marked_so_that_they_are_read_as_such() -> None:
    made = report(section(player(1, "W2 L2"), player(2, "L1 W1"), details={"games_per_round": "2"}))
    (row,) = values(made, "TSEXPORT.DBF")
    assert row["S_TRN_TYPE"] == "2"
    once = read(uschess_write.write(made)).sections[0]
    assert [[cell.result for cell in each.cells] for each in once.players] == [
        [Result.WIN, Result.LOSS],
        [Result.LOSS, Result.WIN],
    ]


@pytest.mark.parametrize(
    ("kind", "given", "code"),
    [
        (SectionType.SWISS, "C", "C"),
        (SectionType.SWISS, "R", "S"),
        (SectionType.ROUND_ROBIN, "S", "R"),
        (SectionType.ROUND_ROBIN, "r", "R"),
        (SectionType.MATCH, "", "M"),
        (SectionType.SWISS, "swiss", "S"),
    ],
)
def test_the_type_code_is_kept_where_it_says_the_same_kind(kind: SectionType, given: str, code: str) -> None:
    (row,) = values(report(section(*PAIR, kind=kind, details={"type_code": given})), "TSEXPORT.DBF")
    assert row["S_TRN_TYPE"] == code


@pytest.mark.parametrize(
    ("made", "place", "words"),
    [
        (report(section(*PAIR), name="x" * 36), "THEXPORT.DBF, record 1, field H_NAME", "36 characters"),
        (report(section(*PAIR), event_id="1" * 13), "THEXPORT.DBF, record 1, field H_EVENT_ID", "holds 12"),
        (report(section(*PAIR, name="x" * 31)), "TSEXPORT.DBF, record 1, field S_SEC_NAME", "holds 30"),
        (report(section(*PAIR, number=100)), "TSEXPORT.DBF, record 1, field S_SEC_NUM", "holds 2"),
        (report(section(*PAIR, time_controls=("G/60;d5",) * 4)), "TSEXPORT.DBF, record 1, field S_TIMECTL", "holds 40"),
        (report(section(player(1, "W2", name="x" * 31), PAIR[1])), "TDEXPORT.DBF, record 1, field D_NAME", "holds 30"),
        (report(section(PAIR[0], player(2, "L1", state="ORE"))), "TDEXPORT.DBF, record 2, field D_STATE", "holds 2"),
        (
            report(section(PAIR[0], player(2, "L1", name="Łódź"))),
            "TDEXPORT.DBF, record 2, field D_NAME",
            "cannot carry",
        ),
        (report(section(PAIR[0], player(2, "L123456b"))), "TDEXPORT.DBF, record 2, field D_RND01", "holds 7"),
        (report(section(PAIR[0], player(2, "L1")._replace(number=None))), "row", "without a pairing number"),
        (report(section(player(1, "W2 " * 100), PAIR[1])), "spring", "100 rounds do not fit"),
        (report(section(*PAIR, kind=SectionType.FOREIGN_FIDE)), "section 1", "foreign_fide cannot be written"),
        (report(section(player(1, "W2 H"), details={"games_per_round": "2"})), "row", "in one cell"),
        (report(section(player(1, "W2"), details={"games_per_round": "2"})), "row", "in one cell"),
        (report(section(player(1, "")._replace(cells=(ReportedCell("W2", None, 0, ""),)))), "row", "not understood"),
    ],
)
def test_what_the_format_cannot_carry_is_refused_with_its_place(made: Report, place: str, words: str) -> None:
    found, message = refusal(made)
    assert found == place
    assert words in message


LONG_SCHEDULE = ("G/60;d5", "40/90, SD/30;d5", "G/45;d10", "G/45;d10")


@pytest.mark.parametrize(
    ("made", "file", "field", "written", "codes"),
    [
        (
            report(section(*PAIR), name="Puddletown Chess Golden Autumn II Chess Tournament"),
            *("THEXPORT.DBF", "H_NAME", "Puddletown Chess Golden Autumn II C", ["shortened"]),
        ),
        (report(section(*PAIR), name="\N{ROCKET} G60 Open"), "THEXPORT.DBF", "H_NAME", "G60 Open", ["respelled"]),
        (report(section(*PAIR), event_id="1" * 13), "THEXPORT.DBF", "H_EVENT_ID", "", ["not-written"] * 4),
        (report(section(*PAIR), details={"affiliate": "A12345678"}), "THEXPORT.DBF", "H_AFF_ID", "", ["not-written"]),
        (report(section(*PAIR, name="x" * 31)), "TSEXPORT.DBF", "S_SEC_NAME", "x" * 30, ["shortened"]),
        (
            report(section(*PAIR, time_controls=LONG_SCHEDULE)),
            *("TSEXPORT.DBF", "S_TIMECTL", "40/90,SD/30;d5", ["not-written"]),
        ),
        (
            report(section(*PAIR, time_controls=("one hour each and then another one for the rest",))),
            *("TSEXPORT.DBF", "S_TIMECTL", "", ["not-written"]),
        ),
        (report(section(player(1, "W2", name="Łódź, José"), PAIR[1])), "TDEXPORT.DBF", "D_NAME", "Lodz, Jose", None),
        (report(section(player(1, "W2", name="\N{ROCKET}"), PAIR[1])), "TDEXPORT.DBF", "D_NAME", "Player 1", None),
        (report(section(player(1, "W2", member_id="900000001"), PAIR[1])), "TDEXPORT.DBF", "D_MEM_ID", "", None),
        (report(section(player(1, "W2", state="ORE"), PAIR[1])), "TDEXPORT.DBF", "D_STATE", "", ["not-written"]),
    ],
)
def test_texts_are_made_to_fit_where_the_caller_takes_the_changes(
    made: Report, file: str, field: str, written: str, codes: list[str] | None
) -> None:
    changes: list[Fault] = []
    tables = uschess_write.write(made, changes)
    assert dbf.read(tables[file], file).records[0].values[field] == written
    assert all(found.severity is Severity.WARNING for found in changes)
    assert codes is None or [found.code for found in changes] == codes
    assert any(found.place == f"{file}, record 1, field {field}" for found in changes)


@pytest.mark.parametrize("made", [report(section(*PAIR, number=100)), report(section(PAIR[0], player(2, "L123456b")))])
def test_numbers_are_never_cut(made: Report) -> None:
    with pytest.raises(FormatError):
        uschess_write.write(made, [])
