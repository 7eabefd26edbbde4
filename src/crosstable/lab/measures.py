"""How well games were predicted: deviance, Brier score and calibration by group, each with its interval."""

import math
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosstable.history.kernel.arrays import Array
from crosstable.history.kernel.compiling import compiled
from crosstable.lab.drawing import (
    Cells,
    Clusters,
    Draws,
    Estimate,
    Table,
    compared,
    drawn_table,
    estimates,
    joined,
    means,
)
from crosstable.lab.predictions import Brought, Floats, Games, Losses, People, brier, deviance
from crosstable.rules.constants import Constants
from crosstable.rules.editions import EDITIONS
from crosstable.terms import RatingSystem

Labels = NDArray[np.uint8]

RATINGS = (400, 800, 1000, 1200, 1400, 1600, 1800, 2000, 2200)
AGES = (9, 12, 15, 18, 25, 50, 65)
# The special formula ends after the first band, a rating is established after the second.
SPECIAL = int(EDITIONS[-1].constants.special_games)
PROVISIONAL = int(EDITIONS[-1].constants.established_above)
MANY_GAMES = 100
# Ages of the groups by age, system and status, which would be too many otherwise.
COARSE_AGES = (13, 18, 25, 50)
CROSSED = "age, system, status"
GAMES = (SPECIAL + 1, PROVISIONAL + 1, MANY_GAMES + 1)
NOT_KNOWN = "not known"
# An era begins where one of these changed, which move nearly every rating.
_MOVING = ("bonus_threshold", "effective_base", "effective_slope", "initialisation")


class Grouping(NamedTuple):
    """Groups of one kind: their names, and the number of each game's or each row's group."""

    name: str
    groups: tuple[str, ...]
    labels: Labels
    of_players: bool

    @property
    def lowest(self) -> float:
        """The least that is expected: of a favourite one half."""
        return 0.0 if self.of_players else 0.5


def bands(limits: tuple[int, ...]) -> tuple[str, ...]:
    """Bands in words: ``under 9``, ``9 to 11``, …, ``65 and over``."""
    between = [f"{low} to {high - 1}" for low, high in pairwise(limits)]
    return (f"under {limits[0]}", *between, f"{limits[-1]} and over")


def _eras() -> tuple[date, ...]:
    found = [EDITIONS[0].effective]
    for before, after in pairwise(EDITIONS):
        if _moves(before.constants) != _moves(after.constants):
            found.append(after.effective)
    return tuple(found)


def _moves(constants: Constants) -> tuple[object, ...]:
    return tuple(getattr(constants, name) for name in _MOVING)


ERAS = _eras()
ERA_NAMES = tuple(f"from {day}" for day in ERAS)


def era_of(start: NDArray[np.int32]) -> Labels:
    """The era of days, counted as ``date.toordinal`` does."""
    days = np.array([day.toordinal() for day in ERAS])
    found = np.searchsorted(days, start, side="right") - 1
    assert not np.any(found < 0), "no archive has sections from before the first edition"
    return found.astype(np.uint8)


def of_rating(prior: Floats) -> Labels:
    """The rating band of every row, by the rating it brought, as it is rounded for lists."""
    return np.searchsorted(np.array(RATINGS), np.floor(prior + 0.5), side="right").astype(np.uint8)


def of_age(age: Floats) -> Labels:
    """The age band of every row; the last one is not known."""
    found = np.searchsorted(np.array(AGES), age, side="right")
    return np.where(np.isnan(age), len(AGES) + 1, found).astype(np.uint8)


def of_games(brought: Brought, counted: Floats) -> Labels:
    """The band of games before the section; the last one is somebody who had no rating."""
    before = brought.games_after - counted
    found = np.searchsorted(np.array(GAMES), before, side="right")
    return np.where(np.isnan(brought.before), len(GAMES) + 1, found).astype(np.uint8)


STATUSES = ("unrated", "provisional", "established")
NO_UNRATED, ESTABLISHED = "no unrated player", "both established"


