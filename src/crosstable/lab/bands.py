"""The groups in which predictions are judged: eras, systems, and bands of rating, age and games."""

from datetime import date
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosstable.lab.predictions import Brought, Floats, Games, People
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
GAMES = (SPECIAL + 1, PROVISIONAL + 1, MANY_GAMES + 1)
NOT_KNOWN = "not known"
NEWCOMER = "newcomer"
# An era begins where one of these changed, which move nearly every rating.
_MOVING = ("bonus_threshold", "effective_base", "effective_slope", "initialisation")


class Grouping(NamedTuple):
    """Groups of one kind: their names, and the number of each game's or each row's group."""

    name: str
    groups: tuple[str, ...]
    labels: Labels
    of_players: bool


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


def groupings(games: Games, people: People, brought: Brought, start: NDArray[np.int32]) -> list[Grouping]:
    """Every way in which games and their players are grouped; the first is all of them."""
    whole = np.zeros(len(games.one), dtype=np.uint8)
    rating, age = (*bands(RATINGS),), (*bands(AGES), NOT_KNOWN)
    count = (
        f"up to {SPECIAL}",
        f"{GAMES[0]} to {PROVISIONAL}",
        f"{GAMES[1]} to {MANY_GAMES}",
        f"over {MANY_GAMES}",
        NEWCOMER,
    )
    return [
        Grouping("all", ("all",), whole, of_players=False),
        Grouping("era", ERA_NAMES, era_of(start)[games.section], of_players=False),
        Grouping("system", tuple(system.name for system in RatingSystem), games.system, of_players=False),
        Grouping("rating", rating, of_rating(brought.prior), of_players=True),
        Grouping("age", age, of_age(people.age), of_players=True),
        Grouping("games", count, of_games(brought, people.counted), of_players=True),
    ]
