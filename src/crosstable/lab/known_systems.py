"""Elo, Glicko, Glicko-2 and the standard formula with hooks, as rating systems of the laboratory (systems.py)."""

import hashlib
import importlib.util
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from crosstable.errors import HistoryError
from crosstable.history.kernel.arrays import Array
from crosstable.lab.population import written
from crosstable.lab.systems import OwnSystem, Section, UnratedPlayer, quick
from crosstable.rules.editions import EDITIONS

LOG_TEN = math.log(10.0)
SCALE = 400.0 / LOG_TEN
_STARTS = {"initial_rating": 1500.0, "same_starts": 0.0}


@quick
def starting_rating(newcomer: UnratedPlayer, p: Any) -> float:  # noqa: ANN401
    """The given start, or the one of the judged rules."""
    return newcomer.official if p.same_starts > 0.0 else p.initial_rating


@quick
def elo_start(newcomer: UnratedPlayer, p: Any) -> tuple[float, ...]:  # noqa: ANN401
    """A rating."""
    return (starting_rating(newcomer, p),)


@quick
def elo_predict(one: Array, other: Array, day: float, p: Any) -> float:  # noqa: ANN401
    """The logistic expectancy on the scale of ratings."""
    return 1.0 / (1.0 + math.exp((other[0] - one[0]) / SCALE))


@quick
def elo_update(people: Array, section: Section, p: Any) -> None:  # noqa: ANN401
    """All games of a section change a rating at once (A. Elo, The Rating of Chessplayers, 1978)."""
    before = people.copy()
    for at in range(len(section.score)):
        one, other = section.one[at], section.other[at]
        change = p.k * (section.score[at] - elo_predict(before[one], before[other], section.day, p))
        people[one, 0] += change
        people[other, 0] -= change


@quick
def certainty(deviation: float) -> float:
    """How much a result against an opponent of such a deviation tells: g(φ), with φ on the scale of logits."""
    return 1.0 / math.sqrt(1.0 + 3.0 * deviation * deviation / (math.pi * math.pi))


@quick
def glicko_start(newcomer: UnratedPlayer, p: Any) -> tuple[float, ...]:  # noqa: ANN401
    """A rating, its deviation, and the day of it."""
    return (starting_rating(newcomer, p), p.initial_rd, newcomer.day)


@quick
def glicko_deviation(one: Array, day: float, p: Any) -> float:  # noqa: ANN401
    """The deviation on a day: it grows from day to day, up to that of somebody new."""
    periods = max(day - one[2], 0.0) / p.period_days
    return float(min(math.sqrt(one[1] * one[1] + p.c * p.c * periods), p.initial_rd))


@quick
def glicko_predict(one: Array, other: Array, day: float, p: Any) -> float:  # noqa: ANN401
    """The expectancy, nearer to one half the less is known of the two."""
    both = math.sqrt(glicko_deviation(one, day, p) ** 2 + glicko_deviation(other, day, p) ** 2) / SCALE
    return 1.0 / (1.0 + math.exp(certainty(both) * (other[0] - one[0]) / SCALE))


@quick
def glicko_update(people: Array, section: Section, p: Any) -> None:  # noqa: ANN401
    """A section is a period (M. Glickman, The Glicko system)."""
    before = people.copy()
    for row in range(len(people)):
        before[row, 1] = glicko_deviation(people[row], section.day, p)
    surplus, weight = np.zeros(len(people)), np.zeros(len(people))
    for at in range(len(section.score)):
        one, other = section.one[at], section.other[at]
        for own, rival, score in ((one, other, section.score[at]), (other, one, 1.0 - section.score[at])):
            g = certainty(before[rival, 1] / SCALE)
            expected = 1.0 / (1.0 + math.exp(g * (before[rival, 0] - before[own, 0]) / SCALE))
            surplus[own] += g * (score - expected)
            weight[own] += g * g * expected * (1.0 - expected)
    for row in range(len(people)):
        precision = 1.0 / before[row, 1] ** 2 + weight[row] / SCALE**2
        people[row, 0] += surplus[row] / SCALE / precision
        people[row, 1] = math.sqrt(1.0 / precision)
        people[row, 2] = section.day


