"""Wallcharts as directors and programs write them: one small event in every dialect, and what must not be guessed.

The event is a quad of three rounds: 1 beat 2 and 4 and drew with 3, 2 beat 4 and 3, 3 beat 4.
"""

import re
from datetime import date
from pathlib import Path

import pytest

import crosstable as ct
from crosstable.errors import FormatError
from crosstable.formats import Reading, detect, wallchart, wallchart_write
from crosstable.formats.columns import COLUMNS, IGNORED, column_name, is_ignored
from crosstable.formats.wallchart_players import BESIDE_COLOURS, CODES, HALF
from crosstable.pipeline.rating import rate
from crosstable.pipeline.reading import read
from crosstable.terms import SectionType
from tests.formats.mutations import must_read_or_refuse, mutations, shape_of
from tests.formats.reports import errors, players, texts, without_places

KEYS = "Event: Quad\nStart: 2026-06-14\nEnd: 2026-06-14\nTime control: G/60;d5\n"
PEOPLE = [
    ("Abbott, John", 12345671, 1850),
    ("Bishop, Mary", 12345672, 1700),
    ("Cole, Sam", 12345673, 1500),
    ("Dunn, Ann", 12345674, 1600),
]
QUAD = [["W2", "D3", "W4"], ["L1", "W4", "W3"], ["W4", "D1", "L2"], ["L3", "L2", "L1"]]
GRID = [["*", "W2", "D3", "W4"], ["L1", "*", "W3", "W4"], ["D1", "L2", "*", "W4"], ["L1", "L2", "L3", "*"]]


def chart(rounds: str, *, titles: str = "Rd 1,Rd 2,Rd 3", rating: str = "Rating", keys: str = KEYS) -> str:
    """A wallchart whose rows end with these cells, a line for each player."""
    rows = [
        f'{number},"{name}",{member_id},{points},{cells.strip()}'
        for number, ((name, member_id, points), cells) in enumerate(
            zip(PEOPLE, rounds.strip().splitlines(), strict=True), start=1
        )
    ]
    return "\n".join([f"{keys}No,Name,ID,{rating},{titles}", *rows, ""])


def reading(text: str) -> Reading:
    return detect.read_data(text.encode(), "chart.csv")


@pytest.mark.parametrize(
    "rounds",
    [
        "W2,D3,W4\nL1,W4,W3\nW4,D1,L2\nL3,L2,L1",
        "w 2,d 3,w 4\nl 1,w 4,w 3\nw 4,d 1,l 2\nl 3,l 2,l 1",
        "+2,=3,+4\n-1,+4,+3\n+4,=1,-2\n-3,-2,-1",
        "2W,3D,4W\n1L,4W,3W\n4W,1D,2L\n3L,2L,1L",
        "2w,3d,4w\n1l,4w,3w\n4w,1d,2l\n3l,2l,1l",
        "W---2,D---3,W---4\nL---1,W---4,W---3\nW---4,D---1,L---2\nL---3,L---2,L---1",
        "W--2,D--3,W--4\nL--1,W--4,W--3\nW--4,D--1,L--2\nL--3,L--2,L--1",
        "'+2,'=3,'+4\n'-1,'+4,'+3\n'+4,'=1,'-2\n'-3,'-2,'-1",
    ],
)
@pytest.mark.parametrize(
    "titles", ["Rd 1,Rd 2,Rd 3", "1.Rd,2.Rd,3.Rd", "R1,R2,R3", "Round 1,Round 2,Round 3", "1,2,3", "1st,2nd,3rd"]
)
def test_the_quad_is_the_same_in_every_dialect_and_under_every_title(rounds: str, titles: str) -> None:
    found = reading(chart(rounds, titles=titles))
    assert found.faults == ()
    assert [texts(player) for player in players(found)] == QUAD
    assert found.report.sections[0].kind is SectionType.SWISS


def test_opponent_colour_and_result_as_chess_results_writes_them() -> None:
    found = reading(chart(f"2w1, 3b{HALF},4w1\n1b0,4w1,3b1\n4b1,1w{HALF},2w0\n3w0,2b0,1b0"))
    assert found.faults == ()
    assert [texts(player) for player in players(found)] == [
        ["W2w", "D3b", "W4w"],
        ["L1b", "W4w", "W3b"],
        ["W4b", "D1w", "L2w"],
        ["L3w", "L2b", "L1b"],
    ]