def of_status(brought: Brought, counted: Floats) -> Labels:
    """Whether each row had no rating before its section, a provisional one, or an established one."""
    games = of_games(brought, counted)
    return np.where(games > len(GAMES), 0, np.where(games >= GAMES.index(PROVISIONAL + 1) + 1, 2, 1)).astype(np.uint8)


def groupings(games: Games, people: People, brought: Brought, start: NDArray[np.int32]) -> list[Grouping]:
    """Every way in which games and their players are grouped; the first is all of them."""
    whole = np.zeros(len(games.one), dtype=np.uint8)
    rating, age = (*bands(RATINGS),), (*bands(AGES), NOT_KNOWN)
    count = (
        f"up to {SPECIAL}",
        f"{GAMES[0]} to {PROVISIONAL}",
        f"{GAMES[1]} to {MANY_GAMES}",
        f"over {MANY_GAMES}",
        "unrated",
    )
    status = of_status(brought, people.counted)
    least = np.minimum(status[games.one], status[games.other])
    coarse = np.searchsorted(np.array(COARSE_AGES), people.age, side="right")
    coarse = np.where(np.isnan(people.age), len(COARSE_AGES) + 1, coarse)
    crossed = [
        f"{one}, {system.name}, {status_name}"
        for one in (*bands(COARSE_AGES), NOT_KNOWN)
        for system in RatingSystem
        for status_name in STATUSES
    ]
    cross = (coarse * len(RatingSystem) + people.system) * len(STATUSES) + status
    return [
        Grouping("all", ("all",), whole, of_players=False),
        Grouping("unrated", (NO_UNRATED, "with an unrated player"), (least == 0).astype(np.uint8), of_players=False),
        Grouping("status", (ESTABLISHED, "not both established"), (least < 2).astype(np.uint8), of_players=False),
        Grouping("era", ERA_NAMES, era_of(start)[games.section], of_players=False),
        Grouping("system", tuple(system.name for system in RatingSystem), games.system, of_players=False),
        Grouping("rating", rating, of_rating(brought.prior), of_players=True),
        Grouping("age", age, of_age(people.age), of_players=True),
        Grouping("games", count, of_games(brought, people.counted), of_players=True),
        Grouping(CROSSED, tuple(crossed), cross.astype(np.uint8), of_players=True),
    ]


# The columns of sums: how many, what was expected and scored, losses, the loss with the slope that fits best and how it
# changes with the slope, and the error against true strength, alone and of differences.
COUNT, EXPECTED, SCORED, DEVIANCE, BRIER, CLIPPED = range(6)
FITTED, STEEPNESS, CURVATURE, SLOPED, ERROR, SQUARE, GAP, COLUMNS = range(CLIPPED + 1, CLIPPED + 9)
BINS = 10
# Nobody is surer than this where deviance is clipped, so that one game cannot decide everything.
CLIP = 0.01
# The slope is looked for so long, up to so much; a step so small ends it.
STEPS, STEEPEST, SMALL_STEP = 30, 5.0, 1e-9
# No logarithm of nothing, however sure somebody is.
SUREST = 1e-12
# So many sums of each person are made at a time: those of more groups would take more room than the games.
SUMS_AT_ONCE = 300

METRICS = ("deviance", "clipped", "recalibrated", "slope", "brier", "surplus", "bias", "spread", "rms", "gap")


class Measure(NamedTuple):
    """How well one group was predicted; the number of its games (or of players' games) and of its sections.

    ``clipped`` is the deviance when nobody is surer than 99 %, ``recalibrated`` the deviance when every difference is
    multiplied by the ``slope`` that fits best. ``surplus`` is what was scored above what was expected, a game: by the
    favourite, or in bands of players by the player. ``bias`` is the mean error of ratings against true strengths,
    ``spread`` its standard deviation, ``rms`` the root of its mean square, ``gap`` that of the error of differences
    between opponents; NaN where nobody knows the truth.
    """

    grouping: str
    group: str
    games: int
    sections: int
    deviance: Estimate
    clipped: Estimate
    recalibrated: Estimate
    slope: Estimate
    brier: Estimate
    surplus: Estimate
    bias: Estimate
    spread: Estimate
    rms: Estimate
    gap: Estimate


