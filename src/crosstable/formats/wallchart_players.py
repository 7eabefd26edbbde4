"""The table of a wallchart: what the row of a player says, and its cells in every dialect that is read.

The cells of a wallchart in every dialect that is read, each made into the letter, number and colour of ``W4b``.
``CODES`` lists them for the reference page, which a test reads cell by cell. Some dialects need the whole table:
``2w`` is a win in a table that has ``3L``, and a game with White that has no result yet beside ``17b1``; a bare ``1``
is a win where the columns are opponents.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from crosstable.errors import Fault
from crosstable.faults import fault
from crosstable.formats.columns import FEWEST, PLAYER_DETAILS, background_of, brings_ratings, rounds_of
from crosstable.formats.event_json import read_cell
from crosstable.formats.sheet_rows import Cells, Row
from crosstable.limits import HIGHEST_RATING
from crosstable.notation import read_member_id, shown
from crosstable.terms import (
    GAME_SCORES,
    PAIRING_GAMES,
    PlayerRating,
    Posted,
    RatingSystem,
    ReportedCell,
    ReportedPlayer,
    Result,
)

# 2½, 2 1/2, 2,5, .5: halves that are no plain number
_HALVES = re.compile(r"(\d{1,3})?\s?(?:\u00bd|(?:(?<=\s)|(?<!\d))1/2|(?<=\d),5|(?<!\d)\.50?)", re.ASCII)


class Dialect(NamedTuple):
    """What only the whole table says about its cells."""

    columns_are_opponents: bool = False
    own_column_is_marked: bool = False
    letter_after_number_is_colour: bool = False
    signs_are_forfeits: bool = False


class Table(NamedTuple):
    """The table of one section: its titles, its columns by name, its rows, and how to take them."""

    titles: Sequence[str]
    columns: Mapping[str, int]
    rows: Sequence[Row]
    main_system: RatingSystem | None
    dialect: Dialect


HALF = "\N{VULGAR FRACTION ONE HALF}"
# what stands in a cell → what it is read as; each is read in a table of its own
CODES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "W4",
        ("W4", "w4", "W 4", "W4w", "W4b", "W---4", "W--4", "+4", "+ 4", "+w4", "+4w", "4W", "4w1", "4b1"),
        "win",
    ),
    ("D4", ("D4", "D 4", "D4b", "D---4", "=4", "4D", f"4w{HALF}", "4b=", "4w1/2", "4b0.5"), "draw"),
    ("L4", ("L4", "L 4", "L4w", "L---4", "-4", "4L", "4w0", "4b0"), "loss"),
    ("X4", ("X4", "X---4", "4w+", "4b+"), "forfeit win against player 4"),
    ("F4", ("F4", "F---4", "4w-", "4b-"), "forfeit loss against player 4"),
    ("X", ("X", "X---", "-X-", "X0"), "forfeit win"),
    ("F", ("F", "F---", "-F-", "F0"), "forfeit loss"),
    (
        "B",
        ("B", "B---", "-B-", "BYE", "bye", "FPB", "full bye", "1 bye", "bye 1", "full-point bye", "bye (1)"),
        "full-point bye",
    ),
    (
        "H",
        ("H", "H---", "-H-", "HPB", "half bye", "1/2 bye", f"{HALF} bye", f"{HALF} pt bye", f"-{HALF}", "-1/2"),
        "half-point bye",
    ),
    ("Z", ("Z", "Z---", "-Z-", "ZPB", "zero bye", "0 bye", "bye 0"), "zero-point bye"),
    ("U", ("U", "U---", "-U-", "U0", "-", "--", "---", "-----"), "not paired"),
    ("", ("",), "nothing yet"),
    ("*", ("*", "*****"), "the player's own column in a round robin"),
)
# The same, in a table that has 17b1.
BESIDE_COLOURS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("B", ("-1",), "full-point bye"),
    ("Z", ("-0",), "zero-point bye"),
    ("U", ("0",), "not paired"),
    ("", ("4w", "4b"), "a game without a result yet"),
)
_WORDS = {
    **dict.fromkeys(("bye", "fpb", "full bye", "bye full", "1 bye", "bye 1", "1.0 bye", "bye 1.0"), "B"),
    **dict.fromkeys(("hpb", "half bye", "bye half", "1/2 bye", "bye 1/2", "0.5 bye", "bye 0.5", "- 1/2"), "H"),
    **dict.fromkeys((".5 bye", "bye .5", "bye h", "h bye"), "H"),
    **dict.fromkeys(("zpb", "zero bye", "bye zero", "0 bye", "bye 0"), "Z"),
}
_POINT = ("point", "points", "pt", "pt.", "pts", "pts.")
# Beside 17b1 a dash is nobody; beside +17 it is a loss.
_NOBODY = {"- 1": "B", "- 0": "Z", "0": "U"}
_NUMBER = r"(\d{1,5})"
_LETTER_FIRST = re.compile(rf"([A-Z*])[\s-]*?\s*-*\s*{_NUMBER}?\s*([WB]?)\s*-*", re.ASCII | re.IGNORECASE)
_SIGNED = re.compile(rf"([+=-])\s*([wb]?)\s*{_NUMBER}\s*([wb]?)", re.ASCII | re.IGNORECASE)
_NUMBER_FIRST = re.compile(rf"{_NUMBER}\s*([WLD])", re.ASCII | re.IGNORECASE)
# As chess-results and Swiss-Manager write it: opponent, colour, result; without a result the game is still to come.
_COLOUR_SECOND = re.compile(rf"{_NUMBER}\s*([wb])\s*(1/2|0[.,]5|[10=+-]|{HALF})?", re.ASCII | re.IGNORECASE)
_DASHED = re.compile(r"-([A-Z])-", re.ASCII | re.IGNORECASE)
_SIGNS = {"+": "W", "=": "D", "-": "L"}
_RESULTS = {"1": "W", "0": "L", "1/2": "D", "0.5": "D", "=": "D", "+": "X", "-": "F"}
_GRID = {**_RESULTS, ".5": "D", "0,5": "D", "1.0": "W", "0.0": "L", "w": "W", "l": "L", "d": "D"}
_OWN = re.compile(r"(?:[x*#\u2588\u25a0\u25cf]+|[-\u2013\u2014]+|)", re.IGNORECASE)
PLAINER = str.maketrans({HALF: "1/2", "\N{MINUS SIGN}": "-", "\N{EN DASH}": "-", "\N{EM DASH}": "-"})
_PENDING = ReportedCell("", Result.BLANK, 0, "")


def dialect_of(columns: Mapping[str, int], rows: Sequence[Row], *, is_round_robin: bool | None) -> Dialect:
    """The dialect of the cells of a table."""
    at = [columns.get(f"round {column}", -1) for column in range(1, rounds_of(columns) + 1)]
    texts = [[row.cells[place] if 0 <= place < len(row.cells) else "" for place in at] for row in rows]
    return dialect_of_cells(texts, [_number(columns, row, order) for order, row in enumerate(rows, 1)], is_round_robin)


def _number(columns: Mapping[str, int], row: Row, order: int) -> int | None:
    at = columns.get("number")
    text = row.cells[at].strip().rstrip(".") if at is not None and at < len(row.cells) else ""
    return order if at is None else int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None


def pending_of(table: Table) -> int:
    """How many games are paired and have no result: each stands on two rows."""
    at = [place for name, place in table.columns.items() if name.startswith("round ")]
    cells = [row.cells[place] for row in table.rows for place in at if place < len(row.cells)]
    return (sum(is_pending(cell, table.dialect) for cell in cells) + 1) // 2


def empty_of(table: Table) -> str:
    """The empty cells of rounds that have games, in words; a grid has empty cells of its own."""
    if table.dialect.columns_are_opponents:
        return ""
    numbers = [_number(table.columns, row, order) or order for order, row in enumerate(table.rows, 1)]
    found = []
    for column in range(1, rounds_of(table.columns) + 1):
        at = table.columns.get(f"round {column}", -1)
        texts = [row.cells[at].strip() if 0 <= at < len(row.cells) else "" for row in table.rows]
        empty = [str(number) for number, text in zip(numbers, texts, strict=True) if not text]
        if empty and any(letter.isdigit() for text in texts for letter in text):
            everybody = ", ".join(empty)
            found.append(f"round {column}, no. {everybody}")
    return "; ".join(found)


def players_of(table: Table, faults: list[Fault]) -> tuple[ReportedPlayer, ...]:
    """The players of a table; without a column for it, the number of a player is their row."""
    return tuple(_player(table, row, at, faults) for at, row in enumerate(table.rows, start=1))


def numbered(table: Table, faults: list[Fault]) -> tuple[ReportedPlayer, ...]:
    """The players of a table; where it has numbers and ranks, opponents are named by those that pair off.

    chess-results names opponents by rank where the table is sorted by rank, by starting number elsewhere.
    """
    players = players_of(table, faults)
    at, rank = table.columns.get("number"), table.columns.get("rank")
    if at is None or rank is None or at == rank or table.dialect.columns_are_opponents:
        return players
    by_rank = players_of(table._replace(columns={**table.columns, "number": rank}), [])
    games, ranked = _games(players), _games(by_rank)
    if not ranked or ranked == games:
        return players
    if games:
        message = f"Opponents can be those of the column {shown(table.titles[at])} or of {shown(table.titles[rank])}."
        remedy = "Delete the column by which no opponent is named."
        faults.append(fault("bad-value", table.rows[0].place, message, remedy))
    return by_rank


def _games(players: Sequence[ReportedPlayer]) -> dict[tuple[int, int], int]:
    """The opponent's row of every game by row and round, where all of them pair off; nothing where one does not."""
    rows = {player.number: at for at, player in enumerate(players)}
    cells = {(at, number): cell for at, p in enumerate(players) for number, cell in enumerate(p.cells) if cell.opponent}
    found = {key: rows.get(cell.opponent, -1) for key, cell in cells.items()}
    is_whole = len(rows) == len(players) and all(
        other != at and found.get((other, number)) == at and _agree(cells[at, number], cells[other, number])
        for (at, number), other in found.items()
    )
    return found if is_whole else {}


