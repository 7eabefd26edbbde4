"""Findings as people read them: those that say the same about several rows are one, with a count and the rows.

The JSON documents keep every finding; only what is printed is grouped.
"""

import re
from collections.abc import Iterable, Sequence

from crosstable.errors import Fault
from crosstable.sentences import spans

FEWEST = 3
# The last row that a place names: "section 1, player 7 (Smith, J), round 3", "chart.csv, line 12, column Rating".
_ROW = re.compile(
    r"(?P<head>.*?)(?P<what>player|row|line|record) (?P<number>\d+)(?: \(.*?\))?(?P<rest>[^()]*)", re.DOTALL
)
_FILE = re.compile(r"(?P<words>.*?) \[(?P<file>.*)\]", re.DOTALL)
_ITEM = re.compile(r"(?P<head>.*players\[)(?P<number>\d+)(?P<rest>\].*)", re.DOTALL)
# What only says whose row it is: a member id.
_ID = re.compile(r"'?\b\d{5,8}\b'?")


def grouped(faults: Iterable[Fault]) -> list[Fault]:
    """The findings in their order, each group of equal ones where its first stood."""
    groups: dict[tuple[object, ...], list[Fault]] = {}
    for found in faults:
        head, _, rest = _row(_words(found.place))
        same = (found.code, found.severity, found.remedy, _ID.sub("#", found.message), head, rest)
        groups.setdefault(same, []).append(found)
    return [found for group in groups.values() for found in (group if len(group) < FEWEST else [_one(group)])]


def _one(group: Sequence[Fault]) -> Fault:
    first = group[0]
    if len({found.message for found in group}) == 1:
        message = f"{first.message} ({len(group)} times)"
    else:
        message = f"{first.message} (and {len(group) - 1} more like this)"
    return first._replace(place=_places([found.place for found in group]), message=message)


def _places(places: Sequence[str]) -> str:
    """The rows of places that differ in nothing else, and where the file has them."""
    words = _merged([_words(place) for place in places])
    files = [found["file"] for found in map(_FILE.fullmatch, places) if found]
    merged = _merged(files) if len(files) == len(places) else ""
    return f"{words} [{merged}]" if merged and "…" not in merged else words


def _merged(texts: Sequence[str]) -> str:
    rows = [_row(text) for text in texts]
    heads = {(head, rest) for head, _, rest in rows}
    if len(heads) > 1 or not rows[0][1]:
        return f"{texts[0]} …"
    head, _, rest = rows[0]
    between = "" if head.endswith("[") else "s "
    return f"{head}{between}{spans(int(number) for _, number, _ in rows)}{rest}"


def _row(words: str) -> tuple[str, str, str]:
    """What stands before the number of a row, the number, and what stands behind."""
    if found := _ROW.fullmatch(words):
        return found["head"] + found["what"], found["number"], found["rest"]
    if found := _ITEM.fullmatch(words):
        return found["head"], found["number"], found["rest"]
    return words, "", ""


def _words(place: str) -> str:
    found = _FILE.fullmatch(place)
    return found["words"] if found else place