@pytest.mark.parametrize(
    "rounds",
    [
        f"x,1,{HALF},1\n0,x,1,1\n{HALF},0,x,1\n0,0,0,x",
        f"X,1,{HALF},1\n0,X,1,1\n{HALF},0,X,1\n0,0,0,X",
        f"*,1,{HALF},1\n0,*,1,1\n{HALF},0,*,1\n0,0,0,*",
        f"*****,1,{HALF},1\n0,*****,1,1\n{HALF},0,*****,1\n0,0,0,*****",
        f",1,{HALF},1\n0,,1,1\n{HALF},0,,1\n0,0,0,",
        "-,1,1/2,1\n0,-,1,1\n1/2,0,-,1\n0,0,0,-",
        "x,1,0.5,1\n0,x,1,1\n0.5,0,x,1\n0,0,0,x",
        "x,W,D,W\nL,x,W,W\nD,L,x,W\nL,L,L,x",
        "x,+,=,+\n-,x,+,+\n=,-,x,+\n-,-,-,x",
        "x,W2,D3,W4\nL1,x,W3,W4\nD1,L2,x,W4\nL1,L2,L3,x",
    ],
)
@pytest.mark.parametrize("kind", ["", "Type: round robin\n"])
def test_a_grid_is_a_round_robin_and_a_cross_in_the_own_column_is_no_forfeit(rounds: str, kind: str) -> None:
    found = reading(chart(rounds, titles="1,2,3,4", keys=KEYS + kind))
    assert found.faults == ()
    assert found.report.sections[0].kind is SectionType.ROUND_ROBIN
    assert [texts(player) for player in players(found)] == GRID


def test_beside_points_a_sign_in_a_grid_is_a_forfeit() -> None:
    found = reading(chart("x,1,+,1\n0,x,1,1\n-,0,x,1\n0,0,0,x", titles="1,2,3,4"))
    assert (texts(players(found)[0])[2], texts(players(found)[2])[0]) == ("X3", "F1")


def test_a_forfeit_in_a_quad_by_rounds_stays_one() -> None:
    found = reading(chart("W2,D3,W4\nL1,X,W3\nW4,D1,L2\nL3,F,L1"))
    assert [texts(player)[1] for player in players(found)] == ["D3", "X", "D1", "F"]


@pytest.mark.parametrize(("text", "code"), [(text, code) for code, written, _ in CODES for text in written])
def test_every_cell_of_the_reference_page(text: str, code: str) -> None:
    (cell,) = players(reading(f"{KEYS}No,Name,ID,Rating,Rd 1\n9,Ann,12345678,1500,{text}\n"))[0].cells
    assert (cell.result is not None, f"{cell.result}{cell.opponent or ''}") == (True, code)


@pytest.mark.parametrize(("text", "code"), [(text, code) for code, written, _ in BESIDE_COLOURS for text in written])
def test_every_cell_of_the_reference_page_beside_colours(text: str, code: str) -> None:
    rows = f"8,Bea,12345679,1500,3b1\n9,Ann,12345678,1500,{text}\n"
    (cell,) = players(reading(f"{KEYS}No,Name,ID,Rating,Rd 1\n{rows}"))[1].cells
    assert f"{cell.result}{cell.opponent or ''}" == code


def test_a_game_without_a_result_is_no_loss_and_is_told() -> None:
    found = reading(chart("2w1,3b\n1b0,4w\n4b1,1w\n3w0,2b", titles="1.Rd,2.Rd"))
    assert [texts(player)[1] for player in players(found)] == ["", "", "", ""]
    assert [(fault.code, fault.message) for fault in found.faults] == [
        ("result-missing", "Games without a result yet, which are not rated: 2.")
    ]


def test_an_empty_cell_in_a_round_that_others_played_is_told() -> None:
    found = reading(chart("W2,D3\nL1,\nW4,D1\nL3,"))
    assert [texts(player)[1] for player in players(found)] == ["D3", "", "D1", ""]
    assert [(fault.code, fault.message) for fault in found.faults] == [
        ("result-missing", "Empty cells in rounds that others played: round 2, no. 2, 4. Nothing is rated there.")
    ]


def test_the_rounds_of_a_section_end_before_those_of_a_longer_one_in_the_same_table() -> None:
    rows = "1,Ann,1500,A,W2,\n2,Bob,1500,A,L1,\n1,Cy,1500,B,W2,D2\n2,Dee,1500,B,L1,D1\n"
    found = reading(f"{KEYS}No,Name,Rating,Section,Rd 1,Rd 2\n{rows}")
    assert [len(player.cells) for player in players(found)] == [1, 1, 2, 2]
    assert found.faults == ()


