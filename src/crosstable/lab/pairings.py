"""Pairing and playing sections round by round, in a form that can be compiled: numbers and columns of numbers, no more.

Every draw of luck is given from outside, and nothing but addition, multiplication, comparison and a table of
expectancies touches a float: interpreted and compiled, the same games are played.

``desk`` is what a tournament director has on the table: a column per fact (``ORDER`` to ``PLAYED``), a place per row of
the section. Rows are counted from 0 in their section; points are counted in halves. ``met`` says, by two rows, in which
section they met last, counted from 1.
"""

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosstable.formulas.standard import odds, winning_expectancy
from crosstable.lab.population import Whole

# A column is an array where the code is compiled, and a list, which is several times as fast, where Python itself
# reads it; so is a table of columns.
Column = Any
Columns = Any

SWISS, ROUND_ROBIN, ABROAD = range(3)
# The columns of the desk.
ORDER, QUEUE, PARTNER, COLOUR, WHITES, IS_GONE, IS_AWAY, HAD_BYE, POINTS, PLAYED = range(10)
# The columns of the sections; GAMES is 2 where each pairing plays two, GUESTS how many members play abroad.
FIRST, ROUNDS, GAMES, MANNER, GUESTS = range(5)
# Cells that are no games, by their numbers.
LETTERS = "XFBHU"
FORFEIT_WIN, FORFEIT_LOSS, FULL_BYE, HALF_BYE, UNPAIRED = range(len(LETTERS))
NOBODY = -1
WHITE, BLACK = 1, 2
# Nobody is expected to do better than the end of the table.
FARTHEST = 1200


class Chances(NamedTuple):
    """Luck: a number below 1 per row and round (``fate``) and per row and game (``luck``); how likely things are.

    ``at`` holds, by section, where its own begin.
    """

    at: Columns
    fate: Column
    luck: Column
    expectancy: Column
    withdrawals: float
    half_byes: float
    forfeits: float
    white_advantage: int
    draws: float
    draws_growth: float


class Written(NamedTuple):
    """What is written down; ``used`` counts the games and the cells.

    Games: section, round, first, second, result, colour. Cells that are no games: row, round, cell, opponent. By row:
    points and games.
    """

    games: Columns
    cells: Columns
    rows: Columns
    used: Column


class Table(NamedTuple):
    """A game of a round of a section: the numbers of all three from 0, the section's first row and its size."""

    section: int
    round_number: int
    game: int
    games: int
    manner: int
    first: int
    size: int


def play(sections: Columns, strength: Column, chances: Chances, desk: Columns, met: Columns, written: Written) -> None:
    """Play all sections."""
    for section in range(len(sections[ROUNDS]) - 1):  # the last place only ends the one before
        first = sections[FIRST][section]
        size = sections[FIRST][section + 1] - first
        games, manner = sections[GAMES][section], sections[MANNER][section]
        for row in range(size):
            desk[ORDER][row] = row
            for fact in range(WHITES, PLAYED + 1):
                desk[fact][row] = 0
        for round_number in range(sections[ROUNDS][section]):
            for game in range(games):
                table = Table(section, round_number, game, games, manner, first, size)
                if game == 0:
                    arrive(chances, desk, written, table)
                    if manner == SWISS:
                        pair_by_score(desk, met, written, table)
                    elif manner == ROUND_ROBIN:
                        pair_by_circle(desk, written, table)
                    else:
                        pair_abroad(desk, table, sections[GUESTS][section])
                    sit_down(chances, desk, met, written, table)
                play_games(strength, chances, desk, written, table)
        for row in range(size):
            written.rows[0][first + row] = desk[POINTS][row]
            written.rows[1][first + row] = desk[PLAYED][row]


def arrive(chances: Chances, desk: Columns, written: Written, table: Table) -> None:
    """Who is there for a round; those who are not and would be paired by score get their cells at once."""
    at = chances.at[0][table.section] + table.round_number * table.size
    is_gone, is_away = desk[IS_GONE], desk[IS_AWAY]
    for row in range(table.size):
        desk[PARTNER][row] = NOBODY
        fate = chances.fate[at + row]
        if table.manner != ABROAD and table.round_number > 0 and fate < chances.withdrawals:
            is_gone[row] = 1
        is_away[row] = is_gone[row]
        if table.manner != SWISS:
            continue
        if is_gone[row] == 1:
            write_cell(written, table, row, UNPAIRED, NOBODY)
        elif fate > 1.0 - chances.half_byes:
            is_away[row] = 1
            desk[POINTS][row] += table.games
            write_cell(written, table, row, HALF_BYE, NOBODY)


