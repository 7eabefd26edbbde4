"""The columns that say what a player brings: ratings of all systems with their history, outside ratings, age.

A column names a system and a quantity: ``OTBR rating``, ``Regular games``, ``Quick as of``, ``FIDE rating``. The rating
itself may be named by its system alone (``Regular``). Floors are levels with their origin (``1400 money``), match
changes are days with a change (``2026-05-01 +12.5``), several of either parted by a slash.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from crosstable.formats.dates import iso_day
from crosstable.formats.event_json import FLOOR_ORIGINS
from crosstable.formats.json_fields import in_short, read_field
from crosstable.formats.sheet_rows import Cells, as_text, tidy_title
from crosstable.limits import FIRST_BIRTH_YEAR, HIGHEST_RATING, LAST_BIRTH_YEAR
from crosstable.rules.editions import LOWEST_FLOOR, MOST_CREDITED_GAMES
from crosstable.terms import (
    RECORD_FIELDS,
    Background,
    FieldKind,
    Floor,
    FloorKind,
    GivenStart,
    Kept,
    MatchChange,
    OutsideRating,
    PlayerRating,
    RatingSystem,
)

SYSTEM_WORDS: Mapping[str, str] = {
    "otbr": "OTBR",
    "regular": "OTBR",
    "reg": "OTBR",
    "otbq": "OTBQ",
    "quick": "OTBQ",
    "otbb": "OTBB",
    "blitz": "OTBB",
    "olr": "OLR",
    "online regular": "OLR",
    "olq": "OLQ",
    "online quick": "OLQ",
    "olb": "OLB",
    "online blitz": "OLB",
    "fide": "FIDE",
    "cfc": "CFC",
}
OUTSIDE = ("FIDE", "CFC")
OUTSIDE_QUANTITIES = ("rating", "as of")
QUANTITIES = {(kept.in_files or name).replace("_", " "): name for name, kept in RECORD_FIELDS.items()}
PERSON = ("birth date", "birth year", "adult", "canadian resident", "start rating", "start games")
_OTHER_WORDS = {"rtg": "rating", "": "rating", "date": "as of", "asof": "as of", "n": "games", "list": "published"}
_PERSON_WORDS = {
    **dict.fromkeys(("birthdate", "dob", "date of birth", "born", "birth", "birthday"), "birth date"),
    **dict.fromkeys(("birthyear", "year of birth"), "birth year"),
}
_LEVEL = re.compile(r"(\d{3,4}(?:\.\d{1,17})?)(?:\s+(\w+(?: \w+)?))?", re.ASCII)
_CHANGE = re.compile(r"(\d{4}-\d{2}-\d{2})\s+([+-]?\d{1,4}(?:\.\d{1,17})?(?:e-?\d{1,3})?)", re.ASCII)
_ORIGINS = {kind: origin for origin, kind in FLOOR_ORIGINS.items()}
_DEFAULTS = PlayerRating._field_defaults


def column_of(title: str) -> str:
    """The name under which a column is known here (``OTBR rating``, ``birth date``), or nothing."""
    tidy = tidy_title(title)
    if tidy in PERSON or tidy in _PERSON_WORDS:
        return _PERSON_WORDS.get(tidy, tidy)
    for words, system in SYSTEM_WORDS.items():
        if tidy == words or tidy.startswith(f"{words} "):
            rest = tidy.removeprefix(words).strip()
            quantity = _OTHER_WORDS.get(rest, rest)
            known = OUTSIDE_QUANTITIES if system in OUTSIDE else (*QUANTITIES, "posted", "posted games")
            return f"{system} {quantity}" if quantity in known else ""
    return ""


def background_of(cells: Cells) -> Background:
    """What the columns of a row say of a player."""
    named = cells.systems
    standings = {system: _standing(cells, system.name) for system in RatingSystem if system.name in named}
    return Background(
        standings={system: standing for system, standing in standings.items() if standing is not None},
        fide=_outside(cells, "FIDE"),
        cfc=_outside(cells, "CFC"),
        birth_date=None if _year_column(cells) else cells.day("birth date"),
        birth_year=cells.whole(_year_column(cells) or "birth year", least=FIRST_BIRTH_YEAR, most=LAST_BIRTH_YEAR),
        adult=cells.flag("adult"),
        canadian_resident=bool(cells.flag("canadian resident")),
        given_start=_given_start(cells),
    )


def _year_column(cells: Cells) -> str:
    """The column of birth dates where it holds a mere year, as lists of pairing programs have it."""
    text = cells.text("birth date")
    return "birth date" if len(text) == 4 and text.isascii() and text.isdigit() else ""


def _given_start(cells: Cells) -> GivenStart | None:
    """An unrated player's start set by hand; both its columns are needed."""
    rating, games = (
        cells.number("start rating", most=HIGHEST_RATING),
        cells.number("start games", most=MOST_CREDITED_GAMES),
    )
    for column, other in (("start rating", "start games"), ("start games", "start rating")):
        if column in cells and other not in cells:
            cells.report(column, "missing-field", f"A start needs a {other} too.")
    return None if rating is None or games is None else GivenStart(rating, games)


