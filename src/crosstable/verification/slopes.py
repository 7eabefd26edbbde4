"""How far starts move what a page computes: slopes that follow from the formulas, multiplied from step to step (§1).

The search for unknown starts goes along them. They need not be exact: what a step really did is learned, and a rating
is never taken from a slope.
"""

import math
from collections.abc import Iterable, Sequence
from operator import mul, truediv
from typing import NamedTuple

from crosstable.formulas.outcome import stored_first
from crosstable.formulas.special import adjusted_prior
from crosstable.formulas.standard import ODDS_SCALE, bonus_points, odds, winning_expectancy
from crosstable.rules.constants import Constants

# So near to 400 points somebody counts in part: a special rating bends there.
KINK = 8.0
# Where the equations of a step are solved well enough: squared, and after so many turns.
PRECISION = 1e-3
MOST_TURNS = 8

Met = Sequence[tuple[int, float]]


class Effect(NamedTuple):
    """What moves a player's result of a step: their own prior, and each strength they meet, by position."""

    at: int
    own: float
    met: list[tuple[int, float]]


class Slopes(NamedTuple):
    """The effects in Step 3, where players start on no games, and in the two passes."""

    players: int
    estimates: list[Effect]
    intermediate: list[Effect]
    final: list[Effect]


def special_effect(constants: Constants, at: int, brought: tuple[float, float, int], rating: float, met: Met) -> Effect:
    """The slopes of a special rating: all within 400 points move it by equal parts, R0 by N' of them (§4.1).

    ``brought`` are R0, N' and the past. With nobody so near the rating is R0 itself, or the whole number it is kept as.
    """
    prior, effective, past = brought
    spread, start = constants.special_spread, adjusted_prior(constants, prior, past)
    own = effective * _nearness(rating - start, spread)
    near = [(other, _nearness(rating - strength, spread)) for other, strength in met]
    weight = own + math.fsum(share for _, share in near)
    if not weight or rating >= constants.special_cap:
        return Effect(at, float(rating in (start, stored_first(start))), [])
    return Effect(at, own / weight, [(other, share / weight) for other, share in near if share])


def _nearness(distance: float, spread: float) -> float:
    """Whether somebody is within 400 points, softened where that ends."""
    inside = spread + KINK - math.fabs(distance)
    return max(0.0, min(1.0, inside / (2.0 * KINK)))


def standard_effect(constants: Constants, at: int, brought: tuple[float, float, float, int], met: Met) -> Effect:
    """The slopes of a standard rating: K times those of the expectancies, twice while a bonus is earned (§4.2).

    ``brought`` are R0, K, the score, and the games that a bonus may be earned on.
    """
    prior, k, score, bonus_games = brought
    own_odds = odds(prior)
    chances = [winning_expectancy(own_odds, odds(strength)) for _, strength in met]
    change = k * (score - math.fsum(chances))
    has_bonus = bonus_games > 0 and bonus_points(constants, change, bonus_games) > 0.0
    factor = k * ODDS_SCALE * (2.0 if has_bonus else 1.0)
    slopes = [(other, factor * chance * (1.0 - chance)) for (other, _), chance in zip(met, chances, strict=True)]
    return Effect(at, 1.0 - math.fsum(slope for _, slope in slopes), slopes)