def _agree(one: ReportedCell, other: ReportedCell) -> bool:
    """Whether two cells may be the two sides of a game."""
    scores = [GAME_SCORES[cell.result] for cell in (one, other) if cell.result and cell.result.is_game]
    return (len(scores) < 2 or scores[0] + scores[1] == 1) and not (one.colour and one.colour == other.colour)


def _player(table: Table, row: Row, at: int, faults: list[Fault]) -> ReportedPlayer:
    cells = Cells(row, table.titles, table.columns, faults)
    cells.report_unnamed()
    number = cells.whole("number", least=1, most=99999) if "number" in table.columns else at
    (pairing, games), background = _figures(cells, "rating") or (None, None), background_of(cells)
    details = {name.replace(" ", "_"): cells.text(name) for name in PLAYER_DETAILS if name in cells}
    system = table.main_system
    if brings_ratings(table.columns):
        standing = _before(cells)
        if system is None:
            pairing, games = (standing.rating, standing.games) if standing else (None, None)
        elif "pre" not in table.columns:
            pairing = games = None
        if standing is not None and system is not None and system not in background.standings:
            background = background._replace(standings={**background.standings, system: standing})
    return ReportedPlayer(
        number=number,
        member_id=read_member_id(cells.text("member id")),
        name=cells.text("name") or ", ".join(filter(None, (cells.text("last name"), cells.text("first name")))),
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
        details={**details, **({PAIRING_GAMES: f"{games:g}"} if games else {})},
    )


