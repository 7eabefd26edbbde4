"""Reading JSON that people wrote: every wrong field is a fault with its place, and reading goes on.

Reading the plain fields of a rating record, the same bounds in event files and in sheets.
"""

import json
import re
import sys
from codecs import BOM_UTF8
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Protocol

from crosstable.errors import Fault, FormatError
from crosstable.faults import fault
from crosstable.formats.dates import iso_day
from crosstable.limits import HIGHEST_RATING
from crosstable.notation import read_rating
from crosstable.rules.editions import LOWEST_FLOOR
from crosstable.terms import FieldKind, Kept

LONGEST_TEXT = 500
DEEPEST = 100
LONGEST_SHOWN = 40
MOST_HINTS = 100
_NEARLY = 0.8
_OTHERWISE = {
    **dict.fromkeys(("dob", "dateofbirth", "born", "birthday"), "birth_date"),
    **dict.fromkeys(("yob", "yearofbirth"), "birth_year"),
}
_OF_RATINGS = re.compile(r"rat(?!e$)|rtg|elo|uscf|chess|pre|otb|ol[rqb]|regular|quick|blitz|fide|cfc", re.IGNORECASE)


class Source(Protocol):
    """An object of an event file, or a row of a sheet: values by name, faults collected."""

    def number(self, name: str, *, least: float = 0.0, most: float = 1e6) -> float | None:
        """A number within bounds."""

    def whole(self, name: str, *, least: int = 0, most: int = 10**6) -> int | None:
        """A whole number within bounds."""

    def day(self, name: str) -> date | None:
        """A date."""


def is_deep(text: str) -> bool:
    """Whether lists and objects stand in each other deeper than in any event."""
    brackets = re.sub(r'"(?:[^"\\]|\\.)*"|[^][{}]', "", text)
    for _ in range(DEEPEST):
        brackets = brackets.replace("[]", "").replace("{}", "")
    return len(brackets) > DEEPEST


def load_json(data: bytes, name: str, *, strict: bool = True) -> tuple[object, list[Fault]]:
    """The value of a JSON file and the faults of its text; raises where it is no JSON.

    Some programs write line breaks and tabulators into texts as they are, which only ``strict=False`` lets through.
    """
    faults: list[Fault] = []

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            faults.append(fault("bad-value", name, f"The field {in_short(_twice(pairs))} stands twice in one object."))
        return found

    def not_a_number(text: str) -> float:
        faults.append(fault("bad-value", name, f"{text} is not a number that can be rated."))
        return 0.0

    try:
        text = data.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        raise FormatError(
            fault("not-readable", f"{name}, byte {error.start}", "The file is not UTF-8 text.", "Save it as UTF-8.")
        ) from error
    try:
        if sys.platform == "emscripten" and is_deep(text):  # where a stack that is full ends the program
            raise RecursionError
        return json.loads(text, object_pairs_hook=unique, parse_constant=not_a_number, strict=strict), faults
    except json.JSONDecodeError as error:
        place = f"{name}, line {error.lineno}, column {error.colno}"
        raise FormatError(
            fault("not-readable", place, f"The file is not valid JSON: {error.msg}.", "Correct it at this place.")
        ) from error
    except (RecursionError, ValueError) as error:
        raise FormatError(fault("not-readable", name, "The file is not JSON that an event can have.")) from error


def _twice(pairs: list[tuple[str, Any]]) -> str:
    """The first name that stands for the second time."""
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            return name
        seen.add(name)
    raise AssertionError("no name stands twice")


