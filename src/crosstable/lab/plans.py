"""Rule sets to try: the plans of sweeps, and every change of the rules undone.

A plan is a rule set to start from, and what is varied in it, as a grid or as random draws; docs/lab.md, Sweeps, shows
how they are written. Every fault of a plan is told at once. ``undone`` gives, for each change of a constant, a rule set
that keeps the old value, to back-test against:

    for change in undone("bonus_threshold"):
        print(change.name, backtest("archive", against=change.rules, span=change.span))
"""

import itertools
import math
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from crosstable.errors import Fault, HistoryError, RuleSetError, Severity
from crosstable.lab.known_systems import OtherSystem, other_system
from crosstable.rules.constants import Constants
from crosstable.rules.editions import EDITIONS
from crosstable.rules.rule_files import KEYS, Changes, leaves, literal, nearest, read_toml, rules_from
from crosstable.rules.rule_sets import CONVERSIONS, RuleSet, plain_value, printed_lines
from crosstable.terms import RatingSystem

Value = Any  # whatever TOML holds
GRID, RANDOM, COUNT, SYSTEM = "grid", "random", "count", "system"
RANGE = ("from", "to", "step", "scale")
SCALES = ("even", "log")
MOST = 100_000
# Random numbers have so many digits that count: enough to tell them apart, few enough to be written again.
DIGITS = 6
REMEDY = "docs/lab.md describes plans under Sweeps; docs/rule-sets.md lists every constant."


class Varied(NamedTuple):
    """One rule set or system of a sweep, and the values by which it differs from the others."""

    rules: RuleSet | OtherSystem
    values: Mapping[str, Value]


class Plan(NamedTuple):
    """What a sweep tries, each rule set once; ``document`` is the plan as it was given, to be written again."""

    name: str
    names: tuple[str, ...]
    varied: tuple[Varied, ...]
    document: Mapping[str, Value] = {}

    @property
    def tried(self) -> str:
        """What is tried, and how many of them."""
        count = f"{len(self.varied):,}"
        return f"{count} trials of {self.name}" if SYSTEM in self.document else f"{count} rule sets"


class Range(NamedTuple):
    """Numbers between two ends, on steps from the first or anywhere."""

    least: float
    most: float
    step: float
    is_log: bool

    def on_steps(self) -> list[float]:
        """Every step."""
        return [_short(self.least + at * self.step) for at in range(self._steps() + 1)]

    def drawn(self, rng: np.random.Generator) -> float:
        """A number drawn from all, every one as likely as another; on a log scale every order of magnitude."""
        if self.step:
            return _short(self.least + float(rng.integers(0, self._steps() + 1)) * self.step)
        if self.is_log:
            return _short(math.exp(rng.uniform(math.log(self.least), math.log(self.most))))
        return _short(rng.uniform(self.least, self.most))

    def _steps(self) -> int:
        return math.floor((self.most - self.least) / self.step + 1e-9)


def _short(number: float) -> float:
    found = float(f"{number:.{DIGITS}g}")
    return int(found) if found.is_integer() else found


def read_plan(path: str, seed: int = 1) -> Plan:
    """The plan of a file; one with faults raises with all of them."""
    document = read_toml(path, lambda message: RuleSetError(path, [plan_fault("file", message)]))
    return plan_from(document, path, seed)