@quick
def glicko2_start(newcomer: UnratedPlayer, p: Any) -> tuple[float, ...]:  # noqa: ANN401
    """A rating, its deviation, the day of it, and the volatility."""
    return (starting_rating(newcomer, p), p.initial_rd, newcomer.day, p.initial_sigma)


@quick
def glicko2_deviation(one: Array, day: float, p: Any, less: float = 0.0) -> float:  # noqa: ANN401
    """The deviation on a day, on the scale of logits: it grows by the volatility, up to that of somebody new."""
    periods = max((day - one[2]) / p.period_days - less, 0.0)
    return float(min(math.sqrt((one[1] / SCALE) ** 2 + one[3] * one[3] * periods), p.initial_rd / SCALE))


@quick
def glicko2_predict(one: Array, other: Array, day: float, p: Any) -> float:  # noqa: ANN401
    """The expectancy, nearer to one half the less is known of the two."""
    both = math.sqrt(glicko2_deviation(one, day, p) ** 2 + glicko2_deviation(other, day, p) ** 2)
    return 1.0 / (1.0 + math.exp(certainty(both) * (other[0] - one[0]) / SCALE))


@quick
def pull(x: float, surplus: float, known: float, sigma: float, tau: float) -> float:
    """f(x) of step 5 of Glicko-2: zero at the logarithm of the new volatility's square."""
    ex = math.exp(x)
    return ex * (surplus - known - ex) / (2.0 * (known + ex) ** 2) - (x - math.log(sigma * sigma)) / (tau * tau)


@quick
def volatility(surplus: float, known: float, sigma: float, tau: float) -> float:
    """The new volatility; ``surplus`` is Δ², ``known`` is φ² + v (step 5 of the example)."""
    low = math.log(sigma * sigma)
    high = math.log(surplus - known) if surplus > known else low - tau
    while surplus <= known and pull(high, surplus, known, sigma, tau) < 0.0:
        high -= tau
    at_low, at_high = pull(low, surplus, known, sigma, tau), pull(high, surplus, known, sigma, tau)
    while abs(high - low) > 1e-6:
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = pull(middle, surplus, known, sigma, tau)
        if at_middle * at_high <= 0.0:
            low, at_low = high, at_high
        else:
            at_low /= 2.0
        high, at_high = middle, at_middle
    return math.exp(low / 2.0)


@quick
def glicko2_update(people: Array, section: Section, p: Any) -> None:  # noqa: ANN401
    """A section is a period (M. Glickman, Example of the Glicko-2 system)."""
    before = people.copy()
    for row in range(len(people)):
        before[row, 1] = glicko2_deviation(people[row], section.day, p)
    surplus, weight = np.zeros(len(people)), np.zeros(len(people))
    for at in range(len(section.score)):
        one, other = section.one[at], section.other[at]
        for own, rival, score in ((one, other, section.score[at]), (other, one, 1.0 - section.score[at])):
            g = certainty(before[rival, 1])
            expected = 1.0 / (1.0 + math.exp(g * (before[rival, 0] - before[own, 0]) / SCALE))
            surplus[own] += g * (score - expected)
            weight[own] += g * g * expected * (1.0 - expected)
    for row in range(len(people)):
        own, variance = glicko2_deviation(people[row], section.day, p, 1.0), 1.0 / weight[row]
        sigma = volatility((variance * surplus[row]) ** 2, own * own + variance, people[row, 3], p.tau)
        # The last period, or the part of it that has passed, counts with the new volatility.
        periods = min(max(section.day - people[row, 2], 0.0) / p.period_days, 1.0)
        precision = 1.0 / min(own * own + sigma * sigma * periods, (p.initial_rd / SCALE) ** 2) + weight[row]
        people[row, 0] += SCALE * surplus[row] / precision
        people[row, 1] = SCALE / math.sqrt(precision)
        people[row, 2], people[row, 3] = section.day, sigma


@quick
def standard_start(newcomer: UnratedPlayer, p: Any) -> tuple[float, ...]:  # noqa: ANN401
    """A rating, and the games it rests on."""
    return (starting_rating(newcomer, p), 0.0)