@pytest.mark.parametrize("cell", ["1-0", "won", "2X1", "W2x", "½½", "10"])
def test_a_cell_that_is_not_understood_is_an_error_that_shows_it(cell: str) -> None:
    found = rate(read(chart(f"{cell},D3,W4\nL1,W4,W3\nW4,D1,L2\nL3,L2,L1").encode(), "chart.csv"), pairing_ratings=True)
    assert any(each.code == "unknown-code" and repr(cell) in each.message for each in found.faults)
    assert found.rated == ()


# What the columns hold

RATED = "W2,D3,W4\nL1,W4,W3\nW4,D1,L2\nL3,L2,L1"


def codes(text: str, **options: bool) -> list[str]:
    event = rate(read(text.encode(), "chart.csv"), today=None, pairing_ratings=options.get("pairing", False))
    assert event.has_errors == (not event.rated)
    return [found.code for found in event.faults]


@pytest.mark.parametrize(
    "title", ["Rtng", "Rtg", "USCF Rating", "US Chess Rating", "USCF Rtg", "Current Rating", "RtgN", "USCF"]
)
def test_a_rating_column_is_the_pairing_rating(title: str) -> None:
    text = chart(RATED, rating=title)
    assert codes(text) == ["rating-not-known"]
    event = rate(read(text.encode(), "chart.csv"), pairing_ratings=True, today=None)
    assert [player.pre for player in event.sections[0].systems["OTBR"].players] == [1850, 1700, 1500, 1600]


def test_pre_rtg_is_the_rating_before_the_event() -> None:
    event = rate(read(chart(RATED, rating="Pre-Rtg").encode(), "chart.csv"), today=None)
    assert [player.pre for player in event.sections[0].systems["OTBR"].players] == [1850, 1700, 1500, 1600]


@pytest.mark.parametrize("title", ["Something", "Strength", "NWSRS", "Rating 2"])
def test_a_rating_column_that_is_not_understood_is_an_error_that_shows_its_title(title: str) -> None:
    text = chart(RATED, rating=title)
    assert "rating-column-not-known" in codes(text)
    assert "rating-column-not-known" in codes(text, pairing=True)
    (found,) = [each for each in reading(text).faults if each.code == "rating-column-not-known"]
    assert f"“{title}”" in found.message
    assert "1850" in found.message


REGULAR = KEYS.replace("G/60;d5", "G/90;d5")


def second(first: str, second: str, values: list[str], keys: str = REGULAR) -> str:
    """The quad with two columns of figures."""
    text = chart(RATED, rating=f"{first},{second}", keys=keys)
    for (_, _, points), value in zip(PEOPLE, values, strict=True):
        text = text.replace(f",{points},", f",{points},{value},")
    return text


GAMES, OTHERS = ["120", "30", "17", "40"], ["1812", "1722", "1455", "1611"]


def test_games_that_name_no_rating_are_an_error_and_no_provisional_rating_becomes_established() -> None:
    (found,) = [one for one in reading(second("Regular rating", "Games", GAMES)).faults if one.code == "bad-value"]
    assert found.remedy == "Call it Regular games, or delete it."
    assert codes(second("Regular rating", "Games", GAMES)) == ["bad-value"]
    assert codes(second("Regular rating", "Regular games", GAMES)) == []
    assert codes(second("Pre-event rating", "Games", GAMES)) == []
    assert codes(second("Regular rating", "Games", [""] * 4)) == []


@pytest.mark.parametrize("title", ["Rtg", "Std"])
def test_ratings_of_another_system_do_not_hide_a_column_that_may_have_the_sections_own(title: str) -> None:
    """A Regular section: nobody becomes unrated because a column of Quick ratings stands beside theirs."""
    found = codes(second("Quick rating", title, OTHERS))
    assert {"rating-column-not-known", "bad-value"} & set(found), found
    assert "all-unrated" in found
    assert codes(second("Regular rating", title, OTHERS)) in ([], ["unknown-field"])


def test_in_a_quick_section_a_rating_without_a_system_does_not_give_way_to_regular_ratings() -> None:
    keys = KEYS.replace("G/60;d5", "G/15;d0")
    assert "bad-value" in codes(second("Regular rating", "Rtg", OTHERS, keys=keys))
    assert "bad-value" not in codes(second("Quick rating", "Rtg", OTHERS, keys=keys))


