"""Rating systems that are no rule sets: anybody's, and Elo, Glicko and Glicko-2, which are written in the same way.

A system is three functions and its parameters, in a module, a class or a ``SimpleNamespace``:

    parameters = {"k": 32.0}
    def start(newcomer, p): return (1500.0,)                # what is known of somebody new; the first is a rating
    def predict(one, other, day, p): ...                    # the expected score of the first of two
    def update(people, section, p): ...                     # changes the rows of people when a section is over

``people`` has a row for everybody in the section, ``section`` has ``day``, ``one``, ``other`` (rows of people) and
``score``. Functions compiled with ``numba.njit`` are walked by compiled code, others by Python.
"""

from collections import namedtuple
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from crosstable.errors import HistoryError
from crosstable.history.kernel.arrays import Array
from crosstable.history.kernel.compiling import njit
from crosstable.lab.predictions import Floats, Games, Losses, People, losses_from


class UnratedPlayer(NamedTuple):
    """Somebody who plays for the first time in a rating system; ``official`` is where the judged rules start them."""

    official: float
    age: float
    day: float


class Section(NamedTuple):
    """A section that is over: its last day, and its games between rows of people."""

    day: float
    one: Array
    other: Array
    score: Array


class OwnSystem(Protocol):
    """Anybody's rating system; ``p`` has the parameters by name."""

    parameters: Mapping[str, float]

    @staticmethod
    def start(newcomer: UnratedPlayer, p: Any) -> tuple[float, ...]:  # noqa: ANN401 (parameters by name)
        """What is known of somebody new: so many numbers, of which the first is their rating."""

    @staticmethod
    def predict(one: Array, other: Array, day: float, p: Any) -> float:  # noqa: ANN401
        """The expected score of the first of two, from what is known of both."""

    @staticmethod
    def update(people: Array, section: Section, p: Any) -> None:  # noqa: ANN401
        """Change what is known of people by the games of a section."""


def quick(function: Callable[..., Any]) -> Any:  # noqa: ANN401 (a compiled function)
    """A function compiled when it is first called."""
    return njit(nogil=True)(function)


class Course(NamedTuple):
    """Games of one rating system in the order of sections; what comes out of them are the last two."""

    section: Array
    one: Array
    other: Array
    score: Array
    day: Array
    official: Array
    age: Array
    expected: Array
    ratings: Array


def walk(start: Any, predict: Any, update: Any, p: Any, games: Course, states: Array) -> None:  # noqa: ANN401 (functions)
    """Predict every section before its games, then learn from them; ``states`` has a row for everybody."""
    places = np.full(len(states), -1)
    begin, last = 0, len(games.score)
    while begin < last:
        end = begin
        while end < last and games.section[end] == games.section[begin]:
            end += 1
        day = games.day[begin]
        one, other = np.empty(end - begin, np.int64), np.empty(end - begin, np.int64)
        who = np.empty(2 * (end - begin), np.int64)
        count = 0
        for at in range(begin, end):
            for side in range(2):
                person = games.one[at] if side == 0 else games.other[at]
                if places[person] < 0:
                    places[person] = count
                    who[count] = person
                    count += 1
                    if np.isnan(states[person, 0]):
                        first = start(UnratedPlayer(games.official[side, at], games.age[side, at], day), p)
                        for column in range(states.shape[1]):
                            states[person, column] = first[column]
            one[at - begin], other[at - begin] = places[games.one[at]], places[games.other[at]]
        people = np.empty((count, states.shape[1]))
        for row in range(count):
            people[row] = states[who[row]]
        for at in range(begin, end):
            own, rival = people[one[at - begin]], people[other[at - begin]]
            games.expected[at] = predict(own, rival, day, p)
            games.ratings[0, at], games.ratings[1, at] = own[0], rival[0]
        update(people, Section(day, one, other, games.score[begin:end]), p)
        for row in range(count):
            states[who[row]] = people[row]
            places[who[row]] = -1
        begin = end


_walk = njit(nogil=True)(walk)


@cache
def _parameters(names: tuple[str, ...]) -> Any:  # noqa: ANN401 (a class)
    return namedtuple("Parameters", names)


class Given(Protocol):
    """A system with the parameters that were asked for."""

    @property
    def name(self) -> str:
        """How it is asked for."""

    @property
    def system(self) -> OwnSystem:
        """The system itself."""

    @property
    def parameters(self) -> Mapping[str, float]:
        """All of its parameters."""


class Predicted(NamedTuple):
    """What a system made of games: losses, and the ratings that both players brought, by side and game."""

    losses: Losses
    ratings: Floats


def predicted_by(given: Given, games: Games, people: People, official: Floats, end: Array) -> Predicted:
    """Predict games by another system, each before its section; ``end`` is the last day of every section.

    ``official`` is the rating that every row of results brought by the judged rules, from which a system may start.
    """
    functions = [getattr(given.system, name) for name in ("start", "predict", "update")]
    is_compiled = all(hasattr(one, "py_func") for one in functions)
    p = _parameters(tuple(given.parameters))(*map(float, given.parameters.values()))
    width = len(functions[0](UnratedPlayer(1500.0, 30.0, 0.0), p))
    expected, ratings = np.full(len(games.score), np.nan), np.full((2, len(games.score)), np.nan)
    for system in np.unique(games.system):
        at = np.flatnonzero(games.system == system)
        rows = np.stack((games.one[at], games.other[at]))
        players, pairs = np.unique(_players(people, rows), return_inverse=True)
        pairs = pairs.reshape(2, -1)
        day = np.maximum.accumulate(end[games.section[at]].astype(np.float64))
        out = np.empty(len(at)), np.empty((2, len(at)))
        part = Course(
            games.section[at],
            pairs[0],
            pairs[1],
            games.score[at],
            day,
            official[rows],
            people.age[rows],
            out[0],
            out[1],
        )
        states = np.full((len(players), width), np.nan)
        walking = _walk if is_compiled else walk
        walking(functions[0], functions[1], functions[2], p, part, states)
        expected[at], ratings[:, at] = out
    if not np.all((expected > 0.0) & (expected < 1.0)):
        raise HistoryError(f"{given.name} gave no expectation between 0 and 1 for some games")
    return Predicted(losses_from(expected, games.score), ratings)


def _players(people: People, rows: Array) -> Array:
    """Who rows are about: a member, or somebody without an id, who is somebody new each time."""
    member = people.member[rows].astype(np.int64)
    return np.where(member >= 0, member, -1 - rows.astype(np.int64))