class Bearing:
    """What some starts bear on: the slopes of all steps, multiplied from step to step and never written out.

    What a step did is learned beside them (Broyden's way): slopes change at every 400 points, a step goes beyond.
    """

    def __init__(self, slopes: Slopes, starts: Sequence[int], rows: Sequence[int]) -> None:
        self._players, self._starts, self._rows = slopes.players, starts, len(rows)
        moved, self._zero = set(starts), [one.at for one in slopes.estimates]
        self._estimates, estimated = _kept(slopes.estimates, moved, moved)
        self._middle, passed = _kept(slopes.intermediate, moved, estimated | moved.difference(self._zero))
        place = {at: row for row, at in enumerate(rows)}
        final, _ = _kept([one for one in slopes.final if one.at in place], moved, passed)
        self._final = [(place[one.at], one) for one in final]
        # The same slopes by who is met: what pulls at them is added up in the same order, and quicker.
        self._met_in_final = _by_met((row, one.met) for row, one in self._final)
        self._met_in_middle = _by_met((one.at, one.met) for one in self._middle)
        self._learned: list[tuple[list[float], list[float]]] = []

    def learn(self, changes: list[float], effects: Sequence[float]) -> None:
        """Take in what changes of the starts did to the rows."""
        weight = math.fsum(map(mul, changes, changes))
        if weight:
            missed = [(effect - one) / weight for effect, one in zip(effects, self.ahead(changes), strict=True)]
            self._learned.append((changes, missed))

    def ahead(self, moves: Sequence[float]) -> list[float]:
        """How far the rows move if the starts move so."""
        priors, middle, rows = [0.0] * self._players, [0.0] * self._players, [0.0] * self._rows
        for at, move in zip(self._starts, moves, strict=True):
            priors[at] = move
        strengths = list(priors)
        for at in self._zero:
            strengths[at] = 0.0
        for at, own, met in self._estimates:
            found = own * priors[at]
            for other, slope in met:
                found += slope * priors[other]
            strengths[at] = found
        for at, own, met in self._middle:
            found = own * priors[at]
            for other, slope in met:
                found += slope * strengths[other]
            middle[at] = found
        for row, (at, own, met) in self._final:
            found = own * priors[at]
            for other, slope in met:
                found += slope * middle[other]
            rows[row] = found
        for changes, missed in self._learned:
            share = math.fsum(map(mul, changes, moves))
            rows = [one + share * other for one, other in zip(rows, missed, strict=True)]
        return rows

    def back(self, pulls: Sequence[float]) -> list[float]:
        """How far pulls at the rows pull at the starts."""
        priors, strengths, middle = ([0.0] * self._players for _ in range(3))
        for row, (at, own, _) in self._final:
            priors[at] += own * pulls[row]
        for other, met in self._met_in_final:
            found = 0.0
            for row, slope in met:
                found += slope * pulls[row]
            middle[other] = found
        for at, own, _ in self._middle:
            priors[at] += own * middle[at]
        for other, met in self._met_in_middle:
            found = 0.0
            for at, slope in met:
                found += slope * middle[at]
            strengths[other] = found
        for at, own, met in self._estimates:
            pull = strengths[at]
            priors[at] += own * pull
            for other, slope in met:
                priors[other] += slope * pull
        for at in self._zero:
            strengths[at] = 0.0
        starts = [priors[at] + strengths[at] for at in self._starts]
        for changes, missed in self._learned:
            share = math.fsum(map(mul, missed, pulls))
            starts = [one + share * other for one, other in zip(starts, changes, strict=True)]
        return starts


def _kept(effects: Sequence[Effect], own: set[int], moved: set[int]) -> tuple[list[Effect], set[int]]:
    """Effects of what moves only, and the players who move by them."""
    kept = []
    for at, slope, met in effects:
        left = [one for one in met if one[0] in moved]
        if left or (slope and at in own):
            kept.append(Effect(at, slope, left))
    return kept, {one.at for one in kept}


def _by_met(effects: Iterable[tuple[int, Met]]) -> list[tuple[int, list[tuple[int, float]]]]:
    """Slopes by who is met: of each, what they bear on and how much, in the order of the effects."""
    found: dict[int, list[tuple[int, float]]] = {}
    for at, met in effects:
        for other, slope in met:
            found.setdefault(other, []).append((at, slope))
    return list(found.items())


def step_along(bearing: Bearing, errors: Sequence[float], damping: float) -> list[float]:
    """The damped step of weighted least squares, each row weighted by the inverse of its error (conjugate gradients).

    All slopes are at least 0, so those of all starts together bound each: that eases the equations (``own``).
    """
    weights = [1.0 / max(1.0, math.fabs(error)) for error in errors]
    left = bearing.back(list(map(mul, weights, errors)))
    step = [0.0] * len(left)
    own = [damping + math.fabs(one) for one in bearing.back(list(map(mul, weights, bearing.ahead([1.0] * len(left)))))]
    along = eased = list(map(truediv, left, own))
    size = enough = math.fsum(map(mul, left, eased))
    for _ in range(MOST_TURNS):
        if size <= enough * PRECISION:
            break
        pulled = bearing.back(list(map(mul, weights, bearing.ahead(along))))
        image = [one + damping * pull for one, pull in zip(pulled, along, strict=True)]
        share = size / math.fsum(map(mul, along, image))
        step = [one + share * other for one, other in zip(step, along, strict=True)]
        left = [one - share * other for one, other in zip(left, image, strict=True)]
        eased = list(map(truediv, left, own))
        before, size = size, math.fsum(map(mul, left, eased))
        along = [one + size / before * other for one, other in zip(eased, along, strict=True)]
    return step