def _standing(cells: Cells, name: str) -> PlayerRating | None:
    rating, behind = cells.rating(f"{name} rating")
    if not rating:  # rating lists write 0 for unrated
        for quantity in QUANTITIES:
            if quantity != "rating" and f"{name} {quantity}" in cells and f"{name} rating" not in cells:
                cells.report(f"{name} {quantity}", "missing-field", f"The {name} rating itself is missing.")
        return None
    read: dict[str, Any] = {"rating": rating}
    for quantity, field in QUANTITIES.items():
        if field != "rating" and (value := _field(cells, f"{name} {quantity}", RECORD_FIELDS[field])) is not None:
            read[field] = value
    if behind is not None:
        games = read.setdefault("games", behind)
        if games != behind:
            cells.report(f"{name} games", "bad-value", f"The rating says {behind:g} games, the column {games:g}.")
    return PlayerRating(**read)


def _field(cells: Cells, column: str, kept: Kept) -> object:
    if kept.kind is FieldKind.FLOORS:
        return tuple(_floors(cells, column))
    return tuple(_match_changes(cells, column)) if kept.kind is FieldKind.CHANGES else read_field(cells, column, kept)


def _outside(cells: Cells, name: str) -> OutsideRating | None:
    rating = cells.rating(f"{name} rating").rating
    as_of = cells.day(f"{name} as of")
    return OutsideRating(rating, as_of) if rating else None


def _floors(cells: Cells, column: str) -> list[Floor]:
    floors = []
    for part in filter(None, map(str.strip, cells.text(column).split("/"))):
        found = _LEVEL.fullmatch(part)
        origin = (found[2] or "office").lower().replace(" ", "_") if found else ""
        if found is None or origin not in FLOOR_ORIGINS or not LOWEST_FLOOR <= float(found[1]) <= HIGHEST_RATING:
            cells.report(column, "bad-value", f"{in_short(part)} is no floor; write 1400 or 1400 money.")
        else:
            floors.append(Floor(FLOOR_ORIGINS[origin], float(found[1])))
    return floors


def _match_changes(cells: Cells, column: str) -> list[MatchChange]:
    changes = []
    for part in filter(None, map(str.strip, cells.text(column).split("/"))):
        found = _CHANGE.fullmatch(part)
        day = iso_day(found[1]) if found else None
        if found is None or day is None or abs(float(found[2])) > HIGHEST_RATING:
            cells.report(column, "bad-value", f"{in_short(part)} is no change in a match; write 2026-05-01 +12.5.")
        else:
            changes.append(MatchChange(day, float(found[2])))
    return changes


def columns_for(backgrounds: Sequence[Background]) -> list[str]:
    """The columns that are needed so that nothing of these backgrounds is lost, in their usual order."""
    filled = {column for background in backgrounds for column, text in written(background).items() if text}
    known = [f"{system.name} {quantity}" for system in RatingSystem for quantity in QUANTITIES]
    known += [f"{outside} {quantity}" for outside in OUTSIDE for quantity in OUTSIDE_QUANTITIES]
    return [column for column in (*PERSON, *known) if column in filled]


def written(background: Background) -> dict[str, str]:
    """The cells of a background, by column."""
    cells = {
        "birth date": as_text(background.birth_date),
        "birth year": as_text(background.birth_year),
        "adult": as_text(background.adult),
        "canadian resident": as_text(background.canadian_resident or None),
    }
    if background.given_start is not None:
        cells["start rating"] = as_text(background.given_start.rating)
        cells["start games"] = as_text(background.given_start.games)
    for system, standing in background.standings.items():
        cells |= {f"{system.name} {quantity}": text for quantity, text in _written_rating(standing).items()}
    for name, outside in (("FIDE", background.fide), ("CFC", background.cfc)):
        if outside is not None:
            cells |= {f"{name} rating": as_text(outside.rating), f"{name} as of": as_text(outside.as_of)}
    return cells


def _written_rating(rating: PlayerRating) -> dict[str, str]:
    """What differs from the default of its field."""
    said = {quantity: name for quantity, name in QUANTITIES.items() if getattr(rating, name) != _DEFAULTS.get(name)}
    return {quantity: _written_field(rating, name) for quantity, name in said.items()}


def _written_field(rating: PlayerRating, name: str) -> str:
    kind = RECORD_FIELDS[name].kind
    if kind is FieldKind.FLOORS:
        return " / ".join(_written_floor(floor) for floor in rating.floors)
    if kind is FieldKind.CHANGES:
        return " / ".join(f"{change.on.isoformat()} {as_text(change.change)}" for change in rating.match_changes)
    return as_text(getattr(rating, name))


def _written_floor(floor: Floor) -> str:
    origin = "" if floor.kind is FloorKind.OFFICE else f" {_ORIGINS.get(floor.kind, 'office')}"
    return f"{as_text(floor.level)}{origin}"
