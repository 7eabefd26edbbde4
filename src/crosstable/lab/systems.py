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
from crosstable.history.index import Index
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
    """What is the same for every system that is led through a history.

    The last day of every section; by row of results whose record it is, where the judged rules would start them, and
    their age; and how many records there are.
    """

    day: Array
    place: Array
    official: Array
    age: Array
    places: int


def course_of(index: Index, people: People, official: Floats) -> Course:
    """The course of a history; ``official`` is the rating that every row of results brought by the judged rules."""
    history = index.history
    day = np.maximum.accumulate(history.sections["end"][:-1].astype(np.float64))
    return Course(day, history.places, official, people.age, index.standings)


class Walked(NamedTuple):
    """What a system makes of games: expectations by game, ratings by row of results, and by record what it knows."""

    expected: Array
    ratings: Array
    states: Array


def walk(start: Any, predict: Any, update: Any, p: Any, course: tuple[Games, Course], found: Walked) -> None:  # noqa: ANN401 (functions)
    """Predict every section before its games, then learn from them."""
    games, (days, places, official, ages, _) = course
    expected, ratings, states = found
    seats = np.full(len(states), -1, np.int32)
    begin, last = 0, len(games.score)
    while begin < last:
        end = begin
        while end < last and games.section[end] == games.section[begin] and games.system[end] == games.system[begin]:
            end += 1
        day = days[games.section[begin]]
        one, other = np.empty(end - begin, np.int64), np.empty(end - begin, np.int64)
        who = np.empty(2 * (end - begin), np.int64)
        count = 0
        for at in range(begin, end):
            for side in range(2):
                row = games.one[at] if side == 0 else games.other[at]
                place = places[row]
                if seats[place] < 0:
                    seats[place] = count
                    who[count] = place
                    count += 1
                    if np.isnan(states[place, 0]):
                        first = start(UnratedPlayer(official[row], ages[row], day), p)
                        for column in range(states.shape[1]):
                            states[place, column] = first[column]
                ratings[row] = states[place, 0]
            one[at - begin] = seats[places[games.one[at]]]
            other[at - begin] = seats[places[games.other[at]]]
        people = np.empty((count, states.shape[1]))
        for seat in range(count):
            people[seat] = states[who[seat]]
        for at in range(begin, end):
            expected[at] = predict(people[one[at - begin]], people[other[at - begin]], day, p)
        update(people, Section(day, one, other, games.score[begin:end]), p)
        for seat in range(count):
            states[who[seat]] = people[seat]
            seats[who[seat]] = -1
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
    """What a system made of games: losses, and the rating that every row of results brought (NaN: no game)."""

    losses: Losses
    ratings: Floats


def expected_by(given: Given, games: Games, course: Course) -> tuple[Floats, Floats]:
    """What another system expects of games, each before its section, and the ratings that rows of results brought."""
    functions = [getattr(given.system, name) for name in ("start", "predict", "update")]
    is_compiled = all(hasattr(one, "py_func") for one in functions)
    p = _parameters(tuple(given.parameters))(*map(float, given.parameters.values()))
    width = len(functions[0](UnratedPlayer(1500.0, 30.0, 0.0), p))
    shapes = (len(games.score), len(course.place), (course.places, width))
    found = Walked(*(np.full(shape, np.nan) for shape in shapes))
    walking = _walk if is_compiled else walk
    walking(functions[0], functions[1], functions[2], p, (games, course), found)
    expected, ratings, _ = found
    if not np.all((expected > 0.0) & (expected < 1.0)):
        raise HistoryError(f"{given.name} gave no expectation between 0 and 1 for some games")
    return expected, ratings


def predicted_by(given: Given, games: Games, course: Course) -> Predicted:
    """Predict games by another system, each before its section."""
    expected, ratings = expected_by(given, games, course)
    return Predicted(losses_from(expected, games.score), ratings)
