"""A month's sections played: draws the luck, lets ``pairings`` play, and cuts what was written to its length."""

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosstable.formulas.standard import odds, winning_expectancy
from crosstable.lab import pairings
from crosstable.lab.pairings import FARTHEST, PLAYED, Chances, Written

MOST_PLAYERS = 200

Whole = NDArray[np.int64]
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
    """How likely a row withdraws before a round, takes a half-point bye, or a pairing is forfeited; and how games end.

    ``white`` is what White is worth in points of strength; ``draws`` and ``draws_growth`` are explained where results
    are drawn.
    """

    withdraws: float
    takes_a_bye: float
    forfeits: float
    white: int = 30
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
    pairings.play(sections.tolist(), field.strength.tolist(), chances, desk.tolist(), met.tolist(), lists)
    return _cut(Written(*(np.asarray(column, dtype=np.int64) for column in lists)))


def _cut(written: Written) -> Sheet:
    games, cells = (int(count) for count in written.used)
    return Sheet(*written.games[:, :games], *written.cells[:, :cells], *written.rows)


@cache
def _compiled() -> Play:
    """``pairings`` compiled: a federation of a million members is played in seconds."""
    from crosstable.history.kernel.compiling import compiled

    names = dict(vars(pairings))
    for name, function in list(names.items()):
        if isinstance(function, FunctionType) and function.__module__ == pairings.__name__:
            # A twin that finds its compiled neighbours under their names; the functions themselves stay as they are.
            names[name] = compiled(FunctionType(function.__code__, names, name))
    play: Play = names["play"]
    return play
