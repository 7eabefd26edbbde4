"""Pairings by themselves: fields of players without luck, whose pairings can be told beforehand."""

import numpy as np
import pytest

from crosstable.lab import pairings
from crosstable.lab.pairings import FARTHEST, LETTERS, ROUND_ROBIN, SWISS, Field, Luck, Sheet, expectancies, played

NO_LUCK = Luck(0.0, 0.0, 0.0)


def field(size: int, rounds: int, manner: int = SWISS, games: int = 1, step: int = 100) -> Field:
    """One section of players ``step`` points apart, the strongest first."""
    one = np.ones(1, dtype=np.int64)
    strength = 2500 - step * np.arange(size)
    return Field(np.array([0, size]), rounds * one, games * one, manner * one, 0 * one, strength)


def play(what: Field, luck: Luck = NO_LUCK, seed: int = 1) -> Sheet:
    return played(what, luck, np.random.Generator(np.random.PCG64(seed)))


def pairs(sheet: Sheet, round_number: int) -> list[tuple[int, int]]:
    """Who played whom in a round, rows counted from 0."""
    here = sheet.round == round_number
    return list(zip(sheet.first[here].tolist(), sheet.second[here].tolist(), strict=True))


def cells(sheet: Sheet) -> list[tuple[int, int, str, int]]:
    """Row, round, letter and opponent of the cells that are no games."""
    letters = [LETTERS[cell] for cell in sheet.cell.tolist()]
    columns = (sheet.cell_row.tolist(), sheet.cell_round.tolist(), letters, sheet.cell_opponent.tolist())
    return list(zip(*columns, strict=True))


def test_the_first_round_pairs_the_upper_half_with_the_lower() -> None:
    assert pairs(play(field(8, 3)), 1) == [(0, 4), (1, 5), (2, 6), (3, 7)]


def test_the_second_round_pairs_by_score() -> None:
    """Players so far apart that the stronger always wins: 0 to 3 have a point each, 4 to 7 have none."""
    assert pairs(play(field(8, 3, step=FARTHEST)), 2) == [(0, 2), (1, 3), (4, 6), (5, 7)]


def test_an_odd_player_gets_a_bye_and_never_two() -> None:
    """Seven players, seven rounds, the weaker always losing: the lowest without a bye gets it."""
    sheet = play(field(7, 5, step=FARTHEST))
    byes = [row for row, _, letter, _ in cells(sheet) if letter == "B"]
    assert byes[0] == 6
    assert len(byes) == len(set(byes)) == 5


@pytest.mark.parametrize("size", range(2, 10))
def test_the_circle_meets_everybody_once(size: int) -> None:
    rounds = size - 1 + size % 2
    sheet = play(field(size, rounds, ROUND_ROBIN))
    met = sorted(zip(sheet.first.tolist(), sheet.second.tolist(), strict=True))
    assert met == [(one, other) for one in range(size) for other in range(one + 1, size)]
    assert len(cells(sheet)) == (size if size % 2 else 0)


@pytest.mark.parametrize("size", [4, 5, 6, 7, 11, 24, 199, 200])
@pytest.mark.parametrize("seed", range(5))
def test_nobody_meets_twice_whatever_happens(size: int, seed: int) -> None:
    """As many rounds as there may be, with withdrawals, byes and forfeits: each row has one cell a round."""
    rounds = min(9, size - 1)
    sheet = play(field(size, rounds, step=10), Luck(0.05, 0.05, 0.05), seed)
    met = list(zip(sheet.first.tolist(), sheet.second.tolist(), strict=True))
    assert len(met) == len(set(met))
    assert all(one < other for one, other in met)
    filled = np.bincount(np.concatenate((sheet.first, sheet.second, sheet.cell_row)), minlength=size)
    assert filled.tolist() == [rounds] * size


def test_two_left_over_are_paired_by_breaking_up_a_pairing() -> None:
    """Six players after two rounds, whose third leaves two who have met: all six must still play."""
    desk = [[0] * 6 for _ in range(pairings.PLAYED + 1)]
    desk[pairings.QUEUE] = [0, 1, 2, 3, 4, 5]
    desk[pairings.PARTNER] = [1, 0, 3, 2, -1, -1]
    met = [[0] * 6 for _ in range(6)]
    for one, other in ((4, 5), (0, 4), (1, 4), (2, 5)):
        met[one][other] = met[other][one] = 1
    table = pairings.Table(0, 2, 0, 1, SWISS, 0, 6)
    assert pairings.is_rescued(desk, met, table, 4, 6)
    partner = desk[pairings.PARTNER]
    assert partner[4] == 2
    assert partner[5] == 3
    assert partner[:2] == [1, 0]
    assert all(partner[partner[row]] == row for row in range(6))


