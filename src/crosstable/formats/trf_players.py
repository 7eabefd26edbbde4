"""The player line of a TRF (record 001): who, with which rating, and a cell for every round.

Result codes, in either case: ``1 = 0`` are games; ``+ -`` forfeits; ``W D L`` ended before the first move, which
TRF does not rate; ``H F U Z`` are byes of a half, a full, the pairing's full and no point; blank is no point too.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from crosstable.formats.dates import FIDE, read_day
from crosstable.formats.trf_lines import Findings, Line, whole_number
from crosstable.limits import HIGHEST_RATING
from crosstable.terms import Background, OutsideRating, ReportedCell, ReportedPlayer, Result

RESULTS: Mapping[str, Result] = {
    "1": Result.WIN,
    "=": Result.DRAW,
    "0": Result.LOSS,
    "+": Result.FORFEIT_WIN,
    "-": Result.FORFEIT_LOSS,
    "W": Result.FORFEIT_WIN,
    "D": Result.FORFEIT_DRAW,
    "L": Result.FORFEIT_LOSS,
    "F": Result.FULL_BYE,
    "U": Result.FULL_BYE,
    "H": Result.HALF_BYE,
    "Z": Result.ZERO_BYE,
}
NO_CELL = ReportedCell("", Result.BLANK, 0, "")
MOST_ROUNDS = 999
FIRST_ROUND = 92
_COLUMNS_A_ROUND = 10
_BETWEEN_FIELDS = (4, 9, 14, 48, 53, 57, 69, 80, 85, 90, 91)
_NATIONAL_FIELDS = 8  # the first so many of them stand in a national record too
_BETWEEN_PARTS = (4, 6, 8, 9)
_POINTS = re.compile(r"[0-9]{1,3}(?:[.,][0-9]{0,2})?|[.,][0-9]")
_OPPONENT = re.compile(r" *[0-9]* *")
_PART_OF_DATE = re.compile(r"[0-9]{4}(?:[/.-][0-9]{2}[/.-]00)?")
_COLOURS = {"w": "w", "b": "b", "-": "", " ": ""}


class _Read(NamedTuple):
    """A cell, and where something in it is wrong: the first and last column counted from its start, and what."""

    cell: ReportedCell
    wrong: tuple[int, int, str] | None


def read_player(line: Line, findings: Findings) -> ReportedPlayer:
    """The player of a 001 line."""
    number = starting_rank(line, findings)
    line = line._replace(owner=f"player {number}" if number else "")
    check_gaps(line, findings)
    background, details = read_birth(line, findings)
    rating = read_rating(line, "FIDE rating", findings)
    if rating is not None:
        background = background._replace(fide=OutsideRating(rating))
    rank = whole_number(line, (86, 89), "rank", findings)
    details |= {
        "sex": line.columns(10, 10),
        "title": line.columns(11, 13),
        "federation": line.columns(54, 56),
        "fide_id": line.columns(58, 68),
        "rank": "" if rank is None else str(rank),
    }
    name = line.columns(15, 47)
    if not name:
        findings.report("missing-field", line.at(15, 47, "name"), "The player has no name.")
    return ReportedPlayer(
        number=number,
        member_id="",
        name=name,
        cells=_cells(line, findings),
        background=background,
        place=line.place,
        total=_points(line, findings),
        details={key: value for key, value in details.items() if value},
    )


def starting_rank(line: Line, findings: Findings) -> int | None:
    """The number by which everything else in the file names the player."""
    number = whole_number(line, (5, 8), "starting rank", findings)
    if number:
        return number
    if not line.columns(5, 8).strip("0"):
        findings.report("missing-field", line.at(5, 8, "starting rank"), "The starting rank is missing.")
    return None


def check_gaps(line: Line, findings: Findings, *, is_national: bool = False) -> None:
    """The columns between fields are blank; where one is not, the fields have slipped and none can be trusted."""
    for column in _BETWEEN_FIELDS[: _NATIONAL_FIELDS if is_national else None]:
        if line.columns(column, column):
            message = f"Column {column} must be blank, but holds {line.columns(column, column)!r}."
            remedy = "Move the fields of this line back to their columns."
            findings.report("bad-value", line.at(column, column, "between two fields"), message, remedy)
            return


def read_rating(line: Line, what: str, findings: Findings) -> float | None:
    """The rating at columns 49 to 52; blank and 0 mean none."""
    rating = whole_number(line, (49, 52), what, findings)
    if rating is not None and rating > HIGHEST_RATING:
        message = f"The rating {rating} is above {HIGHEST_RATING:g}."
        findings.report("bad-value", line.at(49, 52, what), message)
        return None
    return float(rating) if rating else None


def read_birth(line: Line, findings: Findings) -> tuple[Background, dict[str, str]]:
    """The birth date; where only its year or month is given, the text as a detail, because it is no date."""
    text = line.columns(70, 79)
    if not text.strip("0/.- "):
        return Background(), {}
    if _PART_OF_DATE.fullmatch(text):
        return Background(), {"birth_date": text}
    try:
        return Background(birth_date=read_day(text, FIDE, short_years=False)), {}
    except ValueError as error:
        findings.report("bad-date", line.at(70, 79, "birth date"), str(error), _AS_DATE)
        return Background(), {}


_AS_DATE = "Write it as YYYY/MM/DD, or the year alone."


def _points(line: Line, findings: Findings) -> float | None:
    text = line.columns(81, 84)
    if not text:
        return None
    if not _POINTS.fullmatch(text):
        findings.report("bad-value", line.at(81, 84, "points"), f"{text!r} is no number of points.")
        return None
    return float(text.replace(",", "."))


def _cells(line: Line, findings: Findings) -> tuple[ReportedCell, ...]:
    starts = range(FIRST_ROUND, len(line.text) + 1, _COLUMNS_A_ROUND)
    if len(starts) > MOST_ROUNDS:
        message = f"The line has {len(starts)} rounds; a TRF has at most {MOST_ROUNDS}."
        findings.report("bad-value", line.place, message)
        starts = starts[:MOST_ROUNDS]
    cells = []
    for at, start in enumerate(starts, start=1):
        cell, wrong = _cell(line.text[start - 1 : start - 1 + _COLUMNS_A_ROUND])
        if wrong is not None:
            first, last, message = wrong
            findings.report("bad-value", line.at(start + first, start + last, f"round {at}"), message)
        cells.append(cell)
    while cells and cells[-1] is NO_CELL:
        cells.pop()
    return tuple(cells)


@lru_cache(maxsize=8192)
def _cell(raw: str) -> _Read:
    """The cell of ten columns: opponent, colour, result, with blanks between.

    Its text is what is written with the blanks evened out, ``26 w 1`` or ``0000 - H``, so that a code that has no
    letter of ours (``W``, ``U``) is not lost.
    """
    raw = f"{raw:<{_COLUMNS_A_ROUND}}"
    opponent, colour, code = raw[:4], raw[5].lower(), raw[7].strip()
    for at in _BETWEEN_PARTS:
        if raw[at] != " ":
            return _wrong(raw, at, at, f"This column must be blank, but holds {raw[at]!r}.")
    if not _OPPONENT.fullmatch(opponent):
        return _wrong(raw, 0, 3, f"The opponent {opponent.strip()!r} is not a number.")
    if colour not in _COLOURS:
        return _wrong(raw, 5, 5, f"{raw[5]!r} is no colour; it must be w, b or -.")
    number = int(opponent.strip() or 0)
    if not number and not _COLOURS[colour] and not code:
        return _Read(NO_CELL, None)
    text = f"{number or '0000'} {_COLOURS[colour] or '-'} {code}".rstrip()
    result = RESULTS.get(code.upper()) if code else Result.BLANK
    return _Read(ReportedCell(text, result, number, _COLOURS[colour]), None)


def _wrong(raw: str, first: int, last: int, message: str) -> _Read:
    return _Read(ReportedCell(" ".join(raw.split()), None, 0, ""), (first, last, message))
