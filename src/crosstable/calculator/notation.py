"""The short notation of players and games: ``1512``, ``1641P17``, ``W1640``, ``D1720/12``, ``W1500:1525@3.5/5``.

A game is its results (W, D, L, or T or ? for one to come; several letters are several games against one opponent), the
opponent's rating (U: unrated), then what is known of him: ``/12`` or ``P12`` the games it is based on, ``:1825`` the
rating after the event, ``@3.5/5`` his score and games in the section. Reading raises ``ValueError`` with what is wrong.
"""

import re
from datetime import date

from crosstable.calculator.requests import Opponent
from crosstable.notation import RATING, RESULT, UNRATED, read_number, read_results, shown
from crosstable.terms import OutsideRating, PlayerRating, RatingSystem

LONGEST_TEXT = 120
_PLAIN = r"\d{1,6}(?:\.\d{1,12})?"
_GAME = re.compile(rf"({RESULT})\s*(?:(?:{RATING})|{UNRATED})(?::({_PLAIN}))?(?:@({_PLAIN})/(\d{{1,4}}))?")
_DATED = re.compile(rf"({_PLAIN})(?:@(\d{{4}}-\d\d-\d\d))?")
_OTHER = re.compile(rf"([A-Za-z]{{3,4}})[:=]?({_PLAIN})(?:[/Pp](\d{{1,6}}))?(?:@(\d{{4}}-\d\d-\d\d))?")


def number_text(value: float) -> str:
    """A number as short as it can be and still be read back as the same."""
    return str(int(value)) if value == int(value) else repr(value)


def read_game(text: str) -> Opponent:
    """A game, or several against one opponent."""
    found = re.fullmatch(_GAME, text)
    if found is None or not text.replace("\N{VULGAR FRACTION ONE HALF}", "").isascii():
        raise ValueError(
            f"{shown(text)} is no game; write the result and the opponent's rating: W1640, D1720/12, LU, T1800."
        )
    result, rating, games, post_event, score, played = found.groups()
    return Opponent(
        rating=None if rating is None else read_number(rating),
        results=read_results(result),
        games=None if games is None else float(games),
        post_event=None if post_event is None else float(post_event),
        score=None if score is None else float(score),
        played=None if played is None else int(played),
    )


def game_text(opponent: Opponent) -> str:
    """A game in the notation that ``read_game`` reads."""
    text = "".join("?" if result is None else result.value for result in opponent.results)
    text += "U" if opponent.rating is None else number_text(opponent.rating)
    if opponent.games is not None and opponent.rating is not None:
        text += f"/{number_text(opponent.games)}"
    if opponent.post_event is not None:
        text += f":{number_text(opponent.post_event)}"
    if opponent.score is not None and opponent.played is not None:
        text += f"@{number_text(opponent.score)}/{opponent.played}"
    return text


def read_day(text: str) -> date:
    """A day written as YYYY-MM-DD."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        raise ValueError(f"{shown(text)} is no date; write it as YYYY-MM-DD.")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{shown(text)} is no day of the calendar.") from None


def read_outside(text: str) -> OutsideRating:
    """A FIDE or CFC rating, with the date of its list where known: ``1800``, ``1800@2026-10-01``."""
    found = re.fullmatch(_DATED, text)
    if found is None or not text.isascii():
        raise ValueError(f"{shown(text)} is no rating; write 1800 or 1800@2026-10-01 with the date of its list.")
    return OutsideRating(float(found[1]), None if found[2] is None else read_day(found[2]))


def outside_text(outside: OutsideRating) -> str:
    """A FIDE or CFC rating as ``read_outside`` reads it."""
    return number_text(outside.rating) + _dated(outside.as_of)


def read_other(text: str) -> tuple[RatingSystem, PlayerRating]:
    """A rating in another system: ``OTBQ:1500/20@2026-01-31``, games and date where known."""
    found = re.fullmatch(_OTHER, text)
    if found is None or not text.isascii() or found[1].upper() not in RatingSystem.__members__:
        raise ValueError(f"{shown(text)} is no rating in another system; write OTBQ:1500/20@2026-01-31.")
    games = None if found[3] is None else float(found[3])
    as_of = None if found[4] is None else read_day(found[4])
    return RatingSystem[found[1].upper()], PlayerRating(float(found[2]), games, as_of=as_of)


def other_text(system: RatingSystem, standing: PlayerRating) -> str:
    """A rating in another system as ``read_other`` reads it."""
    games = "" if standing.games is None else f"/{number_text(standing.games)}"
    return f"{system.name}:{number_text(standing.rating)}{games}{_dated(standing.as_of)}"


def _dated(as_of: date | None) -> str:
    return "" if as_of is None else f"@{as_of.isoformat()}"


def read_record(text: str) -> tuple[int, int, int]:
    """Wins, draws and losses so far: ``5-0-1``."""
    found = re.fullmatch(r"(\d{1,6})-(\d{1,6})-(\d{1,6})", text, re.ASCII)
    if found is None:
        raise ValueError(f"{shown(text)} is no record; write wins, draws and losses like 5-0-1.")
    return int(found[1]), int(found[2]), int(found[3])


def read_flag(text: str) -> bool:
    """Yes or no, as forms and links write it."""
    word = text.lower()
    if word in ("1", "yes", "on", "true"):
        return True
    if word in ("0", "no", "off", "false", ""):
        return False
    raise ValueError(f"{shown(text)} is neither yes nor no.")