def _total(cells: Cells) -> float | None:
    found = _HALVES.fullmatch(cells.text("total"))
    return float(found[1] or 0) + 0.5 if found else cells.number("total", most=1000.0)


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
    return [
        cell_of(cells.text(f"round {column}"), column, number, table.dialect)
        for column in range(1, rounds_of(table.columns) + 1)
    ]


def dialect_of_cells(
    rows: Sequence[Sequence[str]], numbers: Sequence[int | None], is_round_robin: bool | None
) -> Dialect:
    """The dialect of a table, from the cells of its rounds; ``is_round_robin`` is ``None`` where nothing says it."""
    cells = {_plain(cell) for row in rows for cell in row}
    grid = is_round_robin if is_round_robin is not None else is_grid(rows, numbers)
    has_points = bool(cells & {"1", "0"})
    return Dialect(bool(grid), _is_marked(rows, numbers), _has_colours(cells), has_points)


def _has_colours(cells: set[str]) -> bool:
    """Whether ``4w`` names a colour: where ``4b`` or ``4w1`` stand too, and no ``4L`` or ``4D``."""
    found = [match for match in map(_COLOUR_SECOND.fullmatch, cells) if match]
    if any(match[3] for match in found):
        return True
    return any(match[2].upper() == "B" for match in found)