def write_cell(written: Written, table: Table, row: int, cell: int, opponent: int) -> None:
    """A cell that is no game, in each of the round's columns."""
    cells = written.cells
    for game in range(table.games):
        at = written.used[1]
        cells[0][at] = table.first + row
        cells[1][at] = table.round_number * table.games + game + 1
        cells[2][at] = cell
        cells[3][at] = opponent
        written.used[1] = at + 1


def pair_by_score(desk: Columns, met: Columns, written: Written, table: Table) -> None:
    """Swiss pairings: by score, the upper half of a score group against the lower, nobody twice."""
    queue, partner = desk[QUEUE], desk[PARTNER]
    waiting = line_up(desk, table)
    if waiting % 2 == 1:
        give_bye(desk, written, table, waiting)
        waiting -= 1
    for at in range(waiting):
        row = queue[at]
        if partner[row] == NOBODY:
            found = opponent_of(desk, met, table, at, waiting)
            if found != NOBODY:
                partner[row] = found
                partner[found] = row
    for at in range(waiting):
        if partner[queue[at]] == NOBODY and not is_rescued(desk, met, table, at, waiting):
            write_cell(written, table, queue[at], UNPAIRED, NOBODY)


def line_up(desk: Columns, table: Table) -> int:
    """Put those who are there in line by score, then by number; returns how many they are."""
    order, points, queue = desk[ORDER], desk[POINTS], desk[QUEUE]
    for at in range(1, table.size):
        row = order[at]
        place = at
        for earlier in range(at - 1, -1, -1):
            other = order[earlier]
            if points[other] > points[row] or (points[other] == points[row] and other < row):
                break
            order[earlier + 1] = other
            place = earlier
        order[place] = row
    waiting = 0
    for at in range(table.size):
        if desk[IS_AWAY][order[at]] == 0:
            queue[waiting] = order[at]
            waiting += 1
    return waiting


def give_bye(desk: Columns, written: Written, table: Table, waiting: int) -> None:
    """Take the lowest who has had no bye out of the line, with a full point."""
    queue = desk[QUEUE]
    chosen = waiting - 1
    for at in range(waiting - 1, -1, -1):
        if desk[HAD_BYE][queue[at]] == 0:
            chosen = at
            break
    row = queue[chosen]
    desk[HAD_BYE][row] = 1
    desk[POINTS][row] += 2 * table.games
    write_cell(written, table, row, FULL_BYE, NOBODY)
    for at in range(chosen, waiting - 1):
        queue[at] = queue[at + 1]


def opponent_of(desk: Columns, met: Columns, table: Table, at: int, waiting: int) -> int:
    """Whom the player has not met: the first from the middle of the score group down, else the last above it."""
    queue, partner, points = desk[QUEUE], desk[PARTNER], desk[POINTS]
    row = queue[at]
    others = 0
    for later in range(at + 1, waiting):
        if points[queue[later]] != points[row]:
            break
        if partner[queue[later]] == NOBODY:
            others += 1
    found = NOBODY
    passed = 0
    for later in range(at + 1, waiting):
        other = queue[later]
        if partner[other] != NOBODY:
            continue
        if met[row][other] != table.section + 1:
            found = other
            if passed >= others // 2:
                break
        passed += 1
    return found


def is_rescued(desk: Columns, met: Columns, table: Table, at: int, waiting: int) -> bool:
    """Pair two who are left over by breaking up one pairing, so that all four have a new opponent."""
    queue, partner = desk[QUEUE], desk[PARTNER]
    row, here = queue[at], table.section + 1
    for later in range(at + 1, waiting):
        left = queue[later]
        if partner[left] != NOBODY:
            continue
        for one in range(table.size):
            other = partner[one]
            if other != NOBODY and met[row][one] != here and met[left][other] != here:
                partner[row] = one
                partner[one] = row
                partner[left] = other
                partner[other] = left
                return True
    return False