class Bin(NamedTuple):
    """Games of a group in which about the same was expected: between which expectancies, what was scored.

    For everything, eras and systems the player is the favourite, and bins go from one half to 1; in bands of players it
    is the player of the band, and bins go from 0 to 1.
    """

    grouping: str
    group: str
    at_least: float
    games: int
    sections: int
    expected: Estimate
    scored: Estimate


class View(NamedTuple):
    """Predicted games as compiled code looks at them; ``error`` is by row of results."""

    section: Array
    one: Array
    other: Array
    score: Array
    expected: Array
    deviance: Array
    error: Array


class Way(NamedTuple):
    """A grouping as compiled code looks at it, with the slope that fits each group best.

    Cells are made of groups from the ``first`` on, so many at a time.
    """

    labels: Array
    of_players: bool
    bins: int
    lowest: float
    slopes: Array
    first: int = 0


@compiled
def group_of(view: View, way: Way, at: int, side: int) -> int:
    """The group of a game, or of one of its players."""
    expected = view.expected[at]
    if way.of_players:
        label = np.int64(way.labels[view.one[at] if side == 0 else view.other[at]])
        expected = expected if side == 0 else 1.0 - expected
    else:
        label = np.int64(way.labels[at])
        expected = max(expected, 1.0 - expected)
    if way.bins > 1:
        place = int((expected - way.lowest) / (1.0 - way.lowest) * way.bins)
        label = label * way.bins + min(place, way.bins - 1)
    return int(label)


@compiled
def logit_of(expected: float) -> float:
    """The logarithm of odds."""
    sure = min(max(expected, SUREST), 1.0 - SUREST)
    return math.log(sure / (1.0 - sure))


@compiled
def lay_values(view: View, way: Way, at: int, side: int, out: Array) -> None:
    """What is summed up of a game: once, of the favourite, or once for each player; a tie of favourites is halved."""
    expected, score = view.expected[at], view.score[at]
    own, scored = (expected, score) if side == 0 else (1.0 - expected, 1.0 - score)
    if not way.of_players:
        if expected < 0.5:
            own, scored = 1.0 - expected, 1.0 - score
        elif expected == 0.5:
            scored = 0.5
    out[COUNT], out[EXPECTED], out[SCORED] = 1.0, own, scored
    if len(out) == SCORED + 1:
        return
    out[DEVIANCE], out[BRIER] = view.deviance[at], brier(score, expected)
    clipped = min(max(expected, CLIP), 1.0 - CLIP)
    out[CLIPPED] = deviance(score, clipped, 1.0 - clipped)
    logit = logit_of(expected)
    slope = way.slopes[group_of(view, way, at, side)]
    fitted = 1.0 / (1.0 + math.exp(-slope * logit))
    # ln(1 + e^x) without overflow.
    out[FITTED] = max(slope * logit, 0.0) + math.log1p(math.exp(-abs(slope * logit))) - score * slope * logit
    out[STEEPNESS] = logit * (fitted - score)
    out[CURVATURE] = logit * logit * fitted * (1.0 - fitted)
    out[SLOPED] = slope * out[CURVATURE]
    first, second = view.error[view.one[at]], view.error[view.other[at]]
    if way.of_players:
        mine = first if side == 0 else second
        out[ERROR], out[SQUARE] = mine, mine * mine
    else:
        out[ERROR], out[SQUARE] = (first + second) / 2.0, (first * first + second * second) / 2.0
    out[GAP] = (first - second) * (first - second)


