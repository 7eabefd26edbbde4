"""A request from texts and back: the short notation, the fields of a form or a JSON body, and the link of an estimate.

Players and games are written ``1512``, ``1641P17``, ``W1640``, ``D1720/12``, ``W1500:1525@3.5/5``. A game is: results
(W, D, L, or T or ? for one to come; several letters are several games against one opponent), the opponent's rating (U:
unrated), then what is known of them: ``/12`` or ``P12`` the games it is based on, ``:1825`` the rating after the event,
``@3.5/5`` their score and games in the section. Readers of one text raise ``ValueError`` with what is wrong.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote

from crosstable.calculator.requests import MOST_GAMES, EstimateRequest, Opponent, OpponentsAt, faults_of
from crosstable.errors import Fault
from crosstable.faults import fault
from crosstable.notation import RATING, RESULT, UNRATED, read_number, read_rating, read_results, shown, split_games
from crosstable.terms import OutsideRating, PlayerRating, RatingSystem, Result

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
    found = _GAME.fullmatch(text)
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


def other_text(system: RatingSystem, rating: PlayerRating) -> str:
    """A rating in another system as ``read_other`` reads it."""
    games = "" if rating.games is None else f"/{number_text(rating.games)}"
    return f"{system.name}:{number_text(rating.rating)}{games}{_dated(rating.as_of)}"


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


MOST_FIELDS = 150
MOST_FAULTS = 50
STAND_IN_RATING = 1500.0
STAND_IN_GAME = Opponent(STAND_IN_RATING, (Result.WIN,))


class RequestReading(NamedTuple):
    """A request as read, and everything that is wrong with it; the request is ``None`` if anything is."""

    request: EstimateRequest | None
    faults: tuple[Fault, ...]


class _Name(NamedTuple):
    """A field in texts: the request's name for it, how it is read and written, whether it may stand several times."""

    field: str
    read: Callable[[str], Any]
    write: Callable[[Any], str] = number_text
    is_list: bool = False
    code: str = "bad-value"


def _whole(text: str) -> int:
    value = read_number(text)
    if value != int(value):
        raise ValueError(f"{shown(text)} is no whole number.")
    return int(value)


def _system(text: str) -> RatingSystem:
    if text.upper() not in RatingSystem.__members__:
        raise ValueError(f"{shown(text)} is no rating system; they are {', '.join(RatingSystem.__members__)}.")
    return RatingSystem[text.upper()]


def _kind(text: str) -> OpponentsAt:
    if text not in list(OpponentsAt):
        raise ValueError(f"{shown(text)} is none of {', '.join(OpponentsAt)}.")
    return OpponentsAt(text)


# Every name that a link, a form or a JSON body may hold, in the order of a link.
NAMES: Mapping[str, _Name] = {
    "date": _Name("section_date", read_day, date.isoformat, code="bad-date"),
    "system": _Name("system", _system, lambda system: str(system.name)),
    "control": _Name("control", str, str),
    "rating": _Name("rating", read_rating, lambda rating: "U" if rating is None else number_text(rating)),
    "games": _Name("games", lambda text: float(_whole(text))),
    "events": _Name("events", _whole),
    "peak": _Name("peak", read_number),
    "floor": _Name("floor", read_number),
    "age": _Name("age", read_number),
    "field": _Name("field_rating", read_number),
    "record": _Name("record", read_record, lambda record: "-".join(map(str, record))),
    "birth": _Name("birth_date", read_day, date.isoformat, code="bad-date"),
    "adult": _Name("adult", read_flag),
    "fide": _Name("fide", read_outside, outside_text),
    "cfc": _Name("cfc", read_outside, outside_text),
    "canadian": _Name("canadian_resident", read_flag),
    "other": _Name("others", read_other, lambda other: other_text(*other), is_list=True),
    "online": _Name("is_online", read_flag),
    "dual": _Name("is_dual", read_flag),
    "match": _Name("is_match", read_flag),
    "opponents": _Name("opponents_at", _kind, str),
    "game": _Name("opponents", read_game, game_text, is_list=True),
}


def read_request(fields: Iterable[tuple[str, str]], today: date) -> RequestReading:
    """The request that named texts make; ``today`` is the day of the event where none is given.

    Empty texts are fields of a form that were not filled in. ``game`` may hold several games with blanks between them.
    """
    faults: list[Fault] = []
    found: dict[str, list[Any]] = {}
    for at, (name, text) in enumerate(_separate(fields)):
        if at >= MOST_FIELDS:
            message = f"There are more than {MOST_FIELDS} fields."
            faults.append(fault("bad-value", "request", message, f"Leave some out; {MOST_GAMES} games are the most."))
            break
        _read_field(name, text, found, faults)
    return _request(found, today, faults)