def plan_from(document: Mapping[str, Value], where: str = "plan", seed: int = 1) -> Plan:
    """The plan that a document describes."""
    faults: list[Fault] = []
    keys = (SYSTEM,) if SYSTEM in document else KEYS
    for key in document:
        if key not in (*keys, GRID, RANDOM):
            known = (*keys, GRID, RANDOM, *(f"{GRID}.{name}" for name in Constants._fields if name == key))
            faults.append(plan_fault(key, f"There is no {key!r} in a plan.{nearest(key, known)}"))
    base: RuleSet | OtherSystem = RuleSet()
    try:
        given = {key: value for key, value in document.items() if key in keys}
        base = system_of(given[SYSTEM]) if SYSTEM in given else rules_from(given, where)
    except RuleSetError as error:
        faults += error.faults
    except HistoryError as error:
        raise RuleSetError(where, [plan_fault(SYSTEM, str(error))]) from error
    ways = [key for key in (GRID, RANDOM) if key in document]
    if len(ways) != 1:
        found = "both" if ways else "neither"
        faults.append(plan_fault("plan", f"A plan has a table [grid] or a table [random]; this has {found}."))
    varying = _Varying(ways[0], faults, base) if len(ways) == 1 else None
    points = [] if varying is None else varying.points(document[ways[0]], seed)
    varied = [] if faults else list(_varied(base, points, faults))
    if faults:
        raise RuleSetError(where, faults)
    once = {one.rules.digest: one for one in reversed(varied)}
    names = tuple(points[0]) if points else ()
    kept = tuple(one for one in varied if once[one.rules.digest] is one)
    named = {SYSTEM: base.name} if isinstance(base, OtherSystem) else {"name": base.name}
    return Plan(base.name, names, kept, _plain({**named, **{key: document[key] for key in document if key != SYSTEM}}))


def system_of(given: Value) -> OtherSystem:
    """The system of a plan: as it is asked for in words, or an object of one's own."""
    return given if isinstance(given, OtherSystem) else other_system(given)


