"""Two games in one cell: what SwissSys's codes stand for, and when a section holds them."""

import pytest

from crosstable.checks.findings import section_place
from crosstable.checks.games import game_faults
from crosstable.formats import uschess_dbf
from crosstable.formats.uschess_2c import cell_of, games_of
from crosstable.terms import GAME_SCORES, ReportedCell, ReportedSection, Result
from tests.formats.uschess_event import one_section

W, L, D = Result.WIN, Result.LOSS, Result.DRAW


def section(*rows: str, **changes: str) -> ReportedSection:
    reading = uschess_dbf.read(one_section(rows, len(rows[0].split()), **changes), "double")
    assert reading.faults == ()
    return reading.report.sections[0]


def results(read: ReportedSection) -> list[list[Result | None]]:
    return [[cell.result for cell in player.cells] for player in read.players]


@pytest.mark.parametrize(
    ("cell", "mirror", "score"),
    [("$", "L", 2.0), ("#", "D", 1.5), ("W", "W", 1.0), ("%", "%", 1.0), ("D", "#", 0.5), ("L", "$", 0.0)],
)
def test_each_code_stands_for_two_games_that_both_rows_show(cell: str, mirror: str, score: float) -> None:
    """The scores of the table: 2-0, 1½-½, 1-1 by a win each, 1-1 by draws, ½-1½, 0-2."""
    read = section(f"{cell}2W", f"{mirror}1B", S_TRN_TYPE="2")
    own, other = results(read)
    assert sum(GAME_SCORES[result] for result in own if result) == score
    assert sum(GAME_SCORES[result] for result in other if result) == 2.0 - score
    assert game_faults(read, section_place(read, 0)) == []


def test_a_win_each_is_two_decided_games_and_two_draws_are_not() -> None:
    assert results(section("W2W", "W1B", S_TRN_TYPE="2")) == [[W, L], [L, W]]
    assert results(section("%2W", "%1B")) == [[D, D], [D, D]]
    assert results(section("#2W", "D1B")) == [[W, D], [L, D]]


def test_unplayed_rounds_are_unplayed_twice() -> None:
    read = section("$2W X0 H0", "L1B F0 B0", "Z0 U0 U0")
    assert results(read)[0] == [W, W, Result.FORFEIT_WIN, Result.FORFEIT_WIN, Result.HALF_BYE, Result.HALF_BYE]
    assert results(read)[2] == [Result.FORFEIT_DRAW, Result.FORFEIT_DRAW, *[Result.UNPAIRED] * 4]


def test_colours_are_kept_where_they_do_not_depend_on_the_order_of_the_games() -> None:
    read = section("$2W #2W", "L1B D1B")
    assert [cell.colour for cell in read.players[0].cells] == ["w", "b", "", ""]
    assert [cell.colour for cell in read.players[1].cells] == ["b", "w", "", ""]


def test_the_section_says_how_many_games_a_round_has_and_keeps_its_rounds() -> None:
    read = section("$2W #2B", "L1B D1W", S_TRN_TYPE="2")
    assert read.details["games_per_round"] == "2"
    assert read.details["rounds"] == "2"
    assert [len(player.cells) for player in read.players] == [4, 4]


def test_a_code_of_double_games_is_enough_whatever_the_type() -> None:
    assert section("$2W", "L1B", S_TRN_TYPE="S").details["games_per_round"] == "2"


@pytest.mark.parametrize("rows", [("W2W", "L1B"), ("D2W", "D1B"), ("W2W L2B", "L1B W1W")])
def test_a_double_swiss_with_a_column_for_each_game_is_left_as_it_is(rows: tuple[str, str]) -> None:
    read = section(*rows, S_TRN_TYPE="2")
    assert "games_per_round" not in read.details
    assert len(read.players[0].cells) == len(rows[0].split())


def test_one_mistyped_cell_does_not_turn_a_whole_section_into_double_games() -> None:
    read = section("W2W W3B", "L1B $4W", "W4W L1W", "L3B L2B")
    assert "games_per_round" not in read.details
    assert read.players[1].cells[1] == ReportedCell("$4W", None, 0, "")


def test_two_winners_of_one_ordinary_game_are_not_taken_for_a_win_each() -> None:
    assert results(section("W2W", "W1B", S_TRN_TYPE="S")) == [[W], [W]]


@pytest.mark.parametrize("text", ["N2W", "Q2W", "$2X", "$9999999"])
def test_what_has_no_meaning_in_double_games_stays_unknown(text: str) -> None:
    assert [game.result for game in games_of(text, 1)] == [None, None]


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        (("W", 2, "w"), ("W", 2, "b"), "$2W"),
        (("D", 2, ""), ("W", 2, ""), "#2"),
        (("W", 2, ""), ("L", 2, ""), "W2"),
        (("L", 2, ""), ("W", 2, ""), "W2"),
        (("D", 2, "b"), ("D", 2, "w"), "%2B"),
        (("D", 2, ""), ("L", 2, ""), "D2"),
        (("L", 2, ""), ("L", 2, ""), "L2"),
        (("X", 0, ""), ("X", 0, ""), "X0"),
        (("H", 0, ""), ("H", 0, ""), "H0"),
        (("W", 2, ""), ("W", 3, ""), None),
        (("W", 2, ""), ("H", 0, ""), None),
        (("N", 2, ""), ("N", 2, ""), None),
        (("W", 2, ""), ("X", 2, ""), None),
    ],
)
def test_two_games_are_written_in_one_cell_where_there_is_a_code_for_them(
    first: tuple[str, int, str], second: tuple[str, int, str], text: str | None
) -> None:
    one, two = (ReportedCell(f"{r}{n or ''}{c}", Result(r), n, c) for r, n, c in (first, second))
    assert cell_of(one, two, 1) == text


def test_an_unknown_cell_is_written_as_it_came() -> None:
    unknown = ReportedCell("Q2W", None, 0, "")
    assert cell_of(unknown, unknown, 1) == "Q2W"
    assert cell_of(unknown, ReportedCell("W2", W, 2, ""), 1) is None


def test_two_unplayed_rounds_are_one_cell_however_they_were_written() -> None:
    one, two = ReportedCell("X", Result.FORFEIT_WIN, 0, ""), ReportedCell("bye", Result.FORFEIT_WIN, 0, "")
    assert cell_of(one, two, 1) == "X0"