def is_grid(rows: Sequence[Sequence[str]], numbers: Sequence[int | None]) -> bool:
    """Whether a table is a round robin's: a column for every player, bare results, and nothing on the diagonal."""
    if not (_is_square(rows, numbers) and _is_marked(rows, numbers)):
        return False
    others = [_plain(cell) for at, row in enumerate(rows) for column, cell in enumerate(row) if column != at]
    # With a cross in every own column the others may even name their opponents.
    is_crossed = all(row[at].strip() for at, row in enumerate(rows))
    return is_crossed or (any(cell in _GRID for cell in others) and all(cell in _GRID or not cell for cell in others))


def _is_square(rows: Sequence[Sequence[str]], numbers: Sequence[int | None]) -> bool:
    size = len(rows)
    return size >= FEWEST and list(numbers) == list(range(1, size + 1)) and all(len(row) == size for row in rows)


def _is_marked(rows: Sequence[Sequence[str]], numbers: Sequence[int | None]) -> bool:
    """Whether every own column holds a cross, a dash or nothing."""
    own = [row[number - 1] for row, number in zip(rows, numbers, strict=True) if number and number <= len(row)]
    return all(_OWN.fullmatch(_plain(cell)) for cell in own)


def cell_of(text: str, column: int, number: int | None, dialect: Dialect) -> ReportedCell:
    """The cell of a column on the row of a player."""
    plain = _plain(text)
    if dialect.columns_are_opponents:
        if column == number and (dialect.own_column_is_marked or not plain):
            return read_cell("*")
        if plain in ("+", "-") and not dialect.signs_are_forfeits:
            plain = _SIGNS[plain].lower()
        if plain in _GRID:
            return read_cell(f"{_GRID[plain]}{column}")
    cell = _read(text, plain, dialect)
    if dialect.columns_are_opponents and cell.result is not None and cell.result.is_game and not cell.opponent:
        return read_cell(f"{cell.result.value}{column}{cell.colour}")
    return cell


def is_pending(text: str, dialect: Dialect) -> bool:
    """Whether a cell names an opponent and a colour, and no result yet."""
    found = _COLOUR_SECOND.fullmatch(_plain(text))
    return dialect.letter_after_number_is_colour and found is not None and not found[3]


def _plain(text: str) -> str:
    return " ".join(text.lower().translate(PLAINER).split())


def _bye_words(plain: str) -> str:
    """``1/2 pt bye``, ``bye (1)``, ``half-point bye`` as the words that are known."""
    words = re.sub(r"[()\s-]+", " ", plain).split()
    return " ".join(word for word in words if word not in _POINT)


def _read(text: str, plain: str, dialect: Dialect) -> ReportedCell:
    words = " ".join(plain.replace("-", " - ").split()) if plain.startswith("-") else _bye_words(plain)
    known = {**_WORDS, **_NOBODY} if dialect.letter_after_number_is_colour else _WORDS
    if words in known:
        return read_cell(known[words])
    if plain and not plain.strip("- "):
        return read_cell("U")
    if plain and not plain.strip("*"):
        return read_cell("*")
    if found := _SIGNED.fullmatch(plain):
        return read_cell(f"{_SIGNS[found[1]]}{found[3]}{found[2] or found[4]}")
    if found := _COLOUR_SECOND.fullmatch(plain):
        if found[3] and not int(found[1]):
            return read_cell(text)  # nobody is number 0
        if found[3]:
            return read_cell(f"{_RESULTS[found[3].replace(',', '.')]}{found[1]}{found[2]}")
        if dialect.letter_after_number_is_colour:
            return _PENDING
    if (found := _NUMBER_FIRST.fullmatch(plain)) and not dialect.letter_after_number_is_colour:
        return read_cell(f"{found[2]}{found[1]}")
    if found := _DASHED.fullmatch(plain):
        return read_cell(found[1])
    if found := _LETTER_FIRST.fullmatch(plain):
        cell = read_cell(f"{found[1]}{found[2] or ''}{found[3]}")
        return cell if cell.result is not None else read_cell(text)
    return read_cell(text)
