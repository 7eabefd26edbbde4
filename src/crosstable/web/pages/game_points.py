"""What each game of a section brought, in points that add up to the posted change, as far as the working is public."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from crosstable.calculator.estimate import points_of
from crosstable.engine import RatedPlayer
from crosstable.explanation.lines import as_public, has_age_start, is_coarse
from crosstable.formulas.special import special_rating
from crosstable.office.settings import DECIMALS, WHOLE, half_up
from crosstable.rules.constants import Constants
from crosstable.terms import Cell, Formula, total
from crosstable.web.pages.sections import Rated

EXPECTED_DECIMALS = 2
BONUS, FLOOR, CEILING, MATCH = "Bonus", "Floor", "Ceiling", "Limit of match play"
AGE, ROUNDING = "A first rating that is not public", "Rounding of the posted ratings"


class GameShare(NamedTuple):
    """What was expected of a game, and what it brought."""

    expected: float
    points: float


class Shares(NamedTuple):
    """The games of a row by their rounds, and what else moved the rating; together they are the posted change.

    Under the special formula (§4.1), which has no parts, a game counts for how far it moves the rating that the games
    before it give (``is_in_turn``).
    """

    games: Mapping[int, GameShare]
    others: tuple[tuple[str, float], ...]
    change: float
    is_in_turn: bool


def shares_of(one: Rated, number: int) -> Shares | None:
    """The shares of a row; nothing for an unrated player, whose start is no rating, nor for a row of several."""
    row = one.rows[number]
    player = next(player for player in one.rated.players if player.number == number)
    if row.before is None or row.after is None or row.formula is None or player.merged_with:
        return None
    rounds = [at for at, _ in games_of(one, number)]
    if one.rated.section.kind.is_foreign or len(rounds) != len(player.games):
        return None
    shown, constants = as_public(one.rated, player), one.rated.edition.constants
    is_in_turn = shown.formula is Formula.SPECIAL
    known = points_of(shown, constants)
    points = _in_turn(shown, constants) if is_in_turn else [game.points for game in known]
    change = round(row.after.rating - row.before.rating, DECIMALS)
    others = dict(_others(one, shown, change - total(points)))
    at = WHOLE if is_coarse(one.rated) else DECIMALS
    parts = _rounded([*points, *others.values()], change, at)
    if at == DECIMALS:
        others[ROUNDING] = round(change - total(parts), DECIMALS)
        parts.append(others[ROUNDING])
    expected = (half_up(game.expected, EXPECTED_DECIMALS) for game in known)
    games = dict(zip(rounds, map(GameShare, expected, parts), strict=True))
    left = zip(others, parts[len(points) :], strict=True)
    return Shares(games, tuple((name, value) for name, value in left if value), change, is_in_turn)


def games_of(one: Rated, number: int) -> list[tuple[int, Cell]]:
    """The rated games of a row, each with its round."""
    entry = next(entry for entry in one.rated.section.entries if entry.number == number)
    return [
        (at, cell) for at, cell in enumerate(entry.cells, start=1) if cell.result.is_game and cell.opponent in one.rows
    ]


def _in_turn(player: RatedPlayer, constants: Constants) -> list[float]:
    """How far each game moves what the special formula gives for the games before it."""
    found, score, before = [], 0.0, player.prior
    for at, game in enumerate(player.games, start=1):
        score += game.score
        met = [one.intermediate for one in player.games[:at]]
        rating = special_rating(constants, player.prior, player.effective, player.past, score, met).rating
        found.append(rating - before)
        before = rating
    return found


def _others(one: Rated, player: RatedPlayer, rest: float) -> Iterator[tuple[str, float]]:
    """What moved the rating beside the games; ``rest`` is all that they leave of the posted change."""
    bonus = player.final.bonus if player.formula is Formula.STANDARD else 0.0
    if bonus:
        yield BONUS, bonus
    outcome = player.outcome
    if one.rows[player.number].floor is not None:
        yield FLOOR, rest - bonus
    elif outcome.is_at_ceiling:
        yield CEILING, rest - bonus
    elif not math.isnan(outcome.limited_change):
        yield MATCH, rest - bonus
    elif has_age_start(one.rated):
        yield AGE, rest - bonus


def _rounded(parts: Sequence[float], whole: float, places: int) -> list[float]:
    """Parts to so many places; whole numbers so that they add up to the whole, those that lose most going up first."""
    if places:
        return [round(part, places) for part in parts]
    down = [float(math.floor(part)) for part in parts]
    order = sorted(range(len(parts)), key=lambda at: down[at] - parts[at])
    missing = round(whole - total(down))
    for step in range(abs(missing)):
        down[order[step % len(order) if missing > 0 else -1 - step % len(order)]] += math.copysign(1.0, missing)
    return down
