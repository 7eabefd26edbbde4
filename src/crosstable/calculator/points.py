"""What each game brought, in points: K(S - E) of the game, or the result with it less the result without it.

Under the standard formula (§4.2) a game's points are its own K(S - E); with the bonus they add up to the change before
floors. The special formula (§4.1) has no such parts, so a game counts for what the rating would lack without it; these
do not add up, because every game changes what the others are worth.
"""

from typing import NamedTuple

from crosstable.engine import RatedPlayer
from crosstable.formulas.special import special_rating
from crosstable.formulas.standard import odds, winning_expectancy
from crosstable.rules.constants import Constants
from crosstable.terms import Formula

VERBS = {1.0: "win", 0.5: "draw", 0.0: "loss"}


class GamePoints(NamedTuple):
    """One game: the opponent's place in the request, the rating he was met at, what was expected, what it brought."""

    opponent: int
    score: float
    met_at: float
    expected: float
    points: float
    is_leave_one_out: bool

    @property
    def sentence(self) -> str:
        """In plain words: this loss cost 14."""
        return points_sentence(self.score, self.points)


def points_sentence(score: float, points: float) -> str:
    """What a game brought, in plain words and whole points."""
    whole = abs(round(points))
    verb = VERBS[score]
    if not whole:
        return f"this {verb} changed next to nothing"
    return f"this {verb} {'brought' if points > 0.0 else 'cost'} {whole}"


def points_of(player: RatedPlayer, constants: Constants) -> tuple[GamePoints, ...]:
    """The points of every game of a rated player, in the order of the games."""
    own = odds(player.prior)
    met = [game.intermediate for game in player.games]
    found = []
    for at, game in enumerate(player.games):
        expected = winning_expectancy(own, odds(met[at]))
        if player.formula is Formula.STANDARD:
            points = player.final.k * (game.score - expected)
        else:
            without = special_rating(
                constants,
                player.prior,
                player.effective,
                player.past,
                player.score - game.score,
                met[:at] + met[at + 1 :],
            )
            points = player.final.computed - without.rating
        is_left_out = player.formula is Formula.SPECIAL
        found.append(GamePoints(game.opponent, game.score, met[at], expected, points, is_left_out))
    return tuple(found)
