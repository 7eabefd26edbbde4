"""What differs between a section of the record and another version of it, in sentences a director understands."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from crosstable.office.sections import EventFact, SectionRows
from crosstable.terms import Report

_WORDS = {
    "name": "the name",
    "kind": "the type",
    "is_online": "online",
    "time_controls": "the time control",
    "asked_systems": "the systems asked for",
    "systems": "the systems rated",
    "is_dual_control": "rated in two systems",
    "is_half_k": "half K",
    "match_waiver": "the match waiver",
    "started": "the start",
    "ended": "the end",
}
_NOT_THERE = "nothing"
# Particulars of a row have one word ("details", "fide"); rounds, names and member ids have two or more.
_PARTICULAR = re.compile(r"\): \w+ was ")
# So do those of an event or a section: who directed it, and how they are reached, may stand among them.
_DETAIL = re.compile(r"(the event|section \d+): detail ")


def differences(old: SectionRows | None, new: SectionRows | None) -> list[str]:
    """Every difference between two versions of a section; one of them may be missing."""
    if old is None or new is None:
        there = new or old
        assert there is not None
        what = "is new" if old is None else "is no longer there"
        return [f"section {there.heading['number']} {what} ({len(there.entries)} players)"]
    where = f"section {old.heading['number']}"
    return [f"{where}: {text}" for text in (*_heading(old.heading, new.heading), *_entries(old.entries, new.entries))]


def event_differences(event: EventFact, said: Report) -> list[str]:
    """What another version says of the event itself; where it says nothing, nothing differs."""
    found = []
    for word, was, now in (
        ("name", event.name, said.name),
        ("start", event.started, said.start),
        ("end", event.ended, said.end),
    ):
        if now and now != was:
            found.append(f"the {word} of the event was {_shown(was)} and is {now}")
    return found + [f"the event: {text}" for text in _details(event.details, {**event.details, **said.details})]


def _details(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            yield f"detail {name} was {_shown(old.get(name))} and is {_shown(new.get(name))}"


def public_differences(found: Iterable[str]) -> list[str]:
    """Differences without the particulars of persons: contacts and birth dates may stand among them."""
    said = []
    for text in found:
        detail, particular = _DETAIL.match(text), _PARTICULAR.search(text)
        if detail is not None:
            said.append(f"{detail[1]}: other particulars changed")
        else:
            said.append(text if particular is None else f"{text[: particular.start()]}): other particulars changed")
    return list(dict.fromkeys(said))


def _heading(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for name, word in _WORDS.items():
        if old[name] != new[name]:
            yield f"{word} was {_shown(old[name])} and is {_shown(new[name])}"
    yield from _details(*(json.loads(one["details"]) for one in (old, new)))


def _entries(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    before, after = _by_number(old), _by_number(new)
    for number in sorted(before.keys() | after.keys()):
        if number not in after:
            yield f"player {number} ({before[number]['name']}) is no longer there"
        elif number not in before:
            yield f"player {number} ({after[number]['name']}) is new"
        else:
            yield from _entry(number, before[number], after[number])
    if [one for one in before if one in after] != [one for one in after if one in before]:
        yield "the rows stand in another order"


def _by_number(rows: Sequence[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    """Rows by number; rows without one are counted downward, so that they still can be compared."""
    return {(-1 - row["row"] if row["number"] is None else row["number"]): row for row in rows}


def _entry(number: int, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    who = f"player {number} ({new['name']})"
    for name, word in (("member_id", "member id"), ("name", "name")):
        if old[name] != new[name]:
            yield f"{who}: the {word} was {_shown(old[name])} and is {_shown(new[name])}"
    before, after = old["rounds"].split(), new["rounds"].split()
    for at in range(max(len(before), len(after))):
        was, now = (cells[at] if at < len(cells) else _NOT_THERE for cells in (before, after))
        if was != now:
            yield f"{who}: round {at + 1} was {was} and is {now}"
    extra, later = (json.loads(row["extra"] or "{}") for row in (old, new))
    for name in sorted(extra.keys() | later.keys()):
        if name == "total" and not (name in extra and name in later):
            continue  # a result put right leaves no stated total: that says nothing new
        if extra.get(name) != later.get(name):
            yield f"{who}: {name} was {_shown(extra.get(name))} and is {_shown(later.get(name))}"


def _shown(value: object) -> str:
    return _NOT_THERE if value is None or value == "" else str(value)