def standard_system(
    k: Callable[..., float], expectancy: Callable[..., float], bonus: Callable[..., float], cap: Callable[..., float]
) -> OwnSystem:
    """The standard formula (§4.2) with hooks of your own, which are compiled.

    ``k(rating, games, played, p)``, ``expectancy(own, other, p)``, ``bonus(change, played, p)``, ``cap(change, p)``.
    Everybody is rated by it, whatever their games: where the special formula differs, so does this.
    """
    k, expectancy, bonus, cap = (one if hasattr(one, "py_func") else quick(one) for one in (k, expectancy, bonus, cap))

    @quick
    def predict(one: Array, other: Array, day: float, p: Any) -> float:  # noqa: ANN401
        return expectancy(one[0], other[0], p)

    @quick
    def update(people: Array, section: Section, p: Any) -> None:  # noqa: ANN401
        before = people.copy()
        surplus, played = np.zeros(len(people)), np.zeros(len(people))
        for at in range(len(section.score)):
            one, other, score = section.one[at], section.other[at], section.score[at]
            expected = expectancy(before[one, 0], before[other, 0], p)
            surplus[one] += score - expected
            surplus[other] += expected - score
            played[one] += 1.0
            played[other] += 1.0
        for row in range(len(people)):
            change = k(before[row, 0], before[row, 1], played[row], p) * surplus[row]
            people[row, 0] += cap(change + bonus(change, played[row], p), p)
            people[row, 1] += played[row]

    names = {"start": standard_start, "predict": predict, "update": update}
    return SimpleNamespace(parameters=_STARTS, **names)  # type: ignore[return-value]


_LATEST = EDITIONS[-1].constants
_CAP, _CENTRE, _BASE, _SLOPE = (getattr(_LATEST, f"effective_{name}") for name in ("cap", "centre", "base", "slope"))
_LIMIT, _LEAST = _LATEST.effective_limit, _LATEST.bonus_least_games


def official_k(rating: float, games: float, played: float, p: Any) -> float:  # noqa: ANN401
    """K of a full-K section (§3, §4.2), at most ``k_cap``."""
    most = _CAP if rating > _LIMIT else _CAP / math.sqrt(_BASE + _SLOPE * (_CENTRE - rating) ** 2)
    return float(min(p.k_numerator / (min(games, most) + played), p.k_cap))


def official_expectancy(own: float, other: float, p: Any) -> float:  # noqa: ANN401
    """The winning expectancy (§4.2), with so many points for odds of ten to one."""
    return 1.0 / (1.0 + math.exp((other - own) * LOG_TEN / p.scale))


def official_bonus(change: float, played: float, p: Any) -> float:  # noqa: ANN401
    """What a change exceeds B√m by (§4.2)."""
    return max(0.0, change - p.bonus_threshold * math.sqrt(max(played, _LEAST))) if played > 2.0 else 0.0


def no_cap(change: float, p: Any) -> float:  # noqa: ANN401
    """A change as it is, at most ``change_cap``."""
    return float(max(-p.change_cap, min(change, p.change_cap)))


def _standard() -> OwnSystem:
    made = standard_system(official_k, official_expectancy, official_bonus, no_cap)
    numbers = {"k_numerator": _LATEST.k_numerator, "k_cap": 1e6, "change_cap": 1e6, "scale": 400.0}
    bonus = {"bonus_threshold": _LATEST.bonus_threshold}
    made.parameters = {**_STARTS, "initial_rating": 1300.0, **numbers, **bonus}
    return made


def _system(name: str, **parameters: float) -> OwnSystem:
    found = {one: globals()[f"{name}_{one}"] for one in ("start", "predict", "update")}
    return SimpleNamespace(parameters={**_STARTS, **parameters}, **found)  # type: ignore[return-value]


_GLICKO = {"initial_rd": 350.0, "period_days": 30.0}
BUILT_IN: Mapping[str, tuple[str, OwnSystem]] = {
    "elo": ("Elo", _system("elo", k=32.0)),
    "glicko": ("Glicko", _system("glicko", **_GLICKO, c=25.0)),
    "glicko2": ("Glicko-2", _system("glicko2", **_GLICKO, initial_sigma=0.06, tau=0.5)),
    "standard": ("Standard formula", _standard()),
}


