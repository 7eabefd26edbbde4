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
import os
from collections.abc import Callable, Mapping
from datetime import date
from typing import NamedTuple

from crosstable.errors import RuleSetError
from crosstable.rules.amending import Edition
from crosstable.rules.constants import Constants
from crosstable.rules.editions import edition_for
from crosstable.rules.in_words import edition_values
from crosstable.rules.rule_changes import Changes, Value, editions_of, nearest, rule_fault
from crosstable.rules.rule_sets import BY_DATE, OFFICIAL, RuleSet, folded, plain_value, rules_of_day

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
    return rules_from(read_toml(path, lambda message: _unreadable(path, message)), path)


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


def _unreadable(path: str, message: str) -> RuleSetError:
    return RuleSetError(path, [rule_fault("file", message)])


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
