"""Several rule sets in one replay: each is a lane with rating records of its own; sections and games are read once.

Every game is predicted before its section is rated, as in a back-test, and its losses go into sums by span; nothing is
kept of a lane but those sums. Lanes share no number, so a rule set gets the same sums in whatever company.
"""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from crosstable.formulas.standard import odds, winning_expectancy
from crosstable.history.adjustments import Adjustments
from crosstable.history.index import Index
from crosstable.history.kernel.arrays import (
    MATCH_CHANGE,
    RATING_COLUMNS,
    SYSTEMS,
    WORKING,
    Array,
    History,
    RecordArrays,
    Records,
    Results,
    Scratch,
    Tables,
    records_for,
    unrated,
)
from crosstable.history.kernel.compiling import inner, walking
from crosstable.history.kernel.replaying import FAR, NEAR, fetch_records, fetch_unrated
from crosstable.history.kernel.section import FIRST_ABROAD, Starter, rate_section, start_in
from crosstable.history.replay import Checkpoint, Replayer, constants_of
from crosstable.lab.predictions import Floats, Games, brier
from crosstable.rules.rule_sets import RuleSet

# The spans: sections by which a rule set is chosen, and those on which it is judged.
CHOOSING, JUDGING, SPANS = range(3)
NOT_SCORED = -1
# The columns of sums.
GAMES, DEVIANCE, BRIER, RATED_GAMES, RATED, COLUMNS = range(6)
# Results of games as archives write them.
LOST, DRAWN = 0, 1
# A product of expectancies is taken the logarithm of before it becomes too small to be a number.
SMALL = 1e-200


class Predicted(NamedTuple):
    """The games that are predicted, section by section: whom of the section's rows of results, and the result.

    ``first`` has the first game of every section and one more, which ends the last; ``span`` is by section.
    """

    first: Array
    one: Array
    other: Array
    result: Array
    span: Array


class Lanes(NamedTuple):
    """What a replay changes, lane by lane."""

    standings: Array
    decided: Array
    match_changes: Array
    rated: Array  # one for all: a system that a member may be rated in is looked at, in whatever lane
    ratings: Array
    working: Array
    faults: Array
    missing: Array
    records: Records
    odds: Array
    by_section: Array
    totals: Array


def predicted_games(games: Games, index: Index, span: Array) -> Predicted:
    """Games in the order of sections, with players counted from the first row of results of their section."""
    sections = index.history.sections
    base = sections["row"][games.section]
    is_abroad = sections["kind"][:-1] >= FIRST_ABROAD
    first = np.searchsorted(games.section, np.arange(index.sections + 1))
    return Predicted(
        first.astype(np.int64),
        (games.one - base).astype(np.int32),
        (games.other - base).astype(np.int32),
        np.rint(games.score * 2.0).astype(np.uint8),
        np.where(is_abroad, NOT_SCORED, span).astype(np.int8),
    )


@walking
def replay_lanes(
    numbers: Array, history: History, lanes: Lanes, predicted: Predicted, stretch: Array, scratch: Scratch
) -> None:
    """Predict and rate the sections of a stretch in every lane; ``numbers`` has the constants by lane and edition."""
    first, last, used = stretch[0], stretch[1], stretch[2]
    for number in range(first, last):
        for lane in range(used):
            fetch_records(tables_of(history, lanes, lane), min(number + FAR, last - 1))
        fetch_unrated(tables_of(history, lanes, 0), min(number + NEAR, last - 1))  # the same people in every lane
        is_scored = predicted.span[number] != NOT_SCORED and predicted.first[number] < predicted.first[number + 1]
        for lane in range(used):
            tables = tables_of(history, lanes, lane)
            constants = numbers[lane, history.sections[number].edition]
            if is_scored:
                lay_odds(constants, tables, number, lanes.odds, scratch)
                score_section(predicted, number, lanes.odds, lanes.by_section[lane, number])
            rate_section(constants, tables, number, scratch)
            if is_scored:
                add_up(lanes, predicted, lane, number)


@inner
def tables_of(history: History, lanes: Lanes, lane: int) -> Tables:
    """The tables of one lane."""
    standings = RecordArrays(lanes.standings[lane], lanes.decided[lane], lanes.match_changes[lane], lanes.rated)
    return Tables(
        history,
        standings,
        Results(lanes.ratings[lane], lanes.working, lanes.faults[lane], lanes.missing, lanes.records),
    )


@inner
def lay_odds(constants: Array, tables: Tables, number: int, out: Array, scratch: Scratch) -> None:
    """The odds of everybody who plays, from the rating that they bring or, below zero, the start that Step 1 gives."""
    history = tables.history
    section = history.sections[number]
    low, width = section.first, history.sections[number + 1].first - section.first
    at = 0
    for system in range(SYSTEMS):
        if section.systems & (1 << system) == 0:
            continue
        for position in range(width):
            competitor = history.competitors[low + position]
            rating = tables.standings.standings[history.places[section.row + at]].rating
            sign = 1.0
            if math.isnan(rating) and history.competitors[low + position + 1].first > competitor.first:
                rating = start_in(constants, tables, Starter(number, position, system), scratch.sources).rating
                sign = -1.0
            out[at] = sign * odds(rating)
            at += 1


