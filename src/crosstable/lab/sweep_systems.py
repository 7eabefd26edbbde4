"""Other rating systems in a sweep: the scores of one.

A system is led through a history once for every set of parameters. It learns from all games that the official rules
predict, whatever the span, and may start people where they do; its scores are those of a back-test.
"""

from typing import NamedTuple

import numpy as np

from crosstable.history.archive import Archive
from crosstable.history.index import Index
from crosstable.history.kernel.arrays import Array
from crosstable.history.kernel.compiling import compiled
from crosstable.lab.known_systems import OtherSystem
from crosstable.lab.predictions import Games, Truths, brier, deviance, games_of, people_of, rated_by
from crosstable.lab.sweep_lanes import BRIER, COLUMNS, DEVIANCE, GAMES, NOT_SCORED, RATED, RATED_GAMES, SPANS, Sums
from crosstable.lab.systems import Course, course_of, expected_by
from crosstable.rules.rule_sets import OFFICIAL


class Learning(NamedTuple):
    """A history that systems learn from: its games, how to walk them, and whether an unrated player is in each."""

    games: Games
    course: Course
    has_unrated: Truths
    span: Array

    def sums(self, system: OtherSystem, end: int) -> Sums:
        """Lead a system up to a section, and sum up its losses by span."""
        count = int(np.searchsorted(self.games.section, end))
        games = self.games.where(slice(count))
        expected, _ = expected_by(system, games, self.course)
        totals = np.zeros((SPANS, COLUMNS))
        add_losses(expected, games, self.has_unrated, self.span, totals)
        return Sums(totals, np.zeros((0, COLUMNS)))


def learning_from(archive: Archive, index: Index, span: Array) -> Learning:
    """Make a history ready; ``span`` is by section."""
    brought = rated_by(archive, index, OFFICIAL, 1)
    games = games_of(archive, index, (None, None))
    games = games.where(brought.is_rated[games.one] & brought.is_rated[games.other])
    unrated = np.isnan(brought.before)
    course = course_of(index, people_of(archive, index, None), brought.prior)
    return Learning(games, course, unrated[games.one] | unrated[games.other], span)


@compiled
def add_losses(expected: Array, games: Games, has_unrated: Array, span: Array, totals: Array) -> None:
    """Add the losses of every game to its span, and to those of rated players."""
    for at in range(len(expected)):
        own = span[games.section[at]]
        if own == NOT_SCORED:
            continue
        cost = deviance(games.score[at], expected[at], 1.0 - expected[at])
        totals[own, GAMES] += 1.0
        totals[own, DEVIANCE] += cost
        totals[own, BRIER] += brier(games.score[at], expected[at])
        if not has_unrated[at]:
            totals[own, RATED_GAMES] += 1.0
            totals[own, RATED] += cost
