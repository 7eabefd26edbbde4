"""The table of a wallchart: which titles are known, and what the row of a player says."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from crosstable.catalogue import fault
from crosstable.errors import Fault
from crosstable.formats.background_columns import background_of, column_of
from crosstable.formats.event_json import read_cell
from crosstable.formats.sheet_rows import LONGEST_TITLE, Cells, Row, columns_of, tidy_title
from crosstable.limits import HIGHEST_RATING
from crosstable.terms import PlayerRating, Posted, RatingSystem, ReportedCell, ReportedPlayer, Result

MOST_ROUNDS = 200
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "number": (
        "no",
        "number",
        "num",
        "nr",
        "pair",
        "pair no",
        "pair number",
        "pairing",
        "pairing no",
        "pairing number",
    ),
    "name": ("name", "player", "player name"),
    "member id": ("id", "uscf id", "us chess id", "uschess id", "member id", "member no", "member number", "uscf"),
    "state": ("state", "st"),
    "rating": ("rating", "rtg", "pairing rating"),
    "pre": ("pre", "pre rating", "pre event rating", "pre event", "rating before"),
    "games": ("games", "pre games", "pre event games", "games before"),
    "total": ("total", "score", "points", "pts", "total pts", "total points"),
    "rate": ("rate",),
    "fide flag": ("fide flag",),
    "member": ("member",),
    "fide opt in": ("fide opt in",),
}
PLAYER_DETAILS = ("title", "sex", "federation", "fide id", "rank", "national rating", "team", "norm")
_TITLES = {title: column for column, titles in COLUMNS.items() for title in titles}
_NAMING = ("name", "member id")
_ROUND = re.compile(r"(?:rd|rnd|round|r)?\s*0{0,2}(\d{1,3})", re.ASCII)
_SIGNED = re.compile(r"([+=-])\s*([wb]?)\s*(\d{1,5})\s*([wb]?)", re.ASCII | re.IGNORECASE)
_SIGNS = {"+": "W", "=": "D", "-": "L"}
_POINTS = {"1": "W", "0": "L", "1/2": "D", "0.5": "D", "\N{VULGAR FRACTION ONE HALF}": "D", "=": "D"}


class Table(NamedTuple):
    """The table of one section: its titles, its columns by name, its rows, and how to take them."""

    titles: Sequence[str]
    columns: Mapping[str, int]
    rows: Sequence[Row]
    main_system: RatingSystem | None
    columns_are_opponents: bool


def column_name(title: str) -> str:
    """The name under which a column is known here: ``name``, ``round 3``, ``OTBR rating`` …, or nothing."""
    tidy = tidy_title(title)
    if found := _ROUND.fullmatch(tidy):
        return f"round {int(found[1])}" if 1 <= int(found[1]) <= MOST_ROUNDS else ""
    return tidy if tidy in PLAYER_DETAILS else _TITLES.get(tidy) or column_of(title)


def title_score(cells: Sequence[str]) -> int:
    """How many columns of a wallchart a row names; 0 where it is no row of titles."""
    if not any(_TITLES.get(tidy_title(cell)) in _NAMING for cell in cells if len(cell) <= LONGEST_TITLE):
        return 0
    found = {column_name(cell) for cell in cells} - {""}
    return len(found) if len(found) > 1 else 0


def opens_table(cells: Sequence[str]) -> bool:
    """Whether a row within a table is the titles of the next one, and not a player called Name or Player."""
    if not title_score(cells):
        return False
    filled = [cell for cell in cells if cell.strip()]
    titles = {column_name(cell) for cell in filled if not cell.strip().isdigit()} - {""}
    return len(titles) > 1 and 2 * len(titles) >= len(filled)


def rounds_of(columns: Mapping[str, int]) -> int:
    """The last round that has a column."""
    return max((int(name.removeprefix("round ")) for name in columns if name.startswith("round ")), default=0)


def brings_ratings(columns: Mapping[str, int]) -> bool:
    """Whether a column holds ratings from before the event without naming their system."""
    return "pre" in columns or ("rating" in columns and "games" in columns)


def players_of(table: Table, faults: list[Fault]) -> tuple[ReportedPlayer, ...]:
    """The players of a table; without a column for it, the number of a player is his row."""
    return tuple(_player(table, row, at, faults) for at, row in enumerate(table.rows, start=1))


def _player(table: Table, row: Row, at: int, faults: list[Fault]) -> ReportedPlayer:
    cells = Cells(row, table.titles, table.columns, faults)
    cells.report_unnamed()
    number = cells.whole("number", least=1, most=99999) if "number" in table.columns else at
    pairing, background = _pairing_rating(cells), background_of(cells)
    system = table.main_system
    if system is not None and brings_ratings(table.columns):
        standing = _before(cells)
        if "pre" not in table.columns:
            pairing = None
        if standing is not None and system not in background.standings:
            background = background._replace(standings={**background.standings, system: standing})
    return ReportedPlayer(
        number=number,
        member_id=cells.text("member id"),
        name=cells.text("name"),
        cells=tuple(_cells(table, cells, number)),
        background=background,
        place=row.place if number is None else f"{row.place} (number {number})",
        state=cells.text("state"),
        pairing_rating=pairing,
        posted=_posted(cells),
        is_rated=cells.flag("rate"),
        fide_flag=cells.text("fide flag") or None,
        is_member=cells.flag("member"),
        has_opted_in=cells.flag("fide opt in"),
        total=_total(cells),
        details={name.replace(" ", "_"): cells.text(name) for name in PLAYER_DETAILS if name in cells},
    )


def _total(cells: Cells) -> float | None:
    text = cells.text("total")
    if text.endswith("\N{VULGAR FRACTION ONE HALF}") and text[:-1].strip().isdecimal():
        return float(text[:-1]) + 0.5
    return 0.5 if text == "\N{VULGAR FRACTION ONE HALF}" else cells.number("total", most=1000.0)


def _pairing_rating(cells: Cells) -> float | None:
    figures = _figures(cells, "rating")
    return figures[0] if figures else None


def _before(cells: Cells) -> PlayerRating | None:
    """The rating before the event with its games: in the next column, or behind the rating as in 1512P17."""
    figures = _figures(cells, "pre") or _figures(cells, "rating")
    games = cells.number("games")
    return PlayerRating(figures[0], figures[1] if games is None else games) if figures else None


def _figures(cells: Cells, column: str) -> tuple[float, float | None] | None:
    """A rating, and its games where they stand behind it; nothing where the player has none."""
    rating, games = cells.rating(column)
    return (rating, games) if rating else None  # 0 is how pairing programs write unrated


def _posted(cells: Cells) -> dict[RatingSystem, Posted]:
    posted = {}
    named = cells.systems
    for system in (system for system in RatingSystem if system.name in named):
        rating = cells.number(f"{system.name} posted", most=HIGHEST_RATING)
        if rating is not None:
            posted[system] = Posted(rating, cells.number(f"{system.name} posted games"))
    return posted


def _cells(table: Table, cells: Cells, number: int | None) -> list[ReportedCell]:
    found = []
    for column in range(1, rounds_of(table.columns) + 1):
        text = cells.text(f"round {column}")
        if table.columns_are_opponents:
            found.append(_against(text, column, number))
        else:
            found.append(_signed(text))
    return found


def _signed(text: str) -> ReportedCell:
    """A cell as ``W4b`` or, as some write it, ``+b4``."""
    found = _SIGNED.fullmatch(text)
    if found is None:
        return read_cell(text)
    return read_cell(f"{_SIGNS[found[1]]}{found[3]}{found[2] or found[4]}")


def _against(text: str, column: int, number: int | None) -> ReportedCell:
    """A cell of a round robin: a game without an opponent's number is against the player of the column."""
    cell = _signed(_POINTS.get(text, text))
    if cell.result is not None and cell.result.is_game and not cell.opponent:
        return read_cell(f"{cell.result.value}{column}{cell.colour}")
    if cell.result is Result.BLANK and column == number:
        return read_cell("*")
    return cell


def titles_of(row: Row, faults: list[Fault]) -> dict[str, int]:
    """Where each known column stands; a round that has none is a fault, as are unknown and double titles."""
    columns = columns_of(row, column_name, faults)
    missing = [number for number in range(1, rounds_of(columns) + 1) if f"round {number}" not in columns]
    if missing:
        faults.append(fault("missing-field", row.place, f"There is no column for round {missing[0]}."))
    return columns
