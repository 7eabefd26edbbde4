"""How good a prediction was: binomial deviance and Brier score, and their sums by group and section.

The expectancy is that of §4.2, compiled, never written again. Deviance is in natural units: ln 2 a game is what
somebody gets who always expects one half; a draw counts as half a win and half a loss.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from crosstable.formulas.standard import odds, winning_expectancy
from crosstable.history.kernel.arrays import Array
from crosstable.history.kernel.compiling import compiled
from crosstable.lab.predictions import Floats, Games, Truths, Whole

# The columns of sums: how many, what was expected and scored, losses, and the error against true strength.
COUNT, EXPECTED, SCORED, DEVIANCE, BRIER, ERROR, SQUARE, COLUMNS = range(8)


class Losses(NamedTuple):
    """Predictions of games and what they cost: the expected score of the first player, deviance, Brier score."""

    expected: Floats
    deviance: Floats
    brier: Floats


@compiled
def deviance(score: float, expected: float, complement: float) -> float:
    """The binomial deviance of a score, of which ``expected`` and ``complement``, which add up to 1, were expected."""
    cost = 0.0
    if score > 0.0:
        cost -= score * math.log(expected)
    if score < 1.0:
        cost -= (1.0 - score) * math.log(complement)
    return cost


@compiled
def brier(score: float, expected: float) -> float:
    """The Brier score: the squared difference."""
    return (score - expected) * (score - expected)


@compiled
def lay_losses(prior: Array, one: Array, other: Array, score: Array, out: Array) -> None:
    """The losses of every game, from the ratings of its players."""
    for at in range(len(one)):
        own, others = odds(prior[one[at]]), odds(prior[other[at]])
        expected = winning_expectancy(own, others)
        out[0, at] = expected
        out[1, at] = deviance(score[at], expected, winning_expectancy(others, own))
        out[2, at] = brier(score[at], expected)


def losses_of(games: Games, rating: Floats) -> Losses:
    """What predictions from these ratings, by row of results, cost."""
    out = np.empty((3, len(games.one)))
    lay_losses(rating, games.one, games.other, games.score, out)
    return Losses(out[0], out[1], out[2])


@compiled
def lay_costs(expected: Array, score: Array, out: Array) -> None:
    """The losses of every game, from what was expected of its first player."""
    for at in range(len(score)):
        out[0, at] = expected[at]
        out[1, at] = deviance(score[at], expected[at], 1.0 - expected[at])
        out[2, at] = brier(score[at], expected[at])


def losses_from(expected: Floats, score: Floats) -> Losses:
    """What expectations that somebody else had cost."""
    out = np.empty((3, len(score)))
    lay_costs(expected, score, out)
    return Losses(out[0], out[1], out[2])


@compiled
def add_games(games: Games, losses: Losses, label: Array, error: Array, sums: Array) -> None:
    """Sum up by section and label of a game; expected and scored are those of the favourite."""
    for at in range(len(games.one)):
        into = sums[games.section[at], label[at]]
        expected, score = losses.expected[at], games.score[at]
        if expected < 0.5:
            expected, score = 1.0 - expected, 1.0 - score
        into[COUNT] += 1.0
        into[EXPECTED] += expected
        into[SCORED] += score
        into[DEVIANCE] += losses.deviance[at]
        into[BRIER] += losses.brier[at]
        for row in (games.one[at], games.other[at]):
            into[ERROR] += 0.5 * error[0, row]
            into[SQUARE] += 0.5 * error[1, row]


@compiled
def add_sides(games: Games, losses: Losses, label: Array, error: Array, sums: Array) -> None:
    """Sum up by section and label of a player: each game counts for both; expected and scored are the player's own."""
    for at in range(len(games.one)):
        expected, score = losses.expected[at], games.score[at]
        for row in (games.one[at], games.other[at]):
            into = sums[games.section[at], label[row]]
            into[COUNT] += 1.0
            into[EXPECTED] += expected
            into[SCORED] += score
            into[DEVIANCE] += losses.deviance[at]
            into[BRIER] += losses.brier[at]
            into[ERROR] += error[0, row]
            into[SQUARE] += error[1, row]
            expected, score = 1.0 - expected, 1.0 - score


class Cells(NamedTuple):
    """Sums of one section, or whatever is drawn anew together, in one group; ordered by cluster."""

    cluster: Whole
    group: Whole
    sums: Floats


# Fills in the sums of some games, which are a part of all, by section and group.
Adding = Callable[[Games, slice, Floats], None]
# Sums are made for so many numbers at a time.
_ROOM = 1 << 22


def cells_by_section(games: Games, groups: int, columns: int, add: Adding) -> Cells:
    """The cells that are not empty, of games that are ordered by section; some sections are summed up at a time."""
    sections = int(games.section[-1]) + 1
    room = min(sections, max(1, _ROOM // (groups * columns)))
    parts = [Cells(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros((0, columns)))]
    for first in range(0, sections, room):
        low, high = np.searchsorted(games.section, (first, first + room)).tolist()
        at = slice(low, high)
        section = games.section[at] - np.int32(first)
        part = Games(section, games.system[at], games.one[at], games.other[at], games.score[at])
        sums = np.zeros((room, groups, columns))
        add(part, at, sums)
        cluster, group = np.nonzero(sums[:, :, COUNT])
        parts.append(Cells(cluster + first, group, sums[cluster, group]))
    return Cells(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def merged_cells(cells: list[Cells], groups: list[int]) -> Cells:
    """Several tables of cells as one; the groups of each come after those of the one before."""
    before = np.cumsum([0, *groups[:-1]])
    group = np.concatenate([one.group + first for one, first in zip(cells, before, strict=True)])
    cluster = np.concatenate([one.cluster for one in cells])
    order = np.argsort(cluster, kind="stable")
    sums = np.concatenate([one.sums for one in cells])
    return Cells(cluster[order], group[order], sums[order])


def errors_of(prior: Floats, strength: Floats) -> Floats:
    """The error against true strength by row of results, and its square; nothing where there is no truth."""
    error = prior - strength
    known: Truths = ~np.isnan(error)
    return np.stack((np.where(known, error, 0.0), np.where(known, error * error, 0.0)))
