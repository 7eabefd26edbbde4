"""Rule sets as TOML files: read, checked against every name, type and range, with all faults at once.

    name = "Half the threshold"
    base = "by date"             # or a day: every section by the edition of that day
    since = "2008-06-06"         # only from this day on, on which an edition begins; until likewise

    [changes]
    bonus_threshold = 5
    game_factors.OTBQ.OTBR = 8
    fide = [{ limit = 2000, intercept = 180, slope = 0.94 }, { intercept = 20, slope = 1.02 }]

``docs/rule-sets.md`` lists every name.
"""

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from difflib import get_close_matches
from enum import IntEnum
from typing import Any, NamedTuple

from crosstable.errors import Fault, NoEditionError, RuleSetError, Severity
from crosstable.rules.amending import Edition
from crosstable.rules.constants import (
    CONSTANTS_2001,
    NO_LIMIT,
    Constants,
    Conversion,
    Credit,
    Piece,
    Priority,
    PriorityList,
    conversion,
    priority_list,
)
from crosstable.rules.editions import EDITIONS, edition_for
from crosstable.rules.in_words import ASCENDING, DESCRIBED, INSIDE, Described, edition_values
from crosstable.rules.rule_sets import (
    BY_DATE,
    CONVERSIONS,
    OFFICIAL,
    RuleSet,
    changed,
    folded,
    plain_value,
    printed_lines,
    printed_pieces,
    rules_of_day,
)
from crosstable.terms import RatingSystem, Source

MOST_PIECES, MOST_LINES = 4, 8
FEW = 10
SYSTEMS = tuple(system.name for system in RatingSystem)
REMEDY = "docs/rule-sets.md lists every constant with its meaning and the numbers that make sense."
_NO_RANGE = Described("2", "")
_PIECE = Piece(0.0, True, 0.0, 0.0)
_LINE = Priority(Source.OTBR, 0.0, NO_LIMIT, Credit.NOTHING)

Value = Any  # a number, a truth value, a word, a table


def rule_fault(place: str, message: str) -> Fault:
    """A fault of a rule set."""
    return Fault("rule-set", Severity.ERROR, place, message, REMEDY)


def nearest(name: str, names: Iterable[str]) -> str:
    """A question with the nearest right name, or with all of them where they are few and none is near."""
    known = list(names)
    close = get_close_matches(name, known, n=1, cutoff=0.6)
    if close:
        return f" Did you mean {close[0]}?"
    return f" There are {', '.join(known)}." if len(known) <= FEW else ""


