"""The tournament file of SwissSys 11: what is read, what is private, and how far an unfinished event got."""

import json
from copy import deepcopy
from datetime import date
from typing import Any

import pytest

from crosstable.errors import FormatError
from crosstable.formats import Reading, swisssys, uschess_dbf, uschess_write
from crosstable.terms import ReportedSection, Result, SectionType
from tests.formats.swisssys_event import EVENT, packed, player


def changed(path: str, value: object) -> bytes:
    """The event with one value set; the path is of names and indices, ``!`` takes the value away."""
    event = deepcopy(EVENT)
    at: Any = event
    *way, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    for step in way:
        at = at[step]
    if value == "!":
        del at[last]
    else:
        at[last] = value
    return packed(event)


def read(data: bytes) -> Reading:
    return swisssys.read(data, "spring.sjson")


def clean(data: bytes) -> tuple[ReportedSection, ...]:
    reading = read(data)
    assert reading.faults == ()
    return reading.report.sections


def faults(data: bytes) -> list[tuple[str, str, str]]:
    return [(found.code, found.place, found.message) for found in read(data).faults]


def cells(data: bytes, row: int) -> list[tuple[Result | None, int, str]]:
    found = read(data).report.sections[0].players[row].cells
    return [(cell.result, cell.opponent, cell.colour) for cell in found]


def test_the_event_is_read() -> None:
    report = read(packed(EVENT)).report
    assert (report.name, report.start, report.end) == ("Spring Open", date(2026, 4, 4), date(2026, 4, 5))
    assert report.details == {"program": "SwissSys", "format_version": "11.79.7"}
    assert report.place == "spring.sjson"


def test_the_sections_are_read() -> None:
    first, second = clean(packed(EVENT))
    assert (first.number, first.name, first.kind) == (1, "Open", SectionType.SWISS)
    assert (first.time_controls, first.start, first.end) == (("G/60;d5",), None, None)
    assert first.place == "section 1 (Open)"
    assert first.details == {"rounds": "3", "rounds_paired": "3", "rounds_played": "3"}
    assert second.time_controls == ("G/45;d5",), "without one of its own a section has the event's"
    assert second.kind is SectionType.ROUND_ROBIN


def test_the_players_are_read() -> None:
    first, *_, last = clean(packed(EVENT))[0].players
    assert (first.number, first.member_id, first.name, first.state) == (1, "30000001", "Player, A", "OR")
    assert first.pairing_rating == 1951.0
    assert first.place == "section 1 (Open), player 1"
    assert first.details == {"title": "NM", "team": "Knights"}
    assert (last.member_id, last.pairing_rating, last.details) == ("", None, {"withdrew": "yes"})


def test_cells_are_read() -> None:
    assert cells(packed(EVENT), 0) == [(Result.WIN, 4, "b"), (Result.WIN, 2, "w"), (Result.DRAW, 3, "b")]
    assert cells(packed(EVENT), 1) == [(Result.WIN, 3, "w"), (Result.LOSS, 1, "b"), (Result.HALF_BYE, 0, "")]
    assert cells(packed(EVENT), 2) == [(Result.LOSS, 2, "b"), (Result.FORFEIT_WIN, 4, ""), (Result.DRAW, 1, "w")]
    assert cells(packed(EVENT), 3) == [(Result.LOSS, 1, "w"), (Result.FORFEIT_LOSS, 3, ""), (Result.UNPAIRED, 0, "")]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("B;-1;-;0;-1;-1;0", (Result.FULL_BYE, 0, "")),
        ("Z;0;-;0;0;0;0", (Result.ZERO_BYE, 0, "")),
        ("~;4;B;1;4;4;0", (Result.BLANK, 0, "")),
        ("", (Result.BLANK, 0, "")),
        ("+", (Result.WIN, 0, "")),
        ("+ ; 4 ; b", (Result.WIN, 4, "b")),
        ("?;4;B;1;4;4;0", (None, 0, "")),
        ("+;four;B", (None, 0, "")),
        ("+;4444444;B", (None, 0, "")),
        (None, (None, 0, "")),
        (4, (None, 0, "")),
        ("\N{RIGHT-TO-LEFT OVERRIDE};4", (None, 0, "")),
    ],
)
def test_other_cells_are_read_or_left_unknown(cell: object, expected: tuple[Result | None, int, str]) -> None:
    data = changed("Sections/0/Players/0/Results/0", cell)
    assert cells(data, 0)[0] == expected
    assert read(data).report.sections[0].players[0].cells[0].text.isprintable()