class OtherSystem(NamedTuple):
    """A rating system that is no rule set, with its parameters."""

    kind: str
    parameters: Mapping[str, float]
    system: OwnSystem

    @property
    def name(self) -> str:
        """How it is asked for: its kind and the parameters that are not the usual ones."""
        usual = self.system.parameters
        changed = [f"{name}={written(value)}" for name, value in self.parameters.items() if value != usual[name]]
        return ":".join((self.kind, *([",".join(changed)] if changed else [])))

    @property
    def title(self) -> str:
        """How results name it."""
        said = ", ".join(f"{name} {value:g}" for name, value in self.parameters.items())
        return f"{BUILT_IN[self.kind][0] if self.kind in BUILT_IN else self.kind} ({said})"

    @property
    def document(self) -> dict[str, Any]:
        """The system as JSON."""
        return {"name": self.name, "system": self.kind, "parameters": dict(self.parameters)}

    @property
    def digest(self) -> str:
        """A hash of its parameters and its code: of the whole file where it came from one."""
        path = getattr(self.system, "__file__", None)
        if path is None:
            functions = (getattr(self.system, name) for name in ("start", "predict", "update"))
            codes = [getattr(one, "py_func", one).__code__ for one in functions]
            code = repr([(one.co_code, one.co_names, [str(each) for each in one.co_consts]) for one in codes]).encode()
        else:
            code = Path(path).read_bytes()
        said = f"{self.kind} {sorted(self.parameters.items())}".encode()
        return hashlib.sha256(said + b"\0" + code).hexdigest()[:16]

    def changed(self, parameters: Mapping[str, float | str]) -> "OtherSystem":
        """The same system with some parameters changed."""
        usual = self.system.parameters
        for name in parameters:
            if name not in usual:
                raise HistoryError(f"{self.kind} has no parameter {name!r}; it has {', '.join(usual) or 'none'}")
        numbers = {name: _number(self.kind, name, value) for name, value in parameters.items()}
        return self._replace(parameters={**self.parameters, **numbers})

    def __reduce__(self) -> tuple[Any, ...]:
        """To a worker goes how it is asked for; it has the built-in ones, and opens a file by its path."""
        if not is_other_system(self.kind):
            raise HistoryError(f"{self.kind} is an object of this process alone; put it into a file, as mine.py")
        said = ",".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return other_system, (f"{self.kind}:{said}",)


def is_other_system(text: str) -> bool:
    """Whether a text asks for another rating system: one that is built in, or a Python file."""
    kind = text.partition(":")[0]
    return kind in BUILT_IN or kind.endswith(".py")


def other_system(given: str | OwnSystem, /, **parameters: float) -> OtherSystem:
    """A system by name and parameters, as ``glicko2:tau=0.3``, from a file, as ``mine.py:k=24``, or your own object."""
    said = ""
    if isinstance(given, str):
        kind, _, said = given.partition(":")
        system = _loaded(kind) if kind.endswith(".py") else _named(kind)
    else:
        kind, system = getattr(given, "__name__", type(given).__name__), given
    asked: dict[str, float | str] = {**parameters}
    for part in filter(None, said.split(",")):
        name, _, value = part.partition("=")
        asked[name.strip()] = value
    return OtherSystem(kind, dict(system.parameters), system).changed(asked)


def _named(kind: str) -> OwnSystem:
    if kind not in BUILT_IN:
        raise HistoryError(
            f"there is no rating system {kind!r} to compare with; there are {', '.join(BUILT_IN)}, or a Python file"
        )
    return BUILT_IN[kind][1]


def _loaded(path: str) -> OwnSystem:
    """A system from a Python file, whose code is run."""
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
    if not os.path.isfile(path) or spec is None or spec.loader is None:
        raise HistoryError(f"there is no file {path}")
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    missing = [name for name in ("parameters", "start", "predict", "update") if not hasattr(module, name)]
    if missing:
        raise HistoryError(f"{path} has no {', no '.join(missing)}; a rating system has all four (docs/lab.md)")
    found: OwnSystem = module
    return found


def _number(kind: str, name: str, value: float | str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number >= 0.0):
        raise HistoryError(f"{kind}: {name} is {value!r}; it should be a number from 0 on")
    return number