def _plain(value: Value) -> Value:
    """What TOML holds as JSON holds it."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf"
    return value.isoformat() if isinstance(value, date) else value


def plan_text(document: Mapping[str, Value]) -> str:
    """A plan as the file that gives it again."""
    tables = {name: value for name, value in document.items() if isinstance(value, Mapping)}
    lines = [f"{name} = {literal(value)}" for name, value in document.items() if name not in tables]
    for table, content in tables.items():
        lines += ["", f"[{table}]", *(f"{name} = {literal(value)}" for name, value in content.items())]
    return "\n".join(lines) + "\n"


def plan_fault(place: str, message: str) -> Fault:
    """A fault of a plan."""
    return Fault("sweep-plan", Severity.ERROR, place, message, REMEDY)


class _Varying:
    """Reads what is varied, and everything that is wrong with it."""

    def __init__(self, way: str, faults: list[Fault], base: RuleSet | OtherSystem) -> None:
        self.way = way
        self.faults = faults
        self.base = base

    def say(self, name: str, message: str) -> None:
        place = f"{self.way}.{name}" if name else self.way
        self.faults.append(plan_fault(place, message))

    def points(self, given: Value, seed: int) -> list[dict[str, Value]]:
        """Every combination of values that is tried."""
        if not isinstance(given, Mapping):
            self.say("", f"It should be a table: [{self.way}], then a line for each constant.")
            return []
        lines = {name: value for name, value in leaves(given, whole=RANGE[0]) if (self.way, name) != (RANDOM, COUNT)}
        if not lines:
            self.say("", "Nothing is varied; give a constant and its values, as bonus_threshold = [10, 12].")
        count = self._count(given) if self.way == RANDOM else 0
        choices = {name: self._choices(name, value) for name, value in lines.items()}
        if self.faults:
            return []
        if self.way == RANDOM:
            return [_drawn(choices, seed, number) for number in range(count)]
        values = {name: one.on_steps() if isinstance(one, Range) else one for name, one in choices.items()}
        size = math.prod(len(one) for one in values.values())
        if size > MOST:
            self.say("", f"These are {size:,} rule sets; give at most {MOST:,}, or draw some with [random].")
            return []
        return [dict(zip(values, point, strict=True)) for point in itertools.product(*values.values())]

    def _count(self, given: Mapping[str, Value]) -> int:
        count = given.get(COUNT)
        if isinstance(count, int) and not isinstance(count, bool) and 1 <= count <= MOST:
            return count
        said = "is missing" if count is None else f"is {count!r}"
        self.say(COUNT, f"The number of draws {said}; it should be a whole number from 1 to {MOST}.")
        return 0

    def _choices(self, name: str, value: Value) -> "Range | Sequence[Value]":
        """The values that a constant may have; each is held against its name, type and range."""
        before = len(self.faults)
        found: Range | Sequence[Value] = []
        if isinstance(value, list):
            found = value
            if not value:
                self.say(name, "There is no value in the list.")
        elif isinstance(value, Mapping) and "from" in value:
            read = self._range(name, value)
            found = read if read is not None else []
        else:
            self.say(name, "Give a list of values, or { from = …, to = … } with a step.")
        if len(self.faults) > before:
            found = []
        tried = [found.least, found.most] if isinstance(found, Range) else found
        self._check(name, [_short(one) for one in tried] if isinstance(found, Range) else tried)
        return found

    def _check(self, name: str, values: Sequence[Value]) -> None:
        if isinstance(self.base, OtherSystem):
            for value in values or [0]:
                try:
                    self.base.changed({name: value})
                except HistoryError as error:
                    self.say(name, str(error))
            return
        reader = Changes()
        for value in values or [0]:
            reader.read({name: value})
        unknown = [fault for fault in reader.faults if fault.message.startswith("There is no")]
        for fault in dict.fromkeys(reader.faults if values else unknown):
            self.say(fault.place, fault.message)

    def _range(self, name: str, given: Mapping[str, Value]) -> Range | None:
        for key in given:
            if key not in RANGE:
                self.say(f"{name}.{key}", f"There is no {key!r} in a range.{nearest(key, RANGE)}")
        least, most, step = (given.get(key, default) for key, default in (("from", None), ("to", None), ("step", 0)))
        if not all(_is_finite(one) for one in (least, most, step)):
            self.say(name, "from, to and step of a range should be numbers.")
            return None
        scale = given.get("scale", SCALES[0])
        if scale not in SCALES:
            self.say(f"{name}.scale", f"The scale is {scale!r}.{nearest(str(scale), SCALES)}")
        if least > most or step < 0:
            self.say(name, f"The range goes from {least} to {most}; it should go up.")
        elif self.way == GRID and not step:
            self.say(name, "A range of a grid needs a step.")
        elif scale == "log" and (step or least <= 0):
            self.say(name, "A log scale has no step and begins above zero.")
        elif step and (most - least) / step > MOST:
            self.say(name, f"The range has more than {MOST:,} steps.")
        else:
            return Range(float(least), float(most), float(step), scale == "log")
        return None


def _is_finite(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _drawn(choices: Mapping[str, "Range | Sequence[Value]"], seed: int, number: int) -> dict[str, Value]:
    """The values of one draw; each has a seed of its own, so more draws go on where fewer ended."""
    rng = np.random.Generator(np.random.PCG64([seed, number]))
    return {
        name: one.drawn(rng) if isinstance(one, Range) else one[int(rng.integers(0, len(one)))]
        for name, one in choices.items()
    }


def _varied(
    base: RuleSet | OtherSystem, points: Sequence[Mapping[str, Value]], faults: list[Fault]
) -> Iterator[Varied]:
    """The rule sets or systems of all points; what only the whole shows is told once."""
    if isinstance(base, OtherSystem):
        yield from (Varied(base.changed(point), point) for point in points)
        return
    told: set[str] = set()
    for point in points:
        reader = Changes()
        reader.read(point)
        made = base._replace(name=_title(base, point), changes={**base.changes, **reader.found})
        reader.check(made)
        faults += [one._replace(remedy=REMEDY) for one in reader.faults if one.message not in told]
        told |= {one.message for one in reader.faults}
        yield Varied(made, {name: plain_value(reader.found[name]) for name in point if name in reader.found})


def plan_in_words(
    base: Mapping[str, Value], grid: Sequence[str], vary: Sequence[str], count: int | None, seed: int = 1
) -> Plan:
    """The plan of ``NAME=V,V`` for a grid, or of ``NAME=LOW:HIGH[:log]`` for so many draws, on a base or a system."""
    if grid:
        lines = {name: [_value(one) for one in said.split(",")] for name, said in map(_named, grid)}
        return plan_from({**base, GRID: lines}, "--grid")
    ranges = {name: _ends(*said.split(":", 2)) for name, said in map(_named, vary)}
    return plan_from({**base, RANDOM: {COUNT: count, **ranges}}, "--vary", seed)


def _named(text: str) -> tuple[str, str]:
    name, _, said = text.partition("=")
    return name.strip(), said


def _ends(low: str, high: str = "", scale: str = "") -> dict[str, Value]:
    return {"from": _value(low), "to": _value(high), **({"scale": scale} if scale else {})}


def _value(text: str) -> Value:
    """A value as TOML reads it; whatever else is a word."""
    try:
        return tomllib.loads(f"value = {text.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()


def _title(base: RuleSet, point: Mapping[str, Value]) -> str:
    said = ", ".join(f"{name} {value}" for name, value in point.items())
    return said if base.is_official else f"{base.name}: {said}"


def plan_of(source: "str | os.PathLike[str] | Mapping[str, Value] | Plan", seed: int = 1) -> Plan:
    """A plan from a file, from a document, or as it is."""
    if isinstance(source, Plan):
        return source
    return plan_from(source, "plan", seed) if isinstance(source, Mapping) else read_plan(os.fspath(source), seed)


TABLES = (*CONVERSIONS, "priorities", "game_factors")


class Undone(NamedTuple):
    """A change of one constant, from which day until which (the next change, if there was one), and the rules without.

    ``before`` and ``after`` are its values.
    """

    constant: str
    day: date
    until: date | None
    before: Any
    after: Any
    rules: RuleSet

    @property
    def name(self) -> str:
        """The change in words."""
        if self.constant in TABLES:
            return f"{self.constant}, {self.day}"
        return f"{self.constant} {_said(self.before)} to {_said(self.after)}, {self.day}"

    @property
    def span(self) -> tuple[date, date | None]:
        """The days on which the change held, both included."""
        return self.day, None if self.until is None else self.until - timedelta(days=1)


def _said(value: Any) -> str:  # noqa: ANN401 (a number, a truth value or a word)
    plain = plain_value(value)
    return f"{plain:g}" if isinstance(plain, float) else str(plain)


def undone(constant: str) -> list[Undone]:
    """Every change of a constant, oldest first; of a table too. What nobody knows any more cannot be put back."""
    if constant not in Constants._fields:
        raise HistoryError(f"there is no constant {constant!r}.{nearest(constant, Constants._fields)}")
    changes = [
        (after.effective, getattr(before.constants, constant), getattr(after.constants, constant))
        for before, after in pairwise(EDITIONS)
        if getattr(before.constants, constant) != getattr(after.constants, constant)
    ]
    ends = [*(day for day, _, _ in changes[1:]), None]
    return [
        Undone(constant, day, until, before, after, _without(constant, (day, until), (before, after)))
        for (day, before, after), until in zip(changes, ends, strict=False)
        if _is_known(before)
    ]


def _is_known(value: Any) -> bool:  # noqa: ANN401 (any constant)
    if isinstance(value, tuple):
        return all(_is_known(one) for one in value)
    return not (isinstance(value, float) and math.isnan(value))


def _without(constant: str, span: tuple[date, date | None], values: tuple[Any, Any]) -> RuleSet:
    before, after = values
    if constant not in TABLES:
        return RuleSet(f"{constant} still {_said(before)} from {span[0]}", None, {constant: before}, *span)
    return RuleSet(f"{constant} still as before {span[0]}", None, dict(_inside(constant, before, after)), *span)


def _inside(constant: str, before: Any, after: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 (any table)
    """What to change in a table, by the names that rule sets have for its parts."""
    if constant in CONVERSIONS:
        yield constant, before
        return
    for system in RatingSystem:
        old, new = before[system], after[system]
        if old == new or (constant == "priorities" and not printed_lines(old)):
            continue  # a system that was not there had no list
        if constant == "priorities":
            yield f"{constant}.{system.name}", old
        else:
            yield from (
                (f"{constant}.{system.name}.{one.name}", old[one]) for one in RatingSystem if old[one] != new[one]
            )
