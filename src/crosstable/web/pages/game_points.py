"""What each game of a section brought, in points, as far as the working of the section is public."""

from collections.abc import Mapping

from crosstable.calculator.estimate import points_of
from crosstable.explanation.lines import as_public, is_coarse
from crosstable.office.rounding import DECIMALS, WHOLE, half_up
from crosstable.terms import Cell, Formula
from crosstable.web.pages.sections import Rated


def brought(one: Rated, number: int) -> Mapping[int, float]:
    """The points of each game of a row by its round.

    There are none for an unrated player, whose start is no rating.
    """
    row = one.rows[number]
    player = next(player for player in one.rated.players if player.number == number)
    if row.before is None or row.formula is None or one.rated.section.kind.is_foreign or player.merged_with:
        return {}
    cells = _games(one, number)
    points = points_of(as_public(one.rated, player), one.rated.edition.constants)
    if len(points) != len(cells):
        return {}
    at = WHOLE if is_coarse(one.rated) else DECIMALS
    return {round_number: half_up(game.points, at) for (round_number, _), game in zip(cells, points, strict=True)}


def _games(one: Rated, number: int) -> list[tuple[int, Cell]]:
    entry = next(entry for entry in one.rated.section.entries if entry.number == number)
    return [
        (at, cell) for at, cell in enumerate(entry.cells, start=1) if cell.result.is_game and cell.opponent in one.rows
    ]


def is_leave_one_out(formula: str | None) -> bool:
    """Whether points do not add up: the special formula has no parts."""
    return formula == Formula.SPECIAL.name.lower()