def pair_by_circle(desk: Columns, written: Written, table: Table) -> None:
    """A round robin by the circle method: the last stays, the others move on; an empty place if they are odd."""
    partner = desk[PARTNER]
    places = table.size + table.size % 2
    turning = places - 1
    for step in range(places // 2):
        one = (table.round_number + step) % turning
        other = places - 1 if step == 0 else (table.round_number - step + turning) % turning
        if other == table.size:
            write_cell(written, table, one, UNPAIRED, NOBODY)
        else:
            partner[one] = other
            partner[other] = one


def pair_abroad(desk: Columns, table: Table, guests: int) -> None:
    """Each of the members abroad, who stand first, meets another opponent in every round."""
    opponents = table.size - guests
    for row in range(guests):
        other = guests + (table.round_number + row) % opponents
        desk[PARTNER][row] = other
        desk[PARTNER][other] = row


def sit_down(chances: Chances, desk: Columns, met: Columns, written: Written, table: Table) -> None:
    """Who has White; pairings of somebody who is away, and a few others, are forfeited."""
    partner, whites, is_away = desk[PARTNER], desk[WHITES], desk[IS_AWAY]
    at = chances.at[1][table.section] + table.round_number * table.games * table.size
    for row in range(table.size):
        other = partner[row]
        if other <= row:
            continue
        luck = chances.luck[at + other]
        is_forfeited = table.manner == SWISS and luck > 1.0 - chances.forfeits
        if is_forfeited or is_away[row] + is_away[other] > 0:
            forfeit(desk, written, table, row, luck)
            continue
        met[row][other] = met[other][row] = table.section + 1
        is_white = whites[row] < whites[other] or (whites[row] == whites[other] and luck < 0.5)
        desk[COLOUR][row] = WHITE if is_white else BLACK


def forfeit(desk: Columns, written: Written, table: Table, row: int, luck: float) -> None:
    """A pairing that is not played: one of the two, or neither, is there."""
    is_away = desk[IS_AWAY]
    other = desk[PARTNER][row]
    desk[PARTNER][row] = NOBODY
    desk[PARTNER][other] = NOBODY
    away = is_away[row] + is_away[other]
    if away == 2:
        write_cell(written, table, row, UNPAIRED, NOBODY)
        write_cell(written, table, other, UNPAIRED, NOBODY)
        return
    wins = other if is_away[row] == 1 or (away == 0 and luck * 1000.0 % 1.0 < 0.5) else row
    loses = row + other - wins
    desk[POINTS][wins] += 2 * table.games
    write_cell(written, table, wins, FORFEIT_WIN, loses)
    write_cell(written, table, loses, FORFEIT_LOSS, wins)


def play_games(strength: Column, chances: Chances, desk: Columns, written: Written, table: Table) -> None:
    """One game of every pairing, by the row that stands first; second games are played with colours reversed."""
    partner, colour, whites, points = desk[PARTNER], desk[COLOUR], desk[WHITES], desk[POINTS]
    column = table.round_number * table.games + table.game
    at = chances.at[1][table.section] + column * table.size
    for row in range(table.size):
        other = partner[row]
        if other <= row:
            continue
        if table.game > 0:
            colour[row] = WHITE + BLACK - colour[row]
        gained = 1 if colour[row] == WHITE else -1
        whites[row] += gained
        whites[other] -= gained
        one, two = strength[table.first + row] + gained * chances.white_advantage, strength[table.first + other]
        result = result_of(chances, one, two, chances.luck[at + row])
        points[row] += result
        points[other] += 2 - result
        desk[PLAYED][row] += 1
        desk[PLAYED][other] += 1
        write_game(written, table, (column + 1, row, other), result, colour[row])


def result_of(chances: Chances, strength: int, opposed: int, luck: float) -> int:
    """Half points of the first, drawn from the two strengths; strong and equal players draw more often.

    Equal players draw a share of their games that grows with the square of their strength.
    """
    difference = min(max(strength - opposed, -FARTHEST), FARTHEST)
    expected = chances.expectancy[difference + FARTHEST]
    mean = (strength + opposed) / 2000.0
    share = min(chances.draws + chances.draws_growth * mean * mean, 1.0)
    draws = share * 2.0 * min(expected, 1.0 - expected)
    wins = expected - draws / 2.0
    if luck < wins:
        return 2
    return 1 if luck < wins + draws else 0


def write_game(written: Written, table: Table, place: tuple[int, int, int], result: int, colour: int) -> None:
    """A game, with its round, the row that stands first and the other."""
    at = written.used[0]
    games = written.games
    games[0][at] = table.section
    games[1][at] = place[0]
    games[2][at] = place[1]
    games[3][at] = place[2]
    games[4][at] = result
    games[5][at] = colour
    written.used[0] = at + 1


MOST_PLAYERS = 200


Play = Callable[[Any, Any, Chances, Any, Any, Written], None]


class Field(NamedTuple):
    """What is to be played, section by section; ``first`` has one more place, which ends the last section.

    ``games`` is 2 where each pairing plays two games; ``guests`` is how many members play in a section abroad.
    """

    first: Whole
    rounds: Whole
    games: Whole
    manner: Whole
    guests: Whole
    strength: Whole


class Luck(NamedTuple):
    """How likely things are and how games end, by the names that a federation has for it."""

    withdrawals: float
    half_byes: float
    forfeits: float
    white_advantage: int = 30
    draws: float = 0.05
    draws_growth: float = 0.082


class Sheet(NamedTuple):
    """What was played: games in the order of an archive, cells that are no games, points and games of each row."""

    section: Whole
    round: Whole
    first: Whole
    second: Whole
    result: Whole
    colour: Whole
    cell_row: Whole
    cell_round: Whole
    cell: Whole
    cell_opponent: Whole
    points: Whole
    played: Whole


@cache
def expectancies() -> NDArray[np.float64]:
    """The expectancy by difference of strength, from -FARTHEST to FARTHEST."""
    equal = odds(0.0)
    found = [winning_expectancy(odds(float(one)), equal) for one in range(-FARTHEST, FARTHEST + 1)]
    # Rounded, so that no machine's library of functions can change a result.
    return np.asarray(np.round(found, 9))


def played(field: Field, luck: Luck, rng: np.random.Generator, *, is_compiled: bool = False) -> Sheet:
    """Play every section of a field."""
    size = np.diff(field.first)
    fates, lucks = size * field.rounds, size * field.rounds * field.games
    at = np.stack((np.cumsum(fates) - fates, np.cumsum(lucks) - lucks))
    chances = Chances(at, rng.random(int(fates.sum())), rng.random(int(lucks.sum())), expectancies(), *luck)
    sections = np.stack((field.first, *(np.append(column, 0) for column in field[1:5])))
    desk = np.zeros((PLAYED + 1, MOST_PLAYERS), dtype=np.int64)
    met = np.zeros((MOST_PLAYERS, MOST_PLAYERS), dtype=np.int64)
    written = Written(
        games=np.zeros((6, int((size // 2 * field.rounds * field.games).sum())), dtype=np.int64),
        cells=np.zeros((4, int(lucks.sum())), dtype=np.int64),
        rows=np.zeros((2, len(field.strength)), dtype=np.int64),
        used=np.zeros(2, dtype=np.int64),
    )
    if is_compiled:
        _compiled()(sections, field.strength, chances, desk, met, written)
        return _cut(written)
    lists = Written(*(column.tolist() for column in written))
    columns = {name: getattr(chances, name).tolist() for name in ("at", "fate", "luck", "expectancy")}
    chances = chances._replace(**columns)
    play(sections.tolist(), field.strength.tolist(), chances, desk.tolist(), met.tolist(), lists)
    return _cut(Written(*(np.asarray(column, dtype=np.int64) for column in lists)))


def _cut(written: Written) -> Sheet:
    games, cells = (int(count) for count in written.used)
    return Sheet(*written.games[:, :games], *written.cells[:, :cells], *written.rows)


@cache
def _compiled() -> Play:
    """``play`` compiled: a federation of a million members is played in seconds."""
    from crosstable.history.kernel.compiling import compiled

    names = dict(globals())
    for name, function in list(names.items()):
        if isinstance(function, FunctionType) and function.__module__ == __name__:
            # A twin that finds its compiled neighbours under their names; the functions themselves stay as they are.
            names[name] = compiled(FunctionType(function.__code__, names, name))
    play: Play = names["play"]
    return play