def test_private_data_stays_in_the_file() -> None:
    report = repr(read(packed(EVENT)))
    for private in ("someone@example", "555-0100", "2011", "s3cret", "Chess Club"):
        assert private in packed(EVENT).decode()
        assert private not in report


def test_an_unfinished_section_is_blank_from_where_it_stopped() -> None:
    section = deepcopy(EVENT["Sections"][0])
    section.update({"Final round": 5, "Rounds paired": 2, "Rounds played": 1})
    section["Players"] = [
        player(1, "+;2;W;1;2;2;0", "~;3;B;1;3;3;0", byes="4 "),
        player(2, "-;1;B;1;1;1;0", "B;-1;-;0;-1;-1;0", byes="1z 5z "),
        player(3, "H;-1;-;0;-1;-1;0", "~;1;W;1;1;1;0", byes="1 "),
    ]
    section["Number of players"] = 3
    data = packed({**EVENT, "Sections": [section]})
    blank = Result.BLANK
    assert [[cell.result for cell in row.cells] for row in clean(data)[0].players] == [
        [Result.WIN, blank, blank, Result.HALF_BYE, blank],
        [Result.LOSS, Result.FULL_BYE, blank, blank, Result.ZERO_BYE],
        [Result.HALF_BYE, blank, blank, blank, blank],
    ]
    assert clean(data)[0].details == {"rounds": "5", "rounds_paired": "2", "rounds_played": "1"}


def test_a_row_that_is_shorter_than_the_others_is_filled_with_blanks() -> None:
    data = changed("Sections/0/Players/3/Results", ["-;1;W;1;1;1;0"])
    assert cells(data, 3)[1:] == [(Result.BLANK, 0, ""), (Result.BLANK, 0, "")]


def test_rounds_are_counted_from_the_results_where_nothing_else_tells() -> None:
    section = {key: value for key, value in EVENT["Sections"][1].items() if not key.startswith(("Final", "Rounds"))}
    assert clean(packed({**EVENT, "Sections": [section]}))[0].details["rounds"] == "1"


def test_a_section_without_players_is_left_out_and_the_others_are_numbered_in_order() -> None:
    empty = {"Section name": "Reserve", "Number of players": 0, "Players": [], "Final round": 4}
    reading = read(packed({**EVENT, "Sections": [empty, *EVENT["Sections"]]}))
    assert [(found.code, found.place) for found in reading.faults] == [("ignored-record", "section 1")]
    assert [section.number for section in reading.report.sections] == [1, 2]


@pytest.mark.parametrize(
    ("value", "words"),
    [(5, "5 players are announced, but 4 are listed"), ("!", "No players are announced, but 4")],
)
def test_an_announced_number_that_is_out_of_date_is_told(value: object, words: str) -> None:
    ((code, place, message),) = faults(changed("Sections/0/Number of players", value))
    assert (code, place) == ("number-of-players", "section 1 (Open), Number of players")
    assert words in message


def test_a_section_that_lacks_a_player_is_damaged_and_the_others_are_not() -> None:
    event = deepcopy(EVENT)
    del event["Sections"][0]["Players"][1]
    reading = read(packed(event))
    assert [found.code for found in reading.faults] == ["damaged-file"]
    assert reading.faults[0].place.startswith(reading.report.sections[0].place)