def test_a_regular_section_whose_players_have_other_ratings_only_is_told_of() -> None:
    assert codes(chart(RATED, rating="Quick rating", keys=REGULAR)) == ["all-unrated"]
    assert codes(chart(RATED, rating="Regular rating", keys=KEYS.replace("G/60;d5", "G/5;d0"))) == []


@pytest.mark.parametrize("title", ["Elo", "RtgI", "FIDE", "FIDE rating", "Elo FIDE"])
def test_fide_ratings_alone_are_not_us_chess_ratings(title: str) -> None:
    text = chart(RATED, rating=title)
    assert codes(text) == ["fide-ratings-only"]
    event = rate(read(text.encode(), "chart.csv"), pairing_ratings=True, today=None)
    assert event.has_errors is False
    assert all("FIDE" in str(player.initial) for player in event.sections[0].systems["OTBR"].players)


def test_a_chart_without_ratings_asks_for_them_and_one_that_says_unrated_does_not() -> None:
    assert codes(chart(RATED, rating="Team")) == ["rating-column-not-known", "no-ratings"][1:]
    unrated = chart(RATED)
    for _, _, points in PEOPLE:
        unrated = unrated.replace(f",{points},", ",unr.,")
    assert codes(unrated) == ["all-unrated"]


def test_a_chart_without_round_columns_is_an_entry_list() -> None:
    text = "\n".join(line.rsplit(",", 3)[0] for line in chart(RATED, keys="").splitlines())
    assert codes(KEYS + text) == ["no-game"]
    assert [player.number for player in players(reading(KEYS + text))] == [1, 2, 3, 4]


@pytest.mark.parametrize(("column", "titles"), COLUMNS.items())
def test_every_title_of_the_reference_page(column: str, titles: tuple[str, ...]) -> None:
    assert {column_name(title) for title in titles} == {column}
    assert {column_name(title.upper()) for title in titles} == {column}
    assert not any(map(is_ignored, titles))


@pytest.mark.parametrize("title", [*IGNORED, "TB1", "TB 2", "Rtg+/-", "Tie break 3"])
def test_a_column_that_is_not_needed_is_passed_over(title: str) -> None:
    found = reading(chart(RATED.replace("\n", ",7\n") + ",7", titles=f"Rd 1,Rd 2,Rd 3,{title}"))
    assert found.faults == ()
    assert [texts(player) for player in players(found)] == QUAD


@pytest.mark.parametrize("total", ["2.5", "2½", "2 1/2", "2,5"])
def test_halves_of_a_total(total: str) -> None:
    found = reading(chart(f'W2,D3,W4,"{total}"\nL1,W4,W3,2\nW4,D1,L2,1½\nL3,L2,L1,0', titles="Rd 1,Rd 2,Rd 3,Tot"))
    assert errors(found) == []
    assert [player.total for player in players(found)] == [2.5, 2.0, 1.5, 0.0]


def test_ranks_are_numbers_where_there_are_no_others_and_a_title_needs_no_title() -> None:
    text = (
        "From the Tournament-Database of Chess-Results https://example.org,,,,,\nClub Open 2026,,,,,\n"
        "Last update 13.02.2026 18:17:32,,,,,\nRanking crosstable after Round 1,,,,,\n"
        "Rk.,,Name,Rtg,FED,1.Rd,Pts. ,TB1\n1,,Ann Lee ,2020,SWE,  3b1,1,0\n2,WFM,Bo Ek ,1971,SWE,   -½,0.5,0\n"
        "3,,Cy Dahl ,0,POL,  1w0,0,1\n,,,,,,,\nYou find all details to this tournament under  https://example.org,,,,,,,\n"
        "Chess-Tournament-Results-Server: Chess-Results,,,,,,,\n"
    )
    found = reading(text)
    assert found.faults == ()
    assert found.report.name == "Club Open 2026"
    assert [(p.number, p.name, p.pairing_rating) for p in players(found)] == [
        (1, "Ann Lee", 2020.0),
        (2, "Bo Ek", 1971.0),
        (3, "Cy Dahl", None),
    ]
    assert [texts(player) for player in players(found)] == [["W3b"], ["H"], ["L1w"]]
    assert players(found)[1].details == {"title": "WFM", "federation": "SWE", "rank": "2"}


