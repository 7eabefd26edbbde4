"""Lists of games round by round, as chess-results shows them, turned into the rows of a crosstable.

A line such as ``Round 3 on 2026/08/08`` opens a round; the row of titles below it says where the numbers, names and
results of White and Black stand (``No.``, ``White``, ``Result``, ``Black``, ``No.``).
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

_ROUND = re.compile(r"(?:Round|Rd\.?|Runde) (\d{1,3})\b.*", re.IGNORECASE | re.ASCII)
_RESULT = re.compile(r"([01+-]|½|1/2) ?[-:] ?([01+-]|½|1/2)")
_LONGEST_NUMBER = 5


class _Side(NamedTuple):
    """Where a row has the number, the name and the rating of one side."""

    number: int
    name: int
    rating: int | None


def crosstable_of(rows: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """The crosstable of a list of games; nothing where the rows are no such list, or players have no numbers."""
    sides: tuple[_Side, _Side] | None = None
    result = current = 0
    people: dict[int, tuple[str, str]] = {}
    cells: dict[tuple[int, int], str] = {}
    for row in rows:
        if len(row) == 1 and (found := _ROUND.fullmatch(row[0])):
            current = int(found[1])
        elif "white" in (titles := [cell.lower().strip(" .") for cell in row]) and "black" in titles:
            sides, result = _sides(titles), titles.index("result") if "result" in titles else 0
        elif sides is not None and current and result:
            _take(row, sides, row[result] if result < len(row) else "", current, people, cells)
    if not cells:
        return ()
    rounds = range(1, current + 1)
    listed = [
        (str(number), *people[number], *(cells.get((number, at), "") for at in rounds)) for number in sorted(people)
    ]
    return (("No", "Name", "Rtg", *(f"Rd {at}" for at in rounds)), *listed)


def _sides(titles: Sequence[str]) -> tuple[_Side, _Side] | None:
    white, black = titles.index("white"), titles.index("black")
    numbers = [at for at, title in enumerate(titles) if title in ("no", "sno", "snr")]
    ratings = [at for at, title in enumerate(titles) if title in ("rtg", "rating")]
    if len(numbers) != 2:
        return None
    own = ratings if len(ratings) == 2 else [None, None]
    return _Side(numbers[0], white, own[0]), _Side(numbers[1], black, own[1])


def _take(
    row: Sequence[str],
    sides: tuple[_Side, _Side],
    result: str,
    current: int,
    people: dict[int, tuple[str, str]],
    cells: dict[tuple[int, int], str],
) -> None:
    """Take in one game or bye."""
    numbers = [_number(row, side.number) for side in sides]
    found = _RESULT.fullmatch(result.strip())
    for at, (side, number) in enumerate(zip(sides, numbers, strict=True)):
        if not number:
            continue
        people.setdefault(number, (_at(row, side.name), _at(row, side.rating)))
        opponent = numbers[1 - at]
        if opponent:
            cells[number, current] = f"{opponent}{'wb'[at]}{found[at + 1] if found else ''}"
        else:
            cells[number, current] = f"{result.strip() or '0'} bye"


def _at(row: Sequence[str], column: int | None) -> str:
    return row[column] if column is not None and column < len(row) else ""


def _number(row: Sequence[str], column: int) -> int:
    """The number of a player; 0 for nobody."""
    text = _at(row, column).strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER else 0