@inner
def score_section(predicted: Predicted, number: int, strength: Array, out: Array) -> None:
    """The losses of a section's games: logarithms of products, as a logarithm a game would cost as much as rating."""
    for column in range(COLUMNS):
        out[column] = 0.0
    decided = drawn = 1.0
    was_rated = True
    for at in range(predicted.first[number], predicted.first[number + 1]):
        own, others = strength[predicted.one[at]], strength[predicted.other[at]]
        is_rated = own > 0.0 and others > 0.0
        if is_rated != was_rated or min(decided, drawn) < SMALL:
            add_loss(math.log(decided) + 0.5 * math.log(drawn), was_rated, out)
            decided = drawn = 1.0
        was_rated = is_rated
        own, others = abs(own), abs(others)
        expected, complement = winning_expectancy(own, others), winning_expectancy(others, own)
        result = predicted.result[at]
        out[GAMES] += 1.0
        out[RATED_GAMES] += 1.0 if is_rated else 0.0
        out[BRIER] += brier(0.5 * result, expected)
        if result == DRAWN:
            drawn *= expected * complement
        else:
            decided *= complement if result == LOST else expected
    add_loss(math.log(decided) + 0.5 * math.log(drawn), was_rated, out)


@inner
def add_loss(logarithm: float, is_rated: bool, out: Array) -> None:
    """Add what some games cost, to all games and to those of rated players."""
    out[DEVIANCE] -= logarithm
    if is_rated:
        out[RATED] -= logarithm


@inner
def add_up(lanes: Lanes, predicted: Predicted, lane: int, number: int) -> None:
    """Add a section to the sums of its span; one that could not be rated counts for nothing."""
    found = lanes.by_section[lane, number]
    for column in range(COLUMNS):
        if lanes.faults[lane, number] != 0:
            found[column] = 0.0
        lanes.totals[lane, predicted.span[number], column] += found[column]


class Lane(Replayer):
    """One rule set on its way, for the plain code that acts at checkpoints."""

    def __init__(self, index: Index, rules: RuleSet, standings: RecordArrays, results: Results) -> None:
        # Not as other replays begin: the arrays are there already.
        self.index = index
        self.rules = rules
        self.threads = 1
        self.standings = standings
        self.results = results
        self.constants = constants_of(rules)


class Sums(NamedTuple):
    """What a replay found of one rule set: sums by span and column, and by section and column."""

    totals: Floats
    by_section: Floats


class Company(Replayer):
    """Lanes that are replayed together, again and again; one thread has one."""

    def __init__(self, index: Index, adjustments: Adjustments, predicted: Predicted, width: int) -> None:
        super().__init__(index, 1)
        self.width = width
        self.predicted = predicted
        adjustments.prepare(self)
        self._fresh = self.standings
        self.results = self.results._replace(ratings=np.zeros((RATING_COLUMNS, 0)))  # every lane has its own
        self._checkpoints = adjustments.checkpoints()
        widest = int(np.diff(index.history.sections["row"]).max(initial=1))
        self._room = _room(self._fresh, index, width, widest)
        self._lanes: list[Lane] = []
        self._numbers: Array = None
        self._end = 0

    def scored(self, rules: Sequence[RuleSet], end: int) -> list[Sums]:
        """Replay some rule sets, at most as many as there are lanes, from the beginning up to a section."""
        self._end = end
        self._lanes = [self._begun(at, one) for at, one in enumerate(rules)]
        self._numbers = np.stack([lane.constants for lane in self._lanes])
        for array in (self._room.faults, self._room.by_section, self._room.totals):
            array[:] = 0
        self.replay(
            [
                checkpoint._replace(act=self._acting(checkpoint))
                for checkpoint in self._checkpoints
                if checkpoint.before < end
            ]
        )
        return [Sums(self._room.totals[at].copy(), self._room.by_section[at].copy()) for at in range(len(rules))]

    def _begun(self, at: int, rules: RuleSet) -> Lane:
        room = self._room
        standings = RecordArrays(room.standings[at], room.decided[at], room.match_changes[at], room.rated)
        for mine, fresh in zip(standings, self._fresh, strict=True):
            mine[:] = fresh
        results = Results(room.ratings[at], room.working, room.faults[at], room.missing, room.records)
        return Lane(self.index, rules, standings, results)

    def _acting(self, checkpoint: Checkpoint) -> Callable[[Replayer], None]:
        def act(_: Replayer) -> None:
            for lane in self._lanes:
                checkpoint.act(lane)

        return act

    def _go(self, pool: ThreadPoolExecutor, first: int, last: int) -> None:
        stretch = np.array([first, min(last, self._end), len(self._lanes)], dtype=np.int64)
        replay_lanes(self._numbers, self.index.history, self._room, self.predicted, stretch, self._scratch[0])


def _room(fresh: RecordArrays, index: Index, width: int, widest: int) -> Lanes:
    """Arrays for so many lanes; records of every lane begin on a line of the cache."""
    return Lanes(
        unrated(width * len(fresh.standings)).reshape(width, len(fresh.standings)),
        np.stack([fresh.decided] * width),
        np.zeros((width, len(fresh.match_changes)), dtype=MATCH_CHANGE),
        fresh.rated.copy(),
        np.zeros((width, RATING_COLUMNS, index.rows)),
        np.zeros(0, dtype=WORKING),
        np.zeros((width, index.sections), dtype=np.uint8),
        np.zeros(index.sections),
        records_for(0, 0),
        np.zeros(widest),
        np.zeros((width, index.sections, COLUMNS)),
        np.zeros((width, SPANS, COLUMNS)),
    )
