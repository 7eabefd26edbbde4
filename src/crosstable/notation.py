"""How people write ratings and results: the one reader for files, forms, links, the command line and the library.

Ratings: ``1512``, ``1,512``, ``1512.25``, with the games they are based on ``1512/40``, ``1641P17`` or ``1641 P 17``, a
star for an established one (``1512*``); ``U``, ``UNR``, ``Unrated``, ``NEW`` or a dash for none.

Results: the letters W, D, L (T or ? for a game to come; several letters are several games), the signs ``+ = -``, or a
score as crosstables print it (``1-0``, ``0-1``, ``1/2-1/2``, ``½-½``), seen from the player's side.
"""

import re
from typing import NamedTuple

from crosstable.terms import Result

LONGEST_SHOWN = 40
# A rating has at most one comma, behind its thousands.
NUMBER = r"(?:\d,\d{3}|\d{1,6})(?:\.\d{1,17})?"
GAMES = r"(?:\*|\s{0,9}[/Pp]\s{0,3}(\d{1,6}))?"
RATING = rf"({NUMBER}){GAMES}"
UNRATED = r"(?:[Uu](?:[Nn][Rr](?:\.|[Aa][Tt][Ee][Dd])?)?|[Nn][Rr]|[Nn][Ee][Ww]|[Nn][Oo][Nn][Ee])"
SCORE = r"1\s?-\s?0|0\s?-\s?1|(?:1/2|0\.5|\u00bd)\s?-\s?(?:1/2|0\.5|\u00bd)"
RESULT = rf"(?:{SCORE}|[WDLTwdlt?]{{1,100}}|[+=-])"
_PLAIN = re.compile(NUMBER, re.ASCII)
_RATING = re.compile(RATING, re.ASCII)
_UNRATED = re.compile(rf"{UNRATED}|-{{1,20}}", re.ASCII)
_MEMBER_ID = re.compile(r"""(?:'|=")?(\d{1,10}(?:[ -]\d{1,10}){0,4})(?:\.0{1,9})?"?""", re.ASCII)
_LETTERS = {"W": Result.WIN, "D": Result.DRAW, "L": Result.LOSS, "T": None, "?": None}
_SIGNS = {"+": Result.WIN, "=": Result.DRAW, "-": Result.LOSS}
# What follows a result written apart from its opponent: "W 1640", "1-0 1640".
_RESULT_APART = re.compile(rf"(?<!\S)({RESULT})\s+(?=[\dUu])")
_THOUSANDS = re.compile(r"(?<![\d.])(\d),(\d{3})(?!\d)", re.ASCII)


class WrittenRating(NamedTuple):
    """A rating as it is written: ``rating`` is ``None`` for unrated, ``games`` where the text does not say."""

    rating: float | None
    games: float | None = None


def read_rating(text: str) -> WrittenRating:
    """A rating with the games behind it; raises ``ValueError`` where the text is neither a rating nor unrated."""
    tidy = text.strip()
    if _UNRATED.fullmatch(tidy):
        return WrittenRating(None)
    found = _RATING.fullmatch(tidy)
    if found is None:
        raise ValueError(
            f"{shown(text)} is no rating; write 1512, 1512/40 or 1512P17 with the games, or U for unrated."
        )
    return WrittenRating(_number(found[1]), None if found[2] is None else float(found[2]))


def read_member_id(text: str) -> str:
    """A member id as a file has it; nothing for ``NEW``, ``pending``, ``none``, zeros and whatever else is no id."""
    tidy = tidy_member_id(text)
    return tidy if any("1" <= letter <= "9" for letter in tidy) else ""


def tidy_member_id(text: str) -> str:
    """An id without what spreadsheets make of one: ``12345678.0``, ``'12345678``, ``="12345678"``, ``1234 5678``."""
    found = _MEMBER_ID.fullmatch(text.strip())
    return re.sub(r"\D", "", found[1]) if found else text


def read_number(text: str) -> float:
    """A plain decimal number: no sign, no exponent, no NaN."""
    if not _PLAIN.fullmatch(text):
        raise ValueError(f"{shown(text)} is no number.")
    return _number(text)


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def read_results(text: str) -> tuple[Result | None, ...]:
    """Results against one opponent, ``None`` for a game to come; the text is one that ``RESULT`` matches."""
    if text in _SIGNS:
        return (_SIGNS[text],)
    if text in _LETTERS:
        return (_LETTERS[text],)
    if text[0].upper() in _LETTERS:
        return tuple([_LETTERS[letter] for letter in text.upper()])
    first = text[0]
    is_win = first == "1" and not text.startswith("1/")
    return (Result.WIN if is_win else Result.LOSS if first == "0" and text[1] != "." else Result.DRAW,)


def split_games(text: str, most: int) -> list[str]:
    """The games of a text, parted by blanks or commas; a result may stand apart from its opponent."""
    whole = _THOUSANDS.sub(r"\1\2", text).replace(",", " ").replace(";", " ")
    return _RESULT_APART.sub(lambda found: "".join(found[1].split()), whole).split(maxsplit=most)


def shown(text: str) -> str:
    """A text of the input as a message may show it: short, and without characters that act on a terminal."""
    cut = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
    return "“" + "".join(each if each.isprintable() else "�" for each in cut) + "”"