def test_two_who_cannot_be_paired_sit_out() -> None:
    """Three rounds for two players: after the first nobody is left to be met."""
    sheet = play(field(2, 3))
    assert pairs(sheet, 1) == [(0, 1)]
    assert sorted(cells(sheet)) == [(0, 2, "U", -1), (0, 3, "U", -1), (1, 2, "U", -1), (1, 3, "U", -1)]


def test_two_games_a_pairing_are_played_with_both_colours() -> None:
    sheet = play(field(6, 3, games=2))
    assert sorted(set(sheet.round.tolist())) == [1, 2, 3, 4, 5, 6]
    for round_number in (1, 3, 5):
        assert pairs(sheet, round_number) == pairs(sheet, round_number + 1)
        first = sheet.colour[sheet.round == round_number] + sheet.colour[sheet.round == round_number + 1]
        assert set(first.tolist()) == {pairings.WHITE + pairings.BLACK}


def test_colours_are_balanced() -> None:
    sheet = play(field(16, 4))
    whites = np.zeros(16, dtype=np.int64)
    sign = np.where(sheet.colour == pairings.WHITE, 1, -1)
    np.add.at(whites, sheet.first, sign)
    np.add.at(whites, sheet.second, -sign)
    assert np.abs(whites).max() <= 2


def test_who_withdraws_does_not_come_back() -> None:
    sheet = play(field(20, 7, step=20), Luck(0.2, 0.0, 0.0))
    last = {row: max(r for r, *_ in _games_of(sheet, row)) for row in range(20) if _games_of(sheet, row)}
    gone = {row: round_number for row, round_number, letter, _ in sorted(cells(sheet), reverse=True) if letter == "U"}
    assert gone
    assert all(last.get(row, 0) < round_number for row, round_number in gone.items())


def _games_of(sheet: Sheet, row: int) -> list[tuple[int, int]]:
    columns = (sheet.round.tolist(), sheet.first.tolist(), sheet.second.tolist())
    return [(r, one) for r, one, other in zip(*columns, strict=True) if row in (one, other)]


def test_a_forfeit_stands_on_both_rows() -> None:
    sheet = play(field(10, 5), Luck(0.0, 0.0, 1.0))
    assert len(sheet.first) == 0
    won = {(row, at, other) for row, at, letter, other in cells(sheet) if letter == "X"}
    lost = {(other, at, row) for row, at, letter, other in cells(sheet) if letter == "F"}
    assert won == lost
    assert len(won) == 25


def test_in_a_round_robin_who_left_loses_by_forfeit() -> None:
    sheet = play(field(6, 5, ROUND_ROBIN), Luck(0.2, 0.0, 0.0), seed=3)
    letters = {letter for _, _, letter, _ in cells(sheet)}
    assert {"X", "F"} <= letters
    assert len(sheet.first) * 2 + len(cells(sheet)) == 6 * 5


def test_points_add_up() -> None:
    """Half points of games, two for a bye or a forfeit won, one for a half-point bye."""
    sheet = play(field(15, 5, step=30), Luck(0.05, 0.1, 0.05), seed=4)
    worth = {"X": 2, "B": 2, "H": 1, "F": 0, "U": 0}
    points = np.zeros(15, dtype=np.int64)
    np.add.at(points, sheet.first, sheet.result)
    np.add.at(points, sheet.second, 2 - sheet.result)
    for row, _, letter, _ in cells(sheet):
        points[row] += worth[letter]
    assert sheet.points.tolist() == points.tolist()
    assert sheet.played.sum() == 2 * len(sheet.first)


def test_results_follow_the_strengths() -> None:
    """Two thousand games of players 200 points apart: 0.76 is expected by the logistic curve; White adds nothing."""
    one = np.ones(2000, dtype=np.int64)
    many = Field(np.arange(0, 4001, 2), one, one, SWISS * one, 0 * one, np.tile([1700, 1500], 2000))
    sheet = play(many)
    score = sheet.result.mean() / 2
    assert abs(score - 1.0 / (1.0 + 10 ** (-0.5))) < 0.03


def test_expectancies_are_those_of_the_logistic_curve() -> None:
    table = expectancies()
    assert len(table) == 2 * FARTHEST + 1
    assert table[FARTHEST] == 0.5
    assert abs(table[FARTHEST + 400] - 10 / 11) < 1e-8
    assert np.all(np.abs(table + table[::-1] - 1.0) < 1e-8)