@compiled
def number_cells(view: View, way: Way, who: Array, ids: Array, sections: Array) -> int:
    """Number the cells of people and groups that have games, people first; count the sections of every group."""
    last = np.full(len(sections), -1)
    for at in range(len(view.one)):
        for side in range(2 if way.of_players else 1):
            group = group_of(view, way, at, side) - way.first
            if group < 0 or group >= len(sections):
                continue
            if last[group] != view.section[at]:
                last[group] = view.section[at]
                sections[group] += 1
            ids[who[view.one[at]], group] = 0
            ids[who[view.other[at]], group] = 0
    count = 0
    for person in range(ids.shape[0]):
        for group in range(ids.shape[1]):
            if ids[person, group] == 0:
                ids[person, group] = count
                count += 1
    return count


@compiled
def name_cells(ids: Array, person: Array, group: Array) -> None:
    """Whose every cell is, and of which group."""
    for one in range(ids.shape[0]):
        for at in range(ids.shape[1]):
            if ids[one, at] >= 0:
                person[ids[one, at]], group[ids[one, at]] = one, at


@compiled
def fill_cells(view: View, way: Way, clusters: Clusters, ids: Array, of_people: Array, of_blocks: Array) -> None:
    """Add every game to the cells of both its players and of its time."""
    values = np.zeros(of_people.shape[1])
    for at in range(len(view.one)):
        block = clusters.block[view.section[at]]
        one, other = clusters.who[view.one[at]], clusters.who[view.other[at]]
        for side in range(2 if way.of_players else 1):
            group = group_of(view, way, at, side) - way.first
            if group < 0 or group >= ids.shape[1]:
                continue
            lay_values(view, way, at, side, values)
            for column in range(len(values)):
                of_people[ids[one, group], column] += values[column]
                of_people[ids[other, group], column] += values[column]
                of_blocks[block, group, column] += values[column]


@compiled
def step_slopes(view: View, way: Way, sums: Array) -> None:
    """How the deviance of every group changes with its slope, once and twice."""
    for at in range(len(view.one)):
        logit = logit_of(view.expected[at])
        for side in range(2 if way.of_players else 1):
            group = group_of(view, way, at, side)
            fitted = 1.0 / (1.0 + math.exp(-way.slopes[group] * logit))
            sums[group, 0] += logit * (fitted - view.score[at])
            sums[group, 1] += logit * logit * fitted * (1.0 - fitted)


def best_slopes(view: View, way: Way) -> Floats:
    """The slope of every group with which expectancies cost least; Newton's way, from 0, where steps are too short."""
    slopes: Floats = np.zeros(len(way.slopes))
    for _ in range(STEPS):
        sums = np.zeros((len(slopes), 2))
        step_slopes(view, way._replace(slopes=slopes), sums)
        step = np.where(sums[:, 1] > 0.0, sums[:, 0] / np.maximum(sums[:, 1], 1e-300), 0.0)
        moved = np.clip(slopes - step, -STEEPEST, STEEPEST)
        if np.max(np.abs(moved - slopes), initial=0.0) < SMALL_STEP:
            break
        slopes = moved
    return slopes


class Arena(NamedTuple):
    """On what predictions are judged: the games, their groups, to whom and when they belong, the draws."""

    games: Games
    ways: Sequence[Grouping]
    clusters: Clusters
    draws: Draws


def table_of(arena: Arena, losses: Losses, error: Floats, *, bins: int = 1) -> Table:
    """Sum up losses by group, or by bins of expectancies in each group, and draw members and times anew.

    ``error`` is that of ratings against true strengths, by row of results; NaN where nobody knows.
    """
    games = arena.games
    view = View(games.section, games.one, games.other, games.score, *losses, error)
    return joined([table for way in arena.ways for table in _tables(arena, view, way, bins)])