def test_number_0_is_nobody_and_a_row_without_anything_known_no_player() -> None:
    found = reading("No,Name,Rating,Coach,1.Rd\n1,Ann,1500,Di,0w1\n,,,Ed,\n2,Bo,1500,,1b0\n")
    assert players(found)[0].cells[0].result is None
    assert [player.name for player in players(found)] == ["Ann", "Bo"]
    assert [fault.code for fault in found.faults] == ["unknown-field", "ignored-record"]


def test_a_name_may_stand_behind_columns_that_are_not_known() -> None:
    assert [len(part.players) for part in reading("A,B,C,Name,Rating\n1,2,3\n").report.sections] == [0]


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        ("A,B,C", "Ann,Bob,Cy"),
        ("Lee,Hill,Dahl", "Ann Lee,Bob Hill,Cy Dahl"),
        ("Ann Lee,Bob,Dahl", "Ann Lee,Bob Hill,Cy Dahl"),
    ],
)
def test_a_round_robin_may_title_its_columns_by_names_or_letters(titles: str, names: str) -> None:
    one, two, three = names.split(",")
    text = f"Name,Rating,{titles},Total\n{one},1850,x,1,.5,1.5\n{two},1700,0,x,1,1\n{three},1500,.5,0,x,.5\n"
    found = reading(text)
    assert found.faults == ()
    assert [texts(player) for player in players(found)] == [["*", "W2", "D3"], ["L1", "*", "W3"], ["D1", "L2", "*"]]
    assert [player.total for player in players(found)] == [1.5, 1.0, 0.5]


def test_ratings_before_the_event_take_their_system_from_a_control_that_is_given(tmp_path: Path) -> None:
    """As a table of the ratings site is copied: it has no time control, which decides whether they are Regular ones."""
    copied = tmp_path / "copied.txt"
    rows = ("Rank Name Member_ID Pre Post Rd_1", "1 Ann NEW 1500P10 1540 W2", "2 Bo NEW 1610 1590 L1")
    copied.write_text("\n".join(rows).replace(" ", "\t"))
    report = ct.read(copied)
    assert [player.member_id for player in report.sections[0].players] == ["", ""], "two players, not one called NEW"
    assert {found.code for found in ct.check(report).faults if found.severity.stops} == {"no-time-control", "no-dates"}
    day = date(2026, 6, 14)
    slow = ct.rate(report, control="G/90;d5", start=day)
    before = [(one.pre, one.games_before) for one in slow.sections[0].systems["OTBR"].players]
    assert before == [(1500, 10), (1610, None)]
    assert "all-unrated" in [found.code for found in ct.rate(report, control="G/60;d5", start=day).faults]
    quick = ct.rate(report, control="G/10;d5", start=day)
    assert [found.code for found in quick.faults if found.severity.stops] == ["rating-not-known"]


def test_sections_may_be_named_by_a_line_alone_and_tables_have_bars() -> None:
    rows = "| 1. | Ann | 1500 | W2 |\n| 2. | Bo | 1500 | L1 |\n"
    titles = "| No | Name | Rating | Rd 1 |\n|---|:---|---|---|\n"
    found = reading(f"{titles}{rows}| Quad 2 | | | |\n{titles}{rows}")
    assert [section.name for section in found.report.sections] == ["", "Quad 2"]
    assert [len(section.players) for section in found.report.sections] == [2, 2]


def test_what_stands_below_the_players_is_a_remark_and_told() -> None:
    found = reading(f"{chart(RATED)},Average,,1600,,,,\nTotal players: 4\n")
    assert ([fault.code for fault in found.faults], len(players(found))) == (["ignored-record", "ignored-record"], 4)


def test_unicode_text_of_excel() -> None:
    text = (
        chart(RATED).replace(", ", "; ").replace(",", "\t").replace("Abbott; John", "Ünal, Zoë").replace("\n", "\r\n")
    )
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"):
        found = detect.read_data(text.encode(encoding), "chart.txt")
        assert (found.faults, players(found)[0].name) == ((), "Ünal, Zoë")
        assert [texts(player) for player in players(found)] == QUAD


def test_an_old_workbook_is_refused_with_what_to_do() -> None:
    with pytest.raises(FormatError, match=re.escape("save it as .xlsx")):
        detect.read_data(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "chart.xls")