class Fields:
    """One JSON object being read: typed access by name, every fault collected with its place."""

    def __init__(self, value: object, place: str, faults: list[Fault]) -> None:
        self.place = place
        self._faults = faults
        self._seen: set[str] = set()
        self._values: Mapping[str, object] = {}
        if isinstance(value, dict):
            self._values = value
        else:
            faults.append(fault("wrong-type", place or "the file", "Here an object { … } is needed."))

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def at(self, name: str) -> str:
        """The place of a field."""
        return f"{self.place}.{name}" if self.place else name

    def report(self, code: str, name: str, message: str) -> None:
        """Collect a fault about a field."""
        self._faults.append(fault(code, self.at(name), message))

    def raw(self, name: str) -> object:
        """The value as it stands, ``None`` where there is none."""
        self._seen.add(name)
        return self._values.get(name)

    def text(self, name: str, *, needed: bool = False) -> str:
        """A string; numbers are taken as their digits, because ids are often written so."""
        value = self.raw(name)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if value is None or value == "":
            if needed:
                self.report("missing-field", name, f"{name} is needed.")
            return ""
        if not isinstance(value, str):
            self.report("wrong-type", name, f"{name} must be a text.")
            return ""
        if len(value) > LONGEST_TEXT or not value.isprintable():
            self.report("bad-value", name, f"{name} is too long or holds characters that cannot be printed.")
            return ""
        return value.strip()

    def number(self, name: str, *, least: float = 0.0, most: float = 1e6) -> float | None:
        """A finite number within bounds, or ``None``."""
        value = self.raw(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.report("wrong-type", name, f"{name} must be a number.")
            return None
        if not least <= value <= most:  # neither are what is not a number and what is infinite
            self.report("bad-value", name, f"{name} is {in_short(value)}; it must be between {least:g} and {most:g}.")
            return None
        return float(value)

    def whole(self, name: str, *, least: int = 0, most: int = 10**6) -> int | None:
        """A whole number within bounds, or ``None``."""
        value = self.number(name, least=least, most=most)
        if value is None:
            return None
        if value != int(value):
            self.report("wrong-type", name, f"{name} must be a whole number.")
            return None
        return int(value)

    def flag(self, name: str) -> bool | None:
        """True, false, or ``None`` where nothing is said."""
        value = self.raw(name)
        if value is None or isinstance(value, bool):
            return value
        self.report("wrong-type", name, f"{name} must be true or false.")
        return None

    def day(self, name: str) -> date | None:
        """A date, or ``None``."""
        value = self.raw(name)
        if value is None or value == "":
            return None
        day = iso_day(value) if isinstance(value, str) else None
        if day is None:
            self.report("bad-date", name, f"{in_short(value)} is not a date.")
        return day

    def choice(self, name: str, allowed: Sequence[str], default: str) -> str:
        """One of some words."""
        value = self.text(name)
        if value and value not in allowed:
            self.report("bad-value", name, f"{name} is {value!r}; it must be one of {', '.join(allowed)}.")
            return default
        return value or default

    def items(self, name: str, *, needed: bool = False) -> list[object]:
        """A list, empty where there is none."""
        value = self.raw(name)
        if value is None:
            if needed:
                self.report("missing-field", name, f"{name} is needed.")
            return []
        if not isinstance(value, list):
            self.report("wrong-type", name, f"{name} must be a list [ … ].")
            return []
        return value

    def inner(self, name: str) -> "Fields":
        """An object inside this one; an empty one where there is none."""
        value = self.raw(name)
        return Fields({} if value is None else value, self.at(name), self._faults)

    def each(self, name: str, *, needed: bool = False) -> Iterator["Fields"]:
        """The objects of a list."""
        for at, item in enumerate(self.items(name, needed=needed)):
            yield Fields(item, f"{self.at(name)}[{at}]", self._faults)

    def names(self) -> list[str]:
        """The names that stand in the object."""
        return list(self._values)

    def refuse_misspelt(self, telling: Collection[str]) -> None:
        """An error for every field that nobody asked for whose name is nearly one that a rating depends on.

        It is none where the other field is there too. Otherwise the player would be rated without it.
        """
        wanted = {_plain(name): name for name in telling if name not in self}
        wanted |= {name: meant for name, meant in _OTHERWISE.items() if meant in telling and meant not in self}
        for name in [name for name in self._values if name not in self._seen]:
            if meant := wanted.get(_alike(_plain(name[:LONGEST_SHOWN]), wanted)):
                self._seen.add(name)
                short = in_short(name)[1:-1]
                message = f"{short} is not known here (did you mean {meant}?)."
                self._faults.append(fault("bad-value", self.at(short), message, "Correct its name, or delete it."))

    def refuse_ratings(self) -> None:
        """An error for every field that nobody asked for and that may be a rating, by its name and what it holds."""
        for name in [name for name in self._values if name not in self._seen]:
            if _OF_RATINGS.search(name[:LONGEST_SHOWN]) and may_be_rating(self._values[name]):
                self._seen.add(name)
                short = in_short(name)[1:-1]
                message = f"{short} is not known here and could be a rating."
                remedy = "Write it under ratings, by its system, or delete the field."
                self._faults.append(fault("bad-value", self.at(short), message, remedy))

    def warn_of_unknown(self, *, also: Collection[str] = (), code: str = "unknown-field", known: str = "") -> None:
        """A warning, or a fault of another code, for every field that nobody asked for, with the nearest known name.

        ``known`` says what the names are, where all of them are to be listed.
        """
        unknown = [name for name in self._values if name not in self._seen and name not in also]
        if not unknown:
            return
        listed = f"; {known} are {', '.join(dict.fromkeys((*also, *sorted(self._seen))))}" if known else ""
        names = {*self._seen, *also}
        for name in unknown:
            hint = nearest(name, names) if len(self._faults) < MOST_HINTS else ""
            short = in_short(name)[1:-1]
            self.report(code, short, f"{short} is not known here{hint}{listed}.")


def _plain(name: str) -> str:
    """A name without case and signs: ``birthDate`` is ``birth_date``."""
    return re.sub(r"[\W_]+", "", name.lower())


def _alike(name: str, wanted: Collection[str]) -> str:
    """Which of some names is written nearly so; nothing where none is."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, sorted(wanted), n=1, cutoff=_NEARLY)), "")


def may_be_rating(value: object) -> bool:
    """Whether a value of JSON looks like a rating: a number, a text as people write it, or an object with one."""
    if isinstance(value, dict):
        return any(may_be_rating(inner) for inner in value.values() if not isinstance(inner, dict | list))
    if isinstance(value, str):
        try:
            value = read_rating(value).rating
        except ValueError:
            return False
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return LOWEST_FLOOR <= value <= HIGHEST_RATING


def in_short(value: object) -> str:
    """A value in short, as it may stand in a message or a cell; it may be of any depth and size."""
    if isinstance(value, list | dict):
        return "[ … ]" if isinstance(value, list) else "{ … }"
    return repr(value)[:LONGEST_SHOWN]


def nearest(name: str, known: set[str]) -> str:
    """A hint at the known name that looks most like this one, or nothing."""
    from difflib import get_close_matches

    if len(name) > LONGEST_SHOWN:
        return ""
    close = get_close_matches(name, sorted(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def read_field(source: Source, name: str, kept: Kept) -> float | date | None:
    """A field that is one number or one day, within the bounds of its kind."""
    match kept.kind:
        case FieldKind.COUNT:
            return source.whole(name)
        case FieldKind.DAY:
            return source.day(name)
        case FieldKind.GAMES:
            return source.number(name)
        case FieldKind.LEVEL:
            return source.number(name, least=LOWEST_FLOOR, most=HIGHEST_RATING)
        case _:
            return source.number(name, most=HIGHEST_RATING)
