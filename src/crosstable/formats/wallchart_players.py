"""The table of a wallchart: which titles are known, and what the row of a player says."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from crosstable.errors import Fault
from crosstable.faults import fault
from crosstable.formats.columns import PLAYER_DETAILS, background_of, brings_ratings, rounds_of
from crosstable.formats.sheet_rows import Cells, Row
from crosstable.formats.wallchart_cells import Dialect, cell_of, is_pending
from crosstable.formats.wallchart_cells import dialect_of as cells_dialect
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
)

# 2½, 2 1/2, 2,5, .5: halves that are no plain number
_HALVES = re.compile(r"(\d{1,3})?\s?(?:\u00bd|(?:(?<=\s)|(?<!\d))1/2|(?<=\d),5|(?<!\d)\.50?)", re.ASCII)


class Table(NamedTuple):
    """The table of one section: its titles, its columns by name, its rows, and how to take them."""

    titles: Sequence[str]
    columns: Mapping[str, int]
    rows: Sequence[Row]
    main_system: RatingSystem | None
    dialect: Dialect


def dialect_of(columns: Mapping[str, int], rows: Sequence[Row], *, is_round_robin: bool | None) -> Dialect:
    """The dialect of the cells of a table."""
    at = [columns.get(f"round {column}", -1) for column in range(1, rounds_of(columns) + 1)]
    texts = [[row.cells[place] if 0 <= place < len(row.cells) else "" for place in at] for row in rows]
    return cells_dialect(texts, [_number(columns, row, order) for order, row in enumerate(rows, 1)], is_round_robin)


def _number(columns: Mapping[str, int], row: Row, order: int) -> int | None:
    at = columns.get("number")
    text = row.cells[at].strip().rstrip(".") if at is not None and at < len(row.cells) else ""
    return order if at is None else int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None


def pending_of(table: Table) -> int:
    """How many games are paired and have no result: each stands on two rows."""
    at = [place for name, place in table.columns.items() if name.startswith("round ")]
    cells = [row.cells[place] for row in table.rows for place in at if place < len(row.cells)]
    return (sum(is_pending(cell, table.dialect) for cell in cells) + 1) // 2


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