@pytest.mark.parametrize(
    "line", ["Date: 6/14/2026", "Date: June 14, 2026", "Dates: June 14, 2026", "Date: 14-Jun-2026"]
)
def test_one_line_may_have_both_dates(line: str) -> None:
    report = reading(chart(RATED, keys=f"{line}\nTime control: G/60;d5\n")).report
    assert (str(report.start), str(report.end)) == ("2026-06-14", "2026-06-14")


def test_last_and_first_name_in_two_columns() -> None:
    found = reading("Last Name,First Name,ID,Rating,Rd 1\nAbbott,John,12345671,1850,W2\nBishop,Mary,12345672,1700,L1\n")
    assert [player.name for player in players(found)] == ["Abbott, John", "Bishop, Mary"]


RANKED = """Rk.;SNo;;Name;FED;RtgI;RtgN;1.Rd;2.Rd;Pts.
1;2;;Abbott John;USA;1900;1850;{};{};2
2;1;FM;Bishop Mary;USA;2000;1980;{};{};1
3;4;;Cole Sam;USA;0;1500;{};{};1
4;3;;Dunn Ann;USA;1700;1600;{};{};0
"""


@pytest.mark.parametrize(
    "cells",
    [
        ("3w1", "2b1", "4b1", "1w0", "1b0", "4w1", "2w0", "3b0"),
        ("4w1", "1b1", "3b1", "2w0", "2b0", "3w1", "1w0", "4b0"),
    ],
)
def test_opponents_are_named_by_the_numbers_that_pair_off(cells: tuple[str, ...]) -> None:
    """Ranks in the first chart, starting numbers in the second, of the same games."""
    found = reading(RANKED.format(*cells))
    assert errors(found) == []
    names = {player.number: player.name.split()[0] for player in players(found)}
    shown = [[f"{cell.result}-{names[cell.opponent]}" for cell in player.cells] for player in players(found)]
    assert shown == [["W-Cole", "W-Bishop"], ["W-Dunn", "L-Abbott"], ["L-Abbott", "W-Dunn"], ["L-Bishop", "L-Cole"]]
    assert [player.pairing_rating for player in players(found)] == [1850, 1980, 1500, 1600]
    assert [player.background.fide.rating if player.background.fide else 0 for player in players(found)] == [
        1900,
        2000,
        0,
        1700,
    ]


def test_opponents_that_can_be_named_by_two_columns_are_an_error() -> None:
    """By rank Ann met Bob and Cy met Dee, by number Ann met Dee and Bob met Cy."""
    rows = "1,3,Ann,1500,W2\n2,4,Bob,1500,L1\n3,1,Cy,1500,W4\n4,2,Dee,1500,L3\n"
    (found,) = [each for each in reading(f"Rk,No,Name,Rating,Rd 1\n{rows}").faults if each.code == "bad-value"]
    assert found.message == "Opponents can be those of the column “No” or of “Rk”."


def test_the_fide_rating_behind_a_rating_is_passed_over() -> None:
    found = reading(chart("W2,D3,W4\nL1,W4,W3\nW4,D1,L2\nL3,L2,L1").replace(",1850,", ",1850 (1790),"))
    assert (found.faults, players(found)[0].pairing_rating) == ((), 1850.0)


def reading_of(data: bytes) -> Reading:
    return wallchart.read(data, "chart.csv")


@pytest.mark.parametrize(
    "text",
    [
        RANKED.format(*(f"{at}w1" for at in range(8))),
        chart("x,1,½,1\n0,x,1,1\n½,0,x,1\n0,0,0,x", titles="1,2,3,4"),
        "No,Name,ID,Rating,Section\n1,Ann,12345671,1700,Open\n2,Bo,12345672,1200,U1400\n4,Di,,unr,U1400\n",
    ],
)
def test_damaged_charts_of_other_dialects_are_refused_or_written_back_as_they_were_read(text: str) -> None:
    original = wallchart.read(text.encode(), "chart.csv")
    for mutated in mutations(text.encode(), seed=29):
        found = must_read_or_refuse(reading_of, original, mutated, lambda data: shape_of(reading_of(data)))
        # A row without a number is refused by ``check``: there is no place to write it back to.
        rows = () if found is None else [player for one in found.report.sections for player in one.players]
        is_numbered = bool(rows) and all(player.number is not None for player in rows)
        if found is not None and is_numbered and not errors(found):
            again = wallchart.read(wallchart_write.write(found.report), "chart.csv").report
            assert without_places(again) == without_places(found.report), mutated