def test_two_games_a_round_are_two_cells_against_the_same_opponent() -> None:
    section = deepcopy(EVENT["Sections"][0]) | {"Blitz": True, "Rounds paired": 4, "Rounds played": 4}
    del section["Final round"]
    section["Number of players"] = 3
    section["Players"] = [
        player(1, "+;2;W;1;2;2;0", "+;2;B;1;0;0;0", "H;-1;-;0;-1;-1;0", "H;-1;-;0;-1;-1;0"),
        player(2, "-;1;B;1;1;1;0", "-;1;W;1;0;0;0", "=;3;W;1;3;3;0", "+;3;B;1;0;0;0"),
        player(3, "B;-1;-;0;-1;-1;0", "B;-1;-;0;-1;-1;0", "=;2;B;1;2;2;0", "-;2;W;1;0;0;0"),
    ]
    data = packed({**EVENT, "Sections": [section]})
    assert clean(data)[0].details["rounds"] == "4"
    assert cells(data, 1) == [
        (Result.LOSS, 1, "b"),
        (Result.LOSS, 1, "w"),
        (Result.DRAW, 3, "w"),
        (Result.WIN, 3, "b"),
    ]


def test_two_games_a_round_in_one_cell_are_refused_rather_than_guessed() -> None:
    ((code, place, message),) = faults(changed("Sections/0/Blitz", True))
    assert (code, place) == ("bad-value", "section 1 (Open), Blitz")
    assert "Export the DBF files" in message


def test_an_entry_list_has_players_and_no_results() -> None:
    event = deepcopy(EVENT)
    for row in event["Sections"][0]["Players"]:
        del row["Results"]
    event["Sections"][0].update({"Rounds paired": 0, "Rounds played": 0})
    section = clean(packed(event))[0]
    assert [[cell.result for cell in row.cells] for row in section.players] == [
        [Result.BLANK] * 3,
        [Result.BLANK, Result.BLANK, Result.HALF_BYE],
        [Result.BLANK] * 3,
        [Result.BLANK] * 3,
    ]


@pytest.mark.parametrize(
    ("kind", "expected"), [(0, SectionType.SWISS), (1, SectionType.ROUND_ROBIN), (3, SectionType.ROUND_ROBIN)]
)
def test_types_of_sections(kind: int, expected: SectionType) -> None:
    assert clean(changed("Sections/0/Type", kind))[0].kind is expected


def test_a_type_that_is_not_known_is_kept() -> None:
    section = clean(changed("Sections/0/Type", 7))[0]
    assert (section.kind, section.details["type_code"]) == (SectionType.SWISS, "7")


@pytest.mark.parametrize(
    ("ids", "member_ids", "ratings"),
    [
        (["200001", "30900002", "2000003", "30900004"], ["12000001", "12000002", "12000003", "12000004"], 2300.0),
        (["12000001", "12000002", "12000003", "12000004"], ["12000001", "12000002", "12000003", "12000004"], 2200.0),
    ],
)
def test_the_second_id_and_rating_are_read_where_the_first_are_of_fide(
    ids: list[str], member_ids: list[str], ratings: float
) -> None:
    event = deepcopy(EVENT)
    for at, (row, first) in enumerate(zip(event["Sections"][0]["Players"], ids, strict=True), 1):
        other = f"1200000{at}" if first != f"1200000{at}" else f"200000{at}"
        row.update({"ID": first, "Rating": 2200, "ID2": other, "Rating2": 2300})
    section = clean(packed(event))[0]
    assert [row.member_id for row in section.players] == member_ids
    assert {row.pairing_rating for row in section.players} == {ratings}
    assert section.players[0].details.get("fide_id", "") == (ids[0] if ids[0] != "12000001" else "")


def test_line_breaks_within_a_text_are_blanks() -> None:
    data = packed(EVENT).replace(b"Spring Open ", b"Spring\r\nOpen\t2026")
    assert read(data).report.name == "Spring  Open 2026"


@pytest.mark.parametrize(
    ("text", "day"), [("2026-04-04", date(2026, 4, 4)), ("4/14/2026", date(2026, 4, 14)), ("", None)]
)
def test_dates_are_read_in_both_spellings(text: str, day: date | None) -> None:
    reading = read(changed("Overview/Starting date", text))
    assert reading.faults == ()
    assert reading.report.start == day


@pytest.mark.parametrize("text", ["2026-02-30", "2/30/2026", "1/1/1/1", "a/b/c", "4/4/99999999999999999999", 7])
def test_a_date_that_is_none_is_a_fault(text: object) -> None:
    assert [found[:2] for found in faults(changed("Overview/Starting date", text))] == [
        ("start-not-read", "the overview, Starting date")
    ]


