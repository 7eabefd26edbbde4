"""From named texts to a request: a form, a link, a command line and a JSON body are all read here, faults and all."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any, NamedTuple

from crosstable.calculator.notation import (
    LONGEST_TEXT,
    read_day,
    read_flag,
    read_game,
    read_other,
    read_outside,
    read_record,
)
from crosstable.calculator.requests import MOST_GAMES, EstimateRequest, Opponent, OpponentsAt, faults_of
from crosstable.errors import Fault
from crosstable.faults import fault
from crosstable.notation import read_number, read_rating, shown, split_games
from crosstable.terms import RatingSystem, Result

MOST_FIELDS = 150
MOST_FAULTS = 50
STAND_IN_RATING = 1500.0
STAND_IN_GAME = Opponent(STAND_IN_RATING, (Result.WIN,))


class RequestReading(NamedTuple):
    """A request as read, and everything that is wrong with it; the request is ``None`` if anything is."""

    request: EstimateRequest | None
    faults: tuple[Fault, ...]


class _Name(NamedTuple):
    """How a field is read: the request's name for it, the reader, whether it may stand several times, the fault."""

    field: str
    read: Callable[[str], Any]
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


def _count(text: str) -> float:
    return float(_whole(text))


# Every name that a link, a form or a JSON body may hold.
NAMES: Mapping[str, _Name] = {
    "rating": _Name("rating", read_rating),
    "games": _Name("games", _count),
    "record": _Name("record", read_record),
    "events": _Name("events", _whole),
    "peak": _Name("peak", read_number),
    "floor": _Name("floor", read_number),
    "birth": _Name("birth_date", read_day, code="bad-date"),
    "age": _Name("age", read_number),
    "adult": _Name("adult", read_flag),
    "fide": _Name("fide", read_outside),
    "cfc": _Name("cfc", read_outside),
    "canadian": _Name("canadian_resident", read_flag),
    "other": _Name("others", read_other, is_list=True),
    "game": _Name("opponents", read_game, is_list=True),
    "date": _Name("section_date", read_day, code="bad-date"),
    "system": _Name("system", _system),
    "control": _Name("control", str),
    "online": _Name("is_online", read_flag),
    "dual": _Name("is_dual", read_flag),
    "match": _Name("is_match", read_flag),
    "opponents": _Name("opponents_at", _kind),
    "field": _Name("field_rating", read_number),
}


def read_request(fields: Iterable[tuple[str, str]], today: date) -> RequestReading:
    """The request that named texts make; ``today`` is the day of the event where none is given.

    Empty texts are fields of a form that were not filled in. ``game`` may hold several games with blanks between them.
    """
    faults: list[Fault] = []
    found: dict[str, Any] = {}
    lists: dict[str, list[Any]] = {}
    for at, (name, text) in enumerate(_separate(fields)):
        if at >= MOST_FIELDS:
            message = f"There are more than {MOST_FIELDS} fields."
            faults.append(fault("bad-value", "request", message, f"Leave some out; {MOST_GAMES} games are the most."))
            break
        _read_field(name, text, found, lists, faults)
    return _request(found, lists, today, faults)


def _separate(fields: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    for name, text in fields:
        if name == "game" and len(text) <= LONGEST_TEXT * MOST_FIELDS:
            yield from (("game", each) for each in split_games(text, MOST_FIELDS))
        elif text.strip():
            yield name, text.strip()


def _read_field(name: str, text: str, found: dict[str, Any], lists: dict[str, list[Any]], faults: list[Fault]) -> None:
    how = NAMES.get(name)
    if how is None:
        faults.append(fault("unknown-field", shown(name), f"{shown(name)} is no field of an estimate and was ignored."))
        return
    place = f"{name} {len(lists.get(how.field, [])) + 1}" if how.is_list else name
    if len(text) > LONGEST_TEXT:
        faults.append(fault("bad-value", place, f"The text has {len(text)} characters; {LONGEST_TEXT} are the most."))
        _keep(how, None, found, lists)
        return
    if not how.is_list and how.field in found:
        faults.append(fault("bad-value", place, f"{name} is given twice.", "Give it once."))
        return
    try:
        value = how.read(text)
    except ValueError as error:
        faults.append(fault(how.code, place, str(error)))
        value = None
    _keep(how, value, found, lists)


def _keep(how: _Name, value: object, found: dict[str, Any], lists: dict[str, list[Any]]) -> None:
    if how.is_list:
        lists.setdefault(how.field, []).append(value)
    else:
        found[how.field] = value


def _request(found: dict[str, Any], lists: Mapping[str, list[Any]], today: date, faults: list[Fault]) -> RequestReading:
    """The request of what was read; a stand-in keeps the place of what could not be, while the rest is checked."""
    if isinstance(found.get("rating"), tuple):
        rating, games = found["rating"]
        found["rating"] = rating
        if games is not None and found.get("games") not in (None, games):
            message = f"The rating says {games:g} games, games says {found['games']:g}."
            faults.append(fault("bad-value", "games", message, "Give the games once."))
        elif games is not None:
            found["games"] = games
    elif "rating" not in found:
        faults.append(fault("missing-field", "rating", "No rating is given.", "Give it, or U for an unrated player."))
        found["rating"] = STAND_IN_RATING
    else:
        found["rating"] = STAND_IN_RATING
    found["section_date"] = found.get("section_date") or today
    values = {name: value for name, value in found.items() if value is not None}
    games = tuple(STAND_IN_GAME if game is None else game for game in lists.get("opponents", ()))
    others = tuple(other for other in lists.get("others", ()) if other is not None)
    request = EstimateRequest(**values, opponents=games, others=others)
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