def _tables(arena: Arena, view: View, grouping: Grouping, bins: int) -> Iterator[Table]:
    """The sums of a grouping, some groups at a time."""
    names = [(grouping.name, group) for group in grouping.groups for _ in range(bins)]
    columns = COLUMNS if bins == 1 else SCORED + 1
    way = Way(grouping.labels, grouping.of_players, bins, grouping.lowest, np.zeros(len(names)))
    if bins == 1:
        way = way._replace(slopes=best_slopes(view, way))
    at_once = SUMS_AT_ONCE // columns
    for first in range(0, len(names), at_once):
        yield _table(arena, view, way._replace(first=first), names[first : first + at_once], columns)


def _table(arena: Arena, view: View, way: Way, names: Sequence[tuple[str, str]], columns: int) -> Table:
    clusters = arena.clusters
    ids = np.full((clusters.people, len(names)), -1, dtype=np.int32)
    sections = np.zeros(len(names), dtype=np.int64)
    count = number_cells(view, way, clusters.who, ids, sections)
    of_people, of_blocks = np.zeros((count, columns)), np.zeros((clusters.blocks, len(names), columns))
    fill_cells(view, way, clusters, ids, of_people, of_blocks)
    person, group = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    name_cells(ids, person, group)
    del ids
    people = Cells(person, group, of_people, clusters.people)
    block, label = np.nonzero(of_blocks[:, :, COUNT])
    blocks = Cells(block, label, of_blocks[block, label], clusters.blocks)
    return drawn_table((people, blocks), names, sections, arena.draws)


def measures_of(table: Table, against: Table | None = None) -> list[Measure]:
    """The measures of every group that has games; with ``against``, how much they differ from another table's."""
    found = compared(table, against, _metrics)
    return [
        Measure(*names, int(table.whole[at, COUNT]), int(table.clusters[at]), *(metric[at] for metric in found))
        for at, names in enumerate(table.names)
        if table.whole[at, COUNT]
    ]


def _metrics(sums: Floats) -> Floats:
    """Every metric from sums, by group or by replicate and group."""
    mean = means(sums)
    surplus = mean[..., SCORED] - mean[..., EXPECTED]
    bias, square = mean[..., ERROR], mean[..., SQUARE]
    with np.errstate(invalid="ignore", divide="ignore"):
        curvature = np.where(mean[..., CURVATURE] > 0.0, mean[..., CURVATURE], np.nan)
        move, slope = mean[..., STEEPNESS] / curvature, (mean[..., SLOPED] - mean[..., STEEPNESS]) / curvature
        roots = [np.sqrt(one) for one in (square - bias**2, square, mean[..., GAP])]
    # In a draw the best slope lies a little beside that of everything, where deviance is a parabola.
    recalibrated = mean[..., FITTED] - np.nan_to_num(move) * mean[..., STEEPNESS] / 2.0
    losses = (mean[..., DEVIANCE], mean[..., CLIPPED], recalibrated, slope, mean[..., BRIER])
    return np.stack((*losses, surplus, bias, *roots), axis=-1)


def bins_of(table: Table, ways: Sequence[Grouping]) -> list[Bin]:
    """The calibration of every group, bin by bin."""
    lowest = {way.name: way.lowest for way in ways}
    found = compared(table, None, lambda sums: means(sums)[..., [EXPECTED, SCORED]])
    return [
        Bin(
            grouping,
            group,
            round(lowest[grouping] + at % BINS * (1.0 - lowest[grouping]) / BINS, 2),
            int(table.whole[at, COUNT]),
            int(table.clusters[at]),
            *(column[at] for column in found),
        )
        for at, (grouping, group) in enumerate(table.names)
        if table.whole[at, COUNT]
    ]


def calibration_error(table: Table, sections: int) -> Estimate:
    """How far what was scored lies from what was expected, as a mean over all games; the first group is all of them."""
    value, drawn = (_errors(sums[..., :BINS, :]) for sums in (table.whole, table.drawn))
    return estimates(value[None], drawn[:, None], np.array([sections]))[0]


def _errors(sums: Floats) -> Floats:
    gap = np.abs(sums[..., SCORED] - sums[..., EXPECTED]).sum(axis=-1)
    return np.asarray(gap / sums[..., COUNT].sum(axis=-1))