@pytest.mark.parametrize(("version", "shown"), [(11.6, "11.6"), (12, "12"), ("x", ""), (None, "")])
def test_the_version_may_be_a_number(version: object, shown: str) -> None:
    event = deepcopy(EVENT)
    del event["Overview"]["VersionString"]
    event["Overview"]["Version"] = version
    assert read(packed(event)).report.details.get("format_version", "") == shown


@pytest.mark.parametrize(
    ("path", "value", "code", "place"),
    [
        ("Sections/0/Players/1/Pair number", "!", "missing-field", "section 1 (Open), row 2, Pair number"),
        ("Sections/0/Players/1/Pair number", 0, "bad-value", "section 1 (Open), row 2, Pair number"),
        ("Sections/0/Players/1/Rating", "high", "wrong-type", "section 1 (Open), player 2, Rating"),
        ("Sections/0/Players/1/Name", "AN\x07NA", "bad-value", "section 1 (Open), player 2, Name"),
        ("Sections/0/Players/1/Name", 7.5, "wrong-type", "section 1 (Open), player 2, Name"),
        ("Sections/0/Players/1/Results", [""] * 100, "bad-value", "section 1 (Open), player 2, Results"),
        ("Sections/0/Players/1/Reserved byes", "1 x2", "ignored-record", "section 1 (Open), player 2, Reserved byes"),
        ("Sections/0/Players/1/Reserved byes", "3zz", "ignored-record", "section 1 (Open), player 2, Reserved byes"),
        ("Sections/0/Players/1", 7, "wrong-type", "section 1 (Open), row 2"),
        ("Sections/0", 7, "wrong-type", "section 1"),
        ("Sections/0/Final round", 1000, "bad-value", "section 1 (Open), Final round"),
    ],
)
def test_a_field_of_the_wrong_kind_is_a_fault_with_its_place(path: str, value: object, code: str, place: str) -> None:
    assert (code, place) in [found[:2] for found in faults(changed(path, value))]


def test_a_tabulator_after_the_comma_of_a_name_is_tidied() -> None:
    data = changed("Sections/0/Players/1/Name", "PLAYER,\tANNA")
    assert clean(data)[0].players[1].name == "PLAYER, ANNA"


def test_a_section_is_called_by_its_title_where_it_has_no_name() -> None:
    assert clean(changed("Sections/0/Section name", ""))[0].name == "Open Section"
    event = deepcopy(EVENT)
    event["Sections"][0].update({"Section name": "", "Section title": ""})
    assert clean(packed(event))[0].place == "section 1"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b"[]", "no SwissSys tournament"),
        (b'{"Overview": {}}', "no SwissSys tournament"),
        (b"\xff\xfe", "not UTF-8"),
        (b" " * 4_000_001, "larger than 4 MB"),
        (packed({**EVENT, "Sections": [{}] * 100}), "100 sections"),
        (packed({**EVENT, "Sections": [{"Players": [{}] * 10_001}]}), "more players or results"),
        (packed({**EVENT, "Sections": [{"Players": [{"Results": [""] * 250_001}]}]}), "more players or results"),
    ],
)
def test_what_is_no_tournament_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(FormatError, match=words) as caught:
        read(data)
    assert caught.value.fault.code == "not-readable"


def test_a_tournament_is_known_by_its_content() -> None:
    assert swisssys.looks_like(packed(EVENT))
    assert swisssys.looks_like(b"\xef\xbb\xbf  " + packed(EVENT))
    assert not swisssys.looks_like(b"")
    assert not swisssys.looks_like(b'["Overview", "Sections"]')
    assert not swisssys.looks_like(json.dumps({"format": "crosstable-event/1", "sections": []}).encode())


def test_a_tournament_can_be_written_as_a_rating_report() -> None:
    report = read(packed(EVENT)).report
    reading = uschess_dbf.read(uschess_write.write(report), "spring")
    assert reading.faults == ()
    assert [[row.cells for row in section.players] for section in reading.report.sections] == [
        [row.cells for row in section.players] for section in report.sections
    ]
