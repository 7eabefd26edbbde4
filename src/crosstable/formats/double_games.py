"""Rounds of two games in one cell, as SwissSys reports them; each cell becomes two rated rounds.

A cell gives the score of both games together: ``$`` 2-0, ``#`` 1½-½, ``W`` 1-1 by a win each, ``%`` 1-1 by two draws,
``D`` ½-1½, ``L`` 0-2. Which game came first is not recorded and does not matter to a rating, so one order is laid
down that both rows share: the better result of the winner first; of a win each, the lower number wins first.
Colours are kept where both games have the same result (the second is played with the other colour); else the file
does not say which game had which. Both cells keep the text of the file, from which the cell can be written again.
"""

from collections.abc import Mapping, Sequence

from crosstable.formats.event_json import read_cell
from crosstable.terms import ReportedCell, ReportedPlayer, Result

GAMES_PER_ROUND = "games_per_round"
ONLY_DOUBLE = frozenset("$#%")
_PAIRS: Mapping[str, tuple[Result, Result]] = {
    "$": (Result.WIN, Result.WIN),
    "#": (Result.WIN, Result.DRAW),
    "W": (Result.WIN, Result.LOSS),
    "%": (Result.DRAW, Result.DRAW),
    "D": (Result.LOSS, Result.DRAW),
    "L": (Result.LOSS, Result.LOSS),
}
_UNPLAYED = frozenset("XFYBHUZ*")
_DOUBLE_MIRROR = {"$": "L", "L": "$", "#": "D", "D": "#", "W": "W", "%": "%"}
_SINGLE_MIRROR = {"W": "L", "L": "W", "D": "D"}
_OTHER_COLOUR = {"w": "b", "b": "w", "": ""}


def are_double_games(players: Sequence[ReportedPlayer], *, is_declared: bool) -> bool:
    """Whether a section's cells hold two games each.

    Only a section that is declared so, or that holds a cell which nothing else can mean, comes into question; and even
    it is read game by game where its rows agree better that way (a column per game, or one mistyped cell).
    """
    holds = any(cell.text[:1] in ONLY_DOUBLE for player in players for cell in player.cells)
    if not (is_declared or holds):
        return False
    rows = {player.number: [_parts(cell.text) for cell in player.cells] for player in players}
    return _agreeing(rows, _DOUBLE_MIRROR) >= _agreeing(rows, _SINGLE_MIRROR)


def _agreeing(rows: Mapping[int | None, Sequence[tuple[str, int, str]]], mirror: Mapping[str, str]) -> int:
    """How many cells the opponent's row confirms, if the letters mean this."""
    agreeing = 0
    for number, cells in rows.items():
        for at, (letter, opponent, _) in enumerate(cells):
            others = rows.get(opponent, ())
            if letter in mirror and at < len(others) and others[at][:2] == (mirror[letter], number):
                agreeing += 1
    return agreeing


def _parts(text: str) -> tuple[str, int, str]:
    """Letter, opponent and colour of a cell, whatever the letter; no letter where the rest makes no sense."""
    cell = read_cell(f"W{text[1:]}")
    return text[:1].upper() if cell.result else "", cell.opponent, cell.colour


def expanded(player: ReportedPlayer) -> ReportedPlayer:
    """The row with two cells for each cell of the file."""
    cells = [game for cell in player.cells for game in games_of(cell.text, player.number or 0)]
    return player._replace(cells=tuple(cells))


def games_of(text: str, number: int) -> tuple[ReportedCell, ReportedCell]:
    """The two games that a cell of this player's row stands for."""
    letter, opponent, colour = _parts(text)
    if letter in _UNPLAYED or not letter:
        unplayed = read_cell(text)
        return unplayed, unplayed
    if letter not in _PAIRS:
        unknown = ReportedCell(text, None, 0, "")
        return unknown, unknown
    first, second = _PAIRS[letter]
    if letter == "W" and number > opponent:
        first, second = second, first
    if first is not second:
        return ReportedCell(text, first, opponent, ""), ReportedCell(text, second, opponent, "")
    return (
        ReportedCell(text, first, opponent, colour),
        ReportedCell(text, second, opponent, _OTHER_COLOUR[colour]),
    )


def cell_of(first: ReportedCell, second: ReportedCell, number: int) -> str | None:
    """The text of the one cell that stands for two games, or ``None`` where there is none."""
    if first.text == second.text and games_of(first.text, number) == (first, second):
        letter, opponent, colour = _parts(first.text)
        return f"{letter}{opponent}{colour.upper()}" if letter else first.text
    if first.opponent != second.opponent or first.result is None or second.result is None:
        return None
    results = {first.result, second.result}
    letter = next((letter for letter, pair in _PAIRS.items() if set(pair) == results), "")
    if not letter and len(results) == 1 and first.result.value in _UNPLAYED:
        letter = first.result.value
    return f"{letter}{first.opponent}{first.colour.upper()}" if letter else None
