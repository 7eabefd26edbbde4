"""What of a table is not understood: columns that could hold ratings, games or results under titles that are not known.

Each is an error. Otherwise people would be rated as unrated, as established, or without a round.
"""

import re
from collections.abc import Mapping, Sequence

from crosstable.errors import Fault
from crosstable.faults import fault
from crosstable.formats.columns import (
    CHESS_TITLES,
    ID_OR_RATING,
    OUTSIDE,
    OUTSIDE_QUANTITIES,
    PERSON,
    PERSON_WORDS,
    QUANTITIES,
    SYSTEM_WORDS,
    brings_ratings,
    column_name,
    has_ratings,
    is_ignored,
)
from crosstable.formats.sheet_rows import Row, tidy_title
from crosstable.limits import HIGHEST_RATING
from crosstable.notation import read_rating, shown
from crosstable.terms import RatingSystem

_LOWEST_RATING = 100
_OF_RATINGS = re.compile(r"\b(?:rat\w*|rtg\w*|rtng|elo|uscf|us chess|std|standard|classical|slow|otb|pre)\b")
_RESULT = re.compile(r"[WLD]\s?-*\d{1,4}\s?[wb]?|\d{1,4}[wb](?:1/2|[01=\u00bd])", re.IGNORECASE)
_SIGNED_RESULT = re.compile(r"[+=-]\s?[wb]?\d{1,4}[wb]?", re.IGNORECASE)  # changes of ratings look the same
_NEARLY = 0.88
# The titles of what ratings depend on, and the column that each of them is.
_TELLING = {
    f"{word} {quantity}": f"{name} {quantity}"
    for word, name in SYSTEM_WORDS.items()
    for quantity in (OUTSIDE_QUANTITIES if name in OUTSIDE else QUANTITIES)
} | {**{name: name for name in PERSON}, **PERSON_WORDS}


def settled(
    titles: Sequence[str], columns: Mapping[str, int], rows: Sequence[Row], place: str, faults: list[Fault]
) -> tuple[Sequence[str], dict[str, int]]:
    """The titles and columns as the rows below show them: titles without one, ranks for numbers, unknown ratings."""
    settled_columns, named = dict(columns), list(titles)
    for at in range(max((len(row.cells) for row in rows), default=0)):
        values = [row.cells[at].strip() for row in rows if at < len(row.cells) and row.cells[at].strip()]
        title = named[at].strip() if at < len(named) else ""
        if not title and values and {value.lower() for value in values} <= CHESS_TITLES:
            named += [""] * (at + 1 - len(named))
            named[at] = "Title"
            settled_columns.setdefault("title", at)
        elif title and not column_name(title) and not is_ignored(title):
            refuse_results(title, values, place, faults)
            if not refuse_misspelt(title, values, columns, place, faults) and not is_rated_otherwise(title, columns):
                refuse_ratings(title, values, place, faults)
    _move_uscf(named, settled_columns, rows)
    if "number" not in settled_columns and "rank" in settled_columns:
        settled_columns["number"] = settled_columns["rank"]
    return named, settled_columns


def _move_uscf(titles: Sequence[str], columns: dict[str, int], rows: Sequence[Row]) -> None:
    """A column USCF holds ids, or ratings where all its numbers are short."""
    at = columns.get("member id", len(titles))
    if at < len(titles) and tidy_title(titles[at]) in ID_OR_RATING and "rating" not in columns:
        values = [row.cells[at].strip() for row in rows if at < len(row.cells) and row.cells[at].strip()]
        if any(map(_is_rating, values)) and all(_is_rating(value) or not value.isdigit() for value in values):
            columns["rating"] = columns.pop("member id")


def is_rated_otherwise(title: str, columns: Mapping[str, int]) -> bool:
    """Whether a column that is not known need not hold the ratings, because others do.

    Quick ratings do not take the place of a column whose title speaks of ratings, nor Blitz or online ones.
    """
    if not has_ratings(columns):
        return False
    return not _OF_RATINGS.search(tidy_title(title)) or not columns.keys().isdisjoint(("rating", "pre", "OTBR rating"))


def refuse_ratings(title: str, values: Sequence[str], place: str, faults: list[Fault], remedy: str = "") -> None:
    """An error where a column under a title that is not known holds what looks like ratings."""
    ratings = [value for value in values if _is_rating(value)]
    if ratings and 2 * len(ratings) > len(values):
        message = f"The column {shown(title)} is not known and holds numbers like {ratings[0]}, which could be ratings."
        faults.append(fault("rating-column-not-known", place, message, remedy))


def refuse_misspelt(
    title: str, values: Sequence[str], columns: Mapping[str, int], place: str, faults: list[Fault]
) -> bool:
    """An error where the title of a column is nearly one that ratings depend on and that no other column has."""
    from difflib import get_close_matches

    near = get_close_matches(tidy_title(title), _TELLING, n=1, cutoff=_NEARLY) if values else []
    if not near or _TELLING[near[0]] in columns:
        return False
    message = f"The column {shown(title)} is not known (did you mean {near[0]}?)."
    faults.append(fault("bad-value", place, message, "Correct its title, or delete it."))
    return True


def refuse_results(title: str, values: Sequence[str], place: str, faults: list[Fault]) -> None:
    """An error where a column under a title that is not known holds what looks like the results of a round."""
    is_numbered = any(letter.isdigit() for letter in title)
    results = [one for one in values if _RESULT.fullmatch(one) or (is_numbered and _SIGNED_RESULT.fullmatch(one))]
    if results and 2 * len(results) > len(values):
        message = f"The column {shown(title)} is not known and holds cells like {results[0]}, which could be results."
        faults.append(fault("bad-value", place, message, "Call it Round 1, Round 2 …, or delete it."))


def refuse_games(columns: Mapping[str, int], row: Row, rows: Sequence[Row], faults: list[Fault]) -> None:
    """An error where a column of games may be of a rating whose system has a column, and games of none are known."""
    at = columns["games"]
    open_ = [
        system.title.capitalize()
        for system in RatingSystem
        if f"{system.name} rating" in columns and f"{system.name} games" not in columns
    ]
    if open_ and any(one.cells[at].strip() for one in rows if len(one.cells) > at):
        title = shown(row.cells[at])
        message = f"The column {title} does not say which rating is based on these games."
        wanted = open_[0]
        remedy = f"Call it {wanted} games, or delete it."
        faults.append(fault("bad-value", row.place, message, remedy))


def refuse_unnamed(
    columns: Mapping[str, int], titles: Row, rows: Sequence[Row], rated: set[RatingSystem], faults: list[Fault]
) -> None:
    """An error for figures that name no system, where other systems have columns and the section's own have none."""
    if "games" in columns:
        refuse_games(columns, titles, rows, faults)
    named = {system for system in RatingSystem if f"{system.name} rating" in columns}
    if "rating" in columns and not brings_ratings(columns) and named and rated and not named & rated:
        title, wanted = shown(titles.cells[columns["rating"]]), min(rated).title.capitalize()
        message = f"The column {title} names no system, and there are no {wanted} ratings."
        faults.append(fault("bad-value", titles.place, message, f"Call it {wanted} rating, or delete it."))


def _is_rating(text: str) -> bool:
    try:
        rating = read_rating(text).rating
    except ValueError:
        return False
    return rating is not None and _LOWEST_RATING <= rating <= HIGHEST_RATING