def _separate(fields: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    for name, text in fields:
        if name == "game" and len(text) <= LONGEST_TEXT * MOST_FIELDS:
            for each in split_games(text, MOST_FIELDS):
                yield name, each
        elif said := text.strip():
            yield name, said


def _read_field(name: str, text: str, found: dict[str, list[Any]], faults: list[Fault]) -> None:
    """Read a field; what cannot be read keeps its place as ``None``."""
    how = NAMES.get(name)
    if how is None:
        faults.append(fault("unknown-field", shown(name), f"{shown(name)} is no field of an estimate and was ignored."))
        return
    values = found.setdefault(how.field, [])
    place = f"{name} {len(values) + 1}" if how.is_list else name
    value = None
    if len(text) > LONGEST_TEXT:
        faults.append(fault("bad-value", place, f"The text has {len(text)} characters; {LONGEST_TEXT} are the most."))
    elif values and not how.is_list:
        faults.append(fault("bad-value", place, f"{name} is given twice.", "Give it once."))
    else:
        try:
            value = how.read(text)
        except ValueError as error:
            faults.append(fault(how.code, place, str(error)))
    values.append(value)


def _request(found: Mapping[str, list[Any]], today: date, faults: list[Fault]) -> RequestReading:
    """The request of what was read; a stand-in keeps the place of what could not be, while the rest is checked."""
    values = {name: each[0] for name, each in found.items()}
    opponents = tuple(STAND_IN_GAME if game is None else game for game in found.get("opponents", ()))
    others = tuple(other for other in found.get("others", ()) if other is not None)
    rating, games = values.get("rating") or (STAND_IN_RATING, None)
    if "rating" not in found:
        faults.append(fault("missing-field", "rating", "No rating is given.", "Give it, or U for an unrated player."))
    if games is not None and values.get("games") not in (None, games):
        message = f"The rating says {games:g} games, games says {values['games']:g}."
        faults.append(fault("bad-value", "games", message, "Give the games once."))
    elif games is not None:
        values["games"] = games
    values = {name: value for name, value in values.items() if value is not None}
    values |= {"section_date": values.get("section_date", today), "rating": rating}
    request = EstimateRequest(**values | {"opponents": opponents, "others": others})
    faults += faults_of(request)
    is_sound = all(not each.severity.stops for each in faults)
    return RequestReading(request if is_sound else None, tuple(faults[:MOST_FAULTS]))


def read_object(document: object, today: date) -> RequestReading:
    """The request of a JSON body: the names of a link, with numbers, texts, flags, or lists of texts."""
    if not isinstance(document, Mapping):
        found = fault("wrong-type", "request", "The request is no object.", "Send an object with rating and game.")
        return RequestReading(None, (found,))
    fields: list[tuple[str, str]] = []
    faults: list[Fault] = []
    for name, value in document.items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, bool | int | float | str):
                fields.append((str(name), _plain(each)))
            elif each is not None:
                message = f"{shown(str(name))} holds neither text nor number."
                faults.append(fault("wrong-type", shown(str(name)), message))
            if len(fields) > MOST_FIELDS:
                break
    reading = read_request(fields, today)
    return RequestReading(None if faults else reading.request, (*faults, *reading.faults))


def _plain(value: bool | int | float | str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value == value and abs(value) < 1e9 and value == int(value):
        return str(int(value))
    return str(value)[: LONGEST_TEXT * MOST_FIELDS]


PATH = "/estimate"
LONGEST_LINK = 8000
# Characters that a query string may hold as they are, so that links stay readable.
PLAIN = ":@/,?"


# Every name with its place in a request and what stands there unsaid.
_FIELDS = tuple(
    (name, how, EstimateRequest._fields.index(how.field), EstimateRequest._field_defaults.get(how.field))
    for name, how in NAMES.items()
)


def fields_of(request: EstimateRequest) -> tuple[tuple[str, str], ...]:
    """A request as named texts, those of a form as well as of a link; the rating is always told."""
    found = []
    values: tuple[Any, ...] = request
    for name, how, at, usual in _FIELDS:
        value = values[at]
        if how.is_list:
            found += [(name, how.write(each)) for each in value]
        elif value != usual or name == "rating":
            found.append((name, how.write(value)))
    return tuple(found)


def query_of(request: EstimateRequest) -> str:
    """The query string of a request; all games stand in one field, commas between them."""
    every = fields_of(request)
    fields = [(name, text) for name, text in every if name != "game"]
    games = ",".join(text for name, text in every if name == "game")
    if games:
        fields.append(("game", games))
    return "&".join([f"{name}={text if text.isalnum() and text.isascii() else _quoted(text)}" for name, text in fields])


# Few texts but games need it: days and time controls.
@lru_cache(maxsize=1024)
def _quoted(text: str) -> str:
    return quote(text, safe=PLAIN)


def link_of(request: EstimateRequest) -> str:
    """The address, on any site of ours, that reproduces an estimate."""
    return f"{PATH}?{query_of(request)}"


def read_link(link: str, today: date) -> RequestReading:
    """The request of a link or of its query string alone; a part after ``#`` is left away."""
    if len(link) > LONGEST_LINK:
        message = f"The link has {len(link)} characters; {LONGEST_LINK} are the most."
        return RequestReading(None, (fault("bad-value", "link", message, "Leave games out."),))
    query = link.partition("#")[0]
    if "?" in query.partition("=")[0]:
        query = query.partition("?")[2]
    try:
        fields = parse_qsl(query, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        message = f"The link has more than {MOST_FIELDS} fields."
        return RequestReading(None, (fault("bad-value", "link", message, "Leave games out."),))
    return read_request(fields, today)