class Changes:
    """Changes as they are read, by name, and everything that is wrong with them."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.found: dict[str, Value] = {}

    def say(self, place: str, message: str) -> None:
        """One more fault."""
        self.faults.append(rule_fault(place, message))

    def base(self, given: Value) -> date | None:
        """The day of the base, or none for by date."""
        if given == BY_DATE:
            return None
        try:
            day = given if isinstance(given, date) else date.fromisoformat(given)
            return edition_for(day).effective
        except NoEditionError as error:
            self.say("base", f"{str(error).capitalize()}.")
        except (TypeError, ValueError):
            self.say("base", f"The base is {given!r}; it should be {BY_DATE!r} or a day such as 2025-01-01.")
        return None

    def beginning(self, name: str, given: Value) -> date | None:
        """A day on which an edition begins, since or until which a rule set holds; none where none is given."""
        if given is None:
            return None
        try:
            day = given if type(given) is date else date.fromisoformat(given)
        except (TypeError, ValueError):
            self.say(name, f"The value is {given!r}; it should be a day such as 2025-01-01.")
            return None
        begin = {edition.effective for edition in EDITIONS}
        if day not in begin:
            near = min(begin, key=lambda one: abs((one - day).days))
            self.say(name, f"No edition begins on {day}, so rules cannot change on it. Did you mean {near}?")
        return day

    def read(self, given: Value) -> None:
        """Every change, by the name of its constant; names with dots lead into tables."""
        if not isinstance(given, Mapping):
            self.say("changes", "The changes should be a table: a line each, as bonus_threshold = 12.")
            return
        for name, value in leaves(given):
            first, *path = name.split(".")
            if first not in Constants._fields:
                self.say(name, f"There is no constant {first!r}.{nearest(first, Constants._fields)}")
            elif first in CONVERSIONS:
                self._conversion(name, path, value)
            elif first == "priorities":
                self._priorities(name, path, value)
            elif first == "game_factors":
                self._factor(name, path, value)
            elif path:
                self.say(name, f"{first} is no table; give it a value: {first} = ….")
            else:
                self._keep(name, self._scalar(name, value, getattr(CONSTANTS_2001, first), DESCRIBED[first]))

    def _keep(self, name: str, value: Value) -> None:
        if value is not None:
            self.found[name] = value

    def _scalar(self, name: str, value: Value, like: Value, described: Described) -> Value | None:
        """A value of the same kind as another one, or none and a fault."""
        if isinstance(like, bool):
            return self._of_kind(name, value, isinstance(value, bool), "true or false")
        if isinstance(like, IntEnum):
            return self._word(name, value, type(like))
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)
        if isinstance(like, int):
            is_number = is_number and isinstance(value, int)
            value = self._of_kind(name, value, is_number, "a whole number")
        else:
            value = self._of_kind(name, value, is_number, "a number")
        if value is None:
            return None
        if not described.least <= value <= described.most:
            self.say(name, f"{value:g} makes no sense here: give {_range(described)}.")
            return None
        return value if isinstance(like, int) else float(value)

    def _of_kind(self, name: str, value: Value, is_right: bool, kind: str) -> Value | None:
        if is_right:
            return value
        self.say(name, f"The value is {value!r}; it should be {kind}.")
        return None

    def _word(self, name: str, value: Value, words: type[IntEnum]) -> Value | None:
        """A member of an enumeration by its name, in small or large letters."""
        known = [word.name if words is Source else word.name.lower() for word in words if word.name != "GIVEN"]
        by_name = {word.lower(): word for word in known}
        if isinstance(value, str) and value.lower() in by_name:
            return words[value.upper()]
        self.say(name, f"The value is {value!r}.{nearest(str(value), known)}")
        return None

    def _conversion(self, name: str, path: list[str], value: Value) -> None:
        if not path:
            self._keep(name, self._pieces(name, value))
        elif self._is_place(name, path, Piece._fields):
            like = _PIECE._asdict()[path[1]]
            self._keep(name, self._scalar(name, value, like, INSIDE.get(path[1], _NO_RANGE)))

    def _priorities(self, name: str, path: list[str], value: Value) -> None:
        if not path or path[0] not in SYSTEMS:
            self._no_system(name, path)
        elif len(path) == 1:
            self._keep(name, self._lines(name, value))
        elif self._is_place(name, path[1:], Priority._fields):
            like = _LINE._asdict()[path[2]]
            self._keep(name, self._scalar(name, value, like, INSIDE.get(path[2], _NO_RANGE)))

    def _factor(self, name: str, path: list[str], value: Value) -> None:
        if len(path) != 2 or not set(path) <= set(SYSTEMS):
            wrong = [part for part in path if part not in SYSTEMS]
            self._no_system(name, wrong)
        else:
            self._keep(name, self._scalar(name, value, 0.0, DESCRIBED["game_factors"]))

    def _no_system(self, name: str, path: list[str]) -> None:
        first = name.split(".")[0]
        if path:
            self.say(name, f"There is no rating system {path[0]!r}.{nearest(path[0].upper(), SYSTEMS)}")
        else:
            example = "game_factors.OTBR.OTBQ" if first == "game_factors" else "priorities.OTBR"
            self.say(name, f"{first} is a table by rating system: write {example} = ….")

    def _is_place(self, name: str, path: list[str], fields: tuple[str, ...]) -> bool:
        """Whether a path is a number from 1 on and a field."""
        if len(path) != 2 or not path[0].isascii() or not path[0].isdigit() or int(path[0]) < 1:
            self.say(name, f"It should end in a number from 1 on and one of {', '.join(fields)}.")
            return False
        if path[1] not in fields:
            self.say(name, f"There is no {path[1]!r} in it.{nearest(path[1], fields)}")
            return False
        return True

    def _rows(self, name: str, value: Value, most: int, like: Mapping[str, Value]) -> list[dict[str, Value]] | None:
        """The rows of a table, each checked field by field."""
        if not isinstance(value, list | tuple) or not 1 <= len(value) <= most:
            self.say(name, f"It should be a list of 1 to {most} tables with {', '.join(like)}.")
            return None
        before = len(self.faults)
        rows = []
        for number, row in enumerate(value, 1):
            if not isinstance(row, Mapping):
                self.say(f"{name}.{number}", f"It should be a table with {', '.join(like)}.")
                continue
            for field in row:
                if field not in like:
                    self.say(f"{name}.{number}.{field}", f"There is no {field!r} in it.{nearest(field, like)}")
            rows.append(
                {
                    field: self._scalar(f"{name}.{number}.{field}", row[field], one, INSIDE.get(field, _NO_RANGE))
                    for field, one in like.items()
                    if field in row
                }
            )
        return rows if len(self.faults) == before else None

    def _pieces(self, name: str, value: Value) -> Conversion | None:
        rows = self._rows(name, value, MOST_PIECES, _PIECE._asdict())
        if rows is None:
            return None
        missing = [number for number, row in enumerate(rows, 1) if not {"intercept", "slope"} <= row.keys()]
        if missing:
            self.say(f"{name}.{missing[0]}", "A piece needs an intercept and a slope.")
            return None
        pieces = [Piece(**{"limit": NO_LIMIT, "is_closed": True, **row}) for row in rows]
        limits = [piece.limit for piece in pieces]
        if limits != sorted(set(limits)) or limits[-1] != NO_LIMIT:
            self.say(name, "The limits of the pieces should rise, and the last piece has none.")
            return None
        return conversion(*pieces)

    def _lines(self, name: str, value: Value) -> PriorityList | None:
        rows = self._rows(name, value, MOST_LINES, _LINE._asdict())
        if rows is None:
            return None
        missing = [number for number, row in enumerate(rows, 1) if not {"source", "credit"} <= row.keys()]
        if missing:
            self.say(f"{name}.{missing[0]}", "A line needs a source and a credit.")
            return None
        return priority_list(*(Priority(**{"at_least": 0.0, "at_most": NO_LIMIT, **row}) for row in rows))

    def check(self, rules: RuleSet) -> None:
        """What only the whole shows: places that are not there, and numbers in the wrong order."""
        if self.faults:
            return
        for edition in editions_of(rules):
            constants = edition.constants
            for name in rules.changes:
                if not _is_there(constants, name):
                    self.say(name, f"There is no such place in the edition of {edition.name}; give the whole table.")
            if self.faults:
                return
            constants = changed(constants, rules.changes)
            for low, high in ASCENDING:
                if getattr(constants, low) > getattr(constants, high) and {low, high} & rules.changes.keys():
                    self.say(low, f"{low} is above {high} in the edition of {edition.name}.")
            for name in CONVERSIONS:
                limits = [piece.limit for piece in printed_pieces(getattr(constants, name))]
                if limits != sorted(set(limits)):
                    self.say(name, f"The limits of its pieces do not rise in the edition of {edition.name}.")
            if self.faults:
                return


def editions_of(rules: RuleSet) -> tuple[Edition, ...]:
    """The official editions that a rule set stands on."""
    if rules.base is not None:
        return (edition_for(rules.base),)
    return tuple(edition for edition in EDITIONS if rules.holds_in(edition))


def _range(described: Described) -> str:
    if described.most == NO_LIMIT:
        return f"at least {described.least:g}"
    return f"{described.least:g} to {described.most:g}"


def leaves(given: Mapping[str, Value], prefix: str = "", whole: str = "") -> Iterator[tuple[str, Value]]:
    """Values by their dotted names; a table that has the key ``whole`` is a value itself."""
    for key, value in given.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping) and value and whole not in value:
            yield from leaves(value, f"{name}.", whole)
        else:
            yield name, value


def _is_there(constants: Constants, name: str) -> bool:
    """Whether a place inside a table exists in an edition."""
    first, *path = name.split(".")
    if first in CONVERSIONS and path:
        return int(path[0]) <= len(printed_pieces(getattr(constants, first)))
    if first == "priorities" and len(path) > 1:
        return int(path[1]) <= len(printed_lines(constants.priorities[RatingSystem[path[0]]]))
    return True


KEYS = ("name", "base", "since", "until", "note", "changes")
LARGEST_FILE = 1 << 20

Day = date | str | None


def rule_set(
    source: "str | os.PathLike[str] | date | RuleSet" = OFFICIAL,
    /,
    *,
    name: str = "",
    since: Day = None,
    until: Day = None,
    **changes: Value,
) -> RuleSet:
    """The rule set of a file, of a day or ``official``, with further changes by name; every fault raises at once.

    ``rule_set(bonus_threshold=12)`` changes the official rules of every day, with ``since`` and ``until`` those of some
    time only; ``rule_set("2025-01-01")`` is that edition for every section; ``rule_set("mine.toml", name="mine too",
    k_numerator=700)`` goes on from a file.
    """
    rules = source if isinstance(source, RuleSet) else _chosen(source)
    if not changes and not name and since is None and until is None:
        return rules
    reader = Changes()
    reader.read(changes)
    # What is not said anew stays as it was, so the two ends may come from different places.
    begins, ends = _time(reader, since or rules.since, until or rules.until)
    made = RuleSet(name or _named(rules, changes), rules.base, {**rules.changes, **reader.found}, begins, ends)
    reader.check(made)
    if reader.faults:
        raise RuleSetError("changes", reader.faults)
    return made


def _time(reader: Changes, since: Value, until: Value) -> tuple[date | None, date | None]:
    """The time in which a rule set holds."""
    begins, ends = reader.beginning("since", since), reader.beginning("until", until)
    if begins is not None and ends is not None and begins >= ends:
        reader.say("until", f"The rules would end on {ends} and begin on {begins}; until should be the later day.")
    return begins, ends


def _named(rules: RuleSet, changes: Mapping[str, Value]) -> str:
    if not changes:
        return rules.name
    said = ", ".join(f"{name} {value}" for name, value in changes.items())
    return f"{rules.name} with {said}"


def _chosen(source: "str | os.PathLike[str] | date") -> RuleSet:
    if isinstance(source, date):
        return rules_of_day(source)
    if not isinstance(source, str):
        return read_rule_set(os.fspath(source))
    if source == OFFICIAL.name:
        return OFFICIAL
    try:
        day = date.fromisoformat(source)
    except ValueError:
        return read_rule_set(source)
    return rules_of_day(day)


def read_rule_set(path: str) -> RuleSet:
    """The rule set of a file; one with faults raises with all of them."""
    return rules_from(read_toml(path, lambda message: RuleSetError(path, [rule_fault("file", message)])), path)


def read_toml(path: str, refused: Callable[[str], RuleSetError]) -> dict[str, Value]:
    """What a file of TOML holds; raises what ``refused`` makes of the reason where it cannot be read."""
    import tomllib

    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise refused(f"The file is larger than {LARGEST_FILE} bytes, which no such file is.")
        return tomllib.loads(content.decode("utf-8"))
    except OSError as error:
        raise refused(f"The file cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise refused(f"The file is not TOML: {error}.") from error


def rules_from(document: Mapping[str, Value], path: str) -> RuleSet:
    """The rule set that a document describes."""
    reader = Changes()
    for key in document:
        if key not in KEYS:
            hint = nearest(key, (*KEYS, *(f"changes.{name}" for name in Constants._fields if name == key)))
            reader.say(key, f"There is no {key!r} in a rule set.{hint}")
    name = document.get("name", os.path.splitext(os.path.basename(path))[0])
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        reader.say("name", f"The name is {name!r}; it should be a text of one line.")
    base = reader.base(document.get("base", BY_DATE))
    since, until = _time(reader, document.get("since"), document.get("until"))
    if not isinstance(document.get("note", ""), str):
        reader.say("note", "The note should be a text.")
    reader.read(document.get("changes", {}))
    made = RuleSet(str(name).strip(), base, dict(reader.found), since, until)
    reader.check(made)
    if reader.faults:
        raise RuleSetError(path, reader.faults)
    return made


def rules_text(rules: RuleSet) -> str:
    """A rule set as the file that gives it again."""
    lines = [f"name = {literal(rules.name)}", f"base = {literal(rules.base_name)}"]
    lines += [f'{name} = "{day}"' for name, day in (("since", rules.since), ("until", rules.until)) if day]
    changes = folded(rules.changes)
    lines += ["", "[changes]", *(f"{name} = {literal(plain_value(value))}" for name, value in changes.items())]
    return "\n".join(lines) + "\n"


def literal(value: Value) -> str:
    """A value as TOML writes it: texts and truth values are those of JSON."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {literal(one)}" for name, one in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "inf" if value == "inf" else json.dumps(value, ensure_ascii=False)


class Difference(NamedTuple):
    """A rule that a rule set changes, since when, and both in words."""

    since: date
    rule: str
    official: str
    changed: str


def differences(rules: RuleSet, on: date | None = None) -> list[Difference]:
    """What a rule set changes in the editions it stands on, or in the official edition of a day."""
    if on is None:
        rules = rules._replace(since=None, until=None) if rules.base is not None else rules
    found: list[Difference] = []
    last: dict[str, tuple[str, str]] = {}
    for official in editions_of(rules) if on is None else (edition_for(on),):
        for rule, pair in _changed_words(official, rules.edition(official)).items():
            if pair[0] != pair[1] and last.get(rule) != pair:
                found.append(Difference(official.effective, rule, *pair))
            last[rule] = pair
    return sorted(found, key=lambda one: one.rule)


def _changed_words(official: Edition, ruled: Edition) -> dict[str, tuple[str, str]]:
    before, after = edition_values(official), edition_values(ruled)
    names = dict.fromkeys((*before, *after))
    return {name: (before.get(name, "-"), after.get(name, "-")) for name in names}
